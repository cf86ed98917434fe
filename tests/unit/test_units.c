/* Quantities with units: reading exactly, and printing. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "core/rng.h"
#include "core/units.h"

#define TIME    SDSIM_UNIT_TIME
#define FREQ    SDSIM_UNIT_FREQUENCY
#define SIZE    SDSIM_UNIT_SIZE
#define RATE    SDSIM_UNIT_RATE
#define PER     SDSIM_UNIT_PER_SECOND
#define PERCENT SDSIM_UNIT_PERCENT

static void test_reads_exactly(void **state)
{
    (void)state;
    static const struct {
        enum sdsim_unit unit;
        const char *text;
        uint64_t value;
    } rows[] = {
        {TIME, "0", 0},
        {TIME, "0.000", 0},
        {TIME, "0s", 0},
        {TIME, "1ps", 1},
        {TIME, "1ns", 1000},
        {TIME, "1us", 1000000},
        {TIME, "250ms", UINT64_C(250000000000)},
        {TIME, "250 ms", UINT64_C(250000000000)},
        {TIME, "1s", UINT64_C(1000000000000)},
        {TIME, "2min", UINT64_C(120000000000000)},
        {TIME, "1h", UINT64_C(3600000000000000)},
        {TIME, "0.001ns", 1},
        {TIME, "1.5us", 1500000},
        {TIME, "0.1s", UINT64_C(100000000000)},
        {TIME, "0.3s", UINT64_C(300000000000)},
        {TIME, "1.100000000000000000000000s", UINT64_C(1100000000000)},
        {TIME, "0000000000000000000000000000001s", UINT64_C(1000000000000)},
        {TIME, "1.123456789012s", UINT64_C(1123456789012)},
        {TIME, "0.000000000001s", 1},
        {TIME, "9999999999999999999ps", UINT64_C(9999999999999999999)}, /* all 19 digits */
        {TIME, "18446744073709551615ps", UINT64_MAX},
        {TIME, "18446744s", UINT64_C(18446744000000000000)},
        {TIME, "0.00625min", UINT64_C(375000000000)},
        {FREQ, "400kHz", 400000},
        {FREQ, "400KHz", 400000},
        {FREQ, "20MHz", 20000000},
        {FREQ, "26.667MHz", 26667000},
        {FREQ, "1.5GHz", 1500000000},
        {FREQ, "0Hz", 0},
        {SIZE, "0", 0},
        {SIZE, "512B", 512},
        {SIZE, "1kB", 1000},
        {SIZE, "1KB", 1000},
        {SIZE, "1KiB", 1024},
        {SIZE, "1.5MiB", 1572864},
        {SIZE, "0.0009765625KiB", 1},
        {SIZE, "32GB", UINT64_C(32000000000)},
        {SIZE, "32GiB", UINT64_C(34359738368)},
        {SIZE, "1TB", UINT64_C(1000000000000)},
        {SIZE, "1TiB", UINT64_C(1099511627776)},
        {SIZE, "8 sectors", 4096},
        {SIZE, "1 sector", 512},
        {RATE, "1.37MB/s", 1370000},
        {RATE, "10kB/s", 10000},
        {RATE, "10KB/s", 10000},
        {RATE, "1MiB/s", 1048576},
        {RATE, "1KiB/s", 1024},
        {RATE, "7B/s", 7},
        {PER, "2581 lines/s", 2581},
        {PER, "2581lines/s", 2581},
        {PER, "3ops/s", 3},
        {PER, "100/s", 100},
        {PERCENT, "100%", 1000000000},
        {PERCENT, "12.5%", 125000000},
        {PERCENT, "0.0000001%", 1},
        {PERCENT, "0 %", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t value = 77;
        double real = -1.0;
        if (sdsim_unit_parse(rows[i].unit, rows[i].text, &value) != SDSIM_UNIT_OK ||
            value != rows[i].value) {
            fail_msg("%s: got %llu", rows[i].text, (unsigned long long)value);
        }
        if (sdsim_unit_parse_real(rows[i].unit, rows[i].text, &real) != SDSIM_UNIT_OK ||
            real < (double)value || real > (double)value) {
            fail_msg("%s as a real: got %g", rows[i].text, real);
        }
    }
}

static void test_refuses(void **state)
{
    (void)state;
    static const struct {
        enum sdsim_unit unit;
        const char *text;
        enum sdsim_unit_error error;
    } rows[] = {
        {TIME, "", SDSIM_UNIT_NOT_A_NUMBER},
        {TIME, "ms", SDSIM_UNIT_NOT_A_NUMBER},
        {TIME, "-1ms", SDSIM_UNIT_NOT_A_NUMBER},
        {TIME, "+1ms", SDSIM_UNIT_NOT_A_NUMBER},
        {TIME, ".5ms", SDSIM_UNIT_NOT_A_NUMBER},
        {TIME, " 5ms", SDSIM_UNIT_NOT_A_NUMBER},
        {TIME, "nan", SDSIM_UNIT_NOT_A_NUMBER},
        {TIME, "inf", SDSIM_UNIT_NOT_A_NUMBER},
        {TIME, "250", SDSIM_UNIT_MISSING},
        {TIME, "0.5", SDSIM_UNIT_MISSING},
        {FREQ, "0", SDSIM_UNIT_MISSING},
        {RATE, "0", SDSIM_UNIT_MISSING},
        {PER, "0", SDSIM_UNIT_MISSING},
        {PERCENT, "0", SDSIM_UNIT_MISSING},
        {TIME, "250mz", SDSIM_UNIT_UNKNOWN},
        {TIME, "250MS", SDSIM_UNIT_UNKNOWN},
        {TIME, "250ms ", SDSIM_UNIT_UNKNOWN},
        {TIME, "250  ms", SDSIM_UNIT_UNKNOWN},
        {TIME, "250 ", SDSIM_UNIT_UNKNOWN},
        {TIME, "1,5ms", SDSIM_UNIT_UNKNOWN},
        {TIME, "1.ms", SDSIM_UNIT_UNKNOWN},
        {TIME, "1e3ms", SDSIM_UNIT_UNKNOWN},
        {TIME, "0x10ms", SDSIM_UNIT_UNKNOWN},
        {TIME, "1.5.5ms", SDSIM_UNIT_UNKNOWN},
        {TIME, "20MHz", SDSIM_UNIT_UNKNOWN},
        {FREQ, "20mHz", SDSIM_UNIT_UNKNOWN},
        {SIZE, "1Kib", SDSIM_UNIT_UNKNOWN},
        {RATE, "1MB", SDSIM_UNIT_UNKNOWN},
        {TIME, "0.3ps", SDSIM_UNIT_INEXACT},
        {TIME, "0.0001ns", SDSIM_UNIT_INEXACT},
        {TIME, "1.0000000000001s", SDSIM_UNIT_INEXACT},
        {TIME, "0.00000000000000000000001h", SDSIM_UNIT_INEXACT},
        {TIME, "1.12345678901234567890123s", SDSIM_UNIT_INEXACT},
        {FREQ, "0.5Hz", SDSIM_UNIT_INEXACT},
        {SIZE, "0.5B", SDSIM_UNIT_INEXACT},
        {SIZE, "0.3KiB", SDSIM_UNIT_INEXACT},
        {PER, "0.5/s", SDSIM_UNIT_INEXACT},
        {TIME, "18446745s", SDSIM_UNIT_TOO_LARGE},
        {TIME, "5125h", SDSIM_UNIT_TOO_LARGE},
        {TIME, "18446744073709551616ps", SDSIM_UNIT_TOO_LARGE},
        {TIME, "99999999999999999999ps", SDSIM_UNIT_TOO_LARGE},
        {SIZE, "16777216TiB", SDSIM_UNIT_TOO_LARGE},
        {SIZE, "100000000000000000000000000000000000000000B", SDSIM_UNIT_TOO_LARGE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t value = 77;
        const enum sdsim_unit_error error = sdsim_unit_parse(rows[i].unit, rows[i].text, &value);
        if (error != rows[i].error || value != 77) {
            fail_msg("'%s': got error %d and value %llu", rows[i].text, (int)error,
                     (unsigned long long)value);
        }
    }
}

static void test_reads_reals(void **state)
{
    (void)state;
    static const struct {
        enum sdsim_unit unit;
        const char *text;
        double value;
    } rows[] = {
        {PER, "2580.6 lines/s", 2580.6}, {PER, "0.5/s", 0.5},         {TIME, "0.3ps", 0.3},
        {SIZE, "0.3KiB", 0.3 * 1024.0},  {RATE, "1.37MB/s", 1370000}, {FREQ, "0.1Hz", 0.1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double value = -1.0;
        if (sdsim_unit_parse_real(rows[i].unit, rows[i].text, &value) != SDSIM_UNIT_OK ||
            value < rows[i].value || value > rows[i].value) {
            fail_msg("%s: got %.17g", rows[i].text, value);
        }
    }
    double untouched = 5.0;
    assert_int_equal(sdsim_unit_parse_real(TIME, "5", &untouched), SDSIM_UNIT_MISSING);
    assert_int_equal(sdsim_unit_parse_real(TIME, "5125h", &untouched), SDSIM_UNIT_TOO_LARGE);
    assert_true(untouched >= 5.0 && untouched <= 5.0);
}

static void test_reads_plain_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum sdsim_unit_error error;
        double value;
    } rows[] = {
        {"0", SDSIM_UNIT_OK, 0.0},           {"1.5", SDSIM_UNIT_OK, 1.5},
        {"-1.5", SDSIM_UNIT_OK, -1.5},       {"0.1", SDSIM_UNIT_OK, 0.1},
        {"0.3", SDSIM_UNIT_OK, 0.3},         {"123456789.012345", SDSIM_UNIT_OK, 123456789.012345},
        {"", SDSIM_UNIT_NOT_A_NUMBER, 0},    {"-", SDSIM_UNIT_NOT_A_NUMBER, 0},
        {"--1", SDSIM_UNIT_NOT_A_NUMBER, 0}, {"nan", SDSIM_UNIT_NOT_A_NUMBER, 0},
        {"1 ", SDSIM_UNIT_UNKNOWN, 0},       {"1e5", SDSIM_UNIT_UNKNOWN, 0},
        {"5ms", SDSIM_UNIT_UNKNOWN, 0},      {"99999999999999999999", SDSIM_UNIT_TOO_LARGE, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double value = 0.0;
        const enum sdsim_unit_error error = sdsim_number_parse(rows[i].text, &value);
        if (error != rows[i].error || value < rows[i].value || value > rows[i].value) {
            fail_msg("'%s': got error %d and value %.17g", rows[i].text, (int)error, value);
        }
    }
}

static void test_splits_number_and_unit(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t length;
    } rows[] = {{"250ms", 3}, {"250 ms", 4}, {"1.5", 3}, {"1.ms", 1},
                {"ms", 0},    {"", 0},       {"5 ", 1}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (sdsim_unit_number_length(rows[i].text) != rows[i].length) {
            fail_msg("'%s': %zu", rows[i].text, sdsim_unit_number_length(rows[i].text));
        }
    }
}

static void test_prints(void **state)
{
    (void)state;
    static const struct {
        enum sdsim_unit unit;
        double value;
        const char *text;
    } rows[] = {
        {TIME, 0, "0s"},
        {TIME, 1, "1ps"},
        {TIME, 0.3, "0.3ps"},
        {TIME, 1000, "1ns"},
        {TIME, 53333.3, "53.33ns"},
        {TIME, 250e9, "250ms"},
        {TIME, 999.96e6, "1ms"},
        {TIME, 999.94e6, "999.9us"},
        {TIME, 90e12, "90s"},
        {TIME, 3600e12, "3600s"},
        {TIME, 18446744.0737e12, "18446744s"},
        {TIME, -1.5e6, "-1.5us"},
        {FREQ, 0, "0Hz"},
        {FREQ, 400e3, "400kHz"},
        {FREQ, 20e6, "20MHz"},
        {FREQ, 80e6 / 3, "26.667MHz"},
        {FREQ, 1e9, "1GHz"},
        {SIZE, 0, "0B"},
        {SIZE, 512, "512B"},
        {SIZE, 1000, "1kB"},
        {SIZE, 1024, "1KiB"},
        {SIZE, 1536, "1.5KiB"},
        {SIZE, 32768, "32KiB"},
        {SIZE, 1048576, "1MiB"},
        {SIZE, 4000000, "4MB"},
        {SIZE, 31914983424.0, "31.91GB"},
        {SIZE, 34359738368.0, "32GiB"},
        {SIZE, 1234567, "1.235MB"},
        {SIZE, 999999, "1MB"},
        {SIZE, 1099511627776.0, "1TiB"},
        {RATE, 0, "0B/s"},
        {RATE, 1370000, "1.37MB/s"},
        {RATE, 1048576, "1.049MB/s"},
        {RATE, 10240, "10.24kB/s"},
        {RATE, 12, "12B/s"},
        {PER, 0, "0/s"},
        {PER, 2581, "2581/s"},
        {PER, 2580.66, "2581/s"},
        {PER, 123456, "123456/s"},
        {PERCENT, 0, "0%"},
        {PERCENT, 125e6, "12.5%"},
        {PERCENT, 1, "0.0000001%"},
        {PERCENT, 1234.6, "0.0001235%"},
        {PER, 0.00005, "0.00005/s"},
        {PERCENT, 1e9, "100%"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[40];
        if (strcmp(sdsim_unit_print(rows[i].unit, rows[i].value, text, sizeof text),
                   rows[i].text) != 0) {
            fail_msg("%g: expected %s, got %s", rows[i].value, rows[i].text, text);
        }
    }
}

static void test_print_is_cut_and_terminated(void **state)
{
    (void)state;
    for (size_t size = 0; size <= 8; size++) {
        for (int sign = -1; sign <= 1; sign += 2) {
            char text[12];
            memset(text, 'x', sizeof text);
            assert_ptr_equal(sdsim_unit_print(TIME, sign * 250e9, text, size), text);
            const char *full = sign < 0 ? "-250ms" : "250ms";
            char expected[12];
            memset(expected, 'x', sizeof expected);
            if (size > 0) {
                snprintf(expected, size, "%s", full);
            }
            assert_memory_equal(text + size, expected + size, sizeof text - size);
            if (size > 0) {
                assert_string_equal(text, expected);
            }
        }
    }
}

/* Whatever is printed can be read again and is within half of the last digit. */
static void test_prints_what_it_reads(void **state)
{
    (void)state;
    const uint64_t seed = 1;
    struct sdsim_rng rng;
    sdsim_rng_seed(&rng, seed);
    for (int i = 0; i < 20000; i++) {
        const enum sdsim_unit unit = (enum sdsim_unit)sdsim_rng_below(&rng, 6);
        const uint64_t value = sdsim_rng_next(&rng) >> sdsim_rng_below(&rng, 64);
        char text[40];
        double again = -1.0;
        sdsim_unit_print(unit, (double)value, text, sizeof text);
        const double error =
            sdsim_unit_parse_real(unit, text, &again) == SDSIM_UNIT_OK || value == 0
                ? again - (double)value
                : 1e99;
        if (value != 0 && (error > 0.0005 * (double)value || error < -0.0005 * (double)value)) {
            fail_msg("seed %llu, %d: %llu printed as %s", (unsigned long long)seed, i,
                     (unsigned long long)value, text);
        }
    }
}

/* All whole numbers of all units are read exactly, with the decimals they can have. */
static void test_reads_all_names(void **state)
{
    (void)state;
    for (int unit = TIME; unit <= PERCENT; unit++) {
        size_t count = 0;
        for (; sdsim_unit_name((enum sdsim_unit)unit, count) != NULL; count++) {
            const char *name = sdsim_unit_name((enum sdsim_unit)unit, count);
            char one[32];
            char tenth[32];
            uint64_t value = 0;
            uint64_t smaller = 0;
            snprintf(one, sizeof one, "10%s", name);
            snprintf(tenth, sizeof tenth, "7.5%s", name);
            assert_int_equal(sdsim_unit_parse((enum sdsim_unit)unit, one, &value), SDSIM_UNIT_OK);
            const enum sdsim_unit_error error =
                sdsim_unit_parse((enum sdsim_unit)unit, tenth, &smaller);
            if (value % 20 == 0 ? smaller != value / 4 * 3 : error != SDSIM_UNIT_INEXACT) {
                fail_msg("%s: %llu and %llu", name, (unsigned long long)value,
                         (unsigned long long)smaller);
            }
        }
        assert_in_range(count, 1, 12);
        assert_null(sdsim_unit_name((enum sdsim_unit)unit, 1000));
    }
}

static void test_takes_within_limits(void **state)
{
    (void)state;
    static const uint64_t most_card = (UINT64_C(2) << 40) - 512;
    static const struct {
        enum sdsim_unit unit;
        const char *text;
        uint64_t least, most;
        const char *why; /* NULL: it is taken ... */
        uint64_t value;  /* ... as this */
    } rows[] = {
        {SDSIM_UNIT_SIZE, "4KiB", 1, 4096, NULL, 4096},
        {SDSIM_UNIT_SIZE, "4097B", 1, 4096, "takes at most 4KiB, not '4097B'", 0},
        {SDSIM_UNIT_SIZE, "0B", 1, 4096, "takes at least 1B, not '0B'", 0},
        {SDSIM_UNIT_SIZE, "99999999999999999GiB", 1, 4096,
         "takes at most 4KiB, not '99999999999999999GiB'", 0},
        {SDSIM_UNIT_SIZE, "99999999999999999999GiB", 1, most_card,
         "takes less than 2TiB, not '99999999999999999999GiB'", 0},
        {SDSIM_UNIT_SIZE, "2TiB", 1, most_card, "takes less than 2TiB, not '2TiB'", 0},
        {SDSIM_UNIT_SIZE, "5KiB", 1, 4099, "takes at most 4.099kB, not '5KiB'", 0},
        {SDSIM_UNIT_SIZE, "17000000TiB", 0, UINT64_MAX,
         "takes at most about 18446744TB, not '17000000TiB'", 0},
        {SDSIM_UNIT_SIZE, "12", 1, 4096,
         "takes a size with a unit (B, kB, MB, GB, TB, KiB, MiB, GiB, TiB, sectors), not '12'", 0},
        {SDSIM_UNIT_SIZE, "1.5B", 1, 4096, "takes whole B, not '1.5B'", 0},
        {SDSIM_UNIT_TIME, "9999h", 0, UINT64_MAX, "takes at most 5124h, not '9999h'", 0},
        {SDSIM_UNIT_TIME, "5124h", 0, UINT64_MAX, NULL, UINT64_C(5124) * 3600 * 1000000000000},
        {SDSIM_UNIT_TIME, "2s", 0, 1000000000000, "takes at most 1s, not '2s'", 0},
        {SDSIM_UNIT_FREQUENCY, "1THz", 1, 1000, "takes a frequency with a unit", 0},
        {SDSIM_UNIT_FREQUENCY, "9999999999999999999GHz", 1, 208000000, "takes at most 208MHz", 0},
        {SDSIM_UNIT_RATE, "99999999999999MB/s", 1, 1000000000, "takes at most 1000MB/s", 0},
        {SDSIM_UNIT_PERCENT, "99999999999999%", 0, 1000000000, "takes at most 100%", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char why[300] = "";
        uint64_t value = 0;
        const bool taken = sdsim_unit_take(rows[i].unit, rows[i].text, rows[i].least, rows[i].most,
                                           &value, why, sizeof why);
        if (taken != (rows[i].why == NULL) || (taken && value != rows[i].value) ||
            (!taken && strncmp(why, rows[i].why, strlen(rows[i].why)) != 0)) {
            fail_msg("%s: %s %llu", rows[i].text, why, (unsigned long long)value);
        }
    }
}

static void test_expected_names_units(void **state)
{
    (void)state;
    assert_string_equal(sdsim_unit_expected(TIME),
                        "a time with a unit (ps, ns, us, ms, s, min, h)");
    assert_string_equal(sdsim_unit_expected(FREQ), "a frequency with a unit (Hz, kHz, MHz, GHz)");
    assert_string_equal(sdsim_unit_expected(SIZE),
                        "a size with a unit (B, kB, MB, GB, TB, KiB, MiB, "
                        "GiB, TiB, sectors)");
    assert_string_equal(sdsim_unit_expected(RATE),
                        "a data rate with a unit (B/s, kB/s, MB/s, KiB/s, MiB/s)");
    assert_string_equal(sdsim_unit_expected(PER), "a number per second (/s, ops/s, lines/s)");
    assert_string_equal(sdsim_unit_expected(PERCENT), "a percentage (%)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads_exactly),
        cmocka_unit_test(test_refuses),
        cmocka_unit_test(test_reads_reals),
        cmocka_unit_test(test_reads_plain_numbers),
        cmocka_unit_test(test_splits_number_and_unit),
        cmocka_unit_test(test_prints),
        cmocka_unit_test(test_print_is_cut_and_terminated),
        cmocka_unit_test(test_prints_what_it_reads),
        cmocka_unit_test(test_reads_all_names),
        cmocka_unit_test(test_takes_within_limits),
        cmocka_unit_test(test_expected_names_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
