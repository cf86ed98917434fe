/*
 * sdsim buffer: how much RAM a logger needs, or how fast it may be in a given one.
 */
#include "command.h"

#include <stdlib.h>
#include <string.h>

#include "buffer_runs.h"
#include "core/units.h"
#include "output.h"
#include "plot.h"
#include "report/buffer.h"
#include "run_names.h"

enum {
    USUAL_SEEDS = 1000,
    MOST_SEEDS = 1000000,
    MOST_DRAWS = 10000,
    LOOKED_AT = 200, /* runs, for what is lost and what changes bring */
    ROWS = 32,
    OVERRIDES = 8,
};

/* All of one run of the scenario. */
struct task {
    const struct sdsim_arguments *arguments;
    struct sdsim_cli_session *session;
    const char *path;
    const struct sdsim_run *run;
    struct sdsim_buffer_job job;
    struct sdsim_buffer_report report;
    struct sdsim_cohort_run *runs;
    uint64_t *needs;
    struct sdsim_buffer_row rows[ROWS];
    size_t looked_at;
};

static bool complain(struct task *task, const char *help, const char *text)
{
    sdsim_diag_add(&task->session->diags, SDSIM_ERROR, NULL, NULL, 0, help, "%s", text);
    return false;
}

/* What the card or memory has against it. */
static bool job_failed(struct task *task)
{
    return complain(task, NULL, task->job.error);
}

/* ---- options ---- */

static bool read_count(const struct sdsim_arguments *arguments, enum sdsim_option_id id,
                       uint64_t usual, uint64_t most, uint64_t *count)
{
    const char *text = arguments->values[id];
    char *end = NULL;
    *count = usual;
    if (text == NULL) {
        return true;
    }
    *count = strtoull(text, &end, 10);
    if (end == text || *end != '\0' || text[0] == '-' || *count == 0 || *count > most) {
        fprintf(stderr, "error: --%s takes a number from 1 to %llu, not '%s'\n",
                sdsim_option(id)->name, (unsigned long long)most, text);
        return false;
    }
    return true;
}

static bool read_ram(const struct sdsim_arguments *arguments, uint64_t *ram)
{
    const char *text = arguments->values[SDSIM_OPTION_RAM];
    *ram = 0;
    if (text != NULL &&
        (sdsim_unit_parse(SDSIM_UNIT_SIZE, text, ram) != SDSIM_UNIT_OK || *ram == 0)) {
        fprintf(stderr, "error: --ram takes a size, e.g. 32KiB, not '%s'\n", text);
        return false;
    }
    return true;
}

/* What options say in other words, behind what --set says. */
struct overrides {
    const char **list;
    char hours[64];
    char rate[64];
};

static bool read_overrides(const struct sdsim_arguments *arguments, struct overrides *overrides)
{
    size_t count = 0;
    while (arguments->overrides[count] != NULL) {
        count++;
    }
    overrides->list = calloc(count + OVERRIDES, sizeof *overrides->list);
    if (overrides->list == NULL) {
        fputs("error: out of memory\n", stderr);
        return false;
    }
    memcpy(overrides->list, arguments->overrides, count * sizeof *overrides->list);
    if (arguments->values[SDSIM_OPTION_RATE] != NULL) {
        snprintf(overrides->rate, sizeof overrides->rate, "workload.rate=%s",
                 arguments->values[SDSIM_OPTION_RATE]);
        overrides->list[count++] = "workload.do=stream";
        overrides->list[count++] = overrides->rate;
    }
    if (arguments->values[SDSIM_OPTION_HOURS] != NULL) {
        snprintf(overrides->hours, sizeof overrides->hours, "workload.duration=%sh",
                 arguments->values[SDSIM_OPTION_HOURS]);
        overrides->list[count++] = overrides->hours;
    }
    return true;
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
static bool need_of_ping_pong(struct task *task)
{
    const size_t count = task->report.count;
    const uint64_t pair = 2 * task->job.logger.call;
    struct sdsim_cohort_run *runs = calloc(count, sizeof *runs);
    bool fine = runs != NULL || complain(task, NULL, "out of memory");
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

static bool find_needs(struct task *task)
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
static bool falls_behind(const struct task *task)
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

static bool add_row(struct task *task, uint64_t ram, struct sdsim_cohort_run *runs)
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
static bool find_losses(struct task *task)
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
    bool fine = runs != NULL || complain(task, NULL, "out of memory");
    uint64_t ram = least;
    for (bool more = !report->behind; fine && more && report->row_count < ROWS; ram *= 2) {
        fine = add_row(task, ram, runs);
        more = ram < most;
    }
    free(runs);
    return fine;
}

/* ---- what a change brings ---- */

/* Runs it with one more override; a change that can't be is none. */
static bool try_change(struct task *task, const struct overrides *overrides, const char *change,
                       const char *also, const char *what, const char *costs)
{
    const char *list[256] = {NULL};
    size_t count = 0;
    struct sdsim_diags diags;
    struct sdsim_buffer_job job = {.setups = NULL};
    struct sdsim_buffer_report *report = &task->report;
    for (; overrides->list[count] != NULL && count < 250; count++) {
        list[count] = overrides->list[count];
    }
    list[count++] = change;
    list[count] = also;
    sdsim_diags_init(&diags);
    const struct sdsim_scenario *scenario =
        sdsim_scenario_load(task->session->config, task->path, list, &diags);
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

static void find_changes(struct task *task, const struct overrides *overrides)
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
                         "no syncs", "a loss of power takes the whole file");
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
static bool alive_at(struct task *task, uint64_t rate, struct sdsim_cohort_run *runs, size_t *alive)
{
    const struct sdsim_buffer_try what = {
        .ram = task->report.ram, .rate = rate, .stop_at_loss = true};
    if (!sdsim_buffer_job_work(&task->job, &what, task->report.count, runs)) {
        return job_failed(task);
    }
    *alive = survivors(runs, task->report.count);
    return true;
}

#define MOST_TRIES 64

struct tried {
    uint64_t rate;
    size_t alive;
};

/* The highest rate, to one in 200, at which `wanted` runs survive: `tried` holds what is known. */
static bool find_rate(struct task *task, size_t wanted, struct tried *tried, size_t *count,
                      struct sdsim_cohort_run *runs, uint64_t *found)
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

static bool find_rates(struct task *task)
{
    struct tried tried[MOST_TRIES];
    size_t count = 0;
    struct sdsim_cohort_run *runs = calloc(task->report.count, sizeof *runs);
    bool fine = runs != NULL || complain(task, NULL, "out of memory");
    for (size_t i = 0; fine && i < SDSIM_BUFFER_LEVELS; i++) {
        fine = find_rate(task, sdsim_buffer_level_runs(i, task->report.count), tried, &count, runs,
                         &task->report.rates[i]);
    }
    free(runs);
    return fine;
}

static bool check_ram(struct task *task)
{
    const struct sdsim_queue_shape *shape = &task->job.logger.shape;
    const uint64_t ram = task->report.ram;
    if (!sdsim_buffer_rate_varies(&task->job)) {
        return complain(
            task, "take rate: or burst: and burst_every:", "a list of arrivals has no other rate");
    }
    const bool fits = shape->kind == SDSIM_QUEUE_ITEMS       ? ram >= shape->item
                      : shape->kind == SDSIM_QUEUE_PING_PONG ? ram >= 2 * task->job.logger.call
                                                             : ram >= task->job.logger.call;
    return fits || complain(task, "more RAM, or smaller calls", "no call fits into this RAM");
}

/* ---- one run of the scenario ---- */

static bool prepare(struct task *task, const struct sdsim_scenario *scenario)
{
    struct sdsim_buffer_report *report = &task->report;
    uint64_t seeds;
    uint64_t draws;
    uint64_t ram;
    if (!read_count(task->arguments, SDSIM_OPTION_SEEDS, USUAL_SEEDS, MOST_SEEDS, &seeds) ||
        !read_count(task->arguments, SDSIM_OPTION_VALUE_DRAWS, 0, MOST_DRAWS, &draws) ||
        !read_ram(task->arguments, &ram)) {
        return false;
    }
    if (!sdsim_buffer_job_init(&task->job, task->session->config, task->run, (uint32_t)draws,
                               &task->session->diags)) {
        return false;
    }
    task->job.threads = task->arguments->jobs;
    *report = (struct sdsim_buffer_report){
        .scenario = task->run->scenario,
        .run = task->run->id,
        .description = scenario->description,
        .setup = &task->job.setups[0],
        .board = task->run->board_name,
        .host = task->run->host_name,
        .driver = task->run->driver_name,
        .card = task->run->card_name,
        .count = (size_t)seeds,
        .draws = (uint32_t)draws,
        .hours = (double)task->job.logger.arrivals.end / (3600.0 * (double)SDSIM_S),
        .rate = sdsim_buffer_rate(&task->job),
        .ram = ram,
    };
    task->looked_at = report->count < LOOKED_AT ? report->count : LOOKED_AT;
    task->runs = calloc(report->count, sizeof *task->runs);
    task->needs = calloc(report->count, sizeof *task->needs);
    report->runs = task->runs;
    report->needs = task->needs;
    report->rows = task->rows;
    return (task->runs != NULL && task->needs != NULL) || complain(task, NULL, "out of memory");
}

static bool simulate(struct task *task, const struct overrides *overrides)
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
    report->behind = falls_behind(task);
    if (!find_needs(task) || !find_losses(task)) {
        return false;
    }
    find_changes(task, overrides);
    return true;
}

static void release(struct task *task)
{
    sdsim_buffer_job_free(&task->job);
    free(task->runs);
    free(task->needs);
}

/* ---- output ---- */

static bool plot_data(const void *context, FILE *out)
{
    return sdsim_buffer_data(context, out);
}

static void plot_script(const void *context, enum sdsim_picture_format format, const char *data,
                        const char *picture, FILE *out)
{
    sdsim_buffer_script(context, format, data, picture, out);
}

static enum sdsim_exit draw(const struct task *task)
{
    const char *path = task->arguments->values[SDSIM_OPTION_PICTURE];
    const struct sdsim_plot plot = {plot_data, plot_script, &task->report};
    return path == NULL ? SDSIM_EXIT_OK
                        : sdsim_plot_draw(&plot, path,
                                          task->arguments->values[SDSIM_OPTION_KEEP_PLOT] != NULL);
}

static enum sdsim_exit print(const struct sdsim_arguments *arguments, const struct task *tasks,
                             size_t count)
{
    struct sdsim_output output;
    const struct sdsim_style style = sdsim_output_style(arguments);
    bool fine = true;
    if (!sdsim_output_open(&output)) {
        return SDSIM_EXIT_FAULT;
    }
    if (arguments->json) {
        struct sdsim_json json;
        sdsim_json_start(&json, output.stream);
        sdsim_json_object(&json, NULL);
        sdsim_json_array(&json, "runs");
        for (size_t i = 0; i < count; i++) {
            sdsim_buffer_json(&tasks[i].report, &json);
        }
        sdsim_json_end(&json);
        sdsim_json_end(&json);
    } else if (arguments->csv) {
        sdsim_buffer_csv_head(output.stream);
        for (size_t i = 0; i < count; i++) {
            sdsim_buffer_csv(&tasks[i].report, output.stream);
        }
    } else {
        for (size_t i = 0; i < count && fine; i++) {
            fputs(i > 0 ? "\n" : "", output.stream);
            fine = sdsim_buffer_print(&tasks[i].report, &style, output.stream);
        }
    }
    if (!fine) {
        fputs("error: out of memory\n", stderr);
        sdsim_output_discard(&output);
        return SDSIM_EXIT_FAULT;
    }
    return sdsim_output_send(&output, arguments->output);
}

/* ---- the command ---- */

static const struct sdsim_run *run_number(struct sdsim_cli_session *session,
                                          const struct sdsim_arguments *arguments,
                                          const struct sdsim_scenario *scenario, size_t i)
{
    return arguments->operand_count > 1
               ? sdsim_cli_find_run(session, scenario, arguments->operands[1 + i])
               : &scenario->runs[i];
}

static enum sdsim_exit work_on(struct sdsim_cli_session *session,
                               const struct sdsim_arguments *arguments, const char *path,
                               const struct sdsim_scenario *scenario,
                               const struct overrides *overrides)
{
    const size_t named = arguments->operand_count - 1;
    const size_t count = named > 0 ? named : scenario->count;
    struct task *tasks = calloc(count, sizeof *tasks);
    bool fine = tasks != NULL;
    if (count > 1 && arguments->values[SDSIM_OPTION_PICTURE] != NULL) {
        fputs("error: --picture takes one run: name it\n", stderr);
        free(tasks);
        return SDSIM_EXIT_INPUT;
    }
    for (size_t i = 0; i < count && fine; i++) {
        struct task *task = &tasks[i];
        task->arguments = arguments;
        task->session = session;
        task->path = path;
        task->run = run_number(session, arguments, scenario, i);
        fine = task->run != NULL && prepare(task, scenario) && simulate(task, overrides);
    }
    enum sdsim_exit code = SDSIM_EXIT_INPUT;
    if (!sdsim_cli_report(session) && fine) {
        code = draw(&tasks[0]);
        code = code == SDSIM_EXIT_OK ? print(arguments, tasks, count) : code;
    }
    bool failed = false;
    for (size_t i = 0; tasks != NULL && i < count; i++) {
        failed = failed || tasks[i].report.failed > 0;
        release(&tasks[i]);
    }
    free(tasks);
    return code == SDSIM_EXIT_OK && failed ? SDSIM_EXIT_FINDING : code;
}

static enum sdsim_exit run_in(struct sdsim_cli_session *session,
                              const struct sdsim_arguments *arguments)
{
    struct overrides overrides = {.list = NULL};
    const char *picture = arguments->values[SDSIM_OPTION_PICTURE];
    if ((picture != NULL && !sdsim_plot_path_is_good(picture)) ||
        !read_overrides(arguments, &overrides)) {
        return SDSIM_EXIT_INPUT;
    }
    const char *path = sdsim_cli_find(session, "scenario", arguments->operands[0]);
    const struct sdsim_scenario *scenario =
        path != NULL ? sdsim_scenario_load(session->config, path, overrides.list, &session->diags)
                     : NULL;
    enum sdsim_exit code = SDSIM_EXIT_INPUT;
    if (scenario != NULL) {
        code = work_on(session, arguments, path, scenario, &overrides);
    } else {
        (void)sdsim_cli_report(session);
    }
    free(overrides.list);
    return code;
}

static enum sdsim_exit run(const struct sdsim_arguments *arguments)
{
    struct sdsim_cli_session session;
    const enum sdsim_exit code =
        sdsim_cli_open(&session) ? run_in(&session, arguments) : SDSIM_EXIT_FAULT;
    sdsim_cli_close(&session);
    return code;
}

static const enum sdsim_option_id options[] = {
    SDSIM_OPTION_RAM,         SDSIM_OPTION_RATE,  SDSIM_OPTION_SEEDS,  SDSIM_OPTION_HOURS,
    SDSIM_OPTION_VALUE_DRAWS, SDSIM_OPTION_SET,   SDSIM_OPTION_SEED,   SDSIM_OPTION_JOBS,
    SDSIM_OPTION_JSON,        SDSIM_OPTION_CSV,   SDSIM_OPTION_OUTPUT, SDSIM_OPTION_PICTURE,
    SDSIM_OPTION_KEEP_PLOT,   SDSIM_OPTION_COLOR, SDSIM_OPTION_HELP,   SDSIM_OPTION_COUNT,
};

const struct sdsim_command sdsim_command_buffer = {
    .name = "buffer",
    .operands = "SCENARIO [RUN...]",
    .summary = "how much RAM a logger needs so that nothing is lost",
    .details =
        "SCENARIO has a workload that does stream: data arrive at a rate whether or not the card "
        "is "
        "busy, a queue holds them, and a task writes them. It is run many times with the typical "
        "values of its profiles; in each run the card pauses at other moments.\n"
        "The RAM that 50, 99 and 99.9% of the runs survive with, without any loss, is the highest "
        "level of the queue in the worst of them. (Two buffers are tried in different sizes.) What "
        "is lost with less RAM, and what a change of the firmware would bring, comes from the "
        "first "
        "200 runs. A stall is the longest write call or sync of a run, during which nobody empties "
        "the queue; longer runs find longer ones.\n"
        "--ram asks the other way round: up to which rate is nothing lost in that much. Bursts "
        "then "
        "come nearer to each other. The answer is at most one half percent too low.\n"
        "Of a scenario that does something else --rate makes a stream with its other settings.\n"
        "The JSON is {\"runs\": [...]}: scenario, id, board, host, driver, card, rate (bytes per "
        "second), runs, draws, hours, failed, behind, ram, levels [{share, ram or rate}], loss "
        "[{ram, losing, mean_lost, most_lost}], stalls [{cause, longest, run, at, byte, sync, "
        "median, advice}], exposed, changes [{what, ram_99, longest_stall, costs}]; bytes and "
        "seconds. The CSV has a line for each size of the RAM. The exit code is 1 if a run ended "
        "early.",
    .least = 1,
    .most = SIZE_MAX,
    .options = options,
    .run = run,
};
