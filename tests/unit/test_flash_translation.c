/* What a write costs because of where it goes: open AUs, merges, the small-write log, the FAT area. */
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

enum { AU = 64 }; /* blocks */

/* Copying a block takes 100 us, an AU 6.4 ms. */
static const struct sdsim_flash_params plain = {
    .w1 = 700 * US,
    .wstop = 900 * US,
    .page_bytes = 4 * SDSIM_SECTOR,
    .au_bytes = AU * SDSIM_SECTOR,
    .open_aus = 2,
    .au_open = 10 * US,
    .move_rate = SDSIM_SECTOR * SDSIM_S / (100 * US),
    .au_erase = 3 * MS,
    .rand = 20 * MS,
};

static struct sdsim_flash flash_of(const struct sdsim_flash_params *params)
{
    struct sdsim_flash flash;
    sdsim_flash_init(&flash, params, 1, 0);
    return flash;
}

/* A transfer of `count` blocks: what it costs above that of an ordinary one. */
static sdsim_ps cost(struct sdsim_flash *flash, uint32_t lba, uint32_t count)
{
    const struct sdsim_flash_params *params = flash->params;
    const sdsim_ps start = SDSIM_S;
    sdsim_ps at = start;
    struct sdsim_ready busy = {.at = at};
    sdsim_flash_write_first(flash, at, lba, 0);
    for (uint32_t i = 0; i < count; i++) {
        busy = sdsim_flash_write_block(flash, at);
        at = busy.at;
    }
    at = sdsim_flash_write_stop(flash, at, busy).at;
    return at - start - (count == 1 ? params->w1 : params->wstop);
}

/* ---- a story told in writes ---- */

struct step {
    uint32_t lba;
    uint32_t count;
    sdsim_ps cost;
};

struct story {
    const char *name;
    const struct sdsim_flash_params *params;
    const struct step *steps;
    size_t count;
};

#define STORY(name, params, steps)                                                                 \
    {                                                                                              \
        name, params, steps, sizeof(steps) / sizeof *(steps)                                       \
    }

static const struct step in_order[] = {
    {0 * AU, 8, 10 * US},          /* opened */
    {8, 8, 0},                     /* goes on */
    {16, 48, 0},                   /* to the border: complete, closes by itself */
    {1 * AU, 2 * AU, 2 * 10 * US}, /* two more, in one transfer */
    {3 * AU, 1, 10 * US},          /* nothing is open, so there is a slot */
};

static const struct step one_too_many[] = {
    {0 * AU, 16, 10 * US},
    {1 * AU, 4, 10 * US},
    {2 * AU, 4, 10 * US + 48 * 100 * US + 3 * MS}, /* AU 0 was written least lately: 48 are left */
    {1 * AU + 4, 4, 0},                            /* still open */
    {0 * AU + 16, 4, 10 * US + 60 * 100 * US + 3 * MS}, /* AU 2 goes */
    {1 * AU + 8, 4, 0},
};

static const struct step against_the_order[] = {
    {0, 16, 10 * US},
    {4, 4, 19100 * US},                            /* rand, of which wstop is a part */
    {8, 4, 0},                                     /* goes on there */
    {16, 4, 0},                                    /* and here */
    {4, 1, 19300 * US},                            /* w1 is, too */
    {1 * AU, 1, 10 * US},                          /* */
    {2 * AU, 2, 10 * US + 64 * 100 * US + 3 * MS}, /* AU 0 is scattered: full merge */
    {2 * AU + 10, 4, 0},                           /* behind all that was written: a gap */
    {2 * AU + 4, 4, 19100 * US},                   /* into the gap */
    {2 * AU + 14, 50, 0},                          /* to its border, but not complete */
    {3 * AU, 1, 10 * US + 63 * 100 * US + 3 * MS}, /* AU 1 goes */
    {4 * AU, 1, 10 * US + 64 * 100 * US + 3 * MS}, /* AU 2, scattered */
};

static const struct step erased_first[] = {
    {5 * AU, 4, 10 * US},
    {1 * AU, 4, 0},                                /* erased: opened for nothing */
    {2 * AU, 4, 10 * US + 60 * 100 * US + 3 * MS}, /* AU 5 goes, 2 was not erased completely */
    {3 * AU, 4, 10 * US},                          /* AU 1 goes: there was nothing to copy */
    {1 * AU, 4, 10 * US + 60 * 100 * US + 3 * MS}, /* it is not erased any more; 2 goes */
};

static struct sdsim_flash_params small_params(void)
{
    struct sdsim_flash_params params = plain;
    params.small_bytes = 4 * SDSIM_SECTOR;
    params.w_small = 2 * MS;
    return params;
}

static struct sdsim_flash_params logging_params(void)
{
    struct sdsim_flash_params params = small_params();
    params.small_log = 12 * SDSIM_SECTOR;
    params.small_merges = 2;
    return params;
}

static const struct step small_writes[] = {
    {0, 16, 10 * US},
    {1 * AU, 16, 10 * US},
    {2 * AU, 4, 1100 * US},                        /* no slot, but small: the log */
    {5 * AU, 1, 1300 * US},                        /* */
    {0, 4, 1100 * US},                             /* small and against the order */
    {4, 4, 0},                                     /* goes on there */
    {16, 4, 0},                                    /* AU 0 is still open and in order */
    {2 * AU, 5, 10 * US + 48 * 100 * US + 3 * MS}, /* too large for the log: AU 1 goes */
    {7 * AU, 1, 1300 * US},
    {7 * AU + 1, 1, 10 * US + 44 * 100 * US + 3 * MS}, /* a stream of small ones gets its AU */
    {7 * AU + 2, 1, 0},
};

static const struct step full_log[] = {
    {0, 16, 10 * US},
    {0, 1, 1300 * US},
    {2, 1, 1300 * US},
    {4, 1, 1300 * US + 2 * (64 * 100 * US + 3 * MS)}, /* the third fills it */
    {6, 1, 1300 * US},
    {8, 1, 1300 * US},
    {10, 1, 1300 * US + 2 * (64 * 100 * US + 3 * MS)},
};

/* No limit, and no copies: cards that map pages. */
static struct sdsim_flash_params paged_params(void)
{
    struct sdsim_flash_params params = plain;
    params.open_aus = 0;
    params.move_rate = 0;
    params.au_open = 0;
    params.rand = 3 * MS;
    params.rand_full = 7 * MS;
    params.rand_after = 16 * SDSIM_SECTOR;
    return params;
}

static const struct step paged[] = {
    {0, 16, 0},        {9 * AU, 4, 0},    {5 * AU, 4, 0},
    {0, 4, 2100 * US}, {4, 4, 0}, /* goes on */
    {2, 4, 3100 * US},            /* 4 of 16 blocks: 3 ms + a quarter of 4 */
    {1, 8, 4100 * US},            /* 8 of 16 */
    {0, 4, 6100 * US},            /* as bad as it gets */
    {20, 1, 0},        {3, 2, 6100 * US},
};

static void stories(void **state)
{
    (void)state;
    const struct sdsim_flash_params small = small_params();
    const struct sdsim_flash_params logging = logging_params();
    const struct sdsim_flash_params pages = paged_params();
    const struct story table[] = {
        STORY("in order", &plain, in_order),
        STORY("one AU too many", &plain, one_too_many),
        STORY("against the order", &plain, against_the_order),
        STORY("erased first", &plain, erased_first),
        STORY("small writes", &small, small_writes),
        STORY("a full log", &logging, full_log),
        STORY("mapped pages", &pages, paged),
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct sdsim_flash flash = flash_of(table[i].params);
        if (table[i].steps == erased_first) {
            /* AU 1 completely; of 2 a part. */
            (void)sdsim_flash_erase(&flash, 0, 1 * AU, AU, false);
            (void)sdsim_flash_erase(&flash, 0, 2 * AU + 1, AU - 1, false);
        }
        for (size_t s = 0; s < table[i].count; s++) {
            const struct step *step = &table[i].steps[s];
            const sdsim_ps got = cost(&flash, step->lba, step->count);
            if (got != step->cost) {
                fail_msg("%s, step %zu: costs %llu us, not %llu", table[i].name, s,
                         (unsigned long long)(got / US), (unsigned long long)(step->cost / US));
            }
        }
    }
}

/* ---- the cliff ---- */

/* Writes of 16 blocks, in turns to `aus` AUs: the dearest of the third round. */
static sdsim_ps third_round(uint64_t limit, uint32_t aus)
{
    struct sdsim_flash_params params = plain;
    params.open_aus = limit;
    struct sdsim_flash flash = flash_of(&params);
    sdsim_ps most = 0;
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < aus; i++) {
            const sdsim_ps one = cost(&flash, (2 * i + 1) * AU + 16 * round, 16);
            most = round == 2 && one > most ? one : most;
        }
    }
    return most;
}

static void cliff_at_limit_plus_one(void **state)
{
    (void)state;
    for (uint64_t limit = 1; limit <= SDSIM_AU_SLOTS; limit++) {
        assert_int_equal(third_round(limit, (uint32_t)limit), 0);
        /* Each write finds its AU closed, and closes one of which 16 blocks were written. */
        assert_int_equal(third_round(limit, (uint32_t)limit + 1), 10 * US + 48 * 100 * US + 3 * MS);
    }
    assert_int_equal(third_round(0, SDSIM_AU_SLOTS), 0);
    /* No limit, but what is not remembered counts as written before. */
    assert_int_equal(third_round(0, SDSIM_AU_SLOTS + 1), 19100 * US);
}

/* A merge that is longer than a busy may be goes on with the next blocks. */
static void merge_in_parts(void **state)
{
    (void)state;
    struct sdsim_flash_params params = plain;
    params.open_aus = 1;
    params.busy_limit = 4 * MS;
    struct sdsim_flash flash = flash_of(&params);
    (void)cost(&flash, 0, 1);
    const sdsim_ps merge = 10 * US + 63 * 100 * US + 3 * MS;
    sdsim_ps at = SDSIM_S;
    sdsim_ps pauses = 0;
    sdsim_flash_write_first(&flash, at, AU, 0);
    for (unsigned i = 0; i < 4; i++) {
        const struct sdsim_ready busy = sdsim_flash_write_block(&flash, at);
        assert_true(busy.at - at <= 4 * MS);
        assert_int_equal(sdsim_flash_write_alike(&flash, 10), i < 2 ? 0 : 10);
        pauses += busy.pause;
        at = busy.at;
    }
    assert_int_equal(pauses, merge);
    assert_int_equal(flash.translation.stats.merges, 1);
    assert_int_equal(flash.translation.stats.merge_time, merge - 10 * US);
}

/* ---- what the host announces and erases ---- */

static void announced_blocks(void **state)
{
    (void)state;
    static const struct {
        uint32_t lba, announced;
        bool erased;
    } rows[] = {
        {AU, 0, false},     {AU, AU - 1, false}, {AU, AU, true},
        {AU, 5 * AU, true}, {AU + 1, AU, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sdsim_flash flash = flash_of(&plain);
        sdsim_flash_write_first(&flash, 0, rows[i].lba, rows[i].announced);
        const struct sdsim_ready busy = sdsim_flash_write_block(&flash, 0);
        assert_int_equal(busy.at, rows[i].erased ? 0 : 10 * US);
    }
}

/* A transfer broken off by a reset of the card: its blocks are there, and its AU goes like any. */
static void broken_off(void **state)
{
    (void)state;
    for (unsigned erase = 0; erase < 2; erase++) {
        struct sdsim_flash flash = flash_of(&plain);
        (void)cost(&flash, 0, 8);
        sdsim_flash_write_first(&flash, 0, AU, 0);
        for (unsigned i = 0; i < 8; i++) {
            (void)sdsim_flash_write_block(&flash, 0);
        }
        if (erase == 1) {
            (void)sdsim_flash_erase(&flash, 0, 0, AU, false); /* the other AU moves to its slot */
        }
        assert_int_equal(cost(&flash, AU + 8, 8), 0);
        assert_int_equal(flash.translation.aus.open[erase == 1 ? 0 : 1].written, 16);
    }
}

static void erase_times(void **state)
{
    (void)state;
    struct sdsim_flash_params params = plain;
    params.erase = 5 * MS;
    params.erase_per_au = 2 * MS;
    static const struct {
        uint32_t lba, count;
        bool discard;
        sdsim_ps time;
    } rows[] = {
        {0, 1, false, 7 * MS},        {0, AU, false, 7 * MS},     {AU - 1, 2, false, 9 * MS},
        {0, 10 * AU, false, 25 * MS}, {0, 10 * AU, true, 5 * MS}, {1, 10 * AU, false, 27 * MS},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sdsim_flash flash = flash_of(&params);
        assert_int_equal(
            sdsim_flash_erase(&flash, US, rows[i].lba, rows[i].count, rows[i].discard).at,
            US + rows[i].time);
    }
}

/* Ranges of erased AUs split, are forgotten oldest first, and close what is open in them. */
static void erased_ranges(void **state)
{
    (void)state;
    struct sdsim_au_table table;
    memset(&table, 0, sizeof table);
    (void)sdsim_au_open(&table, 7, 7 * AU);
    sdsim_au_erased(&table, 5, 10);
    assert_int_equal(table.count, 0);
    assert_true(table.open[sdsim_au_open(&table, 7, 7 * AU)].erased);
    assert_int_equal(table.erased_count, 2);
    assert_true(table.open[sdsim_au_open(&table, 5, 5 * AU)].erased);
    assert_true(table.open[sdsim_au_open(&table, 9, 9 * AU)].erased);
    assert_false(table.open[sdsim_au_open(&table, 10, 10 * AU)].erased);
    sdsim_au_close(&table, sdsim_au_find(&table, 7));
    assert_false(table.open[sdsim_au_open(&table, 7, 7 * AU)].erased);
    /* Twenty single AUs: the first ones are forgotten. */
    memset(&table, 0, sizeof table);
    for (uint32_t i = 0; i < 20; i++) {
        sdsim_au_erased(&table, 2 * i, 2 * i + 1);
    }
    for (uint32_t i = 0; i < 20; i++) {
        assert_int_equal(table.open[sdsim_au_open(&table, 2 * i, 0)].erased,
                         i >= 20 - SDSIM_ERASED_RANGES);
    }
}

/* ---- the FAT area ---- */

static void fat_area(void **state)
{
    (void)state;
    struct sdsim_flash_params params = plain;
    params.fat_bytes = 2 * AU * SDSIM_SECTOR;
    params.w_fat = 300 * US;
    params.fat_stream = 500000000;
    params.wpg = 400 * US;
    struct sdsim_flash flash = flash_of(&params);
    struct sdsim_ready busy;
    /* A lone block, there and back again; no AU is opened. */
    for (uint32_t i = 0; i < 4; i++) {
        sdsim_flash_write_first(&flash, 0, 100 - 30 * (i % 2), 0);
        busy = sdsim_flash_write_block(&flash, 0);
        assert_int_equal(sdsim_flash_write_stop(&flash, 0, busy).at, 300 * US);
    }
    assert_int_equal(flash.translation.aus.count, 0);
    /* A stream: its program and its commit take twice as long. */
    sdsim_flash_write_first(&flash, 0, 0, 0);
    for (uint32_t i = 0; i < 4; i++) {
        busy = sdsim_flash_write_block(&flash, 0);
    }
    assert_int_equal(sdsim_flash_write_stop(&flash, 0, busy).at, 2 * (400 + 900) * US);
    /* One that leaves the area opens an AU behind it. */
    sdsim_flash_write_first(&flash, 0, 2 * AU - 1, 0);
    (void)sdsim_flash_write_block(&flash, 0);
    assert_int_equal(flash.translation.aus.count, 0);
    busy = sdsim_flash_write_block(&flash, SDSIM_S);
    assert_int_equal(busy.pause, 10 * US);
    assert_int_equal(flash.translation.aus.count, 1);
}

/* It is set up for every draw of every run. */
static void is_small(void **state)
{
    (void)state;
    assert_true(sizeof(struct sdsim_flash) <= 4096);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stories),        cmocka_unit_test(cliff_at_limit_plus_one),
        cmocka_unit_test(merge_in_parts), cmocka_unit_test(announced_blocks),
        cmocka_unit_test(broken_off),     cmocka_unit_test(erase_times),
        cmocka_unit_test(erased_ranges),  cmocka_unit_test(fat_area),
        cmocka_unit_test(is_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
