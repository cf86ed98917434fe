/* As much of ESP-IDF's driver of cards as the hooks of README.md need. */
#ifndef SDMMC_CMD_H
#define SDMMC_CMD_H

#include <stddef.h>
#include <stdint.h>

#define ESP_OK 0

typedef int esp_err_t;

typedef struct {
    struct {
        int capacity;
        int sector_size;
    } csd;
} sdmmc_card_t;

esp_err_t sdmmc_read_sectors(sdmmc_card_t *card, void *data, size_t lba, size_t count);
esp_err_t sdmmc_write_sectors(sdmmc_card_t *card, const void *data, size_t lba, size_t count);

#endif
