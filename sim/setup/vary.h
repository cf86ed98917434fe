/*
 * What a sweep varies: a key of the scenario, or of a profile it names, and the values it takes.
 *
 *     workload.call=512B,4KiB,32KiB     these
 *     workload.call=512B..64KiB*2       from 512B to 64KiB, each twice the one before
 *     clock=4MHz..40MHz+4MHz            4MHz more each time
 *     card.rd1=100us..1ms/10            ten of them, evenly spaced
 *     card.rd1=100us..1ms               a range, for points drawn at random only
 *     card=sdhc32g-u1,sdxc64g-a2        words are values, too
 *
 * Steps are counted in base units (bytes, picoseconds, hertz), so a value is what was meant to the
 * last digit; it is written the short way where that says it exactly.
 *
 * Limits: at most 100000 values; numbers without a unit are whole and not negative.
 */
#ifndef SDSIM_SETUP_VARY_H
#define SDSIM_SETUP_VARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/diag.h"
#include "core/units.h"

#define SDSIM_VARY_VALUES 100000u
#define SDSIM_VARY_SIZE   32u /* bytes a made value takes at most */

struct sdsim_vary {
    char *path; /* "workload.call" */
    char **values;
    double *numbers; /* the values in base units, if numeric; else NULL */
    size_t count;    /* 0: a range */
    bool numeric;    /* all values are numbers of one unit */
    bool united;     /* ... which is `unit`; else they have none */
    enum sdsim_unit unit;
    uint64_t from; /* a range: both ends belong to it */
    uint64_t to;   /* more than from; 0: a list */
};

/* Reads "PATH=VALUES". False with messages, which name the argument as `--vary`; nothing is owned
 * then. sdsim_vary_free takes a zeroed one, too. */
bool sdsim_vary_parse(struct sdsim_vary *vary, const char *text, struct sdsim_diags *diags);
void sdsim_vary_free(struct sdsim_vary *vary);

/* Value `number` (0 up) of a sweep at random of `seed`: one of the values, or one within the range,
 * all alike likely. Returns out (SDSIM_VARY_SIZE), or the value itself. */
const char *sdsim_vary_draw(const struct sdsim_vary *vary, uint64_t seed, uint64_t number,
                            char out[SDSIM_VARY_SIZE]);

/* One end of a range, as a value. Returns out (SDSIM_VARY_SIZE). */
const char *sdsim_vary_end(const struct sdsim_vary *vary, bool last, char out[SDSIM_VARY_SIZE]);

#endif
