/*
 * The options of the programs that work a real card on a chip on USB: which chip, what may be written,
 * and whose times to show. How each is spelled stands in the table of tools/sdsim/options.h.
 *
 * What was not given leaves its setting as it is. A function that does not like what was given says so on
 * stderr and returns false. Texts are not copied: they belong to the arguments.
 */
#ifndef SDSIM_FTDI_USB_OPTIONS_H
#define SDSIM_FTDI_USB_OPTIONS_H

#include "probe_card.h"
#include "tools/sdsim/options.h"
#include "usb_link.h"

/* --device, --usb and --interface. */
bool sdsim_read_device(const struct sdsim_arguments *arguments, struct sdsim_usb_device *device);

/* --write, --range, --scratch, --yes, --journal and --no-restore, and whether they fit together. */
bool sdsim_read_write_wish(const struct sdsim_arguments *arguments, struct sdsim_write_wish *wish);

/* --time. */
bool sdsim_read_time(const struct sdsim_arguments *arguments, enum sdsim_probe_time *time);

/* "--OPTION takes ..., not '...'". Returns false. */
bool sdsim_refuse_option(const char *option, const char *takes, const char *text);

#endif
