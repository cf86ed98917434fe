/* Files of measurements that are refused: everything that can be wrong with one. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alloc.h"
#include "measure/measurement.h"
#include "unit/config_fixture.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

#define WHO   "\"id\":\"a\",\"host\":\"esp32\",\"driver\":\"sd\","
#define BASIC WHO "\"bus\":\"spi\",\"op\":\"read\","
#define NUM   "\"metric\":\"throughput_Bps\",\"value\":5"
#define HEAD  "id,host,driver,bus,op,metric,value"

/* Tests run in a folder of their own, so that messages name short paths. */
static int set_up(void **state)
{
    (void)state;
    return chdir(sdsim_test_folder());
}

/* Reads a text as a file; all that is said, for the caller to free. */
static char *messages_of(const char *path, const char *text, size_t size, bool *fine)
{
    struct sdsim_test_config f;
    struct sdsim_measurements list = {.items = NULL};
    sdsim_test_write_file(path, text, size);
    sdsim_test_config_set_up(&f, NULL);
    *fine = sdsim_measurements_read(&list, f.config, path, &f.diags);
    char *messages = sdsim_test_diag_text(&f.diags);
    sdsim_measurements_free(&list);
    sdsim_test_config_tear_down(&f);
    return messages;
}

static void check_bad(size_t row, const char *path, const char *text, size_t size,
                      const char *expected)
{
    bool fine;
    char *messages = messages_of(path, text, size, &fine);
    if (fine || strcmp(messages, expected) != 0) {
        fail_msg("row %zu: %.200s\n%s, says\n%sand not\n%s", row, text, fine ? "fine" : "refused",
                 messages, expected);
    }
    free(messages);
}

#define ONE_OBJECT "help: each line is one JSON object\n"
#define METRICS    " is not one of: throughput_Bps, latency_mean_s, latency_min_s, latency_max_s\n"

static void test_bad_json(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t size;
        const char *messages;
    } rows[] = {
        {SDSIM_TEST_BYTES(""), "m.jsonl: error: there is no measurement in it\n"},
        {SDSIM_TEST_BYTES("\n# nothing\n\n"), "m.jsonl: error: there is no measurement in it\n"},
        {SDSIM_TEST_BYTES("{\"id\": \"a\",, }\n"),
         "m.jsonl:1: error: column 12: string or '}' expected near ','\n" ONE_OBJECT},
        {SDSIM_TEST_BYTES("{" BASIC NUM "}\n\n{" BASIC NUM "\n"),
         "m.jsonl:3: error: column 98: '}' expected near end of file\n" ONE_OBJECT},
        {SDSIM_TEST_BYTES("{" BASIC NUM "} {}\n"),
         "m.jsonl:1: error: column 101: end of file expected near '{'\n" ONE_OBJECT},
        {SDSIM_TEST_BYTES("{" BASIC NUM ",\"value\":6}\n"),
         "m.jsonl:1: error: column 106: duplicate object key near '\"value\"'\n" ONE_OBJECT},
        {SDSIM_TEST_BYTES("[1, 2]\n"), "m.jsonl:1: error: this is no JSON object\n" ONE_OBJECT},
        {SDSIM_TEST_BYTES("{" WHO "\"bus\":\"spi\",\"op\":\"read\",\"value\":NaN}\n"),
         "m.jsonl:1: error: column 74: invalid token near 'NaN'\n" ONE_OBJECT},
        /* what every record needs, all of it in one go */
        {SDSIM_TEST_BYTES("{}\n"),
         "m.jsonl:1: error: the record has no value\n"
         "m.jsonl:1: error: the record has no metric\n"
         "m.jsonl:1: error: the record has no id\n"
         "m.jsonl:1: error: bus: '' is not one of: spi, sd1, sd4\n"
         "m.jsonl:1: error: op: '' is not one of: read, write, append, random-read, "
         "random-write\n"},
        {SDSIM_TEST_BYTES("{\"host\":\"h\",\"driver\":\"d\",\"bus\":\"spi\",\"op\":\"read\"," NUM
                          "}\n"),
         "m.jsonl:1: error: the record has no id\n"},
        {SDSIM_TEST_BYTES("{\"id\":\"h\",\"driver\":\"d\",\"bus\":\"spi\",\"op\":\"read\"," NUM
                          "}\n"),
         "m.jsonl:1: error: the record has no host\n"},
        {SDSIM_TEST_BYTES("{\"id\":\"h\",\"host\":\"d\",\"bus\":\"spi\",\"op\":\"read\"," NUM
                          "}\n"),
         "m.jsonl:1: error: the record has no driver\n"},
        /* words nobody knows; good records around bad ones */
        {SDSIM_TEST_BYTES("{" BASIC NUM "}\n{" WHO "\"bus\":\"sdio\",\"op\":\"read\"," NUM
                          "}\n{" BASIC NUM "}\n{" WHO "\"bus\":\"spi\",\"op\":\"Read\"," NUM "}\n"),
         "m.jsonl:2: error: bus: 'sdio' is not one of: spi, sd1, sd4\n"
         "m.jsonl:4: error: op: 'Read' is not one of: read, write, append, random-read, "
         "random-write\n"},
        {SDSIM_TEST_BYTES("{" BASIC "\"metric\":\"speed\",\"value\":5}\n"),
         "m.jsonl:1: error: metric: 'speed'" METRICS},
        /* values */
        {SDSIM_TEST_BYTES("{" BASIC "\"metric\":\"throughput_Bps\",\"value\":0}\n"),
         "m.jsonl:1: error: value: expected a number above zero, not '0'\n"},
        {SDSIM_TEST_BYTES("{" BASIC "\"metric\":\"throughput_Bps\",\"value\":-5}\n"),
         "m.jsonl:1: error: value: expected a number above zero, not '-5'\n"},
        {SDSIM_TEST_BYTES("{" BASIC "\"metric\":\"throughput_Bps\",\"value\":\"NaN\"}\n"),
         "m.jsonl:1: error: value: expected a number above zero, not 'NaN'\n"},
        {SDSIM_TEST_BYTES("{" BASIC "\"metric\":\"throughput_Bps\",\"value\":\"inf\"}\n"),
         "m.jsonl:1: error: value: expected a number above zero, not 'inf'\n"},
        {SDSIM_TEST_BYTES("{" BASIC "\"metric\":\"throughput_Bps\",\"value\":\"5 MB/s\"}\n"),
         "m.jsonl:1: error: value: expected a number above zero, not '5 MB/s'\n"},
        {SDSIM_TEST_BYTES("{" BASIC "\"metric\":\"throughput_Bps\",\"value\":\"\"}\n"),
         "m.jsonl:1: error: value: expected a number above zero, not ''\n"},
        {SDSIM_TEST_BYTES("{" BASIC "\"metric\":\"throughput_Bps\",\"value\":true}\n"),
         "m.jsonl:1: error: value: expected a number above zero, not 'true'\n"},
        {SDSIM_TEST_BYTES("{" BASIC "\"metric\":\"throughput_Bps\",\"value\":null}\n"),
         "m.jsonl:1: error: the record has no value\n"},
        {SDSIM_TEST_BYTES("{" BASIC "\"metric\":\"throughput_Bps\",\"value\":1e15}\n"),
         "m.jsonl:1: error: value: expected a number above zero, not '1000000000000000'\n"},
        /* counts and answers */
        {SDSIM_TEST_BYTES("{" BASIC NUM ",\"chunk_bytes\":-1,\"dma\":\"maybe\"}\n"),
         "m.jsonl:1: error: chunk_bytes: expected a whole number, not '-1'\n"
         "m.jsonl:1: error: dma: expected true or false, not 'maybe'\n"},
        {SDSIM_TEST_BYTES("{" BASIC NUM ",\"cpu_hz\":\"80 MHz\"}\n"),
         "m.jsonl:1: error: cpu_hz: expected a whole number, not '80 MHz'\n"},
        {SDSIM_TEST_BYTES("{" BASIC NUM ",\"clock_hz\":\"nan\"}\n"),
         "m.jsonl:1: error: clock_hz: expected a whole number, not 'nan'\n"},
        {SDSIM_TEST_BYTES("{" BASIC NUM ",\"total_bytes\":1e16}\n"),
         "m.jsonl:1: error: total_bytes: expected a whole number, not '10000000000000000'\n"},
        /* what must not reach a terminal */
        {SDSIM_TEST_BYTES("{" BASIC NUM ",\"card\":\"\\u001b[31mred\",\"group\":\"a\\nb\"}\n"),
         "m.jsonl:1: error: card: expected text in UTF-8 without control characters\n"
         "m.jsonl:1: error: group: expected text in UTF-8 without control characters\n"},
        {SDSIM_TEST_BYTES("{" BASIC NUM "}\n{\"id\":\0}\n"),
         "m.jsonl:2: error: a zero byte in the text\n"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        check_bad(i, "m.jsonl", rows[i].text, rows[i].size, rows[i].messages);
    }
}

static void test_bad_csv(void **state)
{
    (void)state;
    static const char no_names[] =
        "m.csv: error: there is no line of column names (id,...,metric,value)\n";
    static const struct {
        const char *text;
        size_t size;
        const char *messages;
    } rows[] = {
        {SDSIM_TEST_BYTES(""), no_names},
        {SDSIM_TEST_BYTES("a,esp32,sd,spi,read,throughput_Bps,5\n"), no_names},
        {SDSIM_TEST_BYTES("# " HEAD "\n"), no_names},
        {SDSIM_TEST_BYTES(HEAD "\n"), "m.csv: error: there is no measurement in it\n"},
        {SDSIM_TEST_BYTES(HEAD "\n# end\n"), "m.csv: error: there is no measurement in it\n"},
        {SDSIM_TEST_BYTES(HEAD "\na,esp32,sd,spi,read,throughput_Bps,5,6\n"
                               "b,esp32,sd,spi,read,throughput_Bps\n"),
         "m.csv:2: error: 8 fields where the first line names 7 columns\n"
         "m.csv:3: error: 6 fields where the first line names 7 columns\n"},
        {SDSIM_TEST_BYTES(HEAD "\na,\"esp32,sd,spi,read,throughput_Bps,5\n"
                               "b,esp32,sd,spi,read,speed,5\n"),
         "m.csv:2: error: a quote is not closed at the end of a field\n"
         "m.csv:3: error: metric: 'speed'" METRICS},
        {SDSIM_TEST_BYTES(HEAD "\na,\"esp32\"x,sd,spi,read,throughput_Bps,5\n"),
         "m.csv:2: error: a quote is not closed at the end of a field\n"},
        {SDSIM_TEST_BYTES(HEAD "\na,,sd,spi,read,throughput_Bps,0\n"),
         "m.csv:2: error: value: expected a number above zero, not '0'\n"},
        {SDSIM_TEST_BYTES(HEAD "\na,,sd,spi,read,throughput_Bps,\n"),
         "m.csv:2: error: the record has no value\nm.csv:2: error: the record has no host\n"},
        {SDSIM_TEST_BYTES(HEAD "\ncaf\xe9,esp32,sd,spi,read,throughput_Bps,5\n"),
         "m.csv:2: error: id: expected text in UTF-8 without control characters\n"},
        {SDSIM_TEST_BYTES(HEAD "\na,esp32,sd,spi,read,throughput_Bps,5\0\n"),
         "m.csv:2: error: a zero byte in the text\n"},
        {SDSIM_TEST_BYTES("\0" HEAD "\n"), "m.csv:1: error: a zero byte in the text\n"},
        {SDSIM_TEST_BYTES("id,id,metric,value\n"), "m.csv:1: error: two columns are named 'id'\n"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        check_bad(i, "m.csv", rows[i].text, rows[i].size, rows[i].messages);
    }
}

/* More than a line, or a list of columns, should be. */
static void test_too_long(void **state)
{
    (void)state;
    size_t size;
    char *text = sdsim_test_repeat("{" BASIC NUM "}\n{\"card\":\"", "xxxxxxxx", 1 << 18, &size);
    check_bad(0, "m.jsonl", text, size, "m.jsonl:2: error: the line is too long\n");
    free(text);
    text = sdsim_test_repeat(HEAD, ",note", 300, &size);
    check_bad(1, "m.csv", text, size, "m.csv:1: error: more than 256 columns\n");
    free(text);
    text = sdsim_test_repeat("{" BASIC NUM "}\n{\"card\":\"", "xxxxxxxx", 1 << 16, &size);
    memcpy(text + size - 3, "\"}\n", 3);
    bool fine;
    char *messages = messages_of("m.jsonl", text, size, &fine);
    assert_non_null(strstr(messages, "m.jsonl:2: error: the record has no value\n"));
    free(messages);
    free(text);
}

static void test_unreadable(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        const char *messages;
    } rows[] = {
        {"none.jsonl", "none.jsonl: error: can't be opened: No such file or directory\n"},
        {"none.csv", "none.csv: error: can't be opened: No such file or directory\n"},
        {".", ".: error: can't be read: Is a directory\n"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sdsim_test_config f;
        struct sdsim_measurements list = {.items = NULL};
        sdsim_test_config_set_up(&f, NULL);
        assert_false(sdsim_measurements_read(&list, f.config, rows[i].path, &f.diags));
        char *messages = sdsim_test_diag_text(&f.diags);
        assert_string_equal(messages, rows[i].messages);
        free(messages);
        sdsim_measurements_free(&list);
        sdsim_test_config_tear_down(&f);
    }
}

/* The limit of the file, on one that takes no room. */
static void test_too_large(void **state)
{
    (void)state;
    struct sdsim_test_config f;
    struct sdsim_measurements list = {.items = NULL};
    sdsim_test_config_set_up(&f, NULL);
    sdsim_test_write_file("m.jsonl", "", 0);
    assert_int_equal(truncate("m.jsonl", ((off_t)256 << 20) + 1), 0);
    assert_false(sdsim_measurements_read(&list, f.config, "m.jsonl", &f.diags));
    char *messages = sdsim_test_diag_text(&f.diags);
    assert_string_equal(messages, "m.jsonl: error: is larger than 256 MiB\n");
    free(messages);
    sdsim_measurements_free(&list);
    sdsim_test_config_tear_down(&f);
}

/* Without memory: a message, and nothing leaks. */
static void test_no_memory(void **state)
{
    (void)state;
    static const char *const paths[] = {"m.jsonl", "m.csv"};
    static const char json[] = "{" BASIC NUM ",\"assumptions\":[\"a\",\"b\"]}\n";
    static const char csv[] = HEAD ",assumptions\na,esp32,sd,spi,read,throughput_Bps,5,a;b\n";
    sdsim_test_write_text(paths[0], json);
    sdsim_test_write_text(paths[1], csv);
    for (size_t i = 0; i < COUNT(paths); i++) {
        for (size_t n = 1;; n++) {
            struct sdsim_test_config f;
            struct sdsim_measurements list = {.items = NULL};
            sdsim_test_config_set_up(&f, NULL);
            sdsim_test_fail_allocation(n);
            const bool fine = sdsim_measurements_read(&list, f.config, paths[i], &f.diags);
            const bool failed = sdsim_test_allocation_failed();
            assert_int_equal(failed, !fine);
            assert_int_equal(failed, f.diags.errors > 0);
            sdsim_measurements_free(&list);
            sdsim_test_config_tear_down(&f);
            if (!failed) {
                break;
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_json),  cmocka_unit_test(test_bad_csv),
        cmocka_unit_test(test_too_long),  cmocka_unit_test(test_unreadable),
        cmocka_unit_test(test_too_large), cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
