/*
 * What drivers over SPI have in common: bytes that are calls of their own, transactions that move
 * blocks, calls that are split over several commands, and the identification of a card.
 *
 * What surrounds a command - select, filler bytes, ready wait, deselect - is each driver's own; the
 * steps here leave it to a function of the driver.
 */
#ifndef SDSIM_DRIVER_SPI_STEPS_H
#define SDSIM_DRIVER_SPI_STEPS_H

#include "driver/internal.h"

/*
 * The engine of a driver whose calls move single bytes, each of which costs `transfer`, save for
 * the data of a block: it goes at once (`bulk`), in pieces, or byte by byte (`chunk`, `chunk_gap`).
 * Limits and waits are left to the driver.
 */
struct sdsim_spi_engine sdsim_spi_byte_engine(const struct sdsim_driver_costs *costs);

/* Commands that read or write `count` blocks, without what surrounds them. */
struct sdsim_transaction sdsim_spi_reading(const struct sdsim_driver *driver, uint8_t index,
                                           uint32_t lba, uint32_t count, uint8_t *out);
struct sdsim_transaction sdsim_spi_writing(const struct sdsim_driver *driver, uint8_t index,
                                           uint32_t lba, uint32_t count,
                                           const struct sdsim_content *content);

/* Carries it out under the name of its command. */
bool sdsim_spi_do(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba,
                  const struct sdsim_transaction *tx, struct sdsim_result *result);

/* Whether a read began, so that CMD12 must end it. */
static inline bool sdsim_spi_began(const struct sdsim_result *result)
{
    return result->outcome == SDSIM_OUTCOME_OK || result->outcome == SDSIM_OUTCOME_NO_DATA;
}

/* A transaction that can't fail: bytes, select, deselect. */
void sdsim_spi_clock(struct sdsim_driver *driver, sdsim_ps *now,
                     const struct sdsim_transaction *tx);

/* How a driver carries out a command: a bare one comes in, and what the driver puts around it is
 * added. */
struct sdsim_spi_manner {
    bool (*command)(struct sdsim_driver *driver, sdsim_ps *now, struct sdsim_transaction *bare,
                    struct sdsim_result *result);
};

/* A command without blocks. */
bool sdsim_spi_plain(struct sdsim_driver *driver, sdsim_ps *now,
                     const struct sdsim_spi_manner *manner, uint8_t index, uint32_t argument,
                     enum sdsim_response response, struct sdsim_result *result);

/* CMD55 and an application command. */
bool sdsim_spi_app(struct sdsim_driver *driver, sdsim_ps *now,
                   const struct sdsim_spi_manner *manner, uint8_t index, uint32_t argument,
                   struct sdsim_result *result);

/* How a driver finds out what card it has. */
struct sdsim_spi_identify {
    struct sdsim_spi_manner manner;
    sdsim_ps settle;   /* sleep at the beginning */
    uint8_t clocks;    /* then bytes with CS high */
    bool crc_on;       /* CMD59 behind CMD8 */
    sdsim_ps retry;    /* sleep before each further ACMD41 */
    sdsim_ps patience; /* for the card to get ready */
    bool block_length; /* CMD16 for all cards; else only for those with byte addresses */
};

/* CMD0, CMD8, ACMD41 until the card is ready, CMD58, CMD16, CMD9; then the full clock. */
enum sdsim_driver_error sdsim_spi_identify(struct sdsim_driver *driver, sdsim_ps *now,
                                           const struct sdsim_spi_identify *steps);

/* Splits a call into as many commands as the driver needs for it (sdsim_driver_blocks). */
enum sdsim_driver_error sdsim_spi_split_read(struct sdsim_driver *driver, sdsim_ps *now,
                                             uint32_t lba, uint32_t count, uint8_t *out,
                                             bool (*read)(struct sdsim_driver *driver,
                                                          sdsim_ps *now, uint32_t lba,
                                                          uint32_t count, uint8_t *out));
enum sdsim_driver_error
sdsim_spi_split_write(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba, uint32_t count,
                      const struct sdsim_content *content,
                      bool (*write)(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba,
                                    uint32_t count, const struct sdsim_content *content));

#endif
