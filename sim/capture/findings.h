/*
 * What is worth saying about a capture beyond its figures: what could not be read and why, what breaks
 * a rule, what is risky.
 */
#ifndef SDSIM_CAPTURE_FINDINGS_H
#define SDSIM_CAPTURE_FINDINGS_H

#include "capture/capture.h"
#include "capture/summary.h"

enum { SDSIM_FINDINGS = 32, SDSIM_FINDING_TEXT = 320 };

struct sdsim_finding {
    enum sdsim_severity severity; /* NOTE or WARNING */
    char text[SDSIM_FINDING_TEXT];
};

struct sdsim_findings {
    size_t count;
    struct sdsim_finding list[SDSIM_FINDINGS];
};

/* Decodes all of a capture into a new summary, and looks at that. SDSIM_PINS_END or
 * SDSIM_PINS_BROKEN; the findings are of what came until then. */
enum sdsim_pin_result sdsim_findings_collect(struct sdsim_findings *findings,
                                             struct sdsim_capture *capture,
                                             struct sdsim_summary *summary);

/* A stretch's mean frequency in hertz; 0 if it has none. */
double sdsim_stretch_hertz(const struct sdsim_capture *capture,
                           const struct sdsim_clock_stretch *stretch);
/* Samples a second, of the recording or of the finest difference seen. */
double sdsim_capture_rate(const struct sdsim_capture *capture);
/* The frequency of the readable stretch with most clocks; 0 if there is none. */
double sdsim_capture_hertz(const struct sdsim_capture *capture);

#endif
