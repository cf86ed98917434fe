/* Time saturates at its end and never wraps. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "core/time.h"

static const sdsim_ps end = SDSIM_TIME_END;

static void units(void **state)
{
    (void)state;
    assert_true(SDSIM_US == 1000 * SDSIM_NS);
    assert_true(SDSIM_MS == 1000 * SDSIM_US);
    assert_true(SDSIM_S == 1000 * SDSIM_MS);
    assert_true(SDSIM_S == UINT64_C(1000000000000));
    assert_true(end / SDSIM_S / 86400 == 213); /* days */
}

static void sums(void **state)
{
    (void)state;
    const struct {
        sdsim_ps a, b, sum;
    } rows[] = {
        {0, 0, 0},
        {1, 2, 3},
        {end, 0, end},
        {0, end, end},
        {end - 1, 1, end},
        {end - 1, 2, end},
        {end, end, end},
        {end / 2, end / 2, end - 1},
        {1, end - 2, end - 1},
        {2, end - 1, end},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        if (sdsim_time_sum(rows[i].a, rows[i].b) != rows[i].sum) {
            fail_msg("row %zu", i);
        }
    }
}

static void products(void **state)
{
    (void)state;
    const struct {
        sdsim_ps d;
        uint64_t n;
        sdsim_ps product;
    } rows[] = {
        {0, 0, 0},
        {0, UINT64_MAX, 0},
        {7, 6, 42},
        {1, UINT64_MAX, end},
        {UINT64_C(1) << 32, UINT64_C(1) << 31, UINT64_C(1) << 63},
        {UINT64_C(1) << 32, UINT64_C(1) << 32, end},
        {end, 2, end},
        {end / 3, 3, end},
        {end / 3 + 1, 3, end},
        {end / 2, 2, end - 1},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        if (sdsim_time_times(rows[i].d, rows[i].n) != rows[i].product) {
            fail_msg("row %zu", i);
        }
    }
}

static void since(void **state)
{
    (void)state;
    const struct {
        sdsim_ps late, early, since;
    } rows[] = {
        {0, 0, 0},   {5, 3, 2},     {3, 5, 0},         {end, 0, end},
        {0, end, 0}, {end, end, 0}, {end, 1, end - 1},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        if (sdsim_time_since(rows[i].late, rows[i].early) != rows[i].since) {
            fail_msg("row %zu", i);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units),
        cmocka_unit_test(sums),
        cmocka_unit_test(products),
        cmocka_unit_test(since),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
