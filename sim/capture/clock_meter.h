/*
 * The clock of a bus as it was: stretches of one frequency each, from the instants of its rising
 * edges.
 *
 * Periods close to that of the stretch count into its mean; a longer one is a pause (a gap between
 * bytes, a clock that was stopped). When eight periods in a row are none of the stretch's, a new one
 * begins with their median. So pauses end no stretch, and a change of frequency costs eight clocks.
 *
 * A clock that was sampled too seldom shows in its periods: they are few samples long and uneven,
 * because edges fall between samples, or are lost. Whether such a stretch can be read is for the
 * check sums to say: the decoder counts frames with a right and a wrong one.
 *
 * Limits: keeps the first 256 stretches, and counts the others into the last.
 */
#ifndef SDSIM_CAPTURE_CLOCK_METER_H
#define SDSIM_CAPTURE_CLOCK_METER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SDSIM_STRETCHES 256

/* All in ticks of the source. */
struct sdsim_clock_stretch {
    uint64_t start; /* first rising edge */
    uint64_t end;   /* last rising edge */
    uint64_t clocks;
    uint64_t period_sum; /* of `periods` periods without a pause */
    uint64_t periods;
    uint64_t uneven; /* periods up to three times too long, or too short */
    uint64_t frames_right;
    uint64_t frames_wrong;
};

enum { SDSIM_METER_ODD = 8 };

struct sdsim_clock_meter {
    uint64_t quantum; /* ticks a sample: what times are exact to */
    uint64_t last;    /* rising edge */
    bool running;     /* `last` is one */
    uint64_t low;     /* a period of the stretch is low .. low + width */
    uint64_t width;
    uint64_t odd[SDSIM_METER_ODD]; /* the last periods that were none */
    unsigned odd_count;
    size_t count;
    struct sdsim_clock_stretch stretches[SDSIM_STRETCHES];
};

/* `quantum`: ticks between two samples, at least 1. */
void sdsim_clock_meter_init(struct sdsim_clock_meter *meter, uint64_t quantum);

/* A period that is none of the stretch. */
void sdsim_clock_meter_odd(struct sdsim_clock_meter *meter, uint64_t rise);

/* The clock rises. */
static inline void sdsim_clock_meter_rise(struct sdsim_clock_meter *meter, uint64_t rise)
{
    const uint64_t period = rise - meter->last;
    if (period - meter->low <= meter->width && meter->count > 0) {
        struct sdsim_clock_stretch *stretch = &meter->stretches[meter->count - 1];
        stretch->period_sum += period;
        stretch->periods++;
        stretch->clocks++;
        stretch->end = rise;
        meter->odd_count = 0;
        meter->last = rise;
    } else {
        sdsim_clock_meter_odd(meter, rise);
    }
}

/* The same for many rising edges. */
void sdsim_clock_meter_rises(struct sdsim_clock_meter *meter, const uint64_t *rises, size_t count);

/* A frame with a check sum was read. */
void sdsim_clock_meter_frame(struct sdsim_clock_meter *meter, bool right);

/* Whether the clock now has few samples and uneven periods. */
bool sdsim_clock_meter_is_coarse(const struct sdsim_clock_meter *meter);

/* The mean period in ticks; 0 if there is none. */
double sdsim_stretch_period(const struct sdsim_clock_stretch *stretch);

/* Whether it had too few samples a clock to be read. */
bool sdsim_stretch_undersampled(const struct sdsim_clock_stretch *stretch, uint64_t quantum);

#endif
