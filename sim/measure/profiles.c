#include "measure/profiles.h"

#include <stdlib.h>
#include <string.h>

struct known {
    struct known *next;
    const char *kind;
    const char *text; /* the reference, as written */
    struct sdsim_node *tree;
    const struct sdsim_mixture *mixture;
};

/* A name of cards or drivers, or a remark on a host, that a profile says it is meant by. */
struct match {
    struct match *next;
    const char *kind;
    const char *name;
    const char *profile;
    const char *base;   /* of a host; "" if it has none */
    uint64_t last_year; /* of a driver; 0: any */
};

struct sdsim_profiles {
    struct sdsim_config *config;
    struct known *known;
    struct match *matches;
};

static void add_match(struct sdsim_profiles *profiles, const struct match *from, const char *name)
{
    struct match *match = sdsim_config_alloc(profiles->config, 1, sizeof *match);
    if (match != NULL) {
        *match = *from;
        match->next = profiles->matches;
        match->name = name;
        profiles->matches = match;
    }
}

/* A year, alone or with its origin; 0 if there is none. What is wrong with it the schema says. */
static uint64_t year_of(const struct sdsim_node *tree)
{
    const struct sdsim_node *node = sdsim_node_get(tree, "last_year");
    const char *text = node != NULL && node->kind == SDSIM_NODE_MAP
                           ? sdsim_node_text(node, "value")
                           : sdsim_node_text(tree, "last_year");
    return text != NULL ? strtoull(text, NULL, 10) : 0;
}

/* What each profile's own file says: a card that is based on another one is not that card. */
static void read_matches(struct sdsim_profiles *profiles, const char *kind)
{
    const struct sdsim_profile_file *files;
    const size_t count = sdsim_config_list(profiles->config, kind, &files);
    for (size_t i = 0; i < count; i++) {
        struct sdsim_diags diags;
        sdsim_diags_init(&diags);
        const struct sdsim_node *tree = sdsim_config_parse(profiles->config, files[i].path, &diags);
        sdsim_diags_free(&diags);
        const struct sdsim_node *matches = sdsim_node_get(tree, "matches");
        if (matches == NULL) {
            continue;
        }
        const char *base = sdsim_node_text(tree, "base");
        const struct match match = {.kind = kind,
                                    .profile = files[i].name,
                                    .base = base != NULL ? base : "",
                                    .last_year = year_of(tree)};
        if (matches->kind == SDSIM_NODE_SCALAR) {
            add_match(profiles, &match, matches->text);
        }
        for (size_t m = 0; matches->kind == SDSIM_NODE_LIST && m < matches->count; m++) {
            if (matches->items[m]->kind == SDSIM_NODE_SCALAR) {
                add_match(profiles, &match, matches->items[m]->text);
            }
        }
    }
}

struct sdsim_profiles *sdsim_profiles_create(struct sdsim_config *config)
{
    struct sdsim_profiles *profiles = sdsim_config_alloc(config, 1, sizeof *profiles);
    if (profiles != NULL) {
        profiles->config = config;
        read_matches(profiles, "card");
        read_matches(profiles, "driver");
        read_matches(profiles, "host");
    }
    return profiles;
}

bool sdsim_profiles_has(struct sdsim_profiles *profiles, const char *kind, const char *name)
{
    const struct sdsim_profile_file *files;
    const size_t count = sdsim_config_list(profiles->config, kind, &files);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(files[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

const char *sdsim_profiles_card(struct sdsim_profiles *profiles, const char *card)
{
    for (const struct match *match = profiles->matches; match != NULL; match = match->next) {
        if (strcmp(match->kind, "card") == 0 && strcmp(match->name, card) == 0) {
            return match->profile;
        }
    }
    return NULL;
}

const char *sdsim_profiles_driver(struct sdsim_profiles *profiles, const char *name, uint64_t year)
{
    const struct match *oldest = NULL;
    for (const struct match *match = profiles->matches; match != NULL; match = match->next) {
        const bool in_use = match->last_year == 0 || (year > 0 && year <= match->last_year);
        const bool older =
            oldest == NULL || (match->last_year > 0 &&
                               (oldest->last_year == 0 || match->last_year < oldest->last_year));
        if (in_use && older && strcmp(match->kind, "driver") == 0 &&
            strcmp(match->name, name) == 0) {
            oldest = match;
        }
    }
    return oldest != NULL ? oldest->profile : NULL;
}

const char *sdsim_profiles_board(struct sdsim_profiles *profiles,
                                 const struct sdsim_measurement *measurement)
{
    for (const struct match *match = profiles->matches; match != NULL; match = match->next) {
        if (strcmp(match->kind, "host") == 0 && strcmp(match->base, measurement->host) == 0 &&
            sdsim_remarks(measurement, match->name)) {
            return match->profile;
        }
    }
    return NULL;
}

struct sdsim_node *sdsim_profiles_resolve(struct sdsim_profiles *profiles, const char *kind,
                                          const struct sdsim_node *reference, const char *text,
                                          const struct sdsim_mixture **mixture,
                                          struct sdsim_diags *diags)
{
    for (const struct known *known = profiles->known; known != NULL; known = known->next) {
        if (strcmp(known->kind, kind) == 0 && strcmp(known->text, text) == 0) {
            if (mixture != NULL) {
                *mixture = known->mixture;
            }
            return known->tree;
        }
    }
    struct known *known = sdsim_config_alloc(profiles->config, 1, sizeof *known);
    const size_t length = strlen(text);
    char *copy = sdsim_config_alloc(profiles->config, length + 1, 1);
    struct sdsim_node *tree = sdsim_config_resolve(profiles->config, kind, reference, diags);
    const struct sdsim_mixture *mixed = NULL;
    if (known == NULL || copy == NULL || tree == NULL ||
        (mixture != NULL && !sdsim_mixture_resolve(profiles->config, tree, &mixed, diags))) {
        return NULL;
    }
    memcpy(copy, text, length);
    *known = (struct known){
        .next = profiles->known, .kind = kind, .text = copy, .tree = tree, .mixture = mixed};
    profiles->known = known;
    if (mixture != NULL) {
        *mixture = mixed;
    }
    return tree;
}
