#include "capture/spi_command.h"

#define ADDRESS SDSIM_SPI_ARGUMENT_ADDRESS
#define OTHER   SDSIM_SPI_ARGUMENT_OTHER
#define R1B     SDSIM_SPI_ANSWER_R1B
#define R2      SDSIM_SPI_ANSWER_R2
#define R3      SDSIM_SPI_ANSWER_R3
#define R7      SDSIM_SPI_ANSWER_R7
#define READS   SDSIM_SPI_READS
#define WRITES  SDSIM_SPI_WRITES

static const struct sdsim_spi_command basic[64] = {
    [0] = {.title = "reset"},
    [1] = {.title = "initialise (MMC)", .argument = OTHER},
    [6] = {.title = "switch function", .data = READS, .argument = OTHER, .bytes = 64},
    [8] = {.title = "voltage and version", .answer = R7, .argument = OTHER},
    [9] = {.title = "read CSD", .data = READS, .bytes = 16},
    [10] = {.title = "read CID", .data = READS, .bytes = 16},
    [12] = {.title = "stop transmission", .answer = R1B},
    [13] = {.title = "send status", .answer = R2},
    [16] = {.title = "set block length", .argument = SDSIM_SPI_ARGUMENT_LENGTH},
    [17] = {.title = "read block", .data = READS, .argument = ADDRESS},
    [18] = {.title = "read blocks", .data = READS, .argument = ADDRESS, .multiple = true},
    [24] = {.title = "write block", .data = WRITES, .argument = ADDRESS},
    [25] = {.title = "write blocks", .data = WRITES, .argument = ADDRESS, .multiple = true},
    [27] = {.title = "program CSD", .data = WRITES, .bytes = 16},
    [28] = {.title = "set write protection", .answer = R1B, .argument = ADDRESS},
    [29] = {.title = "clear write protection", .answer = R1B, .argument = ADDRESS},
    [30] = {.title = "read write protection", .data = READS, .argument = ADDRESS, .bytes = 4},
    [32] = {.title = "first block to erase", .argument = ADDRESS},
    [33] = {.title = "last block to erase", .argument = ADDRESS},
    [38] = {.title = "erase", .answer = R1B, .argument = OTHER},
    [42] = {.title = "lock or unlock", .data = WRITES},
    [55] = {.title = "application command next"},
    [56] = {.title = "general block", .data = SDSIM_SPI_BY_ARGUMENT, .argument = OTHER},
    [58] = {.title = "read OCR", .answer = R3},
    [59] = {.title = "CRC on or off", .argument = OTHER},
};

static const struct sdsim_spi_command application[64] = {
    [13] = {.title = "read SD status", .answer = R2, .data = READS, .bytes = 64},
    [22] = {.title = "blocks written well", .data = READS, .bytes = 4},
    [23] = {.title = "blocks to erase before writing", .argument = SDSIM_SPI_ARGUMENT_COUNT},
    [41] = {.title = "initialise", .argument = OTHER},
    [42] = {.title = "pull-up of card detect", .argument = OTHER},
    [51] = {.title = "read SCR", .data = READS, .bytes = 8},
};

const struct sdsim_spi_command *sdsim_spi_command(uint8_t index, bool app)
{
    return app ? &application[index & 63] : &basic[index & 63];
}

bool sdsim_spi_command_reads(const struct sdsim_spi_command *command, uint32_t argument)
{
    return command->data == READS ||
           (command->data == SDSIM_SPI_BY_ARGUMENT && (argument & 1) != 0);
}

bool sdsim_spi_command_writes(const struct sdsim_spi_command *command, uint32_t argument)
{
    return command->data == WRITES ||
           (command->data == SDSIM_SPI_BY_ARGUMENT && (argument & 1) == 0);
}

unsigned sdsim_spi_answer_size(enum sdsim_spi_answer answer)
{
    static const uint8_t sizes[] = {
        [SDSIM_SPI_ANSWER_R1] = 1, [SDSIM_SPI_ANSWER_R1B] = 1, [R2] = 2, [R3] = 5, [R7] = 5,
    };
    return sizes[answer];
}
