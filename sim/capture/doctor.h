/*
 * The protocol doctor: what happened on an SPI or SD bus, in words, and what was wrong with it.
 *
 * It listens to the items of a decoder (item.h), whatever they were made from, keeps a picture of
 * what the card must be in, and does two things with them:
 *
 *  - Steps: each command with all that came of it - response, blocks, busy - is put together and
 *    told when it is complete. Steps that repeat, alone or in pairs (CMD55 and ACMD41), are told
 *    once, with a count.
 *  - Findings: a table of rules, one function each, looks at every item and at the end of the record.
 *    A rule that is violated is found once, at its first place, and counted. The two buses have a
 *    table each (doctor_rules.c, doctor_sd_rules.c).
 *
 *     struct sdsim_doctor doctor;
 *     sdsim_doctor_init(&doctor, &source, &steps);
 *     sdsim_spi_decoder_init(&decoder, &doctor.listener, source.timed);  ... bytes ...
 *     sdsim_spi_decoder_end(&decoder);
 *     sdsim_doctor_end(&doctor);
 *     for (i < sdsim_doctor_book(source.sd)->count) sdsim_doctor_finding(&doctor, i)
 *
 * Severity: an error breaks the exchange, or would with another card; a warning is a risk; a note
 * explains. A record that is in order has no errors and no warnings. How sure a finding is stands
 * with it: what only looks like a fault says so.
 *
 * Limits: one card; memory is constant, so details of a violation are kept for its first place only.
 */
#ifndef SDSIM_CAPTURE_DOCTOR_H
#define SDSIM_CAPTURE_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/item.h"
#include "core/diag.h"

enum {
    SDSIM_DOCTOR_MOST_RULES = 80,
    SDSIM_DOCTOR_TEXT = 320, /* of a finding */
    SDSIM_DOCTOR_KEPT = 8,   /* stray bytes of a step */
    SDSIM_DOCTOR_RESPONSE = 17,
};

/* What the record is, for wording and for what cannot be known. */
struct sdsim_doctor_source {
    const char *unit;  /* what item.at counts: "line", "sample", "byte" */
    bool sd;           /* an SD bus, not SPI */
    bool sampled;      /* pins were recorded, so that nothing found may mean nothing understood */
    bool timed;        /* items have times */
    bool cs_known;     /* SPI: CS was recorded, not assumed */
    bool card_unknown; /* part of the card's side was not recorded; SD: DAT0 was not */
};

/* ---- steps ---- */

/* Blocks of a step. */
struct sdsim_doctor_blocks {
    uint32_t count;    /* complete ones */
    uint32_t cut;      /* given up before their end */
    uint32_t cut_size; /* bytes of the last of those */
    uint32_t size;     /* of the last complete one */
    uint32_t crc[SDSIM_ITEM_CRC_MISSING + 1];
    uint32_t least_gap; /* N_AC or N_WR */
    uint32_t most_gap;
};

/* A command and what came of it; or bytes that belong to no command. */
struct sdsim_doctor_step {
    uint64_t at;
    sdsim_ps start;
    sdsim_ps end;
    bool sd;
    bool is_command; /* false: clocks or bytes before the first command, or with CS high */
    bool deselected;
    bool busy;
    uint8_t index;
    bool app;
    uint32_t argument;
    enum sdsim_item_crc crc;
    uint8_t frame_crc; /* the byte */

    uint8_t response[SDSIM_DOCTOR_RESPONSE]; /* on the SD bus the whole frame */
    uint8_t response_count;
    enum sdsim_item_crc response_crc;
    bool response_open;
    bool no_response;
    uint32_t response_gap; /* or how long the host looked */

    struct sdsim_doctor_blocks read;
    struct sdsim_doctor_blocks written;
    bool no_data;
    uint32_t no_data_gap;
    uint8_t error_token; /* 0: none */
    uint32_t accepted;   /* data responses */
    uint32_t refused;
    uint8_t refusal; /* the last data response that did not accept */
    bool stopped;    /* by a stop token */

    uint64_t busy_bytes; /* of all busies; on the SD bus clocks */
    sdsim_ps busy_longest;
    bool busy_open;

    uint64_t idle_clocks; /* with CS high behind it, or with all lines high */
    uint64_t high_odd;    /* bytes among those with MOSI not FF */
    uint64_t polls;       /* CS frames with nothing but FF behind it */
    uint64_t low_clocks;  /* not a command: clocks with CS low that meant nothing */
    uint64_t host_strays;
    uint64_t card_strays;
    uint8_t host_stray[SDSIM_DOCTOR_KEPT];
    uint8_t card_stray[SDSIM_DOCTOR_KEPT];
};

/* Who wants steps. */
struct sdsim_doctor_steps {
    void (*step)(struct sdsim_doctor_steps *steps, const struct sdsim_doctor_step *step);
    /* The last `length` (1 or 2) steps came `times` times more, the last ending at `end`. */
    void (*again)(struct sdsim_doctor_steps *steps, unsigned length, uint64_t times, sdsim_ps end);
};

/* ---- findings ---- */

enum sdsim_doctor_confidence {
    SDSIM_DOCTOR_POSSIBLE,
    SDSIM_DOCTOR_LIKELY,
    SDSIM_DOCTOR_SURE,
};

/* What is found, in the table of rules. */
struct sdsim_doctor_case;
struct sdsim_doctor_rule {
    const char *name; /* "acmd41-not-repeated" */
    enum sdsim_severity severity;
    const char *title;
    const char *why;  /* with its source */
    const char *mend; /* what to do */
    void (*check)(struct sdsim_doctor_case *c);
};

struct sdsim_doctor_finding {
    const struct sdsim_doctor_rule *rule;
    enum sdsim_doctor_confidence confidence;
    uint64_t count; /* 0: not found */
    uint64_t at;
    sdsim_ps time; /* if the source is timed */
    char text[SDSIM_DOCTOR_TEXT];
};

/* The rules of a bus. */
struct sdsim_doctor_book {
    const struct sdsim_doctor_rule *rules;
    size_t count; /* at most SDSIM_DOCTOR_MOST_RULES */
};
const struct sdsim_doctor_book *sdsim_doctor_book(bool sd);

/* "possible", "likely", "sure" */
const char *sdsim_doctor_confidence_name(enum sdsim_doctor_confidence confidence);

/* ---- the bus, as the rules see it ---- */

/* A command and its response. */
struct sdsim_doctor_asked {
    bool known;
    uint8_t index;
    bool app;
    uint32_t argument;
    bool busy;
    bool answered;
    bool moved;      /* a block of it, or part of one */
    bool silent;     /* NO_RESPONSE was told */
    bool given_over; /* the record ended while it was awaited */
    uint32_t looked;
    uint8_t r1;
    uint64_t at;
    sdsim_ps start;
    enum sdsim_item_crc crc;
};

enum sdsim_doctor_version {
    SDSIM_DOCTOR_VERSION_UNKNOWN,
    SDSIM_DOCTOR_VERSION_1, /* CMD8 is illegal */
    SDSIM_DOCTOR_VERSION_2,
};

/* What only an SD bus has. */
struct sdsim_doctor_sd_bus {
    bool rca_known; /* CMD3 was answered */
    uint16_t rca;
    bool standby;        /* CMD3 was answered, and CMD7 has not selected the card since */
    bool probed;         /* a probe was not answered, and no status has told of it since */
    bool awaited;        /* a block that was asked for has not come */
    bool wide;           /* ACMD6 to 4 lines was accepted */
    bool switched;       /* CMD6 to a faster access mode than default was sent last */
    bool reads;          /* the transfer last begun is one from the card */
    uint32_t set_count;  /* CMD23: blocks of the next command, 0: open */
    bool status_due;     /* a block was written, and its CRC status has not come */
    uint32_t moved;      /* blocks of the transfer so far */
    uint64_t narrow;     /* blocks of data commands over one line */
    sdsim_ps read_start; /* of the last CMD17 or CMD18, and place and index of it; 0: none yet */
    uint64_t read_at;
    uint8_t read_index;
};

struct sdsim_doctor_bus {
    uint64_t commands; /* seen by the card */
    uint64_t responses;
    uint64_t idle_clocks; /* with CS high before the first command */
    uint64_t idle_odd;    /* bytes among them with MOSI not FF */
    uint64_t busy_bytes;
    bool unseen;            /* the last command had CS high */
    bool cut;               /* the record ended in the middle of something */
    bool was_ready;         /* ACMD41 or CMD1 said so, and no CMD0 since */
    bool crc_on;            /* CMD59 */
    bool length_set;        /* CMD16 */
    bool reset;             /* CMD0 is in the record */
    uint64_t silent_resets; /* CMD0s that were not answered; the first: */
    uint32_t silent_looked;
    uint64_t silent_at;
    sdsim_ps silent_start;
    enum sdsim_doctor_version version;
    bool ocr_seen;
    bool ocr_known; /* one with bit 31, so that bit 30 means something */
    uint32_t ocr;
    bool csd_known;
    uint8_t csd[16];
    unsigned inits; /* ACMD41s since CMD0 */
    unsigned inits_answered;
    bool init_with_hcs;
    bool old_init; /* CMD1 */
    uint8_t init_r1;
    sdsim_ps init_first;
    sdsim_ps init_last;
    sdsim_ps init_gap; /* the longest between two */
    uint64_t init_at;
    unsigned last_inits; /* of the last initialisation with an ACMD41, for a summary */
    sdsim_ps last_init_time;
    bool last_init_ready;
    struct sdsim_doctor_asked asked;
    /* transfers */
    bool open_read;      /* CMD18 until CMD12 */
    bool open_write;     /* CMD25 until FD */
    bool after_stop;     /* FD was the last thing, CS stayed low, no busy since */
    bool answer_missing; /* a written block without its data response */
    enum sdsim_item_crc block_crc;
    struct sdsim_item pending; /* a READ_BLOCK, WRITE_BLOCK or RESPONSE that was cut: what follows
                                  says by what. Without bytes. CUT: none */
    uint32_t pending_block;    /* bytes a whole block has */
    /* what the card showed while it was asked */
    uint64_t strays;
    uint8_t stray_first;
    uint8_t stray_last;
    uint64_t blocks_read;
    uint64_t blocks_written;
    /* addresses of data commands */
    unsigned addresses;
    unsigned addresses_by_512; /* of those, how many are multiples of 512 */
    unsigned steps_of_512;     /* and how many are 512 behind the one before */
    uint32_t last_address;
    struct sdsim_doctor_sd_bus sd;
};

struct sdsim_doctor {
    struct sdsim_item_listener listener; /* first: a doctor is a listener */
    struct sdsim_doctor_source source;
    struct sdsim_doctor_steps *steps; /* may be NULL */
    struct sdsim_doctor_bus bus;
    struct sdsim_doctor_finding findings[SDSIM_DOCTOR_MOST_RULES];
    /* steps under way */
    bool in_step;
    bool fresh; /* CS went low, and nothing came since */
    struct sdsim_doctor_step step;
    struct sdsim_doctor_step told[2]; /* the last two: [1] is the last */
    unsigned told_count;
    unsigned repeat_length; /* 0: nothing repeats */
    uint64_t repeated;      /* steps so far */
    sdsim_ps repeated_until;
};

/* `steps` may be NULL. Nothing is owned. */
void sdsim_doctor_init(struct sdsim_doctor *doctor, const struct sdsim_doctor_source *source,
                       struct sdsim_doctor_steps *steps);

/* The record is over: the last step is told and the rules have a last look. */
void sdsim_doctor_end(struct sdsim_doctor *doctor);

/* What rule `i` found; count 0: nothing. */
const struct sdsim_doctor_finding *sdsim_doctor_finding(const struct sdsim_doctor *doctor,
                                                        size_t i);

/* How many rules of at least this severity found something. */
size_t sdsim_doctor_found(const struct sdsim_doctor *doctor, enum sdsim_severity least);

#endif
