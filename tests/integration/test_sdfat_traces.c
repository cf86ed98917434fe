/*
 * Replays the sequences of tests/data/sdfat on SdFat and the classic Arduino library and compares
 * their block operations with those of the real libraries, line by line. The README there says how
 * these were made.
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
#include "fat/mkfs.h"
#include "fat_replay.h"

#define FOLDER       "tests/data/sdfat"
#define TRACES       90
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* Complete plans, so that no change of mkfs moves anything. */
static const struct {
    const char *name;
    uint32_t device;
    struct sdsim_mkfs_plan plan;
} volumes[] = {
    {"fat16",
     20480,
     {.type = SDSIM_FAT16,
      .start = 0,
      .partition = 20480,
      .sectors = 20480,
      .cluster_sectors = 4,
      .clusters = 5101,
      .fats = 2,
      .fat_offset = 1,
      .fat_sectors = 20,
      .root_entries = 512,
      .data_offset = 73,
      .media = 0xF8}},
    {"fat32",
     540672,
     {.type = SDSIM_FAT32,
      .start = 2048,
      .partition = 538624,
      .sectors = 538624,
      .cluster_sectors = 8,
      .clusters = 67192,
      .fats = 2,
      .fat_offset = 32,
      .fat_sectors = 526,
      .data_offset = 1084,
      .media = 0xF8,
      .mbr_type = 12}},
    {"exfat",
     70000,
     {.type = SDSIM_EXFAT,
      .start = 2048,
      .partition = 67952,
      .sectors = 67952,
      .cluster_sectors = 8,
      .clusters = 8462,
      .fats = 1,
      .fat_offset = 128,
      .fat_sectors = 128,
      .data_offset = 256,
      .media = 0xF8,
      .mbr_type = 7}},
};

static const struct {
    const char *name; /* of the folders */
    const char *engine;
} libraries[] = {
    {"one", "sdfat-one-cache"},
    {"two", "sdfat-two-caches"},
    {"classic", "arduino-classic"},
};

/* The volume as it is made, or with all but 30 clusters taken. */
static struct sdsim_medium *make_volume(size_t volume, bool full)
{
    struct sdsim_medium *medium = sdsim_medium_create(volumes[volume].device, 0);
    assert_non_null(medium);
    assert_true(sdsim_mkfs_write(medium, &volumes[volume].plan));
    if (full) {
        const struct sdsim_volume_config config = sdsim_engine_find("esp-idf-full")->config;
        sdsim_fat_replay(medium, "mount\nfill 30\nunmount\n", "full", &config, false, NULL);
    }
    return medium;
}

/* All traces of a folder; counts them. */
static void replay_folder(size_t volume, size_t library, int *same, int *all)
{
    char folder[128];
    (void)snprintf(folder, sizeof folder, "%s/%s-%s", FOLDER, volumes[volume].name,
                   libraries[library].name);
    struct dirent **entries;
    const int count = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char *dot = strrchr(entries[i]->d_name, '.');
        if (dot != NULL && strcmp(dot, ".blocks") == 0) {
            *dot = '\0';
            const char *sequence = entries[i]->d_name;
            char ops[512];
            char blocks[512];
            (void)snprintf(ops, sizeof ops, "%s/%s.ops", FOLDER, sequence);
            (void)snprintf(blocks, sizeof blocks, "%s/%s.blocks", folder, sequence);
            struct sdsim_medium *medium = make_volume(volume, strcmp(sequence, "full") == 0);
            const struct sdsim_engine *engine = sdsim_engine_find(libraries[library].engine);
            assert_non_null(engine);
            ++*all;
            *same += sdsim_fat_replay_is(medium, ops, &engine->config, true, blocks, blocks);
            sdsim_medium_destroy(medium);
        }
        free(entries[i]);
    }
    if (count >= 0) {
        free(entries);
    }
}

static void test_all_traces_match(void **unused)
{
    (void)unused;
    int same = 0;
    int all = 0;
    for (size_t volume = 0; volume < COUNT(volumes); volume++) {
        for (size_t library = 0; library < COUNT(libraries); library++) {
            replay_folder(volume, library, &same, &all);
        }
    }
    (void)printf("%d of %d traces match\n", same, all);
    assert_int_equal(all, TRACES);
    assert_int_equal(same, all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_traces_match),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
