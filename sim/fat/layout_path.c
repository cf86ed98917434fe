/*
 * The path of the file or directory a survey has come to.
 */
#include <string.h>

#include "core/utf8.h"
#include "fat/layout_internal.h"
#include "fat/names.h"

bool sdsim_survey_push_name(struct sdsim_survey *survey, const char *name)
{
    size_t at = strlen(survey->path);
    const size_t length = strlen(name);
    if (at > 0 && survey->path[at - 1] == '/') {
        at--; /* the root */
    }
    if (at + length + 2 > sizeof survey->path) {
        return false;
    }
    survey->path[at++] = '/';
    for (size_t i = 0; i < length;) {
        uint32_t point;
        const size_t size = sdsim_utf8_decode(name + i, length - i, &point);
        if (size == 0 || sdsim_utf8_is_control(point) || point == '/') {
            survey->path[at++] = '?';
            i += size != 0 ? size : 1;
        } else {
            memcpy(survey->path + at, name + i, size);
            at += size;
            i += size;
        }
    }
    survey->path[at] = '\0';
    return true;
}

/* The next character of a path as it is compared: upper case, one kind of separator. */
static uint32_t next_point(const char **text)
{
    uint32_t point;
    const size_t size = sdsim_utf8_decode(*text, strlen(*text), &point);
    *text += size != 0 ? size : 1;
    return point == '\\' ? '/' : point < 0x10000 ? sdsim_upcase((uint16_t)point) : point;
}

static bool is_end(const char *text)
{
    return text[strspn(text, "/\\")] == '\0';
}

bool sdsim_survey_is_wanted(const struct sdsim_survey *survey)
{
    const char *wanted = survey->wanted;
    const char *path = survey->path + 1;
    if (wanted == NULL || survey->hunting) {
        return false;
    }
    wanted += strspn(wanted, "/\\");
    while (*path != '\0' && *wanted != '\0') {
        if (next_point(&path) != next_point(&wanted)) {
            return false;
        }
    }
    return *path == '\0' && is_end(wanted);
}
