/*
 * A timeline: everything a run did, and when.
 *
 * Recorded, it is a recorder: spans go to their lanes, details to one table. With a sink the blocks of
 * spans go to a file while the run goes on (timeline/write.h); without one all stays in memory. Opened
 * from a file (timeline/read.h) it has details and summaries in memory and fetches spans as they are
 * asked for. Either way the same functions answer: timeline/query.h and timeline/find.h for a lane,
 * timeline/view.h for a picture of all.
 *
 * The setup is a list of texts, each with a name: what the run was made from, so that any stretch of
 * it can be simulated again in full detail.
 */
#ifndef SDSIM_TIMELINE_TIMELINE_H
#define SDSIM_TIMELINE_TIMELINE_H

#include "core/recorder.h"
#include "timeline/details.h"
#include "timeline/store.h"

/* One text of the setup: "file cards/x.yaml", "set seed=5", ...; see timeline/file.h for the names. */
struct sdsim_setup_text {
    char *name; /* owned */
    char *text; /* owned */
    size_t size;
};

struct sdsim_timeline {
    struct sdsim_recorder recorder; /* first: a pointer to it is one to the timeline */
    struct sdsim_details details;
    struct sdsim_store lanes[SDSIM_LANE_COUNT];
    struct sdsim_setup_text *texts;
    size_t text_count;
    sdsim_ps end; /* known when it is finished */
    bool finished;
};

/* An empty timeline, ready to record. Must not be moved. */
void sdsim_timeline_init(struct sdsim_timeline *timeline);
void sdsim_timeline_free(struct sdsim_timeline *timeline);

/* Adds a text of the setup; both are copied. False without memory. */
bool sdsim_timeline_add_text(struct sdsim_timeline *timeline, const char *name, const char *text,
                             size_t size);

/* The text with a name, NULL if there is none. */
const struct sdsim_setup_text *sdsim_timeline_text(const struct sdsim_timeline *timeline,
                                                   const char *name);

/* The run is over: completes all lanes. False, with the reason in *why (static), if something was
 * lost. */
bool sdsim_timeline_finish(struct sdsim_timeline *timeline, const char **why);

/* Spans that are stored, all lanes; memory in bytes, all of it. */
uint64_t sdsim_timeline_spans(const struct sdsim_timeline *timeline);
size_t sdsim_timeline_memory(const struct sdsim_timeline *timeline);

#endif
