/*
 * The waits of the fast SD port: DAT0 watched by the controller, and CMD13 again and again, with or
 * without sleeps between the looks. Looks that follow each other without a sleep are solved at
 * once.
 */
#include "port/fast.h"
#include "port/fast_sd.h"

void sdsim_fast_sd_await_ready(struct sdsim_port *port, sdsim_ps *now, enum sdsim_kind kind,
                               struct sdsim_ready ready)
{
    const sdsim_ps from = *now;
    const uint64_t count = sdsim_clock_count(&port->clock, ready.at - from);
    port->meter->counters.bus_clocks += count;
    *now = sdsim_time_sum(*now, sdsim_clock_take(&port->clock, count));
    sdsim_book_wait(port->meter, kind, from, *now, ready.at, ready.pause);
}

/* The sleeps of one wait. */
struct naps {
    sdsim_ps length; /* of the next one */
    sdsim_ps after;  /* the wait must have lasted that long */
};

/* Sleeps once; at *now a look has just failed. */
static void nap(const struct sdsim_wait *wait, struct naps *naps, sdsim_ps *now)
{
    struct sdsim_wait one = *wait;
    one.sleep = naps->length;
    *now = sdsim_wait_sleep_end(&one, *now);
    naps->after *= 2;
    if (naps->length < wait->sleep_most) {
        naps->length *= 2;
    }
}

/*
 * A look takes status_before, the frames with N_CR and N_RC, status_after; what it tells is the
 * card's state at the end of the command frame. The frames of the look that says ready are protocol
 * clocks, everything before counts as waiting.
 */
static bool poll_status(struct sdsim_port *port, sdsim_ps *now, const struct sdsim_wait *wait)
{
    const struct sdsim_sd_engine *sd = port->sd;
    struct sdsim_meter *meter = port->meter;
    const struct sdsim_clock *clock = &port->clock;
    const struct sdsim_ready ready = sdsim_card_busy(port->card);
    const uint64_t frames = SDSIM_BUS_COMMAND + port->card->params->n_cr_clocks +
                            SDSIM_BUS_RESPONSE + SDSIM_BUS_TRAILING;
    const sdsim_ps period = sd->status_before + sd->status_after;
    const sdsim_ps from = *now;
    struct naps naps = {.length = wait->sleep, .after = wait->sleep_after};
    uint64_t looks = 0;
    for (;;) {
        /* Looks follow each other with a fixed period up to the one that succeeds, the one that
         * begins at the limit, or the one after which the driver sleeps. */
        uint64_t last = sdsim_first_from(clock, *now + sd->status_before, period, frames,
                                         SDSIM_BUS_COMMAND, ready.at);
        bool met = true;
        bool sleeps = false;
        if (wait->limit > 0 && last > 0 &&
            sdsim_happens(clock, *now, period, frames, 0, last - 1) >= from + wait->limit) {
            last = sdsim_first_from(clock, *now, period, frames, 0, from + wait->limit);
            met = false;
        }
        if (wait->sleep > 0 && last > 0 &&
            sdsim_happens(clock, *now, period, frames, 0, last) >= from + naps.after) {
            last =
                sdsim_first_from(clock, *now + period, period, frames, frames, from + naps.after);
            sleeps = true;
        }
        looks += last + 1;
        meter->counters.commands[13] += last + 1;
        meter->counters.bus_clocks += (last + 1) * frames;
        *now += (last + 1) * period + sdsim_clock_take(&port->clock, last * frames);
        const sdsim_ps on_bus = sdsim_clock_take(&port->clock, frames);
        *now += on_bus;
        if (sleeps) {
            nap(wait, &naps, now);
            continue;
        }
        const sdsim_ps answer = met ? on_bus : 0;
        sdsim_note_looks(port, from, *now, looks);
        sdsim_card_status_told(port->card);
        sdsim_book_wait(meter, SDSIM_BUSY, from, *now - answer, ready.at, ready.pause);
        sdsim_book_span(meter, SDSIM_PROTOCOL, SDSIM_LANE_BUS, *now - answer, answer);
        return met || wait->soft;
    }
}

/* The host hardware, or a loop that reads the pin, watches DAT0. The clock runs meanwhile, and it is
 * looked at behind each of its edges, at last behind the first one at the limit. */
static bool watch_dat0(struct sdsim_port *port, sdsim_ps *now, const struct sdsim_wait *wait)
{
    const struct sdsim_ready ready = sdsim_card_busy(port->card);
    if (wait->limit > 0 && sdsim_time_since(ready.at, *now) > wait->limit) {
        const uint64_t count = sdsim_clock_count(&port->clock, wait->limit);
        const sdsim_ps from = *now;
        if (sdsim_time_sum(from, sdsim_clock_peek(&port->clock, count)) < ready.at) {
            port->meter->counters.bus_clocks += count;
            *now = sdsim_time_sum(from, sdsim_clock_take(&port->clock, count));
            sdsim_book_wait(port->meter, SDSIM_BUSY, from, *now, ready.at, ready.pause);
            return wait->soft;
        }
    }
    sdsim_fast_sd_await(port, now, SDSIM_BUSY, 0, ready);
    return true;
}

bool sdsim_fast_sd_wait(struct sdsim_port *port, sdsim_ps *now, const struct sdsim_wait *wait)
{
    if (wait == NULL) {
        return true;
    }
    return wait->test == SDSIM_READY_STATUS ? poll_status(port, now, wait)
                                            : watch_dat0(port, now, wait);
}
