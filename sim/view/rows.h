/*
 * The rows of a view: which lanes are shown, in which order, how high, and what lies under a point.
 *
 * A view may show two timelines; a row belongs to one of them (`track`). Folded rows are thin, hidden
 * ones take no room. Two rows show curves, not spans: the bytes the application has moved, and their
 * rate.
 */
#ifndef SDSIM_VIEW_ROWS_H
#define SDSIM_VIEW_ROWS_H

#include "timeline/timeline.h"
#include "view/axis.h"

enum sdsim_row_kind {
    SDSIM_ROW_LANE,
    SDSIM_ROW_BYTES, /* curve: bytes since the start */
    SDSIM_ROW_RATE,  /* curve: bytes per second */
    SDSIM_ROW_PINS,  /* the bits of the bus, where the window is short enough */
};

enum {
    SDSIM_TRACKS = 2,
    SDSIM_ROWS_MOST = SDSIM_TRACKS * (SDSIM_LANE_COUNT + 3),
};

struct sdsim_row {
    uint8_t kind; /* enum sdsim_row_kind */
    uint8_t lane; /* of a ROW_LANE */
    uint8_t track;
    bool folded;
    bool hidden;
    int32_t tall; /* height of this one if it is not folded; 0: as the others */
    int32_t y;    /* from the top of all rows, set by sdsim_rows_lay */
    int32_t height;
};

struct sdsim_rows {
    struct sdsim_row items[SDSIM_ROWS_MOST];
    uint32_t count;
    int32_t full;   /* height of a row */
    int32_t thin;   /* of a folded one */
    int32_t height; /* of all */
};

/* All lanes of a timeline that hold something, and both curves; adds to what is there. Lays them. */
void sdsim_rows_add(struct sdsim_rows *rows, const struct sdsim_timeline *timeline, uint8_t track);

/* Works out y and height of each row. */
void sdsim_rows_lay(struct sdsim_rows *rows);

/* The row at a height; `count` if there is none. */
uint32_t sdsim_rows_at(const struct sdsim_rows *rows, int32_t y);

/* The row of a lane of a track; `count` if there is none. */
uint32_t sdsim_rows_of_lane(const struct sdsim_rows *rows, enum sdsim_lane lane, uint8_t track);

/* Changes a row and lays them anew. Moving goes past hidden ones, by `by` places. Returns where the row
 * is then. */
void sdsim_rows_fold(struct sdsim_rows *rows, uint32_t row, bool folded);
void sdsim_rows_hide(struct sdsim_rows *rows, uint32_t row, bool hidden);
uint32_t sdsim_rows_move(struct sdsim_rows *rows, uint32_t row, int by);

/* "Bus", "Bytes", ... */
const char *sdsim_row_title(const struct sdsim_row *row);

/*
 * The span of a lane that is seen at pixel x: the one that gives the pixel its colour; else the nearest
 * that begins or ends within `slack` pixels. False if there is none.
 */
bool sdsim_pick(struct sdsim_store *store, const struct sdsim_axis *axis, int32_t x, int32_t slack,
                uint64_t *number);

/* The lane whose calls move the bytes that are counted: the application's, or, if nothing is known of it,
 * the driver's. */
enum sdsim_lane sdsim_bytes_lane(const struct sdsim_timeline *timeline);

/* A curve in the window: for each pixel the bytes moved before its end (BYTES), or their mean rate in
 * bytes per second over a fiftieth of the window around it (RATE). The bytes of a call come evenly over its
 * duration. `values` has room for axis->width + 1 members, of which the first axis->width are set. */
void sdsim_curve(struct sdsim_timeline *timeline, const struct sdsim_axis *axis,
                 enum sdsim_row_kind kind, double *values);

/* The whole run in one row: the worst of what CPU, bus and card do. Ranks are those of kinds. */
struct sdsim_column;
void sdsim_minimap(struct sdsim_timeline *timeline, uint32_t width, struct sdsim_column *columns);

#endif
