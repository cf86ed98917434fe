/*
 * sdsim probe --check, as it was built, on the virtual chip: all questions are answered, in words, as JSON
 * and in a host profile. The chip is paced, so that the host's times are never shorter than what is
 * clocked: an upper bound for a gap is one there, whatever else the machine does. Without that the host's
 * clock says nothing, and the check says so. And --time shows what it says it does.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ftdi/bench.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char card[] = "kind: card\ntype: sdsc\ncapacity: 64MiB\nau: 64KiB\npage: 8KiB\n"
                           "serial: 4711\nproduct: TESTC\ninit_time: 5ms\nrd1: 300us\nrdn: 2us\n"
                           "rdpg: 700us\nw1: 900us\nwstop: 700us\n";

static char profile_path[96];

static void expect(const struct sdsim_bench_run *run, int code, const char *const *there)
{
    if (run->result.code != code) {
        fail_msg("%d, not %d\n%s%s", run->result.code, code, run->result.out, run->result.err);
    }
    for (size_t i = 0; there[i] != NULL; i++) {
        if (strstr(run->result.out, there[i]) == NULL &&
            strstr(run->result.err, there[i]) == NULL) {
            fail_msg("no '%s' in\n%s%s", there[i], run->result.out, run->result.err);
        }
    }
}

/* The next number behind a key. */
static double number_behind(const char **at, const char *key)
{
    *at = strstr(*at, key);
    assert_non_null(*at);
    *at += strlen(key);
    return strtod(*at, NULL);
}

static void test_all(void **state)
{
    (void)state;
    const double gap = 1000; /* ns */
    struct sdsim_bench *bench =
        sdsim_bench_up(&(struct sdsim_bench_setup){.card = card, .chip = {.paced = true}});
    bench->engine.habits = (struct sdsim_habits){
        .byte_gap = (sdsim_ps)(gap * 1e3), .miso_delay = 20 * SDSIM_NS, .stops_in_byte = true};
    sdsim_card_slave_guard(&bench->card, 0, 0);
    const char *const arguments[] = {"probe",      "--check",    "all", "--json",
                                     "--host-out", profile_path, NULL};
    struct sdsim_bench_run run = sdsim_bench_sdsim(bench, arguments);
    static const char *const there[] = {
        "\"check\": \"gaps\"",        "\"check\": \"edges\"", "\"mosi_rest\": \"keeps\"",
        "\"check\": \"poll\"",        "\"at_once\": {",       "\"best_rising\": 15000000",
        "\"best_falling\": 30000000", "\"in_byte\": true",    NULL};
    expect(&run, 0, there);
    const char *at = run.result.out;
    for (unsigned i = 0; i < 2 * 3; i++) { /* clocks, kinds of runs */
        const double most = number_behind(&at, "\"at_most_ns\": ");
        assert_true(most >= gap - 1);
    }
    print_message("%.1f s\n", run.seconds);
    sdsim_test_result_free(&run.result);
    assert_int_equal(bench->card.guard.written + bench->card.guard.erased, 0);
    const char *const check[] = {"check", profile_path, NULL};
    struct sdsim_test_result result = sdsim_test_run(check, NULL);
    if (result.code != 0) {
        fail_msg("%s%s", result.out, result.err);
    }
    sdsim_test_result_free(&result);
    assert_int_equal(remove(profile_path), 0);
    sdsim_bench_down(bench);
}

static const struct {
    const char *arguments[10];
    int code;
    const char *there[5];
} rows[] = {
    {{"probe", "--check", "gaps"},
     0,
     {"gaps    how long", "answer  Not known: by the host's clock"}},
    {{"probe", "--check", "edges"},
     0,
     {"8 of 8", "the falling edge (0x11)", "keeps its last level"}},
    {{"probe", "--check", "stop"}, 0, {"border of a byte. SCK is low"}},
    {{"probe", "--check", "wait"}, 2, {"--check takes gaps, edges, poll, margin, stop or all"}},
    {{"probe", "--host-out", "x.yaml"}, 2, {"add --check all"}},
    {{"probe", "--check", "all", "--out", "x.yaml"}, 2, {"--check is about the chip"}},
    {{"probe", "--time", "bus"}, 0, {"bus time", "gap-free"}},
    {{"probe", "--time", "host"}, 0, {"host time", "CMD18, 16 blocks"}},
    {{"probe", "--json", "--time", "bus"}, 0, {"\"counted\": {", "\"at_most\"", "\"gap_free\""}},
    {{"probe", "--json", "--identify"}, 0, {"\"product\": \"TESTC\"", "\"serial\": 4711"}},
};

static void test_rows(void **state)
{
    (void)state;
    struct sdsim_bench *bench = sdsim_bench_up(&(struct sdsim_bench_setup){.card = card});
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sdsim_bench_run run = sdsim_bench_sdsim(bench, rows[i].arguments);
        expect(&run, rows[i].code, rows[i].there);
        const bool host_only =
            rows[i].arguments[2] != NULL && strcmp(rows[i].arguments[2], "host") == 0;
        assert_true(!host_only || strstr(run.result.out, "gap-free") == NULL);
        sdsim_test_result_free(&run.result);
        assert_int_equal(access("x.yaml", F_OK), -1);
    }
    sdsim_bench_down(bench);
}

int main(void)
{
    if (!sdsim_test_has_program()) {
        puts("there is no program to run");
        return 77;
    }
    snprintf(profile_path, sizeof profile_path, "/tmp/sdsim-host-%ld.yaml", (long)getpid());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
