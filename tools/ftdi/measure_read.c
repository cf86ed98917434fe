#include "measures.h"

#include "borders.h"
#include "core/rng.h"

const struct sdsim_measure_plan sdsim_usual_plan = {
    .reads = 256,
    .writes = 48,
    .pause_bytes = UINT64_C(16) * 1024 * 1024,
    .most_aus = 8,
    .pause_time = 60 * SDSIM_S,
    .erase = true,
};

enum {
    PINGS = 32,
    RUNS = 12, /* of RUN blocks */
    RUN = 16,
    BORDER_READS = 3, /* of each class */
    PAGE_MOST = 1024, /* blocks: no page group is larger */
    BORDER_SLACK = 2, /* bytes by which a border must show: one each sample may be late by */
};

/* Places all over the card, none near another, always the same. */
static uint32_t place(const struct sdsim_card_io *io, uint32_t i, uint32_t room)
{
    const uint64_t hash = sdsim_hash_number(0x5EED, i);
    return (uint32_t)(hash % (io->sectors - room));
}

static bool measure_response(struct sdsim_card_io *io, struct sdsim_read_measures *measures)
{
    struct sdsim_samples samples = {0};
    bool fine = true;
    for (unsigned i = 0; i < PINGS && fine; i++) {
        struct sdsim_byte_times times;
        fine = sdsim_card_io_ping(io, &times);
        if (fine && times.complete) {
            sdsim_samples_add(&samples, times.n_cr);
            sdsim_samples_add_call(&samples, times.host);
        }
        sdsim_byte_times_free(&times);
    }
    measures->n_cr = sdsim_samples_facts(&samples);
    sdsim_samples_free(&samples);
    return fine;
}

/* One timed read; its access goes to `first`, its gaps to `next`. Either may be NULL. */
static bool timed_read(struct sdsim_card_io *io, uint32_t lba, uint32_t count,
                       struct sdsim_samples *first, struct sdsim_samples *next, size_t *lost)
{
    struct sdsim_byte_times times;
    if (!sdsim_card_io_read(io, lba, count, NULL, &times)) {
        return false;
    }
    *lost += times.complete ? 0 : 1;
    if (times.complete && first != NULL) {
        sdsim_samples_add_bounded(first, times.access, times.access_most);
        sdsim_samples_add_call(first, times.host);
    }
    for (size_t i = 0; times.complete && next != NULL && i < times.count; i++) {
        sdsim_samples_add_bounded(next, times.blocks[i], times.blocks_most[i]);
    }
    if (times.complete && next != NULL) {
        sdsim_samples_add_call(next, times.host);
    }
    sdsim_byte_times_free(&times);
    return true;
}

static bool measure_access(struct sdsim_card_io *io, const struct sdsim_measure_plan *plan,
                           struct sdsim_read_measures *measures)
{
    struct sdsim_samples first = {0};
    struct sdsim_samples again = {0};
    bool fine = true;
    for (uint32_t i = 0; i < plan->reads && fine; i++) {
        const uint32_t lba = place(io, i, 2) & ~UINT32_C(1);
        fine = timed_read(io, lba, 1, &first, NULL, &measures->lost);
    }
    for (uint32_t i = 0; i < plan->reads / 4 && fine; i++) {
        const uint32_t lba = place(io, i, 2) & ~UINT32_C(1);
        fine = timed_read(io, lba, 1, NULL, NULL, &measures->lost) &&
               timed_read(io, lba + 1, 1, &again, NULL, &measures->lost);
    }
    measures->first = sdsim_samples_earlier(&first);
    measures->again = sdsim_samples_earlier(&again);
    sdsim_samples_free(&first);
    sdsim_samples_free(&again);
    return fine;
}

static bool measure_next(struct sdsim_card_io *io, struct sdsim_read_measures *measures)
{
    struct sdsim_samples next = {0};
    bool fine = true;
    for (uint32_t i = 0; i < RUNS && fine; i++) {
        const uint32_t lba =
            place(io, 1000 + i, 2 * RUN) / RUN * RUN; /* hardly ever across a page */
        fine = timed_read(io, lba, RUN, NULL, &next, &measures->lost);
    }
    measures->next = sdsim_samples_earlier(&next);
    sdsim_samples_free(&next);
    return fine;
}

/* The places of a class, one after the other. 0: there is none on this card. */
static uint32_t place_of_class(const struct sdsim_card_io *io, unsigned power, unsigned three,
                               uint32_t i)
{
    const uint64_t unit = UINT64_C(1) << power;
    const uint64_t places = io->sectors / unit;
    if (places < 8) {
        return 0;
    }
    uint64_t at = sdsim_hash_number(power * 2 + three, i) % (places - 7) + 1;
    for (unsigned tries = 0; tries < 7; tries++, at++) {
        if (at % 2 == 1 && (at % 3 == 0) == (three != 0)) {
            return (uint32_t)(at * unit);
        }
    }
    return 0;
}

static bool measure_borders(struct sdsim_card_io *io, uint32_t au_blocks,
                            struct sdsim_read_measures *measures)
{
    static struct sdsim_border_scan const empty;
    struct sdsim_border_scan scan = empty;
    struct sdsim_border_level levels[2];
    bool fine = true;
    for (unsigned i = 0; i < BORDER_READS * SDSIM_BORDER_POWERS * 2 && fine; i++) {
        const unsigned power = i / 2 % SDSIM_BORDER_POWERS;
        const unsigned three = i % 2;
        const uint32_t lba = place_of_class(io, power, three, i);
        if (lba > 0) {
            fine = timed_read(io, lba - 1, 2, NULL, &scan.classes[power][three], &measures->lost);
        }
    }
    const unsigned found = sdsim_border_levels(&scan, measures->next.typical + SDSIM_SAMPLE_LATE,
                                               BORDER_SLACK, levels, 2);
    const bool only_aus =
        found == 1 && (levels[0].blocks == au_blocks || levels[0].blocks > PAGE_MOST);
    if (only_aus) {
        measures->au =
            (struct sdsim_border_fact){levels[0].blocks, levels[0].step, levels[0].spread};
    } else if (found > 0) {
        measures->page.blocks = levels[0].blocks;
        measures->page.step = measures->next.typical + levels[0].step;
        measures->page.spread = levels[0].spread;
    }
    if (found > 1) {
        measures->au =
            (struct sdsim_border_fact){levels[1].blocks, levels[1].step, levels[1].spread};
    }
    sdsim_border_scan_free(&scan);
    return fine;
}

bool sdsim_measure_reads(struct sdsim_card_io *io, const struct sdsim_measure_plan *plan,
                         uint32_t au_blocks, struct sdsim_read_measures *measures)
{
    *measures = (struct sdsim_read_measures){0};
    return measure_response(io, measures) && measure_access(io, plan, measures) &&
           measure_next(io, measures) && measure_borders(io, au_blocks, measures);
}
