/*
 * Looking at a medium: reading, comparing, and how large it is.
 */
#include <string.h>

#include "flash/medium.h"
#include "flash/medium_state.h"

/* The bytes of the first `count` sectors of a view. */
static void read_view(const struct sdsim_medium *medium, const struct sdsim_extent *view,
                      uint32_t count, uint8_t *out)
{
    const size_t size = (size_t)count * SDSIM_SECTOR;
    switch ((enum sdsim_extent_kind)view->kind) {
    case SDSIM_EXTENT_BYTES:
        memcpy(out, view->at.bytes, size);
        break;
    case SDSIM_EXTENT_GENERATED:
        sdsim_generate(view->at.word, view->detail, out, size);
        break;
    case SDSIM_EXTENT_FILL:
        memset(out, view->detail, size);
        break;
    case SDSIM_EXTENT_IMAGE:
        sdsim_image_read(medium->images[view->image], view->at.page, count, medium->erased, out);
        break;
    }
}

/*
 * A view of what lies at `lba`: a copy of its extent from there on, or, where there is none, erased
 * bytes up to the next one. *spot is where the search for `lba` or a lower sector ended, and is
 * moved on.
 */
static struct sdsim_extent view_at(const struct sdsim_medium *medium, struct sdsim_spot *spot,
                                   uint32_t lba)
{
    const struct sdsim_extent *extent = sdsim_extents_at(&medium->map, *spot);
    while (extent != NULL && sdsim_extent_end(extent) <= lba) {
        *spot = sdsim_extents_next(&medium->map, *spot);
        extent = sdsim_extents_at(&medium->map, *spot);
    }
    if (extent != NULL && extent->lba <= lba) {
        struct sdsim_extent view = *extent;
        sdsim_extent_advance(&view, lba - extent->lba);
        return view;
    }
    const uint32_t end = extent != NULL ? extent->lba : medium->sectors;
    return (struct sdsim_extent){
        .lba = lba, .count = end - lba, .kind = SDSIM_EXTENT_FILL, .detail = medium->erased};
}

void sdsim_medium_read(const struct sdsim_medium *medium, uint32_t lba, uint32_t count, void *out)
{
    sdsim_medium_check(medium, lba, count);
    uint8_t *bytes = out;
    struct sdsim_spot spot = sdsim_extents_find(&medium->map, lba);
    while (count > 0) {
        const struct sdsim_extent view = view_at(medium, &spot, lba);
        const uint32_t part = view.count < count ? view.count : count;
        read_view(medium, &view, part, bytes);
        lba += part;
        count -= part;
        bytes += (size_t)part * SDSIM_SECTOR;
    }
}

bool sdsim_medium_failed(const struct sdsim_medium *medium)
{
    for (uint32_t i = 0; i < medium->image_count; i++) {
        if (sdsim_image_failed(medium->images[i])) {
            return true;
        }
    }
    return false;
}

/* Whether two views show the same content, by what they are; false if only a look at the bytes can
 * tell. Each medium counts its images itself. */
static bool same_views(const struct sdsim_medium *a, const struct sdsim_extent *view_a,
                       const struct sdsim_medium *b, const struct sdsim_extent *view_b)
{
    if (view_a->kind == SDSIM_EXTENT_IMAGE && view_b->kind == SDSIM_EXTENT_IMAGE) {
        return a->images[view_a->image] == b->images[view_b->image] &&
               view_a->at.page == view_b->at.page;
    }
    return sdsim_extent_same(view_a, view_b);
}

/* Whether the first `count` sectors of two views hold the same bytes. */
static bool equal_views(const struct sdsim_medium *a, struct sdsim_extent view_a,
                        const struct sdsim_medium *b, struct sdsim_extent view_b, uint32_t count)
{
    if (same_views(a, &view_a, b, &view_b)) {
        return true;
    }
    uint8_t bytes_a[16 * SDSIM_SECTOR];
    uint8_t bytes_b[sizeof(bytes_a)];
    while (count > 0) {
        const uint32_t most = sizeof(bytes_a) / SDSIM_SECTOR;
        const uint32_t part = count < most ? count : most;
        read_view(a, &view_a, part, bytes_a);
        read_view(b, &view_b, part, bytes_b);
        if (memcmp(bytes_a, bytes_b, (size_t)part * SDSIM_SECTOR) != 0) {
            return false;
        }
        sdsim_extent_advance(&view_a, part);
        sdsim_extent_advance(&view_b, part);
        count -= part;
    }
    return true;
}

bool sdsim_medium_equal(const struct sdsim_medium *a, const struct sdsim_medium *b)
{
    if (a->sectors != b->sectors) {
        return false;
    }
    struct sdsim_spot spot_a = {0};
    struct sdsim_spot spot_b = {0};
    uint32_t lba = 0;
    while (lba < a->sectors) {
        const struct sdsim_extent view_a = view_at(a, &spot_a, lba);
        const struct sdsim_extent view_b = view_at(b, &spot_b, lba);
        const uint32_t count = view_a.count < view_b.count ? view_a.count : view_b.count;
        if (!equal_views(a, view_a, b, view_b, count)) {
            return false;
        }
        lba += count;
    }
    return true;
}

struct sdsim_medium_usage sdsim_medium_usage(const struct sdsim_medium *medium)
{
    const struct sdsim_extents *const map = &medium->map;
    struct sdsim_medium_usage usage = {
        .bytes = sizeof(*medium) + (map->count + map->spare_count) * sizeof(struct sdsim_chunk) +
                 (map->capacity + map->spare_capacity) * sizeof(struct sdsim_chunk *) +
                 medium->image_count * sizeof(struct sdsim_image *),
    };
    for (size_t i = 0; i < map->count; i++) {
        const struct sdsim_chunk *const chunk = map->chunks[i];
        usage.extents += chunk->count;
        for (uint32_t e = 0; e < chunk->count; e++) {
            const struct sdsim_extent *const extent = &chunk->extents[e];
            usage.written += extent->count;
            if (extent->kind == SDSIM_EXTENT_BYTES) {
                usage.bytes += (size_t)sdsim_extent_room(extent->count) * SDSIM_SECTOR;
            }
        }
    }
    return usage;
}
