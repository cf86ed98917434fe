/* What was written last: how it slows writes when it is full, how it drains, how it speeds reads; and
 * the other latency levels of reads, and pauses after power-up. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdbool.h>
#include <string.h>

#include "flash/flash.h"

#define US SDSIM_US
#define MS SDSIM_MS

/* Folding takes 100 us a block, 400 us a page group. */
static const struct sdsim_flash_params cached = {
    .rd1 = 100 * US,
    .rdn = 3 * US,
    .rd_folded = 40 * US,
    .w1 = 700 * US,
    .wpg = 50 * US,
    .page_bytes = 4 * SDSIM_SECTOR,
    .cache_bytes = 16 * SDSIM_SECTOR,
    .fold_rate = SDSIM_SECTOR * SDSIM_S / (100 * US),
    .drain_rate = SDSIM_SECTOR * SDSIM_S / MS,
};

static struct sdsim_flash flash_of(const struct sdsim_flash_params *params)
{
    struct sdsim_flash flash;
    sdsim_flash_init(&flash, params, 1, 0);
    return flash;
}

/* Writes blocks as fast as the card takes them; returns when it is ready. */
static sdsim_ps write(struct sdsim_flash *flash, sdsim_ps start, uint32_t lba, uint32_t count)
{
    struct sdsim_ready busy = {.at = start};
    sdsim_flash_write_first(flash, start, lba, 0);
    for (uint32_t i = 0; i < count; i++) {
        busy = sdsim_flash_write_block(flash, busy.at);
    }
    return sdsim_flash_write_stop(flash, busy.at, busy).at;
}

static void full_cache_is_slow(void **state)
{
    (void)state;
    struct sdsim_flash flash = flash_of(&cached);
    /* Three groups of four at 50 us each; the fourth fills the cache. */
    sdsim_ps end = write(&flash, 0, 0, 12);
    assert_int_equal(end, 3 * 50 * US);
    assert_int_equal(flash.stats.folded_groups, 0);
    assert_int_equal(write(&flash, end, 12, 4) - end, 400 * US);
    assert_int_equal(flash.stats.folded_groups, 1);
    /* 3 ms later three blocks are folded; two new ones make it 15. */
    end = flash.cache.drained_at;
    (void)write(&flash, end + 3 * MS, 16, 2);
    assert_int_equal(flash.cache.level, 15);
    /* In the long run it drains completely, and not further. */
    (void)write(&flash, end + SDSIM_S, 18, 1);
    assert_int_equal(flash.cache.level, 1);
}

/* Many short rests fold as much as a long one. */
static void no_rest_is_lost(void **state)
{
    (void)state;
    struct sdsim_flash flash = flash_of(&cached);
    const sdsim_ps end = write(&flash, 0, 0, 10);
    for (unsigned i = 1; i <= 35; i++) {
        (void)sdsim_flash_read_first(&flash, end + i * MS / 10, 0);
    }
    assert_int_equal(flash.cache.level, 7);
    assert_int_equal(flash.cache.held, 7);
}

/* The blocks of a read command, each ready so long after the one before. */
static void gaps(struct sdsim_flash *flash, uint32_t lba, const unsigned *expected, size_t count)
{
    sdsim_ps end = SDSIM_S;
    for (size_t i = 0; i < count; i++) {
        const sdsim_ps at = i == 0 ? sdsim_flash_read_first(flash, end, lba).at
                                   : sdsim_flash_read_next(flash, end).at;
        if (at - end != expected[i] * US) {
            fail_msg("block %zu from %u: %llu us, not %u", i, (unsigned)lba,
                     (unsigned long long)((at - end) / US), expected[i]);
        }
        end = at;
        sdsim_flash_read_taken(flash);
    }
}

static void folded_reads(void **state)
{
    (void)state;
    struct sdsim_flash_params params = cached;
    params.drain_rate = 0;
    struct sdsim_flash flash = flash_of(&params);
    static const unsigned old[] = {140, 43, 43, 43};
    gaps(&flash, 0, old, 4);
    sdsim_flash_hold(&flash, 10, 2);
    (void)write(&flash, 0, 20, 4);
    static const unsigned mixed[] = {140, 3, 3, 43, 43};
    gaps(&flash, 9, mixed, 5);
    static const unsigned fresh[] = {100, 3, 3, 3, 43};
    gaps(&flash, 20, fresh, 5);
    assert_int_equal(flash.stats.fresh_reads, 6);
    assert_int_equal(flash.stats.folded_reads, 8);
    /* It holds sixteen blocks: what came first goes first. */
    (void)write(&flash, 0, 100, 14);
    gaps(&flash, 20, old, 2);
    static const unsigned rest[] = {100, 3, 43};
    gaps(&flash, 22, rest, 3);
}

/* More pieces than it can remember: the oldest count as folded. */
static void many_pieces(void **state)
{
    (void)state;
    struct sdsim_flash_params params = cached;
    params.cache_bytes = 1 << 20;
    struct sdsim_flash flash = flash_of(&params);
    for (uint32_t i = 0; i < SDSIM_CACHE_RANGES + 3; i++) {
        sdsim_flash_hold(&flash, 10 * i, 2);
    }
    for (uint32_t i = 0; i < SDSIM_CACHE_RANGES + 3; i++) {
        uint32_t span;
        assert_int_equal(sdsim_cache_holds(&flash.cache, 10 * i + 1, &span), i >= 3);
        assert_int_equal(span, i >= 3 ? 1 : 10 * (3 - i) - 1);
        assert_false(sdsim_cache_holds(&flash.cache, 10 * i + 2, &span));
    }
    assert_int_equal(flash.cache.held, 2 * SDSIM_CACHE_RANGES);
}

static void buffer_hits_and_au_borders(void **state)
{
    (void)state;
    const struct sdsim_flash_params params = {.rd1 = 100 * US,
                                              .rdn = 3 * US,
                                              .rd_hit = 20 * US,
                                              .rdau = 200 * US,
                                              .w1 = US,
                                              .page_bytes = 4 * SDSIM_SECTOR,
                                              .au_bytes = 8 * SDSIM_SECTOR};
    struct sdsim_flash flash = flash_of(&params);
    static const unsigned first[] = {100};
    static const unsigned hit[] = {20};
    static const unsigned across[] = {100, 3, 3, 3, 203, 3, 3, 3, 3};
    gaps(&flash, 0, first, 1);
    gaps(&flash, 1, hit, 1);
    gaps(&flash, 3, hit, 1);
    gaps(&flash, 4, across, 9);
    gaps(&flash, 17, first, 1);
    gaps(&flash, 16, hit, 1);
    /* A write takes the buffer, an erase empties it. */
    (void)write(&flash, 0, 12, 1);
    gaps(&flash, 12, first, 1);
    (void)sdsim_flash_erase(&flash, 0, 100, 1, false);
    gaps(&flash, 12, first, 1);
}

/* In steps and in one: the same blocks are alike. */
static void alike_ends_at_borders(void **state)
{
    (void)state;
    struct sdsim_flash_params params = cached;
    params.rdau = 200 * US;
    params.au_bytes = 8 * SDSIM_SECTOR;
    struct sdsim_flash flash = flash_of(&params);
    sdsim_flash_hold(&flash, 3, 10);
    (void)sdsim_flash_read_first(&flash, 0, 0);
    (void)sdsim_flash_read_next(&flash, US);
    assert_int_equal(sdsim_flash_read_alike(&flash, 100), 2); /* blocks 1 and 2 are folded */
    (void)sdsim_flash_read_next(&flash, US);
    (void)sdsim_flash_read_next(&flash, US);
    assert_int_equal(sdsim_flash_read_alike(&flash, 100), 5); /* 3 to 7, then another AU */
    sdsim_flash_read_skip(&flash, 4);
    (void)sdsim_flash_read_next(&flash, US);
    assert_int_equal(sdsim_flash_read_alike(&flash, 100), 0); /* 8 waits for its AU */
    (void)sdsim_flash_read_next(&flash, US);
    assert_int_equal(sdsim_flash_read_alike(&flash, 100), 4); /* 9 to 12 */
}

static void pauses_after_power_up(void **state)
{
    (void)state;
    struct sdsim_flash_params params = cached;
    params.start_count = 3;
    params.start_every = 10 * SDSIM_SECTOR;
    params.start_length = 180 * MS;
    struct sdsim_flash flash = flash_of(&params);
    sdsim_flash_write_first(&flash, 0, 0, 0);
    for (unsigned i = 1; i <= 60; i++) {
        const bool due = i == 1 || i == 11 || i == 21;
        const struct sdsim_ready busy = sdsim_flash_write_block(&flash, i * SDSIM_S);
        assert_int_equal(busy.pause, due ? 180 * MS : 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(full_cache_is_slow),
        cmocka_unit_test(no_rest_is_lost),
        cmocka_unit_test(folded_reads),
        cmocka_unit_test(many_pieces),
        cmocka_unit_test(buffer_hits_and_au_borders),
        cmocka_unit_test(alike_ends_at_borders),
        cmocka_unit_test(pauses_after_power_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
