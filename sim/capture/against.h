/*
 * A recorded exchange against a simulated card: what the host sent goes to the byte-exact card, and
 * each of its answers is held against the recorded one.
 *
 *     for (pass = SDSIM_AGAINST_LOOK; pass <= SDSIM_AGAINST_REPLAY; pass++) {
 *         sdsim_against_begin(&against, pass);
 *         sdsim_exchange_read(..., &against.sink, ...);
 *         sdsim_against_end(&against);
 *     }
 *
 * The first pass looks at what the record needs. If it does not begin with CMD0, the card is reset
 * before it, and initialised if the recorded one was.
 *
 * Compared are the bytes of responses and data response tokens, command by command. How long anything
 * took is not: the simulated card answers as soon as the recorded one did, and its time jumps over
 * busy, access and initialisation where the recorded card was ready before it. Data that was read
 * is not compared either.
 *
 * Limits: the first 16 differences are kept.
 */
#ifndef SDSIM_CAPTURE_AGAINST_H
#define SDSIM_CAPTURE_AGAINST_H

#include "capture/exchange.h"
#include "capture/item.h"
#include "capture/spi_decoder.h"
#include "card/spi_pins.h"

enum {
    SDSIM_AGAINST_DIFFERENCES = 16,
    SDSIM_AGAINST_BYTES = 6, /* of an answer: a response and the first data response */
};

enum sdsim_against_pass {
    SDSIM_AGAINST_LOOK,
    SDSIM_AGAINST_REPLAY,
};

/* What came of a command. */
struct sdsim_against_answer {
    uint8_t bytes[SDSIM_AGAINST_BYTES];
    uint8_t count; /* 0: no answer */
    bool r1_alone; /* the record has no more than R1 */
};

struct sdsim_against_difference {
    uint64_t at;
    uint8_t index;
    bool app;
    struct sdsim_against_answer recorded;
    struct sdsim_against_answer simulated;
};

/* One of the two cards, as a decoder hears it. */
struct sdsim_against_side {
    struct sdsim_item_listener listener; /* first */
    struct sdsim_spi_decoder decoder;
    uint64_t commands;
    uint32_t least_gap; /* N_CR */
    uint64_t at;        /* of the last command */
    uint8_t index;
    bool app;
    bool undefined; /* the next byte is the one behind a stop token */
    struct sdsim_against_answer answer;
    struct sdsim_against_answer before; /* of the command before the last */
};

struct sdsim_against {
    struct sdsim_exchange_sink sink; /* first: it takes an exchange */
    struct sdsim_card_params params; /* with the gaps of the record */
    struct sdsim_medium *medium;
    enum sdsim_against_pass pass;
    /* found by looking */
    bool begun_before; /* the first command is not CMD0 */
    bool begun_idle;   /* and its answer has the idle bit */
    bool at_once;      /* the first ACMD41 was answered 00 */
    uint64_t inits;    /* ACMD41s up to that one */
    uint64_t ready_at; /* number of the ACMD41 that was answered 00, from 1; 0: none */
    /* the replay */
    struct sdsim_card card;
    struct sdsim_spi_pins pins;
    sdsim_ps offset; /* from the record's times to the card's */
    struct sdsim_against_side recorded;
    struct sdsim_against_side simulated;
    uint64_t compared;
    uint64_t different;
    struct sdsim_against_difference differences[SDSIM_AGAINST_DIFFERENCES];
};

/* What `params` points to must outlive it. False without memory; sdsim_against_free takes it then, too. */
bool sdsim_against_init(struct sdsim_against *against, const struct sdsim_card_params *params);
void sdsim_against_free(struct sdsim_against *against);

void sdsim_against_begin(struct sdsim_against *against, enum sdsim_against_pass pass);
void sdsim_against_end(struct sdsim_against *against);

#endif
