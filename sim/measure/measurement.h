/*
 * Published or own measurements of SD cards, as a list of records.
 *
 * One record is one number that somebody measured: on which host, bus, driver and card, doing what,
 * and how much came out. Two file forms are read, told apart by the file's name:
 *
 *     FILE.jsonl   one JSON object a line
 *     FILE.csv     a line of column names, then one record a line, quoted as in RFC 4180; this is
 *                  what tools/firmware/sdbench.h and sdbench.py print. Lines that start with '#',
 *                  and everything in front of the line of names, are passed over, so that the log
 *                  of a serial port can be read as it is.
 *
 * Fields and columns have the same names. Needed: id, host, driver, bus (spi, sd1, sd4), op (read,
 * write, append, random-read, random-write), metric (throughput_Bps, latency_mean_s, latency_min_s,
 * latency_max_s) and value. Known, and empty or null if the source does not say: source, group,
 * year, cpu_hz, clock_requested_hz, clock_hz, api, dma, card, card_class, fs, cluster_bytes, chunk_bytes
 * (one call), total_bytes, preallocated, sync_per_write, assumptions. Values are in bytes, hertz,
 * seconds and bytes per second. `assumptions` is a list of texts (in CSV: one text, parts separated
 * by ';'), of which those of the form key=value mean something to measure/plan.h. Other fields are
 * passed over.
 *
 * `group` says which records belong to one set-up; without it each record is a group of its own.
 *
 * Limits: a file of at most 256 MiB, lines of 1 MiB, 256 columns; names are UTF-8 without control
 * characters, since they end on terminals. What is wrong is told with file and line, all of it in one go.
 */
#ifndef SDSIM_MEASURE_MEASUREMENT_H
#define SDSIM_MEASURE_MEASUREMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/tree.h"
#include "core/diag.h"

enum sdsim_measured {
    SDSIM_MEASURED_THROUGHPUT,
    SDSIM_MEASURED_MEAN,
    SDSIM_MEASURED_MIN,
    SDSIM_MEASURED_MAX,
    SDSIM_MEASURED_COUNT
};

/* Yes, no, or the source does not say. */
enum sdsim_answer {
    SDSIM_UNSAID,
    SDSIM_NO,
    SDSIM_YES,
};

struct sdsim_measurement {
    const char *file;
    uint32_t line;
    const char *id;
    const char *source; /* texts that are not given are "" */
    const char *group;
    const char *host;
    const char *bus;
    const char *driver;
    const char *api;
    const char *card;
    const char *card_class;
    const char *fs;
    const char *op;
    uint64_t year; /* numbers that are not given are 0 */
    uint64_t cpu_hz;
    uint64_t clock_requested_hz;
    uint64_t clock_hz;
    uint64_t cluster_bytes;
    uint64_t chunk_bytes;
    uint64_t total_bytes;
    enum sdsim_answer dma;
    enum sdsim_answer preallocated;
    enum sdsim_answer sync_per_write;
    enum sdsim_measured metric;
    double value;
    double low; /* a hit is anything in low..high; both are the value unless a range was measured */
    double high;
    const char *const *assumptions;
    size_t assumption_count;
};

struct sdsim_measurements {
    struct sdsim_measurement *items;
    size_t count;
    size_t capacity;
};

/* Adds what a file holds. False, with messages in `diags`, if anything is wrong with it. The texts
 * belong to the config; sdsim_measurements_free gives the list back. */
bool sdsim_measurements_read(struct sdsim_measurements *list, struct sdsim_config *config,
                             const char *path, struct sdsim_diags *diags);
void sdsim_measurements_free(struct sdsim_measurements *list);

/* Whether a name is that of a file of measurements: .jsonl or .csv. */
bool sdsim_measurements_is_file(const char *path);

/* "throughput_Bps", ...; "B/s" or "s". */
const char *sdsim_measured_name(enum sdsim_measured metric);
const char *sdsim_measured_unit(enum sdsim_measured metric);

/* What stands behind "key=" in one of the assumptions; NULL if none begins so. */
const char *sdsim_assumption(const struct sdsim_measurement *measurement, const char *key);

/* Whether an assumption is `key`=`value`, or begins with the words `text`. */
bool sdsim_assumes(const struct sdsim_measurement *measurement, const char *key, const char *value);
bool sdsim_remarks(const struct sdsim_measurement *measurement, const char *text);

#endif
