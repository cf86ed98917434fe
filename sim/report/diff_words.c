/*
 * What matters of a comparison, in sentences: how much faster or slower, which layers and which of their
 * work it comes from, what else is different. Everything follows from the numbers.
 */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "core/units.h"
#include "report/diff.h"
#include "report/format.h"

#define FEW              0.02 /* sectors, of those of the data */
#define WORTH_SAYING     0.05 /* of all that changed */
#define CLEARLY          0.10 /* a count or a longest call that changed by so much is said */
#define AS_GOOD          0.0005
#define AS_GOOD_AS_EQUAL 1e-9 /* times went through decimal seconds */

/* Adds a sentence; behind the last one there is room for it takes that one's place. */
__attribute__((format(printf, 2, 3))) static void say(struct sdsim_diff_pair *pair,
                                                      const char *format, ...)
{
    va_list arguments;
    if (pair->word_count < SDSIM_DIFF_WORDS) {
        pair->word_count++;
    }
    va_start(arguments, format);
    vsnprintf(pair->words[pair->word_count - 1], SDSIM_DIFF_WORD_SIZE, format, arguments);
    va_end(arguments);
}

static const char *time_text(double seconds, char *out, size_t size)
{
    return sdsim_unit_print(SDSIM_UNIT_TIME, seconds * (double)SDSIM_S, out, size);
}

static const char *share_text(double share, char *out, size_t size)
{
    snprintf(out, size, share < 0.0995 ? "%.1f%%" : "%.0f%%", 100 * share);
    return out;
}

/* ---- the verdict ---- */

static void say_verdict(struct sdsim_diff_pair *pair, const struct sdsim_diff_limits *limits)
{
    const double change = pair->change;
    char by[24];
    char tolerance[24];
    char verdict[80];
    if (!pair->judged) {
        const bool metrics = pair->a->has_metric && pair->b->has_metric;
        say(pair, "%s",
            metrics ? "A and B measure different things: which is slower can't be said"
                    : "there are no durations on both sides: only what was done is compared");
        return;
    }
    share_text(fabs(change), by, sizeof by);
    snprintf(tolerance, sizeof tolerance, "%.4g%%", 100 * limits->slower);
    snprintf(verdict, sizeof verdict,
             pair->timed ? "B takes %s %s time than A" : "B is %s %s than A", by,
             pair->timed ? (change > 0 ? "less" : "more") : (change > 0 ? "faster" : "slower"));
    if (fabs(change) < AS_GOOD) {
        snprintf(verdict, sizeof verdict, "B is as fast as A");
    }
    if (pair->slow != NULL && change >= -limits->slower) {
        say(pair, "%s, but %s got %s slower: more than the tolerance of %s", verdict,
            pair->slow->name, share_text(-pair->slow_change, by, sizeof by), tolerance);
    } else if (pair->slower) {
        say(pair, "%s: more than the tolerance of %s", verdict, tolerance);
    } else if (change <= -AS_GOOD) {
        say(pair, "%s, within the tolerance of %s", verdict, tolerance);
    } else {
        say(pair, "%s", verdict);
    }
}

/* ---- where it comes from ---- */

/* The account by who is at work. */
enum layer { ON_BUS, ON_CARD, ON_HOST, ON_OTHERS, NOWHERE, LAYERS };

static enum layer layer_of(enum sdsim_kind kind)
{
    switch (kind) {
    case SDSIM_PAYLOAD:
    case SDSIM_PROTOCOL:
        return ON_BUS;
    case SDSIM_ACCESS:
    case SDSIM_BUSY:
    case SDSIM_PAUSE:
        return ON_CARD;
    case SDSIM_OUTSIDE:
        return ON_OTHERS;
    case SDSIM_IDLE:
        return NOWHERE;
    default:
        return ON_HOST;
    }
}

/* Whose turn it was when it was somebody else's, as far as the inputs of both sides tell. */
static const char *others_of(const struct sdsim_diff_pair *pair)
{
    const struct sdsim_diff_result *sides[] = {pair->a, pair->b};
    bool usb = false;
    bool device = false;
    for (int i = 0; i < 2; i++) {
        if (sides[i]->kinds[SDSIM_OUTSIDE] <= 0) {
            continue;
        }
        const struct sdsim_input_value *target =
            sides[i]->has_inputs ? sdsim_inputs_find(&sides[i]->inputs, "workload.on") : NULL;
        if (!sides[i]->has_inputs) {
            return "USB and other devices";
        }
        const bool over_usb = target != NULL && strcmp(target->value, "usb") == 0;
        usb = usb || over_usb;
        device = device || !over_usb;
    }
    return usb && device ? "USB and another device" : usb ? "USB" : "another device";
}

static void say_layers(struct sdsim_diff_pair *pair)
{
    const char *const names[LAYERS] = {
        [ON_BUS] = "clocks on the bus",
        [ON_CARD] = "the card",
        [ON_HOST] = "the host and its driver",
        [ON_OTHERS] = others_of(pair),
        [NOWHERE] = "idle time",
    };
    double sums[LAYERS] = {0};
    double moved = 0;
    char text[SDSIM_DIFF_WORD_SIZE];
    size_t used = 0;
    for (int kind = 0; kind < SDSIM_KIND_COUNT; kind++) {
        sums[layer_of((enum sdsim_kind)kind)] +=
            pair->b->kinds[kind] * pair->scale_b - pair->a->kinds[kind] * pair->scale_a;
    }
    for (int layer = 0; layer < LAYERS; layer++) {
        moved += fabs(sums[layer]);
    }
    text[0] = '\0';
    for (int layer = 0; layer < LAYERS && moved > 0; layer++) {
        char time[32];
        if (fabs(sums[layer]) < WORTH_SAYING * moved) {
            continue;
        }
        used += (size_t)snprintf(
            text + used, sizeof text - used, "%s%s %s %s", used > 0 ? ", " : "", names[layer],
            time_text(fabs(sums[layer]), time, sizeof time), sums[layer] > 0 ? "more" : "less");
    }
    if (used > 0) {
        say(pair, "by layer%s%s: %s", pair->per != NULL ? ", for " : "",
            pair->per != NULL ? pair->per : "", text);
    }
}

static double moved_of(const struct sdsim_diff_quantity *quantity)
{
    return fabs(quantity->b - quantity->a);
}

/* The three parts of the account that changed most. */
static void say_parts(struct sdsim_diff_pair *pair)
{
    const enum sdsim_diff_layer layer =
        pair->a->has_cells && pair->b->has_cells ? SDSIM_DIFF_CELL : SDSIM_DIFF_KIND;
    bool said[SDSIM_DIFF_QUANTITIES] = {false};
    double moved = 0;
    for (size_t i = 0; i < pair->count; i++) {
        moved += pair->quantities[i].layer == layer ? moved_of(&pair->quantities[i]) : 0;
    }
    for (int n = 0; n < 3; n++) {
        size_t best = pair->count;
        for (size_t i = 0; i < pair->count; i++) {
            if (pair->quantities[i].layer == layer && !said[i] &&
                (best == pair->count ||
                 moved_of(&pair->quantities[i]) > moved_of(&pair->quantities[best]))) {
                best = i;
            }
        }
        if (best == pair->count || moved_of(&pair->quantities[best]) <= WORTH_SAYING * moved) {
            return;
        }
        const struct sdsim_diff_quantity *part = &pair->quantities[best];
        char time[32];
        char from[32];
        char to[32];
        char share[24];
        said[best] = true;
        say(pair, "%s: %s %s, from %s to %s; %s of all that changed", part->name,
            time_text(moved_of(part), time, sizeof time), part->b > part->a ? "more" : "less",
            time_text(part->a, from, sizeof from), time_text(part->b, to, sizeof to),
            share_text(moved_of(part) / moved, share, sizeof share));
    }
}

/* ---- what was done differently ---- */

static const struct sdsim_diff_quantity *find(const struct sdsim_diff_pair *pair, const char *name)
{
    for (size_t i = 0; i < pair->count; i++) {
        if (strcmp(pair->quantities[i].name, name) == 0) {
            return &pair->quantities[i];
        }
    }
    return NULL;
}

/* Commands for one sector against those for several. */
static void say_singles(struct sdsim_diff_pair *pair, const char *verb, const char *one,
                        const char *many)
{
    const struct sdsim_diff_quantity *single = find(pair, one);
    const struct sdsim_diff_quantity *several = find(pair, many);
    const double single_a = single != NULL ? single->a : 0;
    const double single_b = single != NULL ? single->b : 0;
    const double all_a = single_a + (several != NULL ? several->a : 0);
    const double all_b = single_b + (several != NULL ? several->b : 0);
    if (all_a <= 0 || all_b <= 0 || fabs(single_a / all_a - single_b / all_b) < CLEARLY ||
        fabs(single_a - single_b) < CLEARLY * (single_a > single_b ? single_a : single_b)) {
        return;
    }
    say(pair, "B %s %s sectors one by one: %s %.0f times instead of %.0f, %s %.0f instead of %.0f",
        verb, single_b / all_b > single_a / all_a ? "more" : "fewer", one, single_b, single_a, many,
        all_b - single_b, all_a - single_a);
}

/* What a run does most of. */
static bool reads(const struct sdsim_diff_result *result)
{
    return result->sectors_read > result->sectors_written;
}

/* Sectors moved for the same data. */
static void say_sectors(struct sdsim_diff_pair *pair, const char *name)
{
    const struct sdsim_diff_quantity *sectors = find(pair, name);
    if (sectors == NULL || pair->a->bytes == 0 || pair->b->bytes == 0 || sectors->a <= 0) {
        return;
    }
    const double a = 512 * sectors->a / (double)pair->a->bytes;
    const double b = 512 * sectors->b / (double)pair->b->bytes;
    if (a < FEW && b < FEW) {
        return;
    }
    if (fabs(b / a - 1) >= CLEARLY) {
        say(pair, "%s for each of the data: %.3g instead of %.3g", name, b, a);
    }
}

static void say_longest(struct sdsim_diff_pair *pair, const char *name)
{
    const struct sdsim_diff_quantity *longest = find(pair, name);
    if (longest == NULL || longest->a <= 0 || longest->b <= 0 ||
        fabs(longest->b / longest->a - 1) < CLEARLY) {
        return;
    }
    char from[32];
    char to[32];
    char by[24];
    say(pair, "%s: %s instead of %s, %s", name, time_text(longest->b, to, sizeof to),
        time_text(longest->a, from, sizeof from),
        sdsim_print_error(longest->b / longest->a - 1, by, sizeof by));
}

/* A kind of call of a trace: its rate, or its mean. */
static void say_class(struct sdsim_diff_pair *pair, const struct sdsim_diff_class *class)
{
    char name[64];
    char a[32];
    char b[32];
    char by[24];
    snprintf(name, sizeof name, "%s: rate", class->name);
    const struct sdsim_diff_quantity *rate = find(pair, name);
    snprintf(name, sizeof name, "%s: mean", class->name);
    const struct sdsim_diff_quantity *mean = find(pair, name);
    if (rate != NULL && rate->a > 0 && rate->b > 0) {
        if (fabs(rate->b / rate->a - 1) >= CLEARLY) {
            say(pair, "%s: %s instead of %s, %s", class->name,
                sdsim_unit_print(SDSIM_UNIT_RATE, rate->b, b, sizeof b),
                sdsim_unit_print(SDSIM_UNIT_RATE, rate->a, a, sizeof a),
                sdsim_print_error(rate->b / rate->a - 1, by, sizeof by));
        }
    } else if (mean != NULL && mean->a > 0 && mean->b > 0 &&
               fabs(mean->b / mean->a - 1) >= CLEARLY) {
        say(pair, "%s: a call takes %s instead of %s, %s", class->name,
            time_text(mean->b, b, sizeof b), time_text(mean->a, a, sizeof a),
            sdsim_print_error(mean->b / mean->a - 1, by, sizeof by));
    }
    snprintf(name, sizeof name, "%s: calls of one sector", class->name);
    const struct sdsim_diff_quantity *singles = find(pair, name);
    if (singles != NULL && fabs(singles->b - singles->a) >=
                               CLEARLY * (singles->a > singles->b ? singles->a : singles->b)) {
        say(pair, "%s: %.0f of the calls move one sector, instead of %.0f", class->name, singles->b,
            singles->a);
    }
    snprintf(name, sizeof name, "%s: longest", class->name);
    say_longest(pair, name);
}

bool sdsim_diff_is_same(const struct sdsim_diff_quantity *quantity)
{
    const double larger = quantity->a > quantity->b ? quantity->a : quantity->b;
    return moved_of(quantity) <= AS_GOOD_AS_EQUAL * larger;
}

static bool all_the_same(const struct sdsim_diff_pair *pair)
{
    for (size_t i = 0; i < pair->count; i++) {
        if (!sdsim_diff_is_same(&pair->quantities[i])) {
            return false;
        }
    }
    return true;
}

void sdsim_diff_words(struct sdsim_diff_pair *pair, const struct sdsim_diff_limits *limits)
{
    pair->word_count = 0;
    if (pair->judged && all_the_same(pair)) {
        say(pair, "nothing that is counted or timed has changed");
        return;
    }
    say_verdict(pair, limits);
    if (pair->longer) {
        say(pair, "the longest call is longer by more than its tolerance of %.4g%%",
            100 * limits->longest);
    }
    if (pair->a->has_kinds && pair->b->has_kinds) {
        say_layers(pair);
        say_parts(pair);
    }
    if (reads(pair->a) == reads(pair->b)) {
        say_singles(pair, "reads", "CMD17", "CMD18");
        say_singles(pair, "writes", "CMD24", "CMD25");
        say_sectors(pair, "sectors read");
        say_sectors(pair, "sectors written");
    } else {
        say(pair, "A mostly %s, B mostly %s: they do different things",
            reads(pair->a) ? "reads" : "writes", reads(pair->b) ? "reads" : "writes");
    }
    say_longest(pair, "longest call");
    for (size_t i = 0; i < pair->a->class_count; i++) {
        say_class(pair, &pair->a->classes[i]);
    }
}
