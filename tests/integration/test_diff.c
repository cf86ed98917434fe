/*
 * sdsim diff as a user and a CI meet it: what is printed, exit codes, that a scenario, its JSON and its
 * replays are compared alike, and the example for GitHub.
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

#include <jansson.h>

#include "golden.h"
#include "program.h"
#include "scratch.h"
#include "shell.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* Runs it and saves what it prints. */
static void save(const char *name, const char *const *words)
{
    struct sdsim_test_result result = sdsim_test_run_quiet(words);
    sdsim_test_expect_code(&result, 0);
    sdsim_test_write_text(sdsim_test_path(name), result.out);
    sdsim_test_result_free(&result);
}

static void prints(void **state)
{
    (void)state;
    static const struct {
        const char *golden;
        int code;
        const char *words[10];
    } rows[] = {
        {"help-diff.txt", 0, {"diff", "--help"}},
        {"diff-runs.txt", 0, {"diff", "bench:write", "bench:read"}},
        {"diff-set.txt", 1, {"diff", "bench", "--set", "card.wpg=3ms", "--draws", "8"}},
        {"diff-same.txt", 0, {"diff", "single", "--set", "card.rare_length=9s", "--draws", "0"}},
        {"diff-all.txt",
         0,
         {"diff", "single", "--set", "card=plain", "--all", "--tolerance", "90%", "--draws", "0"}},
        {"diff.json", 1, {"diff", "single", "--set", "clock=4MHz", "--json", "--longest", "10%"}},
        {"diff.csv", 1, {"diff", "single", "--set", "clock=4MHz", "--csv", "--draws", "0"}},
    };
    bool same = true;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char path[128];
        struct sdsim_test_result result = sdsim_test_run_quiet(rows[i].words);
        snprintf(path, sizeof path, "tests/golden/%s", rows[i].golden);
        same = sdsim_test_golden(path, result.out) && same;
        if (result.code != rows[i].code) {
            fail_msg("%s: exit code %d: %s", rows[i].golden, result.code, result.err);
        }
        for (char *line = strtok(result.out, "\n");
             strstr(rows[i].golden, ".txt") != NULL && line != NULL; line = strtok(NULL, "\n")) {
            if (strlen(line) > 80) {
                fail_msg("%s: %s", rows[i].golden, line);
            }
        }
        sdsim_test_result_free(&result);
    }
    assert_true(same);
}

/* What was printed before and what is predicted now are the same results. */
static void scenario_is_its_json(void **state)
{
    (void)state;
    save("bench.json", (const char *const[]){"run", "bench", "--json", NULL});
    const char *const rows[][3] = {
        {"diff", sdsim_test_path("bench.json"), "bench"},
        {"diff", "bench", sdsim_test_path("bench.json")},
        {"diff", sdsim_test_path("bench.json"), sdsim_test_path("bench.json")},
        {"diff", "bench", "bench"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct sdsim_test_result result = sdsim_test_run_quiet(
            (const char *const[]){rows[i][0], rows[i][1], rows[i][2], "--json", NULL});
        sdsim_test_expect_code(&result, 0);
        json_t *root = json_loads(result.out, 0, NULL);
        json_t *pairs = json_object_get(root, "pairs");
        assert_int_equal(json_array_size(pairs), 4);
        for (size_t p = 0; p < json_array_size(pairs); p++) {
            json_t *pair = json_array_get(pairs, p);
            const char *word = json_string_value(json_array_get(json_object_get(pair, "words"), 0));
            assert_string_equal(word, "nothing that is counted or timed has changed");
            assert_int_equal(json_array_size(json_object_get(pair, "inputs")), 0);
            assert_true(json_array_size(json_object_get(pair, "quantities")) > 20);
        }
        json_decref(root);
        sdsim_test_result_free(&result);
    }
}

/* The kinds' changes sum to that of the time, whatever was changed. */
static void parts_sum_to_the_whole(void **state)
{
    (void)state;
    static const char *const changes[] = {"clock=4MHz", "card.rd1=2ms", "workload.total=256KiB",
                                          "workload.call=512B"};
    for (size_t i = 0; i < COUNT_OF(changes); i++) {
        struct sdsim_test_result result = sdsim_test_run_quiet(
            (const char *const[]){"diff", "single", "--set", changes[i], "--tolerance", "1000%",
                                  "--draws", "0", "--json", NULL});
        sdsim_test_expect_code(&result, 0);
        json_t *root = json_loads(result.out, 0, NULL);
        json_t *pair = json_array_get(json_object_get(root, "pairs"), 0);
        json_t *quantities = json_object_get(pair, "quantities");
        double sums[3] = {0};
        double time = 0;
        for (size_t q = 0; q < json_array_size(quantities); q++) {
            static const char *const layers[] = {"kind", "purpose", "cell"};
            json_t *quantity = json_array_get(quantities, q);
            const char *layer = json_string_value(json_object_get(quantity, "layer"));
            const double by = json_number_value(json_object_get(quantity, "b")) -
                              json_number_value(json_object_get(quantity, "a"));
            for (int l = 0; l < 3; l++) {
                sums[l] += strcmp(layer, layers[l]) == 0 ? by : 0;
            }
            if (strcmp(json_string_value(json_object_get(quantity, "name")), "time") == 0) {
                time = by;
            }
        }
        for (int l = 0; l < 3; l++) {
            if (time == 0 || sums[l] / time < 1 - 1e-9 || sums[l] / time > 1 + 1e-9) {
                fail_msg("%s: layer %d: %.12g of %.12g", changes[i], l, sums[l], time);
            }
        }
        json_decref(root);
        sdsim_test_result_free(&result);
    }
}

/* A trace against a trace, a replay against a replay, a log of a firmware, standard input. */
static void traces_and_replays(void **state)
{
    (void)state;
    save("ignored", (const char *const[]){"run", "single", "--draws", "0", "--trace",
                                          sdsim_test_path("a.sdt"), NULL});
    save("ignored", (const char *const[]){"run", "single", "--draws", "0", "--set", "clock=4MHz",
                                          "--trace", sdsim_test_path("b.blocks"), NULL});
    save("a.json",
         (const char *const[]){"replay", sdsim_test_path("a.sdt"), "single", "--json", NULL});
    save("b.json", (const char *const[]){"replay", sdsim_test_path("a.sdt"), "single", "--clock",
                                         "4MHz", "--json", NULL});
    sdsim_test_write_text(sdsim_test_path("none.blocks"), "R 0 8\n");
    char stdin_b[PATH_MAX + 8];
    snprintf(stdin_b, sizeof stdin_b, "<%s", sdsim_test_path("b.json"));
    const struct {
        const char *a;
        const char *b;
        const char *environment;
        int code;
        const char *says;
    } rows[] = {
        {sdsim_test_path("a.sdt"), sdsim_test_path("a.sdt"), NULL, 0,
         "nothing that is counted or timed"},
        {sdsim_test_path("a.sdt"), sdsim_test_path("b.blocks"), NULL, 1,
         "more than the tolerance of 5%"},
        {sdsim_test_path("b.blocks"), sdsim_test_path("a.sdt"), NULL, 0, "% faster than A"},
        {sdsim_test_path("a.json"), sdsim_test_path("b.json"), NULL, 1, "payload clocks"},
        {sdsim_test_path("a.json"), "-", stdin_b, 1, "payload clocks"},
        {sdsim_test_path("a.json"), sdsim_test_path("a.json"), NULL, 0, "nothing"},
        {sdsim_test_path("a.sdt"), sdsim_test_path("a.json"), NULL, 0,
         "within the tolerance of 5%"},
        {"tests/fuzz/corpus/firmware/lines.log", "tests/fuzz/corpus/firmware/lines.log", NULL, 0,
         "nothing that is counted or timed"}, /* of tools/firmware/sdtrace.h */
        {sdsim_test_path("a.sdt"), sdsim_test_path("none.blocks"), NULL, 0,
         "only what was done is compared"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char *const environment[] = {"SDSIM_DATA_DIR=tests/golden/data", rows[i].environment,
                                           NULL};
        struct sdsim_test_result result =
            sdsim_test_run((const char *const[]){"diff", rows[i].a, rows[i].b, NULL}, environment);
        if (result.code != rows[i].code || strstr(result.out, rows[i].says) == NULL) {
            fail_msg("row %zu: exit code %d: %s%s", i, result.code, result.out, result.err);
        }
        sdsim_test_result_free(&result);
    }
}

/* Tolerances and missing runs decide over the exit code. */
static void exit_codes(void **state)
{
    (void)state;
    save("write.json", (const char *const[]){"run", "bench", "write", "--json", NULL});
    save("all.json", (const char *const[]){"run", "bench", "--json", NULL});
    const struct {
        const char *words[10];
        int code;
    } rows[] = {
        {{"diff", "single", "--set", "card.wpg=3ms"}, 1},
        {{"diff", "single", "--set", "card.wpg=3ms", "--tolerance", "50%"}, 0},
        {{"diff", "single", "--set", "card.wpg=3ms", "--tolerance", "0%"}, 1},
        {{"diff", "single", "--set", "card.w1=12ms", "--tolerance", "90%"}, 0},
        {{"diff", "single", "--set", "card.w1=12ms", "--tolerance", "90%", "--longest", "10%"}, 1},
        {{"diff", sdsim_test_path("write.json"), sdsim_test_path("all.json")},
         0}, /* new runs are fine */
        {{"diff", sdsim_test_path("all.json"), sdsim_test_path("write.json")},
         1}, /* missing ones are not */
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct sdsim_test_result result = sdsim_test_run_quiet(rows[i].words);
        if (result.code != rows[i].code) {
            fail_msg("row %zu: exit code %d: %s%s", i, result.code, result.out, result.err);
        }
        sdsim_test_result_free(&result);
    }
}

static void refusals(void **state)
{
    (void)state;
    sdsim_test_write_text(sdsim_test_path("broken.json"), "{\"runs\": [\n  {]}\n");
    sdsim_test_write_text(sdsim_test_path("other.json"), "{\"hello\": 1}\n");
    sdsim_test_write_text(sdsim_test_path("empty.log"), "hello\n");
    const struct {
        const char *words[6];
        const char *says;
    } rows[] = {
        {{"diff", "single"}, "nothing to compare with"},
        {{"diff", sdsim_test_path("other.json"), "--set", "clock=1MHz"},
         "--set changes a scenario"},
        {{"diff", "single", "nosuch"}, "there is no scenario 'nosuch'"},
        {{"diff", "single", "bench:wirte"}, "did you mean 'write'?"},
        {{"diff", "single", sdsim_test_path("broken.json")}, "broken.json:2:"},
        {{"diff", "single", sdsim_test_path("other.json")}, "no result of a run"},
        {{"diff", "single", sdsim_test_path("empty.log")}, "empty.log"},
        {{"diff", "single", sdsim_test_path("missing.json")}, "missing.json"},
        {{"diff", "single", "bench"}, "no run of single has a counterpart in bench"},
        {{"diff", "single", "single", "--tolerance", "5"}, "--tolerance takes"},
        {{"diff", "single", "single", "--longest", "-1%"}, "--longest takes"},
        {{"diff", "a", "b", "c"}, "too many arguments"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct sdsim_test_result result = sdsim_test_run_quiet(rows[i].words);
        if (result.code != 2 || strstr(result.err, rows[i].says) == NULL) {
            fail_msg("row %zu: exit code %d: %s", i, result.code, result.err);
        }
        assert_string_equal(result.out, "");
        sdsim_test_result_free(&result);
    }
}

/* The commands in the example do what it says, good and bad. */
static void example(void **state)
{
    (void)state;
    static const char commands[] =
        "cd $d && export PATH=\"$(dirname \"$SDSIM_PROGRAM\"):$PATH\" GITHUB_STEP_SUMMARY=summary "
        "&& "
        "sed -n 's/^          \\(sdsim .*\\)/\\1/p' "
        "\"$OLDPWD/tools/examples/ci/github-actions.yml\" "
        "> commands && test $(wc -l < commands) -eq 3 && bash -eo pipefail commands > out 2>&1";
    struct sdsim_test_output output = sdsim_test_sh(
        "cd $d && mkdir -p storage && export PATH=\"$(dirname \"$SDSIM_PROGRAM\"):$PATH\" && "
        "printf 'kind: scenario\\nboard: esp32-devkit-v1-spi\\ncard: sdhc32g-a1\\n"
        "workload: {do: write, call: 16KiB, total: 512KiB}\\n' > storage/logger.yaml && "
        "sdsim run storage/logger.yaml --json -o storage/baseline.json && "
        "sdsim run storage/logger.yaml --draws 0 --trace storage/baseline.sdt > out && "
        "sdsim run storage/logger.yaml --draws 0 --trace serial.blocks > out && "
        "mv serial.blocks serial.log");
    sdsim_test_expect_success(output);
    sdsim_test_expect_success(sdsim_test_sh("%s", commands));
    /* A smaller call makes both worse; the first of them stops the job. */
    output = sdsim_test_sh("cd $d && sed -i s/16KiB/512B/ storage/logger.yaml && cd \"$OLDPWD\" "
                           "&& %s",
                           commands);
    assert_int_equal(output.code, 1);
    free(output.text);
    sdsim_test_expect_success(
        sdsim_test_sh("cd $d && grep -q 'more than the tolerance' summary && "
                      "grep -q 'workload.call' summary || { cat summary out; false; }"));
}

/* The example builds sdsim with the packages it installs: without cmocka, which only tests need. */
static void example_configures(void **state)
{
    (void)state;
    sdsim_test_expect_success(sdsim_test_sh(
        "printf '#!/bin/sh\\ncase \"$*\" in *cmocka*|*sdl2*|*ftdi*) exit 1 ;; esac\\n"
        "exec pkg-config \"$@\"\\n' > $d/pkg-config && chmod +x $d/pkg-config && "
        "ln -s \"$PWD\" $d/sdsim && mkdir $d/firmware && "
        "sed -n 's/^ *\\(cmake -S .*\\)/\\1/p' tools/examples/ci/github-actions.yml | "
        "sed 's|-B [^ ]*|-B ../build|' > $d/configure && test $(wc -l < $d/configure) -eq 1 && "
        "cd $d/firmware && PKG_CONFIG=../pkg-config sh ../configure > ../out 2>&1 || "
        "{ cat $d/out; false; }"));
}

int main(void)
{
    sdsim_test_need_program();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prints),
        cmocka_unit_test(scenario_is_its_json),
        cmocka_unit_test(parts_sum_to_the_whole),
        cmocka_unit_test(traces_and_replays),
        cmocka_unit_test(exit_codes),
        cmocka_unit_test(refusals),
        cmocka_unit_test(example),
        cmocka_unit_test(example_configures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
