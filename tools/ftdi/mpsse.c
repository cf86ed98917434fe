#include "mpsse.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

const struct sdsim_ftdi_chip *sdsim_ftdi_chip(enum sdsim_ftdi_kind kind)
{
    static const struct sdsim_ftdi_chip chips[SDSIM_FTDI_KINDS] = {
        [SDSIM_FT232H] = {.name = "FT232H",
                          .product = 0x6014,
                          .release = 0x0900,
                          .channels = 1,
                          .out_fifo = 1024,
                          .in_fifo = 1024,
                          .high_pins = true,
                          .open_drain = true},
        [SDSIM_FT2232H] = {.name = "FT2232H",
                           .product = 0x6010,
                           .release = 0x0700,
                           .channels = 2,
                           .out_fifo = 4096,
                           .in_fifo = 4096,
                           .high_pins = true},
        [SDSIM_FT4232H] = {.name = "FT4232H",
                           .product = 0x6011,
                           .release = 0x0800,
                           .channels = 2,
                           .out_fifo = 2048,
                           .in_fifo = 2048},
    };
    assert(kind < SDSIM_FTDI_KINDS);
    return &chips[kind];
}

struct sdsim_mpsse_clock sdsim_mpsse_clock_of(uint16_t divisor)
{
    return (struct sdsim_mpsse_clock){
        .num = SDSIM_MPSSE_FASTEST_HZ, .den = 1u + divisor, .divisor = divisor};
}

bool sdsim_mpsse_clock_below(uint64_t hz, struct sdsim_mpsse_clock *clock)
{
    if (hz == 0) {
        return false;
    }
    const uint64_t den = hz >= SDSIM_MPSSE_FASTEST_HZ ? 1 : (SDSIM_MPSSE_FASTEST_HZ + hz - 1) / hz;
    if (den > SDSIM_MPSSE_DIVISORS) {
        return false;
    }
    *clock = sdsim_mpsse_clock_of((uint16_t)(den - 1));
    return true;
}

char *sdsim_mpsse_clock_text(const struct sdsim_mpsse_clock *clock, char text[32])
{
    const uint32_t hz = clock->num / clock->den;
    const uint32_t unit = hz >= 1000000 ? 1000000 : hz >= 1000 ? 1000 : 1;
    const char *name = unit == 1000000 ? "MHz" : unit == 1000 ? "kHz" : "Hz";
    const uint64_t hundredths = (uint64_t)clock->num * 100 / ((uint64_t)clock->den * unit);
    int length =
        snprintf(text, 32, "%u.%02u", (unsigned)(hundredths / 100), (unsigned)(hundredths % 100));
    while (text[length - 1] == '0') {
        length--;
    }
    length -= text[length - 1] == '.';
    snprintf(text + length, 32 - (size_t)length, " %s", name);
    return text;
}
