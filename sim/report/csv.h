/*
 * Comma-separated values with the quoting of RFC 4180: a field that holds a comma, a quote, a line
 * end or a blank at either end is put in quotes, and its quotes are doubled. Lines end with LF, not
 * CR LF, so that the usual tools of a shell can read them.
 */
#ifndef SDSIM_REPORT_CSV_H
#define SDSIM_REPORT_CSV_H

#include <stddef.h>
#include <stdio.h>

/* One line of `count` fields; NULL is an empty field. */
void sdsim_csv_line(FILE *out, const char *const *fields, size_t count);

#endif
