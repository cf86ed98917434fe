/*
 * The stopwatch: what the host's clock says about when bytes were on the bus.
 *
 * Clock edges are counted exactly, but the clock may stand still: between bytes, if the chip pauses
 * there; within a batch, if its commands or the room for its answers come too late; and always between
 * the answer to one batch and the arrival of the next. A card goes on working meanwhile. So what was
 * counted is a lower bound of what the card took, and the stopwatch gives the upper one. It rests on what
 * can't be otherwise:
 *
 *   - No byte of a batch is clocked before the host gives the batch away (`sent`), and those in front
 *     of it in the batch take their time.
 *   - Each byte had been clocked when the last answer of its batch came (`arrived`), and those behind
 *     it took their time before that.
 *
 * Between two bytes then lie at most
 *
 *     arrived(B) - sent(A) - what A clocks in front of the first and B behind the second
 *
 * which is what was counted, and all the time for which the bus may have stood still. Often it can't:
 * if what is clocked after a byte was commanded within the USB packet that brought that byte (`quiet`),
 * and the answers up to the second byte find room in the chip, nothing is left to wait for. Then only
 * gaps between bytes remain, which are measured once (gaps.h) and known by an upper bound.
 *
 * Limits: that sizes of FIFOs are those of mpsse.h; that the chip keeps no clock for itself.
 */
#ifndef SDSIM_FTDI_STOPWATCH_H
#define SDSIM_FTDI_STOPWATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/time.h"

/* A batch. Bytes on the bus are numbered from 0, those nobody looks at included. */
struct sdsim_timed_batch {
    uint64_t first; /* bytes first..end - 1 are clocked by it */
    uint64_t end;
    uint64_t quiet; /* from the end of the byte before this one on the chip waits for no command of
                         it; UINT64_MAX: it may have to */
    size_t answers; /* bytes it answers, the last of them is byte end - 1 ... */
    size_t waiting; /* ... and those that may have waited in the chip for the host before */
    sdsim_ps sent;  /* host time, in front of giving it away */
    sdsim_ps arrived; /* host time of its last answer; 0: it has not come */
};

struct sdsim_stopwatch {
    struct sdsim_timed_batch *batches; /* owned, ascending */
    size_t count;
    size_t capacity;
    bool failed; /* no memory: knows nothing until it is cleared */
};

/* Zeroed memory is a stopwatch that has seen nothing. */
void sdsim_stopwatch_free(struct sdsim_stopwatch *watch);
void sdsim_stopwatch_clear(struct sdsim_stopwatch *watch);

/* A batch that was sent. Returns its number, for arrived(); or none that it takes. */
size_t sdsim_stopwatch_sent(struct sdsim_stopwatch *watch, const struct sdsim_timed_batch *batch);
void sdsim_stopwatch_arrived(struct sdsim_stopwatch *watch, size_t batch, sdsim_ps at);

/* What the chip is, for the upper bound. */
struct sdsim_stopwatch_chip {
    double byte;    /* ps that eight clocks take */
    double gap;     /* ps: a gap between two bytes is no longer; negative: nobody knows */
    size_t in_fifo; /* bytes */
};

/*
 * The most that can lie between the end of byte from - 1 and the first clock of byte `to`, in bytes (so
 * many times eight clocks): not less than to - from, which is what is sure. False: it isn't known,
 * because one of the two wasn't seen.
 */
bool sdsim_stopwatch_most(const struct sdsim_stopwatch *watch,
                          const struct sdsim_stopwatch_chip *chip, uint64_t from, uint64_t to,
                          double *bytes);

#endif
