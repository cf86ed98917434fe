/*
 * Measured beside predicted, as text of 80 columns or as JSON. Of what was measured, the bus time is a lower
 * bound and the host time an upper one; which of them is shown, --time says.
 */
#ifndef SDSIM_FTDI_VALIDATE_REPORT_H
#define SDSIM_FTDI_VALIDATE_REPORT_H

#include "validate_card.h"

void sdsim_validate_report(const struct sdsim_validation *validation,
                           const struct sdsim_validate_wishes *wishes, FILE *out);

/* The same, with seconds in every time. */
void sdsim_validate_json(const struct sdsim_validation *validation,
                         const struct sdsim_validate_wishes *wishes, FILE *out);

#endif
