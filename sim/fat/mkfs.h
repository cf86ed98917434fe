/*
 * Making a volume: what a formatter leaves on a card.
 *
 * A plan says where everything goes; writing it puts the structures on the medium and nothing else
 * (the data area stays as it is). Without wishes the plan is that of the SD Association's
 * formatter: FAT12 or FAT16 up to 2 GiB, FAT32 with 32 KiB clusters up to 32 GiB, exFAT with 128
 * KiB clusters above; one partition, whose start and whose data area lie on multiples of the
 * boundary unit (SD Specifications Part 2, File System, 4.1.2: 8 KiB to 64 KiB up to 2 GiB, 4 MiB
 * up to 32 GiB; 16 MiB above). Any other layout can be written by filling in a plan.
 *
 * The volume passes fsck.fat -n or fsck.exfat -n. Its contents depend on the plan alone: no clock.
 *
 * Limits: 512-byte sectors; one partition; no GPT.
 */
#ifndef SDSIM_FAT_MKFS_H
#define SDSIM_FAT_MKFS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/diag.h"
#include "fat/volume.h"
#include "flash/medium.h"

/* What the user asks for. All zero: what suits the capacity. */
struct sdsim_mkfs {
    enum sdsim_fat_type type; /* SDSIM_FAT_UNMOUNTED: by capacity */
    uint32_t cluster_bytes;   /* a power of two from 512 on; 0: by capacity */
    uint8_t fats;             /* 1 or 2; 0: 2 (exFAT has one) */
    bool no_partition;        /* the volume starts in sector 0, without MBR */
    const char *label;        /* ASCII, up to 11 characters; NULL: none */
    uint64_t seed;            /* gives the serial number */
};

/* A complete plan. Sectors are counted from `start` unless said otherwise. */
struct sdsim_mkfs_plan {
    enum sdsim_fat_type type;
    uint32_t start;           /* of the volume, in sectors of the device; 0: no MBR is written */
    uint32_t partition;       /* sectors of the partition */
    uint32_t sectors;         /* of the volume, <= partition */
    uint32_t cluster_sectors; /* power of two; FAT: up to 128 */
    uint32_t clusters;
    uint8_t fats;
    uint32_t fat_offset;   /* first FAT; FAT: also the number of reserved sectors */
    uint32_t fat_sectors;  /* of one FAT */
    uint32_t root_entries; /* FAT12/16: a multiple of 16 */
    uint32_t data_offset;  /* cluster 2 */
    uint8_t media;         /* media byte, 0xF8 for all that isn't a floppy */
    uint8_t mbr_type;      /* partition type in the MBR */
    uint32_t serial;
    char label[12]; /* "": none */
};

/*
 * Makes a plan for a device of `sectors` sectors. False with a message in `diags` if the wishes
 * can't be met (too small, too many or too few clusters for the type, a bad label or cluster size).
 */
bool sdsim_mkfs_plan(struct sdsim_mkfs_plan *plan, const struct sdsim_mkfs *wishes,
                     uint32_t sectors, struct sdsim_diags *diags);

/* Writes the structures of a plan that fits the medium. False without memory. */
bool sdsim_mkfs_write(struct sdsim_medium *medium, const struct sdsim_mkfs_plan *plan);

/* Both at once. */
bool sdsim_mkfs(struct sdsim_medium *medium, const struct sdsim_mkfs *wishes,
                struct sdsim_diags *diags);

#endif
