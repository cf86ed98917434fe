#include "ftdi/engine_link.h"

#include <stdlib.h>
#include <string.h>

/* The longest that what fits into a FIFO keeps an engine busy; after that it waits for a pin. */
enum { MOST_RUNS = 1024 };

struct engine_link {
    struct sdsim_link link;
    struct sdsim_engine *engine;
    sdsim_ps round_trip;
    uint8_t *answers; /* not handed over yet: from `first`, `count` of them */
    size_t room;
    size_t first;
    size_t count;
    enum sdsim_link_fault broken;
};

static bool make_room(struct engine_link *self, size_t more)
{
    if (self->first > 0) {
        memmove(self->answers, self->answers + self->first, self->count);
        self->first = 0;
    }
    if (self->count + more <= self->room) {
        return true;
    }
    const size_t room = 2 * (self->count + more);
    uint8_t *answers = realloc(self->answers, room);
    if (answers == NULL) {
        return sdsim_link_fail(&self->link, SDSIM_LINK_MEMORY, "out of memory");
    }
    self->answers = answers;
    self->room = room;
    return true;
}

/* Takes off what the engine has answered. */
static bool drain(struct engine_link *self)
{
    if (self->engine->in.count == 0) {
        return true;
    }
    if (!make_room(self, self->engine->in.count)) {
        return false;
    }
    self->count += sdsim_engine_take(self->engine, self->answers + self->first + self->count,
                                     self->room - self->first - self->count);
    return true;
}

static bool submit(struct sdsim_link *link, const uint8_t *out, size_t out_count, size_t in_count)
{
    (void)in_count;
    struct engine_link *self = (struct engine_link *)link;
    enum sdsim_engine_state state = SDSIM_ENGINE_RUNS;
    size_t sent = 0;
    int runs = 0; /* since something could be sent */
    link->counters.transfers++;
    while (sent < out_count || state == SDSIM_ENGINE_RUNS || state == SDSIM_ENGINE_FULL) {
        const size_t more = sdsim_engine_put(self->engine, out + sent, out_count - sent);
        sent += more;
        runs = more > 0 ? 0 : runs + 1;
        state = sdsim_engine_run(self->engine);
        const size_t before = self->count;
        if (!drain(self)) {
            return false;
        }
        runs = self->count > before ? 0 : runs;
        if (state == SDSIM_ENGINE_WAITS || runs > MOST_RUNS) {
            break; /* and collect() will wait in vain */
        }
    }
    link->sent_at = sdsim_link_host_time(link);
    return true;
}

static bool collect(struct sdsim_link *link, uint8_t *in, size_t count, sdsim_ps patience)
{
    struct engine_link *self = (struct engine_link *)link;
    (void)patience;
    if (self->broken != SDSIM_LINK_FINE) {
        const enum sdsim_link_fault fault = self->broken;
        self->broken = SDSIM_LINK_FINE;
        return sdsim_link_fail(link, fault, "a fault on order");
    }
    if (self->count > link->expected) {
        return sdsim_link_fail(link, SDSIM_LINK_OUT_OF_STEP,
                               "the chip answered %zu bytes more than it was asked for",
                               self->count - link->expected);
    }
    if (self->count < count) {
        return sdsim_link_fail(link, SDSIM_LINK_TIMEOUT, "the chip answered %zu bytes of %zu",
                               self->count, count);
    }
    memcpy(in, self->answers + self->first, count);
    self->first += count;
    self->count -= count;
    link->answered = true;
    link->arrived_at = sdsim_link_host_time(link);
    return true;
}

static bool recover(struct sdsim_link *link)
{
    struct engine_link *self = (struct engine_link *)link;
    static const uint8_t nonsense = SDSIM_MPSSE_NONSENSE;
    uint8_t answer[2] = {0};
    sdsim_engine_reset(self->engine);
    self->count = 0;
    sdsim_engine_put(self->engine, &nonsense, 1);
    sdsim_engine_run(self->engine);
    if (sdsim_engine_take(self->engine, answer, 2) != 2 || answer[0] != SDSIM_MPSSE_BAD ||
        answer[1] != nonsense) {
        return sdsim_link_fail(link, SDSIM_LINK_OUT_OF_STEP, "the chip does not answer 0xAA");
    }
    return true;
}

static void close_link(struct sdsim_link *link)
{
    struct engine_link *self = (struct engine_link *)link;
    free(self->answers);
    free(self);
}

static sdsim_ps host_time(struct sdsim_link *link)
{
    const struct engine_link *self = (struct engine_link *)link;
    return self->engine->now + self->round_trip * link->counters.round_trips;
}

struct sdsim_link *sdsim_engine_link(struct sdsim_engine *engine, sdsim_ps round_trip)
{
    static const struct sdsim_link_class class = {.submit = submit,
                                                  .collect = collect,
                                                  .recover = recover,
                                                  .close = close_link,
                                                  .host_time = host_time};
    struct engine_link *self = calloc(1, sizeof *self);
    if (self == NULL) {
        return NULL;
    }
    self->link.class = &class;
    self->link.chip = engine->chip;
    self->engine = engine;
    self->round_trip = round_trip;
    sdsim_engine_reset(engine);
    return &self->link;
}

void sdsim_engine_link_break(struct sdsim_link *link, enum sdsim_link_fault fault)
{
    ((struct engine_link *)link)->broken = fault;
}
