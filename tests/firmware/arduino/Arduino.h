/* As much of an Arduino core as the sketch needs, with the clock of the card in RAM. */
#ifndef ARDUINO_H
#define ARDUINO_H

#include <stdint.h>
#include <stdio.h>

#include "ram_card.h"

#define F(literal) literal

static inline unsigned long micros(void)
{
    return ram_card_micros();
}

static inline unsigned long millis(void)
{
    return ram_card_micros() / 1000;
}

static inline void delay(unsigned long ms)
{
    ram_card.micros += (uint32_t)ms * 1000;
}

class StubSerial
{
  public:
    void begin(unsigned long)
    {
    }
    size_t write(uint8_t c)
    {
        return putchar(c) == EOF ? 0 : 1;
    }
    void println(const char *text)
    {
        puts(text);
    }
    explicit operator bool() const
    {
        return true;
    }
};

static StubSerial Serial;

#if defined(ARDUINO_ARCH_ESP32)
struct StubEsp {
    uint32_t getCpuFreqMHz() const
    {
        return 240;
    }
};

static StubEsp ESP;
#endif

#endif
