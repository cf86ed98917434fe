#include "ftdi/card_log.h"

#include <stdlib.h>

#include "api/slot.h"

/* A span of the timeline that matters. */
struct event {
    sdsim_ps start;
    sdsim_ps duration;
    uint32_t kind;
    uint32_t detail;
    sdsim_ps merge; /* PAUSE: what the flash counted since the one before */
    sdsim_ps order;
    uint64_t pauses;
    uint64_t merges;
};

struct sdsim_card_log {
    struct sdsim_slot *slot;
    struct event *events;
    size_t count;
    size_t capacity;

    /* the flash's counters with the last pause */
    sdsim_ps merge;
    sdsim_ps order;
    uint64_t next_pause;
    uint64_t merges;

    struct sdsim_card_log_op *ops;
    struct sdsim_card_log_block *blocks;
    size_t op_count;
    size_t block_count;
};

/* ---- noting ---- */

static void note_counters(struct sdsim_card_log *log)
{
    const struct sdsim_flash *flash = &log->slot->card.flash;
    log->merge = flash->translation.stats.merge_time;
    log->order = flash->translation.stats.order_time;
    log->merges = flash->translation.stats.merges;
    log->next_pause = flash->next_pause;
}

static void note_pause(struct sdsim_card_log *log, struct event *event)
{
    const struct sdsim_flash *flash = &log->slot->card.flash;
    const struct sdsim_translation_stats *stats = &flash->translation.stats;
    if (stats->merge_time >= log->merge) { /* else the card was switched off and on */
        event->merge = stats->merge_time - log->merge;
        event->order = stats->order_time - log->order;
        event->merges = stats->merges - log->merges;
        event->pauses =
            flash->pause_step > 0 ? (flash->next_pause - log->next_pause) / flash->pause_step : 0;
    }
    note_counters(log);
}

static bool matters(uint32_t track, uint32_t kind, uint32_t detail)
{
    if (track == SDSIM_TRACK_CARD) {
        return true;
    }
    return kind == SDSIM_SPAN_COMMAND || kind == SDSIM_SPAN_STOP || kind == SDSIM_SPAN_WRITE ||
           (kind == SDSIM_SPAN_READ && detail != SDSIM_NO_SECTOR);
}

static void note(void *context, uint32_t track, uint32_t kind, uint64_t start, uint64_t duration,
                 uint32_t detail)
{
    struct sdsim_card_log *log = context;
    if (!matters(track, kind, detail)) {
        return;
    }
    if (log->count == log->capacity) {
        log->capacity = log->capacity * 2 + 1024;
        log->events = realloc(log->events, log->capacity * sizeof *log->events);
        if (log->events == NULL) {
            abort();
        }
    }
    struct event *event = &log->events[log->count++];
    *event = (struct event){.start = start, .duration = duration, .kind = kind, .detail = detail};
    if (kind == SDSIM_SPAN_PAUSE) {
        note_pause(log, event);
    }
}

struct sdsim_card_log *sdsim_card_log_start(struct sdsim_slot *slot)
{
    struct sdsim_card_log *log = calloc(1, sizeof *log);
    if (log == NULL) {
        return NULL;
    }
    log->slot = slot;
    note_counters(log);
    (void)sdsim_slot_set_timeline(slot, note, log);
    return log;
}

void sdsim_card_log_free(struct sdsim_card_log *log)
{
    if (log == NULL) {
        return;
    }
    (void)sdsim_slot_set_timeline(log->slot, NULL, NULL);
    free(log->events);
    free(log->ops);
    free(log->blocks);
    free(log);
}

/* ---- looking ---- */

/* A chip that pauses between bytes makes spans of its own of a command's and a block's bytes. */

/* Spans of the bus are told when they are over, those of the card when they begin. Where both begin at
 * once, the bus comes first: what the card does is an answer to it. */
static int by_start(const void *a, const void *b)
{
    const struct event *x = a;
    const struct event *y = b;
    if (x->start != y->start) {
        return x->start < y->start ? -1 : 1;
    }
    return x->kind < y->kind ? -1 : x->kind > y->kind ? 1 : 0;
}

/* The op at work, and what of it is over. */
struct state {
    struct sdsim_card_log_op *op;
    bool stopped;
    sdsim_ps access; /* of the block to come */
};

static bool moves_sectors(uint32_t command)
{
    return command == 17 || command == 18 || command == 24 || command == 25 || command == 38;
}

static void add_op(struct sdsim_card_log *log, struct state *state, uint32_t command)
{
    const struct sdsim_card_log_op *last = state->op;
    if (last != NULL && last->command == command && last->count == 0 && command != 38) {
        return; /* another byte of it */
    }
    state->op = NULL;
    if (moves_sectors(command)) {
        state->op = &log->ops[log->op_count++];
        *state->op =
            (struct sdsim_card_log_op){.command = (uint8_t)command, .first = log->block_count};
    }
    state->stopped = command == 38;
    state->access = 0;
}

static void add_block(struct sdsim_card_log *log, struct state *state, uint32_t lba)
{
    struct sdsim_card_log_op *op = state->op;
    if (op->count > 0 && log->blocks[log->block_count - 1].lba == lba) {
        return; /* another byte of it */
    }
    log->blocks[log->block_count++] =
        (struct sdsim_card_log_block){.lba = lba, .access = state->access};
    op->lba = op->count == 0 ? lba : op->lba;
    op->count++;
    state->access = 0;
}

static void add_pause(struct sdsim_card_log_op *op, const struct event *event)
{
    op->pause += event->duration;
    op->merge += event->merge;
    op->order += event->order;
    op->pauses += event->pauses;
    op->merges += event->merges;
}

static void take(struct sdsim_card_log *log, struct state *state, const struct event *event)
{
    if (event->kind == SDSIM_SPAN_COMMAND) {
        add_op(log, state, event->detail);
    }
    if (state->op == NULL) {
        return;
    }
    switch (event->kind) {
    case SDSIM_SPAN_READ:
    case SDSIM_SPAN_WRITE:
        add_block(log, state, event->detail);
        break;
    case SDSIM_SPAN_STOP:
        state->stopped = true;
        break;
    case SDSIM_SPAN_ACCESS:
        state->access = event->duration;
        break;
    case SDSIM_SPAN_BUSY:
        if (state->stopped) {
            state->op->busy += event->duration;
        } else if (state->op->count > 0) {
            log->blocks[log->block_count - 1].busy += event->duration;
        }
        break;
    case SDSIM_SPAN_PAUSE:
        add_pause(state->op, event);
        break;
    default:
        break;
    }
}

struct sdsim_card_log_view sdsim_card_log_look(struct sdsim_card_log *log)
{
    struct state state = {0};
    free(log->ops);
    free(log->blocks);
    log->ops = calloc(log->count + 1, sizeof *log->ops);
    log->blocks = calloc(log->count + 1, sizeof *log->blocks);
    log->op_count = 0;
    log->block_count = 0;
    if (log->ops == NULL || log->blocks == NULL) {
        abort();
    }
    qsort(log->events, log->count, sizeof *log->events, by_start);
    for (size_t i = 0; i < log->count; i++) {
        take(log, &state, &log->events[i]);
    }
    return (struct sdsim_card_log_view){log->ops, log->op_count, log->blocks};
}
