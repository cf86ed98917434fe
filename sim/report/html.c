#include "report/html.h"

#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include "core/utf8.h"

/* ---- texts ---- */

static const char *entity(uint32_t point)
{
    switch (point) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

/* Marks that turn the direction of what follows: a text could look like another with them. */
static bool turns_direction(uint32_t point)
{
    return (point >= 0x202a && point <= 0x202e) || (point >= 0x2066 && point <= 0x2069);
}

void sdsim_html_text(FILE *out, const char *text)
{
    while (text != NULL && *text != '\0') {
        uint32_t point = 0;
        const size_t size = sdsim_utf8_decode(text, strnlen(text, 4), &point);
        if (size == 0 || turns_direction(point)) {
            fputs("\xef\xbf\xbd", out);
        } else if (entity(point) != NULL) {
            fputs(entity(point), out);
        } else if (sdsim_utf8_is_control(point)) {
            fputc(' ', out);
        } else {
            fwrite(text, 1, size, out);
        }
        text += size > 0 ? size : 1;
    }
}

void sdsim_html_print(FILE *out, const char *format, ...)
{
    char text[1001];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    sdsim_html_text(out, text);
}

/* ---- pictures ---- */

/* gnuplot's dot, under the name its references have. */
void sdsim_html_symbols(FILE *out)
{
    fputs("<svg width=\"0\" height=\"0\" style=\"position:absolute\" aria-hidden=\"true\"><defs>"
          "<circle id=\"gpPt6\" r=\"1\" fill=\"currentColor\" stroke=\"none\"/></defs></svg>\n",
          out);
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* Behind the element that begins here, or NULL if it does not end. */
static const char *behind(const char *at, const char *end)
{
    const char *close = strstr(at, end);
    return close != NULL ? close + strlen(end) : NULL;
}

/* "rgb( 1, 2, 5)" of the page's colours; how long it is, 0 if it is none of them. */
static size_t page_color(const char *at, int *color)
{
    int parts[3];
    int length = 0;
    if (sscanf(at, "rgb(%d ,%d ,%d )%n", &parts[0], &parts[1], &parts[2], &length) != 3 ||
        length == 0 || parts[0] != 1 || parts[1] != 2) {
        return 0;
    }
    *color = parts[2];
    return (size_t)length;
}

static const char *variable_of(int color)
{
    static const char *const names[] = {[SDSIM_HTML_INK] = "var(--soft-ink)",
                                        [SDSIM_HTML_RULE] = "var(--rule)",
                                        [SDSIM_HTML_ACCENT] = "var(--accent)",
                                        [SDSIM_HTML_SOFT] = "var(--accent-soft)",
                                        [SDSIM_HTML_WARN] = "var(--bad)"};
    return color >= SDSIM_HTML_INK && color <= SDSIM_HTML_WARN ? names[color] : "currentColor";
}

/* What of gnuplot's output stays out: the length of it here, 0 if nothing. */
static size_t left_out(const char *at)
{
    static const struct {
        const char *begin;
        const char *end;
    } elements[] = {
        {"<title>", "</title>"},
        {"<desc>", "</desc>"},
        {"<defs>", "</defs>"},
        {" id=\"", "\""},
        {" id='", "'"},
        {" font-family=\"", "\""},
        {" class=\"gridline\"", ""},
    };
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {
        if (begins(at, elements[i].begin)) {
            const size_t head = strlen(elements[i].begin);
            const char *next = behind(at + head, elements[i].end);
            return next != NULL ? (size_t)(next - at) : 0;
        }
    }
    return 0;
}

/* Groups in which nothing is drawn: <g ...> and </g> with blanks between. */
static size_t empty_group(const char *at)
{
    if (!begins(at, "<g ")) {
        return 0;
    }
    const char *next = strchr(at, '>');
    if (next == NULL) {
        return 0;
    }
    next++;
    next += strspn(next, " \t\n");
    return begins(next, "</g>") ? (size_t)(next + 4 - at) : 0;
}

static void copy(FILE *out, const char *at)
{
    while (*at != '\0' && !begins(at, "</svg>")) {
        int color = 0;
        const size_t blanks = strspn(at, " \t\n");
        size_t size = left_out(at);
        size = size > 0 ? size : empty_group(at);
        if (size > 0) {
            at += size;
        } else if ((size = page_color(at, &color)) > 0) {
            fputs(variable_of(color), out);
            at += size;
        } else if (begins(at, "color='white'")) { /* what a dot stands on */
            fputs("color=\"var(--paper)\"", out);
            at += strlen("color='white'");
        } else if (blanks > 1 && left_out(at + blanks - 1) == 0) {
            fputc(at[blanks] == '<' ? '\n' : ' ', out);
            at += blanks;
        } else {
            fputc(*at++, out);
        }
    }
}

bool sdsim_html_picture(FILE *out, const char *svg, const char *label)
{
    const char *root = strstr(svg, "<svg");
    const char *box = root != NULL ? strstr(root, "viewBox=\"") : NULL;
    const char *body = root != NULL ? strchr(root, '>') : NULL;
    if (box == NULL || body == NULL || box > body || strstr(body, "</svg>") == NULL) {
        return false;
    }
    box += strlen("viewBox=\"");
    fprintf(out, "<svg class=\"plot\" viewBox=\"%.*s\" role=\"img\" aria-label=\"",
            (int)strcspn(box, "\">"), box);
    sdsim_html_text(out, label);
    fputs("\">", out);
    copy(out, body + 1);
    fputs("</svg>\n", out);
    return true;
}
