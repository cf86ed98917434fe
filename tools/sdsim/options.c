#include "options.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "config/tree.h"
#include "report/table.h"

#define USUAL_DRAWS 64
#define MOST_DRAWS  100000 /* also the highest number of a draw */
#define MOST_JOBS   64

static const struct sdsim_option options[SDSIM_OPTION_COUNT] = {
    [SDSIM_OPTION_SET] = {"set", 0, "PATH=VALUE",
                          "change a value, in a scenario of every run, e.g. card.rd1=200us or "
                          "workload.call=32KiB; may be repeated",
                          NULL},
    [SDSIM_OPTION_SEED] = {"seed", 0, "N", "where all luck comes from; the same as --set seed=N",
                           NULL},
    [SDSIM_OPTION_DRAWS] = {"draws", 0, "N",
                            "draws from the values' ranges for the 90% interval; default 64, 0 for "
                            "none",
                            NULL},
    [SDSIM_OPTION_WHATIF_DRAWS] = {"draws", 0, "N",
                                   "draws from the values' ranges for 90% intervals of the "
                                   "what-ifs; default 0, none",
                                   NULL},
    [SDSIM_OPTION_JOBS] = {"jobs", 'j', "N",
                           "threads to work with; default one a processor; the output is the same "
                           "for any number",
                           NULL},
    [SDSIM_OPTION_ALL] = {"all", 0, NULL, "the whole report of every run of the scenario", NULL},
    [SDSIM_OPTION_ERRORS] = {"errors", 0, NULL, "report errors only, no warnings", NULL},
    [SDSIM_OPTION_JSON_SCHEMA] = {"json-schema", 0, NULL,
                                  "print a JSON Schema of the files, for editors", NULL},
    [SDSIM_OPTION_JSON] = {"json", 0, NULL, "print JSON", NULL},
    [SDSIM_OPTION_CSV] = {"csv", 0, NULL, "print comma-separated values", NULL},
    [SDSIM_OPTION_OUTPUT] = {"output", 'o', "FILE", "write to FILE, whole or not at all",
                             SDSIM_EXPECTS_FILE},
    [SDSIM_OPTION_COLOR] = {"color", 0, "WHEN", "auto (on a terminal), always or never",
                            "auto always never"},
    [SDSIM_OPTION_SIZE] = {"size", 0, "SIZE", "capacity of the card, e.g. 32GB", NULL},
    [SDSIM_OPTION_TYPE] = {"type", 0, "TYPE",
                           "fat12, fat16, fat32, exfat, or auto: by capacity, the default",
                           "auto fat12 fat16 fat32 exfat"},
    [SDSIM_OPTION_CLUSTER] = {"cluster", 0, "SIZE", "of a cluster, e.g. 32KiB; default by capacity",
                              NULL},
    [SDSIM_OPTION_FATS] = {"fats", 0, "N", "copies of the FAT, 1 or 2; default 2, exFAT has one",
                           "1 2"},
    [SDSIM_OPTION_NO_PARTITION] = {"no-partition", 0, NULL,
                                   "begin the volume in sector 0, without MBR", NULL},
    [SDSIM_OPTION_LABEL] = {"label", 0, "TEXT", "volume label, up to 11 characters", NULL},
    [SDSIM_OPTION_SERIAL] = {"seed", 0, "N", "gives the volume its serial number; default 0", NULL},
    [SDSIM_OPTION_CARD] = {"card", 0, "NAME",
                           "a card that 'sdsim list card' shows, for its capacity or its AU",
                           SDSIM_EXPECTS_CARD},
    [SDSIM_OPTION_FORCE] = {"force", 0, NULL, "replace an image that is there already", NULL},
    [SDSIM_OPTION_ENGINE] = {"engine", 0, "NAME",
                             "file-system library to imitate: esp-idf-full, the default, "
                             "circuitpython, sdfat-two-caches, arduino-classic or another; an "
                             "unknown name lists them all",
                             NULL},
    [SDSIM_OPTION_SUMMARY] = {"summary", 0, NULL, "print what it comes to, not each operation",
                              NULL},
    [SDSIM_OPTION_IMAGE] = {"output", 'o', "IMAGE",
                            "write the volume as it is afterwards to an image file",
                            SDSIM_EXPECTS_FILE},
    [SDSIM_OPTION_AU] = {"au", 0, "SIZE", "allocation unit of the card; default 4MiB", NULL},
    [SDSIM_OPTION_PICTURE] = {"picture", 0, "FILE",
                              "draw what is printed to FILE, which ends in .svg or .png; needs "
                              "gnuplot",
                              SDSIM_EXPECTS_FILE},
    [SDSIM_OPTION_KEEP_PLOT] = {"keep-plot", 0, NULL,
                                "leave the picture's data and gnuplot script beside it", NULL},
    [SDSIM_OPTION_MEASUREMENTS] = {"measurements", 0, "FILE",
                                   "hold predictions against the records of a .jsonl or .csv file",
                                   SDSIM_EXPECTS_FILE},
    [SDSIM_OPTION_ROWS] = {"rows", 0, NULL, "with --measurements: print each record, too", NULL},
    [SDSIM_OPTION_CORPUS] = {"corpus", 0, "FILE",
                             "fit to the records of a .jsonl or .csv file from many sources",
                             SDSIM_EXPECTS_FILE},
    [SDSIM_OPTION_FOLD] = {"fold", 0, "K/5", "leave the sources of fold K out of the fit",
                           "1/5 2/5 3/5 4/5 5/5"},
    [SDSIM_OPTION_LEAVE_ONE_OUT] = {"leave-one-out", 0, NULL,
                                    "predict each measurement from the others, too", NULL},
    [SDSIM_OPTION_FOLDER] = {"output", 'o', "DIR", "write the page and its picture to DIR, too",
                             SDSIM_EXPECTS_DIRECTORY},
    [SDSIM_OPTION_DIRECTORY] =
        {"output", 'o', "DIR",
         "write to DIR; with --corpus a whole data directory, which must not be there yet",
         SDSIM_EXPECTS_DIRECTORY},
    [SDSIM_OPTION_PAGES] = {"pages", 0, "DIR", "write all pages to DIR, a file each",
                            SDSIM_EXPECTS_DIRECTORY},
    [SDSIM_OPTION_VARY] = {"vary", 0, "PATH=VALUES",
                           "values a key takes: a list (card=a,b) or a range (512B..64KiB*2, "
                           "4MHz..40MHz+4MHz, 100us..1ms/10); up to four times",
                           NULL},
    [SDSIM_OPTION_RANDOM] = {"random", 0, "N",
                             "N points at random, not all combinations; --seed chooses others",
                             NULL},
    [SDSIM_OPTION_SHARD] = {"shard", 0, "I/N", "compute only part I of N, as CSV", NULL},
    [SDSIM_OPTION_MERGE] =
        {"merge", 0, "FILE",
         "take rows from the CSV of a part and compute nothing; once for each part",
         SDSIM_EXPECTS_FILE},
    [SDSIM_OPTION_TABLE_FILE] = {"output", 'o', "FILE",
                                 "write to FILE, as CSV or JSON if its name ends so; while it is "
                                 "made, rows are kept in FILE.part, and taken from there if it is "
                                 "asked for again",
                                 SDSIM_EXPECTS_FILE},
    [SDSIM_OPTION_TO] = {"to", 0, "FORMAT", "vcd, pins, perfetto or csv", NULL},
    [SDSIM_OPTION_WINDOW] = {"window", 0, "A..B",
                             "from one time to another, e.g. 10ms..12.5ms; default all of it",
                             NULL},
    [SDSIM_OPTION_CALL] = {"call", 0, "N[..M]", "from the start of call N, from 1, to the end of M",
                           NULL},
    [SDSIM_OPTION_AROUND] =
        {"around", 0, "WHAT",
         "longest: the longest call; pause: the longest wait for the card; and a "
         "tenth more on both sides",
         NULL},
    [SDSIM_OPTION_DRAW] = {"draw", 0, "K",
                           "draw K from the values' ranges; default 0, the typical values", NULL},
    [SDSIM_OPTION_TIMESCALE] = {"timescale", 0, "TIME",
                                "of a VCD, e.g. 10ns; edges are rounded to it", NULL},
    [SDSIM_OPTION_HIGH_SPEED] = {"high-speed", 0, NULL,
                                 "SD bus: lines change 2.5 ns behind the rising edge, not with the "
                                 "falling one",
                                 NULL},
    [SDSIM_OPTION_YES] = {"yes", 0, NULL, "write more than 1 GB", NULL},
    [SDSIM_OPTION_RECORD] = {"record", 0, "FILE",
                             "record all that one run does, and when, to a timeline file", NULL},
    [SDSIM_OPTION_TRACE] = {"trace", 0, "FILE",
                            "write the calls of the typical run to FILE: .blocks, .sdt or .zst for "
                            "those of the driver, .ops for those of the application",
                            NULL},
    [SDSIM_OPTION_FROM] = {"from", 0, "FORMAT", "what the file is, if its content does not tell",
                           NULL},
    [SDSIM_OPTION_TRACE_TO] = {"to", 0, "FORMAT",
                               "blocks, sdt, zst or ops; default: what -o ends in, else text",
                               NULL},
    [SDSIM_OPTION_LOG_HOST] = {"host", 0, "NAME",
                               "which host of a log that tells of several: mmc1, or 179,0; default "
                               "the busiest",
                               NULL},
    [SDSIM_OPTION_LOG_FILE] = {"file", 0, "TEXT",
                               "of a log of file operations, only files whose path contains TEXT",
                               NULL},
    [SDSIM_OPTION_CALL_SIZE] = {"call", 0, "SIZE",
                                "join and cut reads and writes to calls of this size", NULL},
    [SDSIM_OPTION_THINK] = {"think", 0, NULL, "keep the recorded pauses between the calls", NULL},
    [SDSIM_OPTION_BOARD] = {"board", 0, "NAME", "the board to replay on; see 'sdsim list board'",
                            NULL},
    [SDSIM_OPTION_HOST] = {"host", 0, "NAME", "its microcontroller; see 'sdsim list host'", NULL},
    [SDSIM_OPTION_DRIVER] = {"driver", 0, "NAME", "its driver; see 'sdsim list driver'", NULL},
    [SDSIM_OPTION_REPLAY_CARD] = {"card", 0, "NAME", "the card; see 'sdsim list card'", NULL},
    [SDSIM_OPTION_CLOCK] = {"clock", 0, "FREQUENCY", "asked for, e.g. 20MHz", NULL},
    [SDSIM_OPTION_BUS] = {"bus", 0, "BUS", "spi, sd1 or sd4", NULL},
    [SDSIM_OPTION_FILESYSTEM] = {"filesystem", 0, "TYPE",
                                 "fat16, fat32 or exfat; default by capacity", NULL},
    [SDSIM_OPTION_API] = {"api", 0, "API",
                          "of the files: posix, stdio, arduino, circuitpython, ...", NULL},
    [SDSIM_OPTION_PARTIAL] = {"partial", 0, NULL, "keep what came before a fault of the input",
                              NULL},
    [SDSIM_OPTION_CALL_ROWS] = {"rows", 0, NULL, "print each call, too", NULL},
    [SDSIM_OPTION_AGAINST] = {"against", 0, "CARD",
                              "give what the host sent to a card that 'sdsim list card' shows, and "
                              "say where it answers otherwise",
                              NULL},
    [SDSIM_OPTION_EXCHANGE] = {"exchange", 0, NULL,
                               "print the bytes of the record as an exchange, and nothing else",
                               NULL},
    [SDSIM_OPTION_ALL_STEPS] = {"all", 0, NULL, "print every step, not just the first 200", NULL},
    [SDSIM_OPTION_REPORT] = {"report", 0, NULL, "of a capture: print what it shows", NULL},
    [SDSIM_OPTION_LEARN] = {"learn", 0, NULL, "of a capture: write a card profile of what it shows",
                            NULL},
    [SDSIM_OPTION_CHANNEL] = {"channel", 0, "L=NAME",
                              "of a capture: which channel is which line, e.g. "
                              "clk=D5; lines are clk, cs, mosi, miso, cmd, dat0 to dat3, "
                              "several with commas between",
                              NULL},
    [SDSIM_OPTION_COMMANDS] = {"all", 0, NULL, "with --report: list all commands", NULL},
    [SDSIM_OPTION_TOLERANCE] = {"tolerance", 0, "PERCENT",
                                "how much slower B may be, e.g. 2%; default 5%", NULL},
    [SDSIM_OPTION_LONGEST] = {"longest", 0, "PERCENT",
                              "judge the longest call, too: how much longer it may be, e.g. 20%",
                              NULL},
    [SDSIM_OPTION_SAME_TOO] = {"all", 0, NULL, "print what is the same on both sides, too", NULL},
    [SDSIM_OPTION_INIT_BOARD] = {"board", 0, "NAME", "the board; see 'sdsim list board'", NULL},
    [SDSIM_OPTION_INIT_HOST] = {"host", 0, "NAME",
                                "without a board: the microcontroller; see 'sdsim list host'",
                                NULL},
    [SDSIM_OPTION_INIT_DRIVER] = {"driver", 0, "NAME",
                                  "its driver, or another one than the board's; see 'sdsim list "
                                  "driver'",
                                  NULL},
    [SDSIM_OPTION_INIT_CARD] = {"card", 0, "NAME", "the card; default sdhc32g-a1",
                                SDSIM_EXPECTS_CARD},
    [SDSIM_OPTION_INIT_CALL] = {"call", 0, "SIZE", "bytes of one call; default 32KiB", NULL},
    [SDSIM_OPTION_NEW_FILE] = {"output", 'o', "FILE", "write to FILE, which must not be there yet",
                               SDSIM_EXPECTS_FILE},
    [SDSIM_OPTION_WORKLOAD] = {"workload", 0, "WHAT", "what the firmware does; default write",
                               "write read random-write random-read log append seek open create "
                               "list mount free-space"},
    [SDSIM_OPTION_TOTAL] = {"total", 0, "SIZE", "bytes in all; default 4MiB", NULL},
    [SDSIM_OPTION_SPAN] =
        {"span", 0, "SIZE",
         "random-write, random-read, random-mixed: size of the file; default 64MiB", NULL},
    [SDSIM_OPTION_LINES] = {"lines", 0, "N", "log: lines; default 10000", NULL},
    [SDSIM_OPTION_TIMES] = {"times", 0, "N",
                            "append, seek, open, create, list, mount: how often; default 100",
                            NULL},
    [SDSIM_OPTION_FILES] = {"files", 0, "N",
                            "open, open-each, create, list: files in the directory; default 1000",
                            NULL},
    [SDSIM_OPTION_SYNC_EVERY] = {"sync-every", 0, "N",
                                 "write, log: calls or lines between two syncs; default none",
                                 NULL},
    [SDSIM_OPTION_MEASURED] = {"measured", 0, "VALUE",
                               "what you measured: 1.3MB/s, 2500 lines/s, 20ms, or low..high",
                               NULL},
    [SDSIM_OPTION_TITLE] = {"title", 0, "TEXT", "title of the page; default the scenario's name",
                            NULL},
    [SDSIM_OPTION_VIEW] = {"view", 0, "A..B",
                           "the stretch of time to begin with, e.g. 10ms..12ms; default all of it",
                           NULL},
    [SDSIM_OPTION_SELECT] = {"select", 0, "WHAT",
                             "select the first of these, e.g. 'pause over 10ms' or 'fat write'",
                             NULL},
    [SDSIM_OPTION_ALIGN] = {"align", 0, "WHAT",
                            "two runs: put the first of these in one on the first in the other",
                            NULL},
    [SDSIM_OPTION_DARK] = {"dark", 0, NULL, "light letters on dark ground", NULL},
    [SDSIM_OPTION_WINDOW_SIZE] = {"size", 0, "WxH",
                                  "of the window or picture, in pixels; default 1280x720", NULL},
    [SDSIM_OPTION_TEXT_SIZE] = {"text", 0, "PIXELS",
                                "height of the letters; default by the size of the window", NULL},
    [SDSIM_OPTION_FONT] = {"font", 0, "FILE", "a TrueType font; '' is the built-in one",
                           SDSIM_EXPECTS_FILE},
    [SDSIM_OPTION_SCREENSHOT] = {"screenshot", 0, "FILE",
                                 "write a picture, .png or .ppm, and end; needs no display",
                                 SDSIM_EXPECTS_FILE},
    [SDSIM_OPTION_SCRIPT] = {"script", 0, "FILE",
                             "replay events of keys and pointer, and end; needs no display",
                             SDSIM_EXPECTS_FILE},
    [SDSIM_OPTION_DUMP] = {"dump", 0, NULL, "print the state at the end, as a script's dump does",
                           NULL},
    [SDSIM_OPTION_RAM] = {"ram", 0, "SIZE",
                          "find the highest rate at which nothing is lost in so much RAM", NULL},
    [SDSIM_OPTION_RATE] = {"rate", 0, "RATE",
                           "data arrive at RATE, e.g. 100kB/s, whatever the scenario does", NULL},
    [SDSIM_OPTION_SEEDS] = {"seeds", 0, "N", "runs with different luck; default 1000", NULL},
    [SDSIM_OPTION_HOURS] = {"hours", 0, "N",
                            "hours of each run; the same as --set workload.duration=Nh", NULL},
    [SDSIM_OPTION_VALUE_DRAWS] = {"draws", 0, "N",
                                  "draw the values of the profiles from their ranges, too: N cards "
                                  "of this kind; default none, typical values",
                                  NULL},
    [SDSIM_OPTION_DEVICE] = {"device", 0, "CHIP", "ftdi, or ftdi:SERIAL if there are several chips",
                             NULL},
    [SDSIM_OPTION_USB] = {"usb", 0, "VID:PID", "a chip whose numbers were changed, e.g. 0403:6014",
                          NULL},
    [SDSIM_OPTION_INTERFACE] = {"interface", 0, "A|B",
                                "which channel of an FT2232H or FT4232H; default A", "A B"},
    [SDSIM_OPTION_CARD_CLOCK] = {"clock", 0, "FREQUENCY",
                                 "the highest clock; default 25MHz, which gives 15 MHz", NULL},
    [SDSIM_OPTION_IDENTIFY] = {"identify", 0, NULL, "wires and registers only", NULL},
    [SDSIM_OPTION_CHIP_CHECK] =
        {"check", 0, "WHICH",
         "instead of the card, ask the chip: gaps (between bytes), edges (of the clock), poll "
         "(what "
         "a look costs), margin (of reading), stop (of 0x9C), or all of them",
         "gaps edges poll margin stop all"},
    [SDSIM_OPTION_OUT_HOST] = {"host-out", 0, "FILE", "write what --check finds as a host profile",
                               SDSIM_EXPECTS_FILE},
    [SDSIM_OPTION_WHOSE_TIME] = {"time", 0, "WHOSE",
                                 "which times to show: bus, counted in clocks, host, or both, the "
                                 "default",
                                 "bus host both"},
    [SDSIM_OPTION_OUT_PROFILE] = {"out", 'o', "FILE", "write a card profile", SDSIM_EXPECTS_FILE},
    [SDSIM_OPTION_WRITE] = {"write", 0, NULL, "write to the card, too; needs --range or --scratch",
                            NULL},
    [SDSIM_OPTION_RANGE] = {"range", 0, "A..B", "bytes that may be written, e.g. 1GiB..1088MiB",
                            NULL},
    [SDSIM_OPTION_SCRATCH] = {"scratch", 0, "PATH",
                              "a file on the card; the longest run of its sectors may be written",
                              NULL},
    [SDSIM_OPTION_YES_CARD] = {"yes", 0, "SERIAL",
                               "the card's serial number, for scripts that can't be asked", NULL},
    [SDSIM_OPTION_PAUSES] = {"pauses", 0, "SIZE",
                             "how much to write in search of pauses; default 16MiB", NULL},
    [SDSIM_OPTION_JOURNAL] = {"journal", 0, "FILE",
                              "where what is overwritten is saved; default sdsim-SERIAL.journal",
                              SDSIM_EXPECTS_FILE},
    [SDSIM_OPTION_NO_RESTORE] = {"no-restore", 0, NULL, "leave what was written, and the journal",
                                 NULL},
    [SDSIM_OPTION_RESTORE] = {"restore", 0, NULL,
                              "only put back what an interrupted run has left in its journal",
                              NULL},
    [SDSIM_OPTION_PREDICT_CARD] =
        {"card", 0, "PROFILE",
         "the card's profile, e.g. one that 'sdsim probe' wrote; default the scenario's, which may "
         "well be another card",
         SDSIM_EXPECTS_CARD},
    [SDSIM_OPTION_AMOUNT] = {"amount", 0, "SIZE", "how much to move at most; default 16MiB", NULL},
    [SDSIM_OPTION_TOTAL_TOLERANCE] = {"tolerance", 0, "PERCENT",
                                      "of the total, for exit code 1; default 10%", NULL},
    [SDSIM_OPTION_HELP] = {"help", 'h', NULL, "print this help", NULL},
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

/* Lists have room for as many as there are words on the command line. */
static void add_to(const char **list, const char *word)
{
    size_t count = 0;
    while (list[count] != NULL) {
        count++;
    }
    list[count] = word;
}

static bool take(struct sdsim_arguments *arguments, enum sdsim_option_id id, const char *value)
{
    uint64_t number = 0;
    switch (id) {
    case SDSIM_OPTION_SET:
        add_to(arguments->overrides, value);
        return true;
    case SDSIM_OPTION_VARY:
        add_to(arguments->vary, value);
        return true;
    case SDSIM_OPTION_MERGE:
        add_to(arguments->merge, value);
        return true;
    case SDSIM_OPTION_SEED:
        if (!parse_number("seed", value, INT64_MAX, &number)) {
            return false;
        }
        if (arguments->seed[0] == '\0') {
            add_to(arguments->overrides, arguments->seed);
        }
        snprintf(arguments->seed, sizeof arguments->seed, "seed=%" PRIu64, number);
        return true;
    case SDSIM_OPTION_DRAWS:
    case SDSIM_OPTION_WHATIF_DRAWS:
        if (!parse_number("draws", value, MOST_DRAWS, &number)) {
            return false;
        }
        arguments->draws = (uint32_t)number;
        arguments->values[id] = value;
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
    arguments->vary = calloc((size_t)argc + 1, sizeof *arguments->vary);
    arguments->merge = calloc((size_t)argc + 1, sizeof *arguments->merge);
    if (arguments->overrides == NULL || arguments->vary == NULL || arguments->merge == NULL) {
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
    free(arguments->vary);
    free(arguments->merge);
    arguments->overrides = arguments->vary = arguments->merge = NULL;
}

bool sdsim_arguments_draw(const struct sdsim_arguments *arguments, uint32_t *draw)
{
    const char *text = arguments->values[SDSIM_OPTION_DRAW];
    uint64_t number = 0;
    if (text != NULL && !parse_number("draw", text, MOST_DRAWS, &number)) {
        return false;
    }
    *draw = (uint32_t)number;
    return true;
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
