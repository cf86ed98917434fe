/*
 * For the driver files only: short ways to say a transaction, and to fail.
 */
#ifndef SDSIM_DRIVER_INTERNAL_H
#define SDSIM_DRIVER_INTERNAL_H

#include "driver/driver.h"

#define SDSIM_DRIVER_EXTERN(code, class, name, doc)                                                \
    extern const struct sdsim_driver_class sdsim_driver_##class;
SDSIM_DRIVER_LIST(SDSIM_DRIVER_EXTERN)
#undef SDSIM_DRIVER_EXTERN

/* Carries out a transaction; on failure remembers `step` and the LBA. True if all went well. */
bool sdsim_driver_do(struct sdsim_driver *driver, sdsim_ps *now, const char *step, uint32_t lba,
                     const struct sdsim_transaction *tx, struct sdsim_result *result);

/* A command without blocks. `flags` are added to SDSIM_COMMAND. */
bool sdsim_driver_command(struct sdsim_driver *driver, sdsim_ps *now, unsigned flags, uint8_t index,
                          uint32_t argument, enum sdsim_response response,
                          struct sdsim_result *result);

/* A command whose answer is one block of a register. */
bool sdsim_driver_register(struct sdsim_driver *driver, sdsim_ps *now, unsigned flags,
                           uint8_t index, enum sdsim_response response, uint16_t bytes,
                           uint8_t *out);

/* CMD6 with an argument: asks for functions, or switches to them. `status` is what the card says. */
bool sdsim_driver_switch(struct sdsim_driver *driver, sdsim_ps *now, uint32_t argument,
                         uint8_t status[SDSIM_STATUS_BYTES], struct sdsim_result *result);

/* Gives up for a reason the port did not tell, such as an ACMD41 that never says ready. */
enum sdsim_driver_error sdsim_driver_give_up(struct sdsim_driver *driver, sdsim_ps now,
                                             const char *step, enum sdsim_outcome outcome);

/* "CMD17". */
const char *sdsim_driver_command_name(uint8_t index);

/*
 * ESP-IDF's sdmmc layer tries high speed when asked for more than 20 MHz; a card without it runs at
 * 20 MHz, one with it at what was asked for, 40 MHz at most (sdmmc_sd.c, sdmmc_enable_hs_mode;
 * sdmmc_init.c, sdmmc_init_card_hs_mode).
 */
#define SDSIM_IDF_HIGH_SPEED_ABOVE 20000000u
uint64_t sdsim_driver_idf_request(uint64_t asked_hz, const struct sdsim_card_params *card);

/* CPU time of the driver itself. */
void sdsim_driver_cpu(struct sdsim_driver *driver, sdsim_ps *now, sdsim_ps d);

/* A sleep while nothing is asked of the card: idle. */
void sdsim_driver_sleep(struct sdsim_driver *driver, sdsim_ps *now, sdsim_ps d);

/* The argument that addresses a sector on this card. */
static inline uint32_t sdsim_driver_address(const struct sdsim_driver *driver, uint32_t lba)
{
    return driver->block_addresses ? lba : lba * SDSIM_SECTOR;
}

/* How many blocks one command may move: all, or most_blocks, or bounce_blocks if the buffer can't
 * be used. */
static inline uint32_t sdsim_driver_blocks(const struct sdsim_driver *driver, uint32_t count)
{
    const struct sdsim_driver_params *params = driver->params;
    const uint64_t bounce = driver->usable_buffers ? 0 : params->bounce_blocks;
    uint64_t blocks = count;
    blocks = params->most_blocks > 0 && params->most_blocks < blocks ? params->most_blocks : blocks;
    return (uint32_t)(bounce > 0 && bounce < blocks ? bounce : blocks);
}

/* Sets the bus clock for identification or for transfers. */
void sdsim_driver_clock_init(struct sdsim_driver *driver);
void sdsim_driver_clock_full(struct sdsim_driver *driver);

/* Takes the number of sectors from a CSD. */
void sdsim_driver_capacity(struct sdsim_driver *driver, const uint8_t csd[SDSIM_CSD_BYTES]);

#endif
