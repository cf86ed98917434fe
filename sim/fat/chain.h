/*
 * Cluster chains: following, growing and freeing the clusters of a file or directory.
 *
 * On FAT volumes a chain is linked entries of the FAT, and a zero entry is a free cluster. On exFAT
 * a bitmap says what is free, and the FAT is used only for chains that are not contiguous. While a
 * file grows, FatFs keeps what it need not write yet in memory: a contiguous file that becomes
 * fragmented has its first run on no FAT until sync (first_run), and a last run of adjacent
 * clusters is counted and linked later (last_run).
 */
#ifndef SDSIM_FAT_CHAIN_H
#define SDSIM_FAT_CHAIN_H

#include "fat/volume.h"

enum sdsim_chain_state {
    SDSIM_CHAIN_LINKED = 0, /* the FAT is valid (always so on FAT volumes); also an empty file */
    SDSIM_CHAIN_CONTIGUOUS = 2, /* exFAT: no FAT; the value is the flag in the entry set */
    SDSIM_CHAIN_SPLIT = 3,      /* exFAT: became fragmented since its FAT was last written */
};

/* A file or directory as a chain of clusters. */
struct sdsim_object {
    uint32_t start;     /* first cluster, 0: none (or a root directory) */
    uint64_t size;      /* bytes; exFAT contiguous chains end by it */
    uint32_t first_run; /* SPLIT: clusters of the first run, less one */
    uint32_t last_run;  /* exFAT: clusters at the end that are not on the FAT yet, 0: none */
    enum sdsim_chain_state state;
};

/*
 * The entry of `cluster`: its successor, or a value from sdsim_cluster_limit() on at the end of the
 * chain, or 0 for a free cluster. SDSIM_FAT_CORRUPT if `cluster` or the entry is no cluster number.
 */
enum sdsim_fat_result sdsim_chain_next(struct sdsim_volume *volume,
                                       const struct sdsim_object *object, uint32_t cluster,
                                       uint32_t *next);

/*
 * The cluster after `cluster`, allocated if the chain ends there; with `cluster` 0 the first of a
 * new chain (object->start is left to the caller). *next is 0 if the volume is full.
 */
enum sdsim_fat_result sdsim_chain_extend(struct sdsim_volume *volume, struct sdsim_object *object,
                                         uint32_t cluster, uint32_t *next);

/* Frees the chain from `cluster` on; `before` is its predecessor, which becomes the end, or 0. */
enum sdsim_fat_result sdsim_chain_free(struct sdsim_volume *volume, struct sdsim_object *object,
                                       uint32_t cluster, uint32_t before);

/* Allocates `count` clusters in one run for an object without clusters. SDSIM_FAT_DENIED if there
 * is no such run. Sets start and state; the size is the caller's. */
enum sdsim_fat_result sdsim_chain_expand(struct sdsim_volume *volume, struct sdsim_object *object,
                                         uint32_t count);

/* exFAT: puts what is pending on the FAT, `last` being the last cluster. Nothing on FAT volumes. */
enum sdsim_fat_result sdsim_chain_settle_first(struct sdsim_volume *volume,
                                               struct sdsim_object *object);
enum sdsim_fat_result sdsim_chain_settle_last(struct sdsim_volume *volume,
                                              struct sdsim_object *object, uint32_t last,
                                              uint32_t end);
#define SDSIM_CHAIN_END UINT32_MAX /* `end`: the chain ends at `last` */

/* Counts the free clusters by reading the whole FAT or bitmap. */
enum sdsim_fat_result sdsim_chain_count_free(struct sdsim_volume *volume, uint32_t *free_clusters);

#endif
