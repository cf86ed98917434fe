/*
 * Random operations on small volumes of every type, with every engine, against a model in memory
 * (tests/fat_model.h). The volumes are small enough to become full. After each sequence the survey
 * of `layout` must find nothing wrong.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fat/blocks.h"
#include "fat/engines.h"
#include "fat/layout.h"
#include "fat/mkfs.h"
#include "fat_model.h"
#include "sanitized.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define STEPS        250u

/* Sequences per volume and engine. Sanitizers take ten times as long. */
#define SEEDS (SDSIM_SANITIZED ? 3u : 30u)

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
    {"FAT16, full", 4400, {.type = SDSIM_FAT16, .cluster_bytes = 512}},
    {"FAT32, 512", 70000, {.type = SDSIM_FAT32, .cluster_bytes = 512}},
    {"FAT32, 4096", 600000, {.type = SDSIM_FAT32, .cluster_bytes = 4096}},
    {"exFAT, 512", 8000, {.type = SDSIM_EXFAT, .cluster_bytes = 512}},
    {"exFAT, 4096", 30000, {.type = SDSIM_EXFAT, .cluster_bytes = 4096}},
    {"exFAT, full", 1500, {.type = SDSIM_EXFAT, .cluster_bytes = 1024, .no_partition = true}},
};

/* The survey finds no damage; `left_over`: but what SdFat leaves behind when it found no room. */
static void check_layout(const char *name, const char *engine, uint64_t seed,
                         const struct sdsim_disk *disk, bool left_over)
{
    const struct sdsim_layout_wishes wishes = {.au_sectors = 8192, .contents = name};
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    struct sdsim_layout *layout = sdsim_layout_create(disk, &wishes, &diags);
    sdsim_diags_free(&diags);
    assert_non_null(layout);
    for (size_t i = 0; i < layout->finding_count; i++) {
        const struct sdsim_finding *finding = &layout->findings[i];
        const bool left =
            finding->kind == SDSIM_FINDING_LONG || finding->kind == SDSIM_FINDING_VALID;
        if (sdsim_finding_is_damage(finding->kind) && !(left && left_over)) {
            fail_msg("%s, %s, seed %llu: %s: %s", name, engine, (unsigned long long)seed,
                     finding->path != NULL ? finding->path : "volume",
                     sdsim_finding_name(finding->kind));
        }
    }
    sdsim_layout_destroy(layout);
}

static void run(size_t row, const struct sdsim_medium *fresh, const struct sdsim_engine *engine,
                uint64_t seed)
{
    const struct sdsim_volume_config *config = &engine->config;
    struct sdsim_medium *medium = sdsim_medium_copy(fresh);
    assert_non_null(medium);
    struct sdsim_blocks blocks;
    sdsim_blocks_init(&blocks, medium, NULL);
    struct sdsim_volume volume = {0};
    sdsim_ps now = 0;
    assert_int_equal(sdsim_volume_mount(&volume, &blocks.disk, config, &now), SDSIM_FAT_OK);
    const bool short_names =
        config->long_names == SDSIM_LFN_NONE || config->library == SDSIM_LIBRARY_CLASSIC;
    struct sdsim_fat_model *model = sdsim_fat_model_create(&volume, seed, short_names);
    for (uint32_t i = 0; i < STEPS; i++) {
        sdsim_fat_model_step(model);
    }
    sdsim_fat_model_verify(model);
    const bool left_over =
        config->library != SDSIM_LIBRARY_FATFS && sdsim_fat_model_was_full(model);
    sdsim_fat_model_destroy(model);
    check_layout(volumes[row].name, engine->name, seed, &blocks.disk, left_over);
    sdsim_blocks_free(&blocks);
    sdsim_medium_destroy(medium);
}

static struct sdsim_medium *make_volume(size_t row)
{
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    struct sdsim_medium *medium = sdsim_medium_create(volumes[row].sectors, 0xFF);
    assert_non_null(medium);
    const bool made = sdsim_mkfs(medium, &volumes[row].wishes, &diags);
    sdsim_diags_print(&diags, stderr);
    sdsim_diags_free(&diags);
    assert_true(made);
    return medium;
}

static void test_random_operations(void **unused)
{
    (void)unused;
    const char *wanted = getenv("SDSIM_SEED"); /* repeats one seed */
    unsigned sequences = 0;
    for (size_t row = 0; row < COUNT(volumes); row++) {
        struct sdsim_medium *fresh = make_volume(row);
        const struct sdsim_engine *engine;
        for (size_t i = 0; (engine = sdsim_engine_at(i)) != NULL; i++) {
            if (!sdsim_volume_config_mounts(&engine->config, volumes[row].wishes.type)) {
                continue;
            }
            for (uint64_t seed = 1; seed <= SEEDS; seed++) {
                const uint64_t used = wanted != NULL ? strtoull(wanted, NULL, 0) : seed;
                (void)printf("%s, %s, seed %llu          \r", volumes[row].name, engine->name,
                             (unsigned long long)used);
                run(row, fresh, engine, used);
                sequences++;
            }
        }
        sdsim_medium_destroy(fresh);
    }
    (void)printf("\n%u sequences\n", sequences);
    assert_true(SDSIM_SANITIZED || sequences >= 2000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_operations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
