/*
 * The rules of what-ifs that are not about drivers (whatif_drivers.c has those): clock, calls,
 * buffers, volume, syncs, card. Each looks at the setup and proposes what makes sense for it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/units.h"
#include "setup/clocks.h"
#include "setup/whatif_parts.h"

#define KIB 1024u
#define MHZ 1000000u

/* Clocks on wires that are longer than traces ring above this (setup/lint.c says the same). */
static const uint64_t long_wires_hz = 20 * MHZ;
static const uint64_t fastest_request = 208 * MHZ; /* SDR104 */

struct text {
    char text[16];
};

struct set {
    char text[96];
};

static struct text size_text(uint64_t bytes)
{
    struct text text;
    sdsim_unit_print(SDSIM_UNIT_SIZE, (double)bytes, text.text, sizeof text.text);
    return text;
}

static struct text hz_text(double hz)
{
    struct text text;
    sdsim_unit_print(SDSIM_UNIT_FREQUENCY, hz, text.text, sizeof text.text);
    return text;
}

static struct set set_text(const char *path, const char *value)
{
    struct set text;
    snprintf(text.text, sizeof text.text, "%s=%s", path, value);
    return text;
}

/* A size as it is written in a setting, exactly: "32KiB", "480B". */
static struct set size_set(const char *path, uint64_t bytes)
{
    struct set text;
    if (bytes > 0 && bytes % KIB == 0) {
        snprintf(text.text, sizeof text.text, "%s=%" PRIu64 "KiB", path, bytes / KIB);
    } else {
        snprintf(text.text, sizeof text.text, "%s=%" PRIu64 "B", path, bytes);
    }
    return text;
}

static struct set count_set(const char *path, uint64_t count)
{
    struct set text;
    snprintf(text.text, sizeof text.text, "%s=%" PRIu64, path, count);
    return text;
}

static bool on_file(const struct sdsim_setup *setup)
{
    return setup->run.workload.target == SDSIM_ON_FILE;
}

/* ---- the clock ---- */

/* The clock on the wire for a request of the application, as a rational; false if there is none. */
static bool choose(const struct sdsim_setup *base, uint64_t asked,
                   struct sdsim_clock_choice *choice)
{
    struct sdsim_setup setup = *base;
    const struct sdsim_clock_source source = sdsim_setup_clock_source(base);
    setup.asked_hz = asked;
    return sdsim_clock_choose(&source, sdsim_setup_request(&setup), choice);
}

static double hz_of(const struct sdsim_clock_choice *choice)
{
    return (double)choice->hz_num / (double)choice->hz_den;
}

/* The roundest request that gives the same clock as `asked`. */
static uint64_t round_request(const struct sdsim_setup *base, uint64_t asked,
                              const struct sdsim_clock_choice *wanted)
{
    static const uint64_t grains[] = {MHZ, 100000, 10000};
    const uint64_t real = (wanted->hz_num + wanted->hz_den - 1) / wanted->hz_den;
    for (size_t i = 0; i < sizeof grains / sizeof *grains; i++) {
        struct sdsim_clock_choice choice;
        const uint64_t request = (real + grains[i] - 1) / grains[i] * grains[i];
        if (choose(base, request, &choice) && choice.hz_num == wanted->hz_num &&
            choice.hz_den == wanted->hz_den) {
            return request;
        }
    }
    return asked;
}

/* The clock a card is rated for on this bus: UHS-I only where it is used already, at 1.8 V. */
static uint64_t rating(const struct sdsim_setup *setup)
{
    const struct sdsim_card_params *card = &setup->card;
    const bool uhs = setup->run.bus != SDSIM_BUS_SPI && card->uhs_hz > card->high_hz &&
                     setup->clocks.num > card->high_hz * setup->clocks.den;
    if (uhs) {
        return card->uhs_hz;
    }
    return setup->run.bus == SDSIM_BUS_SPI || card->high_hz == 0 ? card->spi_hz : card->high_hz;
}

static void propose_clock(struct sdsim_whatif_planner *planner, enum sdsim_whatif_kind kind,
                          uint64_t asked, const struct sdsim_clock_choice *choice)
{
    const struct sdsim_setup *base = planner->base;
    const uint64_t request = round_request(base, asked, choice);
    const bool above = hz_of(choice) > (double)rating(base);
    const bool rings = base->run.wires == SDSIM_WIRES_LONG && hz_of(choice) > (double)long_wires_hz;
    char title[80];
    char set[64];
    char risk[160];
    snprintf(title, sizeof title, "%s: %s on the wire",
             kind == SDSIM_WHATIF_CLOCK ? "the next clock step" : "the card's full clock",
             hz_text(hz_of(choice)).text);
    sdsim_whatif_clock_set(request, set, sizeof set);
    snprintf(risk, sizeof risk, "%s",
             above   ? "above what the card is rated for: errors that come and go with card and "
                       "temperature; check CRCs"
             : rings ? "loose wires ring at this clock: short wires, 22 to 33 ohm in series, 10k "
                       "pull-ups"
                     : "none within the card's rating, if the wires are short");
    sdsim_whatif_propose(
        planner,
        &(struct sdsim_whatif_proposal){
            .kind = kind, .title = title, .cost = "one line of code", .risk = risk, .sets = {set}});
}

/* The next divider, and the fastest one within the card's rating. */
static void rule_clock(struct sdsim_whatif_planner *planner)
{
    const struct sdsim_setup *base = planner->base;
    const double now = (double)base->clocks.num / (double)base->clocks.den;
    const double rated = (double)rating(base);
    struct sdsim_clock_choice next = {.hz_num = 0};
    struct sdsim_clock_choice full = {.hz_num = 0};
    uint64_t next_asked = 0;
    uint64_t full_asked = 0;
    for (uint64_t asked = base->asked_hz; asked <= fastest_request; asked += asked / 128 + 1) {
        struct sdsim_clock_choice choice;
        if (!choose(base, asked, &choice) || hz_of(&choice) < 1.001 * now) {
            continue;
        }
        if (next_asked == 0) {
            next_asked = asked;
            next = choice;
        }
        if (hz_of(&choice) <= rated && (full_asked == 0 || hz_of(&choice) > hz_of(&full))) {
            full_asked = asked;
            full = choice;
        }
    }
    if (next_asked > 0) {
        propose_clock(planner, SDSIM_WHATIF_CLOCK, next_asked, &next);
    }
    if (full_asked > 0 && hz_of(&full) > 1.001 * hz_of(&next)) {
        propose_clock(planner, SDSIM_WHATIF_FULL_CLOCK, full_asked, &full);
    }
}

/* ---- calls and buffers ---- */

/* The most a call is made larger to: what a microcontroller can spare. */
static const uint64_t largest_call = 64 * KIB;

static void rule_calls(struct sdsim_whatif_planner *planner)
{
    const struct sdsim_workload_params *workload = &planner->base->run.workload;
    if ((workload->action != SDSIM_DO_WRITE && workload->action != SDSIM_DO_READ) ||
        planner->subject->replayed || sdsim_workload_in_regions(workload)) {
        return;
    }
    for (uint64_t call = 512; call <= largest_call; call *= 2) {
        if (call < 2 * workload->call || call > workload->total) {
            continue;
        }
        char title[80];
        char cost[100];
        snprintf(title, sizeof title, "calls of %s", size_text(call).text);
        snprintf(cost, sizeof cost, "%s of RAM for the buffer%s", size_text(call).text,
                 workload->action == SDSIM_DO_WRITE ? ", and data that wait in it" : "");
        sdsim_whatif_propose(planner, &(struct sdsim_whatif_proposal){
                                          .kind = SDSIM_WHATIF_CALLS,
                                          .title = title,
                                          .cost = cost,
                                          .risk = workload->action == SDSIM_DO_WRITE
                                                      ? "a power cut loses what is in the buffer"
                                                      : "each call takes longer before it returns",
                                          .sets = {size_set("workload.call", call).text}});
    }
}

static bool bounces(const struct sdsim_setup *setup)
{
    return !setup->run.usable_buffers && setup->driver.params.bounce_blocks > 0;
}

static void rule_buffers(struct sdsim_whatif_planner *planner)
{
    if (!bounces(planner->base)) {
        return;
    }
    sdsim_whatif_propose(planner, &(struct sdsim_whatif_proposal){
                                      .kind = SDSIM_WHATIF_BUFFERS,
                                      .title = "buffers DMA can use: internal RAM, aligned",
                                      .cost = "internal RAM for the buffer, not PSRAM",
                                      .risk = "internal RAM is short; calls must begin and end at "
                                              "sectors to stay aligned",
                                      .sets = {"usable_buffers=yes"}});
    for (uint64_t blocks = 2; blocks <= 128; blocks *= 2) {
        if (blocks < 2 * planner->base->driver.params.bounce_blocks) {
            continue;
        }
        char title[80];
        char cost[100];
        snprintf(title, sizeof title, "a bounce buffer of %" PRIu64 " sectors", blocks);
        snprintf(cost, sizeof cost,
                 "%s of internal RAM, a copy of every byte, a driver that has it",
                 size_text(512 * blocks).text);
        sdsim_whatif_propose(
            planner,
            &(struct sdsim_whatif_proposal){
                .kind = SDSIM_WHATIF_BOUNCE,
                .title = title,
                .cost = cost,
                .risk = "ESP-IDF has it after v6.0 only (unaligned_multi_block_rw_max_chunk_size)",
                .sets = {count_set("driver.bounce_blocks", blocks).text}});
    }
}

static void rule_stdio(struct sdsim_whatif_planner *planner)
{
    const struct sdsim_setup *base = planner->base;
    const uint64_t usual = sdsim_stream_default_buffer((enum sdsim_file_api)base->run.file.api);
    const uint64_t now = base->run.file.buffer > 0 ? base->run.file.buffer : usual;
    if (!on_file(base) || usual == 0) {
        return;
    }
    for (uint64_t buffer = 512; buffer <= largest_call; buffer *= 2) {
        if (buffer <= now) {
            continue;
        }
        char title[80];
        char cost[100];
        snprintf(title, sizeof title, "a file buffer of %s (setvbuf, setBufferSize)",
                 size_text(buffer).text);
        snprintf(cost, sizeof cost, "%s of RAM for each open file", size_text(buffer).text);
        sdsim_whatif_propose(planner,
                             &(struct sdsim_whatif_proposal){
                                 .kind = SDSIM_WHATIF_STDIO,
                                 .title = title,
                                 .cost = cost,
                                 .risk = "a power cut loses what is in it; small reads far apart "
                                         "fetch more than they need",
                                 .sets = {size_set("file.buffer", buffer).text}});
    }
    if (base->host.files[SDSIM_API_POSIX].given) {
        sdsim_whatif_propose(planner, &(struct sdsim_whatif_proposal){
                                          .kind = SDSIM_WHATIF_BYPASS,
                                          .title = "read() and write() past the buffer",
                                          .cost = "other calls in the application",
                                          .risk = "small calls then reach the file system one by "
                                                  "one",
                                          .sets = {"file.api=posix"}});
    }
}

/* ---- the volume ---- */

static void rule_cluster(struct sdsim_whatif_planner *planner)
{
    const struct sdsim_setup *base = planner->base;
    const struct sdsim_filesystem_params *filesystem = &base->run.filesystem;
    if (!on_file(base) || filesystem->image != NULL || filesystem->type == SDSIM_VOLUME_NONE) {
        return;
    }
    for (uint64_t cluster = 4 * KIB; cluster <= 64 * KIB; cluster *= 2) {
        if (cluster < 2 * filesystem->cluster || (filesystem->cluster == 0 && cluster < 32 * KIB)) {
            continue;
        }
        char title[80];
        char cost[100];
        snprintf(title, sizeof title, "clusters of %s", size_text(cluster).text);
        snprintf(cost, sizeof cost, "format the card anew; small files waste up to %s each",
                 size_text(cluster).text);
        sdsim_whatif_propose(planner,
                             &(struct sdsim_whatif_proposal){
                                 .kind = SDSIM_WHATIF_CLUSTER,
                                 .title = title,
                                 .cost = cost,
                                 .risk = cluster > 32 * KIB
                                             ? "some PCs and older libraries refuse FAT clusters "
                                               "above 32KiB"
                                             : "what is on the card is lost",
                                 .sets = {size_set("filesystem.cluster", cluster).text}});
    }
}

static void rule_preallocate(struct sdsim_whatif_planner *planner)
{
    const struct sdsim_workload_params *workload = &planner->base->run.workload;
    if (!on_file(planner->base) || workload->action != SDSIM_DO_WRITE || workload->preallocate ||
        planner->subject->replayed) {
        return;
    }
    sdsim_whatif_propose(planner,
                         &(struct sdsim_whatif_proposal){
                             .kind = SDSIM_WHATIF_PREALLOCATE,
                             .title = "the file's room allocated before (f_expand)",
                             .cost = "f_expand built in, a known size, and so much room in a row",
                             .risk = "after a power cut the file has its full size and "
                                     "old content at its end",
                             .sets = {"workload.preallocate=yes"}});
}

static void rule_exfat(struct sdsim_whatif_planner *planner)
{
    const struct sdsim_setup *base = planner->base;
    const int type = base->run.filesystem.type;
    const bool fat = type == SDSIM_VOLUME_FAT16 || type == SDSIM_VOLUME_FAT32 ||
                     (type == SDSIM_VOLUME_AUTO && base->card.type != SDSIM_SDXC);
    if (!on_file(base) || !fat || base->run.filesystem.image != NULL) {
        return;
    }
    sdsim_whatif_propose(planner,
                         &(struct sdsim_whatif_proposal){
                             .kind = SDSIM_WHATIF_EXFAT,
                             .title = "exFAT: a file in one run has no chain to read or write",
                             .cost = "format the card anew; a FAT library built with exFAT",
                             .risk = "one FAT without a second copy to repair it from",
                             .sets = {"filesystem.type=exfat", "reads_exfat=yes"}});
}

/* ---- syncs ---- */

static void rule_sync(struct sdsim_whatif_planner *planner)
{
    const struct sdsim_workload_params *workload = &planner->base->run.workload;
    if (workload->sync_every == 0 || planner->subject->replayed) {
        return;
    }
    const char *noun = workload->action == SDSIM_DO_LOG ? "lines" : "calls";
    for (uint64_t factor = 10; factor <= 100; factor *= 10) {
        char title[80];
        char risk[160];
        const uint64_t every = factor * workload->sync_every;
        snprintf(title, sizeof title, "a sync every %" PRIu64 " %s", every, noun);
        snprintf(risk, sizeof risk, "a power cut loses up to %" PRIu64 " %s instead of %" PRIu64,
                 every, noun, workload->sync_every);
        sdsim_whatif_propose(planner, &(struct sdsim_whatif_proposal){
                                          .kind = SDSIM_WHATIF_SYNC,
                                          .title = title,
                                          .cost = "one line of code",
                                          .risk = risk,
                                          .sets = {count_set("workload.sync_every", every).text}});
    }
}

/* Open, append, close: keep the file open, and collect what fits a sector. */
static void rule_append(struct sdsim_whatif_planner *planner)
{
    const struct sdsim_workload_params *workload = &planner->base->run.workload;
    if (workload->action != SDSIM_DO_APPEND || planner->subject->replayed) {
        return;
    }
    const uint64_t total = workload->call * workload->times;
    char risk[160];
    snprintf(risk, sizeof risk,
             "a power cut loses what was written since the last sync, also what "
             "the card already has");
    sdsim_whatif_propose(planner,
                         &(struct sdsim_whatif_proposal){
                             .kind = SDSIM_WHATIF_OPEN,
                             .title = "the file stays open between appends",
                             .cost = "a file object, and a sync now and then",
                             .risk = risk,
                             .sets = {"workload.do=write", size_set("workload.total", total).text,
                                      "measure=mean-latency"}});
    const uint64_t lines = SDSIM_SECTOR / workload->call;
    if (lines < 2 || lines > workload->times) {
        return;
    }
    char title[80];
    char cost[100];
    snprintf(title, sizeof title, "the file stays open, %" PRIu64 " appends in one call", lines);
    snprintf(cost, sizeof cost, "%" PRIu64 " bytes of RAM", lines * workload->call);
    sdsim_whatif_propose(planner,
                         &(struct sdsim_whatif_proposal){
                             .kind = SDSIM_WHATIF_GATHER,
                             .title = title,
                             .cost = cost,
                             .risk = risk,
                             .sets = {"workload.do=write", size_set("workload.total", total).text,
                                      size_set("workload.call", lines * workload->call).text,
                                      "measure=mean-latency"}});
}

/* ---- the card ---- */

static void rule_card(struct sdsim_whatif_planner *planner)
{
    static const struct {
        const char *name;
        const char *title;
        uint64_t gigabytes;
    } classes[] = {
        {"sdhc16g-c10", "a 16GB card, class 10", 16}, {"sdhc32g-u1", "a 32GB card, U1", 32},
        {"sdhc32g-a1", "a 32GB card, A1", 32},        {"sdxc64g-a2", "a 64GB card, A2", 64},
        {"sdxc128g-v30", "a 128GB card, V30", 128},
    };
    const struct sdsim_setup *base = planner->base;
    const uint64_t capacity = (uint64_t)sdsim_csd_sectors(&base->card) * SDSIM_SECTOR;
    const bool whole_fat = base->run.workload.action == SDSIM_DO_MOUNT ||
                           base->run.workload.action == SDSIM_DO_FREE_SPACE;
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        const bool large = classes[i].gigabytes > 32;
        const bool smaller = 3 * classes[i].gigabytes * 1000000000 < 2 * capacity;
        char title[80];
        snprintf(title, sizeof title, "%s%s", classes[i].title,
                 smaller && whole_fat ? ": its FAT is smaller" : "");
        sdsim_whatif_propose(
            planner, &(struct sdsim_whatif_proposal){
                         .kind = SDSIM_WHATIF_CARD,
                         .title = title,
                         .cost = smaller ? "another card, with less room" : "another card",
                         .risk = large ? "comes as exFAT; classes promise nothing in SPI mode, and "
                                         "cards of one name differ"
                                       : "classes promise nothing in SPI mode, and cards of one "
                                         "name differ",
                         .sets = {set_text("card", classes[i].name).text}});
    }
}

void sdsim_whatif_rules(struct sdsim_whatif_planner *planner)
{
    static void (*const rules[])(struct sdsim_whatif_planner *) = {
        rule_clock, sdsim_whatif_rule_drivers, rule_calls, rule_buffers, rule_stdio, rule_cluster,
        rule_exfat, rule_preallocate,          rule_sync,  rule_append,  rule_card,
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        rules[i](planner);
    }
}
