/*
 * The timeline of a slot: what host and card do, as spans for somebody who listens.
 *
 * The driver is a program of which nothing is known but what it does on the bus, so the kind of each
 * stretch of the bus is read off the state of the card's pins around it. Stretches of one kind that
 * follow each other without a gap become one span, also across calls. What the card does is read off
 * the instants at which it says that it will be ready.
 *
 * Without a listener none of this happens: sdsim_slot_timeline_on() is asked before.
 */
#ifndef SDSIM_API_TIMELINE_H
#define SDSIM_API_TIMELINE_H

#include <stdbool.h>

#include "card/card.h"
#include "sdsim/sdsim.h"

struct sdsim_slot_timeline {
    sdsim_span_function function; /* NULL: nobody listens */
    void *context;
    uint32_t kind; /* of the span on the bus that may still grow; duration 0: there is none */
    uint32_t detail;
    sdsim_ps start;
    sdsim_ps duration;
    uint8_t command;  /* the last one */
    sdsim_ps busy_at; /* what the card said last */
    sdsim_ps ready_at;
    sdsim_ps card_free; /* the end of the card's last span */
};

static inline bool sdsim_slot_timeline_on(const struct sdsim_slot_timeline *timeline)
{
    return timeline->function != NULL;
}

/* Something on the bus, which goes on with what was there if it is alike. */
void sdsim_slot_timeline_bus(struct sdsim_slot_timeline *timeline, uint32_t kind, uint32_t detail,
                             sdsim_ps start, sdsim_ps end);

/* Tells of what has not been told yet. */
void sdsim_slot_timeline_flush(struct sdsim_slot_timeline *timeline);

/* Something has just happened at `now` that may have set the card to work. */
void sdsim_slot_timeline_card(struct sdsim_slot_timeline *timeline, const struct sdsim_card *card,
                              sdsim_ps now);

/* The card has got or lost its power: whatever it did is over. */
void sdsim_slot_timeline_power(struct sdsim_slot_timeline *timeline, sdsim_ps now);

#endif
