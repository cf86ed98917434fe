/*
 * How long the clock stands still between bytes.
 *
 * A chip that pauses after each byte makes everything that is counted in clocks too short, and nothing on
 * the wires but an oscilloscope shows it. The host's clock does: long runs are timed from the moment
 * they are given away to the arrival of their last answer, and short ones likewise. What USB costs is
 * nearly the same for both, and the quickest of several has least of it; so
 *
 *     gap = (quickest long run - quickest short run) / bytes between them - time of a byte
 *
 * An upper bound needs no such argument: the quickest long run, all of it above its clocks, shared out
 * among its bytes.
 *
 *     clocked   0x8F: no data either way, so neither FIFO can stop it
 *     written   0x11: stops if commands come too late
 *     read      0x20: stops if the host takes the answers too late
 *
 * CS is high meanwhile, and MOSI too: no card hears a command.
 *
 * Limits: on a chip that isn't one, without a clock of its own, the host's time may be shorter than what
 * was clocked; then there is no answer (`known`).
 */
#ifndef SDSIM_FTDI_GAPS_H
#define SDSIM_FTDI_GAPS_H

#include "link.h"

enum sdsim_gap_run { SDSIM_GAP_CLOCKED, SDSIM_GAP_WRITTEN, SDSIM_GAP_READ, SDSIM_GAP_RUNS };

struct sdsim_gap_fact {
    bool known;
    uint32_t bytes; /* of a long run */
    unsigned runs;  /* of each length */
    double gap;     /* ps after each byte ... */
    double low;     /* ... by what the runs scatter ... */
    double most;    /* ... and never more than this */
};

/* "clocked" and so on, and the opcode. */
const char *sdsim_gap_run_name(enum sdsim_gap_run run);
uint8_t sdsim_gap_run_opcode(enum sdsim_gap_run run);

/*
 * Measures at a clock, `runs` of each length, of about 35 ms. Nothing may be under way; the chip is set up
 * anew, at that clock, CS and MOSI high. False: the link failed.
 */
bool sdsim_gap_measure(struct sdsim_link *link, const struct sdsim_mpsse_clock *clock,
                       enum sdsim_gap_run run, unsigned runs, struct sdsim_gap_fact *fact);

#endif
