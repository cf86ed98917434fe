/*
 * Rules of single commands, bit by bit: what is asked of a card that is ready, and what it must
 * answer. Sections are those of the SD Physical Layer Simplified Specification.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdbool.h>

#include "card_bench.h"

#define RCA    0x12340000u
#define SILENT (-1)
#define ANY    (-2)

enum { MOST_STEPS = 10 };

struct step {
    uint8_t index;
    uint32_t argument;
    int64_t expected; /* SILENT, ANY, or: SPI: R1 and what is behind it, SD: 32 bits */
};

/* Commands are CMD; an application command is given as CMD55 and its own number. */
struct row {
    const char *what;
    bool spi;
    struct step steps[MOST_STEPS]; /* ends with one that is all zero, which CMD0 never is here */
};

#define STATUS(state, bits) ((int64_t)((uint32_t)(state) << 9 | 0x100u | (bits)))
#define TRAN                STATUS(SDSIM_CARD_TRANSFER, 0)
#define TRAN_APP            STATUS(SDSIM_CARD_TRANSFER, SDSIM_STATUS_APP_CMD)
#define TRAN_WITH(bits)     STATUS(SDSIM_CARD_TRANSFER, bits)

static const struct row rows[] = {
    /* Section 7.3.1.4: exactly one bit of the voltage, 3.3 V; the pattern comes back in any case. */
    {"CMD8 over SPI",
     true,
     {{8, 0x1AA, 0x00000001AA},
      {8, 0x155, 0x0000000155},
      {8, 0x2AA, 0x00000000AA},
      {8, 0x3AA, 0x00000000AA},
      {8, 0x0AA, 0x00000000AA},
      {8, 0xFFFFF1AA, 0x00000001AA}}},
    /* Section 7.2.2: bit 0, the others are stuff bits. */
    {"CMD59", true, {{59, 3, 0}, {59, 2, 0}}},
    /* Section 4.3.5: CMD13 does not break an erase sequence, anything else does. */
    {"an erase with CMD13 in it",
     true,
     {{32, 1, 0x00}, {13, 0, 0x0000}, {33, 2, 0x00}, {13, 0, 0x0000}, {38, 0, 0x00}}},
    {"an erase broken off over SPI", true, {{32, 1, 0x00}, {16, 512, 0x02}, {38, 0, 0x10}}},
    {"an erase with CMD13 in it, SD mode",
     false,
     {{32, 1, TRAN}, {13, RCA, TRAN}, {33, 2, TRAN}, {13, RCA, TRAN}, {38, 0, TRAN}}},
    {"an erase broken off in SD mode",
     false,
     {{32, 1, TRAN},
      {16, 512, TRAN_WITH(SDSIM_STATUS_ERASE_RESET)},
      {38, 0, TRAN_WITH(SDSIM_STATUS_ERASE_SEQUENCE)},
      {13, RCA, TRAN}}},
    {"an erase with its end before its beginning",
     false,
     {{32, 2, TRAN},
      {33, 1, TRAN},
      {38, 0, TRAN_WITH(SDSIM_STATUS_ERASE_PARAM | SDSIM_STATUS_ERASE_SEQUENCE)}}},
    /* Section 4.10.1: told once. */
    {"an illegal command is told of in the next response",
     false,
     {{5, 0, SILENT}, {13, RCA, TRAN_WITH(SDSIM_STATUS_ILLEGAL)}, {13, RCA, TRAN}}},
    {"so it is by the R6 of CMD3, in its bit 14",
     false,
     {{7, 0, SILENT}, {17, 0, SILENT}, {3, 0, 0x24684700}, {3, 0, 0x369C0700}}},
    {"addresses beyond the card's end",
     false,
     {{17, 8192, TRAN_WITH(SDSIM_STATUS_OUT_OF_RANGE)},
      {25, 8192, TRAN_WITH(SDSIM_STATUS_OUT_OF_RANGE)},
      {32, 0xFFFFFFFF, TRAN_WITH(SDSIM_STATUS_OUT_OF_RANGE)}}},
    /* SPI: R2 of CMD13 and of ACMD13 tell of it once. */
    {"R2 of ACMD13", true, {{17, 8192, 0x40}, {55, 0, 0}, {13, 0, 0x0080}, {13, 0, 0x0000}}},
    {"R2 of CMD13", true, {{17, 8192, 0x40}, {13, 0, 0x0080}, {55, 0, 0}, {13, 0, 0x0000}}},
    /* Section 4.2.4: only right behind the ACMD41 that granted it. */
    {"CMD11 in transfer state",
     false,
     {{11, 0, SILENT}, {13, RCA, TRAN_WITH(SDSIM_STATUS_ILLEGAL)}}},
    /* Section 4.8: nothing but the power gets it back. */
    {"CMD15", false, {{15, RCA, SILENT}, {13, RCA, SILENT}, {0, 1, SILENT}, {8, 0x1AA, SILENT}}},
    {"CMD15 in stand-by", false, {{7, 0, SILENT}, {15, RCA, SILENT}, {13, RCA, SILENT}}},
    {"CMD15 for another card", false, {{15, RCA ^ 0x10000, SILENT}, {13, RCA, TRAN}}},
    /* Section 4.3.1 and table 4-30: all but bits 1 and 0 are stuff bits. */
    {"ACMD6", false, {{55, RCA, TRAN_APP}, {6, 0xFFFFFFFE, TRAN_APP}, {13, RCA, TRAN}}},
    {"ACMD42", false, {{55, RCA, TRAN_APP}, {42, 0, TRAN_APP}}},
    {"CMD42 and CMD56 are not known",
     true,
     {{42, 0, 0x04}, {56, 1, 0x04}, {20, 0, 0x04}, {28, 0, 0x04}}},
    {"CMD55 twice is one", false, {{55, RCA, TRAN_APP}, {55, RCA, TRAN_APP}, {22, 0, TRAN_APP}}},
    {"CMD12 without a transfer",
     false,
     {{12, 0, SILENT}, {13, RCA, TRAN_WITH(SDSIM_STATUS_ILLEGAL)}}},
    {"CMD7 again to the card that is selected keeps it so",
     false,
     {{7, RCA, TRAN}, {13, RCA, TRAN}}},
};

/* What came back, as rows have it. */
static int64_t answer(const struct sdsim_reply *reply, bool spi)
{
    if (!reply->answered) {
        return SILENT;
    }
    int64_t value = spi ? reply->r1 : 0;
    for (unsigned i = 0; i < reply->extra_count; i++) {
        value = value << 8 | reply->extra[i];
    }
    return value;
}

static void rules(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sdsim_test_card bench;
        if (rows[i].spi) {
            sdsim_test_card_spi_ready(&bench, &sdsim_test_sdhc);
        } else {
            sdsim_test_card_sd_ready(&bench, &sdsim_test_sdhc);
            assert_int_equal(bench.card.rca, RCA >> 16);
        }
        for (size_t s = 0; s < MOST_STEPS && (rows[i].steps[s].index | rows[i].steps[s].argument);
             s++) {
            const struct step *step = &rows[i].steps[s];
            const int64_t got =
                answer(sdsim_test_card_command(&bench, rows[i].spi, step->index, step->argument),
                       rows[i].spi);
            if (step->expected != ANY && got != step->expected) {
                fail_msg("%s: step %zu, CMD%u: %llx, not %llx", rows[i].what, s, step->index,
                         (unsigned long long)got, (unsigned long long)step->expected);
            }
        }
        sdsim_test_card_power_down(&bench);
    }
}

/* R6 has three error bits of the card status, in other places (section 4.9.5). */
static void published_errors(void **state)
{
    (void)state;
    struct sdsim_test_card bench;
    sdsim_test_card_sd_ready(&bench, &sdsim_test_sdhc);
    (void)sdsim_test_card_sd(&bench, 7, 0);
    sdsim_card_bad_frame(&bench.card);
    assert_int_equal(sdsim_test_card_word(sdsim_test_card_sd(&bench, 3, 0)) & 0xFFFF, 0x8700);
    sdsim_card_write_failed(&bench.card);
    assert_int_equal(sdsim_test_card_word(sdsim_test_card_sd(&bench, 3, 0)) & 0xFFFF, 0x2700);
    assert_int_equal(sdsim_test_card_word(sdsim_test_card_sd(&bench, 3, 0)) & 0xFFFF, 0x0700);
    sdsim_test_card_power_down(&bench);
}

/* A card with byte addresses: those that are no multiple of 512 (section 4.10.1). */
static void byte_addresses(void **state)
{
    (void)state;
    static const uint8_t commands[] = {17, 18, 24, 25, 32};
    struct sdsim_card_params params = sdsim_test_sdhc;
    params.type = SDSIM_SDSC;
    for (size_t i = 0; i < sizeof commands; i++) {
        struct sdsim_test_card bench;
        sdsim_test_card_sd_ready(&bench, &params);
        assert_int_equal(sdsim_test_card_word(sdsim_test_card_sd(&bench, commands[i], 511)),
                         TRAN_WITH(SDSIM_STATUS_ADDRESS));
        assert_int_equal(bench.reply.data, SDSIM_DATA_NONE);
        assert_int_equal(sdsim_test_card_word(sdsim_test_card_sd(&bench, commands[i], 1024)), TRAN);
        assert_int_equal(commands[i] == 32 ? bench.card.erase_from : bench.card.lba, 2);
        sdsim_test_card_power_down(&bench);
    }
}

/* In SD mode a card that can't stand the voltage is silent (section 4.3.13). */
static void interface_condition(void **state)
{
    (void)state;
    static const struct {
        uint32_t argument;
        bool answered;
    } conditions[] = {{0x1AA, true}, {0x101, true}, {0x2AA, false}, {0x3AA, false}, {0x0AA, false}};
    for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++) {
        struct sdsim_test_card bench;
        sdsim_test_card_power_up(&bench, &sdsim_test_sdhc);
        (void)sdsim_test_card_sd(&bench, 0, 0);
        const struct sdsim_reply *reply = sdsim_test_card_sd(&bench, 8, conditions[i].argument);
        assert_int_equal(reply->answered, conditions[i].answered);
        if (reply->answered) {
            assert_int_equal(sdsim_test_card_word(reply), conditions[i].argument);
        }
        sdsim_test_card_power_down(&bench);
    }
}

/* CMD0 takes back what was set: check sums, lines, access mode, address, ACMD23, an erase begun. */
static void reset(void **state)
{
    (void)state;
    struct sdsim_test_card bench;
    sdsim_test_card_sd_ready(&bench, &sdsim_test_sdhc);
    (void)sdsim_test_card_sd(&bench, 55, RCA);
    (void)sdsim_test_card_sd(&bench, 6, 0xFFFFFFFE);
    assert_int_equal(bench.card.width, 4);
    (void)sdsim_test_card_sd(&bench, 6, 0x80FFFFF1);
    assert_int_equal(bench.card.access_mode, SDSIM_HIGH_SPEED);
    (void)sdsim_test_card_sd(&bench, 55, RCA);
    (void)sdsim_test_card_sd(&bench, 23, 9);
    (void)sdsim_test_card_sd(&bench, 0, 0);
    assert_int_equal(bench.card.width, 1);
    assert_int_equal(bench.card.access_mode, SDSIM_DEFAULT_SPEED);
    assert_int_equal(bench.card.rca, 0);
    assert_int_equal(bench.card.announced, 0);
    assert_int_equal(bench.card.state, SDSIM_CARD_IDLE);
    sdsim_test_card_power_down(&bench);

    sdsim_test_card_spi_ready(&bench, &sdsim_test_sdhc);
    (void)sdsim_test_card_spi(&bench, 59, 3);
    assert_true(bench.card.crc_on);
    (void)sdsim_test_card_spi(&bench, 59, 2);
    assert_false(bench.card.crc_on);
    (void)sdsim_test_card_spi(&bench, 59, 1);
    (void)sdsim_test_card_spi(&bench, 32, 1);
    (void)sdsim_test_card_spi(&bench, 0, 0);
    assert_false(bench.card.crc_on);
    assert_int_equal(sdsim_test_card_spi(&bench, 8, 0x1AA)->r1, SDSIM_R1_IDLE);
    sdsim_test_card_power_down(&bench);
}

/* ACMD23 has 23 bits, and is for the next write only(table 4-30). */
static void announced_blocks(void **state)
{
    (void)state;
    static const uint8_t transfers[] = {17, 18, 24, 25};
    for (size_t i = 0; i < sizeof transfers; i++) {
        struct sdsim_test_card bench;
        sdsim_test_card_spi_ready(&bench, &sdsim_test_sdhc);
        (void)sdsim_test_card_spi(&bench, 55, 0);
        assert_int_equal(sdsim_test_card_r1(&bench, 23, 0xFF800009), 0);
        assert_int_equal(bench.card.announced, 9);
        assert_int_equal(sdsim_test_card_r1(&bench, 13, 0), 0);
        assert_int_equal(bench.card.announced, 9);
        assert_int_equal(sdsim_test_card_r1(&bench, transfers[i], 0), 0);
        assert_int_equal(bench.card.announced, 0);
        sdsim_test_card_power_down(&bench);
    }
}

/* A discard is known on the SD bus only; over SPI its argument is stuff bits, and blocks are erased
 * as ever (section 7.2.7). */
static void discard(void **state)
{
    (void)state;
    sdsim_ps busy[2][2];
    for (int spi = 0; spi <= 1; spi++) {
        for (uint32_t argument = 0; argument <= 1; argument++) {
            struct sdsim_card_params params = sdsim_test_sdhc;
            params.flash.au_bytes = 1 << 20;
            params.flash.erase_per_au = SDSIM_MS;
            struct sdsim_test_card bench;
            if (spi) {
                sdsim_test_card_spi_ready(&bench, &params);
            } else {
                sdsim_test_card_sd_ready(&bench, &params);
            }
            (void)sdsim_test_card_command(&bench, spi, 32, 0);
            (void)sdsim_test_card_command(&bench, spi, 33, 8191);
            (void)sdsim_test_card_command(&bench, spi, 38, argument);
            assert_true(bench.reply.busy);
            busy[spi][argument] = sdsim_card_busy(&bench.card).at - bench.now;
            sdsim_test_card_power_down(&bench);
        }
    }
    assert_int_equal(busy[1][0], busy[0][0]);
    assert_int_equal(busy[1][1], busy[1][0]);
    assert_true(busy[0][1] < busy[0][0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules),          cmocka_unit_test(published_errors),
        cmocka_unit_test(byte_addresses), cmocka_unit_test(interface_condition),
        cmocka_unit_test(reset),          cmocka_unit_test(announced_blocks),
        cmocka_unit_test(discard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
