/*
 * Predictions held against measurements: errors, what groups weigh, strata and kinds. Expected
 * numbers are worked out by hand.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "measure/score.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define MOST         32

static bool near(double a, double b)
{
    return fabs(a - b) < 1e-12;
}

/* ---- one row ---- */

static void test_errors(void **state)
{
    (void)state;
    static const struct {
        double low, value, high; /* measured */
        double predicted, from, to;
        double error;
        bool covered;
    } rows[] = {
        {100, 100, 100, 100, 90, 110, 0.0, true},
        {100, 100, 100, 150, 90, 160, 0.5, true},
        {100, 100, 100, 50, 40, 60, -0.5, false},
        {100, 100, 100, 300, 101, 400, 2.0, false},
        {100, 100, 100, 90, 80, 100, -0.1, true}, /* the ends count */
        {100, 100, 100, 110, 100, 120, 0.1, true},
        {100, 100, 100, 100, 100, 100, 0.0, true},
        /* a range: nothing inside; outside its nearer end */
        {100, 100, 200, 150, 140, 160, 0.0, true},
        {100, 200, 200, 100, 100, 100, 0.0, true},
        {100, 200, 200, 200, 190, 210, 0.0, true},
        {100, 100, 200, 50, 40, 60, -0.5, false},
        {100, 100, 200, 300, 250, 350, 0.5, false},
        {100, 100, 200, 250, 190, 350, 0.25, true},
        {100, 200, 200, 80, 70, 100, -0.2, true},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        for (int metric = 0; metric < SDSIM_MEASURED_COUNT; metric++) {
            const struct sdsim_measurement record = {.metric = (enum sdsim_measured)metric,
                                                     .low = rows[i].low,
                                                     .value = rows[i].value,
                                                     .high = rows[i].high};
            const struct sdsim_plan plan = {.measurement = &record};
            struct sdsim_forecast forecast = {.error = ""};
            forecast.value[metric] = rows[i].predicted;
            forecast.low[metric] = rows[i].from;
            forecast.high[metric] = rows[i].to;
            const struct sdsim_score row = sdsim_score_of(&plan, &forecast);
            if (!near(row.error, rows[i].error) || row.covered != rows[i].covered ||
                row.reason != NULL || !near(row.predicted, rows[i].predicted) ||
                !near(row.low, rows[i].from) || !near(row.high, rows[i].to)) {
                fail_msg("row %zu, metric %d: error %g, %s", i, metric, row.error,
                         row.covered ? "covered" : "outside");
            }
            assert_ptr_equal(row.measurement, &record);
        }
    }
}

/* What can't be predicted: 100 % wrong, covered by nothing. */
static void test_unpredicted(void **state)
{
    (void)state;
    static const struct sdsim_measurement record = {.low = 1, .value = 1, .high = 1};
    static const struct sdsim_plan planned = {.measurement = &record};
    static const struct sdsim_plan refused = {.measurement = &record, .reason = "no such thing"};
    struct sdsim_forecast good = {.value = {1}, .low = {1}, .high = {1}};
    struct sdsim_forecast failed = {.value = {1}, .low = {1}, .high = {1}, .error = "it stopped"};
    const struct {
        const struct sdsim_plan *plan;
        const struct sdsim_forecast *forecast;
        const char *reason;
    } rows[] = {{&refused, &good, "no such thing"},
                {&refused, &failed, "no such thing"},
                {&planned, &failed, "it stopped"}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct sdsim_score row = sdsim_score_of(rows[i].plan, rows[i].forecast);
        assert_string_equal(row.reason, rows[i].reason);
        assert_true(near(row.error, 1.0) && !row.covered);
        assert_true(near(row.predicted, 0.0) && near(row.low, 0.0) && near(row.high, 0.0));
    }
    assert_null(sdsim_score_of(&planned, &good).reason);
}

/* ---- numbers for names ---- */

static void test_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *id, *group, *source;
        uint32_t group_number, source_number;
    } rows[] = {
        {"a", "g", "s", 0, 0}, {"b", "h", "s", 1, 0}, {"c", "g", "t", 0, 1},
        {"d", "", "", 2, 2},   {"e", "", "", 3, 2}, /* alone without a group, not without source */
        {"f", "d", "s", 2, 0}, {"d", "", "t", 2, 1},
    };
    struct sdsim_measurement records[COUNT(rows)];
    struct sdsim_score scores[COUNT(rows)];
    for (size_t i = 0; i < COUNT(rows); i++) {
        records[i] = (struct sdsim_measurement){
            .id = rows[i].id, .group = rows[i].group, .source = rows[i].source};
        scores[i] = (struct sdsim_score){.measurement = &records[i]};
    }
    assert_true(sdsim_scores_number(scores, COUNT(rows)));
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (scores[i].group != rows[i].group_number || scores[i].source != rows[i].source_number) {
            fail_msg("row %zu: group %u, source %u", i, (unsigned)scores[i].group,
                     (unsigned)scores[i].source);
        }
    }
    assert_true(sdsim_scores_number(NULL, 0));
}

/* ---- sums ---- */

/* A row, short: R throughput, M mean, S shortest, X longest; a capital is covered, a small letter
 * is not. */
struct short_row {
    char what;
    uint32_t group;
    double error; /* 1 and no prediction: NO */
};

#define NO 99.0

static enum sdsim_measured metric_of(char what)
{
    switch (what) {
    case 'R':
    case 'r':
        return SDSIM_MEASURED_THROUGHPUT;
    case 'M':
    case 'm':
        return SDSIM_MEASURED_MEAN;
    case 'S':
    case 's':
        return SDSIM_MEASURED_MIN;
    default:
        return SDSIM_MEASURED_MAX;
    }
}

static size_t make_rows(const struct short_row *from, struct sdsim_measurement *records,
                        struct sdsim_score *rows)
{
    size_t count = 0;
    for (; from[count].what != '\0'; count++) {
        const bool predicted = from[count].error < NO;
        records[count] = (struct sdsim_measurement){.metric = metric_of(from[count].what)};
        rows[count] = (struct sdsim_score){
            .measurement = &records[count],
            .reason = predicted ? NULL : "no",
            .error = predicted ? from[count].error : 1.0,
            .covered = from[count].what >= 'A' && from[count].what <= 'Z',
            .group = from[count].group,
            .source = from[count].group / 10,
        };
    }
    return count;
}

static void test_sums(void **state)
{
    (void)state;
    static const struct {
        struct short_row rows[MOST];
        struct sdsim_summary sum;
    } cases[] = {
        {{{0}}, {.records = 0}},
        {{{'R', 0, -0.25}},
         {.records = 1,
          .groups = 1,
          .sources = 1,
          .judged = 1,
          .median_error = 0.25,
          .p90_error = 0.25,
          .coverage = 1.0}},
        /* an even number of records: between the two in the middle; the sign is no matter */
        {{{'R', 0, -0.1}, {'M', 0, 0.3}, {'S', 0, 0.5}, {'r', 0, -0.2}},
         {.records = 4,
          .groups = 1,
          .sources = 1,
          .judged = 1,
          .median_error = 0.25,
          .p90_error = 0.25,
          .coverage = 0.75}},
        /* a big group is one among others: medians 0.1, 0.2, 0.9 (all rows: 0.9) */
        {{{'R', 0, 0.1}, {'R', 1, 0.2}, {'r', 2, 0.9}, {'r', 2, 0.9}, {'r', 2, 0.9}, {'r', 2, 0.9}},
         {.records = 6,
          .groups = 3,
          .sources = 1,
          .judged = 3,
          .median_error = 0.2,
          .p90_error = 0.9,
          .coverage = 2.0 / 3.0}},
        /* groups need not stand together */
        {{{'R', 7, 0.1}, {'r', 3, 0.4}, {'r', 7, 0.5}, {'R', 3, 0.2}, {'R', 7, 0.2}},
         {.records = 5,
          .groups = 2,
          .sources = 1,
          .judged = 2,
          .median_error = 0.25,
          .p90_error = 0.3,
          .coverage = (2.0 / 3.0 + 0.5) / 2.0}},
        /* the longest call is covered or not, but is no error */
        {{{'R', 0, 0.1}, {'x', 0, 5.0}, {'X', 0, 0.7}},
         {.records = 3,
          .groups = 1,
          .sources = 1,
          .judged = 1,
          .median_error = 0.1,
          .p90_error = 0.1,
          .coverage = 2.0 / 3.0}},
        {{{'X', 0, 0.5}, {'x', 1, 0.5}, {'R', 2, 0.3}},
         {.records = 3,
          .groups = 3,
          .sources = 1,
          .judged = 1,
          .median_error = 0.3,
          .p90_error = 0.3,
          .coverage = 2.0 / 3.0}},
        {{{'X', 0, 0.5}}, {.records = 1, .groups = 1, .sources = 1, .coverage = 1.0}},
        /* no prediction: 100 % and not covered; its group is told */
        {{{'r', 0, NO}, {'R', 1, 0.2}, {'R', 2, 0.1}, {'R', 1, 0.2}, {'x', 1, NO}},
         {.records = 5,
          .groups = 3,
          .sources = 1,
          .unpredicted = 2,
          .judged = 3,
          .median_error = 0.2,
          .p90_error = 1.0,
          .coverage = (0.0 + 2.0 / 3.0 + 1.0) / 3.0}},
        /* nearest rank: of ten the ninth, of eleven the tenth, of twenty the eighteenth */
        {{{'R', 0, 0.1},
          {'R', 1, 0.2},
          {'R', 2, 0.3},
          {'R', 3, 0.4},
          {'R', 4, 0.5},
          {'R', 5, 0.6},
          {'R', 6, 0.7},
          {'R', 7, 0.8},
          {'R', 8, 0.9},
          {'R', 9, 5.0}},
         {.records = 10,
          .groups = 10,
          .sources = 1,
          .judged = 10,
          .median_error = 0.55,
          .p90_error = 0.9,
          .coverage = 1.0}},
        {{{'R', 10, 1.1},
          {'R', 9, 1.0},
          {'R', 8, 0.9},
          {'R', 7, 0.8},
          {'R', 6, 0.7},
          {'R', 5, 0.6},
          {'R', 4, 0.5},
          {'R', 3, 0.4},
          {'R', 2, 0.3},
          {'R', 1, 0.2},
          {'R', 0, 0.1}},
         {.records = 11,
          .groups = 11,
          .sources = 2,
          .judged = 11,
          .median_error = 0.6,
          .p90_error = 1.0,
          .coverage = 1.0}},
        {{{'R', 0, 0.1},  {'R', 1, 0.2},  {'R', 2, 0.3},  {'R', 3, 0.4},  {'R', 4, 0.5},
          {'R', 5, 0.6},  {'R', 6, 0.7},  {'R', 7, 0.8},  {'R', 8, 0.9},  {'R', 9, 1.0},
          {'R', 10, 1.1}, {'R', 11, 1.2}, {'R', 12, 1.3}, {'R', 13, 1.4}, {'R', 14, 1.5},
          {'R', 15, 1.6}, {'R', 16, 1.7}, {'R', 17, 1.8}, {'R', 18, 1.9}, {'R', 19, 2.0}},
         {.records = 20,
          .groups = 20,
          .sources = 2,
          .judged = 20,
          .median_error = 1.05,
          .p90_error = 1.8,
          .coverage = 1.0}},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct sdsim_measurement records[MOST];
        struct sdsim_score rows[MOST];
        struct sdsim_summary sum;
        const struct sdsim_summary *expected = &cases[i].sum;
        const size_t count = make_rows(cases[i].rows, records, rows);
        assert_true(sdsim_scores_sum(rows, count, NULL, NULL, &sum));
        if (sum.records != expected->records || sum.groups != expected->groups ||
            sum.sources != expected->sources || sum.unpredicted != expected->unpredicted ||
            sum.judged != expected->judged || !near(sum.median_error, expected->median_error) ||
            !near(sum.p90_error, expected->p90_error) || !near(sum.coverage, expected->coverage)) {
            fail_msg("case %zu: %zu records, %zu groups, %zu sources, %zu unpredicted, %zu judged, "
                     "median %g, p90 %g, coverage %g",
                     i, sum.records, sum.groups, sum.sources, sum.unpredicted, sum.judged,
                     sum.median_error, sum.p90_error, sum.coverage);
        }
    }
}

/* ---- parts of the rows ---- */

static const struct sdsim_measurement various[] = {
    {.host = "rp2040", .bus = "spi", .driver = "a", .op = "read", .card_class = "x"},
    {.host = "esp32",
     .bus = "sd4",
     .driver = "b",
     .op = "read",
     .card_class = "",
     .metric = SDSIM_MEASURED_MEAN},
    {.host = "esp32",
     .bus = "sd4",
     .driver = "b",
     .op = "write",
     .card_class = "x",
     .metric = SDSIM_MEASURED_MEAN},
    {.host = "esp32", .bus = "spi", .driver = "a", .op = "append", .card_class = "x"},
    {.host = "linux-usb", .bus = "sd4", .driver = "c", .op = "random-read", .card_class = "y"},
    {.host = "linux",
     .bus = "sd4",
     .driver = "c",
     .op = "random-write",
     .card_class = "y",
     .metric = SDSIM_MEASURED_MEAN},
    {.host = "linux",
     .bus = "sd4",
     .driver = "c",
     .op = "read",
     .card_class = "y",
     .metric = SDSIM_MEASURED_MIN},
    {.host = "rp2040",
     .bus = "sd1",
     .driver = "d",
     .op = "random-write",
     .card_class = "x",
     .metric = SDSIM_MEASURED_MAX},
    {.host = "rp2040",
     .bus = "sd1",
     .driver = "d",
     .op = "random-write",
     .card_class = "x",
     .metric = SDSIM_MEASURED_MIN},
};

static void make_various(struct sdsim_score *rows)
{
    for (size_t i = 0; i < COUNT(various); i++) {
        rows[i] = (struct sdsim_score){
            .measurement = &various[i], .error = 0.1 * (double)i, .group = (uint32_t)i};
    }
}

static void test_strata(void **state)
{
    (void)state;
    static const struct {
        enum sdsim_dimension dimension;
        const char *name;
        const char *strata; /* with their records */
    } cases[] = {
        {SDSIM_BY_HOST, "host", "esp32 3, linux 2, linux-usb 1, rp2040 3, "},
        {SDSIM_BY_BUS, "bus", "sd1 2, sd4 5, spi 2, "},
        {SDSIM_BY_DRIVER, "driver", "a 2, b 2, c 3, d 2, "},
        {SDSIM_BY_OP, "op", "append 1, random-read 1, random-write 3, read 3, write 1, "},
        {SDSIM_BY_CARD_CLASS, "card_class", " 1, x 5, y 3, "},
    };
    struct sdsim_score rows[COUNT(various)];
    make_various(rows);
    assert_int_equal(COUNT(cases), SDSIM_DIMENSION_COUNT);
    for (size_t i = 0; i < COUNT(cases); i++) {
        size_t found;
        char text[300];
        size_t used = 0;
        struct sdsim_stratum *strata =
            sdsim_scores_strata(rows, COUNT(various), cases[i].dimension, &found);
        assert_non_null(strata);
        for (size_t s = 0; s < found; s++) {
            used += (size_t)snprintf(text + used, sizeof text - used, "%s %zu, ", strata[s].name,
                                     strata[s].summary.records);
        }
        assert_string_equal(text, cases[i].strata);
        assert_string_equal(sdsim_dimension_name(cases[i].dimension), cases[i].name);
        free(strata);
    }
    size_t found;
    struct sdsim_stratum *strata = sdsim_scores_strata(rows, COUNT(various), SDSIM_BY_BUS, &found);
    assert_true(near(strata[0].summary.median_error, 0.8)); /* sd1: the longest call is not in it */
    assert_true(near(strata[1].summary.median_error, 0.4)); /* sd4 */
    assert_int_equal(strata[0].summary.judged, 1);
    free(strata);
    strata = sdsim_scores_strata(rows, 0, SDSIM_BY_BUS, &found);
    assert_non_null(strata);
    assert_int_equal(found, 0);
    free(strata);
}

/* Which rows of `various` each kind takes, as bits. */
static void test_kinds(void **state)
{
    (void)state;
    static const struct {
        enum sdsim_kind_of_number kind;
        bool microcontroller;
        unsigned rows;
    } cases[] = {
        {SDSIM_READ_RATE, true, 1u << 0},
        {SDSIM_READ_RATE, false, 0},
        {SDSIM_WRITE_RATE, true, 1u << 3},
        {SDSIM_WRITE_RATE, false, 0},
        {SDSIM_READ_LATENCY, true, 1u << 1},
        {SDSIM_WRITE_LATENCY, true, 1u << 2},
        {SDSIM_LATENCY, true, 1u << 1 | 1u << 2},
        {SDSIM_LATENCY, false, 0},
        {SDSIM_SHORTEST, true, 1u << 8},
        {SDSIM_SHORTEST, false, 1u << 6},
        {SDSIM_LONGEST, true, 1u << 7},
        {SDSIM_LONGEST, false, 0},
        {SDSIM_RANDOM, true, 0},
        {SDSIM_RANDOM, false, 1u << 4 | 1u << 5},
    };
    struct sdsim_score rows[COUNT(various)];
    for (size_t i = 0; i < COUNT(cases); i++) {
        unsigned taken = 0;
        for (size_t r = 0; r < COUNT(various); r++) {
            struct sdsim_summary sum;
            make_various(rows);
            assert_true(
                sdsim_scores_sum_kind(&rows[r], 1, cases[i].kind, cases[i].microcontroller, &sum));
            taken |= (unsigned)sum.records << r;
        }
        if (taken != cases[i].rows) {
            fail_msg("case %zu, %s: takes %x", i, sdsim_number_kind_name(cases[i].kind), taken);
        }
    }
}

/* Without memory: false, and nothing leaks. */
static void test_no_memory(void **state)
{
    (void)state;
    static const struct sdsim_measurement records[] = {
        {.id = "a", .group = "", .source = "s", .host = "x"},
        {.id = "b", .group = "g", .source = "s", .host = "y"},
    };
    struct sdsim_score rows[] = {{.measurement = &records[0]}, {.measurement = &records[1]}};
    for (size_t n = 1;; n++) {
        struct sdsim_summary sum;
        size_t found;
        sdsim_test_fail_allocation(n);
        const bool numbered = sdsim_scores_number(rows, COUNT(records));
        const bool summed = sdsim_scores_sum(rows, COUNT(records), NULL, NULL, &sum);
        struct sdsim_stratum *strata =
            sdsim_scores_strata(rows, COUNT(records), SDSIM_BY_HOST, &found);
        const bool failed = sdsim_test_allocation_failed();
        assert_int_equal(failed, !numbered || !summed || strata == NULL);
        free(strata);
        if (!failed) {
            assert_true(n > 10);
            break;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_errors),    cmocka_unit_test(test_unpredicted),
        cmocka_unit_test(test_numbers),   cmocka_unit_test(test_sums),
        cmocka_unit_test(test_strata),    cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
