#include "config/value.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "config/closest.h"
#include "core/units.h"
#include "core/utf8.h"

struct sdsim_shown sdsim_shown(const char *text)
{
    struct sdsim_shown shown;
    size_t size = strlen(text);
    if (size < sizeof shown.text) {
        memcpy(shown.text, text, size + 1);
        return shown;
    }
    size = sizeof shown.text - 4;
    while (size > 0 && sdsim_utf8_is_continuation(text[size])) {
        size--;
    }
    memcpy(shown.text, text, size);
    memcpy(shown.text + size, "...", 4);
    return shown;
}

bool sdsim_value_unit(enum sdsim_value_type type, enum sdsim_unit *unit)
{
    static const enum sdsim_unit units[] = {
        [SDSIM_VALUE_TIME] = SDSIM_UNIT_TIME,
        [SDSIM_VALUE_FREQUENCY] = SDSIM_UNIT_FREQUENCY,
        [SDSIM_VALUE_SIZE] = SDSIM_UNIT_SIZE,
        [SDSIM_VALUE_RATE] = SDSIM_UNIT_RATE,
        [SDSIM_VALUE_PER_SECOND] = SDSIM_UNIT_PER_SECOND,
        [SDSIM_VALUE_PERCENT] = SDSIM_UNIT_PERCENT,
    };
    if (type > SDSIM_VALUE_PERCENT) {
        return false;
    }
    *unit = units[type];
    return true;
}

bool sdsim_value_is_number(enum sdsim_value_type type)
{
    return type <= SDSIM_VALUE_NUMBER;
}

__attribute__((format(printf, 3, 4))) static bool refuse(struct sdsim_complaint *complaint,
                                                         const char *help, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(complaint->text, sizeof complaint->text, format, arguments);
    va_end(arguments);
    snprintf(complaint->help, sizeof complaint->help, "%s", help);
    return false;
}

static void list_choices(const struct sdsim_choice *choices, char *out, size_t size)
{
    size_t used = (size_t)snprintf(out, size, "one of");
    for (const struct sdsim_choice *choice = choices; choice->name != NULL && used < size;
         choice++) {
        used += (size_t)snprintf(out + used, size - used, "%s %s", choice == choices ? "" : ",",
                                 choice->name);
    }
}

void sdsim_value_expected(const struct sdsim_key *key, char *out, size_t size)
{
    enum sdsim_unit unit;
    const char *text = "";
    if (sdsim_value_unit(key->type, &unit)) {
        text = sdsim_unit_expected(unit);
    } else if (key->type == SDSIM_VALUE_CHOICE) {
        list_choices(key->choices, out, size);
        return;
    } else if (key->type == SDSIM_VALUE_PROFILE) {
        snprintf(out, size, "the name of a %s, or a map", key->profile_kind);
        return;
    } else {
        static const char *const texts[] = {
            [SDSIM_VALUE_COUNT] = "a whole number",
            [SDSIM_VALUE_NUMBER] = "a number",
            [SDSIM_VALUE_BOOL] = "yes or no",
            [SDSIM_VALUE_TEXT] = "a text",
            [SDSIM_VALUE_MAP] = "a map",
            [SDSIM_VALUE_QUANTITY] =
                "a time, a data rate or a number per second with its unit (12ms, 1.37MB/s, 2581 "
                "lines/s)",
        };
        text = texts[key->type];
    }
    snprintf(out, size, "%s", text);
}

/* ------------------------------------------------------------------------------- limits --- */

void sdsim_value_print(const struct sdsim_key *key, uint64_t value, char *out, size_t size)
{
    enum sdsim_unit unit;
    if (!sdsim_value_unit(key->type, &unit)) {
        snprintf(out, size, "%llu", (unsigned long long)value);
        return;
    }
    sdsim_unit_print_exact(unit, value, out, size);
}

static bool in_limits(const struct sdsim_key *key, const struct sdsim_scalar *value)
{
    if (key->type == SDSIM_VALUE_NUMBER) {
        return (key->min == 0 && key->max == 0) ||
               (value->real >= (double)key->min &&
                (!sdsim_value_has_max(key) || value->real <= (double)key->max));
    }
    return value->whole >= key->min && (!sdsim_value_has_max(key) || value->whole <= key->max);
}

static bool refuse_limits(const struct sdsim_key *key, const char *text,
                          struct sdsim_complaint *complaint)
{
    char low[48];
    char high[48];
    sdsim_value_print(key, key->min, low, sizeof low);
    sdsim_value_print(key, key->max, high, sizeof high);
    if (!sdsim_value_has_max(key)) {
        return refuse(complaint, "", "'%s' is too small, the least is %s", sdsim_shown(text).text,
                      low);
    }
    return refuse(complaint, "", "'%s' is outside %s..%s", sdsim_shown(text).text, low, high);
}

/* ------------------------------------------------------------------------------- units --- */

/* Units people write in another way than we do, where the spelling is too far off to be guessed. */
static const char *const aliases[][2] = {
    {"\xc2\xb5s", "us"}, {"\xce\xbcs", "us"},   {"sec", "s"},   {"secs", "s"},
    {"second", "s"},     {"seconds", "s"},      {"msec", "ms"}, {"usec", "us"},
    {"nsec", "ns"},      {"minutes", "min"},    {"hours", "h"}, {"hour", "h"},
    {"bytes", "B"},      {"byte", "B"},         {"k", "KiB"},   {"M", "MiB"},
    {"G", "GiB"},        {"blocks", "sectors"},
};

static bool has_unit(enum sdsim_unit unit, const char *name)
{
    for (size_t i = 0; sdsim_unit_name(unit, i) != NULL; i++) {
        if (strcmp(sdsim_unit_name(unit, i), name) == 0) {
            return true;
        }
    }
    return false;
}

/* The unit of this kind that `text` may have meant, or NULL. */
static const char *near_unit(enum sdsim_unit unit, const char *text)
{
    while (*text == ' ') {
        text++;
    }
    for (size_t i = 0; i < sizeof aliases / sizeof aliases[0]; i++) {
        if (sdsim_edit_distance(text, aliases[i][0]) == 0 && has_unit(unit, aliases[i][1])) {
            return aliases[i][1];
        }
    }
    const char *nearest = NULL;
    size_t least = strlen(text) > 1 ? 2 : 1;
    for (size_t i = 0; sdsim_unit_name(unit, i) != NULL; i++) {
        const size_t distance = sdsim_edit_distance(text, sdsim_unit_name(unit, i));
        if (distance < least) {
            least = distance;
            nearest = sdsim_unit_name(unit, i);
        }
    }
    return nearest;
}

/* Two of the common units, as "did you mean 250ms or 250us?", those preferred that are in limits.
 */
static void suggest_units(const struct sdsim_key *key, enum sdsim_unit unit, const char *number,
                          char *help, size_t size)
{
    static const char *const common[][5] = {
        [SDSIM_UNIT_TIME] = {"ms", "us", "s", "ns"},
        [SDSIM_UNIT_FREQUENCY] = {"MHz", "kHz", "Hz"},
        [SDSIM_UNIT_SIZE] = {"KiB", "B", "MiB", "GiB"},
        [SDSIM_UNIT_RATE] = {"MB/s", "kB/s", "KiB/s"},
        [SDSIM_UNIT_PER_SECOND] = {"/s"},
        [SDSIM_UNIT_PERCENT] = {"%"},
    };
    size_t used = 0;
    unsigned count = 0;
    for (const char *const *name = common[unit]; *name != NULL && count < 2; name++) {
        char text[64];
        struct sdsim_scalar value = {0};
        snprintf(text, sizeof text, "%s%s", number, *name);
        if (sdsim_unit_parse(unit, text, &value.whole) == SDSIM_UNIT_OK && in_limits(key, &value) &&
            used < size) {
            used += (size_t)snprintf(help + used, size - used, "%s%s",
                                     count == 0 ? "did you mean " : " or ", text);
            count++;
        }
    }
    if (count > 0 && used + 1 < size) {
        help[used] = '?';
        help[used + 1] = '\0';
    }
}

static void suggest_unit(enum sdsim_unit unit, const char *text, char *help, size_t size)
{
    const char *written = text + sdsim_unit_number_length(text);
    const char *nearest = near_unit(unit, written);
    if (*written == ',') {
        snprintf(help, size, "write decimals with a point");
    } else if (*written == '.') {
        snprintf(help, size, "digits must follow the point");
    } else if (nearest != NULL) {
        snprintf(help, size, "did you mean '%s'?", nearest);
    }
}

/* A number that does not fit into base units. */
static bool refuse_size(enum sdsim_unit unit, uint64_t most, const char *text,
                        struct sdsim_complaint *complaint)
{
    char limit[64];
    return refuse(complaint, "", "'%s' is too large: it takes %s", sdsim_shown(text).text,
                  sdsim_unit_at_most(unit, most, limit, sizeof limit));
}

/* Turns an error of core/units.h into words. */
static bool refuse_unit(const struct sdsim_key *key, enum sdsim_unit unit, const char *text,
                        enum sdsim_unit_error error, struct sdsim_complaint *complaint)
{
    char help[200] = "";
    if (error == SDSIM_UNIT_TOO_LARGE) {
        return refuse_size(unit, sdsim_value_has_max(key) ? key->max : UINT64_MAX, text, complaint);
    }
    if (error == SDSIM_UNIT_INEXACT) {
        return refuse(complaint, "", "'%s' is no whole number of %s", sdsim_shown(text).text,
                      unit == SDSIM_UNIT_PERCENT ? "10^-9" : sdsim_unit_name(unit, 0));
    }
    if (error == SDSIM_UNIT_MISSING) {
        suggest_units(key, unit, text, help, sizeof help);
    } else if (error == SDSIM_UNIT_UNKNOWN) {
        suggest_unit(unit, text, help, sizeof help);
    }
    if (text[0] == '\0') {
        return refuse(complaint, "", "expected %s, got nothing", sdsim_unit_expected(unit));
    }
    return refuse(complaint, help, "expected %s, got '%s'", sdsim_unit_expected(unit),
                  sdsim_shown(text).text);
}

/* ------------------------------------------------------------------------------- values --- */

static bool refuse_type(const struct sdsim_key *key, const char *text, const char *help,
                        struct sdsim_complaint *complaint)
{
    char expected[300];
    sdsim_value_expected(key, expected, sizeof expected);
    if (text[0] == '\0') {
        return refuse(complaint, help, "expected %s, got nothing", expected);
    }
    return refuse(complaint, help, "expected %s, got '%s'", expected, sdsim_shown(text).text);
}

static bool parse_count(const struct sdsim_key *key, const char *text, struct sdsim_scalar *value,
                        struct sdsim_complaint *complaint)
{
    uint64_t whole = 0;
    const char *digit = text;
    bool fits = true;
    for (; *digit >= '0' && *digit <= '9'; digit++) {
        fits = fits && !__builtin_mul_overflow(whole, 10, &whole) &&
               !__builtin_add_overflow(whole, (uint64_t)(*digit - '0'), &whole);
    }
    if (*digit != '\0' || digit == text) {
        return refuse_type(key, text, "", complaint);
    }
    if (!fits) {
        return refuse(complaint, "", "'%s' is too large: it takes at most %llu",
                      sdsim_shown(text).text,
                      sdsim_value_has_max(key) ? (unsigned long long)key->max
                                               : (unsigned long long)UINT64_MAX);
    }
    value->whole = whole;
    return true;
}

static bool parse_number(const struct sdsim_key *key, const char *text, struct sdsim_scalar *value,
                         struct sdsim_complaint *complaint)
{
    const enum sdsim_unit_error error = sdsim_number_parse(text, &value->real);
    if (error == SDSIM_UNIT_TOO_LARGE || error == SDSIM_UNIT_INEXACT) {
        return refuse(complaint, "", "'%s' has too many digits", sdsim_shown(text).text);
    }
    return error == SDSIM_UNIT_OK || refuse_type(key, text, "", complaint);
}

static bool parse_bool(const struct sdsim_key *key, const char *text, struct sdsim_scalar *value,
                       struct sdsim_complaint *complaint)
{
    static const char *const words[] = {"no", "false", "off", "yes", "true", "on"};
    for (size_t i = 0; i < 6; i++) {
        if (strcmp(text, words[i]) == 0) {
            value->flag = i >= 3;
            return true;
        }
    }
    return refuse_type(key, text, "", complaint);
}

static bool parse_choice(const struct sdsim_key *key, const char *text, struct sdsim_scalar *value,
                         struct sdsim_complaint *complaint)
{
    const char *names[64];
    size_t count = 0;
    for (const struct sdsim_choice *choice = key->choices; choice->name != NULL; choice++) {
        if (strcmp(choice->name, text) == 0) {
            value->choice = choice->value;
            return true;
        }
        if (count < sizeof names / sizeof names[0]) {
            names[count++] = choice->name;
        }
    }
    char help[100] = "";
    const char *closest = sdsim_closest(text, names, count);
    if (closest != NULL) {
        snprintf(help, sizeof help, "did you mean '%s'?", closest);
    }
    return refuse_type(key, text, help, complaint);
}

/* Splits "low..high" (or "value": then both are the same) and lends the low end the unit of the
 * high end if it has none. False if an end is too long for any number. */
static bool split_range(const char *text, char *low, char *high, size_t size)
{
    const char *dots = strstr(text, "..");
    const size_t low_size = dots != NULL ? (size_t)(dots - text) : strlen(text);
    const char *rest = dots != NULL ? dots + 2 : text;
    if (low_size + strlen(rest) >= size) {
        return false;
    }
    memcpy(low, text, low_size);
    low[low_size] = '\0';
    snprintf(high, size, "%s", rest);
    if (low_size > 0 && sdsim_unit_number_length(low) == low_size) {
        snprintf(low + low_size, size - low_size, "%s", high + sdsim_unit_number_length(high));
    }
    return true;
}

static bool parse_quantity(const struct sdsim_key *key, const char *text,
                           struct sdsim_scalar *value, struct sdsim_complaint *complaint)
{
    static const enum sdsim_unit units[] = {SDSIM_UNIT_TIME, SDSIM_UNIT_RATE,
                                            SDSIM_UNIT_PER_SECOND};
    char low[100];
    char high[100];
    struct sdsim_quantity *quantity = &value->quantity;
    const char *nearest = NULL;
    if (!split_range(text, low, high, sizeof low)) {
        return refuse_type(key, text, "", complaint);
    }
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (sdsim_unit_parse_real(units[i], low, &quantity->low) == SDSIM_UNIT_OK &&
            sdsim_unit_parse_real(units[i], high, &quantity->high) == SDSIM_UNIT_OK) {
            const double divisor = units[i] == SDSIM_UNIT_TIME ? 1e12 : 1.0;
            quantity->unit = (int)units[i];
            quantity->low /= divisor;
            quantity->high /= divisor;
            quantity->given = true;
            return quantity->low <= quantity->high ||
                   refuse(complaint, "write the smaller end first", "the range '%s' is upside down",
                          sdsim_shown(text).text);
        }
        if (sdsim_unit_is_too_large(units[i], low) || sdsim_unit_is_too_large(units[i], high)) {
            return refuse_size(units[i], UINT64_MAX, text, complaint);
        }
        const char *unit_text = high + sdsim_unit_number_length(high);
        if (nearest == NULL && unit_text > high && *unit_text != '\0') {
            nearest = near_unit(units[i], unit_text);
        }
    }
    char help[60] = "";
    if (nearest != NULL && strcmp(nearest, high + sdsim_unit_number_length(high)) != 0) {
        snprintf(help, sizeof help, "did you mean '%s'?", nearest);
    }
    return refuse_type(key, text, help, complaint);
}

bool sdsim_value_parse(const struct sdsim_key *key, const char *text, struct sdsim_scalar *value,
                       struct sdsim_complaint *complaint)
{
    enum sdsim_unit unit;
    *value = (struct sdsim_scalar){0};
    bool fine = false;
    if (sdsim_value_unit(key->type, &unit)) {
        const enum sdsim_unit_error error = sdsim_unit_parse(unit, text, &value->whole);
        fine = error == SDSIM_UNIT_OK || refuse_unit(key, unit, text, error, complaint);
    } else if (key->type == SDSIM_VALUE_COUNT) {
        fine = parse_count(key, text, value, complaint);
    } else if (key->type == SDSIM_VALUE_NUMBER) {
        fine = parse_number(key, text, value, complaint);
    } else if (key->type == SDSIM_VALUE_BOOL) {
        return parse_bool(key, text, value, complaint);
    } else if (key->type == SDSIM_VALUE_CHOICE) {
        return parse_choice(key, text, value, complaint);
    } else {
        return parse_quantity(key, text, value, complaint);
    }
    return fine && (in_limits(key, value) || refuse_limits(key, text, complaint));
}

/* ------------------------------------------------------------------------------- ranges --- */

/* The value as a double, for whole and real types alike. */
static double as_double(const struct sdsim_key *key, const struct sdsim_scalar *value)
{
    return key->type == SDSIM_VALUE_NUMBER ? value->real : (double)value->whole;
}

static bool in_order(const struct sdsim_key *key, const struct sdsim_scalar *a,
                     const struct sdsim_scalar *b)
{
    return key->type == SDSIM_VALUE_NUMBER ? a->real <= b->real : a->whole <= b->whole;
}

bool sdsim_value_within(const struct sdsim_key *key, const struct sdsim_scalar *value,
                        const struct sdsim_scalar *low, const struct sdsim_scalar *high)
{
    return in_order(key, low, value) && in_order(key, value, high);
}

bool sdsim_value_parse_range(const struct sdsim_key *key, const char *text,
                             struct sdsim_scalar *low, struct sdsim_scalar *high,
                             struct sdsim_complaint *complaint)
{
    char low_text[100];
    char high_text[100];
    if (strstr(text, "..") == NULL || !split_range(text, low_text, high_text, sizeof low_text)) {
        static const char help[] = "write it as low..high, the 5 % and the 95 % end";
        return text[0] == '\0'
                   ? refuse(complaint, help, "expected a range, got nothing")
                   : refuse(complaint, help, "expected a range, got '%s'", sdsim_shown(text).text);
    }
    if (!sdsim_value_parse(key, low_text, low, complaint) ||
        !sdsim_value_parse(key, high_text, high, complaint)) {
        return false;
    }
    return in_order(key, low, high) ||
           refuse(complaint, "write the smaller end first", "the range '%s' is upside down",
                  sdsim_shown(text).text);
}

/* Rounds a drawn value into the key's limits and its C type. */
static uint64_t to_whole(const struct sdsim_key *key, double value)
{
    const uint64_t most = sdsim_value_has_max(key) ? key->max : UINT64_MAX;
    if (value <= (double)key->min) {
        return key->min;
    }
    if (value >= (double)most) { /* (double)UINT64_MAX is 2^64: below it the cast is defined */
        return most;
    }
    return (uint64_t)(value + 0.5);
}

struct sdsim_scalar sdsim_value_draw(const struct sdsim_key *key, const struct sdsim_scalar *value,
                                     const struct sdsim_scalar *low,
                                     const struct sdsim_scalar *high, double luck)
{
    const double middle = as_double(key, value);
    const double slope =
        luck < 0.5 ? (middle - as_double(key, low)) / 0.45 : (as_double(key, high) - middle) / 0.45;
    struct sdsim_scalar drawn = *value;
    if (slope <= 0.0) {
        return drawn; /* this half of the range has no width: exact beyond 2^53, too */
    }
    drawn.real = middle + (luck - 0.5) * slope;
    if (key->type != SDSIM_VALUE_NUMBER) {
        drawn.whole = to_whole(key, drawn.real);
    } else if (key->min != 0 || key->max != 0) {
        drawn.real = drawn.real < (double)key->min ? (double)key->min : drawn.real;
        drawn.real = sdsim_value_has_max(key) && drawn.real > (double)key->max ? (double)key->max
                                                                               : drawn.real;
    }
    return drawn;
}
