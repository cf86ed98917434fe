/*
 * Pieces of a page: escaping, gnuplot's pictures made fit for it, and the data of its pictures.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/rng.h"
#include "report/html.h"
#include "report/page.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* What was printed to a stream in memory. */
struct printed {
    FILE *out;
    char *text;
    size_t size;
};

static void begin(struct printed *printed)
{
    printed->out = open_memstream(&printed->text, &printed->size);
    assert_non_null(printed->out);
}

static void end(struct printed *printed)
{
    assert_int_equal(fclose(printed->out), 0);
}

/* ---- texts ---- */

static void escapes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *html;
    } rows[] = {
        {"plain 20MHz", "plain 20MHz"},
        {"<script>alert(\"1\")</script>", "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;"},
        {"a & b's", "a &amp; b&#39;s"},
        {"&lt;", "&amp;lt;"},
        {"gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f"},
        {"bad \xff\xc3 end", "bad \xef\xbf\xbd\xef\xbf\xbd end"},
        {"line\nnew\ttab\x01", "line new tab "},
        {"c1 \xc2\x85 is one", "c1   is one"},
        {"turned \xe2\x80\xae round", "turned \xef\xbf\xbd round"},
        {"", ""},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct printed printed;
        begin(&printed);
        sdsim_html_text(printed.out, rows[i].text);
        end(&printed);
        assert_string_equal(printed.text, rows[i].html);
        free(printed.text);
    }
    struct printed printed;
    begin(&printed);
    sdsim_html_text(printed.out, NULL);
    sdsim_html_print(printed.out, "<%d> %s", 5, "&");
    end(&printed);
    assert_string_equal(printed.text, "&lt;5&gt; &amp;");
    free(printed.text);
}

/* ---- pictures ---- */

static const char drawn[] =
    "<?xml version=\"1.0\" encoding=\"utf-8\"  standalone=\"no\"?>\n"
    "<svg \n width=\"480\" height=\"300\"\n viewBox=\"0 0 480 300\"\n"
    " xmlns=\"http://www.w3.org/2000/svg\"\n xmlns:xlink=\"http://www.w3.org/1999/xlink\"\n>\n\n"
    "<title>Gnuplot</title>\n<desc>Produced by GNUPLOT 5.4 patchlevel 4 </desc>\n\n"
    "<g id=\"gnuplot_canvas\">\n\n<defs>\n\t<circle id='gpDot' r='0.5'/>\n</defs>\n"
    "<g fill=\"none\" color=\"black\" stroke=\"currentColor\">\n</g>\n"
    "<g fill=\"none\" color=\"black\">\n\t<path stroke='rgb(  1,   2,   5)'  d='M1,2 "
    "L3,4\n\t\tM5,6  "
    "'/>\t<g fill=\"rgb(1,2,3)\" font-family=\"sans-serif\" font-size=\"13.00\">\n\t\t<text> 0.1"
    "</text>\n\t</g>\n</g>\n\t<g id=\"gnuplot_plot_1\" ><title>$d using 1:2</title>\n"
    "\t<use xlink:href='#gpPt6' transform='scale(4.88)' color='white'/>\n"
    "\t<use xlink:href='#gpPt6' color='rgb(  1,   2,   7)'/></g>\n"
    "<path stroke='rgb( 10,  20,  30)'/></g>\n</svg>\n\n";

static void pictures(void **state)
{
    (void)state;
    static const char *const there[] = {
        "<svg class=\"plot\" viewBox=\"0 0 480 300\" role=\"img\" aria-label=\"a &lt;label&gt;\">",
        "stroke='var(--accent)'",
        "fill=\"var(--soft-ink)\"",
        "color='var(--bad)'",
        "color=\"var(--paper)\"",
        "<text> 0.1</text>",
        "xlink:href='#gpPt6'",
        "rgb( 10, 20, 30)", /* none of the page's */
        "</svg>",
    };
    static const char *const gone[] = {
        "xml version", "http",    " id=",        "<title>",       "<desc>",   "<defs>",
        "font-family", "GNUPLOT", "width=\"480", "color='white'", "$d using",
    };
    struct printed printed;
    begin(&printed);
    assert_true(sdsim_html_picture(printed.out, drawn, "a <label>"));
    end(&printed);
    for (size_t i = 0; i < COUNT(there); i++) {
        if (strstr(printed.text, there[i]) == NULL) {
            fail_msg("lacks %s:\n%s", there[i], printed.text);
        }
    }
    for (size_t i = 0; i < COUNT(gone); i++) {
        if (strstr(printed.text, gone[i]) != NULL) {
            fail_msg("has %s:\n%s", gone[i], printed.text);
        }
    }
    /* The empty group is gone, so as many begin as end. */
    size_t begins = 0;
    size_t ends = 0;
    for (const char *at = printed.text; (at = strstr(at, "<g")) != NULL; at++) {
        begins++;
    }
    for (const char *at = printed.text; (at = strstr(at, "</g>")) != NULL; at++) {
        ends++;
    }
    assert_int_equal(begins, 4);
    assert_int_equal(ends, 4);
    free(printed.text);
}

static void no_pictures(void **state)
{
    (void)state;
    static const char *const texts[] = {"",      "<svg",
                                        "<svg>", "<svg viewBox=\"0 0 1 1\">",
                                        "hello", "<svg></svg> viewBox=\"0 0 1 1\""};
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct printed printed;
        begin(&printed);
        assert_false(sdsim_html_picture(printed.out, texts[i], "x"));
        end(&printed);
        assert_string_equal(printed.text, "");
        free(printed.text);
    }
}

/* A picture cut anywhere is refused or printed, and read no further. */
static void cut_pictures(void **state)
{
    (void)state;
    for (size_t size = 0; size < sizeof drawn; size += 3) {
        char *text = malloc(size + 7);
        struct printed printed;
        assert_non_null(text);
        memcpy(text, drawn, size);
        memcpy(text + size, "</svg>", 7);
        begin(&printed);
        (void)sdsim_html_picture(printed.out, text, "x");
        end(&printed);
        free(printed.text);
        free(text);
    }
}

/* ---- data ---- */

/* Calls as they are: most alike, some twice as long, a rare pause. */
static struct sdsim_histogram *some_calls(uint64_t seed, uint64_t *count)
{
    struct sdsim_histogram *calls = calloc(1, sizeof *calls);
    struct sdsim_rng rng;
    assert_non_null(calls);
    sdsim_rng_seed(&rng, seed);
    *count = 1 + sdsim_rng_below(&rng, 3000);
    for (uint64_t i = 0; i < *count; i++) {
        const uint64_t usual = 900000000 + sdsim_rng_below(&rng, 300000000);
        sdsim_histogram_add(calls, sdsim_rng_below(&rng, 200) == 0 ? 90 * usual : usual);
    }
    return calls;
}

/* No call is lost between the bars, and they follow each other. */
static void bars(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        uint64_t count;
        struct sdsim_histogram *calls = some_calls(seed, &count);
        struct printed printed;
        begin(&printed);
        sdsim_page_histogram_data(calls, printed.out);
        end(&printed);
        uint64_t sum = 0;
        double last = 0;
        for (char *line = strtok(printed.text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
            double from;
            double to;
            uint64_t many;
            assert_int_equal(sscanf(line, "%lf %lf %" SCNu64, &from, &to, &many), 3);
            if (!(from >= last * 0.999999999 && to > from && many > 0)) {
                fail_msg("seed %" PRIu64 ": %s", seed, line);
            }
            last = to;
            sum += many;
        }
        if (sum != count) {
            fail_msg("seed %" PRIu64 ": %" PRIu64 " of %" PRIu64 " calls", seed, sum, count);
        }
        free(printed.text);
        free(calls);
    }
}

/* The curve begins at the shortest, never falls, and ends at the longest. */
static void curves(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        uint64_t count;
        struct sdsim_histogram *calls = some_calls(seed, &count);
        struct printed printed;
        begin(&printed);
        sdsim_page_percentile_data(calls, printed.out);
        end(&printed);
        double place = 1;
        double value = 0;
        for (char *line = strtok(printed.text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
            double x;
            double y;
            assert_int_equal(sscanf(line, "%lf %lf", &x, &y), 2);
            if (x < place * 0.999999999 || y < value * 0.999999999) {
                fail_msg("seed %" PRIu64 ": %s behind %g %g", seed, line, place, value);
            }
            place = x;
            value = y;
        }
        assert_true(place > (double)count * 1.49 && place < (double)count * 1.51);
        free(printed.text);
        free(calls);
    }
}

/* ---- the style ---- */

/* Whether the style sheet has a rule for a class by this name. */
static bool has_rule(const char *style, const char *name)
{
    char with[40];
    snprintf(with, sizeof with, ".%s", name);
    for (const char *at = strstr(style, with); at != NULL; at = strstr(at + 1, with)) {
        if (at[strlen(with)] == '{' || at[strlen(with)] == ',') {
            return true;
        }
    }
    return false;
}

/* What has no rule would be black, or not be seen. */
static void every_class_has_a_color(void **state)
{
    (void)state;
    struct printed printed;
    begin(&printed);
    sdsim_page_style(printed.out);
    end(&printed);
    for (int lane = 0; lane < SDSIM_LANE_COUNT; lane++) {
        for (uint8_t class = 0; class < sdsim_lane_info((enum sdsim_lane)lane)->classes; class ++) {
            char name[32];
            sdsim_page_class((enum sdsim_lane)lane, class, name, sizeof name);
            if (!has_rule(printed.text, name)) {
                fail_msg("lane %d: no rule for .%s", lane, name);
            }
        }
    }
    for (int layer = 0; layer < SDSIM_LAYER_COUNT; layer++) {
        char name[32];
        snprintf(name, sizeof name, "l-%s", sdsim_layer_name((enum sdsim_layer)layer));
        if (!has_rule(printed.text, name)) {
            fail_msg("no rule for .%s", name);
        }
    }
    free(printed.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(escapes),
        cmocka_unit_test(pictures),
        cmocka_unit_test(no_pictures),
        cmocka_unit_test(cut_pictures),
        cmocka_unit_test(bars),
        cmocka_unit_test(curves),
        cmocka_unit_test(every_class_has_a_color),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
