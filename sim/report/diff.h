/*
 * Two results held against each other: what changed, layer by layer, and whether it got slower.
 *
 * A result is a run of a scenario, a replay, or a trace as it was recorded. Each is brought into one
 * form first: from the JSON that `run` and `replay` print (diff_json.c), or call by call from a trace
 * (diff_trace.c). Two of them make a pair, and a pair is a list of quantities with two values each,
 * sorted by layer, and some sentences on what matters.
 *
 * Times are compared for the same work: if A and B moved different amounts of data, for a MiB of it;
 * if they moved none, for a call; else for all of it. Counts stay counts.
 *
 * Slower is: a rate that is lower, or a time that is longer, by more than the tolerance. Of a run that
 * is what its scenario measures. Of replays and traces it is the rate in the calls, of all calls together
 * and of each kind of call that takes at least 1 % of the time; of calls that move no data, the mean
 * time. The longest call is judged on its own, if that is asked for.
 *
 * Limits: 64 commands; texts are cut at 95 bytes.
 */
#ifndef SDSIM_REPORT_DIFF_H
#define SDSIM_REPORT_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/diag.h"
#include "report/inputs.h"
#include "report/style.h"
#include "setup/simulate.h"
#include "trace/formats.h"

enum {
    SDSIM_DIFF_TEXT = 96,
    SDSIM_DIFF_COMMANDS = 64,
    SDSIM_DIFF_CLASSES = SDSIM_OP_COUNT,
    SDSIM_DIFF_WORDS = 16,
    SDSIM_DIFF_WORD_SIZE = 320,
};

enum sdsim_diff_fact {
    SDSIM_DIFF_BOARD,
    SDSIM_DIFF_HOST,
    SDSIM_DIFF_DRIVER,
    SDSIM_DIFF_CARD,
    SDSIM_DIFF_BUS,
    SDSIM_DIFF_CLOCK,
    SDSIM_DIFF_FACTS
};

/* The calls of one kind. Times in seconds. */
struct sdsim_diff_class {
    char name[24]; /* "write" */
    uint64_t calls;
    uint64_t bytes;
    bool has_singles;
    uint64_t singles; /* calls of one sector */
    uint64_t
        timed; /* of how many the duration is known; the times are theirs, and their bytes are */
    uint64_t timed_bytes;
    double total;
    double median;
    double p90;
    double longest;
};

struct sdsim_diff_command {
    char name[12]; /* "CMD25" */
    uint64_t count;
};

/* One result. */
struct sdsim_diff_result {
    char id[SDSIM_DIFF_TEXT];
    char facts[SDSIM_DIFF_FACTS][SDSIM_DIFF_TEXT]; /* "" if not known */
    bool has_metric;                               /* a run: it says what is judged */
    enum sdsim_metric metric;
    double value;
    double low; /* equal to `value` without draws */
    double high;
    double seconds; /* of all that is accounted for; traces: in calls whose duration is known */
    uint64_t calls;
    uint64_t bytes;
    bool has_kinds;
    double kinds[SDSIM_KIND_COUNT];
    bool has_cells;
    double cells[SDSIM_PURPOSE_COUNT][SDSIM_KIND_COUNT];
    bool has_counters;
    uint64_t sectors_read;
    uint64_t sectors_written;
    uint64_t bus_clocks;
    double mean_call;
    double shortest_call;
    double longest_call;
    double longest_wait;
    struct sdsim_diff_command commands[SDSIM_DIFF_COMMANDS];
    size_t command_count;
    struct sdsim_diff_class classes[SDSIM_DIFF_CLASSES];
    size_t class_count;
    double between; /* the calls, of a trace; negative: not known */
    bool has_inputs;
    struct sdsim_inputs inputs; /* owned */
};

/* All results of one side. */
struct sdsim_diff_side {
    const char *name; /* as the user named it */
    struct sdsim_diff_result *results;
    size_t count;
};

void sdsim_diff_side_free(struct sdsim_diff_side *side);

/*
 * The results in what `run --json` or `replay --json` printed, of any version; what an older one did not
 * print is not known. False with a message (file, line and column): it is something else, or damaged.
 */
bool sdsim_diff_read_json(struct sdsim_diff_side *side, const char *path, const char *text,
                          size_t size, struct sdsim_diags *diags);

/* A trace, read to its end; what its source had to say stands in its own messages. False without
 * memory. */
bool sdsim_diff_read_trace(struct sdsim_diff_side *side, struct sdsim_trace *trace);

/* ---- comparing ---- */

enum sdsim_diff_layer {
    SDSIM_DIFF_RESULT,  /* what is judged */
    SDSIM_DIFF_KIND,    /* kinds of the account */
    SDSIM_DIFF_PURPOSE, /* its purposes */
    SDSIM_DIFF_CELL,    /* a kind for a purpose */
    SDSIM_DIFF_CALLS,   /* calls: mean, shortest, longest; those of one kind */
    SDSIM_DIFF_COUNTER, /* commands, sectors, clocks */
    SDSIM_DIFF_LAYERS
};

enum sdsim_diff_unit {
    SDSIM_DIFF_SECONDS,
    SDSIM_DIFF_BYTES,
    SDSIM_DIFF_BYTE_RATE,
    SDSIM_DIFF_LINE_RATE,
    SDSIM_DIFF_COUNT,
};

struct sdsim_diff_quantity {
    enum sdsim_diff_layer layer;
    enum sdsim_diff_unit unit;
    char name[64];
    double a;
    double b;
};

enum { SDSIM_DIFF_QUANTITIES = 512 };

struct sdsim_diff_limits {
    double slower;  /* fraction: 0.05 */
    double longest; /* negative: not judged */
};

struct sdsim_diff_pair {
    const struct sdsim_diff_result *a; /* not owned */
    const struct sdsim_diff_result *b;
    const char *per; /* "a MiB", "a call" or NULL: what times are for */
    double scale_a;  /* times of the account are multiplied by it to be for that */
    double scale_b;
    bool judged;   /* there is something to judge: times are known */
    bool timed;    /* what is judged is a time, not a rate */
    double change; /* by which B is faster: of a rate b/a - 1, of a time 1 - b/a */
    bool slower;   /* beyond the tolerance, the whole or a kind of call */
    const struct sdsim_diff_class *slow; /* of A: the kind of call that got slower most, beyond the
                                            tolerance; NULL: none */
    double slow_change;
    bool longer; /* the longest call, beyond its own */
    struct sdsim_diff_quantity quantities[SDSIM_DIFF_QUANTITIES];
    size_t count;
    char words[SDSIM_DIFF_WORDS][SDSIM_DIFF_WORD_SIZE];
    size_t word_count;
};

/* Compares two results. */
void sdsim_diff_compare(const struct sdsim_diff_result *a, const struct sdsim_diff_result *b,
                        const struct sdsim_diff_limits *limits, struct sdsim_diff_pair *pair);

/* The sentences on a pair whose quantities are there: a step of sdsim_diff_compare. */
void sdsim_diff_words(struct sdsim_diff_pair *pair, const struct sdsim_diff_limits *limits);

/* A whole comparison. */
struct sdsim_diff {
    const struct sdsim_diff_side *a;
    const struct sdsim_diff_side *b;
    struct sdsim_diff_limits limits;
    struct sdsim_diff_pair *pairs; /* owned */
    size_t count;
};

/* Pairs results by their id, or, if each side has one, those two. False without memory, and if nothing
 * pairs (then count is 0). */
bool sdsim_diff_pair_up(struct sdsim_diff *diff);
void sdsim_diff_free(struct sdsim_diff *diff);

/* Whether something got slower or longer, or a result of A has no counterpart in B. */
bool sdsim_diff_has_finding(const struct sdsim_diff *diff);

/* The result of `side` with no counterpart in `other`, from number *at on; NULL: no more. */
const struct sdsim_diff_result *sdsim_diff_lonely(const struct sdsim_diff_side *side,
                                                  const struct sdsim_diff_side *other, size_t *at);

/* Whether the two values are equal but for rounding. */
bool sdsim_diff_is_same(const struct sdsim_diff_quantity *quantity);

/* ---- printing ---- */

/* In 80 columns. Quantities that are the same, and of several pairs all quantities, are left out
 * unless `all`; values of profiles that have other names are only counted. False without memory. */
bool sdsim_diff_print(const struct sdsim_diff *diff, bool all, const struct sdsim_style *style,
                      FILE *out);
void sdsim_diff_json(const struct sdsim_diff *diff, FILE *out);
void sdsim_diff_csv(const struct sdsim_diff *diff, FILE *out);

/* "kind", "purpose", ...; "s", "B", ... */
const char *sdsim_diff_layer_name(enum sdsim_diff_layer layer);
const char *sdsim_diff_unit_name(enum sdsim_diff_unit unit);

#endif
