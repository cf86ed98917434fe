/*
 * A slot of the library with a small card whose times are round, and exchanges written as text:
 *
 *     sdsim_test_exchange(slot, "51 00 00 00 05 FF  FF*3", "FF*8 00");
 *
 * Both sides are bytes in hexadecimal, XX*n stands for n of them, ".." for any. The host's side ends
 * with as many FF as the card's is longer.
 */
#ifndef SDSIM_TEST_SLOT_BENCH_H
#define SDSIM_TEST_SLOT_BENCH_H

#include "sdsim/sdsim.h"

/* Bytes of the SPI bus take a microsecond here (8 MHz); N_CR 1, N_AC 1, N_BR 1. */
#define SDSIM_TEST_CARD                                                                            \
    "kind: card\ntype: sdhc\ncapacity: 4MiB\nhigh_speed_clock: 50MHz\npage: 32KiB\n"               \
    "init_time: 1ms\nrd1: 10us\nrdn: 5us\nw1: 20us\nwn: 4us\nwstop: 9us\nerase: 30us\n"
#define SDSIM_TEST_SECTORS 8192u

/* The address an initialised card has on the SD bus, as commands carry it. */
#define SDSIM_TEST_ADDRESS 0x12340000u

/* Aborts the test if the card is refused. */
struct sdsim_slot *sdsim_test_slot(void);

/* The same, initialised: SPI, CS low; or SD mode, in the transfer state, `lines` data lines. Faults
 * and a timeline come later. */
struct sdsim_slot *sdsim_test_spi_slot(void);
struct sdsim_slot *sdsim_test_sd_slot(uint32_t lines);

/* In SD mode another card, whose init_time is up to 1 ms. */
struct sdsim_slot *sdsim_test_sd_slot_with(const char *card, uint32_t lines);

/* Exchanges what the host sends and fails the test, saying at which byte, if the card sends anything
 * else than `card`. */
void sdsim_test_exchange(struct sdsim_slot *slot, const char *host, const char *card);

/* `size` bytes that look random, always the same for one seed. */
void sdsim_test_fill(uint8_t *bytes, size_t size, uint32_t seed);

/* A short response's content, bytes 1 to 4; fails the test if the command does not end like that. */
uint32_t sdsim_test_sd_command(struct sdsim_slot *slot, uint32_t index, uint32_t argument,
                               int32_t result);

#endif
