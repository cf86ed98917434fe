#include "trace/lines.h"

#include <inttypes.h>
#include <string.h>

enum { MOST_LENGTH = 1 << 20 };

void sdsim_lines_init(struct sdsim_lines *lines, struct sdsim_input *input)
{
    size_t size;
    const char *head = sdsim_input_peek(input, SDSIM_ENCODING_HEAD, &size);
    *lines = (struct sdsim_lines){.input = input, .encoding = sdsim_encoding_of(head, size)};
}

void sdsim_lines_tell_none(const struct sdsim_lines *lines, const char *what)
{
    const struct sdsim_place place = {.file = sdsim_input_name(lines->input)};
    struct sdsim_diags *diags = sdsim_input_diags(lines->input);
    if (lines->encoding.what != NULL) {
        sdsim_diag_add(diags, SDSIM_ERROR, &place, NULL, 0, lines->encoding.mend,
                       "this is %s, which is not read", lines->encoding.what);
    } else {
        sdsim_error(diags, place.file, "not one of its %" PRIu64 " lines is of this format: %s",
                    lines->number, what);
    }
}

struct sdsim_place sdsim_lines_place(const struct sdsim_lines *lines)
{
    return (struct sdsim_place){
        .file = sdsim_input_name(lines->input),
        .line = lines->number < UINT32_MAX ? (uint32_t)lines->number : UINT32_MAX,
    };
}

/* How many of the bytes are whole lines. */
static size_t whole_lines(const char *bytes, size_t size)
{
    while (size > 0 && bytes[size - 1] != '\n') {
        size--;
    }
    return size;
}

bool sdsim_lines_window(struct sdsim_lines *lines)
{
    struct sdsim_input *input = lines->input;
    sdsim_input_take(input, lines->seen);
    lines->seen = 0;
    size_t size;
    size_t least = 1;
    const char *bytes = sdsim_input_peek(input, least, &size);
    size_t whole = whole_lines(bytes, size);
    while (whole == 0 && size >= least) { /* not yet at the end of the input */
        if (size > MOST_LENGTH) {
            struct sdsim_place place = sdsim_lines_place(lines);
            place.line += place.line < UINT32_MAX;
            sdsim_diag_add(sdsim_input_diags(input), SDSIM_ERROR, &place, NULL, 0, NULL,
                           "a line of more than 1 MiB: this is no such trace");
            lines->failed = true;
            return false;
        }
        least = size + 1;
        bytes = sdsim_input_peek(input, least, &size);
        whole = whole_lines(bytes, size);
    }
    if (whole == 0 && !sdsim_input_failed(input)) {
        whole = size; /* the last line lacks its newline; a line that a fault cut off is no line */
    }
    if (lines->number == 0 && sdsim_input_offset(input) == 0 && whole >= 3 &&
        memcmp(bytes, "\xEF\xBB\xBF", 3) == 0) {
        lines->at = bytes + 3;
    } else {
        lines->at = bytes;
    }
    lines->end = bytes + whole;
    lines->seen = whole;
    lines->failed = lines->failed || (whole == 0 && sdsim_input_failed(input));
    return whole > 0;
}

bool sdsim_lines_next(struct sdsim_lines *lines, const char **line, size_t *length)
{
    if (lines->at == lines->end && !sdsim_lines_window(lines)) {
        return false;
    }
    const size_t left = (size_t)(lines->end - lines->at);
    const char *newline = left > 0 ? memchr(lines->at, '\n', left) : NULL;
    *line = lines->at;
    *length = newline != NULL ? (size_t)(newline - lines->at) : left;
    lines->at = newline != NULL ? newline + 1 : lines->end;
    lines->number++;
    if (*length > 0 && (*line)[*length - 1] == '\r') {
        --*length;
    }
    return true;
}
