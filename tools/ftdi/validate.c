/*
 * sdsim-validate: a scenario's block operations on a real card, beside what is predicted.
 */
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "interrupt.h"
#include "self_test.h"
#include "tools/sdsim/command.h"
#include "tools/sdsim/data_dir.h"
#include "tools/sdsim/option_units.h"
#include "usb_options.h"
#include "validate_card.h"

struct options {
    struct sdsim_usb_device device;
    struct sdsim_validate_source source;
    struct sdsim_validate_wishes wishes;
};

/* ---- options ---- */

static bool read_amount(const struct sdsim_arguments *arguments, uint64_t *bytes)
{
    return sdsim_option_take(arguments, SDSIM_OPTION_AMOUNT, SDSIM_UNIT_SIZE, 512,
                             SDSIM_MOST_CARD_BYTES, bytes);
}

static bool read_tolerance(const struct sdsim_arguments *arguments, double *tolerance)
{
    uint64_t share;
    if (arguments->values[SDSIM_OPTION_TOTAL_TOLERANCE] == NULL) {
        return true;
    }
    if (!sdsim_option_take(arguments, SDSIM_OPTION_TOTAL_TOLERANCE, SDSIM_UNIT_PERCENT, 0,
                           SDSIM_MOST_TOLERANCE, &share)) {
        return false;
    }
    *tolerance = (double)share / 1e9;
    return true;
}

static bool read_options(const struct sdsim_arguments *arguments, struct options *options)
{
    options->source.scenario = arguments->operands[0];
    options->source.run = arguments->operand_count > 1 ? arguments->operands[1] : NULL;
    options->wishes.json = arguments->json;
    options->source.card = arguments->values[SDSIM_OPTION_PREDICT_CARD];
    return sdsim_read_device(arguments, &options->device) &&
           read_amount(arguments, &options->source.most_bytes) &&
           read_tolerance(arguments, &options->wishes.tolerance) &&
           sdsim_read_time(arguments, &options->wishes.time) &&
           sdsim_read_write_wish(arguments, &options->wishes.write);
}

/* ---- the work ---- */

static enum sdsim_exit on_card(struct sdsim_link *link, const struct options *options)
{
    struct sdsim_self_test test;
    struct sdsim_validate_wishes wishes = options->wishes;
    if (link->fault != SDSIM_LINK_FINE || !sdsim_self_test(link, &test)) {
        fprintf(stderr, "error: %s\n", link->error);
        return SDSIM_EXIT_FAULT;
    }
    for (int i = 0; i < SDSIM_SELF_TESTS; i++) {
        if (!test.rows[i].fine) {
            fprintf(stderr, "error: %s: %s\nhelp: 'sdsim probe' looks closer\n", test.rows[i].name,
                    test.rows[i].text);
            return SDSIM_EXIT_FAULT;
        }
    }
    wishes.stop = sdsim_catch_interrupts();
    wishes.in = isatty(STDIN_FILENO) ? stdin : NULL;
    const enum sdsim_exit code =
        (enum sdsim_exit)sdsim_validate_card(link, &wishes, NULL, stdout, stderr);
    if (fflush(stdout) != 0) {
        fputs("error: cannot write to standard output\n", stderr);
        return SDSIM_EXIT_FAULT;
    }
    return code;
}

static enum sdsim_exit work(struct options *options)
{
    char data_dir[PATH_MAX];
    struct sdsim_validate_plan plan;
    enum sdsim_exit code = SDSIM_EXIT_INPUT;
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
            code = SDSIM_EXIT_FAULT;
        } else {
            code = on_card(link, options);
        }
        sdsim_link_close(link);
    }
    sdsim_validate_plan_free(&plan);
    return code;
}

static enum sdsim_exit run(const struct sdsim_arguments *arguments)
{
    struct options options = {.source = {.most_bytes = UINT64_C(16) << 20},
                              .wishes = {.tolerance = 0.1, .time = SDSIM_PROBE_BOTH}};
    return sdsim_command_takes(&sdsim_command_validate, arguments) &&
                   read_options(arguments, &options)
               ? work(&options)
               : SDSIM_EXIT_INPUT;
}

int main(int argc, char **argv)
{
    return (int)sdsim_command_main(&sdsim_command_validate, run, argc, argv);
}
