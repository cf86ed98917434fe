/*
 * One card behind several ports, driven through the same made-up life, and compared.
 *
 * Each world has its own card, medium, meter and port. One port is the closed-form one, one is what
 * it is compared with, the wire port on the byte-exact card, one is the closed-form one with a
 * listener.
 * After each step all must agree to the picosecond. The first difference fails the test through
 * cmocka and names the seed, the sequence and the step.
 *
 * SDSIM_SEED chooses another luck, SDSIM_SEQUENCES how many sequences, SDSIM_SEQUENCE runs one of
 * them alone.
 */
#ifndef SDSIM_TEST_PORT_WORLDS_H
#define SDSIM_TEST_PORT_WORLDS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/rng.h"
#include "driver/driver.h"
#include "port/wire.h"

#define SDSIM_TEST_MOST_BLOCKS 512u

static inline bool sdsim_test_one_in(struct sdsim_rng *rng, uint64_t n)
{
    return sdsim_rng_below(rng, n) == 0;
}

static inline uint64_t sdsim_test_pick(struct sdsim_rng *rng, const uint64_t *from, size_t count)
{
    return from[sdsim_rng_below(rng, count)];
}
#define SDSIM_TEST_PICK(rng, ...)                                                                  \
    sdsim_test_pick(rng, (const uint64_t[]){__VA_ARGS__},                                          \
                    sizeof((const uint64_t[]){__VA_ARGS__}) / 8)

enum {
    SDSIM_TEST_FAST,
    SDSIM_TEST_REFERENCE,
    SDSIM_TEST_LISTENED,
    SDSIM_TEST_WORLDS,
};

/* Sums the spans by kind. */
struct sdsim_test_listener {
    struct sdsim_recorder recorder;
    sdsim_ps kinds[SDSIM_KIND_COUNT];
};

struct sdsim_test_world {
    struct sdsim_medium *medium;
    struct sdsim_card card;
    struct sdsim_meter meter;
    struct sdsim_test_listener listener;
    struct sdsim_port fast;
    struct sdsim_wire wire;
    struct sdsim_port *port;
    sdsim_ps now;
    struct sdsim_result result;
    uint8_t *out;               /* what was read, SDSIM_TEST_MOST_BLOCKS */
    struct sdsim_driver driver; /* if drivers are what is tested */
    enum sdsim_driver_error error;
};

/* A sequence of steps, the same in all worlds. */
struct sdsim_test_sequence {
    uint64_t seed;
    uint64_t number;
    enum sdsim_bus_mode mode;
    unsigned step;
    const char *action;
    struct sdsim_rng rng;
    struct sdsim_card_params params;
    struct sdsim_test_world worlds[SDSIM_TEST_WORLDS];
    uint8_t *content; /* SDSIM_TEST_MOST_BLOCKS of bytes to write */
};

/* Calls `run` for each sequence: one `share`-th of SDSIM_SEQUENCES, by default of 3000, or of
 * 600 under AddressSanitizer. */
void sdsim_test_each_sequence(uint64_t share,
                              void (*run)(uint64_t seed, uint64_t number, const void *context),
                              const void *context);

/* The luck of sequence `number`. */
void sdsim_test_begin(struct sdsim_test_sequence *s, uint64_t seed, uint64_t number, uint64_t salt,
                      enum sdsim_bus_mode mode);

/* Powers up a card of s->params in each world; ends with a last comparison, of the media too. */
void sdsim_test_create_worlds(struct sdsim_test_sequence *s, uint32_t draw);
void sdsim_test_destroy_worlds(struct sdsim_test_sequence *s);

/* Whether the card has a quirk that a driver may not get past at initialisation. */
bool sdsim_test_difficult(const struct sdsim_card_params *params);

/* Fails if the two differ. */
void sdsim_test_same(const struct sdsim_test_sequence *s, int world, const char *what,
                     uint64_t expected, uint64_t got);

/* Compares times, results, accounts, counters, and cards of all worlds. */
void sdsim_test_compare(const struct sdsim_test_sequence *s);

/* Compares what was read: `blocks` blocks of `bytes`. */
void sdsim_test_compare_data(const struct sdsim_test_sequence *s, uint32_t blocks, uint32_t bytes);

/* ---- made-up parameters ---- */

/* The slowest of the clocks below. */
#define SDSIM_TEST_SLOW_FREQUENCY 6

/* One of the clocks real hosts have, an index; its frequency; and all ports set to it. */
size_t sdsim_test_some_frequency(struct sdsim_test_sequence *s);
struct sdsim_clock sdsim_test_clock(size_t frequency);
void sdsim_test_set_clocks(struct sdsim_test_sequence *s, size_t frequency);

/* Fills s->params. Some of its times lie within a picosecond of a whole number of bytes of this
 * clock. */
void sdsim_test_some_card(struct sdsim_test_sequence *s, const struct sdsim_clock *clock);

/* Somewhere on the card, now and then at its end or behind it. */
uint32_t sdsim_test_some_lba(struct sdsim_test_sequence *s);
uint32_t sdsim_test_some_count(struct sdsim_test_sequence *s);
struct sdsim_content sdsim_test_some_content(struct sdsim_test_sequence *s);

#endif
