/*
 * The results of a sweep: a row for each point and run, in the order of the points, whoever
 * computed them.
 *
 * As CSV a row carries all that makes it whole again: its number, how many rows the sweep has, and
 * a mark of what was swept, so that the parts that several machines made can be put together, and
 * parts of something else are refused. Numbers are written with the digits that read back as the
 * same double, so a merged file is the file of one machine, byte for byte.
 *
 * Findings are sentences on what the rows show: where more of something stops to help, and where
 * two series cross. They look at draw 0.
 */
#ifndef SDSIM_REPORT_SWEEP_H
#define SDSIM_REPORT_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/diag.h"
#include "report/picture.h"
#include "report/style.h"
#include "setup/simulate.h"
#include "setup/vary.h"

#define SDSIM_SWEEP_AXES 4u

/* One point and run. Texts but the error belong to the caller. */
struct sdsim_sweep_row {
    bool done;                            /* it was computed, here or elsewhere */
    const char *values[SDSIM_SWEEP_AXES]; /* of the axes */
    const char *run;                      /* id, or "" */
    bool failed;                          /* there is no prediction ... */
    char *error; /* ... and why, owned; NULL: memory was out. See sdsim_sweep_row_why */
    enum sdsim_metric metric;
    double predicted; /* in the metric's unit, as the others */
    double low;
    double high;
    double clock_hz;  /* on the wire */
    double mean_call; /* seconds */
    double longest_call;
};

struct sdsim_sweep {
    const char *scenario;
    const struct sdsim_vary *axes;
    size_t axis_count;
    bool random; /* points drawn at random: no grid */
    uint32_t draws;
    uint64_t mark;           /* of what is swept and with what */
    const char *const *does; /* what each run of a point does, in a word; NULL: all the same. Only
                                series that do the same are compared */
    struct sdsim_sweep_row *rows;
    size_t count; /* of the whole sweep */
};

/* The row has no prediction, for this reason, which is copied and becomes one line. */
void sdsim_sweep_row_fail(struct sdsim_sweep_row *row, const char *why);

/* Why a row has no prediction; NULL: it has one, or is not done. */
const char *sdsim_sweep_row_why(const struct sdsim_sweep_row *row);

/*
 * Takes over the rows that a CSV file of this very sweep has; `path` is its name in messages. A last
 * line that is not complete is passed over if `may_be_cut`. False after a message: the file is of
 * something else, or damaged.
 */
bool sdsim_sweep_read(struct sdsim_sweep *sweep, FILE *in, const char *path, bool may_be_cut,
                      struct sdsim_diags *diags);

/* How many rows apart two neighbours along an axis are; of `axis_count`, the runs of one point. Not
 * for points at random. */
size_t sdsim_sweep_stride(const struct sdsim_sweep *sweep, size_t axis);

/* CSV of the rows that are done. */
void sdsim_sweep_csv(const struct sdsim_sweep *sweep, FILE *out);
void sdsim_sweep_csv_head(const struct sdsim_sweep *sweep, FILE *out);
void sdsim_sweep_csv_row(const struct sdsim_sweep *sweep, size_t row, FILE *out);

void sdsim_sweep_json(const struct sdsim_sweep *sweep, FILE *out);

/* A table of at most `most` rows, the best and the worst, and the findings. False without memory. */
bool sdsim_sweep_print(const struct sdsim_sweep *sweep, size_t most,
                       const struct sdsim_style *style, FILE *out);

/* The findings, a line each. */
void sdsim_sweep_findings(const struct sdsim_sweep *sweep, FILE *out);

/* For pictures: whether these rows can be drawn, and if not, why. Two numeric axes and one run make
 * a heat map, anything else with a numeric axis lines. */
const char *sdsim_sweep_why_no_picture(const struct sdsim_sweep *sweep);
bool sdsim_sweep_data(const struct sdsim_sweep *sweep, FILE *out);
void sdsim_sweep_script(const struct sdsim_sweep *sweep, enum sdsim_picture_format format,
                        const char *data_name, const char *picture_name, FILE *out);

#endif
