/*
 * Shared by the parts of the survey (layout.c, layout_boot.c, layout_chain.c, layout_path.c,
 * layout_tree.c); nobody else's business.
 */
#ifndef SDSIM_FAT_LAYOUT_INTERNAL_H
#define SDSIM_FAT_LAYOUT_INTERNAL_H

#include "fat/layout.h"

#define SDSIM_SURVEY_PATH 4096u

struct sdsim_fat_page;

/* A survey at work. */
struct sdsim_survey {
    const struct sdsim_disk *disk;
    struct sdsim_layout *layout;
    const char *wanted;           /* path of the chosen file; NULL: none */
    struct sdsim_fat_page *pages; /* cache of the first FAT */
    bool no_memory;
    bool has_bitmap; /* exFAT: layout->used is the volume's bitmap */
    bool hunting;    /* second walk: only looks who owns the clusters of CROSS findings */
    bool collecting; /* the chain at hand is that of the chosen file */
    uint8_t *chosen_aus;
    uint32_t patience; /* clusters of contiguous files that may still be met twice */
    uint32_t unreadable;
    uint32_t unreadable_lba; /* the first */
    uint32_t entry_lba; /* of the directory entry that names the chain at hand; the boot sector's
                           for what is known from there */
    char path[SDSIM_SURVEY_PATH];       /* of the file or directory at hand */
    uint16_t name[SDSIM_NAME_MAX + 14]; /* long name at hand; room for whole slots */
    uint8_t set[SDSIM_SET_MAX];         /* exFAT: the entry set at hand */
};

static inline bool sdsim_bit(const uint8_t *map, uint32_t cluster)
{
    return (map[(cluster - 2) / 8] >> (cluster - 2) % 8 & 1) != 0;
}

static inline void sdsim_bit_set(uint8_t *map, uint32_t cluster)
{
    map[(cluster - 2) / 8] = (uint8_t)(map[(cluster - 2) / 8] | 1u << (cluster - 2) % 8);
}

static inline bool sdsim_survey_valid(const struct sdsim_survey *survey, uint32_t cluster)
{
    return cluster >= 2 && cluster - 2 < survey->layout->geometry.clusters;
}

/* Reads sectors; false if the disk can't. Failures are counted. */
bool sdsim_survey_read(struct sdsim_survey *survey, uint32_t lba, uint32_t count,
                       enum sdsim_purpose purpose, void *out);

/* Adds a finding, about survey->path if `here`; `what` has neither path nor other. Nothing when
 * hunting. */
void sdsim_survey_find(struct sdsim_survey *survey, bool here, const struct sdsim_finding *what);

/* The sector of the first FAT that holds the entry of a cluster, or its first byte; of the bitmap
 * that holds its bit. */
uint32_t sdsim_survey_fat_lba(const struct sdsim_survey *survey, uint32_t cluster);
uint32_t sdsim_survey_bitmap_lba(const struct sdsim_survey *survey, uint32_t cluster);

/* What the FAT says about a cluster. */
enum sdsim_link_kind {
    SDSIM_LINK_NEXT, /* it is followed by another one */
    SDSIM_LINK_END,
    SDSIM_LINK_FREE,
    SDSIM_LINK_BAD,
    SDSIM_LINK_WILD, /* followed by what is no cluster */
    SDSIM_LINK_UNREADABLE,
};
enum sdsim_link_kind sdsim_survey_link(struct sdsim_survey *survey, uint32_t cluster,
                                       uint32_t *next);

/* Sets up the cache of the FAT; false without memory. */
bool sdsim_survey_open_fat(struct sdsim_survey *survey);
void sdsim_survey_close_fat(struct sdsim_survey *survey);

/* A chain as a directory entry describes it, and what came of it. */
struct sdsim_survey_chain {
    uint32_t start; /* first cluster; 0: none */
    bool contiguous;
    bool sized;      /* `wanted` is known */
    uint64_t wanted; /* clusters */
    uint32_t clusters;
    uint32_t fragments;
    uint32_t missing;  /* clusters that don't lie on the device */
    uint32_t unmarked; /* exFAT: clusters that the bitmap says are free */
    uint32_t unmarked_first;
};

/* Follows a chain, marks its clusters as reached and reports what is wrong with it. */
void sdsim_survey_follow(struct sdsim_survey *survey, struct sdsim_survey_chain *chain);

/* Looks at the partition table and the boot sectors; and at what can be judged only at the end. */
void sdsim_survey_boot(struct sdsim_survey *survey);
void sdsim_survey_summary(struct sdsim_survey *survey);

/* Puts a part behind the path; false if there is no room, the path is unchanged then. Characters
 * that are no text are shown as '?'. */
bool sdsim_survey_push_name(struct sdsim_survey *survey, const char *name);

/* Whether the path at hand is the one that was asked for. */
bool sdsim_survey_is_wanted(const struct sdsim_survey *survey);

/* Walks through all directories. */
void sdsim_survey_tree(struct sdsim_survey *survey);

#endif
