/*
 * Readings: sentences that say what the numbers of a run mean, such as
 *
 *     each read of 32KiB became 8 commands of 8 sectors: the 4KiB buffer of the file API arduino is
 *     refilled piece by piece
 *
 * Each comes from one rule, which looks at counters, account and parameters and keeps silent if it
 * has nothing to say. Limits: a rule says what it can prove from those; that a change would help is
 * said only where the run was simulated with the change.
 */
#ifndef SDSIM_REPORT_READINGS_H
#define SDSIM_REPORT_READINGS_H

#include <stddef.h>

#include "report/run_report.h"

#define SDSIM_READINGS     24
#define SDSIM_READING_SIZE 400

struct sdsim_readings {
    char text[SDSIM_READINGS][SDSIM_READING_SIZE];
    size_t count;
};

/* Adds a sentence, cut to SDSIM_READING_SIZE - 1 bytes; nothing happens if there are SDSIM_READINGS. */
void sdsim_reading_add(struct sdsim_readings *readings, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

void sdsim_readings(const struct sdsim_run_report *report, struct sdsim_readings *readings);

#endif
