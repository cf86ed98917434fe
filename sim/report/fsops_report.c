#include "report/fsops_report.h"

#include <inttypes.h>

#include "report/layout_report.h"
#include "report/table.h"

/* ---- the table ---- */

static void add_counts(struct sdsim_table *table, const char *name,
                       const struct sdsim_block_count *reads,
                       const struct sdsim_block_count *writes)
{
    const struct sdsim_block_count *const counts[] = {reads, writes};
    sdsim_table_cell(table, SDSIM_INK_PLAIN, "%s", name);
    for (int i = 0; i < 2; i++) {
        sdsim_table_cell(table, SDSIM_INK_PLAIN, "%" PRIu64, counts[i]->calls);
        sdsim_table_cell(table, SDSIM_INK_PLAIN, "%" PRIu64, counts[i]->sectors);
    }
}

static void add_to(struct sdsim_block_count *sum, const struct sdsim_block_count *count)
{
    sum->calls += count->calls;
    sum->sectors += count->sectors;
}

/* Of the sectors that were read or written, how many carried what the files hold. */
static void print_meaning(const struct sdsim_blocks *blocks, FILE *out)
{
    const uint64_t sectors = blocks->sectors_read + blocks->sectors_written;
    const uint64_t data =
        blocks->reads[SDSIM_BLOCK_DATA].sectors + blocks->writes[SDSIM_BLOCK_DATA].sectors;
    char operations[48];
    char syncs[48];
    char trims[48];
    char size[32];
    char text[300];
    snprintf(text, sizeof text, "%s; %s; %s (%s)",
             sdsim_print_count(blocks->operations, "file operation", operations, sizeof operations),
             sdsim_print_count(blocks->syncs, "sync", syncs, sizeof syncs),
             sdsim_print_count(blocks->trims.calls, "trim", trims, sizeof trims),
             sdsim_print_sectors(blocks->trims.sectors, size, sizeof size));
    fputc('\n', out);
    sdsim_print_wrapped(out, "", text);
    if (sectors > 0) {
        fprintf(out, "%.1f%% of the sectors are metadata\n",
                100.0 * (double)(sectors - data) / (double)sectors);
    }
}

bool sdsim_fsops_print_summary(const struct sdsim_blocks *blocks, const struct sdsim_style *style,
                               FILE *out)
{
    static const struct sdsim_column columns[] = {{NULL, false, false},
                                                  {"reads", true, false},
                                                  {"sectors", true, false},
                                                  {"writes", true, false},
                                                  {"sectors", true, false}};
    struct sdsim_block_count reads = {0};
    struct sdsim_block_count writes = {0};
    struct sdsim_table table;
    sdsim_table_init(&table, columns, sizeof columns / sizeof *columns);
    for (int label = 0; label < SDSIM_BLOCK_LABELS; label++) {
        add_to(&reads, &blocks->reads[label]);
        add_to(&writes, &blocks->writes[label]);
        if (blocks->reads[label].calls + blocks->writes[label].calls > 0) {
            add_counts(&table, sdsim_block_label_name((enum sdsim_block_label)label),
                       &blocks->reads[label], &blocks->writes[label]);
        }
    }
    add_counts(&table, "total", &reads, &writes);
    const bool printed = sdsim_table_print(&table, style, out);
    sdsim_table_free(&table);
    print_meaning(blocks, out);
    return printed;
}

/* ---- JSON ---- */

static void write_count(const char *key, const struct sdsim_block_count *count,
                        struct sdsim_json *json)
{
    sdsim_json_object(json, key);
    sdsim_json_count(json, "calls", count->calls);
    sdsim_json_count(json, "sectors", count->sectors);
    sdsim_json_end(json);
}

void sdsim_fsops_json_summary(const struct sdsim_blocks *blocks, struct sdsim_json *json)
{
    sdsim_json_object(json, "summary");
    sdsim_json_count(json, "operations", blocks->operations);
    sdsim_json_count(json, "block_operations", blocks->block_operations);
    sdsim_json_count(json, "sectors_read", blocks->sectors_read);
    sdsim_json_count(json, "sectors_written", blocks->sectors_written);
    sdsim_json_count(json, "syncs", blocks->syncs);
    write_count("trims", &blocks->trims, json);
    sdsim_json_object(json, "labels");
    for (int label = 0; label < SDSIM_BLOCK_LABELS; label++) {
        sdsim_json_object(json, sdsim_block_label_name((enum sdsim_block_label)label));
        write_count("reads", &blocks->reads[label], json);
        write_count("writes", &blocks->writes[label], json);
        sdsim_json_end(json);
    }
    sdsim_json_end(json);
    sdsim_json_end(json);
}

static void write_block(const struct sdsim_block *block, struct sdsim_json *json)
{
    static const char *const kinds[] = {[SDSIM_BLOCK_READ] = "read",
                                        [SDSIM_BLOCK_WRITE] = "write",
                                        [SDSIM_BLOCK_SYNC] = "sync",
                                        [SDSIM_BLOCK_TRIM] = "trim"};
    sdsim_json_object(json, NULL);
    sdsim_json_text(json, "kind", kinds[block->kind]);
    if (block->kind != SDSIM_BLOCK_SYNC) {
        sdsim_json_count(json, "lba", block->lba);
        sdsim_json_count(json, "count", block->count);
    }
    if (block->kind == SDSIM_BLOCK_READ || block->kind == SDSIM_BLOCK_WRITE) {
        sdsim_json_text(json, "label", sdsim_block_label_name(block->label));
    }
    sdsim_json_end(json);
}

void sdsim_fsops_json_operation(const struct sdsim_blocks *blocks, uint32_t line,
                                const struct sdsim_op *op, uint32_t repetition,
                                const struct sdsim_answer *outcome, struct sdsim_json *json)
{
    static const char *const values[] = {[SDSIM_ANSWER_COUNT] = "n",
                                         [SDSIM_ANSWER_SIZE] = "size",
                                         [SDSIM_ANSWER_ENTRIES] = "entries",
                                         [SDSIM_ANSWER_CLUSTERS] = "clusters"};
    sdsim_json_object(json, NULL);
    sdsim_json_count(json, "line", line);
    sdsim_json_count(json, "repetition", repetition);
    sdsim_json_text(json, "operation", sdsim_op_name(op->kind));
    sdsim_json_count(json, "result", (uint64_t)outcome->result);
    if (outcome->kind != SDSIM_ANSWER_NONE) {
        sdsim_json_count(json, values[outcome->kind], outcome->value);
    }
    sdsim_json_array(json, "blocks");
    for (size_t i = 0; i < blocks->pending_count; i++) {
        write_block(&blocks->pending[i], json);
    }
    sdsim_json_end(json);
    sdsim_json_end(json);
}
