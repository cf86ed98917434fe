#include "capture/clock_meter.h"

#include <string.h>

enum {
    SAMPLES_A_CLOCK =
        4,              /* that many are needed to tell the edges of data from those of the clock */
    COARSE_SAMPLES = 3, /* below, edges of the clock may be missing */
    SUSPECT_SAMPLES = 6, /* up to so many, uneven periods mean lost edges */
};

void sdsim_clock_meter_init(struct sdsim_clock_meter *meter, uint64_t quantum)
{
    *meter = (struct sdsim_clock_meter){.quantum = quantum > 0 ? quantum : 1};
}

static void sort(uint64_t *values, unsigned count)
{
    for (unsigned i = 1; i < count; i++) {
        const uint64_t value = values[i];
        unsigned k = i;
        for (; k > 0 && values[k - 1] > value; k--) {
            values[k] = values[k - 1];
        }
        values[k] = value;
    }
}

/* Periods from now on are compared with this one: an eighth more or less, and at least a sample, by
 * which a period seems to change when its edges fall between samples. */
static void expect(struct sdsim_clock_meter *meter, uint64_t period)
{
    const uint64_t eighth = period / 8;
    const uint64_t rounding = meter->quantum + meter->quantum / 2;
    const uint64_t around = eighth > rounding ? eighth : rounding;
    meter->low = period > around ? period - around : 0;
    meter->width = period + around - meter->low;
}

/* Eight periods that are none of the stretch: a new one begins behind the last pause among them. The
 * eight are taken off the old. */
static void begin(struct sdsim_clock_meter *meter, uint64_t rise)
{
    uint64_t sorted[SDSIM_METER_ODD];
    uint64_t span = 0;
    uint64_t all = 0;
    uint64_t taken = 0;
    memcpy(sorted, meter->odd, sizeof sorted);
    sort(sorted, meter->odd_count);
    const uint64_t period = sorted[(meter->odd_count - 1) / 2];
    expect(meter, period);
    for (unsigned i = meter->odd_count; i-- > 0;) {
        if (taken == meter->odd_count - 1u - i && meter->odd[i] < 3 * (meter->low + meter->width)) {
            span += meter->odd[i];
            taken++;
        }
        all += meter->odd[i];
    }
    if (meter->count > 0) {
        struct sdsim_clock_stretch *old = &meter->stretches[meter->count - 1];
        old->clocks -= meter->odd_count < old->clocks ? meter->odd_count : old->clocks;
        old->uneven -= meter->odd_count < old->uneven ? meter->odd_count : old->uneven;
        old->end = rise > all && rise - all > old->start ? rise - all : old->start;
    }
    meter->odd_count = 0;
    if (meter->count < SDSIM_STRETCHES) {
        meter->stretches[meter->count++] = (struct sdsim_clock_stretch){
            .start = rise - span,
            .end = rise,
            .clocks = taken + 1,
            .period_sum = period,
            .periods = 1,
        };
    }
}

void sdsim_clock_meter_odd(struct sdsim_clock_meter *meter, uint64_t rise)
{
    const uint64_t period = rise - meter->last;
    meter->last = rise;
    if (!meter->running) {
        meter->running = true;
        return;
    }
    meter->odd[meter->odd_count++] = period;
    if (meter->count > 0) {
        struct sdsim_clock_stretch *stretch = &meter->stretches[meter->count - 1];
        stretch->clocks++;
        stretch->end = rise;
        stretch->uneven += period < 3 * (meter->low + meter->width);
    }
    if (meter->odd_count == SDSIM_METER_ODD) {
        begin(meter, rise);
    }
}

/* How many edges are a period of the stretch behind the one before. */
static size_t count_regular(const struct sdsim_clock_meter *meter, const uint64_t *rises,
                            size_t count)
{
    uint64_t last = meter->last;
    size_t i = 0;
    while (i < count && rises[i] - last - meter->low <= meter->width) {
        last = rises[i++];
    }
    return i;
}

void sdsim_clock_meter_rises(struct sdsim_clock_meter *meter, const uint64_t *rises, size_t count)
{
    for (size_t i = 0; i < count;) {
        const size_t regular = meter->count > 0 ? count_regular(meter, rises + i, count - i) : 0;
        if (regular == 0) {
            sdsim_clock_meter_odd(meter, rises[i++]);
            continue;
        }
        struct sdsim_clock_stretch *stretch = &meter->stretches[meter->count - 1];
        i += regular;
        stretch->period_sum += rises[i - 1] - meter->last;
        stretch->periods += regular;
        stretch->clocks += regular;
        stretch->end = rises[i - 1];
        meter->odd_count = 0;
        meter->last = rises[i - 1];
    }
}

void sdsim_clock_meter_frame(struct sdsim_clock_meter *meter, bool right)
{
    if (meter->count > 0) {
        struct sdsim_clock_stretch *stretch = &meter->stretches[meter->count - 1];
        stretch->frames_right += right;
        stretch->frames_wrong += !right;
    }
}

double sdsim_stretch_period(const struct sdsim_clock_stretch *stretch)
{
    return stretch->periods == 0 ? 0 : (double)stretch->period_sum / (double)stretch->periods;
}

bool sdsim_clock_meter_is_coarse(const struct sdsim_clock_meter *meter)
{
    if (meter->count == 0) {
        return false;
    }
    const struct sdsim_clock_stretch *now = &meter->stretches[meter->count - 1];
    return sdsim_stretch_period(now) < (double)COARSE_SAMPLES * (double)meter->quantum &&
           now->uneven * 50 > now->clocks;
}

bool sdsim_stretch_undersampled(const struct sdsim_clock_stretch *stretch, uint64_t quantum)
{
    const double samples = sdsim_stretch_period(stretch) / (double)quantum;
    if (samples >= SUSPECT_SAMPLES || stretch->frames_right > stretch->frames_wrong) {
        return false;
    }
    return stretch->frames_wrong > 0 ||
           (samples < SAMPLES_A_CLOCK && stretch->uneven * 50 > stretch->clocks);
}
