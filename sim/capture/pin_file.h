/*
 * A text file as a sliding window of bytes, for readers that look at every byte: they work on
 * [at, end) of the buffer and ask for more when it runs out.
 *
 * Behind `end` there is always a zero byte, so a loop may look one byte ahead. Limits: a token that
 * is longer than the window is cut by the reader's own rules.
 */
#ifndef SDSIM_CAPTURE_PIN_FILE_H
#define SDSIM_CAPTURE_PIN_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define SDSIM_PIN_WINDOW ((size_t)256 << 10)

struct sdsim_pin_file {
    FILE *stream;
    unsigned char *buffer; /* SDSIM_PIN_WINDOW + 1 bytes */
    size_t at;
    size_t end;
    uint64_t base; /* offset in the file of buffer[0] */
    bool over;     /* the stream has no more */
    bool failed;   /* ... because reading failed */
};

/* False if the file can't be opened (errno) or without memory. */
bool sdsim_pin_file_open(struct sdsim_pin_file *file, const char *path);
void sdsim_pin_file_close(struct sdsim_pin_file *file);

/* Moves what is left to the front and fills up. False if nothing came. */
bool sdsim_pin_file_fill(struct sdsim_pin_file *file);

/* The offset in the file of the next byte. */
static inline uint64_t sdsim_pin_file_offset(const struct sdsim_pin_file *file)
{
    return file->base + file->at;
}

/* The next byte without taking it, -1 at the end. */
static inline int sdsim_pin_file_peek(struct sdsim_pin_file *file)
{
    if (file->at == file->end && !sdsim_pin_file_fill(file)) {
        return -1;
    }
    return file->buffer[file->at];
}

/*
 * The next line, without its end (\n, \r\n), terminated with zero in the buffer: valid until the
 * next call. NULL at the end of the file, or if the line is longer than the window (*too_long).
 */
char *sdsim_pin_file_line(struct sdsim_pin_file *file, size_t *length, bool *too_long);

#endif
