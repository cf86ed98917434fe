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

#endif
