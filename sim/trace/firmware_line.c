#include "trace/firmware_line.h"

#include <string.h>

enum { RECORD = SDSIM_FIRMWARE_RECORD_BYTES, LINE_BYTES = RECORD + 3 + 2 };

static const char mark[] = "sdt1:";

uint16_t sdsim_firmware_crc(uint16_t crc, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        crc = (uint16_t)(crc ^ bytes[i] << 8);
        for (int bit = 0; bit < 8; bit++) {
            crc = (uint16_t)((crc & 0x8000) != 0 ? crc << 1 ^ 0x1021 : crc << 1);
        }
    }
    return crc;
}

static int base64_digit(char c)
{
    if (c >= 'A' && c <= 'Z') {
        return c - 'A';
    }
    if (c >= 'a' && c <= 'z') {
        return c - 'a' + 26;
    }
    if (c >= '0' && c <= '9') {
        return c - '0' + 52;
    }
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* The bytes of a line, behind its mark; false: it is not base64. */
static bool decode_line(const char *text, uint8_t *bytes)
{
    for (size_t i = 0; i < LINE_BYTES / 3; i++) {
        uint32_t three = 0;
        for (size_t k = 0; k < 4; k++) {
            const int digit = base64_digit(text[4 * i + k]);
            if (digit < 0) {
                return false;
            }
            three = three << 6 | (uint32_t)digit;
        }
        bytes[3 * i] = (uint8_t)(three >> 16);
        bytes[3 * i + 1] = (uint8_t)(three >> 8);
        bytes[3 * i + 2] = (uint8_t)three;
    }
    return true;
}

const char *sdsim_firmware_line_find(const char *bytes, size_t size)
{
    const char *end = bytes + size;
    while (bytes < end) {
        const char *place = memchr(bytes, mark[0], (size_t)(end - bytes));
        if (place == NULL || end - place < SDSIM_FIRMWARE_MARK_LENGTH) {
            return NULL;
        }
        if (memcmp(place, mark, SDSIM_FIRMWARE_MARK_LENGTH) == 0) {
            return place;
        }
        bytes = place + 1;
    }
    return NULL;
}

bool sdsim_firmware_line_decode(const char *text, uint8_t *record, uint32_t *number)
{
    uint8_t bytes[LINE_BYTES];
    if (!decode_line(text, bytes) || sdsim_firmware_crc(0, bytes, LINE_BYTES - 2) !=
                                         (bytes[LINE_BYTES - 2] | bytes[LINE_BYTES - 1] << 8)) {
        return false;
    }
    memcpy(record, bytes, RECORD);
    *number = (uint32_t)bytes[RECORD] | (uint32_t)bytes[RECORD + 1] << 8 |
              (uint32_t)bytes[RECORD + 2] << 16;
    return true;
}
