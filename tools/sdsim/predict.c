#include "predict.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#define MOST_THREADS 64
#define USUAL_MOST   8

struct pool {
    pthread_mutex_t lock; /* of `next` and of the config */
    struct sdsim_config *config;
    struct sdsim_job *jobs;
    size_t count;
    size_t next;
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

static void work_on(struct pool *pool, struct sdsim_job *job)
{
    struct sdsim_setup *setups = calloc((size_t)pool->draws + 1, sizeof *setups);
    if (setups == NULL) {
        sdsim_error(&job->diags, NULL, "out of memory");
        job->code = SDSIM_EXIT_FAULT;
        return;
    }
    pthread_mutex_lock(&pool->lock);
    const bool bound =
        sdsim_predict_bind(pool->config, job->report.run, pool->draws, setups, &job->diags);
    pthread_mutex_unlock(&pool->lock);
    if (!bound) {
        job->code = SDSIM_EXIT_INPUT;
    } else {
        job->setup = setups[0];
        job->report.setup = &job->setup;
        sdsim_predict_run(setups, pool->draws, &job->report.prediction);
        if (job->report.prediction.typical.error[0] != '\0') {
            report_failure(job);
        } else {
            sdsim_run_report_complete(&job->report, job->with_exact);
        }
    }
    free(setups);
}

static void *work(void *context)
{
    struct pool *pool = context;
    for (;;) {
        pthread_mutex_lock(&pool->lock);
        const size_t index = pool->next < pool->count ? pool->next++ : SIZE_MAX;
        pthread_mutex_unlock(&pool->lock);
        if (index == SIZE_MAX) {
            return NULL;
        }
        work_on(pool, &pool->jobs[index]);
    }
}

static unsigned thread_count(unsigned wish, size_t jobs)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned threads = wish;
    if (threads == 0) {
        threads = processors < 1 ? 1 : processors > USUAL_MOST ? USUAL_MOST : (unsigned)processors;
    }
    threads = threads > MOST_THREADS ? MOST_THREADS : threads;
    return threads > jobs ? (unsigned)jobs : threads;
}

enum sdsim_exit sdsim_predict_jobs(struct sdsim_config *config, struct sdsim_job *jobs,
                                   size_t count, uint32_t draws, unsigned threads)
{
    struct pool pool = {.config = config, .jobs = jobs, .count = count, .draws = draws};
    pthread_t others[MOST_THREADS];
    unsigned started = 0;
    pthread_mutex_init(&pool.lock, NULL);
    /* This thread works too; one that can't be started is no loss but time. */
    for (unsigned wanted = thread_count(threads, count); started + 1 < wanted; started++) {
        if (pthread_create(&others[started], NULL, work, &pool) != 0) {
            break;
        }
    }
    work(&pool);
    while (started > 0) {
        pthread_join(others[--started], NULL);
    }
    pthread_mutex_destroy(&pool.lock);
    enum sdsim_exit worst = SDSIM_EXIT_OK;
    for (size_t i = 0; i < count; i++) {
        sdsim_diags_print(&jobs[i].diags, stderr);
        worst = jobs[i].code > worst ? jobs[i].code : worst;
    }
    return worst;
}
