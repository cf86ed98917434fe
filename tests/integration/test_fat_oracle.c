/*
 * Replays every operation sequence of the FatFs oracle on every volume, state and configuration it
 * has traces for, and compares block operations, marks and answers line by line.
 *
 * The oracle folder comes from the environment variable SDSIM_ORACLE, else ../shared/fatfs-oracle
 * from the source directory; without it the test is skipped. Volumes are made by mkfs from plans
 * with the geometry that the oracle states; states by running its preparations.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fat/engines.h"
#include "fat/bytes.h"
#include "fat/mkfs.h"
#include "fat_replay.h"

#define SKIPPED 77

static const char *oracle;

/* The volumes the oracle was recorded on. */
static const struct {
    const char *name;
    uint32_t device;
    struct sdsim_mkfs_plan plan;
} volumes[] = {
    {"fat12-1440k",
     2880,
     {.type = SDSIM_FAT12,
      .start = 0,
      .partition = 2880,
      .sectors = 2880,
      .cluster_sectors = 1,
      .clusters = 2847,
      .fats = 2,
      .fat_offset = 1,
      .fat_sectors = 9,
      .root_entries = 224,
      .data_offset = 33,
      .media = 0xF0,
      .label = "FLOPPY"}},
    {"fat12-16m",
     31360,
     {.type = SDSIM_FAT12,
      .start = 63,
      .partition = 31297,
      .sectors = 31296,
      .cluster_sectors = 16,
      .clusters = 1951,
      .fats = 2,
      .fat_offset = 16,
      .fat_sectors = 16,
      .root_entries = 512,
      .data_offset = 80,
      .media = 0xF8,
      .mbr_type = 1,
      .label = "FAT12VOL"}},
    {"fat16-64m",
     125440,
     {.type = SDSIM_FAT16,
      .start = 2048,
      .partition = 123392,
      .sectors = 123392,
      .cluster_sectors = 4,
      .clusters = 30777,
      .fats = 2,
      .fat_offset = 4,
      .fat_sectors = 124,
      .root_entries = 512,
      .data_offset = 284,
      .media = 0xF8,
      .mbr_type = 6,
      .label = "FAT16VOL"}},
    {"fat32-4g",
     7744512,
     {.type = SDSIM_FAT32,
      .start = 8192,
      .partition = 7736320,
      .sectors = 7736274,
      .cluster_sectors = 64,
      .clusters = 120848,
      .fats = 2,
      .fat_offset = 64,
      .fat_sectors = 960,
      .data_offset = 1984,
      .media = 0xF8,
      .mbr_type = 12,
      .label = "FAT32VOL"}},
    {"fat32-32g",
     62333952,
     {.type = SDSIM_FAT32,
      .start = 8192,
      .partition = 62325760,
      .sectors = 62325711,
      .cluster_sectors = 64,
      .clusters = 973600,
      .fats = 2,
      .fat_offset = 64,
      .fat_sectors = 7616,
      .data_offset = 15296,
      .media = 0xF8,
      .mbr_type = 12,
      .label = "FAT32BIG"}},
    {"exfat-64g",
     124735488,
     {.type = SDSIM_EXFAT,
      .start = 32768,
      .partition = 124702720,
      .sectors = 124702720,
      .cluster_sectors = 256,
      .clusters = 487096,
      .fats = 1,
      .fat_offset = 2048,
      .fat_sectors = 3840,
      .data_offset = 6144,
      .media = 0xF8,
      .mbr_type = 7,
      .label = "EXFATVOL"}},
};

static const char *const states[] = {"fresh", "frag", "full", "nofsi"};
static const char *const configs[] = {"esp", "cpy"};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static struct sdsim_volume_config config_of(size_t config)
{
    return config == 0 ? sdsim_engine_find("esp-idf-full")->config
                       : sdsim_engine_find("circuitpython")->config;
}

/* The FSINFO sector of FAT32 with both values unknown. */
static void forget_fsinfo(struct sdsim_medium *medium, const struct sdsim_mkfs_plan *plan)
{
    uint8_t bytes[SDSIM_SECTOR];
    sdsim_medium_read(medium, plan->start + 1, 1, bytes);
    sdsim_put32(bytes + 488, UINT32_MAX);
    sdsim_put32(bytes + 492, UINT32_MAX);
    const struct sdsim_content content = {.kind = SDSIM_CONTENT_BYTES, .bytes = bytes};
    assert_true(sdsim_medium_write(medium, plan->start + 1, 1, &content));
}

static struct sdsim_medium *make_state(size_t volume, const char *state)
{
    struct sdsim_medium *medium = sdsim_medium_create(volumes[volume].device, 0);
    assert_non_null(medium);
    assert_true(sdsim_mkfs_write(medium, &volumes[volume].plan));
    char path[512];
    if (strcmp(state, "nofsi") == 0) {
        forget_fsinfo(medium, &volumes[volume].plan);
    } else if (strcmp(state, "fresh") != 0) {
        (void)snprintf(path, sizeof path, "%s/sequences/prep/prep-%s%s%s.ops", oracle, state,
                       strcmp(state, "frag") == 0 ? "-" : "",
                       strcmp(state, "frag") == 0 ? volumes[volume].name : "");
        char *ops = sdsim_fat_read_text(path);
        assert_non_null(ops);
        const struct sdsim_volume_config config = sdsim_engine_find("esp-idf-full")->config;
        sdsim_fat_replay(medium, ops, path, &config, false, NULL);
        free(ops);
    }
    return medium;
}

/* One trace; true if it comes out the same. */
static bool replay(const struct sdsim_medium *state, size_t config, const char *folder,
                   const char *sequence)
{
    char ops[512];
    char blocks[512];
    char name[512];
    (void)snprintf(ops, sizeof ops, "%s/sequences/%s.ops", oracle, sequence);
    (void)snprintf(blocks, sizeof blocks, "%s/%s/%s.blocks", oracle, folder, sequence);
    (void)snprintf(name, sizeof name, "%s/%s.blocks", folder, sequence);
    const struct sdsim_volume_config setup = config_of(config);
    return sdsim_fat_replay_is(state, ops, &setup, false, blocks, name);
}

/* All traces of a folder; counts them. */
static void replay_folder(const struct sdsim_medium *state, size_t config, const char *folder,
                          int *same, int *all)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", oracle, folder);
    struct dirent **entries;
    const int count = scandir(path, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char *dot = strrchr(entries[i]->d_name, '.');
        if (dot != NULL && strcmp(dot, ".blocks") == 0) {
            *dot = '\0';
            ++*all;
            *same += replay(state, config, folder, entries[i]->d_name);
        }
        free(entries[i]);
    }
    if (count >= 0) {
        free(entries);
    }
}

static bool has_folder(const char *folder)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", oracle, folder);
    DIR *dir = opendir(path);
    if (dir != NULL) {
        (void)closedir(dir);
    }
    return dir != NULL;
}

static void test_all_traces_match(void **unused)
{
    (void)unused;
    int same = 0;
    int all = 0;
    const char *only = getenv("SDSIM_ORACLE_ONLY"); /* part of a folder's name, for debugging */
    for (size_t volume = 0; volume < COUNT(volumes); volume++) {
        for (size_t state = 0; state < COUNT(states); state++) {
            struct sdsim_medium *medium = NULL;
            for (size_t config = 0; config < COUNT(configs); config++) {
                char folder[64];
                (void)snprintf(folder, sizeof folder, "%s-%s-%s", volumes[volume].name,
                               states[state], configs[config]);
                if (!has_folder(folder) || (only != NULL && strstr(folder, only) == NULL)) {
                    continue;
                }
                if (medium == NULL) {
                    medium = make_state(volume, states[state]);
                }
                replay_folder(medium, config, folder, &same, &all);
            }
            sdsim_medium_destroy(medium);
        }
    }
    (void)printf("%d of %d traces match\n", same, all);
    assert_true(all > 0);
    assert_int_equal(same, all);
}

int main(void)
{
    const char *path = getenv("SDSIM_ORACLE");
    oracle = path != NULL ? path : "../shared/fatfs-oracle";
    DIR *dir = opendir(oracle);
    if (dir == NULL) {
        (void)printf("no oracle at %s: skipped\n", oracle);
        return SKIPPED;
    }
    (void)closedir(dir);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_traces_match),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
