#include "core/rng.h"

/* The step of splitmix64, 2^64 divided by the golden ratio. */
#define GOLDEN_GAMMA UINT64_C(0x9E3779B97F4A7C15)

static uint64_t rotate_left(uint64_t x, unsigned bits)
{
    return x << bits | x >> (64 - bits);
}

uint64_t sdsim_mix(uint64_t x)
{
    x += GOLDEN_GAMMA;
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

void sdsim_rng_seed(struct sdsim_rng *rng, uint64_t seed)
{
    /* Four numbers of the splitmix64 sequence; it is a permutation, so they are never all zero. */
    for (unsigned i = 0; i < 4; i++) {
        rng->s[i] = sdsim_mix(seed + i * GOLDEN_GAMMA);
    }
}

/* xoshiro256++ 1.0 (Blackman, Vigna 2019). */
uint64_t sdsim_rng_next(struct sdsim_rng *rng)
{
    uint64_t *const s = rng->s;
    const uint64_t result = rotate_left(s[0] + s[3], 23) + s[0];
    const uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate_left(s[3], 45);
    return result;
}

uint64_t sdsim_rng_below(struct sdsim_rng *rng, uint64_t bound)
{
    /* 2^64 mod bound numbers at the low end would make some results likelier: draw again. */
    const uint64_t surplus = (UINT64_MAX - bound + 1) % bound;
    uint64_t x;
    do {
        x = sdsim_rng_next(rng);
    } while (x < surplus);
    return x % bound;
}

double sdsim_rng_unit(struct sdsim_rng *rng)
{
    return (double)(sdsim_rng_next(rng) >> 11) * 0x1p-53;
}

uint64_t sdsim_hash_text(uint64_t hash, const char *text)
{
    /* FNV-1a over the bytes; the mix at the end keeps "a","bc" and "ab","c" apart. */
    for (const unsigned char *c = (const unsigned char *)text; *c != 0; c++) {
        hash = (hash ^ *c) * UINT64_C(0x100000001B3);
    }
    return sdsim_mix(hash);
}

uint64_t sdsim_hash_number(uint64_t hash, uint64_t number)
{
    return sdsim_mix(rotate_left(hash, 23) ^ sdsim_mix(number));
}

double sdsim_hash_unit(uint64_t hash)
{
    /* The middle of one of 2^52 equal parts, so neither end can be hit. */
    return ((double)(hash >> 12) + 0.5) * 0x1p-52;
}
