#include "capture/wave.h"

const struct sdsim_wave_pins *sdsim_wave_pins(enum sdsim_bus_mode mode)
{
    static const struct sdsim_wave_pins spi = {
        .count = 4,
        .names = {"CS", "SCK", "MOSI", "MISO"},
        .clock = SDSIM_WAVE_SCK,
        .idle = SDSIM_WAVE_CS | SDSIM_WAVE_MOSI | SDSIM_WAVE_MISO,
    };
    static const struct sdsim_wave_pins sd = {
        .count = 6,
        .names = {"CLK", "CMD", "DAT0", "DAT1", "DAT2", "DAT3"},
        .clock = SDSIM_WAVE_CLK,
        .idle = SDSIM_WAVE_CMD | 0xF * SDSIM_WAVE_DAT0,
    };
    return mode == SDSIM_BUS_SPI ? &spi : &sd;
}

/* ---- edges ---- */

/* Tells the sink what is pending, which is over now. */
static void tell(struct sdsim_wave *wave)
{
    if (wave->at >= wave->to || (wave->begun && wave->levels == wave->told)) {
        return;
    }
    wave->sink->levels(wave->sink, wave->at > wave->from ? wave->at : wave->from, wave->levels);
    wave->told = wave->levels;
    wave->begun = true;
}

/* The levels become these at `at`. */
static void become(struct sdsim_wave *wave, sdsim_ps at, unsigned levels)
{
    if (at > wave->at) {
        /* What lies before the window is told with its beginning. */
        if (at > wave->from) {
            tell(wave);
        }
        wave->at = at;
    }
    if (wave->at < wave->to) {
        wave->levels = levels;
    }
}

static void hear_select(struct sdsim_wire_listener *listener, sdsim_ps at, bool low)
{
    struct sdsim_wave *wave = (struct sdsim_wave *)listener;
    become(wave, at, low ? wave->levels & ~(unsigned)SDSIM_WAVE_CS : wave->levels | SDSIM_WAVE_CS);
}

static void hear_byte(struct sdsim_wire_listener *listener, sdsim_ps start, sdsim_ps end,
                      bool selected, uint8_t mosi, uint8_t miso)
{
    struct sdsim_wave *wave = (struct sdsim_wave *)listener;
    const sdsim_ps span = end - start;
    const unsigned cs = selected ? 0 : SDSIM_WAVE_CS;
    /* Of a byte that is over before the window only the levels it leaves are of interest. */
    for (unsigned bit = end < wave->from ? 7 : 0; bit < 8; bit++) {
        const unsigned shift = 7 - bit;
        const unsigned levels = cs | ((mosi >> shift & 1u) != 0 ? SDSIM_WAVE_MOSI : 0u) |
                                ((miso >> shift & 1u) != 0 ? SDSIM_WAVE_MISO : 0u);
        become(wave, start + span * bit / 8, levels);
        become(wave, start + span * (2 * bit + 1) / 16, levels | SDSIM_WAVE_SCK);
    }
    become(wave, end, wave->levels & ~(unsigned)SDSIM_WAVE_SCK);
}

static void hear_clock(struct sdsim_wire_listener *listener, sdsim_ps start, sdsim_ps end,
                       struct sdsim_sd_lines lines, bool host_drives_cmd, bool host_drives_dat)
{
    struct sdsim_wave *wave = (struct sdsim_wave *)listener;
    const unsigned levels =
        (lines.cmd != 0 ? SDSIM_WAVE_CMD : 0u) | (lines.dat & 0xFu) * SDSIM_WAVE_DAT0;
    (void)host_drives_cmd;
    (void)host_drives_dat;
    become(wave, start, levels);
    become(wave, start + (end - start) / 2, levels | SDSIM_WAVE_CLK);
    become(wave, end, levels);
}

void sdsim_wave_init(struct sdsim_wave *wave, enum sdsim_bus_mode mode, sdsim_ps from, sdsim_ps to,
                     struct sdsim_wave_sink *sink)
{
    *wave = (struct sdsim_wave){
        .listener = {.byte = hear_byte, .select = hear_select, .clock = hear_clock},
        .sink = sink,
        .from = from,
        .to = to,
        .levels = sdsim_wave_pins(mode)->idle,
        .spi = mode == SDSIM_BUS_SPI,
    };
}

void sdsim_wave_finish(struct sdsim_wave *wave)
{
    tell(wave);
}

/* ---- measuring ---- */

static sdsim_ps divisor(sdsim_ps a, sdsim_ps b)
{
    while (b != 0) {
        const sdsim_ps rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static void measure_levels(struct sdsim_wave_sink *sink, sdsim_ps at, unsigned levels)
{
    struct sdsim_wave_measure *measure = (struct sdsim_wave_measure *)sink;
    const unsigned changed = measure->begun ? levels ^ measure->levels : 0;
    measure->begun = true;
    measure->levels = levels;
    measure->instants += changed != 0;
    measure->changes += (unsigned)__builtin_popcount(changed);
    if (measure->grid != 1) {
        measure->grid = divisor(at - measure->from, measure->grid);
    }
    if ((changed & measure->clock) != 0) {
        const sdsim_ps since = at - measure->last_edge;
        if (measure->last_edge != SDSIM_TIME_END && since < measure->shortest) {
            measure->shortest = since;
        }
        measure->last_edge = at;
    }
}

void sdsim_wave_measure_init(struct sdsim_wave_measure *measure, enum sdsim_bus_mode mode,
                             sdsim_ps from)
{
    *measure = (struct sdsim_wave_measure){
        .sink = {measure_levels},
        .from = from,
        .clock = sdsim_wave_pins(mode)->clock,
        .shortest = SDSIM_TIME_END,
        .last_edge = SDSIM_TIME_END,
    };
}

sdsim_ps sdsim_wave_timescale(sdsim_ps grid)
{
    sdsim_ps scale = SDSIM_S;
    while (grid % scale != 0) {
        scale /= 10;
    }
    return scale;
}
