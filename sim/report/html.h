/*
 * Pieces of HTML: text that is escaped wherever it goes, and pictures of gnuplot made fit to stand in a
 * page.
 *
 * Escaping: the five characters that mean something in HTML become entities, control characters
 * blanks, and what is no UTF-8 becomes U+FFFD, so a text may stand between tags and inside quotes.
 *
 * gnuplot's SVG goes into the page without its size, ids, titles and definitions: pages have several
 * pictures, and ids of one would catch the references of another. The only symbol that pictures use,
 * a dot, is defined once (sdsim_html_symbols). Colours rgb(1,2,n) in a script stand for the page's own
 * colour number n (enum sdsim_html_color), which depends on light and dark; texts take the page's
 * font.
 */
#ifndef SDSIM_REPORT_HTML_H
#define SDSIM_REPORT_HTML_H

#include <stdbool.h>
#include <stdio.h>

/* Writes a text, escaped; NULL writes nothing. */
void sdsim_html_text(FILE *out, const char *text);

/* Formats, and writes the result, escaped; cut at 1000 bytes. */
void sdsim_html_print(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- pictures ---- */

enum sdsim_html_color {
    SDSIM_HTML_INK = 3,    /* of labels and axes */
    SDSIM_HTML_RULE = 4,   /* grid lines */
    SDSIM_HTML_ACCENT = 5, /* what matters */
    SDSIM_HTML_SOFT = 6,   /* beside it */
    SDSIM_HTML_WARN = 7,
};

/* How a script of gnuplot spells a colour: "#010203". */
#define SDSIM_HTML_RGB_INK    "'#010203'"
#define SDSIM_HTML_RGB_RULE   "'#010204'"
#define SDSIM_HTML_RGB_ACCENT "'#010205'"
#define SDSIM_HTML_RGB_SOFT   "'#010206'"
#define SDSIM_HTML_RGB_WARN   "'#010207'"

/* Definitions that pictures refer to; once, in front of them. */
void sdsim_html_symbols(FILE *out);

/* Writes gnuplot's picture with `label` for those who can't see it. False: it is no such picture, and
 * nothing was written. */
bool sdsim_html_picture(FILE *out, const char *svg, const char *label);

#endif
