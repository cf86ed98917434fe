/*
 * The volume as the firmware finds it: fresh, filled, fragmented, with the file that will be read
 * and the directory that will be searched.
 *
 * Everything here happened before, so it takes no time: the volume is mounted on a disk without
 * any. It is made with the same file-system code the firmware uses; file contents are generated, so
 * a full terabyte costs its metadata only.
 *
 * Filling. `fill` is the share of the clusters in use when the workload starts. Without `fragment`
 * it is one run from the start of the volume. With it the whole volume was once filled with two
 * kinds of files, written in turns, piece by piece; then one kind was deleted: what is free is
 * holes, used pieces of about `fragment` bytes between them (half to one and a half of it, by the
 * seed).
 *
 * Who wrote the file to be read: a PC looks for room in one run; a microcontroller takes the next
 * free clusters, so on a fragmented volume its file is in pieces.
 *
 * Limits: pieces are whole clusters; `fill` is met within one piece.
 */
#ifndef SDSIM_WORKLOAD_PREPARE_H
#define SDSIM_WORKLOAD_PREPARE_H

#include "fat/volume.h"
#include "workload/workload.h"

enum sdsim_writer {
    SDSIM_WRITER_MCU,
    SDSIM_WRITER_PC,
};

struct sdsim_preparation {
    uint64_t fill;     /* in 10^-9 of the clusters */
    uint64_t fragment; /* bytes; 0: not fragmented */
    bool fsinfo;       /* FAT32: leave FSINFO as it is; false: free count and hint unknown */
    int writer;        /* enum sdsim_writer */
    uint64_t seed;
};

/* Prepares a mounted volume that takes no time for a workload. SDSIM_FAT_DENIED: no room. The
 * volume is to be unmounted afterwards. */
enum sdsim_fat_result sdsim_workload_prepare(struct sdsim_volume *volume,
                                             const struct sdsim_preparation *preparation,
                                             const struct sdsim_workload_params *params);

#endif
