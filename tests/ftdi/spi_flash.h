/*
 * A serial NOR flash on the pins of an MPSSE channel: Winbond W25Q64, 8 MiB, for programs that have
 * nothing to do with SD cards and know MPSSE from elsewhere (flashrom).
 *
 * Reads and identifies itself: commands 03, 0B, 05, 35, 9F, 90, AB, 04, 06 of its data sheet; for all
 * others, as for addresses of its SFDP table, it shows FF.
 *
 * Limits: nothing is programmed or erased.
 */
#ifndef SDSIM_TEST_FTDI_SPI_FLASH_H
#define SDSIM_TEST_FTDI_SPI_FLASH_H

#include "ftdi/slave.h"

#define SDSIM_SPI_FLASH_BYTES (8u << 20)

struct sdsim_spi_flash {
    struct sdsim_slave slave;
    const uint8_t *content; /* SDSIM_SPI_FLASH_BYTES, not owned */
    bool selected;
    uint8_t command;
    uint32_t at; /* bytes since CS went low */
    uint32_t address;
    unsigned bits; /* of a byte that comes bit by bit */
    uint8_t mosi;
    uint8_t miso;
    bool enabled; /* 06 */
};

void sdsim_spi_flash_init(struct sdsim_spi_flash *flash, const uint8_t *content);

#endif
