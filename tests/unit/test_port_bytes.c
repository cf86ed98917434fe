/*
 * Bytes on the bus per driver call, counted on the wire, against what the drivers' sources say.
 *
 * The figures are for a card that answers after one byte (N_CR 1), whose start token comes at once
 * (N_AC 0, no access time) and that is never busy, so every poll ends with its first byte. They
 * were worked out from the sources of the drivers, not from this simulator.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdlib.h>

#include "driver/driver.h"
#include "port/wire.h"

#define MOST 100u

static const struct sdsim_card_params card_params = {
    .type = SDSIM_SDHC,
    .capacity = 64 << 20,
    .spi_hz = 25000000,
    .n_cr = 1,
    .flash = {.page_bytes = 32768},
};

static const struct sdsim_driver_clocks clocks = {
    .init_num = 400000, .init_den = 1, .num = 20000000, .den = 1};

static const struct sdsim_driver_costs costs = {.call = 1000};

/* One driver in front of one fresh card, on either port. */
struct bench {
    struct sdsim_medium *medium;
    struct sdsim_card card;
    struct sdsim_meter meter;
    struct sdsim_wire wire;
    struct sdsim_port fast;
    struct sdsim_driver driver;
    sdsim_ps now;
};

static struct bench *bench_up(const struct sdsim_driver_params *params, bool on_wire)
{
    struct bench *bench = calloc(1, sizeof *bench);
    assert_non_null(bench);
    bench->medium = sdsim_medium_create(sdsim_csd_sectors(&card_params), 0);
    assert_non_null(bench->medium);
    sdsim_card_init(&bench->card, &card_params, bench->medium, 1, 0);
    sdsim_wire_init(&bench->wire, &bench->card, &bench->meter);
    sdsim_fast_init(&bench->fast, SDSIM_BUS_SPI, &bench->card, &bench->meter);
    struct sdsim_port *port = on_wire ? &bench->wire.port : &bench->fast;
    sdsim_driver_attach(&bench->driver, params, &costs, port, &clocks, true);
    assert_int_equal(sdsim_driver_init(&bench->driver, &bench->now), SDSIM_DRIVER_OK);
    return bench;
}

static void bench_down(struct bench *bench)
{
    sdsim_medium_destroy(bench->medium);
    free(bench);
}

enum operation { READ, WRITE, WRITE_ON, STATUS };

static const char *const operation_names[] = {"read", "write", "write that continues", "status"};

/* Bytes of one call; on the wire they are counted twice, as exchanges and as clocks. */
static uint64_t bytes_of(const struct sdsim_driver_params *params, bool on_wire,
                         enum operation operation, uint32_t n)
{
    static uint8_t out[MOST * SDSIM_SECTOR];
    const struct sdsim_content content = {.kind = SDSIM_CONTENT_GENERATED, .seed = 1};
    struct bench *bench = bench_up(params, on_wire);
    struct sdsim_driver *driver = &bench->driver;
    uint32_t lba = 1000;
    if (operation == WRITE_ON) {
        assert_int_equal(sdsim_driver_write(driver, &bench->now, lba, 3, SDSIM_FOR_DATA, &content),
                         SDSIM_DRIVER_OK);
        lba += 3;
    }
    const uint64_t exchanges = bench->wire.bytes;
    const uint64_t bus_clocks = bench->meter.counters.bus_clocks;
    switch (operation) {
    case READ:
        assert_int_equal(sdsim_driver_read(driver, &bench->now, lba, n, SDSIM_FOR_DATA, out),
                         SDSIM_DRIVER_OK);
        break;
    case STATUS:
        assert_int_equal(sdsim_driver_status(driver, &bench->now), SDSIM_DRIVER_OK);
        break;
    default:
        assert_int_equal(sdsim_driver_write(driver, &bench->now, lba, n, SDSIM_FOR_DATA, &content),
                         SDSIM_DRIVER_OK);
        break;
    }
    const uint64_t bytes = (bench->meter.counters.bus_clocks - bus_clocks) / 8;
    if (on_wire) {
        assert_int_equal(bench->wire.bytes - exchanges, bytes);
    }
    bench_down(bench);
    return bytes;
}

static const struct sdsim_driver_params arduino = {
    .code = SDSIM_DRIVER_ARDUINO_SD, .status_after_write = 1, .status_on_call = true};
static const struct sdsim_driver_params sdspi_54 = {
    .code = SDSIM_DRIVER_IDF_SDSPI, .status_after_read = 1, .status_after_write = 2};
static const struct sdsim_driver_params sdspi_50 = {.code = SDSIM_DRIVER_IDF_SDSPI,
                                                    .status_after_write = 1};
static const struct sdsim_driver_params sdcardio = {.code = SDSIM_DRIVER_SDCARDIO};

/* single: bytes for n = 1; fixed + each * n for n > 1. */
static const struct row {
    const char *name;
    const struct sdsim_driver_params *params;
    enum operation operation;
    uint64_t single;
    uint64_t fixed;
    uint64_t each;
    uint64_t for_8, for_32, for_64;
} rows[] = {
    {"arduino-esp32-sd 3.x", &arduino, READ, 524, 17, 515, 4137, 16497, 32977},
    {"arduino-esp32-sd 3.x", &arduino, WRITE, 536, 39, 517, 4175, 16583, 33127},
    {"arduino-esp32-sd 3.x", &arduino, STATUS, 9, 9, 0, 9, 9, 9},
    {"esp-idf-sdspi v5.4", &sdspi_54, READ, 545, 49, 515, 4169, 16529, 33009},
    {"esp-idf-sdspi v5.4", &sdspi_54, WRITE, 575, 61, 518, 4205, 16637, 33213},
    {"esp-idf-sdspi v5.0", &sdspi_50, READ, 526, 30, 515, 4150, 16510, 32990},
    {"esp-idf-sdspi v5.0", &sdspi_50, WRITE, 556, 42, 518, 4186, 16618, 33194},
    {"circuitpython-sdcardio", &sdcardio, READ, 525, 18, 515, 4138, 16498, 32978},
    {"circuitpython-sdcardio", &sdcardio, WRITE, 528, 10, 518, 4154, 16586, 33162},
    {"circuitpython-sdcardio", &sdcardio, WRITE_ON, 519, 1, 518, 4145, 16577, 33153},
};

static void bytes_on_the_bus(void **state)
{
    (void)state;
    static const uint32_t counts[] = {1, 2, 3, 8, 17, 32, 64, MOST};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const struct row *row = &rows[r];
        assert_int_equal(row->fixed + 8 * row->each, row->for_8);
        assert_int_equal(row->fixed + 32 * row->each, row->for_32);
        assert_int_equal(row->fixed + 64 * row->each, row->for_64);
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            const uint32_t n = counts[c];
            const uint64_t expected = n == 1 ? row->single : row->fixed + n * row->each;
            for (int on_wire = 0; on_wire < 2; on_wire++) {
                const uint64_t got = bytes_of(row->params, on_wire != 0, row->operation, n);
                if (got != expected) {
                    fail_msg("%s, %s of %u on %s: %llu bytes, not %llu", row->name,
                             operation_names[row->operation], n, on_wire ? "the wire" : "fast",
                             (unsigned long long)got, (unsigned long long)expected);
                }
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_on_the_bus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
