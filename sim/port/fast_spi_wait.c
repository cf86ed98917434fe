/*
 * The waits of the fast SPI port: looks at the card, byte by byte, with or without sleeps between
 * them. Looks that follow each other without a sleep are solved at once.
 */
#include "port/fast.h"
#include "port/fast_spi.h"

/* What a wait sees of the card. */
struct view {
    sdsim_ps ready_at; /* up to here the line is low, */
    uint64_t hidden;   /* but for so many looks, which see something else */
    bool first_low;    /* CS is high, and the first look still sees one bit of busy */
};

/* Before CMD0 some cards hold the line low. Behind CS low a busy may show one bit late: the byte is
 * 0x80, which only a test for 0xFF takes for busy. */
static void change_view(const struct sdsim_port *port, enum sdsim_ready_test test, sdsim_ps first,
                        struct view *view)
{
    const struct sdsim_card *card = port->card;
    const struct sdsim_card_params *params = card->params;
    if (!card->spi) {
        view->ready_at = params->first_do == SDSIM_DO_LOW ? SDSIM_TIME_END : 0;
    } else if (port->selected) {
        const bool late = params->reselect_clocks > 0 && test != SDSIM_READY_ALL_ONES;
        view->hidden = late && view->hidden == 0 ? 1 : view->hidden;
    } else {
        view->first_low =
            params->release_clocks > 0 && port->busy_in == 0 && first < sdsim_card_busy(card).at;
    }
}

static inline struct view view_of(const struct sdsim_port *port, enum sdsim_ready_test test,
                                  sdsim_ps first)
{
    const struct sdsim_card *card = port->card;
    struct view view = {.ready_at = port->selected ? sdsim_card_busy(card).at : 0,
                        .hidden = port->busy_in};
    if (!card->spi || (port->cs_edge && card->slow_edges)) {
        change_view(port, test, first, &view);
    }
    return view;
}

/* The look (from 0) that satisfies the test, UINT64_MAX for never. `first` is when look 0 starts
 * its byte, `period` the dead time per look. */
static uint64_t satisfying_look(const struct sdsim_port *port, enum sdsim_ready_test test,
                                sdsim_ps first, sdsim_ps period, const struct view *view)
{
    const struct sdsim_clock *clock = &port->clock;
    const uint64_t hidden = view->hidden;
    if (view->ready_at == SDSIM_TIME_END) {
        return test == SDSIM_READY_BUSY_SEEN ? 0 : UINT64_MAX;
    }
    switch (test) {
    case SDSIM_READY_BUSY_SEEN: {
        const sdsim_ps start = first + hidden * period + sdsim_clock_peek(clock, 8 * hidden);
        return start < view->ready_at ? hidden : UINT64_MAX;
    }
    case SDSIM_READY_TWO_NONZERO: {
        if (hidden > 1) {
            return 1;
        }
        const uint64_t ready = sdsim_first_from(clock, first, period, 8, 0, view->ready_at);
        if (hidden == 1) {
            return ready > 1 ? ready : 1;
        }
        return ready + 1;
    }
    case SDSIM_READY_ALL_ONES:
        if (view->first_low) {
            return 1;
        }
        break;
    default:
        break;
    }
    return hidden > 0 ? 0 : sdsim_first_from(clock, first, period, 8, 0, view->ready_at);
}

/* Whether look number `look`, whose byte starts at `start`, ends the wait. */
static bool look_ends(enum sdsim_ready_test test, const struct view *view, uint64_t look,
                      sdsim_ps start)
{
    const bool ready = view->hidden > look || start >= view->ready_at;
    if (test == SDSIM_READY_ALL_ONES && view->first_low && look == 0) {
        return false;
    }
    return test == SDSIM_READY_BUSY_SEEN ? !ready : ready;
}

/* The last look that may be taken, which is the first to begin when the limit has run out. */
static uint64_t last_look(const struct sdsim_port *port, sdsim_ps from, sdsim_ps period,
                          sdsim_ps limit)
{
    return limit > 0 ? sdsim_first_from(&port->clock, from, period, 8, 0, from + limit)
                     : UINT64_MAX;
}

/* The same as sdsim_fast_spi_poll() with sleeps between the looks: up to the first sleep in closed form, from
 * there on look by look. */
static bool poll_sleeping(struct sdsim_port *port, sdsim_ps *now, const struct sdsim_wait *wait)
{
    const struct sdsim_burst *cost = &port->spi->poll;
    const sdsim_ps period = cost->before + cost->after;
    struct sdsim_ready ready = sdsim_card_busy(port->card);
    const sdsim_ps from = *now;
    uint64_t looks = 0;
    const sdsim_ps first = sdsim_time_sum(from, cost->before);
    const struct view view = view_of(port, wait->test, first);
    if (!port->selected) {
        ready.at = 0; /* the line is pulled up */
    }
    if (wait->sleep_after > 0) {
        const uint64_t met = satisfying_look(port, wait->test, first, period, &view);
        const uint64_t last = last_look(port, from, period, wait->limit);
        const uint64_t sleeping =
            sdsim_first_from(&port->clock, from + period, period, 8, 8, from + wait->sleep_after);
        looks = met < last ? met : last;
        looks = looks < sleeping ? looks : sleeping;
        *now = sdsim_time_sum(*now, sdsim_time_sum(sdsim_time_times(period, looks),
                                                   sdsim_clock_take(&port->clock, 8 * looks)));
    }
    bool met = false;
    bool last = false;
    while (!met && !last) {
        last = wait->limit > 0 && *now - from >= wait->limit;
        met = look_ends(wait->test, &view, looks, sdsim_time_sum(*now, cost->before));
        *now = sdsim_time_sum(*now, sdsim_time_sum(period, sdsim_clock_take(&port->clock, 8)));
        looks++;
        if (!met && !last && *now - from >= wait->sleep_after) {
            *now = sdsim_wait_sleep_end(wait, *now);
        }
    }
    sdsim_fast_spi_pass(port, looks);
    port->meter->counters.bus_clocks += 8 * looks;
    sdsim_note_looks(port, from, *now, looks);
    sdsim_book_wait(port->meter, SDSIM_BUSY, from, *now, ready.at, ready.pause);
    return met || wait->soft;
}

bool sdsim_fast_spi_poll(struct sdsim_port *port, sdsim_ps *now, const struct sdsim_wait *wait)
{
    if (wait->sleep > 0) {
        return poll_sleeping(port, now, wait);
    }
    const struct sdsim_burst *cost = &port->spi->poll;
    const sdsim_ps period = cost->before + cost->after;
    struct sdsim_ready ready = sdsim_card_busy(port->card);
    const sdsim_ps from = *now;
    const sdsim_ps first = sdsim_time_sum(from, cost->before);
    const struct view view = view_of(port, wait->test, first);
    if (!port->selected) {
        ready.at = 0; /* the line is pulled up */
    }
    uint64_t look = 0;
    bool met = true;
    if (first < view.ready_at || view.first_low ||
        wait->test > SDSIM_READY_NONZERO) { /* less often than not */
        look = satisfying_look(port, wait->test, first, period, &view);
    }
    if (look > 0) {
        const uint64_t last = last_look(port, from, period, wait->limit);
        met = look <= last;
        look = met ? look : last;
    }
    const uint64_t looks = look + 1;
    sdsim_fast_spi_pass(port, looks);
    port->meter->counters.bus_clocks += 8 * looks;
    *now = sdsim_time_sum(*now, sdsim_time_sum(sdsim_time_times(period, looks),
                                               sdsim_clock_take(&port->clock, 8 * looks)));
    sdsim_note_looks(port, from, *now, looks);
    sdsim_book_wait(port->meter, SDSIM_BUSY, from, *now, ready.at, ready.pause);
    return met || wait->soft;
}
