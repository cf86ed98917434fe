/*
 * The library as other projects get it: installed into a folder of its own, which is then moved; its
 * exported symbols and what it needs; the examples built with pkg-config and with CMake, against the
 * shared and the static library; the header in C99 and C++11; Python through ctypes; the code printed
 * in README.md.
 *
 * CTest sets SDSIM_BUILD_DIR, SDSIM_CC and SDSIM_CFLAGS. Without a tool that a part needs, that part
 * is skipped.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "golden.h"
#include "sanitized.h"
#include "scratch.h"
#include "sdsim/sdsim.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* ---- running things ---- */

struct output {
    int code;
    char *text; /* of stdout and stderr */
};

/* Runs a shell command in the top folder. $d is the test's folder, $p where the library is. */
static struct output run(const char *command)
{
    char line[4000];
    const int size = snprintf(line, sizeof line,
                              "d=%s; p=$d/moved/here; export LD_LIBRARY_PATH=$p/lib; "
                              "export PKG_CONFIG_PATH=$p/lib/pkgconfig; { %s\n} 2>&1",
                              sdsim_test_folder(), command);
    assert_in_range(size, 1, (int)sizeof line - 1);
    FILE *pipe = popen(line, "r");
    assert_non_null(pipe);
    struct output output = {.text = NULL};
    size_t capacity = 0;
    if (getdelim(&output.text, &capacity, '\0', pipe) < 0) {
        assert_non_null(output.text);
        output.text[0] = '\0';
    }
    const int status = pclose(pipe);
    output.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return output;
}

/* The same for a command that must succeed; returns what it printed. */
static char *must(const char *command)
{
    struct output output = run(command);
    if (output.code != 0) {
        fail_msg("%s\nends with %d:\n%s", command, output.code, output.text);
    }
    return output.text;
}

static bool works(const char *command)
{
    struct output output = run(command);
    free(output.text);
    return output.code == 0;
}

static void must_print(const char *command, const char *golden)
{
    char *text = must(command);
    assert_true(sdsim_test_golden(golden, text));
    free(text);
}

/* ---- what is exported and needed ---- */

static void symbols(void **state)
{
    (void)state;
    if (SDSIM_SANITIZED || !works("nm --version")) {
        skip(); /* the sanitizers add symbols of their own */
    }
    must_print("nm -D --defined-only $p/lib/libsdsim.so | sed 's/.* //' | sort",
               "tests/golden/library-symbols.txt");
    /* ... and these are the functions that the header declares. */
    free(must("grep -ho 'sdsim_[a-z0-9_]*(' $p/include/sdsim/sdsim.h | tr -d '(' | sort -u "
              ">$d/words; grep -Fxf $d/words tests/golden/library-symbols.txt >$d/declared; "
              "cmp $d/declared tests/golden/library-symbols.txt; "
              "test $(grep -c '^SDSIM_API' $p/include/sdsim/sdsim.h) "
              "-eq $(wc -l <tests/golden/library-symbols.txt)"));
}

static void needs(void **state)
{
    (void)state;
    if (SDSIM_SANITIZED || !works("readelf --version")) {
        skip();
    }
    char *text = must("readelf -d $p/lib/libsdsim.so | grep -E 'NEEDED|SONAME' "
                      "| sed 's/.*(\\(.*\\)).*\\[\\(.*\\)\\]/\\1 \\2/'");
    static const char *const allowed[] = {"NEEDED libyaml-0.so.2", "NEEDED libc.so.6",
                                          "NEEDED libm.so.6", "NEEDED ld-linux-x86-64.so.2",
                                          "SONAME libsdsim.so.0"};
    bool found[COUNT(allowed)] = {false};
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        size_t i = 0;
        while (i < COUNT(allowed) && strcmp(line, allowed[i]) != 0) {
            i++;
        }
        if (i == COUNT(allowed)) {
            fail_msg("the shared library says: %s", line);
        }
        found[i] = true;
    }
    assert_true(found[0] && found[COUNT(allowed) - 1]);
    assert_int_equal(SDSIM_ABI_VERSION, 0); /* as in the name */
    free(text);
}

/* What can be written to is what the compiler's start-up brings, some bytes: there are no globals, and
 * slots in several threads have nothing in common. */
static void no_globals(void **state)
{
    (void)state;
    if (SDSIM_SANITIZED || !works("size --version")) {
        skip();
    }
    free(must("size -A $p/lib/libsdsim.so >$d/sizes && "
              "awk '/^\\.(data|bss|tdata|tbss) / { sum += $2 } END { exit sum > 32 }' $d/sizes"));
}

/* ---- examples ---- */

static const struct {
    const char *name;
    const char *golden;
} examples[] = {
    {"spi_card", "tests/golden/example-spi-card.txt"},
    {"sd_card", "tests/golden/example-sd-card.txt"},
    {"driver_test", "tests/golden/example-driver-test.txt"},
};

static void by_pkg_config(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(examples); i++) {
        char command[600];
        snprintf(command, sizeof command,
                 "$SDSIM_CC $SDSIM_CFLAGS -std=c99 -Wall -Wextra -Wconversion -pedantic -Werror "
                 "tools/examples/%s.c $(pkg-config --cflags --libs sdsim) -o $d/%s && $d/%s",
                 examples[i].name, examples[i].name, examples[i].name);
        must_print(command, examples[i].golden);
        /* a card by its profile, and one that is not there */
        snprintf(command, sizeof command, "$d/%s $(pkg-config --variable=datadir sdsim)/cards/%s",
                 examples[i].name, "sdxc64g-a2.yaml");
        free(must(command));
        snprintf(command, sizeof command, "! $d/%s none.yaml", examples[i].name);
        char *text = must(command);
        assert_non_null(strstr(text, "none.yaml"));
        free(text);
    }
}

static void by_cmake(void **state)
{
    (void)state;
    free(
        must("cmake -S tests/library -B $d/cmake -DCMAKE_PREFIX_PATH=$p -DCMAKE_BUILD_TYPE=Release "
             "-DCMAKE_C_COMPILER=$SDSIM_CC -DCMAKE_C_FLAGS=\"$SDSIM_CFLAGS\" "
             "&& cmake --build $d/cmake"));
    for (size_t i = 0; i < COUNT(examples); i++) {
        static const char *const ways[] = {"sdsim", "static"};
        for (size_t way = 0; way < COUNT(ways); way++) {
            char command[200];
            snprintf(command, sizeof command, "$d/cmake/%s_%s", examples[i].name, ways[way]);
            must_print(command, examples[i].golden);
        }
    }
    /* The static one needs no library of ours, and the profiles are where the package says. */
    free(must("! ldd $d/cmake/spi_card_static | grep libsdsim"));
    free(must("test -f \"$(cat $d/cmake/data_dir.txt)/cards/sdhc32g-a1.yaml\""));
}

/* ---- other languages ---- */

static void as_header(void **state)
{
    (void)state;
    free(must("echo '#include <sdsim/sdsim.h>' >$d/alone.c && $SDSIM_CC -std=c99 -pedantic -Wall "
              "-Wextra -Werror -I$p/include -fsyntax-only $d/alone.c"));
    if (!works("c++ --version")) {
        print_message("no C++ compiler\n");
        skip();
    }
    free(must("printf '#include <sdsim/sdsim.h>\\n#include <cstdio>\\n"
              "int main() { return std::puts(sdsim_version()) < 0; }\\n' >$d/version.cpp && "
              "c++ -std=c++11 -pedantic -Wall -Wextra -Werror -I$p/include -c $d/version.cpp "
              "-o $d/version.o"));
    if (!SDSIM_SANITIZED) {
        char *text = must("c++ $d/version.o -L$p/lib -lsdsim -o $d/version && $d/version && "
                          "pkg-config --modversion sdsim");
        const size_t half = strlen(text) / 2;
        assert_true(half > 5 && strncmp(text, text + half, half) == 0);
        free(text);
    }
}

static void by_python(void **state)
{
    (void)state;
    if (SDSIM_SANITIZED || !works("python3 -c 'import ctypes'")) {
        print_message("needs python3, and a library without sanitizers\n");
        skip();
    }
    char *text = must("python3 tests/library/slot.py $p/lib/libsdsim.so $p/share/sdsim");
    assert_string_equal(text, "ok\n");
    free(text);
}

/* ---- README.md ---- */

/* The C program printed in README.md compiles as it is, and prints what is said in its last
 * comment. */
static void readme(void **state)
{
    (void)state;
    free(must("sed -n '/^#include <sdsim/,/^```$/p' README.md | sed '/^```/d' >$d/readme.c && "
              "test -s $d/readme.c && $SDSIM_CC $SDSIM_CFLAGS -std=c99 -Wall -Wextra -pedantic "
              "-Werror $d/readme.c $(pkg-config --cflags --libs sdsim) -o $d/readme"));
    free(must("$d/readme >$d/readme.txt && sed -n 's|^.*// prints: ||p' $d/readme.c "
              ">$d/expected.txt && test -s $d/expected.txt && diff -u $d/expected.txt "
              "$d/readme.txt"));
}

static int install(void **state)
{
    (void)state;
    if (getenv("SDSIM_BUILD_DIR") == NULL || getenv("SDSIM_CC") == NULL) {
        print_error("needs SDSIM_BUILD_DIR and SDSIM_CC\n");
        return -1;
    }
    struct output output =
        run("cmake --install \"$SDSIM_BUILD_DIR\" --prefix $d/prefix --component library && "
            "mkdir $d/moved && mv $d/prefix $p");
    if (output.code != 0) {
        print_error("%s\n", output.text);
    }
    free(output.text);
    return output.code;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(symbols),       cmocka_unit_test(needs),    cmocka_unit_test(no_globals),
        cmocka_unit_test(by_pkg_config), cmocka_unit_test(by_cmake), cmocka_unit_test(as_header),
        cmocka_unit_test(by_python),     cmocka_unit_test(readme),
    };
    return cmocka_run_group_tests(tests, install, NULL);
}
