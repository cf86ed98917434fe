/*
 * Predictions held against measurements: one row a record, and what sets of rows say together.
 *
 * The error of a row is (predicted - measured) / measured, zero inside a measured range. A record
 * that can't be modelled counts as an error of 100 % and as not covered. The longest call is judged
 * by coverage only: its error is in the row, but in no median.
 *
 * Groups. Big groups would drown the rest, so a median is taken within each group first, then over
 * the groups; in coverage each group weighs one, however many records it has. The 90th percentile
 * is that of the groups' medians, nearest rank.
 */
#ifndef SDSIM_MEASURE_SCORE_H
#define SDSIM_MEASURE_SCORE_H

#include "measure/forecast.h"
#include "measure/plan.h"

struct sdsim_score {
    const struct sdsim_measurement *measurement;
    const char *reason; /* why there is no prediction; NULL: there is one */
    double predicted;
    double low;
    double high;
    double error;
    bool covered;
    uint32_t group; /* numbers for their names, from 0 */
    uint32_t source;
};

struct sdsim_summary {
    size_t records;
    size_t groups;
    size_t sources;
    size_t unpredicted;  /* groups with a record that can't be modelled */
    size_t judged;       /* groups that have an error */
    double median_error; /* 0 without any */
    double p90_error;
    double coverage;
};

/* The row of one record; `forecast` is that of its plan, or has an error. Groups are numbered by
 * sdsim_scores_number. */
struct sdsim_score sdsim_score_of(const struct sdsim_plan *plan,
                                  const struct sdsim_forecast *forecast);

/* Gives equal groups and sources of the rows equal numbers. False without memory. */
bool sdsim_scores_number(struct sdsim_score *rows, size_t count);

/* Sums up the rows that `wanted` takes (NULL: all). False without memory. */
bool sdsim_scores_sum(const struct sdsim_score *rows, size_t count,
                      bool (*wanted)(const void *context, const struct sdsim_score *row),
                      const void *context, struct sdsim_summary *summary);

/* ---- strata ---- */

enum sdsim_dimension {
    SDSIM_BY_HOST,
    SDSIM_BY_BUS,
    SDSIM_BY_DRIVER,
    SDSIM_BY_OP,
    SDSIM_BY_CARD_CLASS,
    SDSIM_DIMENSION_COUNT
};

const char *sdsim_dimension_name(enum sdsim_dimension dimension);

struct sdsim_stratum {
    const char *name; /* of the host, ...; belongs to the records */
    struct sdsim_summary summary;
};

/* The strata of a dimension, sorted by name; NULL without memory. The caller frees the list. */
struct sdsim_stratum *sdsim_scores_strata(const struct sdsim_score *rows, size_t count,
                                          enum sdsim_dimension dimension, size_t *found);

/* What the project is judged by: kinds of numbers, microcontrollers and computers apart. */
enum sdsim_kind_of_number {
    SDSIM_READ_RATE,
    SDSIM_WRITE_RATE, /* writing and appending */
    SDSIM_READ_LATENCY,
    SDSIM_WRITE_LATENCY,
    SDSIM_LATENCY, /* both: the mean of a call */
    SDSIM_SHORTEST,
    SDSIM_LONGEST,
    SDSIM_RANDOM, /* random reads and writes, rates and means */
    SDSIM_NUMBER_KINDS
};

const char *sdsim_number_kind_name(enum sdsim_kind_of_number kind);
bool sdsim_is_microcontroller(const struct sdsim_measurement *measurement);
bool sdsim_scores_sum_kind(const struct sdsim_score *rows, size_t count,
                           enum sdsim_kind_of_number kind, bool microcontroller,
                           struct sdsim_summary *summary);

#endif
