/*
 * For the reports of `sdsim buffer`: numbers and causes in words.
 */
#ifndef SDSIM_REPORT_BUFFER_WORDS_H
#define SDSIM_REPORT_BUFFER_WORDS_H

#include "report/buffer.h"

/* "931B" or "41.3KiB", rounded up, as less is not enough; "no RAM" for UINT64_MAX. All functions
 * return out. */
char *sdsim_ram_text(uint64_t bytes, char *out, size_t size);

/* "1.25kB", "nothing". */
char *sdsim_loss_text(double bytes, char *out, size_t size);

/* "1.5 h", "10 min", "40 s". */
char *sdsim_hours_text(double hours, char *out, size_t size);

/* One cause in all runs. */
struct sdsim_buffer_stall {
    enum sdsim_stall_cause cause;
    sdsim_ps longest; /* of all, */
    size_t run;       /* in this one, */
    sdsim_ps at;      /* then, */
    uint64_t byte;    /* when so many bytes were written, */
    bool syncs;       /* in a sync */
    sdsim_ps median;  /* of the longest of each run */
};

/* Causes that occurred, the worst first; returns how many. `stalls` has room for all. */
size_t sdsim_buffer_stalls(const struct sdsim_buffer_report *report,
                           struct sdsim_buffer_stall stalls[SDSIM_STALL_CAUSES]);

/* The longest stall of all runs, and how long it took to find it. */
char *sdsim_buffer_longest(const struct sdsim_buffer_report *report, char *out, size_t size);

/* What a loss of power takes. */
char *sdsim_buffer_exposure(const struct sdsim_buffer_report *report, char *out, size_t size);

/* When stalls of a cause come, and what shortens them. */
char *sdsim_buffer_advice(const struct sdsim_buffer_report *report, enum sdsim_stall_cause cause,
                          char *out, size_t size);

#endif
