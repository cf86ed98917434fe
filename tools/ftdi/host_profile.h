/*
 * A host profile (kind: host) of an FTDI chip on its PC: the answers of the checks (check.h) that were made,
 * each with its range and provenance `measured`.
 *
 * The profile can be simulated, too: as a host that looks at the card over USB one look after the other, its
 * short transfers cost what a poll does, and the gap between bytes is that of its chunks. Without those
 * checks it has no costs, and says so.
 */
#ifndef SDSIM_FTDI_HOST_PROFILE_H
#define SDSIM_FTDI_HOST_PROFILE_H

#include <stdio.h>

#include "check.h"

/* `chip` is the name of the instrument, as sdsim_usb_link_name() gives it. */
void sdsim_host_profile_write(const struct sdsim_chip_findings *findings, const char *chip,
                              FILE *out);

#endif
