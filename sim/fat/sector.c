#include "fat/sector.h"

#include <assert.h>
#include <string.h>

void sdsim_sector_reset(struct sdsim_sector *sector)
{
    memset(sector, 0, sizeof *sector);
    sector->lba = SDSIM_NO_SECTOR;
}

void sdsim_sector_fresh(struct sdsim_sector *sector, uint32_t lba, enum sdsim_purpose purpose)
{
    memset(sector->bytes, 0, sizeof sector->bytes);
    sector->lazy = (struct sdsim_lazy_bytes){0};
    sector->lba = lba;
    sector->dirty = false;
    sector->purpose = purpose;
}

enum sdsim_disk_error sdsim_sector_load(struct sdsim_sector *sector, const struct sdsim_disk *disk,
                                        sdsim_ps *now, uint32_t lba, enum sdsim_purpose purpose)
{
    sector->lazy = (struct sdsim_lazy_bytes){0};
    sector->dirty = false;
    sector->purpose = purpose;
    const enum sdsim_disk_error error =
        disk->ops->read(disk->context, now, lba, 1, purpose, sector->bytes);
    sector->lba = error == SDSIM_DISK_OK ? lba : SDSIM_NO_SECTOR;
    return error;
}

enum sdsim_disk_error sdsim_sector_store(struct sdsim_sector *sector, const struct sdsim_disk *disk,
                                         sdsim_ps *now, uint32_t lba)
{
    const struct sdsim_content content =
        sdsim_lazy_bytes_content(&sector->lazy, sector->bytes, SDSIM_SECTOR);
    return disk->ops->write(disk->context, now, lba, 1, sector->purpose, &content);
}

uint8_t *sdsim_sector_bytes(struct sdsim_sector *sector)
{
    sdsim_lazy_bytes_make(&sector->lazy, sector->bytes);
    return sector->bytes;
}

void sdsim_sector_put(struct sdsim_sector *sector, uint32_t at, const struct sdsim_content *content,
                      uint64_t skip, uint32_t count)
{
    assert(at + count <= SDSIM_SECTOR);
    sdsim_lazy_bytes_put(&sector->lazy, sector->bytes, at, content, skip, count);
}
