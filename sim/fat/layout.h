/*
 * A survey of a volume: where everything lies, how fragmented it is, and what is wrong with it -
 * which after a power cut means what was lost.
 *
 * The volume is found as FatFs finds it (fat/volume.h, with GPT). From there on nothing is believed
 * and nothing is written: every chain is followed once against a bitmap of clusters that were met
 * before, so loops and shared clusters end in a finding, and so do numbers out of range and an
 * image that is too short. The FAT (exFAT: the bitmap) says what is allocated; what is allocated
 * and not met on any chain is lost.
 *
 * Cost: the FATs are read once, each chain once more; memory is two bits a cluster, and as many
 * again for a moment where chains meet. A file whose chain joins another's is named with the other
 * one, which takes a second walk through all directories.
 *
 * Limits: 128 levels of directories, paths of up to 4 KiB; 100 findings are kept in full, the rest
 * is counted. Of a file, a million extents are kept. In short names, characters other than ASCII are
 * shown as '?', since the volume doesn't tell their code page. An exFAT volume is taken to use its
 * first FAT and bitmap.
 */
#ifndef SDSIM_FAT_LAYOUT_H
#define SDSIM_FAT_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/diag.h"
#include "fat/volume.h"

#define SDSIM_LAYOUT_CLASSES  31u
#define SDSIM_LAYOUT_WORST    10u
#define SDSIM_LAYOUT_FINDINGS 100u
#define SDSIM_LAYOUT_RUNS     1000000u

/* Which partition table led to the volume. */
enum sdsim_partition_table {
    SDSIM_TABLE_NONE, /* the volume starts in sector 0 */
    SDSIM_TABLE_MBR,
    SDSIM_TABLE_GPT,
};

struct sdsim_partition {
    enum sdsim_partition_table table;
    uint32_t number;  /* of the entry, from 1 */
    uint8_t type;     /* MBR */
    uint32_t lba;     /* of the sector with its entry */
    uint32_t sectors; /* as the table says; without one those of the device */
};

/* Clusters that follow each other. */
struct sdsim_cluster_run {
    uint32_t first;
    uint32_t count;
};

/* How the parts of a volume lie to the allocation units of a card, which begin at sector 0. */
struct sdsim_alignment {
    uint32_t start_offset; /* of the volume in its AU, sectors */
    uint32_t fat_offset;   /* of the first FAT */
    uint32_t data_offset;  /* of cluster 2 */
    uint32_t system_aus; /* AUs from the volume's start that hold something in front of the data */
    bool data_shares_au; /* the first of the data's AUs holds something else, too */
    bool clusters_cross_au; /* some cluster lies in two AUs although it is no larger than one */
};

/* Free runs of 2^k to 2^(k+1) - 1 clusters. */
struct sdsim_run_class {
    uint32_t runs;
    uint32_t clusters;
};

struct sdsim_layout_space {
    uint32_t used; /* clusters, bad and lost ones included */
    uint32_t free;
    uint32_t bad;
    uint32_t lost;
    uint32_t lost_runs;
    uint32_t free_runs;
    struct sdsim_cluster_run largest; /* free run; count 0: the volume is full */
    struct sdsim_run_class classes[SDSIM_LAYOUT_CLASSES];
    uint32_t aus;      /* of the device */
    uint32_t free_aus; /* that lie in free clusters completely */
};

/* A file or directory. */
struct sdsim_layout_file {
    char *path; /* UTF-8, from the root, control characters shown as '?' */
    bool directory;
    bool contiguous; /* exFAT: marked as one run, so its FAT is not used */
    uint64_t size;   /* bytes; 0 for directories on FAT */
    uint32_t clusters;
    uint32_t fragments; /* runs of clusters */
};

struct sdsim_layout_tree {
    uint64_t files;
    uint64_t directories; /* without the root */
    uint64_t bytes;       /* sizes of all files */
    uint64_t file_clusters;
    uint64_t fragments;        /* of all files */
    uint64_t fragmented_files; /* more than one fragment */
    uint32_t worst_count;
    struct sdsim_layout_file worst[SDSIM_LAYOUT_WORST]; /* most fragments first; all have several */
};

/* The file the user asked for. */
struct sdsim_layout_chosen {
    bool found;
    struct sdsim_layout_file file;
    struct sdsim_cluster_run *runs; /* in the order of the file */
    size_t run_count;               /* kept; file.fragments counts all */
    size_t run_capacity;
    uint32_t aus; /* that hold a part of it */
};

enum sdsim_finding_kind {
    /* what can't be read or believed */
    SDSIM_FINDING_TRUNCATED,     /* volume ends at sector `said`, the device at `found` */
    SDSIM_FINDING_UNREADABLE,    /* `found` reads failed, the first at sector `said` */
    SDSIM_FINDING_GPT_SUM,       /* the GPT's header or entries have a wrong CRC */
    SDSIM_FINDING_GPT_BACKUP,    /* there is no second GPT header at the end */
    SDSIM_FINDING_PARTITION,     /* partition of `said` sectors, volume of `found` */
    SDSIM_FINDING_BOOT_SUM,      /* exFAT: check sum of the boot region */
    SDSIM_FINDING_BOOT_BACKUP,   /* the copy of the boot sector differs */
    SDSIM_FINDING_DIRTY,         /* the volume is marked as not cleanly unmounted */
    SDSIM_FINDING_MEDIA_ERROR,   /* the volume is marked as having had I/O errors */
    SDSIM_FINDING_FSINFO,        /* FAT32: the FSINFO sector is none */
    SDSIM_FINDING_FREE_COUNT,    /* FSINFO says `said` free clusters, there are `found` */
    SDSIM_FINDING_PERCENT,       /* exFAT: says `said` percent in use, there are `found` */
    SDSIM_FINDING_FATS_DIFFER,   /* in `found` sectors, the first is sector `said` of the FAT */
    SDSIM_FINDING_NO_BITMAP,     /* exFAT: the allocation bitmap can't be found */
    SDSIM_FINDING_BITMAP_SPLIT,  /* exFAT: its chain is not contiguous; FatFs refuses the volume */
    SDSIM_FINDING_LOST_CLUSTERS, /* `found` of them in `said` runs, the first at `cluster` */
    /* about a file or directory; `said` is how many clusters its size needs, `found` has */
    SDSIM_FINDING_SHORT,     /* the chain ends before the size does */
    SDSIM_FINDING_LONG,      /* the chain goes on behind the size */
    SDSIM_FINDING_LOOP,      /* the chain comes back to `cluster` */
    SDSIM_FINDING_CROSS,     /* `cluster` belongs to `other`, too */
    SDSIM_FINDING_WILD,      /* `cluster` (0: the directory entry) is followed by no cluster */
    SDSIM_FINDING_UNMARKED,  /* `cluster` is marked as free; exFAT: the first such */
    SDSIM_FINDING_BAD,       /* `cluster` is marked as bad */
    SDSIM_FINDING_CHAIN_CUT, /* the FAT can't be read at `cluster` */
    SDSIM_FINDING_MISSING,   /* `found` clusters lie behind the end of the device */
    SDSIM_FINDING_VALID,     /* exFAT: `said` valid bytes, but the size is `found` */
    /* about a directory */
    SDSIM_FINDING_NO_DOTS,    /* doesn't begin with "." and ".." */
    SDSIM_FINDING_ORPHANS,    /* `found` long-name slots without their entry */
    SDSIM_FINDING_BROKEN_SET, /* exFAT: `found` entry sets that are incomplete or have wrong sums */
    SDSIM_FINDING_TOO_DEEP,   /* is too deep, or its path too long, to be looked into */
    SDSIM_FINDING_KINDS
};

struct sdsim_finding {
    enum sdsim_finding_kind kind;
    uint32_t lba; /* the sector that holds what is wrong: of a FAT, a directory, the boot sector */
    char *path;   /* NULL: it is about the volume */
    char *other;  /* CROSS: the other one; NULL if it isn't known */
    uint32_t cluster;
    uint64_t said;
    uint64_t found;
};

/* "lost-clusters" and so on, for programs. */
const char *sdsim_finding_name(enum sdsim_finding_kind kind);

/* True if data is lost or in danger; false for what is untidy only. */
bool sdsim_finding_is_damage(enum sdsim_finding_kind kind);

struct sdsim_layout_wishes {
    uint32_t au_sectors;  /* size of the card's allocation units, not 0 */
    const char *path;     /* of a file to look at closely; NULL: none. Case is ignored */
    const char *contents; /* name of the image for messages */
};

struct sdsim_layout {
    uint32_t device_sectors;
    uint32_t au_sectors;
    struct sdsim_partition partition;
    struct sdsim_geometry geometry;
    uint32_t serial;
    char label[40]; /* UTF-8; "": none */
    struct sdsim_alignment alignment;
    struct sdsim_layout_space space;
    struct sdsim_layout_tree tree;
    struct sdsim_layout_chosen chosen;
    struct sdsim_finding *findings; /* the first SDSIM_LAYOUT_FINDINGS */
    size_t finding_count;
    uint64_t finding_total;
    uint64_t damage_total; /* of these, those that are damage */
    uint8_t *used;         /* a bit for each cluster, cluster 2 first: allocated */
    uint8_t *reached;      /* belongs to a file, a directory, or the file system */
};

/*
 * Surveys the volume on a disk. NULL with a message in `diags` if there is none, if the file asked
 * for does not exist, or without memory. The result is the caller's; sdsim_layout_destroy frees it
 * and takes NULL, too.
 */
struct sdsim_layout *sdsim_layout_create(const struct sdsim_disk *disk,
                                         const struct sdsim_layout_wishes *wishes,
                                         struct sdsim_diags *diags);
void sdsim_layout_destroy(struct sdsim_layout *layout);

/* How the parts of any volume lie to AUs of `au_sectors`. */
struct sdsim_alignment sdsim_layout_alignment(const struct sdsim_geometry *geometry,
                                              uint32_t au_sectors);

/* First sector of a cluster. */
uint32_t sdsim_layout_lba(const struct sdsim_layout *layout, uint32_t cluster);

/* What structure a sector that a finding points to belongs to: "boot sector", "FAT 1",
 * "directory", ... */
const char *sdsim_layout_structure(const struct sdsim_layout *layout, uint32_t lba);

/* What a sector may be. */
enum sdsim_map_kind {
    SDSIM_MAP_OUTSIDE, /* not in the volume */
    SDSIM_MAP_SYSTEM,  /* everything in front of cluster 2 */
    SDSIM_MAP_FREE,
    SDSIM_MAP_USED,
    SDSIM_MAP_LOST,   /* bad clusters, too */
    SDSIM_MAP_CHOSEN, /* of the file asked for */
    SDSIM_MAP_KINDS
};

/* What is in a piece of the device. */
struct sdsim_map_cell {
    uint32_t sectors[SDSIM_MAP_KINDS]; /* a sector of the chosen file is not counted as used */
};

/* Fills in `count` cells of `cell_sectors` sectors each, from sector 0 on. */
void sdsim_layout_map(const struct sdsim_layout *layout, uint32_t cell_sectors,
                      struct sdsim_map_cell *cells, size_t count);

#endif
