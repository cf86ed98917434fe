/*
 * The picture of `sdsim buffer`: which share of the runs loses data with so much RAM, and how much is
 * lost in the mean.
 */
#include "report/buffer.h"
#include "report/buffer_words.h"
#include "report/picture.h"

/* The share of runs that need more than `ram`. */
static double losing(const struct sdsim_buffer_report *report, uint64_t ram)
{
    size_t enough = 0;
    while (enough < report->count && report->needs[enough] <= ram) {
        enough++;
    }
    return (double)(report->count - enough) / (double)report->count;
}

bool sdsim_buffer_data(const struct sdsim_buffer_report *report, FILE *out)
{
    if (report->row_count > 0) { /* the curve begins where the table does */
        const uint64_t least = report->rows[0].ram;
        fprintf(out, "%.9g %.9g\n", (double)least / 1024, 100 * losing(report, least));
    }
    for (size_t i = 0; i < report->count; i++) { /* each step of the share, exactly */
        const uint64_t need = report->needs[i];
        if (need != UINT64_MAX && need > (report->row_count > 0 ? report->rows[0].ram : 0) &&
            (i + 1 == report->count || report->needs[i + 1] != need)) {
            fprintf(out, "%.9g %.9g\n", (double)need / 1024, 100 * losing(report, need));
        }
    }
    fputs("\n\n", out);
    for (size_t i = 0; i < report->row_count; i++) {
        const struct sdsim_buffer_row *row = &report->rows[i];
        if (row->mean_lost > 0) { /* the axis is a logarithmic one */
            fprintf(out, "%.9g %.9g\n", (double)row->ram / 1024, row->mean_lost / 1e3);
        }
    }
    return true;
}

/* The least and the greatest mean loss above 0, in kB; false if there is none. */
static bool losses(const struct sdsim_buffer_report *report, double *least, double *most)
{
    *least = *most = 0;
    for (size_t i = 0; i < report->row_count; i++) {
        const double lost = report->rows[i].mean_lost / 1e3;
        *least = lost > 0 && (*least <= 0 || lost < *least) ? lost : *least;
        *most = lost > *most ? lost : *most;
    }
    return *most > 0;
}

void sdsim_buffer_script(const struct sdsim_buffer_report *report, enum sdsim_picture_format format,
                         const char *data, const char *picture, FILE *out)
{
    char title[300];
    double least;
    double most;
    const bool loss = losses(report, &least, &most);
    fprintf(out, "set terminal %s size 900,560 font \"sans,12\"\nset encoding utf8\nset output ",
            format == SDSIM_PICTURE_SVG ? "svg noenhanced" : "pngcairo noenhanced");
    sdsim_plot_quote(picture, out);
    char length[32];
    snprintf(title, sizeof title, "%s%s%s: %zu runs of %s on %s", report->scenario,
             report->run[0] != '\0' ? " " : "", report->run, report->count,
             sdsim_hours_text(report->hours, length, sizeof length), report->card);
    fputs("\nset title ", out);
    sdsim_plot_quote(title, out);
    fputs(" noenhanced\nset grid lc rgb \"#dddddd\"\nset border lc rgb \"#888888\"\n"
          "set logscale x 2\nset xlabel \"RAM, KiB\"\nset ylabel \"runs that lose data, %\"\n"
          "set y2label \"lost in the mean, kB\"\nset yrange [0:105]\nset logscale y2\n"
          "set ytics nomirror\nset y2tics\nset key top right\n",
          out);
    if (loss && least >= most) { /* one value is no range */
        fprintf(out, "set y2range [%.9g:%.9g]\n", least / 2, most * 2);
    }
    fputs("plot ", out);
    sdsim_plot_quote(data, out);
    fputs(" index 0 using 1:2 with steps lw 2 lc rgb \"#0072b2\" title \"runs that lose data\"",
          out);
    if (!loss) {
        fputc('\n', out);
        return;
    }
    fputs(", ", out);
    sdsim_plot_quote(data, out);
    fputs(" index 1 using 1:2 axes x1y2 with linespoints lw 2 pt 7 lc rgb \"#d55e00\" "
          "title \"lost in the mean\"\n",
          out);
}
