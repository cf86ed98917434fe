#include "card/sd_lines.h"

/* Clocks that are looked at together. */
enum { GROUP = 32 };

void sdsim_sd_lines_of(const uint8_t *bytes, size_t count, struct sdsim_sd_lines *lines)
{
    for (size_t i = 0; i < count; i++) {
        lines[2 * i] = (struct sdsim_sd_lines){.cmd = 1, .dat = bytes[i] >> 4};
        lines[2 * i + 1] = (struct sdsim_sd_lines){.cmd = 1, .dat = bytes[i] & 0xF};
    }
}

void sdsim_sd_lines_bytes(const struct sdsim_sd_lines *lines, size_t count, uint8_t *bytes)
{
    for (size_t i = 0; i < count; i++) {
        bytes[i] = (uint8_t)(lines[2 * i].dat << 4 | (lines[2 * i + 1].dat & 0xF));
    }
}

/* Whether in a whole group CMD is exactly 1, and DAT is exactly free where `dat` is 0xFF. */
static inline uint8_t group_differs(const struct sdsim_sd_lines *lines, uint8_t dat)
{
    uint8_t differs = 0;
    for (size_t i = 0; i < GROUP; i++) {
        differs |= (uint8_t)((lines[i].cmd ^ 1) | ((lines[i].dat ^ 0xF) & dat));
    }
    return differs;
}

size_t sdsim_sd_lines_cmd_free(const struct sdsim_sd_lines *lines, size_t most)
{
    size_t n = 0;
    while (most - n >= GROUP && group_differs(lines + n, 0) == 0) {
        n += GROUP;
    }
    while (n < most && lines[n].cmd != 0) {
        n++;
    }
    return n;
}

size_t sdsim_sd_lines_free(const struct sdsim_sd_lines *lines, size_t most)
{
    size_t n = 0;
    while (most - n >= GROUP && group_differs(lines + n, 0xFF) == 0) {
        n += GROUP;
    }
    while (n < most && lines[n].cmd != 0 && lines[n].dat == 0xF) {
        n++;
    }
    return n;
}
