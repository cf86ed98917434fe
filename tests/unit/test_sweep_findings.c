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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sentences)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
