/*
 * Waits of the library, for the end of a busy and for data, pass over the clocks in which nothing can
 * happen. Two slots with the same card live the same made-up life: one waits in one call, the other
 * looks at clock after clock, each in a call of its own. Both must end at the same picosecond, with the
 * same result and the same data.
 *
 * SDSIM_SEED chooses another luck.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/rng.h"
#include "sanitized.h"
#include "slot_bench.h"

enum {
    LIVES = SDSIM_SANITIZED ? 60 : 400,
    ACTS = 25,
    SECTORS = 4000,
};

#define US UINT64_C(1000000)
#define MS UINT64_C(1000000000)

/* The two slots: the first one waits. */
enum { WAITS, LOOKS, SLOTS };

struct life {
    uint64_t seed;
    unsigned number;
    unsigned act;
    const char *what;
    struct sdsim_rng rng;
    uint32_t lines;
    struct sdsim_slot *slots[SLOTS];
};

static void same(const struct life *life, const char *what, uint64_t looks, uint64_t waits)
{
    if (looks != waits) {
        fail_msg("SDSIM_SEED=%llu, life %u, act %u (%s): %s: %llu in one call, not %llu",
                 (unsigned long long)life->seed, life->number, life->act, life->what, what,
                 (unsigned long long)waits, (unsigned long long)looks);
    }
}

static void compare(const struct life *life, const int32_t results[SLOTS])
{
    same(life, "result", (uint64_t)(int64_t)results[LOOKS], (uint64_t)(int64_t)results[WAITS]);
    same(life, "time", sdsim_slot_now(life->slots[LOOKS]), sdsim_slot_now(life->slots[WAITS]));
}

/* One look at a time: a limit of nothing is over with the first clock. */
static int32_t wait_by_looks(struct sdsim_slot *slot, uint64_t limit)
{
    const uint64_t start = sdsim_slot_now(slot);
    int32_t result;
    do {
        result = sdsim_slot_wait(slot, 0);
    } while (result == SDSIM_E_BUSY && sdsim_slot_now(slot) - start < limit);
    return result;
}

static int32_t read_by_looks(struct sdsim_slot *slot, void *data, uint32_t lines, uint64_t limit)
{
    const uint64_t start = sdsim_slot_now(slot);
    int32_t result;
    do {
        result = sdsim_slot_read_data(slot, data, 512, lines, 0);
    } while (result == SDSIM_E_NO_RESPONSE && sdsim_slot_now(slot) - start < limit);
    return result;
}

/* A limit that is long enough, or one that ends anywhere, now and then at a clock's edge. */
static uint64_t some_limit(struct life *life)
{
    struct sdsim_rng *rng = &life->rng;
    switch (sdsim_rng_below(rng, 4)) {
    case 0:
        return sdsim_rng_below(rng, 2);
    case 1:
        return sdsim_rng_below(rng, 300 * US);
    case 2: /* whole clocks of 25 and 40 MHz, and next to them */
        return sdsim_rng_below(rng, 5000) * 200000 + sdsim_rng_below(rng, 3);
    default:
        return 5 * MS;
    }
}

static void wait(struct life *life)
{
    const uint64_t limit = some_limit(life);
    const int32_t results[SLOTS] = {sdsim_slot_wait(life->slots[WAITS], limit),
                                    wait_by_looks(life->slots[LOOKS], limit)};
    compare(life, results);
}

static void command(struct life *life, uint32_t index, uint32_t argument)
{
    int32_t results[SLOTS];
    for (int i = 0; i < SLOTS; i++) {
        results[i] =
            sdsim_slot_command(life->slots[i], index, argument, SDSIM_SHORT_RESPONSE, NULL);
    }
    compare(life, results);
}

static void write_block(struct life *life)
{
    uint8_t bytes[512];
    int32_t results[SLOTS];
    sdsim_test_fill(bytes, sizeof bytes, life->act);
    for (int i = 0; i < SLOTS; i++) {
        results[i] = sdsim_slot_write_data(life->slots[i], bytes, sizeof bytes, life->lines);
    }
    compare(life, results);
}

static void read_block(struct life *life)
{
    uint8_t bytes[SLOTS][512] = {{0}};
    const uint64_t limit = some_limit(life);
    const int32_t results[SLOTS] = {
        sdsim_slot_read_data(life->slots[WAITS], bytes[WAITS], 512, life->lines, limit),
        read_by_looks(life->slots[LOOKS], bytes[LOOKS], life->lines, limit)};
    compare(life, results);
    assert_memory_equal(bytes[WAITS], bytes[LOOKS], sizeof bytes[WAITS]);
}

static void writes(struct life *life)
{
    const bool many = sdsim_rng_below(&life->rng, 2) == 0;
    const unsigned blocks = many ? 1 + (unsigned)sdsim_rng_below(&life->rng, 3) : 1;
    life->what = many ? "CMD25" : "CMD24";
    command(life, many ? 25 : 24, (uint32_t)sdsim_rng_below(&life->rng, SECTORS));
    for (unsigned i = 0; i < blocks; i++) {
        write_block(life);
        wait(life);
    }
    if (many) {
        command(life, 12, 0);
        wait(life);
    }
}

static void reads(struct life *life)
{
    const bool many = sdsim_rng_below(&life->rng, 2) == 0;
    const unsigned blocks = many ? 1 + (unsigned)sdsim_rng_below(&life->rng, 3) : 1;
    life->what = many ? "CMD18" : "CMD17";
    command(life, many ? 18 : 17, (uint32_t)sdsim_rng_below(&life->rng, SECTORS));
    for (unsigned i = 0; i < blocks; i++) {
        read_block(life);
    }
    if (many) {
        command(life, 12, 0);
    }
}

static void erase(struct life *life)
{
    life->what = "CMD38";
    command(life, 32, 10);
    command(life, 33, 20);
    command(life, 38, 0);
    wait(life);
}

/* Nothing is going on; or the card has no power, or is stuck, until it is set up anew. */
static void idle(struct life *life)
{
    const uint64_t span = sdsim_rng_below(&life->rng, 200 * US);
    life->what = "nothing";
    for (int i = 0; i < SLOTS; i++) {
        assert_int_equal(sdsim_slot_advance(life->slots[i], span), SDSIM_OK);
    }
    wait(life);
    read_block(life);
}

static void last_act(struct life *life)
{
    const uint64_t number = sdsim_rng_below(&life->rng, 3);
    life->what = number == 0 ? "without power" : number == 1 ? "stuck" : "taken out";
    for (int i = 0; i < SLOTS; i++) {
        struct sdsim_slot *slot = life->slots[i];
        assert_int_equal(number == 0   ? sdsim_slot_power(slot, 0)
                         : number == 1 ? sdsim_slot_inject(slot, SDSIM_INJECT_STUCK_BUSY, 0, 1, 0)
                                       : sdsim_slot_inject(slot, SDSIM_INJECT_REMOVED, 0, 1, 0),
                         SDSIM_OK);
    }
    command(life, 24, 7);
    write_block(life);
    wait(life);
    read_block(life);
}

/* A card whose times are anything from nothing to many clocks. */
static void some_card(struct life *life, char *text, size_t size)
{
    struct sdsim_rng *rng = &life->rng;
    uint64_t ns[6];
    for (unsigned i = 0; i < 6; i++) {
        ns[i] = sdsim_rng_below(rng, 3) == 0 ? 0 : sdsim_rng_below(rng, 150000);
    }
    snprintf(text, size,
             "kind: card\ntype: sdhc\ncapacity: 4MiB\npage: 4KiB\ninit_time: 1ms\nrd1: %lluns\n"
             "rdn: %lluns\nw1: %lluns\nwn: %lluns\nwstop: %lluns\nerase: %lluns\nn_br_clocks: %u\n"
             "n_cr_clocks: %u\n",
             (unsigned long long)ns[0], (unsigned long long)ns[1], (unsigned long long)ns[2],
             (unsigned long long)ns[3], (unsigned long long)ns[4], (unsigned long long)ns[5],
             (unsigned)sdsim_rng_below(rng, 2), 2 + (unsigned)sdsim_rng_below(rng, 63));
}

static void begin(struct life *life)
{
    static const uint32_t clocks[][2] = {{25000000, 1}, {40000000, 1},  {80000000, 3},
                                         {400000, 1},   {150000000, 8}, {133000000, 6}};
    const uint32_t *clock = clocks[sdsim_rng_below(&life->rng, 6)];
    char card[300];
    some_card(life, card, sizeof card);
    life->lines = sdsim_rng_below(&life->rng, 2) == 0 ? 1 : 4;
    for (int i = 0; i < SLOTS; i++) {
        life->slots[i] = sdsim_test_sd_slot_with(card, life->lines);
        assert_int_equal(sdsim_slot_set_clock(life->slots[i], clock[0], clock[1]), SDSIM_OK);
    }
}

static void live(struct life *life)
{
    static void (*const acts[])(struct life * life) = {writes, writes, reads, reads, erase, idle};
    begin(life);
    for (life->act = 0; life->act < ACTS; life->act++) {
        acts[sdsim_rng_below(&life->rng, sizeof acts / sizeof *acts)](life);
    }
    last_act(life);
    for (int i = 0; i < SLOTS; i++) {
        sdsim_slot_destroy(life->slots[i]);
    }
}

static void as_clock_by_clock(void **state)
{
    (void)state;
    const char *text = getenv("SDSIM_SEED");
    struct life life = {.seed = text != NULL ? strtoull(text, NULL, 10) : 1};
    print_message("seed %llu\n", (unsigned long long)life.seed);
    for (life.number = 0; life.number < LIVES; life.number++) {
        sdsim_rng_seed(&life.rng, sdsim_hash_number(life.seed, life.number));
        live(&life);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_clock_by_clock)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
