/*
 * How output may look where it goes: with colours or without, in UTF-8 or in ASCII.
 *
 * The caller finds out once (terminal, locale, options) and passes it down; nothing in this folder
 * looks at the environment.
 */
#ifndef SDSIM_REPORT_STYLE_H
#define SDSIM_REPORT_STYLE_H

#include <stdbool.h>

struct sdsim_style {
    bool color; /* ANSI escapes are welcome */
    bool utf8;  /* bars may use block characters */
};

enum sdsim_ink {
    SDSIM_INK_PLAIN,
    SDSIM_INK_BOLD,
    SDSIM_INK_GOOD,
    SDSIM_INK_BAD,
};

/* The escape sequence that begins an ink; "" without colour. The end of all is
 * sdsim_ink_end. */
static inline const char *sdsim_ink_begin(const struct sdsim_style *style, enum sdsim_ink ink)
{
    static const char *const begins[] = {
        [SDSIM_INK_PLAIN] = "",
        [SDSIM_INK_BOLD] = "\033[1m",
        [SDSIM_INK_GOOD] = "\033[32m",
        [SDSIM_INK_BAD] = "\033[31m",
    };
    return style->color ? begins[ink] : "";
}

static inline const char *sdsim_ink_end(const struct sdsim_style *style, enum sdsim_ink ink)
{
    return style->color && ink != SDSIM_INK_PLAIN ? "\033[0m" : "";
}

#endif
