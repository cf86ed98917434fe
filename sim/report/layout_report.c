#include "report/layout_report.h"

#include <inttypes.h>
#include <string.h>

#include "core/units.h"
#include "report/format.h"
#include "report/table.h"

#define LABEL_WIDTH    11
#define SHOWN_RUNS     16u /* of the chosen file */
#define SHOWN_FINDINGS 40u
#define TEXT_BYTES     9000u /* a finding with two paths */

static void print_heading(const char *text, const struct sdsim_style *style, FILE *out)
{
    fprintf(out, "\n%s%s%s\n", sdsim_ink_begin(style, SDSIM_INK_BOLD), text,
            sdsim_ink_end(style, SDSIM_INK_BOLD));
}

static bool print_table(struct sdsim_table *table, const struct sdsim_style *style, FILE *out)
{
    table->indent = 2;
    const bool printed = sdsim_table_print(table, style, out);
    sdsim_table_free(table);
    return printed;
}

/* ---- geometry ---- */

static void print_title(const struct sdsim_layout *layout, const char *image,
                        const struct sdsim_style *style, FILE *out)
{
    char size[32];
    fprintf(out, "%s%s%s: %s, ", sdsim_ink_begin(style, SDSIM_INK_BOLD), image,
            sdsim_ink_end(style, SDSIM_INK_BOLD),
            sdsim_print_sectors(layout->device_sectors, size, sizeof size));
    fprintf(out, "%s", sdsim_fat_type_name(layout->geometry.type));
    if (layout->label[0] != '\0') {
        fprintf(out, " \"%s\"", layout->label);
    }
    fprintf(out, ", serial %04" PRIX32 "-%04" PRIX32 "\n\n", layout->serial >> 16,
            layout->serial & 0xFFFF);
}

/* A part of the card: where, how long, and how far behind an AU's border if `in_au`. */
static void add_part(const struct sdsim_layout *layout, struct sdsim_table *table, const char *name,
                     uint32_t lba, uint32_t sectors, bool in_au)
{
    char size[32];
    const uint32_t offset = lba % layout->au_sectors;
    sdsim_table_cell(table, SDSIM_INK_PLAIN, "%s", name);
    sdsim_table_cell(table, SDSIM_INK_PLAIN, "%" PRIu32, lba);
    sdsim_table_cell(table, SDSIM_INK_PLAIN, "%" PRIu32, sectors);
    sdsim_table_cell(table, SDSIM_INK_PLAIN, "%s", sdsim_print_sectors(sectors, size, sizeof size));
    sdsim_table_cell(table, SDSIM_INK_PLAIN, "%s%s", in_au && offset != 0 ? "+" : "",
                     !in_au        ? ""
                     : offset == 0 ? "on border"
                                   : sdsim_print_sectors(offset, size, sizeof size));
}

static void add_partition(const struct sdsim_layout *layout, struct sdsim_table *table)
{
    const struct sdsim_partition *partition = &layout->partition;
    char name[48];
    if (partition->table == SDSIM_TABLE_NONE) {
        return;
    }
    if (partition->table == SDSIM_TABLE_GPT) {
        snprintf(name, sizeof name, "GPT partition %" PRIu32, partition->number);
    } else {
        snprintf(name, sizeof name, "MBR partition %" PRIu32 ", type %02X", partition->number,
                 partition->type);
    }
    add_part(layout, table, name, layout->geometry.start, partition->sectors, true);
}

static bool print_parts(const struct sdsim_layout *layout, const struct sdsim_style *style,
                        FILE *out)
{
    static const struct sdsim_column columns[] = {{NULL, false, false},
                                                  {"first LBA", true, false},
                                                  {"sectors", true, false},
                                                  {"size", true, false},
                                                  {"in its AU", true, false}};
    const struct sdsim_geometry *g = &layout->geometry;
    const uint32_t cluster = g->cluster_sectors;
    struct sdsim_table table;
    sdsim_table_init(&table, columns, sizeof columns / sizeof *columns);
    add_partition(layout, &table);
    if (layout->partition.table == SDSIM_TABLE_NONE || layout->partition.sectors != g->sectors) {
        add_part(layout, &table, "volume", g->start, g->sectors, true);
    }
    add_part(layout, &table, g->has_fsinfo ? "boot sectors, FSINFO" : "boot sectors", g->start,
             g->fat_start - g->start, false);
    add_part(layout, &table, g->fats == 2 ? "FAT 1" : "FAT", g->fat_start, g->fat_sectors, true);
    if (g->fats == 2) {
        add_part(layout, &table, "FAT 2", g->fat_start + g->fat_sectors, g->fat_sectors, true);
    }
    if (g->root_entries > 0) {
        add_part(layout, &table, "root directory", g->root, g->root_entries / 16u, false);
    }
    add_part(layout, &table, "clusters", g->data_start, g->clusters * cluster, true);
    if (g->bitmap_start != 0) {
        add_part(layout, &table, "allocation bitmap", g->bitmap_start,
                 (uint32_t)(((uint64_t)g->clusters + 4095) / 4096), false);
    }
    return print_table(&table, style, out);
}

/* A line of text behind a label, or behind nothing. */
static void print_line(const char *label, const char *text, FILE *out)
{
    char first[32];
    snprintf(first, sizeof first, "  %-*s", LABEL_WIDTH, label);
    sdsim_print_wrapped(out, first, text);
}

static void print_clusters(const struct sdsim_layout *layout, FILE *out)
{
    const struct sdsim_geometry *g = &layout->geometry;
    char text[200];
    char root[80] = "";
    char size[32];
    if (g->root_entries == 0) {
        snprintf(root, sizeof root, "; the root directory begins in %" PRIu32, g->root);
    }
    snprintf(text, sizeof text, "%" PRIu32 " of %s, numbered 2 to %" PRIu32 "%s", g->clusters,
             sdsim_print_sectors(g->cluster_sectors, size, sizeof size), g->clusters + 1, root);
    print_line("clusters", text, out);
}

static void print_cluster_alignment(const struct sdsim_layout *layout, FILE *out)
{
    const struct sdsim_geometry *g = &layout->geometry;
    const uint32_t au = layout->au_sectors;
    char text[200];
    char size[32];
    sdsim_print_sectors(au, size, sizeof size);
    if (layout->alignment.clusters_cross_au) {
        snprintf(text, sizeof text,
                 "some clusters lie in two AUs of %s: their start, or the AU, is no multiple of "
                 "a cluster",
                 size);
    } else if (g->cluster_sectors > au) {
        snprintf(text, sizeof text, "each cluster is larger than an AU of %s", size);
    } else {
        snprintf(text, sizeof text, "%" PRIu32 " clusters to an AU of %s, none lies in two",
                 au / g->cluster_sectors, size);
    }
    print_line("alignment", text, out);
}

static void print_system_aus(const struct sdsim_layout *layout, FILE *out)
{
    const struct sdsim_geometry *g = &layout->geometry;
    const struct sdsim_alignment *alignment = &layout->alignment;
    const uint64_t data = (uint64_t)g->clusters * g->cluster_sectors;
    const uint32_t rest = layout->au_sectors - alignment->data_offset;
    char text[200];
    char aus[48];
    char size[32];
    sdsim_print_count(alignment->system_aus, "AU", aus, sizeof aus);
    if (alignment->data_shares_au) {
        snprintf(text, sizeof text,
                 "boot sectors and FATs lie in %s, which also hold%s the first %s of the data", aus,
                 alignment->system_aus == 1 ? "s" : "",
                 sdsim_print_sectors(rest < data ? rest : data, size, sizeof size));
    } else {
        snprintf(text, sizeof text, "boot sectors and FATs have %s to themselves", aus);
    }
    print_line("", text, out);
}

bool sdsim_layout_print_geometry(const struct sdsim_layout *layout, const char *image,
                                 const struct sdsim_style *style, FILE *out)
{
    print_title(layout, image, style, out);
    if (!print_parts(layout, style, out)) {
        return false;
    }
    fputc('\n', out);
    print_clusters(layout, out);
    print_cluster_alignment(layout, out);
    print_system_aus(layout, out);
    return true;
}

/* ---- space ---- */

static double share(uint64_t part, uint64_t whole)
{
    return whole > 0 ? (double)part / (double)whole : 0.0;
}

static void print_space_line(const struct sdsim_layout *layout, struct sdsim_table *table,
                             const char *name, uint32_t clusters, const char *note)
{
    char size[32];
    char part[16];
    sdsim_table_cell(table, SDSIM_INK_PLAIN, "%s", name);
    sdsim_table_cell(table, SDSIM_INK_PLAIN, "%" PRIu32, clusters);
    sdsim_table_cell(table, SDSIM_INK_PLAIN, "%s",
                     sdsim_print_sectors((uint64_t)clusters * layout->geometry.cluster_sectors,
                                         size, sizeof size));
    sdsim_table_cell(
        table, SDSIM_INK_PLAIN, "%s",
        sdsim_print_share(share(clusters, layout->geometry.clusters), part, sizeof part));
    sdsim_table_cell(table, SDSIM_INK_PLAIN, "%s", note);
}

static bool print_usage(const struct sdsim_layout *layout, const struct sdsim_style *style,
                        FILE *out)
{
    static const struct sdsim_column columns[] = {{NULL, false, false},
                                                  {"clusters", true, false},
                                                  {"size", true, false},
                                                  {"share", true, false},
                                                  {NULL, false, true}};
    const struct sdsim_layout_space *space = &layout->space;
    struct sdsim_table table;
    char note[120];
    char runs[48];
    sdsim_table_init(&table, columns, sizeof columns / sizeof *columns);
    print_space_line(layout, &table, "used", space->used, "");
    snprintf(note, sizeof note, "%s; %" PRIu32 " of %" PRIu32 " AUs empty",
             sdsim_print_count(space->free_runs, "run", runs, sizeof runs), space->free_aus,
             space->aus);
    print_space_line(layout, &table, "free", space->free, note);
    if (space->largest.count > 0) {
        snprintf(note, sizeof note, "from cluster %" PRIu32 ", LBA %" PRIu32, space->largest.first,
                 sdsim_layout_lba(layout, space->largest.first));
        print_space_line(layout, &table, "largest run", space->largest.count, note);
    }
    if (space->lost > 0) {
        print_space_line(layout, &table, "lost", space->lost, "allocated, but to no file");
    }
    if (space->bad > 0) {
        print_space_line(layout, &table, "bad", space->bad, "marked as unusable");
    }
    return print_table(&table, style, out);
}

static bool print_free_runs(const struct sdsim_layout *layout, const struct sdsim_style *style,
                            FILE *out)
{
    static const struct sdsim_column columns[] = {
        {"free runs of", true, false}, {"", true, false},      {"runs", true, false},
        {"clusters", true, false},     {"share", true, false},
    };
    const struct sdsim_layout_space *space = &layout->space;
    struct sdsim_table table;
    sdsim_table_init(&table, columns, sizeof columns / sizeof *columns);
    for (uint32_t k = 0; k < SDSIM_LAYOUT_CLASSES; k++) {
        const struct sdsim_run_class *class = &space->classes[k];
        const uint64_t from = UINT64_C(1) << k;
        char size[32];
        char part[16];
        if (class->runs == 0) {
            continue;
        }
        if (k == 0) {
            sdsim_table_cell(&table, SDSIM_INK_PLAIN, "1 cluster");
        } else {
            sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%" PRIu64 " to %" PRIu64, from,
                             2 * from - 1);
        }
        sdsim_table_cell(
            &table, SDSIM_INK_PLAIN, "%s%s", k > 0 ? "from " : "",
            sdsim_print_sectors(from * layout->geometry.cluster_sectors, size, sizeof size));
        sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%" PRIu32, class->runs);
        sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%" PRIu32, class->clusters);
        sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%s",
                         sdsim_print_share(share(class->clusters, space->free), part, sizeof part));
    }
    fputc('\n', out);
    return print_table(&table, style, out);
}

/* ---- files ---- */

static char *print_bytes(uint64_t bytes, char *out, size_t size)
{
    return sdsim_unit_print(SDSIM_UNIT_SIZE, (double)bytes, out, size);
}

static bool print_worst(const struct sdsim_layout_tree *tree, const struct sdsim_style *style,
                        FILE *out)
{
    static const struct sdsim_column columns[] = {{"fragments", true, false},
                                                  {"clusters", true, false},
                                                  {"size", true, false},
                                                  {"most fragmented", false, true}};
    struct sdsim_table table;
    char size[32];
    sdsim_table_init(&table, columns, sizeof columns / sizeof *columns);
    for (uint32_t i = 0; i < tree->worst_count; i++) {
        const struct sdsim_layout_file *file = &tree->worst[i];
        sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%" PRIu32, file->fragments);
        sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%" PRIu32, file->clusters);
        sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%s", print_bytes(file->size, size, sizeof size));
        sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%s", file->path);
    }
    fputc('\n', out);
    return print_table(&table, style, out);
}

static bool print_files(const struct sdsim_layout *layout, const struct sdsim_style *style,
                        FILE *out)
{
    const struct sdsim_layout_tree *tree = &layout->tree;
    const uint64_t allocated =
        tree->file_clusters * layout->geometry.cluster_sectors * SDSIM_SECTOR;
    char text[300];
    char files[48];
    char bytes[32];
    char slack[32];
    char ratio[16];
    snprintf(
        text, sizeof text,
        "%s and %" PRIu64 " director%s; %s, and %s unused at the end of clusters",
        sdsim_print_count(tree->files, "file", files, sizeof files), tree->directories,
        tree->directories == 1 ? "y" : "ies", print_bytes(tree->bytes, bytes, sizeof bytes),
        print_bytes(allocated > tree->bytes ? allocated - tree->bytes : 0, slack, sizeof slack));
    sdsim_print_wrapped(out, "  ", text);
    if (tree->files > 0) {
        fprintf(out, "  pieces a file: %s; in more than one: %s\n",
                sdsim_print_ratio(tree->fragments, tree->files, ratio, sizeof ratio),
                sdsim_print_count(tree->fragmented_files, "file", files, sizeof files));
    }
    return tree->worst_count == 0 || print_worst(tree, style, out);
}

static bool print_runs(const struct sdsim_layout *layout, const struct sdsim_style *style,
                       FILE *out)
{
    static const struct sdsim_column columns[] = {
        {"piece", true, false},     {"cluster", true, false}, {"clusters", true, false},
        {"first LBA", true, false}, {"sectors", true, false}, {"size", true, false},
        {"AUs", true, false}};
    const struct sdsim_layout_chosen *chosen = &layout->chosen;
    const size_t shown = chosen->run_count > SHOWN_RUNS ? SHOWN_RUNS : chosen->run_count;
    struct sdsim_table table;
    sdsim_table_init(&table, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < shown; i++) {
        const struct sdsim_cluster_run *run = &chosen->runs[i];
        const uint32_t lba = sdsim_layout_lba(layout, run->first);
        const uint32_t sectors = run->count * layout->geometry.cluster_sectors;
        const uint32_t au = lba / layout->au_sectors;
        const uint32_t last_au = (lba + sectors - 1) / layout->au_sectors;
        char text[32];
        sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%zu", i + 1);
        sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%" PRIu32, run->first);
        sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%" PRIu32, run->count);
        sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%" PRIu32, lba);
        sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%" PRIu32, sectors);
        sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%s",
                         sdsim_print_sectors(sectors, text, sizeof text));
        if (au == last_au) {
            sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%" PRIu32, au);
        } else {
            sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%" PRIu32 "-%" PRIu32, au, last_au);
        }
    }
    const bool printed = print_table(&table, style, out);
    if (chosen->file.fragments > shown) {
        fprintf(out, "  and %" PRIu32 " more; --json lists them\n",
                chosen->file.fragments - (uint32_t)shown);
    }
    return printed;
}

static bool print_chosen(const struct sdsim_layout *layout, const struct sdsim_style *style,
                         FILE *out)
{
    const struct sdsim_layout_chosen *chosen = &layout->chosen;
    const struct sdsim_layout_file *file = &chosen->file;
    char text[300];
    char size[32];
    char clusters[48];
    char aus[48];
    print_heading(file->path, style, out);
    sdsim_print_count(file->clusters, "cluster", clusters, sizeof clusters);
    sdsim_print_count(chosen->aus, "AU", aus, sizeof aus);
    if (file->directory) {
        snprintf(text, sizeof text, "a directory of %s", clusters);
    } else {
        snprintf(text, sizeof text, "%" PRIu64 " bytes (%s) in %s", file->size,
                 print_bytes(file->size, size, sizeof size), clusters);
    }
    const size_t used = strlen(text);
    if (file->clusters > 0) {
        snprintf(text + used, sizeof text - used, ", %s%s; touches %s",
                 file->fragments == 1
                     ? "contiguous"
                     : sdsim_print_count(file->fragments, "piece", size, sizeof size),
                 file->contiguous ? " and marked so: its FAT is not used" : "", aus);
    }
    sdsim_print_wrapped(out, "  ", text);
    if (chosen->run_count == 0) {
        return true;
    }
    fputc('\n', out);
    return print_runs(layout, style, out);
}

/* ---- findings ---- */

static bool print_findings(const struct sdsim_layout *layout, const struct sdsim_style *style,
                           FILE *out)
{
    static const struct sdsim_column columns[] = {{NULL, false, false}, {NULL, false, true}};
    char text[TEXT_BYTES];
    const size_t shown =
        layout->finding_count < SHOWN_FINDINGS ? layout->finding_count : SHOWN_FINDINGS;
    struct sdsim_table table;
    sdsim_table_init(&table, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < shown; i++) {
        const struct sdsim_finding *finding = &layout->findings[i];
        const bool damage = sdsim_finding_is_damage(finding->kind);
        sdsim_table_cell(&table, damage ? SDSIM_INK_BAD : SDSIM_INK_PLAIN, "%s",
                         damage ? "damage" : "note");
        sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%s",
                         sdsim_finding_text(layout, finding, text, sizeof text));
    }
    const bool printed = print_table(&table, style, out);
    if (layout->finding_total > shown) {
        fprintf(out, "  and %" PRIu64 " more\n", layout->finding_total - shown);
    }
    return printed;
}

bool sdsim_layout_print(const struct sdsim_layout *layout, const char *image,
                        const struct sdsim_style *style, FILE *out)
{
    bool printed = sdsim_layout_print_geometry(layout, image, style, out);
    print_heading("Space", style, out);
    printed = printed && print_usage(layout, style, out);
    if (layout->space.free_runs > 1) {
        printed = printed && print_free_runs(layout, style, out);
    }
    print_heading("Files", style, out);
    printed = printed && print_files(layout, style, out);
    if (layout->chosen.found) {
        printed = printed && print_chosen(layout, style, out);
    }
    if (layout->finding_total == 0) {
        print_heading("No findings: nothing is lost, nothing contradicts itself", style, out);
        return printed;
    }
    print_heading("Findings", style, out);
    return printed && print_findings(layout, style, out);
}
