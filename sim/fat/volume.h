/*
 * A mounted FAT12, FAT16, FAT32 or exFAT volume, accessed the way a firmware's library does it:
 * FatFs, SdFat, or the classic Arduino library.
 *
 * Everything the library knows about a volume between two calls is here: where its parts lie, where
 * it looks for free clusters, and the window - the one buffered sector through which all FAT,
 * directory, bitmap and FSINFO accesses go (and partial data sectors too where files have no buffer
 * of their own); SdFat may have a second one for the FAT or bitmap. All structures are real bytes
 * on the disk below; nothing about them is cached but these sectors. That is why the block
 * operations come out in the library's order, with its LBAs and counts. The rules and how they were
 * checked: fat/fatfs.h, fat/sdfat.h, fat/classic.h.
 *
 * Calls start at *now and leave their finish time there. During a call the volume borrows that
 * pointer; between calls it owns no time.
 *
 * Limits: 512-byte sectors, one or two FATs (exFAT: one), 32-bit LBAs. Short names keep ASCII only
 * (other characters become '_'). One thread at a time.
 */
#ifndef SDSIM_FAT_VOLUME_H
#define SDSIM_FAT_VOLUME_H

#include <stdbool.h>
#include <stdint.h>

#include "fat/disk.h"
#include "fat/result.h"
#include "fat/sector.h"

enum sdsim_fat_library {
    SDSIM_LIBRARY_FATFS,
    SDSIM_LIBRARY_SDFAT,
    SDSIM_LIBRARY_CLASSIC, /* "SD" of the Arduino IDE, from an SdFat of 2009 */
    SDSIM_LIBRARY_COUNT
};

enum sdsim_long_names {
    SDSIM_LFN_NONE,   /* 8.3 names only; exFAT can't be mounted */
    SDSIM_LFN_STATIC, /* buffer in .bss */
    SDSIM_LFN_STACK,
    SDSIM_LFN_HEAP, /* from malloc: then new directory clusters are cleared 32 KiB at a time */
};

enum sdsim_append_style {
    SDSIM_APPEND_SEEKS_EACH_WRITE, /* O_APPEND of the ESP-IDF VFS: a seek to the size per write */
    SDSIM_APPEND_SEEKS_AT_OPEN,    /* CircuitPython: one seek to the size at open */
    SDSIM_APPEND_BY_FLAG,          /* FatFs is called directly, with FA_OPEN_APPEND */
};

/* How a build of a library and the glue above it behave. All zero: FatFs R0.13c..R0.15 with buffers
 * per file, no long names. */
struct sdsim_volume_config {
    enum sdsim_fat_library library;
    bool tiny;  /* FF_FS_TINY: files have no sector buffer, partial sectors share the window */
    bool exfat; /* exFAT volumes can be mounted: FF_FS_EXFAT; SdFat: SDFAT_FILE_TYPE 3 */
    bool gpt;   /* volumes in partitions of a GPT are found (FatFs: FF_LBA64, off in the firmware
                   modelled here) */
    bool trim;  /* FF_USE_TRIM: freed clusters are reported with CTRL_TRIM */
    bool fast_seek;   /* the glue makes a link table at every open for reading only (mode "r") */
    bool since_r015a; /* R0.15a and later: no FSINFO update while the free count is unknown; exFAT
                         percent-in-use byte kept */
    bool distrust_free_count; /* FF_FS_NOFSINFO bit 0: the free count in FSINFO is not used */
    bool distrust_hint;       /* FF_FS_NOFSINFO bit 1: nor is the last allocated cluster */
    bool unlink_stats_first;  /* the glue looks the name up before f_unlink */
    bool rename_stats_first;  /* the glue looks the old name up before f_rename */
    bool second_cache;        /* SdFat: USE_SEPARATE_FAT_CACHE and USE_EXFAT_BITMAP_CACHE */
    bool single_sectors;      /* SdFat: USE_MULTI_SECTOR_IO is 0 */
    enum sdsim_long_names long_names;
    enum sdsim_append_style append; /* FatFs: what mode "a" means */
    uint32_t clock; /* time stamp of entries: DOS date in the upper, time in the lower half;
                       0 means 2025-01-01 00:00 */
};

enum sdsim_fat_type {
    SDSIM_FAT_UNMOUNTED,
    SDSIM_FAT12,
    SDSIM_FAT16,
    SDSIM_FAT32,
    SDSIM_EXFAT,
};

/* Whether a build can mount a volume of this type at all: SdFat and the classic Arduino library know
 * no FAT12, and exFAT is an option. */
bool sdsim_volume_config_mounts(const struct sdsim_volume_config *config, enum sdsim_fat_type type);

/* "FAT12", "FAT16", "FAT32", "exFAT", or "none". */
const char *sdsim_fat_type_name(enum sdsim_fat_type type);

/* Where the parts of a volume lie, in sectors of the device. */
struct sdsim_geometry {
    enum sdsim_fat_type type;
    uint8_t fats;             /* 1 or 2 */
    uint16_t root_entries;    /* of a fixed root (FAT12/16), else 0 */
    uint32_t start;           /* first sector of the volume */
    uint32_t sectors;         /* of the volume */
    uint32_t cluster_sectors; /* a power of two */
    uint32_t clusters;        /* they are numbered 2 .. clusters + 1 */
    uint32_t fat_start;       /* the first FAT */
    uint32_t fat_sectors;     /* of one FAT */
    uint32_t data_start;      /* of cluster 2 */
    uint32_t root;            /* FAT12/16: first sector of the root; else its first cluster */
    uint32_t bitmap_start;    /* exFAT */
    bool has_fsinfo;          /* FAT32 with FSINFO in its sector 1 */
};

#define SDSIM_NAME_MAX 255u        /* UTF-16 units of one part of a path */
#define SDSIM_SET_MAX  (19u * 32u) /* bytes of the longest exFAT entry set */

/* "Not known", for the allocation hint and the free count. */
#define SDSIM_UNKNOWN UINT32_MAX

struct sdsim_library;

struct sdsim_volume {
    struct sdsim_volume_config config;
    const struct sdsim_library *library; /* by which it is mounted */
    struct sdsim_geometry geometry;
    const struct sdsim_disk *disk; /* not owned */
    sdsim_ps *now;                 /* the caller's, borrowed for one call */
    uint32_t mount; /* number of this mount: open files of an earlier one are invalid */

    uint32_t hint;          /* where free clusters are looked for. FatFs: the last one allocated,
                               SDSIM_UNKNOWN, or out of range; the others: see there */
    uint32_t free_clusters; /* or SDSIM_UNKNOWN */
    bool changed;           /* the summary (FSINFO, percent in use) is to be written at next sync */
    bool keeps_summary;     /* there is a summary this build writes */

    struct sdsim_sector window;
    struct sdsim_sector second; /* SdFat's second cache */
    bool has_second;
    enum sdsim_purpose second_for;     /* which sectors go through it */
    uint64_t root_bytes;               /* classic: of the root directory, as it was at mount */
    uint16_t name[SDSIM_NAME_MAX + 1]; /* the part of a path at work, UTF-16, zero at the end */
    uint8_t set[SDSIM_SET_MAX];        /* exFAT: the entry set at work */
};

/*
 * Looks for a volume (FatFs: sector 0, else the partitions of the MBR, or of a GPT if wanted, in
 * order; SdFat and classic: the first partition of the MBR, else sector 0) and reads what the
 * library reads at mount. The disk is not owned and must outlive the mount; `config`
 * is copied. SDSIM_FAT_NO_FILE_SYSTEM if there is none, or only one this configuration can't read;
 * the volume is unmounted then. If an exFAT volume failed because of its bitmap, geometry.clusters
 * is not 0 and all of the geometry but type and bitmap_start is set, for those who look at damaged
 * volumes.
 */
enum sdsim_fat_result sdsim_volume_mount(struct sdsim_volume *volume, const struct sdsim_disk *disk,
                                         const struct sdsim_volume_config *config, sdsim_ps *now);

/* Forgets the volume without any I/O: what is still in the window is lost. */
void sdsim_volume_unmount(struct sdsim_volume *volume);

/*
 * What every call of FatFs does first: the volume must be mounted, and disk_status is asked. Sets
 * volume->now.
 */
enum sdsim_fat_result sdsim_volume_enter(struct sdsim_volume *volume, sdsim_ps *now);

/* Bytes of one cluster. */
static inline uint32_t sdsim_cluster_bytes(const struct sdsim_volume *volume)
{
    return volume->geometry.cluster_sectors * SDSIM_SECTOR;
}

/* One more than the highest cluster number; entries from here on end a chain. */
static inline uint32_t sdsim_cluster_limit(const struct sdsim_volume *volume)
{
    return volume->geometry.clusters + 2;
}

static inline bool sdsim_cluster_valid(const struct sdsim_volume *volume, uint32_t cluster)
{
    return cluster >= 2 && cluster < sdsim_cluster_limit(volume);
}

/* First sector of a valid cluster. */
static inline uint32_t sdsim_cluster_lba(const struct sdsim_volume *volume, uint32_t cluster)
{
    return volume->geometry.data_start + (cluster - 2) * volume->geometry.cluster_sectors;
}

#endif
