/*
 * What one call costs besides its sectors: the part that is the same whatever the size, and the
 * size from which it no longer counts.
 *
 * Sixty-four calls of one size and sixty-four of twice the size are simulated on fresh cards. What
 * the first take twice and the second once is the fixed part: calls, commands, access or program
 * time, waking up. Buffers, clusters and streams that stay open are in it as they are: where larger
 * calls bring nothing it is zero. The size is doubled until the calls are not small any more.
 *
 * Limits: sequential reads and writes, calls up to 256 KiB; the card's pauses are left out.
 */
#ifndef SDSIM_SETUP_CALL_COST_H
#define SDSIM_SETUP_CALL_COST_H

#include "setup/simulate.h"

/* A call is small if its fixed part takes more than a third of its bytes' time on the wire. */
#define SDSIM_SMALL_CALL 3

struct sdsim_call_cost {
    bool small;
    sdsim_ps fixed;       /* of one call; 0 if there is no such part */
    sdsim_ps payload;     /* its bytes on the wire, without anything around them */
    enum sdsim_kind most; /* what most of the fixed part is */
    uint64_t enough;      /* bytes: calls that are not small; 0 if none was found */
};

/* Measures it for a setup of draw 0. False if it can't be: another workload, larger calls, or a run
 * that fails. */
bool sdsim_call_cost(const struct sdsim_setup *setup, struct sdsim_call_cost *cost);

#endif
