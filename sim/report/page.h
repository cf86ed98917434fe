/*
 * The report of runs as one page of HTML that needs nothing else: no network, no scripts, no fonts;
 * gnuplot's pictures stand in it. It is laid out for a desk, a phone (from 320 pixels) and paper, light
 * and dark, and printed in colours that survive a grey printer.
 *
 *     a table of all runs: predicted against measured, with intervals, and a scatter plot
 *     of each run: what the numbers mean, the waterfall with its tells, what is to blame, what would
 *         change it, how long calls take and how often, what was done when, commands
 *     all inputs with range, origin and source; those that runs share stand once
 *
 * The same runs make the same bytes, wherever and whenever (with the same gnuplot). Every text that is
 * not the program's own is escaped.
 *
 * The model is made by the caller; a part whose pointer is NULL is left out.
 */
#ifndef SDSIM_REPORT_PAGE_H
#define SDSIM_REPORT_PAGE_H

#include "core/histogram.h"
#include "report/explain.h"
#include "report/inputs.h"
#include "report/picture.h"
#include "report/run_report.h"
#include "report/strip.h"

struct sdsim_page_run {
    const struct sdsim_run_report *report;
    struct sdsim_inputs inputs;
    struct sdsim_explanation *explanation; /* waterfall, verdicts, tells, suspects, what-ifs; NULL:
                                              none of them */
    struct sdsim_histogram *calls;         /* NULL: not known */
    struct sdsim_strip *whole;             /* of all timed calls; NULL: none */
    struct sdsim_strip *longest;           /* around the longest call; NULL: none */
    char *histogram_picture;               /* as gnuplot drew them; NULL: none */
    char *percentile_picture;
};

struct sdsim_page {
    const char *title;
    const char *const *overrides; /* what was set for all runs, NULL at the end; NULL: nothing */
    struct sdsim_page_run *runs;  /* those of one scenario follow each other */
    size_t count;
    char *scatter_pictures[3]; /* rates, lines, times; NULL: none */
};

void sdsim_page_print(const struct sdsim_page *page, FILE *out);

/* ---- parts, for the files of the page ---- */

void sdsim_page_style(FILE *out);
void sdsim_page_summary(const struct sdsim_page *page, FILE *out);
void sdsim_page_run(const struct sdsim_page *page, size_t number, FILE *out);
void sdsim_page_inputs(const struct sdsim_page *page, FILE *out);

/* The style sheet's name for a class of a lane: "c-pause", "c-level-3"; 32 bytes are enough. Returns out. */
char *sdsim_page_class(enum sdsim_lane lane, uint8_t class, char *out, size_t size);

/* What links to a run: "r3". */
void sdsim_page_anchor(size_t number, char *out, size_t size);

/* ---- pictures: data and script for gnuplot ---- */

enum sdsim_page_scatter { SDSIM_SCATTER_RATES, SDSIM_SCATTER_LINES, SDSIM_SCATTER_TIMES };

/* Whether so many runs were measured in that unit that a picture of them says something. */
bool sdsim_page_has_scatter(const struct sdsim_page *page, enum sdsim_page_scatter which);
void sdsim_page_scatter_data(const struct sdsim_page *page, enum sdsim_page_scatter which,
                             FILE *out);
void sdsim_page_scatter_script(const struct sdsim_page *page, enum sdsim_page_scatter which,
                               const char *data, const char *picture, FILE *out);

void sdsim_page_histogram_data(const struct sdsim_histogram *calls, FILE *out);
void sdsim_page_histogram_script(const struct sdsim_histogram *calls, const char *data,
                                 const char *picture, FILE *out);
void sdsim_page_percentile_data(const struct sdsim_histogram *calls, FILE *out);
void sdsim_page_percentile_script(const struct sdsim_histogram *calls, const char *data,
                                  const char *picture, FILE *out);

#endif
