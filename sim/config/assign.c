/*
 * path=value.
 *
 * A tree may share nodes with others (what is inherited is not copied), so everything on the way
 * from the root to the changed value is replaced by a copy; only the root itself is changed in
 * place.
 */
#include "config/config.h"

#include <stdio.h>
#include <string.h>

/* One step of a path: the key at `text`, or an index. */
struct step {
    const char *text; /* in the assignment */
    size_t size;
    bool is_index;
    size_t index;
};

struct assignment {
    struct sdsim_config *config;
    struct sdsim_diags *diags;
    const struct sdsim_source *source; /* the whole "path=value" */
    const char *path_end;              /* the '=' */
    struct sdsim_node *value;
    unsigned steps; /* taken so far */
};

static void complain(const struct assignment *assignment, const char *at, size_t size,
                     const char *help, const char *text)
{
    const struct sdsim_source *source = assignment->source;
    const struct sdsim_place place = {.file = source->path,
                                      .line = 1,
                                      .column = (uint32_t)(at - source->text + 1),
                                      .length = (uint32_t)size};
    sdsim_diag_add(assignment->diags, SDSIM_ERROR, &place, source->text, source->size, help, "%s",
                   text);
}

/* Reads "[n]" at *at and moves behind it. */
static bool read_index(const struct assignment *assignment, const char **at, struct step *step)
{
    const char *digit = *at + 1;
    step->text = *at;
    step->is_index = true;
    for (; *digit >= '0' && *digit <= '9' && step->index <= SDSIM_TREE_NODES; digit++) {
        step->index = step->index * 10 + (size_t)(*digit - '0');
    }
    if (*digit != ']' || digit == *at + 1) {
        complain(assignment, *at, 1, "write [0] for the first item",
                 "expected a number in brackets");
        return false;
    }
    step->size = (size_t)(digit + 1 - *at);
    *at = digit + 1;
    return true;
}

/* Reads the step at *at, "key", ".key" or "[n]", and moves behind it; false after a message. */
static bool read_step(const struct assignment *assignment, const char **at, struct step *step)
{
    *step = (struct step){0};
    if (**at == '[' && *at > assignment->source->text) {
        return read_index(assignment, at, step);
    }
    if (**at == '.' && *at > assignment->source->text) {
        (*at)++;
    }
    step->text = *at;
    step->size = strcspn(*at, ".[=");
    if (step->size == 0) {
        complain(assignment, *at, 1, "write it like 'card.rd1=200us'", "expected a key");
        return false;
    }
    *at += step->size;
    return true;
}

static bool step_is(const struct step *step, const char *key)
{
    return strlen(key) == step->size && strncmp(step->text, key, step->size) == 0;
}

/* A node that stands in the assignment, at a step. */
static struct sdsim_node *node_at(const struct assignment *assignment, enum sdsim_node_kind kind,
                                  const struct step *step)
{
    struct sdsim_node *node = sdsim_arena_alloc(&assignment->config->arena, 1, sizeof *node);
    if (node == NULL) {
        return sdsim_config_no_memory(assignment->diags);
    }
    node->kind = kind;
    node->source = assignment->source;
    node->line = 1;
    node->column = (uint32_t)(step->text - assignment->source->text + 1);
    node->length = (uint32_t)step->size;
    return node;
}

/* The map a key is set in: a copy of `old`, with room for one more entry; or a new one, which holds
 * the scalar that stood there as its base, or its value if the key says something about a value. */
static struct sdsim_node *map_for(const struct assignment *assignment, const struct sdsim_node *old,
                                  const struct step *step)
{
    struct sdsim_node *map = old != NULL && old->kind == SDSIM_NODE_MAP
                                 ? sdsim_node_copy(assignment->config, old)
                                 : node_at(assignment, SDSIM_NODE_MAP, step);
    if (map == NULL) {
        return sdsim_config_no_memory(assignment->diags);
    }
    struct sdsim_entry *entries =
        sdsim_arena_alloc(&assignment->config->arena, map->count + 2, sizeof *entries);
    if (entries == NULL) {
        return sdsim_config_no_memory(assignment->diags);
    }
    if (map->count > 0) {
        memcpy(entries, map->entries, map->count * sizeof *entries);
    }
    map->entries = entries;
    if (old != NULL && old->kind == SDSIM_NODE_SCALAR && old->text[0] != '\0') {
        const bool of_value =
            step_is(step, "range") || step_is(step, "from") || step_is(step, "fit");
        entries[map->count++] =
            (struct sdsim_entry){.key = of_value ? "value" : "base",
                                 .source = old->source,
                                 .line = old->line,
                                 .column = old->column,
                                 .value = sdsim_node_copy(assignment->config, old)};
        if (entries[0].value == NULL) {
            return sdsim_config_no_memory(assignment->diags);
        }
    }
    return map;
}

static struct sdsim_node *set_in(struct assignment *assignment, const struct sdsim_node *old,
                                 const char *at);

static struct sdsim_node *set_key(struct assignment *assignment, const struct sdsim_node *old,
                                  const struct step *step, const char *rest)
{
    if (old != NULL && old->kind == SDSIM_NODE_LIST) {
        complain(assignment, step->text, step->size, "choose an item with [n], the first is [0]",
                 "what stands here is a list, it has no keys");
        return NULL;
    }
    struct sdsim_node *map = map_for(assignment, old, step);
    const char *key = sdsim_arena_text(&assignment->config->arena, step->text, step->size);
    if (map == NULL || key == NULL) {
        return map == NULL ? NULL : sdsim_config_no_memory(assignment->diags);
    }
    struct sdsim_entry *entry = sdsim_node_entry(map, key);
    if (entry == NULL) {
        entry = &map->entries[map->count++];
    }
    struct sdsim_node *value = set_in(assignment, entry->value, rest);
    *entry = (struct sdsim_entry){.key = key,
                                  .source = assignment->source,
                                  .line = 1,
                                  .column = (uint32_t)(step->text - assignment->source->text + 1),
                                  .value = value};
    return value != NULL ? map : NULL;
}

/* Changes an item of a list; a scalar or a map is a list of one. */
static struct sdsim_node *set_item(struct assignment *assignment, const struct sdsim_node *old,
                                   const struct step *step, const char *rest)
{
    const bool is_list = old != NULL && old->kind == SDSIM_NODE_LIST;
    const size_t count = is_list ? old->count : old != NULL;
    if (step->index >= count) {
        char text[80];
        snprintf(text, sizeof text, "there %s %zu %s, the first is [0]", count == 1 ? "is" : "are",
                 count, count == 1 ? "item" : "items");
        complain(assignment, step->text, step->size, NULL, text);
        return NULL;
    }
    struct sdsim_node *list = is_list ? sdsim_node_copy(assignment->config, old)
                                      : node_at(assignment, SDSIM_NODE_LIST, step);
    struct sdsim_node **items = sdsim_arena_alloc(&assignment->config->arena, count, sizeof *items);
    if (list == NULL || items == NULL) {
        return sdsim_config_no_memory(assignment->diags);
    }
    if (is_list) {
        memcpy(items, old->items, count * sizeof *items);
    }
    const struct sdsim_node *item = is_list ? old->items[step->index] : old;
    list->items = items;
    list->count = count;
    items[step->index] = set_in(assignment, item, rest);
    return items[step->index] != NULL ? list : NULL;
}

/* What replaces `old`, which may be NULL, when the path from `at` on is set. NULL after a message.
 */
static struct sdsim_node *set_in(struct assignment *assignment, const struct sdsim_node *old,
                                 const char *at)
{
    if (at == assignment->path_end && assignment->steps > 0) {
        return assignment->value;
    }
    struct step step;
    if (assignment->steps++ == SDSIM_TREE_LEVELS) {
        complain(assignment, at, 1, NULL, "more than 32 keys in one path");
        return NULL;
    }
    if (!read_step(assignment, &at, &step)) {
        return NULL;
    }
    return step.is_index ? set_item(assignment, old, &step, at)
                         : set_key(assignment, old, &step, at);
}

bool sdsim_config_set(struct sdsim_config *config, struct sdsim_node *root, const char *assignment,
                      struct sdsim_diags *diags)
{
    struct assignment set = {.config = config, .diags = diags};
    set.source = sdsim_source_copy(config, "--set", assignment, strlen(assignment), diags);
    if (set.source == NULL) {
        return false;
    }
    const size_t path_size = strcspn(set.source->text, "=");
    set.path_end = set.source->text + path_size;
    if (*set.path_end == '\0' || set.path_end[1] == '\0') {
        complain(&set, set.source->text, path_size, "write it like 'card.rd1=200us'",
                 *set.path_end == '\0' ? "expected path=value"
                                       : "there is no value behind the '='");
        return false;
    }
    set.value = sdsim_yaml_read(config, set.source, path_size + 1, diags);
    const struct sdsim_node *changed =
        set.value != NULL ? set_in(&set, root, set.source->text) : NULL;
    if (changed == NULL) {
        return false;
    }
    *root = *changed;
    return true;
}

/* Steps of the path: 1 for "card=NAME", 2 for "card.rd1=200us". */
static unsigned depth_of(const char *assignment)
{
    unsigned depth = 1;
    for (const char *at = assignment; *at != '\0' && *at != '='; at++) {
        depth += *at == '.' || *at == '[';
    }
    return depth < SDSIM_TREE_LEVELS ? depth : SDSIM_TREE_LEVELS;
}

bool sdsim_config_set_all(struct sdsim_config *config, struct sdsim_node *root,
                          const char *const *assignments, struct sdsim_diags *diags)
{
    bool fine = true;
    for (unsigned depth = 1; depth <= SDSIM_TREE_LEVELS; depth++) {
        for (size_t i = 0; assignments[i] != NULL; i++) {
            if (depth_of(assignments[i]) == depth) {
                fine = sdsim_config_set(config, root, assignments[i], diags) && fine;
            }
        }
    }
    return fine;
}
