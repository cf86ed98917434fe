#include "fat/names.h"

#include <string.h>

#include "core/utf8.h"
#include "fat/volume.h"

static bool is_separator(char c)
{
    return c == '/' || c == '\\';
}

static bool is_end(char c)
{
    return (unsigned char)c < ' ';
}

/* Moves *path over separators; tells whether it ended. */
static bool skip_separators(const char **path)
{
    while (is_separator(**path)) {
        ++*path;
    }
    return is_end(**path);
}

/* The part up to a separator or the end as UTF-16; *count units, without a zero. */
static enum sdsim_fat_result decode_part(const char **path, uint16_t *name, uint32_t *count)
{
    const char *p = *path;
    uint32_t n = 0;
    while (!is_end(*p) && !is_separator(*p)) {
        uint32_t point;
        const size_t length = sdsim_utf8_decode(p, strlen(p), &point);
        if (length == 0 || (point < 0x80 && strchr("*:<>|\"?\x7F", (int)point) != NULL)) {
            return SDSIM_FAT_INVALID_NAME;
        }
        if (n + (point > 0xFFFF ? 2 : 1) > SDSIM_NAME_MAX) {
            return SDSIM_FAT_INVALID_NAME;
        }
        if (point > 0xFFFF) {
            name[n++] = (uint16_t)(0xD7C0 + (point >> 10));
            point = 0xDC00 | (point & 0x3FF);
        }
        name[n++] = (uint16_t)point;
        p += length;
    }
    *path = p;
    *count = n;
    return SDSIM_FAT_OK;
}

/* Builds one field of a short name; what it saw on the way. */
struct field {
    uint8_t *out;
    uint32_t room;
    uint32_t used;
    bool upper;
    bool lower;
    bool odd;      /* a character that short names can't hold, kept as '_' */
    bool overflow; /* more characters than room */
    bool dropped;  /* blanks or dots left out */
};

static void field_add(struct field *field, uint16_t unit)
{
    if (unit == ' ' || unit == '.') {
        field->dropped = true;
        return;
    }
    if (field->used == field->room) {
        field->overflow = true;
        return;
    }
    uint8_t c = (uint8_t)unit;
    if (unit >= 0x80 || strchr("+,;=[]", unit) != NULL) {
        field->odd = true;
        c = '_';
    } else if (unit >= 'A' && unit <= 'Z') {
        field->upper = true;
    } else if (unit >= 'a' && unit <= 'z') {
        field->lower = true;
        c = (uint8_t)(unit - 0x20);
    }
    field->out[field->used++] = c;
}

/* The short form of a name of `count` units, with the flags that say what it takes to keep it. */
static void shorten(const uint16_t *name, uint32_t count, struct sdsim_short_name *result)
{
    memset(result->bytes, ' ', sizeof result->bytes);
    struct field body = {.out = result->bytes, .room = 8};
    struct field ext = {.out = result->bytes + 8, .room = 3};

    uint32_t dot = count; /* of the last dot; one in front of everything starts no extension */
    while (dot > 0 && name[dot - 1] != '.') {
        dot--;
    }
    const bool has_ext = dot > 0;
    uint32_t start = 0;
    while (name[start] == ' ') {
        start++;
    }
    const bool leading = start > 0 || name[start] == '.';
    const uint32_t body_end = has_ext ? dot - 1 : count;
    for (uint32_t i = start; i < body_end; i++) {
        field_add(&body, name[i]);
    }
    for (uint32_t i = dot > start ? dot : start; has_ext && i < count; i++) {
        field_add(&ext, name[i]);
    }

    uint8_t flags = 0;
    if (leading || body.odd || body.overflow || body.dropped || ext.odd || ext.overflow ||
        ext.dropped) {
        flags |= SDSIM_NAME_LOST | SDSIM_NAME_LONG;
    }
    if ((body.upper && body.lower) || (ext.upper && ext.lower)) {
        flags |= SDSIM_NAME_LONG;
    }
    if ((flags & SDSIM_NAME_LONG) == 0) {
        flags |= body.lower ? SDSIM_NAME_LOWER_BODY : 0;
        flags |= ext.lower ? SDSIM_NAME_LOWER_EXT : 0;
    }
    result->flags = flags;
}

enum sdsim_fat_result sdsim_name_take(const char **path, uint16_t *name,
                                      struct sdsim_short_name *short_name)
{
    uint32_t count;
    const enum sdsim_fat_result result = decode_part(path, name, &count);
    if (result != SDSIM_FAT_OK) {
        return result;
    }
    const bool last = skip_separators(path);
    while (count > 0 && (name[count - 1] == ' ' || name[count - 1] == '.')) {
        count--;
    }
    name[count] = 0;
    if (count == 0) {
        return SDSIM_FAT_INVALID_NAME;
    }
    shorten(name, count, short_name);
    short_name->flags |= last ? SDSIM_NAME_LAST : 0;
    return SDSIM_FAT_OK;
}

enum sdsim_fat_result sdsim_name_take_short(const char **path, struct sdsim_short_name *short_name)
{
    const char *p = *path;
    uint32_t at = 0;
    uint32_t room = 8;
    memset(short_name->bytes, ' ', sizeof short_name->bytes);
    for (; (unsigned char)*p > ' ' && !is_separator(*p); p++) {
        const char c = *p;
        if (c == '.' && room == 8 && at > 0) {
            at = 8;
            room = 11;
            continue;
        }
        if (at == room || (unsigned char)c >= 0x7F || strchr(".*+,:;<=>[]|\"?", c) != NULL) {
            return SDSIM_FAT_INVALID_NAME;
        }
        short_name->bytes[at++] = (uint8_t)(c >= 'a' && c <= 'z' ? c - 0x20 : c);
    }
    if (at == 0 || *p == ' ') {
        return SDSIM_FAT_INVALID_NAME;
    }
    *path = p;
    short_name->flags = skip_separators(path) ? SDSIM_NAME_LAST : 0;
    return SDSIM_FAT_OK;
}

/* From the sixth try on the number is a CRC-16 (polynomial 0x1021) over the bits of the long name.
 */
static uint32_t hashed(const uint16_t *name, uint32_t number)
{
    uint32_t sum = number;
    for (; *name != 0; name++) {
        for (uint32_t bit = 0; bit < 16; bit++) {
            sum = sum << 1 | (*name >> bit & 1u);
            if ((sum & 0x10000) != 0) {
                sum ^= 0x11021;
            }
        }
    }
    return sum;
}

void sdsim_name_number(const struct sdsim_short_name *base, const uint16_t *name, uint32_t number,
                       struct sdsim_short_name *numbered)
{
    char suffix[8];
    uint32_t start = sizeof suffix;
    uint32_t rest = number > 5 ? hashed(name, number) : number;
    do {
        suffix[--start] = "0123456789ABCDEF"[rest % 16];
        rest /= 16;
    } while (start > 1 && rest != 0);
    suffix[--start] = '~';

    *numbered = *base;
    uint32_t at = 0;
    while (at < start && base->bytes[at] != ' ') {
        at++;
    }
    for (; at < 8; at++) {
        numbered->bytes[at] = start < sizeof suffix ? (uint8_t)suffix[start++] : ' ';
    }
}

uint32_t sdsim_name_length(const uint16_t *name)
{
    uint32_t length = 0;
    while (name[length] != 0) {
        length++;
    }
    return length;
}

/* Ranges of lower case: `step` 1 maps the range down by `down`, step 2 maps every second unit. */
static const struct {
    uint16_t first;
    uint16_t last;
    uint16_t down;
    uint16_t step;
} lower_ranges[] = {
    {0x0061, 0x007A, 32, 1}, {0x00E0, 0x00F6, 32, 1}, {0x00F8, 0x00FE, 32, 1},
    {0x0101, 0x012F, 1, 2},  {0x0133, 0x0137, 1, 2},  {0x013A, 0x0148, 1, 2},
    {0x014B, 0x0177, 1, 2},  {0x017A, 0x017E, 1, 2},  {0x03B1, 0x03C1, 32, 1},
    {0x03C3, 0x03CB, 32, 1}, {0x0430, 0x044F, 32, 1}, {0x0450, 0x045F, 80, 1},
    {0x0461, 0x0481, 1, 2},  {0x0561, 0x0586, 48, 1},
};

uint16_t sdsim_upcase(uint16_t unit)
{
    for (size_t i = 0; i < sizeof lower_ranges / sizeof lower_ranges[0]; i++) {
        if (unit < lower_ranges[i].first) {
            break;
        }
        if (unit <= lower_ranges[i].last &&
            (unit - lower_ranges[i].first) % lower_ranges[i].step == 0) {
            return (uint16_t)(unit - lower_ranges[i].down);
        }
    }
    return unit == 0x00FF ? 0x0178 : unit;
}

uint8_t sdsim_name_sum(const uint8_t short_name[11])
{
    uint8_t sum = 0;
    for (uint32_t i = 0; i < 11; i++) {
        sum = (uint8_t)((sum >> 1 | sum << 7) + short_name[i]);
    }
    return sum;
}

static uint16_t rotate_add(uint32_t sum, uint8_t byte)
{
    return (uint16_t)((sum >> 1 | sum << 15) + byte);
}

uint16_t sdsim_name_hash(const uint16_t *name)
{
    uint16_t sum = 0;
    for (; *name != 0; name++) {
        const uint16_t unit = sdsim_upcase(*name);
        sum = rotate_add(sum, (uint8_t)unit);
        sum = rotate_add(sum, (uint8_t)(unit >> 8));
    }
    return sum;
}

static size_t encode(uint32_t point, char *out)
{
    if (point < 0x80) {
        out[0] = (char)point;
        return 1;
    }
    const size_t length = point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    for (size_t i = length - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (point & 0x3F));
        point >>= 6;
    }
    out[0] = (char)((0xF00 >> length & 0xFF) | point);
    return length;
}

void sdsim_name_print(const uint16_t *name, char *out, size_t size)
{
    size_t used = 0;
    while (*name != 0) {
        uint32_t point = *name++;
        if (point >= 0xD800 && point < 0xDC00 && *name >= 0xDC00 && *name < 0xE000) {
            point = ((point - 0xD7C0) << 10) + (*name++ - 0xDC00u);
        } else if (point >= 0xD800 && point < 0xE000) {
            point = 0xFFFD;
        }
        char bytes[4];
        const size_t length = encode(point, bytes);
        if (used + length >= size) {
            break;
        }
        memcpy(out + used, bytes, length);
        used += length;
    }
    if (size > 0) {
        out[used] = '\0';
    }
}
