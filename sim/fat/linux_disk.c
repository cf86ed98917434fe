#include "fat/linux_disk.h"

#include "fat/driver_disk.h"
#include "fat/medium_disk.h"

enum { MOST_SECTORS = 1024 }; /* of a request: 512 KiB, the usual limit of SDHCI hosts */

/* Sends what was joined. */
static enum sdsim_disk_error settle(void *context, sdsim_ps *now)
{
    struct sdsim_linux_disk *joined = context;
    const struct sdsim_disk card = sdsim_driver_disk(joined->driver);
    const uint32_t count = joined->count;
    joined->count = 0;
    if (count == 0) {
        return SDSIM_DISK_OK;
    }
    return joined->writes
               ? card.ops->write(card.context, now, joined->lba, count, SDSIM_FOR_DATA,
                                 &joined->content)
               : card.ops->read(card.context, now, joined->lba, count, SDSIM_FOR_DATA, NULL);
}

/* Whether a piece continues what is there, and generated content what was generated. */
static bool continues(const struct sdsim_linux_disk *joined, uint32_t lba, uint32_t count,
                      const struct sdsim_content *content)
{
    if (joined->count == 0 || joined->writes != (content != NULL) ||
        lba != joined->lba + joined->count || count > MOST_SECTORS - joined->count) {
        return false;
    }
    return content == NULL ||
           (content->seed == joined->content.seed &&
            content->offset == joined->content.offset + (uint64_t)joined->count * SDSIM_SECTOR);
}

/* Adds a piece of at most MOST_SECTORS; `content` NULL: a read. */
static enum sdsim_disk_error join(struct sdsim_linux_disk *joined, sdsim_ps *now, uint32_t lba,
                                  uint32_t count, const struct sdsim_content *content)
{
    if (continues(joined, lba, count, content)) {
        joined->count += count;
        return SDSIM_DISK_OK;
    }
    const enum sdsim_disk_error error = settle(joined, now);
    joined->lba = lba;
    joined->count = count;
    joined->writes = content != NULL;
    if (content != NULL) {
        joined->content = *content;
    }
    return error;
}

static enum sdsim_disk_error join_all(struct sdsim_linux_disk *joined, sdsim_ps *now, uint32_t lba,
                                      uint32_t count, const struct sdsim_content *content)
{
    for (uint32_t done = 0; done < count;) {
        const uint32_t part = count - done < MOST_SECTORS ? count - done : MOST_SECTORS;
        struct sdsim_content rest;
        if (content != NULL) {
            rest = sdsim_content_after(content, (uint64_t)done * SDSIM_SECTOR);
        }
        const enum sdsim_disk_error error =
            join(joined, now, lba + done, part, content != NULL ? &rest : NULL);
        if (error != SDSIM_DISK_OK) {
            return error;
        }
        done += part;
    }
    return SDSIM_DISK_OK;
}

static enum sdsim_disk_error disk_read(void *context, sdsim_ps *now, uint32_t lba, uint32_t count,
                                       enum sdsim_purpose purpose, void *out)
{
    struct sdsim_linux_disk *joined = context;
    const struct sdsim_disk cache = sdsim_medium_disk(joined->medium);
    enum sdsim_disk_error error = SDSIM_DISK_OK;
    if (out != NULL && joined->writes && purpose == SDSIM_FOR_DATA) {
        error = settle(joined, now); /* it may ask for what was just written */
    }
    if (error == SDSIM_DISK_OK) {
        error = cache.ops->read(cache.context, now, lba, count, purpose, out);
    }
    return error != SDSIM_DISK_OK || purpose != SDSIM_FOR_DATA
               ? error
               : join_all(joined, now, lba, count, NULL);
}

static enum sdsim_disk_error disk_write(void *context, sdsim_ps *now, uint32_t lba, uint32_t count,
                                        enum sdsim_purpose purpose,
                                        const struct sdsim_content *content)
{
    struct sdsim_linux_disk *joined = context;
    if (purpose != SDSIM_FOR_DATA) {
        const struct sdsim_disk cache = sdsim_medium_disk(joined->medium);
        return cache.ops->write(cache.context, now, lba, count, purpose, content);
    }
    if (content->kind == SDSIM_CONTENT_GENERATED) {
        return join_all(joined, now, lba, count, content);
    }
    /* The bytes are the caller's, and may be gone when the request goes out. */
    const struct sdsim_disk card = sdsim_driver_disk(joined->driver);
    const enum sdsim_disk_error error = settle(joined, now);
    return error != SDSIM_DISK_OK
               ? error
               : card.ops->write(card.context, now, lba, count, purpose, content);
}

static enum sdsim_disk_error disk_sync(void *context, sdsim_ps *now)
{
    struct sdsim_linux_disk *joined = context;
    const struct sdsim_disk card = sdsim_driver_disk(joined->driver);
    const enum sdsim_disk_error error = settle(joined, now);
    return error != SDSIM_DISK_OK ? error : card.ops->sync(card.context, now);
}

static const struct sdsim_disk_ops linux_ops = {
    .read = disk_read,
    .write = disk_write,
    .sync = disk_sync,
    .settle = settle,
};

struct sdsim_disk sdsim_linux_disk(struct sdsim_linux_disk *linux_disk, struct sdsim_driver *driver,
                                   struct sdsim_medium *medium)
{
    *linux_disk = (struct sdsim_linux_disk){.driver = driver, .medium = medium};
    return (struct sdsim_disk){
        .ops = &linux_ops, .context = linux_disk, .sectors = sdsim_medium_sectors(medium)};
}
