#include "report/page.h"

#include <string.h>

#include "core/version.h"
#include "report/html.h"

void sdsim_page_anchor(size_t number, char *out, size_t size)
{
    snprintf(out, size, "r%zu", number + 1);
}

static void head(const struct sdsim_page *page, FILE *out)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
          "'unsafe-inline'\">\n<meta name=\"generator\" content=\"sdsim " SDSIM_VERSION "\">\n"
          "<title>",
          out);
    sdsim_html_text(out, page->title);
    fputs("</title>\n", out);
    sdsim_page_style(out);
    fputs("</head>\n<body>\n", out);
    sdsim_html_symbols(out);
    fputs("<main>\n<h1>", out);
    sdsim_html_text(out, page->title);
    fputs("</h1>\n", out);
}

/* How many scenarios there are: runs of one follow each other. */
static size_t scenario_count(const struct sdsim_page *page)
{
    size_t count = 0;
    for (size_t i = 0; i < page->count; i++) {
        count += i == 0 || page->runs[i].report->scenario != page->runs[i - 1].report->scenario;
    }
    return count;
}

static void lead(const struct sdsim_page *page, FILE *out)
{
    const size_t scenarios = scenario_count(page);
    fprintf(out, "<p class=\"lead\">%zu run%s of %zu scenario%s", page->count,
            page->count == 1 ? "" : "s", scenarios, scenarios == 1 ? "" : "s");
    for (size_t i = 0; page->overrides != NULL && page->overrides[i] != NULL; i++) {
        sdsim_html_print(out, "%s %s", i == 0 ? ", with" : ",", page->overrides[i]);
    }
    fputs(". Predicted by sdsim " SDSIM_VERSION ", a simulator of SD cards, their bus and the "
          "firmware that uses them.</p>\n",
          out);
}

/* What a scenario says about itself. */
static void about(const struct sdsim_scenario *scenario, FILE *out)
{
    if (scenario->description != NULL) {
        fputs("<p>", out);
        sdsim_html_text(out, scenario->description);
        fputs("</p>\n", out);
    }
    if (scenario->source != NULL) {
        fputs("<p class=\"note\">Source of what was measured: ", out);
        sdsim_html_text(out, scenario->source);
        fputs("</p>\n", out);
    }
}

static void each_run(const struct sdsim_page *page, FILE *out)
{
    for (size_t i = 0; i < page->count; i++) {
        const struct sdsim_scenario *scenario = page->runs[i].report->scenario;
        const bool first = i == 0 || scenario != page->runs[i - 1].report->scenario;
        if (first && scenario_count(page) > 1) {
            fputs("<h2>", out);
            sdsim_html_text(out, scenario->name);
            fputs("</h2>\n", out);
            about(scenario, out);
        }
        sdsim_page_run(page, i, out);
    }
}

static void foot(FILE *out)
{
    fputs("<footer><p>The prediction takes typical values; its 90% interval comes from draws out "
          "of the ranges that the values carry, and always holds the prediction. Time is booked "
          "once: until the card is ready waiting is the card's, from there to the look that "
          "notices it is polling. MB is 10<sup>6</sup> bytes, MiB 2<sup>20</sup>.</p>"
          "<p>The same inputs make the same page, byte for byte.</p></footer>\n"
          "</main>\n</body>\n</html>\n",
          out);
}

void sdsim_page_print(const struct sdsim_page *page, FILE *out)
{
    head(page, out);
    lead(page, out);
    if (scenario_count(page) == 1) {
        const struct sdsim_scenario *scenario = page->runs[0].report->scenario;
        if (strcmp(page->title, scenario->name) != 0) {
            fputs("<p><strong>", out);
            sdsim_html_text(out, scenario->name);
            fputs("</strong></p>\n", out);
        }
        about(scenario, out);
    }
    sdsim_page_summary(page, out);
    each_run(page, out);
    sdsim_page_inputs(page, out);
    foot(out);
}
