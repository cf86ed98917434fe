/*
 * MPSSE batches byte for byte, and borders found in samples.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "tools/ftdi/batch.h"
#include "tools/ftdi/borders.h"

static void expect(const struct sdsim_batch *batch, size_t answers, const char *bytes, size_t count)
{
    assert_int_equal(batch->answers, answers);
    assert_int_equal(batch->size, count);
    assert_memory_equal(batch->bytes, bytes, count);
}

#define EXPECT(batch, answers, text) expect(batch, answers, text, sizeof text - 1)

static void test_command(void **state)
{
    (void)state;
    const struct sdsim_mpsse_clock clock = sdsim_mpsse_clock_of(74);
    struct sdsim_batch batch;
    sdsim_batch_init(&batch);
    sdsim_batch_setup(&batch, &clock);
    EXPECT(&batch, 0, "\x8A\x97\x8D\x85\x80\x0A\x0B\x86\x4A\x00");
    sdsim_batch_clear(&batch);

    /* CMD0: bytes of one burst in one command; MOSI is high behind it, so nothing is set to read. */
    sdsim_batch_select(&batch, true);
    sdsim_batch_write(&batch, (const uint8_t *)"\x40\x00", 2);
    sdsim_batch_write(&batch, (const uint8_t *)"\x00\x00\x00\x95", 4);
    sdsim_batch_read(&batch, 9);
    sdsim_batch_flush(&batch);
    EXPECT(&batch, 9, "\x80\x02\x0B\x11\x05\x00\x40\x00\x00\x00\x00\x95\x20\x08\x00\x87");
    sdsim_batch_clear(&batch);

    /* A block that ends low: MOSI is raised before the card's answer is read. */
    sdsim_batch_write(&batch, (const uint8_t *)"\x12\x34", 2);
    sdsim_batch_read(&batch, 1);
    sdsim_batch_select(&batch, false);
    sdsim_batch_clocks(&batch, 1);
    EXPECT(&batch, 1, "\x11\x01\x00\x12\x34\x80\x02\x0B\x20\x00\x00\x80\x0A\x0B\x8F\x00\x00");
    sdsim_batch_free(&batch);
}

/* Commands of 65,536 bytes are the longest. */
static void test_lengths(void **state)
{
    (void)state;
    const struct sdsim_mpsse_clock clock = sdsim_mpsse_clock_of(1);
    struct sdsim_batch batch;
    sdsim_batch_init(&batch);
    sdsim_batch_setup(&batch, &clock);
    sdsim_batch_clear(&batch);
    sdsim_batch_read(&batch, 65536 + 3);
    EXPECT(&batch, 65539, "\x20\xFF\xFF\x20\x02\x00");
    sdsim_batch_clear(&batch);
    static uint8_t bytes[70000];
    sdsim_batch_write(&batch, bytes, 40000);
    sdsim_batch_write(&batch, bytes, 30000);
    assert_int_equal(batch.size, 3 + 65536 + 3 + 70000 - 65536);
    assert_memory_equal(batch.bytes, "\x11\xFF\xFF", 3);
    assert_memory_equal(batch.bytes + 3 + 65536, "\x11\x6F\x11", 3);
    sdsim_batch_free(&batch);
}

/* ---- borders ---- */

/* Samples as a card gives them that takes 100 bytes more at every `page` blocks, and 50 more at every
 * `au`. */
static unsigned find(uint32_t page, uint32_t au, struct sdsim_border_level *levels)
{
    struct sdsim_border_scan scan;
    memset(&scan, 0, sizeof scan);
    for (uint32_t k = 0; k < SDSIM_BORDER_POWERS; k++) {
        for (uint32_t odd = 1; odd < 18; odd += 2) {
            const uint32_t lba = odd << k;
            const double bytes =
                4 + (page > 0 && lba % page == 0 ? 100 : 0) + (au > 0 && lba % au == 0 ? 50 : 0);
            sdsim_samples_add(&scan.classes[sdsim_border_power(lba)][sdsim_border_three(lba)],
                              bytes);
        }
    }
    const unsigned found = sdsim_border_levels(&scan, 4, 2, levels, 2);
    sdsim_border_scan_free(&scan);
    return found;
}

static void test_borders(void **state)
{
    (void)state;
    static const struct {
        uint32_t page;
        uint32_t au;
    } cards[] = {{1, 64},   {8, 8192},    {32, 8192},  {96, 16384},    {24, 0},
                 {0, 2048}, {128, 24576}, {48, 49152}, {1024, 131072}, {0, 0}};
    for (size_t i = 0; i < sizeof cards / sizeof *cards; i++) {
        struct sdsim_border_level levels[2];
        const unsigned found = find(cards[i].page, cards[i].au, levels);
        const unsigned expected = (cards[i].page > 0 ? 1u : 0u) + (cards[i].au > 0 ? 1u : 0u);
        if (found != expected) {
            fail_msg("page %u, AU %u: %u levels", cards[i].page, cards[i].au, found);
        }
        if (cards[i].page > 0) {
            assert_int_equal(levels[0].blocks, cards[i].page);
            assert_true(levels[0].step == 100);
        }
        if (cards[i].au > 0) {
            assert_int_equal(levels[found - 1].blocks, cards[i].au);
            assert_true(levels[found - 1].step == 50);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_command),
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_borders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
