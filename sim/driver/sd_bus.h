/*
 * For the files of SD-mode drivers only: what they have in common.
 *
 * Identification is the same everywhere but for delays and what is read on the way; a call is often
 * moved in several commands, because of the buffer or a limit of the controller; and a command with
 * its blocks differs in its waits and in how it ends.
 */
#ifndef SDSIM_DRIVER_SD_BUS_H
#define SDSIM_DRIVER_SD_BUS_H

#include "driver/internal.h"

/* How a driver identifies a card. */
struct sdsim_sd_identification {
    sdsim_ps after_reset; /* sleep after CMD0 */
    sdsim_ps retry;       /* sleep after each ACMD41 that says "not yet" */
    bool registers;       /* reads SCR and SD status */
    bool high_speed;      /* CMD6 if the clock asked for is above 25 MHz */
    bool uhs;             /* 1.8 V (CMD11) and SDR50 or SDR104 if the card grants them and the clock
                             asked for is above 50 MHz */
};

/*
 * CMD0 to the transfer state: CMD8, ACMD41 for at most 1 s, CMD2, CMD3, CMD9, CMD7, ACMD6 on four
 * lines, CMD16 for cards with byte addresses, and what `how` adds; then the full clock.
 */
enum sdsim_driver_error sdsim_sd_identify(struct sdsim_driver *driver, sdsim_ps *now,
                                          const struct sdsim_sd_identification *how);

/* Clock requests of drivers that switch to high speed (CMD6): 50 MHz is for cards that have it. */
uint64_t sdsim_sd_request(uint64_t asked_hz, const struct sdsim_card_params *card);
/* And of those that go on to the UHS-I modes. */
uint64_t sdsim_sd_request_uhs(uint64_t asked_hz, const struct sdsim_card_params *card);

/* Blocks to be moved: some of a call. */
struct sdsim_sd_part {
    uint32_t lba;
    uint32_t count;
    const struct sdsim_content *content; /* NULL: read */
    uint8_t *out;                        /* read: or NULL */
};

/*
 * The `read` and `write` of classes with a `move`: calls it for the parts of a call, in order, each
 * as large as the buffer (bounce_blocks) and the controller (most_blocks) allow, and charges `call`
 * for each; ends with the first that fails.
 */
enum sdsim_driver_error sdsim_sd_read(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba,
                                      uint32_t count, uint8_t *out);
enum sdsim_driver_error sdsim_sd_write(struct sdsim_driver *driver, sdsim_ps *now, uint32_t lba,
                                       uint32_t count, const struct sdsim_content *content);

/* CMD17 and CMD24 for one block, CMD18 and CMD25 for more. */
uint8_t sdsim_sd_block_command(const struct sdsim_sd_part *part);

/* Whether CMD23 goes before it, in place of a CMD12 behind it: the profile says so (block_count), and
 * the card's SCR that it knows it. */
bool sdsim_sd_counted(const struct sdsim_driver *driver, const struct sdsim_sd_part *part);

/* How a part is moved. */
struct sdsim_sd_manner {
    uint8_t command; /* 0: the open stream goes on */
    unsigned flags;  /* beside SDSIM_COMMAND */
    const struct sdsim_wait *ready;
    const struct sdsim_wait *finish;
};

bool sdsim_sd_move(struct sdsim_driver *driver, sdsim_ps *now, const struct sdsim_sd_part *part,
                   const struct sdsim_sd_manner *manner);

/* CMD12 and a wait, which may be NULL. */
bool sdsim_sd_stop(struct sdsim_driver *driver, sdsim_ps *now, const struct sdsim_wait *finish);

/* A wait without a command, or two in a row; each may be NULL. */
bool sdsim_sd_wait(struct sdsim_driver *driver, sdsim_ps *now, const struct sdsim_wait *first,
                   const struct sdsim_wait *second);

/* A command with R1. */
bool sdsim_sd_plain(struct sdsim_driver *driver, sdsim_ps *now, uint8_t index, uint32_t argument);

/* CMD55 and the application command `index`. */
bool sdsim_sd_app(struct sdsim_driver *driver, sdsim_ps *now, uint8_t index, uint32_t argument);

/* The CPU time of moving one block through a FIFO in bursts: costs chunk and chunk_gap. */
sdsim_ps sdsim_sd_fifo(const struct sdsim_driver_costs *costs);

/* An engine whose commands and transfers cost `command` before and `wake` after, and whose blocks
 * have `bulk` between them. */
struct sdsim_sd_engine sdsim_sd_engine_of(const struct sdsim_driver *driver);

static inline enum sdsim_driver_error sdsim_sd_error(bool done)
{
    return done ? SDSIM_DRIVER_OK : SDSIM_DRIVER_FAILED;
}

#endif
