/*
 * The schema of card profiles: which keys a file of `kind: card` may have, and where each goes in
 * struct sdsim_card_params (card/params.h). What follows from several keys together is worked out
 * by card/profile.h.
 */
#ifndef SDSIM_CARD_SCHEMA_H
#define SDSIM_CARD_SCHEMA_H

#include "config/schema.h"

extern const struct sdsim_schema sdsim_card_schema;

#endif
