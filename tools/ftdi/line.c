#include "line.h"

#include <stdlib.h>
#include <string.h>

#include "core/clock.h"

/* What the chip does not answer within this is not going to come. */
static const sdsim_ps patience = SDSIM_LINK_PATIENCE;

/* Bytes of the first look of a wait. */
static size_t first_look(const struct sdsim_line *line)
{
    struct sdsim_clock clock = {0};
    sdsim_clock_set(&clock, line->clock.num, line->clock.den);
    const uint64_t bytes = sdsim_clock_count(&clock, SDSIM_LINE_FIRST_TIME) / 8;
    return bytes < SDSIM_LINE_FIRST_LOOK ? SDSIM_LINE_FIRST_LOOK
           : bytes > SDSIM_LINE_LOOK     ? SDSIM_LINE_LOOK
                                         : (size_t)bytes;
}

static void forget_script(struct sdsim_line *line)
{
    line->script_size = 0;
    line->script_at = 0;
    line->script_from = 0;
}

static void begin(struct sdsim_line *line)
{
    forget_script(line);
    line->at = 0;
    line->count = 0;
    line->flights = 0;
    line->expected = 0;
    line->look = first_look(line);
    line->waited = 0;
    line->guesses = 0;
    line->position = line->queued;
    line->run_first = UINT64_MAX;
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
    sdsim_stopwatch_free(&line->watch);
    free(line->ahead);
    free(line->script);
    line->ahead = NULL;
    line->script = NULL;
}

static void fail(struct sdsim_line *line)
{
    line->failed = true;
    forget_script(line);
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

/* The byte of the batch from which on the chip has all commands, as they came in the packet of what was in
 * front of it: any, if the batch is a packet; else the first of the last run, if that is in the last one. */
static uint64_t quiet_from(const struct sdsim_line *line)
{
    enum { PINS = 3 }; /* bytes of a command that may lie between the two */
    const size_t size = line->batch.size;
    const size_t packet = line->link->packet > 0 ? line->link->packet : size;
    const size_t last = (size - 1) / packet * packet;
    if (last == 0) {
        return line->sent_end;
    }
    const bool with_it = line->run_at >= last + PINS + 1;
    return line->run_first < line->queued && with_it ? line->run_first : UINT64_MAX;
}

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
    const struct sdsim_timed_batch timed = {.first = line->sent_end,
                                            .end = line->queued,
                                            .quiet = quiet_from(line),
                                            .answers = batch->answers,
                                            .waiting = line->link->expected,
                                            .sent = sdsim_link_host_time(line->link)};
    if (!sdsim_link_submit(line->link, batch->bytes, batch->size, batch->answers)) {
        fail(line);
    } else {
        const size_t number = sdsim_stopwatch_sent(&line->watch, &timed);
        if (batch->answers > 0) {
            line->flying[line->flights++] =
                (struct sdsim_line_flight){batch->answers, line->queued, number};
        }
    }
    line->sent_end = line->queued;
    line->run_first = UINT64_MAX;
    sdsim_batch_clear(batch);
}

/* Reads that many bytes, at the end of the batch. */
static void queue_run(struct sdsim_line *line, size_t bytes)
{
    line->run_at = line->batch.size;
    line->run_first = line->queued;
    sdsim_batch_read(&line->batch, bytes);
    line->queued += bytes;
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

/* The host has yet to send a part of what was sent ahead. */
static bool in_script(const struct sdsim_line *line)
{
    return line->script_at < line->script_size;
}

/* The oldest batch's answers, in the place of what was there. */
static void collect(struct sdsim_line *line)
{
    if (!in_script(line)) {
        forget_script(line);
    }
    const struct sdsim_line_flight flight = line->flying[0];
    const size_t bytes = flight.answers;
    line->at = 0;
    line->count = 0;
    if (!make_room(line, bytes)) {
        return;
    }
    if (!sdsim_link_collect(line->link, line->ahead, bytes, patience)) {
        fail(line);
        return;
    }
    sdsim_stopwatch_arrived(&line->watch, flight.timed, line->link->arrived_at);
    line->flights--;
    memmove(line->flying, line->flying + 1, line->flights * sizeof line->flying[0]);
    line->count = bytes;
    line->ahead_end = flight.end;
    for (; line->guesses > 0; line->guesses--) {
        line->misjudged |= line->ahead[line->at] != 0xFF;
        line->at++;
    }
}

static void submit_look(struct sdsim_line *line, size_t bytes)
{
    queue_run(line, bytes);
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
        while (line->look >= SDSIM_LINE_PIPELINE && line->flights < SDSIM_LINE_DEPTH &&
               !line->failed) {
            submit_look(line, line->look);
        }
    }
    line->expected = 0;
    if (!line->failed) {
        collect(line);
    }
}

/* ---- what the host does ---- */

/* What is ahead was seen up to `at`: the number of the byte there. Behind the script, if there is one. */
static uint64_t number_of(const struct sdsim_line *line, size_t at)
{
    const size_t script = at < line->script_from ? line->script_size : 0;
    return line->ahead_end - (line->count - at) - script;
}

void sdsim_line_drop(struct sdsim_line *line)
{
    line->overrun += line->script_size - line->script_at;
    line->overrun += line->count - line->at;
    while (line->flights > 0 && !line->failed) {
        collect(line);
        line->overrun += line->count - line->at;
    }
    forget_script(line);
    line->at = 0;
    line->count = 0;
    line->look = first_look(line);
    line->expected = 0;
    line->waited = 0;
    line->position = line->queued;
}

void sdsim_line_clock(struct sdsim_line *line, const struct sdsim_mpsse_clock *clock)
{
    if (clock->divisor != line->clock.divisor) {
        sdsim_line_drop(line);
        line->clock = *clock;
        line->look = first_look(line);
        sdsim_batch_clock(&line->batch, clock);
    }
}

void sdsim_line_select(struct sdsim_line *line, bool low)
{
    sdsim_line_drop(line);
    sdsim_batch_select(&line->batch, low);
}

/* The host sends what was sent ahead. False: it sends something else. */
static bool follow_script(struct sdsim_line *line, uint8_t byte)
{
    if (line->script_at == 0) {
        while (line->flights > 0 && line->count < line->script_from && !line->failed) {
            collect(line);
        }
        if (line->failed) {
            return true;
        }
        line->overrun += line->at < line->script_from ? line->script_from - line->at : 0;
        line->at = line->script_from;
    }
    if (line->script[line->script_at] != byte) {
        line->misjudged = true;
        return false;
    }
    line->script_at++;
    line->position = number_of(line, line->script_from) - line->script_size + line->script_at;
    return true;
}

void sdsim_line_send(struct sdsim_line *line, uint8_t byte)
{
    const bool filler = byte == 0xFF && line->script_at == 0;
    if (in_script(line) && !filler && follow_script(line, byte)) {
        return;
    }
    if (byte == 0xFF) {
        sdsim_line_skip(line, 1);
    } else {
        sdsim_line_drop(line);
        sdsim_batch_write(&line->batch, &byte, 1);
        line->position = ++line->queued;
    }
}

/* Bytes in front of what was sent ahead that nobody looked at yet. */
static uint64_t skip_window(struct sdsim_line *line, uint64_t bytes)
{
    if (line->flights > 0 && line->count < line->script_from) {
        collect(line);
    }
    const uint64_t held = line->at < line->script_from ? line->script_from - line->at : 0;
    const uint64_t part = bytes < held ? bytes : held;
    line->at += (size_t)part;
    line->position += part;
    return part;
}

uint64_t sdsim_line_skip(struct sdsim_line *line, uint64_t bytes)
{
    uint64_t left = bytes;
    if (in_script(line)) {
        return skip_window(line, bytes);
    }
    while (left > 0 && !line->failed) {
        const uint64_t held = line->count - line->at;
        if (held > 0) {
            const uint64_t part = left < held ? left : held;
            line->at += (size_t)part;
            line->position = number_of(line, line->at);
            left -= part;
        } else if (line->flights > 0) {
            collect(line);
        } else {
            if (line->batch.open > 0 && left == 1) { /* in the middle of a block */
                sdsim_batch_write(&line->batch, &(const uint8_t){0xFF}, 1);
            } else {
                sdsim_batch_clocks(&line->batch, (size_t)left);
            }
            line->queued += left;
            line->position = line->queued;
            left = 0;
        }
    }
    return bytes;
}

void sdsim_line_expect(struct sdsim_line *line, size_t bytes)
{
    line->expected = bytes;
}

void sdsim_line_send_ahead(struct sdsim_line *line, size_t window, const uint8_t *bytes,
                           size_t count, size_t looks)
{
    if (count > line->script_room) {
        uint8_t *grown = realloc(line->script, count);
        if (grown == NULL) {
            no_memory(line);
            return;
        }
        line->script = grown;
        line->script_room = count;
    }
    memcpy(line->script, bytes, count);
    line->script_size = count;
    line->script_at = 0;
    line->script_from = line->guesses + window;
    sdsim_batch_read(&line->batch, window);
    sdsim_batch_write(&line->batch, bytes, count);
    line->queued += window + count;
    submit_look(line, looks);
    line->expected = looks; /* nothing more is sent before this was seen */
}

uint8_t sdsim_line_look(struct sdsim_line *line)
{
    while (line->at == line->count && !line->failed) {
        fetch(line);
    }
    if (line->failed) {
        return 0xFF;
    }
    if (in_script(line) && line->at >= line->script_from) {
        line->misjudged = true;
        forget_script(line);
    }
    line->position = number_of(line, line->at) + 1;
    return line->ahead[line->at++];
}

uint64_t sdsim_line_skip_ones(struct sdsim_line *line, uint64_t bytes)
{
    uint64_t skipped = 0;
    while (skipped < bytes && !line->failed) {
        if (sdsim_line_look(line) != 0xFF) {
            line->at--;
            line->position--;
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
    line->position = ++line->queued;
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

void sdsim_line_leave(struct sdsim_line *line)
{
    sdsim_line_select(line, false);
    sdsim_line_flush(line);
}

void sdsim_line_return(struct sdsim_line *line)
{
    begin(line);
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
