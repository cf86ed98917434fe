#include "guard.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PART = 256 }; /* sectors moved at once */

static bool fail(struct sdsim_guard *guard, const char *why)
{
    snprintf(guard->io->error, sizeof guard->io->error, "%s", why);
    return false;
}

static bool stopped(struct sdsim_guard *guard)
{
    if (guard->stop != NULL && *guard->stop != 0) {
        return !fail(guard, "stopped by the user");
    }
    return false;
}

/* Sectors lba..lba + count - 1 may be written. */
static bool permitted(struct sdsim_guard *guard, uint32_t lba, uint32_t count)
{
    const struct sdsim_card_writer *writer = &guard->writer;
    if (count > 0 && lba >= writer->from && lba < writer->to && count <= writer->to - lba) {
        return true;
    }
    char why[160];
    snprintf(why, sizeof why,
             "sectors %lu to %llu are outside of what may be written (%lu to %lu); nothing was "
             "written there",
             (unsigned long)lba, (unsigned long long)lba + count - 1, (unsigned long)writer->from,
             (unsigned long)writer->to - 1);
    return fail(guard, why);
}

/* Saves sectors that the journal does not have. */
static bool save(struct sdsim_guard *guard, uint32_t lba, uint32_t count)
{
    for (uint32_t done = 0; done < count;) {
        const uint32_t part = count - done < PART ? count - done : PART;
        if (!sdsim_card_io_read(guard->io, lba + done, part, guard->buffer, NULL)) {
            return false;
        }
        if (!sdsim_journal_append(&guard->journal, lba + done, part, guard->buffer)) {
            return fail(guard, guard->journal.error);
        }
        done += part;
    }
    return true;
}

static bool cover(struct sdsim_card_writer *writer, uint32_t lba, uint32_t count)
{
    struct sdsim_guard *guard = (struct sdsim_guard *)writer;
    uint32_t first;
    uint32_t missing;
    if (stopped(guard) || !permitted(guard, lba, count)) {
        return false;
    }
    while (sdsim_journal_gap(&guard->journal, lba, lba + count, &first, &missing)) {
        if (!save(guard, first, missing)) {
            return false;
        }
    }
    return true;
}

static bool write_sectors(struct sdsim_card_writer *writer, uint32_t lba, uint32_t count,
                          const struct sdsim_content *content, struct sdsim_byte_times *times)
{
    struct sdsim_guard *guard = (struct sdsim_guard *)writer;
    return cover(writer, lba, count) && sdsim_card_io_write(guard->io, lba, count, content, times);
}

static bool erase_sectors(struct sdsim_card_writer *writer, uint32_t from, uint32_t to,
                          struct sdsim_byte_times *times)
{
    struct sdsim_guard *guard = (struct sdsim_guard *)writer;
    return to >= from && cover(writer, from, to - from + 1) &&
           sdsim_card_io_erase(guard->io, from, to, times);
}

static bool prepare(struct sdsim_guard *guard, struct sdsim_card_io *io, uint32_t from, uint32_t to)
{
    *guard = (struct sdsim_guard){
        .writer = {cover, write_sectors, erase_sectors, from, to},
        .io = io,
        .buffer = malloc((size_t)2 * PART * SDSIM_SECTOR),
    };
    if (guard->buffer == NULL) {
        return fail(guard, "out of memory");
    }
    return true;
}

bool sdsim_guard_open(struct sdsim_guard *guard, struct sdsim_card_io *io, const char *path,
                      const uint8_t cid[SDSIM_CID_BYTES], uint32_t from, uint32_t to)
{
    if (!prepare(guard, io, from, to)) {
        return false;
    }
    if (to > io->sectors || from >= to) {
        return fail(guard, "the range that may be written is not on the card");
    }
    if (!sdsim_journal_create(&guard->journal, path, cid, io->sectors)) {
        return fail(guard, guard->journal.error);
    }
    return true;
}

bool sdsim_guard_reopen(struct sdsim_guard *guard, struct sdsim_card_io *io, const char *path,
                        const uint8_t cid[SDSIM_CID_BYTES])
{
    if (!prepare(guard, io, 0, 0)) {
        return false;
    }
    struct sdsim_journal *journal = &guard->journal;
    if (!sdsim_journal_open(journal, path)) {
        return fail(guard, journal->error);
    }
    if (memcmp(journal->cid, cid, SDSIM_CID_BYTES) != 0 || journal->sectors != io->sectors) {
        return fail(guard, "the journal is that of another card; nothing was restored");
    }
    return true;
}

void sdsim_guard_close(struct sdsim_guard *guard)
{
    sdsim_journal_close(&guard->journal);
    free(guard->buffer);
    guard->buffer = NULL;
}

/* ---- restoring ---- */

typedef bool part_function(struct sdsim_guard *guard, uint32_t lba, uint32_t count,
                           const uint8_t *data);

static bool put_back(struct sdsim_guard *guard, uint32_t lba, uint32_t count, const uint8_t *data)
{
    const struct sdsim_content content = {.kind = SDSIM_CONTENT_BYTES, .bytes = data};
    return sdsim_card_io_write(guard->io, lba, count, &content, NULL);
}

static bool look_again(struct sdsim_guard *guard, uint32_t lba, uint32_t count, const uint8_t *data)
{
    uint8_t *found = guard->buffer + (size_t)PART * SDSIM_SECTOR;
    if (!sdsim_card_io_read(guard->io, lba, count, found, NULL)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        const size_t at = (size_t)i * SDSIM_SECTOR;
        if (memcmp(found + at, data + at, SDSIM_SECTOR) != 0) {
            char why[200];
            snprintf(why, sizeof why,
                     "sector %lu was written back but reads otherwise; the journal %.80s has it",
                     (unsigned long)lba + i, guard->journal.path);
            return fail(guard, why);
        }
    }
    return true;
}

/* Does something with all that the journal has, part by part. */
static bool for_all(struct sdsim_guard *guard, part_function *function)
{
    struct sdsim_journal *journal = &guard->journal;
    for (size_t i = 0; i < journal->count; i++) {
        const struct sdsim_journal_record *record = &journal->records[i];
        for (uint32_t done = 0; done < record->count;) {
            const uint32_t left = record->count - done;
            const uint32_t part = left < PART ? left : PART;
            if (!sdsim_journal_read(journal, record, done, part, guard->buffer)) {
                return fail(guard, journal->error);
            }
            if (!function(guard, record->lba + done, part, guard->buffer)) {
                return false;
            }
            done += part;
        }
    }
    return true;
}

bool sdsim_guard_restore(struct sdsim_guard *guard, uint64_t *restored)
{
    uint64_t sectors = 0;
    for (size_t i = 0; i < guard->journal.count; i++) {
        sectors += guard->journal.records[i].count;
    }
    if (!for_all(guard, put_back) || !for_all(guard, look_again)) {
        return false;
    }
    if (restored != NULL) {
        *restored = sectors;
    }
    if (!sdsim_journal_remove(&guard->journal)) {
        return fail(guard, guard->journal.error);
    }
    return true;
}
