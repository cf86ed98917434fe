/*
 * sdsim init: what it writes passes `check` and runs, for every board there is and every workload; wrong
 * answers are refused with the right ones; nothing is replaced; at a terminal it asks.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "golden.h"
#include "program.h"
#include "scratch.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* Over the real profiles. */
static struct sdsim_test_result run(const char *const *words)
{
    return sdsim_test_run(words, NULL);
}

static void fail_with(const char *what, const struct sdsim_test_result *result)
{
    fail_msg("%s: exit code %d: %s%s", what, result->code, result->out, result->err);
}

/* Writes a scenario, checks it without an error, and runs it. */
static void works(const char *board, const char *card, const char *action)
{
    const char *path = sdsim_test_path("made.yaml");
    char what[300];
    snprintf(what, sizeof what, "%s, %s, %s", board, card, action);
    unlink(path);
    struct sdsim_test_result made = run((const char *const[]){
        "init", "--board", board, "--card", card, "--workload", action, "-o", path, NULL});
    if (made.code != 0 || made.out[0] != '\0' || strstr(made.err, "error") != NULL) {
        fail_with(what, &made);
    }
    char *text = sdsim_test_read_file(path, NULL);
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        if (strlen(line) > 80) {
            fail_msg("%s: %s", what, line);
        }
    }
    free(text);
    struct sdsim_test_result checked = run((const char *const[]){"check", path, NULL});
    const bool warned = strstr(made.err, "warning") != NULL;
    if (checked.code != (warned ? 1 : 0)) {
        fail_with(what, &checked); /* what check warns of, init has said */
    }
    struct sdsim_test_result ran = run((const char *const[]){"run", path, "--draws", "0", NULL});
    if (ran.code != 0) {
        fail_with(what, &ran);
    }
    sdsim_test_result_free(&made);
    sdsim_test_result_free(&checked);
    sdsim_test_result_free(&ran);
}

static void all_boards(void **state)
{
    (void)state;
    static const char *const cards[] = {"sdhc32g-a1", "sdxc64g-a2"};
    DIR *boards = opendir("scenarios/boards");
    const struct dirent *entry;
    size_t count = 0;
    assert_non_null(boards);
    while ((entry = readdir(boards)) != NULL) {
        char name[256];
        snprintf(name, sizeof name, "%s", entry->d_name);
        char *end = strstr(name, ".yaml");
        if (end == NULL) {
            continue;
        }
        *end = '\0';
        for (size_t c = 0; c < COUNT_OF(cards); c++) {
            works(name, cards[c], "write");
        }
        count++;
    }
    closedir(boards);
    assert_true(count >= 13);
}

static void all_workloads(void **state)
{
    (void)state;
    static const char *const actions[] = {"write",  "read",   "random-write", "random-read",
                                          "log",    "append", "seek",         "open",
                                          "create", "list",   "mount",        "free-space",
                                          "stream", "play",   "random-mixed", "open-each"};
    for (size_t i = 0; i < COUNT_OF(actions); i++) {
        works("esp32-devkit-v1-spi", "sdhc32g-a1", actions[i]);
    }
}

/* Without a board the files are read and written as on the boards with the driver. */
static void api_of_the_driver(void **state)
{
    (void)state;
    static const struct {
        const char *host;
        const char *driver;
        const char *api; /* NULL: none is said */
    } rows[] = {
        {"rp2040", "carlk3-spi", "fatfs"},          {"stm32f4", "sdfat-spi-dedicated", "sdfat"},
        {"esp32", "arduino-esp32-sd", "arduino"},   {"stm32f4", "chan-mmc-spi", NULL},
        {"rp2040", "carlk3-freertos-spi", "fatfs"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char line[60];
        snprintf(line, sizeof line, "\nfile: {api: %s}\n", rows[i].api != NULL ? rows[i].api : "");
        struct sdsim_test_result made = run((const char *const[]){
            "init", "--host", rows[i].host, "--driver", rows[i].driver, NULL});
        if (made.code != 0 || strstr(made.err, "has no costs") != NULL ||
            (strstr(made.out, rows[i].api != NULL ? line : "\nfile:") != NULL) !=
                (rows[i].api != NULL)) {
            fail_with(rows[i].driver, &made);
        }
        sdsim_test_result_free(&made);
    }
}

static void prints(void **state)
{
    (void)state;
    static const struct {
        const char *golden;
        const char *words[24];
    } rows[] = {
        {"help-init.txt", {"init", "--help"}},
        {"init-short.yaml", {"init", "--board", "devkit", "--card", "plain"}},
        {"init-long.yaml",
         {"init",
          "--host",
          "chip",
          "--driver",
          "sdmmc",
          "--bus",
          "sd4",
          "--clock",
          "40MHz",
          "--card",
          "quick",
          "--filesystem",
          "fat32",
          "--api",
          "posix",
          "--workload",
          "log",
          "--lines",
          "500",
          "--sync-every",
          "50",
          "--measured",
          "100 lines/s..200 lines/s"}},
    };
    bool same = true;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char path[128];
        struct sdsim_test_result result = sdsim_test_run_quiet(rows[i].words);
        snprintf(path, sizeof path, "tests/golden/%s", rows[i].golden);
        same = sdsim_test_golden(path, result.out) && same;
        if (result.code != 0) {
            fail_with(rows[i].golden, &result);
        }
        sdsim_test_result_free(&result);
    }
    assert_true(same);
}

static void refusals(void **state)
{
    (void)state;
    sdsim_test_write_text(sdsim_test_path("there.yaml"), "precious\n");
    const struct {
        const char *words[10];
        const char *says;
        const char *says_too;
    } rows[] = {
        {{"init"}, "which board?", "--host and --driver"},
        {{"init", "--host", "chip"}, "which board?", ""},
        {{"init", "--board", "devkti"}, "did you mean 'devkit'?", "there are devkit"},
        {{"init", "--board", "x"}, "there is no board 'x'", "there are devkit"},
        {{"init", "--board", "devkit", "--card", "plian"}, "did you mean 'plain'?", "quick"},
        {{"init", "--board", "devkit", "--workload", "wirte"}, "did you mean 'write'?", "log"},
        {{"init", "--board", "devkit", "--bus", "sd8"}, "there is no bus 'sd8'", "spi, sd1, sd4"},
        {{"init", "--board", "devkit", "--call", "16"}, "'16' is no answer for call", "KiB"},
        {{"init", "--board", "devkit", "--call", "0B"}, "'0B' is no answer for call", "KiB"},
        {{"init", "--board", "devkit", "--clock", "20mhz"}, "no answer for clock", "MHz"},
        {{"init", "--board", "devkit", "--workload", "log", "--lines", "-3"}, "no answer", "whole"},
        {{"init", "--board", "devkit", "--measured", "fast"}, "no answer for measured", "rate"},
        {{"init", "--board", "devkit", "--measured", "1MB/s\nkind: card"}, "no answer", ""},
        {{"init", "--board", "./a: b", "--card", "plain"}, "there is no board", ""},
        {{"init", "--board", "devkit", "--lines", "5"}, "has no use for --lines", ""},
        {{"init", "--board", "devkit", "-o", sdsim_test_path("there.yaml")},
         "is there already",
         ""},
        {{"init", "--board", "devkit", "--driver", "sdmmc", "--bus", "spi", "--card", "plain"},
         "error",
         "sdmmc"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct sdsim_test_result result = sdsim_test_run_quiet(rows[i].words);
        if (result.code != 2 || strstr(result.err, rows[i].says) == NULL ||
            strstr(result.err, rows[i].says_too) == NULL) {
            fail_with(rows[i].says, &result);
        }
        assert_string_equal(result.out, "");
        sdsim_test_result_free(&result);
    }
    char *text = sdsim_test_read_file(sdsim_test_path("there.yaml"), NULL);
    assert_string_equal(text, "precious\n");
    free(text);
}

/* ---- at a terminal ---- */

/* Runs `init` with a terminal, types `answers`, and returns its exit code and what it showed. */
static int at_terminal(const char *answers, char *shown, size_t size)
{
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0) {
        print_message("there are no pseudo-terminals here\n");
        skip();
    }
    const char *name = ptsname(terminal);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const int end = open(name, O_RDWR | O_NOCTTY);
        if (end < 0 || dup2(end, 0) < 0 || dup2(end, 1) < 0 || dup2(end, 2) < 0 ||
            chdir(sdsim_test_folder()) != 0) {
            _exit(127);
        }
        alarm(30);
        execl(getenv("SDSIM_PROGRAM"), "sdsim", "init", (char *)NULL);
        _exit(127);
    }
    const ssize_t length = (ssize_t)strlen(answers);
    assert_true(write(terminal, answers, (size_t)length) == length);
    size_t used = 0;
    ssize_t got;
    while (used + 1 < size && (got = read(terminal, shown + used, size - used - 1)) > 0) {
        used += (size_t)got; /* until the last one has closed its end */
    }
    shown[used] = '\0';
    int status = 0;
    assert_true(waitpid(child, &status, 0) == child);
    close(terminal);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000;
}

static void asks(void **state)
{
    (void)state;
    static char shown[65536];
    static const struct {
        const char *what;
        const char *answers;
        int code;
        const char *says[3];
        const char *wrote[3];
    } rows[] = {
        {"everything, with mistakes",
         "nosuch\nesp32s3-devkit-sdmmc\nsdhc32g-a1\nlgo\nlog\nmany\n500\n2000 lines/s\nlog.yaml\n",
         0,
         {"there is no board 'nosuch'", "did you mean 'log'?", "wrote log.yaml"},
         {"board: esp32s3-devkit-sdmmc\n", "  lines: 500", "\nmeasured: 2000 lines/s\n"}},
        {"defaults",
         "esp32-devkit-v1-spi\n\n\n\n\n\n\n",
         0,
         {"Which card?", "workload [write]", "wrote mine.yaml"},
         {"card: sdhc32g-a1\n", "  call: 32KiB", "# measured"}},
        {"end of input", "esp32-devkit-v1-spi\n\n\004", 2, {"nothing is written", "", ""}, {NULL}},
        {"a file that is there",
         "esp32-devkit-v1-spi\n\n\n\n\n\n\nother.yaml\n",
         0,
         {"mine.yaml is there already", "wrote other.yaml", ""},
         {"do: write", "board: esp32-devkit-v1-spi", ""}},
    };
    static const char *const files[] = {"log.yaml", "mine.yaml", NULL, "other.yaml"};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const int code = at_terminal(rows[i].answers, shown, sizeof shown);
        if (code != rows[i].code) {
            fail_msg("%s: exit code %d: %s", rows[i].what, code, shown);
        }
        for (size_t s = 0; s < 3; s++) {
            if (strstr(shown, rows[i].says[s]) == NULL) {
                fail_msg("%s: lacks \"%s\": %s", rows[i].what, rows[i].says[s], shown);
            }
        }
        if (files[i] == NULL) {
            continue;
        }
        char *text = sdsim_test_read_file(sdsim_test_path(files[i]), NULL);
        for (size_t w = 0; w < 3; w++) {
            if (strstr(text, rows[i].wrote[w]) == NULL) {
                fail_msg("%s: lacks \"%s\": %s", rows[i].what, rows[i].wrote[w], text);
            }
        }
        free(text);
    }
}

int main(void)
{
    sdsim_test_need_program();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(api_of_the_driver), cmocka_unit_test(all_boards),
        cmocka_unit_test(all_workloads),     cmocka_unit_test(prints),
        cmocka_unit_test(refusals),          cmocka_unit_test(asks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
