/*
 * A driver as people write them for FatFs: a handful of functions over one byte exchange, with
 * polling and timeouts in milliseconds. It knows nothing of the simulator; a test gives it a "board"
 * whose SPI is a slot of the library.
 *
 * Limits: one card; SD cards of version 1 and 2, no MMC.
 */
#ifndef SDSIM_TEST_MMC_DRIVER_H
#define SDSIM_TEST_MMC_DRIVER_H

#include <stdint.h>

/* ---- what the board gives ---- */

uint8_t board_xchg_spi(uint8_t byte);
void board_rcvr_spi(uint8_t *bytes, unsigned count);
void board_xmit_spi(const uint8_t *bytes, unsigned count);
void board_cs(int high);
void board_spi_hz(uint32_t hz);
uint32_t board_ms(void);

/* ---- what FatFs calls ---- */

enum disk_result {
    DISK_OK,
    DISK_ERROR,
    DISK_NOT_READY,
};

enum disk_result disk_initialize(void);
enum disk_result disk_read(uint8_t *buffer, uint32_t sector, unsigned count);
enum disk_result disk_write(const uint8_t *buffer, uint32_t sector, unsigned count);
enum disk_result disk_sync(void);
enum disk_result disk_sector_count(uint32_t *count);

#endif
