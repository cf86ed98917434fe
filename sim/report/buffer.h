/*
 * What `sdsim buffer` says: how much RAM a logger needs so that nothing is lost, from many runs of it
 * that differ in the card's luck.
 *
 * A run without loss is the same in any RAM that is large enough, so the highest level of a run with
 * unlimited RAM is what it needs, and the RAM that the best 99 % need is what 99 % survive with. What
 * is lost with less, is simulated with less.
 */
#ifndef SDSIM_REPORT_BUFFER_H
#define SDSIM_REPORT_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "report/json.h"
#include "report/picture.h"
#include "report/style.h"
#include "setup/cohort.h"

/* Shares of runs that are asked for: 50, 99 and 99.9 %. */
#define SDSIM_BUFFER_LEVELS 3u

/* How many of `count` runs make a level: the next whole number. */
size_t sdsim_buffer_level_runs(size_t index, size_t count);

/* What happens with so much RAM. */
struct sdsim_buffer_row {
    uint64_t ram;
    size_t losing;      /* runs that lose something */
    double mean_lost;   /* bytes, over all runs */
    uint64_t most_lost; /* bytes, of one run */
};

/* The same with something changed. */
struct sdsim_buffer_change {
    const char *what;  /* "preallocate: yes" */
    const char *costs; /* what it costs or risks */
    bool failed;       /* runs ended early */
    uint64_t ram;      /* what 99 % survive with */
    sdsim_ps longest;  /* stall */
};

#define SDSIM_BUFFER_CHANGES 4u

struct sdsim_buffer_report {
    const char *scenario;
    const char *run; /* id, or "" */
    const char *description;
    const struct sdsim_setup *setup;
    const char *board; /* or NULL */
    const char *host;
    const char *driver;
    const char *card;
    size_t count;                        /* runs */
    uint32_t draws;                      /* of the values, too; 0: typical ones */
    double hours;                        /* of one run */
    uint64_t rate;                       /* bytes per second, in the mean */
    const struct sdsim_cohort_run *runs; /* with unlimited RAM; run i has the luck of draw i + 1 */
    const uint64_t *needs;               /* bytes that runs need, sorted; UINT64_MAX: it failed */
    size_t failed;                       /* runs that ended early, */
    const char *why; /* and why the first of them did; with a given RAM: why some
                                            would at a higher rate, or NULL */
    bool behind;     /* the card does not keep up */
    const struct sdsim_buffer_row *rows;
    size_t row_count;
    struct sdsim_buffer_change changes[SDSIM_BUFFER_CHANGES];
    size_t change_count;
    /* With a given RAM: the highest rate with which all runs of a level survive; 0: none does. */
    uint64_t ram; /* 0: not asked for */
    uint64_t rates[SDSIM_BUFFER_LEVELS];
};

/* False without memory. */
bool sdsim_buffer_print(const struct sdsim_buffer_report *report, const struct sdsim_style *style,
                        FILE *out);

/* One report as an object of a list. Keys: `sdsim buffer --help`. */
void sdsim_buffer_json(const struct sdsim_buffer_report *report, struct sdsim_json *json);

/* CSV of the loss against RAM: a head, and the rows of a report. */
void sdsim_buffer_csv_head(FILE *out);
void sdsim_buffer_csv(const struct sdsim_buffer_report *report, FILE *out);

/* The picture: data and the script for gnuplot. */
bool sdsim_buffer_data(const struct sdsim_buffer_report *report, FILE *out);
void sdsim_buffer_script(const struct sdsim_buffer_report *report, enum sdsim_picture_format format,
                         const char *data, const char *picture, FILE *out);

#endif
