#include "compare_measurements.h"

#include <stdlib.h>

#include "output.h"
#include "report/measured.h"
#include "scoring.h"

/* How many fitted values the predictions use. */
static struct sdsim_fit_count count_fits(const struct sdsim_plans *plans)
{
    struct sdsim_fit_count fits = {.headline = 0};
    const struct sdsim_run **runs = calloc(plans->count + 1, sizeof *runs);
    size_t count = 0;
    for (size_t i = 0; runs != NULL && i < plans->count; i++) {
        if (plans->items[i].same == i && plans->items[i].reason == NULL) {
            runs[count++] = &plans->items[i].run;
        }
    }
    if (runs != NULL) {
        fits = sdsim_fitted_values(runs, count);
    }
    free(runs);
    return fits;
}

static enum sdsim_exit print(const struct sdsim_arguments *arguments,
                             const struct sdsim_measured_report *report)
{
    struct sdsim_output output;
    if (!sdsim_output_open(&output)) {
        return SDSIM_EXIT_FAULT;
    }
    const struct sdsim_style style = sdsim_output_style(arguments);
    bool fine = true;
    if (arguments->json) {
        fine = sdsim_measured_json(report, output.stream);
    } else if (arguments->csv) {
        sdsim_measured_csv(report, output.stream);
    } else {
        fine = sdsim_measured_print(report, &style, output.stream);
    }
    if (!fine) {
        fputs("error: out of memory\n", stderr);
        sdsim_output_discard(&output);
        return SDSIM_EXIT_FAULT;
    }
    return sdsim_output_send(&output, arguments->output);
}

static enum sdsim_exit score(struct sdsim_cli_session *session,
                             const struct sdsim_arguments *arguments,
                             const struct sdsim_measurements *measurements)
{
    struct sdsim_plans plans;
    struct sdsim_score *rows = calloc(measurements->count + 1, sizeof *rows);
    enum sdsim_exit code = SDSIM_EXIT_INPUT;
    if (sdsim_plans_make(&plans, session->config, measurements, arguments->overrides,
                         &session->diags)) {
        code = SDSIM_EXIT_FAULT;
        if (rows != NULL &&
            sdsim_score_plans(session->config, &plans, arguments->draws, arguments->jobs, rows)) {
            const struct sdsim_measured_report report = {
                .rows = rows,
                .count = measurements->count,
                .fitted = count_fits(&plans),
                .rows_too = arguments->values[SDSIM_OPTION_ROWS] != NULL,
            };
            code = print(arguments, &report);
        }
    }
    sdsim_plans_free(&plans);
    free(rows);
    return code;
}

enum sdsim_exit sdsim_compare_measurements(struct sdsim_cli_session *session,
                                           const struct sdsim_arguments *arguments)
{
    struct sdsim_measurements measurements = {.items = NULL};
    enum sdsim_exit code = SDSIM_EXIT_INPUT;
    const char *path = arguments->values[SDSIM_OPTION_MEASUREMENTS];
    if (sdsim_measurements_read(&measurements, session->config, path, &session->diags)) {
        code = score(session, arguments, &measurements);
    }
    (void)sdsim_cli_report(session);
    sdsim_measurements_free(&measurements);
    return code;
}
