/* What the schema check says about single values: numbers, units, limits, words. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "config/schema.h"
#include "unit/config_fixture.h"
#include "unit/schema_example.h"
#include "unit/schema_messages.h"

static void test_messages(void **state)
{
    (void)state;
    static const struct sdsim_test_message rows[] = {
        {"rd1: 250\n",
         "t.yaml:1:6: error: expected a time with a unit (ps, ns, us, ms, s, min, h), got '250'\n"
         "    1 | rd1: 250\n"
         "      |      ^~~\n"
         "help: did you mean 250ms or 250us?\n"},
        {"rd1: 250mz\n",
         "t.yaml:1:6: error: expected a time with a unit (ps, ns, us, ms, s, min, h), got '250mz'\n"
         "    1 | rd1: 250mz\n"
         "      |      ^~~~~\n"
         "help: did you mean 'ms'?\n"},
        {"rd1: 250MS\n",
         "t.yaml:1:6: error: expected a time with a unit (ps, ns, us, ms, s, min, h), got '250MS'\n"
         "    1 | rd1: 250MS\n"
         "      |      ^~~~~\n"
         "help: did you mean 'ms'?\n"},
        {"rd1: 250 \302\265s\n",
         "t.yaml:1:6: error: expected a time with a unit (ps, ns, us, ms, s, "
         "min, h), got '250 \302\265s'\n"
         "    1 | rd1: 250 \302\265s\n"
         "      |      ^~~~~~\n"
         "help: did you mean 'us'?\n"},
        {"rd1: 3 sec\n",
         "t.yaml:1:6: error: expected a time with a unit (ps, ns, us, ms, s, min, h), got '3 sec'\n"
         "    1 | rd1: 3 sec\n"
         "      |      ^~~~~\n"
         "help: did you mean 's'?\n"},
        {"rd1: 250kHz\n", "t.yaml:1:6: error: expected a time with a unit (ps, ns, us, ms, s, min, "
                          "h), got '250kHz'\n"
                          "    1 | rd1: 250kHz\n"
                          "      |      ^~~~~~\n"},
        {"rd1: 1,5ms\n",
         "t.yaml:1:6: error: expected a time with a unit (ps, ns, us, ms, s, min, h), got '1,5ms'\n"
         "    1 | rd1: 1,5ms\n"
         "      |      ^~~~~\n"
         "help: write decimals with a point\n"},
        {"rd1: 1.ms\n",
         "t.yaml:1:6: error: expected a time with a unit (ps, ns, us, ms, s, min, h), got '1.ms'\n"
         "    1 | rd1: 1.ms\n"
         "      |      ^~~~\n"
         "help: digits must follow the point\n"},
        {"rd1: abc\n",
         "t.yaml:1:6: error: expected a time with a unit (ps, ns, us, ms, s, min, h), got 'abc'\n"
         "    1 | rd1: abc\n"
         "      |      ^~~\n"},
        {"rd1: -1ms\n",
         "t.yaml:1:6: error: expected a time with a unit (ps, ns, us, ms, s, min, h), got '-1ms'\n"
         "    1 | rd1: -1ms\n"
         "      |      ^~~~\n"},
        {"rd1:\n",
         "t.yaml:1:1: error: expected a time with a unit (ps, ns, us, ms, s, min, h), got nothing\n"
         "    1 | rd1:\n"
         "      | ^~~\n"},
        {"rd1: [1ms]\n",
         "t.yaml:1:6: error: expected a time with a unit (ps, ns, us, ms, s, min, h), got a list\n"
         "    1 | rd1: [1ms]\n"
         "      |      ^\n"},
        {"rd1: 0\n", "t.yaml:1:6: error: '0' is outside 1us..1s\n"
                     "    1 | rd1: 0\n"
                     "      |      ^\n"},
        {"rd1: 999ns\n", "t.yaml:1:6: error: '999ns' is outside 1us..1s\n"
                         "    1 | rd1: 999ns\n"
                         "      |      ^~~~~\n"},
        {"rd1: 1001ms\n", "t.yaml:1:6: error: '1001ms' is outside 1us..1s\n"
                          "    1 | rd1: 1001ms\n"
                          "      |      ^~~~~~\n"},
        {"rd1: 0.3ps\n", "t.yaml:1:6: error: '0.3ps' is no whole number of ps\n"
                         "    1 | rd1: 0.3ps\n"
                         "      |      ^~~~~\n"},
        {"rd1: 99999999999h\n",
         "t.yaml:1:6: error: '99999999999h' is too large: it takes at most 1s\n"
         "    1 | rd1: 99999999999h\n"
         "      |      ^~~~~~~~~~~~\n"},
        {"clock: 20\n",
         "t.yaml:1:8: error: expected a frequency with a unit (Hz, kHz, MHz, GHz), got '20'\n"
         "    1 | clock: 20\n"
         "      |        ^~\n"
         "help: did you mean 20MHz or 20kHz?\n"},
        {"clock: 20mHz\n",
         "t.yaml:1:8: error: expected a frequency with a unit (Hz, kHz, MHz, GHz), got '20mHz'\n"
         "    1 | clock: 20mHz\n"
         "      |        ^~~~~\n"
         "help: did you mean 'MHz'?\n"},
        {"clock: 20 Mhz\n",
         "t.yaml:1:8: error: expected a frequency with a unit (Hz, kHz, MHz, GHz), got '20 Mhz'\n"
         "    1 | clock: 20 Mhz\n"
         "      |        ^~~~~~\n"
         "help: did you mean 'MHz'?\n"},
        {"clock: 20XHz\n",
         "t.yaml:1:8: error: expected a frequency with a unit (Hz, kHz, MHz, GHz), got '20XHz'\n"
         "    1 | clock: 20XHz\n"
         "      |        ^~~~~\n"
         "help: did you mean 'Hz'?\n"},
        {"au: 4\n",
         "t.yaml:1:5: error: expected a size with a unit (B, kB, MB, GB, TB, KiB, MiB, GiB, "
         "TiB, sectors), got '4'\n"
         "    1 | au: 4\n"
         "      |     ^\n"
         "help: did you mean 4KiB or 4MiB?\n"},
        {"au: 4M\n", "t.yaml:1:5: error: expected a size with a unit (B, kB, MB, GB, TB, KiB, MiB, "
                     "GiB, TiB, sectors), got '4M'\n"
                     "    1 | au: 4M\n"
                     "      |     ^~\n"
                     "help: did you mean 'MiB'?\n"},
        {"au: 100B\n", "t.yaml:1:5: error: '100B' is outside 512B..1GiB\n"
                       "    1 | au: 100B\n"
                       "      |     ^~~~\n"},
        {"au: 2GiB\n", "t.yaml:1:5: error: '2GiB' is outside 512B..1GiB\n"
                       "    1 | au: 2GiB\n"
                       "      |     ^~~~\n"},
        {"au: 0.5B\n", "t.yaml:1:5: error: '0.5B' is no whole number of B\n"
                       "    1 | au: 0.5B\n"
                       "      |     ^~~~\n"},
        {"au: 512 bytes\n",
         "t.yaml:1:5: error: expected a size with a unit (B, kB, MB, GB, TB, KiB, "
         "MiB, GiB, TiB, sectors), got '512 bytes'\n"
         "    1 | au: 512 bytes\n"
         "      |     ^~~~~~~~~\n"
         "help: did you mean 'B'?\n"},
        {"rate: 5\n",
         "t.yaml:1:7: error: expected a data rate with a unit (B/s, kB/s, MB/s, KiB/s, "
         "MiB/s), got '5'\n"
         "    1 | rate: 5\n"
         "      |       ^\n"
         "help: did you mean 5MB/s or 5kB/s?\n"},
        {"rate: 5Mb/s\n", "t.yaml:1:7: error: expected a data rate with a unit (B/s, kB/s, MB/s, "
                          "KiB/s, MiB/s), got '5Mb/s'\n"
                          "    1 | rate: 5Mb/s\n"
                          "      |       ^~~~~\n"
                          "help: did you mean 'MB/s'?\n"},
        {"rate: 5MB\n",
         "t.yaml:1:7: error: expected a data rate with a unit (B/s, kB/s, MB/s, KiB/s, "
         "MiB/s), got '5MB'\n"
         "    1 | rate: 5MB\n"
         "      |       ^~~\n"},
        {"lines: 5\n",
         "t.yaml:1:8: error: expected a number per second (/s, ops/s, lines/s), got '5'\n"
         "    1 | lines: 5\n"
         "      |        ^\n"
         "help: did you mean 5/s?\n"},
        {"lines: 5 line/s\n",
         "t.yaml:1:8: error: expected a number per second (/s, ops/s, lines/s), got '5 line/s'\n"
         "    1 | lines: 5 line/s\n"
         "      |        ^~~~~~~~\n"
         "help: did you mean 'lines/s'?\n"},
        {"fill: 5\n", "t.yaml:1:7: error: expected a percentage (%), got '5'\n"
                      "    1 | fill: 5\n"
                      "      |       ^\n"
                      "help: did you mean 5%?\n"},
        {"fill: 101%\n", "t.yaml:1:7: error: '101%' is outside 0%..100%\n"
                         "    1 | fill: 101%\n"
                         "      |       ^~~~\n"},
        {"fill: 0.00000001%\n", "t.yaml:1:7: error: '0.00000001%' is no whole number of 10^-9\n"
                                "    1 | fill: 0.00000001%\n"
                                "      |       ^~~~~~~~~~~\n"},
        {"lines: 0.5/s\n", "t.yaml:1:8: error: '0.5/s' is no whole number of /s\n"
                           "    1 | lines: 0.5/s\n"
                           "      |        ^~~~~\n"},
        {"rd1: 250  ms\n", "t.yaml:1:6: error: expected a time with a unit (ps, ns, us, ms, s, "
                           "min, h), got '250  ms'\n"
                           "    1 | rd1: 250  ms\n"
                           "      |      ^~~~~~~\n"
                           "help: did you mean 'ms'?\n"},
        {"wide: 1.5\n", "t.yaml:1:7: error: expected a whole number, got '1.5'\n"
                        "    1 | wide: 1.5\n"
                        "      |       ^~~\n"},
        {"slots: many\n", "t.yaml:1:8: error: expected a whole number, got 'many'\n"
                          "    1 | slots: many\n"
                          "      |        ^~~~\n"},
        {"slots: 0\n", "t.yaml:1:8: error: '0' is outside 1..64\n"
                       "    1 | slots: 0\n"
                       "      |        ^\n"},
        {"slots: 65\n", "t.yaml:1:8: error: '65' is outside 1..64\n"
                        "    1 | slots: 65\n"
                        "      |        ^~\n"},
        {"slots: 1.5\n", "t.yaml:1:8: error: expected a whole number, got '1.5'\n"
                         "    1 | slots: 1.5\n"
                         "      |        ^~~\n"},
        {"slots: -1\n", "t.yaml:1:8: error: expected a whole number, got '-1'\n"
                        "    1 | slots: -1\n"
                        "      |        ^~\n"},
        {"slots: 99999999999999999999\n",
         "t.yaml:1:8: error: '99999999999999999999' is too large: it takes at most 64\n"
         "    1 | slots: 99999999999999999999\n"
         "      |        ^~~~~~~~~~~~~~~~~~~~\n"},
        {"slots:\n", "t.yaml:1:1: error: expected a whole number, got nothing\n"
                     "    1 | slots:\n"
                     "      | ^~~~~\n"},
        {"factor: x\n", "t.yaml:1:9: error: expected a number, got 'x'\n"
                        "    1 | factor: x\n"
                        "      |         ^\n"},
        {"factor: 10.5\n", "t.yaml:1:9: error: '10.5' is outside 0..10\n"
                           "    1 | factor: 10.5\n"
                           "      |         ^~~~\n"},
        {"factor: -0.5\n", "t.yaml:1:9: error: '-0.5' is outside 0..10\n"
                           "    1 | factor: -0.5\n"
                           "      |         ^~~~\n"},
        {"factor: 1.00000000000000000000000001\n",
         "t.yaml:1:9: error: '1.00000000000000000000000001' has too many digits\n"
         "    1 | factor: 1.00000000000000000000000001\n"
         "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
        {"offset: 5ms\n", "t.yaml:1:9: error: expected a number, got '5ms'\n"
                          "    1 | offset: 5ms\n"
                          "      |         ^~~\n"},
        {"offset: 1e5\n", "t.yaml:1:9: error: expected a number, got '1e5'\n"
                          "    1 | offset: 1e5\n"
                          "      |         ^~~\n"},
        {"policy: sd2\n", "t.yaml:1:9: error: expected one of spi, sd1, sd4, 1, got 'sd2'\n"
                          "    1 | policy: sd2\n"
                          "      |         ^~~\n"
                          "help: did you mean 'sd1'?\n"},
        {"policy: spy\n", "t.yaml:1:9: error: expected one of spi, sd1, sd4, 1, got 'spy'\n"
                          "    1 | policy: spy\n"
                          "      |         ^~~\n"
                          "help: did you mean 'spi'?\n"},
        {"policy: xyz\n", "t.yaml:1:9: error: expected one of spi, sd1, sd4, 1, got 'xyz'\n"
                          "    1 | policy: xyz\n"
                          "      |         ^~~\n"},
        {"policy: {a: 1}\n",
         "t.yaml:1:10: error: unknown key 'a' in the value policy\n"
         "    1 | policy: {a: 1}\n"
         "      |          ^\n"
         "help: a value may have value, range, from, source, fit, start and fitted_to\n"
         "t.yaml:1:9: error: missing key 'value' in the value policy\n"
         "    1 | policy: {a: 1}\n"
         "      |         ^\n"
         "help: write it like {value: 200us, range: 150us..300us}\n"},
        {"policy: {value: spi, start: spy}\n",
         "t.yaml:1:29: error: expected one of spi, sd1, sd4, 1, got 'spy'\n"
         "    1 | policy: {value: spi, start: spy}\n"
         "      |                             ^~~\n"
         "help: did you mean 'spi'?\n"},
        {"policy: {value: spi, range: spi..sd4}\n",
         "t.yaml:1:29: error: only a number can have a range\n"
         "    1 | policy: {value: spi, range: spi..sd4}\n"
         "      |                             ^~~~~~~~\n"},
        {"cache: maybe\n", "t.yaml:1:8: error: expected yes or no, got 'maybe'\n"
                           "    1 | cache: maybe\n"
                           "      |        ^~~~~\n"},
        {"cache: True\n", "t.yaml:1:8: error: expected yes or no, got 'True'\n"
                          "    1 | cache: True\n"
                          "      |        ^~~~\n"},
        {"measured: 5\n", "t.yaml:1:11: error: expected a time, a data rate or a number per second "
                          "with its unit (12ms, 1.37MB/s, 2581 lines/s), got '5'\n"
                          "    1 | measured: 5\n"
                          "      |           ^\n"},
        {"measured: 1.37mb/s\n",
         "t.yaml:1:11: error: expected a time, a data rate or a number per "
         "second with its unit (12ms, 1.37MB/s, 2581 lines/s), got '1.37mb/s'\n"
         "    1 | measured: 1.37mb/s\n"
         "      |           ^~~~~~~~\n"
         "help: did you mean 'MB/s'?\n"},
        {"measured: 12MHz\n",
         "t.yaml:1:11: error: expected a time, a data rate or a number per second "
         "with its unit (12ms, 1.37MB/s, 2581 lines/s), got '12MHz'\n"
         "    1 | measured: 12MHz\n"
         "      |           ^~~~~\n"},
        {"measured: 2ms..1ms\n", "t.yaml:1:11: error: the range '2ms..1ms' is upside down\n"
                                 "    1 | measured: 2ms..1ms\n"
                                 "      |           ^~~~~~~~\n"
                                 "help: write the smaller end first\n"},
        {"measured: 1ms..2MB/s\n", "t.yaml:1:11: error: expected a time, a data rate or a number "
                                   "per second with its unit (12ms, "
                                   "1.37MB/s, 2581 lines/s), got '1ms..2MB/s'\n"
                                   "    1 | measured: 1ms..2MB/s\n"
                                   "      |           ^~~~~~~~~~\n"},
        {"measured: fast\n",
         "t.yaml:1:11: error: expected a time, a data rate or a number per second "
         "with its unit (12ms, 1.37MB/s, 2581 lines/s), got 'fast'\n"
         "    1 | measured: fast\n"
         "      |           ^~~~\n"},
        {"measured: 1ms..\n",
         "t.yaml:1:11: error: expected a time, a data rate or a number per second "
         "with its unit (12ms, 1.37MB/s, 2581 lines/s), got '1ms..'\n"
         "    1 | measured: 1ms..\n"
         "      |           ^~~~~\n"},
        {"measured: ..1ms\n",
         "t.yaml:1:11: error: expected a time, a data rate or a number per second "
         "with its unit (12ms, 1.37MB/s, 2581 lines/s), got '..1ms'\n"
         "    1 | measured: ..1ms\n"
         "      |           ^~~~~\n"},
        {"measured: {value: 1ms}\n",
         "t.yaml:1:11: error: expected a time, a data rate or a number per "
         "second with its unit (12ms, 1.37MB/s, 2581 lines/s), got a map\n"
         "    1 | measured: {value: 1ms}\n"
         "      |           ^\n"},
        {"measured: -5ms\n",
         "t.yaml:1:11: error: expected a time, a data rate or a number per second "
         "with its unit (12ms, 1.37MB/s, 2581 lines/s), got '-5ms'\n"
         "    1 | measured: -5ms\n"
         "      |           ^~~~\n"},
    };
    sdsim_test_messages(rows, sizeof rows / sizeof rows[0]);
}

/* Long texts of the user are cut in messages, so that what matters stays in sight. */
static void test_long_texts_are_cut(void **state)
{
    (void)state;
    size_t size;
    char *text = sdsim_test_repeat("steps: {call: 1B}\nrd1: ", "\xe2\x82\xac", 1000, &size);
    struct sdsim_test_config f;
    sdsim_test_config_set_up(&f, NULL);
    const struct sdsim_node *root =
        sdsim_config_parse_text(f.config, "t.yaml", text, size, &f.diags);
    free(text);
    assert_non_null(root);
    struct example out;
    assert_false(
        sdsim_bind(f.config, &example_schema, root, "p", &(struct sdsim_draw){0}, &out, &f.diags));
    text = sdsim_test_repeat("expected a time with a unit (ps, ns, us, ms, s, min, h), got '",
                             "\xe2\x82\xac", 22, &size);
    assert_int_equal(strncmp(f.diags.items[0].text, text, size), 0);
    assert_string_equal(f.diags.items[0].text + size, "...'");
    free(text);
    sdsim_test_config_tear_down(&f);
}

/* Limits are printed exactly, even those that need all their digits. */
static void test_limits_are_exact(void **state)
{
    (void)state;
    static const struct {
        enum sdsim_value_type type;
        uint64_t min, max;
        const char *text;
        const char *said;
    } limits[] = {
        {SDSIM_VALUE_TIME, 53333, 1234567891, "1s", "'1s' is outside 53333ps..1234567891ps"},
        {SDSIM_VALUE_SIZE, 1, 4294967295, "1TB", "'1TB' is outside 1B..4294967295B"},
        {SDSIM_VALUE_SIZE, 1, UINT64_C(1) << 40, "2TiB", "'2TiB' is outside 1B..1TiB"},
        {SDSIM_VALUE_FREQUENCY, 26667, 26667000, "1Hz", "'1Hz' is outside 26.667kHz..26.667MHz"},
        {SDSIM_VALUE_RATE, 1000000, 0, "1B/s", "'1B/s' is too small, the least is 1MB/s"},
        {SDSIM_VALUE_NUMBER, 2, 0, "1.5", "'1.5' is too small, the least is 2"},
    };
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        const struct sdsim_key key = {
            .name = "k", .type = limits[i].type, .min = limits[i].min, .max = limits[i].max};
        const struct sdsim_schema schema = {
            .name = "s", .keys = &key, .key_count = 1, .size = sizeof(uint64_t)};
        struct sdsim_test_config f;
        char text[64];
        uint64_t out;
        sdsim_test_config_set_up(&f, NULL);
        snprintf(text, sizeof text, "k: %s", limits[i].text);
        const struct sdsim_node *root =
            sdsim_config_parse_text(f.config, "t.yaml", text, strlen(text), &f.diags);
        assert_false(
            sdsim_bind(f.config, &schema, root, "p", &(struct sdsim_draw){0}, &out, &f.diags));
        assert_string_equal(f.diags.items[0].text, limits[i].said);
        sdsim_test_config_tear_down(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_long_texts_are_cut),
        cmocka_unit_test(test_limits_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
