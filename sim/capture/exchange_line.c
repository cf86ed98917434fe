#include "capture/exchange_line.h"

#include <stdarg.h>
#include <string.h>
#include <strings.h>

#include "bus/frame.h"

void sdsim_exchange_fault(const struct sdsim_exchange_place *place, size_t column, size_t length,
                          const char *help, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const struct sdsim_place where = {.file = place->name,
                                      .line = place->line,
                                      .column = (uint32_t)column + 1,
                                      .length = (uint32_t)length};
    sdsim_diag_add(place->diags, SDSIM_ERROR, &where, place->text, place->size, help, "%s", text);
}

/* The entry of a side that is being read. */
struct entry {
    const struct sdsim_exchange_place *place;
    const char *text;
    size_t column;
    size_t length;
    struct sdsim_exchange_side *side;
};

static bool refuse(const struct entry *entry, const char *help, const char *what)
{
    sdsim_exchange_fault(entry->place, entry->column, entry->length, help, "'%.*s' %s",
                         (int)(entry->length < 40 ? entry->length : 40), entry->text, what);
    return false;
}

static bool add(const struct entry *entry, enum sdsim_exchange_run_kind kind, uint8_t value,
                uint32_t count)
{
    struct sdsim_exchange_side *side = entry->side;
    if (side->count == SDSIM_EXCHANGE_MOST_RUNS) {
        return refuse(entry, "break the line", "is one entry too many for a line");
    }
    side->runs[side->count++] = (struct sdsim_exchange_run){
        .kind = kind, .value = value, .count = count, .column = (uint32_t)entry->column};
    side->bytes += kind == SDSIM_EXCHANGE_STRETCH ? 0 : count;
    return true;
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                  : -1;
}

static bool hex_byte(const char *text, uint8_t *value)
{
    const int high = hex_digit(text[0]);
    const int low = high < 0 ? -1 : hex_digit(text[1]);
    *value = (uint8_t)(high * 16 + low);
    return low >= 0;
}

/* A decimal number of 1 to the most a run may have, up to `end`. */
static bool read_count(const char *text, const char *end, uint32_t *count)
{
    uint32_t n = 0;
    if (text == end) {
        return false;
    }
    for (; text < end; text++) {
        if (*text < '0' || *text > '9') {
            return false;
        }
        n = n * 10 + (uint32_t)(*text - '0');
        if (n > SDSIM_EXCHANGE_MOST_BYTES) {
            return false;
        }
    }
    *count = n;
    return n > 0;
}

static const char count_help[] = "a number from 1 to 10000000";

/* The argument that everybody gives a command. */
static uint32_t usual_argument(uint8_t index)
{
    static const struct {
        uint8_t index;
        uint32_t argument;
    } usual[] = {{8, 0x1AA}, {16, 512}, {41, 0x40000000}, {59, 1}};
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        if (usual[i].index == index) {
            return usual[i].argument;
        }
    }
    return 0;
}

/* The frame of a command, complete. */
static bool add_frame(const struct entry *entry, uint8_t index, uint32_t argument)
{
    const struct sdsim_frame frame = {.index = index, .argument = argument};
    uint8_t bytes[SDSIM_FRAME_SIZE];
    sdsim_frame_command(&frame, bytes);
    for (unsigned i = 0; i < SDSIM_FRAME_SIZE; i++) {
        if (!add(entry, SDSIM_EXCHANGE_BYTES, bytes[i], 1)) {
            return false;
        }
    }
    return true;
}

static bool add_stretch(const struct entry *entry, uint8_t value, bool host)
{
    if (host && (value & 0xC0) == 0x40) {
        return add_frame(entry, value & 63, usual_argument(value & 63));
    }
    if (entry->side->stretches) {
        return refuse(entry, "write how many bytes it has: FF*20",
                      "is the second run of unknown length on this side");
    }
    entry->side->stretches = true;
    return add(entry, SDSIM_EXCHANGE_STRETCH, value, 1);
}

/* <512 data>, <64>, <crc16>. */
static bool add_placeholder(const struct entry *entry)
{
    static const char help[] = "<512 data>, <64> or <crc16>";
    const char *end = entry->text + entry->length - 1;
    const char *word = entry->text + 1;
    if (entry->length < 3 || *end != '>') {
        return refuse(entry, help, "is no placeholder");
    }
    if (end - word == 5 && memcmp(word, "crc16", 5) == 0) {
        return add(entry, SDSIM_EXCHANGE_CRC, 0, 2);
    }
    const char *number_end = word;
    while (number_end < end && *number_end != ' ') {
        number_end++;
    }
    uint32_t count;
    if (!read_count(word, number_end, &count)) {
        return refuse(entry, help, "is no placeholder");
    }
    return add(entry, SDSIM_EXCHANGE_BYTES, 0, count);
}

static bool has_0x(const char *text, size_t length)
{
    return length > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
}

/* XX, XX*n, XX.., XX/YY, all with or without 0x. */
static bool add_byte(const struct entry *entry, bool host)
{
    static const char help[] = "bytes are two hex digits: FF, FF*10, FF.. or 00/01; data is <512 "
                               "data>, its CRC <crc16>; a "
                               "line may begin with CMD8 or CMD8 0x1AA";
    const size_t prefix = has_0x(entry->text, entry->length) ? 2 : 0;
    const char *text = entry->text + prefix;
    const size_t length = entry->length - prefix;
    uint8_t value;
    uint8_t other;
    if (length < 2 || !hex_byte(text, &value)) {
        return refuse(entry, help, "is no byte");
    }
    if (length == 2) {
        return add(entry, SDSIM_EXCHANGE_BYTES, value, 1);
    }
    if (text[2] == '*') {
        uint32_t count;
        return read_count(text + 3, text + length, &count)
                   ? add(entry, SDSIM_EXCHANGE_BYTES, value, count)
                   : refuse(entry, count_help, "repeats a byte a strange number of times");
    }
    if (length == 4 && text[2] == '.' && text[3] == '.') {
        return add_stretch(entry, value, host);
    }
    if (length == 5 && text[2] == '/' && hex_byte(text + 3, &other)) {
        return add(entry, SDSIM_EXCHANGE_BYTES, value, 1);
    }
    return refuse(entry, help, "is no byte");
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == ',';
}

/* The number of a command that is named, CMD0 or ACMD41 in any case; -1: it is no name. */
static int named_command(const struct entry *entry)
{
    const char *text = entry->text;
    const char *end = text + entry->length;
    uint32_t number = 0;
    text += end > text && (*text == 'A' || *text == 'a');
    if (end - text < 4 || strncasecmp(text, "cmd", 3) != 0) {
        return -1;
    }
    const bool zero = end - text == 4 && text[3] == '0';
    return zero || read_count(text + 3, end, &number) ? (int)number : -1;
}

/* The argument behind a named command, 0x and up to eight digits; the place behind it, `at` if there
 * is none. */
static size_t read_argument(const char *line, size_t at, size_t to, uint32_t *argument)
{
    size_t digit = at;
    while (digit < to && is_blank(line[digit])) {
        digit++;
    }
    if (!has_0x(line + digit, to - digit)) {
        return at;
    }
    uint32_t value = 0;
    const size_t first = digit += 2;
    while (digit < to && digit - first < 8 && hex_digit(line[digit]) >= 0) {
        value = value << 4 | (uint32_t)hex_digit(line[digit++]);
    }
    if (digit == first || (digit < to && !is_blank(line[digit]))) {
        return at;
    }
    *argument = value;
    return digit;
}

/* A command by its name, and its argument if one stands behind it; *at moves over that. */
static bool add_named(const struct entry *entry, int command, const char *line, size_t *at,
                      size_t to)
{
    if (command > 63) {
        return refuse(entry, "commands are CMD0 to CMD63", "is no command");
    }
    uint32_t argument = usual_argument((uint8_t)command);
    *at = read_argument(line, *at, to, &argument);
    return add_frame(entry, (uint8_t)command, argument);
}

bool sdsim_exchange_side_read(const struct sdsim_exchange_place *place, const char *line,
                              size_t from, size_t to, bool host, struct sdsim_exchange_side *side)
{
    side->given = true;
    side->nothing = false;
    side->stretches = false;
    side->bytes = 0;
    side->count = 0;
    size_t at = from;
    for (;;) {
        while (at < to && is_blank(line[at])) {
            at++;
        }
        if (at == to) {
            return true;
        }
        const size_t start = at;
        const bool placeholder = line[at] == '<';
        while (at < to && (placeholder ? line[at] != '>' : !is_blank(line[at]))) {
            at++;
        }
        at += placeholder && at < to;
        const struct entry entry = {place, line + start, start, at - start, side};
        const int command = host && side->count == 0 ? named_command(&entry) : -1;
        if (command >= 0) {
            if (!add_named(&entry, command, line, &at, to)) {
                return false;
            }
        } else if (!host && entry.length == 1 && line[start] == '-' && side->count == 0) {
            side->nothing = true;
        } else if (side->nothing) {
            return refuse(&entry, "'-' stands alone for no answer", "follows '-'");
        } else if (!(placeholder ? add_placeholder(&entry) : add_byte(&entry, host))) {
            return false;
        }
    }
}

bool sdsim_exchange_is_frame(const struct sdsim_exchange_side *side)
{
    if (side->count == 0 || (side->runs[0].value & 0xC0) != 0x40) {
        return false;
    }
    uint64_t at = 0;
    for (size_t i = 0; i < side->count; i++) {
        const struct sdsim_exchange_run *run = &side->runs[i];
        const bool behind = at + run->count > SDSIM_FRAME_SIZE;
        if ((behind && run->value != 0xFF) || run->kind == SDSIM_EXCHANGE_CRC ||
            (run->kind == SDSIM_EXCHANGE_STRETCH && at < SDSIM_FRAME_SIZE)) {
            return false;
        }
        at += run->count;
    }
    return at >= SDSIM_FRAME_SIZE;
}
