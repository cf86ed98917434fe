/*
 * What tools/firmware/sdtrace.h recorded on a microcontroller: the log of a serial port with its
 * `sdt1:` lines somewhere in it, or a raw dump.
 *
 * Text: the input is searched for `sdt1:` and 28 characters of base64 behind it, which hold 16 bytes
 * of a record, the low 24 bits of its number and a CRC-16. Whatever else is there (boot messages,
 * time stamps of a terminal, output of other tasks) is skipped. A line with a wrong CRC is left out
 * and told, and so is how many numbers are missing; reading goes on behind it. Raw: 16 bytes of
 * magic, then records of 16 bytes from HEAD to END; END has a CRC of all, and one that is wrong, or
 * missing, is an error, after all records have been given out. Dumps may follow each other in both.
 *
 * The recorder's clock is 32-bit microseconds; how often it has wrapped, helper records tell, so
 * times come out in full and exact. If such a helper was lost on the way, times still never go
 * back. A board that was restarted begins at zero again: its records are put behind those before
 * the restart, and a warning says so.
 *
 * Events come in the order of their ends, as they were recorded.
 *
 * Limits: constant memory (about 70 KiB and that of the input). A clock that has run for more than
 * 100 days at the first record counts from there, since times are picoseconds.
 */
#ifndef SDSIM_TRACE_FIRMWARE_LOG_H
#define SDSIM_TRACE_FIRMWARE_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/time.h"
#include "fat/file.h"
#include "trace/input.h"

/* Kinds of records, with the numbers they have in sdtrace.h. */
enum sdsim_firmware_kind {
    SDSIM_FIRMWARE_HEAD = 1,
    SDSIM_FIRMWARE_END = 2,
    SDSIM_FIRMWARE_LOST = 3, /* the recorder was full: `lost` records are missing here */
    SDSIM_FIRMWARE_EPOCH = 4,
    SDSIM_FIRMWARE_MORE = 5,
    SDSIM_FIRMWARE_NAME = 6,
    SDSIM_FIRMWARE_READ = 16, /* blocks: lba, count */
    SDSIM_FIRMWARE_WRITE = 17,
    SDSIM_FIRMWARE_SYNC = 18,
    SDSIM_FIRMWARE_TRIM = 19,
    SDSIM_FIRMWARE_STATUS = 20,
    SDSIM_FIRMWARE_OPEN = 32, /* files: handle; name, mode, bytes (size of the file) */
    SDSIM_FIRMWARE_CLOSE = 33,
    SDSIM_FIRMWARE_FILE_READ = 34, /* bytes */
    SDSIM_FIRMWARE_FILE_WRITE = 35,
    SDSIM_FIRMWARE_FILE_SYNC = 36,
    SDSIM_FIRMWARE_SEEK = 37, /* bytes: the position */
    SDSIM_FIRMWARE_MARK = 48, /* count: its number; value */
};

/* The longest name of a file that is kept, without its zero. */
#define SDSIM_FIRMWARE_NAME_MAX 252u

/* Something that was recorded: LOST, or a kind from READ on. */
struct sdsim_firmware_event {
    enum sdsim_firmware_kind kind;
    sdsim_ps start;
    sdsim_ps duration;
    uint8_t result; /* 0: it worked */
    uint8_t handle;
    enum sdsim_open_mode mode;
    uint32_t lba;
    uint32_t count;
    uint32_t value;
    uint32_t lost;
    uint64_t bytes;
    const char *name; /* OPEN: until the next event; "" if it is not known */
};

struct sdsim_firmware_log;

/* What an input that begins like this has recordings of. */
struct sdsim_firmware_look {
    bool is_log; /* the magic of a raw dump, or a good line of text among these bytes */
    bool blocks; /* ... and a record of blocks */
    bool files;  /* ... and one of a file call */
};

struct sdsim_firmware_look sdsim_firmware_log_look(const char *bytes, size_t size);

/* Reads; takes over the input, also when it fails. NULL after a message. */
struct sdsim_firmware_log *sdsim_firmware_log_open(struct sdsim_input *input);

/* The next event; false at the end, or after an error, which is told in the input's messages. */
bool sdsim_firmware_log_next(struct sdsim_firmware_log *log, struct sdsim_firmware_event *event);

bool sdsim_firmware_log_failed(const struct sdsim_firmware_log *log);

/* The line that was read last, from 1; 0 in a raw dump. */
uint32_t sdsim_firmware_log_line(const struct sdsim_firmware_log *log);

/* A message about the place that was read last, with a line (text) or an offset (raw). */
void sdsim_firmware_log_warn(struct sdsim_firmware_log *log, const char *help, const char *format,
                             ...) __attribute__((format(printf, 3, 4)));

void sdsim_firmware_log_close(struct sdsim_firmware_log *log);

#endif
