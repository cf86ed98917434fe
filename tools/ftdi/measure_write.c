/*
 * How the places are chosen. Flash controllers like writes that go on where the last one in that AU
 * ended; anything else may cost extra, and this must not show where something else is measured. So
 * everything that is not about order is one ascending run without gaps through the first AUs (struct
 * run), and the other questions get AUs of their own behind it:
 *
 *     run         lone writes, streams, ends of streams at every kind of border
 *     order       an AU opened in its last quarter, then written backwards
 *     open AUs    as many as are looked for and one, written in turn
 *     pauses      the rest, in order
 */
#include "measure_job.h"

#include <stdio.h>

#include "borders.h"

enum {
    OPENING = 128,  /* blocks that make the card open an AU before it is measured there */
    FIRST_LONE = 2, /* lone blocks behind a stream that may still pay for it */
    STREAMS = 3,
    STREAM = 64,
    ODD_ENDS = 10,      /* samples of the end of a short stream */
    BORDER_ENDS = 3,    /* of each class */
    BORDER_POWERS = 10, /* page groups of up to 512 KiB */
    SIZES = 1200,       /* blocks for ends of longer streams */
    CALL = 256,
    BORDER_SLACK = 2, /* bytes by which a border must show: one each sample may be late by */
};

/* ---- one write ---- */

bool sdsim_measure_write_at(struct sdsim_measure_job *job, uint32_t lba, uint32_t count,
                            struct sdsim_write_cost *cost, struct sdsim_samples *blocks)
{
    const struct sdsim_content content = {.kind = SDSIM_CONTENT_GENERATED, .seed = ++job->seed};
    struct sdsim_byte_times times;
    if (!job->writer->write(job->writer, lba, count, &content, &times)) {
        return false;
    }
    job->written += count;
    job->measures->lost += times.complete ? 0 : 1;
    *cost = (struct sdsim_write_cost){.complete = times.complete};
    bool bounded = true;
    for (size_t i = 0; times.complete && i < times.count; i++) {
        cost->blocks += times.blocks[i] - SDSIM_SAMPLE_LATE;
        cost->blocks_most += times.blocks_most[i];
        bounded &= times.blocks_most[i] > 0;
        if (blocks != NULL) {
            sdsim_samples_add_bounded(blocks, times.blocks[i], times.blocks_most[i]);
        }
    }
    if (times.complete) {
        cost->blocks_most = bounded ? cost->blocks_most : 0;
        cost->end = (count == 1 ? times.blocks[0] : times.busy) - SDSIM_SAMPLE_LATE;
        cost->end_most = count == 1 ? times.blocks_most[0] : times.busy_most;
        cost->host = times.host;
    }
    if (times.complete && blocks != NULL) {
        sdsim_samples_add_call(blocks, times.host);
    }
    sdsim_byte_times_free(&times);
    return true;
}

void sdsim_measure_take_end(struct sdsim_samples *samples, const struct sdsim_write_cost *cost)
{
    sdsim_samples_add_bounded(samples, cost->end, cost->end_most);
    sdsim_samples_add_call(samples, cost->host);
}

/* The next blocks of the ascending run. */
static bool run_on(struct sdsim_measure_job *job, uint32_t count, struct sdsim_write_cost *cost,
                   struct sdsim_samples *blocks)
{
    const uint32_t lba = job->next;
    job->next += count;
    return sdsim_measure_write_at(job, lba, count, cost, blocks);
}

/* Goes on with it up to `lba`, in streams. */
static bool run_to(struct sdsim_measure_job *job, uint32_t lba)
{
    struct sdsim_write_cost ignored;
    while (job->next < lba) {
        const uint32_t left = lba - job->next;
        if (!run_on(job, left < CALL ? left : CALL, &ignored, NULL)) {
            return false;
        }
    }
    return true;
}

/* ---- lone blocks and streams ---- */

static bool measure_lone(struct sdsim_measure_job *job)
{
    struct sdsim_samples samples = {0};
    struct sdsim_write_cost cost;
    bool fine = run_on(job, OPENING, &cost, NULL);
    for (uint32_t i = 0; i < job->plan->writes + FIRST_LONE && fine; i++) {
        fine = run_on(job, 1, &cost, i >= FIRST_LONE ? &samples : NULL);
    }
    job->measures->lone = sdsim_samples_earlier(&samples);
    sdsim_samples_free(&samples);
    return fine;
}

static bool measure_streams(struct sdsim_measure_job *job)
{
    struct sdsim_samples samples = {0};
    struct sdsim_write_cost cost;
    bool fine = true;
    for (unsigned i = 0; i < STREAMS && fine; i++) {
        fine = run_on(job, STREAM, &cost, &samples);
    }
    job->measures->stream = sdsim_samples_earlier(&samples);
    sdsim_samples_free(&samples);
    return fine;
}

/* ---- ends of streams ---- */

static unsigned wanted_ends(unsigned power)
{
    return power == 0 ? ODD_ENDS : BORDER_ENDS;
}

/* Streams of two blocks that end at places of every class: where a page group ends with them, its
 * program has just begun, and the end waits for it. */
static bool scan_ends(struct sdsim_measure_job *job, uint32_t end, struct sdsim_border_scan *scan)
{
    bool fine = true;
    for (uint32_t lba = job->next + 2; lba <= end && fine; lba++) {
        const unsigned power = sdsim_border_power(lba);
        struct sdsim_samples *samples = NULL;
        if (power <= BORDER_POWERS) {
            samples = &scan->classes[power][sdsim_border_three(lba)];
        }
        const bool behind_border = power == 0 && lba % 4 != 3; /* its first block may end a group */
        if (samples == NULL || samples->count >= wanted_ends(power) || lba < job->next + 2 ||
            behind_border) {
            continue;
        }
        struct sdsim_write_cost cost;
        fine = run_to(job, lba - 2) && run_on(job, 2, &cost, NULL);
        if (fine && cost.complete) {
            sdsim_measure_take_end(samples, &cost);
        }
    }
    return fine;
}

/* Bytes on the bus between the end of a block and that of the stop token behind it. */
static const double end_around = 4;

static void take_ends(struct sdsim_measure_job *job, struct sdsim_border_scan *scan)
{
    struct sdsim_write_measures *measures = job->measures;
    struct sdsim_border_level level;
    const double base = sdsim_samples_facts(&scan->classes[0][0]).median;
    struct sdsim_samples plain = {0};
    const bool found = sdsim_border_levels(scan, base, BORDER_SLACK, &level, 1) > 0;
    if (found) {
        measures->page.blocks = level.blocks;
        measures->page.step = level.step + measures->stream.typical + end_around;
        measures->page.spread = level.spread;
    }
    for (unsigned k = 0; k < SDSIM_BORDER_POWERS; k++) {
        for (unsigned three = 0; three < 2; three++) {
            const struct sdsim_samples *samples = &scan->classes[k][three];
            for (size_t i = 0; i < samples->count; i++) {
                const double bytes = samples->bytes[i];
                if (k == 0 || (found && bytes < base * SDSIM_SAMPLE_SCATTER + BORDER_SLACK)) {
                    sdsim_samples_take(&plain, samples, i);
                }
            }
            sdsim_samples_take_calls(&plain, samples);
        }
    }
    measures->stop = sdsim_samples_facts(&plain); /* half a byte was taken off above */
    sdsim_samples_free(&plain);
}

static bool measure_ends(struct sdsim_measure_job *job, uint32_t end)
{
    static const struct sdsim_border_scan empty;
    struct sdsim_border_scan scan = empty;
    const bool fine = scan_ends(job, end, &scan);
    take_ends(job, &scan);
    sdsim_border_scan_free(&scan);
    return fine;
}

/* A step, up or down, that stays: all larger sizes are on one side of the smaller ones, and alike. If they
 * are not, what they wait for is a page group that is still being programmed. */
static void take_sizes(struct sdsim_write_measures *measures, const double *least, unsigned sizes)
{
    for (unsigned s = 1; s < sizes; s++) {
        bool above = true;
        bool below = true;
        struct sdsim_samples large = {0};
        for (unsigned t = s; t < sizes; t++) {
            above &= sdsim_samples_above(least[t], least[s - 1]);
            below &= sdsim_samples_above(least[s - 1], least[t]);
            sdsim_samples_add(&large, least[t]);
        }
        const struct sdsim_spread_facts facts = sdsim_samples_facts(&large);
        const bool alike = sdsim_samples_close(facts.most, facts.least);
        if ((above || below) && alike) {
            measures->large_blocks = UINT32_C(2) << s;
            measures->stop_large = facts;
        }
        sdsim_samples_free(&large);
        if (measures->large_blocks > 0) {
            return;
        }
    }
}

/* Ends of longer streams. They lie one block behind odd places, so no page group ends there; one whose
 * program still runs is avoided by taking the least of three. */
static bool measure_sizes(struct sdsim_measure_job *job, uint32_t end)
{
    struct sdsim_write_measures *measures = job->measures;
    double least[8] = {0};
    unsigned sizes = 0;
    bool fine = true;
    for (uint32_t size = 2; size <= 128 && fine; size *= 2, sizes++) {
        if (end - job->next < 3 * (size + 16) || job->next >= end) {
            break;
        }
        for (unsigned i = 0; i < 3 && fine; i++) {
            struct sdsim_write_cost cost;
            fine = run_to(job, (job->next | 1) + 6 * i) && run_on(job, size, &cost, NULL);
            if (fine && cost.complete && (least[sizes] == 0 || cost.end < least[sizes])) {
                least[sizes] = cost.end;
            }
        }
    }
    take_sizes(measures, least, sizes);
    return fine;
}

/* ---- all of it ---- */

/* What is written where. */
struct layout {
    uint32_t run; /* sectors run..run_end - 1; ends are looked at up to scan_end, sizes behind it */
    uint32_t scan_end;
    uint32_t run_end;
    uint32_t next_au; /* the first one behind the run */
    uint32_t end_au;
};

static uint32_t divided_up(uint32_t blocks, uint32_t by)
{
    return (blocks + by - 1) / by;
}

/* What the run can't do without: lone blocks and streams. */
static uint32_t run_head(const struct sdsim_measure_plan *plan)
{
    return OPENING + plan->writes + FIRST_LONE + STREAMS * STREAM;
}

/* The run gets what it can use, if that leaves an AU for each other question; in a small range it is cut
 * down to what it can't do without. False: that isn't there either. */
static bool lay_out(const struct sdsim_card_writer *writer, const struct sdsim_measure_plan *plan,
                    uint32_t au, struct layout *layout)
{
    const uint32_t head = run_head(plan);
    const uint32_t scan = 5u << BORDER_POWERS;
    const uint32_t first = divided_up(writer->from, au);
    const uint32_t end = writer->to / au;
    const uint32_t aus = end > first ? end - first : 0;
    const uint32_t others = 1 + plan->most_aus + 1 + 1;
    uint32_t run_aus = divided_up(head + scan + SIZES, au);
    if (run_aus + others > aus) {
        const uint32_t least = divided_up(head, au);
        run_aus = aus > others && aus - others > least ? aus - others : least;
    }
    if (run_aus > aus) { /* not even an AU: any sectors will do */
        *layout = (struct layout){writer->from, writer->from + head, writer->from + head, 0, 0};
        return writer->to - writer->from >= head;
    }
    *layout = (struct layout){.run = first * au,
                              .run_end = (first + run_aus) * au,
                              .next_au = first + run_aus,
                              .end_au = end};
    const uint32_t behind_head = layout->run_end - layout->run - head;
    const uint32_t sizes = behind_head / 2 < SIZES ? behind_head / 2 : SIZES;
    layout->scan_end =
        behind_head > scan + sizes ? layout->run + head + scan : layout->run_end - sizes;
    layout->run_end = layout->scan_end + sizes;
    return true;
}

static bool measure_run(struct sdsim_measure_job *job, const struct layout *layout)
{
    job->next = layout->run;
    return job->writer->cover(job->writer, layout->run, layout->run_end - layout->run) &&
           measure_lone(job) && measure_streams(job) && measure_ends(job, layout->scan_end) &&
           measure_sizes(job, layout->run_end);
}

bool sdsim_measure_writes(struct sdsim_card_io *io, struct sdsim_card_writer *writer,
                          const struct sdsim_measure_plan *plan, uint32_t au_blocks,
                          struct sdsim_write_measures *measures)
{
    struct layout layout;
    *measures = (struct sdsim_write_measures){.au_blocks = au_blocks};
    struct sdsim_measure_job job = {io, writer, plan, measures, 0, 0, 0x9E0BE};
    if (!lay_out(writer, plan, au_blocks, &layout)) {
        snprintf(io->error, sizeof io->error,
                 "measuring writes takes at least %lu sectors, and %lu AUs of %lu sectors for all "
                 "questions",
                 (unsigned long)run_head(plan), (unsigned long)plan->most_aus + 8,
                 (unsigned long)au_blocks);
        return false;
    }
    if (!measure_run(&job, &layout)) {
        return false;
    }
    uint32_t au = layout.next_au;
    if (au < layout.end_au && !sdsim_measure_order(&job, au++)) {
        return false;
    }
    const uint32_t left = layout.end_au - au;
    const uint32_t turns = left < plan->most_aus + 1 ? left : plan->most_aus + 1;
    if (turns > 1 && !sdsim_measure_open_aus(&job, au, turns)) {
        return false;
    }
    if (au + turns < layout.end_au && plan->pause_bytes > 0 &&
        !sdsim_measure_pauses(&job, (au + turns) * au_blocks, layout.end_au * au_blocks)) {
        return false;
    }
    return !plan->erase || turns < 2 || sdsim_measure_erase(&job, au);
}
