/*
 * Byte exchanges as people write them down: what the host sent, and what the card answered.
 *
 *     # comment
 *     CS 0                                    CS low; CS 1 or CS high: high. Also cs=0
 *     clock 400kHz                            what a byte takes; without it the exchange has no times
 *     @12us FF*10 -> FF*10                    starts at that time; +5us: that much later
 *     40 00 00 00 00 95 FF FF -> FF*7 01      both sides in full, byte by byte
 *     48 00 00 01 AA 87 -> 01 00 00 01 AA     a command and its answer, as in forum posts
 *     77.. -> 01                              a known command, completed
 *     CMD8 0x1AA => 0x01, 0x00, 0x00, 0x01, 0xAA   the same by name; ACMD41 is 69..
 *     77.. -> 00/01                           either answer
 *     FF FE <512 data> <crc16> -> FF*516      bytes that do not matter, and their right CRC
 *     FE <512 data> <crc16> -> E5 00.. FF     a block and what the card says behind it
 *     FF.. -> 00.. FF                         a run of unknown length
 *     40 00 00 00 00 95 -> -                  no answer
 *     59 00 00 03 E8 87 FF FF FC              what the card sent is not known
 *
 * A line is `HOST -> CARD`. If both sides have as many bytes they are simultaneous. A command frame
 * alone, or with FF behind it, followed by fewer or other bytes is the short form: the card showed
 * FF during the frame, one FF before its answer (behind CMD12 also the stuff byte), and the host
 * sent FF while it read the answer and one byte more. Of one byte nothing follows: people write R1 and
 * leave the rest of R2, R3 or R7 out. Six bytes behind a frame of six are the
 * short form too if they look like an answer. A block from its token on is followed by a short form
 * of its own, fewer bytes that begin with a data response. Without `->` the card's side is taken
 * for FF and is marked as not known; without HOST the host sent FF.
 *
 * Bytes are two hex digits, with or without 0x, and with blanks or commas between; `XX*n` repeats
 * one. `XX..` at the place of a command's first byte (40 to 7F) is the whole frame with the
 * argument everybody uses and a right CRC7; any other `XX..` is a run as long as the other side
 * needs, or of 4 bytes. `CMDn` and `ACMDn`, first in a line, are such frames, with the argument
 * behind if it is 0x and up to 8 digits; what CMD55 says has its own line. `A/B` stands for A.
 * `<n>` and `<n word>` are n bytes of 00; `<crc16>` is the CRC16 of everything since the start
 * token on this side, FE or FC.
 *
 * Times: `clock`, `@` and `+` give the bytes times (at 400 kHz if no clock was given); `@` never goes
 * back.
 *
 * Limits: lines up to 64 KiB, 4096 entries a side, runs up to 10^7, 10^8 bytes in all; a block
 * before `<crc16>` up to 512 bytes. Nothing is told if there is an error anywhere.
 */
#ifndef SDSIM_CAPTURE_EXCHANGE_H
#define SDSIM_CAPTURE_EXCHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "capture/spi_byte.h"
#include "core/diag.h"

/* Who takes the bytes. `at` of a byte, and `line`, is its line in the text, from 1. */
struct sdsim_exchange_sink {
    void (*select)(struct sdsim_exchange_sink *sink, bool low, sdsim_ps at, uint64_t line);
    void (*byte)(struct sdsim_exchange_sink *sink, const struct sdsim_spi_byte *byte);
};

/* What an exchange says about itself. */
struct sdsim_exchange_facts {
    bool timed;
    bool cs_known;     /* it has CS lines; if not, CS is taken for low */
    bool card_unknown; /* a line has no card side */
    uint64_t bytes;
};

/* Reads all of `text` (any bytes; `name` is for messages). Checks it first, and gives the facts in
 * *facts; false after messages in `diags`, and then nothing was told. `sink` may be NULL: only
 * checks. */
bool sdsim_exchange_read(const char *name, const char *text, size_t size,
                         struct sdsim_exchange_sink *sink, struct sdsim_exchange_facts *facts,
                         struct sdsim_diags *diags);

/*
 * Writes bytes as an exchange, both sides in full: frames start a line, equal bytes are put
 * together. Reading it again gives the same bytes and CS edges. `timed`: each line says when it
 * starts, and runs and pauses end a line, so that those times come back; bytes within a line follow
 * each other at its clock. Errors of the stream are the caller's to look at.
 */
struct sdsim_exchange_writer {
    struct sdsim_exchange_sink sink; /* first: a writer is a sink */
    FILE *out;
    bool timed;
    sdsim_ps byte_time; /* of the last clock that was written; 0: none */
    sdsim_ps start;     /* of the line under way */
    sdsim_ps end;       /* of the last byte */
    unsigned count;     /* of its runs of equal bytes */
    struct {
        uint8_t mosi;
        uint8_t miso;
        uint64_t bytes;
    } runs[16];
};

void sdsim_exchange_writer_init(struct sdsim_exchange_writer *writer, FILE *out, bool timed);
/* Writes what is left of the last line. */
void sdsim_exchange_writer_end(struct sdsim_exchange_writer *writer);

#endif
