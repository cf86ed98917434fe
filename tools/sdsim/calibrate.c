#include "command.h"

#include <string.h>

#include "calibrate_corpus.h"
#include "calibrate_own.h"
#include "session.h"

static enum sdsim_exit calibrate(const struct sdsim_arguments *arguments)
{
    const bool corpus = arguments->values[SDSIM_OPTION_CORPUS] != NULL;
    if (corpus == (arguments->operand_count > 0)) {
        fputs(corpus ? "error: with --corpus there is no FILE besides\n"
                     : "error: calibrate needs a FILE of measurements, or --corpus FILE\n",
              stderr);
        return SDSIM_EXIT_INPUT;
    }
    return sdsim_cli_in_session(corpus ? sdsim_calibrate_corpus : sdsim_calibrate_own, arguments);
}

static const enum sdsim_option_id options[] = {
    SDSIM_OPTION_SET,       SDSIM_OPTION_LEAVE_ONE_OUT, SDSIM_OPTION_CORPUS, SDSIM_OPTION_FOLD,
    SDSIM_OPTION_DIRECTORY, SDSIM_OPTION_JOBS,          SDSIM_OPTION_HELP,   SDSIM_OPTION_COUNT,
};

const struct sdsim_command sdsim_command_calibrate = {
    .name = "calibrate",
    .operands = "[FILE...]",
    .summary = "fit profile values to measurements",
    .details =
        "FILE holds measurements of one board with one card (.jsonl or .csv, as 'compare "
        "--measurements' reads them and tools/firmware/sdbench prints them). The values that "
        "matter are fitted to them, within their ranges; what the data can't determine is said and "
        "left alone. With -o DIR the rest is written as DIR/host.yaml and DIR/card.yaml, with "
        "narrowed ranges.\n"
        "With --corpus all fitted values of all host and card profiles are fitted again, from what "
        "their sources and classes give, and written with their ranges to a copy of the data "
        "directory. With --fold K/5 the sources of fold K are left out, and headline values that "
        "were fitted to one of them go back to where they started.\n",
    .least = 0,
    .most = SIZE_MAX,
    .options = options,
    .run = calibrate,
};
