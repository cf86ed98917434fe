/*
 * Pictures of a sweep, drawn by gnuplot: lines along the first numeric axis, one for each series of
 * the rest, with the interval as a band if there is one only; or a heat map of two numeric axes.
 */
#include <string.h>

#include "report/format.h"
#include "report/picture.h"
#include "report/sweep.h"

enum { MOST_LINES = 12 };

#define WIDE_RANGE 16 /* an axis over more than this factor is drawn by its logarithm */

static size_t numeric_axis(const struct sdsim_sweep *sweep, size_t from)
{
    while (from < sweep->axis_count &&
           !(sweep->axes[from].numeric && (sweep->axes[from].count > 1 || sweep->random))) {
        from++;
    }
    return from;
}

static size_t runs_of(const struct sdsim_sweep *sweep)
{
    return sdsim_sweep_stride(sweep, sweep->axis_count);
}

static bool is_map(const struct sdsim_sweep *sweep)
{
    return sweep->axis_count == 2 && runs_of(sweep) == 1 && numeric_axis(sweep, 0) == 0 &&
           numeric_axis(sweep, 1) == 1;
}

static size_t line_count(const struct sdsim_sweep *sweep)
{
    const size_t axis = numeric_axis(sweep, 0);
    return sweep->count / sweep->axes[axis].count;
}

const char *sdsim_sweep_why_no_picture(const struct sdsim_sweep *sweep)
{
    if (sweep->random) {
        return "points at random make no line: draw --csv with a tool of your own";
    }
    if (numeric_axis(sweep, 0) == sweep->axis_count) {
        return "no axis has numbers";
    }
    if (!is_map(sweep) && line_count(sweep) > MOST_LINES) {
        return "more than 12 lines: vary less, or name one run";
    }
    return NULL;
}

/* What the metric is drawn in. */
static double scaled(const struct sdsim_sweep_row *row, double value)
{
    switch (row->metric) {
    case SDSIM_METRIC_THROUGHPUT:
        return value / 1e6;
    case SDSIM_METRIC_LINES:
        return value;
    default:
        return value * 1e3;
    }
}

static const char *label(enum sdsim_metric metric)
{
    switch (metric) {
    case SDSIM_METRIC_THROUGHPUT:
        return "MB/s";
    case SDSIM_METRIC_LINES:
        return "lines/s";
    default:
        return "ms";
    }
}

static bool usable(const struct sdsim_sweep_row *row)
{
    return row->done && !row->failed;
}

static void map_data(const struct sdsim_sweep *sweep, FILE *out)
{
    const size_t width = sweep->axes[1].count;
    for (size_t row = 0; row < sweep->count; row++) {
        const struct sdsim_sweep_row *r = &sweep->rows[row];
        if (usable(r)) {
            fprintf(out, "%zu %zu %.9g\n", row % width, row / width, scaled(r, r->predicted));
        }
    }
}

static void line_data(const struct sdsim_sweep *sweep, FILE *out)
{
    const size_t axis = numeric_axis(sweep, 0);
    const struct sdsim_vary *x = &sweep->axes[axis];
    const size_t stride = sdsim_sweep_stride(sweep, axis);
    for (size_t row = 0; row < sweep->count; row++) {
        if (row / stride % x->count != 0) {
            continue;
        }
        for (size_t i = 0; i < x->count; i++) {
            const struct sdsim_sweep_row *r = &sweep->rows[row + i * stride];
            if (usable(r)) {
                fprintf(out, "%.17g %.9g %.9g %.9g\n", x->numbers[i], scaled(r, r->predicted),
                        scaled(r, r->low), scaled(r, r->high));
            }
        }
        fputs("\n\n", out); /* the next data set of gnuplot's `index` */
    }
}

bool sdsim_sweep_data(const struct sdsim_sweep *sweep, FILE *out)
{
    if (is_map(sweep)) {
        map_data(sweep, out);
    } else {
        line_data(sweep, out);
    }
    return true;
}

/* Marks of an axis: its own values, every n-th if there are many. `index`: by number, not value. */
static void tics(const char *name, const struct sdsim_vary *axis, bool index, FILE *out)
{
    const size_t every = (axis->count + 11) / 12;
    fprintf(out, "set %stics (", name);
    for (size_t i = 0; i < axis->count; i += every) {
        fputs(i > 0 ? ", " : "", out);
        sdsim_plot_quote(axis->values[i], out);
        fprintf(out, " %.17g", index ? (double)i : axis->numbers[i]);
    }
    fputs(")\n", out);
}

static bool is_wide(const struct sdsim_vary *axis)
{
    double least = axis->numbers[0];
    double most = least;
    for (size_t i = 1; i < axis->count; i++) {
        least = axis->numbers[i] < least ? axis->numbers[i] : least;
        most = axis->numbers[i] > most ? axis->numbers[i] : most;
    }
    return least > 0 && most >= WIDE_RANGE * least;
}

static void head(const struct sdsim_sweep *sweep, enum sdsim_picture_format format,
                 const char *picture_name, FILE *out)
{
    fprintf(out, "set terminal %s size 900,560 font \"sans,12\"\nset encoding utf8\nset output ",
            format == SDSIM_PICTURE_SVG ? "svg noenhanced" : "pngcairo noenhanced");
    sdsim_plot_quote(picture_name, out);
    fputs("\nset title ", out);
    sdsim_plot_quote(sweep->scenario, out);
    fputs(" noenhanced\nset grid lc rgb \"#dddddd\"\nset border lc rgb \"#888888\"\n", out);
}

static enum sdsim_metric metric_of(const struct sdsim_sweep *sweep)
{
    for (size_t row = 0; row < sweep->count; row++) {
        if (usable(&sweep->rows[row])) {
            return sweep->rows[row].metric;
        }
    }
    return SDSIM_METRIC_THROUGHPUT;
}

static void map_script(const struct sdsim_sweep *sweep, const char *data_name, FILE *out)
{
    fprintf(out, "set cblabel \"%s\"\nset xlabel ", label(metric_of(sweep)));
    sdsim_plot_quote(sweep->axes[1].path, out);
    fputs("\nset ylabel ", out);
    sdsim_plot_quote(sweep->axes[0].path, out);
    fputc('\n', out);
    tics("x", &sweep->axes[1], true, out);
    tics("y", &sweep->axes[0], true, out);
    fprintf(out, "set xtics rotate by 40 right\nset xrange [-0.5:%zu.5]\nset yrange [-0.5:%zu.5]\n",
            sweep->axes[1].count - 1, sweep->axes[0].count - 1);
    /* viridis, in a few steps: readable without colour vision, and in grey */
    fputs("unset grid\nset palette defined (0 \"#440154\", 1 \"#3b528b\", 2 \"#21918c\", "
          "3 \"#5ec962\", 4 \"#fde725\")\nplot ",
          out);
    sdsim_plot_quote(data_name, out);
    fputs(" using 1:2:3 with image notitle\n", out);
}

static void line_script(const struct sdsim_sweep *sweep, const char *data_name, FILE *out)
{
    /* Okabe and Ito's colours, which the colour-blind can tell apart. */
    static const char *const colors[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                         "#e69f00", "#56b4e9", "#000000"};
    const size_t axis = numeric_axis(sweep, 0);
    const struct sdsim_vary *x = &sweep->axes[axis];
    const size_t lines = line_count(sweep);
    size_t line = 0;
    const size_t stride = sdsim_sweep_stride(sweep, axis);
    fprintf(out, "set ylabel \"%s\"\nset yrange [0:*]\nset xlabel ", label(metric_of(sweep)));
    sdsim_plot_quote(x->path, out);
    fputs(" noenhanced\nset key outside below noenhanced\n", out);
    fputs(is_wide(x) ? "set logscale x\n" : "", out);
    tics("x", x, false, out);
    fputs("set xtics rotate by 40 right\nplot ", out);
    if (lines == 1 && sweep->draws > 0) {
        sdsim_plot_quote(data_name, out);
        fputs(" index 0 using 1:3:4 with filledcurves fc rgb \"#cfe3f1\" title \"90% interval\", ",
              out);
    }
    for (size_t row = 0; row < sweep->count; row++) {
        if (row / stride % x->count != 0) {
            continue;
        }
        char name[256] = "";
        for (size_t a = 0; a < sweep->axis_count; a++) {
            if (a != axis && sweep->axes[a].count > 1) {
                snprintf(name + strlen(name), sizeof name - strlen(name), "%s%s",
                         name[0] != '\0' ? ", " : "", sweep->rows[row].values[a]);
            }
        }
        if (runs_of(sweep) > 1) {
            snprintf(name + strlen(name), sizeof name - strlen(name), "%s%s",
                     name[0] != '\0' ? ", " : "", sweep->rows[row].run);
        }
        fputs(line > 0 ? ", " : "", out);
        sdsim_plot_quote(data_name, out);
        fprintf(out,
                " index %zu using 1:2 with linespoints lw 2 pt 7 ps 0.6 lc rgb \"%s\"%s title ",
                line, colors[line % (sizeof colors / sizeof *colors)],
                line >= sizeof colors / sizeof *colors ? " dt 2" : "");
        sdsim_plot_quote(name[0] != '\0' ? name : "predicted", out);
        line++;
    }
    fputc('\n', out);
}

void sdsim_sweep_script(const struct sdsim_sweep *sweep, enum sdsim_picture_format format,
                        const char *data_name, const char *picture_name, FILE *out)
{
    head(sweep, format, picture_name, out);
    if (is_map(sweep)) {
        map_script(sweep, data_name, out);
    } else {
        line_script(sweep, data_name, out);
    }
}
