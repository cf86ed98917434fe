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

void sdsim_sd_block_load(struct sdsim_sd_pins *pins)
{
    if (pins->from_register) {
        memcpy(pins->block, pins->card->block, pins->block_bytes);
    } else {
        sdsim_card_read_bytes(pins->card, pins->block);
    }
    measure(pins);
    pins->at = 0;
    uint8_t *const crc = pins->block + pins->block_bytes;
    const size_t size = sdsim_crc16_bytes(pins->block, pins->block_bytes, pins->four, crc);
    if (sdsim_faults_occasion(pins->card->faults, SDSIM_FAULT_READ_CRC, 0)) {
        crc[size - 1] ^= 1;
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
    const size_t size = sdsim_crc16_bytes(pins->block, pins->block_bytes, pins->four, crc);
    return memcmp(crc, pins->block + pins->block_bytes, size) == 0;
}
