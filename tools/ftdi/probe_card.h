/*
 * Probing a card, from its identification to its profile: what `sdsim probe` does once chip and wires are
 * known to work.
 *
 * Reading is what it does by itself. Writing takes a permission of several parts: that the user asks for
 * it, where, and, after having been shown what is on the card, that he says so again, or gave the card's
 * serial number beforehand. Everything written goes through the guard (guard.h).
 */
#ifndef SDSIM_FTDI_PROBE_CARD_H
#define SDSIM_FTDI_PROBE_CARD_H

#include <signal.h>
#include <stdio.h>

#include "card_profile.h"
#include "guard.h"

enum sdsim_probe_exit {
    SDSIM_PROBE_OK = 0,
    SDSIM_PROBE_FINDING = 1,
    SDSIM_PROBE_INPUT = 2,
    SDSIM_PROBE_FAULT = 3,
};

enum sdsim_probe_time {
    SDSIM_PROBE_BUS = 1,
    SDSIM_PROBE_HOST = 2,
    SDSIM_PROBE_BOTH = 3,
};

/* Where and under which conditions a card may be written. */
struct sdsim_write_wish {
    bool wanted;
    uint64_t from; /* bytes ... */
    uint64_t to;   /* ... from..to - 1; both 0: what `scratch` lies in */
    const char *scratch;
    const char *serial;  /* of --yes: the card's, as a number; NULL: ask */
    const char *journal; /* path; NULL: by the card's serial number, in the current directory */
    bool keep;           /* don't restore */
};

struct sdsim_probe_wishes {
    struct sdsim_mpsse_clock clock; /* the highest */
    struct sdsim_measure_plan plan;
    bool identify_only;
    bool restore; /* only finish what was left behind */
    struct sdsim_write_wish write;
    const char *profile; /* path; NULL: none */
    enum sdsim_probe_time time;
    bool json;        /* in the place of the report */
    const char *chip; /* name of the instrument */
    const volatile sig_atomic_t *stop;
    FILE *in; /* where the user answers; NULL: nobody is there to be asked */
};

/* Does it all; the report goes to `out`, questions and messages to `err`. */
enum sdsim_probe_exit sdsim_probe_card(struct sdsim_link *link,
                                       const struct sdsim_probe_wishes *wishes, FILE *out,
                                       FILE *err);

/*
 * Shared with validate: asks for all parts of the permission and opens the guard. SDSIM_PROBE_OK: it is
 * open. What is on the card is printed on `err`.
 */
enum sdsim_probe_exit sdsim_ask_to_write(struct sdsim_card_io *io,
                                         const struct sdsim_card_registers *registers,
                                         const struct sdsim_write_wish *wish, FILE *in, FILE *err,
                                         struct sdsim_guard *guard);

/* Ends the permission: restores what was written, unless the wish says otherwise, and says so. `code` is
 * what became of the work so far, and what is returned if all went well. */
enum sdsim_probe_exit sdsim_end_writing(struct sdsim_guard *guard,
                                        const struct sdsim_write_wish *wish,
                                        enum sdsim_probe_exit code, FILE *err);

/* Allocation unit in sectors, by the SD status; a guess by the capacity if it does not say. */
uint32_t sdsim_probe_au(const struct sdsim_card_registers *registers);

#endif
