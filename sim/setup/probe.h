/*
 * Probes: what a run would be if one thing in it were otherwise that nobody can change by a setting:
 * a card that never makes the host wait, a host whose steps cost nothing, a bus as fast as light, no
 * file system. Each is a simulation of a changed setup. The difference says how much that thing can
 * cost at most, with everything that hides behind it taken into account, and so is the evidence for
 * a verdict ("not the card"). Others ask for a tell: the same at twice the clock, in the other
 * direction, with larger calls, from an earlier place.
 *
 * Limits: typical values only (draw 0). A probe that makes no sense for a run, or that can't be
 * simulated, is not there.
 */
#ifndef SDSIM_SETUP_PROBE_H
#define SDSIM_SETUP_PROBE_H

#include "setup/subject.h"

enum sdsim_probe_kind {
    /* one layer takes no time */
    SDSIM_PROBE_NO_CARD, /* access, programming and housekeeping are over at once */
    SDSIM_PROBE_NO_HOST, /* driver and file API cost nothing: no CPU time, gaps or copies */
    SDSIM_PROBE_NO_BUS,  /* a clock of 1 GHz */
    SDSIM_PROBE_NO_FAT,  /* the same calls on raw sectors, in the middle of the card */
    /* suspects */
    SDSIM_PROBE_NO_SECTOR_WAIT, /* within a command, each sector follows the one before at once */
    SDSIM_PROBE_NO_FIRST_WAIT,  /* the card has a command's first sector at once, or needs no
                                   commit behind the last one */
    SDSIM_PROBE_NO_PAUSES,      /* the card does no housekeeping */
    SDSIM_PROBE_NO_SYNCS,       /* without syncs between the calls */
    SDSIM_PROBE_NO_SLEEPS,      /* the driver neither sleeps between looks nor retries */
    SDSIM_PROBE_NO_CALL_COST,   /* a call of the file API costs nothing */
    /* tells */
    SDSIM_PROBE_TWICE_THE_CLOCK, /* on the wire, whatever the clock generator can do */
    SDSIM_PROBE_OTHER_DIRECTION, /* reads for writes, writes for reads */
    SDSIM_PROBE_SMALLER_CALLS,   /* a quarter */
    SDSIM_PROBE_LARGER_CALLS,    /* four times */
    SDSIM_PROBE_NEARER,          /* half the offset, half the file, half the directory */
    SDSIM_PROBE_COUNT
};

/* "no-card", ..., as in JSON. */
const char *sdsim_probe_name(enum sdsim_probe_kind kind);

struct sdsim_probe {
    bool there; /* the rest means something */
    struct sdsim_outcome_report outcome;
    double speed; /* of the run at hand: how many times as fast as before, per byte, or per call if
                     no bytes are moved */
};

/*
 * How many times as fast `changed` is as `base`: their times for each byte the application moved,
 * or, if one of them moved none, for each call; where both are measured in their shortest or their
 * longest call, that one's. 0 if it can't be said.
 */
double sdsim_speed(const struct sdsim_outcome_report *base,
                   const struct sdsim_outcome_report *changed);

/* The setup of a probe; false if it makes no sense for this one. */
bool sdsim_probe_setup(enum sdsim_probe_kind kind, const struct sdsim_subject *subject,
                       const struct sdsim_setup *base, struct sdsim_setup *setup);

/* Simulates one; `outcome` is that of `base`. Pure: may go on any thread. */
void sdsim_probe_run(enum sdsim_probe_kind kind, const struct sdsim_subject *subject,
                     const struct sdsim_setup *base, const struct sdsim_outcome_report *outcome,
                     struct sdsim_probe *probe);

#endif
