/*
 * Opening a timeline file (format: timeline/file.h).
 *
 * A whole file gives its details and summaries at once; spans are fetched as they are asked for. A file
 * that was cut off, or whose writer still runs, is read through: all whole blocks up to the cut are
 * there and the summaries are made again. A damaged one is refused, with the place of the damage; damage
 * in spans that are fetched later is told by sdsim_timeline_reader_fault().
 *
 * Any bytes may be opened.
 */
#ifndef SDSIM_TIMELINE_READ_H
#define SDSIM_TIMELINE_READ_H

#include "core/diag.h"
#include "timeline/timeline.h"

struct sdsim_timeline_reader;

/*
 * Opens `path` into an empty timeline, which must outlive the reader. NULL, with a message, if it can't
 * be opened; the timeline is empty then. A warning if it was cut off.
 */
struct sdsim_timeline_reader *sdsim_timeline_open(const char *path, struct sdsim_timeline *timeline,
                                                  struct sdsim_diags *diags);

/* Closes the file; the timeline can only be freed afterwards. Takes NULL. */
void sdsim_timeline_reader_close(struct sdsim_timeline_reader *reader);

/* What was wrong with spans that could not be fetched, "offset N: ..."; NULL: nothing was. */
const char *sdsim_timeline_reader_fault(const struct sdsim_timeline_reader *reader);

/* Whether the file was cut off. */
bool sdsim_timeline_reader_was_cut(const struct sdsim_timeline_reader *reader);

#endif
