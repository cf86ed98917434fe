#include "buffer_runs.h"

#include <stdlib.h>
#include <string.h>

#include "pool.h"

enum { LEAST_IN_LOT = 100, MOST_IN_LOT = 500, LOTS = 8 };

bool sdsim_buffer_job_init(struct sdsim_buffer_job *job, struct sdsim_config *config,
                           const struct sdsim_run *run, uint32_t draws, struct sdsim_diags *diags)
{
    struct sdsim_outcome_report report;
    *job = (struct sdsim_buffer_job){.draws = draws};
    job->setups = calloc((size_t)draws + 1, sizeof *job->setups);
    if (job->setups == NULL) {
        sdsim_error(diags, NULL, "out of memory");
        return false;
    }
    if (!sdsim_predict_bind(config, run, draws, job->setups, diags)) {
        return false;
    }
    const struct sdsim_workload_params *params = &job->setups[0].run.workload;
    const struct sdsim_logger_writer writer = sdsim_workload_writer(params);
    if (params->action != SDSIM_DO_STREAM) {
        sdsim_diag_add(diags, SDSIM_ERROR, NULL, NULL, 0,
                       "take a scenario with workload: {do: stream, rate: 100kB/s, ...}, or say "
                       "--rate 100kB/s",
                       "data do not arrive by themselves in this run: nothing to buffer");
        return false;
    }
    if (!sdsim_logger_init(&job->logger, &params->logger, &writer, diags)) {
        return false;
    }
    job->prepared = sdsim_prepare_medium(&job->setups[0], &report);
    if (job->prepared == NULL) {
        sdsim_error(diags, NULL, "%s", report.error);
    }
    return job->prepared != NULL;
}

void sdsim_buffer_job_free(struct sdsim_buffer_job *job)
{
    sdsim_medium_destroy(job->prepared);
    sdsim_logger_free(&job->logger);
    free(job->setups);
}

uint64_t sdsim_buffer_rate(const struct sdsim_buffer_job *job)
{
    const struct sdsim_arrivals *arrivals = &job->logger.arrivals;
    if (arrivals->kind == SDSIM_ARRIVALS_CONSTANT) {
        return arrivals->rate;
    }
    const double seconds = (double)arrivals->end / (double)SDSIM_S;
    return (uint64_t)((double)sdsim_arrivals_total(arrivals) / seconds + 0.5);
}

bool sdsim_buffer_rate_varies(const struct sdsim_buffer_job *job)
{
    return job->logger.arrivals.kind != SDSIM_ARRIVALS_LIST;
}

/* ---- lots ---- */

struct lot {
    uint32_t setup;
    size_t first; /* of the runs with this setup: i, i + step, ... */
    size_t count;
    char error[600];
};

struct work {
    const struct sdsim_buffer_job *job;
    const struct sdsim_buffer_try *what;
    const struct sdsim_logger *logger;
    struct sdsim_setup *setups;
    struct lot *lots;
    size_t lot_count;
    size_t step; /* between runs of one setup */
    struct sdsim_cohort_run *runs;
};

static void fail_lot(struct lot *lot, const char *error)
{
    snprintf(lot->error, sizeof lot->error, "%s", error);
}

static void work_out(void *context, size_t index)
{
    struct work *work = context;
    struct lot *lot = &work->lots[index];
    uint32_t *draws = calloc(lot->count, sizeof *draws);
    struct sdsim_cohort_run *runs = calloc(lot->count, sizeof *runs);
    struct sdsim_outcome_report report;
    if (draws == NULL || runs == NULL) {
        fail_lot(lot, "out of memory");
    } else {
        for (size_t i = 0; i < lot->count; i++) {
            draws[i] = (uint32_t)(lot->first + i * work->step) + 1;
        }
        const struct sdsim_cohort_plan plan = {
            .setup = &work->setups[lot->setup],
            .prepared = work->job->prepared,
            .logger = work->logger,
            .draws = draws,
            .count = lot->count,
            .stop_at_loss = work->what->stop_at_loss,
        };
        if (!sdsim_cohort_simulate(&plan, runs, NULL, &report)) {
            fail_lot(lot, report.error[0] != '\0' ? report.error : "out of memory");
        }
        for (size_t i = 0; i < lot->count; i++) {
            work->runs[lot->first + i * work->step] = runs[i];
        }
    }
    free(runs);
    free(draws);
}

/* Cuts the runs of each setup into lots. */
static bool make_lots(struct work *work, size_t count)
{
    const size_t setups = work->job->draws > 0 ? work->job->draws : 1;
    size_t size = count / LOTS + 1;
    size = size < LEAST_IN_LOT ? LEAST_IN_LOT : size > MOST_IN_LOT ? MOST_IN_LOT : size;
    work->step = setups;
    work->lots = calloc(setups + count / size + 1, sizeof *work->lots);
    if (work->lots == NULL) {
        return false;
    }
    for (size_t s = 0; s < setups && s < count; s++) {
        const size_t of_setup = (count - s + setups - 1) / setups;
        for (size_t done = 0; done < of_setup; done += size) {
            work->lots[work->lot_count++] = (struct lot){
                .setup = (uint32_t)(work->job->draws > 0 ? s + 1 : 0),
                .first = s + done * setups,
                .count = of_setup - done < size ? of_setup - done : size,
            };
        }
    }
    return true;
}

/* ---- what is tried ---- */

/* The logger with another RAM or rate; keeps the list of the job's. */
static void change_logger(const struct sdsim_buffer_job *job, const struct sdsim_buffer_try *what,
                          struct sdsim_logger *logger)
{
    *logger = job->logger;
    logger->shape.arrivals = &logger->arrivals;
    logger->shape.capacity = what->ram;
    if (logger->shape.kind == SDSIM_QUEUE_PING_PONG && what->ram != SDSIM_QUEUE_UNLIMITED) {
        logger->calls = what->ram / 2 / logger->call;
        logger->shape.unit = logger->calls * logger->call;
        logger->shape.capacity = 2 * logger->shape.unit;
    }
    struct sdsim_arrivals *arrivals = &logger->arrivals;
    if (what->rate > 0 && arrivals->kind == SDSIM_ARRIVALS_CONSTANT) {
        arrivals->rate = what->rate;
    } else if (what->rate > 0 && arrivals->kind == SDSIM_ARRIVALS_BURSTS) {
        /* the same bursts, nearer to each other */
        arrivals->every =
            (sdsim_ps)((double)arrivals->burst * (double)SDSIM_S / (double)what->rate);
        arrivals->every = arrivals->every > 0 ? arrivals->every : 1;
    }
    const struct sdsim_workload_params *params = &job->setups[0].run.workload;
    if (what->rate > 0 && params->logger.duration == 0) { /* as many bytes, not as long */
        arrivals->end = SDSIM_TIME_END;
        arrivals->end = sdsim_arrival_of(arrivals, params->total);
    }
}

bool sdsim_buffer_job_work(struct sdsim_buffer_job *job, const struct sdsim_buffer_try *what,
                           size_t count, struct sdsim_cohort_run *runs)
{
    struct sdsim_logger logger;
    struct work work = {.job = job, .what = what, .logger = &logger, .runs = runs};
    change_logger(job, what, &logger);
    job->error[0] = '\0';
    work.setups = calloc((size_t)job->draws + 1, sizeof *work.setups);
    if (work.setups == NULL || !make_lots(&work, count)) {
        free(work.setups);
        snprintf(job->error, sizeof job->error, "out of memory");
        return false;
    }
    for (uint32_t k = 0; k <= job->draws; k++) {
        work.setups[k] = job->setups[k];
        if (what->rate > 0) { /* what is preallocated */
            work.setups[k].run.workload.total = sdsim_arrivals_total(&logger.arrivals);
        }
    }
    sdsim_pool_run(work.lot_count, job->threads, job->what, work_out, &work);
    for (size_t i = 0; i < work.lot_count && job->error[0] == '\0'; i++) {
        snprintf(job->error, sizeof job->error, "%s", work.lots[i].error);
    }
    free(work.lots);
    free(work.setups);
    return job->error[0] == '\0';
}
