/* Traces of file operations, other call sizes, lists, and the histogram of durations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "core/histogram.h"
#include "core/rng.h"
#include "trace/blocks_text.h"
#include "trace/rechunk.h"
#include "trace/trace_list.h"
#include "trace_text.h"

/* ---- file operations as text ---- */

static void test_ops(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"mount\nopen /a w\nwrite 4096 *3\nclose\n", "mount\nopen /a w\nwrite 4096 *3\nclose\n"},
        {"@1.25ms +310us @1 write 2c+100 # data\n", "@1.25ms +310us @1 write 2c+100 # data\n"},
        {"seek end\nseek end-5\nseek cur+1c-1\nseek 0\n",
         "seek end\nseek end-5\nseek cur+1c-1\nseek 0\n"},
        {"open \"a b\" r+\nrename \"a b\" c\nprint 26\n",
         "open \"a b\" r+\nrename \"a b\" c\nprint 26\n"},
        {"mkdir a\r\r\r\nstat \"a\r\"\r\r\nlist . \r # b\r\r\n",
         "mkdir a\nstat \"a\r\"\nlist . # b\n"},
        {"write 1k\nwrite 3s\n", "write 1024\nwrite 1536\n"},
        {"# x\n\nwrite 5\nwrite\nclose\n", "write 5\n! 4:6: no number of bytes\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *got = sdsim_trace_as_text(rows[i][0], strlen(rows[i][0]), "ops", NULL);
        assert_string_equal(got, rows[i][1]);
        free(got);
    }
}

/* ---- other call sizes ---- */

static char *rechunk_blocks(const char *text, uint32_t sectors)
{
    struct sdsim_diags diags;
    char *got = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&got, &size);
    sdsim_diags_init(&diags);
    struct sdsim_block_source *source = sdsim_rechunk_blocks(
        sdsim_blocks_text_open(sdsim_input_memory("memory", text, strlen(text), &diags)), sectors);
    struct sdsim_block_sink *sink = sdsim_blocks_text_sink(out);
    assert_true(sdsim_trace_copy(source, sink));
    assert_true(sink->finish(sink));
    source->close(source);
    fclose(out);
    sdsim_diags_free(&diags);
    return got;
}

static void test_block_sizes(void **state)
{
    (void)state;
    static const struct {
        uint32_t sectors;
        const char *text;
        const char *expected;
    } rows[] = {
        {4, "W 0 1\nW 1 1\nW 2 1\nW 3 1\nW 4 1\n", "W 0 4\nW 4 1\n"},
        {4, "W 0 10\n", "W 0 4\nW 4 4\nW 8 2\n"},
        {4, "W 0 2\nR 2 2\nW 2 2\n", "W 0 2\nR 2 2\nW 2 2\n"},
        {4, "W 0 2\nW 3 2\n", "W 0 2\nW 3 2\n"},
        {4, "W 0 2\n#S\nW 2 2\n", "W 0 2\n#S\nW 2 2\n"},
        {4, "W 0 2 # data\nW 2 2 # FAT1\n", "W 0 2 # data\nW 2 2 # FAT1\n"},
        {4, "#@ 1\nW 0 2\n#@ 2\nW 2 2\n", "W 0 4\n"},
        {4, "W 0 2 *2\nW 2 2\n", "W 0 2 *2\nW 2 2\n"},
        /* a write begins when its last part came, a read when its first was asked for */
        {2, "@1ms +10us W 0 1\n@2ms +30us W 1 1\n", "@2ms +40us W 0 2\n"},
        {2, "@1ms +10us R 0 1\n@2ms +30us R 1 1\n", "@1ms +40us R 0 2\n"},
        {1, "@1ms +10us R 0 3\n",
         "@1ms +3.333333us R 0 1\n@1ms +3.333333us R 1 1\n@1ms +3.333334us "
         "R 2 1\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *got = rechunk_blocks(rows[i].text, rows[i].sectors);
        if (strcmp(got, rows[i].expected) != 0) {
            fail_msg("row %zu gives\n%s", i, got);
        }
        free(got);
    }
}

static void test_op_sizes(void **state)
{
    (void)state;
    static const struct {
        uint64_t bytes;
        const char *text;
        const char *expected;
    } rows[] = {
        {1000, "open a w\nwrite 300 *5\nclose\n", "open a w\nwrite 1000\nwrite 500\nclose\n"},
        {100, "write 250\n", "write 100\nwrite 100\nwrite 50\n"},
        {1000, "write 300\nseek 0\nwrite 300\n", "write 300\nseek 0\nwrite 300\n"},
        {1000, "write 300\n@1 write 300\nread 5\n", "write 300\n@1 write 300\nread 5\n"},
        {600, "@1ms +1us write 300 # x\n@2ms +2us write 300\n", "@2ms +3us write 600\n"},
        {600, "write 2c\n", "write 2c\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct sdsim_diags diags;
        char *got = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&got, &size);
        sdsim_diags_init(&diags);
        struct sdsim_op_source *source =
            sdsim_rechunk_ops(sdsim_ops_text_open(sdsim_input_memory("memory", rows[i].text,
                                                                     strlen(rows[i].text), &diags)),
                              rows[i].bytes);
        struct sdsim_op op;
        uint32_t line;
        while (source->next(source, &op, &line)) {
            sdsim_ops_text_put(out, &op);
        }
        source->close(source);
        fclose(out);
        if (strcmp(got, rows[i].expected) != 0) {
            fail_msg("row %zu gives\n%s", i, got);
        }
        free(got);
        sdsim_diags_free(&diags);
    }
}

/* ---- lists ---- */

static void check_list(const char *text, size_t most, enum sdsim_trace_load expected)
{
    struct sdsim_diags diags;
    struct sdsim_trace trace;
    struct sdsim_trace again;
    struct sdsim_trace_list list;
    sdsim_diags_init(&diags);
    assert_true(sdsim_trace_open(&trace, sdsim_input_memory("memory", text, strlen(text), &diags),
                                 NULL, NULL));
    assert_int_equal(sdsim_trace_list_load(&list, &trace, most), expected);
    for (int pass = 0; pass < (expected == SDSIM_TRACE_LOADED ? 2 : 1); pass++) {
        char *got = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&got, &size);
        assert_true(sdsim_trace_list_open(&again, &list, &trace));
        if (again.blocks != NULL) {
            struct sdsim_block_sink *sink = sdsim_blocks_text_sink(out);
            assert_true(sdsim_trace_copy(again.blocks, sink));
            assert_true(sink->finish(sink));
        } else {
            struct sdsim_op op;
            uint32_t line;
            while (again.ops->next(again.ops, &op, &line)) {
                sdsim_ops_text_put(out, &op);
            }
        }
        fclose(out);
        assert_string_equal(got, text);
        sdsim_trace_close(&again);
        free(got);
    }
    sdsim_trace_list_free(&list);
    sdsim_trace_close(&trace);
    sdsim_diags_free(&diags);
}

static void test_lists(void **state)
{
    (void)state;
    check_list("R 1 1\n#@ 7\nW 2 2 # own\n#S\n", 100, SDSIM_TRACE_LOADED);
    check_list("R 1 1\nR 2 1\nR 3 1\nR 4 1\n", 2, SDSIM_TRACE_TOO_LONG);
    check_list("mount\nopen /a w\nwrite 5 # x\nclose\n", 100, SDSIM_TRACE_LOADED);
    check_list("mount\nopen /a w\nwrite 5\nclose\n", 3, SDSIM_TRACE_TOO_LONG);
}

/* Calls that are told in the order of their ends come in that of their starts. */
static void test_sort(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"@3us R 3 1\n@1us R 1 1\n@2us R 2 1\n@1us R 4 1\n@0ps R 5 1\n",
         "@0ps R 5 1\n@1us R 1 1\n@1us R 4 1\n@2us R 2 1\n@3us R 3 1\n"},
        {"@3us R 3 1\nR 1 1\n@2us R 2 1\n", "@3us R 3 1\nR 1 1\n@2us R 2 1\n"},
        {"@3us R 3 1\n#@ 5\n@2us R 2 1\n", "@3us R 3 1\n#@ 5\n@2us R 2 1\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct sdsim_diags diags;
        struct sdsim_trace trace;
        struct sdsim_trace again;
        struct sdsim_trace_list list;
        char *got = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&got, &size);
        struct sdsim_block_sink *sink = sdsim_blocks_text_sink(out);
        sdsim_diags_init(&diags);
        assert_true(sdsim_trace_open(
            &trace, sdsim_input_memory("memory", rows[i][0], strlen(rows[i][0]), &diags), NULL,
            NULL));
        assert_int_equal(sdsim_trace_list_load(&list, &trace, 100), SDSIM_TRACE_LOADED);
        assert_true(sdsim_trace_list_sort(&list));
        assert_true(sdsim_trace_list_open(&again, &list, NULL));
        assert_true(sdsim_trace_copy(again.blocks, sink));
        assert_true(sink->finish(sink));
        fclose(out);
        assert_string_equal(got, rows[i][1]);
        free(got);
        sdsim_trace_close(&again);
        sdsim_trace_list_free(&list);
        sdsim_trace_close(&trace);
        sdsim_diags_free(&diags);
    }
}

/* ---- the histogram ---- */

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void test_histogram(void **state)
{
    (void)state;
    enum { COUNT = 5000 };
    static uint64_t values[COUNT];
    struct sdsim_rng rng;
    sdsim_rng_seed(&rng, 3);
    for (unsigned bits = 1; bits <= 64; bits += 7) {
        struct sdsim_histogram *histogram = calloc(1, sizeof *histogram);
        uint64_t sum = 0;
        for (size_t i = 0; i < COUNT; i++) {
            values[i] = sdsim_rng_next(&rng) >> (64 - bits);
            sum = values[i] > UINT64_MAX - sum ? UINT64_MAX : sum + values[i];
            sdsim_histogram_add(histogram, values[i]);
        }
        qsort(values, COUNT, sizeof values[0], by_value);
        assert_int_equal(histogram->count, COUNT);
        assert_int_equal(histogram->least, values[0]);
        assert_int_equal(histogram->most, values[COUNT - 1]);
        assert_true(histogram->sum == sum);
        for (unsigned q = 1; q <= 1000; q += 111) {
            const uint64_t exact = values[(COUNT * q + 999) / 1000 - 1];
            const uint64_t got = sdsim_histogram_quantile(histogram, q);
            const uint64_t off = got > exact ? got - exact : exact - got;
            if (bits < 62 && off > exact / 64) {
                fail_msg("%u bits, quantile %u: %llu, exactly %llu", bits, q,
                         (unsigned long long)got, (unsigned long long)exact);
            }
        }
        free(histogram);
    }
    struct sdsim_histogram *same = calloc(1, sizeof *same);
    assert_int_equal(sdsim_histogram_quantile(same, 500), 0);
    for (int i = 0; i < 10; i++) {
        sdsim_histogram_add(same, 310123456);
    }
    assert_int_equal(sdsim_histogram_quantile(same, 500), 310123456);
    free(same);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ops),      cmocka_unit_test(test_block_sizes),
        cmocka_unit_test(test_op_sizes), cmocka_unit_test(test_lists),
        cmocka_unit_test(test_sort),     cmocka_unit_test(test_histogram),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
