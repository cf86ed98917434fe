/*
 * A card at work behind an FT232H: its identification, its registers, and its sectors.
 *
 * Everything is a transaction of the port (mpsse_port.h), so what is repeated and how is said there. A
 * read or write that is timed also says how long each part took, in bytes, with the upper bound that the
 * host's clock gives (byte_log.h), and how long all of it was by that clock; one that had to be repeated
 * says nothing, as its times are not the card's.
 *
 * What has no check sum is read until it is the same twice: OCR, the answer to CMD8.
 *
 * Limits: functions that fail leave the reason in `error`, a sentence without newline; after a lasting
 * fault of the link all of them fail.
 */
#ifndef SDSIM_FTDI_CARD_IO_H
#define SDSIM_FTDI_CARD_IO_H

#include "byte_log.h"
#include "card/registers.h"
#include "gaps.h"
#include "mpsse_port.h"

/* What identification finds. */
struct sdsim_card_registers {
    bool version2; /* answers CMD8 */
    uint32_t ocr;
    uint8_t csd[SDSIM_CSD_BYTES];
    uint8_t cid[SDSIM_CID_BYTES];
    uint8_t scr[SDSIM_SCR_BYTES];
    uint8_t status[SDSIM_STATUS_BYTES]; /* SD status; all zero if the card has none */
    bool has_status;
    uint32_t sectors;
    sdsim_ps init_time; /* first ACMD41 to ready, bus time ... */
    sdsim_ps init_host; /* ... and host time */
};

struct sdsim_card_io {
    struct sdsim_mpsse_port port;
    struct sdsim_meter meter;
    struct sdsim_spi_engine engine;
    struct sdsim_byte_log log;
    struct sdsim_mpsse_clock clock; /* for data; identification has its own */
    sdsim_ps now;                   /* bus time */
    bool block_addresses;
    uint32_t sectors;
    char error[640];
};

/* `clock` is what data is moved at. The link must outlive it and is not owned. */
void sdsim_card_io_init(struct sdsim_card_io *io, struct sdsim_link *link,
                        const struct sdsim_mpsse_clock *clock);
void sdsim_card_io_free(struct sdsim_card_io *io);

/* The clock from here on. */
void sdsim_card_io_clock(struct sdsim_card_io *io, const struct sdsim_mpsse_clock *clock);

/* From power-up, or from anywhere, to a card in transfer state with CRC switched on, at 400 kHz; then
 * its registers, at the clock of data. */
bool sdsim_card_io_identify(struct sdsim_card_io *io, struct sdsim_card_registers *registers);

/* Measures the gap between bytes that are read at the clock of data, for the upper bounds of all times from
 * here on. A fault of the link is repeated; a gap that can't be known is none. */
bool sdsim_card_io_gap(struct sdsim_card_io *io, struct sdsim_gap_fact *fact);

/* CMD13: false if the card does not say twice 0. */
bool sdsim_card_io_status(struct sdsim_card_io *io);

/* `count` sectors, by CMD17 or CMD18. `out` may be NULL. `times` may be NULL; else, if the call
 * succeeds, it tells the times, or is not `complete`. Free it. */
bool sdsim_card_io_read(struct sdsim_card_io *io, uint32_t lba, uint32_t count, uint8_t *out,
                        struct sdsim_byte_times *times);

/* `count` sectors, by CMD24 or CMD25, until the card is ready again. */
bool sdsim_card_io_write(struct sdsim_card_io *io, uint32_t lba, uint32_t count,
                         const struct sdsim_content *content, struct sdsim_byte_times *times);

/* Sectors from..to, both included, by CMD32, CMD33 and CMD38. */
bool sdsim_card_io_erase(struct sdsim_card_io *io, uint32_t from, uint32_t to,
                         struct sdsim_byte_times *times);

/* A command without blocks, for its N_CR. */
bool sdsim_card_io_ping(struct sdsim_card_io *io, struct sdsim_byte_times *times);

/* What `bytes` bytes take on the bus at the clock of data, in ps. */
double sdsim_card_io_span(const struct sdsim_card_io *io, double bytes);

#endif
