#include "report/format.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/units.h"

#define MOST_PARTS 64

char *sdsim_print_value(enum sdsim_metric metric, double value, char *out, size_t size)
{
    if (metric == SDSIM_METRIC_THROUGHPUT) {
        return sdsim_unit_print(SDSIM_UNIT_RATE, value, out, size);
    }
    if (metric != SDSIM_METRIC_LINES) { /* a time, in seconds */
        return sdsim_unit_print(SDSIM_UNIT_TIME, value * (double)SDSIM_S, out, size);
    }
    if (value >= 10000.0) {
        snprintf(out, size, "%.0f lines/s", value);
    } else {
        snprintf(out, size, "%.4g lines/s", value);
    }
    return out;
}

const char *sdsim_metric_prefix(enum sdsim_metric metric)
{
    switch (metric) {
    case SDSIM_METRIC_MEAN_LATENCY:
        return "mean ";
    case SDSIM_METRIC_MIN_LATENCY:
        return "shortest ";
    case SDSIM_METRIC_MAX_LATENCY:
        return "longest ";
    default:
        return "";
    }
}

/* How long the number in front of the unit is. */
static size_t number_length(const char *text)
{
    const size_t length = sdsim_unit_number_length(text);
    return length > 0 && text[length - 1] == ' ' ? length - 1 : length;
}

char *sdsim_print_interval(enum sdsim_metric metric, double low, double high, char *out,
                           size_t size)
{
    char from[48];
    char to[48];
    sdsim_print_value(metric, low, from, sizeof from);
    sdsim_print_value(metric, high, to, sizeof to);
    if (strcmp(from, to) == 0) {
        snprintf(out, size, "%s", to);
        return out;
    }
    const size_t number = number_length(from);
    if (strcmp(from + number, to + number_length(to)) == 0) {
        from[number] = '\0';
    }
    snprintf(out, size, "%s..%s", from, to);
    return out;
}

/* What the unit of a printed value stands for, in the metric's base unit; 1 if it has none. */
static double unit_of(enum sdsim_metric metric, double value)
{
    const enum sdsim_unit unit =
        metric == SDSIM_METRIC_THROUGHPUT ? SDSIM_UNIT_RATE : SDSIM_UNIT_TIME;
    char text[48];
    char one[52];
    double factor = 1;
    if (metric == SDSIM_METRIC_LINES) {
        return 1;
    }
    sdsim_print_value(metric, value, text, sizeof text);
    snprintf(one, sizeof one, "1%s", text + sdsim_unit_number_length(text));
    if (sdsim_unit_parse_real(unit, one, &factor) != SDSIM_UNIT_OK || factor <= 0) {
        factor = 1;
    }
    return unit == SDSIM_UNIT_TIME ? factor / (double)SDSIM_S : factor;
}

static void print_end(double value, char out[40])
{
    snprintf(out, 40,
             value >= 1000.0   ? "%.0f"
             : value >= 1.0    ? "%.4g"
             : value >= 0.0995 ? "%.3f"
                               : "%.3g",
             value);
}

char *sdsim_print_ends(enum sdsim_metric metric, double low, double high, double value, char *out,
                       size_t size)
{
    const double unit = unit_of(metric, value);
    char from[40];
    char to[40];
    print_end(low / unit, from);
    print_end(high / unit, to);
    snprintf(out, size, strcmp(from, to) == 0 ? "%s" : "%s..%s", from, to);
    return out;
}

char *sdsim_print_share(double fraction, char *out, size_t size)
{
    snprintf(out, size, "%.1f%%", 100.0 * fraction);
    return out;
}

char *sdsim_print_error(double fraction, char *out, size_t size)
{
    if (fraction > -0.0005 && fraction < 0.0005) {
        snprintf(out, size, "0.0%%");
    } else {
        snprintf(out, size, "%+.1f%%", 100.0 * fraction);
    }
    return out;
}

char *sdsim_print_gain(double gain, char *out, size_t size)
{
    if (gain < 9.0) {
        return sdsim_print_error(gain, out, size);
    }
    snprintf(out, size, gain < 99.0 ? "x%.1f" : "x%.0f", gain + 1);
    return out;
}

char *sdsim_print_time(sdsim_ps time, char *out, size_t size)
{
    return sdsim_unit_print(SDSIM_UNIT_TIME, (double)time, out, size);
}

char *sdsim_print_ratio(uint64_t count, uint64_t per, char *out, size_t size)
{
    const double ratio = per > 0 ? (double)count / (double)per : 0.0;
    snprintf(out, size, ratio >= 1000.0 ? "%.0f" : "%.3g", ratio);
    return out;
}

/* The part whose remainder is the largest; it is marked as served. */
static size_t take_largest(double *remainders, size_t count)
{
    size_t largest = 0;
    for (size_t i = 1; i < count; i++) {
        if (remainders[i] > remainders[largest]) {
            largest = i;
        }
    }
    remainders[largest] = -1.0;
    return largest;
}

void sdsim_apportion(const uint64_t *parts, size_t count, uint64_t units, uint64_t *shares)
{
    double remainders[MOST_PARTS];
    double total = 0.0;
    assert(count <= MOST_PARTS);
    for (size_t i = 0; i < count; i++) {
        total += (double)parts[i];
        shares[i] = 0;
    }
    if (!(total > 0.0)) {
        return;
    }
    uint64_t given = 0;
    for (size_t i = 0; i < count; i++) {
        const double exact = (double)parts[i] / total * (double)units;
        shares[i] = (uint64_t)exact;
        remainders[i] = parts[i] > 0 ? exact - (double)shares[i] : -1.0;
        given += shares[i];
    }
    for (size_t i = 0; i < count && given < units; i++) {
        shares[take_largest(remainders, count)]++;
        given++;
    }
}

struct sdsim_time_scale sdsim_time_scale(sdsim_ps total)
{
    static const struct {
        const char *unit;
        sdsim_ps length;
    } units[] = {{"s", SDSIM_S}, {"ms", SDSIM_MS}, {"us", SDSIM_US}, {"ns", SDSIM_NS}};
    size_t i = 0;
    while (i < 3 && total < 10 * units[i].length) {
        i++;
    }
    return (struct sdsim_time_scale){.unit = units[i].unit, .quantum = units[i].length / 1000};
}

char *sdsim_print_quanta(const struct sdsim_time_scale *scale, uint64_t quanta, char *out,
                         size_t size)
{
    snprintf(out, size, "%" PRIu64 ".%03" PRIu64 "%s", quanta / 1000, quanta % 1000, scale->unit);
    return out;
}
