/*
 * No false alarm: every SPI driver of the simulator starts a card, reads and writes over the
 * byte-exact port, and the doctor finds nothing wrong with it; what it may note stands here.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "doctor_bench.h"
#include "driver/driver.h"
#include "port/wire.h"

struct bench {
    struct sdsim_wire_listener listener; /* first: a bench listens to the wire */
    struct sdsim_test_doctor doctor;
    uint64_t bytes;
    struct sdsim_medium *medium;
    struct sdsim_card card;
    struct sdsim_meter meter;
    struct sdsim_wire wire;
    struct sdsim_driver driver;
    sdsim_ps now;
};

static void hear(struct sdsim_wire_listener *listener, sdsim_ps start, sdsim_ps end, bool selected,
                 uint8_t mosi, uint8_t miso)
{
    struct bench *b = (struct bench *)listener;
    const struct sdsim_spi_byte byte = {start, end, b->bytes++, selected, mosi, miso, false};
    sdsim_spi_decoder_byte(&b->doctor.decoder, &byte);
}

static struct bench *up(enum sdsim_driver_code code, const struct sdsim_card_params *card)
{
    static const struct sdsim_driver_clocks clocks = {
        .asked_hz = 20000000, .init_num = 400000, .init_den = 1, .num = 20000000, .den = 1};
    static const struct sdsim_driver_costs costs = {
        .call = 5 * SDSIM_US, .transfer = SDSIM_US, .bulk = 3 * SDSIM_US};
    static struct sdsim_driver_params params;
    static const struct sdsim_doctor_source source = {
        .unit = "byte", .timed = true, .cs_known = true};
    struct bench *b = calloc(1, sizeof *b);
    assert_non_null(b);
    b->medium = sdsim_medium_create(sdsim_csd_sectors(card), 0);
    assert_non_null(b->medium);
    sdsim_card_init(&b->card, card, b->medium, 1, 0);
    sdsim_wire_init(&b->wire, SDSIM_BUS_SPI, &b->card, &b->meter);
    b->listener.byte = hear;
    b->wire.listener = &b->listener;
    sdsim_test_doctor_begin(&b->doctor, &source);
    params =
        (struct sdsim_driver_params){.code = (int)code, .status_after_write = 1, .tick = SDSIM_MS};
    sdsim_driver_attach(&b->driver, &params, &costs, &b->wire.port, &clocks, true);
    return b;
}

static void down(struct bench *b)
{
    sdsim_medium_destroy(b->medium);
    free(b);
}

/* Single blocks and several, in a row and elsewhere. */
static bool use(struct bench *b)
{
    static const struct sdsim_content data = {.kind = SDSIM_CONTENT_GENERATED, .seed = 5};
    static const struct {
        uint32_t lba;
        uint32_t count;
        bool write;
    } calls[] = {{0, 1, false},    {1, 8, false},   {9, 1, false},    {1000, 1, true},
                 {1001, 16, true}, {1017, 4, true}, {1000, 8, false}, {5000, 1, true},
                 {5001, 1, true},  {77, 3, false}};
    bool good = sdsim_driver_init(&b->driver, &b->now) == SDSIM_DRIVER_OK;
    for (size_t i = 0; good && i < sizeof calls / sizeof *calls; i++) {
        const enum sdsim_driver_error error =
            calls[i].write ? sdsim_driver_write(&b->driver, &b->now, calls[i].lba, calls[i].count,
                                                SDSIM_FOR_DATA, &data)
                           : sdsim_driver_read(&b->driver, &b->now, calls[i].lba, calls[i].count,
                                               SDSIM_FOR_DATA, NULL);
        good = error == SDSIM_DRIVER_OK;
    }
    return good && sdsim_driver_sync(&b->driver, &b->now) == SDSIM_DRIVER_OK;
}

static const struct sdsim_card_params cards[] = {
    {.type = SDSIM_SDHC,
     .capacity = 8u << 20,
     .spi_hz = 25000000,
     .high_hz = 50000000,
     .n_cr = 1,
     .n_ac = 1,
     .n_br = 0,
     .init_time = 30 * SDSIM_MS,
     .speed_class = 10,
     .au_bytes = 4 << 20,
     .flash = {.rd1 = 150 * SDSIM_US,
               .w1 = 400 * SDSIM_US,
               .wn = 20 * SDSIM_US,
               .wstop = 300 * SDSIM_US,
               .page_bytes = 16384}},
    {.type = SDSIM_SDSC,
     .capacity = 8u << 20,
     .spi_hz = 25000000,
     .n_cr = 5,
     .n_ac = 3,
     .n_br = 0,
     .init_time = 200 * SDSIM_MS,
     .speed_class = 2,
     .au_bytes = 4 << 20,
     .flash = {.rd1 = 700 * SDSIM_US,
               .w1 = 3 * SDSIM_MS,
               .wn = 90 * SDSIM_US,
               .wstop = 2 * SDSIM_MS,
               .page_bytes = 4096}},
    {.type = SDSIM_SDHC,
     .capacity = 8u << 20,
     .spi_hz = 25000000,
     .n_cr = 8,
     .n_ac = 8,
     .n_br = 1,
     .init_time = 100 * SDSIM_MS,
     .speed_class = 10,
     .au_bytes = 4 << 20,
     .flash = {.rd1 = 90 * SDSIM_MS,
               .w1 = 200 * SDSIM_MS,
               .wn = 90 * SDSIM_US,
               .wstop = 2 * SDSIM_MS,
               .page_bytes = 4096}},
};

/* The last card shows busy one byte late behind a stop token. */
enum { LATE_BUSY = 2 };

/* What is worth noting about a driver, and what is really wrong with it on the last card. */
static const struct {
    const char *name;
    const char *notes;
    const char *fault;
} expected[] = {
    {"arduino-esp32-sd", "", "busy-polled-early"}, /* it sends CMD13 behind one byte */
    {"esp-idf-sdspi", "", NULL},
    {"circuitpython-sdcardio", "acmd41-slow-polls", NULL}, /* it sleeps 50 ms */
    {"sdfat-spi-shared", "n-wr-0", NULL},                  /* the token follows R1 at once */
    {"sdfat-spi-dedicated", "", NULL},
    {"arduino-pico-sd", "n-wr-0", NULL},
    {"carlk3-spi", "n-wr-0", NULL},
    {"carlk3-freertos-spi", "n-wr-0", NULL},
    {"chan-mmc-spi", "", NULL},
    {"pico-fatfs-spi", "", NULL},
    {"pico-fatfs-pio-spi", "", NULL},
    {"micropython-sdcard", "acmd41-slow-polls n-wr-0", NULL},
    {"circuitpython-adafruit-sdcard", "acmd41-slow-polls", NULL},
    {"circuitpython-sdcardio-6", "acmd41-slow-polls", NULL},
    {"arduino-sd-classic", "n-wr-0", NULL},
    {"zephyr-sdhc-spi", "n-wr-0", NULL},
    {"nuttx-mmcsd-spi", "", NULL},
    {"mbed-sd", "n-wr-0", NULL},
    {"proffieos-spi", "", NULL},
    {"p2-sd-driver", "n-wr-0", NULL},
    {"generic-spi", "n-wr-0", NULL},
};

static const char *expected_of(const char *name, size_t card)
{
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        if (strcmp(expected[i].name, name) == 0) {
            return card == LATE_BUSY && expected[i].fault != NULL ? expected[i].fault
                                                                  : expected[i].notes;
        }
    }
    return ""; /* a driver that is new here */
}

static void check(enum sdsim_driver_code code, size_t card)
{
    struct bench *b = up(code, &cards[card]);
    const char *name = sdsim_driver_class(code)->name;
    if (!use(b)) {
        char why[200];
        sdsim_driver_explain_fault(&b->driver, why, sizeof why);
        fail_msg("%s on card %zu: %s", name, card, why);
    }
    const char *found = sdsim_test_doctor_end(&b->doctor, SDSIM_NOTE);
    if (strcmp(found, expected_of(name, card)) != 0) {
        fail_msg("%s on card %zu: found '%s', expected '%s'", name, card, found,
                 expected_of(name, card));
    }
    assert_true(b->doctor.doctor.bus.blocks_read >= 21 &&
                b->doctor.doctor.bus.blocks_written >= 23);
    down(b);
}

static void drivers_are_in_order(void **state)
{
    (void)state;
    unsigned drivers = 0;
    for (int code = 0; code < SDSIM_DRIVER_COUNT; code++) {
        if (!sdsim_driver_class((enum sdsim_driver_code)code)->spi) {
            continue;
        }
        drivers++;
        for (size_t card = 0; card < sizeof cards / sizeof *cards; card++) {
            check((enum sdsim_driver_code)code, card);
        }
    }
    assert_true(drivers >= 20);
}

/* Whatever the card's gaps, also where a driver gives up on them: no alarm. */
static void no_gap_gives_an_alarm(void **state)
{
    (void)state;
    static const uint8_t gaps[][2] = {{0, 0}, {0, 8}, {8, 0}, {8, 8}, {3, 1}};
    for (int code = 0; code < SDSIM_DRIVER_COUNT; code++) {
        const struct sdsim_driver_class *class = sdsim_driver_class((enum sdsim_driver_code)code);
        for (size_t i = 0; class->spi && i < sizeof gaps / sizeof *gaps; i++) {
            struct sdsim_card_params card = cards[i % LATE_BUSY];
            card.n_cr = gaps[i][0];
            card.n_ac = gaps[i][1];
            struct bench *b = up((enum sdsim_driver_code)code, &card);
            (void)use(b);
            const char *found = sdsim_test_doctor_end(&b->doctor, SDSIM_WARNING);
            if (found[0] != '\0') {
                fail_msg("%s, N_CR %u, N_AC %u: %s", class->name, gaps[i][0], gaps[i][1], found);
            }
            down(b);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drivers_are_in_order),
        cmocka_unit_test(no_gap_gives_an_alarm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
