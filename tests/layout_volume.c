#include "fat/engines.h"
#include "layout_volume.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "fat/blocks.h"
#include "fat/bytes.h"
#include "fat/medium_disk.h"
#include "fat/mkfs.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const struct volume {
    uint32_t sectors;
    struct sdsim_mkfs wishes;
} volumes[] = {
    [SDSIM_FAT12] = {2880, {.type = SDSIM_FAT12, .cluster_bytes = 512}},
    [SDSIM_FAT16] = {9000, {.type = SDSIM_FAT16, .cluster_bytes = 512, .label = "SIXTEEN"}},
    [SDSIM_FAT32] = {70000, {.type = SDSIM_FAT32, .cluster_bytes = 512, .label = "BIG"}},
    [SDSIM_EXFAT] = {8000, {.type = SDSIM_EXFAT, .cluster_bytes = 512, .label = "eXtra"}},
};

/* /A.BIN and /DIR/B.BIN in turns, so both have three pieces; /C.BIN in one. */
static const char *const operations[] = {
    "mount",         "mkdir /DIR",   "open /A.BIN w", "@1 open \"/DIR/b with a long name.bin\" w",
    "write 2c",      "@1 write 1c",  "write 2c",      "@1 write 1c",
    "write 1c",      "@1 write 100", "close",         "@1 close",
    "open /C.BIN w", "write 4c",     "close",
};

uint32_t sdsim_test_volume_sectors(enum sdsim_fat_type type)
{
    return volumes[type].sectors;
}

const char *sdsim_test_volume_label(enum sdsim_fat_type type)
{
    return volumes[type].wishes.label != NULL ? volumes[type].wishes.label : "";
}

struct sdsim_medium *sdsim_test_volume_make(enum sdsim_fat_type type)
{
    struct sdsim_diags diags;
    struct sdsim_blocks blocks;
    static struct sdsim_session session;
    struct sdsim_volume_config config = sdsim_engine_find("esp-idf-full")->config;
    sdsim_ps now = 0;
    sdsim_diags_init(&diags);
    struct sdsim_medium *medium = sdsim_medium_create(sdsim_test_volume_sectors(type), 0);
    assert_non_null(medium);
    assert_true(sdsim_mkfs(medium, &volumes[type].wishes, &diags));
    sdsim_blocks_init(&blocks, medium, NULL);
    sdsim_session_init(&session, &blocks.disk, &config, 1);
    for (size_t i = 0; i < COUNT(operations); i++) {
        const struct sdsim_place place = {.file = "operations", .line = (uint32_t)i + 1};
        struct sdsim_op op;
        assert_int_equal(sdsim_op_parse(&op, operations[i], strlen(operations[i]), &place, &diags),
                         SDSIM_OP_LINE);
        assert_int_equal(sdsim_session_run(&session, &op, &now, NULL).result, SDSIM_FAT_OK);
    }
    sdsim_session_end(&session);
    sdsim_blocks_free(&blocks);
    sdsim_diags_free(&diags);
    return medium;
}

struct sdsim_layout *sdsim_test_survey(struct sdsim_medium *medium, const char *path)
{
    const struct sdsim_disk disk = sdsim_medium_disk(medium);
    const struct sdsim_layout_wishes wishes = {.au_sectors = SDSIM_TEST_AU, .path = path};
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    struct sdsim_layout *layout = sdsim_layout_create(&disk, &wishes, &diags);
    assert_int_equal(layout == NULL, diags.errors > 0);
    sdsim_diags_free(&diags);
    return layout;
}

static void learn(struct sdsim_medium *medium, const char *path, uint32_t *clusters, uint32_t count,
                  struct sdsim_geometry *geometry)
{
    struct sdsim_layout *layout = sdsim_test_survey(medium, path);
    assert_non_null(layout);
    *geometry = layout->geometry;
    uint32_t n = 0;
    for (size_t i = 0; i < layout->chosen.run_count; i++) {
        for (uint32_t k = 0; k < layout->chosen.runs[i].count && n < count; k++) {
            clusters[n++] = layout->chosen.runs[i].first + k;
        }
    }
    assert_int_equal(n, count);
    sdsim_layout_destroy(layout);
}

uint32_t sdsim_test_lba(const struct sdsim_test_places *known, uint32_t cluster)
{
    return known->geometry.data_start + (cluster - 2) * known->geometry.cluster_sectors;
}

struct sdsim_test_places sdsim_test_volume_places(struct sdsim_medium *medium)
{
    struct sdsim_test_places known;
    learn(medium, "/A.BIN", known.a, COUNT(known.a), &known.geometry);
    learn(medium, SDSIM_TEST_LONG_PATH, known.b, COUNT(known.b), &known.geometry);
    learn(medium, "/C.BIN", known.c, COUNT(known.c), &known.geometry);
    learn(medium, "/DIR", &known.dir, 1, &known.geometry);
    known.root_lba = known.geometry.root_entries != 0 ? known.geometry.root
                                                      : sdsim_test_lba(&known, known.geometry.root);
    return known;
}

void sdsim_test_poke(struct sdsim_medium *medium, uint32_t lba, uint32_t offset,
                     const uint8_t *bytes, uint32_t count)
{
    uint8_t sector[SDSIM_SECTOR];
    const struct sdsim_content content = {.kind = SDSIM_CONTENT_BYTES, .bytes = sector};
    lba += offset / SDSIM_SECTOR;
    offset %= SDSIM_SECTOR;
    assert_true(offset + count <= SDSIM_SECTOR);
    sdsim_medium_read(medium, lba, 1, sector);
    memcpy(sector + offset, bytes, count);
    assert_true(sdsim_medium_write(medium, lba, 1, &content));
}

uint8_t sdsim_test_peek(const struct sdsim_medium *medium, uint32_t lba, uint32_t offset)
{
    uint8_t sector[SDSIM_SECTOR];
    sdsim_medium_read(medium, lba + offset / SDSIM_SECTOR, 1, sector);
    return sector[offset % SDSIM_SECTOR];
}

void sdsim_test_set_fat(struct sdsim_medium *medium, const struct sdsim_geometry *g,
                        uint32_t cluster, uint32_t value, uint32_t fats)
{
    uint8_t bytes[4];
    for (uint32_t i = 0; i < fats; i++) {
        const uint32_t lba = g->fat_start + i * g->fat_sectors;
        sdsim_put32(bytes, value);
        if (g->type == SDSIM_FAT12) {
            const uint32_t at = cluster * 3 / 2;
            const uint8_t low = sdsim_test_peek(medium, lba, at);
            const uint8_t high = sdsim_test_peek(medium, lba, at + 1);
            bytes[0] = cluster % 2 != 0 ? (uint8_t)((low & 0x0F) | value << 4) : (uint8_t)value;
            bytes[1] = cluster % 2 != 0 ? (uint8_t)(value >> 4)
                                        : (uint8_t)((high & 0xF0) | (value >> 8 & 0x0F));
            sdsim_test_poke(medium, lba, at, bytes, 1);
            sdsim_test_poke(medium, lba, at + 1, bytes + 1, 1);
        } else if (g->type == SDSIM_FAT16) {
            sdsim_test_poke(medium, lba, cluster * 2, bytes, 2);
        } else {
            sdsim_test_poke(medium, lba, cluster * 4, bytes, 4);
        }
    }
}
