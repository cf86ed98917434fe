#include "report/inputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/provenance.h"

#define LONGEST_PATH 200

const char *sdsim_input_group_name(enum sdsim_input_group group)
{
    static const char *const names[] = {"scenario", "host", "driver", "card"};
    return names[group];
}

/* ---- the list ---- */

/* The next item, zeroed, with a path; NULL without memory. */
static struct sdsim_input_value *add(struct sdsim_inputs *inputs, enum sdsim_input_group group,
                                     const char *path)
{
    if (inputs->count == inputs->capacity) {
        const size_t capacity = 2 * inputs->capacity + 64;
        struct sdsim_input_value *items = realloc(inputs->items, capacity * sizeof *items);
        if (items == NULL) {
            inputs->failed = true;
            return NULL;
        }
        inputs->items = items;
        inputs->capacity = capacity;
    }
    struct sdsim_input_value *item = &inputs->items[inputs->count];
    *item = (struct sdsim_input_value){.group = group, .path = strdup(path)};
    if (item->path == NULL) {
        inputs->failed = true;
        return NULL;
    }
    inputs->count++;
    return item;
}

static void set_value(struct sdsim_inputs *inputs, struct sdsim_input_value *item, const char *text)
{
    item->value = strdup(text);
    inputs->failed = inputs->failed || item->value == NULL;
}

void sdsim_inputs_free(struct sdsim_inputs *inputs)
{
    for (size_t i = 0; i < inputs->count; i++) {
        free(inputs->items[i].path);
        free(inputs->items[i].value);
    }
    free(inputs->items);
    *inputs = (struct sdsim_inputs){.items = NULL};
}

const struct sdsim_input_value *sdsim_inputs_find(const struct sdsim_inputs *inputs,
                                                  const char *path)
{
    for (size_t i = 0; i < inputs->count; i++) {
        if (strcmp(inputs->items[i].path, path) == 0) {
            return &inputs->items[i];
        }
    }
    return NULL;
}

bool sdsim_inputs_add(struct sdsim_inputs *inputs, const char *path, const char *value)
{
    enum sdsim_input_group group = SDSIM_INPUT_SCENARIO;
    for (int g = SDSIM_INPUT_HOST; g < SDSIM_INPUT_GROUPS; g++) {
        const char *name = sdsim_input_group_name((enum sdsim_input_group)g);
        if (strncmp(path, name, strlen(name)) == 0 && path[strlen(name)] == '.') {
            group = (enum sdsim_input_group)g;
        }
    }
    struct sdsim_input_value *item = add(inputs, group, path);
    if (item != NULL) {
        set_value(inputs, item, value);
    }
    return !inputs->failed;
}

/* ---- trees ---- */

static bool is_set(const struct sdsim_node *node)
{
    return node != NULL && node->source != NULL && strcmp(node->source->path, "--set") == 0;
}

static bool is_left_out(const char *path)
{
    static const char *const keys[] = {"kind",   "base",     "name", "description", "source",
                                       "runs",   "measured", "id",   "tolerance",   "headline",
                                       "strict", "board",    "host", "driver",      "card"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (strcmp(keys[i], path) == 0) {
            return true;
        }
    }
    return false;
}

static void add_leaf(struct sdsim_inputs *inputs, enum sdsim_input_group group, const char *path,
                     const struct sdsim_node *node)
{
    struct sdsim_provenance value = {.value = node};
    char text[300] = "";
    if (node->kind == SDSIM_NODE_MAP) {
        (void)sdsim_provenance_read(node, path, &value, NULL);
    }
    struct sdsim_input_value *item = add(inputs, group, path);
    if (item == NULL) {
        return;
    }
    if (value.value != NULL && value.value->kind == SDSIM_NODE_LIST) {
        sdsim_node_list_text(value.value, text, sizeof text);
    } else if (value.value != NULL && value.value->text != NULL) {
        snprintf(text, sizeof text, "%s", value.value->text);
    }
    set_value(inputs, item, text);
    item->range = value.range != NULL ? value.range->text : NULL;
    item->origin = is_set(value.value)                 ? "set"
                   : value.origin != SDSIM_FROM_UNSAID ? sdsim_origin_name(value.origin)
                                                       : NULL;
    item->fit_headline = value.fit_headline;
    item->source = value.source;
}

/* Leaf by leaf, with maps inside of maps by their paths. Depth is limited by that of files. */
static void add_map(struct sdsim_inputs *inputs, enum sdsim_input_group group, const char *path,
                    const struct sdsim_node *map)
{
    for (size_t i = 0; i < map->count; i++) {
        const struct sdsim_entry *entry = &map->entries[i];
        char below[LONGEST_PATH];
        snprintf(below, sizeof below, "%s%s%s", path, path[0] != '\0' ? "." : "", entry->key);
        if (group == SDSIM_INPUT_SCENARIO && is_left_out(below)) {
            continue;
        }
        if (entry->value->kind == SDSIM_NODE_MAP && sdsim_node_get(entry->value, "value") == NULL) {
            add_map(inputs, group, below, entry->value);
        } else {
            add_leaf(inputs, group, below, entry->value);
        }
    }
}

/* ---- profiles ---- */

static void add_info(void *context, enum sdsim_profile_kind kind,
                     const struct sdsim_value_info *info)
{
    static const enum sdsim_input_group groups[] = {
        [SDSIM_PROFILE_HOST] = SDSIM_INPUT_HOST,
        [SDSIM_PROFILE_DRIVER] = SDSIM_INPUT_DRIVER,
        [SDSIM_PROFILE_CARD] = SDSIM_INPUT_CARD,
    };
    struct sdsim_inputs *inputs = context;
    char path[LONGEST_PATH];
    snprintf(path, sizeof path, "%s.%s", sdsim_input_group_name(groups[kind]), info->path);
    if (sdsim_inputs_find(inputs, path) != NULL) {
        return;
    }
    struct sdsim_input_value *item = add(inputs, groups[kind], path);
    if (item != NULL) {
        const bool set = is_set(info->value_node);
        set_value(inputs, item, info->value != NULL ? info->value : "");
        item->range = info->range;
        item->origin = set                                 ? "set"
                       : info->origin != SDSIM_FROM_UNSAID ? sdsim_origin_name(info->origin)
                                                           : NULL;
        item->fit_headline = info->fit_headline && !set;
        item->source = info->source;
    }
}

/* What a profile says beside its values with provenance: how it works. */
static void add_plain(struct sdsim_inputs *inputs, enum sdsim_input_group group,
                      const struct sdsim_node *profile)
{
    static const char *const for_people[] = {"kind", "base", "name", "description", "source"};
    for (size_t i = 0; profile != NULL && i < profile->count; i++) {
        const struct sdsim_entry *entry = &profile->entries[i];
        bool skip = entry->value->kind == SDSIM_NODE_MAP;
        for (size_t k = 0; k < sizeof for_people / sizeof *for_people; k++) {
            skip = skip || strcmp(for_people[k], entry->key) == 0;
        }
        char path[LONGEST_PATH];
        snprintf(path, sizeof path, "%s.%s", sdsim_input_group_name(group), entry->key);
        if (!skip && sdsim_inputs_find(inputs, path) == NULL) {
            add_leaf(inputs, group, path, entry->value);
        }
    }
}

bool sdsim_inputs_of(const struct sdsim_run *run, struct sdsim_inputs *inputs)
{
    *inputs = (struct sdsim_inputs){.items = NULL};
    add_map(inputs, SDSIM_INPUT_SCENARIO, "", run->tree);
    sdsim_run_values(run, add_info, inputs);
    add_plain(inputs, SDSIM_INPUT_HOST, run->host);
    add_plain(inputs, SDSIM_INPUT_DRIVER, run->driver);
    add_plain(inputs, SDSIM_INPUT_CARD, run->card);
    return !inputs->failed;
}
