/*
 * A scratch file: probe writes where a file on the card lies, and nowhere else. The file is in pieces, and
 * the longest of them is what may be written; the card's guard sees every sector that is touched. On FAT32
 * and exFAT, with and without putting back what was there. What is no place to write to - a file that is
 * missing, empty, a directory, or beyond the end of the card, or one
 * that shares its sectors with another - is refused before anything is written.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/slot.h"
#include "ftdi/card_world.h"
#include "scratch_volume.h"
#include "tools/ftdi/journal.h"
#include "tools/ftdi/probe_card.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char card[] = "kind: card\ntype: sdsc\ncapacity: 64MiB\nau: 64KiB\npage: 8KiB\n"
                           "init_time: 1ms\nrd1: 50us\nw1: 90us\nwn: 2us\nwpg: 30us\nwstop: 70us\n"
                           "rand: 400us\nerase: 200us\nserial: 77\n";

static const struct sdsim_measure_plan plan = {.reads = 4,
                                               .writes = 12,
                                               .pause_bytes = 64 * 1024,
                                               .pause_time = SDSIM_S,
                                               .most_aus = 3,
                                               .erase = true};

static const bool volumes[] = {false, true}; /* exFAT */

static char journal_path[64];

static struct sdsim_card_world *world_of(bool exfat)
{
    struct sdsim_card_world *world = sdsim_card_world_of_text(card, 0);
    sdsim_test_scratch_volume(world->slot->medium, exfat, 0);
    return world;
}

static enum sdsim_probe_exit probe(struct sdsim_card_world *world, const char *path, bool keep,
                                   bool restore, char **messages)
{
    const struct sdsim_probe_wishes wishes = {.clock = sdsim_mpsse_clock_of(1),
                                              .plan = plan,
                                              .restore = restore,
                                              .time = SDSIM_PROBE_BOTH,
                                              .chip = "FT232H",
                                              .write = {.wanted = !restore,
                                                        .scratch = restore ? NULL : path,
                                                        .serial = restore ? NULL : "77",
                                                        .journal = journal_path,
                                                        .keep = keep}};
    size_t size;
    FILE *err = open_memstream(messages, &size);
    FILE *out = fopen("/dev/null", "w");
    assert_non_null(err);
    assert_non_null(out);
    const enum sdsim_probe_exit code = sdsim_probe_card(world->link, &wishes, out, err);
    fclose(err);
    fclose(out);
    return code;
}

static void expect(enum sdsim_probe_exit code, enum sdsim_probe_exit wanted, const char *messages,
                   const char *text)
{
    if (code != wanted || strstr(messages, text) == NULL) {
        fail_msg("%d, not %d with '%s':\n%s", (int)code, (int)wanted, text, messages);
    }
}

/* Sectors that are not what they were; the first and the last. */
static uint32_t count_changed(const struct sdsim_medium *before, const struct sdsim_medium *now,
                              uint32_t *first, uint32_t *last)
{
    uint32_t count = 0;
    for (uint32_t lba = 0; lba < sdsim_medium_sectors(now); lba++) {
        uint8_t one[SDSIM_SECTOR];
        uint8_t other[SDSIM_SECTOR];
        sdsim_medium_read(before, lba, 1, one);
        sdsim_medium_read(now, lba, 1, other);
        if (memcmp(one, other, sizeof one) != 0) {
            *first = count == 0 ? lba : *first;
            *last = lba;
            count++;
        }
    }
    return count;
}

/* ---- in the file and nowhere else ---- */

static void judge_guard(const struct sdsim_card_world *world, uint32_t from, uint32_t to)
{
    const struct sdsim_write_guard *guard = &world->slave.guard;
    if (guard->outside > 0) {
        fail_msg("sector %" PRIu32 " is outside of %" PRIu32 " to %" PRIu32, guard->first, from,
                 to - 1);
    }
    assert_true(guard->written > 400);
    assert_true(guard->lowest >= from && guard->highest < to);
}

static void test_in_the_file(void **state)
{
    (void)state;
    for (size_t v = 0; v < COUNT(volumes); v++) {
        struct sdsim_card_world *world = world_of(volumes[v]);
        struct sdsim_medium *before = sdsim_medium_copy(world->slot->medium);
        uint32_t from;
        uint32_t to;
        char *messages;
        sdsim_test_scratch_longest(before, &from, &to);
        sdsim_card_slave_guard(&world->slave, from, to);
        const enum sdsim_probe_exit code = probe(world, "/SCRATCH.BIN", false, false, &messages);
        expect(code, SDSIM_PROBE_OK, messages, "were put back and read again");
        judge_guard(world, from, to);
        char range[80];
        snprintf(range, sizeof range, "sectors %" PRIu32 " to %" PRIu32 " may be written", from,
                 to - 1);
        assert_non_null(strstr(messages, range));
        assert_true(sdsim_medium_equal(world->slot->medium, before));
        assert_false(sdsim_journal_exists(journal_path));
        free(messages);
        sdsim_medium_destroy(before);
        sdsim_card_world_free(world);
    }
}

/* Left as it is, only the file's data differs; then the journal puts it back. */
static void test_kept_and_restored(void **state)
{
    (void)state;
    for (size_t v = 0; v < COUNT(volumes); v++) {
        struct sdsim_card_world *world = world_of(volumes[v]);
        struct sdsim_medium *before = sdsim_medium_copy(world->slot->medium);
        uint32_t from;
        uint32_t to;
        uint32_t first = 0;
        uint32_t last = 0;
        char *messages;
        sdsim_test_scratch_longest(before, &from, &to);
        sdsim_card_slave_guard(&world->slave, from, to);
        enum sdsim_probe_exit code = probe(world, "/scratch.bin", true, false, &messages);
        expect(code, SDSIM_PROBE_OK, messages, "nothing was put back");
        free(messages);
        judge_guard(world, from, to);
        assert_true(count_changed(before, world->slot->medium, &first, &last) > 300);
        assert_true(first >= from && last < to);
        sdsim_card_world_reconnect(world);
        code = probe(world, NULL, false, true, &messages);
        expect(code, SDSIM_PROBE_OK, messages, "");
        free(messages);
        assert_int_equal(world->slave.guard.outside, 0);
        assert_int_equal(count_changed(before, world->slot->medium, &first, &last), 0);
        assert_false(sdsim_journal_exists(journal_path));
        sdsim_medium_destroy(before);
        sdsim_card_world_free(world);
    }
}

/* ---- what is no place to write to ---- */

/* A copy of a larger card: the file lies where this one has no sectors. */
static struct sdsim_card_world *world_cut_short(bool exfat)
{
    struct sdsim_card_world *world = sdsim_card_world_of_text(card, 0);
    const uint32_t sectors = sdsim_slot_sectors(world->slot);
    struct sdsim_medium *larger = sdsim_medium_create(2 * sectors, 0);
    assert_non_null(larger);
    sdsim_test_scratch_volume(larger, exfat, sectors + sectors / 8);
    for (uint32_t lba = 0; lba < sectors; lba++) {
        uint8_t sector[SDSIM_SECTOR];
        const struct sdsim_content content = {.kind = SDSIM_CONTENT_BYTES, .bytes = sector};
        sdsim_medium_read(larger, lba, 1, sector);
        assert_true(sdsim_medium_write(world->slot->medium, lba, 1, &content));
    }
    sdsim_medium_destroy(larger);
    return world;
}

enum state { SOUND, CUT_SHORT, DAMAGED };

struct refusal {
    const char *what;
    const char *path;
    const char *text;
    enum state state;
};

/* NULL: there is no such volume. */
static struct sdsim_card_world *world_in(enum state state, bool exfat)
{
    if (state == CUT_SHORT) {
        return world_cut_short(exfat);
    }
    if (state == DAMAGED && exfat) { /* its file has no FAT to be damaged */
        return NULL;
    }
    struct sdsim_card_world *world = world_of(exfat);
    if (state == DAMAGED) {
        sdsim_test_scratch_damage(world->slot->medium);
    }
    return world;
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct refusal rows[] = {
        {"missing", "/NOTHERE.BIN", "NOTHERE.BIN", SOUND},
        {"missing folder", "/DIR/SCRATCH.BIN", "SCRATCH.BIN", SOUND},
        {"empty", "/EMPTY.BIN", "the scratch file has no sectors", SOUND},
        {"the root", "", "is a directory", SOUND},
        {"a directory", "/FOLDER", "is a directory", SOUND},
        {"beyond the end", "/SCRATCH.BIN", "beyond the end of the card", CUT_SHORT},
        {"damaged", "/SCRATCH.BIN", "the volume is damaged", DAMAGED},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        for (size_t v = 0; v < COUNT(volumes); v++) {
            struct sdsim_card_world *world = world_in(rows[i].state, volumes[v]);
            char *messages;
            if (world == NULL) {
                continue;
            }
            struct sdsim_medium *before = sdsim_medium_copy(world->slot->medium);
            sdsim_card_slave_guard(&world->slave, 0, 0);
            const enum sdsim_probe_exit code = probe(world, rows[i].path, false, false, &messages);
            if (code != SDSIM_PROBE_INPUT || strstr(messages, rows[i].text) == NULL) {
                fail_msg("%s: %d\n%s", rows[i].what, (int)code, messages);
            }
            assert_int_equal(world->slave.guard.written + world->slave.guard.erased, 0);
            assert_true(sdsim_medium_equal(world->slot->medium, before));
            assert_false(sdsim_journal_exists(journal_path));
            free(messages);
            sdsim_medium_destroy(before);
            sdsim_card_world_free(world);
        }
    }
}

int main(void)
{
    snprintf(journal_path, sizeof journal_path, "/tmp/sdsim-scratch-%ld.journal", (long)getpid());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_in_the_file),
        cmocka_unit_test(test_kept_and_restored),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
