/*
 * The power goes after block write k, for every k (a seeded sample where there are many).
 *
 * Operations run twice. The first run notes all blocks written. The second one
 * has a disk that dies after k blocks. What is on it then must be the start image with the first k
 * noted blocks, byte for byte; mounting it, looking at everything, and writing to it must end; and
 * what the survey of `layout` calls lost must be what is allocated and belongs to no file or
 * directory, as a walk through the tree of its own finds it.
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
#include "fat/chain.h"
#include "fat/engines.h"
#include "fat/fat_table.h"
#include "fat/layout.h"
#include "fat/medium_disk.h"
#include "fat/mkfs.h"
#include "fat/session.h"
#include "fat/window.h"
#include "sanitized.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define READS_MAX    200000u /* of a look at a small volume that comes to an end */

/* More cuts than this in one run are sampled. Sanitizers take ten times as long. */
#define CUTS_MAX (SDSIM_SANITIZED ? 25u : 200u)

static const struct {
    const char *name;
    uint32_t sectors;
    struct sdsim_mkfs wishes;
} volumes[] = {
    {"FAT12", 2880, {.type = SDSIM_FAT12, .cluster_bytes = 1024, .no_partition = true}},
    {"FAT16", 9000, {.type = SDSIM_FAT16, .cluster_bytes = 512}},
    {"FAT32", 67000, {.type = SDSIM_FAT32, .cluster_bytes = 512}},
    {"exFAT", 8000, {.type = SDSIM_EXFAT, .cluster_bytes = 512}},
};

static const char *const engines[] = {"esp-idf",         "carlk3",           "circuitpython",
                                      "sdfat-one-cache", "sdfat-two-caches", "arduino-classic"};

/* Operations with 8.3 names; other libraries' long names come on top. */
static const struct {
    const char *name;
    bool long_names;
    const char *ops;
} lists[] = {
    {"log", false,
     "mount\n"
     "open /LOG.TXT w\n"
     "write 40 *30\nsync\nwrite 700 *3\nsync\nwrite 3c\nsync\nwrite 1\nclose\n"
     "open /LOG.TXT a\nwrite 2c+5\nclose\n"},
    {"tree", false,
     "mount\n"
     "mkdir /DIR\nopen /DIR/A.BIN w\nwrite 3c\nclose\n"
     "mkdir /DIR/SUB\nopen /DIR/SUB/B.BIN w\nwrite 2000\nclose\n"
     "open /DIR/A.BIN w\nwrite 100\nclose\n"
     "unlink /DIR/SUB/B.BIN\nunlink /DIR/SUB\nunlink /DIR/A.BIN\n"},
    {"fragments", false,
     "mount\n"
     "@0 open /A.BIN w+\n@1 open /B.BIN w\n"
     "@0 write 1c\n@1 write 1c\n@0 write 2c\n@1 write 2c\n@0 sync\n@0 write 3c+7\n@1 close\n"
     "@0 seek 2c+1\n@0 truncate\n@0 write 700\n@0 close\n"
     "unlink /B.BIN\nopen /C.BIN w\nexpand 5c\nwrite 2c\nclose\n"
     "open /A.BIN rw\nseek 10\nwrite 1000\nclose\n"},
    {"names", true,
     "mount\n"
     "mkdir \"/A directory with a long name\"\n"
     "open \"/A directory with a long name/The first of many files.text\" w\nwrite 5\nclose\n"
     "open \"/A directory with a long name/The second of many files.text\" w\nclose\n"
     "open \"/A directory with a long name/The third of many files.text\" w\nwrite 1c\nclose\n"
     "rename \"/A directory with a long name/The second of many files.text\" \"/moved file\"\n"
     "rename \"/A directory with a long name\" /NEWNAME\n"
     "unlink \"/NEWNAME/The first of many files.text\"\n"},
};

#define RANDOM_LISTS 3u
#define RANDOM_OPS   100u

/* Random operations as a list, at most 48 bytes each; three files are open at most. */
static char *make_random_ops(uint64_t seed)
{
    static const char *const modes[] = {"w", "w+", "a", "rw"};
    const size_t room = (size_t)RANDOM_OPS * 48;
    struct sdsim_rng rng;
    bool open[3] = {false};
    char *ops = malloc(room);
    assert_non_null(ops);
    sdsim_rng_seed(&rng, seed);
    size_t at = (size_t)snprintf(ops, room, "mount\nmkdir /DIR\n");
    for (uint32_t i = 2; i < RANDOM_OPS; i++) {
        const unsigned slot = (unsigned)sdsim_rng_below(&rng, COUNT(open));
        const unsigned number = (unsigned)sdsim_rng_below(&rng, 4);
        const unsigned bytes = (unsigned)sdsim_rng_below(&rng, 3000);
        const unsigned choice = (unsigned)sdsim_rng_below(&rng, 10);
        const char *folder = number % 2 == 0 ? "/DIR" : "";
        char *op = ops + at;
        const size_t left = room - at;
        int length;
        if (!open[slot] && choice < 6) {
            length = snprintf(op, left, "@%u open %s/F%u-%u.BIN %s\n", slot, folder, slot, number,
                              modes[bytes % COUNT(modes)]);
            open[slot] = true;
        } else if (!open[slot] && choice < 8) {
            length = snprintf(op, left, "unlink %s/F%u-%u.BIN\n", folder, slot, number);
        } else if (!open[slot]) {
            length =
                snprintf(op, left, "%s /DIR/SUB%u\n", choice == 8 ? "mkdir" : "unlink", number);
        } else if (choice < 6) {
            length = snprintf(op, left, "@%u write %u\n", slot, bytes);
        } else if (choice < 8) {
            length = snprintf(op, left, "@%u seek %u\n@%u %s\n", slot, bytes, slot,
                              choice == 6 ? "truncate" : "sync");
        } else {
            length = snprintf(op, left, "@%u %s\n", slot, choice == 8 ? "sync" : "close");
            open[slot] = choice == 8;
        }
        at += (size_t)length;
    }
    return ops;
}

/* ---- a disk that notes writes, and dies ---- */

struct note {
    uint32_t lba;
    uint8_t bytes[SDSIM_SECTOR];
};

struct mortal {
    struct sdsim_disk disk;
    struct sdsim_medium *medium;
    struct note *notes; /* NULL: writes are not noted */
    size_t note_count;
    size_t note_capacity;
    uint32_t writes_left; /* blocks */
    uint32_t reads_left;
    bool dead;
};

static enum sdsim_disk_error mortal_read(void *context, sdsim_ps *now, uint32_t lba, uint32_t count,
                                         enum sdsim_purpose purpose, void *out)
{
    struct mortal *mortal = context;
    (void)now;
    (void)purpose;
    if (mortal->dead || lba >= mortal->disk.sectors || count > mortal->disk.sectors - lba) {
        return SDSIM_DISK_IO;
    }
    assert_true(mortal->reads_left > 0); /* it does not end */
    mortal->reads_left--;
    if (out != NULL) {
        sdsim_medium_read(mortal->medium, lba, count, out);
    }
    return SDSIM_DISK_OK;
}

/* Block i of the content goes to lba. */
static void take_note(struct mortal *mortal, uint32_t lba, const struct sdsim_content *content,
                      uint32_t i)
{
    if (mortal->note_count == mortal->note_capacity) {
        mortal->note_capacity = mortal->note_capacity * 2 + 64;
        mortal->notes = realloc(mortal->notes, mortal->note_capacity * sizeof *mortal->notes);
        assert_non_null(mortal->notes);
    }
    struct note *note = &mortal->notes[mortal->note_count++];
    note->lba = lba;
    sdsim_content_bytes(content, (uint64_t)i * SDSIM_SECTOR, note->bytes, SDSIM_SECTOR);
}

static enum sdsim_disk_error mortal_write(void *context, sdsim_ps *now, uint32_t lba,
                                          uint32_t count, enum sdsim_purpose purpose,
                                          const struct sdsim_content *content)
{
    struct mortal *mortal = context;
    (void)now;
    (void)purpose;
    if (mortal->dead || lba >= mortal->disk.sectors || count > mortal->disk.sectors - lba) {
        return SDSIM_DISK_IO;
    }
    mortal->dead = count > mortal->writes_left;
    const uint32_t written = mortal->dead ? mortal->writes_left : count;
    mortal->writes_left -= written;
    for (uint32_t i = 0; mortal->notes != NULL && i < written; i++) {
        take_note(mortal, lba + i, content, i);
    }
    assert_true(sdsim_medium_write(mortal->medium, lba, written, content));
    return mortal->dead ? SDSIM_DISK_IO : SDSIM_DISK_OK;
}

static const struct sdsim_disk_ops mortal_ops = {.read = mortal_read, .write = mortal_write};

static void mortal_init(struct mortal *mortal, struct sdsim_medium *medium, uint32_t writes)
{
    *mortal = (struct mortal){
        .disk = {.ops = &mortal_ops, .context = mortal, .sectors = sdsim_medium_sectors(medium)},
        .medium = medium,
        .writes_left = writes,
        .reads_left = READS_MAX,
    };
}

/* ---- running operations ---- */

/* Up to the first that the death of the disk lets fail. */
static void run_ops(const struct mortal *mortal, const struct sdsim_volume_config *config,
                    const char *ops)
{
    struct sdsim_session *session = calloc(1, sizeof *session);
    struct sdsim_diags diags;
    assert_non_null(session);
    sdsim_diags_init(&diags);
    sdsim_session_init(session, &mortal->disk, config, 1);
    sdsim_ps now = 0;
    while (*ops != '\0' && !mortal->dead) {
        const size_t length = strcspn(ops, "\n");
        const struct sdsim_place place = {.file = "ops", .line = 1};
        struct sdsim_op op;
        assert_int_equal(sdsim_op_parse(&op, ops, length, &place, &diags), SDSIM_OP_LINE);
        for (uint32_t i = 0; i < op.repeat && !mortal->dead; i++) {
            (void)sdsim_session_run(session, &op, &now, NULL);
        }
        ops += length + 1;
    }
    sdsim_session_end(session);
    sdsim_diags_free(&diags);
    free(session);
}

/* ---- looking at what is left ---- */

/* Marks a chain; stops where it is broken. */
static void mark_chain(struct sdsim_volume *volume, const struct sdsim_object *object, bool *marks)
{
    const bool contiguous = object->state == SDSIM_CHAIN_CONTIGUOUS;
    uint32_t left = volume->geometry.clusters;
    uint32_t cluster = object->start;
    if (contiguous) {
        left = (uint32_t)((object->size + sdsim_cluster_bytes(volume) - 1) /
                          sdsim_cluster_bytes(volume));
    }
    while (sdsim_cluster_valid(volume, cluster) && !marks[cluster] && left-- > 0) {
        marks[cluster] = true;
        if (contiguous) {
            cluster++;
        } else if (sdsim_fat_get(volume, cluster, &cluster) != SDSIM_FAT_OK) {
            return;
        }
    }
}

/* Reads a file. */
static void read_file(struct sdsim_volume *volume, const char *path)
{
    struct sdsim_file file;
    sdsim_ps now = 0;
    if (sdsim_file_open(&file, volume, &now, path, SDSIM_OPEN_READ) == SDSIM_FAT_OK) {
        uint64_t done;
        (void)sdsim_file_read(&file, &now, file.object.size, NULL, &done);
        sdsim_file_drop(&file);
    }
}

/* Marks a directory and all that it holds, and reads its files. */
static void mark_tree(struct sdsim_volume *volume, const char *path, bool *marks, int depth)
{
    struct sdsim_dir_list list;
    struct sdsim_dir_info entry;
    sdsim_ps now = 0;
    bool more = sdsim_dir_list_open(&list, volume, &now, path) == SDSIM_FAT_OK && depth < 8;
    if (more) {
        mark_chain(volume, &list.dir.object, marks);
    }
    while (more) {
        if (sdsim_dir_list_next(&list, &now, &entry, &more) != SDSIM_FAT_OK || !more) {
            break;
        }
        char below[sizeof entry.name + 301];
        (void)snprintf(below, sizeof below, "%.300s/%s", strcmp(path, "/") == 0 ? "" : path,
                       entry.name);
        if ((entry.attributes & SDSIM_ATTR_DIRECTORY) != 0) {
            mark_tree(volume, below, marks, depth + 1);
            continue;
        }
        const struct sdsim_object object = {.start = entry.start,
                                            .size = entry.size,
                                            .state = entry.contiguous ? SDSIM_CHAIN_CONTIGUOUS
                                                                      : SDSIM_CHAIN_LINKED};
        mark_chain(volume, &object, marks);
        read_file(volume, below);
    }
}

/* What is allocated and unmarked. */
static uint32_t count_unmarked(const struct sdsim_layout *layout, const bool *marks)
{
    uint32_t lost = 0;
    for (uint32_t i = 0; i < layout->geometry.clusters; i++) {
        lost += (layout->used[i / 8] >> i % 8 & 1) != 0 && !marks[i + 2];
    }
    return lost;
}

/* The survey, checked by itself: its bits, its count, its finding. */
static void check_survey(const struct sdsim_layout *layout)
{
    uint32_t lost = 0;
    uint32_t used = 0;
    for (uint32_t i = 0; i < layout->geometry.clusters; i++) {
        const bool is_used = (layout->used[i / 8] >> i % 8 & 1) != 0;
        const bool is_reached = (layout->reached[i / 8] >> i % 8 & 1) != 0;
        lost += is_used && !is_reached;
        used += is_used;
    }
    assert_int_equal(lost, layout->space.lost);
    assert_int_equal(used, layout->space.used);
    uint64_t said = 0;
    for (size_t i = 0; i < layout->finding_count; i++) {
        const struct sdsim_finding *finding = &layout->findings[i];
        said = finding->kind == SDSIM_FINDING_LOST_CLUSTERS ? finding->found : said;
    }
    assert_int_equal(said, lost);
}

/* Chains that meet or leave the volume: then who has what depends on who is asked first. */
static bool is_tangled(const struct sdsim_layout *layout)
{
    for (size_t i = 0; i < layout->finding_count; i++) {
        switch (layout->findings[i].kind) {
        case SDSIM_FINDING_LOOP:
        case SDSIM_FINDING_CROSS:
        case SDSIM_FINDING_WILD:
        case SDSIM_FINDING_BROKEN_SET:
            return true;
        default:
            break;
        }
    }
    return false;
}

/* Mounts what is left, looks at all of it, and writes. */
static void check_remains(struct sdsim_medium *medium, const struct sdsim_volume_config *config)
{
    struct mortal mortal;
    mortal_init(&mortal, medium, UINT32_MAX);
    const struct sdsim_layout_wishes wishes = {.au_sectors = 8192, .contents = "cut"};
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    struct sdsim_layout *layout = sdsim_layout_create(&mortal.disk, &wishes, &diags);
    sdsim_diags_free(&diags);
    assert_non_null(layout);
    check_survey(layout);

    struct sdsim_volume volume = {0};
    sdsim_ps now = 0;
    bool *marks = calloc(layout->geometry.clusters + 2, sizeof *marks);
    assert_non_null(marks);
    const struct sdsim_engine *reader = sdsim_engine_find("carlk3");
    assert_int_equal(sdsim_volume_mount(&volume, &mortal.disk, &reader->config, &now),
                     SDSIM_FAT_OK);
    const struct sdsim_geometry *g = &volume.geometry;
    for (uint32_t i = 2; g->type == SDSIM_EXFAT && i < g->root; i++) {
        marks[i] = true; /* bitmap and upcase table */
    }
    const struct sdsim_object root = {.start = g->root_entries == 0 ? g->root : 0};
    mark_chain(&volume, &root, marks);
    mark_tree(&volume, "/", marks, 0);
    if (!is_tangled(layout)) {
        assert_int_equal(count_unmarked(layout, marks), layout->space.lost);
    }
    free(marks);
    sdsim_layout_destroy(layout);

    run_ops(&mortal, config, "mount\nlist /\nopen /AFTER.TXT w\nwrite 3c\nclose\nfree\n");
}

/* ---- one engine, volume and list ---- */

/* The start image with the first `cut` writes. */
static struct sdsim_medium *replay(const struct sdsim_medium *start, const struct mortal *noted,
                                   size_t cut)
{
    struct sdsim_medium *medium = sdsim_medium_copy(start);
    assert_non_null(medium);
    for (size_t i = 0; i < cut; i++) {
        const struct note *note = &noted->notes[i];
        const struct sdsim_content content = {.kind = SDSIM_CONTENT_BYTES, .bytes = note->bytes};
        assert_true(sdsim_medium_write(medium, note->lba, 1, &content));
    }
    return medium;
}

static unsigned run_cuts(const struct sdsim_medium *start, const struct sdsim_volume_config *config,
                         const char *what, const char *ops)
{
    struct sdsim_medium *whole = sdsim_medium_copy(start);
    struct mortal noted;
    assert_non_null(whole);
    mortal_init(&noted, whole, UINT32_MAX);
    noted.notes = malloc(sizeof *noted.notes);
    noted.note_capacity = 1;
    assert_non_null(noted.notes);
    run_ops(&noted, config, ops);
    const size_t writes = noted.note_count;
    assert_true(writes > 10);

    const uint64_t seed = sdsim_hash_text(1, what);
    struct sdsim_rng rng;
    sdsim_rng_seed(&rng, seed);
    unsigned cuts = 0;
    for (size_t cut = 0; cut <= writes; cut++) {
        if (writes > CUTS_MAX && sdsim_rng_below(&rng, writes) >= CUTS_MAX) {
            continue;
        }
        cuts++;
        struct sdsim_medium *medium = sdsim_medium_copy(start);
        assert_non_null(medium);
        struct mortal mortal;
        mortal_init(&mortal, medium, (uint32_t)cut);
        run_ops(&mortal, config, ops);
        struct sdsim_medium *expected = replay(start, &noted, cut);
        if (!sdsim_medium_equal(medium, expected)) {
            fail_msg("%s, cut after write %zu of %zu: the medium is not what was written", what,
                     cut, writes);
        }
        (void)printf("%s, cut %zu of %zu (seed %llu)                    \r", what, cut, writes,
                     (unsigned long long)seed);
        check_remains(medium, config);
        sdsim_medium_destroy(expected);
        sdsim_medium_destroy(medium);
    }
    free(noted.notes);
    sdsim_medium_destroy(whole);
    return cuts;
}

static bool can_run(const struct sdsim_volume_config *config, enum sdsim_fat_type type,
                    bool long_names)
{
    const bool mounts = sdsim_volume_config_mounts(config, type);
    return mounts && (!long_names || config->long_names != SDSIM_LFN_NONE);
}

/* All lists that an engine can run on a volume. */
static unsigned run_lists(const char *volume, const struct sdsim_medium *start,
                          enum sdsim_fat_type type, const struct sdsim_engine *engine)
{
    unsigned cuts = 0;
    char what[100];
    for (size_t i = 0; i < COUNT(lists); i++) {
        if (can_run(&engine->config, type, lists[i].long_names)) {
            (void)snprintf(what, sizeof what, "%s, %s, %s", volume, engine->name, lists[i].name);
            cuts += run_cuts(start, &engine->config, what, lists[i].ops);
        }
    }
    for (unsigned seed = 1; seed <= RANDOM_LISTS; seed++) {
        if (can_run(&engine->config, type, false)) {
            char *ops = make_random_ops(seed);
            (void)snprintf(what, sizeof what, "%s, %s, random %u", volume, engine->name, seed);
            cuts += run_cuts(start, &engine->config, what, ops);
            free(ops);
        }
    }
    return cuts;
}

static void test_power_cuts(void **unused)
{
    (void)unused;
    unsigned cuts = 0;
    for (size_t i = 0; i < COUNT(volumes); i++) {
        struct sdsim_diags diags;
        sdsim_diags_init(&diags);
        struct sdsim_medium *start = sdsim_medium_create(volumes[i].sectors, 0xFF);
        assert_non_null(start);
        assert_true(sdsim_mkfs(start, &volumes[i].wishes, &diags));
        sdsim_diags_free(&diags);
        for (size_t j = 0; j < COUNT(engines); j++) {
            const struct sdsim_engine *engine = sdsim_engine_find(engines[j]);
            assert_non_null(engine);
            cuts += run_lists(volumes[i].name, start, volumes[i].wishes.type, engine);
        }
        sdsim_medium_destroy(start);
    }
    (void)printf("\n%u cuts\n", cuts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_power_cuts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
