/*
 * How many clocks the items on a bus take, for the three ways to wire a card: SPI, SD with one data line
 * and SD with four; and the least gaps between them (N_CR, N_AC, ...). The ports put these together to
 * transactions (port/fast.h, port/wire.h).
 *
 * Everything is in clocks, in every mode; SPI's gaps are whole bytes, so multiples of 8.
 *
 * Sources: the layout of frames and packets is from the SD Physical Layer Simplified Specification
 * (9.10, chapters 4 and 7). Its timing tables are not in the simplified edition; the least gaps are
 * those of the SanDisk SD Card Product Manual rev. 2.2 (chapters 4 and 5) and of MultiMediaCard
 * data sheets, which print the same tables.
 *
 * Limits: default and high speed only (no UHS). Select edges take no clocks. A host that raises CS or
 * stops the clock gives SDSIM_BUS_TRAILING more.
 */
#ifndef SDSIM_BUS_COUNTS_H
#define SDSIM_BUS_COUNTS_H

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
    SDSIM_BUS_TOKEN = 8,         /* SPI: FE, FC, FD */
    SDSIM_BUS_DATA_RESPONSE = 8, /* SPI: behind a written block, without a gap */
    SDSIM_BUS_CRC16 = 16,        /* SD mode: on every data line */
    SDSIM_BUS_CRC_STATUS = 5,    /* SD mode, DAT0 only: start, three bits, end */
    SDSIM_BUS_TRAILING = 8,      /* after the last item, before the clock may stop */
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

/* The least gaps, in clocks: timing tables of the SanDisk SD Card Product Manual rev. 2.2; N_CRC
 * read off its timing diagrams. */
enum sdsim_bus_least {
    SDSIM_SD_N_RC = 8, /* N_CC, after a command without response, is the same */
    SDSIM_SD_N_AC = 2,
    SDSIM_SD_N_WR = 2,
    SDSIM_SD_N_ST = 2, /* CMD12 to the end of data, exactly */
    SDSIM_SD_N_CRC = 2,
};

/* The most N_CR may be, in clocks: 8 bytes in SPI, 64 clocks in SD mode. */
#define SDSIM_N_CR_MOST 64u

#endif
