#include "flash/medium.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "flash/medium_state.h"

/*
 * Bytes extents are kept this small, in sectors: joining two copies one of them, and 16 KiB keep
 * that cheap, while 24 bytes of bookkeeping per 16 KiB do not matter.
 */
#define MOST_BYTES 32u

/* Words of generated content in a sector. */
#define SECTOR_WORDS (SDSIM_SECTOR / 8)

uint32_t sdsim_extent_room(uint32_t count)
{
    uint32_t room = 1;
    while (room < count) {
        room *= 2;
    }
    return room;
}

static uint8_t *bytes_alloc(uint32_t count)
{
    return malloc((size_t)sdsim_extent_room(count) * SDSIM_SECTOR);
}

/* Makes room for `count` sectors in a bytes extent that holds extent->count. False without memory.
 */
static bool bytes_grow(struct sdsim_extent *extent, uint32_t count)
{
    if (sdsim_extent_room(count) > sdsim_extent_room(extent->count)) {
        uint8_t *const grown =
            realloc(extent->at.bytes, (size_t)sdsim_extent_room(count) * SDSIM_SECTOR);
        if (grown == NULL) {
            return false;
        }
        extent->at.bytes = grown;
    }
    return true;
}

/* Keeps only the first `count` sectors of an extent. */
static void keep_head(struct sdsim_extent *extent, uint32_t count)
{
    extent->count = count;
    if (extent->kind == SDSIM_EXTENT_BYTES) {
        uint8_t *const shrunk =
            realloc(extent->at.bytes, (size_t)sdsim_extent_room(count) * SDSIM_SECTOR);
        if (shrunk != NULL) { /* else it stays larger than it need be */
            extent->at.bytes = shrunk;
        }
    }
}

void sdsim_extent_advance(struct sdsim_extent *extent, uint32_t skip)
{
    extent->lba += skip;
    extent->count -= skip;
    switch ((enum sdsim_extent_kind)extent->kind) {
    case SDSIM_EXTENT_BYTES:
        extent->at.bytes += (size_t)skip * SDSIM_SECTOR;
        break;
    case SDSIM_EXTENT_GENERATED:
        extent->at.word += (uint64_t)skip * SECTOR_WORDS;
        break;
    case SDSIM_EXTENT_IMAGE:
        extent->at.page += skip;
        break;
    case SDSIM_EXTENT_FILL:
        break;
    }
}

bool sdsim_extent_same(const struct sdsim_extent *a, const struct sdsim_extent *b)
{
    if (a->kind != b->kind) {
        return false;
    }
    switch ((enum sdsim_extent_kind)a->kind) {
    case SDSIM_EXTENT_BYTES:
        return a->at.bytes == b->at.bytes;
    case SDSIM_EXTENT_GENERATED:
        return a->at.word == b->at.word && a->detail == b->detail;
    case SDSIM_EXTENT_IMAGE:
        return a->at.page == b->at.page && a->image == b->image;
    case SDSIM_EXTENT_FILL:
        return a->detail == b->detail;
    }
    return false;
}

/* Whether `right` starts where `left` ends and its content goes on there. */
static bool continues(const struct sdsim_extent *left, const struct sdsim_extent *right)
{
    if (sdsim_extent_end(left) != right->lba || left->kind == SDSIM_EXTENT_BYTES) {
        return false;
    }
    struct sdsim_extent after = *left;
    sdsim_extent_advance(&after, left->count);
    return sdsim_extent_same(&after, right);
}

struct sdsim_medium *sdsim_medium_create(uint32_t sectors, uint8_t erased)
{
    assert(sectors > 0);
    struct sdsim_medium *const medium = calloc(1, sizeof(*medium));
    if (medium != NULL) {
        medium->sectors = sectors;
        medium->erased = erased;
    }
    return medium;
}

static void release(struct sdsim_extent *extent)
{
    if (extent->kind == SDSIM_EXTENT_BYTES) {
        free(extent->at.bytes);
    }
}

void sdsim_medium_destroy(struct sdsim_medium *medium)
{
    if (medium == NULL) {
        return;
    }
    struct sdsim_spot spot = {0};
    struct sdsim_extent *extent;
    while ((extent = sdsim_extents_at(&medium->map, spot)) != NULL) {
        release(extent);
        spot = sdsim_extents_next(&medium->map, spot);
    }
    sdsim_extents_free(&medium->map);
    for (uint32_t i = 0; i < medium->image_count; i++) {
        sdsim_image_release(medium->images[i]);
    }
    free(medium->images);
    free(medium);
}

/* Appends a copy of an extent, with its own bytes. */
static bool copy_extent(struct sdsim_medium *medium, const struct sdsim_extent *extent)
{
    struct sdsim_extent twin = *extent;
    if (!sdsim_extents_reserve(&medium->map, 1)) {
        return false;
    }
    if (twin.kind == SDSIM_EXTENT_BYTES) {
        twin.at.bytes = bytes_alloc(twin.count);
        if (twin.at.bytes == NULL) {
            return false;
        }
        memcpy(twin.at.bytes, extent->at.bytes, (size_t)twin.count * SDSIM_SECTOR);
    }
    const struct sdsim_spot end = {.chunk = medium->map.count, .index = 0};
    sdsim_extents_insert(&medium->map, end, &twin);
    return true;
}

static bool copy_into(struct sdsim_medium *twin, const struct sdsim_medium *medium)
{
    if (medium->image_count > 0) {
        twin->images = malloc(medium->image_count * sizeof(struct sdsim_image *));
        if (twin->images == NULL) {
            return false;
        }
    }
    for (; twin->image_count < medium->image_count; twin->image_count++) {
        twin->images[twin->image_count] = sdsim_image_share(medium->images[twin->image_count]);
    }
    struct sdsim_spot spot = {0};
    const struct sdsim_extent *extent;
    while ((extent = sdsim_extents_at(&medium->map, spot)) != NULL) {
        if (!copy_extent(twin, extent)) {
            return false;
        }
        spot = sdsim_extents_next(&medium->map, spot);
    }
    return true;
}

struct sdsim_medium *sdsim_medium_copy(const struct sdsim_medium *medium)
{
    struct sdsim_medium *const twin = sdsim_medium_create(medium->sectors, medium->erased);
    if (twin != NULL && !copy_into(twin, medium)) {
        sdsim_medium_destroy(twin);
        return NULL;
    }
    return twin;
}

void sdsim_medium_forget(struct sdsim_medium *medium)
{
    medium->forgetful = true;
}

uint32_t sdsim_medium_sectors(const struct sdsim_medium *medium)
{
    return medium->sectors;
}

/*
 * Gathers all memory that cutting [.., end) and putting `n` extents there may take: places in the
 * map, and a buffer for what a bytes extent that reaches over `end` keeps behind it.
 */
static bool prepare(struct sdsim_medium *medium, uint32_t end, size_t n, uint8_t **tail)
{
    *tail = NULL;
    const struct sdsim_extent *const last =
        sdsim_extents_at(&medium->map, sdsim_extents_find(&medium->map, end));
    if (last != NULL && last->lba < end && last->kind == SDSIM_EXTENT_BYTES) {
        *tail = bytes_alloc(sdsim_extent_end(last) - end);
        if (*tail == NULL) {
            return false;
        }
    }
    if (!sdsim_extents_reserve(&medium->map, n + 1)) { /* + 1: cutting the middle out of one */
        free(*tail);
        return false;
    }
    return true;
}

/* What is left of an extent from sector `end` on. Bytes are copied to `tail`. */
static struct sdsim_extent part_behind(const struct sdsim_extent *extent, uint32_t end,
                                       uint8_t *tail)
{
    struct sdsim_extent part = *extent;
    sdsim_extent_advance(&part, end - extent->lba);
    if (part.kind == SDSIM_EXTENT_BYTES) {
        memcpy(tail, part.at.bytes, (size_t)part.count * SDSIM_SECTOR);
        part.at.bytes = tail;
    }
    return part;
}

/* Empties [lba, end); prepare() has been called and its `tail` goes to the map, if there is one. */
static void cut(struct sdsim_medium *medium, uint32_t lba, uint32_t end, uint8_t *tail)
{
    struct sdsim_extents *const map = &medium->map;
    struct sdsim_spot spot = sdsim_extents_find(map, lba);
    struct sdsim_extent *extent = sdsim_extents_at(map, spot);
    if (extent == NULL || extent->lba >= end) {
        return;
    }
    if (extent->lba < lba) {
        const uint32_t extent_end = sdsim_extent_end(extent);
        struct sdsim_extent rest;
        if (extent_end > end) {
            rest = part_behind(extent, end, tail);
        }
        keep_head(extent, lba - extent->lba);
        spot = sdsim_extents_next(map, spot);
        if (extent_end > end) {
            sdsim_extents_insert(map, spot, &rest);
            return;
        }
    }
    const struct sdsim_spot from = spot;
    while ((extent = sdsim_extents_at(map, spot)) != NULL && sdsim_extent_end(extent) <= end) {
        release(extent);
        spot = sdsim_extents_next(map, spot);
    }
    if (extent != NULL && extent->lba < end) {
        const struct sdsim_extent rest = part_behind(extent, end, tail);
        release(extent);
        *extent = rest;
    }
    sdsim_extents_remove(map, from, spot);
}

/* Joins the two extents that meet at sector `border`, if they go together and, for bytes, the sum
 * is small enough and memory suffices. */
static void join(struct sdsim_medium *medium, uint32_t border)
{
    struct sdsim_extents *const map = &medium->map;
    const struct sdsim_spot spot = sdsim_extents_find(map, border);
    const struct sdsim_extent *const right = sdsim_extents_at(map, spot);
    struct sdsim_spot before = spot;
    if (right == NULL || right->lba != border || !sdsim_extents_back(map, &before)) {
        return;
    }
    struct sdsim_extent *const left = sdsim_extents_at(map, before);
    if (left->kind == SDSIM_EXTENT_BYTES) {
        if (right->kind != SDSIM_EXTENT_BYTES || sdsim_extent_end(left) != border ||
            left->count + right->count > MOST_BYTES ||
            !bytes_grow(left, left->count + right->count)) {
            return;
        }
        memcpy(left->at.bytes + (size_t)left->count * SDSIM_SECTOR, right->at.bytes,
               (size_t)right->count * SDSIM_SECTOR);
        free(right->at.bytes);
    } else if (!continues(left, right)) {
        return;
    }
    left->count += right->count;
    sdsim_extents_remove(map, spot, sdsim_extents_next(map, spot));
}

/* Puts `n` extents, one behind the other, over whatever is there. On success the map owns their
 * bytes. False without memory, nothing changed then. */
static bool put(struct sdsim_medium *medium, const struct sdsim_extent *extents, size_t n)
{
    struct sdsim_extents *const map = &medium->map;
    const uint32_t lba = extents[0].lba;
    const uint32_t end = sdsim_extent_end(&extents[n - 1]);
    uint8_t *tail;
    if (!prepare(medium, end, n, &tail)) {
        return false;
    }
    cut(medium, lba, end, tail);
    struct sdsim_spot spot = sdsim_extents_find(map, lba);
    for (size_t i = 0; i < n; i++) {
        spot = sdsim_extents_next(map, sdsim_extents_insert(map, spot, &extents[i]));
    }
    join(medium, end);
    join(medium, lba);
    medium->hint = sdsim_extents_find(map, end - 1);
    return true;
}

/* The spot of the extent that ends at `lba`, first of all the one written last. */
static bool find_left(const struct sdsim_medium *medium, uint32_t lba, struct sdsim_spot *spot)
{
    const struct sdsim_extents *const map = &medium->map;
    *spot = medium->hint;
    if (spot->chunk < map->count && spot->index < map->chunks[spot->chunk]->count &&
        sdsim_extent_end(sdsim_extents_at(map, *spot)) == lba) {
        return true;
    }
    *spot = sdsim_extents_find(map, lba);
    return sdsim_extents_back(map, spot) && sdsim_extent_end(sdsim_extents_at(map, *spot)) == lba;
}

/*
 * The short way for content that goes on where the extent before it ends: that extent becomes
 * longer, at the cost of the next one if that is a longer run of anything but bytes. False if it
 * isn't so simple; nothing changed then.
 */
static bool lengthen(struct sdsim_medium *medium, const struct sdsim_extent *extent)
{
    struct sdsim_extents *const map = &medium->map;
    struct sdsim_spot spot;
    if (!find_left(medium, extent->lba, &spot)) {
        return false;
    }
    struct sdsim_extent *const left = sdsim_extents_at(map, spot);
    if (!continues(left, extent)) {
        return false;
    }
    const uint32_t end = sdsim_extent_end(extent);
    struct sdsim_extent *const right = sdsim_extents_at(map, sdsim_extents_next(map, spot));
    if (right != NULL && right->lba <= end) {
        if (right->kind == SDSIM_EXTENT_BYTES ? right->lba < end : sdsim_extent_end(right) <= end) {
            return false;
        }
        struct sdsim_extent rest = *right;
        sdsim_extent_advance(&rest, end - right->lba);
        if (continues(extent, &rest)) {
            return false; /* the two grow together; that is put()'s business */
        }
        *right = rest;
    }
    left->count += extent->count;
    medium->hint = spot;
    return true;
}

/* The same for bytes, which must not reach the next extent and fit in with the ones before them. */
static bool lengthen_bytes(struct sdsim_medium *medium, uint32_t lba, uint32_t count,
                           const uint8_t *bytes)
{
    struct sdsim_extents *const map = &medium->map;
    struct sdsim_spot spot;
    if (count > MOST_BYTES || !find_left(medium, lba, &spot)) {
        return false;
    }
    struct sdsim_extent *const left = sdsim_extents_at(map, spot);
    const struct sdsim_extent *const right = sdsim_extents_at(map, sdsim_extents_next(map, spot));
    if (left->kind != SDSIM_EXTENT_BYTES || left->count + count > MOST_BYTES ||
        (right != NULL && right->lba <= lba + count) || !bytes_grow(left, left->count + count)) {
        return false;
    }
    memcpy(left->at.bytes + (size_t)left->count * SDSIM_SECTOR, bytes,
           (size_t)count * SDSIM_SECTOR);
    left->count += count;
    medium->hint = spot;
    return true;
}

/* Writes bytes over bytes, where one extent holds the whole range. */
static bool overwrite(struct sdsim_medium *medium, uint32_t lba, uint32_t count,
                      const uint8_t *bytes)
{
    const struct sdsim_extent *const extent =
        sdsim_extents_at(&medium->map, sdsim_extents_find(&medium->map, lba));
    if (extent == NULL || extent->kind != SDSIM_EXTENT_BYTES || extent->lba > lba ||
        sdsim_extent_end(extent) - lba < count) {
        return false;
    }
    memcpy(extent->at.bytes + (size_t)(lba - extent->lba) * SDSIM_SECTOR, bytes,
           (size_t)count * SDSIM_SECTOR);
    return true;
}

/* Cuts bytes into extents of at most MOST_BYTES; the caller has room for all. False without memory,
 * nothing is kept then. */
static bool chop(struct sdsim_extent *extents, uint32_t lba, uint32_t count, const uint8_t *bytes)
{
    size_t n = 0;
    while (count > 0) {
        const uint32_t part = count < MOST_BYTES ? count : MOST_BYTES;
        uint8_t *const copy = bytes_alloc(part);
        if (copy == NULL) {
            while (n > 0) {
                free(extents[--n].at.bytes);
            }
            return false;
        }
        memcpy(copy, bytes, (size_t)part * SDSIM_SECTOR);
        extents[n++] = (struct sdsim_extent){
            .lba = lba, .count = part, .at.bytes = copy, .kind = SDSIM_EXTENT_BYTES};
        lba += part;
        count -= part;
        bytes += (size_t)part * SDSIM_SECTOR;
    }
    return true;
}

static bool write_bytes(struct sdsim_medium *medium, uint32_t lba, uint32_t count,
                        const uint8_t *bytes)
{
    if (overwrite(medium, lba, count, bytes) || lengthen_bytes(medium, lba, count, bytes)) {
        return true;
    }
    const size_t n = (count - 1) / MOST_BYTES + 1;
    struct sdsim_extent single;
    struct sdsim_extent *const extents = n == 1 ? &single : malloc(n * sizeof(*extents));
    bool done = false;
    if (extents != NULL && chop(extents, lba, count, bytes)) {
        done = put(medium, extents, n);
        for (size_t i = 0; !done && i < n; i++) {
            free(extents[i].at.bytes);
        }
    }
    if (extents != &single) {
        free(extents);
    }
    return done;
}

bool sdsim_medium_lay(struct sdsim_medium *medium, const struct sdsim_extent *extent)
{
    return lengthen(medium, extent) || put(medium, extent, 1);
}

bool sdsim_medium_write(struct sdsim_medium *medium, uint32_t lba, uint32_t count,
                        const struct sdsim_content *content)
{
    sdsim_medium_check(medium, lba, count);
    if (count == 0 || medium->forgetful) {
        return true;
    }
    struct sdsim_extent extent = {.lba = lba, .count = count};
    switch (content->kind) {
    case SDSIM_CONTENT_BYTES:
        return write_bytes(medium, lba, count, content->bytes);
    case SDSIM_CONTENT_GENERATED:
        extent.kind = SDSIM_EXTENT_GENERATED;
        extent.at.word = content->seed + content->offset / 8;
        extent.detail = (uint8_t)(content->offset % 8);
        break;
    case SDSIM_CONTENT_FILL:
        extent.kind = SDSIM_EXTENT_FILL;
        extent.detail = content->fill;
        break;
    }
    return sdsim_medium_lay(medium, &extent);
}

bool sdsim_medium_erase(struct sdsim_medium *medium, uint32_t lba, uint32_t count)
{
    sdsim_medium_check(medium, lba, count);
    if (count == 0) {
        return true;
    }
    uint8_t *tail;
    if (!prepare(medium, lba + count, 0, &tail)) {
        return false;
    }
    cut(medium, lba, lba + count, tail);
    return true;
}
