/*
 * The first thing on the page: all runs, predicted against measured.
 */
#include <string.h>

#include "report/format.h"
#include "report/html.h"
#include "report/page.h"

enum { FORK = 160 }; /* width of a row's little axis, in its own units */

/* Where a value lies on the axis, whose middle is what was measured and whose ends are nothing and twice
 * that. */
static double place(double value, double measured)
{
    const double at = value / measured * FORK / 2;
    return at < 0 ? 0 : at > FORK ? FORK : at;
}

/* Interval and prediction beside what was measured, which is a tick, or a band from low to high. */
static void fork(const struct sdsim_run_report *report, FILE *out)
{
    const struct sdsim_prediction *prediction = &report->prediction;
    const struct sdsim_verdict *verdict = &report->verdict;
    const double middle = (verdict->low + verdict->high) / 2;
    const double low = place(verdict->low, middle);
    fprintf(out,
            "<svg class=\"fork\" viewBox=\"0 0 %d 16\" role=\"img\" "
            "aria-label=\"predicted beside measured\">"
            "<rect class=\"mid\" x=\"%.1f\" y=\"2\" width=\"%.1f\" height=\"12\"/>"
            "<path class=\"axis\" d=\"M0 8H%d\"/><path class=\"span\" d=\"M%.1f 8H%.1f\"/>"
            "<circle class=\"dot\" cx=\"%.1f\" cy=\"8\" r=\"3.2\"/></svg>",
            FORK, low - 0.5, place(verdict->high, middle) - low + 1, FORK,
            place(prediction->low, middle), place(prediction->high, middle),
            place(prediction->typical.value, middle));
}

static void value_cell(const struct sdsim_run_report *report, FILE *out)
{
    const enum sdsim_metric metric = report->prediction.typical.metric;
    char text[48];
    fputs("<td class=\"n\" data-k=\"predicted\">", out);
    sdsim_html_print(
        out, "%s%s", sdsim_metric_prefix(metric),
        sdsim_print_value(metric, report->prediction.typical.value, text, sizeof text));
    fputs("</td><td class=\"n\" data-k=\"90% interval\">", out);
    if (report->prediction.draws > 0) {
        sdsim_html_text(out, sdsim_print_interval(metric, report->prediction.low,
                                                  report->prediction.high, text, sizeof text));
    }
    fputs("</td>", out);
}

static void verdict_cells(const struct sdsim_run_report *report, FILE *out)
{
    const struct sdsim_verdict *verdict = &report->verdict;
    char text[48];
    if (!verdict->given) {
        fputs("<td class=\"n\"></td><td class=\"n\"></td><td></td>", out);
        return;
    }
    fputs("<td class=\"n\" data-k=\"measured\">", out);
    sdsim_html_text(out, sdsim_print_interval(report->prediction.typical.metric, verdict->low,
                                              verdict->high, text, sizeof text));
    fprintf(out, "</td><td class=\"n%s\" data-k=\"error\">",
            !verdict->judged  ? ""
            : verdict->within ? " good"
                              : " bad");
    sdsim_html_text(out, sdsim_print_error(verdict->error, text, sizeof text));
    if (verdict->judged && !verdict->within) {
        sdsim_html_print(out, " (more than %.4g%%)", 100 * verdict->tolerance);
    }
    fputs("</td><td class=\"fk\" data-k=\"against it\">", out);
    fork(report, out);
    fputs("</td>", out);
}

static bool any_measured(const struct sdsim_page *page)
{
    for (size_t i = 0; i < page->count; i++) {
        if (page->runs[i].report->verdict.given) {
            return true;
        }
    }
    return false;
}

static void row(const struct sdsim_page *page, size_t number, bool measured, FILE *out)
{
    const struct sdsim_run_report *report = page->runs[number].report;
    char anchor[24];
    sdsim_page_anchor(number, anchor, sizeof anchor);
    fprintf(out, "<tr><td class=\"name\"><a href=\"#%s\">", anchor);
    sdsim_html_text(out, sdsim_run_label(report->run));
    fputs("</a></td>", out);
    value_cell(report, out);
    if (measured) {
        verdict_cells(report, out);
    }
    fputs("</tr>\n", out);
}

static void table(const struct sdsim_page *page, bool measured, FILE *out)
{
    bool several = false;
    for (size_t i = 1; i < page->count; i++) {
        several = several || page->runs[i].report->scenario != page->runs[0].report->scenario;
    }
    fputs("<table><thead><tr><th>run</th><th class=\"n\">predicted</th><th class=\"n\">90% "
          "interval</th>",
          out);
    fputs(measured ? "<th class=\"n\">measured</th><th class=\"n\">error</th><th>predicted beside "
                     "measured</th>"
                   : "",
          out);
    fputs("</tr></thead>\n<tbody>\n", out);
    for (size_t i = 0; i < page->count; i++) {
        const struct sdsim_scenario *scenario = page->runs[i].report->scenario;
        if (several && (i == 0 || scenario != page->runs[i - 1].report->scenario)) {
            fprintf(out, "<tr class=\"group\"><td colspan=\"%d\">", measured ? 6 : 3);
            sdsim_html_text(out, scenario->name);
            fputs("</td></tr>\n", out);
        }
        row(page, i, measured, out);
    }
    fputs("</tbody></table>\n", out);
}

/* "16 of 16 within their tolerance; 14 of 16 measured values lie in the 90% interval." */
static void count_up(const struct sdsim_page *page, FILE *out)
{
    size_t given = 0;
    size_t judged = 0;
    size_t within = 0;
    size_t covered = 0;
    for (size_t i = 0; i < page->count; i++) {
        const struct sdsim_verdict *verdict = &page->runs[i].report->verdict;
        given += verdict->given;
        judged += verdict->judged;
        within += verdict->within;
        covered += verdict->given && verdict->covered;
    }
    fprintf(out,
            "<p class=\"note\">%zu of %zu predictions are within the tolerance of what was "
            "measured; %zu of the %zu measured values lie in the 90%% interval. In the last column "
            "the tick is what was measured, the dot the prediction, the line its interval; the "
            "axis ends at nothing and at twice what was measured.</p>\n",
            within, judged, covered, given);
}

static void scatters(const struct sdsim_page *page, FILE *out)
{
    static const char *const captions[] = {
        "Rates: predicted over measured, with the 90% interval. On the line they are equal, on the "
        "dashed ones 20% off.",
        "Lines per second: predicted over measured, with the 90% interval. On the line they are "
        "equal, on the dashed ones 20% off.",
        "Times: predicted over measured, with the 90% interval. On the line they are equal, on the "
        "dashed ones 20% off.",
    };
    for (size_t s = 0; s < 3; s++) {
        if (page->scatter_pictures[s] != NULL) {
            fputs("<figure>", out);
            (void)sdsim_html_picture(out, page->scatter_pictures[s], captions[s]);
            fputs("<figcaption>", out);
            sdsim_html_text(out, captions[s]);
            fputs("</figcaption></figure>\n", out);
        }
    }
}

void sdsim_page_summary(const struct sdsim_page *page, FILE *out)
{
    const bool measured = any_measured(page);
    table(page, measured, out);
    if (measured) {
        fputs("<div class=\"pair\">\n", out);
        scatters(page, out);
        count_up(page, out);
        fputs("</div>\n", out);
    }
}
