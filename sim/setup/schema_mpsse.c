#include <stddef.h>

#include "setup/params.h"
#include "setup/schemas.h"

/* What was measured of an FTDI chip, its cable and its PC: kept where the costs of a host are, so that it is
 * at hand when times that were measured through it are read. */

#define KEY(text, kind, member, sentence)                                                          \
    {                                                                                              \
        .name = (text), .type = (kind),                                                            \
        .offset = offsetof(struct sdsim_host_mpsse_params, member), .profile = true,               \
        .doc = (sentence)                                                                          \
    }

#define WORD(text, kind, member, words, sentence)                                                  \
    {                                                                                              \
        .name = (text), .type = (kind),                                                            \
        .offset = offsetof(struct sdsim_host_mpsse_params, member), .choices = (words),            \
        .doc = (sentence)                                                                          \
    }

static const struct sdsim_choice edges[] = {
    {"falling", SDSIM_MPSSE_WRITES_FALLING, "opcode 0x11, as the usual programs have it"},
    {"rising", SDSIM_MPSSE_WRITES_RISING, "opcode 0x10, as AN_135's table has it"},
    {"either", SDSIM_MPSSE_WRITES_EITHER, "the card is not particular"},
    {NULL, 0, NULL},
};

static const struct sdsim_choice rests[] = {
    {"keeps", SDSIM_MPSSE_REST_KEEPS, "its last level"},
    {"low", SDSIM_MPSSE_REST_LOW, "low"},
    {"high", SDSIM_MPSSE_REST_HIGH, "high"},
    {NULL, 0, NULL},
};

static const struct sdsim_key keys[] = {
    KEY("gap_15", SDSIM_VALUE_TIME, gap_15,
        "The clock stands still for this after each byte that is read at 15 MHz."),
    KEY("gap_30", SDSIM_VALUE_TIME, gap_30, "The same at 30 MHz."),
    WORD("keeps_up_15", SDSIM_VALUE_BOOL, keeps_up_15, NULL,
         "Reading at 15 MHz the host takes answers off the chip as fast as they come."),
    WORD("keeps_up_30", SDSIM_VALUE_BOOL, keeps_up_30, NULL, "The same at 30 MHz."),
    KEY("poll", SDSIM_VALUE_TIME, poll,
        "Host time of one byte that is read and sent at once (0x87)."),
    KEY("poll_timer", SDSIM_VALUE_TIME, poll_timer, "The same, sent by the latency timer of 1 ms."),
    WORD("write_edge", SDSIM_VALUE_CHOICE, write_edge, edges,
         "The edge bits are written on for a card in SPI mode 0."),
    WORD("mosi_rest", SDSIM_VALUE_CHOICE, mosi_rest, rests,
         "Where MOSI is while a command only reads."),
    KEY("rising_to", SDSIM_VALUE_FREQUENCY, rising_to,
        "Blocks are read without errors up to here, on the rising edge (0x20)."),
    KEY("falling_to", SDSIM_VALUE_FREQUENCY, falling_to,
        "The same on the falling edge, half a clock later (0x24)."),
    WORD("stops_in_byte", SDSIM_VALUE_BOOL, stops_in_byte, NULL,
         "Clocking until a pin is high (0x9C) stops inside of a byte."),
    WORD("stops_high", SDSIM_VALUE_BOOL, stops_high, NULL, "It leaves SCK high."),
};

const struct sdsim_schema sdsim_mpsse_schema = {
    .name = "FTDI chip",
    .doc =
        "What sdsim probe --check found out about an FTDI chip on its host. For your information: "
        "nothing of it is simulated.",
    .keys = keys,
    .key_count = sizeof keys / sizeof *keys,
    .size = sizeof(struct sdsim_host_mpsse_params),
};
