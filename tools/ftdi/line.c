#include "line.h"

#include <stdlib.h>
#include <string.h>

/* What the chip does not answer within this is not going to come. */
static const sdsim_ps patience = SDSIM_LINK_PATIENCE;

static void begin(struct sdsim_line *line)
{
    line->at = 0;
    line->count = 0;
    line->flights = 0;
    line->expected = 0;
    line->look = SDSIM_LINE_FIRST_LOOK;
    line->waited = 0;
    line->guesses = 0;
    sdsim_batch_clear(&line->batch);
    sdsim_batch_setup(&line->batch, &line->clock);
}

void sdsim_line_init(struct sdsim_line *line, struct sdsim_link *link,
                     const struct sdsim_mpsse_clock *clock)
{
    *line = (struct sdsim_line){.link = link, .clock = *clock};
    sdsim_batch_init(&line->batch);
    begin(line);
}

void sdsim_line_free(struct sdsim_line *line)
{
    sdsim_batch_free(&line->batch);
    free(line->ahead);
    line->ahead = NULL;
}

static void fail(struct sdsim_line *line)
{
    line->failed = true;
    line->at = 0;
    line->count = 0;
    line->flights = 0;
    line->guesses = 0;
    sdsim_batch_clear(&line->batch);
}

static void no_memory(struct sdsim_line *line)
{
    (void)sdsim_link_fail(line->link, SDSIM_LINK_MEMORY, "out of memory");
    fail(line);
}

/* ---- batches ---- */

/* Sends what is queued, and nothing if there is nothing. */
static void submit(struct sdsim_line *line)
{
    struct sdsim_batch *batch = &line->batch;
    if (batch->failed) {
        no_memory(line);
    }
    if (line->failed || batch->size == 0) {
        sdsim_batch_clear(batch);
        return;
    }
    if (!sdsim_link_submit(line->link, batch->bytes, batch->size, batch->answers)) {
        fail(line);
    } else if (batch->answers > 0) {
        line->flying[line->flights++] = batch->answers;
    }
    sdsim_batch_clear(batch);
}

static bool make_room(struct sdsim_line *line, size_t bytes)
{
    if (bytes <= line->capacity) {
        return true;
    }
    uint8_t *grown = realloc(line->ahead, bytes);
    if (grown == NULL) {
        no_memory(line);
        return false;
    }
    line->ahead = grown;
    line->capacity = bytes;
    return true;
}

/* The oldest batch's answers, in the place of what was there. */
static void collect(struct sdsim_line *line)
{
    const size_t bytes = line->flying[0];
    line->at = 0;
    line->count = 0;
    if (!make_room(line, bytes)) {
        return;
    }
    if (!sdsim_link_collect(line->link, line->ahead, bytes, patience)) {
        fail(line);
        return;
    }
    line->flights--;
    memmove(line->flying, line->flying + 1, line->flights * sizeof line->flying[0]);
    line->count = bytes;
    for (; line->guesses > 0; line->guesses--) {
        line->misjudged |= line->ahead[line->at] != 0xFF;
        line->at++;
    }
}

static void submit_look(struct sdsim_line *line, size_t bytes)
{
    sdsim_batch_read(&line->batch, bytes);
    sdsim_batch_flush(&line->batch);
    line->waited += bytes;
    submit(line);
}

/* Gets more bytes to look at. */
static void fetch(struct sdsim_line *line)
{
    if (line->flights == 0) {
        submit_look(line, line->expected > 0 ? line->expected : line->look);
    }
    if (line->expected == 0) {
        const size_t most = line->waited > SDSIM_LINE_LONGER_WAIT ? SDSIM_LINE_LONGER_LOOK
                            : line->waited > SDSIM_LINE_LONG_WAIT ? SDSIM_LINE_LONG_LOOK
                                                                  : SDSIM_LINE_LOOK;
        line->look = line->look * 2 < most ? line->look * 2 : most;
        while (line->look >= SDSIM_LINE_LOOK && line->flights < SDSIM_LINE_DEPTH && !line->failed) {
            submit_look(line, line->look);
        }
    }
    line->expected = 0;
    if (!line->failed) {
        collect(line);
    }
}

/* ---- what the host does ---- */

void sdsim_line_drop(struct sdsim_line *line)
{
    line->overrun += line->count - line->at;
    while (line->flights > 0 && !line->failed) {
        collect(line);
        line->overrun += line->count - line->at;
    }
    line->at = 0;
    line->count = 0;
    line->look = SDSIM_LINE_FIRST_LOOK;
    line->expected = 0;
    line->waited = 0;
}

void sdsim_line_clock(struct sdsim_line *line, const struct sdsim_mpsse_clock *clock)
{
    if (clock->divisor != line->clock.divisor) {
        sdsim_line_drop(line);
        line->clock = *clock;
        sdsim_batch_clock(&line->batch, clock);
    }
}

void sdsim_line_select(struct sdsim_line *line, bool low)
{
    sdsim_line_drop(line);
    sdsim_batch_select(&line->batch, low);
}

void sdsim_line_send(struct sdsim_line *line, uint8_t byte)
{
    if (byte == 0xFF) {
        sdsim_line_skip(line, 1);
    } else {
        sdsim_line_drop(line);
        sdsim_batch_write(&line->batch, &byte, 1);
    }
}

void sdsim_line_skip(struct sdsim_line *line, uint64_t bytes)
{
    while (bytes > 0 && !line->failed) {
        const uint64_t held = line->count - line->at;
        if (held > 0) {
            const uint64_t part = bytes < held ? bytes : held;
            line->at += (size_t)part;
            bytes -= part;
        } else if (line->flights > 0) {
            collect(line);
        } else if (line->batch.open > 0 && bytes == 1) { /* in the middle of a block */
            sdsim_batch_write(&line->batch, &(const uint8_t){0xFF}, 1);
            bytes = 0;
        } else {
            sdsim_batch_clocks(&line->batch, (size_t)bytes);
            bytes = 0;
        }
    }
}

void sdsim_line_expect(struct sdsim_line *line, size_t bytes)
{
    line->expected = bytes;
}

uint8_t sdsim_line_look(struct sdsim_line *line)
{
    while (line->at == line->count && !line->failed) {
        fetch(line);
    }
    return line->failed ? 0xFF : line->ahead[line->at++];
}

uint64_t sdsim_line_skip_ones(struct sdsim_line *line, uint64_t bytes)
{
    uint64_t skipped = 0;
    while (skipped < bytes && !line->failed) {
        if (sdsim_line_look(line) != 0xFF) {
            line->at--;
            break;
        }
        skipped++;
    }
    return skipped;
}

void sdsim_line_guess(struct sdsim_line *line)
{
    if (line->at < line->count || line->flights > 0) {
        line->misjudged |= sdsim_line_look(line) != 0xFF;
        return;
    }
    sdsim_batch_read(&line->batch, 1);
    line->guesses++;
}

void sdsim_line_flush(struct sdsim_line *line)
{
    if (line->guesses > 0) { /* they answer something */
        sdsim_batch_flush(&line->batch);
        submit(line);
        sdsim_line_drop(line);
    }
    submit(line);
}

bool sdsim_line_recover(struct sdsim_line *line)
{
    if (line->link->fault != SDSIM_LINK_FINE && !sdsim_link_recover(line->link)) {
        line->failed = true;
        return false;
    }
    line->failed = false;
    line->misjudged = false;
    line->batch.failed = false;
    begin(line);
    return true;
}
