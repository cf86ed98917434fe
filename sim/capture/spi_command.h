/*
 * The commands of SPI mode: their names, how they are answered, and the data that goes with them.
 *
 * Source: SD Physical Layer Simplified Specification 9.10, tables 7-3 and 7-4; CMD1 from the
 * MultiMediaCard. Limits: what a card really supports is not here.
 */
#ifndef SDSIM_CAPTURE_SPI_COMMAND_H
#define SDSIM_CAPTURE_SPI_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

enum sdsim_spi_answer {
    SDSIM_SPI_ANSWER_R1,
    SDSIM_SPI_ANSWER_R1B, /* R1, then busy */
    SDSIM_SPI_ANSWER_R2,
    SDSIM_SPI_ANSWER_R3,
    SDSIM_SPI_ANSWER_R7,
};

enum sdsim_spi_data {
    SDSIM_SPI_NO_DATA,
    SDSIM_SPI_READS,
    SDSIM_SPI_WRITES,
    SDSIM_SPI_BY_ARGUMENT, /* CMD56: bit 0 set reads */
};

/* What an argument is. */
enum sdsim_spi_argument {
    SDSIM_SPI_ARGUMENT_NONE, /* should be 0 */
    SDSIM_SPI_ARGUMENT_OTHER,
    SDSIM_SPI_ARGUMENT_ADDRESS, /* bytes on SDSC, blocks on SDHC and SDXC */
    SDSIM_SPI_ARGUMENT_LENGTH,
    SDSIM_SPI_ARGUMENT_COUNT,
};

struct sdsim_spi_command {
    const char *title; /* what it does, "read block"; NULL: not a command of SPI mode */
    enum sdsim_spi_answer answer;
    enum sdsim_spi_data data;
    enum sdsim_spi_argument argument;
    bool multiple;  /* blocks until it is stopped */
    uint16_t bytes; /* of a block; 0: the block length */
};

/* Command `index`, 0..63; `app`: behind CMD55. Never NULL. */
const struct sdsim_spi_command *sdsim_spi_command(uint8_t index, bool app);

/* Whether it reads, or writes, with this argument. */
bool sdsim_spi_command_reads(const struct sdsim_spi_command *command, uint32_t argument);
bool sdsim_spi_command_writes(const struct sdsim_spi_command *command, uint32_t argument);

/* Bytes of its response. */
unsigned sdsim_spi_answer_size(enum sdsim_spi_answer answer);

#endif
