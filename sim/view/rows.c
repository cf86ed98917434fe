#include "view/rows.h"

#include <stdlib.h>
#include <string.h>

#include "timeline/find.h"
#include "timeline/query.h"

void sdsim_rows_lay(struct sdsim_rows *rows)
{
    int32_t y = 0;
    for (uint32_t i = 0; i < rows->count; i++) {
        struct sdsim_row *row = &rows->items[i];
        row->y = y;
        row->height = row->hidden     ? 0
                      : row->folded   ? rows->thin
                      : row->tall > 0 ? row->tall
                                      : rows->full;
        y += row->height;
    }
    rows->height = y;
}

static void add(struct sdsim_rows *rows, enum sdsim_row_kind kind, uint8_t lane, uint8_t track)
{
    if (rows->count < SDSIM_ROWS_MOST) {
        rows->items[rows->count++] =
            (struct sdsim_row){.kind = (uint8_t)kind, .lane = lane, .track = track};
    }
}

void sdsim_rows_add(struct sdsim_rows *rows, const struct sdsim_timeline *timeline, uint8_t track)
{
    rows->full = rows->full > 0 ? rows->full : 40;
    rows->thin = rows->thin > 0 ? rows->thin : 12;
    for (uint8_t lane = 0; lane < SDSIM_LANE_COUNT; lane++) {
        if (timeline->lanes[lane].count > 0) {
            add(rows, SDSIM_ROW_LANE, lane, track);
        }
        if (lane == SDSIM_LANE_BUS && timeline->lanes[lane].count > 0) {
            add(rows, SDSIM_ROW_PINS, lane, track);
        }
    }
    if (timeline->lanes[sdsim_bytes_lane(timeline)].count > 0) {
        add(rows, SDSIM_ROW_BYTES, 0, track);
        add(rows, SDSIM_ROW_RATE, 0, track);
    }
    sdsim_rows_lay(rows);
}

uint32_t sdsim_rows_at(const struct sdsim_rows *rows, int32_t y)
{
    for (uint32_t i = 0; i < rows->count; i++) {
        const struct sdsim_row *row = &rows->items[i];
        if (y >= row->y && y < row->y + row->height) {
            return i;
        }
    }
    return rows->count;
}

uint32_t sdsim_rows_of_lane(const struct sdsim_rows *rows, enum sdsim_lane lane, uint8_t track)
{
    for (uint32_t i = 0; i < rows->count; i++) {
        const struct sdsim_row *row = &rows->items[i];
        if (row->kind == SDSIM_ROW_LANE && row->lane == lane && row->track == track) {
            return i;
        }
    }
    return rows->count;
}

void sdsim_rows_fold(struct sdsim_rows *rows, uint32_t row, bool folded)
{
    if (row < rows->count) {
        rows->items[row].folded = folded;
        sdsim_rows_lay(rows);
    }
}

void sdsim_rows_hide(struct sdsim_rows *rows, uint32_t row, bool hidden)
{
    if (row < rows->count) {
        rows->items[row].hidden = hidden;
        sdsim_rows_lay(rows);
    }
}

uint32_t sdsim_rows_move(struct sdsim_rows *rows, uint32_t row, int by)
{
    const int step = by > 0 ? 1 : -1;
    while (row < rows->count && by != 0) {
        const int64_t next = (int64_t)row + step;
        if (next < 0 || next >= rows->count) {
            break;
        }
        const struct sdsim_row other = rows->items[next];
        rows->items[next] = rows->items[row];
        rows->items[row] = other;
        row = (uint32_t)next;
        by -= other.hidden ? 0 : step;
    }
    sdsim_rows_lay(rows);
    return row;
}

const char *sdsim_row_title(const struct sdsim_row *row)
{
    static const char *const titles[] = {
        [SDSIM_ROW_BYTES] = "Bytes", [SDSIM_ROW_RATE] = "Rate", [SDSIM_ROW_PINS] = "Bits"};
    return row->kind == SDSIM_ROW_LANE ? sdsim_lane_info((enum sdsim_lane)row->lane)->title
                                       : titles[row->kind];
}

/* ---- what lies under a point ---- */

/* The first span of a class among [number, number + spans) that reaches into [from, to); or the first
 * of them, which is in the column beside it but gives this one its colour, too. */
static bool find_in(struct sdsim_store *store, uint64_t number, uint64_t spans, uint8_t class,
                    sdsim_ps from, sdsim_ps to, uint64_t *found)
{
    const struct sdsim_wanted wanted = {.classes = (uint16_t)(1u << class)};
    struct sdsim_span span;
    uint64_t at;
    const uint64_t start = sdsim_lane_at(store, from, &at) && at > number ? at : number;
    for (uint64_t i = start; sdsim_lane_next(store, i, &wanted, found); i = *found + 1) {
        if (*found >= number + spans || !sdsim_store_span(store, *found, &span) ||
            span.start >= to) {
            break;
        }
        if (sdsim_span_end(&span) > from || span.start >= from) {
            return true;
        }
    }
    return sdsim_lane_next(store, number, &wanted, found) && *found < number + spans;
}

bool sdsim_pick(struct sdsim_store *store, const struct sdsim_axis *axis, int32_t x, int32_t slack,
                uint64_t *number)
{
    struct sdsim_column *columns = malloc(axis->width * sizeof *columns);
    if (columns == NULL || x < 0 || x >= (int32_t)axis->width) {
        free(columns);
        return false;
    }
    sdsim_lane_columns(store, axis->from, axis->from + axis->length, axis->width, columns);
    int32_t best = -1;
    for (int32_t d = 0; d <= slack && best < 0; d++) {
        if (x - d >= 0 && columns[x - d].class != SDSIM_NO_CLASS) {
            best = x - d;
        } else if (x + d < (int32_t)axis->width && columns[x + d].class != SDSIM_NO_CLASS) {
            best = x + d;
        }
    }
    bool found = false;
    if (best >= 0) {
        const struct sdsim_column *column = &columns[best];
        found = find_in(store, column->span, (uint64_t)1 << (4 * column->level), column->class,
                        sdsim_axis_time(axis, best), sdsim_axis_time(axis, best + 1), number);
    }
    free(columns);
    return found;
}

/* ---- curves ---- */

enum sdsim_lane sdsim_bytes_lane(const struct sdsim_timeline *timeline)
{
    return timeline->lanes[SDSIM_LANE_TASK].count > 0 ? SDSIM_LANE_TASK : SDSIM_LANE_DISK;
}

void sdsim_curve(struct sdsim_timeline *timeline, const struct sdsim_axis *axis,
                 enum sdsim_row_kind kind, double *values)
{
    const uint32_t width = axis->width;
    const uint32_t half = width / 100 + 1;
    sdsim_lane_progress(&timeline->lanes[sdsim_bytes_lane(timeline)], axis->from,
                        axis->from + axis->length, width, values);
    if (kind == SDSIM_ROW_BYTES) {
        memmove(values, values + 1, width * sizeof *values);
        return;
    }
    double *rates = malloc(width * sizeof *rates);
    for (uint32_t x = 0; rates != NULL && x < width; x++) {
        const uint32_t a = x > half ? x - half : 0;
        const uint32_t b = x + 1 + half < width ? x + 1 + half : width;
        const sdsim_ps time = sdsim_axis_time(axis, (int32_t)b) - sdsim_axis_time(axis, (int32_t)a);
        rates[x] = time > 0 ? (values[b] - values[a]) / ((double)time / (double)SDSIM_S) : 0;
    }
    if (rates != NULL) {
        memcpy(values, rates, width * sizeof *values);
    } else { /* sums are no rates */
        memset(values, 0, width * sizeof *values);
    }
    free(rates);
}

/* ---- the minimap ---- */

void sdsim_minimap(struct sdsim_timeline *timeline, uint32_t width, struct sdsim_column *columns)
{
    static const enum sdsim_lane lanes[] = {SDSIM_LANE_CARD, SDSIM_LANE_BUS, SDSIM_LANE_CPU};
    const uint8_t *rank = sdsim_lane_info(SDSIM_LANE_CARD)->rank;
    const sdsim_ps end = timeline->end > 0 ? timeline->end : 1;
    struct sdsim_column *more = malloc(width * sizeof *more);
    sdsim_lane_columns(&timeline->lanes[lanes[0]], 0, end, width, columns);
    for (size_t i = 1; more != NULL && i < sizeof lanes / sizeof *lanes; i++) {
        sdsim_lane_columns(&timeline->lanes[lanes[i]], 0, end, width, more);
        for (uint32_t c = 0; c < width; c++) {
            if (more[c].class != SDSIM_NO_CLASS && (columns[c].class == SDSIM_NO_CLASS ||
                                                    rank[more[c].class] > rank[columns[c].class])) {
                columns[c] = more[c];
            }
        }
    }
    free(more);
}
