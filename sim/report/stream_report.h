/*
 * What reports say of a stream: how its data arrive and go on, and what became of them.
 *
 * The JSON of a run has under `stream`, null for other workloads: arrived, written, lost (bytes),
 * lost_at (seconds, null without loss), ram (bytes; null: as much as it takes), highest {bytes, at},
 * longest_stall {seconds, at, sync}, syncs, sync_seconds, exposed {bytes, at}. Times count from the
 * start of the stream.
 */
#ifndef SDSIM_REPORT_STREAM_REPORT_H
#define SDSIM_REPORT_STREAM_REPORT_H

#include <stddef.h>
#include <stdio.h>

#include "report/json.h"
#include "report/style.h"
#include "workload/workload.h"

/* "100kB/s", or "2560B every 26.7ms", or "as FILE says". Returns out. */
char *sdsim_arrivals_describe(const struct sdsim_logger_params *logger, char *out, size_t size);

/* The workload in one line. */
void sdsim_stream_report_describe(const struct sdsim_workload_params *workload, const char *api,
                                  char *text, size_t size);

/* What became of the data, a label and a text each; 0 for other workloads. */
struct sdsim_stream_line {
    const char *label; /* "RAM filled" */
    char text[200];
    bool good; /* nothing is lost */
    bool bad;  /* something is */
};
enum { SDSIM_STREAM_LINES = 4 };
size_t sdsim_stream_report_lines(const struct sdsim_workload_params *workload,
                                 const struct sdsim_workload_result *result,
                                 struct sdsim_stream_line lines[SDSIM_STREAM_LINES]);

/* The same as lines of a report. */
void sdsim_stream_report_print(const struct sdsim_workload_params *workload,
                               const struct sdsim_workload_result *result,
                               const struct sdsim_style *style, FILE *out);

/* The key `stream`. */
void sdsim_stream_report_json(const struct sdsim_workload_params *workload,
                              const struct sdsim_workload_result *result, struct sdsim_json *json);

#endif
