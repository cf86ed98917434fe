#include "explain_trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "import_capture.h"
#include "replay_setup.h"
#include "trace_file.h"

/* Every question replays all of it, some forty times in all. */
enum { MOST_CALLS = 500000 };

static bool open_file(struct sdsim_explain_trace *trace, const char *path)
{
    static const struct sdsim_trace_format capture = {.name = "capture"};
    struct sdsim_diags *diags = &trace->session->diags;
    if (!sdsim_import_is_capture(path)) {
        return sdsim_trace_file_open(&trace->trace, trace->arguments, path, &trace->trace_options,
                                     diags);
    }
    trace->trace.format = &capture;
    trace->trace.blocks = sdsim_import_capture_blocks(trace->arguments, path, diags);
    trace->trace.info = trace->trace.blocks != NULL ? trace->trace.blocks->info : NULL;
    return trace->trace.info != NULL;
}

static bool load(struct sdsim_explain_trace *trace, const char *path)
{
    struct sdsim_diags *diags = &trace->session->diags;
    if (!open_file(trace, path)) {
        if (diags->errors == 0) {
            sdsim_error(diags, NULL, "out of memory");
        }
        return false;
    }
    const enum sdsim_trace_load loaded =
        sdsim_trace_list_load(&trace->list, &trace->trace, MOST_CALLS);
    if (loaded == SDSIM_TRACE_LOAD_NO_MEMORY ||
        (loaded == SDSIM_TRACE_LOADED && !sdsim_trace_list_sort(&trace->list))) {
        sdsim_error(diags, NULL, "out of memory");
        return false;
    }
    if (loaded == SDSIM_TRACE_TOO_LONG) {
        sdsim_diag_add(diags, SDSIM_ERROR, &(struct sdsim_place){.file = path}, NULL, 0,
                       "explain a part of it: 'sdsim import' writes one",
                       "more than %d calls: each question replays all of them", MOST_CALLS);
        return false;
    }
    if (!sdsim_trace_failed(&trace->trace) && trace->list.count == 0) {
        sdsim_trace_file_tell_empty(&trace->trace, trace->arguments, path, SDSIM_ERROR, diags);
    }
    return !sdsim_trace_failed(&trace->trace) && trace->list.count > 0;
}

bool sdsim_explain_trace_open(struct sdsim_explain_trace *trace, struct sdsim_cli_session *session,
                              const struct sdsim_arguments *arguments)
{
    *trace = (struct sdsim_explain_trace){.session = session, .arguments = arguments};
    trace->options.think = arguments->values[SDSIM_OPTION_THINK] != NULL;
    if (!load(trace, arguments->operands[0])) {
        return false;
    }
    trace->files = trace->trace.ops != NULL;
    trace->run = sdsim_replay_choose(session, arguments, trace->trace.info, trace->files);
    return trace->run != NULL;
}

void sdsim_explain_trace_close(struct sdsim_explain_trace *trace)
{
    sdsim_trace_list_free(&trace->list);
    sdsim_trace_close(&trace->trace);
}

/* ---- the subject ---- */

static bool bind(void *context, const char *const *sets, uint32_t draws, struct sdsim_setup *setups,
                 struct sdsim_diags *diags)
{
    struct sdsim_explain_trace *trace = context;
    const char *overrides[SDSIM_SUBJECT_OVERRIDES + 1];
    size_t count = 0;
    for (size_t i = 0; trace->arguments->overrides[i] != NULL && count < SDSIM_SUBJECT_OVERRIDES;
         i++) {
        overrides[count++] = trace->arguments->overrides[i];
    }
    for (size_t i = 0; sets != NULL && sets[i] != NULL && count < SDSIM_SUBJECT_OVERRIDES; i++) {
        overrides[count++] = sets[i];
    }
    overrides[count] = NULL;
    struct sdsim_arguments arguments = *trace->arguments;
    arguments.overrides = overrides;
    /* What can't be is nothing to tell the user of. */
    struct sdsim_cli_session quiet = *trace->session;
    sdsim_diags_init(&quiet.diags);
    const struct sdsim_run *run =
        sdsim_replay_choose(&quiet, &arguments, trace->trace.info, trace->files);
    const bool bound = run != NULL &&
                       sdsim_predict_bind(trace->session->config, run, draws, setups, diags) &&
                       (!trace->files || setups[0].run.workload.target == SDSIM_ON_FILE);
    if (!bound && diags->errors == 0) {
        sdsim_error(diags, NULL, "%s",
                    quiet.diags.count > 0 ? quiet.diags.items[0].text
                                          : "the trace is of files, but the scenario works on raw "
                                            "sectors");
    }
    sdsim_diags_free(&quiet.diags);
    return bound;
}

static void take(const struct sdsim_replay_result *result, struct sdsim_outcome_report *report)
{
    struct sdsim_workload_result *workload = &report->workload;
    workload->started = result->started;
    workload->bytes = result->bytes_read + result->bytes_written;
    workload->calls = result->calls;
    workload->in_calls = result->in_calls;
    workload->account = result->account;
    workload->counters = result->counters;
    workload->elapsed = sdsim_account_total(&result->account);
    report->bus_hz = result->bus_hz;
    report->init_time = result->init_time;
    report->end = result->ended;
    report->card_sectors = result->card_sectors;
    report->failure = result->failure;
    report->metric = workload->bytes > 0 ? SDSIM_METRIC_THROUGHPUT : SDSIM_METRIC_TIME;
    const double seconds = (double)workload->elapsed / (double)SDSIM_S;
    report->value = workload->bytes > 0 && seconds > 0 ? (double)workload->bytes / seconds
                    : workload->calls > 0              ? seconds / (double)workload->calls
                                                       : 0;
    snprintf(report->error, sizeof report->error, "%s", result->error);
}

static void simulate(void *context, const struct sdsim_setup *setup,
                     struct sdsim_outcome_report *report)
{
    struct sdsim_explain_trace *trace = context;
    struct sdsim_replay_result result = {.calls = 0};
    struct sdsim_trace again;
    char created[400];
    *report = (struct sdsim_outcome_report){.failure = SDSIM_FAILURE_NONE};
    struct sdsim_medium *medium = sdsim_replay_prepare(setup, trace->files ? &trace->list : NULL,
                                                       created, sizeof created, &result);
    if (medium != NULL && sdsim_trace_list_open(&again, &trace->list, NULL)) {
        sdsim_replay(setup, medium, &again, &trace->options, NULL, NULL, &result);
        take(&result, report);
        sdsim_replay_result_free(&result);
        sdsim_trace_close(&again);
    } else {
        report->failure = medium == NULL ? result.failure : SDSIM_FAILURE_MEMORY;
        snprintf(report->error, sizeof report->error, "%s",
                 medium == NULL ? result.error : "out of memory");
    }
    sdsim_medium_destroy(medium);
}

struct sdsim_subject sdsim_explain_trace_subject(struct sdsim_explain_trace *trace)
{
    return (struct sdsim_subject){
        .context = trace, .bind = bind, .simulate = simulate, .replayed = true};
}
