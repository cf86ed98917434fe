/*
 * What is measured of a card is what the card did: five profiles, each in a draw of its own (values drawn
 * from their ranges, pauses that jitter), behind the MPSSE engine. Times agree with the card's within 3 %
 * or two byte times, counts exactly. The profile that is written of it has no fault, and the same
 * measurements on a card of that profile give the same again.
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
#include "ftdi/card_world.h"
#include "program.h"
#include "sanitized.h"
#include "tools/ftdi/card_profile.h"

/* ---- a writer that lets everything through, and takes notes ---- */

struct op {
    uint32_t lba;
    uint32_t count;
    sdsim_ps pause; /* of the card's log */
};

struct noting_writer {
    struct sdsim_card_writer writer;
    struct sdsim_card_world *world;
    struct sdsim_card_io *io;
    struct op *ops;
    size_t count;
};

static bool cover(struct sdsim_card_writer *writer, uint32_t lba, uint32_t count)
{
    return lba >= writer->from && count <= writer->to - lba;
}

static bool write_sectors(struct sdsim_card_writer *base, uint32_t lba, uint32_t count,
                          const struct sdsim_content *content, struct sdsim_byte_times *times)
{
    struct noting_writer *writer = (struct noting_writer *)base;
    const size_t from = writer->world->logged;
    if (!sdsim_card_io_write(writer->io, lba, count, content, times)) {
        return false;
    }
    if (writer->count % 1024 == 0) {
        writer->ops = realloc(writer->ops, (writer->count + 1024) * sizeof *writer->ops);
        assert_non_null(writer->ops);
    }
    struct op *op = &writer->ops[writer->count++];
    *op = (struct op){lba, count, 0};
    for (size_t i = from; i < writer->world->logged; i++) {
        const struct sdsim_card_event *event = &writer->world->log[i];
        op->pause += event->kind == SDSIM_SPAN_PAUSE ? event->duration : 0;
    }
    return true;
}

static bool erase_sectors(struct sdsim_card_writer *base, uint32_t from, uint32_t to,
                          struct sdsim_byte_times *times)
{
    return sdsim_card_io_erase(((struct noting_writer *)base)->io, from, to, times);
}

/* ---- a run ---- */

struct probe {
    struct sdsim_card_world *world;
    struct sdsim_card_io io;
    struct sdsim_card_findings findings;
    struct noting_writer writer;
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
    probe->writer = (struct noting_writer){
        .writer = {cover, write_sectors, erase_sectors, from, from + aus * au},
        .world = world,
        .io = &probe->io};
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
    sdsim_card_world_free(probe->world);
    free(probe->writer.ops);
    free(probe);
}

/* ---- what it should be ---- */

static double us(const struct probe *probe, double bytes)
{
    return sdsim_findings_span(&probe->findings, bytes) / 1e6;
}

static const double two_bytes = 1.067;

static void judge(const char *card, const char *what, double card_us, double found_us)
{
    const double slack = fmax(card_us * 0.03, two_bytes);
    print_message("  %-18s card %11.2f us, found %11.2f us\n", what, card_us, found_us);
    if (fabs(found_us - card_us) > slack) {
        fail_msg("%s: %s: the card %.2f us, found %.2f us", card, what, card_us, found_us);
    }
}

static double ps_us(sdsim_ps ps)
{
    return (double)ps / 1e6;
}

/* What reads are hidden behind: a block on the bus, and half a byte until its token begins. */
static double seen_step(const struct probe *probe, const struct sdsim_flash_params *flash)
{
    const double hidden = us(probe, 1 + 512 + 2 + 0.5);
    return fmax(ps_us(flash->rdpg) - hidden, 0);
}

static void judge_reads(const char *card, const struct probe *probe)
{
    const struct sdsim_card_params *params = &probe->world->slot->params;
    const struct sdsim_flash_params *flash = &params->flash;
    const struct sdsim_read_measures *reads = &probe->findings.reads;
    const double next = fmax(ps_us(flash->rdn), us(probe, (double)params->n_ac - 1));
    assert_true(reads->n_cr.median == (double)params->n_cr);
    judge(card, "first access", ps_us(flash->rd1), us(probe, reads->first.typical));
    judge(card, "next block", next, us(probe, reads->next.typical));
    if (seen_step(probe, flash) > ps_us(flash->rdn) + 2 * two_bytes) {
        assert_int_equal(reads->page.blocks, flash->page_bytes / SDSIM_SECTOR);
        judge(card, "page step", seen_step(probe, flash), us(probe, reads->page.step));
    } else {
        assert_int_equal(reads->page.blocks, 0);
    }
    if (flash->rdau > 0) {
        assert_int_equal(reads->au.blocks, params->au_bytes / SDSIM_SECTOR);
        judge(card, "AU step", ps_us(flash->rdau), us(probe, reads->au.step));
    } else {
        assert_int_equal(reads->au.blocks, 0);
    }
}

/* The first of the writes in search of pauses, which are the last, all of one size but the last. */
static size_t first_of_pauses(const struct probe *probe)
{
    size_t first = probe->writer.count - 1;
    while (first > 0 && probe->writer.ops[first - 1].count == 256) {
        first--;
    }
    return first;
}

/* Mean of what the card's log says about writes in turn that closed an AU: the last ones before those in
 * search of pauses, but for the first turn. */
static double logged_merge(const struct probe *probe)
{
    const struct sdsim_write_measures *writes = &probe->findings.writes;
    const size_t wanted = 2 * ((size_t)writes->open_aus + 1);
    const size_t end = first_of_pauses(probe);
    double sum = 0;
    for (size_t i = end - wanted; i < end; i++) {
        assert_int_equal(probe->writer.ops[i].count, writes->turn_blocks);
        sum += ps_us(probe->writer.ops[i].pause);
    }
    return sum / (double)wanted;
}

/* The same about pauses, but for those with a new AU. */
static double logged_pause(const struct probe *probe)
{
    const uint32_t au = probe->findings.writes.au_blocks;
    double sum = 0;
    size_t count = 0;
    for (size_t i = first_of_pauses(probe); i < probe->writer.count; i++) {
        const struct op *op = &probe->writer.ops[i];
        if (op->pause > 0 && op->lba % au != 0) {
            sum += ps_us(op->pause);
            count++;
        }
    }
    return count > 0 ? sum / (double)count : 0;
}

static void judge_writes(const char *card, const struct probe *probe)
{
    const struct sdsim_flash_params *flash = &probe->world->slot->params.flash;
    const struct sdsim_write_measures *writes = &probe->findings.writes;
    judge(card, "lone write", ps_us(flash->w1), us(probe, writes->lone.typical));
    judge(card, "block of a stream", ps_us(flash->wn), us(probe, writes->stream.typical));
    judge(card, "end of a stream", ps_us(flash->wstop), us(probe, writes->stop.typical));
    if (flash->wstop_large > 0) {
        assert_int_equal(writes->large_blocks, flash->large_bytes / SDSIM_SECTOR);
        judge(card, "end of a long one", ps_us(flash->wstop_large),
              us(probe, writes->stop_large.typical));
    }
    if (flash->wpg > 2 * SDSIM_US) {
        assert_int_equal(writes->page.blocks, flash->page_bytes / SDSIM_SECTOR);
    }
    assert_int_equal(writes->open_aus, flash->open_aus <= 8 ? flash->open_aus : 0);
    if (writes->open_aus > 0) {
        judge(card, "merge", logged_merge(probe), us(probe, writes->merge.mean));
    }
    if (writes->pause.count > 0 && writes->au_blocks >= 256) { /* else one write has many AUs */
        judge(card, "AU pause", logged_pause(probe), us(probe, writes->pause.mean));
    }
    assert_int_equal(writes->lost, 0);
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

/* ---- the tests ---- */

/* A draw would take page sizes from ranges as well, and make some that no card has. */
static const struct {
    const char *card;
    const char *page;
    uint32_t draw;
} cards[] = {
    {"sdhc16g-c10", "16KiB", 1}, {"budget-c4-phison", "16KiB", 2}, {"card-3-usb", "16KiB", 3},
    {"sdsc2g", "4KiB", 4},       {"sdxc64g-a2", "48KiB", 5},       {"sdsc64-slc", "512B", 0},
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
    for (size_t i = 0; i < sizeof cards / sizeof *cards; i++) {
        print_message("%s, draw %" PRIu32 "\n", cards[i].card, cards[i].draw);
        struct probe *probe = probe_card(world_of(i), &plan);
        judge_reads(cards[i].card, probe);
        judge_writes(cards[i].card, probe);
        char *text = profile_text(probe);
        check_profile(cards[i].card, text);
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
