/* Block traces as text: what lines mean, what is wrong with others, and where. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "trace/blocks_text.h"
#include "trace_text.h"

struct row {
    const char *text;
    const char *expected; /* as it is written again, and messages */
};

static void check(const struct row *rows, size_t count, const char *format)
{
    for (size_t i = 0; i < count; i++) {
        char *got = sdsim_trace_as_text(rows[i].text, strlen(rows[i].text), format, NULL);
        if (strcmp(got, rows[i].expected) != 0) {
            fail_msg("row %zu:\n%s\ngives\n%s\nnot\n%s", i, rows[i].text, got, rows[i].expected);
        }
        free(got);
    }
}

static void test_lines(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"R 0 1\n", "R 0 1\n"},
        {"W 8192 64", "W 8192 64\n"},
        {"W 8192 64\r\nR 1 2\r\n", "W 8192 64\nR 1 2\n"},
        {"\xEF\xBB\xBFR 1 2\n", "R 1 2\n"},
        {"\n  \n# comment\n#comment\nR 1 2\n", "R 1 2\n"},
        {"R\t1\t2\n", "R 1 2\n"},
        {"R 4294967295 1\n", "R 4294967295 1\n"},
        {"R 0 4294967295\n", "R 0 4294967295\n"},
        {"R 1 2 *3\n", "R 1 2 *3\n"},
        {"R 1 2 # FAT1\nR 1 2 # my own\n", "R 1 2 # FAT1\nR 1 2 # my own\n"},
        {"R 1 2 *3 rc=1 # x \n", "R 1 2 *3 rc=1 # x\n"},
        {"R 1 2 rc=0\n", "R 1 2\n"},
        {"#S\n#T 5 6\n#E 7 8\n#D\n", "#S\n#T 5 6\n#E 7 8\n#D\n"},
        {"R 1 1\n#End of story\n#Every 5 ms\n#Do\n#E x\n#T\n", "R 1 1\n"},
        {"@0 R 1 2\n", "@0ps R 1 2\n"},
        {"@1.25ms +310us R 1 2\n", "@1.25ms +310us R 1 2\n"},
        {"@1.25ms +310us #S\n", "@1.25ms +310us #S\n"},
        {"@1s W 1 2\n@999ns W 1 2\n@1000ns W 1 2\n@0.5ps W 1 2\n",
         "@1s W 1 2\n@999ns W 1 2\n@1us W 1 2\n! 4:1: no time that fits here: '@0.5ps'\n"},
        {"@1min R 1 2\n@0.5h R 1 2\n", "@60s R 1 2\n@1800s R 1 2\n"},
        {"@18446744.073709551615s R 1 2\n", "@18446744.073709551615s R 1 2\n"},
        {"#@ 5\nR 1 1\n#@ 7.12 rc=4\n#@ 8 n=100\n#@ 9 size=3\n#@ 9 entries=3\n#@ 9 clusters=3\n",
         "#@ 5\nR 1 1\n#@ 7.12 rc=4\n#@ 8 n=100\n#@ 9 size=3\n#@ 9 entries=3\n#@ 9 clusters=3\n"},
        {"#! card=x\n#! states: fresh frag\n#! no header\nR 1 1\n",
         "#! card=x\n#! states=fresh frag\nR 1 1\n"},
        {"R 1 1\nW 5 8\n#end ops=9 blockops=2 read=1 written=8\n", "R 1 1\nW 5 8\n"},
        {"R 1 1 *2\n#end blockops=2 read=2\n", "R 1 1 *2\n"},
        /* ends of lines that come again, some with more behind them than is remembered */
        {"R 9 64 # data\nW 8 64 # data\nR 7 64 # data x\nR 6 64 # dat\nR 5 64 *2 rc=1 # a\n"
         "W 4 64 *2 rc=1 # a\r\nW 3 64 *2 rc=1 # a\r\nR 2 64 # data\nR 1 6\nR 0 6",
         "R 9 64 # data\nW 8 64 # data\nR 7 64 # data x\nR 6 64 # dat\nR 5 64 *2 rc=1 # a\n"
         "W 4 64 *2 rc=1 # a\nW 3 64 *2 rc=1 # a\nR 2 64 # data\nR 1 6\nR 0 6\n"},
        /* digits by eights and single, in front of the end of the text too */
        {"@1234567.123456789012s +0.00000001s R 12345678 1\n@0001234567.1s R 123456789 1\n"
         "@12345678.5s R 0000000000000000000012 1\n@2.12345678ms R 1234567 1",
         "@1234567.123456789012s +10ns R 12345678 1\n@1234567.1s R 123456789 1\n"
         "@12345678.5s R 12 1\n@2.12345678ms R 1234567 1\n"},
    };
    check(rows, sizeof rows / sizeof rows[0], "blocks");
}

static void test_errors(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"R 1 1\nX 1 1\nR 2 2\n", "R 1 1\n! 2:1: no block operation: 'X'\n"},
        {"R\n", "! 1:1: no block operation: 'R'\n"},
        {"R x 1\n", "! 1:3: no sector number: 'x'\n"},
        {"R 1\n", "! 1:3: no sector number: '1'\n"},
        {"R 1 \n", "! 1:5: no number of sectors\n"},
        {"R 1 0\n", "! 1:5: no number of sectors: '0'\n"},
        {"R -1 1\n", "! 1:3: no sector number: '-1'\n"},
        {"R 4294967296 1\n", "! 1:3: no sector number: '4294967296'\n"},
        {"R 99999999999999999999 1\n", "! 1:3: no sector number: '99999999999999999999'\n"},
        {"R 4294967295 2\n", "! 1:3: these sectors lie beyond 2^32: '4294967295'\n"},
        {"R 1 1 2\n", "! 1:7: too much here: '2'\n"},
        {"R 1 1x\n", "! 1:6: too much here: 'x'\n"},
        {"R 1 1 *0\n", "! 1:7: no number of repetitions: '*0'\n"},
        {"R 1 1 rc=x\n", "! 1:7: no result: 'rc=x'\n"},
        {"@5 R 1 1\n", "! 1:1: no time that fits here: '@5'\n"},
        {"@5ms +5 R 1 1\n", "! 1:6: no time that fits here: '+5'\n"},
        {"@5", "! 1:1: no time that fits here: '@5'\n"},
        {"@5ms +7.25", "! 1:6: no time that fits here: '+7.25'\n"},
        {"@1.s R 1 1\n", "! 1:1: no time that fits here: '@1.s'\n"},
        {"R 1 64 # x\nR 4294967290 64 # x\n",
         "R 1 64 # x\n! 2:3: these sectors lie beyond 2^32: '4294967290'\n"},
        {"@5ms x\n", "! 1:6: no block operation: 'x'\n"},
        {"@5ms\n", "! 1:5: no block operation\n"},
        {"@5ms # comment\n", "! 1:6: no block operation: '#'\n"},
        {"@213000d R 1 1\n", "! 1:1: no time that fits here: '@213000d'\n"},
        {"@99999999s R 1 1\n", "! 1:1: no time that fits here: '@99999999s'\n"},
        {"@1ms @2ms R 1 1\n", "! 1:6: no block operation: '@2ms'\n"},
        {"#@ x\n", "! 1:4: no mark of a file operation: 'x'\n"},
        {"#@ 5 rc=\n", "! 1:6: no mark of a file operation: 'rc='\n"},
        {"#@ 5 n=1 n=2\n", "! 1:10: no mark of a file operation: 'n=2'\n"},
        {"R 1 1\n#end blockops=2\n", "R 1 1\n! 2:6: there should be blockops=2, but the lines "
                                     "above make 1: some are missing, or "
                                     "too many: 'blockops=2'\n"},
        {"@1ms #T x 1\n", "! 1:9: no sector number: 'x'\n"},
    };
    check(rows, sizeof rows / sizeof rows[0], "blocks");
}

/* A text with zeros, and one without any line end. */
static void test_hostile(void **state)
{
    (void)state;
    static const char zeros[] = "# a\0b\nR 1 1\nR \0 1\n";
    char *got = sdsim_trace_as_text(zeros, sizeof zeros - 1, "blocks", NULL);
    assert_string_equal(got, "R 1 1\n! 3:3: no sector number\n");
    free(got);
    const size_t size = 3 << 20;
    char *long_line = malloc(size);
    memset(long_line, '7', size);
    got = sdsim_trace_as_text(long_line, size, "blocks", NULL);
    assert_string_equal(got, "! 1:0: a line of more than 1 MiB: this is no such trace\n");
    free(got);
    free(long_line);
}

/* Lines that lie across the borders of the reader's window, whatever their length. */
static void test_windows(void **state)
{
    (void)state;
    const size_t lines = 60000;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    for (size_t i = 0; i < lines; i++) {
        fprintf(out, "@%zu.5s +%zuns W %zu %zu # label %zu\n", i + 1, i % 7 + 1, i * 3, i % 9 + 1,
                i % 50);
    }
    fclose(out);
    char path[] = "/tmp/sdsim-trace-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    FILE *written = fdopen(file, "wb");
    assert_int_equal(fwrite(text, 1, size, written), size);
    fclose(written);

    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    struct sdsim_block_source *source = sdsim_blocks_text_open(sdsim_input_open(path, &diags));
    char *again = NULL;
    size_t again_size = 0;
    out = open_memstream(&again, &again_size);
    struct sdsim_block_sink *sink = sdsim_blocks_text_sink(out);
    assert_true(sdsim_trace_copy(source, sink));
    assert_true(sink->finish(sink));
    fclose(out);
    source->close(source);
    sdsim_diags_free(&diags);
    remove(path);
    assert_int_equal(again_size, size);
    assert_memory_equal(again, text, size);
    free(again);
    free(text);
}

static void test_times(void **state)
{
    (void)state;
    static const struct {
        sdsim_ps time;
        const char *text;
    } rows[] = {
        {0, "0ps"},
        {1, "1ps"},
        {1000, "1ns"},
        {1001, "1.001ns"},
        {1250 * SDSIM_US, "1.25ms"},
        {SDSIM_S, "1s"},
        {SDSIM_S + 1, "1.000000000001s"},
        {UINT64_MAX, "18446744.073709551615s"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[SDSIM_TRACE_TIME_ROOM];
        *sdsim_trace_print_time(text, rows[i].time) = '\0';
        assert_string_equal(text, rows[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),   cmocka_unit_test(test_errors),
        cmocka_unit_test(test_hostile), cmocka_unit_test(test_windows),
        cmocka_unit_test(test_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
