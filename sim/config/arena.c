#include "config/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES 32768
#define ALIGNMENT   _Alignof(max_align_t)

struct sdsim_arena_block {
    struct sdsim_arena_block *next;
    size_t used;
    size_t size;
    _Alignas(max_align_t) unsigned char bytes[];
};

void *sdsim_arena_alloc(struct sdsim_arena *arena, size_t count, size_t size)
{
    size_t total;
    if (__builtin_mul_overflow(count, size, &total) || total > SIZE_MAX / 2) {
        return NULL;
    }
    total = (total + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    struct sdsim_arena_block *block = arena->blocks;
    if (block == NULL || block->size - block->used < total) {
        const size_t room = total > BLOCK_BYTES ? total : BLOCK_BYTES;
        block = calloc(1, sizeof *block + room);
        if (block == NULL) {
            return NULL;
        }
        block->size = room;
        block->next = arena->blocks;
        arena->blocks = block;
    }
    void *memory = block->bytes + block->used;
    block->used += total;
    return memory;
}

char *sdsim_arena_text(struct sdsim_arena *arena, const char *bytes, size_t size)
{
    char *copy = sdsim_arena_alloc(arena, size + 1, 1);
    if (copy != NULL && size > 0) {
        memcpy(copy, bytes, size);
    }
    return copy;
}

void sdsim_arena_empty(struct sdsim_arena *arena)
{
    while (arena->blocks != NULL) {
        struct sdsim_arena_block *next = arena->blocks->next;
        free(arena->blocks);
        arena->blocks = next;
    }
}
