/*
 * What a careful colleague would say about a set-up before anybody solders it:
 *
 *     the clock on the wire is above what the card is rated for, over SPI
 *     the signals are faster than loose wires carry
 *     the card hangs on pins that the chip samples at reset
 *     the card's volume is exFAT, and the firmware can't read that
 *     calls are so small that what each costs besides its sectors counts
 *     the host's profile does not say what calls of the file API cost
 *     DMA can't reach the buffers, so the driver goes sector by sector
 *     everything is synced after every call
 *     the card's profile breaks the promise of its speed class
 *
 * Each warning points at the line that causes it and says what to do. A warning that several runs
 * of a scenario share is given once.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/units.h"
#include "host/clock_rule.h"
#include "setup/call_cost.h"
#include "setup/clocks.h"
#include "setup/setup.h"
#include "setup/simulate.h"

/* Above this, signals on a breadboard or jumper wires ring (published failures at 20 to 40 MHz). */
static const double long_wires_hz = 20e6;

struct lint {
    const struct sdsim_run *run;
    const struct sdsim_setup *setup;
    struct sdsim_diags *diags;
    double real_hz; /* the clock on the wire */
    char real[32];  /* the same, printed */
};

/* ---- saying it ---- */

__attribute__((format(printf, 4, 5))) static void warn(const struct lint *lint,
                                                       const struct sdsim_node *node,
                                                       const char *help, const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    sdsim_node_diag(lint->diags, SDSIM_WARNING, node, help, "%s", text);
}

/* The value of `key` in the run, or, if the run doesn't say, the card or board that stands for it,
 * or the run itself. */
static const struct sdsim_node *cause(const struct lint *lint, const char *key,
                                      const char *otherwise)
{
    const struct sdsim_node *node = sdsim_node_get(lint->run->tree, key);
    if (node == NULL && otherwise != NULL) {
        node = sdsim_node_get(lint->run->tree, otherwise);
    }
    return node != NULL ? node : lint->run->tree;
}

static const struct sdsim_node *workload_cause(const struct lint *lint, const char *key)
{
    const struct sdsim_node *workload = sdsim_node_get(lint->run->tree, "workload");
    const struct sdsim_node *node = sdsim_node_get(workload, key);
    return node != NULL ? node : workload != NULL ? workload : lint->run->tree;
}

/* ---- clocks and wires ---- */

static bool gives_at_most(const struct sdsim_setup *setup, uint64_t request, uint64_t limit)
{
    const struct sdsim_clock_source source = sdsim_setup_clock_source(setup);
    struct sdsim_clock_choice choice;
    return sdsim_clock_choose(&source, request, &choice) && choice.hz_num <= limit * choice.hz_den;
}

/* The fastest request, in steps of 1 MHz, that this host answers with no more than `limit`. */
static void advise_clock(const struct sdsim_setup *setup, uint64_t limit, char *help, size_t size)
{
    const uint64_t step = 1000000;
    char clock[32];
    for (uint64_t request = limit / step * step; request > 0; request -= step) {
        if (gives_at_most(setup, request, limit)) {
            sdsim_unit_print(SDSIM_UNIT_FREQUENCY, (double)request, clock, sizeof clock);
            snprintf(help, size, "ask for %s", clock);
            return;
        }
    }
    snprintf(help, size, "ask for a slower clock");
}

static void lint_card_clock(const struct lint *lint)
{
    const struct sdsim_setup *setup = lint->setup;
    const uint64_t limit = setup->card.spi_hz;
    if (setup->run.bus != SDSIM_BUS_SPI || lint->real_hz <= (double)limit) {
        return;
    }
    char rated[32];
    char asked[32];
    char help[64];
    sdsim_unit_print(SDSIM_UNIT_FREQUENCY, (double)limit, rated, sizeof rated);
    sdsim_unit_print(SDSIM_UNIT_FREQUENCY, (double)setup->asked_hz, asked, sizeof asked);
    advise_clock(setup, limit, help, sizeof help);
    const struct sdsim_node *node = cause(lint, "clock", "driver");
    if (setup->asked_hz <= limit) {
        warn(lint, node, help,
             "%s asked for become %s on the wire, above the card's %s: this host takes the nearest "
             "clock it can make, which may be faster than asked",
             asked, lint->real, rated);
    } else {
        warn(lint, node, help,
             "%s on the wire are above the card's %s: a card in SPI mode isn't switched to high "
             "speed",
             lint->real, rated);
    }
}

static void lint_wires(const struct lint *lint)
{
    if (lint->setup->run.wires != SDSIM_WIRES_LONG || lint->real_hz <= long_wires_hz) {
        return;
    }
    warn(
        lint, cause(lint, "wires", "board"),
        "wires under 5cm, 22 to 33 ohm in series with each signal, pull-ups of 10k and a capacitor "
        "at the card's supply; or 20MHz",
        "%s over long wires: transfers will fail now and then", lint->real);
}

/* ---- pins ---- */

static bool is_strapping(const struct sdsim_host_params *host, uint64_t pin)
{
    const uint64_t *pins = host->strapping_pins.items;
    for (size_t i = 0; i < host->strapping_pins.count; i++) {
        if (pins[i] == pin) {
            return true;
        }
    }
    return false;
}

static void lint_pins(const struct lint *lint)
{
    const struct sdsim_list *list = &lint->setup->run.pins;
    const uint64_t *pins = list->items;
    char names[120] = "";
    size_t used = 0;
    size_t count = 0;
    if (lint->setup->run.bus == SDSIM_BUS_SPI) {
        return;
    }
    for (size_t i = 0; i < list->count; i++) {
        if (is_strapping(&lint->setup->host, pins[i]) && used < sizeof names) {
            used += (size_t)snprintf(names + used, sizeof names - used, "%sGPIO%" PRIu64,
                                     count > 0 ? ", " : "", pins[i]);
            count++;
        }
    }
    if (count > 0) {
        warn(
            lint, cause(lint, "pins", "board"),
            "use other pins if the chip lets you, or check what each level selects: on an ESP32, "
            "GPIO12 high at reset makes the flash run at 1.8V (fix it by eFuse), and GPIO2 must be "
            "low for a download",
            "the card's pull-ups hold %s at reset, when the chip samples %s: it may not boot",
            names, count == 1 ? "it" : "them");
    }
}

/* ---- the volume ---- */

static void lint_volume(const struct lint *lint)
{
    const struct sdsim_setup *setup = lint->setup;
    const struct sdsim_filesystem_params *filesystem = &setup->run.filesystem;
    const bool automatic = filesystem->type == SDSIM_VOLUME_AUTO;
    const struct sdsim_volume_config config = sdsim_setup_volume_config(setup);
    if (setup->run.workload.target != SDSIM_ON_FILE ||
        sdsim_volume_config_mounts(&config, SDSIM_EXFAT)) {
        return;
    }
    /* SD Association: cards above 32 GiB are SDXC and come as exFAT. */
    const bool exfat = automatic ? setup->card.capacity > (uint64_t)32 << 30
                                 : filesystem->type == SDSIM_VOLUME_EXFAT;
    if (exfat) {
        warn(lint, automatic ? cause(lint, "card", NULL) : cause(lint, "filesystem", NULL),
             "format it as FAT32 on a PC (filesystem: {type: fat32}), use a card of up to 32GB, or "
             "a firmware with exFAT",
             automatic ? "a card of more than 32GB comes as exFAT, which this firmware can't read"
                       : "this firmware can't read exFAT");
    }
}

/* ---- calls ---- */

static void lint_small_calls(const struct lint *lint)
{
    static const char *const kinds[SDSIM_KIND_COUNT] = {
        [SDSIM_PAYLOAD] = "clocks",         [SDSIM_PROTOCOL] = "commands on the bus",
        [SDSIM_GAP] = "gaps on the bus",    [SDSIM_POLL] = "polling",
        [SDSIM_ACCESS] = "card's access",   [SDSIM_BUSY] = "card's programming",
        [SDSIM_PAUSE] = "card's pauses",    [SDSIM_COPY] = "copying",
        [SDSIM_HOST] = "host's CPU time",   [SDSIM_IDLE] = "sleeping",
        [SDSIM_OUTSIDE] = "turn of others",
    };
    struct sdsim_call_cost cost;
    if (!sdsim_call_cost(lint->setup, &cost) || !cost.small) {
        return;
    }
    char call[32];
    char fixed[32];
    char payload[32];
    char enough[32];
    char help[100] = "take larger calls";
    sdsim_unit_print(SDSIM_UNIT_SIZE, (double)lint->setup->run.workload.call, call, sizeof call);
    sdsim_unit_print(SDSIM_UNIT_TIME, (double)cost.fixed, fixed, sizeof fixed);
    sdsim_unit_print(SDSIM_UNIT_TIME, (double)cost.payload, payload, sizeof payload);
    if (cost.enough > 0) {
        sdsim_unit_print(SDSIM_UNIT_SIZE, (double)cost.enough, enough, sizeof enough);
        snprintf(help, sizeof help, "with calls of %s it is less than a third of that", enough);
    }
    warn(lint, workload_cause(lint, "call"), help,
         "small calls: each %s of %s costs %s besides its sectors, which take %s on the wire; most "
         "of it is the %s",
         sdsim_workload_reads((enum sdsim_action)lint->setup->run.workload.action) ? "read"
                                                                                   : "write",
         call, fixed, payload, kinds[cost.most]);
}

/* A host that has no entry for the file API: its calls would cost nothing, which no call does. */
static void lint_api(const struct lint *lint)
{
    const struct sdsim_setup *setup = lint->setup;
    const int api = setup->run.file.api;
    if (setup->run.workload.target != SDSIM_ON_FILE || setup->host.files[api].given) {
        return;
    }
    char has[240] = "";
    char help[340];
    size_t used = 0;
    for (int i = 0; i < SDSIM_API_COUNT && used < sizeof has; i++) {
        if (setup->host.files[i].given) {
            used += (size_t)snprintf(has + used, sizeof has - used, "%s%s", used > 0 ? ", " : "",
                                     sdsim_file_api_name((enum sdsim_file_api)i));
        }
    }
    snprintf(help, sizeof help, "%s%s%sadd an entry under `files` of its profile",
             used > 0 ? "take one that it has (" : "", has, used > 0 ? "), or " : "");
    const struct sdsim_node *named = sdsim_node_get(sdsim_node_get(lint->run->tree, "file"), "api");
    warn(lint, named != NULL ? named : cause(lint, "host", "board"), help,
         "the host %s has no costs for the file API %s: its calls take no time of their own",
         lint->run->host_name, sdsim_file_api_name((enum sdsim_file_api)api));
}

static void lint_buffers(const struct lint *lint)
{
    const uint64_t blocks = lint->setup->driver.params.bounce_blocks;
    if (lint->setup->run.usable_buffers || blocks == 0) {
        return;
    }
    warn(lint, cause(lint, "usable_buffers", "board"),
         "take buffers from memory DMA can reach (not PSRAM), aligned to 4 bytes, and calls that "
         "start and end at sectors",
         "DMA can't use the application's buffers: every command moves %" PRIu64 " sector%s",
         blocks, blocks == 1 ? "" : "s");
}

static void lint_syncs(const struct lint *lint)
{
    const struct sdsim_workload_params *workload = &lint->setup->run.workload;
    if (workload->sync_every != 1) {
        return;
    }
    warn(lint, workload_cause(lint, "sync_every"),
         "sync after as many as you can afford to lose, or once a second",
         workload->target == SDSIM_ON_FILE
             ? "a sync after every %s writes directory and FAT sectors each time, one by one"
             : "a sync after every %s ends the card's stream each time",
         workload->action == SDSIM_DO_LOG ? "line" : "call");
}

/* ---- the card's promises ---- */

/* The least rate at which a card of this class moves data in an AU that is partly used (Physical
 * Layer Specification, section 4.13.1); 0: it promises none. */
static uint64_t promised_move_rate(uint64_t speed_class)
{
    static const uint64_t rates[] = {[2] = 1000000, [4] = 2000000, [6] = 3000000, [10] = 3000000};
    return speed_class < sizeof rates / sizeof *rates ? rates[speed_class] : 0;
}

/* The least write rate by all marks on the card. */
static uint64_t promised_write_rate(const struct sdsim_card_params *card)
{
    const uint64_t marks[] = {card->speed_class, 10 * card->uhs_grade, card->video_class};
    uint64_t most = 0;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        most = marks[i] > most ? marks[i] : most;
    }
    return 1000000 * most;
}

static void lint_card_class(const struct lint *lint)
{
    const struct sdsim_card_params *card = &lint->setup->card;
    const struct sdsim_node *node = cause(lint, "card", NULL);
    const uint64_t move = promised_move_rate(card->speed_class);
    if (move > 0 && card->flash.open_aus > 0 &&
        sdsim_au_full_merge(&card->flash) > card->flash.au_bytes * (SDSIM_S / move)) {
        warn(lint, node, "a higher move_rate, or a lower speed_class",
             "the merge of an AU takes longer than speed class %" PRIu64 " allows",
             card->speed_class);
    }
    if (card->flash.cache_bytes > 0 && card->flash.fold_rate > 0 &&
        card->flash.fold_rate < promised_write_rate(card)) {
        warn(lint, node, "a higher fold_rate, or lower classes",
             "with its cache full, the card writes slower than its classes allow");
    }
}

static void lint_with(const struct sdsim_run *run, const struct sdsim_setup *setup,
                      bool with_workload, struct sdsim_diags *diags)
{
    static const struct {
        void (*rule)(const struct lint *);
        bool of_workload;
    } rules[] = {
        {lint_card_clock, false}, {lint_wires, false},      {lint_pins, false},
        {lint_volume, false},     {lint_small_calls, true}, {lint_api, false},
        {lint_buffers, false},    {lint_syncs, true},       {lint_card_class, false},
    };
    struct lint lint = {
        .run = run,
        .setup = setup,
        .diags = diags,
        .real_hz = (double)setup->clocks.num / (double)setup->clocks.den,
    };
    sdsim_unit_print(SDSIM_UNIT_FREQUENCY, lint.real_hz, lint.real, sizeof lint.real);
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (with_workload || !rules[i].of_workload) {
            rules[i].rule(&lint);
        }
    }
}

void sdsim_setup_lint(const struct sdsim_run *run, const struct sdsim_setup *setup,
                      struct sdsim_diags *diags)
{
    lint_with(run, setup, true, diags);
}

void sdsim_setup_lint_replay(const struct sdsim_run *run, const struct sdsim_setup *setup,
                             struct sdsim_diags *diags)
{
    lint_with(run, setup, false, diags);
}
