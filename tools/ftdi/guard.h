/*
 * The guard: the only way by which anything here writes to a card.
 *
 * It knows what may be written, one run of sectors, and lets nothing outside of it through, whoever asks.
 * Before a sector is written or erased for the first time it is read and put into the journal
 * (journal.h). At the end, sdsim_guard_restore writes everything back, reads it again, and only then
 * removes the journal.
 *
 * A user who wants to stop (Ctrl-C) sets `*stop`: everything that would write says no from then on,
 * except restoring.
 */
#ifndef SDSIM_FTDI_GUARD_H
#define SDSIM_FTDI_GUARD_H

#include <signal.h>

#include "journal.h"
#include "measures.h"

struct sdsim_guard {
    struct sdsim_card_writer
        writer; /* first: what measurements write by; from and to are the permission */
    struct sdsim_card_io *io; /* not owned */
    struct sdsim_journal journal;
    const volatile sig_atomic_t *stop; /* may be NULL; not owned */
    uint8_t *buffer;                   /* owned */
};

/* Sectors from..to - 1 of a card may be written from now on; the journal is a new file at `path`. False:
 * io->error. */
bool sdsim_guard_open(struct sdsim_guard *guard, struct sdsim_card_io *io, const char *path,
                      const uint8_t cid[SDSIM_CID_BYTES], uint32_t from, uint32_t to);

/* The guard of a journal that was left behind: may write what the journal has. The card must be the
 * journal's. */
bool sdsim_guard_reopen(struct sdsim_guard *guard, struct sdsim_card_io *io, const char *path,
                        const uint8_t cid[SDSIM_CID_BYTES]);

/* Frees what the guard has; the journal's file stays. */
void sdsim_guard_close(struct sdsim_guard *guard);

/* Writes everything back, checks it, and removes the journal. `restored` (or NULL) gets the number of
 * sectors. False: io->error; the journal is still there. */
bool sdsim_guard_restore(struct sdsim_guard *guard, uint64_t *restored);

#endif
