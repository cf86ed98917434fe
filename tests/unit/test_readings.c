/*
 * What reports say: commands, verdicts, comparisons and readings of hand-made results.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/units.h"
#include "report/commands.h"
#include "report/comparison.h"
#include "report/readings.h"

#include "alloc.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- commands ---- */

static void test_commands(void **state)
{
    (void)state;
    struct sdsim_counters counters = {.blocks_read = 100, .blocks_written = 7};
    counters.commands[17] = 4;
    counters.commands[18] = 3;
    counters.commands[23] = 5;
    counters.app_commands[23] = 2;
    counters.commands[25] = 1;
    counters.commands[55] = 2;
    static const struct {
        const char *name;
        uint64_t count;
        uint64_t sectors;
    } expected[] = {{"CMD17", 4, 4},  {"CMD18", 3, 96}, {"CMD23", 3, 0},
                    {"ACMD23", 2, 0}, {"CMD25", 1, 7},  {"CMD55", 2, 0}};
    struct sdsim_command_use uses[SDSIM_COMMAND_USES];
    assert_int_equal(sdsim_command_uses(&counters, uses), COUNT(expected));
    for (size_t i = 0; i < COUNT(expected); i++) {
        char name[16];
        assert_string_equal(sdsim_command_name(&uses[i], name, sizeof name), expected[i].name);
        assert_int_equal(uses[i].count, expected[i].count);
        assert_int_equal(uses[i].sectors, expected[i].sectors);
        assert_true(sdsim_command_meaning(&uses[i])[0] != '\0');
    }
    assert_int_equal(sdsim_read_commands(&counters), 7);
    assert_int_equal(sdsim_write_commands(&counters), 1);
}

/* ---- verdicts ---- */

static struct sdsim_prediction predict(double low, double value, double high)
{
    return (struct sdsim_prediction){.typical = {.value = value}, .low = low, .high = high};
}

static void test_verdicts(void **state)
{
    (void)state;
    static const struct {
        double measured_low;
        double measured_high;
        double low;
        double value;
        double high;
        double measured; /* what the error is taken from */
        double error;
        bool within; /* of 10 % */
        bool covered;
    } rows[] = {
        {100, 100, 90, 100, 110, 100, 0.0, true, true},
        {100, 100, 104, 108, 112, 100, 0.08, true, false},
        {100, 100, 80, 88, 100, 100, -0.12, false, true},
        {100, 100, 150, 200, 250, 100, 1.0, false, false},
        {100, 200, 90, 120, 130, 120, 0.0, true, true},
        {100, 200, 90, 190, 230, 190, 0.0, true, true},
        {100, 200, 90, 200, 230, 200, 0.0, true, true},
        {100, 200, 40, 50, 110, 100, -0.5, false, true},
        {100, 200, 210, 210, 210, 200, 0.05, true, false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct sdsim_run_params run = {
            .measured = {.given = true, .low = rows[i].measured_low, .high = rows[i].measured_high},
            .judged = true,
            .tolerance = 100000000};
        const struct sdsim_prediction prediction =
            predict(rows[i].low, rows[i].value, rows[i].high);
        const struct sdsim_verdict verdict = sdsim_verdict(&run, &prediction);
        const double off = verdict.error - rows[i].error;
        if (!verdict.given || verdict.measured != rows[i].measured || off > 1e-12 || off < -1e-12 ||
            verdict.within != rows[i].within || verdict.covered != rows[i].covered) {
            fail_msg("row %zu: measured %g, error %g, within %d, covered %d", i, verdict.measured,
                     verdict.error, verdict.within, verdict.covered);
        }
    }
    const struct sdsim_run_params shown = {.measured = {.given = true, .low = 100, .high = 100},
                                           .tolerance = 100000000};
    const struct sdsim_prediction far = predict(300, 400, 500);
    const struct sdsim_verdict verdict = sdsim_verdict(&shown, &far);
    assert_true(verdict.given && !verdict.judged && !verdict.within);
    assert_true(verdict.error == 3.0);
    const struct sdsim_run_params nothing = {.judged = true, .tolerance = 1};
    const struct sdsim_prediction prediction = predict(1, 2, 3);
    assert_false(sdsim_verdict(&nothing, &prediction).given);
}

/* ---- comparisons ---- */

/* Rows with the given errors; those of the upper half are not covered. */
static void make_rows(struct sdsim_run_report *rows, struct sdsim_setup *setups,
                      const double *errors, size_t count)
{
    static const struct sdsim_run run = {.scenario = "s", .id = "r"};
    for (size_t i = 0; i < count; i++) {
        rows[i] = (struct sdsim_run_report){
            .run = &run,
            .setup = &setups[i],
            .verdict = {.given = true,
                        .judged = true,
                        .error = errors[i],
                        .within = errors[i] < 0.1 && errors[i] > -0.1,
                        .covered = errors[i] < 0.1},
        };
    }
}

static void test_summary(void **state)
{
    (void)state;
    static const struct {
        double errors[10];
        size_t count;
        double median;
        double p90;
        double coverage;
        size_t outside;
    } rows[] = {
        {{0.3}, 1, 0.3, 0.3, 0.0, 1},
        {{0.2, -0.05}, 2, 0.125, 0.2, 0.5, 1},
        {{0.2, -0.05, 0.01}, 3, 0.05, 0.2, 2.0 / 3.0, 1},
        {{0.0, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07, -0.08, 0.9}, 10, 0.045, 0.08, 0.9, 1},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sdsim_run_report reports[10];
        struct sdsim_setup setups[10] = {{.draw = 0}};
        struct sdsim_comparison comparison;
        make_rows(reports, setups, rows[i].errors, rows[i].count);
        assert_true(sdsim_compare(&comparison, reports, rows[i].count));
        if (comparison.median - rows[i].median > 1e-12 ||
            rows[i].median - comparison.median > 1e-12 || comparison.p90 - rows[i].p90 > 1e-12 ||
            rows[i].p90 - comparison.p90 > 1e-12 ||
            comparison.coverage - rows[i].coverage > 1e-12 ||
            rows[i].coverage - comparison.coverage > 1e-12 ||
            comparison.outside != rows[i].outside) {
            fail_msg("row %zu: median %g, p90 %g, coverage %g, outside %zu", i, comparison.median,
                     comparison.p90, comparison.coverage, comparison.outside);
        }
        assert_int_equal(comparison.headline, 0);
        assert_int_equal(comparison.not_judged, 0);
        reports[0].verdict.judged = false; /* the first is outside but in the last row */
        reports[0].verdict.within = false;
        const bool bad = rows[i].errors[0] > 0.1;
        assert_true(sdsim_compare(&comparison, reports, rows[i].count));
        assert_int_equal(comparison.not_judged, 1);
        assert_int_equal(comparison.outside, rows[i].outside - bad);
    }
}

static void test_empty_comparison(void **state)
{
    (void)state;
    struct sdsim_comparison comparison;
    const struct sdsim_style plain = {.color = false};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    assert_true(sdsim_compare(&comparison, NULL, 0));
    assert_true(sdsim_comparison_print(&comparison, &plain, out));
    sdsim_comparison_json(&comparison, out);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(text, "no run has a measured value\n"
                              "{\n  \"rows\": [],\n  \"summary\": {\n    \"count\": 0,\n"
                              "    \"median_abs_error\": null,\n    \"p90_abs_error\": null,\n"
                              "    \"coverage\": null,\n    \"outside\": 0,\n"
                              "    \"not_judged\": 0,\n"
                              "    \"headline\": {\n      \"numbers\": 0,\n      \"fitted\": 0,\n"
                              "      \"fitted_elsewhere\": 0\n    }\n  }\n}\n");
    free(text);
}

static void test_comparison_without_memory(void **state)
{
    (void)state;
    static const double errors[] = {0.0, 0.1};
    struct sdsim_run_report reports[2];
    struct sdsim_setup setups[2] = {{.draw = 0}};
    make_rows(reports, setups, errors, 2);
    for (size_t n = 1;; n++) {
        struct sdsim_comparison comparison;
        sdsim_test_fail_allocation(n);
        const bool summed = sdsim_compare(&comparison, reports, 2);
        const bool failed = sdsim_test_allocation_failed();
        assert_int_equal(summed, !failed);
        if (!failed) {
            assert_int_equal(n, 3);
            return;
        }
    }
}

/* ---- readings ---- */

/* A run of 16 calls that took 100 ms: 60 payload, 20 host, 20 access. */
struct model {
    struct sdsim_setup setup;
    struct sdsim_run_report report;
};

static void set_time(struct model *model, enum sdsim_kind kind, unsigned ms)
{
    struct sdsim_workload_result *result = &model->report.prediction.typical.workload;
    result->account.ps[SDSIM_FOR_DATA][kind] = ms * SDSIM_MS;
    result->elapsed = sdsim_account_total(&result->account);
}

static struct sdsim_counters *counters_of(struct model *model)
{
    return &model->report.prediction.typical.workload.counters;
}

static void make_model(struct model *model)
{
    *model = (struct model){
        .setup = {.run = {.workload = {.action = SDSIM_DO_READ, .call = 32768, .total = 524288},
                          .file = {.api = SDSIM_API_POSIX},
                          .usable_buffers = true}},
    };
    model->report.setup = &model->setup;
    model->report.prediction.typical.value = 1e6;
    model->report.prediction.typical.workload.calls = 16;
    model->report.prediction.typical.workload.bytes = 524288;
    set_time(model, SDSIM_PAYLOAD, 60);
    set_time(model, SDSIM_HOST, 20);
    set_time(model, SDSIM_ACCESS, 20);
    counters_of(model)->blocks_read = 1024;
    counters_of(model)->commands[18] = 16;
}

static void in_stdio_pieces(struct model *model)
{
    model->setup.run.file.api = SDSIM_API_ARDUINO;
    counters_of(model)->commands[18] = 128;
    counters_of(model)->commands[17] = 1; /* a look at the FAT changes nothing */
    counters_of(model)->blocks_read = 1025;
}

static void in_larger_pieces(struct model *model)
{
    in_stdio_pieces(model);
    model->setup.run.file.buffer = 16384;
    counters_of(model)->commands[18] = 32;
}

static void bounced(struct model *model)
{
    model->setup.run.usable_buffers = false;
    model->setup.driver.params.bounce_blocks = 1;
    counters_of(model)->commands[18] = 0;
    counters_of(model)->commands[17] = 1024;
}

static void clustered(struct model *model)
{
    model->setup.run.workload.action = SDSIM_DO_WRITE;
    counters_of(model)->commands[25] = 64;
    counters_of(model)->blocks_written = 1024;
}

static void collected_by_buffer(struct model *model)
{
    model->setup.run.workload =
        (struct sdsim_workload_params){.action = SDSIM_DO_WRITE, .call = 64, .total = 524288};
    model->setup.run.file.api = SDSIM_API_ARDUINO;
    model->report.prediction.typical.workload.calls = 8192;
    counters_of(model)->commands[25] = 128;
    counters_of(model)->blocks_written = 1024;
}

static void lines_in_sectors(struct model *model)
{
    model->setup.run.workload = (struct sdsim_workload_params){.action = SDSIM_DO_LOG};
    model->setup.run.file.api = SDSIM_API_CIRCUITPYTHON;
    model->report.prediction.typical.workload.calls = 1600;
    counters_of(model)->commands[24] = 100;
    counters_of(model)->blocks_written = 100;
}

static void stream_left_open(struct model *model)
{
    model->setup.run.workload.action = SDSIM_DO_WRITE;
    counters_of(model)->commands[25] = 2;
    counters_of(model)->blocks_written = 1024;
}

static void partial_sectors(struct model *model)
{
    model->setup.run.workload =
        (struct sdsim_workload_params){.action = SDSIM_DO_WRITE, .call = 1000, .total = 16000};
    counters_of(model)->commands[24] = 12;
    counters_of(model)->commands[25] = 4;
    counters_of(model)->blocks_written = 28;
}

static void host_bound(struct model *model)
{
    set_time(model, SDSIM_PAYLOAD, 10);
    set_time(model, SDSIM_HOST, 80);
    set_time(model, SDSIM_ACCESS, 10);
}

static void many_syncs(struct model *model)
{
    struct sdsim_workload_result *result = &model->report.prediction.typical.workload;
    model->setup.run.workload.action = SDSIM_DO_WRITE;
    model->setup.run.workload.sync_every = 2;
    result->account.ps[SDSIM_FOR_DIRECTORY][SDSIM_BUSY] = 100 * SDSIM_MS;
    result->elapsed = sdsim_account_total(&result->account);
}

static void pausing(struct model *model)
{
    set_time(model, SDSIM_ACCESS, 0);
    set_time(model, SDSIM_PAUSE, 20);
    model->report.prediction.typical.workload.started = SDSIM_S;
    counters_of(model)->longest_wait = 15 * SDSIM_MS;
    counters_of(model)->longest_wait_at = SDSIM_S + 30 * SDSIM_MS;
}

static void reading_folded(struct model *model)
{
    model->setup.card.flash.rd_folded = 330 * SDSIM_US;
    model->report.prediction.typical.flash.folded_reads = 1000;
    model->report.prediction.typical.flash.fresh_reads = 24;
}

static void reading_fresh(struct model *model)
{
    model->setup.card.flash.rd_folded = 330 * SDSIM_US;
    model->report.prediction.typical.flash.folded_reads = 24;
    model->report.prediction.typical.flash.fresh_reads = 1000;
}

static void merging(struct model *model)
{
    model->setup.card.flash.open_aus = 3;
    model->report.prediction.typical.translation = (struct sdsim_translation_stats){
        .merges = 2, .merge_time = 50 * SDSIM_MS, .small_writes = 1, .order_time = 3 * SDSIM_MS};
}

static void out_of_order(struct model *model)
{
    model->report.prediction.typical.translation =
        (struct sdsim_translation_stats){.out_of_order = 7, .order_time = 30 * SDSIM_MS};
}

static void slow_clock(struct model *model)
{
    model->setup.asked_hz = 25000000;
    model->setup.driver.cap_hz = 25000000; /* no word of it: what is asked for is not cut */
    model->report.has_exact = true;
    model->report.wanted_hz = 25000000;
    model->report.exact.value = 1.25e6;
    model->report.exact.workload.elapsed = 80 * SDSIM_MS;
}

static void clock_cut_by_driver(struct model *model)
{
    slow_clock(model);
    model->setup.asked_hz = 40000000;
}

static void clock_cut_by_card(struct model *model)
{
    clock_cut_by_driver(model);
    model->setup.driver.params.code = SDSIM_DRIVER_IDF_SDMMC;
    model->setup.driver.cap_hz = 0;
    model->setup.card.spi_hz = 25000000;
}

static const struct {
    const char *name;
    void (*change)(struct model *model);
    const char *expected[3]; /* behind the shares, which are always there */
} reading_rows[] = {
    {"plain",
     NULL,
     {"the payload's clocks alone allow no more than 1.667MB/s at this clock and width"}},
    {"stdio",
     in_stdio_pieces,
     {"the payload's clocks", "each read of 32KiB became 8 commands of 8 sectors: the 4KiB buffer "
                              "of the file API arduino is "
                              "refilled piece by piece, so larger calls bring nothing"}},
    {"buffer",
     in_larger_pieces,
     {"the payload's", "each read of 32KiB became 2 commands of 32 sectors: the 16KiB buffer"}},
    {"bounce",
     bounced,
     {"the payload's", "each read of 32KiB became 64 commands: DMA can't use the application's "
                       "buffer, so the driver "
                       "moves 1 sector at a time through its own"}},
    {"clusters",
     clustered,
     {"the payload's",
      "each write of 32KiB became 4 commands of 16 sectors: FatFs ends a command"}},
    {"collected",
     collected_by_buffer,
     {"the payload's",
      "64 writes share one command: the 4KiB buffer of the file API collects them"}},
    {"lines",
     lines_in_sectors,
     {"the payload's",
      "16 lines share one sector: FatFs collects them and moves one sector at a time"}},
    {"stream",
     stream_left_open,
     {"the payload's",
      "8 writes share one command: the driver leaves its stream open between calls"}},
    {"partial",
     partial_sectors,
     {"the payload's", "calls of 1kB end inside sectors: 75.0% of the data commands move a single "
                       "one; calls of a multiple of 512B avoid it"}},
    {"host",
     host_bound,
     {"the time of the host alone allows no more than 1.25MB/s, whatever bus and card"}},
    {"syncs",
     many_syncs,
     {"the payload's",
      "keeping the file system up to date takes 50.0%: there is a sync every 2 writes"}},
    {"pauses",
     pausing,
     {"the payload's",
      "the card's housekeeping takes 20.0%; the longest wait for it, 15ms, began 30ms "
      "after the first call"}},
    {"folded data",
     reading_folded,
     {"the payload's", "reads of folded data: 1000 of 1024 sectors, 330us each: they were written "
                       "long ago and left the card's cache"}},
    {"fresh data",
     reading_fresh,
     {"the payload's", "reads of folded data: 24 of 1024 sectors: what was written last still lies "
                       "in the card's cache"}},
    {"merges",
     merging,
     {"the payload's", "the card moves data because of where it is written: 2 merges of AUs, 25ms "
                       "each (it holds 3 open), and 1 write out of order, 3ms in all"}},
    {"out of order",
     out_of_order,
     {"the payload's", "the card moves data because of where it is written: 7 writes out of order, "
                       "30ms in all"}},
    {"clock",
     slow_clock,
     {"the payload's",
      "with exactly the 25MHz asked for it would be 1.25MB/s: the clock divider costs 20.0% of the "
      "time"}},
    {"clock cut by the driver",
     clock_cut_by_driver,
     {"the payload's",
      "with exactly 25MHz, the driver's cap, it would be 1.25MB/s: the clock divider costs 20.0% "
      "of the time"}},
    {"clock cut by the card",
     clock_cut_by_card,
     {"the payload's",
      "with exactly 25MHz, the card's cap, it would be 1.25MB/s: the clock divider costs 20.0% "
      "of the time"}},
};

static void test_readings(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(reading_rows); i++) {
        struct model model;
        struct sdsim_readings readings;
        make_model(&model);
        if (reading_rows[i].change != NULL) {
            reading_rows[i].change(&model);
        }
        sdsim_readings(&model.report, &readings);
        size_t count = 0;
        while (count < 3 && reading_rows[i].expected[count] != NULL) {
            count++;
        }
        if (readings.count != count + 1) {
            fail_msg("%s: %zu readings, expected %zu; the last is '%s'", reading_rows[i].name,
                     readings.count, count + 1,
                     readings.count > 0 ? readings.text[readings.count - 1] : "");
        }
        for (size_t n = 0; n < count; n++) {
            const char *expected = reading_rows[i].expected[n];
            if (strncmp(readings.text[n + 1], expected, strlen(expected)) != 0) {
                fail_msg("%s: '%s', expected '%s'", reading_rows[i].name, readings.text[n + 1],
                         expected);
            }
        }
    }
}

static void test_shares(void **state)
{
    (void)state;
    struct model model;
    struct sdsim_readings readings;
    make_model(&model);
    set_time(&model, SDSIM_PROTOCOL, 15);
    set_time(&model, SDSIM_BUSY, 3);
    set_time(&model, SDSIM_POLL, 2);
    set_time(&model, SDSIM_PAYLOAD, 40);
    sdsim_readings(&model.report, &readings);
    assert_string_equal(readings.text[0],
                        "clocks on the bus take 55.0%, the host and its driver 22.0%, the card "
                        "23.0%");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_commands),
        cmocka_unit_test(test_verdicts),
        cmocka_unit_test(test_summary),
        cmocka_unit_test(test_empty_comparison),
        cmocka_unit_test(test_comparison_without_memory),
        cmocka_unit_test(test_readings),
        cmocka_unit_test(test_shares),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
