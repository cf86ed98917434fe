/*
 * The profiles a set of plans shares: each is read once, however many records mean it.
 *
 * For the files of this folder only.
 */
#ifndef SDSIM_MEASURE_PROFILES_H
#define SDSIM_MEASURE_PROFILES_H

#include "config/tree.h"
#include "core/diag.h"
#include "measure/measurement.h"
#include "setup/setup.h"

struct sdsim_profiles;

/* Over a config, which owns it. NULL without memory. */
struct sdsim_profiles *sdsim_profiles_create(struct sdsim_config *config);

/* Whether there is a profile of a kind. */
bool sdsim_profiles_has(struct sdsim_profiles *profiles, const char *kind, const char *name);

/* The card profile that lists this card under `matches`; NULL if none does. */
const char *sdsim_profiles_card(struct sdsim_profiles *profiles, const char *card);

/* The driver profile that was meant by a name in this year (0: not known): one that lists the name under
 * `matches` and was the release in use, by its `last_year`: of several, the oldest that still was.
 * NULL if none was. */
const char *sdsim_profiles_driver(struct sdsim_profiles *profiles, const char *name, uint64_t year);

/* The host profile that a measurement's remarks name, where its host says only of what kind it is: one that
 * is based on that host and lists a remark under `matches`, or how it begins. NULL if there is none. */
const char *sdsim_profiles_board(struct sdsim_profiles *profiles,
                                 const struct sdsim_measurement *measurement);

/* The profile a reference means (see sdsim_config_resolve); the same reference, written as `text`,
 * gives the same tree. For a card *mixture is what it may be, too (else NULL). NULL after a
 * message. */
struct sdsim_node *sdsim_profiles_resolve(struct sdsim_profiles *profiles, const char *kind,
                                          const struct sdsim_node *reference, const char *text,
                                          const struct sdsim_mixture **mixture,
                                          struct sdsim_diags *diags);

#endif
