/*
 * A small timer for benchmarks.
 *
 * A benchmark runs a function N times and reports the median, the minimum and the median absolute
 * deviation (MAD) of one run, in processor time of the whole process: what other programs take on a
 * busy machine is not in it, what they do to the caches is. The median and the MAD aren't moved by
 * the few runs in which that was much; the minimum is what the code can do. One run before the
 * first warms up caches and is not counted.
 *
 * Limits: at most SDSIM_BENCH_MOST runs. Something that takes less than some microseconds should be
 * repeated inside the function, because a look at the clock takes tens of nanoseconds.
 */
#ifndef SDSIM_BENCH_H
#define SDSIM_BENCH_H

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SDSIM_BENCH_MOST = 1000 };

/* In seconds for one run. */
struct sdsim_bench_result {
    double median;
    double min;
    double mad;
};

static inline double sdsim_bench_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline int sdsim_bench_order(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts the values; the middle one, or the mean of the two middle ones. count > 0. */
static inline double sdsim_bench_median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, sdsim_bench_order);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

/* Runs `work(context)` `count` times, 1 to SDSIM_BENCH_MOST, and once before. */
static inline struct sdsim_bench_result sdsim_bench_run(void (*work)(void *context), void *context,
                                                        size_t count)
{
    double seconds[SDSIM_BENCH_MOST];
    struct sdsim_bench_result result;
    if (count > SDSIM_BENCH_MOST) {
        count = SDSIM_BENCH_MOST;
    }
    work(context);
    for (size_t i = 0; i < count; i++) {
        const double start = sdsim_bench_now();
        work(context);
        seconds[i] = sdsim_bench_now() - start;
    }
    result.median = sdsim_bench_median(seconds, count);
    result.min = seconds[0];
    for (size_t i = 0; i < count; i++) {
        seconds[i] = fabs(seconds[i] - result.median);
    }
    result.mad = sdsim_bench_median(seconds, count);
    return result;
}

/* Prints one line. `things` is what one run handles, for the rate, in `unit` ("blocks"). */
static inline void sdsim_bench_print(const char *name, const struct sdsim_bench_result *result,
                                     double things, const char *unit)
{
    printf("%-32s median %10.3f us  min %10.3f us  MAD %8.3f us  %12.0f %s/s\n", name,
           1e6 * result->median, 1e6 * result->min, 1e6 * result->mad, things / result->median,
           unit);
}

#endif
