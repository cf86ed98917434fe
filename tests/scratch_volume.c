#include "scratch_volume.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "fat/blocks.h"
#include "fat/bytes.h"
#include "fat/engines.h"
#include "fat/layout.h"
#include "fat/medium_disk.h"
#include "fat/mkfs.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { AU = 128 };

static const char *const operations[] = {
    "open /SCRATCH.BIN w",
    "@1 open /OTHER.BIN w",
    "write 100c",
    "@1 write 50c",
    "write 1600c",
    "@1 write 70c",
    "write 80c",
    "@1 write 10c",
    "close",
    "@1 close",
    "open /EMPTY.BIN w",
    "close",
    "mkdir /FOLDER",
};

static void run(struct sdsim_session *session, const char *text, sdsim_ps *now)
{
    const struct sdsim_place place = {.file = "operations", .line = 1};
    struct sdsim_diags diags;
    struct sdsim_op op;
    sdsim_diags_init(&diags);
    assert_int_equal(sdsim_op_parse(&op, text, strlen(text), &place, &diags), SDSIM_OP_LINE);
    assert_int_equal(sdsim_session_run(session, &op, now, NULL).result, SDSIM_FAT_OK);
    sdsim_diags_free(&diags);
}

static void fill_front(struct sdsim_session *session, uint32_t sectors, sdsim_ps *now)
{
    enum { AT_ONCE = 2048 };
    run(session, "open /FRONT.BIN w", now);
    for (uint32_t done = 0; done < sectors; done += AT_ONCE) {
        char text[40];
        const uint32_t part = sectors - done < AT_ONCE ? sectors - done : AT_ONCE;
        snprintf(text, sizeof text, "write %lu", (unsigned long)part * SDSIM_SECTOR);
        run(session, text, now);
    }
    run(session, "close", now);
}

void sdsim_test_scratch_volume(struct sdsim_medium *medium, bool exfat, uint32_t in_front)
{
    const struct sdsim_mkfs wishes = {.type = exfat ? SDSIM_EXFAT : SDSIM_FAT32,
                                      .cluster_bytes = exfat ? 1024 : 512,
                                      .label = "SCRATCH"};
    static struct sdsim_session session;
    const struct sdsim_volume_config config = sdsim_engine_find("esp-idf-full")->config;
    struct sdsim_diags diags;
    struct sdsim_blocks blocks;
    sdsim_ps now = 0;
    sdsim_diags_init(&diags);
    assert_true(sdsim_mkfs(medium, &wishes, &diags));
    sdsim_diags_free(&diags);
    sdsim_blocks_init(&blocks, medium, NULL);
    sdsim_session_init(&session, &blocks.disk, &config, 1);
    run(&session, "mount", &now);
    if (in_front > 0) {
        fill_front(&session, in_front, &now);
    }
    for (size_t i = 0; i < COUNT(operations); i++) {
        run(&session, operations[i], &now);
    }
    sdsim_session_end(&session);
    sdsim_blocks_free(&blocks);
}

static struct sdsim_layout *survey(struct sdsim_medium *medium)
{
    const struct sdsim_disk disk = sdsim_medium_disk(medium);
    const struct sdsim_layout_wishes wishes = {.au_sectors = AU, .path = "/SCRATCH.BIN"};
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    struct sdsim_layout *layout = sdsim_layout_create(&disk, &wishes, &diags);
    assert_non_null(layout);
    sdsim_diags_free(&diags);
    return layout;
}

void sdsim_test_scratch_longest(struct sdsim_medium *medium, uint32_t *from, uint32_t *to)
{
    struct sdsim_layout *layout = survey(medium);
    assert_int_equal(layout->chosen.run_count, 3);
    const struct sdsim_cluster_run *run = &layout->chosen.runs[1];
    assert_true(run->count > layout->chosen.runs[0].count);
    assert_true(run->count > layout->chosen.runs[2].count);
    *from = sdsim_layout_lba(layout, run->first);
    *to = *from + run->count * layout->geometry.cluster_sectors;
    sdsim_layout_destroy(layout);
}

void sdsim_test_scratch_damage(struct sdsim_medium *medium)
{
    struct sdsim_layout *layout = survey(medium);
    const struct sdsim_geometry geometry = layout->geometry;
    const struct sdsim_cluster_run *first = &layout->chosen.runs[0];
    const struct sdsim_cluster_run *last = &layout->chosen.runs[layout->chosen.run_count - 1];
    const uint32_t from = last->first + last->count - 1;
    const uint32_t to = first->first + first->count; /* where the other one begins */
    sdsim_layout_destroy(layout);
    for (uint32_t fat = 0; fat < geometry.fats; fat++) {
        uint8_t sector[SDSIM_SECTOR];
        const struct sdsim_content content = {.kind = SDSIM_CONTENT_BYTES, .bytes = sector};
        const uint32_t lba =
            geometry.fat_start + fat * geometry.fat_sectors + from * 4 / SDSIM_SECTOR;
        sdsim_medium_read(medium, lba, 1, sector);
        for (unsigned i = 0; i < 4; i++) {
            sector[from * 4 % SDSIM_SECTOR + i] = (uint8_t)(to >> 8 * i);
        }
        assert_true(sdsim_medium_write(medium, lba, 1, &content));
    }
}
