/*
 * The tests of a driver, on a PC: what it calls to reach the hardware goes to a simulated card, and the
 * card goes wrong on order. Nothing takes real time: half a second of waiting is over at once.
 *
 *     cc driver_test.c $(pkg-config --cflags --libs sdsim) -o driver_test
 *     ./driver_test [PROFILE.yaml]
 *
 * For a driver of one's own: take the port and the tests, and link the driver's file in place of the
 * small one in the middle. The port is all that knows of sdsim.
 */
#include <sdsim/sdsim.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the port: what a driver needs of a microcontroller ---- */

static struct sdsim_slot *slot;

/* SPI.transfer(), HAL_SPI_TransmitReceive(), spi_write_read_blocking(), ... */
static void port_transfer(const uint8_t *out, uint8_t *in, size_t count)
{
    sdsim_slot_exchange(slot, out, in, count);
}

static void port_select(bool low)
{
    sdsim_slot_select(slot, low);
}

static void port_set_clock(uint32_t hz)
{
    sdsim_slot_set_clock(slot, hz, 1);
}

/* Time stands still while nothing is clocked, so a loop that only looks at the time would never end:
 * each look takes a microsecond. */
static uint32_t port_millis(void)
{
    sdsim_slot_advance(slot, 1000000);
    return (uint32_t)(sdsim_slot_now(slot) / 1000000000);
}

/* ---- the driver that is tested ---- */

enum result { FINE, NO_CARD, TIMEOUT, REFUSED };

static uint8_t transfer(uint8_t out)
{
    uint8_t in = 0xFF;
    port_transfer(&out, &in, 1);
    return in;
}

static uint8_t command(uint8_t index, uint32_t argument)
{
    const uint8_t crc = index == 0 ? 0x95 : 0x87;
    const uint8_t frame[] = {0xFF,
                             (uint8_t)(0x40 | index),
                             (uint8_t)(argument >> 24),
                             (uint8_t)(argument >> 16),
                             (uint8_t)(argument >> 8),
                             (uint8_t)argument,
                             crc};
    port_transfer(frame, NULL, sizeof frame);
    for (int i = 0; i < 9; i++) {
        const uint8_t r1 = transfer(0xFF);
        if ((r1 & 0x80) == 0) {
            return r1;
        }
    }
    return 0xFF;
}

/* Clocks bytes until one is `byte` (is not, if `not`), for `limit` ms at most. */
static bool wait_for(uint8_t byte, bool not, uint32_t limit)
{
    const uint32_t start = port_millis();
    while ((transfer(0xFF) == byte) == not ) {
        if (port_millis() - start > limit) {
            return false;
        }
    }
    return true;
}

static enum result driver_begin(void)
{
    uint8_t r7[4];
    port_set_clock(400000);
    port_select(false);
    port_transfer(NULL, NULL, 10);
    port_select(true);
    if (command(0, 0) != 0x01 || command(8, 0x1AA) != 0x01) {
        return NO_CARD;
    }
    port_transfer(NULL, r7, sizeof r7);
    const uint32_t start = port_millis();
    do {
        if (port_millis() - start > 1000) {
            return TIMEOUT;
        }
        command(55, 0);
    } while (command(41, 0x40000000) != 0x00);
    port_set_clock(20000000);
    return r7[3] == 0xAA ? FINE : NO_CARD;
}

static enum result write_once(uint32_t lba, const uint8_t block[512])
{
    const uint8_t token[] = {0xFF, 0xFE};
    if (command(24, lba) != 0x00) {
        return NO_CARD;
    }
    port_transfer(token, NULL, sizeof token);
    port_transfer(block, NULL, 512);
    port_transfer(NULL, NULL, 2); /* a CRC nobody looks at before CMD59 */
    const uint8_t response = transfer(0xFF) & 0x1F;
    if (!wait_for(0x00, true, 500)) {
        return TIMEOUT;
    }
    return response == 0x05 ? FINE : REFUSED;
}

static enum result driver_write(uint32_t lba, const uint8_t block[512])
{
    enum result result = REFUSED;
    for (int attempt = 0; attempt < 3 && result == REFUSED; attempt++) {
        result = write_once(lba, block);
    }
    return result;
}

static enum result driver_read(uint32_t lba, uint8_t block[512])
{
    if (command(17, lba) != 0x00) {
        return NO_CARD;
    }
    if (!wait_for(0xFE, false, 100)) {
        return TIMEOUT;
    }
    port_transfer(NULL, block, 512);
    port_transfer(NULL, NULL, 2);
    return FINE;
}

/* ---- the tests ---- */

static int failed;

/* A line for each check, with the virtual time since the one before. */
static void check(bool good, const char *what)
{
    static uint64_t before;
    const uint64_t now = sdsim_slot_now(slot);
    printf("%-6s %9.3f ms  %s\n", good ? "ok" : "FAILED", (double)(now - before) / 1e9, what);
    before = now;
    failed += !good;
}

int main(int argc, char **argv)
{
    uint8_t written[512];
    uint8_t read[512] = {0};
    memset(written, 0x5A, sizeof written);
    slot = sdsim_slot_create();
    check(driver_begin() == NO_CARD, "no card in the slot");

    if (sdsim_slot_insert(slot, argc > 1 ? argv[1] : NULL, 1, 0) != SDSIM_OK) {
        fprintf(stderr, "%s\n", sdsim_slot_error(slot));
        sdsim_slot_destroy(slot);
        return EXIT_FAILURE;
    }
    sdsim_slot_advance(slot, 1000000000); /* 1 ms, until the supply is stable */
    check(driver_begin() == FINE, "initialises a card");
    check(driver_write(1234, written) == FINE, "writes a block");
    check(driver_read(1234, read) == FINE && memcmp(read, written, sizeof read) == 0,
          "reads it back");

    sdsim_slot_inject(slot, SDSIM_INJECT_WRITE_CRC, 0, 2, 0);
    check(driver_write(1235, written) == FINE &&
              sdsim_slot_struck(slot, SDSIM_INJECT_WRITE_CRC) == 2,
          "sends a block again that was refused twice");

    sdsim_slot_inject(slot, SDSIM_INJECT_STUCK_BUSY, 0, 1, 0);
    check(driver_write(1236, written) == TIMEOUT, "gives up on a card that stays busy");

    sdsim_slot_power(slot, 0);
    sdsim_slot_power(slot, 1);
    sdsim_slot_advance(slot, 1000000000);
    check(driver_begin() == FINE, "initialises it again");

    sdsim_slot_inject(slot, SDSIM_INJECT_REMOVED, 0, 1, SDSIM_ANY_COMMAND);
    check(driver_read(1234, read) == NO_CARD, "notices that the card was pulled out");

    sdsim_slot_destroy(slot);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
