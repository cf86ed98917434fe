#include "font.h"

#include <SDL_ttf.h>
#include <stdlib.h>
#include <string.h>

#ifndef SDSIM_FONT_FILE
#define SDSIM_FONT_FILE "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"
#endif

static bool load_glyph(TTF_Font *ttf, char character, struct sdsim_glyph *glyph)
{
    int advance = 0;
    const SDL_Color white = {255, 255, 255, 255};
    if (TTF_GlyphMetrics(ttf, (Uint16)character, NULL, NULL, NULL, NULL, &advance) != 0) {
        return false;
    }
    glyph->advance = advance;
    SDL_Surface *surface = TTF_RenderGlyph_Blended(ttf, (Uint16)character, white);
    if (surface == NULL) {
        return true; /* nothing to be seen of it */
    }
    /* 32-bit pixels whose top byte is the coverage; the surface is as high as a line. */
    glyph->width = surface->w;
    glyph->height = surface->h;
    glyph->alpha = malloc((size_t)surface->w * (size_t)surface->h + 1);
    for (int y = 0; glyph->alpha != NULL && y < surface->h; y++) {
        const uint8_t *row = (const uint8_t *)surface->pixels + (size_t)y * (size_t)surface->pitch;
        for (int x = 0; x < surface->w; x++) {
            uint32_t pixel;
            memcpy(&pixel, row + 4 * (size_t)x, sizeof pixel);
            glyph->alpha[y * surface->w + x] = (uint8_t)(pixel >> 24);
        }
    }
    SDL_FreeSurface(surface);
    return glyph->alpha != NULL;
}

bool sdsim_font_load(struct sdsim_font *font, const char *path, int size)
{
    memset(font, 0, sizeof *font);
    TTF_Font *ttf = TTF_OpenFont(path != NULL ? path : SDSIM_FONT_FILE, size);
    if (ttf == NULL) {
        return false;
    }
    font->height = TTF_FontLineSkip(ttf);
    bool fine = true;
    for (int c = SDSIM_FIRST_GLYPH; c <= SDSIM_LAST_GLYPH && fine; c++) {
        fine = load_glyph(ttf, (char)c, &font->glyphs[c - SDSIM_FIRST_GLYPH]);
    }
    TTF_CloseFont(ttf);
    if (!fine) {
        sdsim_font_free(font);
    }
    return fine;
}

void sdsim_font_free(struct sdsim_font *font)
{
    for (int i = 0; i <= SDSIM_LAST_GLYPH - SDSIM_FIRST_GLYPH; i++) {
        free(font->glyphs[i].alpha);
    }
    memset(font, 0, sizeof *font);
}

const struct sdsim_glyph *sdsim_font_glyph(const struct sdsim_font *font, char character)
{
    const int c = (unsigned char)character;
    const bool known = c >= SDSIM_FIRST_GLYPH && c <= SDSIM_LAST_GLYPH;
    return &font->glyphs[(known ? c : '?') - SDSIM_FIRST_GLYPH];
}

int32_t sdsim_font_width(const struct sdsim_font *font, const char *text)
{
    int32_t width = 0;
    for (; *text != '\0'; text++) {
        width += sdsim_font_glyph(font, *text)->advance;
    }
    return width;
}
