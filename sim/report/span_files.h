/*
 * The spans of a window as files, written as they come.
 *
 * Chrome's JSON, which ui.perfetto.dev and chrome://tracing open: one track a lane, on which slices
 * nest; microseconds with as many decimals as it takes to be exact; "cat" is the kind of the account,
 * so that the slices of a kind add up to it, or call, command, looks. A counter track counts the bytes
 * that calls of the application have moved.
 *
 * CSV: a line a span, in the order in which they end; times in microseconds, exactly.
 */
#ifndef SDSIM_REPORT_SPAN_FILES_H
#define SDSIM_REPORT_SPAN_FILES_H

#include <stdio.h>

#include "report/span_stream.h"

struct sdsim_span_file {
    struct sdsim_span_stream stream; /* first */
    FILE *out;                       /* not owned */
    uint64_t written;                /* bytes moved by calls */
    uint64_t read;
    uint64_t spans; /* so far */
};

/* Writes the head; `about` names the process. The file must not move afterwards. */
void sdsim_perfetto_begin(struct sdsim_span_file *file, FILE *out,
                          const struct sdsim_card_params *card, sdsim_ps from, sdsim_ps to,
                          const char *about);
void sdsim_perfetto_end(struct sdsim_span_file *file);

void sdsim_span_csv_begin(struct sdsim_span_file *file, FILE *out,
                          const struct sdsim_card_params *card, sdsim_ps from, sdsim_ps to);

#endif
