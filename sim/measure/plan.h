/*
 * From a measurement to the run that imitates it.
 *
 * A plan is a scenario, as one would write it by hand for the record: which profiles of host,
 * driver and card it means, the clock, the file API, what is done. It is made as text (so that it
 * can be looked at, and so that records which mean the same run are simulated once) and bound like
 * any scenario.
 *
 * Hosts. The profile with the record's name; if there is a variant of it that fits better, that
 * one: HOST-byte, HOST-array or HOST-dma for the record's spi_transfer=, HOST-MHz for its CPU
 * clock. Unknown hosts are `unspecified`. A driver the host has no costs for borrows those of
 * `unspecified`.
 *
 * Drivers. The profile with the record's name; a few names stand for one of several profiles, by
 * dma, stream= and the like. Unknown drivers are the generic ones.
 *
 * Cards. A card profile that lists the record's card under `matches`; else its class. What is
 * marked on a card says more than how large it is: class 10, A1 or A2 in its name win over a class
 * that went by capacity.
 *
 * What the source does not say is taken as most people have it: the driver's own clock, the file
 * API's usual buffer, 5 MB in a row, a card as it came out of the shop.
 *
 * Assumptions that mean something, besides those above: stream=per-call, multi_block=0,
 * buffer=unaligned, includes=, first_call=excluded, state=, open_aus=, order=, start_offset=,
 * crosses=, n=1.
 *
 * Nothing here looks at a record's id, source or group.
 */
#ifndef SDSIM_MEASURE_PLAN_H
#define SDSIM_MEASURE_PLAN_H

#include "measure/measurement.h"
#include "setup/setup.h"

struct sdsim_plan {
    const struct sdsim_measurement *measurement;
    const char *text;     /* the scenario, in YAML */
    struct sdsim_run run; /* valid if there is no reason against it */
    const char *reason;   /* why it can't be modelled; NULL: it can */
    size_t same;          /* the first plan with this text, its own place if it is the first */
};

struct sdsim_plans {
    struct sdsim_plan *items;
    size_t count;
    struct sdsim_config *config;
    struct sdsim_profiles *profiles;
};

/*
 * Makes a plan for each record, with `overrides` ("path=value", NULL at the end, or NULL) on top.
 * A record that can't be modelled gets a reason; false only without memory or for overrides that
 * suit no record, with messages. sdsim_plans_free gives the list back; what it points at belongs to
 * the config.
 */
bool sdsim_plans_make(struct sdsim_plans *plans, struct sdsim_config *config,
                      const struct sdsim_measurements *measurements, const char *const *overrides,
                      struct sdsim_diags *diags);
void sdsim_plans_free(struct sdsim_plans *plans);

#endif
