/* Clock rules against what they promise: never above, nearest, never less for more. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdbool.h>

#include "core/rng.h"
#include "host/clock_rule.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
#define MHZ          UINT64_C(1000000)

/*
 * For each rule the set of its dividers, in 1/parts: `next` gives the smallest one that is at least
 * `n`, 0 if there is none. Written down on its own, to judge choices against.
 */
static uint64_t any_number(uint64_t n, uint64_t least, uint64_t step, uint64_t most)
{
    const uint64_t up = n <= least ? least : (n + step - 1) / step * step;
    return up <= most ? up : 0;
}

static uint64_t next_two_stage(uint64_t n, uint64_t pre_step, uint64_t pre_most, uint64_t least,
                               uint64_t most)
{
    uint64_t best = 0;
    for (uint64_t b = least; b <= most; b++) {
        const uint64_t pre = any_number((n + b - 1) / b, pre_step, pre_step, pre_most);
        if (pre != 0 && (best == 0 || pre * b < best)) {
            best = pre * b;
        }
    }
    return best;
}

static uint64_t next_power(uint64_t n, uint64_t least, uint64_t most)
{
    uint64_t power = least;
    while (power < n) {
        power *= 2;
    }
    return power <= most ? power : 0;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a == 0 || (b != 0 && b < a) ? b : a;
}

static uint64_t next_divider(const struct sdsim_clock_source *source, uint64_t n)
{
    const uint64_t pre = source->pre_limit != 0 ? source->pre_limit : 8192;
    switch (source->rule) {
    case SDSIM_CLOCK_ESP32_ARDUINO:
    case SDSIM_CLOCK_ESP_IDF_SPI:
    case SDSIM_CLOCK_ESP_IDF_SPI_BELOW:
        return n <= 1 ? 1 : next_two_stage(n, 1, pre, 2, 64);
    case SDSIM_CLOCK_ESP_SDMMC:
        return smaller(any_number(n, 4, 1, 16), next_two_stage(n, 2, 510, 2, 16));
    case SDSIM_CLOCK_ESP_SDMMC_V5:
        return smaller(any_number(n, 4, 1, 16), next_two_stage(n, 2, 510, 2, 2));
    case SDSIM_CLOCK_PL022:
        return next_two_stage(n, 2, 254, 1, 256);
    case SDSIM_CLOCK_PIO_SDIO:
        return any_number(n, 4 * 256, 4, UINT64_C(4) * 256 * 65536);
    case SDSIM_CLOCK_SERCOM_ARDUINO:
    case SDSIM_CLOCK_SERCOM_CPY:
        return any_number(n, 2, 2, 512);
    case SDSIM_CLOCK_POWER_OF_TWO:
        return next_power(n, 2, source->largest != 0 ? source->largest : 256);
    case SDSIM_CLOCK_STM32_SDIO:
        return any_number(n, source->bypass ? 1 : 2, 1, 257);
    case SDSIM_CLOCK_STM32_SDMMC:
        return source->bypass && n <= 1 ? 1 : any_number(n, 2, 2, 2046);
    case SDSIM_CLOCK_NRF52:
        return next_power(n, 2, 512);
    case SDSIM_CLOCK_LPSPI:
        return any_number(n, 2, 1, UINT64_MAX);
    case SDSIM_CLOCK_USDHC: {
        uint64_t best = 0;
        for (uint64_t power = 1; power <= 256; power *= 2) {
            best = smaller(best, next_two_stage(n, power, power, 1, 16));
        }
        return best;
    }
    case SDSIM_CLOCK_FTDI:
        return any_number(n, 2, 2, 131072);
    case SDSIM_CLOCK_EXACT:
    case SDSIM_CLOCK_RULE_COUNT:
        break;
    }
    return 0;
}

static const struct sdsim_clock_source sources[] = {
    {.rule = SDSIM_CLOCK_ESP32_ARDUINO, .source_hz = 80 * MHZ},
    {.rule = SDSIM_CLOCK_ESP32_ARDUINO, .source_hz = 80 * MHZ, .pre_limit = 16},
    {.rule = SDSIM_CLOCK_ESP_IDF_SPI, .source_hz = 80 * MHZ},
    {.rule = SDSIM_CLOCK_ESP_IDF_SPI, .source_hz = 48 * MHZ, .pre_limit = 16},
    {.rule = SDSIM_CLOCK_ESP_IDF_SPI_BELOW, .source_hz = 80 * MHZ},
    {.rule = SDSIM_CLOCK_ESP_IDF_SPI_BELOW, .source_hz = 48 * MHZ, .pre_limit = 16},
    {.rule = SDSIM_CLOCK_ESP_SDMMC, .source_hz = 160 * MHZ},
    {.rule = SDSIM_CLOCK_ESP_SDMMC_V5, .source_hz = 160 * MHZ},
    {.rule = SDSIM_CLOCK_PL022, .source_hz = 125 * MHZ},
    {.rule = SDSIM_CLOCK_PL022, .source_hz = 133 * MHZ},
    {.rule = SDSIM_CLOCK_PIO_SDIO, .source_hz = 150 * MHZ},
    {.rule = SDSIM_CLOCK_SERCOM_ARDUINO, .source_hz = 48 * MHZ, .maximum_hz = 24 * MHZ},
    {.rule = SDSIM_CLOCK_SERCOM_CPY, .source_hz = 48 * MHZ},
    {.rule = SDSIM_CLOCK_POWER_OF_TWO, .source_hz = 90 * MHZ},
    {.rule = SDSIM_CLOCK_POWER_OF_TWO, .source_hz = 16 * MHZ, .largest = 128},
    {.rule = SDSIM_CLOCK_STM32_SDIO, .source_hz = 48 * MHZ},
    {.rule = SDSIM_CLOCK_STM32_SDIO, .source_hz = 48 * MHZ, .bypass = true},
    {.rule = SDSIM_CLOCK_STM32_SDMMC, .source_hz = 200 * MHZ},
    {.rule = SDSIM_CLOCK_STM32_SDMMC, .source_hz = 48 * MHZ, .bypass = true},
    {.rule = SDSIM_CLOCK_NRF52, .source_hz = 64 * MHZ},
    {.rule = SDSIM_CLOCK_LPSPI, .source_hz = 240 * MHZ},
    {.rule = SDSIM_CLOCK_USDHC, .source_hz = 198 * MHZ},
    {.rule = SDSIM_CLOCK_FTDI, .source_hz = 60 * MHZ},
};

/* A request between 1 kHz and 100 MHz, as likely in each octave, or near a whole divider. */
static uint64_t some_request(struct sdsim_rng *rng, uint64_t source_hz)
{
    if (sdsim_rng_below(rng, 4) == 0) {
        return source_hz / (1 + sdsim_rng_below(rng, 600)) + sdsim_rng_below(rng, 3);
    }
    return (UINT64_C(1000) << sdsim_rng_below(rng, 17)) + sdsim_rng_below(rng, 1000000);
}

/* The rules whose choice is known from the set of dividers alone: never above means the fastest
 * that is not above, in whole hertz. PL022 and USDHC search in two steps and may miss it, but keep
 * to it for what is within reach of their first step; so they are only held to "not above". */
static bool takes_the_fastest(enum sdsim_clock_rule rule)
{
    return rule != SDSIM_CLOCK_PL022 && rule != SDSIM_CLOCK_USDHC &&
           rule != SDSIM_CLOCK_ESP_SDMMC && rule != SDSIM_CLOCK_ESP_SDMMC_V5;
}

static void never_above(void **state)
{
    (void)state;
    const uint64_t seed = 1001;
    struct sdsim_rng rng;
    sdsim_rng_seed(&rng, seed);
    for (size_t s = 0; s < COUNT(sources); s++) {
        const struct sdsim_clock_source *const source = &sources[s];
        if (sdsim_clock_may_exceed(source->rule)) {
            continue;
        }
        int chosen = 0;
        for (int round = 0; round < 2000; round++) {
            const uint64_t hz = some_request(&rng, source->source_hz);
            /* The smallest divider whose frequency, in whole hertz, is not above the request. */
            const uint64_t best = next_divider(source, source->source_hz / (hz + 1) + 1);
            struct sdsim_clock_choice choice;
            const bool possible = sdsim_clock_choose(source, hz, &choice);
            if (best == 0) {
                /* Slower than the slowest: refused, or the slowest, which says so. */
                if (possible && !choice.above_request) {
                    fail_msg("source %zu, seed %llu, round %d: %llu Hz can't be made", s,
                             (unsigned long long)seed, round, (unsigned long long)hz);
                }
                continue;
            }
            /* Rules that count in fractions of a hertz stay just below the exact request. */
            const uint64_t exact = next_divider(source, (source->source_hz + hz - 1) / hz);
            if (!possible) {
                if (exact != 0 && takes_the_fastest(source->rule)) {
                    fail_msg("source %zu, seed %llu, round %d: %llu Hz refused", s,
                             (unsigned long long)seed, round, (unsigned long long)hz);
                }
                continue;
            }
            chosen++;
            const bool fine = choice.hz_num / choice.hz_den <= hz && !choice.above_request &&
                              next_divider(source, choice.divider) == choice.divider &&
                              (!takes_the_fastest(source->rule) || choice.divider == exact ||
                               source->source_hz / choice.divider == source->source_hz / best);
            if (!fine) {
                fail_msg("source %zu, seed %llu, round %d: %llu Hz divided by %lu, best %llu", s,
                         (unsigned long long)seed, round, (unsigned long long)hz,
                         (unsigned long)choice.divider, (unsigned long long)best);
            }
        }
        assert_true(chosen > 500);
    }
}

/* Distance to the request in whole hertz, as the ESP-IDF counts it. */
static uint64_t off_by(uint64_t source_hz, uint64_t divider, uint64_t hz)
{
    const uint64_t real = source_hz / divider;
    return real > hz ? real - hz : hz - real;
}

/*
 * Whether divider `n` would have been better than the chosen one. The PIO rounds dividers, not
 * frequencies. The ESP-IDF takes the nearest frequency, but rounds the pre-divider for each n
 * before; it can't miss the best where n alone suffices, and not by much elsewhere.
 */
static bool better_divider(const struct sdsim_clock_source *source, uint64_t hz, uint64_t chosen,
                           uint64_t n)
{
    if (source->rule == SDSIM_CLOCK_PIO_SDIO) {
        const uint64_t ideal = source->source_hz * 256; /* times hz */
        return off_by(ideal, 1, n * hz) < off_by(ideal, 1, chosen * hz);
    }
    if (n == 1) {
        return false; /* the source undivided is for requests above 3/4 of it */
    }
    const uint64_t off = off_by(source->source_hz, chosen, hz);
    const uint64_t best = off_by(source->source_hz, n, hz);
    return source->source_hz / hz < 64 ? off > best : off > 2 * best + 1;
}

static void nearest_is_nearest(void **state)
{
    (void)state;
    const uint64_t seed = 1002;
    struct sdsim_rng rng;
    sdsim_rng_seed(&rng, seed);
    for (size_t s = 0; s < COUNT(sources); s++) {
        const struct sdsim_clock_source *const source = &sources[s];
        const bool pio = source->rule == SDSIM_CLOCK_PIO_SDIO;
        if (source->rule != SDSIM_CLOCK_ESP_IDF_SPI && !pio) {
            continue;
        }
        const uint64_t base = source->source_hz * (pio ? 256 : 1);
        int above = 0;
        for (int round = 0; round < 2000; round++) {
            const uint64_t hz = some_request(&rng, source->source_hz);
            if (!pio && hz > source->source_hz / 4 * 3) {
                continue;
            }
            struct sdsim_clock_choice choice;
            assert_true(sdsim_clock_choose(source, hz, &choice));
            const uint64_t chosen = choice.hz_den;
            assert_true(choice.hz_num == base);
            assert_true(next_divider(source, chosen) == chosen);
            above += choice.above_request;
            /* All dividers around: from well below to well above the ideal one. */
            const uint64_t ideal = base / hz;
            uint64_t n = next_divider(source, ideal - ideal / 8);
            for (int steps = 0; n != 0 && steps < 400; steps++) {
                if (better_divider(source, hz, chosen, n)) {
                    fail_msg("source %zu, seed %llu, round %d: %llu Hz divided by %llu, "
                             "but %llu is nearer",
                             s, (unsigned long long)seed, round, (unsigned long long)hz,
                             (unsigned long long)chosen, (unsigned long long)n);
                }
                n = next_divider(source, n + 1);
            }
        }
        assert_true(above > 200); /* and it does exceed */
    }
}

/* Asking for more never gives less, on which the explanation counts. */
static void more_never_gives_less(void **state)
{
    (void)state;
    const uint64_t seed = 1003;
    struct sdsim_rng rng;
    sdsim_rng_seed(&rng, seed);
    for (size_t s = 0; s < COUNT(sources); s++) {
        for (int round = 0; round < 3000; round++) {
            const uint64_t low = some_request(&rng, sources[s].source_hz);
            const uint64_t high = low + (round % 2 ? 1 : sdsim_rng_below(&rng, low));
            struct sdsim_clock_choice slow;
            struct sdsim_clock_choice fast;
            if (!sdsim_clock_choose(&sources[s], low, &slow)) {
                continue;
            }
            if (!sdsim_clock_choose(&sources[s], high, &fast) || fast.hz_den > slow.hz_den) {
                fail_msg("source %zu, seed %llu, round %d: %llu Hz gives less than %llu Hz", s,
                         (unsigned long long)seed, round, (unsigned long long)high,
                         (unsigned long long)low);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(never_above),
        cmocka_unit_test(nearest_is_nearest),
        cmocka_unit_test(more_never_gives_less),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
