/*
 * The table of engines, and where SdFat and the classic library answer otherwise than FatFs. What
 * they ask of the disk is in test_fat_patterns.c and test_sdfat_traces.c.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "fat/engines.h"
#include "fat/file.h"
#include "fat/medium_disk.h"
#include "fat/mkfs.h"
#include "fat/tree.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* A freshly made volume, mounted by an engine. */
struct bench {
    struct sdsim_medium *medium;
    struct sdsim_disk disk;
    struct sdsim_volume volume;
    sdsim_ps now;
};

static void begin(struct bench *bench, enum sdsim_fat_type type, uint32_t sectors)
{
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    const struct sdsim_mkfs wishes = {.type = type};
    *bench = (struct bench){.medium = sdsim_medium_create(sectors, 0xFF)};
    assert_non_null(bench->medium);
    assert_true(sdsim_mkfs(bench->medium, &wishes, &diags));
    bench->disk = sdsim_medium_disk(bench->medium);
    sdsim_diags_free(&diags);
}

static enum sdsim_fat_result mount(struct bench *bench, const char *engine)
{
    const struct sdsim_engine *found = sdsim_engine_find(engine);
    assert_non_null(found);
    return sdsim_volume_mount(&bench->volume, &bench->disk, &found->config, &bench->now);
}

static void begin_mounted(struct bench *bench, const char *engine)
{
    begin(bench, SDSIM_FAT16, 20000);
    assert_int_equal(mount(bench, engine), SDSIM_FAT_OK);
}

static void end(struct bench *bench)
{
    sdsim_medium_destroy(bench->medium);
}

static void open_file(struct bench *bench, struct sdsim_file *file, const char *path,
                      enum sdsim_open_mode mode)
{
    assert_int_equal(sdsim_file_open(file, &bench->volume, &bench->now, path, mode), SDSIM_FAT_OK);
}

static uint64_t write_fill(struct bench *bench, struct sdsim_file *file, uint8_t fill,
                           uint64_t bytes)
{
    const struct sdsim_content content = {.kind = SDSIM_CONTENT_FILL, .fill = fill};
    uint64_t done = UINT64_MAX;
    assert_int_equal(sdsim_file_write(file, &bench->now, &content, bytes, &done), SDSIM_FAT_OK);
    return done;
}

static void test_table(void **unused)
{
    (void)unused;
    size_t count = 0;
    for (const struct sdsim_engine *engine; (engine = sdsim_engine_at(count)) != NULL; count++) {
        assert_ptr_equal(sdsim_engine_find(engine->name), engine); /* no name is there twice */
        assert_true(strlen(engine->doc) > 10 && strlen(engine->doc) < 90);
    }
    assert_true(count >= 10);
    assert_null(sdsim_engine_at(count + 1));
    assert_null(sdsim_engine_at(SIZE_MAX));
    assert_null(sdsim_engine_find("fatfs"));
    assert_null(sdsim_engine_find(""));
}

static void check_round_trip(struct bench *bench)
{
    static uint8_t got[3000];
    struct sdsim_file file;
    uint64_t done;
    open_file(bench, &file, "/A.BIN", SDSIM_OPEN_WRITE);
    assert_int_equal(write_fill(bench, &file, 7, sizeof got), sizeof got);
    assert_int_equal(sdsim_file_close(&file, &bench->now), SDSIM_FAT_OK);
    open_file(bench, &file, "/a.bin", SDSIM_OPEN_READ);
    assert_int_equal(sdsim_file_read(&file, &bench->now, sizeof got, got, &done), SDSIM_FAT_OK);
    assert_int_equal(done, sizeof got);
    assert_true(got[0] == 7 && memcmp(got, got + 1, sizeof got - 1) == 0);
    assert_int_equal(sdsim_file_close(&file, &bench->now), SDSIM_FAT_OK);
}

/* Each engine mounts what its library can, and no more; and a file comes back as it was written. */
static void test_every_engine_works(void **unused)
{
    (void)unused;
    static const enum sdsim_fat_type types[] = {SDSIM_FAT12, SDSIM_FAT16, SDSIM_FAT32, SDSIM_EXFAT};
    for (size_t i = 0; i < COUNT(types); i++) {
        const struct sdsim_engine *engine;
        for (size_t j = 0; (engine = sdsim_engine_at(j)) != NULL; j++) {
            struct bench bench;
            begin(&bench, types[i], types[i] == SDSIM_FAT32 ? 100000 : 20000);
            const bool can = sdsim_volume_config_mounts(&engine->config, types[i]);
            assert_int_equal(mount(&bench, engine->name),
                             can ? SDSIM_FAT_OK : SDSIM_FAT_NO_FILE_SYSTEM);
            if (can) {
                check_round_trip(&bench);
            }
            end(&bench);
        }
    }
}

/* Nobody but FatFs makes a file grow by a seek. */
static void test_seek_beyond_the_end(void **unused)
{
    (void)unused;
    static const char *const engines[] = {"esp-idf", "sdfat-one-cache", "arduino-classic"};
    for (size_t i = 0; i < COUNT(engines); i++) {
        struct bench bench;
        struct sdsim_file file;
        begin_mounted(&bench, engines[i]);
        open_file(&bench, &file, "/A.BIN", SDSIM_OPEN_WRITE);
        assert_int_equal(write_fill(&bench, &file, 1, 100), 100);
        const enum sdsim_fat_result result = sdsim_file_seek(&file, &bench.now, 5000);
        assert_int_equal(result, i == 0 ? SDSIM_FAT_OK : SDSIM_FAT_INVALID_ARGUMENT);
        assert_int_equal(file.position, i == 0 ? 5000 : 100);
        assert_int_equal(sdsim_file_seek(&file, &bench.now, 100), SDSIM_FAT_OK);
        assert_int_equal(sdsim_file_close(&file, &bench.now), SDSIM_FAT_OK);
        end(&bench);
    }
}

/* A write that finds no room counts as far as it came with FatFs, and not at all with the others. */
static void test_full_volume(void **unused)
{
    (void)unused;
    static const char *const engines[] = {"esp-idf", "sdfat-two-caches", "arduino-classic"};
    for (size_t i = 0; i < COUNT(engines); i++) {
        struct bench bench;
        struct sdsim_file file;
        begin_mounted(&bench, engines[i]);
        open_file(&bench, &file, "/A.BIN", SDSIM_OPEN_WRITE);
        uint64_t size = 0;
        uint64_t done;
        do {
            done = write_fill(&bench, &file, 1, 60000);
            size += done;
        } while (done == 60000);
        assert_true(i == 0 ? done > 0 : done == 0);
        assert_int_equal(file.object.size, size);
        assert_int_equal(sdsim_file_close(&file, &bench.now), SDSIM_FAT_OK);
        struct sdsim_dir_info info;
        assert_int_equal(sdsim_tree_stat(&bench.volume, &bench.now, "/A.BIN", &info), SDSIM_FAT_OK);
        assert_int_equal(info.size, size);
        end(&bench);
    }
}

/* Calls that the classic library lacks or that it counts in 16 bits. */
static void test_classic_limits(void **unused)
{
    (void)unused;
    struct bench bench;
    struct sdsim_file file;
    uint32_t clusters;
    begin_mounted(&bench, "arduino-classic");
    open_file(&bench, &file, "/A.BIN", SDSIM_OPEN_WRITE);
    assert_int_equal(write_fill(&bench, &file, 1, 65536), 0);
    assert_int_equal(write_fill(&bench, &file, 1, 65536 + 10), 10);
    assert_int_equal(sdsim_file_close(&file, &bench.now), SDSIM_FAT_OK);
    assert_int_equal(sdsim_tree_rename(&bench.volume, &bench.now, "/A.BIN", "/B.BIN"),
                     SDSIM_FAT_DENIED);
    assert_int_equal(sdsim_tree_free(&bench.volume, &bench.now, &clusters), SDSIM_FAT_DENIED);
    assert_int_equal(sdsim_tree_unlink(&bench.volume, &bench.now, "/A.BIN"), SDSIM_FAT_OK);
    assert_int_equal(sdsim_tree_stat(&bench.volume, &bench.now, "/A.BIN", NULL), SDSIM_FAT_NO_FILE);
    end(&bench);
}

/* The classic library's bug: see fat/classic.h. SdFat has mended it. */
static void test_classic_loses_its_cache(void **unused)
{
    (void)unused;
    static const char *const engines[] = {"sdfat-one-cache", "arduino-classic"};
    for (size_t i = 0; i < COUNT(engines); i++) {
        struct bench bench;
        struct sdsim_file file;
        begin_mounted(&bench, engines[i]);
        open_file(&bench, &file, "/A.BIN", SDSIM_OPEN_WRITE_READ);
        assert_int_equal(write_fill(&bench, &file, 1, 10), 10);
        assert_int_equal(sdsim_file_seek(&file, &bench.now, 0), SDSIM_FAT_OK);
        assert_int_equal(write_fill(&bench, &file, 2, 512), 512);
        const enum sdsim_fat_result result = sdsim_file_sync(&file, &bench.now);
        assert_true((result == SDSIM_FAT_OK) == (i == 0));
        struct sdsim_dir_info info;
        assert_true((sdsim_tree_stat(&bench.volume, &bench.now, "/A.BIN", &info) == SDSIM_FAT_OK) ==
                    (i == 0));
        sdsim_file_drop(&file);
        end(&bench);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_every_engine_works),
        cmocka_unit_test(test_seek_beyond_the_end),
        cmocka_unit_test(test_full_volume),
        cmocka_unit_test(test_classic_limits),
        cmocka_unit_test(test_classic_loses_its_cache),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
