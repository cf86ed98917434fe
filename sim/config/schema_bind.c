/*
 * Checking a tree against a schema and filling the parameter structure, in one walk.
 *
 * The walk goes on after an error, so that one run tells all that is wrong. What a schema's table
 * says about one value is in value.c; here are maps, lists, provenance and places.
 */
#include <stdio.h>
#include <string.h>

#include "config/config.h"
#include "config/key_path.h"
#include "config/provenance.h"
#include "config/ranges.h"
#include "config/schema.h"
#include "config/value.h"

struct binder {
    struct sdsim_config *config;
    struct sdsim_diags *diags;
    const char *profile;
    const struct sdsim_draw *draw;
    struct sdsim_ranges *ranges; /* to be noted, or NULL */
    const unsigned char *base;   /* of the structure they are noted for */
    unsigned lists;              /* the walk is inside so many */
    struct sdsim_key_path path;
};

/* One map to be read: which schema, where it stands, where its values go. */
struct target {
    const struct sdsim_schema *schema;
    const struct sdsim_node *map;   /* NULL: the map is missing, fallbacks only */
    const struct sdsim_node *place; /* what a message about the whole map points at */
    unsigned char *out;
};

static bool bind_map(struct binder *binder, const struct target *target);

/* "bus", "steps[1]", or the schema's name for the file as a whole. */
static const char *place_name(const struct binder *binder, const struct sdsim_schema *schema)
{
    return binder->path.size > 0 ? binder->path.text : schema->name;
}

static bool complain(const struct binder *binder, const struct sdsim_node *node,
                     const struct sdsim_complaint *complaint)
{
    sdsim_node_diag(binder->diags, SDSIM_ERROR, node,
                    complaint->help[0] != '\0' ? complaint->help : NULL, "%s", complaint->text);
    return false;
}

static bool wrong_type(const struct binder *binder, const struct sdsim_node *node,
                       const struct sdsim_key *key)
{
    char expected[300];
    sdsim_value_expected(key, expected, sizeof expected);
    sdsim_node_diag(binder->diags, SDSIM_ERROR, node, NULL, "expected %s, got %s", expected,
                    sdsim_node_kind_name(node));
    return false;
}

/* ------------------------------------------------------------------------------- values --- */

static size_t size_of(const struct sdsim_key *key)
{
    switch (key->type) {
    case SDSIM_VALUE_NUMBER:
        return sizeof(double);
    case SDSIM_VALUE_BOOL:
        return sizeof(bool);
    case SDSIM_VALUE_CHOICE:
        return sizeof(int);
    case SDSIM_VALUE_TEXT:
        return sizeof(const char *);
    case SDSIM_VALUE_MAP:
        return key->schema->size;
    case SDSIM_VALUE_PROFILE:
        return sizeof(const struct sdsim_node *);
    case SDSIM_VALUE_QUANTITY:
        return sizeof(struct sdsim_quantity);
    default:
        return sizeof(uint64_t);
    }
}

/* Reads the range of a value that goes to `out` and, unless this is draw 0, draws from it. */
static bool bind_range(const struct binder *binder, const struct sdsim_key *key,
                       const struct sdsim_provenance *from, struct sdsim_scalar *value,
                       const unsigned char *out)
{
    struct sdsim_ranged ranged = {.key = key};
    struct sdsim_complaint complaint;
    if (!sdsim_value_is_number(key->type)) {
        sdsim_node_diag(binder->diags, SDSIM_ERROR, from->range, NULL,
                        "only a number can have a range");
        return false;
    }
    if (!sdsim_value_parse_range(key, from->range->text, &ranged.low, &ranged.high, &complaint)) {
        return complain(binder, from->range, &complaint);
    }
    if (!sdsim_value_within(key, value, &ranged.low, &ranged.high)) {
        sdsim_node_diag(binder->diags, SDSIM_ERROR, from->range, NULL,
                        "the range %s does not hold the value %s",
                        sdsim_shown(from->range->text).text, sdsim_shown(from->value->text).text);
        return false;
    }
    ranged.value = *value;
    ranged.path = binder->path.text;
    if (binder->ranges != NULL && binder->lists > 0) {
        binder->ranges->in_lists = true;
    } else if (binder->ranges != NULL) {
        ranged.offset = (size_t)(out - binder->base);
        if (!sdsim_ranges_add(binder->config, binder->ranges, &ranged)) {
            sdsim_config_no_memory(binder->diags);
            return false;
        }
    }
    if (binder->draw->k > 0) {
        *value = sdsim_ranged_draw(&ranged, binder->profile, binder->draw);
    }
    return true;
}

/* A value of one of the types that value.c reads, plain or with its provenance. */
static bool bind_scalar(const struct binder *binder, const struct sdsim_key *key,
                        const struct sdsim_node *node, void *out)
{
    struct sdsim_provenance from = {.value = node};
    bool fine = true;
    if (key->profile && node->kind == SDSIM_NODE_MAP) {
        fine = sdsim_provenance_read(node, binder->path.text, &from, binder->diags);
    }
    if (from.value == NULL) {
        return false;
    }
    if (from.value->kind != SDSIM_NODE_SCALAR) {
        return wrong_type(binder, from.value, key);
    }
    struct sdsim_scalar value;
    struct sdsim_complaint complaint;
    if (!sdsim_value_parse(key, from.value->text, &value, &complaint)) {
        return complain(binder, from.value, &complaint);
    }
    fine = (from.range == NULL || bind_range(binder, key, &from, &value, out)) && fine;
    struct sdsim_scalar start;
    if (from.start != NULL && !sdsim_value_parse(key, from.start->text, &start, &complaint)) {
        fine = complain(binder, from.start, &complaint);
    }
    sdsim_scalar_store(key, &value, out);
    return fine;
}

static bool bind_text(const struct binder *binder, const struct sdsim_key *key,
                      const struct sdsim_node *node, void *out)
{
    struct sdsim_provenance from = {.value = node};
    bool fine = true;
    if (key->profile && node->kind == SDSIM_NODE_MAP) {
        fine = sdsim_provenance_read(node, binder->path.text, &from, binder->diags);
    }
    if (from.range != NULL) {
        sdsim_node_diag(binder->diags, SDSIM_ERROR, from.range, NULL,
                        "only a number can have a range");
        fine = false;
    }
    if (from.value == NULL) {
        return false;
    }
    if (from.value->kind != SDSIM_NODE_SCALAR) {
        return wrong_type(binder, from.value, key);
    }
    memcpy(out, &from.value->text, sizeof from.value->text);
    return fine;
}

static bool bind_reference(const struct binder *binder, const struct sdsim_key *key,
                           const struct sdsim_node *node, void *out)
{
    const bool empty = node->kind == SDSIM_NODE_SCALAR && node->text[0] == '\0';
    if (node->kind == SDSIM_NODE_LIST || empty) {
        return wrong_type(binder, node, key);
    }
    memcpy(out, &node, sizeof node);
    return true;
}

/* Reads one value of a key, or one item of its list; `place` is for a map as a whole. */
static bool bind_value(struct binder *binder, const struct sdsim_key *key,
                       const struct sdsim_node *node, const struct sdsim_node *place, void *out)
{
    switch (key->type) {
    case SDSIM_VALUE_MAP:
        return bind_map(
            binder,
            &(struct target){.schema = key->schema, .map = node, .place = place, .out = out});
    case SDSIM_VALUE_TEXT:
        return bind_text(binder, key, node, out);
    case SDSIM_VALUE_PROFILE:
        return bind_reference(binder, key, node, out);
    default:
        return bind_scalar(binder, key, node, out);
    }
}

static bool bind_list(struct binder *binder, const struct sdsim_key *key,
                      const struct sdsim_node *node, const struct sdsim_node *place, void *out)
{
    const bool is_list = node->kind == SDSIM_NODE_LIST;
    const struct sdsim_list list = {
        .count = is_list ? node->count : 1,
        .items =
            sdsim_arena_alloc(&binder->config->arena, is_list ? node->count : 1, size_of(key))};
    if (list.items == NULL) {
        sdsim_config_no_memory(binder->diags);
        return false;
    }
    if (list.count == 0 && key->required) {
        sdsim_node_diag(binder->diags, SDSIM_ERROR, place, NULL, "the list '%s' is empty",
                        key->name);
        return false;
    }
    const size_t size = binder->path.size;
    bool fine = true;
    binder->lists++;
    for (size_t i = 0; i < list.count; i++) {
        const struct sdsim_node *item = is_list ? node->items[i] : node;
        sdsim_key_path_item(&binder->path, i);
        fine = bind_value(binder, key, item, is_list ? item : place,
                          (unsigned char *)list.items + i * size_of(key)) &&
               fine;
        sdsim_key_path_cut(&binder->path, size);
    }
    binder->lists--;
    memcpy(out, &list, sizeof list);
    return fine;
}

/* ------------------------------------------------------------------------------- maps --- */

/* A node at the key of an entry, for messages. */
static struct sdsim_node node_of_key(const struct sdsim_entry *entry)
{
    return (struct sdsim_node){.kind = SDSIM_NODE_SCALAR,
                               .source = entry->source,
                               .line = entry->line,
                               .column = entry->column,
                               .length = (uint32_t)strlen(entry->key),
                               .text = entry->key};
}

static const struct sdsim_key *find_key(const struct sdsim_schema *schema, const char *name)
{
    for (size_t i = 0; i < schema->key_count; i++) {
        if (strcmp(schema->keys[i].name, name) == 0) {
            return &schema->keys[i];
        }
    }
    return NULL;
}

static const char *const common_keys[] = {"kind", "base", "name", "description", "source"};

#define COMMON_KEYS (sizeof common_keys / sizeof common_keys[0])

static bool is_common_key(const char *name)
{
    for (size_t i = 0; i < COMMON_KEYS; i++) {
        if (strcmp(common_keys[i], name) == 0) {
            return true;
        }
    }
    return false;
}

/* The keys every file may have hold a text; `source` may hold several. */
static bool check_common_key(const struct binder *binder, const struct sdsim_entry *entry)
{
    const struct sdsim_node *value = entry->value;
    const bool may_be_list = strcmp(entry->key, "source") == 0;
    bool fine = value->kind == SDSIM_NODE_SCALAR || (may_be_list && value->kind == SDSIM_NODE_LIST);
    for (size_t i = 0; fine && value->kind == SDSIM_NODE_LIST && i < value->count; i++) {
        fine = value->items[i]->kind == SDSIM_NODE_SCALAR;
    }
    if (!fine) {
        sdsim_node_diag(
            binder->diags, SDSIM_ERROR, value, NULL, "expected a text%s for '%s', got %s",
            may_be_list ? " or a list of texts" : "", entry->key,
            value->kind == SDSIM_NODE_LIST && may_be_list ? "a list of other things"
                                                          : sdsim_node_kind_name(value));
    }
    return fine;
}

/* Appends " NAME", or ", NAME" behind another; ", ..." where there is no room for it and more. Returns how
 * long the text is; `size`: it is full. */
static size_t append_name(char *text, size_t size, size_t used, bool first, const char *name)
{
    const char *const comma = first ? "" : ",";
    if (used >= size) {
        return size;
    }
    if (used + strlen(name) + sizeof ", , ..." > size) {
        snprintf(text + used, size - used, "%s ...", comma);
        return size;
    }
    return used + (size_t)snprintf(text + used, size - used, "%s %s", comma, name);
}

/* Names the closest key, or, if none is near, those there are. */
static void suggest_key(const struct sdsim_schema *schema, bool top, const char *name, char *help,
                        size_t size)
{
    const char *names[128];
    size_t count = 0;
    for (size_t i = 0; i < schema->key_count && count + COMMON_KEYS < 128; i++) {
        names[count++] = schema->keys[i].name;
    }
    const size_t own = count;
    for (size_t i = 0; top && i < COMMON_KEYS; i++) {
        names[count++] = common_keys[i];
    }
    const char *closest = sdsim_closest(name, names, count);
    if (closest != NULL) {
        snprintf(help, size, "did you mean '%s'?", closest);
        return;
    }
    size_t used = (size_t)snprintf(help, size, "known keys:");
    for (size_t i = 0; i < own; i++) {
        used = append_name(help, size, used, i == 0, names[i]);
    }
}

/* Reports keys the schema does not know. */
static bool check_keys(const struct binder *binder, const struct target *target)
{
    const bool top = binder->path.size == 0;
    bool fine = true;
    for (size_t i = 0; i < target->map->count; i++) {
        const struct sdsim_entry *entry = &target->map->entries[i];
        if (find_key(target->schema, entry->key) != NULL) {
            continue;
        }
        if (top && is_common_key(entry->key)) {
            fine = check_common_key(binder, entry) && fine;
            continue;
        }
        char help[600] = "";
        if (binder->diags->dropped == 0) { /* else nobody will read it, and it is slow */
            suggest_key(target->schema, top, entry->key, help, sizeof help);
        }
        const struct sdsim_node place = node_of_key(entry);
        sdsim_node_diag(binder->diags, SDSIM_ERROR, &place, help, "unknown key '%s' in %s",
                        sdsim_shown(entry->key).text, place_name(binder, target->schema));
        fine = false;
    }
    return fine;
}

/* What a missing key means: an error, its fallback, or a map of fallbacks. */
static bool bind_missing(struct binder *binder, const struct target *target,
                         const struct sdsim_key *key, void *out)
{
    if (key->required && target->map != NULL) {
        sdsim_node_diag(binder->diags, SDSIM_ERROR, target->place, key->doc,
                        "missing key '%s' in %s", key->name, place_name(binder, target->schema));
        return false;
    }
    if (key->type == SDSIM_VALUE_MAP && !key->list) {
        return bind_map(binder, &(struct target){.schema = key->schema, .out = out});
    }
    if (key->fallback == NULL) {
        return true;
    }
    static const struct sdsim_source source = {.path = "the default", .text = "", .size = 0};
    struct sdsim_node *node = sdsim_arena_alloc(&binder->config->arena, 1, sizeof *node);
    if (node == NULL) {
        sdsim_config_no_memory(binder->diags);
        return false;
    }
    *node = (struct sdsim_node){.source = &source, .text = key->fallback};
    return key->list ? bind_list(binder, key, node, node, out)
                     : bind_value(binder, key, node, node, out);
}

/* Whether an override meant to change something in a map that there is not: alone it would make one, but
 * not a whole one. Tells which there are. */
static bool is_not_there(const struct binder *binder, const struct target *target,
                         const struct sdsim_key *key, const struct sdsim_entry *entry)
{
    char needs[200] = "";
    char help[300] = "there are:";
    size_t needed = 0;
    size_t used = strlen(help);
    bool first = true;
    if (key->type != SDSIM_VALUE_MAP || key->list || key->given_offset == 0 ||
        entry->value->kind != SDSIM_NODE_MAP || strcmp(entry->source->path, "--set") != 0) {
        return false;
    }
    for (size_t i = 0; i < key->schema->key_count; i++) {
        const struct sdsim_key *inner = &key->schema->keys[i];
        if (inner->required && sdsim_node_entry(entry->value, inner->name) == NULL) {
            needed = append_name(needs, sizeof needs, needed, needed == 0, inner->name);
        }
    }
    if (needed == 0) {
        return false;
    }
    for (size_t i = 0; i < target->map->count; i++) {
        const struct sdsim_entry *other = &target->map->entries[i];
        if (find_key(target->schema, other->key) != NULL && other->source != entry->source) {
            used = append_name(help, sizeof help, used, first, other->key);
            first = false;
        }
    }
    const struct sdsim_node place = node_of_key(entry);
    sdsim_node_diag(binder->diags, SDSIM_ERROR, &place, first ? NULL : help,
                    "there is no '%s' in %s to change; a new one needs%s", key->name,
                    place_name(binder, target->schema), needs);
    return true;
}

static bool bind_key(struct binder *binder, const struct target *target,
                     const struct sdsim_key *key)
{
    unsigned char *out = target->out + key->offset;
    const struct sdsim_entry *entry = sdsim_node_entry(target->map, key->name);
    if (entry == NULL) {
        return bind_missing(binder, target, key, out);
    }
    if (is_not_there(binder, target, key, entry)) {
        return false;
    }
    if (key->given_offset != 0) {
        const bool given = true;
        memcpy(target->out + key->given_offset - 1, &given, sizeof given);
    }
    const size_t size = binder->path.size;
    const struct sdsim_node place = node_of_key(entry);
    sdsim_key_path_key(&binder->path, key->name);
    const bool fine = key->list ? bind_list(binder, key, entry->value, &place, out)
                                : bind_value(binder, key, entry->value, &place, out);
    sdsim_key_path_cut(&binder->path, size);
    return fine;
}

static bool bind_map(struct binder *binder, const struct target *target)
{
    const struct sdsim_schema *schema = target->schema;
    if (target->map != NULL && target->map->kind != SDSIM_NODE_MAP) {
        const bool text = target->map->kind == SDSIM_NODE_SCALAR && target->map->text[0] != '\0';
        sdsim_node_diag(binder->diags, SDSIM_ERROR, target->map, NULL,
                        text ? "expected a map for %s, got '%s'" : "expected a map for %s, got %s",
                        place_name(binder, schema),
                        text ? sdsim_shown(target->map->text).text
                             : sdsim_node_kind_name(target->map));
        return false;
    }
    bool fine = target->map == NULL || check_keys(binder, target);
    for (size_t i = 0; i < schema->key_count; i++) {
        fine = bind_key(binder, target, &schema->keys[i]) && fine;
    }
    return fine;
}

static bool bind(struct binder *binder, const struct sdsim_schema *schema,
                 const struct sdsim_node *node, void *out)
{
    memset(out, 0, schema->size);
    return bind_map(binder,
                    &(struct target){.schema = schema, .map = node, .place = node, .out = out});
}

bool sdsim_bind(struct sdsim_config *config, const struct sdsim_schema *schema,
                const struct sdsim_node *node, const char *profile, const struct sdsim_draw *draw,
                void *out, struct sdsim_diags *diags)
{
    struct binder binder = {
        .config = config, .diags = diags, .profile = profile != NULL ? profile : "", .draw = draw};
    return bind(&binder, schema, node, out);
}

bool sdsim_bind_ranges(struct sdsim_config *config, const struct sdsim_schema *schema,
                       const struct sdsim_node *node, const char *profile,
                       struct sdsim_ranges *ranges, void *out, struct sdsim_diags *diags)
{
    const struct sdsim_draw typical = {.k = 0};
    struct binder binder = {.config = config,
                            .diags = diags,
                            .profile = profile != NULL ? profile : "",
                            .draw = &typical,
                            .ranges = ranges,
                            .base = out};
    *ranges = (struct sdsim_ranges){.profile = binder.profile};
    return bind(&binder, schema, node, out);
}
