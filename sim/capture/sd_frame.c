#include "capture/sd_frame.h"

#include "core/crc.h"

#include <string.h>

enum {
    SHORT_BITS = 48,
    LONG_BITS = 136,
    NO_INDEX = 63, /* in the place of the index: R2, R3, R4 */
};

static void take_bytes(const struct sdsim_sd_decoder *decoder, uint64_t start, unsigned sampling,
                       unsigned line, unsigned count, uint8_t *bytes)
{
    for (unsigned i = 0; i < count; i++) {
        unsigned byte = 0;
        for (unsigned bit = 0; bit < 8; bit++) {
            byte = byte << 1 | sdsim_sd_line(decoder, start + 8 * i + bit, sampling, line);
        }
        bytes[i] = (uint8_t)byte;
    }
}

enum sdsim_sd_frame_verdict sdsim_sd_frame_read(const struct sdsim_sd_decoder *decoder,
                                                uint64_t start, unsigned sampling,
                                                bool long_response, struct sdsim_sd_frame *frame)
{
    if (start >= decoder->n || sdsim_sd_line(decoder, start, sampling, 0) != 0) {
        return SDSIM_SD_FRAME_NONE;
    }
    *frame = (struct sdsim_sd_frame){.start = start, .bits = SHORT_BITS, .sampling = sampling};
    if (decoder->n - start < SHORT_BITS) {
        return SDSIM_SD_FRAME_SHORT;
    }
    uint8_t *bytes = frame->bytes;
    take_bytes(decoder, start, sampling, 0, SHORT_BITS / 8, bytes);
    frame->from_host = (bytes[0] & 0x40) != 0;
    frame->checked = true;
    const bool no_index = !frame->from_host && (bytes[0] & 63) == NO_INDEX;
    if (no_index && !long_response) {
        frame->checked = false;
        return bytes[5] == 0xFF ? SDSIM_SD_FRAME_RIGHT : SDSIM_SD_FRAME_WRONG;
    }
    if (no_index) {
        frame->bits = LONG_BITS;
        if (decoder->n - start < LONG_BITS) {
            return SDSIM_SD_FRAME_SHORT;
        }
        take_bytes(decoder, start, sampling, 0, LONG_BITS / 8, bytes);
        return bytes[16] == sdsim_crc7_byte(bytes + 1, 15) ? SDSIM_SD_FRAME_RIGHT
                                                           : SDSIM_SD_FRAME_WRONG;
    }
    return bytes[5] == sdsim_crc7_byte(bytes, 5) ? SDSIM_SD_FRAME_RIGHT : SDSIM_SD_FRAME_WRONG;
}

void sdsim_sd_periods(const struct sdsim_sd_decoder *decoder, uint64_t from, uint64_t to,
                      uint64_t *shortest, uint64_t *longest)
{
    if (decoder->n - from > SDSIM_SD_RING) {
        from = decoder->n - SDSIM_SD_RING;
    }
    uint64_t least = UINT64_MAX;
    uint64_t most = 0;
    uint64_t last = decoder->rises[from % SDSIM_SD_RING];
    for (uint64_t i = from + 1; i <= to; i++) {
        const uint64_t rise = decoder->rises[i % SDSIM_SD_RING];
        const uint64_t period = rise - last;
        least = period < least ? period : least;
        most = period > most ? period : most;
        last = rise;
    }
    *shortest = least;
    *longest = most;
}

/* The 16 bits of a check sum on a line, and whether the end bit behind it is one. */
static bool crc_is(const struct sdsim_sd_decoder *decoder, uint64_t at, unsigned sampling,
                   unsigned line, uint16_t crc)
{
    uint8_t sent[2];
    take_bytes(decoder, at, sampling, line, 2, sent);
    return (sent[0] << 8 | sent[1]) == crc && sdsim_sd_line(decoder, at + 16, sampling, line) == 1;
}

bool sdsim_sd_block_read(const struct sdsim_sd_decoder *decoder, uint64_t start, unsigned sampling,
                         unsigned width, unsigned size, uint8_t *bytes)
{
    if (width == 1) {
        take_bytes(decoder, start + 1, sampling, 1, size, bytes);
        return crc_is(decoder, start + 1 + 8 * size, sampling, 1, sdsim_crc16(bytes, size));
    }
    const unsigned shift = sampling * SDSIM_SD_LINES + 1;
    for (unsigned i = 0; i < size; i++) {
        const uint32_t high = decoder->words[(start + 1 + 2 * i) % SDSIM_SD_RING];
        const uint32_t low = decoder->words[(start + 2 + 2 * i) % SDSIM_SD_RING];
        bytes[i] = (uint8_t)((high >> shift & 15) << 4 | (low >> shift & 15));
    }
    uint16_t crc[4];
    sdsim_crc16_lines(bytes, size, crc);
    bool right = true;
    for (unsigned line = 0; line < 4; line++) {
        right = right && crc_is(decoder, start + 1 + 2 * size, sampling, line + 1, crc[line]);
    }
    return right;
}

bool sdsim_sd_block_check_dat0(const struct sdsim_sd_decoder *decoder, uint64_t start,
                               unsigned sampling, unsigned size)
{
    uint8_t bytes[SDSIM_SD_BLOCK / 4];
    take_bytes(decoder, start + 1, sampling, 1, size / 4, bytes);
    return crc_is(decoder, start + 1 + 2 * size, sampling, 1, sdsim_crc16(bytes, size / 4));
}

void sdsim_sd_output_edges(const struct sdsim_sd_decoder *decoder,
                           const struct sdsim_sd_frame *frame, uint64_t *low, uint64_t *high)
{
    for (uint64_t n = frame->start + 1; n < frame->start + frame->bits; n++) {
        const unsigned before = sdsim_sd_line(decoder, n - 1, SDSIM_SAMPLE_AT_FALL, 0);
        const unsigned risen = sdsim_sd_line(decoder, n, SDSIM_SAMPLE_BEFORE_RISE, 0);
        const unsigned fallen = sdsim_sd_line(decoder, n - 1, SDSIM_SAMPLE_BEFORE_FALL, 0);
        const unsigned began = sdsim_sd_line(decoder, n - 1, SDSIM_SAMPLE_BEFORE_RISE, 0);
        *low += before != risen || fallen != before;
        *high += began != fallen;
    }
}
