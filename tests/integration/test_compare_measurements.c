/*
 * `sdsim compare --measurements` as a user meets it: text, JSON and CSV over a few records of
 * tests/data/measurements, which nobody measured; what is refused; and that a corpus of real ones
 * can be modelled.
 *
 * The corpus is $SDSIM_CORPUS, else ../shared/corpus/calibration.jsonl from the source directory;
 * without it that test is skipped.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "program.h"
#include "scratch.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define SMALL        "tests/data/measurements/small.jsonl"
#define BROKEN       "tests/data/measurements/broken.csv"
#define RECORDS      14

/* Runs over the real profiles, in the C locale. */
static struct sdsim_test_result run(const char *const *arguments)
{
    static const char *const environment[] = {"SDSIM_DATA_DIR=.", "LC_ALL=C", "NO_COLOR",
                                              "POSIXLY_CORRECT", NULL};
    return sdsim_test_run(arguments, environment);
}

static struct sdsim_test_result run_well(const char *const *arguments)
{
    struct sdsim_test_result result = run(arguments);
    if (result.code != 0 || result.err[0] != '\0') {
        fail_msg("%s: exit code %d, messages:\n%s", sdsim_test_command(arguments), result.code,
                 result.err);
    }
    return result;
}

/* ---- text ---- */

static void check_width(const char *text)
{
    for (const char *at = text; *at != '\0';) {
        const size_t length = strcspn(at, "\n");
        if (length > 80) {
            fail_msg("%zu columns: %.*s", length, (int)length, at);
        }
        at += length + (at[length] == '\n');
    }
}

static void test_text(void **state)
{
    (void)state;
    static const char *const arguments[] = {"compare", "--measurements", SMALL, NULL};
    static const char *const there[] = {
        " groups  records  median     p90  covered\n",
        "\nmicrocontrollers\n",
        "\n  read, throughput ",
        "\n  write and append, throughput ",
        "\n  read and write, mean latency ",
        "\n  shortest call ",
        "\n  longest call ",
        "\nLinux hosts\n",
        "\n  random reads and writes ",
        "\nby host\n",
        "\n  nrf52840 ",
        "\nby bus\n",
        "\nby driver\n",
        "\nby operation\n",
        "\nby card class\n",
        "\n  (not said) ",
        "\nall\n",
        "\n1 of 8 groups have a record that can't be modelled.\n",
    };
    struct sdsim_test_result result = run_well(arguments);
    check_width(result.out);
    const char *at = result.out;
    for (size_t i = 0; i < COUNT(there); i++) {
        const char *found = strstr(at, there[i]);
        if (found == NULL) {
            fail_msg("'%s' is missing, or not in its place, in\n%s", there[i], result.out);
        }
        at = found;
    }
    assert_null(strstr(result.out, "bench-1"));
    sdsim_test_result_free(&result);
}

static void test_rows(void **state)
{
    (void)state;
    static const char *const arguments[] = {"compare", "--measurements", SMALL, "--rows", NULL};
    static const char *const ids[] = {"bench-1",      "bench-2",      "bench-3", "teensy-1",
                                      "teensy-2",     "h7-low",       "h7-high", "h7-random",
                                      "sd1-append",   "sd1-shortest", "linux-1", "linux-2",
                                      "nobody-knows", "impossible"};
    struct sdsim_test_result result = run_well(arguments);
    check_width(result.out);
    assert_int_equal(COUNT(ids), RECORDS);
    const char *at = result.out;
    for (size_t i = 0; i < COUNT(ids); i++) {
        char line[64];
        snprintf(line, sizeof line, "\n%s ", ids[i]);
        at = strstr(at, line);
        if (at == NULL) {
            fail_msg("%s is missing, or not in its place, in\n%s", ids[i], result.out);
        }
    }
    assert_non_null(strstr(at, "\ncan't be modelled:\n  impossible: the driver esp-idf-sdmmc "));
    assert_non_null(strstr(at, "\nall\n"));
    sdsim_test_result_free(&result);
}

/* A long name does not make the table wider. */
static void test_long_names(void **state)
{
    (void)state;
    static const char record[] =
        "{\"id\": \"a-name-that-leaves-too-little-of-the-line-for-all-numbers-001\", "
        "\"host\": \"esp32\", \"bus\": \"spi\", \"driver\": \"arduino-esp32-sd\", \"op\": "
        "\"write\", \"metric\": \"throughput_Bps\", \"value\": 1000000}\n";
    const char *path = sdsim_test_path("long.jsonl");
    sdsim_test_write_text(path, record);
    const char *const arguments[] = {"compare", "--measurements", path, "--rows", NULL};
    struct sdsim_test_result result = run_well(arguments);
    check_width(result.out);
    assert_non_null(strstr(result.out, "-all-numbers-001\n"));
    sdsim_test_result_free(&result);
}

/* ---- JSON ---- */

static json_t *parse(const char *text)
{
    json_error_t error;
    json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (json == NULL) {
        fail_msg("line %d: %s", error.line, error.text);
    }
    return json;
}

static double number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (!json_is_number(value)) {
        fail_msg("%s is no number", key);
    }
    return json_number_value(value);
}

/* The records of SMALL, as a list of objects. */
static json_t *read_records(void)
{
    json_t *records = json_array();
    char *line = NULL;
    size_t size = 0;
    FILE *file = fopen(SMALL, "r");
    assert_non_null(file);
    while (getline(&line, &size, file) >= 0) {
        if (line[0] == '{') {
            assert_int_equal(json_array_append_new(records, parse(line)), 0);
        }
    }
    free(line);
    fclose(file);
    return records;
}

/* Two values, or nothing said in both. */
static bool same_field(const json_t *row, const json_t *record, const char *field)
{
    const json_t *printed = json_object_get(row, field);
    const json_t *given = json_object_get(record, field);
    const bool said = given != NULL && !json_is_null(given) &&
                      !(json_is_string(given) && json_string_length(given) == 0);
    if (printed == NULL) {
        return false; /* it must be there, if only as null */
    }
    return said ? json_equal(printed, given) != 0 : json_is_null(printed) != 0;
}

/* What a row repeats of its record. */
static void check_fields(const json_t *row, const json_t *record)
{
    static const char *const fields[] = {"id",
                                         "metric",
                                         "source",
                                         "group",
                                         "host",
                                         "bus",
                                         "driver",
                                         "api",
                                         "card",
                                         "card_class",
                                         "fs",
                                         "op",
                                         "cpu_hz",
                                         "year",
                                         "clock_requested_hz",
                                         "clock_hz",
                                         "cluster_bytes",
                                         "chunk_bytes",
                                         "total_bytes",
                                         "dma",
                                         "preallocated",
                                         "sync_per_write"};
    for (size_t i = 0; i < COUNT(fields); i++) {
        if (!same_field(row, record, fields[i])) {
            fail_msg("%s: %s differs", json_string_value(json_object_get(record, "id")), fields[i]);
        }
    }
    const json_t *assumptions = json_object_get(record, "assumptions");
    if (assumptions != NULL) {
        assert_true(json_equal(assumptions, json_object_get(row, "assumptions")));
    } else {
        assert_int_equal(json_array_size(json_object_get(row, "assumptions")), 0);
    }
    assert_true(fabs(number(row, "measured") - number(record, "value")) < 1e-12);
}

/* What a row says of its prediction. */
static void check_numbers(const json_t *row)
{
    const double predicted = number(row, "predicted");
    const double low = number(row, "measured_low");
    const double high = number(row, "measured_high");
    const double nearest = predicted < low ? low : predicted > high ? high : predicted;
    const bool covered = number(row, "low") <= high && number(row, "high") >= low;
    assert_true(predicted > 0.0);
    assert_true(number(row, "low") <= predicted && predicted <= number(row, "high"));
    assert_true(fabs(number(row, "error") - (predicted - nearest) / nearest) < 1e-9);
    assert_int_equal(json_is_true(json_object_get(row, "covered")), covered);
    assert_true(json_is_null(json_object_get(row, "reason")));
}

static const json_t *row_named(const json_t *rows, const char *id)
{
    size_t i;
    json_t *row;
    json_array_foreach(rows, i, row)
    {
        if (strcmp(json_string_value(json_object_get(row, "id")), id) == 0) {
            return row;
        }
    }
    fail_msg("there is no row %s", id);
    return NULL;
}

static void check_rows(const json_t *rows)
{
    json_t *records = read_records();
    assert_int_equal(json_array_size(records), RECORDS);
    assert_int_equal(json_array_size(rows), RECORDS);
    for (size_t i = 0; i < RECORDS; i++) {
        const json_t *row = json_array_get(rows, i);
        const bool rate =
            strcmp(json_string_value(json_object_get(row, "metric")), "throughput_Bps") == 0;
        check_fields(row, json_array_get(records, i));
        assert_string_equal(json_string_value(json_object_get(row, "unit")), rate ? "B/s" : "s");
        assert_true(json_is_null(json_object_get(row, "scenario")));
        assert_true(json_is_null(json_object_get(row, "tolerance")));
        assert_true(json_is_null(json_object_get(row, "within")));
        if (i + 1 < RECORDS) {
            check_numbers(row);
        }
    }
    json_decref(records);
    /* the last can't be modelled */
    const json_t *row = json_array_get(rows, RECORDS - 1);
    static const char *const none[] = {"predicted", "low", "high"};
    for (size_t i = 0; i < COUNT(none); i++) {
        assert_true(json_is_null(json_object_get(row, none[i])));
    }
    assert_true(fabs(number(row, "error") - 1.0) < 1e-12);
    assert_true(json_is_false(json_object_get(row, "covered")));
    assert_string_equal(json_string_value(json_object_get(row, "reason")),
                        "the driver esp-idf-sdmmc can't work this bus");
    /* a measured range */
    row = row_named(rows, "h7-low");
    assert_true(fabs(number(row, "measured_low") - 9e6) < 1e-3);
    assert_true(fabs(number(row, "measured_high") - 12.5e6) < 1e-3);
    /* records of one run share it */
    assert_true(json_equal(json_object_get(row, "predicted"),
                           json_object_get(row_named(rows, "h7-high"), "predicted")));
}

/* Summaries of parts: their records and groups add up to those of the whole. */
static void check_strata(const json_t *summary)
{
    static const struct {
        const char *dimension;
        const char *names;
        const char *groups;
    } rows[] = {
        {"host", "esp32 esp32s3 imxrt1062 linux-usb-reader nrf52840 stm32h743 ", "2 2 1 1 1 2 "},
        {"bus", "sd1 sd4 spi ", "2 4 3 "},
        {"driver", "arduino-esp32-sd esp-idf-sdmmc home-made sdfat-sdio stm32-hal-sd usb-reader ",
         "1 3 1 1 2 1 "},
        {"op", "append random-read random-write read write ", "2 1 1 4 4 "},
        {"card_class", " sdhc16g-c10 sdhc32g-a1 sdhc32g-u1 sdhc8g-c4 sdxc128g-v30 ",
         "1 1 1 1 2 2 "},
    };
    const json_t *strata = json_object_get(summary, "strata");
    assert_int_equal(json_object_size(strata), COUNT(rows));
    for (size_t i = 0; i < COUNT(rows); i++) {
        char names[300] = "";
        char groups[100] = "";
        double records = 0.0;
        size_t s;
        json_t *stratum;
        json_array_foreach(json_object_get(strata, rows[i].dimension), s, stratum)
        {
            const size_t n = strlen(names);
            const size_t g = strlen(groups);
            snprintf(names + n, sizeof names - n, "%s ",
                     json_string_value(json_object_get(stratum, "name")));
            snprintf(groups + g, sizeof groups - g, "%.0f ", number(stratum, "groups"));
            records += number(stratum, "count");
        }
        assert_string_equal(names, rows[i].names);
        assert_string_equal(groups, rows[i].groups);
        assert_true(fabs(records - RECORDS) < 0.5);
    }
}

static void check_kinds(const json_t *summary)
{
    static const struct {
        const char *name;
        bool microcontroller;
        double records;
        double groups;
    } rows[] = {
        {"read, throughput", true, 4, 3},
        {"write and append, throughput", true, 3, 3},
        {"read, mean latency", true, 1, 1},
        {"write, mean latency", true, 1, 1},
        {"read and write, mean latency", true, 2, 2},
        {"shortest call", true, 1, 1},
        {"longest call", true, 1, 1},
        {"random reads and writes", true, 1, 1},
        {"write and append, throughput", false, 1, 1},
        {"random reads and writes", false, 1, 1},
    };
    const json_t *kinds = json_object_get(summary, "kinds");
    assert_int_equal(json_array_size(kinds), COUNT(rows));
    for (size_t i = 0; i < COUNT(rows); i++) {
        const json_t *kind = json_array_get(kinds, i);
        assert_string_equal(json_string_value(json_object_get(kind, "name")), rows[i].name);
        assert_int_equal(json_is_true(json_object_get(kind, "microcontroller")),
                         rows[i].microcontroller);
        assert_true(fabs(number(kind, "count") - rows[i].records) < 0.5);
        assert_true(fabs(number(kind, "groups") - rows[i].groups) < 0.5);
        /* the longest call has no error */
        assert_int_equal(json_is_null(json_object_get(kind, "median_abs_error")),
                         strcmp(rows[i].name, "longest call") == 0);
    }
}

static void test_json(void **state)
{
    (void)state;
    static const char *const arguments[] = {"compare", "--measurements", SMALL, "--json", NULL};
    struct sdsim_test_result result = run_well(arguments);
    json_t *json = parse(result.out);
    const json_t *summary = json_object_get(json, "summary");
    check_rows(json_object_get(json, "rows"));
    assert_true(fabs(number(summary, "count") - RECORDS) < 0.5);
    assert_true(fabs(number(summary, "groups") - 8) < 0.5);
    assert_true(fabs(number(summary, "sources") - 5) < 0.5);
    assert_true(fabs(number(summary, "unpredicted_groups") - 1) < 0.5);
    assert_true(number(summary, "median_abs_error") <= number(summary, "p90_abs_error"));
    assert_true(number(summary, "coverage") >= 0.0 && number(summary, "coverage") <= 1.0);
    assert_true(number(json_object_get(summary, "fitted"), "other") > 0.0);
    check_strata(summary);
    check_kinds(summary);
    json_decref(json);
    sdsim_test_result_free(&result);
}

/* ---- CSV ---- */

static void test_csv(void **state)
{
    (void)state;
    static const char *const arguments[] = {"compare", "--measurements", SMALL, "--csv", NULL};
    static const char head[] =
        "id,metric,unit,predicted,low,high,measured,error,covered,reason,source,group,host,bus,"
        "driver,api,card,card_class,op,chunk_bytes\n";
    struct sdsim_test_result result = run_well(arguments);
    assert_int_equal(strncmp(result.out, head, sizeof head - 1), 0);
    size_t lines = 0;
    for (const char *at = result.out; (at = strchr(at, '\n')) != NULL; at++) {
        lines++;
    }
    assert_int_equal(lines, 1 + RECORDS);
    assert_non_null(strstr(result.out, "\nimpossible,throughput_Bps,B/s,,,,1000000,1,false,the "
                                       "driver esp-idf-sdmmc can't work this bus,a made-up "
                                       "blog,reader,esp32,spi,esp-idf-sdmmc,,,sdhc32g-a1,read,4096"
                                       "\n"));
    assert_non_null(
        strstr(result.out, "raw,\"Red \"\"Extra\"\", 64 GB A2\",sdxc128g-v30,read,32768\n"));
    sdsim_test_result_free(&result);
}

/* ---- the same bytes ---- */

static void test_repeatable(void **state)
{
    (void)state;
    static const char *const forms[] = {"--json", "--csv", "--rows"};
    static const char *const others[] = {"-j4", "-j2", "-j4"};
    for (size_t i = 0; i < COUNT(forms); i++) {
        const char *const one[] = {"compare", "--measurements", SMALL, forms[i], "-j1", NULL};
        const char *const four[] = {"compare", "--measurements", SMALL, forms[i], others[i], NULL};
        struct sdsim_test_result a = run_well(one);
        struct sdsim_test_result b = run_well(four);
        assert_string_equal(a.out, b.out);
        sdsim_test_result_free(&a);
        sdsim_test_result_free(&b);
    }
}

/* ---- what is refused ---- */

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *messages; /* how they begin */
        const char *const arguments[8];
    } rows[] = {
        {BROKEN ":5: error: bus: 'usb' is not one of: spi, sd1, sd4\n" BROKEN
                ":6: error: value: expected a number above zero, not '-1'\n",
         {"compare", "--measurements", BROKEN}},
        {BROKEN ":5: error: ", {"compare", "--measurements", BROKEN, "--json"}},
        {BROKEN ":5: error: ", {"compare", "--measurements", BROKEN, "--csv"}},
        {"none.jsonl: error: can't be opened: No such file or directory\n",
         {"compare", "--measurements", "none.jsonl"}},
        {"tests/golden/help.txt:1: error: column 5: ",
         {"compare", "--measurements", "tests/golden/help.txt"}},
        {"--set: error: unknown key 'nonsense'",
         {"compare", "--measurements", SMALL, "--set", "nonsense=1"}},
        {"--set: error: there is no card 'x'\n",
         {"compare", "--measurements", SMALL, "--set", "card=x"}},
        {"error: '--measurements' needs a value\n", {"compare", "--measurements"}},
        {"error: --measurements takes no scenarios besides its file\n",
         {"compare", "--measurements", SMALL, "scenarios"}},
        {"error: --rows needs --measurements\n", {"compare", "scenarios", "--rows"}},
        {"error: --json and --csv exclude each other\n",
         {"compare", "--measurements", SMALL, "--json", "--csv"}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sdsim_test_result result = run(rows[i].arguments);
        if (result.code != 2 || result.out[0] != '\0' ||
            strncmp(result.err, rows[i].messages, strlen(rows[i].messages)) != 0) {
            fail_msg("%s: exit code %d, output '%.40s', messages:\n%s",
                     sdsim_test_command(rows[i].arguments), result.code, result.out, result.err);
        }
        sdsim_test_result_free(&result);
    }
}

/* Changes reach the runs; predictions that are far off are no failure. */
static void test_overrides(void **state)
{
    (void)state;
    static const char *const rows[][10] = {
        {"compare", "--measurements", SMALL, "--csv", "--draws", "0"},
        {"compare", "--measurements", SMALL, "--csv", "--draws", "0", "--set", "card=sdsc2g"},
        {"compare", "--measurements", SMALL, "--csv", "--draws", "8", "--seed", "2"},
        {"compare", "--measurements", SMALL, "--csv", "--draws", "8", "--seed", "3"},
    };
    for (size_t i = 0; i < COUNT(rows); i += 2) {
        struct sdsim_test_result a = run_well(rows[i]);
        struct sdsim_test_result b = run_well(rows[i + 1]);
        assert_string_not_equal(a.out, b.out);
        sdsim_test_result_free(&a);
        sdsim_test_result_free(&b);
    }
}

/* ---- the corpus ---- */

/* Nearly all groups of real measurements can be modelled. */
static void test_corpus(void **state)
{
    (void)state;
    const char *given = getenv("SDSIM_CORPUS");
    const char *corpus = given != NULL ? given : "../shared/corpus/calibration.jsonl";
    if (access(corpus, R_OK) != 0) {
        print_message("skipped: there is no corpus at %s\n", corpus);
        skip();
    }
    const char *const arguments[] = {"compare", "--measurements", corpus, "--json", "--draws", "0",
                                     NULL};
    struct sdsim_test_result result = run_well(arguments);
    json_t *json = parse(result.out);
    const json_t *summary = json_object_get(json, "summary");
    const double groups = number(summary, "groups");
    const double unpredicted = number(summary, "unpredicted_groups");
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(json, "rows"), i, row)
    {
        const json_t *reason = json_object_get(row, "reason");
        if (json_is_string(reason)) {
            print_message("%s: %s\n", json_string_value(json_object_get(row, "id")),
                          json_string_value(reason));
        }
    }
    assert_true(groups > 0.0 && unpredicted <= 0.05 * groups);
    json_decref(json);
    sdsim_test_result_free(&result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),       cmocka_unit_test(test_rows),
        cmocka_unit_test(test_long_names), cmocka_unit_test(test_json),
        cmocka_unit_test(test_csv),        cmocka_unit_test(test_repeatable),
        cmocka_unit_test(test_refused),    cmocka_unit_test(test_overrides),
        cmocka_unit_test(test_corpus),
    };
    sdsim_test_need_program();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
