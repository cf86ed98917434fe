#include "scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/units.h"
#include "timeline/query.h"
#include "view/ruler.h"

char *sdsim_short_time(sdsim_ps time, char *out, size_t size)
{
    return sdsim_unit_print(SDSIM_UNIT_TIME, (double)time, out, size);
}

void sdsim_scene_free(struct sdsim_scene *scene)
{
    free(scene->columns);
    free(scene->minimap);
    free(scene->values);
    *scene = (struct sdsim_scene){.columns = NULL};
}

static bool make_room(struct sdsim_scene *scene, struct sdsim_app *app)
{
    const uint32_t width = app->axis.width;
    if (scene->room < width) {
        free(scene->columns);
        free(scene->values);
        scene->columns = malloc(width * sizeof *scene->columns);
        scene->values = malloc((width + 1) * sizeof *scene->values);
        scene->room = scene->columns != NULL && scene->values != NULL ? width : 0;
    }
    if (scene->minimap_width != width) {
        free(scene->minimap);
        scene->minimap = malloc(width * sizeof *scene->minimap);
        scene->minimap_width = scene->minimap != NULL ? width : 0;
        if (scene->minimap != NULL) {
            sdsim_minimap(app->pair.timelines[0], width, scene->minimap);
        }
    }
    return scene->room >= width && scene->minimap != NULL;
}

/* ---- one lane ---- */

/* A column's color: rare things show, too, but what fills its column is stronger. */
static sdsim_color column_color(const struct sdsim_picture *picture, enum sdsim_lane lane,
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
    for (uint32_t x = 0; x < own.width;) {
        uint32_t end = x + 1;
        while (end < own.width && same_look(&columns[x], &columns[end])) {
            end++;
        }
        /* A span whose ends cover their columns partly is still one span. */
        while (columns[x].level == 0 && columns[x].class != SDSIM_NO_CLASS && end < own.width &&
               columns[end].level == 0 && columns[end].span == columns[x].span &&
               columns[end].class == columns[x].class) {
            end++;
        }
        if (columns[x].class != SDSIM_NO_CLASS) {
            const uint32_t inner = x + (end - x) / 2;
            const sdsim_color color = column_color(picture, lane, &columns[inner], ground);
            const int32_t w = (int32_t)(end - x);
            sdsim_canvas_fill(picture->canvas, left + (int32_t)x, top, w, height, color);
            if (w > 4) {
                sdsim_canvas_fill(picture->canvas, left + (int32_t)x, top, 1, height,
                                  sdsim_color_mix(color, ground, 120));
            }
            draw_label(picture, timeline, lane, &columns[inner], left + (int32_t)x, w, top, height,
                       color);
        }
        x = end;
    }
}

/* ---- curves ---- */

static void draw_curve(const struct sdsim_picture *picture, const struct sdsim_row *row, int32_t y)
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
        const int32_t h = (int32_t)((values[x] - least) / (most - least) * room);
        sdsim_canvas_blend(picture->canvas, left + (int32_t)x, y + 2 + room - h, 1, h + 1,
                           picture->theme->curve, 70);
        sdsim_canvas_fill(picture->canvas, left + (int32_t)x, y + 2 + room - h, 1, 2,
                          picture->theme->curve);
    }
    sdsim_unit_print(row->kind == SDSIM_ROW_BYTES ? SDSIM_UNIT_SIZE : SDSIM_UNIT_RATE, most, text,
                     sizeof text);
    if (!row->folded) { /* on a ground of its own: the curve may be there */
        sdsim_canvas_blend(picture->canvas, left + 2, y + 3,
                           sdsim_font_width(picture->canvas->font, text) + 4,
                           picture->canvas->font->height, picture->theme->ground, 200);
        sdsim_canvas_text(picture->canvas, left + 4, y + 3, 0, text, picture->theme->text);
    }
}

/* ---- the queue ---- */

/* How full a column is, of 1000: exactly where a span can be told, else to the tenth. */
static int32_t fill_of(struct sdsim_timeline *timeline, const struct sdsim_column *column)
{
    struct sdsim_span span;
    if (column->level == 0 &&
        sdsim_store_span(&timeline->lanes[SDSIM_LANE_QUEUE], column->span, &span)) {
        const struct sdsim_detail detail = sdsim_details_get(&timeline->details, span.detail);
        if (detail.kind == SDSIM_DETAIL_LEVEL && detail.size > 0) {
            return detail.place < detail.size
                       ? (int32_t)(1000 * (double)detail.place / (double)detail.size)
                       : 1000;
        }
    }
    return column->class * 100;
}

static void draw_queue(const struct sdsim_picture *picture, const struct sdsim_row *row, int32_t y)
{
    struct sdsim_axis own;
    int32_t begin;
    struct sdsim_timeline *timeline = sdsim_app_track(picture->app, row->track, &own, &begin);
    struct sdsim_column *columns = picture->scene->columns;
    if (timeline == NULL) {
        return;
    }
    sdsim_lane_columns(&timeline->lanes[SDSIM_LANE_QUEUE], own.from, own.from + own.length,
                       own.width, columns);
    const int32_t left = picture->app->layout.titles + begin;
    const int32_t room = row->height - 5;
    for (uint32_t x = 0; x < own.width; x++) {
        if (columns[x].class != SDSIM_NO_CLASS) {
            const int32_t h = fill_of(timeline, &columns[x]) * room / 1000;
            sdsim_canvas_fill(
                picture->canvas, left + (int32_t)x, y + 2 + room - h, 1, h + 1,
                sdsim_theme_class(picture->theme, SDSIM_LANE_QUEUE, columns[x].class));
        }
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
        draw_queue(picture, row, y);
    } else if (row->kind == SDSIM_ROW_LANE) {
        draw_lane(picture, row, y, ground);
    } else if (row->kind == SDSIM_ROW_PINS) {
        sdsim_bits_draw(picture, row, y);
    } else {
        draw_curve(picture, row, y);
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

static void draw_rows(const struct sdsim_picture *picture)
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

/* ---- above and across the rows ---- */

static void draw_minimap(const struct sdsim_picture *picture)
{
    struct sdsim_app *app = picture->app;
    struct sdsim_canvas *canvas = picture->canvas;
    const struct sdsim_layout *layout = &app->layout;
    const struct sdsim_theme *theme = picture->theme;
    const struct sdsim_axis whole = sdsim_axis_of(app->axis.end, app->axis.width);
    sdsim_canvas_fill(canvas, 0, 0, app->width, layout->minimap, theme->bar);
    for (uint32_t x = 0; x < app->axis.width; x++) {
        const struct sdsim_column *column = &picture->scene->minimap[x];
        if (column->class != SDSIM_NO_CLASS) {
            sdsim_canvas_fill(canvas, layout->titles + (int32_t)x, 5, 1, layout->minimap - 10,
                              column_color(picture, SDSIM_LANE_CARD, column, theme->bar));
        }
    }
    const int32_t from = sdsim_axis_pixel(&whole, app->axis.from);
    const int32_t to = sdsim_axis_pixel(&whole, app->axis.from + app->axis.length);
    const int32_t wide = to - from > 3 ? to - from : 3;
    sdsim_canvas_blend(canvas, layout->titles, 1, from, layout->minimap - 2, theme->bar, 150);
    sdsim_canvas_blend(canvas, layout->titles + from + wide, 1,
                       (int32_t)app->axis.width - from - wide, layout->minimap - 2, theme->bar,
                       150);
    sdsim_canvas_frame(canvas, layout->titles + from, 1, wide, layout->minimap - 2, theme->mark);
    sdsim_canvas_text(canvas, 10, (layout->minimap - canvas->font->height) / 2, layout->titles - 14,
                      "Whole run", theme->faint);
}

static void draw_ruler(const struct sdsim_picture *picture)
{
    struct sdsim_ruler *ruler = &picture->scene->ruler;
    struct sdsim_app *app = picture->app;
    struct sdsim_canvas *canvas = picture->canvas;
    const struct sdsim_layout *layout = &app->layout;
    const int32_t top = layout->minimap;
    const int32_t bottom = layout->rows_top;
    sdsim_canvas_fill(canvas, 0, top, layout->titles + (int32_t)app->axis.width, bottom - top,
                      picture->theme->bar);
    sdsim_ruler_make(&app->axis, (uint32_t)layout->unit * 5, ruler);
    sdsim_canvas_clip(canvas, layout->titles, top, (int32_t)app->axis.width, bottom - top);
    for (uint32_t i = 0; i < ruler->count; i++) {
        const struct sdsim_tick *tick = &ruler->ticks[i];
        const int32_t x = layout->titles + tick->x;
        const int32_t length = tick->major ? layout->unit / 2 : layout->unit / 4;
        sdsim_canvas_fill(canvas, x, bottom - length, 1, length,
                          tick->major ? picture->theme->faint : picture->theme->line);
        const int32_t room = layout->titles + (int32_t)app->axis.width - x - 3;
        if (sdsim_font_width(canvas->font, tick->label) <= room) {
            sdsim_canvas_text(canvas, x + 3, top + 4, 0, tick->label, picture->theme->text);
        }
    }
    sdsim_canvas_unclip(canvas);
    sdsim_canvas_text(canvas, 10, top + 4, layout->titles - 14,
                      ruler->base > 0 ? ruler->base_label : "Time", picture->theme->faint);
    sdsim_canvas_fill(canvas, 0, bottom - 1, layout->titles + (int32_t)app->axis.width, 1,
                      picture->theme->line);
}

static void draw_across(const struct sdsim_picture *picture)
{
    struct sdsim_app *app = picture->app;
    struct sdsim_canvas *canvas = picture->canvas;
    const struct sdsim_layout *layout = &app->layout;
    const int32_t top = layout->minimap;
    const int32_t height = app->height - layout->status - top;
    sdsim_canvas_clip(canvas, layout->titles, top, (int32_t)app->axis.width, height);
    if (app->measured) {
        const int32_t from = sdsim_axis_pixel(&app->axis, app->measure_from);
        const int32_t to = sdsim_axis_pixel(&app->axis, app->measure_to);
        sdsim_canvas_blend(canvas, layout->titles + from, top, to - from, height,
                           picture->theme->mark, 40);
        sdsim_canvas_fill(canvas, layout->titles + from, top, 1, height, picture->theme->mark);
        sdsim_canvas_fill(canvas, layout->titles + to, top, 1, height, picture->theme->mark);
    }
    for (size_t i = 0; i < app->markers.count; i++) {
        const struct sdsim_marker *marker = &app->markers.items[i];
        const int32_t x = sdsim_axis_pixel(&app->axis, marker->at);
        if (x >= 0 && x < (int32_t)app->axis.width) {
            const int32_t w = 8 + (int32_t)strlen(marker->label) * canvas->font->height / 2;
            sdsim_canvas_fill(canvas, layout->titles + x, top, 1, height, picture->theme->mark);
            sdsim_canvas_fill(canvas, layout->titles + x, layout->rows_top - layout->unit, w,
                              layout->unit, picture->theme->mark);
            sdsim_canvas_text(canvas, layout->titles + x + 4, layout->rows_top - layout->unit + 1,
                              0, marker->label, sdsim_theme_ink(picture->theme->mark));
        }
    }
    sdsim_canvas_unclip(canvas);
}

static void draw_status(const struct sdsim_picture *picture)
{
    struct sdsim_app *app = picture->app;
    struct sdsim_canvas *canvas = picture->canvas;
    const int32_t top = app->height - app->layout.status;
    char text[220];
    sdsim_canvas_fill(canvas, 0, top, app->width, app->layout.status, picture->theme->bar);
    sdsim_canvas_fill(canvas, 0, top, app->width, 1, picture->theme->line);
    if (app->asking) {
        snprintf(text, sizeof text,
                 "Go to: %s_    (pause over 10ms, fat write, CMD25, LBA 8192, ...)", app->asked);
    } else if (app->message[0] != '\0') {
        snprintf(text, sizeof text, "%s", app->message);
    } else {
        snprintf(text, sizeof text, "N, P: next, previous '%s'    /: go to    ?: help",
                 app->quest_text);
    }
    sdsim_canvas_text(canvas, 10, top + 3, app->width - 20, text,
                      app->asking ? picture->theme->text : picture->theme->faint);
}

bool sdsim_scene_draw(struct sdsim_scene *scene, struct sdsim_app *app, struct sdsim_canvas *canvas)
{
    const struct sdsim_picture picture = {
        .scene = scene, .app = app, .canvas = canvas, .theme = sdsim_theme(app->dark)};
    if (!make_room(scene, app)) {
        return false;
    }
    sdsim_canvas_unclip(canvas);
    sdsim_canvas_fill(canvas, 0, 0, canvas->width, canvas->height, picture.theme->ground);
    draw_minimap(&picture);
    draw_ruler(&picture);
    draw_rows(&picture);
    draw_across(&picture);
    sdsim_panel_draw(&picture);
    draw_status(&picture);
    if (app->help) {
        sdsim_help_draw(&picture);
    }
    return true;
}
