#include "bus/frame.h"

#include <string.h>

#include "core/crc.h"

enum {
    START_BIT = 0x80,
    HOST_BIT = 0x40, /* the direction bit: 1 from the host, 0 from the card */
    INDEX_BITS = 0x3F,
    END_BIT = 0x01,
};

static uint32_t get_word(const uint8_t bytes[4])
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* Start, direction and end bit of a response. */
static enum sdsim_frame_fault check_ends(const uint8_t *bytes, size_t size)
{
    if (bytes[0] & START_BIT) {
        return SDSIM_FRAME_NO_START;
    }
    if (bytes[0] & HOST_BIT) {
        return SDSIM_FRAME_DIRECTION;
    }
    return bytes[size - 1] & END_BIT ? SDSIM_FRAME_OK : SDSIM_FRAME_NO_END;
}

void sdsim_frame_command(const struct sdsim_frame *frame, uint8_t out[SDSIM_FRAME_SIZE])
{
    out[0] = HOST_BIT | (frame->index & INDEX_BITS);
    for (unsigned i = 0; i < 4; i++) {
        out[1 + i] = (uint8_t)(frame->argument >> (24 - 8 * i));
    }
    out[5] = sdsim_crc7_byte(out, 5);
}

enum sdsim_frame_fault sdsim_frame_read_response(const uint8_t bytes[SDSIM_FRAME_SIZE],
                                                 struct sdsim_frame *frame)
{
    frame->index = bytes[0] & INDEX_BITS;
    frame->argument = get_word(bytes + 1);
    const enum sdsim_frame_fault fault = check_ends(bytes, SDSIM_FRAME_SIZE);
    if (fault != SDSIM_FRAME_OK) {
        return fault;
    }
    return bytes[5] == sdsim_crc7_byte(bytes, 5) ? SDSIM_FRAME_OK : SDSIM_FRAME_CRC;
}

enum sdsim_frame_fault sdsim_frame_read_r3(const uint8_t bytes[SDSIM_FRAME_SIZE], uint32_t *ocr)
{
    *ocr = get_word(bytes + 1);
    const enum sdsim_frame_fault fault = check_ends(bytes, SDSIM_FRAME_SIZE);
    if (fault != SDSIM_FRAME_OK) {
        return fault;
    }
    return bytes[0] == INDEX_BITS && bytes[5] == 0xFF ? SDSIM_FRAME_OK : SDSIM_FRAME_RESERVED;
}

enum sdsim_frame_fault sdsim_frame_read_r2(const uint8_t bytes[SDSIM_FRAME_R2_SIZE],
                                           uint8_t content[SDSIM_REGISTER_SIZE])
{
    memcpy(content, bytes + 1, SDSIM_REGISTER_SIZE);
    const enum sdsim_frame_fault fault = check_ends(bytes, SDSIM_FRAME_R2_SIZE);
    if (fault != SDSIM_FRAME_OK) {
        return fault;
    }
    if (bytes[0] != INDEX_BITS) {
        return SDSIM_FRAME_RESERVED;
    }
    const uint8_t crc = sdsim_crc7_byte(content, SDSIM_REGISTER_SIZE - 1);
    return content[SDSIM_REGISTER_SIZE - 1] == crc ? SDSIM_FRAME_OK : SDSIM_FRAME_CRC;
}
