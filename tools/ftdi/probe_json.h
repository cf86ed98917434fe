/*
 * What probe finds, for programs: one JSON object. Times are seconds; of each measured time there are
 *
 *   counted     clocks counted on the bus: a lower bound, half a byte taken off
 *   at_most     upper bounds, with all the time the clock may have stood still; null: unknown
 *   gap_free    how many samples have both within 2 % or a byte
 *   host        host time of the calls they were seen in; null: none of its own
 *
 * each as a distribution. What --time leaves out of the report is left out here.
 */
#ifndef SDSIM_FTDI_PROBE_JSON_H
#define SDSIM_FTDI_PROBE_JSON_H

#include "check.h"
#include "probe_card.h"
#include "report/json.h"

/* Members of the object at work: what was found about a card. */
void sdsim_json_card(struct sdsim_json *json, const struct sdsim_card_findings *findings,
                     enum sdsim_probe_time time);

/* How USB fared. */
void sdsim_json_usb(struct sdsim_json *json, const struct sdsim_link *link);

/* A list of the checks that were made, with their answers. */
void sdsim_json_checks(struct sdsim_json *json, const struct sdsim_chip_findings *findings);

#endif
