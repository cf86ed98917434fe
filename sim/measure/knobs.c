#include "measure/knobs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/value.h"
#include "core/rng.h"
#include "setup/schemas.h"

/* How far values lie from their start, as a logarithm: hosts by what firmware builds differ, cards
 * by what cards of one class do (a factor of 1.6, one standard deviation, in published runs). */
#define HOST_SPREAD 0.5
#define ROOT_SPREAD 1.0
#define CARD_SPREAD 0.4
#define BASE_SPREAD 0.3

/* In a fit to one's own board a value is never freer than this, however wide its range. */
#define MOST_OWN_SPREAD 0.5
#define LINKED_SPREAD   0.25 /* of a card's commit times around each other */

static const char generic_host[] = "unspecified";

/* ---- places ---- */

static size_t hash_place(const struct sdsim_node *node)
{
    uint64_t hash = sdsim_hash_text(0, node->source->path);
    hash = sdsim_hash_number(hash, node->line);
    return (size_t)sdsim_hash_number(hash, node->column);
}

static bool same_place(const struct sdsim_node *a, const struct sdsim_node *b)
{
    return a->line == b->line && a->column == b->column &&
           strcmp(a->source->path, b->source->path) == 0;
}

static size_t find_place(const struct sdsim_knobs *knobs, const struct sdsim_node *node)
{
    const size_t mask = knobs->slot_count - 1;
    for (size_t i = hash_place(node) & mask; knobs->slots[i] != 0; i = (i + 1) & mask) {
        if (same_place(knobs->items[knobs->slots[i] - 1].value_node, node)) {
            return knobs->slots[i] - 1;
        }
    }
    return SDSIM_NO_KNOB;
}

static bool index_places(struct sdsim_knobs *knobs)
{
    knobs->slot_count = 64;
    while (knobs->slot_count < 4 * knobs->count) {
        knobs->slot_count *= 2;
    }
    knobs->slots = calloc(knobs->slot_count, sizeof *knobs->slots);
    if (knobs->slots == NULL) {
        return false;
    }
    const size_t mask = knobs->slot_count - 1;
    for (size_t k = 0; k < knobs->count; k++) {
        size_t i = hash_place(knobs->items[k].value_node) & mask;
        while (knobs->slots[i] != 0) {
            i = (i + 1) & mask;
        }
        knobs->slots[i] = k + 1;
    }
    return true;
}

/* ---- values ---- */

static const char *unit_text(const struct sdsim_key *key)
{
    return key->type == SDSIM_VALUE_TIME ? "ps" : "B/s";
}

static double clamp(const struct sdsim_key *key, double value)
{
    if (value < 1.0) {
        return 1.0;
    }
    const double most = key->max > 0 ? (double)key->max : 9e18;
    return value > most ? most : value;
}

double sdsim_knob_low(const struct sdsim_knob *knob)
{
    const bool time = knob->key->type == SDSIM_VALUE_TIME;
    return clamp(knob->key, knob->value / (time ? knob->fast : knob->slow));
}

double sdsim_knob_high(const struct sdsim_knob *knob)
{
    const bool time = knob->key->type == SDSIM_VALUE_TIME;
    return clamp(knob->key, knob->value * (time ? knob->slow : knob->fast));
}

static void write_range(struct sdsim_knob *knob)
{
    const double low = floor(sdsim_knob_low(knob));
    const double high = clamp(knob->key, ceil(sdsim_knob_high(knob)));
    snprintf(knob->range_text, sizeof knob->range_text, "%.0f%s..%.0f%s", low, unit_text(knob->key),
             high, unit_text(knob->key));
}

void sdsim_knob_set(struct sdsim_knob *knob, double value)
{
    knob->value = clamp(knob->key, floor(value + 0.5));
    snprintf(knob->text, sizeof knob->text, "%.0f%s", knob->value, unit_text(knob->key));
    write_range(knob);
}

void sdsim_knob_set_range(struct sdsim_knob *knob, double slow, double fast)
{
    knob->slow = slow < 1.0 ? 1.0 : slow;
    knob->fast = fast < 1.0 ? 1.0 : fast;
    write_range(knob);
}

double sdsim_knob_expected(const struct sdsim_knobs *knobs, size_t index)
{
    const struct sdsim_knob *knob = &knobs->items[index];
    return knob->parent == SDSIM_NO_KNOB ? knob->start
                                         : knob->start * knobs->items[knob->parent].value;
}

/* ---- finding them ---- */

struct search {
    struct sdsim_knobs *knobs;
    struct sdsim_diags *diags;
    enum sdsim_profile_kind kind;
    const char *profile;
    const char *file;
    bool failed;
};

static double base_units(const struct sdsim_key *key, const char *text)
{
    struct sdsim_scalar value;
    struct sdsim_complaint complaint;
    return text != NULL && sdsim_value_parse(key, text, &value, &complaint) ? (double)value.whole
                                                                            : 0.0;
}

static bool is_number(const struct sdsim_key *key)
{
    return key->type == SDSIM_VALUE_TIME || key->type == SDSIM_VALUE_RATE;
}

/* Room for one more; NULL without memory. */
static struct sdsim_knob *new_knob(struct sdsim_knobs *knobs)
{
    if (knobs->count == knobs->capacity) {
        const size_t capacity = knobs->capacity > 0 ? 2 * knobs->capacity : 256;
        struct sdsim_knob *items = realloc(knobs->items, capacity * sizeof *items);
        if (items == NULL) {
            return NULL;
        }
        knobs->items = items;
        knobs->capacity = capacity;
    }
    return &knobs->items[knobs->count++];
}

static void add(void *context, const struct sdsim_value_info *info)
{
    struct search *search = context;
    struct sdsim_knobs *knobs = search->knobs;
    const bool number = info->key->type == SDSIM_VALUE_TIME || info->key->type == SDSIM_VALUE_RATE;
    if (info->origin != SDSIM_FROM_FITTED || !number || search->failed ||
        strcmp(info->value_node->source->path, search->file) != 0) {
        return;
    }
    if (knobs->count == knobs->capacity) {
        const size_t capacity = knobs->capacity > 0 ? 2 * knobs->capacity : 256;
        struct sdsim_knob *items = realloc(knobs->items, capacity * sizeof *items);
        if (items == NULL) {
            search->failed = true;
            return;
        }
        knobs->items = items;
        knobs->capacity = capacity;
    }
    struct sdsim_knob *knob = &knobs->items[knobs->count++];
    *knob = (struct sdsim_knob){
        .kind = search->kind,
        .profile = search->profile,
        .path = sdsim_config_text(knobs->config, info->path),
        .key = info->key,
        .value_node = info->value_node,
        .range_node = info->range_node,
        .headline = info->fit_headline,
        .fitted_to = info->fitted_to,
        .parent = SDSIM_NO_KNOB,
        .start = base_units(info->key, info->start),
        .value = base_units(info->key, info->value),
        .slow = 1.3,
        .fast = 1.3,
    };
    if (knob->path == NULL) {
        search->failed = true;
    }
    if (knob->range_node == NULL && !knob->headline) {
        sdsim_node_diag(search->diags, SDSIM_ERROR, info->node, "add a range: low..high",
                        "a fitted value needs a range");
        search->failed = true;
    }
}

static size_t find_named(const struct sdsim_knobs *knobs, enum sdsim_profile_kind kind,
                         const char *profile, const char *path)
{
    for (size_t i = 0; i < knobs->count; i++) {
        const struct sdsim_knob *knob = &knobs->items[i];
        if (knob->kind == kind && strcmp(knob->profile, profile) == 0 &&
            strcmp(knob->path, path) == 0) {
            return i;
        }
    }
    return SDSIM_NO_KNOB;
}

/* What stands at a key path in a tree, as text; NULL if there is nothing. */
static const char *value_at(const struct sdsim_node *tree, const char *path)
{
    char key[128];
    while (tree != NULL) {
        const size_t length = strcspn(path, ".");
        snprintf(key, sizeof key, "%.*s", (int)length, path);
        tree = sdsim_node_get(tree, key);
        if (path[length] == '\0') {
            break;
        }
        path += length + 1;
    }
    if (tree == NULL) {
        return NULL;
    }
    return tree->kind == SDSIM_NODE_SCALAR ? tree->text : sdsim_node_text(tree, "value");
}

/* Where a knob without a start of its own starts. */
static void find_parent(struct sdsim_knobs *knobs, struct sdsim_knob *knob,
                        struct sdsim_diags *diags)
{
    const char *kind = knob->kind == SDSIM_PROFILE_HOST ? "host" : "card";
    const struct sdsim_node *tree =
        sdsim_config_profile(knobs->config, kind, knob->value_node->source->path, NULL, diags);
    const struct sdsim_node *own =
        sdsim_config_parse(knobs->config, knob->value_node->source->path, diags);
    const char *base = sdsim_node_text(own, "base");
    double shift = 1.0;
    if (base == NULL && knob->kind == SDSIM_PROFILE_HOST &&
        strcmp(knob->profile, generic_host) != 0) {
        base = generic_host;
    }
    if (base != NULL && knob->kind == SDSIM_PROFILE_HOST) {
        const struct sdsim_node *generic =
            sdsim_config_profile(knobs->config, "host", base, knob->value_node, diags);
        static const struct sdsim_key cpu = {.name = "cpu", .type = SDSIM_VALUE_FREQUENCY};
        const double here = base_units(&cpu, sdsim_node_text(tree, "cpu"));
        const double there = base_units(&cpu, sdsim_node_text(generic, "cpu"));
        if (here > 0.0 && there > 0.0) {
            shift = knob->key->type == SDSIM_VALUE_TIME ? there / here : here / there;
        }
    }
    for (unsigned level = 0; base != NULL && level < 8; level++) {
        const size_t parent = find_named(knobs, knob->kind, base, knob->path);
        if (parent != SDSIM_NO_KNOB && !knobs->items[parent].headline) {
            knob->parent = parent;
            knob->start = shift;
            return;
        }
        const struct sdsim_node *above =
            sdsim_config_profile(knobs->config, kind, base, knob->value_node, diags);
        const double value = base_units(knob->key, value_at(above, knob->path));
        if (value > 0.0) {
            knob->start = value * shift;
        }
        /* Further up there may be a knob that value is inherited from. */
        const struct sdsim_profile_file *files;
        const size_t count = sdsim_config_list(knobs->config, kind, &files);
        const char *next = NULL;
        for (size_t i = 0; i < count && next == NULL; i++) {
            if (strcmp(files[i].name, base) == 0) {
                next = sdsim_node_text(sdsim_config_parse(knobs->config, files[i].path, diags),
                                       "base");
            }
        }
        base = next;
    }
}

static void set_spread(struct sdsim_knob *knob)
{
    const bool lone = knob->parent == SDSIM_NO_KNOB;
    if (knob->kind == SDSIM_PROFILE_HOST) {
        knob->spread = lone ? ROOT_SPREAD : HOST_SPREAD;
    } else {
        knob->spread = lone ? CARD_SPREAD : BASE_SPREAD;
    }
}

static bool search_kind(struct search *search, enum sdsim_profile_kind kind,
                        const struct sdsim_schema *schema, const char *name)
{
    struct sdsim_knobs *knobs = search->knobs;
    const struct sdsim_profile_file *files;
    const size_t count = sdsim_config_list(knobs->config, name, &files);
    for (size_t i = 0; i < count; i++) {
        const struct sdsim_node *tree =
            sdsim_config_profile(knobs->config, name, files[i].path, NULL, search->diags);
        if (tree == NULL) {
            return false;
        }
        search->kind = kind;
        search->profile = files[i].name;
        search->file = files[i].path;
        sdsim_schema_values(schema, tree, add, search);
    }
    return !search->failed;
}

bool sdsim_knobs_find(struct sdsim_knobs *knobs, struct sdsim_config *config,
                      struct sdsim_diags *diags)
{
    *knobs = (struct sdsim_knobs){.config = config};
    struct search search = {.knobs = knobs, .diags = diags};
    if (!search_kind(&search, SDSIM_PROFILE_HOST, &sdsim_host_schema, "host") ||
        !search_kind(&search, SDSIM_PROFILE_CARD, &sdsim_card_schema, "card") ||
        !index_places(knobs)) {
        return false;
    }
    for (size_t i = 0; i < knobs->count; i++) {
        struct sdsim_knob *knob = &knobs->items[i];
        if (knob->start <= 0.0) {
            find_parent(knobs, knob, diags);
        }
        if (knob->start <= 0.0) {
            knob->start = knob->value;
        }
        set_spread(knob);
    }
    return true;
}

void sdsim_knobs_free(struct sdsim_knobs *knobs)
{
    while (knobs->tie_count > 0) {
        const struct sdsim_knob_tie *last = &knobs->ties[--knobs->tie_count];
        last->node->text = last->text;
    }
    free(knobs->ties);
    free(knobs->items);
    free(knobs->slots);
    *knobs = (struct sdsim_knobs){.items = NULL};
}

/* ---- in runs ---- */

size_t sdsim_knobs_of(const struct sdsim_knobs *knobs, const struct sdsim_value_info *info)
{
    return info->value_node != NULL && knobs->slots != NULL ? find_place(knobs, info->value_node)
                                                            : SDSIM_NO_KNOB;
}

static void add_used(void *context, enum sdsim_profile_kind kind,
                     const struct sdsim_value_info *info)
{
    struct search *search = context;
    struct sdsim_knobs *knobs = search->knobs;
    struct sdsim_scalar low;
    struct sdsim_scalar high;
    struct sdsim_complaint complaint;
    const double value = base_units(info->key, info->value);
    if (kind == SDSIM_PROFILE_DRIVER || info->range_node == NULL || !is_number(info->key) ||
        value <= 0.0 || search->failed ||
        !sdsim_value_parse_range(info->key, info->range, &low, &high, &complaint)) {
        return;
    }
    for (size_t i = 0; i < knobs->count; i++) {
        if (same_place(knobs->items[i].value_node, info->value_node)) {
            return;
        }
    }
    struct sdsim_knob *knob = new_knob(knobs);
    if (knob == NULL) {
        search->failed = true;
        return;
    }
    /* A range that begins at nothing says little about how far down a value may lie. */
    const double least = (double)low.whole > value / 10.0 ? (double)low.whole : value / 10.0;
    const double whole = log((double)high.whole / least) / (2.0 * 1.645);
    const double spread = whole < MOST_OWN_SPREAD ? whole : MOST_OWN_SPREAD;
    *knob = (struct sdsim_knob){
        .kind = kind,
        .profile = "",
        .path = sdsim_config_text(knobs->config, info->path),
        .key = info->key,
        .value_node = info->value_node,
        .range_node = info->range_node,
        .parent = SDSIM_NO_KNOB,
        .start = value,
        .spread = spread > 0.02 ? spread : 0.02,
        .value = value,
        .origin = value,
        .slow = exp(1.645 * spread),
        .fast = exp(1.645 * spread),
    };
    search->failed = knob->path == NULL;
}

/* Lets a card's value start from another one's. */
static void link_own(struct sdsim_knobs *knobs, const char *path, const char *parent)
{
    const size_t child = find_named(knobs, SDSIM_PROFILE_CARD, "", path);
    const size_t above = find_named(knobs, SDSIM_PROFILE_CARD, "", parent);
    if (child != SDSIM_NO_KNOB && above != SDSIM_NO_KNOB) {
        struct sdsim_knob *knob = &knobs->items[child];
        knob->parent = above;
        knob->start = knob->value / knobs->items[above].value;
        knob->spread = knob->spread < LINKED_SPREAD ? knob->spread : LINKED_SPREAD;
    }
}

bool sdsim_knobs_of_runs(struct sdsim_knobs *knobs, struct sdsim_config *config,
                         const struct sdsim_run *const *runs, size_t count)
{
    *knobs = (struct sdsim_knobs){.config = config};
    struct search search = {.knobs = knobs};
    for (size_t i = 0; i < count; i++) {
        sdsim_run_values(runs[i], add_used, &search);
    }
    link_own(knobs, "wstop", "w1");
    link_own(knobs, "wstop_large", "wstop");
    return !search.failed && index_places(knobs);
}

/* Lets a node show a knob's text from now on. */
static void show(struct sdsim_knobs *knobs, struct sdsim_node *node, const char *text)
{
    if (node->text == text) {
        return;
    }
    if (knobs->tie_count == knobs->tie_capacity) {
        const size_t capacity = knobs->tie_capacity > 0 ? 2 * knobs->tie_capacity : 256;
        struct sdsim_knob_tie *ties = realloc(knobs->ties, capacity * sizeof *ties);
        if (ties == NULL) {
            knobs->failed = true;
            return;
        }
        knobs->ties = ties;
        knobs->tie_capacity = capacity;
    }
    knobs->ties[knobs->tie_count++] = (struct sdsim_knob_tie){.node = node, .text = node->text};
    node->text = text;
}

static void tie(void *context, enum sdsim_profile_kind kind, const struct sdsim_value_info *info)
{
    (void)kind;
    struct sdsim_knobs *knobs = context;
    const size_t index = sdsim_knobs_of(knobs, info);
    if (index == SDSIM_NO_KNOB) {
        return;
    }
    struct sdsim_knob *knob = &knobs->items[index];
    if (knob->headline && !knob->dropped) {
        return;
    }
    /* The trees are the config's and the config is ours; a visit only lends them. */
    show(knobs, (struct sdsim_node *)(uintptr_t)info->value_node, knob->text);
    if (info->range_node != NULL) {
        show(knobs, (struct sdsim_node *)(uintptr_t)info->range_node, knob->range_text);
    }
    sdsim_knob_set(knob, knob->value);
}

bool sdsim_knobs_tie(struct sdsim_knobs *knobs, const struct sdsim_run *run)
{
    sdsim_run_values(run, tie, knobs);
    for (size_t i = 0; run->mixture != NULL && i < run->mixture->count; i++) {
        struct sdsim_run part = *run;
        part.card = run->mixture->cards[i];
        sdsim_run_values(&part, tie, knobs);
    }
    return !knobs->failed;
}

void sdsim_knobs_reset(struct sdsim_knobs *knobs)
{
    for (unsigned level = 0; level < 8; level++) { /* those above come first */
        for (size_t i = 0; i < knobs->count; i++) {
            if (sdsim_knob_is_free(&knobs->items[i])) {
                sdsim_knob_set(&knobs->items[i], sdsim_knob_expected(knobs, i));
            }
        }
    }
}

void sdsim_knobs_drop(struct sdsim_knobs *knobs, const char *source)
{
    for (size_t i = 0; i < knobs->count; i++) {
        struct sdsim_knob *knob = &knobs->items[i];
        if (knob->headline && knob->fitted_to != NULL && strcmp(knob->fitted_to, source) == 0) {
            knob->dropped = true;
            sdsim_knob_set_range(knob, 1.6, 1.6);
            sdsim_knob_set(knob, knob->start);
        }
    }
}
