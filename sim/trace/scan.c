#include "trace/scan.h"

#include <string.h>

uint64_t sdsim_unwrap32(struct sdsim_unwrap *unwrap, uint32_t value)
{
    if (!unwrap->started) {
        unwrap->started = true;
        unwrap->now = value;
        return value;
    }
    const int32_t step = (int32_t)(value - (uint32_t)unwrap->now);
    const uint64_t back = step < 0 ? (uint64_t) - (int64_t)step : 0;
    unwrap->now = step >= 0            ? unwrap->now + (uint64_t)step
                  : unwrap->now > back ? unwrap->now - back
                                       : 0;
    return unwrap->now;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static int hex_digit(char c)
{
    return is_digit(c)            ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

const char *sdsim_scan_hex(const char *text, uint64_t *value)
{
    const char *p = text;
    uint64_t number = 0;
    for (; hex_digit(*p) >= 0; p++) {
        if (number >> 60 != 0) {
            return NULL;
        }
        number = number << 4 | (uint64_t)hex_digit(*p);
    }
    *value = number;
    return p > text ? p : NULL;
}

const char *sdsim_scan_number(const char *text, uint64_t *value)
{
    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
        return sdsim_scan_hex(text + 2, value);
    }
    const char *p = text;
    uint64_t number = 0;
    for (; is_digit(*p); p++) {
        const unsigned digit = (unsigned)(*p - '0');
        if (number > (UINT64_MAX - digit) / 10) {
            return NULL;
        }
        number = number * 10 + digit;
    }
    *value = number;
    return p > text ? p : NULL;
}

const char *sdsim_scan_decimal(const char *text, sdsim_ps unit, sdsim_ps *time)
{
    uint64_t whole;
    const char *p = is_digit(*text) ? sdsim_scan_number(text, &whole) : NULL;
    if (p == NULL || *p == 'x' || __builtin_mul_overflow(whole, unit, &whole)) {
        return NULL;
    }
    if (*p == '.' && is_digit(p[1])) {
        for (p++; is_digit(*p); p++) {
            unit /= 10;
            if (__builtin_add_overflow(whole, (uint64_t)(*p - '0') * unit, &whole)) {
                return NULL;
            }
        }
    }
    *time = whole;
    return p;
}

const char *sdsim_scan_time(const char *text, sdsim_ps *time)
{
    static const struct {
        const char *name;
        sdsim_ps unit;
    } units[] = {
        {"us", SDSIM_US},        {"ms", SDSIM_MS},   {"ns", SDSIM_NS},     {"ps", 1},
        {"s", SDSIM_S},          {"sec", SDSIM_S},   {"seconds", SDSIM_S}, {"usec", SDSIM_US},
        {"\xC2\xB5s", SDSIM_US}, {"msec", SDSIM_MS},
    };
    const char *p = text;
    while (is_digit(*p) || *p == '.') {
        p++;
    }
    p += strspn(p, " ");
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        const size_t length = strlen(units[i].name);
        if (strncmp(p, units[i].name, length) == 0 && !is_word(p[length])) {
            return sdsim_scan_decimal(text, units[i].unit, time) != NULL ? p + length : NULL;
        }
    }
    return NULL;
}

const char *sdsim_scan_word(const char *text, const char *word)
{
    const size_t length = strlen(word);
    for (const char *p = strstr(text, word); p != NULL; p = strstr(p + 1, word)) {
        if ((p == text || !is_word(p[-1])) && !is_word(p[length])) {
            return p;
        }
    }
    return NULL;
}

const char *sdsim_scan_key(const char *text, const char *key)
{
    const char *p = sdsim_scan_word(text, key);
    if (p == NULL) {
        return NULL;
    }
    p += strlen(key);
    const size_t gap = strspn(p, " =:\t");
    return gap > 0 ? p + gap : NULL;
}

bool sdsim_scan_key_number(const char *text, const char *key, uint64_t *value)
{
    const char *p = sdsim_scan_key(text, key);
    return p != NULL && sdsim_scan_number(p, value) != NULL;
}

/* The first number with a unit in which calls are timed; seconds are not one of them: "8 s" may be
 * anything. */
static bool scan_short_time(const char *text, sdsim_ps *time)
{
    const char *p = text;
    while (*p != '\0') {
        const bool begins = is_digit(*p) && (p == text || (!is_word(p[-1]) && p[-1] != '.'));
        const size_t number = begins ? strspn(p, "0123456789.") : 0;
        const char *unit = p + number + strspn(p + number, " ");
        if (begins && *unit != '\0' && strchr("num\xC2", *unit) != NULL &&
            sdsim_scan_time(p, time) != NULL) {
            return true;
        }
        p += begins ? number : 1;
    }
    return false;
}

bool sdsim_scan_duration(const char *text, sdsim_ps *duration)
{
    static const char *const words[] = {"took", "in", "time", "dt", "elapsed", "dur", "duration"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const char *p = sdsim_scan_key(text, words[i]);
        if (p != NULL && sdsim_scan_time(p, duration) != NULL) {
            return true;
        }
    }
    return scan_short_time(text, duration);
}

/* ---- time stamps ---- */

/* "hh:mm:ss.ffffff", also with Zephyr's comma behind the milliseconds; the end, or NULL. */
static const char *scan_clock(const char *text, sdsim_ps *time)
{
    uint64_t part[2];
    const char *p = text;
    for (int i = 0; i < 2; i++) {
        p = is_digit(*p) ? sdsim_scan_number(p, &part[i]) : NULL;
        if (p == NULL || *p != ':' || part[i] > 10000) {
            return NULL;
        }
        p++;
    }
    sdsim_ps seconds;
    p = sdsim_scan_decimal(p, SDSIM_S, &seconds);
    if (p == NULL) {
        return NULL;
    }
    if (*p == ',' && is_digit(p[1])) {
        sdsim_ps unit = SDSIM_MS;
        for (p++; is_digit(*p); p++) {
            unit /= 10;
            seconds += (sdsim_ps)(*p - '0') * unit;
        }
    }
    *time = sdsim_time_sum(seconds, (part[0] * 60 + part[1]) * 60 * SDSIM_S);
    return p;
}

/* "(12345)" milliseconds or "(00:00:12.345)" behind a letter, as ESP-IDF prints it. */
static bool scan_idf(const char *line, sdsim_ps *time)
{
    const char *p = line;
    if (*p == '\x1B') { /* colours */
        p += strcspn(p, "m");
        p += *p == 'm';
    }
    if (strchr("EWIDV", *p) == NULL || *p == '\0' || p[1] != ' ' || p[2] != '(') {
        return false;
    }
    const char *end = scan_clock(p + 3, time);
    if (end == NULL) {
        end = sdsim_scan_decimal(p + 3, SDSIM_MS, time);
    }
    return end != NULL && *end == ')';
}

/* " 12.345678: " anywhere, as in ftrace and perf script. */
static bool scan_ftrace(const char *line, sdsim_ps *time)
{
    for (const char *p = strstr(line, ": "); p != NULL; p = strstr(p + 1, ": ")) {
        const char *start = p;
        bool point = false;
        while (start > line && (is_digit(start[-1]) || (start[-1] == '.' && !point))) {
            start--;
            point = point || *start == '.';
        }
        if (point && start < p && (start == line || start[-1] == ' ') &&
            sdsim_scan_decimal(start, SDSIM_S, time) == p) {
            return true;
        }
    }
    return false;
}

bool sdsim_scan_stamp(const char *line, struct sdsim_unwrap *unwrap, sdsim_ps *time)
{
    const char *p = line + strspn(line, " \t");
    const char *end;
    if (*p == '[') {
        p += 1 + strspn(p + 1, " ");
        end = scan_clock(p, time);
        if (end == NULL) {
            end = sdsim_scan_time(p, time);
        }
        if (end == NULL) {
            const bool whole = p[strspn(p, "0123456789")] != '.';
            end = sdsim_scan_decimal(p, whole ? SDSIM_MS : SDSIM_S, time);
        }
        return end != NULL && *end == ']';
    }
    if (*p == '@' && sdsim_scan_time(p + 1, time) != NULL) {
        return true;
    }
    if (scan_idf(p, time) || sdsim_scan_time(p, time) != NULL || scan_clock(p, time) != NULL) {
        return true;
    }
    uint64_t number;
    end = is_digit(*p) && p[1] != 'x' ? sdsim_scan_number(p, &number) : NULL;
    if (end != NULL && strchr(" \t:,;", *end) != NULL && *end != '\0' && number <= UINT32_MAX) {
        *time = sdsim_unwrap32(unwrap, (uint32_t)number) * SDSIM_US;
        return true;
    }
    end = is_digit(*p) ? sdsim_scan_decimal(p, SDSIM_S, time) : NULL;
    if (end != NULL && strchr(p, '.') != NULL && strchr(p, '.') < end && strchr(" \t:,;", *end)) {
        return true;
    }
    return scan_ftrace(line, time);
}
