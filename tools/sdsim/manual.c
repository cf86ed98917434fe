/*
 * Manual pages, made of the tables that --help is made of: one of each command, and sdsim(1) itself.
 *
 * They are roff with the man macros. A line of text that begins with a dot or a quote would be taken
 * for a macro, and dashes of options for hyphens; escape() sees to both.
 */
#include "command.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "core/version.h"
#include "output.h"

/* Text as roff takes it literally, from the start of a line. */
static void escape(const char *text, size_t size, FILE *out)
{
    if (size > 0 && (text[0] == '.' || text[0] == '\'')) {
        fputs("\\&", out);
    }
    for (size_t i = 0; i < size; i++) {
        switch (text[i]) {
        case '\\':
            fputs("\\e", out);
            break;
        case '-':
            fputs("\\-", out);
            break;
        case '\'':
            fputs("\\(aq", out);
            break;
        default:
            fputc(text[i], out);
            break;
        }
    }
}

static void print(const char *text, FILE *out)
{
    escape(text, strlen(text), out);
}

static void upper(const char *text, FILE *out)
{
    for (; *text != '\0'; text++) {
        fputc(toupper((unsigned char)*text), out);
    }
}

/* "SDSIM" or "SDSIM-RUN". */
static void head(const char *command, const char *summary, FILE *out)
{
    fputs(".TH SDSIM", out);
    if (command != NULL) {
        fputc('-', out);
        upper(command, out);
    }
    fprintf(out, " 1 \"\" \"sdsim %s\" \"sdsim\"\n.SH NAME\nsdsim%s%s \\- ", SDSIM_VERSION,
            command != NULL ? "\\-" : "", command != NULL ? command : "");
    print(summary, out);
    fputs("\n.SH SYNOPSIS\n", out);
}

static void options(const enum sdsim_option_id *ids, FILE *out)
{
    fputs(".SH OPTIONS\n", out);
    for (; *ids != SDSIM_OPTION_COUNT; ids++) {
        const struct sdsim_option *option = sdsim_option(*ids);
        fputs(".TP\n", out);
        if (option->letter != 0) {
            fprintf(out, "\\fB\\-%c\\fR, ", option->letter);
        }
        fputs("\\fB\\-\\-", out);
        print(option->name, out);
        fputs("\\fR", out);
        if (option->argument != NULL) {
            fprintf(out, " \\fI%s\\fR", option->argument);
        }
        fputc('\n', out);
        print(option->doc, out);
        fputc('\n', out);
    }
}

/* Paragraphs, separated by newlines. */
static void paragraphs(const char *text, FILE *out)
{
    while (*text != '\0') {
        const size_t size = strcspn(text, "\n");
        fputs(".PP\n", out);
        escape(text, size, out);
        fputc('\n', out);
        text += size + (text[size] == '\n');
    }
}

static void exit_status(FILE *out)
{
    static const struct {
        int code;
        const char *meaning;
    } rows[] = {
        {SDSIM_EXIT_OK, "All is well."},
        {SDSIM_EXIT_FINDING, "Out of tolerance, a run that ended early, or a finding."},
        {SDSIM_EXIT_INPUT, "Bad input or usage."},
        {SDSIM_EXIT_FAULT, "A device or I/O fault, or no memory."},
    };
    fputs(".SH EXIT STATUS\n", out);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fprintf(out, ".TP\n.B %d\n%s\n", rows[i].code, rows[i].meaning);
    }
}

static void page_of_command(const struct sdsim_command *command, FILE *out)
{
    head(command->name, command->summary, out);
    fprintf(out, ".B sdsim %s\n[\\fIOPTION\\fR...] ", command->name);
    print(command->operands, out);
    fputs("\n.SH DESCRIPTION\n", out);
    paragraphs(command->details, out);
    options(command->options, out);
    exit_status(out);
    fputs(".SH SEE ALSO\n.BR sdsim (1)\n", out);
}

static void page_of_program(FILE *out)
{
    head(NULL, "simulate an SD card, the bus it hangs on and the firmware that uses it", out);
    fputs(".B sdsim\n\\fICOMMAND\\fR [\\fIOPTION\\fR...] [\\fIARGUMENT\\fR...]\n", out);
    fputs(".SH DESCRIPTION\n", out);
    paragraphs("sdsim predicts how fast a microcontroller reads and writes an SD card, shows where "
               "the time goes, and holds predictions against measurements. It needs no hardware.\n"
               "What is simulated stands in a scenario, a YAML file that names a board or a host "
               "and driver, a card, a file system and a workload.\n"
               "Data goes to standard output, messages go to standard error.",
               out);
    fputs(".SH COMMANDS\n", out);
    for (size_t i = 0; i < sdsim_command_count; i++) {
        fprintf(out, ".TP\n.BR sdsim\\-%s (1)\n", sdsim_commands[i]->name);
        print(sdsim_commands[i]->summary, out);
        fputc('\n', out);
    }
    fputs(".PP\nA program called \\fBsdsim\\-\\fINAME\\fR beside sdsim, or in the PATH, is the "
          "command \\fINAME\\fR, too.\n",
          out);
    exit_status(out);
    fputs(".SH ENVIRONMENT\n"
          ".TP\n.B SDSIM_DATA_DIR\nWhere the folders cards and scenarios are.\n"
          ".TP\n.B NO_COLOR\nIf set and not empty, nothing is printed in colour.\n",
          out);
}

static enum sdsim_exit write_page(const struct sdsim_command *command, const char *path)
{
    struct sdsim_output output;
    if (!sdsim_output_open(&output)) {
        return SDSIM_EXIT_FAULT;
    }
    if (command != NULL) {
        page_of_command(command, output.stream);
    } else {
        page_of_program(output.stream);
    }
    return sdsim_output_send(&output, path);
}

static enum sdsim_exit write_pages(const char *directory)
{
    char path[PATH_MAX];
    if (mkdir(directory, 0777) != 0 && errno != EEXIST) {
        fprintf(stderr, "%s: error: %s\n", directory, strerror(errno));
        return SDSIM_EXIT_FAULT;
    }
    snprintf(path, sizeof path, "%s/sdsim.1", directory);
    enum sdsim_exit code = write_page(NULL, path);
    for (size_t i = 0; i < sdsim_command_count && code == SDSIM_EXIT_OK; i++) {
        snprintf(path, sizeof path, "%s/sdsim-%s.1", directory, sdsim_commands[i]->name);
        code = write_page(sdsim_commands[i], path);
    }
    return code;
}

static enum sdsim_exit run(const struct sdsim_arguments *arguments)
{
    const struct sdsim_command *command = NULL;
    if (arguments->values[SDSIM_OPTION_PAGES] != NULL) {
        return write_pages(arguments->values[SDSIM_OPTION_PAGES]);
    }
    if (arguments->operand_count > 0) {
        command = sdsim_command_find(arguments->operands[0]);
        if (command == NULL) {
            fprintf(stderr, "error: unknown command '%s'\nhelp: 'sdsim help' lists the commands\n",
                    arguments->operands[0]);
            return SDSIM_EXIT_INPUT;
        }
    }
    return write_page(command, arguments->output);
}

static const enum sdsim_option_id manual_options[] = {
    SDSIM_OPTION_PAGES,
    SDSIM_OPTION_OUTPUT,
    SDSIM_OPTION_HELP,
    SDSIM_OPTION_COUNT,
};

const struct sdsim_command sdsim_command_manual = {
    .name = "manual",
    .operands = "[COMMAND]",
    .summary = "print the manual page of a command, or of sdsim itself",
    .details = "The page is in roff, as man reads it: 'sdsim manual run | man -l -'. An installed "
               "sdsim has its pages where man looks for them.",
    .least = 0,
    .most = 1,
    .options = manual_options,
    .run = run,
};
