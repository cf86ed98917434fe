/*
 * An encoder of SD-mode waveforms that knows nothing of the simulator: frames, blocks, CRC status and
 * busy as clocks with levels, from which decoders are tested.
 *
 * Clocks are collected and told to a sink of waves when they are played. The card's lines change at
 * the falling edge like the host's, or, as in high speed, at the rising edge before.
 */
#ifndef SDSIM_TEST_SD_WAVE_H
#define SDSIM_TEST_SD_WAVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/wave.h"

/* Lines of a clock: CMD, DAT0 to DAT3, and behind them who drives them. */
enum {
    SDSIM_TEST_SD_CMD = 1,
    SDSIM_TEST_SD_DAT = 2,
    SDSIM_TEST_SD_CARD_CMD = 32,
    SDSIM_TEST_SD_CARD_DAT = 64,
    SDSIM_TEST_SD_IDLE = 31,
};

struct sdsim_test_sd_wave {
    uint8_t *clocks;
    size_t count;
    size_t capacity;
    size_t cmd; /* clock at which the next bit of CMD goes */
    size_t dat;
};

void sdsim_test_sd_free(struct sdsim_test_sd_wave *wave);

/* Clocks with all lines high. */
void sdsim_test_sd_idle(struct sdsim_test_sd_wave *wave, size_t count);

/* A command, `n_rc` clocks behind the last thing on CMD; both lines are in step then. */
void sdsim_test_wave_command(struct sdsim_test_sd_wave *wave, size_t n_rc, uint8_t index,
                             uint32_t argument);
/* A response of 48 bits, `n_cr` clocks behind the last thing on CMD. `checked` false: R3. */
void sdsim_test_sd_response(struct sdsim_test_sd_wave *wave, size_t n_cr, uint8_t index,
                            uint32_t argument, bool checked);
/* One of 136 bits: 15 bytes of a register. */
void sdsim_test_sd_long_response(struct sdsim_test_sd_wave *wave, size_t n_cr,
                                 const uint8_t *bytes);

/* DAT catches up with CMD: what follows there counts from the last thing on CMD. */
void sdsim_test_sd_join(struct sdsim_test_sd_wave *wave);

/* A block, `gap` clocks behind the last thing on DAT (or joined). `broken`: one data bit is wrong. */
void sdsim_test_sd_block(struct sdsim_test_sd_wave *wave, size_t gap, unsigned width,
                         const uint8_t *bytes, size_t size, bool from_card, bool broken);
/* CRC status, N_CRC 2, and `busy` clocks of busy behind it. */
void sdsim_test_sd_status(struct sdsim_test_sd_wave *wave, unsigned bits, size_t busy);
/* DAT0 low for `busy` clocks, `gap` clocks behind the last thing on DAT. */
void sdsim_test_sd_busy(struct sdsim_test_sd_wave *wave, size_t gap, size_t busy);

/* Tells the clocks from *now on to a sink, and forgets them. */
void sdsim_test_sd_play(struct sdsim_test_sd_wave *wave, sdsim_ps *now, sdsim_ps period,
                        bool high_speed, struct sdsim_wave_sink *sink);

#endif
