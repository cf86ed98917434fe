/*
 * The bytes of one transaction, and what they tell of times.
 *
 * A log listens to a port (struct sdsim_wire_listener). When the transaction is over, its times are found
 * in the log, in bytes, each from an end to the first clock of the byte that shows what was waited for:
 *
 *     access  end of the command to the first start token
 *     gap     end of a block's CRC to the next start token
 *     busy    end of a written block's CRC, of the stop token, or of a command with R1b, to the first
 *             byte that is 0xFF, the card's answer passed over
 *
 * So a time of n bytes means: more than n - 1 bytes, and not more than n, of clocks. While the clock
 * stands still the card goes on: what it may have had in all is told by the line's stopwatch, and stands
 * beside each time as `..._most`.
 *
 * Limits: one command per transaction, as it is; without memory the log is `broken` and has no times.
 */
#ifndef SDSIM_FTDI_BYTE_LOG_H
#define SDSIM_FTDI_BYTE_LOG_H

#include "line.h"
#include "port/wire.h"

struct sdsim_byte_log {
    struct sdsim_wire_listener listener; /* first */
    const struct sdsim_line *line;       /* not owned */
    double gap;    /* ps: a gap between two bytes is no longer; negative: nobody knows */
    uint8_t *mosi; /* owned, as are the next two */
    uint8_t *miso;
    uint64_t *ends; /* the number of the byte behind it, on the line */
    size_t count;
    size_t capacity;
    bool broken;
};

/* What a transaction took, in bytes. A `most` is the upper bound, not below the time itself; 0: none. */
struct sdsim_byte_times {
    bool complete;    /* all that was to be found was */
    uint32_t n_cr;    /* bytes between command and response */
    uint32_t access;  /* READ */
    uint32_t *blocks; /* owned: gaps of a read, one less than blocks; busies of a write */
    size_t count;
    uint32_t busy; /* stop token, or R1b; 0: none was seen behind the response */
    double access_most;
    double *blocks_most; /* owned */
    double busy_most;
    sdsim_ps host; /* by the host's clock, all of the call; the caller's to fill in */
};

/* Listens to the port on that line, which must outlive it. */
void sdsim_byte_log_init(struct sdsim_byte_log *log, const struct sdsim_line *line);
void sdsim_byte_log_free(struct sdsim_byte_log *log);
void sdsim_byte_log_clear(struct sdsim_byte_log *log);

/* The times of the transaction `tx`, which the log has heard and nothing else. *times is overwritten; free it
 * with sdsim_byte_times_free. False if the log is not what such a transaction gives. */
bool sdsim_byte_log_times(const struct sdsim_byte_log *log, const struct sdsim_transaction *tx,
                          struct sdsim_byte_times *times);
void sdsim_byte_times_free(struct sdsim_byte_times *times);

#endif
