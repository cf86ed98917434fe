/*
 * Tables for a terminal: cells are collected row by row, then printed with columns as wide as their
 * widest cell.
 *
 *     struct sdsim_table table;
 *     sdsim_table_init(&table, columns, 3);
 *     sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%s", name);
 *     ...                                         three cells make a row
 *     sdsim_table_print(&table, &style, out);
 *     sdsim_table_free(&table);
 *
 * One column may be marked `wrap`: it takes what the others leave of 80 columns, at least 20, and
 * breaks its cells between words. Without such a column a table is as wide as its cells are.
 * Columns without a title and without text take no room. Limits: every character counts as one
 * column wide.
 */
#ifndef SDSIM_REPORT_TABLE_H
#define SDSIM_REPORT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "report/style.h"

#define SDSIM_TABLE_WIDTH   80
#define SDSIM_TABLE_COLUMNS 12

struct sdsim_column {
    const char *title; /* NULL: none; a table in which no column has one prints no head */
    bool right;        /* aligned to the right */
    bool wrap;
};

struct sdsim_table_cell;

struct sdsim_table {
    const struct sdsim_column *columns; /* not owned */
    size_t column_count;
    struct sdsim_table_cell *cells; /* row by row; the first of a heading is all there is of it */
    size_t count;
    size_t capacity;
    unsigned indent; /* blanks in front of every line but headings */
    bool failed;     /* memory ran out: printing prints nothing */
};

void sdsim_table_init(struct sdsim_table *table, const struct sdsim_column *columns, size_t count);
void sdsim_table_free(struct sdsim_table *table);

/* Adds the next cell of the row at work. */
void sdsim_table_cell(struct sdsim_table *table, enum sdsim_ink ink, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds a line that goes over all columns, in bold; only between rows. */
void sdsim_table_heading(struct sdsim_table *table, const char *text);

/* Prints all. False without memory. */
bool sdsim_table_print(const struct sdsim_table *table, const struct sdsim_style *style, FILE *out);

/* Prints a text broken between words into lines of at most 80 columns, the first behind `first`,
 * the others behind as many blanks as `first` is wide. */
void sdsim_print_wrapped(FILE *out, const char *first, const char *text);

#endif
