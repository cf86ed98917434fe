/*
 * sdsim-probe and sdsim-validate, as they were built, with a card on a virtual FT232H.
 *
 * Five cards are probed, and the profiles written say what the cards are, within 3 % or two byte times;
 * predictions with them agree with what validate measures. The cards have small allocation units, so that
 * a whole probe takes a few thousand round trips. What goes wrong for a moment is repeated and changes
 * nothing; what lasts ends with a message. The card's data is the same afterwards, always.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ftdi/bench.h"
#include "sanitized.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static char folder[64];
static char profile_path[96];
static char journal_path[96];
static char scenario_path[96];

/* ---- the cards ---- */

#define CARD                                                                                       \
    "kind: card\ntype: sdsc\ncapacity: 64MiB\nau: 64KiB\nserial: 4711\nproduct: TESTC\n"           \
    "init_time: 5ms\n"

static const char *const cards[] = {
    CARD "page: 8KiB\nrd1: 300us\nrdn: 2us\nrdpg: 700us\nw1: 900us\nwn: 2us\nwpg: 300us\n"
         "wstop: 700us\nopen_aus: 3\nmove_rate: 20MB/s\nau_erase: 200us\nrand: 1500us\n"
         "pause_every: 20kB\npause_length: 4ms\nerase: 600us\nn_cr: 2\n",
    CARD
    "page: 4KiB\nrd1: 120us\nrdn: 0us\nrdpg: 450us\nrdau: 80us\nw1: 350us\nwn: 4us\nwpg: 90us\n"
    "wstop: 500us\nopen_aus: 1\nmove_rate: 8MB/s\nrand: 2ms\nsmall: 2KiB\nw_small: 900us\n"
    "pause_every: 24kB\npause_length: 9ms\nerase: 2ms\nerase_per_au: 700us\n",
    CARD "page: 12KiB\nrd1: 850us\nrdn: 20us\nw1: 3ms\nwn: 30us\nwpg: 1ms\nwstop: 2ms\n"
         "open_aus: 8\nmove_rate: 40MB/s\npause_every: 16kB\npause_length: 12ms\nerase: 1ms\n"
         "n_cr: 4\n",
    CARD "page: 16KiB\nrd1: 60us\nrd_slow: 500us\nslow_share: 10%\nrdn: 5us\nw1: 200us\nwn: 1us\n"
         "wpg: 50us\nwstop: 150us\nwstop_large: 400us\nlarge_from: 8KiB\npause_every: 30kB\n"
         "pause_length: 2ms\nerase: 300us\n",
    CARD
    "page: 8KiB\nrd1: 500us\nrdn: 10us\nrdpg: 1ms\nw1: 5ms\nwn: 100us\nwstop: 4ms\nopen_aus: 5\n"
    "move_rate: 4MB/s\nrand: 9ms\npause_every: 20kB\npause_length: 30ms\nerase: 0us\nn_cr: 8\n",
};

/* Where they may be written: 20 AUs, from within one on. */
enum { FROM = 20000, TO = 22656 };
static const char range[] = "20000sectors..22656sectors";

/* ---- running ---- */

static struct sdsim_bench *bench_of(const char *card)
{
    struct sdsim_bench *bench = sdsim_bench_up(&(struct sdsim_bench_setup){.card = card});
    sdsim_bench_fill(bench, FROM - 200, TO - FROM + 400, 3);
    sdsim_bench_remember(bench);
    sdsim_card_slave_guard(&bench->card, FROM, TO);
    remove(journal_path);
    return bench;
}

static void check_card(const struct sdsim_bench *bench, const char *what)
{
    uint32_t sector;
    if (bench->card.guard.outside > 0) {
        fail_msg("%s: sector %" PRIu32 " was written, outside of what was permitted", what,
                 bench->card.guard.first);
    }
    if (!sdsim_bench_unchanged(bench, &sector)) {
        fail_msg("%s: sector %" PRIu32 " is not what it was", what, sector);
    }
}

static struct sdsim_bench_run probe(struct sdsim_bench *bench)
{
    const char *const arguments[] = {"probe", "--write",    "--range", range,       "--yes",
                                     "4711",  "--pauses",   "256KiB",  "--journal", journal_path,
                                     "--out", profile_path, NULL};
    return sdsim_bench_sdsim(bench, arguments);
}

static struct sdsim_bench_run validate(struct sdsim_bench *bench)
{
    const char *const arguments[] = {
        "validate", "--card", profile_path, "--tolerance", "5%",         "--write",     "--range",
        range,      "--yes",  "4711",       "--journal",   journal_path, scenario_path, NULL};
    return sdsim_bench_sdsim(bench, arguments);
}

static void expect(const struct sdsim_bench_run *run, const char *what, int code)
{
    if (run->result.code != code) {
        fail_msg("%s: %d after %.1f s, not %d\n%s%s", what, run->result.code, run->seconds, code,
                 run->result.out, run->result.err);
    }
}

static void write_scenario(const char *workload)
{
    FILE *file = fopen(scenario_path, "w");
    assert_non_null(file);
    fprintf(file,
            "kind: scenario\nname: test\nboard: esp32s3-devkit-spi\nclock: 20MHz\n"
            "driver: generic-spi\ncard: sdsc64-slc\nworkload: %s\n",
            workload);
    assert_int_equal(fclose(file), 0);
}

/* ---- what a profile says ---- */

/* The parameters a profile stands for. */
static struct sdsim_slot *slot_of_profile(void)
{
    struct sdsim_slot *slot = sdsim_slot_create();
    assert_non_null(slot);
    assert_int_equal(sdsim_slot_set_data_dir(slot, "."), SDSIM_OK);
    if (sdsim_slot_insert(slot, profile_path, 1, 0) != SDSIM_OK) {
        fail_msg("%s", sdsim_slot_error(slot));
    }
    return slot;
}

static void judge(size_t card, const char *what, sdsim_ps is, sdsim_ps found)
{
    const double slack = fmax((double)is * 0.03, 1.067e6);
    if (fabs((double)found - (double)is) > slack) {
        fail_msg("card %zu: %s is %.3f us, found %.3f us", card, what, (double)is / 1e6,
                 (double)found / 1e6);
    }
}

static void judge_profile(size_t card, const struct sdsim_bench *bench)
{
    struct sdsim_slot *slot = slot_of_profile();
    const struct sdsim_card_params *is = &bench->slot->params;
    const struct sdsim_card_params *found = &slot->params;
    assert_int_equal(found->n_cr, is->n_cr);
    assert_int_equal(found->au_bytes, is->au_bytes);
    assert_int_equal(found->flash.open_aus, is->flash.open_aus);
    assert_int_equal(found->flash.page_bytes, is->flash.wpg + is->flash.rdpg > 0
                                                  ? is->flash.page_bytes
                                                  : found->flash.page_bytes);
    judge(card, "first access", is->flash.rd1, found->flash.rd1);
    judge(card, "next block", is->flash.rdn, found->flash.rdn);
    if (is->flash.rdpg > 0) { /* all of these last longer than a block on the bus */
        judge(card, "page step", is->flash.rdpg, found->flash.rdpg);
    }
    judge(card, "AU step", is->flash.rdau, found->flash.rdau);
    judge(card, "lone write", is->flash.w1, found->flash.w1);
    judge(card, "block of a stream", is->flash.wn, found->flash.wn);
    judge(card, "end of a stream", is->flash.wstop, found->flash.wstop);
    judge(card, "end of a long one", is->flash.wstop_large, found->flash.wstop_large);
    judge(card, "pause", is->flash.pause_length, found->flash.pause_length);
    judge(card, "erase", is->flash.erase, found->flash.erase);
    judge(card, "erase of an AU more", is->flash.erase_per_au, found->flash.erase_per_au);
    sdsim_slot_destroy(slot);
}

static void test_cards(void **state)
{
    (void)state;
    static const char *const workloads[] = {
        "{on: raw, do: write, call: 4KiB, total: 128KiB, timed: calls}",
        "{on: raw, do: read, call: 2KiB, total: 256KiB, timed: calls}",
    };
    for (size_t i = 0; i < (SDSIM_SANITIZED ? 2 : COUNT(cards)); i++) {
        struct sdsim_bench *bench = bench_of(cards[i]);
        struct sdsim_bench_run run = probe(bench);
        expect(&run, "probe", 0);
        print_message("card %zu: %.1f s, %" PRIu64 " round trips, %.2f s on the bus\n", i,
                      run.seconds, run.usb.round_trips, (double)run.bus / 1e12);
        assert_non_null(strstr(run.result.out, "TESTC"));
        sdsim_test_result_free(&run.result);
        check_card(bench, "probe");
        judge_profile(i, bench);
        for (size_t w = 0; w < COUNT(workloads); w++) {
            write_scenario(workloads[w]);
            run = validate(bench);
            expect(&run, "validate", 0);
            assert_non_null(strstr(run.result.out, "measured at 15 MHz"));
            assert_non_null(strstr(run.result.out, "not measured"));
            sdsim_test_result_free(&run.result);
            check_card(bench, "validate");
        }
        sdsim_bench_down(bench);
    }
}

/* ---- what is written, and what not ---- */

static const struct {
    const char *what;
    const char *arguments[10];
    int code;
    const char *err;
} refusals[] = {
    {"no place", {"probe", "--write"}, 2, "--write needs to know where"},
    {"no permission", {"probe", "--write", "--range", "1MiB..9MiB"}, 2, "--yes 0x00001267"},
    {"another card",
     {"probe", "--write", "--range", "1MiB..9MiB", "--yes", "4712"},
     2,
     "is not the serial number of this card"},
    {"beyond the end",
     {"probe", "--write", "--range", "60MiB..90MiB", "--yes", "4711"},
     2,
     "not on the card"},
    {"nothing to put back", {"probe", "--restore"}, 2, "nothing is left to be put back"},
    {"too small",
     {"probe", "--write", "--range", "1MiB..1100KiB", "--yes", "4711", "--journal", journal_path},
     3,
     "measuring writes takes at least"},
};

static void test_refusals(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(refusals); i++) {
        struct sdsim_bench *bench = bench_of(cards[0]);
        sdsim_card_slave_guard(&bench->card, 0, 0);
        struct sdsim_bench_run run = sdsim_bench_sdsim(bench, refusals[i].arguments);
        expect(&run, refusals[i].what, refusals[i].code);
        if (strstr(run.result.err, refusals[i].err) == NULL) {
            fail_msg("%s: %s", refusals[i].what, run.result.err);
        }
        sdsim_test_result_free(&run.result);
        check_card(bench, refusals[i].what);
        sdsim_bench_down(bench);
    }
}

/* ---- what goes wrong ---- */

static const struct {
    const char *what;
    struct sdsim_usb_fault fault;
} rare[] = {
    {"bit errors", {.kind = SDSIM_USB_FINE, .skip = 0, .times = 0}},
    {"short packets", {.kind = SDSIM_USB_SHORT, .skip = 100, .times = 20}},
    {"a stall", {.kind = SDSIM_USB_STALL, .skip = 400, .times = 1}},
    {"a lost byte", {.kind = SDSIM_USB_LOSE, .skip = 500, .times = 1}},
    {"a broken transfer", {.kind = SDSIM_USB_BROKEN, .skip = 900, .times = 1}},
};

static void test_rare_faults(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rare); i++) {
        struct sdsim_bench *bench = bench_of(cards[1]);
        sdsim_bench_fault(bench, rare[i].fault);
        if (i == 0) {
            bench->card.errors =
                (struct sdsim_bit_errors){.skip = 20011, .period = 49999, .left = UINT64_MAX};
        }
        struct sdsim_bench_run run = probe(bench);
        expect(&run, rare[i].what, 0);
        if (i != 1 && strstr(run.result.out, "repeated           nothing") != NULL) {
            fail_msg("%s: nothing was repeated\n%s", rare[i].what, run.result.out);
        }
        sdsim_test_result_free(&run.result);
        check_card(bench, rare[i].what);
        sdsim_bench_down(bench);
    }
}

static void test_lasting_faults(void **state)
{
    (void)state;
    static const struct {
        const char *what;
        uint32_t inject;
        uint32_t skip;
        uint32_t times;
        uint32_t detail;
    } faults[] = {
        {"card pulled out", SDSIM_INJECT_REMOVED, 150, 1, SDSIM_ANY_COMMAND},
        {"stuck busy", SDSIM_INJECT_STUCK_BUSY, 40, 1, 0},
        {"no data", SDSIM_INJECT_READ_ERROR, 100, SDSIM_FOREVER, 0},
        {"blocks not taken", SDSIM_INJECT_WRITE_ERROR, 20, SDSIM_FOREVER, 0},
    };
    for (size_t i = 0; i < COUNT(faults); i++) {
        struct sdsim_bench *bench = bench_of(cards[1]);
        assert_int_equal(sdsim_slot_inject(bench->slot, faults[i].inject, faults[i].skip,
                                           faults[i].times, faults[i].detail),
                         SDSIM_OK);
        struct sdsim_bench_run run = probe(bench);
        expect(&run, faults[i].what, 3);
        print_message("%s: %.1f s\n%s", faults[i].what, run.seconds, run.result.err);
        if (run.seconds > 10 && !SDSIM_SANITIZED) {
            fail_msg("%s: %.1f s", faults[i].what, run.seconds);
        }
        sdsim_test_result_free(&run.result);
        for (uint32_t kind = 0; kind <= SDSIM_INJECT_REMOVED; kind++) {
            (void)sdsim_slot_inject(bench->slot, kind, 0, 0, 0);
        }
        sdsim_bench_power_cycle(bench);
        if (access(journal_path, F_OK) == 0) {
            const char *const restore[] = {"probe", "--restore", "--journal", journal_path, NULL};
            run = sdsim_bench_sdsim(bench, restore);
            expect(&run, "restore", 0);
            sdsim_test_result_free(&run.result);
        }
        check_card(bench, faults[i].what);
        sdsim_bench_down(bench);
    }
}

/* ---- round trips, as the device sees them ---- */

static uint64_t trips(struct sdsim_bench *bench, const char *workload)
{
    const char *const arguments[] = {"validate", "--tolerance", "1000%", scenario_path, NULL};
    write_scenario(workload);
    struct sdsim_bench_run run = sdsim_bench_sdsim(bench, arguments);
    expect(&run, "validate", 0);
    sdsim_test_result_free(&run.result);
    return run.usb.round_trips;
}

static void test_round_trips(void **state)
{
    (void)state;
    struct sdsim_bench *bench = bench_of(cards[0]);
    const uint64_t one =
        trips(bench, "{on: raw, do: read, call: 128KiB, total: 1MiB, timed: calls}");
    const uint64_t two =
        trips(bench, "{on: raw, do: read, call: 128KiB, total: 2MiB, timed: calls}");
    print_message("1 MiB in calls of 128 KiB: %" PRIu64 " round trips\n", two - one);
    assert_true(two - one <= 40);
    const uint64_t few =
        trips(bench, "{on: raw, do: read, call: 4KiB, total: 512KiB, timed: calls}");
    const uint64_t more =
        trips(bench, "{on: raw, do: read, call: 4KiB, total: 1MiB, timed: calls}");
    print_message("128 calls of 8 sectors: %" PRIu64 " round trips\n", more - few);
    assert_true(more - few <= 3 * 128);
    sdsim_bench_down(bench);
}

int main(void)
{
    if (!sdsim_test_has_program()) {
        puts("there is no program to run");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refusals),       cmocka_unit_test(test_round_trips),
        cmocka_unit_test(test_cards),          cmocka_unit_test(test_rare_faults),
        cmocka_unit_test(test_lasting_faults),
    };
    snprintf(folder, sizeof folder, "%s/sdsim-ftdi-%ld",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", (long)getpid());
    char command[200];
    snprintf(command, sizeof command, "mkdir -p %s && chmod 777 %s", folder, folder);
    if (system(command) != 0) {
        return 1;
    }
    snprintf(profile_path, sizeof profile_path, "%s/mine.yaml", folder);
    snprintf(journal_path, sizeof journal_path, "%s/journal", folder);
    snprintf(scenario_path, sizeof scenario_path, "%s/scenario.yaml", folder);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command) != 0 ? 1 : failed;
}
