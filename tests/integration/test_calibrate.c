/*
 * `sdsim calibrate` and `sdsim accuracy` as a user meets them, over records nobody measured: one's
 * own board and card, a whole corpus with and without a fold, and what is refused.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"
#include "scratch.h"

#define OWN    "tests/data/measurements/own.jsonl"
#define CORPUS "tests/data/measurements/small.jsonl"

static struct sdsim_test_result run_in(const char *data, const char *const *arguments)
{
    char variable[256];
    snprintf(variable, sizeof variable, "SDSIM_DATA_DIR=%s", data);
    const char *const environment[] = {variable, "LC_ALL=C", "NO_COLOR", "POSIXLY_CORRECT", NULL};
    return sdsim_test_run(arguments, environment);
}

static struct sdsim_test_result run_well(const char *data, const char *const *arguments)
{
    struct sdsim_test_result result = run_in(data, arguments);
    if (result.code != 0) {
        fail_msg("%s: exit code %d, messages:\n%s", sdsim_test_command(arguments), result.code,
                 result.err);
    }
    return result;
}

/* The median error a comparison with these arguments prints as JSON. */
static double median_error(const char *data, const char *const *arguments)
{
    struct sdsim_test_result result = run_well(data, arguments);
    json_t *report = json_loads(result.out, 0, NULL);
    assert_non_null(report);
    const double error =
        json_number_value(json_object_get(json_object_get(report, "summary"), "median_abs_error"));
    json_decref(report);
    sdsim_test_result_free(&result);
    return error;
}

/* ---- one's own ---- */

static void test_own(void **state)
{
    (void)state;
    char host[160];
    char card[160];
    const char *const mine = sdsim_test_path("mine");
    const char *const calibrate[] = {"calibrate", OWN, "--leave-one-out", "-o", mine, NULL};
    struct sdsim_test_result result = run_well(".", calibrate);
    assert_non_null(strstr(result.out, "card rd1 "));
    assert_non_null(strstr(result.out, "not determined"));
    assert_non_null(strstr(result.out, "\nown-w32k "));
    sdsim_test_result_free(&result);

    /* With the profiles it wrote the records are predicted far better. */
    snprintf(host, sizeof host, "host=%s/host.yaml", mine);
    snprintf(card, sizeof card, "card=%s/card.yaml", mine);
    const char *const before[] = {"compare", "--measurements", OWN, "--draws", "0", "--json", NULL};
    const char *const after[] = {"compare", "--measurements", OWN,  "--draws", "0",
                                 "--json",  "--set",          host, "--set",   card,
                                 NULL};
    const double raw = median_error(".", before);
    const double fitted = median_error(".", after);
    if (!(fitted < 0.06 && fitted < raw)) {
        fail_msg("median error %.3f before, %.3f with the fitted profiles", raw, fitted);
    }
    const char *const check[] = {"check", host + strlen("host="), card + strlen("card="), NULL};
    result = run_well(".", check);
    sdsim_test_result_free(&result);
}

static void test_refused(void **state)
{
    (void)state;
    const struct {
        const char *arguments[8];
        const char *message;
    } rows[] = {
        {{"calibrate", NULL}, "calibrate needs a FILE of measurements, or --corpus FILE"},
        {{"calibrate", OWN, "--corpus", CORPUS, "-o", "x", NULL},
         "with --corpus there is no FILE besides"},
        {{"calibrate", "--corpus", CORPUS, NULL}, "--corpus needs -o DIR"},
        {{"calibrate", "--corpus", CORPUS, "--fold", "6/5", "-o", "x", NULL},
         "--fold takes 1/5 to 5/5, not '6/5'"},
        {{"calibrate", "--corpus", CORPUS, "-o", sdsim_test_folder(), NULL}, "is there already"},
        {{"calibrate", "nothing.jsonl", NULL}, "nothing.jsonl: error: can't be opened"},
        {{"calibrate", CORPUS, NULL}, "this is "}, /* several boards */
        {{"accuracy", "nothing.jsonl", NULL}, "nothing.jsonl: error: can't be opened"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sdsim_test_result result = run_in(".", rows[i].arguments);
        if (result.code != 2 || strstr(result.err, rows[i].message) == NULL ||
            result.out[0] != '\0') {
            fail_msg("%s: exit code %d, output '%s', messages:\n%s",
                     sdsim_test_command(rows[i].arguments), result.code, result.out, result.err);
        }
        sdsim_test_result_free(&result);
    }
}

/* ---- a corpus ---- */

/* Fits to the corpus, with or without a fold, and returns the directory's size in files. */
static void fit_corpus(const char *name, const char *fold, const char *threads)
{
    const char *const directory = sdsim_test_path(name);
    const char *const all[] = {"calibrate", "--corpus", CORPUS,    "-j",
                               threads,     "-o",       directory, NULL};
    const char *const part[] = {"calibrate", "--corpus", CORPUS, "-j",      threads,
                                "--fold",    fold,       "-o",   directory, NULL};
    struct sdsim_test_result result = run_well(".", fold != NULL ? part : all);
    assert_non_null(strstr(result.out, " values determined, "));
    sdsim_test_result_free(&result);
}

static void test_corpus(void **state)
{
    (void)state;
    fit_corpus("all", NULL, "1");
    const char *const all = sdsim_test_path("all");

    /* What was written is a whole and sound data directory, and it predicts better. */
    char cards[160];
    snprintf(cards, sizeof cards, "%s/cards", all);
    const char *const check[] = {"check", "--errors", cards, NULL};
    struct sdsim_test_result result = run_well(all, check);
    sdsim_test_result_free(&result);
    const char *const compare[] = {"compare", "--measurements", CORPUS, "--draws",
                                   "0",       "--json",         NULL};
    assert_true(median_error(all, compare) < median_error(".", compare));
}

static bool same_trees(const char *a, const char *b)
{
    char command[512];
    snprintf(command, sizeof command, "diff -r %s/%s %s/%s >/dev/null", sdsim_test_folder(), a,
             sdsim_test_folder(), b);
    return system(command) == 0;
}

static void test_threads_and_folds(void **state)
{
    (void)state;
    fit_corpus("one", NULL, "1");
    fit_corpus("three", NULL, "3");
    fit_corpus("fold", "1/5", "3");
    assert_true(same_trees("one", "three"));
    assert_false(same_trees("one", "fold"));
}

/* A fit starts where the profiles say it does, not at what an earlier fit found. */
static void test_again(void **state)
{
    (void)state;
    const char *const first = sdsim_test_path("one");
    const char *const second = sdsim_test_path("again");
    const char *const again[] = {"calibrate", "--corpus", CORPUS, "-o", second, NULL};
    struct sdsim_test_result result = run_well(first, again);
    sdsim_test_result_free(&result);
    assert_true(same_trees("one", "again"));
}

static void test_accuracy(void **state)
{
    (void)state;
    static const char *const arguments[] = {"accuracy", CORPUS, "--draws", "0", NULL};
    struct sdsim_test_result result = run_well(".", arguments);
    assert_non_null(strstr(result.out, "\nby card class\n"));
    sdsim_test_result_free(&result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_own),    cmocka_unit_test(test_refused),
        cmocka_unit_test(test_corpus), cmocka_unit_test(test_threads_and_folds),
        cmocka_unit_test(test_again),  cmocka_unit_test(test_accuracy),
    };
    sdsim_test_need_program();
    return cmocka_run_group_tests_name("calibrate", tests, NULL, NULL);
}
