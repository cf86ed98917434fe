#include <inttypes.h>

#include "report/layout_report.h"

#define TEXT_BYTES 9000u /* a finding with two paths */

static void write_partition(const struct sdsim_layout *layout, struct sdsim_json *json)
{
    static const char *const tables[] = {
        [SDSIM_TABLE_NONE] = NULL, [SDSIM_TABLE_MBR] = "mbr", [SDSIM_TABLE_GPT] = "gpt"};
    const struct sdsim_partition *partition = &layout->partition;
    if (partition->table == SDSIM_TABLE_NONE) {
        sdsim_json_text(json, "partition", NULL);
        return;
    }
    sdsim_json_object(json, "partition");
    sdsim_json_text(json, "table", tables[partition->table]);
    sdsim_json_count(json, "number", partition->number);
    if (partition->table == SDSIM_TABLE_MBR) {
        sdsim_json_count(json, "type", partition->type);
    }
    sdsim_json_count(json, "start", layout->geometry.start);
    sdsim_json_count(json, "sectors", partition->sectors);
    sdsim_json_end(json);
}

static void write_volume(const struct sdsim_layout *layout, struct sdsim_json *json)
{
    const struct sdsim_geometry *g = &layout->geometry;
    char serial[16];
    snprintf(serial, sizeof serial, "%04" PRIX32 "-%04" PRIX32, layout->serial >> 16,
             layout->serial & 0xFFFF);
    sdsim_json_object(json, "volume");
    sdsim_json_text(json, "type", sdsim_fat_type_name(g->type));
    sdsim_json_text(json, "label", layout->label[0] != '\0' ? layout->label : NULL);
    sdsim_json_text(json, "serial", serial);
    sdsim_json_count(json, "start", g->start);
    sdsim_json_count(json, "sectors", g->sectors);
    sdsim_json_count(json, "cluster_bytes", g->cluster_sectors * SDSIM_SECTOR);
    sdsim_json_count(json, "clusters", g->clusters);
    sdsim_json_count(json, "fats", g->fats);
    sdsim_json_count(json, "fat_start", g->fat_start);
    sdsim_json_count(json, "fat_sectors", g->fat_sectors);
    sdsim_json_count(json, "data_start", g->data_start);
    if (g->root_entries > 0) {
        sdsim_json_count(json, "root_start", g->root);
        sdsim_json_count(json, "root_entries", g->root_entries);
    } else {
        sdsim_json_count(json, "root_cluster", g->root);
    }
    if (g->bitmap_start > 0) {
        sdsim_json_count(json, "bitmap_start", g->bitmap_start);
    }
    sdsim_json_end(json);
}

static void write_alignment(const struct sdsim_layout *layout, struct sdsim_json *json)
{
    const struct sdsim_alignment *alignment = &layout->alignment;
    sdsim_json_object(json, "alignment");
    sdsim_json_count(json, "au_bytes", (uint64_t)layout->au_sectors * SDSIM_SECTOR);
    sdsim_json_count(json, "start_offset", alignment->start_offset);
    sdsim_json_count(json, "fat_offset", alignment->fat_offset);
    sdsim_json_count(json, "data_offset", alignment->data_offset);
    sdsim_json_count(json, "system_aus", alignment->system_aus);
    sdsim_json_bool(json, "data_shares_au", alignment->data_shares_au);
    sdsim_json_bool(json, "clusters_cross_au", alignment->clusters_cross_au);
    sdsim_json_end(json);
}

void sdsim_layout_json_geometry(const struct sdsim_layout *layout, const char *image,
                                struct sdsim_json *json)
{
    sdsim_json_text(json, "image", image);
    sdsim_json_count(json, "sectors", layout->device_sectors);
    write_partition(layout, json);
    write_volume(layout, json);
    write_alignment(layout, json);
}

static void write_run(const struct sdsim_layout *layout, const struct sdsim_cluster_run *run,
                      const char *key, struct sdsim_json *json)
{
    sdsim_json_object(json, key);
    sdsim_json_count(json, "cluster", run->first);
    sdsim_json_count(json, "clusters", run->count);
    sdsim_json_count(json, "lba", sdsim_layout_lba(layout, run->first));
    sdsim_json_count(json, "sectors", (uint64_t)run->count * layout->geometry.cluster_sectors);
    sdsim_json_end(json);
}

static void write_space(const struct sdsim_layout *layout, struct sdsim_json *json)
{
    const struct sdsim_layout_space *space = &layout->space;
    sdsim_json_object(json, "space");
    sdsim_json_count(json, "used", space->used);
    sdsim_json_count(json, "free", space->free);
    sdsim_json_count(json, "bad", space->bad);
    sdsim_json_count(json, "lost", space->lost);
    sdsim_json_count(json, "lost_runs", space->lost_runs);
    sdsim_json_count(json, "aus", space->aus);
    sdsim_json_count(json, "free_aus", space->free_aus);
    sdsim_json_count(json, "free_runs", space->free_runs);
    if (space->largest.count > 0) {
        write_run(layout, &space->largest, "largest_free_run", json);
    } else {
        sdsim_json_text(json, "largest_free_run", NULL);
    }
    sdsim_json_array(json, "free_runs_by_length");
    for (uint32_t k = 0; k < SDSIM_LAYOUT_CLASSES; k++) {
        const struct sdsim_run_class *class = &space->classes[k];
        if (class->runs > 0) {
            sdsim_json_object(json, NULL);
            sdsim_json_count(json, "from", UINT64_C(1) << k);
            sdsim_json_count(json, "to", (UINT64_C(2) << k) - 1);
            sdsim_json_count(json, "runs", class->runs);
            sdsim_json_count(json, "clusters", class->clusters);
            sdsim_json_end(json);
        }
    }
    sdsim_json_end(json);
    sdsim_json_end(json);
}

static void write_file(const struct sdsim_layout_file *file, struct sdsim_json *json)
{
    sdsim_json_text(json, "path", file->path);
    sdsim_json_bool(json, "directory", file->directory);
    sdsim_json_count(json, "size", file->size);
    sdsim_json_count(json, "clusters", file->clusters);
    sdsim_json_count(json, "fragments", file->fragments);
}

static void write_tree(const struct sdsim_layout_tree *tree, struct sdsim_json *json)
{
    sdsim_json_object(json, "tree");
    sdsim_json_count(json, "files", tree->files);
    sdsim_json_count(json, "directories", tree->directories);
    sdsim_json_count(json, "bytes", tree->bytes);
    sdsim_json_count(json, "file_clusters", tree->file_clusters);
    sdsim_json_count(json, "fragments", tree->fragments);
    sdsim_json_count(json, "fragmented_files", tree->fragmented_files);
    sdsim_json_array(json, "most_fragmented");
    for (uint32_t i = 0; i < tree->worst_count; i++) {
        sdsim_json_object(json, NULL);
        write_file(&tree->worst[i], json);
        sdsim_json_end(json);
    }
    sdsim_json_end(json);
    sdsim_json_end(json);
}

static void write_chosen(const struct sdsim_layout *layout, struct sdsim_json *json)
{
    const struct sdsim_layout_chosen *chosen = &layout->chosen;
    if (!chosen->found) {
        sdsim_json_text(json, "file", NULL);
        return;
    }
    sdsim_json_object(json, "file");
    write_file(&chosen->file, json);
    sdsim_json_bool(json, "marked_contiguous", chosen->file.contiguous);
    sdsim_json_count(json, "aus", chosen->aus);
    sdsim_json_array(json, "extents");
    for (size_t i = 0; i < chosen->run_count; i++) {
        write_run(layout, &chosen->runs[i], NULL, json);
    }
    sdsim_json_end(json);
    sdsim_json_end(json);
}

static void write_finding(const struct sdsim_layout *layout, const struct sdsim_finding *finding,
                          struct sdsim_json *json)
{
    char text[TEXT_BYTES];
    sdsim_json_object(json, NULL);
    sdsim_json_text(json, "kind", sdsim_finding_name(finding->kind));
    sdsim_json_bool(json, "damage", sdsim_finding_is_damage(finding->kind));
    sdsim_json_text(json, "path", finding->path);
    if (finding->kind == SDSIM_FINDING_CROSS) {
        sdsim_json_text(json, "other", finding->other);
    }
    sdsim_json_count(json, "lba", finding->lba);
    sdsim_json_text(json, "structure", sdsim_layout_structure(layout, finding->lba));
    if (finding->cluster != 0) {
        sdsim_json_count(json, "cluster", finding->cluster);
    }
    sdsim_json_count(json, "said", finding->said);
    sdsim_json_count(json, "found", finding->found);
    sdsim_json_text(json, "text", sdsim_finding_text(layout, finding, text, sizeof text));
    sdsim_json_end(json);
}

void sdsim_layout_json_survey(const struct sdsim_layout *layout, struct sdsim_json *json)
{
    write_space(layout, json);
    write_tree(&layout->tree, json);
    write_chosen(layout, json);
    sdsim_json_count(json, "finding_count", layout->finding_total);
    sdsim_json_count(json, "damage_count", layout->damage_total);
    sdsim_json_array(json, "findings");
    for (size_t i = 0; i < layout->finding_count; i++) {
        write_finding(layout, &layout->findings[i], json);
    }
    sdsim_json_end(json);
}
