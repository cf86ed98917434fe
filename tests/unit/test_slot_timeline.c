/* The library's timeline: spans of bus and card, with their times. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "slot_bench.h"

#define BYTE UINT64_C(1000000) /* ps; a clock is an eighth of it */
#define MS   UINT64_C(1000000000)

struct heard {
    uint64_t origin;
    uint64_t unit;       /* of the times in `text` */
    uint64_t free_at[2]; /* of each track */
    bool cut;            /* spans may overlap */
    char text[2][4000];  /* of each track: "command(17) @0+6, response @6+2, ..." */
};

static void hear(void *context, uint32_t track, uint32_t kind, uint64_t start, uint64_t duration,
                 uint32_t detail)
{
    struct heard *heard = context;
    assert_in_range(track, 0, 1);
    assert_true(start >= heard->free_at[track] || heard->cut);
    assert_true(duration > 0);
    heard->free_at[track] = start + duration;
    char *text = heard->text[track];
    const size_t used = strlen(text);
    char number[30] = "";
    if (kind == SDSIM_SPAN_COMMAND || kind == SDSIM_SPAN_READ || kind == SDSIM_SPAN_WRITE ||
        kind == SDSIM_SPAN_ACCESS) {
        snprintf(number, sizeof number, "(%ld)", detail == SDSIM_NO_SECTOR ? -1L : (long)detail);
    }
    snprintf(text + used, sizeof heard->text[0] - used, "%s%s%s @%g+%g", used > 0 ? ", " : "",
             sdsim_span_name(kind), number, (double)(start - heard->origin) / (double)heard->unit,
             (double)duration / (double)heard->unit);
}

static struct sdsim_slot *listen(struct heard *heard, struct sdsim_slot *slot)
{
    *heard = (struct heard){.origin = sdsim_slot_now(slot), .unit = BYTE};
    assert_int_equal(sdsim_slot_set_timeline(slot, hear, heard), SDSIM_OK);
    return slot;
}

static void names(void **state)
{
    (void)state;
    static const char *const expected[] = {"gap",    "clocks", "command", "response",
                                           "read",   "write",  "stop",    "wait",
                                           "access", "busy",   "pause",   ""};
    for (uint32_t kind = 0; kind < sizeof expected / sizeof *expected; kind++) {
        assert_string_equal(sdsim_span_name(kind), expected[kind]);
    }
    assert_string_equal(sdsim_span_name(UINT32_MAX), "");
    assert_int_equal(sdsim_slot_set_timeline(NULL, NULL, NULL), SDSIM_E_ARGUMENT);
}

static void spi_read(void **state)
{
    (void)state;
    struct heard heard;
    struct sdsim_slot *slot = listen(&heard, sdsim_test_spi_slot());
    sdsim_test_exchange(slot, "52 00 00 00 05 FF", "FF*7 00 FF*8 FE 00*514");
    for (int i = 0; i < 6; i++) {
        sdsim_test_exchange(slot, "FF", i < 5 ? "FF" : "FE"); /* byte by byte */
    }
    sdsim_test_exchange(slot, "", "00*10");
    assert_int_equal(sdsim_slot_advance(slot, 3 * BYTE), SDSIM_OK);
    sdsim_test_exchange(slot, "4C 00 00 00 00 FF", "00*6 FF 00 FF*2");
    assert_int_equal(sdsim_slot_select(slot, 0), SDSIM_OK);
    sdsim_test_exchange(slot, "", "FF");
    assert_string_equal(heard.text[SDSIM_TRACK_BUS],
                        "command(18) @0+6, response @6+2, wait @8+8, read(5) @16+515, "
                        "wait @531+5, read(6) @536+11, gap @547+3, command(12) @550+6, "
                        "response @556+2");
    assert_string_equal(heard.text[SDSIM_TRACK_CARD], "access(5) @6+10, access(6) @531+5");
    sdsim_slot_destroy(slot);
    assert_non_null(strstr(heard.text[SDSIM_TRACK_BUS], "response @556+2, clocks @558+3"));
}

static void spi_write(void **state)
{
    (void)state;
    struct heard heard;
    struct sdsim_slot *slot = listen(&heard, sdsim_test_spi_slot());
    sdsim_test_exchange(slot, "59 00 00 00 05 FF", "FF*7 00 FF");
    sdsim_test_exchange(slot, "FC 00*514", "FF*515 05 00*3 FF");
    /* a stream of one block ends as a lone block: w1 in all, of which wn is over */
    sdsim_test_exchange(slot, "FD FF", "FF*2 00*15 FF");
    assert_int_equal(sdsim_slot_set_timeline(slot, NULL, NULL), SDSIM_OK);
    assert_string_equal(heard.text[SDSIM_TRACK_BUS],
                        "command(25) @0+6, response @6+2, clocks @8+1, write(5) @9+515, "
                        "response @524+1, wait @525+3, clocks @528+1, stop @529+1, clocks @530+1, "
                        "wait @531+15, clocks @546+1");
    assert_string_equal(heard.text[SDSIM_TRACK_CARD], "busy @524+4, busy @530+16");
    sdsim_test_exchange(slot, "", "FF*3"); /* nobody listens any more */
    assert_null(strstr(heard.text[SDSIM_TRACK_BUS], "@547"));
    sdsim_slot_destroy(slot);
}

static void spi_register(void **state)
{
    (void)state;
    struct heard heard;
    struct sdsim_slot *slot = listen(&heard, sdsim_test_spi_slot());
    sdsim_test_exchange(slot, "49 00 00 00 00 FF", "FF*7 00 FF FE ..*18 FF");
    sdsim_slot_destroy(slot);
    assert_string_equal(heard.text[SDSIM_TRACK_BUS],
                        "command(9) @0+6, response @6+2, wait @8+1, read(-1) @9+19, clocks @28+1");
    assert_string_equal(heard.text[SDSIM_TRACK_CARD], "");
}

/* A timeline changes nothing. */
static void only_looking(void **state)
{
    (void)state;
    static const char host[] = "52 00 00 00 05 FF FF*600 4C 00 00 00 00 FF";
    struct heard heard;
    struct sdsim_slot *heard_slot = listen(&heard, sdsim_test_spi_slot());
    struct sdsim_slot *slot = sdsim_test_spi_slot();
    for (int i = 0; i < 5; i++) {
        sdsim_test_exchange(heard_slot, host, "..*900");
        sdsim_test_exchange(slot, host, "..*900");
    }
    assert_int_equal(sdsim_slot_now(slot), sdsim_slot_now(heard_slot));
    sdsim_slot_destroy(slot);
    sdsim_slot_destroy(heard_slot);
}

/* A card without power does nothing, and what it did is cut short. */
static void power(void **state)
{
    (void)state;
    struct heard heard;
    struct sdsim_slot *slot = listen(&heard, sdsim_test_spi_slot());
    sdsim_test_exchange(slot, "58 00 00 00 05 FF", "FF*7 00 FF");
    sdsim_test_exchange(slot, "FE 00*514", "FF*515 05 00");
    assert_int_equal(sdsim_slot_power(slot, 0), SDSIM_OK);
    sdsim_test_exchange(slot, "", "FF*3");
    sdsim_slot_destroy(slot);
    assert_string_equal(heard.text[SDSIM_TRACK_BUS],
                        "command(24) @0+6, response @6+2, clocks @8+1, write(5) @9+515, "
                        "response @524+1, wait @525+1, clocks @526+3");
    assert_string_equal(heard.text[SDSIM_TRACK_CARD], "busy @524+20");
}

/* An access that CMD12 ends is over, and the next one begins when its command says. */
static void cut_short(void **state)
{
    (void)state;
    char text[] = SDSIM_TEST_CARD;
    struct heard heard;
    struct sdsim_slot *slot = sdsim_test_spi_slot();
    memcpy(strstr(text, "rd1: 10us"), "rd1: 90us", 9);
    assert_int_equal(sdsim_slot_insert_text(slot, "slow", text, strlen(text), 1, 0), SDSIM_OK);
    assert_int_equal(sdsim_slot_advance(slot, MS), SDSIM_OK);
    sdsim_test_exchange(slot, "40 00 00 00 00 95", "FF*7 01 FF");
    sdsim_test_exchange(slot, "48 00 00 01 AA 87", "FF*7 01 00 00 01 AA FF");
    for (int i = 0; i < 2; i++) {
        sdsim_test_exchange(slot, "77 00 00 00 00 FF", "FF*7 01 FF");
        sdsim_test_exchange(slot, "69 40 00 00 00 FF", "FF*7 .. FF");
        assert_int_equal(sdsim_slot_advance(slot, MS), SDSIM_OK);
    }
    (void)listen(&heard, slot);
    heard.cut = true;
    sdsim_test_exchange(slot, "52 00 00 00 05 FF", "FF*7 00 FF");
    sdsim_test_exchange(slot, "4C 00 00 00 00 FF", "FF*7 00 FF");
    sdsim_test_exchange(slot, "51 00 00 00 05 FF", "FF*7 00 FF");
    assert_string_equal(heard.text[SDSIM_TRACK_CARD], "access(5) @6+90, access(5) @24+90");
    sdsim_slot_destroy(slot);
}

/* Times in clocks of 8 MHz: rd1 80, w1 160; N_CR 4. */
static void sd_mode(void **state)
{
    (void)state;
    struct heard heard;
    uint8_t block[512] = {0};
    struct sdsim_slot *slot = listen(&heard, sdsim_test_sd_slot(4));
    heard.unit = BYTE / 8;
    (void)sdsim_test_sd_command(slot, 17, 5, SDSIM_OK);
    assert_int_equal(sdsim_slot_read_data(slot, block, sizeof block, 4, MS), SDSIM_OK);
    (void)sdsim_test_sd_command(slot, 24, 5, SDSIM_OK);
    assert_int_equal(sdsim_slot_write_data(slot, block, sizeof block, 4), SDSIM_OK);
    assert_int_equal(sdsim_slot_wait(slot, MS), SDSIM_OK);
    assert_int_equal(sdsim_slot_clock_lines(slot, NULL, NULL, 3), SDSIM_OK);
    sdsim_slot_destroy(slot);
    assert_string_equal(heard.text[SDSIM_TRACK_BUS],
                        "command(17) @0+48, response @48+52, clocks @100+8, wait @108+20, "
                        "read(5) @128+1042, command(24) @1170+48, response @1218+52, "
                        "clocks @1270+10, write(5) @1280+1042, response @2322+7, wait @2329+154, "
                        "clocks @2483+3");
    assert_string_equal(heard.text[SDSIM_TRACK_CARD], "access(5) @48+80, busy @2322+160");
}

/* A timeline changes nothing in SD mode either, raw lines included. */
static void only_looking_sd(void **state)
{
    (void)state;
    enum { CLOCKS = 3000 };
    static uint8_t lines[2][CLOCKS];
    struct heard heard;
    struct sdsim_slot *slots[2] = {sdsim_test_sd_slot(4), sdsim_test_sd_slot(4)};
    (void)listen(&heard, slots[0]);
    for (int i = 0; i < 2; i++) {
        (void)sdsim_test_sd_command(slots[i], 18, 5, SDSIM_OK);
        assert_int_equal(sdsim_slot_clock_lines(slots[i], NULL, lines[i], CLOCKS), SDSIM_OK);
    }
    assert_memory_equal(lines[0], lines[1], CLOCKS);
    assert_int_equal(sdsim_slot_now(slots[0]), sdsim_slot_now(slots[1]));
    assert_non_null(strstr(heard.text[SDSIM_TRACK_CARD], "access(5) @"));
    assert_non_null(strstr(heard.text[SDSIM_TRACK_CARD], "access(6) @"));
    sdsim_slot_destroy(slots[0]);
    sdsim_slot_destroy(slots[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sd_mode),         cmocka_unit_test(cut_short),
        cmocka_unit_test(only_looking_sd), cmocka_unit_test(names),
        cmocka_unit_test(spi_read),        cmocka_unit_test(spi_write),
        cmocka_unit_test(spi_register),    cmocka_unit_test(only_looking),
        cmocka_unit_test(power),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
