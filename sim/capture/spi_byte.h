/*
 * One byte each way over SPI, as a decoder takes it and as a capture, an exchange or the wire port
 * gives it.
 */
#ifndef SDSIM_CAPTURE_SPI_BYTE_H
#define SDSIM_CAPTURE_SPI_BYTE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/time.h"

struct sdsim_spi_byte {
    sdsim_ps start; /* first edge; 0 if the source has no times */
    sdsim_ps end;   /* last edge */
    uint64_t at;    /* where it began in its source: a sample, a byte, a line */
    bool selected;  /* CS low */
    uint8_t mosi;
    uint8_t miso;
    bool answer_ends; /* the source has no more of the answer: what follows on MISO is not known */
};

#endif
