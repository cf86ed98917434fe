#include <stddef.h>

#include "driver/costs.h"
#include "setup/params.h"
#include "setup/schemas.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define LONGEST      SDSIM_S

/* ---- clock generators ---- */

static const struct sdsim_choice rules[] = {
    {"exact", SDSIM_CLOCK_EXACT, "any frequency"},
    {"esp32-arduino", SDSIM_CLOCK_ESP32_ARDUINO, "never above; arduino-esp32 SPI"},
    {"esp-idf-spi", SDSIM_CLOCK_ESP_IDF_SPI, "nearest, may exceed; ESP-IDF SPI master"},
    {"esp-idf-spi-below", SDSIM_CLOCK_ESP_IDF_SPI_BELOW, "never above; CircuitPython on Espressif"},
    {"esp-sdmmc", SDSIM_CLOCK_ESP_SDMMC, "never above; ESP-IDF SDMMC host, v6"},
    {"esp-sdmmc-v5", SDSIM_CLOCK_ESP_SDMMC_V5, "never above; ESP-IDF SDMMC host, v5"},
    {"pl022", SDSIM_CLOCK_PL022, "never above; RP2040 and RP2350 SPI"},
    {"pio-sdio", SDSIM_CLOCK_PIO_SDIO, "RP2040 and RP2350 PIO, 4 cycles a clock"},
    {"sercom-arduino", SDSIM_CLOCK_SERCOM_ARDUINO, "may exceed; SAMD with the Arduino core"},
    {"sercom-circuitpython", SDSIM_CLOCK_SERCOM_CPY, "never above; SAMD with CircuitPython"},
    {"power-of-two", SDSIM_CLOCK_POWER_OF_TWO, "never above; STM32 SPI, AVR"},
    {"stm32-sdio", SDSIM_CLOCK_STM32_SDIO, "never above; STM32 F1 F2 F4 F7 L4"},
    {"stm32-sdmmc", SDSIM_CLOCK_STM32_SDMMC, "never above; STM32 H7, newer L4+"},
    {"nrf52", SDSIM_CLOCK_NRF52, "fixed steps; nRF52 with the Arduino core"},
    {"lpspi", SDSIM_CLOCK_LPSPI, "never above; i.MX RT LPSPI, Teensy 4"},
    {"usdhc", SDSIM_CLOCK_USDHC, "never above; i.MX RT USDHC, Teensy 4"},
    {"ftdi", SDSIM_CLOCK_FTDI, "never above; FT232H MPSSE"},
    {NULL, 0, NULL},
};

static const struct sdsim_key clock_keys[] = {
    {.name = "rule",
     .type = SDSIM_VALUE_CHOICE,
     .offset = offsetof(struct sdsim_host_clock_params, rule),
     .required = true,
     .choices = rules,
     .doc = "How the frequency is chosen."},
    {.name = "source",
     .type = SDSIM_VALUE_FREQUENCY,
     .offset = offsetof(struct sdsim_host_clock_params, source_hz),
     .required = true,
     .profile = true,
     .min = 1000000,
     .max = 1000000000,
     .doc = "The clock that is divided."},
    {.name = "maximum",
     .type = SDSIM_VALUE_FREQUENCY,
     .offset = offsetof(struct sdsim_host_clock_params, maximum_hz),
     .profile = true,
     .max = 1000000000,
     .doc = "Requests are cut to this first."},
    {.name = "pre_limit",
     .type = SDSIM_VALUE_COUNT,
     .offset = offsetof(struct sdsim_host_clock_params, pre_limit),
     .max = 8192,
     .doc = "ESP32 rules: largest pre-divider (8192 on ESP32 and S2, 16 on the others)."},
    {.name = "cycles",
     .type = SDSIM_VALUE_COUNT,
     .offset = offsetof(struct sdsim_host_clock_params, cycles),
     .max = 64,
     .doc = "pio-sdio: program steps per bus clock; left out: 4."},
    {.name = "largest",
     .type = SDSIM_VALUE_COUNT,
     .offset = offsetof(struct sdsim_host_clock_params, largest),
     .max = 65536,
     .doc = "power-of-two, lpspi: the largest divider; left out: 256 (AVR: 128)."},
    {.name = "bypass",
     .type = SDSIM_VALUE_BOOL,
     .offset = offsetof(struct sdsim_host_clock_params, bypass),
     .doc = "stm32-sdio, stm32-sdmmc: the source may go out undivided."},
};

static const struct sdsim_schema clock_schema = {
    .name = "clock",
    .doc = "One clock generator.",
    .keys = clock_keys,
    .key_count = COUNT(clock_keys),
    .size = sizeof(struct sdsim_host_clock_params),
};

#define CLOCK(text, index, sentence)                                                               \
    {                                                                                              \
        .name = (text), .type = SDSIM_VALUE_MAP,                                                   \
        .offset = (index) * sizeof(struct sdsim_host_clock_params), .schema = &clock_schema,       \
        .given_offset = (index) * sizeof(struct sdsim_host_clock_params) + 1, .doc = (sentence)    \
    }

static const struct sdsim_key clocks_keys[] = {
    CLOCK("spi", SDSIM_HOST_CLOCK_SPI, "SPI, for drivers without an entry of their own."),
    CLOCK("spi-arduino", SDSIM_HOST_CLOCK_SPI_ARDUINO, "SPI as arduino-esp32 sets it up."),
    CLOCK("spi-idf", SDSIM_HOST_CLOCK_SPI_IDF, "SPI as the ESP-IDF master driver sets it up."),
    CLOCK("spi-circuitpython", SDSIM_HOST_CLOCK_SPI_CIRCUITPYTHON,
          "SPI as CircuitPython's busio sets it up."),
    CLOCK("sdmmc", SDSIM_HOST_CLOCK_SDMMC, "The SD host controller."),
};

static const struct sdsim_schema clocks_schema = {
    .name = "clocks",
    .doc = "The clock generators a card can hang on.",
    .keys = clocks_keys,
    .key_count = COUNT(clocks_keys),
    .size = SDSIM_HOST_CLOCK_COUNT * sizeof(struct sdsim_host_clock_params),
};

/* ---- driver costs ---- */

#define COST(text, member, kind, limit, sentence)                                                  \
    {                                                                                              \
        .name = (text), .type = (kind),                                                            \
        .offset = offsetof(struct sdsim_host_driver_params, costs.member), .profile = true,        \
        .max = (limit), .doc = (sentence)                                                          \
    }

static const struct sdsim_key cost_keys[] = {
    COST("call", call, SDSIM_VALUE_TIME, LONGEST,
         "One read or write call: entry, locks, set-up, return."),
    COST("transfer", transfer, SDSIM_VALUE_TIME, LONGEST,
         "Dead time of a short SPI transfer of 1 to 16 bytes."),
    COST("bulk", bulk, SDSIM_VALUE_TIME, LONGEST,
         "Dead time of a data transfer: DMA set-up, interrupt, task switch."),
    COST("chunk", chunk, SDSIM_VALUE_SIZE, 65536, "Data moves in pieces of this size; 0: at once."),
    COST("chunk_gap", chunk_gap, SDSIM_VALUE_TIME, LONGEST,
         "Dead time of each piece: filling and emptying the FIFO, starting, waiting."),
    COST("crc16", crc16, SDSIM_VALUE_TIME, LONGEST, "Software CRC16 of one block."),
    COST("copy", copy, SDSIM_VALUE_TIME, LONGEST, "Copying one block."),
    COST("command", command, SDSIM_VALUE_TIME, LONGEST, "CPU time before a command."),
    COST("wake", wake, SDSIM_VALUE_TIME, LONGEST,
         "SD mode: from the controller's interrupt to the task going on."),
};

static const struct sdsim_schema cost_schema = {
    .name = "driver costs",
    .doc =
        "What the steps of one driver cost on this host. Which of them a driver has is told with "
        "its name; others make no difference to it.",
    .keys = cost_keys,
    .key_count = COUNT(cost_keys),
    .size = sizeof(struct sdsim_host_driver_params),
};

static const struct sdsim_key drivers_keys[] = {
#define SDSIM_DRIVER_KEY(code, class, text, sentence)                                              \
    {.name = text,                                                                                 \
     .type = SDSIM_VALUE_MAP,                                                                      \
     .offset = SDSIM_DRIVER_##code * sizeof(struct sdsim_host_driver_params),                      \
     .schema = &cost_schema,                                                                       \
     .given_offset = SDSIM_DRIVER_##code * sizeof(struct sdsim_host_driver_params) +               \
                     offsetof(struct sdsim_host_driver_params, given) + 1,                         \
     .doc = "Costs of " sentence ": " SDSIM_DRIVER_COSTS_##code "."},
    SDSIM_DRIVER_LIST(SDSIM_DRIVER_KEY)
#undef SDSIM_DRIVER_KEY
};

static const struct sdsim_schema drivers_schema = {
    .name = "drivers",
    .doc = "Costs by driver. A driver without an entry can't be used on this host.",
    .keys = drivers_keys,
    .key_count = COUNT(drivers_keys),
    .size = SDSIM_DRIVER_COUNT * sizeof(struct sdsim_host_driver_params),
};

/* ---- file costs ---- */

static const struct sdsim_key file_keys[] = {
    {.name = "call",
     .type = SDSIM_VALUE_TIME,
     .offset = offsetof(struct sdsim_host_file_params, costs.call),
     .profile = true,
     .max = LONGEST,
     .doc = "Each read or write call of the application: language, VFS, library."},
    {.name = "line",
     .type = SDSIM_VALUE_TIME,
     .offset = offsetof(struct sdsim_host_file_params, costs.line),
     .profile = true,
     .max = LONGEST,
     .doc = "Each printed line, on top of its two write calls: formatting, conversion."},
    {.name = "refill",
     .type = SDSIM_VALUE_TIME,
     .offset = offsetof(struct sdsim_host_file_params, costs.refill),
     .profile = true,
     .max = LONGEST,
     .doc = "stdio, arduino: each time the buffer is filled or emptied: the VFS and the library."},
    {.name = "copy_rate",
     .type = SDSIM_VALUE_RATE,
     .offset = offsetof(struct sdsim_host_file_params, costs.copy_rate),
     .profile = true,
     .doc =
         "Speed of copies: through stdio's buffer, and of parts of sectors; 0: they cost nothing."},
    {.name = "engine",
     .type = SDSIM_VALUE_TEXT,
     .offset = offsetof(struct sdsim_host_file_params, engine),
     .doc = "How the FAT library is built for this host, as in filesystem.engine; left out: as it "
            "comes with the API."},
};

static const struct sdsim_schema file_schema = {
    .name = "file costs",
    .doc = "What the calls of one file API cost on this host.",
    .keys = file_keys,
    .key_count = COUNT(file_keys),
    .size = sizeof(struct sdsim_host_file_params),
};

static const struct sdsim_key files_keys[] = {
#define SDSIM_FILE_API_KEY(code, text, sentence, buffer, config)                                   \
    {.name = text,                                                                                 \
     .type = SDSIM_VALUE_MAP,                                                                      \
     .offset = SDSIM_API_##code * sizeof(struct sdsim_host_file_params),                           \
     .given_offset = SDSIM_API_##code * sizeof(struct sdsim_host_file_params) +                    \
                     offsetof(struct sdsim_host_file_params, given) + 1,                           \
     .schema = &file_schema,                                                                       \
     .doc = "Costs of " sentence "."},
    SDSIM_FILE_API_LIST(SDSIM_FILE_API_KEY)
#undef SDSIM_FILE_API_KEY
};

static const struct sdsim_schema files_schema = {
    .name = "files",
    .doc = "Costs by file API.",
    .keys = files_keys,
    .key_count = COUNT(files_keys),
    .size = SDSIM_API_COUNT * sizeof(struct sdsim_host_file_params),
};

/* ---- the host ---- */

static const struct sdsim_key keys[] = {
    {.name = "cpu",
     .type = SDSIM_VALUE_FREQUENCY,
     .offset = offsetof(struct sdsim_host_params, cpu_hz),
     .required = true,
     .min = 1000000,
     .max = 10000000000,
     .doc =
         "CPU clock the costs below were taken at; for your information, nothing scales with it."},
    {.name = "strapping_pins",
     .type = SDSIM_VALUE_COUNT,
     .offset = offsetof(struct sdsim_host_params, strapping_pins),
     .list = true,
     .max = 255,
     .doc = "GPIO numbers the chip samples at reset and a pull-up disturbs."},
    {.name = "matches",
     .type = SDSIM_VALUE_TEXT,
     .offset = offsetof(struct sdsim_host_params, matches),
     .list = true,
     .doc = "Remarks by which a published measurement on its `base` tells that it is this one."},
    {.name = "clocks",
     .type = SDSIM_VALUE_MAP,
     .offset = offsetof(struct sdsim_host_params, clocks),
     .required = true,
     .schema = &clocks_schema,
     .doc = "Clock generators."},
    {.name = "drivers",
     .type = SDSIM_VALUE_MAP,
     .offset = offsetof(struct sdsim_host_params, drivers),
     .required = true,
     .schema = &drivers_schema,
     .doc = "Driver costs."},
    {.name = "files",
     .type = SDSIM_VALUE_MAP,
     .offset = offsetof(struct sdsim_host_params, files),
     .schema = &files_schema,
     .doc = "File API costs."},
    {.name = "usb",
     .type = SDSIM_VALUE_MAP,
     .offset = offsetof(struct sdsim_host_params, usb),
     .given_offset = offsetof(struct sdsim_host_params, usb.given) + 1,
     .schema = &sdsim_usb_costs_schema,
     .doc = "Costs of being a USB mass-storage device (workload: on: usb)."},
    {.name = "mpsse",
     .type = SDSIM_VALUE_MAP,
     .offset = offsetof(struct sdsim_host_params, mpsse),
     .schema = &sdsim_mpsse_schema,
     .doc = "What an FTDI chip was found to do, by sdsim probe --check."},
};

const struct sdsim_schema sdsim_host_schema = {
    .name = "host",
    .doc =
        "A host profile: a microcontroller, its clock generators, and what drivers and file APIs "
        "cost on it.",
    .keys = keys,
    .key_count = COUNT(keys),
    .size = sizeof(struct sdsim_host_params),
};
