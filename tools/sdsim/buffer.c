/*
 * sdsim buffer: how much RAM a logger needs, or how fast it may be in a given one.
 */
#include "command.h"

#include <stdlib.h>
#include <string.h>

#include "buffer_find.h"
#include "core/units.h"
#include "option_units.h"
#include "output.h"
#include "plot.h"
#include "report/buffer.h"
#include "run_names.h"
#include "spool.h"

enum {
    USUAL_SEEDS = 1000,
    MOST_SEEDS = 1000000,
    MOST_DRAWS = 10000,
    LOOKED_AT = 200, /* runs, for what is lost and what changes bring */
    OVERRIDES = 8,
    MOST_RAM = 1 << 30, /* as in scenarios */
    MOST_HOURS = 4800,
};

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
    *ram = 0;
    return sdsim_option_take(arguments, SDSIM_OPTION_RAM, SDSIM_UNIT_SIZE, 1, MOST_RAM, ram);
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
        uint64_t duration;
        const char *hours = strchr(overrides->hours, '=') + 1;
        const enum sdsim_unit_error error = sdsim_unit_parse(SDSIM_UNIT_TIME, hours, &duration);
        const bool more = error == SDSIM_UNIT_TOO_LARGE ||
                          (error == SDSIM_UNIT_OK && duration > MOST_HOURS * 3600 * SDSIM_S);
        if (error != SDSIM_UNIT_OK || duration == 0 || more) {
            fprintf(stderr,
                    more ? "error: --hours takes at most 4800, not '%s'\n"
                         : "error: --hours takes a number of hours, e.g. 0.5, not '%s'\n",
                    arguments->values[SDSIM_OPTION_HOURS]);
            free(overrides->list);
            overrides->list = NULL;
            return false;
        }
    }
    return true;
}

/* ---- one run of the scenario ---- */

static bool prepare(struct sdsim_buffer_task *task, const struct sdsim_scenario *scenario)
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
    return (task->runs != NULL && task->needs != NULL) ||
           sdsim_buffer_complain(task, NULL, "out of memory");
}

static void release(struct sdsim_buffer_task *task)
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

static enum sdsim_exit draw(const struct sdsim_buffer_task *task)
{
    const char *path = task->arguments->values[SDSIM_OPTION_PICTURE];
    const struct sdsim_plot plot = {plot_data, plot_script, &task->report};
    if (path != NULL && task->report.row_count == 0) {
        fprintf(stderr, "note: %s is not drawn: nothing is known about loss against RAM\n", path);
        return SDSIM_EXIT_OK;
    }
    return path == NULL ? SDSIM_EXIT_OK
                        : sdsim_plot_draw(&plot, path,
                                          task->arguments->values[SDSIM_OPTION_KEEP_PLOT] != NULL);
}

static enum sdsim_exit print(const struct sdsim_arguments *arguments,
                             const struct sdsim_buffer_task *tasks, size_t count)
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
    struct sdsim_buffer_task *tasks = calloc(count, sizeof *tasks);
    bool fine = tasks != NULL;
    if (count > 1 && arguments->values[SDSIM_OPTION_PICTURE] != NULL) {
        fputs("error: --picture takes one run: name it\n", stderr);
        free(tasks);
        return SDSIM_EXIT_INPUT;
    }
    for (size_t i = 0; i < count && fine; i++) {
        struct sdsim_buffer_task *task = &tasks[i];
        task->arguments = arguments;
        task->session = session;
        task->path = path;
        task->run = run_number(session, arguments, scenario, i);
        fine = task->run != NULL && prepare(task, scenario) &&
               sdsim_buffer_find(task, overrides->list);
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
    if (arguments->values[SDSIM_OPTION_PICTURE] != NULL &&
        arguments->values[SDSIM_OPTION_RAM] != NULL) {
        fputs("error: --picture draws the loss against the RAM, and --ram asks for a rate\n",
              stderr);
        return SDSIM_EXIT_INPUT;
    }
    if (!read_overrides(arguments, &overrides)) {
        return SDSIM_EXIT_INPUT;
    }
    const char *path = sdsim_cli_find(session, "scenario", arguments->operands[0]);
    const struct sdsim_scenario *scenario =
        path != NULL
            ? sdsim_cli_load_scenario(session, path, arguments, overrides.list, SDSIM_FOR_TIMES)
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
    return sdsim_cli_in_session(run_in, arguments);
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
    .needs_file = sdsim_spool_scenario,
    .run = run,
};
