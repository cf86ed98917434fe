/*
 * Arrivals: both directions against their definition, bursts, lists, and files of them.
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
#include "scratch.h"
#include "workload/arrivals_file.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static const uint64_t second = 1000000000000u;

/* floor(t * rate / 10^12), where the product fits into 64 bits. */
static void flows_as_defined(void **state)
{
    (void)state;
    struct sdsim_rng rng;
    sdsim_rng_seed(&rng, 1);
    for (int i = 0; i < 20000; i++) {
        const uint64_t rate = 1 + sdsim_rng_below(&rng, 1000000);
        const uint64_t t = sdsim_rng_below(&rng, UINT64_MAX / rate);
        const struct sdsim_arrivals arrivals = {
            .kind = SDSIM_ARRIVALS_CONSTANT, .rate = rate, .end = SDSIM_TIME_END};
        assert_int_equal(sdsim_arrived(&arrivals, t), t * rate / second);
    }
}

/* A byte is there at its time, and not a picosecond before; up to 200 days. */
static void both_directions_agree(void **state)
{
    (void)state;
    static const uint64_t rates[] = {1, 3, 7, 1000, 44100, 96000, 100000, 333333333, 1000000000};
    struct sdsim_rng rng;
    sdsim_rng_seed(&rng, 2);
    for (size_t r = 0; r < COUNT_OF(rates); r++) {
        const struct sdsim_arrivals arrivals = {
            .kind = SDSIM_ARRIVALS_CONSTANT, .rate = rates[r], .end = SDSIM_TIME_END};
        for (int i = 0; i < 2000; i++) {
            const uint64_t most = rates[r] * 17000000;
            const uint64_t n = 1 + sdsim_rng_below(&rng, i < 1000 ? most : 5000);
            const sdsim_ps at = sdsim_arrival_of(&arrivals, n);
            assert_int_equal(sdsim_arrived(&arrivals, at), n);
            assert_int_equal(sdsim_arrived(&arrivals, at - 1), n - 1);
        }
    }
}

static void stops_at_the_end(void **state)
{
    (void)state;
    const struct sdsim_arrivals constant = {
        .kind = SDSIM_ARRIVALS_CONSTANT, .rate = 1000, .end = second};
    assert_int_equal(sdsim_arrivals_total(&constant), 1000);
    assert_int_equal(sdsim_arrived(&constant, 5 * second), 1000);
    assert_int_equal(sdsim_arrival_of(&constant, 1000), second);
    assert_true(sdsim_arrival_of(&constant, 1001) == SDSIM_TIME_END);
}

static void bursts(void **state)
{
    (void)state;
    const struct sdsim_arrivals arrivals = {
        .kind = SDSIM_ARRIVALS_BURSTS, .burst = 100, .every = 10, .end = 35};
    static const struct {
        uint64_t t;
        uint64_t bytes;
    } rows[] = {{0, 0}, {9, 0}, {10, 100}, {19, 100}, {20, 200}, {30, 300}, {40, 300}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_int_equal(sdsim_arrived(&arrivals, rows[i].t), rows[i].bytes);
    }
    assert_int_equal(sdsim_arrival_of(&arrivals, 0), 0);
    assert_int_equal(sdsim_arrival_of(&arrivals, 1), 10);
    assert_int_equal(sdsim_arrival_of(&arrivals, 100), 10);
    assert_int_equal(sdsim_arrival_of(&arrivals, 101), 20);
    assert_true(sdsim_arrival_of(&arrivals, 301) == SDSIM_TIME_END);
}

static void lists(void **state)
{
    (void)state;
    static const struct sdsim_arrival rows[] = {{5, 10}, {9, 11}, {20, 100}};
    const struct sdsim_arrivals arrivals = {
        .kind = SDSIM_ARRIVALS_LIST, .list = rows, .count = 3, .end = 20};
    static const uint64_t bytes[] = {0, 0, 0, 0, 0, 10, 10, 10, 10, 11, 11};
    for (size_t t = 0; t < COUNT_OF(bytes); t++) {
        assert_int_equal(sdsim_arrived(&arrivals, t), bytes[t]);
    }
    assert_int_equal(sdsim_arrival_of(&arrivals, 10), 5);
    assert_int_equal(sdsim_arrival_of(&arrivals, 11), 9);
    assert_int_equal(sdsim_arrival_of(&arrivals, 12), 20);
    assert_int_equal(sdsim_arrivals_total(&arrivals), 100);
    assert_true(sdsim_arrival_of(&arrivals, 101) == SDSIM_TIME_END);
}

/* ---- files ---- */

/* Reads a text as a file; NULL with the message. */
static struct sdsim_arrival *read_bytes(const char *text, size_t size, size_t *count,
                                        char message[600])
{
    const char *path = sdsim_test_path("arrivals.csv");
    struct sdsim_diags diags;
    sdsim_test_write_file(path, text, size);
    sdsim_diags_init(&diags);
    struct sdsim_arrival *rows = sdsim_arrivals_read(path, count, &diags);
    snprintf(message, 600, "%s", diags.count > 0 ? diags.items[0].text : "");
    if (rows == NULL && diags.count > 0 && diags.items[0].line > 0) {
        snprintf(message, 600, "line %u: %s", (unsigned)diags.items[0].line, diags.items[0].text);
    }
    sdsim_diags_free(&diags);
    return rows;
}

static struct sdsim_arrival *read_text(const char *text, size_t *count, char message[600])
{
    return read_bytes(text, strlen(text), count, message);
}

static void reads_files(void **state)
{
    (void)state;
    char message[600];
    size_t count = 0;
    struct sdsim_arrival *rows = read_text("time,bytes\n"
                                           "# a comment\n"
                                           "12.5ms,512\n"
                                           "\n"
                                           "  0.25 , 1KiB \n"
                                           "250ms,6\n"
                                           "1s,0\n",
                                           &count, message);
    assert_non_null(rows);
    assert_int_equal(count, 2);
    assert_int_equal(rows[0].at, 12500000000);
    assert_int_equal(rows[0].bytes, 512);
    assert_int_equal(rows[1].at, 250000000000);
    assert_int_equal(rows[1].bytes, 512 + 1024 + 6);
    free(rows);
}

static void refuses_files(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *message;
    } rows[] = {
        {"", "no arrivals in it"},
        {"# nothing\n", "no arrivals in it"},
        {"1ms,5\nwhat,5\n", "line 2: this is no arrival"},
        {"1ms,5\n2ms\n", "line 2: this is no arrival"},
        {"1ms,5\n2ms,-5\n", "line 2: this is no arrival"},
        {"2ms,5\n1ms,5\n", "line 2: this comes before the line above"},
        {"300000000,5\n", "line 1: this is too large"},
        {"99999999999999999h,5\n", "line 1: this is too large"},
        {"1ms,99999999999999999GB\n", "line 1: this is too large"},
        {"1ms,9000000000000000000\n", "line 1: too many bytes"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char message[600];
        size_t count;
        assert_null(read_text(rows[i].text, &count, message));
        assert_string_equal(message, rows[i].message);
    }
    char message[600];
    char line[400];
    size_t count;
    memset(line, '1', sizeof line - 1);
    line[sizeof line - 1] = '\0';
    assert_null(read_text(line, &count, message));
    assert_string_equal(message, "line 1: the line is longer than 200 bytes");
    assert_null(read_bytes("1ms,5\n\0\n", 8, &count, message));
    assert_string_equal(message, "line 2: this is no text");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flows_as_defined),
        cmocka_unit_test(both_directions_agree),
        cmocka_unit_test(stops_at_the_end),
        cmocka_unit_test(bursts),
        cmocka_unit_test(lists),
        cmocka_unit_test(reads_files),
        cmocka_unit_test(refuses_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
