/*
 * A trace of block operations: what a driver was asked for, in order, with or without times.
 *
 * Everything that becomes a block trace - a text or binary file of our own, the log of a firmware or
 * of Linux, a capture of the pins, a run of the simulator - is a *source* that gives records in
 * batches; everything that takes one is a *sink*. Both work in constant memory.
 *
 *     source -> records[], n -> sink
 *
 * A record is 32 bytes. Most of them are one call of disk_read, disk_write or disk_ioctl; a mark
 * tells which file operation the records behind it come from. Times count from wherever the source's
 * clock began, unless its header `origin` is "power-up". Records are in the order of their starts; a
 * start before the end of the record in front means that the two overlapped.
 *
 * Labels are small numbers; the first ones are the same in every trace (enum sdsim_block_label of
 * fat/blocks.h, plus 1), the rest belong to the trace.
 *
 * Faults are told once, in the list of messages the source was opened with, with file, line and
 * column or the offset in bytes; what was given out before stays good.
 *
 * Limits: sectors of 512 bytes with 32-bit numbers; one card per trace.
 */
#ifndef SDSIM_TRACE_BLOCK_TRACE_H
#define SDSIM_TRACE_BLOCK_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/time.h"

enum sdsim_trace_kind {
    SDSIM_TRACE_READ,   /* disk_read: lba, count */
    SDSIM_TRACE_WRITE,  /* disk_write: lba, count */
    SDSIM_TRACE_SYNC,   /* CTRL_SYNC, a flush */
    SDSIM_TRACE_TRIM,   /* CTRL_TRIM, a discard: lba, count */
    SDSIM_TRACE_ERASE,  /* CMD32, CMD33, CMD38 of a driver: lba, count */
    SDSIM_TRACE_STATUS, /* disk_status that reaches the card */
    SDSIM_TRACE_MARK,   /* the records behind it come from this file operation */
    SDSIM_TRACE_KINDS
};

enum {
    SDSIM_TRACE_HAS_START = 1,    /* `start` is known */
    SDSIM_TRACE_HAS_DURATION = 2, /* `duration` is known */
    SDSIM_TRACE_FAILED = 4,       /* the call ended with an error */
};

/* What `answer_kind` of a mark says; as enum sdsim_answer_kind of fat/session.h. */
struct sdsim_block_record {
    union {
        sdsim_ps start;  /* when the call began */
        uint64_t answer; /* MARK: what the operation answered */
    };
    sdsim_ps duration; /* until it returned; of each, if it repeats */
    union {
        uint32_t lba;
        uint32_t line; /* MARK: line of the operation in its list */
    };
    union {
        uint32_t count;      /* sectors; 0 for SYNC and STATUS */
        uint32_t repetition; /* MARK: from 1 on; 0: none was written */
    };
    union {
        uint32_t repeat; /* how often in a row, >= 1 */
        uint32_t result; /* MARK: 0, or the FatFs result the operation failed with */
    };
    union {
        uint16_t label;       /* 0: none */
        uint16_t answer_kind; /* MARK: enum sdsim_answer_kind */
    };
    uint8_t kind;  /* enum sdsim_trace_kind */
    uint8_t flags; /* SDSIM_TRACE_HAS_... */
};

/* What is known of a trace as a whole: the texts behind labels, and `key=value` headers such as
 * board=esp32-devkit, card=sandisk-ultra-16gb, clock=20MHz, origin=power-up. */
struct sdsim_trace_info;

/* Records out of something. A reader has one as its first member. */
struct sdsim_block_source {
    /*
     * The next records, at most `most` (>= 1). Fewer do not mean the end; 0 does: of the trace, or of
     * what can be read of it, and then `failed` is set and a message was added. Headers and labels
     * used by a record are known when it is given out.
     */
    size_t (*next)(struct sdsim_block_source *source, struct sdsim_block_record *records,
                   size_t most);
    /* Frees the source, the info with it. */
    void (*close)(struct sdsim_block_source *source);
    /* After an end without a single record: what there is instead ("an idle bus"), and in `help` what to
     * do. NULL: nothing is known of that. */
    void (*instead)(const struct sdsim_block_source *source, char *text, size_t size, char *help,
                    size_t help_size);
    struct sdsim_trace_info *info; /* owned by the source */
    bool failed;
};

/* Records into something. A writer has one as its first member. */
struct sdsim_block_sink {
    /* Takes records; `info` is that of their source, the same in every call. False if they can't be
     * stored any more; why, `finish` tells. Headers that become known after the first records are
     * left out. */
    bool (*put)(struct sdsim_block_sink *sink, const struct sdsim_trace_info *info,
                const struct sdsim_block_record *records, size_t count);
    /* Ends what was written and frees the sink. False if anything could not be stored; the reason
     * stands in errno. */
    bool (*finish)(struct sdsim_block_sink *sink);
};

/* An empty one: only the labels that all traces share. NULL without memory. Free with
 * sdsim_trace_info_free, which takes NULL. */
struct sdsim_trace_info *sdsim_trace_info_new(void);
void sdsim_trace_info_free(struct sdsim_trace_info *info);

/* The number of a label, a new one if it is not there yet; 0 if the text is empty, after 65535
 * labels or 1 MiB of their text, and without memory. Control characters become blanks; blanks at
 * either end are left out. */
uint16_t sdsim_trace_label(struct sdsim_trace_info *info, const char *text, size_t length);

/* The text of a label; "" for 0 and numbers that are none. */
const char *sdsim_trace_label_text(const struct sdsim_trace_info *info, uint16_t label);

/* Sets a header; false without memory, after 256 headers or if it would not fit a line. A key is
 * letters, digits, '-' and '.'; values end where their line ends. The latest one counts. */
bool sdsim_trace_set_header(struct sdsim_trace_info *info, const char *key, const char *value);

/* The value of a header, NULL if there is none. */
const char *sdsim_trace_header(const struct sdsim_trace_info *info, const char *key);

/* The headers in order of their first appearance; false behind the last. */
bool sdsim_trace_header_at(const struct sdsim_trace_info *info, size_t index, const char **key,
                           const char **value);

/* "read", "write", "sync", "trim", "erase", "status", "mark". */
const char *sdsim_trace_kind_name(enum sdsim_trace_kind kind);

/* Moves all records of a source into a sink; false if either failed. The sink is not finished. */
bool sdsim_trace_copy(struct sdsim_block_source *source, struct sdsim_block_sink *sink);

#endif
