#include "capture/spi_sampler.h"

/* Bits of the lines. */
enum {
    CLK = 1 << SDSIM_LINE_CLK,
    CS = 1 << SDSIM_LINE_CS,
};

enum { PAUSE_BITS = 20 }; /* without CS: a pause that a byte does not have within */

void sdsim_spi_sampler_init(struct sdsim_spi_sampler *sampler, const struct sdsim_tick *tick,
                            enum sdsim_sampling sampling, bool idle_high, bool has_cs,
                            struct sdsim_clock_meter *meter, struct sdsim_spi_listener *listener)
{
    const bool rising = sampling == SDSIM_SAMPLE_BEFORE_RISE || sampling == SDSIM_SAMPLE_AT_RISE;
    *sampler = (struct sdsim_spi_sampler){
        .listener = listener,
        .tick = *tick,
        .meter = meter,
        .idle_high = idle_high,
        .leading = rising != idle_high,
        .late = sampling == SDSIM_SAMPLE_AT_RISE || sampling == SDSIM_SAMPLE_AT_FALL,
        .has_cs = has_cs,
        .sampled = SDSIM_NO_TICK,
        .changed = SDSIM_NO_TICK,
        .edges = {.hold = UINT64_MAX, .setup = UINT64_MAX},
    };
}

static sdsim_ps time_of(const struct sdsim_spi_sampler *sampler, uint64_t tick)
{
    return sdsim_tick_time(&sampler->tick, tick);
}

/* What was collected becomes a byte, or clocks. */
static void deliver(struct sdsim_spi_sampler *sampler, bool selected)
{
    if (sampler->bits == 8) {
        const struct sdsim_spi_byte byte = {
            .start = time_of(sampler, sampler->start),
            .end = time_of(sampler, sampler->last_edge),
            .at = sampler->start,
            .selected = selected,
            .mosi = (uint8_t)sampler->mosi,
            .miso = (uint8_t)sampler->miso,
        };
        sampler->listener->byte(sampler->listener, &byte);
    } else if (sampler->bits > 0) {
        sampler->listener->clocks(sampler->listener, sampler->bits,
                                  time_of(sampler, sampler->start),
                                  time_of(sampler, sampler->last_edge), sampler->start);
    }
    sampler->bits = 0;
    sampler->mosi = 0;
    sampler->miso = 0;
}

void sdsim_spi_sampler_deliver(struct sdsim_spi_sampler *sampler)
{
    deliver(sampler, (sampler->lines & CS) == 0);
}

void sdsim_spi_sampler_pause(struct sdsim_spi_sampler *sampler, uint64_t tick)
{
    const struct sdsim_clock_meter *meter = sampler->meter;
    if (sampler->bits > 0 && meter->count > 0 &&
        tick - sampler->last_edge > PAUSE_BITS * (meter->low + meter->width)) {
        deliver(sampler, true);
    }
}

static void select_edge(struct sdsim_spi_sampler *sampler, uint64_t tick, unsigned lines)
{
    const bool low = (lines & CS) == 0;
    deliver(sampler, !low);
    sampler->sampled = SDSIM_NO_TICK;
    sampler->changed = SDSIM_NO_TICK;
    sampler->listener->select(sampler->listener, low, time_of(sampler, tick), tick);
}

/* A clock that moves in the same sample belongs to the frame that CS opens, or closes. */
void sdsim_spi_sampler_select(struct sdsim_spi_sampler *sampler, uint64_t tick, unsigned lines)
{
    const unsigned changed = lines ^ sampler->lines;
    if (!sampler->begun) {
        sampler->begun = true;
        sampler->listener->select(sampler->listener, (lines & CS) == 0, time_of(sampler, tick),
                                  tick);
        return;
    }
    if ((lines & CS) == 0) {
        select_edge(sampler, tick, lines);
    }
    if ((changed & CLK) != 0) {
        sdsim_spi_sampler_clock(sampler, tick, lines);
    }
    sdsim_spi_sampler_miso(sampler, tick, changed);
    if ((lines & CS) != 0) {
        select_edge(sampler, tick, lines);
    }
}

/* ---- whole bytes ---- */

enum { BYTE_EDGES = 16, MISO = 1 << SDSIM_LINE_MISO };

/* The edges of a byte, in pairs: the leading one and the trailing one behind it. */
struct byte_edges {
    uint64_t trail;        /* tick of the last edge */
    uint64_t sampled;      /* lines as sampled, a byte for each bit, the last one lowest */
    uint64_t behind_lead;  /* least ticks from a leading edge to the next edge */
    uint64_t behind_trail; /* the same from a trailing one */
    unsigned moved_lead;   /* lines that changed at leading edges ... */
    unsigned moved_trail;  /* ... at trailing ones ... */
    unsigned moved_last;   /* ... and at the last one */
    unsigned miso_moves;   /* pairs in which MISO changed */
    unsigned lines;        /* behind the last edge */
};

/* Collects sixteen changes; false if one is no edge of the clock, or CS changes with it. */
static inline bool collect_edges(const struct sdsim_spi_sampler *sampler,
                                 const struct sdsim_line_map *map,
                                 const struct sdsim_pin_change *changes, uint64_t *leads,
                                 struct byte_edges *edges)
{
    const bool leading = sampler->leading;
    const bool late = sampler->late;
    struct byte_edges e = {
        .behind_lead = UINT64_MAX,
        .behind_trail = UINT64_MAX,
        .trail = sampler->last_edge,
        .lines = sampler->lines,
    };
    for (unsigned i = 0; i < 8; i++, changes += 2) {
        const unsigned lead = sdsim_line_map(map, changes[0].levels);
        const unsigned trail = sdsim_line_map(map, changes[1].levels);
        const unsigned moved_lead = lead ^ e.lines;
        e.moved_last = trail ^ lead;
        if ((moved_lead & e.moved_last & CLK) == 0 || ((moved_lead | e.moved_last) & CS) != 0) {
            return false;
        }
        const unsigned early = leading ? e.lines : lead;
        const unsigned after = leading ? lead : trail;
        e.sampled = e.sampled << 8 | ((late ? after : early) & 0xFF);
        e.behind_trail = sdsim_least_tick(e.behind_trail, changes[0].tick - e.trail);
        e.behind_lead = sdsim_least_tick(e.behind_lead, changes[1].tick - changes[0].tick);
        leads[i] = changes[0].tick;
        e.trail = changes[1].tick;
        e.moved_lead |= moved_lead;
        e.moved_trail |= e.moved_last;
        e.miso_moves += (moved_lead | e.moved_last) >> SDSIM_LINE_MISO & 1;
        e.lines = trail;
    }
    *edges = e;
    return true;
}

/* A bit of each byte of a word as a byte, that of the highest first. */
static uint8_t gather(uint64_t word, unsigned bit)
{
    const uint64_t bits = word >> bit & UINT64_C(0x0101010101010101);
    return (uint8_t)(bits * UINT64_C(0x0102040810204080) >> 56);
}

/*
 * Whether the moves of MISO in a byte only add to their number: there are none, or none is at a
 * sampling edge, and no time between edges is shorter than those that are known of moves already.
 */
static bool moves_are_usual(const struct sdsim_spi_sampler *sampler, const struct byte_edges *edges)
{
    const bool leading = sampler->leading;
    const unsigned at_sampling = leading ? edges->moved_lead : edges->moved_trail;
    const uint64_t hold = leading ? edges->behind_lead : edges->behind_trail;
    const uint64_t setup = leading ? edges->behind_trail : edges->behind_lead;
    if (!leading && (sampler->sampled == SDSIM_NO_TICK || sampler->changed != SDSIM_NO_TICK)) {
        return false; /* the first edge says something of what was before the byte */
    }
    return edges->miso_moves == 0 || ((at_sampling & MISO) == 0 && hold >= sampler->edges.hold &&
                                      setup >= sampler->edges.setup);
}

/* Takes sixteen changes as a byte with CS low, if that is what they are. What comes of it is what
 * would come of one change after the other. */
static bool take_byte(struct sdsim_spi_sampler *sampler, const struct sdsim_line_map *map,
                      const struct sdsim_pin_change *changes)
{
    struct byte_edges edges;
    uint64_t leads[8]; /* ticks of the leading edges */
    if ((sampler->lines & CS) != 0 || (sampler->lines & CLK) != sampler->idle_high ||
        !collect_edges(sampler, map, changes, leads, &edges) || !moves_are_usual(sampler, &edges)) {
        return false;
    }
    const bool leading = sampler->leading;
    const uint64_t first = leading ? leads[0] : changes[1].tick;
    const bool moved = leading && (edges.moved_last & MISO) != 0;
    sampler->edges.setup = sdsim_least_tick(sampler->edges.setup, first - sampler->changed);
    sampler->edges.behind_other += edges.miso_moves;
    sampler->sampled = leading ? leads[7] : edges.trail;
    sampler->changed = moved ? edges.trail : SDSIM_NO_TICK;
    sampler->behind_sampled = !leading;
    sampler->start = leads[0];
    sampler->last_edge = edges.trail;
    sampler->mosi = gather(edges.sampled, SDSIM_LINE_MOSI);
    sampler->miso = gather(edges.sampled, SDSIM_LINE_MISO);
    sampler->bits = 8;
    sdsim_clock_meter_rises(sampler->meter, leads, 8);
    deliver(sampler, true);
    sampler->lines = edges.lines;
    return true;
}

void sdsim_spi_sampler_changes(struct sdsim_spi_sampler *sampler, const struct sdsim_line_map *map,
                               const struct sdsim_pin_change *changes, size_t count)
{
    struct sdsim_spi_sampler s = *sampler;
    const bool whole = s.has_cs; /* without CS, pauses within a byte must be looked at */
    for (size_t i = 0; i < count;) {
        if (whole && s.bits == 0 && s.begun && count - i >= BYTE_EDGES &&
            take_byte(&s, map, changes + i)) {
            i += BYTE_EDGES;
        } else {
            sdsim_spi_sampler_change(&s, changes[i].tick, sdsim_line_map(map, changes[i].levels));
            i++;
        }
    }
    *sampler = s;
}

void sdsim_spi_sampler_end(struct sdsim_spi_sampler *sampler)
{
    if (sampler->begun) {
        deliver(sampler, (sampler->lines & CS) == 0);
    }
}
