/*
 * The page's pictures: data and scripts for gnuplot. Nothing of the user's goes into them, only numbers.
 */
#include <inttypes.h>

#include "report/html.h"
#include "report/page.h"

static void terminal(const char *picture, FILE *out)
{
    fprintf(out,
            "set terminal svg size 420,275 noenhanced font 'sans-serif,13'\n"
            "set output '%s'\n"
            "set encoding utf8\n"
            "set border 3 lc rgb " SDSIM_HTML_RGB_INK "\n"
            "set tics nomirror textcolor rgb " SDSIM_HTML_RGB_INK "\n"
            "set grid lc rgb " SDSIM_HTML_RGB_RULE " lw 1 dt 1\n"
            "set xlabel textcolor rgb " SDSIM_HTML_RGB_INK "\n"
            "set ylabel textcolor rgb " SDSIM_HTML_RGB_INK "\n"
            "unset key\n",
            picture);
}

/* Marks of an axis at round values: 1, 2 and 5 of each decade, or more of them where these are too few. */
static void tics(const char *axis, double from, double to, FILE *out)
{
    static const double sets[][19] = {
        {1, 2, 5},
        {1, 1.5, 2, 3, 4, 5, 7},
        {1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 4.5, 5, 5.5, 6, 7, 8, 9},
    };
    for (size_t s = 0; s < sizeof sets / sizeof *sets; s++) {
        double values[64];
        size_t count = 0;
        for (double decade = 1e-9; decade < 1e9; decade *= 10) {
            for (size_t i = 0; i < 19 && sets[s][i] > 0 && count < 64; i++) {
                const double value = decade * sets[s][i];
                if (value >= from && value <= to) {
                    values[count++] = value;
                }
            }
        }
        if (count < 3 && s + 1 < sizeof sets / sizeof *sets) {
            continue;
        }
        const size_t every = (count + 7) / 8;
        fprintf(out, "set %stics (", axis);
        for (size_t i = 0; i < count; i += every) {
            fprintf(out, "%s'%.4g' %.9g", i > 0 ? ", " : "", values[i], values[i]);
        }
        fputs(")\n", out);
        return;
    }
}

/* ---- predicted over measured ---- */

static enum sdsim_page_scatter scatter_of(enum sdsim_metric metric)
{
    return metric == SDSIM_METRIC_THROUGHPUT ? SDSIM_SCATTER_RATES
           : metric == SDSIM_METRIC_LINES    ? SDSIM_SCATTER_LINES
                                             : SDSIM_SCATTER_TIMES;
}

static bool belongs(const struct sdsim_run_report *report, enum sdsim_page_scatter which)
{
    return report->verdict.given && report->verdict.low > 0 &&
           report->prediction.typical.value > 0 && report->prediction.low > 0 &&
           scatter_of(report->prediction.typical.metric) == which;
}

bool sdsim_page_has_scatter(const struct sdsim_page *page, enum sdsim_page_scatter which)
{
    size_t count = 0;
    for (size_t i = 0; i < page->count; i++) {
        count += belongs(page->runs[i].report, which);
    }
    return count >= 2;
}

static double scale_of(enum sdsim_page_scatter which)
{
    return which == SDSIM_SCATTER_RATES ? 1e-6 : which == SDSIM_SCATTER_LINES ? 1 : 1e3;
}

void sdsim_page_scatter_data(const struct sdsim_page *page, enum sdsim_page_scatter which,
                             FILE *out)
{
    const double scale = scale_of(which);
    fputs("# measured, its ends; predicted, its interval\n", out);
    for (size_t i = 0; i < page->count; i++) {
        const struct sdsim_run_report *report = page->runs[i].report;
        if (belongs(report, which)) {
            fprintf(out, "%.6g %.6g %.6g %.6g %.6g %.6g\n",
                    scale * (report->verdict.low + report->verdict.high) / 2,
                    scale * report->verdict.low, scale * report->verdict.high,
                    scale * report->prediction.typical.value, scale * report->prediction.low,
                    scale * report->prediction.high);
        }
    }
}

void sdsim_page_scatter_script(const struct sdsim_page *page, enum sdsim_page_scatter which,
                               const char *data, const char *picture, FILE *out)
{
    static const char *const units[] = {"MB/s", "lines/s", "ms"};
    const double scale = scale_of(which);
    double least = 0;
    double most = 0;
    for (size_t i = 0; i < page->count; i++) {
        const struct sdsim_run_report *report = page->runs[i].report;
        if (belongs(report, which)) {
            const double low = report->verdict.low < report->prediction.low
                                   ? report->verdict.low
                                   : report->prediction.low;
            const double high = report->verdict.high > report->prediction.high
                                    ? report->verdict.high
                                    : report->prediction.high;
            least = least > 0 && least < low ? least : low;
            most = most > high ? most : high;
        }
    }
    terminal(picture, out);
    fprintf(out, "set xlabel 'measured, %s'\nset ylabel 'predicted, %s'\n", units[which],
            units[which]);
    if (most > 8 * least) {
        const double from = scale * least / 1.3;
        const double to = scale * most * 1.3;
        fprintf(out, "set logscale xy\nset xrange [%.6g:%.6g]\nset yrange [%.6g:%.6g]\n", from, to,
                from, to);
        tics("x", from, to, out);
        tics("y", from, to, out);
    } else {
        fprintf(out, "set xrange [0:%.6g]\nset yrange [0:%.6g]\n", scale * most * 1.1,
                scale * most * 1.1);
    }
    fprintf(out,
            "set samples 2\n"
            "plot x with lines lc rgb " SDSIM_HTML_RGB_INK ", "
            "x*1.2 with lines dt 2 lc rgb " SDSIM_HTML_RGB_INK ", "
            "x/1.2 with lines dt 2 lc rgb " SDSIM_HTML_RGB_INK ", "
            "'%s' using 1:4:2:3 with xerrorbars pt -1 lc rgb " SDSIM_HTML_RGB_INK ", "
            "'' using 1:4:5:6 with yerrorbars pt -1 lw 1.5 lc rgb " SDSIM_HTML_RGB_SOFT ", "
            "'' using 1:4 with points pt 7 ps 0.7 lc rgb " SDSIM_HTML_RGB_ACCENT "\n",
            data);
}

/* ---- how long calls take ---- */

struct unit {
    const char *name;
    double ps;
};

static struct unit unit_of(const struct sdsim_histogram *calls)
{
    static const struct unit units[] = {{"s", 1e12}, {"ms", 1e9}, {"us", 1e6}, {"ns", 1e3}};
    size_t i = 0;
    while (i < 3 && (double)calls->most < units[i].ps) {
        i++;
    }
    return units[i];
}

/* Mean of the values of a bucket, and its neighbours' place do not matter for a picture. */
static double value_of(const struct sdsim_histogram *calls, unsigned bucket)
{
    return (double)calls->sums[bucket] / (double)calls->counts[bucket];
}

enum { FACTOR_STEPS = 12 };

/* The bars: 12 for each factor of two, so that a bar is 6 % wide. */
void sdsim_page_histogram_data(const struct sdsim_histogram *calls, FILE *out)
{
    static const double step = 1.0594630943592953; /* the twelfth root of 2 */
    const struct unit unit = unit_of(calls);
    double from = (double)calls->least / unit.ps;
    uint64_t count = 0;
    for (unsigned b = 0; b < SDSIM_HISTOGRAM_BUCKETS && from > 0; b++) {
        if (calls->counts[b] == 0) {
            continue;
        }
        const double value = value_of(calls, b) / unit.ps;
        while (value >= from * step) {
            if (count > 0) {
                fprintf(out, "%.9g %.9g %" PRIu64 "\n", from, from * step, count);
            }
            count = 0;
            from *= step;
        }
        count += calls->counts[b];
    }
    if (count > 0) {
        fprintf(out, "%.9g %.9g %" PRIu64 "\n", from, from * step, count);
    }
}

static void range(const struct sdsim_histogram *calls, const char *axis, FILE *out)
{
    const struct unit unit = unit_of(calls);
    const double least = (double)calls->least / unit.ps;
    const double most = (double)calls->most / unit.ps;
    const bool narrow = most < 3 * least;
    const double from = narrow ? least / 1.6 : least / 1.25;
    const double to = narrow ? most * 1.6 : most * 1.25;
    fprintf(out, "set %srange [%.6g:%.6g]\n", axis, from, to);
    tics(axis, from, to, out);
}

void sdsim_page_histogram_script(const struct sdsim_histogram *calls, const char *data,
                                 const char *picture, FILE *out)
{
    terminal(picture, out);
    fprintf(out, "set logscale xy\nset xlabel 'duration, %s'\nset ylabel 'how many'\n",
            unit_of(calls).name);
    range(calls, "x", out);
    fprintf(out,
            "set yrange [0.5:%.6g]\nset style fill solid 1 noborder\n"
            "plot '%s' using 1:3:1:2:(0.5):3 with boxxyerror lc rgb " SDSIM_HTML_RGB_ACCENT "\n",
            (double)calls->count * 1.6, data);
}

/* Durations over 1 / (1 - share): the tail gets the room it needs. */
void sdsim_page_percentile_data(const struct sdsim_histogram *calls, FILE *out)
{
    const struct unit unit = unit_of(calls);
    const double count = (double)calls->count;
    uint64_t seen = 0;
    for (unsigned b = 0; b < SDSIM_HISTOGRAM_BUCKETS; b++) {
        if (calls->counts[b] == 0) {
            continue;
        }
        const double value = value_of(calls, b) / unit.ps;
        const double before = count / (count - (double)seen);
        seen += calls->counts[b];
        const double after = seen < calls->count ? count / (count - (double)seen) : count * 1.5;
        fprintf(out, "%.9g %.9g\n%.9g %.9g\n", before, value, after, value);
    }
}

void sdsim_page_percentile_script(const struct sdsim_histogram *calls, const char *data,
                                  const char *picture, FILE *out)
{
    terminal(picture, out);
    fprintf(out,
            "set logscale xy\nset xlabel 'share of all'\nset ylabel 'at most, %s'\n"
            "set xrange [1:%.6g]\n"
            "set xtics ('0%%%%' 1, '50%%%%' 2, '90%%%%' 10, '99%%%%' 100, '99.9%%%%' 1000, "
            "'99.99%%%%' 10000, "
            "'99.999%%%%' 100000)\n",
            unit_of(calls).name, (double)calls->count * 1.5);
    range(calls, "y", out);
    fprintf(out, "plot '%s' with lines lw 2 lc rgb " SDSIM_HTML_RGB_ACCENT "\n", data);
}
