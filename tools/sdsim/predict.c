#include "predict.h"

#include <pthread.h>
#include <stdlib.h>

#include "pool.h"

struct batch {
    pthread_mutex_t lock; /* of the config */
    struct sdsim_config *config;
    struct sdsim_job *jobs;
    uint32_t draws;
};

void sdsim_job_init(struct sdsim_job *job, const struct sdsim_scenario *scenario,
                    const struct sdsim_run *run)
{
    *job = (struct sdsim_job){.report = {.scenario = scenario, .run = run}};
    sdsim_diags_init(&job->diags);
}

void sdsim_job_free(struct sdsim_job *job)
{
    sdsim_diags_free(&job->diags);
}

void sdsim_jobs_refuse_idle(struct sdsim_cli_session *session, const struct sdsim_job *jobs,
                            size_t count, const char *const *overrides)
{
    const struct sdsim_run **runs = sdsim_config_alloc(session->config, count + 1, sizeof *runs);
    if (runs == NULL) {
        sdsim_error(&session->diags, NULL, "out of memory");
        return;
    }
    for (size_t i = 0; i < count; i++) {
        runs[i] = jobs[i].report.run;
    }
    (void)sdsim_refuse_idle(runs, count, SDSIM_FOR_PREDICTIONS, overrides, &session->diags);
}

static void report_failure(struct sdsim_job *job)
{
    static const enum sdsim_exit codes[] = {
        [SDSIM_FAILURE_NONE] = SDSIM_EXIT_OK,
        [SDSIM_FAILURE_INPUT] = SDSIM_EXIT_INPUT,
        [SDSIM_FAILURE_RUN] = SDSIM_EXIT_FINDING,
        [SDSIM_FAILURE_MEMORY] = SDSIM_EXIT_FAULT,
    };
    const struct sdsim_run_report *report = &job->report;
    job->code = codes[report->prediction.typical.failure];
    sdsim_error(&job->diags, report->scenario->path, "run %s: %s", sdsim_run_label(report->run),
                report->prediction.typical.error);
}

static void work_on(struct batch *batch, struct sdsim_job *job)
{
    struct sdsim_setup *setups = calloc((size_t)batch->draws + 1, sizeof *setups);
    if (setups == NULL) {
        sdsim_error(&job->diags, NULL, "out of memory");
        job->code = SDSIM_EXIT_FAULT;
        return;
    }
    pthread_mutex_lock(&batch->lock);
    const bool bound =
        sdsim_predict_bind(batch->config, job->report.run, batch->draws, setups, &job->diags);
    pthread_mutex_unlock(&batch->lock);
    if (!bound) {
        job->code = SDSIM_EXIT_INPUT;
    } else {
        job->setup = setups[0];
        job->report.setup = &job->setup;
        sdsim_predict_run(setups, batch->draws, &job->report.prediction);
        if (job->report.prediction.typical.error[0] != '\0') {
            report_failure(job);
        } else {
            sdsim_run_report_complete(&job->report, job->with_exact);
        }
    }
    free(setups);
}

static void work(void *context, size_t index)
{
    struct batch *batch = context;
    work_on(batch, &batch->jobs[index]);
}

enum sdsim_exit sdsim_predict_jobs(struct sdsim_config *config, struct sdsim_job *jobs,
                                   size_t count, uint32_t draws, unsigned threads)
{
    struct batch batch = {.config = config, .jobs = jobs, .draws = draws};
    pthread_mutex_init(&batch.lock, NULL);
    sdsim_pool_run(count, threads, NULL, work, &batch);
    pthread_mutex_destroy(&batch.lock);
    enum sdsim_exit worst = SDSIM_EXIT_OK;
    for (size_t i = 0; i < count; i++) {
        sdsim_diags_print(&jobs[i].diags, stderr);
        worst = jobs[i].code > worst ? jobs[i].code : worst;
    }
    return worst;
}
