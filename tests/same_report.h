/*
 * Two results of a run that must be the same to the last member.
 *
 * Results hold copies of structures, and padding is copied along or not as the compiler likes, so they
 * can't be compared byte by byte as a whole.
 */
#ifndef SDSIM_TEST_SAME_REPORT_H
#define SDSIM_TEST_SAME_REPORT_H

#include "setup/simulate.h"

/* Fails through cmocka if they differ. */
void sdsim_test_same_report(const struct sdsim_outcome_report *a,
                            const struct sdsim_outcome_report *b);

#endif
