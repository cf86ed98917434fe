#include "flash/extents.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void sdsim_extents_free(struct sdsim_extents *map)
{
    for (size_t i = 0; i < map->count; i++) {
        free(map->chunks[i]);
    }
    for (size_t i = 0; i < map->spare_count; i++) {
        free(map->spares[i]);
    }
    free(map->chunks);
    free(map->spares);
    *map = (struct sdsim_extents){0};
}

/* Grows a list of chunk pointers to hold `wanted`. */
static bool grow(struct sdsim_chunk ***list, size_t *capacity, size_t wanted)
{
    if (wanted <= *capacity) {
        return true;
    }
    size_t larger = *capacity < 8 ? 8 : *capacity;
    while (larger < wanted) {
        larger += larger / 2;
    }
    struct sdsim_chunk **const grown = realloc(*list, larger * sizeof(**list));
    if (grown == NULL) {
        return false;
    }
    *list = grown;
    *capacity = larger;
    return true;
}

bool sdsim_extents_reserve(struct sdsim_extents *map, size_t n)
{
    /* One for the first chunk of all or the first split; after a split, the half put into has room
     * for half a chunk. */
    const size_t wanted = 1 + n / (SDSIM_CHUNK_EXTENTS / 2);
    if (!grow(&map->spares, &map->spare_capacity, wanted) ||
        !grow(&map->chunks, &map->capacity, map->count + wanted)) {
        return false;
    }
    while (map->spare_count < wanted) {
        struct sdsim_chunk *const chunk = malloc(sizeof(*chunk));
        if (chunk == NULL) {
            return false;
        }
        map->spares[map->spare_count++] = chunk;
    }
    while (map->spare_count > wanted) { /* left over from a larger need */
        free(map->spares[--map->spare_count]);
    }
    return true;
}

static uint64_t end_of(const struct sdsim_extent *extent)
{
    return (uint64_t)extent->lba + extent->count;
}

static const struct sdsim_extent *last_of(const struct sdsim_chunk *chunk)
{
    return &chunk->extents[chunk->count - 1];
}

struct sdsim_spot sdsim_extents_find(const struct sdsim_extents *map, uint32_t lba)
{
    size_t low = 0;
    size_t high = map->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (end_of(last_of(map->chunks[middle])) > lba) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    if (low == map->count) {
        return (struct sdsim_spot){.chunk = low, .index = 0};
    }
    const struct sdsim_chunk *const chunk = map->chunks[low];
    uint32_t first = 0;
    uint32_t behind = chunk->count;
    while (first < behind) {
        const uint32_t middle = first + (behind - first) / 2;
        if (end_of(&chunk->extents[middle]) > lba) {
            behind = middle;
        } else {
            first = middle + 1;
        }
    }
    return (struct sdsim_spot){.chunk = low, .index = first};
}

struct sdsim_extent *sdsim_extents_at(const struct sdsim_extents *map, struct sdsim_spot spot)
{
    return spot.chunk < map->count ? &map->chunks[spot.chunk]->extents[spot.index] : NULL;
}

struct sdsim_spot sdsim_extents_next(const struct sdsim_extents *map, struct sdsim_spot spot)
{
    if (spot.index + 1 < map->chunks[spot.chunk]->count) {
        return (struct sdsim_spot){.chunk = spot.chunk, .index = spot.index + 1};
    }
    return (struct sdsim_spot){.chunk = spot.chunk + 1, .index = 0};
}

bool sdsim_extents_back(const struct sdsim_extents *map, struct sdsim_spot *spot)
{
    if (spot->index > 0) {
        spot->index--;
        return true;
    }
    if (spot->chunk == 0) {
        return false;
    }
    spot->chunk--;
    spot->index = map->chunks[spot->chunk]->count - 1;
    return true;
}

/* Puts a spare chunk into the directory at place `at`, empty. */
static struct sdsim_chunk *add_chunk(struct sdsim_extents *map, size_t at)
{
    assert(map->spare_count > 0 && map->count < map->capacity);
    struct sdsim_chunk *const chunk = map->spares[--map->spare_count];
    chunk->count = 0;
    memmove(&map->chunks[at + 1], &map->chunks[at], (map->count - at) * sizeof(*map->chunks));
    map->chunks[at] = chunk;
    map->count++;
    return chunk;
}

/* Splits the full chunk of `spot` in halves; returns where the spot lies then. */
static struct sdsim_spot split(struct sdsim_extents *map, struct sdsim_spot spot)
{
    const uint32_t half = SDSIM_CHUNK_EXTENTS / 2;
    struct sdsim_chunk *const right = add_chunk(map, spot.chunk + 1);
    struct sdsim_chunk *const left = map->chunks[spot.chunk];
    memcpy(right->extents, left->extents + half, half * sizeof(*left->extents));
    left->count = half;
    right->count = half;
    if (spot.index > half) {
        return (struct sdsim_spot){.chunk = spot.chunk + 1, .index = spot.index - half};
    }
    return spot;
}

static bool full(const struct sdsim_extents *map, size_t chunk)
{
    return map->chunks[chunk]->count == SDSIM_CHUNK_EXTENTS;
}

struct sdsim_spot sdsim_extents_insert(struct sdsim_extents *map, struct sdsim_spot spot,
                                       const struct sdsim_extent *extent)
{
    if (spot.index == 0 && spot.chunk > 0 && !full(map, spot.chunk - 1)) {
        /* Between two chunks: behind the last of the left one. */
        spot.chunk--;
        spot.index = map->chunks[spot.chunk]->count;
    } else if (spot.chunk == map->count) {
        add_chunk(map, spot.chunk);
    } else if (full(map, spot.chunk)) {
        spot = split(map, spot);
    }
    struct sdsim_chunk *const chunk = map->chunks[spot.chunk];
    memmove(&chunk->extents[spot.index + 1], &chunk->extents[spot.index],
            (chunk->count - spot.index) * sizeof(*chunk->extents));
    chunk->extents[spot.index] = *extent;
    chunk->count++;
    return spot;
}

/* Frees the chunks [from, to) and closes the gap in the directory. */
static void drop_chunks(struct sdsim_extents *map, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        free(map->chunks[i]);
    }
    memmove(&map->chunks[from], &map->chunks[to], (map->count - to) * sizeof(*map->chunks));
    map->count -= to - from;
}

/* Joins chunk `at` with the one behind it if both are small. */
static void join(struct sdsim_extents *map, size_t at)
{
    if (at + 1 >= map->count) {
        return;
    }
    struct sdsim_chunk *const left = map->chunks[at];
    const struct sdsim_chunk *const right = map->chunks[at + 1];
    if (left->count + right->count <= SDSIM_CHUNK_EXTENTS / 2) {
        memcpy(&left->extents[left->count], right->extents, right->count * sizeof(*right->extents));
        left->count += right->count;
        drop_chunks(map, at + 1, at + 2);
    }
}

/* Takes the extents [from, to) out of one chunk, which may become empty. */
static void cut_chunk(struct sdsim_chunk *chunk, uint32_t from, uint32_t to)
{
    memmove(&chunk->extents[from], &chunk->extents[to],
            (chunk->count - to) * sizeof(*chunk->extents));
    chunk->count -= to - from;
}

void sdsim_extents_remove(struct sdsim_extents *map, struct sdsim_spot from, struct sdsim_spot to)
{
    if (from.chunk == to.chunk) {
        if (from.index == to.index) {
            return;
        }
        cut_chunk(map->chunks[from.chunk], from.index, to.index);
    } else {
        map->chunks[from.chunk]->count = from.index;
        if (to.index > 0) {
            cut_chunk(map->chunks[to.chunk], 0, to.index);
        }
        drop_chunks(map, from.chunk + 1, to.chunk);
    }
    if (map->chunks[from.chunk]->count == 0) {
        drop_chunks(map, from.chunk, from.chunk + 1);
    }
    join(map, from.chunk);
    if (from.chunk > 0) {
        join(map, from.chunk - 1);
    }
}
