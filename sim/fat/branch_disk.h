/*
 * A disk whose contents branch: what the file system wrote to it since the branch began is kept
 * beside the medium, which does not change.
 *
 * The disk below it takes the time of every call; its medium must be one that forgets what is written
 * (sdsim_medium_forget). Sectors that are written for anything but data are kept here, and reads show
 * them. Data is not: nobody looks at it but the application, so what is read of it is whatever lies
 * on the medium.
 *
 * A copy of a branch costs nothing; what both have is shared until one of them writes. So the runs of
 * a file system that differ a little, a little later, can all go on from where they were alike.
 *
 * Limits: one thread at a time for all branches that share something.
 */
#ifndef SDSIM_FAT_BRANCH_DISK_H
#define SDSIM_FAT_BRANCH_DISK_H

#include "core/digest.h"
#include "fat/disk.h"

struct sdsim_branch_sector;

struct sdsim_branch_row {
    uint32_t lba;
    struct sdsim_branch_sector *sector; /* shared */
};

/* Sectors by LBA, shared by the branches that have the same ones. */
struct sdsim_branch_map;

struct sdsim_branch {
    struct sdsim_branch_map *map;  /* NULL: nothing was written */
    struct sdsim_digest contents;  /* of what the map holds, in whatever order it came */
    const struct sdsim_disk *disk; /* below; not owned */
};

/* The disk of a branch. Both, and the disk below, must outlive it. */
struct sdsim_disk sdsim_branch_disk(struct sdsim_branch *branch);

/* *copy becomes a branch with the same contents; its `disk` is the caller's to set. */
void sdsim_branch_copy(struct sdsim_branch *copy, const struct sdsim_branch *branch);

/* Gives back what the branch has. */
void sdsim_branch_drop(struct sdsim_branch *branch);

/* Sector number `index` of those it holds, by LBA; NULL behind the last. */
const uint8_t *sdsim_branch_sector_at(const struct sdsim_branch *branch, size_t index,
                                      uint32_t *lba);

#endif
