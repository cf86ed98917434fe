#include "view/ruler.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    sdsim_ps size;
    int digits; /* behind the point, down to ps */
} units[] = {
    {"ps", 1, 0}, {"ns", SDSIM_NS, 3}, {"us", SDSIM_US, 6}, {"ms", SDSIM_MS, 9}, {"s", SDSIM_S, 12},
};

enum { UNIT_COUNT = sizeof units / sizeof *units };

static char *print_in(sdsim_ps time, int unit, const char *sign, char *out, size_t size)
{
    char fraction[16] = "";
    const sdsim_ps whole = time / units[unit].size;
    sdsim_ps rest = time % units[unit].size;
    if (rest > 0) {
        int digits = units[unit].digits;
        while (rest % 10 == 0) {
            rest /= 10;
            digits--;
        }
        snprintf(fraction, sizeof fraction, ".%0*" PRIu64, digits, rest);
    }
    snprintf(out, size, "%s%" PRIu64 "%s%s", sign, whole, fraction, units[unit].name);
    return out;
}

char *sdsim_time_print(sdsim_ps time, char *out, size_t size)
{
    int unit = UNIT_COUNT - 1;
    while (unit > 0 && time < units[unit].size) {
        unit--;
    }
    return print_in(time, time == 0 ? UNIT_COUNT - 1 : unit, "", out, size);
}

/* The smallest 1, 2, 5 times a power of ten that takes at least `apart` pixels. */
static sdsim_ps step_for(const struct sdsim_axis *axis, uint32_t apart)
{
    static const unsigned factors[] = {1, 2, 5};
    const sdsim_ps least = sdsim_axis_time(axis, (int32_t)apart) - axis->from;
    for (sdsim_ps power = 1; power <= SDSIM_TIME_END / 10 / 5; power *= 10) {
        for (int i = 0; i < 3; i++) {
            if (power * factors[i] >= least) {
                return power * factors[i];
            }
        }
    }
    return axis->length;
}

void sdsim_ruler_make(const struct sdsim_axis *axis, uint32_t apart, struct sdsim_ruler *ruler)
{
    memset(ruler, 0, sizeof *ruler);
    ruler->step = step_for(axis, apart);
    int unit = UNIT_COUNT - 1;
    while (unit > 0 && ruler->step < units[unit].size) {
        unit--;
    }
    const sdsim_ps window_end = sdsim_time_sum(axis->from, axis->length);
    /* Up to 9999 of the next larger unit is short enough to be written at each tick. */
    const sdsim_ps large = unit + 1 < UNIT_COUNT ? units[unit + 1].size : SDSIM_TIME_END;
    if (window_end / large >= 10) {
        ruler->base = axis->from - axis->from % large;
        if (axis->length / large >=
            10) { /* a wide window with small steps: only very long labels */
            ruler->base = 0;
        }
    }
    if (ruler->base > 0) {
        sdsim_time_print(ruler->base, ruler->base_label, sizeof ruler->base_label);
    }
    const unsigned parts = ruler->step % 5 == 0 && ruler->step / 5 > 0 ? 5
                           : ruler->step % 2 == 0                      ? 2
                                                                       : 1;
    const sdsim_ps minor = ruler->step / parts;
    const sdsim_ps late = axis->from % minor;
    sdsim_ps at = sdsim_time_sum(axis->from, late > 0 ? minor - late : 0);
    while (at < window_end && ruler->count < SDSIM_TICKS_MOST) {
        struct sdsim_tick *tick = &ruler->ticks[ruler->count++];
        *tick = (struct sdsim_tick){
            .x = sdsim_axis_pixel(axis, at), .at = at, .major = at % ruler->step == 0};
        if (tick->major) {
            print_in(at - ruler->base, unit, ruler->base > 0 ? "+" : "", tick->label,
                     sizeof tick->label);
        }
        if (at > SDSIM_TIME_END - minor) {
            return;
        }
        at += minor;
    }
}
