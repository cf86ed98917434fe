#include "config/config.h"

#include <stdlib.h>
#include <string.h>

/*
 * A map with `value` is one value with its provenance (config/schema.h). It is replaced whole, so
 * that a new value does not keep the range and the source of the old one.
 */
static bool is_merged(const struct sdsim_node *base, const struct sdsim_node *over)
{
    return base->kind == SDSIM_NODE_MAP && over->kind == SDSIM_NODE_MAP &&
           sdsim_node_get(over, "value") == NULL;
}

/* The entry with this key among the sorted ones, or NULL. */
static const struct sdsim_entry *find_sorted(const struct sdsim_entry *const *sorted, size_t count,
                                             const char *key)
{
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = strcmp(sorted[middle]->key, key);
        if (order == 0) {
            return sorted[middle];
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NULL;
}

/*
 * Fills `merged`, which has room for both maps: first the entries of `base`, each replaced or
 * merged if `over` has it (`over_sorted`), then those only `over` has (`base_sorted` tells).
 */
static bool merge_entries(struct sdsim_config *config, const struct sdsim_node *base,
                          const struct sdsim_node *over,
                          const struct sdsim_entry *const *base_sorted,
                          const struct sdsim_entry *const *over_sorted, struct sdsim_node *merged)
{
    for (size_t i = 0; i < base->count; i++) {
        const struct sdsim_entry *entry = &base->entries[i];
        const struct sdsim_entry *changed = find_sorted(over_sorted, over->count, entry->key);
        struct sdsim_entry *to = &merged->entries[merged->count++];
        *to = changed != NULL ? *changed : *entry;
        if (changed != NULL && is_merged(entry->value, changed->value)) {
            to->value = sdsim_config_overlay(config, entry->value, changed->value);
            if (to->value == NULL) {
                return false;
            }
        }
    }
    for (size_t i = 0; i < over->count; i++) {
        if (find_sorted(base_sorted, base->count, over->entries[i].key) == NULL) {
            merged->entries[merged->count++] = over->entries[i];
        }
    }
    return true;
}

struct sdsim_node *sdsim_config_overlay(struct sdsim_config *config, const struct sdsim_node *base,
                                        const struct sdsim_node *over)
{
    struct sdsim_node *merged = sdsim_node_copy(config, over);
    if (merged == NULL || !is_merged(base, over)) {
        return merged;
    }
    const size_t count = base->count + over->count;
    merged->count = 0;
    merged->entries = sdsim_arena_alloc(&config->arena, count, sizeof *merged->entries);
    const struct sdsim_entry **sorted = calloc(count + 1, sizeof *sorted);
    bool done = false;
    if (merged->entries != NULL && sorted != NULL) {
        sdsim_node_sort(base, sorted);
        sdsim_node_sort(over, sorted + base->count);
        done = merge_entries(config, base, over, sorted, sorted + base->count, merged);
    }
    free(sorted);
    return done ? merged : NULL;
}
