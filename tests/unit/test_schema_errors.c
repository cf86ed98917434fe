/* What the schema check says about each kind of mistake. */
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

/* One wrong line each; rows that say nothing about steps get the steps every file needs. */
static const struct {
    const char *text;
    const char *said;
} rows[] = {
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
    {"rd1: 250 \302\265s\n", "t.yaml:1:6: error: expected a time with a unit (ps, ns, us, ms, s, "
                             "min, h), got '250 \302\265s'\n"
                             "    1 | rd1: 250 \302\265s\n"
                             "      |      ^~~~~~\n"
                             "help: did you mean 'us'?\n"},
    {"rd1: 3 sec\n",
     "t.yaml:1:6: error: expected a time with a unit (ps, ns, us, ms, s, min, h), got '3 sec'\n"
     "    1 | rd1: 3 sec\n"
     "      |      ^~~~~\n"
     "help: did you mean 's'?\n"},
    {"rd1: 250kHz\n",
     "t.yaml:1:6: error: expected a time with a unit (ps, ns, us, ms, s, min, h), got '250kHz'\n"
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
    {"rd1: 99999999999h\n", "t.yaml:1:6: error: '99999999999h' is too large\n"
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
    {"au: 4\n", "t.yaml:1:5: error: expected a size with a unit (B, kB, MB, GB, TB, KiB, MiB, GiB, "
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
    {"au: 512 bytes\n", "t.yaml:1:5: error: expected a size with a unit (B, kB, MB, GB, TB, KiB, "
                        "MiB, GiB, TiB, sectors), got '512 bytes'\n"
                        "    1 | au: 512 bytes\n"
                        "      |     ^~~~~~~~~\n"
                        "help: did you mean 'B'?\n"},
    {"rate: 5\n", "t.yaml:1:7: error: expected a data rate with a unit (B/s, kB/s, MB/s, KiB/s, "
                  "MiB/s), got '5'\n"
                  "    1 | rate: 5\n"
                  "      |       ^\n"
                  "help: did you mean 5MB/s or 5kB/s?\n"},
    {"rate: 5Mb/s\n", "t.yaml:1:7: error: expected a data rate with a unit (B/s, kB/s, MB/s, "
                      "KiB/s, MiB/s), got '5Mb/s'\n"
                      "    1 | rate: 5Mb/s\n"
                      "      |       ^~~~~\n"
                      "help: did you mean 'MB/s'?\n"},
    {"rate: 5MB\n", "t.yaml:1:7: error: expected a data rate with a unit (B/s, kB/s, MB/s, KiB/s, "
                    "MiB/s), got '5MB'\n"
                    "    1 | rate: 5MB\n"
                    "      |       ^~~\n"},
    {"lines: 5\n", "t.yaml:1:8: error: expected a number per second (/s, ops/s, lines/s), got '5'\n"
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
    {"rd1: 250  ms\n",
     "t.yaml:1:6: error: expected a time with a unit (ps, ns, us, ms, s, min, h), got '250  ms'\n"
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
    {"slots: 99999999999999999999\n", "t.yaml:1:8: error: '99999999999999999999' is too large\n"
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
    {"policy: {a: 1}\n", "t.yaml:1:10: error: unknown key 'a' in the value policy\n"
                         "    1 | policy: {a: 1}\n"
                         "      |          ^\n"
                         "help: a value may have value, range, from, source and fit\n"
                         "t.yaml:1:9: error: missing key 'value' in the value policy\n"
                         "    1 | policy: {a: 1}\n"
                         "      |         ^\n"
                         "help: write it like {value: 200us, range: 150us..300us}\n"},
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
    {"calls: [4KiB, 8, {a: 1}, [1B]]\n", "t.yaml:1:15: error: expected a size with a unit (B, kB, "
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
    {"calls: {a: 1}\n", "t.yaml:1:8: error: expected a size with a unit (B, kB, MB, GB, TB, KiB, "
                        "MiB, GiB, TiB, sectors), got a map\n"
                        "    1 | calls: {a: 1}\n"
                        "      |        ^\n"},
    {"modes: [spi, sp1]\n", "t.yaml:1:14: error: expected one of spi, sd1, sd4, 1, got 'sp1'\n"
                            "    1 | modes: [spi, sp1]\n"
                            "      |              ^~~\n"
                            "help: did you mean 'spi'?\n"},
    {"cards: [a, [b]]\n", "t.yaml:1:12: error: expected the name of a card, or a map, got a list\n"
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
    {"measured: 5\n", "t.yaml:1:11: error: expected a time, a data rate or a number per second "
                      "with its unit (12ms, 1.37MB/s, 2581 lines/s), got '5'\n"
                      "    1 | measured: 5\n"
                      "      |           ^\n"},
    {"measured: 1.37mb/s\n", "t.yaml:1:11: error: expected a time, a data rate or a number per "
                             "second with its unit (12ms, 1.37MB/s, 2581 lines/s), got '1.37mb/s'\n"
                             "    1 | measured: 1.37mb/s\n"
                             "      |           ^~~~~~~~\n"
                             "help: did you mean 'MB/s'?\n"},
    {"measured: 12MHz\n", "t.yaml:1:11: error: expected a time, a data rate or a number per second "
                          "with its unit (12ms, 1.37MB/s, 2581 lines/s), got '12MHz'\n"
                          "    1 | measured: 12MHz\n"
                          "      |           ^~~~~\n"},
    {"measured: 2ms..1ms\n", "t.yaml:1:11: error: the range '2ms..1ms' is upside down\n"
                             "    1 | measured: 2ms..1ms\n"
                             "      |           ^~~~~~~~\n"
                             "help: write the smaller end first\n"},
    {"measured: 1ms..2MB/s\n",
     "t.yaml:1:11: error: expected a time, a data rate or a number per second with its unit (12ms, "
     "1.37MB/s, 2581 lines/s), got '1ms..2MB/s'\n"
     "    1 | measured: 1ms..2MB/s\n"
     "      |           ^~~~~~~~~~\n"},
    {"measured: fast\n", "t.yaml:1:11: error: expected a time, a data rate or a number per second "
                         "with its unit (12ms, 1.37MB/s, 2581 lines/s), got 'fast'\n"
                         "    1 | measured: fast\n"
                         "      |           ^~~~\n"},
    {"measured: 1ms..\n", "t.yaml:1:11: error: expected a time, a data rate or a number per second "
                          "with its unit (12ms, 1.37MB/s, 2581 lines/s), got '1ms..'\n"
                          "    1 | measured: 1ms..\n"
                          "      |           ^~~~~\n"},
    {"measured: ..1ms\n", "t.yaml:1:11: error: expected a time, a data rate or a number per second "
                          "with its unit (12ms, 1.37MB/s, 2581 lines/s), got '..1ms'\n"
                          "    1 | measured: ..1ms\n"
                          "      |           ^~~~~\n"},
    {"measured: {value: 1ms}\n", "t.yaml:1:11: error: expected a time, a data rate or a number per "
                                 "second with its unit (12ms, 1.37MB/s, 2581 lines/s), got a map\n"
                                 "    1 | measured: {value: 1ms}\n"
                                 "      |           ^\n"},
    {"measured: -5ms\n", "t.yaml:1:11: error: expected a time, a data rate or a number per second "
                         "with its unit (12ms, 1.37MB/s, 2581 lines/s), got '-5ms'\n"
                         "    1 | measured: -5ms\n"
                         "      |           ^~~~\n"},
    {"rd1: {value: 200us, range: 150us..300us, form: measured}\n",
     "t.yaml:1:42: error: unknown key 'form' in the value rd1\n"
     "    1 | rd1: {value: 200us, range: 150us..300us, form: measured}\n"
     "      |                                          ^~~~\n"
     "help: did you mean 'from'?\n"},
    {"rd1: {value: 200us, zzz: 1}\n",
     "t.yaml:1:21: error: unknown key 'zzz' in the value rd1\n"
     "    1 | rd1: {value: 200us, zzz: 1}\n"
     "      |                     ^~~\n"
     "help: a value may have value, range, from, source and fit\n"},
    {"rd1: {range: 150us..300us}\n", "t.yaml:1:6: error: missing key 'value' in the value rd1\n"
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
     "t.yaml:1:28: error: expected a time with a unit (ps, ns, us, ms, s, min, h), got '300mz'\n"
     "    1 | rd1: {value: 200us, range: 150us..300mz}\n"
     "      |                            ^~~~~~~~~~~~\n"
     "help: did you mean 'ms'?\n"},
    {"rd1: {value: 200us, range: 1ns..300us}\n", "t.yaml:1:28: error: '1ns' is outside 1us..1s\n"
                                                 "    1 | rd1: {value: 200us, range: 1ns..300us}\n"
                                                 "      |                            ^~~~~~~~~~\n"},
    {"rd1: {value: 200us, range: [1us, 2us]}\n",
     "t.yaml:1:28: error: expected a text for 'range', got a list\n"
     "    1 | rd1: {value: 200us, range: [1us, 2us]}\n"
     "      |                            ^\n"},
    {"rd1: {value: 200us, range: }\n", "t.yaml:1:21: error: expected a range, got nothing\n"
                                       "    1 | rd1: {value: 200us, range: }\n"
                                       "      |                     ^~~~~\n"
                                       "help: write it as low..high, the 5 % and the 95 % end\n"},
    {"rd1: {value: 200us, from: guessed}\n",
     "t.yaml:1:27: error: expected one of published, calculated, measured, fitted, assumed, got "
     "'guessed'\n"
     "    1 | rd1: {value: 200us, from: guessed}\n"
     "      |                           ^~~~~~~\n"},
    {"rd1: {value: 200us, from: measurd}\n",
     "t.yaml:1:27: error: expected one of published, calculated, measured, fitted, assumed, got "
     "'measurd'\n"
     "    1 | rd1: {value: 200us, from: measurd}\n"
     "      |                           ^~~~~~~\n"
     "help: did you mean 'measured'?\n"},
    {"rd1: {value: 200us, from: unsaid}\n", "t.yaml:1:27: error: expected one of published, "
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
    {"rd1: {value: 200, range: 150us..300us, from: x, fit: y, z: 1}\n",
     "t.yaml:1:46: error: expected one of published, calculated, measured, fitted, assumed, got "
     "'x'\n"
     "    1 | rd1: {value: 200, range: 150us..300us, from: x, fit: y, z: 1}\n"
     "      |                                              ^\n"
     "t.yaml:1:54: error: expected headline, got 'y'\n"
     "    1 | rd1: {value: 200, range: 150us..300us, from: x, fit: y, z: 1}\n"
     "      |                                                      ^\n"
     "t.yaml:1:57: error: unknown key 'z' in the value rd1\n"
     "    1 | rd1: {value: 200, range: 150us..300us, from: x, fit: y, z: 1}\n"
     "      |                                                         ^\n"
     "help: a value may have value, range, from, source and fit\n"
     "t.yaml:1:14: error: expected a time with a unit (ps, ns, us, ms, s, min, h), got '200'\n"
     "    1 | rd1: {value: 200, range: 150us..300us, from: x, fit: y, z: 1}\n"
     "      |              ^~~\n"
     "help: did you mean 200ms or 200us?\n"},
    {"au: {value: 4MiB}\n", "t.yaml:1:5: error: expected a size with a unit (B, kB, MB, GB, TB, "
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
     "help: known keys: card, bus, rd1, clock, au, rate, lines, fill, slots, factor, offset, "
     "policy, cache, label, calls, modes, steps, cards, costs, measured, wide\n"},
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
    {"source: [a, [b]]\n", "t.yaml:1:9: error: expected a text or a list of texts for 'source', "
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

static void test_messages(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct sdsim_test_config f;
        sdsim_test_config_set_up(&f, NULL);
        char text[300];
        snprintf(text, sizeof text, "%s%s", rows[i].text,
                 strncmp(rows[i].text, "steps", 5) == 0 ? "" : "steps: {call: 1B}\n");
        const struct sdsim_node *root =
            sdsim_config_parse_text(f.config, "t.yaml", text, strlen(text), &f.diags);
        assert_non_null(root);
        struct example out;
        const struct sdsim_draw draw = {.seed = 1, .k = 1};
        const bool bound = sdsim_bind(f.config, &example_schema, root, "p", &draw, &out, &f.diags);
        char *printed = sdsim_test_diag_text(&f.diags);
        if (bound || strcmp(printed, rows[i].said) != 0) {
            fail_msg("%sexpected\n%sgot%s\n%s", rows[i].text, rows[i].said,
                     bound ? " it bound, and" : "", printed);
        }
        free(printed);
        sdsim_test_config_tear_down(&f);
    }
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
        "help: known keys: card, bus, rd1, clock, au, rate, lines, fill, slots, factor, offset, "
        "policy, cache, label, calls, modes, steps, cards, costs, measured, wide\n"
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
        cmocka_unit_test(test_long_texts_are_cut),
        cmocka_unit_test(test_messages_of_merged_trees),
        cmocka_unit_test(test_limits_are_exact),
        cmocka_unit_test(test_bad_fallback),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
