/* As much of ESP-IDF 5 as the example needs. "/sdcard" is SDBENCH_PATH, a file of the PC. */
#ifndef IDF_H
#define IDF_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define CONFIG_IDF_TARGET_ESP32S3                1
#define CONFIG_ESP_DEFAULT_CPU_FREQ_MHZ          160
#define ESP_IDF_VERSION_VAL(major, minor, patch) (((major) << 16) | ((minor) << 8) | (patch))
#define ESP_IDF_VERSION                          ESP_IDF_VERSION_VAL(5, 1, 0)

#define ESP_OK                          0
#define SPI_DMA_CH_AUTO                 3
#define SDMMC_SLOT_FLAG_INTERNAL_PULLUP 1

typedef int esp_err_t;

typedef struct {
    int slot;
    int max_freq_khz;
} sdmmc_host_t;

typedef struct {
    int width;
    uint32_t flags;
} sdmmc_slot_config_t;

typedef struct {
    int gpio_cs;
    int host_id;
} sdspi_device_config_t;

typedef struct {
    int mosi_io_num;
    int miso_io_num;
    int sclk_io_num;
    int quadwp_io_num;
    int quadhd_io_num;
    int max_transfer_sz;
} spi_bus_config_t;

typedef struct {
    struct {
        char name[8];
    } cid;
    int real_freq_khz;
    unsigned log_bus_width;
} sdmmc_card_t;

typedef struct {
    bool format_if_mount_failed;
    int max_files;
} esp_vfs_fat_sdmmc_mount_config_t;

static inline sdmmc_host_t idf_host(void)
{
    const sdmmc_host_t host = {1, 20000};
    return host;
}

static inline sdmmc_slot_config_t idf_slot(void)
{
    const sdmmc_slot_config_t slot = {0, 0};
    return slot;
}

static inline sdspi_device_config_t idf_device(void)
{
    const sdspi_device_config_t device = {0, 0};
    return device;
}

#define SDSPI_HOST_DEFAULT()          idf_host()
#define SDMMC_HOST_DEFAULT()          idf_host()
#define SDMMC_SLOT_CONFIG_DEFAULT()   idf_slot()
#define SDSPI_DEVICE_CONFIG_DEFAULT() idf_device()

static inline esp_err_t idf_mount(int clock_khz, unsigned log_bus_width, sdmmc_card_t **card)
{
    static sdmmc_card_t found;
    memcpy(found.cid.name, "SC32G", 6);
    found.real_freq_khz = clock_khz;
    found.log_bus_width = log_bus_width;
    *card = &found;
    return ESP_OK;
}

static inline esp_err_t esp_vfs_fat_sdspi_mount(const char *path, const sdmmc_host_t *host,
                                                const sdspi_device_config_t *device,
                                                const esp_vfs_fat_sdmmc_mount_config_t *config,
                                                sdmmc_card_t **card)
{
    (void)path;
    (void)device;
    (void)config;
    return idf_mount(host->max_freq_khz, 0, card);
}

static inline esp_err_t esp_vfs_fat_sdmmc_mount(const char *path, const sdmmc_host_t *host,
                                                const sdmmc_slot_config_t *slot,
                                                const esp_vfs_fat_sdmmc_mount_config_t *config,
                                                sdmmc_card_t **card)
{
    (void)path;
    (void)config;
    return idf_mount(host->max_freq_khz, slot->width == 4 ? 2 : 0, card);
}

static inline esp_err_t esp_vfs_fat_sdcard_unmount(const char *path, sdmmc_card_t *card)
{
    (void)path;
    (void)card;
    return ESP_OK;
}

static inline esp_err_t spi_bus_initialize(int host, const spi_bus_config_t *config, int dma)
{
    (void)host;
    (void)config;
    (void)dma;
    return ESP_OK;
}

static inline const char *esp_err_to_name(esp_err_t error)
{
    return error == ESP_OK ? "ESP_OK" : "ESP_FAIL";
}

static inline int64_t esp_timer_get_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

#define pdMS_TO_TICKS(ms) ((ms) / 10)

static inline void vTaskDelay(uint32_t ticks)
{
    (void)ticks;
}

void app_main(void);

#endif
