#include "api/timeline.h"

void sdsim_slot_timeline_flush(struct sdsim_slot_timeline *timeline)
{
    if (timeline->duration > 0) {
        timeline->function(timeline->context, SDSIM_TRACK_BUS, timeline->kind, timeline->start,
                           timeline->duration, timeline->detail);
        timeline->duration = 0;
    }
}

void sdsim_slot_timeline_bus(struct sdsim_slot_timeline *timeline, uint32_t kind, uint32_t detail,
                             sdsim_ps start, sdsim_ps end)
{
    const bool alike = timeline->duration > 0 && timeline->kind == kind &&
                       timeline->detail == detail && timeline->start + timeline->duration == start;
    if (!alike) {
        sdsim_slot_timeline_flush(timeline);
        timeline->kind = kind;
        timeline->detail = detail;
        timeline->start = start;
    }
    timeline->duration += end - start;
}

static void tell_card(struct sdsim_slot_timeline *timeline, uint32_t kind, sdsim_ps start,
                      sdsim_ps end, uint32_t detail)
{
    if (start < timeline->card_free) {
        start = timeline->card_free;
    }
    if (end > start) {
        timeline->function(timeline->context, SDSIM_TRACK_CARD, kind, start, end - start, detail);
        timeline->card_free = end;
    }
}

void sdsim_slot_timeline_card(struct sdsim_slot_timeline *timeline, const struct sdsim_card *card,
                              sdsim_ps now)
{
    const struct sdsim_ready busy = sdsim_card_busy(card);
    const struct sdsim_ready ready = sdsim_card_read_ready(card);
    if (card->state != SDSIM_CARD_DATA && timeline->ready_at > now) {
        timeline->ready_at = 0; /* cut short */
        timeline->card_free = now;
    }
    if (card->state == SDSIM_CARD_DATA && ready.at != timeline->ready_at) {
        timeline->ready_at = ready.at;
        tell_card(timeline, SDSIM_SPAN_ACCESS, now, ready.at, card->lba);
    }
    if (busy.at < timeline->busy_at && timeline->card_free > now) {
        timeline->card_free = now; /* cut short */
    }
    if (busy.at != timeline->busy_at) {
        timeline->busy_at = busy.at;
        tell_card(timeline, SDSIM_SPAN_BUSY, now, sdsim_time_since(busy.at, busy.pause), 0);
        tell_card(timeline, SDSIM_SPAN_PAUSE, now, busy.at, 0);
    }
}

void sdsim_slot_timeline_power(struct sdsim_slot_timeline *timeline, sdsim_ps now)
{
    timeline->busy_at = 0;
    timeline->ready_at = 0;
    timeline->card_free = now;
}
