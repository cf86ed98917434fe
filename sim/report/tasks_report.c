#include "report/tasks_report.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/units.h"
#include "report/format.h"
#include "report/table.h"

static const struct sdsim_workload_params *workload_of(const struct sdsim_run_report *report)
{
    return &report->setup->run.workload;
}

static const struct sdsim_workload_result *result_of(const struct sdsim_run_report *report)
{
    return &report->prediction.typical.workload;
}

static bool plays(const struct sdsim_run_report *report)
{
    return workload_of(report)->action == SDSIM_DO_PLAY;
}

static bool mixes(const struct sdsim_run_report *report)
{
    return workload_of(report)->action == SDSIM_DO_RANDOM_MIXED;
}

static bool shares(const struct sdsim_run_report *report)
{
    return workload_of(report)->other_device.bytes > 0;
}

static uint64_t streams_of(const struct sdsim_workload_params *workload)
{
    return workload->parallel > 0 ? workload->parallel : 1;
}

static const char *size_text(uint64_t bytes, char *out, size_t size)
{
    return sdsim_unit_print(SDSIM_UNIT_SIZE, (double)bytes, out, size);
}

static uint64_t enough_bytes(const struct sdsim_run_report *report)
{
    const struct sdsim_workload_params *workload = workload_of(report);
    return result_of(report)->play.enough * workload->call * streams_of(workload);
}

static void print_line(FILE *out, const char *label, const char *text)
{
    char first[32];
    snprintf(first, sizeof first, "  %-11s", label);
    sdsim_print_wrapped(out, first, text);
}

void sdsim_tasks_describe(const struct sdsim_workload_params *workload, const char *api, char *text,
                          size_t size)
{
    char total[32];
    char call[32];
    char rate[32];
    size_text(workload->total, total, sizeof total);
    size_text(workload->call, call, sizeof call);
    const bool raw = workload->target != SDSIM_ON_FILE;
    int used;
    if (workload->action == SDSIM_DO_PLAY) {
        sdsim_unit_print(SDSIM_UNIT_RATE, (double)workload->play.rate, rate, sizeof rate);
        used = snprintf(text, size, "play %s at %s from %" PRIu64 " buffer%s of %s", total, rate,
                        workload->play.buffers, workload->play.buffers == 1 ? "" : "s", call);
    } else {
        char span[32];
        size_text(workload->span, span, sizeof span);
        used = snprintf(text, size, "%s at random in calls of %s within %s, %.4g%% of them reads",
                        total, call, span, (double)workload->reads / 1e7);
    }
    if (workload->parallel > 1) {
        used += snprintf(text + used, size - (size_t)used, " for each of %" PRIu64 " files",
                         workload->parallel);
    }
    used += snprintf(text + used, size - (size_t)used, ", %s%s", raw ? "raw sectors" : "file API ",
                     raw ? "" : api);
    if (workload->action == SDSIM_DO_RANDOM_MIXED && workload->sync_every > 0) {
        snprintf(text + used, size - (size_t)used, ", transactions of %" PRIu64,
                 workload->sync_every);
    }
}

/* ---- the same run without the other device ---- */

void sdsim_tasks_complete(struct sdsim_run_report *report)
{
    if (shares(report)) {
        struct sdsim_setup alone = *report->setup;
        alone.run.workload.other_device = (struct sdsim_sharer_params){.bytes = 0};
        sdsim_simulate(&alone, NULL, &report->alone);
        report->has_alone = report->alone.error[0] == '\0';
    }
}

/* ---- lines ---- */

/* Bytes per second that all reads of a player together brought, and that are played. */
static double read_rate(const struct sdsim_run_report *report)
{
    const struct sdsim_workload_result *result = result_of(report);
    return result->in_calls > 0 ? (double)result->bytes * (double)SDSIM_S / (double)result->in_calls
                                : 0.0;
}

static double play_rate(const struct sdsim_run_report *report)
{
    return (double)(workload_of(report)->play.rate * streams_of(workload_of(report)));
}

static bool keeps_up(const struct sdsim_run_report *report)
{
    return read_rate(report) >= play_rate(report);
}

static void print_play(const struct sdsim_run_report *report, FILE *out)
{
    const struct sdsim_player_result *play = &result_of(report)->play;
    char text[300];
    char a[32];
    char b[32];
    if (play->underruns == 0) {
        int used = snprintf(text, sizeof text, "no underrun in %" PRIu64 " buffers", play->chunks);
        if (play->least_slack != SDSIM_TIME_END) {
            snprintf(text + used, sizeof text - (size_t)used, "; the tightest was %s early",
                     sdsim_print_time(play->least_slack, a, sizeof a));
        }
    } else {
        snprintf(text, sizeof text,
                 "%" PRIu64 " underrun%s in %" PRIu64 " buffers, the first at buffer %" PRIu64
                 "; the worst was %s late, all together %s of silence",
                 play->underruns, play->underruns == 1 ? "" : "s", play->chunks,
                 play->first_underrun + 1, sdsim_print_time(play->worst, a, sizeof a),
                 sdsim_print_time(play->silent, b, sizeof b));
    }
    print_line(out, "playback", text);
    if (play->enough > 0) {
        snprintf(text, sizeof text, "%" PRIu64 " of a file %s enough%s: %s of RAM in all",
                 play->enough, play->enough == 1 ? "is" : "are",
                 keeps_up(report) ? "" : " for this length, no number is for any",
                 size_text(enough_bytes(report), a, sizeof a));
        print_line(out, "buffers", text);
    }
}

static void print_sharer(const struct sdsim_run_report *report, FILE *out)
{
    const struct sdsim_sharer_params *params = &workload_of(report)->other_device;
    const struct sdsim_sharer_result *sharer = &result_of(report)->other_device;
    char text[300];
    char hold[32];
    char every[32];
    char longest[32];
    snprintf(text, sizeof text,
             "takes the bus for %s every %s; %" PRIu64 " turns, of which %" PRIu64
             " waited for the card, up to %s",
             sdsim_print_time(sdsim_sharer_hold(params), hold, sizeof hold),
             sdsim_print_time(params->every, every, sizeof every), sharer->turns,
             sharer->device_waits,
             sdsim_print_time(sharer->device_longest, longest, sizeof longest));
    print_line(out, "device", text);
}

static void print_mixed(const struct sdsim_run_report *report, FILE *out)
{
    const struct sdsim_mixed_result *mixed = &result_of(report)->mixed;
    const struct {
        const char *label;
        uint64_t count;
        sdsim_ps time;
        sdsim_ps longest;
    } rows[] = {{"reads", mixed->reads, mixed->in_reads, mixed->longest_read},
                {"writes", mixed->writes, mixed->in_writes, mixed->longest_write}};
    for (size_t i = 0; i < 2; i++) {
        char text[120];
        char mean[32];
        char longest[32];
        if (rows[i].count > 0) {
            sdsim_print_time(rows[i].time / rows[i].count, mean, sizeof mean);
            sdsim_print_time(rows[i].longest, longest, sizeof longest);
            snprintf(text, sizeof text, "%" PRIu64 ", mean %s, longest %s", rows[i].count, mean,
                     longest);
            print_line(out, rows[i].label, text);
        }
    }
}

void sdsim_tasks_print(const struct sdsim_run_report *report, FILE *out)
{
    if (plays(report)) {
        print_play(report, out);
    }
    if (shares(report)) {
        print_sharer(report, out);
    }
    if (mixes(report)) {
        print_mixed(report, out);
    }
}

/* ---- JSON ---- */

static void json_play(const struct sdsim_run_report *report, struct sdsim_json *json)
{
    const struct sdsim_player_result *play = &result_of(report)->play;
    sdsim_json_object(json, "playback");
    sdsim_json_count(json, "chunks", play->chunks);
    sdsim_json_count(json, "underruns", play->underruns);
    if (play->underruns > 0) {
        sdsim_json_count(json, "first_underrun", play->first_underrun);
    } else {
        sdsim_json_text(json, "first_underrun", NULL);
    }
    sdsim_json_seconds(json, "worst", play->worst);
    sdsim_json_seconds(json, "silent", play->silent);
    if (play->least_slack != SDSIM_TIME_END) {
        sdsim_json_seconds(json, "least_slack", play->least_slack);
    } else {
        sdsim_json_text(json, "least_slack", NULL);
    }
    sdsim_json_seconds(json, "filled", play->filled);
    sdsim_json_count(json, "buffers", workload_of(report)->play.buffers);
    if (play->enough > 0) {
        sdsim_json_count(json, "enough", play->enough);
        sdsim_json_count(json, "enough_bytes", enough_bytes(report));
    } else {
        sdsim_json_text(json, "enough", NULL);
        sdsim_json_text(json, "enough_bytes", NULL);
    }
    sdsim_json_end(json);
}

static void json_sharer(const struct sdsim_run_report *report, struct sdsim_json *json)
{
    const struct sdsim_sharer_result *sharer = &result_of(report)->other_device;
    sdsim_json_object(json, "other_device");
    sdsim_json_count(json, "turns", sharer->turns);
    sdsim_json_seconds(json, "hold", sdsim_sharer_hold(&workload_of(report)->other_device));
    sdsim_json_count(json, "card_waits", sharer->card_waits);
    sdsim_json_seconds(json, "card_waited", sharer->card_waited);
    sdsim_json_seconds(json, "card_longest", sharer->card_longest);
    sdsim_json_count(json, "device_waits", sharer->device_waits);
    sdsim_json_seconds(json, "device_waited", sharer->device_waited);
    sdsim_json_seconds(json, "device_longest", sharer->device_longest);
    sdsim_json_count(json, "missed", sharer->missed);
    if (report->has_alone) {
        sdsim_json_number(json, "alone", report->alone.value);
    } else {
        sdsim_json_text(json, "alone", NULL);
    }
    sdsim_json_end(json);
}

static void json_mixed(const struct sdsim_run_report *report, struct sdsim_json *json)
{
    const struct sdsim_mixed_result *mixed = &result_of(report)->mixed;
    sdsim_json_object(json, "mixed");
    sdsim_json_count(json, "reads", mixed->reads);
    sdsim_json_count(json, "writes", mixed->writes);
    sdsim_json_seconds(json, "in_reads", mixed->in_reads);
    sdsim_json_seconds(json, "in_writes", mixed->in_writes);
    sdsim_json_seconds(json, "longest_read", mixed->longest_read);
    sdsim_json_seconds(json, "longest_write", mixed->longest_write);
    sdsim_json_end(json);
}

void sdsim_tasks_json(const struct sdsim_run_report *report, struct sdsim_json *json)
{
    if (plays(report)) {
        json_play(report, json);
    }
    if (shares(report)) {
        json_sharer(report, json);
    }
    if (mixes(report)) {
        json_mixed(report, json);
    }
}

/* ---- readings ---- */

/* Whether all reads together take longer than what they bring plays. */
static void say_play(const struct sdsim_run_report *report, struct sdsim_readings *readings)
{
    const struct sdsim_workload_result *result = result_of(report);
    char a[32];
    char b[32];
    sdsim_unit_print(SDSIM_UNIT_RATE, play_rate(report), a, sizeof a);
    sdsim_unit_print(SDSIM_UNIT_RATE, read_rate(report), b, sizeof b);
    if (!keeps_up(report)) {
        sdsim_reading_add(
            readings,
            "reads of this size bring %s, %s are played: no buffer is large enough for long, only "
            "faster reads help",
            b, a);
        return;
    }
    const char *verdict = result->play.underruns > 0
                              ? "the card is fast enough on average, and it is single long reads "
                                "that come too late: more buffers help"
                              : "what is left over is the reserve for longer pauses of the card";
    sdsim_reading_add(readings, "reads of this size bring %s, %s are played: %s", b, a, verdict);
}

static void say_sharer(const struct sdsim_run_report *report, struct sdsim_readings *readings)
{
    const struct sdsim_workload_result *result = result_of(report);
    const struct sdsim_sharer_result *sharer = &result->other_device;
    const sdsim_ps waited = sdsim_account_kind(&result->account, SDSIM_OUTSIDE);
    char share[24];
    char longest[32];
    char value[48];
    if (result->elapsed == 0) {
        return;
    }
    sdsim_print_share((double)waited / (double)result->elapsed, share, sizeof share);
    sdsim_print_time(sharer->card_longest, longest, sizeof longest);
    if (report->has_alone) {
        sdsim_print_value(report->alone.metric, report->alone.value, value, sizeof value);
        sdsim_reading_add(
            readings,
            "another device has the bus: %" PRIu64
            " calls to the card waited for it, up to %s each, %s of the time; without it %s",
            sharer->card_waits, longest, share, value);
    } else {
        sdsim_reading_add(readings,
                          "another device has the bus: %" PRIu64
                          " calls to the card waited for it, up to %s each, %s of the time",
                          sharer->card_waits, longest, share);
    }
    if (sharer->missed > 0) {
        sdsim_print_time(sharer->device_longest, longest, sizeof longest);
        sdsim_reading_add(readings,
                          "the device itself is late: it waited up to %s for the card, and %" PRIu64
                          " of its %" PRIu64
                          " turns came after the next was due; shorter calls to the card, or a "
                          "bus of its own, help it",
                          longest, sharer->missed, sharer->turns);
    }
}

/* Opening by path reads the directory from its start each time. */
static void say_walk(const struct sdsim_run_report *report, struct sdsim_readings *readings)
{
    const struct sdsim_workload_result *result = result_of(report);
    const uint64_t files = workload_of(report)->files;
    if (workload_of(report)->action != SDSIM_DO_OPEN_EACH || files < 8 || result->calls == 0) {
        return;
    }
    char each[24];
    sdsim_print_ratio(result->counters.blocks_read, result->calls, each, sizeof each);
    sdsim_reading_add(
        readings,
        "a quadratic directory scan: each of %" PRIu64 " files is looked up by its path, and each "
        "look-up reads the directory from its start, %s sectors on average; going through it once "
        "(readdir, open by index) reads each sector once",
        files, each);
}

/* A search for a free cluster that goes through the whole FAT. */
static void say_search(const struct sdsim_run_report *report, struct sdsim_readings *readings)
{
    const struct sdsim_workload_result *result = result_of(report);
    const enum sdsim_action action = (enum sdsim_action)workload_of(report)->action;
    const sdsim_ps fat = sdsim_account_purpose(&result->account, SDSIM_FOR_FAT);
    char time[32];
    char share[24];
    if (workload_of(report)->target != SDSIM_ON_FILE || result->elapsed == 0 ||
        fat < result->elapsed / 2 || result->calls == 0 ||
        result->counters.blocks_read < 200 * result->calls) {
        return;
    }
    sdsim_print_time(fat, time, sizeof time);
    sdsim_print_share((double)fat / (double)result->elapsed, share, sizeof share);
    sdsim_reading_add(
        readings,
        "%s: the FAT is read sector by sector for %s, %s of the time, %" PRIu64
        " sectors in all. The card is neither erased nor slow; larger clusters, a library that "
        "trusts FSINFO, or exFAT with its bitmap make it short",
        action == SDSIM_DO_FREE_SPACE ? "free clusters are counted"
                                      : "a free cluster is searched for from the start of the FAT",
        time, share, result->counters.blocks_read);
}

void sdsim_tasks_readings(const struct sdsim_run_report *report, struct sdsim_readings *readings)
{
    if (plays(report)) {
        say_play(report, readings);
    }
    if (shares(report)) {
        say_sharer(report, readings);
    }
    say_walk(report, readings);
    say_search(report, readings);
}
