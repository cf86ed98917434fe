#include "page_watch.h"

#include <stdlib.h>

#include "setup/simulate.h"
#include "timeline/timeline.h"

enum { MOST_SPANS = 4000000 };

/* Hears a run: durations of calls go to the histogram, spans to the timeline. */
struct watch {
    struct sdsim_recorder base; /* first */
    struct sdsim_timeline timeline;
    struct sdsim_histogram *calls;
    uint64_t longest; /* number of the call that counts as the longest */
    sdsim_ps first_start;
    sdsim_ps last_end;
    sdsim_ps longest_start;
    sdsim_ps longest_end;
    uint64_t spans;
    bool keeps;         /* the timeline takes spans */
    bool without_limit; /* the queue: its levels are tenths of nothing */
    sdsim_ps from;      /* of those it takes, when a window is wanted */
    sdsim_ps to;
};

static void hear_span(struct sdsim_recorder *recorder, const struct sdsim_span *span)
{
    struct watch *watch = (struct watch *)recorder;
    const sdsim_ps end = sdsim_time_sum(span->start, span->duration);
    if (!watch->keeps || end < watch->from || span->start > watch->to ||
        (span->lane == SDSIM_LANE_QUEUE && watch->without_limit)) {
        return;
    }
    struct sdsim_span plain = *span;
    plain.detail = 0; /* nobody asks what it is about */
    watch->timeline.recorder.span(&watch->timeline.recorder, &plain);
    watch->spans++;
    watch->keeps = watch->spans < MOST_SPANS;
}

static void hear_call(struct sdsim_recorder *recorder, uint64_t number, sdsim_ps start,
                      sdsim_ps end)
{
    struct watch *watch = (struct watch *)recorder;
    sdsim_histogram_add(watch->calls, end - start);
    if (number == 0) {
        watch->first_start = start;
    }
    watch->last_end = end;
    if (number == watch->longest) {
        watch->longest_start = start;
        watch->longest_end = end;
    }
}

static void listen(struct watch *watch, const struct sdsim_run_report *report, sdsim_ps from,
                   sdsim_ps to)
{
    const struct sdsim_workload_params *workload = &report->setup->run.workload;
    struct sdsim_outcome_report outcome;
    sdsim_timeline_init(&watch->timeline);
    watch->keeps = true;
    watch->without_limit = workload->target != SDSIM_ON_USB && workload->logger.ram == 0;
    watch->spans = 0;
    watch->from = from;
    watch->to = to;
    *watch->calls = (struct sdsim_histogram){.count = 0};
    sdsim_simulate(report->setup, &watch->base, &outcome);
}

/* A finished timeline as a strip; NULL if there is none or no memory. */
static struct sdsim_strip *strip_of(struct watch *watch, sdsim_ps from, sdsim_ps to)
{
    struct sdsim_strip *strip = from < to ? calloc(1, sizeof *strip) : NULL;
    if (strip != NULL) {
        sdsim_strip_fill(strip, &watch->timeline, from, to);
    }
    return strip;
}

static bool watch_run(struct watch *watch, struct sdsim_page_run *run)
{
    const char *why;
    listen(watch, run->report, 0, SDSIM_TIME_END);
    const sdsim_ps margin = (watch->longest_end - watch->longest_start) / 10;
    const sdsim_ps from = sdsim_time_since(watch->longest_start, margin);
    const sdsim_ps to = sdsim_time_sum(watch->longest_end, margin);
    const bool all = watch->keeps;
    if (!all) { /* once more, for the part that matters */
        sdsim_timeline_free(&watch->timeline);
        listen(watch, run->report, from, to);
    }
    bool fine = sdsim_timeline_finish(&watch->timeline, &why);
    if (fine && all) {
        run->whole = strip_of(watch, watch->first_start, watch->last_end);
        fine = run->whole != NULL || watch->first_start >= watch->last_end;
    }
    if (fine && run->calls->count > 1) {
        run->longest = strip_of(watch, from, to);
        fine = run->longest != NULL || from >= to;
    }
    sdsim_timeline_free(&watch->timeline);
    return fine;
}

bool sdsim_page_watch(struct sdsim_page_run *run)
{
    struct watch *watch = calloc(1, sizeof *watch);
    run->calls = calloc(1, sizeof *run->calls);
    bool fine = watch != NULL && run->calls != NULL;
    if (fine) {
        watch->base = (struct sdsim_recorder){.span = hear_span, .call = hear_call};
        watch->calls = run->calls;
        watch->longest = run->report->prediction.typical.workload.longest_call_index;
        fine = watch_run(watch, run);
    }
    free(watch);
    return fine;
}

void sdsim_page_unwatch(struct sdsim_page_run *run)
{
    free(run->calls);
    free(run->whole);
    free(run->longest);
    run->calls = NULL;
    run->whole = run->longest = NULL;
}
