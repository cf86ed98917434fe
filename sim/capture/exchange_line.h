/*
 * Private to the exchange reader: one line taken apart into what each side sends, without any
 * meaning yet.
 */
#ifndef SDSIM_CAPTURE_EXCHANGE_LINE_H
#define SDSIM_CAPTURE_EXCHANGE_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/diag.h"

enum {
    SDSIM_EXCHANGE_MOST_RUNS = 4096,
    SDSIM_EXCHANGE_MOST_LINE = 65536,
};
#define SDSIM_EXCHANGE_MOST_BYTES 10000000u /* of a run */

enum sdsim_exchange_run_kind {
    SDSIM_EXCHANGE_BYTES,   /* `count` times `value` */
    SDSIM_EXCHANGE_STRETCH, /* as many as it takes */
    SDSIM_EXCHANGE_CRC,     /* two bytes */
};

struct sdsim_exchange_run {
    enum sdsim_exchange_run_kind kind;
    uint8_t value;
    uint32_t count;
    uint32_t column;
};

struct sdsim_exchange_side {
    bool given;     /* there is such a side in the line */
    bool nothing;   /* it is "-" */
    bool stretches; /* one of its runs does */
    uint64_t bytes; /* of all others */
    size_t count;
    struct sdsim_exchange_run runs[SDSIM_EXCHANGE_MOST_RUNS];
};

/* Where messages about a line go. */
struct sdsim_exchange_place {
    const char *name;
    const char *text;
    size_t size;
    uint32_t line;
    struct sdsim_diags *diags;
};

void sdsim_exchange_fault(const struct sdsim_exchange_place *place, size_t column, size_t length,
                          const char *help, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Reads a side from line[from..to); columns in messages are positions in `line`. */
bool sdsim_exchange_side_read(const struct sdsim_exchange_place *place, const char *line,
                              size_t from, size_t to, bool host, struct sdsim_exchange_side *side);

/* Whether the side is a command frame, alone or with FF behind it. */
bool sdsim_exchange_is_frame(const struct sdsim_exchange_side *side);

#endif
