/*
 * What an explanation is put together from. Not for other files than explain*.c.
 */
#ifndef SDSIM_REPORT_EXPLAIN_PARTS_H
#define SDSIM_REPORT_EXPLAIN_PARTS_H

#include "report/explain.h"

/* Once waterfall and probes are there. */
void sdsim_explain_tells(struct sdsim_explanation *explanation);
void sdsim_explain_suspects(struct sdsim_explanation *explanation);
void sdsim_explain_verdicts(struct sdsim_explanation *explanation);

/* Calls work(context, i) for all i below count, in parallel if the options say how. */
void sdsim_explain_each(const struct sdsim_explain_options *options, size_t count,
                        void (*work)(void *context, size_t index), void *context);

/* Once the what-ifs are ranked: their intervals, if the options ask for draws. False with messages. */
bool sdsim_explain_draw(const struct sdsim_subject *subject,
                        const struct sdsim_explain_options *options,
                        struct sdsim_explanation *explanation, struct sdsim_diags *diags);

#endif
