/*
 * What the protocol doctor says, as text of 80 columns or as JSON: the steps as they come, then the
 * findings, most serious first.
 *
 *     struct sdsim_doctor_report report;
 *     sdsim_doctor_report_start(&report, out, &source, name, json, most);
 *     sdsim_doctor_init(&doctor, &source, &report.steps);  ... the record ...
 *     sdsim_doctor_end(&doctor);
 *     sdsim_doctor_report_end(&report, &doctor);
 *
 * Limits: errors of the stream are the caller's to look at.
 */
#ifndef SDSIM_REPORT_DOCTOR_REPORT_H
#define SDSIM_REPORT_DOCTOR_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "capture/against.h"
#include "capture/doctor.h"
#include "report/json.h"

struct sdsim_doctor_report {
    struct sdsim_doctor_steps steps; /* first: a report takes steps */
    struct sdsim_doctor_source source;
    FILE *out;
    bool json;
    struct sdsim_json writer;
    uint64_t most;  /* steps to print */
    uint64_t count; /* steps so far */
    /* Set before the end: a simulated card the record was held against, and its name; or NULL. */
    const struct sdsim_against *against;
    const char *card;
};

/* `name` is what the record is called; at most `most` steps are printed. */
void sdsim_doctor_report_start(struct sdsim_doctor_report *report, FILE *out,
                               const struct sdsim_doctor_source *source, const char *name,
                               bool json, uint64_t most);
void sdsim_doctor_report_end(struct sdsim_doctor_report *report, const struct sdsim_doctor *doctor);

#endif
