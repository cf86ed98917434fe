/* The card, command by command: initialisation, legal commands, addresses, transfers, fakes. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdbool.h>
#include <string.h>

#include "alloc.h"
#include "card/card.h"

#define US SDSIM_US
#define MS SDSIM_MS

static const struct sdsim_card_params sdhc = {
    .type = SDSIM_SDHC,
    .capacity = 4 << 20,
    .high_hz = 50000000,
    .init_time = 30 * MS,
    .maker = 0x03,
    .oem = "SD",
    .product = "TEST",
    .flash = {.rd1 = 100 * US,
              .rdn = 2 * US,
              .w1 = 700 * US,
              .wn = 5 * US,
              .wstop = 900 * US,
              .page_bytes = 32768,
              .erase = 2 * MS},
};

struct bench {
    struct sdsim_card_params params;
    struct sdsim_medium *medium;
    struct sdsim_card card;
    struct sdsim_reply reply;
    sdsim_ps now;
};

static void power_up(struct bench *bench, const struct sdsim_card_params *params)
{
    bench->params = *params;
    bench->medium = sdsim_medium_create(sdsim_csd_sectors(params), 0x00);
    assert_non_null(bench->medium);
    sdsim_card_init(&bench->card, &bench->params, bench->medium, 1, 0);
    bench->now = MS;
}

static void power_down(struct bench *bench)
{
    sdsim_medium_destroy(bench->medium);
}

/* A command whose frame ends one microsecond from now. */
static const struct sdsim_reply *command(struct bench *bench, bool selected, uint8_t index,
                                         uint32_t argument)
{
    bench->now += US;
    sdsim_card_command(&bench->card, bench->now, selected, index, argument, &bench->reply);
    return &bench->reply;
}

static const struct sdsim_reply *spi(struct bench *bench, uint8_t index, uint32_t argument)
{
    return command(bench, true, index, argument);
}

static const struct sdsim_reply *sd(struct bench *bench, uint8_t index, uint32_t argument)
{
    return command(bench, false, index, argument);
}

static uint32_t word(const struct sdsim_reply *reply)
{
    const uint8_t *e = reply->extra;
    return (uint32_t)e[0] << 24 | (uint32_t)e[1] << 16 | (uint32_t)e[2] << 8 | e[3];
}

static enum sdsim_card_state state_of(const struct sdsim_reply *reply)
{
    assert_true(reply->answered);
    return (enum sdsim_card_state)(word(reply) >> 9 & 0xF);
}

/* R1 of an SPI command. */
static uint8_t r1(struct bench *bench, uint8_t index, uint32_t argument)
{
    const struct sdsim_reply *reply = spi(bench, index, argument);
    assert_true(reply->answered);
    return reply->r1;
}

static void spi_ready(struct bench *bench, const struct sdsim_card_params *params)
{
    power_up(bench, params);
    assert_int_equal(r1(bench, 0, 0), SDSIM_R1_IDLE);
    assert_int_equal(r1(bench, 55, 0), SDSIM_R1_IDLE);
    (void)r1(bench, 41, SDSIM_OCR_CCS);
    bench->now += params->init_time;
    (void)r1(bench, 55, 0);
    assert_int_equal(r1(bench, 41, SDSIM_OCR_CCS), 0);
}

static void sd_ready(struct bench *bench, const struct sdsim_card_params *params)
{
    power_up(bench, params);
    (void)sd(bench, 0, 0);
    (void)sd(bench, 55, 0);
    (void)sd(bench, 41, SDSIM_OCR_CCS | SDSIM_OCR_VOLTAGES);
    bench->now += params->init_time;
    (void)sd(bench, 55, 0);
    assert_true((word(sd(bench, 41, SDSIM_OCR_CCS | SDSIM_OCR_VOLTAGES)) & SDSIM_OCR_READY) != 0);
    (void)sd(bench, 2, 0);
    const uint32_t rca = word(sd(bench, 3, 0)) & 0xFFFF0000u;
    (void)sd(bench, 7, rca);
    assert_int_equal(state_of(sd(bench, 13, rca)), SDSIM_CARD_TRANSFER);
}

/* ---- initialisation ---- */

static void initialisation_over_spi(void **state)
{
    (void)state;
    struct bench bench;
    power_up(&bench, &sdhc);
    const struct sdsim_reply *reply = spi(&bench, 0, 0);
    assert_true(reply->answered);
    assert_int_equal(reply->r1, SDSIM_R1_IDLE);
    assert_int_equal(reply->extra_count, 0);
    reply = spi(&bench, 8, 0x1AA);
    assert_int_equal(reply->r1, SDSIM_R1_IDLE);
    assert_int_equal(reply->extra_count, 4);
    assert_int_equal(word(reply), 0x1AA);
    reply = spi(&bench, 58, 0);
    assert_int_equal(word(reply), SDSIM_OCR_VOLTAGES); /* neither ready nor CCS yet */
    assert_int_equal(r1(&bench, 17, 0), SDSIM_R1_ILLEGAL | SDSIM_R1_IDLE);

    /* The clock of the initialisation starts with the first ACMD41. */
    bench.now += SDSIM_S;
    assert_int_equal(r1(&bench, 55, 0), SDSIM_R1_IDLE);
    assert_int_equal(r1(&bench, 41, SDSIM_OCR_CCS), SDSIM_R1_IDLE);
    const sdsim_ps begin = bench.now;
    assert_int_equal(r1(&bench, 55, 0), SDSIM_R1_IDLE);
    bench.now = begin + 30 * MS - 2 * US;
    assert_int_equal(r1(&bench, 41, SDSIM_OCR_CCS), SDSIM_R1_IDLE);
    assert_int_equal(r1(&bench, 55, 0), SDSIM_R1_IDLE);
    assert_int_equal(r1(&bench, 41, SDSIM_OCR_CCS), 0);
    assert_true(bench.now - begin <= 30 * MS + US);
    assert_int_equal(r1(&bench, 55, 0), 0);
    reply = spi(&bench, 58, 0);
    assert_int_equal(word(reply), SDSIM_OCR_VOLTAGES | SDSIM_OCR_READY | SDSIM_OCR_CCS);
    assert_int_equal(r1(&bench, 17, 0), 0);

    /* CMD0 takes it all back, and the card stays in SPI mode whatever CS does. */
    assert_true(command(&bench, false, 0, 0)->answered);
    assert_int_equal(r1(&bench, 58, 0), SDSIM_R1_IDLE);
    assert_int_equal(r1(&bench, 17, 0), SDSIM_R1_ILLEGAL | SDSIM_R1_IDLE);
    power_down(&bench);
}

static void host_capacity_support(void **state)
{
    (void)state;
    static const struct {
        int type;
        uint32_t argument;
        bool ready;
        bool ccs;
    } rows[] = {
        {SDSIM_SDSC, 0, true, false},
        {SDSIM_SDSC, SDSIM_OCR_CCS, true, false},
        {SDSIM_SDHC, 0, false, false},
        {SDSIM_SDHC, SDSIM_OCR_CCS, true, true},
        {SDSIM_SDXC, SDSIM_OCR_CCS, true, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (int over_spi = 0; over_spi < 2; over_spi++) {
            struct sdsim_card_params params = sdhc;
            params.type = rows[i].type;
            params.init_time = 0;
            struct bench bench;
            power_up(&bench, &params);
            const uint32_t argument = rows[i].argument | SDSIM_OCR_VOLTAGES;
            (void)command(&bench, over_spi, 0, 0);
            (void)command(&bench, over_spi, 55, 0);
            const struct sdsim_reply *reply = command(&bench, over_spi, 41, argument);
            bool ready = over_spi ? reply->r1 == 0 : (word(reply) & SDSIM_OCR_READY) != 0;
            if (ready != rows[i].ready) {
                fail_msg("row %zu: ready %d", i, ready);
            }
            if (over_spi) {
                reply = command(&bench, true, 58, 0);
            }
            assert_int_equal((word(reply) & SDSIM_OCR_CCS) != 0, rows[i].ccs);
            power_down(&bench);
        }
    }
}

static void initialisation_on_the_sd_bus(void **state)
{
    (void)state;
    struct bench bench;
    power_up(&bench, &sdhc);
    assert_false(sd(&bench, 0, 0)->answered);
    const struct sdsim_reply *reply = sd(&bench, 8, 0x1AA);
    assert_int_equal(reply->extra_count, 4);
    assert_int_equal(word(reply), 0x1AA);

    /* CMD55 says that the next one is an application command. */
    reply = sd(&bench, 55, 0);
    assert_int_equal(state_of(reply), SDSIM_CARD_IDLE);
    assert_true((word(reply) & SDSIM_STATUS_APP_CMD) != 0);
    /* Without voltages ACMD41 only asks. */
    reply = sd(&bench, 41, 0);
    assert_int_equal(word(reply), SDSIM_OCR_VOLTAGES);
    bench.now += SDSIM_S;
    (void)sd(&bench, 55, 0);
    reply = sd(&bench, 41, SDSIM_OCR_VOLTAGES | SDSIM_OCR_CCS);
    assert_int_equal(word(reply), SDSIM_OCR_VOLTAGES);
    bench.now += 30 * MS;
    (void)sd(&bench, 55, 0);
    reply = sd(&bench, 41, SDSIM_OCR_VOLTAGES | SDSIM_OCR_CCS);
    assert_int_equal(word(reply), SDSIM_OCR_VOLTAGES | SDSIM_OCR_READY | SDSIM_OCR_CCS);

    reply = sd(&bench, 2, 0);
    uint8_t cid[SDSIM_CID_BYTES];
    sdsim_cid(&bench.params, cid);
    assert_int_equal(reply->extra_count, 16);
    assert_memory_equal(reply->extra, cid, sizeof cid);
    reply = sd(&bench, 3, 0);
    const uint32_t rca = word(reply) & 0xFFFF0000u;
    assert_true(rca != 0);
    assert_int_equal(state_of(reply), SDSIM_CARD_IDENT);
    reply = sd(&bench, 9, rca);
    uint8_t csd[SDSIM_CSD_BYTES];
    sdsim_csd(&bench.params, 0, csd);
    assert_memory_equal(reply->extra, csd, sizeof csd);
    assert_int_equal(state_of(sd(&bench, 13, rca)), SDSIM_CARD_STANDBY);
    /* A response names the state before; only the card that is selected gives it. */
    assert_int_equal(state_of(sd(&bench, 7, rca)), SDSIM_CARD_STANDBY);
    assert_int_equal(state_of(sd(&bench, 13, rca)), SDSIM_CARD_TRANSFER);
    assert_false(sd(&bench, 7, 0)->answered);
    assert_int_equal(state_of(sd(&bench, 13, rca)), SDSIM_CARD_STANDBY);
    assert_int_equal(state_of(sd(&bench, 7, rca)), SDSIM_CARD_STANDBY);

    (void)sd(&bench, 55, rca);
    (void)sd(&bench, 6, 2);
    assert_int_equal(bench.card.width, 4);
    reply = sd(&bench, 6, 0x80FFFFF1u);
    assert_int_equal(reply->data, SDSIM_DATA_REGISTER);
    assert_int_equal(reply->block_bytes, SDSIM_STATUS_BYTES);
    assert_true(bench.card.high_speed);
    power_down(&bench);
}

/* ---- legal commands ---- */

enum place { SPI_IDLE, SPI_TRANSFER, SD_IDLE, SD_STANDBY, SD_TRANSFER, SD_RECEIVE, PLACES };

static void go(struct bench *bench, enum place place)
{
    switch (place) {
    case SPI_IDLE:
    case SD_IDLE:
        power_up(bench, &sdhc);
        (void)command(bench, place == SPI_IDLE, 0, 0);
        break;
    case SPI_TRANSFER:
        spi_ready(bench, &sdhc);
        break;
    default:
        sd_ready(bench, &sdhc);
        if (place == SD_STANDBY) {
            (void)sd(bench, 7, 0);
        } else if (place == SD_RECEIVE) {
            (void)sd(bench, 25, 0);
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
        {1, false, "nnnnnn"},  {2, false, "nnnnnn"},  {3, false, "nnnynn"},  {5, false, "nnnnnn"},
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
            struct bench bench;
            go(&bench, (enum place)place);
            if (rows[i].app) {
                (void)command(&bench, place <= SPI_TRANSFER, 55, 0);
            }
            const struct sdsim_reply *reply =
                command(&bench, place <= SPI_TRANSFER, rows[i].index, 0x80FFFFF1u & 0x1FF);
            /* Over SPI an illegal command is answered so; on the SD bus there is silence. */
            const bool legal = reply->answered && (reply->r1 & SDSIM_R1_ILLEGAL) == 0;
            if (legal != (rows[i].legal[place] == 'y') ||
                (place <= SPI_TRANSFER && !reply->answered)) {
                fail_msg("%sCMD%u in place %d: %s", rows[i].app ? "A" : "", rows[i].index, place,
                         legal ? "legal" : "illegal");
            }
            power_down(&bench);
        }
    }
}

static void no_high_speed_before_version_1_10(void **state)
{
    (void)state;
    struct sdsim_card_params params = sdhc;
    params.high_hz = 0;
    struct bench bench;
    spi_ready(&bench, &params);
    assert_int_equal(r1(&bench, 6, 0x80FFFFF1u), SDSIM_R1_ILLEGAL);
    power_down(&bench);
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
        struct bench bench;
        spi_ready(&bench, &sdhc);
        if (rows[i].app) {
            (void)r1(&bench, 55, 0);
        }
        const struct sdsim_reply *reply = spi(&bench, rows[i].index, 0);
        assert_int_equal(reply->data, SDSIM_DATA_REGISTER);
        assert_int_equal(reply->block_bytes, rows[i].bytes);
        assert_int_equal(reply->extra_count, rows[i].extra);
        assert_int_equal(sdsim_card_read_ready(&bench.card).at, bench.now);
        assert_int_equal(bench.card.state, SDSIM_CARD_TRANSFER);
        power_down(&bench);
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
            struct sdsim_card_params params = sdhc;
            params.type = rows[i].type;
            struct bench bench;
            spi_ready(&bench, &params);
            assert_int_equal(bench.card.sectors, sectors);
            const uint8_t got = r1(&bench, commands[c], rows[i].argument);
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
                assert_int_equal(spi(&bench, 13, 0)->extra[0], r2);
                assert_int_equal(spi(&bench, 13, 0)->extra[0], 0);
            }
            power_down(&bench);
        }
    }
    struct bench bench;
    sd_ready(&bench, &sdhc);
    assert_true((word(sd(&bench, 17, sectors)) & SDSIM_STATUS_OUT_OF_RANGE) != 0);
    assert_int_equal(bench.reply.data, SDSIM_DATA_NONE);
    assert_true((word(sd(&bench, 13, 0)) & SDSIM_STATUS_OUT_OF_RANGE) != 0);
    assert_true((word(sd(&bench, 13, 0)) & SDSIM_STATUS_OUT_OF_RANGE) == 0);
    power_down(&bench);
}

/* ---- transfers ---- */

static void write_one(struct bench *bench, uint32_t lba, uint8_t fill)
{
    const struct sdsim_content content = {.kind = SDSIM_CONTENT_FILL, .fill = fill};
    assert_int_equal(r1(bench, 24, lba), 0);
    bench->now += 200 * US;
    assert_true(sdsim_card_write_block(&bench->card, bench->now, &content));
    bench->now = sdsim_card_busy(&bench->card).at;
}

static uint8_t read_one(struct bench *bench, uint32_t lba)
{
    uint8_t block[SDSIM_SECTOR];
    assert_int_equal(r1(bench, 17, lba), 0);
    assert_int_equal(sdsim_card_read_ready(&bench->card).at, bench->now + 100 * US);
    sdsim_card_read_bytes(&bench->card, block);
    for (unsigned i = 1; i < SDSIM_SECTOR; i++) {
        assert_int_equal(block[i], block[0]);
    }
    bench->now += 300 * US;
    sdsim_card_read_done(&bench->card, bench->now);
    assert_int_equal(bench->card.state, SDSIM_CARD_TRANSFER);
    return block[0];
}

static void single_blocks(void **state)
{
    (void)state;
    struct bench bench;
    spi_ready(&bench, &sdhc);
    write_one(&bench, 77, 0xA5);
    assert_int_equal(read_one(&bench, 77), 0xA5);
    assert_int_equal(read_one(&bench, 78), 0x00);

    /* Busy for wn and then w1, in program state. */
    const struct sdsim_content content = {.kind = SDSIM_CONTENT_FILL, .fill = 1};
    (void)r1(&bench, 24, 0);
    assert_int_equal(bench.card.state, SDSIM_CARD_RECEIVE);
    const sdsim_ps end = bench.now + MS;
    assert_true(sdsim_card_write_block(&bench.card, end, &content));
    assert_int_equal(sdsim_card_busy(&bench.card).at, end + 705 * US);
    assert_int_equal(sdsim_card_status(&bench.card, end + 704 * US) >> 9, SDSIM_CARD_PROGRAM);
    assert_true((sdsim_card_status(&bench.card, end + 704 * US) & SDSIM_STATUS_READY_FOR_DATA) ==
                0);
    assert_int_equal(sdsim_card_status(&bench.card, end + 705 * US),
                     (uint32_t)SDSIM_CARD_TRANSFER << 9 | SDSIM_STATUS_READY_FOR_DATA);
    power_down(&bench);
}

static void a_busy_card_over_spi(void **state)
{
    (void)state;
    static const uint8_t deaf[] = {6, 8, 9, 17, 24, 55, 58, 59};
    for (size_t i = 0; i < sizeof deaf; i++) {
        struct bench bench;
        spi_ready(&bench, &sdhc);
        write_one(&bench, 0, 1);
        bench.now -= 10 * US;
        assert_false(spi(&bench, deaf[i], 0)->answered);
        assert_true(spi(&bench, 13, 0)->answered);
        assert_true(spi(&bench, 12, 0)->answered);
        assert_true(bench.reply.busy);
        bench.now += 10 * US;
        assert_true(spi(&bench, deaf[i], 0)->answered);
        assert_true(spi(&bench, 0, 0)->answered);
        power_down(&bench);
    }
    /* CMD0 ends the busy. */
    struct bench bench;
    spi_ready(&bench, &sdhc);
    write_one(&bench, 0, 1);
    bench.now -= 10 * US;
    assert_true(spi(&bench, 0, 0)->answered);
    assert_true(sdsim_card_busy(&bench.card).at <= bench.now);
    power_down(&bench);
}

static void streams(void **state)
{
    (void)state;
    struct bench bench;
    spi_ready(&bench, &sdhc);
    assert_int_equal(r1(&bench, 25, 100), 0);
    assert_true(bench.reply.multiple);
    for (uint32_t i = 0; i < 5; i++) {
        const struct sdsim_content content = {.kind = SDSIM_CONTENT_FILL, .fill = (uint8_t)i};
        bench.now += MS;
        assert_true(sdsim_card_write_block(&bench.card, bench.now, &content));
        assert_int_equal(sdsim_card_busy(&bench.card).at, bench.now + 5 * US);
    }
    bench.now += MS;
    sdsim_card_stop_token(&bench.card, bench.now);
    assert_int_equal(sdsim_card_busy(&bench.card).at, bench.now + 900 * US);
    assert_int_equal(bench.card.state, SDSIM_CARD_TRANSFER);
    sdsim_card_stop_token(&bench.card, bench.now + SDSIM_S); /* not in a transfer: nothing */
    bench.now += MS;
    assert_int_equal(sdsim_card_busy(&bench.card).at, bench.now - MS + 900 * US);

    (void)r1(&bench, 55, 0);
    (void)r1(&bench, 22, 0);
    assert_int_equal(bench.card.block[3], 5); /* well written blocks */

    assert_int_equal(r1(&bench, 18, 100), 0);
    assert_true(bench.reply.multiple);
    for (uint32_t i = 0; i < 5; i++) {
        uint8_t block[SDSIM_SECTOR];
        sdsim_card_read_bytes(&bench.card, block);
        assert_int_equal(block[0], i);
        bench.now = sdsim_card_read_ready(&bench.card).at + 100 * US;
        sdsim_card_read_done(&bench.card, bench.now);
        assert_int_equal(sdsim_card_read_ready(&bench.card).at, bench.now + 2 * US);
    }
    assert_int_equal(r1(&bench, 17, 0), SDSIM_R1_ILLEGAL); /* not while sending */
    assert_int_equal(r1(&bench, 12, 0), 0);
    assert_false(bench.reply.busy);
    assert_int_equal(bench.card.state, SDSIM_CARD_TRANSFER);
    power_down(&bench);
}

/* CMD23 counts one transfer and is forgotten. */
static void counted_transfers(void **state)
{
    (void)state;
    const struct sdsim_content content = {.kind = SDSIM_CONTENT_FILL, .fill = 7};
    struct bench bench;
    sd_ready(&bench, &sdhc);
    (void)sd(&bench, 23, 3);
    (void)sd(&bench, 25, 10);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(bench.card.state, SDSIM_CARD_RECEIVE);
        bench.now += MS;
        assert_true(sdsim_card_write_block(&bench.card, bench.now, &content));
    }
    assert_int_equal(bench.card.state, SDSIM_CARD_TRANSFER);
    assert_int_equal(sdsim_card_busy(&bench.card).at, bench.now + 905 * US);
    bench.now += MS;
    (void)sd(&bench, 23, 2);
    (void)sd(&bench, 18, 10);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(bench.card.state, SDSIM_CARD_DATA);
        sdsim_card_read_done(&bench.card, bench.now += MS);
    }
    assert_int_equal(bench.card.state, SDSIM_CARD_TRANSFER);
    (void)sd(&bench, 18, 10);
    for (unsigned i = 0; i < 5; i++) {
        sdsim_card_read_done(&bench.card, bench.now += MS);
    }
    assert_int_equal(bench.card.state, SDSIM_CARD_DATA);
    assert_int_equal(state_of(sd(&bench, 12, 0)), SDSIM_CARD_TRANSFER);
    power_down(&bench);
}

static void beyond_the_end(void **state)
{
    (void)state;
    const struct sdsim_content content = {.kind = SDSIM_CONTENT_FILL, .fill = 7};
    struct bench bench;
    spi_ready(&bench, &sdhc);
    const uint32_t last = bench.card.sectors - 1;
    (void)r1(&bench, 18, last);
    assert_false(sdsim_card_read_beyond(&bench.card));
    sdsim_card_read_done(&bench.card, bench.now += MS);
    assert_true(sdsim_card_read_beyond(&bench.card));
    assert_int_equal(sdsim_card_read_alike(&bench.card, 100), 0);
    (void)r1(&bench, 12, 0);

    (void)r1(&bench, 25, last);
    assert_true(sdsim_card_write_block(&bench.card, bench.now += MS, &content));
    const sdsim_ps busy = sdsim_card_busy(&bench.card).at;
    assert_int_equal(sdsim_card_write_alike(&bench.card, 100), 0);
    assert_false(sdsim_card_write_block(&bench.card, bench.now += MS, &content));
    assert_int_equal(sdsim_card_busy(&bench.card).at, busy);
    assert_int_equal(bench.card.well_written, 1);
    sdsim_card_stop_token(&bench.card, bench.now);
    bench.now += MS;
    assert_int_equal(spi(&bench, 13, 0)->extra[0], SDSIM_R2_OUT_OF_RANGE);
    power_down(&bench);
}

static void skipping_equals_stepping(void **state)
{
    (void)state;
    struct bench a;
    struct bench b;
    const struct sdsim_content content = {.kind = SDSIM_CONTENT_GENERATED, .seed = 9};
    spi_ready(&a, &sdhc);
    spi_ready(&b, &sdhc);
    struct bench *benches[] = {&a, &b};
    for (int i = 0; i < 2; i++) {
        (void)r1(benches[i], 25, 8192 - 40);
        assert_true(sdsim_card_write_block(&benches[i]->card, SDSIM_S, &content));
    }
    assert_int_equal(sdsim_card_write_alike(&a.card, 1000), 39);
    for (uint32_t i = 1; i <= 39; i++) {
        const struct sdsim_content rest = sdsim_content_after(&content, i * SDSIM_SECTOR);
        assert_true(sdsim_card_write_block(&a.card, SDSIM_S + i * MS, &rest));
    }
    const struct sdsim_content rest = sdsim_content_after(&content, SDSIM_SECTOR);
    assert_true(sdsim_card_write_skip(&b.card, 39, 39 * MS, &rest));
    assert_int_equal(a.card.busy.at, b.card.busy.at);
    assert_int_equal(a.card.lba, b.card.lba);
    assert_int_equal(a.card.well_written, b.card.well_written);
    assert_true(sdsim_medium_equal(a.medium, b.medium));
    for (int i = 0; i < 2; i++) {
        struct bench *bench = benches[i];
        sdsim_card_stop_token(&bench->card, 2 * SDSIM_S);
        bench->now = 3 * SDSIM_S;
        (void)r1(bench, 18, 8192 - 40);
        sdsim_card_read_done(&bench->card, 4 * SDSIM_S);
    }
    assert_int_equal(sdsim_card_read_alike(&a.card, 1000), 39);
    assert_int_equal(sdsim_card_read_alike(&a.card, 10), 10);
    for (uint32_t i = 1; i <= 38; i++) {
        sdsim_card_read_done(&a.card, 4 * SDSIM_S + i * MS);
    }
    sdsim_card_read_skip(&b.card, 38, 38 * MS);
    assert_int_equal(a.card.ready.at, b.card.ready.at);
    assert_int_equal(a.card.lba, b.card.lba);
    uint8_t block[2][SDSIM_SECTOR];
    sdsim_card_read_bytes(&a.card, block[0]);
    sdsim_card_read_bytes(&b.card, block[1]);
    assert_memory_equal(block[0], block[1], SDSIM_SECTOR);
    power_down(&a);
    power_down(&b);
}

/* ---- erase ---- */

static void erasing(void **state)
{
    (void)state;
    struct bench bench;
    spi_ready(&bench, &sdhc);
    for (uint32_t lba = 0; lba < 4; lba++) {
        write_one(&bench, lba, 0x11);
    }
    assert_int_equal(r1(&bench, 32, 1), 0);
    assert_int_equal(r1(&bench, 33, 2), 0);
    assert_int_equal(r1(&bench, 38, 0), 0);
    assert_true(bench.reply.busy);
    assert_int_equal(sdsim_card_busy(&bench.card).at, bench.now + 2 * MS);
    bench.now += 2 * MS;
    static const uint8_t left[] = {0x11, 0x00, 0x00, 0x11};
    for (uint32_t lba = 0; lba < 4; lba++) {
        assert_int_equal(read_one(&bench, lba), left[lba]);
    }
    power_down(&bench);

    static const struct {
        const char *what;
        uint32_t from, to; /* UINT32_MAX: not sent */
        bool backwards;    /* CMD33 first */
    } rows[] = {
        {"CMD38 alone", UINT32_MAX, UINT32_MAX, false},
        {"without CMD33", 0, UINT32_MAX, false},
        {"without CMD32", UINT32_MAX, 0, false},
        {"end before begin", 5, 4, false},
        {"end beyond the card", 5, 8192, false},
        {"begin beyond the card", 8192, 5, false},
        {"in the wrong order", 1, 2, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        spi_ready(&bench, &sdhc);
        write_one(&bench, 0, 0x11);
        for (int step = 0; step < 2; step++) {
            const bool first = (step == 0) != rows[i].backwards;
            const uint32_t lba = first ? rows[i].from : rows[i].to;
            if (lba != UINT32_MAX) {
                (void)r1(&bench, first ? 32 : 33, lba);
            }
        }
        if (r1(&bench, 38, 0) != SDSIM_R1_ERASE_SEQUENCE || bench.reply.busy) {
            fail_msg("%s: R1 %02X", rows[i].what, bench.reply.r1);
        }
        assert_int_equal(read_one(&bench, 0), 0x11);
        power_down(&bench);
    }
}

/* ---- cards that are not what they say ---- */

static void fake_capacity(void **state)
{
    (void)state;
    struct sdsim_card_params params = sdhc;
    params.real_bytes = 1 << 20; /* 2048 of 8192 sectors */
    struct bench bench;
    spi_ready(&bench, &params);
    write_one(&bench, 2047, 0x22);
    write_one(&bench, 2048, 0x33);
    write_one(&bench, 8191, 0x44);
    assert_int_equal(read_one(&bench, 2047), 0x22);
    assert_int_equal(read_one(&bench, 2048), 0xFF);
    assert_int_equal(read_one(&bench, 8191), 0xFF);

    /* A run across the border, both ways. */
    const struct sdsim_content content = {.kind = SDSIM_CONTENT_FILL, .fill = 0x55};
    (void)r1(&bench, 25, 2044);
    assert_true(sdsim_card_write_block(&bench.card, bench.now += MS, &content));
    assert_true(sdsim_card_write_skip(&bench.card, 7, MS, &content));
    sdsim_card_stop_token(&bench.card, bench.now += 2 * MS);
    bench.now += 2 * MS;
    (void)r1(&bench, 18, 2043);
    uint8_t blocks[8][SDSIM_SECTOR];
    sdsim_card_read_many(&bench.card, 8, blocks[0]);
    static const uint8_t expected[] = {0x00, 0x55, 0x55, 0x55, 0x55, 0xFF, 0xFF, 0xFF};
    for (unsigned i = 0; i < 8; i++) {
        assert_int_equal(blocks[i][0], expected[i]);
        assert_int_equal(blocks[i][511], expected[i]);
    }
    sdsim_card_read_many(&bench.card, 8, NULL);
    power_down(&bench);
}

/* ---- pauses ---- */

/* A pause in the busy of a lone block is known for what it is. */
static void pause_of_a_lone_write(void **state)
{
    (void)state;
    struct sdsim_card_params params = sdhc;
    params.flash.pause_every = 2 * SDSIM_SECTOR;
    params.flash.pause_length = 80 * MS;
    struct bench bench;
    spi_ready(&bench, &params);
    const struct sdsim_content content = {.kind = SDSIM_CONTENT_FILL, .fill = 1};
    (void)r1(&bench, 24, 0);
    assert_true(sdsim_card_write_block(&bench.card, bench.now, &content));
    assert_int_equal(sdsim_card_busy(&bench.card).at, bench.now + 80 * MS + 705 * US);
    assert_int_equal(sdsim_card_busy(&bench.card).pause, 80 * MS);
    power_down(&bench);
}

/* ---- no memory ---- */

static void out_of_memory(void **state)
{
    (void)state;
    struct bench bench;
    spi_ready(&bench, &sdhc);
    bool failed = false;
    for (uint32_t lba = 0; lba < 5000 && !failed; lba += 2) {
        const struct sdsim_content content = {.kind = SDSIM_CONTENT_FILL, .fill = (uint8_t)lba};
        assert_int_equal(r1(&bench, 25, lba), 0);
        const uint64_t written = bench.card.flash.blocks_written;
        sdsim_test_fail_allocation(1);
        const bool stored = sdsim_card_write_block(&bench.card, bench.now, &content);
        failed = sdsim_test_allocation_failed();
        assert_int_equal(stored, !failed);
        assert_int_equal(bench.card.flash.blocks_written - written, stored ? 1 : 0);
        sdsim_card_stop_token(&bench.card, bench.now);
        bench.now += MS;
    }
    assert_true(failed);
    assert_int_equal(bench.card.state, SDSIM_CARD_TRANSFER);
    power_down(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(initialisation_over_spi),
        cmocka_unit_test(host_capacity_support),
        cmocka_unit_test(initialisation_on_the_sd_bus),
        cmocka_unit_test(legal_commands),
        cmocka_unit_test(no_high_speed_before_version_1_10),
        cmocka_unit_test(registers_over_spi),
        cmocka_unit_test(addresses),
        cmocka_unit_test(single_blocks),
        cmocka_unit_test(a_busy_card_over_spi),
        cmocka_unit_test(streams),
        cmocka_unit_test(counted_transfers),
        cmocka_unit_test(beyond_the_end),
        cmocka_unit_test(skipping_equals_stepping),
        cmocka_unit_test(erasing),
        cmocka_unit_test(fake_capacity),
        cmocka_unit_test(pause_of_a_lone_write),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
