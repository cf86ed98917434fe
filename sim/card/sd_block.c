#include "card/sd_block.h"

#include <string.h>

#include "core/crc.h"

enum {
    CRC_BITS = 16, /* on each line */
};

/* Sizes the block at work for the lines in use now. */
static void measure(struct sdsim_sd_pins *pins)
{
    pins->four = pins->card->width == 4;
    pins->bits = (pins->four ? 2 : 8) * pins->block_bytes + CRC_BITS;
    pins->in_block = true;
}

/* Puts the CRC in its place behind the data; returns how many bytes that takes. */
static uint32_t make_crc(const struct sdsim_sd_pins *pins, uint8_t out[8])
{
    const uint32_t size = pins->four ? 8 : 2;
    const uint64_t crc = pins->four ? sdsim_crc16_four(pins->block, pins->block_bytes)
                                    : sdsim_crc16(pins->block, pins->block_bytes);
    for (uint32_t i = 0; i < size; i++) {
        out[i] = (uint8_t)(crc >> 8 * (size - 1 - i));
    }
    return size;
}

void sdsim_sd_block_load(struct sdsim_sd_pins *pins)
{
    if (pins->from_register) {
        memcpy(pins->block, pins->card->block, pins->block_bytes);
    } else {
        sdsim_card_read_bytes(pins->card, pins->block);
    }
    measure(pins);
    pins->at = 0;
    const uint32_t size = make_crc(pins, pins->block + pins->block_bytes);
    if (sdsim_faults_occasion(pins->card->faults, SDSIM_FAULT_READ_CRC, 0)) {
        pins->block[pins->block_bytes + size - 1] ^= 1;
    }
}

void sdsim_sd_block_expect(struct sdsim_sd_pins *pins)
{
    measure(pins);
    pins->at = 1;
}

bool sdsim_sd_block_right(const struct sdsim_sd_pins *pins)
{
    uint8_t crc[8];
    const uint32_t size = make_crc(pins, crc);
    return memcmp(crc, pins->block + pins->block_bytes, size) == 0;
}
