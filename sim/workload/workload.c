#include "workload/workload.h"

#include <stdio.h>
#include <string.h>

static const char data_path[] = "/DATA.BIN";
static const char log_path[] = "/LOG.TXT";
static const uint64_t content_seed = 0x5d5d;

struct run {
    const struct sdsim_workload_params *params;
    const struct sdsim_stream_params *file;
    struct sdsim_driver *driver;
    struct sdsim_volume *volume;
    struct sdsim_meter *meter;
    struct sdsim_stream stream;
    struct sdsim_workload_result *result;
};

enum sdsim_fat_result sdsim_workload_prepare(const struct sdsim_workload_params *params,
                                             struct sdsim_volume *volume)
{
    struct sdsim_file file;
    sdsim_ps no_time = 0;
    enum sdsim_fat_result result =
        sdsim_file_open(&file, volume, &no_time, data_path, SDSIM_OPEN_WRITE);
    if (result != SDSIM_FAT_OK) {
        return result;
    }
    const struct sdsim_content content = {.kind = SDSIM_CONTENT_GENERATED, .seed = content_seed};
    uint64_t done;
    result = sdsim_file_write(&file, &no_time, &content, params->total, &done);
    if (result == SDSIM_FAT_OK && done < params->total) {
        result = SDSIM_FAT_DENIED;
    }
    const enum sdsim_fat_result closed = sdsim_file_close(&file, &no_time);
    return result != SDSIM_FAT_OK ? result : closed;
}

/* ---- one call ---- */

static const char *raw_call(struct run *run, sdsim_ps *now, uint64_t index)
{
    const struct sdsim_workload_params *params = run->params;
    const uint32_t count = (uint32_t)(params->call / SDSIM_SECTOR);
    const uint64_t lba = (params->start + index * params->call) / SDSIM_SECTOR;
    enum sdsim_driver_error error;
    if (lba > UINT32_MAX - count) {
        return "the workload runs beyond the end of the card";
    }
    if (params->action == SDSIM_DO_READ) {
        error = sdsim_driver_read(run->driver, now, (uint32_t)lba, count, SDSIM_FOR_DATA, NULL);
    } else {
        const struct sdsim_content content = {
            .kind = SDSIM_CONTENT_GENERATED, .seed = content_seed, .offset = index * params->call};
        error =
            sdsim_driver_write(run->driver, now, (uint32_t)lba, count, SDSIM_FOR_DATA, &content);
    }
    switch (error) {
    case SDSIM_DRIVER_OK:
        return NULL;
    case SDSIM_DRIVER_OUT_OF_RANGE:
        return "the workload runs beyond the end of the card";
    default:
        return "the driver gave up";
    }
}

static const char *file_call(struct run *run, sdsim_ps *now, uint64_t index)
{
    const struct sdsim_workload_params *params = run->params;
    uint64_t done;
    enum sdsim_fat_result result;
    if (params->action == SDSIM_DO_READ) {
        result = sdsim_stream_read(&run->stream, now, params->call, NULL, &done);
    } else {
        const struct sdsim_content content = {
            .kind = SDSIM_CONTENT_GENERATED, .seed = content_seed, .offset = index * params->call};
        result = sdsim_stream_write(&run->stream, now, &content, params->call, &done);
    }
    if (result != SDSIM_FAT_OK) {
        return sdsim_fat_result_text(result);
    }
    run->result->bytes += done;
    if (done < params->call && params->action == SDSIM_DO_WRITE) {
        return "the volume is full";
    }
    return NULL;
}

static const char *log_call(struct run *run, sdsim_ps *now, uint64_t index)
{
    char line[64];
    const uint64_t us = (*now - run->result->started) / SDSIM_US;
    snprintf(line, sizeof line, "Line %llu, %llu.%06llus elapsed", (unsigned long long)index,
             (unsigned long long)(us / 1000000), (unsigned long long)(us % 1000000));
    const enum sdsim_fat_result result = sdsim_stream_print(&run->stream, now, line);
    if (result != SDSIM_FAT_OK) {
        return result == SDSIM_FAT_DENIED ? "the volume is full" : sdsim_fat_result_text(result);
    }
    run->result->bytes += strlen(line) + 1;
    return NULL;
}

static const char *sync_call(struct run *run, sdsim_ps *now)
{
    if (run->params->target == SDSIM_ON_RAW) {
        return sdsim_driver_sync(run->driver, now) == SDSIM_DRIVER_OK ? NULL : "the driver gave up";
    }
    const enum sdsim_fat_result result = sdsim_stream_sync(&run->stream, now);
    return result == SDSIM_FAT_OK ? NULL : sdsim_fat_result_text(result);
}

static const char *one_call(struct run *run, sdsim_ps *now, uint64_t index)
{
    const struct sdsim_workload_params *params = run->params;
    const char *error;
    if (params->target == SDSIM_ON_RAW) {
        error = raw_call(run, now, index);
        run->result->bytes += error == NULL ? params->call : 0;
    } else if (params->action == SDSIM_DO_LOG) {
        error = log_call(run, now, index);
    } else {
        error = file_call(run, now, index);
    }
    if (error == NULL && params->sync_every > 0 && (index + 1) % params->sync_every == 0) {
        error = sync_call(run, now);
    }
    return error;
}

/* ---- the whole ---- */

static uint64_t call_count(const struct sdsim_workload_params *params)
{
    if (params->action == SDSIM_DO_LOG) {
        return params->lines;
    }
    return params->total / params->call + (params->total % params->call != 0 ? 1 : 0);
}

static const char *all_calls(struct run *run, sdsim_ps *now)
{
    struct sdsim_workload_result *result = run->result;
    const uint64_t calls = call_count(run->params);
    result->shortest_call = SDSIM_TIME_END;
    for (uint64_t i = 0; i < calls; i++) {
        const sdsim_ps began = *now;
        const char *error = one_call(run, now, i);
        if (error != NULL) {
            return error;
        }
        const sdsim_ps took = *now - began;
        if (took > result->longest_call) {
            result->longest_call = took;
            result->longest_call_index = i;
        }
        if (took < result->shortest_call) {
            result->shortest_call = took;
        }
        result->calls++;
        if (*now > SDSIM_RUN_LIMIT) {
            return "the run takes more than 200 days of virtual time";
        }
    }
    return NULL;
}

static enum sdsim_open_mode open_mode(enum sdsim_action action)
{
    return action == SDSIM_DO_READ ? SDSIM_OPEN_READ : SDSIM_OPEN_WRITE;
}

/* The meter at the start of the timed part, to be taken off at its end. */
struct mark {
    struct sdsim_account account;
    struct sdsim_counters counters;
};

static struct mark set_mark(struct sdsim_meter *meter)
{
    const struct mark mark = {.account = meter->account, .counters = meter->counters};
    meter->counters.longest_wait = 0;
    meter->counters.longest_wait_at = 0;
    return mark;
}

static void since_mark(const struct mark *mark, const struct sdsim_meter *meter,
                       struct sdsim_workload_result *result)
{
    for (int p = 0; p < SDSIM_PURPOSE_COUNT; p++) {
        for (int k = 0; k < SDSIM_KIND_COUNT; k++) {
            result->account.ps[p][k] = meter->account.ps[p][k] - mark->account.ps[p][k];
        }
    }
    result->counters = meter->counters;
    for (int i = 0; i < 64; i++) {
        result->counters.commands[i] -= mark->counters.commands[i];
        result->counters.app_commands[i] -= mark->counters.app_commands[i];
    }
    result->counters.blocks_read -= mark->counters.blocks_read;
    result->counters.blocks_written -= mark->counters.blocks_written;
    result->counters.bus_clocks -= mark->counters.bus_clocks;
}

void sdsim_workload_run(const struct sdsim_workload_params *params,
                        const struct sdsim_stream_params *file, struct sdsim_driver *driver,
                        struct sdsim_volume *volume, struct sdsim_meter *meter, sdsim_ps *now,
                        struct sdsim_workload_result *result)
{
    *result = (struct sdsim_workload_result){.error = NULL};
    struct run run = {.params = params,
                      .file = file,
                      .driver = driver,
                      .volume = volume,
                      .meter = meter,
                      .result = result};
    const bool on_file = params->target == SDSIM_ON_FILE;
    const bool all = params->timed == SDSIM_TIMED_ALL;
    struct mark mark = set_mark(meter);
    result->started = *now;
    if (on_file) {
        const char *path = params->action == SDSIM_DO_LOG ? log_path : data_path;
        const enum sdsim_fat_result opened =
            sdsim_stream_open(&run.stream, volume, file, meter, now, path,
                              open_mode((enum sdsim_action)params->action));
        if (opened != SDSIM_FAT_OK) {
            result->error = sdsim_fat_result_text(opened);
            return;
        }
        if (!all) {
            mark = set_mark(meter);
            result->started = *now;
        }
    }
    result->error = all_calls(&run, now);
    if (!all) {
        result->elapsed = *now - result->started;
        since_mark(&mark, meter, result);
    }
    if (on_file) {
        const enum sdsim_fat_result closed = sdsim_stream_close(&run.stream, now);
        if (closed != SDSIM_FAT_OK && result->error == NULL) {
            result->error = sdsim_fat_result_text(closed);
        }
    } else if (result->error == NULL) {
        result->error = sync_call(&run, now);
    }
    if (all) {
        result->elapsed = *now - result->started;
        since_mark(&mark, meter, result);
    }
}
