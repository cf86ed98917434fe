/*
 * A picture in memory: 32-bit pixels, rectangles, lines and text.
 *
 * Everything the viewer shows is drawn here, by the CPU, and then copied to a window or a file; so a
 * picture is the same with and without a display. Text comes from a table of glyphs (font.h).
 */
#ifndef SDSIM_VIEWER_CANVAS_H
#define SDSIM_VIEWER_CANVAS_H

#include <stdbool.h>
#include <stdint.h>

typedef uint32_t sdsim_color; /* 0xRRGGBB */

struct sdsim_font;

struct sdsim_canvas {
    uint32_t *pixels; /* 0xFFRRGGBB, not owned */
    int32_t width;
    int32_t height;
    int32_t pitch; /* pixels from row to row */
    int32_t left;  /* nothing is drawn outside of left..right, top..bottom */
    int32_t top;
    int32_t right;
    int32_t bottom;
    const struct sdsim_font *font; /* not owned */
};

/* The whole canvas may be drawn on; only a part of it. */
void sdsim_canvas_unclip(struct sdsim_canvas *canvas);
void sdsim_canvas_clip(struct sdsim_canvas *canvas, int32_t x, int32_t y, int32_t w, int32_t h);

void sdsim_canvas_fill(struct sdsim_canvas *canvas, int32_t x, int32_t y, int32_t w, int32_t h,
                       sdsim_color color);
/* One line of `w` pixels (0xFFRRGGBB), h times below each other. */
void sdsim_canvas_lines(struct sdsim_canvas *canvas, int32_t x, int32_t y, int32_t w, int32_t h,
                        const uint32_t *line);
/* `share` of 255 of the color over what is there. */
void sdsim_canvas_blend(struct sdsim_canvas *canvas, int32_t x, int32_t y, int32_t w, int32_t h,
                        sdsim_color color, uint8_t share);
void sdsim_canvas_frame(struct sdsim_canvas *canvas, int32_t x, int32_t y, int32_t w, int32_t h,
                        sdsim_color color);

/* Text with its upper left corner at x, y, cut with "..." if it is wider than `most` pixels (0: as wide
 * as it is). Returns how wide it became. */
int32_t sdsim_canvas_text(struct sdsim_canvas *canvas, int32_t x, int32_t y, int32_t most,
                          const char *text, sdsim_color color);

/* Between two colors: `share` of 255 of b. */
sdsim_color sdsim_color_mix(sdsim_color a, sdsim_color b, uint8_t share);

#endif
