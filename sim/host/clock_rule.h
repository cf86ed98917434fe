/*
 * Clock rules: which bus frequency a host really gives when firmware asks for one.
 *
 * A bus clock is a fast clock of the chip divided by a number. Which numbers there are depends on
 * the chip, and which one is taken on the code that sets it up; together they are a rule. Rules are
 * code, written from the sources named at each; what differs between chips of one rule is data in
 * struct sdsim_clock_source. Frequencies are exact fractions.
 *
 * Most rules never go above the request. The others take the nearest frequency or cut a fraction
 * off and may exceed it; the explanation says so.
 *
 * Limits: a request below the slowest frequency is cut to that one where the firmware does so, and
 * refused where it is an error in the firmware. "Not above" and "nearest" are judged in whole
 * hertz, rounded down, by the rules whose source does (see each), so those may be less than 1 Hz
 * too fast. The UHS clocks of the ESP32-P4 are not covered.
 */
#ifndef SDSIM_HOST_CLOCK_RULE_H
#define SDSIM_HOST_CLOCK_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sdsim_clock_rule {
    /* The request itself: a Linux host, or one that nothing is known of. */
    SDSIM_CLOCK_EXACT,
    /* arduino-esp32 SPI: source / (pre * n), n 2..64. In whole hertz. esp32-hal-spi.c,
       spiFrequencyToClockDiv. */
    SDSIM_CLOCK_ESP32_ARDUINO,
    /* ESP-IDF SPI master: the nearest of source / (pre * n), n 2..64, or the source itself above
       3/4 of it. May exceed. In whole hertz. spi_ll.h, spi_ll_master_cal_clock. */
    SDSIM_CLOCK_ESP_IDF_SPI,
    /* The same, asked again for less until the answer is not above what was wanted: CircuitPython
       on Espressif chips, common-hal/busio/SPI.c. */
    SDSIM_CLOCK_ESP_IDF_SPI_BELOW,
    /* ESP-IDF SDMMC host, release 6 on: source / host / (1 or 2 * card). sd_host_sdmmc.c. */
    SDSIM_CLOCK_ESP_SDMMC,
    /* ESP-IDF SDMMC host, releases 5: the same with another search. sdmmc_host.c. */
    SDSIM_CLOCK_ESP_SDMMC_V5,
    /* RP2040 and RP2350 SPI: source / (even prescale * postdiv). In whole hertz. pico-sdk
       hardware_spi/spi.c, spi_set_baudrate. */
    SDSIM_CLOCK_PL022,
    /* SDIO made by the PIO of the RP2040 and RP2350: source / (cycles * divider), the divider in
       steps of 1/256, rounded to the nearest, at least 1. May exceed. pico-sdk hardware/pio.h. */
    SDSIM_CLOCK_PIO_SDIO,
    /* SAMD21 and SAMD51, Arduino: source / 2 / (BAUD + 1), cut. May exceed. SERCOM.cpp,
       calculateBaudrateSynchronous. */
    SDSIM_CLOCK_SERCOM_ARDUINO,
    /* SAMD21 and SAMD51, CircuitPython: the same, never above. samd-peripherals. */
    SDSIM_CLOCK_SERCOM_CPY,
    /* Source / 2, 4, 8, ...: STM32 SPI (to 256; stm32duino spi_com.c), AVR (to 128; SPI.h). */
    SDSIM_CLOCK_POWER_OF_TWO,
    /* STM32 F1, F2, F4, F7, L4 SDIO: source / (CLKDIV + 2), CLKDIV 0..255, or bypass. HAL. */
    SDSIM_CLOCK_STM32_SDIO,
    /* STM32 H7 and newer L4+ SDMMC: source / (2 * CLKDIV), CLKDIV 1..1023, or bypass. HAL. */
    SDSIM_CLOCK_STM32_SDMMC,
    /* nRF52, Arduino: the whole part of 64 MHz / request picks one of 125 kHz to 8 MHz, on SPIM3 to
       32 MHz. May exceed. Adafruit_nRF52_Arduino, libraries/SPI. */
    SDSIM_CLOCK_NRF52,
    /* i.MX RT LPSPI, Teensy 4: source / d, d from 2. SPI.h of the Teensy core. */
    SDSIM_CLOCK_LPSPI,
    /* i.MX RT USDHC, Teensy 4: source / (power of two to 256 * 1..16). In whole hertz. SdFat
       TeensySdio. */
    SDSIM_CLOCK_USDHC,
    /* FT232H and its kin, MPSSE with divide-by-5 off: source / (2 * (1 + d)), d 0..65535. FTDI
       AN_135; rounded down, which is this program's own choice. */
    SDSIM_CLOCK_FTDI,
    SDSIM_CLOCK_RULE_COUNT
};

/* A clock source and what its chip allows. A field that is 0 takes the usual value. */
struct sdsim_clock_source {
    enum sdsim_clock_rule rule;
    uint64_t source_hz;  /* what is divided, to 1 GHz; > 0 save for EXACT */
    uint64_t maximum_hz; /* requests are cut to this first (SAMD21: 24 MHz; nRF52 other than SPIM3:
                            8 MHz). 0: no limit */
    uint32_t pre_limit;  /* ESP32 rules: the largest pre-divider. Usual: 8192, as in the ESP32 and
                            S2;  16 in the S3, C3, C2, C6, H2 */
    uint32_t cycles;     /* PIO_SDIO: program steps per bus clock. Usual: 4 */
    uint32_t largest; /* POWER_OF_TWO: the largest divider. Usual: 256; 128 on AVR. LPSPI: the same,
                         257 on Teensy 4, so that 240 MHz can't go below 934 kHz. Usual: no limit */
    bool bypass;      /* STM32 SDIO and SDMMC: the source may go out undivided */
};

struct sdsim_clock_choice {
    uint64_t hz_num; /* the frequency is hz_num / hz_den Hz */
    uint64_t hz_den;
    uint32_t divider;   /* source / frequency, if that is a whole number; 0 if not */
    bool above_request; /* by 1 Hz or more */
};

/*
 * What the host gives for a request of requested_hz > 0. False if it can't be made: it is slower
 * than the slowest, and the firmware has no answer to that; *choice is untouched then.
 */
bool sdsim_clock_choose(const struct sdsim_clock_source *source, uint64_t requested_hz,
                        struct sdsim_clock_choice *choice);

/* True for the rules that may give more than was asked. */
bool sdsim_clock_may_exceed(enum sdsim_clock_rule rule);

/*
 * Says in one line what is given for a request, and why, into `out` (cut at `size`, terminated):
 *
 *     24MHz asked, 20MHz real: 80MHz / 4; 80MHz / 3 = 26.667MHz is above 24MHz
 *     40MHz asked, cut to 25MHz by the driver, 20MHz real: 80MHz / 4; 80MHz / 3 = 26.667MHz is
 *     above the driver's cap of 25MHz
 *
 * cap_hz > 0 is a limit that somebody puts on requests (arduino-esp32 SD: 25 MHz), and cap_owner
 * the word for who does: "driver", "card". A limit above the request is not spoken of. Returns out.
 */
char *sdsim_clock_explain(const struct sdsim_clock_source *source, uint64_t requested_hz,
                          uint64_t cap_hz, const char *cap_owner, char *out, size_t size);

#endif
