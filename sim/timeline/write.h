/*
 * Writing a timeline file while the run goes on (format: timeline/file.h).
 *
 * Blocks of spans leave the memory as they become full; now and then the lanes that fill slowly are
 * written as far as they are, so that a file whose writer was killed has all lanes. What stays in
 * memory is the details and the summaries, about 1.4 bytes a span.
 */
#ifndef SDSIM_TIMELINE_WRITE_H
#define SDSIM_TIMELINE_WRITE_H

#include <stdio.h>

#include "timeline/timeline.h"

struct sdsim_timeline_writer;

/*
 * Begins a file with the texts the timeline has so far; spans recorded from now on go to it. `stream`
 * is open for writing binary data and stays the caller's. NULL, with the reason in `why` (`size` bytes),
 * if it can't be written. The timeline must outlive the writer and be empty.
 */
struct sdsim_timeline_writer *
sdsim_timeline_writer_open(FILE *stream, struct sdsim_timeline *timeline, char *why, size_t size);

/* Finishes the timeline and the file, and frees the writer; the stream is flushed but stays open. False,
 * with the reason, if something could not be written; the file then can be opened up to there. The spans
 * of the timeline are in the file only. */
bool sdsim_timeline_writer_close(struct sdsim_timeline_writer *writer, char *why, size_t size);

#endif
