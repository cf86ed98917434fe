/*
 * The declarations of a VCD file, up to $enddefinitions: time scale, and the single-bit variables with
 * their identifier codes.
 *
 * Accepted: scopes (which are not part of the names), $date, $version and $comment in any place, the
 * line "META samplerate: ..." that sigrok-cli writes in front when it converts CSV (with a warning).
 * Vectors, reals and strings are left out; a warning names the first. "Acquisition ... at 24 MHz",
 * which libsigrok puts in a comment, tells the rate of the recording.
 *
 * Codes of one or two characters, all that a small file has, are found in a table; longer ones by
 * comparing.
 */
#ifndef SDSIM_CAPTURE_VCD_HEADER_H
#define SDSIM_CAPTURE_VCD_HEADER_H

#include "capture/pin_format.h"

#define SDSIM_VCD_CODE  16
#define SDSIM_VCD_SHORT (94 + 94 * 94)

struct sdsim_vcd_codes {
    uint8_t of_short[SDSIM_VCD_SHORT]; /* 1 + channel, 0: none */
    char of_long[SDSIM_PIN_CHANNELS][SDSIM_VCD_CODE];
    uint64_t longs; /* bit c: channel c has a long code */
};

/* Whether a file begins like a VCD file. */
bool sdsim_vcd_recognise(const unsigned char *head, size_t size);

/* Reads the declarations. False after a message. */
bool sdsim_vcd_header_read(struct sdsim_pins *pins, struct sdsim_pin_file *file,
                           struct sdsim_vcd_codes *codes);

/* 1 + channel of a code, 0 if it is none of the single-bit variables. */
static inline unsigned sdsim_vcd_code_short(const unsigned char *code, size_t length)
{
    return length == 1 ? code[0] - 33u : 94u + (code[0] - 33u) * 94u + (code[1] - 33u);
}
unsigned sdsim_vcd_code_long(const struct sdsim_vcd_codes *codes, const unsigned char *code,
                             size_t length);

#endif
