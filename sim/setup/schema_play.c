/*
 * Players, and other devices on the card's bus, in scenarios.
 */
#include <stddef.h>

#include "setup/schemas.h"
#include "workload/bus_sharer.h"
#include "workload/player.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const struct sdsim_key play_keys[] = {
    {.name = "rate",
     .type = SDSIM_VALUE_RATE,
     .offset = offsetof(struct sdsim_player_params, rate),
     .fallback = "176400B/s",
     .min = 1,
     .max = 1000000000,
     .doc = "Bytes per second of one file; the default is 16-bit stereo at 44.1 kHz."},
    {.name = "buffers",
     .type = SDSIM_VALUE_COUNT,
     .offset = offsetof(struct sdsim_player_params, buffers),
     .fallback = "2",
     .min = 1,
     .max = SDSIM_PLAYER_MOST,
     .doc = "Buffers of one call each, for each file; all are filled before it begins."},
};

const struct sdsim_schema sdsim_play_schema = {
    .name = "play",
    .doc = "What takes the data, and when.",
    .keys = play_keys,
    .key_count = COUNT(play_keys),
    .size = sizeof(struct sdsim_player_params),
};

static const struct sdsim_key sharer_keys[] = {
    {.name = "bytes",
     .type = SDSIM_VALUE_SIZE,
     .offset = offsetof(struct sdsim_sharer_params, bytes),
     .required = true,
     .min = 1,
     .max = 16777216,
     .doc = "What it moves each time."},
    {.name = "every",
     .type = SDSIM_VALUE_TIME,
     .offset = offsetof(struct sdsim_sharer_params, every),
     .required = true,
     .min = SDSIM_US,
     .doc = "From one time to the next."},
    {.name = "clock",
     .type = SDSIM_VALUE_FREQUENCY,
     .offset = offsetof(struct sdsim_sharer_params, clock_hz),
     .fallback = "8MHz",
     .min = 1000,
     .max = 200000000,
     .doc = "The clock of its transfers, on the wire."},
    {.name = "setup",
     .type = SDSIM_VALUE_TIME,
     .offset = offsetof(struct sdsim_sharer_params, setup),
     .fallback = "20us",
     .max = SDSIM_S,
     .doc = "Lock, mode and clock, chip select, each time."},
};

const struct sdsim_schema sdsim_sharer_schema = {
    .name = "other device",
    .doc = "Another device on the card's SPI bus.",
    .keys = sharer_keys,
    .key_count = COUNT(sharer_keys),
    .size = sizeof(struct sdsim_sharer_params),
};
