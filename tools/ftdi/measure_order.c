/*
 * What depends on where a card was written before: order within an AU, AUs written in turn, pauses by the
 * amount written, erasing.
 */
#include "measure_job.h"

enum {
    OPENING = 128, /* blocks that make the card open an AU before it is measured there */
    TURNS = 3,
    CALL = 256,
};

/* ---- order ---- */

/* All that a write was busy for above what the blocks of a stream are. */
static double commit(const struct sdsim_measure_job *job, const struct sdsim_write_cost *cost,
                     uint32_t count)
{
    const double usual = job->measures->stream.typical * count;
    if (count == 1) {
        return cost->end > usual ? cost->end - usual : 0;
    }
    const double more = cost->blocks > usual ? cost->blocks - usual : 0;
    return cost->end + more;
}

/* The upper bound of the same; 0: none. */
static double commit_most(const struct sdsim_measure_job *job, const struct sdsim_write_cost *cost,
                          uint32_t count)
{
    const double usual = job->measures->stream.typical * count;
    const double end = cost->end_most;
    if (end <= 0 || (count > 1 && cost->blocks_most <= 0)) {
        return 0;
    }
    if (count == 1) {
        return end > usual ? end - usual : 0;
    }
    return end + (cost->blocks_most > usual ? cost->blocks_most - usual : 0);
}

/* As a sample. */
static void take_commit(const struct sdsim_measure_job *job, const struct sdsim_write_cost *cost,
                        uint32_t count, struct sdsim_samples *samples)
{
    sdsim_samples_add_bounded(samples, commit(job, cost, count), commit_most(job, cost, count));
    sdsim_samples_add_call(samples, cost->host);
}

enum { ORDER_SIZES = 8, ORDER_SAMPLES = 3 };

/* Sizes whose ends differ by more than a tenth, and the bytes two means may be late by, are not treated
 * alike: a log of small writes costs another multiple, not some percent more. */
static const double other_size = 0.1;
static const double other_bytes = 4;

/* A write that closes an AU for another one copies what is left of it: it costs far more than scatter. */
static const double closing = 1.3;
static const double closing_bytes = 40; /* 21 us at 15 MHz: no copy is shorter */

/* A block that is busy for twice as long as its page group's program ever was, and for this many bytes more
 * (213 us at 15 MHz), has waited for something else. */
static const double pause_multiple = 2;
static const double pause_bytes = 400;

static void take_order(struct sdsim_measure_job *job, struct sdsim_samples *sizes, unsigned count)
{
    struct sdsim_write_measures *measures = job->measures;
    double typical[ORDER_SIZES];
    bool dearer = false;
    for (unsigned s = 0; s < count; s++) {
        const double in_order =
            s == 0 ? measures->lone.typical - measures->stream.typical : measures->stop.typical;
        typical[s] = sdsim_samples_facts(&sizes[s]).median;
        dearer |= sdsim_samples_above(typical[s], in_order);
    }
    if (!dearer || count < 2) {
        return;
    }
    unsigned small = 0; /* sizes that are unlike the largest */
    const double largest = typical[count - 1];
    for (unsigned s = 0; s + 1 < count; s++) {
        const double off = typical[s] > largest ? typical[s] - largest : largest - typical[s];
        small = off > largest * other_size + other_bytes ? s + 1 : small;
    }
    struct sdsim_samples all[2] = {{0}, {0}};
    for (unsigned s = 0; s < count; s++) {
        for (size_t i = 0; i < sizes[s].count; i++) {
            sdsim_samples_take(&all[s < small ? 0 : 1], &sizes[s], i);
        }
        sdsim_samples_take_calls(&all[s < small ? 0 : 1], &sizes[s]);
    }
    measures->small = sdsim_samples_facts(&all[0]);
    measures->rand = sdsim_samples_facts(&all[1]);
    measures->small_blocks = small > 0 ? UINT32_C(1) << (small - 1) : 0;
    sdsim_samples_free(&all[0]);
    sdsim_samples_free(&all[1]);
}

/* Where the next one goes, below `lba`: not to where the last one began, which would be in order. One that
 * fits into a page group does not reach the end of it, so that it waits for no program. */
static uint32_t place_below(const struct sdsim_measure_job *job, uint32_t lba, uint32_t size)
{
    const uint32_t page = job->measures->page.blocks;
    const uint32_t below = lba - size - 1;
    const uint32_t border = page > 0 ? (below + size) / page * page : 0;
    return size < page && border > below ? border - size - 1 : below;
}

bool sdsim_measure_order(struct sdsim_measure_job *job, uint32_t au)
{
    const uint32_t blocks = job->measures->au_blocks;
    const uint32_t first = au * blocks;
    const uint32_t opening = blocks / 4 < OPENING ? blocks / 4 : OPENING;
    uint32_t lba = first + blocks / 4 * 3;
    struct sdsim_samples sizes[ORDER_SIZES] = {{0}};
    struct sdsim_write_cost cost;
    unsigned count = 0;
    bool fine = job->writer->cover(job->writer, lba, opening) &&
                sdsim_measure_write_at(job, lba, opening, &cost, NULL);
    for (uint32_t size = 1; count < ORDER_SIZES && size <= blocks / 16; size *= 2, count++) {
        for (unsigned i = 0; i < ORDER_SAMPLES && fine && lba >= first + size + 1; i++) {
            const uint32_t below = place_below(job, lba, size);
            if (below < first) {
                break;
            }
            lba = below;
            fine = job->writer->cover(job->writer, lba, size) &&
                   sdsim_measure_write_at(job, lba, size, &cost, NULL);
            if (fine && cost.complete) {
                take_commit(job, &cost, size, &sizes[count]);
            }
        }
        if (sizes[count].count == 0) {
            break;
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
static bool take_turns(struct sdsim_measure_job *job, struct turns *turns, uint32_t aus,
                       struct sdsim_samples *samples)
{
    const uint32_t blocks = job->measures->au_blocks;
    for (unsigned turn = 0; turn < TURNS; turn++) {
        for (uint32_t i = 0; i < aus; i++) {
            struct sdsim_write_cost cost;
            const uint32_t lba = (turns->first + i) * blocks + turns->used[i];
            if (turns->used[i] + turns->call > blocks) {
                return true; /* the AU is full */
            }
            if (!job->writer->cover(job->writer, lba, turns->call) ||
                !sdsim_measure_write_at(job, lba, turns->call, &cost, NULL)) {
                return false;
            }
            turns->used[i] += turns->call;
            if (turn > 0 && cost.complete) {
                take_commit(job, &cost, turns->call, samples);
            }
        }
    }
    return true;
}

/* A limit shows in every write but the few, a fifth at most, that a pause hits as well. */
static bool beyond_limit(struct sdsim_samples *samples, double usual)
{
    size_t dear = 0;
    for (size_t i = 0; i < samples->count; i++) {
        dear += samples->bytes[i] > usual * closing + closing_bytes ? 1 : 0;
    }
    return samples->count > 0 && dear * 5 >= samples->count * 4;
}

/* Blocks of each write: few enough that no AU is full before the end, but too many for a log of small
 * writes, whose size was found to a factor of two. */
static uint32_t turn_size(const struct sdsim_write_measures *measures)
{
    const uint32_t few = measures->au_blocks / 28 < 128 ? measures->au_blocks / 28 : 128;
    const uint32_t large = 2 * measures->small_blocks;
    return few > large || large > measures->au_blocks / 4 ? few : large;
}

/* What is left of the fullest AU, if each gets another `call` blocks in the end; no more than a quarter. */
static uint32_t fuller_size(const struct turns *turns, uint32_t aus, uint32_t blocks)
{
    uint32_t least = blocks / 4;
    for (uint32_t i = 0; i < aus; i++) {
        const uint32_t left = blocks - turns->used[i];
        const uint32_t more = left > turns->call ? left - turns->call : 0;
        least = more < least ? more : least;
    }
    return least;
}

/* What writes took beyond the usual; their upper bounds are kept as distances and so move along. */
static void beyond_usual(struct sdsim_samples *samples, double usual)
{
    for (size_t i = 0; i < samples->count; i++) {
        samples->bytes[i] -= usual;
    }
}

/* A merge copies what was not written since its AU was opened, and erases: the first takes the shorter the
 * more was written, the second does not. So the AUs are written in turn once more, much of each, and in
 * another turn it is seen what closing them costs now. */
static bool measure_fuller(struct sdsim_measure_job *job, struct turns *turns, uint32_t aus,
                           double usual)
{
    struct sdsim_write_measures *measures = job->measures;
    const uint32_t blocks = measures->au_blocks;
    const uint32_t fill = fuller_size(turns, aus, blocks);
    struct sdsim_samples samples = {0};
    struct sdsim_write_cost cost;
    bool fine = true;
    if (fill < 2 * turns->call) {
        return true;
    }
    for (uint32_t i = 0; i < aus && fine; i++) {
        const uint32_t lba = (turns->first + i) * blocks + turns->used[i];
        fine = job->writer->cover(job->writer, lba, fill);
        for (uint32_t done = 0; done < fill && fine; done += CALL) {
            const uint32_t left = fill - done;
            fine = sdsim_measure_write_at(job, lba + done, left < CALL ? left : CALL, &cost, NULL);
        }
        turns->used[i] += fill;
    }
    for (uint32_t i = 0; i + 1 < aus && fine; i++) { /* the last would close the first, not full */
        const uint32_t lba = (turns->first + i) * blocks + turns->used[i];
        fine = job->writer->cover(job->writer, lba, turns->call) &&
               sdsim_measure_write_at(job, lba, turns->call, &cost, NULL);
        if (fine && cost.complete) {
            take_commit(job, &cost, turns->call, &samples);
        }
    }
    beyond_usual(&samples, usual);
    measures->fuller_blocks = fill;
    measures->merge_fuller = sdsim_samples_facts(&samples);
    sdsim_samples_free(&samples);
    return fine;
}

static void take_merge(struct sdsim_write_measures *measures, const struct turns *turns,
                       uint32_t aus, double usual, struct sdsim_samples *samples)
{
    beyond_usual(samples, usual);
    measures->open_aus = aus - 1;
    measures->turn_blocks = turns->call;
    measures->merge = sdsim_samples_facts(samples);
}

bool sdsim_measure_open_aus(struct sdsim_measure_job *job, uint32_t first, uint32_t room)
{
    struct sdsim_write_measures *measures = job->measures;
    struct turns turns = {.first = first, .call = turn_size(measures)};
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
        const double median = sdsim_samples_facts(&samples).median;
        if (aus > 1 && beyond_limit(&samples, usual)) {
            take_merge(measures, &turns, aus, usual, &samples);
            fine = fine && measure_fuller(job, &turns, aus, usual);
        } else if (aus == 1 || median < usual) { /* the fewer, the more a page group's end counts */
            usual = median;
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

static void note_busy(struct sdsim_measure_job *job, struct pauses *pauses, uint32_t lba,
                      uint64_t at, double busy, double most)
{
    struct sdsim_write_measures *measures = job->measures;
    if (busy <= pauses->limit) {
        pauses->running = false;
        return;
    }
    const double length = busy - measures->stream.typical;
    const double longest = most > 0 ? most - measures->stream.typical : 0;
    if (pauses->running && measures->pause_count > 0) {
        struct sdsim_pause_fact *last = &measures->pauses[measures->pause_count - 1];
        last->bytes += length;
        last->most = last->most > 0 && longest > 0 ? last->most + longest : 0;
    } else if (measures->pause_count < SDSIM_PAUSES) {
        const uint32_t border = lba % measures->au_blocks;
        measures->pauses[measures->pause_count++] = (struct sdsim_pause_fact){
            .at = at * SDSIM_SECTOR,
            .bytes = length,
            .most = longest,
            .border = border <= 2 * measures->small_blocks}; /* it was found to a factor of two */
    }
    pauses->running = true;
}

static bool pause_stream(struct sdsim_measure_job *job, struct pauses *pauses, uint32_t lba,
                         uint32_t count)
{
    const struct sdsim_content content = {.kind = SDSIM_CONTENT_GENERATED, .seed = ++job->seed};
    struct sdsim_byte_times times;
    if (!job->writer->write(job->writer, lba, count, &content, &times)) {
        return false;
    }
    for (uint32_t i = 0; i < times.count; i++) {
        note_busy(job, pauses, lba + i, job->written + i, times.blocks[i] - SDSIM_SAMPLE_LATE,
                  times.blocks_most[i]);
    }
    if (times.complete && pauses->running) { /* the rest of one with the last block */
        struct sdsim_pause_fact *last = &job->measures->pauses[job->measures->pause_count - 1];
        const double more = times.busy - SDSIM_SAMPLE_LATE - job->measures->stop.typical;
        const double late = times.busy_most - times.busy; /* negative: there is no bound */
        last->bytes += more > pauses->limit ? more : 0;
        last->most =
            last->most > 0 && late >= 0 ? last->most + (more > pauses->limit ? more + late : 0) : 0;
    }
    job->measures->lost += times.complete ? 0 : 1;
    job->written += count;
    sdsim_byte_times_free(&times);
    return true;
}

/* Pauses of one kind differ by some percent, evenly: the mean of all that are near the median. */
static double usual_pause(const struct sdsim_samples *lengths, double median)
{
    double sum = 0;
    double count = 0;
    for (size_t i = 0; i < lengths->count; i++) {
        if (lengths->bytes[i] < median * 1.5 && lengths->bytes[i] > median / 1.5) {
            sum += lengths->bytes[i];
            count++;
        }
    }
    return count > 0 ? sum / count : median;
}

/* Mean length, and the distance of those that are not at borders of AUs. */
static void take_pauses(struct sdsim_measure_job *job)
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
        sdsim_samples_add_bounded(&lengths, pause->bytes, pause->most);
        first = lengths.count == 1 ? pause->at : first;
        last = pause->at;
    }
    measures->pause = sdsim_samples_facts(&lengths);
    measures->pause.typical = usual_pause(&lengths, measures->pause.median);
    measures->pause_every = lengths.count > 1 ? (last - first) / (lengths.count - 1) : 0;
    sdsim_samples_free(&lengths);
}

bool sdsim_measure_pauses(struct sdsim_measure_job *job, uint32_t first, uint32_t end)
{
    struct sdsim_write_measures *measures = job->measures;
    const uint64_t wanted = job->plan->pause_bytes / SDSIM_SECTOR;
    const uint32_t count = wanted < end - first ? (uint32_t)wanted : end - first;
    struct pauses pauses = {
        .limit = pause_multiple * (measures->stream.high + measures->page.step) + pause_bytes};
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

static bool erase(struct sdsim_measure_job *job, uint32_t from, uint32_t to,
                  struct sdsim_samples *samples)
{
    struct sdsim_byte_times times;
    if (!job->writer->erase(job->writer, from, to, &times)) {
        return false;
    }
    if (times.complete) {
        const double busy = times.busy > 0 ? times.busy - SDSIM_SAMPLE_LATE : 0;
        sdsim_samples_add_bounded(samples, busy, times.busy_most);
        sdsim_samples_add_call(samples, times.host);
    }
    sdsim_byte_times_free(&times);
    return true;
}

bool sdsim_measure_erase(struct sdsim_measure_job *job, uint32_t au)
{
    const uint32_t blocks = job->measures->au_blocks;
    const uint32_t part = blocks / 4 < 64 ? blocks / 4 : 64;
    const uint32_t border = (au + 1) * blocks;
    struct sdsim_samples one = {0};
    struct sdsim_samples two = {0};
    bool fine = job->writer->cover(job->writer, border - part, 2 * part);
    for (unsigned i = 0; i < 3 && fine; i++) {
        fine = erase(job, border - part, border - 1, &one) &&
               erase(job, border - part, border + part - 1, &two);
    }
    job->measures->erase = sdsim_samples_facts(&one);
    job->measures->erase_two = sdsim_samples_facts(&two);
    sdsim_samples_free(&one);
    sdsim_samples_free(&two);
    return fine;
}
