/*
 * UTF-8, as far as reading and showing other people's text needs it: one sequence at a time,
 * strictly (no overlong forms, no surrogates, nothing above U+10FFFF; RFC 3629).
 */
#ifndef SDSIM_CORE_UTF8_H
#define SDSIM_CORE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Decodes the sequence at the start of `bytes` (`size` of them). Returns its length 1..4 and sets
 * *point; returns 0 and sets *point to 0xFFFD if there is no valid sequence.
 */
size_t sdsim_utf8_decode(const char *bytes, size_t size, uint32_t *point);

/* A C0 or C1 control character, DEL, or one of the two Unicode line separators: nothing that may be
 * sent to a terminal within a line. */
static inline bool sdsim_utf8_is_control(uint32_t point)
{
    return point < 0x20 || (point >= 0x7f && point < 0xa0) || point == 0x2028 || point == 0x2029;
}

/* The second or a later byte of a sequence. */
static inline bool sdsim_utf8_is_continuation(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

#endif
