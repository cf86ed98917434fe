#include "buffer_find.h"

#include <stdlib.h>
#include <string.h>

bool sdsim_buffer_complain(struct sdsim_buffer_task *task, const char *help, const char *text)
{
    sdsim_diag_add(&task->session->diags, SDSIM_ERROR, NULL, NULL, 0, help, "%s", text);
    return false;
}

/* What the card or memory has against it. */
static bool job_failed(struct sdsim_buffer_task *task)
{
    return sdsim_buffer_complain(task, NULL, task->job.error);
}

/* ---- what runs need ---- */

static int by_size(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static size_t survivors(const struct sdsim_cohort_run *runs, size_t count)
{
    size_t alive = 0;
    for (size_t i = 0; i < count; i++) {
        alive += runs[i].error == NULL && runs[i].lost == 0;
    }
    return alive;
}

/* Two buffers are another thing in another size, so what they need has to be tried: for each number
 * of surviving runs, the least size in whole calls, if more is never worse. */
static bool need_of_ping_pong(struct sdsim_buffer_task *task)
{
    const size_t count = task->report.count;
    const uint64_t pair = 2 * task->job.logger.call;
    struct sdsim_cohort_run *runs = calloc(count, sizeof *runs);
    bool fine = runs != NULL || sdsim_buffer_complain(task, NULL, "out of memory");
    for (size_t i = 0; i < count; i++) {
        task->needs[i] = UINT64_MAX;
    }
    size_t alive = 0;
    uint64_t below = 0; /* too small for all that are not alive */
    for (uint64_t pairs = 1; fine && alive < count && pairs * pair <= 1u << 30; pairs *= 2) {
        const struct sdsim_buffer_try what = {.ram = pairs * pair, .stop_at_loss = true};
        fine = sdsim_buffer_job_work(&task->job, &what, count, runs) || job_failed(task);
        const size_t now = fine ? survivors(runs, count) : 0;
        /* For each level that was passed, look between this size and the last one. */
        for (size_t level = 0; fine && level <= SDSIM_BUFFER_LEVELS; level++) {
            const size_t wanted = level < SDSIM_BUFFER_LEVELS
                                      ? sdsim_buffer_level_runs(level, count)
                                      : count - task->report.failed;
            uint64_t low = below;
            uint64_t high = pairs;
            while (fine && now >= wanted && alive < wanted && high - low > 1) {
                const uint64_t middle = low + (high - low) / 2;
                const struct sdsim_buffer_try half = {.ram = middle * pair, .stop_at_loss = true};
                fine = sdsim_buffer_job_work(&task->job, &half, count, runs) || job_failed(task);
                if (survivors(runs, count) >= wanted) {
                    high = middle;
                } else {
                    low = middle;
                }
            }
            for (size_t i = 0; now >= wanted && i < wanted; i++) {
                task->needs[i] = task->needs[i] == UINT64_MAX ? high * pair : task->needs[i];
            }
        }
        alive = now;
        below = pairs;
    }
    free(runs);
    return fine;
}

static bool find_needs(struct sdsim_buffer_task *task)
{
    struct sdsim_buffer_report *report = &task->report;
    if (task->job.logger.shape.kind == SDSIM_QUEUE_PING_PONG) {
        return need_of_ping_pong(task);
    }
    for (size_t i = 0; i < report->count; i++) {
        const struct sdsim_cohort_run *run = &task->runs[i];
        task->needs[i] = run->error != NULL ? UINT64_MAX : run->highest;
    }
    qsort(task->needs, report->count, sizeof *task->needs, by_size);
    return true;
}

/* More than what its longest stall explains is left over from many. */
static bool falls_behind(const struct sdsim_buffer_task *task)
{
    const struct sdsim_buffer_report *report = &task->report;
    size_t behind = 0;
    for (size_t i = 0; i < report->count; i++) {
        const struct sdsim_cohort_run *run = &report->runs[i];
        const sdsim_ps stall = run->stalls[sdsim_longest_stall(run)].length;
        const double explained = 4 * (double)report->rate * ((double)stall / (double)SDSIM_S);
        behind += (double)run->highest > explained + 8.0 * (double)task->job.logger.shape.unit &&
                  run->ended > task->job.logger.arrivals.end + stall;
    }
    return 2 * behind > report->count;
}

/* ---- what is lost with less ---- */

static bool add_row(struct sdsim_buffer_task *task, uint64_t ram, struct sdsim_cohort_run *runs)
{
    struct sdsim_buffer_report *report = &task->report;
    const struct sdsim_buffer_try what = {.ram = ram};
    struct sdsim_buffer_row *row = &task->rows[report->row_count];
    if (!sdsim_buffer_job_work(&task->job, &what, task->looked_at, runs)) {
        return job_failed(task);
    }
    double lost = 0;
    *row = (struct sdsim_buffer_row){.ram = ram};
    for (size_t i = 0; i < task->looked_at; i++) {
        lost += (double)runs[i].lost;
        row->most_lost = runs[i].lost > row->most_lost ? runs[i].lost : row->most_lost;
    }
    row->mean_lost = lost / (double)task->looked_at;
    for (size_t i = 0; i < report->count; i++) {
        row->losing += task->needs[i] > ram;
    }
    report->row_count++;
    return true;
}

/* Sizes that double, from the smallest that works at all to one in which nothing is lost. */
static bool find_losses(struct sdsim_buffer_task *task)
{
    const struct sdsim_buffer_report *report = &task->report;
    const struct sdsim_logger *logger = &task->job.logger;
    const uint64_t least = logger->shape.kind == SDSIM_QUEUE_ITEMS       ? logger->shape.item
                           : logger->shape.kind == SDSIM_QUEUE_PING_PONG ? 2 * logger->call
                                                                         : logger->call;
    uint64_t most = 0;
    for (size_t i = 0; i < report->count; i++) {
        most = task->needs[i] != UINT64_MAX && task->needs[i] > most ? task->needs[i] : most;
    }
    struct sdsim_cohort_run *runs = calloc(task->looked_at, sizeof *runs);
    bool fine = runs != NULL || sdsim_buffer_complain(task, NULL, "out of memory");
    uint64_t ram = least;
    for (bool more = !report->behind; fine && more && report->row_count < SDSIM_BUFFER_ROWS;
         ram *= 2) {
        fine = add_row(task, ram, runs);
        more = ram < most;
    }
    free(runs);
    return fine;
}

/* ---- what a change brings ---- */

/* Runs it with one more override; a change that can't be is none. */
static bool try_change(struct sdsim_buffer_task *task, const char *const *overrides,
                       const char *change, const char *also, const char *what, const char *costs)
{
    const char *list[256] = {NULL};
    size_t count = 0;
    struct sdsim_diags diags;
    struct sdsim_buffer_job job = {.setups = NULL};
    struct sdsim_buffer_report *report = &task->report;
    for (; overrides[count] != NULL && count < 250; count++) {
        list[count] = overrides[count];
    }
    list[count++] = change;
    list[count] = also;
    sdsim_diags_init(&diags);
    const struct sdsim_scenario *scenario = sdsim_scenario_load_runs(
        task->session->config, task->path, &task->run->id, 1, list, &diags);
    const struct sdsim_run *run = NULL;
    for (size_t i = 0; scenario != NULL && i < scenario->count; i++) {
        run = strcmp(scenario->runs[i].id, task->run->id) == 0 ? &scenario->runs[i] : run;
    }
    struct sdsim_cohort_run *runs = calloc(task->looked_at, sizeof *runs);
    uint64_t *needs = calloc(task->looked_at, sizeof *needs);
    bool done = run != NULL && runs != NULL && needs != NULL &&
                sdsim_buffer_job_init(&job, task->session->config, run, task->job.draws, &diags);
    job.threads = task->job.threads;
    const struct sdsim_buffer_try unlimited = {.ram = SDSIM_QUEUE_UNLIMITED};
    done = done && sdsim_buffer_job_work(&job, &unlimited, task->looked_at, runs);
    if (done) {
        struct sdsim_buffer_change *row = &report->changes[report->change_count++];
        *row = (struct sdsim_buffer_change){.what = what, .costs = costs};
        for (size_t i = 0; i < task->looked_at; i++) {
            const sdsim_ps longest = runs[i].stalls[sdsim_longest_stall(&runs[i])].length;
            row->longest = longest > row->longest ? longest : row->longest;
            needs[i] = runs[i].error != NULL ? UINT64_MAX : runs[i].highest;
        }
        qsort(needs, task->looked_at, sizeof *needs, by_size);
        row->ram = needs[sdsim_buffer_level_runs(1, task->looked_at) - 1];
        row->failed = row->ram == UINT64_MAX;
    }
    sdsim_buffer_job_free(&job);
    sdsim_diags_free(&diags);
    free(runs);
    free(needs);
    return done;
}

static void find_changes(struct sdsim_buffer_task *task, const char *const *overrides)
{
    const struct sdsim_workload_params *params = &task->report.setup->run.workload;
    const bool file = params->target == SDSIM_ON_FILE;
    char larger[64];
    if (task->report.behind || params->logger.queue == SDSIM_QUEUE_PING_PONG) {
        return;
    }
    if (file && !params->preallocate) {
        (void)try_change(task, overrides, "workload.preallocate=yes", NULL, "preallocate: yes",
                         "the file is as large as it may get until it is cut");
    }
    if (params->sync_every > 0 || params->logger.sync_interval > 0) {
        (void)try_change(task, overrides, "workload.sync_every=0", "workload.sync_interval=0s",
                         "no syncs",
                         !file                      ? "nothing: what is written is on the card"
                         : params->rotate_every > 0 ? "a loss of power takes the file at work"
                                                    : "a loss of power takes the whole file");
    }
    if (params->call <= 65536) {
        snprintf(larger, sizeof larger, "workload.call=%lluB",
                 (unsigned long long)(4 * params->call));
        (void)try_change(task, overrides, larger, NULL, "calls of four times the size",
                         "more waits for a call");
    }
}

/* ---- the other way round ---- */

/* How many runs survive at a rate in the RAM. */
static bool alive_at(struct sdsim_buffer_task *task, uint64_t rate, struct sdsim_cohort_run *runs,
                     size_t *alive)
{
    const struct sdsim_buffer_try what = {
        .ram = task->report.ram, .rate = rate, .stop_at_loss = true};
    if (!sdsim_buffer_job_work(&task->job, &what, task->report.count, runs)) {
        return job_failed(task);
    }
    *alive = survivors(runs, task->report.count);
    for (size_t i = 0; i < task->report.count; i++) {
        task->report.why = runs[i].error != NULL ? runs[i].error : task->report.why;
    }
    return true;
}

#define MOST_TRIES 64

struct tried {
    uint64_t rate;
    size_t alive;
};

/* The highest rate, to one in 200, at which `wanted` runs survive: `tried` holds what is known. */
static bool find_rate(struct sdsim_buffer_task *task, size_t wanted, struct tried *tried,
                      size_t *count, struct sdsim_cohort_run *runs, uint64_t *found)
{
    uint64_t low = 0;
    uint64_t high = SDSIM_ARRIVALS_MOST_RATE;
    for (size_t i = 0; i < *count; i++) {
        low = tried[i].alive >= wanted && tried[i].rate > low ? tried[i].rate : low;
    }
    for (size_t i = 0; i < *count; i++) {
        const bool dead = tried[i].alive < wanted;
        high = dead && tried[i].rate < high && tried[i].rate > low ? tried[i].rate : high;
    }
    while (*count < MOST_TRIES && high - low > high / 200 + 1) {
        uint64_t rate = low == 0 ? high / 4 : low + (high - low) / 2;
        if (high == SDSIM_ARRIVALS_MOST_RATE) {
            rate = low == 0 ? sdsim_buffer_rate(&task->job) : 2 * low;
        }
        rate = rate > 0 ? rate : 1;
        size_t alive = 0;
        if (rate >= high || rate <= low) {
            break;
        }
        if (!alive_at(task, rate, runs, &alive)) {
            return false;
        }
        tried[(*count)++] = (struct tried){rate, alive};
        if (alive >= wanted) {
            low = rate;
        } else {
            high = rate;
        }
    }
    *found = low;
    return true;
}

static bool find_rates(struct sdsim_buffer_task *task)
{
    struct tried tried[MOST_TRIES];
    size_t count = 0;
    struct sdsim_cohort_run *runs = calloc(task->report.count, sizeof *runs);
    bool fine = runs != NULL || sdsim_buffer_complain(task, NULL, "out of memory");
    for (size_t i = 0; fine && i < SDSIM_BUFFER_LEVELS; i++) {
        fine = find_rate(task, sdsim_buffer_level_runs(i, task->report.count), tried, &count, runs,
                         &task->report.rates[i]);
    }
    free(runs);
    return fine;
}

static bool check_ram(struct sdsim_buffer_task *task)
{
    const struct sdsim_queue_shape *shape = &task->job.logger.shape;
    const uint64_t ram = task->report.ram;
    if (!sdsim_buffer_rate_varies(&task->job)) {
        return sdsim_buffer_complain(
            task, "take rate: or burst: and burst_every:", "a list of arrivals has no other rate");
    }
    const bool fits = shape->kind == SDSIM_QUEUE_ITEMS       ? ram >= shape->item
                      : shape->kind == SDSIM_QUEUE_PING_PONG ? ram >= 2 * task->job.logger.call
                                                             : ram >= task->job.logger.call;
    return fits ||
           sdsim_buffer_complain(task, "more RAM, or smaller calls", "no call fits into this RAM");
}

/* ---- all of it ---- */

bool sdsim_buffer_find(struct sdsim_buffer_task *task, const char *const *overrides)
{
    struct sdsim_buffer_report *report = &task->report;
    const struct sdsim_buffer_try unlimited = {.ram = SDSIM_QUEUE_UNLIMITED};
    if (report->ram > 0) {
        return check_ram(task) && find_rates(task);
    }
    if (!sdsim_buffer_job_work(&task->job, &unlimited, report->count, task->runs)) {
        return job_failed(task);
    }
    for (size_t i = report->count; i-- > 0;) {
        report->failed += task->runs[i].error != NULL;
        report->why = task->runs[i].error != NULL ? task->runs[i].error : report->why;
    }
    if (report->failed == report->count) {
        return find_needs(task);
    }
    report->behind = falls_behind(task);
    if (!find_needs(task) || !find_losses(task)) {
        return false;
    }
    find_changes(task, overrides);
    return true;
}
