/*
 * The volumes that mkfs makes and that file operations leave are accepted by other people's tools:
 * fsck.fat and fsck.exfat find nothing, and mtools read the files that were written.
 *
 * Skipped without dosfstools, exfatprogs and mtools.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/rng.h"
#include "fat/blocks.h"
#include "fat/engines.h"
#include "fat/file.h"
#include "fat/mkfs.h"
#include "fat/tree.h"
#include "fat_model.h"
#include "sanitized.h"
#include "scratch.h"

#define SKIPPED      77
#define MIB          2048u /* sectors */
#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define STEPS        250u /* random operations before a volume is checked */

/* Random sequences per volume and engine. Sanitizers take ten times as long. */
#define SEEDS (SDSIM_SANITIZED ? 3u : 45u)

/* Shows what the last command printed. */
static void show_log(void)
{
    char command[128];
    (void)snprintf(command, sizeof command, "cat %s/log >&2", sdsim_test_folder());
    (void)!system(command);
}

/* Runs a shell command; *lines is how many lines it printed. */
static bool run(const char *command, int *lines)
{
    char whole[1024];
    (void)snprintf(whole, sizeof whole, "cd %s && %s >log 2>&1", sdsim_test_folder(), command);
    const bool good = system(whole) == 0;
    (void)snprintf(whole, sizeof whole, "%s/log", sdsim_test_folder());
    FILE *log = fopen(whole, "r");
    *lines = 0;
    for (int c; log != NULL && (c = getc(log)) != EOF;) {
        *lines += c == '\n';
    }
    if (log != NULL) {
        (void)fclose(log);
    }
    return good;
}

/* Saves sectors start.. of the medium as an image of their own. */
static void save_from(const struct sdsim_medium *medium, uint32_t start)
{
    const char *path = sdsim_test_path("image");
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    struct sdsim_medium *part = NULL;
    if (start != 0) {
        const uint32_t sectors = sdsim_medium_sectors(medium) - start;
        part = sdsim_medium_create(sectors, 0);
        assert_non_null(part);
        uint8_t bytes[SDSIM_SECTOR];
        const struct sdsim_content content = {.kind = SDSIM_CONTENT_BYTES, .bytes = bytes};
        for (uint32_t i = 0; i < sectors; i++) {
            sdsim_medium_read(medium, start + i, 1, bytes);
            assert_true(sdsim_medium_write(part, i, 1, &content));
        }
        medium = part;
    }
    if (!sdsim_medium_save(medium, path, &diags)) {
        sdsim_diags_print(&diags, stderr);
        fail();
    }
    sdsim_medium_destroy(part);
    sdsim_diags_free(&diags);
}

/* The checker for a type. It must print its name and a summary and not a line more: fsck.fat's exit
 * status is 0 for much that it complains about. `sdfat`: but what SdFat and the classic library are
 * known to leave, a wrong free count in FSINFO, which they never write, and on exFAT the
 * NoFatChain flag of a file cut to nothing (ExFatFile::truncate keeps it; the specification wants it
 * cleared). fsck.exfat stops at what it may not mend, so it mends the flag and looks again. */
static bool check(enum sdsim_fat_type type, bool sdfat)
{
    const char *command = type == SDSIM_EXFAT ? "fsck.exfat -n image" : "fsck.fat -n image";
    if (sdfat && type == SDSIM_EXFAT) {
        command = "! fsck.exfat -y image 2>&1 | grep ERROR | "
                  "grep -v 'empty, but has no Fat chain' && fsck.exfat -n image";
    } else if (sdfat) {
        command = "fsck.fat -n image | sed '/Free cluster summary wrong/,/^$/d; "
                  "/Leaving filesystem unchanged/d'";
    }
    int lines;
    const bool clean = run(command, &lines) && lines == 2;
    if (!clean) {
        show_log();
    }
    return clean;
}

/* What mkfs is asked for, and what has to come out. */
static const struct row {
    const char *name;
    uint32_t sectors;
    struct sdsim_mkfs wishes;
    enum sdsim_fat_type type;
    uint32_t cluster_bytes;
} rows[] = {
    {"floppy", 2880, {.no_partition = true}, SDSIM_FAT12, 8192},
    {"16 MiB", 16 * MIB, {.no_partition = true, .label = "SMALL"}, SDSIM_FAT12, 16384},
    {"16 MiB in a partition", 16 * MIB, {.label = "SMALL"}, SDSIM_FAT12, 16384},
    {"64 MiB in a partition", 64 * MIB, {.seed = 5}, SDSIM_FAT16, 16384},
    {"128 MiB", 128 * MIB, {.no_partition = true}, SDSIM_FAT16, 16384},
    {"1 GiB", 1024 * MIB, {.no_partition = true}, SDSIM_FAT16, 16384},
    {"2 GiB", 2048 * MIB, {.no_partition = true}, SDSIM_FAT16, 32768},
    {"4 GB", 7744512, {.no_partition = true, .label = "card"}, SDSIM_FAT32, 32768},
    {"32 GiB", 32768 * MIB, {.no_partition = true}, SDSIM_FAT32, 32768},
    {"64 GB", 124735488, {.no_partition = true, .label = "Card"}, SDSIM_EXFAT, 131072},
    {"1 TiB", 1048576 * (uint32_t)MIB, {.no_partition = true}, SDSIM_EXFAT, 131072},
    {"FAT12 wanted",
     16 * MIB,
     {.type = SDSIM_FAT12, .no_partition = true, .fats = 1},
     SDSIM_FAT12,
     16384},
    {"FAT16 wanted", 16 * MIB, {.type = SDSIM_FAT16, .no_partition = true}, SDSIM_FAT16, 2048},
    {"FAT32 wanted",
     64 * MIB,
     {.type = SDSIM_FAT32, .no_partition = true, .fats = 1},
     SDSIM_FAT32,
     512},
    {"FAT32, 4 KiB clusters",
     2048 * MIB,
     {.type = SDSIM_FAT32, .no_partition = true, .cluster_bytes = 4096},
     SDSIM_FAT32,
     4096},
    {"FAT32 on 128 GB", 250000000, {.type = SDSIM_FAT32, .no_partition = true}, SDSIM_FAT32, 65536},
    {"exFAT wanted", 16 * MIB, {.type = SDSIM_EXFAT, .no_partition = true}, SDSIM_EXFAT, 16384},
    {"exFAT, 512-byte clusters",
     16 * MIB,
     {.type = SDSIM_EXFAT, .no_partition = true, .cluster_bytes = 512},
     SDSIM_EXFAT,
     512},
    {"exFAT in a partition", 16 * MIB, {.type = SDSIM_EXFAT, .label = "part"}, SDSIM_EXFAT, 16384},
};

static struct sdsim_medium *make_volume(const struct row *row, uint32_t *start)
{
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    struct sdsim_medium *medium = sdsim_medium_create(row->sectors, 0xFF);
    assert_non_null(medium);
    struct sdsim_mkfs_plan plan;
    const bool made = sdsim_mkfs_plan(&plan, &row->wishes, row->sectors, &diags) &&
                      sdsim_mkfs_write(medium, &plan);
    sdsim_diags_print(&diags, stderr);
    if (!made) {
        fail_msg("%s: mkfs failed", row->name);
    }
    *start = plan.start;
    sdsim_diags_free(&diags);
    return medium;
}

static void test_fresh_volumes_are_clean(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint32_t start;
        struct sdsim_medium *medium = make_volume(&rows[i], &start);
        save_from(medium, start);
        sdsim_medium_destroy(medium);
        if (!check(rows[i].type, false)) {
            fail_msg("%s: not clean", rows[i].name);
        }
    }
}

static void test_fresh_volumes_mount_as_planned(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint32_t start;
        struct sdsim_medium *medium = make_volume(&rows[i], &start);
        struct sdsim_blocks blocks;
        sdsim_blocks_init(&blocks, medium, NULL);
        struct sdsim_volume volume = {0};
        const struct sdsim_volume_config config = sdsim_engine_find("esp-idf-full")->config;
        sdsim_ps now = 0;
        const enum sdsim_fat_result result =
            sdsim_volume_mount(&volume, &blocks.disk, &config, &now);
        if (result != SDSIM_FAT_OK || volume.geometry.type != rows[i].type ||
            sdsim_cluster_bytes(&volume) != rows[i].cluster_bytes) {
            fail_msg("%s: %s, mounted as %s with %u-byte clusters", rows[i].name,
                     sdsim_fat_result_text(result), sdsim_fat_type_name(volume.geometry.type),
                     sdsim_cluster_bytes(&volume));
        }
        uint32_t counted;
        const uint32_t known = volume.free_clusters;
        assert_int_equal(sdsim_chain_count_free(&volume, &counted), SDSIM_FAT_OK);
        if (known != SDSIM_UNKNOWN && known != counted) {
            fail_msg("%s: %u clusters free, the summary says %u", rows[i].name, counted, known);
        }
        sdsim_blocks_free(&blocks);
        sdsim_medium_destroy(medium);
    }
}

/* Names of all kinds, and sizes that do and don't end on borders. */
static const char *const file_names[] = {
    "/PLAIN.TXT",
    "/lower.txt",
    "/Mixed Case Name.text",
    "/a.b.c.d",
    "/.hidden",
    "/longer than eleven characters one.dat",
    "/longer than eleven characters two.dat",
    "/DIR/inside.bin",
    "/DIR/SUB/deep file.bin",
    "/n\xC3\xA4me.txt",
};

static void write_file(struct sdsim_volume *volume, const char *path, uint64_t size, uint32_t piece)
{
    struct sdsim_file file;
    sdsim_ps now = 0;
    assert_int_equal(sdsim_file_open(&file, volume, &now, path, SDSIM_OPEN_WRITE), SDSIM_FAT_OK);
    for (uint64_t at = 0; at < size;) {
        const struct sdsim_content content = {
            .kind = SDSIM_CONTENT_GENERATED, .seed = sdsim_hash_text(0, path), .offset = at};
        const uint64_t bytes = size - at < piece ? size - at : piece;
        uint64_t done;
        assert_int_equal(sdsim_file_write(&file, &now, &content, bytes, &done), SDSIM_FAT_OK);
        assert_int_equal(done, bytes);
        at += done;
    }
    assert_int_equal(sdsim_file_close(&file, &now), SDSIM_FAT_OK);
}

/* A tree of files, some grown in turn (fragmented), some deleted, truncated, renamed, moved. */
static void exercise(struct sdsim_volume *volume)
{
    sdsim_ps now = 0;
    assert_int_equal(sdsim_tree_mkdir(volume, &now, "/DIR"), SDSIM_FAT_OK);
    assert_int_equal(sdsim_tree_mkdir(volume, &now, "/DIR/SUB"), SDSIM_FAT_OK);
    assert_int_equal(sdsim_tree_mkdir(volume, &now, "/Moved Directory"), SDSIM_FAT_OK);
    for (size_t i = 0; i < COUNT(file_names); i++) {
        write_file(volume, file_names[i], i * 3777, 100 + (uint32_t)i * 711);
    }
    const uint32_t cluster = sdsim_cluster_bytes(volume);
    struct sdsim_file files[3];
    for (uint32_t i = 0; i < 3; i++) {
        char path[32];
        (void)snprintf(path, sizeof path, "/fragmented %u.bin", i);
        assert_int_equal(sdsim_file_open(&files[i], volume, &now, path, SDSIM_OPEN_WRITE_READ),
                         SDSIM_FAT_OK);
    }
    const struct sdsim_content fill = {.kind = SDSIM_CONTENT_FILL, .fill = 0x5A};
    for (uint32_t turn = 0; turn < 5; turn++) {
        for (uint32_t i = 0; i < 3; i++) {
            uint64_t done;
            assert_int_equal(sdsim_file_write(&files[i], &now, &fill, cluster * (i + 1ull), &done),
                             SDSIM_FAT_OK);
        }
    }
    assert_int_equal(sdsim_file_seek(&files[1], &now, cluster * 3ull + 10), SDSIM_FAT_OK);
    assert_int_equal(sdsim_file_truncate(&files[1], &now), SDSIM_FAT_OK);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(sdsim_file_close(&files[i], &now), SDSIM_FAT_OK);
    }
    for (uint32_t i = 0; i < 60; i++) { /* makes the sub-directory grow */
        char path[80];
        (void)snprintf(path, sizeof path, "/DIR/SUB/one of many files with long names %02u", i);
        write_file(volume, path, 0, 1);
    }
    assert_int_equal(sdsim_tree_unlink(volume, &now, "/fragmented 2.bin"), SDSIM_FAT_OK);
    assert_int_equal(
        sdsim_tree_rename(volume, &now, "/Moved Directory", "/DIR/SUB/Moved Directory"),
        SDSIM_FAT_OK);
    assert_int_equal(sdsim_tree_rename(volume, &now, "/PLAIN.TXT", "/DIR/SUB/plain again.txt"),
                     SDSIM_FAT_OK);
    assert_int_equal(sdsim_tree_rename(volume, &now, "/lower.txt", "/LOWER.TXT"), SDSIM_FAT_OK);
}

static struct sdsim_volume_config config_of(size_t i)
{
    return i == 0 ? sdsim_engine_find("esp-idf-full")->config
                  : sdsim_engine_find("circuitpython")->config;
}

static void test_used_volumes_are_clean(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < COUNT(rows); i++) {
        for (size_t config = 0; config < 2; config++) {
            if (rows[i].sectors < 16 * MIB || rows[i].sectors > 124735488) {
                continue;
            }
            uint32_t start;
            struct sdsim_medium *medium = make_volume(&rows[i], &start);
            struct sdsim_blocks blocks;
            sdsim_blocks_init(&blocks, medium, NULL);
            struct sdsim_volume volume = {0};
            const struct sdsim_volume_config setup = config_of(config);
            sdsim_ps now = 0;
            assert_int_equal(sdsim_volume_mount(&volume, &blocks.disk, &setup, &now), SDSIM_FAT_OK);
            exercise(&volume);
            sdsim_volume_unmount(&volume);
            save_from(medium, start);
            sdsim_blocks_free(&blocks);
            sdsim_medium_destroy(medium);
            if (!check(rows[i].type, false)) {
                fail_msg("%s, configuration %zu: not clean after use", rows[i].name, config);
            }
        }
    }
}

/* One run of random operations; the volume must be clean afterwards. False if it was not checked:
 * a library other than FatFs that finds no room leaves clusters behind. */
static bool run_anything(const struct row *row, const struct sdsim_engine *engine, uint64_t seed)
{
    const struct sdsim_volume_config *config = &engine->config;
    const bool fatfs = config->library == SDSIM_LIBRARY_FATFS;
    const bool short_names =
        config->long_names == SDSIM_LFN_NONE || config->library == SDSIM_LIBRARY_CLASSIC;
    uint32_t start;
    struct sdsim_medium *medium = make_volume(row, &start);
    struct sdsim_blocks blocks;
    sdsim_blocks_init(&blocks, medium, NULL);
    struct sdsim_volume volume = {0};
    sdsim_ps now = 0;
    assert_int_equal(sdsim_volume_mount(&volume, &blocks.disk, config, &now), SDSIM_FAT_OK);
    struct sdsim_fat_model *model = sdsim_fat_model_create(&volume, seed, short_names);
    for (uint32_t i = 0; i < STEPS; i++) {
        sdsim_fat_model_step(model);
    }
    sdsim_fat_model_verify(model);
    const bool left_over = !fatfs && sdsim_fat_model_was_full(model);
    sdsim_fat_model_destroy(model);
    if (!left_over) {
        save_from(medium, 0);
        if (!check(row->type, !fatfs)) {
            fail_msg("%s, %s, seed %llu: not clean", row->name, engine->name,
                     (unsigned long long)seed);
        }
    }
    sdsim_blocks_free(&blocks);
    sdsim_medium_destroy(medium);
    return !left_over;
}

/* Random operations on volumes that become full now and then. */
static void test_volumes_are_clean_after_anything(void **unused)
{
    (void)unused;
    static const struct row small[] = {
        {"FAT12, full", 700, {.type = SDSIM_FAT12, .cluster_bytes = 1024}, SDSIM_FAT12, 1024},
        {"FAT12", 2880, {.type = SDSIM_FAT12, .cluster_bytes = 512}, SDSIM_FAT12, 512},
        {"FAT16", 9000, {.type = SDSIM_FAT16, .cluster_bytes = 512}, SDSIM_FAT16, 512},
        {"FAT32", 70000, {.type = SDSIM_FAT32, .cluster_bytes = 512}, SDSIM_FAT32, 512},
        {"exFAT", 30000, {.type = SDSIM_EXFAT, .cluster_bytes = 4096}, SDSIM_EXFAT, 4096},
        {"exFAT, 512", 8000, {.type = SDSIM_EXFAT, .cluster_bytes = 512}, SDSIM_EXFAT, 512},
        {"exFAT, full", 1500, {.type = SDSIM_EXFAT, .cluster_bytes = 1024}, SDSIM_EXFAT, 1024},
    };
    unsigned checked = 0;
    for (size_t i = 0; i < COUNT(small); i++) {
        const struct sdsim_engine *engine;
        for (size_t j = 0; (engine = sdsim_engine_at(j)) != NULL; j++) {
            const bool mounts = sdsim_volume_config_mounts(&engine->config, small[i].type);
            for (uint64_t seed = 1; seed <= SEEDS && mounts; seed++) {
                struct row row = small[i];
                row.wishes.no_partition = true;
                checked += run_anything(&row, engine, seed);
            }
        }
    }
    (void)printf("%u sequences checked\n", checked);
    assert_true(SDSIM_SANITIZED || checked >= 2000);
}

/* mtools see the names and the bytes. */
static void test_mtools_read_the_files(void **unused)
{
    (void)unused;
    static const size_t fat_rows[] = {1, 4, 12, 13};
    for (size_t i = 0; i < COUNT(fat_rows); i++) {
        const struct row *row = &rows[fat_rows[i]];
        uint32_t start;
        struct sdsim_medium *medium = make_volume(row, &start);
        struct sdsim_blocks blocks;
        sdsim_blocks_init(&blocks, medium, NULL);
        struct sdsim_volume volume = {0};
        const struct sdsim_volume_config setup = config_of(i % 2);
        sdsim_ps now = 0;
        assert_int_equal(sdsim_volume_mount(&volume, &blocks.disk, &setup, &now), SDSIM_FAT_OK);
        write_file(&volume, "/A long name with blanks.bin", 100001, 1000);
        save_from(medium, start);
        sdsim_blocks_free(&blocks);
        sdsim_medium_destroy(medium);

        int lines;
        if (!run("mcopy -n -i image '::/A long name with blanks.bin' copy", &lines)) {
            show_log();
            fail_msg("%s: mcopy failed", row->name);
        }
        const char *path = sdsim_test_path("copy");
        FILE *copy = fopen(path, "rb");
        assert_non_null(copy);
        static uint8_t got[100002];
        static uint8_t expected[100001];
        assert_int_equal(fread(got, 1, sizeof got, copy), sizeof expected);
        (void)fclose(copy);
        assert_int_equal(unlink(path), 0);
        sdsim_generate(sdsim_hash_text(0, "/A long name with blanks.bin"), 0, expected,
                       sizeof expected);
        assert_memory_equal(got, expected, sizeof expected);
    }
}

int main(void)
{
    if (system("command -v fsck.fat fsck.exfat mcopy >/dev/null 2>&1") != 0) {
        (void)printf("fsck.fat, fsck.exfat or mtools missing: skipped\n");
        return SKIPPED;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fresh_volumes_are_clean),
        cmocka_unit_test(test_fresh_volumes_mount_as_planned),
        cmocka_unit_test(test_used_volumes_are_clean),
        cmocka_unit_test(test_volumes_are_clean_after_anything),
        cmocka_unit_test(test_mtools_read_the_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
