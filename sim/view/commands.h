/*
 * Commands of the SD specification by name, and what their arguments and responses mean.
 *
 * Names and fields are those of the Physical Layer Simplified Specification, 4.7.4 and 7.3.
 */
#ifndef SDSIM_VIEW_COMMANDS_H
#define SDSIM_VIEW_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "READ_MULTIPLE_BLOCK"; "" if the specification names none. */
const char *sdsim_command_title(uint8_t index, bool app);

/* Whether its argument is an address: of a sector, or on SDSC cards of a byte. */
bool sdsim_command_has_address(uint8_t index, bool app);

/* What an argument means: "LBA 8192", "RCA 0x0001", "8 blocks", "2.7-3.6 V, check pattern 0xAA"; "" if
 * nothing is to be said. Returns out. */
char *sdsim_command_argument(uint8_t index, bool app, uint32_t argument, char *out, size_t size);

/* The bits of an SPI R1: "idle", "illegal command, idle", "ready". Returns out. */
char *sdsim_r1_print(uint8_t r1, char *out, size_t size);

#endif
