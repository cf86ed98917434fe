/*
 * What each SD-mode driver puts on the bus, written as it would be read from its source. One word
 * is one transaction:
 *
 *     S D             waits by CMD13, or for DAT0, before the command
 *     25*4            CMD25 and 4 blocks; `>*4`: 4 more blocks of the open transfer
 *     +12             the controller's automatic CMD12
 *     ~ ^             does not wait for the last block's busy; nor for the block itself
 *     s d             waits by CMD13, or for DAT0, after it
 *
 * A `|` stands between two calls.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "driver/driver.h"

enum {
    SECTORS = 32768,
};

static const struct sdsim_card_params card_params = {
    .type = SDSIM_SDHC,
    .capacity = (uint64_t)SECTORS * SDSIM_SECTOR,
    .spi_hz = 25000000,
    .high_hz = 50000000,
    .n_cr_clocks = 4,
    .init_time = SDSIM_MS,
    .flash = {.rd1 = 100 * SDSIM_US,
              .w1 = SDSIM_MS,
              .wn = 5 * SDSIM_US,
              .wstop = 700 * SDSIM_US,
              .page_bytes = 65536},
};

/* A fast port that writes down what it is asked. */
struct scribe {
    struct sdsim_port port; /* first: what the driver sees */
    const struct sdsim_port_ops *fast;
    char text[512];
    size_t used;
};

static void note(struct scribe *scribe, const char *text)
{
    scribe->used += (size_t)snprintf(scribe->text + scribe->used,
                                     sizeof scribe->text - scribe->used, "%s", text);
    assert_true(scribe->used < sizeof scribe->text);
}

static void note_wait(struct scribe *scribe, const struct sdsim_wait *wait, const char *status,
                      const char *dat0)
{
    if (wait != NULL) {
        note(scribe, wait->test == SDSIM_READY_STATUS ? status : dat0);
    }
}

static void execute(struct sdsim_port *port, sdsim_ps *now, const struct sdsim_transaction *tx,
                    struct sdsim_result *result)
{
    struct scribe *scribe = (struct scribe *)port;
    char number[32];
    note(scribe, " ");
    note_wait(scribe, tx->ready, "S", "D");
    if ((tx->flags & SDSIM_COMMAND) != 0) {
        snprintf(number, sizeof number, "%u", tx->command);
        note(scribe, number);
    } else if (tx->direction != SDSIM_NO_BLOCKS) {
        note(scribe, ">");
    }
    if (tx->direction != SDSIM_NO_BLOCKS) {
        snprintf(number, sizeof number, "*%u", (unsigned)tx->blocks);
        note(scribe, number);
    }
    note(scribe, (tx->flags & SDSIM_AUTO_STOP) != 0 ? "+12" : "");
    note(scribe, (tx->flags & SDSIM_LEAVE_BUSY) != 0 ? "~" : "");
    note(scribe, (tx->flags & SDSIM_WRITE_BEHIND) != 0 ? "^" : "");
    note_wait(scribe, tx->finish, "s", "d");
    scribe->fast->execute(port, now, tx, result);
}

static const struct sdsim_port_ops scribe_ops = {.name = "scribe", .execute = execute};

struct bench {
    struct sdsim_medium *medium;
    struct sdsim_card card;
    struct sdsim_meter meter;
    struct scribe scribe;
    struct sdsim_driver driver;
    sdsim_ps now;
};

/* Ready for calls, with nothing written down yet. */
static void create(struct bench *bench, const struct sdsim_driver_params *params, bool usable)
{
    static const struct sdsim_driver_costs costs = {.call = 5 * SDSIM_US,
                                                    .bulk = 2 * SDSIM_US,
                                                    .chunk = 64,
                                                    .chunk_gap = 500 * SDSIM_NS,
                                                    .crc16 = 20 * SDSIM_US,
                                                    .copy = 4 * SDSIM_US,
                                                    .command = SDSIM_US,
                                                    .wake = 3 * SDSIM_US};
    static const struct sdsim_driver_clocks clocks = {
        .asked_hz = 50000000, .init_num = 400000, .init_den = 1, .num = 50000000, .den = 1};
    *bench = (struct bench){.now = 0};
    bench->medium = sdsim_medium_create(SECTORS, 0);
    assert_non_null(bench->medium);
    sdsim_card_init(&bench->card, &card_params, bench->medium, 1, 0);
    sdsim_fast_init(&bench->scribe.port, SDSIM_BUS_SD4, &bench->card, &bench->meter);
    bench->scribe.fast = bench->scribe.port.ops;
    bench->scribe.port.ops = &scribe_ops;
    sdsim_driver_attach(&bench->driver, params, &costs, &bench->scribe.port, &clocks, usable);
    assert_int_equal(sdsim_driver_init(&bench->driver, &bench->now), SDSIM_DRIVER_OK);
    assert_int_equal(bench->driver.sectors, SECTORS);
    bench->scribe.used = 0;
}

/* The calls of each row: write 1 block, 4 that follow, 4 more; read 1, 4 that follow, 4 more; sync,
 * status. Between them the card has time to finish, which an application of HAL_SD alone must give
 * it: a card that programs does not answer CMD17. */
static bool call(struct bench *bench, unsigned number)
{
    static const struct sdsim_content zeros = {.kind = SDSIM_CONTENT_FILL};
    static const struct {
        uint32_t lba;
        uint32_t count;
    } calls[] = {{100, 1}, {101, 4}, {105, 4}, {50, 1}, {51, 4}, {55, 4}};
    struct sdsim_driver *driver = &bench->driver;
    sdsim_ps *now = &bench->now;
    sdsim_spend(&bench->meter, now, SDSIM_IDLE, SDSIM_LANE_TASK, 10 * SDSIM_MS);
    switch (number) {
    case 6:
        return sdsim_driver_sync(driver, now) == SDSIM_DRIVER_OK;
    case 7:
        return sdsim_driver_status(driver, now) == SDSIM_DRIVER_OK;
    case 0:
    case 1:
    case 2:
        return sdsim_driver_write(driver, now, calls[number].lba, calls[number].count,
                                  SDSIM_FOR_DATA, &zeros) == SDSIM_DRIVER_OK;
    default:
        return sdsim_driver_read(driver, now, calls[number].lba, calls[number].count,
                                 SDSIM_FOR_DATA, NULL) == SDSIM_DRIVER_OK;
    }
}

static const struct {
    const char *name;
    struct sdsim_driver_params params;
    bool bounces; /* the buffer can't be used directly */
    const char *says;
} rows[] = {
    {"TeensySdio, FIFO",
     {.code = SDSIM_DRIVER_SDFAT_TEENSY},
     false,
     " S25*1^ | D>*4^ | D>*4^ | 12d S18*1 | >*4 | >*4 | 12d |"},
    {"TeensySdio, DMA",
     {.code = SDSIM_DRIVER_SDFAT_TEENSY, .dma = true},
     false,
     " S24*1 | S25*4+12 | S25*4+12 | S17*1 | S18*4+12 | S18*4+12 | |"},
    {"TeensySdio, DMA, a buffer that is not aligned",
     {.code = SDSIM_DRIVER_SDFAT_TEENSY, .dma = true, .bounce_blocks = 1},
     true,
     " S24*1 | S24*1 S24*1 S24*1 S24*1 | S24*1 S24*1 S24*1 S24*1 | S17*1 | S17*1 S17*1 S17*1 S17*1 "
     "| S17*1 S17*1 S17*1 S17*1 | |"},
    {"PioSdio",
     {.code = SDSIM_DRIVER_SDFAT_PIO},
     false,
     " 25*1~ | D>*4~ | D>*4~ | D 12d 18*1 | >*4 | >*4 | D 12d |"},
    {"carlk3",
     {.code = SDSIM_DRIVER_CARLK3_SDIO},
     false,
     " 24*1 | 25*4 | >*4 | 12d 17*1 | 18*4 12d | 18*4 12d | |"},
    {"ZuluSCSI",
     {.code = SDSIM_DRIVER_ZULUSCSI_SDIO},
     false,
     " 16 24*1 | 16 55 23 25*4 12d | 16 55 23 25*4 12d | 16 17*1 | 16 18*4 12d | 16 18*4 12d | |"},
    {"HAL_SD with Cube glue",
     {.code = SDSIM_DRIVER_STM32_HAL_SD,
      .status_after_read = 1,
      .status_after_write = 1,
      .status_on_call = true},
     false,
     " 24*1~s | 25*4~ 12s | 25*4~ 12s | 17*1~s | 18*4~ 12s | 18*4~ 12s | | 13"},
    {"HAL_SD alone",
     {.code = SDSIM_DRIVER_STM32_HAL_SD, .dma = true},
     false,
     " 24*1~ | 25*4~ 12 | 25*4~ 12 | 17*1~ | 18*4~ 12 | 18*4~ 12 | |"},
    {"sdioio on STM32",
     {.code = SDSIM_DRIVER_SDIOIO_STM, .tick = SDSIM_MS},
     false,
     " S24*1~ | S25*4~ 12 | S25*4~ 12 | S17*1~ | S18*4~ 12 | S18*4~ 12 | |"},
    {"sdioio on SAMD51",
     {.code = SDSIM_DRIVER_SDIOIO_SAMD},
     false,
     " 24*1 | 25*4 | 12d 25*4 | 12d S17*1 | S18*4 12d | S18*4 12d | |"},
    {"NuttX, CMD12",
     {.code = SDSIM_DRIVER_NUTTX_MMCSD, .tick = 10 * SDSIM_MS, .ready_wait = SDSIM_WAIT_SLEEPS},
     false,
     " 24*1~ | s 55 23 25*4~ 12 | s 55 23 25*4~ 12 | s 17*1~ | 18*4~ 12 | 18*4~ 12 | |"},
    {"NuttX, CMD23 and DAT0",
     {.code = SDSIM_DRIVER_NUTTX_MMCSD, .block_count = true, .ready_wait = SDSIM_WAIT_DAT0},
     false,
     " 24*1~ | Ds 55 23 23 25*4~ | Ds 55 23 23 25*4~ | Ds 17*1~ | 23 18*4~ | 23 18*4~ | |"},
    {"machine.SDCard",
     {.code = SDSIM_DRIVER_MACHINE_SDCARD, .tick = SDSIM_MS},
     false,
     " 24*1s | 25*4+12s | 25*4+12s | 17*1s | 18*4+12s | 18*4+12s | |"},
    {"MCUXpresso SDK",
     {.code = SDSIM_DRIVER_NXP_USDHC, .dma = true},
     false,
     " Ds 24*1 | Ds 25*4+12 | Ds 25*4+12 | Ds 17*1 | Ds 18*4+12 | Ds 18*4+12 | |"},
    {"LPCOpen",
     {.code = SDSIM_DRIVER_SMOOTHIE_SDMMC},
     false,
     " s 13 24*1 | s 13 25*4+12 | s 13 25*4+12 | 13 17*1s | 13 18*4+12s | 13 18*4+12s | |"},
    {"generic, 3 blocks at a time",
     {.code = SDSIM_DRIVER_GENERIC_SD, .most_blocks = 3},
     false,
     " 24*1s | 25*3 12s 24*1s | 25*3 12s 24*1s | 17*1s | 18*3 12s 17*1s | 18*3 12s 17*1s | |"},
    {"generic, CMD23",
     {.code = SDSIM_DRIVER_GENERIC_SD, .dma = true, .block_count = true},
     false,
     " 24*1s | 23 25*4s | 23 25*4s | 17*1s | 23 18*4s | 23 18*4s | |"},
    {"Linux, CMD23",
     {.code = SDSIM_DRIVER_LINUX_MMC, .block_count = true, .most_blocks = 1024},
     false,
     " 24*1 s | 23 25*4 s | 23 25*4 s | 17*1 | 23 18*4 | 23 18*4 | |"},
    {"Linux, CMD12",
     {.code = SDSIM_DRIVER_LINUX_MMC, .most_blocks = 1024},
     false,
     " 24*1 s | 25*4 12d s | 25*4 12d s | 17*1 | 18*4 12d | 18*4 12d | |"},
    {"USB reader",
     {.code = SDSIM_DRIVER_USB_READER, .most_blocks = 240},
     false,
     " 24*1 | 25*4 12d | 25*4 12d | 17*1 | 18*4 12d | 18*4 12d | |"},
};

static void sequences(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bench bench;
        create(&bench, &rows[i].params, !rows[i].bounces);
        for (unsigned number = 0; number < 8; number++) {
            note(&bench.scribe, number > 0 ? " |" : "");
            if (!call(&bench, number)) {
                char why[200];
                sdsim_driver_explain_fault(&bench.driver, why, sizeof why);
                fail_msg("%s, call %u: %s", rows[i].name, number, why);
            }
        }
        if (strcmp(bench.scribe.text, rows[i].says) != 0) {
            fail_msg("%s:\n%s\nnot\n%s", rows[i].name, bench.scribe.text, rows[i].says);
        }
        assert_int_equal(sdsim_account_total(&bench.meter.account), bench.now);
        sdsim_medium_destroy(bench.medium);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sequences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
