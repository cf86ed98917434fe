#include "workload/usb_storage.h"

#include <assert.h>
#include <stdlib.h>

/* Bulk-only transport 1.0, sections 5.1 and 5.2. */
enum { COMMAND_BLOCK = 31, STATUS_BLOCK = 13 };

bool sdsim_usb_storage_init(struct sdsim_usb_storage *storage,
                            const struct sdsim_usb_params *params, struct sdsim_driver *driver,
                            struct sdsim_meter *meter, sdsim_ps now)
{
    assert(params->buffer >= SDSIM_SECTOR && params->buffer % SDSIM_SECTOR == 0);
    assert(params->driver_call % SDSIM_SECTOR == 0 && params->lazy <= SDSIM_USB_QUEUE_MOST);
    *storage = (struct sdsim_usb_storage){
        .params = params, .driver = driver, .meter = meter, .writer = now, .promised = now};
    sdsim_queue_lane_init(&storage->lane, driver->port->meter, now, params->lazy * params->buffer,
                          "bytes");
    sdsim_usb_link_init(&storage->link, &params->costs.limits);
    if (params->lazy > 0) {
        storage->jobs = calloc((size_t)params->lazy, sizeof *storage->jobs);
    }
    return params->lazy == 0 || storage->jobs != NULL;
}

void sdsim_usb_storage_free(struct sdsim_usb_storage *storage)
{
    free(storage->jobs);
    storage->jobs = NULL;
}

/* ---- the front end's time ---- */

static void spend(struct sdsim_usb_storage *storage, sdsim_ps *now, enum sdsim_kind kind,
                  sdsim_ps until, sdsim_ps *sum)
{
    const sdsim_ps d = sdsim_time_since(until, *now);
    *sum = sdsim_time_sum(*sum, d);
    sdsim_spend(storage->meter, now, kind, SDSIM_LANE_CPU, d);
}

static void turn(struct sdsim_usb_storage *storage, sdsim_ps *now)
{
    spend(storage, now, SDSIM_HOST, sdsim_time_sum(*now, storage->params->costs.turn),
          &storage->result.turns);
}

/* `wanted`: since when the PC has been trying. */
static void to_device(struct sdsim_usb_storage *storage, sdsim_ps *now, sdsim_ps wanted,
                      uint64_t bytes)
{
    spend(storage, now, SDSIM_OUTSIDE, sdsim_usb_out(&storage->link, wanted, *now, bytes),
          &storage->result.link);
}

static void to_pc(struct sdsim_usb_storage *storage, sdsim_ps *now, uint64_t bytes)
{
    spend(storage, now, SDSIM_OUTSIDE, sdsim_usb_in(&storage->link, *now, bytes),
          &storage->result.link);
}

static void begin(struct sdsim_usb_storage *storage, sdsim_ps *now)
{
    storage->result.requests++;
    to_device(storage, now, *now, COMMAND_BLOCK);
    turn(storage, now);
}

/* The status block; then the PC makes up its mind, and the device arms for the next command. */
static void end(struct sdsim_usb_storage *storage, sdsim_ps *now)
{
    to_pc(storage, now, STATUS_BLOCK);
    storage->promised = *now;
    spend(storage, now, SDSIM_OUTSIDE, sdsim_time_sum(*now, storage->params->costs.gap),
          &storage->result.gaps);
}

/* ---- the card ---- */

/* One piece, in calls of the driver as large as they may be. */
static enum sdsim_driver_error move_piece(struct sdsim_usb_storage *storage, sdsim_ps *now,
                                          const struct sdsim_usb_job *job,
                                          enum sdsim_purpose purpose, bool writes)
{
    const uint64_t most =
        storage->params->driver_call > 0 ? storage->params->driver_call : storage->params->buffer;
    const uint32_t most_sectors = (uint32_t)(most / SDSIM_SECTOR);
    const sdsim_ps began = *now;
    enum sdsim_driver_error error = SDSIM_DRIVER_OK;
    for (uint32_t done = 0; done < job->count && error == SDSIM_DRIVER_OK;) {
        const uint32_t left = job->count - done;
        const uint32_t part = left < most_sectors ? left : most_sectors;
        if (writes) {
            const struct sdsim_content content =
                sdsim_content_after(&job->content, (uint64_t)done * SDSIM_SECTOR);
            error =
                sdsim_driver_write(storage->driver, now, job->lba + done, part, purpose, &content);
        } else {
            error = sdsim_driver_read(storage->driver, now, job->lba + done, part, purpose, NULL);
        }
        done += part;
    }
    storage->result.card = sdsim_time_sum(storage->result.card, sdsim_time_since(*now, began));
    return error;
}

/* ---- the writer task ---- */

static void note_exposed(struct sdsim_usb_storage *storage, sdsim_ps promised)
{
    const sdsim_ps exposed = sdsim_time_since(storage->writer, promised);
    if (exposed > storage->result.pending_longest) {
        storage->result.pending_longest = exposed;
    }
}

/* It takes its next job as soon as it is free, or was when the job came. */
static void write_next(struct sdsim_usb_storage *storage)
{
    const struct sdsim_usb_job job = storage->jobs[storage->first];
    const sdsim_ps taken = storage->writer;
    storage->first = (storage->first + 1) % storage->params->lazy;
    storage->count--;
    const enum sdsim_driver_error error =
        move_piece(storage, &storage->writer, &job, SDSIM_FOR_DATA, true);
    if (storage->writer_error == SDSIM_DRIVER_OK) {
        storage->writer_error = error;
    }
    storage->in_hand = (uint64_t)job.count * SDSIM_SECTOR;
    storage->queued -= storage->in_hand;
    sdsim_queue_lane_level(&storage->lane, taken, storage->queued);
    if (job.promised > 0) {
        note_exposed(storage, job.promised);
    }
}

/* Lets it start everything it can start by `time`. */
static void let_write(struct sdsim_usb_storage *storage, sdsim_ps time)
{
    while (storage->count > 0 && storage->writer <= time) {
        write_next(storage);
    }
}

static void enqueue(struct sdsim_usb_storage *storage, sdsim_ps *now,
                    const struct sdsim_usb_job *job)
{
    sdsim_ps ignored = 0;
    const sdsim_ps copy = sdsim_time_times(storage->driver->costs->copy, job->count);
    spend(storage, now, SDSIM_COPY, sdsim_time_sum(*now, copy), &ignored);
    let_write(storage, *now);
    if (storage->count == storage->params->lazy) {
        /* The next job leaves the queue when the writer is free. */
        spend(storage, now, SDSIM_IDLE, storage->writer, &storage->result.queue_full);
        let_write(storage, *now);
    }
    if (storage->count == 0 && storage->writer < *now) {
        /* The writer slept; its account sleeps, too. */
        sdsim_spend(storage->driver->port->meter, &storage->writer, SDSIM_IDLE, SDSIM_LANE_CPU,
                    *now - storage->writer);
    }
    storage->jobs[(storage->first + storage->count) % storage->params->lazy] = *job;
    storage->count++;
    storage->queued += (uint64_t)job->count * SDSIM_SECTOR;
    sdsim_queue_lane_level(&storage->lane, *now, storage->queued);
}

/* The PC has been told that all is written. What isn't is in the queue, or in the writer's hands. */
static void note_promise(struct sdsim_usb_storage *storage)
{
    struct sdsim_usb_result *result = &storage->result;
    let_write(storage, storage->promised);
    const bool at_work = storage->writer > storage->promised;
    const uint64_t pending = storage->queued + (at_work ? storage->in_hand : 0);
    if (pending > result->pending_most) {
        result->pending_most = pending;
    }
    for (uint64_t i = 0; i < storage->count; i++) {
        struct sdsim_usb_job *job = &storage->jobs[(storage->first + i) % storage->params->lazy];
        job->promised = job->promised > 0 ? job->promised : storage->promised;
    }
    if (at_work) {
        note_exposed(storage, storage->promised);
    }
}

enum sdsim_driver_error sdsim_usb_let_finish(struct sdsim_usb_storage *storage)
{
    let_write(storage, SDSIM_TIME_END);
    if (storage->params->lazy > 0) {
        sdsim_queue_lane_end(&storage->lane, storage->writer);
    }
    return storage->writer_error;
}

enum sdsim_driver_error sdsim_usb_drain(struct sdsim_usb_storage *storage, sdsim_ps *now)
{
    const enum sdsim_driver_error error = sdsim_usb_let_finish(storage);
    if (storage->params->lazy > 0) {
        spend(storage, now, SDSIM_IDLE, storage->writer, &storage->result.drained);
    }
    return error;
}

/* ---- requests ---- */

static enum sdsim_driver_error take_in(struct sdsim_usb_storage *storage, sdsim_ps *now,
                                       sdsim_ps wanted, const struct sdsim_usb_job *piece,
                                       enum sdsim_purpose purpose)
{
    to_device(storage, now, wanted, (uint64_t)piece->count * SDSIM_SECTOR);
    turn(storage, now);
    if (storage->params->lazy == 0) {
        return move_piece(storage, now, piece, purpose, true);
    }
    enqueue(storage, now, piece);
    return storage->writer_error;
}

static enum sdsim_driver_error give_out(struct sdsim_usb_storage *storage, sdsim_ps *now,
                                        const struct sdsim_usb_job *piece,
                                        enum sdsim_purpose purpose)
{
    enum sdsim_driver_error error =
        storage->params->lazy > 0 ? sdsim_usb_drain(storage, now) : SDSIM_DRIVER_OK;
    if (error != SDSIM_DRIVER_OK) {
        return error;
    }
    if (storage->params->lazy > 0) {
        /* The front end calls the driver itself, on its own account. */
        struct sdsim_meter *const writers = storage->driver->port->meter;
        storage->driver->port->meter = storage->meter;
        error = move_piece(storage, now, piece, purpose, false);
        storage->driver->port->meter = writers;
        storage->writer = *now;
    } else {
        error = move_piece(storage, now, piece, purpose, false);
    }
    to_pc(storage, now, (uint64_t)piece->count * SDSIM_SECTOR);
    turn(storage, now);
    return error;
}

enum sdsim_driver_error sdsim_usb_request(struct sdsim_usb_storage *storage, sdsim_ps *now,
                                          uint32_t lba, uint32_t count, enum sdsim_purpose purpose,
                                          const struct sdsim_content *content)
{
    const uint32_t buffer = (uint32_t)(storage->params->buffer / SDSIM_SECTOR);
    enum sdsim_driver_error error = storage->writer_error;
    storage->meter->purpose = purpose;
    begin(storage, now);
    sdsim_ps wanted = *now;
    for (uint32_t done = 0; done < count && error == SDSIM_DRIVER_OK;) {
        const uint32_t left = count - done;
        struct sdsim_usb_job piece = {.lba = lba + done, .count = left < buffer ? left : buffer};
        storage->result.pieces++;
        if (content != NULL) {
            piece.content = sdsim_content_after(content, (uint64_t)done * SDSIM_SECTOR);
            error = take_in(storage, now, wanted, &piece, purpose);
            wanted = *now;
        } else {
            error = give_out(storage, now, &piece, purpose);
        }
        done += piece.count;
    }
    storage->meter->purpose = purpose;
    end(storage, now);
    if (content != NULL && storage->params->lazy > 0) {
        note_promise(storage);
    }
    storage->result.traffic = storage->link.traffic;
    return error;
}

void sdsim_usb_inquire(struct sdsim_usb_storage *storage, sdsim_ps *now, uint32_t bytes)
{
    begin(storage, now);
    if (bytes > 0) {
        to_pc(storage, now, bytes);
        turn(storage, now);
    }
    end(storage, now);
    storage->result.traffic = storage->link.traffic;
}
