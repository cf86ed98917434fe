#include "measure/record_file.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/csv.h"

#define LARGEST_FILE    ((off_t)256 << 20)
#define LONGEST_LINE    ((size_t)1 << 20)
#define BYTE_ORDER_MARK "\xef\xbb\xbf" /* spreadsheets begin a file with it */
#define MOST_COLUMNS    256
#define MOST_PARTS      256

void sdsim_record_complain(const struct sdsim_record_file *file, const char *help,
                           const char *format, va_list arguments)
{
    char text[400];
    const struct sdsim_place place = {.file = file->path, .line = file->line};
    vsnprintf(text, sizeof text, format, arguments);
    sdsim_diag_add(file->diags, SDSIM_ERROR, &place, NULL, 0, help, "%s", text);
}

__attribute__((format(printf, 3, 4))) static void fail(struct sdsim_record_file *file,
                                                       const char *help, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    sdsim_record_complain(file, help, format, arguments);
    va_end(arguments);
    file->failed = true;
}

/* A copy that lives as long as the config; "" without memory, which is told. */
static const char *keep(struct sdsim_record_file *file, const char *text, size_t length)
{
    char *copy = sdsim_config_alloc(file->config, length + 1, 1);
    if (copy == NULL) {
        fail(file, NULL, "out of memory");
        return "";
    }
    memcpy(copy, text, length);
    return copy;
}

/* ---- lines ---- */

static bool grow_text(struct sdsim_record_file *file)
{
    const size_t size = file->size > 0 ? 2 * file->size : 4096;
    char *text = realloc(file->text, size);
    if (text == NULL) {
        fail(file, NULL, "out of memory");
        return false;
    }
    file->text = text;
    file->size = size;
    return true;
}

/* Reads a line without its end. False at the end of the file. A line without end is not read
 * further than it may be long. */
static bool read_line(struct sdsim_record_file *file)
{
    size_t end = 0;
    int byte = 0;
    errno = 0;
    while (byte != '\n' && end <= LONGEST_LINE && (byte = getc(file->stream)) != EOF) {
        if (end + 1 >= file->size && !grow_text(file)) {
            return false;
        }
        file->text[end++] = (char)byte;
    }
    if (ferror(file->stream)) {
        fail(file, NULL, "can't be read: %s", strerror(errno));
        return false;
    }
    if (end == 0) {
        return false;
    }
    file->text[end] = '\0';
    file->line++;
    if (strlen(file->text) < end || end > LONGEST_LINE) {
        fail(file, NULL, end > LONGEST_LINE ? "the line is too long" : "a zero byte in the text");
        return false;
    }
    if (file->line == 1 && strncmp(file->text, BYTE_ORDER_MARK, 3) == 0) {
        end -= 3;
        memmove(file->text, file->text + 3, end + 1);
    }
    while (end > 0 && (file->text[end - 1] == '\n' || file->text[end - 1] == '\r')) {
        file->text[--end] = '\0';
    }
    return true;
}

static bool has_column(const struct sdsim_record_file *file, const char *name)
{
    for (size_t i = 0; i < file->column_count; i++) {
        if (strcmp(file->columns[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static void free_columns(struct sdsim_record_file *file)
{
    for (size_t i = 0; i < file->column_count; i++) {
        free(file->columns[i]);
    }
    file->column_count = 0;
}

/* Splits the line at work into names; false if it can't be one of names. */
static bool split_columns(struct sdsim_record_file *file)
{
    char *at = file->text;
    while (at != NULL) {
        const char *name = sdsim_csv_next_field(&at);
        if (name == NULL || file->column_count == MOST_COLUMNS) {
            return false;
        }
        char *copy = strdup(name);
        if (copy == NULL) {
            fail(file, NULL, "out of memory");
            return false;
        }
        file->columns[file->column_count++] = copy;
    }
    return true;
}

static void check_columns(struct sdsim_record_file *file)
{
    const size_t count = file->column_count;
    for (size_t i = 0; i < count; i++) {
        file->column_count = i; /* look at those before it */
        if (file->columns[i][0] != '\0' && has_column(file, file->columns[i])) {
            fail(file, NULL, "two columns are named '%.40s'", file->columns[i]);
        }
    }
    file->column_count = count;
}

/* Takes a line as the line of names if "id" and "metric" are among them; the log of a serial port
 * may come first. */
static bool take_columns(struct sdsim_record_file *file)
{
    if (file->text[0] == '#') {
        return false;
    }
    const bool whole = split_columns(file);
    if (!has_column(file, "id") || !has_column(file, "metric")) {
        free_columns(file);
        return false;
    }
    if (whole) {
        check_columns(file);
    } else if (file->column_count == MOST_COLUMNS) {
        fail(file, NULL, "more than %d columns", MOST_COLUMNS);
    } else if (!file->failed) {
        fail(file, NULL, "a quote is not closed at the end of a field");
    }
    return true;
}

/* Finds the line of names. */
static bool find_columns(struct sdsim_record_file *file)
{
    file->columns = calloc(MOST_COLUMNS, sizeof *file->columns);
    if (file->columns == NULL) {
        fail(file, NULL, "out of memory");
    }
    while (!file->failed && read_line(file)) {
        if (take_columns(file)) {
            return !file->failed;
        }
    }
    if (!file->failed) {
        sdsim_error(file->diags, file->path,
                    "there is no line of column names (id,...,metric,value)");
    }
    return false;
}

bool sdsim_record_file_open(struct sdsim_record_file *file, struct sdsim_config *config,
                            const char *path, struct sdsim_diags *diags)
{
    const char *dot = strrchr(path, '.');
    *file = (struct sdsim_record_file){
        .config = config,
        .diags = diags,
        .path = path,
        .csv = dot != NULL && strcmp(dot, ".csv") == 0,
    };
    file->stream = fopen(path, "r");
    if (file->stream == NULL) {
        sdsim_error(diags, path, "can't be opened: %s", strerror(errno));
        return false;
    }
    struct stat status;
    if (fstat(fileno(file->stream), &status) == 0 && status.st_size > LARGEST_FILE) {
        sdsim_error(diags, path, "is larger than 256 MiB");
        file->failed = true;
    }
    if (file->failed || (file->csv && !find_columns(file))) {
        sdsim_record_file_close(file);
        return false;
    }
    return true;
}

void sdsim_record_file_close(struct sdsim_record_file *file)
{
    free_columns(file);
    free(file->columns);
    free(file->text);
    fclose(file->stream);
}

bool sdsim_record_file_next(struct sdsim_record_file *file)
{
    while (read_line(file)) {
        const char *text = file->text + strspn(file->text, " \t");
        if (*text != '\0' && *text != '#') {
            return true;
        }
    }
    return false;
}

/* ---- JSON ---- */

static void json_field(struct sdsim_record_file *file, const char *name, const json_t *value,
                       void (*field)(void *context, const char *name, const char *text),
                       void *context)
{
    char number[32];
    switch (json_typeof(value)) {
    case JSON_STRING:
        field(context, name, keep(file, json_string_value(value), json_string_length(value)));
        break;
    case JSON_INTEGER:
        snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        field(context, name, keep(file, number, strlen(number)));
        break;
    case JSON_REAL:
        snprintf(number, sizeof number, "%.17g", json_real_value(value));
        field(context, name, keep(file, number, strlen(number)));
        break;
    case JSON_TRUE:
        field(context, name, "true");
        break;
    case JSON_FALSE:
        field(context, name, "false");
        break;
    default:
        break; /* null; lists and objects mean nothing here */
    }
}

static void json_assumptions(struct sdsim_record_file *file, const json_t *list,
                             void (*assumptions)(void *context, const char *const *texts,
                                                 size_t count),
                             void *context)
{
    const size_t count = json_array_size(list);
    const char **texts = sdsim_config_alloc(file->config, count + 1, sizeof *texts);
    if (texts == NULL) {
        fail(file, NULL, "out of memory");
        return;
    }
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const json_t *text = json_array_get(list, i);
        if (json_is_string(text)) {
            texts[kept++] = keep(file, json_string_value(text), json_string_length(text));
        }
    }
    assumptions(context, texts, kept);
}

static void read_json(struct sdsim_record_file *file,
                      void (*field)(void *context, const char *name, const char *text),
                      void (*assumptions)(void *context, const char *const *texts, size_t count),
                      void *context)
{
    json_error_t error;
    json_t *record = json_loads(file->text, JSON_REJECT_DUPLICATES, &error);
    if (record == NULL) {
        fail(file, "each line is one JSON object", "column %d: %s", error.column, error.text);
        return;
    }
    if (!json_is_object(record)) {
        fail(file, "each line is one JSON object", "this is no JSON object");
    } else {
        const char *name;
        json_t *value;
        json_object_foreach(record, name, value)
        {
            if (strcmp(name, "assumptions") == 0 && json_is_array(value)) {
                json_assumptions(file, value, assumptions, context);
            } else {
                json_field(file, name, value, field, context);
            }
        }
    }
    json_decref(record);
}

/* ---- CSV ---- */

static void csv_assumptions(struct sdsim_record_file *file, const char *text,
                            void (*assumptions)(void *context, const char *const *texts,
                                                size_t count),
                            void *context)
{
    const char **texts = sdsim_config_alloc(file->config, MOST_PARTS, sizeof *texts);
    size_t count = 0;
    while (texts != NULL && *text != '\0' && count < MOST_PARTS) {
        text += strspn(text, " ;");
        const size_t length = strcspn(text, ";");
        if (length > 0) {
            texts[count++] = keep(file, text, length);
        }
        text += length;
    }
    if (texts == NULL) {
        fail(file, NULL, "out of memory");
        return;
    }
    assumptions(context, texts, count);
}

static void read_csv(struct sdsim_record_file *file,
                     void (*field)(void *context, const char *name, const char *text),
                     void (*assumptions)(void *context, const char *const *texts, size_t count),
                     void *context)
{
    char *at = file->text;
    size_t column = 0;
    for (; at != NULL; column++) {
        const char *text = sdsim_csv_next_field(&at);
        if (text == NULL) {
            fail(file, NULL, "a quote is not closed at the end of a field");
            return;
        }
        if (column >= file->column_count || *text == '\0') {
            continue;
        }
        if (strcmp(file->columns[column], "assumptions") == 0) {
            csv_assumptions(file, text, assumptions, context);
        } else {
            field(context, file->columns[column], keep(file, text, strlen(text)));
        }
    }
    if (column != file->column_count) {
        fail(file, NULL, "%zu fields where the first line names %zu columns", column,
             file->column_count);
    }
}

void sdsim_record_file_fields(struct sdsim_record_file *file,
                              void (*field)(void *context, const char *name, const char *text),
                              void (*assumptions)(void *context, const char *const *texts,
                                                  size_t count),
                              void *context)
{
    if (file->csv) {
        read_csv(file, field, assumptions, context);
    } else {
        read_json(file, field, assumptions, context);
    }
}
