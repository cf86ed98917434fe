/*
 * Colors, light and dark.
 *
 * Kinds, purposes and calls take theirs from one palette that people with any kind of color vision can
 * tell apart (after Okabe and Ito, 2008); what is worse is also lighter or darker than what is not.
 */
#ifndef SDSIM_VIEWER_THEME_H
#define SDSIM_VIEWER_THEME_H

#include "canvas.h"
#include "core/recorder.h"
#include "view/waves.h"

struct sdsim_theme {
    sdsim_color ground;  /* of the rows */
    sdsim_color ground2; /* of every second one */
    sdsim_color bar;     /* of ruler, minimap and panel */
    sdsim_color line;
    sdsim_color text;
    sdsim_color faint; /* text that matters less */
    sdsim_color mark;  /* selection, markers */
    sdsim_color curve;
    bool dark;
};

const struct sdsim_theme *sdsim_theme(bool dark);

/* The color of a class of a lane. */
sdsim_color sdsim_theme_class(const struct sdsim_theme *theme, enum sdsim_lane lane, uint8_t class);

/* The color of a byte or field of the bus. */
sdsim_color sdsim_theme_tone(const struct sdsim_theme *theme, enum sdsim_tone tone);

/* Black or white, whichever is read better on a color. */
sdsim_color sdsim_theme_ink(sdsim_color on);

#endif
