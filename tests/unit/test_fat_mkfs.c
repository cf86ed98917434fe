#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "alloc.h"
#include "fat/medium_disk.h"
#include "fat/mkfs.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define MIB          2048u /* sectors */

/* What suits a capacity: type, cluster size, and where partition and data area begin. */
static void test_by_capacity(void **unused)
{
    (void)unused;
    static const struct {
        const char *card;
        uint32_t sectors;
        enum sdsim_fat_type type;
        uint32_t cluster_sectors;
        uint32_t unit;
    } rows[] = {
        {"8 MB", 8 * MIB, SDSIM_FAT12, 16, 16},
        {"16 MB", 31360, SDSIM_FAT12, 32, 32},
        {"128 MB", 250880, SDSIM_FAT16, 32, 64},
        {"512 MB", 1000448, SDSIM_FAT16, 32, 128},
        {"2 GB", 3911680, SDSIM_FAT16, 64, 128},
        {"2 GiB", 2048 * MIB, SDSIM_FAT16, 64, 128},
        {"4 GB", 7744512, SDSIM_FAT32, 64, 8192},
        {"32 GB", 62333952, SDSIM_FAT32, 64, 8192},
        {"32 GiB", 32768 * MIB, SDSIM_FAT32, 64, 8192},
        {"64 GB", 124735488, SDSIM_EXFAT, 256, 32768},
        {"512 GB", 1000000000, SDSIM_EXFAT, 256, 32768},
        {"2 TiB", UINT32_MAX, SDSIM_EXFAT, 256, 32768},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sdsim_mkfs_plan plan;
        struct sdsim_diags diags;
        sdsim_diags_init(&diags);
        const struct sdsim_mkfs wishes = {.seed = 1};
        const bool good = sdsim_mkfs_plan(&plan, &wishes, rows[i].sectors, &diags);
        sdsim_diags_print(&diags, stderr);
        sdsim_diags_free(&diags);
        if (!good || plan.type != rows[i].type || plan.cluster_sectors != rows[i].cluster_sectors ||
            plan.start != rows[i].unit || plan.data_offset % rows[i].unit != 0) {
            fail_msg("%s: %s, %u-sector clusters, start %u, data at +%u", rows[i].card,
                     sdsim_fat_type_name(plan.type), plan.cluster_sectors, plan.start,
                     plan.data_offset);
        }
        const uint64_t end = plan.data_offset + (uint64_t)plan.clusters * plan.cluster_sectors;
        if (end > plan.sectors || plan.sectors > plan.partition ||
            plan.start + (uint64_t)plan.partition > rows[i].sectors ||
            plan.fat_offset + (uint64_t)plan.fats * plan.fat_sectors + plan.root_entries / 16 >
                plan.data_offset) {
            fail_msg("%s: parts overlap or leave the device", rows[i].card);
        }
    }
}

static void test_refusals(void **unused)
{
    (void)unused;
    static const struct {
        const char *name;
        uint32_t sectors;
        struct sdsim_mkfs wishes;
        const char *says;
    } rows[] = {
        {"no room for a partition", 16, {.seed = 0}, "too small"},
        {"no room for FAT12", 40, {.no_partition = true}, "too small"},
        {"no room for exFAT", 130, {.type = SDSIM_EXFAT, .no_partition = true}, "too small"},
        {"too few clusters", 2880, {.type = SDSIM_FAT32}, "needs 65527"},
        {"too many for 512", 2048 * MIB, {.type = SDSIM_FAT16, .cluster_bytes = 512}, "needs 4087"},
        {"too large for FAT16", 32768 * MIB, {.type = SDSIM_FAT16}, "needs 4087"},
        {"cluster of 1000", 7744512, {.cluster_bytes = 1000}, "no power of two"},
        {"cluster of 256", 7744512, {.cluster_bytes = 256}, "no power of two"},
        {"cluster of 128 KiB",
         7744512,
         {.cluster_bytes = 131072},
         "clusters of 128KiB are too large for FAT32: they have 64KiB at most"},
        {"three FATs", 7744512, {.fats = 3}, "1 or 2"},
        {"two FATs on exFAT", 124735488, {.fats = 2}, "one FAT"},
        {"fewer sectors than FatFs takes", 127, {.no_partition = true}, "too small"},
        {"long label", 7744512, {.label = "TWELVE CHARS"}, "label"},
        {"bad label", 7744512, {.label = "A/B"}, "label"},
        {"label outside ASCII", 7744512, {.label = "\xC3\xA4"}, "label"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sdsim_mkfs_plan plan;
        struct sdsim_diags diags;
        sdsim_diags_init(&diags);
        const bool good = sdsim_mkfs_plan(&plan, &rows[i].wishes, rows[i].sectors, &diags);
        if (good || diags.errors != 1 || strstr(diags.items[0].text, rows[i].says) == NULL) {
            sdsim_diags_print(&diags, stderr);
            fail_msg("%s: planned %d, %zu errors", rows[i].name, good, diags.errors);
        }
        sdsim_diags_free(&diags);
    }
}

static struct sdsim_medium *make(const struct sdsim_mkfs *wishes, uint32_t sectors)
{
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    struct sdsim_medium *medium = sdsim_medium_create(sectors, 0xFF);
    assert_non_null(medium);
    assert_true(sdsim_mkfs(medium, wishes, &diags));
    sdsim_diags_free(&diags);
    return medium;
}

/* What is made can be mounted, and is of the type that was planned: devices of all sizes up to the
 * first that has room for every type with every cluster size, with and without partition. */
static void test_all_mount(void **unused)
{
    (void)unused;
    static const struct sdsim_volume_config config = {.exfat = true,
                                                      .long_names = SDSIM_LFN_STATIC};
    uint32_t made = 0;
    for (uint32_t sectors = 1; sectors < 20000; sectors += sectors < 400 ? 1 : sectors / 9) {
        for (uint32_t k = 0; k < 5 * 2 * 2 * 5; k++) {
            static const uint32_t clusters[] = {0, 512, 4096, 32768, 65536};
            const struct sdsim_mkfs wishes = {.type = (enum sdsim_fat_type)(k % 5),
                                              .no_partition = k / 5 % 2 != 0,
                                              .fats = (uint8_t)(k / 10 % 2),
                                              .cluster_bytes = clusters[k / 20]};
            struct sdsim_mkfs_plan plan;
            struct sdsim_diags diags;
            sdsim_diags_init(&diags);
            const bool planned = sdsim_mkfs_plan(&plan, &wishes, sectors, &diags);
            assert_int_equal(planned, diags.errors == 0);
            sdsim_diags_free(&diags);
            if (!planned) {
                continue;
            }
            struct sdsim_medium *medium = make(&wishes, sectors);
            const struct sdsim_disk disk = sdsim_medium_disk(medium);
            struct sdsim_volume volume = {0};
            sdsim_ps now = 0;
            const enum sdsim_fat_result result = sdsim_volume_mount(&volume, &disk, &config, &now);
            if (result != SDSIM_FAT_OK || volume.geometry.type != plan.type ||
                volume.geometry.clusters != plan.clusters) {
                fail_msg("%u sectors, wish %u: %s with %u clusters: result %d, %s", sectors, k,
                         sdsim_fat_type_name(plan.type), plan.clusters, (int)result,
                         sdsim_fat_type_name(volume.geometry.type));
            }
            made++;
            sdsim_medium_destroy(medium);
        }
    }
    assert_true(made > 1000);
}

static void test_depends_on_wishes_alone(void **unused)
{
    (void)unused;
    const struct sdsim_mkfs one = {.seed = 1, .label = "ONE"};
    const struct sdsim_mkfs two = {.seed = 2, .label = "ONE"};
    struct sdsim_medium *first = make(&one, 7744512);
    struct sdsim_medium *again = make(&one, 7744512);
    struct sdsim_medium *other = make(&two, 7744512);
    assert_true(sdsim_medium_equal(first, again));
    assert_false(sdsim_medium_equal(first, other)); /* the serial number */
    sdsim_medium_destroy(first);
    sdsim_medium_destroy(again);
    sdsim_medium_destroy(other);
}

/* A 2 TB card takes a few hundred kilobytes at most. */
static void test_is_sparse(void **unused)
{
    (void)unused;
    const struct sdsim_mkfs wishes = {.seed = 1};
    struct sdsim_medium *medium = make(&wishes, 4000000000u);
    assert_true(sdsim_medium_usage(medium).bytes < 400000);
    sdsim_medium_destroy(medium);
}

/* Without memory it says so; where the medium got by without, the volume is right all the same. */
static void test_out_of_memory(void **unused)
{
    (void)unused;
    static const enum sdsim_fat_type types[] = {SDSIM_FAT12, SDSIM_FAT16, SDSIM_FAT32, SDSIM_EXFAT};
    for (size_t i = 0; i < COUNT(types); i++) {
        const struct sdsim_mkfs wishes = {.type = types[i], .label = "LABEL"};
        struct sdsim_medium *reference = make(&wishes, 200000);
        size_t reported = 0;
        size_t n = 1;
        for (bool done = false; !done; n++) {
            struct sdsim_diags diags;
            sdsim_diags_init(&diags);
            struct sdsim_medium *medium = sdsim_medium_create(200000, 0xFF);
            assert_non_null(medium);
            sdsim_test_fail_allocation(n);
            const bool good = sdsim_mkfs(medium, &wishes, &diags);
            done = !sdsim_test_allocation_failed();
            if (good ? !sdsim_medium_equal(medium, reference) : done || diags.errors != 1) {
                fail_msg("%s, allocation %zu: made %d, %zu errors", sdsim_fat_type_name(types[i]),
                         n, good, diags.errors);
            }
            reported += !good;
            sdsim_diags_free(&diags);
            sdsim_medium_destroy(medium);
        }
        assert_true(reported > 3);
        sdsim_medium_destroy(reference);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_capacity), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_all_mount),   cmocka_unit_test(test_depends_on_wishes_alone),
        cmocka_unit_test(test_is_sparse),   cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
