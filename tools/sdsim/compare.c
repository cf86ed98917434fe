#include "command.h"

#include <stdlib.h>

#include "compare_measurements.h"
#include "files.h"
#include "output.h"
#include "predict.h"
#include "report/comparison.h"
#include "session.h"
#include "spool.h"

/* All runs with a measured value, in the order of the files. */
struct rows {
    struct sdsim_job *jobs;
    size_t count;
    size_t capacity;
};

static bool add_row(struct rows *rows, const struct sdsim_scenario *scenario,
                    const struct sdsim_run *run)
{
    if (rows->count == rows->capacity) {
        const size_t capacity = rows->capacity == 0 ? 16 : 2 * rows->capacity;
        struct sdsim_job *jobs = realloc(rows->jobs, capacity * sizeof *jobs);
        if (jobs == NULL) {
            return false;
        }
        rows->jobs = jobs;
        rows->capacity = capacity;
    }
    sdsim_job_init(&rows->jobs[rows->count++], scenario, run);
    return true;
}

static void free_rows(struct rows *rows)
{
    for (size_t i = 0; i < rows->count; i++) {
        sdsim_job_free(&rows->jobs[i]);
    }
    free(rows->jobs);
}

/* Adds the measured runs of a scenario. */
static void add_scenario(struct sdsim_cli_session *session, const struct sdsim_scenario *scenario,
                         struct rows *rows)
{
    for (size_t i = 0; i < scenario->count; i++) {
        const struct sdsim_run *run = &scenario->runs[i];
        struct sdsim_setup setup;
        if (sdsim_setup_bind(session->config, run, 0, &setup, &session->diags) &&
            setup.run.measured.given && !add_row(rows, scenario, run)) {
            sdsim_error(&session->diags, NULL, "out of memory");
            return;
        }
    }
}

/* Loads all files, so that every mistake in any of them is told at once. */
static void load_all(struct sdsim_cli_session *session, const struct sdsim_arguments *arguments,
                     struct sdsim_files *files, struct rows *rows)
{
    for (size_t i = 0; i < arguments->operand_count; i++) {
        (void)sdsim_files_add(files, session, arguments->operands[i], SDSIM_FILES_SCENARIOS);
    }
    for (size_t i = 0; i < files->count; i++) {
        const struct sdsim_scenario *scenario = sdsim_scenario_load(
            session->config, files->paths[i], arguments->overrides, &session->diags);
        if (scenario != NULL) {
            add_scenario(session, scenario, rows);
        }
    }
    sdsim_jobs_refuse_idle(session, rows->jobs, rows->count, arguments->overrides);
}

static bool print(const struct sdsim_arguments *arguments,
                  const struct sdsim_comparison *comparison, FILE *out)
{
    const struct sdsim_style style = sdsim_output_style(arguments);
    if (arguments->json) {
        sdsim_comparison_json(comparison, out);
        return true;
    }
    if (arguments->csv) {
        sdsim_comparison_csv(comparison, out);
        return true;
    }
    return sdsim_comparison_print(comparison, &style, out);
}

static enum sdsim_exit print_rows(const struct sdsim_arguments *arguments, const struct rows *rows)
{
    struct sdsim_run_report *reports = calloc(rows->count + 1, sizeof *reports);
    struct sdsim_comparison comparison;
    struct sdsim_output output;
    if (!sdsim_output_open(&output)) {
        free(reports);
        return SDSIM_EXIT_FAULT;
    }
    for (size_t i = 0; reports != NULL && i < rows->count; i++) {
        reports[i] = rows->jobs[i].report;
    }
    enum sdsim_exit code = SDSIM_EXIT_FAULT;
    if (reports == NULL || !sdsim_compare(&comparison, reports, rows->count) ||
        !print(arguments, &comparison, output.stream)) {
        fputs("error: out of memory\n", stderr);
        sdsim_output_discard(&output);
    } else {
        code = sdsim_output_send(&output, arguments->output);
        if (code == SDSIM_EXIT_OK && comparison.outside > 0) {
            code = SDSIM_EXIT_FINDING;
        }
    }
    free(reports);
    return code;
}

static enum sdsim_exit compare_in(struct sdsim_cli_session *session,
                                  const struct sdsim_arguments *arguments)
{
    struct sdsim_files files = {.paths = NULL};
    struct rows rows = {.jobs = NULL};
    enum sdsim_exit code = SDSIM_EXIT_INPUT;
    load_all(session, arguments, &files, &rows);
    if (!sdsim_cli_report(session)) {
        code = sdsim_predict_jobs(session->config, rows.jobs, rows.count, arguments->draws,
                                  arguments->jobs);
        code = code == SDSIM_EXIT_OK ? print_rows(arguments, &rows) : code;
    }
    free_rows(&rows);
    sdsim_files_free(&files);
    return code;
}

/* What is compared: scenarios, or the records of a file. False after a message. */
static bool check_arguments(const struct sdsim_arguments *arguments)
{
    const bool measurements = arguments->values[SDSIM_OPTION_MEASUREMENTS] != NULL;
    const char *complaint = NULL;
    if (!measurements && arguments->operand_count == 0) {
        complaint = "missing arguments";
    } else if (measurements && arguments->operand_count > 0) {
        complaint = "--measurements takes no scenarios besides its file";
    } else if (!measurements && arguments->values[SDSIM_OPTION_ROWS] != NULL) {
        complaint = "--rows needs --measurements";
    }
    if (complaint != NULL) {
        fprintf(stderr,
                "error: %s\nhelp: usage: sdsim compare [OPTION...] PATH... or sdsim compare "
                "[OPTION...] --measurements FILE\n",
                complaint);
    }
    return complaint == NULL;
}

static enum sdsim_exit compare(const struct sdsim_arguments *arguments)
{
    if (!check_arguments(arguments)) {
        return SDSIM_EXIT_INPUT;
    }
    const bool measurements = arguments->values[SDSIM_OPTION_MEASUREMENTS] != NULL;
    return sdsim_cli_in_session(measurements ? sdsim_compare_measurements : compare_in, arguments);
}

static const enum sdsim_option_id options[] = {
    SDSIM_OPTION_SET,          SDSIM_OPTION_SEED,   SDSIM_OPTION_DRAWS, SDSIM_OPTION_JSON,
    SDSIM_OPTION_CSV,          SDSIM_OPTION_OUTPUT, SDSIM_OPTION_COLOR, SDSIM_OPTION_JOBS,
    SDSIM_OPTION_MEASUREMENTS, SDSIM_OPTION_ROWS,   SDSIM_OPTION_HELP,  SDSIM_OPTION_COUNT,
};

const struct sdsim_command sdsim_command_compare = {
    .name = "compare",
    .operands = "PATH...",
    .summary = "hold predictions against what was measured on real hardware",
    .details =
        "PATH is a scenario, or a folder, of which all files with 'kind: scenario' are taken. Runs "
        "without a measured value are left out. The exit code is 1 if a prediction is outside its "
        "tolerance or a run ends early (a limit of the driver, a full volume).\n"
        "The JSON is {\"rows\": [{id, scenario, metric, unit, predicted, low, high, measured, "
        "error, measured_low, measured_high, tolerance, within}], \"summary\": {count, "
        "median_abs_error, p90_abs_error, coverage, outside, not_judged, headline {numbers, "
        "fitted, fitted_elsewhere}}}; tolerance and within are null for a run that is not judged. "
        "Values are bytes or lines per second; the error is (predicted "
        "- measured) / measured, of a measured range the point nearest to the prediction; low and "
        "high are the 5th and 95th percentile of the draws. Coverage is the share of measured "
        "values that lie between them. The CSV has the columns of the rows.\n"
        "With --measurements each record of a file becomes a run: one JSON object a line (.jsonl), "
        "or CSV with a line of names (.csv), such as sdbench prints. A record says id, host, "
        "driver, bus, op, metric (throughput_Bps, latency_mean_s, latency_min_s, latency_max_s) "
        "and value, and as far as is known source, group, year, cpu_hz, clock_requested_hz, "
        "clock_hz, api, dma, card, card_class, fs, cluster_bytes, chunk_bytes, total_bytes, "
        "preallocated, sync_per_write and assumptions. Printed is what all come to, by kind of "
        "number, host, bus, driver, operation and card class, in which a group of records weighs "
        "as much as one record; with --rows also each record. The exit code does not depend on "
        "how large the errors are.\n"
        "A record that can't be modelled has a reason, counts as an error of 100% and as not "
        "covered. The longest call counts in the coverage only. In the JSON, predicted, low and "
        "high of such a row are null, scenario, tolerance and within always; each row also has "
        "covered, reason and the fields of its record; the summary has groups, sources, "
        "unpredicted_groups, fitted {headline, other}, kinds [{name, microcontroller, ...}] and "
        "strata {host, bus, driver, op, card_class} of [{name, ...}].\n",
    .least = 0,
    .most = SIZE_MAX,
    .options = options,
    .needs_file = sdsim_spool_scenario,
    .run = compare,
};
