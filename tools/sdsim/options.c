#include "options.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "config/tree.h"
#include "report/table.h"

#define USUAL_DRAWS 64
#define MOST_DRAWS  100000
#define MOST_JOBS   64

static const struct sdsim_option options[SDSIM_OPTION_COUNT] = {
    [SDSIM_OPTION_SET] = {"set", 0, "PATH=VALUE",
                          "change a value, in a scenario of every run, e.g. card.rd1=200us or "
                          "workload.call=32KiB; may be repeated"},
    [SDSIM_OPTION_SEED] = {"seed", 0, "N", "where all luck comes from; the same as --set seed=N"},
    [SDSIM_OPTION_DRAWS] = {"draws", 0, "N",
                            "draws from the values' ranges for the 90% interval; default 64, 0 for "
                            "none"},
    [SDSIM_OPTION_JOBS] = {"jobs", 'j', "N",
                           "threads to work with; default one a processor; the output is the same "
                           "for any number"},
    [SDSIM_OPTION_ALL] = {"all", 0, NULL, "the whole report of every run of the scenario"},
    [SDSIM_OPTION_ERRORS] = {"errors", 0, NULL, "report errors only, no warnings"},
    [SDSIM_OPTION_JSON_SCHEMA] = {"json-schema", 0, NULL,
                                  "print a JSON Schema of the files, for editors"},
    [SDSIM_OPTION_JSON] = {"json", 0, NULL, "print JSON"},
    [SDSIM_OPTION_CSV] = {"csv", 0, NULL, "print comma-separated values"},
    [SDSIM_OPTION_OUTPUT] = {"output", 'o', "FILE", "write to FILE, whole or not at all"},
    [SDSIM_OPTION_COLOR] = {"color", 0, "WHEN", "auto (on a terminal), always or never"},
    [SDSIM_OPTION_SIZE] = {"size", 0, "SIZE", "capacity of the card, e.g. 32GB"},
    [SDSIM_OPTION_TYPE] = {"type", 0, "TYPE",
                           "fat12, fat16, fat32, exfat, or auto: by capacity, the default"},
    [SDSIM_OPTION_CLUSTER] = {"cluster", 0, "SIZE",
                              "of a cluster, e.g. 32KiB; default by capacity"},
    [SDSIM_OPTION_FATS] = {"fats", 0, "N", "copies of the FAT, 1 or 2; default 2, exFAT has one"},
    [SDSIM_OPTION_NO_PARTITION] = {"no-partition", 0, NULL,
                                   "begin the volume in sector 0, without MBR"},
    [SDSIM_OPTION_LABEL] = {"label", 0, "TEXT", "volume label, up to 11 characters"},
    [SDSIM_OPTION_SERIAL] = {"seed", 0, "N", "gives the volume its serial number; default 0"},
    [SDSIM_OPTION_CARD] = {"card", 0, "NAME",
                           "a card that 'sdsim list card' shows, for its capacity or its AU"},
    [SDSIM_OPTION_FORCE] = {"force", 0, NULL, "replace an image that is there already"},
    [SDSIM_OPTION_ENGINE] = {"engine", 0, "NAME",
                             "file-system library to imitate: esp-idf-full, the default, "
                             "circuitpython, sdfat-two-caches, arduino-classic or another; an "
                             "unknown name lists them all"},
    [SDSIM_OPTION_SUMMARY] = {"summary", 0, NULL, "print what it comes to, not each operation"},
    [SDSIM_OPTION_IMAGE] = {"output", 'o', "IMAGE",
                            "write the volume as it is afterwards to an image file"},
    [SDSIM_OPTION_AU] = {"au", 0, "SIZE", "allocation unit of the card; default 4MiB"},
    [SDSIM_OPTION_PICTURE] = {"picture", 0, "FILE",
                              "draw a map of the card to FILE, which ends in .svg or .png; needs "
                              "gnuplot"},
    [SDSIM_OPTION_KEEP_PLOT] = {"keep-plot", 0, NULL,
                                "leave the picture's data and gnuplot script beside it"},
    [SDSIM_OPTION_MEASUREMENTS] = {"measurements", 0, "FILE",
                                   "hold predictions against the records of a .jsonl or .csv file"},
    [SDSIM_OPTION_ROWS] = {"rows", 0, NULL, "with --measurements: print each record, too"},
    [SDSIM_OPTION_CORPUS] = {"corpus", 0, "FILE",
                             "fit to the records of a .jsonl or .csv file from many sources"},
    [SDSIM_OPTION_FOLD] = {"fold", 0, "K/5", "leave the sources of fold K out of the fit"},
    [SDSIM_OPTION_LEAVE_ONE_OUT] = {"leave-one-out", 0, NULL,
                                    "predict each measurement from the others, too"},
    [SDSIM_OPTION_FOLDER] = {"output", 'o', "DIR", "write the page and its picture to DIR, too"},
    [SDSIM_OPTION_DIRECTORY] =
        {"output", 'o', "DIR",
         "write to DIR; with --corpus a whole data directory, which must not be there yet"},
    [SDSIM_OPTION_TO] = {"to", 0, "FORMAT", "vcd, pins, perfetto or csv"},
    [SDSIM_OPTION_WINDOW] = {"window", 0, "A..B",
                             "from one time to another, e.g. 10ms..12.5ms; default all of it"},
    [SDSIM_OPTION_CALL] = {"call", 0, "N[..M]",
                           "from the start of call N, from 1, to the end of M"},
    [SDSIM_OPTION_AROUND] =
        {"around", 0, "WHAT",
         "longest: the longest call; pause: the longest wait for the card; and a "
         "tenth more on both sides"},
    [SDSIM_OPTION_DRAW] = {"draw", 0, "K",
                           "draw K from the values' ranges; default 0, the typical values"},
    [SDSIM_OPTION_TIMESCALE] = {"timescale", 0, "TIME",
                                "of a VCD, e.g. 10ns; edges are rounded to it"},
    [SDSIM_OPTION_YES] = {"yes", 0, NULL, "write more than 1 GB"},
    [SDSIM_OPTION_AGAINST] = {"against", 0, "CARD",
                              "give what the host sent to a card that 'sdsim list card' shows, and "
                              "say where it answers otherwise"},
    [SDSIM_OPTION_EXCHANGE] = {"exchange", 0, NULL,
                               "print the bytes of the record as an exchange, and nothing else"},
    [SDSIM_OPTION_ALL_STEPS] = {"all", 0, NULL, "print every step, not just the first 200"},
    [SDSIM_OPTION_HELP] = {"help", 'h', NULL, "print this help"},
};

const struct sdsim_option *sdsim_option(enum sdsim_option_id id)
{
    return &options[id];
}

/* ---- values ---- */

static bool parse_number(const char *option, const char *text, uint64_t most, uint64_t *number)
{
    uint64_t value = 0;
    bool valid = *text != '\0';
    for (const char *digit = text; *digit != '\0' && valid; digit++) {
        valid = *digit >= '0' && *digit <= '9' && value <= (most - (uint64_t)(*digit - '0')) / 10;
        value = 10 * value + (uint64_t)(*digit - '0');
    }
    if (!valid) {
        fprintf(stderr, "error: --%s takes a whole number up to %" PRIu64 ", not '%s'\n", option,
                most, text);
        return false;
    }
    *number = value;
    return true;
}

static bool parse_color(const char *text, enum sdsim_color_wish *color)
{
    static const char *const words[] = {
        [SDSIM_COLOR_AUTO] = "auto",
        [SDSIM_COLOR_ALWAYS] = "always",
        [SDSIM_COLOR_NEVER] = "never",
    };
    for (int i = 0; i < 3; i++) {
        if (strcmp(words[i], text) == 0) {
            *color = (enum sdsim_color_wish)i;
            return true;
        }
    }
    fprintf(stderr, "error: --color takes auto, always or never, not '%s'\n", text);
    return false;
}

static void add_override(struct sdsim_arguments *arguments, const char *assignment)
{
    size_t count = 0;
    while (arguments->overrides[count] != NULL) {
        count++;
    }
    arguments->overrides[count] = assignment;
}

static bool take(struct sdsim_arguments *arguments, enum sdsim_option_id id, const char *value)
{
    uint64_t number = 0;
    switch (id) {
    case SDSIM_OPTION_SET:
        add_override(arguments, value);
        return true;
    case SDSIM_OPTION_SEED:
        if (!parse_number("seed", value, INT64_MAX, &number)) {
            return false;
        }
        if (arguments->seed[0] == '\0') {
            add_override(arguments, arguments->seed);
        }
        snprintf(arguments->seed, sizeof arguments->seed, "seed=%" PRIu64, number);
        return true;
    case SDSIM_OPTION_DRAWS:
        if (!parse_number("draws", value, MOST_DRAWS, &number)) {
            return false;
        }
        arguments->draws = (uint32_t)number;
        return true;
    case SDSIM_OPTION_JOBS:
        if (!parse_number("jobs", value, MOST_JOBS, &number)) {
            return false;
        }
        arguments->jobs = (unsigned)number;
        return true;
    case SDSIM_OPTION_ALL:
        arguments->all = true;
        return true;
    case SDSIM_OPTION_ERRORS:
        arguments->errors = true;
        return true;
    case SDSIM_OPTION_JSON_SCHEMA:
        arguments->json_schema = true;
        return true;
    case SDSIM_OPTION_JSON:
        arguments->json = true;
        return true;
    case SDSIM_OPTION_CSV:
        arguments->csv = true;
        return true;
    case SDSIM_OPTION_OUTPUT:
        arguments->output = value;
        return true;
    case SDSIM_OPTION_COLOR:
        return parse_color(value, &arguments->color);
    case SDSIM_OPTION_HELP:
        arguments->help = true;
        return true;
    default:
        arguments->values[id] = value != NULL ? value : "";
        return true;
    }
}

/* ---- parsing ---- */

/* The tables getopt_long wants; the value of a long option is 256 + its id. */
struct getopt_tables {
    struct option longs[SDSIM_OPTION_COUNT + 1];
    char shorts[2 * SDSIM_OPTION_COUNT + 2];
};

enum { LONG_BASE = 256 };

static void make_tables(const enum sdsim_option_id *ids, struct getopt_tables *tables)
{
    size_t used = 0;
    memset(tables, 0, sizeof *tables);
    tables->shorts[used++] = ':'; /* tell a missing argument from an unknown option */
    for (size_t i = 0; ids[i] != SDSIM_OPTION_COUNT; i++) {
        const struct sdsim_option *option = &options[ids[i]];
        tables->longs[i] = (struct option){
            .name = option->name,
            .has_arg = option->argument != NULL ? required_argument : no_argument,
            .val = LONG_BASE + (int)ids[i],
        };
        if (option->letter != 0) {
            tables->shorts[used++] = option->letter;
            if (option->argument != NULL) {
                tables->shorts[used++] = ':';
            }
        }
    }
}

static enum sdsim_option_id id_of(const enum sdsim_option_id *ids, int result)
{
    if (result >= LONG_BASE) {
        return (enum sdsim_option_id)(result - LONG_BASE);
    }
    size_t i = 0;
    while (ids[i] != SDSIM_OPTION_COUNT && options[ids[i]].letter != result) {
        i++;
    }
    return ids[i];
}

static void report_unknown(const enum sdsim_option_id *ids, const char *command, const char *text)
{
    const char *names[SDSIM_OPTION_COUNT];
    char word[64];
    size_t count = 0;
    for (; ids[count] != SDSIM_OPTION_COUNT; count++) {
        names[count] = options[ids[count]].name;
    }
    fprintf(stderr, "error: %s has no option '%s'\n", command, text);
    const size_t dashes = strspn(text, "-");
    snprintf(word, sizeof word, "%.*s", (int)strcspn(text + dashes, "="), text + dashes);
    const char *closest = sdsim_closest(word, names, count);
    if (closest != NULL) {
        fprintf(stderr, "help: did you mean '--%s'?\n", closest);
    } else {
        fprintf(stderr, "help: 'sdsim %s --help' lists the options\n", command);
    }
}

/* What getopt_long did not understand: a long option stands in argv, a short one in optopt. */
static bool report_fault(const enum sdsim_option_id *ids, char **argv, int result)
{
    const char *last = argv[optind - 1];
    char letter[3] = {'-', (char)optopt, '\0'};
    const bool is_short = optopt > 0 && optopt < LONG_BASE;
    if (result == ':') {
        fprintf(stderr, "error: '%s' needs a value\n", is_short ? letter : last);
    } else if (optopt >= LONG_BASE) {
        fprintf(stderr, "error: '%.*s' takes no value\n", (int)strcspn(last, "="), last);
    } else {
        report_unknown(ids, argv[0], is_short ? letter : last);
    }
    return false;
}

bool sdsim_arguments_parse(struct sdsim_arguments *arguments, const enum sdsim_option_id *ids,
                           int argc, char **argv)
{
    struct getopt_tables tables;
    *arguments = (struct sdsim_arguments){.draws = USUAL_DRAWS};
    arguments->overrides = calloc((size_t)argc + 1, sizeof *arguments->overrides);
    if (arguments->overrides == NULL) {
        fputs("error: out of memory\n", stderr);
        return false;
    }
    make_tables(ids, &tables);
    opterr = 0;
    optind = 1;
    int result;
    while ((result = getopt_long(argc, argv, tables.shorts, tables.longs, NULL)) != -1) {
        if (result == '?' || result == ':') {
            return report_fault(ids, argv, result);
        }
        if (!take(arguments, id_of(ids, result), optarg)) {
            return false;
        }
    }
    if (arguments->json && arguments->csv) {
        fputs("error: --json and --csv exclude each other\n", stderr);
        return false;
    }
    arguments->operands = argv + optind;
    arguments->operand_count = (size_t)(argc - optind);
    return true;
}

void sdsim_arguments_free(struct sdsim_arguments *arguments)
{
    free(arguments->overrides);
    arguments->overrides = NULL;
}

/* ---- help ---- */

void sdsim_options_help(const enum sdsim_option_id *ids, FILE *out)
{
    for (size_t i = 0; ids[i] != SDSIM_OPTION_COUNT; i++) {
        const struct sdsim_option *option = &options[ids[i]];
        char letter[5] = "    ";
        char spelled[64];
        char first[80];
        if (option->letter != 0) {
            snprintf(letter, sizeof letter, "-%c, ", option->letter);
        }
        snprintf(spelled, sizeof spelled, "%s--%s%s%s", letter, option->name,
                 option->argument != NULL ? " " : "",
                 option->argument != NULL ? option->argument : "");
        snprintf(first, sizeof first, "  %-21s ", spelled);
        sdsim_print_wrapped(out, first, option->doc);
    }
}
