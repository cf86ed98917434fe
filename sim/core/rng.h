/*
 * Random numbers: xoshiro256++ seeded through splitmix64, and hashes that give every named value
 * its own number.
 *
 * Same seed, same numbers, on every machine; never rand(). A profile value's luck is a hash of
 * seed, draw, profile and key path (config/schema.h), so that two runs that differ in one value
 * share the luck of all others.
 */
#ifndef SDSIM_CORE_RNG_H
#define SDSIM_CORE_RNG_H

#include <stdint.h>

struct sdsim_rng {
    uint64_t s[4];
};

/* splitmix64: a well-mixed function of x (Steele, Lea, Flood 2014), used for seeding and hashing.
 */
uint64_t sdsim_mix(uint64_t x);

void sdsim_rng_seed(struct sdsim_rng *rng, uint64_t seed);
uint64_t sdsim_rng_next(struct sdsim_rng *rng);

/* Uniform in 0 .. bound-1 without bias; bound > 0. */
uint64_t sdsim_rng_below(struct sdsim_rng *rng, uint64_t bound);

/* Uniform in [0, 1), a multiple of 2^-53. */
double sdsim_rng_unit(struct sdsim_rng *rng);

/* Mixes a string, or a number, into a hash; start with any seed. */
uint64_t sdsim_hash_text(uint64_t hash, const char *text);
uint64_t sdsim_hash_number(uint64_t hash, uint64_t number);

/* The hash as a number in (0, 1), never 0 or 1. */
double sdsim_hash_unit(uint64_t hash);

#endif
