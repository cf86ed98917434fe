#include "record.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "big_output.h"
#include "core/version.h"
#include "report/run_report.h"
#include "setup/simulate.h"
#include "timeline/write.h"

/* A path as the timeline has it: within the data directory, or, of files that lie elsewhere, beside each
 * other in a folder `own`. */
static void stored_path(const struct sdsim_cli_session *session, const char *path, char *out,
                        size_t size)
{
    const size_t length = strlen(session->data_dir);
    if (strncmp(path, session->data_dir, length) == 0 && path[length] == '/') {
        path += length + 1;
        snprintf(out, size, "%s", path + strspn(path, "/"));
        return;
    }
    char *real = realpath(path, NULL);
    char *data = realpath(session->data_dir, NULL);
    const size_t data_length = data != NULL ? strlen(data) : 0;
    if (real != NULL && data_length > 0 && strncmp(real, data, data_length) == 0 &&
        real[data_length] == '/') {
        snprintf(out, size, "%s", real + data_length + 1);
    } else {
        const char *slash = strrchr(path, '/');
        snprintf(out, size, "own/%s", slash != NULL ? slash + 1 : path);
    }
    free(real);
    free(data);
}

static bool add(struct sdsim_timeline *timeline, const char *name, const char *text)
{
    return sdsim_timeline_add_text(timeline, name, text, strlen(text));
}

/* The files the run was made from, each once. */
static bool add_files(struct sdsim_cli_session *session, struct sdsim_timeline *timeline)
{
    const struct sdsim_source *file = sdsim_config_files(session->config);
    for (; file != NULL; file = file->next) {
        char path[PATH_MAX];
        char name[PATH_MAX + 8];
        stored_path(session, file->path, path, sizeof path);
        snprintf(name, sizeof name, "file %s", path);
        if (sdsim_timeline_text(timeline, name) == NULL &&
            !sdsim_timeline_add_text(timeline, name, file->text, file->size)) {
            return false;
        }
    }
    return true;
}

static bool describe(struct sdsim_cli_session *session, const struct sdsim_scenario *scenario,
                     const struct sdsim_run *run, const struct sdsim_setup *setup,
                     const char *const *overrides, struct sdsim_timeline *timeline)
{
    char path[PATH_MAX];
    char clock[64];
    snprintf(clock, sizeof clock, "%" PRIu64 "/%" PRIu64, setup->clocks.num, setup->clocks.den);
    stored_path(session, scenario->path, path, sizeof path);
    bool fine = add(timeline, "version", SDSIM_VERSION) && add(timeline, "scenario", path) &&
                add(timeline, "run", run->id) && add(timeline, "draw", "0") &&
                add(timeline, "clock", clock) &&
                add(timeline, "addresses", setup->card.type == SDSIM_SDSC ? "bytes" : "sectors");
    for (size_t i = 0; fine && overrides != NULL && overrides[i] != NULL; i++) {
        char name[32];
        snprintf(name, sizeof name, "set %zu", i);
        fine = add(timeline, name, overrides[i]);
    }
    return fine && add_files(session, timeline);
}

/* Simulates into the file. */
static enum sdsim_exit record(struct sdsim_big_output *output, struct sdsim_timeline *timeline,
                              const struct sdsim_run *run, const struct sdsim_setup *setup)
{
    char why[200];
    struct sdsim_outcome_report report;
    struct sdsim_timeline_writer *writer =
        sdsim_timeline_writer_open(output->stream, timeline, why, sizeof why);
    if (writer == NULL) {
        fprintf(stderr, "error: cannot write to %s: %s\n", output->path, why);
        return SDSIM_EXIT_FAULT;
    }
    sdsim_simulate(setup, &timeline->recorder, &report);
    if (!sdsim_timeline_writer_close(writer, why, sizeof why)) {
        fprintf(stderr, "error: cannot write to %s: %s\n", output->path, why);
        return SDSIM_EXIT_FAULT;
    }
    if (report.error[0] != '\0') {
        fprintf(stderr, "error: run %s: %s\n", sdsim_run_label(run), report.error);
    }
    const enum sdsim_exit code = sdsim_big_output_send(output);
    return code == SDSIM_EXIT_OK && report.error[0] != '\0' ? SDSIM_EXIT_FINDING : code;
}

enum sdsim_exit sdsim_record_run(struct sdsim_cli_session *session,
                                 const struct sdsim_scenario *scenario, const struct sdsim_run *run,
                                 const char *const *overrides, const char *path)
{
    struct sdsim_setup *setup = calloc(1, sizeof *setup);
    struct sdsim_timeline *timeline = malloc(sizeof *timeline);
    struct sdsim_big_output output;
    enum sdsim_exit code = SDSIM_EXIT_FAULT;
    if (setup == NULL || timeline == NULL) {
        fputs("error: out of memory\n", stderr);
    } else if (!sdsim_setup_bind(session->config, run, 0, setup, &session->diags)) {
        sdsim_cli_report(session);
        code = SDSIM_EXIT_INPUT;
    } else {
        sdsim_timeline_init(timeline);
        if (!describe(session, scenario, run, setup, overrides, timeline)) {
            fputs("error: out of memory\n", stderr);
        } else {
            if (sdsim_big_output_open(&output, path)) {
                code = record(&output, timeline, run, setup);
            }
            sdsim_big_output_discard(&output);
        }
        sdsim_timeline_free(timeline);
    }
    free(timeline);
    free(setup);
    return code;
}
