/*
 * Comma-separated values with the quoting of RFC 4180: a field that holds a comma, a quote, a line
 * end or a blank at either end is put in quotes, and its quotes are doubled. Lines end with LF, not
 * CR LF, so that the usual tools of a shell can read them.
 *
 * Limits of reading: no line ends inside a field.
 */
#ifndef SDSIM_CORE_CSV_H
#define SDSIM_CORE_CSV_H

#include <stddef.h>
#include <stdio.h>

/* One line of `count` fields; NULL is an empty field. */
void sdsim_csv_line(FILE *out, const char *const *fields, size_t count);

/*
 * The next field of a CSV line at *at, unquoted in place; *at goes behind the comma, or becomes
 * NULL at the end of the line. NULL if a quote is not closed at the end of the field.
 */
char *sdsim_csv_next_field(char **at);

#endif
