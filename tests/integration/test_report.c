/*
 * sdsim report: one page, whole in itself, the same bytes every time, with every text of others escaped;
 * the numbers on it are those of `run` and `explain`; in a real browser nothing is wider than the screen,
 * from 320 pixels on, and it prints.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "golden.h"
#include "program.h"
#include "scratch.h"
#include "shell.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

enum { MOST_IDS = 200, DEEPEST = 64 };

/* A scenario whose every text means harm. */
static const char hostile[] =
    "kind: scenario\n"
    "name: \"<script>alert(1)</script> & 'co'\"\n"
    "description: \"</p><img src=x onerror=alert(2)> \\\"quoted\\\"\"\n"
    "source: \"<a href='javascript:alert(3)'>x</a>\"\n"
    "board: devkit\ncard: plain\n"
    "workload: {do: write, call: 4KiB, total: 64KiB}\n"
    "runs:\n  - {id: \"<b>one</b>\", measured: 1.2MB/s}\n"
    "  - {id: \"\\\" onmouseover=\\\"alert(4)\", card: {base: quick, rd1: {value: 500us, source: "
    "\"<i>source</i>\"}}}\n";

static struct sdsim_test_result report_of(const char *const *words)
{
    struct sdsim_test_result result = sdsim_test_run_quiet(words);
    if (result.code != 0) {
        fail_msg("%s: exit code %d: %s", sdsim_test_command(words), result.code, result.err);
    }
    return result;
}

/* ---- the page as a text ---- */

/* The value of an attribute of the tag at `tag`, in `value`; false if it has none. */
static bool attribute(const char *tag, const char *name, char *value, size_t size)
{
    const char *close = strchr(tag, '>');
    char wanted[40];
    snprintf(wanted, sizeof wanted, " %s=\"", name);
    const char *at = strstr(tag, wanted);
    if (at == NULL || close == NULL || at > close) {
        return false;
    }
    at += strlen(wanted);
    snprintf(value, size, "%.*s", (int)strcspn(at, "\""), at);
    return true;
}

static bool is_void(const char *name)
{
    static const char *const names[] = {"meta", "br", "path", "circle", "rect", "use", "polygon"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

/* Reads all tags: they nest, ids are there once, links lead somewhere, nothing is loaded or run. */
static void expect_sound(const char *page)
{
    static char ids[MOST_IDS][40];
    char open[DEEPEST][20];
    size_t depth = 0;
    size_t id_count = 0;
    for (const char *at = page; (at = strchr(at, '<')) != NULL; at++) {
        char name[20];
        char value[200];
        const bool ends = at[1] == '/';
        const char *close = strchr(at, '>');
        assert_non_null(close);
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at + 1 + ends, " >/\n"), at + 1 + ends);
        if (at[1] == '!') {
            continue;
        }
        if (!isalpha((unsigned char)name[0])) {
            fail_msg("a bare '<': %.60s", at);
        }
        if (ends) {
            if (depth == 0 || strcmp(open[depth - 1], name) != 0) {
                fail_msg("</%s> closes <%s>: %.80s", name, depth > 0 ? open[depth - 1] : "", at);
            }
            depth--;
            continue;
        }
        if (close[-1] != '/' && !is_void(name)) {
            assert_true(depth < DEEPEST);
            snprintf(open[depth++], sizeof open[0], "%s", name);
        }
        static const char *const never[] = {"script", "img", "link", "iframe", "object", "base"};
        for (size_t n = 0; n < COUNT_OF(never); n++) {
            assert_string_not_equal(name, never[n]);
        }
        if (attribute(at, "id", value, sizeof value)) {
            for (size_t i = 0; i < id_count; i++) {
                assert_string_not_equal(ids[i], value);
            }
            assert_true(id_count < MOST_IDS);
            snprintf(ids[id_count++], sizeof ids[0], "%.39s", value);
        }
        for (const char *on = at; (on = strstr(on, " on")) != NULL && on < close; on++) {
            const size_t letters = strspn(on + 1, "abcdefghijklmnopqrstuvwxyz");
            if (on[1 + letters] == '=') {
                fail_msg("an event: %.80s", at);
            }
        }
        assert_false(attribute(at, "src", value, sizeof value));
    }
    assert_int_equal(depth, 0);
    for (const char *at = page; (at = strstr(at, "href=")) != NULL; at++) {
        bool found = false;
        if (strchr("\"'", at[5]) == NULL) {
            continue; /* an escaped text */
        }
        char target[40];
        assert_int_equal(at[6], '#');
        snprintf(target, sizeof target, "%.*s", (int)strcspn(at + 7, "\"'"), at + 7);
        for (size_t i = 0; i < id_count; i++) {
            found = found || strcmp(ids[i], target) == 0;
        }
        if (!found) {
            fail_msg("nothing has the id %s", target);
        }
    }
    static const char *const outside[] = {"http:", "https:", "@import", "url(", "javascript:"};
    for (size_t i = 0; i < COUNT_OF(outside); i++) {
        if (strstr(page, outside[i]) != NULL) {
            fail_msg("the page names something outside: %.60s", strstr(page, outside[i]));
        }
    }
}

static void pages_are_sound(void **state)
{
    (void)state;
    static const char *const rows[][8] = {
        {"report", "bench", "--draws", "8"},
        {"report", "single", "bench", "--draws", "0", "--title", "Both"},
        {"report", "places", "--draws", "0", "--set", "seed=3"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct sdsim_test_result result = report_of(rows[i]);
        expect_sound(result.out);
        sdsim_test_result_free(&result);
    }
}

static void hostile_texts(void **state)
{
    (void)state;
    sdsim_test_write_text(sdsim_test_path("hostile.yaml"), hostile);
    struct sdsim_test_result result =
        report_of((const char *const[]){"report", sdsim_test_path("hostile.yaml"), "--draws", "0",
                                        "--title", "<title>&</title>", NULL});
    static const char *const there[] = {
        "&lt;script&gt;alert(1)&lt;/script&gt; &amp; &#39;co&#39;",
        "&lt;/p&gt;&lt;img src=x onerror=alert(2)&gt; &quot;quoted&quot;",
        "&lt;a href=&#39;javascript",
        "&lt;b&gt;one&lt;/b&gt;",
        "&quot; onmouseover=&quot;alert(4)",
        "&lt;i&gt;source&lt;/i&gt;",
        "<title>&lt;title&gt;&amp;&lt;/title&gt;</title>",
    };
    for (size_t i = 0; i < COUNT_OF(there); i++) {
        if (strstr(result.out, there[i]) == NULL) {
            fail_msg("lacks %s", there[i]);
        }
    }
    /* What is escaped can't be told from the rest by looking for words; take it out first. */
    char *word;
    while ((word = strstr(result.out, "javascript:")) != NULL) {
        assert_true(word > result.out && strstr(word - 20, "&#39;javascript:") != NULL);
        memcpy(word, "harmless...", 11);
    }
    expect_sound(result.out);
    sdsim_test_result_free(&result);
}

/* The same bytes for any number of threads, and every time. */
static void same_bytes(void **state)
{
    (void)state;
    static const char *const rows[][6] = {{"report", "bench", "--draws", "8"},
                                          {"report", "bench", "--draws", "8"},
                                          {"report", "bench", "--draws", "8", "-j1"},
                                          {"report", "bench", "--draws", "8", "-j7"}};
    struct sdsim_test_result first = report_of(rows[0]);
    for (size_t i = 1; i < COUNT_OF(rows); i++) {
        struct sdsim_test_result next = report_of(rows[i]);
        assert_string_equal(next.out, first.out);
        sdsim_test_result_free(&next);
    }
    /* Whoever draws for himself may have told gnuplot how. */
    char home[PATH_MAX + 8];
    sdsim_test_write_text(sdsim_test_path(".gnuplot"), "set title 'mine'\nset xrange [0:1]\n");
    snprintf(home, sizeof home, "HOME=%s", sdsim_test_folder());
    struct sdsim_test_result mine = sdsim_test_run(
        rows[0], (const char *const[]){"SDSIM_DATA_DIR=tests/golden/data", home, "LC_ALL=C", NULL});
    assert_string_equal(mine.out, first.out);
    sdsim_test_result_free(&mine);
    struct sdsim_test_result other =
        report_of((const char *const[]){"report", "bench", "--draws", "8", "--seed", "9", NULL});
    assert_string_not_equal(other.out, first.out);
    sdsim_test_result_free(&other);
    sdsim_test_result_free(&first);
}

/* What stands on the page is what the other commands say. */
static void numbers(void **state)
{
    (void)state;
    static const char *const said[] = {
        /* of `run bench write` and `explain bench write`, in tests/golden */
        ">1.105MB/s<",
        "1.2MB/s",
        "90% in 1.03..1.182MB/s",
        "write 512KiB in calls of 4KiB",
        "80MHz / 4",
        "What is to blame",
        "What would change it",
        "What happens when",
        "How long a line takes",
        ">CMD25<",
        ">17522 lines/s<",
        "host.drivers",
        "card.rd1",
        "How long a call takes",
        "within the tolerance of 20%",
    };
    struct sdsim_test_result result = report_of((const char *const[]){"report", "bench", NULL});
    for (size_t i = 0; i < COUNT_OF(said); i++) {
        if (strstr(result.out, said[i]) == NULL) {
            fail_msg("lacks %s", said[i]);
        }
    }
    /* The steps of each waterfall fill its bar. */
    size_t bars = 0;
    for (const char *at = result.out; (at = strstr(at, "<li class=\"sum\">")) != NULL; at++) {
        double sum = 0;
        const char *close = strstr(at, "</li>");
        for (const char *piece = at; (piece = strstr(piece, "width:")) != NULL && piece < close;
             piece++) {
            sum += strtod(piece + 6, NULL);
        }
        assert_true(sum > 99.9 && sum < 100.1);
        bars++;
    }
    assert_int_equal(bars, 4);
    sdsim_test_result_free(&result);
}

static void refusals(void **state)
{
    (void)state;
    const struct {
        const char *words[6];
        int code;
        const char *says;
    } rows[] = {
        {{"report"}, 2, "missing arguments"},
        {{"report", "nosuch"}, 2, "there is no scenario 'nosuch'"},
        {{"report", "tests/broken/unknown-key.yaml"}, 2, "unknown key"},
        {{"report", "single", "-o", "/nonexistent/page.html"}, 3, "/nonexistent/page.html"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct sdsim_test_result result = sdsim_test_run_quiet(rows[i].words);
        if (result.code != rows[i].code || strstr(result.err, rows[i].says) == NULL) {
            fail_msg("row %zu: exit code %d: %s", i, result.code, result.err);
        }
        assert_string_equal(result.out, "");
        sdsim_test_result_free(&result);
    }
}

/* Without gnuplot there is no page, and none is left half-made; nor are temporary files. */
static void without_gnuplot(void **state)
{
    (void)state;
    char temporary[PATH_MAX + 8];
    struct stat status;
    assert_int_equal(mkdir(sdsim_test_path("tmp"), 0700), 0);
    snprintf(temporary, sizeof temporary, "TMPDIR=%s", sdsim_test_path("tmp"));
    const char *page = sdsim_test_path("none.html");
    struct sdsim_test_result result =
        sdsim_test_run((const char *const[]){"report", "single", "-o", page, NULL},
                       (const char *const[]){"SDSIM_DATA_DIR=tests/golden/data",
                                             "PATH=/nonexistent", temporary, NULL});
    assert_int_equal(result.code, 3);
    assert_non_null(strstr(result.err, "there is no gnuplot"));
    assert_int_not_equal(stat(page, &status), 0);
    assert_int_equal(rmdir(sdsim_test_path("tmp")), 0); /* empty */
    sdsim_test_result_free(&result);
}

static void help(void **state)
{
    (void)state;
    struct sdsim_test_result result = report_of((const char *const[]){"report", "--help", NULL});
    assert_true(sdsim_test_golden("tests/golden/help-report.txt", result.out));
    sdsim_test_result_free(&result);
}

/* ---- in a browser ---- */

static const char *browser(void)
{
    static const char *const names[] = {"chromium", "chromium-browser", "google-chrome"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        if (sdsim_test_has(names[i])) {
            return names[i];
        }
    }
    print_message("[  SKIPPED ] no chromium: the page is not looked at in a browser\n");
    skip();
    return NULL;
}

#define BROWSER                                                                                    \
    "HOME=$d timeout 280 %s --headless --no-sandbox --disable-gpu --disable-dev-shm-usage "        \
    "--user-data-dir=$d/profile --hide-scrollbars --allow-file-access-from-files "

/* The page in frames of several widths; what a script finds out about them is the text of #r. */
static const char frames[] =
    "<!DOCTYPE html><body><script>\n"
    "const widths=[320,360,768,1280],found=[];let left=widths.length;\n"
    "for(const w of widths){const f=document.createElement('iframe');f.src='page.html';\n"
    "f.style.cssText='border:0;height:800px;width:'+w+'px';\n"
    "f.onload=()=>{const d=f.contentDocument,e=d.documentElement,wide=[];\n"
    "for(const x of d.querySelectorAll('body *')){const b=x.getBoundingClientRect();\n"
    "if(b.width>0&&b.right>e.clientWidth+1)wide.push(x.tagName+'.'+x.className)}\n"
    "const small=[...d.querySelectorAll('p,td,li,dd,span')].filter(x=>x.textContent.trim()&&\n"
    "parseFloat(d.defaultView.getComputedStyle(x).fontSize)<11).length;\n"
    "found.push(w+': scroll '+(e.scrollWidth-e.clientWidth)+' wide '+wide.length+' '+wide[0]+\n"
    "' small '+small+' runs '+d.querySelectorAll('section.run').length+' pictures '+\n"
    "d.querySelectorAll('svg.plot').length+' scripts '+d.scripts.length+' rows '+\n"
    "d.querySelectorAll('tbody tr').length);\n"
    "if(--left===0){const r=document.createElement('pre');r.id='r';\n"
    "r.textContent=found.sort().join('\\n');document.body.append(r)}};\n"
    "document.body.append(f)}\n"
    "</script></body>\n";

static void fits_every_screen(void **state)
{
    (void)state;
    const char *program = browser();
    struct sdsim_test_result made = report_of((const char *const[]){
        "report", "bench", "single", "--draws", "8", "-o", sdsim_test_path("page.html"), NULL});
    sdsim_test_result_free(&made);
    sdsim_test_write_text(sdsim_test_path("frames.html"), frames);
    struct sdsim_test_output output =
        sdsim_test_sh(BROWSER "--dump-dom file://$d/frames.html 2>$d/messages", program);
    assert_int_equal(output.code, 0);
    static const int widths[] = {320, 360, 768, 1280};
    for (size_t i = 0; i < COUNT_OF(widths); i++) {
        char wanted[80];
        snprintf(wanted, sizeof wanted, "%d: scroll 0 wide 0 undefined small 0 runs 5 ", widths[i]);
        if (strstr(output.text, wanted) == NULL) {
            const char *found = strstr(output.text, "id=\"r\"");
            fail_msg("at %d pixels: %s", widths[i], found != NULL ? found : output.text);
        }
    }
    assert_non_null(strstr(output.text, " scripts 0 "));
    assert_null(strstr(output.text, " rows 0<"));
    free(output.text);
    /* What the page's own policy forbids would be told here. */
    sdsim_test_expect_success(
        sdsim_test_sh("! grep -i -E 'refused|content security|uncaught' $d/messages"));
}

/* Screenshots at both ends, and a printed page: they are there and not blank. */
static void shows_and_prints(void **state)
{
    (void)state;
    const char *program = browser();
    struct sdsim_test_result made = report_of((const char *const[]){
        "report", "bench", "--draws", "8", "-o", sdsim_test_path("page.html"), NULL});
    sdsim_test_result_free(&made);
    sdsim_test_expect_success(sdsim_test_sh(BROWSER
                                            "--window-size=1280,1600 --screenshot=$d/wide.png "
                                            "file://$d/page.html 2>$d/messages",
                                            program));
    sdsim_test_expect_success(sdsim_test_sh(BROWSER
                                            "--no-pdf-header-footer --print-to-pdf=$d/page.pdf "
                                            "file://$d/page.html 2>$d/messages",
                                            program));
    struct stat status;
    assert_int_equal(stat(sdsim_test_path("wide.png"), &status), 0);
    assert_true(status.st_size > 40000); /* a blank one has 10 kB */
    sdsim_test_expect_success(
        sdsim_test_sh("head -c 5 $d/page.pdf | grep -q %%PDF && "
                      "test $(grep -a -c '/Type */Page$' $d/page.pdf) -ge 5"));
}

int main(void)
{
    sdsim_test_need_program();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_are_sound),
        cmocka_unit_test(hostile_texts),
        cmocka_unit_test(same_bytes),
        cmocka_unit_test(numbers),
        cmocka_unit_test(refusals),
        cmocka_unit_test(without_gnuplot),
        cmocka_unit_test(help),
        cmocka_unit_test(fits_every_screen),
        cmocka_unit_test(shows_and_prints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
