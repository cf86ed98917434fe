#include "byte_log.h"

#include <stdlib.h>
#include <string.h>

#include "bus/frame.h"

static void hear(struct sdsim_wire_listener *listener, sdsim_ps start, sdsim_ps end, bool selected,
                 uint8_t mosi, uint8_t miso)
{
    struct sdsim_byte_log *log = (struct sdsim_byte_log *)listener;
    (void)start;
    (void)end;
    (void)selected;
    if (log->count == log->capacity && !log->broken) {
        const size_t wanted = log->capacity * 2 + 4096;
        uint8_t *more_mosi = realloc(log->mosi, wanted);
        log->mosi = more_mosi != NULL ? more_mosi : log->mosi;
        uint8_t *more_miso = realloc(log->miso, wanted);
        log->miso = more_miso != NULL ? more_miso : log->miso;
        uint64_t *more_ends = realloc(log->ends, wanted * sizeof *more_ends);
        log->ends = more_ends != NULL ? more_ends : log->ends;
        log->broken = more_mosi == NULL || more_miso == NULL || more_ends == NULL;
        log->capacity = log->broken ? log->capacity : wanted;
    }
    if (!log->broken) {
        log->mosi[log->count] = mosi;
        log->miso[log->count] = miso;
        log->ends[log->count] = log->line->position;
        log->count++;
    }
}

void sdsim_byte_log_init(struct sdsim_byte_log *log, const struct sdsim_line *line)
{
    *log = (struct sdsim_byte_log){.listener = {.byte = hear}, .line = line, .gap = -1};
}

void sdsim_byte_log_free(struct sdsim_byte_log *log)
{
    free(log->mosi);
    free(log->miso);
    free(log->ends);
    sdsim_byte_log_init(log, log->line);
}

void sdsim_byte_log_clear(struct sdsim_byte_log *log)
{
    log->count = 0;
    log->broken = false;
}

/* ---- times ---- */

/* Where the next byte stands that the host sends and that says something; count: nowhere. */
static size_t find_sent(const struct sdsim_byte_log *log, size_t from)
{
    while (from < log->count && log->mosi[from] == 0xFF) {
        from++;
    }
    return from;
}

/* The next byte from the card of this value; count: there is none. */
static size_t find_seen(const struct sdsim_byte_log *log, size_t from, uint8_t miso)
{
    while (from < log->count && log->miso[from] != miso) {
        from++;
    }
    return from;
}

static size_t find_response(const struct sdsim_byte_log *log, size_t from)
{
    while (from < log->count && (log->miso[from] & 0x80) != 0) {
        from++;
    }
    return from;
}

/* The most that lies between the byte in front of `from` and that at `to`; 0: nobody knows. */
static double most_between(const struct sdsim_byte_log *log, size_t from, size_t to)
{
    const struct sdsim_line *line = log->line;
    const struct sdsim_stopwatch_chip chip = {.byte = 8 * (double)SDSIM_S * line->clock.den /
                                                      line->clock.num,
                                              .gap = log->gap,
                                              .in_fifo = line->link->chip->in_fifo};
    double bytes;
    const bool known =
        from > 0 && to < log->count &&
        sdsim_stopwatch_most(&line->watch, &chip, log->ends[from - 1], log->ends[to] - 1, &bytes);
    const double counted = (double)(to - from);
    return !known ? 0 : bytes > counted ? bytes : counted;
}

static bool read_times(const struct sdsim_byte_log *log, const struct sdsim_transaction *tx,
                       size_t end, size_t from, struct sdsim_byte_times *times)
{
    for (uint32_t block = 0; block < tx->blocks; block++) {
        const size_t token = find_seen(log, from, SDSIM_TOKEN_START);
        if (token == log->count) {
            return false;
        }
        if (block == 0) {
            times->access = (uint32_t)(token - end);
            times->access_most = most_between(log, end, token);
        } else {
            times->blocks_most[times->count] = most_between(log, from, token);
            times->blocks[times->count++] = (uint32_t)(token - from);
        }
        from = token + 1 + tx->block_bytes + 2;
    }
    return from <= log->count;
}

static bool write_times(const struct sdsim_byte_log *log, const struct sdsim_transaction *tx,
                        size_t from, struct sdsim_byte_times *times)
{
    for (uint32_t block = 0; block < tx->blocks; block++) {
        const size_t answer = find_sent(log, from) + 1 + SDSIM_SECTOR + 2;
        const size_t ready = answer < log->count ? find_seen(log, answer + 1, 0xFF) : log->count;
        if (ready >= log->count) {
            return false;
        }
        times->blocks_most[times->count] = most_between(log, answer, ready);
        times->blocks[times->count++] = (uint32_t)(ready - answer);
        from = ready + 1;
    }
    if ((tx->flags & SDSIM_STOP_TOKEN) != 0) {
        const size_t end = find_sent(log, from) + 1;
        const size_t ready = find_seen(log, end + 1, 0xFF); /* passing N_BR over */
        times->busy = (uint32_t)(ready - end);
        times->busy_most = most_between(log, end, ready);
        return ready < log->count;
    }
    return true;
}

static bool find_times(const struct sdsim_byte_log *log, const struct sdsim_transaction *tx,
                       struct sdsim_byte_times *times)
{
    const size_t frame = find_sent(log, 0);
    const size_t end = frame + SDSIM_FRAME_SIZE;
    const size_t response = find_response(log, end);
    if (response >= log->count) {
        return false;
    }
    times->n_cr = (uint32_t)(response - end);
    switch (tx->direction) {
    case SDSIM_READ_BLOCKS:
        return read_times(log, tx, end, response + 1, times);
    case SDSIM_WRITE_BLOCKS:
        return write_times(log, tx, response + 1, times);
    case SDSIM_NO_BLOCKS:
        break;
    }
    const size_t ready = tx->finish != NULL ? find_seen(log, response + 1, 0xFF) : end;
    times->busy = ready > response + 1 ? (uint32_t)(ready - end) : 0;
    times->busy_most = times->busy > 0 ? most_between(log, end, ready) : 0;
    return ready < log->count || tx->finish == NULL;
}

bool sdsim_byte_log_times(const struct sdsim_byte_log *log, const struct sdsim_transaction *tx,
                          struct sdsim_byte_times *times)
{
    *times = (struct sdsim_byte_times){0};
    if (log->broken || (tx->flags & SDSIM_COMMAND) == 0) {
        return false;
    }
    times->blocks = calloc((size_t)tx->blocks + 1, sizeof *times->blocks);
    times->blocks_most = calloc((size_t)tx->blocks + 1, sizeof *times->blocks_most);
    times->complete =
        times->blocks != NULL && times->blocks_most != NULL && find_times(log, tx, times);
    return times->complete;
}

void sdsim_byte_times_free(struct sdsim_byte_times *times)
{
    free(times->blocks);
    free(times->blocks_most);
    *times = (struct sdsim_byte_times){0};
}
