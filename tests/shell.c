#include "shell.h"

#include <stdarg.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "scratch.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

#define WARNINGS "-Wall -Wextra -Wshadow -pedantic -Werror -Itools/firmware -Itests/firmware"
#define C99      "-std=c99 -Wconversion -D_XOPEN_SOURCE=700 " WARNINGS
#define CXX11    "-std=c++11 " WARNINGS

struct sdsim_test_output sdsim_test_sh(const char *format, ...)
{
    char command[8000];
    size_t used = (size_t)snprintf(command, sizeof command, "d=%s; ", sdsim_test_folder());
    va_list arguments;
    va_start(arguments, format);
    used += (size_t)vsnprintf(command + used, sizeof command - used, format, arguments);
    va_end(arguments);
    assert_true(used < sizeof command);

    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    struct sdsim_test_output output = {.code = -1};
    FILE *memory = open_memstream(&output.text, &output.size);
    assert_non_null(memory);
    for (int c; (c = fgetc(pipe)) != EOF;) {
        fputc(c, memory);
    }
    assert_int_equal(fclose(memory), 0);
    const int status = pclose(pipe);
    output.code = WIFEXITED(status) ? WEXITSTATUS(status) : 1000;
    return output;
}

void sdsim_test_expect_success(struct sdsim_test_output output)
{
    if (output.code != 0) {
        fail_msg("exit code %d: %s", output.code, output.text);
    }
    free(output.text);
}

void sdsim_test_lines(const struct sdsim_test_line *lines, size_t count)
{
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++) {
        const struct sdsim_test_line *line = &lines[i];
        struct sdsim_test_output output =
            sdsim_test_sh("export LC_ALL=C NO_COLOR=1 SDSIM_DATA_DIR=tests/golden/data; "
                          "s=$SDSIM_PROGRAM; { %s\n} 2>&1",
                          line->command);
        if (output.code != line->code ||
            (line->says != NULL && strstr(output.text, line->says) == NULL) ||
            (line->never != NULL && strstr(output.text, line->never) != NULL)) {
            fprintf(stderr, "%s\n  exit code %d, not %d, or without '%s':\n%.2000s\n",
                    line->command, output.code, line->code, line->says != NULL ? line->says : "",
                    output.text);
            wrong++;
        }
        free(output.text);
    }
    if (wrong > 0) {
        fail_msg("%zu of %zu command lines", wrong, count);
    }
}

bool sdsim_test_has(const char *program)
{
    struct sdsim_test_output output = sdsim_test_sh("command -v %s", program);
    free(output.text);
    return output.code == 0;
}

bool sdsim_test_build_all(const char *name, bool cxx, const char *arguments)
{
    static const char *const c_compilers[] = {"cc", "gcc", "clang"};
    static const char *const cxx_compilers[] = {"c++", "g++", "clang++"};
    const char *const *compilers = cxx ? cxx_compilers : c_compilers;
    bool built = false;
    for (size_t i = 0; i < COUNT(c_compilers); i++) {
        if (sdsim_test_has(compilers[i])) {
            sdsim_test_expect_success(sdsim_test_sh("%s %s -o $d/%s %s 2>&1", compilers[i],
                                                    cxx ? CXX11 : C99, name, arguments));
            built = true;
        }
    }
    return built;
}
