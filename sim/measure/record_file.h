/*
 * Files of records, line by line: JSON objects or CSV, with the same callbacks for both.
 *
 * JSON is read with jansson, one line at a time, so memory does not grow with the file. A record's
 * fields come as texts: numbers as they print, true and false as words; null and empty fields don't
 * come at all. `assumptions` comes as a list of its own.
 *
 * For the files of this folder only.
 */
#ifndef SDSIM_MEASURE_RECORD_FILE_H
#define SDSIM_MEASURE_RECORD_FILE_H

#include <stdarg.h>
#include <stdio.h>

#include "config/tree.h"
#include "core/diag.h"

struct sdsim_record_file {
    struct sdsim_config *config; /* owns all texts handed out */
    struct sdsim_diags *diags;
    const char *path;
    FILE *stream;
    bool csv;
    char *text; /* of the line at work */
    size_t size;
    uint32_t line;  /* of the record at work, from 1 */
    char **columns; /* CSV: the names */
    size_t column_count;
    bool failed;
};

/* False after a message. */
bool sdsim_record_file_open(struct sdsim_record_file *file, struct sdsim_config *config,
                            const char *path, struct sdsim_diags *diags);
void sdsim_record_file_close(struct sdsim_record_file *file);

/* Goes to the next record; false at the end of the file, or after a message. */
bool sdsim_record_file_next(struct sdsim_record_file *file);

/* Hands the record's fields out. A record that can't be read is told and sets `failed`. */
void sdsim_record_file_fields(struct sdsim_record_file *file,
                              void (*field)(void *context, const char *name, const char *text),
                              void (*assumptions)(void *context, const char *const *texts,
                                                  size_t count),
                              void *context);

/* Adds an error at the record at work. */
void sdsim_record_complain(const struct sdsim_record_file *file, const char *help,
                           const char *format, va_list arguments);

#endif
