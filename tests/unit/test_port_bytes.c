/*
 * Bytes on the bus per driver call, counted on both ports, against what the drivers' sources say.
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

#include "spi_bench.h"

#define MOST 100u

static const struct sdsim_driver_costs costs = {.call = 1000};

enum operation { READ, READ_ON, READ_AFTER_WRITE, WRITE, WRITE_ON, WRITE_AFTER_READ, STATUS };

static const char *const operation_names[] = {"read",  "read that continues",  "read after a write",
                                              "write", "write that continues", "write after a read",
                                              "status"};

/* What comes before, so that the call has something to go on with or to end. */
static uint32_t prepare(struct sdsim_test_spi_bench *bench, enum operation operation)
{
    const uint32_t lba = 1000;
    const uint32_t before = 3;
    switch (operation) {
    case READ_ON:
    case WRITE_AFTER_READ:
        assert_int_equal(sdsim_test_spi_read(bench, lba, before), SDSIM_DRIVER_OK);
        return lba + before;
    case WRITE_ON:
    case READ_AFTER_WRITE:
        assert_int_equal(sdsim_test_spi_write(bench, lba, before), SDSIM_DRIVER_OK);
        return lba + before;
    default:
        return lba;
    }
}

static enum sdsim_driver_error call(struct sdsim_test_spi_bench *bench, enum operation operation,
                                    uint32_t lba, uint32_t n)
{
    switch (operation) {
    case READ:
    case READ_ON:
    case READ_AFTER_WRITE:
        return sdsim_test_spi_read(bench, lba, n);
    case STATUS:
        return sdsim_driver_status(&bench->driver, &bench->now);
    default:
        return sdsim_test_spi_write(bench, lba, n);
    }
}

/* Bytes of one call; on the wire they are counted twice, as exchanges and as clocks. */
static uint64_t bytes_of(const struct sdsim_card_params *card,
                         const struct sdsim_driver_params *params, bool on_wire,
                         enum operation operation, uint32_t n)
{
    struct sdsim_test_spi_bench *bench = sdsim_test_spi_up(card, params, &costs, on_wire);
    const uint32_t lba = prepare(bench, operation);
    const uint64_t exchanges = bench->wire.bytes;
    const uint64_t bus_clocks = bench->meter.counters.bus_clocks;
    assert_int_equal(call(bench, operation, lba, n), SDSIM_DRIVER_OK);
    const uint64_t bytes = (bench->meter.counters.bus_clocks - bus_clocks) / 8;
    if (on_wire) {
        assert_int_equal(bench->wire.bytes - exchanges, bytes);
    }
    sdsim_test_spi_down(bench);
    return bytes;
}

static const struct sdsim_driver_params arduino = {
    .code = SDSIM_DRIVER_ARDUINO_SD, .status_after_write = 1, .status_on_call = true};
static const struct sdsim_driver_params sdspi_54 = {
    .code = SDSIM_DRIVER_IDF_SDSPI, .status_after_read = 1, .status_after_write = 2};
static const struct sdsim_driver_params sdspi_50 = {.code = SDSIM_DRIVER_IDF_SDSPI,
                                                    .status_after_write = 1};
static const struct sdsim_driver_params sdcardio = {.code = SDSIM_DRIVER_SDCARDIO};
static const struct sdsim_driver_params micropython = {.code = SDSIM_DRIVER_MICROPYTHON};
static const struct sdsim_driver_params adafruit = {.code = SDSIM_DRIVER_ADAFRUIT_SDCARD};
static const struct sdsim_driver_params sdcardio_6 = {.code = SDSIM_DRIVER_SDCARDIO_6};
static const struct sdsim_driver_params shared = {.code = SDSIM_DRIVER_SDFAT_SHARED};
static const struct sdsim_driver_params shared_avr = {
    .code = SDSIM_DRIVER_SDFAT_SHARED, .single_commands = true, .most_blocks = 1};
static const struct sdsim_driver_params dedicated = {.code = SDSIM_DRIVER_SDFAT_DEDICATED};
static const struct sdsim_driver_params carlk3 = {.code = SDSIM_DRIVER_CARLK3_SPI};
static const struct sdsim_driver_params classic = {.code = SDSIM_DRIVER_ARDUINO_CLASSIC};
static const struct sdsim_driver_params chan = {.code = SDSIM_DRIVER_CHAN_MMC};
static const struct sdsim_driver_params pico = {.code = SDSIM_DRIVER_PICO_FATFS};
static const struct sdsim_driver_params zephyr = {
    .code = SDSIM_DRIVER_ZEPHYR_SDHC, .status_after_read = 1, .status_after_write = 1};
static const struct sdsim_driver_params nuttx = {.code = SDSIM_DRIVER_NUTTX_SPI,
                                                 .tick = 10 * SDSIM_MS};
static const struct sdsim_driver_params mbed = {.code = SDSIM_DRIVER_MBED_SD};
static const struct sdsim_driver_params proffieos = {.code = SDSIM_DRIVER_PROFFIEOS_SPI};
static const struct sdsim_driver_params p2 = {.code = SDSIM_DRIVER_P2_SD};
static const struct sdsim_driver_params generic = {.code = SDSIM_DRIVER_GENERIC_SPI};

/*
 * single: bytes for n = 1; fixed + each * n for n > 1.
 *
 * Two drivers clock bytes in the middle of a read stream without looking for the token, which the
 * card may not send yet: there N_AC is 1, as on real cards it is at least. Zephyr clocks a byte
 * behind each block, so N_AC is seen only before the first; NuttX looks at the card before CMD12.
 */
static const struct row {
    const char *name;
    const struct sdsim_driver_params *params;
    enum operation operation;
    uint64_t single;
    uint64_t fixed;
    uint64_t each;
    uint64_t for_8, for_32, for_64;
    enum { NONE, FIRST, EACH } n_ac; /* before which blocks N_AC of 1 byte is seen */
} rows[] = {
    {"arduino-esp32-sd 3.x", &arduino, READ, 524, 17, 515, 4137, 16497, 32977, NONE},
    {"arduino-esp32-sd 3.x", &arduino, WRITE, 536, 39, 517, 4175, 16583, 33127, NONE},
    {"arduino-esp32-sd 3.x", &arduino, STATUS, 9, 9, 0, 9, 9, 9, NONE},
    {"esp-idf-sdspi v5.4", &sdspi_54, READ, 545, 49, 515, 4169, 16529, 33009, NONE},
    {"esp-idf-sdspi v5.4", &sdspi_54, WRITE, 575, 61, 518, 4205, 16637, 33213, NONE},
    {"esp-idf-sdspi v5.0", &sdspi_50, READ, 526, 30, 515, 4150, 16510, 32990, NONE},
    {"esp-idf-sdspi v5.0", &sdspi_50, WRITE, 556, 42, 518, 4186, 16618, 33194, NONE},
    {"circuitpython-sdcardio", &sdcardio, READ, 525, 18, 515, 4138, 16498, 32978, NONE},
    {"circuitpython-sdcardio", &sdcardio, WRITE, 528, 10, 518, 4154, 16586, 33162, NONE},
    {"circuitpython-sdcardio", &sdcardio, WRITE_ON, 519, 1, 518, 4145, 16577, 33153, NONE},
    {"micropython-sdcard", &micropython, READ, 525, 18, 516, 4146, 16530, 33042, NONE},
    {"micropython-sdcard", &micropython, WRITE, 528, 14, 518, 4158, 16590, 33166, NONE},
    {"circuitpython-adafruit-sdcard", &adafruit, READ, 525, 18, 515, 4138, 16498, 32978, NONE},
    {"circuitpython-sdcardio-6", &sdcardio_6, READ, 525, 18, 515, 4138, 16498, 32978, NONE},
    {"sdfat-spi-shared", &shared, READ, 534, 19, 515, 4139, 16499, 32979, NONE},
    {"sdfat-spi-shared", &shared, WRITE, 538, 13, 517, 4149, 16557, 33101, NONE},
    {"sdfat-spi-shared, AVR", &shared_avr, READ, 526, 0, 526, 4208, 16832, 33664, NONE},
    {"sdfat-spi-shared, AVR", &shared_avr, WRITE, 538, 0, 538, 4304, 17216, 34432, NONE},
    {"sdfat-spi-dedicated", &dedicated, READ, 525, 10, 515, 4130, 16490, 32970, NONE},
    {"sdfat-spi-dedicated", &dedicated, READ_ON, 515, 0, 515, 4120, 16480, 32960, NONE},
    {"sdfat-spi-dedicated", &dedicated, READ_AFTER_WRITE, 528, 13, 515, 4133, 16493, 32973, NONE},
    {"sdfat-spi-dedicated", &dedicated, WRITE, 527, 10, 517, 4146, 16554, 33098, NONE},
    {"sdfat-spi-dedicated", &dedicated, WRITE_ON, 517, 0, 517, 4136, 16544, 33088, NONE},
    {"sdfat-spi-dedicated", &dedicated, WRITE_AFTER_READ, 536, 19, 517, 4155, 16563, 33107, NONE},
    {"carlk3-spi", &carlk3, READ, 526, 20, 515, 4140, 16500, 32980, NONE},
    {"carlk3-spi", &carlk3, READ_AFTER_WRITE, 538, 32, 515, 4152, 16512, 32992, NONE},
    {"carlk3-spi", &carlk3, WRITE, 538, 11, 517, 4147, 16555, 33099, NONE},
    {"carlk3-spi", &carlk3, WRITE_ON, 550, 2, 517, 4138, 16546, 33090, NONE},
    {"arduino-sd-classic", &classic, READ, 524, 0, 524, 4192, 16768, 33536, NONE},
    {"arduino-sd-classic", &classic, WRITE, 536, 0, 536, 4288, 17152, 34304, NONE},
    {"chan-mmc-spi", &chan, READ, 527, 20, 515, 4140, 16500, 32980, NONE},
    {"chan-mmc-spi", &chan, WRITE, 529, 36, 517, 4172, 16580, 33124, NONE},
    {"pico-fatfs-spi", &pico, READ, 527, 20, 515, 4140, 16500, 32980, NONE},
    {"pico-fatfs-spi", &pico, WRITE, 531, 38, 517, 4174, 16582, 33126, NONE},
    {"zephyr-sdhc-spi", &zephyr, READ, 547, 52, 516, 4180, 16564, 33076, FIRST},
    {"zephyr-sdhc-spi", &zephyr, WRITE, 548, 33, 517, 4169, 16577, 33121, NONE},
    {"nuttx-mmcsd-spi", &nuttx, READ, 526, 21, 515, 4141, 16501, 32981, EACH},
    {"nuttx-mmcsd-spi", &nuttx, WRITE, 529, 31, 518, 4175, 16607, 33183, NONE},
    {"mbed-sd", &mbed, READ, 526, 22, 515, 4142, 16502, 32982, NONE},
    {"mbed-sd", &mbed, WRITE, 528, 32, 517, 4168, 16576, 33120, NONE},
    {"proffieos-spi", &proffieos, READ, 525, 19, 515, 4139, 16499, 32979, NONE},
    {"proffieos-spi", &proffieos, WRITE, 538, 24, 517, 4160, 16568, 33112, NONE},
    {"p2-sd-driver", &p2, READ, 536, 30, 515, 4150, 16510, 32990, NONE},
    {"p2-sd-driver", &p2, WRITE, 538, 24, 517, 4160, 16568, 33112, NONE},
    {"generic-spi", &generic, READ, 526, 19, 515, 4139, 16499, 32979, NONE},
    {"generic-spi", &generic, WRITE, 528, 13, 517, 4149, 16557, 33101, NONE},
};

static void bytes_of_row(const struct row *row)
{
    static const uint32_t counts[] = {1, 2, 3, 8, 17, 32, 64, MOST};
    const struct sdsim_card_params card = {.type = SDSIM_SDHC,
                                           .capacity = 64 << 20,
                                           .spi_hz = 25000000,
                                           .n_cr = 1,
                                           .n_ac = row->n_ac == NONE ? 0 : 1,
                                           .flash = {.page_bytes = 32768}};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        const uint32_t n = counts[c];
        const uint64_t seen = row->n_ac == EACH ? n : row->n_ac == FIRST ? 1 : 0;
        const uint64_t expected = (n == 1 ? row->single : row->fixed + n * row->each) + seen;
        for (int on_wire = 0; on_wire < 2; on_wire++) {
            const uint64_t got = bytes_of(&card, row->params, on_wire != 0, row->operation, n);
            if (got != expected) {
                fail_msg("%s, %s of %u on %s: %llu bytes, not %llu", row->name,
                         operation_names[row->operation], n, on_wire ? "the wire" : "fast",
                         (unsigned long long)got, (unsigned long long)expected);
            }
        }
    }
}

static void bytes_on_the_bus(void **state)
{
    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const struct row *row = &rows[r];
        assert_int_equal(row->fixed + 8 * row->each, row->for_8);
        assert_int_equal(row->fixed + 32 * row->each, row->for_32);
        assert_int_equal(row->fixed + 64 * row->each, row->for_64);
        bytes_of_row(row);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_on_the_bus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
