/*
 * A window of a run, seen by handing over from the fast port to the wire port in the middle, against
 * the same window of the same run that was on the wire from its start: every byte, every edge of CS,
 * and the time at which each call of the driver ends are equal, for every SPI driver.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "port/scout.h"
#include "port/window.h"
#include "port_worlds.h"

enum { MOST_OPERATIONS = 16, MOST_EVENTS = 1 << 20 };

/* ---- what is on the wire ---- */

struct event {
    sdsim_ps start;
    sdsim_ps end; /* of a byte; an edge of CS has none */
    uint8_t mosi;
    uint8_t miso;
    uint8_t kind; /* 0: a byte with CS high, 1: with CS low; 2: CS falls, 3: rises */
};

struct tape {
    struct sdsim_wire_listener listener;
    struct event *events; /* MOST_EVENTS */
    size_t count;
};

static void add(struct sdsim_wire_listener *listener, const struct event *event)
{
    struct tape *tape = (struct tape *)listener;
    if (tape->count < MOST_EVENTS) {
        tape->events[tape->count++] = *event;
    }
}

static void hear_byte(struct sdsim_wire_listener *listener, sdsim_ps start, sdsim_ps end,
                      bool selected, uint8_t mosi, uint8_t miso)
{
    const struct event event = {
        .start = start, .end = end, .mosi = mosi, .miso = miso, .kind = selected ? 1 : 0};
    add(listener, &event);
}

static void hear_select(struct sdsim_wire_listener *listener, sdsim_ps at, bool low)
{
    const struct event event = {.start = at, .end = at, .kind = low ? 2 : 3};
    add(listener, &event);
}

/* ---- a run ---- */

struct operation {
    unsigned what;
    uint32_t lba;
    uint32_t count;
    uint64_t seed;
};

/* All that two runs have in common. */
struct life {
    struct sdsim_test_sequence base;
    struct sdsim_driver_params params;
    struct sdsim_driver_costs costs;
    struct sdsim_driver_clocks clocks;
    bool usable_buffers;
    uint32_t draw;
    struct operation operations[MOST_OPERATIONS];
    unsigned count;
};

/* What came of one run. */
struct story {
    sdsim_ps ends[MOST_OPERATIONS + 1]; /* of init and of each call */
    uint64_t transactions;
};

static sdsim_ps some_cost(struct life *life)
{
    return SDSIM_TEST_PICK(&life->base.rng, 0, 0, 1, 700 * SDSIM_NS, 8 * SDSIM_US, 28 * SDSIM_US);
}

static void make_operations(struct life *life)
{
    struct sdsim_rng *rng = &life->base.rng;
    const uint32_t sectors = sdsim_csd_sectors(&life->base.params);
    uint32_t next = 0;
    life->count = 3 + (unsigned)sdsim_rng_below(rng, MOST_OPERATIONS - 2);
    for (unsigned i = 0; i < life->count; i++) {
        struct operation *operation = &life->operations[i];
        operation->what = (unsigned)sdsim_rng_below(rng, 9);
        operation->count = 1 + (uint32_t)sdsim_rng_below(rng, sdsim_test_one_in(rng, 5) ? 60 : 6);
        operation->lba = sdsim_test_one_in(rng, 2)    ? next
                         : sdsim_test_one_in(rng, 12) ? sectors - 3
                                                      : (uint32_t)sdsim_rng_below(rng, sectors);
        operation->seed = sdsim_rng_next(rng);
        next = operation->lba + operation->count;
    }
}

static void make_life(struct life *life, uint64_t seed, uint64_t number, int code)
{
    struct sdsim_test_sequence *s = &life->base;
    sdsim_test_begin(s, seed, number, (uint64_t)code + 1000, SDSIM_BUS_SPI);
    struct sdsim_rng *rng = &s->rng;
    const struct sdsim_clock clock = sdsim_test_clock(sdsim_test_some_frequency(s));
    sdsim_test_some_card(s, &clock);
    if (code == SDSIM_DRIVER_NUTTX_SPI && s->params.n_ac == 0) {
        s->params.n_ac = 1; /* see test_port_drivers.c */
    }
    life->clocks = (struct sdsim_driver_clocks){
        .init_num = 400000, .init_den = 1, .num = clock.hz_num, .den = clock.hz_den};
    life->params = (struct sdsim_driver_params){
        .code = code,
        .status_after_read = sdsim_rng_below(rng, 2),
        .status_after_write = 1 + sdsim_rng_below(rng, 2),
        .status_on_call = sdsim_test_one_in(rng, 2),
        .bounce_blocks = SDSIM_TEST_PICK(rng, 0, 1, 16),
        .tick = SDSIM_TEST_PICK(rng, SDSIM_MS, 10 * SDSIM_MS),
        .most_blocks = SDSIM_TEST_PICK(rng, 0, 0, 1, 7),
        .single_commands = sdsim_test_one_in(rng, 2),
        .poll_sleep = SDSIM_TEST_PICK(rng, 0, 0, 100 * SDSIM_US, SDSIM_MS),
    };
    life->costs = (struct sdsim_driver_costs){
        .call = some_cost(life),
        .transfer = some_cost(life),
        .bulk = some_cost(life),
        .chunk = SDSIM_TEST_PICK(rng, 0, 64),
        .chunk_gap = some_cost(life),
        .crc16 = some_cost(life),
        .copy = some_cost(life),
        .command = some_cost(life),
        .wake = some_cost(life),
    };
    life->usable_buffers = sdsim_test_one_in(rng, 2);
    life->draw = (uint32_t)sdsim_rng_below(rng, 3);
    make_operations(life);
}

static void operate(struct sdsim_driver *driver, struct sdsim_meter *meter, sdsim_ps *now,
                    const struct operation *operation)
{
    const struct sdsim_content content = {.kind = SDSIM_CONTENT_GENERATED, .seed = operation->seed};
    switch (operation->what) {
    case 0:
        sdsim_driver_sync(driver, now);
        break;
    case 1:
        sdsim_driver_status(driver, now);
        break;
    case 2:
        sdsim_spend(meter, now, SDSIM_IDLE, SDSIM_LANE_TASK, operation->lba * SDSIM_US);
        break;
    case 3:
    case 4:
    case 5:
        sdsim_driver_read(driver, now, operation->lba, operation->count, SDSIM_FOR_DATA, NULL);
        break;
    default:
        sdsim_driver_write(driver, now, operation->lba, operation->count, SDSIM_FOR_DATA, &content);
        break;
    }
}

/* A port is made on the card, and the life is lived; `cut` says when nobody looks any more. */
static void live(const struct life *life, struct sdsim_card *card, struct sdsim_meter *meter,
                 struct sdsim_port *port, struct story *story)
{
    struct sdsim_driver driver;
    sdsim_ps now = 0;
    (void)card;
    sdsim_driver_attach(&driver, &life->params, &life->costs, port, &life->clocks,
                        life->usable_buffers);
    sdsim_driver_init(&driver, &now);
    story->ends[0] = now;
    for (unsigned i = 0; i < life->count; i++) {
        operate(&driver, meter, &now, &life->operations[i]);
        story->ends[i + 1] = now;
    }
}

/* ---- the comparison ---- */

struct window {
    sdsim_ps from;
    sdsim_ps to;
};

static bool within(const struct event *event, const struct window *window)
{
    return event->end >= window->from && event->start < window->to;
}

static void same_events(const struct life *life, const struct window *window,
                        const struct tape *whole, const struct tape *part)
{
    size_t at = 0;
    size_t compared = 0;
    const struct event *before = NULL; /* the last ones that ended before the window: its levels */
    for (size_t i = 0; i < whole->count; i++) {
        const struct event *expected = &whole->events[i];
        if (!within(expected, window)) {
            before = expected->end < window->from && expected->kind < 2 ? expected : before;
            continue;
        }
        while (at < part->count && part->events[at].end < window->from) {
            at++;
        }
        if (compared == 0 && before != NULL && at == 0) {
            fail_msg("SDSIM_SEED=%llu SDSIM_SEQUENCE=%llu, driver %d: the levels before the window "
                     "from %llu are not known",
                     (unsigned long long)life->base.seed, (unsigned long long)life->base.number,
                     life->params.code, (unsigned long long)window->from);
        }
        if (at >= part->count || memcmp(expected, &part->events[at], sizeof *expected) != 0) {
            const struct event none = {.start = 0};
            const struct event *got = at < part->count ? &part->events[at] : &none;
            fail_msg(
                "SDSIM_SEED=%llu SDSIM_SEQUENCE=%llu, driver %d, window %llu..%llu, event %zu: "
                "kind %u at %llu..%llu, %02x %02x, not kind %u at %llu..%llu, %02x %02x",
                (unsigned long long)life->base.seed, (unsigned long long)life->base.number,
                life->params.code, (unsigned long long)window->from, (unsigned long long)window->to,
                compared, got->kind, (unsigned long long)got->start, (unsigned long long)got->end,
                got->mosi, got->miso, expected->kind, (unsigned long long)expected->start,
                (unsigned long long)expected->end, expected->mosi, expected->miso);
        }
        at++;
        compared++;
    }
    while (at < part->count && part->events[at].end < window->from) {
        at++;
    }
    assert_true(at == part->count || part->events[at].start >= window->to);
}

/* What ended before the window's end, ended at the same time. */
static void same_ends(const struct life *life, const struct window *window,
                      const struct story *whole, const struct story *part)
{
    for (unsigned i = 0; i <= life->count; i++) {
        if (whole->ends[i] <= window->to && part->ends[i] != whole->ends[i]) {
            fail_msg(
                "SDSIM_SEED=%llu SDSIM_SEQUENCE=%llu, driver %d, call %u ends at %llu, not %llu",
                (unsigned long long)life->base.seed, (unsigned long long)life->base.number,
                life->params.code, i, (unsigned long long)part->ends[i],
                (unsigned long long)whole->ends[i]);
        }
    }
}

struct bench {
    struct life life;
    struct tape whole;
    struct tape part;
    uint64_t handed_over; /* windows that did not begin with the run */
    uint64_t late;        /* transactions on the wire before the window, all in all */
    uint64_t windows;
};

static struct sdsim_medium *new_medium(const struct life *life)
{
    struct sdsim_medium *medium = sdsim_medium_create(sdsim_csd_sectors(&life->base.params), 0xFF);
    assert_non_null(medium);
    return medium;
}

static void check_window(struct bench *bench, const struct window *window,
                         const struct story *whole)
{
    const struct life *life = &bench->life;
    struct sdsim_card card;
    struct sdsim_meter meter = {.purpose = SDSIM_FOR_DATA};
    struct story story;
    struct sdsim_scout scout;
    struct sdsim_medium *medium = new_medium(life);
    sdsim_card_init(&card, &life->base.params, medium, life->base.number, life->draw);
    sdsim_scout_init(&scout, SDSIM_BUS_SPI, &card, &meter, window->from, window->to);
    live(life, &card, &meter, &scout.port, &story);
    sdsim_medium_destroy(medium);
    same_ends(life, window, whole, &story);
    if (!scout.found) {
        return;
    }

    struct sdsim_window port;
    meter = (struct sdsim_meter){.purpose = SDSIM_FOR_DATA};
    medium = new_medium(life);
    bench->part.count = 0;
    sdsim_card_init(&card, &life->base.params, medium, life->base.number, life->draw);
    sdsim_window_init(&port, SDSIM_BUS_SPI, &card, &meter, scout.first, window->to, NULL,
                      &bench->part.listener);
    live(life, &card, &meter, &port.wire.port, &story);
    sdsim_medium_destroy(medium);
    same_ends(life, window, whole, &story);
    same_events(life, window, &bench->whole, &bench->part);
    bench->handed_over += scout.first > 0;
    bench->windows++;
}

static void run_driver(uint64_t seed, uint64_t number, const void *context)
{
    struct bench *bench = *(struct bench *const *)context;
    struct life *life = &bench->life;
    const int code = life->params.code;
    struct sdsim_card card;
    struct sdsim_wire wire;
    struct sdsim_meter meter = {.purpose = SDSIM_FOR_DATA};
    struct story whole;
    make_life(life, seed, number, code);
    struct sdsim_medium *medium = new_medium(life);
    bench->whole.count = 0;
    sdsim_card_init(&card, &life->base.params, medium, life->base.number, life->draw);
    sdsim_wire_init(&wire, SDSIM_BUS_SPI, &card, &meter);
    wire.listener = &bench->whole.listener;
    live(life, &card, &meter, &wire.port, &whole);
    sdsim_medium_destroy(medium);
    if (bench->whole.count == MOST_EVENTS) {
        return; /* a card so slow, and a host so quick, that the tape is too short */
    }

    struct sdsim_rng *rng = &life->base.rng;
    const sdsim_ps end = whole.ends[life->count] + 1;
    for (int i = 0; i < 4; i++) {
        /* Anywhere, or on an event, or between init and the first call. */
        const struct event *event = &bench->whole.events[sdsim_rng_below(rng, bench->whole.count)];
        const sdsim_ps from = sdsim_test_one_in(rng, 3)
                                  ? sdsim_rng_below(rng, end)
                                  : event->start + sdsim_rng_below(rng, 3) - 1;
        const struct window window = {
            .from = from < end ? from : 0,
            .to = (from < end ? from : 0) + 1 +
                  sdsim_rng_below(rng, sdsim_test_one_in(rng, 2) ? end : end / 20 + 1)};
        check_window(bench, &window, &whole);
    }
}

static void windows_of_spi_drivers(void **state)
{
    (void)state;
    struct bench *bench = calloc(1, sizeof *bench);
    assert_non_null(bench);
    bench->whole.listener = (struct sdsim_wire_listener){.byte = hear_byte, .select = hear_select};
    bench->part.listener = bench->whole.listener;
    bench->whole.events = calloc(MOST_EVENTS, sizeof *bench->whole.events);
    bench->part.events = calloc(MOST_EVENTS, sizeof *bench->part.events);
    assert_true(bench->whole.events != NULL && bench->part.events != NULL);
    for (int code = 0; code < SDSIM_DRIVER_COUNT; code++) {
        if (!sdsim_driver_class((enum sdsim_driver_code)code)->spi) {
            continue;
        }
        print_message("%s: ", sdsim_driver_class((enum sdsim_driver_code)code)->name);
        bench->life.params.code = code;
        bench->handed_over = 0;
        bench->windows = 0;
        sdsim_test_each_sequence(60, run_driver, &bench);
        print_message("%llu windows, %llu handed over\n", (unsigned long long)bench->windows,
                      (unsigned long long)bench->handed_over);
        /* Else the hand-over was not tested at all. */
        assert_true(bench->handed_over * 2 > bench->windows || getenv("SDSIM_SEQUENCE") != NULL);
    }
    free(bench->whole.events);
    free(bench->part.events);
    free(bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_of_spi_drivers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
