#include "timeline/timeline.h"

#include <stdlib.h>
#include <string.h>

static void hear_span(struct sdsim_recorder *recorder, const struct sdsim_span *span)
{
    struct sdsim_timeline *timeline = (struct sdsim_timeline *)recorder;
    if (span->lane < SDSIM_LANE_COUNT) {
        sdsim_store_add(&timeline->lanes[span->lane], span);
    }
}

static uint32_t hear_detail(struct sdsim_recorder *recorder, const struct sdsim_detail *detail)
{
    struct sdsim_timeline *timeline = (struct sdsim_timeline *)recorder;
    return sdsim_details_number(&timeline->details, detail);
}

void sdsim_timeline_init(struct sdsim_timeline *timeline)
{
    *timeline = (struct sdsim_timeline){.recorder = {.span = hear_span, .detail = hear_detail}};
    for (int lane = 0; lane < SDSIM_LANE_COUNT; lane++) {
        sdsim_store_init(&timeline->lanes[lane], (enum sdsim_lane)lane, &timeline->details);
    }
}

void sdsim_timeline_free(struct sdsim_timeline *timeline)
{
    for (int lane = 0; lane < SDSIM_LANE_COUNT; lane++) {
        sdsim_store_free(&timeline->lanes[lane]);
    }
    sdsim_details_free(&timeline->details);
    for (size_t i = 0; i < timeline->text_count; i++) {
        free(timeline->texts[i].name);
        free(timeline->texts[i].text);
    }
    free(timeline->texts);
    sdsim_timeline_init(timeline);
}

bool sdsim_timeline_add_text(struct sdsim_timeline *timeline, const char *name, const char *text,
                             size_t size)
{
    struct sdsim_setup_text *texts =
        realloc(timeline->texts, (timeline->text_count + 1) * sizeof *texts);
    if (texts == NULL) {
        return false;
    }
    timeline->texts = texts;
    struct sdsim_setup_text *added = &texts[timeline->text_count];
    *added =
        (struct sdsim_setup_text){.name = strdup(name), .text = malloc(size + 1), .size = size};
    if (added->name == NULL || added->text == NULL) {
        free(added->name);
        free(added->text);
        return false;
    }
    memcpy(added->text, text, size);
    added->text[size] = '\0';
    timeline->text_count++;
    return true;
}

const struct sdsim_setup_text *sdsim_timeline_text(const struct sdsim_timeline *timeline,
                                                   const char *name)
{
    for (size_t i = 0; i < timeline->text_count; i++) {
        if (strcmp(timeline->texts[i].name, name) == 0) {
            return &timeline->texts[i];
        }
    }
    return NULL;
}

bool sdsim_timeline_finish(struct sdsim_timeline *timeline, const char **why)
{
    *why = timeline->details.failed ? "out of memory" : NULL;
    for (int lane = 0; lane < SDSIM_LANE_COUNT; lane++) {
        struct sdsim_store *store = &timeline->lanes[lane];
        if (!sdsim_store_finish(store) && *why == NULL) {
            *why = store->fault;
        }
        timeline->end = store->end > timeline->end ? store->end : timeline->end;
    }
    sdsim_details_seal(&timeline->details);
    timeline->finished = true;
    return *why == NULL;
}

uint64_t sdsim_timeline_spans(const struct sdsim_timeline *timeline)
{
    uint64_t sum = 0;
    for (int lane = 0; lane < SDSIM_LANE_COUNT; lane++) {
        sum += timeline->lanes[lane].count;
    }
    return sum;
}

size_t sdsim_timeline_memory(const struct sdsim_timeline *timeline)
{
    size_t sum = sdsim_details_memory(&timeline->details);
    for (int lane = 0; lane < SDSIM_LANE_COUNT; lane++) {
        sum += sdsim_store_memory(&timeline->lanes[lane]);
    }
    return sum;
}
