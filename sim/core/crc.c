#include "core/crc.h"

#include <string.h>

/* What one byte does to a CRC7 held in the upper seven bits: eight steps of x^7 + x^3 + 1. */
/* clang-format off */
static const uint8_t crc7_table[256] = {
    0x00, 0x12, 0x24, 0x36, 0x48, 0x5A, 0x6C, 0x7E, 0x90, 0x82, 0xB4, 0xA6, 0xD8, 0xCA, 0xFC, 0xEE,
    0x32, 0x20, 0x16, 0x04, 0x7A, 0x68, 0x5E, 0x4C, 0xA2, 0xB0, 0x86, 0x94, 0xEA, 0xF8, 0xCE, 0xDC,
    0x64, 0x76, 0x40, 0x52, 0x2C, 0x3E, 0x08, 0x1A, 0xF4, 0xE6, 0xD0, 0xC2, 0xBC, 0xAE, 0x98, 0x8A,
    0x56, 0x44, 0x72, 0x60, 0x1E, 0x0C, 0x3A, 0x28, 0xC6, 0xD4, 0xE2, 0xF0, 0x8E, 0x9C, 0xAA, 0xB8,
    0xC8, 0xDA, 0xEC, 0xFE, 0x80, 0x92, 0xA4, 0xB6, 0x58, 0x4A, 0x7C, 0x6E, 0x10, 0x02, 0x34, 0x26,
    0xFA, 0xE8, 0xDE, 0xCC, 0xB2, 0xA0, 0x96, 0x84, 0x6A, 0x78, 0x4E, 0x5C, 0x22, 0x30, 0x06, 0x14,
    0xAC, 0xBE, 0x88, 0x9A, 0xE4, 0xF6, 0xC0, 0xD2, 0x3C, 0x2E, 0x18, 0x0A, 0x74, 0x66, 0x50, 0x42,
    0x9E, 0x8C, 0xBA, 0xA8, 0xD6, 0xC4, 0xF2, 0xE0, 0x0E, 0x1C, 0x2A, 0x38, 0x46, 0x54, 0x62, 0x70,
    0x82, 0x90, 0xA6, 0xB4, 0xCA, 0xD8, 0xEE, 0xFC, 0x12, 0x00, 0x36, 0x24, 0x5A, 0x48, 0x7E, 0x6C,
    0xB0, 0xA2, 0x94, 0x86, 0xF8, 0xEA, 0xDC, 0xCE, 0x20, 0x32, 0x04, 0x16, 0x68, 0x7A, 0x4C, 0x5E,
    0xE6, 0xF4, 0xC2, 0xD0, 0xAE, 0xBC, 0x8A, 0x98, 0x76, 0x64, 0x52, 0x40, 0x3E, 0x2C, 0x1A, 0x08,
    0xD4, 0xC6, 0xF0, 0xE2, 0x9C, 0x8E, 0xB8, 0xAA, 0x44, 0x56, 0x60, 0x72, 0x0C, 0x1E, 0x28, 0x3A,
    0x4A, 0x58, 0x6E, 0x7C, 0x02, 0x10, 0x26, 0x34, 0xDA, 0xC8, 0xFE, 0xEC, 0x92, 0x80, 0xB6, 0xA4,
    0x78, 0x6A, 0x5C, 0x4E, 0x30, 0x22, 0x14, 0x06, 0xE8, 0xFA, 0xCC, 0xDE, 0xA0, 0xB2, 0x84, 0x96,
    0x2E, 0x3C, 0x0A, 0x18, 0x66, 0x74, 0x42, 0x50, 0xBE, 0xAC, 0x9A, 0x88, 0xF6, 0xE4, 0xD2, 0xC0,
    0x1C, 0x0E, 0x38, 0x2A, 0x54, 0x46, 0x70, 0x62, 0x8C, 0x9E, 0xA8, 0xBA, 0xC4, 0xD6, 0xE0, 0xF2,
};

/* What the upper byte of a CRC16 becomes: eight steps of x^16 + x^12 + x^5 + 1. */
static const uint16_t crc16_table[256] = {
    0x0000, 0x1021, 0x2042, 0x3063, 0x4084, 0x50A5, 0x60C6, 0x70E7, 0x8108, 0x9129, 0xA14A, 0xB16B,
    0xC18C, 0xD1AD, 0xE1CE, 0xF1EF, 0x1231, 0x0210, 0x3273, 0x2252, 0x52B5, 0x4294, 0x72F7, 0x62D6,
    0x9339, 0x8318, 0xB37B, 0xA35A, 0xD3BD, 0xC39C, 0xF3FF, 0xE3DE, 0x2462, 0x3443, 0x0420, 0x1401,
    0x64E6, 0x74C7, 0x44A4, 0x5485, 0xA56A, 0xB54B, 0x8528, 0x9509, 0xE5EE, 0xF5CF, 0xC5AC, 0xD58D,
    0x3653, 0x2672, 0x1611, 0x0630, 0x76D7, 0x66F6, 0x5695, 0x46B4, 0xB75B, 0xA77A, 0x9719, 0x8738,
    0xF7DF, 0xE7FE, 0xD79D, 0xC7BC, 0x48C4, 0x58E5, 0x6886, 0x78A7, 0x0840, 0x1861, 0x2802, 0x3823,
    0xC9CC, 0xD9ED, 0xE98E, 0xF9AF, 0x8948, 0x9969, 0xA90A, 0xB92B, 0x5AF5, 0x4AD4, 0x7AB7, 0x6A96,
    0x1A71, 0x0A50, 0x3A33, 0x2A12, 0xDBFD, 0xCBDC, 0xFBBF, 0xEB9E, 0x9B79, 0x8B58, 0xBB3B, 0xAB1A,
    0x6CA6, 0x7C87, 0x4CE4, 0x5CC5, 0x2C22, 0x3C03, 0x0C60, 0x1C41, 0xEDAE, 0xFD8F, 0xCDEC, 0xDDCD,
    0xAD2A, 0xBD0B, 0x8D68, 0x9D49, 0x7E97, 0x6EB6, 0x5ED5, 0x4EF4, 0x3E13, 0x2E32, 0x1E51, 0x0E70,
    0xFF9F, 0xEFBE, 0xDFDD, 0xCFFC, 0xBF1B, 0xAF3A, 0x9F59, 0x8F78, 0x9188, 0x81A9, 0xB1CA, 0xA1EB,
    0xD10C, 0xC12D, 0xF14E, 0xE16F, 0x1080, 0x00A1, 0x30C2, 0x20E3, 0x5004, 0x4025, 0x7046, 0x6067,
    0x83B9, 0x9398, 0xA3FB, 0xB3DA, 0xC33D, 0xD31C, 0xE37F, 0xF35E, 0x02B1, 0x1290, 0x22F3, 0x32D2,
    0x4235, 0x5214, 0x6277, 0x7256, 0xB5EA, 0xA5CB, 0x95A8, 0x8589, 0xF56E, 0xE54F, 0xD52C, 0xC50D,
    0x34E2, 0x24C3, 0x14A0, 0x0481, 0x7466, 0x6447, 0x5424, 0x4405, 0xA7DB, 0xB7FA, 0x8799, 0x97B8,
    0xE75F, 0xF77E, 0xC71D, 0xD73C, 0x26D3, 0x36F2, 0x0691, 0x16B0, 0x6657, 0x7676, 0x4615, 0x5634,
    0xD94C, 0xC96D, 0xF90E, 0xE92F, 0x99C8, 0x89E9, 0xB98A, 0xA9AB, 0x5844, 0x4865, 0x7806, 0x6827,
    0x18C0, 0x08E1, 0x3882, 0x28A3, 0xCB7D, 0xDB5C, 0xEB3F, 0xFB1E, 0x8BF9, 0x9BD8, 0xABBB, 0xBB9A,
    0x4A75, 0x5A54, 0x6A37, 0x7A16, 0x0AF1, 0x1AD0, 0x2AB3, 0x3A92, 0xFD2E, 0xED0F, 0xDD6C, 0xCD4D,
    0xBDAA, 0xAD8B, 0x9DE8, 0x8DC9, 0x7C26, 0x6C07, 0x5C64, 0x4C45, 0x3CA2, 0x2C83, 0x1CE0, 0x0CC1,
    0xEF1F, 0xFF3E, 0xCF5D, 0xDF7C, 0xAF9B, 0xBFBA, 0x8FD9, 0x9FF8, 0x6E17, 0x7E36, 0x4E55, 0x5E74,
    0x2E93, 0x3EB2, 0x0ED1, 0x1EF0,
};
/* clang-format on */

uint8_t sdsim_crc7(const void *data, size_t size)
{
    const uint8_t *const bytes = data;
    uint8_t crc = 0;
    for (size_t i = 0; i < size; i++) {
        crc = crc7_table[crc ^ bytes[i]];
    }
    return crc >> 1;
}

/*
 * How a CRC16 is taken fast. Over GF(2) squaring doubles all exponents, so for the polynomial g(x) =
 * x^16 + x^12 + x^5 + 1 the powers g(x^n), n = 2, 4, 8 ..., are as sparse as g itself, and g divides
 * them all. So a block may be reduced by g(x^128) first, then by g(x^64), g(x^16) and g(x^4), and
 * what is left by g: the remainder is the same.
 *
 *  - By g(x^128): a unit of 128 bits, added to the ones 4, 11 and 16 units behind it, is gone. Nothing
 *    is shifted; 512 bytes become 256. By g(x^64) the same with 64 bits: 128 bytes are left.
 *  - By g(x^16) = x^256 + x^192 + x^80 + 1: the same with words 1, 3 (shifted by 16) and 4 behind; 128
 *    bytes become 32.
 *  - By g(x^4): a word is multiplied by x^64 = x^48 + x^20 + 1, and what falls out at the top again,
 *    until nothing does.
 *
 * The last one is also the CRC of four lines at once: a byte travels as two nibbles, bit 3 of each on
 * DAT3, so the lines are interleaved bit by bit, which is what g(x^4) says: every fourth bit belongs
 * to the same CRC16.
 *
 * All of this is work of single words. Vectors of two, stored where the next step needs two words that
 * lie across them, have to be waited for, which takes longer than everything else (sim/CMakeLists.txt).
 */
enum {
    WORD = 8,
    CHUNK = 512,
    UNITS = 16,  /* of the degree of g: so many are gone, and so many left, of twice as many */
    LEFT_16 = 4, /* words left by g(x^16) */
};

/* Most significant byte first; written so that compilers see one load. */
static inline uint64_t load_word(const uint8_t *bytes)
{
    return (uint64_t)bytes[0] << 56 | (uint64_t)bytes[1] << 48 | (uint64_t)bytes[2] << 40 |
           (uint64_t)bytes[3] << 32 | (uint64_t)bytes[4] << 24 | (uint64_t)bytes[5] << 16 |
           (uint64_t)bytes[6] << 8 | (uint64_t)bytes[7];
}

static inline void store_word(uint64_t word, uint8_t *bytes)
{
    for (unsigned i = 0; i < WORD; i++) {
        bytes[i] = (uint8_t)(word >> (56 - 8 * i));
    }
}

/* word * x^64, reduced by g(x^4). */
static inline uint64_t by_word(uint64_t word)
{
    const uint64_t over1 = word >> 16 ^ word >> 44;
    const uint64_t over2 = over1 >> 16 ^ over1 >> 44;
    const uint64_t over3 = over2 >> 16;
    const uint64_t all = word ^ over1 ^ over2 ^ over3;
    return all ^ all << 20 ^ all << 48;
}

/* word * x^16, reduced by g: first by g(x^2), then 16 bits at a time by g itself. */
static inline uint16_t by_half(uint32_t half)
{
    const uint32_t over1 = half >> 4 ^ half >> 11;
    const uint32_t over2 = over1 >> 4 ^ over1 >> 11;
    const uint32_t over3 = over2 >> 4;
    const uint32_t all = half ^ over1 ^ over2 ^ over3;
    return (uint16_t)(all ^ all << 5 ^ all << 12);
}

static inline uint16_t to_crc16(uint64_t word)
{
    const uint64_t top = word >> 32;
    const uint64_t over1 = top >> 8 ^ top >> 22;
    const uint64_t over2 = over1 >> 8 ^ over1 >> 22;
    const uint64_t over3 = over2 >> 8;
    const uint64_t all = top ^ over1 ^ over2 ^ over3;
    const uint32_t rest = (uint32_t)(word ^ all ^ all << 10 ^ all << 24);
    return by_half(by_half(rest >> 16) ^ (rest & 0xFFFF));
}

/* One line's step by table; `crc` so far. */
static uint16_t by_bytes(uint16_t crc, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        crc = (uint16_t)(crc << 8 ^ crc16_table[crc >> 8 ^ bytes[i]]);
    }
    return crc;
}

/* In the order of memory, which is no matter as long as nothing is shifted. */
static inline uint64_t raw_word(const uint8_t *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

/*
 * From 2 * UNITS units of so many words, `bytes`, to UNITS of them. `before` is added to the first
 * word. A unit that is gone got those 4 and 11 before it, one that is left also the one 16 before it,
 * as far as they are units that are gone.
 */
static inline void halve(uint64_t before, const uint8_t *bytes, unsigned unit, uint64_t *left)
{
    uint64_t gone[2 * UNITS];
    for (unsigned i = 0; i < 4 * unit; i++) {
        gone[i] = raw_word(bytes + WORD * i);
    }
    gone[0] ^= before;
    for (unsigned i = 4 * unit; i < 11 * unit; i++) {
        gone[i] = raw_word(bytes + WORD * i) ^ gone[i - 4 * unit];
    }
    for (unsigned i = 11 * unit; i < 16 * unit; i++) {
        gone[i] = raw_word(bytes + WORD * i) ^ gone[i - 4 * unit] ^ gone[i - 11 * unit];
    }
    bytes += UNITS * unit * WORD;
    for (unsigned i = 0; i < 4 * unit; i++) {
        left[i] = raw_word(bytes + WORD * i) ^ gone[i] ^ gone[i + 5 * unit] ^ gone[i + 12 * unit];
    }
    for (unsigned i = 4 * unit; i < 11 * unit; i++) {
        left[i] = raw_word(bytes + WORD * i) ^ gone[i] ^ gone[i + 5 * unit];
    }
    for (unsigned i = 11 * unit; i < 16 * unit; i++) {
        left[i] = raw_word(bytes + WORD * i) ^ gone[i];
    }
}

/* From the words in the order of memory to LEFT_16 values, by g(x^16); a window of the ones at work
 * runs along. */
static inline void reduce_by_16(const uint64_t words[UNITS], uint64_t left[LEFT_16])
{
    uint64_t window[LEFT_16];
    for (unsigned i = 0; i < LEFT_16; i++) {
        window[i] = load_word((const uint8_t *)&words[i]);
    }
    for (unsigned i = LEFT_16; i < UNITS; i++) {
        const uint64_t out = window[0];
        window[0] = window[1] ^ out;
        window[1] = window[2] ^ out >> 48;
        window[2] = window[3] ^ out << 16;
        window[3] = load_word((const uint8_t *)&words[i]) ^ out;
    }
    memcpy(left, window, sizeof window);
}

/* A chunk, reduced by g(x^4). `before` is what came before it, times x^64. */
static uint64_t reduce_chunk(uint64_t before, const uint8_t *bytes)
{
    uint64_t first;
    uint64_t half[2 * UNITS];
    uint64_t quarter[UNITS];
    uint64_t left[LEFT_16];
    store_word(before, (uint8_t *)&first);
    halve(first, bytes, 2, half);
    halve(0, (const uint8_t *)half, 1, quarter);
    reduce_by_16(quarter, left);
    uint64_t state = left[0];
    for (unsigned i = 1; i < LEFT_16; i++) {
        state = by_word(state) ^ left[i];
    }
    return state;
}

uint16_t sdsim_crc16(const void *data, size_t size)
{
    const uint8_t *bytes = data;
    uint16_t crc = 0;
    while (size >= CHUNK) {
        /* Of one line only the sixteen bits of the CRC go on. */
        crc = to_crc16(reduce_chunk((uint64_t)crc << 48, bytes));
        bytes += CHUNK;
        size -= CHUNK;
    }
    return by_bytes(crc, bytes, size);
}

uint64_t sdsim_crc16_four(const void *data, size_t size)
{
    const uint8_t *bytes = data;
    uint64_t state = 0;
    while (size >= CHUNK) {
        state = by_word(reduce_chunk(state, bytes));
        bytes += CHUNK;
        size -= CHUNK;
    }
    while (size >= WORD) {
        state = by_word(state ^ load_word(bytes));
        bytes += WORD;
        size -= WORD;
    }
    for (size_t i = 0; i < size; i++) {
        const uint64_t out = state >> 56 ^ bytes[i];
        state = state << 8 ^ out ^ out << 20 ^ out << 48;
    }
    return state;
}

size_t sdsim_crc16_bytes(const void *data, size_t size, bool four, uint8_t out[8])
{
    if (four) {
        store_word(sdsim_crc16_four(data, size), out);
        return 8;
    }
    const uint16_t crc = sdsim_crc16(data, size);
    out[0] = (uint8_t)(crc >> 8);
    out[1] = (uint8_t)crc;
    return 2;
}

void sdsim_crc16_lines(const void *data, size_t size, uint16_t crc[4])
{
    const uint64_t state = sdsim_crc16_four(data, size);
    for (unsigned line = 0; line < 4; line++) {
        uint16_t value = 0;
        for (unsigned i = 0; i < 16; i++) {
            value = (uint16_t)(value | (state >> (4 * i + line) & 1) << i);
        }
        crc[line] = value;
    }
}
