/*
 * How fast does this board read and write this SD card? Copy sdbench.h into the folder of this
 * sketch, set what is below, upload, and save what the serial monitor shows (115200 baud) as a
 * file. Makes a file SDBENCH.BIN on the card, up to 4 MiB, and deletes it again. Takes under a
 * minute.
 */

/* Which library: one of USE_SD (SD.h), USE_SD_MMC (ESP32), USE_SDFAT (SdFat 2). */
#if !defined(USE_SD_MMC) && !defined(USE_SDFAT)
#define USE_SD
#endif

/* The pin of the card's chip select, and the clock to ask for. Many boards define the pin. */
#if defined(SDCARD_SS_PIN)
#define PIN_CS SDCARD_SS_PIN
#else
#define PIN_CS 10
#endif
#define CLOCK_HZ 20000000

/* What the program can't find out; sdbench.h lists all of it. Remove a line that you don't know. */
#define SDBENCH_CARD "" /* as printed on it: "SanDisk Ultra 32GB A1 U1" */

#include <SPI.h>

#if defined(USE_SD_MMC)
#include <SD_MMC.h>
#define SDBENCH_FS  SD_MMC
#define SDBENCH_BUS "sd1" /* or "sd4": begin() below */

static bool mount_card(void)
{
    return SD_MMC.begin("/sdcard", true, false, CLOCK_HZ / 1000); /* true: one data line */
}
#elif defined(USE_SDFAT)
#include <SdFat.h>
static SdFat card;
#define SDBENCH_FS  card
#define SDBENCH_BUS "spi"

static bool mount_card(void)
{
    return card.begin(SdSpiConfig(PIN_CS, DEDICATED_SPI, CLOCK_HZ));
}
#else
#include <SD.h>
#define SDBENCH_FS SD

/* The libraries of this name take different arguments. */
static bool mount_card(void)
{
#if defined(ARDUINO_ARCH_ESP32)
    return SD.begin(PIN_CS, SPI, CLOCK_HZ);
#elif defined(ARDUINO_ARCH_RP2040) || defined(ARDUINO_ARCH_ESP8266)
    return SD.begin(PIN_CS, CLOCK_HZ);
#elif defined(SDFileSystem) /* Arduino's own */
    return SD.begin(CLOCK_HZ, PIN_CS);
#else
#define CLOCK_IS_OF_LIBRARY
    return SD.begin(PIN_CS);
#endif
}
#endif

#if !defined(CLOCK_IS_OF_LIBRARY)
#define SDBENCH_CLOCK_REQUESTED_HZ CLOCK_HZ
#endif
#include "sdbench.h"

void setup()
{
    Serial.begin(115200);
    while (!Serial && millis() < 10000) { /* USB: until the monitor is there */
    }
    if (mount_card()) {
        sdbench_run();
    } else {
        Serial.println("# error: no card, or no FAT volume on it");
    }
}

void loop()
{
}
