#include "program.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

bool sdsim_test_has_program(void)
{
    const char *program = getenv("SDSIM_PROGRAM");
    return program != NULL && access(program, X_OK) == 0;
}

void sdsim_test_need_program(void)
{
    if (!sdsim_test_has_program()) {
        fputs("SDSIM_PROGRAM names no program: run this through ctest\n", stderr);
        exit(SDSIM_TEST_SKIPPED);
    }
}

static void give_up(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, strerror(errno));
    abort();
}

/* In the child: what the rows of `environment` ask for. */
static void prepare(const char *const *environment)
{
    for (size_t i = 0; environment != NULL && environment[i] != NULL; i++) {
        char row[4096];
        snprintf(row, sizeof row, "%s", environment[i]);
        char *value = strchr(row, '=');
        if (row[0] == '<' || row[0] == '>') {
            const int target = row[0] == '<' ? STDIN_FILENO : STDOUT_FILENO;
            const int file = open(row + 1, row[0] == '<' ? O_RDONLY : O_WRONLY);
            if (file < 0 || dup2(file, target) < 0) {
                _exit(127);
            }
        } else if (value != NULL) {
            *value = '\0';
            setenv(row, value + 1, 1);
        } else {
            unsetenv(row);
        }
    }
}

static void run_child(const char *const *arguments, const char *const *environment, int out,
                      int err)
{
    char *argv[64];
    size_t count = 0;
    argv[count++] = getenv("SDSIM_PROGRAM");
    for (size_t i = 0; arguments[i] != NULL && count < 63; i++) {
        argv[count] = strdup(arguments[i]);
        count++;
    }
    argv[count] = NULL;
    if (dup2(out, STDOUT_FILENO) < 0 || dup2(err, STDERR_FILENO) < 0) {
        _exit(127);
    }
    prepare(environment);
    alarm(60);
    execv(argv[0], argv);
    _exit(127);
}

static char *read_all(FILE *file)
{
    size_t size = 0;
    char *text = NULL;
    FILE *memory = open_memstream(&text, &size);
    if (memory == NULL) {
        give_up("open_memstream");
    }
    rewind(file);
    for (int c; (c = fgetc(file)) != EOF;) {
        fputc(c, memory);
    }
    if (fclose(memory) != 0) {
        give_up("open_memstream");
    }
    fclose(file);
    return text;
}

struct sdsim_test_result sdsim_test_run(const char *const *arguments,
                                        const char *const *environment)
{
    FILE *out = tmpfile();
    FILE *err = tmpfile();
    if (out == NULL || err == NULL) {
        give_up("tmpfile");
    }
    fflush(NULL);
    const pid_t child = fork();
    if (child < 0) {
        give_up("fork");
    }
    if (child == 0) {
        run_child(arguments, environment, fileno(out), fileno(err));
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) {
            give_up("waitpid");
        }
    }
    return (struct sdsim_test_result){
        .code = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status),
        .out = read_all(out),
        .err = read_all(err),
    };
}

struct sdsim_test_result sdsim_test_run_quiet(const char *const *arguments)
{
    static const char *const quiet[] = {"SDSIM_DATA_DIR=tests/golden/data", "LC_ALL=C", "NO_COLOR",
                                        "POSIXLY_CORRECT", NULL};
    return sdsim_test_run(arguments, quiet);
}

const char *sdsim_test_command(const char *const *arguments)
{
    static char text[512];
    size_t used = (size_t)snprintf(text, sizeof text, "sdsim");
    for (size_t i = 0; arguments[i] != NULL && used < sizeof text; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, " %s", arguments[i]);
    }
    return text;
}

void sdsim_test_expect_code(const struct sdsim_test_result *result, int code)
{
    if (result->code != code) {
        fail_msg("exit code %d, not %d: %s", result->code, code, result->err);
    }
}

void sdsim_test_result_free(struct sdsim_test_result *result)
{
    free(result->out);
    free(result->err);
    result->out = NULL;
    result->err = NULL;
}
