/*
 * sdbench: measures how fast this firmware reads and writes this SD card, and prints CSV that
 * `sdsim compare --measurements` and `sdsim calibrate` read. One header, no other files, for
 * Arduino sketches (SD, SD_MMC, SdFat), ESP-IDF, anything with POSIX calls, and FatFs. C99 or
 * C++11.
 *
 *     #define SDBENCH_FS SD        // Arduino: the object with open(), declared before the #include
 *     #include "sdbench.h"         // other back ends: see SDBENCH_FATFS, SDBENCH_STDIO below
 *     sdbench_run();               // with the card mounted and the serial port open
 *
 * It times every call by itself, in calls of 512, 4096, 16384 and 32768 bytes as far as the buffer
 * goes: writes into a fresh file, then reads it back. Then 64 reads of 4096 bytes at random places
 * (seek and read are one call; 512 bytes if the buffer is smaller), and 64 writes of 512 bytes into
 * a fresh file, each with a sync. Each of the up to ten runs ends after SDBENCH_RUN_MS, so all of
 * them take at most 40 seconds and a few pauses of the card. Opening and closing a file are not
 * timed, nor is the little that is done between calls, in which a card may go on working.
 *
 * The output starts with `# sdbench 1` and a header, and ends with `# end`; lines with `#` are
 * comments. An empty field is unknown. Whatever the header can't find out is set before the
 * #include: macros that may be any expression of the type they need, on AVR string literals. Texts
 * are in ASCII; a comma or a quote in them becomes a space.
 *
 *     SDBENCH_CARD               "SanDisk Ultra 32GB"
 *     SDBENCH_CARD_CLASS         a card of `sdsim list card`
 *     SDBENCH_HOST               a host of `sdsim list host`; found for many
 *     SDBENCH_CPU_HZ             found for many
 *     SDBENCH_DRIVER             a driver of `sdsim list driver`; found for some Arduino libraries
 *     SDBENCH_BUS                "spi", "sd1" or "sd4"; known with some drivers
 *     SDBENCH_CLOCK_REQUESTED_HZ the clock the firmware asked for
 *     SDBENCH_CLOCK_HZ           the clock it got, by an oscilloscope or a divider you know
 *     SDBENCH_FILESYSTEM         "fat32", "exfat", ...; known from FatFs and SdFat
 *     SDBENCH_CLUSTER_BYTES      known from FatFs and SdFat
 *     SDBENCH_GROUP              a name for this set-up, else host/driver/bus/card
 *     SDBENCH_ID                 what the ids of the rows start with, else "sdbench"
 *     SDBENCH_ASSUMPTIONS        more assumptions: "spi_transfer=dma;state=new"
 *
 *     SDBENCH_FATFS              defined: f_open, f_read, ... of FatFs
 *     SDBENCH_STDIO              defined: fopen, fread, ... instead of open, read, ...
 *     SDBENCH_PATH               path of the file, a literal that ends in SDBENCH.BIN
 *     SDBENCH_BUFFER             bytes of the buffer: 32768, less where RAM is small, 512 on AVR
 *     SDBENCH_ATTRIBUTE          of the buffer, such as its section; else it is aligned to 32
 *     SDBENCH_FILE_BYTES         most bytes a file grows to: 4 MiB, 512 KiB on AVR
 *     SDBENCH_RUN_MS             longest time of one run: 4000
 *     SDBENCH_MICROS()           a free-running 32-bit count of microseconds; found for many
 *     SDBENCH_PUTCHAR(c)         prints one character; Serial on Arduino, else putchar()
 *     SDBENCH_REST()             lets other tasks run for a few milliseconds; found for many
 *     SDBENCH_OPEN_READ, _WRITE  modes of SDBENCH_FS.open(), else FILE_READ and FILE_WRITE
 *
 * The file SDBENCH.BIN is made and deleted again. One that is on the card already is left alone,
 * and nothing is measured, unless it is empty or starts with the mark of an earlier run that was
 * cut off.
 *
 * Limits. A call shorter than the step of the clock counts as one step (assumption timer_step_s). A
 * sum of more than 71 minutes would wrap. The data is checked at each 4096th byte only. On a PC the
 * numbers are those of its page cache. Include the header in one source file: all it has is static.
 */
#ifndef SDBENCH_H
#define SDBENCH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* ---- which platform ---- */

#if defined(ARDUINO)
#include <Arduino.h>
#if !defined(SDBENCH_SERIAL)
#define SDBENCH_SERIAL Serial
#endif
#if !defined(SDBENCH_MICROS)
#define SDBENCH_MICROS() micros()
#endif
#if !defined(SDBENCH_PUTCHAR)
#define SDBENCH_PUTCHAR(c) SDBENCH_SERIAL.write((uint8_t)(c))
#endif
#if !defined(SDBENCH_REST)
#define SDBENCH_REST() delay(20)
#endif
#elif defined(ESP_PLATFORM)
#include "esp_timer.h"
#include "freertos/FreeRTOS.h"
#include "freertos/task.h"
#if !defined(SDBENCH_MICROS)
#define SDBENCH_MICROS() esp_timer_get_time()
#endif
#if !defined(SDBENCH_REST)
#define SDBENCH_REST() vTaskDelay(pdMS_TO_TICKS(20) + 1)
#endif
#elif defined(PICO_BOARD)
#include "hardware/clocks.h"
#include "pico/stdlib.h"
#if !defined(SDBENCH_MICROS)
#define SDBENCH_MICROS() time_us_32()
#endif
#if !defined(SDBENCH_CPU_HZ)
#define SDBENCH_CPU_HZ clock_get_hz(clk_sys)
#endif
#elif !defined(SDBENCH_MICROS)
#if defined(__unix__) || defined(__APPLE__) || defined(__NuttX__) || defined(__ZEPHYR__)
#include <time.h>
static uint32_t sdbench_posix_micros(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint32_t)now.tv_sec * 1000000u + (uint32_t)now.tv_nsec / 1000u;
}
#define SDBENCH_MICROS() sdbench_posix_micros()
#else
#error "sdbench: define SDBENCH_MICROS(), a free-running 32-bit count of microseconds"
#endif
#endif

#if !defined(SDBENCH_PUTCHAR)
#define SDBENCH_PUTCHAR(c) putchar(c)
#endif
#if !defined(SDBENCH_REST)
#define SDBENCH_REST() ((void)0)
#endif

/* The names are those of `sdsim list host`, where it has one. */
#if !defined(SDBENCH_HOST)
#if defined(CONFIG_IDF_TARGET_ESP32)
#define SDBENCH_HOST "esp32"
#elif defined(CONFIG_IDF_TARGET_ESP32S2)
#define SDBENCH_HOST "esp32s2"
#elif defined(CONFIG_IDF_TARGET_ESP32S3)
#define SDBENCH_HOST "esp32s3"
#elif defined(CONFIG_IDF_TARGET_ESP32C2)
#define SDBENCH_HOST "esp32c2"
#elif defined(CONFIG_IDF_TARGET_ESP32C3)
#define SDBENCH_HOST "esp32c3"
#elif defined(CONFIG_IDF_TARGET_ESP32C5)
#define SDBENCH_HOST "esp32c5"
#elif defined(CONFIG_IDF_TARGET_ESP32C6)
#define SDBENCH_HOST "esp32c6"
#elif defined(CONFIG_IDF_TARGET_ESP32H2)
#define SDBENCH_HOST "esp32h2"
#elif defined(CONFIG_IDF_TARGET_ESP32P4)
#define SDBENCH_HOST "esp32p4"
#elif defined(ARDUINO_ARCH_ESP32)
#define SDBENCH_HOST "esp32" /* cores from before the target was a macro know this one only */
#elif defined(ARDUINO_ARCH_ESP8266)
#define SDBENCH_HOST "esp8266"
#elif defined(PICO_RP2350) && PICO_RP2350
#define SDBENCH_HOST "rp2350"
#elif defined(ARDUINO_ARCH_RP2040) || defined(ARDUINO_ARCH_MBED_RP2040) || defined(PICO_BOARD)
#define SDBENCH_HOST "rp2040"
#elif defined(__IMXRT1062__) /* Teensy 4.0, 4.1 */
#define SDBENCH_HOST "imxrt1062"
#elif defined(__MK66FX1M0__) /* Teensy 3.6 */
#define SDBENCH_HOST "mk66"
#elif defined(__MK64FX512__) /* Teensy 3.5 */
#define SDBENCH_HOST "mk64"
#elif defined(__MK20DX256__) /* Teensy 3.2 */
#define SDBENCH_HOST "mk20"
#elif defined(STM32F0xx) || defined(STM32F0)
#define SDBENCH_HOST "stm32f0"
#elif defined(STM32F1xx) || defined(STM32F1)
#define SDBENCH_HOST "stm32f1"
#elif defined(STM32F2xx) || defined(STM32F2)
#define SDBENCH_HOST "stm32f2"
#elif defined(STM32F3xx) || defined(STM32F3)
#define SDBENCH_HOST "stm32f3"
#elif defined(STM32F4xx) || defined(STM32F4)
#define SDBENCH_HOST "stm32f4"
#elif defined(STM32F7xx) || defined(STM32F7)
#define SDBENCH_HOST "stm32f7"
#elif defined(STM32G4xx) || defined(STM32G4)
#define SDBENCH_HOST "stm32g4"
#elif defined(STM32H5xx) || defined(STM32H5)
#define SDBENCH_HOST "stm32h5"
#elif defined(STM32H7xx) || defined(STM32H7)
#define SDBENCH_HOST "stm32h7"
#elif defined(STM32L4xx) || defined(STM32L4)
#define SDBENCH_HOST "stm32l4"
#elif defined(STM32U5xx) || defined(STM32U5)
#define SDBENCH_HOST "stm32u5"
#elif defined(__SAMD51__) || defined(__SAME51__) || defined(__SAME51J19A__)
#define SDBENCH_HOST "samd51"
#elif defined(ARDUINO_ARCH_SAMD)
#define SDBENCH_HOST "samd21"
#elif defined(__SAM3X8E__)
#define SDBENCH_HOST "sam3x8e"
#elif defined(ARDUINO_UNOR4_MINIMA) || defined(ARDUINO_UNOR4_WIFI)
#define SDBENCH_HOST "ra4m1"
#elif defined(NRF52840_XXAA)
#define SDBENCH_HOST "nrf52840"
#elif defined(ARDUINO_ARCH_NRF52) || defined(NRF52832_XXAA)
#define SDBENCH_HOST "nrf52832"
#elif defined(__AVR_ATmega328P__)
#define SDBENCH_HOST "atmega328p"
#elif defined(__AVR_ATmega2560__)
#define SDBENCH_HOST "atmega2560"
#else
#define SDBENCH_HOST ""
#endif
#endif

#if !defined(SDBENCH_CPU_HZ)
#if defined(ARDUINO_ARCH_ESP32)
#define SDBENCH_CPU_HZ ((uint32_t)ESP.getCpuFreqMHz() * 1000000u)
#elif defined(CONFIG_ESP_DEFAULT_CPU_FREQ_MHZ)
#define SDBENCH_CPU_HZ (CONFIG_ESP_DEFAULT_CPU_FREQ_MHZ * 1000000u)
#elif defined(F_CPU_ACTUAL)
#define SDBENCH_CPU_HZ F_CPU_ACTUAL
#elif defined(F_CPU)
#define SDBENCH_CPU_HZ F_CPU
#elif defined(__CORTEX_M) && !defined(__ZEPHYR__) /* CMSIS headers came before this one */
#define SDBENCH_CPU_HZ SystemCoreClock
#else
#define SDBENCH_CPU_HZ 0
#endif
#endif

#if !defined(SDBENCH_BUFFER)
#if defined(__AVR__)
#define SDBENCH_BUFFER 512
#elif defined(STM32F1xx) || defined(STM32F1) || defined(STM32F0xx) || defined(STM32F0)
#define SDBENCH_BUFFER 4096
#elif (defined(ARDUINO_ARCH_SAMD) && !defined(__SAMD51__)) || defined(ARDUINO_ARCH_ESP8266) ||     \
    defined(ARDUINO_UNOR4_MINIMA) || defined(ARDUINO_UNOR4_WIFI)
#define SDBENCH_BUFFER 16384
#else
#define SDBENCH_BUFFER 32768
#endif
#endif
#if SDBENCH_BUFFER < 512
#error "sdbench: SDBENCH_BUFFER is at least 512"
#endif

#if !defined(SDBENCH_ATTRIBUTE)
#if defined(__GNUC__) && !defined(__AVR__)
#define SDBENCH_ATTRIBUTE __attribute__((aligned(32)))
#define SDBENCH_ALIGNED   1
#else
#define SDBENCH_ATTRIBUTE
#endif
#endif

#if !defined(SDBENCH_FILE_BYTES)
#if defined(__AVR__)
#define SDBENCH_FILE_BYTES 524288
#else
#define SDBENCH_FILE_BYTES 4194304
#endif
#endif

#if !defined(SDBENCH_RUN_MS)
#if defined(ARDUINO_ARCH_ESP8266)
#define SDBENCH_RUN_MS 2000 /* its watchdog bites after 3.2 s without a rest */
#else
#define SDBENCH_RUN_MS 4000
#endif
#endif

#define SDBENCH_RANDOM_CALLS 64u
#define SDBENCH_SYNCED_CALLS 64u
#define SDBENCH_MARK_STEP    4096u /* bytes from one mark in the file to the next */
#define SDBENCH_MARK_BYTES   12u

static uint8_t sdbench_buffer[SDBENCH_BUFFER] SDBENCH_ATTRIBUTE;

/* Texts stay in flash on AVR, which needs its own pointers for it. */
#if defined(ARDUINO) && defined(__AVR__)
typedef const __FlashStringHelper *sdbench_text;
#define SDBENCH_TEXT(literal) F(literal)
static char sdbench_char(sdbench_text text, uint16_t at)
{
    return (char)pgm_read_byte((const char *)text + at);
}
#else
typedef const char *sdbench_text;
#define SDBENCH_TEXT(text) (text)
static char sdbench_char(sdbench_text text, uint16_t at)
{
    return text[at];
}
#endif

/* ---- back ends ----
 *
 * Each has one file, open or not, and the same functions, which return whether they worked:
 *     sdbench_exists, sdbench_remove   by the path
 *     sdbench_create, sdbench_open     a new file for writing, an old one for reading
 *     sdbench_close, sdbench_seek, sdbench_sync, sdbench_write
 *     sdbench_read                     the number of bytes, negative for an error
 *     sdbench_default_...              what can be found out about the set-up
 */

#if defined(SDBENCH_FS)

#define SDBENCH_QUOTED(name) #name
#define SDBENCH_QUOTE(name)  SDBENCH_QUOTED(name)

#if !defined(SDBENCH_PATH)
#define SDBENCH_PATH "/SDBENCH.BIN"
#endif
/* On ESP32 the FS library has taken these names for modes that are texts. */
#if defined(ARDUINO_ARCH_ESP32) && defined(SD_FAT_VERSION)
#define SDBENCH_DEFAULT_READ  O_RDONLY
#define SDBENCH_DEFAULT_WRITE (O_RDWR | O_CREAT | O_TRUNC)
#else
#define SDBENCH_DEFAULT_READ  FILE_READ
#define SDBENCH_DEFAULT_WRITE FILE_WRITE
#endif
#if !defined(SDBENCH_OPEN_READ)
#define SDBENCH_OPEN_READ SDBENCH_DEFAULT_READ
#endif
#if !defined(SDBENCH_OPEN_WRITE)
#define SDBENCH_OPEN_WRITE SDBENCH_DEFAULT_WRITE
#endif

static decltype(SDBENCH_FS.open("", SDBENCH_OPEN_READ)) sdbench_file;

static bool sdbench_exists(void)
{
    return SDBENCH_FS.exists(SDBENCH_PATH);
}

static bool sdbench_remove(void)
{
    return SDBENCH_FS.remove(SDBENCH_PATH);
}

static bool sdbench_create(void)
{
    sdbench_file = SDBENCH_FS.open(SDBENCH_PATH, SDBENCH_OPEN_WRITE);
    return sdbench_file ? true : false;
}

static bool sdbench_open(void)
{
    sdbench_file = SDBENCH_FS.open(SDBENCH_PATH, SDBENCH_OPEN_READ);
    return sdbench_file ? true : false;
}

static bool sdbench_close(void)
{
    sdbench_file.close();
    return true;
}

static bool sdbench_seek(uint32_t position)
{
    return sdbench_file.seek(position);
}

static bool sdbench_sync(void)
{
    sdbench_file.flush();
    return true;
}

static bool sdbench_write(uint16_t size)
{
    return (uint32_t)sdbench_file.write((const uint8_t *)sdbench_buffer, size) == size;
}

static int32_t sdbench_read(uint16_t size)
{
    return (int32_t)sdbench_file.read(sdbench_buffer, size);
}

/* SdFat's volumes can be asked; the overload with `long` is for all others. */
template <typename Fs>
static auto sdbench_ask_dedicated(Fs &fs, int) -> decltype(fs.isDedicatedSpi() ? 1 : 0)
{
    return fs.isDedicatedSpi() ? 1 : 0;
}

template <typename Fs> static int sdbench_ask_dedicated(Fs &, long)
{
    return -1;
}

template <typename Fs>
static auto sdbench_ask_cluster(Fs &fs, int) -> decltype((uint32_t)fs.bytesPerCluster())
{
    return (uint32_t)fs.bytesPerCluster();
}

template <typename Fs> static uint32_t sdbench_ask_cluster(Fs &, long)
{
    return 0;
}

template <typename Fs>
static auto sdbench_ask_fat_type(Fs &fs, int) -> decltype((uint8_t)fs.fatType())
{
    return (uint8_t)fs.fatType();
}

template <typename Fs> static uint8_t sdbench_ask_fat_type(Fs &, long)
{
    return 0;
}

static uint32_t sdbench_default_cluster(void)
{
    return sdbench_ask_cluster(SDBENCH_FS, 0);
}

static sdbench_text sdbench_default_filesystem(void)
{
    switch (sdbench_ask_fat_type(SDBENCH_FS, 0)) {
    case 12:
        return SDBENCH_TEXT("fat12");
    case 16:
        return SDBENCH_TEXT("fat16");
    case 32:
        return SDBENCH_TEXT("fat32");
    case 64:
        return SDBENCH_TEXT("exfat");
    default:
        return SDBENCH_TEXT("");
    }
}

static bool sdbench_is_sdfat(void)
{
    return sdbench_ask_dedicated(SDBENCH_FS, 0) >= 0;
}

static sdbench_text sdbench_default_api(void)
{
    return sdbench_is_sdfat() ? SDBENCH_TEXT("sdfat-file") : SDBENCH_TEXT("arduino-file");
}

static bool sdbench_is_sd_mmc(void)
{
    return strcmp(SDBENCH_QUOTE(SDBENCH_FS), "SD_MMC") == 0;
}

/* SdFat on a shared SPI bus and on SDIO answer alike, so these have no default. */
static sdbench_text sdbench_default_driver(void)
{
    if (sdbench_is_sdfat()) {
        if (sdbench_ask_dedicated(SDBENCH_FS, 0) == 0) {
            return SDBENCH_TEXT("");
        }
#if defined(__AVR__)
        return SDBENCH_TEXT("sdfat-spi-dedicated-avr");
#else
        return SDBENCH_TEXT("sdfat-spi-dedicated");
#endif
    }
#if defined(ARDUINO_ARCH_ESP32)
    return sdbench_is_sd_mmc() ? "arduino-esp32-sdmmc" : "arduino-esp32-sd";
#elif defined(ARDUINO_ARCH_RP2040) && !defined(ARDUINO_ARCH_MBED)
    return "arduino-pico-sd";
#elif defined(SDFileSystem) /* a macro that only Arduino's own SD.h has */
    return SDBENCH_TEXT("arduino-sd-classic");
#else
    return SDBENCH_TEXT("");
#endif
}

static sdbench_text sdbench_default_bus(void)
{
    const bool known = sdbench_char(sdbench_default_driver(), 0) != '\0' && !sdbench_is_sd_mmc();
    return known ? SDBENCH_TEXT("spi") : SDBENCH_TEXT("");
}

#elif defined(SDBENCH_FATFS)

#include "ff.h"

#if !defined(SDBENCH_PATH)
#define SDBENCH_PATH "SDBENCH.BIN"
#endif

static FIL sdbench_file;
static uint32_t sdbench_found_cluster;
static uint8_t sdbench_found_type;

static bool sdbench_exists(void)
{
    FILINFO info;
    memset(&info, 0, sizeof info); /* old releases write where info.lfname points */
    return f_stat(SDBENCH_PATH, &info) == FR_OK;
}

static bool sdbench_remove(void)
{
    return f_unlink(SDBENCH_PATH) == FR_OK;
}

static bool sdbench_create(void)
{
    if (f_open(&sdbench_file, SDBENCH_PATH, FA_CREATE_NEW | FA_WRITE) != FR_OK) {
        return false;
    }
#if defined(FF_DEFINED) /* R0.13 and later */
    const FATFS *volume = sdbench_file.obj.fs;
#if FF_MAX_SS != FF_MIN_SS
    sdbench_found_cluster = (uint32_t)volume->csize * volume->ssize;
#else
    sdbench_found_cluster = (uint32_t)volume->csize * FF_MAX_SS;
#endif
    sdbench_found_type = volume->fs_type;
#endif
    return true;
}

static bool sdbench_open(void)
{
    return f_open(&sdbench_file, SDBENCH_PATH, FA_READ) == FR_OK;
}

static bool sdbench_close(void)
{
    return f_close(&sdbench_file) == FR_OK;
}

static bool sdbench_seek(uint32_t position)
{
    return f_lseek(&sdbench_file, position) == FR_OK;
}

static bool sdbench_sync(void)
{
    return f_sync(&sdbench_file) == FR_OK;
}

static bool sdbench_write(uint16_t size)
{
    UINT done = 0;
    return f_write(&sdbench_file, sdbench_buffer, size, &done) == FR_OK && done == size;
}

static int32_t sdbench_read(uint16_t size)
{
    UINT done = 0;
    return f_read(&sdbench_file, sdbench_buffer, size, &done) == FR_OK ? (int32_t)done : -1;
}

static uint32_t sdbench_default_cluster(void)
{
    return sdbench_found_cluster;
}

static sdbench_text sdbench_default_filesystem(void)
{
    static const char *const names[] = {"", "fat12", "fat16", "fat32", "exfat"};
    return names[sdbench_found_type <= 4 ? sdbench_found_type : 0];
}

static sdbench_text sdbench_default_api(void)
{
    return "fatfs";
}

static sdbench_text sdbench_default_driver(void)
{
    return "";
}

static sdbench_text sdbench_default_bus(void)
{
    return "";
}

#elif defined(ARDUINO)
#error "sdbench: define SDBENCH_FS, the object with open(): SD, SD_MMC, or your SdFat"
#else /* POSIX or stdio */

#include <fcntl.h>
#include <unistd.h>

#if !defined(SDBENCH_PATH)
#if defined(ESP_PLATFORM)
#define SDBENCH_PATH "/sdcard/SDBENCH.BIN"
#else
#define SDBENCH_PATH "SDBENCH.BIN"
#endif
#endif

static bool sdbench_exists(void)
{
    const int file = open(SDBENCH_PATH, O_RDONLY);
    if (file >= 0) {
        close(file);
    }
    return file >= 0;
}

static bool sdbench_remove(void)
{
    return unlink(SDBENCH_PATH) == 0;
}

#if defined(SDBENCH_STDIO)

static FILE *sdbench_file;

static bool sdbench_create(void)
{
    sdbench_file = fopen(SDBENCH_PATH, "wb");
    return sdbench_file != NULL;
}

static bool sdbench_open(void)
{
    sdbench_file = fopen(SDBENCH_PATH, "rb");
    return sdbench_file != NULL;
}

static bool sdbench_close(void)
{
    return fclose(sdbench_file) == 0;
}

static bool sdbench_seek(uint32_t position)
{
    return fseek(sdbench_file, (long)position, SEEK_SET) == 0;
}

static bool sdbench_sync(void)
{
    return fflush(sdbench_file) == 0 && fsync(fileno(sdbench_file)) == 0;
}

static bool sdbench_write(uint16_t size)
{
    return fwrite(sdbench_buffer, 1, size, sdbench_file) == size;
}

static int32_t sdbench_read(uint16_t size)
{
    const int32_t done = (int32_t)fread(sdbench_buffer, 1, size, sdbench_file);
    return ferror(sdbench_file) ? -1 : done;
}

static sdbench_text sdbench_default_api(void)
{
    return "stdio";
}

#else

static int sdbench_file = -1;

static bool sdbench_create(void)
{
    sdbench_file = open(SDBENCH_PATH, O_WRONLY | O_CREAT | O_EXCL, 0666);
    return sdbench_file >= 0;
}

static bool sdbench_open(void)
{
    sdbench_file = open(SDBENCH_PATH, O_RDONLY);
    return sdbench_file >= 0;
}

static bool sdbench_close(void)
{
    return close(sdbench_file) == 0;
}

static bool sdbench_seek(uint32_t position)
{
    return lseek(sdbench_file, (off_t)position, SEEK_SET) == (off_t)position;
}

static bool sdbench_sync(void)
{
    return fsync(sdbench_file) == 0;
}

static bool sdbench_write(uint16_t size)
{
    return write(sdbench_file, sdbench_buffer, size) == (ssize_t)size;
}

static int32_t sdbench_read(uint16_t size)
{
    return (int32_t)read(sdbench_file, sdbench_buffer, size);
}

static sdbench_text sdbench_default_api(void)
{
    return "posix";
}

#endif

static uint32_t sdbench_default_cluster(void)
{
    return 0;
}

static sdbench_text sdbench_default_filesystem(void)
{
    return "";
}

static sdbench_text sdbench_default_driver(void)
{
    return "";
}

static sdbench_text sdbench_default_bus(void)
{
    return "";
}

#endif

/* ---- what is known of the set-up ---- */

#if !defined(SDBENCH_ID)
#define SDBENCH_ID "sdbench"
#endif
#if !defined(SDBENCH_CARD)
#define SDBENCH_CARD ""
#endif
#if !defined(SDBENCH_CARD_CLASS)
#define SDBENCH_CARD_CLASS ""
#endif
#if !defined(SDBENCH_CLOCK_REQUESTED_HZ)
#define SDBENCH_CLOCK_REQUESTED_HZ 0
#endif
#if !defined(SDBENCH_CLOCK_HZ)
#define SDBENCH_CLOCK_HZ 0
#endif
#if !defined(SDBENCH_ASSUMPTIONS)
#define SDBENCH_ASSUMPTIONS ""
#endif

static uint32_t sdbench_cluster_bytes(void)
{
#if defined(SDBENCH_CLUSTER_BYTES)
    (void)sdbench_default_cluster;
    return (uint32_t)(SDBENCH_CLUSTER_BYTES);
#else
    return sdbench_default_cluster();
#endif
}

static sdbench_text sdbench_filesystem(void)
{
#if defined(SDBENCH_FILESYSTEM)
    (void)sdbench_default_filesystem;
    return SDBENCH_TEXT(SDBENCH_FILESYSTEM);
#else
    return sdbench_default_filesystem();
#endif
}

static sdbench_text sdbench_driver(void)
{
#if defined(SDBENCH_DRIVER)
    (void)sdbench_default_driver;
    return SDBENCH_TEXT(SDBENCH_DRIVER);
#else
    return sdbench_default_driver();
#endif
}

static sdbench_text sdbench_bus(void)
{
#if defined(SDBENCH_BUS)
    (void)sdbench_default_bus;
    return SDBENCH_TEXT(SDBENCH_BUS);
#else
    return sdbench_default_bus();
#endif
}

/* ---- printing, without printf ---- */

static void sdbench_put(sdbench_text text)
{
    for (uint16_t i = 0; sdbench_char(text, i) != '\0'; i++) {
        SDBENCH_PUTCHAR(sdbench_char(text, i));
    }
}

/* A text of the user, in ASCII, which must not break the row. */
static void sdbench_put_name(sdbench_text text)
{
    for (uint16_t i = 0; sdbench_char(text, i) != '\0'; i++) {
        const uint8_t c = (uint8_t)sdbench_char(text, i);
        SDBENCH_PUTCHAR(c == ',' || c == '"' || c < ' ' || c > '~' ? ' ' : c);
    }
}

static void sdbench_put_digits(uint64_t number, uint8_t least)
{
    char digits[20];
    uint8_t count = 0;
    while (number != 0 || count < least) {
        digits[count++] = (char)('0' + (char)(number % 10u));
        number /= 10u;
    }
    while (count > 0) {
        SDBENCH_PUTCHAR(digits[--count]);
    }
}

static void sdbench_put_number(uint64_t number)
{
    sdbench_put_digits(number, 1);
}

static void sdbench_put_known(uint32_t number)
{
    if (number != 0) {
        sdbench_put_number(number);
    }
}

static void sdbench_put_seconds(uint64_t nanoseconds)
{
    sdbench_put_number(nanoseconds / 1000000000u);
    SDBENCH_PUTCHAR('.');
    sdbench_put_digits(nanoseconds % 1000000000u, 9);
}

static void sdbench_comma(void)
{
    SDBENCH_PUTCHAR(',');
}

/* ---- one run ---- */

enum sdbench_kind { SDBENCH_WRITE, SDBENCH_WRITE_SYNCED, SDBENCH_READ, SDBENCH_READ_RANDOM };

struct sdbench_series {
    enum sdbench_kind kind;
    uint16_t chunk;      /* bytes of a call */
    uint32_t wanted;     /* calls, if time allows */
    uint32_t file_bytes; /* of the file that is read */
    uint32_t step_us;    /* of the clock */
    uint32_t calls;      /* results: calls made, ... */
    uint32_t sum_us;     /* ... and their times */
    uint32_t min_us;
    uint32_t max_us;
};

enum sdbench_metric {
    SDBENCH_THROUGHPUT,
    SDBENCH_LATENCY_MEAN,
    SDBENCH_LATENCY_MIN,
    SDBENCH_LATENCY_MAX
};

static bool sdbench_is_write(const struct sdbench_series *run)
{
    return run->kind == SDBENCH_WRITE || run->kind == SDBENCH_WRITE_SYNCED;
}

static uint64_t sdbench_total_bytes(const struct sdbench_series *run)
{
    return (uint64_t)run->calls * run->chunk;
}

static sdbench_text sdbench_metric_name(enum sdbench_metric metric)
{
    switch (metric) {
    case SDBENCH_THROUGHPUT:
        return SDBENCH_TEXT("throughput_Bps");
    case SDBENCH_LATENCY_MEAN:
        return SDBENCH_TEXT("latency_mean_s");
    case SDBENCH_LATENCY_MIN:
        return SDBENCH_TEXT("latency_min_s");
    default:
        return SDBENCH_TEXT("latency_max_s");
    }
}

static void sdbench_put_value(const struct sdbench_series *run, enum sdbench_metric metric)
{
    switch (metric) {
    case SDBENCH_THROUGHPUT:
        sdbench_put_number(sdbench_total_bytes(run) * 1000000u / run->sum_us);
        break;
    case SDBENCH_LATENCY_MEAN:
        sdbench_put_seconds((uint64_t)run->sum_us * 1000u / run->calls);
        break;
    case SDBENCH_LATENCY_MIN:
        sdbench_put_seconds((uint64_t)run->min_us * 1000u);
        break;
    default:
        sdbench_put_seconds((uint64_t)run->max_us * 1000u);
        break;
    }
}

static sdbench_text sdbench_op_name(const struct sdbench_series *run)
{
    if (sdbench_is_write(run)) {
        return SDBENCH_TEXT("write");
    }
    return run->kind == SDBENCH_READ ? SDBENCH_TEXT("read") : SDBENCH_TEXT("random-read");
}

static void sdbench_put_id(const struct sdbench_series *run, enum sdbench_metric metric)
{
    sdbench_put_name(SDBENCH_TEXT(SDBENCH_ID));
    SDBENCH_PUTCHAR('-');
    sdbench_put(sdbench_op_name(run));
    if (run->kind == SDBENCH_WRITE_SYNCED) {
        sdbench_put(SDBENCH_TEXT("-synced"));
    }
    SDBENCH_PUTCHAR('-');
    sdbench_put_number(run->chunk);
    SDBENCH_PUTCHAR('-');
    sdbench_put(sdbench_metric_name(metric));
    sdbench_comma();
}

static void sdbench_put_group(void)
{
#if defined(SDBENCH_GROUP)
    sdbench_put_name(SDBENCH_TEXT(SDBENCH_GROUP));
#else
    sdbench_put_name(SDBENCH_TEXT(SDBENCH_HOST));
    SDBENCH_PUTCHAR('/');
    sdbench_put_name(sdbench_driver());
    SDBENCH_PUTCHAR('/');
    sdbench_put_name(sdbench_bus());
    SDBENCH_PUTCHAR('/');
    sdbench_put_name(SDBENCH_TEXT(SDBENCH_CARD));
#endif
    sdbench_comma();
}

/* From host to cluster_bytes: the same in every row. */
static void sdbench_put_setup(void)
{
    sdbench_put_name(SDBENCH_TEXT(SDBENCH_HOST));
    sdbench_comma();
    sdbench_put_known((uint32_t)(SDBENCH_CPU_HZ));
    sdbench_comma();
    sdbench_put_name(sdbench_bus());
    sdbench_comma();
    sdbench_put_known((uint32_t)(SDBENCH_CLOCK_REQUESTED_HZ));
    sdbench_comma();
    sdbench_put_known((uint32_t)(SDBENCH_CLOCK_HZ));
    sdbench_comma();
    sdbench_put_name(sdbench_driver());
    sdbench_comma();
    sdbench_put(sdbench_default_api());
    sdbench_comma();
    sdbench_put_name(SDBENCH_TEXT(SDBENCH_CARD));
    sdbench_comma();
    sdbench_put_name(SDBENCH_TEXT(SDBENCH_CARD_CLASS));
    sdbench_comma();
    sdbench_put_name(sdbench_filesystem());
    sdbench_comma();
    sdbench_put_known(sdbench_cluster_bytes());
    sdbench_comma();
}

static void sdbench_put_assumptions(const struct sdbench_series *run)
{
    sdbench_put(SDBENCH_TEXT("first_call=included;timer_step_s="));
    sdbench_put_seconds((uint64_t)run->step_us * 1000u);
#if defined(SDBENCH_ALIGNED)
    sdbench_put(";buffer=aligned");
#endif
    if ((uint32_t)(SDBENCH_CLOCK_REQUESTED_HZ) == 0 && (uint32_t)(SDBENCH_CLOCK_HZ) == 0) {
        sdbench_put(SDBENCH_TEXT(";clock=not-stated"));
    }
    if (run->kind == SDBENCH_READ_RANDOM) {
        sdbench_put(SDBENCH_TEXT(";order=random;file_bytes="));
        sdbench_put_number(run->file_bytes);
    }
    if (sdbench_char(SDBENCH_TEXT(SDBENCH_ASSUMPTIONS), 0) != '\0') {
        SDBENCH_PUTCHAR(';');
        sdbench_put_name(SDBENCH_TEXT(SDBENCH_ASSUMPTIONS));
    }
}

static void sdbench_put_row(const struct sdbench_series *run, enum sdbench_metric metric)
{
    sdbench_put_id(run, metric);
    sdbench_put_group();
    sdbench_put_setup();
    sdbench_put(sdbench_op_name(run));
    sdbench_comma();
    sdbench_put_number(run->chunk);
    sdbench_comma();
    sdbench_put_number(sdbench_total_bytes(run));
    sdbench_comma();
    if (sdbench_is_write(run)) {
        sdbench_put(run->kind == SDBENCH_WRITE_SYNCED ? SDBENCH_TEXT("true")
                                                      : SDBENCH_TEXT("false"));
    }
    sdbench_comma();
    sdbench_put(sdbench_metric_name(metric));
    sdbench_comma();
    sdbench_put_value(run, metric);
    sdbench_comma();
    sdbench_put_assumptions(run);
    SDBENCH_PUTCHAR('\n');
}

static void sdbench_put_rows(const struct sdbench_series *run)
{
    sdbench_put_row(run, SDBENCH_THROUGHPUT);
    sdbench_put_row(run, SDBENCH_LATENCY_MEAN);
    sdbench_put_row(run, SDBENCH_LATENCY_MIN);
    sdbench_put_row(run, SDBENCH_LATENCY_MAX);
}

static bool sdbench_fail(sdbench_text what)
{
    sdbench_put(SDBENCH_TEXT("# error: "));
    sdbench_put(what);
    SDBENCH_PUTCHAR('\n');
    return false;
}

/* The mark of a place in the file: a word, and the position, low byte first. */
static void sdbench_mark(uint32_t position, uint8_t *mark)
{
    static const char word[] = "sdbench\n";
    for (uint8_t i = 0; i < 8; i++) {
        mark[i] = (uint8_t)word[i];
    }
    for (uint8_t i = 0; i < 4; i++) {
        mark[8 + i] = (uint8_t)(position >> (8 * i));
    }
}

static void sdbench_mark_all(uint32_t position, uint16_t size)
{
    for (uint32_t i = 0; i < size && position % SDBENCH_MARK_STEP == 0; i += SDBENCH_MARK_STEP) {
        sdbench_mark(position + i, sdbench_buffer + i);
    }
}

static bool sdbench_marks_are_right(uint32_t position, uint16_t size)
{
    uint8_t mark[SDBENCH_MARK_BYTES];
    for (uint32_t i = 0; i < size && position % SDBENCH_MARK_STEP == 0; i += SDBENCH_MARK_STEP) {
        sdbench_mark(position + i, mark);
        if (memcmp(mark, sdbench_buffer + i, sizeof mark) != 0) {
            return false;
        }
    }
    return true;
}

/* What is timed. */
static bool sdbench_call(const struct sdbench_series *run, uint32_t position)
{
    switch (run->kind) {
    case SDBENCH_WRITE:
        return sdbench_write(run->chunk);
    case SDBENCH_WRITE_SYNCED:
        return sdbench_write(run->chunk) && sdbench_sync();
    case SDBENCH_READ:
        return sdbench_read(run->chunk) == run->chunk;
    default:
        return sdbench_seek(position) && sdbench_read(run->chunk) == run->chunk;
    }
}

static void sdbench_book(struct sdbench_series *run, uint32_t took_us)
{
    if (took_us < run->step_us) {
        took_us = run->step_us;
    }
    if (run->calls == 0 || took_us < run->min_us) {
        run->min_us = took_us;
    }
    if (took_us > run->max_us) {
        run->max_us = took_us;
    }
    run->sum_us += took_us;
    run->calls++;
}

/* The same places in every run on every board. */
static uint32_t sdbench_random_position(const struct sdbench_series *run, uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) % (run->file_bytes / SDBENCH_MARK_STEP) * SDBENCH_MARK_STEP;
}

static bool sdbench_measure(struct sdbench_series *run)
{
    uint32_t state = 1;
    const uint32_t limit_us = (uint32_t)(SDBENCH_RUN_MS)*1000u;
    const uint32_t start = (uint32_t)SDBENCH_MICROS();
    while (run->calls < run->wanted && (uint32_t)SDBENCH_MICROS() - start < limit_us) {
        uint32_t position = run->calls * run->chunk;
        if (run->kind == SDBENCH_READ_RANDOM) {
            position = sdbench_random_position(run, &state);
        }
        if (sdbench_is_write(run)) {
            sdbench_mark_all(position, run->chunk);
        } else {
            sdbench_buffer[0] = 0; /* no mark of the last call must be taken for one read */
        }
        const uint32_t before = (uint32_t)SDBENCH_MICROS();
        const bool worked = sdbench_call(run, position);
        const uint32_t after = (uint32_t)SDBENCH_MICROS();
        if (!worked) {
            return sdbench_fail(sdbench_is_write(run)
                                    ? SDBENCH_TEXT("a write failed; is the card full?")
                                    : SDBENCH_TEXT("a read failed"));
        }
        sdbench_book(run, after - before);
        if (!sdbench_is_write(run) && !sdbench_marks_are_right(position, run->chunk)) {
            return sdbench_fail(SDBENCH_TEXT("what was read is not what was written"));
        }
    }
    return true;
}

/* ---- all runs ---- */

/* A run with its own opening and closing of the file. `run` gets the results. */
static bool sdbench_run_file(struct sdbench_series *run)
{
    SDBENCH_REST();
    if (sdbench_is_write(run)) {
        if (sdbench_exists() && !sdbench_remove()) {
            return sdbench_fail(SDBENCH_TEXT("can't delete SDBENCH.BIN"));
        }
        if (!sdbench_create()) {
            return sdbench_fail(SDBENCH_TEXT("can't create SDBENCH.BIN; is a card mounted?"));
        }
    } else if (!sdbench_open()) {
        return sdbench_fail(SDBENCH_TEXT("can't open SDBENCH.BIN for reading"));
    }
    const bool measured = sdbench_measure(run);
    if (!sdbench_close() && measured) {
        return sdbench_fail(SDBENCH_TEXT("can't close SDBENCH.BIN"));
    }
    if (measured && run->calls > 0) {
        sdbench_put_rows(run);
    }
    return measured;
}

static struct sdbench_series sdbench_plan(enum sdbench_kind kind, uint16_t chunk, uint32_t wanted,
                                          uint32_t step_us)
{
    struct sdbench_series run;
    memset(&run, 0, sizeof run);
    run.kind = kind;
    run.chunk = chunk;
    run.wanted = wanted;
    run.step_us = step_us;
    return run;
}

static bool sdbench_run_all(uint32_t step_us)
{
    static const uint16_t chunks[] = {512, 4096, 16384, 32768};
    uint32_t file_bytes = 0;
    for (uint8_t i = 0; i < sizeof chunks / sizeof chunks[0] && chunks[i] <= SDBENCH_BUFFER; i++) {
        const uint32_t most = (uint32_t)(SDBENCH_FILE_BYTES) / chunks[i];
        struct sdbench_series run = sdbench_plan(SDBENCH_WRITE, chunks[i], most, step_us);
        if (!sdbench_run_file(&run)) {
            return false;
        }
        run = sdbench_plan(SDBENCH_READ, chunks[i], run.calls, step_us);
        file_bytes = run.wanted * chunks[i];
        if (!sdbench_run_file(&run)) {
            return false;
        }
    }
    if (file_bytes >= SDBENCH_MARK_STEP) {
        const uint16_t chunk = SDBENCH_BUFFER < 4096 ? 512 : 4096;
        struct sdbench_series run =
            sdbench_plan(SDBENCH_READ_RANDOM, chunk, SDBENCH_RANDOM_CALLS, step_us);
        run.file_bytes = file_bytes;
        if (!sdbench_run_file(&run)) {
            return false;
        }
    }
    struct sdbench_series run =
        sdbench_plan(SDBENCH_WRITE_SYNCED, 512, SDBENCH_SYNCED_CALLS, step_us);
    return sdbench_run_file(&run);
}

/* Whether there is no SDBENCH.BIN, or one that this program left behind. */
static bool sdbench_may_take_file(void)
{
    uint8_t mark[SDBENCH_MARK_BYTES];
    if (!sdbench_exists()) {
        return true;
    }
    if (!sdbench_open()) {
        return false;
    }
    const int32_t got = sdbench_read(SDBENCH_MARK_BYTES);
    sdbench_close();
    sdbench_mark(0, mark);
    return got == 0 ||
           (got == (int32_t)sizeof mark && memcmp(mark, sdbench_buffer, sizeof mark) == 0);
}

/* The shortest step of the clock that shows, in microseconds; 0: it doesn't run. */
static uint32_t sdbench_clock_step(void)
{
    uint32_t shortest = 0;
    for (uint8_t i = 0; i < 8; i++) {
        const uint32_t start = (uint32_t)SDBENCH_MICROS();
        uint32_t step = 0;
        for (uint32_t looks = 0; step == 0 && looks < 1000000u; looks++) {
            step = (uint32_t)SDBENCH_MICROS() - start;
        }
        if (step == 0) {
            return 0;
        }
        if (shortest == 0 || step < shortest) {
            shortest = step;
        }
    }
    return shortest;
}

static void sdbench_put_head(void)
{
    sdbench_put(
        SDBENCH_TEXT("\n# sdbench 1\n# makes " SDBENCH_PATH ", deletes it again, takes up to "));
    sdbench_put_number((SDBENCH_RUN_MS) / 100); /* ten runs */
    sdbench_put(SDBENCH_TEXT(" s\n"));
    sdbench_put(SDBENCH_TEXT("id,group,host,cpu_hz,bus,clock_requested_hz,clock_hz,driver,api,card,"
                             "card_class,fs,cluster_bytes,op,chunk_bytes,total_bytes,"
                             "sync_per_write,metric,value,assumptions\n"));
}

/*
 * Runs the whole benchmark. Returns 0, or 1 after an error, which is printed. SDBENCH.BIN is gone
 * afterwards, unless it was there before and isn't ours.
 */
static int sdbench_run(void)
{
    bool worked = false;
    const uint32_t step_us = sdbench_clock_step();
    for (uint32_t i = 0; i < sizeof sdbench_buffer; i++) {
        sdbench_buffer[i] = (uint8_t)(i * 7u + (i >> 8));
    }
    sdbench_put_head();
    if (step_us == 0) {
        sdbench_fail(SDBENCH_TEXT("the clock, SDBENCH_MICROS(), stands still"));
    } else if (!sdbench_may_take_file()) {
        sdbench_fail(SDBENCH_TEXT(SDBENCH_PATH " is not of this program; rename it"));
    } else {
        worked = sdbench_run_all(step_us);
        if (sdbench_exists() && !sdbench_remove()) {
            worked = sdbench_fail(SDBENCH_TEXT("can't delete SDBENCH.BIN at the end"));
        }
    }
    sdbench_put(SDBENCH_TEXT("# end\n"));
    return worked ? 0 : 1;
}

#endif
