#include "report/table.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/utf8.h"

#define GAP        2
#define LEAST_WRAP 20

struct sdsim_table_cell {
    char *text;
    enum sdsim_ink ink;
    bool heading;
};

void sdsim_table_init(struct sdsim_table *table, const struct sdsim_column *columns, size_t count)
{
    assert(count > 0 && count <= SDSIM_TABLE_COLUMNS);
    *table = (struct sdsim_table){.columns = columns, .column_count = count};
}

void sdsim_table_free(struct sdsim_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        free(table->cells[i].text);
    }
    free(table->cells);
    table->cells = NULL;
    table->count = 0;
    table->capacity = 0;
}

static struct sdsim_table_cell *next_cell(struct sdsim_table *table)
{
    if (table->count == table->capacity) {
        const size_t capacity = table->capacity == 0 ? 64 : 2 * table->capacity;
        struct sdsim_table_cell *cells = realloc(table->cells, capacity * sizeof *cells);
        if (cells == NULL) {
            table->failed = true;
            return NULL;
        }
        table->cells = cells;
        table->capacity = capacity;
    }
    struct sdsim_table_cell *cell = &table->cells[table->count++];
    *cell = (struct sdsim_table_cell){.text = NULL};
    return cell;
}

static char *print_text(const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    const int size = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = size >= 0 ? malloc((size_t)size + 1) : NULL;
    if (text != NULL) {
        vsnprintf(text, (size_t)size + 1, format, arguments);
    }
    return text;
}

void sdsim_table_cell(struct sdsim_table *table, enum sdsim_ink ink, const char *format, ...)
{
    struct sdsim_table_cell *cell = next_cell(table);
    if (cell == NULL) {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    cell->text = print_text(format, arguments);
    va_end(arguments);
    cell->ink = ink;
    table->failed |= cell->text == NULL;
}

void sdsim_table_heading(struct sdsim_table *table, const char *text)
{
    assert(table->failed || table->count % table->column_count == 0);
    sdsim_table_cell(table, SDSIM_INK_BOLD, "%s", text);
    if (table->failed) {
        return;
    }
    table->cells[table->count - 1].heading = true;
    for (size_t i = 1; i < table->column_count; i++) {
        sdsim_table_cell(table, SDSIM_INK_PLAIN, "%s", "");
    }
}

/* ---- widths ---- */

/* How many columns the first `size` bytes take. */
static size_t width_of(const char *text, size_t size)
{
    size_t width = 0;
    for (size_t i = 0; i < size; i++) {
        width += !sdsim_utf8_is_continuation(text[i]);
    }
    return width;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static void measure(const struct sdsim_table *table, size_t widths[SDSIM_TABLE_COLUMNS])
{
    for (size_t c = 0; c < table->column_count; c++) {
        const char *title = table->columns[c].title;
        widths[c] = title != NULL ? width_of(title, strlen(title)) : 0;
    }
    for (size_t i = 0; i < table->count; i += table->column_count) {
        for (size_t c = 0; c < table->column_count && !table->cells[i].heading; c++) {
            const char *text = table->cells[i + c].text;
            widths[c] = larger(widths[c], width_of(text, strlen(text)));
        }
    }
    size_t others = table->indent;
    size_t wrapped = SDSIM_TABLE_COLUMNS;
    for (size_t c = 0; c < table->column_count; c++) {
        if (table->columns[c].wrap) {
            wrapped = c;
        } else if (widths[c] > 0) {
            others += widths[c] + GAP;
        }
    }
    if (wrapped < SDSIM_TABLE_COLUMNS && others + widths[wrapped] > SDSIM_TABLE_WIDTH) {
        widths[wrapped] =
            others + LEAST_WRAP < SDSIM_TABLE_WIDTH ? SDSIM_TABLE_WIDTH - others : LEAST_WRAP;
    }
}

/* ---- printing ---- */

/* How many bytes of `text` go on a line of `width` columns: up to a blank, or all, or, if the first
 * word is longer than that, the word. */
static size_t line_bytes(const char *text, size_t width)
{
    size_t fits = strcspn(text, " ");
    for (size_t end = fits; text[end] != '\0';) {
        end += strspn(text + end, " ");
        end += strcspn(text + end, " ");
        if (width_of(text, end) > width) {
            break;
        }
        fits = end;
    }
    return fits;
}

/* One column on one line; nothing is put behind the last text of a line. */
struct writer {
    FILE *out;
    size_t owed; /* blanks to be written before the next text */
};

static void write_cell(struct writer *writer, const char *text, size_t size, size_t width,
                       bool right, const char *begin, const char *end)
{
    const size_t used = width_of(text, size);
    const size_t rest = width > used ? width - used : 0;
    if (size > 0) {
        const size_t before = writer->owed + (right ? rest : 0);
        fprintf(writer->out, "%*s%s%.*s%s", (int)before, "", begin, (int)size, text, end);
        writer->owed = right ? 0 : rest;
    } else {
        writer->owed += width;
    }
}

static void print_row(const struct sdsim_table *table, const struct sdsim_table_cell *cells,
                      const size_t widths[SDSIM_TABLE_COLUMNS], const struct sdsim_style *style,
                      FILE *out)
{
    const char *rest[SDSIM_TABLE_COLUMNS];
    for (size_t c = 0; c < table->column_count; c++) {
        rest[c] = cells[c].text;
    }
    bool more = true;
    while (more) {
        struct writer writer = {.out = out, .owed = table->indent};
        more = false;
        for (size_t c = 0; c < table->column_count; c++) {
            const struct sdsim_column *column = &table->columns[c];
            const size_t size = column->wrap ? line_bytes(rest[c], widths[c]) : strlen(rest[c]);
            write_cell(&writer, rest[c], size, widths[c], column->right,
                       sdsim_ink_begin(style, cells[c].ink), sdsim_ink_end(style, cells[c].ink));
            writer.owed += widths[c] > 0 ? GAP : 0;
            rest[c] += size;
            rest[c] += strspn(rest[c], " ");
            more |= *rest[c] != '\0';
        }
        fputc('\n', out);
    }
}

static void print_head(const struct sdsim_table *table, const size_t widths[SDSIM_TABLE_COLUMNS],
                       FILE *out)
{
    bool any = false;
    struct writer writer = {.out = out, .owed = table->indent};
    for (size_t c = 0; c < table->column_count; c++) {
        any |= table->columns[c].title != NULL;
    }
    for (size_t c = 0; c < table->column_count && any; c++) {
        const char *title = table->columns[c].title != NULL ? table->columns[c].title : "";
        write_cell(&writer, title, strlen(title), widths[c], table->columns[c].right, "", "");
        writer.owed += widths[c] > 0 ? GAP : 0;
    }
    if (any) {
        fputc('\n', out);
    }
}

bool sdsim_table_print(const struct sdsim_table *table, const struct sdsim_style *style, FILE *out)
{
    if (table->failed) {
        return false;
    }
    assert(table->count % table->column_count == 0);
    size_t widths[SDSIM_TABLE_COLUMNS] = {0};
    measure(table, widths);
    print_head(table, widths, out);
    for (size_t i = 0; i < table->count; i += table->column_count) {
        const struct sdsim_table_cell *cells = &table->cells[i];
        if (cells->heading) {
            fprintf(out, "%s%s%s\n", sdsim_ink_begin(style, cells->ink), cells->text,
                    sdsim_ink_end(style, cells->ink));
        } else {
            print_row(table, cells, widths, style, out);
        }
    }
    return true;
}

void sdsim_print_wrapped(FILE *out, const char *first, const char *text)
{
    const size_t indent = width_of(first, strlen(first));
    const size_t width =
        indent + LEAST_WRAP < SDSIM_TABLE_WIDTH ? SDSIM_TABLE_WIDTH - indent : LEAST_WRAP;
    fputs(first, out);
    for (bool more = *text != '\0'; more;) {
        const size_t size = line_bytes(text, width);
        fwrite(text, 1, size, out);
        text += size;
        text += strspn(text, " ");
        more = *text != '\0';
        if (more) {
            fprintf(out, "\n%*s", (int)indent, "");
        }
    }
    fputc('\n', out);
}
