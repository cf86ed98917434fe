/*
 * Which channel of a capture is which line of the bus, and whether the bus is SPI or SD mode: by the
 * channels' names, by what the user says, and (survey.h) by behaviour.
 *
 * A map packs the lines of a bus into the lowest bits of a word, in the order of enum sdsim_line, so
 * that samplers need not know where the channels lie. A line that was not recorded reads as what it
 * would be at rest: released, or, for CS, low.
 */
#ifndef SDSIM_CAPTURE_ROLES_H
#define SDSIM_CAPTURE_ROLES_H

#include "capture/pins.h"

enum sdsim_capture_bus {
    SDSIM_CAPTURE_UNKNOWN,
    SDSIM_CAPTURE_SPI,
    SDSIM_CAPTURE_SD,
};

/* SPI has the first five (MISO as the card's DO), SD the first and the last five. */
enum sdsim_line {
    SDSIM_LINE_CLK,
    SDSIM_LINE_CS,
    SDSIM_LINE_MOSI,
    SDSIM_LINE_MISO,
    SDSIM_LINE_CMD,
    SDSIM_LINE_DAT0,
    SDSIM_LINE_DAT1,
    SDSIM_LINE_DAT2,
    SDSIM_LINE_DAT3,
    SDSIM_LINE_COUNT
};

#define SDSIM_NO_CHANNEL (-1)

struct sdsim_roles {
    enum sdsim_capture_bus bus;
    int channel[SDSIM_LINE_COUNT]; /* index in the facts, or SDSIM_NO_CHANNEL */
    bool by_behaviour[SDSIM_LINE_COUNT];
};

/* "CLK", "CS", ... */
const char *sdsim_line_name(enum sdsim_line line);

/* Finds the lines that names tell; the bus stays UNKNOWN if they don't tell it. */
void sdsim_roles_by_name(const struct sdsim_pin_facts *facts, struct sdsim_roles *roles);

/* "clk=D5,cmd=3": gives lines to channels, by their names. False after a message. */
bool sdsim_roles_choose(const struct sdsim_pin_facts *facts, const char *text,
                        struct sdsim_roles *roles, struct sdsim_diags *diags);

/* From levels to lines. */
struct sdsim_line_map {
    uint16_t table[8][256];
    uint16_t rest; /* lines that were not recorded */
    unsigned bytes[8];
    unsigned count; /* bytes of the levels that matter */
};

void sdsim_line_map_init(struct sdsim_line_map *map, const struct sdsim_pin_facts *facts,
                         const struct sdsim_roles *roles);

static inline unsigned sdsim_line_map(const struct sdsim_line_map *map, uint64_t levels)
{
    unsigned lines = map->rest;
    if (map->count == 1) { /* as it mostly is */
        return lines | map->table[0][levels >> map->bytes[0] & 255];
    }
    for (unsigned i = 0; i < map->count; i++) {
        lines |= map->table[i][levels >> map->bytes[i] & 255];
    }
    return lines;
}

#endif
