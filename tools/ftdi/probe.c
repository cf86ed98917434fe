/*
 * sdsim-probe: a real SD card on an FTDI chip with MPSSE.
 */
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/units.h"
#include "core/version.h"
#include "probe_options.h"
#include "report/table.h"
#include "self_test.h"
#include "usb_link.h"

enum { EXIT_OK, EXIT_FINDING, EXIT_INPUT, EXIT_FAULT };

/* A link that fails is set up anew and the work done again, so often. */
enum { RECOVERIES = 2 };

static const char usage[] =
    "usage: sdsim-probe [OPTION...]\n"
    "\n"
    "Looks at a real SD card that is wired to an FT232H, FT2232H or FT4232H: tests the wires,\n"
    "tells what its registers say, looks for the highest clock without errors, and measures what\n"
    "a card profile needs. Reads only, unless it is told otherwise.\n"
    "\n"
    "options:\n"
    "  --device ftdi[:SERIAL]  which chip, if there are several\n"
    "  --usb VID:PID           a chip whose numbers were changed, e.g. 0403:6014\n"
    "  --interface A|B         which channel of an FT2232H or FT4232H; default A\n"
    "  --clock FREQUENCY       the highest clock; default 25MHz, which gives 15 MHz\n"
    "  --identify              wires and registers only\n"
    "  --time bus|host|both    which times to show; default both\n"
    "  --out FILE              write a card profile\n"
    "  --write                 measure writes, too; needs --range or --scratch\n"
    "  --range FROM..TO        bytes that may be written, e.g. 1GiB..1088MiB\n"
    "  --scratch PATH          a file on the card; the longest run of its sectors may be written\n"
    "  --yes SERIAL            the card's serial number, for scripts that can't be asked\n"
    "  --pauses SIZE           how much to write in search of pauses; default 16MiB\n"
    "  --journal FILE          where what is overwritten is saved; default sdsim-SERIAL.journal\n"
    "  --no-restore            leave what was written, and the journal\n"
    "  --restore               only put back what an interrupted run has left in its journal\n"
    "  --version, --help\n"
    "\n"
    "Exit code: 0 all is well; 2 bad usage; 3 a fault of chip, wires or card.\n";

struct options {
    struct sdsim_usb_device device;
    uint64_t clock_hz;
    struct sdsim_probe_wishes wishes;
};

static volatile sig_atomic_t interrupted;

static void interrupt(int signal_number)
{
    (void)signal_number;
    interrupted = 1;
}

/* ---- options ---- */

/* The options of what is done with the card. */
static bool take_wish(struct sdsim_probe_wishes *wishes, int option, const char *text)
{
    switch (option) {
    case 'I':
        wishes->identify_only = true;
        return true;
    case 't':
        return sdsim_take_time(&wishes->time, text);
    case 'o':
        wishes->profile = text;
        return true;
    case 'p':
        return sdsim_unit_parse(SDSIM_UNIT_SIZE, text, &wishes->plan.pause_bytes) ==
                   SDSIM_UNIT_OK ||
               sdsim_refuse_option("pauses", "a size like 16MiB", text);
    case 'R':
        wishes->restore = true;
        return true;
    default:
        return sdsim_take_write_option(&wishes->write, option, text);
    }
}

static bool take_option(struct options *options, int option, const char *text)
{
    struct sdsim_usb_device *device = &options->device;
    switch (option) {
    case 'd':
        return sdsim_usb_take_device(device, text) ||
               sdsim_refuse_option("device", "ftdi or ftdi:SERIAL", text);
    case 'u':
        return sdsim_usb_take_ids(device, text) ||
               sdsim_refuse_option("usb", "numbers like 0403:6014", text);
    case 'i':
        return sdsim_usb_take_interface(device, text) ||
               sdsim_refuse_option("interface", "A or B", text);
    case 'c': {
        struct sdsim_mpsse_clock clock;
        return (sdsim_unit_parse(SDSIM_UNIT_FREQUENCY, text, &options->clock_hz) == SDSIM_UNIT_OK &&
                sdsim_mpsse_clock_below(options->clock_hz, &clock)) ||
               sdsim_refuse_option("clock", "a frequency from 458Hz on, e.g. 15MHz", text);
    }
    default:
        return take_wish(&options->wishes, option, text);
    }
}

/* Reads the options; -1: go on, else end with this code. */
static int read_options(int argc, char **argv, struct options *options)
{
    static const struct option longs[] = {
        {"device", required_argument, NULL, 'd'},
        {"usb", required_argument, NULL, 'u'},
        {"interface", required_argument, NULL, 'i'},
        {"clock", required_argument, NULL, 'c'},
        {"identify", no_argument, NULL, 'I'},
        {"time", required_argument, NULL, 't'},
        {"out", required_argument, NULL, 'o'},
        {"pauses", required_argument, NULL, 'p'},
        SDSIM_WRITE_OPTIONS,
        {"restore", no_argument, NULL, 'R'},
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
            puts("sdsim-probe " SDSIM_VERSION);
            return EXIT_OK;
        }
        if (!take_option(options, option, optarg)) {
            return EXIT_INPUT;
        }
    }
    if (optind < argc) {
        fprintf(stderr, "error: unexpected '%s'\nhelp: 'sdsim-probe --help' tells more\n",
                argv[optind]);
        return EXIT_INPUT;
    }
    return sdsim_check_write_wish(&options->wishes.write) ? -1 : EXIT_INPUT;
}

/* ---- the work ---- */

/* The self-test; a link that fails gets another chance. */
static bool test_wires(struct sdsim_link *link, struct sdsim_self_test *test)
{
    for (int i = 0; !sdsim_self_test(link, test); i++) {
        if (i == RECOVERIES || !sdsim_link_recover(link)) {
            return false;
        }
        link->counters.retries++;
    }
    return true;
}

static bool print(const struct sdsim_link *link, const struct sdsim_self_test *test,
                  const struct options *options)
{
    static const struct sdsim_column columns[] = {{.wrap = false}, {.wrap = false}, {.wrap = true}};
    const struct sdsim_style style = {.color = false};
    struct sdsim_mpsse_clock clock;
    char text[32];
    sdsim_mpsse_clock_below(options->clock_hz, &clock);
    printf("chip   %s\n", sdsim_usb_link_name(link));
    printf("clock  %s (divisor %u)\n\n", sdsim_mpsse_clock_text(&clock, text), clock.divisor);
    struct sdsim_table table;
    sdsim_table_init(&table, columns, 3);
    for (int i = 0; i < SDSIM_SELF_TESTS; i++) {
        const struct sdsim_self_test_row *row = &test->rows[i];
        sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%s", row->name);
        sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%s", row->fine ? "ok" : "fault");
        sdsim_table_cell(&table, SDSIM_INK_PLAIN, "%s", row->text);
    }
    const bool printed = sdsim_table_print(&table, &style, stdout);
    sdsim_table_free(&table);
    if (link->counters.recoveries > 0) {
        printf("\nUSB failed and was set up again: %u\n", (unsigned)link->counters.recoveries);
    }
    return printed && fflush(stdout) == 0;
}

/* The card, with Ctrl-C kept from leaving it half written. */
static int probe(struct sdsim_link *link, const struct options *options)
{
    const struct sigaction action = {.sa_handler = interrupt};
    struct sdsim_probe_wishes wishes = options->wishes;
    (void)sdsim_mpsse_clock_below(options->clock_hz, &wishes.clock);
    wishes.stop = &interrupted;
    wishes.chip = link->chip->name;
    wishes.in = isatty(STDIN_FILENO) ? stdin : NULL;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    putchar('\n');
    return (int)sdsim_probe_card(link, &wishes, stdout, stderr);
}

static int run(const struct options *options)
{
    struct sdsim_self_test test;
    struct sdsim_link *link = sdsim_usb_link_open(&options->device);
    int code = EXIT_FAULT;
    if (link == NULL) {
        fputs("error: out of memory\n", stderr);
    } else if (link->fault != SDSIM_LINK_FINE || !test_wires(link, &test)) {
        fprintf(stderr, "error: %s\n", link->error);
    } else if (!print(link, &test, options)) {
        fputs("error: cannot write to standard output\n", stderr);
    } else if (!test.fine) {
        fputs("error: the card can't be used like this\n"
              "help: mend the first fault in the list, then try again\n",
              stderr);
    } else {
        code = probe(link, options);
    }
    sdsim_link_close(link);
    return code;
}

int main(int argc, char **argv)
{
    struct options options = {.clock_hz = 25000000,
                              .wishes = {.plan = sdsim_usual_plan, .time = SDSIM_PROBE_BOTH}};
    const int code = read_options(argc, argv, &options);
    return code >= 0 ? code : run(&options);
}
