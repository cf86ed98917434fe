/*
 * A subcommand: a row in the table of commands.c, and a file of its own.
 */
#ifndef SDSIM_TOOLS_COMMAND_H
#define SDSIM_TOOLS_COMMAND_H

#include "options.h"

/* Exit codes of the program. */
enum sdsim_exit {
    SDSIM_EXIT_OK = 0,
    SDSIM_EXIT_FINDING =
        1, /* out of tolerance, a run that ended early, or a finding of `check`, `layout` or
            `doctor` */
    SDSIM_EXIT_INPUT = 2, /* bad input or usage */
    SDSIM_EXIT_FAULT = 3, /* device or I/O fault, no memory */
};

/* How much of a stream that begins with these bytes (up to 4096) must be there as a file; 0: nothing,
 * it is read once, from front to back. */
typedef uint64_t sdsim_needs_file(const char *head, size_t size);

struct sdsim_command {
    const char *name;
    const char *operands; /* "SCENARIO [RUN...]" */
    const char *summary;  /* one line */
    const char *details;  /* paragraphs for --help, separated by '\n' */
    size_t least;         /* operands */
    size_t most;
    const enum sdsim_option_id *options; /* end with SDSIM_OPTION_COUNT */
    enum sdsim_exit (*run)(const struct sdsim_arguments *arguments);
    const char *needs; /* run is NULL: it is a program of its own, sdsim-NAME, which parses the same
                          options; what it takes to build it */
    sdsim_needs_file *needs_file; /* its operands may be streams (spool.h); NULL: they may not */
};

extern const struct sdsim_command sdsim_command_run;
extern const struct sdsim_command sdsim_command_compare;
extern const struct sdsim_command sdsim_command_accuracy;
extern const struct sdsim_command sdsim_command_check;
extern const struct sdsim_command sdsim_command_calibrate;
extern const struct sdsim_command sdsim_command_list;
extern const struct sdsim_command sdsim_command_describe;
extern const struct sdsim_command sdsim_command_mkfs;
extern const struct sdsim_command sdsim_command_fsops;
extern const struct sdsim_command sdsim_command_layout;
extern const struct sdsim_command sdsim_command_import;
extern const struct sdsim_command sdsim_command_replay;
extern const struct sdsim_command sdsim_command_export;
extern const struct sdsim_command sdsim_command_doctor;
extern const struct sdsim_command sdsim_command_view;
extern const struct sdsim_command sdsim_command_probe;
extern const struct sdsim_command sdsim_command_validate;
extern const struct sdsim_command sdsim_command_explain;
extern const struct sdsim_command sdsim_command_sweep;
extern const struct sdsim_command sdsim_command_diff;
extern const struct sdsim_command sdsim_command_init;
extern const struct sdsim_command sdsim_command_report;
extern const struct sdsim_command sdsim_command_buffer;
extern const struct sdsim_command sdsim_command_completion;
extern const struct sdsim_command sdsim_command_manual;

/* All of them, in the order in which help shows them. */
extern const struct sdsim_command *const sdsim_commands[];
extern const size_t sdsim_command_count;

/* NULL: there is none of that name. */
const struct sdsim_command *sdsim_command_find(const char *name);

/* What --help prints, at most 80 columns wide. */
void sdsim_command_help(const struct sdsim_command *command, FILE *out);

/* Whether there are as many operands as the command takes; false after a message on stderr. */
bool sdsim_command_takes(const struct sdsim_command *command,
                         const struct sdsim_arguments *arguments);

/* What comes before a command's own work: whether its outputs can be written, and operands that are
 * streams. SDSIM_EXIT_OK, or what to exit with after a message. */
enum sdsim_exit sdsim_command_prepare(const struct sdsim_command *command,
                                      const struct sdsim_arguments *arguments);

/*
 * The main function of a program of its own, sdsim-NAME: reads the options of its command, answers
 * --help and --version, else calls `run`. Returns the exit code. argv[0] is changed.
 */
enum sdsim_exit sdsim_command_main(const struct sdsim_command *command,
                                   enum sdsim_exit (*run)(const struct sdsim_arguments *arguments),
                                   int argc, char **argv);

#endif
