/*
 * The runs behind `sdsim buffer`: a logger many times, with the luck of draws 1, 2, ..., on several
 * threads.
 *
 * Runs are worked out in lots of some hundred (setup/cohort.h). Which run is in which lot changes
 * nothing, so the results do not depend on the number of threads.
 */
#ifndef SDSIM_TOOLS_BUFFER_RUNS_H
#define SDSIM_TOOLS_BUFFER_RUNS_H

#include "session.h"
#include "setup/cohort.h"

struct sdsim_buffer_job {
    struct sdsim_setup *setups; /* of draw 0, and of draws 1.. if values are drawn, too */
    uint32_t draws;             /* of the values; 0: typical ones. Run i has those of draw
                                       1 + i % draws */
    struct sdsim_medium *prepared;
    struct sdsim_logger logger;
    unsigned threads; /* 0: one a processor */
    const char *what; /* in the progress line, or NULL */
    char error[700];  /* why sdsim_buffer_try() failed */
};

/* Binds a run of a scenario, which must be a stream, and prepares its card. False with messages.
 * sdsim_buffer_job_free takes one that failed, too. */
bool sdsim_buffer_job_init(struct sdsim_buffer_job *job, struct sdsim_config *config,
                           const struct sdsim_run *run, uint32_t draws, struct sdsim_diags *diags);
void sdsim_buffer_job_free(struct sdsim_buffer_job *job);

/* What is different from the scenario. */
struct sdsim_buffer_try {
    uint64_t ram;      /* bytes; SDSIM_QUEUE_UNLIMITED */
    uint64_t rate;     /* bytes per second in the mean; 0: the scenario's */
    bool stop_at_loss; /* runs end with the first loss */
};

/* The mean rate of the job's data in bytes per second, rounded to the nearest. */
uint64_t sdsim_buffer_rate(const struct sdsim_buffer_job *job);

/* Whether the rate can be another one. */
bool sdsim_buffer_rate_varies(const struct sdsim_buffer_job *job);

/* Works out runs 0..count-1. False if that can't be, see job->error. */
bool sdsim_buffer_job_work(struct sdsim_buffer_job *job, const struct sdsim_buffer_try *what,
                           size_t count, struct sdsim_cohort_run *runs);

#endif
