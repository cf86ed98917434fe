#include "setup/replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "setup/replay_parts.h"

static const char no_memory[] = "out of memory";

/* ---- the recorded clock ---- */

/* Lays the recorded clock against ours by the first call that has a start. */
static void place(struct sdsim_replayer *replayer, sdsim_ps now, sdsim_ps start)
{
    const char *origin = sdsim_trace_header(replayer->trace->info, "origin");
    const bool same = origin != NULL && strcmp(origin, "power-up") == 0 && start >= now;
    replayer->placed = true;
    replayer->forward = !same && now >= start;
    replayer->shift = same ? 0 : now >= start ? now - start : start - now;
}

void sdsim_replay_begin(struct sdsim_replayer *replayer, const struct sdsim_stage *stage)
{
    replayer->stage = stage;
    replayer->before = stage->meter->account;
    replayer->counted = stage->meter->counters;
}

void sdsim_replay_end(struct sdsim_replayer *replayer)
{
    const struct sdsim_meter *meter = replayer->stage->meter;
    struct sdsim_replay_result *result = replayer->result;
    result->account = meter->account;
    sdsim_account_since(&result->account, &replayer->before);
    result->counters = meter->counters;
    sdsim_counters_since(&result->counters, &replayer->counted);
}

void sdsim_replay_wait(struct sdsim_replayer *replayer, sdsim_ps *now,
                       const struct sdsim_recorded *recorded)
{
    if (!recorded->has_start || !replayer->options->think) {
        return;
    }
    if (!replayer->placed) {
        place(replayer, *now, recorded->start);
    }
    const sdsim_ps due = replayer->forward ? sdsim_time_sum(recorded->start, replayer->shift)
                                           : sdsim_time_since(recorded->start, replayer->shift);
    struct sdsim_meter *meter = replayer->stage->meter;
    meter->purpose = SDSIM_FOR_DATA;
    sdsim_spend(meter, now, SDSIM_IDLE, SDSIM_LANE_CPU, sdsim_time_since(due, *now));
}

/* ---- notes ---- */

static struct sdsim_replay_group *group_of(struct sdsim_replay_result *result, unsigned group,
                                           const char *name)
{
    if (result->groups[group] == NULL) {
        result->groups[group] = calloc(1, sizeof *result->groups[group]);
        if (result->groups[group] != NULL) {
            result->groups[group]->name = name;
        }
    }
    return result->groups[group];
}

/* Keeps the sums of the recording; calls that overlap count once. */
static void note_recorded(struct sdsim_replayer *replayer, const struct sdsim_recorded *recorded)
{
    struct sdsim_replay_result *result = replayer->result;
    if (!recorded->has_start || !recorded->has_duration) {
        return;
    }
    const sdsim_ps end = sdsim_time_sum(recorded->start, recorded->duration);
    const sdsim_ps from = recorded->start > replayer->busy_to ? recorded->start : replayer->busy_to;
    if (replayer->timed++ == 0) {
        result->recorded_started = recorded->start;
    }
    result->recorded_in_calls =
        sdsim_time_sum(result->recorded_in_calls, sdsim_time_since(end, from));
    replayer->busy_to = end > replayer->busy_to ? end : replayer->busy_to;
    result->recorded_ended = replayer->busy_to;
}

bool sdsim_replay_note(struct sdsim_replayer *replayer, unsigned group, const char *name,
                       uint64_t bytes, const struct sdsim_recorded *recorded,
                       struct sdsim_replay_row *row, sdsim_ps start, sdsim_ps end)
{
    struct sdsim_replay_result *result = replayer->result;
    struct sdsim_replay_group *sums = group_of(result, group, name);
    if (sums == NULL) {
        return false;
    }
    const sdsim_ps duration = end - start;
    if (result->calls == 0) {
        result->started = start;
    }
    result->calls++;
    result->ended = end;
    result->in_calls += duration;
    result->failed += row->failed;
    sums->failed += row->failed;
    sums->bytes += bytes;
    sdsim_histogram_add(&sums->predicted, duration);
    if (recorded->has_duration) {
        sdsim_histogram_add(&sums->recorded, recorded->duration);
        sums->compared = sdsim_time_sum(sums->compared, duration);
    }
    note_recorded(replayer, recorded);
    if (replayer->listener != NULL) {
        row->number = result->calls;
        row->start = start;
        row->duration = duration;
        row->has_recorded = recorded->has_duration;
        row->recorded_start = recorded->start;
        row->recorded = recorded->duration;
        replayer->listener->row(replayer->listener, row);
    }
    return true;
}

/* ---- the replay ---- */

void sdsim_replay(const struct sdsim_setup *setup, struct sdsim_medium *medium,
                  struct sdsim_trace *trace, const struct sdsim_replay_options *options,
                  struct sdsim_recorder *recorder, struct sdsim_replay_listener *listener,
                  struct sdsim_replay_result *result)
{
    *result = (struct sdsim_replay_result){.failure = SDSIM_FAILURE_NONE};
    struct sdsim_replayer replayer = {
        .setup = setup,
        .trace = trace,
        .options = options,
        .listener = listener,
        .result = result,
    };
    struct sdsim_outcome_report report;
    const bool files = trace->ops != NULL;
    if (!files) { /* nobody looks at what block operations wrote */
        sdsim_medium_forget(medium);
    }
    sdsim_simulate_act(setup, medium, recorder, options->view, files,
                       files ? sdsim_replay_files : sdsim_replay_blocks, &replayer, &report);
    /* Nine in ten: a mount or an open without times is no reason to say nothing of the rest. */
    result->recorded = result->calls > 0 && replayer.timed >= result->calls - result->calls / 10;
    result->init_time = report.init_time;
    result->bus_hz = report.bus_hz;
    result->card_sectors = report.card_sectors;
    result->failure = report.failure;
    if (strstr(report.error, no_memory) != NULL) {
        result->failure = SDSIM_FAILURE_MEMORY;
    }
    snprintf(result->error, sizeof result->error, "%s", report.error);
}

void sdsim_replay_result_free(struct sdsim_replay_result *result)
{
    for (int i = 0; i < SDSIM_REPLAY_GROUPS; i++) {
        free(result->groups[i]);
        result->groups[i] = NULL;
    }
}
