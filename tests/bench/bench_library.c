/*
 * How many bytes and clocks a second the library exchanges, through its public functions, with a
 * card that sends, takes or ignores them; in calls of one byte as drivers make them, and of many.
 */
#include <string.h>

#include "bench.h"
#include "sdsim/sdsim.h"

enum {
    RUNS = 9,
    BLOCKS = 2000,
    BYTES = 1000000,
};

/* No time of its own: bytes are what counts. */
static const char profile[] = "kind: card\ntype: sdhc\ncapacity: 4GB\nhigh_speed_clock: 50MHz\n"
                              "n_ac: 0\nn_cr: 1\npage: 32KiB\ninit_time: 1ms\nrd1: 1us\nw1: 1us\n"
                              "wstop: 1us\n";

static uint8_t buffer[BYTES];

static void check(struct sdsim_slot *slot, int32_t result)
{
    if (result != SDSIM_OK) {
        fprintf(stderr, "%s: %s\n", sdsim_result_text(result), sdsim_slot_error(slot));
        exit(EXIT_FAILURE);
    }
}

static struct sdsim_slot *new_slot(void)
{
    struct sdsim_slot *slot = sdsim_slot_create();
    check(slot, sdsim_slot_insert_text(slot, "bench", profile, sizeof profile - 1, 1, 0));
    check(slot, sdsim_slot_set_clock(slot, 20000000, 1));
    check(slot, sdsim_slot_advance(slot, 1000000000));
    return slot;
}

/* ---- SPI ---- */

static uint8_t command(struct sdsim_slot *slot, uint8_t index, uint32_t argument, uint8_t crc)
{
    const uint8_t frame[8] = {(uint8_t)(0x40 | index),
                              (uint8_t)(argument >> 24),
                              (uint8_t)(argument >> 16),
                              (uint8_t)(argument >> 8),
                              (uint8_t)argument,
                              crc,
                              0xFF,
                              0xFF};
    uint8_t got[sizeof frame];
    check(slot, sdsim_slot_exchange(slot, frame, got, sizeof frame));
    return got[7];
}

static void expect(int fine)
{
    if (!fine) {
        fprintf(stderr, "the card does not do as it is told\n");
        exit(EXIT_FAILURE);
    }
}

static struct sdsim_slot *spi_slot(void)
{
    struct sdsim_slot *slot = new_slot();
    uint8_t r1 = 1;
    check(slot, sdsim_slot_exchange(slot, NULL, NULL, 10));
    check(slot, sdsim_slot_select(slot, 1));
    expect(command(slot, 0, 0, 0x95) == 1);
    expect(command(slot, 8, 0x1AA, 0x87) == 1);
    check(slot, sdsim_slot_exchange(slot, NULL, NULL, 4)); /* what is behind R1 */
    for (int i = 0; i < 5 && r1 == 1; i++) {
        (void)command(slot, 55, 0, 0xFF);
        r1 = command(slot, 41, 0x40000000, 0xFF);
        check(slot, sdsim_slot_advance(slot, 1000000000));
    }
    expect(r1 == 0);
    return slot;
}

static void single_bytes(void *context)
{
    for (int i = 0; i < BYTES; i++) {
        const uint8_t byte = 0xFF;
        check(context, sdsim_slot_exchange(context, &byte, buffer, 1));
    }
}

static void fillers(void *context)
{
    check(context, sdsim_slot_exchange(context, NULL, buffer, BYTES));
}

static void read_stream(void *context)
{
    expect(command(context, 18, 0, 0xFF) == 0);
    for (int left = BLOCKS * 515; left > 0; left -= BYTES) {
        check(context,
              sdsim_slot_exchange(context, NULL, buffer, (size_t)(left < BYTES ? left : BYTES)));
    }
    (void)command(context, 12, 0, 0xFF);
    check(context, sdsim_slot_exchange(context, NULL, NULL, 10));
}

static void write_stream(void *context)
{
    static uint8_t block[1 + 512 + 2 + 2];
    memset(block, 0x5A, sizeof block);
    block[0] = 0xFC;
    memset(block + 513, 0xFF, 4);
    expect(command(context, 25, 0, 0xFF) == 0);
    for (int i = 0; i < BLOCKS; i++) {
        uint8_t got[sizeof block];
        check(context, sdsim_slot_exchange(context, block, got, sizeof block));
        expect((got[515] & 0x1F) == 0x05);
    }
    const uint8_t stop = 0xFD;
    check(context, sdsim_slot_exchange(context, &stop, NULL, 1));
    check(context, sdsim_slot_exchange(context, NULL, NULL, 10));
}

static void spi(void)
{
    static const struct {
        const char *name;
        void (*work)(void *slot);
        double bytes;
    } rows[] = {
        {"library SPI, one byte a call", single_bytes, BYTES},
        {"library SPI, filler", fillers, BYTES},
        {"library SPI, CMD18", read_stream, BLOCKS * 515.0},
        {"library SPI, CMD25", write_stream, BLOCKS * 517.0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sdsim_slot *slot = spi_slot();
        const struct sdsim_bench_result result = sdsim_bench_run(rows[i].work, slot, RUNS);
        sdsim_bench_print(rows[i].name, &result, rows[i].bytes, "bytes");
        sdsim_slot_destroy(slot);
    }
}

/* ---- SD mode, 4 bits ---- */

static struct sdsim_slot *sd_slot(void)
{
    struct sdsim_slot *slot = new_slot();
    uint8_t response[6] = {0};
    check(slot, sdsim_slot_clock_lines(slot, NULL, NULL, 74));
    check(slot, sdsim_slot_command(slot, 0, 0, SDSIM_NO_BITS, NULL));
    check(slot, sdsim_slot_command(slot, 8, 0x1AA, SDSIM_SHORT_RESPONSE, NULL));
    for (int i = 0; i < 5 && (response[1] & 0x80) == 0; i++) {
        check(slot, sdsim_slot_command(slot, 55, 0, SDSIM_SHORT_RESPONSE, NULL));
        check(slot, sdsim_slot_command(slot, 41, 0x40FF8000, SDSIM_SHORT_RESPONSE, response));
        check(slot, sdsim_slot_advance(slot, 1000000000));
    }
    check(slot, sdsim_slot_command(slot, 2, 0, SDSIM_LONG_RESPONSE, NULL));
    check(slot, sdsim_slot_command(slot, 3, 0, SDSIM_SHORT_RESPONSE, response));
    const uint32_t address = (uint32_t)response[1] << 24 | (uint32_t)response[2] << 16;
    check(slot, sdsim_slot_command(slot, 7, address, SDSIM_SHORT_RESPONSE, NULL));
    check(slot, sdsim_slot_command(slot, 55, address, SDSIM_SHORT_RESPONSE, NULL));
    check(slot, sdsim_slot_command(slot, 6, 2, SDSIM_SHORT_RESPONSE, NULL));
    return slot;
}

static void sd_read(void *context)
{
    check(context, sdsim_slot_command(context, 18, 0, SDSIM_SHORT_RESPONSE, NULL));
    for (int i = 0; i < BLOCKS; i++) {
        check(context, sdsim_slot_read_data(context, buffer, 512, 4, 1000000000));
    }
    check(context, sdsim_slot_command(context, 12, 0, SDSIM_SHORT_RESPONSE, NULL));
}

static void sd_write(void *context)
{
    check(context, sdsim_slot_command(context, 25, 0, SDSIM_SHORT_RESPONSE, NULL));
    for (int i = 0; i < BLOCKS; i++) {
        check(context, sdsim_slot_write_data(context, buffer, 512, 4));
        check(context, sdsim_slot_wait(context, 1000000000));
    }
    check(context, sdsim_slot_command(context, 12, 0, SDSIM_SHORT_RESPONSE, NULL));
    check(context, sdsim_slot_wait(context, 1000000000));
}

static void sd_clocks(void *context)
{
    check(context, sdsim_slot_clock_lines(context, NULL, buffer, BYTES));
}

static void sd(void)
{
    static const struct {
        const char *name;
        void (*work)(void *slot);
        double things;
        const char *unit;
    } rows[] = {
        {"library SD 4-bit, CMD18", sd_read, BLOCKS, "blocks"},
        {"library SD 4-bit, CMD25", sd_write, BLOCKS, "blocks"},
        {"library SD, raw lines", sd_clocks, BYTES, "clocks"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sdsim_slot *slot = sd_slot();
        const struct sdsim_bench_result result = sdsim_bench_run(rows[i].work, slot, RUNS);
        sdsim_bench_print(rows[i].name, &result, rows[i].things, rows[i].unit);
        sdsim_slot_destroy(slot);
    }
}

int main(void)
{
    spi();
    sd();
    return 0;
}
