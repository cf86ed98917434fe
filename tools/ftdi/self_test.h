/*
 * Wiring self-test: what of chip, wires and card works, before anything depends on it.
 *
 *   loop-back   bytes through the chip and back, inside it: USB and the MPSSE are fine
 *   SCK, MOSI,  each driven low and high and released, with the others released: finds shorts to ground,
 *   CS          to 3.3 V and to each other, and lines that stay low without a pull-up
 *   MISO        must be high while the card isn't selected
 *   card        must answer CMD0 with R1 = 01, at 400 kHz
 *
 * Writes nothing to the card. What is clocked while the card may still be in SD mode, where it listens
 * to MOSI as its CMD line without regard to CS, holds no valid command.
 *
 * Limits: the chip has weak pull-ups of its own, so a missing pull-up is found only where something
 * pulls down; a wire that is missing shows as a card that doesn't answer.
 */
#ifndef SDSIM_FTDI_SELF_TEST_H
#define SDSIM_FTDI_SELF_TEST_H

#include "link.h"

enum sdsim_self_test_item {
    SDSIM_SELF_LOOP,
    SDSIM_SELF_SCK,
    SDSIM_SELF_MOSI,
    SDSIM_SELF_CS,
    SDSIM_SELF_MISO,
    SDSIM_SELF_CARD,
    SDSIM_SELF_TESTS,
};

struct sdsim_self_test_row {
    const char *name;
    bool fine;
    char text[160]; /* what was found; what to look for */
};

struct sdsim_self_test {
    struct sdsim_self_test_row rows[SDSIM_SELF_TESTS];
    bool fine; /* all of them */
};

/* Runs all of it; leaves the chip at 400 kHz, CS high. False: the link failed, and says why. */
bool sdsim_self_test(struct sdsim_link *link, struct sdsim_self_test *test);

/* The bytes of the loop-back, for those who check that no command is in them. */
#define SDSIM_SELF_TEST_BYTES 64
void sdsim_self_test_pattern(uint8_t bytes[SDSIM_SELF_TEST_BYTES]);

#endif
