#include "pointer.h"

#include "select.h"

/* Where a pixel of the window is on the axis. */
static int32_t axis_x(const struct sdsim_app *app, int32_t x)
{
    return x - app->layout.titles;
}

static bool on_lanes(const struct sdsim_app *app, int32_t x)
{
    return axis_x(app, x) >= 0 && axis_x(app, x) < (int32_t)app->axis.width;
}

void sdsim_wheel(struct sdsim_app *app, int32_t x, int32_t y, int steps)
{
    (void)y;
    if (on_lanes(app, x)) {
        sdsim_axis_zoom(&app->axis, 2 * steps, axis_x(app, x));
    } else {
        sdsim_app_scroll(app, -2 * steps * app->layout.unit);
    }
    app->dirty = true;
}

/* A byte or field of the bits, `y` below the first line. */
static void click_piece(struct sdsim_app *app, const struct sdsim_row *row, sdsim_ps at, int32_t y)
{
    const struct sdsim_waves *waves = app->bits[row->track].waves;
    const struct sdsim_bus_piece *piece =
        waves != NULL && y >= 0 ? sdsim_piece_at(waves, at, y / app->layout.unit) : NULL;
    app->selected = false;
    app->on_piece = piece != NULL;
    if (piece != NULL) {
        app->piece = *piece;
        app->track = row->track;
        app->panel = SDSIM_PANEL_FACTS;
    }
}

/* The row at a height of the window. */
static uint32_t row_at(const struct sdsim_app *app, int32_t y)
{
    return sdsim_rows_at(&app->rows, y - app->layout.rows_top + app->scroll);
}

/* The chosen row goes past each neighbour whose middle the pointer has passed, so that it comes to lie under
 * the pointer, whatever their heights. */
static void drag_row(struct sdsim_app *app, int32_t y)
{
    const int32_t at = y - app->layout.rows_top + app->scroll;
    for (;;) {
        const struct sdsim_row *row = &app->rows.items[app->row];
        const bool up = at < row->y;
        const uint32_t next = sdsim_rows_at(&app->rows, up ? row->y - 1 : row->y + row->height);
        if (next >= app->rows.count) {
            return;
        }
        const int32_t middle = app->rows.items[next].y + app->rows.items[next].height / 2;
        if (up ? at >= middle : at < middle) {
            return;
        }
        app->row = sdsim_rows_move(&app->rows, app->row, up ? -1 : 1);
    }
}

/* What lies at a point of the rows; a click on a title chooses the row. */
static void click(struct sdsim_app *app, int32_t x, int32_t y, int clicks)
{
    struct sdsim_axis own;
    int32_t begin;
    const uint32_t row = row_at(app, y);
    app->on_piece = false;
    if (row >= app->rows.count) {
        app->selected = false;
        return;
    }
    app->row = row;
    const struct sdsim_row *at = &app->rows.items[row];
    if (x < app->layout.titles) {
        sdsim_rows_fold(&app->rows, row, clicks > 1 ? !at->folded : at->folded);
        return;
    }
    struct sdsim_timeline *timeline = sdsim_app_track(app, at->track, &own, &begin);
    if (at->kind == SDSIM_ROW_PINS) {
        click_piece(app, at, sdsim_axis_time(&own, axis_x(app, x) - begin),
                    y - app->layout.rows_top + app->scroll - at->y - 3);
        return;
    }
    struct sdsim_place_in place = {.lane = (enum sdsim_lane)at->lane};
    if (at->kind == SDSIM_ROW_LANE && timeline != NULL &&
        sdsim_pick(&timeline->lanes[at->lane], &own, axis_x(app, x) - begin, 4, &place.number)) {
        sdsim_select(app, at->track, place, false);
        if (clicks > 1) {
            sdsim_select_show(app);
        }
    } else {
        app->selected = false;
    }
}

/* The list of the longest begins below a heading. */
static void click_panel(struct sdsim_app *app, int32_t y)
{
    const int32_t line = (y - sdsim_panel_top(&app->layout)) / app->layout.unit;
    if (app->panel == SDSIM_PANEL_LONGEST && y >= sdsim_panel_top(&app->layout) &&
        line < (int32_t)app->longest_count) {
        app->longest_at = (size_t)line;
        sdsim_select_longest(app);
    }
}

static void to_minimap(struct sdsim_app *app, int32_t x)
{
    const struct sdsim_axis whole = sdsim_axis_of(app->axis.end, app->axis.width);
    sdsim_axis_anchor(&app->axis, sdsim_axis_time(&whole, axis_x(app, x)),
                      (int32_t)app->axis.width / 2);
}

void sdsim_press(struct sdsim_app *app, int32_t x, int32_t y, int clicks)
{
    const struct sdsim_layout *layout = &app->layout;
    app->dirty = true;
    app->pressed_x = x;
    app->pressed_y = y;
    if (y < layout->minimap && on_lanes(app, x)) {
        app->drag = SDSIM_DRAG_MINIMAP;
        to_minimap(app, x);
    } else if (y < layout->rows_top && on_lanes(app, x)) {
        app->drag = SDSIM_DRAG_MEASURE;
        app->grabbed = sdsim_axis_time(&app->axis, axis_x(app, x));
        app->measured = false;
    } else if (y < app->height - layout->status) {
        if (on_lanes(app, x) || x < layout->titles) {
            click(app, x, y, clicks);
        } else {
            click_panel(app, y);
        }
        if (on_lanes(app, x) && clicks == 1) {
            app->drag = SDSIM_DRAG_PAN;
            app->grabbed = sdsim_axis_time(&app->axis, axis_x(app, x));
        } else if (x < layout->titles && clicks == 1 && row_at(app, y) < app->rows.count) {
            app->drag = SDSIM_DRAG_ROW;
        }
    }
}

void sdsim_move(struct sdsim_app *app, int32_t x, int32_t y)
{
    app->pointer_x = x;
    app->pointer_y = y;
    if (app->drag == SDSIM_DRAG_PAN) {
        sdsim_axis_anchor(&app->axis, app->grabbed, axis_x(app, x));
    } else if (app->drag == SDSIM_DRAG_MINIMAP) {
        to_minimap(app, x);
    } else if (app->drag == SDSIM_DRAG_ROW) {
        drag_row(app, y);
    } else if (app->drag == SDSIM_DRAG_MEASURE) {
        const sdsim_ps at = sdsim_axis_time(&app->axis, axis_x(app, x));
        app->measure_from = at < app->grabbed ? at : app->grabbed;
        app->measure_to = at < app->grabbed ? app->grabbed : at;
        app->measured = app->measure_to > app->measure_from;
        app->selected = app->selected && !app->measured;
        app->panel = SDSIM_PANEL_FACTS;
    } else {
        return;
    }
    app->dirty = true;
}

void sdsim_release(struct sdsim_app *app, int32_t x, int32_t y)
{
    sdsim_move(app, x, y);
    app->drag = SDSIM_DRAG_NONE;
    app->dirty = true;
}
