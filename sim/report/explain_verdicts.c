#include <stdarg.h>
#include <stdio.h>

#include "core/units.h"
#include "report/explain_parts.h"
#include "report/format.h"
#include "report/run_report.h"

/* ---- suspects ---- */

const char *sdsim_suspect_word(double gain)
{
    return gain >= SDSIM_EXPLAIN_IT_IS ? "it is" : gain >= SDSIM_EXPLAIN_NOT_IT ? "part" : "not it";
}

static const char *title_of(enum sdsim_probe_kind probe, bool reads)
{
    switch (probe) {
    case SDSIM_PROBE_NO_CARD:
        return "the card, all of it";
    case SDSIM_PROBE_NO_HOST:
        return "the microcontroller and its driver";
    case SDSIM_PROBE_NO_BUS:
        return "the clocks on the bus";
    case SDSIM_PROBE_NO_FAT:
        return "file API and file system";
    case SDSIM_PROBE_NO_SECTOR_WAIT:
        return "a wait between a command's sectors";
    case SDSIM_PROBE_NO_FIRST_WAIT:
        return reads ? "a command's wait for its first sector" : "the commit behind each command";
    case SDSIM_PROBE_NO_PAUSES:
        return "the card's housekeeping";
    case SDSIM_PROBE_NO_SYNCS:
        return "the syncs between the calls";
    case SDSIM_PROBE_NO_SLEEPS:
        return "the driver's sleeps and retries";
    default:
        return "the calls of the file API";
    }
}

void sdsim_explain_suspects(struct sdsim_explanation *explanation)
{
    const bool reads = explanation->outcome.workload.counters.blocks_written == 0 &&
                       explanation->outcome.workload.counters.blocks_read > 0;
    explanation->suspect_count = 0;
    for (int p = SDSIM_PROBE_NO_CARD; p <= SDSIM_PROBE_NO_CALL_COST; p++) {
        const struct sdsim_probe *probe = &explanation->probes[p];
        if (!probe->there || (p == SDSIM_PROBE_NO_PAUSES && reads)) {
            continue;
        }
        const struct sdsim_workload_result *workload = &probe->outcome.workload;
        const struct sdsim_suspect suspect = {
            .probe = (enum sdsim_probe_kind)p,
            .title = title_of((enum sdsim_probe_kind)p, reads),
            .gain = probe->speed - 1,
            .value = probe->outcome.value,
            .metric = probe->outcome.metric,
            .call = workload->calls > 0 ? workload->elapsed / workload->calls : 0,
        };
        size_t at = explanation->suspect_count++;
        while (at > 0 && explanation->suspects[at - 1].gain < suspect.gain) {
            explanation->suspects[at] = explanation->suspects[at - 1];
            at--;
        }
        explanation->suspects[at] = suspect;
    }
}

/* ---- verdicts ---- */

__attribute__((format(printf, 5, 6))) static void add(struct sdsim_explanation *explanation,
                                                      enum sdsim_verdict_about about, bool cause,
                                                      double gain, const char *format, ...)
{
    struct sdsim_layer_verdict verdict = {.about = about, .cause = cause, .gain = gain};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(verdict.text, sizeof verdict.text, format, arguments);
    va_end(arguments);
    size_t at = explanation->verdict_count++;
    while (at > 0 && cause &&
           (!explanation->verdicts[at - 1].cause || explanation->verdicts[at - 1].gain < gain)) {
        explanation->verdicts[at] = explanation->verdicts[at - 1];
        at--;
    }
    explanation->verdicts[at] = verdict;
}

struct gain_text {
    char text[24];
};

static struct gain_text gain_text(double gain)
{
    struct gain_text text;
    sdsim_print_gain(gain, text.text, sizeof text.text);
    return text;
}

static const struct {
    enum sdsim_verdict_about about;
    enum sdsim_probe_kind probe;
    const char *name;
    const char *without; /* the sentence's subject: "with ..." */
} layers[] = {
    {SDSIM_VERDICT_CARD, SDSIM_PROBE_NO_CARD, "the card", "a card that never makes it wait"},
    {SDSIM_VERDICT_BUS, SDSIM_PROBE_NO_BUS, "the bus", "a clock of 1GHz"},
    {SDSIM_VERDICT_HOST, SDSIM_PROBE_NO_HOST, "the microcontroller",
     "a driver and file API whose steps cost no time"},
    {SDSIM_VERDICT_DRIVER, SDSIM_PROBE_NO_SLEEPS, "the driver", "no sleeps and no retries in it"},
    {SDSIM_VERDICT_FAT, SDSIM_PROBE_NO_FAT, "the file system", "the same calls on raw sectors"},
};

/* Where raw sectors can't take the calls, the share of the file system's own sectors says it. */
static void judge_file_system_by_share(struct sdsim_explanation *explanation)
{
    const struct sdsim_waterfall *waterfall = &explanation->waterfall;
    const sdsim_ps own = sdsim_waterfall_layer(waterfall, SDSIM_LAYER_FAT);
    if (explanation->setup.run.workload.target != SDSIM_ON_FILE || waterfall->total <= own) {
        return;
    }
    const double gain = (double)own / (double)(waterfall->total - own);
    char share[24];
    sdsim_print_share((double)own / (double)waterfall->total, share, sizeof share);
    if (gain >= SDSIM_EXPLAIN_IT_IS) {
        add(explanation, SDSIM_VERDICT_FAT, true, gain,
            "it is the file system: its own sectors and the rest of sectors take %s", share);
    } else if (gain < SDSIM_EXPLAIN_NOT_IT) {
        add(explanation, SDSIM_VERDICT_FAT, false, gain,
            "not the file system: its own sectors and the rest of sectors take %s", share);
    }
}

static void judge_layers(struct sdsim_explanation *explanation)
{
    for (size_t i = 0; i < sizeof layers / sizeof *layers; i++) {
        const struct sdsim_probe *probe = &explanation->probes[layers[i].probe];
        const double gain = probe->speed - 1;
        char value[48];
        if (!probe->there) {
            if (layers[i].about == SDSIM_VERDICT_FAT) {
                judge_file_system_by_share(explanation);
            }
            continue;
        }
        sdsim_print_value(probe->outcome.metric, probe->outcome.value, value, sizeof value);
        if (gain >= SDSIM_EXPLAIN_IT_IS) {
            add(explanation, layers[i].about, true, gain, "it is %s: with %s it would be %s, %s",
                layers[i].name, layers[i].without, value, gain_text(gain).text);
        } else if (gain < SDSIM_EXPLAIN_NOT_IT) {
            add(explanation, layers[i].about, false, gain,
                gain < 0.0005 ? "not %s: with %s it would be %s, no faster"
                              : "not %s: with %s it would be %s, %s at most",
                layers[i].name, layers[i].without, value, gain_text(gain).text);
        }
    }
}

static void judge_producer(struct sdsim_explanation *explanation)
{
    const struct sdsim_waterfall *waterfall = &explanation->waterfall;
    const struct sdsim_waterfall_step *idle = sdsim_waterfall_step(waterfall, SDSIM_LOSS_IDLE);
    if (idle == NULL || idle->time >= waterfall->total ||
        explanation->setup.run.workload.target == SDSIM_ON_USB) {
        return;
    }
    const double gain = (double)idle->time / (double)(waterfall->total - idle->time);
    char share[24];
    sdsim_print_share((double)idle->time / (double)waterfall->total, share, sizeof share);
    if (gain >= SDSIM_EXPLAIN_IT_IS) {
        add(explanation, SDSIM_VERDICT_PRODUCER, true, gain,
            "it is the producer: %s of the time the application makes no calls", share);
    } else if (gain < SDSIM_EXPLAIN_NOT_IT) {
        add(explanation, SDSIM_VERDICT_PRODUCER, false, gain,
            "not the producer: only %s of the time is between calls", share);
    }
}

/* USB in front of the driver, another device on the bus: by its share of the time. */
static void judge_outside(struct sdsim_explanation *explanation)
{
    const struct sdsim_waterfall *waterfall = &explanation->waterfall;
    const struct sdsim_waterfall_step *step = sdsim_waterfall_step(waterfall, SDSIM_LOSS_OUTSIDE);
    const char *name = sdsim_outside_name(&explanation->setup.run.workload);
    if (step == NULL) {
        return;
    }
    const double gain = step->time < waterfall->total
                            ? (double)step->time / (double)(waterfall->total - step->time)
                            : SDSIM_EXPLAIN_IT_IS;
    char share[24];
    sdsim_print_share((double)step->time / (double)waterfall->total, share, sizeof share);
    if (gain >= SDSIM_EXPLAIN_IT_IS) {
        add(explanation, SDSIM_VERDICT_OUTSIDE, true, gain, "it is %s, which takes %s of the time",
            name, share);
    } else if (gain < SDSIM_EXPLAIN_NOT_IT) {
        add(explanation, SDSIM_VERDICT_OUTSIDE, false, gain, "not %s, which takes only %s", name,
            share);
    }
}

/* Less than this a change brings nothing (explain_report.c says the same). */
#define NOTHING 0.01

/* Nothing would make it faster: who sets the pace. */
static void judge_pace(struct sdsim_explanation *explanation)
{
    const struct sdsim_waterfall *waterfall = &explanation->waterfall;
    const double total = (double)waterfall->total;
    const struct sdsim_waterfall_step *idle = sdsim_waterfall_step(waterfall, SDSIM_LOSS_IDLE);
    const sdsim_ps host = sdsim_waterfall_layer(waterfall, SDSIM_LAYER_HOST);
    char share[24];
    if (idle != NULL && 10 * idle->time > waterfall->total &&
        explanation->setup.run.workload.target != SDSIM_ON_USB) {
        sdsim_print_share((double)idle->time / total, share, sizeof share);
        add(explanation, SDSIM_VERDICT_PRODUCER, true, 0,
            "it is the producer: the application sets the pace, and makes no calls in %s of the "
            "time",
            share);
    } else if (2 * (double)host > total) {
        sdsim_print_share((double)host / total, share, sizeof share);
        add(explanation, SDSIM_VERDICT_HOST, true, 0,
            "it is the microcontroller: its driver takes %s of the time", share);
    }
}

/* If no layer is the cause by itself: which comes nearest. */
static void judge_mixture(struct sdsim_explanation *explanation)
{
    size_t nearest = sizeof layers / sizeof *layers;
    double most = 0;
    for (size_t i = 0; i < explanation->verdict_count; i++) {
        if (explanation->verdicts[i].cause) {
            return;
        }
    }
    for (size_t i = 0; i < sizeof layers / sizeof *layers; i++) {
        const struct sdsim_probe *probe = &explanation->probes[layers[i].probe];
        if (probe->there && probe->speed - 1 > most) {
            most = probe->speed - 1;
            nearest = i;
        }
    }
    if (most < NOTHING) {
        judge_pace(explanation);
    } else {
        add(explanation, SDSIM_VERDICT_NONE, true, most,
            "no layer by itself: the most would come from %s, %s with %s", layers[nearest].name,
            gain_text(most).text, layers[nearest].without);
    }
}

void sdsim_explain_verdicts(struct sdsim_explanation *explanation)
{
    explanation->verdict_count = 0;
    judge_layers(explanation);
    judge_producer(explanation);
    judge_outside(explanation);
    judge_mixture(explanation);
}
