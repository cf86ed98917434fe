#include "card/sd_lines.h"

#include <stdbool.h>
#include <string.h>

/* Clocks that are looked at together: in a word, and in as many as lose little if one is different. */
enum {
    WORD = 4,
    GROUP = 256,
};

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

static inline uint64_t word_of(const struct sdsim_sd_lines lines[WORD])
{
    uint64_t word;
    memcpy(&word, lines, sizeof word);
    return word;
}

static inline uint64_t four_times(struct sdsim_sd_lines one)
{
    const struct sdsim_sd_lines lines[WORD] = {one, one, one, one};
    return word_of(lines);
}

/* Whether `words` words of clocks are those of released lines, where `mask` has ones. */
static inline bool alike(const struct sdsim_sd_lines *lines, size_t words, uint64_t mask)
{
    const uint64_t wanted = four_times(SDSIM_SD_RELEASED);
    uint64_t differs = 0;
    for (size_t i = 0; i < words; i++) {
        differs |= word_of(lines + WORD * i) ^ wanted;
    }
    return (differs & mask) == 0;
}

/* The first clocks that are alike, in whole words. */
static inline size_t alike_words(const struct sdsim_sd_lines *lines, size_t most,
                                 struct sdsim_sd_lines looked_at)
{
    const uint64_t mask = four_times(looked_at);
    size_t n = 0;
    while (most - n >= GROUP && alike(lines + n, GROUP / WORD, mask)) {
        n += GROUP;
    }
    while (most - n >= WORD && alike(lines + n, 1, mask)) {
        n += WORD;
    }
    return n;
}

size_t sdsim_sd_lines_cmd_free(const struct sdsim_sd_lines *lines, size_t most)
{
    size_t n = alike_words(lines, most, (struct sdsim_sd_lines){.cmd = 0xFF});
    while (n < most && lines[n].cmd != 0) {
        n++;
    }
    return n;
}

size_t sdsim_sd_lines_free(const struct sdsim_sd_lines *lines, size_t most)
{
    size_t n = alike_words(lines, most, (struct sdsim_sd_lines){.cmd = 0xFF, .dat = 0xFF});
    while (n < most && lines[n].cmd != 0 && lines[n].dat == 0xF) {
        n++;
    }
    return n;
}
