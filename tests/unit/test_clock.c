/* A bus clock is exact: n clocks take the same time however they are split. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdbool.h>

#include "core/clock.h"
#include "core/rng.h"

struct frequency {
    uint64_t num, den;
};

/* Those that come up on real boards, the limits, and some whose period is as ugly as can be. */
static const struct frequency frequencies[] = {
    {1, 1},
    {3, 1},
    {100000, 1},
    {400000, 1},
    {20000000, 1},
    {25000000, 1},
    {50000000, 1},
    {80000000, 3},
    {80000000, 4},
    {80000000, 61},
    {133000000, 6},
    {133000000, 334},
    {150000000, 8},
    {125000000, 6},
    {160000000, 7},
    {48000000, 2},
    {48000000, 38},
    {198000000, 8},
    {60000000, 4},
    {528000000, 24},
    {33333333, 1},
    {66666667, 2},
    {125000000ull * 256, 5121},
    {133000000ull * 256, 1703},
    {999999937, 1}, /* a prime */
    {999999937, 999983},
    {999999937, 999999936},
    {1000000000, 1},
};

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static struct sdsim_clock clock_at(struct frequency frequency)
{
    struct sdsim_clock clock = {0};
    sdsim_clock_set(&clock, frequency.num, frequency.den);
    return clock;
}

/* n periods of num/den Hz, rounded down to picoseconds: n * den * 10^12 / num by long division in
 * base 2^16, since the product has up to 160 bits. */
static uint64_t exact_span(uint64_t n, struct frequency frequency)
{
    uint32_t digits[12] = {0}; /* least significant first, 16 bits each */
    digits[0] = 1;
    const uint64_t factors[] = {n, frequency.den, SDSIM_S};
    for (size_t f = 0; f < COUNT(factors); f++) {
        uint32_t product[12] = {0};
        for (size_t part = 0; part < 4; part++) {
            const uint64_t factor = factors[f] >> 16 * part & 0xFFFF;
            uint64_t carry = 0;
            for (size_t i = 0; i + part < 12; i++) {
                carry += product[i + part] + factor * digits[i];
                product[i + part] = (uint32_t)(carry & 0xFFFF);
                carry >>= 16;
            }
        }
        for (size_t i = 0; i < 12; i++) {
            digits[i] = product[i];
        }
    }
    uint64_t rest = 0;
    uint64_t quotient = 0;
    for (size_t i = 12; i-- > 0;) {
        rest = rest << 16 | digits[i]; /* frequency.num < 2^48 */
        if (quotient >> 48 != 0) {
            return SDSIM_TIME_END;
        }
        quotient = quotient << 16 | rest / frequency.num;
        rest %= frequency.num;
    }
    return quotient;
}

static void spans_are_exact(void **state)
{
    (void)state;
    static const uint64_t counts[] = {
        0,      1,        2,         7,          8,
        48,     1042,     4114,      4120,       1000000,
        999999, 18446745, 123456789, 1999999999, UINT64_C(5000000000)};
    for (size_t f = 0; f < COUNT(frequencies); f++) {
        const struct sdsim_clock clock = clock_at(frequencies[f]);
        for (size_t c = 0; c < COUNT(counts); c++) {
            const sdsim_ps got = sdsim_clock_peek(&clock, counts[c]);
            const sdsim_ps expected = exact_span(counts[c], frequencies[f]);
            if (got != expected) {
                fail_msg("%llu clocks of %llu/%llu Hz: %llu, not %llu ps",
                         (unsigned long long)counts[c], (unsigned long long)frequencies[f].num,
                         (unsigned long long)frequencies[f].den, (unsigned long long)got,
                         (unsigned long long)expected);
            }
        }
    }
}

static void splitting_changes_nothing(void **state)
{
    (void)state;
    const uint64_t seed = 314159;
    struct sdsim_rng rng;
    sdsim_rng_seed(&rng, seed);
    for (size_t f = 0; f < COUNT(frequencies); f++) {
        for (int round = 0; round < 40; round++) {
            struct sdsim_clock whole = clock_at(frequencies[f]);
            struct sdsim_clock parts = whole;
            /* Start somewhere, so that a remainder is carried already. */
            const uint64_t start = sdsim_rng_below(&rng, 1000);
            sdsim_ps now_whole = sdsim_clock_take(&whole, start);
            sdsim_ps now_parts = sdsim_clock_take(&parts, start);
            uint64_t total = 0;
            const uint64_t most = round % 4 == 0 ? 3 : round % 4 == 1 ? 5000 : 300000000;
            for (int i = 0; i < 100; i++) {
                const uint64_t n = sdsim_rng_below(&rng, most);
                const sdsim_ps peeked = sdsim_clock_peek(&parts, n);
                const sdsim_ps taken = sdsim_clock_take(&parts, n);
                assert_true(peeked == taken);
                now_parts = sdsim_time_sum(now_parts, taken);
                total += n;
            }
            now_whole = sdsim_time_sum(now_whole, sdsim_clock_take(&whole, total));
            const bool saturated = now_whole == SDSIM_TIME_END;
            if (now_whole != now_parts || (!saturated && whole.remainder != parts.remainder)) {
                fail_msg("seed %llu, round %d: %llu clocks of %llu/%llu Hz",
                         (unsigned long long)seed, round, (unsigned long long)total,
                         (unsigned long long)frequencies[f].num,
                         (unsigned long long)frequencies[f].den);
            }
            if (now_whole != exact_span(start + total, frequencies[f])) {
                fail_msg("seed %llu, round %d: %llu/%llu Hz is off its exact time",
                         (unsigned long long)seed, round, (unsigned long long)frequencies[f].num,
                         (unsigned long long)frequencies[f].den);
            }
        }
    }
}

static void single_clocks_add_up(void **state)
{
    (void)state;
    for (size_t f = 0; f < COUNT(frequencies); f++) {
        struct sdsim_clock clock = clock_at(frequencies[f]);
        sdsim_ps now = 0;
        for (int i = 0; i < 4120; i++) {
            now = sdsim_time_sum(now, sdsim_clock_take(&clock, 1));
        }
        if (now != exact_span(4120, frequencies[f])) {
            fail_msg("%llu/%llu Hz", (unsigned long long)frequencies[f].num,
                     (unsigned long long)frequencies[f].den);
        }
    }
}

static void count_is_the_smallest(void **state)
{
    (void)state;
    const uint64_t seed = 271828;
    struct sdsim_rng rng;
    sdsim_rng_seed(&rng, seed);
    for (size_t f = 0; f < COUNT(frequencies); f++) {
        for (int round = 0; round < 300; round++) {
            struct sdsim_clock clock = clock_at(frequencies[f]);
            sdsim_clock_take(&clock, sdsim_rng_below(&rng, 2000));
            const uint64_t about = sdsim_rng_below(&rng, round % 2 ? 100 : 100000000);
            sdsim_ps span = sdsim_clock_peek(&clock, about);
            if (span == SDSIM_TIME_END) {
                continue;
            }
            /* On the edge, and just before and behind it. */
            span += sdsim_rng_below(&rng, 3);
            span -= span > 0 ? sdsim_rng_below(&rng, 2) : 0;
            const uint64_t n = sdsim_clock_count(&clock, span);
            if (sdsim_clock_peek(&clock, n) < span ||
                (n > 0 && sdsim_clock_peek(&clock, n - 1) >= span)) {
                fail_msg("seed %llu, round %d: %llu clocks for %llu ps at %llu/%llu Hz",
                         (unsigned long long)seed, round, (unsigned long long)n,
                         (unsigned long long)span, (unsigned long long)frequencies[f].num,
                         (unsigned long long)frequencies[f].den);
            }
        }
    }
}

static void count_equals_a_naive_loop(void **state)
{
    (void)state;
    const uint64_t seed = 161803;
    struct sdsim_rng rng;
    sdsim_rng_seed(&rng, seed);
    for (size_t f = 0; f < COUNT(frequencies); f++) {
        for (int round = 0; round < 20; round++) {
            struct sdsim_clock clock = clock_at(frequencies[f]);
            sdsim_clock_take(&clock, sdsim_rng_below(&rng, 2000));
            const sdsim_ps span = sdsim_rng_below(&rng, sdsim_clock_peek(&clock, 300) + 1);
            uint64_t n = 0;
            struct sdsim_clock stepping = clock;
            for (sdsim_ps sum = 0; sum < span; n++) {
                sum += sdsim_clock_take(&stepping, 1);
            }
            if (sdsim_clock_count(&clock, span) != n) {
                fail_msg("seed %llu, round %d: %llu ps at %llu/%llu Hz", (unsigned long long)seed,
                         round, (unsigned long long)span, (unsigned long long)frequencies[f].num,
                         (unsigned long long)frequencies[f].den);
            }
        }
    }
}

static void long_spans(void **state)
{
    (void)state;
    for (size_t f = 0; f < COUNT(frequencies); f++) {
        const struct sdsim_clock clock = clock_at(frequencies[f]);
        if (sdsim_clock_peek(&clock, UINT64_MAX) != SDSIM_TIME_END) {
            fail_msg("%llu/%llu Hz does not saturate", (unsigned long long)frequencies[f].num,
                     (unsigned long long)frequencies[f].den);
        }
        static const sdsim_ps spans[] = {SDSIM_S, 3600 * SDSIM_S, 86400 * SDSIM_S,
                                         SDSIM_TIME_END - 1, SDSIM_TIME_END};
        for (size_t s = 0; s < COUNT(spans); s++) {
            const uint64_t n = sdsim_clock_count(&clock, spans[s]);
            if (n == 0 || sdsim_clock_peek(&clock, n) < spans[s] ||
                sdsim_clock_peek(&clock, n - 1) >= spans[s]) {
                fail_msg("%llu ps at %llu/%llu Hz: %llu clocks", (unsigned long long)spans[s],
                         (unsigned long long)frequencies[f].num,
                         (unsigned long long)frequencies[f].den, (unsigned long long)n);
            }
        }
        assert_int_equal(sdsim_clock_count(&clock, 0), 0);
        assert_int_equal(sdsim_clock_count(&clock, 1), 1);
    }
}

static void only_a_new_frequency_clears_the_remainder(void **state)
{
    (void)state;
    struct sdsim_clock clock = clock_at((struct frequency){80000000, 3});
    sdsim_clock_take(&clock, 1); /* 37500 ps: no remainder */
    assert_int_equal(clock.remainder, 0);
    clock = clock_at((struct frequency){150000000, 8});
    sdsim_clock_take(&clock, 1); /* 53333 1/3 ps */
    assert_int_equal(clock.remainder, 1);
    sdsim_clock_set(&clock, 75000000, 4); /* the same, reduced */
    assert_int_equal(clock.remainder, 1);
    sdsim_clock_set(&clock, 300000000, 16);
    assert_int_equal(clock.remainder, 1);
    sdsim_clock_set(&clock, 150000000, 7);
    assert_int_equal(clock.remainder, 0);
    sdsim_clock_take(&clock, 1); /* 46666 2/3 ps */
    assert_int_equal(clock.remainder, 2);
    /* Another number above or below the line alone is another frequency. */
    sdsim_clock_set(&clock, 150000000, 11);
    assert_true(sdsim_clock_peek(&clock, 150) == 11 * SDSIM_US);
    sdsim_clock_set(&clock, 20000000, 1);
    assert_true(sdsim_clock_peek(&clock, 1) == 50000);
    sdsim_clock_set(&clock, 25000000, 1);
    assert_true(sdsim_clock_peek(&clock, 1) == 40000);
}

static void periods_and_printed_frequency(void **state)
{
    (void)state;
    const struct {
        struct frequency frequency;
        uint64_t num, den;
        double hz;
    } rows[] = {
        {{20000000, 1}, 50000, 1, 20e6},      {{80000000, 3}, 37500, 1, 80e6 / 3},
        {{150000000, 8}, 160000, 3, 18.75e6}, {{133000000, 6}, 6000000, 133, 133e6 / 6},
        {{48000000, 2}, 125000, 3, 24e6},     {{1, 1}, SDSIM_S, 1, 1.0},
        {{1000000000, 1}, 1000, 1, 1e9},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct sdsim_clock clock = clock_at(rows[i].frequency);
        /* As a quotient: how a clock holds its period is its own business. */
        const sdsim_ps span = sdsim_clock_peek(&clock, rows[i].den);
        if (span != rows[i].num || sdsim_clock_hz(&clock) != rows[i].hz) {
            fail_msg("row %zu", i);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spans_are_exact),
        cmocka_unit_test(splitting_changes_nothing),
        cmocka_unit_test(single_clocks_add_up),
        cmocka_unit_test(count_is_the_smallest),
        cmocka_unit_test(count_equals_a_naive_loop),
        cmocka_unit_test(long_spans),
        cmocka_unit_test(only_a_new_frequency_clears_the_remainder),
        cmocka_unit_test(periods_and_printed_frequency),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
