/*
 * sdsim-validate: a scenario's block operations on a real card, beside what is predicted.
 */
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/units.h"
#include "core/version.h"
#include "probe_options.h"
#include "self_test.h"
#include "tools/sdsim/data_dir.h"
#include "usb_link.h"
#include "validate_card.h"

enum { EXIT_OK, EXIT_FINDING, EXIT_INPUT, EXIT_FAULT };

static const char usage[] =
    "usage: sdsim-validate [OPTION...] SCENARIO [RUN]\n"
    "\n"
    "Has a real card on an FT232H do the block operations of a scenario's run, predicts the same\n"
    "at the same clock, and prints both; then the prediction for the clock the scenario asks for,\n"
    "which is not measured. Scenarios that write need to be told where they may.\n"
    "\n"
    "options:\n"
    "  --device ftdi[:SERIAL]  which chip, if there are several\n"
    "  --usb VID:PID           a chip whose numbers were changed, e.g. 0403:6014\n"
    "  --interface A|B         which channel of an FT2232H or FT4232H; default A\n"
    "  --card PROFILE          the card's profile, e.g. one that sdsim probe wrote; default the\n"
    "                          scenario's, which may well be another card\n"
    "  --amount SIZE           how much to move at most; default 16MiB\n"
    "  --tolerance PERCENT     of the total, for exit code 1; default 10%\n"
    "  --time bus|host|both    which times to show; default both\n"
    "  --write                 the scenario may write; needs --range or --scratch\n"
    "  --range FROM..TO        bytes that may be written, e.g. 1GiB..1088MiB\n"
    "  --scratch PATH          a file on the card; the longest run of its sectors may be written\n"
    "  --yes SERIAL            the card's serial number, for scripts that can't be asked\n"
    "  --journal FILE          where what is overwritten is saved; default sdsim-SERIAL.journal\n"
    "  --no-restore            leave what was written, and the journal\n"
    "  --version, --help\n"
    "\n"
    "Exit code: 0 all is well; 1 prediction and measurement are further apart than the tolerance;\n"
    "2 bad input or usage; 3 a fault of chip, wires or card.\n";

struct options {
    struct sdsim_usb_device device;
    struct sdsim_validate_source source;
    struct sdsim_validate_wishes wishes;
};

static volatile sig_atomic_t interrupted;

static void interrupt(int signal_number)
{
    (void)signal_number;
    interrupted = 1;
}

/* ---- options ---- */

static bool take_option(struct options *options, int option, const char *text)
{
    uint64_t share;
    switch (option) {
    case 'd':
        return sdsim_usb_take_device(&options->device, text) ||
               sdsim_refuse_option("device", "ftdi or ftdi:SERIAL", text);
    case 'u':
        return sdsim_usb_take_ids(&options->device, text) ||
               sdsim_refuse_option("usb", "numbers like 0403:6014", text);
    case 'i':
        return sdsim_usb_take_interface(&options->device, text) ||
               sdsim_refuse_option("interface", "A or B", text);
    case 'c':
        options->source.card = text;
        return true;
    case 'a':
        return (sdsim_unit_parse(SDSIM_UNIT_SIZE, text, &options->source.most_bytes) ==
                    SDSIM_UNIT_OK &&
                options->source.most_bytes >= 512) ||
               sdsim_refuse_option("amount", "a size like 16MiB", text);
    case 'T':
        if (sdsim_unit_parse(SDSIM_UNIT_PERCENT, text, &share) != SDSIM_UNIT_OK) {
            return sdsim_refuse_option("tolerance", "a percentage like 5%", text);
        }
        options->wishes.tolerance = (double)share / 1e9;
        return true;
    case 't':
        return sdsim_take_time(&options->wishes.time, text);
    default:
        return sdsim_take_write_option(&options->wishes.write, option, text);
    }
}

/* -1: go on, else end with this code. */
static int read_options(int argc, char **argv, struct options *options)
{
    static const struct option longs[] = {
        {"device", required_argument, NULL, 'd'},
        {"usb", required_argument, NULL, 'u'},
        {"interface", required_argument, NULL, 'i'},
        {"card", required_argument, NULL, 'c'},
        {"amount", required_argument, NULL, 'a'},
        {"tolerance", required_argument, NULL, 'T'},
        {"time", required_argument, NULL, 't'},
        SDSIM_WRITE_OPTIONS,
        {"version", no_argument, NULL, 'V'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    int option;
    while ((option = getopt_long(argc, argv, "h", longs, NULL)) != -1) {
        if (option == 'h') {
            fputs(usage, stdout);
            return EXIT_OK;
        }
        if (option == 'V') {
            puts("sdsim-validate " SDSIM_VERSION);
            return EXIT_OK;
        }
        if (!take_option(options, option, optarg)) {
            return EXIT_INPUT;
        }
    }
    if (argc - optind < 1 || argc - optind > 2) {
        fprintf(stderr,
                "error: %s arguments\nhelp: usage: sdsim validate [OPTION...] SCENARIO [RUN]\n",
                argc - optind < 1 ? "missing" : "too many");
        return EXIT_INPUT;
    }
    options->source.scenario = argv[optind];
    options->source.run = argc - optind > 1 ? argv[optind + 1] : NULL;
    return sdsim_check_write_wish(&options->wishes.write) ? -1 : EXIT_INPUT;
}

/* ---- the work ---- */

static int on_card(struct sdsim_link *link, const struct options *options)
{
    const struct sigaction action = {.sa_handler = interrupt};
    struct sdsim_self_test test;
    struct sdsim_validate_wishes wishes = options->wishes;
    if (link->fault != SDSIM_LINK_FINE || !sdsim_self_test(link, &test)) {
        fprintf(stderr, "error: %s\n", link->error);
        return EXIT_FAULT;
    }
    for (int i = 0; i < SDSIM_SELF_TESTS; i++) {
        if (!test.rows[i].fine) {
            fprintf(stderr, "error: %s: %s\nhelp: 'sdsim probe' looks closer\n", test.rows[i].name,
                    test.rows[i].text);
            return EXIT_FAULT;
        }
    }
    wishes.stop = &interrupted;
    wishes.in = isatty(STDIN_FILENO) ? stdin : NULL;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    const int code = (int)sdsim_validate_card(link, &wishes, NULL, stdout, stderr);
    if (fflush(stdout) != 0) {
        fputs("error: cannot write to standard output\n", stderr);
        return EXIT_FAULT;
    }
    return code;
}

static int run(struct options *options)
{
    char data_dir[PATH_MAX];
    struct sdsim_validate_plan plan;
    int code = EXIT_INPUT;
    options->source.data_dir = sdsim_data_dir(data_dir, sizeof data_dir);
    options->wishes.plan = &plan;
    if (options->source.card == NULL) {
        fputs(
            "note: predicting with the scenario's card; --card takes the profile of the one on the "
            "chip\n",
            stderr);
    }
    if (sdsim_validate_plan_load(&options->source, &plan)) {
        struct sdsim_link *link = sdsim_usb_link_open(&options->device);
        if (link == NULL) {
            fputs("error: out of memory\n", stderr);
            code = EXIT_FAULT;
        } else {
            code = on_card(link, options);
        }
        sdsim_link_close(link);
    }
    sdsim_validate_plan_free(&plan);
    return code;
}

int main(int argc, char **argv)
{
    struct options options = {.source = {.most_bytes = UINT64_C(16) << 20},
                              .wishes = {.tolerance = 0.1, .time = SDSIM_PROBE_BOTH}};
    const int code = read_options(argc, argv, &options);
    return code >= 0 ? code : run(&options);
}
