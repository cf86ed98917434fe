/*
 * sdsim export on the command line: what it writes, where to, which windows it takes, and what it says
 * to what can't be. Formats as such are held against other readers in test_export_spi.c, _sd.c and
 * _spans.c.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "golden.h"
#include "program.h"
#include "scratch.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Two writes of two sectors. */
#define TWO_CALLS                                                                                  \
    "single", "--set", "workload.on=raw", "--set", "workload.call=1KiB", "--set",                  \
        "workload.total=2KiB"

static void written_as_ever(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        const char *const arguments[16];
    } rows[] = {
        {"help-export.txt", {"export", "--help"}},
        {"export.csv", {"export", TWO_CALLS, "--call", "2", "--to", "csv"}},
        {"export.json", {"export", TWO_CALLS, "--call", "2", "--to", "perfetto"}},
        {"export-pins.csv",
         {"export", TWO_CALLS, "--window", "104118.9us..104120US", "--to", "pins"}},
        {"export.vcd", {"export", TWO_CALLS, "--window", "104118.9us..104120us", "--to", "vcd"}},
    };
    bool same = true;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char path[128];
        struct sdsim_test_result result = sdsim_test_run_quiet(rows[i].arguments);
        snprintf(path, sizeof path, "tests/golden/%s", rows[i].file);
        same = sdsim_test_golden(path, result.out) && same;
        if (result.code != 0 || strstr(result.err, "error: ") != NULL) {
            fail_msg("%s: exit code %d, messages:\n%s", sdsim_test_command(rows[i].arguments),
                     result.code, result.err);
        }
        sdsim_test_result_free(&result);
    }
    assert_true(same);
}

/* ---- windows ---- */

static char *output_of(const char *const *arguments)
{
    struct sdsim_test_result result = sdsim_test_run_quiet(arguments);
    if (result.code != 0) {
        fail_msg("%s: exit code %d, messages:\n%s", sdsim_test_command(arguments), result.code,
                 result.err);
    }
    free(result.err);
    return result.out;
}

/* How long a line is, with its end. (strcspn would be checked against the whole text each time.) */
static size_t line_length(const char *line)
{
    size_t length = 0;
    while (line[length] != '\0' && line[length] != '\n') {
        length++;
    }
    return length + 1;
}

/* The time of a line, in its own decimals; negative for the head. */
static double time_of(const char *line)
{
    char number[40];
    size_t used = 0;
    while (used + 1 < sizeof number &&
           ((line[used] >= '0' && line[used] <= '9') || line[used] == '.')) {
        number[used] = line[used];
        used++;
    }
    number[used] = '\0';
    return used > 0 ? strtod(number, NULL) : -1;
}

/* Different ways to say a window, and the same window cut out of the whole run. */
static void windows_are_cut_out(void **state)
{
    (void)state;
    char *whole = output_of((const char *const[]){"export", TWO_CALLS, "--to", "pins", NULL});
    char *window = output_of((const char *const[]){"export", TWO_CALLS, "--to", "pins", "--window",
                                                   "104.1ms..104.4ms", NULL});
    const char *inside = whole;
    while (time_of(inside) < 0.1041) {
        inside += line_length(inside);
    }
    /* Behind the head and the state at the beginning. */
    const char *line = window + line_length(window);
    assert_true(time_of(line) > 0.10409 && time_of(line) < 0.10411);
    line += line_length(line);
    size_t compared = 0;
    while (time_of(inside) < 0.1044) {
        const size_t length = line_length(inside);
        if (strncmp(inside, line, length) != 0) {
            fail_msg("line %zu of the window: %.40s, not %.40s", compared, line, inside);
        }
        inside += length;
        line += length;
        compared++;
    }
    assert_true(compared > 1000);
    assert_int_equal(line_length(line), strlen(line)); /* the state at the end */
    free(window);
    free(whole);

    char *last =
        output_of((const char *const[]){"export", TWO_CALLS, "--to", "csv", "--call", "2", NULL});
    char *both = output_of(
        (const char *const[]){"export", TWO_CALLS, "--to", "csv", "--call", "1..2", NULL});
    assert_non_null(strstr(both, strchr(last, '\n')));
    assert_null(strstr(last, "CMD25 lba 0"));
    assert_non_null(strstr(both, "CMD25 lba 0"));
    free(last);
    free(both);
}

/* In the 52.28 ms of the longest write 5228 bytes come, on top of the 4 KiB that it writes. */
static void levels_of_a_queue(void **state)
{
    (void)state;
    static const struct {
        const char *format;
        const char *line;
    } rows[] = {
        {"csv", "\n6536846.6,52280.6,queue,level,data,9324 bytes,9324,65536,,"},
        {"perfetto", "\"queue\",\"ph\":\"C\",\"ts\":6536846.6,\"pid\":1,"
                     "\"args\":{\"level\":9324}}"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char *text = output_of((const char *const[]){
            "export", "bench", "write", "--set", "workload.do=stream", "--set",
            "workload.rate=100kB/s", "--set", "workload.duration=12s", "--set",
            "workload.ram=64KiB", "--set", "workload.sync_interval=1s", "--to", rows[i].format,
            "--window", "6s..7s", NULL});
        if (strstr(text, rows[i].line) == NULL) {
            fail_msg("%s has no line '%s'", rows[i].format, rows[i].line);
        }
        free(text);
    }
}

/* "Around" holds what it is named after, whole and uncut. */
static void around_holds_it(void **state)
{
    (void)state;
    static const struct {
        const char *what;
        const char *shown;
    } rows[] = {{"longest", ",application,call,data,write "}, {"pause", ",card,busy,"}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        char *text = output_of((const char *const[]){"export", TWO_CALLS, "--to", "csv", "--around",
                                                     rows[i].what, NULL});
        bool whole = false; /* others may be cut */
        for (const char *line = text; (line = strstr(line, rows[i].shown)) != NULL; line++) {
            whole = whole || line[strcspn(line, "\n") - 1] == ',';
        }
        assert_true(whole);
        free(text);
    }
}

/* ---- where it goes ---- */

static void files_are_whole_or_not_there(void **state)
{
    (void)state;
    const char *folder = sdsim_test_path("alone");
    const char *path = sdsim_test_path("alone/out.vcd");
    assert_int_equal(mkdir(folder, 0700), 0);
    char *expected =
        output_of((const char *const[]){"export", TWO_CALLS, "--to", "vcd", "--call", "1", NULL});
    for (int i = 0; i < 2; i++) { /* a new file, and one that is there */
        char *nothing =
            output_of((const char *const[]){"export", TWO_CALLS, "--call", "1", "-o", path, NULL});
        assert_string_equal(nothing, "");
        free(nothing);
        char *text = sdsim_test_read_file(path, NULL);
        assert_string_equal(text, expected);
        free(text);
    }
    free(expected);

    struct stat before;
    struct stat after;
    assert_int_equal(stat(path, &before), 0);
    const char *const failing[] = {"export", TWO_CALLS, "--timescale", "1us", "-o", path, NULL};
    struct sdsim_test_result result = sdsim_test_run_quiet(failing);
    assert_int_equal(result.code, 2);
    sdsim_test_result_free(&result);
    assert_int_equal(stat(path, &after), 0);
    assert_true(before.st_ino == after.st_ino && before.st_size == after.st_size);
    unlink(path);
    assert_int_equal(rmdir(folder), 0); /* only if it is empty */
}

/* Without an edge in it a window is as long as it is: the end is a tick that counts. */
static void window_without_edges(void **state)
{
    (void)state;
    const char *const arguments[] = {"export",   "single",          "--to", "vcd",
                                     "--window", "10ms..10.0001ms", NULL};
    struct sdsim_test_result result = sdsim_test_run_quiet(arguments);
    assert_int_equal(result.code, 0);
    assert_non_null(strstr(result.out, "$timescale 100 ns $end"));
    const char *end = strrchr(result.out, '#');
    assert_non_null(end);
    assert_string_equal(end, "#1\n");
    sdsim_test_result_free(&result);
}

/* ---- what can't be ---- */

static void refusals_say_why(void **state)
{
    (void)state;
    static const struct {
        int code;
        const char *message;
        const char *const arguments[16];
    } rows[] = {
        {2, "say in which format", {"export", "single"}},
        {2, "--to takes vcd, pins, perfetto or csv", {"export", "single", "--to", "wav"}},
        {2, "name one", {"export", "bench", "--to", "csv"}},
        {2, "there is no run 'rite'", {"export", "bench", "rite", "--to", "csv"}},
        {2, "did you mean 'write'?", {"export", "bench", "rite", "--to", "csv"}},
        {2, "there is no scenario", {"export", "nothing", "--to", "csv"}},
        {2, "takes two times", {"export", "single", "--to", "csv", "--window", "10..12"}},
        {2, "takes two times", {"export", "single", "--to", "csv", "--window", "10ms"}},
        {2, "ends before it begins", {"export", "single", "--to", "csv", "--window", "2s..1s"}},
        {2, "ends where it begins", {"export", "single", "--to", "csv", "--window", "1s..1s"}},
        {2, "the run ends at", {"export", "single", "--to", "csv", "--window", "100s.."}},
        {2, "from 1", {"export", "single", "--to", "csv", "--call", "0"}},
        {2, "from 1", {"export", "single", "--to", "csv", "--call", "3..2"}},
        {2,
         "there is no call 5: the run has 4",
         {"export", "single", "--to", "csv", "--call", "5"}},
        {2, "longest", {"export", "single", "--to", "csv", "--around", "here"}},
        {2,
         "exclude each other",
         {"export", "single", "--to", "csv", "--call", "1", "--around", "longest"}},
        {2, "takes a whole number", {"export", "single", "--to", "csv", "--draw", "-1"}},
        {2, "takes 1, 10 or 100", {"export", "single", "--to", "vcd", "--timescale", "20ns"}},
        {2, "is for VCD", {"export", "single", "--to", "csv", "--timescale", "10ns"}},
        {2, "is for waveforms of the SD bus", {"export", "single", "--to", "vcd", "--high-speed"}},
        {2, "too coarse", {"export", TWO_CALLS, "--to", "vcd", "--timescale", "100ns"}},
        {2, "about 3 GB", {"export", "single", "--to", "vcd", "--set", "workload.total=8MiB"}},
        {3, "cannot write to", {"export", "single", "--call", "1", "-o", "/nowhere/at.csv"}},
        {3, "cannot write to", {"export", "single", "--to", "csv", "-o", "/dev/full"}},
        {3, "cannot write to", {"export", "single", "--to", "csv", "-o", "/tmp"}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sdsim_test_result result = sdsim_test_run_quiet(rows[i].arguments);
        if (result.code != rows[i].code || strstr(result.err, rows[i].message) == NULL ||
            result.out[0] != '\0') {
            fail_msg("%s: exit code %d, messages:\n%s", sdsim_test_command(rows[i].arguments),
                     result.code, result.err);
        }
        sdsim_test_result_free(&result);
    }
}

/* A run that ends early is shown up to its end, and its fault is told. */
static void a_run_that_fails_is_shown(void **state)
{
    (void)state;
    const char *const arguments[] = {"export",   "single",
                                     "--to",     "csv",
                                     "--set",    "card.capacity=8MB",
                                     "--set",    "workload.total=16MiB",
                                     "--window", "1s..",
                                     NULL};
    struct sdsim_test_result result = sdsim_test_run_quiet(arguments);
    if (result.code != 1 || strstr(result.err, "full") == NULL ||
        strstr(result.out, ",busy,") == NULL) {
        fail_msg("exit code %d, messages:\n%s", result.code, result.err);
    }
    sdsim_test_result_free(&result);
}

static void rounding_is_said(void **state)
{
    (void)state;
    const char *const arguments[] = {"export", TWO_CALLS,     "--to", "vcd", "--call",
                                     "2",      "--timescale", "10ns", NULL};
    struct sdsim_test_result result = sdsim_test_run_quiet(arguments);
    assert_int_equal(result.code, 0);
    assert_non_null(strstr(result.err, "note: edges are rounded to 10ns"));
    assert_non_null(strstr(result.out, "$timescale 10 ns $end"));
    sdsim_test_result_free(&result);
}

int main(void)
{
    sdsim_test_need_program();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_as_ever),
        cmocka_unit_test(windows_are_cut_out),
        cmocka_unit_test(levels_of_a_queue),
        cmocka_unit_test(around_holds_it),
        cmocka_unit_test(files_are_whole_or_not_there),
        cmocka_unit_test(window_without_edges),
        cmocka_unit_test(refusals_say_why),
        cmocka_unit_test(a_run_that_fails_is_shown),
        cmocka_unit_test(rounding_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
