/*
 * Validating on the virtual card: a card is probed, its profile written, and scenarios of several kinds are
 * run on it. What the profile predicts at the same clock agrees with what was measured within 5 %; nothing
 * is written outside of the permission, and everything is as before afterwards.
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
#include "sanitized.h"
#include "tools/ftdi/probe_card.h"
#include "tools/ftdi/validate_card.h"

enum { SERIAL = 4711 };

/* What is written is long enough for several pauses: where the first falls nobody knows, so a prediction
 * may have one too many or too few. */
static const struct {
    const char *name;
    const char *workload;
    bool first_only; /* on the first card: merges of others take minutes on the bus */
} scenarios[] = {
    {"raw read, 4 KiB calls", "{on: raw, do: read, call: 4KiB, total: 2MiB, timed: calls}", false},
    {"raw read, single sectors", "{on: raw, do: read, call: 512B, total: 256KiB, timed: calls}",
     false},
    {"raw write, 4 KiB calls", "{on: raw, do: write, call: 4KiB, total: 8MiB, timed: calls}",
     false},
    {"raw write, 64 KiB calls", "{on: raw, do: write, call: 64KiB, total: 8MiB, timed: calls}",
     false},
    {"random write, 4 KiB calls",
     "{on: raw, do: random-write, call: 4KiB, total: 512KiB, span: 16MiB, timed: calls}", false},
    {"AUs in turn, 16 KiB calls",
     "{on: raw, do: write, call: 16KiB, total: 2MiB, streams: 8, region: 4MiB, timed: calls}",
     true},
    {"file write", "{do: write, call: 4KiB, total: 6MiB, timed: all}", false},
};

enum { SCENARIOS = sizeof scenarios / sizeof *scenarios };

static const struct {
    const char *card;
    const char *page;
    uint32_t draw;
} cards[] = {
    {"sdhc16g-c10", "16KiB", 1},
    {"card-3-usb", "16KiB", 0},
    {"sdsc2g", "4KiB", 0},
    {"sdxc64g-a2", "48KiB", 2},
};

static char folder[64];

static void path_of(const char *name, char path[128])
{
    snprintf(path, 128, "%s/%s", folder, name);
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* ---- probing ---- */

/* What may be written: from the second GiB on, or the first of a small card. */
static void permit(const struct sdsim_card_world *world, struct sdsim_write_wish *wish,
                   const char *journal)
{
    const uint64_t bytes = (uint64_t)sdsim_slot_sectors(world->slot) * SDSIM_SECTOR;
    const uint64_t from = bytes > UINT64_C(3) << 30 ? UINT64_C(1) << 30 : bytes / 4;
    *wish = (struct sdsim_write_wish){.wanted = true,
                                      .from = from,
                                      .to = from + (UINT64_C(160) << 20),
                                      .serial = "4711",
                                      .journal = journal};
}

static void probe(struct sdsim_card_world *world, const char *profile, const char *journal)
{
    struct sdsim_probe_wishes wishes = {.clock = sdsim_mpsse_clock_of(1),
                                        .plan = sdsim_usual_plan,
                                        .profile = profile,
                                        .time = SDSIM_PROBE_BOTH,
                                        .chip = "FT232H"};
    char *report;
    size_t size;
    if (SDSIM_SANITIZED) {
        wishes.plan.pause_bytes /= 4;
    }
    permit(world, &wishes.write, journal);
    FILE *out = open_memstream(&report, &size);
    assert_non_null(out);
    assert_int_equal(sdsim_probe_card(world->link, &wishes, out, stderr), SDSIM_PROBE_OK);
    assert_int_equal(fclose(out), 0);
    assert_non_null(strstr(report, "lone block"));
    free(report);
}

/* ---- validating ---- */

static void make_scenario(size_t index, const char *path)
{
    char text[600];
    snprintf(text, sizeof text,
             "kind: scenario\nname: %s\nboard: esp32s3-devkit-spi\nclock: 20MHz\n"
             "driver: generic-spi\ncard: sdhc16g-c10\nfilesystem: {type: fat32}\nworkload: %s\n",
             scenarios[index].name, scenarios[index].workload);
    write_text(path, text);
}

static void validate(struct sdsim_card_world *world, const char *card, size_t index,
                     const char *profile, const char *journal)
{
    char path[128];
    path_of("scenario.yaml", path);
    make_scenario(index, path);
    const struct sdsim_validate_source source = {
        .data_dir = ".", .scenario = path, .card = profile, .most_bytes = UINT64_C(16) << 20};
    struct sdsim_validate_plan plan;
    struct sdsim_validate_wishes wishes = {
        .plan = &plan, .tolerance = 0.05, .time = SDSIM_PROBE_BOTH};
    struct sdsim_validation validation;
    char *report;
    size_t size;
    assert_true(sdsim_validate_plan_load(&source, &plan));
    permit(world, &wishes.write, journal);
    FILE *out = open_memstream(&report, &size);
    assert_non_null(out);
    const enum sdsim_probe_exit code =
        sdsim_validate_card(world->link, &wishes, &validation, out, stderr);
    assert_int_equal(fclose(out), 0);
    if (getenv("SDSIM_TEST_TELL") != NULL) {
        puts(report);
    }
    if (code != SDSIM_PROBE_OK) {
        fail_msg("%s, %s: %d\n%s", card, scenarios[index].name, (int)code, report);
    }
    print_message("  %-26s measured %9.4f s, predicted %9.4f s, %+.2f %%\n", scenarios[index].name,
                  validation.measured, validation.predicted,
                  (validation.predicted / validation.measured - 1) * 100);
    assert_non_null(strstr(report, "measured at 15 MHz"));
    assert_non_null(strstr(report, "predicted at 20MHz"));
    assert_non_null(strstr(report, "not measured"));
    free(report);
    sdsim_validate_plan_free(&plan);
    assert_int_equal(remove(path), 0);
}

static void test_validate(void **state)
{
    (void)state;
    char profile[128];
    char journal[128];
    snprintf(folder, sizeof folder, "/tmp/sdsim-validate-%ld", (long)getpid());
    char command[100];
    snprintf(command, sizeof command, "mkdir -p %s", folder);
    assert_int_equal(system(command), 0);
    path_of("mine.yaml", profile);
    path_of("journal", journal);
    const size_t count = SDSIM_SANITIZED ? 1 : sizeof cards / sizeof *cards;
    for (size_t c = 0; c < count; c++) {
        char text[200];
        snprintf(text, sizeof text, "kind: card\nbase: %s\npage: %s\nserial: %d\n", cards[c].card,
                 cards[c].page, SERIAL);
        struct sdsim_card_world *world = sdsim_card_world_of_text(text, cards[c].draw);
        struct sdsim_medium *before = sdsim_medium_copy(world->slot->medium);
        print_message("%s, draw %" PRIu32 "\n", cards[c].card, cards[c].draw);
        probe(world, profile, journal);
        for (size_t s = 0; s < SCENARIOS; s++) {
            if (c == 0 || !scenarios[s].first_only) {
                validate(world, cards[c].card, s, profile, journal);
            }
        }
        assert_true(sdsim_medium_equal(world->slot->medium, before));
        sdsim_medium_destroy(before);
        sdsim_card_world_free(world);
        assert_int_equal(remove(profile), 0);
    }
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_validate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
