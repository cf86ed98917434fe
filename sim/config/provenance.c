#include "config/provenance.h"

#include <stdio.h>
#include <string.h>

#include "config/config.h"
#include "config/key_path.h"
#include "config/value.h"

static const char *const origins[] = {
    [SDSIM_FROM_UNSAID] = "unsaid",         [SDSIM_FROM_PUBLISHED] = "published",
    [SDSIM_FROM_CALCULATED] = "calculated", [SDSIM_FROM_MEASURED] = "measured",
    [SDSIM_FROM_FITTED] = "fitted",         [SDSIM_FROM_ASSUMED] = "assumed",
};

#define ORIGIN_COUNT (sizeof origins / sizeof origins[0])

const char *sdsim_origin_name(enum sdsim_origin origin)
{
    return origins[origin];
}

/* The members of such a map. */
enum member { VALUE, RANGE, FROM, SOURCE, FIT, START, FITTED_TO, MEMBER_COUNT };

static const char *const members[MEMBER_COUNT] = {"value", "range", "from",     "source",
                                                  "fit",   "start", "fitted_to"};

struct reading {
    const char *path;
    struct sdsim_provenance *provenance;
    struct sdsim_diags *diags; /* or NULL */
};

/* Both return false, for the caller to return. */
static bool complain(const struct reading *reading, const struct sdsim_node *node, const char *help,
                     const char *text)
{
    if (reading->diags != NULL) {
        sdsim_node_diag(reading->diags, SDSIM_ERROR, node, help, "%s", text);
    }
    return false;
}

static bool complain_word(const struct reading *reading, const struct sdsim_node *node,
                          const char *expected, const char *closest)
{
    char text[200];
    char help[60];
    snprintf(text, sizeof text, "expected %s, got '%s'", expected, sdsim_shown(node->text).text);
    snprintf(help, sizeof help, "did you mean '%s'?", closest != NULL ? closest : "");
    return complain(reading, node, closest != NULL ? help : NULL, text);
}

static bool unknown_member(const struct reading *reading, const struct sdsim_entry *entry)
{
    const struct sdsim_node place = {.kind = SDSIM_NODE_SCALAR,
                                     .source = entry->source,
                                     .line = entry->line,
                                     .column = entry->column,
                                     .length = (uint32_t)strlen(entry->key),
                                     .text = entry->key};
    char text[400];
    char help[100] = "a value may have value, range, from, source, fit, start and fitted_to";
    const char *closest = sdsim_closest(entry->key, members, MEMBER_COUNT);
    if (closest != NULL) {
        snprintf(help, sizeof help, "did you mean '%s'?", closest);
    }
    snprintf(text, sizeof text, "unknown key '%s' in the value %s", sdsim_shown(entry->key).text,
             reading->path);
    return complain(reading, &place, help, text);
}

static bool read_origin(const struct reading *reading, const struct sdsim_node *node)
{
    for (size_t i = SDSIM_FROM_PUBLISHED; i < ORIGIN_COUNT; i++) {
        if (strcmp(node->text, origins[i]) == 0) {
            reading->provenance->origin = (enum sdsim_origin)i;
            return true;
        }
    }
    return complain_word(reading, node, "one of published, calculated, measured, fitted, assumed",
                         sdsim_closest(node->text, origins + 1, ORIGIN_COUNT - 1));
}

static bool read_fit(const struct reading *reading, const struct sdsim_node *node)
{
    reading->provenance->fit_headline = strcmp(node->text, "headline") == 0;
    return reading->provenance->fit_headline || complain_word(reading, node, "headline", NULL);
}

static bool read_member(const struct reading *reading, const struct sdsim_entry *entry)
{
    const struct sdsim_node *node = entry->value;
    size_t member = 0;
    while (member < MEMBER_COUNT && strcmp(entry->key, members[member]) != 0) {
        member++;
    }
    if (member == MEMBER_COUNT) {
        return unknown_member(reading, entry);
    }
    if (member == VALUE) {
        reading->provenance->value = node; /* its type is checked against the schema */
        return true;
    }
    if (node->kind != SDSIM_NODE_SCALAR) {
        char text[100];
        snprintf(text, sizeof text, "expected a text for '%s', got %s", members[member],
                 sdsim_node_kind_name(node));
        return complain(reading, node, NULL, text);
    }
    switch (member) {
    case RANGE:
        reading->provenance->range = node;
        return true;
    case FROM:
        return read_origin(reading, node);
    case SOURCE:
        reading->provenance->source = node->text;
        return true;
    case START:
        reading->provenance->start = node;
        return true;
    case FITTED_TO:
        reading->provenance->fitted_to = node->text;
        return true;
    default:
        return read_fit(reading, node);
    }
}

bool sdsim_provenance_read(const struct sdsim_node *map, const char *path,
                           struct sdsim_provenance *provenance, struct sdsim_diags *diags)
{
    const struct reading reading = {.path = path, .provenance = provenance, .diags = diags};
    bool fine = true;
    *provenance = (struct sdsim_provenance){0};
    for (size_t i = 0; i < map->count; i++) {
        fine = read_member(&reading, &map->entries[i]) && fine;
    }
    if (provenance->value == NULL) {
        char text[400];
        snprintf(text, sizeof text, "missing key 'value' in the value %s", path);
        return complain(&reading, map, "write it like {value: 200us, range: 150us..300us}", text);
    }
    return fine;
}

/* ------------------------------------------------------------------------- all of a tree --- */

struct visit {
    void (*call)(void *context, const struct sdsim_value_info *info);
    void *context;
    struct sdsim_key_path path;
};

static void visit_map(struct visit *visit, const struct sdsim_schema *schema,
                      const struct sdsim_node *map);

static void visit_value(struct visit *visit, const struct sdsim_key *key,
                        const struct sdsim_node *node)
{
    if (key->type == SDSIM_VALUE_MAP) {
        visit_map(visit, key->schema, node);
        return;
    }
    struct sdsim_provenance from = {.value = node};
    if (node->kind == SDSIM_NODE_MAP) {
        sdsim_provenance_read(node, visit->path.text, &from, NULL);
    }
    if (!key->profile || from.value == NULL || from.value->kind != SDSIM_NODE_SCALAR) {
        return;
    }
    const struct sdsim_value_info info = {.path = visit->path.text,
                                          .key = key,
                                          .node = node,
                                          .value = from.value->text,
                                          .range = from.range != NULL ? from.range->text : NULL,
                                          .origin = from.origin,
                                          .fit_headline = from.fit_headline,
                                          .source = from.source,
                                          .value_node = from.value,
                                          .range_node = from.range,
                                          .start = from.start != NULL ? from.start->text : NULL,
                                          .fitted_to = from.fitted_to};
    visit->call(visit->context, &info);
}

static void visit_map(struct visit *visit, const struct sdsim_schema *schema,
                      const struct sdsim_node *map)
{
    const size_t size = visit->path.size;
    for (size_t i = 0; i < schema->key_count; i++) {
        const struct sdsim_key *key = &schema->keys[i];
        const struct sdsim_node *node = sdsim_node_get(map, key->name);
        if (node == NULL) {
            continue;
        }
        sdsim_key_path_key(&visit->path, key->name);
        if (!key->list) {
            visit_value(visit, key, node);
        } else {
            const bool is_list = node->kind == SDSIM_NODE_LIST;
            const size_t key_size = visit->path.size;
            for (size_t item = 0; item < (is_list ? node->count : 1); item++) {
                sdsim_key_path_item(&visit->path, item);
                visit_value(visit, key, is_list ? node->items[item] : node);
                sdsim_key_path_cut(&visit->path, key_size);
            }
        }
        sdsim_key_path_cut(&visit->path, size);
    }
}

void sdsim_schema_values(const struct sdsim_schema *schema, const struct sdsim_node *node,
                         void (*visit)(void *context, const struct sdsim_value_info *info),
                         void *context)
{
    struct visit state = {.call = visit, .context = context};
    visit_map(&state, schema, node);
}
