/*
 * Memory that is given back all at once: what a configuration is made of.
 *
 * Allocations are cut from blocks and live until the arena is emptied; none is freed alone.
 */
#ifndef SDSIM_CONFIG_ARENA_H
#define SDSIM_CONFIG_ARENA_H

#include <stddef.h>

struct sdsim_arena_block;

struct sdsim_arena {
    struct sdsim_arena_block *blocks; /* newest first; all zero is an empty arena */
};

/* `count` elements of `size` bytes, zeroed, aligned for any type. NULL without memory. */
void *sdsim_arena_alloc(struct sdsim_arena *arena, size_t count, size_t size);

/* A copy of `size` bytes with a NUL behind them. NULL without memory. */
char *sdsim_arena_text(struct sdsim_arena *arena, const char *bytes, size_t size);

void sdsim_arena_empty(struct sdsim_arena *arena);

#endif
