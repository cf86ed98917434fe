/*
 * All that one start of the program holds: what is looked at, the state, and what pictures are made with.
 */
#ifndef SDSIM_VIEWER_VIEWER_H
#define SDSIM_VIEWER_VIEWER_H

#include <SDL.h>

#include "app.h"
#include "bits.h"
#include "scene.h"
#include "subject.h"

struct sdsim_viewer {
    struct sdsim_timeline timelines[2];
    struct sdsim_subject *subjects[2]; /* [1] may be NULL */
    struct sdsim_bits *bits;
    struct sdsim_app app;
    struct sdsim_scene scene;
    struct sdsim_font font;
    struct sdsim_canvas canvas;
    bool damaged[2]; /* a part of the file can't be read, and the user knows */
};

/* Draws the state on a surface of 32-bit pixels. False without memory. */
bool sdsim_viewer_draw(struct sdsim_viewer *viewer, SDL_Surface *surface);

/* A surface for that, of the window's size; NULL without memory. */
SDL_Surface *sdsim_viewer_surface(const struct sdsim_viewer *viewer);

#endif
