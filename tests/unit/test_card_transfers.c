/* The card, block by block: reading, writing, erasing, fakes, pauses, and no memory. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdbool.h>

#include "alloc.h"
#include "card/transfer.h"
#include "card_bench.h"

#define US SDSIM_US
#define MS SDSIM_MS

/* ---- transfers ---- */

static void write_one(struct sdsim_test_card *bench, uint32_t lba, uint8_t fill)
{
    const struct sdsim_content content = {.kind = SDSIM_CONTENT_FILL, .fill = fill};
    assert_int_equal(sdsim_test_card_r1(bench, 24, lba), 0);
    bench->now += 200 * US;
    assert_true(sdsim_card_write_block(&bench->card, bench->now, &content));
    bench->now = sdsim_card_busy(&bench->card).at;
}

static uint8_t read_one(struct sdsim_test_card *bench, uint32_t lba)
{
    uint8_t block[SDSIM_SECTOR];
    assert_int_equal(sdsim_test_card_r1(bench, 17, lba), 0);
    assert_int_equal(sdsim_card_read_ready(&bench->card).at, bench->now + 100 * US);
    sdsim_card_read_bytes(&bench->card, block);
    for (unsigned i = 1; i < SDSIM_SECTOR; i++) {
        assert_int_equal(block[i], block[0]);
    }
    bench->now += 300 * US;
    sdsim_card_read_done(&bench->card, bench->now);
    assert_int_equal(bench->card.state, SDSIM_CARD_TRANSFER);
    return block[0];
}

static void single_blocks(void **state)
{
    (void)state;
    struct sdsim_test_card bench;
    sdsim_test_card_spi_ready(&bench, &sdsim_test_sdhc);
    write_one(&bench, 77, 0xA5);
    assert_int_equal(read_one(&bench, 77), 0xA5);
    assert_int_equal(read_one(&bench, 78), 0x00);

    /* Busy for w1 in all, the wn of its block included, in program state. */
    const struct sdsim_content content = {.kind = SDSIM_CONTENT_FILL, .fill = 1};
    (void)sdsim_test_card_r1(&bench, 24, 0);
    assert_int_equal(bench.card.state, SDSIM_CARD_RECEIVE);
    const sdsim_ps end = bench.now + MS;
    assert_true(sdsim_card_write_block(&bench.card, end, &content));
    assert_int_equal(sdsim_card_busy(&bench.card).at, end + 700 * US);
    assert_int_equal(sdsim_card_status(&bench.card, end + 699 * US) >> 9, SDSIM_CARD_PROGRAM);
    assert_true((sdsim_card_status(&bench.card, end + 699 * US) & SDSIM_STATUS_READY_FOR_DATA) ==
                0);
    assert_int_equal(sdsim_card_status(&bench.card, end + 700 * US),
                     (uint32_t)SDSIM_CARD_TRANSFER << 9 | SDSIM_STATUS_READY_FOR_DATA);
    sdsim_test_card_power_down(&bench);
}

static void a_busy_card_over_spi(void **state)
{
    (void)state;
    static const uint8_t deaf[] = {6, 8, 9, 17, 24, 55, 58, 59};
    for (size_t i = 0; i < sizeof deaf; i++) {
        struct sdsim_test_card bench;
        sdsim_test_card_spi_ready(&bench, &sdsim_test_sdhc);
        write_one(&bench, 0, 1);
        bench.now -= 10 * US;
        assert_false(sdsim_test_card_spi(&bench, deaf[i], 0)->answered);
        assert_true(sdsim_test_card_spi(&bench, 13, 0)->answered);
        assert_true(sdsim_test_card_spi(&bench, 12, 0)->answered);
        assert_true(bench.reply.busy);
        bench.now += 10 * US;
        assert_true(sdsim_test_card_spi(&bench, deaf[i], 0)->answered);
        assert_true(sdsim_test_card_spi(&bench, 0, 0)->answered);
        sdsim_test_card_power_down(&bench);
    }
    /* CMD0 ends the busy. */
    struct sdsim_test_card bench;
    sdsim_test_card_spi_ready(&bench, &sdsim_test_sdhc);
    write_one(&bench, 0, 1);
    bench.now -= 10 * US;
    assert_true(sdsim_test_card_spi(&bench, 0, 0)->answered);
    assert_true(sdsim_card_busy(&bench.card).at <= bench.now);
    sdsim_test_card_power_down(&bench);
}

static void streams(void **state)
{
    (void)state;
    struct sdsim_test_card bench;
    sdsim_test_card_spi_ready(&bench, &sdsim_test_sdhc);
    assert_int_equal(sdsim_test_card_r1(&bench, 25, 100), 0);
    assert_true(bench.reply.multiple);
    for (uint32_t i = 0; i < 5; i++) {
        const struct sdsim_content content = {.kind = SDSIM_CONTENT_FILL, .fill = (uint8_t)i};
        bench.now += MS;
        assert_true(sdsim_card_write_block(&bench.card, bench.now, &content));
        assert_int_equal(sdsim_card_busy(&bench.card).at, bench.now + 5 * US);
    }
    bench.now += MS;
    sdsim_card_stop_token(&bench.card, bench.now);
    assert_int_equal(sdsim_card_busy(&bench.card).at, bench.now + 900 * US);
    assert_int_equal(bench.card.state, SDSIM_CARD_TRANSFER);
    sdsim_card_stop_token(&bench.card, bench.now + SDSIM_S); /* not in a transfer: nothing */
    bench.now += MS;
    assert_int_equal(sdsim_card_busy(&bench.card).at, bench.now - MS + 900 * US);

    (void)sdsim_test_card_r1(&bench, 55, 0);
    (void)sdsim_test_card_r1(&bench, 22, 0);
    assert_int_equal(bench.card.block[3], 5); /* well written blocks */

    assert_int_equal(sdsim_test_card_r1(&bench, 18, 100), 0);
    assert_true(bench.reply.multiple);
    for (uint32_t i = 0; i < 5; i++) {
        uint8_t block[SDSIM_SECTOR];
        sdsim_card_read_bytes(&bench.card, block);
        assert_int_equal(block[0], i);
        bench.now = sdsim_card_read_ready(&bench.card).at + 100 * US;
        sdsim_card_read_done(&bench.card, bench.now);
        assert_int_equal(sdsim_card_read_ready(&bench.card).at, bench.now + 2 * US);
    }
    assert_int_equal(sdsim_test_card_r1(&bench, 17, 0), SDSIM_R1_ILLEGAL); /* not while sending */
    assert_int_equal(sdsim_test_card_r1(&bench, 12, 0), 0);
    assert_false(bench.reply.busy);
    assert_int_equal(bench.card.state, SDSIM_CARD_TRANSFER);
    sdsim_test_card_power_down(&bench);
}

/* CMD23 counts one transfer and is forgotten. */
static void counted_transfers(void **state)
{
    (void)state;
    const struct sdsim_content content = {.kind = SDSIM_CONTENT_FILL, .fill = 7};
    struct sdsim_test_card bench;
    sdsim_test_card_sd_ready(&bench, &sdsim_test_sdhc);
    (void)sdsim_test_card_sd(&bench, 23, 3);
    (void)sdsim_test_card_sd(&bench, 25, 10);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(bench.card.state, SDSIM_CARD_RECEIVE);
        bench.now += MS;
        assert_true(sdsim_card_write_block(&bench.card, bench.now, &content));
    }
    assert_int_equal(bench.card.state, SDSIM_CARD_TRANSFER);
    assert_int_equal(sdsim_card_busy(&bench.card).at, bench.now + 905 * US);
    bench.now += MS;
    /* The last one commits, so it is not like the others. */
    (void)sdsim_test_card_sd(&bench, 23, 10);
    (void)sdsim_test_card_sd(&bench, 25, 10);
    assert_int_equal(sdsim_card_write_alike(&bench.card, 100), 9);
    (void)sdsim_test_card_sd(&bench, 12, 0);
    bench.now += MS;
    (void)sdsim_test_card_sd(&bench, 23, 10);
    (void)sdsim_test_card_sd(&bench, 18, 10);
    sdsim_card_read_done(&bench.card, bench.now += MS);
    assert_int_equal(sdsim_card_read_alike(&bench.card, 100), 8);
    (void)sdsim_test_card_sd(&bench, 12, 0);
    bench.now += MS;
    (void)sdsim_test_card_sd(&bench, 23, 2);
    (void)sdsim_test_card_sd(&bench, 18, 10);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(bench.card.state, SDSIM_CARD_DATA);
        sdsim_card_read_done(&bench.card, bench.now += MS);
    }
    assert_int_equal(bench.card.state, SDSIM_CARD_TRANSFER);
    (void)sdsim_test_card_sd(&bench, 18, 10);
    for (unsigned i = 0; i < 5; i++) {
        sdsim_card_read_done(&bench.card, bench.now += MS);
    }
    assert_int_equal(bench.card.state, SDSIM_CARD_DATA);
    /* The response names the state before. */
    assert_int_equal(sdsim_test_card_state_of(sdsim_test_card_sd(&bench, 12, 0)), SDSIM_CARD_DATA);
    assert_int_equal(bench.card.state, SDSIM_CARD_TRANSFER);
    (void)sdsim_test_card_sd(&bench, 25, 10);
    assert_int_equal(sdsim_test_card_state_of(sdsim_test_card_sd(&bench, 12, 0)),
                     SDSIM_CARD_RECEIVE);
    sdsim_test_card_power_down(&bench);
}

/* CMD23 is for the command right behind it, says section 4.15, and has all 32 bits. */
static void counts_that_are_over(void **state)
{
    (void)state;
    static const struct {
        const char *what;
        uint32_t count;
        uint8_t between; /* 0: nothing */
        uint32_t argument;
        bool app;
        uint32_t left;
    } rows[] = {
        {"at once", 2, 0, 0, false, 2},
        {"more than 16 bits", 65536, 0, 0, false, 65536},
        {"0: open", 0, 0, 0, false, SDSIM_CARD_OPEN_ENDED},
        {"a second CMD23", 2, 23, 3, false, 3},
        {"CMD13 between", 2, 13, 0, false, SDSIM_CARD_OPEN_ENDED},
        {"CMD16 between", 2, 16, 512, false, SDSIM_CARD_OPEN_ENDED},
        {"an illegal command between", 2, 5, 0, false, SDSIM_CARD_OPEN_ENDED},
        {"ACMD23 between", 2, 23, 5, true, SDSIM_CARD_OPEN_ENDED},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (unsigned index = 18; index <= 25; index += 7) {
            struct sdsim_test_card bench;
            sdsim_test_card_sd_ready(&bench, &sdsim_test_sdhc);
            const uint32_t rca = (uint32_t)bench.card.rca << 16;
            (void)sdsim_test_card_sd(&bench, 23, rows[i].count);
            if (rows[i].app) {
                (void)sdsim_test_card_sd(&bench, 55, rca);
            }
            if (rows[i].between != 0) {
                (void)sdsim_test_card_sd(&bench, rows[i].between,
                                         rows[i].between == 13 ? rca : rows[i].argument);
            }
            (void)sdsim_test_card_sd(&bench, (uint8_t)index, 10);
            if (bench.card.left != rows[i].left) {
                fail_msg("%s: CMD%u for %lu blocks", rows[i].what, index,
                         (unsigned long)bench.card.left);
            }
            sdsim_test_card_power_down(&bench);
        }
    }
}

static void beyond_the_end(void **state)
{
    (void)state;
    const struct sdsim_content content = {.kind = SDSIM_CONTENT_FILL, .fill = 7};
    struct sdsim_test_card bench;
    sdsim_test_card_spi_ready(&bench, &sdsim_test_sdhc);
    const uint32_t last = bench.card.sectors - 1;
    (void)sdsim_test_card_r1(&bench, 18, last);
    assert_false(sdsim_card_read_beyond(&bench.card));
    sdsim_card_read_done(&bench.card, bench.now += MS);
    assert_true(sdsim_card_read_beyond(&bench.card));
    assert_int_equal(sdsim_card_read_alike(&bench.card, 100), 0);
    (void)sdsim_test_card_r1(&bench, 12, 0);
    assert_int_equal(sdsim_test_card_spi(&bench, 13, 0)->extra[0], 0); /* the pins tell of it */

    (void)sdsim_test_card_r1(&bench, 25, last);
    assert_true(sdsim_card_write_block(&bench.card, bench.now += MS, &content));
    const sdsim_ps busy = sdsim_card_busy(&bench.card).at;
    assert_int_equal(sdsim_card_write_alike(&bench.card, 100), 0);
    assert_false(sdsim_card_write_block(&bench.card, bench.now += MS, &content));
    assert_int_equal(sdsim_card_busy(&bench.card).at, busy);
    assert_false(sdsim_card_write_block(&bench.card, bench.now += MS, &content));
    assert_int_equal(bench.card.well_written, 1);
    sdsim_card_stop_token(&bench.card, bench.now);
    bench.now += MS;
    assert_int_equal(sdsim_test_card_spi(&bench, 13, 0)->extra[0], SDSIM_R2_OUT_OF_RANGE);
    sdsim_test_card_power_down(&bench);

    /* SD mode: the response to CMD12 tells of a read that went on, but not of one that was stopped
     * before the card looked for the next block, 2 us behind the last one. */
    for (unsigned late = 0; late <= 2; late += 2) {
        sdsim_test_card_sd_ready(&bench, &sdsim_test_sdhc);
        (void)sdsim_test_card_sd(&bench, 18, last);
        sdsim_card_read_done(&bench.card, bench.now += MS);
        bench.now += late * US;
        const uint32_t status = sdsim_test_card_word(sdsim_test_card_sd(&bench, 12, 0));
        assert_int_equal(status & SDSIM_STATUS_OUT_OF_RANGE,
                         late > 0 ? SDSIM_STATUS_OUT_OF_RANGE : 0);
        sdsim_test_card_power_down(&bench);
    }
}

static void skipping_equals_stepping(void **state)
{
    (void)state;
    struct sdsim_test_card a;
    struct sdsim_test_card b;
    const struct sdsim_content content = {.kind = SDSIM_CONTENT_GENERATED, .seed = 9};
    sdsim_test_card_spi_ready(&a, &sdsim_test_sdhc);
    sdsim_test_card_spi_ready(&b, &sdsim_test_sdhc);
    struct sdsim_test_card *benches[] = {&a, &b};
    for (int i = 0; i < 2; i++) {
        (void)sdsim_test_card_r1(benches[i], 25, 8192 - 40);
        assert_true(sdsim_card_write_block(&benches[i]->card, SDSIM_S, &content));
    }
    assert_int_equal(sdsim_card_write_alike(&a.card, 1000), 39);
    for (uint32_t i = 1; i <= 39; i++) {
        const struct sdsim_content rest = sdsim_content_after(&content, i * SDSIM_SECTOR);
        assert_true(sdsim_card_write_block(&a.card, SDSIM_S + i * MS, &rest));
    }
    const struct sdsim_content rest = sdsim_content_after(&content, SDSIM_SECTOR);
    assert_true(sdsim_card_write_skip(&b.card, 39, 39 * MS, &rest));
    assert_int_equal(a.card.busy.at, b.card.busy.at);
    assert_int_equal(a.card.lba, b.card.lba);
    assert_int_equal(a.card.well_written, b.card.well_written);
    assert_true(sdsim_medium_equal(a.medium, b.medium));
    for (int i = 0; i < 2; i++) {
        struct sdsim_test_card *bench = benches[i];
        sdsim_card_stop_token(&bench->card, 2 * SDSIM_S);
        bench->now = 3 * SDSIM_S;
        (void)sdsim_test_card_r1(bench, 18, 8192 - 40);
        sdsim_card_read_done(&bench->card, 4 * SDSIM_S);
    }
    assert_int_equal(sdsim_card_read_alike(&a.card, 1000), 39);
    assert_int_equal(sdsim_card_read_alike(&a.card, 10), 10);
    for (uint32_t i = 1; i <= 38; i++) {
        sdsim_card_read_done(&a.card, 4 * SDSIM_S + i * MS);
    }
    sdsim_card_read_skip(&b.card, 38, 38 * MS);
    assert_int_equal(a.card.ready.at, b.card.ready.at);
    assert_int_equal(a.card.lba, b.card.lba);
    uint8_t block[2][SDSIM_SECTOR];
    sdsim_card_read_bytes(&a.card, block[0]);
    sdsim_card_read_bytes(&b.card, block[1]);
    assert_memory_equal(block[0], block[1], SDSIM_SECTOR);
    sdsim_test_card_power_down(&a);
    sdsim_test_card_power_down(&b);
}

/* ---- erase ---- */

static void erasing(void **state)
{
    (void)state;
    struct sdsim_test_card bench;
    sdsim_test_card_spi_ready(&bench, &sdsim_test_sdhc);
    for (uint32_t lba = 0; lba < 4; lba++) {
        write_one(&bench, lba, 0x11);
    }
    assert_int_equal(sdsim_test_card_r1(&bench, 32, 1), 0);
    assert_int_equal(sdsim_test_card_r1(&bench, 33, 2), 0);
    assert_int_equal(sdsim_test_card_r1(&bench, 38, 0), 0);
    assert_true(bench.reply.busy);
    assert_int_equal(sdsim_card_busy(&bench.card).at, bench.now + 2 * MS);
    bench.now += 2 * MS;
    static const uint8_t left[] = {0x11, 0x00, 0x00, 0x11};
    for (uint32_t lba = 0; lba < 4; lba++) {
        assert_int_equal(read_one(&bench, lba), left[lba]);
    }
    sdsim_test_card_power_down(&bench);

    static const struct {
        const char *what;
        uint32_t from, to; /* UINT32_MAX: not sent */
        bool backwards;    /* CMD33 first */
    } rows[] = {
        {"CMD38 alone", UINT32_MAX, UINT32_MAX, false},
        {"without CMD33", 0, UINT32_MAX, false},
        {"without CMD32", UINT32_MAX, 0, false},
        {"end before begin", 5, 4, false},
        {"end beyond the card", 5, 8192, false},
        {"begin beyond the card", 8192, 5, false},
        {"in the wrong order", 1, 2, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sdsim_test_card_spi_ready(&bench, &sdsim_test_sdhc);
        write_one(&bench, 0, 0x11);
        for (int step = 0; step < 2; step++) {
            const bool first = (step == 0) != rows[i].backwards;
            const uint32_t lba = first ? rows[i].from : rows[i].to;
            if (lba != UINT32_MAX) {
                (void)sdsim_test_card_r1(&bench, first ? 32 : 33, lba);
            }
        }
        if (sdsim_test_card_r1(&bench, 38, 0) != SDSIM_R1_ERASE_SEQUENCE || bench.reply.busy) {
            fail_msg("%s: R1 %02X", rows[i].what, bench.reply.r1);
        }
        assert_int_equal(read_one(&bench, 0), 0x11);
        sdsim_test_card_power_down(&bench);
    }
}

/* ---- cards that are not what they say ---- */

static void fake_capacity(void **state)
{
    (void)state;
    struct sdsim_card_params params = sdsim_test_sdhc;
    params.real_bytes = 1 << 20; /* 2048 of 8192 sectors */
    struct sdsim_test_card bench;
    sdsim_test_card_spi_ready(&bench, &params);
    write_one(&bench, 2047, 0x22);
    write_one(&bench, 2048, 0x33);
    write_one(&bench, 8191, 0x44);
    assert_int_equal(read_one(&bench, 2047), 0x22);
    assert_int_equal(read_one(&bench, 2048), 0xFF);
    assert_int_equal(read_one(&bench, 8191), 0xFF);

    /* A run across the border, both ways. */
    const struct sdsim_content content = {.kind = SDSIM_CONTENT_FILL, .fill = 0x55};
    (void)sdsim_test_card_r1(&bench, 25, 2044);
    assert_true(sdsim_card_write_block(&bench.card, bench.now += MS, &content));
    assert_true(sdsim_card_write_skip(&bench.card, 7, MS, &content));
    sdsim_card_stop_token(&bench.card, bench.now += 2 * MS);
    bench.now += 2 * MS;
    (void)sdsim_test_card_r1(&bench, 18, 2043);
    uint8_t blocks[8][SDSIM_SECTOR];
    sdsim_card_read_many(&bench.card, 8, blocks[0]);
    static const uint8_t expected[] = {0x00, 0x55, 0x55, 0x55, 0x55, 0xFF, 0xFF, 0xFF};
    for (unsigned i = 0; i < 8; i++) {
        assert_int_equal(blocks[i][0], expected[i]);
        assert_int_equal(blocks[i][511], expected[i]);
    }
    sdsim_card_read_many(&bench.card, 8, NULL);
    sdsim_test_card_power_down(&bench);
}

/* ---- pauses ---- */

/* A pause in the busy of a lone block is known for what it is. */
static void pause_of_a_lone_write(void **state)
{
    (void)state;
    struct sdsim_card_params params = sdsim_test_sdhc;
    params.flash.pause_every = 2 * SDSIM_SECTOR;
    params.flash.pause_length = 80 * MS;
    struct sdsim_test_card bench;
    sdsim_test_card_spi_ready(&bench, &params);
    const struct sdsim_content content = {.kind = SDSIM_CONTENT_FILL, .fill = 1};
    (void)sdsim_test_card_r1(&bench, 24, 0);
    assert_true(sdsim_card_write_block(&bench.card, bench.now, &content));
    assert_int_equal(sdsim_card_busy(&bench.card).at, bench.now + 80 * MS + 700 * US);
    assert_int_equal(sdsim_card_busy(&bench.card).pause, 80 * MS);
    sdsim_test_card_power_down(&bench);
}

/* ---- no memory ---- */

static void out_of_memory(void **state)
{
    (void)state;
    struct sdsim_test_card bench;
    sdsim_test_card_spi_ready(&bench, &sdsim_test_sdhc);
    bool failed = false;
    for (uint32_t lba = 0; lba < 5000 && !failed; lba += 2) {
        const struct sdsim_content content = {.kind = SDSIM_CONTENT_FILL, .fill = (uint8_t)lba};
        assert_int_equal(sdsim_test_card_r1(&bench, 25, lba), 0);
        const uint64_t written = bench.card.flash.blocks_written;
        sdsim_test_fail_allocation(1);
        const bool stored = sdsim_card_write_block(&bench.card, bench.now, &content);
        failed = sdsim_test_allocation_failed();
        assert_int_equal(stored, !failed);
        assert_int_equal(bench.card.flash.blocks_written - written, stored ? 1 : 0);
        sdsim_card_stop_token(&bench.card, bench.now);
        bench.now += MS;
    }
    assert_true(failed);
    assert_int_equal(bench.card.state, SDSIM_CARD_TRANSFER);
    sdsim_test_card_power_down(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_blocks),
        cmocka_unit_test(a_busy_card_over_spi),
        cmocka_unit_test(streams),
        cmocka_unit_test(counted_transfers),
        cmocka_unit_test(counts_that_are_over),
        cmocka_unit_test(beyond_the_end),
        cmocka_unit_test(skipping_equals_stepping),
        cmocka_unit_test(erasing),
        cmocka_unit_test(fake_capacity),
        cmocka_unit_test(pause_of_a_lone_write),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
