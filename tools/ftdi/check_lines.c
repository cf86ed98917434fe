/*
 * The checks about bits: edges of the clock, MOSI at rest, set-up margin, and where 0x9C stops.
 */
#include <string.h>

#include "batch.h"
#include "bus/frame.h"
#include "card_io.h"
#include "check.h"
#include "core/crc.h"

enum {
    SLOW_HZ = 400000,
    WAKE_BYTES = 16, /* with CS high: 128 clocks, 74 are asked for */
    PATTERN = 0x1AA, /* of CMD8: 2.7 to 3.6 V, and what it echoes */
    WINDOW = 24,     /* bytes behind a command in which its response is */
    EDGE_TRIES = 8,
    RESTS = 4, /* bytes read to see where MOSI is */
};

static struct sdsim_mpsse_clock slow_clock(void)
{
    struct sdsim_mpsse_clock clock;
    (void)sdsim_mpsse_clock_below(SLOW_HZ, &clock);
    return clock;
}

static void command_frame(uint8_t index, uint32_t argument, uint8_t bytes[SDSIM_FRAME_SIZE])
{
    const struct sdsim_frame frame = {.index = index, .argument = argument};
    sdsim_frame_command(&frame, bytes);
}

static bool ask(struct sdsim_link *link, struct sdsim_batch *batch, uint8_t *in)
{
    sdsim_batch_flush(batch);
    if (batch->failed) {
        return sdsim_link_fail(link, SDSIM_LINK_MEMORY, "out of memory");
    }
    return sdsim_link_ask(link, batch->bytes, batch->size, in, batch->answers, SDSIM_LINK_PATIENCE);
}

/* ---- edges ---- */

/* A shifting command of whole bytes, whatever its edges. */
static void shift(struct sdsim_batch *batch, uint8_t opcode, const uint8_t *bytes, size_t count)
{
    uint8_t command[3 + SDSIM_FRAME_SIZE] = {opcode, (uint8_t)(count - 1), 0};
    const bool writes = (opcode & SDSIM_MPSSE_WRITE) != 0;
    if (writes) {
        memcpy(command + 3, bytes, count);
    }
    sdsim_batch_command(batch, command, 3 + (writes ? count : 0),
                        (opcode & SDSIM_MPSSE_READ) != 0 ? count : 0);
}

static uint8_t writing(enum sdsim_edge edge)
{
    return SDSIM_MPSSE_WRITE |
           (uint8_t)(edge == SDSIM_EDGE_FALLING ? SDSIM_MPSSE_WRITE_FALLING : 0);
}

static uint8_t reading(enum sdsim_edge edge)
{
    return SDSIM_MPSSE_READ | (uint8_t)(edge == SDSIM_EDGE_FALLING ? SDSIM_MPSSE_READ_FALLING : 0);
}

/* A command with CS low, and what comes behind it. MOSI is high between bytes. */
static void exchange(struct sdsim_batch *batch, uint8_t index, uint32_t argument,
                     enum sdsim_edge out, enum sdsim_edge in)
{
    static const uint8_t ones[1] = {0xFF};
    uint8_t frame[SDSIM_FRAME_SIZE];
    command_frame(index, argument, frame);
    sdsim_batch_select(batch, true);
    shift(batch, writing(out), ones, 1);
    shift(batch, writing(out), frame, sizeof frame);
    shift(batch, writing(out), ones, 1);
    shift(batch, reading(in), NULL, WINDOW);
    sdsim_batch_select(batch, false);
    shift(batch, writing(out), ones, 1);
}

static bool has_response(const uint8_t *bytes, const uint8_t *response, size_t count)
{
    size_t at = 0;
    while (at < WINDOW && (bytes[at] & 0x80) != 0) {
        at++;
    }
    return at + count <= WINDOW && memcmp(bytes + at, response, count) == 0;
}

/* CMD0 makes the card idle. One of version 2 echoes the pattern of CMD8; one of version 1 doesn't know it,
 * as a card doesn't that heard something else: only both together say that it heard. */
static bool has_heard(const uint8_t *bytes)
{
    static const uint8_t idle[] = {0x01, 0xFF};
    static const uint8_t echo[] = {0x01, 0x00, 0x00, 0x01, 0xAA};
    static const uint8_t unknown[] = {0x05, 0xFF};
    const uint8_t *second = bytes + WINDOW;
    return has_response(bytes, idle, sizeof idle) &&
           (has_response(second, echo, sizeof echo) ||
            has_response(second, unknown, sizeof unknown));
}

static bool try_edges(struct sdsim_link *link, enum sdsim_edge out, enum sdsim_edge in,
                      bool *understood)
{
    const struct sdsim_mpsse_clock clock = slow_clock();
    uint8_t seen[2 * WINDOW];
    struct sdsim_batch batch;
    sdsim_batch_init(&batch);
    sdsim_batch_setup(&batch, &clock);
    sdsim_batch_clocks(&batch, WAKE_BYTES);
    exchange(&batch, 0, 0, out, in);
    exchange(&batch, 8, PATTERN, out, in);
    const bool fine = ask(link, &batch, seen);
    *understood = fine && has_heard(seen);
    sdsim_batch_free(&batch);
    return fine;
}

static bool all_are(const uint8_t *bytes, uint8_t value)
{
    for (unsigned i = 0; i < RESTS; i++) {
        if (bytes[i] != value) {
            return false;
        }
    }
    return true;
}

/* In the chip's own loop-back: what is read without being written is what MOSI shows. */
static bool find_rest(struct sdsim_link *link, enum sdsim_mosi_rest *rest)
{
    static const uint8_t loop_on = SDSIM_MPSSE_LOOP_ON;
    static const uint8_t loop_off = SDSIM_MPSSE_LOOP_OFF;
    const struct sdsim_mpsse_clock clock = slow_clock();
    uint8_t seen[2 * RESTS];
    struct sdsim_batch batch;
    sdsim_batch_init(&batch);
    sdsim_batch_setup(&batch, &clock);
    sdsim_batch_command(&batch, &loop_on, 1, 0);
    for (unsigned i = 0; i < 2; i++) {
        const uint8_t before = i == 0 ? 0x00 : 0xFF;
        shift(&batch, SDSIM_MPSSE_BYTES_OUT, &before, 1);
        shift(&batch, SDSIM_MPSSE_BYTES_IN, NULL, RESTS);
    }
    sdsim_batch_command(&batch, &loop_off, 1, 0);
    const bool fine = ask(link, &batch, seen);
    const bool low = fine && all_are(seen, 0x00);
    const bool high = fine && all_are(seen + RESTS, 0xFF);
    *rest = low && high                           ? SDSIM_MOSI_KEEPS
            : low && all_are(seen + RESTS, 0x00)  ? SDSIM_MOSI_LOW
            : fine && high && all_are(seen, 0xFF) ? SDSIM_MOSI_HIGH
                                                  : SDSIM_MOSI_UNKNOWN;
    sdsim_batch_free(&batch);
    return fine;
}

bool sdsim_check_edges(struct sdsim_link *link, struct sdsim_edge_fact *fact)
{
    *fact = (struct sdsim_edge_fact){.tries = EDGE_TRIES};
    for (unsigned i = 0; i < EDGE_TRIES; i++) {
        for (int out = 0; out < SDSIM_EDGES; out++) {
            for (int in = 0; in < SDSIM_EDGES; in++) {
                bool understood;
                if (!try_edges(link, (enum sdsim_edge)out, (enum sdsim_edge)in, &understood)) {
                    return false;
                }
                fact->understood[out][in] += understood ? 1 : 0;
            }
        }
    }
    return find_rest(link, &fact->mosi);
}

/* ---- a card ---- */

static bool identify(struct sdsim_link *link, struct sdsim_card_io *io, const char **why)
{
    struct sdsim_card_registers registers;
    const struct sdsim_mpsse_clock clock = sdsim_mpsse_clock_of(5);
    sdsim_card_io_init(io, link, &clock);
    *why = NULL;
    if (sdsim_card_io_identify(io, &registers)) {
        return true;
    }
    *why = "there is no card that can be identified";
    return false;
}

/* ---- margin ---- */

/* 7.5, 10, 15 and 30 MHz. */
static const uint16_t margin_divisors[SDSIM_MARGIN_CLOCKS] = {3, 2, 1, 0};

enum { MARGIN_BLOCKS = 64, MARGIN_RUN = 16 };

/* Blocks that were not right at once, or all there are if it doesn't work at all. */
static uint64_t read_at(struct sdsim_card_io *io, const struct sdsim_mpsse_clock *clock,
                        enum sdsim_edge edge)
{
    const uint64_t before = sdsim_mpsse_retries(&io->port);
    bool fine = true;
    sdsim_card_io_clock(io, clock);
    io->port.line.batch.late = edge == SDSIM_EDGE_FALLING;
    for (uint32_t i = 0; i < MARGIN_BLOCKS / MARGIN_RUN && fine; i++) {
        const uint32_t lba = io->sectors / (MARGIN_BLOCKS / MARGIN_RUN) * i;
        fine = sdsim_card_io_read(io, lba, MARGIN_RUN, NULL, NULL);
    }
    io->port.line.batch.late = false;
    const uint64_t faults = sdsim_mpsse_retries(&io->port) - before;
    return fine || faults > MARGIN_BLOCKS ? faults : MARGIN_BLOCKS;
}

bool sdsim_check_margin(struct sdsim_link *link, struct sdsim_margin_fact *fact, const char **why)
{
    struct sdsim_card_io io;
    bool works[SDSIM_EDGES] = {true, true};
    *fact = (struct sdsim_margin_fact){0};
    bool fine = identify(link, &io, why);
    for (unsigned i = 0; i < SDSIM_MARGIN_CLOCKS && fine; i++) {
        struct sdsim_margin_row *row = &fact->rows[i];
        row->clock = sdsim_mpsse_clock_of(margin_divisors[i]);
        row->blocks = MARGIN_BLOCKS;
        for (int edge = 0; edge < SDSIM_EDGES && fine; edge++) {
            row->faults[edge] = read_at(&io, &row->clock, (enum sdsim_edge)edge);
            works[edge] &= row->faults[edge] == 0;
            fact->best[edge] = works[edge] ? row->clock.num / row->clock.den : fact->best[edge];
            if (row->faults[edge] > 0 && !io.port.dead) { /* in step again, whatever it heard */
                sdsim_card_io_free(&io);
                fine = identify(link, &io, why);
            }
        }
    }
    const bool alive = !io.port.dead && link->fault == SDSIM_LINK_FINE;
    sdsim_card_io_free(&io);
    return alive;
}

/* ---- stop ---- */

enum {
    STREAM = 64,     /* bytes behind CMD9: response, token, the CSD, its CRC */
    UNTIL_BYTES = 8, /* that 0x9C may take at most */
    BEHIND = 32,
};

static bool bit_of(const uint8_t *bytes, size_t at)
{
    return at / 8 >= STREAM || (bytes[at / 8] >> (7 - at % 8) & 1) != 0;
}

/* Before which byte of the stream MISO is low, then rises within a byte, and is low at the next border: so
 * that it shows whether the chip looks at the pin only there. STREAM: there is no such place. */
static size_t place_to_stop(const uint8_t *stream)
{
    for (size_t byte = 1; byte + UNTIL_BYTES < STREAM / 2; byte++) {
        const size_t at = 8 * byte;
        unsigned due = 1;
        while (due < 8 && !bit_of(stream, at + due)) {
            due++;
        }
        if (!bit_of(stream, at) && due < 8 && !bit_of(stream, at + 8)) {
            return byte;
        }
    }
    return STREAM;
}

static unsigned clocks_due(const uint8_t *stream, size_t byte)
{
    unsigned due = 1;
    while (!bit_of(stream, 8 * byte + due)) {
        due++;
    }
    return due;
}

static void send_command(struct sdsim_batch *batch, const struct sdsim_mpsse_clock *clock)
{
    uint8_t frame[SDSIM_FRAME_SIZE];
    command_frame(9, 0, frame);
    sdsim_batch_setup(batch, clock);
    sdsim_batch_select(batch, true);
    sdsim_batch_clocks(batch, 1);
    sdsim_batch_write(batch, frame, sizeof frame);
}

static void end_command(struct sdsim_batch *batch)
{
    sdsim_batch_select(batch, false);
    sdsim_batch_clocks(batch, 2);
}

/* What the card sends behind CMD9. */
static bool read_stream(struct sdsim_link *link, const struct sdsim_mpsse_clock *clock,
                        uint8_t stream[STREAM])
{
    struct sdsim_batch batch;
    sdsim_batch_init(&batch);
    send_command(&batch, clock);
    sdsim_batch_read(&batch, STREAM);
    end_command(&batch);
    const bool fine = ask(link, &batch, stream);
    sdsim_batch_free(&batch);
    return fine;
}

/* The pins in front of the stop and behind it, and what comes then. */
struct stopped {
    uint8_t before;
    uint8_t after;
    uint8_t bytes[BEHIND];
};

static bool stop_at(struct sdsim_link *link, const struct sdsim_mpsse_clock *clock, size_t byte,
                    bool clocks, struct stopped *stopped)
{
    static const uint8_t look = SDSIM_MPSSE_GET_LOW;
    static const uint8_t until[] = {SDSIM_MPSSE_CLOCK_BYTES_UNTIL_HIGH, UNTIL_BYTES - 1, 0};
    uint8_t seen[STREAM + 2 + BEHIND];
    struct sdsim_batch batch;
    sdsim_batch_init(&batch);
    send_command(&batch, clock);
    sdsim_batch_read(&batch, byte);
    sdsim_batch_command(&batch, &look, 1, 1);
    if (clocks) {
        sdsim_batch_command(&batch, until, sizeof until, 0);
    }
    sdsim_batch_command(&batch, &look, 1, 1);
    sdsim_batch_read(&batch, BEHIND);
    end_command(&batch);
    const bool fine = ask(link, &batch, seen);
    sdsim_batch_free(&batch);
    *stopped = (struct stopped){.before = seen[byte], .after = seen[byte + 1]};
    memcpy(stopped->bytes, seen + byte + 2, BEHIND);
    return fine;
}

/* How many clocks of the stream are missing in front of what was read. */
static bool find_taken(const uint8_t *stream, size_t byte, const uint8_t *behind, unsigned *taken)
{
    for (unsigned clocks = 0; clocks <= 8 * UNTIL_BYTES; clocks++) {
        bool same = true;
        for (size_t i = 0; i < 8 * BEHIND && same; i++) {
            same =
                bit_of(stream, 8 * byte + clocks + i) == ((behind[i / 8] >> (7 - i % 8) & 1) != 0);
        }
        if (same) {
            *taken = clocks;
            return true;
        }
    }
    return false;
}

static bool follows(uint8_t pins)
{
    return ((pins & SDSIM_PIN_WAIT) != 0) == ((pins & SDSIM_PIN_MISO) != 0);
}

static bool measure_stop(struct sdsim_link *link, struct sdsim_stop_fact *fact, const char **why)
{
    const struct sdsim_mpsse_clock clock = slow_clock();
    uint8_t stream[STREAM];
    struct stopped stopped;
    if (!read_stream(link, &clock, stream)) {
        return false;
    }
    const size_t byte = place_to_stop(stream);
    if (byte == STREAM) {
        *why = "the card's CSD has no place where it would show";
        return true;
    }
    if (!stop_at(link, &clock, byte, false, &stopped)) {
        return false;
    }
    fact->wired = (stopped.before & SDSIM_PIN_MISO) == 0 && follows(stopped.before);
    if (!fact->wired) {
        return true;
    }
    if (!stop_at(link, &clock, byte, true, &stopped)) {
        return false;
    }
    fact->due = clocks_due(stream, byte);
    fact->known = find_taken(stream, byte, stopped.bytes, &fact->taken);
    fact->sck_high = (stopped.after & SDSIM_PIN_SCK) != 0;
    return true;
}

bool sdsim_check_stop(struct sdsim_link *link, struct sdsim_stop_fact *fact, const char **why)
{
    struct sdsim_card_io io;
    *fact = (struct sdsim_stop_fact){0};
    bool fine = identify(link, &io, why);
    if (fine) {
        sdsim_line_leave(&io.port.line);
        fine = measure_stop(link, fact, why);
        sdsim_line_return(&io.port.line);
    }
    const bool alive = (fine || *why != NULL) && link->fault == SDSIM_LINK_FINE;
    sdsim_card_io_free(&io);
    return alive;
}
