#include "mmc_driver.h"

#include <stdbool.h>
#include <stddef.h>

/* ACMDs are marked by their highest bit. */
enum command {
    CMD0 = 0,
    CMD8 = 8,
    CMD9 = 9,
    CMD12 = 12,
    CMD16 = 16,
    CMD17 = 17,
    CMD18 = 18,
    ACMD23 = 0x80 | 23,
    CMD24 = 24,
    CMD25 = 25,
    ACMD41 = 0x80 | 41,
    CMD55 = 55,
    CMD58 = 58,
};

/* The driver's memory between two calls; a driver has one card. */
static struct {
    bool ready;
    bool counts_blocks; /* else bytes */
} card;

/* Clocks until the card is ready for a command. */
static bool wait_ready(uint32_t limit)
{
    const uint32_t start = board_ms();
    uint8_t byte;
    do {
        byte = board_xchg_spi(0xFF);
    } while (byte != 0xFF && board_ms() - start < limit);
    return byte == 0xFF;
}

static void deselect(void)
{
    board_cs(1);
    (void)board_xchg_spi(0xFF); /* the card lets go of the line with the next clock */
}

static bool select_card(void)
{
    board_cs(0);
    (void)board_xchg_spi(0xFF);
    if (wait_ready(500)) {
        return true;
    }
    deselect();
    return false;
}

static uint8_t send_command(unsigned command, uint32_t argument)
{
    if ((command & 0x80) != 0) {
        const uint8_t r1 = send_command(CMD55, 0);
        if (r1 > 1) {
            return r1;
        }
    }
    if (command != CMD12) { /* which comes in the middle of things */
        deselect();
        if (!select_card()) {
            return 0xFF;
        }
    }
    const uint8_t frame[] = {
        (uint8_t)(0x40 | (command & 0x3F)),
        (uint8_t)(argument >> 24),
        (uint8_t)(argument >> 16),
        (uint8_t)(argument >> 8),
        (uint8_t)argument,
        command == CMD0 ? 0x95 : 0x87, /* the two that are checked; 87 is CMD8's with 1AA */
    };
    for (unsigned i = 0; i < sizeof frame; i++) {
        (void)board_xchg_spi(frame[i]);
    }
    if (command == CMD12) {
        (void)board_xchg_spi(0xFF); /* stuff byte */
    }
    uint8_t r1;
    unsigned tries = 10;
    do {
        r1 = board_xchg_spi(0xFF);
    } while ((r1 & 0x80) != 0 && --tries > 0);
    return r1;
}

static bool receive_block(uint8_t *buffer, unsigned size)
{
    const uint32_t start = board_ms();
    uint8_t token;
    do {
        token = board_xchg_spi(0xFF);
    } while (token == 0xFF && board_ms() - start < 200);
    if (token != 0xFE) {
        return false;
    }
    board_rcvr_spi(buffer, size);
    (void)board_xchg_spi(0xFF);
    (void)board_xchg_spi(0xFF);
    return true;
}

/* Sends a block, or without a buffer the stop token. */
static bool send_block(const uint8_t *buffer, uint8_t token)
{
    if (!wait_ready(500)) {
        return false;
    }
    (void)board_xchg_spi(token);
    if (buffer == NULL) {
        return true;
    }
    board_xmit_spi(buffer, 512);
    (void)board_xchg_spi(0xFF);
    (void)board_xchg_spi(0xFF);
    return (board_xchg_spi(0xFF) & 0x1F) == 0x05;
}

static uint32_t address_of(uint32_t sector)
{
    return card.counts_blocks ? sector : sector * 512;
}

/* The card is idle: brings it to ready, and finds out how it counts. */
static bool bring_up(void)
{
    uint8_t bytes[4] = {0};
    const bool version_2 = send_command(CMD8, 0x1AA) == 1;
    if (version_2) {
        board_rcvr_spi(bytes, 4);
        if (bytes[2] != 0x01 || bytes[3] != 0xAA) {
            return false;
        }
    }
    const uint32_t start = board_ms();
    uint8_t r1;
    do {
        r1 = send_command(ACMD41, version_2 ? UINT32_C(1) << 30 : 0);
    } while (r1 == 1 && board_ms() - start < 1000);
    if (r1 != 0) {
        return false;
    }
    if (version_2) {
        if (send_command(CMD58, 0) != 0) {
            return false;
        }
        board_rcvr_spi(bytes, 4);
    }
    card.counts_blocks = version_2 && (bytes[0] & 0x40) != 0;
    return card.counts_blocks || send_command(CMD16, 512) == 0;
}

enum disk_result disk_initialize(void)
{
    card.ready = false;
    board_spi_hz(400000);
    board_cs(1);
    for (int i = 0; i < 10; i++) {
        (void)board_xchg_spi(0xFF);
    }
    card.ready = send_command(CMD0, 0) == 1 && bring_up();
    deselect();
    board_spi_hz(20000000);
    return card.ready ? DISK_OK : DISK_NOT_READY;
}

enum disk_result disk_read(uint8_t *buffer, uint32_t sector, unsigned count)
{
    if (!card.ready) {
        return DISK_NOT_READY;
    }
    unsigned done = 0;
    if (send_command(count > 1 ? CMD18 : CMD17, address_of(sector)) == 0) {
        while (done < count && receive_block(buffer + 512 * done, 512)) {
            done++;
        }
        if (count > 1) {
            (void)send_command(CMD12, 0);
        }
    }
    deselect();
    return done == count ? DISK_OK : DISK_ERROR;
}

enum disk_result disk_write(const uint8_t *buffer, uint32_t sector, unsigned count)
{
    if (!card.ready) {
        return DISK_NOT_READY;
    }
    unsigned done = 0;
    if (count == 1) {
        done = send_command(CMD24, address_of(sector)) == 0 && send_block(buffer, 0xFE) ? 1 : 0;
    } else {
        (void)send_command(ACMD23, count);
        if (send_command(CMD25, address_of(sector)) == 0) {
            while (done < count && send_block(buffer + 512 * done, 0xFC)) {
                done++;
            }
            if (!send_block(NULL, 0xFD)) {
                done = 0;
            }
        }
    }
    deselect();
    return done == count ? DISK_OK : DISK_ERROR;
}

enum disk_result disk_sync(void)
{
    const bool ready = card.ready && select_card();
    deselect();
    return ready ? DISK_OK : DISK_ERROR;
}

enum disk_result disk_sector_count(uint32_t *count)
{
    uint8_t csd[16];
    const bool got = card.ready && send_command(CMD9, 0) == 0 && receive_block(csd, 16);
    deselect();
    if (!got) {
        return DISK_ERROR;
    }
    if (csd[0] >> 6 == 1) {
        *count = (((uint32_t)(csd[7] & 0x3F) << 16 | (uint32_t)csd[8] << 8 | csd[9]) + 1) * 1024;
    } else {
        const uint32_t size =
            (uint32_t)(csd[6] & 3) << 10 | (uint32_t)csd[7] << 2 | (uint32_t)csd[8] >> 6;
        const unsigned shift = (unsigned)((csd[9] & 3) << 1 | csd[10] >> 7) + 2 + (csd[5] & 15);
        *count = (size + 1) << (shift - 9);
    }
    return DISK_OK;
}
