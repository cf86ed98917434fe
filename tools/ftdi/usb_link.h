/*
 * A link (link.h) to an FTDI chip on USB.
 *
 * libftdi1 opens the chip and sets it up: reset, latency timer 1 ms, MPSSE mode. The data goes by
 * asynchronous libusb transfers on libftdi's handle, because libftdi's own calls know one transfer at a
 * time: here some transfers for answers are always queued before the commands are, so the chip, whose
 * FIFOs hold a kilobyte or two, never has to stop its clock for want of a place for its answers.
 *
 *     libftdi   ftdi_usb_open_dev, reset, latency, bit mode, flush
 *     libusb    8 transfers IN of 16 KiB while answers are expected; one transfer OUT a batch
 *
 * The chip puts two status bytes in front of each packet of 512 (or 64) bytes; they are taken off. A
 * packet that holds nothing else comes each millisecond while there is nothing to say.
 *
 * Limits: one channel of one chip; one thread; Linux, for the messages about drivers and permissions.
 */
#ifndef SDSIM_FTDI_USB_LINK_H
#define SDSIM_FTDI_USB_LINK_H

#include "link.h"

/* Which chip. Zeroed: the only FT232H, FT2232H or FT4232H there is, interface A. */
struct sdsim_usb_device {
    uint16_t vendor;    /* 0: FTDI */
    uint16_t product;   /* 0: of the chips that have an MPSSE */
    const char *serial; /* NULL: any, if there is only one. Not owned */
    char interface;     /* 'A' or 'B'; 0: A */
};

/* "ftdi" or "ftdi:SERIAL", "VID:PID" in hexadecimal, and "A" or "B", as the options --device, --usb
 * and --interface take them. False: it is none; nothing is changed. */
bool sdsim_usb_take_device(struct sdsim_usb_device *device, const char *text);
bool sdsim_usb_take_ids(struct sdsim_usb_device *device, const char *text);
bool sdsim_usb_take_interface(struct sdsim_usb_device *device, const char *text);

/*
 * Opens and sets up a chip; it is as after recover() then. On failure link->fault is not FINE and
 * link->error says what is wrong and, in a second line, what to do; close it all the same. NULL only
 * without memory.
 */
struct sdsim_link *sdsim_usb_link_open(const struct sdsim_usb_device *device);

/* What was opened: its name, "FT232H" or as its maker calls it, serial number and address, as in
 * "FT232H, serial number FT0ABCDE, 0403:6014 at bus 1, device 4, interface A". */
const char *sdsim_usb_link_name(const struct sdsim_link *link);

#endif
