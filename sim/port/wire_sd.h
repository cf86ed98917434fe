/*
 * Shared by the parts of the wire port in SD mode: the host's end of the lines, clock by clock. The
 * idea is told in port/wire_sd.c. Not for other folders.
 */
#ifndef SDSIM_PORT_WIRE_SD_H
#define SDSIM_PORT_WIRE_SD_H

#include "bus/frame.h"
#include "port/wire_modes.h"

/* What a controller knows in the middle of a transaction. */
struct sdsim_wire_sd {
    struct sdsim_wire *wire;
    sdsim_ps now;
    uint8_t response[SDSIM_FRAME_R2_SIZE];
    uint8_t response_bits; /* expected; 0: none */
    uint8_t response_got;
    bool expecting; /* a block from the card is listened for */
    bool armed;     /* DAT0 was high since, so that low is a start bit */
    uint32_t bits;  /* of the block on each line, CRC included */
    uint32_t at;    /* its clocks so far; the start bit is the first, the end bit bits + 2 */
    uint8_t block[SDSIM_SECTOR + 8];
};

/* Which lines the host holds. */
enum sdsim_wire_sd_drive {
    SDSIM_WIRE_SD_NOTHING,
    SDSIM_WIRE_SD_CMD,
    SDSIM_WIRE_SD_DAT,
};

/* What came first behind the command of a read. */
enum sdsim_wire_sd_first {
    SDSIM_WIRE_SD_DATA,    /* a block begins */
    SDSIM_WIRE_SD_REFUSAL, /* a response, and there will be no block */
    SDSIM_WIRE_SD_SILENCE, /* nothing within N_CR's limit */
};

/* Four data lines are in use: up to ACMD6, which host and card both know of, it is one. */
static inline bool sdsim_wire_sd_four(const struct sdsim_wire_sd *host)
{
    return host->wire->port.mode == SDSIM_BUS_SD4 && host->wire->port.card->width == 4;
}

/* One clock, its time taken but not booked; response and block are listened to. */
struct sdsim_sd_lines sdsim_wire_sd_clock(struct sdsim_wire_sd *host, struct sdsim_sd_lines lines,
                                          enum sdsim_wire_sd_drive drive);

/* Books the time from `from` until now; some clocks with all lines released, booked; time in which
 * the clock stands still. */
void sdsim_wire_sd_book(struct sdsim_wire_sd *host, enum sdsim_kind kind, sdsim_ps from);
void sdsim_wire_sd_clocks(struct sdsim_wire_sd *host, enum sdsim_kind kind, uint32_t count);
void sdsim_wire_sd_stand(struct sdsim_wire_sd *host, enum sdsim_kind kind, sdsim_ps d);

/* The response that is listened for, up to its end, as protocol clocks; false: none. */
bool sdsim_wire_sd_response(struct sdsim_wire_sd *host);

/* It has not begun, and does not with the next clock. */
bool sdsim_wire_sd_silent(const struct sdsim_wire_sd *host);

/* It says that the address is wrong. */
bool sdsim_wire_sd_refused(const struct sdsim_wire_sd *host);

/* DAT0 is low. */
bool sdsim_wire_sd_busy(const struct sdsim_wire_sd *host);

/* Clocks until it is not; false: gave up after `limit` (0: never). */
bool sdsim_wire_sd_await(struct sdsim_wire_sd *host, sdsim_ps limit);

/* From here on a block of `bytes` is listened for. */
void sdsim_wire_sd_expect_block(struct sdsim_wire_sd *host, uint32_t bytes);

/* Clocks behind the command of a read, up to where its first block begins, or does not. */
enum sdsim_wire_sd_first sdsim_wire_sd_first_block(struct sdsim_wire_sd *host);

/* The blocks of a transaction. */
void sdsim_wire_sd_read(struct sdsim_wire_sd *host, const struct sdsim_transaction *tx,
                        struct sdsim_result *result);
void sdsim_wire_sd_write(struct sdsim_wire_sd *host, const struct sdsim_transaction *tx,
                         struct sdsim_result *result);

#endif
