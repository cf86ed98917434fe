/* Drawing from ranges: the quantile line, whose luck is whose, and that draw 0 is exact. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "config/value.h"
#include "core/rng.h"
#include "unit/config_fixture.h"
#include "unit/schema_example.h"

/* Binds a text with the steps that every example needs. */
static struct example bind(const char *text, const char *profile, uint64_t seed, uint32_t k)
{
    struct sdsim_test_config f;
    struct example out;
    size_t size;
    char *whole = sdsim_test_repeat(text, "\nsteps: {call: 1B}\n", 1, &size);
    sdsim_test_config_set_up(&f, NULL);
    const struct sdsim_node *root =
        sdsim_config_parse_text(f.config, "t.yaml", whole, size, &f.diags);
    free(whole);
    const struct sdsim_draw draw = {.seed = seed, .k = k};
    assert_non_null(root);
    if (!sdsim_bind(f.config, &example_schema, root, profile, &draw, &out, &f.diags)) {
        fail_msg("%s: %s", text, f.diags.items[0].text);
    }
    /* Lists die with the config; what is looked at in one is moved to where it survives. */
    if (out.costs.count == 2) {
        out.lines = ((const uint64_t *)out.costs.items)[0];
        out.au = ((const uint64_t *)out.costs.items)[1];
    }
    sdsim_test_config_tear_down(&f);
    return out;
}

static struct sdsim_scalar whole_value(uint64_t value)
{
    return (struct sdsim_scalar){.whole = value};
}

static void test_quantile_line(void **state)
{
    (void)state;
    static const struct {
        uint64_t min, max, low, value, high;
        double luck;
        uint64_t drawn;
    } rows[] = {
        {0, 0, 1550, 2000, 3350, 0.05, 1550},
        {0, 0, 1550, 2000, 3350, 0.5, 2000},
        {0, 0, 1550, 2000, 3350, 0.95, 3350},
        {0, 0, 1550, 2000, 3350, 0.275, 1775},
        {0, 0, 1550, 2000, 3350, 0.725, 2675},
        {0, 0, 1550, 2000, 3350, 0.0, 1500}, /* both ends go on with the slope of their piece */
        {0, 0, 1550, 2000, 3350, 1.0, 3500},
        {0, 0, 0, 450, 900, 0.0, 0}, /* never below zero */
        {0, 0, 0, 450, 900, 0.02, 0},
        {1600, 3300, 1600, 2000, 3300, 0.0, 1600}, /* nor outside the limits */
        {1600, 3300, 1600, 2000, 3300, 1.0, 3300},
        {1600, 0, 1600, 2000, 3300, 1.0, 3444},
        {0, 0, 2000, 2000, 3350, 0.0, 2000}, /* a half without width */
        {0, 0, 2000, 2000, 3350, 0.49, 2000},
        {0, 0, 2000, 2000, 3350, 0.725, 2675},
        {0, 0, 10, 10, 10, 0.9, 10},
        {0, 0, 10, 11, 12, 0.72, 11}, /* rounds to the nearest: 11.49 */
        {0, 0, 10, 11, 12, 0.73, 12}, /* 11.51 */
        {0, 0, UINT64_MAX, UINT64_MAX, UINT64_MAX, 0.9, UINT64_MAX},
        {0, 0, 1, UINT64_MAX / 2, UINT64_MAX, 1.0, UINT64_MAX}, /* not beyond 64 bits */
        {0, 0, 1, UINT64_MAX / 2, UINT64_MAX, 0.0, 0},
        {0, UINT64_MAX, 1, UINT64_MAX / 2, UINT64_MAX, 1.0, UINT64_MAX},
        /* beyond 2^53 a half without width still is exact */
        {0, 0, (UINT64_C(1) << 60) + 1, (UINT64_C(1) << 60) + 1, UINT64_MAX, 0.3,
         (UINT64_C(1) << 60) + 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct sdsim_key key = {
            .type = SDSIM_VALUE_COUNT, .min = rows[i].min, .max = rows[i].max};
        const struct sdsim_scalar low = whole_value(rows[i].low);
        const struct sdsim_scalar value = whole_value(rows[i].value);
        const struct sdsim_scalar high = whole_value(rows[i].high);
        const uint64_t drawn = sdsim_value_draw(&key, &value, &low, &high, rows[i].luck).whole;
        if (drawn != rows[i].drawn) {
            fail_msg("row %zu: drew %llu", i, (unsigned long long)drawn);
        }
    }
}

static void test_quantile_line_of_reals(void **state)
{
    (void)state;
    static const struct {
        uint64_t min, max;
        double low, value, high, luck, drawn;
    } rows[] = {
        {0, 0, -0.9, 0.0, 1.8, 0.5, 0.0}, {0, 0, -0.9, 0.0, 1.8, 0.0, -1.0},
        {0, 0, -0.9, 0.0, 1.8, 1.0, 2.0}, {0, 10, 0.1, 1.0, 9.9, 1.0, 10.0},
        {0, 10, 0.0, 0.9, 9.9, 0.0, 0.0}, {2, 0, 2.0, 2.9, 3.8, 0.0, 2.0},
        {2, 0, 2.0, 2.9, 3.8, 1.0, 3.9},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct sdsim_key key = {
            .type = SDSIM_VALUE_NUMBER, .min = rows[i].min, .max = rows[i].max};
        const struct sdsim_scalar low = {.real = rows[i].low};
        const struct sdsim_scalar value = {.real = rows[i].value};
        const struct sdsim_scalar high = {.real = rows[i].high};
        const double error =
            sdsim_value_draw(&key, &value, &low, &high, rows[i].luck).real - rows[i].drawn;
        if (error > 1e-12 || error < -1e-12) {
            fail_msg("row %zu: off by %g", i, error);
        }
    }
}

/* More luck never draws less. */
static void test_is_monotone(void **state)
{
    (void)state;
    const uint64_t seed = 4;
    struct sdsim_rng rng;
    sdsim_rng_seed(&rng, seed);
    for (int i = 0; i < 2000; i++) {
        uint64_t ends[3];
        for (int end = 0; end < 3; end++) {
            ends[end] = sdsim_rng_next(&rng) >> sdsim_rng_below(&rng, 64);
        }
        for (int swap = 0; swap < 3; swap++) { /* sorts three numbers */
            const int at = swap % 2;
            if (ends[at] > ends[at + 1]) {
                const uint64_t larger = ends[at];
                ends[at] = ends[at + 1];
                ends[at + 1] = larger;
            }
        }
        const struct sdsim_key key = {.type = SDSIM_VALUE_COUNT, .min = ends[0] / 2};
        const struct sdsim_scalar low = whole_value(ends[0]);
        const struct sdsim_scalar value = whole_value(ends[1]);
        const struct sdsim_scalar high = whole_value(ends[2]);
        uint64_t before = 0;
        for (int step = 0; step <= 64; step++) {
            const uint64_t drawn = sdsim_value_draw(&key, &value, &low, &high, step / 64.0).whole;
            if (drawn < before || drawn < key.min) {
                fail_msg("seed %llu, %d: %llu, then %llu", (unsigned long long)seed, i,
                         (unsigned long long)before, (unsigned long long)drawn);
            }
            before = drawn;
        }
    }
}

static void test_quantiles_of_many_draws(void **state)
{
    (void)state;
    static const struct {
        uint64_t below;
        unsigned least, most; /* of 4000 */
    } rows[] = {
        {150000000, 160, 240},                            /* 5 % */
        {200000000, 1900, 2100}, {300000000, 3760, 3840}, /* 95 % */
        {144000000, 0, 0}, /* the line ends at 200 us - 0.5 x 111.1 us */
        {312000000, 4000, 4000},
    };
    unsigned counts[5] = {0};
    for (uint32_t k = 1; k <= 4000; k++) {
        const uint64_t rd1 = bind("rd1: {value: 200us, range: 150us..300us}", "p", 1, k).rd1;
        for (size_t i = 0; i < 5; i++) {
            counts[i] += rd1 < rows[i].below;
        }
    }
    for (size_t i = 0; i < 5; i++) {
        if (counts[i] < rows[i].least || counts[i] > rows[i].most) {
            fail_msg("%u of 4000 below %llu ps", counts[i], (unsigned long long)rows[i].below);
        }
    }
}

static void test_draw_0_is_the_value(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 50; seed++) {
        const struct example e = bind("rd1: {value: 200us, range: 150us..300us}\n"
                                      "wide: {value: 18446744073709551613, range: "
                                      "1..18446744073709551615}\n"
                                      "factor: {value: 0.3, range: 0.1..9}\n"
                                      "fill: {value: 12.3456789%, range: 1%..99%}\n",
                                      "p", seed, 0);
        assert_int_equal(e.rd1, 200000000);
        assert_int_equal(e.wide, UINT64_MAX - 2);
        assert_int_equal(e.fill, 123456789);
        assert_false(e.factor < 0.3 || e.factor > 0.3);
    }
}

static void test_values_without_range_are_never_drawn(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < 50; k++) {
        const struct example e = bind("rd1: {value: 200us, from: measured}\nrate: 1MB/s\n"
                                      "policy: {value: sd1}\nau: 4MiB",
                                      "p", 1, k);
        assert_int_equal(e.rd1, 200000000);
        assert_int_equal(e.rate, 1000000);
        assert_int_equal(e.policy, EXAMPLE_SD1);
        assert_int_equal(e.au, 4194304);
    }
}

#define RD1   "rd1: {value: 200us, range: 150us..300us}\n"
#define RATE  "rate: {value: 1MB/s, range: 0.5MB/s..2MB/s}\n"
#define SLOTS "slots: {value: 30, range: 10..60}\n"

/* A value keeps its luck whatever happens to the others. */
static void test_shares_luck(void **state)
{
    (void)state;
    static const char *const others[] = {
        RD1 RATE SLOTS,
        SLOTS RATE RD1, /* in another order */
        RD1 SLOTS,
        RD1 "rate: 7MB/s\n" SLOTS, /* another value is pinned */
        RD1 "rate: {value: 5MB/s, range: 1MB/s..9MB/s}\nlabel: x\n" SLOTS,
        "bus: {clock: 20MHz}\ncosts: [1us, {value: 5us, range: 2us..9us}]\n" RD1 SLOTS,
    };
    for (uint32_t k = 1; k <= 64; k++) {
        const struct example alone = bind(RD1, "p", 9, k);
        for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
            const struct example e = bind(others[i], "p", 9, k);
            if (e.rd1 != alone.rd1) {
                fail_msg("draw %u, row %zu: %llu became %llu", k, i, (unsigned long long)alone.rd1,
                         (unsigned long long)e.rd1);
            }
        }
    }
}

/* A what-if that moves value and range together moves the draw as much: the luck is the same. */
static void test_luck_survives_a_change_of_the_value(void **state)
{
    (void)state;
    for (uint32_t k = 1; k <= 64; k++) {
        const uint64_t slow = bind(RD1, "p", 9, k).rd1;
        const uint64_t fast = bind("rd1: {value: 100us, range: 75us..150us}", "p", 9, k).rd1;
        assert_in_range(slow, 2 * fast - 2, 2 * fast + 2);
    }
}

/* Different draws, seeds and profiles have lucks of their own. */
static void test_lucks_differ(void **state)
{
    (void)state;
    unsigned same = 0;
    for (uint32_t k = 1; k <= 64; k++) {
        const uint64_t rd1 = bind(RD1, "p", 9, k).rd1;
        same += rd1 == bind(RD1, "p", 9, k + 64).rd1;
        same += rd1 == bind(RD1, "p", 10, k).rd1;
        same += rd1 == bind(RD1, "q", 9, k).rd1;
    }
    assert_int_equal(same, 0);
}

enum { DRAWS = 4000, SERIES = 4 };

/* The correlation of two series. */
static double correlation(const double *a, const double *b)
{
    double mean_a = 0;
    double mean_b = 0;
    for (size_t i = 0; i < DRAWS; i++) {
        mean_a += a[i] / DRAWS;
        mean_b += b[i] / DRAWS;
    }
    double both = 0;
    double square_a = 0;
    double square_b = 0;
    for (size_t i = 0; i < DRAWS; i++) {
        both += (a[i] - mean_a) * (b[i] - mean_b);
        square_a += (a[i] - mean_a) * (a[i] - mean_a);
        square_b += (b[i] - mean_b) * (b[i] - mean_b);
    }
    return both / sqrt(square_a * square_b);
}

/* Chi-square over twenty classes: 19 on average, above 50 once in 7000 uniform series. */
static double unevenness(const double *luck)
{
    enum { CLASSES = 20 };
    unsigned counts[CLASSES] = {0};
    for (size_t i = 0; i < DRAWS; i++) {
        assert_true(luck[i] >= 0 && luck[i] <= 1);
        const unsigned class = (unsigned)(luck[i] * CLASSES);
        counts[class < CLASSES ? class : CLASSES - 1]++;
    }
    double sum = 0;
    for (size_t i = 0; i < CLASSES; i++) {
        const double off = counts[i] - (double)DRAWS / CLASSES;
        sum += off * off / ((double)DRAWS / CLASSES);
    }
    return sum;
}

/* Each value alone is uniform; those of one profile share their luck in three of four draws, which
 * correlates them by as much; those of another profile, even of the same names, go their own way. */
static void test_values_of_a_profile_share_their_luck(void **state)
{
    (void)state;
    const uint64_t seed = 21;
/* The median in the middle of 5 and 95 % makes the draw 1 ms times its luck. */
#define EVEN "{value: 500us, range: 50us..950us}"
    static const char text[] = "rd1: " EVEN "\ncosts: [" EVEN ", " EVEN "]\n";
    static double luck[SERIES][DRAWS]; /* rd1, costs[0] and costs[1] of p, rd1 of q */
    unsigned same = 0;
    print_message("seed %llu\n", (unsigned long long)seed);
    for (uint32_t k = 1; k <= DRAWS; k++) {
        const struct example e = bind(text, "p", seed, k);
        luck[0][k - 1] = (double)e.rd1 / 1e9;
        luck[1][k - 1] = (double)e.lines / 1e9; /* costs[0] */
        luck[2][k - 1] = (double)e.au / 1e9;    /* costs[1] */
        luck[3][k - 1] = (double)bind(text, "q", seed, k).rd1 / 1e9;
        same += e.rd1 == e.lines;
    }
    assert_in_range(same, DRAWS * 68 / 100, DRAWS * 76 / 100);
    for (size_t i = 0; i < SERIES; i++) {
        const double off = unevenness(luck[i]);
        if (off > 50) {
            fail_msg("value %zu is not uniform: %.1f", i, off);
        }
        for (size_t j = 0; j < i; j++) {
            const double found = correlation(luck[i], luck[j]);
            const double expected = i == 3 ? 0 : 0.7225;
            if (found < expected - 0.07 || found > expected + 0.07) {
                fail_msg("values %zu and %zu correlate by %.3f", j, i, found);
            }
        }
    }
}

/* The luck is the hash the header names, so that other programs can reproduce a draw. */
static void test_luck_is_the_documented_hash(void **state)
{
    (void)state;
    unsigned shared = 0;
    for (uint32_t k = 1; k <= 64; k++) {
        uint64_t hash = sdsim_hash_number(sdsim_hash_number(0, 9), k);
        hash = sdsim_hash_text(hash, "p");
        const uint64_t own = sdsim_hash_text(hash, "rd1");
        const bool common = sdsim_hash_unit(sdsim_hash_number(own, 1)) < 0.85;
        const double luck = sdsim_hash_unit(common ? sdsim_hash_number(hash, 2) : own);
        const struct sdsim_scalar low = whole_value(150000000);
        const struct sdsim_scalar value = whole_value(200000000);
        const struct sdsim_scalar high = whole_value(300000000);
        const uint64_t expected =
            sdsim_value_draw(&example_keys[2], &value, &low, &high, luck).whole;
        assert_string_equal(example_keys[2].name, "rd1");
        assert_int_equal(bind(RD1, "p", 9, k).rd1, expected);
        shared += common;
    }
    assert_in_range(shared, 32, 63); /* both were seen */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quantile_line),
        cmocka_unit_test(test_quantile_line_of_reals),
        cmocka_unit_test(test_is_monotone),
        cmocka_unit_test(test_quantiles_of_many_draws),
        cmocka_unit_test(test_draw_0_is_the_value),
        cmocka_unit_test(test_values_without_range_are_never_drawn),
        cmocka_unit_test(test_shares_luck),
        cmocka_unit_test(test_luck_survives_a_change_of_the_value),
        cmocka_unit_test(test_lucks_differ),
        cmocka_unit_test(test_values_of_a_profile_share_their_luck),
        cmocka_unit_test(test_luck_is_the_documented_hash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
