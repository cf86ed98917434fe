/*
 * All file APIs, once: their codes, their words in profiles, their buffers and the build of the FAT
 * library below them are made from this list.
 *
 *     X(CODE, "name in profiles", "what it is", default buffer in bytes or 0, "engine")
 *
 * CODE gives SDSIM_API_CODE; the engine is one of fat/engines.h. A host may name another one for an
 * API (SdFat is built in several ways), and a scenario any.
 *
 * Two engines stand in for libraries that are not modelled:
 *
 *     freertos-fat  FreeRTOS+FAT moves whole sectors straight, in calls that end at clusters, as
 *                   FatFs does, but parts of sectors, FAT and directories go through one cache of
 *                   at least two sectors, written back when it needs room. FatFs with a buffer for
 *                   each file and one window is the nearest there is; it writes FAT sectors more
 *                   often when several files grow.
 *     p2-file       The file layer of the Propeller 2's driver (micro_sd_fat32_fs.spin2) moves one
 *                   sector a command, updates both FATs with each cluster, and writes the entry when
 *                   a file is created and when it is closed: the classic Arduino library does the
 *                   same. Its buffers are in fat/p2_disk.h. It differs in that the P2 looks for a
 *                   free cluster from the start of the FAT each time (many reads on a volume that is
 *                   not empty), takes the first cluster at creation, links a further one by writing
 *                   both FATs once more, and writes the last sector of a call with the next one.
 */
#ifndef SDSIM_FILE_LIST_H
#define SDSIM_FILE_LIST_H

#define SDSIM_FILE_API_LIST(X)                                                                     \
    X(POSIX, "posix", "ESP-IDF VFS read/write", 0, "esp-idf-full")                                 \
    X(STDIO, "stdio", "newlib fread/fwrite, 128-byte buffer unless said otherwise", 128,           \
      "esp-idf-full")                                                                              \
    X(ARDUINO, "arduino", "arduino-esp32 File, 4 KiB buffer", 4096, "esp-idf-full")                \
    X(CIRCUITPYTHON, "circuitpython", "CircuitPython file object", 0, "circuitpython")             \
    X(FATFS, "fatfs", "f_read/f_write", 0, "esp-idf-full")                                         \
    X(SDFAT, "sdfat", "SdFat's File", 0, "sdfat-two-caches")                                       \
    X(ARDUINO_CLASSIC, "arduino-classic", "File of the Arduino IDE's SD library", 0,               \
      "arduino-classic")                                                                           \
    X(MICROPYTHON, "micropython", "MicroPython file object", 0, "micropython")                     \
    X(FREERTOS_FAT, "freertos-fat", "FreeRTOS+FAT ff_fread/ff_fwrite, over FatFs in its place", 0, \
      "esp-idf-full")                                                                              \
    X(P2_FILE, "p2-file",                                                                          \
      "file layer of the Propeller 2's driver, a sector a command; FAT32 only", 0,                 \
      "arduino-classic")                                                                           \
    X(LINUX, "linux", "Linux read/write with O_DIRECT, one request a call", 0, "esp-idf-full")

#endif
