/*
 * A stream on the stack: carries out what workload/logger.h decides.
 */
#include "core/queue_lane.h"
#include "workload/calls.h"

/* A stream at work. */
struct streaming {
    struct sdsim_workload_task *task;
    const struct sdsim_logger *logger;
    struct sdsim_logger_state state;
    struct sdsim_queue_lane lane; /* the level between two changes of it, at its highest */
    sdsim_ps zero;                /* when it began */
};

static void begin(struct streaming *streaming, struct sdsim_workload_task *task,
                  const struct sdsim_logger *logger, sdsim_ps now)
{
    const uint64_t capacity = logger->shape.capacity;
    *streaming = (struct streaming){.task = task, .logger = logger, .zero = now};
    sdsim_logger_begin(&streaming->state, logger);
    sdsim_queue_lane_init(&streaming->lane, task->meter, now,
                          capacity != SDSIM_QUEUE_UNLIMITED ? capacity : 0, "bytes");
}

/* Bytes of the unit that the writer has at work, which the queue still holds. */
static uint64_t in_queue(const struct sdsim_logger *logger)
{
    return logger->shape.kind != SDSIM_QUEUE_ITEMS ? logger->shape.unit : 0;
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

/* An instant of the simulation as the logger counts. */
static struct sdsim_logger_time time_of(const struct streaming *streaming, sdsim_ps now)
{
    return sdsim_logger_time(streaming->logger, now - streaming->zero);
}

static const char *sync_now(struct streaming *streaming, sdsim_ps *now)
{
    struct sdsim_stream_result *stream = &streaming->task->result->stream;
    const sdsim_ps start = *now;
    const char *error = sdsim_workload_sync(streaming->task, now);
    sdsim_logger_synced(&streaming->state, streaming->logger, start - streaming->zero,
                        time_of(streaming, *now));
    note_longest(stream, *now - start, start - streaming->zero, true);
    sdsim_queue_lane_level(&streaming->lane, start, streaming->state.queue.fill);
    stream->syncs++;
    stream->in_syncs += *now - start;
    return error;
}

/* One unit, and the sync that may be due behind it. */
static const char *one_turn(struct streaming *streaming, sdsim_ps *now)
{
    const struct sdsim_logger *logger = streaming->logger;
    struct sdsim_logger_state *state = &streaming->state;
    const sdsim_ps start = *now;
    sdsim_ps longest;
    const char *error = sdsim_workload_unit(streaming->task, now, state->units * logger->calls,
                                            logger->calls, &longest);
    if (error != NULL) {
        return error;
    }
    note_longest(&streaming->task->result->stream, longest, start - streaming->zero, false);
    sdsim_logger_wrote(state, logger, time_of(streaming, start), time_of(streaming, *now));
    sdsim_queue_lane_level(&streaming->lane, start, state->queue.fill + in_queue(logger));
    return sdsim_logger_sync_due(state, logger, *now - streaming->zero) ? sync_now(streaming, now)
                                                                        : NULL;
}

/* The producer goes on to its end; what it brings makes no unit. */
static const char *end_producer(struct streaming *streaming, sdsim_ps *now)
{
    const struct sdsim_logger *logger = streaming->logger;
    struct sdsim_logger_state *state = &streaming->state;
    const sdsim_ps end = streaming->zero + logger->arrivals.end;
    wait_until(streaming->task, now, *now < end ? end : *now);
    sdsim_logger_ended(state, logger, time_of(streaming, *now));
    return sdsim_workload_rest(streaming->task, now, state->units * logger->shape.unit,
                               state->units * logger->calls, sdsim_logger_rest(state));
}

static const char *turns(struct sdsim_workload_task *task, sdsim_ps *now,
                         const struct sdsim_logger *logger)
{
    struct streaming streaming;
    const char *error = NULL;
    begin(&streaming, task, logger, *now);
    for (;;) {
        const sdsim_ps next = sdsim_logger_next(&streaming.state, logger, *now - streaming.zero);
        if (next == SDSIM_TIME_END || error != NULL) {
            break;
        }
        const sdsim_ps free = *now;
        wait_until(task, now, streaming.zero + next);
        if (*now > free) {
            sdsim_queue_lane_level(&streaming.lane, free, in_queue(logger));
        }
        error = one_turn(&streaming, now);
    }
    task->result->stream.ended = *now - streaming.zero;
    sdsim_queue_lane_end(&streaming.lane, *now);
    error = error == NULL ? end_producer(&streaming, now) : error;
    tell(&streaming.state, logger, &task->result->stream);
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
