#include "command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "calibrate_corpus.h"
#include "data_copy.h"
#include "measure/folds.h"
#include "output.h"
#include "plot.h"
#include "report/accuracy_report.h"
#include "report/measured.h"
#include "scoring.h"

/* All of a run: five folds, each fitted and then predicted. */
struct study {
    const struct sdsim_arguments *arguments;
    struct sdsim_cli_session session; /* owns the measurements' texts, and the rows' reasons */
    struct sdsim_measurements measurements;
    unsigned *folds; /* by record */
    struct sdsim_score *rows;
    struct sdsim_accuracy accuracy;
};

/* ---- one fold ---- */

/* The records of a fold, and where they stand in the whole list. */
struct part {
    struct sdsim_measurements list;
    size_t *places;
};

static bool take_part(const struct study *study, unsigned fold, struct part *part)
{
    const size_t count = study->measurements.count;
    part->list = (struct sdsim_measurements){.items = calloc(count + 1, sizeof *part->list.items)};
    part->places = calloc(count + 1, sizeof *part->places);
    for (size_t i = 0; part->list.items != NULL && part->places != NULL && i < count; i++) {
        if (study->folds[i] == fold) {
            part->places[part->list.count] = i;
            part->list.items[part->list.count++] = study->measurements.items[i];
        }
    }
    return part->list.items != NULL && part->places != NULL;
}

/* A reason must outlive the configuration of its fold. */
static const char *keep_reason(struct study *study, const char *reason)
{
    char *copy = sdsim_config_alloc(study->session.config, strlen(reason) + 1, 1);
    if (copy != NULL) {
        memcpy(copy, reason, strlen(reason));
    }
    return copy != NULL ? copy : "out of memory";
}

static bool predict_part(struct study *study, struct sdsim_config *config, const struct part *part,
                         struct sdsim_diags *diags)
{
    const struct sdsim_arguments *arguments = study->arguments;
    struct sdsim_plans plans = {.items = NULL};
    struct sdsim_score *found = calloc(part->list.count + 1, sizeof *found);
    const bool fine = found != NULL && sdsim_plans_make(&plans, config, &part->list, NULL, diags) &&
                      sdsim_score_plans(config, &plans, arguments->draws, arguments->jobs, found) &&
                      (arguments->draws == 0 || sdsim_points_add(&study->accuracy.points, &plans));
    for (size_t i = 0; fine && i < part->list.count; i++) {
        struct sdsim_score *row = &study->rows[part->places[i]];
        *row = found[i];
        row->measurement = &study->measurements.items[part->places[i]];
        row->reason = row->reason != NULL ? keep_reason(study, row->reason) : NULL;
    }
    sdsim_plans_free(&plans);
    free(found);
    return fine;
}

/* Predicts the records of a fold with a data directory that has not seen them. */
static enum sdsim_exit score_fold(struct study *study, unsigned fold, const char *directory)
{
    struct part part = {.places = NULL};
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    struct sdsim_config *config = sdsim_config_create(directory);
    const bool fine = config != NULL && take_part(study, fold, &part) &&
                      predict_part(study, config, &part, &diags);
    sdsim_diags_print(&diags, stderr);
    sdsim_diags_free(&diags);
    if (config != NULL) {
        sdsim_config_destroy(config);
    }
    free(part.list.items);
    free(part.places);
    return fine ? SDSIM_EXIT_OK : SDSIM_EXIT_FAULT;
}

static enum sdsim_exit run_fold(struct study *study, unsigned fold)
{
    char directory[64];
    struct sdsim_cli_session session;
    const char *temporary = getenv("TMPDIR");
    snprintf(directory, sizeof directory, "%.30s/sdsim-%ld-fold-%u",
             temporary != NULL ? temporary : "/tmp", (long)getpid(), fold);
    if (!sdsim_cli_open(&session)) {
        return SDSIM_EXIT_FAULT;
    }
    enum sdsim_exit code = sdsim_fit_fold(&session, &study->measurements, study->folds, fold,
                                          study->arguments->draws > 0, study->arguments->jobs,
                                          directory, &study->accuracy.folds[fold - 1]);
    (void)sdsim_cli_report(&session);
    sdsim_cli_close(&session);
    if (code == SDSIM_EXIT_OK) {
        code = score_fold(study, fold, directory);
        sdsim_data_remove(directory);
    }
    return code;
}

/* ---- the report ---- */

static bool scatter_data(const void *context, FILE *out)
{
    return sdsim_accuracy_data(context, out);
}

static void scatter_script(const void *context, enum sdsim_picture_format format, const char *data,
                           const char *picture, FILE *out)
{
    (void)context;
    sdsim_accuracy_script(format, data, picture, out);
}

static enum sdsim_exit write_page(const struct study *study, const char *directory)
{
    char path[4096];
    struct sdsim_output output;
    const struct sdsim_plot plot = {scatter_data, scatter_script, &study->accuracy};
    if (mkdir(directory, 0777) != 0 && errno != EEXIST) {
        fprintf(stderr, "%s: error: %s\n", directory, strerror(errno));
        return SDSIM_EXIT_FAULT;
    }
    snprintf(path, sizeof path, "%s/accuracy.svg", directory);
    if (sdsim_plot_draw(&plot, path, false) != SDSIM_EXIT_OK || !sdsim_output_open(&output)) {
        return SDSIM_EXIT_FAULT;
    }
    if (!sdsim_accuracy_markdown(&study->accuracy, "accuracy.svg", output.stream)) {
        sdsim_output_discard(&output);
        return SDSIM_EXIT_FAULT;
    }
    snprintf(path, sizeof path, "%s/ACCURACY.md", directory);
    return sdsim_output_send(&output, path);
}

static enum sdsim_exit print_summary(const struct study *study)
{
    struct sdsim_output output;
    const struct sdsim_style style = sdsim_output_style(study->arguments);
    const struct sdsim_measured_report report = {.rows = study->rows,
                                                 .count = study->measurements.count};
    if (!sdsim_output_open(&output)) {
        return SDSIM_EXIT_FAULT;
    }
    const bool fine = study->arguments->json ? sdsim_measured_json(&report, output.stream)
                                             : sdsim_measured_print(&report, &style, output.stream);
    if (!fine) {
        sdsim_output_discard(&output);
        return SDSIM_EXIT_FAULT;
    }
    return sdsim_output_send(&output, NULL);
}

static enum sdsim_exit count_values(struct study *study)
{
    struct sdsim_knobs knobs;
    if (!sdsim_knobs_find(&knobs, study->session.config, &study->session.diags)) {
        return SDSIM_EXIT_INPUT;
    }
    for (size_t k = 0; k < knobs.count; k++) {
        study->accuracy.free_values += sdsim_knob_is_free(&knobs.items[k]);
    }
    sdsim_knobs_free(&knobs);
    return SDSIM_EXIT_OK;
}

static enum sdsim_exit work(struct study *study)
{
    const char *directory = study->arguments->values[SDSIM_OPTION_FOLDER];
    enum sdsim_exit code = count_values(study);
    for (unsigned fold = 1; code == SDSIM_EXIT_OK && fold <= SDSIM_FOLDS; fold++) {
        code = run_fold(study, fold);
    }
    if (code != SDSIM_EXIT_OK) {
        return code;
    }
    study->accuracy.rows = study->rows;
    study->accuracy.count = study->measurements.count;
    if (!sdsim_scores_number(study->rows, study->measurements.count)) {
        return SDSIM_EXIT_FAULT;
    }
    code = directory != NULL ? write_page(study, directory) : SDSIM_EXIT_OK;
    return code == SDSIM_EXIT_OK ? print_summary(study) : code;
}

static enum sdsim_exit accuracy_of(struct study *study)
{
    char shipped[4200];
    const char *path = shipped;
    enum sdsim_exit code = SDSIM_EXIT_INPUT;
    snprintf(shipped, sizeof shipped, "%s/scenarios/published/calibration.jsonl",
             study->session.data_dir);
    if (study->arguments->operand_count > 0) {
        path = study->arguments->operands[0];
    }
    if (sdsim_measurements_read(&study->measurements, study->session.config, path,
                                &study->session.diags)) {
        const size_t count = study->measurements.count;
        study->rows = calloc(count + 1, sizeof *study->rows);
        study->folds = calloc(count + 1, sizeof *study->folds);
        code = study->rows != NULL && study->folds != NULL &&
                       sdsim_folds_assign(&study->measurements, SDSIM_FOLDS, SDSIM_FOLD_SEED,
                                          study->folds)
                   ? work(study)
                   : SDSIM_EXIT_FAULT;
    }
    return code;
}

static enum sdsim_exit accuracy(const struct sdsim_arguments *arguments)
{
    struct study study = {.arguments = arguments};
    if (!sdsim_cli_open(&study.session)) {
        return SDSIM_EXIT_FAULT;
    }
    const enum sdsim_exit code = accuracy_of(&study);
    (void)sdsim_cli_report(&study.session);
    sdsim_points_free(&study.accuracy.points);
    sdsim_measurements_free(&study.measurements);
    free(study.rows);
    free(study.folds);
    sdsim_cli_close(&study.session);
    return code;
}

static const enum sdsim_option_id options[] = {
    SDSIM_OPTION_DRAWS, SDSIM_OPTION_JOBS, SDSIM_OPTION_FOLDER, SDSIM_OPTION_JSON,
    SDSIM_OPTION_COLOR, SDSIM_OPTION_HELP, SDSIM_OPTION_COUNT,
};

const struct sdsim_command sdsim_command_accuracy = {
    .name = "accuracy",
    .operands = "[FILE]",
    .summary = "how far predictions are off on measurements they were not fitted to",
    .details =
        "FILE holds measurements from many sources; left out, those that come with sdsim. They are "
        "split by source into five folds. For each, all values are fitted to the others "
        "(sdsim calibrate --corpus FILE --fold K/5), and its records are predicted with them. "
        "The summary is that of 'compare --measurements'; with -o DIR also a page, "
        "DIR/ACCURACY.md, with its scatter plot DIR/accuracy.svg, for which gnuplot is needed. It "
        "takes some minutes; less with --draws 0, which looks at errors only.\n",
    .least = 0,
    .most = 1,
    .options = options,
    .run = accuracy,
};
