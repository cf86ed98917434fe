#include "journal.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "flash/medium.h"

static const char magic[8] = "sdsimJNL";
static const char record_magic[4] = "REC ";

enum {
    VERSION = 1,
    HEADER = 8 + 4 + SDSIM_CID_BYTES + 4 + 8,
    RECORD_HEAD = 4 + 4 + 4,
    SUM = 8,
};

static bool fail(struct sdsim_journal *journal, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static bool fail(struct sdsim_journal *journal, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(journal->error, sizeof journal->error, format, arguments);
    va_end(arguments);
    return false;
}

/* ---- numbers and sums ---- */

static uint64_t sum_of(uint64_t sum, const void *bytes, size_t count)
{
    const uint8_t *at = bytes;
    for (size_t i = 0; i < count; i++) {
        sum = (sum ^ at[i]) * UINT64_C(0x100000001B3);
    }
    return sum;
}

static const uint64_t sum_start = UINT64_C(0xCBF29CE484222325);

static void put(uint8_t *out, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) {
        out[i] = (uint8_t)(value >> 8 * i);
    }
}

static uint64_t get(const uint8_t *in, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = bytes; i-- > 0;) {
        value = value << 8 | in[i];
    }
    return value;
}

/* ---- the file ---- */

void sdsim_journal_close(struct sdsim_journal *journal)
{
    if (journal->file != NULL) {
        fclose(journal->file);
    }
    free(journal->path);
    free(journal->records);
    journal->file = NULL;
    journal->path = NULL;
    journal->records = NULL;
    journal->count = 0;
    journal->capacity = 0;
}

bool sdsim_journal_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

/* All of it on the disk. */
static bool settle(struct sdsim_journal *journal)
{
    if (fflush(journal->file) != 0 || fsync(fileno(journal->file)) != 0) {
        return fail(journal, "%s: can't be written: %s", journal->path, strerror(errno));
    }
    return true;
}

/* A file whose name is not on the disk is lost with everything in it. */
static bool settle_folder(struct sdsim_journal *journal)
{
    char *copy = strdup(journal->path);
    const int folder = copy != NULL ? open(dirname(copy), O_RDONLY) : -1;
    const bool fine = folder >= 0 && (fsync(folder) == 0 || errno == EINVAL);
    if (!fine) {
        (void)fail(journal, "%s: its folder can't be written: %s", journal->path, strerror(errno));
    }
    if (folder >= 0) {
        close(folder);
    }
    free(copy);
    return fine;
}

bool sdsim_journal_create(struct sdsim_journal *journal, const char *path,
                          const uint8_t cid[SDSIM_CID_BYTES], uint32_t sectors)
{
    uint8_t head[HEADER];
    *journal = (struct sdsim_journal){.sectors = sectors};
    memcpy(journal->cid, cid, SDSIM_CID_BYTES);
    journal->path = strdup(path);
    const int file = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (journal->path == NULL || file < 0) {
        (void)fail(journal, "%s: can't be made: %s", path, strerror(errno));
        if (file >= 0) {
            close(file);
        }
        return false;
    }
    journal->file = fdopen(file, "w+b");
    if (journal->file == NULL) {
        close(file);
        return fail(journal, "%s: can't be opened: %s", path, strerror(errno));
    }
    memcpy(head, magic, sizeof magic);
    put(head + 8, VERSION, 4);
    memcpy(head + 12, cid, SDSIM_CID_BYTES);
    put(head + 12 + SDSIM_CID_BYTES, sectors, 4);
    put(head + HEADER - SUM, sum_of(sum_start, head, HEADER - SUM), SUM);
    fwrite(head, 1, HEADER, journal->file);
    return settle(journal) && settle_folder(journal);
}

/* ---- records ---- */

static bool keep(struct sdsim_journal *journal, const struct sdsim_journal_record *record)
{
    if (journal->count == journal->capacity) {
        const size_t wanted = journal->capacity * 2 + 64;
        struct sdsim_journal_record *grown =
            realloc(journal->records, wanted * sizeof *journal->records);
        if (grown == NULL) {
            return fail(journal, "out of memory");
        }
        journal->records = grown;
        journal->capacity = wanted;
    }
    size_t at = journal->count;
    while (at > 0 && journal->records[at - 1].lba > record->lba) {
        journal->records[at] = journal->records[at - 1];
        at--;
    }
    journal->records[at] = *record;
    journal->count++;
    return true;
}

bool sdsim_journal_append(struct sdsim_journal *journal, uint32_t lba, uint32_t count,
                          const uint8_t *data)
{
    uint8_t head[RECORD_HEAD];
    uint8_t sum[SUM];
    const size_t size = (size_t)count * SDSIM_SECTOR;
    memcpy(head, record_magic, sizeof record_magic);
    put(head + 4, lba, 4);
    put(head + 8, count, 4);
    put(sum, sum_of(sum_of(sum_start, head, sizeof head), data, size), SUM);
    if (fseek(journal->file, 0, SEEK_END) != 0) {
        return fail(journal, "%s: can't be written: %s", journal->path, strerror(errno));
    }
    const struct sdsim_journal_record record = {lba, count, ftell(journal->file) + RECORD_HEAD};
    fwrite(head, 1, sizeof head, journal->file);
    fwrite(data, 1, size, journal->file);
    fwrite(sum, 1, sizeof sum, journal->file);
    if (ferror(journal->file) != 0) {
        return fail(journal, "%s: can't be written: %s", journal->path, strerror(errno));
    }
    return settle(journal) && keep(journal, &record);
}

bool sdsim_journal_read(struct sdsim_journal *journal, const struct sdsim_journal_record *record,
                        uint32_t skip, uint32_t count, uint8_t *data)
{
    const size_t size = (size_t)count * SDSIM_SECTOR;
    if (fseek(journal->file, record->offset + (long)skip * (long)SDSIM_SECTOR, SEEK_SET) != 0 ||
        fread(data, 1, size, journal->file) != size) {
        return fail(journal, "%s: can't be read: %s", journal->path, strerror(errno));
    }
    return true;
}

/* The sum of a record's data; false: the file ends before it does. */
static bool sum_data(FILE *file, uint64_t *sum, uint64_t size)
{
    uint8_t part[4096];
    while (size > 0) {
        const size_t wanted = size < sizeof part ? (size_t)size : sizeof part;
        if (fread(part, 1, wanted, file) != wanted) {
            return false;
        }
        *sum = sum_of(*sum, part, wanted);
        size -= wanted;
    }
    return true;
}

enum reading {
    READ_ON,
    READ_END,
    READ_DAMAGED,
};

static enum reading read_record(struct sdsim_journal *journal)
{
    uint8_t head[RECORD_HEAD];
    uint8_t sum[SUM];
    if (fread(head, 1, sizeof head, journal->file) != sizeof head) {
        return READ_END;
    }
    const struct sdsim_journal_record record = {(uint32_t)get(head + 4, 4),
                                                (uint32_t)get(head + 8, 4), ftell(journal->file)};
    const bool sensible = memcmp(head, record_magic, sizeof record_magic) == 0 &&
                          record.count > 0 && record.lba < journal->sectors &&
                          record.count <= journal->sectors - record.lba;
    if (!sensible) {
        return READ_DAMAGED;
    }
    uint64_t found = sum_of(sum_start, head, sizeof head);
    if (!sum_data(journal->file, &found, (uint64_t)record.count * SDSIM_SECTOR) ||
        fread(sum, 1, sizeof sum, journal->file) != sizeof sum) {
        return READ_END; /* cut off */
    }
    if (found != get(sum, SUM)) {
        /* The last record may be long enough and yet not have arrived as a whole. */
        return fgetc(journal->file) == EOF ? READ_END : READ_DAMAGED;
    }
    return keep(journal, &record) ? READ_ON : READ_DAMAGED;
}

bool sdsim_journal_open(struct sdsim_journal *journal, const char *path)
{
    uint8_t head[HEADER];
    *journal = (struct sdsim_journal){0};
    journal->path = strdup(path);
    journal->file = fopen(path, "r+b");
    if (journal->path == NULL || journal->file == NULL) {
        return fail(journal, "%s: can't be opened: %s", path, strerror(errno));
    }
    if (fread(head, 1, HEADER, journal->file) != HEADER || memcmp(head, magic, sizeof magic) != 0 ||
        get(head + 8, 4) != VERSION ||
        get(head + HEADER - SUM, SUM) != sum_of(sum_start, head, HEADER - SUM)) {
        return fail(journal, "%s: is no journal of sdsim probe, or damaged", path);
    }
    memcpy(journal->cid, head + 12, SDSIM_CID_BYTES);
    journal->sectors = (uint32_t)get(head + 12 + SDSIM_CID_BYTES, 4);
    enum reading reading = READ_ON;
    while (reading == READ_ON) {
        reading = read_record(journal);
    }
    if (reading == READ_DAMAGED) {
        return fail(journal, "%s: is damaged behind %zu good records; nothing was restored", path,
                    journal->count);
    }
    return true;
}

bool sdsim_journal_gap(const struct sdsim_journal *journal, uint32_t lba, uint32_t end,
                       uint32_t *first, uint32_t *count)
{
    for (size_t i = 0; i < journal->count && lba < end; i++) {
        const struct sdsim_journal_record *record = &journal->records[i];
        if (record->lba + record->count <= lba) {
            continue;
        }
        if (record->lba > lba) {
            *first = lba;
            *count = (record->lba < end ? record->lba : end) - lba;
            return true;
        }
        lba = record->lba + record->count;
    }
    *first = lba;
    *count = lba < end ? end - lba : 0;
    return lba < end;
}

bool sdsim_journal_remove(struct sdsim_journal *journal)
{
    if (unlink(journal->path) != 0) {
        return fail(journal, "%s: can't be removed: %s", journal->path, strerror(errno));
    }
    sdsim_journal_close(journal);
    return true;
}
