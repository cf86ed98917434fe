#include "capture/csv_time.h"

#include <ctype.h>

#define PS_PER_S INT64_C(1000000000000)

/* `count` digits as a number; false if there is something else. */
static bool digits_of(const char *text, size_t count, int64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < count; i++) {
        if (!isdigit((unsigned char)text[i])) {
            return false;
        }
        *value = *value * 10 + (text[i] - '0');
    }
    return true;
}

/* Days from 1970-01-01 in the Gregorian calendar. Years begin in March, so that the leap day is the
 * last of the year and months have a formula. */
static int64_t days_of(int64_t year, int64_t month, int64_t day)
{
    const int64_t y = month > 2 ? year : year - 1;
    const int64_t m = month > 2 ? month - 3 : month + 9;
    return y * 365 + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1 - 719468;
}

/* ".123456789": up to 12 digits count. Returns how many characters it takes. */
static size_t fraction(const char *text, size_t length, int64_t *ps)
{
    size_t at = 1;
    int64_t place = PS_PER_S;
    *ps = 0;
    for (; at < length && isdigit((unsigned char)text[at]); at++) {
        place /= 10;
        *ps += (text[at] - '0') * place;
    }
    return at;
}

/* What may stand behind an ISO time: nothing, Z, +hh:mm, -hh:mm, +hhmm. */
static bool zone(const char *text, size_t length, int64_t *seconds)
{
    int64_t hours;
    int64_t minutes;
    const size_t colon = length == 6 && text[3] == ':' ? 1 : 0;
    *seconds = 0;
    if (length == 0 || (length == 1 && text[0] == 'Z')) {
        return true;
    }
    if ((text[0] != '+' && text[0] != '-') || length != 5 + colon ||
        !digits_of(text + 1, 2, &hours) || !digits_of(text + 3 + colon, 2, &minutes)) {
        return false;
    }
    *seconds = (hours * 3600 + minutes * 60) * (text[0] == '-' ? -1 : 1);
    return true;
}

static bool iso(const char *text, size_t length, struct sdsim_csv_instant *instant)
{
    int64_t part[6];
    static const unsigned char place[6] = {0, 5, 8, 11, 14, 17};
    if (length < 19 || text[7] != '-' || (text[10] != 'T' && text[10] != ' ') || text[13] != ':' ||
        text[16] != ':') {
        return false;
    }
    for (unsigned i = 0; i < 6; i++) {
        if (!digits_of(text + place[i], i == 0 ? 4 : 2, &part[i])) {
            return false;
        }
    }
    if (part[1] < 1 || part[1] > 12 || part[2] < 1 || part[2] > 31 || part[3] > 24 ||
        part[4] > 59 || part[5] > 60) {
        return false;
    }
    size_t at = 19;
    instant->ps = 0;
    if (at < length && (text[at] == '.' || text[at] == ',')) {
        at += fraction(text + at, length - at, &instant->ps);
    }
    int64_t offset;
    if (!zone(text + at, length - at, &offset)) {
        return false;
    }
    instant->seconds = days_of(part[0], part[1], part[2]) * 86400 + part[3] * 3600 + part[4] * 60 +
                       part[5] - offset;
    return true;
}

/* The number without its point, and the power of ten that goes with it. */
struct decimal {
    uint64_t digits;
    int power;
    bool negative;
};

static bool decimal(const char *text, size_t length, struct decimal *out)
{
    size_t at = 0;
    bool any = false;
    bool point = false;
    *out = (struct decimal){0};
    if (at < length && (text[at] == '-' || text[at] == '+')) {
        out->negative = text[at++] == '-';
    }
    for (; at < length; at++) {
        if (text[at] == '.' && !point) {
            point = true;
        } else if (isdigit((unsigned char)text[at])) {
            any = true;
            if (out->digits < UINT64_C(100000000000000000)) {
                out->digits = out->digits * 10 + (uint64_t)(text[at] - '0');
                out->power -= point;
            } else {
                out->power += !point;
            }
        } else {
            break;
        }
        if (out->power > 100 || out->power < -100) {
            return false;
        }
    }
    if (any && at < length && (text[at] == 'e' || text[at] == 'E')) {
        const bool sign = at + 1 < length && (text[at + 1] == '-' || text[at + 1] == '+');
        const size_t from = at + 1 + sign;
        int64_t exponent;
        if (from >= length || length - from > 3 ||
            !digits_of(text + from, length - from, &exponent)) {
            return false;
        }
        out->power += (int)(sign && text[at + 1] == '-' ? -exponent : exponent);
        at = length;
    }
    return any && at == length;
}

bool sdsim_csv_instant(const char *text, size_t length, unsigned digits,
                       struct sdsim_csv_instant *instant)
{
    if (length > 4 && text[4] == '-' && iso(text, length, instant)) {
        return true;
    }
    struct decimal number;
    if (!decimal(text, length, &number)) {
        return false;
    }
    int power = number.power + 12 - (int)digits;
    uint64_t ps = number.digits;
    for (; power < 0 && ps > 0; power++) {
        ps /= 10;
    }
    for (; power > 0 && ps > 0; power--) {
        if (__builtin_mul_overflow(ps, UINT64_C(10), &ps)) {
            return false;
        }
    }
    instant->seconds = (int64_t)(ps / (uint64_t)PS_PER_S);
    instant->ps = (int64_t)(ps % (uint64_t)PS_PER_S);
    if (number.negative) {
        instant->seconds = -instant->seconds - (instant->ps > 0);
        instant->ps = instant->ps > 0 ? PS_PER_S - instant->ps : 0;
    }
    return true;
}

bool sdsim_csv_since(const struct sdsim_csv_instant *late, const struct sdsim_csv_instant *early,
                     sdsim_ps *span)
{
    int64_t seconds = late->seconds - early->seconds;
    int64_t ps = late->ps - early->ps;
    if (ps < 0) {
        seconds--;
        ps += PS_PER_S;
    }
    if (seconds < 0 || seconds > 9000000) {
        return false;
    }
    *span = (sdsim_ps)seconds * (sdsim_ps)PS_PER_S + (sdsim_ps)ps;
    return true;
}
