#include "workload/queue.h"

void sdsim_queue_init(struct sdsim_queue *queue)
{
    *queue = (struct sdsim_queue){.lost_at = SDSIM_TIME_END};
}

void sdsim_queue_fill(struct sdsim_queue *queue, const struct sdsim_queue_shape *shape,
                      uint64_t total, sdsim_ps now)
{
    const uint64_t more = total - queue->arrived;
    uint64_t room = shape->capacity - queue->fill;
    room -= shape->item > 1 ? room % shape->item : 0;
    queue->arrived = total;
    if (more <= room) {
        queue->fill += more;
    } else {
        queue->fill += room;
        queue->lost += more - room;
        queue->lost_at = queue->lost_at == SDSIM_TIME_END ? now : queue->lost_at;
    }
    if (queue->fill > queue->highest) {
        queue->highest = queue->fill;
        queue->highest_at = now;
    }
}

void sdsim_queue_begin(struct sdsim_queue *queue, const struct sdsim_queue_shape *shape,
                       uint64_t total, sdsim_ps now)
{
    if (shape->kind != SDSIM_QUEUE_ITEMS) {
        sdsim_queue_fill(queue, shape, total, now);
        return;
    }
    /* It took what was there; what came while it waited for more went straight through. */
    const uint64_t there = queue->fill < shape->unit ? queue->fill : shape->unit;
    const uint64_t more = total - queue->arrived;
    const uint64_t through = more < shape->unit - there ? more : shape->unit - there;
    queue->fill -= there;
    queue->arrived += through;
    queue->held = there + through;
    sdsim_queue_fill(queue, shape, total, now);
}

void sdsim_queue_end(struct sdsim_queue *queue, const struct sdsim_queue_shape *shape)
{
    if (shape->kind != SDSIM_QUEUE_ITEMS) {
        queue->fill -= shape->unit;
        return;
    }
    queue->held = 0;
}
