#include "bus/counts.h"

#include <assert.h>

#define BLOCK 512u

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

struct sdsim_bus_gaps sdsim_bus_least_gaps(enum sdsim_bus_mode mode)
{
    if (mode == SDSIM_BUS_SPI) {
        return (struct sdsim_bus_gaps){
            .n_cr = SDSIM_SPI_N_CR,
            .n_rc = SDSIM_SPI_N_RC,
            .n_ac = SDSIM_SPI_N_AC,
            .n_cx = SDSIM_SPI_N_CX,
            .n_wr = SDSIM_SPI_N_WR,
            .n_br = SDSIM_SPI_N_BR,
        };
    }
    return (struct sdsim_bus_gaps){
        .n_cr = SDSIM_SD_N_CR,
        .n_rc = SDSIM_SD_N_RC,
        .n_ac = SDSIM_SD_N_AC,
        .n_wr = SDSIM_SD_N_WR,
        .n_crc = SDSIM_SD_N_CRC,
    };
}

uint32_t sdsim_bus_command_clocks(const struct sdsim_bus_gaps *gaps, uint32_t response)
{
    return SDSIM_BUS_COMMAND + gaps->n_cr + response;
}

uint32_t sdsim_bus_r1_clocks(enum sdsim_bus_mode mode, const struct sdsim_bus_gaps *gaps)
{
    return sdsim_bus_command_clocks(gaps,
                                    mode == SDSIM_BUS_SPI ? SDSIM_BUS_SPI_R1 : SDSIM_BUS_RESPONSE);
}

uint32_t sdsim_bus_read_clocks(enum sdsim_bus_mode mode, const struct sdsim_bus_gaps *gaps,
                               uint32_t bytes)
{
    const uint32_t data = gaps->n_ac + sdsim_bus_packet_clocks(mode, bytes);
    if (mode == SDSIM_BUS_SPI) {
        return sdsim_bus_r1_clocks(mode, gaps) + data;
    }
    return SDSIM_BUS_COMMAND + larger(gaps->n_cr + SDSIM_BUS_RESPONSE, data);
}

uint32_t sdsim_bus_read_register_clocks(const struct sdsim_bus_gaps *gaps, uint32_t bytes)
{
    return sdsim_bus_r1_clocks(SDSIM_BUS_SPI, gaps) + gaps->n_cx +
           sdsim_bus_packet_clocks(SDSIM_BUS_SPI, bytes);
}

uint32_t sdsim_bus_read_next_clocks(enum sdsim_bus_mode mode, const struct sdsim_bus_gaps *gaps)
{
    return gaps->n_ac + sdsim_bus_packet_clocks(mode, BLOCK);
}

uint32_t sdsim_bus_read_stop_clocks(enum sdsim_bus_mode mode, const struct sdsim_bus_gaps *gaps,
                                    enum sdsim_bus_stop stop)
{
    if (mode == SDSIM_BUS_SPI) {
        return SDSIM_BUS_STUFF + sdsim_bus_r1_clocks(mode, gaps);
    }
    const uint32_t response = gaps->n_cr + SDSIM_BUS_RESPONSE;
    return stop == SDSIM_BUS_STOP_LATE ? SDSIM_BUS_COMMAND + response : response;
}

uint64_t sdsim_bus_read_run_clocks(enum sdsim_bus_mode mode, const struct sdsim_bus_gaps *gaps,
                                   uint64_t blocks)
{
    assert(blocks > 0);
    return sdsim_bus_read_clocks(mode, gaps, BLOCK) +
           (blocks - 1) * sdsim_bus_read_next_clocks(mode, gaps);
}

uint32_t sdsim_bus_write_next_clocks(enum sdsim_bus_mode mode, const struct sdsim_bus_gaps *gaps)
{
    const uint32_t answer = mode == SDSIM_BUS_SPI ? (uint32_t)SDSIM_BUS_DATA_RESPONSE
                                                  : gaps->n_crc + SDSIM_BUS_CRC_STATUS;
    return gaps->n_wr + sdsim_bus_packet_clocks(mode, BLOCK) + answer;
}

uint32_t sdsim_bus_write_stop_clocks(enum sdsim_bus_mode mode, const struct sdsim_bus_gaps *gaps)
{
    return mode == SDSIM_BUS_SPI ? gaps->n_wr + SDSIM_BUS_TOKEN + gaps->n_br
                                 : sdsim_bus_r1_clocks(mode, gaps);
}

uint64_t sdsim_bus_write_run_clocks(enum sdsim_bus_mode mode, const struct sdsim_bus_gaps *gaps,
                                    uint64_t blocks)
{
    assert(blocks > 0);
    return sdsim_bus_r1_clocks(mode, gaps) + blocks * sdsim_bus_write_next_clocks(mode, gaps);
}

uint32_t sdsim_bus_prefix_clocks(enum sdsim_bus_mode mode, const struct sdsim_bus_gaps *gaps)
{
    return sdsim_bus_r1_clocks(mode, gaps) + gaps->n_rc;
}
