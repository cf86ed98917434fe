/*
 * A line of a recording, as tools/firmware/sdtrace.h prints it somewhere into the log of a serial port:
 *
 *     sdt1:AAAABBBBCCCCDDDDEEEEFFFFGGGG
 *
 * Behind the mark are 28 characters of base64, which hold 21 bytes: 16 of a record, the low 24 bits of the
 * record's number, least first, and a CRC-16 of both (polynomial 0x1021, from 0, low byte first).
 */
#ifndef SDSIM_TRACE_FIRMWARE_LINE_H
#define SDSIM_TRACE_FIRMWARE_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SDSIM_FIRMWARE_RECORD_BYTES = 16,
    SDSIM_FIRMWARE_MARK_LENGTH = 5,
    SDSIM_FIRMWARE_CODE_LENGTH = 28,
};

/* The first mark in these bytes; NULL if there is none. */
const char *sdsim_firmware_line_find(const char *bytes, size_t size);

/* Reads the SDSIM_FIRMWARE_CODE_LENGTH characters behind a mark: the record, of
 * SDSIM_FIRMWARE_RECORD_BYTES, and its number, 0 to 2^24 - 1. False: they are not base64, or the CRC is
 * wrong. */
bool sdsim_firmware_line_decode(const char *text, uint8_t *record, uint32_t *number);

/* The CRC of more bytes, after `crc` of those before, or 0. */
uint16_t sdsim_firmware_crc(uint16_t crc, const uint8_t *bytes, size_t size);

#endif
