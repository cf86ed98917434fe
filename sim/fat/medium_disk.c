#include "fat/medium_disk.h"

static enum sdsim_disk_error check(const struct sdsim_medium *medium, uint32_t lba, uint32_t count)
{
    const uint32_t sectors = sdsim_medium_sectors(medium);
    return lba < sectors && count <= sectors - lba ? SDSIM_DISK_OK : SDSIM_DISK_RANGE;
}

static enum sdsim_disk_error disk_read(void *context, sdsim_ps *now, uint32_t lba, uint32_t count,
                                       enum sdsim_purpose purpose, void *out)
{
    (void)now;
    (void)purpose;
    const struct sdsim_medium *medium = context;
    const enum sdsim_disk_error error = check(medium, lba, count);
    if (error == SDSIM_DISK_OK && out != NULL) {
        sdsim_medium_read(medium, lba, count, out);
    }
    return error;
}

static enum sdsim_disk_error disk_write(void *context, sdsim_ps *now, uint32_t lba, uint32_t count,
                                        enum sdsim_purpose purpose,
                                        const struct sdsim_content *content)
{
    (void)now;
    (void)purpose;
    struct sdsim_medium *medium = context;
    const enum sdsim_disk_error error = check(medium, lba, count);
    if (error != SDSIM_DISK_OK) {
        return error;
    }
    return sdsim_medium_write(medium, lba, count, content) ? SDSIM_DISK_OK : SDSIM_DISK_NO_MEMORY;
}

static const struct sdsim_disk_ops medium_ops = {.read = disk_read, .write = disk_write};

struct sdsim_disk sdsim_medium_disk(struct sdsim_medium *medium)
{
    return (struct sdsim_disk){
        .ops = &medium_ops, .context = medium, .sectors = sdsim_medium_sectors(medium)};
}
