#include "config/config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/utf8.h"

void *sdsim_config_no_memory(struct sdsim_diags *diags)
{
    sdsim_error(diags, NULL, "out of memory");
    return NULL;
}

struct flaw {
    char text[80];
    const char *help;
};

static bool flaw_of(uint32_t point, struct flaw *flaw)
{
    flaw->help = NULL;
    if (point == 0) {
        snprintf(flaw->text, sizeof flaw->text, "this is no text file: it contains a NUL byte");
        return true;
    }
    if (point == 0x85 || point == 0x2028 || point == 0x2029) {
        snprintf(flaw->text, sizeof flaw->text, "the line separator U+%04X is not allowed",
                 (unsigned)point);
        flaw->help = "end lines with LF or CR LF";
        return true;
    }
    if (sdsim_utf8_is_control(point) || (point >= 0xfffe && point <= 0xffff)) {
        snprintf(flaw->text, sizeof flaw->text,
                 "this is no text file: it contains the control character U+%04X", (unsigned)point);
        return true;
    }
    return false;
}

/* Looks for what is wrong with the character at `at`; returns its length in bytes, 0 if anything.
 */
static size_t check_character(const struct sdsim_source *source, size_t at, struct flaw *flaw)
{
    uint32_t point;
    const size_t length = sdsim_utf8_decode(source->text + at, source->size - at, &point);
    if (length == 0) {
        snprintf(flaw->text, sizeof flaw->text, "this is no UTF-8 text: invalid byte 0x%02x",
                 (unsigned char)source->text[at]);
        flaw->help = "save the file with the encoding UTF-8";
        return 0;
    }
    if (point == '\t' || point == '\n') {
        return 1;
    }
    if (point == '\r') {
        if (at + 1 < source->size && source->text[at + 1] == '\n') {
            return 1;
        }
        snprintf(flaw->text, sizeof flaw->text, "a carriage return without a line feed");
        flaw->help = "end lines with LF or CR LF";
        return 0;
    }
    return flaw_of(point, flaw) ? 0 : length;
}

/*
 * Checks that a source is text: UTF-8 without NUL and control characters, lines that end with LF or
 * CR LF. Only then positions mean the same to libyaml, to an editor and to our messages. Reports
 * the first flaw without showing the line, which may be anything.
 */
static bool check_source(const struct sdsim_source *source, struct sdsim_diags *diags)
{
    uint32_t line = 1;
    size_t line_start = 0;
    for (size_t at = 0; at < source->size;) {
        struct flaw flaw;
        const size_t length = check_character(source, at, &flaw);
        if (length == 0) {
            const struct sdsim_place place = {
                .file = source->path, .line = line, .column = (uint32_t)(at - line_start + 1)};
            sdsim_diag_add(diags, SDSIM_ERROR, &place, NULL, 0, flaw.help, "%s", flaw.text);
            return false;
        }
        at += length;
        if (source->text[at - 1] == '\n') {
            line++;
            line_start = at;
        }
    }
    return true;
}

struct sdsim_source *sdsim_source_copy(struct sdsim_config *config, const char *name,
                                       const char *text, size_t size, struct sdsim_diags *diags)
{
    if (size > SDSIM_FILE_BYTES) {
        sdsim_error(diags, name, "larger than %zu KiB, the limit for a YAML file",
                    SDSIM_FILE_BYTES / 1024);
        return NULL;
    }
    static const char byte_order_mark[] = "\xef\xbb\xbf";
    if (size >= 3 && memcmp(text, byte_order_mark, 3) == 0) {
        text += 3;
        size -= 3;
    }
    struct sdsim_source *source = sdsim_arena_alloc(&config->arena, 1, sizeof *source);
    if (source == NULL) {
        return sdsim_config_no_memory(diags);
    }
    source->path = sdsim_arena_text(&config->arena, name, strlen(name));
    source->text = sdsim_arena_text(&config->arena, text, size);
    source->size = size;
    if (source->path == NULL || source->text == NULL) {
        return sdsim_config_no_memory(diags);
    }
    return check_source(source, diags) ? source : NULL;
}

/* Reads at most one byte more than a file may have; the rest is of no interest. */
static struct sdsim_source *read_stream(struct sdsim_config *config, const char *path, FILE *file,
                                        struct sdsim_diags *diags)
{
    char *bytes = malloc(SDSIM_FILE_BYTES + 1);
    if (bytes == NULL) {
        return sdsim_config_no_memory(diags);
    }
    struct sdsim_source *source = NULL;
    const size_t size = fread(bytes, 1, SDSIM_FILE_BYTES + 1, file);
    if (ferror(file)) {
        sdsim_error(diags, path, "cannot be read: %s", strerror(errno));
    } else {
        source = sdsim_source_copy(config, path, bytes, size, diags);
    }
    free(bytes);
    return source;
}

struct sdsim_source *sdsim_source_read(struct sdsim_config *config, const char *path,
                                       struct sdsim_diags *diags)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        sdsim_error(diags, path, "cannot be read: %s", strerror(errno));
        return NULL;
    }
    struct stat status;
    struct sdsim_source *source = NULL;
    if (fstat(fileno(file), &status) == 0 && S_ISDIR(status.st_mode)) {
        sdsim_error(diags, path, "this is a directory, not a file");
    } else {
        source = read_stream(config, path, file, diags);
    }
    fclose(file);
    return source;
}
