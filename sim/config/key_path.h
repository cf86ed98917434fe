/*
 * Where in a tree one is: "rd1", "costs.chunk_gap", "steps[2].call".
 *
 * The text names values in messages and is what their luck is drawn from. Limit: a path is cut at
 * 255 bytes, which no schema comes near.
 */
#ifndef SDSIM_CONFIG_KEY_PATH_H
#define SDSIM_CONFIG_KEY_PATH_H

#include <stddef.h>
#include <stdio.h>

struct sdsim_key_path {
    char text[256];
    size_t size;
};

static inline void sdsim_key_path_cut(struct sdsim_key_path *path, size_t size)
{
    path->size = size;
    path->text[size] = '\0';
}

/* Goes down to a key of a map, or to an item of a list. sdsim_key_path_cut with the size before
 * comes back up. */
static inline void sdsim_key_path_key(struct sdsim_key_path *path, const char *key)
{
    const size_t room = sizeof path->text - path->size;
    const int size =
        snprintf(path->text + path->size, room, "%s%s", path->size > 0 ? "." : "", key);
    path->size = (size_t)size < room ? path->size + (size_t)size : sizeof path->text - 1;
}

static inline void sdsim_key_path_item(struct sdsim_key_path *path, size_t index)
{
    const size_t room = sizeof path->text - path->size;
    const int size = snprintf(path->text + path->size, room, "[%zu]", index);
    path->size = (size_t)size < room ? path->size + (size_t)size : sizeof path->text - 1;
}

#endif
