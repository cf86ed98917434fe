#include "core/diag.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/utf8.h"

#define KEPT_MESSAGES 100
#define TEXT_BYTES    1000
#define SHOWN_COLUMNS 100

void sdsim_diags_init(struct sdsim_diags *diags)
{
    *diags = (struct sdsim_diags){0};
}

static void free_texts(struct sdsim_diag *diag)
{
    free(diag->file);
    free(diag->text);
    free(diag->help);
    free(diag->source_line);
}

void sdsim_diags_free(struct sdsim_diags *diags)
{
    for (size_t i = 0; i < diags->count; i++) {
        free_texts(&diags->items[i]);
    }
    free(diags->items);
    sdsim_diags_init(diags);
}

/*
 * A copy of `size` bytes that is safe on a terminal: tabs and line ends become blanks, so that one
 * byte stays one column, and control characters or broken UTF-8 become '?'.
 */
static char *clean_copy(const char *bytes, size_t size)
{
    char *copy = malloc(size + 1);
    if (copy == NULL) {
        return NULL;
    }
    size_t to = 0;
    for (size_t from = 0; from < size;) {
        uint32_t point;
        const size_t length = sdsim_utf8_decode(bytes + from, size - from, &point);
        if (point == '\t' || point == '\n' || point == '\r') {
            copy[to++] = ' ';
        } else if (length == 0 || sdsim_utf8_is_control(point)) {
            /* As many '?' as bytes: columns count bytes and must still fit. */
            memset(copy + to, '?', length == 0 ? 1 : length);
            to += length == 0 ? 1 : length;
        } else {
            memcpy(copy + to, bytes + from, length);
            to += length;
        }
        from += length == 0 ? 1 : length;
    }
    copy[to] = '\0';
    return copy;
}

/* The text, cut at TEXT_BYTES with "..." at the end, never inside a UTF-8 sequence. */
static char *cut_copy(const char *text)
{
    size_t size = strlen(text);
    if (size <= TEXT_BYTES) {
        return clean_copy(text, size);
    }
    size = TEXT_BYTES - 3;
    while (size > 0 && sdsim_utf8_is_continuation(text[size])) {
        size--;
    }
    char *copy = clean_copy(text, size);
    char *longer = copy != NULL ? realloc(copy, size + 4) : NULL;
    if (longer == NULL) {
        free(copy);
        return NULL;
    }
    memcpy(longer + size, "...", 4);
    return longer;
}

static char *format_text(const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    const int size = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *whole = size >= 0 ? malloc((size_t)size + 1) : NULL;
    if (whole == NULL) {
        return NULL;
    }
    vsnprintf(whole, (size_t)size + 1, format, arguments);
    char *text = cut_copy(whole);
    free(whole);
    return text;
}

/* Finds line `number` (from 1) in a text; its size does not include the line end. */
static const char *find_line(const char *text, size_t size, uint32_t number, size_t *line_size)
{
    const char *const end = text + size;
    for (uint32_t line = 1; line < number; line++) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        if (newline == NULL) {
            return NULL;
        }
        text = newline + 1;
    }
    const char *newline = memchr(text, '\n', (size_t)(end - text));
    *line_size = (size_t)((newline != NULL ? newline : end) - text);
    if (*line_size > 0 && text[*line_size - 1] == '\r') {
        (*line_size)--;
    }
    return text;
}

/*
 * Takes the source line of a message, or of a long line the SHOWN_COLUMNS around the column, and
 * sets where the caret stands in it. False without memory.
 */
static bool take_source_line(struct sdsim_diag *diag, const char *source, size_t source_size)
{
    size_t size = 0;
    const char *line = source != NULL && diag->line != 0
                           ? find_line(source, source_size, diag->line, &size)
                           : NULL;
    if (line == NULL) {
        return true;
    }
    const size_t at = diag->column == 0 ? 0 : diag->column - 1;
    size_t start = 0;
    size_t end = size;
    if (size > SHOWN_COLUMNS) {
        start = at > SHOWN_COLUMNS / 2 ? at - SHOWN_COLUMNS / 2 : 0;
        start = start > size - SHOWN_COLUMNS ? size - SHOWN_COLUMNS : start;
        end = start + SHOWN_COLUMNS;
        while (start > 0 && sdsim_utf8_is_continuation(line[start])) {
            start--;
        }
        while (end < size && sdsim_utf8_is_continuation(line[end])) {
            end++;
        }
    }
    diag->source_line = clean_copy(line + start, end - start);
    diag->source_column = at < start ? 1 : (uint32_t)(at - start + 1);
    return diag->source_line != NULL;
}

/* Room for one more message; NULL without memory. */
static struct sdsim_diag *next_item(struct sdsim_diags *diags)
{
    if (diags->count == diags->capacity) {
        const size_t capacity = diags->capacity == 0 ? 4 : diags->capacity * 2;
        struct sdsim_diag *items = realloc(diags->items, capacity * sizeof *items);
        if (items == NULL) {
            return NULL;
        }
        diags->items = items;
        diags->capacity = capacity;
    }
    return &diags->items[diags->count];
}

static char *plain_copy(const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    return copy != NULL ? memcpy(copy, text, size) : NULL;
}

static bool fill_item(struct sdsim_diag *diag, const struct sdsim_place *place, const char *source,
                      size_t source_size, const char *help, const char *format, va_list arguments)
{
    if (place != NULL) {
        diag->line = place->line;
        diag->column = place->column;
        diag->length = place->length;
        if (place->file != NULL && (diag->file = plain_copy(place->file)) == NULL) {
            return false;
        }
    }
    if (help != NULL && (diag->help = cut_copy(help)) == NULL) {
        return false;
    }
    diag->text = format_text(format, arguments);
    return diag->text != NULL && take_source_line(diag, source, source_size);
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* Whether the same was said of the same place before, as happens where several runs share a line.
 */
static bool is_known(const struct sdsim_diags *diags, const struct sdsim_diag *diag)
{
    for (size_t i = 0; i < diags->count; i++) {
        const struct sdsim_diag *other = &diags->items[i];
        if (other->severity == diag->severity && other->line == diag->line &&
            other->column == diag->column && same_text(other->file, diag->file) &&
            same_text(other->text, diag->text)) {
            return true;
        }
    }
    return false;
}

static void add(struct sdsim_diags *diags, enum sdsim_severity severity,
                const struct sdsim_place *place, const char *source, size_t source_size,
                const char *help, const char *format, va_list arguments)
{
    struct sdsim_diag diag = {.severity = severity};
    const bool filled = diags->count < KEPT_MESSAGES &&
                        fill_item(&diag, place, source, source_size, help, format, arguments);
    diags->errors += severity == SDSIM_ERROR;
    diags->warnings += severity == SDSIM_WARNING;
    if (filled && is_known(diags, &diag)) {
        free_texts(&diag);
        return;
    }
    struct sdsim_diag *item = filled ? next_item(diags) : NULL;
    if (item == NULL) {
        free_texts(&diag);
        diags->dropped++;
        return;
    }
    *item = diag;
    diags->count++;
}

void sdsim_diag_add(struct sdsim_diags *diags, enum sdsim_severity severity,
                    const struct sdsim_place *place, const char *source, size_t source_size,
                    const char *help, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add(diags, severity, place, source, source_size, help, format, arguments);
    va_end(arguments);
}

void sdsim_error(struct sdsim_diags *diags, const char *file, const char *format, ...)
{
    const struct sdsim_place place = {.file = file};
    va_list arguments;
    va_start(arguments, format);
    add(diags, SDSIM_ERROR, &place, NULL, 0, NULL, format, arguments);
    va_end(arguments);
}

/* How many columns `size` bytes of clean text take: all but the continuation bytes. */
static size_t columns(const char *text, size_t size)
{
    size_t count = 0;
    for (size_t i = 0; i < size && text[i] != '\0'; i++) {
        count += !sdsim_utf8_is_continuation(text[i]);
    }
    return count;
}

static void print_source(const struct sdsim_diag *diag, FILE *out)
{
    const int gutter = fprintf(out, "%5u", (unsigned)diag->line);
    fprintf(out, " | %s\n", diag->source_line);
    if (diag->column == 0) {
        return;
    }
    const size_t size = strlen(diag->source_line);
    const size_t before = diag->source_column - 1;
    const size_t indent =
        before <= size ? columns(diag->source_line, before) : columns(diag->source_line, size);
    size_t marks = before < size ? columns(diag->source_line + before, diag->length) : 1;
    fprintf(out, "%*s | %*s^", gutter, "", (int)indent, "");
    for (; marks > 1; marks--) {
        fputc('~', out);
    }
    fputc('\n', out);
}

/* The mend in lines of 80 columns; words longer than a line stay whole. */
static void print_help(const char *help, FILE *out)
{
    enum { WIDTH = 80, INDENT = 6 };
    size_t used = (size_t)fprintf(out, "help: ");
    const char *word = help;
    while (*word != '\0') {
        const size_t blanks = strspn(word, " ");
        const size_t size = strcspn(word + blanks, " ");
        const size_t wide = columns(word + blanks, size);
        if (used > INDENT && used + blanks + wide > WIDTH) {
            fprintf(out, "\n%*s", INDENT, "");
            used = INDENT;
        } else {
            fprintf(out, "%.*s", (int)blanks, word);
            used += blanks;
        }
        fprintf(out, "%.*s", (int)size, word + blanks);
        used += wide;
        word += blanks + size;
    }
    fputc('\n', out);
}

static void print_place(const struct sdsim_diag *diag, FILE *out)
{
    if (diag->file == NULL) {
        return;
    }
    char *shown = clean_copy(diag->file, strlen(diag->file));
    fputs(shown != NULL ? shown : "(no memory for the name)", out);
    free(shown);
    if (diag->line != 0) {
        fprintf(out, ":%u", (unsigned)diag->line);
        if (diag->column != 0) {
            fprintf(out, ":%u", (unsigned)diag->column);
        }
    }
    fputs(": ", out);
}

const char *sdsim_severity_name(enum sdsim_severity severity)
{
    static const char *const names[] = {
        [SDSIM_NOTE] = "note", [SDSIM_WARNING] = "warning", [SDSIM_ERROR] = "error"};
    return names[severity];
}

void sdsim_diags_print(const struct sdsim_diags *diags, FILE *out)
{
    for (size_t i = 0; i < diags->count; i++) {
        const struct sdsim_diag *diag = &diags->items[i];
        print_place(diag, out);
        fprintf(out, "%s: %s\n", sdsim_severity_name(diag->severity), diag->text);
        if (diag->source_line != NULL) {
            print_source(diag, out);
        }
        if (diag->help != NULL) {
            print_help(diag->help, out);
        }
    }
    if (diags->dropped > 0) {
        fprintf(out, "%zu more %s\n", diags->dropped, diags->dropped == 1 ? "message" : "messages");
    }
}
