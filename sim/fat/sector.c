#include "fat/sector.h"

#include <assert.h>
#include <string.h>

static void forget_run(struct sdsim_sector *sector)
{
    sector->begin = sector->end = sector->made = 0;
}

static void make_run(struct sdsim_sector *sector)
{
    if (sector->made < sector->end) {
        sdsim_generate(sector->seed, sector->stream_base + sector->made,
                       sector->bytes + sector->made, (size_t)(sector->end - sector->made));
        sector->made = sector->end;
    }
}

void sdsim_sector_reset(struct sdsim_sector *sector)
{
    memset(sector, 0, sizeof *sector);
    sector->lba = SDSIM_NO_SECTOR;
}

void sdsim_sector_fresh(struct sdsim_sector *sector, uint32_t lba, enum sdsim_purpose purpose)
{
    memset(sector->bytes, 0, sizeof sector->bytes);
    forget_run(sector);
    sector->lba = lba;
    sector->dirty = false;
    sector->purpose = purpose;
}

enum sdsim_disk_error sdsim_sector_load(struct sdsim_sector *sector, const struct sdsim_disk *disk,
                                        sdsim_ps *now, uint32_t lba, enum sdsim_purpose purpose)
{
    forget_run(sector);
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
    struct sdsim_content content = {0};
    if (sector->begin == 0 && sector->end == SDSIM_SECTOR) {
        content.kind = SDSIM_CONTENT_GENERATED;
        content.seed = sector->seed;
        content.offset = sector->stream_base;
    } else {
        content.kind = SDSIM_CONTENT_BYTES;
        content.bytes = sdsim_sector_bytes(sector);
    }
    return disk->ops->write(disk->context, now, lba, 1, sector->purpose, &content);
}

uint8_t *sdsim_sector_bytes(struct sdsim_sector *sector)
{
    make_run(sector);
    return sector->bytes;
}

void sdsim_sector_put(struct sdsim_sector *sector, uint32_t at, const struct sdsim_content *content,
                      uint64_t skip, uint32_t count)
{
    assert(at + count <= SDSIM_SECTOR);
    if (content->kind != SDSIM_CONTENT_GENERATED) {
        make_run(sector);
        forget_run(sector);
        sdsim_content_bytes(content, skip, sector->bytes + at, count);
        return;
    }
    const uint64_t base = content->offset + skip - at;
    const bool continues = sector->end > sector->begin && sector->seed == content->seed &&
                           sector->stream_base == base && at >= sector->begin && at <= sector->end;
    if (!continues) {
        make_run(sector);
        sector->seed = content->seed;
        sector->stream_base = base;
        sector->begin = sector->end = sector->made = (uint16_t)at;
    }
    if (at + count > sector->end) {
        sector->end = (uint16_t)(at + count);
    }
}
