/*
 * Which values of its profiles made a span what it is: the ones a model uses for what the span shows, with
 * where they come from.
 *
 * One table says which keys take part in which kind of span. A value that is exactly as long as the span
 * comes first: most waits and pieces of CPU time are one value of a profile.
 *
 * Limits: a wait can be made of several values at once (a page group's program that was hidden in part),
 * and what of them is not said.
 */
#ifndef SDSIM_SETUP_MADE_OF_H
#define SDSIM_SETUP_MADE_OF_H

#include "core/recorder.h"
#include "setup/setup.h"

struct sdsim_cause {
    enum sdsim_profile_kind profile;
    const char *key;    /* the last word of the path; a literal of the table */
    char value[40];     /* as written: "850us" */
    char range[48];     /* as written; "" if none */
    const char *origin; /* "measured", "fitted", ...; "" if it is not said */
    char source[200];   /* "" if none */
    bool exact;         /* it is as long as the span */
};

/* "card", "host", "driver" */
const char *sdsim_profile_kind_name(enum sdsim_profile_kind kind);

/*
 * The values behind a span of a run, up to `most`, exact ones first; returns how many. `group` is that of
 * the command the span is part of, SDSIM_GROUP_COUNT if it is not known.
 */
size_t sdsim_made_of(const struct sdsim_run *run, const struct sdsim_span *span,
                     enum sdsim_command_group group, struct sdsim_cause *causes, size_t most);

#endif
