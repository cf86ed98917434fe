/*
 * The pins of a bus as somebody recorded them: a stream of changes, whatever the file format.
 *
 * A source says once which channels there are and how long a tick is; then it gives the changes in
 * batches, each with the tick and the levels of all channels from there on. The first change of all
 * is the state at the beginning. A format is one row of the table in pins.c and one file: pins_vcd.c,
 * pins_csv.c, pins_sr.c; which one a file has is told by its content, never by its name.
 *
 * Sources stream: they hold some hundred KiB, of a session up to some MiB, whatever the size of the
 * file. A line that was released (z) or unknown (x) is 1, as the pull-ups of the bus make it.
 *
 * Limits: at most 64 channels; one capture device a file; ticks below 2^63.
 */
#ifndef SDSIM_CAPTURE_PINS_H
#define SDSIM_CAPTURE_PINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/diag.h"
#include "core/time.h"

#define SDSIM_PIN_CHANNELS 64
#define SDSIM_PIN_NAME     40

struct sdsim_pin_change {
    uint64_t tick;
    uint64_t levels; /* bit `channel.bit`: the level from this tick on */
};

struct sdsim_pin_channel {
    char name[SDSIM_PIN_NAME];
    uint8_t bit; /* in the levels */
};

/* How long a tick is, exactly: num / den picoseconds, both from 1 up to 2^32, or den 1. */
struct sdsim_tick {
    uint64_t num;
    uint64_t den;
};

/* What a file says about itself. */
struct sdsim_pin_facts {
    const char *format; /* "VCD", "CSV", "sigrok" */
    struct sdsim_tick tick;
    uint64_t rate; /* samples a second the recording was made with; 0: not said */
    size_t channel_count;
    struct sdsim_pin_channel channels[SDSIM_PIN_CHANNELS];
};

struct sdsim_pins;

enum sdsim_pin_result {
    SDSIM_PINS_MORE,
    SDSIM_PINS_END,   /* the file is read */
    SDSIM_PINS_BROKEN /* it can't be read on; the reason is among the messages */
};

/*
 * Opens a capture. NULL after an error in `diags`, which says where in the file and what to do.
 * sdsim_pins_close takes it, or NULL. `path` must outlive it.
 */
struct sdsim_pins *sdsim_pins_open(const char *path, struct sdsim_diags *diags);
void sdsim_pins_close(struct sdsim_pins *pins);

const struct sdsim_pin_facts *sdsim_pins_facts(const struct sdsim_pins *pins);

/* Only changes of these bits are told from now on (a source may tell others too). */
void sdsim_pins_watch(struct sdsim_pins *pins, uint64_t mask);

/* The next changes, up to `capacity` (at least 1) of them; *count may be 0 with SDSIM_PINS_MORE.
 * The changes told before the end or the fault are good. */
enum sdsim_pin_result sdsim_pins_read(struct sdsim_pins *pins, struct sdsim_pin_change *changes,
                                      size_t capacity, size_t *count);

/* The tick behind the last one that was read so far. */
uint64_t sdsim_pins_end(const struct sdsim_pins *pins);

/* A tick as time, rounded down to the picosecond; SDSIM_TIME_END if it does not fit. */
sdsim_ps sdsim_tick_time(const struct sdsim_tick *tick, uint64_t count);

/* The tick of a sample rate (1 Hz to 4 GHz). */
struct sdsim_tick sdsim_tick_of_rate(uint64_t hertz);

/* Whether a file's content is that of a capture of pins, and not of a trace of some other kind. */
bool sdsim_pins_recognise(const unsigned char *head, size_t size);

#endif
