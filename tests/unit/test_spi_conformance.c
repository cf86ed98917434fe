/*
 * Exchanges over SPI, byte for byte, as they are seen on real cards and told in public threads. A
 * line is what the host sends and what it must get:
 *
 *     4000000095 -> 01          bytes out with CS low; then 0xFF until the card answers (at most 8
 *                               bytes of 0xFF), and the answer's bytes
 *     4000000095 -> -           no answer in 16 bytes
 *     !FF*10                    bytes out with CS high; what comes back must be 0xFF
 *     !FF*1 = 7F                the same, but what comes back is said
 *     FF*3 = 00 00 FF           exact bytes in return for these
 *     ~25ms                     time passes
 *     xx                        in an answer: any byte
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "card/spi_pins.h"
#include "core/crc.h"

#define BYTE (20 * SDSIM_US) /* 400 kHz */

enum {
    MOST_BYTES = 1200,
    MOST_LINES = 24,
};

static const struct sdsim_card_params sdhc = {
    .type = SDSIM_SDHC,
    .capacity = 8 << 20,
    .n_cr = 1,
    .n_ac = 1,
    .n_br = 1,
    .init_time = 2 * SDSIM_MS,
    .flash = {.rd1 = 100 * SDSIM_US,
              .w1 = SDSIM_MS,
              .wstop = SDSIM_MS,
              .page_bytes = 32768,
              .erase = SDSIM_MS},
};

struct bench {
    struct sdsim_card_params params;
    struct sdsim_medium *medium;
    struct sdsim_card card;
    struct sdsim_spi_pins pins;
    sdsim_ps now;
};

static uint8_t exchange(struct bench *bench, uint8_t mosi)
{
    const uint8_t miso = sdsim_spi_exchange(&bench->pins, bench->now, bench->now + BYTE, mosi);
    bench->now += BYTE;
    return miso;
}

/* Reads "4D 00", "FF*10", "xx" up to `end`; -1 stands for xx. Returns how many. */
static size_t bytes_of(const char *text, const char *end, int out[MOST_BYTES])
{
    size_t count = 0;
    while (text < end) {
        if (*text == ' ') {
            text++;
            continue;
        }
        const char pair[3] = {text[0], text[1], 0};
        const int byte = strcmp(pair, "xx") == 0 ? -1 : (int)strtol(pair, NULL, 16);
        text += 2;
        long times = 1;
        if (text < end && *text == '*') {
            char *behind;
            times = strtol(text + 1, &behind, 10);
            text = behind;
        }
        for (long i = 0; i < times; i++) {
            assert_true(count < MOST_BYTES);
            out[count++] = byte;
        }
    }
    return count;
}

static void compare(const char *name, const char *line, size_t at, int expected, uint8_t got)
{
    if (expected >= 0 && expected != got) {
        fail_msg("%s: '%s': byte %zu is %02X, not %02X", name, line, at, got, (unsigned)expected);
    }
}

static void pass_time(struct bench *bench, const char *line)
{
    char *unit;
    const unsigned long number = strtoul(line + 1, &unit, 10);
    bench->now += number * (strcmp(unit, "ms") == 0 ? SDSIM_MS : SDSIM_US);
}

/* The first byte of an answer: what is not 0xFF, or bit 7 of which is clear. */
static uint8_t await_answer(struct bench *bench, unsigned most)
{
    uint8_t byte = 0xFF;
    for (unsigned i = 0; i < most && byte == 0xFF; i++) {
        byte = exchange(bench, 0xFF);
    }
    return byte;
}

static void run_line(struct bench *bench, const char *name, const char *line)
{
    int out[MOST_BYTES];
    int in[MOST_BYTES];
    if (line[0] == '~') {
        pass_time(bench, line);
        return;
    }
    const bool high = line[0] == '!';
    const char *arrow = strstr(line, "->");
    const char *equal = strchr(line, '=');
    const char *end = arrow != NULL ? arrow : equal != NULL ? equal : line + strlen(line);
    const size_t sent = bytes_of(line + high, end, out);
    const bool silence = arrow != NULL && arrow[3] == '-';
    const char *answer = arrow != NULL ? arrow + 2 : equal != NULL ? equal + 1 : NULL;
    const size_t due =
        answer != NULL && !silence ? bytes_of(answer, answer + strlen(answer), in) : 0;
    sdsim_spi_select(&bench->pins, !high);
    for (size_t i = 0; i < sent; i++) {
        const uint8_t miso = exchange(bench, (uint8_t)out[i]);
        if (equal != NULL) {
            assert_true(i < due);
            compare(name, line, i, in[i], miso);
        } else if (high) {
            compare(name, line, i, 0xFF, miso);
        }
    }
    if (silence) {
        compare(name, line, 0, 0xFF, await_answer(bench, 16));
    } else if (arrow != NULL) {
        compare(name, line, 0, in[0], await_answer(bench, 600));
        for (size_t i = 1; i < due; i++) {
            /* Before a start token any number of free bytes may come. */
            uint8_t miso = exchange(bench, 0xFF);
            for (int n = 0; in[i] == 0xFE && miso == 0xFF && n < 100; n++) {
                miso = exchange(bench, 0xFF);
            }
            compare(name, line, i, in[i], miso);
        }
    }
}

/* Changes what the row says of a card. */
typedef void change(struct sdsim_card_params *params);

static void strict(struct sdsim_card_params *params)
{
    params->wake_clocks = 74;
}

static void early_ccs(struct sdsim_card_params *params)
{
    params->ccs_while_busy = true;
    params->init_time = SDSIM_S;
}

static void lenient(struct sdsim_card_params *params)
{
    early_ccs(params);
    params->lenient_in_idle = true;
}

static void late_start(struct sdsim_card_params *params)
{
    params->power_up_time = 25 * SDSIM_MS;
}

static void hasty(struct sdsim_card_params *params)
{
    params->inquiry_gap = 5 * SDSIM_MS;
}

static void version_1(struct sdsim_card_params *params)
{
    params->version = SDSIM_VERSION_1_10;
    params->type = SDSIM_SDSC;
}

static void busy_at_once(struct sdsim_card_params *params)
{
    params->n_br = 0;
}

static void slow_edges(struct sdsim_card_params *params)
{
    params->release_clocks = 1;
    params->reselect_clocks = 1;
}

static void low_start(struct sdsim_card_params *params)
{
    params->first_do = SDSIM_DO_LOW;
}

static void floating_start(struct sdsim_card_params *params)
{
    params->first_do = SDSIM_DO_FLOATING;
}

static void stuff_7f(struct sdsim_card_params *params)
{
    params->stuff_byte = SDSIM_STUFF_7F;
}

static void no_gap(struct sdsim_card_params *params)
{
    params->n_cr = 0;
    params->n_ac = 0;
    params->flash.rd1 = 0;
}

#define READY                                                                                      \
    "!FF*10", "400000000095 -> 01", "48000001AA87 -> 01 00 00 01 AA", "770000000065 -> 01",        \
        "694000000077 -> 01", "~2ms", "770000000065 -> 01", "694000000077 -> 00"

static const struct {
    const char *name;
    change *change;
    const char *lines[MOST_LINES];
} exchanges[] = {
    {"the idle bit and bit 31 of the OCR agree",
     NULL,
     {"!FF*10", "400000000095 -> 01", "48000001AA87 -> 01 00 00 01 AA",
      "7A00000000FD -> 01 00 FF 80 00", "770000000065 -> 01", "694000000077 -> 01", "~2ms",
      "770000000065 -> 01", "694000000077 -> 00", "7A00000000FD -> 00 C0 FF 80 00"}},
    {"ACMD41 sent once",
     early_ccs,
     {"!FF*10", "400000000095 -> 01", "48000001AA87 -> 01 00 00 01 AA", "770000000065 -> 01",
      "694000000077 -> 01", "7A00000000FD -> 01 40 FF 80 00", "500000020015 -> 05",
      "510000000055 -> 05", "FF*20 = FF*20"}},
    {"a card that calls nothing illegal in idle state",
     lenient,
     {"!FF*10", "400000000095 -> 01", "48000001AA87 -> 01 00 00 01 AA", "770000000065 -> 01",
      "694000000077 -> 01", "500000020015 -> 01", "510000000055 -> 01", "4E0000000001 -> 05",
      "FF*20 = FF*20"}},
    {"no CMD8, and the card takes no notice of HCS",
     NULL,
     {"!FF*10", "400000000095 -> 01", "770000000065 -> 01", "694000000077 -> 01", "~900ms",
      "770000000065 -> 01", "694000000077 -> 01", "7A00000000FD -> 01 00 FF 80 00",
      "48000001AA87 -> 01 00 00 01 AA", "770000000065 -> 01", "694000000077 -> 00"}},
    {"a stream is over with the block that is refused",
     NULL,
     {READY, "7B0000000183 -> 00", "590000000003 -> 00", "FF = FF", "FC 00*512 00 01 = FF*515",
      "FF = 0B", "FC 00*514 = FF*515", "FF*5 = FF*5", "4C0000000061 -> 00", "~2ms",
      "770000000065 -> 00", "560000000043 -> 00 FE 00 00 00 00"}},
    {"silent for 25 ms after power-up",
     late_start,
     {"~1ms", "!FF*10", "400000000095 -> -", "~30ms", "!FF*10", "400000000095 -> 01"}},
    {"an ACMD41 too soon behind one that only asks",
     hasty,
     {"!FF*10", "400000000095 -> 01", "48000001AA87 -> 01 00 00 01 AA", "770000000065 -> 01",
      "6900000000E5 -> 01", "770000000065 -> 01", "694000000077 -> 01", "~900ms",
      "770000000065 -> 01", "694000000077 -> 01"}},
    {"an ACMD41 in good time behind one that only asks",
     hasty,
     {"!FF*10", "400000000095 -> 01", "48000001AA87 -> 01 00 00 01 AA", "770000000065 -> 01",
      "6900000000E5 -> 01", "~5ms", "770000000065 -> 01", "694000000077 -> 01", "~2ms",
      "770000000065 -> 01", "694000000077 -> 00"}},
    {"a strict card, 80 clocks with CS low", strict, {"FF*10", "400000000095 -> -"}},
    {"a strict card, 72 clocks with CS high", strict, {"!FF*9", "400000000095 -> -"}},
    {"a strict card, MOSI low meanwhile", strict, {"!00*10", "400000000095 -> -"}},
    {"a strict card, 80 clocks with CS high", strict, {"!FF*10", "400000000095 -> 01"}},
    {"a tolerant card, 80 clocks with CS low", NULL, {"FF*10", "400000000095 -> 01"}},
    {"CS high: no answer, state unchanged",
     NULL,
     {"!400000000095 FF*16", READY, "!400000000095 FF*16", "4D000000000D -> 00 00"}},
    {"SD status: R2, then a block",
     NULL,
     {READY, "770000000065 -> 00", "4D000000000D -> 00 00 FE 00*63", "FF*3 = 00 xx xx"}},
    {"what stock drivers ask",
     NULL,
     {READY, "500000020015 -> 00", "46 80 FF FF F1 CB -> 00 FE", "!FF", "4900000000AF -> 00 FE 40",
      "!FF", "4A000000001B -> 00 FE", "!FF", "770000000065 -> 00", "7300000000C7 -> 00 FE 02 35",
      "!FF", "770000000065 -> 00", "6A0000000051 -> 00", "770000000065 -> 00", "57000000083F -> 00",
      "770000000065 -> 00", "560000000061 -> 00 FE 00 00 00 00"}},
    {"commands of no SPI card",
     NULL,
     {READY, "5700000008BF -> 04", "42000000004D -> 04", "430000000021 -> 04", "540000000025 -> 04",
      "5B000000000F -> 04", "6A0000000051 -> 04", "780000000027 -> 04", "400000000095 -> 01",
      "42000000004D -> 05", "4100000000F9 -> 01"}},
    {"CMD1 initialises as well",
     NULL,
     {"!FF*10", "400000000095 -> 01", "48000001AA87 -> 01 00 00 01 AA", "4140000000FF -> 01",
      "~2ms", "4140000000FF -> 00"}},
    {"a read goes beyond the end: an error token, and R2 tells of it once",
     NULL,
     {READY, "5200003FFFFF -> 00 FE 00*514", "FF*4 = FF 08 FF 08", "4C0000000061 -> 00",
      "4D000000000D -> 00 80", "4D000000000D -> 00 00"}},
    {"a version 1 card does not know CMD8, and has byte addresses",
     version_1,
     {"!FF*10", "400000000095 -> 01", "48000001AA87 -> 05", "770000000065 -> 01",
      "6900000000E5 -> 01", "~2ms", "770000000065 -> 01", "6900000000E5 -> 00",
      "7A00000000FD -> 00 80 FF 80 00", "500000020015 -> 00", "500000010001 -> 40",
      "5100000001FF -> 20", "5100000200FF -> 00 FE 00"}},
    {"nothing but CMD0 before SPI mode",
     NULL,
     {"!FF*10", "48000001AA87 -> -", "7A00000000FD -> -", "4D000000000D -> -", "770000000065 -> -",
      "400000000095 -> 01"}},
    {"CMD0 in SPI mode: its check sum is one like others",
     NULL,
     {READY, "4000000000FF -> 01", "7B0000000183 -> 01", "4000000000FF -> 09", "400000000095 -> 01",
      "4000000000FF -> 01"}},
    {"a read of the last block that is stopped behind it went nowhere else",
     NULL,
     {READY, "5200003FFFFF -> 00 FE 00*514", "4C0000000061 -> 00", "4D000000000D -> 00 00"}},
    {"check sums off and on",
     NULL,
     {"!FF*10", "400000000094 -> -", "400000000095 -> 01", "48000001AA86 -> 09",
      "7700000000FF -> 01", "7B0000000183 -> 01", "7700000000FF -> 09", "7B0000000091 -> 01",
      "7700000000FF -> 01"}},
    {"addresses, and what R2 tells of them once",
     NULL,
     {READY, "5100FFFFFFFF -> 40", "4D000000000D -> 00 80", "4D000000000D -> 00 00"}},
    {"erase: a sequence out of order, and one that is broken off",
     NULL,
     {READY, "6600000000FF -> 10", "6100000005FF -> 10", "6000000002FF -> 00", "6100000001FF -> 00",
      "6600000000FF -> 10", "4D000000000D -> 00 40", "6000000002FF -> 00", "770000000065 -> 02",
      "6900000000E5 -> 00", "6600000000FF -> 10", "6000000002FF -> 00", "6100000003FF -> 00",
      "6600000000FF -> 00 00 00"}},
    {"no gap at all",
     no_gap,
     {"!FF*10", "400000000095 FF = FF*6 01", "48000001AA87 FF*5 = FF*6 01 00 00 01 AA"}},
    {"a stuff byte that looks like R1",
     stuff_7f,
     {READY, "5200000000E1 -> 00 FE 00", "4C0000000061 FF*2 = 00*6 7F 00"}},
    {"busy one byte behind the stop token: polled too early it looks ready",
     NULL,
     {READY, "5900000000FF -> 00", "FF = FF", "FC 11*514 = FF*515", "FF = 05", "FF = FF", "FD = FF",
      "FF = FF", "5800000000FF = 00*6", "FF*20 = 00*20"}},
    {"busy right behind the stop token",
     busy_at_once,
     {READY, "5900000000FF -> 00", "FF = FF", "FC 11*514 = FF*515", "FF = 05", "FF = FF", "FD = FF",
      "FF = 00"}},
    {"busy across CS, both edges one clock late",
     slow_edges,
     {READY, "5800000000FF -> 00", "FF = FF", "FE 11*514 = FF*515", "FF = 05", "FF = 00",
      "!FF = 7F", "!FF*3 = FF*3", "FF*2 = 80 00"}},
    {"a block across CS, its next bit still there for one clock",
     slow_edges,
     {READY, "5100000000FF -> 00 FE 00*100", "!FF = 7F", "!FF*3 = FF*3", "FF*414 = 00*414"}},
    {"MISO held low before CMD0",
     low_start,
     {"!FF*2 = 00 00", "FF*2 = 00 00", "400000000095 FF FF = 00*6 FF 01", "!FF = FF"}},
    {"MISO floating before CMD0",
     floating_start,
     {"!FF 5A = FF 5A", "400000000095 FF FF = 40 00 00 00 00 95 FF 01"}},
};

static void as_told(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof exchanges / sizeof *exchanges; i++) {
        struct bench bench = {.params = sdhc, .now = 0};
        if (exchanges[i].change != NULL) {
            exchanges[i].change(&bench.params);
        }
        bench.medium = sdsim_medium_create(sdsim_csd_sectors(&bench.params), 0x00);
        assert_non_null(bench.medium);
        sdsim_card_init(&bench.card, &bench.params, bench.medium, 1, 0);
        sdsim_spi_pins_init(&bench.pins, &bench.card);
        for (size_t l = 0; l < MOST_LINES && exchanges[i].lines[l] != NULL; l++) {
            run_line(&bench, exchanges[i].name, exchanges[i].lines[l]);
        }
        sdsim_medium_destroy(bench.medium);
    }
}

/* N_CR from 0 to 8, as bytes between the frame and R1. */
static void response_gaps(void **state)
{
    (void)state;
    for (uint64_t n_cr = 0; n_cr <= 8; n_cr++) {
        struct bench bench = {.params = sdhc};
        bench.params.n_cr = n_cr;
        bench.medium = sdsim_medium_create(sdsim_csd_sectors(&bench.params), 0x00);
        assert_non_null(bench.medium);
        sdsim_card_init(&bench.card, &bench.params, bench.medium, 1, 0);
        sdsim_spi_pins_init(&bench.pins, &bench.card);
        run_line(&bench, "N_CR", "400000000095");
        for (uint64_t i = 0; i < n_cr; i++) {
            assert_int_equal(exchange(&bench, 0xFF), 0xFF);
        }
        assert_int_equal(exchange(&bench, 0xFF), 0x01);
        sdsim_medium_destroy(bench.medium);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_told),
        cmocka_unit_test(response_gaps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
