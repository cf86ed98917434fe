/*
 * The parts of explanations, on hand-made runs: how the waterfall cuts an account, what counts as a
 * gain, how what-ifs are ranked, what probes change; and running out of memory.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/explain.h"
#include "report/format.h"

#include "alloc.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- the waterfall ---- */

/*
 * 10 sectors written over SPI at 8 MHz, 1 us a byte: 5120 us of payload, of which the application
 * asked for 4096 bytes; each framed by 32 clocks, 4 us. Every cell has a time of its own.
 */
static struct sdsim_outcome_report hand_made(void)
{
    struct sdsim_outcome_report outcome = {.bus_hz = 8e6, .metric = SDSIM_METRIC_THROUGHPUT};
    struct sdsim_workload_result *workload = &outcome.workload;
    sdsim_ps *data = workload->account.ps[SDSIM_FOR_DATA];
    workload->bytes = 4096;
    workload->calls = 4;
    workload->counters.blocks_written = 10;
    workload->counters.commands[25] = 4;
    workload->counters.file_host = 300 * SDSIM_US;
    workload->counters.file_copy = 50 * SDSIM_US;
    data[SDSIM_PAYLOAD] = 5120 * SDSIM_US;
    data[SDSIM_PROTOCOL] = 100 * SDSIM_US;
    data[SDSIM_GAP] = 7 * SDSIM_US;
    data[SDSIM_POLL] = 11 * SDSIM_US;
    data[SDSIM_ACCESS] = 13 * SDSIM_US;
    data[SDSIM_BUSY] = 17 * SDSIM_US;
    data[SDSIM_PAUSE] = 19 * SDSIM_US;
    data[SDSIM_COPY] = 73 * SDSIM_US;
    data[SDSIM_HOST] = 329 * SDSIM_US;
    data[SDSIM_IDLE] = 31 * SDSIM_US;
    for (int p = SDSIM_FOR_FAT; p < SDSIM_PURPOSE_COUNT; p++) {
        workload->account.ps[p][SDSIM_BUSY] = (sdsim_ps)(100 + p) * SDSIM_US;
        workload->account.ps[p][SDSIM_IDLE] = SDSIM_US;
    }
    workload->elapsed = sdsim_account_total(&workload->account);
    outcome.value = 4096.0 / ((double)workload->elapsed / 1e12);
    return outcome;
}

static void test_cut(void **state)
{
    (void)state;
    static const struct {
        enum sdsim_loss loss;
        enum sdsim_layer layer;
        uint64_t us;
    } expected[] = {
        {SDSIM_LOSS_RAW, SDSIM_LAYER_BUS, 4096},     {SDSIM_LOSS_SECTORS, SDSIM_LAYER_FAT, 1024},
        {SDSIM_LOSS_FRAMING, SDSIM_LAYER_BUS, 40},   {SDSIM_LOSS_COMMANDS, SDSIM_LAYER_DRIVER, 60},
        {SDSIM_LOSS_GAPS, SDSIM_LAYER_HOST, 7},      {SDSIM_LOSS_DRIVER, SDSIM_LAYER_HOST, 29},
        {SDSIM_LOSS_COPY, SDSIM_LAYER_HOST, 23},     {SDSIM_LOSS_API, SDSIM_LAYER_FILE, 350},
        {SDSIM_LOSS_POLL, SDSIM_LAYER_DRIVER, 11},   {SDSIM_LOSS_ACCESS, SDSIM_LAYER_CARD, 13},
        {SDSIM_LOSS_BUSY, SDSIM_LAYER_CARD, 17},     {SDSIM_LOSS_PAUSE, SDSIM_LAYER_FLASH, 19},
        {SDSIM_LOSS_FAT, SDSIM_LAYER_FAT, 101},      {SDSIM_LOSS_DIRECTORY, SDSIM_LAYER_FAT, 102},
        {SDSIM_LOSS_FSINFO, SDSIM_LAYER_FAT, 103},   {SDSIM_LOSS_BITMAP, SDSIM_LAYER_FAT, 104},
        {SDSIM_LOSS_BOOT, SDSIM_LAYER_FAT, 105},     {SDSIM_LOSS_INIT, SDSIM_LAYER_DRIVER, 106},
        {SDSIM_LOSS_IDLE, SDSIM_LAYER_PRODUCER, 37},
    };
    const struct sdsim_setup setup = {.run = {.bus = SDSIM_BUS_SPI}};
    const struct sdsim_outcome_report outcome = hand_made();
    struct sdsim_waterfall waterfall;
    sdsim_waterfall(&setup, &outcome, &waterfall);
    assert_int_equal(waterfall.count, COUNT(expected));
    for (size_t i = 0; i < COUNT(expected); i++) {
        const struct sdsim_waterfall_step *step = &waterfall.steps[i];
        if (step->loss != expected[i].loss || step->layer != expected[i].layer ||
            step->time != expected[i].us * SDSIM_US) {
            fail_msg("step %zu: %s of layer %s takes %llu ps, not %s %llu us", i,
                     sdsim_loss_name(step->loss), sdsim_layer_name(step->layer),
                     (unsigned long long)step->time, sdsim_loss_name(expected[i].loss),
                     (unsigned long long)expected[i].us);
        }
    }
    assert_true(waterfall.total == outcome.workload.elapsed);
    assert_true(fabs(waterfall.raw_rate - 1e6) < 1e-6);
    assert_true(fabs(waterfall.steps[0].ceiling - 1e6) < 1e-6);
    assert_true(waterfall.steps[COUNT(expected) - 1].ceiling == outcome.value);
    assert_true(sdsim_waterfall_layer(&waterfall, SDSIM_LAYER_BUS) == 40 * SDSIM_US);
    assert_true(sdsim_waterfall_layer(&waterfall, SDSIM_LAYER_HOST) == 59 * SDSIM_US);
}

/* What stays in a buffer is not on the bus; no step is less than nothing. */
static void test_buffered(void **state)
{
    (void)state;
    const struct sdsim_setup setup = {.run = {.bus = SDSIM_BUS_SPI}};
    struct sdsim_outcome_report outcome = hand_made();
    outcome.workload.bytes = 8192;
    outcome.workload.counters.file_host = SDSIM_S;
    struct sdsim_waterfall waterfall;
    sdsim_waterfall(&setup, &outcome, &waterfall);
    assert_true(waterfall.steps[0].loss == SDSIM_LOSS_RAW);
    assert_true(waterfall.steps[0].time == 5120 * SDSIM_US);
    assert_null(sdsim_waterfall_step(&waterfall, SDSIM_LOSS_SECTORS));
    assert_null(sdsim_waterfall_step(&waterfall, SDSIM_LOSS_DRIVER));
    assert_non_null(strstr(waterfall.steps[0].rule, "only 62% of the bytes"));
    assert_true(waterfall.steps[waterfall.count - 1].until == outcome.workload.elapsed);
}

/* Four data lines: a quarter of the clocks; a run that moves no bytes begins without raw ones. */
static void test_widths_and_times(void **state)
{
    (void)state;
    const struct sdsim_setup setup = {.run = {.bus = SDSIM_BUS_SD4}};
    struct sdsim_outcome_report outcome = hand_made();
    struct sdsim_waterfall waterfall;
    sdsim_waterfall(&setup, &outcome, &waterfall);
    assert_true(fabs(waterfall.raw_rate - 4e6) < 1e-6);
    assert_true(waterfall.steps[0].time == 1024 * SDSIM_US);
    outcome.workload.bytes = 0;
    outcome.metric = SDSIM_METRIC_MAX_LATENCY;
    sdsim_waterfall(&setup, &outcome, &waterfall);
    assert_true(waterfall.metric == SDSIM_METRIC_TIME);
    assert_true(waterfall.steps[0].loss == SDSIM_LOSS_SECTORS);
    const double mean = (double)outcome.workload.elapsed / 1e12 / 4.0;
    assert_true(fabs(waterfall.steps[waterfall.count - 1].ceiling - mean) < 1e-12);
}

/* ---- gains ---- */

static struct sdsim_outcome_report took(sdsim_ps elapsed, uint64_t bytes, uint64_t calls)
{
    return (struct sdsim_outcome_report){
        .workload = {.elapsed = elapsed, .bytes = bytes, .calls = calls}};
}

static void test_speed(void **state)
{
    (void)state;
    static const struct {
        sdsim_ps elapsed[2];
        uint64_t bytes[2];
        uint64_t calls[2];
        double speed;
    } rows[] = {
        {{200, 100}, {10, 10}, {1, 1}, 2.0}, /* half the time */
        {{200, 200}, {10, 20}, {1, 1}, 2.0}, /* twice the bytes in the same time */
        {{200, 200}, {10, 20}, {2, 1}, 2.0}, /* calls don't count where bytes do */
        {{200, 200}, {0, 20}, {2, 4}, 2.0},  /* no bytes on one side: by calls */
        {{200, 0}, {10, 10}, {1, 1}, 0.0},   /* nothing can be said */
        {{200, 100}, {0, 0}, {0, 0}, 0.0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct sdsim_outcome_report before =
            took(rows[i].elapsed[0], rows[i].bytes[0], rows[i].calls[0]);
        const struct sdsim_outcome_report after =
            took(rows[i].elapsed[1], rows[i].bytes[1], rows[i].calls[1]);
        if (fabs(sdsim_speed(&before, &after) - rows[i].speed) > 1e-12) {
            fail_msg("row %zu: %g times as fast", i, sdsim_speed(&before, &after));
        }
    }
}

/* The longest call is what counts where it is what is predicted. */
static void test_speed_of_extremes(void **state)
{
    (void)state;
    struct sdsim_outcome_report before = took(1000, 10, 10);
    struct sdsim_outcome_report after = took(500, 10, 10);
    before.metric = after.metric = SDSIM_METRIC_MAX_LATENCY;
    before.value = 30e-3;
    after.value = 40e-3;
    assert_true(fabs(sdsim_speed(&before, &after) - 0.75) < 1e-12);
    after.metric = SDSIM_METRIC_THROUGHPUT;
    assert_true(fabs(sdsim_speed(&before, &after) - 2.0) < 1e-12);
}

static void test_gain_texts(void **state)
{
    (void)state;
    static const struct {
        double gain;
        const char *text;
        const char *word;
    } rows[] = {
        {0, "0.0%", "not it"},      {-0.25, "-25.0%", "not it"}, {0.0999, "+10.0%", "not it"},
        {0.10, "+10.0%", "part"},   {0.999, "+99.9%", "part"},   {1, "+100.0%", "it is"},
        {8.99, "+899.0%", "it is"}, {9, "x10.0", "it is"},       {150, "x151", "it is"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[24];
        assert_string_equal(sdsim_print_gain(rows[i].gain, text, sizeof text), rows[i].text);
        assert_string_equal(sdsim_suspect_word(rows[i].gain), rows[i].word);
    }
}

/* ---- ranks ---- */

static void test_rank(void **state)
{
    (void)state;
    static const struct {
        enum sdsim_whatif_kind kind;
        double gain;
    } rows[] = {
        {SDSIM_WHATIF_CLOCK, 0.2},
        {SDSIM_WHATIF_CALLS, 0.1},  /* less than nine tenths of the best */
        {SDSIM_WHATIF_CALLS, 0.46}, /* the first of those that reach it */
        {SDSIM_WHATIF_CALLS, 0.5},
        {SDSIM_WHATIF_CARD, 0.009}, /* less than 1 % */
        {SDSIM_WHATIF_SYNC, -0.5},
        {SDSIM_WHATIF_BUFFERS, 3.0},
        {SDSIM_WHATIF_BOUNCE, 1.0}, /* half of 4 times as fast */
        {SDSIM_WHATIF_BOUNCE, 2.2}, /* 80 % of it: behind `buffers` */
        {SDSIM_WHATIF_BOUNCE, 2.9},
    };
    struct sdsim_whatif *whatifs = calloc(COUNT(rows), sizeof *whatifs);
    assert_non_null(whatifs);
    for (size_t i = 0; i < COUNT(rows); i++) {
        whatifs[i].kind = rows[i].kind;
        whatifs[i].gain = rows[i].gain;
    }
    assert_int_equal(sdsim_whatifs_rank(whatifs, COUNT(rows)), 4);
    const double order[] = {3.0, 2.2, 0.46, 0.2};
    for (size_t i = 0; i < COUNT(order); i++) {
        assert_true(whatifs[i].gain == order[i]);
    }
    assert_non_null(strstr(whatifs[1].title, "the smallest for 80% of the ceiling"));
    free(whatifs);
}

/* ---- probes ---- */

static void test_probes(void **state)
{
    (void)state;
    const struct sdsim_subject run = {.replayed = false};
    const struct sdsim_subject trace = {.replayed = true};
    struct sdsim_setup base = {.clocks = {.num = 20000000, .den = 1}};
    struct sdsim_setup setup;
    base.run.workload = (struct sdsim_workload_params){
        .action = SDSIM_DO_READ, .call = 4096, .total = 65536, .sync_every = 3};
    base.card.flash.rd1 = 5;
    base.card.flash.rdn = 7;
    base.costs.call = 9;
    assert_true(sdsim_probe_setup(SDSIM_PROBE_NO_CARD, &run, &base, &setup));
    assert_true(setup.card.flash.rd1 == 0 && setup.card.flash.rdn == 0 && setup.costs.call == 9);
    assert_true(sdsim_probe_setup(SDSIM_PROBE_NO_HOST, &run, &base, &setup));
    assert_true(setup.card.flash.rd1 == 5 && setup.costs.call == 0);
    assert_true(sdsim_probe_setup(SDSIM_PROBE_NO_SECTOR_WAIT, &run, &base, &setup));
    assert_true(setup.card.flash.rd1 == 5 && setup.card.flash.rdn == 0);
    assert_true(sdsim_probe_setup(SDSIM_PROBE_NO_FIRST_WAIT, &run, &base, &setup));
    assert_true(setup.card.flash.rd1 == 0 && setup.card.flash.rdn == 7);
    assert_true(sdsim_probe_setup(SDSIM_PROBE_TWICE_THE_CLOCK, &run, &base, &setup));
    assert_true(setup.clocks.num == 40000000);
    assert_true(sdsim_probe_setup(SDSIM_PROBE_NO_SYNCS, &run, &base, &setup));
    assert_true(setup.run.workload.sync_every == 0);
    assert_true(sdsim_probe_setup(SDSIM_PROBE_OTHER_DIRECTION, &run, &base, &setup));
    assert_true(setup.run.workload.action == SDSIM_DO_WRITE);
    assert_true(sdsim_probe_setup(SDSIM_PROBE_LARGER_CALLS, &run, &base, &setup));
    assert_true(setup.run.workload.call == 16384 && setup.run.workload.total == 65536);
    /* There is nothing to take away, or nothing a recording would let go. */
    assert_false(sdsim_probe_setup(SDSIM_PROBE_NO_SLEEPS, &run, &base, &setup));
    assert_false(sdsim_probe_setup(SDSIM_PROBE_NO_CALL_COST, &run, &base, &setup));
    assert_false(sdsim_probe_setup(SDSIM_PROBE_NEARER, &run, &base, &setup));
    assert_false(sdsim_probe_setup(SDSIM_PROBE_LARGER_CALLS, &trace, &base, &setup));
    assert_false(sdsim_probe_setup(SDSIM_PROBE_OTHER_DIRECTION, &trace, &base, &setup));
    assert_true(sdsim_probe_setup(SDSIM_PROBE_NO_CARD, &trace, &base, &setup));
    base.run.workload.call = 100;
    assert_false(sdsim_probe_setup(SDSIM_PROBE_NO_FAT, &run, &base, &setup));
}

/* ---- without memory ---- */

static void test_no_memory(void **state)
{
    (void)state;
    size_t failed = 0;
    size_t answered = 0;
    for (size_t n = 1; n < 40000; n += n < 24 ? 1 : n / 2) {
        struct sdsim_config *config = sdsim_config_create(".");
        struct sdsim_diags diags;
        struct sdsim_scenario_subject scenario = {
            .config = config, .path = "tests/data/explain-extremes.yaml", .id = "card"};
        const struct sdsim_subject subject = sdsim_subject_of_scenario(&scenario);
        sdsim_diags_init(&diags);
        sdsim_test_fail_allocation(n);
        struct sdsim_explanation *explanation = sdsim_explain(&subject, NULL, &diags);
        const bool struck = sdsim_test_allocation_failed();
        failed += explanation == NULL ? 1 : 0;
        answered += explanation != NULL ? 1 : 0;
        if (explanation == NULL) {
            assert_true(struck && diags.errors > 0);
        }
        sdsim_explanation_free(explanation);
        sdsim_diags_free(&diags);
        sdsim_config_destroy(config);
        if (!struck) {
            break;
        }
    }
    /* Early failures end it, later ones cost a probe or a what-if. */
    assert_true(failed > 10 && answered > 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_buffered),
        cmocka_unit_test(test_widths_and_times),
        cmocka_unit_test(test_speed),
        cmocka_unit_test(test_speed_of_extremes),
        cmocka_unit_test(test_gain_texts),
        cmocka_unit_test(test_rank),
        cmocka_unit_test(test_probes),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
