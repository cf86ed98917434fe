/*
 * What is measured of a card is what the card did: shipped profiles, each in a draw of its own (values
 * drawn from their ranges, pauses that jitter), behind the MPSSE engine. The profile that is written of it
 * has no fault, and says what the card's own log says (ftdi/card_truth.h).
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/slot.h"
#include "ftdi/card_truth.h"
#include "ftdi/card_world.h"
#include "program.h"
#include "sanitized.h"
#include "tools/ftdi/card_profile.h"

/* ---- a writer that lets everything through ---- */

struct open_writer {
    struct sdsim_card_writer writer;
    struct sdsim_card_io *io;
};

static bool cover(struct sdsim_card_writer *writer, uint32_t lba, uint32_t count)
{
    return lba >= writer->from && count <= writer->to - lba;
}

static bool write_sectors(struct sdsim_card_writer *writer, uint32_t lba, uint32_t count,
                          const struct sdsim_content *content, struct sdsim_byte_times *times)
{
    return sdsim_card_io_write(((struct open_writer *)writer)->io, lba, count, content, times);
}

static bool erase_sectors(struct sdsim_card_writer *writer, uint32_t from, uint32_t to,
                          struct sdsim_byte_times *times)
{
    return sdsim_card_io_erase(((struct open_writer *)writer)->io, from, to, times);
}

/* ---- a run ---- */

struct probe {
    struct sdsim_card_world *world;
    struct sdsim_card_io io;
    struct sdsim_card_findings findings;
    struct open_writer writer;
    struct sdsim_card_log *log;
};

static struct probe *probe_card(struct sdsim_card_world *world,
                                const struct sdsim_measure_plan *plan)
{
    struct probe *probe = calloc(1, sizeof *probe);
    assert_non_null(probe);
    const uint32_t au = (uint32_t)(world->slot->params.au_bytes / SDSIM_SECTOR);
    const uint32_t aus = 13 + (uint32_t)(plan->pause_bytes / SDSIM_SECTOR / au);
    const uint32_t from = world->slot->params.flash.fat_bytes > 0 ? 4 * au : au;
    probe->world = world;
    probe->findings.clock = sdsim_mpsse_clock_of(1);
    probe->writer = (struct open_writer){
        {cover, write_sectors, erase_sectors, from, from + aus * au}, &probe->io};
    probe->log = sdsim_card_log_start(world->slot);
    assert_non_null(probe->log);
    sdsim_card_io_init(&probe->io, world->link, &probe->findings.clock);
    if (!sdsim_card_io_identify(&probe->io, &probe->findings.registers) ||
        !sdsim_measure_reads(&probe->io, plan, au, &probe->findings.reads) ||
        !sdsim_measure_writes(&probe->io, &probe->writer.writer, plan, au,
                              &probe->findings.writes)) {
        fail_msg("%s", probe->io.error);
    }
    probe->findings.written = true;
    return probe;
}

static void free_probe(struct probe *probe)
{
    sdsim_card_io_free(&probe->io);
    sdsim_card_log_free(probe->log);
    sdsim_card_world_free(probe->world);
    free(probe);
}

/* ---- the profile ---- */

static char *profile_text(const struct probe *probe)
{
    char *text;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    assert_non_null(file);
    sdsim_card_profile_write(&probe->findings, file);
    assert_int_equal(fclose(file), 0);
    return text;
}

static void check_profile(const char *card, const char *text)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/sdsim-probe-%s.yaml", card);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    const char *const arguments[] = {"check", path, NULL};
    struct sdsim_test_result result = sdsim_test_run(arguments, NULL);
    if (result.code != 0) {
        fail_msg("%s: %d\n%s%s\n%s", card, result.code, result.out, result.err, text);
    }
    sdsim_test_result_free(&result);
    assert_int_equal(remove(path), 0);
}

/* Mean of what the log says `count` of the writes in turn paused that closed an AU; `skip` of those were
 * behind them. */
static double logged_merge(struct sdsim_card_log_view log, uint32_t blocks, size_t skip,
                           size_t count)
{
    double sum = 0;
    size_t taken = 0;
    for (size_t i = log.count; i-- > 0 && taken < count;) {
        const struct sdsim_card_log_op *op = &log.ops[i];
        if (op->command != 25 || op->count != blocks || op->merges != 1) {
            continue;
        }
        if (skip > 0) {
            skip--;
        } else {
            sum += (double)op->pause;
            taken++;
        }
    }
    assert_int_equal(taken, count);
    return sum / (double)count;
}

static void judge_merge(const char *card, const char *what, const struct probe *probe,
                        double logged, double bytes)
{
    const double found = sdsim_findings_span(&probe->findings, bytes);
    const double slack = fmax(logged * 0.03, 1.067e6);
    print_message("  %-24s card %12.2f us   found   %12.2f us   %+6.2f us\n", what, logged / 1e6,
                  found / 1e6, (found - logged) / 1e6);
    if (!(fabs(found - logged) <= slack)) {
        fail_msg("%s: %s: the card %.2f us, found %.2f us", card, what, logged / 1e6, found / 1e6);
    }
}

/* What the report says of merges: those that were measured, turn by turn. */
static void judge_merges(const char *card, const struct probe *probe)
{
    const struct sdsim_write_measures *writes = &probe->findings.writes;
    const struct sdsim_card_log_view log = sdsim_card_log_look(probe->log);
    const size_t fuller = writes->merge_fuller.count;
    if (writes->open_aus == 0) {
        return;
    }
    assert_int_equal(writes->merge.count, 2 * ((size_t)writes->open_aus + 1));
    assert_int_equal(fuller, writes->open_aus);
    judge_merge(card, "one AU too many", probe,
                logged_merge(log, writes->turn_blocks, fuller, writes->merge.count),
                writes->merge.mean);
    judge_merge(card, "the same, fuller AUs", probe,
                logged_merge(log, writes->turn_blocks, 0, fuller), writes->merge_fuller.mean);
}

static void judge_profile(const char *card, const struct probe *probe, const char *text)
{
    const struct sdsim_card_params *is = &probe->world->slot->params;
    const struct sdsim_write_measures *writes = &probe->findings.writes;
    struct sdsim_card_world *profile = sdsim_card_world_of_text(text, 0);
    const struct sdsim_card_params *found = &profile->slot->params;
    const struct sdsim_card_truth truth =
        sdsim_card_truth(sdsim_card_log_look(probe->log), is, found);
    sdsim_judge_profile(card, &truth, is, found, 15e6, sdsim_usual_plan.most_aus);
    if (found->flash.open_aus == 0) {
        assert_int_equal(writes->aus_tried, sdsim_usual_plan.most_aus);
        if (strstr(text, "none up to 8") == NULL) {
            fail_msg("%s: the profile does not say how many open AUs were tried\n%s", card, text);
        }
    }
    assert_int_equal(writes->lost, 0);
    sdsim_card_world_free(profile);
}

/* ---- the tests ---- */

/* A draw would take page sizes from ranges as well, and make some that no card has. */
static const struct {
    const char *card;
    const char *page;
    uint32_t draw;
} cards[] = {
    {"sdhc16g-c10", "16KiB", 1}, {"sdsc64-slc", "512B", 0}, {"budget-c4-phison", "16KiB", 2},
    {"card-3-usb", "16KiB", 3},  {"sdsc2g", "4KiB", 4},     {"sdxc64g-a2", "48KiB", 5},
};

static struct sdsim_card_world *world_of(size_t i)
{
    char text[200];
    snprintf(text, sizeof text, "kind: card\nbase: %s\npage: %s\n", cards[i].card, cards[i].page);
    return sdsim_card_world_of_text(text, cards[i].draw);
}

static void test_cards(void **state)
{
    (void)state;
    struct sdsim_measure_plan plan = sdsim_usual_plan;
    if (SDSIM_SANITIZED) {
        plan.pause_bytes /= 4;
    }
    for (size_t i = 0; i < (SDSIM_SANITIZED ? 2 : sizeof cards / sizeof *cards); i++) {
        print_message("%s, draw %" PRIu32 "\n", cards[i].card, cards[i].draw);
        struct probe *probe = probe_card(world_of(i), &plan);
        char *text = profile_text(probe);
        check_profile(cards[i].card, text);
        judge_profile(cards[i].card, probe, text);
        judge_merges(cards[i].card, probe);
        free(text);
        free_probe(probe);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cards),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
