#include "report/diff.h"
#include "report/run_report.h"

#include <stdlib.h>
#include <string.h>

#define MIB 1048576.0

/* Kinds of call that take less of the time than this are not judged. */
#define WORTH_JUDGING 0.01

/* ---- a pair's list ---- */

static void add(struct sdsim_diff_pair *pair, enum sdsim_diff_layer layer,
                enum sdsim_diff_unit unit, const char *name, double a, double b)
{
    if (pair->count == SDSIM_DIFF_QUANTITIES || (a <= 0 && b <= 0)) {
        return;
    }
    struct sdsim_diff_quantity *quantity = &pair->quantities[pair->count++];
    *quantity = (struct sdsim_diff_quantity){.layer = layer, .unit = unit, .a = a, .b = b};
    snprintf(quantity->name, sizeof quantity->name, "%s", name);
}

/* The same work: what the times of A and B are for. */
static void choose_work(struct sdsim_diff_pair *pair)
{
    const struct sdsim_diff_result *a = pair->a;
    const struct sdsim_diff_result *b = pair->b;
    pair->scale_a = pair->scale_b = 1;
    if (a->bytes == b->bytes && (a->bytes > 0 || a->calls == b->calls)) {
        pair->per = NULL;
    } else if (a->bytes > 0 && b->bytes > 0) {
        pair->per = "a MiB";
        pair->scale_a = MIB / (double)a->bytes;
        pair->scale_b = MIB / (double)b->bytes;
    } else if (a->calls > 0 && b->calls > 0) {
        pair->per = "a call";
        pair->scale_a = 1 / (double)a->calls;
        pair->scale_b = 1 / (double)b->calls;
    }
}

/* ---- quantities ---- */

static enum sdsim_diff_unit unit_of(enum sdsim_metric metric)
{
    return metric == SDSIM_METRIC_THROUGHPUT ? SDSIM_DIFF_BYTE_RATE
           : metric == SDSIM_METRIC_LINES    ? SDSIM_DIFF_LINE_RATE
                                             : SDSIM_DIFF_SECONDS;
}

static void add_results(struct sdsim_diff_pair *pair)
{
    const struct sdsim_diff_result *a = pair->a;
    const struct sdsim_diff_result *b = pair->b;
    if (a->has_metric && b->has_metric && a->metric == b->metric) {
        const enum sdsim_diff_unit unit = unit_of(a->metric);
        add(pair, SDSIM_DIFF_RESULT, unit, sdsim_metric_name(a->metric), a->value, b->value);
        if (a->low < a->high && b->low < b->high) {
            add(pair, SDSIM_DIFF_RESULT, unit, "90% interval, low", a->low, b->low);
            add(pair, SDSIM_DIFF_RESULT, unit, "90% interval, high", a->high, b->high);
        }
    } else if (a->seconds > 0 && b->seconds > 0 && a->bytes > 0 && b->bytes > 0) {
        add(pair, SDSIM_DIFF_RESULT, SDSIM_DIFF_BYTE_RATE, "rate in the calls",
            (double)a->bytes / a->seconds, (double)b->bytes / b->seconds);
    }
    add(pair, SDSIM_DIFF_RESULT, SDSIM_DIFF_SECONDS, "time", a->seconds * pair->scale_a,
        b->seconds * pair->scale_b);
    if (a->between >= 0 && b->between >= 0) {
        add(pair, SDSIM_DIFF_RESULT, SDSIM_DIFF_SECONDS, "between the calls",
            a->between * pair->scale_a, b->between * pair->scale_b);
    }
    add(pair, SDSIM_DIFF_RESULT, SDSIM_DIFF_BYTES, "bytes", (double)a->bytes, (double)b->bytes);
    add(pair, SDSIM_DIFF_RESULT, SDSIM_DIFF_COUNT, "calls", (double)a->calls, (double)b->calls);
}

static double purpose_sum(const struct sdsim_diff_result *result, int purpose)
{
    double sum = 0;
    for (int kind = 0; kind < SDSIM_KIND_COUNT; kind++) {
        sum += result->cells[purpose][kind];
    }
    return sum;
}

static void add_account(struct sdsim_diff_pair *pair)
{
    const struct sdsim_diff_result *a = pair->a;
    const struct sdsim_diff_result *b = pair->b;
    if (!a->has_kinds || !b->has_kinds) {
        return;
    }
    for (int kind = 0; kind < SDSIM_KIND_COUNT; kind++) {
        add(pair, SDSIM_DIFF_KIND, SDSIM_DIFF_SECONDS, sdsim_kind_title((enum sdsim_kind)kind),
            a->kinds[kind] * pair->scale_a, b->kinds[kind] * pair->scale_b);
    }
    if (!a->has_cells || !b->has_cells) {
        return;
    }
    for (int purpose = 0; purpose < SDSIM_PURPOSE_COUNT; purpose++) {
        add(pair, SDSIM_DIFF_PURPOSE, SDSIM_DIFF_SECONDS,
            sdsim_purpose_name((enum sdsim_purpose)purpose),
            purpose_sum(a, purpose) * pair->scale_a, purpose_sum(b, purpose) * pair->scale_b);
    }
    for (int purpose = 0; purpose < SDSIM_PURPOSE_COUNT; purpose++) {
        for (int kind = 0; kind < SDSIM_KIND_COUNT; kind++) {
            char name[64];
            snprintf(name, sizeof name, "%s for %s", sdsim_kind_title((enum sdsim_kind)kind),
                     sdsim_purpose_name((enum sdsim_purpose)purpose));
            add(pair, SDSIM_DIFF_CELL, SDSIM_DIFF_SECONDS, name,
                a->cells[purpose][kind] * pair->scale_a, b->cells[purpose][kind] * pair->scale_b);
        }
    }
}

static const struct sdsim_diff_class *find_class(const struct sdsim_diff_result *result,
                                                 const char *name)
{
    for (size_t i = 0; i < result->class_count; i++) {
        if (strcmp(result->classes[i].name, name) == 0) {
            return &result->classes[i];
        }
    }
    return NULL;
}

static double mean(double total, uint64_t count)
{
    return count > 0 ? total / (double)count : 0;
}

static double rate(const struct sdsim_diff_class *class)
{
    return class->total > 0 ? (double)class->timed_bytes / class->total : 0;
}

static void add_class(struct sdsim_diff_pair *pair, const struct sdsim_diff_class *a,
                      const struct sdsim_diff_class *b)
{
    static const struct sdsim_diff_class none = {.calls = 0};
    const char *name = a != NULL ? a->name : b->name;
    a = a != NULL ? a : &none;
    b = b != NULL ? b : &none;
    const bool known = (a->has_singles || a == &none) && (b->has_singles || b == &none);
    const struct {
        const char *what;
        enum sdsim_diff_unit unit;
        double a;
        double b;
    } rows[] = {
        {"calls", SDSIM_DIFF_COUNT, (double)a->calls, (double)b->calls},
        {"bytes", SDSIM_DIFF_BYTES, (double)a->bytes, (double)b->bytes},
        {"calls of one sector", SDSIM_DIFF_COUNT, known ? (double)a->singles : 0,
         known ? (double)b->singles : 0},
        {"rate", SDSIM_DIFF_BYTE_RATE, rate(a), rate(b)},
        {"mean", SDSIM_DIFF_SECONDS, mean(a->total, a->timed), mean(b->total, b->timed)},
        {"median", SDSIM_DIFF_SECONDS, a->median, b->median},
        {"90%", SDSIM_DIFF_SECONDS, a->p90, b->p90},
        {"longest", SDSIM_DIFF_SECONDS, a->longest, b->longest},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char whole[64];
        snprintf(whole, sizeof whole, "%s: %s", name, rows[i].what);
        add(pair, SDSIM_DIFF_CALLS, rows[i].unit, whole, rows[i].a, rows[i].b);
    }
}

static void add_calls(struct sdsim_diff_pair *pair)
{
    const struct sdsim_diff_result *a = pair->a;
    const struct sdsim_diff_result *b = pair->b;
    add(pair, SDSIM_DIFF_CALLS, SDSIM_DIFF_SECONDS, "mean call", a->mean_call, b->mean_call);
    add(pair, SDSIM_DIFF_CALLS, SDSIM_DIFF_SECONDS, "shortest call", a->shortest_call,
        b->shortest_call);
    add(pair, SDSIM_DIFF_CALLS, SDSIM_DIFF_SECONDS, "longest call", a->longest_call,
        b->longest_call);
    add(pair, SDSIM_DIFF_CALLS, SDSIM_DIFF_SECONDS, "longest wait for the card", a->longest_wait,
        b->longest_wait);
    for (size_t i = 0; i < a->class_count; i++) {
        add_class(pair, &a->classes[i], find_class(b, a->classes[i].name));
    }
    for (size_t i = 0; i < b->class_count; i++) {
        if (find_class(a, b->classes[i].name) == NULL) {
            add_class(pair, NULL, &b->classes[i]);
        }
    }
}

static uint64_t command_count(const struct sdsim_diff_result *result, const char *name)
{
    for (size_t i = 0; i < result->command_count; i++) {
        if (strcmp(result->commands[i].name, name) == 0) {
            return result->commands[i].count;
        }
    }
    return 0;
}

static void add_counters(struct sdsim_diff_pair *pair)
{
    const struct sdsim_diff_result *a = pair->a;
    const struct sdsim_diff_result *b = pair->b;
    if (!a->has_counters || !b->has_counters) {
        return;
    }
    add(pair, SDSIM_DIFF_COUNTER, SDSIM_DIFF_COUNT, "sectors read", (double)a->sectors_read,
        (double)b->sectors_read);
    add(pair, SDSIM_DIFF_COUNTER, SDSIM_DIFF_COUNT, "sectors written", (double)a->sectors_written,
        (double)b->sectors_written);
    add(pair, SDSIM_DIFF_COUNTER, SDSIM_DIFF_COUNT, "clocks on the bus", (double)a->bus_clocks,
        (double)b->bus_clocks);
    for (size_t i = 0; i < a->command_count; i++) {
        add(pair, SDSIM_DIFF_COUNTER, SDSIM_DIFF_COUNT, a->commands[i].name,
            (double)a->commands[i].count, (double)command_count(b, a->commands[i].name));
    }
    for (size_t i = 0; i < b->command_count; i++) {
        if (command_count(a, b->commands[i].name) == 0) {
            add(pair, SDSIM_DIFF_COUNTER, SDSIM_DIFF_COUNT, b->commands[i].name, 0,
                (double)b->commands[i].count);
        }
    }
}

/* ---- judging ---- */

/* By which B is faster than A: of a rate, of a time. */
static double rate_change(double a, double b)
{
    return b / a - 1;
}

static double time_change(double a, double b)
{
    return 1 - b / a;
}

static void judge_metric(struct sdsim_diff_pair *pair, const struct sdsim_diff_limits *limits)
{
    const double a = pair->a->value;
    const double b = pair->b->value;
    pair->judged = true;
    pair->timed = unit_of(pair->a->metric) == SDSIM_DIFF_SECONDS;
    pair->change = pair->timed ? time_change(a, b) : rate_change(a, b);
    pair->slower = pair->change < -limits->slower;
}

/* By which a kind of call got faster: by its rate where both move data, else by its mean. 0 if it takes
 * too little of the time to be judged. */
static double class_change(const struct sdsim_diff_pair *pair, const struct sdsim_diff_class *a,
                           const struct sdsim_diff_class *b)
{
    if (a->timed == 0 || b->timed == 0 || a->total <= 0 || b->total <= 0 ||
        (a->total < WORTH_JUDGING * pair->a->seconds &&
         b->total < WORTH_JUDGING * pair->b->seconds)) {
        return 0;
    }
    return a->timed_bytes > 0 && b->timed_bytes > 0
               ? rate_change(rate(a), rate(b))
               : time_change(mean(a->total, a->timed), mean(b->total, b->timed));
}

static double longest_of(const struct sdsim_diff_result *result)
{
    double longest = result->longest_call;
    for (size_t i = 0; i < result->class_count; i++) {
        longest = result->classes[i].longest > longest ? result->classes[i].longest : longest;
    }
    return longest;
}

static void judge_calls(struct sdsim_diff_pair *pair, const struct sdsim_diff_limits *limits)
{
    const double a = pair->a->seconds * pair->scale_a;
    const double b = pair->b->seconds * pair->scale_b;
    if (a <= 0 || b <= 0) {
        return;
    }
    pair->judged = true;
    pair->timed = pair->a->bytes == 0 || pair->b->bytes == 0;
    pair->change = pair->timed ? time_change(a, b) : rate_change(1 / a, 1 / b);
    pair->slower = pair->change < -limits->slower;
    for (size_t i = 0; i < pair->a->class_count; i++) {
        const struct sdsim_diff_class *class = &pair->a->classes[i];
        const struct sdsim_diff_class *other = find_class(pair->b, class->name);
        const double change = other != NULL ? class_change(pair, class, other) : 0;
        if (change < -limits->slower && change < pair->slow_change) {
            pair->slow = class;
            pair->slow_change = change;
            pair->slower = true;
        }
    }
}

void sdsim_diff_compare(const struct sdsim_diff_result *a, const struct sdsim_diff_result *b,
                        const struct sdsim_diff_limits *limits, struct sdsim_diff_pair *pair)
{
    memset(pair, 0, sizeof *pair);
    pair->a = a;
    pair->b = b;
    choose_work(pair);
    add_results(pair);
    add_account(pair);
    add_calls(pair);
    add_counters(pair);
    if (a->has_metric && b->has_metric) {
        if (a->metric == b->metric) {
            judge_metric(pair, limits);
        }
    } else {
        judge_calls(pair, limits);
    }
    const double longest_a = longest_of(a);
    const double longest_b = longest_of(b);
    pair->longer = limits->longest >= 0 && longest_a > 0 && longest_b > 0 &&
                   time_change(longest_a, longest_b) < -limits->longest;
    sdsim_diff_words(pair, limits);
}

/* ---- pairing up ---- */

static const struct sdsim_diff_result *find(const struct sdsim_diff_side *side, const char *id)
{
    for (size_t i = 0; i < side->count; i++) {
        if (strcmp(side->results[i].id, id) == 0) {
            return &side->results[i];
        }
    }
    return NULL;
}

static const struct sdsim_diff_result *partner(const struct sdsim_diff_side *side,
                                               const struct sdsim_diff_side *other,
                                               const struct sdsim_diff_result *result)
{
    return side->count == 1 && other->count == 1 ? &other->results[0] : find(other, result->id);
}

bool sdsim_diff_pair_up(struct sdsim_diff *diff)
{
    diff->count = 0;
    diff->pairs = calloc(diff->a->count > 0 ? diff->a->count : 1, sizeof *diff->pairs);
    if (diff->pairs == NULL) {
        return false;
    }
    for (size_t i = 0; i < diff->a->count; i++) {
        const struct sdsim_diff_result *a = &diff->a->results[i];
        const struct sdsim_diff_result *b = partner(diff->a, diff->b, a);
        if (b != NULL) {
            sdsim_diff_compare(a, b, &diff->limits, &diff->pairs[diff->count++]);
        }
    }
    return diff->count > 0;
}

void sdsim_diff_free(struct sdsim_diff *diff)
{
    free(diff->pairs);
    diff->pairs = NULL;
    diff->count = 0;
}

const struct sdsim_diff_result *sdsim_diff_lonely(const struct sdsim_diff_side *side,
                                                  const struct sdsim_diff_side *other, size_t *at)
{
    for (; *at < side->count; (*at)++) {
        const struct sdsim_diff_result *result = &side->results[*at];
        if (partner(side, other, result) == NULL) {
            (*at)++;
            return result;
        }
    }
    return NULL;
}

bool sdsim_diff_has_finding(const struct sdsim_diff *diff)
{
    size_t at = 0;
    bool found = sdsim_diff_lonely(diff->a, diff->b, &at) != NULL;
    for (size_t i = 0; i < diff->count; i++) {
        found = found || diff->pairs[i].slower || diff->pairs[i].longer;
    }
    return found;
}

/* ---- names ---- */

const char *sdsim_diff_layer_name(enum sdsim_diff_layer layer)
{
    static const char *const names[] = {"result", "kind", "purpose", "cell", "call", "counter"};
    return names[layer];
}

const char *sdsim_diff_unit_name(enum sdsim_diff_unit unit)
{
    static const char *const names[] = {"s", "B", "B/s", "lines/s", "count"};
    return names[unit];
}
