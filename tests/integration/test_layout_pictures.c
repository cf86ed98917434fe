/*
 * The picture `layout` draws with gnuplot: without one, with one that fails, and with a real one.
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
#include <sys/stat.h>

#include "fsops_bench.h"
#include "golden.h"
#include "scratch.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void test_without_gnuplot(void **state)
{
    (void)state;
    const char *const arguments[] = {"layout", "cut.img", "--picture", "no.svg", NULL};
    const char *const keep[] = {"layout", "cut.img", "--picture", "no.svg", "--keep-plot", NULL};
    struct sdsim_test_result result = sdsim_test_fsops_run(arguments, "PATH=/nonexistent");
    assert_int_equal(result.code, 3);
    assert_non_null(strstr(result.err, "there is no gnuplot to draw the picture"));
    assert_non_null(strstr(result.err, "--keep-plot"));
    assert_string_equal(result.out, ""); /* told before any work */
    sdsim_test_result_free(&result);
    assert_false(sdsim_test_exists("no.svg") || sdsim_test_exists("no.dat") ||
                 sdsim_test_exists("no.gnuplot"));
    result = sdsim_test_fsops_run(keep, "PATH=/nonexistent");
    assert_int_equal(result.code, 3);
    sdsim_test_result_free(&result);
    assert_false(sdsim_test_exists("no.svg"));
    assert_true(sdsim_test_exists("no.dat") && sdsim_test_exists("no.gnuplot"));
    assert_int_equal(system("ls -d no.svg.* 2>/dev/null"), 256 * 2);
}

/* A gnuplot that fails leaves no picture; one that works draws what the script says. */
static void test_with_a_gnuplot(void **state)
{
    (void)state;
    char path[PATH_MAX + 80];
    const char *const arguments[] = {"layout", "cut.img", "--picture", "map.png", NULL};
    (void)snprintf(path, sizeof path, "PATH=%s/bin:/usr/bin:/bin", sdsim_test_folder());
    assert_int_equal(mkdir("bin", 0777), 0);
    sdsim_test_write_text("bin/gnuplot", "#!/bin/sh\necho broken >&2\nexit 1\n");
    assert_int_equal(chmod("bin/gnuplot", 0777), 0);
    struct sdsim_test_result result = sdsim_test_fsops_run(arguments, path);
    assert_int_equal(result.code, 3);
    assert_non_null(strstr(result.err, "broken\nerror: gnuplot could not draw map.png"));
    assert_false(sdsim_test_exists("map.png"));
    sdsim_test_result_free(&result);
    sdsim_test_write_text(
        "bin/gnuplot", "#!/bin/sh\ntest \"$1\" = -d && cp \"$2\" map.png\ncat map.dat >>map.png\n");
    result = sdsim_test_fsops_run(arguments, path);
    assert_int_equal(result.code, 1); /* the power cut */
    sdsim_test_result_free(&result);
    size_t size;
    char *script = sdsim_test_read_file("map.png", &size);
    assert_non_null(script);
    (void)snprintf(path, sizeof path, "%s/tests/golden/fsops/picture.gnuplot",
                   sdsim_test_fsops_source());
    assert_true(sdsim_test_golden(path, script));
    free(script);
    assert_false(sdsim_test_exists("map.dat") || sdsim_test_exists("map.gnuplot"));
}

static void test_with_gnuplot(void **state)
{
    (void)state;
    if (system("gnuplot --version >/dev/null 2>&1") != 0) {
        printf("there is no gnuplot: no picture drawn\n");
        return;
    }
    static const struct {
        const char *file;
        const char *head;
    } rows[] = {{"real.svg", "<?xml"}, {"real.png", "\x89PNG"}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        size_t size = 0;
        sdsim_test_fsops_expect((const char *const[]){"layout", "cut.img", "/LOGS/LOG.TXT",
                                                      "--picture", rows[i].file, "--keep-plot",
                                                      NULL},
                                1);
        char *picture = sdsim_test_read_file(rows[i].file, &size);
        assert_non_null(picture);
        assert_true(size > 2000);
        assert_memory_equal(picture, rows[i].head, strlen(rows[i].head));
        free(picture);
        assert_true(sdsim_test_exists("real.dat") && sdsim_test_exists("real.gnuplot"));
        /* The script draws the same picture again where it lies. */
        assert_int_equal(remove(rows[i].file), 0);
        assert_int_equal(system("gnuplot real.gnuplot"), 0);
        assert_true(sdsim_test_exists(rows[i].file));
    }
}

/* The image of which pictures are drawn. */
static int set_up(void **state)
{
    const int entered = sdsim_test_fsops_enter(state);
    sdsim_test_write_text("cut.ops", sdsim_test_power_cut);
    sdsim_test_fsops_expect(
        (const char *const[]){"mkfs", "16.img", "--size", "64MiB", "--label", "SMALL", NULL}, 0);
    sdsim_test_fsops_expect(
        (const char *const[]){"fsops", "16.img", "cut.ops", "-o", "cut.img", NULL}, 0);
    return entered;
}

int main(void)
{
    sdsim_test_need_program();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without_gnuplot),
        cmocka_unit_test(test_with_a_gnuplot),
        cmocka_unit_test(test_with_gnuplot),
    };
    return cmocka_run_group_tests(tests, set_up, sdsim_test_fsops_leave);
}
