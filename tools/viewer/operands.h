/*
 * What the words on the command line are: one or two things to look at.
 *
 * A word is a timeline, a capture or a trace, which are files, or else a scenario. Behind a scenario the
 * id of one of its runs may stand, and behind that another one, which is the second thing then.
 */
#ifndef SDSIM_VIEWER_OPERANDS_H
#define SDSIM_VIEWER_OPERANDS_H

#include "tools/sdsim/session.h"

enum sdsim_operand_kind {
    SDSIM_OPERAND_TIMELINE,
    SDSIM_OPERAND_CAPTURE,
    SDSIM_OPERAND_TRACE,
    SDSIM_OPERAND_SCENARIO,
};

struct sdsim_operand {
    enum sdsim_operand_kind kind;
    const char *name;
    const char *run; /* of a scenario; NULL: its only one */
};

enum { SDSIM_OPERANDS_MOST = 2 };

/* Sorts the words; returns how many things they are, 0 after a message on stderr. */
size_t sdsim_operands_sort(char *const *words, size_t count,
                           struct sdsim_operand operands[SDSIM_OPERANDS_MOST]);

#endif
