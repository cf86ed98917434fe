#include <stddef.h>

#include "setup/params.h"
#include "setup/schemas.h"

#define AT(member) offsetof(struct sdsim_driver_profile, member)

static const struct sdsim_choice codes[] = {
#define SDSIM_DRIVER_CHOICE(code, class, name, doc) {name, SDSIM_DRIVER_##code, doc},
    SDSIM_DRIVER_LIST(SDSIM_DRIVER_CHOICE)
#undef SDSIM_DRIVER_CHOICE
        {NULL, 0, NULL},
};

static const struct sdsim_choice clocks[] = {
    {"spi", SDSIM_HOST_CLOCK_SPI, "the host's general SPI clock"},
    {"spi-arduino", SDSIM_HOST_CLOCK_SPI_ARDUINO, "SPI as arduino-esp32 sets it up"},
    {"spi-idf", SDSIM_HOST_CLOCK_SPI_IDF, "SPI as ESP-IDF sets it up"},
    {"spi-circuitpython", SDSIM_HOST_CLOCK_SPI_CIRCUITPYTHON, "SPI as CircuitPython sets it up"},
    {"sdmmc", SDSIM_HOST_CLOCK_SDMMC, "the SD host controller"},
    {NULL, 0, NULL},
};

static const struct sdsim_key keys[] = {
    {.name = "code",
     .type = SDSIM_VALUE_CHOICE,
     .offset = AT(params.code),
     .required = true,
     .choices = codes,
     .doc = "Which command sequences it uses."},
    {.name = "clock",
     .type = SDSIM_VALUE_CHOICE,
     .offset = AT(clock),
     .required = true,
     .choices = clocks,
     .doc =
         "Which of the host's clock generators it sets up; `spi` if the host has no such entry."},
    {.name = "default_clock",
     .type = SDSIM_VALUE_FREQUENCY,
     .offset = AT(default_hz),
     .required = true,
     .profile = true,
     .min = 1000,
     .max = 208000000,
     .doc = "Clock asked for when the application doesn't say."},
    {.name = "clock_cap",
     .type = SDSIM_VALUE_FREQUENCY,
     .offset = AT(cap_hz),
     .profile = true,
     .max = 208000000,
     .doc = "Requests above are cut to this; leave out for none."},
    {.name = "init_clock",
     .type = SDSIM_VALUE_FREQUENCY,
     .offset = AT(init_hz),
     .fallback = "400kHz",
     .profile = true,
     .min = 1000,
     .max = 400000,
     .doc = "Clock during identification."},
    {.name = "status_after_read",
     .type = SDSIM_VALUE_COUNT,
     .offset = AT(params.status_after_read),
     .profile = true,
     .max = 10,
     .doc = "CMD13s after each read."},
    {.name = "status_after_write",
     .type = SDSIM_VALUE_COUNT,
     .offset = AT(params.status_after_write),
     .profile = true,
     .max = 10,
     .doc = "CMD13s after each write."},
    {.name = "status_on_call",
     .type = SDSIM_VALUE_BOOL,
     .offset = AT(params.status_on_call),
     .doc = "FatFs's disk_status, once per file call, sends a CMD13."},
    {.name = "tick",
     .type = SDSIM_VALUE_TIME,
     .offset = AT(params.tick),
     .profile = true,
     .max = SDSIM_S,
     .doc = "Length of the shortest sleep of the operating system."},
    {.name = "bounce_blocks",
     .type = SDSIM_VALUE_COUNT,
     .offset = AT(params.bounce_blocks),
     .profile = true,
     .max = 128,
     .doc = "Blocks per command when DMA can't use the caller's buffer; 0: no difference."},
};

const struct sdsim_schema sdsim_driver_schema = {
    .name = "driver",
    .doc = "A driver profile: a release of a driver, with what differs between releases. What its "
           "steps cost stands in the host's profile.",
    .keys = keys,
    .key_count = sizeof keys / sizeof *keys,
    .size = sizeof(struct sdsim_driver_profile),
};
