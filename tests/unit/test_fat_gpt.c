/*
 * The GUID partition table: what a header may say, where partitions lie, the sums; and that a
 * volume in a GPT is mounted if, and only if, the configuration wants it.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "fat/engines.h"
#include "fat/bytes.h"
#include "fat/gpt.h"
#include "fat/medium_disk.h"
#include "fat/mkfs.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define SECTORS      100000u

static void test_sum(void **state)
{
    (void)state;
    /* The check value of CRC-32/ISO-HDLC, in one piece and in two. */
    assert_int_equal(sdsim_gpt_sum(0, (const uint8_t *)"123456789", 9), 0xCBF43926);
    const uint32_t begun = sdsim_gpt_sum(0, (const uint8_t *)"1234", 4);
    assert_int_equal(sdsim_gpt_sum(begun, (const uint8_t *)"56789", 5), 0xCBF43926);
    assert_int_equal(sdsim_gpt_sum(0, NULL, 0), 0);
}

/* A sound header with 128 entries of 128 bytes from sector 2 on. */
static void make_header(uint8_t *sector)
{
    memset(sector, 0, SDSIM_SECTOR);
    memcpy(sector, "EFI PART", 8);
    sdsim_put32(sector + 8, 0x00010000);
    sdsim_put32(sector + 12, 92);
    sdsim_put64(sector + 24, 1);
    sdsim_put64(sector + 32, SECTORS - 1);
    sdsim_put64(sector + 40, 34);
    sdsim_put64(sector + 48, SECTORS - 34);
    sdsim_put64(sector + 72, 2);
    sdsim_put32(sector + 80, 128);
    sdsim_put32(sector + 84, 128);
    sdsim_put32(sector + 88, 0x12345678);
    sdsim_put32(sector + 16, sdsim_gpt_sum(0, sector, 92));
}

static void test_header(void **state)
{
    (void)state;
    uint8_t sector[SDSIM_SECTOR];
    struct sdsim_gpt gpt;
    make_header(sector);
    assert_true(sdsim_gpt_header(sector, 1, SECTORS, &gpt));
    assert_int_equal(gpt.entries_lba, 2);
    assert_int_equal(gpt.entry_count, 128);
    assert_int_equal(gpt.entry_bytes, 128);
    assert_int_equal(gpt.entries_sum, 0x12345678);
    assert_int_equal(gpt.other_lba, SECTORS - 1);
    assert_true(gpt.sum_right);
    sector[60] ^= 1; /* the GUID of the disk: only the sum tells */
    assert_true(sdsim_gpt_header(sector, 1, SECTORS, &gpt));
    assert_false(gpt.sum_right);
}

static void test_header_out_of_bounds(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t offset;
        uint64_t value; /* 32 bits up to offset 23, and from 80 on */
        bool good;
    } rows[] = {
        {"signature", 0, 0x20494645, true},
        {"another signature", 0, 0x30494645, false},
        {"long header", 12, 512, true},
        {"header too long", 12, 513, false},
        {"header too short", 12, 91, false},
        {"header as long as can be said", 12, UINT32_MAX, false},
        {"another place", 24, 2, false},
        {"place that is 1 in the lower half only", 24, 0x100000001, false},
        {"entries in the header", 72, 1, false},
        {"entries at the end", 72, SECTORS - 32, true},
        {"entries beyond the end", 72, SECTORS - 31, false},
        {"entries far beyond", 72, UINT64_MAX, false},
        {"no entries", 80, 0, true},
        {"many entries", 80, 1024, true},
        {"too many entries", 80, 1025, false},
        {"as many entries as can be said", 80, UINT32_MAX, false},
        {"large entries", 84, 4096, true},
        {"entries too large", 84, 8192, false},
        {"entries of a strange size", 84, 384, false},
        {"entries too small", 84, 64, false},
        {"entries of no size", 84, 0, false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint8_t sector[SDSIM_SECTOR];
        struct sdsim_gpt gpt;
        make_header(sector);
        if (rows[i].offset < 24 || rows[i].offset >= 80) {
            sdsim_put32(sector + rows[i].offset, (uint32_t)rows[i].value);
        } else {
            sdsim_put64(sector + rows[i].offset, rows[i].value);
        }
        if (sdsim_gpt_header(sector, 1, SECTORS, &gpt) != rows[i].good) {
            fail_msg("%s: is %s", rows[i].name, rows[i].good ? "refused" : "accepted");
        }
    }
}

static void test_places_of_entries(void **state)
{
    (void)state;
    static const struct {
        uint32_t bytes;
        uint32_t index;
        uint32_t lba;
        uint32_t offset;
    } rows[] = {
        {128, 0, 2, 0}, {128, 3, 2, 384}, {128, 4, 3, 0},   {128, 127, 33, 384},
        {512, 7, 9, 0}, {256, 1, 2, 256}, {4096, 1, 10, 0}, {4096, 1023, 8186, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct sdsim_gpt gpt = {.entries_lba = 2, .entry_bytes = rows[i].bytes};
        assert_int_equal(sdsim_gpt_entry_lba(&gpt, rows[i].index), rows[i].lba);
        assert_int_equal(sdsim_gpt_entry_offset(&gpt, rows[i].index), rows[i].offset);
    }
}

static void test_partitions(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint8_t type; /* first byte of the type's GUID */
        uint64_t first;
        uint64_t last;
        bool good;
        uint32_t count;
    } rows[] = {
        {"usual", 0xA2, 2048, 4095, true, 2048},
        {"one sector", 0xA2, 2048, 2048, true, 1},
        {"to the end", 0xA2, 2048, SECTORS - 1, true, SECTORS - 2048},
        {"beyond the end, as of a card cut off", 0xA2, 2048, SECTORS + 1000, true, SECTORS - 1047},
        {"far beyond", 0xA2, 2048, UINT64_MAX, true, UINT32_MAX - 2048},
        {"unused", 0, 2048, 4095, false, 0},
        {"from sector 0", 0xA2, 0, 4095, false, 0},
        {"behind the end", 0xA2, SECTORS, SECTORS + 10, false, 0},
        {"behind 2 TiB", 0xA2, 0x100000800, 0x100000FFF, false, 0},
        {"backwards", 0xA2, 4096, 4095, false, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint8_t entry[128] = {rows[i].type};
        uint32_t start = 0;
        uint32_t count = 0;
        sdsim_put64(entry + 32, rows[i].first);
        sdsim_put64(entry + 40, rows[i].last);
        const bool good = sdsim_gpt_partition(entry, SECTORS, &start, &count);
        if (good != rows[i].good || (good && (start != rows[i].first || count != rows[i].count))) {
            fail_msg("%s: %d, %u sectors from %u", rows[i].name, good, count, start);
        }
    }
}

/* ---- mounting ---- */

static void write_sector(struct sdsim_medium *medium, uint32_t lba, const uint8_t *bytes)
{
    const struct sdsim_content content = {.kind = SDSIM_CONTENT_BYTES, .bytes = bytes};
    assert_true(sdsim_medium_write(medium, lba, 1, &content));
}

/* A protective MBR, and a GPT whose entries 1 and 6 hold nothing to mount and a FAT16 volume. */
static struct sdsim_medium *make_disk(void)
{
    const struct sdsim_mkfs_plan plan = {.type = SDSIM_FAT16,
                                         .start = 8192,
                                         .partition = 60000,
                                         .sectors = 60000,
                                         .cluster_sectors = 4,
                                         .clusters = 14900,
                                         .fats = 2,
                                         .fat_offset = 1,
                                         .fat_sectors = 60,
                                         .root_entries = 512,
                                         .data_offset = 153,
                                         .media = 0xF8};
    struct sdsim_medium *medium = sdsim_medium_create(SECTORS, 0);
    assert_non_null(medium);
    assert_true(sdsim_mkfs_write(medium, &plan));
    uint8_t sector[SDSIM_SECTOR] = {0};
    sector[446 + 4] = SDSIM_MBR_PROTECTIVE;
    sdsim_put32(sector + 446 + 8, 1);
    sdsim_put32(sector + 446 + 12, SECTORS - 1);
    sdsim_put16(sector + 510, 0xAA55);
    write_sector(medium, 0, sector);
    make_header(sector);
    write_sector(medium, 1, sector);
    memset(sector, 0, sizeof sector);
    sector[0] = 0xAF;
    sdsim_put64(sector + 32, 2048);
    sdsim_put64(sector + 40, 4095);
    write_sector(medium, 2, sector);
    memset(sector, 0, sizeof sector);
    sector[128] = 0xA2;
    sdsim_put64(sector + 128 + 32, 8192);
    sdsim_put64(sector + 128 + 40, 68191);
    write_sector(medium, 3, sector);
    return medium;
}

static void test_mount(void **state)
{
    (void)state;
    struct sdsim_medium *medium = make_disk();
    const struct sdsim_disk disk = sdsim_medium_disk(medium);
    struct sdsim_volume_config config = sdsim_engine_find("esp-idf-full")->config;
    struct sdsim_volume volume = {0};
    sdsim_ps now = 0;
    assert_false(config.gpt);
    assert_int_equal(sdsim_volume_mount(&volume, &disk, &config, &now), SDSIM_FAT_NO_FILE_SYSTEM);
    config.gpt = true;
    assert_int_equal(sdsim_volume_mount(&volume, &disk, &config, &now), SDSIM_FAT_OK);
    assert_int_equal(volume.geometry.start, 8192);
    assert_int_equal(volume.geometry.type, SDSIM_FAT16);

    /* Without a header that can be believed there is nothing. */
    uint8_t sector[SDSIM_SECTOR];
    make_header(sector);
    sector[0] = 'X';
    write_sector(medium, 1, sector);
    assert_int_equal(sdsim_volume_mount(&volume, &disk, &config, &now), SDSIM_FAT_NO_FILE_SYSTEM);
    sdsim_medium_destroy(medium);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sum),
        cmocka_unit_test(test_header),
        cmocka_unit_test(test_header_out_of_bounds),
        cmocka_unit_test(test_places_of_entries),
        cmocka_unit_test(test_partitions),
        cmocka_unit_test(test_mount),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
