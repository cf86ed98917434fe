/*
 * What a file system sees of the storage below it: sectors that are read and written in calls, each
 * with a purpose, each taking time.
 *
 * This is the C shape of FatFs's diskio and of SdFat's block device. A real stack puts an SD driver
 * behind it (driver/driver.h); `fsops` and the tests put a bare medium behind it that takes no time
 * and may log the calls.
 *
 * All functions start at *now and leave their finish time there. They return 0, or a value of enum
 * sdsim_disk_error, which the file system passes up as an I/O error.
 */
#ifndef SDSIM_FAT_DISK_H
#define SDSIM_FAT_DISK_H

#include <stdint.h>

#include "core/account.h"
#include "core/time.h"
#include "flash/medium.h"

enum sdsim_disk_error {
    SDSIM_DISK_OK = 0,
    SDSIM_DISK_IO,    /* the driver gave up: time-out, CRC error, write error */
    SDSIM_DISK_RANGE, /* beyond the last sector */
    SDSIM_DISK_NO_MEMORY,
};

struct sdsim_disk_ops {
    /* One disk_read of `count` (>= 1) sectors. `out` may be NULL: then only the time passes. */
    enum sdsim_disk_error (*read)(void *context, sdsim_ps *now, uint32_t lba, uint32_t count,
                                  enum sdsim_purpose purpose, void *out);
    /* One disk_write of `count` (>= 1) sectors. */
    enum sdsim_disk_error (*write)(void *context, sdsim_ps *now, uint32_t lba, uint32_t count,
                                   enum sdsim_purpose purpose, const struct sdsim_content *content);
    /* disk_status, called by FatFs once per API call (f_close twice). May be NULL: costs nothing.
     */
    enum sdsim_disk_error (*status)(void *context, sdsim_ps *now);
    /* CTRL_SYNC. May be NULL: nothing to do. */
    enum sdsim_disk_error (*sync)(void *context, sdsim_ps *now);
    /* A call of the application is over: what was held back to be joined goes out. May be NULL:
     * nothing is held back. */
    enum sdsim_disk_error (*settle)(void *context, sdsim_ps *now);
    /* CTRL_TRIM: these sectors are no longer used. May be NULL. */
    enum sdsim_disk_error (*trim)(void *context, sdsim_ps *now, uint32_t lba, uint32_t count);
};

struct sdsim_disk {
    const struct sdsim_disk_ops *ops;
    void *context;
    uint32_t sectors;
};

#endif
