/*
 * The survey of volumes: what it says of sound ones, of lost clusters and of images that are cut
 * off; and that it comes to an end whatever is on a volume. Damage of all kinds is in
 * test_layout_damage.c, other people's volumes are in test_layout_tools.c.
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
#include "core/rng.h"
#include "fat/medium_disk.h"
#include "layout_volume.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* ---- sound volumes ---- */

static void test_sound_volumes(void **state)
{
    (void)state;
    for (enum sdsim_fat_type type = SDSIM_FAT12; type <= SDSIM_EXFAT; type++) {
        struct sdsim_medium *medium = sdsim_test_volume_make(type);
        struct sdsim_layout *layout = sdsim_test_survey(medium, "dir\\B WITH A LONG NAME.BIN");
        assert_non_null(layout);
        if (layout->finding_total != 0) {
            fail_msg("%s: %s", sdsim_fat_type_name(type),
                     sdsim_finding_name(layout->findings[0].kind));
        }
        assert_int_equal(layout->geometry.type, type);
        assert_int_equal(layout->partition.table, SDSIM_TABLE_MBR);
        assert_string_equal(layout->label, sdsim_test_volume_label(type));
        assert_int_equal(layout->tree.files, 3);
        assert_int_equal(layout->tree.directories, 1);
        assert_int_equal(layout->tree.bytes, 5 * 512 + 2 * 512 + 100 + 4 * 512);
        assert_int_equal(layout->tree.file_clusters, 12);
        assert_int_equal(layout->tree.fragments, 7);
        assert_int_equal(layout->tree.fragmented_files, 2);
        assert_int_equal(layout->tree.worst_count, 2);
        assert_int_equal(layout->tree.worst[0].fragments, 3);
        assert_int_equal(layout->space.used + layout->space.free, layout->geometry.clusters);
        assert_int_equal(layout->space.free_runs, 1);
        assert_int_equal(layout->space.largest.count, layout->space.free);

        const struct sdsim_layout_chosen *chosen = &layout->chosen;
        assert_true(chosen->found);
        assert_string_equal(chosen->file.path, SDSIM_TEST_LONG_PATH);
        assert_int_equal(chosen->file.clusters, 3);
        assert_int_equal(chosen->run_count, 3);
        assert_int_equal(chosen->runs[1].first, chosen->runs[0].first + 3);
        assert_int_equal(chosen->runs[2].first, chosen->runs[1].first + 2);
        sdsim_layout_destroy(layout);
        sdsim_medium_destroy(medium);
    }
}

/* AUs are counted from sector 0, each once. */
static void test_aus_of_a_file(void **state)
{
    (void)state;
    struct sdsim_medium *medium = sdsim_test_volume_make(SDSIM_FAT16);
    struct sdsim_layout *layout = sdsim_test_survey(medium, "/A.BIN");
    uint8_t seen[9000 / SDSIM_TEST_AU + 1] = {0};
    uint32_t aus = 0;
    for (size_t i = 0; i < layout->chosen.run_count; i++) {
        for (uint32_t k = 0; k < layout->chosen.runs[i].count; k++) {
            const uint32_t lba = sdsim_layout_lba(layout, layout->chosen.runs[i].first + k);
            aus += seen[lba / SDSIM_TEST_AU] == 0;
            seen[lba / SDSIM_TEST_AU] = 1;
        }
    }
    assert_int_equal(layout->chosen.aus, aus);
    sdsim_layout_destroy(layout);
    sdsim_medium_destroy(medium);
}

static void test_alignment(void **state)
{
    (void)state;
    static const struct {
        struct sdsim_geometry geometry;
        uint32_t au;
        struct sdsim_alignment expected;
    } rows[] = {
        {{.start = 8192, .fat_start = 9320, .data_start = 24576, .cluster_sectors = 64},
         8192,
         {0, 1128, 0, 2, false, false}},
        {{.start = 63, .fat_start = 95, .data_start = 8000, .cluster_sectors = 64},
         8192,
         {63, 95, 8000, 1, true, false}},
        {{.start = 63, .fat_start = 95, .data_start = 8001, .cluster_sectors = 64},
         8192,
         {63, 95, 8001, 1, true, true}},
        {{.start = 0, .fat_start = 1, .data_start = 24600, .cluster_sectors = 8},
         8192,
         {0, 1, 24, 4, true, false}},
        {{.start = 0, .fat_start = 1, .data_start = 256, .cluster_sectors = 128},
         32,
         {0, 1, 0, 8, false, false}}, /* a cluster larger than an AU */
        {{.start = 0, .fat_start = 1, .data_start = 6144, .cluster_sectors = 64},
         3 * 32,
         {0, 1, 0, 64, false, true}}, /* an AU that is no power of two */
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct sdsim_alignment got = sdsim_layout_alignment(&rows[i].geometry, rows[i].au);
        const struct sdsim_alignment *want = &rows[i].expected;
        if (got.start_offset != want->start_offset || got.fat_offset != want->fat_offset ||
            got.data_offset != want->data_offset || got.system_aus != want->system_aus ||
            got.data_shares_au != want->data_shares_au ||
            got.clusters_cross_au != want->clusters_cross_au) {
            fail_msg("row %zu: %u %u %u %u %d %d", i, got.start_offset, got.fat_offset,
                     got.data_offset, got.system_aus, got.data_shares_au, got.clusters_cross_au);
        }
    }
}

/* Every sector of the device is in the map once. */
static void test_map(void **state)
{
    (void)state;
    for (enum sdsim_fat_type type = SDSIM_FAT12; type <= SDSIM_EXFAT; type++) {
        struct sdsim_medium *medium = sdsim_test_volume_make(type);
        struct sdsim_layout *layout = sdsim_test_survey(medium, "/A.BIN");
        static struct sdsim_map_cell cells[70000 / 7 + 1];
        const uint32_t count = (layout->device_sectors + 6) / 7;
        uint64_t sums[SDSIM_MAP_KINDS] = {0};
        sdsim_layout_map(layout, 7, cells, count);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t sum = 0;
            for (int kind = 0; kind < SDSIM_MAP_KINDS; kind++) {
                sum += cells[i].sectors[kind];
                sums[kind] += cells[i].sectors[kind];
            }
            const uint32_t left = layout->device_sectors - i * 7;
            if (sum != (left < 7 ? left : 7)) {
                fail_msg("%s: cell %u has %u sectors", sdsim_fat_type_name(type), i, sum);
            }
        }
        assert_int_equal(sums[SDSIM_MAP_CHOSEN], 5);
        assert_int_equal(sums[SDSIM_MAP_FREE], layout->space.free);
        assert_int_equal(sums[SDSIM_MAP_USED], layout->space.used - 5);
        assert_int_equal(sums[SDSIM_MAP_LOST], 0);
        sdsim_layout_destroy(layout);
        sdsim_medium_destroy(medium);
    }
}

/* ---- lost clusters ---- */

/* Lost clusters are counted with their runs, and are in the map. */
static void test_lost_clusters(void **state)
{
    (void)state;
    struct sdsim_medium *medium = sdsim_test_volume_make(SDSIM_FAT16);
    const struct sdsim_test_places known = sdsim_test_volume_places(medium);
    for (uint32_t i = 0; i < 3; i++) {
        sdsim_test_set_fat(medium, &known.geometry, 1000 + i, i < 2 ? 1001 + i : 0xFFFF, 2);
    }
    sdsim_test_set_fat(medium, &known.geometry, 1010, 0xFFFF, 2);
    struct sdsim_layout *layout = sdsim_test_survey(medium, NULL);
    assert_int_equal(layout->finding_total, 1);
    assert_int_equal(layout->findings[0].found, 4);
    assert_int_equal(layout->findings[0].said, 2);
    assert_int_equal(layout->findings[0].cluster, 1000);
    assert_int_equal(layout->space.lost, 4);
    assert_int_equal(layout->space.lost_runs, 2);
    assert_int_equal(layout->space.free_runs, 3);
    assert_int_equal(layout->space.classes[2].runs, 1); /* 1003 to 1009 */
    assert_int_equal(layout->space.classes[2].clusters, 7);
    static struct sdsim_map_cell cells[9000];
    sdsim_layout_map(layout, 1, cells, 9000);
    assert_int_equal(cells[sdsim_test_lba(&known, 1001)].sectors[SDSIM_MAP_LOST], 1);
    assert_int_equal(cells[sdsim_test_lba(&known, 1003)].sectors[SDSIM_MAP_FREE], 1);
    sdsim_layout_destroy(layout);
    sdsim_medium_destroy(medium);
}

/* ---- what can't be read ---- */

/* The first `sectors` sectors of a medium. */
static struct sdsim_medium *cut(const struct sdsim_medium *medium, uint32_t sectors)
{
    struct sdsim_medium *part = sdsim_medium_create(sectors, 0);
    assert_non_null(part);
    for (uint32_t i = 0; i < sectors; i++) {
        uint8_t bytes[SDSIM_SECTOR];
        const struct sdsim_content content = {.kind = SDSIM_CONTENT_BYTES, .bytes = bytes};
        sdsim_medium_read(medium, i, 1, bytes);
        assert_true(sdsim_medium_write(part, i, 1, &content));
    }
    return part;
}

static bool has_finding(const struct sdsim_layout *layout, enum sdsim_finding_kind kind)
{
    for (size_t i = 0; i < layout->finding_count; i++) {
        if (layout->findings[i].kind == kind) {
            return true;
        }
    }
    return false;
}

/* However short the image: an error, or a survey that says what is missing. */
static void test_truncated_images(void **state)
{
    (void)state;
    for (enum sdsim_fat_type type = SDSIM_FAT12; type <= SDSIM_EXFAT; type++) {
        struct sdsim_medium *whole = sdsim_test_volume_make(type);
        const struct sdsim_test_places known = sdsim_test_volume_places(whole);
        const uint32_t ends[] = {1,
                                 known.geometry.start,
                                 known.geometry.start + 1,
                                 known.geometry.fat_start + 1,
                                 known.geometry.fat_start + known.geometry.fat_sectors,
                                 known.geometry.data_start,
                                 known.geometry.data_start + 6,
                                 known.geometry.data_start + 100};
        for (size_t i = 0; i < COUNT(ends); i++) {
            struct sdsim_medium *part = cut(whole, ends[i]);
            struct sdsim_layout *layout = sdsim_test_survey(part, NULL);
            const bool boots = ends[i] > known.geometry.start;
            if ((layout != NULL) != boots ||
                (boots && !has_finding(layout, SDSIM_FINDING_TRUNCATED)) ||
                (boots && i < 6 && !has_finding(layout, SDSIM_FINDING_UNREADABLE)) ||
                (i == 6 && !has_finding(layout, SDSIM_FINDING_MISSING))) {
                fail_msg("%s cut at %u: %s", sdsim_fat_type_name(type), ends[i],
                         layout != NULL ? "no finding" : "no survey");
            }
            if (i == 7) {
                assert_int_equal(layout->finding_total, 1);
            }
            sdsim_layout_destroy(layout);
            sdsim_medium_destroy(part);
        }
        sdsim_medium_destroy(whole);
    }
}

static void test_no_volume(void **state)
{
    (void)state;
    struct sdsim_medium *medium = sdsim_medium_create(1000, 0xFF);
    assert_null(sdsim_test_survey(medium, NULL));
    sdsim_medium_destroy(medium);
    medium = sdsim_test_volume_make(SDSIM_FAT12);
    assert_null(sdsim_test_survey(medium, "/NONE.BIN"));
    assert_null(sdsim_test_survey(medium, "/A"));
    assert_null(sdsim_test_survey(medium, "/A.BIN/"
                                          "B"));
    sdsim_medium_destroy(medium);
}

/* ---- at random ---- */

/* A disk that counts reads, and complains when there are more than any survey needs. */
struct counting {
    struct sdsim_medium *medium;
    uint64_t reads;
};

static enum sdsim_disk_error count_read(void *context, sdsim_ps *now, uint32_t lba, uint32_t count,
                                        enum sdsim_purpose purpose, void *out)
{
    struct counting *counting = context;
    const struct sdsim_disk disk = sdsim_medium_disk(counting->medium);
    counting->reads++;
    return disk.ops->read(disk.context, now, lba, count, purpose, out);
}

static void damage_at_random(struct sdsim_medium *medium, const struct sdsim_test_places *known,
                             struct sdsim_rng *rng)
{
    static const uint8_t values[] = {0,    1,    2,    3,    5,    8,    0x0F,
                                     0x10, 0x7F, 0x80, 0x85, 0xC0, 0xE5, 0xFF};
    const struct sdsim_geometry *g = &known->geometry;
    const uint32_t places[] = {g->start, g->fat_start, known->root_lba,
                               sdsim_test_lba(known, known->dir),
                               g->bitmap_start != 0 ? g->bitmap_start : g->fat_start};
    for (uint64_t n = 1 + sdsim_rng_below(rng, 24); n > 0; n--) {
        const uint32_t lba = places[sdsim_rng_below(rng, COUNT(places))];
        const uint32_t reach = lba == g->start ? 200 : 400;
        sdsim_test_poke(medium, lba, (uint32_t)sdsim_rng_below(rng, reach),
                        &values[sdsim_rng_below(rng, COUNT(values))], 1);
    }
}

static void test_random_damage(void **state)
{
    (void)state;
    static const struct sdsim_disk_ops ops = {.read = count_read};
    const char *wanted = getenv("SDSIM_SEED"); /* repeats one seed */
    for (enum sdsim_fat_type type = SDSIM_FAT12; type <= SDSIM_EXFAT; type++) {
        struct sdsim_medium *sound = sdsim_test_volume_make(type);
        const struct sdsim_test_places known = sdsim_test_volume_places(sound);
        for (uint64_t i = 0; i < (wanted != NULL ? 1 : 150); i++) {
            const uint64_t seed = wanted != NULL ? strtoull(wanted, NULL, 0) : i;
            struct sdsim_rng rng;
            sdsim_rng_seed(&rng, seed);
            struct counting counting = {.medium = sdsim_medium_copy(sound)};
            assert_non_null(counting.medium);
            damage_at_random(counting.medium, &known, &rng);
            const struct sdsim_disk disk = {
                .ops = &ops, .context = &counting, .sectors = sdsim_test_volume_sectors(type)};
            const struct sdsim_layout_wishes wishes = {.au_sectors = SDSIM_TEST_AU,
                                                       .path = "/A.BIN"};
            struct sdsim_diags diags;
            sdsim_diags_init(&diags);
            struct sdsim_layout *layout = sdsim_layout_create(&disk, &wishes, &diags);
            if (layout != NULL) {
                static struct sdsim_map_cell cells[128];
                sdsim_layout_map(layout, 1024, cells, COUNT(cells));
            }
            sdsim_layout_destroy(layout);
            sdsim_diags_free(&diags);
            sdsim_medium_destroy(counting.medium);
            /* Each sector once, and the FAT again for each step that leaves the cache. */
            if (counting.reads > 4ull * sdsim_test_volume_sectors(type)) {
                fail_msg("%s, seed %llu: %llu reads", sdsim_fat_type_name(type),
                         (unsigned long long)seed, (unsigned long long)counting.reads);
            }
        }
        sdsim_medium_destroy(sound);
    }
}

/* Each allocation that fails ends in an error and leaves nothing behind. */
static void test_no_memory(void **state)
{
    (void)state;
    struct sdsim_medium *medium = sdsim_test_volume_make(SDSIM_EXFAT);
    const struct sdsim_test_places known = sdsim_test_volume_places(medium);
    sdsim_test_set_fat(medium, &known.geometry, known.a[1], known.b[1],
                       1); /* both are to be named */
    const struct sdsim_disk disk = sdsim_medium_disk(medium);
    const struct sdsim_layout_wishes wishes = {.au_sectors = SDSIM_TEST_AU, .path = "/A.BIN"};
    bool failed = true;
    size_t n = 0;
    while (failed) {
        struct sdsim_diags diags;
        sdsim_diags_init(&diags);
        sdsim_test_fail_allocation(++n);
        struct sdsim_layout *layout = sdsim_layout_create(&disk, &wishes, &diags);
        failed = sdsim_test_allocation_failed();
        if (failed) {
            assert_null(layout);
            assert_true(diags.errors > 0);
        }
        sdsim_layout_destroy(layout);
        sdsim_diags_free(&diags);
    }
    assert_true(n > 10);
    sdsim_medium_destroy(medium);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sound_volumes), cmocka_unit_test(test_aus_of_a_file),
        cmocka_unit_test(test_alignment),     cmocka_unit_test(test_map),
        cmocka_unit_test(test_lost_clusters), cmocka_unit_test(test_truncated_images),
        cmocka_unit_test(test_no_volume),     cmocka_unit_test(test_random_damage),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
