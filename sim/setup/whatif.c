#include "setup/whatif.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/sorted.h"
#include "setup/whatif_parts.h"

/* What changes less is not worth a line. */
static const double least_gain = 0.01;
/* Of several values, the smallest that brings so much of what the best one brings. */
static const double enough_of_best = 0.9;

const char *sdsim_whatif_name(enum sdsim_whatif_kind kind)
{
    static const char *const names[SDSIM_WHATIF_KIND_COUNT] = {
        [SDSIM_WHATIF_CLOCK] = "clock",
        [SDSIM_WHATIF_FULL_CLOCK] = "full-clock",
        [SDSIM_WHATIF_DMA] = "dma",
        [SDSIM_WHATIF_MULTI_BLOCK] = "multi-block",
        [SDSIM_WHATIF_CALLS] = "calls",
        [SDSIM_WHATIF_BUFFERS] = "buffers",
        [SDSIM_WHATIF_BOUNCE] = "bounce",
        [SDSIM_WHATIF_CLUSTER] = "cluster",
        [SDSIM_WHATIF_PREALLOCATE] = "preallocate",
        [SDSIM_WHATIF_STDIO] = "stdio",
        [SDSIM_WHATIF_BYPASS] = "bypass",
        [SDSIM_WHATIF_SYNC] = "sync",
        [SDSIM_WHATIF_OPEN] = "open",
        [SDSIM_WHATIF_GATHER] = "gather",
        [SDSIM_WHATIF_WIDTH] = "width",
        [SDSIM_WHATIF_STREAM] = "stream",
        [SDSIM_WHATIF_EXFAT] = "exfat",
        [SDSIM_WHATIF_CARD] = "card",
    };
    return names[kind];
}

/* ---- planning ---- */

void sdsim_whatif_propose(struct sdsim_whatif_planner *planner,
                          const struct sdsim_whatif_proposal *proposal)
{
    if (planner->count == SDSIM_WHATIF_MOST) {
        return;
    }
    struct sdsim_whatif *whatif = &planner->whatifs[planner->count];
    const char *sets[SDSIM_WHATIF_SETS + 1] = {NULL};
    *whatif = (struct sdsim_whatif){.kind = proposal->kind};
    snprintf(whatif->title, sizeof whatif->title, "%s", proposal->title);
    snprintf(whatif->cost, sizeof whatif->cost, "%s", proposal->cost);
    snprintf(whatif->risk, sizeof whatif->risk, "%s", proposal->risk);
    while (whatif->set_count < SDSIM_WHATIF_SETS && proposal->sets[whatif->set_count] != NULL) {
        char *set = whatif->sets[whatif->set_count];
        snprintf(set, sizeof whatif->sets[0], "%s", proposal->sets[whatif->set_count]);
        sets[whatif->set_count++] = set;
    }
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    if (planner->subject->bind(planner->subject->context, sets, 0, &whatif->setup, &diags)) {
        planner->count++;
    }
    sdsim_diags_free(&diags);
}

char *sdsim_whatif_clock_set(uint64_t hz, char *out, size_t size)
{
    const uint64_t unit = hz % 1000000 == 0 ? 1000000 : hz % 1000 == 0 ? 1000 : 1;
    snprintf(out, size, "clock=%" PRIu64 "%s", hz / unit,
             unit == 1000000 ? "MHz"
             : unit == 1000  ? "kHz"
                             : "Hz");
    return out;
}

size_t sdsim_whatifs_plan(const struct sdsim_subject *subject, const struct sdsim_setup *base,
                          const struct sdsim_outcome_report *outcome, struct sdsim_whatif *whatifs)
{
    struct sdsim_whatif_planner planner = {
        .subject = subject, .base = base, .outcome = outcome, .whatifs = whatifs};
    sdsim_whatif_rules(&planner);
    return planner.count;
}

/* ---- simulating ---- */

void sdsim_whatif_run(const struct sdsim_subject *subject,
                      const struct sdsim_outcome_report *outcome, struct sdsim_whatif *whatif)
{
    subject->simulate(subject->context, &whatif->setup, &whatif->outcome);
    whatif->gain =
        whatif->outcome.error[0] == '\0' ? sdsim_speed(outcome, &whatif->outcome) - 1 : 0;
}

void sdsim_whatif_interval(struct sdsim_whatif *whatif, double *gains, size_t count)
{
    if (count == 0) {
        return;
    }
    sdsim_sort(gains, count);
    const double low = sdsim_quantile(gains, count, 0.05);
    const double high = sdsim_quantile(gains, count, 0.95);
    whatif->low = low < whatif->gain ? low : whatif->gain;
    whatif->high = high > whatif->gain ? high : whatif->gain;
    whatif->drawn = true;
}

/* ---- ranking ---- */

static double best_of_kind(const struct sdsim_whatif *whatifs, size_t count,
                           enum sdsim_whatif_kind kind)
{
    double best = 0;
    for (size_t i = 0; i < count; i++) {
        best = whatifs[i].kind == kind && whatifs[i].gain > best ? whatifs[i].gain : best;
    }
    return best;
}

/* Of bounce buffers, the smallest that reaches 80 % of the best there is. */
static void choose_bounce(struct sdsim_whatif *whatifs, size_t count)
{
    static const double share = 0.8;
    const double bounce = best_of_kind(whatifs, count, SDSIM_WHATIF_BOUNCE);
    const double direct = best_of_kind(whatifs, count, SDSIM_WHATIF_BUFFERS);
    const double best = 1 + (bounce > direct ? bounce : direct);
    for (size_t i = 0; i < count; i++) {
        struct sdsim_whatif *whatif = &whatifs[i];
        if (whatif->kind == SDSIM_WHATIF_BOUNCE && 1 + whatif->gain >= share * best) {
            const size_t used = strlen(whatif->title);
            snprintf(whatif->title + used, sizeof whatif->title - used,
                     ", the smallest for 80%% of the ceiling");
            for (size_t j = 0; j < count; j++) {
                if (j != i && whatifs[j].kind == SDSIM_WHATIF_BOUNCE) {
                    whatifs[j].gain = 0;
                }
            }
            return;
        }
    }
}

/* Greatest gain first; what was proposed first before its equals. */
static void sort(struct sdsim_whatif *whatifs, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        for (size_t j = i; j > 0 && whatifs[j].gain > whatifs[j - 1].gain; j--) {
            const struct sdsim_whatif other = whatifs[j];
            whatifs[j] = whatifs[j - 1];
            whatifs[j - 1] = other;
        }
    }
}

size_t sdsim_whatifs_rank(struct sdsim_whatif *whatifs, size_t count)
{
    bool taken[SDSIM_WHATIF_KIND_COUNT] = {false};
    double best[SDSIM_WHATIF_KIND_COUNT];
    size_t left = 0;
    choose_bounce(whatifs, count);
    for (int kind = 0; kind < SDSIM_WHATIF_KIND_COUNT; kind++) {
        best[kind] = best_of_kind(whatifs, count, (enum sdsim_whatif_kind)kind);
    }
    for (size_t i = 0; i < count; i++) {
        const enum sdsim_whatif_kind kind = whatifs[i].kind;
        if (!taken[kind] && whatifs[i].gain >= least_gain &&
            whatifs[i].gain >= enough_of_best * best[kind]) {
            taken[kind] = true;
            if (left != i) {
                whatifs[left] = whatifs[i];
            }
            left++;
        }
    }
    sort(whatifs, left);
    return left;
}
