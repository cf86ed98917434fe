#include "fat/p2_disk.h"

#include "fat/driver_disk.h"
#include "fat/medium_disk.h"

static bool has_buffer(enum sdsim_purpose purpose)
{
    return purpose == SDSIM_FOR_FAT || purpose == SDSIM_FOR_DIRECTORY;
}

static enum sdsim_disk_error disk_read(void *context, sdsim_ps *now, uint32_t lba, uint32_t count,
                                       enum sdsim_purpose purpose, void *out)
{
    struct sdsim_p2_disk *p2 = context;
    if (has_buffer(purpose) && count == 1) {
        if (p2->buffered[purpose] == lba) {
            const struct sdsim_disk buffer = sdsim_medium_disk(p2->medium);
            return buffer.ops->read(buffer.context, now, lba, count, purpose, out);
        }
        p2->buffered[purpose] = lba;
    }
    const struct sdsim_disk card = sdsim_driver_disk(p2->driver);
    return card.ops->read(card.context, now, lba, count, purpose, out);
}

static enum sdsim_disk_error disk_write(void *context, sdsim_ps *now, uint32_t lba, uint32_t count,
                                        enum sdsim_purpose purpose,
                                        const struct sdsim_content *content)
{
    struct sdsim_p2_disk *p2 = context;
    const struct sdsim_disk card = sdsim_driver_disk(p2->driver);
    p2->buffered[purpose] = SDSIM_NO_LBA;
    return card.ops->write(card.context, now, lba, count, purpose, content);
}

static const struct sdsim_disk_ops p2_ops = {.read = disk_read, .write = disk_write};

struct sdsim_disk sdsim_p2_disk(struct sdsim_p2_disk *p2_disk, struct sdsim_driver *driver,
                                struct sdsim_medium *medium)
{
    *p2_disk = (struct sdsim_p2_disk){.driver = driver, .medium = medium};
    for (int purpose = 0; purpose < SDSIM_PURPOSE_COUNT; purpose++) {
        p2_disk->buffered[purpose] = SDSIM_NO_LBA;
    }
    return (struct sdsim_disk){
        .ops = &p2_ops, .context = p2_disk, .sectors = sdsim_medium_sectors(medium)};
}
