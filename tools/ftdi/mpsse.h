/*
 * What is common to all who speak to FTDI's MPSSE: the chips there are, the opcodes, the clock.
 *
 * MPSSE is a small engine in the chip that takes a stream of opcodes with their arguments and moves
 * bits on the pins ADBUS0 (SCK), ADBUS1 (MOSI), ADBUS2 (MISO) and, as the host says, the others. What
 * it reads goes back in order. Opcodes and arguments: FTDI AN_108; clock: AN_135 section 2.
 *
 * Sizes of the FIFOs are those of pyftdi's documentation; FTDI's data sheets contradict themselves.
 */
#ifndef SDSIM_FTDI_MPSSE_H
#define SDSIM_FTDI_MPSSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- chips ---- */

enum sdsim_ftdi_kind {
    SDSIM_FT232H,
    SDSIM_FT2232H,
    SDSIM_FT4232H,
    SDSIM_FTDI_KINDS,
};

struct sdsim_ftdi_chip {
    const char *name;
    uint16_t product;  /* USB product number, as it leaves the factory */
    uint16_t release;  /* bcdDevice, which tells the kinds apart */
    uint8_t channels;  /* that have an MPSSE: interface A, B */
    uint16_t out_fifo; /* bytes from the host that wait in the chip */
    uint16_t in_fifo;  /* bytes for the host that do */
    bool high_pins;    /* has ACBUS: opcodes 0x82 and 0x83 reach something */
    bool open_drain;   /* knows 0x9E */
};

#define SDSIM_FTDI_VENDOR 0x0403u

const struct sdsim_ftdi_chip *sdsim_ftdi_chip(enum sdsim_ftdi_kind kind);

/* ---- opcodes ---- */

/* A shifting command is these bits, 0x80 clear; of MPSSE_WRITE, MPSSE_READ and MPSSE_TMS at least
 * one is set. Without MPSSE_BITS two bytes of length - 1 follow, with it one byte of bits - 1; with
 * MPSSE_WRITE then the data. */
enum {
    SDSIM_MPSSE_WRITE_FALLING = 0x01,
    SDSIM_MPSSE_BITS = 0x02,
    SDSIM_MPSSE_READ_FALLING = 0x04,
    SDSIM_MPSSE_LSB_FIRST = 0x08,
    SDSIM_MPSSE_WRITE = 0x10,
    SDSIM_MPSSE_READ = 0x20,
    SDSIM_MPSSE_TMS = 0x40,
};

enum {
    /* SPI mode 0, most significant bit first: 0xFF & (WRITE | WRITE_FALLING), READ, and both */
    SDSIM_MPSSE_BYTES_OUT = 0x11,
    SDSIM_MPSSE_BYTES_IN = 0x20,
    SDSIM_MPSSE_BYTES_IN_LATE = 0x24, /* on the falling edge: half a clock later */
    SDSIM_MPSSE_BYTES_BOTH = 0x31,

    SDSIM_MPSSE_SET_LOW = 0x80, /* levels, directions (1: out) of ADBUS0..7 */
    SDSIM_MPSSE_GET_LOW = 0x81, /* answers one byte */
    SDSIM_MPSSE_SET_HIGH = 0x82,
    SDSIM_MPSSE_GET_HIGH = 0x83,
    SDSIM_MPSSE_LOOP_ON = 0x84, /* what is sent is what is read */
    SDSIM_MPSSE_LOOP_OFF = 0x85,
    SDSIM_MPSSE_DIVISOR = 0x86,   /* two bytes, low one first */
    SDSIM_MPSSE_SEND_NOW = 0x87,  /* what was read goes to the host at once */
    SDSIM_MPSSE_WAIT_HIGH = 0x88, /* of ADBUS5 (GPIOL1), without clocking */
    SDSIM_MPSSE_WAIT_LOW = 0x89,
    SDSIM_MPSSE_DIVIDE_5_OFF = 0x8A, /* 60 MHz; after a reset it is 12 MHz */
    SDSIM_MPSSE_DIVIDE_5_ON = 0x8B,
    SDSIM_MPSSE_THREE_PHASE_ON = 0x8C,
    SDSIM_MPSSE_THREE_PHASE_OFF = 0x8D,
    SDSIM_MPSSE_CLOCK_BITS = 0x8E,       /* one byte, clocks - 1 */
    SDSIM_MPSSE_CLOCK_BYTES = 0x8F,      /* two bytes, clocks / 8 - 1 */
    SDSIM_MPSSE_CLOCK_UNTIL_HIGH = 0x94, /* of ADBUS5 */
    SDSIM_MPSSE_CLOCK_UNTIL_LOW = 0x95,
    SDSIM_MPSSE_ADAPTIVE_ON = 0x96,
    SDSIM_MPSSE_ADAPTIVE_OFF = 0x97,
    SDSIM_MPSSE_CLOCK_BYTES_UNTIL_HIGH = 0x9C, /* two bytes, clocks / 8 - 1: at most so many */
    SDSIM_MPSSE_CLOCK_BYTES_UNTIL_LOW = 0x9D,
    SDSIM_MPSSE_OPEN_DRAIN = 0x9E, /* two bytes, one bit a pin */
    SDSIM_MPSSE_NONSENSE = 0xAA,   /* no command: answers BAD and itself */
    SDSIM_MPSSE_BAD = 0xFA,
};

/* The pins of ADBUS as a card is wired to them. */
enum {
    SDSIM_PIN_SCK = 0x01,
    SDSIM_PIN_MOSI = 0x02,
    SDSIM_PIN_MISO = 0x04,
    SDSIM_PIN_CS = 0x08,   /* TMS, in FTDI's words */
    SDSIM_PIN_WAIT = 0x20, /* GPIOL1: MISO once more, for those who want to wait in the chip */
};

/* The most bytes of one shifting command. */
#define SDSIM_MPSSE_MOST_BYTES 65536u

/* ---- clock ---- */

#define SDSIM_MPSSE_SOURCE_HZ  60000000u /* with divide-by-5 off */
#define SDSIM_MPSSE_FASTEST_HZ (SDSIM_MPSSE_SOURCE_HZ / 2)
#define SDSIM_MPSSE_DIVISORS   65536u

/* Bus frequency for a divisor d, 0..65535: 60 MHz / (2 * (1 + d)), as a fraction num/den in Hz. */
struct sdsim_mpsse_clock {
    uint32_t num;
    uint32_t den;
    uint16_t divisor;
};

struct sdsim_mpsse_clock sdsim_mpsse_clock_of(uint16_t divisor);

/* The fastest clock that is not above `hz`. False if even the slowest one (458 Hz) is. */
bool sdsim_mpsse_clock_below(uint64_t hz, struct sdsim_mpsse_clock *clock);

/* The frequency in words, "15 MHz", "400 kHz", "7.5 MHz", "13.33 kHz": cut, never rounded up. `text`
 * takes up to 32 bytes. Returns it. */
char *sdsim_mpsse_clock_text(const struct sdsim_mpsse_clock *clock, char text[32]);

#endif
