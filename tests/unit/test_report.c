/*
 * How reports are written: JSON, CSV and tables, and numbers as they are printed. What reports say
 * is tested in test_readings.c, whole ones through the program (integration/cli).
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/rng.h"
#include "core/csv.h"
#include "report/format.h"
#include "report/json.h"
#include "report/table.h"

#include "alloc.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* What was printed to a stream in memory. */
struct printed {
    FILE *out;
    char *text;
    size_t size;
};

static void begin(struct printed *printed)
{
    printed->out = open_memstream(&printed->text, &printed->size);
    assert_non_null(printed->out);
}

/* Compares and frees. */
static void expect(struct printed *printed, const char *expected)
{
    assert_int_equal(fclose(printed->out), 0);
    assert_string_equal(printed->text, expected);
    free(printed->text);
}

/* ---- JSON ---- */

static void test_json(void **state)
{
    (void)state;
    struct printed printed;
    struct sdsim_json json;
    begin(&printed);
    sdsim_json_start(&json, printed.out);
    sdsim_json_object(&json, NULL);
    sdsim_json_text(&json, "text", "a \"b\" \\ \n\t\x1f \xc3\xa4 \xff");
    sdsim_json_text(&json, "none", NULL);
    sdsim_json_array(&json, "list");
    sdsim_json_number(&json, NULL, 0.1);
    sdsim_json_number(&json, NULL, 1e300 * 1e300);
    sdsim_json_object(&json, NULL);
    sdsim_json_end(&json);
    sdsim_json_array(&json, NULL);
    sdsim_json_end(&json);
    sdsim_json_end(&json);
    sdsim_json_count(&json, "count", UINT64_MAX);
    sdsim_json_bool(&json, "flag", true);
    sdsim_json_end(&json);
    expect(&printed, "{\n"
                     "  \"text\": \"a \\\"b\\\" \\\\ \\n\\u0009\\u001f \xc3\xa4 \\ufffd\",\n"
                     "  \"none\": null,\n"
                     "  \"list\": [\n"
                     "    0.1,\n"
                     "    null,\n"
                     "    {},\n"
                     "    []\n"
                     "  ],\n"
                     "  \"count\": 18446744073709551615,\n"
                     "  \"flag\": true\n"
                     "}\n");
}

static void test_json_seconds(void **state)
{
    (void)state;
    static const struct {
        sdsim_ps time;
        const char *text;
    } rows[] = {
        {0, "0"},
        {1, "0.000000000001"},
        {SDSIM_S, "1"},
        {SDSIM_S / 2, "0.5"},
        {UINT64_MAX, "18446744.073709551615"},
        {1020304 * SDSIM_US, "1.020304"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct printed printed;
        struct sdsim_json json;
        begin(&printed);
        sdsim_json_start(&json, printed.out);
        sdsim_json_seconds(&json, NULL, rows[i].time);
        expect(&printed, rows[i].text);
    }
}

/* Every finite double comes back as it was. */
static void test_numbers_read_back(void **state)
{
    (void)state;
    struct sdsim_rng rng;
    sdsim_rng_seed(&rng, 1);
    for (int i = 0; i < 100000; i++) {
        const uint64_t bits = sdsim_rng_next(&rng);
        double value;
        char text[40];
        memcpy(&value, &bits, sizeof value);
        if (!(value - value <= 0.0)) {
            continue;
        }
        sdsim_number_text(value, text, sizeof text);
        const double read = strtod(text, NULL);
        if (memcmp(&read, &value, sizeof value) != 0) {
            fail_msg("number %d of seed 1: %.17g became %s", i, value, text);
        }
    }
}

/* ---- CSV ---- */

static void test_csv(void **state)
{
    (void)state;
    static const char *const fields[] = {"a", NULL, "", "b,c", "say \"x\"", "two\nlines", " blank"};
    struct printed printed;
    begin(&printed);
    sdsim_csv_line(printed.out, fields, COUNT(fields));
    sdsim_csv_line(printed.out, fields, 1);
    expect(&printed, "a,,,\"b,c\",\"say \"\"x\"\"\",\"two\nlines\",\" blank\"\na\n");
}

/* ---- tables ---- */

static const struct sdsim_style plain_style = {.color = false};

static void test_table(void **state)
{
    (void)state;
    static const struct sdsim_column columns[] = {
        {"name", false, false}, {"n", true, false}, {NULL, false, false}};
    struct sdsim_table table;
    struct printed printed;
    begin(&printed);
    sdsim_table_init(&table, columns, COUNT(columns));
    table.indent = 1;
    sdsim_table_heading(&table, "heading that is longer than all columns");
    sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%s", "a");
    sdsim_table_cell(&table, SDSIM_INK_GOOD, "%d", 12345);
    sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%s", "");
    sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%s", "\xc3\xa4\xc3\xb6");
    sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%s", "");
    sdsim_table_cell(&table, SDSIM_INK_BAD, "%s", "end");
    assert_true(sdsim_table_print(&table, &plain_style, printed.out));
    const struct sdsim_style colors = {.color = true};
    assert_true(sdsim_table_print(&table, &colors, printed.out));
    sdsim_table_free(&table);
    expect(&printed, " name      n\n"
                     "heading that is longer than all columns\n"
                     " a     12345\n"
                     " \xc3\xa4\xc3\xb6           end\n"
                     " name      n\n"
                     "\033[1mheading that is longer than all columns\033[0m\n"
                     " a     \033[32m12345\033[0m\n"
                     " \xc3\xa4\xc3\xb6           \033[31mend\033[0m\n");
}

static void test_table_wraps(void **state)
{
    (void)state;
    static const struct sdsim_column columns[] = {
        {NULL, false, false}, {NULL, false, true}, {NULL, false, false}};
    struct sdsim_table table;
    struct printed printed;
    begin(&printed);
    sdsim_table_init(&table, columns, COUNT(columns));
    sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%s", "key");
    sdsim_table_cell(
        &table, SDSIM_INK_PLAIN, "%s",
        "a text of many words that is broken where it has to be, and nowhere else than "
        "between two of its words");
    sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%s", "last");
    assert_true(sdsim_table_print(&table, &plain_style, printed.out));
    sdsim_table_free(&table);
    expect(&printed,
           "key  a text of many words that is broken where it has to be, and nowhere    last\n"
           "     else than between two of its words\n");
}

/* No line is longer than 80 columns as long as no word is longer than what is left. */
static void test_wrapped_text(void **state)
{
    (void)state;
    struct printed printed;
    begin(&printed);
    sdsim_print_wrapped(printed.out, "  - ", "");
    sdsim_print_wrapped(
        printed.out, "  - ",
        "1234567 1234567 1234567 1234567 1234567 1234567 1234567 1234567 1234567 1234 x");
    sdsim_print_wrapped(printed.out, "",
                        "one-very-long-word-that-does-not-fit-on-any-line-of-80-"
                        "columns-because-it-is-longer-than-that and more");
    expect(&printed,
           "  - \n"
           "  - 1234567 1234567 1234567 1234567 1234567 1234567 1234567 1234567 1234567 1234\n"
           "    x\n"
           "one-very-long-word-that-does-not-fit-on-any-line-of-80-columns-because-it-is-longer-"
           "than-that\nand more\n");
}

/* A table that could not be filled prints nothing. */
static void test_table_without_memory(void **state)
{
    (void)state;
    static const struct sdsim_column columns[] = {{"a", false, false}, {"b", false, false}};
    for (size_t n = 1;; n++) {
        struct sdsim_table table;
        struct printed printed;
        begin(&printed);
        sdsim_test_fail_allocation(n);
        sdsim_table_init(&table, columns, COUNT(columns));
        sdsim_table_heading(&table, "heading");
        for (int i = 0; i < 100; i++) {
            sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%d", i);
        }
        const bool failed = sdsim_test_allocation_failed();
        assert_int_equal(sdsim_table_print(&table, &plain_style, printed.out), !failed);
        sdsim_table_free(&table);
        fclose(printed.out);
        assert_int_equal(printed.size == 0, failed);
        free(printed.text);
        if (!failed) {
            assert_true(n > 100);
            return;
        }
    }
}

/* ---- numbers ---- */

static void test_values(void **state)
{
    (void)state;
    static const struct {
        enum sdsim_metric metric;
        double low;
        double high;
        const char *text;
    } rows[] = {
        {SDSIM_METRIC_THROUGHPUT, 1371000, 1371000, "1.371MB/s"},
        {SDSIM_METRIC_THROUGHPUT, 1300000, 1442000, "1.3..1.442MB/s"},
        {SDSIM_METRIC_THROUGHPUT, 976600, 1096000, "976.6kB/s..1.096MB/s"},
        {SDSIM_METRIC_THROUGHPUT, 1300001, 1300002, "1.3MB/s"},
        {SDSIM_METRIC_THROUGHPUT, 0, 0, "0B/s"},
        {SDSIM_METRIC_LINES, 2581, 2581, "2581 lines/s"},
        {SDSIM_METRIC_LINES, 0.5, 12345.6, "0.5..12346 lines/s"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[96];
        assert_string_equal(
            sdsim_print_interval(rows[i].metric, rows[i].low, rows[i].high, text, sizeof text),
            rows[i].text);
    }
}

/* The ends of an interval beside its value have the value's unit. */
static void ends_have_the_unit_of_the_value(void **state)
{
    (void)state;
    static const struct {
        enum sdsim_metric metric;
        double low;
        double high;
        double value;
        const char *text;
    } rows[] = {
        {SDSIM_METRIC_THROUGHPUT, 866.6e3, 1.536e6, 1.404e6, "0.867..1.536"},
        {SDSIM_METRIC_THROUGHPUT, 99.96e3, 12.345e6, 1.404e6, "0.100..12.35"},
        {SDSIM_METRIC_THROUGHPUT, 12.34e3, 1.2e6, 1.1e6, "0.0123..1.2"},
        {SDSIM_METRIC_THROUGHPUT, 369.5e3, 2e6, 450.8e3, "369.5..2000"},
        {SDSIM_METRIC_THROUGHPUT, 5e3, 5.0001e3, 5e3, "5"},
        {SDSIM_METRIC_THROUGHPUT, 1, 900, 12, "1..900"},
        {SDSIM_METRIC_LINES, 2181, 12912, 2581, "2181..12912"},
        {SDSIM_METRIC_TIME, 8.751, 127.26, 10.62, "8.751..127.3"},
        {SDSIM_METRIC_MAX_LATENCY, 0.0009, 0.0241, 0.024, "0.900..24.1"},
        {SDSIM_METRIC_MAX_LATENCY, 0, 0, 0, "0"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[96];
        assert_string_equal(sdsim_print_ends(rows[i].metric, rows[i].low, rows[i].high,
                                             rows[i].value, text, sizeof text),
                            rows[i].text);
    }
}

static void test_errors(void **state)
{
    (void)state;
    static const struct {
        double fraction;
        const char *text;
    } rows[] = {{0.0, "0.0%"},      {0.0004, "0.0%"},    {-0.0004, "0.0%"},  {0.001, "+0.1%"},
                {-0.123, "-12.3%"}, {1.4521, "+145.2%"}, {-0.00051, "-0.1%"}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[24];
        assert_string_equal(sdsim_print_error(rows[i].fraction, text, sizeof text), rows[i].text);
    }
}

static void test_time_scales(void **state)
{
    (void)state;
    static const struct {
        sdsim_ps total;
        const char *text;
    } rows[] = {
        {0, "0.000ns"},
        {9 * SDSIM_NS, "9.000ns"},
        {10 * SDSIM_US, "10.000us"},
        {10 * SDSIM_MS - 1, "10000.000us"},
        {9999 * SDSIM_MS, "9999.000ms"},
        {12345678 * SDSIM_US, "12.346s"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[48];
        const struct sdsim_time_scale scale = sdsim_time_scale(rows[i].total);
        const uint64_t quanta = (rows[i].total + scale.quantum / 2) / scale.quantum;
        assert_string_equal(sdsim_print_quanta(&scale, quanta, text, sizeof text), rows[i].text);
    }
}

/* The shares add up, and none is off by a unit or more. */
static void test_apportion(void **state)
{
    (void)state;
    struct sdsim_rng rng;
    sdsim_rng_seed(&rng, 7);
    for (int round = 0; round < 10000; round++) {
        uint64_t parts[10];
        uint64_t shares[10];
        double total = 0.0;
        uint64_t sum = 0;
        const uint64_t units = 1 + sdsim_rng_below(&rng, 1000000);
        for (size_t i = 0; i < 10; i++) {
            parts[i] = sdsim_rng_below(&rng, 3) == 0 ? 0 : sdsim_rng_next(&rng) >> 10;
            total += (double)parts[i];
        }
        sdsim_apportion(parts, 10, units, shares);
        for (size_t i = 0; i < 10; i++) {
            const double exact = total > 0.0 ? (double)parts[i] / total * (double)units : 0.0;
            const double off = (double)shares[i] - exact;
            sum += shares[i];
            if (off >= 1.0 || off <= -1.0 || (parts[i] == 0 && shares[i] != 0)) {
                fail_msg("round %d of seed 7: share %zu is %.3f off", round, i, off);
            }
        }
        if (sum != (total > 0.0 ? units : 0)) {
            fail_msg("round %d of seed 7: the shares don't add up", round);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_have_the_unit_of_the_value),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_json_seconds),
        cmocka_unit_test(test_numbers_read_back),
        cmocka_unit_test(test_csv),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_table_wraps),
        cmocka_unit_test(test_wrapped_text),
        cmocka_unit_test(test_table_without_memory),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_time_scales),
        cmocka_unit_test(test_apportion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
