/*
 * What runs tell of deadlines, of other devices on the bus, and of reads and writes that mix.
 *
 *     playback      {chunks, underruns, first_underrun, worst, silent, least_slack, filled seconds,
 *                   buffers, enough, enough_bytes}; first_underrun, least_slack and enough may be
 *                   null
 *     other_device  {turns, hold, card_waits, card_waited, card_longest, device_waits,
 *                   device_waited, device_longest, missed, alone: predicted without it or null}
 *     mixed         {reads, writes, in_reads, in_writes, longest_read, longest_write}
 */
#ifndef SDSIM_REPORT_TASKS_REPORT_H
#define SDSIM_REPORT_TASKS_REPORT_H

#include "report/readings.h"

/* "play 1MiB at 176.4kB/s from 2 buffers of 4KiB, file API posix". */
void sdsim_tasks_describe(const struct sdsim_workload_params *workload, const char *api, char *text,
                          size_t size);

/* Simulates once more without the other device, if there is one. */
void sdsim_tasks_complete(struct sdsim_run_report *report);

/* The lines behind the prediction. */
void sdsim_tasks_print(const struct sdsim_run_report *report, FILE *out);

/* The members above, each if it applies. */
void sdsim_tasks_json(const struct sdsim_run_report *report, struct sdsim_json *json);

/* Sentences behind those that are there. */
void sdsim_tasks_readings(const struct sdsim_run_report *report, struct sdsim_readings *readings);

#endif
