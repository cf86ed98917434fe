#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "big_output.h"
#include "command.h"
#include "core/sorted.h"
#include "import_capture.h"
#include "option_units.h"
#include "output.h"
#include "pool.h"
#include "replay_setup.h"
#include "report/replay_report.h"
#include "spool.h"
#include "trace/rechunk.h"
#include "trace_file.h"

enum {
    MOST_BLOCKS = 1500000, /* calls of the driver kept in memory: 48 MB */
    MOST_OPS = 200000,     /* file operations kept in memory: 48 MB with their texts */
    MOST_DRAWN = 20000000, /* calls replayed for the interval, all draws together */
};

/* Everything of one replay. */
struct replay {
    struct sdsim_cli_session session;
    const struct sdsim_arguments *arguments;
    struct sdsim_trace trace;
    struct sdsim_trace_options trace_options;
    struct sdsim_replay_options options;
    uint64_t call; /* bytes; 0: as recorded */
    struct sdsim_trace_list list;
    bool too_long; /* the list is only the beginning */
    const struct sdsim_run *run;
    uint32_t draws;
    struct sdsim_setup *setups; /* draws + 1 */
    struct sdsim_medium *medium;
    char created[400];
    sdsim_ps *sums; /* of each draw: the groups', then all */
    bool drawn_badly;
    bool ended_early; /* nothing is worth printing */
};

enum { SUMS = SDSIM_REPLAY_GROUPS + 1 };

/* ---- reading ---- */

static bool take_call(struct replay *replay)
{
    return sdsim_option_take(replay->arguments, SDSIM_OPTION_CALL_SIZE, SDSIM_UNIT_SIZE, 1,
                             SDSIM_MOST_CALL_BYTES, &replay->call);
}

static bool open_trace(struct replay *replay)
{
    static const struct sdsim_trace_format capture = {.name = "capture"};
    const char *path = replay->arguments->operands[0];
    struct sdsim_diags *diags = &replay->session.diags;
    if (sdsim_import_is_capture(path)) {
        replay->trace.format = &capture;
        replay->trace.blocks = sdsim_import_capture_blocks(replay->arguments, path, diags);
        replay->trace.info = replay->trace.blocks != NULL ? replay->trace.blocks->info : NULL;
        return replay->trace.info != NULL;
    }
    return sdsim_trace_file_open(&replay->trace, replay->arguments, path, &replay->trace_options,
                                 diags);
}

static bool rechunk(struct replay *replay)
{
    struct sdsim_trace *trace = &replay->trace;
    if (replay->call == 0) {
        return true;
    }
    if (trace->ops != NULL) {
        trace->ops = sdsim_rechunk_ops(trace->ops, replay->call);
        return trace->ops != NULL;
    }
    if (replay->call % 512 != 0) {
        sdsim_error(&replay->session.diags, NULL,
                    "--call must be whole sectors of 512 bytes for a trace of block operations");
        return false;
    }
    trace->blocks = sdsim_rechunk_blocks(trace->blocks, (uint32_t)(replay->call / 512));
    return trace->blocks != NULL;
}

/* Reads the trace into memory, as far as it goes there. */
static bool load_trace(struct replay *replay)
{
    struct sdsim_diags *diags = &replay->session.diags;
    if (!open_trace(replay) || !rechunk(replay)) {
        if (diags->errors == 0) {
            sdsim_error(diags, NULL, "out of memory");
        }
        return false;
    }
    const size_t most = replay->trace.blocks != NULL ? MOST_BLOCKS : MOST_OPS;
    const enum sdsim_trace_load loaded = sdsim_trace_list_load(&replay->list, &replay->trace, most);
    replay->too_long = loaded == SDSIM_TRACE_TOO_LONG;
    if (loaded == SDSIM_TRACE_LOAD_NO_MEMORY) {
        sdsim_error(diags, NULL, "out of memory");
        return false;
    }
    if (sdsim_trace_failed(&replay->trace)) {
        return false;
    }
    if (!replay->too_long && !sdsim_trace_list_sort(&replay->list)) {
        sdsim_error(diags, NULL, "out of memory");
        return false;
    }
    if (replay->list.count == 0) {
        sdsim_trace_file_tell_empty(&replay->trace, replay->arguments,
                                    replay->arguments->operands[0], SDSIM_ERROR, diags);
        return false;
    }
    return true;
}

/* ---- draws ---- */

static void sum_up(const struct sdsim_replay_result *result, sdsim_ps *sums)
{
    for (unsigned i = 0; i < SDSIM_REPLAY_GROUPS; i++) {
        sums[i] = result->groups[i] != NULL ? result->groups[i]->predicted.sum : 0;
    }
    sums[SDSIM_REPLAY_GROUPS] = result->in_calls;
}

/* Replays the list with draw index + 1, on a copy of the medium. */
static void draw(void *context, size_t index)
{
    struct replay *replay = context;
    struct sdsim_trace trace;
    struct sdsim_replay_result result = {.calls = 0};
    struct sdsim_medium *medium = sdsim_medium_copy(replay->medium);
    bool fine = medium != NULL && sdsim_trace_list_open(&trace, &replay->list, NULL);
    if (fine) {
        sdsim_replay(&replay->setups[index + 1], medium, &trace, &replay->options, NULL, NULL,
                     &result);
        sum_up(&result, replay->sums + index * SUMS);
        fine = result.error[0] == '\0';
        sdsim_replay_result_free(&result);
        sdsim_trace_close(&trace);
    }
    if (!fine) {
        replay->drawn_badly = true;
    }
    sdsim_medium_destroy(medium);
}

/* The interval of sum `which` over the draws, widened to hold `typical`. False without memory. */
static bool interval_of(const struct replay *replay, unsigned which, sdsim_ps typical,
                        struct sdsim_replay_interval *interval)
{
    double *values = malloc(replay->draws * sizeof *values);
    if (values == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < replay->draws; k++) {
        values[k] = (double)replay->sums[k * SUMS + which];
    }
    sdsim_sort(values, replay->draws);
    const sdsim_ps low = (sdsim_ps)sdsim_quantile(values, replay->draws, 0.05);
    const sdsim_ps high = (sdsim_ps)sdsim_quantile(values, replay->draws, 0.95);
    interval->low = low < typical ? low : typical;
    interval->high = high > typical ? high : typical;
    free(values);
    return true;
}

static bool draw_all(struct replay *replay, struct sdsim_replay_report *report)
{
    if (replay->draws == 0) {
        return true;
    }
    replay->sums = calloc((size_t)replay->draws * SUMS, sizeof *replay->sums);
    if (replay->sums == NULL) {
        return false;
    }
    sdsim_pool_run(replay->draws, replay->arguments->jobs, "draws", draw, replay);
    bool fine = !replay->drawn_badly && interval_of(replay, SDSIM_REPLAY_GROUPS,
                                                    report->result->in_calls, &report->in_calls);
    for (unsigned i = 0; i < SDSIM_REPLAY_GROUPS && fine; i++) {
        const struct sdsim_replay_group *group = report->result->groups[i];
        fine = group == NULL || interval_of(replay, i, group->predicted.sum, &report->groups[i]);
    }
    report->draws = replay->draws;
    return fine;
}

/* How many draws there is time for. */
static void choose_draws(struct replay *replay)
{
    const uint64_t most = replay->too_long ? 0 : MOST_DRAWN / replay->list.count;
    replay->draws = replay->arguments->draws;
    if (replay->draws > most) {
        fprintf(stderr, "note: the trace is long: %" PRIu64 " draws instead of %" PRIu32 "\n", most,
                replay->draws);
        replay->draws = (uint32_t)most;
    }
}

/* ---- printing ---- */

/* Rows go out as they come. */
struct rows {
    struct sdsim_replay_listener base;
    FILE *out;
    struct sdsim_json *json; /* NULL: no JSON */
    bool csv;
};

static void print_row(struct sdsim_replay_listener *listener, const struct sdsim_replay_row *row)
{
    struct rows *rows = (struct rows *)listener;
    if (rows->json != NULL) {
        sdsim_replay_row_json(row, rows->json);
    } else if (rows->csv) {
        sdsim_replay_row_csv(row, rows->out);
    } else {
        sdsim_replay_row_print(row, rows->out);
    }
}

static void begin_rows(const struct rows *rows)
{
    if (rows->json != NULL) {
        sdsim_json_array(rows->json, "rows");
    } else if (rows->csv) {
        sdsim_replay_row_csv_head(rows->out);
    } else {
        sdsim_replay_row_head(rows->out);
    }
}

static bool print_report(const struct sdsim_replay_report *report, const struct rows *rows,
                         bool with_rows, const struct sdsim_style *style)
{
    if (rows->json != NULL) {
        sdsim_replay_report_json(report, rows->json);
    } else if (!rows->csv) {
        if (with_rows) {
            fputc('\n', rows->out);
        }
        return sdsim_replay_report_print(report, style, rows->out);
    } else if (!with_rows) {
        sdsim_replay_report_csv(report, rows->out);
    }
    return true;
}

/* The typical replay, with its rows, and then the draws and the report. */
static enum sdsim_exit play(struct replay *replay, FILE *out, struct sdsim_json *json)
{
    const struct sdsim_arguments *arguments = replay->arguments;
    const bool with_rows = arguments->values[SDSIM_OPTION_CALL_ROWS] != NULL;
    struct rows rows = {
        .base = {.row = print_row}, .out = out, .json = json, .csv = arguments->csv};
    struct sdsim_trace again;
    struct sdsim_replay_result result;
    struct sdsim_medium *medium = sdsim_medium_copy(replay->medium);
    if (medium == NULL ||
        !sdsim_trace_list_open(&again, &replay->list, replay->too_long ? &replay->trace : NULL)) {
        sdsim_medium_destroy(medium);
        fputs("error: out of memory\n", stderr);
        return SDSIM_EXIT_FAULT;
    }
    if (with_rows) {
        begin_rows(&rows);
    }
    sdsim_replay(&replay->setups[0], medium, &again, &replay->options, NULL,
                 with_rows ? &rows.base : NULL, &result);
    if (with_rows && json != NULL) {
        sdsim_json_end(json);
    }
    struct sdsim_replay_report report = {
        .trace = arguments->operands[0],
        .format = replay->trace.format->name,
        .run = replay->run,
        .setup = &replay->setups[0],
        .think = replay->options.think,
        .files = again.ops != NULL,
        .call = replay->call,
        .created = replay->created,
        .result = &result,
    };
    const struct sdsim_style style = sdsim_output_style(arguments);
    enum sdsim_exit code = SDSIM_EXIT_OK;
    if (sdsim_trace_failed(&again)) { /* the rest of a long trace */
        code = SDSIM_EXIT_INPUT;
    } else if (result.error[0] != '\0') {
        fprintf(stderr, "error: %s\n", result.error);
        code = result.failure == SDSIM_FAILURE_MEMORY ? SDSIM_EXIT_FAULT : SDSIM_EXIT_FINDING;
        replay->ended_early = true;
    } else if (!draw_all(replay, &report) || !print_report(&report, &rows, with_rows, &style)) {
        fputs("error: out of memory\n", stderr);
        code = SDSIM_EXIT_FAULT;
    } else if (result.failed > 0) {
        code = SDSIM_EXIT_FINDING;
    }
    sdsim_replay_result_free(&result);
    sdsim_trace_close(&again);
    sdsim_medium_destroy(medium);
    return code;
}

static enum sdsim_exit print(struct replay *replay)
{
    struct sdsim_big_output output;
    struct sdsim_json json;
    if (!sdsim_big_output_open(&output, replay->arguments->output)) {
        return SDSIM_EXIT_FAULT;
    }
    if (replay->arguments->json) {
        sdsim_json_start(&json, output.stream);
        sdsim_json_object(&json, NULL);
    }
    enum sdsim_exit code = play(replay, output.stream, replay->arguments->json ? &json : NULL);
    const bool told = !replay->ended_early && (code == SDSIM_EXIT_OK || code == SDSIM_EXIT_FINDING);
    if (!told) {
        sdsim_big_output_discard(&output);
        return code;
    }
    if (replay->arguments->json) {
        sdsim_json_end(&json);
    }
    const enum sdsim_exit sent = sdsim_big_output_send(&output);
    return sent != SDSIM_EXIT_OK ? sent : code;
}

/* ---- the command ---- */

/* Sets everything up that the replay needs; its messages are in the session. */
static bool prepare(struct replay *replay)
{
    struct sdsim_cli_session *session = &replay->session;
    const bool files = replay->trace.ops != NULL;
    replay->run = sdsim_replay_choose(session, replay->arguments, replay->trace.info, files);
    if (replay->run == NULL) {
        return false;
    }
    choose_draws(replay);
    replay->setups = calloc((size_t)replay->draws + 1, sizeof *replay->setups);
    if (replay->setups == NULL) {
        sdsim_error(&session->diags, NULL, "out of memory");
        return false;
    }
    if (!sdsim_predict_bind(session->config, replay->run, replay->draws, replay->setups,
                            &session->diags)) {
        return false;
    }
    if (files && replay->setups[0].run.workload.target != SDSIM_ON_FILE) {
        sdsim_error(&session->diags, NULL,
                    "the trace is of files, but the scenario works on raw sectors");
        return false;
    }
    sdsim_setup_lint_replay(replay->run, &replay->setups[0], &session->diags);
    struct sdsim_replay_result result;
    replay->medium = sdsim_replay_prepare(&replay->setups[0], files ? &replay->list : NULL,
                                          replay->created, sizeof replay->created, &result);
    if (replay->medium == NULL) {
        sdsim_error(&session->diags, NULL, "%s", result.error);
    }
    return replay->medium != NULL;
}

static enum sdsim_exit replay(const struct sdsim_arguments *arguments)
{
    struct replay replay = {.arguments = arguments};
    replay.options.think = arguments->values[SDSIM_OPTION_THINK] != NULL;
    enum sdsim_exit code = SDSIM_EXIT_INPUT;
    if (!take_call(&replay)) {
        return code;
    }
    if (!sdsim_cli_open(&replay.session)) {
        return SDSIM_EXIT_FAULT;
    }
    const bool ready = load_trace(&replay) && prepare(&replay);
    if (!sdsim_cli_report(&replay.session) && ready) {
        code = print(&replay);
        (void)sdsim_cli_report(&replay.session);
    }
    free(replay.sums);
    free(replay.setups);
    sdsim_medium_destroy(replay.medium);
    sdsim_trace_list_free(&replay.list);
    sdsim_trace_close(&replay.trace);
    sdsim_cli_close(&replay.session);
    return code;
}

static const enum sdsim_option_id options[] = {
    SDSIM_OPTION_THINK,      SDSIM_OPTION_CALL_SIZE,   SDSIM_OPTION_BOARD,     SDSIM_OPTION_HOST,
    SDSIM_OPTION_DRIVER,     SDSIM_OPTION_REPLAY_CARD, SDSIM_OPTION_CLOCK,     SDSIM_OPTION_BUS,
    SDSIM_OPTION_FILESYSTEM, SDSIM_OPTION_API,         SDSIM_OPTION_SET,       SDSIM_OPTION_SEED,
    SDSIM_OPTION_FROM,       SDSIM_OPTION_LOG_FILE,    SDSIM_OPTION_CALL_ROWS, SDSIM_OPTION_DRAWS,
    SDSIM_OPTION_JSON,       SDSIM_OPTION_CSV,         SDSIM_OPTION_OUTPUT,    SDSIM_OPTION_COLOR,
    SDSIM_OPTION_JOBS,       SDSIM_OPTION_HELP,        SDSIM_OPTION_COUNT,
};

const struct sdsim_command sdsim_command_replay = {
    .name = "replay",
    .operands = "TRACE [SCENARIO [RUN]]",
    .summary = "predict what a card makes of a recorded trace",
    .details =
        "TRACE is anything 'sdsim import' reads, - standard input, and pipes and <(...) do as "
        "well. A "
        "trace of block operations goes to the driver, "
        "one "
        "of file operations through file API and FAT library, too. It is replayed on a run of a "
        "scenario, on --board (or --host and --driver) with --card, or on what the trace says it "
        "was "
        "recorded on; options change any of it.\n"
        "The calls follow each other as fast as they go, or with --think when the recording had "
        "them. "
        "Overlapping calls follow each other in the order of their starts. Files that a trace "
        "reads "
        "before it writes them are made beforehand, as large as it reads them.\n"
        "Prints predicted times next to recorded ones for each kind of call (all of them, median, "
        "90th percentile, longest), the time in the calls and between them, and what it means. The "
        "error compares only calls whose recorded duration is known. The exit code is 1 if calls "
        "failed "
        "in the replay.\n"
        "The JSON is {rows [...] (with --rows), trace, format, board, host, driver, card, bus, "
        "bus_hz, "
        "think, call, made_before, draws, calls, failed, bytes_read, bytes_written, unaligned, "
        "not_simulated, predicted {in_calls, low, high, between, share_of_calls}, recorded "
        "{in_calls, "
        "between}, producer_limited, kinds, groups [{call, bytes, failed, predicted {count, total, "
        "median, p90, longest}, low, high, recorded {...}, compared}]}, times in seconds. The CSV "
        "has a "
        "line a kind of call, with --rows one a call.\n",
    .least = 1,
    .most = 3,
    .options = options,
    .needs_file = sdsim_spool_usual,
    .run = replay,
};
