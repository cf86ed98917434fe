/*
 * Measured beside predicted, as text of 80 columns.
 */
#ifndef SDSIM_FTDI_VALIDATE_REPORT_H
#define SDSIM_FTDI_VALIDATE_REPORT_H

#include "validate_card.h"

void sdsim_validate_report(const struct sdsim_validation *validation,
                           const struct sdsim_validate_wishes *wishes, FILE *out);

#endif
