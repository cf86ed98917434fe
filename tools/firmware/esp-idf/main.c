/*
 * How fast does this ESP32 read and write this SD card? With sdbench.h beside it, this is
 * main/main.c of an ESP-IDF project (4.4 or later; in CMakeLists.txt: REQUIRES fatfs sdmmc driver
 * esp_timer). Set what is below, `idf.py flash monitor`, and save the output as a file. Makes a
 * file SDBENCH.BIN on the card, up to 4 MiB, and deletes it again. Takes under a minute. The card
 * must carry FAT; it is not formatted.
 *
 *     USE_SDSPI 1        the card hangs on SPI; 0: on the SD host, ESP32, S3 and P4 only
 *     SDBENCH_STDIO      defined: through fopen() and fread() instead of open() and read()
 *     SDBENCH_FATFS      defined: through f_open() and f_read(), without VFS
 */
#ifndef USE_SDSPI
#define USE_SDSPI 0
#endif
#define CLOCK_KHZ 20000

/* SPI: the pins. SD host: the number of data lines; the pins are those of the slot's default. */
#define PIN_MOSI 15
#define PIN_MISO 2
#define PIN_SCLK 14
#define PIN_CS   13
#define LINES    4

#include <stdio.h>

#include "driver/gpio.h"
#include "esp_idf_version.h"
#include "esp_vfs_fat.h"
#include "sdmmc_cmd.h"
#if USE_SDSPI
#include "driver/sdspi_host.h"
#include "driver/spi_common.h"
#else
#include "driver/sdmmc_host.h"
#endif

static sdmmc_card_t *card;

#define SDBENCH_CARD               card->cid.name /* "SC32G"; better: what is printed on it */
#define SDBENCH_CLOCK_REQUESTED_HZ (CLOCK_KHZ * 1000u)
#if ESP_IDF_VERSION >= ESP_IDF_VERSION_VAL(5, 0, 0)
#define SDBENCH_CLOCK_HZ ((uint32_t)card->real_freq_khz * 1000u)
#endif
#if USE_SDSPI
#define SDBENCH_DRIVER "esp-idf-sdspi"
#define SDBENCH_BUS    "spi"
#else
#define SDBENCH_DRIVER "esp-idf-sdmmc"
#define SDBENCH_BUS    (card->log_bus_width == 2 ? "sd4" : "sd1")
#endif
#if defined(SDBENCH_FATFS) && !defined(SDBENCH_PATH)
#define SDBENCH_PATH "0:/SDBENCH.BIN"
#endif
#include "sdbench.h"

#if USE_SDSPI
static esp_err_t mount_card(const esp_vfs_fat_sdmmc_mount_config_t *config)
{
    sdmmc_host_t host = SDSPI_HOST_DEFAULT();
    host.max_freq_khz = CLOCK_KHZ;
    const spi_bus_config_t bus = {
        .mosi_io_num = PIN_MOSI,
        .miso_io_num = PIN_MISO,
        .sclk_io_num = PIN_SCLK,
        .quadwp_io_num = -1,
        .quadhd_io_num = -1,
        .max_transfer_sz = 4096,
    };
    const esp_err_t error = spi_bus_initialize(host.slot, &bus, SPI_DMA_CH_AUTO);
    if (error != ESP_OK) {
        return error;
    }
    sdspi_device_config_t slot = SDSPI_DEVICE_CONFIG_DEFAULT();
    slot.gpio_cs = PIN_CS;
    slot.host_id = host.slot;
    return esp_vfs_fat_sdspi_mount("/sdcard", &host, &slot, config, &card);
}
#else
static esp_err_t mount_card(const esp_vfs_fat_sdmmc_mount_config_t *config)
{
    sdmmc_host_t host = SDMMC_HOST_DEFAULT();
    host.max_freq_khz = CLOCK_KHZ;
    sdmmc_slot_config_t slot = SDMMC_SLOT_CONFIG_DEFAULT();
    slot.width = LINES;
    slot.flags |= SDMMC_SLOT_FLAG_INTERNAL_PULLUP; /* weak; the board should have its own */
    return esp_vfs_fat_sdmmc_mount("/sdcard", &host, &slot, config, &card);
}
#endif

void app_main(void)
{
    const esp_vfs_fat_sdmmc_mount_config_t config = {
        .format_if_mount_failed = false,
        .max_files = 2,
    };
    const esp_err_t error = mount_card(&config);
    if (error != ESP_OK) {
        printf("# error: no card, or no FAT volume on it: %s\n", esp_err_to_name(error));
        return;
    }
    sdbench_run();
    esp_vfs_fat_sdcard_unmount("/sdcard", card);
}
