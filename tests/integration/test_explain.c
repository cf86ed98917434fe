/*
 * Explanations of shipped runs. Of each, the waterfall's steps add up to the run's time to the
 * picosecond, and its ceilings fall from the raw rate of the bus to what is predicted. What is told
 * of the headline runs, and the verdicts on runs in which one layer has all the time.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <glob.h>
#include <string.h>

#include "report/explain.h"

/* ---- sums ---- */

static void check_sums(const struct sdsim_run *run, const struct sdsim_outcome_report *outcome,
                       const struct sdsim_waterfall *waterfall)
{
    sdsim_ps sum = 0;
    for (size_t i = 0; i < waterfall->count; i++) {
        const struct sdsim_waterfall_step *step = &waterfall->steps[i];
        sum += step->time;
        if (step->time == 0 || step->until != sum || step->rule[0] == '\0') {
            fail_msg("%s/%s: step %s: %llu ps until %llu ps, '%s'", run->scenario, run->id,
                     sdsim_loss_name(step->loss), (unsigned long long)step->time,
                     (unsigned long long)step->until, step->rule);
        }
    }
    if (sum != outcome->workload.elapsed || sum != waterfall->total || sum == 0) {
        fail_msg("%s/%s: the steps sum to %llu ps, the run takes %llu ps", run->scenario, run->id,
                 (unsigned long long)sum, (unsigned long long)outcome->workload.elapsed);
    }
}

/* A rate's ceilings fall, times' rise; the last is the prediction, where that is one of the whole.
 */
static void check_ceilings(const struct sdsim_run *run, const struct sdsim_setup *setup,
                           const struct sdsim_outcome_report *outcome,
                           const struct sdsim_waterfall *waterfall)
{
    const bool rate = waterfall->metric != SDSIM_METRIC_TIME;
    for (size_t i = 1; i < waterfall->count; i++) {
        const double before = waterfall->steps[i - 1].ceiling;
        const double here = waterfall->steps[i].ceiling;
        if (rate ? here > before : here < before) {
            fail_msg("%s/%s: the ceiling of %s is %g behind %g", run->scenario, run->id,
                     sdsim_loss_name(waterfall->steps[i].loss), here, before);
        }
    }
    const double last = waterfall->steps[waterfall->count - 1].ceiling;
    if (setup->run.measure == SDSIM_MEASURE_USUAL && last != outcome->value) {
        fail_msg("%s/%s: the last ceiling is %.17g, predicted is %.17g", run->scenario, run->id,
                 last, outcome->value);
    }
    const struct sdsim_waterfall_step *raw = sdsim_waterfall_step(waterfall, SDSIM_LOSS_RAW);
    if (raw != NULL && waterfall->metric == SDSIM_METRIC_THROUGHPUT &&
        raw->ceiling < 0.999999 * waterfall->raw_rate) {
        fail_msg("%s/%s: raw %g B/s, but the bus makes %g B/s", run->scenario, run->id,
                 raw->ceiling, waterfall->raw_rate);
    }
}

static void check_draw(struct sdsim_config *config, const struct sdsim_run *run, uint32_t k,
                       struct sdsim_diags *diags)
{
    struct sdsim_setup setup;
    struct sdsim_outcome_report outcome;
    struct sdsim_waterfall waterfall;
    assert_true(sdsim_setup_bind(config, run, k, &setup, diags));
    sdsim_simulate(&setup, NULL, &outcome);
    assert_string_equal(outcome.error, "");
    sdsim_waterfall(&setup, &outcome, &waterfall);
    check_sums(run, &outcome, &waterfall);
    check_ceilings(run, &setup, &outcome, &waterfall);
}

static void steps_sum_to_the_whole(void **state)
{
    (void)state;
    static const char *const patterns[] = {"scenarios/*.yaml", "tests/cases/BR-0[04]*.yaml",
                                           "tests/data/explain-*.yaml"};
    struct sdsim_diags diags;
    size_t checked = 0;
    sdsim_diags_init(&diags);
    for (size_t p = 0; p < sizeof patterns / sizeof *patterns; p++) {
        glob_t files;
        assert_int_equal(glob(patterns[p], 0, NULL, &files), 0);
        for (size_t f = 0; f < files.gl_pathc; f++) {
            struct sdsim_config *config = sdsim_config_create(".");
            const struct sdsim_scenario *scenario =
                sdsim_scenario_load(config, files.gl_pathv[f], NULL, &diags);
            if (scenario == NULL) {
                fail_msg("%s: %s", files.gl_pathv[f],
                         diags.count > 0 ? diags.items[0].text : "out of memory");
            }
            for (size_t r = 0; r < scenario->count; r++) {
                for (uint32_t k = 0; k < 3; k++) {
                    check_draw(config, &scenario->runs[r], k, &diags);
                    checked++;
                }
            }
            sdsim_config_destroy(config);
        }
        globfree(&files);
    }
    assert_true(checked >= 3 * 50);
    sdsim_diags_free(&diags);
}

/* ---- what is told ---- */

struct bench {
    struct sdsim_config *config;
    struct sdsim_diags diags;
    struct sdsim_scenario_subject scenario;
    struct sdsim_explanation *explanation;
};

static void explain(struct bench *bench, const char *path, const char *id)
{
    *bench = (struct bench){.config = sdsim_config_create(".")};
    sdsim_diags_init(&bench->diags);
    bench->scenario =
        (struct sdsim_scenario_subject){.config = bench->config, .path = path, .id = id};
    const struct sdsim_subject subject = sdsim_subject_of_scenario(&bench->scenario);
    bench->explanation = sdsim_explain(&subject, NULL, &bench->diags);
    if (bench->explanation == NULL) {
        fail_msg("%s %s: %s", path, id,
                 bench->diags.count > 0 ? bench->diags.items[0].text : "no such run");
    }
}

static void done(struct bench *bench)
{
    sdsim_explanation_free(bench->explanation);
    sdsim_diags_free(&bench->diags);
    sdsim_config_destroy(bench->config);
}

static const struct sdsim_whatif *whatif_of(const struct bench *bench, enum sdsim_whatif_kind kind)
{
    for (size_t i = 0; i < bench->explanation->whatif_count; i++) {
        if (bench->explanation->whatifs[i].kind == kind) {
            return &bench->explanation->whatifs[i];
        }
    }
    return NULL;
}

static const struct sdsim_suspect *suspect_of(const struct bench *bench,
                                              enum sdsim_probe_kind probe)
{
    for (size_t i = 0; i < bench->explanation->suspect_count; i++) {
        if (bench->explanation->suspects[i].probe == probe) {
            return &bench->explanation->suspects[i];
        }
    }
    return NULL;
}

static bool tells(const struct bench *bench, enum sdsim_tell_kind kind, const char *text)
{
    for (size_t i = 0; i < bench->explanation->tell_count; i++) {
        const struct sdsim_tell *tell = &bench->explanation->tells[i];
        if (tell->kind == kind && strstr(tell->text, text) != NULL) {
            return true;
        }
    }
    return false;
}

/* The note on H1 blames the flat read rate on a wait between sectors. */
static void the_notes_own_theory(void **state)
{
    (void)state;
    static const char *const runs[] = {"read-4k", "read-16k", "read-32k"};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        struct bench bench;
        explain(&bench, "scenarios/esp32-arduino-sd.yaml", runs[i]);
        const struct sdsim_suspect *theory = suspect_of(&bench, SDSIM_PROBE_NO_SECTOR_WAIT);
        assert_non_null(theory);
        assert_true(theory->gain < 0.01);
        assert_string_equal(sdsim_suspect_word(theory->gain), "not it");
        /* It is ranked: what brings more stands before it, and the card's access does. */
        assert_ptr_not_equal(theory, bench.explanation->suspects);
        assert_true(suspect_of(&bench, SDSIM_PROBE_NO_FIRST_WAIT) < theory);
        assert_true(suspect_of(&bench, SDSIM_PROBE_NO_FIRST_WAIT)->gain > 0.15);
        assert_true(tells(&bench, SDSIM_TELL_CALL_SIZE, "flat in call size"));
        if (i > 0) { /* calls that are longer than the buffer */
            assert_true(
                tells(&bench, SDSIM_TELL_CALL_SIZE,
                      "the 4KiB buffer of the file API arduino is refilled piece by piece"));
            const struct sdsim_whatif *buffer = whatif_of(&bench, SDSIM_WHATIF_STDIO);
            assert_non_null(buffer);
            assert_true(buffer->gain > 0.1);
        }
        assert_null(whatif_of(&bench, SDSIM_WHATIF_CALLS));
        done(&bench);
    }
}

/* The first what-if of each run of the two headline scenarios over SPI. */
static void first_whatifs(void **state)
{
    (void)state;
    static const struct {
        const char *scenario;
        const char *run;
        enum sdsim_whatif_kind kind;
        const char *set;
        double from;
        double to;
    } rows[] = {
        {"esp32s3-raw", "spi-write", SDSIM_WHATIF_WIDTH, "bus=sd4", 1.2, 1.7},
        {"esp32s3-raw", "spi-read", SDSIM_WHATIF_WIDTH, "bus=sd4", 3.5, 5.5},
        {"esp32s3-raw", "sd4-write", SDSIM_WHATIF_CALLS, "workload.call=64KiB", 1.5, 6},
        {"esp32-arduino-sd", "write-4k", SDSIM_WHATIF_WIDTH, "bus=sd4", 1.5, 2.5},
        {"esp32-arduino-sd", "read-32k", SDSIM_WHATIF_WIDTH, "bus=sd4", 1.5, 2.5},
        {"effect-small-clusters", "clusters-512-32KiB", SDSIM_WHATIF_CLUSTER,
         "filesystem.cluster=16KiB", 2, 6},
        {"effect-sync", "each-call", SDSIM_WHATIF_CALLS, "workload.call=64KiB", 2, 6},
        {"effect-seek", "fat32-4k", SDSIM_WHATIF_EXFAT, "filesystem.type=exfat", 20, 200},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bench bench;
        char path[100];
        snprintf(path, sizeof path, "scenarios/%s.yaml", rows[i].scenario);
        explain(&bench, path, rows[i].run);
        assert_true(bench.explanation->whatif_count > 0);
        const struct sdsim_whatif *first = &bench.explanation->whatifs[0];
        bool set = false;
        for (size_t s = 0; s < first->set_count; s++) {
            set = set || strcmp(first->sets[s], rows[i].set) == 0;
        }
        if (first->kind != rows[i].kind || !set || first->gain < rows[i].from ||
            first->gain > rows[i].to) {
            fail_msg("%s %s: the first what-if is %s (%s), gain %g", rows[i].scenario, rows[i].run,
                     sdsim_whatif_name(first->kind), first->title, first->gain);
        }
        for (size_t w = 0; w < bench.explanation->whatif_count; w++) {
            const struct sdsim_whatif *whatif = &bench.explanation->whatifs[w];
            assert_true(whatif->cost[0] != '\0' && whatif->risk[0] != '\0');
            assert_true(w == 0 || whatif->gain <= whatif[-1].gain);
        }
        done(&bench);
    }
}

static void linear_walks(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        const char *run;
        const char *text;
    } rows[] = {
        {"scenarios/effect-seek.yaml", "fat32-4k", "a linear walk through the FAT chain"},
        {"scenarios/effect-seek.yaml", "exfat", "does not grow with the offset"},
        {"scenarios/effect-directory.yaml", "of-2000", "a linear walk through the directory"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bench bench;
        explain(&bench, rows[i].path, rows[i].run);
        if (!tells(&bench, SDSIM_TELL_OFFSET, rows[i].text)) {
            fail_msg("%s %s does not tell '%s'", rows[i].path, rows[i].run, rows[i].text);
        }
        done(&bench);
    }
}

/* ---- verdicts ---- */

static const struct sdsim_layer_verdict *verdict_of(const struct bench *bench,
                                                    enum sdsim_verdict_about about)
{
    for (size_t i = 0; i < bench->explanation->verdict_count; i++) {
        if (bench->explanation->verdicts[i].about == about) {
            return &bench->explanation->verdicts[i];
        }
    }
    return NULL;
}

static void verdicts_on_extremes(void **state)
{
    (void)state;
    static const struct {
        const char *run;
        enum sdsim_verdict_about cause;
        enum sdsim_verdict_about innocent[2];
        const char *text;
    } rows[] = {
        {"card", SDSIM_VERDICT_CARD, {SDSIM_VERDICT_BUS, SDSIM_VERDICT_HOST}, "it is the card"},
        {"bus", SDSIM_VERDICT_BUS, {SDSIM_VERDICT_CARD, SDSIM_VERDICT_HOST}, "it is the bus"},
        {"host",
         SDSIM_VERDICT_HOST,
         {SDSIM_VERDICT_CARD, SDSIM_VERDICT_BUS},
         "it is the microcontroller"},
        {"file-system",
         SDSIM_VERDICT_FAT,
         {SDSIM_VERDICT_BUS, SDSIM_VERDICT_HOST},
         "it is the file system"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bench bench;
        explain(&bench, "tests/data/explain-extremes.yaml", rows[i].run);
        const struct sdsim_layer_verdict *first = &bench.explanation->verdicts[0];
        assert_true(bench.explanation->verdict_count > 0);
        if (!first->cause || first->about != rows[i].cause || first->gain < SDSIM_EXPLAIN_IT_IS ||
            strstr(first->text, rows[i].text) == NULL) {
            fail_msg("%s: the first verdict is '%s'", rows[i].run, first->text);
        }
        for (size_t n = 0; n < 2; n++) {
            const struct sdsim_layer_verdict *other = verdict_of(&bench, rows[i].innocent[n]);
            if (other == NULL || other->cause || other->gain >= SDSIM_EXPLAIN_NOT_IT ||
                strncmp(other->text, "not the ", 8) != 0) {
                fail_msg("%s: of layer %d it says '%s'", rows[i].run, (int)rows[i].innocent[n],
                         other != NULL ? other->text : "nothing");
            }
        }
        done(&bench);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_sum_to_the_whole), cmocka_unit_test(the_notes_own_theory),
        cmocka_unit_test(first_whatifs),          cmocka_unit_test(linear_walks),
        cmocka_unit_test(verdicts_on_extremes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
