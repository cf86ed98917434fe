#include "timeline/store.h"

#include <stdlib.h>
#include <string.h>

void sdsim_store_init(struct sdsim_store *store, enum sdsim_lane lane,
                      const struct sdsim_details *details)
{
    *store = (struct sdsim_store){.lane = lane, .details = details};
}

static void free_block(struct sdsim_block *block)
{
    free(block->spans);
    free(block->rares);
    *block = (struct sdsim_block){.spans = NULL};
}

void sdsim_store_free(struct sdsim_store *store)
{
    for (size_t i = 0; i < store->block_count; i++) {
        free_block(&store->blocks[i]);
    }
    free(store->blocks);
    free(store->fetched);
    sdsim_pyramid_free(&store->summary);
    sdsim_store_init(store, store->lane, store->details);
}

static void fail(struct sdsim_store *store, const char *why)
{
    if (store->fault == NULL) {
        store->fault = why;
    }
}

/* ---- what a span is ---- */

uint8_t sdsim_span_class(const struct sdsim_span *span)
{
    switch (sdsim_lane_info((enum sdsim_lane)span->lane)->by) {
    case SDSIM_BY_KIND:
        return span->kind;
    case SDSIM_BY_PURPOSE:
        return span->purpose;
    default:
        return span->part;
    }
}

sdsim_ps sdsim_span_end(const struct sdsim_span *span)
{
    const sdsim_ps last = sdsim_time_times(span->period, span->count - 1);
    return sdsim_time_sum(sdsim_time_sum(span->start, last), span->duration);
}

/* How much of its time up to `instant` a run covers. */
static sdsim_ps covered_until(const struct sdsim_span *span, sdsim_ps instant)
{
    const sdsim_ps into = sdsim_time_since(instant, span->start);
    if (span->count == 1) {
        return into < span->duration ? into : span->duration;
    }
    const uint64_t whole = into / span->period;
    if (whole >= span->count) {
        return span->duration * span->count;
    }
    const sdsim_ps rest = into - whole * span->period;
    return whole * span->duration + (rest < span->duration ? rest : span->duration);
}

sdsim_ps sdsim_span_overlap(const struct sdsim_span *span, sdsim_ps from, sdsim_ps to)
{
    return to <= span->start ? 0 : covered_until(span, to) - covered_until(span, from);
}

/* ---- filling blocks ---- */

static struct sdsim_block *new_block(struct sdsim_store *store)
{
    if (store->block_count == store->block_capacity) {
        const size_t capacity = store->block_capacity > 0 ? 2 * store->block_capacity : 4;
        struct sdsim_block *blocks = realloc(store->blocks, capacity * sizeof *blocks);
        if (blocks == NULL) {
            fail(store, "out of memory");
            return NULL;
        }
        store->blocks = blocks;
        store->block_capacity = capacity;
    }
    struct sdsim_block *block = &store->blocks[store->block_count];
    *block = (struct sdsim_block){.spans = malloc(SDSIM_BLOCK_SPANS * sizeof(struct sdsim_hot))};
    if (block->spans == NULL) {
        fail(store, "out of memory");
        return NULL;
    }
    store->block_count++;
    return block;
}

/* The block that is filled has become full, or the last: summarises it and gives it away. */
static void close_block(struct sdsim_store *store, size_t count)
{
    struct sdsim_block *block = &store->blocks[store->block_count - 1];
    if (block->rare_count < block->rare_capacity) {
        struct sdsim_rare *fitting = realloc(
            block->rares, (block->rare_count > 0 ? block->rare_count : 1) * sizeof *fitting);
        block->rares = fitting != NULL ? fitting : block->rares;
    }
    struct sdsim_hot *spans =
        count < SDSIM_BLOCK_SPANS ? realloc(block->spans, count * sizeof *spans) : NULL;
    block->spans = spans != NULL ? spans : block->spans;
    if (!sdsim_pyramid_add(&store->summary, store->lane, store->details, block, count,
                           store->open_starts)) {
        fail(store, "out of memory");
        return;
    }
    if (store->sink != NULL) {
        const uint64_t first = (uint64_t)(store->block_count - 1) * SDSIM_BLOCK_SPANS;
        if (!store->sink->block(store->sink, store->lane, first, block, count,
                                store->open_starts)) {
            fail(store, "the timeline can't be written");
        }
        free_block(block);
    }
}

static bool add_rare(struct sdsim_store *store, struct sdsim_block *block,
                     const struct sdsim_span *span)
{
    if (block->rare_count == block->rare_capacity) {
        const uint32_t capacity = block->rare_capacity > 0 ? 2 * block->rare_capacity : 16;
        struct sdsim_rare *rares = realloc(block->rares, capacity * sizeof *rares);
        if (rares == NULL) {
            fail(store, "out of memory");
            return false;
        }
        block->rares = rares;
        block->rare_capacity = capacity;
    }
    block->rares[block->rare_count++] = (struct sdsim_rare){
        .duration = span->duration,
        .period = span->period,
        .count = span->count,
        .detail = span->detail,
    };
    return true;
}

static void put(struct sdsim_store *store, const struct sdsim_hot *hot)
{
    store->blocks[store->block_count - 1].spans[store->count % SDSIM_BLOCK_SPANS] = *hot;
    store->count++;
    if (store->count % SDSIM_BLOCK_SPANS == 0) {
        close_block(store, SDSIM_BLOCK_SPANS);
    }
}

/* The group the next span falls into begins with it, or has begun. Fillers where it is too far away.
 */
static bool open_group(struct sdsim_store *store, sdsim_ps start)
{
    size_t group = store->count % SDSIM_BLOCK_SPANS / SDSIM_GROUP_SPANS;
    if (store->count % SDSIM_GROUP_SPANS != 0 &&
        start - store->open_starts[group] > SDSIM_HOT_START_MOST) {
        const struct sdsim_hot filler = sdsim_hot_filler(SDSIM_HOT_START_MOST);
        while (store->count % SDSIM_GROUP_SPANS != 0) {
            put(store, &filler);
        }
        group = store->count % SDSIM_BLOCK_SPANS / SDSIM_GROUP_SPANS;
    }
    if (store->count % SDSIM_BLOCK_SPANS == 0 && new_block(store) == NULL) {
        return false;
    }
    if (store->count % SDSIM_GROUP_SPANS == 0) {
        store->open_starts[group] = start;
    }
    return true;
}

static void store_one(struct sdsim_store *store, const struct sdsim_span *span)
{
    if (store->fault != NULL || !open_group(store, span->start)) {
        return;
    }
    struct sdsim_block *block = &store->blocks[store->block_count - 1];
    const size_t group = store->count % SDSIM_BLOCK_SPANS / SDSIM_GROUP_SPANS;
    const bool rare = span->count > 1 || span->duration > SDSIM_HOT_DURATION_MOST;
    if (rare && !add_rare(store, block, span)) {
        return;
    }
    const struct sdsim_hot hot = sdsim_hot_pack(
        span->start - store->open_starts[group], rare ? SDSIM_HOT_DURATION_MOST : span->duration,
        span->kind, span->purpose, span->part, rare,
        rare ? block->rare_count - 1 : span->detail & SDSIM_HOT_DETAIL_MOST);
    const sdsim_ps end = sdsim_span_end(span);
    store->end = end > store->end ? end : store->end;
    put(store, &hot);
}

/* Stores what was held back: two that are equal are cheaper one by one. */
static void flush(struct sdsim_store *store)
{
    struct sdsim_span span = store->last;
    if (span.count == 2) {
        span.count = 1;
        store_one(store, &span);
        span.start += span.period;
        span.period = 0;
        store_one(store, &span);
    } else if (span.count > 0) {
        store_one(store, &span);
    }
    store->last.count = 0;
}

static bool continues(const struct sdsim_span *run, const struct sdsim_span *span)
{
    const bool alike = run->count > 0 && span->count == 1 && span->duration == run->duration &&
                       span->kind == run->kind && span->purpose == run->purpose &&
                       span->part == run->part && span->detail == run->detail;
    if (!alike) {
        return false;
    }
    return run->count == 1 ? span->start - run->start >= run->duration && span->start > run->start
                           : span->start - run->start == run->period * run->count;
}

unsigned sdsim_lane_parts(enum sdsim_lane lane)
{
    const struct sdsim_lane_info *info = sdsim_lane_info(lane);
    const unsigned parts = info->by == SDSIM_BY_PART ? info->classes : SDSIM_PART_COUNT;
    return lane == SDSIM_LANE_DISK ? SDSIM_CALL_COUNT : parts;
}

bool sdsim_span_is_known(enum sdsim_lane lane, const struct sdsim_span *span)
{
    return span->kind < SDSIM_KIND_COUNT && span->purpose < SDSIM_PURPOSE_COUNT &&
           span->part < sdsim_lane_parts(lane);
}

void sdsim_store_add(struct sdsim_store *store, const struct sdsim_span *span)
{
    struct sdsim_span *last = &store->last;
    if (!sdsim_span_is_known(store->lane, span)) {
        fail(store, "a span of an unknown kind came");
        return;
    }
    if (span->detail > store->details->count) {
        fail(store, "a span names a detail that nobody told");
        return;
    }
    if (store->finished || (last->count > 0 && span->start < last->start) || span->count == 0 ||
        (span->count > 1 && span->period < span->duration) ||
        (span->count > 1 && span->period == 0)) {
        fail(store, "a span came out of order");
        return;
    }
    if (continues(last, span)) {
        if (last->count == 1) {
            last->period = span->start - last->start;
        }
        last->count++;
        return;
    }
    flush(store);
    *last = *span;
    last->lane = (uint8_t)store->lane;
    last->period = span->count > 1 ? span->period : 0;
}

bool sdsim_store_add_block(struct sdsim_store *store, struct sdsim_block *block, size_t count,
                           const sdsim_ps *starts, sdsim_ps end)
{
    if (store->count % SDSIM_BLOCK_SPANS != 0 || new_block(store) == NULL) {
        return false;
    }
    free(store->blocks[store->block_count - 1].spans);
    store->blocks[store->block_count - 1] = *block;
    *block = (struct sdsim_block){.spans = NULL};
    const size_t groups = (count + SDSIM_GROUP_SPANS - 1) / SDSIM_GROUP_SPANS;
    memcpy(store->open_starts, starts, groups * sizeof *starts);
    store->count += count;
    store->end = end > store->end ? end : store->end;
    if (count == SDSIM_BLOCK_SPANS) {
        close_block(store, count);
    }
    return store->fault == NULL;
}

bool sdsim_store_finish(struct sdsim_store *store)
{
    if (store->finished) {
        return store->fault == NULL;
    }
    flush(store);
    const size_t left = store->count % SDSIM_BLOCK_SPANS;
    if (left > 0 && store->fault == NULL) {
        close_block(store, left);
    }
    if (!sdsim_pyramid_finish(&store->summary, store->end)) {
        fail(store, "out of memory");
    }
    store->finished = true;
    return store->fault == NULL;
}

/* ---- asking ---- */

bool sdsim_store_attach(struct sdsim_store *store, struct sdsim_store_source *source,
                        uint64_t count)
{
    const size_t blocks = (size_t)((count + SDSIM_BLOCK_SPANS - 1) / SDSIM_BLOCK_SPANS);
    store->blocks = calloc(blocks > 0 ? blocks : 1, sizeof *store->blocks);
    store->fetched = calloc(SDSIM_FETCHED_MOST, sizeof *store->fetched);
    store->fetched_most = SDSIM_FETCHED_MOST;
    if (store->blocks == NULL || store->fetched == NULL) {
        fail(store, "out of memory");
        return false;
    }
    store->block_count = blocks;
    store->block_capacity = blocks;
    store->count = count;
    store->source = source;
    store->finished = true;
    return true;
}

static size_t spans_in(const struct sdsim_store *store, size_t number)
{
    const uint64_t first = (uint64_t)number * SDSIM_BLOCK_SPANS;
    return store->count - first < SDSIM_BLOCK_SPANS ? (size_t)(store->count - first)
                                                    : SDSIM_BLOCK_SPANS;
}

const struct sdsim_block *sdsim_store_block(struct sdsim_store *store, size_t number)
{
    if (number >= store->block_count) {
        return NULL;
    }
    struct sdsim_block *block = &store->blocks[number];
    if (block->spans != NULL) {
        return block;
    }
    if (store->source == NULL ||
        !store->source->fetch(store->source, store->lane, number, block, spans_in(store, number))) {
        free_block(block);
        return NULL;
    }
    if (store->fetched_most == 0) {
        return block; /* all are kept */
    }
    if (store->fetched_count == store->fetched_most) {
        free_block(&store->blocks[store->fetched[store->fetched_next]]);
    } else {
        store->fetched_count++;
    }
    store->fetched[store->fetched_next] = number;
    store->fetched_next = (store->fetched_next + 1) % store->fetched_most;
    return block;
}

bool sdsim_store_preload(struct sdsim_store *store, size_t most, size_t *done)
{
    size_t here = 0;
    store->fetched_most = 0;
    for (; store->preloaded < store->block_count && here < most; store->preloaded++) {
        if (store->blocks[store->preloaded].spans == NULL) {
            if (sdsim_store_block(store, store->preloaded) == NULL) {
                return false;
            }
            here++;
        }
    }
    *done += here;
    return true;
}

bool sdsim_store_span(struct sdsim_store *store, uint64_t number, struct sdsim_span *span)
{
    const struct sdsim_block *block =
        number < store->count ? sdsim_store_block(store, (size_t)(number / SDSIM_BLOCK_SPANS))
                              : NULL;
    if (block == NULL) {
        return false;
    }
    const struct sdsim_hot *hot = &block->spans[number % SDSIM_BLOCK_SPANS];
    if (sdsim_hot_is_filler(hot)) {
        return false;
    }
    const sdsim_ps base = store->summary.nodes[2][number / SDSIM_GROUP_SPANS].start;
    *span = (struct sdsim_span){
        .start = sdsim_time_sum(base, sdsim_hot_offset(hot)),
        .duration = sdsim_hot_duration(hot),
        .count = 1,
        .lane = (uint8_t)store->lane,
        .kind = (uint8_t)sdsim_hot_kind(hot),
        .purpose = (uint8_t)sdsim_hot_purpose(hot),
        .part = (uint8_t)sdsim_hot_part(hot),
        .detail = sdsim_hot_detail(hot),
    };
    if (sdsim_hot_is_rare(hot)) {
        const struct sdsim_rare *rare = &block->rares[sdsim_hot_detail(hot)];
        span->duration = rare->duration;
        span->period = rare->period;
        span->count = rare->count;
        span->detail = rare->detail;
    }
    return true;
}

size_t sdsim_store_memory(const struct sdsim_store *store)
{
    size_t sum =
        store->block_capacity * sizeof *store->blocks + sdsim_pyramid_memory(&store->summary);
    for (size_t i = 0; i < store->block_count; i++) {
        if (store->blocks[i].spans != NULL) {
            sum += spans_in(store, i) * sizeof(struct sdsim_hot) +
                   store->blocks[i].rare_count * sizeof(struct sdsim_rare);
        }
    }
    return sum;
}
