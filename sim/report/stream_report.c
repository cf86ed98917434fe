#include "report/stream_report.h"

#include <inttypes.h>

#include "core/units.h"
#include "report/buffer_words.h"
#include "report/format.h"
#include "report/table.h"

char *sdsim_arrivals_describe(const struct sdsim_logger_params *logger, char *text, size_t size)
{
    char bytes[32];
    char time[32];
    if (logger->arrivals != NULL) {
        snprintf(text, size, "as %s says", logger->arrivals);
    } else if (logger->burst > 0) {
        sdsim_unit_print(SDSIM_UNIT_SIZE, (double)logger->burst, bytes, sizeof bytes);
        sdsim_unit_print(SDSIM_UNIT_TIME, (double)logger->burst_every, time, sizeof time);
        snprintf(text, size, "%s every %s", bytes, time);
    } else {
        sdsim_unit_print(SDSIM_UNIT_RATE, (double)logger->rate, text, size);
    }
    return text;
}

/* "a sync every 1s and every 16 calls". */
static void sync_text(const struct sdsim_workload_params *workload, char *out, size_t size)
{
    char interval[48] = "";
    char calls[48] = "";
    if (workload->logger.sync_interval > 0) {
        char time[32];
        sdsim_unit_print(SDSIM_UNIT_TIME, (double)workload->logger.sync_interval, time,
                         sizeof time);
        snprintf(interval, sizeof interval, "every %s", time);
    }
    if (workload->sync_every == 1) {
        snprintf(calls, sizeof calls, "after every call");
    } else if (workload->sync_every > 1) {
        snprintf(calls, sizeof calls, "every %" PRIu64 " calls", workload->sync_every);
    }
    if (interval[0] == '\0' && calls[0] == '\0') {
        snprintf(out, size, "never synced");
    } else {
        snprintf(out, size, "a sync %s%s%s", interval,
                 interval[0] != '\0' && calls[0] != '\0' ? " and " : "", calls);
    }
}

void sdsim_stream_report_describe(const struct sdsim_workload_params *workload, const char *api,
                                  char *text, size_t size)
{
    static const char *const queues[] = {
        [SDSIM_QUEUE_RING] = "a ring",
        [SDSIM_QUEUE_PING_PONG] = "two buffers",
        [SDSIM_QUEUE_ITEMS] = "a queue of items",
    };
    const struct sdsim_logger_params *logger = &workload->logger;
    char arrivals[100];
    char ram[32] = "as much RAM as it takes";
    char call[32];
    char sync[112];
    sdsim_arrivals_describe(logger, arrivals, sizeof arrivals);
    if (logger->ram > 0) {
        sdsim_unit_print(SDSIM_UNIT_SIZE, (double)logger->ram, ram, sizeof ram);
    }
    sdsim_unit_print(SDSIM_UNIT_SIZE, (double)workload->call, call, sizeof call);
    sync_text(workload, sync, sizeof sync);
    snprintf(text, size, "data arrive, %s, in %s (%s); written in calls of %s, %s, %s%s", arrivals,
             queues[logger->queue], ram, call, sync,
             workload->target == SDSIM_ON_RAW ? "raw sectors" : "file API ",
             workload->target == SDSIM_ON_RAW ? "" : api);
}

static char *bytes_text(uint64_t bytes, char *out, size_t size)
{
    return sdsim_unit_print(SDSIM_UNIT_SIZE, (double)bytes, out, size);
}

static void flow_text(const struct sdsim_workload_result *result, char *text, size_t size)
{
    const struct sdsim_stream_result *stream = &result->stream;
    char arrived[32];
    char written[32];
    char lost[32];
    char at[32];
    char end[80] = "nothing lost";
    bytes_text(stream->arrived, arrived, sizeof arrived);
    bytes_text(result->bytes, written, sizeof written);
    if (stream->lost > 0) {
        snprintf(end, sizeof end, "%s lost, first by %s",
                 bytes_text(stream->lost, lost, sizeof lost),
                 sdsim_print_time(stream->lost_at, at, sizeof at));
    }
    snprintf(text, size, "%s arrived, %s written, %s", arrived, written, end);
}

static void level_text(const struct sdsim_workload_params *workload,
                       const struct sdsim_stream_result *stream, char *text, size_t size)
{
    char level[32];
    char ram[32];
    char at[32];
    const bool limited = workload->logger.ram > 0;
    snprintf(text, size, "%s%s%s at most, at %s",
             sdsim_ram_text(stream->highest, level, sizeof level), limited ? " of " : "",
             limited ? sdsim_ram_text(workload->logger.ram, ram, sizeof ram) : "",
             sdsim_print_time(stream->highest_at, at, sizeof at));
}

static void exposure_text(const struct sdsim_workload_params *workload,
                          const struct sdsim_stream_result *stream, char *text, size_t size)
{
    char bytes[32];
    char at[32];
    bytes_text(stream->exposed, bytes, sizeof bytes);
    sdsim_print_time(stream->exposed_at, at, sizeof at);
    snprintf(text, size,
             stream->syncs > 0 || workload->target == SDSIM_ON_RAW || workload->rotate_every > 0
                 ? "takes %s at worst, at %s: what was not yet on the card"
                 : "takes all of the file: %s by %s, as nothing was synced",
             bytes, at);
}

size_t sdsim_stream_report_lines(const struct sdsim_workload_params *workload,
                                 const struct sdsim_workload_result *result,
                                 struct sdsim_stream_line lines[SDSIM_STREAM_LINES])
{
    const struct sdsim_stream_result *stream = &result->stream;
    char time[32];
    char at[32];
    if (workload->action != SDSIM_DO_STREAM) {
        return 0;
    }
    lines[0] = (struct sdsim_stream_line){
        .label = "stream", .good = stream->lost == 0, .bad = stream->lost > 0};
    flow_text(result, lines[0].text, sizeof lines[0].text);
    lines[1] = (struct sdsim_stream_line){.label = "RAM filled"};
    level_text(workload, stream, lines[1].text, sizeof lines[1].text);
    lines[2] = (struct sdsim_stream_line){.label = "stall"};
    snprintf(lines[2].text, sizeof lines[2].text, "%s, a %s at %s",
             sdsim_print_time(stream->longest, time, sizeof time),
             stream->longest_syncs ? "sync" : "write",
             sdsim_print_time(stream->longest_at, at, sizeof at));
    lines[3] = (struct sdsim_stream_line){.label = "power loss"};
    exposure_text(workload, stream, lines[3].text, sizeof lines[3].text);
    return SDSIM_STREAM_LINES;
}

void sdsim_stream_report_print(const struct sdsim_workload_params *workload,
                               const struct sdsim_workload_result *result,
                               const struct sdsim_style *style, FILE *out)
{
    struct sdsim_stream_line lines[SDSIM_STREAM_LINES];
    const size_t count = sdsim_stream_report_lines(workload, result, lines);
    for (size_t i = 0; i < count; i++) {
        const enum sdsim_ink ink = lines[i].bad    ? SDSIM_INK_BAD
                                   : lines[i].good ? SDSIM_INK_GOOD
                                                   : SDSIM_INK_PLAIN;
        char first[32];
        snprintf(first, sizeof first, "  %-11s", lines[i].label);
        fputs(sdsim_ink_begin(style, ink), out);
        sdsim_print_wrapped(out, first, lines[i].text);
        fputs(sdsim_ink_end(style, ink), out);
    }
}

void sdsim_stream_report_json(const struct sdsim_workload_params *workload,
                              const struct sdsim_workload_result *result, struct sdsim_json *json)
{
    const struct sdsim_stream_result *stream = &result->stream;
    if (workload->action != SDSIM_DO_STREAM) {
        sdsim_json_text(json, "stream", NULL);
        return;
    }
    sdsim_json_object(json, "stream");
    sdsim_json_count(json, "arrived", stream->arrived);
    sdsim_json_count(json, "written", result->bytes);
    sdsim_json_count(json, "lost", stream->lost);
    if (stream->lost > 0) {
        sdsim_json_seconds(json, "lost_at", stream->lost_at);
    } else {
        sdsim_json_text(json, "lost_at", NULL);
    }
    if (workload->logger.ram > 0) {
        sdsim_json_count(json, "ram", workload->logger.ram);
    } else {
        sdsim_json_text(json, "ram", NULL);
    }
    sdsim_json_object(json, "highest");
    sdsim_json_count(json, "bytes", stream->highest);
    sdsim_json_seconds(json, "at", stream->highest_at);
    sdsim_json_end(json);
    sdsim_json_object(json, "longest_stall");
    sdsim_json_seconds(json, "seconds", stream->longest);
    sdsim_json_seconds(json, "at", stream->longest_at);
    sdsim_json_bool(json, "sync", stream->longest_syncs);
    sdsim_json_end(json);
    sdsim_json_count(json, "syncs", stream->syncs);
    sdsim_json_seconds(json, "sync_seconds", stream->in_syncs);
    sdsim_json_object(json, "exposed");
    sdsim_json_count(json, "bytes", stream->exposed);
    sdsim_json_seconds(json, "at", stream->exposed_at);
    sdsim_json_end(json);
    sdsim_json_end(json);
}
