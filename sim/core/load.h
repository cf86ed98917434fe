/*
 * Little-endian words out of bytes that lie anywhere, each a single load of the machine.
 *
 * Compilers do not see through loops over bytes, and copying formats with columns or text eight bytes
 * at a time is what makes their readers fast.
 */
#ifndef SDSIM_CORE_LOAD_H
#define SDSIM_CORE_LOAD_H

#include <stdint.h>
#include <string.h>

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define SDSIM_FROM_LITTLE(bits, value) __builtin_bswap##bits(value)
#else
#define SDSIM_FROM_LITTLE(bits, value) (value)
#endif

static inline uint64_t sdsim_load64(const void *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return SDSIM_FROM_LITTLE(64, word);
}

static inline uint32_t sdsim_load32(const void *bytes)
{
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
    return SDSIM_FROM_LITTLE(32, word);
}

static inline uint16_t sdsim_load16(const void *bytes)
{
    uint16_t word;
    memcpy(&word, bytes, sizeof word);
    return SDSIM_FROM_LITTLE(16, word);
}

#endif
