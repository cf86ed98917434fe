/*
 * Logs of an hour at 100 kB/s in calls of 4 KiB with a sync each second: how long 1000 of them take
 * on one thread, worked out together, and how long one takes when it is stepped.
 */
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "setup/cohort.h"

enum { RUNS = 3, LOGS = 1000, AT_ONCE = 500 };

struct job {
    const char *card;
    struct sdsim_setup setup;
    struct sdsim_medium *prepared;
    struct sdsim_logger logger;
    struct sdsim_cohort_work work;
};

static void fail(const char *what)
{
    fprintf(stderr, "%s\n", what);
    exit(EXIT_FAILURE);
}

static void prepare(struct job *job, struct sdsim_config *config)
{
    char card[100];
    struct sdsim_diags diags;
    struct sdsim_outcome_report report;
    snprintf(card, sizeof card, "card=%s", job->card);
    const char *const overrides[] = {card, NULL};
    sdsim_diags_init(&diags);
    const struct sdsim_scenario *scenario =
        sdsim_scenario_load(config, "scenarios/log-100kbps.yaml", overrides, &diags);
    if (scenario == NULL || !sdsim_setup_bind(config, &scenario->runs[0], 0, &job->setup, &diags)) {
        sdsim_diags_print(&diags, stderr);
        fail("no set-up: run it in the top folder");
    }
    const struct sdsim_workload_params *params = &job->setup.run.workload;
    const struct sdsim_logger_writer writer = sdsim_workload_writer(params);
    job->prepared = sdsim_prepare_medium(&job->setup, &report);
    if (job->prepared == NULL ||
        !sdsim_logger_init(&job->logger, &params->logger, &writer, &diags)) {
        fail("can't be prepared");
    }
    sdsim_diags_free(&diags);
}

static void together(void *context)
{
    struct job *job = context;
    struct sdsim_outcome_report report;
    struct sdsim_cohort_run *runs = calloc(AT_ONCE, sizeof *runs);
    struct sdsim_cohort_plan plan = {
        .setup = &job->setup,
        .prepared = job->prepared,
        .logger = &job->logger,
        .first = 1,
        .count = AT_ONCE,
    };
    job->work = (struct sdsim_cohort_work){.calls = 0};
    for (uint32_t first = 1; first <= LOGS; first += AT_ONCE) {
        struct sdsim_cohort_work work;
        plan.first = first;
        if (runs == NULL || !sdsim_cohort_simulate(&plan, runs, &work, &report)) {
            fail("the logs failed");
        }
        job->work.calls += work.calls;
        job->work.stepped += work.stepped;
    }
    free(runs);
}

static void alone(void *context)
{
    const struct job *job = context;
    struct sdsim_outcome_report report;
    struct sdsim_medium *medium = sdsim_medium_copy(job->prepared);
    if (medium == NULL) {
        fail("out of memory");
    }
    sdsim_simulate_on(&job->setup, medium, NULL, &report);
    sdsim_medium_destroy(medium);
    if (report.error[0] != '\0') {
        fail(report.error);
    }
}

int main(void)
{
    struct job jobs[] = {{.card = "sdhc16g-c10"}, {.card = "sdhc4g-c4"}, {.card = "sdxc64g-a2"}};
    struct sdsim_config *config = sdsim_config_create(".");
    if (config == NULL) {
        fail("out of memory");
    }
    for (size_t i = 0; i < sizeof jobs / sizeof jobs[0]; i++) {
        prepare(&jobs[i], config);
        const struct sdsim_bench_result one = sdsim_bench_run(alone, &jobs[i], RUNS);
        const struct sdsim_bench_result all = sdsim_bench_run(together, &jobs[i], RUNS);
        (void)fflush(stdout);
        printf("%-14s 1000 hours in %5.2f s (best %.2f), %llu calls, %llu stepped; alone one takes "
               "%.1f ms\n",
               jobs[i].card, all.median, all.min, (unsigned long long)jobs[i].work.calls,
               (unsigned long long)jobs[i].work.stepped, 1e3 * one.median);
        sdsim_medium_destroy(jobs[i].prepared);
        sdsim_logger_free(&jobs[i].logger);
    }
    sdsim_config_destroy(config);
    return 0;
}
