#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/units.h"
#include "report/commands.h"
#include "report/explain_parts.h"
#include "report/format.h"
#include "report/short_text.h"

const char *sdsim_tell_name(enum sdsim_tell_kind kind)
{
    static const char *const names[SDSIM_TELL_COUNT] = {
        [SDSIM_TELL_CLOCK] = "clock",         [SDSIM_TELL_DIRECTION] = "direction",
        [SDSIM_TELL_CALL_SIZE] = "calls",     [SDSIM_TELL_CARD] = "card",
        [SDSIM_TELL_OFFSET] = "offset",       [SDSIM_TELL_PRODUCER] = "producer",
        [SDSIM_TELL_ALIGNMENT] = "alignment",
    };
    return names[kind];
}

__attribute__((format(printf, 4, 5))) static void tell(struct sdsim_explanation *explanation,
                                                       enum sdsim_tell_kind kind,
                                                       enum sdsim_loss loss, const char *format,
                                                       ...)
{
    struct sdsim_tell *tell = &explanation->tells[explanation->tell_count++];
    va_list arguments;
    va_start(arguments, format);
    *tell = (struct sdsim_tell){.kind = kind, .loss = loss};
    vsnprintf(tell->text, sizeof tell->text, format, arguments);
    va_end(arguments);
}

static struct sdsim_short_text gain_text(double gain)
{
    struct sdsim_short_text text;
    sdsim_print_gain(gain, text.text, sizeof text.text);
    return text;
}

static bool equal(double speed)
{
    return speed > 1 - SDSIM_EXPLAIN_EQUAL && speed < 1 + SDSIM_EXPLAIN_EQUAL;
}

/* Of several steps, the one that takes longest. */
static enum sdsim_loss largest(const struct sdsim_explanation *explanation,
                               const enum sdsim_loss *losses, size_t count)
{
    enum sdsim_loss most = losses[0];
    sdsim_ps time = 0;
    for (size_t i = 0; i < count; i++) {
        const struct sdsim_waterfall_step *step =
            sdsim_waterfall_step(&explanation->waterfall, losses[i]);
        if (step != NULL && step->time > time) {
            time = step->time;
            most = losses[i];
        }
    }
    return most;
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const enum sdsim_loss host_losses[] = {SDSIM_LOSS_GAPS, SDSIM_LOSS_DRIVER, SDSIM_LOSS_COPY,
                                              SDSIM_LOSS_API};
static const enum sdsim_loss card_losses[] = {SDSIM_LOSS_ACCESS, SDSIM_LOSS_BUSY, SDSIM_LOSS_PAUSE};
static const enum sdsim_loss call_losses[] = {SDSIM_LOSS_COMMANDS, SDSIM_LOSS_ACCESS,
                                              SDSIM_LOSS_BUSY, SDSIM_LOSS_API, SDSIM_LOSS_DRIVER};

/* ---- the clock ---- */

static void tell_clock(struct sdsim_explanation *explanation)
{
    const struct sdsim_probe *probe = &explanation->probes[SDSIM_PROBE_TWICE_THE_CLOCK];
    const double gain = probe->speed - 1;
    const bool times = explanation->outcome.metric >= SDSIM_METRIC_TIME;
    const char *measured = times ? "time" : "rate";
    if (!probe->there) {
        return;
    }
    if (gain >= SDSIM_EXPLAIN_EQUAL) {
        tell(explanation, SDSIM_TELL_CLOCK, SDSIM_LOSS_RAW, "twice the clock would bring %s: %s",
             gain_text(gain).text,
             gain <= 0.7 ? "part of the time is on the wire"
             : times     ? "the time follows the clock"
                         : "the rate follows the clock");
        return;
    }
    const enum sdsim_loss host = largest(explanation, host_losses, COUNT(host_losses));
    const sdsim_ps host_time = sdsim_waterfall_layer(&explanation->waterfall, SDSIM_LAYER_HOST);
    const sdsim_ps card_time = sdsim_waterfall_layer(&explanation->waterfall, SDSIM_LAYER_CARD);
    const bool is_host = host_time > card_time;
    const uint64_t blocks = explanation->outcome.workload.counters.blocks_read +
                            explanation->outcome.workload.counters.blocks_written;
    char each[32];
    sdsim_print_time(blocks > 0 ? host_time / blocks / 512 : 0, each, sizeof each);
    if (is_host && blocks > 0) {
        tell(explanation, SDSIM_TELL_CLOCK, host,
             "the %s does not change with the clock (twice: %s): a cost of the host for each "
             "byte or block, %s a byte",
             measured, gain_text(gain).text, each);
    } else {
        tell(explanation, SDSIM_TELL_CLOCK, largest(explanation, card_losses, COUNT(card_losses)),
             "the %s does not change with the clock (twice: %s): the time is not on the wire",
             measured, gain_text(gain).text);
    }
}

/* ---- reads and writes, cards ---- */

static double card_time(const struct sdsim_workload_result *workload)
{
    const sdsim_ps time = sdsim_account_kind(&workload->account, SDSIM_ACCESS) +
                          sdsim_account_kind(&workload->account, SDSIM_BUSY) +
                          sdsim_account_kind(&workload->account, SDSIM_PAUSE);
    return workload->bytes > 0 ? (double)time / (double)workload->bytes : 0;
}

/* Whether what the card takes makes at least half of the difference between two runs. */
static bool card_explains(const struct sdsim_outcome_report *one,
                          const struct sdsim_outcome_report *other)
{
    const struct sdsim_workload_result *a = &one->workload;
    const struct sdsim_workload_result *b = &other->workload;
    if (a->bytes == 0 || b->bytes == 0) {
        return false;
    }
    const double difference =
        (double)a->elapsed / (double)a->bytes - (double)b->elapsed / (double)b->bytes;
    const double card = card_time(a) - card_time(b);
    return difference > 0 ? card > difference / 2 : card < difference / 2;
}

static void tell_direction(struct sdsim_explanation *explanation)
{
    const struct sdsim_probe *probe = &explanation->probes[SDSIM_PROBE_OTHER_DIRECTION];
    const bool reads =
        sdsim_workload_reads((enum sdsim_action)explanation->setup.run.workload.action);
    char value[48];
    if (!probe->there) {
        return;
    }
    sdsim_print_value(probe->outcome.metric, probe->outcome.value, value, sizeof value);
    if (equal(probe->speed)) {
        tell(explanation, SDSIM_TELL_DIRECTION,
             largest(explanation, host_losses, COUNT(host_losses)),
             "read = write (%s %s): what both share, bus and host, is the limit",
             reads ? "writing" : "reading", value);
    } else {
        const bool card = card_explains(&explanation->outcome, &probe->outcome);
        const bool writes_faster = (probe->speed > 1) == reads;
        tell(explanation, SDSIM_TELL_DIRECTION,
             largest(explanation, card_losses, COUNT(card_losses)), "%s makes %s, %s: %s",
             reads ? "writing" : "reading", value, gain_text(probe->speed - 1).text,
             !card           ? "not by the card's own times: driver and host go other ways"
             : writes_faster ? "the card fetches slower than it programs"
                             : "programs of the card, which only writes wait for, count");
    }
}

static void tell_card(struct sdsim_explanation *explanation)
{
    const struct sdsim_probe *probe = &explanation->probes[SDSIM_PROBE_NO_CARD];
    if (probe->there && probe->speed - 1 < SDSIM_EXPLAIN_EQUAL) {
        tell(explanation, SDSIM_TELL_CARD, largest(explanation, card_losses, COUNT(card_losses)),
             "any card is as fast: one that never makes it wait would bring %s",
             gain_text(probe->speed - 1).text);
    }
}

/* ---- call size ---- */

/* Why commands are no longer than they are; "" if it isn't one of the known reasons. */
static void why_flat(const struct sdsim_explanation *explanation, char *out, size_t size)
{
    const struct sdsim_setup *setup = &explanation->setup;
    const struct sdsim_workload_params *workload = &setup->run.workload;
    const struct sdsim_counters *counters = &explanation->outcome.workload.counters;
    const bool reads = sdsim_workload_reads((enum sdsim_action)workload->action);
    const uint64_t commands =
        reads ? sdsim_read_commands(counters) : sdsim_write_commands(counters);
    const uint64_t sectors = reads ? counters->blocks_read : counters->blocks_written;
    const bool on_file = workload->target == SDSIM_ON_FILE;
    const uint64_t usual = sdsim_stream_default_buffer((enum sdsim_file_api)setup->run.file.api);
    const uint64_t buffer = !on_file                                  ? 0
                            : setup->run.file.buffer > 0 && usual > 0 ? setup->run.file.buffer
                                                                      : usual;
    const uint64_t cluster = setup->run.filesystem.cluster;
    const struct sdsim_short_text each = sdsim_ratio_text(sectors, commands);
    const char *count = each.text;
    out[0] = '\0';
    if (commands == 0 || 2 * commands < explanation->outcome.workload.calls) {
        snprintf(out, size, ": the driver leaves its stream open between calls");
    } else if (!setup->run.usable_buffers && setup->driver.params.bounce_blocks > 0) {
        snprintf(out, size,
                 ": DMA can't reach the buffers, so every command moves %s sector%s through the "
                 "driver's own",
                 count, strcmp(count, "1") == 0 ? "" : "s");
    } else if (setup->driver.params.most_blocks == 1) {
        snprintf(out, size, ": a single-block driver, each command moves one sector");
    } else if (on_file && cluster > 0 && cluster / 512 * commands <= sectors + sectors / 20 &&
               cluster < workload->call) {
        const bool fat32 = setup->run.filesystem.type == SDSIM_VOLUME_FAT32;
        snprintf(out, size, ": transfers never exceed one cluster, here %s%s%s",
                 sdsim_size_text(cluster).text, fat32 ? "; and a FAT has " : "",
                 fat32 ? sdsim_size_text(4 * (setup->card.capacity / cluster)).text : "");
    } else if (reads && buffer > 0 && workload->call > buffer) {
        snprintf(out, size,
                 ": the %s buffer of the file API %s is refilled piece by piece, each call of %s "
                 "is %s commands of %s sectors",
                 sdsim_size_text(buffer).text,
                 sdsim_file_api_name((enum sdsim_file_api)setup->run.file.api),
                 sdsim_size_text(workload->call).text,
                 sdsim_ratio_text(commands, explanation->outcome.workload.calls).text, count);
    } else if (sectors <= commands + commands / 20 && workload->call >= 1024) {
        snprintf(out, size, ": each command moves one sector");
    }
}

/*
 * Smaller calls are much faster: then commands of several sectors have something that those of one
 * don't, and only they pay for it. How much, follows from both runs: what a call takes beyond its
 * sectors at the smaller calls' rate.
 */
static bool tell_multiple_path(struct sdsim_explanation *explanation)
{
    const struct sdsim_probe *smaller = &explanation->probes[SDSIM_PROBE_SMALLER_CALLS];
    const struct sdsim_workload_result *here = &explanation->outcome.workload;
    const struct sdsim_workload_result *there = &smaller->outcome.workload;
    const bool reads =
        sdsim_workload_reads((enum sdsim_action)explanation->setup.run.workload.action);
    const uint64_t many = here->counters.commands[reads ? 18 : 25];
    if (!smaller->there || smaller->speed < 2 || many == 0 ||
        there->counters.commands[reads ? 18 : 25] > 0) {
        return false;
    }
    const double would = (double)there->elapsed / (double)there->bytes * (double)here->bytes;
    char extra[32];
    sdsim_print_time((sdsim_ps)(((double)here->elapsed - would) / (double)many), extra,
                     sizeof extra);
    tell(
        explanation, SDSIM_TELL_CALL_SIZE, SDSIM_LOSS_POLL,
        "calls of a quarter go by single-sector commands and are %s: each CMD%d costs %s more than "
        "its sectors do one by one. A limit that runs out, or a retry, in the path of several "
        "sectors (%s): capture one call",
        gain_text(smaller->speed - 1).text, reads ? 18 : 25, extra,
        reads ? "CMD12 and its stuff byte" : "the stop and its busy");
    return true;
}

static void tell_call_size(struct sdsim_explanation *explanation)
{
    const struct sdsim_probe *larger = &explanation->probes[SDSIM_PROBE_LARGER_CALLS];
    const struct sdsim_probe *smaller = &explanation->probes[SDSIM_PROBE_SMALLER_CALLS];
    const enum sdsim_loss loss = largest(explanation, call_losses, COUNT(call_losses));
    if (tell_multiple_path(explanation) || !larger->there) {
        return;
    }
    if (equal(larger->speed)) {
        char why[240];
        why_flat(explanation, why, sizeof why);
        tell(explanation, SDSIM_TELL_CALL_SIZE, loss, "flat in call size (four times: %s%s%s)%s",
             gain_text(larger->speed - 1).text, smaller->there ? ", a quarter: " : "",
             smaller->there ? gain_text(smaller->speed - 1).text : "", why);
    } else if (larger->speed < 1) {
        tell(explanation, SDSIM_TELL_CALL_SIZE, loss,
             "falls with the call size (four times: %s%s%s): longer commands cost more than they "
             "save",
             gain_text(larger->speed - 1).text, smaller->there ? ", a quarter: " : "",
             smaller->there ? gain_text(smaller->speed - 1).text : "");
    } else {
        tell(explanation, SDSIM_TELL_CALL_SIZE, loss,
             "grows with the call size (four times: %s%s%s): each call or command has a cost of "
             "its own",
             gain_text(larger->speed - 1).text, smaller->there ? ", a quarter: " : "",
             smaller->there ? gain_text(smaller->speed - 1).text : "");
    }
}

/* ---- the place ---- */

static void tell_offset(struct sdsim_explanation *explanation)
{
    const struct sdsim_probe *probe = &explanation->probes[SDSIM_PROBE_NEARER];
    const enum sdsim_action action = (enum sdsim_action)explanation->setup.run.workload.action;
    const bool directory =
        action == SDSIM_DO_OPEN || action == SDSIM_DO_CREATE || action == SDSIM_DO_LIST;
    const enum sdsim_loss loss = directory ? SDSIM_LOSS_DIRECTORY : SDSIM_LOSS_FAT;
    if (!probe->there || probe->speed <= 0) {
        return;
    }
    const double share = 1 / probe->speed;
    char text[24];
    sdsim_print_share(share, text, sizeof text);
    if (share < 0.75) {
        tell(explanation, SDSIM_TELL_OFFSET, loss,
             "time grows with the %s (half: %s of the time): a linear walk through the %s",
             directory ? "number of files" : "offset", text, directory ? "directory" : "FAT chain");
    } else {
        tell(explanation, SDSIM_TELL_OFFSET, loss, "time does not grow with the %s (half: %s)",
             directory ? "number of files" : "offset", text);
    }
}

/* ---- single sectors, the producer ---- */

static void tell_alignment(struct sdsim_explanation *explanation)
{
    const struct sdsim_counters *counters = &explanation->outcome.workload.counters;
    const struct sdsim_workload_result *workload = &explanation->outcome.workload;
    const uint64_t singles = counters->commands[17] + counters->commands[24];
    const uint64_t all = sdsim_read_commands(counters) + sdsim_write_commands(counters);
    const uint64_t mean = workload->calls > 0 ? workload->bytes / workload->calls : 0;
    const bool uneven = explanation->setup.run.workload.call % SDSIM_SECTOR != 0;
    if (mean < 1024 || 4 * singles < all || all == 0 || singles == all ||
        (!explanation->replayed && !uneven)) {
        return;
    }
    char share[24];
    sdsim_print_share((double)singles / (double)all, share, sizeof share);
    tell(explanation, SDSIM_TELL_ALIGNMENT, SDSIM_LOSS_SECTORS,
         "%s of the commands move a single sector though a call moves %s: calls begin or end "
         "inside of sectors",
         share, sdsim_size_text(mean).text);
}

static void tell_producer(struct sdsim_explanation *explanation)
{
    const struct sdsim_waterfall_step *idle =
        sdsim_waterfall_step(&explanation->waterfall, SDSIM_LOSS_IDLE);
    if (idle == NULL) {
        return;
    }
    char share[24];
    sdsim_print_share(1 - idle->share, share, sizeof share);
    tell(explanation, SDSIM_TELL_PRODUCER, SDSIM_LOSS_IDLE, "calls take %s of the time: %s%s",
         share,
         idle->share > 0.5 ? "a faster card would only wait longer"
                           : "the card has little time to itself",
         idle->share > 0.5 && explanation->replayed
             ? "; without --think the calls alone are explained"
             : "");
}

void sdsim_explain_tells(struct sdsim_explanation *explanation)
{
    static void (*const tells[])(struct sdsim_explanation *) = {
        tell_clock,  tell_direction, tell_call_size, tell_card,
        tell_offset, tell_alignment, tell_producer,
    };
    explanation->tell_count = 0;
    for (size_t i = 0; i < COUNT(tells); i++) {
        tells[i](explanation);
    }
}
