/*
 * The port on a real card: transactions through an FT232H.
 *
 * It is the byte-exact port (port/wire.h) with a line (line.h) in the place of the simulated card, so
 * the same driver code runs on both and the same bytes go over the bus. What the port adds is what USB
 * makes necessary:
 *
 *  - It tells the line how much will be looked at. A read is one batch, command and all its blocks: the
 *    response comes within 8 bytes, and the time to the first block is guessed by those before. A
 *    second batch brings what that missed. So is a write of a block, with the first look for the end of
 *    its busy, if no harm can come of sending data before the card has said yes (mpsse_ahead.h). Each
 *    further block of a stream is one more: how long the card is busy before it nobody knows.
 *  - It checks what drivers don't: the CRC of every block that is read (the card is told to check as
 *    well, with CMD59), and that a card is idle only until it is initialised. What goes wrong - a bit,
 *    a USB transfer - is repeated from the block on that did not arrive, up to SDSIM_MPSSE_TRIES times
 *    without getting ahead.
 *  - It lets the card see the time that passes for the driver between bytes, as clocks with nothing to
 *    say. So the time of the port, bus time, is counted in clock edges, and the card has had it.
 *
 * Of failed attempts the time stays in the account; `spoiled` says that the last transaction had one, so
 * that it is no sample of anything.
 *
 * Limits: SPI. What USB lets the bus stand still the card has in addition, bus time does not show; see
 * host_time. The clock is the next possible one at or below what the driver sets.
 */
#ifndef SDSIM_FTDI_MPSSE_PORT_H
#define SDSIM_FTDI_MPSSE_PORT_H

#include "line.h"
#include "port/wire.h"

enum { SDSIM_MPSSE_TRIES = 4 };

/* What a byte from the host belongs to. */
enum sdsim_mpsse_phase {
    SDSIM_MPSSE_BETWEEN,  /* nothing, or a wait for the card to be ready */
    SDSIM_MPSSE_FRAME,    /* a command */
    SDSIM_MPSSE_RESPONSE, /* what follows one */
    SDSIM_MPSSE_DATA,     /* a block that is written */
    SDSIM_MPSSE_BUSY,     /* what follows a written block or a stop token */
};

/* What a card is busy after; each has its own expectation. */
enum sdsim_mpsse_busy {
    SDSIM_MPSSE_LONE, /* the block of CMD24 */
    SDSIM_MPSSE_STREAM,
    SDSIM_MPSSE_STOP,
    SDSIM_MPSSE_LEFT, /* of either, when the next command is due */
    SDSIM_MPSSE_BUSIES
};

/* What went wrong and was repeated. */
struct sdsim_mpsse_faults {
    uint64_t transfers;  /* of the link */
    uint64_t blocks;     /* wrong CRC of a block that was read */
    uint64_t refusals;   /* a response that was none, or said no */
    uint64_t rejections; /* a block that was written and not accepted */
    uint64_t misjudged;  /* a card that was taken to be ready */
};

struct sdsim_mpsse_port {
    struct sdsim_wire wire; /* first: it is a port */
    const struct sdsim_port_ops *wire_ops;
    struct sdsim_wire_remote remote;
    struct sdsim_line line;
    struct sdsim_card card; /* a stand-in: knows only whether CMD55 came before */
    struct sdsim_card_params card_params;

    /* the transaction at work */
    const struct sdsim_transaction *tx;
    const struct sdsim_result *result;
    enum sdsim_mpsse_phase phase;
    sdsim_ps at; /* the last byte ended */
    uint8_t last_command;
    bool last_app;
    uint32_t left;       /* bytes of a frame or block still to come */
    uint32_t searched;   /* bytes looked at since the command, until the start token */
    bool fresh;          /* nothing was looked at since something new is waited for */
    bool responded;      /* the response to the command has come */
    bool searching;      /* the blocks of a read are on their way ... */
    bool first_block;    /* ... none of them has begun yet */
    uint32_t block_left; /* bytes of one that has begun */
    enum sdsim_mpsse_busy busy_of;
    uint32_t looked; /* bytes looked at since a written block, a stop token, or an edge of CS */
    bool bad_crc;    /* of a block read in this transaction */
    bool selected_before;
    bool no_guessing; /* was wrong once in this transaction */

    /* the card */
    bool crc_on;      /* CMD59 was said yes to */
    bool known_ready; /* was seen ready, and was given nothing to do since */
    bool initialised; /* ACMD41 has ended */
    uint32_t stride;  /* of addresses: 1 or 512 */
    bool reading;     /* CMD18 or CMD25 is open, and the next address of it is `next` */
    bool writing;
    uint32_t next;

    /* expectations, in bytes */
    uint32_t access;
    uint32_t busy[SDSIM_MPSSE_BUSIES]; /* the shorter of the last two, so that a pause does not
                                              make the host look far ahead */
    uint32_t last_busy[SDSIM_MPSSE_BUSIES];
    uint32_t ahead; /* blocks the caller will ask for in the transactions behind this one */

    struct sdsim_mpsse_faults faults;
    bool spoiled; /* the last transaction was repeated in part */
    bool dead;    /* the link has a lasting fault: nothing works any more */
    uint8_t *scratch;
    size_t scratch_size;
};

/*
 * Sets the port up on a link, at `clock`. The caller owns link and meter, which must outlive it, and
 * sets a driver on `port->wire.port`. sdsim_mpsse_port_free leaves the link alone; CS is high then.
 */
void sdsim_mpsse_port_init(struct sdsim_mpsse_port *port, struct sdsim_link *link,
                           const struct sdsim_mpsse_clock *clock, struct sdsim_meter *meter);
void sdsim_mpsse_port_free(struct sdsim_mpsse_port *port);

/* The sum of all faults that were repeated. */
uint64_t sdsim_mpsse_retries(const struct sdsim_mpsse_port *port);

#endif
