/* All draws of a run bound at once are those bound one by one: every scenario, and a mixture. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <glob.h>
#include <stdio.h>
#include <string.h>

#include "setup/simulate.h"

enum { DRAWS = 12 };

/* Lists have memory of their own for each binding, and their items no range. */
static void forget_lists(struct sdsim_setup *setup)
{
    setup->card.mixture.items = NULL;
    setup->card.matches.items = NULL;
    setup->host.strapping_pins.items = NULL;
    setup->run.pins.items = NULL;
    setup->run.workload.calls.items = NULL;
}

/* Returns how many draws differ from draw 0 in their card. */
static size_t check_run(struct sdsim_config *config, const struct sdsim_run *run,
                        struct sdsim_diags *diags)
{
    static struct sdsim_setup setups[DRAWS + 1];
    struct sdsim_setup one;
    size_t differ = 0;
    assert_true(sdsim_setup_bind_draws(config, run, DRAWS, setups, diags));
    for (uint32_t k = 0; k <= DRAWS; k++) {
        assert_true(sdsim_setup_bind(config, run, k, &one, diags));
        forget_lists(&one);
        forget_lists(&setups[k]);
        if (memcmp(&one, &setups[k], sizeof one) != 0) {
            fail_msg("%s/%s, draw %u differs", run->scenario, run->id, (unsigned)k);
        }
        differ +=
            memcmp(&setups[k].card.flash, &setups[0].card.flash, sizeof setups[k].card.flash) != 0;
    }
    return differ;
}

static void check_file(const char *path, const char *const *overrides)
{
    struct sdsim_config *config = sdsim_config_create(".");
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    const struct sdsim_scenario *scenario = sdsim_scenario_load(config, path, overrides, &diags);
    assert_non_null(scenario);
    for (size_t r = 0; r < scenario->count; r++) {
        assert_true(check_run(config, &scenario->runs[r], &diags) > 0);
    }
    sdsim_diags_free(&diags);
    sdsim_config_destroy(config);
}

static void every_scenario(void **state)
{
    (void)state;
    glob_t files;
    assert_int_equal(glob("scenarios/*.yaml", 0, NULL, &files), 0);
    assert_true(files.gl_pathc > 5);
    for (size_t f = 0; f < files.gl_pathc; f++) {
        check_file(files.gl_pathv[f], NULL);
    }
    globfree(&files);
}

static void one_of_several_cards(void **state)
{
    (void)state;
    const char *const overrides[] = {"card=unknown", NULL};
    check_file("scenarios/esp32-arduino-sd.yaml", overrides);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_scenario),
                                       cmocka_unit_test(one_of_several_cards)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
