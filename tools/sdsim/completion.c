/*
 * Completion of command lines in bash, zsh and fish, made of the tables of commands and options.
 *
 * What an operand may be is told by its name in the command's synopsis: SCENARIO is a file or one of
 * the names that `sdsim list` knows, kinds with bars between them are themselves, anything else is a
 * file. Names of scenarios and cards are asked of the program when they are needed, so new files are
 * found.
 */
#include "command.h"

#include <string.h>

#include "config/kinds.h"
#include "output.h"

static bool takes(const struct sdsim_command *command, const char *operand)
{
    return strstr(command->operands, operand) != NULL;
}

/* The kinds of profiles, with a blank before each. */
static void print_kinds(FILE *out)
{
#define SDSIM_KIND_WORD(kind, folder) fputs(" " #kind, out);
    SDSIM_KIND_LIST(SDSIM_KIND_WORD)
#undef SDSIM_KIND_WORD
}

/* For a pattern of case: "--output|-o". */
static void print_spellings(const struct sdsim_option *option, FILE *out)
{
    fprintf(out, "--%s", option->name);
    if (option->letter != 0) {
        fprintf(out, "|-%c", option->letter);
    }
}

static void print_option_words(const struct sdsim_command *command, FILE *out)
{
    for (const enum sdsim_option_id *id = command->options; *id != SDSIM_OPTION_COUNT; id++) {
        const struct sdsim_option *option = sdsim_option(*id);
        fprintf(out, " --%s", option->name);
        if (option->letter != 0) {
            fprintf(out, " -%c", option->letter);
        }
    }
}

/* ---- bash, and zsh, which can run bash's ---- */

/* What follows an option that takes something, as a command that fills COMPREPLY. */
static void bash_value(const struct sdsim_option *option, FILE *out)
{
    const char *expects = option->expects;
    fputs("        ", out);
    print_spellings(option, out);
    fputs(") ", out);
    if (expects == NULL) {
        fputs("COMPREPLY=()", out);
    } else if (strcmp(expects, SDSIM_EXPECTS_FILE) == 0) {
        fputs("COMPREPLY=($(compgen -f -- \"$word\"))", out);
    } else if (strcmp(expects, SDSIM_EXPECTS_DIRECTORY) == 0) {
        fputs("COMPREPLY=($(compgen -d -- \"$word\"))", out);
    } else if (strcmp(expects, SDSIM_EXPECTS_CARD) == 0) {
        fputs("COMPREPLY=($(compgen -W \"$(_sdsim_names card)\" -- \"$word\"))", out);
    } else {
        fprintf(out, "COMPREPLY=($(compgen -W \"%s\" -- \"$word\"))", expects);
    }
    fputs("; return ;;\n", out);
}

static void bash_operands(const struct sdsim_command *command, FILE *out)
{
    if (takes(command, "SCENARIO")) {
        fputs("        COMPREPLY=($(compgen -W \"$(_sdsim_names scenario)\" -- \"$word\")\n"
              "                   $(compgen -f -- \"$word\"))\n",
              out);
    } else if (takes(command, "scenario|")) {
        fputs("        COMPREPLY=($(compgen -W \"", out);
        print_kinds(out);
        fputs("\" -- \"$word\"))\n", out);
    } else if (takes(command, "COMMAND")) {
        fputs("        COMPREPLY=($(compgen -W \"$commands\" -- \"$word\"))\n", out);
    } else if (takes(command, "SHELL")) {
        fputs("        COMPREPLY=($(compgen -W \"bash zsh fish\" -- \"$word\"))\n", out);
    } else {
        fputs("        COMPREPLY=($(compgen -f -- \"$word\"))\n", out);
    }
}

static void bash_command(const struct sdsim_command *command, FILE *out)
{
    fprintf(out, "    %s)\n        case \"$before\" in\n", command->name);
    for (const enum sdsim_option_id *id = command->options; *id != SDSIM_OPTION_COUNT; id++) {
        if (sdsim_option(*id)->argument != NULL) {
            bash_value(sdsim_option(*id), out);
        }
    }
    fputs("        esac\n        if [[ $word == -* ]]; then\n"
          "            COMPREPLY=($(compgen -W \"",
          out);
    print_option_words(command, out);
    fputs("\" -- \"$word\"))\n            return\n        fi\n", out);
    bash_operands(command, out);
    fputs("        ;;\n", out);
}

static void bash(FILE *out)
{
    fputs(
        "# bash completion of sdsim: made by 'sdsim completion bash'\n\n"
        "_sdsim_names()\n{\n"
        "    sdsim list \"$1\" --csv 2>/dev/null | sed -n '2,$s/^[^,]*,\\([^,]*\\),.*/\\1/p'\n}\n\n"
        "_sdsim()\n{\n"
        "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
        "    local commands=\"help",
        out);
    for (size_t i = 0; i < sdsim_command_count; i++) {
        fprintf(out, " %s", sdsim_commands[i]->name);
    }
    fputs("\"\n    COMPREPLY=()\n    if [[ $COMP_CWORD -eq 1 ]]; then\n"
          "        COMPREPLY=($(compgen -W \"$commands --help --version\" -- \"$word\"))\n"
          "        return\n    fi\n    case \"${COMP_WORDS[1]}\" in\n"
          "    help) COMPREPLY=($(compgen -W \"$commands\" -- \"$word\")) ;;\n",
          out);
    for (size_t i = 0; i < sdsim_command_count; i++) {
        bash_command(sdsim_commands[i], out);
    }
    fputs("    esac\n}\n\ncomplete -o filenames -F _sdsim sdsim\n", out);
}

static void zsh(FILE *out)
{
    fputs("#compdef sdsim\n# zsh completion of sdsim, through that of bash: made by 'sdsim "
          "completion "
          "zsh'\n\nautoload -U +X bashcompinit && bashcompinit\n\n",
          out);
    bash(out);
}

/* ---- fish ---- */

/* Text in single quotes. */
static void fish_quote(const char *text, FILE *out)
{
    fputc('\'', out);
    for (; *text != '\0'; text++) {
        fprintf(out, *text == '\'' || *text == '\\' ? "\\%c" : "%c", *text);
    }
    fputc('\'', out);
}

static void fish_option(const char *command, const struct sdsim_option *option, FILE *out)
{
    const char *expects = option->expects;
    fprintf(out, "complete -c sdsim -n '__fish_seen_subcommand_from %s' -l %s", command,
            option->name);
    if (option->letter != 0) {
        fprintf(out, " -s %c", option->letter);
    }
    if (option->argument != NULL) {
        if (expects == NULL) {
            fputs(" -x", out);
        } else if (strcmp(expects, SDSIM_EXPECTS_FILE) == 0) {
            fputs(" -r -F", out);
        } else if (strcmp(expects, SDSIM_EXPECTS_DIRECTORY) == 0) {
            fputs(" -x -a '(__fish_complete_directories)'", out);
        } else if (strcmp(expects, SDSIM_EXPECTS_CARD) == 0) {
            fputs(" -x -a '(__sdsim_names card)'", out);
        } else {
            fputs(" -x -a ", out);
            fish_quote(expects, out);
        }
    }
    fputs(" -d ", out);
    fish_quote(option->doc, out);
    fputc('\n', out);
}

static void fish_operands(const struct sdsim_command *command, FILE *out)
{
    fprintf(out, "complete -c sdsim -n '__fish_seen_subcommand_from %s' ", command->name);
    if (takes(command, "SCENARIO")) {
        fputs("-F -a '(__sdsim_names scenario)'\n", out);
    } else if (takes(command, "scenario|")) {
        fputs("-f -a '", out);
        print_kinds(out);
        fputs("'\n", out);
    } else if (takes(command, "COMMAND")) {
        fputs("-f -a '(__sdsim_commands)'\n", out);
    } else if (takes(command, "SHELL")) {
        fputs("-f -a 'bash zsh fish'\n", out);
    } else {
        fputs("-F\n", out);
    }
}

static void fish(FILE *out)
{
    fputs("# fish completion of sdsim: made by 'sdsim completion fish'\n\n"
          "function __sdsim_names\n"
          "    sdsim list $argv[1] --csv 2>/dev/null | sed -n '2,$s/^[^,]*,\\([^,]*\\),.*/\\1/p'\n"
          "end\n\nfunction __sdsim_commands\n    printf '%s\\n' help",
          out);
    for (size_t i = 0; i < sdsim_command_count; i++) {
        fprintf(out, " %s", sdsim_commands[i]->name);
    }
    fputs("\nend\n\ncomplete -c sdsim -f\n"
          "complete -c sdsim -n __fish_use_subcommand -l version -d 'print the version'\n"
          "complete -c sdsim -n __fish_use_subcommand -a help -d 'help on a command'\n"
          "complete -c sdsim -n '__fish_seen_subcommand_from help' -a '(__sdsim_commands)'\n",
          out);
    for (size_t i = 0; i < sdsim_command_count; i++) {
        fprintf(out, "complete -c sdsim -n __fish_use_subcommand -a %s -d ",
                sdsim_commands[i]->name);
        fish_quote(sdsim_commands[i]->summary, out);
        fputc('\n', out);
    }
    for (size_t i = 0; i < sdsim_command_count; i++) {
        const struct sdsim_command *command = sdsim_commands[i];
        fish_operands(command, out);
        for (const enum sdsim_option_id *id = command->options; *id != SDSIM_OPTION_COUNT; id++) {
            fish_option(command->name, sdsim_option(*id), out);
        }
    }
}

/* ---- the command ---- */

static const struct {
    const char *name;
    void (*print)(FILE *out);
} shells[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};

static enum sdsim_exit run(const struct sdsim_arguments *arguments)
{
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++) {
        if (strcmp(shells[i].name, arguments->operands[0]) == 0) {
            struct sdsim_output output;
            if (!sdsim_output_open(&output)) {
                return SDSIM_EXIT_FAULT;
            }
            shells[i].print(output.stream);
            return sdsim_output_send(&output, arguments->output);
        }
    }
    fprintf(stderr, "error: there is no completion for '%s'\nhelp: bash, zsh or fish\n",
            arguments->operands[0]);
    return SDSIM_EXIT_INPUT;
}

static const enum sdsim_option_id completion_options[] = {
    SDSIM_OPTION_OUTPUT,
    SDSIM_OPTION_HELP,
    SDSIM_OPTION_COUNT,
};

const struct sdsim_command sdsim_command_completion = {
    .name = "completion",
    .operands = "SHELL",
    .summary = "print a script that completes sdsim's command lines in bash, zsh or fish",
    .details =
        "For this shell only: 'source <(sdsim completion bash)', or 'sdsim completion fish | "
        "source'. For good: the script goes where the shell looks for completions; an "
        "installed sdsim has put it there.",
    .least = 1,
    .most = 1,
    .options = completion_options,
    .run = run,
};
