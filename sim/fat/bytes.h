/*
 * Little-endian integers at any byte address, as all on-disk structures of FAT and exFAT have them.
 */
#ifndef SDSIM_FAT_BYTES_H
#define SDSIM_FAT_BYTES_H

#include <stdint.h>

static inline uint16_t sdsim_get16(const uint8_t *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t sdsim_get32(const uint8_t *p)
{
    return (uint32_t)sdsim_get16(p) | (uint32_t)sdsim_get16(p + 2) << 16;
}

static inline uint64_t sdsim_get64(const uint8_t *p)
{
    return (uint64_t)sdsim_get32(p) | (uint64_t)sdsim_get32(p + 4) << 32;
}

static inline void sdsim_put16(uint8_t *p, uint32_t value)
{
    p[0] = (uint8_t)value;
    p[1] = (uint8_t)(value >> 8);
}

static inline void sdsim_put32(uint8_t *p, uint32_t value)
{
    sdsim_put16(p, value & 0xFFFF);
    sdsim_put16(p + 2, value >> 16);
}

static inline void sdsim_put64(uint8_t *p, uint64_t value)
{
    sdsim_put32(p, (uint32_t)value);
    sdsim_put32(p + 4, (uint32_t)(value >> 32));
}

#endif
