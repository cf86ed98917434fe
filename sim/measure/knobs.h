/*
 * Knobs: the profile values a fit may turn.
 *
 * A knob is a value marked `from: fitted` in a host's or a card's profile. Where its fit starts:
 *
 *     start:       its own, what sources or its class alone give
 *     no start:    the value of the profile this one is based on, as it stands after the fit; for
 *                  hosts without a base, the one of `unspecified`, scaled by the CPU clocks: costs
 *                  are cycles, as long as nobody knows better
 *
 * So what many profiles have in common is learnt from all of them, and one without data of its own
 * gets it. How far a value is expected to lie from its start is its spread, in logarithms.
 *
 * Values marked `fit: headline` are not fitted again; sdsim_knobs_drop() puts one back to its start
 * when the source it was fitted to may not be used.
 *
 * Knobs write into the trees they were registered in: every node that stands for the value shares
 * one text, so turning a knob is writing that text; freeing them gives the nodes their own back.
 * Who binds must not do so while somebody turns.
 */
#ifndef SDSIM_MEASURE_KNOBS_H
#define SDSIM_MEASURE_KNOBS_H

#include "config/schema.h"
#include "setup/setup.h"

#define SDSIM_NO_KNOB SIZE_MAX

struct sdsim_knob {
    enum sdsim_profile_kind kind;
    const char *profile; /* name of the file, without .yaml */
    const char *path;    /* key path in it */
    const struct sdsim_key *key;
    const struct sdsim_node *value_node; /* where value and range stand in the file */
    const struct sdsim_node *range_node;
    bool headline;         /* fitted to the headline scenarios: stays as it is, unless dropped */
    bool dropped;          /* what it was fitted to may not be used: it is at its start */
    const char *fitted_to; /* or NULL */
    size_t parent;         /* SDSIM_NO_KNOB: none */
    double start;          /* in base units; with a parent: what its value is times */
    double spread;         /* of the value around its start, as a logarithm */
    double value;          /* in base units */
    double origin;         /* the value it had when it was found */
    double slow;           /* the slow end of the range is so many times slower, */
    double fast;           /* the fast end so many times faster; both at least 1 */
    char text[48];
    char range_text[96];
};

/* A node that shows a knob's text, and the text it had before. */
struct sdsim_knob_tie {
    struct sdsim_node *node;
    const char *text;
};

struct sdsim_knobs {
    struct sdsim_knob *items;
    size_t count;
    size_t capacity;
    struct sdsim_config *config;
    size_t *slots; /* finds a knob by its place in a file */
    size_t slot_count;
    struct sdsim_knob_tie *ties;
    size_t tie_count;
    size_t tie_capacity;
    bool failed; /* memory ran out while tying */
};

/* Finds all knobs in the host and card profiles a config knows. False after a message.
 * sdsim_knobs_free takes the list. */
bool sdsim_knobs_find(struct sdsim_knobs *knobs, struct sdsim_config *config,
                      struct sdsim_diags *diags);
/*
 * Makes knobs of all values with a range that some runs use, whatever they are from: for fitting to
 * one's own board and card. Each starts at its value; its spread is that of its range. A card that
 * commits a lone block slower than its class is slower at the end of a stream, too: wstop starts
 * from w1, and wstop_large from wstop. False without memory.
 */
bool sdsim_knobs_of_runs(struct sdsim_knobs *knobs, struct sdsim_config *config,
                         const struct sdsim_run *const *runs, size_t count);
void sdsim_knobs_free(struct sdsim_knobs *knobs);

/* Puts all knobs where they start, so that a fit can't see what an earlier one found. */
void sdsim_knobs_reset(struct sdsim_knobs *knobs);

/* Puts the headline values that were fitted to `source` back to their starts. */
void sdsim_knobs_drop(struct sdsim_knobs *knobs, const char *source);

/* Whether a fit may turn it. */
static inline bool sdsim_knob_is_free(const struct sdsim_knob *knob)
{
    return !knob->headline;
}

/* Ties the knobs to the values of a run: from now on, until they are freed, they act on it. False
 * without memory. */
bool sdsim_knobs_tie(struct sdsim_knobs *knobs, const struct sdsim_run *run);

/* The knob a value of a run belongs to, or SDSIM_NO_KNOB. */
size_t sdsim_knobs_of(const struct sdsim_knobs *knobs, const struct sdsim_value_info *info);

/* Turns a knob: base units; writes value and range. */
void sdsim_knob_set(struct sdsim_knob *knob, double value);
void sdsim_knob_set_range(struct sdsim_knob *knob, double slow, double fast);

/* The ends of the range, within the key's limits. A slow time is a high one, a slow rate a low one.
 */
double sdsim_knob_low(const struct sdsim_knob *knob);
double sdsim_knob_high(const struct sdsim_knob *knob);

/* What the value of a knob is expected to be, from its start or its parent's value. */
double sdsim_knob_expected(const struct sdsim_knobs *knobs, size_t index);

#endif
