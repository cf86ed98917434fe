/*
 * Waveforms as files: VCD for waveform viewers and sigrok, CSV for spreadsheets and scripts.
 *
 * VCD is written so that sigrok-cli (libsigrok 0.5) reads it, which takes one sample a tick: time 0 is
 * the beginning of the window; each pin is a variable of one bit; a released line is 1, never z; the
 * initial values stand at #0, comments only in the head; a bare time stamp ends the file. An instant
 * that is no whole number of ticks is rounded to the nearest one. Times never go back, so what falls
 * into one tick is one change.
 *
 * CSV has a line for each change: the time since power-up in seconds, exactly, and the levels of all
 * pins from there on. The first line is the state at the beginning, the last one that at the end.
 *
 * Both are written as they come, with nothing kept. Errors of the stream are the caller's to look at.
 */
#ifndef SDSIM_CAPTURE_WAVE_FILE_H
#define SDSIM_CAPTURE_WAVE_FILE_H

#include <stdio.h>

#include "capture/wave.h"

struct sdsim_wave_file {
    struct sdsim_wave_sink sink; /* first: a file is a sink */
    FILE *out;                   /* not owned */
    const struct sdsim_wave_pins *pins;
    sdsim_ps from;
    sdsim_ps tick;    /* VCD */
    uint64_t last;    /* VCD: the tick that is at work, not written yet */
    unsigned levels;  /* the last ones */
    unsigned written; /* VCD: before this tick */
    bool begun;       /* VCD: #0 is written */
};

/* Writes the head. `tick` picoseconds a tick, as sdsim_wave_timescale gives them; `about` is a comment
 * of one line. */
void sdsim_wave_vcd_begin(struct sdsim_wave_file *file, FILE *out, enum sdsim_bus_mode mode,
                          sdsim_ps from, sdsim_ps tick, const char *about);
void sdsim_wave_csv_begin(struct sdsim_wave_file *file, FILE *out, enum sdsim_bus_mode mode,
                          sdsim_ps from);

/* Writes what ends the file: the window ends, or the run, at `end`. */
void sdsim_wave_vcd_end(struct sdsim_wave_file *file, sdsim_ps end);
void sdsim_wave_csv_end(struct sdsim_wave_file *file, sdsim_ps end);

/* "1 ps", "10 ns", ... of a timescale; 32 bytes are enough. Returns out. */
char *sdsim_wave_tick_text(sdsim_ps tick, char *out, size_t size);

/* About how many bytes a VCD of that many bus clocks is, over a window of `span`. */
uint64_t sdsim_wave_vcd_size(uint64_t clocks, sdsim_ps span, sdsim_ps tick);

#endif
