#include "trace/numbers.h"

#include "core/units.h"

const char *sdsim_trace_long_number(const char *p, uint64_t *value)
{
    const char *start = p;
    uint64_t number = 0;
    for (; *p >= '0' && *p <= '9'; p++) {
        const unsigned digit = (unsigned)(*p - '0');
        if (number > (UINT64_MAX - digit) / 10) {
            return NULL;
        }
        number = number * 10 + digit;
    }
    *value = number;
    return p > start ? p : NULL;
}

static const char *parse_by_units(const char *p, sdsim_ps *time)
{
    char text[40];
    size_t length = 0;
    while (p[length] > ' ' && length < sizeof text - 1) {
        text[length] = p[length];
        length++;
    }
    text[length] = '\0';
    return sdsim_unit_parse(SDSIM_UNIT_TIME, text, time) == SDSIM_UNIT_OK ? p + length : NULL;
}

const char *sdsim_trace_any_time(const char *start, sdsim_ps *time)
{
    uint64_t whole;
    uint64_t fraction = 0;
    ptrdiff_t decimals = 0;
    const char *p = sdsim_trace_long_number(start, &whole);
    if (p != NULL && *p == '.') {
        const char *point = p;
        p = sdsim_trace_long_number(point + 1, &fraction);
        decimals = p != NULL ? p - point - 1 : 0;
    }
    if (p == NULL) {
        return NULL;
    }
    size_t length;
    const int power = sdsim_trace_unit(p, &length);
    if (power < 0 || decimals > power) {
        return parse_by_units(start, time);
    }
    uint64_t scale = 1; /* of a digit behind the last */
    for (ptrdiff_t i = decimals; i < power; i++) {
        scale *= 10;
    }
    fraction *= scale;
    for (ptrdiff_t i = 0; i < decimals; i++) {
        scale *= 10;
    }
    return __builtin_mul_overflow(whole, scale, &whole) ||
                   __builtin_add_overflow(whole, fraction, time)
               ? NULL
               : p + length;
}
