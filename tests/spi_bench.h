/*
 * One SPI driver in front of one fresh card, on the byte-exact port or the closed-form one, with an
 * ear on the bus.
 */
#ifndef SDSIM_TEST_SPI_BENCH_H
#define SDSIM_TEST_SPI_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include "driver/driver.h"
#include "port/wire.h"

/* What was heard on the wire since the last call. */
struct sdsim_test_ear {
    struct sdsim_wire_listener listener;
    unsigned low_before;  /* bytes with CS low before the first command */
    unsigned commands;    /* commands begun */
    sdsim_ps first_at;    /* when the first began */
    unsigned high_behind; /* bytes with CS high behind the last one with CS low */
    unsigned left_of_frame;
    uint8_t first_command; /* index of the first */
};

struct sdsim_test_spi_bench {
    struct sdsim_medium *medium;
    struct sdsim_card card;
    struct sdsim_meter meter;
    struct sdsim_wire wire;
    struct sdsim_port fast;
    struct sdsim_driver driver;
    struct sdsim_test_ear ear;
    sdsim_ps now;
};

/* Powers up and identifies the card at 400 kHz, goes on at 20 MHz; fails the test if that fails.
 * All that is passed must outlive the bench. */
struct sdsim_test_spi_bench *sdsim_test_spi_up(const struct sdsim_card_params *card,
                                               const struct sdsim_driver_params *params,
                                               const struct sdsim_driver_costs *costs,
                                               bool on_wire);
void sdsim_test_spi_down(struct sdsim_test_spi_bench *bench);

/* Reads to nowhere, and writes zeros, which no ear takes for a command. */
enum sdsim_driver_error sdsim_test_spi_read(struct sdsim_test_spi_bench *bench, uint32_t lba,
                                            uint32_t count);
enum sdsim_driver_error sdsim_test_spi_write(struct sdsim_test_spi_bench *bench, uint32_t lba,
                                             uint32_t count);

#endif
