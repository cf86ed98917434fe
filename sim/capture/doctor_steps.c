#include <string.h>

#include "capture/doctor_parts.h"

/* ---- repeats ---- */

/* Alike as far as a reader cares: times, places and the length of waits apart. */
static bool alike(const struct sdsim_doctor_step *a, const struct sdsim_doctor_step *b)
{
    return a->is_command && b->is_command && a->index == b->index && a->app == b->app &&
           a->argument == b->argument && a->crc == b->crc && a->frame_crc == b->frame_crc &&
           a->deselected == b->deselected && a->busy == b->busy &&
           a->response_count == b->response_count &&
           memcmp(a->response, b->response, sizeof a->response) == 0 &&
           a->response_open == b->response_open && a->no_response == b->no_response &&
           a->read.count + a->written.count == 0 && b->read.count + b->written.count == 0 &&
           a->busy_bytes == b->busy_bytes && a->no_data == b->no_data &&
           a->error_token == b->error_token && a->host_strays == b->host_strays &&
           a->card_strays == b->card_strays && a->high_odd == b->high_odd;
}

static void tell_repeats(struct sdsim_doctor *d)
{
    const unsigned length = d->repeat_length;
    if (length == 0) {
        return;
    }
    const uint64_t whole = d->repeated / length;
    const bool half = d->repeated % length != 0;
    if (whole > 0) {
        d->steps->again(d->steps, length, whole, d->repeated_until);
    }
    if (half) { /* the first of a pair came once more */
        d->steps->step(d->steps, &d->told[0]);
        const struct sdsim_doctor_step last = d->told[0];
        d->told[0] = d->told[1];
        d->told[1] = last;
    }
    d->repeat_length = 0;
    d->repeated = 0;
}

/* True if the step goes on with what repeats. */
static bool goes_on(const struct sdsim_doctor *d, const struct sdsim_doctor_step *step)
{
    return d->repeat_length == 1   ? alike(step, &d->told[1])
           : d->repeat_length == 2 ? alike(step, &d->told[d->repeated % 2])
                                   : false;
}

/* True if it begins a repeat. */
static bool begins_repeat(struct sdsim_doctor *d, const struct sdsim_doctor_step *step)
{
    if (d->told_count > 0 && alike(step, &d->told[1])) {
        d->repeat_length = 1;
    } else if (d->told_count > 1 && alike(step, &d->told[0]) && !alike(&d->told[0], &d->told[1])) {
        d->repeat_length = 2;
    }
    return d->repeat_length > 0;
}

static void tell_step(struct sdsim_doctor *d)
{
    const struct sdsim_doctor_step *step = &d->step;
    if (d->steps == NULL) {
        return;
    }
    const bool more = goes_on(d, step);
    if (!more) {
        tell_repeats(d);
    }
    if (more || begins_repeat(d, step)) {
        if (d->repeat_length == 2) { /* the latest one of its kind, for a half repeat */
            d->told[d->repeated % 2] = *step;
        }
        d->repeated++;
        d->repeated_until = step->end;
        return;
    }
    d->steps->step(d->steps, step);
    d->told[0] = d->told[1];
    d->told[1] = *step;
    d->told_count += d->told_count < 2;
}

/* ---- a step ---- */

static bool is_empty(const struct sdsim_doctor_step *step)
{
    return !step->is_command && step->idle_clocks == 0 && step->low_clocks == 0 &&
           step->host_strays == 0 && step->card_strays == 0 && step->busy_bytes == 0 &&
           step->read.count == 0 && step->written.count == 0 && step->polls == 0 && !step->stopped;
}

static void end_step(struct sdsim_doctor *d)
{
    if (d->in_step && !is_empty(&d->step)) {
        tell_step(d);
    }
    d->in_step = false;
}

static void begin_step(struct sdsim_doctor *d, const struct sdsim_item *item)
{
    end_step(d);
    d->in_step = true;
    d->step = (struct sdsim_doctor_step){
        .at = item->at,
        .start = item->start,
        .end = item->end,
        .sd = d->source.sd,
        .is_command = item->kind == SDSIM_ITEM_COMMAND,
    };
    if (d->step.is_command) {
        d->step.deselected = item->deselected;
        d->step.busy = item->busy;
        d->step.index = item->index;
        d->step.app = item->app;
        d->step.argument = item->argument;
        d->step.crc = item->crc;
        d->step.frame_crc = item->bytes[5];
    }
}

static void add_block(struct sdsim_doctor_blocks *blocks, const struct sdsim_item *item)
{
    if (item->open) {
        blocks->cut++;
        blocks->cut_size = (uint32_t)item->size;
        return;
    }
    if (blocks->count == 0 || item->gap < blocks->least_gap) {
        blocks->least_gap = item->gap;
    }
    if (item->gap > blocks->most_gap) {
        blocks->most_gap = item->gap;
    }
    blocks->count++;
    blocks->size = (uint32_t)item->size;
    blocks->crc[item->crc]++;
}

static void add_response(struct sdsim_doctor_step *step, const struct sdsim_item *item)
{
    memcpy(step->response, item->bytes, item->size);
    step->response_count = (uint8_t)item->size;
    step->response_crc = item->crc;
    step->response_open = item->open;
    step->response_gap = item->gap;
}

static void add_stray(struct sdsim_doctor_step *step, const struct sdsim_item *item)
{
    uint64_t *count = item->from_card ? &step->card_strays : &step->host_strays;
    uint8_t *kept = item->from_card ? step->card_stray : step->host_stray;
    for (size_t i = 0; i < item->size && *count + i < SDSIM_DOCTOR_KEPT; i++) {
        kept[*count + i] = item->bytes[i];
    }
    *count += item->count;
}

static void add_data_response(struct sdsim_doctor_step *step, uint8_t token, bool sd)
{
    if (sd ? token == SDSIM_DOCTOR_BLOCK_RIGHT
           : (token & SDSIM_DATA_RESPONSE_MASK) == SDSIM_DATA_ACCEPTED) {
        step->accepted++;
    } else {
        step->refused++;
        step->refusal = token;
    }
}

static void add_busy(struct sdsim_doctor_step *step, const struct sdsim_item *item)
{
    step->busy_bytes += item->count;
    step->busy_open = item->open;
    if (item->end - item->start > step->busy_longest) {
        step->busy_longest = item->end - item->start;
    }
}

static void add(struct sdsim_doctor_step *step, const struct sdsim_item *item, bool sd)
{
    step->end = item->end;
    switch (item->kind) {
    case SDSIM_ITEM_RESPONSE:
        add_response(step, item);
        break;
    case SDSIM_ITEM_NO_RESPONSE:
        step->no_response = true;
        step->response_gap = item->gap;
        break;
    case SDSIM_ITEM_READ_BLOCK:
        add_block(&step->read, item);
        break;
    case SDSIM_ITEM_WRITE_BLOCK:
        add_block(&step->written, item);
        break;
    case SDSIM_ITEM_NO_DATA:
        step->no_data = true;
        step->no_data_gap = item->gap;
        break;
    case SDSIM_ITEM_ERROR_TOKEN:
        step->error_token = item->token;
        break;
    case SDSIM_ITEM_DATA_RESPONSE:
        add_data_response(step, item->token, sd);
        break;
    case SDSIM_ITEM_STOP_TOKEN:
        step->stopped = true;
        break;
    case SDSIM_ITEM_BUSY:
        add_busy(step, item);
        break;
    case SDSIM_ITEM_STRAY:
        add_stray(step, item);
        break;
    case SDSIM_ITEM_IDLE_CLOCKS:
        step->idle_clocks += item->count;
        step->high_odd += item->odd_host;
        break;
    default:
        break;
    }
}

void sdsim_doctor_add_to_step(struct sdsim_doctor *d, const struct sdsim_item *item)
{
    if (item->kind == SDSIM_ITEM_COMMAND) {
        if (!d->in_step && item->gap > 0) { /* clocks before the first command */
            begin_step(d, &(struct sdsim_item){.kind = SDSIM_ITEM_CUT, .at = item->at});
            d->step.end = item->start;
        }
        if (d->in_step && !d->step.is_command) {
            d->step.low_clocks += (d->source.sd ? 1u : 8u) * (uint64_t)item->gap;
        }
        begin_step(d, item);
        return;
    }
    if (!d->in_step) {
        begin_step(d, item);
    }
    add(&d->step, item, d->source.sd);
    d->step.polls += item->kind == SDSIM_ITEM_DESELECT && d->fresh && item->gap > 0;
    d->fresh = item->kind == SDSIM_ITEM_SELECT;
}

void sdsim_doctor_end_steps(struct sdsim_doctor *d)
{
    end_step(d);
    if (d->steps != NULL) {
        tell_repeats(d);
    }
}
