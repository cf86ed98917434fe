/*
 * Damaged volumes: a table of patches to FATs, directories, bitmap and boot sectors, and exactly the
 * findings each makes. Every finding names the structure and the sector, and one of them is the
 * sector that was patched.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "fat/bytes.h"
#include "fat/layout_text.h"
#include "layout_volume.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define MOST_KINDS   5u

/* What a patch changes. */
enum target {
    FAT_ENTRY, /* of the cluster with number `which` in the file, in all FATs */
    FAT1_ENTRY,
    BOOT_BYTE, /* `which` is the offset */
    BACKUP_BYTE,
    FSINFO_BYTE,
    ROOT_SLOT,  /* `which` is slot x 32 + offset; 4 bytes; exFAT: with a new sum of its set */
    ROOT_BYTE,  /* one byte, no sum */
    DIR_BYTE,   /* in the first cluster of /DIR */
    BITMAP_BIT, /* of the cluster, to 0 or 1 */
};

/* Values that depend on the volume. */
enum value {
    PLAIN,   /* the number itself */
    NOTHING, /* 0: a free cluster */
    END,
    BAD,
    WILD,       /* the first number beyond the last cluster */
    FIRST_OF_A, /* clusters of the files */
    SECOND_OF_B,
    FIRST_OF_C,
    UNUSED, /* the last cluster of the volume, which is free */
    ROOT,
};

struct patch {
    enum target target;
    char file; /* 'A', 'B', 'C', 'U': the last cluster; 0: none */
    uint32_t which;
    enum value value;
    uint32_t number; /* PLAIN */
};

static const struct row {
    const char *name;
    enum sdsim_fat_type type;
    struct patch patches[3];
    enum sdsim_finding_kind kinds[MOST_KINDS]; /* ends with SDSIM_FINDING_KINDS if there are less */
} rows[] = {
#define NONE SDSIM_FINDING_KINDS
#define LOST SDSIM_FINDING_LOST_CLUSTERS
    /* chains */
    {"loop", SDSIM_FAT12, {{FAT_ENTRY, 'A', 2, FIRST_OF_A, 0}}, {SDSIM_FINDING_LOOP, LOST, NONE}},
    {"loop", SDSIM_FAT16, {{FAT_ENTRY, 'A', 2, FIRST_OF_A, 0}}, {SDSIM_FINDING_LOOP, LOST, NONE}},
    {"loop", SDSIM_FAT32, {{FAT_ENTRY, 'A', 2, FIRST_OF_A, 0}}, {SDSIM_FINDING_LOOP, LOST, NONE}},
    {"loop", SDSIM_EXFAT, {{FAT_ENTRY, 'A', 2, FIRST_OF_A, 0}}, {SDSIM_FINDING_LOOP, LOST, NONE}},
    {"loop of one",
     SDSIM_FAT16,
     {{FAT_ENTRY, 'A', 0, FIRST_OF_A, 0}},
     {SDSIM_FINDING_LOOP, LOST, NONE}},
    {"cross",
     SDSIM_FAT12,
     {{FAT_ENTRY, 'A', 4, FIRST_OF_C, 0}},
     {SDSIM_FINDING_CROSS, SDSIM_FINDING_LONG, NONE}},
    {"cross",
     SDSIM_FAT16,
     {{FAT_ENTRY, 'A', 1, SECOND_OF_B, 0}},
     {SDSIM_FINDING_CROSS, LOST, NONE}},
    {"cross",
     SDSIM_FAT32,
     {{FAT_ENTRY, 'A', 1, SECOND_OF_B, 0}},
     {SDSIM_FINDING_CROSS, LOST, NONE}},
    {"cross",
     SDSIM_EXFAT,
     {{FAT_ENTRY, 'A', 1, SECOND_OF_B, 0}},
     {SDSIM_FINDING_CROSS, LOST, NONE}},
    {"out of range", SDSIM_FAT12, {{FAT_ENTRY, 'A', 1, WILD, 0}}, {SDSIM_FINDING_WILD, LOST, NONE}},
    {"out of range", SDSIM_FAT16, {{FAT_ENTRY, 'A', 1, WILD, 0}}, {SDSIM_FINDING_WILD, LOST, NONE}},
    {"out of range", SDSIM_FAT32, {{FAT_ENTRY, 'A', 1, WILD, 0}}, {SDSIM_FINDING_WILD, LOST, NONE}},
    {"out of range", SDSIM_EXFAT, {{FAT_ENTRY, 'A', 1, WILD, 0}}, {SDSIM_FINDING_WILD, LOST, NONE}},
    {"cluster 1", SDSIM_FAT32, {{FAT_ENTRY, 'A', 1, PLAIN, 1}}, {SDSIM_FINDING_WILD, LOST, NONE}},
    {"free", SDSIM_FAT12, {{FAT_ENTRY, 'A', 1, NOTHING, 0}}, {SDSIM_FINDING_UNMARKED, LOST, NONE}},
    {"free",
     SDSIM_FAT32,
     {{FAT_ENTRY, 'A', 1, NOTHING, 0}},
     {SDSIM_FINDING_UNMARKED, LOST, SDSIM_FINDING_FREE_COUNT, NONE}},
    {"bad", SDSIM_FAT12, {{FAT_ENTRY, 'A', 1, BAD, 0}}, {SDSIM_FINDING_BAD, LOST, NONE}},
    {"bad", SDSIM_EXFAT, {{FAT_ENTRY, 'A', 1, BAD, 0}}, {SDSIM_FINDING_BAD, LOST, NONE}},
    {"bad, unused", SDSIM_FAT16, {{FAT_ENTRY, 'U', 0, BAD, 0}}, {NONE}},
    {"ends early", SDSIM_FAT12, {{FAT_ENTRY, 'A', 1, END, 0}}, {SDSIM_FINDING_SHORT, LOST, NONE}},
    {"ends early", SDSIM_FAT16, {{FAT_ENTRY, 'A', 1, END, 0}}, {SDSIM_FINDING_SHORT, LOST, NONE}},
    {"ends early", SDSIM_FAT32, {{FAT_ENTRY, 'A', 1, END, 0}}, {SDSIM_FINDING_SHORT, LOST, NONE}},
    {"ends early", SDSIM_EXFAT, {{FAT_ENTRY, 'A', 1, END, 0}}, {SDSIM_FINDING_SHORT, LOST, NONE}},
    {"lost", SDSIM_FAT12, {{FAT_ENTRY, 'U', 0, END, 0}}, {LOST, NONE}},
    {"lost", SDSIM_FAT32, {{FAT_ENTRY, 'U', 0, END, 0}}, {LOST, SDSIM_FINDING_FREE_COUNT, NONE}},
    {"lost", SDSIM_EXFAT, {{BITMAP_BIT, 'U', 0, PLAIN, 1}}, {LOST, NONE}},
    {"FATs differ",
     SDSIM_FAT12,
     {{FAT1_ENTRY, 'U', 0, END, 0}},
     {SDSIM_FINDING_FATS_DIFFER, LOST, NONE}},
    {"FATs differ",
     SDSIM_FAT16,
     {{FAT1_ENTRY, 'C', 3, PLAIN, 0xFFF8}},
     {SDSIM_FINDING_FATS_DIFFER, NONE}},
    /* directory entries; FAT roots: label (but FAT12), DIR, A.BIN, C.BIN */
    {"size too small",
     SDSIM_FAT12,
     {{ROOT_SLOT, 0, 1 * 32 + 28, PLAIN, 1}},
     {SDSIM_FINDING_LONG, NONE}},
    {"size too large",
     SDSIM_FAT32,
     {{ROOT_SLOT, 0, 2 * 32 + 28, PLAIN, 0xFFFFFFFF}},
     {SDSIM_FINDING_SHORT, NONE}},
    {"no start",
     SDSIM_FAT16,
     {{ROOT_SLOT, 0, 2 * 32 + 24, NOTHING, 0}},
     {SDSIM_FINDING_SHORT, LOST, NONE}},
    {"start out of range",
     SDSIM_FAT12,
     {{ROOT_SLOT, 0, 1 * 32 + 26, PLAIN, 0x0A00 + 4000}},
     {SDSIM_FINDING_WILD, LOST, NONE}},
    {"entry deleted", SDSIM_FAT16, {{ROOT_BYTE, 0, 2 * 32, PLAIN, 0xE5}}, {LOST, NONE}},
    {"directory is the root",
     SDSIM_FAT32,
     {{ROOT_SLOT, 0, 1 * 32 + 24, PLAIN, 2u << 16}},
     {SDSIM_FINDING_CROSS, LOST, NONE}},
    {"no dots",
     SDSIM_FAT16,
     {{DIR_BYTE, 0, 0, PLAIN, 'X'}},
     {SDSIM_FINDING_NO_DOTS, SDSIM_FINDING_CROSS, NONE}},
    {"long name without entry",
     SDSIM_FAT32,
     {{DIR_BYTE, 0, 4 * 32, PLAIN, 0xE5}},
     {SDSIM_FINDING_ORPHANS, LOST, NONE}},
    {"long name of another entry",
     SDSIM_FAT32,
     {{DIR_BYTE, 0, 4 * 32 + 1, PLAIN, 'Q'}},
     {SDSIM_FINDING_ORPHANS, NONE}},
    /* exFAT root: label, bitmap, upcase, DIR (3 slots), A.BIN (3), C.BIN (3) */
    {"set with wrong sum",
     SDSIM_EXFAT,
     {{ROOT_BYTE, 0, 6 * 32 + 10, PLAIN, 0x99}},
     {SDSIM_FINDING_BROKEN_SET, LOST, NONE}},
    {"set cut off",
     SDSIM_EXFAT,
     {{ROOT_BYTE, 0, 8 * 32, PLAIN, 0x41}},
     {SDSIM_FINDING_BROKEN_SET, LOST, NONE}},
    {"valid bytes",
     SDSIM_EXFAT,
     {{ROOT_SLOT, 0, 7 * 32 + 8, PLAIN, 100000}},
     {SDSIM_FINDING_VALID, NONE}},
    {"contiguous, but shared",
     SDSIM_EXFAT,
     {{ROOT_SLOT, 0, 10 * 32 + 20, FIRST_OF_A, 0}},
     {SDSIM_FINDING_CROSS, LOST, NONE}},
    {"contiguous, and endless",
     SDSIM_EXFAT,
     {{ROOT_SLOT, 0, 10 * 32 + 24, PLAIN, 0xFFFFFFFF}},
     {SDSIM_FINDING_WILD, SDSIM_FINDING_UNMARKED, NONE}},
    {"marked as free",
     SDSIM_EXFAT,
     {{BITMAP_BIT, 'C', 1, PLAIN, 0}},
     {SDSIM_FINDING_UNMARKED, NONE}},
    {"no bitmap",
     SDSIM_EXFAT,
     {{ROOT_BYTE, 0, 1 * 32, PLAIN, 0x01}},
     {SDSIM_FINDING_NO_BITMAP, NONE}},
    {"bitmap in pieces",
     SDSIM_EXFAT,
     {{FAT_ENTRY, 'M', 0, UNUSED, 0}, {FAT_ENTRY, 'U', 0, END, 0}},
     {SDSIM_FINDING_UNMARKED, SDSIM_FINDING_BITMAP_SPLIT, LOST, NONE}},
    /* boot sectors and summaries */
    {"dirty", SDSIM_FAT12, {{BOOT_BYTE, 0, 37, PLAIN, 1}}, {SDSIM_FINDING_DIRTY, NONE}},
    {"dirty", SDSIM_FAT16, {{FAT_ENTRY, '1', 0, PLAIN, 0x7FFF}}, {SDSIM_FINDING_DIRTY, NONE}},
    {"dirty", SDSIM_FAT32, {{FAT_ENTRY, '1', 0, PLAIN, 0x07FFFFFF}}, {SDSIM_FINDING_DIRTY, NONE}},
    {"dirty", SDSIM_EXFAT, {{BOOT_BYTE, 0, 106, PLAIN, 2}}, {SDSIM_FINDING_DIRTY, NONE}},
    {"media error",
     SDSIM_FAT16,
     {{FAT_ENTRY, '1', 0, PLAIN, 0xBFFF}},
     {SDSIM_FINDING_MEDIA_ERROR, NONE}},
    {"media error", SDSIM_FAT32, {{BOOT_BYTE, 0, 65, PLAIN, 2}}, {SDSIM_FINDING_MEDIA_ERROR, NONE}},
    {"media error",
     SDSIM_EXFAT,
     {{BOOT_BYTE, 0, 106, PLAIN, 4}},
     {SDSIM_FINDING_MEDIA_ERROR, NONE}},
    {"free count",
     SDSIM_FAT32,
     {{FSINFO_BYTE, 0, 488, PLAIN, 0}},
     {SDSIM_FINDING_FREE_COUNT, NONE}},
    {"no FSINFO", SDSIM_FAT32, {{FSINFO_BYTE, 0, 484, PLAIN, 0}}, {SDSIM_FINDING_FSINFO, NONE}},
    {"backup differs",
     SDSIM_FAT32,
     {{BACKUP_BYTE, 0, 100, PLAIN, 0x99}},
     {SDSIM_FINDING_BOOT_BACKUP, NONE}},
    {"backup differs",
     SDSIM_EXFAT,
     {{BACKUP_BYTE, 0, 100, PLAIN, 0x99}},
     {SDSIM_FINDING_BOOT_BACKUP, NONE}},
    {"boot sum", SDSIM_EXFAT, {{BOOT_BYTE, 0, 130, PLAIN, 0x99}}, {SDSIM_FINDING_BOOT_SUM, NONE}},
    {"percentage", SDSIM_EXFAT, {{BOOT_BYTE, 0, 112, PLAIN, 55}}, {SDSIM_FINDING_PERCENT, NONE}},
    {"percentage unknown", SDSIM_EXFAT, {{BOOT_BYTE, 0, 112, PLAIN, 0xFF}}, {NONE}},
    {"partition too small",
     SDSIM_FAT16,
     {{BOOT_BYTE, 'P', 446 + 13, PLAIN, 0}},
     {SDSIM_FINDING_PARTITION, NONE}},
#undef NONE
#undef LOST
};

static uint32_t cluster_of(const struct sdsim_test_places *known, const struct patch *patch)
{
    switch (patch->file) {
    case 'A':
        return known->a[patch->which];
    case 'B':
        return known->b[patch->which];
    case 'C':
        return known->c[patch->which];
    case 'M':
        return 2; /* exFAT: the bitmap */
    case '1':
        return 1; /* no cluster: the flags */
    default:
        return known->geometry.clusters + 1;
    }
}

static uint32_t value_of(const struct sdsim_test_places *known, const struct patch *patch)
{
    static const uint32_t ends[] = {[SDSIM_FAT12] = 0xFFF,
                                    [SDSIM_FAT16] = 0xFFFF,
                                    [SDSIM_FAT32] = 0x0FFFFFFF,
                                    [SDSIM_EXFAT] = 0xFFFFFFFF};
    switch (patch->value) {
    case PLAIN:
        return patch->number;
    case NOTHING:
        return 0;
    case END:
        return ends[known->geometry.type];
    case BAD:
        return ends[known->geometry.type] - 8;
    case WILD:
        return known->geometry.clusters + 2;
    case FIRST_OF_A:
        return known->a[0];
    case SECOND_OF_B:
        return known->b[1];
    case FIRST_OF_C:
        return known->c[0];
    case UNUSED:
        return known->geometry.clusters + 1;
    case ROOT:
        return known->geometry.root;
    }
    return 0;
}

/* exFAT: a new sum for the set that slot `slot` of the root is in. */
static void mend_sum(struct sdsim_medium *medium, const struct sdsim_test_places *known,
                     uint32_t slot)
{
    while (sdsim_test_peek(medium, known->root_lba, slot * 32) != 0x85) {
        slot--;
    }
    const uint32_t bytes = (sdsim_test_peek(medium, known->root_lba, slot * 32 + 1) + 1u) * 32;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < bytes; i++) {
        if (i != 2 && i != 3) {
            sum = ((sum << 15 | sum >> 1) & 0xFFFF) +
                  sdsim_test_peek(medium, known->root_lba, slot * 32 + i);
            sum &= 0xFFFF;
        }
    }
    const uint8_t both[2] = {(uint8_t)sum, (uint8_t)(sum >> 8)};
    sdsim_test_poke(medium, known->root_lba, slot * 32 + 2, both, 2);
}

static void apply(struct sdsim_medium *medium, const struct sdsim_test_places *known,
                  const struct patch *patch)
{
    const struct sdsim_geometry *g = &known->geometry;
    const uint32_t value = value_of(known, patch);
    uint8_t bytes[4];
    sdsim_put32(bytes, value);
    switch (patch->target) {
    case FAT_ENTRY:
        sdsim_test_set_fat(medium, g, cluster_of(known, patch), value, g->fats);
        break;
    case FAT1_ENTRY:
        sdsim_test_set_fat(medium, g, cluster_of(known, patch), value, 1);
        break;
    case BOOT_BYTE:
        sdsim_test_poke(medium, patch->file == 'P' ? 0 : g->start, patch->which, bytes, 1);
        break;
    case BACKUP_BYTE:
        sdsim_test_poke(medium, g->start + (g->type == SDSIM_EXFAT ? 12 : 6), patch->which, bytes,
                        1);
        break;
    case FSINFO_BYTE:
        sdsim_test_poke(medium, g->start + 1, patch->which, bytes, 1);
        break;
    case ROOT_SLOT:
        sdsim_test_poke(medium, known->root_lba, patch->which, bytes, 4);
        if (g->type == SDSIM_EXFAT) {
            mend_sum(medium, known, patch->which / 32);
        }
        break;
    case ROOT_BYTE:
        sdsim_test_poke(medium, known->root_lba, patch->which, bytes, 1);
        break;
    case DIR_BYTE:
        sdsim_test_poke(medium, sdsim_test_lba(known, known->dir), patch->which, bytes, 1);
        break;
    case BITMAP_BIT: {
        const uint32_t bit = cluster_of(known, patch) - 2;
        const uint8_t mask = (uint8_t)(1u << bit % 8);
        const uint8_t old = sdsim_test_peek(medium, g->bitmap_start, bit / 8);
        bytes[0] = (uint8_t)(value != 0 ? old | mask : old & ~mask);
        sdsim_test_poke(medium, g->bitmap_start, bit / 8, bytes, 1);
        break;
    }
    }
}

/* Whether the findings are those of the row, in any order. */
static bool matches(const struct sdsim_layout *layout, const struct row *row)
{
    uint32_t wanted[SDSIM_FINDING_KINDS] = {0};
    uint32_t count = 0;
    while (count < MOST_KINDS && row->kinds[count] != SDSIM_FINDING_KINDS) {
        wanted[row->kinds[count++]]++;
    }
    bool same = layout->finding_total == count;
    for (size_t i = 0; i < layout->finding_count; i++) {
        same = wanted[layout->findings[i].kind]-- > 0 && same;
    }
    return same;
}

/* The sector a patch changes, the first of them. */
static uint32_t patched_lba(const struct sdsim_test_places *known, const struct patch *patch)
{
    const struct sdsim_geometry *g = &known->geometry;
    switch (patch->target) {
    case FAT_ENTRY:
    case FAT1_ENTRY: {
        const uint32_t cluster = cluster_of(known, patch);
        const uint32_t offset = g->type == SDSIM_FAT12   ? cluster + cluster / 2
                                : g->type == SDSIM_FAT16 ? cluster * 2
                                                         : cluster * 4;
        return g->fat_start + offset / SDSIM_SECTOR;
    }
    case BOOT_BYTE:
        return patch->file == 'P' ? 0 : g->start;
    case BACKUP_BYTE:
        return g->start + (g->type == SDSIM_EXFAT ? 12 : 6);
    case FSINFO_BYTE:
        return g->start + 1;
    case ROOT_SLOT:
    case ROOT_BYTE:
        return known->root_lba + patch->which / SDSIM_SECTOR;
    case DIR_BYTE:
        return sdsim_test_lba(known, known->dir);
    case BITMAP_BIT:
        return g->bitmap_start + (cluster_of(known, patch) - 2) / (SDSIM_SECTOR * 8);
    }
    return 0;
}

/* The structure of which a patched sector is a part. */
static const char *patched_structure(const struct sdsim_test_places *known,
                                     const struct patch *patch)
{
    switch (patch->target) {
    case FAT_ENTRY:
    case FAT1_ENTRY:
        return "FAT 1";
    case BOOT_BYTE:
        return patch->file == 'P' ? "partition table" : "boot sector";
    case BACKUP_BYTE:
        return known->geometry.type == SDSIM_EXFAT ? "boot region" : "boot sector";
    case FSINFO_BYTE:
        return "FSINFO";
    case BITMAP_BIT:
        return "allocation bitmap";
    default:
        return "directory";
    }
}

/* Damage that shows elsewhere only: a chain that ends early looks like one that always ended there,
 * a chain that takes another's clusters like their owner, and nobody knows of a deleted entry. */
static bool shows_elsewhere(const struct row *row)
{
    return row->kinds[0] == SDSIM_FINDING_SHORT || strcmp(row->name, "entry deleted") == 0 ||
           (row->kinds[0] == SDSIM_FINDING_CROSS && row->kinds[1] == SDSIM_FINDING_LONG);
}

/* Whether one of the findings says where the first patch is, and all say where they are. */
static bool names_the_place(const struct sdsim_layout *layout,
                            const struct sdsim_test_places *known, const struct row *row)
{
    char text[400];
    char place[80];
    (void)snprintf(place, sizeof place, "(sector %u, %s)", patched_lba(known, &row->patches[0]),
                   patched_structure(known, &row->patches[0]));
    bool named = layout->finding_count == 0 || shows_elsewhere(row);
    for (size_t i = 0; i < layout->finding_count; i++) {
        (void)sdsim_finding_text(layout, &layout->findings[i], text, sizeof text);
        named = named || strstr(text, place) != NULL;
        if (strstr(text, " (sector ") == NULL || text[strlen(text) - 1] != ')') {
            fprintf(stderr, "%s: no place\n", text);
            return false;
        }
    }
    if (!named) {
        fprintf(stderr, "%s, %s: no finding says %s\n", sdsim_fat_type_name(row->type), row->name,
                place);
    }
    return named;
}

static void test_damage(void **state)
{
    (void)state;
    size_t wrong = 0;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct row *row = &rows[i];
        struct sdsim_medium *medium = sdsim_test_volume_make(row->type);
        const struct sdsim_test_places known = sdsim_test_volume_places(medium);
        for (size_t k = 0; k < COUNT(row->patches); k++) {
            if (k == 0 || row->patches[k].file != 0) {
                apply(medium, &known, &row->patches[k]);
            }
        }
        struct sdsim_layout *layout = sdsim_test_survey(medium, NULL);
        assert_non_null(layout);
        if (!matches(layout, row)) {
            wrong++;
            fprintf(stderr, "%s, %s: found", sdsim_fat_type_name(row->type), row->name);
            for (size_t k = 0; k < layout->finding_count; k++) {
                const struct sdsim_finding *finding = &layout->findings[k];
                fprintf(stderr, " %s(%s)", sdsim_finding_name(finding->kind),
                        finding->path != NULL ? finding->path : "");
            }
            fputc('\n', stderr);
        }
        wrong += !names_the_place(layout, &known, row);
        sdsim_layout_destroy(layout);
        sdsim_medium_destroy(medium);
    }
    assert_int_equal(wrong, 0);
}

/* Files that share clusters are named, both of them. */
static void test_cross_link_names_both(void **state)
{
    (void)state;
    for (enum sdsim_fat_type type = SDSIM_FAT12; type <= SDSIM_EXFAT; type++) {
        struct sdsim_medium *medium = sdsim_test_volume_make(type);
        const struct sdsim_test_places known = sdsim_test_volume_places(medium);
        const struct patch patch = {FAT_ENTRY, 'A', 1, SECOND_OF_B, 0};
        apply(medium, &known, &patch);
        struct sdsim_layout *layout = sdsim_test_survey(medium, NULL);
        const struct sdsim_finding *finding = &layout->findings[0];
        assert_int_equal(finding->kind, SDSIM_FINDING_CROSS);
        assert_string_equal(finding->path, "/A.BIN");
        assert_non_null(finding->other);
        assert_string_equal(finding->other, SDSIM_TEST_LONG_PATH);
        assert_int_equal(finding->cluster, known.b[1]);
        assert_int_equal(finding->said, 5);
        assert_int_equal(finding->found, 2);
        sdsim_layout_destroy(layout);
        sdsim_medium_destroy(medium);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_cross_link_names_both),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
