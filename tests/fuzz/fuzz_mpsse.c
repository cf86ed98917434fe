/*
 * MPSSE commands: any bytes to the engine of the tests, with a card on its pins. However they are cut
 * into pieces, and however late answers are taken, the same comes out at the same time.
 */
#include "fuzz/fuzz.h"

#include <string.h>

#include "ftdi/card_slave.h"
#include "ftdi/engine.h"

const unsigned sdsim_fuzz_runs = 300;

enum {
    MOST_BYTES = 96, /* of commands: each can be 65536 bytes on the bus */
    MOST_CLOCKS = 1000000,
};

/* What came out. */
struct outcome {
    uint32_t sum; /* of all answers, in their order */
    uint64_t answers;
    sdsim_ps now;
    uint64_t clocks;
    enum sdsim_engine_state state;
    bool whole; /* not given up */
};

static void take(struct sdsim_engine *engine, size_t most, struct outcome *outcome)
{
    uint8_t bytes[4096];
    const size_t count = sdsim_engine_take(engine, bytes, most);
    SDSIM_FUZZ_HOLDS(count <= most);
    SDSIM_FUZZ_HOLDS(engine->due <= engine->in.count);
    for (size_t i = 0; i < count; i++) {
        outcome->sum = outcome->sum * 31 + bytes[i];
    }
    outcome->answers += count;
}

/* Plays commands in pieces of `put` bytes, answers taken `most` at a time. */
static struct outcome play(enum sdsim_ftdi_kind kind, const struct sdsim_wiring *wiring,
                           const uint8_t *commands, size_t size, size_t put, size_t most)
{
    struct outcome outcome = {.state = SDSIM_ENGINE_IDLE};
    struct sdsim_slot *slot = sdsim_slot_create();
    SDSIM_FUZZ_HOLDS(slot != NULL && sdsim_slot_insert(slot, NULL, 1, 0) == SDSIM_OK);
    struct sdsim_card_slave card;
    struct sdsim_engine engine;
    sdsim_card_slave_init(&card, slot);
    sdsim_engine_init(&engine, kind, &card.slave);
    engine.wiring = *wiring;
    size_t done = 0;
    while (!outcome.whole && engine.clocks < MOST_CLOCKS) {
        const size_t count = size - done < put ? size - done : put;
        done += sdsim_engine_put(&engine, commands + done, count);
        outcome.state = sdsim_engine_run(&engine);
        SDSIM_FUZZ_HOLDS(engine.in.count <= engine.in.size && engine.out.count <= engine.out.size);
        const bool stands =
            outcome.state != SDSIM_ENGINE_FULL && outcome.state != SDSIM_ENGINE_RUNS;
        take(&engine, most, &outcome);
        outcome.whole =
            stands && engine.in.count == 0 && (done == size || outcome.state == SDSIM_ENGINE_WAITS);
    }
    outcome.now = engine.now;
    outcome.clocks = engine.clocks;
    sdsim_slot_destroy(slot);
    return outcome;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sdsim_fuzz_bytes bytes = {.at = data, .left = size};
    const enum sdsim_ftdi_kind kind =
        (enum sdsim_ftdi_kind)(sdsim_fuzz_byte(&bytes) % SDSIM_FTDI_KINDS);
    const struct sdsim_wiring wiring = {.stuck_low = sdsim_fuzz_byte(&bytes) & 0x0F,
                                        .stuck_high = sdsim_fuzz_byte(&bytes) & 0x0F,
                                        .shorted = sdsim_fuzz_byte(&bytes),
                                        .floating = sdsim_fuzz_byte(&bytes),
                                        .open = sdsim_fuzz_byte(&bytes) & 0x0F};
    const size_t put = 1 + sdsim_fuzz_byte(&bytes) % 16;
    const size_t most = 512 + sdsim_fuzz_byte(&bytes);
    const size_t count = bytes.left < MOST_BYTES ? bytes.left : MOST_BYTES;
    const struct outcome one = play(kind, &wiring, bytes.at, count, count, 4096);
    const struct outcome other = play(kind, &wiring, bytes.at, count, put, most);
    if (one.whole && other.whole) {
        SDSIM_FUZZ_HOLDS(one.state == other.state && one.now == other.now);
        SDSIM_FUZZ_HOLDS(one.clocks == other.clocks && one.answers == other.answers);
        SDSIM_FUZZ_HOLDS(one.sum == other.sum);
    }
    return 0;
}
