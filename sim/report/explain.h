/*
 * An explanation: why a prediction is what it is, and what would change it. A model; it prints
 * nothing (report/explain_report.h does).
 *
 * It holds the waterfall of the typical run (report/waterfall.h), the probes (setup/probe.h) and the
 * what-ifs (setup/whatif.h), and what follows from them:
 *
 *   tells      what one would see on the bench that gives a cause away: "twice the clock brings
 *              +2 %: the time is not on the wire". Each is computed: from a probe, or from the
 *              account and the counters.
 *   suspects   what people blame, ranked by what it would bring if it took no time at all.
 *   verdicts   firm where the evidence is: "not the card" if a card that never makes anybody wait
 *              would bring less than 10 %; "it is the host" if a host whose work costs nothing would
 *              at least double the speed.
 *
 * A gain is of speed for each byte, or each call where no bytes move: 0.25 is a quarter faster.
 *
 * Limits: probes and what-ifs are typical values; with draws, what-ifs have an interval, of which
 * each draw shares its luck with the same draw of the run at hand.
 */
#ifndef SDSIM_REPORT_EXPLAIN_H
#define SDSIM_REPORT_EXPLAIN_H

#include "report/waterfall.h"
#include "setup/probe.h"
#include "setup/whatif.h"

/* A gain below the first is "not it", from the second on "it is". */
#define SDSIM_EXPLAIN_NOT_IT 0.10
#define SDSIM_EXPLAIN_IT_IS  1.00
/* Rates that differ by less are equal, for tells. */
#define SDSIM_EXPLAIN_EQUAL 0.05

enum sdsim_tell_kind {
    SDSIM_TELL_CLOCK,     /* what twice the clock brings */
    SDSIM_TELL_DIRECTION, /* whether reads and writes differ */
    SDSIM_TELL_CALL_SIZE, /* whether it is flat in the call size, and why */
    SDSIM_TELL_CARD,      /* whether any card would be as fast */
    SDSIM_TELL_OFFSET,    /* whether time grows with the place in file or directory */
    SDSIM_TELL_PRODUCER,  /* the card waits for the application */
    SDSIM_TELL_ALIGNMENT, /* calls that don't begin or end at sectors */
    SDSIM_TELL_COUNT
};

/* "clock", "direction", ..., as in JSON. */
const char *sdsim_tell_name(enum sdsim_tell_kind kind);

struct sdsim_tell {
    enum sdsim_tell_kind kind;
    enum sdsim_loss loss; /* the step it gives away */
    char text[320];
};

struct sdsim_suspect {
    enum sdsim_probe_kind probe;
    const char *title; /* "a wait between the sectors of a command" */
    double gain;       /* if it took no time */
    double value;      /* what is predicted then; in `metric` */
    enum sdsim_metric metric;
    sdsim_ps call; /* mean time of a call then */
};

/* The word for a gain: "not it", "part", "it is". */
const char *sdsim_suspect_word(double gain);

enum sdsim_verdict_about {
    SDSIM_VERDICT_CARD,
    SDSIM_VERDICT_BUS,
    SDSIM_VERDICT_HOST,
    SDSIM_VERDICT_DRIVER,
    SDSIM_VERDICT_FAT,
    SDSIM_VERDICT_PRODUCER,
    SDSIM_VERDICT_OUTSIDE, /* USB, another device on the bus */
    SDSIM_VERDICT_NONE,    /* no layer by itself */
};

struct sdsim_layer_verdict {
    enum sdsim_verdict_about about;
    bool cause;  /* it is this layer; else it is not */
    double gain; /* if the layer took no time */
    char text[280];
};

enum { SDSIM_SUSPECTS = 10, SDSIM_VERDICTS = 8, SDSIM_TELLS = SDSIM_TELL_COUNT };

struct sdsim_explanation {
    struct sdsim_setup setup;            /* draw 0 */
    struct sdsim_outcome_report outcome; /* of it */
    bool replayed;
    struct sdsim_waterfall waterfall;
    struct sdsim_probe probes[SDSIM_PROBE_COUNT];
    struct sdsim_tell tells[SDSIM_TELLS];
    size_t tell_count;
    struct sdsim_suspect suspects[SDSIM_SUSPECTS]; /* the greatest gain first */
    size_t suspect_count;
    struct sdsim_layer_verdict verdicts[SDSIM_VERDICTS]; /* causes first, by gain */
    size_t verdict_count;
    struct sdsim_whatif *whatifs; /* the greatest gain first */
    size_t whatif_count;
    uint32_t draws; /* of the what-ifs' intervals; 0: none */
};

struct sdsim_explain_options {
    uint32_t draws; /* for the what-ifs' intervals; 0: none */
    /* Calls work(context, i) for all i below count, on as many threads as it likes, and returns when
     * all are done. NULL: one after the other. */
    void (*parallel)(void *pool, size_t count, void (*work)(void *context, size_t index),
                     void *context);
    void *pool;
    enum sdsim_failure *failure; /* set to whose fault it is if the run itself fails; or NULL */
};

/*
 * Explains a subject: binds and simulates it, its probes and its what-ifs. NULL with messages if the
 * subject can't be bound, if its run ends with an error, or without memory. `options` may be NULL.
 * What it refers to (names in the setups) is the subject's; it must outlive the explanation. Free
 * with sdsim_explanation_free, which takes NULL, too.
 */
struct sdsim_explanation *sdsim_explain(const struct sdsim_subject *subject,
                                        const struct sdsim_explain_options *options,
                                        struct sdsim_diags *diags);
void sdsim_explanation_free(struct sdsim_explanation *explanation);

/* The tell about a step that comes first, or NULL. */
const struct sdsim_tell *sdsim_explain_tell(const struct sdsim_explanation *explanation,
                                            enum sdsim_loss loss);

#endif
