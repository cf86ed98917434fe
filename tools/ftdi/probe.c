/*
 * sdsim-probe: a real SD card on an FTDI chip with MPSSE.
 */
#include <stdio.h>
#include <unistd.h>

#include "check.h"
#include "host_profile.h"
#include "interrupt.h"
#include "probe_json.h"
#include "report/table.h"
#include "self_test.h"
#include "tools/sdsim/command.h"
#include "tools/sdsim/option_units.h"
#include "tools/sdsim/output.h"
#include "usb_options.h"

/* A link that fails is set up anew and the work done again, so often. */
enum { RECOVERIES = 2 };

struct options {
    struct sdsim_usb_device device;
    uint64_t clock_hz;
    struct sdsim_probe_wishes wishes;
    unsigned checks;          /* a bit for each enum sdsim_check; 0: it is about the card */
    const char *host_profile; /* path; NULL: none */
};

/* Far above what a chip can do: what is asked for is an upper limit. */
#define MOST_CLOCK ((uint64_t)1000000000)

/* ---- options ---- */

static bool read_clock(const struct sdsim_arguments *arguments, uint64_t *hz)
{
    const char *text = arguments->values[SDSIM_OPTION_CARD_CLOCK];
    struct sdsim_mpsse_clock clock;
    return text == NULL ||
           (sdsim_option_take(arguments, SDSIM_OPTION_CARD_CLOCK, SDSIM_UNIT_FREQUENCY, 0,
                              MOST_CLOCK, hz) &&
            (sdsim_mpsse_clock_below(*hz, &clock) ||
             sdsim_refuse_option("clock", "a frequency from 458Hz on, e.g. 15MHz", text)));
}

static bool read_pauses(const struct sdsim_arguments *arguments, uint64_t *bytes)
{
    return sdsim_option_take(arguments, SDSIM_OPTION_PAUSES, SDSIM_UNIT_SIZE, 0,
                             SDSIM_MOST_CARD_BYTES, bytes);
}

static bool read_checks(const struct sdsim_arguments *arguments, struct options *options)
{
    const char *text = arguments->values[SDSIM_OPTION_CHIP_CHECK];
    options->host_profile = arguments->values[SDSIM_OPTION_OUT_HOST];
    if (text != NULL && !sdsim_check_parse(text, &options->checks)) {
        return sdsim_refuse_option("check", "gaps, edges, poll, margin, stop or all", text);
    }
    if (text == NULL && options->host_profile != NULL) {
        fputs("error: --host-out writes what --check finds\n"
              "help: add --check all\n",
              stderr);
        return false;
    }
    const struct sdsim_probe_wishes *wishes = &options->wishes;
    if (text != NULL && (wishes->profile != NULL || wishes->identify_only || wishes->restore ||
                         arguments->values[SDSIM_OPTION_WRITE] != NULL)) {
        fputs("error: --check is about the chip: it neither measures a card nor writes to one\n",
              stderr);
        return false;
    }
    return true;
}

static bool read_options(const struct sdsim_arguments *arguments, struct options *options)
{
    struct sdsim_probe_wishes *wishes = &options->wishes;
    wishes->identify_only = arguments->values[SDSIM_OPTION_IDENTIFY] != NULL;
    wishes->restore = arguments->values[SDSIM_OPTION_RESTORE] != NULL;
    wishes->profile = arguments->values[SDSIM_OPTION_OUT_PROFILE];
    wishes->json = arguments->json;
    return sdsim_read_device(arguments, &options->device) &&
           read_clock(arguments, &options->clock_hz) &&
           read_pauses(arguments, &wishes->plan.pause_bytes) &&
           sdsim_read_time(arguments, &wishes->time) && read_checks(arguments, options) &&
           sdsim_read_write_wish(arguments, &wishes->write);
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
static enum sdsim_exit probe(struct sdsim_link *link, const struct options *options)
{
    struct sdsim_probe_wishes wishes = options->wishes;
    (void)sdsim_mpsse_clock_below(options->clock_hz, &wishes.clock);
    wishes.stop = sdsim_catch_interrupts();
    wishes.chip = link->chip->name;
    wishes.in = isatty(STDIN_FILENO) ? stdin : NULL;
    if (!wishes.json) {
        putchar('\n');
    }
    return (enum sdsim_exit)sdsim_probe_card(link, &wishes, stdout, stderr);
}

/* ---- the chip ---- */

static enum sdsim_exit write_host_profile(const struct sdsim_chip_findings *findings,
                                          const char *chip, const char *path)
{
    struct sdsim_output output;
    if (!sdsim_output_open(&output)) {
        return SDSIM_EXIT_FAULT;
    }
    sdsim_host_profile_write(findings, chip, output.stream);
    return sdsim_output_send(&output, path);
}

static void print_checks(struct sdsim_link *link, const struct sdsim_chip_findings *findings)
{
    struct sdsim_json json;
    sdsim_json_start(&json, stdout);
    sdsim_json_object(&json, NULL);
    sdsim_json_text(&json, "chip", sdsim_usb_link_name(link));
    sdsim_json_checks(&json, findings);
    sdsim_json_usb(&json, link);
    sdsim_json_end(&json);
}

/* All checks that were asked for, each printed as soon as it is answered. */
static enum sdsim_exit check_chip(struct sdsim_link *link, const struct options *options)
{
    struct sdsim_chip_findings findings = {.done = {false}};
    for (unsigned i = 0; i < SDSIM_CHECKS; i++) {
        const enum sdsim_check check = (enum sdsim_check)i;
        if ((options->checks >> i & 1) == 0) {
            continue;
        }
        if (!sdsim_check_run(link, check, &findings)) {
            fprintf(stderr, "error: %s\n", link->error);
            return SDSIM_EXIT_FAULT;
        }
        if (!options->wishes.json) {
            sdsim_check_report(&findings, check, stdout);
            fflush(stdout);
        }
    }
    if (options->wishes.json) {
        print_checks(link, &findings);
    }
    if (fflush(stdout) != 0) {
        fputs("error: cannot write to standard output\n", stderr);
        return SDSIM_EXIT_FAULT;
    }
    return options->host_profile == NULL
               ? SDSIM_EXIT_OK
               : write_host_profile(&findings, sdsim_usb_link_name(link), options->host_profile);
}

static void tell_fault(const struct sdsim_self_test *test, const struct options *options)
{
    fputs("error: the card can't be used like this\n", stderr);
    for (int i = 0; options->wishes.json && i < SDSIM_SELF_TESTS; i++) {
        if (!test->rows[i].fine) {
            fprintf(stderr, "note: %s: %s\n", test->rows[i].name, test->rows[i].text);
        }
    }
    fputs("help: mend the first fault in the list, then try again\n", stderr);
}

/* What needs no card is asked of a chip without one, too. */
static bool may_go_on(const struct sdsim_self_test *test, const struct options *options)
{
    return test->fine || (options->checks != 0 && test->rows[SDSIM_SELF_LOOP].fine);
}

static enum sdsim_exit work(const struct options *options)
{
    struct sdsim_self_test test;
    struct sdsim_link *link = sdsim_usb_link_open(&options->device);
    enum sdsim_exit code = SDSIM_EXIT_FAULT;
    if (link == NULL) {
        fputs("error: out of memory\n", stderr);
    } else if (link->fault != SDSIM_LINK_FINE || !test_wires(link, &test)) {
        fprintf(stderr, "error: %s\n", link->error);
    } else if (!options->wishes.json && !print(link, &test, options)) {
        fputs("error: cannot write to standard output\n", stderr);
    } else if (!may_go_on(&test, options)) {
        tell_fault(&test, options);
    } else if (options->checks != 0) {
        code = check_chip(link, options);
    } else {
        code = probe(link, options);
    }
    sdsim_link_close(link);
    return code;
}

static enum sdsim_exit run(const struct sdsim_arguments *arguments)
{
    struct options options = {.clock_hz = 25000000,
                              .wishes = {.plan = sdsim_usual_plan, .time = SDSIM_PROBE_BOTH}};
    return sdsim_command_takes(&sdsim_command_probe, arguments) && read_options(arguments, &options)
               ? work(&options)
               : SDSIM_EXIT_INPUT;
}

int main(int argc, char **argv)
{
    return (int)sdsim_command_main(&sdsim_command_probe, run, argc, argv);
}
