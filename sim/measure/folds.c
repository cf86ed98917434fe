#include "measure/folds.h"

#include <stdlib.h>
#include <string.h>

#include "core/rng.h"

#define MOST_FOLDS 64

struct source {
    const char *name;
    uint64_t order;
    size_t groups;
    unsigned fold;
};

static int by_order(const void *a, const void *b)
{
    const struct source *x = a;
    const struct source *y = b;
    if (x->order != y->order) {
        return x->order < y->order ? -1 : 1;
    }
    return strcmp(x->name, y->name);
}

static struct source *find(struct source *sources, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(sources[i].name, name) == 0) {
            return &sources[i];
        }
    }
    return NULL;
}

/* Whether record i is the first of its group; a name that two sources use counts for each, so that
 * the order of the records does not matter. */
static bool begins_group(const struct sdsim_measurements *list, size_t i)
{
    const char *group = list->items[i].group;
    for (size_t j = 0; group[0] != '\0' && j < i; j++) {
        if (strcmp(list->items[j].group, group) == 0 &&
            strcmp(list->items[j].source, list->items[i].source) == 0) {
            return false;
        }
    }
    return true;
}

bool sdsim_folds_assign(const struct sdsim_measurements *measurements, unsigned count,
                        uint64_t seed, unsigned *folds)
{
    struct source *sources = calloc(measurements->count + 1, sizeof *sources);
    size_t found = 0;
    size_t sizes[MOST_FOLDS] = {0};
    for (size_t i = 0; sources != NULL && i < measurements->count; i++) {
        const char *name = measurements->items[i].source;
        struct source *source = find(sources, found, name);
        if (source == NULL) {
            source = &sources[found++];
            *source = (struct source){.name = name, .order = sdsim_hash_text(seed, name)};
        }
        source->groups += begins_group(measurements, i);
    }
    if (sources == NULL) {
        return false;
    }
    qsort(sources, found, sizeof *sources, by_order);
    for (size_t s = 0; s < found; s++) {
        unsigned least = 0;
        for (unsigned f = 1; f < count && f < MOST_FOLDS; f++) {
            least = sizes[f] < sizes[least] ? f : least;
        }
        sources[s].fold = least + 1;
        sizes[least] += sources[s].groups;
    }
    for (size_t i = 0; i < measurements->count; i++) {
        folds[i] = find(sources, found, measurements->items[i].source)->fold;
    }
    free(sources);
    return true;
}
