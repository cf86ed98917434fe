/*
 * sdsim probe: what it takes and says of itself. The program is tools/ftdi, sdsim-probe, so that sdsim
 * starts without USB.
 */
#include "command.h"

static const enum sdsim_option_id options[] = {
    SDSIM_OPTION_DEVICE,     SDSIM_OPTION_USB,         SDSIM_OPTION_INTERFACE,
    SDSIM_OPTION_CARD_CLOCK, SDSIM_OPTION_IDENTIFY,    SDSIM_OPTION_WHOSE_TIME,
    SDSIM_OPTION_JSON,       SDSIM_OPTION_OUT_PROFILE, SDSIM_OPTION_WRITE,
    SDSIM_OPTION_RANGE,      SDSIM_OPTION_SCRATCH,     SDSIM_OPTION_YES_CARD,
    SDSIM_OPTION_PAUSES,     SDSIM_OPTION_JOURNAL,     SDSIM_OPTION_NO_RESTORE,
    SDSIM_OPTION_RESTORE,    SDSIM_OPTION_CHIP_CHECK,  SDSIM_OPTION_OUT_HOST,
    SDSIM_OPTION_HELP,       SDSIM_OPTION_COUNT,
};

const struct sdsim_command sdsim_command_probe = {
    .name = "probe",
    .operands = "",
    .summary = "measure a real SD card on an FT232H, as a card profile",
    .details =
        "Looks at a real SD card that is wired to an FT232H, FT2232H or FT4232H: tests the wires, "
        "tells what its registers say, looks for the highest clock without errors, and measures "
        "what a card profile needs: in bus time, counted in clocks, with upper bounds where the "
        "clock may have stood still, and in host time.\n"
        "It reads only, unless --write says otherwise and --range or --scratch says where; outside "
        "of that the card is never written to. What is overwritten is saved in a journal first and "
        "put back at the end, or by --restore.\n"
        "--check asks the chip, its cable and this PC what only they can say: how long the clock "
        "stands still between bytes, which edges a card understands, what a look costs, up to "
        "which "
        "clock bits are there in time, and where clocking until a pin is high stops.",
    .least = 0,
    .most = 0,
    .options = options,
    .needs = "libftdi1 and libusb",
};
