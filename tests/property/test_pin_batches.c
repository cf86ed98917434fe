/*
 * Samplers take changes of the pins many at a time by other ways than one by one, and what comes of
 * it is the same: bytes or items, in the same order with the same times, the clock's stretches, and
 * what is known of the card's output. Waves are random: even and uneven clocks, data that changes with
 * the clock or beside it, bytes that are torn, frames and blocks that are damaged, and batches of any
 * size.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "capture/sd_sampler.h"
#include "capture/spi_sampler.h"
#include "core/rng.h"
#include "sanitized.h"
#include "sd_wave.h"

enum { ROUNDS = SDSIM_SANITIZED ? 60 : 600, MOST = 1 << 18 };

static const uint64_t seed = 5;
static const struct sdsim_tick tick = {1000, 1};

struct tape {
    size_t count;
    struct sdsim_pin_change changes[MOST];
};

static void add(struct tape *tape, uint64_t at, unsigned levels)
{
    struct sdsim_pin_change *last = tape->count > 0 ? &tape->changes[tape->count - 1] : NULL;
    if (last != NULL && last->tick >= at) {
        last->levels = levels;
    } else if (tape->count < MOST && (last == NULL || last->levels != levels)) {
        tape->changes[tape->count++] = (struct sdsim_pin_change){at, levels};
    }
}

/* Levels that are lines already. */
static void plain_map(struct sdsim_line_map *map)
{
    memset(map, 0, sizeof *map);
    map->count = 1;
    for (unsigned i = 0; i < 256; i++) {
        map->table[0][i] = (uint16_t)i;
    }
}

/* Words that were said, in order. */
static void say(uint64_t *said, uint64_t word)
{
    *said = (*said ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    *said ^= *said >> 29;
}

static size_t some(struct sdsim_rng *rng, size_t left)
{
    const size_t most = sdsim_rng_below(rng, 3) == 0 ? 20 : 3000;
    const size_t count = 1 + (size_t)sdsim_rng_below(rng, most);
    return count < left ? count : left;
}

struct spi_ear {
    struct sdsim_spi_listener listener;
    uint64_t said;
    uint64_t bytes;
};

struct sd_ear {
    struct sdsim_item_listener listener;
    uint64_t said;
    uint64_t items;
};

/* Two samplers of one wave: the first is told its changes one by one, the second in batches. */
union pair {
    struct {
        struct spi_ear ears[2];
        struct sdsim_spi_sampler samplers[2];
    } spi;
    struct {
        struct sd_ear ears[2];
        struct sdsim_sd_sampler samplers[2];
        struct sdsim_sd_decoder decoders[2];
    } sd;
};

static struct sdsim_clock_meter meters[2];

/* ---- SPI ---- */

static void hear_byte(struct sdsim_spi_listener *listener, const struct sdsim_spi_byte *byte)
{
    struct spi_ear *ear = (struct spi_ear *)listener;
    ear->bytes++;
    say(&ear->said, byte->start);
    say(&ear->said, byte->end);
    say(&ear->said, byte->at);
    say(&ear->said, (unsigned)byte->selected << 16 | (unsigned)byte->mosi << 8 | byte->miso);
}

static void hear_select(struct sdsim_spi_listener *listener, bool low, sdsim_ps at, uint64_t place)
{
    struct spi_ear *ear = (struct spi_ear *)listener;
    say(&ear->said, low ? 1 : 2);
    say(&ear->said, at + place);
}

static void hear_clocks(struct sdsim_spi_listener *listener, unsigned count, sdsim_ps start,
                        sdsim_ps end, uint64_t place)
{
    struct spi_ear *ear = (struct spi_ear *)listener;
    say(&ear->said, count);
    say(&ear->said, start + end + place);
}

/* How a stretch of the wave looks. */
struct style {
    bool idle_high;
    bool data_trails; /* data changes at the trailing edges, else at the leading ones */
    unsigned high;    /* ticks */
    unsigned low;
    unsigned jitter; /* one of so many edges is a tick late; 0: none */
    unsigned late;   /* one of so many changes of data comes a tick behind its edge; 0: none */
    unsigned data;   /* MOSI and MISO now */
};

static void spi_bits(struct tape *tape, struct sdsim_rng *rng, struct style *style, uint64_t *now,
                     unsigned cs, unsigned bits)
{
    const unsigned rest = style->idle_high ? 1 : 0;
    for (unsigned i = 0; i < 2 * bits; i++) {
        const bool leading = i % 2 == 0;
        const unsigned clock = leading ? rest ^ 1 : rest;
        const unsigned before = style->data;
        *now += leading ? style->low : style->high;
        *now += style->jitter > 0 && sdsim_rng_below(rng, style->jitter) == 0;
        if (leading != style->data_trails) {
            style->data = (unsigned)sdsim_rng_below(rng, 4) << 2;
        }
        const bool late = style->late > 0 && sdsim_rng_below(rng, style->late) == 0;
        add(tape, *now, clock | cs | (late ? before : style->data));
        if (late) {
            *now += 1;
            add(tape, *now, clock | cs | style->data);
        }
    }
}

static void spi_wave(struct tape *tape, struct sdsim_rng *rng, const struct style *first)
{
    struct style style = *first;
    uint64_t now = 10;
    tape->count = 0;
    add(tape, 0, (style.idle_high ? 1 : 0) | 14);
    for (uint64_t frames = 1 + sdsim_rng_below(rng, 6); frames > 0; frames--) {
        const unsigned cs = sdsim_rng_below(rng, 8) == 0 ? 2 : 0;
        now += 20;
        add(tape, now, (style.idle_high ? 1 : 0) | cs | 12);
        for (uint64_t bytes = sdsim_rng_below(rng, 300); bytes > 0; bytes--) {
            now += sdsim_rng_below(rng, 4) == 0 ? sdsim_rng_below(rng, 60) : 0;
            spi_bits(tape, rng, &style, &now, cs, 8);
        }
        if (sdsim_rng_below(rng, 4) == 0) {
            spi_bits(tape, rng, &style, &now, cs, (unsigned)sdsim_rng_below(rng, 8));
        }
        now += sdsim_rng_below(rng, 3); /* 0: CS moves with the clock */
        add(tape, now, (style.idle_high ? 1 : 0) | 14);
        style.high = 1 + (unsigned)sdsim_rng_below(rng, 4);
        style.low = 1 + (unsigned)sdsim_rng_below(rng, 4);
    }
}

static void spi_begin(union pair *pair, struct tape *tape, struct sdsim_rng *rng)
{
    static const unsigned odds[] = {0, 0, 100, 3};
    const struct style style = {
        .idle_high = sdsim_rng_below(rng, 2) != 0,
        .data_trails = sdsim_rng_below(rng, 2) != 0,
        .high = 1 + (unsigned)sdsim_rng_below(rng, 4),
        .low = 1 + (unsigned)sdsim_rng_below(rng, 4),
        .jitter = odds[sdsim_rng_below(rng, 4)],
        .late = odds[sdsim_rng_below(rng, 4)],
        .data = 12,
    };
    const bool has_cs = sdsim_rng_below(rng, 4) != 0;
    const enum sdsim_sampling sampling = (enum sdsim_sampling)sdsim_rng_below(rng, 4);
    spi_wave(tape, rng, &style);
    for (unsigned i = 0; i < 2; i++) {
        pair->spi.ears[i] = (struct spi_ear){.listener = {hear_byte, hear_select, hear_clocks}};
        sdsim_spi_sampler_init(&pair->spi.samplers[i], &tick, sampling, style.idle_high, has_cs,
                               &meters[i], &pair->spi.ears[i].listener);
    }
}

static void spi_one(union pair *pair, const struct sdsim_pin_change *change)
{
    sdsim_spi_sampler_change(&pair->spi.samplers[0], change->tick, (unsigned)change->levels);
}

static void spi_batch(union pair *pair, const struct sdsim_line_map *map,
                      const struct sdsim_pin_change *changes, size_t count)
{
    sdsim_spi_sampler_changes(&pair->spi.samplers[1], map, changes, count);
}

static bool spi_alike(union pair *pair)
{
    const struct sdsim_spi_sampler *a = &pair->spi.samplers[0];
    const struct sdsim_spi_sampler *b = &pair->spi.samplers[1];
    return pair->spi.ears[0].said == pair->spi.ears[1].said &&
           memcmp(&a->edges, &b->edges, sizeof a->edges) == 0 && a->sampled == b->sampled &&
           a->changed == b->changed && a->bits == b->bits && a->lines == b->lines &&
           a->behind_sampled == b->behind_sampled;
}

static uint64_t spi_heard(const union pair *pair, unsigned i)
{
    return pair->spi.ears[i].bytes;
}

/* ---- SD mode ---- */

static void hear_item(struct sdsim_item_listener *listener, const struct sdsim_item *item)
{
    struct sd_ear *ear = (struct sd_ear *)listener;
    const uint64_t words[] = {item->kind,     item->start, item->end,  item->at,
                              item->index,    item->app,   item->crc,  item->argument,
                              item->gap,      item->count, item->open, item->token,
                              item->gap_time, item->block, item->size, item->data_end};
    ear->items++;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        say(&ear->said, words[i]);
    }
    for (size_t i = 0; item->bytes != NULL && i < item->size; i++) {
        say(&ear->said, item->bytes[i]);
    }
}

struct tape_sink {
    struct sdsim_wave_sink sink;
    struct tape *tape;
    struct sdsim_rng *rng;
    unsigned damage; /* one of so many levels is wrong; 0: none */
};

static void take_levels(struct sdsim_wave_sink *sink, sdsim_ps at, unsigned levels)
{
    struct tape_sink *out = (struct tape_sink *)sink;
    if (out->damage > 0 && sdsim_rng_below(out->rng, out->damage) == 0) {
        levels ^= 1u << sdsim_rng_below(out->rng, 6);
    }
    add(out->tape, at / tick.num, levels);
}

static void sd_exchange(struct sdsim_test_sd_wave *wave, struct sdsim_rng *rng)
{
    uint8_t bytes[512];
    const bool reads = sdsim_rng_below(rng, 2) != 0;
    const size_t blocks = (size_t)sdsim_rng_below(rng, 5);
    sdsim_test_sd_idle(wave, 8 + (size_t)sdsim_rng_below(rng, 300));
    sdsim_test_wave_command(wave, 8, reads ? 18 : 25, (uint32_t)sdsim_rng_below(rng, 1000));
    sdsim_test_sd_response(wave, 5, reads ? 18 : 25, 0x900, true);
    if (!reads) {
        sdsim_test_sd_join(wave);
    }
    for (size_t k = 0; k < blocks; k++) {
        for (size_t i = 0; i < sizeof bytes; i++) {
            bytes[i] = (uint8_t)sdsim_rng_below(rng, 256);
        }
        sdsim_test_sd_block(wave, 4 + (size_t)sdsim_rng_below(rng, 200), 4, bytes, sizeof bytes,
                            reads, sdsim_rng_below(rng, 5) == 0);
        if (!reads) {
            sdsim_test_sd_status(wave, 2, (size_t)sdsim_rng_below(rng, 900));
        }
    }
    sdsim_test_wave_command(wave, 4, 12, 0);
    sdsim_test_sd_response(wave, 5, 12, 0x900, true);
}

static void sd_wave(struct tape *tape, struct sdsim_rng *rng)
{
    static const unsigned odds[] = {0, 0, 20000, 300};
    struct tape_sink sink = {
        .sink = {take_levels}, .tape = tape, .rng = rng, .damage = odds[sdsim_rng_below(rng, 4)]};
    sdsim_ps now = 0;
    tape->count = 0;
    add(tape, 0, 62);
    for (uint64_t n = 1 + sdsim_rng_below(rng, 4); n > 0; n--) {
        struct sdsim_test_sd_wave wave = {0};
        sd_exchange(&wave, rng);
        sdsim_test_sd_play(&wave, &now, (2 + 2 * sdsim_rng_below(rng, 6)) * tick.num,
                           sdsim_rng_below(rng, 3) == 0, &sink.sink);
        sdsim_test_sd_free(&wave);
    }
}

static void sd_begin(union pair *pair, struct tape *tape, struct sdsim_rng *rng)
{
    static const bool lines[SDSIM_SD_LINES] = {true, true, true, true, true};
    sd_wave(tape, rng);
    for (unsigned i = 0; i < 2; i++) {
        pair->sd.ears[i] = (struct sd_ear){.listener = {hear_item}};
        sdsim_sd_decoder_init(&pair->sd.decoders[i], &tick, 1, lines, &meters[i],
                              &pair->sd.ears[i].listener);
        sdsim_sd_sampler_init(&pair->sd.samplers[i], &pair->sd.decoders[i]);
        sdsim_sd_sampler_begin(&pair->sd.samplers[i], 62);
    }
}

static void sd_one(union pair *pair, const struct sdsim_pin_change *change)
{
    sdsim_sd_sampler_change(&pair->sd.samplers[0], change->tick, (unsigned)change->levels);
}

static void sd_batch(union pair *pair, const struct sdsim_line_map *map,
                     const struct sdsim_pin_change *changes, size_t count)
{
    sdsim_sd_sampler_changes(&pair->sd.samplers[1], map, changes, count);
}

static bool sd_alike(union pair *pair)
{
    for (unsigned i = 0; i < 2; i++) {
        sdsim_sd_sampler_end(&pair->sd.samplers[i]);
        pair->sd.decoders[i].listener = NULL; /* the rest must be alike to the last byte */
        pair->sd.decoders[i].meter = NULL;
    }
    return pair->sd.ears[0].said == pair->sd.ears[1].said &&
           memcmp(&pair->sd.decoders[0], &pair->sd.decoders[1], sizeof pair->sd.decoders[0]) == 0;
}

static uint64_t sd_heard(const union pair *pair, unsigned i)
{
    return pair->sd.ears[i].items;
}

/* ---- both ---- */

static const struct bus {
    const char *name;
    const char *hears;
    unsigned least; /* heard in a round, on the average */
    /* Draws a wave on the tape, and sets the pair up for it. */
    void (*begin)(union pair *pair, struct tape *tape, struct sdsim_rng *rng);
    void (*one)(union pair *pair, const struct sdsim_pin_change *change);
    void (*batch)(union pair *pair, const struct sdsim_line_map *map,
                  const struct sdsim_pin_change *changes, size_t count);
    bool (*alike)(union pair *pair); /* at the end of the wave */
    uint64_t (*heard)(const union pair *pair, unsigned i);
} buses[] = {
    {"SPI", "bytes", 100, spi_begin, spi_one, spi_batch, spi_alike, spi_heard},
    {"SD", "items", 5, sd_begin, sd_one, sd_batch, sd_alike, sd_heard},
};

static void test_bus(void **state)
{
    const struct bus *bus = *state;
    struct sdsim_rng rng;
    struct sdsim_line_map map;
    struct tape *tape = malloc(sizeof *tape);
    union pair *pair = malloc(sizeof *pair);
    uint64_t heard = 0;
    sdsim_rng_seed(&rng, seed);
    plain_map(&map);
    assert_true(tape != NULL && pair != NULL);
    for (int round = 0; round < ROUNDS; round++) {
        memset(pair, 0, sizeof *pair);
        for (unsigned i = 0; i < 2; i++) {
            sdsim_clock_meter_init(&meters[i], 1);
        }
        bus->begin(pair, tape, &rng);
        for (size_t i = 0; i < tape->count; i++) {
            bus->one(pair, &tape->changes[i]);
        }
        for (size_t i = 0; i < tape->count;) {
            const size_t part = some(&rng, tape->count - i);
            bus->batch(pair, &map, tape->changes + i, part);
            i += part;
        }
        if (!bus->alike(pair) || memcmp(&meters[0], &meters[1], sizeof meters[0]) != 0) {
            fail_msg("%s, seed %llu, round %d: %llu %s one by one, %llu together", bus->name,
                     (unsigned long long)seed, round, (unsigned long long)bus->heard(pair, 0),
                     bus->hears, (unsigned long long)bus->heard(pair, 1));
        }
        heard += bus->heard(pair, 0);
    }
    free(pair);
    free(tape);
    assert_true(heard > (uint64_t)ROUNDS * bus->least);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"spi", test_bus, NULL, NULL, (void *)&buses[0]},
        {"sd", test_bus, NULL, NULL, (void *)&buses[1]},
    };
    print_message("seed %llu\n", (unsigned long long)seed);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
