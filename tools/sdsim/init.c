#include "command.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "init_questions.h"
#include "output.h"
#include "session.h"
#include "setup/setup.h"

struct task {
    struct sdsim_cli_session session;
    const struct sdsim_arguments *arguments;
    struct sdsim_answers answers;
    char *typed[SDSIM_QUESTIONS + 1]; /* at the terminal; owned. The last is the file's name */
    const char *output;               /* NULL: standard output */
    bool asks;
};

/* ---- answers from options ---- */

static bool take_options(struct task *task)
{
    for (int q = 0; q < SDSIM_QUESTIONS; q++) {
        const enum sdsim_question question = (enum sdsim_question)q;
        const char *text = task->arguments->values[sdsim_question_option(question)];
        if (text != NULL && !sdsim_question_takes(question, &task->session, text)) {
            return false;
        }
        task->answers.texts[q] = text;
    }
    return true;
}

/* An option that the workload has no use for is a mistake. */
static bool options_fit(const struct task *task)
{
    const char *action = task->answers.texts[SDSIM_ASK_WORKLOAD];
    for (int q = 0; q < SDSIM_QUESTIONS; q++) {
        const enum sdsim_question question = (enum sdsim_question)q;
        if (task->arguments->values[sdsim_question_option(question)] != NULL &&
            !sdsim_question_fits(question, action)) {
            fprintf(stderr, "error: the workload %s has no use for --%s\n", action,
                    sdsim_option(sdsim_question_option(question))->name);
            return false;
        }
    }
    return true;
}

/* ---- answers from somebody at a terminal ---- */

/* A line without its end and the blanks around it; NULL at the end of the input. Owned. */
static char *read_line(void)
{
    char *line = NULL;
    size_t room = 0;
    if (getline(&line, &room, stdin) < 0) {
        free(line);
        return NULL;
    }
    size_t end = strlen(line);
    while (end > 0 && strchr(" \t\r\n", line[end - 1]) != NULL) {
        line[--end] = '\0';
    }
    const size_t begin = strspn(line, " \t");
    memmove(line, line + begin, end - begin + 1);
    return line;
}

/* Asks until there is an answer; false at the end of the input. */
static bool ask(struct task *task, enum sdsim_question question)
{
    const char *usual = sdsim_question_usual(question);
    fprintf(stderr, "\n%s\n", sdsim_question_prompt(question));
    sdsim_question_list(question, &task->session, stderr);
    for (;;) {
        fprintf(stderr, usual != NULL && usual[0] != '\0' ? "%s [%s]: " : "%s: ",
                sdsim_question_noun(question), usual);
        char *line = read_line();
        if (line == NULL) {
            fputs("\nerror: no answer, so nothing is written\n", stderr);
            return false;
        }
        if (line[0] == '\0' && usual != NULL) {
            free(line);
            return true;
        }
        if (sdsim_question_takes(question, &task->session, line)) {
            task->typed[question] = line;
            task->answers.texts[question] = line;
            return true;
        }
        free(line);
    }
}

static bool ask_file(struct task *task)
{
    for (;;) {
        fputs("\nWhere to?\nfile [mine.yaml]: ", stderr);
        char *line = read_line();
        if (line == NULL) {
            fputs("\nerror: no answer, so nothing is written\n", stderr);
            return false;
        }
        free(task->typed[SDSIM_QUESTIONS]);
        task->typed[SDSIM_QUESTIONS] = line;
        task->output = line[0] != '\0' ? line : "mine.yaml";
        if (access(task->output, F_OK) != 0) {
            return true;
        }
        fprintf(stderr, "error: %s is there already\n", task->output);
    }
}

static bool ask_all(struct task *task)
{
    fputs("A scenario: a board, a card, and what is done with it. Enter takes what stands in\n"
          "brackets.\n",
          stderr);
    for (int q = 0; q < SDSIM_QUESTIONS; q++) {
        const enum sdsim_question question = (enum sdsim_question)q;
        const char *action = task->answers.texts[SDSIM_ASK_WORKLOAD];
        const char *usual = sdsim_question_usual(SDSIM_ASK_WORKLOAD);
        if (sdsim_question_prompt(question) != NULL && task->answers.texts[q] == NULL &&
            sdsim_question_fits(question, action != NULL ? action : usual) &&
            !ask(task, question)) {
            return false;
        }
    }
    return task->output != NULL || ask_file(task);
}

/* ---- the scenario ---- */

static void fill_in(struct sdsim_answers *answers)
{
    for (int q = 0; q < SDSIM_QUESTIONS; q++) {
        const char *usual = sdsim_question_usual((enum sdsim_question)q);
        if (answers->texts[q] == NULL && usual != NULL && usual[0] != '\0') {
            answers->texts[q] = usual;
        }
    }
}

/* Loads what was written, as `check` and `run` will. NULL with messages. */
static const struct sdsim_scenario *try(struct task *task, struct sdsim_setup *setup)
{
    struct sdsim_diags *diags = &task->session.diags;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL) {
        sdsim_error(diags, NULL, "out of memory");
        return NULL;
    }
    sdsim_init_write(&task->answers, out);
    const struct sdsim_scenario *scenario = NULL;
    if (fclose(out) != 0) {
        sdsim_error(diags, NULL, "out of memory");
    } else {
        scenario = sdsim_scenario_of_text(task->session.config,
                                          task->output != NULL ? task->output : "(scenario)", text,
                                          NULL, diags);
    }
    free(text);
    return scenario != NULL &&
                   sdsim_setup_bind(task->session.config, &scenario->runs[0], 0, setup, diags)
               ? scenario
               : NULL;
}

/* Whether the volume would be exFAT, which the firmware can't read. */
static bool needs_fat32(const struct task *task, const struct sdsim_setup *setup)
{
    return task->answers.texts[SDSIM_ASK_FILESYSTEM] == NULL && !setup->run.reads_exfat &&
           setup->card.capacity > (uint64_t)32 << 30;
}

/* Says which file API a set-up without a board has, if it is not the usual one. */
static bool answer_api(struct task *task, const struct sdsim_setup *setup)
{
    const char **texts = task->answers.texts;
    if (texts[SDSIM_ASK_BOARD] != NULL || texts[SDSIM_ASK_API] != NULL) {
        return false;
    }
    texts[SDSIM_ASK_API] =
        sdsim_init_usual_api(&task->session, texts[SDSIM_ASK_DRIVER], texts[SDSIM_ASK_HOST], setup);
    return texts[SDSIM_ASK_API] != NULL;
}

static enum sdsim_exit write_scenario(struct task *task)
{
    struct sdsim_output output;
    if (!sdsim_output_open(&output)) {
        return SDSIM_EXIT_FAULT;
    }
    sdsim_init_write(&task->answers, output.stream);
    const enum sdsim_exit code = sdsim_output_send(&output, task->output);
    if (code == SDSIM_EXIT_OK && task->output != NULL) {
        fprintf(stderr, "note: wrote %s; try: sdsim run %s\n", task->output, task->output);
    }
    return code;
}

static enum sdsim_exit make(struct task *task)
{
    struct sdsim_setup *setup = calloc(1, sizeof *setup);
    enum sdsim_exit code = SDSIM_EXIT_INPUT;
    if (setup == NULL) {
        fputs("error: out of memory\n", stderr);
        return SDSIM_EXIT_FAULT;
    }
    const struct sdsim_scenario *scenario = try(task, setup);
    if (scenario != NULL && answer_api(task, setup)) {
        scenario = try(task, setup);
    }
    if (scenario != NULL && needs_fat32(task, setup)) {
        task->answers.texts[SDSIM_ASK_FILESYSTEM] = "fat32";
        task->answers.fat32_for_firmware = true;
        scenario = try(task, setup);
    }
    if (scenario != NULL) {
        sdsim_setup_lint(&scenario->runs[0], setup, &task->session.diags);
    }
    if (!sdsim_cli_report(&task->session)) {
        code = write_scenario(task);
    }
    free(setup);
    return code;
}

static bool is_complete(const struct task *task)
{
    const char *const *texts = task->answers.texts;
    if (texts[SDSIM_ASK_BOARD] != NULL ||
        (texts[SDSIM_ASK_HOST] != NULL && texts[SDSIM_ASK_DRIVER] != NULL)) {
        return true;
    }
    fputs("error: which board? Say --board, or --host and --driver\nhelp: 'sdsim list board' shows "
          "them; at a terminal and without options init asks\n",
          stderr);
    return false;
}

/* Without options, at a terminal, there is somebody to ask. */
static bool has_somebody(const struct sdsim_arguments *arguments)
{
    for (int option = 0; option < SDSIM_OPTION_COUNT; option++) {
        if (arguments->values[option] != NULL && option != SDSIM_OPTION_NEW_FILE) {
            return false;
        }
    }
    return isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
}

static enum sdsim_exit work(struct task *task)
{
    task->output = task->arguments->values[SDSIM_OPTION_NEW_FILE];
    if (task->output != NULL && access(task->output, F_OK) == 0) {
        fprintf(stderr, "error: %s is there already, and init replaces nothing\n", task->output);
        return SDSIM_EXIT_INPUT;
    }
    if (!take_options(task) || (has_somebody(task->arguments) && !ask_all(task))) {
        return SDSIM_EXIT_INPUT;
    }
    fill_in(&task->answers);
    return is_complete(task) && options_fit(task) ? make(task) : SDSIM_EXIT_INPUT;
}

static enum sdsim_exit init(const struct sdsim_arguments *arguments)
{
    struct task task = {.arguments = arguments};
    const enum sdsim_exit code = sdsim_cli_open(&task.session) ? work(&task) : SDSIM_EXIT_FAULT;
    for (int i = 0; i <= SDSIM_QUESTIONS; i++) {
        free(task.typed[i]);
    }
    sdsim_cli_close(&task.session);
    return code;
}

static const enum sdsim_option_id options[] = {
    SDSIM_OPTION_INIT_BOARD,  SDSIM_OPTION_INIT_CARD, SDSIM_OPTION_WORKLOAD,
    SDSIM_OPTION_INIT_CALL,   SDSIM_OPTION_TOTAL,     SDSIM_OPTION_SPAN,
    SDSIM_OPTION_LINES,       SDSIM_OPTION_TIMES,     SDSIM_OPTION_FILES,
    SDSIM_OPTION_SYNC_EVERY,  SDSIM_OPTION_CLOCK,     SDSIM_OPTION_INIT_HOST,
    SDSIM_OPTION_INIT_DRIVER, SDSIM_OPTION_BUS,       SDSIM_OPTION_FILESYSTEM,
    SDSIM_OPTION_API,         SDSIM_OPTION_MEASURED,  SDSIM_OPTION_NEW_FILE,
    SDSIM_OPTION_HELP,        SDSIM_OPTION_COUNT,
};

const struct sdsim_command sdsim_command_init = {
    .name = "init",
    .operands = "",
    .summary = "write a scenario: from options, or from a few questions at a terminal",
    .details =
        "Writes a commented scenario, ready for 'sdsim check' and 'sdsim run', to standard output "
        "or to a file that is not there yet. Without options, at a terminal, it asks; with "
        "options, the board (or host and driver) has to be said, and everything else has a "
        "default.\n"
        "What 'sdsim check' warns of in it is said at once, on standard error; the scenario is "
        "written all the same. An answer that is none gets the closest and all that there are.",
    .least = 0,
    .most = 0,
    .options = options,
    .run = init,
};
