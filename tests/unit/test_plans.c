/*
 * From many records to plans: records that mean one run share it, changes on top of all, and what can't be
 * planned.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "alloc.h"
#include "measure/profiles.h"
#include "unit/plan_bench.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

#define SAYS(texts) "\"assumptions\":[" texts "]"
#define RAW         "\"fs\":\"raw\","

/* A card that is based on another one is another card. */
static void test_matches_are_not_inherited(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        const char *text;
    } files[] = {
        {"b-named", "kind: card\nmatches: [Some card, its other name]\n"},
        {"a-based", "kind: card\nbase: b-named\n"},
        {"c-based", "kind: card\nbase: b-named\n"},
        {"d-based", "kind: card\nbase: b-named\nmatches: That card\n"},
    };
    static const struct {
        const char *card;
        const char *profile;
    } rows[] = {{"Some card", "b-named"}, {"its other name", "b-named"}, {"That card", "d-based"}};
    assert_int_equal(mkdir(sdsim_test_path("cards"), 0700), 0);
    for (size_t i = 0; i < COUNT(files); i++) {
        char name[40];
        snprintf(name, sizeof name, "cards/%s.yaml", files[i].name);
        sdsim_test_write_text(sdsim_test_path(name), files[i].text);
    }
    struct sdsim_test_config f;
    sdsim_test_config_set_up(&f, sdsim_test_folder());
    struct sdsim_profiles *profiles = sdsim_profiles_create(f.config);
    assert_non_null(profiles);
    for (size_t i = 0; i < COUNT(files); i++) {
        assert_true(sdsim_profiles_has(profiles, "card", files[i].name));
    }
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *profile = sdsim_profiles_card(profiles, rows[i].card);
        assert_non_null(profile);
        assert_string_equal(profile, rows[i].profile);
    }
    assert_null(sdsim_profiles_card(profiles, "another card"));
    sdsim_test_config_tear_down(&f);
}

/* Of the releases of a driver that a name stood for, the one that was in use. */
static void test_releases(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        const char *text;
    } files[] = {
        {"z-first", "kind: driver\nmatches: lib\nlast_year: 2020\n"},
        {"a-second", "kind: driver\nmatches: [other, lib]\nlast_year: 2022\n"},
        {"m-third", "kind: driver\nmatches: lib\n"},
    };
    static const struct {
        uint64_t year;
        const char *profile;
    } rows[] = {{2019, "z-first"},  {2020, "z-first"}, {2021, "a-second"},
                {2022, "a-second"}, {2023, "m-third"}, {0, "m-third"}};
    assert_int_equal(mkdir(sdsim_test_path("scenarios"), 0700), 0);
    assert_int_equal(mkdir(sdsim_test_path("scenarios/drivers"), 0700), 0);
    for (size_t i = 0; i < COUNT(files); i++) {
        char name[60];
        snprintf(name, sizeof name, "scenarios/drivers/%s.yaml", files[i].name);
        sdsim_test_write_text(sdsim_test_path(name), files[i].text);
    }
    struct sdsim_test_config f;
    sdsim_test_config_set_up(&f, sdsim_test_folder());
    struct sdsim_profiles *profiles = sdsim_profiles_create(f.config);
    assert_non_null(profiles);
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *profile = sdsim_profiles_driver(profiles, "lib", rows[i].year);
        assert_non_null(profile);
        assert_string_equal(profile, rows[i].profile);
    }
    assert_null(sdsim_profiles_driver(profiles, "other", 2023));
    sdsim_test_config_tear_down(&f);
}

/* Records that mean one run share it, what is measured and how the record is called aside. */
static void test_shared(void **state)
{
    (void)state;
    static const struct {
        const char *fields;
        size_t same;
    } rows[] = {
        {"\"chunk_bytes\":4096", 0},
        {"\"chunk_bytes\":8192", 1},
        {"\"chunk_bytes\":4096,\"id\":\"other\",\"source\":\"s\",\"group\":\"g\"", 0},
        {"\"chunk_bytes\":4096,\"metric\":\"latency_max_s\",\"value\":0.1", 0},
        {"\"chunk_bytes\":8192," SAYS("\"range=low\""), 1},
        {"\"bus\":\"sd4\"", 5},
        {"\"bus\":\"sd4\",\"value\":7", 5},
    };
    struct sdsim_plan_bench bench;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    for (size_t i = 0; i < COUNT(rows); i++) {
        sdsim_plan_bench_record(out, rows[i].fields);
    }
    assert_int_equal(fclose(out), 0);
    sdsim_plan_bench_open(&bench, text, size, NULL);
    free(text);
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct sdsim_plan *plan = &bench.plans.items[i];
        assert_int_equal(plan->same, rows[i].same);
        assert_ptr_equal(plan->measurement, &bench.measurements.items[i]);
        assert_int_equal(plan->reason != NULL, rows[i].same == 5);
        assert_ptr_equal(plan->run.host, bench.plans.items[plan->same].run.host);
    }
    sdsim_plan_bench_close(&bench);
}

/* Changes on top reach every run. */
static void test_overrides(void **state)
{
    (void)state;
    static const char *const overrides[] = {"card=memorex-2gb", "workload.call=1KiB", NULL};
    struct sdsim_plan_bench bench;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    sdsim_plan_bench_record(out, "\"card_class\":\"sdxc64g-a2\"");
    sdsim_plan_bench_record(out, "\"card_class\":\"sdhc32g-a1\"," SAYS("\"state=used\""));
    assert_int_equal(fclose(out), 0);
    sdsim_plan_bench_open(&bench, text, size, overrides);
    free(text);
    for (size_t i = 0; i < bench.plans.count; i++) {
        const struct sdsim_run *run = &bench.plans.items[i].run;
        assert_null(bench.plans.items[i].reason);
        assert_string_equal(run->card_name, "memorex-2gb");
        assert_string_equal(sdsim_node_text(sdsim_node_get(run->tree, "workload"), "call"), "1KiB");
    }
    sdsim_plan_bench_close(&bench);
}

/* Changes that suit none of the records are told, those that suit some are theirs. */
static void test_bad_overrides(void **state)
{
    (void)state;
    static const struct {
        const char *override;
        const char *message; /* NULL: all is well */
        bool refused[2];
    } rows[] = {
        {"nonsense=1", "--set: error: unknown key 'nonsense' in run\n", {true, true}},
        {"card=x", "--set: error: there is no card 'x'\n", {true, true}},
        {"card.rd1=5",
         "--set: error: expected a time with a unit (ps, ns, us, ms, s, min, h), got '5'\n",
         {true, true}},
        {"workload.call=700B", NULL, {false, true}}, /* raw calls move whole sectors */
        {"workload.call=1KiB", NULL, {false, false}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *const overrides[] = {rows[i].override, NULL};
        struct sdsim_plan_bench bench;
        char *text = NULL;
        size_t size;
        FILE *out = open_memstream(&text, &size);
        assert_non_null(out);
        sdsim_plan_bench_record(out, "");
        sdsim_plan_bench_record(out, RAW "\"chunk_bytes\":512");
        assert_int_equal(fclose(out), 0);
        assert_int_equal(sdsim_plan_bench_try(&bench, text, size, overrides),
                         rows[i].message == NULL);
        free(text);
        char *messages = sdsim_test_diag_text(&bench.f.diags);
        assert_string_equal(messages, rows[i].message != NULL ? rows[i].message : "");
        free(messages);
        for (size_t r = 0; r < 2; r++) {
            assert_int_equal(bench.plans.items[r].reason != NULL, rows[i].refused[r]);
        }
        sdsim_plan_bench_close(&bench);
    }
}

/* Without memory: false, or a reason; nothing leaks, and no half-made run looks like one. */
static void test_no_memory(void **state)
{
    (void)state;
    static const struct sdsim_measurement record = {.id = "r",
                                                    .source = "",
                                                    .group = "",
                                                    .host = "esp32",
                                                    .bus = "spi",
                                                    .driver = "x",
                                                    .api = "",
                                                    .card = "A1 8GB",
                                                    .card_class = "sdsc2g",
                                                    .fs = "fat32",
                                                    .op = "write",
                                                    .value = 1.0};
    struct sdsim_measurement items[] = {record, record};
    const struct sdsim_measurements list = {.items = items, .count = 2};
    for (size_t n = 1;; n += 1 + n / 6) {
        struct sdsim_test_config f;
        struct sdsim_plans plans;
        sdsim_test_config_set_up(&f, ".");
        sdsim_test_fail_allocation(n);
        const bool fine = sdsim_plans_make(&plans, f.config, &list, NULL, &f.diags);
        const bool failed = sdsim_test_allocation_failed();
        assert_int_equal(fine, f.diags.errors == 0);
        for (size_t i = 0; fine && i < plans.count; i++) {
            assert_true(plans.items[i].reason != NULL || plans.items[i].run.host != NULL);
        }
        if (!failed) {
            assert_true(fine && plans.items[0].reason == NULL);
        }
        sdsim_plans_free(&plans);
        sdsim_test_config_tear_down(&f);
        if (!failed) {
            break;
        }
    }
}

static void test_nothing(void **state)
{
    (void)state;
    struct sdsim_test_config f;
    struct sdsim_plans plans;
    const struct sdsim_measurements none = {.items = NULL};
    sdsim_test_config_set_up(&f, ".");
    assert_true(sdsim_plans_make(&plans, f.config, &none, NULL, &f.diags));
    assert_int_equal(plans.count, 0);
    sdsim_plans_free(&plans);
    sdsim_test_config_tear_down(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_matches_are_not_inherited),
        cmocka_unit_test(test_releases),
        cmocka_unit_test(test_shared),
        cmocka_unit_test(test_overrides),
        cmocka_unit_test(test_bad_overrides),
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
