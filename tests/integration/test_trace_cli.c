/*
 * import, replay and run --trace as a user meets them: what they print (in tests/golden/trace), exit
 * codes, messages, and which files they leave.
 *
 * The programs run in a folder of their own, so that the names of files in what they print are short.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "golden.h"
#include "program.h"
#include "scratch.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define MOST_WORDS   16

static char source[PATH_MAX];
static char test_data[PATH_MAX + 40]; /* SDSIM_DATA_DIR of the tests' own profiles */
static char real_data[PATH_MAX + 40]; /* and of those that are shipped */

static struct sdsim_test_result run_over(const char *data, const char *const *arguments)
{
    const char *const quiet[] = {data, "LC_ALL=C", "NO_COLOR", "POSIXLY_CORRECT", NULL};
    return sdsim_test_run(arguments, quiet);
}

static struct sdsim_test_result run(const char *const *arguments)
{
    return run_over(test_data, arguments);
}

/* ---- inputs ---- */

static const char diskio_log[] = "boot\n"
                                 "[   1.000000] disk_read(0, 0, 1) took 900 us\n"
                                 "[   1.010000] disk_write(0, 8192, 64) took 4 ms\n"
                                 "[   1.050000] disk_write(0, 8256, 64) took 5 ms\n"
                                 "[   1.060000] disk_ioctl CTRL_SYNC took 10 us\n";

static const char files_ops[] = "#! board=devkit\n"
                                "#! card=plain\n"
                                "mount\n"
                                "open /LOG.TXT w\n"
                                "@1s +2ms write 4096 *4 # samples\n"
                                "@1.5s +1ms @1 open /old/CONFIG.TXT r\n"
                                "@1.6s +1ms @1 read 700\n"
                                "@1 close\n"
                                "@2s +20ms sync\n"
                                "close\n";

static void write_inputs(void)
{
    sdsim_test_write_text("diskio.log", diskio_log);
    sdsim_test_write_text("files.ops", files_ops);
    sdsim_test_write_text("hole.blocks", "R 1 1\nW 2 8\nW x 8\n");
    sdsim_test_write_text("far.blocks", "R 4000000000 1\nR 1 1\n");
    sdsim_test_write_text("trim.blocks", "#T 100 50\nW 100 8\n");
}

/* ---- what is printed ---- */

static void test_outputs(void **state)
{
    (void)state;
    static const struct {
        const char *golden;
        int code;
        const char *words[MOST_WORDS];
    } rows[] = {
        {"help-import.txt", 0, {"import", "--help"}},
        {"help-replay.txt", 0, {"replay", "--help"}},
        {"trace/import-diskio.txt", 0, {"import", "diskio.log"}},
        {"trace/import-call.txt", 0, {"import", "diskio.log", "--call", "16KiB"}},
        {"trace/import-ops.txt", 0, {"import", "files.ops", "--call", "6KiB"}},
        {"trace/replay-blocks.txt",
         0,
         {"replay", "diskio.log", "--board", "devkit", "--card", "plain", "--draws", "4"}},
        {"trace/replay-think.txt",
         0,
         {"replay", "diskio.log", "bench", "raw", "--think", "--rows", "--draws", "0"}},
        {"trace/replay-call.csv",
         0,
         {"replay", "diskio.log", "--board", "devkit", "--card", "quick", "--call", "4KiB", "--csv",
          "--draws", "0"}},
        {"trace/replay-rows.csv",
         0,
         {"replay", "diskio.log", "--board", "devkit", "--card", "quick", "--csv", "--rows"}},
        {"trace/replay-files.txt", 0, {"replay", "files.ops", "--draws", "4"}},
        {"trace/replay-files.json", 0, {"replay", "files.ops", "--rows", "--json", "--draws", "0"}},
        {"trace/replay-trims.txt",
         0,
         {"replay", "trim.blocks", "--board", "devkit", "--card", "quick", "--draws", "0"}},
        {"trace/replay-beyond.txt",
         1,
         {"replay", "far.blocks", "--board", "devkit", "--card", "quick", "--draws", "0"}},
    };
    size_t wrong = 0;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char path[PATH_MAX + 100];
        struct sdsim_test_result result = run(rows[i].words);
        snprintf(path, sizeof path, "%s/tests/golden/%s", source, rows[i].golden);
        if (result.code != rows[i].code) {
            print_error("%s: exit code %d, messages:\n%s", sdsim_test_command(rows[i].words),
                        result.code, result.err);
            wrong++;
        } else if (!sdsim_test_golden(path, result.out)) {
            wrong++;
        }
        sdsim_test_result_free(&result);
    }
    assert_int_equal(wrong, 0);
}

static void test_messages(void **state)
{
    (void)state;
    static const struct {
        int code;
        const char *message; /* part of stderr */
        const char *words[MOST_WORDS];
    } rows[] = {
        {2, "hole.blocks:3:3: error: no sector number: 'x'", {"import", "hole.blocks"}},
        {2, "--partial keeps them", {"import", "hole.blocks", "-o", "hole.sdt"}},
        {2, "there is no format 'x'", {"import", "hole.blocks", "--from", "x"}},
        {2, "--to takes blocks, sdt, zst or ops", {"import", "hole.blocks", "--to", "x"}},
        {2, "can't become one of file operations", {"import", "diskio.log", "--to", "ops"}},
        {2, "can't become one of block operations", {"import", "files.ops", "-o", "a.sdt"}},
        {2, "nowhere: error: cannot be read", {"import", "nowhere"}},
        {2, "the file is empty", {"import", "-"}},
        {2, "--call takes a size", {"import", "diskio.log", "--call", "5"}},
        {2, "does not say what it was recorded on", {"replay", "diskio.log"}},
        {2, "the card is missing", {"replay", "diskio.log", "--board", "devkit"}},
        {2,
         "there is no board 'devkot'",
         {"replay", "diskio.log", "--board", "devkot", "--card", "plain"}},
        {2, "there is no scenario 'nothing'", {"replay", "diskio.log", "nothing"}},
        {2, "works on raw sectors", {"replay", "files.ops", "bench", "raw"}},
        {2, "whole sectors", {"replay", "diskio.log", "bench", "raw", "--call", "1000B"}},
        {2, "there is no run 'x'", {"replay", "diskio.log", "bench", "x"}},
        {2, "does not end in .blocks, .sdt, .zst or .ops", {"run", "bench", "raw", "--trace", "x"}},
        {2, "without files", {"run", "bench", "raw", "--trace", "x.ops"}},
        {2, "--trace takes a single run", {"run", "bench", "--trace", "x.sdt"}},
    };
    size_t wrong = 0;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *const quiet[] = {test_data, "LC_ALL=C", "NO_COLOR", "</dev/null", NULL};
        struct sdsim_test_result result = sdsim_test_run(rows[i].words, quiet);
        if (result.code != rows[i].code || strstr(result.err, rows[i].message) == NULL ||
            result.out[0] != '\0') {
            print_error("%s: exit code %d, not %d; '%s' is not in\n%s%s",
                        sdsim_test_command(rows[i].words), result.code, rows[i].code,
                        rows[i].message, result.err, result.out);
            wrong++;
        }
        sdsim_test_result_free(&result);
    }
    assert_int_equal(wrong, 0);
    assert_false(sdsim_test_exists("hole.sdt"));
    assert_false(sdsim_test_exists("a.sdt"));
    assert_false(sdsim_test_exists("x"));
    assert_false(sdsim_test_exists("x.ops"));
}

/* What a fault leaves, and what --partial does about it. */
static void test_partial(void **state)
{
    (void)state;
    struct sdsim_test_result result =
        run((const char *[]){"import", "hole.blocks", "-o", "part.blocks", "--partial", NULL});
    size_t size;
    assert_int_equal(result.code, 2);
    sdsim_test_result_free(&result);
    char *text = sdsim_test_read_file("part.blocks", &size);
    assert_non_null(text);
    assert_string_equal(text, "R 1 1\nW 2 8\n");
    free(text);
}

/* Several files make one trace, each with its own labels. */
static void test_several(void **state)
{
    (void)state;
    sdsim_test_write_text("one.blocks", "#! card=plain\nR 1 1 # a\nR 2 1 # b\n");
    sdsim_test_write_text("two.blocks", "#! card=other\nW 3 1 # b\nW 4 1 # c\nW 5 1 # FAT1\n");
    struct sdsim_test_result result =
        run((const char *[]){"import", "one.blocks", "two.blocks", "-o", "both.sdt", NULL});
    assert_int_equal(result.code, 0);
    sdsim_test_result_free(&result);
    result = run((const char *[]){"import", "both.sdt", NULL});
    assert_string_equal(result.out, "#! card=plain\nR 1 1 # a\nR 2 1 # b\nW 3 1 # b\nW 4 1 # "
                                    "c\nW 5 1 # FAT1\n");
    sdsim_test_result_free(&result);
}

/* A run, its trace in every form, and each of them again: all say the same. */
static void test_round_trip(void **state)
{
    (void)state;
    static const char *const forms[] = {"t.blocks", "t.sdt", "t.zst", "t.ops"};
    char *texts[3] = {NULL};
    for (size_t i = 0; i < COUNT(forms); i++) {
        const char *const write[] = {"run", "bench",   "write",  "--draws",
                                     "0",   "--trace", forms[i], NULL};
        struct sdsim_test_result result = run(write);
        assert_int_equal(result.code, 0);
        sdsim_test_result_free(&result);
        result = run((const char *[]){"import", forms[i], NULL});
        assert_int_equal(result.code, 0);
        if (i < 3) {
            texts[i] = strdup(result.out);
        }
        sdsim_test_result_free(&result);
        /* On what the trace says it was recorded on, everything takes as long as it did. */
        result = run((const char *[]){"replay", forms[i], "--think", "--draws", "0", "--csv",
                                      "--rows", NULL});
        assert_int_equal(result.code, 0);
        size_t lines = 0;
        char *rest = NULL;
        for (char *line = strtok_r(result.out, "\n", &rest); line != NULL;
             line = strtok_r(NULL, "\n", &rest)) {
            char fields[11][64] = {""};
            int n = 0;
            for (char *p = line; p != NULL && n < 11; n++) {
                char *comma = strchr(p, ',');
                const size_t length = comma != NULL ? (size_t)(comma - p) : strlen(p);
                snprintf(fields[n], sizeof fields[n], "%.*s", (int)length, p);
                p = comma != NULL ? comma + 1 : NULL;
            }
            if (lines++ > 0) {
                assert_string_equal(fields[6], fields[8]);
                assert_string_equal(fields[7], fields[9]);
            }
        }
        assert_true(lines > 100);
        sdsim_test_result_free(&result);
    }
    assert_string_equal(texts[0], texts[1]);
    assert_string_equal(texts[0], texts[2]);
    for (size_t i = 0; i < 3; i++) {
        free(texts[i]);
    }
}

/* ---- a published case ---- */

/* An upload through a web server: writes of `bytes`, with pauses of `gap_ms` between them. */
static void write_upload(const char *path, unsigned bytes, double gap_ms)
{
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs("mount\nopen /UPLOAD.BIN a\n", out);
    for (int i = 0; i < 300; i++) {
        fprintf(out, "@%.3fms +6ms write %u\n", 1000 + i * (6 + gap_ms), bytes);
    }
    fputs("close\n", out);
    assert_int_equal(fclose(out), 0);
}

/*
 * An ESP32 writes uploads at 0.3 MB/s to a card that takes 3 MB/s and more from a test loop
 * (espressif/esp-idf issue 6749): the network is what limits, and at first the writes are no whole
 * sectors either. The replay has to tell the two apart.
 */
static void test_upload(void **state)
{
    (void)state;
    static const struct {
        unsigned bytes;
        double gap;
        bool misaligned;
    } rows[] = {{31700, 70, true}, {32768, 68, false}};
    double rates[2];
    for (size_t i = 0; i < COUNT(rows); i++) {
        write_upload("upload.ops", rows[i].bytes, rows[i].gap);
        struct sdsim_test_result result =
            run_over(real_data, (const char *[]){"replay", "upload.ops", "--host", "esp32",
                                                 "--driver", "esp-idf-sdmmc", "--bus", "sd4",
                                                 "--clock", "40MHz", "--card", "sandisk-ultra-16gb",
                                                 "--json", "--draws", "0", "--think", NULL});
        if (result.code != 0) {
            fail_msg("%s", result.err);
        }
        json_t *json = json_loads(result.out, 0, NULL);
        assert_non_null(json);
        assert_true(json_is_true(json_object_get(json, "producer_limited")));
        const json_t *predicted = json_object_get(json, "predicted");
        const double in_calls = json_number_value(json_object_get(predicted, "in_calls"));
        const double between = json_number_value(json_object_get(predicted, "between"));
        const double share = json_number_value(json_object_get(predicted, "share_of_calls"));
        const double written = json_number_value(json_object_get(json, "bytes_written"));
        const json_int_t unaligned = json_integer_value(json_object_get(json, "unaligned"));
        assert_int_equal(unaligned, rows[i].misaligned ? 300 : 0);
        rates[i] = written / in_calls;
        if (rates[i] < 4.5e6 || rates[i] > 9e6 || written / (in_calls + between) > 0.5e6 ||
            share < 0.04 || share > 0.12) {
            fail_msg("%u bytes: %.3g MB/s in calls, %.3g over all, share %.3f", rows[i].bytes,
                     rates[i] / 1e6, written / (in_calls + between) / 1e6, share);
        }
        json_decref(json);
        sdsim_test_result_free(&result);
    }
    assert_true(rates[1] > 1.1 * rates[0]);
}

/* Logs of several hosts are read twice to find the busiest, but standard input can't be, even where
 * a file is called like it. */
static void test_standard_input(void **state)
{
    enum { CALLS = 6000 }; /* far more than is looked at to tell the format */
    (void)state;
    FILE *log = fopen("two.ftrace", "wb");
    assert_non_null(log);
    for (int i = 0; i < CALLS; i++) {
        fprintf(log,
                " a-1 [000] .... %d.5: mmc_request_start: mmc%d: start struct mmc_request[0]: "
                "cmd_opcode=25 cmd_arg=0x0 blocks=8 block_size=512 blk_addr=%d\n",
                i, i % 3 == 2, 8 * i);
    }
    assert_int_equal(fclose(log), 0);
    assert_int_equal(link("two.ftrace", "-"), 0);
    const char *const words[] = {"import", "--to", "blocks", "-", NULL};
    const char *const setting[] = {test_data, "LC_ALL=C", "<two.ftrace", NULL};
    struct sdsim_test_result result = sdsim_test_run(words, setting);
    assert_int_equal(result.code, 0);
    int lines = 0;
    for (const char *p = result.out; *p != '\0'; p++) {
        lines += *p == '\n';
    }
    assert_int_equal(lines, CALLS / 3 * 2);
    assert_non_null(strstr(result.err, "mmc1 (2000)"));
    sdsim_test_result_free(&result);
    assert_int_equal(unlink("-"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_outputs),    cmocka_unit_test(test_standard_input),
        cmocka_unit_test(test_messages),   cmocka_unit_test(test_partial),
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_several),
        cmocka_unit_test(test_upload),
    };
    sdsim_test_need_program();
    if (getcwd(source, sizeof source) == NULL || chdir(sdsim_test_folder()) != 0) {
        puts("no folder to work in");
        return 1;
    }
    snprintf(test_data, sizeof test_data, "SDSIM_DATA_DIR=%s/tests/golden/data", source);
    snprintf(real_data, sizeof real_data, "SDSIM_DATA_DIR=%s", source);
    write_inputs();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
