/*
 * What is asked of a lane: a picture of some width, sums over a range, the span at an instant.
 *
 * A picture takes the highest level of the pyramid of which there are still enough items for each
 * column and walks along it, so its cost depends on the width only. An item that reaches over two
 * columns counts in both; one that reaches over more is taken apart, down to the spans. So whatever
 * there is shows in its column or the one beside it, and the worst class in a column always wins: a
 * pause of 1 ms is seen in an hour. Where fewer spans than SDSIM_EXACT_SPANS a column are in the
 * picture, it is exact.
 *
 * Lanes that come out of a file may fetch blocks for what is asked, which can fail; what is missing is
 * then left out, and the source of the blocks knows why.
 */
#ifndef SDSIM_TIMELINE_QUERY_H
#define SDSIM_TIMELINE_QUERY_H

#include "timeline/store.h"

enum {
    SDSIM_EXACT_SPANS = 8,
    SDSIM_COLUMNS_MOST = 1 << 16, /* width of a picture */
};

/* One pixel column of a lane. */
struct sdsim_column {
    uint8_t class; /* that wins; SDSIM_NO_CLASS: nothing here */
    uint8_t
        cover; /* how much of the column is covered, 255: all of it; at least 1 if something is */
    uint8_t level; /* of the item that won ... */
    uint64_t span; /* ... and the number of its first span */
};

/*
 * The picture of [from, to) in `width` columns (1..SDSIM_COLUMNS_MOST); from < to. Column c begins at
 * sdsim_column_start().
 */
void sdsim_lane_columns(struct sdsim_store *store, sdsim_ps from, sdsim_ps to, uint32_t width,
                        struct sdsim_column *columns);

/* from + (to - from) * c / width, rounded down. */
static inline sdsim_ps sdsim_column_start(sdsim_ps from, sdsim_ps to, uint32_t width, uint32_t c)
{
    const sdsim_ps whole = (to - from) / width;
    const sdsim_ps rest = (to - from) % width;
    return from + whole * c + rest * c / width;
}

/* The column an instant of [from, to) falls into. */
uint32_t sdsim_column_of(sdsim_ps from, sdsim_ps to, uint32_t width, sdsim_ps instant);

/* How many spans begin before an instant: the number of the first that begins at it or later. */
uint64_t sdsim_lane_before(struct sdsim_store *store, sdsim_ps instant);

/* The number of the span that begins last at or before an instant and stands for something, in
 * *number; false if none does. */
bool sdsim_lane_at(struct sdsim_store *store, sdsim_ps instant, uint64_t *number);

/*
 * How many bytes were moved until when: values[c], c = 0..width, is the sum at the start of column c of
 * [from, to). The bytes of a call come evenly over its duration. Where there are more than some
 * spans in a column, those of a node of the pyramid come evenly, which can't be told apart there.
 */
void sdsim_lane_progress(struct sdsim_store *store, sdsim_ps from, sdsim_ps to, uint32_t width,
                         double *values);

/* Sums over a range. */
struct sdsim_range {
    sdsim_ps sum[SDSIM_CLASSES];   /* time of each class within the range */
    uint64_t count[SDSIM_CLASSES]; /* spans of each class that begin in it, equal ones each */
    uint64_t bytes;                /* moved by those */
    sdsim_ps busy;                 /* sum of `sum` */
};

/* Sums over [from, to); all of it, exact but where more than 2^32 spans of a class fall into one item
 * of the pyramid. */
void sdsim_lane_range(struct sdsim_store *store, sdsim_ps from, sdsim_ps to,
                      struct sdsim_range *range);

#endif
