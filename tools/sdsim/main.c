/*
 * The command line: finds the command and its options, prints help, or hands over to the program
 * sdsim-COMMAND, as git does.
 */
#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "config/tree.h"
#include "core/version.h"
#include "output.h"
#include "report/table.h"

/* ---- help ---- */

static void print_overview(FILE *out)
{
    fputs("usage: sdsim COMMAND [OPTION...] [ARGUMENT...]\n\n", out);
    sdsim_print_wrapped(out, "",
                        "Simulates an SD card, the bus it hangs on and the firmware that uses it: "
                        "predicts how fast it will be, and shows where the time goes.");
    fputs("\ncommands:\n", out);
    for (size_t i = 0; i < sdsim_command_count; i++) {
        char first[40];
        snprintf(first, sizeof first, "  %-11s", sdsim_commands[i]->name);
        sdsim_print_wrapped(out, first, sdsim_commands[i]->summary);
    }
    fputc('\n', out);
    sdsim_print_wrapped(
        out, "",
        "view, probe and validate are programs of their own, built where the libraries they need "
        "are found.");
    fputc('\n', out);
    sdsim_print_wrapped(out, "",
                        "'sdsim COMMAND --help' explains a command. Data goes to standard output, "
                        "messages to standard error. Exit code: 0 all is well; 1 out of tolerance, "
                        "a run that ended early, "
                        "or a finding of check; 2 bad input or usage; 3 device or I/O fault.");
}

/* Help is data when it was asked for. */
static enum sdsim_exit show_help(const struct sdsim_command *command)
{
    struct sdsim_output output;
    if (!sdsim_output_open(&output)) {
        return SDSIM_EXIT_FAULT;
    }
    if (command != NULL) {
        sdsim_command_help(command, output.stream);
    } else {
        print_overview(output.stream);
    }
    return sdsim_output_send(&output, NULL);
}

static enum sdsim_exit show_version(void)
{
    struct sdsim_output output;
    if (!sdsim_output_open(&output)) {
        return SDSIM_EXIT_FAULT;
    }
    fputs("sdsim " SDSIM_VERSION "\n", output.stream);
    return sdsim_output_send(&output, NULL);
}

/* ---- other programs ---- */

static bool is_plain_word(const char *name)
{
    return name[0] != '\0' && name[0] != '-' &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(name);
}

/* Runs sdsim-NAME from beside this program, or from PATH. Returns only if there is none (ENOENT) or
 * it can't be run. */
static void run_program(const char *name, char **argv)
{
    char program[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length > 0) {
        program[length] = '\0';
        char *file = strrchr(program, '/') + 1;
        const size_t room = sizeof program - (size_t)(file - program);
        if (snprintf(file, room, "sdsim-%s", name) < (int)room && access(program, X_OK) == 0) {
            execv(program, argv);
        }
    }
    if (snprintf(program, sizeof program, "sdsim-%s", name) < (int)sizeof program) {
        execvp(program, argv);
    }
}

static enum sdsim_exit run_other(char **argv)
{
    const char *name = argv[0];
    const char *names[64];
    errno = ENOENT;
    if (is_plain_word(name)) {
        run_program(name, argv);
    }
    /* execvp says EACCES also when it could not look into a folder of the PATH. */
    if (errno != ENOENT && errno != ENOTDIR && errno != EACCES) {
        fprintf(stderr, "error: cannot run sdsim-%s: %s\n", name, strerror(errno));
        return SDSIM_EXIT_INPUT;
    }
    const struct sdsim_command *known = sdsim_command_find(name);
    if (known != NULL) {
        fprintf(stderr, "error: there is no sdsim-%s: sdsim was built without %s\n", name,
                known->needs);
        return SDSIM_EXIT_FAULT;
    }
    for (size_t i = 0; i < sdsim_command_count; i++) {
        names[i] = sdsim_commands[i]->name;
    }
    names[sdsim_command_count] = "help";
    const char *closest = sdsim_closest(name, names, sdsim_command_count + 1);
    fprintf(stderr, "error: unknown %s '%s'\n", name[0] == '-' ? "option" : "command", name);
    if (closest != NULL) {
        fprintf(stderr, "help: did you mean '%s'?\n", closest);
    } else {
        fputs("help: 'sdsim help' lists the commands\n", stderr);
    }
    return SDSIM_EXIT_INPUT;
}

/* ---- commands ---- */

static enum sdsim_exit run_parsed(const struct sdsim_command *command,
                                  const struct sdsim_arguments *arguments)
{
    if (arguments->help) {
        return show_help(command);
    }
    if (!sdsim_command_takes(command, arguments)) {
        return SDSIM_EXIT_INPUT;
    }
    const enum sdsim_exit code = sdsim_command_prepare(command, arguments);
    return code == SDSIM_EXIT_OK ? command->run(arguments) : code;
}

static enum sdsim_exit run_command(const struct sdsim_command *command, int argc, char **argv)
{
    struct sdsim_arguments arguments;
    const enum sdsim_exit code = sdsim_arguments_parse(&arguments, command->options, argc, argv)
                                     ? run_parsed(command, &arguments)
                                     : SDSIM_EXIT_INPUT;
    sdsim_arguments_free(&arguments);
    return code;
}

static enum sdsim_exit help_on(int argc, char **argv)
{
    const struct sdsim_command *command = argc > 1 ? sdsim_command_find(argv[1]) : NULL;
    if (argc > 1 && command == NULL) {
        char help[] = "--help";
        char *asked[] = {argv[1], help, NULL};
        return run_other(asked);
    }
    return show_help(command);
}

/* Help on it comes from here even if the program is not installed. */
static enum sdsim_exit run_own_program(const struct sdsim_command *command, char **argv)
{
    for (char **word = argv; *word != NULL && strcmp(*word, "--") != 0; word++) {
        if (strcmp(*word, "--help") == 0 || strcmp(*word, "-h") == 0) {
            return show_help(command);
        }
    }
    return run_other(argv);
}

static enum sdsim_exit start(int argc, char **argv)
{
    if (argc < 2) {
        print_overview(stderr);
        return SDSIM_EXIT_INPUT;
    }
    const char *name = argv[1];
    if (strcmp(name, "--version") == 0) {
        return show_version();
    }
    if (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        return help_on(argc - 1, argv + 1);
    }
    const struct sdsim_command *command = sdsim_command_find(name);
    if (command != NULL && command->run == NULL) {
        return run_own_program(command, argv + 1);
    }
    return command != NULL ? run_command(command, argc - 1, argv + 1) : run_other(argv + 1);
}

int main(int argc, char **argv)
{
    setlocale(LC_CTYPE, ""); /* only to know whether the terminal speaks UTF-8 */
    return (int)start(argc, argv);
}
