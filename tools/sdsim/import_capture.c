#include "import_capture.h"

#include <stdio.h>
#include <string.h>

#include "big_output.h"
#include "capture/calls.h"
#include "capture/learn.h"
#include "output.h"
#include "report/capture_report.h"
#include "spool.h"

bool sdsim_import_is_capture(const char *path)
{
    unsigned char head[4096];
    FILE *file = !sdsim_is_stream(path) ? fopen(path, "rb") : NULL;
    if (file == NULL) {
        return false;
    }
    const size_t size = fread(head, 1, sizeof head, file);
    (void)fclose(file);
    return sdsim_pins_recognise(head, size);
}

struct sdsim_block_source *sdsim_import_capture_blocks(const struct sdsim_arguments *arguments,
                                                       const char *path, struct sdsim_diags *diags)
{
    return sdsim_capture_calls(path, arguments->values[SDSIM_OPTION_CHANNEL], diags);
}

static bool take_options(const struct sdsim_arguments *arguments)
{
    static const enum sdsim_option_id others[] = {SDSIM_OPTION_FROM, SDSIM_OPTION_TRACE_TO,
                                                  SDSIM_OPTION_LOG_HOST, SDSIM_OPTION_LOG_FILE,
                                                  SDSIM_OPTION_CALL_SIZE};
    if (arguments->values[SDSIM_OPTION_REPORT] != NULL &&
        arguments->values[SDSIM_OPTION_LEARN] != NULL) {
        fputs("error: --report and --learn exclude each other\n", stderr);
        return false;
    }
    if (arguments->values[SDSIM_OPTION_LEARN] != NULL &&
        (arguments->json || arguments->values[SDSIM_OPTION_COMMANDS] != NULL)) {
        fputs("error: a profile is YAML; --json and --all go with --report\n", stderr);
        return false;
    }
    if (arguments->operand_count != 1) {
        fputs("error: --report and --learn take one capture\n", stderr);
        return false;
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (arguments->values[others[i]] != NULL) {
            fprintf(stderr, "error: --%s does not go with --report or --learn\n",
                    sdsim_option(others[i])->name);
            return false;
        }
    }
    return true;
}

/* Prints what is asked for. */
static bool print(const struct sdsim_arguments *arguments, const struct sdsim_capture_view *view,
                  FILE *out)
{
    const struct sdsim_style style = sdsim_output_style(arguments);
    if (arguments->values[SDSIM_OPTION_LEARN] != NULL) {
        const char *slash = strrchr(view->capture->path, '/');
        const char *name = slash != NULL ? slash + 1 : view->capture->path;
        if (!sdsim_learn_card(view->capture, view->summary, name, out)) {
            fprintf(stderr, "error: %s: no card answers, so there is nothing to learn\n",
                    view->capture->path);
            return false;
        }
        return true;
    }
    if (arguments->json) {
        sdsim_capture_json(view, out);
        return true;
    }
    return sdsim_capture_print(view, &style, out);
}

static enum sdsim_exit show(const struct sdsim_arguments *arguments,
                            const struct sdsim_capture_view *view)
{
    struct sdsim_big_output output; /* the list of commands may be long */
    if (!sdsim_big_output_open(&output, arguments->output)) {
        return SDSIM_EXIT_FAULT;
    }
    if (!print(arguments, view, output.stream)) {
        sdsim_big_output_discard(&output);
        return SDSIM_EXIT_INPUT;
    }
    return sdsim_big_output_send(&output);
}

/* Decodes all of it. What came before a fault is shown if the user wants it. */
static enum sdsim_exit decode(const struct sdsim_arguments *arguments,
                              struct sdsim_capture *capture, struct sdsim_diags *diags)
{
    struct sdsim_summary *summary = sdsim_summary_new(capture->roles.bus == SDSIM_CAPTURE_SPI);
    struct sdsim_findings findings;
    if (summary == NULL) {
        sdsim_error(diags, capture->path, "out of memory");
        return SDSIM_EXIT_FAULT;
    }
    const enum sdsim_pin_result result = sdsim_findings_collect(&findings, capture, summary);
    const struct sdsim_capture_view view = {
        .capture = capture,
        .summary = summary,
        .findings = &findings,
        .partial = result == SDSIM_PINS_BROKEN,
        .all = arguments->values[SDSIM_OPTION_COMMANDS] != NULL,
    };
    enum sdsim_exit code = SDSIM_EXIT_INPUT;
    if (summary->failed) {
        sdsim_error(diags, capture->path, "out of memory");
        code = SDSIM_EXIT_FAULT;
    } else if (!view.partial) {
        code = show(arguments, &view);
    } else if (arguments->values[SDSIM_OPTION_PARTIAL] != NULL) {
        show(arguments, &view);
    } else {
        const struct sdsim_place place = {.file = capture->path};
        sdsim_diag_add(diags, SDSIM_NOTE, &place, NULL, 0, NULL,
                       "%llu command%s came before the fault; --partial shows what there is",
                       (unsigned long long)summary->commands, summary->commands == 1 ? "" : "s");
    }
    sdsim_summary_free(summary);
    return code;
}

enum sdsim_exit sdsim_import_capture(const struct sdsim_arguments *arguments)
{
    struct sdsim_diags diags;
    enum sdsim_exit code = SDSIM_EXIT_INPUT;
    if (!take_options(arguments)) {
        return SDSIM_EXIT_INPUT;
    }
    sdsim_diags_init(&diags);
    struct sdsim_capture *capture =
        sdsim_capture_open(arguments->operands[0], arguments->values[SDSIM_OPTION_CHANNEL], &diags);
    if (capture != NULL) {
        code = decode(arguments, capture, &diags);
        sdsim_capture_close(capture);
    }
    sdsim_diags_print(&diags, stderr);
    sdsim_diags_free(&diags);
    return code;
}
