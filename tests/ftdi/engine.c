#include "ftdi/engine_parts.h"

#include <assert.h>
#include <string.h>

enum {
    MOST_STEPS = 1024,    /* of one run */
    PATIENCE_CLOCKS = 32, /* for a pin, in one step */
};

/* ---- FIFOs ---- */

static size_t fifo_room(const struct sdsim_fifo *fifo)
{
    return fifo->size - fifo->count;
}

static void fifo_put(struct sdsim_fifo *fifo, uint8_t byte)
{
    assert(fifo_room(fifo) > 0);
    fifo->bytes[(fifo->first + fifo->count) % fifo->size] = byte;
    fifo->count++;
}

static uint8_t fifo_take(struct sdsim_fifo *fifo)
{
    assert(fifo->count > 0);
    const uint8_t byte = fifo->bytes[fifo->first];
    fifo->first = (fifo->first + 1) % fifo->size;
    fifo->count--;
    return byte;
}

static void fifo_clear(struct sdsim_fifo *fifo)
{
    fifo->first = 0;
    fifo->count = 0;
}

size_t sdsim_engine_put(struct sdsim_engine *engine, const uint8_t *bytes, size_t count)
{
    size_t done = 0;
    while (done < count && fifo_room(&engine->out) > 0) {
        fifo_put(&engine->out, bytes[done++]);
    }
    return done;
}

size_t sdsim_engine_take(struct sdsim_engine *engine, uint8_t *bytes, size_t most)
{
    size_t done = 0;
    while (done < most && engine->in.count > 0) {
        bytes[done++] = fifo_take(&engine->in);
    }
    engine->due -= engine->due < done ? engine->due : done;
    return done;
}

void sdsim_engine_purge_in(struct sdsim_engine *engine)
{
    fifo_clear(&engine->in);
    engine->due = 0;
}

void sdsim_engine_purge_out(struct sdsim_engine *engine)
{
    fifo_clear(&engine->out);
    engine->in_command = false;
    engine->left = 0;
}

/* ---- clock ---- */

static void set_clock(struct sdsim_engine *engine)
{
    const uint64_t source = engine->divide_by_5 ? 12000000 : 60000000;
    const uint64_t halves = engine->three_phase ? 3 : 2;
    sdsim_clock_set(&engine->clock, source, halves * (1 + (uint64_t)engine->divisor));
}

void sdsim_engine_reset(struct sdsim_engine *engine)
{
    engine->divide_by_5 = true;
    engine->three_phase = false;
    engine->adaptive = false;
    engine->loop = false;
    engine->divisor = 0;
    engine->level = 0;
    engine->driven = 0;
    engine->drain = 0;
    engine->rest = 0xFF;
    engine->high_level = 0;
    engine->high_driven = 0;
    sdsim_engine_purge_out(engine);
    sdsim_engine_purge_in(engine);
    set_clock(engine);
    sdsim_engine_tell_slave(engine);
}

void sdsim_engine_init(struct sdsim_engine *engine, enum sdsim_ftdi_kind kind,
                       struct sdsim_slave *slave)
{
    const struct sdsim_ftdi_chip *chip = sdsim_ftdi_chip(kind);
    *engine =
        (struct sdsim_engine){.chip = chip, .nobody = {sdsim_engine_nobody()}, .powered = true};
    engine->slave = slave != NULL ? slave : &engine->nobody;
    engine->out.size = chip->out_fifo;
    engine->in.size = chip->in_fifo;
    sdsim_engine_reset(engine);
}

/* ---- shifting ---- */

static uint8_t mirrored(uint8_t byte)
{
    byte = (uint8_t)((byte & 0xF0) >> 4 | (byte & 0x0F) << 4);
    byte = (uint8_t)((byte & 0xCC) >> 2 | (byte & 0x33) << 2);
    return (uint8_t)((byte & 0xAA) >> 1 | (byte & 0x55) << 1);
}

/* Bytes as they are on the wire: the first bit in bit 7, and late ones behind the level before. */
static void lay_out(struct sdsim_engine *engine, uint8_t *bytes, size_t count)
{
    const bool lsb = (engine->opcode & SDSIM_MPSSE_LSB_FIRST) != 0;
    const bool rising = (engine->opcode & SDSIM_MPSSE_WRITE_FALLING) == 0;
    const bool late = rising != engine->habits.swapped_edges;
    for (size_t i = 0; i < count; i++) {
        const uint8_t byte = lsb ? mirrored(bytes[i]) : bytes[i];
        bytes[i] = late ? (uint8_t)((sdsim_engine_mosi(engine) ? 0x80 : 0) | byte >> 1) : byte;
        sdsim_engine_set_mosi(engine, (byte & 1) != 0);
    }
}

/* The next bytes of a byte command. False: nothing can be done now. */
static bool shift_bytes(struct sdsim_engine *engine)
{
    const bool writes = (engine->opcode & SDSIM_MPSSE_WRITE) != 0;
    const bool reads = (engine->opcode & SDSIM_MPSSE_READ) != 0;
    size_t count = engine->left < SDSIM_ENGINE_CHUNK ? engine->left : SDSIM_ENGINE_CHUNK;
    if (writes && count > engine->out.count) {
        count = engine->out.count;
    }
    if (reads && count > fifo_room(&engine->in)) {
        count = fifo_room(&engine->in);
    }
    if (count == 0) {
        return false;
    }
    uint8_t sent[SDSIM_ENGINE_CHUNK];
    uint8_t bytes[SDSIM_ENGINE_CHUNK];
    if (writes) {
        for (size_t i = 0; i < count; i++) {
            sent[i] = fifo_take(&engine->out);
        }
        memcpy(bytes, sent, count);
        lay_out(engine, bytes, count);
    } else {
        const struct sdsim_habits *habits = &engine->habits;
        const bool level = habits->reads_drive ? habits->read_level : sdsim_engine_mosi(engine);
        memset(sent, level ? 0xFF : 0, count);
        memcpy(bytes, sent, count);
    }
    sdsim_engine_exchange(engine, bytes, count);
    if (reads) {
        sdsim_engine_delay(engine, bytes, count);
    }
    for (size_t i = 0; reads && i < count; i++) {
        const bool lsb = (engine->opcode & SDSIM_MPSSE_LSB_FIRST) != 0;
        fifo_put(&engine->in, engine->loop ? sent[i] : lsb ? mirrored(bytes[i]) : bytes[i]);
    }
    engine->left -= (uint32_t)count;
    return true;
}

/* A bit command, whole; all arguments are there, and room for the answer. */
static void shift_bits(struct sdsim_engine *engine)
{
    const bool writes = (engine->opcode & SDSIM_MPSSE_WRITE) != 0;
    const bool lsb = (engine->opcode & SDSIM_MPSSE_LSB_FIRST) != 0;
    const bool late = (engine->opcode & SDSIM_MPSSE_WRITE_FALLING) == 0;
    const unsigned bits = (engine->argument[0] & 7u) + 1;
    uint8_t data = engine->argument[1];
    uint8_t read = 0;
    for (unsigned i = 0; i < bits; i++) {
        const bool bit = (data & (lsb ? 0x01 : 0x80)) != 0;
        data = (uint8_t)(lsb ? data >> 1 : data << 1);
        const bool got = sdsim_engine_bit(engine, writes, late, bit);
        read = (uint8_t)(lsb ? read >> 1 | (got ? 0x80 : 0) : read << 1 | (got ? 1 : 0));
    }
    if ((engine->opcode & SDSIM_MPSSE_READ) != 0) {
        fifo_put(&engine->in, read);
    }
}

/* Bits on TMS, which is CS here, with MOSI as bit 7 says. */
static void shift_tms(struct sdsim_engine *engine)
{
    const unsigned bits = (engine->argument[0] & 7u) + 1;
    uint8_t read = 0;
    sdsim_engine_set_mosi(engine, (engine->argument[1] & 0x80) != 0);
    for (unsigned i = 0; i < bits; i++) {
        const bool level = (engine->argument[1] >> i & 1) != 0;
        engine->level = (uint8_t)((engine->level & ~SDSIM_PIN_CS) | (level ? SDSIM_PIN_CS : 0));
        sdsim_engine_tell_slave(engine);
        const bool got = sdsim_engine_bit(engine, false, false, false);
        read = (uint8_t)(read >> 1 | (got ? 0x80 : 0));
    }
    if ((engine->opcode & SDSIM_MPSSE_READ) != 0) {
        fifo_put(&engine->in, read);
    }
}

/* Clocks without data: MOSI keeps its level, nothing is read. */
static void clock_bits(struct sdsim_engine *engine, unsigned bits)
{
    for (unsigned i = 0; i < bits; i++) {
        sdsim_engine_bit(engine, false, false, false);
    }
}

static void clock_bytes(struct sdsim_engine *engine, size_t count)
{
    uint8_t bytes[SDSIM_ENGINE_CHUNK];
    memset(bytes, sdsim_engine_mosi(engine) ? 0xFF : 0, count);
    sdsim_engine_exchange(engine, bytes, count);
}

/* ---- commands ---- */

static uint16_t word(const struct sdsim_engine *engine)
{
    return (uint16_t)(engine->argument[0] | engine->argument[1] << 8);
}

static bool waits_for_high(uint8_t opcode)
{
    return opcode == SDSIM_MPSSE_WAIT_HIGH || opcode == SDSIM_MPSSE_CLOCK_UNTIL_HIGH ||
           opcode == SDSIM_MPSSE_CLOCK_BYTES_UNTIL_HIGH;
}

static bool pin_is_there(struct sdsim_engine *engine)
{
    const bool high = (sdsim_engine_pins(engine) & SDSIM_PIN_WAIT) != 0;
    return high == waits_for_high(engine->opcode);
}

/* How a command is made up. */
struct shape {
    bool known;
    uint8_t arguments; /* bytes behind the opcode, data of byte commands apart */
    uint8_t answers;   /* bytes that must find room before it is begun */
};

static struct shape shape_of_shift(uint8_t opcode)
{
    const bool writes = (opcode & SDSIM_MPSSE_WRITE) != 0;
    const bool reads = (opcode & SDSIM_MPSSE_READ) != 0;
    if ((opcode & SDSIM_MPSSE_TMS) != 0) {
        /* 0x4A, 0x4B, 0x6A, 0x6B, 0x6E, 0x6F */
        const uint8_t must = SDSIM_MPSSE_BITS | SDSIM_MPSSE_LSB_FIRST;
        const bool known = (opcode & must) == must && !writes &&
                           (reads || (opcode & SDSIM_MPSSE_READ_FALLING) == 0);
        return (struct shape){.known = known, .arguments = 2, .answers = reads};
    }
    if (!writes && !reads) {
        return (struct shape){.known = false};
    }
    if ((opcode & SDSIM_MPSSE_BITS) != 0) {
        return (struct shape){.known = true, .arguments = writes ? 2 : 1, .answers = reads};
    }
    return (struct shape){.known = true, .arguments = 2};
}

static struct shape shape_of(const struct sdsim_engine *engine, uint8_t opcode)
{
    if (opcode < 0x80) {
        return shape_of_shift(opcode);
    }
    switch (opcode) {
    case SDSIM_MPSSE_GET_LOW:
    case SDSIM_MPSSE_GET_HIGH:
        return (struct shape){.known = true, .answers = 1};
    case SDSIM_MPSSE_SET_LOW:
    case SDSIM_MPSSE_SET_HIGH:
    case SDSIM_MPSSE_DIVISOR:
    case SDSIM_MPSSE_CLOCK_BYTES:
    case SDSIM_MPSSE_CLOCK_BYTES_UNTIL_HIGH:
    case SDSIM_MPSSE_CLOCK_BYTES_UNTIL_LOW:
        return (struct shape){.known = true, .arguments = 2};
    case SDSIM_MPSSE_OPEN_DRAIN:
        return (struct shape){.known = engine->chip->open_drain, .arguments = 2};
    case SDSIM_MPSSE_CLOCK_BITS:
        return (struct shape){.known = true, .arguments = 1};
    default: /* 0x84 to 0x97 without arguments, but for the CPU bus */
        return (struct shape){.known = opcode >= SDSIM_MPSSE_LOOP_ON &&
                                       opcode <= SDSIM_MPSSE_ADAPTIVE_OFF &&
                                       (opcode < 0x90 || opcode > 0x93)};
    }
}

/* Commands that only set something. */
static void set_up(struct sdsim_engine *engine)
{
    switch (engine->opcode) {
    case SDSIM_MPSSE_SET_LOW:
        sdsim_engine_set_low(engine, engine->argument[0], engine->argument[1]);
        break;
    case SDSIM_MPSSE_SET_HIGH:
        if (engine->chip->high_pins) {
            engine->high_level = engine->argument[0];
            engine->high_driven = engine->argument[1];
            sdsim_engine_tell_slave(engine);
        }
        break;
    case SDSIM_MPSSE_OPEN_DRAIN:
        engine->drain = engine->argument[0];
        break;
    case SDSIM_MPSSE_LOOP_ON:
    case SDSIM_MPSSE_LOOP_OFF:
        engine->loop = engine->opcode == SDSIM_MPSSE_LOOP_ON;
        break;
    case SDSIM_MPSSE_ADAPTIVE_ON:
    case SDSIM_MPSSE_ADAPTIVE_OFF:
        engine->adaptive = engine->opcode == SDSIM_MPSSE_ADAPTIVE_ON;
        break;
    case SDSIM_MPSSE_DIVISOR:
        engine->divisor = word(engine);
        break;
    case SDSIM_MPSSE_DIVIDE_5_OFF:
    case SDSIM_MPSSE_DIVIDE_5_ON:
        engine->divide_by_5 = engine->opcode == SDSIM_MPSSE_DIVIDE_5_ON;
        break;
    case SDSIM_MPSSE_THREE_PHASE_ON:
    case SDSIM_MPSSE_THREE_PHASE_OFF:
        engine->three_phase = engine->opcode == SDSIM_MPSSE_THREE_PHASE_ON;
        break;
    default:
        break;
    }
    set_clock(engine);
}

static uint8_t high_pins(const struct sdsim_engine *engine)
{
    return engine->chip->high_pins ? (uint8_t)(engine->high_level | ~engine->high_driven) : 0xFF;
}

/* A command is complete with its arguments: does it, or prepares what goes on byte by byte. */
static void begin(struct sdsim_engine *engine)
{
    const uint8_t opcode = engine->opcode;
    engine->commands++;
    engine->left = 0;
    if (opcode < 0x80 && (opcode & SDSIM_MPSSE_TMS) != 0) {
        shift_tms(engine);
    } else if (opcode < 0x80 && (opcode & SDSIM_MPSSE_BITS) != 0) {
        shift_bits(engine);
    } else if (opcode < 0x80) {
        engine->left = word(engine) + 1u;
    } else {
        switch (opcode) {
        case SDSIM_MPSSE_GET_LOW:
            fifo_put(&engine->in, sdsim_engine_pins(engine));
            break;
        case SDSIM_MPSSE_GET_HIGH:
            fifo_put(&engine->in, high_pins(engine));
            break;
        case SDSIM_MPSSE_SEND_NOW:
            engine->due = engine->in.count;
            break;
        case SDSIM_MPSSE_CLOCK_BITS:
            clock_bits(engine, (engine->argument[0] & 7u) + 1);
            break;
        case SDSIM_MPSSE_WAIT_HIGH:
        case SDSIM_MPSSE_WAIT_LOW:
        case SDSIM_MPSSE_CLOCK_UNTIL_HIGH:
        case SDSIM_MPSSE_CLOCK_UNTIL_LOW:
            engine->left = 1;
            break;
        case SDSIM_MPSSE_CLOCK_BYTES:
        case SDSIM_MPSSE_CLOCK_BYTES_UNTIL_HIGH:
        case SDSIM_MPSSE_CLOCK_BYTES_UNTIL_LOW:
            engine->left = word(engine) + 1u;
            break;
        default:
            set_up(engine);
            break;
        }
    }
    engine->in_command = engine->left > 0;
}

/* Eight clocks, or up to the one behind which the pin is there. */
static void clock_byte_until(struct sdsim_engine *engine)
{
    if (!engine->habits.stops_in_byte) {
        clock_bytes(engine, 1);
        return;
    }
    for (unsigned i = 0; i < 8 && (i == 0 || !pin_is_there(engine)); i++) {
        clock_bits(engine, 1);
    }
}

/* Goes on with a command that has begun. False: it stands. */
static bool go_on(struct sdsim_engine *engine)
{
    if (engine->opcode < 0x80) {
        return shift_bytes(engine);
    }
    switch (engine->opcode) {
    case SDSIM_MPSSE_CLOCK_BYTES: {
        const size_t count = engine->left < SDSIM_ENGINE_CHUNK ? engine->left : SDSIM_ENGINE_CHUNK;
        clock_bytes(engine, count);
        engine->left -= (uint32_t)count;
        return true;
    }
    case SDSIM_MPSSE_WAIT_HIGH:
    case SDSIM_MPSSE_WAIT_LOW:
        engine->left = pin_is_there(engine) ? 0 : 1;
        return engine->left == 0;
    case SDSIM_MPSSE_CLOCK_UNTIL_HIGH:
    case SDSIM_MPSSE_CLOCK_UNTIL_LOW:
        for (int i = 0; i < PATIENCE_CLOCKS && !pin_is_there(engine); i++) {
            clock_bits(engine, 1);
        }
        engine->left = pin_is_there(engine) ? 0 : 1;
        return true;
    default: /* bytes until */
        for (int i = 0; i < PATIENCE_CLOCKS && engine->left > 0; i++) {
            clock_byte_until(engine);
            engine->left = pin_is_there(engine) ? 0 : engine->left - 1;
        }
        if (engine->left == 0 && engine->habits.stops_with_clock) {
            engine->level |= SDSIM_PIN_SCK;
        }
        return true;
    }
}

static bool is_shift_or_clock(uint8_t opcode)
{
    return opcode < 0x80 || opcode == SDSIM_MPSSE_CLOCK_BITS || opcode == SDSIM_MPSSE_CLOCK_BYTES;
}

/* Takes the next command from the FIFO, argument by argument. SDSIM_ENGINE_RUNS: one step done. */
static enum sdsim_engine_state fetch(struct sdsim_engine *engine)
{
    if (!engine->in_command) {
        if (engine->out.count == 0) {
            return SDSIM_ENGINE_IDLE;
        }
        engine->opcode = fifo_take(&engine->out);
        engine->in_command = true;
        engine->argument_count = 0;
    }
    const struct shape shape = shape_of(engine, engine->opcode);
    if (!shape.known) {
        if (fifo_room(&engine->in) < 2) {
            return SDSIM_ENGINE_FULL;
        }
        fifo_put(&engine->in, SDSIM_MPSSE_BAD);
        fifo_put(&engine->in, engine->opcode);
        engine->bad++;
        engine->in_command = false;
        return SDSIM_ENGINE_RUNS;
    }
    while (engine->argument_count < shape.arguments) {
        if (engine->out.count == 0) {
            return SDSIM_ENGINE_NEEDS;
        }
        engine->argument[engine->argument_count++] = fifo_take(&engine->out);
    }
    if (fifo_room(&engine->in) < shape.answers) {
        return SDSIM_ENGINE_FULL;
    }
    if (engine->adaptive && is_shift_or_clock(engine->opcode)) {
        return SDSIM_ENGINE_WAITS;
    }
    begin(engine);
    return SDSIM_ENGINE_RUNS;
}

/* Why a command that has begun stands. */
static enum sdsim_engine_state why_standing(const struct sdsim_engine *engine)
{
    if (engine->opcode >= 0x80) {
        return SDSIM_ENGINE_WAITS;
    }
    const bool reads = (engine->opcode & SDSIM_MPSSE_READ) != 0;
    return reads && fifo_room(&engine->in) == 0 ? SDSIM_ENGINE_FULL : SDSIM_ENGINE_NEEDS;
}

enum sdsim_engine_state sdsim_engine_run(struct sdsim_engine *engine)
{
    enum sdsim_engine_state state = SDSIM_ENGINE_RUNS;
    for (int step = 0; step < MOST_STEPS && state == SDSIM_ENGINE_RUNS; step++) {
        if (engine->left == 0) {
            state = fetch(engine);
        } else if (!go_on(engine)) {
            state = why_standing(engine);
        } else if (engine->left == 0) {
            engine->in_command = false;
        }
    }
    if (state == SDSIM_ENGINE_FULL && !engine->was_full) {
        engine->full_stops++;
    }
    engine->was_full = state == SDSIM_ENGINE_FULL;
    return state;
}
