#include "capture/wave_file.h"

#include <inttypes.h>
#include <string.h>

#include "core/version.h"

/* The name of a pin in a VCD. */
static char identifier(unsigned pin)
{
    return (char)('!' + pin);
}

/* A number in decimal, without its leading zeros; returns how many characters. */
static size_t print_decimal(uint64_t value, char *out)
{
    char digits[20];
    size_t count = 0;
    do {
        digits[count++] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    for (size_t i = 0; i < count; i++) {
        out[i] = digits[count - 1 - i];
    }
    return count;
}

char *sdsim_wave_tick_text(sdsim_ps tick, char *out, size_t size)
{
    static const char *const units[] = {"ps", "ns", "us", "ms", "s"};
    size_t unit = 0;
    while (tick >= 1000 && unit < 4) {
        tick /= 1000;
        unit++;
    }
    snprintf(out, size, "%" PRIu64 " %s", tick, units[unit]);
    return out;
}

/* ---- VCD ---- */

/* A time stamp, and the changes of the pins in `changed`. */
static void write_change(const struct sdsim_wave_file *file, uint64_t tick, unsigned changed,
                         unsigned levels)
{
    char text[64];
    size_t used = 0;
    text[used++] = '#';
    used += print_decimal(tick, text + used);
    text[used++] = '\n';
    for (unsigned pin = 0; pin < file->pins->count; pin++) {
        if ((changed >> pin & 1u) != 0) {
            text[used++] = (char)('0' + (levels >> pin & 1u));
            text[used++] = identifier(pin);
            text[used++] = '\n';
        }
    }
    fwrite(text, 1, used, file->out);
}

/* Writes the levels of the last tick, which is over. */
static void flush_tick(struct sdsim_wave_file *file)
{
    const unsigned all = (1u << file->pins->count) - 1;
    const unsigned changed = file->begun ? file->levels ^ file->written : all;
    if (changed != 0) {
        write_change(file, file->last, changed, file->levels);
    }
    file->written = file->levels;
    file->begun = true;
}

static void vcd_levels(struct sdsim_wave_sink *sink, sdsim_ps at, unsigned levels)
{
    struct sdsim_wave_file *file = (struct sdsim_wave_file *)sink;
    const uint64_t tick = sdsim_wave_ticks(at - file->from, file->tick);
    if (tick != file->last) {
        flush_tick(file);
    }
    file->last = tick;
    file->levels = levels;
}

void sdsim_wave_vcd_begin(struct sdsim_wave_file *file, FILE *out, enum sdsim_bus_mode mode,
                          sdsim_ps from, sdsim_ps tick, const char *about)
{
    char scale[32];
    *file = (struct sdsim_wave_file){.sink = {vcd_levels},
                                     .out = out,
                                     .pins = sdsim_wave_pins(mode),
                                     .from = from,
                                     .tick = tick,
                                     .levels = sdsim_wave_pins(mode)->idle};
    fprintf(out, "$version sdsim " SDSIM_VERSION " $end\n$comment %s $end\n$timescale %s $end\n",
            about, sdsim_wave_tick_text(tick, scale, sizeof scale));
    fputs("$scope module sd $end\n", out);
    for (unsigned pin = 0; pin < file->pins->count; pin++) {
        fprintf(out, "$var wire 1 %c %s $end\n", identifier(pin), file->pins->names[pin]);
    }
    fputs("$upscope $end\n$enddefinitions $end\n", out);
}

void sdsim_wave_vcd_end(struct sdsim_wave_file *file, sdsim_ps end)
{
    const sdsim_ps since = sdsim_time_since(end, file->from);
    flush_tick(file);
    /* Rounded up, and behind the last change in any case: readers make samples up to here only. */
    const uint64_t tick = since / file->tick + (since % file->tick != 0 ? 1 : 0);
    fprintf(file->out, "#%" PRIu64 "\n", tick > file->last ? tick : file->last + 1);
}

uint64_t sdsim_wave_vcd_size(uint64_t clocks, sdsim_ps span, sdsim_ps tick)
{
    char digits[20];
    const size_t stamp = 2 + print_decimal(span / tick, digits);
    /* Two edges a clock, each with its stamp; the data lines change every other time or so. */
    return clocks * (2 * (stamp + 3) + 3);
}

/* ---- CSV ---- */

static void csv_line(const struct sdsim_wave_file *file, sdsim_ps at, unsigned levels)
{
    char text[64];
    size_t used = print_decimal(at / SDSIM_S, text);
    text[used++] = '.';
    const size_t decimals = print_decimal(at % SDSIM_S + SDSIM_S, text + used);
    memmove(text + used, text + used + 1, decimals - 1); /* without the one that kept the zeros */
    used += decimals - 1;
    for (unsigned pin = 0; pin < file->pins->count; pin++) {
        text[used++] = ',';
        text[used++] = (char)('0' + (levels >> pin & 1u));
    }
    text[used++] = '\n';
    fwrite(text, 1, used, file->out);
}

static void csv_levels(struct sdsim_wave_sink *sink, sdsim_ps at, unsigned levels)
{
    struct sdsim_wave_file *file = (struct sdsim_wave_file *)sink;
    csv_line(file, at, levels);
    file->levels = levels;
}

void sdsim_wave_csv_begin(struct sdsim_wave_file *file, FILE *out, enum sdsim_bus_mode mode,
                          sdsim_ps from)
{
    *file = (struct sdsim_wave_file){
        .sink = {csv_levels}, .out = out, .pins = sdsim_wave_pins(mode), .from = from};
    fputs("Time [s]", out);
    for (unsigned pin = 0; pin < file->pins->count; pin++) {
        fprintf(out, ",%s", file->pins->names[pin]);
    }
    fputc('\n', out);
}

void sdsim_wave_csv_end(struct sdsim_wave_file *file, sdsim_ps end)
{
    csv_line(file, end, file->levels);
}
