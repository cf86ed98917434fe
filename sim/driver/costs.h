/*
 * Which of the costs of struct sdsim_driver_costs each driver has, as users read it in
 * `describe host`: a line for each of driver/list.h.
 *
 * tests/unit/test_driver_costs.c runs the drivers and knows better.
 */
#ifndef SDSIM_DRIVER_COSTS_H
#define SDSIM_DRIVER_COSTS_H

/* What several of them have. */
#define SDSIM_COSTS_SPI          "call, command, transfer, bulk, chunk, chunk_gap, copy"
#define SDSIM_COSTS_SPI_CRC      "call, command, transfer, bulk, chunk, chunk_gap, crc16, copy"
#define SDSIM_COSTS_SD           "call, command, wake, copy"
#define SDSIM_COSTS_SD_FIFO      "call, command, chunk, chunk_gap, wake, copy"
#define SDSIM_COSTS_SD_FIFO_BULK "call, command, bulk, chunk, chunk_gap, wake, copy"
#define SDSIM_COSTS_SD_PIO       "call, command, bulk, wake, crc16, copy"

#define SDSIM_DRIVER_COSTS_ARDUINO_SD           "call, transfer, chunk, chunk_gap, crc16, copy"
#define SDSIM_DRIVER_COSTS_IDF_SDSPI            "call, transfer, bulk, crc16, copy"
#define SDSIM_DRIVER_COSTS_SDCARDIO             "call, transfer, bulk, chunk, chunk_gap"
#define SDSIM_DRIVER_COSTS_SDFAT_SHARED         SDSIM_COSTS_SPI
#define SDSIM_DRIVER_COSTS_SDFAT_DEDICATED      SDSIM_COSTS_SPI
#define SDSIM_DRIVER_COSTS_ARDUINO_PICO         SDSIM_COSTS_SPI
#define SDSIM_DRIVER_COSTS_CARLK3_SPI           SDSIM_COSTS_SPI_CRC
#define SDSIM_DRIVER_COSTS_CARLK3_FREERTOS_SPI  SDSIM_COSTS_SPI_CRC
#define SDSIM_DRIVER_COSTS_CHAN_MMC             SDSIM_COSTS_SPI
#define SDSIM_DRIVER_COSTS_PICO_FATFS           SDSIM_COSTS_SPI
#define SDSIM_DRIVER_COSTS_PICO_FATFS_PIO       SDSIM_COSTS_SPI
#define SDSIM_DRIVER_COSTS_MICROPYTHON          SDSIM_COSTS_SPI
#define SDSIM_DRIVER_COSTS_ADAFRUIT_SDCARD      "call, command, transfer, bulk"
#define SDSIM_DRIVER_COSTS_SDCARDIO_6           "call, command, transfer, bulk"
#define SDSIM_DRIVER_COSTS_ARDUINO_CLASSIC      SDSIM_COSTS_SPI
#define SDSIM_DRIVER_COSTS_ZEPHYR_SDHC          SDSIM_COSTS_SPI_CRC
#define SDSIM_DRIVER_COSTS_NUTTX_SPI            SDSIM_COSTS_SPI
#define SDSIM_DRIVER_COSTS_MBED_SD              SDSIM_COSTS_SPI_CRC
#define SDSIM_DRIVER_COSTS_PROFFIEOS_SPI        SDSIM_COSTS_SPI
#define SDSIM_DRIVER_COSTS_P2_SD                SDSIM_COSTS_SPI_CRC
#define SDSIM_DRIVER_COSTS_GENERIC_SPI          SDSIM_COSTS_SPI_CRC
#define SDSIM_DRIVER_COSTS_IDF_SDMMC            SDSIM_COSTS_SD
#define SDSIM_DRIVER_COSTS_ARDUINO_SDMMC        SDSIM_COSTS_SD
#define SDSIM_DRIVER_COSTS_SDIOIO               SDSIM_COSTS_SD
#define SDSIM_DRIVER_COSTS_SDFAT_TEENSY         SDSIM_COSTS_SD_FIFO_BULK
#define SDSIM_DRIVER_COSTS_SDFAT_PIO            SDSIM_COSTS_SD_FIFO_BULK
#define SDSIM_DRIVER_COSTS_CARLK3_SDIO          SDSIM_COSTS_SD_PIO
#define SDSIM_DRIVER_COSTS_CARLK3_FREERTOS_SDIO SDSIM_COSTS_SD_PIO
#define SDSIM_DRIVER_COSTS_ZULUSCSI_SDIO        SDSIM_COSTS_SD_PIO
#define SDSIM_DRIVER_COSTS_STM32_HAL_SD         SDSIM_COSTS_SD_FIFO_BULK
#define SDSIM_DRIVER_COSTS_SDIOIO_STM           SDSIM_COSTS_SD_FIFO_BULK
#define SDSIM_DRIVER_COSTS_SDIOIO_SAMD          "call, command, chunk, chunk_gap, wake"
#define SDSIM_DRIVER_COSTS_NUTTX_MMCSD          "call, command, bulk, wake, copy"
#define SDSIM_DRIVER_COSTS_MACHINE_SDCARD       SDSIM_COSTS_SD
#define SDSIM_DRIVER_COSTS_NXP_USDHC            "call, command, bulk, wake, copy"
#define SDSIM_DRIVER_COSTS_NXP_USDHC_UHS        "call, command, bulk, wake, copy"
#define SDSIM_DRIVER_COSTS_SMOOTHIE_SDMMC       "call, command, bulk, wake, copy"
#define SDSIM_DRIVER_COSTS_GENERIC_SD           SDSIM_COSTS_SD_FIFO_BULK
#define SDSIM_DRIVER_COSTS_LINUX_MMC            "call, command, bulk, wake, copy"
#define SDSIM_DRIVER_COSTS_LINUX_MMC_UHS        "call, command, bulk, wake, copy"
#define SDSIM_DRIVER_COSTS_USB_READER           SDSIM_COSTS_SD_FIFO_BULK

#endif
