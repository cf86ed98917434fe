/*
 * The picture of the rows: lanes, curves, the queue, and what stands beside them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/units.h"
#include "scene.h"
#include "timeline/query.h"

/* ---- one lane ---- */

/* A column's color: rare things show, too, but what fills its column is stronger. */
sdsim_color sdsim_column_color(const struct sdsim_picture *picture, enum sdsim_lane lane,
                               const struct sdsim_column *column, sdsim_color ground)
{
    const sdsim_color full = sdsim_theme_class(picture->theme, lane, column->class);
    const uint8_t share = (uint8_t)(110 + column->cover * 145 / 255);
    return sdsim_color_mix(ground, full, share);
}

static bool same_look(const struct sdsim_column *a, const struct sdsim_column *b)
{
    return a->class == b->class && a->cover == b->cover && a->level == b->level &&
           (a->level > 0 || a->span == b->span);
}

/* Writes what a span is into its place: all of it, or its first word, or as much as says something. */
static void draw_label(const struct sdsim_picture *picture, struct sdsim_timeline *timeline,
                       enum sdsim_lane lane, const struct sdsim_column *column, int32_t x,
                       int32_t w, int32_t y, int32_t h, sdsim_color on)
{
    struct sdsim_span span;
    char label[100];
    const struct sdsim_font *font = picture->canvas->font;
    const int32_t room = w - 8;
    if (column->level > 0 || room < font->height || h < font->height ||
        !sdsim_store_span(&timeline->lanes[lane], column->span, &span)) {
        return;
    }
    sdsim_span_label(timeline, &span, label, sizeof label);
    if (sdsim_font_width(font, label) > room && room < 6 * font->height) {
        label[strcspn(label, " ")] = '\0';
        if (sdsim_font_width(font, label) > room) {
            return;
        }
    }
    sdsim_canvas_text(picture->canvas, x + 4, y + (h - font->height) / 2, room, label,
                      sdsim_theme_ink(on));
}

/* The line of pixels that is being made of a row. */
static uint32_t *line_of(const struct sdsim_picture *picture, uint32_t width, sdsim_color ground)
{
    uint32_t *line = picture->scene->line;
    for (uint32_t x = 0; x < width; x++) {
        line[x] = 0xFF000000u | ground;
    }
    return line;
}

static void paint(uint32_t *line, uint32_t from, uint32_t to, sdsim_color color)
{
    for (uint32_t x = from; x < to; x++) {
        line[x] = 0xFF000000u | color;
    }
}

/* Columns that look alike from x on. */
static uint32_t end_of_look(const struct sdsim_column *columns, uint32_t width, uint32_t x)
{
    uint32_t end = x + 1;
    while (end < width && same_look(&columns[x], &columns[end])) {
        end++;
    }
    /* A span whose ends cover their columns partly is still one span. */
    while (columns[x].level == 0 && columns[x].class != SDSIM_NO_CLASS && end < width &&
           columns[end].level == 0 && columns[end].span == columns[x].span &&
           columns[end].class == columns[x].class) {
        end++;
    }
    return end;
}

/* All pixels of a lane's column are alike: one line is made, and copied to all of its height. */
static void draw_lane(const struct sdsim_picture *picture, const struct sdsim_row *row, int32_t y,
                      sdsim_color ground)
{
    struct sdsim_axis own;
    int32_t begin;
    struct sdsim_timeline *timeline = sdsim_app_track(picture->app, row->track, &own, &begin);
    const enum sdsim_lane lane = (enum sdsim_lane)row->lane;
    struct sdsim_column *columns = picture->scene->columns;
    if (timeline == NULL) {
        return;
    }
    sdsim_lane_columns(&timeline->lanes[lane], own.from, own.from + own.length, own.width, columns);
    const int32_t left = picture->app->layout.titles + begin;
    const int32_t top = y + 2;
    const int32_t height = row->height - 4;
    uint32_t *line = line_of(picture, own.width, ground);
    for (uint32_t x = 0, end; x < own.width; x = end) {
        end = end_of_look(columns, own.width, x);
        const struct sdsim_column *inner = &columns[x + (end - x) / 2];
        if (columns[x].class != SDSIM_NO_CLASS) {
            const sdsim_color color = sdsim_column_color(picture, lane, inner, ground);
            paint(line, x, end, color);
            if (end - x > 4) {
                paint(line, x, x + 1, sdsim_color_mix(color, ground, 120));
            }
        }
    }
    sdsim_canvas_lines(picture->canvas, left, top, (int32_t)own.width, height, line);
    for (uint32_t x = 0, end; x < own.width; x = end) {
        end = end_of_look(columns, own.width, x);
        const struct sdsim_column *inner = &columns[x + (end - x) / 2];
        if (columns[x].class != SDSIM_NO_CLASS && inner->level == 0) {
            draw_label(picture, timeline, lane, inner, left + (int32_t)x, (int32_t)(end - x), top,
                       height, sdsim_column_color(picture, lane, inner, ground));
        }
    }
}

/* ---- curves ---- */

/* Bars from the bottom of a row: heights and colors of each column. Made line by line, which is how the
 * memory lies. */
struct bars {
    int32_t *heights;    /* of `room` */
    sdsim_color *colors; /* below the top; NULL: one */
    sdsim_color color;
    sdsim_color edge; /* of the uppermost two lines; the color itself: none */
};

static void draw_bars(const struct sdsim_picture *picture, const struct bars *bars, int32_t x,
                      int32_t y, uint32_t width, int32_t room, sdsim_color ground)
{
    for (int32_t line = 0; line <= room; line++) {
        uint32_t *pixels = picture->scene->line;
        const int32_t height = room - line; /* above the bottom */
        for (uint32_t c = 0; c < width; c++) {
            const int32_t h = bars->heights[c];
            const sdsim_color color = bars->colors != NULL ? bars->colors[c] : bars->color;
            pixels[c] = 0xFF000000u | (height > h ? ground : height > h - 2 ? bars->edge : color);
        }
        sdsim_canvas_lines(picture->canvas, x, y + line, (int32_t)width, 1, pixels);
    }
}

/* What the top of a row stands for, on a ground of its own: the bars may be there. */
static void draw_top(const struct sdsim_picture *picture, int32_t left, int32_t y, const char *text)
{
    sdsim_canvas_blend(picture->canvas, left + 2, y + 3,
                       sdsim_font_width(picture->canvas->font, text) + 4,
                       picture->canvas->font->height, picture->theme->ground, 200);
    sdsim_canvas_text(picture->canvas, left + 4, y + 3, 0, text, picture->theme->text);
}

static void draw_curve(const struct sdsim_picture *picture, const struct sdsim_row *row, int32_t y,
                       sdsim_color ground)
{
    struct sdsim_axis own;
    int32_t begin;
    char text[48];
    struct sdsim_timeline *timeline = sdsim_app_track(picture->app, row->track, &own, &begin);
    double *values = picture->scene->values;
    double most = 0;
    if (timeline == NULL) {
        return;
    }
    sdsim_curve(timeline, &own, (enum sdsim_row_kind)row->kind, values);
    for (uint32_t x = 0; x < own.width; x++) {
        most = values[x] > most ? values[x] : most;
    }
    if (most <= 0) {
        return;
    }
    double least = row->kind == SDSIM_ROW_BYTES ? values[0] : 0;
    least = least < most ? least : 0;
    const int32_t left = picture->app->layout.titles + begin;
    const int32_t room = row->height - 5;
    for (uint32_t x = 0; x < own.width; x++) {
        picture->scene->heights[x] = (int32_t)((values[x] - least) / (most - least) * room);
    }
    const struct bars bars = {.heights = picture->scene->heights,
                              .color = sdsim_color_mix(ground, picture->theme->curve, 70),
                              .edge = picture->theme->curve};
    draw_bars(picture, &bars, left, y + 2, own.width, room, ground);
    sdsim_unit_print(row->kind == SDSIM_ROW_BYTES ? SDSIM_UNIT_SIZE : SDSIM_UNIT_RATE, most, text,
                     sizeof text);
    if (!row->folded) {
        draw_top(picture, left, y, text);
    }
}

/* ---- the queue ---- */

static void draw_queue(const struct sdsim_picture *picture, const struct sdsim_row *row, int32_t y,
                       sdsim_color ground)
{
    struct sdsim_axis own;
    int32_t begin;
    struct sdsim_timeline *timeline = sdsim_app_track(picture->app, row->track, &own, &begin);
    const struct sdsim_level_scale *scale = &picture->scene->scales[row->track];
    struct sdsim_column *columns = picture->scene->columns;
    int32_t *heights = picture->scene->heights;
    if (timeline == NULL) {
        return;
    }
    sdsim_lane_columns(&timeline->lanes[SDSIM_LANE_QUEUE], own.from, own.from + own.length,
                       own.width, columns);
    sdsim_levels(timeline, scale, columns, own.width, heights);
    const int32_t room = row->height - 5;
    for (uint32_t x = 0; x < own.width; x++) {
        const bool there = heights[x] >= 0;
        heights[x] = there ? heights[x] * room / SDSIM_LEVEL_FULL : -1;
        picture->scene->colors[x] =
            there ? sdsim_theme_class(picture->theme, SDSIM_LANE_QUEUE, columns[x].class) : ground;
    }
    const struct bars bars = {
        .heights = heights, .colors = picture->scene->colors, .edge = picture->theme->text};
    const int32_t left = picture->app->layout.titles + begin;
    draw_bars(picture, &bars, left, y + 2, own.width, room, ground);
    if (!row->folded) {
        char text[80];
        snprintf(text, sizeof text, "%s%" PRIu64 " %s", scale->limited ? "" : "most: ", scale->top,
                 scale->unit);
        draw_top(picture, left, y, text);
    }
}

/* ---- rows ---- */

static void draw_selection(const struct sdsim_picture *picture, const struct sdsim_row *row,
                           int32_t y)
{
    struct sdsim_app *app = picture->app;
    struct sdsim_span span;
    if (!app->selected || row->kind != SDSIM_ROW_LANE || row->track != app->track ||
        row->lane != app->place.lane ||
        !sdsim_store_span(&app->pair.timelines[app->track]->lanes[row->lane], app->place.number,
                          &span)) {
        return;
    }
    const int32_t from =
        sdsim_axis_pixel(&app->axis, sdsim_pair_common(&app->pair, app->track, span.start));
    const int32_t to = sdsim_axis_pixel(
        &app->axis, sdsim_pair_common(&app->pair, app->track, sdsim_span_end(&span)));
    const int32_t left = app->layout.titles;
    if (to >= 0 && from < (int32_t)app->axis.width) {
        for (int32_t i = 0; i < 2; i++) {
            sdsim_canvas_frame(picture->canvas, left + from - 1 + i, y + i,
                               to - from + 3 - 2 * i > 3 ? to - from + 3 - 2 * i : 3,
                               row->height - 2 * i, picture->theme->mark);
        }
    }
}

static void draw_row(const struct sdsim_picture *picture, uint32_t number, int32_t y)
{
    struct sdsim_app *app = picture->app;
    struct sdsim_canvas *canvas = picture->canvas;
    const struct sdsim_row *row = &app->rows.items[number];
    const struct sdsim_layout *layout = &app->layout;
    const sdsim_color ground = number % 2 == 0 ? picture->theme->ground : picture->theme->ground2;
    const int32_t width = (int32_t)app->axis.width;
    sdsim_canvas_fill(canvas, layout->titles, y, width, row->height, ground);
    if (row->kind == SDSIM_ROW_LANE && row->lane == SDSIM_LANE_QUEUE) {
        draw_queue(picture, row, y, ground);
    } else if (row->kind == SDSIM_ROW_LANE) {
        draw_lane(picture, row, y, ground);
    } else if (row->kind == SDSIM_ROW_PINS) {
        sdsim_bits_draw(picture, row, y);
    } else {
        draw_curve(picture, row, y, ground);
    }
    draw_selection(picture, row, y);
    sdsim_canvas_fill(canvas, 0, y, layout->titles, row->height, picture->theme->bar);
    if (number == app->row) {
        sdsim_canvas_fill(canvas, 0, y, 4, row->height, picture->theme->mark);
    }
    if (!row->folded && row->kind == SDSIM_ROW_PINS && app->bits[row->track].waves != NULL) {
        sdsim_bits_titles(picture, row, y);
    } else if (!row->folded) {
        char title[60];
        snprintf(title, sizeof title, "%s%s", sdsim_row_title(row),
                 app->pair.timelines[1] == NULL ? ""
                 : row->track == 0              ? " A"
                                                : " B");
        sdsim_canvas_text(canvas, 10, y + (row->height - canvas->font->height) / 2,
                          layout->titles - 14, title, picture->theme->text);
    }
    sdsim_canvas_fill(canvas, 0, y + row->height - 1, layout->titles + width, 1,
                      sdsim_color_mix(picture->theme->line, ground, 128));
}

void sdsim_rows_draw(const struct sdsim_picture *picture)
{
    struct sdsim_app *app = picture->app;
    const struct sdsim_layout *layout = &app->layout;
    const int32_t bottom = app->height - layout->status;
    const int32_t width = layout->titles + (int32_t)app->axis.width;
    sdsim_canvas_clip(picture->canvas, 0, layout->rows_top, width, bottom - layout->rows_top);
    for (uint32_t i = 0; i < app->rows.count; i++) {
        const struct sdsim_row *row = &app->rows.items[i];
        const int32_t y = layout->rows_top + row->y - app->scroll;
        if (row->height > 0 && y < bottom && y + row->height > layout->rows_top) {
            draw_row(picture, i, y);
        }
    }
    sdsim_canvas_unclip(picture->canvas);
}
