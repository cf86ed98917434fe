/*
 * Engines: how the builds of the FAT libraries that firmwares ship with are configured, by name.
 *
 * An engine is a struct sdsim_volume_config: which of the libraries modelled here it is (FatFs,
 * SdFat, the classic Arduino library) and with what options. A firmware built with other options
 * than the defaults is described by a changed copy.
 */
#ifndef SDSIM_FAT_ENGINES_H
#define SDSIM_FAT_ENGINES_H

#include <stddef.h>

#include "fat/volume.h"

struct sdsim_engine {
    const char *name; /* "esp-idf" */
    const char *doc;  /* one line: what it is */
    struct sdsim_volume_config config;
};

/* The engines in the order of their table; NULL behind the last. */
const struct sdsim_engine *sdsim_engine_at(size_t index);

/* The engine with that name, or NULL. */
const struct sdsim_engine *sdsim_engine_find(const char *name);

#endif
