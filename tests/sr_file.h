/*
 * Writes sigrok sessions: a sink of waves that turns levels into samples.
 */
#ifndef SDSIM_TEST_SR_FILE_H
#define SDSIM_TEST_SR_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/wave.h"

struct sdsim_test_sr {
    struct sdsim_wave_sink sink; /* first */
    const char *path;
    const char *metadata; /* the whole text */
    unsigned version;     /* 1: one member `logic-1`; 2: logic-1-1, -2, ... */
    unsigned unit;        /* bytes a sample */
    unsigned shift;       /* where bit 0 of the levels goes */
    sdsim_ps period;      /* of a sample */
    size_t member;        /* bytes of a member */
    bool stored;          /* not deflated */
    bool backwards;       /* members in reverse order, metadata last */
    uint8_t *samples;
    size_t size;
    size_t capacity;
    uint64_t count; /* samples */
    unsigned levels;
};

/* Takes levels until sdsim_test_sr_write. */
void sdsim_test_sr_begin(struct sdsim_test_sr *sr);

/* Samples up to `end`, and writes the file. False if that fails. */
bool sdsim_test_sr_write(struct sdsim_test_sr *sr, sdsim_ps end);

#endif
