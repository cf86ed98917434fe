#include "report/span_files.h"

#include <inttypes.h>

#include "core/csv.h"

/* ---- Chrome's JSON ---- */

/* A text as JSON. Names are ASCII but for those of files. */
static void print_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (const char *at = text; *at != '\0'; at++) {
        const unsigned char byte = (unsigned char)*at;
        if (byte == '"' || byte == '\\') {
            fputc('\\', out);
        }
        if (byte < 0x20) {
            fprintf(out, "\\u%04x", byte);
        } else {
            fputc(byte, out);
        }
    }
    fputc('"', out);
}

static void print_name(FILE *out, const char *what, unsigned tid, const char *name)
{
    fprintf(out, "{\"name\":\"%s\",\"ph\":\"M\",\"pid\":1,\"tid\":%u,\"args\":{\"name\":", what,
            tid);
    print_text(out, name);
    fputs("}}", out);
}

static void print_args(FILE *out, const struct sdsim_named_span *span)
{
    const struct sdsim_detail *detail = span->detail;
    fprintf(out, "\"args\":{\"for\":\"%s\"", span->purpose);
    switch (detail->kind) {
    case SDSIM_DETAIL_COMMAND:
        if (span->lane == SDSIM_LANE_COMMAND && (detail->code & 128) == 0) {
            fprintf(out, ",\"argument\":\"0x%08" PRIx64 "\"", detail->place);
        }
        if (span->lane == SDSIM_LANE_COMMAND && detail->size > 0) {
            fprintf(out, ",\"blocks\":%" PRIu32, detail->size);
        }
        break;
    case SDSIM_DETAIL_LOOKS:
        fprintf(out, ",\"looks\":%" PRIu64, detail->place);
        break;
    case SDSIM_DETAIL_CALL:
        if (detail->name != NULL) {
            fputs(",\"file\":", out);
            print_text(out, detail->name);
        }
        fprintf(out, ",\"position\":%" PRIu64 ",\"bytes\":%" PRIu32, detail->place, detail->size);
        break;
    default:
        break;
    }
    fputs(span->cut ? ",\"cut\":true}" : "}", out);
}

static void count_bytes(struct sdsim_span_file *file, const struct sdsim_named_span *span)
{
    char at[32];
    const struct sdsim_detail *detail = span->detail;
    const uint64_t bytes =
        detail->kind == SDSIM_DETAIL_SECTORS ? (uint64_t)detail->size * 512 : detail->size;
    if (span->lane != SDSIM_LANE_TASK || bytes == 0 || span->cut ||
        (detail->kind != SDSIM_DETAIL_SECTORS && detail->kind != SDSIM_DETAIL_CALL)) {
        return;
    }
    uint64_t *const moved = span->call == SDSIM_CALL_READ ? &file->read : &file->written;
    *moved += bytes;
    fprintf(file->out,
            ",\n{\"name\":\"bytes\",\"ph\":\"C\",\"ts\":%s,\"pid\":1,\"args\":{\"read\":%" PRIu64
            ",\"written\":%" PRIu64 "}}",
            sdsim_microseconds_text(span->start + span->duration, at, sizeof at), file->read,
            file->written);
}

static void take_perfetto(struct sdsim_span_stream *stream, const struct sdsim_named_span *span)
{
    struct sdsim_span_file *file = (struct sdsim_span_file *)stream;
    char start[32];
    char duration[32];
    if (span->lane == SDSIM_LANE_QUEUE) {
        fprintf(
            file->out,
            ",\n{\"name\":\"queue\",\"ph\":\"C\",\"ts\":%s,\"pid\":1,\"args\":{\"level\":%" PRIu64
            "}}",
            sdsim_microseconds_text(span->start, start, sizeof start), span->detail->place);
        return;
    }
    fputs(",\n{\"name\":", file->out);
    print_text(file->out, span->name);
    fprintf(file->out, ",\"cat\":\"%s\",\"ph\":\"X\",\"ts\":%s,\"dur\":%s,\"pid\":1,\"tid\":%d,",
            span->kind, sdsim_microseconds_text(span->start, start, sizeof start),
            sdsim_microseconds_text(span->duration, duration, sizeof duration),
            (int)span->lane + 1);
    print_args(file->out, span);
    fputc('}', file->out);
    file->spans++;
    count_bytes(file, span);
}

void sdsim_perfetto_begin(struct sdsim_span_file *file, FILE *out,
                          const struct sdsim_card_params *card, sdsim_ps from, sdsim_ps to,
                          const char *about)
{
    *file = (struct sdsim_span_file){.out = out};
    sdsim_span_stream_init(&file->stream, card, from, to, take_perfetto);
    fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n", out);
    print_name(out, "process_name", 0, about);
    for (unsigned lane = 0; lane <= SDSIM_LANE_CARD; lane++) {
        fputs(",\n", out);
        print_name(out, "thread_name", lane + 1, sdsim_lane_name((enum sdsim_lane)lane));
        fprintf(out,
                ",\n{\"name\":\"thread_sort_index\",\"ph\":\"M\",\"pid\":1,\"tid\":%u,"
                "\"args\":{\"sort_index\":%u}}",
                lane + 1, lane + 1);
    }
}

void sdsim_perfetto_end(struct sdsim_span_file *file)
{
    fputs("\n]}\n", file->out);
}

/* ---- CSV ---- */

static void take_csv(struct sdsim_span_stream *stream, const struct sdsim_named_span *span)
{
    struct sdsim_span_file *file = (struct sdsim_span_file *)stream;
    char start[32];
    char duration[32];
    char argument[24] = "";
    char size[24] = "";
    const struct sdsim_detail *detail = span->detail;
    const bool shown = (span->lane <= SDSIM_LANE_COMMAND || span->lane == SDSIM_LANE_QUEUE) &&
                       detail->kind != SDSIM_DETAIL_NONE;
    if (shown) {
        snprintf(argument, sizeof argument, "%" PRIu64, detail->place);
        snprintf(size, sizeof size, "%" PRIu32, detail->size);
    }
    const char *const fields[] = {
        sdsim_microseconds_text(span->start, start, sizeof start),
        sdsim_microseconds_text(span->duration, duration, sizeof duration),
        sdsim_lane_name(span->lane),
        span->kind,
        span->purpose,
        span->name,
        argument,
        size,
        detail->kind == SDSIM_DETAIL_CALL && detail->name != NULL ? detail->name : "",
        span->cut ? "cut" : "",
    };
    sdsim_csv_line(file->out, fields, sizeof fields / sizeof *fields);
    file->spans++;
}

void sdsim_span_csv_begin(struct sdsim_span_file *file, FILE *out,
                          const struct sdsim_card_params *card, sdsim_ps from, sdsim_ps to)
{
    *file = (struct sdsim_span_file){.out = out};
    sdsim_span_stream_init(&file->stream, card, from, to, take_csv);
    fputs("start_us,duration_us,lane,kind,purpose,name,place,size,file,cut\n", out);
}
