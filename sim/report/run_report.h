/*
 * The report of one run: what is predicted, and above all where the time goes and why.
 *
 * Everything is derived from the account and the counters of the typical run (draw 0) and from its
 * parameters. Nothing is derived from names: a board that is called something else but does the
 * same gets the same report.
 *
 * The JSON of a run has these keys; rates in bytes (or lines) per second, times in seconds:
 *
 *     scenario, id, description, source, board, host, driver, card   names; null if there is none
 *     bus                      "spi", "sd1" or "sd4"
 *     clock                    {asked_hz, real_hz, explanation}
 *     metric, unit             "throughput", "B/s"; "lines", "lines/s"; or with "s": "time",
 *                              "mean-latency", "min-latency", "max-latency"
 *     predicted, low, high     typical run, 5th and 95th percentile of `draws` draws
 *     draws
 *     measured_low, measured_high, error, tolerance, within          null if nothing was measured
 *     seconds, calls, bytes    of the timed part
 *     init_seconds             card initialisation and mount
 *     kinds                    {payload, protocol, gap, poll, access, busy, pause, copy, host,
 *                              idle}: seconds, their sum is `seconds`
 *     purposes                 {data, fat, directory, fsinfo, bitmap, boot, init}: seconds, the
 *                              same sum
 *     account                  {data {payload, ...}, ...}: seconds of a kind for a purpose, those that
 *                              are not 0
 *     metadata_share           of everything whose purpose is not data
 *     commands                 [{command, count, per_call, sectors_each}]
 *     sectors_read, sectors_written, bus_clocks
 *     mean_call, shortest_call seconds
 *     longest_call             {seconds, index}, from 0
 *     longest_wait             for the card: {seconds, at}, at counted from the first timed call
 *     inputs                   {path: value}: what it was computed from, as it was written
 *     at_asked_clock           {hz, predicted}: the same run with exactly the clock asked for; null
 *                              if the clock on the wire is that one
 *     readings                 [text]: what the numbers above mean
 */
#ifndef SDSIM_REPORT_RUN_REPORT_H
#define SDSIM_REPORT_RUN_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "report/json.h"
#include "report/style.h"
#include "report/verdict.h"
#include "setup/simulate.h"

struct sdsim_run_report {
    const struct sdsim_scenario *scenario; /* not owned */
    const struct sdsim_run *run;           /* not owned */
    const struct sdsim_setup *setup;       /* of draw 0; not owned */
    struct sdsim_prediction prediction;
    struct sdsim_verdict verdict;
    uint64_t wanted_hz; /* the clock asked for, after the limits of driver and card */
    bool has_exact;     /* the clock generator gives less than that, and `exact` is filled in */
    struct sdsim_outcome_report exact; /* the same run with exactly that clock */
};

/* What a run is called in messages and tables: its id, or the scenario's name. */
const char *sdsim_run_label(const struct sdsim_run *run);

/* What the run counts: "call", "line" or "pass". */
const char *sdsim_run_noun(const struct sdsim_run_report *report);

/* The kind's name as people read it: "payload clocks". */
const char *sdsim_kind_title(enum sdsim_kind kind);

/*
 * Completes a report of which scenario, run, setup and prediction are filled in. `with_exact`: if
 * the clock is slower than asked for, simulates once more as if it were not.
 */
void sdsim_run_report_complete(struct sdsim_run_report *report, bool with_exact);

/* All of one run as text. False without memory. */
bool sdsim_run_report_print(const struct sdsim_run_report *report, const struct sdsim_style *style,
                            FILE *out);

/* A table of several runs, one line each. False without memory. */
bool sdsim_run_report_print_list(const struct sdsim_run_report *reports, size_t count,
                                 const struct sdsim_style *style, FILE *out);

/* One run as an object inside a list. */
void sdsim_run_report_json(const struct sdsim_run_report *report, struct sdsim_json *json);

/*
 * Several runs as CSV, a line each under a line of names, which mean what they do in the JSON:
 * names, clock and prediction, then seconds, calls, bytes, init_seconds, the seconds of each kind,
 * sectors_read, sectors_written, bus_clocks, and the seconds of mean_call,
 * shortest_call, longest_call and longest_wait.
 */
void sdsim_run_report_csv(const struct sdsim_run_report *reports, size_t count, FILE *out);

/* What the application does: "read 512KiB in calls of 32KiB, file API arduino". Returns out. */
char *sdsim_run_workload_text(const struct sdsim_run_params *run, char *out, size_t size);

/* "SPI", "SD 1-bit", "SD 4-bit"; and as scenarios write it: "spi", "sd1", "sd4". */
const char *sdsim_bus_text(int mode);
const char *sdsim_bus_word(int mode);

#endif
