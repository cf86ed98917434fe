#include "init_questions.h"

#include <stdlib.h>
#include <string.h>

#include "config/value.h"
#include "core/units.h"
#include "report/table.h"
#include "setup/schemas.h"

/* What answers a question takes. */
enum takes {
    TAKES_PROFILE, /* a profile of the kind `of`, or a path to one */
    TAKES_CHOICE,  /* one of the choices of the schema's key `of` */
    TAKES_SIZE,    /* within the limits of the schema's key `of` */
    TAKES_FREQUENCY,
    TAKES_COUNT,
    TAKES_MEASURED,
};

struct question {
    enum sdsim_option_id option;
    const char *noun;
    const char *prompt; /* NULL: is not asked at a terminal */
    const char *usual;
    enum takes takes;
    const char *of;
    const char *actions; /* the workloads it belongs to, with blanks around; NULL: all */
};

static const struct question questions[SDSIM_QUESTIONS] = {
    [SDSIM_ASK_BOARD] = {SDSIM_OPTION_INIT_BOARD, "board",
                         "Which board? (None of these: sdsim init --host NAME --driver NAME)", NULL,
                         TAKES_PROFILE, "board", NULL},
    [SDSIM_ASK_HOST] = {SDSIM_OPTION_INIT_HOST, "host", NULL, NULL, TAKES_PROFILE, "host", NULL},
    [SDSIM_ASK_DRIVER] = {SDSIM_OPTION_INIT_DRIVER, "driver", NULL, NULL, TAKES_PROFILE, "driver",
                          NULL},
    [SDSIM_ASK_BUS] = {SDSIM_OPTION_BUS, "bus", NULL, NULL, TAKES_CHOICE, "bus", NULL},
    [SDSIM_ASK_CLOCK] = {SDSIM_OPTION_CLOCK, "clock", NULL, NULL, TAKES_FREQUENCY, "clock", NULL},
    [SDSIM_ASK_CARD] = {SDSIM_OPTION_INIT_CARD, "card", "Which card?", "sdhc32g-a1", TAKES_PROFILE,
                        "card", NULL},
    [SDSIM_ASK_FILESYSTEM] = {SDSIM_OPTION_FILESYSTEM, "filesystem", NULL, NULL, TAKES_CHOICE,
                              "filesystem.type", NULL},
    [SDSIM_ASK_API] = {SDSIM_OPTION_API, "file API", NULL, NULL, TAKES_CHOICE, "file.api", NULL},
    [SDSIM_ASK_WORKLOAD] = {SDSIM_OPTION_WORKLOAD, "workload", "What does the firmware do?",
                            "write", TAKES_CHOICE, "workload.do", NULL},
    [SDSIM_ASK_CALL] = {SDSIM_OPTION_INIT_CALL, "call", "How much in one call?", "32KiB",
                        TAKES_SIZE, "workload.call",
                        " write read random-write random-read random-mixed stream play append "
                        "seek "},
    [SDSIM_ASK_TOTAL] = {SDSIM_OPTION_TOTAL, "total", "How much in all?", "4MiB", TAKES_SIZE,
                         "workload.total",
                         " write read random-write random-read random-mixed stream play seek "},
    [SDSIM_ASK_SPAN] = {SDSIM_OPTION_SPAN, "span", "In a file of what size?", "64MiB", TAKES_SIZE,
                        "workload.span", " random-write random-read random-mixed "},
    [SDSIM_ASK_LINES] = {SDSIM_OPTION_LINES, "lines", "How many lines?", "10000", TAKES_COUNT, NULL,
                         " log "},
    [SDSIM_ASK_TIMES] = {SDSIM_OPTION_TIMES, "times", "How often?", "100", TAKES_COUNT, NULL,
                         " append seek open create list mount "},
    [SDSIM_ASK_FILES] = {SDSIM_OPTION_FILES, "files", "How many files are in the directory?",
                         "1000", TAKES_COUNT, NULL, " open open-each create list "},
    [SDSIM_ASK_SYNC_EVERY] = {SDSIM_OPTION_SYNC_EVERY, "sync_every", NULL, NULL, TAKES_COUNT, NULL,
                              " write log random-write random-mixed stream "},
    [SDSIM_ASK_MEASURED] = {SDSIM_OPTION_MEASURED, "measured",
                            "Did you measure it (1.3MB/s, 2500 lines/s, 20ms)? Enter: no.", "",
                            TAKES_MEASURED, NULL, NULL},
};

enum sdsim_option_id sdsim_question_option(enum sdsim_question question)
{
    return questions[question].option;
}

const char *sdsim_question_noun(enum sdsim_question question)
{
    return questions[question].noun;
}

const char *sdsim_question_prompt(enum sdsim_question question)
{
    return questions[question].prompt;
}

const char *sdsim_question_usual(enum sdsim_question question)
{
    return questions[question].usual;
}

bool sdsim_question_fits(enum sdsim_question question, const char *action)
{
    char word[40];
    snprintf(word, sizeof word, " %s ", action);
    return questions[question].actions == NULL || strstr(questions[question].actions, word) != NULL;
}

/* ---- choices ---- */

/* A key of scenarios, "filesystem.type"; NULL: there is none. */
static const struct sdsim_key *key_of(const char *path)
{
    const struct sdsim_schema *schema = &sdsim_run_schema;
    for (size_t i = 0; i < schema->key_count; i++) {
        const struct sdsim_key *key = &schema->keys[i];
        const size_t size = strlen(key->name);
        if (strncmp(key->name, path, size) != 0) {
            continue;
        }
        if (path[size] == '\0') {
            return key;
        }
        if (path[size] == '.' && key->schema != NULL) {
            schema = key->schema;
            path += size + 1;
            i = (size_t)-1;
        }
    }
    return NULL;
}

static const struct sdsim_choice *choices_of(const char *path)
{
    const struct sdsim_key *key = key_of(path);
    return key != NULL ? key->choices : NULL;
}

enum { MOST_NAMES = 512 };

/* The valid answers to a choice; how many there are. */
static size_t names_of(const struct question *question, struct sdsim_cli_session *session,
                       const char *names[MOST_NAMES])
{
    size_t count = 0;
    if (question->takes == TAKES_PROFILE) {
        const struct sdsim_profile_file *files;
        const size_t there = sdsim_config_list(session->config, question->of, &files);
        for (; count < there && count < MOST_NAMES; count++) {
            names[count] = files[count].name;
        }
    } else if (question->takes == TAKES_CHOICE) {
        const struct sdsim_choice *choices = choices_of(question->of);
        for (; choices != NULL && choices[count].name != NULL && count < MOST_NAMES; count++) {
            names[count] = choices[count].name;
        }
    }
    return count;
}

static bool is_among(const char *text, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i], text) == 0) {
            return true;
        }
    }
    return false;
}

/* All names in lines of 80 columns. */
static void print_names(const char *first, const char *const *names, size_t count, FILE *out)
{
    char *text = NULL;
    size_t size = 0;
    FILE *line = open_memstream(&text, &size);
    if (line == NULL) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        fprintf(line, "%s%s", i > 0 ? ", " : "", names[i]);
    }
    if (fclose(line) == 0) {
        sdsim_print_wrapped(out, first, text);
    }
    free(text);
}

static bool refuse_choice(const struct question *question, const char *text,
                          const char *const *names, size_t count)
{
    const char *closest = sdsim_closest(text, names, count);
    fprintf(stderr, "error: there is no %s '%s'\n", question->noun, text);
    if (closest != NULL) {
        fprintf(stderr, "help: did you mean '%s'?\n", closest);
    }
    print_names("help: there are ", names, count, stderr);
    return false;
}

/* ---- values ---- */

/* Nothing YAML could take for something else. */
static bool is_plain(const char *text)
{
    return text[0] != '\0' && strlen(text) < 200 &&
           strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._/% -+") ==
               strlen(text) &&
           text[0] != '-' && text[0] != '%' && text[0] != ' ' && text[strlen(text) - 1] != ' ';
}

static bool is_path(const char *text)
{
    const size_t size = strlen(text);
    return strchr(text, '/') != NULL || (size > 5 && strcmp(text + size - 5, ".yaml") == 0);
}

/* A number with a unit, above 0; it may be too large for anything. */
static bool is_unit(enum sdsim_unit unit, const char *text)
{
    uint64_t value = 0;
    const enum sdsim_unit_error error = sdsim_unit_parse(unit, text, &value);
    return (error == SDSIM_UNIT_OK && value > 0) || error == SDSIM_UNIT_TOO_LARGE;
}

/* Whether the key of scenarios takes it, too; says what its limits are. */
static bool is_in_limits(const struct question *question, const char *text)
{
    struct sdsim_scalar value;
    struct sdsim_complaint complaint;
    const struct sdsim_key *key = key_of(question->of);
    if (key == NULL || sdsim_value_parse(key, text, &value, &complaint)) {
        return true;
    }
    fprintf(stderr, "error: %s: %s\n", question->noun, complaint.text);
    return false;
}

static bool is_count(const char *text)
{
    return text[0] >= '1' && text[0] <= '9' && strspn(text, "0123456789") == strlen(text) &&
           strlen(text) <= 9;
}

/* A value, or two with ".." between them. */
static bool is_measured(const char *text)
{
    static const enum sdsim_unit units[] = {SDSIM_UNIT_RATE, SDSIM_UNIT_PER_SECOND,
                                            SDSIM_UNIT_TIME};
    const char *second = strstr(text, "..");
    char value[64];
    double number = 0;
    snprintf(value, sizeof value, "%s", second != NULL ? second + 2 : text);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (sdsim_unit_parse_real(units[i], value, &number) == SDSIM_UNIT_OK) {
            return is_plain(text);
        }
    }
    return false;
}

static bool refuse_value(const struct question *question, const char *text)
{
    const char *expected =
        question->takes == TAKES_SIZE        ? sdsim_unit_expected(SDSIM_UNIT_SIZE)
        : question->takes == TAKES_FREQUENCY ? sdsim_unit_expected(SDSIM_UNIT_FREQUENCY)
        : question->takes == TAKES_COUNT     ? "a whole number from 1 to 999999999"
                                         : "a rate, lines/s or a time, with its unit, or low..high";
    fprintf(stderr, "error: '%s' is no answer for %s: it takes %s\n", text, question->noun,
            expected);
    return false;
}

bool sdsim_question_takes(enum sdsim_question which, struct sdsim_cli_session *session,
                          const char *text)
{
    const struct question *question = &questions[which];
    const char *names[MOST_NAMES];
    const size_t count = names_of(question, session, names);
    switch (question->takes) {
    case TAKES_PROFILE:
        return is_among(text, names, count) || (is_path(text) && is_plain(text)) ||
               refuse_choice(question, text, names, count);
    case TAKES_CHOICE:
        return is_among(text, names, count) || refuse_choice(question, text, names, count);
    case TAKES_SIZE:
        return is_plain(text) && is_unit(SDSIM_UNIT_SIZE, text) ? is_in_limits(question, text)
                                                                : refuse_value(question, text);
    case TAKES_FREQUENCY:
        return is_plain(text) && is_unit(SDSIM_UNIT_FREQUENCY, text) ? is_in_limits(question, text)
                                                                     : refuse_value(question, text);
    case TAKES_COUNT:
        return is_count(text) || refuse_value(question, text);
    case TAKES_MEASURED:
        return is_measured(text) || refuse_value(question, text);
    }
    return false;
}

/* ---- lists ---- */

/* The name a profile gives itself, or NULL; what is wrong with it is somebody else's business. */
static const char *title_of(struct sdsim_cli_session *session, const char *kind, const char *name)
{
    struct sdsim_diags unheard;
    sdsim_diags_init(&unheard);
    const struct sdsim_node *tree =
        sdsim_config_profile(session->config, kind, name, NULL, &unheard);
    sdsim_diags_free(&unheard);
    return tree != NULL ? sdsim_node_text(tree, "name") : NULL;
}

void sdsim_question_list(enum sdsim_question which, struct sdsim_cli_session *session, FILE *out)
{
    const struct question *question = &questions[which];
    const struct sdsim_choice *choices =
        question->takes == TAKES_CHOICE ? choices_of(question->of) : NULL;
    const char *names[MOST_NAMES];
    const size_t count = names_of(question, session, names);
    size_t width = 0;
    for (size_t i = 0; i < count; i++) {
        width = strlen(names[i]) > width ? strlen(names[i]) : width;
    }
    if (count > 20) { /* forty lines of cards help nobody */
        print_names("  ", names, count, out);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const char *doc =
            choices != NULL ? choices[i].doc : title_of(session, question->of, names[i]);
        char first[80];
        snprintf(first, sizeof first, "  %-*s  ", (int)width, names[i]);
        sdsim_print_wrapped(out, first, doc != NULL ? doc : "");
    }
}
