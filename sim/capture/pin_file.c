#include "capture/pin_file.h"

#include <stdlib.h>
#include <string.h>

bool sdsim_pin_file_open(struct sdsim_pin_file *file, const char *path)
{
    *file = (struct sdsim_pin_file){.stream = fopen(path, "rb")};
    if (file->stream == NULL) {
        return false;
    }
    setvbuf(file->stream, NULL, _IONBF, 0); /* the window is the buffer */
    file->buffer = malloc(SDSIM_PIN_WINDOW + 1);
    if (file->buffer == NULL) {
        fclose(file->stream);
        *file = (struct sdsim_pin_file){0};
        return false;
    }
    file->buffer[0] = 0;
    return true;
}

void sdsim_pin_file_close(struct sdsim_pin_file *file)
{
    if (file->stream != NULL) {
        fclose(file->stream);
    }
    free(file->buffer);
    *file = (struct sdsim_pin_file){0};
}

bool sdsim_pin_file_fill(struct sdsim_pin_file *file)
{
    const size_t left = file->end - file->at;
    if (file->over || left == SDSIM_PIN_WINDOW) {
        return false;
    }
    memmove(file->buffer, file->buffer + file->at, left);
    file->base += file->at;
    file->at = 0;
    const size_t got = fread(file->buffer + left, 1, SDSIM_PIN_WINDOW - left, file->stream);
    file->end = left + got;
    file->buffer[file->end] = 0;
    if (got == 0) {
        file->over = true;
        file->failed = ferror(file->stream) != 0;
    }
    return got > 0;
}

char *sdsim_pin_file_line(struct sdsim_pin_file *file, size_t *length, bool *too_long)
{
    *too_long = false;
    size_t scanned = 0;
    for (;;) {
        unsigned char *start = file->buffer + file->at;
        unsigned char *newline = memchr(start + scanned, '\n', file->end - file->at - scanned);
        if (newline != NULL || (file->over && file->at < file->end)) {
            const size_t whole = newline != NULL ? (size_t)(newline - start) : file->end - file->at;
            file->at += whole + (newline != NULL);
            *length = whole > 0 && start[whole - 1] == '\r' ? whole - 1 : whole;
            start[*length] = 0;
            return (char *)start;
        }
        scanned = file->end - file->at;
        if (!sdsim_pin_file_fill(file) && !file->over) {
            *too_long = true;
            return NULL;
        }
        if (file->over && file->at == file->end) {
            return NULL;
        }
    }
}
