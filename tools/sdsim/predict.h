/*
 * Predicting many runs on several threads.
 *
 * Runs are independent, and what is simulated is pure; only binding uses the shared configuration,
 * under a lock. Each job keeps its own messages, so what is printed, and in which order, does not
 * depend on the threads.
 */
#ifndef SDSIM_TOOLS_PREDICT_H
#define SDSIM_TOOLS_PREDICT_H

#include "report/run_report.h"
#include "session.h"
#include "setup/idle.h"

struct sdsim_job {
    bool with_exact;          /* simulate a clock that is slower than asked for as asked, too */
    struct sdsim_setup setup; /* of draw 0 */
    struct sdsim_run_report report; /* scenario and run are the caller's; the rest is filled in */
    struct sdsim_diags diags;
    enum sdsim_exit code;
};

/* Sets up a job for a run; `with_exact` is the caller's to set. sdsim_job_free frees its messages.
 */
void sdsim_job_init(struct sdsim_job *job, const struct sdsim_scenario *scenario,
                    const struct sdsim_run *run);
void sdsim_job_free(struct sdsim_job *job);

/* Refuses, in the session's messages, overrides that none of the runs takes notice of. */
void sdsim_jobs_refuse_idle(struct sdsim_cli_session *session, const struct sdsim_job *jobs,
                            size_t count, const char *const *overrides);

/*
 * Predicts all runs with `draws` draws each. `threads` 0: one a processor, at most 8. The exit code
 * of the worst: SDSIM_EXIT_FINDING if a run ended before its time (a limit of the driver, a full
 * volume), SDSIM_EXIT_INPUT if one can't be made, SDSIM_EXIT_FAULT without memory; all messages
 * have then been printed on stderr.
 */
enum sdsim_exit sdsim_predict_jobs(struct sdsim_config *config, struct sdsim_job *jobs,
                                   size_t count, uint32_t draws, unsigned threads);

#endif
