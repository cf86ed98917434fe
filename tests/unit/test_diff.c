/*
 * Comparing results: what is slower, what times are for, what is said, and reading JSON and traces.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "alloc.h"
#include "report/diff.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define MIB          (1u << 20)

static const struct sdsim_diff_limits usual = {.slower = 0.05, .longest = -1};

static const struct sdsim_diff_quantity *find(const struct sdsim_diff_pair *pair, const char *name)
{
    for (size_t i = 0; i < pair->count; i++) {
        if (strcmp(pair->quantities[i].name, name) == 0) {
            return &pair->quantities[i];
        }
    }
    return NULL;
}

static bool says(const struct sdsim_diff_pair *pair, const char *text)
{
    for (size_t i = 0; i < pair->word_count; i++) {
        if (strstr(pair->words[i], text) != NULL) {
            return true;
        }
    }
    return false;
}

/* ---- runs ---- */

static struct sdsim_diff_result run_of(enum sdsim_metric metric, double value)
{
    return (struct sdsim_diff_result){.id = "run",
                                      .has_metric = true,
                                      .metric = metric,
                                      .value = value,
                                      .low = value,
                                      .high = value,
                                      .seconds = 1,
                                      .calls = 10,
                                      .bytes = MIB,
                                      .between = -1};
}

static void judged_by_metric(void **state)
{
    (void)state;
    static const struct {
        enum sdsim_metric metric;
        double a;
        double b;
        double tolerance;
        bool slower;
        const char *says;
    } rows[] = {
        {SDSIM_METRIC_THROUGHPUT, 1e6, 2e6, 0.05, false, "B is 100% faster than A"},
        {SDSIM_METRIC_THROUGHPUT, 1e6, 0.96e6, 0.05, false,
         "B is 4.0% slower than A, within the tolerance of 5%"},
        {SDSIM_METRIC_THROUGHPUT, 1e6, 0.94e6, 0.05, true,
         "B is 6.0% slower than A: more than the tolerance of 5%"},
        {SDSIM_METRIC_THROUGHPUT, 1e6, 0.94e6, 0.07, false, "within the tolerance of 7%"},
        {SDSIM_METRIC_LINES, 1000, 1000, 0, false, "nothing that is counted or timed"},
        {SDSIM_METRIC_LINES, 1000, 999, 0, true, "B is 0.1% slower than A: more than"},
        {SDSIM_METRIC_MAX_LATENCY, 10e-3, 12e-3, 0.05, true, "B takes 20% more time than A"},
        {SDSIM_METRIC_MAX_LATENCY, 10e-3, 10.4e-3, 0.05, false, "B takes 4.0% more time than A, w"},
        {SDSIM_METRIC_MEAN_LATENCY, 10e-3, 5e-3, 0.05, false, "B takes 50% less time than A"},
    };
    static struct sdsim_diff_pair pair;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct sdsim_diff_result a = run_of(rows[i].metric, rows[i].a);
        const struct sdsim_diff_result b = run_of(rows[i].metric, rows[i].b);
        const struct sdsim_diff_limits limits = {.slower = rows[i].tolerance, .longest = -1};
        sdsim_diff_compare(&a, &b, &limits, &pair);
        if (pair.slower != rows[i].slower || !says(&pair, rows[i].says)) {
            fail_msg("row %zu: slower %d, \"%s\"", i, pair.slower, pair.words[0]);
        }
    }
}

/* Two metrics have no common order. */
static void different_metrics(void **state)
{
    (void)state;
    static struct sdsim_diff_pair pair;
    const struct sdsim_diff_result a = run_of(SDSIM_METRIC_THROUGHPUT, 1e6);
    const struct sdsim_diff_result b = run_of(SDSIM_METRIC_MAX_LATENCY, 1e-6);
    sdsim_diff_compare(&a, &b, &usual, &pair);
    assert_false(pair.judged);
    assert_false(pair.slower);
    assert_true(says(&pair, "measure different things"));
}

static void times_are_for_the_same_work(void **state)
{
    (void)state;
    static const struct {
        uint64_t bytes[2];
        uint64_t calls[2];
        const char *per;
        double scale[2];
    } rows[] = {
        {{MIB, MIB}, {10, 20}, NULL, {1, 1}},
        {{MIB, 4 * MIB}, {10, 10}, "a MiB", {1, 0.25}},
        {{MIB / 2, 2 * MIB}, {10, 10}, "a MiB", {2, 0.5}},
        {{0, 0}, {10, 20}, "a call", {0.1, 0.05}},
        {{0, 0}, {10, 10}, NULL, {1, 1}},
        {{0, MIB}, {4, 8}, "a call", {0.25, 0.125}},
    };
    static struct sdsim_diff_pair pair;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sdsim_diff_result a = run_of(SDSIM_METRIC_THROUGHPUT, 1e6);
        struct sdsim_diff_result b = a;
        a.bytes = rows[i].bytes[0];
        b.bytes = rows[i].bytes[1];
        a.calls = rows[i].calls[0];
        b.calls = rows[i].calls[1];
        sdsim_diff_compare(&a, &b, &usual, &pair);
        const struct sdsim_diff_quantity *time = find(&pair, "time");
        const bool same_words = pair.per == NULL
                                    ? rows[i].per == NULL
                                    : rows[i].per != NULL && strcmp(pair.per, rows[i].per) == 0;
        if (!same_words || time == NULL || fabs(time->a - rows[i].scale[0]) > 1e-12 ||
            fabs(time->b - rows[i].scale[1]) > 1e-12) {
            fail_msg("row %zu: %s", i, pair.per != NULL ? pair.per : "all of it");
        }
    }
}

static void parts_of_the_account(void **state)
{
    (void)state;
    static struct sdsim_diff_pair pair;
    struct sdsim_diff_result a = run_of(SDSIM_METRIC_THROUGHPUT, 1e6);
    a.has_kinds = a.has_cells = true;
    a.cells[SDSIM_FOR_DATA][SDSIM_PAYLOAD] = a.kinds[SDSIM_PAYLOAD] = 0.5;
    a.cells[SDSIM_FOR_DATA][SDSIM_BUSY] = 0.3;
    a.cells[SDSIM_FOR_FAT][SDSIM_BUSY] = 0.2;
    a.kinds[SDSIM_BUSY] = 0.5;
    struct sdsim_diff_result b = a;
    b.value = 0.8e6;
    b.seconds = 1.25;
    b.cells[SDSIM_FOR_FAT][SDSIM_BUSY] = 0.4;
    b.kinds[SDSIM_BUSY] = 0.7;
    b.cells[SDSIM_FOR_DATA][SDSIM_HOST] = b.kinds[SDSIM_HOST] = 0.05;
    sdsim_diff_compare(&a, &b, &usual, &pair);
    assert_true(says(&pair, "by layer: the card 200ms more, the host and its driver 50ms more"));
    assert_true(
        says(&pair, "card busy for fat: 200ms more, from 200ms to 400ms; 80% of all that changed"));
    assert_true(says(&pair, "host CPU for data: 50ms more, from 0s to 50ms; 20% of all"));
    assert_false(says(&pair, "payload"));
    /* Kinds and purposes both sum to all that changed. */
    double sums[SDSIM_DIFF_LAYERS] = {0};
    for (size_t i = 0; i < pair.count; i++) {
        sums[pair.quantities[i].layer] += pair.quantities[i].b - pair.quantities[i].a;
    }
    assert_true(fabs(sums[SDSIM_DIFF_KIND] - 0.25) < 1e-12);
    assert_true(fabs(sums[SDSIM_DIFF_PURPOSE] - 0.25) < 1e-12);
    assert_true(fabs(sums[SDSIM_DIFF_CELL] - 0.25) < 1e-12);
}

static void add_command(struct sdsim_diff_result *result, const char *name, uint64_t count)
{
    struct sdsim_diff_command *command = &result->commands[result->command_count++];
    snprintf(command->name, sizeof command->name, "%s", name);
    command->count = count;
}

static void commands(void **state)
{
    (void)state;
    static struct sdsim_diff_pair pair;
    struct sdsim_diff_result a = run_of(SDSIM_METRIC_THROUGHPUT, 1e6);
    a.has_counters = true;
    a.sectors_written = 2048;
    struct sdsim_diff_result b = a;
    add_command(&a, "CMD25", 128);
    add_command(&a, "ACMD23", 128);
    add_command(&b, "CMD24", 2048);
    b.sectors_written = 2560;
    sdsim_diff_compare(&a, &b, &usual, &pair);
    assert_true(says(&pair, "B writes more sectors one by one: CMD24 2048 times instead of 0, "
                            "CMD25 0 instead of 128"));
    assert_true(says(&pair, "sectors written for each of the data: 1.25 instead of 1"));
    assert_true(find(&pair, "ACMD23")->b < 1);
    assert_true(find(&pair, "CMD24")->a < 1);
}

static void longest_calls(void **state)
{
    (void)state;
    static struct sdsim_diff_pair pair;
    struct sdsim_diff_result a = run_of(SDSIM_METRIC_THROUGHPUT, 1e6);
    struct sdsim_diff_result b = a;
    a.longest_call = 10e-3;
    b.longest_call = 30e-3;
    sdsim_diff_compare(&a, &b, &usual, &pair);
    assert_false(pair.longer); /* not asked for, but said */
    assert_true(says(&pair, "longest call: 30ms instead of 10ms, +200.0%"));
    const struct sdsim_diff_limits strict = {.slower = 0.05, .longest = 0.25};
    sdsim_diff_compare(&a, &b, &strict, &pair);
    assert_true(pair.longer);
    const struct sdsim_diff_limits lax = {.slower = 0.05, .longest = 3};
    sdsim_diff_compare(&a, &b, &lax, &pair);
    assert_false(pair.longer);
}

/* ---- sides ---- */

static void pairs_and_the_rest(void **state)
{
    (void)state;
    struct sdsim_diff_result a[3] = {run_of(SDSIM_METRIC_THROUGHPUT, 1e6)};
    struct sdsim_diff_result b[2] = {run_of(SDSIM_METRIC_THROUGHPUT, 1e6)};
    static const char *const names[] = {"one", "two", "three", "three", "four"};
    for (size_t i = 0; i < 5; i++) {
        struct sdsim_diff_result *result = i < 3 ? &a[i] : &b[i - 3];
        *result = run_of(SDSIM_METRIC_THROUGHPUT, 1e6);
        snprintf(result->id, sizeof result->id, "%s", names[i]);
    }
    struct sdsim_diff_side one = {.name = "A", .results = a, .count = 3};
    struct sdsim_diff_side two = {.name = "B", .results = b, .count = 2};
    struct sdsim_diff diff = {.a = &one, .b = &two, .limits = usual};
    assert_true(sdsim_diff_pair_up(&diff));
    assert_int_equal(diff.count, 1);
    assert_string_equal(diff.pairs[0].a->id, "three");
    assert_true(sdsim_diff_has_finding(&diff)); /* two runs of A are gone */
    size_t at = 0;
    assert_string_equal(sdsim_diff_lonely(&one, &two, &at)->id, "one");
    assert_string_equal(sdsim_diff_lonely(&one, &two, &at)->id, "two");
    assert_null(sdsim_diff_lonely(&one, &two, &at));
    sdsim_diff_free(&diff);

    /* What is new is no finding. */
    one.results = &a[2];
    one.count = 1;
    assert_true(sdsim_diff_pair_up(&diff));
    assert_false(sdsim_diff_has_finding(&diff));
    sdsim_diff_free(&diff);

    /* One and one are a pair whatever they are called. */
    two.results = &b[1];
    two.count = 1;
    assert_true(sdsim_diff_pair_up(&diff));
    assert_int_equal(diff.count, 1);
    sdsim_diff_free(&diff);

    sdsim_test_fail_allocation(1);
    assert_false(sdsim_diff_pair_up(&diff));
    assert_true(sdsim_test_allocation_failed());
    assert_null(diff.pairs);
}

/* ---- traces ---- */

static struct sdsim_diff_side trace_of(const char *name, const char *text, bool works)
{
    struct sdsim_diff_side side = {.name = name};
    struct sdsim_diags diags;
    struct sdsim_trace trace;
    sdsim_diags_init(&diags);
    struct sdsim_input *input = sdsim_input_memory(name, text, strlen(text), &diags);
    assert_non_null(input);
    assert_true(sdsim_trace_open(&trace, input, sdsim_trace_format_find("blocks"), NULL));
    assert_int_equal(sdsim_diff_read_trace(&side, &trace), works);
    assert_int_equal(diags.errors, 0);
    sdsim_trace_close(&trace);
    sdsim_diags_free(&diags);
    return side;
}

static const char good_trace[] = "#! card=old\n"
                                 "@0s +1ms R 0 8\n"
                                 "@2ms +1ms R 8 8\n"
                                 "@4ms +10ms W 100 64\n"
                                 "@20ms +10ms W 164 64\n"
                                 "@40ms +100us #S\n";

static void reads_traces(void **state)
{
    (void)state;
    struct sdsim_diff_side side = trace_of("good", good_trace, true);
    const struct sdsim_diff_result *result = &side.results[0];
    assert_int_equal(side.count, 1);
    assert_string_equal(result->facts[SDSIM_DIFF_CARD], "old");
    assert_int_equal(result->calls, 5);
    assert_int_equal(result->bytes, (8 + 8 + 64 + 64) * 512);
    assert_int_equal(result->class_count, 3);
    assert_string_equal(result->classes[1].name, "write");
    assert_int_equal(result->classes[1].calls, 2);
    assert_int_equal(result->classes[1].bytes, 128 * 512);
    assert_true(fabs(result->classes[1].total - 20e-3) < 1e-12);
    assert_true(fabs(result->classes[1].longest - 10e-3) < 1e-12);
    assert_true(fabs(result->seconds - 22.1e-3) < 1e-12);
    assert_true(fabs(result->between - (40.1e-3 - 22.1e-3)) < 1e-12);
    sdsim_diff_side_free(&side);
}

static void traces_without_memory(void **state)
{
    (void)state;
    for (size_t n = 1; n <= 2; n++) {
        struct sdsim_diff_side side = {.name = "x"};
        struct sdsim_diags diags;
        struct sdsim_trace trace;
        sdsim_diags_init(&diags);
        struct sdsim_input *input = sdsim_input_memory("x", good_trace, strlen(good_trace), &diags);
        assert_true(sdsim_trace_open(&trace, input, sdsim_trace_format_find("blocks"), NULL));
        sdsim_test_fail_allocation(n);
        assert_false(sdsim_diff_read_trace(&side, &trace));
        assert_true(sdsim_test_allocation_failed());
        assert_null(side.results);
        sdsim_trace_close(&trace);
        sdsim_diags_free(&diags);
    }
}

static void compares_traces(void **state)
{
    (void)state;
    static const struct {
        const char *what;
        const char *text;
        bool slower;
        bool judged;
        const char *says;
    } rows[] = {
        {"the same", good_trace, false, true, "nothing that is counted or timed has changed"},
        {"slower writes",
         "@0s +1ms R 0 8\n@2ms +1ms R 8 8\n@4ms +14ms W 100 64\n@20ms +10ms W 164 64\n"
         "@40ms +100us #S\n",
         true, true, "write: 2.731MB/s instead of 3.277MB/s, -16.7%"},
        {"slower reads, faster writes",
         "@0s +2ms R 0 8\n@2ms +1ms R 8 8\n@4ms +8ms W 100 64\n@20ms +10ms W 164 64\n"
         "@40ms +100us #S\n",
         true, true, "B is 4.7% faster than A, but read got 33% slower: more than the tolerance"},
        {"a slow sync takes too little of the time to matter",
         "@0s +1ms R 0 8\n@2ms +1ms R 8 8\n@4ms +10ms W 100 64\n@20ms +10ms W 164 64\n"
         "@40ms +150us #S\n",
         false, true, "B is 0.2% slower than A, within"},
        {"twice as much data",
         "@0s +1ms R 0 8 *4\n@4ms +10ms W 100 64 *4\n@80ms +100us #S\n@81ms +100us #S\n", false,
         true, "B is as fast as A"},
        {"one sector at a time",
         "@0s +1ms R 0 8\n@2ms +1ms R 8 8\n@4ms +156250ns W 100 1 *128\n@40ms +100us #S\n", false,
         true, "write: 128 of the calls move one sector, instead of 0"},
        {"no times", "R 0 8\nR 8 8\nW 100 64\nW 164 64\n", false, false,
         "only what was done is compared"},
    };
    static struct sdsim_diff_pair pair;
    struct sdsim_diff_side a = trace_of("good", good_trace, true);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sdsim_diff_side b = trace_of("other", rows[i].text, true);
        sdsim_diff_compare(&a.results[0], &b.results[0], &usual, &pair);
        if (pair.slower != rows[i].slower || pair.judged != rows[i].judged ||
            !says(&pair, rows[i].says)) {
            fail_msg("%s: slower %d, change %.4f, \"%s\", \"%s\"", rows[i].what, pair.slower,
                     pair.change, pair.words[0], pair.words[1]);
        }
        sdsim_diff_side_free(&b);
    }
    sdsim_diff_side_free(&a);
}

/* A line that stands for thousands of millions of calls takes no longer than another. */
static void repeated_calls(void **state)
{
    (void)state;
    struct sdsim_diff_side side =
        trace_of("many", "@0s +1ms W 0 8 *4000000000\n@1s +1ms W 0 8 *4000000000\n", true);
    assert_int_equal(side.results[0].calls, 8000000000ull);
    assert_true(fabs(side.results[0].seconds / 8e6 - 1) < 1e-12);
    sdsim_diff_side_free(&side);
}

/* ---- JSON ---- */

static bool read_json(struct sdsim_diff_side *side, const char *text, char *message, size_t size)
{
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    side->name = "x.json";
    const bool fine = sdsim_diff_read_json(side, "x.json", text, strlen(text), &diags);
    snprintf(message, size, "%s", diags.count > 0 ? diags.items[0].text : "");
    assert_int_equal(fine, diags.errors == 0);
    sdsim_diags_free(&diags);
    return fine;
}

static void reads_json(void **state)
{
    (void)state;
    struct sdsim_diff_side side;
    char message[400];
    /* An old file, without the account by cells, and with members nobody knows. */
    assert_true(read_json(
        &side,
        "{\"runs\": [{\"id\": \"w\", \"metric\": \"throughput\", \"predicted\": 2e6, \"card\": "
        "null,"
        "\"clock\": {\"real_hz\": 20000000}, \"kinds\": {\"busy\": 0.25, \"nonsense\": 7},"
        "\"new\": [], \"bytes\": 1000, \"commands\": [{\"command\": \"CMD25\", \"count\": 3}, "
        "7]}]}",
        message, sizeof message));
    const struct sdsim_diff_result *run = &side.results[0];
    assert_int_equal(side.count, 1);
    assert_string_equal(run->id, "w");
    assert_string_equal(run->facts[SDSIM_DIFF_CARD], "");
    assert_string_equal(run->facts[SDSIM_DIFF_CLOCK], "20MHz");
    assert_true(run->has_kinds && !run->has_cells && run->has_metric);
    assert_true(fabs(run->kinds[SDSIM_BUSY] - 0.25) < 1e-15);
    assert_true(fabs(run->low - 2e6) < 1e-6);
    assert_int_equal(run->bytes, 1000);
    assert_int_equal(run->command_count, 1);
    sdsim_diff_side_free(&side);
}

static void refuses_json(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *says;
    } rows[] = {
        {"", "expected"},
        {"{", "expected"},
        {"{\"runs\": [}", "unexpected"},
        {"[1, 2]", "no result of a run or a replay"},
        {"{}", "no result of a run or a replay"},
        {"{\"runs\": []}", "there is no run in it"},
        {"{\"runs\": [3]}", "no metric and prediction"},
        {"{\"runs\": [{\"metric\": \"throughput\", \"predicted\": -1}]}", "no metric and"},
        {"{\"runs\": [{\"metric\": \"speed\", \"predicted\": 1}]}", "no metric and"},
        {"{\"runs\": [{\"metric\": \"throughput\", \"predicted\": \"1\"}]}", "no metric and"},
        {"{\"groups\": 5, \"predicted\": {}}", "no result of a run or a replay"},
        {"{\"a\": 1, \"a\": 2}", "duplicate"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sdsim_diff_side side;
        char message[400];
        if (read_json(&side, rows[i].text, message, sizeof message)) {
            fail_msg("%s: taken", rows[i].text);
        }
        assert_null(side.results);
        if (strstr(message, rows[i].says) == NULL) {
            fail_msg("%s: %s", rows[i].text, message);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(judged_by_metric),
        cmocka_unit_test(different_metrics),
        cmocka_unit_test(times_are_for_the_same_work),
        cmocka_unit_test(parts_of_the_account),
        cmocka_unit_test(commands),
        cmocka_unit_test(longest_calls),
        cmocka_unit_test(pairs_and_the_rest),
        cmocka_unit_test(reads_traces),
        cmocka_unit_test(traces_without_memory),
        cmocka_unit_test(compares_traces),
        cmocka_unit_test(repeated_calls),
        cmocka_unit_test(reads_json),
        cmocka_unit_test(refuses_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
