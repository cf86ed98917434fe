/*
 * Times as CSV files of logic analysers write them, exactly, in picoseconds: "0.000000125",
 * "1.25e-07", "-0.001", or ISO 8601, "2024-06-01T12:00:00.123456789Z".
 *
 * An instant is seconds and picoseconds since some epoch, so that differences of ISO times lose
 * nothing. Limits: what is below a picosecond is cut off; 18 digits count.
 */
#ifndef SDSIM_CAPTURE_CSV_TIME_H
#define SDSIM_CAPTURE_CSV_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/time.h"

struct sdsim_csv_instant {
    int64_t seconds;
    int64_t ps; /* 0 .. 10^12 - 1 */
};

/* Reads all `length` characters of `text`. `digits` is the decimal place of the unit: 0 for seconds,
 * 3 for ms, 6 for us, 9 for ns, 12 for ps; it means nothing for ISO times. */
bool sdsim_csv_instant(const char *text, size_t length, unsigned digits,
                       struct sdsim_csv_instant *instant);

/* late - early; false if it is negative, or more than sdsim_ps holds. */
bool sdsim_csv_since(const struct sdsim_csv_instant *late, const struct sdsim_csv_instant *early,
                     sdsim_ps *span);

#endif
