/*
 * A stream on the stack: carries out what workload/logger.h decides.
 */
#include "workload/calls.h"

/* Most of a level that a recording can hold. */
static const uint64_t most_level = ((uint64_t)1 << 28) - 1;

/* The level of the queue between two instants, at its highest. */
static void note_level(const struct sdsim_workload_task *task, const struct sdsim_logger *logger,
                       uint64_t level, sdsim_ps from, sdsim_ps to)
{
    struct sdsim_recorder *recorder = task->meter->recorder;
    if (recorder == NULL || to <= from) {
        return;
    }
    const uint64_t capacity = logger->shape.capacity;
    const uint64_t tenths = capacity != SDSIM_QUEUE_UNLIMITED ? level * 10 / capacity : 0;
    const struct sdsim_span span = {
        .start = from,
        .duration = to - from,
        .count = 1,
        .lane = SDSIM_LANE_QUEUE,
        .part = (uint8_t)(tenths < 10 ? tenths : 10),
        .detail = (uint32_t)(level < most_level ? level : most_level),
    };
    recorder->span(recorder, &span);
}

static void note_longest(struct sdsim_stream_result *stream, sdsim_ps took, sdsim_ps at, bool syncs)
{
    if (took > stream->longest) {
        stream->longest = took;
        stream->longest_at = at;
        stream->longest_syncs = syncs;
    }
}

const char *sdsim_workload_unit(struct sdsim_workload_task *task, sdsim_ps *now, uint64_t first,
                                uint64_t calls, sdsim_ps *longest)
{
    const uint64_t call = task->params->call;
    *longest = 0;
    for (uint64_t i = first; i < first + calls; i++) {
        const sdsim_ps began = *now;
        const char *error = task->params->target == SDSIM_ON_RAW
                                ? sdsim_workload_raw(task, now, i)
                                : sdsim_workload_write(task, now, i * call, call);
        if (error != NULL) {
            return error;
        }
        sdsim_workload_count(task, began, *now, i);
        *longest = *now - began > *longest ? *now - began : *longest;
        if (*now > SDSIM_RUN_LIMIT) {
            return "the run takes more than 200 days of virtual time";
        }
    }
    return NULL;
}

/* The writer waits for data. */
static void wait_until(struct sdsim_workload_task *task, sdsim_ps *now, sdsim_ps until)
{
    task->meter->purpose = SDSIM_FOR_DATA;
    sdsim_spend(task->meter, now, SDSIM_IDLE, SDSIM_LANE_CPU, until - *now);
}

const char *sdsim_workload_rest(struct sdsim_workload_task *task, sdsim_ps *now, uint64_t offset,
                                uint64_t index, uint64_t bytes)
{
    const sdsim_ps began = *now;
    if (bytes == 0) {
        return NULL;
    }
    if (task->params->target == SDSIM_ON_RAW) {
        task->result->stream.left = bytes;
        return NULL;
    }
    const char *error = sdsim_workload_write(task, now, offset, bytes);
    if (error == NULL) {
        sdsim_workload_count(task, began, *now, index);
    }
    return error;
}

static void tell(const struct sdsim_logger_state *state, const struct sdsim_logger *logger,
                 struct sdsim_stream_result *stream)
{
    stream->arrived = sdsim_arrivals_total(&logger->arrivals);
    stream->lost = state->queue.lost;
    stream->lost_at = state->queue.lost_at;
    stream->highest = state->queue.highest;
    stream->highest_at = state->queue.highest_at;
    stream->exposed = state->exposed;
    stream->exposed_at = state->exposed_at;
}

/* One unit and the sync that may be due behind it, from `start` on. */
static const char *one_turn(struct sdsim_workload_task *task, sdsim_ps *now,
                            struct sdsim_logger_state *state, const struct sdsim_logger *logger,
                            sdsim_ps zero)
{
    struct sdsim_stream_result *stream = &task->result->stream;
    const sdsim_ps start = *now;
    sdsim_ps longest;
    const char *error =
        sdsim_workload_unit(task, now, state->units * logger->calls, logger->calls, &longest);
    if (error != NULL) {
        return error;
    }
    note_longest(stream, longest, start - zero, false);
    sdsim_logger_wrote(state, logger, sdsim_logger_time(logger, start - zero),
                       sdsim_logger_time(logger, *now - zero));
    uint64_t level =
        state->queue.fill + (logger->shape.kind != SDSIM_QUEUE_ITEMS ? logger->shape.unit : 0);
    note_level(task, logger, level, start, *now);
    if (!sdsim_logger_sync_due(state, logger, *now - zero)) {
        return NULL;
    }
    const sdsim_ps synced = *now;
    error = sdsim_workload_sync(task, now);
    sdsim_logger_synced(state, logger, synced - zero, sdsim_logger_time(logger, *now - zero));
    note_longest(stream, *now - synced, synced - zero, true);
    note_level(task, logger, state->queue.fill, synced, *now);
    stream->syncs++;
    stream->in_syncs += *now - synced;
    return error;
}

static const char *turns(struct sdsim_workload_task *task, sdsim_ps *now,
                         const struct sdsim_logger *logger)
{
    struct sdsim_logger_state state;
    const sdsim_ps zero = *now;
    const char *error = NULL;
    sdsim_logger_begin(&state, logger);
    for (;;) {
        const sdsim_ps next = sdsim_logger_next(&state, logger, *now - zero);
        if (next == SDSIM_TIME_END) {
            break;
        }
        const sdsim_ps free = *now;
        wait_until(task, now, zero + next);
        note_level(task, logger, logger->shape.kind != SDSIM_QUEUE_ITEMS ? logger->shape.unit : 0,
                   free, *now);
        error = one_turn(task, now, &state, logger, zero);
        if (error != NULL) {
            break;
        }
    }
    task->result->stream.ended = *now - zero;
    if (error == NULL) { /* the producer goes on to its end; nothing of it makes a unit */
        const sdsim_ps end = zero + logger->arrivals.end;
        wait_until(task, now, *now < end ? end : *now);
        sdsim_logger_ended(&state, logger, sdsim_logger_time(logger, *now - zero));
        error = sdsim_workload_rest(task, now, state.units * logger->shape.unit,
                                    state.units * logger->calls, sdsim_logger_rest(&state));
    }
    tell(&state, logger, &task->result->stream);
    return error;
}

struct sdsim_logger_writer sdsim_workload_writer(const struct sdsim_workload_params *params)
{
    return (struct sdsim_logger_writer){
        .call = params->call,
        .total = params->total,
        .sync_every = params->sync_every,
        .rotate_every = params->rotate_every,
        .raw = params->target == SDSIM_ON_RAW,
    };
}

const char *sdsim_workload_stream(struct sdsim_workload_task *task, sdsim_ps *now)
{
    const struct sdsim_workload_params *params = task->params;
    struct sdsim_logger logger;
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    const struct sdsim_logger_writer writer = sdsim_workload_writer(params);
    const bool ready = sdsim_logger_init(&logger, &params->logger, &writer, &diags);
    const char *error = ready ? turns(task, now, &logger) : "the list of arrivals can't be read";
    sdsim_logger_free(&logger);
    sdsim_diags_free(&diags);
    return error;
}
