/*
 * A window of a bus, bit by bit: the edges of all its pins, and what they mean as bytes and as fields.
 *
 * It is made on demand and never stored: out of the wire port of a run that is simulated again
 * (sdsim_waves_begin gives the listener for it), or out of the capture the timeline was made from. In both
 * cases the decoders of sim/capture say what a byte or a frame is; a piece is one byte or one field of
 * it, with the instants of its first and its last edge, beside the line it was on.
 *
 *     line        ______/''''\__/''\____...
 *     bytes       | 51 | 00 | 00 | 20 | 00 | 95 |
 *     fields      |CMD17| LBA 8192          | CRC7 right |
 *
 * Limits: SDSIM_WAVES_MOST edges; what comes behind them is left out and `full` is set. Bytes of a block
 * that began long before the window may be missing.
 */
#ifndef SDSIM_VIEW_WAVES_H
#define SDSIM_VIEW_WAVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/wave.h"
#include "core/diag.h"

enum { SDSIM_WAVES_MOST = 1 << 20 };

/* All levels (bits of capture/wave.h) from an instant on. */
struct sdsim_edge {
    sdsim_ps at;
    uint32_t levels;
};

enum sdsim_bus_piece_row {
    SDSIM_PIECE_BYTE,
    SDSIM_PIECE_FIELD,
};

/* What a piece is, for its color. */
enum sdsim_tone {
    SDSIM_TONE_PLAIN, /* a byte */
    SDSIM_TONE_COMMAND,
    SDSIM_TONE_ARGUMENT,
    SDSIM_TONE_RESPONSE,
    SDSIM_TONE_TOKEN,
    SDSIM_TONE_DATA,
    SDSIM_TONE_CRC,
    SDSIM_TONE_STATUS,
    SDSIM_TONE_BUSY,
    SDSIM_TONE_WRONG, /* a check sum that is not right, an error */
};

struct sdsim_bus_piece {
    sdsim_ps from; /* first edge */
    sdsim_ps to;   /* last edge */
    uint8_t pin;   /* number of the bit in the levels */
    uint8_t row;   /* enum sdsim_bus_piece_row */
    uint8_t tone;  /* enum sdsim_tone */
    char text[45]; /* "FE", "LBA 8192" */
};

struct sdsim_waves {
    enum sdsim_bus_mode mode;
    sdsim_ps from; /* what it covers */
    sdsim_ps to;
    struct sdsim_edge *edges; /* the first one: the levels at `from`. Owned */
    size_t edge_count;
    size_t edge_capacity;
    struct sdsim_bus_piece *pieces; /* by their ends. Owned */
    size_t piece_count;
    size_t piece_capacity;
    bool full;   /* more edges than there is room for */
    bool failed; /* out of memory */
};

/* Frees all; a zeroed one is empty. */
void sdsim_waves_free(struct sdsim_waves *waves);

/* The number of the last edge at or before an instant; edge_count if there is none. */
size_t sdsim_waves_at(const struct sdsim_waves *waves, sdsim_ps instant);

/* The number of the first piece that ends behind an instant; piece_count if there is none. */
size_t sdsim_waves_piece_after(const struct sdsim_waves *waves, sdsim_ps instant);

/* ---- from the wire port ---- */

struct sdsim_waves_maker;

/* Begins to fill an empty struct with the window from <= t < to. NULL without memory. */
struct sdsim_waves_maker *sdsim_waves_begin(struct sdsim_waves *waves, enum sdsim_bus_mode mode,
                                            sdsim_ps from, sdsim_ps to);
/* Who has to hear the bus, from the beginning of a transaction. */
struct sdsim_wire_listener *sdsim_waves_listener(struct sdsim_waves_maker *maker);
/* Nothing more comes; frees the maker. */
void sdsim_waves_end(struct sdsim_waves_maker *maker);

/* ---- from a capture ---- */

/* Fills an empty struct out of a capture; `channels` as in sdsim_capture_open. Reads the file from its
 * beginning. False after an error in `diags`; the struct is empty then. */
bool sdsim_waves_of_capture(struct sdsim_waves *waves, const char *path, const char *channels,
                            sdsim_ps from, sdsim_ps to, struct sdsim_diags *diags);

#endif
