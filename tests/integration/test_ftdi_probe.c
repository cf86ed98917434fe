/*
 * sdsim-probe and sdsim-validate, as they were built, with a card on a virtual FT232H.
 *
 * Five cards of different kinds are probed, and the profiles written say what the cards did by their own
 * logs (ftdi/card_truth.h); predictions with them agree with what validate measures within 5 %, for reads,
 * sequential and random writes and AUs written in turn. The cards have small allocation units, so that a
 * whole probe takes a few thousand round trips. What goes wrong for a moment is repeated and changes
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
#include "ftdi/card_truth.h"
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

static const struct {
    const char *kind;
    const char *card;
} cards[] = {
    {"merges copy and erase",
     CARD "page: 8KiB\nrd1: 300us\nrdn: 2us\nrdpg: 700us\nw1: 900us\nwn: 2us\nwpg: 300us\n"
          "wstop: 700us\nopen_aus: 3\nmove_rate: 20MB/s\nau_erase: 900us\nrand: 1500us\n"
          "pause_every: 20kB\npause_length: 4ms\nerase: 600us\nn_cr: 2\n"},
    {"a log for small writes, one open AU, merges copy",
     CARD "page: 4KiB\nrd1: 120us\nrdn: 0us\nrdpg: 450us\nrdau: 80us\nw1: 350us\nwn: 4us\n"
          "wpg: 90us\nwstop: 500us\nopen_aus: 1\nmove_rate: 8MB/s\nrand: 2ms\nsmall: 2KiB\n"
          "w_small: 900us\npause_every: 24kB\npause_length: 9ms\nerase: 2ms\n"
          "erase_per_au: 700us\n"},
    {"eight open AUs, merges erase only",
     CARD "page: 12KiB\nrd1: 850us\nrdn: 20us\nw1: 3ms\nwn: 30us\nwpg: 1ms\nwstop: 2ms\n"
          "open_aus: 8\nau_erase: 3ms\npause_every: 16kB\npause_length: 6ms\nerase: 1ms\n"
          "n_cr: 4\n"},
    {"no limit of open AUs, two read latencies, long streams end dearer",
     CARD "page: 16KiB\nrd1: 60us\nrd_slow: 500us\nslow_share: 10%\nrdn: 5us\nw1: 200us\n"
          "wn: 1us\nwpg: 50us\nwstop: 150us\nwstop_large: 400us\nlarge_from: 8KiB\n"
          "pause_every: 30kB\npause_length: 2ms\nerase: 300us\n"},
    {"slow, merges of several times the longest busy",
     CARD "page: 8KiB\nrd1: 500us\nrdn: 10us\nrdpg: 1ms\nw1: 5ms\nwn: 100us\nwstop: 4ms\n"
          "open_aus: 5\nmove_rate: 4MB/s\nau_erase: 5ms\nbusy_limit: 9ms\nrand: 9ms\n"
          "pause_every: 20kB\npause_length: 6ms\nerase: 0us\nn_cr: 8\n"},
};

/* Where they may be written: 20 AUs, from within one on. */
enum { FROM = 20000, TO = 22656 };
static const char range[] = "20000sectors..22656sectors";

/* A shipped profile with AUs of 4 MiB, and 18 of them to be written. */
static const char ordinary_card[] =
    "kind: card\nbase: sdhc16g-c10\npage: 16KiB\nserial: 4711\nproduct: TESTC\n";
enum { ORDINARY_FROM = 2097152, ORDINARY_TO = ORDINARY_FROM + 18 * 8192 };
static const char ordinary_range[] = "2097152sectors..2244608sectors";

/* ---- running ---- */

static struct sdsim_bench *bench_with(const char *card, uint32_t from, uint32_t to)
{
    /* Any draw but 0: its pauses jitter. */
    struct sdsim_bench *bench =
        sdsim_bench_up(&(struct sdsim_bench_setup){.card = card, .draw = 1, .watch = true});
    sdsim_bench_fill(bench, from - 200, to - from + 400, 3);
    sdsim_bench_remember(bench);
    sdsim_card_slave_guard(&bench->card, from, to);
    remove(journal_path);
    return bench;
}

static struct sdsim_bench *bench_of(const char *card)
{
    return bench_with(card, FROM, TO);
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

static struct sdsim_bench_run probe_within(struct sdsim_bench *bench, const char *where,
                                           const char *pauses)
{
    const char *const arguments[] = {"probe", "--write",    "--range", where,       "--yes",
                                     "4711",  "--pauses",   pauses,    "--journal", journal_path,
                                     "--out", profile_path, NULL};
    return sdsim_bench_sdsim(bench, arguments);
}

static struct sdsim_bench_run probe(struct sdsim_bench *bench)
{
    return probe_within(bench, range, "256KiB");
}

/* Changes nothing. */
static struct sdsim_bench_run probe_reading(struct sdsim_bench *bench)
{
    return sdsim_bench_sdsim(bench, (const char *const[]){"probe", NULL});
}

static struct sdsim_bench_run validate_within(struct sdsim_bench *bench, const char *where)
{
    const char *const arguments[] = {
        "validate", "--card", profile_path, "--tolerance", "5%",         "--write",     "--range",
        where,      "--yes",  "4711",       "--journal",   journal_path, scenario_path, NULL};
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

static void judge(const char *kind, struct sdsim_bench *bench, const char *report)
{
    enum { MOST_AUS = 8 };
    struct sdsim_slot *slot = slot_of_profile();
    const struct sdsim_card_params *card = &bench->slot->params;
    const struct sdsim_card_truth truth =
        sdsim_card_truth(sdsim_card_log_look(bench->log), card, &slot->params);
    sdsim_judge_profile(kind, &truth, card, &slot->params, 15e6, MOST_AUS);
    char open_aus[64];
    snprintf(open_aus, sizeof open_aus,
             card->flash.open_aus > 0 ? "open AUs                     %" PRIu64 "\n"
                                      : "open AUs                     limit: none up to 8\n",
             card->flash.open_aus);
    if (strstr(report, open_aus) == NULL) {
        fail_msg("%s: the report does not say '%s'\n%s", kind, open_aus, report);
    }
    if (card->flash.rdau > 0 &&
        strstr(report, "AU borders                   every 64KiB") == NULL) {
        fail_msg("%s: the report does not say where AUs begin\n%s", kind, report);
    }
    sdsim_slot_destroy(slot);
}

/* ---- predictions ---- */

struct workload {
    const char *name;
    const char *workload;
};

/* Writes are long enough for several pauses: where the first falls nobody knows, so a prediction may have
 * one too many or too few. */
static const struct workload workloads[] = {
    {"reads", "{on: raw, do: read, call: 2KiB, total: 128KiB, timed: calls}"},
    {"random reads",
     "{on: raw, do: random-read, call: 4KiB, total: 128KiB, span: 1MiB, timed: calls}"},
    {"writes", "{on: raw, do: write, call: 4KiB, total: 256KiB, timed: calls}"},
    {"random writes",
     "{on: raw, do: random-write, call: 4KiB, total: 256KiB, span: 512KiB, timed: calls}"},
    {"AUs in turn",
     "{on: raw, do: write, call: 4KiB, total: 256KiB, streams: 10, region: 64KiB, timed: calls}"},
};

/* The same with AUs of 4 MiB. */
static const struct workload ordinary_workloads[] = {
    {"reads", "{on: raw, do: read, call: 16KiB, total: 2MiB, timed: calls}"},
    {"writes", "{on: raw, do: write, call: 64KiB, total: 12MiB, timed: calls}"},
    {"random writes",
     "{on: raw, do: random-write, call: 4KiB, total: 256KiB, span: 16MiB, timed: calls}"},
    {"AUs in turn",
     "{on: raw, do: write, call: 16KiB, total: 1MiB, streams: 8, region: 4MiB, timed: calls}"},
};

/* The error of the prediction, as the report says it behind the total. */
static double error_of(const char *report)
{
    const char *line = strstr(report, "\npredicted at 15 MHz");
    const char *end = line != NULL ? strchr(line + 1, '\n') : NULL;
    const char *at = end;
    while (at != NULL && at > line && *at != '+' && *at != '-') {
        at--;
    }
    if (at == NULL || at == line) {
        fail_msg("the report has no error of the prediction\n%s", report);
    }
    return strtod(at, NULL);
}

/* Returns the largest error, in percent. */
static double predict(const char *kind, struct sdsim_bench *bench, const char *where,
                      const struct workload *first, size_t count)
{
    double worst = 0;
    for (const struct workload *workload = first; workload < first + count; workload++) {
        write_scenario(workload->workload);
        struct sdsim_bench_run run = validate_within(bench, where);
        const double error = error_of(run.result.out);
        print_message("  %-24s predicted %+.1f %%\n", workload->name, error);
        if (fabs(error) > 5 || run.result.code != 0) {
            fail_msg("%s: %s: %d, %+.1f %%\n%s%s", kind, workload->name, run.result.code, error,
                     run.result.out, run.result.err);
        }
        assert_non_null(strstr(run.result.out, "measured at 15 MHz"));
        assert_non_null(strstr(run.result.out, "not measured"));
        sdsim_test_result_free(&run.result);
        check_card(bench, workload->name);
        worst = fmax(worst, fabs(error));
    }
    return worst;
}

static void tell(const char *kind, const struct sdsim_bench_run *run)
{
    print_message("%s: %.1f s, %" PRIu64 " round trips, %.2f s on the bus\n", kind, run->seconds,
                  run->usb.round_trips, (double)run->bus / 1e12);
}

static void test_cards(void **state)
{
    (void)state;
    double worst = 0;
    for (size_t i = 0; i < (SDSIM_SANITIZED ? 1 : COUNT(cards)); i++) {
        const char *kind = cards[i].kind;
        struct sdsim_bench *bench = bench_of(cards[i].card);
        struct sdsim_bench_run run = probe(bench);
        expect(&run, "probe", 0);
        tell(kind, &run);
        assert_non_null(strstr(run.result.out, "TESTC"));
        check_card(bench, "probe");
        judge(kind, bench, run.result.out);
        sdsim_test_result_free(&run.result);
        worst = fmax(worst, predict(kind, bench, range, workloads, COUNT(workloads)));
        sdsim_bench_down(bench);
    }
    print_message("the worst prediction: %.1f %%\n", worst);
}

/* Each block that is written takes a round trip, as the card must have answered before the next is sent,
 * and all of them are saved, put back and looked at: 130,000 round trips. */
static void test_ordinary_card(void **state)
{
    (void)state;
    if (getenv("SDSIM_TEST_LONG") == NULL) {
        print_message("SDSIM_TEST_LONG=1 probes a card with AUs of 4 MiB, which takes minutes\n");
        skip();
    }
    struct sdsim_bench *bench = bench_with(ordinary_card, ORDINARY_FROM, ORDINARY_TO);
    struct sdsim_bench_run run = probe_within(bench, ordinary_range, "16MiB");
    expect(&run, "probe", 0);
    tell("sdhc16g-c10", &run);
    check_card(bench, "probe");
    judge("sdhc16g-c10", bench, run.result.out);
    sdsim_test_result_free(&run.result);
    const double worst = predict("sdhc16g-c10", bench, ordinary_range, ordinary_workloads,
                                 COUNT(ordinary_workloads));
    print_message("the worst prediction: %.1f %%\n", worst);
    sdsim_bench_down(bench);
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
        struct sdsim_bench *bench = bench_of(cards[0].card);
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
    {"a broken transfer", {.kind = SDSIM_USB_BROKEN, .skip = 600, .times = 1}},
};

static void test_rare_faults(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rare); i++) {
        struct sdsim_bench *bench = bench_of(cards[1].card);
        sdsim_bench_fault(bench, rare[i].fault);
        if (i == 0) {
            bench->card.errors =
                (struct sdsim_bit_errors){.skip = 20011, .period = 49999, .left = UINT64_MAX};
        }
        const bool reads_only = SDSIM_SANITIZED && i > 1; /* they take a fifth of the time */
        struct sdsim_bench_run run = reads_only ? probe_reading(bench) : probe(bench);
        expect(&run, rare[i].what, 0);
        if (i != 1 && strstr(run.result.out, "repeated           nothing") != NULL) {
            fail_msg("%s: nothing was repeated\n%s", rare[i].what, run.result.out);
        }
        sdsim_test_result_free(&run.result);
        check_card(bench, rare[i].what);
        sdsim_bench_down(bench);
    }
}

/* What a run would take with a real chip: clocks on the bus, and a millisecond for each round trip. The
 * time it takes here is that of a machine with other things to do; only a wait far too long shows in it. */
static double real_seconds(const struct sdsim_bench_run *run)
{
    return (double)run->bus / 1e12 + 1e-3 * (double)run->usb.round_trips;
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
        struct sdsim_bench *bench = bench_of(cards[1].card);
        assert_int_equal(sdsim_slot_inject(bench->slot, faults[i].inject, faults[i].skip,
                                           faults[i].times, faults[i].detail),
                         SDSIM_OK);
        struct sdsim_bench_run run = probe(bench);
        expect(&run, faults[i].what, 3);
        print_message("%s: %.1f s, %.1f s on a real chip\n%s", faults[i].what, run.seconds,
                      real_seconds(&run), run.result.err);
        if (real_seconds(&run) > 10 || run.seconds > 60) {
            fail_msg("%s: %.1f s, %.1f s here", faults[i].what, real_seconds(&run), run.seconds);
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
    struct sdsim_bench *bench = bench_of(cards[0].card);
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

/* The name of a test, perhaps with '*', runs that one only. */
int main(int argc, char **argv)
{
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    if (!sdsim_test_has_program()) {
        puts("there is no program to run");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refusals),       cmocka_unit_test(test_round_trips),
        cmocka_unit_test(test_cards),          cmocka_unit_test(test_rare_faults),
        cmocka_unit_test(test_lasting_faults), cmocka_unit_test(test_ordinary_card),
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
