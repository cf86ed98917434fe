#include "sd_wave.h"

#include <stdlib.h>
#include <string.h>

#include "core/crc.h"

void sdsim_test_sd_free(struct sdsim_test_sd_wave *wave)
{
    free(wave->clocks);
    *wave = (struct sdsim_test_sd_wave){0};
}

static void reach(struct sdsim_test_sd_wave *wave, size_t count)
{
    if (count > wave->capacity) {
        wave->capacity = count + count / 2 + 4096;
        wave->clocks = realloc(wave->clocks, wave->capacity);
        if (wave->clocks == NULL) {
            abort();
        }
    }
    while (wave->count < count) {
        wave->clocks[wave->count++] = SDSIM_TEST_SD_IDLE;
    }
}

void sdsim_test_sd_join(struct sdsim_test_sd_wave *wave)
{
    const size_t later = wave->cmd > wave->dat ? wave->cmd : wave->dat;
    wave->cmd = later;
    wave->dat = later;
}

void sdsim_test_sd_idle(struct sdsim_test_sd_wave *wave, size_t count)
{
    sdsim_test_sd_join(wave);
    wave->cmd += count;
    wave->dat += count;
    reach(wave, wave->cmd);
}

static void cmd_bits(struct sdsim_test_sd_wave *wave, size_t gap, const uint8_t *bytes,
                     size_t count, bool card)
{
    size_t at = wave->cmd + gap;
    reach(wave, at + 8 * count);
    for (size_t i = 0; i < 8 * count; i++, at++) {
        if ((bytes[i / 8] >> (7 - i % 8) & 1) == 0) {
            wave->clocks[at] &= (uint8_t)~SDSIM_TEST_SD_CMD;
        }
        wave->clocks[at] |= card ? SDSIM_TEST_SD_CARD_CMD : 0;
    }
    wave->cmd = at;
}

static void frame(struct sdsim_test_sd_wave *wave, size_t gap, uint8_t first, uint32_t argument,
                  bool checked, bool card)
{
    uint8_t bytes[6] = {first,
                        (uint8_t)(argument >> 24),
                        (uint8_t)(argument >> 16),
                        (uint8_t)(argument >> 8),
                        (uint8_t)argument,
                        0xFF};
    if (checked) {
        bytes[5] = sdsim_crc7_byte(bytes, 5);
    }
    cmd_bits(wave, gap, bytes, 6, card);
}

void sdsim_test_wave_command(struct sdsim_test_sd_wave *wave, size_t n_rc, uint8_t index,
                             uint32_t argument)
{
    sdsim_test_sd_join(wave);
    frame(wave, n_rc, 0x40 | index, argument, true, false);
    wave->dat = wave->cmd;
}

void sdsim_test_sd_response(struct sdsim_test_sd_wave *wave, size_t n_cr, uint8_t index,
                            uint32_t argument, bool checked)
{
    frame(wave, n_cr, checked ? index : 63, argument, checked, true);
}

void sdsim_test_sd_long_response(struct sdsim_test_sd_wave *wave, size_t n_cr, const uint8_t *bytes)
{
    uint8_t all[17] = {63};
    memcpy(all + 1, bytes, 15);
    all[16] = sdsim_crc7_byte(bytes, 15);
    cmd_bits(wave, n_cr, all, sizeof all, true);
}

/* One clock of DAT: the low lines of `bits`. */
static void dat_clock(struct sdsim_test_sd_wave *wave, unsigned bits, bool card)
{
    reach(wave, wave->dat + 1);
    uint8_t *clock = &wave->clocks[wave->dat++];
    *clock = (uint8_t)((*clock & ~(15u * SDSIM_TEST_SD_DAT)) | (bits & 15) * SDSIM_TEST_SD_DAT |
                       (card ? SDSIM_TEST_SD_CARD_DAT : 0u));
}

static void crc_clocks(struct sdsim_test_sd_wave *wave, unsigned width, const uint16_t crc[4],
                       bool card)
{
    for (unsigned bit = 16; bit-- > 0;) {
        unsigned lines = width == 1 ? 14 : 0;
        for (unsigned i = 0; i < width; i++) {
            lines |= (unsigned)(crc[i] >> bit & 1) << i;
        }
        dat_clock(wave, lines, card);
    }
}

void sdsim_test_sd_block(struct sdsim_test_sd_wave *wave, size_t gap, unsigned width,
                         const uint8_t *bytes, size_t size, bool from_card, bool broken)
{
    uint16_t crc[4] = {0};
    wave->dat += gap;
    if (width == 1) {
        crc[0] = sdsim_crc16(bytes, size);
    } else {
        sdsim_crc16_lines(bytes, size, crc);
    }
    dat_clock(wave, width == 1 ? 14 : 0, from_card);
    for (size_t i = 0; i < 8 * size; i += width) {
        unsigned bits = (unsigned)bytes[i / 8] >> (8 - width - i % 8);
        bits ^= broken && i == 64 ? 1 : 0;
        dat_clock(wave, width == 1 ? 14 | (bits & 1) : bits, from_card);
    }
    crc_clocks(wave, width, crc, from_card);
    dat_clock(wave, 15, from_card);
}

void sdsim_test_sd_busy(struct sdsim_test_sd_wave *wave, size_t gap, size_t busy)
{
    wave->dat += gap;
    for (size_t i = 0; i < busy; i++) {
        dat_clock(wave, 14, true);
    }
    reach(wave, wave->dat + 1);
}

void sdsim_test_sd_status(struct sdsim_test_sd_wave *wave, unsigned bits, size_t busy)
{
    wave->dat += 2;
    dat_clock(wave, 14, true);
    for (unsigned bit = 3; bit-- > 0;) {
        dat_clock(wave, 14 | (bits >> bit & 1), true);
    }
    dat_clock(wave, 15, true);
    sdsim_test_sd_busy(wave, 1, busy);
}

void sdsim_test_sd_play(struct sdsim_test_sd_wave *wave, sdsim_ps *now, sdsim_ps period,
                        bool high_speed, struct sdsim_wave_sink *sink)
{
    sdsim_test_sd_join(wave);
    reach(wave, wave->cmd);
    for (size_t i = 0; i < wave->count; i++) {
        const unsigned here = wave->clocks[i];
        unsigned mixed = here & SDSIM_TEST_SD_IDLE;
        if (high_speed && i + 1 < wave->count) { /* the card is half a clock ahead */
            const unsigned next = wave->clocks[i + 1];
            const unsigned lines = ((next | here) & SDSIM_TEST_SD_CARD_CMD ? 1u : 0u) |
                                   ((next | here) & SDSIM_TEST_SD_CARD_DAT ? 30u : 0u);
            mixed = (mixed & ~lines) | (next & lines);
        }
        sink->levels(sink, *now, (here & SDSIM_TEST_SD_IDLE) << 1);
        sink->levels(sink, *now + period / 2, mixed << 1 | 1u);
        *now += period;
    }
    sink->levels(sink, *now, SDSIM_TEST_SD_IDLE << 1);
    wave->count = 0;
    wave->cmd = 0;
    wave->dat = 0;
}
