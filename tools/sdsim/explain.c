#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "command.h"
#include "explain_trace.h"
#include "output.h"
#include "pool.h"
#include "report/explain_report.h"
#include "report/run_report.h"
#include "run_names.h"
#include "session.h"
#include "spool.h"

/* What is explained: runs of a scenario, or one trace. */
struct job {
    struct sdsim_cli_session session;
    const struct sdsim_arguments *arguments;
    struct sdsim_explain_report *reports;
    struct sdsim_scenario_subject *subjects; /* of each report of a scenario */
    char (*again)[600];
    enum sdsim_failure failure;
    size_t count;
    bool traced;
    struct sdsim_explain_trace trace;
};

/* ---- what to type for it again ---- */

static void append(char *text, size_t size, const char *word)
{
    const size_t used = strlen(text);
    const bool plain = strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                    "-_./=:,+@%") == strlen(word);
    snprintf(text + used, size - used, "%s%s%s%s", used > 0 ? " " : "", plain ? "" : "'", word,
             plain ? "" : "'");
}

static void append_overrides(char *text, size_t size, const struct sdsim_arguments *arguments)
{
    for (size_t i = 0; arguments->overrides[i] != NULL; i++) {
        append(text, size, "--set");
        append(text, size, arguments->overrides[i]);
    }
}

static void again_trace(const struct sdsim_arguments *arguments, char *text, size_t size)
{
    static const enum sdsim_option_id kept[] = {
        SDSIM_OPTION_THINK,  SDSIM_OPTION_BOARD,       SDSIM_OPTION_HOST,
        SDSIM_OPTION_DRIVER, SDSIM_OPTION_REPLAY_CARD, SDSIM_OPTION_CLOCK,
        SDSIM_OPTION_BUS,    SDSIM_OPTION_FILESYSTEM,  SDSIM_OPTION_API,
        SDSIM_OPTION_FROM,   SDSIM_OPTION_LOG_FILE,
    };
    snprintf(text, size, "sdsim replay");
    for (size_t i = 0; i < arguments->operand_count; i++) {
        append(text, size, arguments->operands[i]);
    }
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        const char *value = arguments->values[kept[i]];
        char option[32];
        if (value != NULL) {
            snprintf(option, sizeof option, "--%s", sdsim_option(kept[i])->name);
            append(text, size, option);
            if (value[0] != '\0') {
                append(text, size, value);
            }
        }
    }
    append_overrides(text, size, arguments);
}

/* ---- explaining ---- */

static void run_parallel(void *pool, size_t count, void (*work)(void *context, size_t index),
                         void *context)
{
    sdsim_pool_run(count, *(const unsigned *)pool, "simulations", work, context);
}

static bool explain(struct job *job, const struct sdsim_subject *subject,
                    struct sdsim_explain_report *report)
{
    unsigned threads = job->arguments->jobs;
    const struct sdsim_explain_options options = {
        .draws =
            job->arguments->values[SDSIM_OPTION_WHATIF_DRAWS] != NULL ? job->arguments->draws : 0,
        .parallel = run_parallel,
        .pool = &threads,
        .failure = &job->failure,
    };
    report->explanation = sdsim_explain(subject, &options, &job->session.diags);
    return report->explanation != NULL;
}

/* Room for `count` reports. */
static bool make_room(struct job *job, size_t count)
{
    job->count = count;
    job->reports = calloc(count, sizeof *job->reports);
    job->subjects = calloc(count, sizeof *job->subjects);
    job->again = calloc(count, sizeof *job->again);
    if (job->reports == NULL || job->subjects == NULL || job->again == NULL) {
        sdsim_error(&job->session.diags, NULL, "out of memory");
        return false;
    }
    return true;
}

static bool explain_run(struct job *job, size_t index, const char *path,
                        const struct sdsim_run *run)
{
    struct sdsim_explain_report *report = &job->reports[index];
    char *again = job->again[index];
    job->subjects[index] = (struct sdsim_scenario_subject){
        .config = job->session.config,
        .path = path,
        .id = run->id,
        .overrides = job->arguments->overrides,
    };
    *report = (struct sdsim_explain_report){
        .subject = run->scenario, .run_id = run->id, .again = again, .run = run};
    snprintf(again, sizeof job->again[0], "sdsim run");
    append(again, sizeof job->again[0], job->arguments->operands[0]);
    if (run->id[0] != '\0') {
        append(again, sizeof job->again[0], run->id);
    }
    append_overrides(again, sizeof job->again[0], job->arguments);
    struct sdsim_subject subject = sdsim_subject_of_scenario(&job->subjects[index]);
    char name[100];
    snprintf(name, sizeof name, "run %s", sdsim_run_label(run));
    subject.place = path;
    subject.name = name;
    return explain(job, &subject, report);
}

static bool explain_scenario(struct job *job)
{
    struct sdsim_cli_session *session = &job->session;
    const struct sdsim_arguments *arguments = job->arguments;
    const char *path = sdsim_cli_find(session, "scenario", arguments->operands[0]);
    const struct sdsim_scenario *scenario =
        path != NULL ? sdsim_cli_load_scenario(session, path, arguments, arguments->overrides,
                                               SDSIM_FOR_PREDICTIONS)
                     : NULL;
    if (scenario == NULL) {
        return false;
    }
    const size_t named = arguments->operand_count - 1;
    if (!make_room(job, named > 0 ? named : scenario->count)) {
        return false;
    }
    for (size_t i = 0; i < job->count; i++) {
        const struct sdsim_run *run =
            named > 0 ? sdsim_cli_find_run(session, scenario, arguments->operands[i + 1])
                      : &scenario->runs[i];
        struct sdsim_setup setup;
        if (run == NULL) {
            return false;
        }
        if (job->count == 1 && sdsim_setup_bind(session->config, run, 0, &setup, &session->diags)) {
            sdsim_setup_lint(run, &setup, &session->diags);
        }
        if (!explain_run(job, i, path, run)) {
            return false;
        }
    }
    return true;
}

static bool explain_trace(struct job *job)
{
    if (!make_room(job, 1)) {
        return false;
    }
    job->traced = true;
    if (!sdsim_explain_trace_open(&job->trace, &job->session, job->arguments)) {
        return false;
    }
    again_trace(job->arguments, job->again[0], sizeof job->again[0]);
    job->reports[0] = (struct sdsim_explain_report){
        .subject = job->arguments->operands[0], .again = job->again[0], .run = job->trace.run};
    struct sdsim_subject subject = sdsim_explain_trace_subject(&job->trace);
    subject.place = job->arguments->operands[0];
    return explain(job, &subject, &job->reports[0]);
}

/* What only traces have means nothing for a scenario. */
static bool check_options(const struct sdsim_arguments *arguments, bool traced)
{
    static const struct {
        enum sdsim_option_id option;
        const char *help;
    } rows[] = {
        {SDSIM_OPTION_THINK, "a scenario has no recorded pauses"},
        {SDSIM_OPTION_BOARD, "take --set board=NAME"},
        {SDSIM_OPTION_HOST, "take --set host=NAME"},
        {SDSIM_OPTION_DRIVER, "take --set driver=NAME"},
        {SDSIM_OPTION_REPLAY_CARD, "take --set card=NAME"},
        {SDSIM_OPTION_CLOCK, "take --set clock=FREQUENCY"},
        {SDSIM_OPTION_BUS, "take --set bus=BUS"},
        {SDSIM_OPTION_FILESYSTEM, "take --set filesystem.type=TYPE"},
        {SDSIM_OPTION_API, "take --set file.api=API"},
        {SDSIM_OPTION_FROM, "a scenario is YAML"},
        {SDSIM_OPTION_LOG_FILE, "a scenario is YAML"},
    };
    if (traced && arguments->operand_count > 3) {
        fputs("error: a trace takes a scenario and one of its runs\n", stderr);
        return false;
    }
    for (size_t i = 0; !traced && i < sizeof rows / sizeof *rows; i++) {
        if (arguments->values[rows[i].option] != NULL) {
            fprintf(stderr, "error: --%s is for traces\nhelp: %s\n",
                    sdsim_option(rows[i].option)->name, rows[i].help);
            return false;
        }
    }
    return true;
}

/* ---- printing ---- */

static void print_json(const struct job *job, FILE *out)
{
    struct sdsim_json json;
    sdsim_json_start(&json, out);
    sdsim_json_object(&json, NULL);
    sdsim_json_array(&json, "explanations");
    for (size_t i = 0; i < job->count; i++) {
        sdsim_explain_report_json(&job->reports[i], &json);
    }
    sdsim_json_end(&json);
    sdsim_json_end(&json);
}

static bool print_text(const struct job *job, const struct sdsim_style *style, FILE *out)
{
    const bool chosen = job->traced || job->arguments->operand_count > 1;
    const bool list = !chosen && job->count > 1;
    const bool each = !list || job->arguments->all;
    bool fine = !list || sdsim_explain_report_list(job->reports, job->count, style, out);
    if (list && !each) {
        fputs("\nName a run, or say --all, to see why, and what else would change it.\n", out);
    }
    for (size_t i = 0; each && i < job->count; i++) {
        if (list || i > 0) {
            fputc('\n', out);
        }
        fine = fine && sdsim_explain_report_print(&job->reports[i], style, out);
    }
    return fine;
}

static enum sdsim_exit print(const struct job *job)
{
    const struct sdsim_style style = sdsim_output_style(job->arguments);
    struct sdsim_output output;
    if (!sdsim_output_open(&output)) {
        return SDSIM_EXIT_FAULT;
    }
    bool fine = true;
    if (job->arguments->json) {
        print_json(job, output.stream);
    } else if (job->arguments->csv) {
        sdsim_explain_report_csv_head(output.stream);
        for (size_t i = 0; i < job->count; i++) {
            sdsim_explain_report_csv(&job->reports[i], output.stream);
        }
    } else {
        fine = print_text(job, &style, output.stream);
    }
    if (!fine) {
        fputs("error: out of memory\n", stderr);
        sdsim_output_discard(&output);
        return SDSIM_EXIT_FAULT;
    }
    return sdsim_output_send(&output, job->arguments->output);
}

/* ---- the command ---- */

static enum sdsim_exit exit_of(enum sdsim_failure failure)
{
    static const enum sdsim_exit codes[] = {
        [SDSIM_FAILURE_NONE] = SDSIM_EXIT_INPUT, /* it can't be set up */
        [SDSIM_FAILURE_INPUT] = SDSIM_EXIT_INPUT,
        [SDSIM_FAILURE_RUN] = SDSIM_EXIT_FINDING,
        [SDSIM_FAILURE_MEMORY] = SDSIM_EXIT_FAULT,
    };
    return codes[failure];
}

static void free_job(struct job *job)
{
    for (size_t i = 0; i < job->count && job->reports != NULL; i++) {
        sdsim_explanation_free(job->reports[i].explanation);
    }
    if (job->traced) {
        sdsim_explain_trace_close(&job->trace);
    }
    free(job->reports);
    free(job->subjects);
    free(job->again);
    sdsim_cli_close(&job->session);
}

static enum sdsim_exit run(const struct sdsim_arguments *arguments)
{
    struct job job = {.arguments = arguments};
    const bool traced = !sdsim_is_scenario(arguments->operands[0]);
    if (!check_options(arguments, traced)) {
        return SDSIM_EXIT_INPUT;
    }
    enum sdsim_exit code = SDSIM_EXIT_FAULT;
    if (sdsim_cli_open(&job.session)) {
        const bool done = traced ? explain_trace(&job) : explain_scenario(&job);
        code = exit_of(job.failure);
        if (!sdsim_cli_report(&job.session) && done) {
            code = print(&job);
        }
    }
    free_job(&job);
    return code;
}

static const enum sdsim_option_id options[] = {
    SDSIM_OPTION_ALL,  SDSIM_OPTION_WHATIF_DRAWS, SDSIM_OPTION_THINK,       SDSIM_OPTION_BOARD,
    SDSIM_OPTION_HOST, SDSIM_OPTION_DRIVER,       SDSIM_OPTION_REPLAY_CARD, SDSIM_OPTION_CLOCK,
    SDSIM_OPTION_BUS,  SDSIM_OPTION_FILESYSTEM,   SDSIM_OPTION_API,         SDSIM_OPTION_SET,
    SDSIM_OPTION_SEED, SDSIM_OPTION_FROM,         SDSIM_OPTION_LOG_FILE,    SDSIM_OPTION_JSON,
    SDSIM_OPTION_CSV,  SDSIM_OPTION_OUTPUT,       SDSIM_OPTION_COLOR,       SDSIM_OPTION_JOBS,
    SDSIM_OPTION_HELP, SDSIM_OPTION_COUNT,
};

const struct sdsim_command sdsim_command_explain = {
    .name = "explain",
    .operands = "SCENARIO [RUN...] | TRACE [SCENARIO [RUN]]",
    .summary = "tell why a prediction is what it is, and what would change it",
    .details =
        "SCENARIO is a file, or the name of a scenario that 'sdsim list scenario' shows; one with "
        "several runs gives a table, and a run that is named, or each with --all, an explanation. "
        "TRACE is anything 'sdsim replay' takes, with the same options but --call and --rows.\n"
        "First stands what it is and what it is not: 'not the card' if a card that never makes the "
        "host wait would bring less than 10%, 'it is the card' if it would at least double the "
        "speed; the same for bus, microcontroller and file system. Then the way from the raw rate "
        "of the bus (width times real clock) down to the prediction: the steps' times add up to "
        "the "
        "run's, and 'at most' is what would be reached if all steps below took no time. Under it, "
        "for each step that counts, the rule that makes it and what gives it away on the bench; "
        "each such tell was computed by a simulation or from the account. 'if this took no time' "
        "ranks the usual suspects by what their absence would bring.\n"
        "At the end stand changes that can be made, ranked by gain, with cost and risk. Each was "
        "simulated with the --set that is printed: the same command with it gives the same "
        "number. Gains are of speed for each byte, or each call where no bytes move. With --draws "
        "each has a 90% interval; every draw shares its luck with the same draw of the run "
        "itself.\n"
        "The JSON is {explanations [{subject, id, board, host, driver, card, bus, bus_hz, metric, "
        "unit, predicted, seconds, bytes, calls, raw_rate, ceiling_metric, waterfall [{id, title, "
        "layer, seconds, share, until_seconds, ceiling, rule, tells}], verdicts [{id, cause, gain, "
        "text}], suspects [{id, title, gain, value, metric, call_seconds, verdict}], tells [{id, "
        "step, gain, text}], whatifs [{id, title, set, command, predicted, metric, gain, low, "
        "high, cost, risk}], draws}]}, times in seconds. The CSV has "
        "a line for each step, verdict, suspect, tell and what-if.\n",
    .least = 1,
    .most = 100,
    .options = options,
    .needs_file = sdsim_spool_usual,
    .run = run,
};
