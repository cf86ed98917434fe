/*
 * README.md shows what works: every command of this program in it is run as it is printed, by a
 * shell, in a folder with the scenario printed there as mine.yaml; where its output is printed too,
 * that must be the output.
 *
 * SDSIM_UPDATE_GOLDEN=1 writes the new outputs into README.md.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "golden.h"
#include "program.h"
#include "scratch.h"

#define README        "README.md"
#define MOST_COMMANDS 60

/* A command, and in README.md the output printed below it. */
struct command {
    char text[400];
    const char *output; /* in the README; NULL: none is printed */
    size_t output_size;
    char *actual; /* what it printed, owned; only if `output` is there */
};

struct readme {
    char *text;
    char path[PATH_MAX + 100];
    struct command commands[MOST_COMMANDS];
    size_t count;
    bool has_scenario;
};

/* ---- what README.md says ---- */

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

__attribute__((format(printf, 2, 3))) static struct command *add(struct readme *readme,
                                                                 const char *format, ...)
{
    assert_true(readme->count < MOST_COMMANDS);
    struct command *command = &readme->commands[readme->count++];
    va_list arguments;
    va_start(arguments, format);
    const int size = vsnprintf(command->text, sizeof command->text, format, arguments);
    va_end(arguments);
    assert_true(size < (int)sizeof command->text);
    return command;
}

/* A block between fences: commands, the output of one, the scenario or the list of operations. */
static void take_block(struct readme *readme, const char *text, size_t size)
{
    const char *end = text + size;
    if (begins(text, "$ sdsim ")) {
        const size_t line = strcspn(text, "\n");
        struct command *command = add(readme, "%.*s", (int)line - 2, text + 2);
        command->output = text + line + 1;
        command->output_size = (size_t)(end - command->output);
        return;
    }
    if (begins(text, "kind: scenario\n")) {
        sdsim_test_write_file(sdsim_test_path("mine.yaml"), text, size);
        readme->has_scenario = true;
        return;
    }
    if (begins(text, "# list.ops\n") || begins(text, "# exchange.txt\n")) {
        char name[100];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(text + 2, "\n"), text + 2);
        sdsim_test_write_file(sdsim_test_path(name), text, size);
        return;
    }
    while (text < end) {
        const size_t line = strcspn(text, "\n");
        if (begins(text, "sdsim ")) {
            add(readme, "%.*s", (int)line, text);
        }
        text += line + 1;
    }
}

/* Code inside a line: a command, or, in a table, what to add to a run of the scenario. */
static void take_spans(struct readme *readme, const char *line, size_t size)
{
    const char *end = line + size;
    for (const char *at = line; (at = memchr(at, '`', (size_t)(end - at))) != NULL;) {
        const char *close = memchr(at + 1, '`', (size_t)(end - at - 1));
        if (close == NULL) {
            return;
        }
        const int length = (int)(close - at - 1);
        if (begins(at + 1, "sdsim ")) {
            add(readme, "%.*s", length, at + 1);
        } else if (line[0] == '|' && begins(at + 1, "--")) {
            add(readme, "sdsim run mine.yaml %.*s", length, at + 1);
        }
        at = close + 1;
    }
}

static void take_all(struct readme *readme)
{
    const char *block = NULL;
    for (const char *line = readme->text; *line != '\0';) {
        const size_t size = strcspn(line, "\n");
        const char *next = line + size + (line[size] == '\n');
        if (begins(line, "```")) {
            if (block != NULL) {
                take_block(readme, block, (size_t)(line - block));
            }
            block = block == NULL ? next : NULL;
        } else if (block == NULL) {
            take_spans(readme, line, size);
        }
        line = next;
    }
    assert_null(block);
}

/* ---- the folder ---- */

static void link_here(const char *name)
{
    char here[PATH_MAX];
    char target[PATH_MAX + 100];
    assert_non_null(getcwd(here, sizeof here));
    snprintf(target, sizeof target, "%s/%s", here, name);
    assert_int_equal(symlink(target, sdsim_test_path(name)), 0);
}

/* The log of the benchmark on the README's board, as it comes over the serial port. */
static void write_measurements(void)
{
    static const char text[] =
        "rst:0x1 (POWERON_RESET),boot:0x13\n"
        "# sdbench 1\n"
        "id,group,host,bus,clock_hz,driver,api,card_class,fs,op,chunk_bytes,total_bytes,metric,"
        "value\n"
        "w,mine,esp32,spi,20000000,arduino-esp32-sd,arduino-file,sdhc32g-a1,fat32,write,16384,"
        "4194304,throughput_Bps,1500000\n"
        "r,mine,esp32,spi,20000000,arduino-esp32-sd,arduino-file,sdhc32g-a1,fat32,read,16384,"
        "4194304,throughput_Bps,1300000\n"
        "# end\n";
    sdsim_test_write_text(sdsim_test_path("mine.csv"), text);
}

static int set_up(void **state)
{
    struct readme *readme = calloc(1, sizeof *readme);
    assert_non_null(readme);
    link_here("scenarios");
    link_here("cards");
    write_measurements();
    char program[PATH_MAX];
    snprintf(program, sizeof program, "%s", getenv("SDSIM_PROGRAM"));
    *strrchr(program, '/') = '\0';
    snprintf(readme->path, sizeof readme->path, "%s:/usr/bin:/bin", program);
    assert_int_equal(setenv("PATH", readme->path, 1), 0);
    unsetenv("SDSIM_DATA_DIR");
    readme->text = sdsim_test_read_file(README, NULL);
    take_all(readme);
    *state = readme;
    return 0;
}

static int tear_down(void **state)
{
    struct readme *readme = *state;
    for (size_t i = 0; i < readme->count; i++) {
        free(readme->commands[i].actual);
    }
    free(readme->text);
    free(readme);
    return 0;
}

/* ---- the tests ---- */

/* Runs a command; its outputs are the caller's. */
static struct sdsim_test_result run(const char *text)
{
    char line[700];
    snprintf(line, sizeof line, "cd %s && { %s\n} >out 2>err", sdsim_test_folder(), text);
    const int status = system(line);
    return (struct sdsim_test_result){.code = WIFEXITED(status) ? WEXITSTATUS(status) : 1000,
                                      .out = sdsim_test_read_file(sdsim_test_path("out"), NULL),
                                      .err = sdsim_test_read_file(sdsim_test_path("err"), NULL)};
}

static void test_found(void **state)
{
    const struct readme *readme = *state;
    size_t outputs = 0;
    for (size_t i = 0; i < readme->count; i++) {
        outputs += readme->commands[i].output != NULL;
    }
    assert_true(readme->has_scenario);
    assert_true(outputs >= 2);
    assert_true(readme->count >= 15);
}

static bool may_find(const char *text)
{
    return begins(text, "sdsim check") || begins(text, "sdsim doctor");
}

/* A finding of `check` or `doctor` is what it is for; everything else ends well. `check`, and what
 * goes to a file, may print nothing. */
static void test_commands(void **state)
{
    struct readme *readme = *state;
    for (size_t i = 0; i < readme->count; i++) {
        const char *text = readme->commands[i].text;
        struct sdsim_test_result result = run(text);
        const bool fine = result.code == 0 || (result.code == 1 && may_find(text));
        const bool silent = begins(text, "sdsim check") || begins(text, "sdsim export") ||
                            begins(text, "sdsim report");
        if (!fine || (result.out[0] == '\0' && !silent)) {
            fail_msg("%s: exit code %d, messages:\n%s", text, result.code, result.err);
        }
        if (readme->commands[i].output != NULL) {
            readme->commands[i].actual = result.out;
            result.out = NULL;
        }
        sdsim_test_result_free(&result);
    }
}

/* All of README.md as it must be: with the real outputs. */
static void test_outputs(void **state)
{
    const struct readme *readme = *state;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    const char *at = readme->text;
    for (size_t i = 0; i < readme->count; i++) {
        const struct command *command = &readme->commands[i];
        if (command->actual != NULL) { /* by test_commands */
            fwrite(at, 1, (size_t)(command->output - at), out);
            fputs(command->actual, out);
            at = command->output + command->output_size;
        }
    }
    fputs(at, out);
    assert_int_equal(fclose(out), 0);
    const bool same = sdsim_test_golden(README, text);
    free(text);
    assert_true(same);
}

int main(void)
{
    sdsim_test_need_program();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_found),
        cmocka_unit_test(test_commands),
        cmocka_unit_test(test_outputs),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
