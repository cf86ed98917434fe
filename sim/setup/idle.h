/*
 * Changes that change nothing: a value set by hand (--set) that the runs in question take no notice of.
 *
 * Whoever sets a value wants to see what becomes of it; the same numbers as before would be taken for
 * the answer. So such a change is an error that says why, and what would have done something.
 *
 * What a run takes notice of follows from what it does (the keys of its workload), on what (file,
 * sectors, USB), with which driver, clock generator and file API (the host has those of others, too); a
 * replay has its calls from a trace, and no workload.
 *
 * Limits: by key, not by value: what is set to what it was before is no error, nor is a key that only
 * some cards or sizes make a difference of.
 */
#ifndef SDSIM_SETUP_IDLE_H
#define SDSIM_SETUP_IDLE_H

#include "setup/setup.h"

/* What the runs are wanted for. */
enum sdsim_wanted {
    SDSIM_FOR_PREDICTIONS,   /* all that a run says, and what was measured of it */
    SDSIM_FOR_TIMES,         /* what happens when; nothing is held against measurements */
    SDSIM_FOR_BLOCK_REPLAYS, /* hardware for the block operations of a trace ... */
    SDSIM_FOR_FILE_REPLAYS,  /* ... and a volume, too, for its file operations */
};

/* Why none of the runs takes notice of a change ("path=value"), in `why`, and in `help` what to do
 * instead. False if one does. */
bool sdsim_change_is_idle(const struct sdsim_run *const *runs, size_t count,
                          enum sdsim_wanted purpose, const char *change, char *why, size_t why_size,
                          char *help, size_t help_size);

/* An error for each change that no run takes notice of; false if there was one. `changes` may be NULL, and
 * ends with NULL. */
bool sdsim_refuse_idle(const struct sdsim_run *const *runs, size_t count, enum sdsim_wanted purpose,
                       const char *const *changes, struct sdsim_diags *diags);

#endif
