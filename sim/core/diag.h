/*
 * Messages about somebody's input: what is wrong, where, and what to do about it.
 *
 * Functions that read a user's file collect all they find in a struct sdsim_diags instead of
 * stopping at the first. Printing gives the form every compiler uses, then the source line and a
 * caret, then the mend:
 *
 *     scenarios/mine.yaml:7:3: error: unknown key 'clok' in bus
 *         7 |   clok: 20MHz
 *           |   ^~~~
 *     help: did you mean 'clock'?
 *
 * The same message about the same place is kept once.
 *
 * The mend is printed in lines of 80 columns; the message itself stays one line, for tools that read it.
 *
 * Limits: keeps the first 100 messages and counts the rest, repeated or not; texts are cut at 1000
 * bytes; source lines are shown up to 100 columns around the place. Running out of memory while
 * adding loses the message but never the fact that there was an error. Texts and source lines are
 * stored fit for a terminal: a tab counts as one blank, control characters and broken UTF-8 are
 * shown as '?'. The caret takes every character for one column wide.
 */
#ifndef SDSIM_CORE_DIAG_H
#define SDSIM_CORE_DIAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum sdsim_severity {
    SDSIM_NOTE,
    SDSIM_WARNING,
    SDSIM_ERROR,
};

/* A place in a source. `file` NULL: no file. `line` 0: the whole file. `column` 0: the whole line.
 * Line and column count from 1, columns in bytes. `length` is what the caret underlines, 0 is 1. */
struct sdsim_place {
    const char *file; /* not owned; copied when a message is added */
    uint32_t line;
    uint32_t column;
    uint32_t length;
};

struct sdsim_diag {
    enum sdsim_severity severity;
    char *file; /* NULL if none */
    uint32_t line;
    uint32_t column;
    uint32_t length;
    char *text;
    char *help;             /* the mend, NULL if there is none to give */
    char *source_line;      /* NULL if not known; of a long line the part around the place */
    uint32_t source_column; /* where `column` lies in source_line, from 1 */
};

struct sdsim_diags {
    struct sdsim_diag *items;
    size_t count;
    size_t capacity;
    size_t errors; /* counts also those that were not kept, so that whoever wants to know whether
                      something went wrong in between can compare */
    size_t warnings;
    size_t dropped;
};

/* Sets up an empty list; frees everything in one. */
void sdsim_diags_init(struct sdsim_diags *diags);
void sdsim_diags_free(struct sdsim_diags *diags);

/*
 * Adds a message; one that is there already (severity, place and text) is only counted. `source`
 * may be NULL or the whole text of the file (any bytes, `source_size` of them), from which the line
 * at `place` is taken. `help` may be NULL. The format is printf's; it carries no position and no
 * newline.
 */
void sdsim_diag_add(struct sdsim_diags *diags, enum sdsim_severity severity,
                    const struct sdsim_place *place, const char *source, size_t source_size,
                    const char *help, const char *format, ...)
    __attribute__((format(printf, 7, 8)));

/* The short form: an error without a place in a source text. `file` may be NULL. */
void sdsim_error(struct sdsim_diags *diags, const char *file, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* "note", "warning", "error". */
const char *sdsim_severity_name(enum sdsim_severity severity);

/* Prints all messages in order, then "N more messages" if some were dropped. */
void sdsim_diags_print(const struct sdsim_diags *diags, FILE *out);

#endif
