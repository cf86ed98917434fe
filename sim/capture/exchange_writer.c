#include "capture/exchange.h"

enum {
    MOST_WIDTH = 12, /* of a side, so that a line has about 80 columns */
    SHORT_RUN = 3,   /* written byte by byte */
    FRAME_BYTES = 6,
    MOST_BYTES = 1000000,
};

/* Whole microseconds, or else picoseconds. */
static void print_time(FILE *out, sdsim_ps time)
{
    const bool whole = time % SDSIM_US == 0;
    fprintf(out, "@%llu%s ", (unsigned long long)(whole ? time / SDSIM_US : time),
            whole ? "us" : "ps");
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
    fputs("  ", w->out);
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
    fprintf(w->out, "CS %d\n", low ? 0 : 1);
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
    return (starts_frame(mosi) && w->runs[w->count - 1].mosi == 0xFF) ||
           width_of_line(w) >= MOST_WIDTH || bytes_of_line(w) >= MOST_BYTES;
}

static void write_byte(struct sdsim_exchange_sink *sink, const struct sdsim_spi_byte *byte)
{
    struct sdsim_exchange_writer *w = (struct sdsim_exchange_writer *)sink;
    if (w->count > 0 && line_is_full(w, byte->mosi)) {
        flush_line(w);
    }
    if (w->count == 0) {
        w->start = byte->start;
    }
    const unsigned last = w->count - 1;
    if (w->count > 0 && w->runs[last].mosi == byte->mosi && w->runs[last].miso == byte->miso) {
        w->runs[last].bytes++;
        return;
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
