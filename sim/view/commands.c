#include "view/commands.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum meaning {
    NOTHING,
    ADDRESS,
    RCA,
    BLOCKS,
    BYTES,
    VOLTAGE,  /* CMD8 */
    OCR,      /* ACMD41 */
    FUNCTION, /* CMD6 */
    WIDTH,    /* ACMD6 */
    ON_OFF,
};

struct command {
    uint8_t index;
    bool app;
    uint8_t meaning;
    const char *title;
};

static const struct command commands[] = {
    {0, false, NOTHING, "GO_IDLE_STATE"},
    {1, false, NOTHING, "SEND_OP_COND"},
    {2, false, NOTHING, "ALL_SEND_CID"},
    {3, false, NOTHING, "SEND_RELATIVE_ADDR"},
    {4, false, NOTHING, "SET_DSR"},
    {6, false, FUNCTION, "SWITCH_FUNC"},
    {6, true, WIDTH, "SET_BUS_WIDTH"},
    {7, false, RCA, "SELECT/DESELECT_CARD"},
    {8, false, VOLTAGE, "SEND_IF_COND"},
    {9, false, RCA, "SEND_CSD"},
    {10, false, RCA, "SEND_CID"},
    {11, false, NOTHING, "VOLTAGE_SWITCH"},
    {12, false, NOTHING, "STOP_TRANSMISSION"},
    {13, false, RCA, "SEND_STATUS"},
    {13, true, NOTHING, "SD_STATUS"},
    {16, false, BYTES, "SET_BLOCKLEN"},
    {17, false, ADDRESS, "READ_SINGLE_BLOCK"},
    {18, false, ADDRESS, "READ_MULTIPLE_BLOCK"},
    {19, false, NOTHING, "SEND_TUNING_BLOCK"},
    {20, false, NOTHING, "SPEED_CLASS_CONTROL"},
    {22, true, NOTHING, "SEND_NUM_WR_BLOCKS"},
    {23, false, BLOCKS, "SET_BLOCK_COUNT"},
    {23, true, BLOCKS, "SET_WR_BLK_ERASE_COUNT"},
    {24, false, ADDRESS, "WRITE_BLOCK"},
    {25, false, ADDRESS, "WRITE_MULTIPLE_BLOCK"},
    {27, false, NOTHING, "PROGRAM_CSD"},
    {28, false, ADDRESS, "SET_WRITE_PROT"},
    {29, false, ADDRESS, "CLR_WRITE_PROT"},
    {30, false, ADDRESS, "SEND_WRITE_PROT"},
    {32, false, ADDRESS, "ERASE_WR_BLK_START"},
    {33, false, ADDRESS, "ERASE_WR_BLK_END"},
    {38, false, NOTHING, "ERASE"},
    {41, true, OCR, "SD_SEND_OP_COND"},
    {42, false, NOTHING, "LOCK_UNLOCK"},
    {42, true, NOTHING, "SET_CLR_CARD_DETECT"},
    {51, true, NOTHING, "SEND_SCR"},
    {55, false, RCA, "APP_CMD"},
    {56, false, NOTHING, "GEN_CMD"},
    {58, false, NOTHING, "READ_OCR"},
    {59, false, ON_OFF, "CRC_ON_OFF"},
};

static const struct command *find(uint8_t index, bool app)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (commands[i].index == index && commands[i].app == app) {
            return &commands[i];
        }
    }
    return NULL;
}

const char *sdsim_command_title(uint8_t index, bool app)
{
    const struct command *command = find(index, app);
    return command != NULL ? command->title : "";
}

bool sdsim_command_has_address(uint8_t index, bool app)
{
    const struct command *command = find(index, app);
    return command != NULL && command->meaning == ADDRESS;
}

char *sdsim_command_argument(uint8_t index, bool app, uint32_t argument, char *out, size_t size)
{
    const struct command *command = find(index, app);
    switch (command != NULL ? command->meaning : NOTHING) {
    case ADDRESS:
        snprintf(out, size, "address %" PRIu32, argument);
        break;
    case RCA: /* SPI has none: the argument is 0 */
        if (argument >> 16 != 0) {
            snprintf(out, size, "RCA 0x%04" PRIX32, argument >> 16);
        } else {
            snprintf(out, size, "%s", index == 7 ? "none: deselects" : "");
        }
        break;
    case BLOCKS:
        snprintf(out, size, "%" PRIu32 " blocks", argument);
        break;
    case BYTES:
        snprintf(out, size, "%" PRIu32 " bytes", argument);
        break;
    case VOLTAGE:
        snprintf(out, size, "%s, check pattern 0x%02" PRIX32,
                 (argument >> 8 & 15) == 1 ? "2.7-3.6 V" : "another voltage", argument & 0xFF);
        break;
    case OCR:
        snprintf(out, size, "%s%s%s", (argument >> 30 & 1) != 0 ? "HCS" : "no HCS",
                 (argument >> 28 & 1) != 0 ? ", XPC" : "",
                 (argument >> 24 & 1) != 0 ? ", S18R" : "");
        break;
    case FUNCTION:
        snprintf(out, size, "%s, access mode %" PRIu32, (argument >> 31) != 0 ? "switch" : "check",
                 argument & 15);
        break;
    case WIDTH:
        snprintf(out, size, "%s", argument == 2 ? "4 bits" : "1 bit");
        break;
    case ON_OFF:
        snprintf(out, size, "%s", (argument & 1) != 0 ? "on" : "off");
        break;
    default:
        snprintf(out, size, "%s", "");
        break;
    }
    return out;
}

char *sdsim_r1_print(uint8_t r1, char *out, size_t size)
{
    static const char *const bits[] = {"idle",           "erase reset",          "illegal command",
                                       "CRC error",      "erase sequence error", "address error",
                                       "parameter error"};
    size_t used = 0;
    if (r1 == 0 || (r1 & 0x80) != 0) {
        snprintf(out, size, "%s", r1 == 0 ? "ready" : "no response");
        return out;
    }
    for (int i = 6; i >= 0 && used < size; i--) {
        if ((r1 >> i & 1) != 0) {
            used +=
                (size_t)snprintf(out + used, size - used, "%s%s", used > 0 ? ", " : "", bits[i]);
        }
    }
    return out;
}
