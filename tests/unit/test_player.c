/*
 * Players: deadlines by hand, and against a walk in steps of time; and another device on the bus.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "core/rng.h"
#include "workload/bus_sharer.h"
#include "workload/player.h"

/* Plays chunks of 1000 bytes at 1 MB/s: 1 ms each. Reads take so many microseconds. */
struct played {
    struct sdsim_player_result result;
    sdsim_ps end;
};

static struct played play(uint64_t buffers, uint64_t streams, const unsigned *us, size_t count)
{
    const struct sdsim_player_params params = {.rate = 1000000, .buffers = buffers};
    struct sdsim_player player;
    sdsim_ps *durations = calloc(count, sizeof *durations);
    assert_non_null(durations);
    assert_true(sdsim_player_init(&player, &params, 1000, streams, 0));
    sdsim_ps now = 0;
    for (size_t i = 0; i < count; i++) {
        const sdsim_ps room = sdsim_player_room(&player);
        durations[i] = us[i] * SDSIM_US;
        now = (room > now ? room : now) + durations[i];
        sdsim_player_take(&player, now, count - 1);
    }
    struct played played = {.result = player.result, .end = now};
    played.result.enough = sdsim_player_enough(&player, durations, count);
    sdsim_player_free(&player);
    free(durations);
    return played;
}

static void deadlines_by_hand(void **state)
{
    (void)state;
    /* Two buffers are full at 0.4 ms; buffer 0 is over at 1.4, buffer 1 at 2.4 ms. */
    const unsigned good[] = {200, 200, 900, 900, 900};
    struct played played = play(2, 1, good, 5);
    assert_int_equal(played.result.underruns, 0);
    assert_true(played.result.filled == 400 * SDSIM_US);
    assert_true(played.result.least_slack == 100 * SDSIM_US);
    assert_int_equal(played.result.enough, 2);
    /* The third read begins at 1.4 ms and takes 1.7: 0.7 too late. The fourth has room at 2.4, is
     * begun at 3.1 and there at 3.3; its deadline has moved to 4.1. */
    const unsigned late[] = {200, 200, 1700, 200, 200};
    played = play(2, 1, late, 5);
    assert_int_equal(played.result.underruns, 1);
    assert_int_equal(played.result.first_underrun, 2);
    assert_true(played.result.worst == 700 * SDSIM_US);
    assert_true(played.result.silent == 700 * SDSIM_US);
    assert_int_equal(played.result.enough, 3);
    /* Too slow for any buffer but one of everything. */
    const unsigned slow[] = {1100, 1100, 1100, 1100, 1100, 1100, 1100, 1100};
    played = play(1, 1, slow, 8);
    assert_int_equal(played.result.underruns, 7);
    assert_true(played.result.enough > 1 && played.result.enough <= 8);
    /* Everything fits into the buffers. */
    played = play(8, 1, slow, 8);
    assert_int_equal(played.result.underruns, 0);
    assert_true(played.result.least_slack == SDSIM_TIME_END);
}

/* The same in steps of 10 us: buffers that fill and drain, one reader that goes round. */
static uint64_t walk(uint64_t buffers, uint64_t streams, const unsigned *us, size_t count)
{
    enum { MOST = 8 };
    uint64_t level[MOST] = {0}; /* chunks that are there, the playing one included */
    uint64_t left[MOST] = {0};  /* steps of the one that plays */
    uint64_t got[MOST] = {0};
    bool silent[MOST] = {false};
    const uint64_t first = buffers * streams < count ? buffers * streams : count;
    uint64_t underruns = 0;
    size_t read = 0;
    uint64_t busy = 0; /* steps of the read at work */
    bool playing = false;
    for (uint64_t step = 0; read < count; step++) {
        for (uint64_t s = 0; playing && s < streams; s++) {
            if (level[s] > 0 && left[s] == 0) {
                left[s] = 100;
            }
        }
        for (;;) { /* what ends and begins at this instant */
            const uint64_t stream = read % streams;
            if (busy == 0 && read < count && level[stream] < buffers) {
                busy = us[read] / 10 + 1;
            }
            if (busy != 1) {
                break;
            }
            busy = 0;
            level[stream]++;
            got[stream]++;
            if (silent[stream]) {
                silent[stream] = false;
                left[stream] = 100;
            }
            read++;
            if (read == first) {
                playing = true;
                for (uint64_t s = 0; s < streams; s++) {
                    left[s] = level[s] > 0 ? 100 : 0;
                }
            }
            if (read == count) {
                break;
            }
        }
        busy -= busy > 1 ? 1 : 0;
        const uint64_t of_stream = count / streams;
        for (uint64_t s = 0; playing && s < streams; s++) {
            if (left[s] > 0 && --left[s] == 0) {
                level[s]--;
                if (level[s] == 0 && got[s] < of_stream) {
                    /* A read that ends at this very instant is in time. */
                    const bool now = read % streams == s && busy == 1;
                    underruns += now ? 0 : 1;
                    silent[s] = true;
                }
            }
        }
    }
    return underruns;
}

static void as_a_walk_in_steps(void **state)
{
    (void)state;
    enum { ROUNDS = 300, COUNT = 240 };
    struct sdsim_rng rng;
    printf("seed 7\n");
    sdsim_rng_seed(&rng, 7);
    uint64_t seen = 0;
    for (int round = 0; round < ROUNDS; round++) {
        unsigned us[COUNT];
        const uint64_t buffers = 1 + sdsim_rng_below(&rng, 5);
        const uint64_t streams = 1 + sdsim_rng_below(&rng, 4);
        for (size_t i = 0; i < COUNT; i++) {
            const bool rare = sdsim_rng_below(&rng, 25) == 0;
            /* Odd tens, so that nothing ends at the same instant as a chunk. */
            us[i] = (unsigned)(10 * (1 + sdsim_rng_below(&rng, rare ? 400 : 150 / streams)));
        }
        const struct played played = play(buffers, streams, us, COUNT);
        const uint64_t walked = walk(buffers, streams, us, COUNT);
        if (played.result.underruns != walked) {
            fail_msg("round %d, %llu buffers, %llu streams: %llu underruns, the walk has %llu",
                     round, (unsigned long long)buffers, (unsigned long long)streams,
                     (unsigned long long)played.result.underruns, (unsigned long long)walked);
        }
        seen += walked > 0 ? 1 : 0;
        /* As many buffers as are said to be enough are, and one less aren't. */
        const uint64_t enough = played.result.enough;
        assert_true(enough > 0);
        assert_int_equal(play(enough, streams, us, COUNT).result.underruns, 0);
        assert_true(enough == 1 || play(enough - 1, streams, us, COUNT).result.underruns > 0);
    }
    assert_true(seen > ROUNDS / 10 && seen < ROUNDS);
}

/* ---- another device ---- */

static void calls_and_turns_take_the_bus_in_order(void **state)
{
    (void)state;
    /* 100 bytes at 8 MHz are 100 us, and 10 us of set-up. */
    const struct sdsim_sharer_params params = {
        .bytes = 100, .every = SDSIM_MS, .clock_hz = 8000000, .setup = 10 * SDSIM_US};
    assert_true(sdsim_sharer_hold(&params) == 110 * SDSIM_US);
    struct sdsim_driver driver = {.gate = NULL};
    struct sdsim_meter meter = {.purpose = SDSIM_FOR_DATA};
    struct sdsim_bus_sharer sharer;
    sdsim_bus_sharer_init(&sharer, &params, &driver, 0);
    struct sdsim_driver_gate *gate = driver.gate;
    /* A call from 0.9 to 1.2 ms: nobody is there yet; the device, due at 1.0, waits for 0.2. */
    sdsim_ps now = 900 * SDSIM_US;
    gate->enter(gate, &meter, &now);
    assert_true(now == 900 * SDSIM_US);
    now = 1200 * SDSIM_US;
    gate->leave(gate, now);
    /* The next call comes at once and waits for the device's 110 us. */
    gate->enter(gate, &meter, &now);
    assert_true(now == 1310 * SDSIM_US);
    gate->leave(gate, now += 90 * SDSIM_US);
    /* One at 2.05 ms finds the device, which has had the bus since 2.0 ms. */
    now = 2050 * SDSIM_US;
    gate->enter(gate, &meter, &now);
    assert_true(now == 2110 * SDSIM_US);
    gate->leave(gate, now = 5500 * SDSIM_US);
    /* Three turns were due meanwhile. */
    gate->enter(gate, &meter, &now);
    assert_true(now == 5830 * SDSIM_US);
    const struct sdsim_sharer_result *result = &sharer.result;
    assert_int_equal(result->turns, 5);
    assert_int_equal(result->card_waits, 3);
    assert_true(result->card_waited == (110 + 60 + 330) * SDSIM_US);
    assert_true(result->card_longest == 330 * SDSIM_US);
    assert_int_equal(result->device_waits, 4);
    assert_true(result->device_longest == 2500 * SDSIM_US);
    assert_int_equal(result->missed, 2);
    assert_true(sdsim_account_kind(&meter.account, SDSIM_OUTSIDE) == result->card_waited);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deadlines_by_hand),
        cmocka_unit_test(as_a_walk_in_steps),
        cmocka_unit_test(calls_and_turns_take_the_bus_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
