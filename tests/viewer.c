#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "program.h"
#include "scratch.h"
#include "viewer.h"

static char viewer[PATH_MAX];

bool sdsim_test_has_viewer(void)
{
    if (sdsim_test_has_program()) {
        snprintf(viewer, sizeof viewer, "%s-view", getenv("SDSIM_PROGRAM"));
    }
    if (viewer[0] == '\0' || access(viewer, X_OK) != 0) {
        print_message("needs sdsim-view, which is built where SDL2 is found\n");
        return false;
    }
    return true;
}

const char *sdsim_test_viewer(void)
{
    return viewer;
}

void sdsim_test_viewer_record(const char *scenario, const char *run, const char *name)
{
    char file[100];
    snprintf(file, sizeof file, "%s.sdtl", name);
    struct sdsim_test_result result = sdsim_test_run_quiet((const char *const[]){
        "run", scenario, run, "--draws", "0", "--record", sdsim_test_path(file), NULL});
    if (result.code != 0) {
        fail_msg("%s %s can't be recorded: %s", scenario, run, result.err);
    }
    sdsim_test_result_free(&result);
}

int sdsim_test_view(const char *words, char *text, size_t size)
{
    char command[3 * PATH_MAX];
    char top[PATH_MAX];
    size_t used = 0;
    assert_non_null(getcwd(top, sizeof top));
    snprintf(command, sizeof command,
             "cd '%s' && SDSIM_DATA_DIR='%s/tests/golden/data' SDL_VIDEODRIVER=dummy '%s' %s 2>&1",
             sdsim_test_folder(), top, viewer, words);
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

const char *sdsim_test_view_script(const char *words, const char *script, char *text, size_t size)
{
    char all[1000];
    FILE *file = fopen(sdsim_test_path("script"), "w");
    assert_non_null(file);
    fprintf(file, "draw\n%s\ndump\n", script);
    assert_int_equal(fclose(file), 0);
    snprintf(all, sizeof all, "%s --script script", words);
    const int code = sdsim_test_view(all, text, size);
    if (code > 1) {
        fail_msg("script:\n%s\nended with %d and\n%s", script, code, text);
    }
    const char *last = text;
    for (const char *at = strstr(text, "view:"); at != NULL; at = strstr(at + 1, "view:")) {
        last = at;
    }
    return last;
}

struct sdsim_test_view sdsim_test_view_of(const char *dump)
{
    struct sdsim_test_view view = {.from = 0};
    if (sscanf(dump, "view: %" SCNu64 "ps + %" SCNu64 "ps in %u pixels", &view.from, &view.length,
               &view.width) != 3) {
        fail_msg("no view in\n%s", dump);
    }
    return view;
}
