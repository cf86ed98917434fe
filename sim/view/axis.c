#include "view/axis.h"

#include "timeline/query.h"

/* ---- limits ---- */

static sdsim_ps longest_of(const struct sdsim_axis *axis)
{
    const sdsim_ps most = sdsim_time_sum(axis->end, axis->end / 4);
    return most > axis->width ? most : axis->width;
}

static void clamp(struct sdsim_axis *axis)
{
    const sdsim_ps most = longest_of(axis);
    axis->length = axis->length > most          ? most
                   : axis->length < axis->width ? axis->width
                                                : axis->length;
    /* A quarter of the window may lie behind the end, unless all fits. */
    const sdsim_ps last =
        axis->length < axis->end ? sdsim_time_sum(axis->end - axis->length, axis->length / 4) : 0;
    axis->from = axis->from > last ? last : axis->from;
}

void sdsim_axis_fit(struct sdsim_axis *axis)
{
    axis->from = 0;
    axis->length = axis->end;
    clamp(axis);
}

struct sdsim_axis sdsim_axis_of(sdsim_ps end, uint32_t width)
{
    struct sdsim_axis axis = {.width = width < 1                    ? 1
                                       : width > SDSIM_COLUMNS_MOST ? SDSIM_COLUMNS_MOST
                                                                    : width,
                              .end = end > 0 ? end : 1};
    sdsim_axis_fit(&axis);
    return axis;
}

void sdsim_axis_resize(struct sdsim_axis *axis, uint32_t width)
{
    axis->width = width < 1 ? 1 : width > SDSIM_COLUMNS_MOST ? SDSIM_COLUMNS_MOST : width;
    clamp(axis);
}

/* ---- time and pixels ---- */

/* length * x / width, rounded down, without leaving 64 bits. */
static sdsim_ps stretch(const struct sdsim_axis *axis, uint32_t x)
{
    const sdsim_ps whole = sdsim_time_times(axis->length / axis->width, x);
    return sdsim_time_sum(whole, axis->length % axis->width * x / axis->width);
}

sdsim_ps sdsim_axis_time(const struct sdsim_axis *axis, int32_t x)
{
    return x >= 0 ? sdsim_time_sum(axis->from, stretch(axis, (uint32_t)x))
                  : sdsim_time_since(axis->from, stretch(axis, (uint32_t) - (int64_t)x));
}

int32_t sdsim_axis_pixel(const struct sdsim_axis *axis, sdsim_ps instant)
{
    if (instant < axis->from) {
        return -1;
    }
    if (instant - axis->from >= axis->length) {
        return (int32_t)axis->width;
    }
    return (int32_t)sdsim_column_of(axis->from, axis->from + axis->length, axis->width, instant);
}

/* ---- moving ---- */

void sdsim_axis_anchor(struct sdsim_axis *axis, sdsim_ps instant, int32_t x)
{
    axis->from = x >= 0 ? sdsim_time_since(instant, stretch(axis, (uint32_t)x))
                        : sdsim_time_sum(instant, stretch(axis, (uint32_t) - (int64_t)x));
    clamp(axis);
}

/* Rung k of the ladder: 2^(k/4), rounded. */
static sdsim_ps rung(unsigned k)
{
    static const uint64_t quarters[4] = {65536, 77936, 92682, 110218}; /* of 2^16 */
    const unsigned octave = k / 4;
    return octave >= 16 ? quarters[k % 4] << (octave - 16) : quarters[k % 4] >> (16 - octave);
}

enum { RUNGS = 4 * 63 };

void sdsim_axis_zoom(struct sdsim_axis *axis, int steps, int32_t x)
{
    const sdsim_ps anchor = sdsim_axis_time(axis, x);
    /* The rung to count from: the first that is not shorter when zooming in, the last that is not
     * longer when zooming out, so that a length between two goes to the next one. */
    unsigned low = 0;
    while (low < RUNGS && rung(low) < axis->length) {
        low++;
    }
    if (steps < 0 && rung(low) > axis->length && low > 0) {
        low--;
    }
    const int64_t target = (int64_t)low - steps;
    axis->length = rung(target < 0 ? 0 : target > RUNGS ? RUNGS : (unsigned)target);
    clamp(axis);
    sdsim_axis_anchor(axis, anchor, x);
}

void sdsim_axis_pan(struct sdsim_axis *axis, int32_t pixels)
{
    axis->from = sdsim_axis_time(axis, pixels);
    clamp(axis);
}

void sdsim_axis_set(struct sdsim_axis *axis, sdsim_ps from, sdsim_ps to)
{
    axis->from = from;
    axis->length = sdsim_time_since(to, from);
    clamp(axis);
}

void sdsim_axis_show(struct sdsim_axis *axis, sdsim_ps from, sdsim_ps to)
{
    const sdsim_ps length = sdsim_time_since(to, from);
    const sdsim_ps margin = length / 10 + 1;
    axis->length = sdsim_time_sum(length, 2 * margin);
    axis->from = sdsim_time_since(from, margin);
    clamp(axis);
}

void sdsim_axis_reach(struct sdsim_axis *axis, sdsim_ps from, sdsim_ps to)
{
    const sdsim_ps window_end = sdsim_time_sum(axis->from, axis->length);
    if (from >= axis->from && to <= window_end) {
        return;
    }
    const sdsim_ps length = sdsim_time_since(to, from);
    const sdsim_ps room = axis->length > length ? (axis->length - length) / 2 : axis->length / 10;
    axis->from = sdsim_time_since(from, room);
    clamp(axis);
}
