/*
 * Writes a window of a run to a file in one of the formats of `sdsim export`.
 */
#ifndef SDSIM_TOOLS_EXPORT_WRITE_H
#define SDSIM_TOOLS_EXPORT_WRITE_H

#include "command.h"
#include "setup/simulate.h"

enum sdsim_export_format {
    SDSIM_EXPORT_VCD,
    SDSIM_EXPORT_PINS, /* CSV of the pins */
    SDSIM_EXPORT_PERFETTO,
    SDSIM_EXPORT_CSV, /* of the spans */
    SDSIM_EXPORT_FORMATS
};

/* A window that a scout has been to. */
struct sdsim_export {
    enum sdsim_export_format format;
    const struct sdsim_setup *setup;
    const struct sdsim_medium *medium; /* as prepared; each look takes a copy */
    sdsim_ps from;
    sdsim_ps to;     /* behind the end of the run if the window is */
    sdsim_ps end;    /* of the window, or of the run if that is sooner */
    uint64_t first;  /* transaction to begin with */
    uint64_t clocks; /* bus clocks in the window */
    sdsim_ps tick;   /* VCD: the timescale asked for; 0: the coarsest that is exact */
    const char *about;
};

/* Whether a format shows the bits of the bus, not what was done. */
bool sdsim_export_is_bits(enum sdsim_export_format format);

/* About how many bytes it will be. */
uint64_t sdsim_export_size(const struct sdsim_export *export);

/* Writes to `path`, or to standard output if it is NULL. The exit code, after a message if it is not
 * SDSIM_EXIT_OK. */
enum sdsim_exit sdsim_export_write(const struct sdsim_export *export, const char *path);

#endif
