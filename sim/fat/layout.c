#include "fat/layout.h"

#include <stdlib.h>
#include <string.h>

#include "fat/layout_internal.h"
#include "fat/no_volume.h"

#define CHUNK_SECTORS 128u

const char *sdsim_finding_name(enum sdsim_finding_kind kind)
{
    static const char *const names[SDSIM_FINDING_KINDS] = {
        [SDSIM_FINDING_TRUNCATED] = "truncated",
        [SDSIM_FINDING_UNREADABLE] = "unreadable",
        [SDSIM_FINDING_GPT_SUM] = "gpt-sum",
        [SDSIM_FINDING_GPT_BACKUP] = "gpt-backup",
        [SDSIM_FINDING_PARTITION] = "partition-too-small",
        [SDSIM_FINDING_BOOT_SUM] = "boot-sum",
        [SDSIM_FINDING_BOOT_BACKUP] = "boot-backup",
        [SDSIM_FINDING_DIRTY] = "dirty",
        [SDSIM_FINDING_MEDIA_ERROR] = "media-error",
        [SDSIM_FINDING_FSINFO] = "fsinfo",
        [SDSIM_FINDING_FREE_COUNT] = "free-count",
        [SDSIM_FINDING_PERCENT] = "percent-in-use",
        [SDSIM_FINDING_FATS_DIFFER] = "fats-differ",
        [SDSIM_FINDING_NO_BITMAP] = "no-bitmap",
        [SDSIM_FINDING_BITMAP_SPLIT] = "bitmap-split",
        [SDSIM_FINDING_LOST_CLUSTERS] = "lost-clusters",
        [SDSIM_FINDING_SHORT] = "chain-too-short",
        [SDSIM_FINDING_LONG] = "chain-too-long",
        [SDSIM_FINDING_LOOP] = "loop",
        [SDSIM_FINDING_CROSS] = "cross-link",
        [SDSIM_FINDING_WILD] = "wild-cluster",
        [SDSIM_FINDING_UNMARKED] = "free-cluster-in-use",
        [SDSIM_FINDING_BAD] = "bad-cluster-in-use",
        [SDSIM_FINDING_CHAIN_CUT] = "chain-unreadable",
        [SDSIM_FINDING_MISSING] = "clusters-missing",
        [SDSIM_FINDING_VALID] = "valid-size",
        [SDSIM_FINDING_NO_DOTS] = "no-dot-entries",
        [SDSIM_FINDING_ORPHANS] = "orphaned-long-names",
        [SDSIM_FINDING_BROKEN_SET] = "broken-entry-sets",
        [SDSIM_FINDING_TOO_DEEP] = "too-deep",
    };
    return names[kind];
}

bool sdsim_finding_is_damage(enum sdsim_finding_kind kind)
{
    switch (kind) {
    case SDSIM_FINDING_GPT_SUM:
    case SDSIM_FINDING_GPT_BACKUP:
    case SDSIM_FINDING_BOOT_BACKUP:
    case SDSIM_FINDING_DIRTY:
    case SDSIM_FINDING_FSINFO:
    case SDSIM_FINDING_FREE_COUNT:
    case SDSIM_FINDING_PERCENT:
    case SDSIM_FINDING_ORPHANS:
    case SDSIM_FINDING_TOO_DEEP:
        return false;
    default:
        return true;
    }
}

bool sdsim_survey_read(struct sdsim_survey *survey, uint32_t lba, uint32_t count,
                       enum sdsim_purpose purpose, void *out)
{
    const struct sdsim_disk *disk = survey->disk;
    sdsim_ps now = 0;
    if (disk->ops->read(disk->context, &now, lba, count, purpose, out) == SDSIM_DISK_OK) {
        return true;
    }
    if (survey->unreadable++ == 0) {
        survey->unreadable_lba = lba;
    }
    return false;
}

void sdsim_survey_find(struct sdsim_survey *survey, bool here, const struct sdsim_finding *what)
{
    struct sdsim_layout *layout = survey->layout;
    if (survey->hunting) {
        return;
    }
    layout->finding_total++;
    layout->damage_total += sdsim_finding_is_damage(what->kind);
    if (layout->finding_count == SDSIM_LAYOUT_FINDINGS) {
        return;
    }
    struct sdsim_finding *finding = &layout->findings[layout->finding_count++];
    *finding = *what;
    finding->path = here ? strdup(survey->path) : NULL;
    survey->no_memory |= here && finding->path == NULL;
}

uint32_t sdsim_layout_lba(const struct sdsim_layout *layout, uint32_t cluster)
{
    return layout->geometry.data_start + (cluster - 2) * layout->geometry.cluster_sectors;
}

/* Bytes of a map, in whole sectors. */
static uint32_t map_sectors(const struct sdsim_layout *layout)
{
    return (uint32_t)(((uint64_t)layout->geometry.clusters + SDSIM_SECTOR * 8 - 1) /
                      (SDSIM_SECTOR * 8));
}

const char *sdsim_layout_structure(const struct sdsim_layout *layout, uint32_t lba)
{
    const struct sdsim_geometry *g = &layout->geometry;
    if (lba < g->start) {
        return lba == 0 ? "partition table" : "GPT";
    }
    if (lba >= (uint64_t)g->start + g->sectors) {
        return "GPT";
    }
    if (lba < g->fat_start) {
        return g->has_fsinfo && lba == g->start + 1       ? "FSINFO"
               : g->type == SDSIM_EXFAT && lba > g->start ? "boot region"
                                                          : "boot sector";
    }
    if (lba - g->fat_start < g->fat_sectors) {
        return "FAT 1";
    }
    if (g->fats == 2 && lba - g->fat_start < 2 * g->fat_sectors) {
        return "FAT 2";
    }
    if (g->bitmap_start != 0 && lba >= g->bitmap_start &&
        lba - g->bitmap_start < map_sectors(layout)) {
        return "allocation bitmap";
    }
    return "directory";
}

struct sdsim_alignment sdsim_layout_alignment(const struct sdsim_geometry *g, uint32_t au_sectors)
{
    const uint32_t size = g->cluster_sectors;
    const bool divides = au_sectors % size == 0 && g->data_start % size == 0;
    return (struct sdsim_alignment){
        .start_offset = g->start % au_sectors,
        .fat_offset = g->fat_start % au_sectors,
        .data_offset = g->data_start % au_sectors,
        .system_aus = (g->data_start - 1) / au_sectors - g->start / au_sectors + 1,
        .data_shares_au = g->data_start % au_sectors != 0,
        .clusters_cross_au = size <= au_sectors && !divides,
    };
}

/* ---- what is allocated ---- */

static void note_used_by_fat(struct sdsim_survey *survey)
{
    struct sdsim_layout *layout = survey->layout;
    for (uint32_t cluster = 2; cluster - 2 < layout->geometry.clusters; cluster++) {
        uint32_t next;
        if (sdsim_survey_link(survey, cluster, &next) != SDSIM_LINK_FREE) {
            sdsim_bit_set(layout->used, cluster);
        }
    }
}

/* exFAT: the bitmap, with nothing set behind its last cluster. */
static bool load_bitmap(struct sdsim_survey *survey)
{
    struct sdsim_layout *layout = survey->layout;
    const uint32_t sectors = map_sectors(layout);
    if (layout->geometry.bitmap_start == 0) {
        return false;
    }
    for (uint32_t at = 0; at < sectors; at += CHUNK_SECTORS) {
        const uint32_t left = sectors - at;
        if (!sdsim_survey_read(survey, layout->geometry.bitmap_start + at,
                               left < CHUNK_SECTORS ? left : CHUNK_SECTORS, SDSIM_FOR_BITMAP,
                               layout->used + (size_t)at * SDSIM_SECTOR)) {
            return false;
        }
    }
    for (uint64_t bit = layout->geometry.clusters; bit < (uint64_t)sectors * SDSIM_SECTOR * 8;
         bit++) {
        layout->used[bit / 8] = (uint8_t)(layout->used[bit / 8] & ~(1u << bit % 8));
    }
    return true;
}

/* ---- space ---- */

static void count_free_run(struct sdsim_layout *layout, const struct sdsim_cluster_run *run)
{
    struct sdsim_layout_space *space = &layout->space;
    uint32_t class = 0;
    while (run->count >> class > 1) {
        class ++;
    }
    space->free += run->count;
    space->free_runs++;
    space->classes[class].runs++;
    space->classes[class].clusters += run->count;
    if (run->count > space->largest.count) {
        space->largest = *run;
    }
    const uint64_t from = sdsim_layout_lba(layout, run->first);
    const uint64_t end = from + (uint64_t)run->count * layout->geometry.cluster_sectors;
    const uint64_t to = end < layout->device_sectors ? end : layout->device_sectors;
    const uint64_t first_au = (from + layout->au_sectors - 1) / layout->au_sectors;
    if (to / layout->au_sectors > first_au) {
        space->free_aus += (uint32_t)(to / layout->au_sectors - first_au);
    }
}

static void count_free(struct sdsim_layout *layout)
{
    struct sdsim_cluster_run run = {0};
    for (uint32_t cluster = 2; cluster - 2 < layout->geometry.clusters; cluster++) {
        if (!sdsim_bit(layout->used, cluster)) {
            run.first = run.count == 0 ? cluster : run.first;
            run.count++;
        } else if (run.count > 0) {
            count_free_run(layout, &run);
            run.count = 0;
        }
    }
    if (run.count > 0) {
        count_free_run(layout, &run);
    }
    layout->space.used = layout->geometry.clusters - layout->space.free;
}

/* What is allocated and was met on no chain: bad clusters, and lost ones. */
static void count_lost(struct sdsim_survey *survey)
{
    struct sdsim_layout *layout = survey->layout;
    struct sdsim_layout_space *space = &layout->space;
    uint32_t first = 0;
    uint32_t last = 0;
    for (uint32_t cluster = 2; cluster - 2 < layout->geometry.clusters; cluster++) {
        uint32_t next;
        if (!sdsim_bit(layout->used, cluster) || sdsim_bit(layout->reached, cluster)) {
            continue;
        }
        const enum sdsim_link_kind link = sdsim_survey_link(survey, cluster, &next);
        if (link == SDSIM_LINK_BAD) {
            space->bad++;
        } else if (link != SDSIM_LINK_UNREADABLE) {
            first = space->lost++ == 0 ? cluster : first;
            space->lost_runs += cluster != last + 1;
            last = cluster;
        }
    }
    if (space->lost > 0) {
        const bool exfat = layout->geometry.type == SDSIM_EXFAT;
        sdsim_survey_find(
            survey, false,
            &(struct sdsim_finding){.kind = SDSIM_FINDING_LOST_CLUSTERS,
                                    .lba = exfat ? sdsim_survey_bitmap_lba(survey, first)
                                                 : sdsim_survey_fat_lba(survey, first),
                                    .cluster = first,
                                    .said = space->lost_runs,
                                    .found = space->lost});
    }
}

/* ---- the survey ---- */

/* Walks through the tree once more if chains meet, to tell whose clusters they are. */
static void name_owners(struct sdsim_survey *survey)
{
    struct sdsim_layout *layout = survey->layout;
    bool any = false;
    for (size_t i = 0; i < layout->finding_count; i++) {
        any |= layout->findings[i].kind == SDSIM_FINDING_CROSS;
    }
    uint8_t *reached = layout->reached;
    uint8_t *again = any ? calloc(map_sectors(layout), SDSIM_SECTOR) : NULL;
    if (!any || again == NULL) {
        survey->no_memory |= any;
        return;
    }
    const uint32_t unreadable = survey->unreadable;
    layout->reached = again;
    survey->hunting = true;
    survey->patience = layout->geometry.clusters;
    sdsim_survey_tree(survey);
    survey->hunting = false;
    survey->unreadable = unreadable;
    layout->reached = reached;
    free(again);
}

static void survey_volume(struct sdsim_survey *survey)
{
    struct sdsim_layout *layout = survey->layout;
    survey->patience = layout->geometry.clusters;
    sdsim_survey_boot(survey);
    if (layout->geometry.type == SDSIM_EXFAT) {
        survey->has_bitmap = load_bitmap(survey);
    } else {
        note_used_by_fat(survey);
    }
    sdsim_survey_tree(survey);
    name_owners(survey);
    if (layout->geometry.type == SDSIM_EXFAT && !survey->has_bitmap) {
        memcpy(layout->used, layout->reached, (size_t)map_sectors(layout) * SDSIM_SECTOR);
        sdsim_survey_find(
            survey, false,
            &(struct sdsim_finding){.kind = SDSIM_FINDING_NO_BITMAP,
                                    .lba = sdsim_layout_lba(layout, layout->geometry.root)});
    }
    count_free(layout);
    count_lost(survey);
    sdsim_survey_summary(survey);
}

/* Finds the volume; false with a message. */
static bool find_volume(struct sdsim_layout *layout, const struct sdsim_disk *disk,
                        const char *contents, struct sdsim_diags *diags)
{
    static const struct sdsim_volume_config config = {
        .exfat = true, .gpt = true, .long_names = SDSIM_LFN_STATIC};
    struct sdsim_volume volume = {0};
    sdsim_ps now = 0;
    const enum sdsim_fat_result result = sdsim_volume_mount(&volume, disk, &config, &now);
    layout->geometry = volume.geometry;
    if (result != SDSIM_FAT_OK && volume.geometry.clusters != 0) {
        layout->geometry.type = SDSIM_EXFAT; /* with a bitmap that is damaged */
    }
    if (layout->geometry.type == SDSIM_FAT_UNMOUNTED) {
        char why[200];
        sdsim_error(diags, contents, "there is no FAT12, FAT16, FAT32 or exFAT volume on it: %s",
                    sdsim_no_volume_text(disk, why, sizeof why));
    }
    return layout->geometry.type != SDSIM_FAT_UNMOUNTED;
}

static bool allocate(struct sdsim_survey *survey, const struct sdsim_layout_wishes *wishes)
{
    struct sdsim_layout *layout = survey->layout;
    const size_t sectors = map_sectors(layout);
    layout->findings = calloc(SDSIM_LAYOUT_FINDINGS, sizeof *layout->findings);
    layout->used = calloc(sectors, SDSIM_SECTOR);
    layout->reached = calloc(sectors, SDSIM_SECTOR);
    if (wishes->path != NULL) {
        survey->chosen_aus = calloc(layout->space.aus / 8 + 1, 1);
    }
    return sdsim_survey_open_fat(survey) && layout->findings != NULL && layout->used != NULL &&
           layout->reached != NULL && (wishes->path == NULL || survey->chosen_aus != NULL);
}

/* Surveys a volume that was found; false with a message. */
static bool survey_disk(struct sdsim_layout *layout, const struct sdsim_disk *disk,
                        const struct sdsim_layout_wishes *wishes, struct sdsim_diags *diags)
{
    struct sdsim_survey *survey = calloc(1, sizeof *survey);
    bool done = false;
    if (survey != NULL) {
        survey->disk = disk;
        survey->layout = layout;
        survey->wanted = wishes->path;
        if (allocate(survey, wishes)) {
            survey_volume(survey);
            done = !survey->no_memory;
        }
        sdsim_survey_close_fat(survey);
        free(survey->chosen_aus);
        free(survey);
    }
    if (!done) {
        sdsim_error(diags, wishes->contents, "no memory to look through the volume");
    } else if (wishes->path != NULL && !layout->chosen.found) {
        sdsim_error(diags, wishes->contents, "there is no file '%s' on the volume", wishes->path);
        done = false;
    }
    return done;
}

struct sdsim_layout *sdsim_layout_create(const struct sdsim_disk *disk,
                                         const struct sdsim_layout_wishes *wishes,
                                         struct sdsim_diags *diags)
{
    struct sdsim_layout *layout = calloc(1, sizeof *layout);
    if (layout == NULL) {
        sdsim_error(diags, wishes->contents, "no memory to look through the volume");
        return NULL;
    }
    layout->device_sectors = disk->sectors;
    layout->au_sectors = wishes->au_sectors;
    layout->space.aus = (disk->sectors - 1) / wishes->au_sectors + 1;
    bool done = find_volume(layout, disk, wishes->contents, diags);
    if (done) {
        layout->alignment = sdsim_layout_alignment(&layout->geometry, wishes->au_sectors);
        done = survey_disk(layout, disk, wishes, diags);
    }
    if (!done) {
        sdsim_layout_destroy(layout);
        return NULL;
    }
    return layout;
}

void sdsim_layout_destroy(struct sdsim_layout *layout)
{
    if (layout == NULL) {
        return;
    }
    for (size_t i = 0; i < layout->finding_count; i++) {
        free(layout->findings[i].path);
        free(layout->findings[i].other);
    }
    for (uint32_t i = 0; i < layout->tree.worst_count; i++) {
        free(layout->tree.worst[i].path);
    }
    free(layout->findings);
    free(layout->chosen.file.path);
    free(layout->chosen.runs);
    free(layout->used);
    free(layout->reached);
    free(layout);
}

/* ---- the map ---- */

struct map {
    struct sdsim_map_cell *cells;
    size_t count;
    uint32_t cell_sectors;
};

/* Counts sectors from..end in the cells they lie in. */
static void spread(const struct map *map, enum sdsim_map_kind kind, uint64_t from, uint64_t end)
{
    const uint64_t room = (uint64_t)map->cell_sectors * map->count;
    end = end < room ? end : room;
    while (from < end) {
        const uint64_t cell = from / map->cell_sectors;
        const uint64_t border = (cell + 1) * map->cell_sectors;
        const uint64_t to = border < end ? border : end;
        map->cells[cell].sectors[kind] += (uint32_t)(to - from);
        from = to;
    }
}

static enum sdsim_map_kind kind_of(const struct sdsim_layout *layout, uint32_t cluster)
{
    return !sdsim_bit(layout->used, cluster)     ? SDSIM_MAP_FREE
           : sdsim_bit(layout->reached, cluster) ? SDSIM_MAP_USED
                                                 : SDSIM_MAP_LOST;
}

static void spread_clusters(const struct sdsim_layout *layout, const struct map *map)
{
    const struct sdsim_geometry *g = &layout->geometry;
    uint32_t first = 2;
    for (uint32_t cluster = 3; cluster - 2 <= g->clusters; cluster++) {
        const enum sdsim_map_kind kind = kind_of(layout, first);
        if (cluster - 2 == g->clusters || kind_of(layout, cluster) != kind) {
            const uint64_t from = sdsim_layout_lba(layout, first);
            spread(map, kind, from, from + (uint64_t)(cluster - first) * g->cluster_sectors);
            first = cluster;
        }
    }
}

/* Moves the chosen file's sectors over from what they were counted as. */
static void spread_chosen(const struct sdsim_layout *layout, const struct map *map)
{
    for (size_t i = 0; i < layout->chosen.run_count; i++) {
        const struct sdsim_cluster_run *run = &layout->chosen.runs[i];
        const uint64_t from = sdsim_layout_lba(layout, run->first);
        spread(map, SDSIM_MAP_CHOSEN, from,
               from + (uint64_t)run->count * layout->geometry.cluster_sectors);
    }
    for (size_t i = 0; i < map->count; i++) {
        uint32_t *sectors = map->cells[i].sectors;
        const uint32_t chosen = sectors[SDSIM_MAP_CHOSEN];
        sectors[SDSIM_MAP_USED] -=
            chosen < sectors[SDSIM_MAP_USED] ? chosen : sectors[SDSIM_MAP_USED];
    }
}

void sdsim_layout_map(const struct sdsim_layout *layout, uint32_t cell_sectors,
                      struct sdsim_map_cell *cells, size_t count)
{
    const struct sdsim_geometry *g = &layout->geometry;
    const struct map map = {cells, count, cell_sectors};
    const uint64_t end = g->data_start + (uint64_t)g->clusters * g->cluster_sectors;
    memset(cells, 0, count * sizeof *cells);
    spread(&map, SDSIM_MAP_OUTSIDE, 0, g->start);
    spread(&map, SDSIM_MAP_SYSTEM, g->start, g->data_start);
    spread_clusters(layout, &map);
    spread(&map, SDSIM_MAP_OUTSIDE, end, layout->device_sectors);
    spread_chosen(layout, &map);
}
