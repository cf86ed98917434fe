#include "report/readings.h"

#include <stdarg.h>
#include <stdio.h>

#include "core/units.h"
#include "report/commands.h"
#include "report/format.h"
#include "report/tasks_report.h"
#include "report/usb_report.h"
#include "setup/clocks.h"

/* Everything the rules look at, in short words. */
struct view {
    const struct sdsim_run_report *report;
    const struct sdsim_workload_params *workload;
    const struct sdsim_counters *counters;
    const struct sdsim_account *account;
    sdsim_ps total;
    uint64_t calls;
    bool reads;
    uint64_t commands;     /* that move the workload's sectors, see take_commands */
    uint64_t sectors;      /* that those commands moved */
    uint64_t all_commands; /* in the direction of the workload, of either sort */
    uint64_t all_sectors;
    uint64_t buffer; /* of the file API; 0: none */
    const char *verb;
    char call[32]; /* "32KiB" */
};

/*
 * Which commands a call became. Single-sector and multiple-sector commands mix when FatFs looks up
 * a cluster in between; the ones that move more sectors are those of the data.
 */
static void take_commands(struct view *view)
{
    const struct sdsim_counters *counters = view->counters;
    const uint64_t singles = counters->commands[view->reads ? 17 : 24];
    view->all_commands =
        view->reads ? sdsim_read_commands(counters) : sdsim_write_commands(counters);
    view->all_sectors = view->reads ? counters->blocks_read : counters->blocks_written;
    const uint64_t multiple = view->all_sectors > singles ? view->all_sectors - singles : 0;
    view->commands = multiple >= singles ? view->all_commands - singles : singles;
    view->sectors = multiple >= singles ? multiple : singles;
}

/* What one call is. */
static const char *verb_of(enum sdsim_action action)
{
    switch (action) {
    case SDSIM_DO_WRITE:
    case SDSIM_DO_RANDOM_WRITE:
    case SDSIM_DO_STREAM:
        return "write";
    case SDSIM_DO_READ:
    case SDSIM_DO_RANDOM_READ:
        return "read";
    case SDSIM_DO_LOG:
        return "line";
    default:
        return "call";
    }
}

/* How long the writer of a stream waits for data, which is nobody's fault. */
static sdsim_ps idle_of(const struct sdsim_run_params *run,
                        const struct sdsim_workload_result *result)
{
    return run->workload.action == SDSIM_DO_STREAM
               ? sdsim_account_kind(&result->account, SDSIM_IDLE)
               : 0;
}

static struct view view_of(const struct sdsim_run_report *report)
{
    const struct sdsim_run_params *run = &report->setup->run;
    const struct sdsim_workload_result *result = &report->prediction.typical.workload;
    struct view view = {
        .report = report,
        .workload = &run->workload,
        .counters = &result->counters,
        .account = &result->account,
        .total = result->elapsed - idle_of(run, result),
        .calls = result->calls,
        .reads = sdsim_workload_reads((enum sdsim_action)run->workload.action),
    };
    take_commands(&view);
    view.verb = verb_of((enum sdsim_action)run->workload.action);
    const uint32_t usual = sdsim_stream_default_buffer((enum sdsim_file_api)run->file.api);
    if (run->workload.target == SDSIM_ON_FILE && usual > 0) {
        view.buffer = run->file.buffer > 0 ? run->file.buffer : usual;
    }
    sdsim_unit_print(SDSIM_UNIT_SIZE, (double)run->workload.call, view.call, sizeof view.call);
    return view;
}

/* Whether the workload is a stream of calls that move data, as the rules on commands assume. */
static bool is_stream(const struct view *view)
{
    const enum sdsim_action action = (enum sdsim_action)view->workload->action;
    return view->workload->timed != SDSIM_TIMED_PASSES &&
           (sdsim_workload_moves_data(action) || action == SDSIM_DO_LOG);
}

/* A rule writes its sentence to `out` (SDSIM_READING_SIZE bytes); false: nothing to say. */
typedef bool rule(const struct view *view, char *out);

__attribute__((format(printf, 2, 3))) static bool say(char *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(out, SDSIM_READING_SIZE, format, arguments);
    va_end(arguments);
    return true;
}

static double share_of(const struct view *view, sdsim_ps part)
{
    return view->total > 0 ? (double)part / (double)view->total : 0.0;
}

static sdsim_ps kind(const struct view *view, enum sdsim_kind which)
{
    return sdsim_account_kind(view->account, which);
}

/* ---- who has the time ---- */

static bool rule_shares(const struct view *view, char *out)
{
    const sdsim_ps payload = kind(view, SDSIM_PAYLOAD);
    const sdsim_ps bus = payload + kind(view, SDSIM_PROTOCOL);
    const sdsim_ps card =
        kind(view, SDSIM_ACCESS) + kind(view, SDSIM_BUSY) + kind(view, SDSIM_PAUSE);
    const sdsim_ps outside = kind(view, SDSIM_OUTSIDE);
    const sdsim_ps own = view->total - bus - card - outside;
    char shares[4][24];
    if (view->total == 0) {
        return false;
    }
    sdsim_print_share(share_of(view, bus), shares[0], sizeof shares[0]);
    sdsim_print_share(share_of(view, own), shares[1], sizeof shares[1]);
    sdsim_print_share(share_of(view, card), shares[2], sizeof shares[2]);
    if (view->workload->action == SDSIM_DO_STREAM) {
        const sdsim_ps elapsed = view->report->prediction.typical.workload.elapsed;
        char busy[24];
        sdsim_print_share((double)view->total / (double)elapsed, busy, sizeof busy);
        return say(out,
                   "the writer is at work %s of the time; of that, clocks on the bus take %s, the "
                   "host and its driver %s, the card %s",
                   busy, shares[0], shares[1], shares[2]);
    }
    if (view->workload->target == SDSIM_ON_USB && view->workload->usb.lazy > 0 && !view->reads) {
        const sdsim_ps idle = kind(view, SDSIM_IDLE);
        sdsim_print_share(share_of(view, outside), shares[3], sizeof shares[3]);
        sdsim_print_share(share_of(view, own - idle), shares[1], sizeof shares[1]);
        sdsim_print_share(share_of(view, idle), shares[0], sizeof shares[0]);
        return say(out,
                   "of the front end's time USB takes %s, the CPU %s, and a full queue %s; the "
                   "writer task has an account of its own",
                   shares[3], shares[1], shares[0]);
    }
    if (outside > 0) {
        sdsim_print_share(share_of(view, outside), shares[3], sizeof shares[3]);
        return say(out,
                   "%s takes %s, clocks on the bus %s, the host and its driver %s, the card %s",
                   sdsim_outside_name(view->workload), shares[3], shares[0], shares[1], shares[2]);
    }
    const sdsim_ps idle = kind(view, SDSIM_IDLE);
    if (idle > 0 &&
        view->workload->action == SDSIM_DO_PLAY) { /* buffers are full: no one's fault */
        sdsim_print_share(share_of(view, own - idle), shares[1], sizeof shares[1]);
        sdsim_print_share(share_of(view, idle), shares[3], sizeof shares[3]);
        return say(out,
                   "clocks on the bus take %s, the host and its driver %s, the card %s; %s lie "
                   "between the calls",
                   shares[0], shares[1], shares[2], shares[3]);
    }
    return say(out, "clocks on the bus take %s, the host and its driver %s, the card %s", shares[0],
               shares[1], shares[2]);
}

/* What would be left if everything but one layer were free: a bound nothing else can lift. */
static bool rule_bound(const struct view *view, char *out)
{
    const enum sdsim_metric metric = view->report->prediction.typical.metric;
    const double value = view->report->prediction.typical.value;
    if (view->workload->action == SDSIM_DO_STREAM) {
        return false; /* the rate is the data's, not that of the layers */
    }
    const sdsim_ps payload = kind(view, SDSIM_PAYLOAD);
    const sdsim_ps host = kind(view, SDSIM_HOST) + kind(view, SDSIM_COPY) + kind(view, SDSIM_GAP);
    char bound[48];
    if (metric != SDSIM_METRIC_THROUGHPUT && metric != SDSIM_METRIC_LINES) {
        return false;
    }
    if (host > payload && host > view->total / 2) {
        sdsim_print_value(metric, value / share_of(view, host), bound, sizeof bound);
        return say(out, "the time of the host alone allows no more than %s, whatever bus and card",
                   bound);
    }
    if (payload > view->total / 4 && metric == SDSIM_METRIC_THROUGHPUT) {
        sdsim_print_value(metric, value / share_of(view, payload), bound, sizeof bound);
        return say(out, "the payload's clocks alone allow no more than %s at this clock and width",
                   bound);
    }
    return false;
}

/* ---- what calls become ---- */

static bool rule_refills(const struct view *view, char *out)
{
    if (!view->reads || !is_stream(view) || view->buffer == 0 ||
        view->workload->call <= view->buffer || view->commands < 2 * view->calls) {
        return false;
    }
    char commands[24];
    char sectors[24];
    char buffer[32];
    sdsim_print_ratio(view->commands, view->calls, commands, sizeof commands);
    sdsim_print_ratio(view->sectors, view->commands, sectors, sizeof sectors);
    sdsim_unit_print(SDSIM_UNIT_SIZE, (double)view->buffer, buffer, sizeof buffer);
    return say(out,
               "each read of %s became %s commands of %s sectors: the %s buffer of the file API %s "
               "is refilled piece by piece, so larger calls bring nothing",
               view->call, commands, sectors, buffer,
               sdsim_file_api_name((enum sdsim_file_api)view->report->setup->run.file.api));
}

static bool bounced(const struct view *view)
{
    const struct sdsim_setup *setup = view->report->setup;
    return !setup->run.usable_buffers && setup->driver.params.bounce_blocks > 0;
}

static bool rule_bounce(const struct view *view, char *out)
{
    if (!is_stream(view) || !bounced(view) || view->commands < 2 * view->calls) {
        return false;
    }
    const uint64_t blocks = view->report->setup->driver.params.bounce_blocks;
    char commands[24];
    sdsim_print_ratio(view->commands, view->calls, commands, sizeof commands);
    return say(out,
               "each %s of %s became %s commands: DMA can't use the application's buffer, so the "
               "driver moves %llu sector%s at a time through its own",
               view->verb, view->call, commands, (unsigned long long)blocks,
               blocks == 1 ? "" : "s");
}

static bool one_sector_clusters(const struct view *view)
{
    return view->report->setup->run.filesystem.cluster == SDSIM_SECTOR;
}

static bool rule_clusters(const struct view *view, char *out)
{
    if (!is_stream(view) || view->workload->target != SDSIM_ON_FILE || bounced(view) ||
        view->report->setup->run.file.api == SDSIM_API_LINUX ||
        (view->sectors < 2 * view->commands && !one_sector_clusters(view)) ||
        (view->reads && view->buffer > 0) || 2 * view->commands < 3 * view->calls) {
        return false;
    }
    char commands[24];
    char sectors[24];
    sdsim_print_ratio(view->commands, view->calls, commands, sizeof commands);
    sdsim_print_ratio(view->sectors, view->commands, sectors, sizeof sectors);
    return say(out,
               "each %s of %s became %s commands of %s sectors: FatFs ends a command where a "
               "cluster ends, so larger clusters make longer commands",
               view->verb, view->call, commands, sectors);
}

/* Several calls for one sector or command: somebody collects. */
static bool rule_gathered(const struct view *view, char *out)
{
    const bool lines = view->workload->action == SDSIM_DO_LOG;
    char calls[24];
    char buffer[32];
    if (!is_stream(view) || view->all_commands == 0 || 3 * view->all_commands > 2 * view->calls) {
        return false;
    }
    if (view->buffer > 0) {
        sdsim_print_ratio(view->calls, view->all_commands, calls, sizeof calls);
        sdsim_unit_print(SDSIM_UNIT_SIZE, (double)view->buffer, buffer, sizeof buffer);
        return say(out, "%s %ss share one command: the %s buffer of the file API collects them",
                   calls, view->verb, buffer);
    }
    if (lines || view->workload->call < SDSIM_SECTOR) {
        sdsim_print_ratio(view->calls, view->all_sectors, calls, sizeof calls);
        return say(out,
                   "%s %ss share one sector: FatFs collects them and moves one sector at a time",
                   calls, view->verb);
    }
    sdsim_print_ratio(view->calls, view->all_commands, calls, sizeof calls);
    return say(out, "%s %ss share one command: the driver leaves its stream open between calls",
               calls, view->verb);
}

static bool rule_partial(const struct view *view, char *out)
{
    const uint64_t single = view->counters->commands[view->reads ? 17 : 24];
    if (!is_stream(view) || view->workload->action == SDSIM_DO_LOG || view->buffer > 0 ||
        view->all_commands == 0 || view->workload->call < SDSIM_SECTOR ||
        view->workload->call % SDSIM_SECTOR == 0) {
        return false;
    }
    char share[24];
    sdsim_print_share((double)single / (double)view->all_commands, share, sizeof share);
    return say(out,
               "calls of %s end inside sectors: %s of the data commands move a single one; calls "
               "of a multiple of 512B avoid it",
               view->call, share);
}

/* ---- what is lost beside the data ---- */

/* Actions that keep nothing up to date. */
static bool only_looks(enum sdsim_action action)
{
    return action == SDSIM_DO_MOUNT || action == SDSIM_DO_FREE_SPACE ||
           action == SDSIM_DO_OPEN_EACH;
}

static bool rule_metadata(const struct view *view, char *out)
{
    const sdsim_ps metadata =
        sdsim_account_total(view->account) - sdsim_account_purpose(view->account, SDSIM_FOR_DATA);
    const uint64_t every = view->workload->sync_every;
    char share[24];
    if (view->total == 0 || metadata < view->total / 20 ||
        only_looks((enum sdsim_action)view->workload->action)) {
        return false;
    }
    sdsim_print_share(share_of(view, metadata), share, sizeof share);
    if (every > 0) {
        return say(out,
                   "keeping the file system up to date takes %s: there is a sync every %llu %ss",
                   share, (unsigned long long)every, view->verb);
    }
    return say(out, "keeping the file system up to date takes %s", share);
}

static bool rule_pauses(const struct view *view, char *out)
{
    const sdsim_ps pause = kind(view, SDSIM_PAUSE);
    const sdsim_ps started = view->report->prediction.typical.workload.started;
    if (view->total == 0 || pause < view->total / 100) {
        return false;
    }
    char share[24];
    char longest[32];
    char at[32];
    sdsim_print_share(share_of(view, pause), share, sizeof share);
    sdsim_print_time(view->counters->longest_wait, longest, sizeof longest);
    sdsim_print_time(sdsim_time_since(view->counters->longest_wait_at, started), at, sizeof at);
    return say(out,
               "the card's housekeeping takes %s; the longest wait for it, %s, began %s after the "
               "first call",
               share, longest, at);
}

/* ---- what the card does with the data ---- */

/* Data that lies where it was written first is read faster than data the card has folded since. */
static bool rule_folded(const struct view *view, char *out)
{
    const struct sdsim_flash_params *flash = &view->report->setup->card.flash;
    const struct sdsim_flash_stats *stats = &view->report->prediction.typical.flash;
    const uint64_t all = stats->folded_reads + stats->fresh_reads;
    char each[32];
    if (!view->reads || all == 0) {
        return false;
    }
    sdsim_print_time(flash->rd_folded, each, sizeof each);
    if (2 * stats->folded_reads < all) {
        return say(
            out,
            "reads of folded data: %llu of %llu sectors: what was written last still lies in "
            "the card's cache; of a file from a PC each sector would take %s longer",
            (unsigned long long)stats->folded_reads, (unsigned long long)all, each);
    }
    return say(
        out,
        "reads of folded data: %llu of %llu sectors, %s each: they were written long ago and "
        "left the card's cache; what the firmware has just written is read without that",
        (unsigned long long)stats->folded_reads, (unsigned long long)all, each);
}

/* Where the card had to move data because of where it was written. */
static bool rule_merges(const struct view *view, char *out)
{
    const struct sdsim_translation_stats *stats = &view->report->prediction.typical.translation;
    const uint64_t limit = view->report->setup->card.flash.open_aus;
    const uint64_t against = stats->out_of_order + stats->small_writes;
    char merges[120] = "";
    char order[120] = "";
    char time[32];
    if (sdsim_time_sum(stats->merge_time, stats->order_time) < view->total / 100 ||
        view->total == 0) {
        return false;
    }
    if (stats->merges > 0) {
        sdsim_print_time(stats->merge_time / stats->merges, time, sizeof time);
        int used = snprintf(merges, sizeof merges, "%llu merge%s of AUs, %s each",
                            (unsigned long long)stats->merges, stats->merges == 1 ? "" : "s", time);
        if (limit > 0 && used > 0 && (size_t)used < sizeof merges) {
            snprintf(merges + used, sizeof merges - (size_t)used, " (it holds %llu open)",
                     (unsigned long long)limit);
        }
    }
    if (stats->order_time > 0) {
        sdsim_print_time(stats->order_time, time, sizeof time);
        snprintf(order, sizeof order, "%s%llu write%s out of order, %s in all",
                 merges[0] != '\0' ? ", and " : "", (unsigned long long)against,
                 against == 1 ? "" : "s", time);
    }
    return say(out, "the card moves data because of where it is written: %s%s", merges, order);
}

/* ---- the clock ---- */

static bool rule_clock(const struct view *view, char *out)
{
    const struct sdsim_run_report *report = view->report;
    const struct sdsim_outcome_report *typical = &report->prediction.typical;
    const sdsim_ps exact = report->exact.workload.elapsed;
    if (!report->has_exact || report->exact.error[0] != '\0' || exact >= view->total) {
        return false;
    }
    char hz[32];
    char which[64];
    char value[48];
    char share[24];
    const char *cap =
        report->wanted_hz < report->setup->asked_hz ? sdsim_setup_clock_cap(report->setup) : NULL;
    sdsim_unit_print(SDSIM_UNIT_FREQUENCY, (double)report->wanted_hz, hz, sizeof hz);
    if (cap != NULL) {
        snprintf(which, sizeof which, "%s, the %s's cap,", hz, cap);
    } else {
        snprintf(which, sizeof which, "the %s asked for", hz);
    }
    sdsim_print_value(typical->metric, report->exact.value, value, sizeof value);
    sdsim_print_share(share_of(view, view->total - exact), share, sizeof share);
    return say(out, "with exactly %s it would be %s: the clock divider costs %s of the time", which,
               value, share);
}

void sdsim_readings(const struct sdsim_run_report *report, struct sdsim_readings *readings)
{
    static rule *const rules[] = {
        rule_shares,  rule_bound,    rule_refills, rule_bounce, rule_clusters, rule_gathered,
        rule_partial, rule_metadata, rule_pauses,  rule_folded, rule_merges,   rule_clock,
    };
    const struct view view = view_of(report);
    readings->count = 0;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        readings->count += rules[i](&view, readings->text[readings->count]);
    }
    sdsim_usb_readings(report, readings);
    sdsim_tasks_readings(report, readings);
}

void sdsim_reading_add(struct sdsim_readings *readings, const char *format, ...)
{
    va_list arguments;
    if (readings->count < SDSIM_READINGS) {
        va_start(arguments, format);
        vsnprintf(readings->text[readings->count++], SDSIM_READING_SIZE, format, arguments);
        va_end(arguments);
    }
}
