/* Runs of clocks: bytes there and back, and where the first one differs, wherever that is. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdbool.h>
#include <string.h>

#include "card/sd_lines.h"

enum { MOST = 700 }; /* more than two of the groups that are looked at together */

static void test_bytes(void **state)
{
    (void)state;
    uint8_t bytes[MOST / 2];
    uint8_t back[sizeof bytes];
    struct sdsim_sd_lines lines[MOST];
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)(i * 167 + i / 256);
    }
    for (size_t count = 0; count <= sizeof bytes; count++) {
        memset(lines, 0xA5, sizeof lines);
        memset(back, 0x5A, sizeof back);
        sdsim_sd_lines_of(bytes, count, lines);
        for (size_t i = 0; i < 2 * count; i++) {
            assert_int_equal(lines[i].cmd, 1);
            assert_int_equal(lines[i].dat, i % 2 == 0 ? bytes[i / 2] >> 4 : bytes[i / 2] & 0xF);
            lines[i].cmd = i % 3 == 0;
        }
        sdsim_sd_lines_bytes(lines, count, back);
        assert_memory_equal(back, bytes, count);
        for (size_t i = count; i < sizeof back; i++) {
            assert_int_equal(back[i], 0x5A);
        }
    }
}

/* One clock at `at` is different; how far each function comes. */
static void check_at(struct sdsim_sd_lines *lines, size_t most, size_t at)
{
    static const struct {
        struct sdsim_sd_lines clock;
        bool cmd_free;
        bool free;
    } rows[] = {
        {{1, 0xF}, true, true},   {{0, 0xF}, false, false},  {{1, 0xE}, true, false},
        {{1, 0x7}, true, false},  {{0, 0x0}, false, false},  {{2, 0xF}, true, true},
        {{1, 0x1F}, true, false}, {{0x80, 0xF}, true, true},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        lines[at] = rows[r].clock;
        const size_t here = at < most ? at : most;
        assert_int_equal(sdsim_sd_lines_cmd_free(lines, most), rows[r].cmd_free ? most : here);
        assert_int_equal(sdsim_sd_lines_free(lines, most), rows[r].free ? most : here);
    }
    lines[at] = SDSIM_SD_RELEASED;
}

static void test_where_it_differs(void **state)
{
    (void)state;
    static const size_t lengths[] = {0, 1, 3, 4, 5, 255, 256, 257, 515, MOST - 1};
    struct sdsim_sd_lines lines[MOST];
    for (size_t i = 0; i < MOST; i++) {
        lines[i] = SDSIM_SD_RELEASED;
    }
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
        for (size_t at = 0; at < MOST; at++) {
            check_at(lines, lengths[l], at);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bytes),
                                       cmocka_unit_test(test_where_it_differs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
