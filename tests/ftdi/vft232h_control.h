/*
 * The virtual chip's descriptors and control requests; for vft232h.c.
 *
 * Requests are those of libftdi's ftdi.h; descriptors as the chips have them without an EEPROM.
 */
#ifndef SDSIM_TEST_FTDI_VFT232H_CONTROL_H
#define SDSIM_TEST_FTDI_VFT232H_CONTROL_H

#include "ftdi/vft232h.h"

enum { SDSIM_USB_PACKET = 512 };

struct sdsim_ftdi_control {
    struct sdsim_engine *engine;
    const struct sdsim_virtual_chip *chip;
    bool mpsse;       /* mode; otherwise the chip is a UART that nobody listens to */
    uint8_t latency;  /* ms */
    uint64_t unknown; /* requests that nothing is known of; answered with a stall */
};

/* After plugging in: UART mode, latency timer 16 ms. */
void sdsim_ftdi_control_init(struct sdsim_ftdi_control *control, struct sdsim_engine *engine,
                             const struct sdsim_virtual_chip *chip);

/* Device and configuration descriptor, as sysfs has them; returns the size. */
size_t sdsim_ftdi_descriptors(const struct sdsim_virtual_chip *chip, uint8_t bytes[256]);

/* A control transfer: 8 bytes of set-up, then up to `room` bytes of data. Returns the bytes moved, or
 * a negative errno. */
int sdsim_ftdi_control(struct sdsim_ftdi_control *control, uint8_t *bytes, size_t room);

#endif
