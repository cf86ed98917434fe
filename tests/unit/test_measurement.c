/* Files of measurements: what is read from both forms. test_measurement_faults.c: what is refused. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure/measurement.h"
#include "unit/config_fixture.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Tests run in a folder of their own, so that messages name short paths. */
static int set_up(void **state)
{
    (void)state;
    return chdir(sdsim_test_folder());
}

/* ---- records as text ---- */

static void print_text(FILE *out, const char *name, const char *text)
{
    if (text[0] != '\0') {
        fprintf(out, " %s=%s", name, text);
    }
}

static void print_count(FILE *out, const char *name, uint64_t count)
{
    if (count > 0) {
        fprintf(out, " %s=%" PRIu64, name, count);
    }
}

static void print_answer(FILE *out, const char *name, enum sdsim_answer answer)
{
    if (answer != SDSIM_UNSAID) {
        fprintf(out, " %s=%s", name, answer == SDSIM_YES ? "yes" : "no");
    }
}

/* Everything that is given, on one line: "1 a esp32 spi sd read throughput_Bps 5 ...". */
static void print_record(FILE *out, const struct sdsim_measurement *record)
{
    fprintf(out, "%" PRIu32 " %s %s %s %s %s %s %g", record->line, record->id, record->host,
            record->bus, record->driver, record->op, sdsim_measured_name(record->metric),
            record->value);
    if (record->low < record->high) {
        fprintf(out, " (%g..%g)", record->low, record->high);
    }
    print_text(out, "source", record->source);
    print_text(out, "group", record->group);
    print_count(out, "year", record->year);
    print_count(out, "cpu", record->cpu_hz);
    print_count(out, "asked", record->clock_requested_hz);
    print_count(out, "clock", record->clock_hz);
    print_text(out, "api", record->api);
    print_answer(out, "dma", record->dma);
    print_text(out, "card", record->card);
    print_text(out, "class", record->card_class);
    print_text(out, "fs", record->fs);
    print_count(out, "cluster", record->cluster_bytes);
    print_count(out, "chunk", record->chunk_bytes);
    print_count(out, "total", record->total_bytes);
    print_answer(out, "preallocated", record->preallocated);
    print_answer(out, "sync", record->sync_per_write);
    for (size_t i = 0; i < record->assumption_count; i++) {
        fprintf(out, " <%s>", record->assumptions[i]);
    }
    fputc('\n', out);
}

/* Reads a text as a file; *messages and what is returned (the records) are for the caller to free.
 */
static char *read_text(const char *path, const char *text, size_t size, bool *fine, char **messages)
{
    struct sdsim_test_config f;
    struct sdsim_measurements list = {.items = NULL};
    char *printed = NULL;
    size_t printed_size;
    sdsim_test_write_file(path, text, size);
    sdsim_test_config_set_up(&f, NULL);
    *fine = sdsim_measurements_read(&list, f.config, path, &f.diags);
    FILE *out = open_memstream(&printed, &printed_size);
    assert_non_null(out);
    for (size_t i = 0; i < list.count; i++) {
        assert_string_equal(list.items[i].file, path);
        print_record(out, &list.items[i]);
    }
    assert_int_equal(fclose(out), 0);
    *messages = sdsim_test_diag_text(&f.diags);
    sdsim_measurements_free(&list);
    sdsim_test_config_tear_down(&f);
    return printed;
}

static void check_good(size_t row, const char *path, const char *text, size_t size,
                       const char *expected)
{
    bool fine;
    char *messages;
    char *printed = read_text(path, text, size, &fine, &messages);
    if (!fine || messages[0] != '\0' || strcmp(printed, expected) != 0) {
        fail_msg("row %zu: %s\ngives\n%sand not\n%s%s", row, text, printed, expected, messages);
    }
    free(printed);
    free(messages);
}

/* ---- what is read ---- */

#define WHO   "\"id\":\"a\",\"host\":\"esp32\",\"driver\":\"sd\","
#define BASIC WHO "\"bus\":\"spi\",\"op\":\"read\","
#define NUM   "\"metric\":\"throughput_Bps\",\"value\":5"

static void test_json(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *records;
    } rows[] = {
        {"{" BASIC NUM "}\n", "1 a esp32 spi sd read throughput_Bps 5\n"},
        /* the last line may lack its end; blank lines, comments and CRLF count as lines only */
        {"{" BASIC NUM "}", "1 a esp32 spi sd read throughput_Bps 5\n"},
        {"\n# why\n  \n{" BASIC NUM "}\n\n", "4 a esp32 spi sd read throughput_Bps 5\n"},
        {"{" BASIC NUM "}\r\n{" BASIC NUM "}\r\n", "1 a esp32 spi sd read throughput_Bps 5\n"
                                                   "2 a esp32 spi sd read throughput_Bps 5\n"},
        {"  { \"value\" : 2.5e-3, \"metric\":\"latency_mean_s\", " WHO
         "\"bus\":\"sd4\",\"op\":\"random-write\" }\n",
         "1 a esp32 sd4 sd random-write latency_mean_s 0.0025\n"},
        /* every metric, bus and operation */
        {"{" WHO "\"bus\":\"sd1\",\"op\":\"write\",\"metric\":\"latency_min_s\",\"value\":1e-4}\n"
         "{" WHO "\"bus\":\"sd4\",\"op\":\"append\",\"metric\":\"latency_max_s\",\"value\":0.25}\n"
         "{" WHO "\"bus\":\"spi\",\"op\":\"random-read\"," NUM "}\n",
         "1 a esp32 sd1 sd write latency_min_s 0.0001\n"
         "2 a esp32 sd4 sd append latency_max_s 0.25\n"
         "3 a esp32 spi sd random-read throughput_Bps 5\n"},
        /* all there is */
        {"{" BASIC NUM ",\"source\":\"s\",\"group\":\"g\",\"year\":2021,\"cpu_hz\":240000000,"
         "\"clock_requested_hz\":40000000,\"clock_hz\":26666667,\"api\":\"fatfs\",\"dma\":true,"
         "\"card\":\"Some, 8 GB\",\"card_class\":\"unknown\",\"fs\":\"fat32\","
         "\"cluster_bytes\":32768,\"chunk_bytes\":512,\"total_bytes\":1048576,"
         "\"preallocated\":false,\"sync_per_write\":true,\"assumptions\":[\"n=1\",\"a remark\"]}",
         "1 a esp32 spi sd read throughput_Bps 5 source=s group=g year=2021 cpu=240000000 "
         "asked=40000000 clock=26666667 api=fatfs dma=yes card=Some, 8 GB class=unknown fs=fat32 "
         "cluster=32768 chunk=512 total=1048576 preallocated=no sync=yes <n=1> <a remark>\n"},
        /* null and empty: not said; so is what is no text, number or answer */
        {"{" BASIC NUM ",\"source\":null,\"year\":null,\"dma\":null,\"assumptions\":null}",
         "1 a esp32 spi sd read throughput_Bps 5\n"},
        {"{" BASIC NUM ",\"source\":\"\",\"card\":\"\",\"assumptions\":[]}",
         "1 a esp32 spi sd read throughput_Bps 5\n"},
        {"{" BASIC NUM ",\"source\":[1],\"card\":{\"a\":1},\"assumptions\":[1,\"x\",null,[]]}",
         "1 a esp32 spi sd read throughput_Bps 5 <x>\n"},
        /* unknown fields, and numbers as texts */
        {"{" BASIC NUM ",\"colour\":\"red\",\"Value\":7,\"low\":1,\"line\":9}",
         "1 a esp32 spi sd read throughput_Bps 5\n"},
        {"{" BASIC "\"metric\":\"throughput_Bps\",\"value\":\"5e6\",\"year\":\"2020\"}",
         "1 a esp32 spi sd read throughput_Bps 5e+06 year=2020\n"},
        {"{\"id\":17,\"host\":\"esp32\",\"driver\":\"sd\",\"bus\":\"spi\",\"op\":\"read\"," NUM "}",
         "1 17 esp32 spi sd read throughput_Bps 5\n"},
        {"{" BASIC NUM ",\"dma\":\"yes\",\"preallocated\":0,\"sync_per_write\":\"false\"}",
         "1 a esp32 spi sd read throughput_Bps 5 dma=yes preallocated=no sync=no\n"},
        {"{" BASIC NUM ",\"card\":\"Gr\\u00fc\\u00dfe \\\"8\\\"\"}",
         "1 a esp32 spi sd read throughput_Bps 5 card=Gr\xc3\xbc\xc3\x9f"
         "e \"8\"\n"},
        {"{" BASIC NUM ",\"chunk_bytes\":512.0,\"total_bytes\":1e6}",
         "1 a esp32 spi sd read throughput_Bps 5 chunk=512 total=1000000\n"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        check_good(i, "m.jsonl", rows[i].text, strlen(rows[i].text), rows[i].records);
    }
}

#define HEAD "id,host,driver,bus,op,metric,value"

static void test_csv(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *records;
    } rows[] = {
        {HEAD "\na,esp32,sd,spi,read,throughput_Bps,5\n",
         "2 a esp32 spi sd read throughput_Bps 5\n"},
        {HEAD "\r\na,esp32,sd,spi,read,throughput_Bps,5\r\n",
         "2 a esp32 spi sd read throughput_Bps 5\n"},
        {HEAD "\na,esp32,sd,spi,read,throughput_Bps,5", "2 a esp32 spi sd read throughput_Bps 5\n"},
        /* any order; empty fields and columns nobody knows */
        {"value,metric,note,op,bus,driver,host,id,year,dma\n"
         "5,throughput_Bps,hm,read,spi,sd,esp32,a,,\n"
         "6,latency_max_s,,write,sd4,sd,esp32,b,2020,1\n",
         "2 a esp32 spi sd read throughput_Bps 5\n"
         "3 b esp32 sd4 sd write latency_max_s 6 year=2020 dma=yes\n"},
        /* quotes */
        {HEAD ",card,source\n"
              "\"a\",esp32,sd,spi,read,throughput_Bps,\"5\",\"Some, 8 GB\",\"he said \"\"8\"\"\"\n"
              "b,esp32,sd,spi,read,throughput_Bps,5,\"\",\"\"\"\"\n",
         "2 a esp32 spi sd read throughput_Bps 5 source=he said \"8\" card=Some, 8 GB\n"
         "3 b esp32 spi sd read throughput_Bps 5 source=\"\n"},
        {"\"id\",\"host\",\"driver\",\"bus\",\"op\",\"metric\",\"value\"\n"
         "\"a\",\"esp32\",\"sd\",\"spi\",\"read\",\"throughput_Bps\",\"5\"\n",
         "2 a esp32 spi sd read throughput_Bps 5\n"},
        /* as a serial port gives it: boot log, comments, the end */
        {"ets Jun  8 2016 00:22:57\r\nrst:0x1 (POWERON_RESET),boot:0x13\r\nSPIWP:0xee\r\n"
         "# sdbench 1\r\n# id, host and metric are the first columns\r\n" HEAD ",assumptions\r\n"
         "# write 512\r\n"
         "a,esp32,sd,spi,write,throughput_Bps,5,state=new;timer_step_s=0.000001\r\n\r\n# end\r\n",
         "8 a esp32 spi sd write throughput_Bps 5 <state=new> <timer_step_s=0.000001>\n"},
        {"\"unclosed in a log, id, metric\n" HEAD "\na,esp32,sd,spi,read,throughput_Bps,5\n",
         "3 a esp32 spi sd read throughput_Bps 5\n"},
        {"the grid, metrical\n" HEAD "\na,esp32,sd,spi,read,throughput_Bps,5\n",
         "3 a esp32 spi sd read throughput_Bps 5\n"},
        /* spreadsheets begin UTF-8 with a mark */
        {"\xef\xbb\xbf" HEAD "\na,esp32,sd,spi,read,throughput_Bps,5\n",
         "2 a esp32 spi sd read throughput_Bps 5\n"},
        /* parts of the assumptions */
        {HEAD ",assumptions\na,esp32,sd,spi,read,throughput_Bps,5,one\n"
              "b,esp32,sd,spi,read,throughput_Bps,5,n=1; two words ;;last;\n"
              "c,esp32,sd,spi,read,throughput_Bps,5,; ;\n"
              "d,esp32,sd,spi,read,throughput_Bps,5,\"a, b;c\"\n",
         "2 a esp32 spi sd read throughput_Bps 5 <one>\n"
         "3 b esp32 spi sd read throughput_Bps 5 <n=1> <two words > <last>\n"
         "4 c esp32 spi sd read throughput_Bps 5\n"
         "5 d esp32 spi sd read throughput_Bps 5 <a, b> <c>\n"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        check_good(i, "m.csv", rows[i].text, strlen(rows[i].text), rows[i].records);
    }
}

/* ---- ranges ---- */

static void test_ranges(void **state)
{
    (void)state;
    static const struct {
        const char *lines; /* fields behind the basic ones, by '\n' */
        const char *records;
    } rows[] = {
        {",,,range=low,4\n,,,range=high,9\n", "2 a esp32 spi sd read throughput_Bps 4 (4..9) "
                                              "<range=low>\n"
                                              "3 a esp32 spi sd read throughput_Bps 9 (4..9) "
                                              "<range=high>\n"},
        {",,,range=high,9\n,,,range=low,4\n", "2 a esp32 spi sd read throughput_Bps 9 (4..9) "
                                              "<range=high>\n"
                                              "3 a esp32 spi sd read throughput_Bps 4 (4..9) "
                                              "<range=low>\n"},
        /* whichever is called so */
        {",,,range=low,9\n,,,range=high,4\n", "2 a esp32 spi sd read throughput_Bps 9 (4..9) "
                                              "<range=low>\n"
                                              "3 a esp32 spi sd read throughput_Bps 4 (4..9) "
                                              "<range=high>\n"},
        /* other runs have other ranges */
        {"g,512,,range=low,4\nh,512,,range=high,9\n",
         "2 a esp32 spi sd read throughput_Bps 4 group=g chunk=512 <range=low>\n"
         "3 a esp32 spi sd read throughput_Bps 9 group=h chunk=512 <range=high>\n"},
        {"g,512,,range=low,4\ng,1024,,range=high,9\n",
         "2 a esp32 spi sd read throughput_Bps 4 group=g chunk=512 <range=low>\n"
         "3 a esp32 spi sd read throughput_Bps 9 group=g chunk=1024 <range=high>\n"},
        {"g,512,7000,range=low,4\ng,512,8000,range=high,9\n",
         "2 a esp32 spi sd read throughput_Bps 4 group=g chunk=512 total=7000 <range=low>\n"
         "3 a esp32 spi sd read throughput_Bps 9 group=g chunk=512 total=8000 <range=high>\n"},
        /* half a range is a value */
        {",,,range=low,4\n,,,range=lower,9\n",
         "2 a esp32 spi sd read throughput_Bps 4 <range=low>\n"
         "3 a esp32 spi sd read throughput_Bps 9 <range=lower>\n"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        static const char head[] =
            "id,host,driver,bus,op,metric,group,chunk_bytes,total_bytes,assumptions,value\n";
        char text[1000];
        size_t used = (size_t)snprintf(text, sizeof text, "%s", head);
        for (const char *at = rows[i].lines; *at != '\0'; at = strchr(at, '\n') + 1) {
            const size_t length = strcspn(at, "\n") + 1;
            used += (size_t)snprintf(text + used, sizeof text - used,
                                     "a,esp32,sd,spi,read,throughput_Bps,%.*s", (int)length, at);
        }
        check_good(i, "m.csv", text, used, rows[i].records);
    }
}

/* Neither do records without a group share a range because they have none. */
static void test_other_hosts(void **state)
{
    (void)state;
    static const char text[] = HEAD ",assumptions\n"
                                    "a,esp32,sd,spi,read,throughput_Bps,5,range=low\n"
                                    "b,esp32,sd,spi,read,throughput_Bps,6,range=high\n"
                                    "c,rp2040,sd,spi,read,throughput_Bps,1,range=low\n"
                                    "d,rp2040,sd,spi,read,throughput_Bps,2,range=high\n";
    check_good(0, "m.csv", text, sizeof text - 1,
               "2 a esp32 spi sd read throughput_Bps 5 (5..6) <range=low>\n"
               "3 b esp32 spi sd read throughput_Bps 6 (5..6) <range=high>\n"
               "4 c rp2040 spi sd read throughput_Bps 1 (1..2) <range=low>\n"
               "5 d rp2040 spi sd read throughput_Bps 2 (1..2) <range=high>\n");
}

/* A range is one of two of its kind, not of another file's. */
static void test_two_files(void **state)
{
    (void)state;
    static const char low[] = "{" BASIC NUM ",\"assumptions\":[\"range=low\"]}\n";
    static const char high[] =
        "{" BASIC "\"metric\":\"throughput_Bps\",\"value\":8,\"assumptions\":[\"range=high\"]}\n";
    struct sdsim_test_config f;
    struct sdsim_measurements list = {.items = NULL};
    sdsim_test_config_set_up(&f, NULL);
    sdsim_test_write_file("m.jsonl", low, sizeof low - 1);
    assert_true(sdsim_measurements_read(&list, f.config, "m.jsonl", &f.diags));
    sdsim_test_write_file("m.jsonl", high, sizeof high - 1);
    assert_true(sdsim_measurements_read(&list, f.config, "m.jsonl", &f.diags));
    assert_int_equal(list.count, 2);
    assert_true(list.items[0].high < 5.5 && list.items[1].low > 7.5);
    sdsim_measurements_free(&list);
    sdsim_test_config_tear_down(&f);
}

/* ---- words ---- */

static void test_assumptions(void **state)
{
    (void)state;
    static const char *const texts[] = {"state=new", "n=", "stream=per-call", "a remark on n=3",
                                        "state=used"};
    const struct sdsim_measurement record = {.assumptions = texts,
                                             .assumption_count = COUNT(texts)};
    assert_string_equal(sdsim_assumption(&record, "state"), "new"); /* the first counts */
    assert_string_equal(sdsim_assumption(&record, "n"), "");
    assert_null(sdsim_assumption(&record, "stat"));
    assert_null(sdsim_assumption(&record, "a remark on n=3"));
    assert_true(sdsim_assumes(&record, "stream", "per-call"));
    assert_false(sdsim_assumes(&record, "stream", "per"));
    assert_false(sdsim_assumes(&record, "streams", "per-call"));
    assert_true(sdsim_remarks(&record, "a remark"));
    assert_true(sdsim_remarks(&record, "state=new"));
    assert_false(sdsim_remarks(&record, "remark"));
}

static void test_names(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        bool is_file;
    } rows[] = {
        {"a.jsonl", true}, {"a.csv", true},      {"dir.x/a.csv", true}, {"a.json", false},
        {"csv", false},    {"a.csv.gz", false},  {"a.yaml", false},     {"", false},
        {"a.CSV", false},  {"a.jsonl/b", false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(sdsim_measurements_is_file(rows[i].path), rows[i].is_file);
    }
    assert_string_equal(sdsim_measured_name(SDSIM_MEASURED_MIN), "latency_min_s");
    assert_string_equal(sdsim_measured_unit(SDSIM_MEASURED_MIN), "s");
    assert_string_equal(sdsim_measured_unit(SDSIM_MEASURED_THROUGHPUT), "B/s");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json),      cmocka_unit_test(test_csv),
        cmocka_unit_test(test_ranges),    cmocka_unit_test(test_other_hosts),
        cmocka_unit_test(test_two_files), cmocka_unit_test(test_assumptions),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
