/*
 * The time axis of a view: which stretch of time lies in how many pixels, and how hands move it.
 *
 * Time is integer picoseconds and pixels are whole, so nothing drifts: pixel x begins at
 * from + length * x / width, rounded down, everywhere. Whatever moves the axis keeps some instant at
 * some pixel (anchoring); a drag anchors the instant that was grabbed at every step instead of adding up
 * steps. Zooming goes along a ladder of lengths, four rungs to a factor of two, so in and out again is
 * back where it was.
 *
 * Limits: a view is never shorter than a picosecond a pixel nor longer than the run and a quarter; it
 * begins at 0 or later, and the run is never out of sight.
 */
#ifndef SDSIM_VIEW_AXIS_H
#define SDSIM_VIEW_AXIS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/time.h"

struct sdsim_axis {
    sdsim_ps from;
    sdsim_ps length; /* > 0 */
    uint32_t width;  /* pixels, 1..65536 */
    sdsim_ps end;    /* of the run, at least 1 */
};

/* The whole run in `width` pixels. */
struct sdsim_axis sdsim_axis_of(sdsim_ps end, uint32_t width);
void sdsim_axis_fit(struct sdsim_axis *axis);

/* The window's width has changed: the same stretch of time. */
void sdsim_axis_resize(struct sdsim_axis *axis, uint32_t width);

/* When pixel x begins. x outside of the window goes on at the same scale, down to 0. */
sdsim_ps sdsim_axis_time(const struct sdsim_axis *axis, int32_t x);

/* The pixel an instant falls into; -1 before the window, `width` behind it. */
int32_t sdsim_axis_pixel(const struct sdsim_axis *axis, sdsim_ps instant);

/* Moves the view so that pixel x begins at `instant`, or as near as the limits let it. */
void sdsim_axis_anchor(struct sdsim_axis *axis, sdsim_ps instant, int32_t x);

/* Zooms in by `steps` rungs (out if negative); what pixel x begins with stays there. */
void sdsim_axis_zoom(struct sdsim_axis *axis, int steps, int32_t x);

/* Moves the view by pixels, later in time if positive. */
void sdsim_axis_pan(struct sdsim_axis *axis, int32_t pixels);

/* Shows exactly [from, to), or as near as the limits let it. */
void sdsim_axis_set(struct sdsim_axis *axis, sdsim_ps from, sdsim_ps to);

/* Zooms to [from, to) with a tenth of it on both sides. */
void sdsim_axis_show(struct sdsim_axis *axis, sdsim_ps from, sdsim_ps to);

/* Moves the view, if need be, so that [from, to) is in it, or its beginning. */
void sdsim_axis_reach(struct sdsim_axis *axis, sdsim_ps from, sdsim_ps to);

#endif
