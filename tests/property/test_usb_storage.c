/*
 * The storage device with its writer task against a list of jobs worked out one by one: when each came,
 * when the writer took it and was done with it. The driver below takes drawn times.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "core/rng.h"
#include "port/port.h"
#include "workload/usb_storage.h"

#define SEED 20261202u

enum { ROUNDS = 300, MOST_JOBS = 400, REQUESTS = 12 };

/* ---- a driver that takes drawn times ---- */

struct drawn {
    sdsim_ps times[MOST_JOBS]; /* of its calls, in order */
    size_t calls;
    sdsim_ps until; /* the end of the last one: calls don't overlap */
};

static struct drawn *drawn; /* the class below has no context of its own */

static enum sdsim_driver_error spend_time(struct sdsim_driver *driver, sdsim_ps *now)
{
    assert_true(*now >= drawn->until);
    assert_true(drawn->calls < MOST_JOBS);
    sdsim_spend(driver->port->meter, now, SDSIM_BUSY, SDSIM_LANE_CARD,
                drawn->times[drawn->calls++]);
    drawn->until = *now;
    return SDSIM_DRIVER_OK;
}

static enum sdsim_driver_error fake_write(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba,
                                          uint32_t count, const struct sdsim_content *content)
{
    (void)lba, (void)count, (void)content;
    return spend_time(driver, now);
}

static enum sdsim_driver_error fake_read(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba,
                                         uint32_t count, uint8_t *out)
{
    (void)lba, (void)count, (void)out;
    return spend_time(driver, now);
}

static const struct sdsim_driver_class fake_class = {
    .name = "fake", .spi = true, .read = fake_read, .write = fake_write};

/* ---- the list of jobs ---- */

struct job {
    sdsim_ps came; /* into the queue */
    sdsim_ps taken;
    sdsim_ps done;
    sdsim_ps promised;
    uint64_t bytes;
};

struct expected {
    const struct sdsim_usb_params *params;
    struct sdsim_usb_link link;
    struct job jobs[MOST_JOBS];
    size_t count;
    size_t promised; /* jobs of requests that are over */
    sdsim_ps now;
    sdsim_ps queue_full;
    uint64_t pending_most;
    sdsim_ps pending_longest;
};

static void add_job(struct expected *e, uint64_t bytes, sdsim_ps copy)
{
    const uint64_t lazy = e->params->lazy;
    e->now += copy * (bytes / 512);
    /* There is room when the job so many before has been taken. */
    if (e->count >= lazy && e->jobs[e->count - lazy].taken > e->now) {
        e->queue_full += e->jobs[e->count - lazy].taken - e->now;
        e->now = e->jobs[e->count - lazy].taken;
    }
    struct job *job = &e->jobs[e->count];
    const sdsim_ps before = e->count > 0 ? e->jobs[e->count - 1].done : 0;
    job->came = e->now;
    job->bytes = bytes;
    job->taken = before > e->now ? before : e->now;
    job->done = job->taken + drawn->times[e->count];
    e->count++;
}

static void promise(struct expected *e, sdsim_ps at)
{
    uint64_t pending = 0;
    for (size_t i = 0; i < e->count; i++) {
        struct job *job = &e->jobs[i];
        job->promised = i >= e->promised ? at : job->promised;
        pending += job->done > at ? job->bytes : 0;
        if (job->done > job->promised && job->done - job->promised > e->pending_longest) {
            e->pending_longest = job->done - job->promised;
        }
    }
    e->promised = e->count;
    e->pending_most = pending > e->pending_most ? pending : e->pending_most;
}

static void request(struct expected *e, uint32_t sectors, sdsim_ps copy)
{
    const struct sdsim_usb_costs *costs = &e->params->costs;
    e->now = sdsim_usb_out(&e->link, e->now, e->now, 31) + costs->turn;
    sdsim_ps wanted = e->now;
    for (uint64_t left = sectors * 512ull; left > 0;) {
        const uint64_t part = left < e->params->buffer ? left : e->params->buffer;
        e->now = sdsim_usb_out(&e->link, wanted, e->now, part) + costs->turn;
        add_job(e, part, copy);
        wanted = e->now;
        left -= part;
    }
    e->now = sdsim_usb_in(&e->link, e->now, 13);
    promise(e, e->now);
    e->now += costs->gap;
}

/* ---- rounds ---- */

struct round {
    struct sdsim_usb_params params;
    struct sdsim_driver_costs costs;
    uint32_t sectors[REQUESTS];
};

static struct round draw_round(struct sdsim_rng *rng)
{
    static const uint64_t buffers[] = {512, 1024, 4096, 8192};
    struct round round = {
        .params = {.buffer = buffers[sdsim_rng_below(rng, 4)],
                   .lazy = 1 + sdsim_rng_below(rng, 12),
                   .given = true,
                   .costs = {.turn = sdsim_rng_below(rng, 200) * SDSIM_US,
                             .gap = sdsim_rng_below(rng, 500) * SDSIM_US,
                             .limits = {.in = 1 + sdsim_rng_below(rng, 19),
                                        .out = 1 + sdsim_rng_below(rng, 19)}}},
        .costs = {.copy = sdsim_rng_below(rng, 5) * SDSIM_US},
    };
    const uint64_t most = round.params.buffer / 512 * 30;
    for (size_t i = 0; i < REQUESTS; i++) {
        round.sectors[i] = 1 + (uint32_t)sdsim_rng_below(rng, most);
    }
    const uint64_t usual = 1 + sdsim_rng_below(rng, 12000);
    for (size_t i = 0; i < MOST_JOBS; i++) {
        const bool rare = sdsim_rng_below(rng, 40) == 0;
        drawn->times[i] = sdsim_rng_below(rng, rare ? 100000 : usual) * SDSIM_US;
    }
    drawn->calls = 0;
    drawn->until = 0;
    return round;
}

static void same(int round, const char *what, uint64_t is, uint64_t should_be)
{
    if (is != should_be) {
        fail_msg("round %d, %s: %llu, the list has %llu", round, what, (unsigned long long)is,
                 (unsigned long long)should_be);
    }
}

static void writer_task_is_a_list_of_jobs(void **state)
{
    (void)state;
    struct sdsim_rng rng;
    printf("seed %u\n", SEED);
    sdsim_rng_seed(&rng, SEED);
    drawn = calloc(1, sizeof *drawn);
    struct expected *expected = malloc(sizeof *expected);
    assert_non_null(drawn);
    assert_non_null(expected);
    int full = 0;
    for (int r = 0; r < ROUNDS; r++) {
        const struct round round = draw_round(&rng);
        struct sdsim_meter writers = {.purpose = SDSIM_FOR_DATA};
        struct sdsim_meter own = {.purpose = SDSIM_FOR_DATA};
        struct sdsim_port port = {.meter = &writers};
        struct sdsim_driver driver = {
            .class = &fake_class, .costs = &round.costs, .port = &port, .sectors = UINT32_MAX};
        struct sdsim_usb_storage storage;
        *expected = (struct expected){.params = &round.params};
        sdsim_usb_link_init(&expected->link, &round.params.costs.limits);
        assert_true(sdsim_usb_storage_init(&storage, &round.params, &driver, &own, 0));
        const struct sdsim_content content = {.kind = SDSIM_CONTENT_GENERATED};
        sdsim_ps now = 0;
        for (size_t i = 0; i < REQUESTS; i++) {
            assert_int_equal(
                sdsim_usb_request(&storage, &now, 0, round.sectors[i], SDSIM_FOR_DATA, &content),
                SDSIM_DRIVER_OK);
            request(expected, round.sectors[i], round.costs.copy);
            same(r, "time of a request", now, expected->now);
        }
        same(r, "queue full", storage.result.queue_full, expected->queue_full);
        same(r, "account of the front end", sdsim_account_total(&own.account), now);
        sdsim_ps end = now;
        assert_int_equal(sdsim_usb_drain(&storage, &end), SDSIM_DRIVER_OK);
        const sdsim_ps done = expected->jobs[expected->count - 1].done;
        same(r, "end", end, done > now ? done : now);
        same(r, "account of the writer", sdsim_account_total(&writers.account), done);
        same(r, "bytes at risk", storage.result.pending_most, expected->pending_most);
        same(r, "time at risk", storage.result.pending_longest, expected->pending_longest);
        same(r, "calls", drawn->calls, expected->count);
        full += expected->queue_full > 0 ? 1 : 0;
        sdsim_usb_storage_free(&storage);
    }
    assert_true(full > ROUNDS / 10 && full < ROUNDS);
    free(expected);
    free(drawn);
}

/* Without a writer task there is one account, and the card's time is all in the requests. */
static void one_task_does_one_thing_at_a_time(void **state)
{
    (void)state;
    struct sdsim_rng rng;
    sdsim_rng_seed(&rng, SEED + 1);
    drawn = calloc(1, sizeof *drawn);
    assert_non_null(drawn);
    for (int r = 0; r < ROUNDS; r++) {
        struct round round = draw_round(&rng);
        round.params.lazy = 0;
        struct sdsim_meter meter = {.purpose = SDSIM_FOR_DATA};
        struct sdsim_port port = {.meter = &meter};
        struct sdsim_driver driver = {
            .class = &fake_class, .costs = &round.costs, .port = &port, .sectors = UINT32_MAX};
        struct sdsim_usb_storage storage;
        const struct sdsim_content content = {.kind = SDSIM_CONTENT_GENERATED};
        sdsim_ps now = 0;
        sdsim_ps card = 0;
        assert_true(sdsim_usb_storage_init(&storage, &round.params, &driver, &meter, 0));
        for (size_t i = 0; i < REQUESTS; i++) {
            const bool reads = sdsim_rng_below(&rng, 2) == 0;
            assert_int_equal(sdsim_usb_request(&storage, &now, 0, round.sectors[i], SDSIM_FOR_DATA,
                                               reads ? NULL : &content),
                             SDSIM_DRIVER_OK);
        }
        for (size_t i = 0; i < drawn->calls; i++) {
            card += drawn->times[i];
        }
        same(r, "account", sdsim_account_total(&meter.account), now);
        same(r, "the card", storage.result.card, card);
        same(r, "sum of all",
             storage.result.link + storage.result.turns + storage.result.gaps + card, now);
        same(r, "bytes at risk", storage.result.pending_most, 0);
        sdsim_usb_storage_free(&storage);
    }
    free(drawn);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writer_task_is_a_list_of_jobs),
        cmocka_unit_test(one_task_does_one_thing_at_a_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
