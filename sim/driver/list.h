/*
 * All drivers, once: everything that needs one entry for each of them - the codes, the classes, the
 * words in profiles, the cost tables of hosts - is made from this list. A new driver is a line here
 * and its own file.
 *
 *     X(CODE, class, "name in profiles", "what it is")
 *
 * CODE gives SDSIM_DRIVER_CODE, class gives sdsim_driver_class.
 */
#ifndef SDSIM_DRIVER_LIST_H
#define SDSIM_DRIVER_LIST_H

#define SDSIM_DRIVER_LIST(X)                                                                       \
    X(ARDUINO_SD, arduino_sd, "arduino-esp32-sd", "arduino-esp32 SD, SPI")                         \
    X(IDF_SDSPI, idf_sdspi, "esp-idf-sdspi", "ESP-IDF, SPI")                                       \
    X(SDCARDIO, sdcardio, "circuitpython-sdcardio", "CircuitPython, SPI")                          \
    X(IDF_SDMMC, idf_sdmmc, "esp-idf-sdmmc", "ESP-IDF SD host")                                    \
    X(ARDUINO_SDMMC, arduino_sdmmc, "arduino-esp32-sdmmc", "arduino-esp32 SD_MMC")                 \
    X(SDIOIO, sdioio, "circuitpython-sdioio", "CircuitPython sdioio on Espressif chips")

#endif
