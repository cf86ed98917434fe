/*
 * The five lines of the SD bus in one clock, and what many clocks have in common: four-bit data as
 * bytes, and how far nobody does anything.
 *
 * A byte travels in two clocks, its upper half first, DAT3 in the upper bit. The functions here take
 * runs of clocks, in loops that compilers turn into vector code.
 */
#ifndef SDSIM_CARD_SD_LINES_H
#define SDSIM_CARD_SD_LINES_H

#include <stddef.h>
#include <stdint.h>

/* The levels of the lines in one clock. */
struct sdsim_sd_lines {
    uint8_t cmd; /* 0 or 1, 1 = released */
    uint8_t dat; /* DAT3..DAT0 in bits 3..0, 0xF = released */
};

/* All lines released. */
#define SDSIM_SD_RELEASED ((struct sdsim_sd_lines){.cmd = 1, .dat = 0xF})

/* The 2 * count clocks in which `count` bytes go by, CMD released. */
void sdsim_sd_lines_of(const uint8_t *bytes, size_t count, struct sdsim_sd_lines *lines);

/* The `count` bytes that went by in 2 * count clocks, whatever CMD did. */
void sdsim_sd_lines_bytes(const struct sdsim_sd_lines *lines, size_t count, uint8_t *bytes);

/* How many of the first `most` clocks have CMD released; or CMD and all DAT lines. */
size_t sdsim_sd_lines_cmd_free(const struct sdsim_sd_lines *lines, size_t most);
size_t sdsim_sd_lines_free(const struct sdsim_sd_lines *lines, size_t most);

#endif
