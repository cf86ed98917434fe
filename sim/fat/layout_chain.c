/*
 * Chains of clusters: reading the FAT through a small cache, and following a chain once.
 */
#include <stdlib.h>
#include <string.h>

#include "fat/bytes.h"
#include "fat/layout_internal.h"

#define PAGE_SECTORS 8u
#define PAGE_BYTES   (PAGE_SECTORS * SDSIM_SECTOR)
#define PAGES        64u
#define NO_PAGE      UINT32_MAX

/* A piece of the first FAT; page n can only be in slot n % PAGES. */
struct sdsim_fat_page {
    uint32_t number;
    bool readable;
    uint8_t bytes[PAGE_BYTES];
};

bool sdsim_survey_open_fat(struct sdsim_survey *survey)
{
    survey->pages = malloc(PAGES * sizeof *survey->pages);
    for (uint32_t i = 0; survey->pages != NULL && i < PAGES; i++) {
        survey->pages[i].number = NO_PAGE;
    }
    return survey->pages != NULL;
}

void sdsim_survey_close_fat(struct sdsim_survey *survey)
{
    free(survey->pages);
    survey->pages = NULL;
}

/* The bytes of the first FAT from an offset to the end of its page; NULL if they can't be read. */
static const uint8_t *fat_at(struct sdsim_survey *survey, uint64_t offset)
{
    const struct sdsim_geometry *g = &survey->layout->geometry;
    const uint32_t number = (uint32_t)(offset / PAGE_BYTES);
    struct sdsim_fat_page *page = &survey->pages[number % PAGES];
    if (page->number != number) {
        const uint32_t first = number * PAGE_SECTORS;
        const uint32_t left = g->fat_sectors - first;
        page->number = number;
        page->readable = sdsim_survey_read(survey, g->fat_start + first,
                                           left < PAGE_SECTORS ? left : PAGE_SECTORS, SDSIM_FOR_FAT,
                                           page->bytes);
    }
    return page->readable ? page->bytes + offset % PAGE_BYTES : NULL;
}

uint32_t sdsim_survey_fat_lba(const struct sdsim_survey *survey, uint32_t cluster)
{
    const struct sdsim_geometry *g = &survey->layout->geometry;
    const uint64_t offset = g->type == SDSIM_FAT12   ? cluster + cluster / 2
                            : g->type == SDSIM_FAT16 ? (uint64_t)cluster * 2
                                                     : (uint64_t)cluster * 4;
    return g->fat_start + (uint32_t)(offset / SDSIM_SECTOR);
}

uint32_t sdsim_survey_bitmap_lba(const struct sdsim_survey *survey, uint32_t cluster)
{
    return survey->layout->geometry.bitmap_start + (cluster - 2) / (SDSIM_SECTOR * 8);
}

/* The entry of a valid cluster, its reserved bits cut off; false if it can't be read. */
static bool read_entry(struct sdsim_survey *survey, uint32_t cluster, uint32_t *value)
{
    const uint8_t *bytes;
    switch (survey->layout->geometry.type) {
    case SDSIM_FAT12: {
        const uint64_t offset = cluster + cluster / 2;
        bytes = fat_at(survey, offset);
        const uint32_t low = bytes != NULL ? *bytes : 0;
        const uint8_t *second = bytes != NULL ? fat_at(survey, offset + 1) : NULL;
        if (second == NULL) {
            return false;
        }
        const uint32_t both = low | (uint32_t)*second << 8;
        *value = cluster % 2 != 0 ? both >> 4 : both & 0xFFF;
        return true;
    }
    case SDSIM_FAT16:
        bytes = fat_at(survey, (uint64_t)cluster * 2);
        *value = bytes != NULL ? sdsim_get16(bytes) : 0;
        return bytes != NULL;
    default:
        bytes = fat_at(survey, (uint64_t)cluster * 4);
        *value = bytes != NULL ? sdsim_get32(bytes) : 0;
        if (survey->layout->geometry.type == SDSIM_FAT32) {
            *value &= 0x0FFFFFFF;
        }
        return bytes != NULL;
    }
}

enum sdsim_link_kind sdsim_survey_link(struct sdsim_survey *survey, uint32_t cluster,
                                       uint32_t *next)
{
    static const uint32_t bad[] = {[SDSIM_FAT12] = 0xFF7,
                                   [SDSIM_FAT16] = 0xFFF7,
                                   [SDSIM_FAT32] = 0x0FFFFFF7,
                                   [SDSIM_EXFAT] = 0xFFFFFFF7};
    uint32_t value;
    if (!read_entry(survey, cluster, &value)) {
        return SDSIM_LINK_UNREADABLE;
    }
    if (value == 0) {
        return SDSIM_LINK_FREE;
    }
    *next = value;
    if (sdsim_survey_valid(survey, value)) {
        return SDSIM_LINK_NEXT;
    }
    const uint32_t mark = bad[survey->layout->geometry.type];
    return value == mark ? SDSIM_LINK_BAD : value > mark ? SDSIM_LINK_END : SDSIM_LINK_WILD;
}

/* ---- runs ---- */

/* Whether AU `au` of the chosen file is met for the first time. */
static bool is_new_au(struct sdsim_survey *survey, uint32_t au)
{
    uint8_t *byte = &survey->chosen_aus[au / 8];
    const uint8_t bit = (uint8_t)(1u << au % 8);
    const bool fresh = (*byte & bit) == 0;
    *byte |= bit;
    return fresh;
}

static void collect_run(struct sdsim_survey *survey, uint32_t first, uint32_t count)
{
    struct sdsim_layout *layout = survey->layout;
    struct sdsim_layout_chosen *chosen = &layout->chosen;
    const uint32_t lba = sdsim_layout_lba(layout, first);
    const uint64_t last = lba + (uint64_t)count * layout->geometry.cluster_sectors - 1;
    for (uint64_t au = lba / layout->au_sectors; au <= last / layout->au_sectors; au++) {
        if (au < layout->space.aus) { /* an image that was cut off has fewer */
            chosen->aus += is_new_au(survey, (uint32_t)au);
        }
    }
    if (chosen->run_count == SDSIM_LAYOUT_RUNS) {
        return;
    }
    if (chosen->run_count == chosen->run_capacity) {
        const size_t capacity = chosen->run_capacity * 2 + 16;
        struct sdsim_cluster_run *grown = realloc(chosen->runs, capacity * sizeof *grown);
        if (grown == NULL) {
            survey->no_memory = true;
            return;
        }
        chosen->runs = grown;
        chosen->run_capacity = capacity;
    }
    chosen->runs[chosen->run_count++] = (struct sdsim_cluster_run){first, count};
}

/* Names the owner of shared clusters that lie in a run. */
static void claim_run(struct sdsim_survey *survey, uint32_t first, uint32_t count)
{
    struct sdsim_layout *layout = survey->layout;
    for (size_t i = 0; i < layout->finding_count; i++) {
        struct sdsim_finding *finding = &layout->findings[i];
        if (finding->kind == SDSIM_FINDING_CROSS && finding->other == NULL &&
            finding->cluster - first < count) {
            finding->other = strdup(survey->path);
            survey->no_memory |= finding->other == NULL;
        }
    }
}

/* How many clusters of a run don't lie on the device, or not completely. */
static uint32_t count_missing(const struct sdsim_layout *layout, uint32_t first, uint32_t count)
{
    const uint32_t lba = sdsim_layout_lba(layout, first);
    const uint32_t there = lba < layout->device_sectors
                               ? (layout->device_sectors - lba) / layout->geometry.cluster_sectors
                               : 0;
    return there < count ? count - there : 0;
}

/* A run of the chain has been followed to its end. */
static void finish_run(struct sdsim_survey *survey, struct sdsim_survey_chain *chain,
                       uint32_t first, uint32_t count)
{
    if (count == 0) {
        return;
    }
    chain->fragments++;
    chain->missing += count_missing(survey->layout, first, count);
    if (survey->hunting) {
        claim_run(survey, first, count);
    } else if (survey->collecting) {
        collect_run(survey, first, count);
    }
}

/* Marks a cluster as reached by this chain. */
static void reach(struct sdsim_survey *survey, struct sdsim_survey_chain *chain, uint32_t cluster)
{
    sdsim_bit_set(survey->layout->reached, cluster);
    chain->clusters++;
    if (survey->has_bitmap && !sdsim_bit(survey->layout->used, cluster) && chain->unmarked++ == 0) {
        chain->unmarked_first = cluster;
    }
}

/* ---- following ---- */

static void report(struct sdsim_survey *survey, const struct sdsim_survey_chain *chain,
                   enum sdsim_finding_kind kind, uint32_t lba, uint32_t cluster)
{
    sdsim_survey_find(
        survey, true,
        &(struct sdsim_finding){.kind = kind,
                                .lba = lba,
                                .cluster = cluster,
                                .said = chain->sized ? chain->wanted : chain->clusters,
                                .found = chain->clusters});
}

/* Whether `cluster` is among the clusters that the chain had so far: it is a loop then. */
static bool comes_back(struct sdsim_survey *survey, const struct sdsim_survey_chain *chain,
                       uint32_t cluster)
{
    uint32_t at = chain->start;
    for (uint32_t i = 0; i < chain->clusters; i++) {
        if (at == cluster) {
            return true;
        }
        if (sdsim_survey_link(survey, at, &at) != SDSIM_LINK_NEXT) {
            return false;
        }
    }
    return false;
}

/* What to say about a link that leads nowhere; SDSIM_FINDING_KINDS for a proper end. */
static enum sdsim_finding_kind finding_of(enum sdsim_link_kind link)
{
    switch (link) {
    case SDSIM_LINK_FREE:
        return SDSIM_FINDING_UNMARKED;
    case SDSIM_LINK_BAD:
        return SDSIM_FINDING_BAD;
    case SDSIM_LINK_WILD:
        return SDSIM_FINDING_WILD;
    case SDSIM_LINK_UNREADABLE:
        return SDSIM_FINDING_CHAIN_CUT;
    default:
        return SDSIM_FINDING_KINDS;
    }
}

/* Follows the FAT. True if the chain has a proper end. */
static bool follow_links(struct sdsim_survey *survey, struct sdsim_survey_chain *chain)
{
    struct sdsim_cluster_run run = {0};
    uint32_t cluster = chain->start;
    uint32_t lba = survey->entry_lba; /* where `cluster` is named */
    enum sdsim_link_kind link = SDSIM_LINK_NEXT;
    while (link == SDSIM_LINK_NEXT && !sdsim_bit(survey->layout->reached, cluster)) {
        if (run.count > 0 && cluster == run.first + run.count) {
            run.count++;
        } else {
            finish_run(survey, chain, run.first, run.count);
            run = (struct sdsim_cluster_run){cluster, 1};
        }
        reach(survey, chain, cluster);
        uint32_t next;
        link = sdsim_survey_link(survey, cluster, &next);
        lba = sdsim_survey_fat_lba(survey, cluster);
        if (link == SDSIM_LINK_NEXT) {
            cluster = next;
        }
    }
    finish_run(survey, chain, run.first, run.count);
    if (link == SDSIM_LINK_END) {
        return true;
    }
    if (link == SDSIM_LINK_NEXT) {
        const bool loop = !survey->hunting && comes_back(survey, chain, cluster);
        report(survey, chain, loop ? SDSIM_FINDING_LOOP : SDSIM_FINDING_CROSS, lba, cluster);
    } else {
        report(survey, chain, finding_of(link), lba, cluster);
    }
    return false;
}

/*
 * Takes the clusters one after the other, as many as the size needs. Where another file was before,
 * it goes on behind it, since what follows may be this file's own; but not without end, since many
 * entries could say so.
 */
static bool follow_contiguous(struct sdsim_survey *survey, struct sdsim_survey_chain *chain)
{
    const uint32_t room = survey->layout->geometry.clusters - (chain->start - 2);
    const uint32_t count = chain->wanted < room ? (uint32_t)chain->wanted : room;
    uint32_t shared = 0;
    uint32_t first_shared = 0;
    uint32_t done = 0;
    for (; done < count; done++) {
        const uint32_t cluster = chain->start + done;
        if (!sdsim_bit(survey->layout->reached, cluster)) {
            reach(survey, chain, cluster);
            continue;
        }
        first_shared = shared++ == 0 ? cluster : first_shared;
        if (survey->patience == 0) {
            break;
        }
        survey->patience--;
    }
    finish_run(survey, chain, chain->start, done);
    if (shared > 0) {
        report(survey, chain, SDSIM_FINDING_CROSS, survey->entry_lba, first_shared);
    }
    if (chain->wanted > room) {
        report(survey, chain, SDSIM_FINDING_WILD, survey->entry_lba, chain->start + room - 1);
    }
    return shared == 0 && chain->wanted <= room;
}

void sdsim_survey_follow(struct sdsim_survey *survey, struct sdsim_survey_chain *chain)
{
    if (chain->start == 0) {
        if (chain->sized && chain->wanted > 0) {
            report(survey, chain, SDSIM_FINDING_SHORT, survey->entry_lba, 0);
        }
        return;
    }
    if (!sdsim_survey_valid(survey, chain->start)) {
        report(survey, chain, SDSIM_FINDING_WILD, survey->entry_lba, 0);
        return;
    }
    const bool sound =
        chain->contiguous ? follow_contiguous(survey, chain) : follow_links(survey, chain);
    if (chain->unmarked > 0) {
        report(survey, chain, SDSIM_FINDING_UNMARKED,
               sdsim_survey_bitmap_lba(survey, chain->unmarked_first), chain->unmarked_first);
    }
    if (chain->missing > 0) {
        sdsim_survey_find(survey, true,
                          &(struct sdsim_finding){.kind = SDSIM_FINDING_MISSING,
                                                  .lba = survey->entry_lba,
                                                  .said = chain->clusters,
                                                  .found = chain->missing});
    }
    if (sound && chain->sized && chain->clusters < chain->wanted) {
        report(survey, chain, SDSIM_FINDING_SHORT, survey->entry_lba, 0);
    }
    if (sound && chain->sized && chain->clusters > chain->wanted) {
        report(survey, chain, SDSIM_FINDING_LONG, survey->entry_lba, 0);
    }
}
