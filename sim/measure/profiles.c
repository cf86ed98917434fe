#include "measure/profiles.h"

#include <string.h>

struct known {
    struct known *next;
    const char *kind;
    const char *text; /* the reference, as written */
    struct sdsim_node *tree;
    const struct sdsim_mixture *mixture;
};

/* A card that a profile says it is of. */
struct match {
    struct match *next;
    const char *card;
    const char *profile;
};

struct sdsim_profiles {
    struct sdsim_config *config;
    struct known *known;
    struct match *matches;
};

static void add_match(struct sdsim_profiles *profiles, const char *card, const char *profile)
{
    struct match *match = sdsim_config_alloc(profiles->config, 1, sizeof *match);
    if (match != NULL) {
        *match = (struct match){.next = profiles->matches, .card = card, .profile = profile};
        profiles->matches = match;
    }
}

/* What each card's own file says: a card that is based on another one is not that card. */
static void read_matches(struct sdsim_profiles *profiles)
{
    const struct sdsim_profile_file *files;
    const size_t count = sdsim_config_list(profiles->config, "card", &files);
    for (size_t i = 0; i < count; i++) {
        struct sdsim_diags diags;
        sdsim_diags_init(&diags);
        const struct sdsim_node *tree = sdsim_config_parse(profiles->config, files[i].path, &diags);
        sdsim_diags_free(&diags);
        const struct sdsim_node *matches = sdsim_node_get(tree, "matches");
        if (matches == NULL) {
            continue;
        }
        if (matches->kind == SDSIM_NODE_SCALAR) {
            add_match(profiles, matches->text, files[i].name);
        }
        for (size_t m = 0; matches->kind == SDSIM_NODE_LIST && m < matches->count; m++) {
            if (matches->items[m]->kind == SDSIM_NODE_SCALAR) {
                add_match(profiles, matches->items[m]->text, files[i].name);
            }
        }
    }
}

struct sdsim_profiles *sdsim_profiles_create(struct sdsim_config *config)
{
    struct sdsim_profiles *profiles = sdsim_config_alloc(config, 1, sizeof *profiles);
    if (profiles != NULL) {
        profiles->config = config;
        read_matches(profiles);
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
        if (strcmp(match->card, card) == 0) {
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
