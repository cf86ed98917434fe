/*
 * Everything a hand can do in the viewer, under SDL's dummy driver: scripts of events and the state they
 * lead to. Left out where the viewer was not built.
 *
 * The window is 1280x720 with the built-in layout of 16-pixel lines: titles up to x 140, lanes up to 940,
 * the whole run up to y 40, the ruler up to 80, then rows of 40.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "scratch.h"
#include "viewer.h"

enum { SKIPPED = 77, LEFT = 140, WIDTH = 800 };

#define TEXT_SIZE 32768

static const char one[] = "read.sdtl --size 1280x720";
static const char two[] = "read.sdtl write.sdtl --size 1280x720";

/* ---- actions whose outcome is a word in the state ---- */

static void words(void **state)
{
    (void)state;
    static const struct {
        const char *action;
        const char *script;
        const char *has[3];
        const char *lacks;
    } rows[] = {
        {"begins with all of it",
         "",
         {"rows: *Application", "panel: facts, light", "view: 0ps +"},
         "selected"},
        {"a click selects", "click 500 220", {"selected: track 0, command", "*Commands"}, "help"},
        {"facts say which values made it",
         "key /\ntype card access\nkey return",
         {"selected: track 0, card", "made by: card rd1"},
         "help"},
        {"a click on nothing selects nothing",
         "click 500 220\nclick 500 690",
         {"rows:"},
         "selected"},
        {"escape ends the selection", "click 500 220\nkey escape", {"rows:"}, "selected"},
        {"escape ends the measure", "drag 300 50 600 50\nkey escape", {"rows:"}, "measured"},
        {"help, and back", "key ?", {"light, help"}, "selected"},
        {"escape ends help first", "click 500 220\nkey ?\nkey escape", {"selected"}, "help"},
        {"dark", "key t", {"dark"}, "light"},
        {"light again", "key t\nkey t", {"light"}, "dark"},
        {"down chooses the next row", "key down", {"*File library"}, "*Application"},
        {"up goes back", "key down\nkey up", {"*Application"}, "*File library"},
        {"up at the top stays", "key up", {"*Application"}, "hidden"},
        {"a row is hidden", "key h", {"Application (hidden), *File library"}, "selected"},
        {"all are shown", "key h\nkey H", {"Application, *File library"}, "hidden"},
        {"a row is folded", "key space", {"*Application (folded)"}, "hidden"},
        {"and unfolded", "key space\nkey space", {"*Application,"}, "folded"},
        {"folded by double click", "double 50 140", {"*File library (folded)"}, "hidden"},
        {"a click on a title chooses", "click 50 140", {"*File library,"}, "folded"},
        {"moved down", "key shift down", {"File library, *Application"}, "selected"},
        {"moved up", "key down\nkey shift up", {"*File library, Application"}, "selected"},
        {"dragged down by its title",
         "drag 50 100 50 185",
         {"File library, File system, *Application, Commands"},
         "selected"},
        {"dragged up", "drag 50 180 50 90", {"*File system, Application, File library"}, NULL},
        {"a short drag leaves it", "drag 50 100 50 135", {"*Application, File library"}, NULL},
        {"dragged past a hidden one",
         "key down\nkey h\ndrag 50 100 50 145",
         {"rows: File library (hidden), File system, *Application, Commands"},
         NULL},
        {"dragged below all", "drag 50 100 50 670", {"*Application\n"}, NULL},
        {"steps to the first span of the row",
         "key down\nkey down\nkey down\nkey ]",
         {"selected: track 0, command 0"},
         "help"},
        {"tab is the same",
         "key down\nkey down\nkey down\nkey tab",
         {"selected: track 0, command 0"},
         "help"},
        {"steps on",
         "key down\nkey down\nkey down\nkey ]\nkey ]\nkey ]",
         {"selected: track 0, command 2"},
         "help"},
        {"and back",
         "key down\nkey down\nkey down\nkey ]\nkey ]\nkey ]\nkey [",
         {"selected: track 0, command 1"},
         "help"},
        {"the search line opens", "key /\ntype CMD", {"asking"}, "selected"},
        {"letters are text there", "key /\ntype q", {"asking"}, "quit"},
        {"and closes", "key /\ntype CMD\nkey escape", {"panel: facts"}, "asking"},
        {"backspace takes a letter",
         "key /\ntype CMD18x\nkey backspace\nkey return",
         {"selected", "CMD18"},
         "asking"},
        {"finds a class",
         "key /\ntype fat read\nkey return",
         {"selected: track 0, disk", "fat read"},
         "asking"},
        {"in capital letters, too",
         "key /\ntype Fat READ\nkey return",
         {"selected: track 0, disk", "fat read"},
         "asking"},
        {"finds a time",
         "key /\ntype card access over 100us\nkey return",
         {"selected: track 0, card", "access"},
         "asking"},
        {"finds a text",
         "key /\ntype CMD58\nkey return",
         {"selected: track 0, command", "CMD58"},
         "asking"},
        {"says if there is none",
         "key /\ntype nonsense\nkey return",
         {"message: nothing here is about 'nonsense'"},
         "selected"},
        {"says if there is no more",
         "key /\ntype card access over 10s\nkey return",
         {"message: no further 'card access over 10s'"},
         "selected"},
        {"lists the longest", "key l", {"longest: *", "panel: longest"}, "selected"},
        {"goes through the list",
         "key l\nkey down",
         {"selected: track 0, task", "panel: longest"},
         "help"},
        {"by the pointer, too",
         "key l\nclick 1100 105",
         {"selected: track 0, task", "panel: longest"},
         "help"},
        {"escape ends the list", "key l\nkey escape", {"panel: facts"}, "longest"},
        {"measures on the ruler",
         "drag 300 50 600 50",
         {"measured: ", " bytes, commands"},
         "selected"},
        {"measures the selection", "click 500 220\nkey r", {"measured: "}, "selected"},
        {"quits", "key q", {"quit"}, "dark"},
        {"another size", "size 800 500", {"rows: *Application"}, "in 800 pixels"},
        {"a key that means nothing", "key F13", {"rows: *Application"}, "selected"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[TEXT_SIZE];
        const char *dump = sdsim_test_view_script(one, rows[i].script, text, sizeof text);
        bool fine = rows[i].lacks == NULL || strstr(dump, rows[i].lacks) == NULL;
        for (size_t h = 0; h < 3 && rows[i].has[h] != NULL; h++) {
            fine = fine && strstr(dump, rows[i].has[h]) != NULL;
        }
        if (!fine) {
            fail_msg("%s: the script\n%s\nleads to\n%s", rows[i].action, rows[i].script, dump);
        }
    }
}

/* ---- actions that move the view ---- */

static struct sdsim_test_view view_after(const char *script)
{
    char text[TEXT_SIZE];
    return sdsim_test_view_of(sdsim_test_view_script(one, script, text, sizeof text));
}

static uint64_t time_at(const struct sdsim_test_view *view, unsigned pixel)
{
    return view->from + (uint64_t)((double)view->length * pixel / view->width);
}

static bool near(uint64_t a, uint64_t b, uint64_t slack)
{
    return (a > b ? a - b : b - a) <= slack;
}

static void zooming(void **state)
{
    (void)state;
    const struct sdsim_test_view all = view_after("");
    assert_int_equal(all.width, WIDTH);
    assert_int_equal(all.from, 0);
    /* The wheel keeps what is under the pointer, in and out. */
    static const unsigned pixels[] = {10, 400, 700};
    for (size_t i = 0; i < 3; i++) {
        char script[100];
        snprintf(script, sizeof script, "wheel %u 100 4", LEFT + pixels[i]);
        const struct sdsim_test_view in = view_after(script);
        assert_true(in.length < all.length / 2);
        if (!near(time_at(&in, pixels[i]), time_at(&all, pixels[i]), 2 * all.length / WIDTH)) {
            fail_msg("pixel %u moved from %" PRIu64 " to %" PRIu64, pixels[i],
                     time_at(&all, pixels[i]), time_at(&in, pixels[i]));
        }
    }
    /* Keys: in and out again is back where it was; + and - are the same. */
    const struct sdsim_test_view in = view_after("key w\nkey w\nkey w");
    assert_true(in.length < all.length);
    assert_int_equal(view_after("key +\nkey +\nkey +").length, in.length);
    const struct sdsim_test_view back = view_after("key w\nkey w\nkey w\nkey s\nkey -");
    assert_int_equal(back.length, view_after("key w").length);
    assert_int_equal(view_after("key w\nkey d\nkey f").length, all.length);
    assert_int_equal(view_after("key w\nkey d\nkey home").from, 0);
    /* The selection: zoomed to with z, return and a double click, a tenth of it on both sides. */
    const struct sdsim_test_view span = view_after("double 500 220");
    assert_true(span.length < all.length);
    assert_int_equal(view_after("click 500 220\nkey z").length, span.length);
    assert_int_equal(view_after("click 500 220\nkey return").from, span.from);
    assert_int_equal(view_after("double 500 220\nkey f").length, all.length);
    /* A measured range is zoomed to as well. */
    const struct sdsim_test_view range = view_after("drag 340 50 540 50\nkey z");
    assert_true(near(range.length, (all.length / 4) * 12 / 10, all.length / 100));
}

static void panning(void **state)
{
    (void)state;
    const struct sdsim_test_view start = view_after("wheel 540 100 8");
    const uint64_t pixel = start.length / WIDTH;
    const struct sdsim_test_view dragged = view_after("wheel 540 100 8\ndrag 600 300 500 300");
    assert_int_equal(dragged.length, start.length);
    assert_true(near(dragged.from, start.from + 100 * pixel, 2 * pixel));
    const struct sdsim_test_view later = view_after("wheel 540 100 8\nkey d");
    const struct sdsim_test_view earlier = view_after("wheel 540 100 8\nkey a");
    assert_true(later.from > start.from && earlier.from < start.from);
    assert_int_equal(view_after("wheel 540 100 8\nkey right").from, later.from);
    assert_int_equal(view_after("wheel 540 100 8\nkey left").from, earlier.from);
    assert_true(near(view_after("wheel 540 100 8\nkey d\nkey a").from, start.from, pixel));
    /* The whole run above: a press goes there, a drag follows. */
    const struct sdsim_test_view all = view_after("");
    const struct sdsim_test_view there = view_after("wheel 540 100 8\nclick 340 20");
    assert_true(near(there.from + there.length / 2, time_at(&all, 200), 2 * all.length / WIDTH));
    const struct sdsim_test_view along = view_after("wheel 540 100 8\ndrag 340 20 740 20");
    assert_true(near(along.from + along.length / 2, time_at(&all, 600), 2 * all.length / WIDTH));
    /* The end. */
    const struct sdsim_test_view end = view_after("wheel 540 100 8\nkey end");
    assert_true(near(end.from + end.length, all.length, 2 * pixel));
}

/* ---- measuring, markers, jumping ---- */

static void measuring(void **state)
{
    (void)state;
    char text[TEXT_SIZE];
    char expected[100];
    uint64_t from = 0;
    uint64_t to = 0;
    const struct sdsim_test_view all = view_after("");
    const char *dump = sdsim_test_view_script(one, "drag 240 50 640 50", text, sizeof text);
    const char *line = strstr(dump, "measured: ");
    assert_true(line != NULL &&
                sscanf(line, "measured: %" SCNu64 "ps to %" SCNu64 "ps", &from, &to) == 2);
    assert_true(near(from, time_at(&all, 100), 1 + all.length / WIDTH));
    assert_true(near(to, time_at(&all, 500), 1 + all.length / WIDTH));
    /* From the right to the left is the same. */
    dump = sdsim_test_view_script(one, "drag 640 50 240 50", text, sizeof text);
    snprintf(expected, sizeof expected, "measured: %" PRIu64 "ps to %" PRIu64 "ps", from, to);
    assert_non_null(strstr(dump, expected));
    /* All of it has all the bytes the run moves, 512 KiB. */
    dump = sdsim_test_view_script(one, "key r", text, sizeof text);
    assert_non_null(strstr(dump, " 524288 bytes, commands"));
    assert_non_null(strstr(dump, " read "));
}

static void markers(void **state)
{
    (void)state;
    char text[TEXT_SIZE];
    uint64_t at = 0;
    const char *dump = sdsim_test_view_script(one, "click 500 220\nkey m", text, sizeof text);
    const char *line = strstr(dump, "marker 1: ");
    assert_true(line != NULL && sscanf(line, "marker 1: %" SCNu64 "ps", &at) == 1);
    /* Set twice is taken away. */
    dump = sdsim_test_view_script(one, "click 500 220\nkey m\nkey m", text, sizeof text);
    assert_null(strstr(dump, "marker"));
    /* From elsewhere the keys lead back to it, from both sides. */
    static const char *const scripts[] = {
        "click 500 220\nkey m\nkey escape\nwheel 540 100 16\nkey end\nkey ,",
        "click 500 220\nkey m\nkey escape\nwheel 141 100 16\nkey .",
    };
    for (size_t i = 0; i < 2; i++) {
        const struct sdsim_test_view view = view_after(scripts[i]);
        if (!near(view.from + view.length / 2, at, 2 + 2 * view.length / WIDTH)) {
            fail_msg("%s: the marker at %" PRIu64 " is not in the middle of %" PRIu64 " + %" PRIu64,
                     scripts[i], at, view.from, view.length);
        }
    }
}

static unsigned selected(const char *dump)
{
    unsigned number = 0;
    const char *line = strstr(dump, "selected: track 0, command ");
    assert_true(line != NULL && sscanf(line, "selected: track 0, command %u", &number) == 1);
    return number;
}

static void jumping(void **state)
{
    (void)state;
    char text[TEXT_SIZE];
    char script[200] = "key /\ntype command CMD18\nkey return";
    unsigned last = selected(sdsim_test_view_script(one, script, text, sizeof text));
    const unsigned first = last;
    for (int i = 0; i < 3; i++) { /* each is the next one, and always a CMD18 */
        strcat(script, "\nkey n");
        const char *dump = sdsim_test_view_script(one, script, text, sizeof text);
        assert_true(selected(dump) > last);
        assert_non_null(strstr(dump, ", CMD18 "));
        last = selected(dump);
    }
    strcat(script, "\nkey p\nkey p\nkey p");
    assert_int_equal(selected(sdsim_test_view_script(one, script, text, sizeof text)), first);
    strcat(script, "\nkey p");
    assert_non_null(strstr(sdsim_test_view_script(one, script, text, sizeof text),
                           "message: no earlier 'command CMD18'"));
}

/* ---- bits ---- */

static void bits(void **state)
{
    (void)state;
    char text[TEXT_SIZE];
    /* Far away there are none; at a response (the first byte is N_CR) there are; they go away again. */
    static const char at_response[] = "key /\ntype bus response\nkey return\nkey n\nkey z\n";
    const char *dump = sdsim_test_view_script(one, "", text, sizeof text);
    assert_null(strstr(dump, "bits 0"));
    dump = sdsim_test_view_script(one, at_response, text, sizeof text);
    assert_non_null(strstr(dump, "bits 0: "));
    assert_null(strstr(dump, "bits 0: 0 edges"));
    char script[300];
    snprintf(script, sizeof script, "%s\nkey f", at_response);
    dump = sdsim_test_view_script(one, script, text, sizeof text);
    assert_null(strstr(dump, "bits 0"));
    /* A field is selected where it lies: in the row below the bus, MISO's fields are line 7. */
    snprintf(script, sizeof script, "%s\ndraw\nclick 540 %d", at_response,
             80 + 6 * 40 + 3 + 7 * 20 + 5);
    dump = sdsim_test_view_script(one, script, text, sizeof text);
    if (strstr(dump, "piece: R1") == NULL) {
        fail_msg("no field was selected in\n%s", dump);
    }
    assert_null(strstr(dump, "selected:"));
}

/* ---- two of them ---- */

static void two_runs(void **state)
{
    (void)state;
    char text[TEXT_SIZE];
    const char *dump = sdsim_test_view_script(two, "", text, sizeof text);
    assert_non_null(strstr(dump, "shift: 0ps, 0ps"));
    /* Aligned on the first span like the selected one: one of them is moved. */
    dump = sdsim_test_view_script(two, "key x", text, sizeof text);
    assert_non_null(strstr(dump, "message: select a span"));
    dump =
        sdsim_test_view_script(two, "key /\ntype task close\nkey return\nkey x", text, sizeof text);
    assert_non_null(strstr(dump, "message: aligned"));
    const char *line = strstr(dump, "shift: ");
    uint64_t shifts[2] = {0, 0};
    assert_true(line != NULL &&
                sscanf(line, "shift: %" SCNu64 "ps, %" SCNu64 "ps", &shifts[0], &shifts[1]) == 2);
    assert_true((shifts[0] == 0) != (shifts[1] == 0));
    /* The option does the same. */
    char words_of[200];
    char again[60];
    snprintf(words_of, sizeof words_of, "%s --align 'task close'", two);
    snprintf(again, sizeof again, "shift: %" PRIu64 "ps, %" PRIu64 "ps", shifts[0], shifts[1]);
    assert_non_null(strstr(sdsim_test_view_script(words_of, "", text, sizeof text), again));
    /* The rows of the second one can be selected. */
    dump = sdsim_test_view_script("write.sdtl read.sdtl --size 1280x900",
                                  "key /\ntype task close\nkey return\nclick 600 560", text,
                                  sizeof text);
    assert_non_null(strstr(dump, "selected: track 1"));
    /* More rows than there is room for are scrolled by the wheel over the titles, and by choosing. */
    dump = sdsim_test_view_script(two, "size 900 400\ndraw\nwheel 50 200 -3", text, sizeof text);
    assert_null(strstr(dump, "scroll: 0\n"));
    dump = sdsim_test_view_script(two, "size 900 400\ndraw\nwheel 50 200 -3\nwheel 50 200 90", text,
                                  sizeof text);
    assert_non_null(strstr(dump, "scroll: 0\n"));
    char script[400] = "size 900 400\ndraw";
    for (int i = 0; i < 14; i++) {
        strcat(script, "\nkey down");
    }
    dump = sdsim_test_view_script(two, script, text, sizeof text);
    assert_null(strstr(dump, "scroll: 0\n"));
}

static int set_up(void **state)
{
    (void)state;
    sdsim_test_viewer_record("bench", "read", "read");
    sdsim_test_viewer_record("bench", "write", "write");
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words),     cmocka_unit_test(zooming),  cmocka_unit_test(panning),
        cmocka_unit_test(measuring), cmocka_unit_test(markers),  cmocka_unit_test(jumping),
        cmocka_unit_test(bits),      cmocka_unit_test(two_runs),
    };
    return sdsim_test_has_viewer() ? cmocka_run_group_tests(tests, set_up, NULL) : SKIPPED;
}
