/*
 * The viewer in a real window of an X server without a screen (Xvfb), with a real pointer and keyboard
 * (xdotool): zoom, select, mark, search, quit, and the state it ends with. Left out without these two or
 * without the viewer.
 *
 * The server chooses its display itself. What the pointer does in which order is waited for by looking at
 * the window, never by the clock alone; if all of it takes more than five minutes something hangs.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scratch.h"
#include "viewer.h"

enum { SKIPPED = 77, PATIENCE = 300 /* s */ };

static pid_t server;
static char display[32];

static bool there_is(const char *program)
{
    char command[100];
    snprintf(command, sizeof command, "command -v %s > /dev/null", program);
    return system(command) == 0;
}

/* Starts the server; it writes the number of its display into the pipe when it is ready. */
static bool start_server(void)
{
    int ends[2];
    char number[16] = "";
    if (pipe(ends) != 0) {
        return false;
    }
    server = fork();
    if (server == 0) {
        char handle[16];
        snprintf(handle, sizeof handle, "%d", ends[1]);
        close(ends[0]);
        if (freopen("/dev/null", "w", stderr) == NULL) {
            _exit(126);
        }
        execlp("Xvfb", "Xvfb", "-displayfd", handle, "-screen", "0", "1400x900x24", "-nolisten",
               "tcp", "-noreset", (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    size_t used = 0; /* it comes in pieces, up to the end of a line */
    ssize_t got = 1;
    while (got > 0 && used + 1 < sizeof number && strchr(number, '\n') == NULL) {
        got = read(ends[0], number + used, sizeof number - 1 - used);
        used += got > 0 ? (size_t)got : 0;
    }
    close(ends[0]);
    snprintf(display, sizeof display, ":%.*s", (int)strcspn(number, "\n"), number);
    return got > 0;
}

static void stop_server(void)
{
    if (server > 0) {
        kill(server, SIGTERM);
        waitpid(server, NULL, 0);
    }
}

/* A line for the shell, with the display; its output in `text`. */
static int run(const char *line, char *text, size_t size)
{
    char command[4 * PATH_MAX];
    size_t used = 0;
    snprintf(command, sizeof command, "cd '%s' && export DISPLAY=%s && %s", sdsim_test_folder(),
             display, line);
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

/* The viewer is started in the background, its state goes to a file when it ends. What SDL's libraries for
 * a desktop leak is theirs; the tests without a display look for leaks of ours. */
static void start_viewer(const char *words)
{
    char line[3 * PATH_MAX];
    char text[100];
    snprintf(line, sizeof line,
             "( ASAN_OPTIONS=detect_leaks=0 SDL_VIDEODRIVER=x11 timeout %d '%s' %s --dump "
             "> state 2> errors; echo $? > code ) > /dev/null 2>&1 &",
             PATIENCE, sdsim_test_viewer(), words);
    assert_int_equal(run(line, text, sizeof text), 0);
    /* The window has its title when it was drawn for the first time. A server without a window manager
     * gives no focus by itself. The pointer goes where it does nothing. */
    snprintf(line, sizeof line,
             "for i in $(seq %d); do xdotool search --onlyvisible --class sdsim-view getwindowname "
             "| grep -q ' - sdsim$' && break; test -s code && break; sleep 0.1; done; "
             "xdotool search --onlyvisible --class sdsim-view windowmove %%1 0 0 windowfocus %%1; "
             "for i in $(seq %d); do xdotool search --onlyvisible --class sdsim-view "
             "getwindowgeometry | grep -q 'Position: 0,0' && break; sleep 0.1; done; "
             "xdotool mousemove 600 690",
             10 * PATIENCE, 10 * PATIENCE);
    assert_int_equal(run(line, text, sizeof text), 0);
}

/* What it left behind; waits for its end. */
static void end_viewer(char *state, size_t size, int *code)
{
    char text[100];
    char line[200];
    snprintf(line, sizeof line,
             "for i in $(seq %d); do test -s code && break; sleep 0.1; done; cat code",
             10 * PATIENCE);
    assert_int_equal(run(line, text, sizeof text), 0);
    *code = atoi(text);
    assert_int_equal(run("cat errors state; rm -f code", state, size), 0);
}

static void hands(void **state)
{
    (void)state;
    char text[8192];
    int code;
    start_viewer("read.sdtl --size 1280x720");
    /* Zoom with the wheel over the lanes, choose a command, mark it; then the search line. */
    assert_int_equal(
        run("xdotool mousemove --sync 540 300 click 4 click 4 sleep 0.2 mousemove --sync 500 220 "
            "click 1 sleep 0.2 key m sleep 0.2 key slash sleep 0.2 type 'command CMD18'",
            text, sizeof text),
        0);
    assert_int_equal(
        run("xdotool sleep 0.2 key Return sleep 0.3 key t sleep 0.3 key q", text, sizeof text), 0);
    end_viewer(text, sizeof text, &code);
    const struct sdsim_test_view view =
        sdsim_test_view_of(strstr(text, "view:") != NULL ? strstr(text, "view:") : text);
    const bool fine =
        code == 0 && view.length > 0 && view.width == 800 && strstr(text, "marker 1: ") != NULL &&
        strstr(text, "selected: track 0, command") != NULL && strstr(text, ", CMD18 ") != NULL &&
        strstr(text, "dark") != NULL && strstr(text, "view: 0ps") == NULL;
    if (!fine) {
        fail_msg("it ended with %d and\n%s", code, text);
    }
}

/* A drag on the ruler measures; the window's size follows; closing the window ends it well. */
static void window(void **state)
{
    (void)state;
    char text[8192];
    int code;
    start_viewer("read.sdtl --size 1280x720");
    assert_int_equal(run("xdotool mousemove --sync 240 50 sleep 0.2 mousedown 1 sleep 0.2 "
                         "mousemove --sync 400 50 mousemove --sync 640 50 sleep 0.2 mouseup 1 "
                         "sleep 0.3",
                         text, sizeof text),
                     0);
    assert_int_equal(run("xdotool search --onlyvisible --class sdsim-view windowsize %1 1000 600 "
                         "sleep 1 && xdotool key q",
                         text, sizeof text),
                     0);
    end_viewer(text, sizeof text, &code);
    if (code != 0 || strstr(text, "measured: ") == NULL || strstr(text, "in 520 pixels") == NULL) {
        fail_msg("it ended with %d and\n%s", code, text);
    }
}

/* Without a display there is a message. */
static void no_display(void **state)
{
    (void)state;
    char text[4096];
    char line[2 * PATH_MAX];
    snprintf(line, sizeof line,
             "unset DISPLAY WAYLAND_DISPLAY; SDL_VIDEODRIVER=x11 '%s' read.sdtl 2>&1",
             sdsim_test_viewer());
    assert_int_equal(run(line, text, sizeof text), 3);
    assert_non_null(strstr(text, "error: there is no display"));
    assert_non_null(strstr(text, "--screenshot"));
}

static int set_up(void **state)
{
    (void)state;
    sdsim_test_viewer_record("bench", "read", "read");
    return start_server() ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    stop_server();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hands),
        cmocka_unit_test(window),
        cmocka_unit_test(no_display),
    };
    if (!sdsim_test_has_viewer()) {
        return SKIPPED;
    }
    if (!there_is("Xvfb") || !there_is("xdotool")) {
        print_message("needs Xvfb and xdotool: install the packages xvfb and xdotool\n");
        return SKIPPED;
    }
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
