#include "workload/bus_sharer.h"

#include <assert.h>

sdsim_ps sdsim_sharer_hold(const struct sdsim_sharer_params *params)
{
    /* Whole clocks of a picosecond more at most; at most 2^33 bits, so nothing overflows below 1 kHz. */
    const uint64_t bits = 8 * params->bytes;
    const sdsim_ps whole = sdsim_time_times(SDSIM_S, bits / params->clock_hz);
    const uint64_t rest = bits % params->clock_hz;
    const sdsim_ps part =
        (rest * 1000000 / params->clock_hz) * SDSIM_US +
        (rest * 1000000 % params->clock_hz * 1000000 + params->clock_hz - 1) / params->clock_hz;
    return sdsim_time_sum(sdsim_time_sum(whole, part), params->setup);
}

/* The device's turns that are due by `now`: it takes the bus when it is free. */
static void serve(struct sdsim_bus_sharer *sharer, sdsim_ps now)
{
    struct sdsim_sharer_result *result = &sharer->result;
    while (sharer->next <= now) {
        const sdsim_ps start = sharer->next > sharer->free ? sharer->next : sharer->free;
        const sdsim_ps waited = start - sharer->next;
        result->turns++;
        result->holds = sdsim_time_sum(result->holds, sharer->hold);
        result->device_waits += waited > 0 ? 1 : 0;
        result->device_waited = sdsim_time_sum(result->device_waited, waited);
        result->device_longest = waited > result->device_longest ? waited : result->device_longest;
        result->missed += waited > sharer->params->every ? 1 : 0;
        sharer->free = sdsim_time_sum(start, sharer->hold);
        sharer->next = sdsim_time_sum(sharer->next, sharer->params->every);
    }
}

static void enter(struct sdsim_driver_gate *gate, struct sdsim_meter *meter, sdsim_ps *now)
{
    struct sdsim_bus_sharer *sharer = (struct sdsim_bus_sharer *)gate;
    struct sdsim_sharer_result *result = &sharer->result;
    serve(sharer, *now);
    const sdsim_ps wait = sdsim_time_since(sharer->free, *now);
    if (wait > 0) {
        result->card_waits++;
        result->card_waited = sdsim_time_sum(result->card_waited, wait);
        result->card_longest = wait > result->card_longest ? wait : result->card_longest;
        sdsim_spend(meter, now, SDSIM_OUTSIDE, SDSIM_LANE_CPU, wait);
    }
}

static void leave(struct sdsim_driver_gate *gate, sdsim_ps now)
{
    ((struct sdsim_bus_sharer *)gate)->free = now;
}

void sdsim_bus_sharer_init(struct sdsim_bus_sharer *sharer,
                           const struct sdsim_sharer_params *params, struct sdsim_driver *driver,
                           sdsim_ps now)
{
    assert(params->bytes > 0 && params->clock_hz > 0);
    *sharer = (struct sdsim_bus_sharer){
        .gate = {.enter = enter, .leave = leave},
        .params = params,
        .hold = sdsim_sharer_hold(params),
        .next = sdsim_time_times(params->every, now / params->every + 1),
        .free = now,
    };
    assert(sharer->hold < params->every);
    driver->gate = &sharer->gate;
}
