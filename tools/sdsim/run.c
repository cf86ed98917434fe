#include "command.h"

#include <stdlib.h>
#include <string.h>

#include "output.h"
#include "predict.h"
#include "record.h"
#include "report/run_report.h"
#include "run_names.h"
#include "run_trace.h"
#include "session.h"
#include "spool.h"

/* The runs that were asked for, in the order they were asked for. */
struct selection {
    const struct sdsim_run **runs;
    size_t count;
};

static bool select_runs(struct sdsim_cli_session *session, const struct sdsim_scenario *scenario,
                        char *const *ids, size_t id_count, struct selection *selection)
{
    selection->count = id_count > 0 ? id_count : scenario->count;
    selection->runs = calloc(selection->count, sizeof *selection->runs);
    if (selection->runs == NULL) {
        sdsim_error(&session->diags, NULL, "out of memory");
        return false;
    }
    bool fine = true;
    for (size_t i = 0; i < selection->count; i++) {
        selection->runs[i] =
            id_count > 0 ? sdsim_cli_find_run(session, scenario, ids[i]) : &scenario->runs[i];
        fine = fine && selection->runs[i] != NULL;
    }
    return fine;
}

static void lint(struct sdsim_cli_session *session, const struct selection *selection)
{
    for (size_t i = 0; i < selection->count; i++) {
        struct sdsim_setup setup;
        if (sdsim_setup_bind(session->config, selection->runs[i], 0, &setup, &session->diags)) {
            sdsim_setup_lint(selection->runs[i], &setup, &session->diags);
        }
    }
}

/* ---- printing ---- */

static void print_json(const struct sdsim_run_report *reports, size_t count, FILE *out)
{
    struct sdsim_json json;
    sdsim_json_start(&json, out);
    sdsim_json_object(&json, NULL);
    sdsim_json_array(&json, "runs");
    for (size_t i = 0; i < count; i++) {
        sdsim_run_report_json(&reports[i], &json);
    }
    sdsim_json_end(&json);
    sdsim_json_end(&json);
}

static bool print_text(const struct sdsim_run_report *reports, size_t count, bool list, bool each,
                       const struct sdsim_style *style, FILE *out)
{
    bool fine = !list || sdsim_run_report_print_list(reports, count, style, out);
    if (list && !each) {
        fputs("\nName a run, or say --all, to see where its time goes.\n", out);
    }
    for (size_t i = 0; each && i < count; i++) {
        if (list || i > 0) {
            fputc('\n', out);
        }
        fine = fine && sdsim_run_report_print(&reports[i], style, out);
    }
    return fine;
}

static enum sdsim_exit print_reports(const struct sdsim_arguments *arguments,
                                     const struct sdsim_run_report *reports, size_t count)
{
    const bool chosen = arguments->operand_count > 1;
    const bool list = !chosen && count > 1;
    const struct sdsim_style style = sdsim_output_style(arguments);
    struct sdsim_output output;
    if (!sdsim_output_open(&output)) {
        return SDSIM_EXIT_FAULT;
    }
    bool fine = true;
    if (arguments->json) {
        print_json(reports, count, output.stream);
    } else if (arguments->csv) {
        sdsim_run_report_csv(reports, count, output.stream);
    } else {
        fine = print_text(reports, count, list, !list || arguments->all, &style, output.stream);
    }
    if (!fine) {
        fputs("error: out of memory\n", stderr);
        sdsim_output_discard(&output);
        return SDSIM_EXIT_FAULT;
    }
    return sdsim_output_send(&output, arguments->output);
}

/* ---- the command ---- */

static enum sdsim_exit predict(struct sdsim_cli_session *session,
                               const struct sdsim_arguments *arguments,
                               const struct sdsim_scenario *scenario,
                               const struct selection *selection)
{
    const size_t count = selection->count;
    struct sdsim_job *jobs = calloc(count, sizeof *jobs);
    struct sdsim_run_report *reports = calloc(count, sizeof *reports);
    enum sdsim_exit code = SDSIM_EXIT_FAULT;
    if (jobs == NULL || reports == NULL) {
        fputs("error: out of memory\n", stderr);
    } else {
        for (size_t i = 0; i < count; i++) {
            sdsim_job_init(&jobs[i], scenario, selection->runs[i]);
            jobs[i].with_exact = true;
        }
        code = sdsim_predict_jobs(session->config, jobs, count, arguments->draws, arguments->jobs);
        for (size_t i = 0; i < count; i++) {
            reports[i] = jobs[i].report;
            sdsim_job_free(&jobs[i]);
        }
        if (code == SDSIM_EXIT_OK) {
            code = print_reports(arguments, reports, count);
        }
    }
    free(reports);
    free(jobs);
    return code;
}

/* Records the run, if that is asked for. */
static enum sdsim_exit record(struct sdsim_cli_session *session,
                              const struct sdsim_arguments *arguments,
                              const struct sdsim_scenario *scenario,
                              const struct selection *selection)
{
    const char *path = arguments->values[SDSIM_OPTION_RECORD];
    if (path == NULL) {
        return SDSIM_EXIT_OK;
    }
    if (selection->count != 1) {
        fputs("error: --record takes one run: name it\n", stderr);
        return SDSIM_EXIT_INPUT;
    }
    return sdsim_record_run(session, scenario, selection->runs[0], arguments->overrides, path);
}

/* What the calls were, if that was asked for. */
static enum sdsim_exit write_trace(struct sdsim_cli_session *session,
                                   const struct sdsim_arguments *arguments,
                                   const struct selection *selection)
{
    const char *trace = arguments->values[SDSIM_OPTION_TRACE];
    if (trace == NULL) {
        return SDSIM_EXIT_OK;
    }
    if (selection->count != 1) {
        fputs("error: --trace takes a single run: name one\n", stderr);
        return SDSIM_EXIT_INPUT;
    }
    return sdsim_run_write_trace(session, arguments->operands[0], selection->runs[0], trace);
}

static enum sdsim_exit run_in(struct sdsim_cli_session *session,
                              const struct sdsim_arguments *arguments)
{
    const char *path = sdsim_cli_find(session, "scenario", arguments->operands[0]);
    const struct sdsim_scenario *scenario =
        path != NULL ? sdsim_cli_load_scenario(session, path, arguments, arguments->overrides,
                                               SDSIM_FOR_PREDICTIONS)
                     : NULL;
    struct selection selection = {.runs = NULL};
    if (scenario != NULL && select_runs(session, scenario, arguments->operands + 1,
                                        arguments->operand_count - 1, &selection)) {
        lint(session, &selection);
    }
    enum sdsim_exit code = SDSIM_EXIT_INPUT;
    if (!sdsim_cli_report(session)) {
        code = record(session, arguments, scenario, &selection);
        if (code == SDSIM_EXIT_OK) {
            code = write_trace(session, arguments, &selection);
        }
        if (code == SDSIM_EXIT_OK) {
            code = predict(session, arguments, scenario, &selection);
        }
    }
    free(selection.runs);
    return code;
}

static enum sdsim_exit run(const struct sdsim_arguments *arguments)
{
    return sdsim_cli_in_session(run_in, arguments);
}

static const enum sdsim_option_id options[] = {
    SDSIM_OPTION_ALL,    SDSIM_OPTION_SET,   SDSIM_OPTION_SEED,   SDSIM_OPTION_DRAWS,
    SDSIM_OPTION_JSON,   SDSIM_OPTION_CSV,   SDSIM_OPTION_OUTPUT, SDSIM_OPTION_COLOR,
    SDSIM_OPTION_RECORD, SDSIM_OPTION_TRACE, SDSIM_OPTION_JOBS,   SDSIM_OPTION_HELP,
    SDSIM_OPTION_COUNT,
};

const struct sdsim_command sdsim_command_run = {
    .name = "run",
    .operands = "SCENARIO [RUN...]",
    .summary = "predict a scenario and show where the time goes",
    .details =
        "SCENARIO is a file, or the name of a scenario that 'sdsim list scenario' shows. A "
        "scenario "
        "with several runs gives a table; name runs by their id, or say --all, for their reports. "
        "- is "
        "standard input; pipes and <(...) do as well.\n"
        "The report breaks the time of the typical run down by kind: payload clocks carry data; "
        "protocol clocks carry commands, responses, tokens and CRC; in a gap the bus stands still "
        "inside a transfer; polling looks, or doesn't look, at a card that is ready; access, busy "
        "and pauses are the card's; copying and host CPU are the firmware's. The kinds add up to "
        "the total exactly.\n"
        "--record writes what the typical run does, and when, to a file that sdsim-view shows.\n"
        "The exit code is 1, with the reason on standard error and no report, if a run ends "
        "early: a limit of the driver, a full volume.\n"
        "The JSON is {\"runs\": [...]}, one object a run; rates in bytes or lines per second, "
        "times "
        "in seconds: scenario, id, description, source, board, host, driver, card, bus, clock "
        "{asked_hz, real_hz, explanation}, metric, unit, predicted, low, high, draws, "
        "measured_low, "
        "measured_high, error, tolerance, within, seconds, calls, bytes, init_seconds, kinds, "
        "purposes, account, metadata_share, commands [{command, count, per_call, sectors_each}], "
        "sectors_read, sectors_written, bus_clocks, mean_call, shortest_call, "
        "longest_call {seconds, index}, longest_wait {seconds, at}, stream "
        "(null unless data arrive by themselves), inputs {path: value}, at_asked_clock {hz, "
        "predicted}, readings. The CSV has a line a run: names, "
        "clock, "
        "prediction, the seconds of each kind, counters and extremes.\n",
    .least = 1,
    .most = SIZE_MAX,
    .options = options,
    .needs_file = sdsim_spool_scenario,
    .run = run,
};
