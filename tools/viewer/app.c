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

/* Rows are as high as the window has room for beside the bits, within what is good to look at. */
static void fit_rows(struct sdsim_app *app)
{
    const int32_t unit = app->layout.unit;
    const int32_t least = app->pair.timelines[1] != NULL ? unit * 3 / 2 : unit * 2;
    const int32_t room = app->height - app->layout.rows_top - app->layout.status - 12 * unit;
    const int32_t each = app->rows.count > 0 ? room / (int32_t)app->rows.count : 0;
    app->rows.full = each < least ? least : each > 3 * unit ? 3 * unit : each;
    sdsim_rows_lay(&app->rows);
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
    fit_rows(app);
    app->axis = sdsim_axis_of(sdsim_pair_end(&app->pair), lanes_width(app));
    snprintf(app->quest_text, sizeof app->quest_text, "pause over 10ms");
    snprintf(app->message, sizeof app->message, "%s",
             sdsim_pair_end(&app->pair) > 0 ? help_hint : "the run is empty: nothing was recorded");
}

void sdsim_app_resize(struct sdsim_app *app, int32_t width, int32_t height)
{
    app->width = width;
    app->height = height;
    fit_rows(app);
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

/* ---- the rows of bits ---- */

/* Lines whose bytes and fields are told: MOSI and MISO, or CMD and DAT0 (the others go with it). */
static bool is_decoded(const struct sdsim_waves *waves, unsigned pin)
{
    const unsigned last = sdsim_wave_pins(waves->mode)->count - 1;
    return waves->mode == SDSIM_BUS_SPI ? pin >= 2 : pin == 1 || pin == last;
}

int32_t sdsim_app_pin_line(const struct sdsim_waves *waves, unsigned pin, bool *decoded)
{
    int32_t line = 0;
    for (unsigned i = 0; i < pin; i++) {
        line += is_decoded(waves, i) ? 3 : 1;
    }
    *decoded = is_decoded(waves, pin);
    return line;
}

int32_t sdsim_app_pin_lines(const struct sdsim_waves *waves)
{
    bool decoded;
    return sdsim_app_pin_line(waves, sdsim_wave_pins(waves->mode)->count, &decoded);
}

void sdsim_app_fit_pins(struct sdsim_app *app)
{
    for (uint32_t i = 0; i < app->rows.count; i++) {
        struct sdsim_row *row = &app->rows.items[i];
        const struct sdsim_waves *waves = app->bits[row->track].waves;
        if (row->kind == SDSIM_ROW_PINS) {
            row->tall = waves != NULL ? sdsim_app_pin_lines(waves) * app->layout.unit + 6
                                      : app->layout.unit;
        }
    }
    sdsim_rows_lay(&app->rows);
}

int32_t sdsim_piece_line(const struct sdsim_waves *waves, const struct sdsim_bus_piece *piece)
{
    bool decoded;
    const bool data = waves->mode != SDSIM_BUS_SPI && piece->pin == 2;
    const unsigned pin = data ? sdsim_wave_pins(waves->mode)->count - 1 : piece->pin;
    return sdsim_app_pin_line(waves, pin, &decoded) + 1 + (piece->row == SDSIM_PIECE_FIELD);
}

const struct sdsim_bus_piece *sdsim_piece_at(const struct sdsim_waves *waves, sdsim_ps instant,
                                             int32_t line)
{
    for (size_t i = sdsim_waves_piece_after(waves, instant); i < waves->piece_count; i++) {
        const struct sdsim_bus_piece *piece = &waves->pieces[i];
        if (piece->from <= instant && sdsim_piece_line(waves, piece) == line) {
            return piece;
        }
    }
    return NULL;
}

/* ---- scrolling ---- */

void sdsim_app_scroll(struct sdsim_app *app, int32_t pixels)
{
    const int32_t room = app->height - app->layout.rows_top - app->layout.status;
    const int32_t most = app->rows.height > room ? app->rows.height - room : 0;
    app->scroll += pixels;
    app->scroll = app->scroll > most ? most : app->scroll;
    app->scroll = app->scroll < 0 ? 0 : app->scroll;
}

void sdsim_app_see_row(struct sdsim_app *app)
{
    const struct sdsim_row *row = &app->rows.items[app->row];
    const int32_t room = app->height - app->layout.rows_top - app->layout.status;
    if (app->row < app->rows.count) {
        app->scroll =
            row->y + row->height > app->scroll + room ? row->y + row->height - room : app->scroll;
        app->scroll = row->y < app->scroll ? row->y : app->scroll;
    }
    sdsim_app_scroll(app, 0);
}
