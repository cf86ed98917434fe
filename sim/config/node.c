#include "config/config.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sdsim_node *sdsim_node_copy(struct sdsim_config *config, const struct sdsim_node *node)
{
    struct sdsim_node *copy = sdsim_arena_alloc(&config->arena, 1, sizeof *copy);
    if (copy != NULL) {
        *copy = *node;
    }
    return copy;
}

struct sdsim_node *sdsim_config_without(struct sdsim_config *config, const struct sdsim_node *map,
                                        const char *key)
{
    struct sdsim_node *copy = sdsim_node_copy(config, map);
    if (copy == NULL || map->kind != SDSIM_NODE_MAP) {
        return copy;
    }
    copy->count = 0;
    copy->entries = sdsim_arena_alloc(&config->arena, map->count, sizeof *copy->entries);
    if (copy->entries == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < map->count; i++) {
        if (strcmp(map->entries[i].key, key) != 0) {
            copy->entries[copy->count++] = map->entries[i];
        }
    }
    return copy;
}

struct sdsim_entry *sdsim_node_entry(const struct sdsim_node *map, const char *key)
{
    if (map == NULL || map->kind != SDSIM_NODE_MAP) {
        return NULL;
    }
    for (size_t i = 0; i < map->count; i++) {
        if (strcmp(map->entries[i].key, key) == 0) {
            return &map->entries[i];
        }
    }
    return NULL;
}

struct sdsim_node *sdsim_node_get(const struct sdsim_node *map, const char *key)
{
    const struct sdsim_entry *entry = sdsim_node_entry(map, key);
    return entry != NULL ? entry->value : NULL;
}

const char *sdsim_node_text(const struct sdsim_node *map, const char *key)
{
    const struct sdsim_node *value = sdsim_node_get(map, key);
    return value != NULL && value->kind == SDSIM_NODE_SCALAR ? value->text : NULL;
}

void sdsim_node_list_text(const struct sdsim_node *list, char *out, size_t size)
{
    size_t used = (size_t)snprintf(out, size, "[");
    for (size_t i = 0; i < list->count && used < size; i++) {
        const char *text = list->items[i]->text;
        used += (size_t)snprintf(out + used, size - used, "%s%s", i > 0 ? ", " : "",
                                 text != NULL ? text : "...");
    }
    if (used < size) {
        snprintf(out + used, size - used, "]");
    }
}

const char *sdsim_node_kind_name(const struct sdsim_node *node)
{
    switch (node->kind) {
    case SDSIM_NODE_MAP:
        return "a map";
    case SDSIM_NODE_LIST:
        return "a list";
    case SDSIM_NODE_SCALAR:
        break;
    }
    return node->text[0] != '\0' ? "a text" : "nothing";
}

void sdsim_node_diag(struct sdsim_diags *diags, enum sdsim_severity severity,
                     const struct sdsim_node *node, const char *help, const char *format, ...)
{
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const struct sdsim_source *source = node->source;
    const struct sdsim_place place = {
        .file = source->path, .line = node->line, .column = node->column, .length = node->length};
    sdsim_diag_add(diags, severity, &place, source->text, source->size, help, "%s", text);
}

bool sdsim_complain(struct sdsim_diags *diags, const struct sdsim_node *map, const char *key,
                    const char *help, const char *text)
{
    const struct sdsim_node *node = sdsim_node_get(map, key);
    sdsim_node_diag(diags, SDSIM_ERROR, node != NULL ? node : map, help, "%s", text);
    return false;
}

static int compare_entries(const void *a, const void *b)
{
    const struct sdsim_entry *const *left = a;
    const struct sdsim_entry *const *right = b;
    const int order = strcmp((*left)->key, (*right)->key);
    if (order != 0) {
        return order;
    }
    return *left < *right ? -1 : *left > *right;
}

void sdsim_node_sort(const struct sdsim_node *map, const struct sdsim_entry **sorted)
{
    for (size_t i = 0; i < map->count; i++) {
        sorted[i] = &map->entries[i];
    }
    if (map->count > 1) {
        qsort(sorted, map->count, sizeof(const struct sdsim_entry *), compare_entries);
    }
}
