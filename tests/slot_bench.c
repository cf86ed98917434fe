#include "slot_bench.h"

#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST = 2000, /* bytes of one exchange */
    ANY = -1,
};

static struct sdsim_slot *slot_with(const char *card)
{
    struct sdsim_slot *slot = sdsim_slot_create();
    assert_non_null(slot);
    if (sdsim_slot_insert_text(slot, "bench.yaml", card, strlen(card), 1, 0) != SDSIM_OK) {
        fail_msg("%s", sdsim_slot_error(slot));
    }
    assert_int_equal(sdsim_slot_set_clock(slot, 8000000, 1), SDSIM_OK);
    return slot;
}

struct sdsim_slot *sdsim_test_slot(void)
{
    return slot_with(SDSIM_TEST_CARD);
}

/* Bytes of a text; returns their number. */
static size_t parse(const char *text, int *bytes)
{
    size_t count = 0;
    while (*(text += strspn(text, " ")) != '\0') {
        char *end;
        const int byte = strncmp(text, "..", 2) == 0 ? ANY : (int)strtol(text, &end, 16);
        end = byte == ANY ? (char *)text + 2 : end;
        const long times = *end == '*' ? strtol(end + 1, &end, 10) : 1;
        assert_true(end > text && times > 0 && count + (size_t)times <= MOST);
        for (long i = 0; i < times; i++) {
            bytes[count++] = byte;
        }
        text = end;
    }
    return count;
}

void sdsim_test_exchange(struct sdsim_slot *slot, const char *host, const char *card)
{
    int expected[MOST];
    int sent[MOST];
    uint8_t bytes[MOST];
    uint8_t got[MOST];
    const size_t count = parse(card, expected);
    const size_t given = parse(host, sent);
    assert_true(given <= count);
    for (size_t i = 0; i < count; i++) {
        bytes[i] = i < given ? (uint8_t)sent[i] : 0xFF;
    }
    assert_int_equal(sdsim_slot_exchange(slot, bytes, got, count), SDSIM_OK);
    for (size_t i = 0; i < count; i++) {
        if (expected[i] != ANY && got[i] != expected[i]) {
            fail_msg("%s -> %s: byte %zu is %02X, not %02X", host, card, i, got[i],
                     (unsigned)expected[i]);
        }
    }
}

struct sdsim_slot *sdsim_test_spi_slot(void)
{
    struct sdsim_slot *slot = sdsim_test_slot();
    assert_int_equal(sdsim_slot_advance(slot, UINT64_C(1000000000)), SDSIM_OK);
    sdsim_test_exchange(slot, "", "FF*10");
    assert_int_equal(sdsim_slot_select(slot, 1), SDSIM_OK);
    sdsim_test_exchange(slot, "40 00 00 00 00 95", "FF*7 01 FF");
    sdsim_test_exchange(slot, "48 00 00 01 AA 87", "FF*7 01 00 00 01 AA FF");
    for (int i = 0; i < 2; i++) {
        sdsim_test_exchange(slot, "77 00 00 00 00 FF", "FF*7 01 FF");
        sdsim_test_exchange(slot, "69 40 00 00 00 FF", i == 0 ? "FF*7 01 FF" : "FF*7 00 FF");
        assert_int_equal(sdsim_slot_advance(slot, UINT64_C(1000000000)), SDSIM_OK);
    }
    return slot;
}

uint32_t sdsim_test_sd_command(struct sdsim_slot *slot, uint32_t index, uint32_t argument,
                               int32_t result)
{
    uint8_t bytes[6] = {0};
    const int32_t got = sdsim_slot_command(slot, index, argument, SDSIM_SHORT_RESPONSE, bytes);
    if (got != result) {
        fail_msg("CMD%lu: %s", (unsigned long)index, sdsim_result_text(got));
    }
    return (uint32_t)bytes[1] << 24 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 8 | bytes[4];
}

struct sdsim_slot *sdsim_test_sd_slot(uint32_t lines)
{
    return sdsim_test_sd_slot_with(SDSIM_TEST_CARD, lines);
}

struct sdsim_slot *sdsim_test_sd_slot_with(const char *card, uint32_t lines)
{
    struct sdsim_slot *slot = slot_with(card);
    assert_int_equal(sdsim_slot_advance(slot, UINT64_C(1000000000)), SDSIM_OK);
    assert_int_equal(sdsim_slot_clock_lines(slot, NULL, NULL, 74), SDSIM_OK);
    assert_int_equal(sdsim_slot_command(slot, 0, 0, SDSIM_NO_BITS, NULL), SDSIM_OK);
    assert_int_equal(sdsim_test_sd_command(slot, 8, 0x1AA, SDSIM_OK), 0x1AA);
    for (int i = 0; i < 2; i++) {
        (void)sdsim_test_sd_command(slot, 55, 0, SDSIM_OK);
        const uint32_t ocr = sdsim_test_sd_command(slot, 41, 0x40FF8000, SDSIM_OK);
        assert_int_equal(ocr, i == 0 ? 0x40FF8000 & ocr : 0xC0FF8000);
        assert_int_equal(sdsim_slot_advance(slot, UINT64_C(1000000000)), SDSIM_OK);
    }
    assert_int_equal(sdsim_slot_command(slot, 2, 0, SDSIM_LONG_RESPONSE, NULL), SDSIM_OK);
    const uint32_t address = sdsim_test_sd_command(slot, 3, 0, SDSIM_OK) & 0xFFFF0000;
    assert_int_equal(address, SDSIM_TEST_ADDRESS);
    (void)sdsim_test_sd_command(slot, 7, address, SDSIM_OK);
    assert_int_equal(sdsim_slot_wait(slot, UINT64_C(1000000000)), SDSIM_OK);
    if (lines == 4) {
        (void)sdsim_test_sd_command(slot, 55, address, SDSIM_OK);
        (void)sdsim_test_sd_command(slot, 6, 2, SDSIM_OK);
    }
    return slot;
}

void sdsim_test_fill(uint8_t *bytes, size_t size, uint32_t seed)
{
    for (size_t i = 0; i < size; i++) {
        seed = seed * 1664525u + 1013904223u;
        bytes[i] = (uint8_t)(seed >> 24);
    }
}
