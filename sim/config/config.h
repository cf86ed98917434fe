/*
 * What the parts of this folder share: the memory of a configuration, reading a text into a source,
 * and making nodes. Not for other folders; theirs are tree.h and schema.h.
 */
#ifndef SDSIM_CONFIG_CONFIG_H
#define SDSIM_CONFIG_CONFIG_H

#include <stddef.h>

#include "config/arena.h"
#include "config/tree.h"

#define SDSIM_FILE_BYTES  ((size_t)1 << 20) /* largest file */
#define SDSIM_TREE_LEVELS 32                /* maps and lists inside each other */
#define SDSIM_TREE_NODES  100000            /* in one file */

/* The files of one kind, once somebody asked for them. */
struct sdsim_listing {
    struct sdsim_listing *next;
    const char *kind;
    const struct sdsim_profile_file *files;
    size_t count;
};

struct sdsim_config {
    struct sdsim_arena arena;
    const char *data_dir; /* or NULL */
    struct sdsim_listing *listings;
    const struct sdsim_source *files; /* read, the last one first */
};

/* Says that memory ran out; returns NULL for the caller to pass on. */
void *sdsim_config_no_memory(struct sdsim_diags *diags);

/* Reads a file as a source: regular, not too large, text (see sdsim_source_check). */
struct sdsim_source *sdsim_source_read(struct sdsim_config *config, const char *path,
                                       struct sdsim_diags *diags);

/* Makes a source of a copy of `text`; checks it in the same way. */
struct sdsim_source *sdsim_source_copy(struct sdsim_config *config, const char *name,
                                       const char *text, size_t size, struct sdsim_diags *diags);

/*
 * Reads the YAML in a source from byte `start` of its first line on; the positions of the nodes
 * count from the source's first byte. NULL with all errors in `diags`.
 */
struct sdsim_node *sdsim_yaml_read(struct sdsim_config *config, const struct sdsim_source *source,
                                   size_t start, struct sdsim_diags *diags);

/* A node of its own with the same kind, place, text, items and entries. NULL without memory. */
struct sdsim_node *sdsim_node_copy(struct sdsim_config *config, const struct sdsim_node *node);

/*
 * The entries of a map in the order of their keys, those with equal keys in the order of the file;
 * `sorted` has room for map->count of them. For maps too large to be searched key by key.
 */
void sdsim_node_sort(const struct sdsim_node *map, const struct sdsim_entry **sorted);

/* The entry of `key` in a map, or NULL. */
struct sdsim_entry *sdsim_node_entry(const struct sdsim_node *map, const char *key);

/* "a map", "a list", "a text" or "nothing" (an empty scalar), for messages. */
const char *sdsim_node_kind_name(const struct sdsim_node *node);

#endif
