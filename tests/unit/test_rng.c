/* Random numbers against the published vectors of their algorithms, and the properties users count
 * on. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "core/rng.h"

static void mix_is_splitmix64(void **state)
{
    (void)state;
    /* The sequence of splitmix64 from seed 1234567, as given on Rosetta Code. */
    static const uint64_t expected[] = {
        UINT64_C(6457827717110365317),  UINT64_C(3203168211198807973),
        UINT64_C(9817491932198370423),  UINT64_C(4593380528125082431),
        UINT64_C(16408922859458223821),
    };
    for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
        const uint64_t x = 1234567 + i * UINT64_C(0x9E3779B97F4A7C15);
        if (sdsim_mix(x) != expected[i]) {
            fail_msg("number %zu", i);
        }
    }
}

static void next_is_xoshiro256pp(void **state)
{
    (void)state;
    /* The reference code's first numbers from the state 1, 2, 3, 4. */
    static const uint64_t expected[] = {
        UINT64_C(41943041),
        UINT64_C(58720359),
        UINT64_C(3588806011781223),
        UINT64_C(3591011842654386),
        UINT64_C(9228616714210784205),
        UINT64_C(9973669472204895162),
        UINT64_C(14011001112246962877),
        UINT64_C(12406186145184390807),
        UINT64_C(15849039046786891736),
        UINT64_C(10450023813501588000),
    };
    struct sdsim_rng rng = {{1, 2, 3, 4}};
    for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
        if (sdsim_rng_next(&rng) != expected[i]) {
            fail_msg("number %zu", i);
        }
    }
}

static void seed_goes_through_splitmix64(void **state)
{
    (void)state;
    static const uint64_t from_zero[] = {
        UINT64_C(5987356902031041503),
        UINT64_C(7051070477665621255),
        UINT64_C(6633766593972829180),
    };
    struct sdsim_rng rng;
    sdsim_rng_seed(&rng, 0);
    for (size_t i = 0; i < sizeof(from_zero) / sizeof(*from_zero); i++) {
        if (sdsim_rng_next(&rng) != from_zero[i]) {
            fail_msg("number %zu", i);
        }
    }
    struct sdsim_rng again;
    sdsim_rng_seed(&again, 77);
    sdsim_rng_seed(&rng, 77);
    struct sdsim_rng other;
    sdsim_rng_seed(&other, 78);
    int equal = 0;
    for (int i = 0; i < 100; i++) {
        const uint64_t x = sdsim_rng_next(&rng);
        assert_true(x == sdsim_rng_next(&again));
        equal += x == sdsim_rng_next(&other);
    }
    assert_int_equal(equal, 0);
}

static void below_stays_below(void **state)
{
    (void)state;
    static const uint64_t bounds[] = {
        1,
        2,
        3,
        7,
        10,
        1000,
        UINT64_C(1) << 32,
        (UINT64_C(1) << 63) + 1,
        UINT64_MAX,
        UINT64_MAX - 1,
    };
    struct sdsim_rng rng;
    sdsim_rng_seed(&rng, 5);
    for (size_t b = 0; b < sizeof(bounds) / sizeof(*bounds); b++) {
        for (int i = 0; i < 1000; i++) {
            if (sdsim_rng_below(&rng, bounds[b]) >= bounds[b]) {
                fail_msg("bound %llu", (unsigned long long)bounds[b]);
            }
        }
    }
}

static void below_has_no_bias(void **state)
{
    (void)state;
    /* A plain remainder would put half of all numbers into the first third. */
    const uint64_t bound = UINT64_C(3) << 62;
    struct sdsim_rng rng;
    sdsim_rng_seed(&rng, 6);
    int thirds[3] = {0};
    for (int i = 0; i < 30000; i++) {
        thirds[sdsim_rng_below(&rng, bound) >> 62]++;
    }
    int tenths[10] = {0};
    for (int i = 0; i < 30000; i++) {
        tenths[sdsim_rng_below(&rng, 10)]++;
    }
    for (int i = 0; i < 3; i++) {
        assert_in_range(thirds[i], 9600, 10400); /* 5 standard deviations are 408 */
    }
    for (int i = 0; i < 10; i++) {
        assert_in_range(tenths[i], 2740, 3260); /* 5 standard deviations are 260 */
    }
}

/* A generator whose next number is x. */
static struct sdsim_rng about_to_give(uint64_t x)
{
    return (struct sdsim_rng){{0, 3, 4, x >> 23 | x << 41}};
}

/* 2^64 is 6 more than a multiple of 10, so the numbers 0 to 5 are drawn again, and no others. */
static void below_draws_just_the_surplus_again(void **state)
{
    (void)state;
    for (uint64_t x = 0; x < 30; x++) {
        struct sdsim_rng rng = about_to_give(x);
        struct sdsim_rng copy = rng;
        assert_true(sdsim_rng_next(&copy) == x);
        const uint64_t expected = x < 6 ? sdsim_rng_next(&copy) % 10 : x % 10;
        if (sdsim_rng_below(&rng, 10) != expected) {
            fail_msg("number %llu", (unsigned long long)x);
        }
    }
    struct sdsim_rng rng = about_to_give(UINT64_MAX);
    assert_true(sdsim_rng_below(&rng, 10) == 5);
    rng = about_to_give(0); /* a power of two has no surplus */
    assert_true(sdsim_rng_below(&rng, 1024) == 0);
}

static void unit_is_in_range_and_even(void **state)
{
    (void)state;
    struct sdsim_rng rng;
    sdsim_rng_seed(&rng, 7);
    double sum = 0.0;
    int low = 0;
    for (int i = 0; i < 10000; i++) {
        const double x = sdsim_rng_unit(&rng);
        assert_true(x >= 0.0 && x < 1.0);
        const double scaled = x * 0x1p53;
        assert_true(scaled == (double)(uint64_t)scaled);
        sum += x;
        low += x < 0.1;
    }
    assert_true(sum > 4850.0 && sum < 5150.0);
    assert_in_range(low, 850, 1150);
}

static void hashes_tell_things_apart(void **state)
{
    (void)state;
    const uint64_t seed = 42;
    const uint64_t hashes[] = {
        seed,
        sdsim_hash_text(seed, ""),
        sdsim_hash_text(seed, "a"),
        sdsim_hash_text(seed, "ab"),
        sdsim_hash_text(seed, "ba"),
        sdsim_hash_text(sdsim_hash_text(seed, "a"), "b"),
        sdsim_hash_text(sdsim_hash_text(seed, "ab"), ""),
        sdsim_hash_text(sdsim_hash_text(seed, ""), "ab"),
        sdsim_hash_text(43, "a"),
        sdsim_hash_text(seed, "\xFF"),
        sdsim_hash_number(seed, 0),
        sdsim_hash_number(seed, 1),
        sdsim_hash_number(seed, 2),
        sdsim_hash_number(43, 1),
        sdsim_hash_number(1, seed),
        sdsim_hash_number(sdsim_hash_number(seed, 1), 2),
        sdsim_hash_number(sdsim_hash_number(seed, 2), 1),
        sdsim_hash_number(sdsim_hash_number(seed, 1), 1),
    };
    const size_t n = sizeof(hashes) / sizeof(*hashes);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = i + 1; j < n; j++) {
            if (hashes[i] == hashes[j]) {
                fail_msg("hashes %zu and %zu are equal", i, j);
            }
        }
    }
    assert_true(sdsim_hash_text(seed, "flash.rd1") == sdsim_hash_text(seed, "flash.rd1"));
}

/* The numbers decide every draw of every run: a change of them is a change of all results. */
static void hashes_never_change(void **state)
{
    (void)state;
    assert_true(sdsim_hash_text(1, "rd1") == UINT64_C(0xA7875409587F1868));
    assert_true(sdsim_hash_number(1, 2) == UINT64_C(0x33C46BD74075358A));
}

static void hash_unit_is_between_its_ends(void **state)
{
    (void)state;
    assert_true(sdsim_hash_unit(0) > 0.0);
    assert_true(sdsim_hash_unit(UINT64_MAX) < 1.0);
    assert_true(sdsim_hash_unit(UINT64_C(1) << 63) > 0.5);
    assert_true(sdsim_hash_unit((UINT64_C(1) << 63) - 1) < 0.5);
    double sum = 0.0;
    for (uint64_t k = 0; k < 10000; k++) {
        sum += sdsim_hash_unit(sdsim_hash_text(sdsim_hash_number(9, k), "card.pause"));
    }
    assert_true(sum > 4850.0 && sum < 5150.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mix_is_splitmix64),
        cmocka_unit_test(next_is_xoshiro256pp),
        cmocka_unit_test(seed_goes_through_splitmix64),
        cmocka_unit_test(below_stays_below),
        cmocka_unit_test(below_has_no_bias),
        cmocka_unit_test(below_draws_just_the_surplus_again),
        cmocka_unit_test(unit_is_in_range_and_even),
        cmocka_unit_test(hashes_tell_things_apart),
        cmocka_unit_test(hashes_never_change),
        cmocka_unit_test(hash_unit_is_between_its_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
