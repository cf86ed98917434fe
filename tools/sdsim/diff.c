#include "report/diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "command.h"
#include "core/units.h"
#include "import_capture.h"
#include "option_units.h"
#include "output.h"
#include "predict.h"
#include "run_names.h"
#include "session.h"
#include "spool.h"
#include "trace_file.h"

enum { LARGEST_JSON = 64 << 20 };

#define USUAL_TOLERANCE 0.05

/* One side while it is read. */
struct side {
    struct sdsim_diff_side side;
    char changed[200]; /* its name, if it is the other one with changes */
};

struct task {
    struct sdsim_cli_session session;
    const struct sdsim_arguments *arguments;
    struct sdsim_diff_limits limits;
    struct side sides[2];
};

/* ---- scenarios ---- */

/* What was predicted, in the form in which results are compared. */
static bool take_reports(struct side *side, const struct sdsim_job *jobs, size_t count,
                         struct sdsim_diags *diags)
{
    struct sdsim_json json;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL) {
        sdsim_error(diags, NULL, "out of memory");
        return false;
    }
    sdsim_json_start(&json, out);
    sdsim_json_object(&json, NULL);
    sdsim_json_array(&json, "runs");
    for (size_t i = 0; i < count; i++) {
        sdsim_run_report_json(&jobs[i].report, &json);
    }
    sdsim_json_end(&json);
    sdsim_json_end(&json);
    const bool written = fclose(out) == 0;
    if (!written) {
        sdsim_error(diags, NULL, "out of memory");
    }
    const bool fine =
        written && sdsim_diff_read_json(&side->side, side->side.name, text, size, diags);
    free(text);
    return fine;
}

static enum sdsim_exit predict(struct task *task, struct side *side,
                               const struct sdsim_scenario *scenario,
                               const struct sdsim_run *const *runs, size_t count)
{
    struct sdsim_diags *diags = &task->session.diags;
    struct sdsim_job *jobs = calloc(count, sizeof *jobs);
    if (jobs == NULL) {
        sdsim_error(diags, NULL, "out of memory");
        return SDSIM_EXIT_FAULT;
    }
    for (size_t i = 0; i < count; i++) {
        sdsim_job_init(&jobs[i], scenario, runs[i]);
    }
    enum sdsim_exit code = sdsim_predict_jobs(task->session.config, jobs, count,
                                              task->arguments->draws, task->arguments->jobs);
    if (code == SDSIM_EXIT_OK && !take_reports(side, jobs, count, diags)) {
        code = SDSIM_EXIT_FAULT;
    }
    for (size_t i = 0; i < count; i++) {
        sdsim_job_free(&jobs[i]);
    }
    free(jobs);
    return code;
}

/* The runs of "SCENARIO" or "SCENARIO:RUN", with the overrides; `overrides` NULL: as they are. */
static enum sdsim_exit read_scenario(struct task *task, struct side *side, const char *name,
                                     const char *id, const char *const *overrides)
{
    struct sdsim_cli_session *session = &task->session;
    const char *path = sdsim_cli_find(session, "scenario", name);
    const struct sdsim_scenario *scenario =
        path != NULL
            ? sdsim_cli_load_runs(session, path, &id, id != NULL, overrides, SDSIM_FOR_PREDICTIONS)
            : NULL;
    if (scenario == NULL) {
        return SDSIM_EXIT_INPUT;
    }
    const size_t count = id != NULL ? 1 : scenario->count;
    const struct sdsim_run **runs = calloc(count, sizeof *runs);
    if (runs == NULL) {
        sdsim_error(&session->diags, NULL, "out of memory");
        return SDSIM_EXIT_FAULT;
    }
    for (size_t i = 0; i < count; i++) {
        runs[i] = id != NULL ? sdsim_cli_find_run(session, scenario, id) : &scenario->runs[i];
    }
    const enum sdsim_exit code =
        runs[0] != NULL ? predict(task, side, scenario, runs, count) : SDSIM_EXIT_INPUT;
    free(runs);
    return code;
}

/* ---- files ---- */

/* The first byte that is no blank; 0 if there is none near. */
static char first_byte(struct sdsim_input *input)
{
    size_t size = 0;
    const char *head = sdsim_input_peek(input, 4096, &size);
    for (size_t i = 0; i < size; i++) {
        if (strchr(" \t\r\n", head[i]) == NULL || head[i] == '\0') {
            return head[i];
        }
    }
    return '\0';
}

static enum sdsim_exit read_json(struct task *task, struct side *side, struct sdsim_input *input)
{
    struct sdsim_diags *diags = &task->session.diags;
    size_t size = 0;
    const char *text = sdsim_input_peek(input, LARGEST_JSON, &size);
    if (size >= LARGEST_JSON) {
        sdsim_error(diags, side->side.name, "a result of more than 64 MiB is not read");
        return SDSIM_EXIT_INPUT;
    }
    return sdsim_diff_read_json(&side->side, side->side.name, text, size, diags) ? SDSIM_EXIT_OK
                                                                                 : SDSIM_EXIT_INPUT;
}

/* A trace of any form; takes over the input if it is a stream, which can't be opened again. */
static bool open_trace(struct task *task, struct sdsim_trace *trace,
                       struct sdsim_trace_options *options, const char *path,
                       struct sdsim_input *input)
{
    static const struct sdsim_trace_format capture = {.name = "capture"};
    struct sdsim_diags *diags = &task->session.diags;
    if (sdsim_is_stream(path)) {
        const char *from = task->arguments->values[SDSIM_OPTION_FROM];
        *options = (struct sdsim_trace_options){.host = NULL};
        return sdsim_trace_open(trace, input,
                                from != NULL ? sdsim_trace_format_find(from)
                                             : sdsim_trace_format_detect(input),
                                options);
    }
    sdsim_input_close(input);
    if (sdsim_import_is_capture(path)) {
        trace->format = &capture;
        trace->blocks = sdsim_import_capture_blocks(task->arguments, path, diags);
        trace->info = trace->blocks != NULL ? trace->blocks->info : NULL;
        return trace->blocks != NULL;
    }
    return sdsim_trace_file_open(trace, task->arguments, path, options, diags);
}

static enum sdsim_exit read_trace(struct task *task, struct side *side, struct sdsim_input *input)
{
    struct sdsim_trace trace = {.format = NULL};
    struct sdsim_trace_options options;
    struct sdsim_diags *diags = &task->session.diags;
    if (!open_trace(task, &trace, &options, side->side.name, input)) {
        return SDSIM_EXIT_INPUT;
    }
    const bool fine = sdsim_diff_read_trace(&side->side, &trace);
    enum sdsim_exit code = SDSIM_EXIT_OK;
    if (!fine) {
        sdsim_error(diags, NULL, "out of memory");
        code = SDSIM_EXIT_FAULT;
    } else if (sdsim_trace_failed(&trace)) {
        code = SDSIM_EXIT_INPUT;
    } else if (side->side.results[0].calls == 0) {
        sdsim_trace_file_tell_empty(&trace, task->arguments, side->side.name, SDSIM_ERROR, diags);
        code = SDSIM_EXIT_INPUT;
    }
    sdsim_trace_close(&trace);
    return code;
}

static enum sdsim_exit read_file(struct task *task, struct side *side)
{
    struct sdsim_input *input = sdsim_input_open(side->side.name, &task->session.diags);
    if (input == NULL) {
        return SDSIM_EXIT_INPUT;
    }
    if (first_byte(input) != '{') {
        return read_trace(task, side, input);
    }
    const enum sdsim_exit code = read_json(task, side, input);
    sdsim_input_close(input);
    return code;
}

/* ---- the sides ---- */

static bool is_file(const char *name)
{
    struct stat status;
    return strcmp(name, "-") == 0 || (stat(name, &status) == 0 && !S_ISDIR(status.st_mode));
}

/* Fills one side. A name that is no file may end in ":RUN". */
static enum sdsim_exit read_side(struct task *task, struct side *side, const char *name,
                                 const char *const *overrides)
{
    side->side.name = name;
    if (!sdsim_is_scenario(name)) {
        return read_file(task, side);
    }
    const char *colon = is_file(name) ? NULL : strrchr(name, ':');
    if (colon == NULL) {
        return read_scenario(task, side, name, NULL, overrides);
    }
    char *scenario = strndup(name, (size_t)(colon - name));
    if (scenario == NULL) {
        sdsim_error(&task->session.diags, NULL, "out of memory");
        return SDSIM_EXIT_FAULT;
    }
    const enum sdsim_exit code = read_scenario(task, side, scenario, colon + 1, overrides);
    free(scenario);
    return code;
}

/* ---- the command ---- */

static bool take_percent(const struct sdsim_arguments *arguments, enum sdsim_option_id id,
                         double *fraction)
{
    const char *text = arguments->values[id];
    uint64_t value = 0;
    if (!sdsim_option_take(arguments, id, SDSIM_UNIT_PERCENT, 0, SDSIM_MOST_TOLERANCE, &value)) {
        return false;
    }
    if (text != NULL) {
        *fraction = (double)value / 1e9;
    }
    return true;
}

static enum sdsim_exit print(const struct task *task, const struct sdsim_diff *diff)
{
    const struct sdsim_arguments *arguments = task->arguments;
    const struct sdsim_style style = sdsim_output_style(arguments);
    struct sdsim_output output;
    bool fine = true;
    if (!sdsim_output_open(&output)) {
        return SDSIM_EXIT_FAULT;
    }
    if (arguments->json) {
        sdsim_diff_json(diff, output.stream);
    } else if (arguments->csv) {
        sdsim_diff_csv(diff, output.stream);
    } else {
        fine = sdsim_diff_print(diff, arguments->values[SDSIM_OPTION_SAME_TOO] != NULL, &style,
                                output.stream);
    }
    if (!fine) {
        fputs("error: out of memory\n", stderr);
        sdsim_output_discard(&output);
        return SDSIM_EXIT_FAULT;
    }
    const enum sdsim_exit code = sdsim_output_send(&output, arguments->output);
    return code == SDSIM_EXIT_OK && sdsim_diff_has_finding(diff) ? SDSIM_EXIT_FINDING : code;
}

static enum sdsim_exit compare(const struct task *task)
{
    struct sdsim_diff diff = {
        .a = &task->sides[0].side, .b = &task->sides[1].side, .limits = task->limits};
    enum sdsim_exit code = SDSIM_EXIT_FAULT;
    if (sdsim_diff_pair_up(&diff)) {
        code = print(task, &diff);
    } else if (diff.pairs == NULL) {
        fputs("error: out of memory\n", stderr);
    } else {
        fprintf(stderr,
                "error: no run of %s has a counterpart in %s\nhelp: runs are paired by "
                "their ids; 'FILE:RUN' takes one\n",
                diff.a->name, diff.b->name);
        code = SDSIM_EXIT_INPUT;
    }
    sdsim_diff_free(&diff);
    return code;
}

/* "mine.yaml with clock=40MHz". */
static void name_changes(struct side *side, const char *const *overrides)
{
    const size_t size = sizeof side->changed;
    size_t used = (size_t)snprintf(side->changed, size, "%s with", side->side.name);
    for (size_t i = 0; overrides[i] != NULL && used < size; i++) {
        used += (size_t)snprintf(side->changed + used, size - used, " %s", overrides[i]);
    }
    side->side.name = side->changed;
}

static enum sdsim_exit work(struct task *task)
{
    const struct sdsim_arguments *arguments = task->arguments;
    const bool alone = arguments->operand_count == 1;
    const char *a = arguments->operands[0];
    const char *b = arguments->operands[alone ? 0 : 1];
    if (alone && arguments->overrides[0] == NULL) {
        fputs("error: there is nothing to compare with\nhelp: name a second scenario, trace or "
              "result, or say with --set what is to change\n",
              stderr);
        return SDSIM_EXIT_INPUT;
    }
    if (arguments->overrides[0] != NULL && !sdsim_is_scenario(a) && !sdsim_is_scenario(b)) {
        fputs("error: --set changes a scenario; a trace or a result is as it is\n", stderr);
        return SDSIM_EXIT_INPUT;
    }
    enum sdsim_exit code = read_side(task, &task->sides[0], a, alone ? NULL : arguments->overrides);
    if (code == SDSIM_EXIT_OK) {
        code = read_side(task, &task->sides[1], b, arguments->overrides);
    }
    if (alone) {
        name_changes(&task->sides[1], arguments->overrides);
    }
    if (sdsim_cli_report(&task->session) && code == SDSIM_EXIT_OK) {
        code = SDSIM_EXIT_INPUT;
    }
    return code == SDSIM_EXIT_OK ? compare(task) : code;
}

static enum sdsim_exit diff(const struct sdsim_arguments *arguments)
{
    struct task task = {.arguments = arguments,
                        .limits = {.slower = USUAL_TOLERANCE, .longest = -1}};
    if (!take_percent(arguments, SDSIM_OPTION_TOLERANCE, &task.limits.slower) ||
        !take_percent(arguments, SDSIM_OPTION_LONGEST, &task.limits.longest)) {
        return SDSIM_EXIT_INPUT;
    }
    const enum sdsim_exit code = sdsim_cli_open(&task.session) ? work(&task) : SDSIM_EXIT_FAULT;
    sdsim_diff_side_free(&task.sides[0].side);
    sdsim_diff_side_free(&task.sides[1].side);
    sdsim_cli_close(&task.session);
    return code;
}

static const enum sdsim_option_id options[] = {
    SDSIM_OPTION_TOLERANCE, SDSIM_OPTION_LONGEST, SDSIM_OPTION_SAME_TOO, SDSIM_OPTION_SET,
    SDSIM_OPTION_SEED,      SDSIM_OPTION_DRAWS,   SDSIM_OPTION_FROM,     SDSIM_OPTION_LOG_HOST,
    SDSIM_OPTION_LOG_FILE,  SDSIM_OPTION_CHANNEL, SDSIM_OPTION_JSON,     SDSIM_OPTION_CSV,
    SDSIM_OPTION_OUTPUT,    SDSIM_OPTION_COLOR,   SDSIM_OPTION_JOBS,     SDSIM_OPTION_HELP,
    SDSIM_OPTION_COUNT,
};

const struct sdsim_command sdsim_command_diff = {
    .name = "diff",
    .operands = "A [B]",
    .summary = "compare two runs, traces or results: what changed, and whether it got slower",
    .details =
        "A and B are scenarios (SCENARIO:RUN takes one run of it), what 'sdsim run --json' or "
        "'sdsim replay --json' printed, or anything 'sdsim import' reads: traces are compared as "
        "they were recorded. They may be of different kinds; runs are paired by their ids. With A "
        "alone, B is the same scenario with what --set says; with both, --set changes the "
        "scenarios of both.\n"
        "Prints which inputs differ, by how much B is faster or slower, which part of the time "
        "that comes from, and the quantities that are not the same: time by kind and by purpose, "
        "calls, commands. If A and B move different amounts of data, times are for a MiB of it.\n"
        "The exit code is 1 if B is slower by more than the tolerance, or if a run of A is missing "
        "in B: made for the CI of firmware. Of a run that is judged by what its scenario measures; "
        "of a trace and a replay by the rate in the calls, of all of them and of each kind of call "
        "that takes 1% of the time or more.\n"
        "The JSON is {a, b, tolerance, longest_tolerance, finding, pairs [{a, b, times_for, "
        "faster, slower, longer, inputs [{key, a, b}], words, quantities [{layer, name, unit, a, "
        "b}]}], only_a, only_b}; layers are result, kind, purpose, cell (a kind for a purpose), "
        "call and counter; times are in seconds. The CSV has a line a quantity.",
    .least = 1,
    .most = 2,
    .options = options,
    .needs_file = sdsim_spool_usual,
    .run = diff,
};
