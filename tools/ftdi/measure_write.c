/*
 * How the places are chosen. Flash controllers like writes that go on where the last one in that AU
 * ended; anything else may cost extra, and this must not show where something else is measured. So
 * everything that is not about order is one ascending run without gaps through the first AUs (struct
 * run), and the other questions get AUs of their own behind it:
 *
 *     run         lone writes, streams, ends of streams at every kind of border
 *     order       an AU written from the middle on, then backwards
 *     open AUs    as many as are looked for and one, written in turn
 *     pauses      the rest, in order
 */
#include "measures.h"

#include <stdio.h>

#include "borders.h"

enum {
    OPENING = 128, /* blocks that make the card open an AU before it is measured there */
    STREAMS = 3,
    STREAM = 128,
    ODD_ENDS = 10,      /* samples of the end of a short stream */
    BORDER_ENDS = 3,    /* of each class */
    BORDER_POWERS = 10, /* page groups of up to 512 KiB */
    TURNS = 3,
    CALL = 256,
};

struct job {
    struct sdsim_card_io *io;
    struct sdsim_writer *writer;
    const struct sdsim_measure_plan *plan;
    struct sdsim_write_measures *measures;
    uint32_t next;    /* of the ascending run */
    uint64_t written; /* blocks */
    uint64_t seed;
};

/* ---- one write ---- */

/* What a write was busy for. */
struct cost {
    bool complete;
    double blocks; /* sum of all blocks' busies */
    double end;    /* busy of the stop token; of a lone block, its own */
};

static bool write_at(struct job *job, uint32_t lba, uint32_t count, struct cost *cost,
                     struct sdsim_samples *blocks)
{
    const struct sdsim_content content = {.kind = SDSIM_CONTENT_GENERATED, .seed = ++job->seed};
    struct sdsim_byte_times times;
    if (!job->writer->write(job->writer, lba, count, &content, &times)) {
        return false;
    }
    job->written += count;
    job->measures->lost += times.complete ? 0 : 1;
    *cost = (struct cost){.complete = times.complete};
    for (size_t i = 0; times.complete && i < times.count; i++) {
        cost->blocks += times.blocks[i] - SDSIM_SAMPLE_LATE;
        if (blocks != NULL) {
            sdsim_samples_add(blocks, times.blocks[i]);
        }
    }
    if (times.complete) {
        cost->end = (count == 1 ? times.blocks[0] : times.busy) - SDSIM_SAMPLE_LATE;
    }
    sdsim_byte_times_free(&times);
    return true;
}

/* The next blocks of the ascending run. */
static bool run_on(struct job *job, uint32_t count, struct cost *cost, struct sdsim_samples *blocks)
{
    const uint32_t lba = job->next;
    job->next += count;
    return write_at(job, lba, count, cost, blocks);
}

/* Goes on with it up to `lba`, in streams. */
static bool run_to(struct job *job, uint32_t lba)
{
    struct cost ignored;
    while (job->next < lba) {
        const uint32_t left = lba - job->next;
        if (!run_on(job, left < CALL ? left : CALL, &ignored, NULL)) {
            return false;
        }
    }
    return true;
}

/* ---- lone blocks and streams ---- */

static bool measure_lone(struct job *job)
{
    struct sdsim_samples samples = {0};
    struct cost cost;
    bool fine = run_on(job, OPENING, &cost, NULL);
    for (uint32_t i = 0; i < job->plan->writes + 2 && fine; i++) {
        fine = run_on(job, 1, &cost, i >= 2 ? &samples : NULL);
    }
    job->measures->lone = sdsim_samples_earlier(&samples);
    sdsim_samples_free(&samples);
    return fine;
}

static bool measure_streams(struct job *job)
{
    struct sdsim_samples samples = {0};
    struct cost cost;
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
static bool scan_ends(struct job *job, uint32_t end, struct sdsim_border_scan *scan)
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
        struct cost cost;
        fine = run_to(job, lba - 2) && run_on(job, 2, &cost, NULL);
        if (fine && cost.complete) {
            sdsim_samples_add(samples, cost.end);
        }
    }
    return fine;
}

/* Bytes on the bus between the end of a block and that of the stop token behind it. */
static const double end_around = 4;

static void take_ends(struct job *job, struct sdsim_border_scan *scan)
{
    struct sdsim_write_measures *measures = job->measures;
    struct sdsim_border_level level;
    const double base = sdsim_samples_facts(&scan->classes[0][0]).median;
    struct sdsim_samples plain = {0};
    const bool found = sdsim_border_levels(scan, base, 2, &level, 1) > 0;
    if (found) {
        measures->page.blocks = level.blocks;
        measures->page.step = level.typical - base + measures->stream.typical + end_around;
    }
    for (unsigned k = 0; k < SDSIM_BORDER_POWERS; k++) {
        for (unsigned three = 0; three < 2; three++) {
            const struct sdsim_samples *samples = &scan->classes[k][three];
            for (size_t i = 0; i < samples->count; i++) {
                if (k == 0 || (found && samples->bytes[i] < base * 1.03 + 2)) {
                    sdsim_samples_add(&plain, samples->bytes[i]);
                }
            }
        }
    }
    measures->stop = sdsim_samples_facts(&plain); /* half a byte was taken off above */
    sdsim_samples_free(&plain);
}

static bool measure_ends(struct job *job, uint32_t end)
{
    static const struct sdsim_border_scan empty;
    struct sdsim_border_scan scan = empty;
    const bool fine = scan_ends(job, end, &scan);
    take_ends(job, &scan);
    sdsim_border_scan_free(&scan);
    return fine;
}

/* A step, up or down, that stays: all larger sizes are on one side of all smaller ones. */
static void take_sizes(struct sdsim_write_measures *measures, const double *least, unsigned sizes)
{
    for (unsigned s = 1; s < sizes; s++) {
        bool above = true;
        bool below = true;
        struct sdsim_samples large = {0};
        for (unsigned t = s; t < sizes; t++) {
            above &= least[t] > least[s - 1] * 1.05 + 4;
            below &= least[t] * 1.05 + 4 < least[s - 1];
            sdsim_samples_add(&large, least[t]);
        }
        if (above || below) {
            measures->large_blocks = UINT32_C(2) << s;
            measures->stop_large = sdsim_samples_facts(&large);
        }
        sdsim_samples_free(&large);
        if (above || below) {
            return;
        }
    }
}

/* Ends of longer streams. They lie one block behind odd places, so no page group ends there; one whose
 * program still runs is avoided by taking the least of three. */
static bool measure_sizes(struct job *job, uint32_t end)
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
            struct cost cost;
            fine = run_to(job, (job->next | 1) + 6 * i) && run_on(job, size, &cost, NULL);
            if (fine && cost.complete && (least[sizes] == 0 || cost.end < least[sizes])) {
                least[sizes] = cost.end;
            }
        }
    }
    take_sizes(measures, least, sizes);
    return fine;
}

/* ---- order ---- */

/* All that a write was busy for above what the blocks of a stream are. */
static double commit(const struct job *job, const struct cost *cost, uint32_t count)
{
    const double usual = job->measures->stream.typical * count;
    if (count == 1) {
        return cost->end > usual ? cost->end - usual : 0;
    }
    const double more = cost->blocks > usual ? cost->blocks - usual : 0;
    return cost->end + more;
}

enum { ORDER_SIZES = 8, ORDER_SAMPLES = 3 };

static void take_order(struct job *job, struct sdsim_samples *sizes, unsigned count)
{
    struct sdsim_write_measures *measures = job->measures;
    double typical[ORDER_SIZES];
    bool dearer = false;
    for (unsigned s = 0; s < count; s++) {
        const double in_order =
            s == 0 ? measures->lone.typical - measures->stream.typical : measures->stop.typical;
        typical[s] = sdsim_samples_facts(&sizes[s]).median;
        dearer |= typical[s] > in_order * 1.05 + 4;
    }
    if (!dearer || count < 2) {
        return;
    }
    unsigned small = 0; /* sizes that are unlike the largest */
    const double largest = typical[count - 1];
    for (unsigned s = 0; s + 1 < count; s++) {
        const double off = typical[s] > largest ? typical[s] - largest : largest - typical[s];
        small = off > largest * 0.1 + 4 ? s + 1 : small;
    }
    struct sdsim_samples all[2] = {{0}, {0}};
    for (unsigned s = 0; s < count; s++) {
        for (size_t i = 0; i < sizes[s].count; i++) {
            sdsim_samples_add(&all[s < small ? 0 : 1], sizes[s].bytes[i]);
        }
    }
    measures->small = sdsim_samples_facts(&all[0]);
    measures->rand = sdsim_samples_facts(&all[1]);
    measures->small_blocks = small > 0 ? UINT32_C(1) << (small - 1) : 0;
    sdsim_samples_free(&all[0]);
    sdsim_samples_free(&all[1]);
}

/* An AU is opened in its middle, and written backwards from there. */
static bool measure_order(struct job *job, uint32_t au)
{
    const uint32_t blocks = job->measures->au_blocks;
    const uint32_t first = au * blocks;
    uint32_t lba = first + blocks / 2;
    struct sdsim_samples sizes[ORDER_SIZES] = {{0}};
    struct cost cost;
    unsigned count = 0;
    const uint32_t opening = blocks / 4 < OPENING ? blocks / 4 : OPENING;
    bool fine = job->writer->cover(job->writer, first, blocks / 2 + opening) &&
                write_at(job, lba, opening, &cost, NULL);
    for (uint32_t size = 1; count < ORDER_SIZES && size <= blocks / 16; size *= 2, count++) {
        for (unsigned i = 0; i < ORDER_SAMPLES && fine && lba >= first + size + 1; i++) {
            lba -= size + 1;
            fine = write_at(job, lba, size, &cost, NULL);
            if (fine && cost.complete) {
                sdsim_samples_add(&sizes[count], commit(job, &cost, size));
            }
        }
    }
    take_order(job, sizes, count);
    for (unsigned s = 0; s < ORDER_SIZES; s++) {
        sdsim_samples_free(&sizes[s]);
    }
    return fine;
}

/* ---- open AUs ---- */

struct turns {
    uint32_t first;    /* AU */
    uint32_t call;     /* blocks of each write */
    uint32_t used[64]; /* blocks of each AU */
};

/* Writes `aus` AUs in turn, each going on where it was left. What each write costs goes to `samples`, the
 * first turn's aside. */
static bool take_turns(struct job *job, struct turns *turns, uint32_t aus,
                       struct sdsim_samples *samples)
{
    const uint32_t blocks = job->measures->au_blocks;
    for (unsigned turn = 0; turn < TURNS; turn++) {
        for (uint32_t i = 0; i < aus; i++) {
            struct cost cost;
            const uint32_t lba = (turns->first + i) * blocks + turns->used[i];
            if (turns->used[i] + turns->call > blocks) {
                return true; /* the AU is full */
            }
            if (!job->writer->cover(job->writer, lba, turns->call) ||
                !write_at(job, lba, turns->call, &cost, NULL)) {
                return false;
            }
            turns->used[i] += turns->call;
            if (turn > 0 && cost.complete) {
                sdsim_samples_add(samples, commit(job, &cost, turns->call));
            }
        }
    }
    return true;
}

/* A limit shows in every write but the few that a pause hits as well. */
static bool beyond_limit(struct sdsim_samples *samples, double usual)
{
    size_t dear = 0;
    for (size_t i = 0; i < samples->count; i++) {
        dear += samples->bytes[i] > usual * 1.3 + 40 ? 1 : 0;
    }
    return samples->count > 0 && dear * 5 >= samples->count * 4;
}

static bool measure_open_aus(struct job *job, uint32_t first, uint32_t room)
{
    struct sdsim_write_measures *measures = job->measures;
    const uint32_t blocks = measures->au_blocks;
    struct turns turns = {.first = first, .call = blocks / 28 < 128 ? blocks / 28 : 128};
    const uint32_t most = room < 64 ? room : 64;
    double usual = 0;
    bool fine = true;
    if (turns.call < 2) {
        return true;
    }
    for (uint32_t aus = 1; aus <= job->plan->most_aus + 1 && aus <= most && fine; aus++) {
        struct sdsim_samples samples = {0};
        fine = take_turns(job, &turns, aus, &samples);
        if (samples.count == 0) {
            sdsim_samples_free(&samples);
            break;
        }
        if (aus == 1) {
            usual = sdsim_samples_facts(&samples).median;
        } else if (beyond_limit(&samples, usual)) {
            for (size_t i = 0; i < samples.count; i++) {
                samples.bytes[i] -= usual;
            }
            measures->open_aus = aus - 1;
            measures->merge = sdsim_samples_facts(&samples);
        }
        measures->aus_tried = aus - 1;
        sdsim_samples_free(&samples);
        if (measures->open_aus > 0) {
            break;
        }
    }
    return fine;
}

/* ---- pauses ---- */

struct pauses {
    double limit; /* bytes; what is longer is a pause */
    bool running; /* the block before was in one: it may be told in parts */
};

static void note_busy(struct job *job, struct pauses *pauses, uint32_t lba, uint64_t at,
                      double busy)
{
    struct sdsim_write_measures *measures = job->measures;
    if (busy <= pauses->limit) {
        pauses->running = false;
        return;
    }
    const double length = busy - measures->stream.typical;
    if (pauses->running && measures->pause_count > 0) {
        measures->pauses[measures->pause_count - 1].bytes += length;
    } else if (measures->pause_count < SDSIM_PAUSES) {
        const uint32_t border = lba % measures->au_blocks;
        measures->pauses[measures->pause_count++] = (struct sdsim_pause_fact){
            .at = at * SDSIM_SECTOR, .bytes = length, .border = border <= measures->small_blocks};
    }
    pauses->running = true;
}

static bool pause_stream(struct job *job, struct pauses *pauses, uint32_t lba, uint32_t count)
{
    const struct sdsim_content content = {.kind = SDSIM_CONTENT_GENERATED, .seed = ++job->seed};
    struct sdsim_byte_times times;
    if (!job->writer->write(job->writer, lba, count, &content, &times)) {
        return false;
    }
    for (uint32_t i = 0; i < times.count; i++) {
        note_busy(job, pauses, lba + i, job->written + i, times.blocks[i] - SDSIM_SAMPLE_LATE);
    }
    if (times.complete && pauses->running) { /* the rest of one with the last block */
        const double more = times.busy - SDSIM_SAMPLE_LATE - job->measures->stop.typical;
        job->measures->pauses[job->measures->pause_count - 1].bytes +=
            more > pauses->limit ? more : 0;
    }
    job->measures->lost += times.complete ? 0 : 1;
    job->written += count;
    sdsim_byte_times_free(&times);
    return true;
}

/* Mean length, and the distance of those that are not at borders of AUs. */
static void take_pauses(struct job *job)
{
    struct sdsim_write_measures *measures = job->measures;
    struct sdsim_samples lengths = {0};
    uint64_t first = 0;
    uint64_t last = 0;
    for (size_t i = 0; i < measures->pause_count; i++) {
        const struct sdsim_pause_fact *pause = &measures->pauses[i];
        if (pause->border) {
            continue;
        }
        sdsim_samples_add(&lengths, pause->bytes);
        first = lengths.count == 1 ? pause->at : first;
        last = pause->at;
    }
    measures->pause = sdsim_samples_facts(&lengths);
    measures->pause_every = lengths.count > 1 ? (last - first) / (lengths.count - 1) : 0;
    sdsim_samples_free(&lengths);
}

static bool measure_pauses(struct job *job, uint32_t first, uint32_t end)
{
    struct sdsim_write_measures *measures = job->measures;
    const uint64_t wanted = job->plan->pause_bytes / SDSIM_SECTOR;
    const uint32_t count = wanted < end - first ? (uint32_t)wanted : end - first;
    struct pauses pauses = {.limit = 2 * measures->stream.most + 400};
    const sdsim_ps started = job->io->now;
    bool fine = true;
    uint32_t lba = first;
    for (; lba < first + count && fine && job->io->now - started < job->plan->pause_time;
         lba += CALL) {
        const uint32_t left = first + count - lba;
        const uint32_t part = left < CALL ? left : CALL;
        if ((lba - first) % 4096 == 0) {
            fine = job->writer->cover(job->writer, lba, left < 4096 ? left : 4096);
        }
        fine = fine && pause_stream(job, &pauses, lba, part);
    }
    measures->pause_written = (uint64_t)(lba - first) * SDSIM_SECTOR;
    take_pauses(job);
    return fine;
}

/* ---- erasing ---- */

static bool measure_erase(struct job *job, uint32_t au)
{
    const uint32_t blocks = job->measures->au_blocks;
    const uint32_t part = blocks / 4 < 64 ? blocks / 4 : 64;
    const uint32_t border = (au + 1) * blocks;
    struct sdsim_samples one = {0};
    struct sdsim_samples two = {0};
    bool fine = job->writer->cover(job->writer, border - part, 2 * part);
    for (unsigned i = 0; i < 3 && fine; i++) {
        struct sdsim_byte_times times;
        fine = job->writer->erase(job->writer, border - part, border - 1, &times);
        if (fine && times.complete) {
            sdsim_samples_add(&one, times.busy - SDSIM_SAMPLE_LATE);
        }
        fine = fine && job->writer->erase(job->writer, border - part, border + part - 1, &times);
        if (fine && times.complete) {
            sdsim_samples_add(&two, times.busy - SDSIM_SAMPLE_LATE);
        }
    }
    job->measures->erase = sdsim_samples_facts(&one);
    job->measures->erase_two = sdsim_samples_facts(&two);
    sdsim_samples_free(&one);
    sdsim_samples_free(&two);
    return fine;
}

/* ---- all of it ---- */

bool sdsim_measure_writes(struct sdsim_card_io *io, struct sdsim_writer *writer,
                          const struct sdsim_measure_plan *plan, uint32_t au_blocks,
                          struct sdsim_write_measures *measures)
{
    const uint32_t head = OPENING + plan->writes + 2 + STREAMS * STREAM;
    const uint32_t first = (writer->from + au_blocks - 1) / au_blocks;
    const uint32_t end = writer->to / au_blocks;
    const uint32_t aus = end > first ? end - first : 0;
    *measures = (struct sdsim_write_measures){.au_blocks = au_blocks};
    struct job job = {io, writer, plan, measures, first * au_blocks, 0, 0x9E0BE};
    if (aus == 0 || (uint64_t)aus * au_blocks < head + 64u) {
        job.next = writer->from;
        if (writer->to - writer->from < head) {
            snprintf(io->error, sizeof io->error,
                     "measuring writes takes at least %lu sectors that may be written; with all "
                     "questions %lu AUs of %lu",
                     (unsigned long)head, (unsigned long)plan->most_aus + 7,
                     (unsigned long)au_blocks);
            return false;
        }
        return writer->cover(writer, job.next, head) && measure_lone(&job) && measure_streams(&job);
    }
    /* The run: at most what the largest border takes, in whole AUs. */
    const uint32_t scan = 5u << BORDER_POWERS;
    const uint32_t wanted = (head + scan + 1200 + au_blocks - 1) / au_blocks;
    const uint32_t run_aus = wanted < aus ? wanted : aus;
    const uint32_t run_end = (first + run_aus) * au_blocks;
    const uint32_t scan_end =
        run_end - job.next > scan + 1200 + head ? job.next + head + scan : run_end;
    if (!writer->cover(writer, job.next,
                       (scan_end + 1200 < run_end ? scan_end + 1200 : run_end) - job.next) ||
        !measure_lone(&job) || !measure_streams(&job) || !measure_ends(&job, scan_end) ||
        !measure_sizes(&job, scan_end + 1200 < run_end ? scan_end + 1200 : run_end)) {
        return false;
    }
    uint32_t au = first + run_aus;
    if (au < end && !measure_order(&job, au++)) {
        return false;
    }
    const uint32_t turn_aus = end - au < plan->most_aus + 1 ? end - au : plan->most_aus + 1;
    if (turn_aus > 1 && !measure_open_aus(&job, au, turn_aus)) {
        return false;
    }
    const uint32_t behind = au + turn_aus;
    if (behind < end && plan->pause_bytes > 0 &&
        !measure_pauses(&job, behind * au_blocks, end * au_blocks)) {
        return false;
    }
    return !plan->erase || turn_aus < 2 || measure_erase(&job, au);
}
