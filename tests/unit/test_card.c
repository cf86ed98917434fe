/* The card, command by command: initialisation, legal commands, registers, addresses. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdbool.h>
#include <string.h>

#include "card_bench.h"

#define US SDSIM_US
#define MS SDSIM_MS

/* ---- initialisation ---- */

static void initialisation_over_spi(void **state)
{
    (void)state;
    struct sdsim_test_card bench;
    sdsim_test_card_power_up(&bench, &sdsim_test_sdhc);
    const struct sdsim_reply *reply = sdsim_test_card_spi(&bench, 0, 0);
    assert_true(reply->answered);
    assert_int_equal(reply->r1, SDSIM_R1_IDLE);
    assert_int_equal(reply->extra_count, 0);
    reply = sdsim_test_card_spi(&bench, 8, 0x1AA);
    assert_int_equal(reply->r1, SDSIM_R1_IDLE);
    assert_int_equal(reply->extra_count, 4);
    assert_int_equal(sdsim_test_card_word(reply), 0x1AA);
    reply = sdsim_test_card_spi(&bench, 58, 0);
    assert_int_equal(sdsim_test_card_word(reply),
                     SDSIM_OCR_VOLTAGES); /* neither ready nor CCS yet */
    assert_int_equal(sdsim_test_card_r1(&bench, 17, 0), SDSIM_R1_ILLEGAL | SDSIM_R1_IDLE);

    /* The clock of the initialisation starts with the first ACMD41. */
    bench.now += SDSIM_S;
    assert_int_equal(sdsim_test_card_r1(&bench, 55, 0), SDSIM_R1_IDLE);
    assert_int_equal(sdsim_test_card_r1(&bench, 41, SDSIM_OCR_CCS), SDSIM_R1_IDLE);
    const sdsim_ps begin = bench.now;
    assert_int_equal(sdsim_test_card_r1(&bench, 55, 0), SDSIM_R1_IDLE);
    bench.now = begin + 30 * MS - 2 * US;
    assert_int_equal(sdsim_test_card_r1(&bench, 41, SDSIM_OCR_CCS), SDSIM_R1_IDLE);
    assert_int_equal(sdsim_test_card_r1(&bench, 55, 0), SDSIM_R1_IDLE);
    assert_int_equal(sdsim_test_card_r1(&bench, 41, SDSIM_OCR_CCS), 0);
    assert_true(bench.now - begin <= 30 * MS + US);
    assert_int_equal(sdsim_test_card_r1(&bench, 55, 0), 0);
    reply = sdsim_test_card_spi(&bench, 58, 0);
    assert_int_equal(sdsim_test_card_word(reply),
                     SDSIM_OCR_VOLTAGES | SDSIM_OCR_READY | SDSIM_OCR_CCS);
    assert_int_equal(sdsim_test_card_r1(&bench, 17, 0), 0);

    /* CMD0 takes it all back, and the card stays in SPI mode whatever CS does. */
    assert_true(sdsim_test_card_command(&bench, false, 0, 0)->answered);
    assert_int_equal(sdsim_test_card_r1(&bench, 58, 0), SDSIM_R1_IDLE);
    assert_int_equal(sdsim_test_card_r1(&bench, 17, 0), SDSIM_R1_ILLEGAL | SDSIM_R1_IDLE);
    sdsim_test_card_power_down(&bench);
}

static void host_capacity_support(void **state)
{
    (void)state;
    static const struct {
        int type;
        uint32_t cmd8; /* its argument; 0: not sent */
        uint32_t argument;
        bool ready;
        bool ccs;
    } rows[] = {
        {SDSIM_SDSC, 0x1AA, 0, true, false},
        {SDSIM_SDSC, 0x1AA, SDSIM_OCR_CCS, true, false},
        {SDSIM_SDSC, 0, SDSIM_OCR_CCS, true, false},
        {SDSIM_SDSC, 0, 0, true, false},
        {SDSIM_SDHC, 0x1AA, 0, false, false},
        {SDSIM_SDHC, 0x1AA, SDSIM_OCR_CCS, true, true},
        {SDSIM_SDXC, 0x155, SDSIM_OCR_CCS, true, true},
        /* Without a CMD8 that it accepted a card takes no notice of HCS. */
        {SDSIM_SDHC, 0, SDSIM_OCR_CCS, false, false},
        {SDSIM_SDXC, 0x2AA, SDSIM_OCR_CCS, false, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (int over_spi = 0; over_spi < 2; over_spi++) {
            struct sdsim_card_params params = sdsim_test_sdhc;
            params.type = rows[i].type;
            params.init_time = 0;
            struct sdsim_test_card bench;
            sdsim_test_card_power_up(&bench, &params);
            const uint32_t argument = rows[i].argument | SDSIM_OCR_VOLTAGES;
            (void)sdsim_test_card_command(&bench, over_spi, 0, 0);
            if (rows[i].cmd8 != 0) {
                (void)sdsim_test_card_command(&bench, over_spi, 8, rows[i].cmd8);
            }
            (void)sdsim_test_card_command(&bench, over_spi, 55, 0);
            const struct sdsim_reply *reply =
                sdsim_test_card_command(&bench, over_spi, 41, argument);
            bool ready =
                over_spi ? reply->r1 == 0 : (sdsim_test_card_word(reply) & SDSIM_OCR_READY) != 0;
            if (ready != rows[i].ready) {
                fail_msg("row %zu: ready %d", i, ready);
            }
            if (over_spi) {
                reply = sdsim_test_card_command(&bench, true, 58, 0);
            }
            assert_int_equal((sdsim_test_card_word(reply) & SDSIM_OCR_CCS) != 0, rows[i].ccs);
            sdsim_test_card_power_down(&bench);
        }
    }
}

static void initialisation_on_the_sd_bus(void **state)
{
    (void)state;
    struct sdsim_test_card bench;
    sdsim_test_card_power_up(&bench, &sdsim_test_sdhc);
    assert_false(sdsim_test_card_sd(&bench, 0, 0)->answered);
    const struct sdsim_reply *reply = sdsim_test_card_sd(&bench, 8, 0x1AA);
    assert_int_equal(reply->extra_count, 4);
    assert_int_equal(sdsim_test_card_word(reply), 0x1AA);

    /* CMD55 says that the next one is an application command. */
    reply = sdsim_test_card_sd(&bench, 55, 0);
    assert_int_equal(sdsim_test_card_state_of(reply), SDSIM_CARD_IDLE);
    assert_true((sdsim_test_card_word(reply) & SDSIM_STATUS_APP_CMD) != 0);
    /* Without voltages ACMD41 only asks. */
    reply = sdsim_test_card_sd(&bench, 41, 0);
    assert_int_equal(sdsim_test_card_word(reply), SDSIM_OCR_VOLTAGES);
    bench.now += SDSIM_S;
    (void)sdsim_test_card_sd(&bench, 55, 0);
    reply = sdsim_test_card_sd(&bench, 41, SDSIM_OCR_VOLTAGES | SDSIM_OCR_CCS);
    assert_int_equal(sdsim_test_card_word(reply), SDSIM_OCR_VOLTAGES);
    bench.now += 30 * MS;
    (void)sdsim_test_card_sd(&bench, 55, 0);
    reply = sdsim_test_card_sd(&bench, 41, SDSIM_OCR_VOLTAGES | SDSIM_OCR_CCS);
    assert_int_equal(sdsim_test_card_word(reply),
                     SDSIM_OCR_VOLTAGES | SDSIM_OCR_READY | SDSIM_OCR_CCS);

    reply = sdsim_test_card_sd(&bench, 2, 0);
    uint8_t cid[SDSIM_CID_BYTES];
    sdsim_cid(&bench.params, cid);
    assert_int_equal(reply->extra_count, 16);
    assert_memory_equal(reply->extra, cid, sizeof cid);
    reply = sdsim_test_card_sd(&bench, 3, 0);
    const uint32_t rca = sdsim_test_card_word(reply) & 0xFFFF0000u;
    assert_true(rca != 0);
    assert_int_equal(sdsim_test_card_state_of(reply), SDSIM_CARD_IDENT);
    reply = sdsim_test_card_sd(&bench, 9, rca);
    uint8_t csd[SDSIM_CSD_BYTES];
    sdsim_csd(&bench.params, 0, csd);
    assert_memory_equal(reply->extra, csd, sizeof csd);
    assert_int_equal(sdsim_test_card_state_of(sdsim_test_card_sd(&bench, 13, rca)),
                     SDSIM_CARD_STANDBY);
    /* A response names the state before; only the card that is selected gives it. */
    assert_int_equal(sdsim_test_card_state_of(sdsim_test_card_sd(&bench, 7, rca)),
                     SDSIM_CARD_STANDBY);
    assert_int_equal(sdsim_test_card_state_of(sdsim_test_card_sd(&bench, 13, rca)),
                     SDSIM_CARD_TRANSFER);
    assert_false(sdsim_test_card_sd(&bench, 7, 0)->answered);
    assert_int_equal(sdsim_test_card_state_of(sdsim_test_card_sd(&bench, 13, rca)),
                     SDSIM_CARD_STANDBY);
    assert_int_equal(sdsim_test_card_state_of(sdsim_test_card_sd(&bench, 7, rca)),
                     SDSIM_CARD_STANDBY);

    /* The response to an application command says that it was taken for one; that to a plain one
     * behind CMD55 does not. */
    (void)sdsim_test_card_sd(&bench, 55, rca);
    reply = sdsim_test_card_sd(&bench, 6, 2);
    assert_true((sdsim_test_card_word(reply) & SDSIM_STATUS_APP_CMD) != 0);
    assert_int_equal(bench.card.width, 4);
    assert_int_equal(sdsim_test_card_word(sdsim_test_card_sd(&bench, 13, rca)), 0x900);
    (void)sdsim_test_card_sd(&bench, 55, rca);
    assert_int_equal(sdsim_test_card_word(sdsim_test_card_sd(&bench, 16, 512)), 0x900);
    /* A block length is for SDSC cards, but too long is too long for all. */
    assert_int_equal(sdsim_test_card_word(sdsim_test_card_sd(&bench, 16, 1)), 0x900);
    assert_int_equal(sdsim_test_card_word(sdsim_test_card_sd(&bench, 16, 513)),
                     0x900 | SDSIM_STATUS_BLOCK_LENGTH);
    /* CMD4 has no response, and is no illegal command in stand-by only. */
    assert_false(sdsim_test_card_sd(&bench, 4, 0)->answered);
    assert_int_equal(sdsim_test_card_word(sdsim_test_card_sd(&bench, 13, rca)),
                     0x900 | SDSIM_STATUS_ILLEGAL);
    assert_false(sdsim_test_card_sd(&bench, 7, 0)->answered);
    assert_false(sdsim_test_card_sd(&bench, 4, 0x04040000)->answered);
    assert_int_equal(sdsim_test_card_word(sdsim_test_card_sd(&bench, 13, rca)), 0x700);
    (void)sdsim_test_card_sd(&bench, 7, rca);
    reply = sdsim_test_card_sd(&bench, 6, 0x80FFFFF1u);
    assert_int_equal(reply->data, SDSIM_DATA_REGISTER);
    assert_int_equal(reply->block_bytes, SDSIM_STATUS_BYTES);
    assert_int_equal(bench.card.access_mode, SDSIM_HIGH_SPEED);
    sdsim_test_card_power_down(&bench);
}

/* ---- whom a command is for ---- */

/* On the SD bus a card ignores what carries another card's address, as if it had never come. */
static void commands_for_another_card(void **state)
{
    (void)state;
    static const uint8_t addressed[] = {9, 10, 13, 15, 55};
    for (int transfer = 0; transfer < 2; transfer++) {
        for (size_t i = 0; i < sizeof addressed; i++) {
            struct sdsim_test_card bench;
            sdsim_test_card_sd_ready(&bench, &sdsim_test_sdhc);
            const uint32_t rca = (uint32_t)bench.card.rca << 16;
            if (transfer == 0) { /* back to stand-by */
                (void)sdsim_test_card_sd(&bench, 7, 0);
            }
            const enum sdsim_card_state before = bench.card.state;
            const uint32_t others[] = {0, 0x10000, rca ^ 0x80000000u, rca + 0x10000};
            for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
                if (sdsim_test_card_sd(&bench, addressed[i], others[k])->answered ||
                    bench.card.state != before || bench.card.app || bench.card.errors != 0) {
                    fail_msg("CMD%u, address %08lx", addressed[i], (unsigned long)others[k]);
                }
            }
            const struct sdsim_reply *reply = sdsim_test_card_sd(&bench, 13, rca | 0xFFFF);
            assert_true(reply->answered);
            assert_int_equal(sdsim_test_card_word(reply) & SDSIM_STATUS_ILLEGAL, 0);
            /* The lower half says nothing of whom it is for. */
            assert_true(sdsim_test_card_sd(&bench, 55, rca | 0x1234)->answered);
            assert_true(bench.card.app);
            sdsim_test_card_power_down(&bench);
        }
    }
}

/* CMD55 for another card: what follows is no application command for this one. */
static void application_command_for_another_card(void **state)
{
    (void)state;
    struct sdsim_test_card bench;
    sdsim_test_card_sd_ready(&bench, &sdsim_test_sdhc);
    const uint32_t rca = (uint32_t)bench.card.rca << 16;
    (void)sdsim_test_card_sd(&bench, 55, rca);
    (void)sdsim_test_card_sd(&bench, 6, 0);
    assert_int_equal(bench.card.width, 1);
    assert_false(sdsim_test_card_sd(&bench, 55, rca + 0x10000)->answered);
    assert_int_equal(sdsim_test_card_sd(&bench, 6, 2)->data, SDSIM_DATA_REGISTER); /* CMD6 */
    assert_int_equal(bench.card.width, 1);
    sdsim_test_card_power_down(&bench);

    /* Before CMD3 a card's address is 0; SPI mode knows none. */
    sdsim_test_card_power_up(&bench, &sdsim_test_sdhc);
    assert_false(sdsim_test_card_sd(&bench, 55, 0x10000)->answered);
    assert_true(sdsim_test_card_sd(&bench, 55, 0)->answered);
    sdsim_test_card_power_down(&bench);
    sdsim_test_card_spi_ready(&bench, &sdsim_test_sdhc);
    assert_true(sdsim_test_card_spi(&bench, 55, 0x12345678)->answered);
    (void)sdsim_test_card_spi(&bench, 51, 0);
    assert_true(sdsim_test_card_spi(&bench, 13, 0x12345678)->answered);
    assert_true(sdsim_test_card_spi(&bench, 9, 0x12345678)->answered);
    sdsim_test_card_power_down(&bench);
}

/* ---- legal commands ---- */

enum place { SPI_IDLE, SPI_TRANSFER, SD_IDLE, SD_STANDBY, SD_TRANSFER, SD_RECEIVE, PLACES };

static void go(struct sdsim_test_card *bench, enum place place)
{
    switch (place) {
    case SPI_IDLE:
    case SD_IDLE:
        sdsim_test_card_power_up(bench, &sdsim_test_sdhc);
        (void)sdsim_test_card_command(bench, place == SPI_IDLE, 0, 0);
        break;
    case SPI_TRANSFER:
        sdsim_test_card_spi_ready(bench, &sdsim_test_sdhc);
        break;
    default:
        sdsim_test_card_sd_ready(bench, &sdsim_test_sdhc);
        if (place == SD_STANDBY) {
            (void)sdsim_test_card_sd(bench, 7, 0);
        } else if (place == SD_RECEIVE) {
            (void)sdsim_test_card_sd(bench, 25, 0);
        }
        break;
    }
}

static void legal_commands(void **state)
{
    (void)state;
    /* One letter per place: y legal, n not, in the order of enum place. What is no application
     * command in a place is taken for the basic one of that number: ACMD6 over SPI, ACMD13 outside
     * of the transfer state. */
    static const struct {
        uint8_t index;
        bool app;
        const char *legal;
    } rows[] = {
        {1, false, "yynnnn"},  {2, false, "nnnnnn"},  {3, false, "nnnynn"},  {5, false, "nnnnnn"},
        {6, false, "nynnyn"},  {8, false, "yyynnn"},  {9, false, "nynynn"},  {10, false, "nynynn"},
        {12, false, "yynnny"}, {13, false, "yynyyy"}, {16, false, "nynnyn"}, {17, false, "nynnyn"},
        {18, false, "nynnyn"}, {23, false, "nnnnyn"}, {24, false, "nynnyn"}, {25, false, "nynnyn"},
        {32, false, "nynnyn"}, {33, false, "nynnyn"}, {41, false, "nnnnnn"}, {55, false, "yyyyyy"},
        {58, false, "yynnnn"}, {59, false, "yynnnn"}, {63, false, "nnnnnn"}, {6, true, "nynnyn"},
        {13, true, "yynyyy"},  {22, true, "nynnyn"},  {23, true, "nynnyn"},  {41, true, "yyynnn"},
        {42, true, "nynnyn"},  {51, true, "nynnyn"},  {17, true, "nynnyn"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (int place = 0; place < PLACES; place++) {
            struct sdsim_test_card bench;
            go(&bench, (enum place)place);
            const uint32_t rca = (uint32_t)bench.card.rca << 16;
            if (rows[i].app) {
                (void)sdsim_test_card_command(&bench, place <= SPI_TRANSFER, 55, rca);
            }
            const struct sdsim_reply *reply =
                sdsim_test_card_command(&bench, place <= SPI_TRANSFER, rows[i].index, rca | 0x1F1);
            /* Over SPI an illegal command is answered so; on the SD bus there is silence. */
            const bool legal = reply->answered && (reply->r1 & SDSIM_R1_ILLEGAL) == 0;
            if (legal != (rows[i].legal[place] == 'y') ||
                (place <= SPI_TRANSFER && !reply->answered)) {
                fail_msg("%sCMD%u in place %d: %s", rows[i].app ? "A" : "", rows[i].index, place,
                         legal ? "legal" : "illegal");
            }
            sdsim_test_card_power_down(&bench);
        }
    }
}

/* CMD6 came with version 1.10, CMD8 with version 2, CMD23 with 3, but not for SDSC cards. */
static void commands_of_later_versions(void **state)
{
    (void)state;
    static const struct {
        enum sdsim_card_version version;
        uint8_t cmd6;
        uint8_t cmd8;
    } rows[] = {{SDSIM_VERSION_1_00, SDSIM_R1_ILLEGAL, SDSIM_R1_ILLEGAL},
                {SDSIM_VERSION_1_10, 0, SDSIM_R1_ILLEGAL},
                {SDSIM_VERSION_2_00, 0, 0},
                {SDSIM_VERSION_LATEST, 0, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sdsim_card_params params = sdsim_test_sdhc;
        params.type = rows[i].cmd8 != 0 ? SDSIM_SDSC : SDSIM_SDHC;
        params.version = (int)rows[i].version;
        struct sdsim_test_card bench;
        sdsim_test_card_spi_ready(&bench, &params);
        assert_int_equal(sdsim_test_card_r1(&bench, 6, 0x80FFFFF1u), rows[i].cmd6);
        assert_int_equal(sdsim_test_card_r1(&bench, 8, 0x1AAu), rows[i].cmd8);
        sdsim_test_card_power_down(&bench);
        for (int sdhc = 0; sdhc <= 1; sdhc++) {
            params.type = sdhc ? SDSIM_SDHC : SDSIM_SDSC;
            if (sdhc && rows[i].cmd8 != 0) {
                continue; /* there is no such card */
            }
            sdsim_test_card_sd_ready(&bench, &params);
            assert_int_equal(sdsim_test_card_sd(&bench, 23, 2)->answered,
                             sdhc && rows[i].version == SDSIM_VERSION_LATEST);
            sdsim_test_card_power_down(&bench);
        }
    }
}

static void registers_over_spi(void **state)
{
    (void)state;
    static const struct {
        uint8_t index;
        bool app;
        uint16_t bytes;
        uint8_t extra;
    } rows[] = {{9, false, 16, 0}, {10, false, 16, 0}, {6, false, 64, 0},
                {13, true, 64, 1}, {22, true, 4, 0},   {51, true, 8, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sdsim_test_card bench;
        sdsim_test_card_spi_ready(&bench, &sdsim_test_sdhc);
        if (rows[i].app) {
            (void)sdsim_test_card_r1(&bench, 55, 0);
        }
        const struct sdsim_reply *reply = sdsim_test_card_spi(&bench, rows[i].index, 0);
        assert_int_equal(reply->data, SDSIM_DATA_REGISTER);
        assert_int_equal(reply->block_bytes, rows[i].bytes);
        assert_int_equal(reply->extra_count, rows[i].extra);
        assert_int_equal(sdsim_card_read_ready(&bench.card).at, bench.now);
        assert_int_equal(bench.card.state, SDSIM_CARD_TRANSFER);
        sdsim_test_card_power_down(&bench);
    }
}

/* ---- addresses ---- */

static void addresses(void **state)
{
    (void)state;
    const uint32_t sectors = 8192;
    const struct {
        int type;
        uint32_t argument;
        uint8_t r1;
        uint32_t lba;
    } rows[] = {
        {SDSIM_SDHC, 0, 0, 0},
        {SDSIM_SDHC, sectors - 1, 0, sectors - 1},
        {SDSIM_SDHC, sectors, SDSIM_R1_PARAMETER, 0},
        {SDSIM_SDHC, UINT32_MAX, SDSIM_R1_PARAMETER, 0},
        {SDSIM_SDSC, 512, 0, 1},
        {SDSIM_SDSC, (sectors - 1) * 512, 0, sectors - 1},
        {SDSIM_SDSC, sectors * 512, SDSIM_R1_PARAMETER, 0},
        {SDSIM_SDSC, 513, SDSIM_R1_ADDRESS, 0},
    };
    static const uint8_t commands[] = {17, 18, 24, 25, 32, 33};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (size_t c = 0; c < sizeof commands; c++) {
            struct sdsim_card_params params = sdsim_test_sdhc;
            params.type = rows[i].type;
            struct sdsim_test_card bench;
            sdsim_test_card_spi_ready(&bench, &params);
            assert_int_equal(bench.card.sectors, sectors);
            if (commands[c] == 33) {
                assert_int_equal(sdsim_test_card_r1(&bench, 32, 0), 0);
            }
            const uint8_t got = sdsim_test_card_r1(&bench, commands[c], rows[i].argument);
            if (got != rows[i].r1) {
                fail_msg("row %zu, CMD%u: R1 %02X", i, commands[c], got);
            }
            const bool transfers = got == 0 && commands[c] < 32;
            assert_int_equal(bench.reply.data != SDSIM_DATA_NONE, transfers);
            if (transfers) {
                assert_int_equal(bench.card.lba, rows[i].lba);
            } else {
                assert_int_equal(bench.card.state, SDSIM_CARD_TRANSFER);
            }
            /* CMD13 tells of it once. */
            const uint8_t r2 = rows[i].r1 == SDSIM_R1_PARAMETER ? SDSIM_R2_OUT_OF_RANGE : 0;
            if (!transfers) {
                assert_int_equal(sdsim_test_card_spi(&bench, 13, 0)->extra[0], r2);
                assert_int_equal(sdsim_test_card_spi(&bench, 13, 0)->extra[0], 0);
            }
            sdsim_test_card_power_down(&bench);
        }
    }
    struct sdsim_test_card bench;
    sdsim_test_card_sd_ready(&bench, &sdsim_test_sdhc);
    assert_true((sdsim_test_card_word(sdsim_test_card_sd(&bench, 17, sectors)) &
                 SDSIM_STATUS_OUT_OF_RANGE) != 0);
    assert_int_equal(bench.reply.data, SDSIM_DATA_NONE);
    /* Told once, in the response of the command itself. */
    const uint32_t rca = (uint32_t)bench.card.rca << 16;
    assert_true((sdsim_test_card_word(sdsim_test_card_sd(&bench, 13, rca)) &
                 SDSIM_STATUS_OUT_OF_RANGE) == 0);
    sdsim_test_card_power_down(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(initialisation_over_spi),
        cmocka_unit_test(host_capacity_support),
        cmocka_unit_test(initialisation_on_the_sd_bus),
        cmocka_unit_test(commands_for_another_card),
        cmocka_unit_test(application_command_for_another_card),
        cmocka_unit_test(legal_commands),
        cmocka_unit_test(commands_of_later_versions),
        cmocka_unit_test(registers_over_spi),
        cmocka_unit_test(addresses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
