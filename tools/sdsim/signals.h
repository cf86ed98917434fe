/*
 * Work that must not be left half done: what would end the program waits until it is over. For the
 * short time in which there is a temporary folder.
 */
#ifndef SDSIM_TOOLS_SIGNALS_H
#define SDSIM_TOOLS_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/* From here on an interruption, a request to end or a lost terminal waits; `before` is filled in. */
void sdsim_signals_hold(sigset_t *before);

/* Whether one waits: what fails then, fails because the user ended it. */
bool sdsim_signals_waiting(void);

/* Lets them through again: one that waited ends the program here. */
void sdsim_signals_release(const sigset_t *before);

#endif
