/*
 * How many clocks things take on the bus, for the three ways to wire a card: SPI, SD with one data
 * line and SD with four.
 *
 * Every count is exact and has two parts: the bits of the items themselves, which the protocol
 * fixes, and the gaps between them (N_CR, N_AC, ...), of which the standard gives the least. The
 * functions take the gaps as an argument, in clocks in every mode (SPI gaps are whole bytes, so
 * multiples of 8); sdsim_bus_least_gaps gives the smallest that are allowed.
 *
 * Sources: the layout of frames and packets is from the SD Physical Layer Simplified Specification
 * (9.10, chapters 4 and 7). Its timing tables are not in the simplified edition; the least gaps are
 * those of the SanDisk SD Card Product Manual rev. 2.2 (chapters 4 and 5) and of MultiMediaCard
 * data sheets, which print the same tables.
 *
 * Limits: default and high speed only (no UHS). How long the card is busy is not part of any count.
 * Select edges take no clocks. A host that raises CS or stops the clock gives SDSIM_BUS_TRAILING
 * more.
 */
#ifndef SDSIM_BUS_COUNTS_H
#define SDSIM_BUS_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

enum sdsim_bus_mode {
    SDSIM_BUS_SPI,
    SDSIM_BUS_SD1, /* one data line */
    SDSIM_BUS_SD4, /* four data lines */
};

/* Clocks of the items that have no gap in them. */
enum sdsim_bus_item {
    SDSIM_BUS_COMMAND = 48,      /* in all modes */
    SDSIM_BUS_RESPONSE = 48,     /* SD mode: R1, R1b, R3, R6, R7 */
    SDSIM_BUS_RESPONSE_R2 = 136, /* SD mode: CID, CSD */
    SDSIM_BUS_SPI_R1 = 8,        /* and R1b before its busy bytes */
    SDSIM_BUS_SPI_R2 = 16,       /* CMD13, ACMD13 */
    SDSIM_BUS_SPI_R3 = 40,       /* and R7 */
    SDSIM_BUS_TOKEN = 8,         /* SPI: FE, FC, FD */
    SDSIM_BUS_STUFF = 8,         /* SPI: the byte behind CMD12, to be thrown away */
    SDSIM_BUS_DATA_RESPONSE = 8, /* SPI: behind a written block, without a gap */
    SDSIM_BUS_CRC16 = 16,        /* SD mode: on every data line */
    SDSIM_BUS_CRC_STATUS = 5,    /* SD mode, DAT0 only: start, three bits, end */
    SDSIM_BUS_TRAILING = 8,      /* after the last item, before the clock may stop */
    SDSIM_BUS_POWER_UP = 74,     /* before the first command, CS and CMD high */
};

/* Clocks of a data packet of `bytes` bytes: token or start bit, data, CRC16, end bit. */
static inline uint32_t sdsim_bus_packet_clocks(enum sdsim_bus_mode mode, uint32_t bytes)
{
    switch (mode) {
    case SDSIM_BUS_SPI:
        return SDSIM_BUS_TOKEN + 8 * bytes + SDSIM_BUS_CRC16;
    case SDSIM_BUS_SD1:
        return 1 + 8 * bytes + SDSIM_BUS_CRC16 + 1;
    case SDSIM_BUS_SD4:
        return 1 + 2 * bytes + SDSIM_BUS_CRC16 + 1;
    }
    return 0;
}

/* The gaps between items, in clocks, in every mode. Those a mode does not have are 0 in it. */
struct sdsim_bus_gaps {
    uint32_t n_cr; /* command to response */
    uint32_t n_rc; /* response to the next command */
    uint32_t n_ac; /* SPI: response to start token; SD mode: end of the command to the data; in
                      both: from a block to the next one of CMD18 */
    uint32_t n_cx; /* SPI: instead of N_AC for CMD9 and CMD10 */
    uint32_t
        n_wr; /* response, CRC status or end of busy to the next data packet; SPI: also to FD */
    uint32_t n_br;  /* SPI: stop token to busy */
    uint32_t n_crc; /* SD mode: data to CRC status */
};

/* The least gaps, in clocks: timing tables of the SanDisk SD Card Product Manual rev. 2.2; N_CRC
 * read off its timing diagrams. */
enum sdsim_bus_least {
    SDSIM_SPI_N_CR = 8, /* 1 byte, at most 8; rev. 1.9 of the manual allows 0 */
    SDSIM_SPI_N_RC = 8,
    SDSIM_SPI_N_AC = 8,
    SDSIM_SPI_N_CX = 0,
    SDSIM_SPI_N_WR = 8,
    SDSIM_SPI_N_BR = 0,
    SDSIM_SD_N_CR = 2, /* at most 64 */
    SDSIM_SD_N_RC = 8, /* N_CC, after a command without response, is the same */
    SDSIM_SD_N_AC = 2,
    SDSIM_SD_N_WR = 2,
    SDSIM_SD_N_ST = 2, /* CMD12 to the end of data, exactly */
    SDSIM_SD_N_CRC = 2,
};

/* The most N_CR may be, in clocks: 8 bytes in SPI, 64 clocks in SD mode. */
#define SDSIM_N_CR_MOST 64u

/* The least gaps of a mode. */
struct sdsim_bus_gaps sdsim_bus_least_gaps(enum sdsim_bus_mode mode);

/* A command and its response of `response` clocks (SDSIM_BUS_RESPONSE, SDSIM_BUS_SPI_R1, ...),
 * without a gap behind it; and the usual one of the mode, R1. */
uint32_t sdsim_bus_command_clocks(const struct sdsim_bus_gaps *gaps, uint32_t response);
uint32_t sdsim_bus_r1_clocks(enum sdsim_bus_mode mode, const struct sdsim_bus_gaps *gaps);

/*
 * A read of one packet of `bytes` bytes (CMD17, CMD6, ACMD51, the first block of CMD18), from the
 * first bit of the command to the last of the data. In SD mode N_AC counts from the command, so the
 * data may overlap the response; the count ends when both have ended.
 */
uint32_t sdsim_bus_read_clocks(enum sdsim_bus_mode mode, const struct sdsim_bus_gaps *gaps,
                               uint32_t bytes);

/* The same in SPI for CMD9 and CMD10, where N_CX takes the place of N_AC. */
uint32_t sdsim_bus_read_register_clocks(const struct sdsim_bus_gaps *gaps, uint32_t bytes);

/* A further block of CMD18. */
uint32_t sdsim_bus_read_next_clocks(enum sdsim_bus_mode mode, const struct sdsim_bus_gaps *gaps);

enum sdsim_bus_stop {
    SDSIM_BUS_STOP_TIMED, /* SD mode: CMD12 ends where the data end, so only its response is extra
                           */
    SDSIM_BUS_STOP_LATE,  /* CMD12 follows the last block; the only way in SPI */
};

/* CMD12 behind CMD18, without busy. In SPI n_cr counts behind the stuff byte, and may be 0 there.
 */
uint32_t sdsim_bus_read_stop_clocks(enum sdsim_bus_mode mode, const struct sdsim_bus_gaps *gaps,
                                    enum sdsim_bus_stop stop);

/* CMD18 of `blocks` >= 1 blocks of 512 bytes, without its stop. */
uint64_t sdsim_bus_read_run_clocks(enum sdsim_bus_mode mode, const struct sdsim_bus_gaps *gaps,
                                   uint64_t blocks);

/* One block of CMD24 or CMD25 behind its command: gap, packet and the card's answer to it (data
 * response, or CRC status), without busy. */
uint32_t sdsim_bus_write_next_clocks(enum sdsim_bus_mode mode, const struct sdsim_bus_gaps *gaps);

/* The stop of CMD25, without busy: FD in SPI, CMD12 in SD mode. */
uint32_t sdsim_bus_write_stop_clocks(enum sdsim_bus_mode mode, const struct sdsim_bus_gaps *gaps);

/* CMD24 or CMD25 of `blocks` >= 1 blocks of 512 bytes, without its stop and without busy. */
uint64_t sdsim_bus_write_run_clocks(enum sdsim_bus_mode mode, const struct sdsim_bus_gaps *gaps,
                                    uint64_t blocks);

/* A command with R1 that another command follows at once, as CMD23 or CMD55: with N_RC behind it.
 */
uint32_t sdsim_bus_prefix_clocks(enum sdsim_bus_mode mode, const struct sdsim_bus_gaps *gaps);

#endif
