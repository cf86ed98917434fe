/*
 * Which values made a span: on a run of round numbers, each wait has its value, with its origin; on all
 * scenarios, nearly all waits of the card have at least one.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "core/account.h"
#include "setup/made_of.h"
#include "setup/simulate.h"
#include "timeline/timeline.h"

static void one_value(void **state)
{
    (void)state;
    static const struct {
        uint8_t lane;
        uint8_t kind;
        uint8_t group;
        sdsim_ps duration;
        const char *key; /* the first one; NULL: none */
        bool exact;
    } rows[] = {
        {SDSIM_LANE_CARD, SDSIM_ACCESS, SDSIM_GROUP_READ, 500 * SDSIM_US, "rd1", true},
        {SDSIM_LANE_CARD, SDSIM_ACCESS, SDSIM_GROUP_READ, 400 * SDSIM_US, "rd1", false},
        {SDSIM_LANE_FLASH, SDSIM_ACCESS, SDSIM_GROUP_READ, 500 * SDSIM_US, "rd1", true},
        {SDSIM_LANE_CARD, SDSIM_ACCESS, SDSIM_GROUP_WRITE, 500 * SDSIM_US, NULL, false},
        {SDSIM_LANE_BUS, SDSIM_GAP, SDSIM_GROUP_READ, 2 * SDSIM_US, "transfer", true},
        {SDSIM_LANE_QUEUE, SDSIM_PAYLOAD, SDSIM_GROUP_COUNT, 5, NULL, false},
    };
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    struct sdsim_config *config = sdsim_config_create("tests/golden/data");
    const struct sdsim_scenario *scenario =
        sdsim_scenario_load(config, "tests/golden/data/scenarios/bench.yaml", NULL, &diags);
    assert_non_null(scenario);
    const struct sdsim_run *read = NULL;
    for (size_t i = 0; i < scenario->count; i++) {
        read = strcmp(scenario->runs[i].id, "read") == 0 ? &scenario->runs[i] : read;
    }
    assert_non_null(read);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sdsim_cause causes[8];
        const struct sdsim_span span = {
            .lane = rows[i].lane, .kind = rows[i].kind, .duration = rows[i].duration, .count = 1};
        const size_t count =
            sdsim_made_of(read, &span, (enum sdsim_command_group)rows[i].group, causes, 8);
        const bool as_said = rows[i].key == NULL
                                 ? count == 0
                                 : count > 0 && strcmp(causes[0].key, rows[i].key) == 0 &&
                                       causes[0].exact == rows[i].exact;
        if (!as_said) {
            fail_msg("row %zu: %zu values, the first is %s", i, count,
                     count > 0 ? causes[0].key : "none");
        }
    }
    /* No more than there is room for. */
    struct sdsim_cause few[1];
    const struct sdsim_span busy = {
        .lane = SDSIM_LANE_CARD, .kind = SDSIM_BUSY, .duration = 1, .count = 1};
    assert_true(sdsim_made_of(read, &busy, SDSIM_GROUP_WRITE, few, 1) <= 1);
    sdsim_diags_free(&diags);
    sdsim_config_destroy(config);
}

/* Counts waits of the card, and those that have a value. */
static void count_waits(const struct sdsim_run *run, const struct sdsim_setup *setup,
                        unsigned *waits, unsigned *known)
{
    struct sdsim_timeline timeline;
    struct sdsim_outcome_report report;
    const char *why;
    sdsim_timeline_init(&timeline);
    sdsim_simulate(setup, &timeline.recorder, &report);
    assert_true(sdsim_timeline_finish(&timeline, &why));
    struct sdsim_store *card = &timeline.lanes[SDSIM_LANE_CARD];
    for (uint64_t i = 0; i < card->count; i += 1 + card->count / 200) {
        struct sdsim_span span;
        struct sdsim_cause causes[4];
        if (sdsim_store_span(card, i, &span)) {
            const enum sdsim_command_group group =
                span.kind == SDSIM_ACCESS ? SDSIM_GROUP_READ : SDSIM_GROUP_WRITE;
            *waits += 1;
            *known += sdsim_made_of(run, &span, group, causes, 4) > 0;
        }
    }
    sdsim_timeline_free(&timeline);
}

static void scenarios(void **state)
{
    (void)state;
    struct sdsim_config *config = sdsim_config_create(".");
    struct sdsim_setup *setup = malloc(sizeof *setup);
    struct sdsim_diags diags;
    unsigned waits = 0;
    unsigned known = 0;
    glob_t files;
    sdsim_diags_init(&diags);
    assert_int_equal(glob("scenarios/*.yaml", 0, NULL, &files), 0);
    for (size_t f = 0; f < files.gl_pathc; f++) {
        const struct sdsim_scenario *scenario =
            sdsim_scenario_load(config, files.gl_pathv[f], NULL, &diags);
        assert_non_null(scenario);
        assert_true(sdsim_setup_bind(config, &scenario->runs[0], 0, setup, &diags));
        if (setup->run.workload.total <= 2 << 20) {
            count_waits(&scenario->runs[0], setup, &waits, &known);
        }
    }
    globfree(&files);
    if (waits < 100 || known < waits - waits / 50) {
        fail_msg("of %u waits of cards, %u have a value", waits, known);
    }
    free(setup);
    sdsim_diags_free(&diags);
    sdsim_config_destroy(config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_value),
        cmocka_unit_test(scenarios),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
