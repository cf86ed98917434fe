/*
 * A bus with a byte-exact card and a real driver on the wire port, whose pins are recorded as VCD: what
 * a logic analyser would have written, with the truth beside it.
 */
#ifndef SDSIM_TEST_BUS_RECORDING_H
#define SDSIM_TEST_BUS_RECORDING_H

#include "capture/wave_file.h"
#include "driver/driver.h"
#include "port/wire.h"

struct sdsim_test_bus {
    struct sdsim_card_params params;
    struct sdsim_driver_params driver_params;
    struct sdsim_driver_costs costs;
    struct sdsim_medium *medium;
    struct sdsim_card card;
    struct sdsim_meter meter;
    struct sdsim_wire wire;
    struct sdsim_driver driver;
    struct sdsim_wave wave;
    struct sdsim_wave_file file;
    FILE *out;
    sdsim_ps now;
};

/*
 * Powers up a card whose first 8192 sectors hold generated content (seed 1), and identifies it; all
 * that happens goes to the VCD file `path`, with `tick` picoseconds a tick. `single`: the driver reads
 * one sector by CMD17. Fails the test if that fails.
 */
struct sdsim_test_bus *sdsim_test_bus_up(enum sdsim_bus_mode mode, enum sdsim_driver_code code,
                                         bool single, uint64_t hertz, sdsim_ps tick,
                                         const char *path);
/* Ends the file. */
void sdsim_test_bus_down(struct sdsim_test_bus *bus);

/* One transaction by itself, on a bus that is up; SPI: with CS of its own. */
struct sdsim_result sdsim_test_bus_do(struct sdsim_test_bus *bus,
                                      struct sdsim_transaction transaction);

/* The bytes sectors were made to hold. */
void sdsim_test_bus_sector(uint32_t lba, uint8_t bytes[512]);

#endif
