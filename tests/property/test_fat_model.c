/*
 * Random operations on small volumes of every type, with every kind of FatFs build, against a model
 * in memory (tests/fat_model.h). The volumes are small enough to become full.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "fat/blocks.h"
#include "fat/mkfs.h"
#include "fat_model.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define SEEDS        12u
#define STEPS        1500u

/* Sectors and cluster size, from roomy to too small for what the model wants to write. */
static const struct {
    const char *name;
    uint32_t sectors;
    struct sdsim_mkfs wishes;
} volumes[] = {
    {"FAT12, 512", 2880, {.type = SDSIM_FAT12, .cluster_bytes = 512, .no_partition = true}},
    {"FAT12, 4096", 20000, {.type = SDSIM_FAT12, .cluster_bytes = 4096}},
    {"FAT12, full", 700, {.type = SDSIM_FAT12, .cluster_bytes = 1024, .no_partition = true}},
    {"FAT16, 512", 9000, {.type = SDSIM_FAT16, .cluster_bytes = 512, .fats = 1}},
    {"FAT32, 512", 70000, {.type = SDSIM_FAT32, .cluster_bytes = 512}},
    {"FAT32, 4096", 600000, {.type = SDSIM_FAT32, .cluster_bytes = 4096}},
    {"exFAT, 512", 8000, {.type = SDSIM_EXFAT, .cluster_bytes = 512}},
    {"exFAT, 4096", 30000, {.type = SDSIM_EXFAT, .cluster_bytes = 4096}},
    {"exFAT, full", 1500, {.type = SDSIM_EXFAT, .cluster_bytes = 1024, .no_partition = true}},
};

static struct sdsim_volume_config config_of(size_t i)
{
    struct sdsim_volume_config config =
        i == 1 ? sdsim_volume_config_circuitpython() : sdsim_volume_config_esp_idf();
    if (i == 2) { /* as the Arduino core has it */
        config.long_names = SDSIM_LFN_STACK;
        config.trim = false;
        config.since_r015a = false;
    }
    if (i == 3) {
        config.long_names = SDSIM_LFN_NONE;
        config.exfat = false;
    }
    return config;
}

static void run(size_t volume_row, size_t config_row, uint64_t seed)
{
    const struct sdsim_volume_config config = config_of(config_row);
    if (!config.exfat && volumes[volume_row].wishes.type == SDSIM_EXFAT) {
        return;
    }
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    struct sdsim_medium *medium = sdsim_medium_create(volumes[volume_row].sectors, 0xFF);
    assert_non_null(medium);
    const bool made = sdsim_mkfs(medium, &volumes[volume_row].wishes, &diags);
    sdsim_diags_print(&diags, stderr);
    sdsim_diags_free(&diags);
    assert_true(made);
    struct sdsim_blocks blocks;
    sdsim_blocks_init(&blocks, medium, NULL);
    struct sdsim_volume volume = {0};
    sdsim_ps now = 0;
    assert_int_equal(sdsim_volume_mount(&volume, &blocks.disk, &config, &now), SDSIM_FAT_OK);
    struct sdsim_fat_model *model =
        sdsim_fat_model_create(&volume, seed, config.long_names == SDSIM_LFN_NONE);
    for (uint32_t i = 0; i < STEPS; i++) {
        sdsim_fat_model_step(model);
    }
    sdsim_fat_model_verify(model);
    sdsim_fat_model_destroy(model);
    sdsim_blocks_free(&blocks);
    sdsim_medium_destroy(medium);
}

static void test_random_operations(void **unused)
{
    (void)unused;
    const char *wanted = getenv("SDSIM_SEED"); /* repeats one seed */
    for (size_t volume = 0; volume < COUNT(volumes); volume++) {
        for (size_t config = 0; config < 4; config++) {
            for (uint64_t seed = 1; seed <= SEEDS; seed++) {
                const uint64_t used = wanted != NULL ? strtoull(wanted, NULL, 0) : seed;
                (void)printf("%s, configuration %zu, seed %llu\r", volumes[volume].name, config,
                             (unsigned long long)used);
                run(volume, config, used);
            }
        }
    }
    (void)printf("\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_operations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
