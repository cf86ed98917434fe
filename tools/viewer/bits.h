/*
 * Bits on demand: looks after the waveforms of the window while it is so short that they can be seen.
 *
 * What is asked for is the window and as much again on both sides, so that a little panning needs no new
 * simulation. In a window a thread works it out while the view stays usable, and an event tells when it is
 * done; for scripts and pictures it is done at once.
 */
#ifndef SDSIM_VIEWER_BITS_H
#define SDSIM_VIEWER_BITS_H

#include "app.h"
#include "subject.h"

struct sdsim_bits;

/* `wake` is called, by another thread, when something is ready to be taken; NULL: nothing is done in the
 * background. The subjects ([1] may be NULL) are not owned. NULL without memory. */
struct sdsim_bits *sdsim_bits_new(struct sdsim_subject *const subjects[2], void (*wake)(void));

/* Waits for what is under way. Takes NULL. */
void sdsim_bits_free(struct sdsim_bits *bits);

/* Before a picture: gives the app the waves it has for its window, and sees to those it has not. */
void sdsim_bits_update(struct sdsim_bits *bits, struct sdsim_app *app);

#endif
