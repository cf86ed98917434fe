/*
 * Files as trees: YAML read through libyaml's event API into nodes that remember where they stood.
 *
 * A tree has scalars, lists and maps, nothing else: every scalar is text until a schema
 * (config/schema.h) says what it means, so none of YAML's implicit types exist here. Anchors,
 * aliases, tags and merge keys are refused. Files are limited to 1 MiB, 32 levels and 100000 nodes;
 * a key may stand once in a map. All of that is reported with file:line:column.
 *
 * Inheritance: a map with the key `base` takes everything it does not say itself from the profile
 * named there, map by map; lists, scalars and maps with the key `value` (one value with its origin)
 * are replaced whole. A profile is looked for by name (NAME.yaml) beside the file that names it,
 * then in the folder of its kind under the data directory; files of another kind and the file
 * itself are passed over. A name with a '/' or ending in .yaml is a path relative to the file that
 * names it. A cycle is an error that shows the chain.
 *
 * All nodes and texts belong to the struct sdsim_config and live until it is destroyed; nothing is
 * given back before. A config is for one thread at a time.
 */
#ifndef SDSIM_CONFIG_TREE_H
#define SDSIM_CONFIG_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/diag.h"

/* A file, or another text such as the argument of --set, that nodes come from. */
struct sdsim_source {
    const char *path; /* as given: file name, or "--set" */
    const char *text;
    size_t size;
    const struct sdsim_source *next; /* of the files of a config, the one read before this */
};

enum sdsim_node_kind {
    SDSIM_NODE_SCALAR,
    SDSIM_NODE_LIST,
    SDSIM_NODE_MAP,
};

struct sdsim_entry;

struct sdsim_node {
    enum sdsim_node_kind kind;
    const struct sdsim_source *source;
    uint32_t line;               /* from 1 */
    uint32_t column;             /* from 1, in bytes */
    uint32_t length;             /* of the text on that line */
    const char *text;            /* SCALAR */
    struct sdsim_node **items;   /* LIST */
    struct sdsim_entry *entries; /* MAP, in the order of the file */
    size_t count;
};

struct sdsim_entry {
    const char *key;
    const struct sdsim_source *source; /* of the key */
    uint32_t line;
    uint32_t column;
    struct sdsim_node *value;
};

struct sdsim_config;

/* `data_dir` is where cards/ and scenarios/ lie (the repository, or the installed copy); may be
 * NULL. NULL without memory. */
struct sdsim_config *sdsim_config_create(const char *data_dir);
void sdsim_config_destroy(struct sdsim_config *config);

/* Reads one file, or a text under the name `name`. NULL, with all errors in `diags`, if it is no
 * acceptable tree. An empty file is an error. */
struct sdsim_node *sdsim_config_parse(struct sdsim_config *config, const char *path,
                                      struct sdsim_diags *diags);
struct sdsim_node *sdsim_config_parse_text(struct sdsim_config *config, const char *name,
                                           const char *text, size_t size,
                                           struct sdsim_diags *diags);

/* The files read so far, the last one first; a file may be there twice. NULL: none. */
const struct sdsim_source *sdsim_config_files(const struct sdsim_config *config);

/*
 * Loads the profile `name` of a kind ("card", "host", "driver", "board", "scenario"), with all it
 * inherits. `named_by` is the node that names it (for messages and relative paths), or NULL: then a
 * path is relative to the working directory. Checks that the file says `kind: KIND`. NULL on error.
 */
struct sdsim_node *sdsim_config_profile(struct sdsim_config *config, const char *kind,
                                        const char *name, const struct sdsim_node *named_by,
                                        struct sdsim_diags *diags);

/*
 * What a reference to a profile means: a scalar names it; a map with `base` is that profile with
 * changes; a map without `base` is the profile itself. Returns the merged map, NULL on error.
 */
struct sdsim_node *sdsim_config_resolve(struct sdsim_config *config, const char *kind,
                                        const struct sdsim_node *reference,
                                        struct sdsim_diags *diags);

/* A new tree: `over` laid over `base` by the rules of inheritance. Neither is changed. NULL without
 * memory. */
struct sdsim_node *sdsim_config_overlay(struct sdsim_config *config, const struct sdsim_node *base,
                                        const struct sdsim_node *over);

/* A copy of a map without one key. NULL without memory. */
struct sdsim_node *sdsim_config_without(struct sdsim_config *config, const struct sdsim_node *map,
                                        const char *key);

/* Zeroed memory that lives as long as the config, for what is made from its trees. NULL without. */
void *sdsim_config_alloc(struct sdsim_config *config, size_t count, size_t size);

/* A copy of a text that lives as long as the config. NULL without memory. */
const char *sdsim_config_text(struct sdsim_config *config, const char *text);

/*
 * Changes one value: `assignment` is "path=value", the path with dots for maps and [n] for items of
 * lists ("card.rd1=200us", "workload.call=[4KiB, 32KiB]"). The value is YAML (flow style). A scalar
 * on the way that stands where a map is needed becomes {base: SCALAR}, so card.rd1 works on
 * `card: NAME`; in front of range, from or fit it becomes {value: SCALAR}. Trees that share nodes
 * with `root` are not changed. Whether the path means anything is for the schema to say; its
 * messages then name "--set".
 */
bool sdsim_config_set(struct sdsim_config *config, struct sdsim_node *root, const char *assignment,
                      struct sdsim_diags *diags);

/*
 * Makes all of the assignments (NULL at the end), whole things before what is inside of them: with
 * "card.rd1=200us" and "card=NAME" it is that card with that value, whichever comes first. Of two that
 * set the same the later holds. False after messages.
 */
bool sdsim_config_set_all(struct sdsim_config *config, struct sdsim_node *root,
                          const char *const *assignments, struct sdsim_diags *diags);

/* The value of `key` in a map, or NULL; `map` may be NULL or no map. */
struct sdsim_node *sdsim_node_get(const struct sdsim_node *map, const char *key);

/* The text of the scalar `key` in a map, or NULL. */
const char *sdsim_node_text(const struct sdsim_node *map, const char *key);

/* A list on one line, cut to `size` - 1 bytes: "[14, 13, 27]"; what is no scalar in it is "...". */
void sdsim_node_list_text(const struct sdsim_node *list, char *out, size_t size);

/* Adds a message that points at a node, with its source line. `help` may be NULL. */
void sdsim_node_diag(struct sdsim_diags *diags, enum sdsim_severity severity,
                     const struct sdsim_node *node, const char *help, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* One complaint: `key` of `map` is the place, or `map` if it has no such key. Always false. */
bool sdsim_complain(struct sdsim_diags *diags, const struct sdsim_node *map, const char *key,
                    const char *help, const char *text);

/* All files with `kind: KIND` the search path knows, sorted by name. For `list` and did-you-mean.
 */
struct sdsim_profile_file {
    const char *name; /* without .yaml */
    const char *path;
};
size_t sdsim_config_list(struct sdsim_config *config, const char *kind,
                         const struct sdsim_profile_file **files);

/* The closest of `count` words to `word`, or NULL if none is near (edit distance at most a third of
 * the length, transpositions count one). */
const char *sdsim_closest(const char *word, const char *const *words, size_t count);

#endif
