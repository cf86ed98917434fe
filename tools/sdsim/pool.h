/*
 * Many pieces of work on several threads.
 *
 * The pieces are numbered; each is done once, by whichever thread is free, so a piece must not
 * depend on another. With a progress line the number done is shown on stderr, and how long the rest
 * may take, on a terminal only.
 */
#ifndef SDSIM_TOOLS_POOL_H
#define SDSIM_TOOLS_POOL_H

#include <stddef.h>

/* Calls work(context, index) for every index below `count`. `threads` 0: one a processor, at most
 * 8. `what` names the pieces in the progress line ("runs"); NULL: no such line. */
void sdsim_pool_run(size_t count, unsigned threads, const char *what,
                    void (*work)(void *context, size_t index), void *context);

#endif
