#include "workload/logger.h"

#include <stdlib.h>

#include "workload/arrivals_file.h"

/* When the producer stops. */
static sdsim_ps end_of(const struct sdsim_logger *logger, const struct sdsim_logger_params *params,
                       uint64_t total)
{
    if (params->duration > 0) {
        return params->duration;
    }
    if (logger->arrivals.kind == SDSIM_ARRIVALS_LIST) {
        return logger->arrivals.list[logger->arrivals.count - 1].at;
    }
    return sdsim_arrival_of(&logger->arrivals, total);
}

static bool init_arrivals(struct sdsim_logger *logger, const struct sdsim_logger_params *params,
                          uint64_t total, struct sdsim_diags *diags)
{
    struct sdsim_arrivals *arrivals = &logger->arrivals;
    arrivals->end = SDSIM_TIME_END;
    if (params->arrivals != NULL) {
        arrivals->kind = SDSIM_ARRIVALS_LIST;
        logger->list = sdsim_arrivals_read(params->arrivals, &arrivals->count, diags);
        arrivals->list = logger->list;
        if (logger->list == NULL) {
            return false;
        }
    } else if (params->burst > 0) {
        arrivals->kind = SDSIM_ARRIVALS_BURSTS;
        arrivals->burst = params->burst;
        arrivals->every = params->burst_every;
    } else {
        arrivals->kind = SDSIM_ARRIVALS_CONSTANT;
        arrivals->rate = params->rate;
    }
    arrivals->end = end_of(logger, params, total);
    return true;
}

bool sdsim_logger_init(struct sdsim_logger *logger, const struct sdsim_logger_params *params,
                       const struct sdsim_logger_writer *writer, struct sdsim_diags *diags)
{
    const uint64_t call = writer->call;
    *logger = (struct sdsim_logger){
        .shape =
            {
                .arrivals = &logger->arrivals,
                .kind = (enum sdsim_queue_kind)params->queue,
                .capacity = params->ram > 0 ? params->ram : SDSIM_QUEUE_UNLIMITED,
                .unit = call,
                .item = 1,
            },
        .call = call,
        .calls = 1,
        .sync_every = writer->sync_every,
        .sync_interval = params->sync_interval,
        .rotate_every = writer->rotate_every,
        .safe_at_once = writer->raw,
    };
    if (params->queue == SDSIM_QUEUE_PING_PONG && params->ram > 0) {
        logger->calls = params->ram / 2 / call;
        logger->shape.unit = logger->calls * call;
        logger->shape.capacity = 2 * logger->shape.unit;
    } else if (params->queue == SDSIM_QUEUE_ITEMS) {
        logger->shape.item = params->item;
    }
    return init_arrivals(logger, params, writer->total, diags);
}

void sdsim_logger_free(struct sdsim_logger *logger)
{
    free(logger->list);
    logger->list = NULL;
}

void sdsim_logger_begin(struct sdsim_logger_state *state, const struct sdsim_logger *logger)
{
    *state = (struct sdsim_logger_state){
        .sync_due = logger->sync_interval > 0 ? logger->sync_interval : SDSIM_TIME_END};
    sdsim_queue_init(&state->queue);
}

sdsim_ps sdsim_logger_next(const struct sdsim_logger_state *state,
                           const struct sdsim_logger *logger, sdsim_ps now)
{
    const uint64_t byte = sdsim_queue_awaited(&state->queue, &logger->shape);
    if (byte == 0) {
        return now;
    }
    const sdsim_ps at = sdsim_arrival_of(&logger->arrivals, byte);
    return at > now ? at : now;
}

/* What power would take with it at `now`. */
static void expose(struct sdsim_logger_state *state, sdsim_ps now)
{
    const struct sdsim_queue *queue = &state->queue;
    const uint64_t exposed = queue->arrived - queue->lost - state->safe;
    if (exposed > state->exposed) {
        state->exposed = exposed;
        state->exposed_at = now;
    }
}

void sdsim_logger_wrote(struct sdsim_logger_state *state, const struct sdsim_logger *logger,
                        struct sdsim_logger_time start, struct sdsim_logger_time end)
{
    const struct sdsim_queue_shape *shape = &logger->shape;
    if (logger->rotate_every > 0) { /* the file of its last call: those before it are closed */
        const uint64_t last = (state->units + 1) * shape->unit - logger->call;
        const uint64_t closed = last / logger->rotate_every * logger->rotate_every;
        state->safe = closed > state->safe ? closed : state->safe;
    }
    sdsim_queue_begin(&state->queue, shape, start.arrived, start.at);
    sdsim_queue_fill(&state->queue, shape, end.arrived, end.at);
    expose(state, end.at);
    sdsim_queue_end(&state->queue, shape);
    state->units++;
    state->since_sync += logger->calls;
    if (logger->safe_at_once) {
        state->safe = state->units * shape->unit;
    }
}

bool sdsim_logger_sync_due(const struct sdsim_logger_state *state,
                           const struct sdsim_logger *logger, sdsim_ps now)
{
    return now >= state->sync_due ||
           (logger->sync_every > 0 && state->since_sync >= logger->sync_every);
}

void sdsim_logger_synced(struct sdsim_logger_state *state, const struct sdsim_logger *logger,
                         sdsim_ps start, struct sdsim_logger_time end)
{
    if (start >= state->sync_due) {
        state->sync_due = (start / logger->sync_interval + 1) * logger->sync_interval;
    }
    sdsim_queue_fill(&state->queue, &logger->shape, end.arrived, end.at);
    expose(state, end.at);
    state->since_sync = 0;
    state->safe = state->units * logger->shape.unit;
}

void sdsim_logger_ended(struct sdsim_logger_state *state, const struct sdsim_logger *logger,
                        struct sdsim_logger_time end)
{
    sdsim_queue_begin(&state->queue, &logger->shape, end.arrived, end.at);
    expose(state, end.at);
}
