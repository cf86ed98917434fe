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
    free(scene->line);
    free(scene->heights);
    free(scene->colors);
    *scene = (struct sdsim_scene){.columns = NULL};
}

static bool grow(void *array, size_t count, size_t size)
{
    void *const new = realloc(*(void **)array, count * size);
    if (new != NULL) {
        *(void **)array = new;
    }
    return new != NULL;
}

static bool make_room(struct sdsim_scene *scene, struct sdsim_app *app)
{
    const uint32_t width = app->axis.width;
    if (scene->room < width) {
        const bool grown = grow(&scene->columns, width, sizeof *scene->columns) &&
                           grow(&scene->values, width + 1, sizeof *scene->values) &&
                           grow(&scene->line, width, sizeof *scene->line) &&
                           grow(&scene->heights, width, sizeof *scene->heights) &&
                           grow(&scene->colors, width, sizeof *scene->colors);
        scene->room = grown ? width : 0;
    }
    if (scene->minimap_width != width) {
        const bool grown = grow(&scene->minimap, width, sizeof *scene->minimap);
        scene->minimap_width = grown ? width : 0;
        if (grown) {
            sdsim_minimap(app->pair.timelines[0], width, scene->minimap);
            for (int track = 0; track < 2 && app->pair.timelines[track] != NULL; track++) {
                scene->scales[track] = sdsim_level_scale(app->pair.timelines[track]);
            }
        }
    }
    return scene->room >= width && scene->minimap_width == width;
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
    const int32_t from = sdsim_axis_pixel(&whole, app->axis.from);
    const int32_t to = sdsim_axis_pixel(&whole, app->axis.from + app->axis.length);
    const int32_t wide = to - from > 3 ? to - from : 3;
    for (uint32_t x = 0; x < app->axis.width; x++) {
        const struct sdsim_column *column = &picture->scene->minimap[x];
        sdsim_color color = theme->bar;
        if (column->class != SDSIM_NO_CLASS) {
            color = sdsim_column_color(picture, SDSIM_LANE_CARD, column, theme->bar);
        }
        if ((int32_t)x < from || (int32_t)x >= from + wide) { /* not in the window */
            color = sdsim_color_mix(color, theme->bar, 150);
        }
        picture->scene->line[x] = 0xFF000000u | color;
    }
    sdsim_canvas_lines(canvas, layout->titles, 5, (int32_t)app->axis.width, layout->minimap - 10,
                       picture->scene->line);
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
    const int32_t rows_end = app->layout.rows_top + app->rows.height - app->scroll;
    sdsim_canvas_fill(canvas, 0, rows_end, canvas->width, canvas->height - rows_end,
                      picture.theme->ground);
    draw_minimap(&picture);
    draw_ruler(&picture);
    sdsim_rows_draw(&picture);
    draw_across(&picture);
    sdsim_panel_draw(&picture);
    draw_status(&picture);
    if (app->help) {
        sdsim_help_draw(&picture);
    }
    return true;
}
