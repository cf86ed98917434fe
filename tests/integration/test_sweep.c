/*
 * sdsim sweep as a user meets it: what is printed, that parts and interruptions change no byte, that
 * a point is what `run --set` predicts, and what is refused.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "golden.h"
#include "program.h"
#include "scratch.h"

enum { MOST = 24 };

#define SWEEP                                                                                      \
    "sweep", "bench", "write", "read", "--vary", "workload.call=1KiB..16KiB*2", "--vary",          \
        "clock=4MHz,20MHz", "--draws", "4"
#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

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

static const char *const sweep[] = {SWEEP, NULL};

static struct sdsim_test_result swept(const char *const *more)
{
    return run(sweep, more);
}

static void prints(void **state)
{
    (void)state;
    static const struct {
        const char *golden;
        const char *more[8];
    } rows[] = {
        {"tests/golden/sweep.txt", {NULL}},
        {"tests/golden/sweep-random.csv", {"--random", "3", "--csv", NULL}},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct sdsim_test_result result = swept(rows[i].more);
        sdsim_test_expect_code(&result, 0);
        /* The mark of a sweep changes with every profile and version. */
        char *mark = strstr(result.out, "\n0,");
        for (char *at = mark; at != NULL; at = strchr(at + 1, '\n')) {
            char *second = at[1] != '\0' ? strchr(strchr(at + 1, ',') + 1, ',') : NULL;
            if (second != NULL) {
                memset(second + 1, 'x', 16);
            }
        }
        assert_true(sdsim_test_golden(rows[i].golden, result.out));
        sdsim_test_result_free(&result);
    }
}

/* Same bytes for any number of threads. */
static void threads(void **state)
{
    (void)state;
    struct sdsim_test_result one = swept((const char *const[]){"--csv", "-j", "1", NULL});
    struct sdsim_test_result four = swept((const char *const[]){"--csv", "-j", "4", NULL});
    sdsim_test_expect_code(&one, 0);
    assert_string_equal(one.out, four.out);
    sdsim_test_result_free(&one);
    sdsim_test_result_free(&four);
}

/* Parts put together are the whole, as CSV, JSON and table. */
static void parts(void **state)
{
    (void)state;
    static const char *const forms[][2] = {{"--csv", NULL}, {"--json", NULL}, {"--color", "never"}};
    static const char *const names[] = {"1.csv", "2.csv", "3.csv"};
    for (size_t i = 0; i < 3; i++) {
        char shard[8];
        snprintf(shard, sizeof shard, "%zu/3", i + 1);
        struct sdsim_test_result part =
            swept((const char *const[]){"--shard", shard, "-o", sdsim_test_path(names[i]), NULL});
        sdsim_test_expect_code(&part, 0);
        assert_false(sdsim_test_exists(sdsim_test_path("1.csv.part")));
        sdsim_test_result_free(&part);
    }
    for (size_t f = 0; f < COUNT_OF(forms); f++) {
        struct sdsim_test_result whole =
            swept((const char *const[]){forms[f][0], forms[f][1], NULL});
        struct sdsim_test_result merged = swept((const char *const[]){
            "--merge", sdsim_test_path("3.csv"), "--merge", sdsim_test_path("1.csv"), "--merge",
            sdsim_test_path("2.csv"), forms[f][0], forms[f][1], NULL});
        sdsim_test_expect_code(&merged, 0);
        assert_string_equal(merged.out, whole.out);
        sdsim_test_result_free(&whole);
        sdsim_test_result_free(&merged);
    }
}

/* Merging refuses what is not all of it, and nothing else. */
static void parts_refused(void **state)
{
    (void)state;
    struct sdsim_test_result part =
        swept((const char *const[]){"--shard", "1/2", "-o", sdsim_test_path("half.csv"), NULL});
    sdsim_test_expect_code(&part, 0);
    sdsim_test_result_free(&part);
    FILE *damaged = fopen(sdsim_test_path("damaged.csv"), "w");
    char *text = sdsim_test_read_file(sdsim_test_path("half.csv"), NULL);
    assert_non_null(damaged);
    fprintf(damaged, "%.*s", (int)(strlen(text) - 30), text);
    fclose(damaged);
    free(text);
    const struct {
        const char *more[6];
        const char *says;
    } rows[] = {
        {{"--merge", sdsim_test_path("half.csv"), NULL}, "is missing"},
        {{"--merge", sdsim_test_path("half.csv"), "--set", "card.rd1=1ms", NULL}, "another sweep"},
        {{"--merge", sdsim_test_path("half.csv"), "--seed", "7", NULL}, "another sweep"},
        {{"--merge", sdsim_test_path("damaged.csv"), NULL}, "damaged.csv:"},
        {{"--merge", sdsim_test_path("nothing.csv"), NULL}, "No such file"},
        {{"--merge", "README.md", NULL}, "not a file of this sweep"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct sdsim_test_result result = swept(rows[i].more);
        sdsim_test_expect_code(&result, 2);
        assert_string_equal(result.out, "");
        if (strstr(result.err, rows[i].says) == NULL) {
            fail_msg("row %zu: %s", i, result.err);
        }
        sdsim_test_result_free(&result);
    }
}

/* What was done before an interruption is taken over, and the result is the same. */
static void resumes(void **state)
{
    (void)state;
    struct sdsim_test_result whole = swept((const char *const[]){"--csv", NULL});
    /* As a killed sweep leaves it: rows in any order, the last one cut. */
    char *line = whole.out;
    FILE *part = fopen(sdsim_test_path("out.csv.part"), "w");
    assert_non_null(part);
    for (int i = 0; i < 5; i++) {
        const size_t size = strcspn(line, "\n") + 1;
        fwrite(line, 1, i == 4 ? size / 2 : size, part);
        line += size;
    }
    fclose(part);
    struct sdsim_test_result result =
        swept((const char *const[]){"-o", sdsim_test_path("out.csv"), NULL});
    sdsim_test_expect_code(&result, 0);
    assert_non_null(strstr(result.err, "3 of 20 rows were there already"));
    assert_false(sdsim_test_exists(sdsim_test_path("out.csv.part")));
    char *text = sdsim_test_read_file(sdsim_test_path("out.csv"), NULL);
    assert_string_equal(text, whole.out);
    free(text);
    sdsim_test_result_free(&result);

    /* Rows of something else are not taken over, and are left alone. */
    part = fopen(sdsim_test_path("out.csv.part"), "w");
    assert_non_null(part);
    fputs("somebody's notes\n", part);
    fclose(part);
    result = swept((const char *const[]){"-o", sdsim_test_path("out.csv"), NULL});
    sdsim_test_expect_code(&result, 2);
    text = sdsim_test_read_file(sdsim_test_path("out.csv.part"), NULL);
    assert_string_equal(text, "somebody's notes\n");
    free(text);
    sdsim_test_result_free(&result);
    sdsim_test_result_free(&whole);
}

/* Every row is what `run` predicts with that change. */
static void points_are_runs(void **state)
{
    (void)state;
    struct sdsim_test_result all = swept((const char *const[]){"--json", NULL});
    json_t *root = json_loads(all.out, 0, NULL);
    json_t *rows = json_object_get(root, "rows");
    assert_int_equal(json_array_size(rows), 20);
    for (size_t i = 0; i < json_array_size(rows); i += 3) {
        json_t *row = json_array_get(rows, i);
        json_t *values = json_object_get(row, "values");
        char call[64], clock[64];
        snprintf(call, sizeof call, "workload.call=%s",
                 json_string_value(json_object_get(values, "workload.call")));
        snprintf(clock, sizeof clock, "clock=%s",
                 json_string_value(json_object_get(values, "clock")));
        const char *id = json_string_value(json_object_get(row, "run"));
        struct sdsim_test_result one =
            run((const char *const[]){"run", "bench", id, "--set", call, "--set", clock, "--draws",
                                      "4", "--json", NULL},
                NULL);
        sdsim_test_expect_code(&one, 0);
        json_t *single = json_loads(one.out, 0, NULL);
        json_t *report = json_array_get(json_object_get(single, "runs"), 0);
        static const char *const keys[] = {"predicted", "low", "high"};
        for (size_t k = 0; k < 3; k++) {
            if (json_real_value(json_object_get(row, keys[k])) !=
                json_real_value(json_object_get(report, keys[k]))) {
                fail_msg("row %zu, %s %s: %s differs", i, call, clock, keys[k]);
            }
        }
        json_decref(single);
        sdsim_test_result_free(&one);
    }
    json_decref(root);
    sdsim_test_result_free(&all);
}

static void refusals(void **state)
{
    (void)state;
    static const struct {
        const char *words[12];
        int code;
        const char *says;
    } rows[] = {
        {{"sweep", "bench", NULL}, 2, "nothing to vary"},
        {{"sweep", "bench", "--vary", "clock", NULL}, 2, "PATH=VALUES"},
        {{"sweep", "bench", "--vary", "clock=1MHz..9MHz", NULL}, 2, "without a step"},
        {{"sweep", "bench", "nosuch", "--vary", "clock=1MHz", NULL}, 2, "nosuch"},
        {{"sweep", "nosuch", "--vary", "clock=1MHz", NULL}, 2, "nosuch"},
        {{"sweep", "bench", "--vary", "clock=1MHz", "--shard", "3/2", NULL}, 2, "--shard"},
        {{"sweep", "bench", "--vary", "clock=1MHz", "--random", "0", NULL}, 2, "--random"},
        {{"sweep", "bench", "--vary", "card=plain,quick", "--picture", "/tmp/x.svg", NULL},
         2,
         "no axis has numbers"},
        {{"sweep", "bench", "--vary", "clock=1Hz..100000Hz+1Hz", "--vary", "seed=1..50+1", NULL},
         2,
         "more than 1000000 rows"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct sdsim_test_result result = sdsim_test_run_quiet(rows[i].words);
        sdsim_test_expect_code(&result, rows[i].code);
        assert_string_equal(result.out, "");
        if (strstr(result.err, rows[i].says) == NULL) {
            fail_msg("row %zu: %s", i, result.err);
        }
        sdsim_test_result_free(&result);
    }
}

/* A point that can't be is a row that says why; the others are predicted. */
static void rows_with_errors(void **state)
{
    (void)state;
    struct sdsim_test_result result = sdsim_test_run_quiet(
        (const char *const[]){"sweep", "bench", "raw", "--vary", "workload.call=4KiB,1000B",
                              "--draws", "0", "--csv", NULL});
    sdsim_test_expect_code(&result, 1);
    assert_non_null(strstr(result.out, "\n0,2,"));
    char *second = strstr(result.out, "\n1,2,");
    assert_non_null(second);
    assert_non_null(strstr(second, "whole sectors"));
    sdsim_test_result_free(&result);
}

int main(void)
{
    sdsim_test_need_program();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prints),   cmocka_unit_test(threads),
        cmocka_unit_test(parts),    cmocka_unit_test(parts_refused),
        cmocka_unit_test(resumes),  cmocka_unit_test(points_are_runs),
        cmocka_unit_test(refusals), cmocka_unit_test(rows_with_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
