/*
 * A scenario's block operations on a real card and in the simulator, side by side: what `sdsim validate`
 * does once chip and scenario are there.
 *
 * The scenario's driver carries them out, on the port of the real card and on a simulated card of the
 * profile given, at the same clock, one the chip can make. The host is the same, too: one that does nothing
 * but move bytes (a microsecond for each short transfer). So what differs is the card. The scenario's own
 * host is not measured, nor is the clock it asks for if the chip can't make it; what is predicted for that
 * clock is printed apart.
 *
 * What is measured is bus time, counted in clocks: a lower bound of what an operation took, as the card goes
 * on working while USB lets the clock stand still. The upper bound is its host time, from the call to its
 * return. The tolerance is judged by bus time, whatever is shown.
 *
 * Limits: SPI. A scenario whose driver works the SD bus is carried out by the plain SPI driver.
 */
#ifndef SDSIM_FTDI_VALIDATE_CARD_H
#define SDSIM_FTDI_VALIDATE_CARD_H

#include "probe_card.h"
#include "validate_plan.h"

struct sdsim_validate_wishes {
    struct sdsim_validate_plan *plan; /* its operations are moved */
    double tolerance;                 /* of the total; 0.05 is 5 % */
    struct sdsim_write_wish write;
    enum sdsim_probe_time time;
    bool json; /* in the place of the report */
    const volatile sig_atomic_t *stop;
    FILE *in;
};

/* One kind of operation: reads or writes of so many sectors. */
struct sdsim_validate_group {
    bool write;
    uint32_t sectors; /* 0: syncs */
    size_t count;
    size_t spoiled;       /* had to be repeated in part, so not compared */
    double measured_mean; /* us, as are the following */
    double measured_median;
    double measured_high; /* 95 % */
    double measured_most;
    double predicted_mean;
    double predicted_median;
    double predicted_high;
    double predicted_most;
    double host_mean; /* by the host's clock: the upper bound of what was measured */
    double host_median;
    double host_high;
    double host_most;
    double asked_mean; /* predicted at the clock that was asked for */
};

enum { SDSIM_VALIDATE_GROUPS = 24 };

struct sdsim_validation {
    struct sdsim_mpsse_clock clock; /* measured at */
    double asked_hz;                /* on the scenario's own host */
    struct sdsim_validate_group groups[SDSIM_VALIDATE_GROUPS];
    size_t group_count;
    double measured; /* s, of all operations that are compared */
    double predicted;
    double host;
    double asked;
    uint64_t bytes;
};

/* Does it all. SDSIM_PROBE_FINDING: prediction and measurement are further apart than the tolerance.
 * `validation` (or NULL) gets the numbers. */
enum sdsim_probe_exit sdsim_validate_card(struct sdsim_link *link,
                                          const struct sdsim_validate_wishes *wishes,
                                          struct sdsim_validation *validation, FILE *out,
                                          FILE *err);

#endif
