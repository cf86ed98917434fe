#include "case_file.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <ctype.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture_json.h"
#include "program.h"
#include "scratch.h"

enum { LINE = 1000, WORDS = 64, NAMES = 16, NAME = 32 };

struct kept {
    char name[NAME];
    json_t *root;
};

struct state {
    const char *path;
    unsigned line;
    unsigned command_line; /* of the last command; 0: there was none */
    unsigned judged;       /* lines that judged it */
    bool exit_asked;
    struct sdsim_test_result result; /* of the last command */
    json_t *root;                    /* its output, once asked for */
    struct kept kept[NAMES];
    size_t kept_count;
};

#define broken(state, ...) broken_at((state)->path, (state)->line, __VA_ARGS__)

__attribute__((noreturn, format(printf, 3, 4))) static void
broken_at(const char *path, unsigned line, const char *format, ...)
{
    char text[4000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fail_msg("%s:%u: %s", path, line, text);
    abort(); /* fail_msg doesn't return */
}

/* ---- commands ---- */

/* Splits a line into words in place; returns how many, with NULL behind the last. */
static size_t split(struct state *state, char *line, const char **words)
{
    size_t count = 0;
    char *at = line;
    while (*at != '\0') {
        if (*at == ' ') {
            at++;
            continue;
        }
        if (count + 1 == WORDS) {
            broken(state, "more than %d words", WORDS - 1);
        }
        const char end = *at == '\'' ? '\'' : ' ';
        at += end == '\'';
        words[count++] = at;
        at += strcspn(at, end == '\'' ? "'" : " ");
        if (*at != '\0') {
            *at++ = '\0';
        }
    }
    words[count] = NULL;
    return count;
}

/* What a finished command must have been asked. */
static void finish_command(struct state *state)
{
    if (state->command_line != 0) {
        if (!state->exit_asked && state->result.code != 0) {
            broken_at(state->path, state->command_line, "exit code %d, not 0:\n%s",
                      state->result.code, state->result.err);
        }
        if (state->judged == 0) {
            broken_at(state->path, state->command_line,
                      "nothing is asked of this command's output");
        }
        sdsim_test_result_free(&state->result);
    }
    json_decref(state->root);
    state->root = NULL;
    state->exit_asked = false;
    state->judged = 0;
}

static void run(struct state *state, char *line)
{
    const char *words[WORDS];
    size_t count = split(state, line, words);
    const char *input = sdsim_test_path("piped"); /* what a command printed, for the next */
    bool piped = false;
    size_t first = 0;
    for (size_t i = 0; i <= count; i++) {
        if (i < count && strcmp(words[i], "|") != 0) {
            continue;
        }
        if (strcmp(words[first], "sdsim") != 0) {
            broken(state, "a command is `$ sdsim ...`");
        }
        words[i] = NULL;
        char redirect[200];
        snprintf(redirect, sizeof redirect, "<%s", input);
        const char *environment[] = {piped ? redirect : NULL, NULL};
        state->result = sdsim_test_run(words + first + 1, environment);
        if (i < count) {
            sdsim_test_write_text(input, state->result.out);
            sdsim_test_result_free(&state->result);
            piped = true;
            first = i + 1;
        }
    }
    state->command_line = state->line;
}

/* ---- texts ---- */

/* Whether `text` holds `part`, any run of spaces and line ends being like any other. */
static bool holds(const char *text, const char *part)
{
    for (; *text != '\0'; text++) {
        const char *a = text;
        const char *b = part;
        while (*b != '\0' && *a != '\0') {
            if (isspace((unsigned char)*a) && isspace((unsigned char)*b)) {
                a += strspn(a, " \n\t");
                b += strspn(b, " \n\t");
            } else if (*a == *b) {
                a++;
                b++;
            } else {
                break;
            }
        }
        if (*b == '\0') {
            return true;
        }
    }
    return false;
}

static void says(struct state *state, char *text)
{
    if (!holds(state->result.out, text)) {
        broken(state, "not said: %s\n%s", text, state->result.out);
    }
}

static void lacks(struct state *state, char *text)
{
    if (holds(state->result.out, text)) {
        broken(state, "said: %s\n%s", text, state->result.out);
    }
}

static void warns(struct state *state, char *text)
{
    if (!holds(state->result.err, text)) {
        broken(state, "no such message: %s\n%s", text, state->result.err);
    }
}

static void exits(struct state *state, char *text)
{
    state->exit_asked = true;
    if (state->result.code != atoi(text)) {
        broken(state, "exit code %d, not %s:\n%s%s", state->result.code, text, state->result.out,
               state->result.err);
    }
}

/* ---- numbers ---- */

static json_t *output(struct state *state)
{
    if (state->root == NULL) {
        json_error_t error;
        state->root = json_loads(state->result.out, 0, &error);
        if (state->root == NULL) {
            broken(state, "no JSON (%s):\n%.2000s", error.text, state->result.out);
        }
    }
    return state->root;
}

static void as(struct state *state, char *name)
{
    if (state->kept_count == NAMES || strlen(name) >= NAME) {
        broken(state, "at most %d names of %d bytes", NAMES, NAME - 1);
    }
    struct kept *kept = &state->kept[state->kept_count++];
    snprintf(kept->name, sizeof kept->name, "%s", name);
    kept->root = json_incref(output(state));
}

static double value_at(struct state *state, json_t *root, const char *path)
{
    json_t *value = sdsim_test_at(root, path);
    if (!json_is_number(value)) {
        broken(state, "no number at %s", path);
    }
    return json_number_value(value);
}

/* The number at NAME:PATH. */
static double kept_value(struct state *state, const char *place)
{
    const size_t length = strcspn(place, ":");
    for (size_t i = 0; i < state->kept_count; i++) {
        if (strlen(state->kept[i].name) == length &&
            strncmp(state->kept[i].name, place, length) == 0 && place[length] == ':') {
            return value_at(state, state->kept[i].root, place + length + 1);
        }
    }
    broken(state, "%s: no such name so far", place);
}

static void judge(struct state *state, double value, const char *band)
{
    const char *dots = strstr(band, "..");
    char *end = NULL;
    const double low = strtod(band, NULL); /* ends at the dots, or takes one of them */
    const double high = dots != NULL ? strtod(dots + 2, &end) : 0;
    if (dots == NULL || dots == band || end == dots + 2 || *end != '\0' || low > high) {
        broken(state, "%s is no band A..B", band);
    }
    if (!(value >= low && value <= high)) {
        broken(state, "%.6g is not within %s", value, band);
    }
}

static void number(struct state *state, char *line)
{
    const char *words[WORDS];
    if (split(state, line, words) != 2) {
        broken(state, "number PATH A..B");
    }
    judge(state, value_at(state, output(state), words[0]), words[1]);
}

static void ratio(struct state *state, char *line)
{
    const char *words[WORDS];
    if (split(state, line, words) != 3) {
        broken(state, "ratio NAME:PATH NAME:PATH A..B");
    }
    judge(state, kept_value(state, words[0]) / kept_value(state, words[1]), words[2]);
}

/* ---- files ---- */

static const struct {
    const char *word;
    void (*act)(struct state *state, char *rest);
    bool judges; /* the output */
} kinds[] = {
    {"exit", exits, false}, {"says", says, true}, {"lacks", lacks, false},
    {"warns", warns, true}, {"as", as, false},    {"number", number, true},
    {"ratio", ratio, true},
};

static void take_line(struct state *state, char *line)
{
    line[strcspn(line, "\n")] = '\0';
    if (line[0] == '\0' || line[0] == '#') {
        return;
    }
    if (line[0] == '$') {
        finish_command(state);
        run(state, line + 1);
        return;
    }
    if (state->command_line == 0) {
        broken(state, "a command comes first");
    }
    char *rest = line + strcspn(line, " ");
    if (*rest != '\0') {
        *rest++ = '\0';
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(kinds[i].word, line) == 0) {
            kinds[i].act(state, rest);
            state->judged += kinds[i].judges;
            return;
        }
    }
    broken(state, "what is %s?", line);
}

void sdsim_test_case(const char *path)
{
    struct state state = {.path = path};
    char line[LINE];
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    while (fgets(line, sizeof line, in) != NULL) {
        state.line++;
        if (strchr(line, '\n') == NULL) {
            broken(&state, "a line without end, or longer than %d bytes", LINE - 2);
        }
        take_line(&state, line);
    }
    fclose(in);
    if (state.command_line == 0) {
        broken(&state, "no command");
    }
    finish_command(&state);
    for (size_t i = 0; i < state.kept_count; i++) {
        json_decref(state.kept[i].root);
    }
}
