/*
 * Frames and tokens as bytes: what a command, a response and a token look like on the wire.
 *
 * In SD mode a frame is a bit string that is sent most significant bit first; here it is the byte
 * array that holds those bits (6 bytes for 48 bits, 17 for 136). In SPI mode commands are the same
 * six bytes and responses are one to five bytes without a check sum.
 *
 * Source of all layouts: SD Physical Layer Simplified Specification 9.10, sections 4.7, 4.9
 * and 7.3. Limits: what the bits of a response mean to a card is the business of the card layer.
 */
#ifndef SDSIM_BUS_FRAME_H
#define SDSIM_BUS_FRAME_H

#include <stdbool.h>
#include <stdint.h>

enum {
    SDSIM_FRAME_SIZE = 6,     /* a command, or a 48-bit response of SD mode */
    SDSIM_FRAME_R2_SIZE = 17, /* the 136-bit response of SD mode */
    SDSIM_REGISTER_SIZE = 16, /* CID and CSD, their own CRC7 byte included */
    SDSIM_SPI_R2_SIZE = 2,
    SDSIM_SPI_R3_SIZE = 5, /* and R7 */
};

/* A command (host) or a 48-bit response (card), taken apart. */
struct sdsim_frame {
    uint8_t index; /* 0..63 */
    uint32_t argument;
};

enum sdsim_frame_fault {
    SDSIM_FRAME_OK,
    SDSIM_FRAME_NO_START,  /* start bit 1 */
    SDSIM_FRAME_DIRECTION, /* a response where a command should be, or the other way round */
    SDSIM_FRAME_NO_END,    /* end bit 0 */
    SDSIM_FRAME_CRC,
    SDSIM_FRAME_RESERVED, /* bits that are all ones in R2 and R3 are not */
};

/* Builds a command; index 0..63. */
void sdsim_frame_command(const struct sdsim_frame *frame, uint8_t out[SDSIM_FRAME_SIZE]);

/* SD mode, R1, R1b, R6 and R7: like a command, but with the card's direction bit. *frame is filled in
 * even on a fault, as far as its bits can be read: a host that does not check the CRC goes on with it. */
enum sdsim_frame_fault sdsim_frame_read_response(const uint8_t bytes[SDSIM_FRAME_SIZE],
                                                 struct sdsim_frame *frame);

/* SD mode, R3: OCR between ones instead of an index and a CRC. */
enum sdsim_frame_fault sdsim_frame_read_r3(const uint8_t bytes[SDSIM_FRAME_SIZE], uint32_t *ocr);

/* SD mode, R2: CID or CSD. `content` is the register as it is stored, most significant byte first;
 * its last byte is the CRC7 of the fifteen before it and the end bit. */
enum sdsim_frame_fault sdsim_frame_read_r2(const uint8_t bytes[SDSIM_FRAME_R2_SIZE],
                                           uint8_t content[SDSIM_REGISTER_SIZE]);

/* Bits of R1 in SPI mode; bit 7 is 0, which tells it from the FF of an idle line. */
enum sdsim_spi_r1 {
    SDSIM_SPI_R1_IDLE = 0x01,
    SDSIM_SPI_R1_ERASE_RESET = 0x02,
    SDSIM_SPI_R1_ILLEGAL = 0x04,
    SDSIM_SPI_R1_CRC = 0x08,
    SDSIM_SPI_R1_ERASE_SEQUENCE = 0x10,
    SDSIM_SPI_R1_ADDRESS = 0x20,
    SDSIM_SPI_R1_PARAMETER = 0x40,
};

/* SPI mode: R1 is a byte itself. R2 is R1 and a status byte; R3 is R1 and the OCR; R7 is R1 and the
 * answer to CMD8, with the same layout as R3. */

/* Tokens of SPI mode that start and stop data. */
enum sdsim_token {
    SDSIM_TOKEN_START = 0xFE,       /* every read, CMD24 */
    SDSIM_TOKEN_START_MULTI = 0xFC, /* CMD25 */
    SDSIM_TOKEN_STOP = 0xFD,        /* ends CMD25 */
};

/* The data response of SPI mode: what a card says to a written block, after masking. */
enum sdsim_data_response {
    SDSIM_DATA_RESPONSE_MASK = 0x1F,
    SDSIM_DATA_ACCEPTED = 0x05,
    SDSIM_DATA_CRC_ERROR = 0x0B,
    SDSIM_DATA_WRITE_ERROR = 0x0D,
};

/* The data error token of SPI mode, sent instead of a block: 0000 and one flag or more. */
enum sdsim_data_error {
    SDSIM_DATA_ERROR = 0x01,
    SDSIM_DATA_ERROR_CC = 0x02, /* of the card's own controller */
    SDSIM_DATA_ERROR_ECC = 0x04,
    SDSIM_DATA_ERROR_RANGE = 0x08,
};

/* True for the byte of a data error token: upper half 0, at least one flag. */
static inline bool sdsim_data_error_token(uint8_t byte)
{
    return byte != 0 && byte < 0x10;
}

/* The CRC status of SD mode, five bits on DAT0: start bit 0, the code, end bit 1. */
enum sdsim_crc_status {
    SDSIM_CRC_STATUS_GOOD = 0x05, /* 0 010 1 */
    SDSIM_CRC_STATUS_BAD = 0x0B,  /* 0 101 1 */
};

#endif
