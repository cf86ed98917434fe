/*
 * A trace as a result: its calls summed up kind by kind, as they were recorded.
 */
#include <stdlib.h>
#include <string.h>

#include "core/histogram.h"
#include "core/units.h"
#include "report/diff.h"

/* What is known of the calls of one kind. */
struct group {
    struct sdsim_histogram times;
    uint64_t calls;
    uint64_t bytes;
    uint64_t timed_bytes;
    uint64_t singles;
};

struct tally {
    struct group groups[SDSIM_OP_COUNT];
    bool placed; /* starts and durations of all so far are known ... */
    bool any;
    sdsim_ps started; /* ... and that is where they lie */
    sdsim_ps ended;
    sdsim_ps covered; /* overlapping ones count once */
};

static void place(struct tally *tally, bool known, sdsim_ps start, sdsim_ps duration)
{
    const sdsim_ps end = sdsim_time_sum(start, duration);
    tally->placed = tally->placed && known;
    if (!tally->placed) {
        return;
    }
    if (!tally->any) {
        tally->any = true;
        tally->started = tally->ended = start;
    }
    const sdsim_ps from = start > tally->ended ? start : tally->ended;
    if (end > from) {
        tally->covered = sdsim_time_sum(tally->covered, end - from);
        tally->ended = end;
    }
}

static void add(struct group *group, uint64_t times, uint64_t bytes, bool has_duration,
                sdsim_ps duration)
{
    const uint64_t most = UINT64_MAX / (times > 0 ? times : 1);
    const uint64_t all = bytes <= most ? bytes * times : UINT64_MAX;
    group->calls += times;
    group->bytes += all <= UINT64_MAX - group->bytes ? all : 0;
    if (!has_duration) {
        return;
    }
    group->timed_bytes += all <= UINT64_MAX - group->timed_bytes ? all : 0;
    sdsim_histogram_add_many(&group->times, duration, times);
}

/* ---- calls of the driver ---- */

static void add_block(struct tally *tally, const struct sdsim_block_record *record)
{
    if (record->kind >= SDSIM_TRACE_MARK) {
        return;
    }
    const bool has_start = (record->flags & SDSIM_TRACE_HAS_START) != 0;
    const bool has_duration = (record->flags & SDSIM_TRACE_HAS_DURATION) != 0;
    const bool moves = record->kind == SDSIM_TRACE_READ || record->kind == SDSIM_TRACE_WRITE;
    const uint64_t times = record->repeat > 0 ? record->repeat : 1;
    struct group *group = &tally->groups[record->kind];
    add(group, times, moves ? 512ull * record->count : 0, has_duration, record->duration);
    group->singles += moves && record->count == 1 ? times : 0;
    place(tally, has_start && has_duration && times == 1, record->start, record->duration);
}

static void add_blocks(struct tally *tally, struct sdsim_block_source *source)
{
    struct sdsim_block_record records[256];
    size_t count;
    while ((count = source->next(source, records, 256)) > 0) {
        for (size_t i = 0; i < count; i++) {
            add_block(tally, &records[i]);
        }
    }
}

/* ---- calls of files ---- */

static void add_ops(struct tally *tally, struct sdsim_op_source *source)
{
    struct sdsim_op op;
    uint32_t line;
    while (source->next(source, &op, &line)) {
        const bool moves =
            op.kind == SDSIM_OP_READ || op.kind == SDSIM_OP_WRITE || op.kind == SDSIM_OP_PRINT;
        const uint64_t times = op.repeat > 0 ? op.repeat : 1;
        uint64_t bytes = 0;
        if (moves && op.amount.clusters == 0 && op.amount.bytes > 0) {
            bytes = (uint64_t)op.amount.bytes;
        }
        add(&tally->groups[op.kind], times, bytes, op.has_duration, op.duration);
        place(tally, op.has_start && op.has_duration && times == 1, op.start, op.duration);
    }
}

/* ---- the result ---- */

static double seconds(uint64_t time)
{
    return (double)time / (double)SDSIM_S;
}

static void take_group(struct sdsim_diff_result *result, const char *name,
                       const struct group *group, bool has_singles)
{
    struct sdsim_diff_class *class = &result->classes[result->class_count++];
    *class = (struct sdsim_diff_class){
        .calls = group->calls,
        .bytes = group->bytes,
        .has_singles = has_singles,
        .singles = group->singles,
        .timed = group->times.count,
        .timed_bytes = group->timed_bytes,
        .total = seconds(group->times.sum),
        .median = seconds(sdsim_histogram_quantile(&group->times, 500)),
        .p90 = seconds(sdsim_histogram_quantile(&group->times, 900)),
        .longest = seconds(group->times.most),
    };
    snprintf(class->name, sizeof class->name, "%s", name);
    result->calls += group->calls;
    result->bytes += group->bytes;
    result->seconds += class->total;
}

static void take_headers(struct sdsim_diff_result *result, const struct sdsim_trace_info *info)
{
    static const char *const keys[] = {"board", "host", "driver", "card", "bus", "clock"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *value = info != NULL ? sdsim_trace_header(info, keys[i]) : NULL;
        snprintf(result->facts[i], sizeof result->facts[i], "%s", value != NULL ? value : "");
    }
    uint64_t hz = 0;
    char *clock = result->facts[SDSIM_DIFF_CLOCK];
    if (sdsim_unit_parse(SDSIM_UNIT_FREQUENCY, clock, &hz) == SDSIM_UNIT_OK) {
        sdsim_unit_print(SDSIM_UNIT_FREQUENCY, (double)hz, clock, SDSIM_DIFF_TEXT);
    }
}

bool sdsim_diff_read_trace(struct sdsim_diff_side *side, struct sdsim_trace *trace)
{
    struct tally *tally = calloc(1, sizeof *tally);
    struct sdsim_diff_result *result = calloc(1, sizeof *result);
    side->results = result;
    side->count = 0;
    if (tally == NULL || result == NULL) {
        free(tally);
        sdsim_diff_side_free(side);
        return false;
    }
    tally->placed = true;
    if (trace->ops != NULL) {
        add_ops(tally, trace->ops);
    } else {
        add_blocks(tally, trace->blocks);
    }
    snprintf(result->id, sizeof result->id, "%s", side->name);
    take_headers(result, trace->info);
    for (int kind = 0; kind < SDSIM_OP_COUNT; kind++) {
        if (tally->groups[kind].calls > 0) {
            take_group(result,
                       trace->ops != NULL ? sdsim_op_name((enum sdsim_op_kind)kind)
                                          : sdsim_trace_kind_name((enum sdsim_trace_kind)kind),
                       &tally->groups[kind], trace->ops == NULL);
        }
    }
    result->between =
        tally->placed && tally->any ? seconds(tally->ended - tally->started - tally->covered) : -1;
    side->count = 1;
    free(tally);
    return true;
}
