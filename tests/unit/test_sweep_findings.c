/*
 * What is said of the rows of a sweep, on made-up rows.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "report/sweep.h"

enum { POINTS = 5, SERIES = 2 };

/* Findings of one or two series over x = 1, 2, 4, 8, 16, as one text to be freed. */
static char *findings(const double values[SERIES][POINTS], size_t series, enum sdsim_metric metric)
{
    static char *xs[] = {"1", "2", "4", "8", "16"};
    static char *names[] = {"old", "new"};
    double numbers[] = {1, 2, 4, 8, 16};
    struct sdsim_vary axes[] = {
        {.path = "card", .values = names, .count = series},
        {.path = "x", .values = xs, .numbers = numbers, .count = POINTS, .numeric = true},
    };
    struct sdsim_sweep_row rows[SERIES * POINTS] = {{.done = false}};
    struct sdsim_sweep sweep = {.scenario = "made up",
                                .axes = axes,
                                .axis_count = 2,
                                .rows = rows,
                                .count = series * POINTS};
    for (size_t s = 0; s < series; s++) {
        for (size_t p = 0; p < POINTS; p++) {
            rows[s * POINTS + p] = (struct sdsim_sweep_row){.done = true,
                                                            .values = {names[s], xs[p]},
                                                            .run = "",
                                                            .metric = metric,
                                                            .predicted = values[s][p]};
        }
    }
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    sdsim_sweep_findings(&sweep, out);
    fclose(out);
    return text;
}

static void sentences(void **state)
{
    (void)state;
    static const struct {
        const char *what;
        double values[SERIES][POINTS];
        size_t series;
        enum sdsim_metric metric;
        const char *says[3];
        const char * not ;
    } rows[] = {
        {"a rate that saturates",
         {{1e6, 2e6, 3.9e6, 4e6, 4e6}},
         1,
         SDSIM_METRIC_THROUGHPUT,
         {"best:  4MB/s: card=old x=8", "worst: 1MB/s: card=old x=1",
          "from x = 4 on (3.9MB/s) more brings less than 5%: the best is 4MB/s at 8"},
         "better up to"},
        {"a rate that goes on",
         {{1e6, 2e6, 3e6, 4e6, 5e6}},
         1,
         SDSIM_METRIC_THROUGHPUT,
         {"best:  5MB/s"},
         "from x ="},
        {"a rate that does not care",
         {{1e6, 1e6, 1.01e6, 1e6, 1e6}},
         1,
         SDSIM_METRIC_THROUGHPUT,
         {"best:"},
         "from x ="},
        {"times: less is better",
         {{8e-3, 4e-3, 2e-3, 2e-3, 2e-3}},
         1,
         SDSIM_METRIC_MEAN_LATENCY,
         {"best:  2ms", "worst: 8ms", "from x = 4 on (2ms)"},
         NULL},
        {"one card overtakes the other",
         {{3e6, 3e6, 3e6, 3e6, 3e6}, {1e6, 2e6, 4e6, 5e6, 6e6}},
         2,
         SDSIM_METRIC_THROUGHPUT,
         {"card=old is better up to x = 2, card=new from 4 on"},
         NULL},
        {"as good as equal",
         {{3e6, 3e6, 3e6, 3e6, 3e6}, {2.99e6, 3e6, 3.01e6, 3e6, 3.01e6}},
         2,
         SDSIM_METRIC_THROUGHPUT,
         {"best:"},
         "better up to"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text = findings(rows[i].values, rows[i].series, rows[i].metric);
        for (size_t s = 0; s < 3 && rows[i].says[s] != NULL; s++) {
            if (strstr(text, rows[i].says[s]) == NULL) {
                fail_msg("%s: lacks \"%s\":\n%s", rows[i].what, rows[i].says[s], text);
            }
        }
        if (rows[i].not != NULL && strstr(text, rows[i].not ) != NULL) {
            fail_msg("%s: says \"%s\":\n%s", rows[i].what, rows[i].not, text);
        }
        free(text);
    }
}

/* ---- series that do different things ---- */

enum { CARDS = 2, RUNS = 2 };

/* Findings over a first axis of two values, x = 1 to 16, and two runs; row order as in a sweep. */
static char *findings_of_runs(const char *path, const char *const does[RUNS],
                              const double values[CARDS][RUNS][POINTS])
{
    static char *xs[] = {"1", "2", "4", "8", "16"};
    static char *names[] = {"one", "two"};
    static const char *const runs[] = {"r", "w"};
    double numbers[] = {1, 2, 4, 8, 16};
    char copy[40];
    snprintf(copy, sizeof copy, "%s", path);
    struct sdsim_vary axes[] = {
        {.path = copy, .values = names, .count = CARDS},
        {.path = "x", .values = xs, .numbers = numbers, .count = POINTS, .numeric = true},
    };
    struct sdsim_sweep_row rows[CARDS * POINTS * RUNS] = {{.done = false}};
    struct sdsim_sweep sweep = {.scenario = "made up",
                                .axes = axes,
                                .axis_count = 2,
                                .does = does,
                                .rows = rows,
                                .count = CARDS * POINTS * RUNS};
    for (size_t c = 0; c < CARDS; c++) {
        for (size_t p = 0; p < POINTS; p++) {
            for (size_t r = 0; r < RUNS; r++) {
                rows[(c * POINTS + p) * RUNS + r] =
                    (struct sdsim_sweep_row){.done = true,
                                             .values = {names[c], xs[p]},
                                             .run = runs[r],
                                             .metric = SDSIM_METRIC_THROUGHPUT,
                                             .predicted = values[c][r][p]};
            }
        }
    }
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    sdsim_sweep_findings(&sweep, out);
    fclose(out);
    return text;
}

/* Of card one, run w overtakes run r; card two overtakes card one in run w only. */
static const double crossing[CARDS][RUNS][POINTS] = {
    {{3e6, 3e6, 3e6, 3e6, 3e6}, {1e6, 2e6, 4e6, 5e6, 6e6}},
    {{2e6, 2e6, 2e6, 2e6, 2e6}, {0.5e6, 1e6, 2e6, 8e6, 9e6}},
};

static void compared_if_they_do_the_same(void **state)
{
    (void)state;
    static const char *const same[] = {"write", "write"};
    static const char *const different[] = {"read", "write"};
    static const struct {
        const char *path;
        const char *const *does;
        bool runs;  /* run w overtakes run r */
        bool cards; /* card two overtakes card one */
        const char *best;
    } rows[] = {
        {"card", same, true, true, "best:  9MB/s: card=two x=16, run w"},
        {"card", NULL, true, true, "best:  9MB/s: card=two x=16, run w"},
        {"card", different, false, true, "best:  3MB/s: card=one x=1, run r"},
        {"workload.do", same, true, false, "best:  6MB/s: workload.do=one x=16, run w"},
        {"workload.do", different, false, false, "best:  9MB/s: workload.do=two x=16, run w"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char runs[100];
        char cards[100];
        char *text = findings_of_runs(rows[i].path, rows[i].does, crossing);
        snprintf(runs, sizeof runs, "%s=one: run r is better up to x = 2, run w from 4 on",
                 rows[i].path);
        snprintf(cards, sizeof cards, "run w: %s=one is better up to x = 4, %s=two from 8 on",
                 rows[i].path, rows[i].path);
        if ((strstr(text, runs) != NULL) != rows[i].runs ||
            (strstr(text, cards) != NULL) != rows[i].cards || strstr(text, rows[i].best) == NULL) {
            fail_msg("row %zu:\n%s", i, text);
        }
        free(text);
    }
}

/* ---- rows that failed ---- */

static char *csv_of(struct sdsim_sweep_row *row)
{
    static char *xs[] = {"1"};
    const struct sdsim_vary axes[] = {{.path = "x", .values = xs, .count = 1}};
    const struct sdsim_sweep sweep = {
        .scenario = "made up", .axes = axes, .axis_count = 1, .rows = row, .count = 1};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    sdsim_sweep_csv_row(&sweep, 0, out);
    fclose(out);
    return text;
}

/* Also if there is no memory to say why, a row that failed is no prediction of 0. */
static void failed_rows(void **state)
{
    (void)state;
    for (size_t n = 0; n <= 1; n++) {
        struct sdsim_sweep_row row = {.done = true, .values = {"1"}, .run = ""};
        assert_null(sdsim_sweep_row_why(&row));
        sdsim_test_fail_allocation(n);
        sdsim_sweep_row_fail(&row, "the volume\nis full");
        assert_int_equal(sdsim_test_allocation_failed(), n == 1);
        assert_true(row.failed);
        assert_string_equal(sdsim_sweep_row_why(&row),
                            n == 0 ? "the volume is full" : "out of memory");
        char *text = csv_of(&row);
        assert_string_equal(text, n == 0 ? "0,1,0000000000000000,1,,,,,,,,,,the volume is full\n"
                                         : "0,1,0000000000000000,1,,,,,,,,,,out of memory\n");
        free(text);
        free(row.error);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sentences),
                                       cmocka_unit_test(compared_if_they_do_the_same),
                                       cmocka_unit_test(failed_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
