/*
 * What `sdsim buffer` finds out about one run of a scenario: the RAM that its runs need, what is lost with
 * less, what a change brings; or the highest safe rates.
 */
#ifndef SDSIM_TOOLS_BUFFER_FIND_H
#define SDSIM_TOOLS_BUFFER_FIND_H

#include "buffer_runs.h"
#include "report/buffer.h"

enum { SDSIM_BUFFER_ROWS = 32 };

/* All of one run of the scenario. */
struct sdsim_buffer_task {
    const struct sdsim_arguments *arguments;
    struct sdsim_cli_session *session;
    const char *path;
    const struct sdsim_run *run;
    struct sdsim_buffer_job job;
    struct sdsim_buffer_report report;
    struct sdsim_cohort_run *runs;
    uint64_t *needs;
    struct sdsim_buffer_row rows[SDSIM_BUFFER_ROWS];
    size_t looked_at; /* runs, for what is lost and what changes bring */
};

/* Fills in the report of a task whose job, runs and needs are set up, but for what is asked for.
 * `overrides` are those the run was loaded with. False with messages in the session. */
bool sdsim_buffer_find(struct sdsim_buffer_task *task, const char *const *overrides);

/* An error in the session's messages; returns false. */
bool sdsim_buffer_complain(struct sdsim_buffer_task *task, const char *help, const char *text);

#endif
