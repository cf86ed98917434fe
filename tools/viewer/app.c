#include "app.h"

#include <stdio.h>

static const char help_hint[] = "? for help";

static void lay_out(struct sdsim_app *app, int32_t text_height)
{
    struct sdsim_layout *layout = &app->layout;
    const int32_t unit = text_height + 4;
    *layout = (struct sdsim_layout){
        .unit = unit,
        .titles = unit * 7,
        .panel = unit * 17,
        .minimap = unit * 2,
        .ruler = unit * 2,
        .rows_top = unit * 4,
        .status = unit + 4,
    };
    app->rows.full = unit * 2;
    app->rows.thin = unit / 2 + 2;
}

static uint32_t lanes_width(const struct sdsim_app *app)
{
    const int32_t width = app->width - app->layout.titles - app->layout.panel;
    return width > 16 ? (uint32_t)width : 16;
}

void sdsim_app_init(struct sdsim_app *app, struct sdsim_timeline *first,
                    struct sdsim_timeline *second, int32_t width, int32_t height,
                    int32_t text_height)
{
    *app = (struct sdsim_app){
        .pair = sdsim_pair_of(first, second), .width = width, .height = height, .dirty = true};
    lay_out(app, text_height);
    sdsim_rows_add(&app->rows, first, 0);
    if (second != NULL) {
        sdsim_rows_add(&app->rows, second, 1);
    }
    app->axis = sdsim_axis_of(sdsim_pair_end(&app->pair), lanes_width(app));
    snprintf(app->quest_text, sizeof app->quest_text, "pause over 10ms");
    snprintf(app->message, sizeof app->message, "%s",
             sdsim_pair_end(&app->pair) > 0 ? help_hint : "the run is empty: nothing was recorded");
}

void sdsim_app_resize(struct sdsim_app *app, int32_t width, int32_t height)
{
    app->width = width;
    app->height = height;
    sdsim_axis_resize(&app->axis, lanes_width(app));
    app->dirty = true;
}

struct sdsim_timeline *sdsim_app_track(const struct sdsim_app *app, uint8_t track,
                                       struct sdsim_axis *own, int32_t *x)
{
    const sdsim_ps shift = app->pair.shift[track];
    *own = app->axis;
    *x = 0;
    if (app->axis.from >= shift) {
        own->from = app->axis.from - shift;
        return app->pair.timelines[track];
    }
    /* The track begins within the window, or behind it. */
    const int32_t begin = sdsim_axis_pixel(&app->axis, shift);
    const sdsim_ps at = sdsim_axis_time(&app->axis, begin);
    *x = begin;
    own->width = app->axis.width - (uint32_t)begin;
    own->from = sdsim_time_since(at, shift);
    own->length = app->axis.from + app->axis.length - at;
    return own->width > 0 ? app->pair.timelines[track] : NULL;
}
