#include "run_trace.h"

#include <inttypes.h>
#include <string.h>

#include "report/run_report.h"
#include "setup/simulate.h"
#include "trace/op_trace.h"
#include "trace/record.h"
#include "trace_file.h"

/* What the trace says about where it comes from, so that it can be replayed there. */
static bool set_headers(struct sdsim_trace_info *info, const char *named,
                        const struct sdsim_run *run, const struct sdsim_setup *setup)
{
    char clock[32];
    snprintf(clock, sizeof clock, "%" PRIu64 "Hz", setup->run.clock_hz);
    const char *const headers[][2] = {
        {"origin", "power-up"},
        {"scenario", named},
        {"run", run->id},
        {"board", run->board_name},
        {"host", run->host_name},
        {"driver", run->driver_name},
        {"card", run->card_name},
        {"bus", sdsim_bus_word(setup->run.bus)},
        {"clock", setup->run.clock_hz > 0 ? clock : NULL},
    };
    bool fine = true;
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
        const char *value = headers[i][1];
        fine = fine && (value == NULL || value[0] == '\0' ||
                        sdsim_trace_set_header(info, headers[i][0], value));
    }
    return fine;
}

/* Why a run has no file operations; NULL: it has. */
static const char *without_files(const struct sdsim_setup *setup)
{
    if (setup->run.workload.target != SDSIM_ON_FILE) {
        return "it works on raw sectors, without files";
    }
    return setup->run.workload.action == SDSIM_DO_SEEK
               ? "what a seek workload counts as one call are several file operations"
               : NULL;
}

static bool record(const struct sdsim_setup *setup, enum sdsim_trace_form form,
                   const struct sdsim_trace_info *info, FILE *out,
                   struct sdsim_outcome_report *report)
{
    if (form == SDSIM_FORM_OPS) {
        struct sdsim_op_recorder recorder;
        sdsim_op_recorder_init(&recorder, out);
        sdsim_ops_text_headers(out, info);
        sdsim_simulate(setup, &recorder.base, report);
        return true;
    }
    struct sdsim_block_sink *sink = sdsim_trace_form_sink(form, out);
    struct sdsim_block_recorder recorder;
    if (sink == NULL) {
        return false;
    }
    sdsim_block_recorder_init(&recorder, sink, info);
    sdsim_simulate(setup, &recorder.base, report);
    return sink->finish(sink);
}

static enum sdsim_exit write_trace(const struct sdsim_setup *setup, enum sdsim_trace_form form,
                                   const struct sdsim_trace_info *info, const char *path)
{
    struct sdsim_big_output output;
    struct sdsim_outcome_report report;
    if (!sdsim_big_output_open(&output, path)) {
        return SDSIM_EXIT_FAULT;
    }
    if (!record(setup, form, info, output.stream, &report) && !sdsim_big_output_failed(&output)) {
        fputs("error: out of memory\n", stderr);
        sdsim_big_output_discard(&output);
        return SDSIM_EXIT_FAULT;
    }
    if (report.error[0] != '\0') { /* the calls up to there are worth having */
        fprintf(stderr, "warning: %s ends where the run does: %s\n", path, report.error);
    }
    return sdsim_big_output_send(&output);
}

enum sdsim_exit sdsim_run_write_trace(struct sdsim_cli_session *session, const char *named,
                                      const struct sdsim_run *run, const char *path)
{
    const enum sdsim_trace_form form = sdsim_trace_form(NULL, path);
    struct sdsim_setup setup;
    if (form == SDSIM_FORM_UNKNOWN) {
        fprintf(stderr, "error: '%s' does not end in .blocks, .sdt, .zst or .ops\n", path);
        return SDSIM_EXIT_INPUT;
    }
    if (!sdsim_setup_bind(session->config, run, 0, &setup, &session->diags)) {
        (void)sdsim_cli_report(session);
        return SDSIM_EXIT_INPUT;
    }
    const char *why = form == SDSIM_FORM_OPS ? without_files(&setup) : NULL;
    if (why != NULL) {
        fprintf(stderr,
                "error: run %s has no trace of file operations: %s\n"
                "help: write its block operations: --trace FILE.blocks\n",
                sdsim_run_label(run), why);
        return SDSIM_EXIT_INPUT;
    }
    struct sdsim_trace_info *info = sdsim_trace_info_new();
    enum sdsim_exit code = SDSIM_EXIT_FAULT;
    if (info != NULL && set_headers(info, named, run, &setup)) {
        code = write_trace(&setup, form, info, path);
    } else {
        fputs("error: out of memory\n", stderr);
    }
    sdsim_trace_info_free(info);
    return code;
}
