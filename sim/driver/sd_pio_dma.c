#include "driver/sd_pio_dma.h"

void sdsim_sd_pio_dma_attach(struct sdsim_driver *driver)
{
    driver->sd = sdsim_sd_engine_of(driver);
    driver->sd.read_cpu = driver->costs->crc16;
    driver->sd.write_cpu = driver->costs->crc16;
    driver->sd.block_gap = 0;
}

enum sdsim_driver_error sdsim_sd_pio_dma_init(struct sdsim_driver *driver, sdsim_ps *now)
{
    const struct sdsim_sd_identification how = {.registers = true};
    return sdsim_sd_identify(driver, now, &how);
}

static bool read_blocks(struct sdsim_driver *driver, sdsim_ps *now,
                        const struct sdsim_sd_part *part, const struct sdsim_wait *stopped)
{
    const struct sdsim_sd_manner manner = {.command = sdsim_sd_block_command(part)};
    sdsim_driver_cpu(driver, now, driver->costs->bulk);
    return sdsim_sd_move(driver, now, part, &manner) &&
           (part->count == 1 || sdsim_sd_stop(driver, now, stopped));
}

bool sdsim_sd_pio_dma_read(struct sdsim_driver *driver, sdsim_ps *now,
                           const struct sdsim_sd_part *part, const struct sdsim_wait *stopped)
{
    if (part->lba + part->count < driver->sectors) {
        return read_blocks(driver, now, part, stopped);
    }
    bool done = true;
    for (uint32_t i = 0; i < part->count && done; i++) {
        const struct sdsim_sd_part one = {
            .lba = part->lba + i,
            .count = 1,
            .out = part->out != NULL ? part->out + (size_t)i * SDSIM_SECTOR : NULL,
        };
        done = read_blocks(driver, now, &one, stopped);
    }
    return done;
}
