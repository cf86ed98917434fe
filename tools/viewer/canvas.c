#include "canvas.h"

#include <stddef.h>
#include <string.h>

#include "font.h"

void sdsim_canvas_unclip(struct sdsim_canvas *canvas)
{
    canvas->left = 0;
    canvas->top = 0;
    canvas->right = canvas->width;
    canvas->bottom = canvas->height;
}

static int32_t at_least(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

static int32_t at_most(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

void sdsim_canvas_clip(struct sdsim_canvas *canvas, int32_t x, int32_t y, int32_t w, int32_t h)
{
    canvas->left = at_least(x, 0);
    canvas->top = at_least(y, 0);
    canvas->right = at_most(x + w, canvas->width);
    canvas->bottom = at_most(y + h, canvas->height);
}

void sdsim_canvas_fill(struct sdsim_canvas *canvas, int32_t x, int32_t y, int32_t w, int32_t h,
                       sdsim_color color)
{
    const int32_t x0 = at_least(x, canvas->left);
    const int32_t x1 = at_most(x + w, canvas->right);
    const int32_t y0 = at_least(y, canvas->top);
    const int32_t y1 = at_most(y + h, canvas->bottom);
    if (x1 <= x0 || y1 <= y0) {
        return;
    }
    uint32_t *first = canvas->pixels + (ptrdiff_t)y0 * canvas->pitch + x0;
    const size_t width = (size_t)(x1 - x0);
    for (size_t i = 0; i < width; i++) {
        first[i] = 0xFF000000u | color;
    }
    for (int32_t row = 1; row < y1 - y0; row++) { /* copying is what computers are best at */
        memcpy(first + (ptrdiff_t)row * canvas->pitch, first, width * sizeof *first);
    }
}

void sdsim_canvas_lines(struct sdsim_canvas *canvas, int32_t x, int32_t y, int32_t w, int32_t h,
                        const uint32_t *line)
{
    const int32_t x0 = at_least(x, canvas->left);
    const int32_t x1 = at_most(x + w, canvas->right);
    const int32_t y1 = at_most(y + h, canvas->bottom);
    if (x1 <= x0) {
        return;
    }
    for (int32_t row = at_least(y, canvas->top); row < y1; row++) {
        memcpy(canvas->pixels + (ptrdiff_t)row * canvas->pitch + x0, line + (x0 - x),
               (size_t)(x1 - x0) * sizeof *line);
    }
}

sdsim_color sdsim_color_mix(sdsim_color a, sdsim_color b, uint8_t share)
{
    sdsim_color mixed = 0;
    for (unsigned shift = 0; shift < 24; shift += 8) {
        const uint32_t x = a >> shift & 0xFF;
        const uint32_t y = b >> shift & 0xFF;
        mixed |= (x * (255u - share) + y * share + 127) / 255 << shift;
    }
    return mixed;
}

void sdsim_canvas_blend(struct sdsim_canvas *canvas, int32_t x, int32_t y, int32_t w, int32_t h,
                        sdsim_color color, uint8_t share)
{
    const int32_t x0 = at_least(x, canvas->left);
    const int32_t x1 = at_most(x + w, canvas->right);
    const int32_t y1 = at_most(y + h, canvas->bottom);
    for (int32_t row = at_least(y, canvas->top); row < y1; row++) {
        uint32_t *pixels = canvas->pixels + (ptrdiff_t)row * canvas->pitch;
        for (int32_t column = x0; column < x1; column++) {
            pixels[column] = 0xFF000000u | sdsim_color_mix(pixels[column] & 0xFFFFFF, color, share);
        }
    }
}

void sdsim_canvas_frame(struct sdsim_canvas *canvas, int32_t x, int32_t y, int32_t w, int32_t h,
                        sdsim_color color)
{
    sdsim_canvas_fill(canvas, x, y, w, 1, color);
    sdsim_canvas_fill(canvas, x, y + h - 1, w, 1, color);
    sdsim_canvas_fill(canvas, x, y, 1, h, color);
    sdsim_canvas_fill(canvas, x + w - 1, y, 1, h, color);
}

/* ---- text ---- */

static void draw_glyph(struct sdsim_canvas *canvas, const struct sdsim_glyph *glyph, int32_t x,
                       int32_t y, sdsim_color color)
{
    for (int32_t row = 0; row < glyph->height; row++) {
        const int32_t py = y + glyph->top + row;
        if (py < canvas->top || py >= canvas->bottom) {
            continue;
        }
        uint32_t *pixels = canvas->pixels + (ptrdiff_t)py * canvas->pitch;
        for (int32_t column = 0; column < glyph->width; column++) {
            const int32_t px = x + glyph->left + column;
            const uint8_t share = glyph->alpha[row * glyph->width + column];
            if (px >= canvas->left && px < canvas->right && share > 0) {
                pixels[px] = 0xFF000000u | sdsim_color_mix(pixels[px] & 0xFFFFFF, color, share);
            }
        }
    }
}

/* Draws at most `count` bytes. */
static int32_t draw_run(struct sdsim_canvas *canvas, int32_t x, int32_t y, const char *text,
                        size_t count, sdsim_color color)
{
    int32_t used = 0;
    for (size_t i = 0; i < count && text[i] != '\0'; i++) {
        const struct sdsim_glyph *glyph = sdsim_font_glyph(canvas->font, text[i]);
        draw_glyph(canvas, glyph, x + used, y, color);
        used += glyph->advance;
    }
    return used;
}

int32_t sdsim_canvas_text(struct sdsim_canvas *canvas, int32_t x, int32_t y, int32_t most,
                          const char *text, sdsim_color color)
{
    const struct sdsim_font *font = canvas->font;
    const int32_t whole = sdsim_font_width(font, text);
    if (most <= 0 || whole <= most) {
        return draw_run(canvas, x, y, text, strlen(text), color);
    }
    const int32_t dots = sdsim_font_width(font, "...");
    int32_t used = 0;
    size_t count = 0;
    while (text[count] != '\0' &&
           used + sdsim_font_glyph(font, text[count])->advance + dots <= most) {
        used += sdsim_font_glyph(font, text[count])->advance;
        count++;
    }
    if (count == 0) {
        return 0;
    }
    draw_run(canvas, x, y, text, count, color);
    return used + draw_run(canvas, x + used, y, "...", 3, color);
}
