#include <inttypes.h>
#include <string.h>

#include "core/csv.h"
#include "report/format.h"
#include "report/replay_report.h"

/* "write 4096", "R 8192 8 # data"; of a file operation, its name or its amount. */
static void describe(const struct sdsim_replay_row *row, char *text, size_t size)
{
    if (row->block != NULL) {
        const struct sdsim_block_record *block = row->block;
        const char *name = sdsim_trace_kind_name((enum sdsim_trace_kind)block->kind);
        const char *mark = row->label[0] != '\0' ? " # " : "";
        if (block->count > 0) {
            snprintf(text, size, "%s %" PRIu32 " %" PRIu32 "%s%.100s", name, block->lba,
                     block->count, mark, row->label);
        } else {
            snprintf(text, size, "%s%s%.100s", name, mark, row->label);
        }
        return;
    }
    const struct sdsim_op *op = row->op;
    if (op->name.length > 0) {
        snprintf(text, size, "%s %.*s", sdsim_op_name(op->kind),
                 op->name.length < 200 ? (int)op->name.length : 200, op->name.text);
    } else if (op->amount.bytes != 0) {
        snprintf(text, size, "%s %" PRId64, sdsim_op_name(op->kind), op->amount.bytes);
    } else {
        snprintf(text, size, "%s", sdsim_op_name(op->kind));
    }
}

void sdsim_replay_row_head(FILE *out)
{
    fprintf(out, "%9s %12s %10s %10s  %s\n", "number", "start", "predicted", "recorded", "call");
}

void sdsim_replay_row_print(const struct sdsim_replay_row *row, FILE *out)
{
    char start[32];
    char duration[32];
    char recorded[32] = "";
    char call[400];
    if (row->has_recorded) {
        sdsim_print_time(row->recorded, recorded, sizeof recorded);
    }
    describe(row, call, sizeof call);
    fprintf(out, "%9" PRIu64 " %12s %10s %10s  %s%s\n", row->number,
            sdsim_print_time(row->start, start, sizeof start),
            sdsim_print_time(row->duration, duration, sizeof duration), recorded, call,
            row->failed ? " (failed)" : "");
}

void sdsim_replay_row_json(const struct sdsim_replay_row *row, struct sdsim_json *json)
{
    sdsim_json_object(json, NULL);
    sdsim_json_count(json, "number", row->number);
    if (row->block != NULL) {
        sdsim_json_text(json, "call",
                        sdsim_trace_kind_name((enum sdsim_trace_kind)row->block->kind));
        sdsim_json_count(json, "lba", row->block->lba);
        sdsim_json_count(json, "count", row->block->count);
        sdsim_json_text(json, "label", row->label);
    } else {
        char call[400];
        describe(row, call, sizeof call);
        sdsim_json_text(json, "call", sdsim_op_name(row->op->kind));
        sdsim_json_text(json, "operation", call);
        sdsim_json_count(json, "line", row->line);
    }
    sdsim_json_bool(json, "failed", row->failed);
    sdsim_json_seconds(json, "start", row->start);
    sdsim_json_seconds(json, "predicted", row->duration);
    if (row->has_recorded) {
        sdsim_json_seconds(json, "recorded_start", row->recorded_start);
        sdsim_json_seconds(json, "recorded", row->recorded);
    }
    sdsim_json_end(json);
}

void sdsim_replay_row_csv_head(FILE *out)
{
    static const char *const head[] = {"number",         "call",     "lba",   "count",
                                       "line",           "failed",   "start", "predicted",
                                       "recorded_start", "recorded", "label"};
    sdsim_csv_line(out, head, sizeof head / sizeof head[0]);
}

void sdsim_replay_row_csv(const struct sdsim_replay_row *row, FILE *out)
{
    char text[9][32];
    char call[400];
    const bool block = row->block != NULL;
    describe(row, call, sizeof call);
    snprintf(text[0], sizeof text[0], "%" PRIu64, row->number);
    snprintf(text[1], sizeof text[1], "%" PRIu32, block ? row->block->lba : 0);
    snprintf(text[2], sizeof text[2], "%" PRIu32, block ? row->block->count : 0);
    snprintf(text[3], sizeof text[3], "%" PRIu32, row->line);
    const char *const fields[] = {
        text[0],
        block ? sdsim_trace_kind_name((enum sdsim_trace_kind)row->block->kind) : call,
        block ? text[1] : NULL,
        block ? text[2] : NULL,
        block ? NULL : text[3],
        row->failed ? "yes" : "no",
        sdsim_seconds_text(row->start, text[4], sizeof text[4]),
        sdsim_seconds_text(row->duration, text[5], sizeof text[5]),
        row->has_recorded ? sdsim_seconds_text(row->recorded_start, text[6], sizeof text[6]) : NULL,
        row->has_recorded ? sdsim_seconds_text(row->recorded, text[7], sizeof text[7]) : NULL,
        row->label[0] != '\0' ? row->label : NULL,
    };
    sdsim_csv_line(out, fields, sizeof fields / sizeof fields[0]);
}
