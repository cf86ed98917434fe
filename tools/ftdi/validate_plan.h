/*
 * What a scenario asks of a card: the part of validating that needs no card.
 *
 * A run of a scenario is loaded, with the card profile to predict by in the place of its own, and simulated
 * once to learn its block operations. What is left is plain: operations, the driver's parameters, the
 * card's, and the clocks.
 */
#ifndef SDSIM_FTDI_VALIDATE_PLAN_H
#define SDSIM_FTDI_VALIDATE_PLAN_H

#include "card/params.h"
#include "driver/driver.h"
#include "validate_ops.h"

struct sdsim_config;

struct sdsim_validate_plan {
    struct sdsim_config *config; /* owned; holds texts of the following */
    struct sdsim_block_ops ops;
    struct sdsim_card_params card; /* to predict by */
    struct sdsim_driver_params driver;
    bool other_driver; /* the scenario's own works the SD bus */
    uint64_t asked_hz; /* the clock asked for ... */
    uint64_t num;      /* ... and what the scenario's host makes of it */
    uint64_t den;
    char name[160]; /* of the run */
    const char *card_name;
    const char *driver_name;
};

/* What to load. */
struct sdsim_validate_source {
    const char *data_dir;
    const char *scenario; /* path */
    const char *run;      /* its id; NULL: the first */
    const char *card;     /* profile or path; NULL: the scenario's own */
    uint64_t most_bytes;  /* operations up to here */
};

/* False after messages on stderr. sdsim_validate_plan_free takes both. */
bool sdsim_validate_plan_load(const struct sdsim_validate_source *source,
                              struct sdsim_validate_plan *plan);
void sdsim_validate_plan_free(struct sdsim_validate_plan *plan);

#endif
