#include "ftdi/card_truth.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "core/sorted.h"
#include "flash/translation.h"

enum {
    BLOCK_BYTES = 1 + SDSIM_FLASH_SECTOR + 2,
    READ = 17,
    READS = 18,
    WRITE = 24,
    WRITES = 25,
    ERASE = 38
};

/* ---- means ---- */

struct samples {
    double *ps;
    size_t count;
    size_t capacity;
};

static void add(struct samples *samples, sdsim_ps ps)
{
    if (samples->count == samples->capacity) {
        samples->capacity = samples->capacity * 2 + 256;
        samples->ps = realloc(samples->ps, samples->capacity * sizeof *samples->ps);
        assert_non_null(samples->ps);
    }
    samples->ps[samples->count++] = (double)ps;
}

/* Of the level that the median is on: within 20 % and a microsecond of it. Ends the samples. */
static struct sdsim_card_mean mean_of(struct samples *samples)
{
    struct sdsim_card_mean mean = {0};
    if (samples->count > 0) {
        sdsim_sort(samples->ps, samples->count);
        const double median = samples->ps[samples->count / 2];
        for (size_t i = 0; i < samples->count; i++) {
            if (fabs(samples->ps[i] - median) <= 0.2 * median + (double)SDSIM_US) {
                mean.ps += samples->ps[i];
                mean.count++;
            }
        }
        mean.ps /= (double)mean.count;
    }
    free(samples->ps);
    *samples = (struct samples){0};
    return mean;
}

static struct sdsim_card_mean least_of(struct samples *samples)
{
    struct sdsim_card_mean least = {.count = samples->count};
    for (size_t i = 0; i < samples->count; i++) {
        least.ps = i == 0 || samples->ps[i] < least.ps ? samples->ps[i] : least.ps;
    }
    free(samples->ps);
    *samples = (struct samples){0};
    return least;
}

static struct sdsim_card_mean mean_of_sum(sdsim_ps sum, uint64_t count)
{
    return (struct sdsim_card_mean){.ps = count > 0 ? (double)sum / (double)count : 0,
                                    .count = (size_t)count};
}

/* ---- what the log says ---- */

struct looker {
    struct sdsim_card_log_view log;
    uint32_t page; /* blocks; UINT32_MAX: each is one, so none is at a border */
    uint32_t au;
};

static void look_at_reads(const struct looker *looker, struct sdsim_card_truth *truth)
{
    struct samples first = {0};
    struct samples next = {0};
    struct samples page = {0};
    struct samples au = {0};
    for (size_t i = 0; i < looker->log.count; i++) {
        const struct sdsim_card_log_op *op = &looker->log.ops[i];
        const struct sdsim_card_log_block *blocks = &looker->log.blocks[op->first];
        if (op->command == READ && op->count == 1) {
            add(&first, blocks[0].access);
        }
        for (size_t b = 1; op->command == READS && b < op->count; b++) {
            const bool at_page = blocks[b].lba % looker->page == 0;
            const bool at_au = looker->au > 0 && blocks[b].lba % looker->au == 0;
            if (!at_page && !at_au) {
                add(&next, blocks[b].access);
            } else if (b == 1 &&
                       op->count < 4) { /* two blocks, and what comes before CMD12 does; of
                                                     more the group may have been fetched meanwhile */
                add(at_au ? &au : &page, blocks[b].access);
            }
        }
    }
    truth->first = mean_of(&first);
    truth->next = mean_of(&next);
    truth->page = mean_of(&page);
    truth->au = mean_of(&au);
    truth->au.ps -= truth->page.count > 0 ? truth->page.ps : truth->next.ps;
}

/* Whether no page group becomes complete with the write. */
static bool within_page(const struct looker *looker, const struct sdsim_card_log_op *op)
{
    return op->lba / looker->page == (op->lba + op->count) / looker->page;
}

static void look_at_writes(const struct looker *looker, uint64_t large_bytes,
                           struct sdsim_card_truth *truth)
{
    struct samples lone = {0};
    struct samples stream = {0};
    struct samples stop = {0};
    struct samples large = {0};
    for (size_t i = 0; i < looker->log.count; i++) {
        const struct sdsim_card_log_op *op = &looker->log.ops[i];
        const struct sdsim_card_log_block *blocks = &looker->log.blocks[op->first];
        if (op->command == WRITE && op->count == 1) {
            add(&lone, blocks[0].busy);
        }
        for (size_t b = 0; op->command == WRITES && b < op->count; b++) {
            add(&stream, blocks[b].busy);
        }
        if (op->command == WRITES && op->count == 2 && within_page(looker, op)) {
            add(&stop, op->busy);
        }
        if (op->command == WRITES && large_bytes > 0 &&
            op->count * SDSIM_FLASH_SECTOR >= large_bytes) {
            add(&large, op->busy);
        }
    }
    truth->lone = mean_of(&lone);
    truth->stream = mean_of(&stream);
    truth->stop = mean_of(&stop);
    truth->stop_large = least_of(&large);
}

/* Erases come in pairs, one within an AU and one across a border. */
static void look_at_erases(const struct looker *looker, struct sdsim_card_truth *truth)
{
    struct samples erases[2] = {{0}, {0}};
    size_t count = 0;
    for (size_t i = 0; i < looker->log.count; i++) {
        if (looker->log.ops[i].command == ERASE) {
            add(&erases[count++ % 2], looker->log.ops[i].busy);
        }
    }
    truth->erase = mean_of(&erases[0]);
    truth->erase_two = mean_of(&erases[1]);
}

/* The writes in search of pauses are the last before erasing begins, one behind the other. */
static void look_at_pauses(const struct looker *looker, struct sdsim_card_truth *truth)
{
    size_t end = 0;
    sdsim_ps sum = 0;
    uint64_t count = 0;
    uint32_t next = UINT32_MAX;
    while (end < looker->log.count && looker->log.ops[end].command != ERASE) {
        end++;
    }
    for (size_t i = end; i-- > 0;) {
        const struct sdsim_card_log_op *op = &looker->log.ops[i];
        if (op->command == READ || op->command == READS) {
            continue;
        }
        if (next != UINT32_MAX && op->lba + op->count != next) {
            break;
        }
        next = op->lba;
        sum += op->pause - op->merge - op->order;
        count += op->pauses;
    }
    truth->pause = mean_of_sum(sum, count);
}

/* ---- what the profile says of merges ---- */

static void look_at_merges(const struct looker *looker, const struct sdsim_card_params *profile,
                           struct sdsim_card_truth *truth)
{
    struct sdsim_translation *said = calloc(1, sizeof *said);
    sdsim_ps merge = 0;
    uint64_t merges = 0;
    assert_non_null(said);
    sdsim_translation_init(said, &profile->flash);
    for (size_t i = 0; i < looker->log.count; i++) {
        const struct sdsim_card_log_op *op = &looker->log.ops[i];
        merge += op->merge;
        merges += op->merges;
        if ((op->command != WRITE && op->command != WRITES) || op->count == 0) {
            continue;
        }
        sdsim_translation_start(said, op->lba);
        for (size_t b = 0; b < op->count; b++) {
            (void)sdsim_translation_block(said);
        }
        (void)sdsim_translation_stop(said, 0);
    }
    truth->merge = mean_of_sum(merge, merges);
    truth->merge_said = mean_of_sum(said->stats.merge_time, said->stats.merges);
    free(said);
}

struct sdsim_card_truth sdsim_card_truth(struct sdsim_card_log_view log,
                                         const struct sdsim_card_params *card,
                                         const struct sdsim_card_params *profile)
{
    const uint32_t page = (uint32_t)(card->flash.page_bytes / SDSIM_FLASH_SECTOR);
    const struct looker looker = {
        .log = log,
        .page = page > 1 ? page : UINT32_MAX,
        .au = card->flash.rdau > 0 ? (uint32_t)(card->au_bytes / SDSIM_FLASH_SECTOR) : 0,
    };
    struct sdsim_card_truth truth = {0};
    look_at_reads(&looker, &truth);
    look_at_writes(&looker, card->flash.large_bytes, &truth);
    look_at_pauses(&looker, &truth);
    look_at_erases(&looker, &truth);
    look_at_merges(&looker, profile, &truth);
    return truth;
}

/* ---- judging ---- */

struct judge {
    const char *name;
    double byte; /* ps */
};

static void judge(const struct judge *judge, const char *what, double is, double found)
{
    const double slack = fmax(is * 0.03, 2 * judge->byte);
    print_message("  %-24s card %12.2f us   profile %12.2f us   %+6.2f us\n", what, is / 1e6,
                  found / 1e6, (found - is) / 1e6);
    if (!(fabs(found - is) <= slack)) {
        fail_msg("%s: %s: the card %.2f us, its profile %.2f us", judge->name, what, is / 1e6,
                 found / 1e6);
    }
}

static void judge_size(const struct judge *judge, const char *what, uint64_t is, uint64_t found)
{
    if (is != found) {
        fail_msg("%s: %s: the card %" PRIu64 ", its profile %" PRIu64, judge->name, what, is,
                 found);
    }
}

static void need(const struct judge *judge, const char *what, const struct sdsim_card_mean *mean)
{
    if (mean->count == 0) {
        fail_msg("%s: %s: the log has none", judge->name, what);
    }
}

static void judge_reads(const struct judge *of, const struct sdsim_card_truth *truth,
                        const struct sdsim_card_params *card,
                        const struct sdsim_card_params *profile)
{
    const double next = fmax(truth->next.ps, ((double)card->n_ac - 1) * of->byte);
    need(of, "first access", &truth->first);
    need(of, "next block", &truth->next);
    judge_size(of, "N_CR", card->n_cr, profile->n_cr);
    judge(of, "first access", truth->first.ps, (double)profile->flash.rd1);
    judge(of, "next block", next, (double)profile->flash.rdn);
    if (truth->page.count > 0 && truth->page.ps > next + 2 * of->byte) {
        judge_size(of, "page group", card->flash.page_bytes, profile->flash.page_bytes);
        judge(of, "page step", truth->page.ps,
              (double)profile->flash.rdpg - BLOCK_BYTES * of->byte);
    }
    judge(of, "AU step", truth->au.count > 0 ? truth->au.ps : 0, (double)profile->flash.rdau);
}

static void judge_writes(const struct judge *of, const struct sdsim_card_truth *truth,
                         const struct sdsim_card_params *card,
                         const struct sdsim_card_params *profile)
{
    need(of, "lone write", &truth->lone);
    need(of, "block of a stream", &truth->stream);
    need(of, "stop", &truth->stop);
    judge(of, "lone write", truth->lone.ps, (double)profile->flash.w1);
    judge(of, "block of a stream", truth->stream.ps, (double)profile->flash.wn);
    judge(of, "end of a stream", truth->stop.ps, (double)profile->flash.wstop);
    if (card->flash.wstop_large > 0) {
        judge_size(of, "long streams", card->flash.large_bytes, profile->flash.large_bytes);
        judge(of, "end of a long one", truth->stop_large.ps, (double)profile->flash.wstop_large);
    }
    if (card->flash.wpg > 2 * SDSIM_US) {
        judge_size(of, "page group", card->flash.page_bytes, profile->flash.page_bytes);
    }
    if (truth->pause.count > 1) {
        judge(of, "AU pause", truth->pause.ps, (double)profile->flash.pause_length);
    }
    if (truth->erase.count > 0) {
        const double one = (double)profile->flash.erase + (double)profile->flash.erase_per_au;
        judge(of, "erase within an AU", truth->erase.ps, one);
        judge(of, "erase across two", truth->erase_two.ps,
              one + (double)profile->flash.erase_per_au);
    }
}

static void judge_order(const struct judge *of, const struct sdsim_card_params *card,
                        const struct sdsim_card_params *profile)
{
    const struct sdsim_flash_params *flash = &card->flash;
    const bool carried = flash->busy_limit > 0 && flash->rand > flash->busy_limit;
    if (carried || flash->rand <= flash->wstop + flash->wstop / 10) {
        return; /* it comes in parts, with other writes, or is not told from the end of any stream */
    }
    judge(of, "against the order", (double)flash->rand, (double)profile->flash.rand);
    judge_size(of, "small writes", flash->small_bytes, profile->flash.small_bytes);
    if (flash->small_bytes > 0) {
        const sdsim_ps small = flash->w_small > flash->wstop ? flash->w_small : flash->wstop;
        judge(of, "a small one", (double)small, (double)profile->flash.w_small);
    }
}

static void judge_aus(const struct judge *of, const struct sdsim_card_truth *truth,
                      const struct sdsim_card_params *card, const struct sdsim_card_params *profile,
                      uint32_t most_aus)
{
    const uint64_t limit = card->flash.open_aus;
    judge_size(of, "AU", card->au_bytes, profile->au_bytes);
    judge_size(of, "open AUs", limit <= most_aus ? limit : 0, profile->flash.open_aus);
    if (limit > 0 && limit <= most_aus) {
        need(of, "merge", &truth->merge);
        judge_size(of, "AUs closed by copying", truth->merge.count, truth->merge_said.count);
        judge(of, "merge", truth->merge.ps, truth->merge_said.ps);
    }
}

void sdsim_judge_profile(const char *name, const struct sdsim_card_truth *truth,
                         const struct sdsim_card_params *card,
                         const struct sdsim_card_params *profile, double hz, uint32_t most_aus)
{
    const struct judge of = {name, 8e12 / hz};
    judge_reads(&of, truth, card, profile);
    judge_writes(&of, truth, card, profile);
    judge_order(&of, card, profile);
    judge_aus(&of, truth, card, profile, most_aus);
}
