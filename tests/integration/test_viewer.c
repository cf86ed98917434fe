/*
 * The viewer under SDL's dummy driver: scripts of input events and the state they lead to, pictures,
 * and what it says to files it can't show. Left out where it was not built.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "program.h"

enum { SKIPPED = 77 };

static char viewer[PATH_MAX]; /* the program */
static char folder[] = "/tmp/sdsim-viewer-XXXXXX";

/* Runs the viewer with these words (in a shell) in the folder; its exit code, and what it printed on
 * both outputs. */
static int view(const char *words, char *text, size_t size)
{
    char command[3 * PATH_MAX];
    size_t used = 0;
    snprintf(command, sizeof command, "cd '%s' && SDL_VIDEODRIVER=dummy '%s' %s 2>&1", folder,
             viewer, words);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    while (used + 1 < size) {
        const size_t got = fread(text + used, 1, size - 1 - used, pipe);
        if (got == 0) {
            break;
        }
        used += got;
    }
    text[used] = '\0';
    return pclose(pipe) >> 8;
}

/* The last dump of a script that ends with one. */
static const char *last_dump(const char *text)
{
    const char *last = text;
    for (const char *at = strstr(text, "view:"); at != NULL; at = strstr(at + 1, "view:")) {
        last = at;
    }
    return last;
}

static void scripts(void **state)
{
    (void)state;
    static const struct {
        const char *script;
        const char *has[3];
        const char *lacks;
    } rows[] = {
        {"dump", {"rows: *Application", "panel: facts, light", "view: 0ps +"}, "selected"},
        {"key w\nkey w\ndump", {"view: "}, "view: 0ps +"},
        {"key w\nkey d\nkey f\ndump", {"view: 0ps +"}, "selected"},
        {"wheel 500 100 3\ndump", {"view: "}, "view: 0ps +"},
        {"click 500 220\ndump", {"selected: track 0, command", "*Commands"}, "help"},
        {"click 500 220\nkey escape\ndump", {"rows:"}, "selected"},
        {"double 500 220\ndump", {"selected: track 0, command"}, "view: 0ps +"},
        {"key ?\ndump", {"light, help"}, "selected"},
        {"key t\ndump", {"dark"}, "light"},
        {"key down\ndump", {"*File library"}, "*Application"},
        {"key h\ndump", {"Application (hidden), *File library"}, "selected"},
        {"key h\nkey H\ndump", {"Application, *File library"}, "hidden"},
        {"key shift down\ndump", {"File library, *Application"}, "selected"},
        {"key down\nkey down\nkey down\nkey ]\ndump", {"selected: track 0, command"}, "help"},
        {"drag 300 50 600 50\ndump", {"measured: "}, "selected"},
        {"size 800 500\ndump", {"rows: *Application"}, "in 800 pixels"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char path[PATH_MAX];
        char text[16384];
        snprintf(path, sizeof path, "%s/script", folder);
        FILE *script = fopen(path, "w");
        assert_non_null(script);
        fprintf(script, "%s\n", rows[i].script);
        fclose(script);
        const int code = view("run.sdtl --size 1280x720 --script script", text, sizeof text);
        const char *dump = last_dump(text);
        bool fine = code == 0 && (rows[i].lacks == NULL || strstr(dump, rows[i].lacks) == NULL);
        for (size_t h = 0; h < 3 && rows[i].has[h] != NULL; h++) {
            fine = fine && strstr(dump, rows[i].has[h]) != NULL;
        }
        if (!fine) {
            fail_msg("script %zu:\n%s\nended with %d and\n%s", i, rows[i].script, code, text);
        }
    }
}

/* A picture has the size asked for, and is another one of another window of time. */
static void screenshots(void **state)
{
    (void)state;
    char text[4096];
    assert_int_equal(view("run.sdtl --size 640x400 --screenshot all.png", text, sizeof text), 0);
    assert_int_equal(
        view("run.sdtl --size 640x400 --view 10ms..12ms --screenshot part.png", text, sizeof text),
        0);
    assert_int_equal(
        view("run.sdtl run.sdtl --size 640x400 --screenshot two.png", text, sizeof text), 0);
    char path[PATH_MAX];
    unsigned char head[24];
    snprintf(path, sizeof path, "%s/all.png", folder);
    FILE *picture = fopen(path, "rb");
    assert_non_null(picture);
    assert_int_equal(fread(head, 1, sizeof head, picture), sizeof head);
    fclose(picture);
    assert_memory_equal(head, "\x89PNG\r\n\x1a\n", 8);
    assert_memory_equal(head + 16, "\0\0\x02\x80\0\0\x01\x90", 8); /* 640 x 400 */
    snprintf(path, sizeof path, "cmp -s '%s/all.png' '%s/part.png'", folder, folder);
    assert_int_not_equal(system(path), 0);
}

static void refusals(void **state)
{
    (void)state;
    static const struct {
        const char *words;
        int code;
        const char *says;
    } rows[] = {
        {"nothing.sdtl --screenshot x.png", 2, "nothing.sdtl"},
        {"text --screenshot x.png", 2, "text"},
        {"run.sdtl --size 10 --screenshot x.png", 2, "size"},
        {"run.sdtl --view 2ms..1ms --screenshot x.png", 2, "view"},
        {"run.sdtl --script nothing", 2, "nothing"},
        {"run.sdtl --nonsense", 2, "nonsense"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[4096];
        const int code = view(rows[i].words, text, sizeof text);
        if (code != rows[i].code || strstr(text, rows[i].says) == NULL) {
            fail_msg("%s: ended with %d and %s", rows[i].words, code, text);
        }
    }
}

static int set_up(void **state)
{
    char path[PATH_MAX];
    (void)state;
    if (mkdtemp(folder) == NULL) {
        return -1;
    }
    snprintf(path, sizeof path, "%s/text", folder);
    FILE *text = fopen(path, "w");
    if (text == NULL || fputs("not a timeline\n", text) < 0 || fclose(text) != 0) {
        return -1;
    }
    snprintf(path, sizeof path, "%s/run.sdtl", folder);
    struct sdsim_test_result result = sdsim_test_run_quiet(
        (const char *const[]){"run", "bench", "read", "--draws", "0", "--record", path, NULL});
    const int code = result.code;
    sdsim_test_result_free(&result);
    return code;
}

static int tear_down(void **state)
{
    char command[PATH_MAX];
    (void)state;
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command);
}

int main(void)
{
    if (sdsim_test_has_program()) {
        snprintf(viewer, sizeof viewer, "%s-view", getenv("SDSIM_PROGRAM"));
    }
    if (viewer[0] == '\0' || access(viewer, X_OK) != 0) {
        print_message("needs sdsim-view, which is built where SDL2 is found\n");
        return SKIPPED;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scripts),
        cmocka_unit_test(screenshots),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
