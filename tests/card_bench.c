#include "card_bench.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#define US SDSIM_US
#define MS SDSIM_MS

const struct sdsim_card_params sdsim_test_sdhc = {
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

void sdsim_test_card_power_up(struct sdsim_test_card *bench, const struct sdsim_card_params *params)
{
    bench->params = *params;
    bench->medium = sdsim_medium_create(sdsim_csd_sectors(params), 0x00);
    assert_non_null(bench->medium);
    sdsim_card_init(&bench->card, &bench->params, bench->medium, 1, 0);
    bench->now = MS;
}

void sdsim_test_card_power_down(struct sdsim_test_card *bench)
{
    sdsim_medium_destroy(bench->medium);
}

const struct sdsim_reply *sdsim_test_card_command(struct sdsim_test_card *bench, bool selected,
                                                  uint8_t index, uint32_t argument)
{
    bench->now += US;
    sdsim_card_command(&bench->card, bench->now, selected, index, argument, &bench->reply);
    return &bench->reply;
}

uint32_t sdsim_test_card_word(const struct sdsim_reply *reply)
{
    const uint8_t *e = reply->extra;
    return (uint32_t)e[0] << 24 | (uint32_t)e[1] << 16 | (uint32_t)e[2] << 8 | e[3];
}

enum sdsim_card_state sdsim_test_card_state_of(const struct sdsim_reply *reply)
{
    assert_true(reply->answered);
    return (enum sdsim_card_state)(sdsim_test_card_word(reply) >> 9 & 0xF);
}

uint8_t sdsim_test_card_r1(struct sdsim_test_card *bench, uint8_t index, uint32_t argument)
{
    const struct sdsim_reply *reply = sdsim_test_card_spi(bench, index, argument);
    assert_true(reply->answered);
    return reply->r1;
}

void sdsim_test_card_spi_ready(struct sdsim_test_card *bench,
                               const struct sdsim_card_params *params)
{
    sdsim_test_card_power_up(bench, params);
    assert_int_equal(sdsim_test_card_r1(bench, 0, 0), SDSIM_R1_IDLE);
    (void)sdsim_test_card_spi(bench, 8, 0x1AA);
    assert_int_equal(sdsim_test_card_r1(bench, 55, 0), SDSIM_R1_IDLE);
    (void)sdsim_test_card_r1(bench, 41, SDSIM_OCR_CCS);
    bench->now += params->init_time;
    (void)sdsim_test_card_r1(bench, 55, 0);
    assert_int_equal(sdsim_test_card_r1(bench, 41, SDSIM_OCR_CCS), 0);
}

void sdsim_test_card_sd_ready(struct sdsim_test_card *bench, const struct sdsim_card_params *params)
{
    sdsim_test_card_power_up(bench, params);
    (void)sdsim_test_card_sd(bench, 0, 0);
    (void)sdsim_test_card_sd(bench, 8, 0x1AA);
    (void)sdsim_test_card_sd(bench, 55, 0);
    (void)sdsim_test_card_sd(bench, 41, SDSIM_OCR_CCS | SDSIM_OCR_VOLTAGES);
    bench->now += params->init_time;
    (void)sdsim_test_card_sd(bench, 55, 0);
    assert_true(
        (sdsim_test_card_word(sdsim_test_card_sd(bench, 41, SDSIM_OCR_CCS | SDSIM_OCR_VOLTAGES)) &
         SDSIM_OCR_READY) != 0);
    (void)sdsim_test_card_sd(bench, 2, 0);
    const uint32_t rca = sdsim_test_card_word(sdsim_test_card_sd(bench, 3, 0)) & 0xFFFF0000u;
    (void)sdsim_test_card_sd(bench, 7, rca);
    assert_int_equal(sdsim_test_card_state_of(sdsim_test_card_sd(bench, 13, rca)),
                     SDSIM_CARD_TRANSFER);
}
