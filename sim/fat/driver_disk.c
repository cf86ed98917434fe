#include "fat/driver_disk.h"

static enum sdsim_disk_error disk_error(enum sdsim_driver_error error)
{
    static const enum sdsim_disk_error errors[] = {
        [SDSIM_DRIVER_OK] = SDSIM_DISK_OK,
        [SDSIM_DRIVER_FAILED] = SDSIM_DISK_IO,
        [SDSIM_DRIVER_OUT_OF_RANGE] = SDSIM_DISK_RANGE,
    };
    return errors[error];
}

static enum sdsim_disk_error disk_read(void *context, sdsim_ps *now, uint32_t lba, uint32_t count,
                                       enum sdsim_purpose purpose, void *out)
{
    return disk_error(sdsim_driver_read(context, now, lba, count, purpose, out));
}

static enum sdsim_disk_error disk_write(void *context, sdsim_ps *now, uint32_t lba, uint32_t count,
                                        enum sdsim_purpose purpose,
                                        const struct sdsim_content *content)
{
    return disk_error(sdsim_driver_write(context, now, lba, count, purpose, content));
}

static enum sdsim_disk_error disk_status(void *context, sdsim_ps *now)
{
    return disk_error(sdsim_driver_status(context, now));
}

static enum sdsim_disk_error disk_sync(void *context, sdsim_ps *now)
{
    return disk_error(sdsim_driver_sync(context, now));
}

static const struct sdsim_disk_ops driver_ops = {
    .read = disk_read,
    .write = disk_write,
    .status = disk_status,
    .sync = disk_sync,
};

struct sdsim_disk sdsim_driver_disk(struct sdsim_driver *driver)
{
    return (struct sdsim_disk){.ops = &driver_ops, .context = driver, .sectors = driver->sectors};
}
