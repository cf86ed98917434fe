/*
 * Why there is no volume: boot sectors, partition tables and GPT headers with one field wrong, and
 * the reason that is given; and random ones, of which the reason names a sector exactly if nothing
 * can be mounted.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "core/rng.h"
#include "fat/bytes.h"
#include "fat/layout_text.h"
#include "fat/medium_disk.h"
#include "fat/mkfs.h"
#include "fat/no_volume.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const uint32_t device_sectors[] = {
    [SDSIM_FAT12] = 8192, [SDSIM_FAT16] = 65536, [SDSIM_FAT32] = 131072, [SDSIM_EXFAT] = 65536};

static struct sdsim_medium *make(enum sdsim_fat_type type, bool no_partition, uint32_t *start)
{
    const struct sdsim_mkfs wishes = {
        .type = type,
        .no_partition = no_partition,
        .cluster_bytes = type == SDSIM_FAT32 ? 512 : 4096,
    };
    struct sdsim_mkfs_plan plan;
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    struct sdsim_medium *medium = sdsim_medium_create(device_sectors[type], 0);
    assert_non_null(medium);
    assert_true(sdsim_mkfs_plan(&plan, &wishes, device_sectors[type], &diags));
    assert_true(sdsim_mkfs_write(medium, &plan));
    sdsim_diags_free(&diags);
    *start = plan.start;
    return medium;
}

static void poke(struct sdsim_medium *medium, uint32_t lba, uint32_t offset, const uint8_t *bytes,
                 uint32_t count)
{
    uint8_t sector[SDSIM_SECTOR];
    const struct sdsim_content content = {.kind = SDSIM_CONTENT_BYTES, .bytes = sector};
    sdsim_medium_read(medium, lba, 1, sector);
    memcpy(sector + offset, bytes, count);
    assert_true(sdsim_medium_write(medium, lba, 1, &content));
}

static enum sdsim_fat_result mount(struct sdsim_medium *medium)
{
    static const struct sdsim_volume_config config = {
        .exfat = true, .gpt = true, .long_names = SDSIM_LFN_STATIC};
    const struct sdsim_disk disk = sdsim_medium_disk(medium);
    struct sdsim_volume volume = {0};
    sdsim_ps now = 0;
    return sdsim_volume_mount(&volume, &disk, &config, &now);
}

enum place { BOOT, TABLE };

static void test_reasons(void **state)
{
    (void)state;
    static const struct {
        enum sdsim_fat_type type;
        enum place place;
        uint32_t offset;
        uint32_t size;
        uint32_t value;
        const char *says;
    } rows[] = {
        {SDSIM_FAT16, BOOT, 0, 1, 0x00, "(boot sector): it begins with 00 instead of a jump"},
        {SDSIM_FAT16, BOOT, 11, 2, 4096, "4096 bytes a sector instead of 512"},
        {SDSIM_FAT16, BOOT, 11, 2, 0, "0 bytes a sector"},
        {SDSIM_FAT16, BOOT, 13, 1, 0, "0 sectors a cluster"},
        {SDSIM_FAT16, BOOT, 13, 1, 3, "3 sectors a cluster, which is no power of two"},
        {SDSIM_FAT16, BOOT, 14, 2, 0, "no reserved sectors"},
        {SDSIM_FAT12, BOOT, 16, 1, 0, "0 FATs instead of 1 or 2"},
        {SDSIM_FAT12, BOOT, 16, 1, 255, "255 FATs"},
        {SDSIM_FAT16, BOOT, 17, 2, 511, "511 root entries"},
        {SDSIM_FAT16, BOOT, 17, 2, 0, "doesn't go with 0 entries in the root directory"},
        {SDSIM_FAT12, BOOT, 19, 2, 20, "a volume of 20 sectors"},
        {SDSIM_FAT16, BOOT, 22, 2, 1, "a FAT of 1 sectors is too short for"},
        {SDSIM_FAT32, BOOT, 13, 1, 64, "clusters make it FAT12, which doesn't go with 0 entries"},
        {SDSIM_FAT32, BOOT, 32, 4, 0xFFFFFFFF, "reach beyond 2TiB"},
        {SDSIM_FAT32, BOOT, 36, 4, 2, "a FAT of 2 sectors is too short"},
        {SDSIM_FAT32, BOOT, 36, 4, 0x7FFFFFFF, "of which FATs and what is in front of them take"},
        {SDSIM_FAT32, BOOT, 42, 2, 0x0100, "FAT32 of version 0100"},
        {SDSIM_FAT32, BOOT, 510, 2, 0, "does not end with the signature 55 AA"},
        {SDSIM_EXFAT, BOOT, 510, 2, 0, "does not end with the signature 55 AA"},
        {SDSIM_EXFAT, BOOT, 0, 1, 0xE9, "instead of exFAT's jump"},
        {SDSIM_EXFAT, BOOT, 20, 1, 1, "bytes 11 to 63 are not zero"},
        {SDSIM_EXFAT, BOOT, 72, 4, 100, "they overlap or lie outside"},
        {SDSIM_EXFAT, BOOT, 76, 4, 1, "reach beyond 2TiB"},
        {SDSIM_EXFAT, BOOT, 80, 4, 0xFFFFFF00, "they overlap or lie outside"},
        {SDSIM_EXFAT, BOOT, 84, 4, 1, "a FAT of 1 sectors is too short"},
        {SDSIM_EXFAT, BOOT, 92, 4, 0, "0 clusters"},
        {SDSIM_EXFAT, BOOT, 96, 4, 0, "a root directory in cluster 0, which there is not"},
        {SDSIM_EXFAT, BOOT, 104, 2, 0x0200, "revision 0200"},
        {SDSIM_EXFAT, BOOT, 108, 1, 12, "sectors of 2^12 bytes"},
        {SDSIM_EXFAT, BOOT, 109, 1, 5, "more than the volume has room for"},
        {SDSIM_EXFAT, BOOT, 109, 1, 200, "clusters of 2^200 sectors"},
        {SDSIM_EXFAT, BOOT, 110, 1, 2, "2 FATs instead of 1"},
        {SDSIM_FAT32, TABLE, 510, 2, 0, "sector 0 (boot sector or partition table): it does not"},
        {SDSIM_FAT32, TABLE, 454, 4, 0, "sector 0 (partition table): it is empty"},
        {SDSIM_FAT32, TABLE, 454, 4, 0x01000000, "partition 1 begins at sector 16777216"},
        {SDSIM_FAT32, TABLE, 454, 4, 100000, "sector 100000 (boot sector): no boot sector"},
        {SDSIM_FAT32, TABLE, 450, 1, 0xEE, "sector 1 (GPT header): it is damaged"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint32_t start;
        uint8_t value[4];
        char text[200];
        char place[40];
        struct sdsim_medium *medium = make(rows[i].type, false, &start);
        const struct sdsim_disk disk = sdsim_medium_disk(medium);
        sdsim_put32(value, rows[i].value);
        poke(medium, rows[i].place == BOOT ? start : 0, rows[i].offset, value, rows[i].size);
        assert_int_equal(mount(medium), SDSIM_FAT_NO_FILE_SYSTEM);
        (void)sdsim_no_volume_text(&disk, text, sizeof text);
        (void)snprintf(place, sizeof place, "sector %u (boot sector): ", start);
        if (strstr(text, rows[i].says) == NULL ||
            (rows[i].place == BOOT && strncmp(text, place, strlen(place)) != 0)) {
            fail_msg("row %zu: '%s' instead of '%s'", i, text, rows[i].says);
        }
        sdsim_medium_destroy(medium);
    }
}

/* Of two partitions, the one that is meant to be a volume counts. */
static void test_second_partition(void **state)
{
    (void)state;
    uint32_t start;
    uint8_t entry[16] = {0, 0, 0, 0, 0x83};
    uint8_t first[16];
    uint8_t mbr[SDSIM_SECTOR];
    char text[200];
    struct sdsim_medium *medium = make(SDSIM_FAT16, false, &start);
    const struct sdsim_disk disk = sdsim_medium_disk(medium);
    sdsim_medium_read(medium, 0, 1, mbr);
    memcpy(first, mbr + 446, sizeof first);
    sdsim_put32(entry + 8, 50000);
    sdsim_put32(entry + 12, 1000);
    poke(medium, 0, 446, entry, sizeof entry);
    poke(medium, 0, 462, first, sizeof first);
    assert_int_equal(mount(medium), SDSIM_FAT_OK);
    poke(medium, start, 13, (const uint8_t *)"\x05", 1);
    (void)sdsim_no_volume_text(&disk, text, sizeof text);
    assert_non_null(strstr(text, "5 sectors a cluster"));
    poke(medium, start, 54, (const uint8_t *)"     ", 5);
    (void)sdsim_no_volume_text(&disk, text, sizeof text);
    assert_non_null(strstr(text, "sector 50000 (boot sector): no boot sector"));
    sdsim_medium_destroy(medium);
}

/* An NTFS volume is called by its name; an empty card and one of a single sector have a reason. */
static void test_other_contents(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {1, 2, 100000};
    char text[200];
    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct sdsim_medium *medium = sdsim_medium_create(sizes[i], 0);
        assert_non_null(medium);
        const struct sdsim_disk disk = sdsim_medium_disk(medium);
        (void)sdsim_no_volume_text(&disk, text, sizeof text);
        assert_non_null(strstr(text, "sector 0 (boot sector or partition table)"));
        poke(medium, 0, 3, (const uint8_t *)"NTFS    ", 8);
        (void)sdsim_no_volume_text(&disk, text, sizeof text);
        assert_string_equal(text, "sector 0 (boot sector): of an NTFS volume");
        sdsim_medium_destroy(medium);
    }
}

/* Random bytes in boot sector and partition table: where nothing can be mounted, the reason names a
 * sector, whole even in a small buffer's first part; where it can be, the survey says nothing of
 * it. */
static void test_random(void **state)
{
    (void)state;
    enum { ROUNDS = 4000 };
    const uint64_t seed = 20;
    struct sdsim_rng rng;
    uint32_t refused = 0;
    sdsim_rng_seed(&rng, seed);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        uint32_t start;
        char text[200];
        const enum sdsim_fat_type type = (enum sdsim_fat_type)(1 + sdsim_rng_below(&rng, 4));
        struct sdsim_medium *medium = make(type, sdsim_rng_below(&rng, 2) == 0, &start);
        const struct sdsim_disk disk = sdsim_medium_disk(medium);
        const uint32_t changes = 1 + (uint32_t)sdsim_rng_below(&rng, 3);
        for (uint32_t k = 0; k < changes; k++) {
            const bool table = sdsim_rng_below(&rng, 5) == 0;
            const uint32_t offset = (uint32_t)sdsim_rng_below(&rng, table ? 512 : 128);
            const uint8_t value = (uint8_t)sdsim_rng_below(&rng, 256);
            poke(medium, table ? 0 : start, offset, &value, 1);
        }
        const enum sdsim_fat_result result = mount(medium);
        text[0] = '\0';
        const bool explained = sdsim_layout_explain(&disk, text, sizeof text);
        if (result != SDSIM_FAT_OK) {
            refused++;
            if (!explained || strstr(text, "sector ") == NULL) {
                fail_msg("seed %llu, round %u: result %d, '%s'", (unsigned long long)seed, i,
                         (int)result, text);
            }
        } else if (strstr(text, "there is no FAT12") != NULL) {
            fail_msg("seed %llu, round %u: mounted, but '%s'", (unsigned long long)seed, i, text);
        }
        sdsim_medium_destroy(medium);
    }
    assert_true(refused > ROUNDS / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reasons),
        cmocka_unit_test(test_second_partition),
        cmocka_unit_test(test_other_contents),
        cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
