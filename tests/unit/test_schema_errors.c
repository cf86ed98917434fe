/* What the schema check says about wrong keys, maps, lists and origins. */
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
        {"label: [a]\n", "t.yaml:1:8: error: expected a text, got a list\n"
                         "    1 | label: [a]\n"
                         "      |        ^\n"},
        {"label: {a: b}\n", "t.yaml:1:8: error: expected a text, got a map\n"
                            "    1 | label: {a: b}\n"
                            "      |        ^\n"},
        {"card:\n", "t.yaml:1:1: error: expected the name of a card, or a map, got nothing\n"
                    "    1 | card:\n"
                    "      | ^~~~\n"},
        {"card: [a]\n", "t.yaml:1:7: error: expected the name of a card, or a map, got a list\n"
                        "    1 | card: [a]\n"
                        "      |       ^\n"},
        {"bus: 20MHz\n", "t.yaml:1:6: error: expected a map for bus, got '20MHz'\n"
                         "    1 | bus: 20MHz\n"
                         "      |      ^~~~~\n"},
        {"bus: {}\n", "t.yaml:1:1: error: missing key 'clock' in bus\n"
                      "    1 | bus: {}\n"
                      "      | ^~~\n"
                      "help: The clock the firmware asks for.\n"},
        {"bus: {clok: 20MHz}\n", "t.yaml:1:7: error: unknown key 'clok' in bus\n"
                                 "    1 | bus: {clok: 20MHz}\n"
                                 "      |       ^~~~\n"
                                 "help: did you mean 'clock'?\n"
                                 "t.yaml:1:1: error: missing key 'clock' in bus\n"
                                 "    1 | bus: {clok: 20MHz}\n"
                                 "      | ^~~\n"
                                 "help: The clock the firmware asks for.\n"},
        {"bus: {clock: 20MHz, mode: spy, crc: 2, timeout: 250, base: x}\n",
         "t.yaml:1:54: error: unknown key 'base' in bus\n"
         "    1 | bus: {clock: 20MHz, mode: spy, crc: 2, timeout: 250, base: x}\n"
         "      |                                                      ^~~~\n"
         "help: known keys: clock, mode, crc, timeout\n"
         "t.yaml:1:27: error: expected one of spi, sd1, sd4, 1, got 'spy'\n"
         "    1 | bus: {clock: 20MHz, mode: spy, crc: 2, timeout: 250, base: x}\n"
         "      |                           ^~~\n"
         "help: did you mean 'spi'?\n"
         "t.yaml:1:37: error: expected yes or no, got '2'\n"
         "    1 | bus: {clock: 20MHz, mode: spy, crc: 2, timeout: 250, base: x}\n"
         "      |                                     ^\n"
         "t.yaml:1:49: error: expected a time with a unit (ps, ns, us, ms, s, min, h), got '250'\n"
         "    1 | bus: {clock: 20MHz, mode: spy, crc: 2, timeout: 250, base: x}\n"
         "      |                                                 ^~~\n"
         "help: did you mean 250ms or 250us?\n"},
        {"calls: [4KiB, 8, {a: 1}, [1B]]\n",
         "t.yaml:1:15: error: expected a size with a unit (B, kB, "
         "MB, GB, TB, KiB, MiB, GiB, TiB, sectors), got '8'\n"
         "    1 | calls: [4KiB, 8, {a: 1}, [1B]]\n"
         "      |               ^\n"
         "help: did you mean 8KiB or 8B?\n"
         "t.yaml:1:18: error: expected a size with a unit (B, kB, "
         "MB, GB, TB, KiB, MiB, GiB, TiB, sectors), got a map\n"
         "    1 | calls: [4KiB, 8, {a: 1}, [1B]]\n"
         "      |                  ^\n"
         "t.yaml:1:26: error: expected a size with a unit (B, kB, "
         "MB, GB, TB, KiB, MiB, GiB, TiB, sectors), got a list\n"
         "    1 | calls: [4KiB, 8, {a: 1}, [1B]]\n"
         "      |                          ^\n"},
        {"calls: {a: 1}\n",
         "t.yaml:1:8: error: expected a size with a unit (B, kB, MB, GB, TB, KiB, "
         "MiB, GiB, TiB, sectors), got a map\n"
         "    1 | calls: {a: 1}\n"
         "      |        ^\n"},
        {"modes: [spi, sp1]\n", "t.yaml:1:14: error: expected one of spi, sd1, sd4, 1, got 'sp1'\n"
                                "    1 | modes: [spi, sp1]\n"
                                "      |              ^~~\n"
                                "help: did you mean 'spi'?\n"},
        {"cards: [a, [b]]\n",
         "t.yaml:1:12: error: expected the name of a card, or a map, got a list\n"
         "    1 | cards: [a, [b]]\n"
         "      |            ^\n"},
        {"costs: [1us, {value: 2, range: 1us..3us}, {from: measured}]\n",
         "t.yaml:1:22: error: expected a time with a unit (ps, ns, us, ms, s, min, h), got '2'\n"
         "    1 | costs: [1us, {value: 2, range: 1us..3us}, {from: measured}]\n"
         "      |                      ^\n"
         "help: did you mean 2ms or 2us?\n"
         "t.yaml:1:43: error: missing key 'value' in the value costs[2]\n"
         "    1 | costs: [1us, {value: 2, range: 1us..3us}, {from: measured}]\n"
         "      |                                           ^\n"
         "help: write it like {value: 200us, range: 150us..300us}\n"},
        {"rd1: {value: 200us, range: 150us..300us, form: measured}\n",
         "t.yaml:1:42: error: unknown key 'form' in the value rd1\n"
         "    1 | rd1: {value: 200us, range: 150us..300us, form: measured}\n"
         "      |                                          ^~~~\n"
         "help: did you mean 'from'?\n"},
        {"rd1: {value: 200us, zzz: 1}\n",
         "t.yaml:1:21: error: unknown key 'zzz' in the value rd1\n"
         "    1 | rd1: {value: 200us, zzz: 1}\n"
         "      |                     ^~~\n"
         "help: a value may have value, range, from, source, fit, start and fitted_to\n"},
        {"rd1: {range: 150us..300us}\n",
         "t.yaml:1:6: error: missing key 'value' in the value rd1\n"
         "    1 | rd1: {range: 150us..300us}\n"
         "      |      ^\n"
         "help: write it like {value: 200us, range: 150us..300us}\n"},
        {"rd1: {}\n", "t.yaml:1:6: error: missing key 'value' in the value rd1\n"
                      "    1 | rd1: {}\n"
                      "      |      ^\n"
                      "help: write it like {value: 200us, range: 150us..300us}\n"},
        {"rd1: {value: [1us]}\n",
         "t.yaml:1:14: error: expected a time with a unit (ps, ns, us, ms, s, min, h), got a list\n"
         "    1 | rd1: {value: [1us]}\n"
         "      |              ^\n"},
        {"rd1: {value: 200us, range: 300us..150us}\n",
         "t.yaml:1:28: error: the range '300us..150us' is upside down\n"
         "    1 | rd1: {value: 200us, range: 300us..150us}\n"
         "      |                            ^~~~~~~~~~~~\n"
         "help: write the smaller end first\n"},
        {"rd1: {value: 200us, range: 250us..300us}\n",
         "t.yaml:1:28: error: the range 250us..300us does not hold the value 200us\n"
         "    1 | rd1: {value: 200us, range: 250us..300us}\n"
         "      |                            ^~~~~~~~~~~~\n"},
        {"rd1: {value: 200us, range: 150us}\n",
         "t.yaml:1:28: error: expected a range, got '150us'\n"
         "    1 | rd1: {value: 200us, range: 150us}\n"
         "      |                            ^~~~~\n"
         "help: write it as low..high, the 5 % and the 95 % end\n"},
        {"rd1: {value: 200us, range: 150..300}\n",
         "t.yaml:1:28: error: expected a time with a unit (ps, ns, us, ms, s, min, h), got '150'\n"
         "    1 | rd1: {value: 200us, range: 150..300}\n"
         "      |                            ^~~~~~~~\n"
         "help: did you mean 150ms or 150us?\n"},
        {"rd1: {value: 200us, range: 150us..300mz}\n",
         "t.yaml:1:28: error: expected a time with a unit (ps, ns, us, ms, s, min, h), got "
         "'300mz'\n"
         "    1 | rd1: {value: 200us, range: 150us..300mz}\n"
         "      |                            ^~~~~~~~~~~~\n"
         "help: did you mean 'ms'?\n"},
        {"rd1: {value: 200us, range: 1ns..300us}\n",
         "t.yaml:1:28: error: '1ns' is outside 1us..1s\n"
         "    1 | rd1: {value: 200us, range: 1ns..300us}\n"
         "      |                            ^~~~~~~~~~\n"},
        {"rd1: {value: 200us, range: [1us, 2us]}\n",
         "t.yaml:1:28: error: expected a text for 'range', got a list\n"
         "    1 | rd1: {value: 200us, range: [1us, 2us]}\n"
         "      |                            ^\n"},
        {"rd1: {value: 200us, range: }\n",
         "t.yaml:1:21: error: expected a range, got nothing\n"
         "    1 | rd1: {value: 200us, range: }\n"
         "      |                     ^~~~~\n"
         "help: write it as low..high, the 5 % and the 95 % end\n"},
        {"rd1: {value: 200us, from: guessed}\n", "t.yaml:1:27: error: expected one of published, "
                                                 "calculated, measured, fitted, assumed, got "
                                                 "'guessed'\n"
                                                 "    1 | rd1: {value: 200us, from: guessed}\n"
                                                 "      |                           ^~~~~~~\n"},
        {"rd1: {value: 200us, from: measurd}\n", "t.yaml:1:27: error: expected one of published, "
                                                 "calculated, measured, fitted, assumed, got "
                                                 "'measurd'\n"
                                                 "    1 | rd1: {value: 200us, from: measurd}\n"
                                                 "      |                           ^~~~~~~\n"
                                                 "help: did you mean 'measured'?\n"},
        {"rd1: {value: 200us, from: unsaid}\n",
         "t.yaml:1:27: error: expected one of published, "
         "calculated, measured, fitted, assumed, got 'unsaid'\n"
         "    1 | rd1: {value: 200us, from: unsaid}\n"
         "      |                           ^~~~~~\n"},
        {"rd1: {value: 200us, fit: yes}\n", "t.yaml:1:26: error: expected headline, got 'yes'\n"
                                            "    1 | rd1: {value: 200us, fit: yes}\n"
                                            "      |                          ^~~\n"},
        {"rd1: {value: 200us, source: [a, b]}\n",
         "t.yaml:1:29: error: expected a text for 'source', got a list\n"
         "    1 | rd1: {value: 200us, source: [a, b]}\n"
         "      |                             ^\n"},
        {"rd1: {value: 200us, from: fitted, start: 150}\n",
         "t.yaml:1:42: error: expected a time with a unit (ps, ns, us, ms, s, min, h), got '150'\n"
         "    1 | rd1: {value: 200us, from: fitted, start: 150}\n"
         "      |                                          ^~~\n"
         "help: did you mean 150ms or 150us?\n"},
        {"rd1: {value: 200us, from: fitted, start: soon}\n",
         "t.yaml:1:42: error: expected a time with a unit (ps, ns, us, ms, s, min, h), got 'soon'\n"
         "    1 | rd1: {value: 200us, from: fitted, start: soon}\n"
         "      |                                          ^~~~\n"},
        {"rd1: {value: 200us, from: fitted, start: 1MB/s}\n",
         "t.yaml:1:42: error: expected a time with a unit (ps, ns, us, ms, s, min, h), got "
         "'1MB/s'\n"
         "    1 | rd1: {value: 200us, from: fitted, start: 1MB/s}\n"
         "      |                                          ^~~~~\n"},
        {"rd1: {value: 200us, from: fitted, start: [150us]}\n",
         "t.yaml:1:42: error: expected a text for 'start', got a list\n"
         "    1 | rd1: {value: 200us, from: fitted, start: [150us]}\n"
         "      |                                          ^\n"},
        {"rd1: {value: 200us, from: fitted, fitted_to: {a: b}}\n",
         "t.yaml:1:46: error: expected a text for 'fitted_to', got a map\n"
         "    1 | rd1: {value: 200us, from: fitted, fitted_to: {a: b}}\n"
         "      |                                              ^\n"},
        {"rd1: {value: 200us, from: fitted, strat: 150us}\n",
         "t.yaml:1:35: error: unknown key 'strat' in the value rd1\n"
         "    1 | rd1: {value: 200us, from: fitted, strat: 150us}\n"
         "      |                                   ^~~~~\n"
         "help: did you mean 'start'?\n"},
        {"rd1: {value: 200, range: 150us..300us, from: x, fit: y, z: 1}\n",
         "t.yaml:1:46: error: expected one of published, calculated, measured, fitted, assumed, "
         "got "
         "'x'\n"
         "    1 | rd1: {value: 200, range: 150us..300us, from: x, fit: y, z: 1}\n"
         "      |                                              ^\n"
         "t.yaml:1:54: error: expected headline, got 'y'\n"
         "    1 | rd1: {value: 200, range: 150us..300us, from: x, fit: y, z: 1}\n"
         "      |                                                      ^\n"
         "t.yaml:1:57: error: unknown key 'z' in the value rd1\n"
         "    1 | rd1: {value: 200, range: 150us..300us, from: x, fit: y, z: 1}\n"
         "      |                                                         ^\n"
         "help: a value may have value, range, from, source, fit, start and fitted_to\n"
         "t.yaml:1:14: error: expected a time with a unit (ps, ns, us, ms, s, min, h), got '200'\n"
         "    1 | rd1: {value: 200, range: 150us..300us, from: x, fit: y, z: 1}\n"
         "      |              ^~~\n"
         "help: did you mean 200ms or 200us?\n"},
        {"au: {value: 4MiB}\n",
         "t.yaml:1:5: error: expected a size with a unit (B, kB, MB, GB, TB, "
         "KiB, MiB, GiB, TiB, sectors), got a map\n"
         "    1 | au: {value: 4MiB}\n"
         "      |     ^\n"},
        {"clok: 1MHz\n", "t.yaml:1:1: error: unknown key 'clok' in example\n"
                         "    1 | clok: 1MHz\n"
                         "      | ^~~~\n"
                         "help: did you mean 'clock'?\n"},
        {"something: 1\n",
         "t.yaml:1:1: error: unknown key 'something' in example\n"
         "    1 | something: 1\n"
         "      | ^~~~~~~~~\n"
         "help: known keys: card, bus, rd1, clock, au, rate, lines, fill, slots, factor,\n"
         "      offset, policy, cache, label, calls, modes, steps, cards, costs, measured,\n"
         "      wide\n"},
        {"Label: x\n", "t.yaml:1:1: error: unknown key 'Label' in example\n"
                       "    1 | Label: x\n"
                       "      | ^~~~~\n"
                       "help: did you mean 'label'?\n"},
        {"kindd: scenario\n", "t.yaml:1:1: error: unknown key 'kindd' in example\n"
                              "    1 | kindd: scenario\n"
                              "      | ^~~~~\n"
                              "help: did you mean 'kind'?\n"},
        {"kind: [a]\n", "t.yaml:1:7: error: expected a text for 'kind', got a list\n"
                        "    1 | kind: [a]\n"
                        "      |       ^\n"},
        {"source: {a: b}\n",
         "t.yaml:1:9: error: expected a text or a list of texts for 'source', got a map\n"
         "    1 | source: {a: b}\n"
         "      |         ^\n"},
        {"source: [a, [b]]\n",
         "t.yaml:1:9: error: expected a text or a list of texts for 'source', "
         "got a list of other things\n"
         "    1 | source: [a, [b]]\n"
         "      |         ^\n"},
        {"name: {a: b}\n", "t.yaml:1:7: error: expected a text for 'name', got a map\n"
                           "    1 | name: {a: b}\n"
                           "      |       ^\n"},
        {"description: [a]\n", "t.yaml:1:14: error: expected a text for 'description', got a list\n"
                               "    1 | description: [a]\n"
                               "      |              ^\n"},
        {"steps: []\n", "t.yaml:1:1: error: the list 'steps' is empty\n"
                        "    1 | steps: []\n"
                        "      | ^~~~~\n"},
        {"steps: 5\n", "t.yaml:1:8: error: expected a map for steps[0], got '5'\n"
                       "    1 | steps: 5\n"
                       "      |        ^\n"},
        {"steps: {}\n", "t.yaml:1:1: error: missing key 'call' in steps[0]\n"
                        "    1 | steps: {}\n"
                        "      | ^~~~~\n"
                        "help: Bytes per call.\n"},
        {"steps: {call: 0}\n", "t.yaml:1:15: error: '0' is too small, the least is 1B\n"
                               "    1 | steps: {call: 0}\n"
                               "      |               ^\n"},
        {"steps: [{call: 1B}, {cal: 2B}, 7]\n",
         "t.yaml:1:22: error: unknown key 'cal' in steps[1]\n"
         "    1 | steps: [{call: 1B}, {cal: 2B}, 7]\n"
         "      |                      ^~~\n"
         "help: did you mean 'call'?\n"
         "t.yaml:1:21: error: missing key 'call' in steps[1]\n"
         "    1 | steps: [{call: 1B}, {cal: 2B}, 7]\n"
         "      |                     ^\n"
         "help: Bytes per call.\n"
         "t.yaml:1:32: error: expected a map for steps[2], got '7'\n"
         "    1 | steps: [{call: 1B}, {cal: 2B}, 7]\n"
         "      |                                ^\n"},
        {"steps: [{call: 1B, count: 5000000000}]\n",
         "t.yaml:1:27: error: '5000000000' is outside 0..4294967295\n"
         "    1 | steps: [{call: 1B, count: 5000000000}]\n"
         "      |                           ^~~~~~~~~~\n"},
    };
    sdsim_test_messages(rows, sizeof rows / sizeof rows[0]);
}

/* Each message names the file its node came from, whatever the tree was merged of. */
static void test_messages_of_merged_trees(void **state)
{
    (void)state;
    static const char base[] = "kind: scenario\nrd1: 5\nbus: {clock: 1, mode: x}\nbad: 1\n";
    static const char over[] = "kind: scenario\nau: 1\nbus: {mode: y, odd: 1}\n";
    struct sdsim_test_config f;
    sdsim_test_config_set_up(&f, NULL);
    struct sdsim_node *root = sdsim_config_overlay(
        f.config, sdsim_config_parse_text(f.config, "base.yaml", base, sizeof base - 1, &f.diags),
        sdsim_config_parse_text(f.config, "over.yaml", over, sizeof over - 1, &f.diags));
    assert_non_null(root);
    assert_true(sdsim_config_set(f.config, root, "bus.timeout=7", &f.diags));
    assert_true(sdsim_config_set(f.config, root, "stepz=[1]", &f.diags));
    struct example out;
    assert_false(
        sdsim_bind(f.config, &example_schema, root, "p", &(struct sdsim_draw){0}, &out, &f.diags));
    char *printed = sdsim_test_diag_text(&f.diags);
    assert_string_equal(
        printed,
        "base.yaml:4:1: error: unknown key 'bad' in example\n"
        "    4 | bad: 1\n"
        "      | ^~~\n"
        "help: known keys: card, bus, rd1, clock, au, rate, lines, fill, slots, factor,\n"
        "      offset, policy, cache, label, calls, modes, steps, cards, costs, measured,\n"
        "      wide\n"
        "--set:1:1: error: unknown key 'stepz' in example\n"
        "    1 | stepz=[1]\n"
        "      | ^~~~~\n"
        "help: did you mean 'steps'?\n"
        "over.yaml:3:16: error: unknown key 'odd' in bus\n"
        "    3 | bus: {mode: y, odd: 1}\n"
        "      |                ^~~\n"
        "help: known keys: clock, mode, crc, timeout\n"
        "base.yaml:3:14: error: expected a frequency with a unit (Hz, kHz, MHz, GHz), got '1'\n"
        "    3 | bus: {clock: 1, mode: x}\n"
        "      |              ^\n"
        "help: did you mean 1MHz?\n"
        "over.yaml:3:13: error: expected one of spi, sd1, sd4, 1, got 'y'\n"
        "    3 | bus: {mode: y, odd: 1}\n"
        "      |             ^\n"
        "--set:1:13: error: expected a time with a unit (ps, ns, us, ms, s, min, h), got '7'\n"
        "    1 | bus.timeout=7\n"
        "      |             ^\n"
        "help: did you mean 7ms or 7us?\n"
        "base.yaml:2:6: error: expected a time with a unit (ps, ns, us, ms, s, min, h), got '5'\n"
        "    2 | rd1: 5\n"
        "      |      ^\n"
        "help: did you mean 5ms or 5us?\n"
        "over.yaml:2:5: error: expected a size with a unit (B, kB, MB, GB, TB, KiB, MiB, GiB, TiB, "
        "sectors), got '1'\n"
        "    2 | au: 1\n"
        "      |     ^\n"
        "help: did you mean 1KiB or 1MiB?\n"
        "over.yaml:1:1: error: missing key 'steps' in example\n"
        "    1 | kind: scenario\n"
        "      | ^\n"
        "help: Several maps.\n");
    free(printed);
    sdsim_test_config_tear_down(&f);
}

/* A fallback that does not fit its own key is the program's mistake, and is not swallowed. */
static void test_bad_fallback(void **state)
{
    (void)state;
    static const struct sdsim_key keys[] = {
        {.name = "t", .type = SDSIM_VALUE_TIME, .doc = "x", .fallback = "5"}};
    const struct sdsim_schema schema = {
        .name = "s", .keys = keys, .key_count = 1, .size = sizeof(uint64_t)};
    struct sdsim_test_config f;
    sdsim_test_config_set_up(&f, NULL);
    const struct sdsim_node *root =
        sdsim_config_parse_text(f.config, "t.yaml", "kind: x", 7, &f.diags);
    uint64_t out;
    assert_false(sdsim_bind(f.config, &schema, root, "p", &(struct sdsim_draw){0}, &out, &f.diags));
    char *printed = sdsim_test_diag_text(&f.diags);
    assert_string_equal(printed,
                        "the default: error: expected a time with a unit (ps, ns, us, ms, s, "
                        "min, h), got '5'\n"
                        "help: did you mean 5ms or 5us?\n");
    free(printed);
    sdsim_test_config_tear_down(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_messages_of_merged_trees),
        cmocka_unit_test(test_bad_fallback),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
