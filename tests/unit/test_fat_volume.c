/*
 * Mounting, and what file operations ask of the disk besides the block sequence that the oracle
 * checks: purposes, disk_status, errors, and content that stays generated.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "fat/bytes.h"
#include "fat/chain.h"
#include "fat/engines.h"
#include "fat/file.h"
#include "fat/mkfs.h"
#include "fat/tree.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* A disk over a medium that counts calls, takes time, and can be told to fail. */
struct probe {
    struct sdsim_disk disk;
    struct sdsim_medium *medium;
    uint32_t statuses;
    uint32_t purposes[SDSIM_PURPOSE_COUNT];
    uint32_t calls;   /* reads and writes */
    uint32_t fail_at; /* the call of this number fails, from 1 on; 0: none */
    bool gone;        /* disk_status fails */
};

static enum sdsim_disk_error count(struct probe *probe, sdsim_ps *now, uint32_t lba, uint32_t n,
                                   enum sdsim_purpose purpose)
{
    probe->calls++;
    probe->purposes[purpose]++;
    *now += SDSIM_US;
    if (lba >= probe->disk.sectors || n > probe->disk.sectors - lba) {
        return SDSIM_DISK_RANGE;
    }
    return probe->calls == probe->fail_at ? SDSIM_DISK_IO : SDSIM_DISK_OK;
}

static enum sdsim_disk_error probe_read(void *context, sdsim_ps *now, uint32_t lba, uint32_t n,
                                        enum sdsim_purpose purpose, void *out)
{
    struct probe *probe = context;
    const enum sdsim_disk_error error = count(probe, now, lba, n, purpose);
    if (error == SDSIM_DISK_OK && out != NULL) {
        sdsim_medium_read(probe->medium, lba, n, out);
    }
    return error;
}

static enum sdsim_disk_error probe_write(void *context, sdsim_ps *now, uint32_t lba, uint32_t n,
                                         enum sdsim_purpose purpose,
                                         const struct sdsim_content *content)
{
    struct probe *probe = context;
    const enum sdsim_disk_error error = count(probe, now, lba, n, purpose);
    if (error == SDSIM_DISK_OK) {
        assert_true(sdsim_medium_write(probe->medium, lba, n, content));
    }
    return error;
}

static enum sdsim_disk_error probe_status(void *context, sdsim_ps *now)
{
    struct probe *probe = context;
    probe->statuses++;
    *now += SDSIM_NS;
    return probe->gone ? SDSIM_DISK_IO : SDSIM_DISK_OK;
}

static void probe_init(struct probe *probe, struct sdsim_medium *medium)
{
    static const struct sdsim_disk_ops ops = {
        .read = probe_read, .write = probe_write, .status = probe_status};
    *probe = (struct probe){
        .disk = {.ops = &ops, .context = probe, .sectors = sdsim_medium_sectors(medium)},
        .medium = medium};
}

static struct sdsim_medium *make(enum sdsim_fat_type type, bool no_partition)
{
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    const struct sdsim_mkfs wishes = {.type = type, .no_partition = no_partition};
    struct sdsim_medium *medium = sdsim_medium_create(100000, 0xFF);
    assert_non_null(medium);
    assert_true(sdsim_mkfs(medium, &wishes, &diags));
    sdsim_diags_free(&diags);
    return medium;
}

static const enum sdsim_fat_type types[] = {SDSIM_FAT12, SDSIM_FAT16, SDSIM_FAT32, SDSIM_EXFAT};

/* Overwrites bytes of a sector. */
static void poke(struct sdsim_medium *medium, uint32_t lba, uint32_t at, const void *bytes,
                 size_t size)
{
    uint8_t sector[SDSIM_SECTOR];
    sdsim_medium_read(medium, lba, 1, sector);
    memcpy(sector + at, bytes, size);
    const struct sdsim_content content = {.kind = SDSIM_CONTENT_BYTES, .bytes = sector};
    assert_true(sdsim_medium_write(medium, lba, 1, &content));
}

static void test_finds_the_volume(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < COUNT(types); i++) {
        for (uint32_t entry = 0; entry < 5; entry++) { /* 4: no partition table */
            struct sdsim_medium *medium = make(types[i], entry == 4);
            if (entry > 0 && entry < 4) {
                uint8_t mbr[SDSIM_SECTOR];
                sdsim_medium_read(medium, 0, 1, mbr);
                poke(medium, 0, 446 + entry * 16, mbr + 446, 16);
                poke(medium, 0, 446, (const uint8_t[16]){0}, 16);
                /* The first entry points to something that is no volume. */
                poke(medium, 0, 446 + 8, (const uint8_t[]){100, 0, 1, 0}, 4);
            }
            struct probe probe;
            probe_init(&probe, medium);
            struct sdsim_volume volume = {0};
            const struct sdsim_volume_config config = sdsim_engine_find("esp-idf-full")->config;
            sdsim_ps now = 5;
            const enum sdsim_fat_result result =
                sdsim_volume_mount(&volume, &probe.disk, &config, &now);
            if (result != SDSIM_FAT_OK || volume.geometry.type != types[i]) {
                fail_msg("%s in place %u: %s", sdsim_fat_type_name(types[i]), entry,
                         sdsim_fat_result_text(result));
            }
            assert_int_equal(now, 5 + probe.calls * SDSIM_US);
            sdsim_medium_destroy(medium);
        }
    }
}

/* Fields of the boot sector that make a volume unreadable. */
static void test_refuses_bad_volumes(void **unused)
{
    (void)unused;
    static const struct {
        const char *name;
        enum sdsim_fat_type type;
        uint32_t at;
        uint8_t size;
        uint8_t bytes[8];
    } rows[] = {
        {"no signature", SDSIM_FAT32, 510, 2, {0, 0}},
        {"no jump", SDSIM_FAT16, 0, 1, {0}},
        {"1024-byte sectors", SDSIM_FAT16, 11, 2, {0, 4}},
        {"3 sectors per cluster", SDSIM_FAT32, 13, 1, {3}},
        {"0 sectors per cluster", SDSIM_FAT32, 13, 1, {0}},
        {"no reserved sectors", SDSIM_FAT32, 14, 2, {0, 0}},
        {"no FAT", SDSIM_FAT32, 16, 1, {0}},
        {"3 FATs", SDSIM_FAT32, 16, 1, {3}},
        {"root entries that fill no sector", SDSIM_FAT16, 17, 2, {1, 2}},
        {"root entries on FAT32", SDSIM_FAT32, 17, 2, {0, 2}},
        {"no sectors", SDSIM_FAT32, 32, 4, {0}},
        {"more sectors than 2 TiB", SDSIM_FAT32, 32, 4, {255, 255, 255, 255}},
        {"short FAT", SDSIM_FAT32, 36, 4, {1, 0, 0, 0}},
        {"huge FAT", SDSIM_FAT32, 36, 4, {255, 255, 255, 255}},
        {"FAT32 version 1", SDSIM_FAT32, 42, 2, {1, 0}},
        {"garbage before the fields", SDSIM_EXFAT, 20, 1, {1}},
        {"negative length", SDSIM_EXFAT, 72, 8, {255, 255, 255, 255, 255, 255, 255, 255}},
        {"FAT behind the data", SDSIM_EXFAT, 80, 4, {255, 255, 255, 0}},
        {"short FAT", SDSIM_EXFAT, 84, 4, {0}},
        {"data outside", SDSIM_EXFAT, 88, 4, {255, 255, 255, 255}},
        {"no clusters", SDSIM_EXFAT, 92, 4, {0}},
        {"too many clusters", SDSIM_EXFAT, 92, 4, {255, 255, 255, 127}},
        {"root 0", SDSIM_EXFAT, 96, 4, {0}},
        {"root outside", SDSIM_EXFAT, 96, 4, {255, 255, 255, 127}},
        {"revision 2", SDSIM_EXFAT, 104, 2, {0, 2}},
        {"4096-byte sectors", SDSIM_EXFAT, 108, 1, {12}},
        {"clusters of 2^40", SDSIM_EXFAT, 109, 1, {31}},
        {"two FATs", SDSIM_EXFAT, 110, 1, {2}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sdsim_medium *medium = make(rows[i].type, true);
        poke(medium, 0, rows[i].at, rows[i].bytes, rows[i].size);
        struct probe probe;
        probe_init(&probe, medium);
        struct sdsim_volume volume = {0};
        const struct sdsim_volume_config config = sdsim_engine_find("esp-idf-full")->config;
        sdsim_ps now = 0;
        const enum sdsim_fat_result result =
            sdsim_volume_mount(&volume, &probe.disk, &config, &now);
        if (result != SDSIM_FAT_NO_FILE_SYSTEM || volume.geometry.type != SDSIM_FAT_UNMOUNTED) {
            fail_msg("%s, %s: %s", sdsim_fat_type_name(rows[i].type), rows[i].name,
                     sdsim_fat_result_text(result));
        }
        assert_int_equal(sdsim_tree_mkdir(&volume, &now, "/D"), SDSIM_FAT_NOT_MOUNTED);
        sdsim_medium_destroy(medium);
    }
}

static void test_exfat_can_be_off(void **unused)
{
    (void)unused;
    struct sdsim_medium *medium = make(SDSIM_EXFAT, false);
    struct probe probe;
    probe_init(&probe, medium);
    for (uint32_t i = 0; i < 2; i++) {
        struct sdsim_volume volume = {0};
        struct sdsim_volume_config config = sdsim_engine_find("esp-idf-full")->config;
        config.exfat = i != 0;
        config.long_names = i != 0 ? SDSIM_LFN_NONE : SDSIM_LFN_STATIC;
        sdsim_ps now = 0;
        assert_int_equal(sdsim_volume_mount(&volume, &probe.disk, &config, &now),
                         SDSIM_FAT_NO_FILE_SYSTEM);
    }
    sdsim_medium_destroy(medium);
}

static void test_fsinfo_can_be_distrusted(void **unused)
{
    (void)unused;
    struct sdsim_medium *medium = make(SDSIM_FAT32, false);
    struct probe probe;
    probe_init(&probe, medium);
    for (uint32_t i = 0; i < 4; i++) {
        struct sdsim_volume volume = {0};
        struct sdsim_volume_config config = sdsim_engine_find("esp-idf-full")->config;
        config.distrust_free_count = (i & 1) != 0;
        config.distrust_hint = (i & 2) != 0;
        sdsim_ps now = 0;
        probe.calls = 0;
        assert_int_equal(sdsim_volume_mount(&volume, &probe.disk, &config, &now), SDSIM_FAT_OK);
        assert_int_equal(probe.calls, i == 3 ? 2 : 3);
        assert_int_equal(volume.free_clusters,
                         (i & 1) != 0 ? SDSIM_UNKNOWN : volume.geometry.clusters - 1);
        assert_int_equal(volume.hint, (i & 2) != 0 ? SDSIM_UNKNOWN : 2);
    }
    sdsim_medium_destroy(medium);
}

/* Everything that the library can, once, in a fixed order; stops at the first error. */
static enum sdsim_fat_result do_everything(struct probe *probe,
                                           const struct sdsim_volume_config *config)
{
    struct sdsim_volume volume = {0};
    static struct sdsim_file file;
    const struct sdsim_content fill = {.kind = SDSIM_CONTENT_FILL, .fill = 1};
    const bool classic = config->library == SDSIM_LIBRARY_CLASSIC;
    const char *second = classic ? "/DIR/A.BIN" : "/B.BIN";
    sdsim_ps now = 0;
    uint64_t done;
    uint32_t clusters;
    enum sdsim_fat_result result = sdsim_volume_mount(&volume, &probe->disk, config, &now);
#define TRY(call) result = result == SDSIM_FAT_OK ? (call) : result
    if (!classic) {
        TRY(sdsim_tree_free(&volume, &now, &clusters));
    }
    TRY(sdsim_tree_mkdir(&volume, &now, "/DIR"));
    TRY(sdsim_file_open(&file, &volume, &now, "/DIR/A.BIN", SDSIM_OPEN_WRITE_READ));
    TRY(sdsim_file_write(&file, &now, &fill, 60000, &done));
    TRY(sdsim_file_seek(&file, &now, 100));
    TRY(sdsim_file_read(&file, &now, 1000, NULL, &done));
    TRY(sdsim_file_write(&file, &now, &fill, 10, &done));
    TRY(sdsim_file_truncate(&file, &now));
    TRY(sdsim_file_sync(&file, &now));
    TRY(sdsim_file_close(&file, &now));
    if (!classic) {
        TRY(sdsim_tree_rename(&volume, &now, "/DIR/A.BIN", second));
    }
    TRY(sdsim_file_open(&file, &volume, &now, second, SDSIM_OPEN_READ));
    TRY(sdsim_file_read(&file, &now, 5000, NULL, &done));
    TRY(sdsim_file_close(&file, &now));
    TRY(sdsim_tree_unlink(&volume, &now, second));
    TRY(sdsim_tree_unlink(&volume, &now, "/DIR"));
    TRY(sdsim_file_open(&file, &volume, &now, "/C.BIN", SDSIM_OPEN_WRITE));
    TRY(sdsim_file_expand(&file, &now, 200000));
    TRY(sdsim_file_close(&file, &now));
#undef TRY
    sdsim_file_drop(&file);
    return result;
}

/* A disk error at any call of an engine is reported (or, where it is ignored, survived). */
static void fail_every_call(enum sdsim_fat_type type, const struct sdsim_engine *engine)
{
    uint32_t errors = 0;
    struct sdsim_medium *fresh = make(type, false);
    for (uint32_t fail_at = 1;; fail_at++) {
        struct sdsim_medium *medium = sdsim_medium_copy(fresh);
        assert_non_null(medium);
        struct probe probe;
        probe_init(&probe, medium);
        probe.fail_at = fail_at;
        const enum sdsim_fat_result result = do_everything(&probe, &engine->config);
        const bool over = probe.calls < fail_at;
        errors += result == SDSIM_FAT_DISK_ERROR;
        if (over ? result != SDSIM_FAT_OK
                 : result != SDSIM_FAT_OK && result != SDSIM_FAT_DISK_ERROR) {
            fail_msg("%s, %s, call %u: %s", engine->name, sdsim_fat_type_name(type), fail_at,
                     sdsim_fat_result_text(result));
        }
        sdsim_medium_destroy(medium);
        if (over) {
            assert_true(errors > 20 && errors + 20 > fail_at * 3 / 4);
            sdsim_medium_destroy(fresh);
            return;
        }
    }
}

static void test_disk_errors(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < COUNT(types); i++) {
        const struct sdsim_engine *engine;
        for (size_t j = 0; (engine = sdsim_engine_at(j)) != NULL; j++) {
            if (sdsim_volume_config_mounts(&engine->config, types[i])) {
                fail_every_call(types[i], engine);
            }
        }
    }
}

static void test_link_table_without_memory(void **unused)
{
    (void)unused;
    struct sdsim_medium *medium = make(SDSIM_FAT16, false);
    struct probe probe;
    probe_init(&probe, medium);
    struct sdsim_volume volume = {0};
    const struct sdsim_volume_config config = sdsim_engine_find("circuitpython")->config;
    sdsim_ps now = 0;
    struct sdsim_file file;
    assert_int_equal(sdsim_volume_mount(&volume, &probe.disk, &config, &now), SDSIM_FAT_OK);
    assert_int_equal(sdsim_file_open(&file, &volume, &now, "/A", SDSIM_OPEN_WRITE), SDSIM_FAT_OK);
    assert_int_equal(sdsim_file_close(&file, &now), SDSIM_FAT_OK);
    sdsim_test_fail_allocation(1);
    const enum sdsim_fat_result result =
        sdsim_file_open(&file, &volume, &now, "/A", SDSIM_OPEN_READ);
    assert_true(sdsim_test_allocation_failed());
    assert_int_equal(result, SDSIM_FAT_NO_MEMORY);
    assert_int_equal(sdsim_file_close(&file, &now), SDSIM_FAT_INVALID_OBJECT);
    sdsim_medium_destroy(medium);
}

/* disk_status: once per call, close twice, mount never; none at all when the volume is gone. */
static void test_status_calls(void **unused)
{
    (void)unused;
    struct sdsim_medium *medium = make(SDSIM_FAT32, false);
    struct probe probe;
    probe_init(&probe, medium);
    struct sdsim_volume volume = {0};
    const struct sdsim_volume_config config = sdsim_engine_find("esp-idf-full")->config;
    sdsim_ps now = 0;
    struct sdsim_file file;
    uint64_t done;
    uint32_t clusters;
    const struct sdsim_content fill = {.kind = SDSIM_CONTENT_FILL, .fill = 1};
#define EXPECT_STATUS(number, call)                                                                \
    do {                                                                                           \
        probe.statuses = 0;                                                                        \
        const enum sdsim_fat_result result_ = (call);                                              \
        if (result_ != SDSIM_FAT_OK || probe.statuses != (number)) {                               \
            fail_msg("%s: %s, %u times disk_status", #call, sdsim_fat_result_text(result_),        \
                     probe.statuses);                                                              \
        }                                                                                          \
    } while (0)
    EXPECT_STATUS(0, sdsim_volume_mount(&volume, &probe.disk, &config, &now));
    EXPECT_STATUS(1, sdsim_file_open(&file, &volume, &now, "/A", SDSIM_OPEN_APPEND));
    EXPECT_STATUS(2, sdsim_file_write(&file, &now, &fill, 10, &done)); /* with the seek before it */
    EXPECT_STATUS(1, sdsim_file_seek(&file, &now, 5));
    EXPECT_STATUS(1, sdsim_file_truncate(&file, &now));
    EXPECT_STATUS(1, sdsim_file_sync(&file, &now));
    EXPECT_STATUS(1, sdsim_file_sync(&file, &now)); /* also if there is nothing to do */
    EXPECT_STATUS(2, sdsim_file_close(&file, &now));
    EXPECT_STATUS(1, sdsim_file_open(&file, &volume, &now, "/A", SDSIM_OPEN_READ));
    EXPECT_STATUS(1, sdsim_file_read(&file, &now, 5, NULL, &done));
    EXPECT_STATUS(2, sdsim_file_close(&file, &now));
    EXPECT_STATUS(1, sdsim_tree_mkdir(&volume, &now, "/D"));
    EXPECT_STATUS(1, sdsim_tree_rename(&volume, &now, "/D", "/E"));
    EXPECT_STATUS(1, sdsim_tree_stat(&volume, &now, "/E", NULL));
    EXPECT_STATUS(1, sdsim_tree_unlink(&volume, &now, "/E"));
    EXPECT_STATUS(1, sdsim_tree_free(&volume, &now, &clusters));
    volume.config = sdsim_engine_find("circuitpython")->config;
    EXPECT_STATUS(3, sdsim_file_open(&file, &volume, &now, "/A", SDSIM_OPEN_READ));
    EXPECT_STATUS(2, sdsim_file_close(&file, &now));
    EXPECT_STATUS(2, sdsim_tree_unlink(&volume, &now, "/A"));
#undef EXPECT_STATUS
    probe.gone = true;
    assert_int_equal(sdsim_tree_mkdir(&volume, &now, "/D"), SDSIM_FAT_NOT_READY);
    sdsim_medium_destroy(medium);
}

static uint32_t see_purposes(enum sdsim_fat_type type, const struct sdsim_engine *engine)
{
    struct sdsim_medium *medium = make(type, false);
    struct probe probe;
    probe_init(&probe, medium);
    assert_int_equal(do_everything(&probe, &engine->config), SDSIM_FAT_OK);
    uint32_t seen = 0;
    for (uint32_t purpose = 0; purpose < SDSIM_PURPOSE_COUNT; purpose++) {
        seen |= probe.purposes[purpose] != 0 ? 1u << purpose : 0;
    }
    sdsim_medium_destroy(medium);
    return seen;
}

/* Every kind of access is booked under its purpose. SdFat never looks at FSINFO, nor at the FAT of
 * exFAT as long as all is contiguous. */
static void test_purposes(void **unused)
{
    (void)unused;
    static const uint32_t expected[COUNT(types)] = {
        1u << SDSIM_FOR_DATA | 1u << SDSIM_FOR_FAT | 1u << SDSIM_FOR_DIRECTORY |
            1u << SDSIM_FOR_BOOT,
        1u << SDSIM_FOR_DATA | 1u << SDSIM_FOR_FAT | 1u << SDSIM_FOR_DIRECTORY |
            1u << SDSIM_FOR_BOOT,
        1u << SDSIM_FOR_DATA | 1u << SDSIM_FOR_FAT | 1u << SDSIM_FOR_DIRECTORY |
            1u << SDSIM_FOR_BOOT | 1u << SDSIM_FOR_FSINFO,
        1u << SDSIM_FOR_DATA | 1u << SDSIM_FOR_FAT | 1u << SDSIM_FOR_DIRECTORY |
            1u << SDSIM_FOR_BOOT | 1u << SDSIM_FOR_BITMAP,
    };
    for (size_t i = 0; i < COUNT(types); i++) {
        const struct sdsim_engine *engine;
        for (size_t j = 0; (engine = sdsim_engine_at(j)) != NULL; j++) {
            if (!sdsim_volume_config_mounts(&engine->config, types[i])) {
                continue;
            }
            uint32_t all = expected[i];
            if (engine->config.library != SDSIM_LIBRARY_FATFS) {
                all &= ~(1u << (types[i] == SDSIM_EXFAT ? SDSIM_FOR_FAT : SDSIM_FOR_FSINFO));
            }
            const uint32_t seen = see_purposes(types[i], engine);
            if (seen != all) {
                fail_msg("%s, %s: purposes 0x%x, expected 0x%x", engine->name,
                         sdsim_fat_type_name(types[i]), seen, all);
            }
        }
    }
}

/* One stream written in calls of any size stays a stream on the medium, and reads back right. */
static void test_small_writes_stay_generated(void **unused)
{
    (void)unused;
    static const uint32_t calls[] = {1, 40, 500, 512, 513, 1000, 4096, 33333};
    for (size_t i = 0; i < COUNT(calls) * 2; i++) {
        const uint32_t call = calls[i / 2];
        const struct sdsim_volume_config config = i % 2 != 0
                                                      ? sdsim_engine_find("circuitpython")->config
                                                      : sdsim_engine_find("esp-idf-full")->config;
        struct sdsim_medium *medium = make(SDSIM_FAT16, false);
        struct probe probe;
        probe_init(&probe, medium);
        struct sdsim_volume volume = {0};
        struct sdsim_file file;
        sdsim_ps now = 0;
        uint64_t done;
        assert_int_equal(sdsim_volume_mount(&volume, &probe.disk, &config, &now), SDSIM_FAT_OK);
        assert_int_equal(sdsim_file_open(&file, &volume, &now, "/A", SDSIM_OPEN_WRITE),
                         SDSIM_FAT_OK);
        const size_t before = sdsim_medium_usage(medium).extents;
        static uint8_t expected[200000];
        static uint8_t got[200000];
        uint64_t at = 0;
        while (at + call <= sizeof expected) {
            const struct sdsim_content content = {
                .kind = SDSIM_CONTENT_GENERATED, .seed = 99, .offset = at + 7};
            assert_int_equal(sdsim_file_write(&file, &now, &content, call, &done), SDSIM_FAT_OK);
            at += done;
        }
        assert_int_equal(sdsim_file_close(&file, &now), SDSIM_FAT_OK);
        const size_t extents = sdsim_medium_usage(medium).extents - before;
        if (extents > 10) { /* 400 sectors of data, and some of metadata */
            fail_msg("calls of %u bytes: %zu extents", call, extents);
        }
        sdsim_generate(99, 7, expected, at);
        assert_int_equal(sdsim_file_open(&file, &volume, &now, "/A", SDSIM_OPEN_READ),
                         SDSIM_FAT_OK);
        assert_int_equal(sdsim_file_read(&file, &now, sizeof got, got, &done), SDSIM_FAT_OK);
        assert_int_equal(done, at);
        assert_memory_equal(got, expected, at);
        assert_int_equal(sdsim_file_close(&file, &now), SDSIM_FAT_OK);
        sdsim_medium_destroy(medium);
    }
}

static void test_stale_files(void **unused)
{
    (void)unused;
    struct sdsim_medium *medium = make(SDSIM_FAT32, false);
    struct probe probe;
    probe_init(&probe, medium);
    struct sdsim_volume volume = {0};
    struct sdsim_file file;
    struct sdsim_dir_list listing;
    bool more;
    const struct sdsim_volume_config config = sdsim_engine_find("esp-idf-full")->config;
    sdsim_ps now = 0;
    assert_int_equal(sdsim_volume_mount(&volume, &probe.disk, &config, &now), SDSIM_FAT_OK);
    assert_int_equal(sdsim_file_open(&file, &volume, &now, "/A", SDSIM_OPEN_WRITE), SDSIM_FAT_OK);
    assert_int_equal(sdsim_dir_list_open(&listing, &volume, &now, "/"), SDSIM_FAT_OK);
    sdsim_volume_unmount(&volume);
    assert_int_equal(sdsim_file_sync(&file, &now), SDSIM_FAT_INVALID_OBJECT);
    assert_int_equal(sdsim_volume_mount(&volume, &probe.disk, &config, &now), SDSIM_FAT_OK);
    assert_int_equal(sdsim_file_sync(&file, &now), SDSIM_FAT_INVALID_OBJECT);
    assert_int_equal(sdsim_file_close(&file, &now), SDSIM_FAT_INVALID_OBJECT);
    assert_int_equal(sdsim_dir_list_next(&listing, &now, NULL, &more), SDSIM_FAT_INVALID_OBJECT);
    assert_false(more);
    sdsim_medium_destroy(medium);
}

/* A slot of a long name that lies far behind the longest one there may be, and is empty. */
static void test_names_end_where_they_must(void **unused)
{
    (void)unused;
    static const uint8_t entries[2 * SDSIM_SLOT] = {
        0xFF, 0,    0,    0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 0,   0xC3, 0xFF,
        0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0,    0,   0xFF, 0xFF,
        0xFF, 0xFF, 'F',  'I',  'L',  'E',  ' ',  ' ',  ' ',  ' ',  'T',  'X',  'T', 0x20};
    struct {
        struct sdsim_volume volume;
        uint8_t behind[8192];
    } *guarded = calloc(1, sizeof *guarded);
    assert_non_null(guarded);
    struct sdsim_volume *volume = &guarded->volume;
    struct sdsim_medium *medium = make(SDSIM_FAT16, false);
    struct probe probe;
    probe_init(&probe, medium);
    const struct sdsim_volume_config config = sdsim_engine_find("esp-idf-full")->config;
    struct sdsim_dir_list listing;
    struct sdsim_dir_info entry;
    bool more;
    sdsim_ps now = 0;
    assert_int_equal(sdsim_volume_mount(volume, &probe.disk, &config, &now), SDSIM_FAT_OK);
    poke(medium, volume->geometry.root, 0, entries, sizeof entries);
    memset(guarded->behind, 0xA5, sizeof guarded->behind);
    assert_int_equal(sdsim_dir_list_open(&listing, volume, &now, "/"), SDSIM_FAT_OK);
    assert_int_equal(sdsim_dir_list_next(&listing, &now, &entry, &more), SDSIM_FAT_OK);
    assert_true(more);
    assert_string_equal(entry.name, "FILE.TXT");
    for (size_t i = 0; i < sizeof guarded->behind; i++) {
        assert_int_equal(guarded->behind[i], 0xA5);
    }
    sdsim_volume_unmount(volume);
    sdsim_medium_destroy(medium);
    free(guarded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_finds_the_volume),
        cmocka_unit_test(test_refuses_bad_volumes),
        cmocka_unit_test(test_exfat_can_be_off),
        cmocka_unit_test(test_fsinfo_can_be_distrusted),
        cmocka_unit_test(test_disk_errors),
        cmocka_unit_test(test_link_table_without_memory),
        cmocka_unit_test(test_status_calls),
        cmocka_unit_test(test_purposes),
        cmocka_unit_test(test_small_writes_stay_generated),
        cmocka_unit_test(test_stale_files),
        cmocka_unit_test(test_names_end_where_they_must),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
