/*
 * Glyphs of the ASCII characters as coverage masks, made once from a TrueType font.
 *
 * Limits: other characters are shown as '?'.
 */
#ifndef SDSIM_VIEWER_FONT_H
#define SDSIM_VIEWER_FONT_H

#include <stdbool.h>
#include <stdint.h>

enum { SDSIM_FIRST_GLYPH = 32, SDSIM_LAST_GLYPH = 126 };

struct sdsim_glyph {
    uint8_t *alpha; /* width * height, owned by the font */
    int32_t width;
    int32_t height;
    int32_t left; /* from the pen */
    int32_t top;  /* from the top of the line */
    int32_t advance;
};

struct sdsim_font {
    struct sdsim_glyph glyphs[SDSIM_LAST_GLYPH - SDSIM_FIRST_GLYPH + 1];
    int32_t height; /* of a line */
};

/* Loads `path`, or the usual place of DejaVu Sans if it is NULL, at `size` pixels. False if there is no
 * such font. */
bool sdsim_font_load(struct sdsim_font *font, const char *path, int size);
/* A plain font that needs no file. */
void sdsim_font_built_in(struct sdsim_font *font, int size);
void sdsim_font_free(struct sdsim_font *font);

const struct sdsim_glyph *sdsim_font_glyph(const struct sdsim_font *font, char character);
int32_t sdsim_font_width(const struct sdsim_font *font, const char *text);

#endif
