#include "core/utf8.h"

/* The length a first byte announces, 0 if it can't be one; *point gets its payload bits. */
static size_t announced(unsigned char first, uint32_t *point)
{
    if (first < 0x80) {
        *point = first;
        return 1;
    }
    if (first >= 0xc2 && first < 0xe0) {
        *point = first & 0x1f;
        return 2;
    }
    if (first >= 0xe0 && first < 0xf0) {
        *point = first & 0x0f;
        return 3;
    }
    if (first >= 0xf0 && first < 0xf5) {
        *point = first & 0x07;
        return 4;
    }
    return 0;
}

size_t sdsim_utf8_decode(const char *bytes, size_t size, uint32_t *point)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    uint32_t value = 0;
    const size_t length = size > 0 ? announced((unsigned char)bytes[0], &value) : 0;
    *point = 0xfffd;
    if (length == 0 || length > size) {
        return 0;
    }
    for (size_t i = 1; i < length; i++) {
        if (!sdsim_utf8_is_continuation(bytes[i])) {
            return 0;
        }
        value = value << 6 | ((unsigned char)bytes[i] & 0x3f);
    }
    if (value < smallest[length] || value > 0x10ffff || (value >= 0xd800 && value < 0xe000)) {
        return 0;
    }
    *point = value;
    return length;
}
