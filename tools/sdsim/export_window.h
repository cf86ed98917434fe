/*
 * Which part of a run is to be exported: --window, --call or --around, or all of it.
 */
#ifndef SDSIM_TOOLS_EXPORT_WINDOW_H
#define SDSIM_TOOLS_EXPORT_WINDOW_H

#include "command.h"
#include "setup/simulate.h"

enum sdsim_window_wish {
    SDSIM_WISH_ALL,
    SDSIM_WISH_TIME,    /* from <= t < to */
    SDSIM_WISH_CALLS,   /* first to last, from 1 */
    SDSIM_WISH_LONGEST, /* the longest call, and a tenth of it on both sides */
    SDSIM_WISH_PAUSE,   /* the longest wait for the card, the same */
};

struct sdsim_export_wish {
    enum sdsim_window_wish kind;
    sdsim_ps from;
    sdsim_ps to;
    uint64_t first;
    uint64_t last;
};

/* What the options ask for. False after a message on stderr. */
bool sdsim_export_wish(const struct sdsim_arguments *arguments, struct sdsim_export_wish *wish);

/*
 * The window a wish means in a run; simulates it, with a copy of the medium, if that takes it. False
 * after a message on stderr, with *code.
 */
bool sdsim_export_find(const struct sdsim_export_wish *wish, const struct sdsim_setup *setup,
                       const struct sdsim_medium *medium, sdsim_ps *from, sdsim_ps *to,
                       enum sdsim_exit *code);

#endif
