/* The flash's timing: access, read-ahead, programs behind the transfer, commits, pauses. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdlib.h>

#include "core/rng.h"
#include "flash/flash.h"

#define US SDSIM_US
#define MS SDSIM_MS

/* Four blocks to a page group; every figure different, so that none can stand in for another. */
static const struct sdsim_flash_params plain = {
    .rd1 = 100 * US,
    .rdn = 3 * US,
    .rdpg = 50 * US,
    .w1 = 700 * US,
    .wn = 5 * US,
    .wpg = 400 * US,
    .wstop = 900 * US,
    .page_bytes = 4 * SDSIM_SECTOR,
};

static struct sdsim_flash flash_of(const struct sdsim_flash_params *params)
{
    struct sdsim_flash flash;
    sdsim_flash_init(&flash, params, 1, 0);
    return flash;
}

/* ---- reading ---- */

/* Blocks of a read stream from LBA 2, each taking `span` from ready to its end. */
static void read_stream(sdsim_ps span, const sdsim_ps *expected, size_t count)
{
    struct sdsim_flash flash = flash_of(&plain);
    sdsim_ps at = sdsim_flash_read_first(&flash, 10 * US, 2).at;
    for (size_t i = 0; i < count; i++) {
        if (at != expected[i]) {
            fail_msg("block %zu of %llu us each: ready at %llu ps, not %llu", i,
                     (unsigned long long)(span / US), (unsigned long long)at,
                     (unsigned long long)expected[i]);
        }
        const struct sdsim_ready next = sdsim_flash_read_next(&flash, at + span);
        assert_int_equal(next.pause, 0);
        at = next.at;
    }
}

static void read_ahead(void **state)
{
    (void)state;
    /* Slow bus: the fetch of 50 us is over before two blocks of 30 us and their 3 us are. */
    const sdsim_ps slow[] = {110 * US, 143 * US, 176 * US, 209 * US, 242 * US, 275 * US, 308 * US};
    read_stream(30 * US, slow, sizeof slow / sizeof *slow);
    /* Fast bus: LBA 4 waits for the group that was asked for when LBA 2 was there, LBA 8 for the
     * one asked for when LBA 4 was. */
    const sdsim_ps fast[] = {110 * US, 123 * US, 160 * US, 173 * US, 186 * US, 199 * US, 212 * US};
    read_stream(10 * US, fast, sizeof fast / sizeof *fast);
    /* Very fast: four blocks and their gaps take 4 * (2 + 3) us of the 50. */
    const sdsim_ps faster[] = {110 * US, 115 * US, 160 * US, 165 * US,
                               170 * US, 175 * US, 210 * US};
    read_stream(2 * US, faster, sizeof faster / sizeof *faster);
}

static void slow_reads(void **state)
{
    (void)state;
    struct sdsim_flash_params params = plain;
    params.rd_slow = 800 * US;
    params.slow_share = 250000000; /* each fourth, the first after half the distance */
    struct sdsim_flash flash = flash_of(&params);
    for (unsigned i = 1; i <= 16; i++) {
        const bool slow = i % 4 == 2;
        assert_int_equal(sdsim_flash_read_first(&flash, 0, 0).at, slow ? 900 * US : 100 * US);
    }
    /* By luck in other draws, but as often. */
    sdsim_flash_init(&flash, &params, 1, 7);
    unsigned slow = 0;
    for (unsigned i = 0; i < 10000; i++) {
        slow += sdsim_flash_read_first(&flash, 0, 0).at == 900 * US;
    }
    assert_in_range(slow, 2300, 2700);
}

/* ---- writing ---- */

/* Writes `count` blocks from `lba`, each arriving `span` after the card was ready. Returns the end
 * of the last one's busy; *longest is the longest busy. */
static sdsim_ps write_stream(struct sdsim_flash *flash, uint32_t lba, unsigned count, sdsim_ps span,
                             sdsim_ps *longest)
{
    sdsim_ps at = 0;
    *longest = 0;
    sdsim_flash_write_first(flash, 0, lba, 0);
    for (unsigned i = 0; i < count; i++) {
        const sdsim_ps end = at + span;
        at = sdsim_flash_write_block(flash, end).at;
        *longest = at - end > *longest ? at - end : *longest;
    }
    return at;
}

static void programs_behind_the_transfer(void **state)
{
    (void)state;
    struct sdsim_flash flash = flash_of(&plain);
    sdsim_ps longest;
    /* Slow bus: four blocks take 440 us, more than a program: nobody sees it. */
    write_stream(&flash, 0, 40, 105 * US, &longest);
    assert_int_equal(longest, 5 * US);
    /* Fast bus: the third group completes while the program of the second runs. */
    flash = flash_of(&plain);
    const sdsim_ps end = write_stream(&flash, 0, 12, 20 * US, &longest);
    /* Group 1 is there at 100 us and runs until 500; group 2, at 200, waits until 500 and runs
     * until 900; group 3, at 500 + 4 * 25 = 600, waits until 900. */
    assert_int_equal(end, 900 * US);
    assert_int_equal(longest, (500 - 195) * US);
}

static void commits(void **state)
{
    (void)state;
    struct sdsim_flash_params large = plain;
    large.wstop_large = 1300 * US;
    large.large_bytes = 8 * SDSIM_SECTOR;
    static const struct {
        const char *what;
        unsigned blocks;
        bool large;
        sdsim_ps commit;
    } rows[] = {
        {"nothing", 0, false, 0},
        {"a lone block", 1, false, 695 * US}, /* its wn is part of w1 */
        {"a short stream", 2, false, 900 * US},
        {"a stream", 8, false, 900 * US},
        {"below large", 7, true, 900 * US},
        {"large", 8, true, 1300 * US},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sdsim_flash flash = flash_of(rows[i].large ? &large : &plain);
        sdsim_ps longest;
        /* The blocks come so slowly that no program is left running but that of a group. */
        (void)write_stream(&flash, 1, rows[i].blocks, 500 * US, &longest);
        const sdsim_ps end = 100 * MS;
        const struct sdsim_ready none = {.at = 0};
        const struct sdsim_ready ready = sdsim_flash_write_stop(&flash, end, none);
        if (ready.at != end + rows[i].commit || ready.pause != 0) {
            fail_msg("%s: %llu us", rows[i].what, (unsigned long long)((ready.at - end) / US));
        }
    }
}

static void commits_behind_what_runs(void **state)
{
    (void)state;
    /* A stream: first the program of the group just completed, then wstop. */
    struct sdsim_flash flash = flash_of(&plain);
    sdsim_ps longest;
    const sdsim_ps at = write_stream(&flash, 0, 4, 20 * US, &longest);
    assert_int_equal(at, 100 * US);
    struct sdsim_ready busy = {.at = at};
    assert_int_equal(sdsim_flash_write_stop(&flash, 98 * US, busy).at, (100 + 400 + 900) * US);
    /* A lone block that completes its group: w1 is all it costs, its busy included. */
    flash = flash_of(&plain);
    sdsim_flash_write_first(&flash, 0, 3, 0);
    busy = sdsim_flash_write_block(&flash, 10 * US);
    assert_int_equal(busy.at, 15 * US);
    assert_int_equal(sdsim_flash_write_stop(&flash, 10 * US, busy).at, (10 + 700) * US);
    /* Never less than its busy. */
    struct sdsim_flash_params params = plain;
    params.w1 = 3 * US;
    flash = flash_of(&params);
    sdsim_flash_write_first(&flash, 0, 0, 0);
    busy = sdsim_flash_write_block(&flash, 10 * US);
    assert_int_equal(sdsim_flash_write_stop(&flash, 10 * US, busy).at, (10 + 5) * US);
}

static void erase(void **state)
{
    (void)state;
    struct sdsim_flash_params params = plain;
    params.erase = 2 * MS;
    struct sdsim_flash flash = flash_of(&params);
    assert_int_equal(sdsim_flash_erase(&flash, 7 * US, 0, 1, false).at, 2 * MS + 7 * US);
}

/* ---- pauses ---- */

/* Draw 0: the first pause after half the distance, then one each distance. */
static void pauses_of_draw_0(void **state)
{
    (void)state;
    static const struct {
        uint64_t pause_every, rare_every; /* in blocks */
    } rows[] = {{10, 0}, {7, 0}, {1, 0}, {0, 12}, {10, 4}, {5, 5}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sdsim_flash_params params = plain;
        params.wpg = 0;
        params.pause_every = rows[i].pause_every * SDSIM_SECTOR;
        params.pause_length = 3 * MS;
        params.rare_every = rows[i].rare_every * SDSIM_SECTOR;
        params.rare_length = 20 * MS;
        struct sdsim_flash flash = flash_of(&params);
        sdsim_flash_write_first(&flash, 0, 0, 0);
        uint64_t next_pause = rows[i].pause_every / 2 > 0 ? rows[i].pause_every / 2 : 1;
        uint64_t next_rare = rows[i].rare_every / 2 > 0 ? rows[i].rare_every / 2 : 1;
        for (uint64_t block = 1; block <= 100; block++) {
            sdsim_ps expected = 0;
            if (rows[i].pause_every > 0 && block == next_pause) {
                expected += 3 * MS;
                next_pause += rows[i].pause_every;
            }
            if (rows[i].rare_every > 0 && block == next_rare) {
                expected += 20 * MS;
                next_rare += rows[i].rare_every;
            }
            const sdsim_ps end = block * SDSIM_S;
            const struct sdsim_ready ready = sdsim_flash_write_block(&flash, end);
            if (ready.pause != expected || ready.at != end + 5 * US + expected) {
                fail_msg("row %zu, block %llu: a pause of %llu us, not %llu", i,
                         (unsigned long long)block, (unsigned long long)(ready.pause / US),
                         (unsigned long long)(expected / US));
            }
        }
    }
}

/* Other draws: the same distance from another phase, 5 % of jitter; rare events at random, their
 * mean distance as asked. */
static void pauses_of_other_draws(void **state)
{
    (void)state;
    struct sdsim_flash_params params = plain;
    params.wpg = 0;
    params.pause_every = 50 * SDSIM_SECTOR;
    params.pause_length = 10 * MS;
    uint64_t phases[8];
    for (uint32_t draw = 1; draw <= 8; draw++) {
        struct sdsim_flash flash;
        sdsim_flash_init(&flash, &params, 3, draw);
        sdsim_flash_write_first(&flash, 0, 0, 0);
        uint64_t last = 0;
        for (uint64_t block = 1; block <= 1000; block++) {
            const struct sdsim_ready ready = sdsim_flash_write_block(&flash, block * SDSIM_S);
            if (ready.pause == 0) {
                continue;
            }
            assert_in_range(ready.pause, 9500 * US, 10500 * US);
            if (last > 0) {
                assert_int_equal(block - last, 50);
            } else {
                phases[draw - 1] = block;
                assert_in_range(block, 1, 50);
            }
            last = block;
        }
    }
    bool differ = false;
    for (int i = 1; i < 8; i++) {
        differ |= phases[i] != phases[0];
    }
    assert_true(differ);

    params.pause_every = 0;
    params.rare_every = 40 * SDSIM_SECTOR;
    params.rare_length = MS;
    struct sdsim_flash flash;
    sdsim_flash_init(&flash, &params, 3, 1);
    sdsim_flash_write_first(&flash, 0, 0, 0);
    uint64_t events = 0;
    for (uint64_t block = 1; block <= 200000; block++) {
        events += sdsim_flash_write_block(&flash, block * SDSIM_S).pause / MS;
    }
    assert_in_range(events, 4800, 5200);
}

/* No busy is longer than the limit, and what is cut off comes later: nothing is lost. */
static void busy_limit(void **state)
{
    (void)state;
    struct sdsim_flash_params params = plain;
    params.wpg = 0;
    params.pause_every = 10 * SDSIM_SECTOR;
    params.pause_length = 600 * MS;
    params.busy_limit = 250 * MS;
    struct sdsim_flash flash = flash_of(&params);
    sdsim_flash_write_first(&flash, 0, 0, 0);
    sdsim_ps pauses = 0;
    for (uint64_t block = 1; block <= 9; block++) {
        const sdsim_ps end = block * SDSIM_S;
        const struct sdsim_ready ready = sdsim_flash_write_block(&flash, end);
        pauses += ready.pause;
        assert_int_equal(ready.at - end, block == 5 || block == 6 ? 250 * MS
                                         : block == 7             ? 100 * MS + 3 * 5 * US
                                                                  : 5 * US);
        assert_int_equal(ready.pause, ready.at - end - 5 * US);
    }
    assert_int_equal(pauses, 600 * MS);
}

/* A lone block is busy once, block and commit together: the pause is seen as one, and the limit
 * counts from the end of the block. */
static void pause_of_a_lone_block(void **state)
{
    (void)state;
    struct sdsim_flash_params params = plain;
    params.pause_every = 2 * SDSIM_SECTOR;
    params.pause_length = 100 * MS;
    struct sdsim_flash flash = flash_of(&params);
    const sdsim_ps end = SDSIM_S;
    sdsim_flash_write_first(&flash, 0, 0, 0);
    struct sdsim_ready busy = sdsim_flash_write_block(&flash, end);
    busy = sdsim_flash_write_stop(&flash, end, busy);
    assert_int_equal(busy.at, end + 700 * US + 100 * MS);
    assert_int_equal(busy.pause, 100 * MS);

    params.busy_limit = 60 * MS;
    flash = flash_of(&params);
    sdsim_flash_write_first(&flash, 0, 0, 0);
    busy = sdsim_flash_write_stop(&flash, end, sdsim_flash_write_block(&flash, end));
    assert_int_equal(busy.at, end + 60 * MS);
    assert_int_equal(busy.pause, 60 * MS - 700 * US);
    sdsim_flash_write_first(&flash, 0, 9, 0);
    busy = sdsim_flash_write_stop(&flash, 2 * end, sdsim_flash_write_block(&flash, 2 * end));
    assert_int_equal(busy.pause, 40 * MS + 700 * US);

    /* A stop that comes into the middle of a pause: what is left of it goes on. */
    params.busy_limit = 0;
    flash = flash_of(&params);
    sdsim_flash_write_first(&flash, 0, 0, 0);
    busy = sdsim_flash_write_block(&flash, end);
    assert_int_equal(busy.at, end + 5 * US + 100 * MS);
    (void)sdsim_flash_write_block(&flash, end); /* makes it a stream */
    busy = sdsim_flash_write_stop(&flash, end + 30 * MS, busy);
    assert_int_equal(busy.pause, 70 * MS + 5 * US);
    assert_int_equal(busy.at, end + 30 * MS + 900 * US + 70 * MS + 5 * US);
}

/* ---- alike ---- */

static struct sdsim_flash_params some_params(struct sdsim_rng *rng)
{
    return (struct sdsim_flash_params){
        .rd1 = sdsim_rng_below(rng, 300 * US),
        .rdn = sdsim_rng_below(rng, 2) * 7 * US,
        .rdpg = sdsim_rng_below(rng, 2) * sdsim_rng_below(rng, 200 * US),
        .w1 = 1 * MS,
        .wn = sdsim_rng_below(rng, 2) * 9 * US,
        .wpg = sdsim_rng_below(rng, 2) * sdsim_rng_below(rng, 2 * MS),
        .wstop = 2 * MS,
        .page_bytes = SDSIM_SECTOR * (1 + sdsim_rng_below(rng, 40)),
        .pause_every = SDSIM_SECTOR * sdsim_rng_below(rng, 60),
        .pause_length = 4 * MS,
        .rare_every = SDSIM_SECTOR * sdsim_rng_below(rng, 90),
        .rare_length = 9 * MS,
        .busy_limit = sdsim_rng_below(rng, 2) * 3 * MS,
        .rdau = sdsim_rng_below(rng, 2) * 80 * US,
        .rd_folded = sdsim_rng_below(rng, 2) * 30 * US,
        .rd_hit = sdsim_rng_below(rng, 2) * 20 * US,
        .cache_bytes = SDSIM_SECTOR * sdsim_rng_below(rng, 300),
        .fold_rate = sdsim_rng_below(rng, 2) * 3000000,
        .drain_rate = sdsim_rng_below(rng, 2) * 5000000,
        .au_bytes = SDSIM_SECTOR * (1 + sdsim_rng_below(rng, 150)),
        .open_aus = sdsim_rng_below(rng, 4),
        .au_open = sdsim_rng_below(rng, 2) * 100 * US,
        .move_rate = sdsim_rng_below(rng, 2) * 40000000,
        .rand = sdsim_rng_below(rng, 2) * 5 * MS,
        .small_bytes = SDSIM_SECTOR * sdsim_rng_below(rng, 9),
        .w_small = 3 * MS,
        .small_log = SDSIM_SECTOR * sdsim_rng_below(rng, 50),
        .small_merges = 1,
        .fat_bytes = SDSIM_SECTOR * sdsim_rng_below(rng, 600),
        .fat_stream = 500000000,
        .start_count = sdsim_rng_below(rng, 3),
        .start_every = SDSIM_SECTOR * sdsim_rng_below(rng, 50),
        .start_length = 2 * MS,
    };
}

static void same_ready(struct sdsim_ready a, struct sdsim_ready b, const char *what, uint64_t round)
{
    if (a.at != b.at || a.pause != b.pause) {
        fail_msg("round %llu: %s: ready at %llu after stepping, %llu after skipping",
                 (unsigned long long)round, what, (unsigned long long)a.at,
                 (unsigned long long)b.at);
    }
}

/* What is called alike is ready equally long after its forerunner, and skipping leaves the flash as
 * stepping would. */
static void alike_reads(struct sdsim_rng *rng, struct sdsim_flash *flash, uint64_t round,
                        unsigned *skipped)
{
    sdsim_ps end = sdsim_rng_below(rng, MS);
    end = sdsim_flash_read_first(flash, end, (uint32_t)sdsim_rng_below(rng, 1000)).at;
    for (unsigned i = 0; i < 30; i++) {
        end += sdsim_rng_below(rng, 60 * US);
        const struct sdsim_ready ready = sdsim_flash_read_next(flash, end);
        const uint64_t most = sdsim_rng_below(rng, 50);
        const uint64_t alike = sdsim_flash_read_alike(flash, most);
        assert_true(alike <= most);
        end = ready.at;
        if (alike < 2) {
            continue;
        }
        struct sdsim_flash skipping = *flash;
        const uint64_t blocks = 1 + sdsim_rng_below(rng, alike - 1);
        for (uint64_t b = 0; b < blocks; b++) {
            end += sdsim_rng_below(rng, 40 * US);
            const sdsim_ps gap =
                flash->params->rdn + (flash->folded ? flash->params->rd_folded : 0);
            const struct sdsim_ready alike_one = {.at = end + gap};
            same_ready(sdsim_flash_read_next(flash, end), alike_one, "an alike block", round);
            end = alike_one.at;
        }
        sdsim_flash_read_skip(&skipping, blocks);
        *skipped += (unsigned)blocks;
        struct sdsim_flash stepping = *flash;
        for (unsigned b = 0; b < 90; b++) {
            assert_int_equal(sdsim_flash_read_alike(&stepping, 1000),
                             sdsim_flash_read_alike(&skipping, 1000));
            end += sdsim_rng_below(rng, 40 * US);
            const struct sdsim_ready next = sdsim_flash_read_next(&stepping, end);
            same_ready(next, sdsim_flash_read_next(&skipping, end), "reading on", round);
            end = next.at;
        }
        *flash = stepping;
    }
}

static void alike_writes(struct sdsim_rng *rng, struct sdsim_flash *flash, uint64_t round,
                         unsigned *skipped)
{
    sdsim_ps end = sdsim_rng_below(rng, MS);
    sdsim_flash_write_first(flash, 0, (uint32_t)sdsim_rng_below(rng, 1000), 0);
    for (unsigned i = 0; i < 30; i++) {
        end = sdsim_flash_write_block(flash, end).at + sdsim_rng_below(rng, 60 * US);
        const uint64_t most = sdsim_rng_below(rng, 50);
        const uint64_t alike = sdsim_flash_write_alike(flash, most);
        assert_true(alike <= most);
        struct sdsim_flash skipping = *flash;
        for (uint64_t b = 0; b < alike; b++) {
            const struct sdsim_ready ready = sdsim_flash_write_block(flash, end);
            same_ready(ready, (struct sdsim_ready){.at = end + flash->params->wn}, "an alike block",
                       round);
            end = ready.at + sdsim_rng_below(rng, 60 * US);
        }
        sdsim_flash_write_skip(&skipping, alike);
        *skipped += (unsigned)alike;
        struct sdsim_flash stepping = *flash;
        sdsim_ps then = end;
        struct sdsim_ready ready = {.at = 0};
        for (unsigned b = 0; b < 90; b++) {
            assert_int_equal(sdsim_flash_write_alike(&stepping, 1000),
                             sdsim_flash_write_alike(&skipping, 1000));
            ready = sdsim_flash_write_block(&stepping, then);
            same_ready(ready, sdsim_flash_write_block(&skipping, then), "writing on", round);
            then = ready.at + sdsim_rng_below(rng, 20 * US);
        }
        same_ready(sdsim_flash_write_stop(&stepping, then, ready),
                   sdsim_flash_write_stop(&skipping, then, ready), "the stop", round);
    }
}

static void alike_never_lies(void **state)
{
    (void)state;
    const char *text = getenv("SDSIM_SEED");
    const uint64_t seed = text != NULL ? strtoull(text, NULL, 10) : 1;
    print_message("seed %llu\n", (unsigned long long)seed);
    unsigned reads = 0;
    unsigned writes = 0;
    for (uint64_t round = 0; round < 400; round++) {
        struct sdsim_rng rng;
        sdsim_rng_seed(&rng, sdsim_hash_number(seed, round));
        const struct sdsim_flash_params params = some_params(&rng);
        struct sdsim_flash flash;
        sdsim_flash_init(&flash, &params, seed, (uint32_t)sdsim_rng_below(&rng, 3));
        alike_reads(&rng, &flash, round, &reads);
        alike_writes(&rng, &flash, round, &writes);
    }
    /* The promise would be easy to keep by never making it. */
    assert_true(reads > 10000);
    assert_true(writes > 10000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read_ahead),
        cmocka_unit_test(slow_reads),
        cmocka_unit_test(programs_behind_the_transfer),
        cmocka_unit_test(commits),
        cmocka_unit_test(commits_behind_what_runs),
        cmocka_unit_test(erase),
        cmocka_unit_test(pauses_of_draw_0),
        cmocka_unit_test(pauses_of_other_draws),
        cmocka_unit_test(busy_limit),
        cmocka_unit_test(pause_of_a_lone_block),
        cmocka_unit_test(alike_never_lies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
