/*
 * What a replay predicts, next to what was recorded: for a terminal, as JSON and as CSV.
 */
#ifndef SDSIM_REPORT_REPLAY_REPORT_H
#define SDSIM_REPORT_REPLAY_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "report/json.h"
#include "report/style.h"
#include "setup/replay.h"

/* A time and the 5th and 95th percentile over the draws, widened to hold it. */
struct sdsim_replay_interval {
    sdsim_ps low;
    sdsim_ps high;
};

struct sdsim_replay_report {
    const char *trace; /* as the user named it */
    const char *format;
    const struct sdsim_run *run;
    const struct sdsim_setup *setup;
    bool think;
    bool files;          /* a trace of file operations */
    uint64_t call;       /* calls were cut anew to this size; 0: not */
    const char *created; /* files that were made beforehand; "" if none */
    const struct sdsim_replay_result *result;
    uint32_t draws; /* 0: no intervals */
    struct sdsim_replay_interval in_calls;
    struct sdsim_replay_interval groups[SDSIM_REPLAY_GROUPS];
};

/* The summary in 80 columns. False without memory. */
bool sdsim_replay_report_print(const struct sdsim_replay_report *report,
                               const struct sdsim_style *style, FILE *out);

/* Its members, into the object at hand. */
void sdsim_replay_report_json(const struct sdsim_replay_report *report, struct sdsim_json *json);

/* A line a kind of call, with a head. */
void sdsim_replay_report_csv(const struct sdsim_replay_report *report, FILE *out);

/* Calls one by one: heads, and a line or an item each. */
void sdsim_replay_row_head(FILE *out);
void sdsim_replay_row_print(const struct sdsim_replay_row *row, FILE *out);
void sdsim_replay_row_json(const struct sdsim_replay_row *row, struct sdsim_json *json);
void sdsim_replay_row_csv_head(FILE *out);
void sdsim_replay_row_csv(const struct sdsim_replay_row *row, FILE *out);

#endif
