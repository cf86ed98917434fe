#include "spi_bench.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>

static const struct sdsim_driver_clocks clocks = {
    .asked_hz = 20000000, .init_num = 400000, .init_den = 1, .num = 20000000, .den = 1};

/* A command frame is told by its first byte, which data that is all zeros can't be taken for. */
static void hear(struct sdsim_wire_listener *listener, sdsim_ps start, sdsim_ps end, bool selected,
                 uint8_t mosi, uint8_t miso)
{
    (void)end;
    (void)miso;
    struct sdsim_test_ear *ear = (struct sdsim_test_ear *)listener;
    ear->high_behind = selected ? 0 : ear->high_behind + 1;
    if (!selected) {
        return;
    }
    if (ear->left_of_frame > 0) {
        ear->left_of_frame--;
    } else if ((mosi & 0xC0) == 0x40) {
        ear->left_of_frame = 5;
        if (ear->commands++ == 0) {
            ear->first_command = mosi & 0x3F;
            ear->first_at = start;
        }
    } else if (ear->commands == 0) {
        ear->low_before++;
    }
}

static void listen_afresh(struct sdsim_test_spi_bench *bench)
{
    bench->ear = (struct sdsim_test_ear){.listener = {.byte = hear}};
}

struct sdsim_test_spi_bench *sdsim_test_spi_up(const struct sdsim_card_params *card,
                                               const struct sdsim_driver_params *params,
                                               const struct sdsim_driver_costs *costs, bool on_wire)
{
    struct sdsim_test_spi_bench *bench = calloc(1, sizeof *bench);
    assert_non_null(bench);
    bench->medium = sdsim_medium_create(sdsim_csd_sectors(card), 0);
    assert_non_null(bench->medium);
    sdsim_card_init(&bench->card, card, bench->medium, 1, 0);
    sdsim_wire_init(&bench->wire, SDSIM_BUS_SPI, &bench->card, &bench->meter);
    sdsim_fast_init(&bench->fast, SDSIM_BUS_SPI, &bench->card, &bench->meter);
    bench->wire.listener = &bench->ear.listener;
    listen_afresh(bench);
    struct sdsim_port *port = on_wire ? &bench->wire.port : &bench->fast;
    sdsim_driver_attach(&bench->driver, params, costs, port, &clocks, true);
    const enum sdsim_driver_error error = sdsim_driver_init(&bench->driver, &bench->now);
    if (error != SDSIM_DRIVER_OK) {
        char why[200];
        sdsim_driver_explain_fault(&bench->driver, why, sizeof why);
        fail_msg("init on %s: %s", on_wire ? "the wire" : "fast", why);
    }
    return bench;
}

void sdsim_test_spi_down(struct sdsim_test_spi_bench *bench)
{
    sdsim_medium_destroy(bench->medium);
    free(bench);
}

enum sdsim_driver_error sdsim_test_spi_read(struct sdsim_test_spi_bench *bench, uint32_t lba,
                                            uint32_t count)
{
    listen_afresh(bench);
    return sdsim_driver_read(&bench->driver, &bench->now, lba, count, SDSIM_FOR_DATA, NULL);
}

enum sdsim_driver_error sdsim_test_spi_write(struct sdsim_test_spi_bench *bench, uint32_t lba,
                                             uint32_t count)
{
    const struct sdsim_content zeros = {.kind = SDSIM_CONTENT_FILL};
    listen_afresh(bench);
    return sdsim_driver_write(&bench->driver, &bench->now, lba, count, SDSIM_FOR_DATA, &zeros);
}
