/*
 * From a card profile to the parameters of one card: the keys bound (card/schema.h), then what
 * follows from several of them - the condition of the card, the busy limit of its class - and, for
 * a profile of which little is known, which of the cards it may be this draw is.
 *
 * All of it is for one draw: 0 is the typical card, others lie in the ranges of the values.
 */
#ifndef SDSIM_CARD_PROFILE_H
#define SDSIM_CARD_PROFILE_H

#include "card/params.h"
#include "config/schema.h"

/* The cards that a card of which little is known may be. */
struct sdsim_mixture {
    struct sdsim_node **cards;
    const char **names;
    size_t count;
};

/* A card profile, loaded with all it inherits. Nodes and texts belong to a config. */
struct sdsim_card_profile {
    const char *name; /* the luck of its values is tied to this */
    const struct sdsim_node *tree;
    const struct sdsim_mixture *mixture; /* NULL: it is one card */
};

/* The mixture a card's profile speaks of, *mixture NULL if of none. False after a message. */
bool sdsim_mixture_resolve(struct sdsim_config *config, const struct sdsim_node *card,
                           const struct sdsim_mixture **mixture, struct sdsim_diags *diags);

/* All parameters for one draw. False after messages. Texts in *card live as long as the config. */
bool sdsim_card_bind(struct sdsim_config *config, const struct sdsim_card_profile *profile,
                     const struct sdsim_draw *draw, struct sdsim_card_params *card,
                     struct sdsim_diags *diags);

/* For who binds the keys himself: what follows from several of them. sdsim_card_bind() does it. */
void sdsim_card_derive(struct sdsim_card_params *card, uint32_t draw);

/* Values that are fine each by itself but not together; `card` is draw 0 of the tree. All faults are
 * told, each with its place and the mend. False if there is any. */
bool sdsim_card_check(const struct sdsim_node *tree, const struct sdsim_card_params *card,
                      struct sdsim_diags *diags);

#endif
