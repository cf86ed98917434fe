/*
 * Commands, arguments and responses of a capture in words: "read block", "sector 15", "idle".
 */
#ifndef SDSIM_CAPTURE_WORDS_H
#define SDSIM_CAPTURE_WORDS_H

#include <stddef.h>

#include "capture/summary.h"

enum { SDSIM_WORDS = 160 };

/* "CMD17", "ACMD41". Returns out. */
char *sdsim_words_name(uint8_t index, bool app, char *out, size_t size);

/* What a command does, or "" if it is none. */
const char *sdsim_words_title(uint8_t index, bool app);

/* What the argument means; its digits if that is not known. Returns out. */
char *sdsim_words_argument(const struct sdsim_capture_row *row, char *out, size_t size);

/* What the response says. `spi`: it is one of SPI mode. Returns out. */
char *sdsim_words_response(const struct sdsim_capture_row *row, bool spi, char *out, size_t size);

/* A data response of SPI, or a CRC status of SD mode. */
const char *sdsim_words_data_response(uint8_t token, bool spi);

#endif
