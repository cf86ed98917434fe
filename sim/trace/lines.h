/*
 * Lines of a text input, in constant memory.
 *
 * A line ends at a newline, which is not part of it, or at the end of the input; a carriage return
 * in front of the newline and a UTF-8 byte order mark at the very start are dropped.
 *
 * Limits: lines of up to 1 MiB; a longer one is a fault.
 */
#ifndef SDSIM_TRACE_LINES_H
#define SDSIM_TRACE_LINES_H

#include "trace/encoding.h"
#include "trace/input.h"

struct sdsim_lines {
    struct sdsim_input *input; /* not owned */
    uint64_t number;           /* of the line last given out, from 1 */
    const char *at;            /* whole lines that were seen and not given out yet */
    const char *end;
    size_t seen; /* bytes from where the input stands to `end` */
    bool failed;
    struct sdsim_encoding encoding; /* as it begins */
};

/* Starts at the place the input is at. */
void sdsim_lines_init(struct sdsim_lines *lines, struct sdsim_input *input);

/* Looks at the next stretch of whole lines, *at to *end, of which the last may lack its newline at
 * the end of the input. False at the end. For readers that split lines themselves; they set `at`
 * and count `number`. */
bool sdsim_lines_window(struct sdsim_lines *lines);

/* The next line, valid until the next call; false at the end or after a fault. */
bool sdsim_lines_next(struct sdsim_lines *lines, const char **line, size_t *length);

/* Tells that all lines were read and not one was of the format that was asked for, `what`; and if the
 * input is no plain text, what to do about it. */
void sdsim_lines_tell_none(const struct sdsim_lines *lines, const char *what);

/* The place of the line last given out, for messages; lines beyond 2^32 are told as the last. */
struct sdsim_place sdsim_lines_place(const struct sdsim_lines *lines);

#endif
