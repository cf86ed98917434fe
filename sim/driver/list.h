/*
 * All drivers, once: everything that needs one entry for each of them - the codes, the classes, the
 * words in profiles, the cost tables of hosts - is made from this list. A new driver is a line here,
 * one in driver/costs.h, and its own file.
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
    X(SDFAT_SHARED, sdfat_shared, "sdfat-spi-shared", "SdFat, SPI shared with others")             \
    X(SDFAT_DEDICATED, sdfat_dedicated, "sdfat-spi-dedicated", "SdFat, SPI of its own")            \
    X(ARDUINO_PICO, arduino_pico, "arduino-pico-sd", "arduino-pico SD, SPI")                       \
    X(CARLK3_SPI, carlk3_spi, "carlk3-spi", "carlk3's no-OS-FatFS, SPI")                           \
    X(CARLK3_FREERTOS_SPI, carlk3_freertos_spi, "carlk3-freertos-spi",                             \
      "its FreeRTOS edition, SPI")                                                                 \
    X(CHAN_MMC, chan_mmc, "chan-mmc-spi", "ChaN's FatFs sample drivers, SPI")                      \
    X(PICO_FATFS, pico_fatfs, "pico-fatfs-spi", "elehobica's pico_fatfs, SPI")                     \
    X(PICO_FATFS_PIO, pico_fatfs_pio, "pico-fatfs-pio-spi", "pico_fatfs, SPI by PIO")              \
    X(MICROPYTHON, micropython, "micropython-sdcard", "MicroPython's sdcard.py, SPI")              \
    X(ADAFRUIT_SDCARD, adafruit_sdcard, "circuitpython-adafruit-sdcard",                           \
      "CircuitPython's adafruit_sdcard.py, SPI")                                                   \
    X(SDCARDIO_6, sdcardio_6, "circuitpython-sdcardio-6", "CircuitPython 6, SPI")                  \
    X(ARDUINO_CLASSIC, arduino_classic, "arduino-sd-classic", "the classic Arduino SD, SPI")       \
    X(ZEPHYR_SDHC, zephyr_sdhc, "zephyr-sdhc-spi", "Zephyr, SPI")                                  \
    X(NUTTX_SPI, nuttx_spi, "nuttx-mmcsd-spi", "NuttX, SPI")                                       \
    X(MBED_SD, mbed_sd, "mbed-sd", "Mbed OS SDBlockDevice, SPI")                                   \
    X(PROFFIEOS_SPI, proffieos_spi, "proffieos-spi", "ProffieOS, SPI")                             \
    X(P2_SD, p2_sd, "p2-sd-driver", "Propeller 2 by ironsheep, SPI")                               \
    X(GENERIC_SPI, generic_spi, "generic-spi", "a plain driver, SPI")                              \
    X(IDF_SDMMC, idf_sdmmc, "esp-idf-sdmmc", "ESP-IDF SD host")                                    \
    X(ARDUINO_SDMMC, arduino_sdmmc, "arduino-esp32-sdmmc", "arduino-esp32 SD_MMC")                 \
    X(SDIOIO, sdioio, "circuitpython-sdioio", "CircuitPython sdioio on Espressif chips")           \
    X(SDFAT_TEENSY, sdfat_teensy, "sdfat-teensy-sdio", "SdFat on the Teensy's SD host")            \
    X(SDFAT_PIO, sdfat_pio, "sdfat-pio-sdio", "SdFat, SDIO by PIO")                                \
    X(CARLK3_SDIO, carlk3_sdio, "carlk3-sdio", "carlk3's no-OS-FatFS, SDIO by PIO")                \
    X(CARLK3_FREERTOS_SDIO, carlk3_freertos_sdio, "carlk3-freertos-sdio",                          \
      "its FreeRTOS edition, SDIO by PIO")                                                         \
    X(ZULUSCSI_SDIO, zuluscsi_sdio, "zuluscsi-pio-sdio", "ZuluSCSI, SDIO by PIO")                  \
    X(STM32_HAL_SD, stm32_hal_sd, "stm32-hal-sd", "STM32Cube HAL_SD with FatFs glue")              \
    X(SDIOIO_STM, sdioio_stm, "circuitpython-sdioio-stm", "CircuitPython sdioio on STM32")         \
    X(SDIOIO_SAMD, sdioio_samd, "circuitpython-sdioio-samd", "CircuitPython sdioio on the SAMD51") \
    X(NUTTX_MMCSD, nuttx_mmcsd, "nuttx-mmcsd-sdio", "NuttX on an SD host")                         \
    X(MACHINE_SDCARD, machine_sdcard, "micropython-machine-sdcard",                                \
      "MicroPython machine.SDCard on ESP32")                                                       \
    X(NXP_USDHC, nxp_usdhc, "nxp-sdk-usdhc", "NXP's MCUXpresso SDK on the USDHC")                  \
    X(NXP_USDHC_UHS, nxp_usdhc_uhs, "nxp-sdk-usdhc-uhs", "the same at 1.8 V, UHS-I")               \
    X(SMOOTHIE_SDMMC, smoothie_sdmmc, "smoothie-lpc-sdmmc",                                        \
      "LPCOpen on the LPC43xx, as in Smoothie")                                                    \
    X(GENERIC_SD, generic_sd, "generic-sd", "a plain SD driver, polled or by DMA")                 \
    X(LINUX_MMC, linux_mmc, "linux-mmc", "Linux with an SD host of its own")                       \
    X(LINUX_MMC_UHS, linux_mmc_uhs, "linux-mmc-uhs", "the same at 1.8 V, UHS-I")                   \
    X(USB_READER, usb_reader, "usb-reader", "a USB 2.0 card reader")

#endif
