/*
 * sdsim buffer, and streams in sdsim run, as a user meets them: what is printed, that threads change no
 * byte, that what it says of RAM and rates is so, and what is refused.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <jansson.h>

#include "golden.h"
#include "program.h"
#include "sanitized.h"
#include "scratch.h"

enum { MOST = 40 };

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* A card that pauses for 150 ms every MB, and 400 ms now and then. */
#define PAUSES                                                                                     \
    "--set", "card.pause_every=1MB", "--set", "card.pause_length=150ms", "--set",                  \
        "card.rare_every=20MB", "--set", "card.rare_length=400ms"
#define STREAM PAUSES, "--set", "workload.sync_interval=1s", "--hours", "0.05", "--seeds", "40"

/* `first` and then `more`, both NULL at the end. */
static struct sdsim_test_result run(const char *const *first, const char *const *more)
{
    const char *words[MOST + 1];
    size_t count = 0;
    for (; *first != NULL; first++) {
        words[count++] = *first;
    }
    for (; more != NULL && *more != NULL; more++) {
        words[count++] = *more;
    }
    assert_true(count <= MOST);
    words[count] = NULL;
    return sdsim_test_run_quiet(words);
}

static const char *const buffer[] = {"buffer", "bench", "write", "--rate", "100kB/s", STREAM, NULL};

static void prints(void **state)
{
    (void)state;
    static const struct {
        const char *golden;
        const char *more[8];
    } rows[] = {
        {"tests/golden/buffer.txt", {NULL}},
        {"tests/golden/buffer.csv", {"--csv", NULL}},
        {"tests/golden/buffer.json", {"--json", NULL}},
        {"tests/golden/buffer-ram.txt", {"--ram", "32KiB", NULL}},
        {"tests/golden/buffer-items.txt",
         {"--set", "workload.queue=items", "--set", "workload.item=256B", NULL}},
        {"tests/golden/buffer-ping-pong.txt", {"--set", "workload.queue=ping-pong", NULL}},
        {"tests/golden/buffer-draws.txt", {"--draws", "10", NULL}},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct sdsim_test_result result = run(buffer, rows[i].more);
        sdsim_test_expect_code(&result, 0);
        assert_true(sdsim_test_golden(rows[i].golden, result.out));
        sdsim_test_result_free(&result);
    }
}

/* What `run` says of a stream. */
static void prints_runs(void **state)
{
    (void)state;
    static const char *const words[] = {"run",
                                        "bench",
                                        "write",
                                        "--set",
                                        "workload.do=stream",
                                        "--set",
                                        "workload.rate=300kB/s",
                                        "--set",
                                        "workload.duration=30s",
                                        "--set",
                                        "workload.ram=40KiB",
                                        "--draws",
                                        "0",
                                        PAUSES,
                                        NULL};
    struct sdsim_test_result result = run(words, NULL);
    sdsim_test_expect_code(&result, 0);
    assert_true(sdsim_test_golden("tests/golden/run-stream.txt", result.out));
    sdsim_test_result_free(&result);
}

/* Same bytes for any number of threads, also where runs are cut into lots. */
static void threads(void **state)
{
    (void)state;
    static const char *const seeds[] = {"40", "230"};
    for (size_t i = 0; i < (SDSIM_SANITIZED ? 1 : COUNT_OF(seeds)); i++) {
        struct sdsim_test_result one =
            run(buffer, (const char *const[]){"--json", "--seeds", seeds[i], "-j", "1", NULL});
        struct sdsim_test_result four =
            run(buffer, (const char *const[]){"--json", "--seeds", seeds[i], "-j", "4", NULL});
        sdsim_test_expect_code(&one, 0);
        assert_string_equal(one.out, four.out);
        sdsim_test_result_free(&one);
        sdsim_test_result_free(&four);
    }
}

static json_t *report_of(const struct sdsim_test_result *result, json_t **root)
{
    *root = json_loads(result->out, 0, NULL);
    assert_non_null(*root);
    return json_array_get(json_object_get(*root, "runs"), 0);
}

static json_int_t level_of(json_t *report, size_t index, const char *key)
{
    return json_integer_value(
        json_object_get(json_array_get(json_object_get(report, "levels"), index), key));
}

/* With the rate that is said to be safe in some RAM, no more than that RAM is needed; a little above
 * it, more. */
static void rates_and_ram_agree(void **state)
{
    (void)state;
    json_t *root;
    struct sdsim_test_result result =
        run(buffer, (const char *const[]){"--ram", "32KiB", "--json", NULL});
    sdsim_test_expect_code(&result, 0);
    const json_int_t safe = level_of(report_of(&result, &root), 2, "rate");
    json_decref(root);
    sdsim_test_result_free(&result);
    assert_true(safe > 10000);
    for (int above = 0; above < 2; above++) {
        char rate[40];
        snprintf(rate, sizeof rate, "%lldB/s", (long long)(above ? safe + safe / 50 : safe));
        result = run(buffer, (const char *const[]){"--rate", rate, "--json", NULL});
        sdsim_test_expect_code(&result, 0);
        const json_int_t ram = level_of(report_of(&result, &root), 2, "ram");
        json_decref(root);
        sdsim_test_result_free(&result);
        if ((ram <= 32 * 1024) == (above == 1)) {
            fail_msg("%s need %lld bytes", rate, (long long)ram);
        }
    }
}

/* Nothing is lost with what a row says nothing is lost with, and something with less. */
static void rows_agree(void **state)
{
    (void)state;
    json_t *root;
    struct sdsim_test_result result = run(buffer, (const char *const[]){"--json", NULL});
    sdsim_test_expect_code(&result, 0);
    json_t *report = report_of(&result, &root);
    json_t *rows = json_object_get(report, "loss");
    const json_int_t need = level_of(report, 2, "ram");
    assert_true(json_array_size(rows) > 3);
    for (size_t i = 0; i < json_array_size(rows); i++) {
        json_t *row = json_array_get(rows, i);
        const bool enough = json_integer_value(json_object_get(row, "ram")) >= need;
        const bool loses = json_integer_value(json_object_get(row, "losing")) > 0;
        const bool lost = json_integer_value(json_object_get(row, "most_lost")) > 0;
        assert_true(enough ? !loses && !lost : loses && lost);
    }
    json_decref(root);
    sdsim_test_result_free(&result);
}

/* Arrivals as a file says. */
static void lists_of_arrivals(void **state)
{
    (void)state;
    const char *path = sdsim_test_path("arrivals.csv");
    char override[80];
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int i = 1; i <= 2000; i++) {
        fprintf(file, "%dms,%d\n", 10 * i, 500 + i % 7);
    }
    fclose(file);
    snprintf(override, sizeof override, "workload.arrivals=%s", path);
    static const char *const stream[] = {
        "buffer", "bench", "write", PAUSES, "--seeds", "20", "--set", "workload.do=stream", NULL};
    struct sdsim_test_result result =
        run(stream, (const char *const[]){"--set", override, "--json", NULL});
    sdsim_test_expect_code(&result, 0);
    json_t *root;
    json_t *report = report_of(&result, &root);
    assert_int_equal(json_integer_value(json_object_get(report, "rate")), 50300);
    assert_true(level_of(report, 2, "ram") > 4096);
    json_decref(root);
    sdsim_test_result_free(&result);
    result = run(stream, (const char *const[]){"--set", override, "--ram", "32KiB", NULL});
    sdsim_test_expect_code(&result, 2);
    assert_non_null(strstr(result.err, "a list of arrivals has no other rate"));
    sdsim_test_result_free(&result);
}

static void draws_pictures(void **state)
{
    (void)state;
    char folder[] = "/tmp/sdsim-buffer-XXXXXX";
    char path[64];
    char command[80];
    struct stat status;
    if (system("gnuplot --version > /dev/null 2>&1") != 0) {
        print_message("needs gnuplot\n");
        skip();
    }
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/ram.svg", folder);
    struct sdsim_test_result result =
        run(buffer, (const char *const[]){"--picture", path, "--keep-plot", NULL});
    sdsim_test_expect_code(&result, 0);
    assert_int_equal(stat(path, &status), 0);
    assert_true(status.st_size > 5000);
    snprintf(path, sizeof path, "%s/ram.dat", folder);
    assert_int_equal(stat(path, &status), 0);
    sdsim_test_result_free(&result);
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    assert_int_equal(system(command), 0);
}

static void refusals(void **state)
{
    (void)state;
    static const struct {
        const char *words[16];
        const char *says;
    } rows[] = {
        {{"buffer", "bench", "write", NULL}, "do not arrive by themselves"},
        {{"buffer", "bench", "nosuch", "--rate", "1kB/s", NULL}, "nosuch"},
        {{"buffer", "bench", "write", "--rate", "fast", NULL}, "rate"},
        {{"buffer", "bench", "write", "--rate", "1kB/s", "--seeds", "0", NULL}, "--seeds"},
        {{"buffer", "bench", "write", "--rate", "1kB/s", "--seeds", "1x", NULL}, "--seeds"},
        {{"buffer", "bench", "write", "--rate", "1kB/s", "--ram", "much", NULL}, "--ram"},
        {{"buffer", "bench", "write", "--rate", "1kB/s", "--ram", "1KiB", NULL},
         "no call fits into this RAM"},
        {{"buffer", "bench", "write", "--rate", "1kB/s", "--picture", "x.gif", NULL}, ".svg"},
        {{"buffer", "bench", "write", "--rate", "1kB/s", "--set", "workload.burst=1KiB", NULL},
         "one of these ways only"},
        {{"buffer", "bench", "write", "--set", "workload.do=stream", NULL}, "how do the data"},
        {{"buffer", "bench", "write", "--set", "workload.do=stream", "--set", "workload.burst=1KiB",
          NULL},
         "a size and a distance"},
        {{"buffer", "bench", "write", "--rate", "1kB/s", "--set", "workload.burst=1KiB", "--set",
          "workload.duration=1min", NULL},
         "one of these ways only"},
        {{"buffer", "bench", "write", "--rate", "1kB/s", "--set", "workload.on=usb", NULL},
         "a PC can only write, read and mount"},
        {{"buffer", "bench", "write", "--rate", "1kB/s", "--hours", "0", NULL}, "--hours takes"},
        {{"buffer", "bench", "write", "--rate", "1kB/s", "--hours", "-1", NULL}, "--hours takes"},
        {{"buffer", "bench", "write", "--rate", "1kB/s", "--hours", "nan", NULL}, "--hours takes"},
        {{"buffer", "bench", "write", "--rate", "1kB/s", "--set", "workload.ram=1KiB", NULL},
         "a ring this small"},
        {{"buffer", "bench", "write", "--rate", "1kB/s", "--set", "workload.queue=items", NULL},
         "how large is an item"},
        {{"buffer", "bench", "write", "--rate", "1kB/s", "--set", "workload.queue=items", "--set",
          "workload.item=100B", NULL},
         "whole items"},
        {{"buffer", "bench", "write", "--rate", "1kB/s", "--set", "workload.queue=ping-pong",
          "--set", "workload.ram=20KiB", NULL},
         "whole calls"},
        {{"buffer", "bench", "write", "--set", "workload.do=stream", "--set",
          "workload.arrivals=/nonexistent.csv", NULL},
         "can't be opened"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct sdsim_test_result result = sdsim_test_run_quiet(rows[i].words);
        if (result.code != 2 || result.out[0] != '\0' || strstr(result.err, rows[i].says) == NULL) {
            fail_msg("row %zu: exit code %d: %s", i, result.code, result.err);
        }
        sdsim_test_result_free(&result);
    }
}

/* A run that ends early is a finding, and is told. */
static void runs_that_fail(void **state)
{
    (void)state;
    struct sdsim_test_result result =
        run(buffer, (const char *const[]){"--set", "card.capacity=64MB", "--set", "card.type=sdsc",
                                          "--hours", "1", NULL});
    sdsim_test_expect_code(&result, 1);
    assert_non_null(strstr(result.out, "40 of 40 runs ended early: the volume is full"));
    /* what they met before tells nothing about runs that last */
    assert_null(strstr(result.out, "RAM for"));
    assert_null(strstr(result.out, "longest"));
    assert_null(strstr(result.out, "stalls the writer"));
    sdsim_test_result_free(&result);
    result =
        run(buffer, (const char *const[]){"--set", "card.capacity=64MB", "--set", "card.type=sdsc",
                                          "--hours", "1", "--ram", "1GiB", "--seeds", "2", NULL});
    sdsim_test_expect_code(&result, 0);
    assert_non_null(strstr(result.out, "without loss in 1GiB\n"));
    assert_non_null(strstr(result.out, "above that runs end early: the volume is full"));
    sdsim_test_result_free(&result);
}

int main(void)
{
    sdsim_test_need_program();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prints),         cmocka_unit_test(prints_runs),
        cmocka_unit_test(threads),        cmocka_unit_test(rates_and_ram_agree),
        cmocka_unit_test(rows_agree),     cmocka_unit_test(lists_of_arrivals),
        cmocka_unit_test(draws_pictures), cmocka_unit_test(refusals),
        cmocka_unit_test(runs_that_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
