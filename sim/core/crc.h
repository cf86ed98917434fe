/*
 * The two check sums of the SD bus (SD Physical Layer Simplified Specification, section 4.5).
 *
 * CRC7 (x^7 + x^3 + 1, start 0) guards command and response frames; the byte that goes out is the
 * seven bits shifted left with the end bit 1. CRC16 (x^16 + x^12 + x^5 + 1, start 0) guards data
 * blocks; in 4-bit mode each DAT line carries its own over its own quarter of the bits.
 */
#ifndef SDSIM_CORE_CRC_H
#define SDSIM_CORE_CRC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* CRC7 of `size` bytes, 0..127. */
uint8_t sdsim_crc7(const void *data, size_t size);

/* The last byte of a frame: CRC7 of the bytes before it, and the end bit. */
static inline uint8_t sdsim_crc7_byte(const void *data, size_t size)
{
    return (uint8_t)(sdsim_crc7(data, size) << 1 | 1);
}

/* CRC16 of a block on one line (SPI, SD 1-bit). This and the ones below take 512 bytes in less than a
 * hundred nanoseconds, without tables or special instructions. */
uint16_t sdsim_crc16(const void *data, size_t size);

/* The CRC16s of the four lines of a 4-bit transfer, side by side as they go out: sixteen nibbles,
 * most significant first, DAT3 in the upper bit of each. */
uint64_t sdsim_crc16_four(const void *data, size_t size);

/* The CRC16 as it goes out behind a block, most significant bit first: 8 bytes of four lines, 2 of one.
 * Returns how many. */
size_t sdsim_crc16_bytes(const void *data, size_t size, bool four, uint8_t out[8]);

/* CRC16 of each line of a 4-bit transfer; crc[0] is DAT0, crc[3] is DAT3. */
void sdsim_crc16_lines(const void *data, size_t size, uint16_t crc[4]);

#endif
