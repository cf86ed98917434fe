/*
 * `describe host` says which costs each driver has. Here every driver is run, cost by cost, to see
 * which of them make a difference.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "scenario_bench.h"
#include "scratch.h"
#include "setup/schemas.h"
#include "setup/simulate.h"

#include "diag_text.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char scenario_text[] =
    "kind: scenario\n"
    "host:\n"
    "  cpu: 200MHz\n"
    "  clocks:\n"
    "    spi: {rule: exact, source: 80MHz}\n"
    "    sdmmc: {rule: exact, source: 80MHz}\n"
    "card: {type: sdhc, capacity: 4GB, high_speed_clock: 50MHz, rd1: 500us, page: 16KiB, w1: 2ms,\n"
    "       wstop: 1ms, wpg: 1ms}\n"
    "workload: {do: write, on: raw, total: 64KiB, sync_every: 4}\n";

struct cost {
    const char *name;
    size_t offset; /* of the uint64_t in struct sdsim_driver_costs */
    uint64_t other;
};

#define COST(member, value)                                                                        \
    {                                                                                              \
#member, offsetof(struct sdsim_driver_costs, member), value                                \
    }

/* In the order in which they are told. */
static const struct cost costs[] = {
    COST(call, 30 * SDSIM_US),
    COST(command, 20 * SDSIM_US),
    COST(transfer, 7 * SDSIM_US),
    COST(bulk, 40 * SDSIM_US),
    COST(chunk, 32),
    COST(chunk_gap, 19 * SDSIM_US),
    COST(wake, 25 * SDSIM_US),
    COST(crc16, 50 * SDSIM_US),
    COST(copy, 60 * SDSIM_US),
};

static int set_up(void **state)
{
    sdsim_test_write_text(sdsim_test_path("scenario.yaml"), scenario_text);
    return sdsim_test_scenarios_up(state);
}

static void bind(struct sdsim_test_scenarios *bench, const struct sdsim_driver_class *class,
                 struct sdsim_setup *setup)
{
    char host[300];
    char driver[300];
    snprintf(
        host, sizeof host,
        "host.drivers={%s: {call: 10us, transfer: 1us, bulk: 10us, chunk: 64B, chunk_gap: 8us, "
        "crc16: 5us, copy: 3us, command: 5us, wake: 5us}}",
        class->name);
    snprintf(driver, sizeof driver,
             "driver={code: %s, clock: %s, default_clock: 20MHz, status_after_write: 1, tick: 1ms, "
             "bounce_blocks: 1}",
             class->name, class->spi ? "spi" : "sdmmc");
    const char *const changes[] = {host, driver, NULL};
    sdsim_test_scenario_bind(bench, sdsim_test_path("scenario.yaml"), NULL, changes);
    *setup = bench->setup;
}

static sdsim_ps elapsed(const struct sdsim_setup *setup)
{
    struct sdsim_outcome_report report;
    sdsim_simulate(setup, NULL, &report);
    if (report.error[0] != '\0') {
        fail_msg("%s", report.error);
    }
    return report.workload.elapsed;
}

/* Whether a cost makes a difference to this run. */
static bool matters_here(const struct sdsim_setup *setup, const struct cost *cost)
{
    struct sdsim_setup other = *setup;
    memcpy((char *)&other.costs + cost->offset, &cost->other, sizeof cost->other);
    return elapsed(setup) != elapsed(&other);
}

/* Whether it does to any: reading or writing, one sector or many, by DMA or not. */
static bool matters(const struct sdsim_setup *setup, const struct cost *cost)
{
    for (unsigned which = 0; which < 16; which++) {
        struct sdsim_setup variant = *setup;
        variant.run.workload.action = which & 1 ? SDSIM_DO_READ : SDSIM_DO_WRITE;
        variant.run.workload.call = which & 2 ? 4096 : 512;
        variant.run.usable_buffers = (which & 4) != 0;
        variant.driver.params.dma = (which & 8) != 0;
        if (matters_here(&variant, cost)) {
            return true;
        }
    }
    return false;
}

/* ---- what is told ---- */

static const struct sdsim_key *find_key(const struct sdsim_schema *schema, const char *name)
{
    for (size_t i = 0; i < schema->key_count; i++) {
        if (strcmp(schema->keys[i].name, name) == 0) {
            return &schema->keys[i];
        }
    }
    fail_msg("there is no key %s in %s", name, schema->name);
    return NULL;
}

static void test_costs(void **state)
{
    const struct sdsim_schema *drivers = find_key(&sdsim_host_schema, "drivers")->schema;
    unsigned wrong = 0;
    for (int code = 0; code < SDSIM_DRIVER_COUNT; code++) {
        const struct sdsim_driver_class *class = sdsim_driver_class((enum sdsim_driver_code)code);
        const char *doc = find_key(drivers, class->name)->doc;
        struct sdsim_setup setup;
        char expected[200] = "";
        size_t used = 0;
        bind(*state, class, &setup);
        for (size_t i = 0; i < COUNT(costs); i++) {
            if (matters(&setup, &costs[i])) {
                used += (size_t)snprintf(expected + used, sizeof expected - used, "%s%s",
                                         used > 0 ? ", " : ": ", costs[i].name);
            }
        }
        snprintf(expected + used, sizeof expected - used, ".");
        const size_t size = strlen(doc);
        if (size < strlen(expected) || strcmp(doc + size - strlen(expected), expected) != 0) {
            print_error("%s (driver/costs.h) has%s\n", class->name, expected);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_costs, set_up, sdsim_test_scenarios_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
