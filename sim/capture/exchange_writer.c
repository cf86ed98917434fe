#include "capture/exchange.h"

enum {
    MOST_WIDTH = 12, /* of a side, so that a line has about 80 columns */
    SHORT_RUN = 3,   /* written byte by byte */
    LONG_RUN = 16,   /* whose end is worth its time */
    FRAME_BYTES = 6,
    MOST_BYTES = 1000000,
};

/* In the largest unit that tells it exactly. */
static void print_time(FILE *out, sdsim_ps time)
{
    const bool us = time % SDSIM_US == 0;
    const bool ns = time % SDSIM_NS == 0;
    fprintf(out, "@%llu%s",
            (unsigned long long)(us   ? time / SDSIM_US
                                 : ns ? time / SDSIM_NS
                                      : time),
            us   ? "us"
            : ns ? "ns"
                 : "ps");
}

static void print_clock(FILE *out, uint64_t hz)
{
    const bool mhz = hz % 1000000 == 0;
    const bool khz = hz % 1000 == 0;
    fprintf(out, "clock %llu%s\n",
            (unsigned long long)(mhz   ? hz / 1000000
                                 : khz ? hz / 1000
                                       : hz),
            mhz   ? "MHz"
            : khz ? "kHz"
                  : "Hz");
}

static void print_run(FILE *out, uint8_t byte, uint64_t bytes)
{
    if (bytes > SHORT_RUN) {
        fprintf(out, " %02X*%llu", byte, (unsigned long long)bytes);
        return;
    }
    for (uint64_t i = 0; i < bytes; i++) {
        fprintf(out, " %02X", byte);
    }
}

/* One side of the line: neighbours that differ on the other side only are one run here. */
static void print_side(const struct sdsim_exchange_writer *w, bool host)
{
    uint64_t bytes = 0;
    for (unsigned i = 0; i < w->count; i++) {
        const uint8_t byte = host ? w->runs[i].mosi : w->runs[i].miso;
        bytes += w->runs[i].bytes;
        if (i + 1 == w->count || byte != (host ? w->runs[i + 1].mosi : w->runs[i + 1].miso)) {
            print_run(w->out, byte, bytes);
            bytes = 0;
        }
    }
}

static void print_line(const struct sdsim_exchange_writer *w)
{
    fputs(w->timed ? "" : " ", w->out);
    print_side(w, true);
    fputs(" ->", w->out);
    print_side(w, false);
    fputc('\n', w->out);
}

static uint64_t bytes_of_line(const struct sdsim_exchange_writer *w)
{
    uint64_t bytes = 0;
    for (unsigned i = 0; i < w->count; i++) {
        bytes += w->runs[i].bytes;
    }
    return bytes;
}

static bool starts_frame(uint8_t mosi)
{
    return (mosi & 0xC0) == 0x40;
}

/* Six bytes that begin like a frame, with something else than FF and 00 beside them, would be read
 * as a command and its answer. */
static bool is_ambiguous(const struct sdsim_exchange_writer *w)
{
    bool odd = false;
    for (unsigned i = 0; i < w->count; i++) {
        odd = odd || (w->runs[i].miso != 0 && w->runs[i].miso != 0xFF);
    }
    return odd && starts_frame(w->runs[0].mosi) && bytes_of_line(w) == FRAME_BYTES;
}

static void flush_line(struct sdsim_exchange_writer *w)
{
    if (w->count == 0) {
        return;
    }
    if (w->timed) {
        print_time(w->out, w->start);
    }
    if (is_ambiguous(w)) {
        struct sdsim_exchange_writer first = *w;
        first.count = 1;
        first.runs[0].bytes = 1;
        w->runs[0].bytes--;
        print_line(&first);
    }
    print_line(w);
    w->count = 0;
}

static void write_select(struct sdsim_exchange_sink *sink, bool low, sdsim_ps at, uint64_t line)
{
    (void)line;
    struct sdsim_exchange_writer *w = (struct sdsim_exchange_writer *)sink;
    flush_line(w);
    if (w->timed) {
        print_time(w->out, at);
    }
    fprintf(w->out, "%sCS %d\n", w->timed ? " " : "", low ? 0 : 1);
}

/* Columns of a side, in bytes. */
static unsigned width_of_line(const struct sdsim_exchange_writer *w)
{
    unsigned width = 0;
    for (unsigned i = 0; i < w->count; i++) {
        width += w->runs[i].bytes > SHORT_RUN ? SHORT_RUN : (unsigned)w->runs[i].bytes;
    }
    return width;
}

/* A frame starts a line. */
static bool line_is_full(const struct sdsim_exchange_writer *w, uint8_t mosi)
{
    const bool long_run = w->runs[w->count - 1].bytes > LONG_RUN;
    return (w->timed && long_run) || (starts_frame(mosi) && w->runs[w->count - 1].mosi == 0xFF) ||
           width_of_line(w) >= MOST_WIDTH || bytes_of_line(w) >= MOST_BYTES;
}

/* Timed: the clock at which the line's bytes fit between its start and that of the next one. */
static void write_clock(struct sdsim_exchange_writer *w, const struct sdsim_spi_byte *byte)
{
    const sdsim_ps took = byte->end - byte->start;
    if (!w->timed || took == 0 || (took >= w->byte_time && took - took / 8 <= w->byte_time)) {
        return;
    }
    const uint64_t hz = (8 * SDSIM_S + took - 1) / took;
    w->byte_time = 8 * SDSIM_S / hz;
    print_clock(w->out, hz);
}

/* Timed: a pause before the byte that the clock alone does not explain. */
static bool pauses(const struct sdsim_exchange_writer *w, const struct sdsim_spi_byte *byte)
{
    return w->timed && byte->start > w->end && byte->start - w->end > 4 * w->byte_time;
}

static bool goes_on(const struct sdsim_exchange_writer *w, const struct sdsim_spi_byte *byte)
{
    return w->count > 0 && w->runs[w->count - 1].mosi == byte->mosi &&
           w->runs[w->count - 1].miso == byte->miso;
}

static void write_byte(struct sdsim_exchange_sink *sink, const struct sdsim_spi_byte *byte)
{
    struct sdsim_exchange_writer *w = (struct sdsim_exchange_writer *)sink;
    const bool pause = w->count > 0 && pauses(w, byte);
    w->end = byte->end;
    if (!pause && goes_on(w, byte) && bytes_of_line(w) < MOST_BYTES) {
        w->runs[w->count - 1].bytes++;
        return;
    }
    if (w->count > 0 && (pause || line_is_full(w, byte->mosi))) {
        flush_line(w);
    }
    if (w->count == 0) {
        write_clock(w, byte);
        w->start = byte->start;
    }
    w->runs[w->count].mosi = byte->mosi;
    w->runs[w->count].miso = byte->miso;
    w->runs[w->count].bytes = 1;
    w->count++;
}

void sdsim_exchange_writer_init(struct sdsim_exchange_writer *w, FILE *out, bool timed)
{
    *w = (struct sdsim_exchange_writer){
        .sink = {.select = write_select, .byte = write_byte}, .out = out, .timed = timed};
}

void sdsim_exchange_writer_end(struct sdsim_exchange_writer *w)
{
    flush_line(w);
}
