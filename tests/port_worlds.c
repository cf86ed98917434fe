#include "port_worlds.h"
#include "sanitized.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

static const char *const world_names[SDSIM_TEST_WORLDS] = {"fast", "the reference",
                                                           "fast with a recorder"};

static void hear(struct sdsim_recorder *recorder, const struct sdsim_span *span)
{
    struct sdsim_test_listener *listener = (struct sdsim_test_listener *)recorder;
    const bool looks = span->lane == SDSIM_LANE_BUS && span->part == SDSIM_PART_LOOKS;
    const bool task = span->lane == SDSIM_LANE_TASK && span->kind == SDSIM_IDLE;
    if (task || (span->lane >= SDSIM_LANE_CPU && span->lane <= SDSIM_LANE_CARD && !looks)) {
        listener->kinds[span->kind] += span->duration * span->count;
    }
}

static void differs(const struct sdsim_test_sequence *s, int world, const char *what,
                    uint64_t expected, uint64_t got)
{
    fail_msg("SDSIM_SEED=%llu SDSIM_SEQUENCE=%llu, step %u (%s): %s differs from the %s in %s: "
             "%llu, not %llu",
             (unsigned long long)s->seed, (unsigned long long)s->number, s->step, s->action,
             world_names[world], "wire", what, (unsigned long long)got,
             (unsigned long long)expected);
}

void sdsim_test_same(const struct sdsim_test_sequence *s, int world, const char *what,
                     uint64_t expected, uint64_t got)
{
    if (expected != got) {
        differs(s, world, what, expected, got);
    }
}

static void compare_meters(const struct sdsim_test_sequence *s, int world)
{
    const struct sdsim_meter *reference = &s->worlds[SDSIM_TEST_REFERENCE].meter;
    const struct sdsim_meter *other = &s->worlds[world].meter;
    for (int purpose = 0; purpose < SDSIM_PURPOSE_COUNT; purpose++) {
        for (int kind = 0; kind < SDSIM_KIND_COUNT; kind++) {
            sdsim_test_same(s, world, sdsim_kind_name((enum sdsim_kind)kind),
                            reference->account.ps[purpose][kind], other->account.ps[purpose][kind]);
        }
    }
    for (unsigned i = 0; i < 64; i++) {
        sdsim_test_same(s, world, "commands", reference->counters.commands[i],
                        other->counters.commands[i]);
        sdsim_test_same(s, world, "application commands", reference->counters.app_commands[i],
                        other->counters.app_commands[i]);
    }
    sdsim_test_same(s, world, "blocks read", reference->counters.blocks_read,
                    other->counters.blocks_read);
    sdsim_test_same(s, world, "blocks written", reference->counters.blocks_written,
                    other->counters.blocks_written);
    sdsim_test_same(s, world, "bus clocks", reference->counters.bus_clocks,
                    other->counters.bus_clocks);
    sdsim_test_same(s, world, "longest wait", reference->counters.longest_wait,
                    other->counters.longest_wait);
    sdsim_test_same(s, world, "time of the longest wait", reference->counters.longest_wait_at,
                    other->counters.longest_wait_at);
    assert_memory_equal(&reference->counters, &other->counters, sizeof reference->counters);
}

/* What the flash has been through. */
static void compare_flashes(const struct sdsim_test_sequence *s, int world)
{
    const struct sdsim_flash *reference = &s->worlds[SDSIM_TEST_REFERENCE].card.flash;
    const struct sdsim_flash *other = &s->worlds[world].card.flash;
    const struct sdsim_translation_stats *expected = &reference->translation.stats;
    const struct sdsim_translation_stats *got = &other->translation.stats;
    sdsim_test_same(s, world, "opened AUs", expected->opened, got->opened);
    sdsim_test_same(s, world, "merges", expected->merges, got->merges);
    sdsim_test_same(s, world, "time of merges", expected->merge_time, got->merge_time);
    sdsim_test_same(s, world, "small writes", expected->small_writes, got->small_writes);
    sdsim_test_same(s, world, "writes out of order", expected->out_of_order, got->out_of_order);
    sdsim_test_same(s, world, "time of those", expected->order_time, got->order_time);
    sdsim_test_same(s, world, "open AUs", reference->translation.aus.count,
                    other->translation.aus.count);
    sdsim_test_same(s, world, "folded reads", reference->stats.folded_reads,
                    other->stats.folded_reads);
    sdsim_test_same(s, world, "fresh reads", reference->stats.fresh_reads,
                    other->stats.fresh_reads);
    sdsim_test_same(s, world, "buffer hits", reference->stats.buffer_hits,
                    other->stats.buffer_hits);
    sdsim_test_same(s, world, "folded groups", reference->stats.folded_groups,
                    other->stats.folded_groups);
    sdsim_test_same(s, world, "level of the cache", reference->cache.level, other->cache.level);
    sdsim_test_same(s, world, "blocks held", reference->cache.held, other->cache.held);
}

void sdsim_test_compare(const struct sdsim_test_sequence *s)
{
    const struct sdsim_test_world *reference = &s->worlds[SDSIM_TEST_REFERENCE];
    for (int i = 0; i < SDSIM_TEST_WORLDS; i++) {
        const struct sdsim_test_world *other = &s->worlds[i];
        sdsim_test_same(s, i, "finish time", reference->now, other->now);
        sdsim_test_same(s, i, "outcome", reference->result.outcome, other->result.outcome);
        sdsim_test_same(s, i, "R1", reference->result.r1, other->result.r1);
        for (unsigned e = 0; e < sizeof reference->result.extra; e++) {
            sdsim_test_same(s, i, "response", reference->result.extra[e], other->result.extra[e]);
        }
        sdsim_test_same(s, i, "blocks done", reference->result.blocks_done,
                        other->result.blocks_done);
        sdsim_test_same(s, i, "error", reference->error, other->error);
        compare_meters(s, i);
        sdsim_test_same(s, i, "CS", reference->port->selected, other->port->selected);
        sdsim_test_same(s, i, "clock remainder", reference->port->clock.remainder,
                        other->port->clock.remainder);
        sdsim_test_same(s, i, "end of busy", reference->card.busy.at, other->card.busy.at);
        sdsim_test_same(s, i, "card state", reference->card.state, other->card.state);
        sdsim_test_same(s, i, "card position", reference->card.lba, other->card.lba);
        sdsim_test_same(s, i, "blocks in the flash", reference->card.flash.blocks_written,
                        other->card.flash.blocks_written);
        compare_flashes(s, i);
        sdsim_test_same(s, i, "carried pause", reference->card.flash.carried,
                        other->card.flash.carried);
    }
    sdsim_test_same(s, SDSIM_TEST_REFERENCE, "account total",
                    sdsim_account_total(&reference->meter.account), reference->now);
}

/* The bytes that were read, in a transaction of blocks of `bytes`. */
void sdsim_test_compare_data(const struct sdsim_test_sequence *s, uint32_t blocks, uint32_t bytes)
{
    for (int i = 0; i < SDSIM_TEST_WORLDS; i++) {
        if (memcmp(s->worlds[SDSIM_TEST_REFERENCE].out, s->worlds[i].out, (size_t)blocks * bytes) !=
            0) {
            differs(s, i, "data", 0, 1);
        }
    }
}

/* What a listener hears adds up to the account. */
static void compare_spans(const struct sdsim_test_sequence *s)
{
    const struct sdsim_test_world *world = &s->worlds[SDSIM_TEST_LISTENED];
    for (int kind = 0; kind < SDSIM_KIND_COUNT; kind++) {
        sdsim_test_same(s, SDSIM_TEST_LISTENED, sdsim_kind_name((enum sdsim_kind)kind),
                        sdsim_account_kind(&world->meter.account, (enum sdsim_kind)kind),
                        world->listener.kinds[kind]);
    }
}

void sdsim_test_create_worlds(struct sdsim_test_sequence *s, uint32_t draw)
{
    for (int i = 0; i < SDSIM_TEST_WORLDS; i++) {
        struct sdsim_test_world *world = &s->worlds[i];
        world->medium = sdsim_medium_create(sdsim_csd_sectors(&s->params), 0xFF);
        world->out = malloc((size_t)SDSIM_TEST_MOST_BLOCKS * SDSIM_SECTOR);
        assert_non_null(world->medium);
        assert_non_null(world->out);
        sdsim_card_init(&world->card, &s->params, world->medium, s->number, draw);
        sdsim_fast_init(&world->fast, s->mode, &world->card, &world->meter);
        sdsim_wire_init(&world->wire, s->mode, &world->card, &world->meter);
        const bool wire = i == SDSIM_TEST_REFERENCE;
        world->port = wire ? &world->wire.port : &world->fast;
        world->listener.recorder.span = hear;
        world->meter.recorder = i == SDSIM_TEST_FAST || wire ? NULL : &world->listener.recorder;
    }
    s->content = malloc((size_t)SDSIM_TEST_MOST_BLOCKS * SDSIM_SECTOR);
    assert_non_null(s->content);
    sdsim_generate(s->number, 0, s->content, (size_t)SDSIM_TEST_MOST_BLOCKS * SDSIM_SECTOR);
}

void sdsim_test_destroy_worlds(struct sdsim_test_sequence *s)
{
    for (int i = 0; i < SDSIM_TEST_WORLDS; i++) {
        struct sdsim_test_world *world = &s->worlds[i];
        if (!sdsim_medium_equal(s->worlds[SDSIM_TEST_REFERENCE].medium, world->medium)) {
            differs(s, i, "medium", 1, 0);
        }
    }
    compare_spans(s);
    for (int i = 0; i < SDSIM_TEST_WORLDS; i++) {
        sdsim_medium_destroy(s->worlds[i].medium);
        free(s->worlds[i].out);
    }
    free(s->content);
}

/* ---- made-up parameters ---- */

static const uint64_t frequencies[][2] = {{80000000, 4},  {80000000, 3},  {150000000, 8},
                                          {133000000, 6}, {125000000, 6}, {48000000, 2},
                                          {400000, 1},    {80000000, 61}};

size_t sdsim_test_some_frequency(struct sdsim_test_sequence *s)
{
    return sdsim_rng_below(&s->rng, sizeof frequencies / sizeof *frequencies);
}

struct sdsim_clock sdsim_test_clock(size_t frequency)
{
    struct sdsim_clock clock = {.hz_num = 0};
    sdsim_clock_set(&clock, frequencies[frequency][0], frequencies[frequency][1]);
    return clock;
}

void sdsim_test_set_clocks(struct sdsim_test_sequence *s, size_t frequency)
{
    for (int i = 0; i < SDSIM_TEST_WORLDS; i++) {
        sdsim_clock_set(&s->worlds[i].port->clock, frequencies[frequency][0],
                        frequencies[frequency][1]);
    }
}

/* A span that may be nothing, may lie within a picosecond of a whole number of bytes, or anywhere
 * up to `most`. */
static sdsim_ps some_span(struct sdsim_test_sequence *s, const struct sdsim_clock *clock,
                          sdsim_ps most)
{
    struct sdsim_rng *rng = &s->rng;
    if (sdsim_test_one_in(rng, 4)) {
        return 0;
    }
    if (sdsim_test_one_in(rng, 3)) {
        const sdsim_ps bytes = sdsim_clock_peek(clock, 8 * (1 + sdsim_rng_below(rng, 40)));
        return bytes + sdsim_rng_below(rng, 3) - 1;
    }
    return sdsim_rng_below(rng, sdsim_test_one_in(rng, 2) ? most / 20 : most);
}

/* AUs that are small against the card, so that they are met again, and transfers cross them. */
static void some_translation(struct sdsim_test_sequence *s, const struct sdsim_clock *clock)
{
    struct sdsim_rng *rng = &s->rng;
    struct sdsim_flash_params *flash = &s->params.flash;
    if (sdsim_test_one_in(rng, 4)) {
        return;
    }
    flash->au_bytes = SDSIM_SECTOR * SDSIM_TEST_PICK(rng, 32, 100, 256, 1024);
    flash->open_aus = SDSIM_TEST_PICK(rng, 0, 1, 2, 3, 64);
    flash->au_open = some_span(s, clock, 400 * SDSIM_US);
    flash->move_rate = SDSIM_TEST_PICK(rng, 0, 20000000, 300000000);
    flash->au_erase = some_span(s, clock, SDSIM_MS);
    flash->rand = some_span(s, clock, 3 * SDSIM_MS);
    flash->rand_full = some_span(s, clock, 5 * SDSIM_MS);
    flash->rand_after = SDSIM_SECTOR * sdsim_rng_below(rng, 200);
    flash->small_bytes = SDSIM_SECTOR * SDSIM_TEST_PICK(rng, 0, 0, 1, 8, 16);
    flash->w_small = some_span(s, clock, 2 * SDSIM_MS);
    flash->small_log = SDSIM_SECTOR * SDSIM_TEST_PICK(rng, 0, 8, 60);
    flash->small_merges = sdsim_rng_below(rng, 4);
    flash->erase_per_au = some_span(s, clock, SDSIM_MS);
    flash->fat_bytes = SDSIM_SECTOR * SDSIM_TEST_PICK(rng, 0, 0, 300, 1500);
    flash->w_fat = some_span(s, clock, 900 * SDSIM_US);
    flash->fat_stream = SDSIM_TEST_PICK(rng, 0, 500000000, 1900000000);
}

static void some_flash(struct sdsim_test_sequence *s, const struct sdsim_clock *clock)
{
    struct sdsim_rng *rng = &s->rng;
    s->params.flash = (struct sdsim_flash_params){
        .rd1 = some_span(s, clock, 500 * SDSIM_US),
        .rd_slow = some_span(s, clock, SDSIM_MS),
        .slow_share = SDSIM_TEST_PICK(rng, 0, 0, 200000000, 1000000000),
        .rdn = some_span(s, clock, 60 * SDSIM_US),
        .rdpg = some_span(s, clock, 600 * SDSIM_US),
        .w1 = some_span(s, clock, 900 * SDSIM_US),
        .wn = some_span(s, clock, 40 * SDSIM_US),
        .wpg = some_span(s, clock, 900 * SDSIM_US),
        .wstop = some_span(s, clock, 900 * SDSIM_US),
        .wstop_large = some_span(s, clock, 900 * SDSIM_US),
        .large_bytes = SDSIM_SECTOR * (1 + sdsim_rng_below(rng, 20)),
        .page_bytes = SDSIM_SECTOR * SDSIM_TEST_PICK(rng, 1, 2, 8, 31, 64, 128, 4096),
        .pause_every =
            sdsim_test_one_in(rng, 2) ? 0 : SDSIM_SECTOR * (1 + sdsim_rng_below(rng, 100)),
        .pause_length = sdsim_rng_below(rng, 3 * SDSIM_MS),
        .rare_every =
            sdsim_test_one_in(rng, 2) ? 0 : SDSIM_SECTOR * (1 + sdsim_rng_below(rng, 300)),
        .rare_length = sdsim_rng_below(rng, 3 * SDSIM_MS),
        .busy_limit = sdsim_test_one_in(rng, 2) ? 0 : SDSIM_MS + sdsim_rng_below(rng, SDSIM_MS),
        .erase = some_span(s, clock, SDSIM_MS),
        .rd_hit = sdsim_test_one_in(rng, 2) ? 0 : some_span(s, clock, 200 * SDSIM_US),
        .rdau = sdsim_test_one_in(rng, 2) ? 0 : some_span(s, clock, 400 * SDSIM_US),
        .rd_folded = sdsim_test_one_in(rng, 2) ? 0 : some_span(s, clock, 300 * SDSIM_US),
        .cache_bytes = SDSIM_SECTOR * SDSIM_TEST_PICK(rng, 0, 1, 40, 300, 4000),
        .fold_rate = SDSIM_TEST_PICK(rng, 0, 0, 700000, 20000000),
        .drain_rate = SDSIM_TEST_PICK(rng, 0, 0, 100000, 30000000),
        .start_count = sdsim_rng_below(rng, 3),
        .start_every = SDSIM_SECTOR * sdsim_rng_below(rng, 40),
        .start_length = sdsim_rng_below(rng, 2 * SDSIM_MS),
    };
    some_translation(s, clock);
}

void sdsim_test_some_card(struct sdsim_test_sequence *s, const struct sdsim_clock *clock)
{
    struct sdsim_rng *rng = &s->rng;
    const int type = (int)sdsim_rng_below(rng, 3);
    s->params = (struct sdsim_card_params){
        .type = type,
        .capacity = type == SDSIM_SDSC ? 1 << 20 : 2 << 20,
        .real_bytes = sdsim_test_one_in(rng, 4) ? sdsim_rng_below(rng, 1 << 20) : 0,
        .spi_hz = 25000000,
        .high_hz = sdsim_test_one_in(rng, 2) ? 50000000 : 0,
        .n_cr = sdsim_rng_below(rng, 9),
        .n_ac = sdsim_rng_below(rng, 9),
        .n_br = sdsim_rng_below(rng, 2),
        .n_cr_clocks = 2 + sdsim_rng_below(rng, 63),
        .n_br_clocks = sdsim_rng_below(rng, 2),
        .stuff_byte = (int)SDSIM_TEST_PICK(rng, SDSIM_STUFF_FF, SDSIM_STUFF_FF, SDSIM_STUFF_7F,
                                           SDSIM_STUFF_00),
        .first_do = (int)SDSIM_TEST_PICK(rng, SDSIM_DO_HIGH, SDSIM_DO_HIGH, SDSIM_DO_LOW,
                                         SDSIM_DO_FLOATING),
        .wake_clocks = SDSIM_TEST_PICK(rng, 0, 0, 74, 80),
        .release_clocks = sdsim_rng_below(rng, 2),
        .reselect_clocks = sdsim_rng_below(rng, 2),
        .ccs_while_busy = sdsim_test_one_in(rng, 2),
        .lenient_in_idle = sdsim_test_one_in(rng, 2),
        .power_up_time = sdsim_test_one_in(rng, 3) ? some_span(s, clock, SDSIM_MS) : 0,
        .inquiry_gap = SDSIM_TEST_PICK(rng, 0, 0, 100 * SDSIM_US),
        .init_time = some_span(s, clock, 3 * SDSIM_MS),
        .speed_class = 10,
        .au_bytes = 4 << 20,
    };
    some_flash(s, clock);
}

bool sdsim_test_difficult(const struct sdsim_card_params *params)
{
    return params->first_do == SDSIM_DO_LOW || params->wake_clocks > 0 ||
           params->power_up_time > 0 || params->inquiry_gap > 0 ||
           params->stuff_byte != SDSIM_STUFF_FF;
}

uint32_t sdsim_test_some_lba(struct sdsim_test_sequence *s)
{
    const struct sdsim_card *card = &s->worlds[SDSIM_TEST_FAST].card;
    const uint32_t sectors = card->sectors;
    switch (sdsim_rng_below(&s->rng, 10)) {
    case 0:
        return sectors - 1 - (uint32_t)sdsim_rng_below(&s->rng, 10);
    case 1:
        return sectors + (uint32_t)sdsim_rng_below(&s->rng, 2) * 1000;
    case 2: /* where the last transfer ended, or a little behind */
    case 3:
        return card->lba + (uint32_t)SDSIM_TEST_PICK(&s->rng, 0, 0, 3);
    case 4: /* the same again */
        return card->lba - 1 < sectors ? card->lba - 1 : 0;
    default:
        return (uint32_t)sdsim_rng_below(&s->rng, sectors);
    }
}

uint32_t sdsim_test_some_count(struct sdsim_test_sequence *s)
{
    struct sdsim_rng *rng = &s->rng;
    if (sdsim_test_one_in(rng, 12)) {
        return 300 + (uint32_t)sdsim_rng_below(rng, 200);
    }
    return 1 + (uint32_t)sdsim_rng_below(rng, sdsim_test_one_in(rng, 2) ? 4 : 20);
}

struct sdsim_content sdsim_test_some_content(struct sdsim_test_sequence *s)
{
    struct sdsim_rng *rng = &s->rng;
    const uint8_t fill = (uint8_t)sdsim_rng_below(rng, 256);
    switch (sdsim_rng_below(rng, 3)) {
    case 0:
        return (struct sdsim_content){.kind = SDSIM_CONTENT_FILL, .fill = fill};
    case 1:
        return (struct sdsim_content){.kind = SDSIM_CONTENT_BYTES, .bytes = s->content};
    default:
        return (struct sdsim_content){.kind = SDSIM_CONTENT_GENERATED,
                                      .seed = sdsim_rng_next(rng),
                                      .offset = sdsim_rng_below(rng, 10000)};
    }
}

/* ---- sequences ---- */

static uint64_t number_from(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text != NULL ? strtoull(text, NULL, 10) : otherwise;
}

void sdsim_test_begin(struct sdsim_test_sequence *s, uint64_t seed, uint64_t number, uint64_t salt,
                      enum sdsim_bus_mode mode)
{
    s->seed = seed;
    s->number = number;
    s->mode = mode;
    sdsim_rng_seed(&s->rng, sdsim_hash_number(sdsim_hash_number(seed, number), salt));
}

void sdsim_test_each_sequence(uint64_t share,
                              void (*run)(uint64_t seed, uint64_t number, const void *context),
                              const void *context)
{
    const uint64_t seed = number_from("SDSIM_SEED", 1);
    const uint64_t only = number_from("SDSIM_SEQUENCE", UINT64_MAX);
    const uint64_t usual = SDSIM_SANITIZED ? 600 : 3000;
    const uint64_t count = number_from("SDSIM_SEQUENCES", usual) / share;
    print_message("seed %llu\n", (unsigned long long)seed);
    if (only != UINT64_MAX) {
        run(seed, only, context);
        return;
    }
    for (uint64_t i = 0; i < count; i++) {
        run(seed, i, context);
    }
}
