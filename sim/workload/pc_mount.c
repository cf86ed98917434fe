#include "workload/pc_mount.h"

/* Bytes the answers have: SPC-4 standard INQUIRY, SBC-3 READ CAPACITY(10), MODE SENSE(6) header. */
enum { INQUIRY = 36, TEST_UNIT_READY = 0, READ_CAPACITY = 8, MODE_SENSE = 4 };

/* An up-case table as formatters write it has 5836 bytes. */
enum { UPCASE_SECTORS = 12, PAGE_SECTORS = 8 };

struct habits {
    const char *name;
    uint32_t fat;   /* sectors of one request for a FAT */
    uint32_t exfat; /* and for bitmap and up-case table */
    uint32_t first; /* for the partition table, and for the boot sector and what follows it */
};

static const struct habits habits[] = {
    [SDSIM_PC_WINDOWS] = {"Windows", 128, 128, 1},
    [SDSIM_PC_LINUX] = {"Linux", 240, 1, PAGE_SECTORS},
    [SDSIM_PC_MACOS] = {"macOS", PAGE_SECTORS, PAGE_SECTORS, 1},
};

const char *sdsim_pc_name(enum sdsim_pc pc)
{
    return habits[pc].name;
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

struct sdsim_pc_mount sdsim_pc_mount_plan(enum sdsim_pc pc, const struct sdsim_geometry *geometry)
{
    const bool exfat = geometry->type == SDSIM_EXFAT;
    const uint32_t request = exfat ? habits[pc].exfat : habits[pc].fat;
    const uint32_t bitmap = geometry->clusters / (8 * SDSIM_SECTOR) +
                            (geometry->clusters % (8 * SDSIM_SECTOR) != 0 ? 1 : 0);
    const uint32_t fixed_root = geometry->root_entries / (SDSIM_SECTOR / 32);
    return (struct sdsim_pc_mount){
        .fat_sectors = exfat ? 0 : geometry->fat_sectors,
        .bitmap_sectors = exfat ? bitmap + UPCASE_SECTORS : 0,
        .root_sectors = fixed_root > 0 ? fixed_root : geometry->cluster_sectors,
        .request = (uint64_t)request * SDSIM_SECTOR,
    };
}

/* `count` sectors from `lba`, in requests of at most `most`. */
static enum sdsim_driver_error fetch(struct sdsim_usb_storage *storage, sdsim_ps *now, uint32_t lba,
                                     uint32_t count, uint32_t most, enum sdsim_purpose purpose)
{
    enum sdsim_driver_error error = SDSIM_DRIVER_OK;
    for (uint32_t done = 0; done < count && error == SDSIM_DRIVER_OK;) {
        const uint32_t part = least(count - done, most);
        error = sdsim_usb_request(storage, now, lba + done, part, purpose, NULL);
        done += part;
    }
    return error;
}

enum sdsim_driver_error sdsim_pc_mount(struct sdsim_usb_storage *storage, sdsim_ps *now,
                                       enum sdsim_pc pc, const struct sdsim_geometry *geometry)
{
    static const uint32_t answers[] = {INQUIRY, TEST_UNIT_READY, READ_CAPACITY, MODE_SENSE};
    const struct sdsim_pc_mount plan = sdsim_pc_mount_plan(pc, geometry);
    const uint32_t most = (uint32_t)(plan.request / SDSIM_SECTOR);
    const bool exfat = geometry->type == SDSIM_EXFAT;
    const bool fixed_root = geometry->root_entries > 0;
    const uint32_t root =
        fixed_root ? geometry->root
                   : geometry->data_start + (geometry->root - 2) * geometry->cluster_sectors;
    storage->meter->purpose = SDSIM_FOR_INIT;
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        sdsim_usb_inquire(storage, now, answers[i]);
    }
    const struct {
        uint32_t lba;
        uint32_t count;
        uint32_t most;
        enum sdsim_purpose purpose;
    } reads[] = {
        {0, habits[pc].first, habits[pc].first, SDSIM_FOR_BOOT}, /* the partition table */
        {geometry->start, geometry->start > 0 ? habits[pc].first : 0, habits[pc].first,
         SDSIM_FOR_BOOT},
        /* Linux has FSINFO in the page of the boot sector. */
        {geometry->start + 1, geometry->has_fsinfo && habits[pc].first == 1 ? 1 : 0, 1,
         SDSIM_FOR_FSINFO},
        {geometry->fat_start, plan.fat_sectors, most, SDSIM_FOR_FAT},
        {geometry->bitmap_start, plan.bitmap_sectors, most, SDSIM_FOR_BITMAP},
        {root, plan.root_sectors, exfat && most == 1 ? PAGE_SECTORS : most, SDSIM_FOR_DIRECTORY},
    };
    enum sdsim_driver_error error = SDSIM_DRIVER_OK;
    for (size_t i = 0; i < sizeof reads / sizeof *reads && error == SDSIM_DRIVER_OK; i++) {
        error = fetch(storage, now, reads[i].lba, reads[i].count, reads[i].most, reads[i].purpose);
    }
    return error;
}
