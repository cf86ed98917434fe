/*
 * All inputs, with where they come from. Runs of a report mostly share theirs: a group of values stands
 * once, under the names of the runs that use it.
 */
#include <string.h>

#include "report/html.h"
#include "report/page.h"

static bool same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* The next value of a group from *at on; NULL: no more. */
static const struct sdsim_input_value *next(const struct sdsim_inputs *inputs,
                                            enum sdsim_input_group group, size_t *at)
{
    while (*at < inputs->count) {
        const struct sdsim_input_value *value = &inputs->items[(*at)++];
        if (value->group == group) {
            return value;
        }
    }
    return NULL;
}

static bool same_group(const struct sdsim_inputs *a, const struct sdsim_inputs *b,
                       enum sdsim_input_group group)
{
    size_t at_a = 0;
    size_t at_b = 0;
    for (;;) {
        const struct sdsim_input_value *one = next(a, group, &at_a);
        const struct sdsim_input_value *two = next(b, group, &at_b);
        if (one == NULL || two == NULL) {
            return one == two;
        }
        if (!same_text(one->path, two->path) || !same_text(one->value, two->value) ||
            !same_text(one->range, two->range) || !same_text(one->origin, two->origin) ||
            !same_text(one->source, two->source)) {
            return false;
        }
    }
}

static const char *name_of(const struct sdsim_page_run *run, enum sdsim_input_group group)
{
    const struct sdsim_run *names = run->report->run;
    switch (group) {
    case SDSIM_INPUT_HOST:
        return names->host_name;
    case SDSIM_INPUT_DRIVER:
        return names->driver_name;
    case SDSIM_INPUT_CARD:
        return names->card_name;
    default:
        return sdsim_run_label(names);
    }
}

/* Whether an earlier run has the same values under the same name. */
static bool is_told(const struct sdsim_page *page, size_t number, enum sdsim_input_group group)
{
    for (size_t i = 0; i < number; i++) {
        if (same_text(name_of(&page->runs[i], group), name_of(&page->runs[number], group)) &&
            same_group(&page->runs[i].inputs, &page->runs[number].inputs, group)) {
            return true;
        }
    }
    return false;
}

static void users(const struct sdsim_page *page, size_t number, enum sdsim_input_group group,
                  FILE *out)
{
    const char *between = "used by ";
    for (size_t i = number; i < page->count; i++) {
        if (same_text(name_of(&page->runs[i], group), name_of(&page->runs[number], group)) &&
            same_group(&page->runs[i].inputs, &page->runs[number].inputs, group)) {
            char anchor[24];
            sdsim_page_anchor(i, anchor, sizeof anchor);
            fprintf(out, "%s<a href=\"#%s\">", between, anchor);
            sdsim_html_text(out, sdsim_run_label(page->runs[i].report->run));
            fputs("</a>", out);
            between = ", ";
        }
    }
}

/* ---- tables ---- */

/* Which columns of a table hold anything. */
struct columns {
    bool range;
    bool origin;
    bool source;
};

static void head(const struct columns *columns, FILE *out)
{
    fputs("<table><thead><tr><th>key</th><th class=\"n\">value</th>", out);
    fputs(columns->range ? "<th class=\"n\">5% to 95%</th>" : "", out);
    fputs(columns->origin ? "<th>from</th>" : "", out);
    fputs(columns->source ? "<th>source</th>" : "", out);
    fputs("</tr></thead>\n<tbody>\n", out);
}

static void value_row(const struct sdsim_input_value *value, const struct columns *columns,
                      FILE *out)
{
    fputs("<tr><td class=\"name\">", out);
    sdsim_html_text(out, value->path);
    fputs("</td><td class=\"n\" data-k=\"value\">", out);
    sdsim_html_text(out, value->value);
    fputs("</td>", out);
    if (columns->range) {
        fputs("<td class=\"n\" data-k=\"5% to 95%\">", out);
        sdsim_html_text(out, value->range);
        fputs("</td>", out);
    }
    if (columns->origin) {
        fputs("<td class=\"w\" data-k=\"from\">", out);
        sdsim_html_text(out, value->origin);
        fputs(value->fit_headline ? "*" : "", out);
        fputs("</td>", out);
    }
    if (columns->source) {
        fputs("<td data-k=\"source\">", out);
        sdsim_html_text(out, value->source);
        fputs("</td>", out);
    }
    fputs("</tr>\n", out);
}

static void profile(const struct sdsim_page *page, size_t number, enum sdsim_input_group group,
                    FILE *out)
{
    const struct sdsim_inputs *inputs = &page->runs[number].inputs;
    const struct sdsim_input_value *value;
    struct columns columns = {.range = false};
    for (size_t at = 0; (value = next(inputs, group, &at)) != NULL;) {
        columns.range = columns.range || value->range != NULL;
        columns.origin = columns.origin || value->origin != NULL;
        columns.source = columns.source || value->source != NULL;
    }
    fputs("<h4>", out);
    sdsim_html_print(out, "%s %s", sdsim_input_group_name(group),
                     name_of(&page->runs[number], group));
    fputs("</h4>\n<p class=\"note keep\">", out);
    users(page, number, group, out);
    fputs("</p>\n", out);
    head(&columns, out);
    for (size_t at = 0; (value = next(inputs, group, &at)) != NULL;) {
        value_row(value, &columns, out);
    }
    fputs("</tbody></table>\n", out);
}

/* ---- a scenario: its runs in one table ---- */

/* The value of a path in a run; "" if it says nothing of it. */
static const char *value_in(const struct sdsim_page *page, size_t number, const char *path)
{
    const struct sdsim_input_value *value = sdsim_inputs_find(&page->runs[number].inputs, path);
    return value != NULL ? value->value : "";
}

/* The value that all runs have, or each value with the runs that have it. */
static void values(const struct sdsim_page *page, size_t first, size_t last, const char *path,
                   FILE *out)
{
    bool same = true;
    for (size_t i = first; i < last; i++) {
        same = same && strcmp(value_in(page, i, path), value_in(page, first, path)) == 0;
    }
    if (same) {
        sdsim_html_text(out, value_in(page, first, path));
        return;
    }
    const char *between = "";
    for (size_t i = first; i < last; i++) {
        const char *text = value_in(page, i, path);
        bool told = text[0] == '\0';
        for (size_t k = first; k < i; k++) {
            told = told || strcmp(value_in(page, k, path), text) == 0;
        }
        for (size_t k = i; !told && k < last; k++) {
            if (strcmp(value_in(page, k, path), text) == 0) {
                fputs(k == i ? between : ", ", out);
                if (k == i) {
                    sdsim_html_print(out, "%s ", text);
                    fputs("<span class=\"lead\">", out);
                }
                sdsim_html_text(out, sdsim_run_label(page->runs[k].report->run));
            }
        }
        if (!told) {
            fputs("</span>", out);
            between = "; ";
        }
    }
}

/* Runs first to last - 1, which are those of one scenario. */
static void scenario(const struct sdsim_page *page, size_t first, size_t last, FILE *out)
{
    fputs("<h4>", out);
    sdsim_html_print(out, "scenario %s", page->runs[first].report->run->scenario);
    fputs("</h4>\n<table><thead><tr><th>key</th><th>value</th></tr></thead>\n<tbody>\n", out);
    for (size_t i = first; i < last; i++) {
        const struct sdsim_input_value *value;
        for (size_t at = 0;
             (value = next(&page->runs[i].inputs, SDSIM_INPUT_SCENARIO, &at)) != NULL;) {
            bool told = false;
            for (size_t k = first; k < i; k++) {
                told = told || sdsim_inputs_find(&page->runs[k].inputs, value->path) != NULL;
            }
            if (!told) {
                fputs("<tr><td class=\"name\">", out);
                sdsim_html_text(out, value->path);
                fputs("</td><td data-k=\"value\">", out);
                values(page, first, last, value->path, out);
                fputs("</td></tr>\n", out);
            }
        }
    }
    fputs("</tbody></table>\n", out);
}

static void scenarios(const struct sdsim_page *page, FILE *out)
{
    for (size_t first = 0; first < page->count;) {
        size_t last = first + 1;
        while (last < page->count &&
               page->runs[last].report->scenario == page->runs[first].report->scenario) {
            last++;
        }
        scenario(page, first, last, out);
        first = last;
    }
}

/* What profile values rest on, of all runs together; values that runs share count once a table. */
static void tally(const struct sdsim_page *page, FILE *out)
{
    static const char *const origins[] = {"published", "calculated", "measured",
                                          "fitted",    "assumed",    "set"};
    size_t counts[sizeof origins / sizeof *origins] = {0};
    const char *between = "";
    for (size_t i = 0; i < page->count; i++) {
        for (int group = 0; group < SDSIM_INPUT_GROUPS; group++) {
            const struct sdsim_input_value *value;
            size_t at = 0;
            if (is_told(page, i, (enum sdsim_input_group)group)) {
                continue;
            }
            while ((value = next(&page->runs[i].inputs, (enum sdsim_input_group)group, &at)) !=
                   NULL) {
                for (size_t o = 0; o < sizeof origins / sizeof *origins; o++) {
                    counts[o] += value->origin != NULL && strcmp(value->origin, origins[o]) == 0;
                }
            }
        }
    }
    fputs("<p>Every value the predictions were computed from. Of those that say where they come "
          "from, ",
          out);
    for (size_t o = 0; o < sizeof origins / sizeof *origins; o++) {
        if (counts[o] > 0) {
            fprintf(out, "%s%zu %s %s", between, counts[o], counts[o] == 1 ? "is" : "are",
                    strcmp(origins[o], "set") == 0 ? "from the command line" : origins[o]);
            between = ", ";
        }
    }
    fputs(between[0] == '\0' ? "there is none" : "", out);
    fputs(". A star marks values that were fitted to the headline measurements.</p>\n", out);
}

void sdsim_page_inputs(const struct sdsim_page *page, FILE *out)
{
    fputs("<h2 class=\"inputs\">All inputs</h2>\n", out);
    tally(page, out);
    scenarios(page, out);
    for (int group = SDSIM_INPUT_HOST; group < SDSIM_INPUT_GROUPS; group++) {
        for (size_t i = 0; i < page->count; i++) {
            if (!is_told(page, i, (enum sdsim_input_group)group)) {
                profile(page, i, (enum sdsim_input_group)group, out);
            }
        }
    }
}
