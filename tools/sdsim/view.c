/*
 * sdsim view: what it takes and says of itself. The program is tools/viewer, sdsim-view, so that sdsim
 * starts without SDL.
 */
#include "command.h"
#include "spool.h"

static const enum sdsim_option_id options[] = {
    SDSIM_OPTION_VIEW,        SDSIM_OPTION_SELECT,      SDSIM_OPTION_ALIGN, SDSIM_OPTION_DARK,
    SDSIM_OPTION_WINDOW_SIZE, SDSIM_OPTION_TEXT_SIZE,   SDSIM_OPTION_FONT,  SDSIM_OPTION_SCREENSHOT,
    SDSIM_OPTION_SCRIPT,      SDSIM_OPTION_DUMP,        SDSIM_OPTION_SET,   SDSIM_OPTION_SEED,
    SDSIM_OPTION_DRAW,        SDSIM_OPTION_REPLAY_CARD, SDSIM_OPTION_BOARD, SDSIM_OPTION_HOST,
    SDSIM_OPTION_DRIVER,      SDSIM_OPTION_CLOCK,       SDSIM_OPTION_BUS,   SDSIM_OPTION_FILESYSTEM,
    SDSIM_OPTION_API,         SDSIM_OPTION_THINK,       SDSIM_OPTION_FROM,  SDSIM_OPTION_LOG_FILE,
    SDSIM_OPTION_CHANNEL,     SDSIM_OPTION_HELP,        SDSIM_OPTION_COUNT,
};

const struct sdsim_command sdsim_command_view = {
    .name = "view",
    .operands = "WHAT [RUN] [WHAT [RUN]]",
    .summary = "look at a run, a trace or a capture: what happens when, down to the bit",
    .details =
        "WHAT is a timeline that 'sdsim run --record' wrote; a scenario, which is run first, with "
        "the id of its RUN if it has several; a trace that 'sdsim import' reads, which is replayed "
        "on a board and a card as by 'sdsim replay'; or a capture of the pins (VCD, CSV or .sr). "
        "Two of them, or two runs of one scenario, are shown one above the other on one time axis, "
        "with what differs.\n"
        "In the window press ? for the keys: the wheel zooms where the pointer is, a drag moves, a "
        "click tells all about a span. Zoomed far into the bus it shows clock and data with the "
        "bytes and fields decoded; that part of the run is simulated again, bit by bit.\n"
        "WHAT to select or align on is said in words: 'pause over 10ms', 'fat write', 'CMD25', "
        "'card busy over 1ms', or any text of a command, a file or an address.\n"
        "A script has an event a line: 'key w', 'type TEXT', 'wheel X Y STEPS', 'click X Y', "
        "'double X Y', 'drag X Y X Y', 'size W H', 'dump', which prints the state.\n"
        "The exit code is 1 if a timeline was cut off or a run ended early, and 2 if what was "
        "recorded "
        "is damaged; what can be read is shown.\n",
    .least = 1,
    .most = 4,
    .options = options,
    .needs_file = sdsim_spool_usual,
    .needs = "SDL2, SDL2_ttf and SDL2_image",
};
