/*
 * The card: protocol states, registers and stored data, seen command by command.
 *
 * This is the one card of the simulator. A port that solves runs in closed form talks to it in
 * whole commands and blocks; the byte-exact face (card/spi_pins.h) assembles bytes into the same
 * calls. Both therefore get the same answers at the same instants.
 *
 * Every call names the instant at which its cause was complete (the last bit of a command frame,
 * the last bit of a block's CRC). The card answers with instants: when data will be ready, until
 * when it is busy. It never waits and never looks at a clock by itself. What clocks the protocol
 * puts between things (N_CR, N_AC, N_BR) is for the port and the byte face to count; the parameters
 * are here.
 *
 * SPI mode is chosen by CMD0 with CS low. States and legal commands follow section 4.8 and 7 of the
 * SD Physical Layer Simplified Specification. Commands known: 0 1 2 3 4 6 7 8 9 10 11 12 13 15 16 17 18
 * 23 24 25 32 33 38 55 58 59, application commands 6 13 22 23 41 42 51; CMD1, CMD58 and CMD59 in SPI
 * mode only, CMD2, CMD3, CMD4 (no driver stage register: without effect), CMD7, CMD11, CMD15, CMD23
 * and a discard by CMD38 on the SD bus only.
 *
 * Limits: no password lock (CMD42), no write protection (CMD28..30), no programming of the CSD (CMD27),
 * no CMD20, no CMD56: all of them are illegal commands. Blocks are 512 bytes; a
 * CMD16 with another length is a parameter error on SDSC cards, with a greater one on all others,
 * which otherwise ignore it. One card on the bus.
 */
#ifndef SDSIM_CARD_CARD_H
#define SDSIM_CARD_CARD_H

#include <stdbool.h>
#include <stdint.h>

#include "card/faults.h"
#include "card/params.h"
#include "card/registers.h"
#include "flash/flash.h"
#include "flash/medium.h"

enum sdsim_card_state {
    SDSIM_CARD_IDLE,
    SDSIM_CARD_READY,
    SDSIM_CARD_IDENT,
    SDSIM_CARD_STANDBY,
    SDSIM_CARD_TRANSFER,
    SDSIM_CARD_DATA,
    SDSIM_CARD_RECEIVE,
    SDSIM_CARD_PROGRAM,
};

/* Bits of the SPI response R1. */
enum {
    SDSIM_R1_IDLE = 0x01,
    SDSIM_R1_ERASE_RESET = 0x02,
    SDSIM_R1_ILLEGAL = 0x04,
    SDSIM_R1_CRC = 0x08,
    SDSIM_R1_ERASE_SEQUENCE = 0x10,
    SDSIM_R1_ADDRESS = 0x20,
    SDSIM_R1_PARAMETER = 0x40,
};

/* Bits of the SD-mode card status (section 4.10.1). */
#define SDSIM_STATUS_OUT_OF_RANGE   0x80000000u
#define SDSIM_STATUS_ADDRESS        0x40000000u
#define SDSIM_STATUS_BLOCK_LENGTH   0x20000000u
#define SDSIM_STATUS_ERASE_SEQUENCE 0x10000000u
#define SDSIM_STATUS_ERASE_PARAM    0x08000000u
#define SDSIM_STATUS_COM_CRC        0x00800000u
#define SDSIM_STATUS_ILLEGAL        0x00400000u
#define SDSIM_STATUS_ECC_FAILED     0x00200000u
#define SDSIM_STATUS_ERROR          0x00080000u
#define SDSIM_STATUS_ERASE_RESET    0x00002000u
#define SDSIM_STATUS_READY_FOR_DATA 0x00000100u
#define SDSIM_STATUS_APP_CMD        0x00000020u

/* Bits of the second byte of the SPI response R2 (section 7.3.2.3). */
#define SDSIM_R2_OUT_OF_RANGE 0x80u
#define SDSIM_R2_ERASE_PARAM  0x40u
#define SDSIM_R2_ECC_FAILED   0x10u
#define SDSIM_R2_ERROR        0x04u

enum sdsim_card_data {
    SDSIM_DATA_NONE,
    SDSIM_DATA_REGISTER, /* one block from the card: reply.block */
    SDSIM_DATA_READ,     /* blocks from the medium */
    SDSIM_DATA_WRITE,    /* blocks to the medium */
};

struct sdsim_reply {
    bool answered;     /* false: the card stays silent (SD mode, illegal command or wrong state) */
    uint8_t r1;        /* SPI */
    uint8_t extra[16]; /* SPI: bytes behind R1. SD: the 32 bits of R1/R3/R6/R7, or 16 bytes of R2 */
    uint8_t extra_count; /* SPI: 0, 1 or 4. SD: 4 or 16 */
    uint8_t gap;         /* SPI: bytes between frame and R1 (N_CR). SD: clocks (N_CR or N_ID) */
    enum sdsim_card_data data;
    bool multiple;        /* READ, WRITE: until stopped */
    uint16_t block_bytes; /* REGISTER */
    bool busy;            /* R1b: busy until sdsim_card_busy() */
};

struct sdsim_card {
    const struct sdsim_card_params *params; /* not owned */
    struct sdsim_medium *medium;            /* not owned */
    struct sdsim_faults *faults;            /* what shall go wrong; not owned, may be NULL */
    struct sdsim_flash flash;
    enum sdsim_card_state state;
    bool spi;
    bool app;                           /* CMD55 came before */
    bool crc_on;                        /* SPI: CMD59 */
    bool knows_host;                    /* CMD8 was accepted: HCS counts */
    enum sdsim_access_mode access_mode; /* CMD6 */
    bool may_lower;                     /* ACMD41 granted 1.8 V: CMD11 may follow */
    bool low_voltage;                   /* CMD11; until power is off */
    bool slow_edges;                    /* SPI: reselect_clocks or release_clocks */
    uint32_t errors; /* error bits of the card status, kept until told: by any R1 on the SD bus,
                           by R2 over SPI */
    uint8_t width;   /* SD: 1 or 4 */
    uint16_t rca;
    uint32_t sectors;     /* by the CSD */
    uint32_t lba;         /* of the next block of a transfer */
    uint32_t left;        /* blocks until a counted transfer ends by itself; UINT32_MAX: open */
    uint32_t block_count; /* CMD23, for the next command */
    uint32_t announced;   /* ACMD23, for the next write */
    bool refused; /* a block of the write at work was not stored: what still comes is ignored up to
                     its stop (section 4.3.4; for SPI as in the data sheet of the MMC HB28D032MM2,
                     p. 58) */
    uint32_t erase_from;
    uint32_t erase_to;
    uint32_t well_written; /* ACMD22: blocks of the last write transfer */
    sdsim_ps awake_at;    /* hears nothing before; SDSIM_TIME_END: CMD15, until the next power-up */
    uint64_t high_clocks; /* SPI: with CS high, since power-up and before CMD0 */
    sdsim_ps inquired_at; /* the last ACMD41 that only asked; SDSIM_TIME_END: none */
    sdsim_ps init_at;     /* when ACMD41 will say ready; SDSIM_TIME_END before the first */
    struct sdsim_ready busy;           /* programming, or the answer to R1b */
    struct sdsim_ready ready;          /* reading: when the next block's data is there */
    uint8_t block[SDSIM_STATUS_BYTES]; /* register data */
};

/*
 * Powers a card up at time 0. `params` and `medium` (of at least the CSD's capacity) must outlive
 * it. `seed` and `draw` choose the luck of its pauses (flash/flash.h).
 */
void sdsim_card_init(struct sdsim_card *card, const struct sdsim_card_params *params,
                     struct sdsim_medium *medium, uint64_t seed, uint32_t draw);

/* Takes its power away and gives it back at `now`: in SD mode, idle, nothing of a transfer is left.
 * What was stored is, and what was being programmed is taken as done. Pins connected to the card are
 * to be set up anew. */
void sdsim_card_power_up(struct sdsim_card *card, sdsim_ps now);

/* Before it is used: the card was written just before it was powered up, these blocks last. */
void sdsim_card_hold(struct sdsim_card *card, uint32_t lba, uint32_t count);

/* SPI: clocks with CS and MOSI high. Before CMD0 some cards insist on them (wake_clocks). */
static inline void sdsim_card_high_clocks(struct sdsim_card *card, uint64_t clocks)
{
    card->high_clocks += card->spi ? 0 : clocks;
}

/* SD: a command frame came with a wrong CRC; told in the next response. */
static inline void sdsim_card_bad_frame(struct sdsim_card *card)
{
    card->errors |= SDSIM_STATUS_COM_CRC;
}

/* A command frame with a right CRC was received completely at `end`. `selected`: CS was low (it
 * matters for CMD0). In SPI mode a card that is busy answers only CMD0, CMD12 and CMD13. */
void sdsim_card_command(struct sdsim_card *card, sdsim_ps end, bool selected, uint8_t index,
                        uint32_t argument, struct sdsim_reply *reply);

/* What lies between a frame and its response, as in a reply: for answers the card is not asked for.
 */
uint8_t sdsim_card_response_gap(const struct sdsim_card *card, bool selected, uint8_t index);

/* Busy until then; .at <= t means ready at t. */
static inline struct sdsim_ready sdsim_card_busy(const struct sdsim_card *card)
{
    return card->busy;
}

/* Reading: when the data of the next block is there. */
static inline struct sdsim_ready sdsim_card_read_ready(const struct sdsim_card *card)
{
    return card->ready;
}

/* Reading: true if the next block lies beyond the card's end, so that an error token (or, in SD
 * mode, nothing) comes instead. */
bool sdsim_card_read_beyond(const struct sdsim_card *card);

/* Tells of it, in the card status. */
static inline void sdsim_card_out_of_range(struct sdsim_card *card)
{
    card->errors |= SDSIM_STATUS_OUT_OF_RANGE;
}

/* The bytes of the next block. */
void sdsim_card_read_bytes(const struct sdsim_card *card, uint8_t out[SDSIM_SECTOR]);

/* `count` blocks from the next one on, straight from the medium; `out` may be NULL. */
void sdsim_card_read_many(const struct sdsim_card *card, uint32_t count, uint8_t *out);

/* The next block has left the card completely at `end`. */
void sdsim_card_read_done(struct sdsim_card *card, sdsim_ps end);

/* After a block is done: how many of the next `most` are ready exactly rdn after their forerunner's
 * end. Fewer than that many can be skipped: they leave the card like the last one did, all instants
 * later by `span`. */
uint32_t sdsim_card_read_alike(const struct sdsim_card *card, uint32_t most);
void sdsim_card_read_skip(struct sdsim_card *card, uint32_t blocks, sdsim_ps span);

/* How many of the next `most` blocks come like that one after another, but for the first: all but
 * the last can be skipped, their time with the last one. Each is ready so long after its forerunner's
 * end. */
uint32_t sdsim_card_read_run(const struct sdsim_card *card, uint32_t most);
static inline sdsim_ps sdsim_card_read_step(const struct sdsim_card *card)
{
    return sdsim_flash_read_step(&card->flash);
}

/* A fault: the next block can't be read (ECC), or one that arrived not be stored. Told in the card
 * status; the read of a single block is over. */
void sdsim_card_read_failed(struct sdsim_card *card);
void sdsim_card_write_failed(struct sdsim_card *card);

/* Writing: a block with a right CRC has arrived completely at `end`; false: refused (beyond the
 * end, or behind one that was refused), nothing stored, not busy. False also without memory for the
 * medium. */
bool sdsim_card_write_block(struct sdsim_card *card, sdsim_ps end,
                            const struct sdsim_content *content);

/* How many of the next `most` blocks are busy exactly wn after their end. That many can be skipped:
 * they arrive like the last one did, all instants later by `span`. False without memory. */
uint32_t sdsim_card_write_alike(const struct sdsim_card *card, uint32_t most);
bool sdsim_card_write_skip(struct sdsim_card *card, uint32_t blocks, sdsim_ps span,
                           const struct sdsim_content *content);

/* The same, whatever the last one was like: the last of them has arrived completely at `end`. */
bool sdsim_card_write_many(struct sdsim_card *card, uint32_t blocks, sdsim_ps end,
                           const struct sdsim_content *content);

/* SPI: the stop token FD was received at `end`. (In SD mode and for reads CMD12 ends a transfer.)
 */
void sdsim_card_stop_token(struct sdsim_card *card, sdsim_ps end);

/* What CMD13 would tell at `now`, SD-mode coding. */
uint32_t sdsim_card_status(const struct sdsim_card *card, sdsim_ps now);

/* For ports that solve a wait for CMD13 to say ready: a CMD13 was answered, which forgets what it
 * has told. */
static inline void sdsim_card_status_told(struct sdsim_card *card)
{
    card->app = false;
    card->block_count = 0;
    card->errors = 0;
}

#endif
