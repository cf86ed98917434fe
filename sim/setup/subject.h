/*
 * A subject: something that was simulated and can be simulated again with changes. What explains a
 * prediction asks "and if ...?" many times over; a subject answers, whatever it is: a run of a
 * scenario (here), or a trace that is replayed (the caller's own functions).
 *
 * A change is a list of "path=value", as --set takes them. They come behind those the user gave.
 *
 * Binding uses the configuration, so one thread at a time; simulating is pure and may go on any
 * thread.
 */
#ifndef SDSIM_SETUP_SUBJECT_H
#define SDSIM_SETUP_SUBJECT_H

#include "setup/simulate.h"

struct sdsim_subject {
    void *context;
    /* Binds draws 0..draws with these changes (NULL at the end, or NULL for none) into `setups`
     * (draws + 1). False, with messages, if that can't be. */
    bool (*bind)(void *context, const char *const *sets, uint32_t draws, struct sdsim_setup *setups,
                 struct sdsim_diags *diags);
    /* Simulates one of them, or a changed copy of one. */
    void (*simulate)(void *context, const struct sdsim_setup *setup,
                     struct sdsim_outcome_report *report);
    const char *place; /* a file, for messages; or NULL */
    const char *name;  /* what in it: "run read-4k"; or NULL */
    bool replayed;     /* its calls are a recording's, which no change of the workload changes */
};

#define SDSIM_SUBJECT_OVERRIDES 64u /* changes and what the user set, together */

/* A run of a scenario file. All pointers are the caller's and outlive the subject. */
struct sdsim_scenario_subject {
    struct sdsim_config *config;
    const char *path;             /* of the scenario file */
    const char *id;               /* of the run; "" for the only one without */
    const char *const *overrides; /* what the user set; NULL at the end, or NULL for none */
};

/* The subject of a run; `scenario` outlives it. */
struct sdsim_subject sdsim_subject_of_scenario(struct sdsim_scenario_subject *scenario);

#endif
