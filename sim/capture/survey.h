/*
 * What cannot be read off names: which channel is which line, and at which edge to sample, from the
 * first changes of a capture.
 *
 * Every choice is tried on these changes, and judged by what decodes: frames with a right CRC7 and
 * blocks with a right CRC16 count most, answered commands some, nonsense counts against it. Which
 * channels are tried follows from how they move: the clock has the most edges; CS is low during
 * nearly all edges of the clock and moves least.
 *
 * Limits: the eight liveliest channels are tried; a bus that is silent in these changes keeps what
 * the names say.
 */
#ifndef SDSIM_CAPTURE_SURVEY_H
#define SDSIM_CAPTURE_SURVEY_H

#include "capture/roles.h"
#include "capture/sd_decoder.h"

struct sdsim_survey {
    const struct sdsim_pin_facts *facts;
    const struct sdsim_pin_change *changes;
    size_t count;
    uint64_t quantum;             /* ticks a sample; found if 0 */
    enum sdsim_sampling sampling; /* SPI: found */
    bool idle_high;               /* SPI: found */
    int64_t score;                /* 0: nothing decoded */
    bool undersampled;            /* SPI: edges of the clock are missing */
};

/* Completes the roles. False without memory, or after a message if there can be no bus. */
bool sdsim_survey_run(struct sdsim_survey *survey, struct sdsim_roles *roles,
                      struct sdsim_diags *diags, const char *path);

#endif
