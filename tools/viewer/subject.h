/*
 * What is looked at, and where its timeline comes from: a file, a run that is simulated now, a
 * trace that is replayed now, or a capture of the pins.
 *
 * A subject fills the timeline, and afterwards knows how to get at what a timeline does not hold: the
 * bits of a window, by simulating it again or reading the capture again, and the run, whose profiles say
 * what made a span. A timeline file carries all files its run was made from; they are put together again
 * when somebody asks.
 */
#ifndef SDSIM_VIEWER_SUBJECT_H
#define SDSIM_VIEWER_SUBJECT_H

#include "operands.h"
#include "setup/setup.h"
#include "timeline/timeline.h"
#include "tools/sdsim/command.h"
#include "view/waves.h"

struct sdsim_subject;

/*
 * Opens an operand into an empty timeline, which must outlive the subject. NULL, after messages on stderr,
 * with *code. *code is SDSIM_EXIT_FINDING if a run ended early: it is shown up to there.
 */
struct sdsim_subject *sdsim_subject_open(const struct sdsim_arguments *arguments,
                                         const struct sdsim_operand *operand,
                                         struct sdsim_timeline *timeline, enum sdsim_exit *code);

/* Takes NULL. The timeline can only be freed afterwards. */
void sdsim_subject_close(struct sdsim_subject *subject);

/* "esp32-arduino-sd read", "mine.sdtl"; lives as long as the subject. */
const char *sdsim_subject_title(const struct sdsim_subject *subject);

/* The run behind the timeline; NULL if there is none, or its files can't be put together. */
const struct sdsim_run *sdsim_subject_run(struct sdsim_subject *subject);

/* What was wrong with parts of a file that could not be read, of a timeline when they were needed; NULL:
 * nothing. */
const char *sdsim_subject_fault(const struct sdsim_subject *subject);

bool sdsim_subject_is_capture(const struct sdsim_subject *subject);

/* Reads a little more of a file ahead, if it is not too large to be kept in memory. False: there is no
 * more to do. */
bool sdsim_subject_preload(struct sdsim_subject *subject);

/* How many clocks a second the bus has; 0: not known. */
double sdsim_subject_clock(const struct sdsim_subject *subject);

/* Fills an empty struct with the bits of from <= t < to. False, with the reason, if they can't be had.
 * May be called by another thread than the one that opened it, by one at a time. */
bool sdsim_subject_waves(struct sdsim_subject *subject, sdsim_ps from, sdsim_ps to,
                         struct sdsim_waves *waves, char *why, size_t size);

#endif
