/*
 * A schema with a key of every type, for the tests of the schema layer.
 */
#ifndef SDSIM_TEST_SCHEMA_EXAMPLE_H
#define SDSIM_TEST_SCHEMA_EXAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/schema.h"

enum example_mode { EXAMPLE_SPI = 7, EXAMPLE_SD1, EXAMPLE_SD4, EXAMPLE_ONE };

struct example_bus {
    uint64_t clock;
    int mode;
    bool crc;
    uint64_t timeout;
};

struct example_step {
    uint64_t call;
    uint64_t count;
    const char *label;
};

struct example {
    const struct sdsim_node *card;
    struct example_bus bus;
    bool bus_given;
    uint64_t rd1;
    bool rd1_given;
    uint64_t clock;
    uint64_t au;
    uint64_t rate;
    uint64_t lines;
    uint64_t fill;
    uint64_t slots;
    double factor;
    double offset;
    int policy;
    bool cache;
    const char *label;
    struct sdsim_list calls;
    struct sdsim_list modes;
    struct sdsim_list steps;
    struct sdsim_list cards;
    struct sdsim_list costs;
    struct sdsim_quantity measured;
    uint64_t wide;
};

static const struct sdsim_choice example_modes[] = {
    {"spi", EXAMPLE_SPI, "SPI mode."},
    {"sd1", EXAMPLE_SD1,
     "SD mode with one data line, the one that every card and every host knows."},
    {"sd4", EXAMPLE_SD4, "SD mode with four data lines."},
    {"1", EXAMPLE_ONE, NULL},
    {NULL, 0, NULL},
};

static const struct sdsim_key example_bus_keys[] = {
    {.name = "clock",
     .type = SDSIM_VALUE_FREQUENCY,
     .offset = offsetof(struct example_bus, clock),
     .doc = "The clock the firmware asks for.",
     .required = true,
     .min = 100000,
     .max = 50000000},
    {.name = "mode",
     .type = SDSIM_VALUE_CHOICE,
     .offset = offsetof(struct example_bus, mode),
     .doc = "Which lines carry what.",
     .fallback = "spi",
     .choices = example_modes},
    {.name = "crc",
     .type = SDSIM_VALUE_BOOL,
     .offset = offsetof(struct example_bus, crc),
     .doc = "Whether CMD59 switches check sums on.",
     .fallback = "no"},
    {.name = "timeout",
     .type = SDSIM_VALUE_TIME,
     .offset = offsetof(struct example_bus, timeout),
     .doc = "The longest wait.",
     .fallback = "250ms",
     .min = 1000000,
     .max = UINT64_C(10000000000000)},
};

static const struct sdsim_schema example_bus_schema = {
    .name = "bus",
    .doc = "How card and host are wired.",
    .keys = example_bus_keys,
    .key_count = sizeof example_bus_keys / sizeof example_bus_keys[0],
    .size = sizeof(struct example_bus),
};

static const struct sdsim_key example_step_keys[] = {
    {.name = "call",
     .type = SDSIM_VALUE_SIZE,
     .offset = offsetof(struct example_step, call),
     .doc = "Bytes per call.",
     .required = true,
     .min = 1},
    {.name = "count",
     .type = SDSIM_VALUE_COUNT,
     .offset = offsetof(struct example_step, count),
     .doc = "How many calls.",
     .fallback = "1",
     .max = 4294967295},
    {.name = "label",
     .type = SDSIM_VALUE_TEXT,
     .offset = offsetof(struct example_step, label),
     .doc = "What to call it."},
};

static const struct sdsim_schema example_step_schema = {
    .name = "step",
    .doc = "One step.",
    .keys = example_step_keys,
    .key_count = sizeof example_step_keys / sizeof example_step_keys[0],
    .size = sizeof(struct example_step),
};

static const struct sdsim_key example_keys[] = {
    {.name = "card",
     .type = SDSIM_VALUE_PROFILE,
     .offset = offsetof(struct example, card),
     .doc = "The card.",
     .fallback = "generic",
     .profile_kind = "card"},
    {.name = "bus",
     .type = SDSIM_VALUE_MAP,
     .offset = offsetof(struct example, bus),
     .doc = "The bus.",
     .schema = &example_bus_schema,
     .given_offset = offsetof(struct example, bus_given) + 1},
    {.name = "rd1",
     .type = SDSIM_VALUE_TIME,
     .offset = offsetof(struct example, rd1),
     .doc =
         "Time from the command to the first data token of a single read that misses all that the "
         "card holds in its buffers.",
     .profile = true,
     .min = 1000000,
     .max = UINT64_C(1000000000000),
     .given_offset = offsetof(struct example, rd1_given) + 1},
    {.name = "clock",
     .type = SDSIM_VALUE_FREQUENCY,
     .offset = offsetof(struct example, clock),
     .doc = "A frequency.",
     .profile = true},
    {.name = "au",
     .type = SDSIM_VALUE_SIZE,
     .offset = offsetof(struct example, au),
     .doc = "A size.",
     .min = 512,
     .max = UINT64_C(1) << 30},
    {.name = "rate",
     .type = SDSIM_VALUE_RATE,
     .offset = offsetof(struct example, rate),
     .doc = "A rate.",
     .profile = true},
    {.name = "lines",
     .type = SDSIM_VALUE_PER_SECOND,
     .offset = offsetof(struct example, lines),
     .doc = "A number per second."},
    {.name = "fill",
     .type = SDSIM_VALUE_PERCENT,
     .offset = offsetof(struct example, fill),
     .doc = "A percentage.",
     .max = 1000000000,
     .profile = true},
    {.name = "slots",
     .type = SDSIM_VALUE_COUNT,
     .offset = offsetof(struct example, slots),
     .doc = "A count.",
     .profile = true,
     .min = 1,
     .max = 64},
    {.name = "factor",
     .type = SDSIM_VALUE_NUMBER,
     .offset = offsetof(struct example, factor),
     .doc = "A number with limits.",
     .fallback = "1.5",
     .profile = true,
     .min = 0,
     .max = 10},
    {.name = "offset",
     .type = SDSIM_VALUE_NUMBER,
     .offset = offsetof(struct example, offset),
     .doc = "A number without limits.",
     .profile = true},
    {.name = "policy",
     .type = SDSIM_VALUE_CHOICE,
     .offset = offsetof(struct example, policy),
     .doc = "A choice with its origin.",
     .fallback = "sd4",
     .profile = true,
     .choices = example_modes},
    {.name = "cache",
     .type = SDSIM_VALUE_BOOL,
     .offset = offsetof(struct example, cache),
     .doc = "A switch with its origin.",
     .profile = true},
    {.name = "label",
     .type = SDSIM_VALUE_TEXT,
     .offset = offsetof(struct example, label),
     .doc = "A text.",
     .fallback = "none"},
    {.name = "calls",
     .type = SDSIM_VALUE_SIZE,
     .offset = offsetof(struct example, calls),
     .doc = "Several sizes.",
     .fallback = "4KiB",
     .list = true},
    {.name = "modes",
     .type = SDSIM_VALUE_CHOICE,
     .offset = offsetof(struct example, modes),
     .doc = "Several choices.",
     .list = true,
     .choices = example_modes},
    {.name = "steps",
     .type = SDSIM_VALUE_MAP,
     .offset = offsetof(struct example, steps),
     .doc = "Several maps.",
     .required = true,
     .list = true,
     .schema = &example_step_schema},
    {.name = "cards",
     .type = SDSIM_VALUE_PROFILE,
     .offset = offsetof(struct example, cards),
     .doc = "Several profiles.",
     .list = true,
     .profile_kind = "card"},
    {.name = "costs",
     .type = SDSIM_VALUE_TIME,
     .offset = offsetof(struct example, costs),
     .doc = "Several times with their origin.",
     .list = true,
     .profile = true},
    {.name = "measured",
     .type = SDSIM_VALUE_QUANTITY,
     .offset = offsetof(struct example, measured),
     .doc = "What somebody measured."},
    {.name = "wide",
     .type = SDSIM_VALUE_COUNT,
     .offset = offsetof(struct example, wide),
     .doc = "All 64 bits.",
     .profile = true},
};

static const struct sdsim_schema example_schema = {
    .name = "example",
    .doc =
        "An example of a schema that has a key of every type, so that what is checked, bound and "
        "written about keys can be seen in one place.",
    .keys = example_keys,
    .key_count = sizeof example_keys / sizeof example_keys[0],
    .size = sizeof(struct example),
};

#endif
