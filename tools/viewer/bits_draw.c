/*
 * The picture of bits: the levels of each pin, and below a line that is decoded its bytes and fields.
 */
#include "scene.h"
#include "timeline/query.h"

struct strip {
    const struct sdsim_picture *picture;
    const struct sdsim_waves *waves;
    const struct sdsim_axis *own;
    int32_t left; /* of the axis */
    int32_t y;    /* of the first line */
};

static int32_t unit_of(const struct strip *strip)
{
    return strip->picture->app->layout.unit;
}

/* ---- levels ---- */

/* One pin from x0 to x1, at a level. */
static void draw_level(const struct strip *strip, int32_t top, bool high, int32_t x0, int32_t x1)
{
    const struct sdsim_theme *theme = strip->picture->theme;
    const int32_t height = unit_of(strip) - 7;
    if (high) {
        sdsim_canvas_blend(strip->picture->canvas, strip->left + x0, top, x1 - x0, height,
                           theme->curve, 36);
    }
    sdsim_canvas_fill(strip->picture->canvas, strip->left + x0, high ? top : top + height,
                      x1 - x0 + 1, 1, theme->text);
}

/* Goes along the edges of one pin. */
static void draw_pin(const struct strip *strip, unsigned pin, size_t first, int32_t top)
{
    const struct sdsim_waves *waves = strip->waves;
    const struct sdsim_axis *own = strip->own;
    const sdsim_ps end = sdsim_time_sum(own->from, own->length);
    bool high = (waves->edges[first].levels >> pin & 1) != 0;
    int32_t x = sdsim_axis_pixel(own, waves->edges[first].at);
    x = x > 0 ? x : 0;
    for (size_t i = first + 1; i < waves->edge_count && waves->edges[i].at < end; i++) {
        const bool now = (waves->edges[i].levels >> pin & 1) != 0;
        if (now != high) {
            const int32_t edge = sdsim_axis_pixel(own, waves->edges[i].at);
            draw_level(strip, top, high, x, edge);
            sdsim_canvas_fill(strip->picture->canvas, strip->left + edge, top, 1,
                              unit_of(strip) - 6, strip->picture->theme->text);
            x = edge;
            high = now;
        }
    }
    draw_level(strip, top, high, x, sdsim_axis_pixel(own, waves->to < end ? waves->to : end));
}

static void draw_edges(const struct strip *strip)
{
    const struct sdsim_waves *waves = strip->waves;
    const struct sdsim_wave_pins *pins = sdsim_wave_pins(waves->mode);
    size_t first = sdsim_waves_at(waves, strip->own->from);
    if (first >= waves->edge_count) { /* they begin within the window */
        first = 0;
    }
    for (unsigned pin = 0; pin < pins->count; pin++) {
        bool decoded;
        const int32_t line = sdsim_app_pin_line(waves, pin, &decoded);
        draw_pin(strip, pin, first, strip->y + line * unit_of(strip) + 3);
    }
}

/* ---- bytes and fields ---- */

static void draw_piece(const struct strip *strip, const struct sdsim_bus_piece *piece)
{
    struct sdsim_canvas *canvas = strip->picture->canvas;
    const struct sdsim_theme *theme = strip->picture->theme;
    const struct sdsim_app *app = strip->picture->app;
    const int32_t from = sdsim_axis_pixel(strip->own, piece->from);
    const int32_t to = sdsim_axis_pixel(strip->own, piece->to);
    const int32_t x = from > 0 ? from : 0;
    const int32_t w = to - x > 1 ? to - x : 1;
    const int32_t y = strip->y + sdsim_piece_line(strip->waves, piece) * unit_of(strip);
    const int32_t h = unit_of(strip) - 2;
    const sdsim_color color = sdsim_theme_tone(theme, (enum sdsim_tone)piece->tone);
    const bool chosen = app->on_piece && app->piece.from == piece->from &&
                        app->piece.to == piece->to && app->piece.row == piece->row &&
                        app->piece.pin == piece->pin;
    sdsim_canvas_fill(canvas, strip->left + x, y, w, h, color);
    if (w > 3) {
        sdsim_canvas_fill(canvas, strip->left + x + w - 1, y, 1, h, theme->ground);
    }
    if (chosen) {
        sdsim_canvas_frame(canvas, strip->left + x, y, w, h, theme->mark);
    }
    const int32_t width = sdsim_font_width(canvas->font, piece->text);
    if (width + 2 <= w) {
        sdsim_canvas_text(canvas, strip->left + x + (w - width) / 2, y, 0, piece->text,
                          sdsim_theme_ink(color));
    } else if (piece->row == SDSIM_PIECE_FIELD && w > 3 * unit_of(strip)) {
        sdsim_canvas_text(canvas, strip->left + x + 2, y, w - 4, piece->text,
                          sdsim_theme_ink(color));
    }
}

static void draw_pieces(const struct strip *strip)
{
    const sdsim_ps end = sdsim_time_sum(strip->own->from, strip->own->length);
    for (size_t i = sdsim_waves_piece_after(strip->waves, strip->own->from);
         i < strip->waves->piece_count; i++) {
        if (strip->waves->pieces[i].from < end) {
            draw_piece(strip, &strip->waves->pieces[i]);
        }
    }
}

/* ---- the row ---- */

void sdsim_bits_draw(const struct sdsim_picture *picture, const struct sdsim_row *row, int32_t y)
{
    struct sdsim_app *app = picture->app;
    const struct sdsim_app_bits *bits = &app->bits[row->track];
    struct sdsim_axis own;
    int32_t begin;
    if (row->folded || sdsim_app_track(app, row->track, &own, &begin) == NULL) {
        return;
    }
    const int32_t left = app->layout.titles + begin;
    if (bits->waves != NULL && bits->waves->edge_count > 0) {
        const struct strip strip = {
            .picture = picture, .waves = bits->waves, .own = &own, .left = left, .y = y + 3};
        draw_edges(&strip);
        draw_pieces(&strip);
    } else if (bits->note != NULL) {
        sdsim_canvas_text(picture->canvas, left + 8,
                          y + (row->height - picture->canvas->font->height) / 2,
                          (int32_t)own.width - 16, bits->note, picture->theme->faint);
    }
}

void sdsim_bits_titles(const struct sdsim_picture *picture, const struct sdsim_row *row, int32_t y)
{
    const struct sdsim_app *app = picture->app;
    const struct sdsim_waves *waves = app->bits[row->track].waves;
    const struct sdsim_wave_pins *pins = sdsim_wave_pins(waves->mode);
    for (unsigned pin = 0; pin < pins->count; pin++) {
        bool decoded;
        const int32_t line = sdsim_app_pin_line(waves, pin, &decoded);
        const char *names[] = {pins->names[pin], "  bytes", "  fields"};
        for (int32_t i = 0; i < (decoded ? 3 : 1); i++) {
            sdsim_canvas_text(picture->canvas, 10, y + 3 + (line + i) * app->layout.unit,
                              app->layout.titles - 14, names[i],
                              i == 0 ? picture->theme->text : picture->theme->faint);
        }
    }
}
