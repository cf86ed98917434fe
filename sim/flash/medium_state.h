/*
 * The inside of a medium, shared by medium.c (changing it), medium_view.c (looking at it) and
 * medium_file.c (image files).
 *
 * A view is a copy of an extent that has been advanced to some sector of it; in a view of bytes the
 * pointer is into the extent's memory.
 */
#ifndef SDSIM_FLASH_MEDIUM_STATE_H
#define SDSIM_FLASH_MEDIUM_STATE_H

#include <assert.h>

#include "flash/extents.h"
#include "flash/image.h"
#include "flash/medium.h"

struct sdsim_medium {
    uint32_t sectors;
    uint8_t erased;
    struct sdsim_extents map;
    struct sdsim_spot hint; /* of the extent written last; may be out of date, so it is checked */
    struct sdsim_image **images; /* a reference each */
    uint32_t image_count;
    bool forgetful; /* writes change nothing */
};

/* The first sector behind an extent. */
static inline uint32_t sdsim_extent_end(const struct sdsim_extent *extent)
{
    return extent->lba + extent->count;
}

static inline void sdsim_medium_check(const struct sdsim_medium *medium, uint32_t lba,
                                      uint32_t count)
{
    (void)medium;
    (void)lba;
    (void)count;
    assert(lba <= medium->sectors && count <= medium->sectors - lba);
}

/* The sectors for which a bytes extent of `count` has memory: a power of two, so that an extent
 * that grows sector by sector is seldom moved. */
uint32_t sdsim_extent_room(uint32_t count);

/* Moves the start of an extent that holds no bytes, or of any view, `skip` sectors up. */
void sdsim_extent_advance(struct sdsim_extent *extent, uint32_t skip);

/* Whether two extents or views of one medium show the same content, by what they are and without a
 * look at bytes. */
bool sdsim_extent_same(const struct sdsim_extent *a, const struct sdsim_extent *b);

/* Puts an extent that holds no bytes over whatever is there. False without memory, nothing changed
 * then. */
bool sdsim_medium_lay(struct sdsim_medium *medium, const struct sdsim_extent *extent);

#endif
