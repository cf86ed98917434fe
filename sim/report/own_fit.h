/*
 * What a fit to one's own board and card found, as text, and as profiles.
 */
#ifndef SDSIM_REPORT_OWN_FIT_H
#define SDSIM_REPORT_OWN_FIT_H

#include <stdbool.h>
#include <stdio.h>

#include "measure/own.h"
#include "report/style.h"

/* One row a value the records depend on: before, after, range, and how far it was narrowed. False
 * without memory. */
bool sdsim_own_fit_print(const struct sdsim_own_fit *fit, const struct sdsim_style *style,
                         FILE *out);

/*
 * A profile of `kind` ("host" or "card") with the fitted values, based on the run's own. `source`
 * is where the numbers come from.
 */
void sdsim_own_fit_profile(const struct sdsim_own_fit *fit, const struct sdsim_run *run,
                           enum sdsim_profile_kind kind, const char *source, FILE *out);

#endif
