#include "timeline/pyramid.h"

#include <stdlib.h>
#include <string.h>

void sdsim_pyramid_free(struct sdsim_pyramid *summary)
{
    free(summary->starts);
    free(summary->worst);
    free(summary->cover);
    for (int level = 2; level <= SDSIM_LEVEL_MOST; level++) {
        free(summary->nodes[level]);
    }
    *summary = (struct sdsim_pyramid){.starts = NULL};
}

uint8_t sdsim_pyramid_length(sdsim_ps duration)
{
    return (uint8_t)(1 + (duration > 0 ? 64 - __builtin_clzll(duration) : 0));
}

static uint32_t saturated(uint32_t a, uint64_t b)
{
    return b > UINT32_MAX - a ? UINT32_MAX : a + (uint32_t)b;
}

/* Adds `more` to `sum`: as if the spans of both were one node. */
static void merge(struct sdsim_pyramid_node *sum, const struct sdsim_pyramid_node *more)
{
    sum->busy = sdsim_time_sum(sum->busy, more->busy);
    sum->bytes += more->bytes;
    for (int c = 0; c < SDSIM_CLASSES; c++) {
        sum->sum[c] = sdsim_time_sum(sum->sum[c], more->sum[c]);
        sum->count[c] = saturated(sum->count[c], more->count[c]);
        if (more->longest[c] > sum->longest[c]) {
            sum->longest[c] = more->longest[c];
        }
    }
    if (more->worst > sum->worst) {
        sum->worst = more->worst;
    }
}

/* ---- memory ---- */

static bool resize(void *array, size_t count, size_t size)
{
    void *const old = *(void **)array;
    void *const new = realloc(old, (count > 0 ? count : 1) * size);
    if (new != NULL) {
        *(void **)array = new;
    }
    return new != NULL;
}

static bool resize_items(struct sdsim_pyramid *summary, size_t count)
{
    const bool done = resize(&summary->starts, count, sizeof *summary->starts) &&
                      resize(&summary->worst, count, 1) && resize(&summary->cover, count, 1);
    if (done) {
        summary->capacity = count;
    }
    return done;
}

static bool resize_nodes(struct sdsim_pyramid *summary, int level, size_t count)
{
    const bool done = resize(&summary->nodes[level], count, sizeof *summary->nodes[level]);
    if (done) {
        summary->capacities[level] = count;
    }
    return done;
}

bool sdsim_pyramid_reserve(struct sdsim_pyramid *summary, size_t items, size_t nodes)
{
    return resize_items(summary, items) && resize_nodes(summary, 2, nodes);
}

/* Room for one more block; arrays grow by a half. */
static bool make_room(struct sdsim_pyramid *summary)
{
    const size_t items = summary->count + SDSIM_BLOCK_SPANS / SDSIM_FAN;
    const size_t nodes = summary->counts[2] + SDSIM_BLOCK_GROUPS;
    return (items <= summary->capacity || resize_items(summary, items + items / 2)) &&
           (nodes <= summary->capacities[2] || resize_nodes(summary, 2, nodes + nodes / 2));
}

size_t sdsim_pyramid_memory(const struct sdsim_pyramid *summary)
{
    size_t sum = summary->capacity * (sizeof *summary->starts + 2);
    for (int level = 2; level <= SDSIM_LEVEL_MOST; level++) {
        sum += summary->capacities[level] * sizeof(struct sdsim_pyramid_node);
    }
    return sum;
}

/* ---- levels 1 and 2 ---- */

/* How a lane tells its spans apart, ready for the inner loop. */
struct sorter {
    const struct sdsim_details *details; /* NULL: no bytes in this lane */
    enum sdsim_lane lane;
    unsigned shift;
    unsigned mask;
    uint8_t rank[16];
};

static struct sorter sorter_of(enum sdsim_lane lane, const struct sdsim_details *details)
{
    const struct sdsim_lane_info *info = sdsim_lane_info(lane);
    struct sorter sorter = {
        .details = lane <= SDSIM_LANE_COMMAND ? details : NULL,
        .lane = lane,
        .shift = sdsim_hot_class_shift(info->by),
        .mask = sdsim_hot_class_mask(info->by),
    };
    memcpy(sorter.rank, info->rank, sizeof sorter.rank);
    return sorter;
}

/* A group at work. Classes a lane does not have, those of fillers, fall into the slots behind. */
struct tally {
    sdsim_ps sum[16];
    sdsim_ps longest[16]; /* + 1 */
    uint32_t count[16];
    uint64_t bytes;
};

/* A span that has a struct sdsim_rare. Returns the time it covers. */
static sdsim_ps add_rare(struct tally *tally, const struct sorter *sorter, unsigned class,
                         const struct sdsim_hot *hot, const struct sdsim_rare *rare)
{
    const sdsim_ps all = sdsim_time_times(rare->duration, rare->count);
    tally->sum[class] = sdsim_time_sum(tally->sum[class], all);
    tally->count[class] = saturated(tally->count[class], rare->count);
    if (rare->duration >= tally->longest[class]) {
        tally->longest[class] = sdsim_time_sum(rare->duration, 1);
    }
    if (sorter->details != NULL) {
        tally->bytes += rare->count * sdsim_details_bytes(sorter->details, sorter->lane,
                                                          sdsim_hot_part(hot), rare->detail);
    }
    return all;
}

/* Up to 16 spans; leaves their worst rank and returns the time they cover. */
static sdsim_ps add_item(struct tally *tally, const struct sorter *sorter,
                         const struct sdsim_block *block, const struct sdsim_hot *hot, size_t count,
                         uint8_t *worst)
{
    sdsim_ps busy = 0;
    uint8_t rank = 0;
    for (size_t i = 0; i < count; i++) {
        const unsigned class = (unsigned)(hot[i].where >> sorter->shift) & sorter->mask;
        rank = sorter->rank[class] > rank ? sorter->rank[class] : rank;
        if (sdsim_hot_is_rare(&hot[i])) {
            busy = sdsim_time_sum(busy, add_rare(tally, sorter, class, &hot[i],
                                                 &block->rares[sdsim_hot_detail(&hot[i])]));
            continue;
        }
        const sdsim_ps duration = sdsim_hot_duration(&hot[i]);
        busy += duration;
        tally->sum[class] += duration;
        tally->count[class]++;
        tally->longest[class] =
            duration >= tally->longest[class] ? duration + 1 : tally->longest[class];
        if (sorter->details != NULL) {
            tally->bytes += sdsim_details_bytes(sorter->details, sorter->lane,
                                                sdsim_hot_part(&hot[i]), sdsim_hot_detail(&hot[i]));
        }
    }
    *worst = rank;
    return busy;
}

/* The cover of the last item, once it is known where the next one starts. */
static void settle_cover(struct sdsim_pyramid *summary, sdsim_ps next)
{
    if (summary->count > 0) {
        const sdsim_ps span = sdsim_time_since(next, summary->starts[summary->count - 1]);
        const sdsim_ps part = span / 255 + 1;
        const sdsim_ps cover = summary->last_busy / part;
        summary->cover[summary->count - 1] =
            (uint8_t)(summary->last_busy >= span             ? 255
                      : cover > 0 || summary->last_busy == 0 ? cover
                                                             : 1);
    }
}

static void close_group(struct sdsim_pyramid_node *node, const struct tally *tally,
                        enum sdsim_lane lane)
{
    const unsigned classes = sdsim_lane_info(lane)->classes;
    for (unsigned c = 0; c < classes; c++) {
        node->sum[c] = tally->sum[c];
        node->count[c] = tally->count[c];
        node->longest[c] = tally->longest[c] > 0 ? sdsim_pyramid_length(tally->longest[c] - 1) : 0;
        node->busy = sdsim_time_sum(node->busy, tally->sum[c]);
    }
    node->bytes = tally->bytes;
}

bool sdsim_pyramid_add(struct sdsim_pyramid *summary, enum sdsim_lane lane,
                       const struct sdsim_details *details, const struct sdsim_block *block,
                       size_t count, const sdsim_ps *starts)
{
    if (!make_room(summary)) {
        return false;
    }
    const struct sorter sorter = sorter_of(lane, details);
    for (size_t group = 0; group * SDSIM_GROUP_SPANS < count; group++) {
        struct sdsim_pyramid_node node = {.start = starts[group]};
        struct tally tally = {.bytes = 0};
        const size_t from = group * SDSIM_GROUP_SPANS;
        const size_t to = from + SDSIM_GROUP_SPANS < count ? from + SDSIM_GROUP_SPANS : count;
        for (size_t i = from; i < to; i += SDSIM_FAN) {
            const sdsim_ps start = starts[group] + sdsim_hot_offset(&block->spans[i]);
            settle_cover(summary, start);
            uint8_t worst;
            summary->last_busy = add_item(&tally, &sorter, block, &block->spans[i],
                                          to - i < SDSIM_FAN ? to - i : SDSIM_FAN, &worst);
            summary->starts[summary->count] = start;
            summary->worst[summary->count++] = worst;
            node.worst = worst > node.worst ? worst : node.worst;
        }
        close_group(&node, &tally, lane);
        summary->nodes[2][summary->counts[2]++] = node;
    }
    return true;
}

/* ---- the end ---- */

bool sdsim_pyramid_raise(struct sdsim_pyramid *summary)
{
    summary->levels = summary->counts[2] > 0 ? 2 : 0;
    for (int level = 2; level < SDSIM_LEVEL_MOST && summary->counts[level] > 1; level++) {
        const size_t below = summary->counts[level];
        const size_t count = (below + SDSIM_FAN - 1) / SDSIM_FAN;
        if (!resize_nodes(summary, level + 1, count)) {
            return false;
        }
        for (size_t i = 0; i < count; i++) {
            struct sdsim_pyramid_node node = summary->nodes[level][i * SDSIM_FAN];
            for (size_t k = i * SDSIM_FAN + 1; k < below && k < (i + 1) * SDSIM_FAN; k++) {
                merge(&node, &summary->nodes[level][k]);
            }
            summary->nodes[level + 1][i] = node;
        }
        summary->counts[level + 1] = count;
        summary->levels = level + 1;
    }
    return true;
}

bool sdsim_pyramid_finish(struct sdsim_pyramid *summary, sdsim_ps end)
{
    settle_cover(summary, end);
    return resize_items(summary, summary->count) && resize_nodes(summary, 2, summary->counts[2]) &&
           sdsim_pyramid_raise(summary);
}
