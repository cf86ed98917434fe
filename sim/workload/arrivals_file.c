#include "workload/arrivals_file.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/units.h"

enum { LINE = 200, MOST = 10000000 };

static const sdsim_ps latest = 200 * 86400 * SDSIM_S;

struct reader {
    const char *path;
    FILE *file;
    uint32_t line; /* number */
    struct sdsim_arrival *rows;
    size_t count;
    size_t room;
    struct sdsim_diags *diags;
};

static bool complain(const struct reader *reader, const char *help, const char *text)
{
    const struct sdsim_place place = {.file = reader->path, .line = reader->line};
    sdsim_diag_add(reader->diags, SDSIM_ERROR, &place, NULL, 0, help, "%s", text);
    return false;
}

static char *trim(char *text)
{
    while (isspace((unsigned char)*text)) {
        text++;
    }
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1])) {
        text[--length] = '\0';
    }
    return text;
}

static bool read_time(const char *text, sdsim_ps *at)
{
    char seconds[LINE + 2];
    if (sdsim_unit_parse(SDSIM_UNIT_TIME, text, at) == SDSIM_UNIT_OK) {
        return *at <= latest;
    }
    snprintf(seconds, sizeof seconds, "%ss", text);
    return sdsim_unit_parse(SDSIM_UNIT_TIME, seconds, at) == SDSIM_UNIT_OK && *at <= latest;
}

static bool read_bytes(const char *text, uint64_t *bytes)
{
    char size[LINE + 2];
    if (sdsim_unit_parse(SDSIM_UNIT_SIZE, text, bytes) == SDSIM_UNIT_OK) {
        return true;
    }
    snprintf(size, sizeof size, "%sB", text);
    return sdsim_unit_parse(SDSIM_UNIT_SIZE, size, bytes) == SDSIM_UNIT_OK;
}

/* Whether it is a number, with or without unit, but more than an arrival can be. */
static bool is_too_large(enum sdsim_unit unit, const char *text, const char *usual)
{
    char united[LINE + 4];
    uint64_t value = 0;
    enum sdsim_unit_error error = sdsim_unit_parse(unit, text, &value);
    if (error == SDSIM_UNIT_MISSING) {
        snprintf(united, sizeof united, "%s%s", text, usual);
        error = sdsim_unit_parse(unit, united, &value);
    }
    return error == SDSIM_UNIT_TOO_LARGE ||
           (error == SDSIM_UNIT_OK && unit == SDSIM_UNIT_TIME && value > latest);
}

/* Adds a row; what comes at one instant becomes one. */
static bool add(struct reader *reader, sdsim_ps at, uint64_t bytes)
{
    struct sdsim_arrival *last = reader->count > 0 ? &reader->rows[reader->count - 1] : NULL;
    const uint64_t before = last != NULL ? last->bytes : 0;
    if (last != NULL && at < last->at) {
        return complain(reader, "sort the lines by time", "this comes before the line above");
    }
    if (bytes > UINT64_MAX / 4 - before) {
        return complain(reader, NULL, "too many bytes");
    }
    if (bytes == 0) {
        return true;
    }
    if (last != NULL && at == last->at) {
        last->bytes += bytes;
        return true;
    }
    if (reader->count == MOST) {
        return complain(reader, NULL, "more than 10 million arrivals");
    }
    if (reader->count == reader->room) {
        const size_t room = reader->room > 0 ? 2 * reader->room : 256;
        struct sdsim_arrival *rows = realloc(reader->rows, room * sizeof *rows);
        if (rows == NULL) {
            return complain(reader, NULL, "out of memory");
        }
        reader->rows = rows;
        reader->room = room;
    }
    reader->rows[reader->count++] = (struct sdsim_arrival){.at = at, .bytes = before + bytes};
    return true;
}

static bool read_line(struct reader *reader, char *line)
{
    char *text = trim(line);
    if (*text == '\0' || *text == '#') {
        return true;
    }
    char *comma = strchr(text, ',');
    sdsim_ps at;
    uint64_t bytes;
    if (comma != NULL) {
        *comma = '\0';
    }
    if (comma != NULL && (is_too_large(SDSIM_UNIT_TIME, trim(text), "s") ||
                          is_too_large(SDSIM_UNIT_SIZE, trim(comma + 1), "B"))) {
        return complain(reader, "times are at most 4800h, sizes less than 4194304TiB",
                        "this is too large");
    }
    if (comma == NULL || !read_time(trim(text), &at) || !read_bytes(trim(comma + 1), &bytes)) {
        if (reader->line == 1 && isalpha((unsigned char)*text)) {
            return true; /* names of the columns */
        }
        return complain(reader, "a time and a number of bytes: 12.5ms,512", "this is no arrival");
    }
    return add(reader, at, bytes);
}

static bool read_lines(struct reader *reader)
{
    char line[LINE + 2];
    bool fine = true;
    while (fine && fgets(line, sizeof line, reader->file) != NULL) {
        reader->line++;
        if (line[0] == '\0') {
            return complain(reader, NULL, "this is no text");
        }
        if (strlen(line) > LINE) {
            return complain(reader, NULL, "the line is longer than 200 bytes");
        }
        fine = read_line(reader, line);
    }
    if (fine && ferror(reader->file)) {
        sdsim_error(reader->diags, reader->path, "can't be read");
        return false;
    }
    if (fine && reader->count == 0) {
        sdsim_error(reader->diags, reader->path, "no arrivals in it");
        return false;
    }
    return fine;
}

struct sdsim_arrival *sdsim_arrivals_read(const char *path, size_t *count,
                                          struct sdsim_diags *diags)
{
    struct reader reader = {.path = path, .file = fopen(path, "r"), .diags = diags};
    if (reader.file == NULL) {
        sdsim_error(diags, path, "can't be opened: %s", strerror(errno));
        return NULL;
    }
    const bool fine = read_lines(&reader);
    fclose(reader.file);
    if (!fine) {
        free(reader.rows);
        return NULL;
    }
    *count = reader.count;
    return reader.rows;
}
