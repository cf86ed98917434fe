#include "command.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calibrate_corpus.h"
#include "data_copy.h"
#include "measure/folds.h"
#include "measure/points.h"
#include "output.h"
#include "report/measured.h"
#include "scoring.h"

/* Predicts the records of one fold with a data directory that has not seen them; rows of others are
 * left alone. */
static enum sdsim_exit score_fold(const char *directory, const char *path, const unsigned *folds,
                                  unsigned fold, const struct sdsim_arguments *arguments,
                                  struct sdsim_cli_session *keeper, struct sdsim_points *points,
                                  struct sdsim_score *rows)
{
    /* Texts of the rows must outlive this configuration, so it is the keeper's to free. */
    struct sdsim_measurements measurements = {.items = NULL};
    struct sdsim_plans plans = {.items = NULL};
    enum sdsim_exit code = SDSIM_EXIT_FAULT;
    struct sdsim_diags *diags = &keeper->diags;
    keeper->config = sdsim_config_create(directory);
    if (keeper->config == NULL ||
        !sdsim_measurements_read(&measurements, keeper->config, path, diags)) {
        return code;
    }
    struct sdsim_measurements left_out = {
        .items = calloc(measurements.count + 1, sizeof *left_out.items)};
    for (size_t i = 0; left_out.items != NULL && i < measurements.count; i++) {
        if (folds[i] == fold) {
            left_out.items[left_out.count++] = measurements.items[i];
        }
    }
    struct sdsim_score *found = calloc(left_out.count + 1, sizeof *found);
    if (left_out.items != NULL && found != NULL &&
        sdsim_plans_make(&plans, keeper->config, &left_out, NULL, diags) &&
        sdsim_score_plans(keeper->config, &plans, arguments->draws, arguments->jobs, found)) {
        size_t next = 0;
        for (size_t i = 0; i < measurements.count; i++) {
            if (folds[i] == fold) {
                rows[i] = found[next++];
            }
        }
        code = sdsim_points_add(points, &plans) ? SDSIM_EXIT_OK : SDSIM_EXIT_FAULT;
    }
    sdsim_plans_free(&plans);
    free(found);
    /* Rows point at their measurements; both lists stay until the program ends. */
    return code;
}

struct folds_run {
    const struct sdsim_arguments *arguments;
    const char *path;
    const struct sdsim_measurements *measurements;
    const unsigned *folds;
    struct sdsim_score *rows;
    struct sdsim_cli_session keepers[SDSIM_FOLDS];
    struct sdsim_fit_result results[SDSIM_FOLDS];
    struct sdsim_points points;
};

static enum sdsim_exit run_fold(struct folds_run *run, unsigned fold)
{
    char directory[64];
    struct sdsim_cli_session session;
    snprintf(directory, sizeof directory, "/tmp/sdsim-fold-%ld-%u", (long)getpid(), fold);
    if (!sdsim_cli_open(&session)) {
        return SDSIM_EXIT_FAULT;
    }
    enum sdsim_exit code = sdsim_fit_fold(&session, run->measurements, run->folds, fold,
                                          run->arguments->jobs, directory, &run->results[fold - 1]);
    (void)sdsim_cli_report(&session);
    sdsim_cli_close(&session);
    if (code == SDSIM_EXIT_OK) {
        sdsim_diags_init(&run->keepers[fold - 1].diags);
        code = score_fold(directory, run->path, run->folds, fold, run->arguments,
                          &run->keepers[fold - 1], &run->points, run->rows);
        (void)sdsim_cli_report(&run->keepers[fold - 1]);
        sdsim_data_remove(directory);
    }
    return code;
}

static enum sdsim_exit print(const struct sdsim_arguments *arguments,
                             const struct sdsim_measured_report *report)
{
    struct sdsim_output output;
    if (!sdsim_output_open(&output)) {
        return SDSIM_EXIT_FAULT;
    }
    const struct sdsim_style style = sdsim_output_style(arguments);
    const bool fine = arguments->json ? sdsim_measured_json(report, output.stream)
                                      : sdsim_measured_print(report, &style, output.stream);
    if (!fine) {
        sdsim_output_discard(&output);
        return SDSIM_EXIT_FAULT;
    }
    return sdsim_output_send(&output, arguments->output);
}

static enum sdsim_exit accuracy(const struct sdsim_arguments *arguments)
{
    struct sdsim_cli_session session;
    struct sdsim_measurements measurements = {.items = NULL};
    enum sdsim_exit code = SDSIM_EXIT_INPUT;
    if (!sdsim_cli_open(&session)) {
        return SDSIM_EXIT_FAULT;
    }
    const char *path = arguments->operands[0];
    if (sdsim_measurements_read(&measurements, session.config, path, &session.diags)) {
        struct folds_run run = {
            .arguments = arguments,
            .path = path,
            .measurements = &measurements,
            .rows = calloc(measurements.count + 1, sizeof *run.rows),
        };
        unsigned *folds = calloc(measurements.count + 1, sizeof *folds);
        code = SDSIM_EXIT_FAULT;
        if (run.rows != NULL && folds != NULL &&
            sdsim_folds_assign(&measurements, SDSIM_FOLDS, SDSIM_FOLD_SEED, folds)) {
            code = SDSIM_EXIT_OK;
        }
        run.folds = folds;
        for (unsigned fold = 1; code == SDSIM_EXIT_OK && fold <= SDSIM_FOLDS; fold++) {
            code = run_fold(&run, fold);
        }
        for (int given = 1; given <= 2; given++) {
            fprintf(stderr, "%d point: read %.1f%% (%zu groups), write %.1f%% (%zu groups)\n",
                    given, 100.0 * sdsim_points_median(&run.points, SDSIM_POINTS_READ, given),
                    run.points.count[SDSIM_POINTS_READ][given - 1],
                    100.0 * sdsim_points_median(&run.points, SDSIM_POINTS_WRITE, given),
                    run.points.count[SDSIM_POINTS_WRITE][given - 1]);
        }
        sdsim_points_free(&run.points);
        if (code == SDSIM_EXIT_OK && sdsim_scores_number(run.rows, measurements.count)) {
            const struct sdsim_measured_report report = {.rows = run.rows,
                                                         .count = measurements.count};
            code = print(arguments, &report);
        }
        free(run.rows);
        free(folds);
    }
    (void)sdsim_cli_report(&session);
    sdsim_measurements_free(&measurements);
    sdsim_cli_close(&session);
    return code;
}

static const enum sdsim_option_id options[] = {
    SDSIM_OPTION_DRAWS,  SDSIM_OPTION_JOBS, SDSIM_OPTION_JSON,
    SDSIM_OPTION_OUTPUT, SDSIM_OPTION_HELP, SDSIM_OPTION_COUNT,
};

const struct sdsim_command sdsim_command_accuracy = {
    .name = "accuracy",
    .operands = "FILE",
    .summary = "how far predictions are off on measurements they were not fitted to",
    .details = "",
    .least = 1,
    .most = 1,
    .options = options,
    .run = accuracy,
};
