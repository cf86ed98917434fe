/*
 * All that a run was computed from, value by value: what its scenario and board say, and of its host,
 * driver and card what it uses, each with where it comes from.
 *
 * Values stand as they were written. Of the scenario's tree, texts for people (name, description,
 * source), measurements and the references to profiles are left out; which profiles a run uses, the
 * run itself says. Paths are those of --set.
 */
#ifndef SDSIM_REPORT_INPUTS_H
#define SDSIM_REPORT_INPUTS_H

#include <stdbool.h>
#include <stddef.h>

#include "setup/setup.h"

enum sdsim_input_group {
    SDSIM_INPUT_SCENARIO,
    SDSIM_INPUT_HOST,
    SDSIM_INPUT_DRIVER,
    SDSIM_INPUT_CARD,
    SDSIM_INPUT_GROUPS
};

struct sdsim_input_value {
    enum sdsim_input_group group;
    char *path;         /* "workload.call", "card.rd1"; owned */
    char *value;        /* as written; of a list "[14, 13]"; owned */
    const char *range;  /* as written, or NULL */
    const char *origin; /* "published", ..., "set" if it is from the command line, or NULL */
    bool fit_headline;
    const char *source; /* or NULL */
};

struct sdsim_inputs {
    struct sdsim_input_value *items;
    size_t count;
    size_t capacity;
    bool failed; /* memory ran out */
};

/* Fills the list; texts that aren't owned are the run's. False without memory. Free it in any case. */
bool sdsim_inputs_of(const struct sdsim_run *run, struct sdsim_inputs *inputs);
void sdsim_inputs_free(struct sdsim_inputs *inputs);

/* Adds a value that is only known by its text, as out of a file; both are copied. False without memory. */
bool sdsim_inputs_add(struct sdsim_inputs *inputs, const char *path, const char *value);

/* The value of a path; NULL if there is none. */
const struct sdsim_input_value *sdsim_inputs_find(const struct sdsim_inputs *inputs,
                                                  const char *path);

/* "scenario", "host", "driver", "card". */
const char *sdsim_input_group_name(enum sdsim_input_group group);

#endif
