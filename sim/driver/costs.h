/*
 * Which of the costs of struct sdsim_driver_costs each driver has, as users read it in `describe
 * host`: a line for each of driver/list.h. tests/unit/test_driver_costs.c runs the drivers and knows
 * better.
 */
#ifndef SDSIM_DRIVER_COSTS_H
#define SDSIM_DRIVER_COSTS_H

#define SDSIM_DRIVER_COSTS_ARDUINO_SD      "call, transfer, chunk, chunk_gap, crc16, copy"
#define SDSIM_DRIVER_COSTS_IDF_SDSPI       "call, transfer, bulk, crc16, copy"
#define SDSIM_DRIVER_COSTS_SDCARDIO        "call, transfer, bulk, chunk, chunk_gap"
#define SDSIM_DRIVER_COSTS_SDFAT_SHARED    "call, command, transfer, bulk, chunk, chunk_gap, copy"
#define SDSIM_DRIVER_COSTS_SDFAT_DEDICATED "call, command, transfer, bulk, chunk, chunk_gap, copy"
#define SDSIM_DRIVER_COSTS_ARDUINO_PICO    "call, command, transfer, bulk, chunk, chunk_gap, copy"
#define SDSIM_DRIVER_COSTS_CARLK3_SPI      "call, command, transfer, bulk, chunk, chunk_gap, crc16, copy"
#define SDSIM_DRIVER_COSTS_CARLK3_FREERTOS_SPI                                                     \
    "call, command, transfer, bulk, chunk, chunk_gap, crc16, copy"
#define SDSIM_DRIVER_COSTS_CHAN_MMC        "call, command, transfer, bulk, chunk, chunk_gap, copy"
#define SDSIM_DRIVER_COSTS_PICO_FATFS      "call, command, transfer, bulk, chunk, chunk_gap, copy"
#define SDSIM_DRIVER_COSTS_PICO_FATFS_PIO  "call, command, transfer, bulk, chunk, chunk_gap, copy"
#define SDSIM_DRIVER_COSTS_MICROPYTHON     "call, command, transfer, bulk, chunk, chunk_gap, copy"
#define SDSIM_DRIVER_COSTS_ARDUINO_CLASSIC "call, command, transfer, bulk, chunk, chunk_gap, copy"
#define SDSIM_DRIVER_COSTS_ZEPHYR_SDHC                                                             \
    "call, command, transfer, bulk, chunk, chunk_gap, crc16, copy"
#define SDSIM_DRIVER_COSTS_NUTTX_SPI     "call, command, transfer, bulk, chunk, chunk_gap, copy"
#define SDSIM_DRIVER_COSTS_MBED_SD       "call, command, transfer, bulk, chunk, chunk_gap, crc16, copy"
#define SDSIM_DRIVER_COSTS_PROFFIEOS_SPI "call, command, transfer, bulk, chunk, chunk_gap, copy"
#define SDSIM_DRIVER_COSTS_P2_SD         "call, command, transfer, bulk, chunk, chunk_gap, crc16, copy"
#define SDSIM_DRIVER_COSTS_GENERIC_SPI                                                             \
    "call, command, transfer, bulk, chunk, chunk_gap, crc16, copy"
#define SDSIM_DRIVER_COSTS_IDF_SDMMC            "call, command, wake, copy"
#define SDSIM_DRIVER_COSTS_ARDUINO_SDMMC        "call, command, wake, copy"
#define SDSIM_DRIVER_COSTS_SDIOIO               "call, command, wake, copy"
#define SDSIM_DRIVER_COSTS_SDFAT_TEENSY         "call, command, bulk, chunk, chunk_gap, wake, copy"
#define SDSIM_DRIVER_COSTS_SDFAT_PIO            "call, command, bulk, chunk, chunk_gap, wake, copy"
#define SDSIM_DRIVER_COSTS_CARLK3_SDIO          "call, command, bulk, wake, crc16, copy"
#define SDSIM_DRIVER_COSTS_CARLK3_FREERTOS_SDIO "call, command, bulk, wake, crc16, copy"
#define SDSIM_DRIVER_COSTS_ZULUSCSI_SDIO        "call, command, bulk, wake, crc16, copy"
#define SDSIM_DRIVER_COSTS_STM32_HAL_SD         "call, command, bulk, chunk, chunk_gap, wake, copy"
#define SDSIM_DRIVER_COSTS_SDIOIO_STM           "call, command, bulk, chunk, chunk_gap, wake, copy"
#define SDSIM_DRIVER_COSTS_NUTTX_MMCSD          "call, command, bulk, wake, copy"
#define SDSIM_DRIVER_COSTS_MACHINE_SDCARD       "call, command, wake, copy"
#define SDSIM_DRIVER_COSTS_NXP_USDHC            "call, command, bulk, wake, copy"
#define SDSIM_DRIVER_COSTS_SMOOTHIE_SDMMC       "call, command, bulk, wake, copy"
#define SDSIM_DRIVER_COSTS_GENERIC_SD           "call, command, bulk, chunk, chunk_gap, wake, copy"
#define SDSIM_DRIVER_COSTS_LINUX_MMC            "call, command, bulk, wake, copy"
#define SDSIM_DRIVER_COSTS_USB_READER           "call, command, bulk, chunk, chunk_gap, wake, copy"

#endif
