/*
 * An explanation as people and programs read it.
 *
 * The JSON of an explanation has these keys; times in seconds, rates in bytes (or lines) per second,
 * gains as fractions:
 *
 *     subject, id              the scenario's name and the run's id, or the trace's path and null
 *     board, host, driver, card, bus, bus_hz
 *     metric, unit, predicted  of the typical run
 *     seconds, bytes, calls    of the timed part
 *     raw_rate                 of the bus: width * clock / 8, bytes per second
 *     ceiling_metric           what the ceilings are in: "throughput", "lines", or "time" of a call
 *     waterfall                [{id, title, layer, seconds, share, until_seconds, ceiling, rule,
 *                              tells [text]}]: from the raw bus down; their seconds sum to `seconds`
 *     verdicts                 [{id, cause, gain, text}]: id "card", "bus", "host",
 *                              "driver", "file-system", "producer", "outside" or
 *                              "mixture"
 *     suspects                 [{id, title, gain, value, metric, call_seconds, verdict}]: if it
 *                              took no time; the greatest gain first
 *     tells                    [{id, step, gain, text}]: gain of the probe behind it, or null
 *     whatifs                  [{id, title, set [text], command, predicted, metric, gain, low,
 *                              high, cost, risk}]: the greatest gain first; low and high are null
 *                              without draws
 *     draws
 *
 * The CSV has a line for each step, verdict, suspect, tell and what-if: subject, id, part ("step",
 * "verdict", "suspect", "tell", "whatif"), rank from 1, name, layer, seconds, share, value (the
 * ceiling, or what is predicted then), metric, gain, set (what-ifs; joined by blanks), text.
 */
#ifndef SDSIM_REPORT_EXPLAIN_REPORT_H
#define SDSIM_REPORT_EXPLAIN_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "report/explain.h"
#include "report/json.h"
#include "report/style.h"

struct sdsim_explain_report {
    const char *subject; /* scenario, or trace */
    const char *run_id;  /* NULL for a trace */
    const char *again;   /* the command that a what-if's --set are added to: "sdsim run h1 read" */
    const struct sdsim_run *run;
    struct sdsim_explanation *explanation; /* not owned */
};

/* All of it in 80 columns. False without memory. */
bool sdsim_explain_report_print(const struct sdsim_explain_report *report,
                                const struct sdsim_style *style, FILE *out);

/* Several runs in a table, a line each: predicted, the first verdict, the first what-if. */
bool sdsim_explain_report_list(const struct sdsim_explain_report *reports, size_t count,
                               const struct sdsim_style *style, FILE *out);

/* One explanation as an object inside a list. */
void sdsim_explain_report_json(const struct sdsim_explain_report *report, struct sdsim_json *json);

void sdsim_explain_report_csv_head(FILE *out);
void sdsim_explain_report_csv(const struct sdsim_explain_report *report, FILE *out);

/* "card", "bus", "host", "driver", "file-system", "producer", "outside", "mixture" */
const char *sdsim_verdict_about_name(enum sdsim_verdict_about about);

/* "--set a=b --set c=d". Returns out. */
char *sdsim_explain_sets(const struct sdsim_whatif *whatif, char *out, size_t size);

#endif
