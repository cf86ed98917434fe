/*
 * What makes one card differ from another: the parameters of a card profile, in base units.
 *
 * Filled by binding a profile (card/profile.h), or by hand in a test. Models read it, nobody changes it.
 */
#ifndef SDSIM_CARD_PARAMS_H
#define SDSIM_CARD_PARAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "config/schema.h"
#include "core/time.h"
#include "flash/flash.h"

enum sdsim_card_type {
    SDSIM_SDSC, /* byte addresses, up to 2 GiB */
    SDSIM_SDHC, /* block addresses, up to 32 GiB */
    SDSIM_SDXC, /* block addresses, above 32 GiB */
};

enum sdsim_card_version {
    SDSIM_VERSION_LATEST, /* as 3.00 */
    SDSIM_VERSION_1_00,   /* no CMD6, no CMD8 */
    SDSIM_VERSION_1_10,   /* CMD6 */
    SDSIM_VERSION_2_00,   /* CMD8 */
    SDSIM_VERSION_3_00,   /* CMD23 */
};

/* What the card leaves on MISO until the first CMD0 with CS low, wherever CS is. */
enum sdsim_first_do {
    SDSIM_DO_HIGH,     /* pulled up */
    SDSIM_DO_LOW,      /* held low */
    SDSIM_DO_FLOATING, /* not driven, and no pull-up: it follows MOSI next to it */
};

/* The byte behind CMD12 in SPI mode. */
enum sdsim_stuff_byte {
    SDSIM_STUFF_FF,
    SDSIM_STUFF_7F, /* looks like R1 with all errors */
    SDSIM_STUFF_00, /* looks like R1 without any */
};

/* In what condition a card is. Its factors are applied to the values of a fresh one when a profile
 * is bound; models see the result. */
enum sdsim_card_wear {
    SDSIM_CARD_FRESH,
    SDSIM_CARD_USED,         /* longer pauses */
    SDSIM_CARD_FULL,         /* all writes a little slower */
    SDSIM_CARD_HOUSEKEEPING, /* every commit slow, for a whole session */
    SDSIM_CARD_POWER_UP,     /* pauses with the first writes */
};

struct sdsim_card_params {
    int version;          /* enum sdsim_card_version: of the specification it follows */
    int type;             /* enum sdsim_card_type */
    uint64_t capacity;    /* bytes, as the card says */
    uint64_t real_bytes;  /* bytes it can really store; 0: as many as it says. Writes beyond are
                             dropped, reads there give 0xFF (the "limbo" kind of fake) */
    uint64_t spi_hz;      /* highest clock in SPI mode and default speed */
    uint64_t high_hz;     /* highest clock after CMD6 to high speed in SD mode; 0: no high speed */
    uint64_t uhs_hz;      /* highest clock at 1.8 V in SD mode: 100 MHz SDR50, 208 MHz SDR104; 0: no
                             UHS-I */
    uint64_t n_cr;        /* SPI: bytes between command and response, 0..8 */
    uint64_t n_ac;        /* SPI: least bytes between response and start token, 0..8 */
    uint64_t n_br;        /* SPI: bytes between stop token and busy, 0..1 */
    uint64_t n_cr_clocks; /* SD: clocks between command and response, 2..64 */
    uint64_t n_br_clocks; /* SD: clocks between the CRC status of a block and busy, 0..1 */
    int stuff_byte;       /* SPI: enum sdsim_stuff_byte */
    int first_do;         /* SPI: enum sdsim_first_do */
    uint64_t wake_clocks; /* SPI: clocks with CS and MOSI high it needs before CMD0 */
    uint64_t release_clocks;  /* SPI: clocks behind CS high in which MISO is still driven, 0..1 */
    uint64_t reselect_clocks; /* SPI: clocks behind CS low before a busy shows, 0..1 */
    bool ccs_while_busy;      /* the OCR tells block addressing before initialisation is over */
    bool lenient_in_idle;     /* SPI: what must wait for initialisation is answered 01, not 05 */
    sdsim_ps power_up_time;   /* hears nothing for so long */
    sdsim_ps inquiry_gap;     /* an ACMD41 sooner behind one that only asked: never gets ready */
    sdsim_ps init_time;       /* first ACMD41 to ready */
    uint64_t speed_class;     /* 0, 2, 4, 6, 10 */
    uint64_t uhs_grade;       /* 0, 1, 3 */
    uint64_t video_class;     /* 0, 6, 10, 30, 60, 90 */
    uint64_t app_class;       /* 0, 1, 2 */
    uint64_t au_bytes;
    uint64_t erase_aus;     /* N_ERASE of the SD status */
    uint64_t erase_seconds; /* T_ERASE */
    uint64_t erase_offset;  /* T_OFFSET */
    uint64_t maker;         /* MID of the CID */
    const char *oem;        /* two characters */
    const char *product;    /* up to five characters */
    uint64_t serial;
    struct sdsim_flash_params flash;
    bool busy_limit_given;     /* in the profile; else it follows from the type */
    struct sdsim_list mixture; /* of const struct sdsim_node *; setup resolves them */
    int wear;                  /* enum sdsim_card_wear */
    double used_pause;         /* factor of pauses when used */
    double full_write;         /* factor of write times and pauses when full */
    double housekeeping;       /* factor of w1 in housekeeping; other commits take as much more */
    struct sdsim_list matches; /* of const char *: names under which the card was measured */
};

/* The version in force, never LATEST. */
static inline enum sdsim_card_version sdsim_card_version(const struct sdsim_card_params *params)
{
    return params->version == SDSIM_VERSION_LATEST ? SDSIM_VERSION_3_00
                                                   : (enum sdsim_card_version)params->version;
}

/* CMD23: from version 3.00 on, but not on SDSC cards (section 4.15). */
static inline bool sdsim_card_counts_blocks(const struct sdsim_card_params *params)
{
    return params->type != SDSIM_SDSC && sdsim_card_version(params) >= SDSIM_VERSION_3_00;
}

#endif
