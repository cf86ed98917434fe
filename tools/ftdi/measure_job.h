/*
 * Shared by the parts of measuring writes: one write, and what it cost. How the places are chosen is said
 * in measure_write.c.
 */
#ifndef SDSIM_FTDI_MEASURE_JOB_H
#define SDSIM_FTDI_MEASURE_JOB_H

#include "measures.h"

struct sdsim_measure_job {
    struct sdsim_card_io *io;
    struct sdsim_card_writer *writer;
    const struct sdsim_measure_plan *plan;
    struct sdsim_write_measures *measures;
    uint32_t next;    /* of the ascending run */
    uint64_t written; /* blocks */
    uint64_t seed;    /* of what is written */
};

/* What a write was busy for, in bytes. A `most` is the upper bound; 0: none. */
struct sdsim_write_cost {
    bool complete;
    double blocks; /* sum of all blocks' busies */
    double blocks_most;
    double end; /* busy of the stop token; of a lone block, its own */
    double end_most;
    sdsim_ps host; /* of the call */
};

/* `count` sectors from `lba`; what each was busy for goes to `blocks`, or nowhere. False: io->error. */
bool sdsim_measure_write_at(struct sdsim_measure_job *job, uint32_t lba, uint32_t count,
                            struct sdsim_write_cost *cost, struct sdsim_samples *blocks);

/* The busy at the end of a write, and the call, as a sample. */
void sdsim_measure_take_end(struct sdsim_samples *samples, const struct sdsim_write_cost *cost);

/* An AU is opened in its last quarter, and written backwards from there. */
bool sdsim_measure_order(struct sdsim_measure_job *job, uint32_t au);

/* How many of up to `room` AUs from `first` on can be written in turn. */
bool sdsim_measure_open_aus(struct sdsim_measure_job *job, uint32_t first, uint32_t room);

/* Writes sectors first..end - 1 in order, as many as the plan wants, and looks for long busies. */
bool sdsim_measure_pauses(struct sdsim_measure_job *job, uint32_t first, uint32_t end);

/* Erases around the border behind an AU. */
bool sdsim_measure_erase(struct sdsim_measure_job *job, uint32_t au);

#endif
