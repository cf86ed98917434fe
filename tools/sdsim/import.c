#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "big_output.h"
#include "command.h"
#include "import_capture.h"
#include "option_units.h"
#include "spool.h"
#include "trace/rechunk.h"
#include "trace_file.h"

/* A conversion under way. */
struct conversion {
    const struct sdsim_arguments *arguments;
    struct sdsim_diags diags;
    enum sdsim_trace_form form; /* UNKNOWN: not said; the first file's level decides */
    uint64_t call;              /* bytes; 0: as they are */
    struct sdsim_big_output output;
    struct sdsim_block_sink *sink; /* NULL: not yet, or of file operations */
    struct sdsim_trace_info *info; /* headers and labels of what is written */
    bool begun;
    bool headed; /* the headers are known */
    uint64_t calls;
};

/* ---- options ---- */

static bool take_form(struct conversion *conversion)
{
    const char *to = conversion->arguments->values[SDSIM_OPTION_TRACE_TO];
    conversion->form = sdsim_trace_form(to, conversion->arguments->output);
    if (to != NULL && conversion->form == SDSIM_FORM_UNKNOWN) {
        fprintf(stderr, "error: --to takes blocks, sdt, zst or ops, not '%s'\n", to);
        return false;
    }
    return true;
}

static bool take_call(struct conversion *conversion)
{
    return sdsim_option_take(conversion->arguments, SDSIM_OPTION_CALL_SIZE, SDSIM_UNIT_SIZE, 1,
                             SDSIM_MOST_CALL_BYTES, &conversion->call);
}

/* ---- converting ---- */

/* The first file decides the level: block operations or file operations. */
static bool begin(struct conversion *conversion, const struct sdsim_trace *trace, const char *path)
{
    const bool files = trace->ops != NULL;
    if (conversion->form == SDSIM_FORM_UNKNOWN) {
        conversion->form = files ? SDSIM_FORM_OPS : SDSIM_FORM_BLOCKS;
    }
    if (files != (conversion->form == SDSIM_FORM_OPS)) {
        const struct sdsim_place place = {.file = path};
        sdsim_diag_add(&conversion->diags, SDSIM_ERROR, &place, NULL, 0,
                       files ? "write .ops, or see what they do to the card with 'sdsim fsops'"
                             : "write .blocks, .sdt or .zst",
                       "it is a trace of %s operations, which can't become one of %s operations",
                       files ? "file" : "block", files ? "block" : "file");
        return false;
    }
    if (!conversion->begun && !files) {
        conversion->sink = sdsim_trace_form_sink(conversion->form, conversion->output.stream);
        if (conversion->sink == NULL) {
            sdsim_error(&conversion->diags, path, "out of memory");
            return false;
        }
    } else if (!conversion->begun) {
        sdsim_ops_text_headers(conversion->output.stream, trace->info);
    }
    conversion->begun = true;
    return true;
}

/* The headers of the first file are those of what is written; they are known with its first record. */
static void copy_headers(struct conversion *conversion, const struct sdsim_trace_info *from)
{
    const char *key;
    const char *value;
    for (size_t i = 0; !conversion->headed && sdsim_trace_header_at(from, i, &key, &value); i++) {
        (void)sdsim_trace_set_header(conversion->info, key, value);
    }
    conversion->headed = true;
}

/* Each file numbers its labels by itself; what is written has numbers of its own. */
static void number_labels(struct conversion *conversion, const struct sdsim_block_source *source,
                          struct sdsim_block_record *records, size_t count)
{
    uint16_t known = 0;
    uint16_t number = 0;
    for (size_t i = 0; i < count; i++) {
        if (records[i].kind == SDSIM_TRACE_MARK || records[i].label == 0) {
            continue;
        }
        if (records[i].label != known) {
            const char *text = sdsim_trace_label_text(source->info, records[i].label);
            known = records[i].label;
            number = sdsim_trace_label(conversion->info, text, strlen(text));
        }
        records[i].label = number;
    }
}

static bool copy_blocks(struct conversion *conversion, struct sdsim_block_source *source)
{
    struct sdsim_block_record records[1024];
    for (;;) {
        const size_t count = source->next(source, records, 1024);
        if (count == 0) {
            return !source->failed;
        }
        conversion->calls += count;
        number_labels(conversion, source, records, count);
        copy_headers(conversion, source->info);
        if (!conversion->sink->put(conversion->sink, conversion->info, records, count)) {
            return false;
        }
    }
}

static bool copy_ops(struct conversion *conversion, struct sdsim_op_source *source)
{
    struct sdsim_op op;
    uint32_t line;
    while (source->next(source, &op, &line)) {
        sdsim_ops_text_put(conversion->output.stream, &op);
        conversion->calls++;
        if (sdsim_big_output_failed(&conversion->output)) {
            return false;
        }
    }
    return !source->failed;
}

/* Joins and cuts the calls of a trace, if the user wants. False without memory; the trace can then
 * only be closed. */
static bool rechunk(const struct conversion *conversion, struct sdsim_trace *trace)
{
    if (conversion->call == 0) {
        return true;
    }
    if (trace->ops != NULL) {
        trace->ops = sdsim_rechunk_ops(trace->ops, conversion->call);
        return trace->ops != NULL;
    }
    const uint64_t sectors = conversion->call / 512;
    trace->blocks = sdsim_rechunk_blocks(trace->blocks, sectors > 0 ? (uint32_t)sectors : 1);
    return trace->blocks != NULL;
}

/* A trace, or the calls in a capture. */
static bool open_file(struct conversion *conversion, const char *path, struct sdsim_trace *trace,
                      struct sdsim_trace_options *options)
{
    static const struct sdsim_trace_format capture = {.name = "capture"};
    struct sdsim_diags *diags = &conversion->diags;
    if (!sdsim_import_is_capture(path)) {
        return sdsim_trace_file_open(trace, conversion->arguments, path, options, diags);
    }
    *trace = (struct sdsim_trace){
        .format = &capture,
        .blocks = sdsim_import_capture_blocks(conversion->arguments, path, diags),
    };
    trace->info = trace->blocks != NULL ? trace->blocks->info : NULL;
    return trace->blocks != NULL;
}

static bool convert_file(struct conversion *conversion, const char *path)
{
    struct sdsim_trace trace;
    struct sdsim_trace_options options;
    if (!open_file(conversion, path, &trace, &options)) {
        return false;
    }
    bool done = rechunk(conversion, &trace);
    if (!done) {
        sdsim_error(&conversion->diags, path, "out of memory");
    }
    const uint64_t before = conversion->calls;
    done = done && begin(conversion, &trace, path) &&
           (trace.ops != NULL ? copy_ops(conversion, trace.ops)
                              : copy_blocks(conversion, trace.blocks));
    if (done && conversion->calls == before) {
        /* Of several files, one may have nothing to add. */
        const bool alone = conversion->arguments->operand_count == 1;
        sdsim_trace_file_tell_empty(&trace, conversion->arguments, path,
                                    alone ? SDSIM_ERROR : SDSIM_WARNING, &conversion->diags);
    }
    sdsim_trace_close(&trace);
    return done;
}

/* Ends the output; on a fault it is kept only if the user wants what there is. */
static enum sdsim_exit finish(struct conversion *conversion, bool done)
{
    const bool wanted =
        conversion->begun && (done || conversion->arguments->values[SDSIM_OPTION_PARTIAL] != NULL);
    bool stored = true;
    if (conversion->sink != NULL) {
        stored = conversion->sink->finish(conversion->sink);
    }
    sdsim_diags_print(&conversion->diags, stderr);
    if (done && stored && conversion->calls == 0) { /* there is nothing to write */
        sdsim_big_output_discard(&conversion->output);
        return SDSIM_EXIT_FINDING;
    }
    if (!wanted || (!stored && !sdsim_big_output_failed(&conversion->output))) {
        if (conversion->calls > 0 && !done && !sdsim_big_output_failed(&conversion->output)) {
            fprintf(stderr, "help: %" PRIu64 " good record%s came before; --partial keeps %s\n",
                    conversion->calls, conversion->calls == 1 ? "" : "s",
                    conversion->calls == 1 ? "it" : "them");
        }
        sdsim_big_output_discard(&conversion->output);
        return stored ? SDSIM_EXIT_INPUT : SDSIM_EXIT_FAULT;
    }
    const enum sdsim_exit sent = sdsim_big_output_send(&conversion->output);
    return sent != SDSIM_EXIT_OK || done ? sent : SDSIM_EXIT_INPUT;
}

/* Options of a report that nobody asked for would be passed over in silence. */
static bool wants_report_only(const struct sdsim_arguments *arguments)
{
    if (arguments->json || arguments->values[SDSIM_OPTION_COMMANDS] != NULL) {
        fprintf(stderr, "error: --%s goes with --report\n", arguments->json ? "json" : "all");
        return false;
    }
    return true;
}

static enum sdsim_exit import(const struct sdsim_arguments *arguments)
{
    struct conversion conversion = {.arguments = arguments};
    if (arguments->values[SDSIM_OPTION_REPORT] != NULL ||
        arguments->values[SDSIM_OPTION_LEARN] != NULL) {
        return sdsim_import_capture(arguments);
    }
    if (!wants_report_only(arguments) || !take_form(&conversion) || !take_call(&conversion)) {
        return SDSIM_EXIT_INPUT;
    }
    if (!sdsim_big_output_open(&conversion.output, arguments->output)) {
        return SDSIM_EXIT_FAULT;
    }
    conversion.info = sdsim_trace_info_new();
    if (conversion.info == NULL) {
        fputs("error: out of memory\n", stderr);
        sdsim_big_output_discard(&conversion.output);
        return SDSIM_EXIT_FAULT;
    }
    sdsim_diags_init(&conversion.diags);
    bool done = true;
    for (size_t i = 0; i < arguments->operand_count && done; i++) {
        done = convert_file(&conversion, arguments->operands[i]);
    }
    const enum sdsim_exit code = finish(&conversion, done);
    sdsim_diags_free(&conversion.diags);
    sdsim_trace_info_free(conversion.info);
    return code;
}

static const enum sdsim_option_id options[] = {
    SDSIM_OPTION_FROM,      SDSIM_OPTION_TRACE_TO, SDSIM_OPTION_LOG_HOST, SDSIM_OPTION_LOG_FILE,
    SDSIM_OPTION_CALL_SIZE, SDSIM_OPTION_PARTIAL,  SDSIM_OPTION_REPORT,   SDSIM_OPTION_LEARN,
    SDSIM_OPTION_CHANNEL,   SDSIM_OPTION_COMMANDS, SDSIM_OPTION_JSON,     SDSIM_OPTION_OUTPUT,
    SDSIM_OPTION_COLOR,     SDSIM_OPTION_HELP,     SDSIM_OPTION_COUNT,
};

const struct sdsim_command sdsim_command_import = {
    .name = "import",
    .operands = "FILE...",
    .summary = "make a trace of a log or another trace",
    .details =
        "Reads recordings of what was asked of a card and writes them as a trace that replay "
        "takes. "
        "FILE, of a log, a trace or a capture, may be - for standard input, a pipe, and compressed "
        "with zstd. Several files follow each "
        "other "
        "in one trace.\n"
        "Block operations: sdsim's own text (blocks) and binary (sdt), Linux ftrace events "
        "mmc_request_start and mmc_request_done (linux-ftrace), Linux messages 'mmc0: starting "
        "CMD18' (linux-debug), blkparse, prints of FatFs's disk_read and disk_write (diskio), "
        "ESP-IDF "
        "messages 'sdmmc_cmd: sending cmd' (esp-idf), recordings of tools/firmware/sdtrace.h in "
        "any log or raw (sdtrace). File operations: sdsim's own text (ops), the file calls in such "
        "recordings (sdtrace-files), "
        "strace, prints of fopen, fwrite, fsync (file-log). The words in parentheses are what "
        "--from "
        "takes.\n"
        "Prints are what people write: 'disk_write(0, 8192, 8) 310 us' or 'disk_write sector=8192 "
        "count=8 took 310 us' behind the call, 'fwrite 4096 310 us' for files, with or without a "
        "time stamp in front, among any other lines. Without durations and stamps only the calls "
        "are kept.\n"
        "Captures of the pins, as sigrok sessions (.sr), VCD, or CSV with a column per pin: the "
        "calls the bus shows, with the times they took. --report prints what else it shows: clock, "
        "mode, sampling edge, commands, N_CR, N_AC, N_WR, busy, rates, registers, check sums, and "
        "what could not be read; --learn writes a card profile of it. Lines are told by the names "
        "of the channels, or by how they behave.\n"
        "The text has a line a call: [@START [+DURATION]] R LBA COUNT or W LBA COUNT, #S for a "
        "sync, "
        "#T LBA COUNT for a trim; or for files [@START [+DURATION]] write 4096. 'sdsim fsops "
        "--help' "
        "has the file operations.\n"
        "If there is not one call in it - a bus that is idle, that was sampled too seldom, whose "
        "commands move no data - the exit code is 1, and nothing is written.\n"
        "A fault in the middle of a file ends it: nothing is written then, unless --partial says "
        "to "
        "keep what came before; the exit code is 2 in both cases.\n"
        "The JSON of a report has times in seconds and clocks in hertz: {file, format, partial, "
        "rate, "
        "tick_ps, ticks, duration, bus, mode, sampling, channels [{line, channel, by}], clock, "
        "stretches [{start, end, clocks, clock, samples_per_clock, undersampled, frames_right, "
        "frames_wrong}], undersampled, readable_clock, crc7, crc7_commands and crc16 {right, "
        "checked}, unreadable_frames, n_cr, n_rc, n_ac, n_ac_next_blocks, busy_single, "
        "busy_between, "
        "busy_stop and cs_high {count, least, median, greatest}, ready_polls, reads and writes "
        "{exchanges, bytes, time, bytes_per_second, time_per_sector}, items, card_output, "
        "initialisations [{start, reset, polls, ready, time_to_ready, first_poll_to_ready, "
        "poll_pitch}], registers, commands, commands_left_out, findings [{severity, text}]}.\n",
    .least = 1,
    .most = SIZE_MAX,
    .options = options,
    .needs_file = sdsim_spool_usual,
    .run = import,
};
