/*
 * A card on a bench: powered up, brought to where it takes commands, and talked to command by
 * command. Every command takes a microsecond.
 */
#ifndef SDSIM_TEST_CARD_BENCH_H
#define SDSIM_TEST_CARD_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include "card/card.h"

/* 8192 sectors, 30 ms to initialise; its busy times are all different. */
extern const struct sdsim_card_params sdsim_test_sdhc;

struct sdsim_test_card {
    struct sdsim_card_params params;
    struct sdsim_medium *medium;
    struct sdsim_card card;
    struct sdsim_reply reply; /* to the last command */
    sdsim_ps now;
};

void sdsim_test_card_power_up(struct sdsim_test_card *bench,
                              const struct sdsim_card_params *params);
void sdsim_test_card_power_down(struct sdsim_test_card *bench);

/* Powers up and initialises, into transfer state. */
void sdsim_test_card_spi_ready(struct sdsim_test_card *bench,
                               const struct sdsim_card_params *params);
void sdsim_test_card_sd_ready(struct sdsim_test_card *bench,
                              const struct sdsim_card_params *params);

/* A command whose frame ends one microsecond from now; over SPI, and on the SD bus. */
const struct sdsim_reply *sdsim_test_card_command(struct sdsim_test_card *bench, bool selected,
                                                  uint8_t index, uint32_t argument);
static inline const struct sdsim_reply *sdsim_test_card_spi(struct sdsim_test_card *bench,
                                                            uint8_t index, uint32_t argument)
{
    return sdsim_test_card_command(bench, true, index, argument);
}
static inline const struct sdsim_reply *sdsim_test_card_sd(struct sdsim_test_card *bench,
                                                           uint8_t index, uint32_t argument)
{
    return sdsim_test_card_command(bench, false, index, argument);
}

/* R1 of an SPI command, which must be answered. */
uint8_t sdsim_test_card_r1(struct sdsim_test_card *bench, uint8_t index, uint32_t argument);

/* The 32 bits of a reply, and the state a reply on the SD bus tells. */
uint32_t sdsim_test_card_word(const struct sdsim_reply *reply);
enum sdsim_card_state sdsim_test_card_state_of(const struct sdsim_reply *reply);

#endif
