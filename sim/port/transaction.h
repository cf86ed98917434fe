/*
 * A transaction: one exchange between a driver and the card, said in the words of the bus.
 *
 * A driver describes what happens - which command, how many blocks, what is polled until when,
 * which filler bytes surround it - and how its host moves bytes (struct sdsim_spi_engine, struct
 * sdsim_sd_engine): in which bursts, with which dead times. Who carries it out, a port decides
 * (port/port.h); the driver can't tell.
 *
 * The phases of a transaction, in order, each left out when the driver does not ask for it:
 *
 *   SPI  idle bytes with CS high; CS low; lead bytes; wait until ready; command, response; blocks;
 *        stop token; wait until not busy; CS high; trail bytes
 *   SD   wait until ready; command, response; blocks (with an automatic CMD12 if asked); wait until
 *        ready
 *
 * Limits: data blocks of 512 bytes or one register block; a transaction has one command.
 */
#ifndef SDSIM_PORT_TRANSACTION_H
#define SDSIM_PORT_TRANSACTION_H

#include <stdbool.h>
#include <stdint.h>

#include "core/time.h"
#include "flash/medium.h"

/* What a look at the card must show for the wait to end. */
enum sdsim_ready_test {
    SDSIM_READY_ALL_ONES,    /* SPI: a byte is 0xFF */
    SDSIM_READY_NONZERO,     /* SPI: a byte is not 0x00 */
    SDSIM_READY_TWO_NONZERO, /* SPI: two bytes were not 0x00, not necessarily in a row */
    SDSIM_READY_BUSY_SEEN,   /* SPI: a byte is 0x00 (waits for busy to begin) */
    SDSIM_READY_DAT0,        /* SD: the host hardware watches DAT0 */
    SDSIM_READY_STATUS,      /* SD: CMD13 until transfer state and ready for data */
};

/* A wait. One look is one byte (SPI), one CMD13 (SD) or continuous (DAT0). */
struct sdsim_wait {
    enum sdsim_ready_test test;
    sdsim_ps limit; /* give up if a look that began this long after the first fails; 0: never */
    sdsim_ps sleep; /* between two looks; SPI: not for TWO_NONZERO. 0: none ... */
    sdsim_ps sleep_after; /* ... SPI: once the wait has lasted this long. STATUS: each time it has
                             lasted this long, then twice that, and so on. 0: after every look */
    sdsim_ps sleep_most;  /* STATUS: each sleep is twice the one before, as long as that is shorter
                             than this; 0: all alike */
    sdsim_ps tick;        /* a sleep ends at a multiple of this (the operating system's tick); 0: at
                             any time */
    bool soft;            /* running into the limit is no error: the transaction goes on */
};

/* When a sleep of the wait that begins at `now` ends. */
static inline sdsim_ps sdsim_wait_sleep_end(const struct sdsim_wait *wait, sdsim_ps now)
{
    const sdsim_ps end = sdsim_time_sum(now, wait->sleep);
    const sdsim_ps behind = wait->tick > 0 ? end % wait->tick : 0;
    return behind > 0 ? sdsim_time_sum(end, wait->tick - behind) : end;
}

enum sdsim_direction {
    SDSIM_NO_BLOCKS,
    SDSIM_READ_BLOCKS,
    SDSIM_WRITE_BLOCKS,
};

enum sdsim_response {
    SDSIM_RESPONSE_NONE,
    SDSIM_RESPONSE_R1,
    SDSIM_RESPONSE_R2, /* SPI: 2 bytes. SD: 136 bits */
    SDSIM_RESPONSE_R3, /* SPI: 5 bytes. SD: 48 bits. R6 and R7 have the same shape */
};

/* Flags of a transaction. */
enum {
    SDSIM_SELECT = 1 << 0,        /* SPI: CS low before (if it is high) */
    SDSIM_DESELECT = 1 << 1,      /* SPI: CS high after */
    SDSIM_COMMAND = 1 << 2,       /* there is a command; without it an open stream is continued */
    SDSIM_STUFF = 1 << 3,         /* SPI: the stuff byte of CMD12 is part of the command burst */
    SDSIM_STOP_TOKEN = 1 << 4,    /* SPI: after the blocks, stop token FD */
    SDSIM_AUTO_STOP = 1 << 5,     /* SD: the host sends CMD12 after the last block by itself */
    SDSIM_BLOCK_READY = 1 << 6,   /* SPI: wait (engine: block_ready) before each block's token */
    SDSIM_BLOCK_BUSY = 1 << 7,    /* SPI: wait (engine: block_busy) after each data response */
    SDSIM_STOP_READY = 1 << 8,    /* SPI: wait (engine: block_ready) before the stop token */
    SDSIM_LEAVE_BUSY = 1 << 9,    /* SD: does not wait for the end of the last block's busy */
    SDSIM_WRITE_BEHIND = 1 << 10, /* SD: nor for the last block, once the FIFO has it (engine:
                                     fifo); the next transaction does */
};

struct sdsim_transaction {
    uint16_t flags;
    uint8_t idle_bytes;  /* SPI: 0xFF with CS high, before select */
    uint8_t lead_bytes;  /* SPI: 0xFF after CS low */
    uint8_t trail_bytes; /* SPI: 0xFF after CS high */
    uint8_t command;     /* 0..63 */
    uint32_t argument;
    enum sdsim_response response;
    enum sdsim_direction direction;
    uint32_t blocks;
    uint16_t block_bytes;                /* 512, or a register's size when reading one */
    const struct sdsim_wait *ready;      /* before the command, NULL: none */
    const struct sdsim_wait *finish;     /* after everything else, NULL: none */
    const struct sdsim_content *content; /* WRITE: blocks * 512 bytes */
    uint8_t *out;                        /* READ: where the bytes go, or NULL */
};

enum sdsim_outcome {
    SDSIM_OUTCOME_OK,
    SDSIM_OUTCOME_NOT_READY, /* `ready` ran into its limit */
    SDSIM_OUTCOME_NO_RESPONSE,
    SDSIM_OUTCOME_REFUSED,      /* R1 has an error bit; see r1 */
    SDSIM_OUTCOME_NO_DATA,      /* no start token within the limit, or an error token */
    SDSIM_OUTCOME_NOT_ACCEPTED, /* data response says error */
    SDSIM_OUTCOME_STILL_BUSY,   /* a wait after a block or at the end ran into its limit */
};

struct sdsim_result {
    enum sdsim_outcome outcome;
    uint8_t r1;        /* SPI */
    uint8_t extra[16]; /* bytes of the response behind R1 (SPI) or of its content (SD) */
    uint32_t blocks_done;
};

/* The dead time around one transfer call of the host: before its first clock, after its last. */
struct sdsim_burst {
    sdsim_ps before;
    sdsim_ps after;
};

/*
 * How a driver on its host moves bytes over SPI. Lengths are bytes; times are dead time in which
 * SCK stands still. Built once from the host's and the driver's profile.
 */
struct sdsim_spi_engine {
    uint32_t chunk;     /* data goes in pieces of this many bytes (FIFO); 0: all at once (DMA) */
    sdsim_ps chunk_gap; /* between two pieces */

    struct sdsim_burst fill;    /* each idle, lead or trail byte */
    struct sdsim_burst poll;    /* one look: waits for ready, R1 byte by byte */
    struct sdsim_burst command; /* 6 bytes, or 7 with the stuff byte, and the response window */
    struct sdsim_burst extra;   /* response bytes behind R1 */
    struct sdsim_burst token;   /* start token when writing; one look for it when reading */
    struct sdsim_burst data;    /* the block */
    struct sdsim_burst crc;     /* the two CRC bytes, if they are a call of their own */
    struct sdsim_burst reply;   /* data response */
    struct sdsim_burst stop;    /* stop token */
    sdsim_ps select;            /* CS low: lock, set-up */
    sdsim_ps deselect;

    uint8_t response_window; /* bytes clocked behind a command in the same burst (and the
                                extra bytes of longer responses); 0: R1 is polled */
    uint8_t data_window;     /* the same for commands that read blocks */
    uint8_t response_looks;  /* polled R1: most looks before giving up */
    uint8_t token_look;      /* reading: bytes of one look for the token; what follows it is data */
    uint8_t look_ahead;  /* reading: bytes behind a block's CRC in the same burst, scanned for the
                            next token, when more blocks follow */
    uint8_t crc_tail;    /* reading: bytes behind the last block's CRC in the same burst */
    uint8_t late_looks;  /* R1 was not in the window: most looks of one byte for it, in calls of
                            their own; 0: none */
    bool crc_with_data;  /* reading: the CRC is part of the data burst */
    bool reply_with_crc; /* writing: the data response is part of the CRC burst */
    uint8_t stop_bytes;  /* 1: FD; 2: FD and the byte after it, in one burst */

    sdsim_ps late_sleep;           /* between two late looks */
    sdsim_ps token_sleep;          /* reading: after each look for the token that found nothing */
    sdsim_ps token_limit;          /* reading: give up looking for the token */
    struct sdsim_wait block_ready; /* see SDSIM_BLOCK_READY and SDSIM_STOP_READY */
    struct sdsim_wait block_busy;  /* see SDSIM_BLOCK_BUSY */
    sdsim_ps command_cpu;          /* before each command */
    sdsim_ps read_cpu;             /* per block after it arrived, bus idle: CRC check */
    sdsim_ps read_overlap;         /* per block but a transaction's first, work on the one before it
                                      while its data arrives; only what lasts longer is seen */
    sdsim_ps write_overlap;        /* per block, while its data goes out; the same */
    sdsim_ps write_cpu;            /* per block before its token: CRC */
    sdsim_ps write_cpu_after_data; /* per block between data and CRC bytes */
    sdsim_ps copy;                 /* per block, moving it to or from the caller's buffer */
};

/*
 * How a driver on its host works an SD-mode controller: one that moves blocks by DMA, or one whose
 * FIFO the CPU fills and empties, or a bus made by the CPU's own state machines (PIO).
 */
struct sdsim_sd_engine {
    sdsim_ps command_before; /* CPU before the first bit of a command */
    sdsim_ps command_after; /* from the response to the driver's going on: interrupt, task switch */
    sdsim_ps data_after;    /* from the last block (and automatic CMD12) to the driver's going on */
    sdsim_ps status_before; /* the same two for the CMD13s of a wait */
    sdsim_ps status_after;
    sdsim_ps block_gap;   /* reading: after each block, clock stopped */
    sdsim_ps block_start; /* writing: once the card is ready for a block, before it: interrupt,
                             set-up */
    sdsim_ps fifo;     /* per block, the CPU moves the data while it is on the bus; where the CPU is
                             slower the clock waits for it */
    sdsim_ps read_cpu; /* reading: per block after it arrived, while others do: CRC check */
    sdsim_ps write_cpu; /* writing: per block before it can go, while the one before it goes: CRC */
    uint32_t stop_clocks; /* between the last block and an automatic CMD12 */
    sdsim_ps copy;        /* per block, when data is bounced through a buffer */
    bool clock_stops;     /* reading: the clock runs only while the driver takes something, so the
                             first block waits for the response and command_after */
};

#endif
