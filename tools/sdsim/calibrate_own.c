#include "calibrate_own.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "measure/forecast.h"
#include "output.h"
#include "report/format.h"
#include "report/own_fit.h"
#include "report/table.h"

/* All files as one list. */
static bool read_all(struct sdsim_cli_session *session, const struct sdsim_arguments *arguments,
                     struct sdsim_measurements *list)
{
    bool fine = true;
    for (size_t i = 0; i < arguments->operand_count; i++) {
        fine = sdsim_measurements_read(list, session->config, arguments->operands[i],
                                       &session->diags) &&
               fine;
    }
    return fine;
}

/* All must be of one board and card, or the fit means nothing. */
static bool is_one_setup(struct sdsim_cli_session *session, const struct sdsim_plans *plans)
{
    const struct sdsim_plan *first = NULL;
    bool fine = true;
    for (size_t i = 0; i < plans->count && fine; i++) {
        const struct sdsim_plan *plan = &plans->items[i];
        const struct sdsim_place place = {.file = plan->measurement->file,
                                          .line = plan->measurement->line};
        if (plan->reason != NULL) {
            sdsim_diag_add(&session->diags, SDSIM_WARNING, &place, NULL, 0, NULL,
                           "left out, it can't be modelled: %s", plan->reason);
            continue;
        }
        if (first == NULL) {
            first = plan;
        } else if (strcmp(first->run.host_name, plan->run.host_name) != 0 ||
                   strcmp(first->run.driver_name, plan->run.driver_name) != 0 ||
                   strcmp(first->run.card_name, plan->run.card_name) != 0) {
            sdsim_diag_add(&session->diags, SDSIM_ERROR, &place, NULL, 0,
                           "calibrate one board with one card at a time",
                           "this is %s, %s and %s, the first record was %s, %s and %s",
                           plan->run.host_name, plan->run.driver_name, plan->run.card_name,
                           first->run.host_name, first->run.driver_name, first->run.card_name);
            fine = false;
        }
    }
    if (fine && first == NULL) {
        sdsim_error(&session->diags, NULL, "no record can be modelled");
    }
    return fine && first != NULL;
}

static const struct sdsim_run *any_run(const struct sdsim_plans *plans)
{
    size_t i = 0;
    while (plans->items[i].reason != NULL) {
        i++;
    }
    return &plans->items[i].run;
}

/* ---- profiles ---- */

static enum sdsim_exit write_profile(const struct sdsim_own_fit *fit, const struct sdsim_run *run,
                                     enum sdsim_profile_kind kind, const char *source,
                                     const char *directory)
{
    char path[4096];
    struct sdsim_output output;
    snprintf(path, sizeof path, "%s/%s.yaml", directory,
             kind == SDSIM_PROFILE_CARD ? "card" : "host");
    if (!sdsim_output_open(&output)) {
        return SDSIM_EXIT_FAULT;
    }
    sdsim_own_fit_profile(fit, run, kind, source, output.stream);
    return sdsim_output_send(&output, path);
}

static enum sdsim_exit write_profiles(const struct sdsim_own_fit *fit,
                                      const struct sdsim_plans *plans,
                                      const struct sdsim_arguments *arguments)
{
    const char *directory = arguments->values[SDSIM_OPTION_DIRECTORY];
    if (directory == NULL) {
        return SDSIM_EXIT_OK;
    }
    if (mkdir(directory, 0777) != 0 && errno != EEXIST) {
        fprintf(stderr, "%s: error: %s\n", directory, strerror(errno));
        return SDSIM_EXIT_FAULT;
    }
    const struct sdsim_run *run = any_run(plans);
    const char *source = arguments->operands[0];
    enum sdsim_exit code = write_profile(fit, run, SDSIM_PROFILE_HOST, source, directory);
    if (code == SDSIM_EXIT_OK) {
        code = write_profile(fit, run, SDSIM_PROFILE_CARD, source, directory);
    }
    return code;
}

/* ---- leave one out ---- */

/* Fits to all records but those of one run and predicts it. */
static bool predict_left_out(const struct sdsim_plans *plans, size_t left, double *predicted)
{
    struct sdsim_own_fit fit = {.before = 0.0};
    struct sdsim_outcome_report report;
    bool *wanted = calloc(plans->count + 1, sizeof *wanted);
    struct sdsim_setup *setup = calloc(1, sizeof *setup);
    char error[200];
    double values[SDSIM_MEASURED_COUNT];
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    bool fine = wanted != NULL && setup != NULL;
    for (size_t i = 0; fine && i < plans->count; i++) {
        wanted[i] = plans->items[i].same != plans->items[left].same;
    }
    fine = fine && sdsim_own_fit(plans, wanted, &fit);
    if (fine) {
        fine = sdsim_setup_bind(plans->config, &plans->items[left].run, 0, setup, &diags);
        struct sdsim_medium *medium = fine ? sdsim_prepare_medium(setup, &report) : NULL;
        fine = medium != NULL && sdsim_forecast_draw(setup, medium, values, error, sizeof error);
        sdsim_medium_destroy(medium);
    }
    sdsim_own_free(&fit);
    if (fine) {
        *predicted = values[plans->items[left].measurement->metric];
    }
    sdsim_diags_free(&diags);
    free(setup);
    free(wanted);
    return fine;
}

static bool print_left_out(const struct sdsim_plans *plans, const struct sdsim_style *style,
                           FILE *out)
{
    static const struct sdsim_column columns[] = {
        {"left out", false, false},
        {"predicted", true, false},
        {"measured", true, false},
        {"error", true, false},
    };
    struct sdsim_table table;
    sdsim_table_init(&table, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < plans->count; i++) {
        const struct sdsim_measurement *measurement = plans->items[i].measurement;
        double predicted;
        char text[40];
        if (plans->items[i].reason != NULL || !predict_left_out(plans, i, &predicted)) {
            continue;
        }
        const enum sdsim_metric metric = measurement->metric == SDSIM_MEASURED_THROUGHPUT
                                             ? SDSIM_METRIC_THROUGHPUT
                                             : SDSIM_METRIC_TIME;
        sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%s", measurement->id);
        sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%s",
                         sdsim_print_value(metric, predicted, text, sizeof text));
        sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%s",
                         sdsim_print_value(metric, measurement->value, text, sizeof text));
        sdsim_table_cell(
            &table, SDSIM_INK_PLAIN, "%s",
            sdsim_print_error(predicted / measurement->value - 1.0, text, sizeof text));
    }
    const bool printed = sdsim_table_print(&table, style, out);
    sdsim_table_free(&table);
    return printed;
}

/* ---- the command ---- */

/* Fits to all and tells what came of it; the values are as they were afterwards. */
static enum sdsim_exit fit_all(struct sdsim_cli_session *session, const struct sdsim_plans *plans,
                               const struct sdsim_arguments *arguments, FILE *out)
{
    const struct sdsim_style style = sdsim_output_style(arguments);
    struct sdsim_own_fit fit;
    enum sdsim_exit code = SDSIM_EXIT_FAULT;
    if (sdsim_own_fit(plans, NULL, &fit) && sdsim_own_fit_print(&fit, &style, out)) {
        fprintf(out, "\nmean error of the measurements: %.1f%% before, %.1f%% after\n",
                100.0 * fit.before, 100.0 * fit.after);
        code = write_profiles(&fit, plans, arguments);
    } else {
        sdsim_error(&session->diags, NULL, "out of memory");
    }
    sdsim_own_free(&fit);
    return code;
}

static enum sdsim_exit calibrate(struct sdsim_cli_session *session, struct sdsim_plans *plans,
                                 const struct sdsim_arguments *arguments)
{
    const struct sdsim_style style = sdsim_output_style(arguments);
    struct sdsim_output output;
    if (!sdsim_output_open(&output)) {
        return SDSIM_EXIT_FAULT;
    }
    enum sdsim_exit code = fit_all(session, plans, arguments, output.stream);
    if (code == SDSIM_EXIT_OK && arguments->values[SDSIM_OPTION_LEAVE_ONE_OUT] != NULL) {
        fputc('\n', output.stream);
        if (!print_left_out(plans, &style, output.stream)) {
            code = SDSIM_EXIT_FAULT;
        }
    }
    const char *directory = arguments->values[SDSIM_OPTION_DIRECTORY];
    if (directory != NULL) {
        fprintf(output.stream, "\nuse it with --set host=%s/host.yaml --set card=%s/card.yaml\n",
                directory, directory);
    }
    if (code != SDSIM_EXIT_OK) {
        sdsim_output_discard(&output);
        return code;
    }
    return sdsim_output_send(&output, NULL);
}

enum sdsim_exit sdsim_calibrate_own(struct sdsim_cli_session *session,
                                    const struct sdsim_arguments *arguments)
{
    struct sdsim_measurements measurements = {.items = NULL};
    struct sdsim_plans plans = {.items = NULL};
    enum sdsim_exit code = SDSIM_EXIT_INPUT;
    if (read_all(session, arguments, &measurements) &&
        sdsim_plans_make(&plans, session->config, &measurements, arguments->overrides,
                         &session->diags) &&
        is_one_setup(session, &plans)) {
        code = calibrate(session, &plans, arguments);
    }
    if (sdsim_cli_report(session) && code == SDSIM_EXIT_OK) {
        code = SDSIM_EXIT_INPUT;
    }
    sdsim_plans_free(&plans);
    sdsim_measurements_free(&measurements);
    return code;
}
