/*
 * The journal: what was on the card before it was written to, on disk before the first write.
 *
 * Sectors are appended in records of a place, their data and a check sum; a record is on the disk
 * (fsync) before append() returns, and only then may its sectors be written. So whatever happens later -
 * a crash, an unplugged cable - the file holds all that was overwritten. A record that is cut off at the
 * end of the file was never relied on and is left out; one that is damaged anywhere else makes the file
 * unusable as a whole, with a message.
 *
 * The file names its card by the CID, and is removed only when everything was written back and read
 * again.
 *
 *     header   "sdsimJNL", version, CID (16 bytes), sectors of the card, check sum
 *     record   "REC ", LBA, count, data, check sum
 *
 * Numbers are 32 bits, little endian; check sums are 64-bit FNV-1a of all before them in header or
 * record. Limits: one writer; sectors are added once (the guard sees to that).
 */
#ifndef SDSIM_FTDI_JOURNAL_H
#define SDSIM_FTDI_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "card/registers.h"

struct sdsim_journal_record {
    uint32_t lba;
    uint32_t count;
    long offset; /* of the data in the file */
};

struct sdsim_journal {
    char *path;
    FILE *file;
    uint8_t cid[SDSIM_CID_BYTES];
    uint32_t sectors;
    struct sdsim_journal_record *records; /* in ascending order of LBA */
    size_t count;
    size_t capacity;
    char error[512];
};

/* Zeroed memory is a closed journal; sdsim_journal_close takes it. Closing keeps the file. */
void sdsim_journal_close(struct sdsim_journal *journal);

/* Makes a new file; one that is there already is an error. */
bool sdsim_journal_create(struct sdsim_journal *journal, const char *path,
                          const uint8_t cid[SDSIM_CID_BYTES], uint32_t sectors);

/* Opens one that was left. */
bool sdsim_journal_open(struct sdsim_journal *journal, const char *path);

/* Whether there is a file of that name. */
bool sdsim_journal_exists(const char *path);

/* Adds `count` sectors from `lba`, none of which it has yet. */
bool sdsim_journal_append(struct sdsim_journal *journal, uint32_t lba, uint32_t count,
                          const uint8_t *data);

/* The data of a record, `count` sectors from its `skip`-th on. */
bool sdsim_journal_read(struct sdsim_journal *journal, const struct sdsim_journal_record *record,
                        uint32_t skip, uint32_t count, uint8_t *data);

/* The first sector at or behind `lba`, before `end`, that it does not have, and how many follow it that it
 * does not have either. False: there is none. */
bool sdsim_journal_gap(const struct sdsim_journal *journal, uint32_t lba, uint32_t end,
                       uint32_t *first, uint32_t *count);

/* Closes it and removes the file. */
bool sdsim_journal_remove(struct sdsim_journal *journal);

#endif
