/*
 * Times that are counted in clocks have bounds, and what the card really took lies within them: on a chip
 * whose clock never stands still, on one that pauses after each byte, and with round trips of several
 * lengths, for accesses and busies that are shorter and longer than a batch. Where nothing can have made
 * the clock stand still the bounds are close, and the report says so.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/slot.h"
#include "ftdi/card_log.h"
#include "ftdi/card_world.h"
#include "tools/ftdi/probe_card.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *const cards[] = {
    "kind: card\ntype: sdhc\ncapacity: 64MiB\npage: 16KiB\ninit_time: 5ms\n"
    "rd1: 300us\nrdn: 2us\nrdpg: 400us\nw1: 900us\nwn: 2us\nwpg: 300us\nwstop: 700us\n",
    "kind: card\ntype: sdhc\ncapacity: 64MiB\npage: 16KiB\ninit_time: 5ms\n"
    "rd1: 40us\nrdn: 0us\nrdpg: 300us\nw1: 60us\nwn: 0us\nwpg: 100us\nwstop: 90us\n",
    "kind: card\ntype: sdhc\ncapacity: 64MiB\npage: 16KiB\ninit_time: 5ms\n"
    "rd1: 5ms\nrdn: 300us\nrdpg: 9ms\nw1: 40ms\nwn: 3ms\nwpg: 300us\nwstop: 20ms\n",
};

static const struct {
    sdsim_ps byte_gap;
    sdsim_ps read_gap;
    sdsim_ps round_trip;
} chips[] = {
    {0, 0, 300 * SDSIM_US},
    {40 * SDSIM_NS, 0, 300 * SDSIM_US},
    {5 * SDSIM_NS, 90 * SDSIM_NS, 2 * SDSIM_MS},
    {0, 0, 0},
};

struct stage {
    struct sdsim_card_world *world;
    struct sdsim_card_log *log;
    struct sdsim_card_io io;
    struct sdsim_card_registers registers;
    double byte; /* ps */
};

static struct stage *raise_stage(size_t card, size_t chip)
{
    const struct sdsim_mpsse_clock clock = sdsim_mpsse_clock_of(1);
    struct stage *stage = calloc(1, sizeof *stage);
    assert_non_null(stage);
    stage->world = sdsim_card_world_of_text(cards[card], 0);
    sdsim_link_close(stage->world->link);
    stage->world->engine.habits =
        (struct sdsim_habits){.byte_gap = chips[chip].byte_gap, .read_gap = chips[chip].read_gap};
    stage->world->link = sdsim_engine_link(&stage->world->engine, chips[chip].round_trip);
    stage->log = sdsim_card_log_start(stage->world->slot);
    assert_non_null(stage->log);
    sdsim_card_io_init(&stage->io, stage->world->link, &clock);
    assert_true(sdsim_card_io_identify(&stage->io, &stage->registers));
    stage->byte = sdsim_card_io_span(&stage->io, 1);
    return stage;
}

static void strike_stage(struct stage *stage)
{
    sdsim_card_io_free(&stage->io);
    sdsim_card_log_free(stage->log);
    sdsim_card_world_free(stage->world);
    free(stage);
}

/* The last sector this command moved, as the card's log has it. */
static const struct sdsim_card_log_block *last_block(const struct stage *stage, uint8_t command)
{
    const struct sdsim_card_log_view view = sdsim_card_log_look(stage->log);
    for (size_t i = view.count; i-- > 0;) {
        const struct sdsim_card_log_op *op = &view.ops[i];
        if (op->command == command && op->count > 0) {
            return &view.blocks[op->first + op->count - 1];
        }
    }
    fail_msg("the card has no log of CMD%u", command);
    return NULL;
}

/* `counted` bytes mean more than counted - 1; what begins up to a byte before the count does is no longer
 * seen. */
static void judge(const struct stage *stage, const char *what, double card, double counted,
                  double most)
{
    const double low = (counted - 2) * stage->byte;
    const double high = (most + 1) * stage->byte;
    if (card < low || card > high) {
        fail_msg("%s: the card %.3f us, found %.3f to %.3f us", what, card / 1e6, low / 1e6,
                 high / 1e6);
    }
}

/* Samples of all kinds. Returns the largest ratio of upper to lower bound, of those of more than 30 us. */
static double measure(struct stage *stage)
{
    const struct sdsim_content content = {.kind = SDSIM_CONTENT_GENERATED, .seed = 5};
    double widest = 1;
    for (uint32_t i = 0; i < 40; i++) {
        struct sdsim_byte_times read;
        struct sdsim_byte_times write;
        const uint32_t lba = 64 * (i * 7 % 41) + 1;
        assert_true(sdsim_card_io_read(&stage->io, lba, 1, NULL, &read));
        assert_true(read.complete);
        assert_true(read.access_most >= read.access);
        assert_true(read.host > 0);
        assert_true(sdsim_card_io_write(&stage->io, 4000 + i, 1, &content, &write));
        assert_true(write.complete);
        /* now the read's last byte, too, is in the log */
        judge(stage, "access", (double)last_block(stage, 17)->access, read.access,
              read.access_most);
        judge(stage, "busy", (double)last_block(stage, 24)->busy, write.blocks[0],
              write.blocks_most[0]);
        if (read.access * stage->byte > 30e6) {
            const double ratio = read.access_most / read.access;
            widest = ratio > widest ? ratio : widest;
        }
        sdsim_byte_times_free(&read);
        sdsim_byte_times_free(&write);
    }
    return widest;
}

/* Without a known gap the host's clock is all there is, and that has the round trips in it. */
static void test_by_host_clock(void **state)
{
    (void)state;
    for (size_t card = 0; card < COUNT(cards); card++) {
        for (size_t chip = 0; chip < COUNT(chips); chip++) {
            struct stage *stage = raise_stage(card, chip);
            const double widest = measure(stage);
            const bool slow = chips[chip].round_trip > 0;
            if (slow != (widest > 1.02)) {
                fail_msg("card %zu, chip %zu: %.3f", card, chip, widest);
            }
            strike_stage(stage);
        }
    }
}

/* With a known one they are close, where an access fits into the chip. */
static void test_with_a_gap(void **state)
{
    (void)state;
    for (size_t card = 0; card < 2; card++) {
        for (size_t chip = 0; chip < COUNT(chips); chip++) {
            struct stage *stage = raise_stage(card, chip);
            struct sdsim_gap_fact gap;
            assert_true(sdsim_card_io_gap(&stage->io, &gap));
            assert_true(gap.known);
            const double is = (double)(chips[chip].byte_gap + chips[chip].read_gap);
            if (gap.gap < is - 50 || gap.gap > is + 50 || gap.most < is) {
                fail_msg("chip %zu: a gap of %.0f ps, found %.0f, at most %.0f", chip, is, gap.gap,
                         gap.most);
            }
            const double widest = measure(stage);
            print_message("card %zu, chip %zu: gap %.2f ns, found %.2f, at most %.2f; bounds to "
                          "%.1f %%\n",
                          card, chip, is / 1e3, gap.gap / 1e3, gap.most / 1e3, (widest - 1) * 100);
            assert_true(widest < 1 + gap.most / stage->byte + 0.001);
            strike_stage(stage);
        }
    }
}

/* ---- the report ---- */

static char *report_of(size_t chip, enum sdsim_probe_time time)
{
    struct stage *stage = raise_stage(0, chip);
    const struct sdsim_probe_wishes wishes = {
        .clock = sdsim_mpsse_clock_of(1), .plan = {.reads = 32}, .time = time, .chip = "FT232H"};
    char *report;
    size_t size;
    FILE *out = open_memstream(&report, &size);
    assert_non_null(out);
    assert_int_equal(sdsim_probe_card(stage->world->link, &wishes, out, stderr), SDSIM_PROBE_OK);
    assert_int_equal(fclose(out), 0);
    strike_stage(stage);
    for (const char *line = report; *line != '\0';) {
        const size_t width = strcspn(line, "\n");
        if (width > 80) {
            fail_msg("%zu columns: %.*s", width, (int)width, line);
        }
        line += width + (line[width] == '\n' ? 1 : 0);
    }
    return report;
}

static void test_report(void **state)
{
    (void)state;
    static const struct {
        size_t chip;
        enum sdsim_probe_time time;
        const char *there[4];
        const char *absent[4];
    } rows[] = {
        {0,
         SDSIM_PROBE_BOTH,
         {"bus time", "host time", "gap-free", "CMD17"},
         {"gap between bytes  40"}},
        {1, SDSIM_PROBE_BUS, {"bus time", "at most", "gap between bytes  40.0 ns"}, {"host time"}},
        {0, SDSIM_PROBE_HOST, {"host time", "CMD18, 16 blocks"}, {"bus time", "gap-free", "N_CR"}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char *report = report_of(rows[i].chip, rows[i].time);
        if (getenv("SDSIM_TEST_TELL") != NULL) {
            puts(report);
        }
        for (size_t t = 0; t < 4 && rows[i].there[t] != NULL; t++) {
            if (strstr(report, rows[i].there[t]) == NULL) {
                fail_msg("row %zu: no '%s' in\n%s", i, rows[i].there[t], report);
            }
        }
        for (size_t t = 0; t < 4 && rows[i].absent[t] != NULL; t++) {
            if (strstr(report, rows[i].absent[t]) != NULL) {
                fail_msg("row %zu: '%s' in\n%s", i, rows[i].absent[t], report);
            }
        }
        free(report);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_host_clock),
        cmocka_unit_test(test_with_a_gap),
        cmocka_unit_test(test_report),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
