/*
 * Every what-if equals a separate run with that change: the command that `explain` prints for it is
 * carried out, and gives the same number to the last digit. Over all shipped scenarios, and traces.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <glob.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"
#include "sanitized.h"

enum { MOST_WORDS = 48 };

static json_t *answer_of(const char *const *arguments)
{
    struct sdsim_test_result result = sdsim_test_run(arguments, NULL);
    json_t *root = result.code == 0 ? json_loads(result.out, 0, NULL) : NULL;
    if (root == NULL) {
        fail_msg("%s: exit code %d, messages:\n%s", sdsim_test_command(arguments), result.code,
                 result.err);
    }
    sdsim_test_result_free(&result);
    return root;
}

/* Splits "sdsim run NAME --set a=b" into arguments; there is nothing quoted in it. */
static size_t split(char *command, const char **words)
{
    size_t count = 0;
    assert_ptr_equal(strstr(command, "sdsim "), command);
    for (char *word = strtok(command + 6, " "); word != NULL; word = strtok(NULL, " ")) {
        assert_true(count < MOST_WORDS - 4);
        words[count++] = word;
    }
    return count;
}

static double number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    assert_true(json_is_number(value));
    return json_number_value(value);
}

static void check_whatif(const json_t *whatif)
{
    const char *words[MOST_WORDS] = {NULL};
    char command[1000];
    snprintf(command, sizeof command, "%s", json_string_value(json_object_get(whatif, "command")));
    size_t count = split(command, words);
    words[count++] = "--draws";
    words[count++] = "0";
    words[count] = "--json";
    json_t *root = answer_of(words);
    const json_t *runs = json_object_get(root, "runs");
    const json_t *run = json_array_get(runs, 0);
    if (json_array_size(runs) != 1 || number(run, "predicted") != number(whatif, "predicted") ||
        strcmp(json_string_value(json_object_get(run, "metric")),
               json_string_value(json_object_get(whatif, "metric"))) != 0) {
        fail_msg("%s: predicted %.17g, not %.17g", sdsim_test_command(words),
                 number(run, "predicted"), number(whatif, "predicted"));
    }
    json_decref(root);
}

static void whatifs_are_runs(void **state)
{
    (void)state;
    glob_t files;
    size_t checked = 0;
    assert_int_equal(glob("scenarios/*.yaml", 0, NULL, &files), 0);
    for (size_t f = 0; f < files.gl_pathc; f++) {
        json_t *root = answer_of((const char *[]){"explain", files.gl_pathv[f], "--json", NULL});
        const json_t *explanations = json_object_get(root, "explanations");
        const size_t most = SDSIM_SANITIZED ? 1 : json_array_size(explanations);
        for (size_t e = 0; e < most; e++) {
            const json_t *whatifs = json_object_get(json_array_get(explanations, e), "whatifs");
            for (size_t w = 0; w < json_array_size(whatifs); w++) {
                check_whatif(json_array_get(whatifs, w));
                checked++;
            }
        }
        json_decref(root);
    }
    globfree(&files);
    assert_true(checked >= (SDSIM_SANITIZED ? 20 : 150));
}

/* What a user sets stays set, and stands in the command. */
static void changes_add_up(void **state)
{
    (void)state;
    json_t *root =
        answer_of((const char *[]){"explain", "esp32-arduino-sd", "read-32k", "--set",
                                   "clock=10MHz", "--set", "card=sdhc4g-c4", "--json", NULL});
    const json_t *whatifs =
        json_object_get(json_array_get(json_object_get(root, "explanations"), 0), "whatifs");
    assert_true(json_array_size(whatifs) >= 3);
    for (size_t w = 0; w < json_array_size(whatifs); w++) {
        const json_t *whatif = json_array_get(whatifs, w);
        assert_non_null(strstr(json_string_value(json_object_get(whatif, "command")),
                               "read-32k --set clock=10MHz --set card=sdhc4g-c4 --set "));
        check_whatif(whatif);
    }
    json_decref(root);
}

/* A trace: the same replay with the change takes the same time. */
static void whatifs_are_replays(void **state)
{
    (void)state;
    const char *const explain[] = {"explain",  "tests/cases/BR-059-early.ops",
                                   "--host",   "esp32",
                                   "--driver", "esp-idf-sdmmc",
                                   "--bus",    "sd1",
                                   "--clock",  "20MHz",
                                   "--card",   "sdhc8g-c4",
                                   "--json",   NULL};
    json_t *root = answer_of(explain);
    const json_t *explanation = json_array_get(json_object_get(root, "explanations"), 0);
    const json_t *whatifs = json_object_get(explanation, "whatifs");
    assert_true(json_array_size(whatifs) >= 2);
    for (size_t w = 0; w < json_array_size(whatifs); w++) {
        const json_t *whatif = json_array_get(whatifs, w);
        const char *words[MOST_WORDS] = {NULL};
        char command[1000];
        snprintf(command, sizeof command, "%s",
                 json_string_value(json_object_get(whatif, "command")));
        size_t count = split(command, words);
        assert_string_equal(words[0], "replay");
        words[count++] = "--draws";
        words[count++] = "0";
        words[count] = "--json";
        json_t *replay = answer_of(words);
        const double seconds = number(json_object_get(replay, "predicted"), "in_calls");
        const double rate =
            (number(replay, "bytes_read") + number(replay, "bytes_written")) / seconds;
        assert_true(rate > 0.999999999 * number(whatif, "predicted") &&
                    rate < 1.000000001 * number(whatif, "predicted"));
        json_decref(replay);
    }
    json_decref(root);
}

/* What it prints for a terminal is no wider than one, and has no colours unless asked. */
static void fits_a_terminal(void **state)
{
    (void)state;
    glob_t files;
    assert_int_equal(glob("scenarios/*.yaml", 0, NULL, &files), 0);
    for (size_t f = 0; f < files.gl_pathc; f += SDSIM_SANITIZED ? 5 : 1) {
        const char *const arguments[] = {"explain", files.gl_pathv[f], "--all", NULL};
        struct sdsim_test_result result = sdsim_test_run(arguments, NULL);
        assert_int_equal(result.code, 0);
        for (const char *line = result.out; *line != '\0';) {
            const size_t length = strcspn(line, "\n");
            if (length > 80 || memchr(line, 27, length) != NULL) {
                fail_msg("%s: %zu columns: %.*s", files.gl_pathv[f], length, (int)length, line);
            }
            line += length + (line[length] == '\n');
        }
        sdsim_test_result_free(&result);
    }
    globfree(&files);
}

static void usage(void **state)
{
    (void)state;
    static const struct {
        const char *arguments[10];
        int code;
        const char *out;
        const char *err;
    } rows[] = {
        {{"explain"}, 2, "", "missing arguments"},
        {{"explain", "nosuch"}, 2, "", "there is no scenario 'nosuch'"},
        {{"explain", "esp32-arduino-sd", "nosuch"}, 2, "", "its runs are: write-4k"},
        {{"explain", "esp32-arduino-sd", "--board", "x"}, 2, "", "take --set board=NAME"},
        {{"explain", "esp32-arduino-sd", "--think"}, 2, "", "a scenario has no recorded pauses"},
        {{"explain", "tests/cases/BR-059-whole.ops"}, 2, "", "what it was recorded on"},
        {{"explain", "tests/cases/BR-059-whole.ops", "a", "b", "c"}, 2, "", "a trace takes a scen"},
        /* A run that ends early is a finding, with the place and the run's name. */
        {{"explain", "esp32-arduino-sd", "read-4k", "--set", "filesystem.type=exfat"},
         1,
         "",
         "esp32-arduino-sd.yaml: error: run read-4k: mounting the volume"},
        {{"explain", "esp32-arduino-sd", "read-4k", "--color", "always"}, 0, "\033[1m", ""},
        /* The longest call is what gains are of, where that is predicted. */
        {{"explain", "effect-sync", "each-call", "--set", "measure=max-latency"},
         0,
         "predicted  longest ",
         ""},
        /* A change need not fit the scenario's other runs. */
        {{"run", "esp32-audiokit-apis", "idf-sdspi-read", "--set", "bus=sd4", "--set",
          "driver=esp-idf-sdmmc"},
         0,
         "SD 4-bit",
         ""},
        {{"run", "esp32-audiokit-apis", "--set", "bus=sd4"}, 2, "", "can't work this bus"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sdsim_test_result result = sdsim_test_run(rows[i].arguments, NULL);
        if (result.code != rows[i].code || strstr(result.out, rows[i].out) == NULL ||
            strstr(result.err, rows[i].err) == NULL) {
            fail_msg("%s: exit code %d\n%s\n%s", sdsim_test_command(rows[i].arguments), result.code,
                     result.out, result.err);
        }
        sdsim_test_result_free(&result);
    }
}

int main(void)
{
    sdsim_test_need_program();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whatifs_are_runs),
        cmocka_unit_test(changes_add_up),
        cmocka_unit_test(whatifs_are_replays),
        cmocka_unit_test(fits_a_terminal),
        cmocka_unit_test(usage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
