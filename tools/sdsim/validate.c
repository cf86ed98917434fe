/*
 * sdsim validate: what it takes and says of itself. The program is tools/ftdi, sdsim-validate, so that
 * sdsim starts without USB.
 */
#include "command.h"

static const enum sdsim_option_id options[] = {
    SDSIM_OPTION_DEVICE,       SDSIM_OPTION_USB,        SDSIM_OPTION_INTERFACE,
    SDSIM_OPTION_PREDICT_CARD, SDSIM_OPTION_AMOUNT,     SDSIM_OPTION_TOTAL_TOLERANCE,
    SDSIM_OPTION_WHOSE_TIME,   SDSIM_OPTION_JSON,       SDSIM_OPTION_WRITE,
    SDSIM_OPTION_RANGE,        SDSIM_OPTION_SCRATCH,    SDSIM_OPTION_YES_CARD,
    SDSIM_OPTION_JOURNAL,      SDSIM_OPTION_NO_RESTORE, SDSIM_OPTION_HELP,
    SDSIM_OPTION_COUNT,
};

const struct sdsim_command sdsim_command_validate = {
    .name = "validate",
    .operands = "SCENARIO [RUN]",
    .summary = "do a scenario's block operations on a real card, beside the prediction",
    .details =
        "Has a real card on an FT232H do the block operations of a scenario's run, predicts the "
        "same at the same clock, and prints both; then the prediction for the clock the scenario "
        "asks for, which is not measured.\n"
        "Scenarios that write need --write, and --range or --scratch for where they may. What is "
        "overwritten is saved in a journal first and put back at the end.\n"
        "What is measured is bus time, counted in clocks: a lower bound, as the card goes on "
        "working "
        "while the clock stands still. The host's time is the upper one. The tolerance is judged "
        "by "
        "bus time, whatever --time shows.\n"
        "Exit code 1: prediction and measurement are further apart than the tolerance.",
    .least = 1,
    .most = 2,
    .options = options,
    .needs = "libftdi1 and libusb",
};
