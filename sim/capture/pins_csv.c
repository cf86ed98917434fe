/*
 * CSV with a column per pin, as logic analysers export it.
 *
 * Supported: rows that are samples, with the rate in a comment ("; Samplerate: 24 MHz", as sigrok-cli
 * writes it); rows with a column of times, be they samples or changes: in seconds, in the unit
 * of the header ("Time [us]"), or ISO 8601 down to nanoseconds. Comma, semicolon or tab; quoted
 * cells; comments that begin with ; or #; a head line, or none (channels are then called 0, 1, ...).
 * A time is that of the row's state, from the first row on if that is ISO 8601 or negative.
 * Not supported: analog values; columns beyond the 64th pin.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "capture/csv_time.h"
#include "capture/pin_format.h"

enum { COLUMNS = SDSIM_PIN_CHANNELS + 1, NO_TIME = -1 };

struct reader {
    struct sdsim_pin_file file;
    uint64_t line;
    char separator;
    int time_column;      /* or NO_TIME */
    unsigned time_digits; /* see csv_time.h */
    size_t columns;
    struct sdsim_csv_instant origin;
    bool started; /* the origin is set */
    uint64_t tick;
    uint64_t told;
    bool begun;
    char *pending; /* the first row, if there was no head line */
    size_t pending_length;
};

struct cell {
    const char *text;
    size_t length;
};

/* The next cell of a line, without blanks and quotes; moves *at behind its separator. */
static inline struct cell cell(const char **at, const char *end, char separator)
{
    const char *start = *at;
    const char *stop = memchr(start, separator, (size_t)(end - start));
    if (stop == NULL) {
        stop = end;
    }
    *at = stop < end ? stop + 1 : end + 1; /* end + 1: there is no other cell */
    while (start < stop && (*start == ' ' || *start == '"')) {
        start++;
    }
    while (stop > start && (stop[-1] == ' ' || stop[-1] == '"')) {
        stop--;
    }
    return (struct cell){start, (size_t)(stop - start)};
}

static bool complain(struct sdsim_pins *pins, const struct reader *reader, const char *help,
                     const char *what)
{
    const struct sdsim_place place = {
        .file = pins->path, .line = reader->line > UINT32_MAX ? 0 : (uint32_t)reader->line};
    sdsim_diag_add(pins->diags, SDSIM_ERROR, &place, NULL, 0, help, "%s", what);
    return false;
}

static bool is_comment(const char *line, size_t length)
{
    return length == 0 || line[0] == ';' || line[0] == '#';
}

/* Whether all cells of a line but the first are levels, and how many there are. */
static bool is_row(const unsigned char *line, size_t length)
{
    size_t cells = 0;
    size_t at = 0;
    while (at < length && strchr(",;\t", line[at]) == NULL) {
        at++;
    }
    while (at < length) {
        size_t from = ++at;
        while (at < length && strchr(",;\t", line[at]) == NULL) {
            at++;
        }
        size_t end = at;
        while (from < end && strchr(" \"\r", line[from]) != NULL) {
            from++;
        }
        while (end > from && strchr(" \"\r", line[end - 1]) != NULL) {
            end--;
        }
        if (end - from != 1 || strchr("01xXzZ", line[from]) == NULL) {
            return false;
        }
        cells++;
    }
    return cells > 0;
}

/* A text of printable lines, of which the first or second one that is no comment is a row of levels. */
static bool recognise(const unsigned char *head, size_t size)
{
    unsigned lines = 0;
    size_t at = size >= 3 && memcmp(head, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    while (at < size && lines < 2) {
        const unsigned char *newline = memchr(head + at, '\n', size - at);
        const size_t end = newline != NULL ? (size_t)(newline - head) : size;
        for (size_t i = at; i < end; i++) {
            if ((head[i] < 0x20 && head[i] != '\t' && head[i] != '\r') || head[i] == 0x7F) {
                return false;
            }
        }
        if (end > at && !is_comment((const char *)head + at, end - at)) {
            if (is_row(head + at, end - at)) {
                return true;
            }
            lines++;
        }
        at = end + 1;
    }
    return false;
}

/* "; Samplerate: 24 MHz" */
static void take_comment(struct sdsim_pins *pins, const char *line)
{
    for (; *line != '\0'; line++) {
        if (strncasecmp(line, "samplerate", 10) == 0 || strncasecmp(line, "sample rate", 11) == 0) {
            const uint64_t rate = sdsim_pin_rate(line + (line[6] == ' ' ? 11 : 10));
            if (rate != 0) {
                pins->facts.rate = rate;
            }
            return;
        }
    }
}

static bool is_value(const struct cell *cell)
{
    return cell->length == 1 && strchr("01xXzZ", cell->text[0]) != NULL;
}

static bool is_instant(const struct cell *cell, struct sdsim_csv_instant *instant)
{
    return sdsim_csv_instant(cell->text, cell->length, 0, instant);
}

/* Whether a head names a column of times, and its unit. */
static bool is_time_name(const struct cell *cell, unsigned *digits)
{
    static const struct {
        const char *unit;
        unsigned digits;
    } units[] = {{"ms", 3}, {"us", 6}, {"\xC2\xB5s", 6}, {"\xCE\xBCs", 6}, {"ns", 9}, {"ps", 12}};
    if (cell->length < 4 ||
        (strncasecmp(cell->text, "time", 4) != 0 && strncasecmp(cell->text, "date", 4) != 0)) {
        return false;
    }
    *digits = 0;
    for (size_t i = 4; i + 1 < cell->length; i++) {
        for (size_t k = 0; k < sizeof units / sizeof units[0]; k++) {
            const size_t length = strlen(units[k].unit);
            if (strchr("[( _,", cell->text[i]) != NULL && i + 1 + length <= cell->length &&
                memcmp(cell->text + i + 1, units[k].unit, length) == 0) {
                *digits = units[k].digits;
            }
        }
    }
    return true;
}

static size_t split(const struct reader *reader, const char *line, size_t length,
                    struct cell cells[COLUMNS])
{
    const char *at = line;
    const char *end = line + length;
    size_t count = 0;
    while (at <= end && count < COLUMNS) {
        cells[count++] = cell(&at, end, reader->separator);
    }
    return at <= end ? COLUMNS + 1 : count;
}

/* The first line that is no comment tells what the columns are. */
static bool take_head(struct sdsim_pins *pins, struct reader *reader, char *line, size_t length)
{
    struct cell cells[COLUMNS];
    static const char separators[] = ",\t;";
    for (const char *s = separators; *s != '\0' && reader->separator == '\0'; s++) {
        reader->separator = memchr(line, *s, length) != NULL ? *s : '\0';
    }
    reader->columns = split(reader, line, length, cells);
    if (reader->separator == '\0' || reader->columns > COLUMNS) {
        return complain(pins, reader, "a time and up to 64 pins, one a column",
                        "no line of pins, or too many columns");
    }
    struct sdsim_csv_instant instant;
    bool headless = true;
    for (size_t i = 0; i < reader->columns; i++) {
        headless = headless && (is_value(&cells[i]) || (i == 0 && is_instant(&cells[i], &instant)));
    }
    reader->time_column = NO_TIME;
    for (size_t i = 0; i < reader->columns; i++) {
        char name[8];
        if (i == 0 &&
            (headless ? !is_value(&cells[i]) : is_time_name(&cells[i], &reader->time_digits))) {
            reader->time_column = 0;
            continue;
        }
        const int named = headless ? snprintf(name, sizeof name, "%u", (unsigned)i) : 0;
        const bool fits = headless
                              ? sdsim_pin_channel_add(&pins->facts, name, (size_t)named,
                                                      (uint8_t)pins->facts.channel_count)
                              : sdsim_pin_channel_add(&pins->facts, cells[i].text, cells[i].length,
                                                      (uint8_t)pins->facts.channel_count);
        if (!fits) {
            return complain(pins, reader, "keep the columns of the bus",
                            "more than 64 columns of pins");
        }
    }
    if (headless) {
        reader->pending = line;
        reader->pending_length = length;
    }
    return true;
}

static bool take_scale(struct sdsim_pins *pins, struct reader *reader)
{
    if (reader->time_column != NO_TIME) {
        pins->facts.tick = (struct sdsim_tick){1, 1};
        return true;
    }
    if (pins->facts.rate == 0) {
        return complain(pins, reader,
                        "put a line like '; Samplerate: 24 MHz' in front, or a column Time [s]",
                        "neither a sample rate nor a column of times");
    }
    pins->facts.tick = sdsim_tick_of_rate(pins->facts.rate);
    return true;
}

static bool take_preamble(struct sdsim_pins *pins, struct reader *reader)
{
    size_t length;
    bool too_long;
    char *line;
    while ((line = sdsim_pin_file_line(&reader->file, &length, &too_long)) != NULL) {
        if (reader->line++ == 0 && length >= 3 && memcmp(line, "\xEF\xBB\xBF", 3) == 0) {
            line += 3;
            length -= 3;
        }
        if (!is_comment(line, length)) {
            return take_head(pins, reader, line, length) && take_scale(pins, reader);
        }
        take_comment(pins, line);
    }
    return complain(pins, reader, "a line per sample or change is needed",
                    too_long ? "a line of more than 256 KiB" : "no line of pins");
}

static void csv_close(struct sdsim_pins *pins)
{
    struct reader *reader = pins->reader;
    sdsim_pin_file_close(&reader->file);
    free(reader);
}

static bool csv_open(struct sdsim_pins *pins)
{
    struct reader *reader = calloc(1, sizeof *reader);
    if (reader == NULL || !sdsim_pin_file_open(&reader->file, pins->path)) {
        sdsim_error(pins->diags, pins->path, "can't be opened: %s",
                    reader == NULL ? "out of memory" : strerror(errno));
        free(reader);
        return false;
    }
    pins->reader = reader;
    if (!take_preamble(pins, reader)) {
        csv_close(pins);
        return false;
    }
    return true;
}

/* The tick of a row with a time. */
static bool take_time(struct sdsim_pins *pins, struct reader *reader, const struct cell *text)
{
    struct sdsim_csv_instant instant;
    if (!sdsim_csv_instant(text->text, text->length, reader->time_digits, &instant)) {
        return complain(pins, reader, "seconds, or 2024-06-01T12:00:00.123456789",
                        "the time can't be understood");
    }
    if (!reader->started) {
        const bool iso = text->length > 4 && text->text[4] == '-';
        reader->started = true;
        reader->origin = iso || instant.seconds < 0 ? instant : (struct sdsim_csv_instant){0, 0};
    }
    sdsim_ps tick;
    if (!sdsim_csv_since(&instant, &reader->origin, &tick) || tick < reader->tick) {
        return complain(pins, reader, "the file may be several joined together", "time goes back");
    }
    reader->tick = tick;
    return true;
}

/* The state of a row; the tick is that of the row. */
static bool take_row(struct sdsim_pins *pins, struct reader *reader, const char *line,
                     size_t length, uint64_t *levels)
{
    const char *at = line;
    const char *end = line + length;
    unsigned channel = 0;
    *levels = 0;
    if (reader->time_column != NO_TIME) {
        const struct cell time = cell(&at, end, reader->separator);
        if (!take_time(pins, reader, &time)) {
            return false;
        }
    }
    while (at <= end && channel < pins->facts.channel_count) {
        /* a bare digit and a separator is what nearly all cells are */
        if (at + 1 < end && at[1] == reader->separator && (*at == '0' || *at == '1')) {
            *levels |= (uint64_t)(*at - '0') << channel++;
            at += 2;
            continue;
        }
        const struct cell value = cell(&at, end, reader->separator);
        if (!is_value(&value)) {
            return complain(pins, reader, "cells are 0, 1, x or z", "no level of a pin");
        }
        *levels |= (uint64_t)(value.text[0] != '0') << channel++;
    }
    if (channel < pins->facts.channel_count) {
        return complain(pins, reader, "the file may be cut off here", "a row with too few cells");
    }
    return true;
}

static char *next_row(struct reader *reader, size_t *length, bool *too_long)
{
    char *line = reader->pending;
    *length = reader->pending_length;
    *too_long = false;
    reader->pending = NULL;
    if (line == NULL) {
        line = sdsim_pin_file_line(&reader->file, length, too_long);
        reader->line += line != NULL;
    }
    return line;
}

static enum sdsim_pin_result at_end(struct sdsim_pins *pins, struct reader *reader, bool too_long)
{
    if (too_long) {
        complain(pins, reader, NULL, "a line of more than 256 KiB");
        return SDSIM_PINS_BROKEN;
    }
    if (reader->file.failed) {
        complain(pins, reader, NULL, "the file can't be read on");
        return SDSIM_PINS_BROKEN;
    }
    return SDSIM_PINS_END;
}

static enum sdsim_pin_result csv_read(struct sdsim_pins *pins, struct sdsim_pin_change *changes,
                                      size_t capacity, size_t *count)
{
    struct reader *reader = pins->reader;
    while (*count < capacity) {
        size_t length;
        bool too_long;
        uint64_t levels;
        const char *line = next_row(reader, &length, &too_long);
        if (line == NULL) {
            return at_end(pins, reader, too_long);
        }
        if (is_comment(line, length)) {
            continue;
        }
        if (!take_row(pins, reader, line, length, &levels)) {
            return SDSIM_PINS_BROKEN;
        }
        if (!reader->begun || ((levels ^ reader->told) & pins->watched) != 0) {
            reader->begun = true;
            reader->told = levels;
            changes[(*count)++] = (struct sdsim_pin_change){reader->tick, levels};
        }
        reader->tick += reader->time_column == NO_TIME;
        pins->end = reader->tick;
    }
    return SDSIM_PINS_MORE;
}

const struct sdsim_pin_format sdsim_pin_format_csv = {
    .name = "CSV",
    .recognise = recognise,
    .open = csv_open,
    .read = csv_read,
    .close = csv_close,
};
