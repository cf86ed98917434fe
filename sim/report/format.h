/*
 * Numbers as reports print them: values of a metric with their unit, intervals, percentages, and
 * parts of a whole whose printed figures add up to the printed whole.
 */
#ifndef SDSIM_REPORT_FORMAT_H
#define SDSIM_REPORT_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#include "core/time.h"
#include "setup/simulate.h"

/* "1.371MB/s", "2581 lines/s" or "12.5ms". All functions return `out`. */
char *sdsim_print_value(enum sdsim_metric metric, double value, char *out, size_t size);

/* What to say before the value of a time: "mean ", "shortest ", "longest ", or "". */
const char *sdsim_metric_prefix(enum sdsim_metric metric);

/* "1.318..1.442MB/s"; a single value if both ends print the same. */
char *sdsim_print_interval(enum sdsim_metric metric, double low, double high, char *out,
                           size_t size);

/* The ends of an interval for a column beside that of `value`: in the unit in which sdsim_print_value()
 * prints it, without that unit: "0.867..1.536" beside "1.404MB/s"; one number if both ends print the
 * same. */
char *sdsim_print_ends(enum sdsim_metric metric, double low, double high, double value, char *out,
                       size_t size);

/* A fraction with one decimal: "12.5%". */
char *sdsim_print_share(double fraction, char *out, size_t size);
/* The same with its sign: "+0.1%", "-12.3%", "0.0%". */
char *sdsim_print_error(double fraction, char *out, size_t size);

/* What a change brings: as sdsim_print_error, from ten times as fast on "x12.5". */
char *sdsim_print_gain(double gain, char *out, size_t size);

/* A time the short way: "1.25ms". */
char *sdsim_print_time(sdsim_ps time, char *out, size_t size);

/* How many of something there are for each of something else, three digits: "8", "0.125", "1240".
 */
char *sdsim_print_ratio(uint64_t count, uint64_t per, char *out, size_t size);

/*
 * Divides `units` among `count` (at most 64) parts so that each gets its share to less than one
 * unit, and the sum is exactly `units` (largest remainders; equal ones from the first on). All
 * parts 0: all 0.
 */
void sdsim_apportion(const uint64_t *parts, size_t count, uint64_t units, uint64_t *shares);

/*
 * The unit in which all times of a table are printed, with three decimals, so that they add up: the
 * largest of which the total has at least ten.
 */
struct sdsim_time_scale {
    const char *unit;
    sdsim_ps quantum; /* what the last decimal stands for */
};
struct sdsim_time_scale sdsim_time_scale(sdsim_ps total);

/* `quanta` of the scale: "12.345ms". */
char *sdsim_print_quanta(const struct sdsim_time_scale *scale, uint64_t quanta, char *out,
                         size_t size);

#endif
