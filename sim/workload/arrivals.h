/*
 * When data arrive: a producer that does not wait for anybody, as arithmetic.
 *
 *     constant   `rate` bytes a second: byte n is there n / rate seconds after the start, rounded up
 *                to a picosecond
 *     bursts     `burst` bytes at once every `every`, the first after one `every`
 *     list       as a file says (workload/arrivals_file.h)
 *
 * Times count from the start of the producer, which stops at `end`; what arrives at that instant
 * still counts. Both directions are exact: how many bytes have arrived at a time, and when a byte
 * arrives.
 *
 * Limits: rates up to SDSIM_ARRIVALS_MOST_RATE.
 */
#ifndef SDSIM_WORKLOAD_ARRIVALS_H
#define SDSIM_WORKLOAD_ARRIVALS_H

#include <stddef.h>
#include <stdint.h>

#include "core/time.h"

#define SDSIM_ARRIVALS_MOST_RATE 1000000000u /* bytes per second */

enum sdsim_arrivals_kind {
    SDSIM_ARRIVALS_CONSTANT,
    SDSIM_ARRIVALS_BURSTS,
    SDSIM_ARRIVALS_LIST,
};

/* One row of a list: so many bytes have arrived by then, those of the rows before it included. */
struct sdsim_arrival {
    sdsim_ps at;
    uint64_t bytes;
};

struct sdsim_arrivals {
    enum sdsim_arrivals_kind kind;
    uint64_t rate;                    /* CONSTANT: bytes per second, >= 1 */
    uint64_t burst;                   /* BURSTS: bytes, >= 1 */
    sdsim_ps every;                   /* BURSTS: > 0 */
    const struct sdsim_arrival *list; /* LIST: both members rise from row to row; not owned */
    size_t count;
    sdsim_ps end; /* of the producer */
};

/* How many bytes have arrived up to time t, that instant included. */
uint64_t sdsim_arrived(const struct sdsim_arrivals *arrivals, sdsim_ps t);

/* When byte number n, from 1, arrives; SDSIM_TIME_END if it never does. For n 0 that is 0. */
sdsim_ps sdsim_arrival_of(const struct sdsim_arrivals *arrivals, uint64_t n);

/* All bytes that ever arrive. */
uint64_t sdsim_arrivals_total(const struct sdsim_arrivals *arrivals);

#endif
