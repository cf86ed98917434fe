/*
 * What a report shows of the calls of a run beside its sums: how long each took, and what every lane did
 * when. The typical run is simulated once more and listened to.
 *
 * Up to four million spans are kept (about 70 MB); of a run that has more, only those around the
 * longest call, in one more simulation.
 */
#ifndef SDSIM_TOOLS_PAGE_WATCH_H
#define SDSIM_TOOLS_PAGE_WATCH_H

#include "report/page.h"

/* Fills in calls, whole and longest of a run whose report is there, and allocates them. False without
 * memory. Pure but for that: may go on any thread. */
bool sdsim_page_watch(struct sdsim_page_run *run);

/* Frees what it allocated. */
void sdsim_page_unwatch(struct sdsim_page_run *run);

#endif
