#include "timeline/query.h"

#include <string.h>

/* ---- items of any level ---- */

/* How many spans an item of a level stands for. */
static uint64_t span_count_of(int level)
{
    return (uint64_t)1 << (4 * level);
}

static uint64_t items_of(const struct sdsim_store *store, int level)
{
    return level == 0   ? store->count
           : level == 1 ? store->summary.count
                        : store->summary.counts[level];
}

/* When item i of level >= 1 begins; behind the last one, when the lane ends. */
static sdsim_ps item_start(const struct sdsim_store *store, int level, uint64_t i)
{
    if (i >= items_of(store, level)) {
        return store->end;
    }
    return level == 1 ? store->summary.starts[i] : store->summary.nodes[level][i].start;
}

static uint8_t item_worst(const struct sdsim_store *store, int level, uint64_t i)
{
    return level == 1 ? store->summary.worst[i] : store->summary.nodes[level][i].worst;
}

/* The last item of a level that begins before `instant` (or at it, with `at`), given that the ones it
 * can be are [from, to); from if none does. Level 0 is not asked for here. */
static uint64_t last_before(const struct sdsim_store *store, int level, uint64_t from, uint64_t to,
                            sdsim_ps instant, bool at)
{
    uint64_t best = from;
    for (uint64_t i = from; i < to; i++) {
        const sdsim_ps start = item_start(store, level, i);
        if (start > instant || (start == instant && !at)) {
            break;
        }
        best = i;
    }
    return best;
}

/* The same down to level 1, from the top. The lane is not empty. */
static uint64_t item_before(const struct sdsim_store *store, int level, sdsim_ps instant, bool at)
{
    int k = store->summary.levels;
    uint64_t i = last_before(store, k, 0, items_of(store, k), instant, at);
    while (k > level) {
        k--;
        const uint64_t from = i * SDSIM_FAN;
        const uint64_t most = items_of(store, k);
        i = last_before(store, k, from, from + SDSIM_FAN < most ? from + SDSIM_FAN : most, instant,
                        at);
    }
    return i;
}

uint64_t sdsim_lane_before(struct sdsim_store *store, sdsim_ps instant)
{
    if (store->count == 0 || instant <= store->summary.starts[0]) {
        return 0;
    }
    const uint64_t item = item_before(store, 1, instant, false);
    const uint64_t first = item * SDSIM_FAN;
    const struct sdsim_block *block = sdsim_store_block(store, (size_t)(first / SDSIM_BLOCK_SPANS));
    if (block == NULL) {
        return first;
    }
    const sdsim_ps base = store->summary.nodes[2][first / SDSIM_GROUP_SPANS].start;
    uint64_t number = first;
    while (number < store->count && number < first + SDSIM_FAN &&
           base + sdsim_hot_offset(&block->spans[number % SDSIM_BLOCK_SPANS]) < instant) {
        number++;
    }
    return number;
}

bool sdsim_lane_at(struct sdsim_store *store, sdsim_ps instant, uint64_t *number)
{
    struct sdsim_span span;
    uint64_t before = sdsim_lane_before(store, sdsim_time_sum(instant, 1));
    while (before > 0 && !sdsim_store_span(store, before - 1, &span)) {
        if (sdsim_store_block(store, (size_t)((before - 1) / SDSIM_BLOCK_SPANS)) == NULL) {
            return false;
        }
        before--;
    }
    *number = before > 0 ? before - 1 : 0;
    return before > 0;
}

/* ---- pictures ---- */

uint32_t sdsim_column_of(sdsim_ps from, sdsim_ps to, uint32_t width, sdsim_ps instant)
{
    const sdsim_ps length = to - from;
    const sdsim_ps into = instant - from;
    /* Divided by a rounded length the guess is never too small. */
    const sdsim_ps guess = length >= width ? into / (length / width) : (into + 1) * width / length;
    uint32_t low = 0;
    uint32_t high = guess < width ? (uint32_t)guess : width - 1;
    while (low < high) {
        const uint32_t middle = low + (high - low + 1) / 2;
        if (sdsim_column_start(from, to, width, middle) <= instant) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

struct picture {
    struct sdsim_store *store;
    sdsim_ps from;
    sdsim_ps to;
    uint32_t width;
    struct sdsim_column *columns;
    uint32_t column; /* what is at work: spans come in order, so this only grows */
    sdsim_ps column_start;
    sdsim_ps column_end;
    sdsim_ps busy; /* in it */
    uint8_t rank;  /* won so far */
};

static void enter(struct picture *picture, uint32_t column)
{
    picture->column = column;
    picture->column_start = sdsim_column_start(picture->from, picture->to, picture->width, column);
    picture->column_end =
        sdsim_column_start(picture->from, picture->to, picture->width, column + 1);
    picture->busy = 0;
    picture->rank = 0;
}

/* The column at work is over. */
static void leave(struct picture *picture)
{
    struct sdsim_column *column = &picture->columns[picture->column];
    const sdsim_ps length = picture->column_end - picture->column_start;
    const sdsim_ps cover = length > 0 ? picture->busy / (length / 255 + 1) : 255;
    if (picture->rank > 0) {
        column->class = sdsim_lane_class_of_rank(picture->store->lane, picture->rank);
        column->cover = picture->busy >= length ? 255
                        : cover > 254           ? 254
                        : cover > 0             ? (uint8_t)cover
                                                : 1;
    }
}

/* Goes on to the column an instant falls into, which is not before the one at work. */
static void advance(struct picture *picture, sdsim_ps instant)
{
    if (instant < picture->column_end) {
        return;
    }
    leave(picture);
    /* Mostly the next one. */
    uint32_t next = picture->column + 1;
    if (next < picture->width) {
        const sdsim_ps end =
            sdsim_column_start(picture->from, picture->to, picture->width, next + 1);
        next = instant < end ? next
                             : sdsim_column_of(picture->from, picture->to, picture->width, instant);
        enter(picture, next);
    }
}

/* Something of a rank takes `busy` of the column at work. */
static void paint(struct picture *picture, uint8_t rank, sdsim_ps busy, int level, uint64_t span)
{
    picture->busy = sdsim_time_sum(picture->busy, busy);
    if (rank > picture->rank) {
        picture->rank = rank;
        picture->columns[picture->column].level = (uint8_t)level;
        picture->columns[picture->column].span = span;
    }
}

/* Clips to the picture; false if nothing is left. A span without length has a place, too. */
static bool clip(const struct picture *picture, sdsim_ps *from, sdsim_ps *to)
{
    if (*from >= picture->to || *to < picture->from || (*to == picture->from && *from < *to)) {
        return false;
    }
    *from = *from > picture->from ? *from : picture->from;
    *to = *to < picture->to ? *to : picture->to;
    return true;
}

/* Whether [from, to) lies in the column at work: most of what is painted does. */
static bool lies_here(const struct picture *picture, sdsim_ps from, sdsim_ps to)
{
    return from >= picture->column_start && to <= picture->column_end && from < to;
}

static void paint_span(struct picture *picture, uint64_t number, const struct sdsim_span *span,
                       uint8_t rank)
{
    sdsim_ps from = span->start;
    sdsim_ps to = sdsim_span_end(span);
    if (!clip(picture, &from, &to)) {
        return;
    }
    advance(picture, from);
    if (from == to) {
        paint(picture, rank, 0, 0, number);
        return;
    }
    for (;;) {
        const sdsim_ps a = from > picture->column_start ? from : picture->column_start;
        const sdsim_ps b = to < picture->column_end ? to : picture->column_end;
        const sdsim_ps busy = b > a ? sdsim_span_overlap(span, a, b) : 0;
        if (busy > 0) {
            paint(picture, rank, busy, 0, number);
        }
        if (to <= picture->column_end || picture->column + 1 == picture->width) {
            return;
        }
        leave(picture);
        enter(picture, picture->column + 1);
    }
}

/* The spans [first, last), which are one item of level 1. */
static void paint_spans(struct picture *picture, uint64_t first, uint64_t last)
{
    struct sdsim_store *store = picture->store;
    const struct sdsim_lane_info *info = sdsim_lane_info(store->lane);
    const struct sdsim_block *block = sdsim_store_block(store, (size_t)(first / SDSIM_BLOCK_SPANS));
    const unsigned shift = sdsim_hot_class_shift(info->by);
    const unsigned mask = sdsim_hot_class_mask(info->by);
    const sdsim_ps base = store->summary.nodes[2][first / SDSIM_GROUP_SPANS].start;
    for (uint64_t i = first; block != NULL && i < last; i++) {
        const struct sdsim_hot *hot = &block->spans[i % SDSIM_BLOCK_SPANS];
        if (sdsim_hot_is_filler(hot)) {
            continue;
        }
        const uint8_t rank = info->rank[(hot->where >> shift) & mask];
        struct sdsim_span span = {
            .start = base + sdsim_hot_offset(hot),
            .duration = sdsim_hot_duration(hot),
            .count = 1,
        };
        if (!sdsim_hot_is_rare(hot)) {
            if (lies_here(picture, span.start, span.start + span.duration)) {
                paint(picture, rank, span.duration, 0, i);
                continue;
            }
        } else {
            const struct sdsim_rare *rare = &block->rares[sdsim_hot_detail(hot)];
            span.duration = rare->duration;
            span.period = rare->period;
            span.count = rare->count;
        }
        paint_span(picture, i, &span, rank);
    }
}

/* The time an item covers, spread evenly over [from, to). */
static sdsim_ps item_busy(const struct picture *picture, int level, uint64_t i, sdsim_ps length,
                          sdsim_ps part)
{
    const struct sdsim_pyramid *summary = &picture->store->summary;
    if (level == 1) {
        return summary->cover[i] == 255 ? part : part / 255 * summary->cover[i];
    }
    const sdsim_ps busy = summary->nodes[level][i].busy;
    if (busy >= length || part == length) {
        return busy < part ? busy : part;
    }
    /* part * busy / length without leaving 64 bits. */
    const double share = (double)busy / (double)length;
    return (sdsim_ps)((double)part * share);
}

static void paint_item(struct picture *picture, int level, uint64_t i);

/* The items one level below. */
static void take_apart(struct picture *picture, int level, uint64_t i)
{
    const uint64_t first = i * SDSIM_FAN;
    const uint64_t most = items_of(picture->store, level - 1);
    const uint64_t last = first + SDSIM_FAN < most ? first + SDSIM_FAN : most;
    if (level == 1) {
        paint_spans(picture, first, last);
        return;
    }
    for (uint64_t k = first; k < last; k++) {
        paint_item(picture, level - 1, k);
    }
}

static void paint_item(struct picture *picture, int level, uint64_t i)
{
    const sdsim_ps start = item_start(picture->store, level, i);
    const sdsim_ps end = item_start(picture->store, level, i + 1);
    sdsim_ps from = start;
    sdsim_ps to = end;
    if (item_worst(picture->store, level, i) == 0) {
        return;
    }
    if (lies_here(picture, start, end)) {
        paint(picture, item_worst(picture->store, level, i),
              item_busy(picture, level, i, end - start, end - start), level,
              i * span_count_of(level));
        return;
    }
    if (!clip(picture, &from, &to)) {
        return;
    }
    if (start < picture->from || end > picture->to) {
        take_apart(picture, level, i);
        return;
    }
    advance(picture, from);
    const bool here = to <= picture->column_end;
    const bool next_too =
        here || picture->column + 1 == picture->width ||
        to <= sdsim_column_start(picture->from, picture->to, picture->width, picture->column + 2);
    if (!next_too) {
        take_apart(picture, level, i);
        return;
    }
    const uint8_t rank = item_worst(picture->store, level, i);
    const uint64_t span = i * span_count_of(level);
    const sdsim_ps split = here ? to : picture->column_end;
    paint(picture, rank, item_busy(picture, level, i, end - start, split - from), level, span);
    if (!here && picture->column + 1 < picture->width) {
        leave(picture);
        enter(picture, picture->column + 1);
        paint(picture, rank, item_busy(picture, level, i, end - start, to - split), level, span);
    }
}

/* The lowest level whose items in the window are few enough for the width. */
static int level_for(const struct sdsim_store *store, sdsim_ps from, sdsim_ps to, uint32_t width,
                     uint64_t *first, uint64_t *last)
{
    const uint64_t most = (uint64_t)SDSIM_EXACT_SPANS * width;
    int level = 1;
    for (;; level++) {
        *first = item_before(store, level, from, false);
        *last = item_before(store, level, to, false) + 1;
        const uint64_t items = (*last - *first) * (level == 1 ? SDSIM_FAN : 1);
        if (level == 1 && items <= most) {
            return 0; /* so few that every one is taken apart */
        }
        if (*last - *first <= most || level >= store->summary.levels) {
            return level;
        }
    }
}

void sdsim_lane_columns(struct sdsim_store *store, sdsim_ps from, sdsim_ps to, uint32_t width,
                        struct sdsim_column *columns)
{
    for (uint32_t c = 0; c < width; c++) {
        columns[c] = (struct sdsim_column){.class = SDSIM_NO_CLASS};
    }
    if (store->count == 0 || from >= to || from > store->end) {
        return;
    }
    struct picture picture = {
        .store = store, .from = from, .to = to, .width = width, .columns = columns};
    enter(&picture, 0);
    uint64_t first;
    uint64_t last;
    const int level = level_for(store, from, to, width, &first, &last);
    for (uint64_t i = first; i < last; i++) {
        if (level == 0) {
            take_apart(&picture, 1, i);
        } else {
            paint_item(&picture, level, i);
        }
    }
    leave(&picture);
}

/* ---- sums ---- */

static void add_node(struct sdsim_range *range, const struct sdsim_pyramid_node *node)
{
    for (int c = 0; c < SDSIM_CLASSES; c++) {
        range->sum[c] = sdsim_time_sum(range->sum[c], node->sum[c]);
        range->count[c] += node->count[c];
    }
    range->bytes += node->bytes;
}

/* The part of one span that lies in [from, to). */
static void add_span(struct sdsim_store *store, struct sdsim_range *range, uint64_t number,
                     sdsim_ps from, sdsim_ps to)
{
    struct sdsim_span span;
    if (!sdsim_store_span(store, number, &span)) {
        return;
    }
    const uint8_t class = sdsim_span_class(&span);
    uint64_t before_from = span.start < from ? 1 : 0;
    uint64_t before_to = span.start < to ? 1 : 0;
    if (span.count > 1) {
        const sdsim_ps a = sdsim_time_since(from, span.start);
        const sdsim_ps b = sdsim_time_since(to, span.start);
        before_from = a == 0 ? 0 : (a - 1) / span.period + 1;
        before_to = b == 0 ? 0 : (b - 1) / span.period + 1;
        before_from = before_from < span.count ? before_from : span.count;
        before_to = before_to < span.count ? before_to : span.count;
    }
    range->sum[class] = sdsim_time_sum(range->sum[class], sdsim_span_overlap(&span, from, to));
    range->count[class] += before_to - before_from;
    range->bytes += (before_to - before_from) *
                    sdsim_details_bytes(store->details, store->lane, span.part, span.detail);
}

/* All of the spans [first, last): as large items as possible. */
static void add_whole(struct sdsim_store *store, struct sdsim_range *range, uint64_t first,
                      uint64_t last, sdsim_ps from, sdsim_ps to)
{
    uint64_t i = first;
    while (i < last) {
        int level = 1;
        while (level < store->summary.levels && i % span_count_of(level + 1) == 0 &&
               i + span_count_of(level + 1) <= last) {
            level++;
        }
        if (level == 1) {
            add_span(store, range, i, from, to);
            i++;
        } else {
            add_node(range, &store->summary.nodes[level][i / span_count_of(level)]);
            i += span_count_of(level);
        }
    }
}

void sdsim_lane_range(struct sdsim_store *store, sdsim_ps from, sdsim_ps to,
                      struct sdsim_range *range)
{
    memset(range, 0, sizeof *range);
    if (store->count == 0 || from >= to) {
        return;
    }
    const uint64_t first = sdsim_lane_before(store, from);
    const uint64_t last = sdsim_lane_before(store, to);
    uint64_t number;
    if (first > 0 && sdsim_lane_at(store, from - (from > 0 ? 1 : 0), &number) && number < first) {
        add_span(store, range, number, from, to); /* reaches into it */
    }
    if (last > first) {
        uint64_t end = last;
        if (sdsim_lane_at(store, to - 1, &number) && number >= first && number < last) {
            end = number; /* may reach out of it */
        }
        add_whole(store, range, first, end, from, to);
        if (end < last) {
            add_span(store, range, end, from, to);
        }
    }
    for (int c = 0; c < SDSIM_CLASSES; c++) {
        range->busy = sdsim_time_sum(range->busy, range->sum[c]);
    }
}

/* ---- progress ---- */

/* Bytes of all items of a level in front of one: as large nodes as possible. */
static double bytes_before(const struct sdsim_store *store, int level, uint64_t item)
{
    uint64_t sum = 0;
    for (; item > 0 && level < store->summary.levels; level++) {
        for (; item % SDSIM_FAN != 0; item--) {
            sum += store->summary.nodes[level][item - 1].bytes;
        }
        item /= SDSIM_FAN;
    }
    for (; item > 0; item--) {
        sum += store->summary.nodes[level][item - 1].bytes;
    }
    return (double)sum;
}

/* Something that moves bytes evenly from one instant to another. */
struct stretch {
    sdsim_ps start;
    sdsim_ps end;
    double bytes;
};

static struct stretch span_stretch(struct sdsim_store *store, uint64_t number)
{
    struct sdsim_span span;
    if (!sdsim_store_span(store, number, &span)) {
        return (struct stretch){.bytes = 0};
    }
    const uint64_t bytes =
        span.count * sdsim_details_bytes(store->details, store->lane, span.part, span.detail);
    return (struct stretch){
        .start = span.start, .end = sdsim_span_end(&span), .bytes = (double)bytes};
}

static struct stretch item_stretch(struct sdsim_store *store, int level, uint64_t item)
{
    if (level == 0) {
        return span_stretch(store, item);
    }
    return (struct stretch){.start = item_start(store, level, item),
                            .end = item_start(store, level, item + 1),
                            .bytes = (double)store->summary.nodes[level][item].bytes};
}

/* Bytes in front of an item of level 0 or of 2 and up. */
static double all_before(struct sdsim_store *store, int level, uint64_t item)
{
    if (level > 0) {
        return bytes_before(store, level, item);
    }
    double sum = bytes_before(store, 2, item / SDSIM_GROUP_SPANS);
    for (uint64_t i = item / SDSIM_GROUP_SPANS * SDSIM_GROUP_SPANS; i < item; i++) {
        sum += span_stretch(store, i).bytes;
    }
    return sum;
}

enum { SPANS_A_COLUMN = 4 };

void sdsim_lane_progress(struct sdsim_store *store, sdsim_ps from, sdsim_ps to, uint32_t width,
                         double *values)
{
    uint64_t item = 0;
    if (store->count == 0 || store->summary.levels < 2) {
        memset(values, 0, (width + 1) * sizeof *values);
        return;
    }
    (void)sdsim_lane_at(store, from, &item);
    uint64_t last = sdsim_lane_before(store, to);
    int level = 0;
    if (last > item && last - item > (uint64_t)width * SPANS_A_COLUMN) {
        level = 2;
        item /= SDSIM_GROUP_SPANS;
        last = (last - 1) / SDSIM_GROUP_SPANS + 1;
        while (last - item > 2 * (uint64_t)width && level < store->summary.levels) {
            level++;
            item /= SDSIM_FAN;
            last = (last - 1) / SDSIM_FAN + 1;
        }
    }
    double done = all_before(store, level, item);
    struct stretch now = {.bytes = 0};
    bool taken = false; /* `now` is the item's */
    for (uint32_t c = 0; c <= width; c++) {
        const sdsim_ps at = c < width ? sdsim_column_start(from, to, width, c) : to;
        for (; item < last; item++, taken = false) {
            if (!taken) {
                now = item_stretch(store, level, item);
                taken = true;
            }
            if (now.end > at) {
                break;
            }
            done += now.bytes;
        }
        const bool part = item < last && taken && at > now.start && now.end > now.start;
        values[c] =
            done +
            (part ? now.bytes * (double)(at - now.start) / (double)(now.end - now.start) : 0);
    }
}
