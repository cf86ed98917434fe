/*
 * Finds a chip on USB, opens it, and finds out why that is not possible. For usb_link.c.
 */
#ifndef SDSIM_FTDI_USB_FIND_H
#define SDSIM_FTDI_USB_FIND_H

#include <ftdi.h>

#include "usb_link.h"

/*
 * Opens the chip that `device` describes by libftdi, leaves its kind in link->chip and its name in
 * `name`. False: fault and message are in the link.
 */
bool sdsim_usb_find(struct sdsim_link *link, struct ftdi_context *ftdi,
                    const struct sdsim_usb_device *device, char *name, size_t size);

#endif
