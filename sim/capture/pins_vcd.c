/*
 * Value change dumps (IEEE 1364, section 18) of simulators and logic analysers.
 *
 * Supported: several changes on one line, comments anywhere, $dumpvars, $dumpoff and the like, any
 * time scale; see vcd_header.h for the declarations. Values of vectors, reals and strings are passed
 * over. x and z are 1: the lines have pull-ups.
 * Not supported: time that goes back, extended VCD.
 *
 * Speed: the body is read by one loop over a window of the file; a code of one or two characters is
 * looked up in a table.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/vcd_header.h"

enum { ROOM = 4096 }; /* tokens up to this size lie in the window as a whole */

struct reader {
    struct sdsim_pin_file file;
    struct sdsim_vcd_codes codes;
    uint64_t tick;   /* of the last time stamp */
    uint64_t levels; /* at the tick, so far */
    uint64_t told;   /* of the last change told */
    bool stamped;    /* there was a time stamp */
    bool begun;      /* the state at the beginning is told */
    bool done;
};

static bool vcd_open(struct sdsim_pins *pins)
{
    struct reader *reader = calloc(1, sizeof *reader);
    if (reader == NULL || !sdsim_pin_file_open(&reader->file, pins->path)) {
        sdsim_error(pins->diags, pins->path, "can't be opened: %s",
                    reader == NULL ? "out of memory" : strerror(errno));
        free(reader);
        return false;
    }
    reader->levels = UINT64_MAX; /* nothing said: released */
    if (!sdsim_vcd_header_read(pins, &reader->file, &reader->codes)) {
        sdsim_pin_file_close(&reader->file);
        free(reader);
        return false;
    }
    pins->reader = reader;
    return true;
}

static void vcd_close(struct sdsim_pins *pins)
{
    struct reader *reader = pins->reader;
    sdsim_pin_file_close(&reader->file);
    free(reader);
}

static enum sdsim_pin_result broken(struct sdsim_pins *pins, const char *help, const char *what)
{
    const struct reader *reader = pins->reader;
    const struct sdsim_place place = {.file = pins->path};
    sdsim_diag_add(pins->diags, SDSIM_ERROR, &place, NULL, 0, help, "offset %llu: %s",
                   (unsigned long long)sdsim_pin_file_offset(&reader->file), what);
    return SDSIM_PINS_BROKEN;
}

/* The state that a time stamp closes becomes a change, if it is one. */
static size_t tell(struct sdsim_pins *pins, struct reader *reader, struct sdsim_pin_change *changes)
{
    if (reader->begun && ((reader->levels ^ reader->told) & pins->watched) == 0) {
        return 0;
    }
    reader->begun = true;
    reader->told = reader->levels;
    changes[0] = (struct sdsim_pin_change){reader->tick, reader->levels};
    return 1;
}

static bool is_space(unsigned char c)
{
    return c <= ' ';
}

/* One character value with its code, at file->at. False if there is no code. */
static inline bool take_bit(struct reader *reader)
{
    struct sdsim_pin_file *file = &reader->file;
    const unsigned char *at = file->buffer + file->at;
    const unsigned char *code = at + 1;
    size_t length = 0;
    while (!is_space(code[length])) {
        length++;
    }
    unsigned channel = 0;
    if (length == 0) {
        return false;
    }
    if (length <= 2) {
        const unsigned place = sdsim_vcd_code_short(code, length);
        channel = place < SDSIM_VCD_SHORT ? reader->codes.of_short[place] : 0;
    } else {
        channel = sdsim_vcd_code_long(&reader->codes, code, length);
    }
    if (channel != 0) {
        const uint64_t bit = UINT64_C(1) << (channel - 1);
        reader->levels = *at == '0' ? reader->levels & ~bit : reader->levels | bit;
    }
    file->at += 1 + length;
    return true;
}

/* Digits behind '#'. False if there are none, or too many. */
static inline bool take_number(struct sdsim_pin_file *file, uint64_t *number)
{
    const unsigned char *at = file->buffer + file->at + 1;
    const unsigned char *const start = at;
    uint64_t value = 0;
    while ((unsigned)(*at - '0') < 10 && value < UINT64_MAX / 40) {
        value = value * 10 + (uint64_t)(*at++ - '0');
    }
    *number = value;
    file->at += 1 + (size_t)(at - start);
    return at > start && is_space(*at);
}

static void skip_word(struct sdsim_pin_file *file)
{
    int c = sdsim_pin_file_peek(file);
    while (c != -1 && !is_space((unsigned char)c)) {
        file->at++;
        c = sdsim_pin_file_peek(file);
    }
}

static void skip_spaces(struct sdsim_pin_file *file)
{
    int c = sdsim_pin_file_peek(file);
    while (c != -1 && is_space((unsigned char)c)) {
        file->at++;
        c = sdsim_pin_file_peek(file);
    }
}

/* $comment: everything up to $end. Other keywords stand around values and mean nothing here. */
static void skip_keyword(struct sdsim_pin_file *file)
{
    if (strncmp((const char *)file->buffer + file->at, "$comment", 8) != 0) {
        skip_word(file);
        return;
    }
    bool end = false;
    while (!end && sdsim_pin_file_peek(file) != -1) {
        skip_word(file);
        skip_spaces(file);
        if (file->end - file->at < 4) {
            sdsim_pin_file_fill(file);
        }
        end = file->end - file->at >= 4 && memcmp(file->buffer + file->at, "$end", 4) == 0;
    }
    skip_word(file);
}

/* A time stamp: ends the state before it. */
static inline enum sdsim_pin_result take_stamp(struct sdsim_pins *pins, struct reader *reader,
                                               struct sdsim_pin_change *changes, size_t *count)
{
    uint64_t tick;
    if (!take_number(&reader->file, &tick)) {
        return broken(pins, "a time stamp is # and a whole number", "not a time stamp");
    }
    if (reader->stamped && tick < reader->tick) {
        return broken(pins, "the file may be several joined together", "time goes back");
    }
    if (reader->stamped && tick != reader->tick) {
        *count += tell(pins, reader, changes + *count);
    }
    reader->stamped = true;
    reader->tick = tick;
    pins->end = tick;
    return SDSIM_PINS_MORE;
}

/* Anything but a bit or a time stamp. */
static enum sdsim_pin_result take_other(struct sdsim_pins *pins, struct reader *reader)
{
    struct sdsim_pin_file *file = &reader->file;
    switch (file->buffer[file->at]) {
    case '$':
        skip_keyword(file);
        return SDSIM_PINS_MORE;
    case 'b':
    case 'B':
    case 'r':
    case 'R':
    case 's':
    case 'S':
        skip_word(file);
        skip_spaces(file);
        skip_word(file);
        return SDSIM_PINS_MORE;
    default:
        return broken(pins, "what was recorded before is good", "no value change");
    }
}

/* The last state, at the end of the file. */
static enum sdsim_pin_result finish(struct sdsim_pins *pins, struct reader *reader,
                                    struct sdsim_pin_change *changes, size_t *count)
{
    if (reader->file.failed) {
        return broken(pins, NULL, "the file can't be read on");
    }
    if (!reader->done) {
        reader->done = true;
        *count += tell(pins, reader, changes + *count);
        return SDSIM_PINS_MORE;
    }
    return SDSIM_PINS_END;
}

static enum sdsim_pin_result vcd_read(struct sdsim_pins *pins, struct sdsim_pin_change *changes,
                                      size_t capacity, size_t *count)
{
    struct reader *reader = pins->reader;
    struct sdsim_pin_file *file = &reader->file;
    while (*count < capacity) {
        if (file->end - file->at < ROOM) {
            sdsim_pin_file_fill(file);
        }
        while (file->at < file->end && is_space(file->buffer[file->at])) {
            file->at++;
        }
        if (file->at == file->end) {
            if (!file->over) {
                continue;
            }
            return finish(pins, reader, changes, count);
        }
        const unsigned char c = file->buffer[file->at];
        enum sdsim_pin_result result = SDSIM_PINS_MORE;
        if (c == '#') {
            result = take_stamp(pins, reader, changes, count);
        } else if (c == '0' || c == '1' || (c | 32) == 'x' || (c | 32) == 'z') {
            if (!take_bit(reader)) {
                result = broken(pins, "the code of the variable follows at once",
                                "a value without a variable");
            }
        } else {
            result = take_other(pins, reader);
        }
        if (result != SDSIM_PINS_MORE) {
            return result;
        }
    }
    return SDSIM_PINS_MORE;
}

const struct sdsim_pin_format sdsim_pin_format_vcd = {
    .name = "VCD",
    .recognise = sdsim_vcd_recognise,
    .open = vcd_open,
    .read = vcd_read,
    .close = vcd_close,
};
