#include "core/units.h"

#include <stdio.h>
#include <string.h>

#define MOST_DECIMALS 19 /* 10^19 is the largest power of ten in 64 bits */
#define MOST_NAMES    12

struct name {
    const char *text;
    uint64_t scale; /* in base units */
};

struct family {
    const char *expected;
    bool bare_zero;   /* "0" needs no unit */
    unsigned digits;  /* significant digits when printed */
    const char *zero; /* how nothing is printed */
    struct name names[MOST_NAMES + 1];
    const char *printed[10]; /* units used for printing, largest first, ends with NULL */
};

#define KI  ((uint64_t)1 << 10)
#define MI  ((uint64_t)1 << 20)
#define GI  ((uint64_t)1 << 30)
#define TI  ((uint64_t)1 << 40)
#define E3  ((uint64_t)1000)
#define E6  ((uint64_t)1000000)
#define E9  ((uint64_t)1000000000)
#define E12 ((uint64_t)1000000000000)

static const struct family families[] =
    {
        [SDSIM_UNIT_TIME] =
            {
                .expected = "a time with a unit (ps, ns, us, ms, s, min, h)",
                .bare_zero = true,
                .digits = 4,
                .zero = "0s",
                .names = {{"ps", 1},
                          {"ns", E3},
                          {"us", E6},
                          {"ms", E9},
                          {"s", E12},
                          {"min", 60 * E12},
                          {"h", 3600 * E12}},
                .printed = {"s", "ms", "us", "ns", "ps"},
            },
        [SDSIM_UNIT_FREQUENCY] =
            {
                .expected = "a frequency with a unit (Hz, kHz, MHz, GHz)",
                .digits = 5,
                .zero = "0Hz",
                .names = {{"Hz", 1}, {"kHz", E3}, {"KHz", E3}, {"MHz", E6}, {"GHz", E9}},
                .printed = {"GHz", "MHz", "kHz", "Hz"},
            },
        [SDSIM_UNIT_SIZE] =
            {
                .expected = "a size with a unit (B, kB, MB, GB, TB, KiB, MiB, GiB, TiB, sectors)",
                .bare_zero = true,
                .digits = 4,
                .zero = "0B",
                .names = {{"B", 1},
                          {"kB", E3},
                          {"KB", E3},
                          {"MB", E6},
                          {"GB", E9},
                          {"TB", E12},
                          {"KiB", KI},
                          {"MiB", MI},
                          {"GiB", GI},
                          {"TiB", TI},
                          {"sectors", 512},
                          {"sector", 512}},
                .printed = {"TiB", "GiB", "MiB", "KiB", "TB", "GB", "MB", "kB", "B"},
            },
        [SDSIM_UNIT_RATE] =
            {
                .expected = "a data rate with a unit (B/s, kB/s, MB/s, KiB/s, MiB/s)",
                .digits = 4,
                .zero = "0B/s",
                .names = {{"B/s", 1},
                          {"kB/s", E3},
                          {"KB/s", E3},
                          {"MB/s", E6},
                          {"KiB/s", KI},
                          {"MiB/s", MI}},
                .printed = {"MB/s", "kB/s", "B/s"},
            },
        [SDSIM_UNIT_PER_SECOND] =
            {
                .expected = "a number per second (/s, ops/s, lines/s)",
                .digits = 4,
                .zero = "0/s",
                .names = {{"/s", 1}, {"ops/s", 1}, {"lines/s", 1}},
                .printed = {"/s"},
            },
        [SDSIM_UNIT_PERCENT] =
            {
                .expected = "a percentage (%)",
                .digits = 4,
                .zero = "0%",
                .names = {{"%", 10 * E6}},
                .printed = {"%"},
            },
};

/* A number as written: digits / 10^decimals, in front of the unit's name. */
struct written {
    uint64_t digits;
    unsigned decimals;
    const char *unit;
    enum sdsim_unit_error error; /* too many digits */
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/*
 * Takes the decimals behind the point. Zeros at the end say nothing and are left out, so that they
 * don't count as digits.
 */
static const char *read_decimals(const char *text, struct written *number)
{
    const char *end = text;
    const char *last = text;
    for (; is_digit(*end); end++) {
        if (*end != '0') {
            last = end + 1;
        }
    }
    for (; text < last; text++) {
        if (number->digits > (UINT64_MAX - 9) / 10 || number->decimals == MOST_DECIMALS) {
            number->error = number->error == SDSIM_UNIT_OK ? SDSIM_UNIT_INEXACT : number->error;
            break;
        }
        number->digits = number->digits * 10 + (uint64_t)(*text - '0');
        number->decimals++;
    }
    return end;
}

/* Splits "1.37MB/s" into number and unit; false if it does not start with a number. */
static bool split(const char *text, struct written *number)
{
    *number = (struct written){0};
    if (!is_digit(*text)) {
        return false;
    }
    for (; is_digit(*text); text++) {
        if (__builtin_mul_overflow(number->digits, 10, &number->digits) ||
            __builtin_add_overflow(number->digits, (uint64_t)(*text - '0'), &number->digits)) {
            number->error = SDSIM_UNIT_TOO_LARGE;
        }
    }
    if (text[0] == '.' && is_digit(text[1])) {
        text = read_decimals(text + 1, number);
    }
    number->unit = text[0] == ' ' && text[1] != '\0' ? text + 1 : text;
    return true;
}

static const struct name *find_name(const struct family *family, const char *text)
{
    for (const struct name *name = family->names; name->text != NULL; name++) {
        if (strcmp(name->text, text) == 0) {
            return name;
        }
    }
    return NULL;
}

/* Splits the text and looks its unit up; the scale of "0" alone is 1. */
static enum sdsim_unit_error read_parts(enum sdsim_unit unit, const char *text,
                                        struct written *number, uint64_t *scale)
{
    const struct family *family = &families[unit];
    if (!split(text, number)) {
        return SDSIM_UNIT_NOT_A_NUMBER;
    }
    if (*number->unit == '\0') {
        *scale = 1;
        return number->digits == 0 && family->bare_zero ? number->error : SDSIM_UNIT_MISSING;
    }
    const struct name *name = find_name(family, number->unit);
    if (name == NULL) {
        return SDSIM_UNIT_UNKNOWN;
    }
    *scale = name->scale;
    return number->error;
}

/* Divides the first of the two that it divides; false if it divides none. */
static bool cancel(uint64_t factor, uint64_t *a, uint64_t *b)
{
    uint64_t *divided = *a % factor == 0 ? a : b;
    if (*divided % factor != 0) {
        return false;
    }
    *divided /= factor;
    return true;
}

enum sdsim_unit_error sdsim_unit_parse(enum sdsim_unit unit, const char *text, uint64_t *value)
{
    struct written number;
    uint64_t scale;
    const enum sdsim_unit_error error = read_parts(unit, text, &number, &scale);
    if (error != SDSIM_UNIT_OK) {
        return error;
    }
    /* digits x scale / 10^decimals without a wider type: the divisor's twos and fives are cancelled
     * one by one; if that leaves any, the quotient is no whole number. */
    for (unsigned i = 0; i < number.decimals; i++) {
        if (!cancel(2, &scale, &number.digits) || !cancel(5, &scale, &number.digits)) {
            return SDSIM_UNIT_INEXACT;
        }
    }
    uint64_t product;
    if (__builtin_mul_overflow(number.digits, scale, &product)) {
        return SDSIM_UNIT_TOO_LARGE;
    }
    *value = product;
    return SDSIM_UNIT_OK;
}

/* digits / 10^decimals; the power of ten is exact up to 10^22. */
static double quotient(const struct written *number)
{
    double divisor = 1.0;
    for (unsigned i = 0; i < number->decimals; i++) {
        divisor *= 10.0;
    }
    return (double)number->digits / divisor;
}

enum sdsim_unit_error sdsim_unit_parse_real(enum sdsim_unit unit, const char *text, double *value)
{
    uint64_t whole;
    enum sdsim_unit_error error = sdsim_unit_parse(unit, text, &whole);
    if (error == SDSIM_UNIT_OK) {
        *value = (double)whole;
        return SDSIM_UNIT_OK;
    }
    struct written number;
    uint64_t scale;
    if (error != SDSIM_UNIT_INEXACT ||
        (error = read_parts(unit, text, &number, &scale)) != SDSIM_UNIT_OK) {
        return error;
    }
    *value = quotient(&number) * (double)scale;
    return SDSIM_UNIT_OK;
}

enum sdsim_unit_error sdsim_number_parse(const char *text, double *value)
{
    const bool negative = *text == '-';
    struct written number;
    if (!split(text + negative, &number)) {
        return SDSIM_UNIT_NOT_A_NUMBER;
    }
    if (*number.unit != '\0') {
        return SDSIM_UNIT_UNKNOWN;
    }
    if (number.error != SDSIM_UNIT_OK) {
        return number.error;
    }
    *value = negative ? -quotient(&number) : quotient(&number);
    return SDSIM_UNIT_OK;
}

const char *sdsim_unit_expected(enum sdsim_unit unit)
{
    return families[unit].expected;
}

const char *sdsim_unit_name(enum sdsim_unit unit, size_t index)
{
    return index < MOST_NAMES ? families[unit].names[index].text : NULL;
}

size_t sdsim_unit_number_length(const char *text)
{
    struct written number;
    return split(text, &number) ? (size_t)(number.unit - text) : 0;
}

/* A number below 1, with `digits` behind its leading zeros and none at its end. */
static void print_small(double number, unsigned digits, char *out, size_t size)
{
    unsigned decimals = digits;
    for (double rest = number; rest < 0.1 && decimals < 30; rest *= 10.0) {
        decimals++;
    }
    snprintf(out, size, "%.*f", (int)decimals, number);
    for (size_t end = strlen(out); end > 1 && out[end - 1] == '0'; end--) {
        out[end - 1] = '\0';
    }
}

/* Prints value / scale with the family's digits, and the unit; whole numbers are not shortened. */
static void print_scaled(const struct family *family, const char *name, double value, char *out,
                         size_t size)
{
    const double number = value / (double)find_name(family, name)->scale;
    char digits[48];
    if (number >= 10000.0) {
        snprintf(digits, sizeof digits, "%.0f", number);
    } else if (number < 0.001) {
        print_small(number, family->digits, digits, sizeof digits);
    } else {
        snprintf(digits, sizeof digits, "%.*g", (int)family->digits, number);
    }
    snprintf(out, size, "%s%s", digits, name);
}

/* Whether the printed text, read back, is the value. */
static bool reads_back(enum sdsim_unit unit, const char *text, double value)
{
    double read;
    return sdsim_unit_parse_real(unit, text, &read) == SDSIM_UNIT_OK && read <= value &&
           read >= value;
}

/*
 * The size units come in two rows, binary before decimal, and a size is printed in the first unit
 * that says it exactly; everything else in the largest unit that leaves a digit before the point.
 */
static void print_size(double value, char *out, size_t size)
{
    const struct family *family = &families[SDSIM_UNIT_SIZE];
    for (const char *const *name = family->printed; *name != NULL; name++) {
        if (value >= (double)find_name(family, *name)->scale) {
            char text[48];
            print_scaled(family, *name, value, text, sizeof text);
            if (value / (double)find_name(family, *name)->scale < 10000.0 &&
                reads_back(SDSIM_UNIT_SIZE, text, value)) {
                snprintf(out, size, "%s", text);
                return;
            }
        }
    }
    static const char *const decimal[] = {"TB", "GB", "MB", "kB", "B"};
    size_t i = 0;
    while (i < 4 && value < 0.99995 * (double)find_name(family, decimal[i])->scale) {
        i++;
    }
    print_scaled(family, decimal[i], value, out, size);
}

static void print_positive(enum sdsim_unit unit, double value, char *out, size_t size)
{
    const struct family *family = &families[unit];
    if (unit == SDSIM_UNIT_SIZE) {
        print_size(value, out, size);
        return;
    }
    /* The least that rounds up to 1 of the unit, so that 999.99us becomes 1ms. */
    const double least = family->digits == 5 ? 0.999995 : 0.99995;
    const char *const *name = family->printed;
    while (name[1] != NULL && value < least * (double)find_name(family, *name)->scale) {
        name++;
    }
    print_scaled(family, *name, value, out, size);
}

char *sdsim_unit_print(enum sdsim_unit unit, double value, char *out, size_t size)
{
    if (size == 0) {
        return out;
    }
    if (value > 0.0) {
        print_positive(unit, value, out, size);
    } else if (value < 0.0) {
        out[0] = '\0';
        char text[64];
        print_positive(unit, -value, text, sizeof text);
        snprintf(out, size, "-%s", text);
    } else {
        snprintf(out, size, "%s", families[unit].zero);
    }
    return out;
}

/* ---- limits, in words ---- */

char *sdsim_unit_print_exact(enum sdsim_unit unit, uint64_t value, char *out, size_t size)
{
    uint64_t again;
    sdsim_unit_print(unit, (double)value, out, size);
    if (sdsim_unit_parse(unit, out, &again) != SDSIM_UNIT_OK || again != value) {
        snprintf(out, size, "%llu%s", (unsigned long long)value, families[unit].names[0].text);
    }
    return out;
}

char *sdsim_unit_at_most(enum sdsim_unit unit, uint64_t most, char *out, size_t size)
{
    /* Limits are often one, or one sector, below a number people know. */
    static const uint64_t below[] = {0, 1, 512};
    char text[48];
    uint64_t again;
    for (size_t i = 0; i < sizeof below / sizeof *below && most <= UINT64_MAX - below[i]; i++) {
        sdsim_unit_print(unit, (double)(most + below[i]), text, sizeof text);
        if (sdsim_unit_parse(unit, text, &again) == SDSIM_UNIT_OK && again == most + below[i]) {
            snprintf(out, size, "%s %s", below[i] == 0 ? "at most" : "less than", text);
            return out;
        }
    }
    if (most == UINT64_MAX && unit == SDSIM_UNIT_TIME) {
        snprintf(out, size, "at most %lluh", (unsigned long long)(most / (3600 * E12)));
    } else if (most > UINT64_MAX - 512) { /* rounded down to what still fits */
        sdsim_unit_print(unit, (double)(most / E12 * E12), text, sizeof text);
        snprintf(out, size, "at most about %s", text);
    } else {
        snprintf(out, size, "at most %s", sdsim_unit_print_exact(unit, most, text, sizeof text));
    }
    return out;
}

bool sdsim_unit_is_too_large(enum sdsim_unit unit, const char *text)
{
    uint64_t value;
    return sdsim_unit_parse(unit, text, &value) == SDSIM_UNIT_TOO_LARGE;
}

bool sdsim_unit_take(enum sdsim_unit unit, const char *text, uint64_t least, uint64_t most,
                     uint64_t *value, char *why, size_t size)
{
    char limit[64];
    const enum sdsim_unit_error error = sdsim_unit_parse(unit, text, value);
    if (error == SDSIM_UNIT_OK && *value >= least && *value <= most) {
        return true;
    }
    if (error == SDSIM_UNIT_TOO_LARGE || (error == SDSIM_UNIT_OK && *value > most)) {
        sdsim_unit_at_most(unit, most, limit, sizeof limit);
        snprintf(why, size, "takes %s, not '%.100s'", limit, text);
    } else if (error == SDSIM_UNIT_OK) {
        sdsim_unit_print_exact(unit, least, limit, sizeof limit);
        snprintf(why, size, "takes at least %s, not '%.100s'", limit, text);
    } else if (error == SDSIM_UNIT_INEXACT) {
        snprintf(why, size, "takes whole %s, not '%.100s'",
                 unit == SDSIM_UNIT_PERCENT ? "10^-9" : families[unit].names[0].text, text);
    } else {
        snprintf(why, size, "takes %s, not '%.100s'", families[unit].expected, text);
    }
    return false;
}
