/*
 * The command line as a user meets it: what is printed, exit codes, help. Where it goes and how it
 * looks there is in test_cli_output.c.
 *
 * Everything printed is compared with tests/golden, over the profiles in tests/golden/data, which
 * change only when a test is to change; what must hold for any scenario is checked over the real
 * ones in scenarios/.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden.h"
#include "program.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- what is printed ---- */

static void test_golden(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        int code;
        const char *const arguments[8];
    } rows[] = {
        {"help.txt", 0, {"help"}},
        {"help-run.txt", 0, {"run", "--help"}},
        {"help-compare.txt", 0, {"help", "compare"}},
        {"help-check.txt", 0, {"check", "-h"}},
        {"help-list.txt", 0, {"list", "--help"}},
        {"help-describe.txt", 0, {"describe", "--help"}},
        {"help-calibrate.txt", 0, {"calibrate", "--help"}},
        {"help-accuracy.txt", 0, {"accuracy", "--help"}},
        {"help-manual.txt", 0, {"manual", "--help"}},
        {"help-sweep.txt", 0, {"sweep", "--help"}},
        {"help-view.txt", 0, {"view", "--help"}},
        {"help-probe.txt", 0, {"probe", "--help"}},
        {"help-validate.txt", 0, {"help", "validate"}},
        {"help-buffer.txt", 0, {"buffer", "--help"}},
        {"help-completion.txt", 0, {"completion", "--help"}},
        {"help-explain.txt", 0, {"explain", "--help"}},
        {"explain-several.txt", 0, {"explain", "bench"}},
        {"explain-read.txt", 0, {"explain", "bench", "read"}},
        {"explain-draws.txt", 0, {"explain", "single", "--draws", "16"}},
        {"explain.json", 0, {"explain", "single", "--json"}},
        {"explain.csv", 0, {"explain", "bench", "write", "--csv"}},
        {"run-several.txt", 0, {"run", "bench"}},
        {"run-write.txt", 0, {"run", "bench", "write"}},
        {"run-read.txt", 0, {"run", "bench", "read"}},
        {"run-two.txt", 0, {"run", "bench", "raw", "log"}},
        {"run-places.txt", 0, {"run", "places"}},
        {"run-places-two.txt", 0, {"run", "places", "open-aus-shuffled", "passes"}},
        {"run-single.txt", 0, {"run", "single", "--draws", "0"}},
        {"run.json", 0, {"run", "single", "--json"}},
        {"run.csv", 0, {"run", "bench", "--csv"}},
        {"check.json", 1, {"check", "single", "--set", "workload.sync_every=1", "--json"}},
        {"check-clean.json", 0, {"check", "single", "--json"}},
        {"check-error.json", 2, {"check", "tests/broken/unknown-key.yaml", "--json"}},
        {"compare.txt", 1, {"compare", "tests/golden/data"}},
        {"compare.json", 1, {"compare", "tests/golden/data", "--json"}},
        {"compare.csv", 1, {"compare", "tests/golden/data", "--csv"}},
        {"list.txt", 0, {"list"}},
        {"list-card.txt", 0, {"list", "card"}},
        {"list.json", 0, {"list", "card", "--json"}},
        {"list.csv", 0, {"list", "--csv"}},
        {"describe-card-plain.txt", 0, {"describe", "card", "plain"}},
        {"describe-host-chip.txt", 0, {"describe", "host", "chip"}},
        {"describe-scenario-bench.txt", 0, {"describe", "scenario", "bench"}},
        {"describe-card-plain.json", 0, {"describe", "card", "plain", "--json"}},
        {"describe-card-set.txt",
         0,
         {"describe", "card", "plain", "--set", "rd1=300us", "--set", "wstop.value=600us"}},
        {"describe-card-set.json",
         0,
         {"describe", "card", "quick", "--set", "rd1=300us", "--json"}},
        {"describe-scenario-set.txt",
         0,
         {"describe", "scenario", "bench", "--set", "workload.call=16KiB", "--set",
          "card.rd1=300us"}},
        {"list-set.txt", 0, {"list", "--set", "bus=spi", "--set", "driver=spi"}},
        {"list-card-set.txt", 0, {"list", "card", "--set", "capacity=8GB"}},
    };
    bool same = true;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char path[128];
        struct sdsim_test_result result = sdsim_test_run_quiet(rows[i].arguments);
        snprintf(path, sizeof path, "tests/golden/%s", rows[i].file);
        same = sdsim_test_golden(path, result.out) && same;
        const bool warns = strcmp(rows[i].arguments[0], "run") == 0 ||
                           strcmp(rows[i].arguments[0], "explain") == 0; /* of small calls */
        if (result.code != rows[i].code ||
            (warns ? strstr(result.err, "error: ") != NULL : result.err[0] != '\0')) {
            fail_msg("%s: exit code %d, messages:\n%s", sdsim_test_command(rows[i].arguments),
                     result.code, result.err);
        }
        sdsim_test_result_free(&result);
    }
    assert_true(same);
}

/* Nothing that is made for a terminal is wider than one. */
static void test_80_columns(void **state)
{
    (void)state;
    static const char *const rows[][12] = {
        {"help"},
        {"run", "bench", "write", "--draws", "0", "--set", "workload.do=stream", "--set",
         "workload.rate=1kB/s", "--set", "workload.duration=30h"},
        {"buffer", "bench", "write", "--rate", "1kB/s", "--seeds", "300", "--hours", "0.01"},
        {"buffer", "bench", "write", "--rate", "100kB/s", "--seeds", "2", "--hours", "0.5"},
        {"sweep", "bench", "--vary", "card.rd1=nan,1us", "--draws", "0"},
        {"sweep", "bench", "write", "--vary", "workload.call=512B..64KiB*2", "--draws", "0"},
        {"explain", "bench", "--all"},
        {"run", "--help"},
        {"compare", "--help"},
        {"check", "--help"},
        {"list", "--help"},
        {"describe", "--help"},
        {"calibrate", "--help"},
        {"accuracy", "--help"},
        {"view", "--help"},
        {"probe", "--help"},
        {"validate", "--help"},
        {"manual", "--help"},
        {"sweep", "--help"},
        {"diff", "--help"},
        {"report", "--help"},
        {"init", "--help"},
        {"completion", "--help"},
        {"export", "--help"},
        {"list"},
        {"describe", "scenario"},
        {"describe", "card"},
        {"describe", "host"},
        {"run", "bench", "--all"},
        {"compare", "tests/golden/data"},
        {"describe", "card", "plain"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sdsim_test_result result = sdsim_test_run_quiet(rows[i]);
        for (char *line = strtok(result.out, "\n"); line != NULL; line = strtok(NULL, "\n")) {
            if (strlen(line) > 80) {
                fail_msg("%s: %zu columns: %s", sdsim_test_command(rows[i]), strlen(line), line);
            }
        }
        sdsim_test_result_free(&result);
    }
}

static void test_version(void **state)
{
    (void)state;
    static const char *const arguments[] = {"--version", NULL};
    struct sdsim_test_result result = sdsim_test_run_quiet(arguments);
    unsigned major = 0;
    unsigned minor = 0;
    assert_int_equal(result.code, 0);
    assert_int_equal(sscanf(result.out, "sdsim %u.%u", &major, &minor), 2);
    assert_string_equal(result.err, "");
    sdsim_test_result_free(&result);
}

/* ---- what is refused ---- */

/* Bad usage: exit code 2, nothing on standard output, and a message that says what to do. */
static void test_bad_usage(void **state)
{
    (void)state;
    static const struct {
        const char *message;
        const char *const arguments[6];
    } rows[] = {
        {"usage: sdsim COMMAND", {NULL}},
        {"error: unknown command 'compar'\nhelp: did you mean 'compare'?\n", {"compar"}},
        {"error: unknown command 'xyzzy'\nhelp: 'sdsim help' lists the commands\n", {"xyzzy"}},
        {"error: unknown command '../sdsim'\n", {"../sdsim"}},
        {"error: unknown command ''\n", {""}},
        {"error: unknown option '--verison'\n", {"--verison"}},
        {"error: unknown command 'nothing'\n", {"help", "nothing"}},
        {"error: missing arguments\nhelp: usage: sdsim run [OPTION...] SCENARIO [RUN...]\n",
         {"run"}},
        {"error: missing arguments\n", {"compare", "--json"}},
        {"error: missing arguments\n", {"check"}},
        {"error: too many arguments\n", {"list", "card", "host"}},
        {"error: run has no option '--jsn'\nhelp: did you mean '--json'?\n",
         {"run", "--jsn", "bench"}},
        {"error: check has no option '--csv'\nhelp: 'sdsim check --help' lists the options\n",
         {"check", "bench", "--csv"}},
        {"error: list has no option '-x'\n", {"list", "-x"}},
        {"error: '--draws' needs a value\n", {"run", "bench", "--draws"}},
        {"error: '-o' needs a value\n", {"run", "bench", "-o"}},
        {"error: '--json' takes no value\n", {"run", "bench", "--json=yes"}},
        {"error: --draws takes a whole number up to 100000, not '-1'\n",
         {"run", "bench", "--draws", "-1"}},
        {"error: --draws takes a whole number up to 100000, not '100001'\n",
         {"run", "bench", "--draws", "100001"}},
        {"error: --draws takes a whole number up to 100000, not ''\n",
         {"run", "bench", "--draws", ""}},
        {"error: --seed takes a whole number", {"run", "bench", "--seed", "99999999999999999999"}},
        {"error: --color takes auto, always or never, not 'blue'\n",
         {"run", "bench", "--color", "blue"}},
        {"error: --json and --csv exclude each other\n", {"list", "--json", "--csv"}},
        {"error: there is no scenario 'bensh'\nhelp: did you mean 'bench'? 'sdsim list scenario' "
         "shows all\n",
         {"run", "bensh"}},
        {"error: there is no scenario 'x'\nhelp: known are: bench, places, single\n",
         {"compare", "x"}},
        {"error: there is no file './nothing'\n", {"check", "./nothing"}},
        {"error: there is no file 'nothing.yaml'\n", {"run", "nothing.yaml"}},
        {"bench.yaml: error: there is no run 'wite'\nhelp: did you mean 'write'?\n",
         {"run", "bench", "wite"}},
        {"bench.yaml: error: there is no run 'x'\nhelp: its runs are: write, read, raw, log\n",
         {"run", "bench", "x", "write"}},
        {"--set:1:1: error: unknown key 'crd'", {"run", "bench", "--set", "crd=plain"}},
        {"error: expected a time with a unit", {"run", "bench", "--set", "card.rd1=5"}},
        {"error: there is no card 'x'", {"run", "single", "--set", "card=x"}},
        {"error: there are no files of kind 'cards'\nhelp: did you mean 'card'?\n",
         {"list", "cards"}},
        {"error: there are no files of kind 'x'\n"
         "help: the kinds are scenario, board, host, driver and card\n",
         {"list", "x"}},
        {"--set:1:1: error: unknown key 'crd'", {"list", "--set", "crd=plain"}},
        {"--set:1:1: error: unknown key 'rd2'", {"list", "card", "--set", "rd2=1ms"}},
        {"error: a name needs its kind\nhelp: 'sdsim describe card plain'\n",
         {"describe", "plain"}},
        {"error: there are no files of kind 'plane'", {"describe", "plane"}},
        {"--set:1:1: error: unknown key 'rd2'", {"describe", "card", "plain", "--set", "rd2=1ms"}},
        {"--set:1:6: error: unknown key 'rd2'",
         {"describe", "scenario", "bench", "--set", "card.rd2=1ms"}},
        {"error: --set changes a profile, so it needs a name",
         {"describe", "card", "--set", "a=1"}},
        {"error: there are no files of kind 'x'\nhelp: the kinds are", {"describe", "x"}},
        {"error: there is no card 'plian'\nhelp: did you mean 'plain'? 'sdsim list card' shows "
         "all\n",
         {"describe", "card", "plian"}},
        {"error: --json-schema describes all files of a kind",
         {"describe", "card", "plain", "--json-schema"}},
        {"error: --json prints a profile", {"describe", "card", "--json"}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sdsim_test_result result = sdsim_test_run_quiet(rows[i].arguments);
        if (result.code != 2 || result.out[0] != '\0' ||
            strstr(result.err, rows[i].message) == NULL) {
            fail_msg("%s: exit code %d, output '%.40s', messages:\n%s\nexpected:\n%s",
                     sdsim_test_command(rows[i].arguments), result.code, result.out, result.err,
                     rows[i].message);
        }
        sdsim_test_result_free(&result);
    }
}

/* A value measured in something the run is not predicted in. */
static void test_unit_of_measured(void **state)
{
    (void)state;
    static const char *const arguments[] = {"compare", "single", "--set", "measured=5ms", NULL};
    struct sdsim_test_result result = sdsim_test_run_quiet(arguments);
    assert_int_equal(result.code, 2);
    assert_string_equal(result.out, "");
    assert_non_null(strstr(result.err, "error: "));
    sdsim_test_result_free(&result);
}

/* A mistake that all runs of a scenario share is told once. */
static void test_said_once(void **state)
{
    (void)state;
    static const char *const arguments[] = {"run", "bench", "--set", "driver.nonsense=5", NULL};
    struct sdsim_test_result result = sdsim_test_run_quiet(arguments);
    const char *first = strstr(result.err, "error: unknown key 'nonsense'");
    assert_int_equal(result.code, 2);
    assert_non_null(first);
    assert_null(strstr(first + 1, "error: "));
    sdsim_test_result_free(&result);
}

/* A run that ends before its time is a finding; one that can't be begun is bad input. */
static void test_failing_runs(void **state)
{
    (void)state;
    static const struct {
        int code;
        const char *message;
        const char *const arguments[9];
    } rows[] = {
        {1,
         "single.yaml: error: run single: the workload stopped: the volume is full\n",
         {"run", "single", "--set", "card={base: quick, capacity: 64MB}", "--set",
          "workload.total=100MB"}},
        {1,
         "single.yaml: error: run single: the workload stopped: the volume is full\n",
         {"compare", "single", "--set", "card={base: quick, capacity: 64MB}", "--set",
          "workload.total=100MB"}},
        {1,
         "single.yaml: error: run single: mounting the volume: arduino-esp32-sd: CMD17 at LBA 0",
         {"run", "single", "--set", "card.rd1=800ms", "--set", "workload.do=read"}},
        {2,
         "single.yaml: error: run single: preparing the volume: there is not enough room\n",
         {"run", "single", "--set", "card={base: quick, capacity: 64MB}", "--set",
          "workload={do: read, total: 100MB}"}},
        {2,
         "single.yaml: error: run single: /nowhere.img: ",
         {"run", "single", "--set", "filesystem.image=/nowhere.img"}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sdsim_test_result result = sdsim_test_run_quiet(rows[i].arguments);
        if (result.code != rows[i].code || result.out[0] != '\0' ||
            strstr(result.err, rows[i].message) == NULL) {
            fail_msg("%s: exit code %d, output '%.40s', messages:\n%s",
                     sdsim_test_command(rows[i].arguments), result.code, result.out, result.err);
        }
        sdsim_test_result_free(&result);
    }
}

/* ---- warnings ---- */

/* Warnings of `run` are messages; the data is the same. */
static void test_warnings_of_run(void **state)
{
    (void)state;
    static const char *const arguments[] = {
        "run", "single", "--draws", "0", "--set", "workload.sync_every=1", NULL};
    struct sdsim_test_result result = sdsim_test_run_quiet(arguments);
    assert_int_equal(result.code, 0);
    assert_non_null(strstr(result.err, "--set:1:21: warning: a sync after every call"));
    assert_non_null(strstr(result.out, "predicted"));
    assert_null(strstr(result.out, "warning"));
    sdsim_test_result_free(&result);
}

/* ---- the same bytes ---- */

static void test_repeatable(void **state)
{
    (void)state;
    static const char *const rows[][8] = {
        {"compare", "tests/golden/data", "--json", "-j1"},
        {"compare", "tests/golden/data", "--json", "-j2"},
        {"compare", "tests/golden/data", "--json", "-j7"},
        {"compare", "tests/golden/data", "--json"},
        {"compare", "tests/golden/data", "--json", "--seed", "1"},
    };
    struct sdsim_test_result first = sdsim_test_run_quiet(rows[0]);
    for (size_t i = 1; i < COUNT(rows); i++) {
        struct sdsim_test_result result = sdsim_test_run_quiet(rows[i]);
        if (strcmp(first.out, result.out) != 0) {
            sdsim_test_diff(stderr, sdsim_test_command(rows[i]), first.out, result.out);
            fail_msg("%s prints something else", sdsim_test_command(rows[i]));
        }
        sdsim_test_result_free(&result);
    }
    static const char *const other[] = {"compare", "tests/golden/data", "--json", "--seed", "2",
                                        NULL};
    struct sdsim_test_result result = sdsim_test_run_quiet(other);
    assert_string_not_equal(first.out, result.out); /* and a seed is not ignored */
    sdsim_test_result_free(&result);
    sdsim_test_result_free(&first);
}

/* The number behind `"key": ` in a JSON text, in picoseconds, exactly. */
static uint64_t seconds_of(const char *text, const char *key)
{
    char pattern[64];
    snprintf(pattern, sizeof pattern, "\"%s\": ", key);
    const char *at = strstr(text, pattern);
    assert_non_null(at);
    at += strlen(pattern);
    uint64_t value = 0;
    int decimals = -1;
    for (; (*at >= '0' && *at <= '9') || *at == '.'; at++) {
        if (*at == '.') {
            decimals = 0;
        } else {
            value = 10 * value + (uint64_t)(*at - '0');
            decimals += decimals >= 0;
        }
    }
    for (int i = decimals < 0 ? 0 : decimals; i < 12; i++) {
        value *= 10;
    }
    return value;
}

/* Adds the times in the object `name` of a JSON text. */
static uint64_t sum_of(const char *text, const char *name, const char *const *keys, size_t count)
{
    char pattern[64];
    uint64_t sum = 0;
    snprintf(pattern, sizeof pattern, "\"%s\": {", name);
    const char *object = strstr(text, pattern);
    assert_non_null(object);
    for (size_t i = 0; i < count; i++) {
        sum += seconds_of(object, keys[i]);
    }
    return sum;
}

static void check_sums(const char *path, const char *const *environment)
{
    static const char *const kinds[] = {"payload", "protocol", "gap",  "poll", "access", "busy",
                                        "pause",   "copy",     "host", "idle", "outside"};
    static const char *const purposes[] = {"data",   "fat",  "directory", "fsinfo",
                                           "bitmap", "boot", "init"};
    const char *const arguments[] = {"run", path, "--all", "--json", "--draws", "0", NULL};
    struct sdsim_test_result result = sdsim_test_run(arguments, environment);
    if (result.code != 0) {
        fail_msg("%s: exit code %d, messages:\n%s", path, result.code, result.err);
    }
    size_t runs = 0;
    for (const char *at = result.out; (at = strstr(at, "\"scenario\": ")) != NULL; at++) {
        const uint64_t total = seconds_of(at, "seconds");
        const uint64_t by_kind = sum_of(at, "kinds", kinds, COUNT(kinds));
        const uint64_t by_purpose = sum_of(at, "purposes", purposes, COUNT(purposes));
        if (total == 0 || by_kind != total || by_purpose != total) {
            fail_msg("%s, run %zu: %llu ps, by kind %llu, by purpose %llu", path, runs,
                     (unsigned long long)total, (unsigned long long)by_kind,
                     (unsigned long long)by_purpose);
        }
        runs++;
    }
    assert_true(runs > 0);
    sdsim_test_result_free(&result);
}

/* The account of every scenario there is adds up to the picosecond. */
static void test_accounts(void **state)
{
    (void)state;
    static const char *const bench[] = {"SDSIM_DATA_DIR=tests/golden/data", NULL};
    DIR *folder = opendir("scenarios");
    assert_non_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (strstr(entry->d_name, ".yaml") != NULL) {
            char path[300];
            snprintf(path, sizeof path, "scenarios/%s", entry->d_name);
            check_sums(path, NULL);
        }
    }
    closedir(folder);
    check_sums("bench", bench);
}

/* So do the figures of the printed table, rounded as they are. */
static void test_printed_sums(void **state)
{
    (void)state;
    static const char *const ids[] = {"write", "read", "raw", "log"};
    for (size_t i = 0; i < COUNT(ids); i++) {
        const char *const arguments[] = {"run", "bench", ids[i], "--draws", "0", NULL};
        struct sdsim_test_result result = sdsim_test_run_quiet(arguments);
        long times = 0;
        long shares = 0;
        bool ended = false;
        char *line = strstr(result.out, "where the time goes");
        assert_non_null(line);
        for (line = strchr(line, '\n') + 1; !ended; line = strchr(line, '\n') + 1) {
            long whole;
            long part;
            long percent;
            long tenth;
            assert_int_equal(
                sscanf(line, "%*[ a-zA-Z]%ld.%3ldms %ld.%1ld%%", &whole, &part, &percent, &tenth),
                4);
            ended = strncmp(line, "  total", 7) == 0;
            times += ended ? -(1000 * whole + part) : 1000 * whole + part;
            shares += ended ? -(10 * percent + tenth) : 10 * percent + tenth;
        }
        assert_int_equal(times, 0);
        assert_int_equal(shares, 0);
        sdsim_test_result_free(&result);
    }
}

/* What the reports of the real scenarios must name as the cause, whatever the figures: reads that
 * go out eight sectors at a time, because the 4 KiB buffer of the file API is refilled; and a clock
 * divider that makes 18.75 MHz of 24. */
static void test_causes(void **state)
{
    (void)state;
    static const struct {
        const char *scenario;
        const char *id;
        const char *expected[3];
    } rows[] = {
        {"esp32-arduino-sd",
         "read-4k",
         {"25MHz asked, 20MHz real: 80MHz / 4; 80MHz / 3 = 26.667MHz is above the driver's cap"}},
        {"esp32-arduino-sd",
         "read-16k",
         {"each read of 16KiB became 4 commands of 8 sectors: the 4KiB buffer of the file API "
          "arduino is refilled piece by piece, so larger calls bring nothing"}},
        {"esp32-arduino-sd",
         "read-32k",
         {"each read of 32KiB became 8 commands of 8 sectors: the 4KiB buffer of the file API "
          "arduino is refilled piece by piece, so larger calls bring nothing",
          "with exactly the 25MHz asked for it would be "}},
        {"circuitpython-24mhz",
         "read",
         {"24MHz asked, 18.75MHz real: 150MHz / 8; 150MHz / 6 = 25MHz is above 24MHz",
          "with exactly the 24MHz asked for it would be ", ": the clock divider costs "}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *const arguments[] = {
            "run", rows[i].scenario, rows[i].id, "--json", "--draws", "0", NULL};
        struct sdsim_test_result result = sdsim_test_run(arguments, NULL);
        for (size_t k = 0; k < 3 && rows[i].expected[k] != NULL; k++) {
            if (result.code != 0 || strstr(result.out, rows[i].expected[k]) == NULL) {
                fail_msg("%s: exit code %d, no '%s' in:\n%s", sdsim_test_command(arguments),
                         result.code, rows[i].expected[k], result.out);
            }
        }
        sdsim_test_result_free(&result);
    }
}

/* What `check` must say about them: 4 KiB writes of the Arduino library are 19 % slower than those
 * of 32 KiB, its reads are not. */
static void test_small_calls(void **state)
{
    (void)state;
    static const char *const arguments[] = {"check", "esp32-arduino-sd", NULL};
    struct sdsim_test_result result = sdsim_test_run(arguments, NULL);
    const char *warning = strstr(result.err, "warning: small calls: each write of 4KiB costs ");
    assert_int_equal(result.code, 1);
    assert_non_null(warning);
    assert_non_null(strstr(warning, "help: with calls of 8KiB it is less than a third of that"));
    assert_null(strstr(warning + 1, "warning: small calls"));
    sdsim_test_result_free(&result);
}

int main(void)
{
    sdsim_test_need_program();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),           cmocka_unit_test(test_80_columns),
        cmocka_unit_test(test_version),          cmocka_unit_test(test_bad_usage),
        cmocka_unit_test(test_unit_of_measured), cmocka_unit_test(test_said_once),
        cmocka_unit_test(test_failing_runs),     cmocka_unit_test(test_warnings_of_run),
        cmocka_unit_test(test_repeatable),       cmocka_unit_test(test_accounts),
        cmocka_unit_test(test_printed_sums),     cmocka_unit_test(test_causes),
        cmocka_unit_test(test_small_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
