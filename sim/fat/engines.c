#include "fat/engines.h"

#include <string.h>

static const struct sdsim_engine engines[] = {
    /* espressif/esp-idf @ 10212290, components/fatfs: src/ffconf.h (FF_FS_EXFAT 0, FF_USE_TRIM 1,
     * FF_FS_NOFSINFO 0) and the defaults of Kconfig (no long names, per-file cache, no fast seek);
     * vfs/vfs_fat.c seeks before each write to a file opened with O_APPEND. */
    {"esp-idf",
     "ESP-IDF 6: FatFs R0.16, a buffer for each file, 8.3 names",
     {.trim = true, .since_r015a = true}},
    /* The same with CONFIG_FATFS_LFN_HEAP, and FF_FS_EXFAT set to 1 in ffconf.h, for which there is
     * no option. On FAT volumes exFAT changes nothing. */
    {"esp-idf-full",
     "ESP-IDF 6 with everything on: long names on the heap, exFAT",
     {.exfat = true, .trim = true, .since_r015a = true, .long_names = SDSIM_LFN_HEAP}},
    /* As esp-idf, with the release of FatFs that v5.x has; CTRL_TRIM since v5.0 (esp-idf issue
     * 12912). */
    {"esp-idf-5", "ESP-IDF 5: FatFs R0.15, a buffer for each file, 8.3 names", {.trim = true}},
    /* espressif/esp32-arduino-lib-builder, configs/defconfig.common: CONFIG_FATFS_LFN_STACK; all
     * else is that of ESP-IDF 5, on which core 3.x is built. */
    {"arduino-esp32",
     "Arduino core 3 for the ESP32: FatFs R0.15, long names on the stack",
     {.trim = true, .long_names = SDSIM_LFN_STACK}},
    /* adafruit/circuitpython @ cd3da4a5, lib/oofatfs/ffconf.h; extmod/vfs_fat_file.c makes a link
     * table for files opened for reading and seeks to the end at open; vfs_fat.c looks a name up
     * before it removes it, and so does f_rename. exFAT is off on small builds. */
    {"circuitpython",
     "CircuitPython: ooFatFs R0.13c, one window for everything",
     {.tiny = true,
      .exfat = true,
      .fast_seek = true,
      .unlink_stats_first = true,
      .rename_stats_first = true,
      .long_names = SDSIM_LFN_STATIC,
      .append = SDSIM_APPEND_SEEKS_AT_OPEN}},
    /* micropython/micropython, lib/oofatfs/ffconf.h (FF_FS_EXFAT 0 unless a port wants it),
     * ports/rp2/mpconfigport.h (MICROPY_FATFS_ENABLE_LFN 2); extmod/vfs_fat_file.c makes no link
     * table; vfs_fat.c looks a name up before it removes it. */
    {"micropython",
     "MicroPython: ooFatFs R0.13c, one window for everything, no exFAT",
     {.tiny = true,
      .unlink_stats_first = true,
      .long_names = SDSIM_LFN_STACK,
      .append = SDSIM_APPEND_SEEKS_AT_OPEN}},
    /* carlk3/no-OS-FatFS-SD-SDIO-SPI-RPi-Pico, src/ff15/source/ffconf.h: FF_USE_LFN 3, FF_FS_EXFAT
     * 1, FF_LBA64 1, FF_USE_TRIM 0. Fast seek is compiled in, but it is up to the application. */
    {"carlk3",
     "no-OS-FatFS for the RP2040: FatFs R0.15, long names on the heap, exFAT",
     {.exfat = true, .gpt = true, .long_names = SDSIM_LFN_HEAP, .append = SDSIM_APPEND_BY_FLAG}},
    /* STMicroelectronics/stm32_mw_fatfs @ d05c5139 (R0.15); options as in the examples of
     * STM32CubeF4, FatFs_uSD_RTOS/Inc/ffconf.h: _USE_LFN 0, _FS_EXFAT 0, _FS_TINY 0, _USE_TRIM 0.
     * Older packs have R0.12c, which writes the first sector of a new directory only once. */
    {"st-cube",
     "STM32Cube middleware: FatFs R0.15, a buffer for each file, 8.3 names",
     {.append = SDSIM_APPEND_BY_FLAG}},
    /* greiman/SdFat @ cda05731 (2.3.1), src/SdFatConfig.h: USE_SEPARATE_FAT_CACHE and
     * USE_EXFAT_BITMAP_CACHE are 1 with __arm__, else 0; SDFAT_FILE_TYPE 3. */
    {"sdfat-one-cache",
     "SdFat 2.3 on what is not ARM (ESP32, RISC-V): one cached sector",
     {.library = SDSIM_LIBRARY_SDFAT, .exfat = true, .long_names = SDSIM_LFN_STACK}},
    {"sdfat-two-caches",
     "SdFat 2.3 on ARM: a second cached sector for FAT or bitmap",
     {.library = SDSIM_LIBRARY_SDFAT,
      .exfat = true,
      .second_cache = true,
      .long_names = SDSIM_LFN_STACK}},
    /* The same file: with RAMEND below 3000 and FLASHEND below 0x8000, USE_MULTI_SECTOR_IO 0 and
     * SDFAT_FILE_TYPE 1. */
    {"sdfat-small-avr",
     "SdFat 2.3 on an ATmega328: one cached sector, single-sector transfers, no exFAT",
     {.library = SDSIM_LIBRARY_SDFAT, .single_sectors = true, .long_names = SDSIM_LFN_STACK}},
    /* arduino-libraries/SD @ 70deaa0e. */
    {"arduino-classic",
     "The SD library of the Arduino IDE: one cached sector, single-sector transfers",
     {.library = SDSIM_LIBRARY_CLASSIC}},
};

const struct sdsim_engine *sdsim_engine_at(size_t index)
{
    return index < sizeof engines / sizeof engines[0] ? &engines[index] : NULL;
}

const struct sdsim_engine *sdsim_engine_find(const char *name)
{
    const struct sdsim_engine *engine;
    for (size_t i = 0; (engine = sdsim_engine_at(i)) != NULL; i++) {
        if (strcmp(engine->name, name) == 0) {
            return engine;
        }
    }
    return NULL;
}
