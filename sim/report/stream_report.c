#include "report/stream_report.h"

#include <inttypes.h>

#include "core/units.h"
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
    char sync[64] = "never synced";
    sdsim_arrivals_describe(logger, arrivals, sizeof arrivals);
    if (logger->ram > 0) {
        sdsim_unit_print(SDSIM_UNIT_SIZE, (double)logger->ram, ram, sizeof ram);
    }
    sdsim_unit_print(SDSIM_UNIT_SIZE, (double)workload->call, call, sizeof call);
    if (logger->sync_interval > 0) {
        char time[32];
        sdsim_unit_print(SDSIM_UNIT_TIME, (double)logger->sync_interval, time, sizeof time);
        snprintf(sync, sizeof sync, "a sync every %s", time);
    } else if (workload->sync_every > 0) {
        snprintf(sync, sizeof sync, "a sync every %" PRIu64 " calls", workload->sync_every);
    }
    snprintf(text, size, "data arrive, %s, in %s (%s); written in calls of %s, %s, %s%s", arrivals,
             queues[logger->queue], ram, call, sync,
             workload->target == SDSIM_ON_RAW ? "raw sectors" : "file API ",
             workload->target == SDSIM_ON_RAW ? "" : api);
}

static char *bytes_text(uint64_t bytes, char *out, size_t size)
{
    return sdsim_unit_print(SDSIM_UNIT_SIZE, (double)bytes, out, size);
}

static void line(FILE *out, const char *label, const char *text)
{
    char first[32];
    snprintf(first, sizeof first, "  %-11s", label);
    sdsim_print_wrapped(out, first, text);
}

static void print_flow(const struct sdsim_workload_result *result, const struct sdsim_style *style,
                       FILE *out)
{
    const struct sdsim_stream_result *stream = &result->stream;
    char arrived[32];
    char written[32];
    char lost[32];
    char at[32];
    const enum sdsim_ink ink = stream->lost > 0 ? SDSIM_INK_BAD : SDSIM_INK_GOOD;
    bytes_text(stream->arrived, arrived, sizeof arrived);
    bytes_text(result->bytes, written, sizeof written);
    fprintf(out, "  %-11s%s arrived, %s written, ", "stream", arrived, written);
    if (stream->lost == 0) {
        fprintf(out, "%snothing lost%s\n", sdsim_ink_begin(style, ink), sdsim_ink_end(style, ink));
        return;
    }
    bytes_text(stream->lost, lost, sizeof lost);
    sdsim_print_time(stream->lost_at, at, sizeof at);
    fprintf(out, "%s%s lost, first by %s%s\n", sdsim_ink_begin(style, ink), lost, at,
            sdsim_ink_end(style, ink));
}

static void print_level(const struct sdsim_workload_params *workload,
                        const struct sdsim_stream_result *stream, FILE *out)
{
    char level[32];
    char ram[32];
    char at[32];
    char text[200];
    bytes_text(stream->highest, level, sizeof level);
    sdsim_print_time(stream->highest_at, at, sizeof at);
    if (workload->logger.ram > 0) {
        bytes_text(workload->logger.ram, ram, sizeof ram);
        snprintf(text, sizeof text, "%s of %s at most, at %s", level, ram, at);
    } else {
        snprintf(text, sizeof text, "%s at most, at %s", level, at);
    }
    line(out, "RAM filled", text);
}

void sdsim_stream_report_print(const struct sdsim_workload_params *workload,
                               const struct sdsim_workload_result *result,
                               const struct sdsim_style *style, FILE *out)
{
    const struct sdsim_stream_result *stream = &result->stream;
    char time[32];
    char at[32];
    char text[200];
    if (workload->action != SDSIM_DO_STREAM) {
        return;
    }
    print_flow(result, style, out);
    print_level(workload, stream, out);
    sdsim_print_time(stream->longest, time, sizeof time);
    sdsim_print_time(stream->longest_at, at, sizeof at);
    snprintf(text, sizeof text, "%s, a %s at %s", time, stream->longest_syncs ? "sync" : "write",
             at);
    line(out, "stall", text);
    bytes_text(stream->exposed, time, sizeof time);
    sdsim_print_time(stream->exposed_at, at, sizeof at);
    snprintf(text, sizeof text,
             stream->syncs > 0 || workload->target == SDSIM_ON_RAW || workload->rotate_every > 0
                 ? "takes %s at worst, at %s: what was not yet on the card"
                 : "takes all of the file: %s by %s, as nothing was synced",
             time, at);
    line(out, "power loss", text);
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
