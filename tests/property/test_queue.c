/*
 * The queue in closed form against a simulation of it, byte by byte in time: random arrivals, sizes and
 * lengths of calls and syncs, with a printed seed. Levels, losses and starts must be the same.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/rng.h"
#include "workload/logger.h"

enum { TRIALS = 3000, MOST_BYTES = 4000, MOST_UNITS = 4000 };

/* What a trial is made of; time is counted in steps of some picoseconds, so that things coincide. */
struct trial {
    struct sdsim_logger logger;
    struct sdsim_arrival list[64];
    uint64_t bytes;                /* that arrive in all */
    sdsim_ps at[MOST_BYTES];       /* of each byte */
    sdsim_ps call[MOST_UNITS + 1]; /* how long each unit takes */
    sdsim_ps sync[MOST_UNITS + 1]; /* and a sync behind it */
};

/* What came of it. */
struct outcome {
    uint64_t arrived;
    uint64_t lost;
    uint64_t highest;
    uint64_t rest;
    uint64_t units;
    uint64_t exposed;
    bool loses;                  /* as the time of the first loss says */
    sdsim_ps starts[MOST_UNITS]; /* of the units */
    sdsim_ps end;
};

/* ---- byte by byte ---- */

enum doing { WAITING, WRITING, SYNCING };

struct brute {
    const struct trial *trial;
    struct outcome *outcome;
    enum doing doing;
    sdsim_ps until; /* unless waiting */
    uint64_t fill;
    uint64_t held;
    uint64_t of_item; /* bytes of the item that is coming */
    uint64_t since_sync;
    sdsim_ps sync_due;
    uint64_t accepted;
    uint64_t safe;
};

static bool is_items(const struct brute *brute)
{
    return brute->trial->logger.shape.kind == SDSIM_QUEUE_ITEMS;
}

static void expose(struct brute *brute)
{
    const uint64_t exposed = brute->accepted - brute->safe;
    struct outcome *outcome = brute->outcome;
    outcome->exposed = exposed > outcome->exposed ? exposed : outcome->exposed;
}

/* The writer is free: takes items, and begins if it has a unit. */
static void look(struct brute *brute, sdsim_ps now)
{
    const uint64_t unit = brute->trial->logger.shape.unit;
    if (is_items(brute)) {
        while (brute->held < unit && brute->fill >= brute->trial->logger.shape.item) {
            brute->fill -= brute->trial->logger.shape.item;
            brute->held += brute->trial->logger.shape.item;
        }
    }
    if ((is_items(brute) ? brute->held : brute->fill) >= unit) {
        struct outcome *outcome = brute->outcome;
        outcome->starts[outcome->units] = now;
        brute->doing = WRITING;
        brute->until = now + brute->trial->call[outcome->units];
    }
}

/* `size` bytes, one or an item, come to the queue. */
static void deliver(struct brute *brute, sdsim_ps now, uint64_t size)
{
    const struct sdsim_queue_shape *shape = &brute->trial->logger.shape;
    struct outcome *outcome = brute->outcome;
    outcome->arrived += size;
    if (brute->doing == WAITING && is_items(brute)) { /* the writer stands at the queue */
        brute->held += size;
    } else if (shape->capacity - brute->fill >= size) {
        brute->fill += size;
    } else {
        outcome->lost += size;
        return;
    }
    brute->accepted += size;
    outcome->highest = brute->fill > outcome->highest ? brute->fill : outcome->highest;
    if (brute->doing == WAITING) {
        look(brute, now);
    }
}

static void arrive(struct brute *brute, sdsim_ps now)
{
    const uint64_t item = brute->trial->logger.shape.item;
    if (++brute->of_item == item) {
        brute->of_item = 0;
        deliver(brute, now, item);
    }
}

/* A call or a sync is over. */
static void end_of(struct brute *brute, sdsim_ps now)
{
    const struct sdsim_logger *logger = &brute->trial->logger;
    struct outcome *outcome = brute->outcome;
    expose(brute);
    if (brute->doing == SYNCING) {
        brute->safe = outcome->units * logger->shape.unit;
        brute->doing = WAITING;
        look(brute, now);
        return;
    }
    if (is_items(brute)) {
        brute->held = 0;
    } else {
        brute->fill -= logger->shape.unit;
    }
    outcome->units++;
    brute->since_sync++;
    const bool by_number = logger->sync_every > 0 && brute->since_sync >= logger->sync_every;
    const bool by_time = logger->sync_interval > 0 && now >= brute->sync_due;
    brute->doing = WAITING;
    if (by_number || by_time) {
        while (by_time && brute->sync_due <= now) {
            brute->sync_due += logger->sync_interval;
        }
        brute->since_sync = 0;
        brute->doing = SYNCING;
        brute->until = now + brute->trial->sync[outcome->units];
        return;
    }
    look(brute, now);
}

static void simulate(const struct trial *trial, struct outcome *outcome)
{
    struct brute brute = {
        .trial = trial, .outcome = outcome, .sync_due = trial->logger.sync_interval};
    uint64_t next = 0;
    sdsim_ps now = 0;
    while (next < trial->bytes || brute.doing != WAITING) {
        const bool arrives =
            next < trial->bytes && (brute.doing == WAITING || trial->at[next] <= brute.until);
        if (arrives) {
            now = trial->at[next++];
            arrive(&brute, now);
        } else {
            now = brute.until;
            end_of(&brute, now);
        }
    }
    expose(&brute);
    outcome->rest = brute.fill + brute.held;
    outcome->end = now;
}

/* ---- in closed form ---- */

static void calculate(const struct trial *trial, struct outcome *outcome)
{
    const struct sdsim_logger *logger = &trial->logger;
    struct sdsim_logger_state state;
    sdsim_ps now = 0;
    sdsim_logger_begin(&state, logger);
    for (;;) {
        const sdsim_ps start = sdsim_logger_next(&state, logger, now);
        if (start == SDSIM_TIME_END) {
            break;
        }
        outcome->starts[state.units] = start;
        now = start + trial->call[state.units];
        sdsim_logger_wrote(&state, logger, sdsim_logger_time(logger, start),
                           sdsim_logger_time(logger, now));
        if (sdsim_logger_sync_due(&state, logger, now)) {
            const sdsim_ps synced = now;
            now += trial->sync[state.units];
            sdsim_logger_synced(&state, logger, synced, sdsim_logger_time(logger, now));
        }
    }
    now = now > logger->arrivals.end ? now : logger->arrivals.end;
    sdsim_logger_ended(&state, logger, sdsim_logger_time(logger, now));
    outcome->arrived = state.queue.arrived;
    outcome->lost = state.queue.lost;
    outcome->highest = state.queue.highest;
    outcome->rest = sdsim_logger_rest(&state);
    outcome->units = state.units;
    outcome->exposed = state.exposed;
    outcome->loses = state.queue.lost_at != SDSIM_TIME_END;
}

/* ---- random trials ---- */

static const sdsim_ps step = 250; /* ps */

static void draw_arrivals(struct sdsim_rng *rng, struct trial *trial)
{
    struct sdsim_arrivals *arrivals = &trial->logger.arrivals;
    arrivals->kind = (enum sdsim_arrivals_kind)sdsim_rng_below(rng, 3);
    trial->bytes = 1 + sdsim_rng_below(rng, MOST_BYTES - 100);
    if (arrivals->kind == SDSIM_ARRIVALS_CONSTANT) {
        arrivals->rate = 1000000000 / (1 + sdsim_rng_below(rng, 3)); /* 1 to 3 ns a byte */
        for (uint64_t i = 0; i < trial->bytes; i++) {                /* ceil; the products fit */
            trial->at[i] = ((i + 1) * SDSIM_S + arrivals->rate - 1) / arrivals->rate;
        }
    } else if (arrivals->kind == SDSIM_ARRIVALS_BURSTS) {
        arrivals->burst = 1 + sdsim_rng_below(rng, 100);
        arrivals->every = step * (1 + sdsim_rng_below(rng, 400));
        trial->bytes += arrivals->burst - 1;
        trial->bytes -= trial->bytes % arrivals->burst;
        for (uint64_t i = 0; i < trial->bytes; i++) {
            trial->at[i] = (i / arrivals->burst + 1) * arrivals->every;
        }
    } else {
        sdsim_ps at = 0;
        uint64_t bytes = 0;
        arrivals->list = trial->list;
        arrivals->count = 1 + sdsim_rng_below(rng, 63);
        for (size_t i = 0; i < arrivals->count; i++) {
            const uint64_t more = 1 + sdsim_rng_below(rng, 50);
            at += step * (1 + sdsim_rng_below(rng, 100));
            for (uint64_t b = 0; b < more; b++) {
                trial->at[bytes++] = at;
            }
            trial->list[i] = (struct sdsim_arrival){.at = at, .bytes = bytes};
        }
        trial->bytes = bytes;
    }
    arrivals->end = trial->at[trial->bytes - 1];
}

static void draw(struct sdsim_rng *rng, struct trial *trial)
{
    struct sdsim_logger *logger = &trial->logger;
    memset(trial, 0, sizeof *trial);
    draw_arrivals(rng, trial);
    logger->shape.arrivals = &logger->arrivals;
    logger->shape.kind = (enum sdsim_queue_kind)sdsim_rng_below(rng, 3);
    logger->shape.item = 1;
    logger->shape.unit = 1 + sdsim_rng_below(rng, 60);
    logger->shape.capacity = logger->shape.unit + sdsim_rng_below(rng, 200);
    logger->calls = 1;
    if (logger->shape.kind == SDSIM_QUEUE_PING_PONG) {
        logger->shape.capacity = 2 * logger->shape.unit;
    } else if (logger->shape.kind == SDSIM_QUEUE_ITEMS) {
        logger->shape.item = 1 + sdsim_rng_below(rng, 12);
        logger->shape.unit = logger->shape.item * (1 + sdsim_rng_below(rng, 10));
        logger->shape.capacity = logger->shape.item * (1 + sdsim_rng_below(rng, 20)) +
                                 sdsim_rng_below(rng, logger->shape.item);
    }
    if (sdsim_rng_below(rng, 4) == 0) {
        logger->shape.capacity = SDSIM_QUEUE_UNLIMITED;
    }
    logger->call = logger->shape.unit;
    logger->sync_every = sdsim_rng_below(rng, 3) == 0 ? 1 + sdsim_rng_below(rng, 5) : 0;
    logger->sync_interval =
        sdsim_rng_below(rng, 3) == 0 ? step * (1 + sdsim_rng_below(rng, 1000)) : 0;
    const uint64_t slow = 1 + sdsim_rng_below(rng, 300);
    for (int i = 0; i <= MOST_UNITS; i++) {
        const bool pauses = sdsim_rng_below(rng, 10) == 0;
        trial->call[i] = step * (1 + sdsim_rng_below(rng, pauses ? 10 * slow : slow));
        trial->sync[i] = step * (1 + sdsim_rng_below(rng, slow));
    }
}

static void equal(const char *what, uint64_t a, uint64_t b, uint64_t seed)
{
    if (a != b) {
        fail_msg("seed %llu: %s is %llu in closed form and %llu byte by byte",
                 (unsigned long long)seed, what, (unsigned long long)a, (unsigned long long)b);
    }
}

static void as_byte_by_byte(void **state)
{
    (void)state;
    struct trial *trial = malloc(sizeof *trial);
    struct outcome *brute = malloc(sizeof *brute);
    struct outcome *closed = malloc(sizeof *closed);
    const char *given = getenv("SDSIM_TEST_SEED");
    const uint64_t seed = given != NULL ? strtoull(given, NULL, 10) : 20260302;
    uint64_t lossy = 0;
    assert_true(trial != NULL && brute != NULL && closed != NULL);
    print_message("seed %llu\n", (unsigned long long)seed);
    for (uint64_t i = 0; i < TRIALS; i++) {
        const uint64_t of_trial = sdsim_hash_number(seed, i);
        struct sdsim_rng rng;
        sdsim_rng_seed(&rng, of_trial);
        draw(&rng, trial);
        memset(brute, 0, sizeof *brute);
        memset(closed, 0, sizeof *closed);
        simulate(trial, brute);
        calculate(trial, closed);
        equal("arrived", closed->arrived, brute->arrived, of_trial);
        equal("lost", closed->lost, brute->lost, of_trial);
        equal("a time of a loss", closed->loses, brute->lost > 0, of_trial);
        equal("highest", closed->highest, brute->highest, of_trial);
        equal("rest", closed->rest, brute->rest, of_trial);
        equal("units", closed->units, brute->units, of_trial);
        equal("exposed", closed->exposed, brute->exposed, of_trial);
        for (uint64_t u = 0; u < brute->units; u++) {
            equal("a start", closed->starts[u], brute->starts[u], of_trial);
        }
        lossy += brute->lost > 0;
    }
    print_message("%llu of %d lose something\n", (unsigned long long)lossy, (int)TRIALS);
    assert_true(lossy > TRIALS / 10 && lossy < TRIALS * 9 / 10);
    free(trial);
    free(brute);
    free(closed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_byte_by_byte)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
