/*
 * All file APIs, once: their codes, their words in profiles, their buffers and the build of FatFs
 * below them are made from this list.
 *
 *     X(CODE, "name in profiles", "what it is", default buffer in bytes or 0, "engine")
 *
 * CODE gives SDSIM_API_CODE; the engine is one of fat/engines.h.
 */
#ifndef SDSIM_FILE_LIST_H
#define SDSIM_FILE_LIST_H

#define SDSIM_FILE_API_LIST(X)                                                                     \
    X(POSIX, "posix", "ESP-IDF VFS read/write", 0, "esp-idf-full")                                 \
    X(STDIO, "stdio", "newlib fread/fwrite, 128-byte buffer unless said otherwise", 128,           \
      "esp-idf-full")                                                                              \
    X(ARDUINO, "arduino", "arduino-esp32 File, 4 KiB buffer", 4096, "esp-idf-full")                \
    X(CIRCUITPYTHON, "circuitpython", "Python file object", 0, "circuitpython")                    \
    X(FATFS, "fatfs", "f_read/f_write", 0, "esp-idf-full")

#endif
