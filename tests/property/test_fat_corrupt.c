/*
 * Damaged volumes: whatever the structures say, every call comes to an end with some result, and no
 * memory outside is touched (that the sanitizers see).
 *
 * Volumes are filled by the random operations of the model, then bytes of boot sectors, FATs,
 * bitmap and directories are changed, and random operations are run whose results nobody expects. A
 * call that asks the disk more often than a walk through the whole volume can take is a hang.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/rng.h"
#include "fat/blocks.h"
#include "fat/engines.h"
#include "fat/mkfs.h"
#include "fat/session.h"
#include "fat_model.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define SEEDS        40u
#define PATHS        40u

/* Enough for a look-up of each of 99 numbered names in a directory of 2 MiB. */
#define CALLS_MAX 1500000u

static const struct {
    const char *name;
    uint32_t sectors;
    struct sdsim_mkfs wishes;
} volumes[] = {
    {"FAT12", 2880, {.type = SDSIM_FAT12, .cluster_bytes = 512, .no_partition = true}},
    {"FAT16", 9000, {.type = SDSIM_FAT16, .cluster_bytes = 512, .no_partition = true}},
    {"FAT32", 70000, {.type = SDSIM_FAT32, .cluster_bytes = 512, .no_partition = true}},
    {"exFAT", 8000, {.type = SDSIM_EXFAT, .cluster_bytes = 512, .no_partition = true}},
};

/* Paths of what is on the volume, gathered from its root and one level below. */
struct paths {
    char text[PATHS][256];
    uint32_t count;
};

static void gather(struct sdsim_volume *volume, const char *above, struct paths *paths, int levels)
{
    struct sdsim_dir_list listing;
    struct sdsim_dir_info entry;
    sdsim_ps now = 0;
    if (sdsim_dir_list_open(&listing, volume, &now, above[0] != '\0' ? above : "/") !=
        SDSIM_FAT_OK) {
        return;
    }
    for (bool more = true; more;) {
        if (sdsim_dir_list_next(&listing, &now, &entry, &more) != SDSIM_FAT_OK || !more ||
            paths->count == PATHS) {
            break;
        }
        char joined[sizeof paths->text[0]]; /* `above` may be one of the paths itself */
        (void)snprintf(joined, sizeof joined, "%.100s/%.100s", above, entry.name);
        char *path = memcpy(paths->text[paths->count++], joined, sizeof joined);
        if ((entry.attributes & SDSIM_ATTR_DIRECTORY) != 0 && levels > 0) {
            gather(volume, path, paths, levels - 1);
        }
    }
}

/* Changes bytes where the structures are: the start of the volume, and sectors that hold bytes. */
static void damage(struct sdsim_medium *medium, const struct sdsim_geometry *g,
                   struct sdsim_rng *rng)
{
    static const uint8_t values[] = {0, 1, 2, 3, 0x0F, 0x10, 0x7F, 0x80, 0x85, 0xC0, 0xE5, 0xFF};
    const uint32_t times = 1 + (uint32_t)sdsim_rng_below(rng, 12);
    for (uint32_t i = 0; i < times; i++) {
        const uint32_t reach = i % 3 == 0 ? g->data_start + 64 * g->cluster_sectors
                                          : g->data_start + 8 * g->cluster_sectors;
        uint32_t lba = (uint32_t)sdsim_rng_below(rng, reach);
        if (i % 4 == 1) { /* the first FAT sectors and the root count most */
            lba = g->fat_start + (uint32_t)sdsim_rng_below(rng, 3);
        } else if (i % 4 == 2) {
            lba = g->root_entries != 0 ? g->root + (uint32_t)sdsim_rng_below(rng, 4)
                                       : g->data_start + (g->root - 2) * g->cluster_sectors;
        }
        uint8_t bytes[SDSIM_SECTOR];
        sdsim_medium_read(medium, lba, 1, bytes);
        for (uint32_t n = 1 + (uint32_t)sdsim_rng_below(rng, 6); n > 0; n--) {
            bytes[sdsim_rng_below(rng, SDSIM_SECTOR)] = values[sdsim_rng_below(rng, COUNT(values))];
        }
        const struct sdsim_content content = {.kind = SDSIM_CONTENT_BYTES, .bytes = bytes};
        assert_true(sdsim_medium_write(medium, lba, 1, &content));
    }
}

static const char *any_path(const struct paths *paths, struct sdsim_rng *rng)
{
    static const char *const others[] = {"/", "/new file with a long name.txt", "/NEW.TXT"};
    if (paths->count == 0 || sdsim_rng_below(rng, 4) == 0) {
        return others[sdsim_rng_below(rng, COUNT(others))];
    }
    return paths->text[sdsim_rng_below(rng, paths->count)];
}

static struct sdsim_op any_op(const struct paths *paths, struct sdsim_rng *rng)
{
    static const int64_t amounts[] = {0, 1, 511, 512, 3000, 100000, 5000000, INT64_MAX / 4};
    struct sdsim_op op = {.repeat = 1};
    op.kind =
        (enum sdsim_op_kind)(SDSIM_OP_OPEN + sdsim_rng_below(rng, SDSIM_OP_FILL - SDSIM_OP_OPEN));
    op.handle = (uint8_t)sdsim_rng_below(rng, 3);
    op.mode = (enum sdsim_open_mode)sdsim_rng_below(rng, 7);
    op.amount.bytes = amounts[sdsim_rng_below(rng, COUNT(amounts))];
    op.origin = (enum sdsim_op_origin)sdsim_rng_below(rng, 3);
    const char *path = any_path(paths, rng);
    op.name = (struct sdsim_op_text){path, strlen(path)};
    path = any_path(paths, rng);
    op.new_name = (struct sdsim_op_text){path, strlen(path)};
    return op;
}

static void run(size_t row, uint64_t seed)
{
    struct sdsim_rng rng;
    sdsim_rng_seed(&rng, seed);
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    struct sdsim_medium *medium = sdsim_medium_create(volumes[row].sectors, 0xFF);
    assert_non_null(medium);
    assert_true(sdsim_mkfs(medium, &volumes[row].wishes, &diags));
    sdsim_diags_free(&diags);
    struct sdsim_blocks blocks;
    sdsim_blocks_init(&blocks, medium, NULL);
    const struct sdsim_volume_config config = seed % 2 != 0
                                                  ? sdsim_engine_find("circuitpython")->config
                                                  : sdsim_engine_find("esp-idf-full")->config;

    struct sdsim_volume volume = {0};
    sdsim_ps now = 0;
    assert_int_equal(sdsim_volume_mount(&volume, &blocks.disk, &config, &now), SDSIM_FAT_OK);
    struct sdsim_fat_model *model = sdsim_fat_model_create(&volume, seed, false);
    for (uint32_t i = 0; i < 400; i++) {
        sdsim_fat_model_step(model);
    }
    sdsim_fat_model_verify(model);
    sdsim_fat_model_destroy(model);
    static struct paths paths;
    paths.count = 0;
    gather(&volume, "", &paths, 1);
    damage(medium, &volume.geometry, &rng);

    static struct sdsim_session session;
    sdsim_session_init(&session, &blocks.disk, &config, seed);
    const struct sdsim_op mount = {.kind = SDSIM_OP_MOUNT, .repeat = 1};
    (void)sdsim_session_run(&session, &mount, &now, NULL);
    for (uint32_t i = 0; i < 200; i++) {
        const struct sdsim_op op = any_op(&paths, &rng);
        const uint64_t before = blocks.block_operations;
        (void)sdsim_session_run(&session, &op, &now, NULL);
        if (blocks.block_operations - before > CALLS_MAX) {
            fail_msg("%s, seed %llu, step %u: %s took %llu block operations", volumes[row].name,
                     (unsigned long long)seed, i, sdsim_op_name(op.kind),
                     (unsigned long long)(blocks.block_operations - before));
        }
    }
    sdsim_session_end(&session);
    sdsim_blocks_free(&blocks);
    sdsim_medium_destroy(medium);
}

static void test_damaged_volumes(void **unused)
{
    (void)unused;
    const char *wanted = getenv("SDSIM_SEED"); /* repeats one seed */
    for (size_t row = 0; row < COUNT(volumes); row++) {
        for (uint64_t seed = 1; seed <= (wanted != NULL ? 1 : SEEDS); seed++) {
            const uint64_t used = wanted != NULL ? strtoull(wanted, NULL, 0) : seed;
            run(row, used);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_damaged_volumes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
