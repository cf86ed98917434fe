#include "ftdi/engine_parts.h"

#include <string.h>

/* ---- nothing on the pins ---- */

static void none_select(struct sdsim_slave *slave, sdsim_ps now, bool low)
{
    (void)slave;
    (void)now;
    (void)low;
}

static void none_exchange(struct sdsim_slave *slave, sdsim_ps *now, struct sdsim_clock *clock,
                          const uint8_t *mosi, uint8_t *miso, size_t count)
{
    (void)slave;
    (void)mosi;
    *now += sdsim_clock_take(clock, 8 * (uint64_t)count);
    memset(miso, 0xFF, count);
}

static bool none_bit(struct sdsim_slave *slave, sdsim_ps start, sdsim_ps end, bool mosi)
{
    (void)slave;
    (void)start;
    (void)end;
    (void)mosi;
    return true;
}

static bool none_miso(struct sdsim_slave *slave, sdsim_ps now)
{
    (void)slave;
    (void)now;
    return true;
}

const struct sdsim_slave_class *sdsim_engine_nobody(void)
{
    static const struct sdsim_slave_class none = {
        .select = none_select, .exchange = none_exchange, .bit = none_bit, .miso = none_miso};
    return &none;
}

/* ---- lines ---- */

/* What the chip puts on ADBUS; 1 where it doesn't drive. */
static uint8_t pulled(const struct sdsim_engine *engine)
{
    const uint8_t low = engine->driven & (uint8_t)~engine->level;
    const uint8_t drives = engine->driven & (uint8_t) ~(engine->drain & engine->level);
    const uint8_t floats = engine->wiring.floating & (uint8_t)~drives & (uint8_t)~engine->rest;
    return (uint8_t) ~(low | floats);
}

/* What is wrong with the wires, on top of the levels that should be there. */
static uint8_t spoilt(const struct sdsim_wiring *wiring, uint8_t levels)
{
    if ((levels & wiring->shorted) != wiring->shorted) {
        levels &= (uint8_t)~wiring->shorted;
    }
    return (uint8_t)((levels | wiring->stuck_high) & ~wiring->stuck_low);
}

/* The lines of the host as the slave sees them. */
static uint8_t seen_by_slave(const struct sdsim_engine *engine)
{
    return spoilt(&engine->wiring, pulled(engine)) | engine->wiring.open;
}

/* The level of the wire at MISO, which ADBUS5 hangs on as well. */
static bool miso_level(struct sdsim_engine *engine)
{
    const struct sdsim_wiring *wiring = &engine->wiring;
    if (((wiring->stuck_low | wiring->stuck_high) & SDSIM_PIN_MISO) != 0) {
        return (wiring->stuck_low & SDSIM_PIN_MISO) == 0;
    }
    return (wiring->open & SDSIM_PIN_MISO) != 0 ||
           engine->slave->class->miso(engine->slave, engine->now);
}

uint8_t sdsim_engine_pins(struct sdsim_engine *engine)
{
    const uint8_t copies = SDSIM_PIN_MISO | (engine->wiring.no_wait ? 0 : SDSIM_PIN_WAIT);
    uint8_t levels = pulled(engine);
    if (!miso_level(engine)) {
        levels &= (uint8_t) ~(copies & (uint8_t)~engine->driven);
    }
    return spoilt(&engine->wiring, levels);
}

void sdsim_engine_tell_slave(struct sdsim_engine *engine)
{
    const struct sdsim_slave_class *class = engine->slave->class;
    const bool powered = (engine->high_driven & engine->high_level & 1) == 0;
    if (powered != engine->powered) {
        engine->powered = powered;
        if (class->power != NULL) {
            class->power(engine->slave, engine->now, powered);
        }
    }
    const bool selected = (seen_by_slave(engine) & SDSIM_PIN_CS) == 0;
    if (selected != engine->selected) {
        engine->selected = selected;
        class->select(engine->slave, engine->now, selected);
    }
}

/* Whether the chip's clock reaches the slave. */
static bool clocks_slave(const struct sdsim_engine *engine)
{
    const struct sdsim_wiring *wiring = &engine->wiring;
    return (engine->driven & SDSIM_PIN_SCK) != 0 &&
           ((wiring->stuck_low | wiring->stuck_high | wiring->open) & SDSIM_PIN_SCK) == 0;
}

/* Whether MOSI as the slave sees it is what the chip sends, or else always `*level`. */
static bool mosi_moves(const struct sdsim_engine *engine, bool *level)
{
    const struct sdsim_wiring *wiring = &engine->wiring;
    const bool fixed = (engine->driven & SDSIM_PIN_MOSI) == 0 ||
                       ((wiring->stuck_low | wiring->stuck_high | wiring->open) & SDSIM_PIN_MOSI);
    *level = (seen_by_slave(engine) & SDSIM_PIN_MOSI) != 0;
    return !fixed;
}

/* Whether what comes on MISO is what the slave sends, or else always `*level`. */
static bool miso_moves(struct sdsim_engine *engine, bool *level)
{
    const struct sdsim_wiring *wiring = &engine->wiring;
    const bool fixed = (engine->driven & SDSIM_PIN_MISO) != 0 ||
                       ((wiring->stuck_low | wiring->stuck_high | wiring->open) & SDSIM_PIN_MISO);
    *level = (sdsim_engine_pins(engine) & SDSIM_PIN_MISO) != 0;
    return !fixed;
}

void sdsim_engine_set_mosi(struct sdsim_engine *engine, bool level)
{
    engine->level = (uint8_t)((engine->level & ~SDSIM_PIN_MOSI) | (level ? SDSIM_PIN_MOSI : 0));
}

bool sdsim_engine_mosi(const struct sdsim_engine *engine)
{
    return (engine->level & SDSIM_PIN_MOSI) != 0;
}

/* ---- clocks ---- */

bool sdsim_engine_bit(struct sdsim_engine *engine, bool writes, bool late, bool bit)
{
    const bool before = sdsim_engine_mosi(engine);
    const bool sent = writes && !late ? bit : before;
    sdsim_engine_set_mosi(engine, sent);
    bool fixed_mosi;
    bool fixed_miso;
    const bool mosi = mosi_moves(engine, &fixed_mosi) ? sent : fixed_mosi;
    const bool moves = miso_moves(engine, &fixed_miso);
    const sdsim_ps start = engine->now;
    engine->now += sdsim_clock_take(&engine->clock, 1);
    engine->clocks++;
    bool miso = true;
    if (clocks_slave(engine)) {
        miso = engine->slave->class->bit(engine->slave, start, engine->now, mosi);
    }
    if (writes) {
        sdsim_engine_set_mosi(engine, bit);
    }
    return engine->loop ? (writes ? bit : before) : moves ? miso : fixed_miso;
}

/* How long the clock stands still behind a byte. */
static sdsim_ps gap_of(const struct sdsim_engine *engine)
{
    const struct sdsim_habits *habits = &engine->habits;
    const bool reads = engine->opcode < 0x80 && (engine->opcode & SDSIM_MPSSE_READ) != 0;
    return habits->byte_gap + (reads ? habits->read_gap : 0);
}

void sdsim_engine_delay(struct sdsim_engine *engine, uint8_t *bytes, size_t count)
{
    const bool falling = (engine->opcode & SDSIM_MPSSE_READ_FALLING) != 0;
    const sdsim_ps half = sdsim_clock_peek(&engine->clock, 1) / 2;
    const bool late = engine->habits.miso_delay > (falling ? 2 * half : half);
    for (size_t i = 0; i < count; i++) {
        const uint8_t byte = bytes[i];
        bytes[i] = late ? (uint8_t)((engine->late_bit ? 0x80 : 0) | byte >> 1) : byte;
        engine->late_bit = (byte & 1) != 0;
    }
}

void sdsim_engine_exchange(struct sdsim_engine *engine, uint8_t *bytes, size_t count)
{
    bool level;
    uint8_t mosi[SDSIM_ENGINE_CHUNK];
    memcpy(mosi, bytes, count);
    if (!mosi_moves(engine, &level)) {
        memset(mosi, level ? 0xFF : 0, count);
    }
    bool fixed;
    const bool moves = miso_moves(engine, &fixed);
    engine->clocks += 8 * (uint64_t)count;
    struct sdsim_slave *slave = clocks_slave(engine) ? engine->slave : &engine->nobody;
    const sdsim_ps gap = gap_of(engine);
    const size_t step = gap > 0 ? 1 : count;
    for (size_t i = 0; i < count; i += step) {
        slave->class->exchange(slave, &engine->now, &engine->clock, mosi + i, bytes + i, step);
        sdsim_engine_pass(engine, gap);
    }
    if (!moves) {
        memset(bytes, fixed ? 0xFF : 0, count);
    }
}

/* ---- pins set by hand ---- */

void sdsim_engine_set_low(struct sdsim_engine *engine, uint8_t level, uint8_t driven)
{
    const uint8_t before = seen_by_slave(engine);
    engine->rest = (uint8_t)((engine->rest & ~engine->driven) | (engine->level & engine->driven));
    engine->level = level;
    engine->driven = driven;
    sdsim_engine_tell_slave(engine);
    if ((seen_by_slave(engine) & ~before & SDSIM_PIN_SCK) != 0) {
        const bool mosi = (seen_by_slave(engine) & SDSIM_PIN_MOSI) != 0;
        engine->clocks++;
        engine->slave->class->bit(engine->slave, engine->now, engine->now, mosi);
    }
}
