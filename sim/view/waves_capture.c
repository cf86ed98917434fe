/*
 * Waves out of a capture. The file is read twice up to the end of the window: once for the edges, once
 * by the decoders, which must see it from its beginning.
 */
#include <stdlib.h>
#include <string.h>

#include "capture/capture.h"
#include "view/waves_parts.h"

enum { LEAD_CLOCKS = 5000 }; /* before the window, SD: a block of 512 bytes on one line is 4114 */

/* ---- edges ---- */

/* Lines as sdsim_line_map gives them, to the bits of capture/wave.h. */
static uint32_t levels_of(bool spi, unsigned lines)
{
    if (!spi) {
        return lines; /* CLK, CMD, DAT0.. in both */
    }
    return (lines >> SDSIM_LINE_CS & 1) * SDSIM_WAVE_CS |
           (lines >> SDSIM_LINE_CLK & 1) * SDSIM_WAVE_SCK |
           (lines >> SDSIM_LINE_MOSI & 1) * SDSIM_WAVE_MOSI |
           (lines >> SDSIM_LINE_MISO & 1) * SDSIM_WAVE_MISO;
}

/* The longest period of the clock's stretches, so that enough is read ahead of the window. */
static sdsim_ps lead_of(const struct sdsim_capture *capture)
{
    double period = 0;
    for (size_t i = 0; i < capture->meter.count; i++) {
        const double one = sdsim_stretch_period(&capture->meter.stretches[i]);
        period = one > period ? one : period;
    }
    return sdsim_capture_time(capture, (uint64_t)(period * LEAD_CLOCKS));
}

static bool read_edges(struct sdsim_waves_maker *maker, const struct sdsim_capture *capture,
                       sdsim_ps lead, struct sdsim_diags *diags)
{
    struct sdsim_waves *waves = maker->waves;
    const bool spi = waves->mode == SDSIM_BUS_SPI;
    const sdsim_ps heard_from = sdsim_time_since(waves->from, lead);
    struct sdsim_pin_change *changes = malloc(SDSIM_CAPTURE_BATCH * sizeof *changes);
    struct sdsim_pins *pins = changes != NULL ? sdsim_pins_open(capture->path, diags) : NULL;
    enum sdsim_pin_result result = pins != NULL ? SDSIM_PINS_MORE : SDSIM_PINS_BROKEN;
    bool over = false;
    while (result == SDSIM_PINS_MORE && !over) {
        size_t count;
        result = sdsim_pins_read(pins, changes, SDSIM_CAPTURE_BATCH, &count);
        for (size_t i = 0; i < count && !over; i++) {
            const sdsim_ps at = sdsim_capture_time(capture, changes[i].tick);
            const uint32_t levels =
                levels_of(spi, sdsim_line_map(&capture->map, changes[i].levels));
            if (maker->begun && levels == maker->levels) {
                continue;
            }
            sdsim_waves_edge(waves, at, levels);
            if (!spi && at >= heard_from && maker->begun) {
                sdsim_waves_clocks(maker, at, maker->levels, levels);
            }
            maker->begun = true;
            maker->levels = levels;
            over = at > sdsim_time_sum(waves->to, lead);
        }
    }
    sdsim_pins_close(pins);
    free(changes);
    return pins != NULL;
}

/* ---- bytes and items ---- */

struct taker {
    struct sdsim_item_listener items;
    struct sdsim_spi_listener bytes;
    struct sdsim_waves_maker *maker;
    sdsim_ps now;
};

static void take_item(struct sdsim_item_listener *items, const struct sdsim_item *item)
{
    struct taker *taker = (struct taker *)items;
    taker->now = item->timed && item->end > taker->now ? item->end : taker->now;
    if (item->end > taker->maker->waves->from) {
        sdsim_waves_item(taker->maker, item);
    }
}

static struct taker *taker_of(struct sdsim_spi_listener *bytes)
{
    return (struct taker *)((char *)bytes - offsetof(struct taker, bytes));
}

static void take_byte(struct sdsim_spi_listener *bytes, const struct sdsim_spi_byte *byte)
{
    struct taker *taker = taker_of(bytes);
    struct sdsim_waves *waves = taker->maker->waves;
    sdsim_waves_piece(waves, byte->start, byte->end, 2, SDSIM_PIECE_BYTE, SDSIM_TONE_PLAIN, "%02X",
                      byte->mosi);
    sdsim_waves_piece(waves, byte->start, byte->end, 3, SDSIM_PIECE_BYTE, SDSIM_TONE_PLAIN, "%02X",
                      byte->miso);
    taker->now = byte->end;
}

static void take_select(struct sdsim_spi_listener *bytes, bool low, sdsim_ps at, uint64_t place)
{
    (void)low;
    (void)place;
    taker_of(bytes)->now = at;
}

static void take_clocks(struct sdsim_spi_listener *bytes, unsigned count, sdsim_ps start,
                        sdsim_ps end, uint64_t place)
{
    (void)count;
    (void)start;
    (void)place;
    taker_of(bytes)->now = end;
}

/* An item is told when it is over, so decoding goes on for a while behind the window. */
static void decode(struct sdsim_waves_maker *maker, struct sdsim_capture *capture, sdsim_ps lead)
{
    struct taker taker = {
        .items = {take_item}, .bytes = {take_byte, take_select, take_clocks}, .maker = maker};
    const sdsim_ps stop = sdsim_time_sum(maker->waves->to, lead);
    sdsim_capture_attach(capture, &taker.items,
                         maker->waves->mode == SDSIM_BUS_SPI ? &taker.bytes : NULL);
    while (taker.now < stop && sdsim_capture_step(capture) == SDSIM_PINS_MORE) {
    }
}

static void ignore_item(struct sdsim_item_listener *items, const struct sdsim_item *item)
{
    (void)items;
    (void)item;
}

/* The clock is known only when something was decoded. */
static sdsim_ps find_lead(const char *path, const char *channels, struct sdsim_diags *diags)
{
    struct sdsim_capture *capture = sdsim_capture_open(path, channels, diags);
    sdsim_ps lead = 0;
    if (capture != NULL) {
        struct sdsim_item_listener items = {ignore_item};
        sdsim_capture_attach(capture, &items, NULL);
        (void)sdsim_capture_step(capture);
        lead = lead_of(capture);
        sdsim_capture_close(capture);
    }
    return lead;
}

bool sdsim_waves_of_capture(struct sdsim_waves *waves, const char *path, const char *channels,
                            sdsim_ps from, sdsim_ps to, struct sdsim_diags *diags)
{
    *waves = (struct sdsim_waves){.edges = NULL};
    const sdsim_ps lead = find_lead(path, channels, diags);
    struct sdsim_capture *capture = sdsim_capture_open(path, channels, diags);
    if (capture == NULL) {
        return false;
    }
    const bool spi = capture->roles.bus == SDSIM_CAPTURE_SPI;
    const bool four = capture->roles.channel[SDSIM_LINE_DAT3] != SDSIM_NO_CHANNEL;
    struct sdsim_waves_maker *maker = sdsim_waves_maker_new(
        waves, spi ? SDSIM_BUS_SPI : (four ? SDSIM_BUS_SD4 : SDSIM_BUS_SD1), from, to);
    bool fine = maker != NULL && read_edges(maker, capture, lead, diags);
    if (fine) {
        decode(maker, capture, lead);
        fine = !waves->failed;
    }
    if (maker != NULL) {
        sdsim_waves_maker_free(maker);
    }
    sdsim_capture_close(capture);
    if (!fine) {
        sdsim_waves_free(waves);
        if (diags->errors == 0) {
            sdsim_error(diags, path, "out of memory");
        }
    }
    return fine;
}
