/*
 * The commands there are, and what all have in common.
 */
#include "command.h"

#include <string.h>

#include "core/version.h"
#include "output_check.h"
#include "report/table.h"
#include "spool.h"

const struct sdsim_command *const sdsim_commands[] = {
    &sdsim_command_init,       &sdsim_command_run,      &sdsim_command_compare,
    &sdsim_command_check,      &sdsim_command_list,     &sdsim_command_calibrate,
    &sdsim_command_accuracy,   &sdsim_command_describe, &sdsim_command_mkfs,
    &sdsim_command_fsops,      &sdsim_command_layout,   &sdsim_command_explain,
    &sdsim_command_sweep,      &sdsim_command_buffer,   &sdsim_command_diff,
    &sdsim_command_report,     &sdsim_command_export,   &sdsim_command_import,
    &sdsim_command_replay,     &sdsim_command_doctor,   &sdsim_command_view,
    &sdsim_command_probe,      &sdsim_command_validate, &sdsim_command_manual,
    &sdsim_command_completion,
};

const size_t sdsim_command_count = sizeof sdsim_commands / sizeof *sdsim_commands;

const struct sdsim_command *sdsim_command_find(const char *name)
{
    for (size_t i = 0; i < sdsim_command_count; i++) {
        if (strcmp(sdsim_commands[i]->name, name) == 0) {
            return sdsim_commands[i];
        }
    }
    return NULL;
}

void sdsim_command_help(const struct sdsim_command *command, FILE *out)
{
    fprintf(out, "usage: sdsim %s [OPTION...]%s%s\n\n", command->name,
            command->operands[0] != '\0' ? " " : "", command->operands);
    sdsim_print_wrapped(out, "", command->summary);
    fputs("\noptions:\n", out);
    sdsim_options_help(command->options, out);
    for (const char *text = command->details; *text != '\0';) {
        char paragraph[1200];
        const size_t size = strcspn(text, "\n");
        snprintf(paragraph, sizeof paragraph, "%.*s", (int)size, text);
        fputc('\n', out);
        sdsim_print_wrapped(out, "", paragraph);
        text += size + (text[size] == '\n');
    }
}

bool sdsim_command_takes(const struct sdsim_command *command,
                         const struct sdsim_arguments *arguments)
{
    const size_t count = arguments->operand_count;
    if (count >= command->least && count <= command->most) {
        return true;
    }
    fprintf(stderr, "error: %s arguments\nhelp: usage: sdsim %s [OPTION...]%s%s\n",
            count < command->least ? "missing" : "too many", command->name,
            command->operands[0] != '\0' ? " " : "", command->operands);
    return false;
}

enum sdsim_exit sdsim_command_prepare(const struct sdsim_command *command,
                                      const struct sdsim_arguments *arguments)
{
    const enum sdsim_exit code = sdsim_outputs_check(arguments);
    return code == SDSIM_EXIT_OK && command->needs_file != NULL
               ? sdsim_spool_operands(arguments, command->needs_file)
               : code;
}

enum sdsim_exit sdsim_command_main(const struct sdsim_command *command,
                                   enum sdsim_exit (*run)(const struct sdsim_arguments *arguments),
                                   int argc, char **argv)
{
    char name[32]; /* in messages: "view has no option ..." */
    struct sdsim_arguments arguments;
    enum sdsim_exit code = SDSIM_EXIT_INPUT;
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        printf("sdsim-%s " SDSIM_VERSION "\n", command->name);
        return fflush(stdout) == 0 ? SDSIM_EXIT_OK : SDSIM_EXIT_FAULT;
    }
    snprintf(name, sizeof name, "%s", command->name);
    argv[0] = name;
    if (sdsim_arguments_parse(&arguments, command->options, argc, argv)) {
        if (arguments.help) {
            sdsim_command_help(command, stdout);
            code = fflush(stdout) == 0 ? SDSIM_EXIT_OK : SDSIM_EXIT_FAULT;
        } else {
            code = sdsim_command_prepare(command, &arguments);
            code = code == SDSIM_EXIT_OK ? run(&arguments) : code;
        }
    }
    sdsim_arguments_free(&arguments);
    return code;
}
