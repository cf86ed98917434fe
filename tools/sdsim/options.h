/*
 * The options of all commands: one table says how each is spelled, what it takes and what it does.
 * Parsing and --help both read it, so neither can know an option the other doesn't.
 *
 * A command names the options it has. Everything else on the command line is an operand; options
 * and operands may come in any order, and "--" ends the options.
 */
#ifndef SDSIM_TOOLS_OPTIONS_H
#define SDSIM_TOOLS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum sdsim_option_id {
    SDSIM_OPTION_SET,
    SDSIM_OPTION_SEED,
    SDSIM_OPTION_DRAWS,
    SDSIM_OPTION_WHATIF_DRAWS, /* --draws of a command that draws only when asked */
    SDSIM_OPTION_JOBS,
    SDSIM_OPTION_ALL,
    SDSIM_OPTION_ERRORS,
    SDSIM_OPTION_JSON_SCHEMA,
    SDSIM_OPTION_JSON,
    SDSIM_OPTION_CSV,
    SDSIM_OPTION_OUTPUT,
    SDSIM_OPTION_COLOR,
    SDSIM_OPTION_SIZE,
    SDSIM_OPTION_TYPE,
    SDSIM_OPTION_CLUSTER,
    SDSIM_OPTION_FATS,
    SDSIM_OPTION_NO_PARTITION,
    SDSIM_OPTION_LABEL,
    SDSIM_OPTION_SERIAL, /* --seed of a command that makes a volume */
    SDSIM_OPTION_CARD,
    SDSIM_OPTION_FORCE,
    SDSIM_OPTION_ENGINE,
    SDSIM_OPTION_SUMMARY,
    SDSIM_OPTION_IMAGE, /* --output of a command that writes an image */
    SDSIM_OPTION_AU,
    SDSIM_OPTION_PICTURE,
    SDSIM_OPTION_KEEP_PLOT,
    SDSIM_OPTION_MEASUREMENTS,
    SDSIM_OPTION_ROWS,
    SDSIM_OPTION_CORPUS,
    SDSIM_OPTION_FOLD,
    SDSIM_OPTION_LEAVE_ONE_OUT,
    SDSIM_OPTION_FOLDER,    /* --output of a command that writes files to a directory */
    SDSIM_OPTION_DIRECTORY, /* --output of a command that writes a directory */
    SDSIM_OPTION_PAGES,
    SDSIM_OPTION_VARY,
    SDSIM_OPTION_RANDOM,
    SDSIM_OPTION_SHARD,
    SDSIM_OPTION_MERGE,
    SDSIM_OPTION_TABLE_FILE, /* --output of a command whose format may follow from the name */
    SDSIM_OPTION_TO,
    SDSIM_OPTION_WINDOW,
    SDSIM_OPTION_CALL,
    SDSIM_OPTION_AROUND,
    SDSIM_OPTION_DRAW,
    SDSIM_OPTION_TIMESCALE,
    SDSIM_OPTION_HIGH_SPEED,
    SDSIM_OPTION_YES,
    SDSIM_OPTION_RECORD,
    SDSIM_OPTION_TRACE,
    SDSIM_OPTION_FROM,
    SDSIM_OPTION_TRACE_TO, /* --to of a command that writes traces */
    SDSIM_OPTION_LOG_HOST, /* --host of a command that reads logs */
    SDSIM_OPTION_LOG_FILE,
    SDSIM_OPTION_CALL_SIZE, /* --call of a command that cuts calls anew */
    SDSIM_OPTION_THINK,
    SDSIM_OPTION_BOARD,
    SDSIM_OPTION_HOST,
    SDSIM_OPTION_DRIVER,
    SDSIM_OPTION_REPLAY_CARD, /* --card that is simulated */
    SDSIM_OPTION_CLOCK,
    SDSIM_OPTION_BUS,
    SDSIM_OPTION_FILESYSTEM,
    SDSIM_OPTION_API,
    SDSIM_OPTION_CALL_ROWS, /* --rows of a command about calls */
    SDSIM_OPTION_PARTIAL,
    SDSIM_OPTION_AGAINST,
    SDSIM_OPTION_EXCHANGE,
    SDSIM_OPTION_ALL_STEPS, /* --all of a command that prints steps */
    SDSIM_OPTION_REPORT,
    SDSIM_OPTION_LEARN,
    SDSIM_OPTION_CHANNEL,
    SDSIM_OPTION_COMMANDS, /* --all of a command about a bus */
    SDSIM_OPTION_TOLERANCE,
    SDSIM_OPTION_LONGEST,
    SDSIM_OPTION_SAME_TOO,   /* --all of a command that prints what differs */
    SDSIM_OPTION_INIT_BOARD, /* --board of a command that writes a scenario, and so on */
    SDSIM_OPTION_INIT_HOST,
    SDSIM_OPTION_INIT_DRIVER,
    SDSIM_OPTION_INIT_CARD,
    SDSIM_OPTION_INIT_CALL,
    SDSIM_OPTION_NEW_FILE,
    SDSIM_OPTION_WORKLOAD,
    SDSIM_OPTION_TOTAL,
    SDSIM_OPTION_SPAN,
    SDSIM_OPTION_LINES,
    SDSIM_OPTION_TIMES,
    SDSIM_OPTION_FILES,
    SDSIM_OPTION_SYNC_EVERY,
    SDSIM_OPTION_MEASURED,
    SDSIM_OPTION_TITLE,
    SDSIM_OPTION_VIEW,
    SDSIM_OPTION_SELECT,
    SDSIM_OPTION_ALIGN,
    SDSIM_OPTION_DARK,
    SDSIM_OPTION_WINDOW_SIZE, /* --size of a picture or window */
    SDSIM_OPTION_TEXT_SIZE,
    SDSIM_OPTION_FONT,
    SDSIM_OPTION_SCREENSHOT,
    SDSIM_OPTION_SCRIPT,
    SDSIM_OPTION_DUMP,
    SDSIM_OPTION_RAM,
    SDSIM_OPTION_RATE,
    SDSIM_OPTION_SEEDS,
    SDSIM_OPTION_HOURS,
    SDSIM_OPTION_VALUE_DRAWS, /* --draws of a command whose runs differ in luck without them */
    SDSIM_OPTION_DEVICE,
    SDSIM_OPTION_USB,
    SDSIM_OPTION_INTERFACE,
    SDSIM_OPTION_CARD_CLOCK, /* --clock of a command that works a real card */
    SDSIM_OPTION_IDENTIFY,
    SDSIM_OPTION_CHIP_CHECK,
    SDSIM_OPTION_OUT_HOST,
    SDSIM_OPTION_WHOSE_TIME,
    SDSIM_OPTION_OUT_PROFILE,
    SDSIM_OPTION_WRITE,
    SDSIM_OPTION_RANGE,
    SDSIM_OPTION_SCRATCH,
    SDSIM_OPTION_YES_CARD, /* --yes of a command that overwrites a real card */
    SDSIM_OPTION_PAUSES,
    SDSIM_OPTION_JOURNAL,
    SDSIM_OPTION_NO_RESTORE,
    SDSIM_OPTION_RESTORE,
    SDSIM_OPTION_PREDICT_CARD, /* --card that a real one is held against */
    SDSIM_OPTION_AMOUNT,
    SDSIM_OPTION_TOTAL_TOLERANCE, /* --tolerance of a command about one total */
    SDSIM_OPTION_HELP,
    SDSIM_OPTION_COUNT
};

struct sdsim_option {
    const char *name;     /* without the dashes */
    char letter;          /* short form, 0: none */
    const char *argument; /* what it takes, as shown in help; NULL: nothing */
    const char *doc;      /* one sentence */
    const char *expects;  /* for shells: the words it takes, with blanks between them, or one of the
                             words below; NULL: what can't be guessed */
};

/* What a shell can complete beside words. */
#define SDSIM_EXPECTS_FILE      "FILE"
#define SDSIM_EXPECTS_DIRECTORY "DIR"
#define SDSIM_EXPECTS_CARD      "CARD"

const struct sdsim_option *sdsim_option(enum sdsim_option_id id);

enum sdsim_color_wish {
    SDSIM_COLOR_AUTO,
    SDSIM_COLOR_ALWAYS,
    SDSIM_COLOR_NEVER,
};

/* What the user asked for. */
struct sdsim_arguments {
    const char **vary;      /* of --vary, NULL at the end */
    const char **merge;     /* of --merge, NULL at the end */
    const char **overrides; /* of --set and --seed, in their order, with NULL at the end */
    char seed[32];          /* "seed=N" */
    uint32_t draws;
    unsigned jobs; /* 0: as many as there are processors */
    bool all;
    bool errors;
    bool json_schema;
    bool json;
    bool csv;
    bool help;
    enum sdsim_color_wish color;
    const char *output; /* NULL: standard output */
    /* Of the options that the commands read themselves: what was given, "" for one that takes
     * nothing, NULL if it was not given. */
    const char *values[SDSIM_OPTION_COUNT];
    char **operands; /* in argv; the commands may put others in their place */
    size_t operand_count;
};

/*
 * Parses argv[1..] (argv[0] is the command) with the options `ids`, which end with
 * SDSIM_OPTION_COUNT. False after a message on stderr. sdsim_arguments_free takes both.
 */
bool sdsim_arguments_parse(struct sdsim_arguments *arguments, const enum sdsim_option_id *ids,
                           int argc, char **argv);
void sdsim_arguments_free(struct sdsim_arguments *arguments);

/* What --draw asks for, 0 if it was not given. False after a message on stderr. */
bool sdsim_arguments_draw(const struct sdsim_arguments *arguments, uint32_t *draw);

/* The option table of a command as text of 80 columns. */
void sdsim_options_help(const enum sdsim_option_id *ids, FILE *out);

#endif
