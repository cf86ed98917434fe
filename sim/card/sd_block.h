/*
 * A data block on the DAT lines, clock by clock: start bit, data and CRC16 on one line or on four,
 * end bit. Shared by the two halves of the SD pins (card/sd_pins.c and card/sd_pins_many.c).
 *
 * A block is kept as the bytes its bits make up in the order of the bus: on one line eight clocks a
 * byte, on four two, the upper half first and DAT3 in its upper bit. So the four CRC16s, which go
 * out side by side, are the eight bytes of sdsim_crc16_four(). pins->at counts clocks: 0 is the start
 * bit, 1 to pins->bits are data and CRC, pins->bits + 1 is the end bit.
 */
#ifndef SDSIM_CARD_SD_BLOCK_H
#define SDSIM_CARD_SD_BLOCK_H

#include "card/sd_pins.h"

enum {
    SDSIM_SD_LINES_FREE = 0xF,
    SDSIM_SD_DAT0_LOW = 0xE,     /* busy */
    SDSIM_SD_STATUS_GOOD = 0x05, /* 0 010 1 */
    SDSIM_SD_STATUS_BAD = 0x0B,  /* 0 101 1 */
};

/* Clocks, the same as in bus/counts.h, which lies above this layer. */
enum sdsim_sd_pins_clocks {
    SDSIM_PINS_FRAME = 48,
    SDSIM_PINS_FRAME_R2 = 136,
    SDSIM_PINS_CRC_STATUS = 5,
    SDSIM_PINS_N_AC = 2,
    SDSIM_PINS_N_ST = 2,
    SDSIM_PINS_N_CRC = 2,
};

/* The lines in the clock of the start bit. */
static inline uint8_t sdsim_sd_block_start(bool four)
{
    return four ? 0x0 : 0xE;
}

/* What the block at work shows in the clock at work. */
static inline uint8_t sdsim_sd_block_level(const struct sdsim_sd_pins *pins)
{
    if (pins->at == 0) {
        return sdsim_sd_block_start(pins->four);
    }
    if (pins->at > pins->bits) {
        return SDSIM_SD_LINES_FREE;
    }
    const uint32_t bit = pins->at - 1;
    if (pins->four) {
        return (uint8_t)(pins->block[bit / 2] >> (bit % 2 == 0 ? 4 : 0) & 0xF);
    }
    return (uint8_t)(0xE | (pins->block[bit / 8] >> (7 - bit % 8) & 1));
}

/* Puts the levels of the clock at work, of data or CRC, in their place. */
static inline void sdsim_sd_block_take(struct sdsim_sd_pins *pins, uint8_t level)
{
    const uint32_t bit = pins->at - 1;
    uint8_t *byte = &pins->block[bit / (pins->four ? 2 : 8)];
    *byte = (uint8_t)(pins->four ? *byte << 4 | level : *byte << 1 | (level & 1));
}

/* What a CRC status, or the wait before it, shows in the clock at work; and on to the next. */
static inline uint8_t sdsim_sd_status_level(const struct sdsim_sd_pins *pins)
{
    const unsigned bit = pins->status_at - (unsigned)SDSIM_PINS_N_CRC;
    const bool silent = pins->status_at < SDSIM_PINS_N_CRC || (pins->status >> (4 - bit) & 1) != 0;
    return silent ? SDSIM_SD_LINES_FREE : SDSIM_SD_DAT0_LOW;
}

static inline void sdsim_sd_status_step(struct sdsim_sd_pins *pins)
{
    if (++pins->status_at == SDSIM_PINS_N_CRC + SDSIM_PINS_CRC_STATUS) {
        pins->status = 0;
    }
}

/* Fetches the block that is to be sent, with its CRC, or spoils that if a test wants it. */
void sdsim_sd_block_load(struct sdsim_sd_pins *pins);

/* The start bit of a block from the host was seen. */
void sdsim_sd_block_expect(struct sdsim_sd_pins *pins);

/* Whether the CRC of the block from the host is right. */
bool sdsim_sd_block_right(const struct sdsim_sd_pins *pins);

#endif
