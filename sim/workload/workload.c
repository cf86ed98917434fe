#include "workload/workload.h"

#include <stdio.h>
#include <string.h>

#include "workload/calls.h"
#include "workload/several.h"

static const char log_path[] = "/LOG.TXT";

char *sdsim_workload_member(uint64_t index, uint64_t length, char *out)
{
    enum { SHORT = 12 };
    const int used = snprintf(out, SDSIM_MEMBER_SIZE, SDSIM_WORKLOAD_DIRECTORY "/F%07u",
                              (unsigned)(index % 10000000));
    /* A short name has eight characters and three, a longer one is filled up between. */
    const size_t more = length > SHORT ? (size_t)(length - SHORT) : 0;
    memset(out + used, 'x', more);
    memcpy(out + (size_t)used + more, ".DAT", sizeof ".DAT");
    return out;
}

bool sdsim_workload_is_latency(enum sdsim_action action)
{
    return action >= SDSIM_DO_APPEND;
}

bool sdsim_workload_is_random(enum sdsim_action action)
{
    return action == SDSIM_DO_RANDOM_WRITE || action == SDSIM_DO_RANDOM_READ ||
           action == SDSIM_DO_RANDOM_MIXED;
}

bool sdsim_workload_reads(enum sdsim_action action)
{
    return action == SDSIM_DO_READ || action == SDSIM_DO_RANDOM_READ || action == SDSIM_DO_PLAY;
}

bool sdsim_workload_moves_data(enum sdsim_action action)
{
    return action == SDSIM_DO_WRITE || action == SDSIM_DO_STREAM || sdsim_workload_reads(action) ||
           sdsim_workload_is_random(action);
}

bool sdsim_workload_in_regions(const struct sdsim_workload_params *params)
{
    return params->target != SDSIM_ON_FILE &&
           (params->streams > 1 || params->order == SDSIM_ORDER_RANDOM);
}

const char *sdsim_workload_failed(struct sdsim_workload_task *task, enum sdsim_fat_result result)
{
    if (result == SDSIM_FAT_OK) {
        return NULL;
    }
    if (task->result->failed == SDSIM_FAT_OK) {
        task->result->failed = result;
    }
    return result == SDSIM_FAT_DENIED ? "the volume is full" : sdsim_fat_result_text(result);
}

const char *sdsim_workload_cut_short(struct sdsim_workload_task *task)
{
    const struct sdsim_file *file = &task->stream.file;
    return file->position >= sdsim_file_size_max(task->volume)
               ? "the file is as large as a file on FAT may be, 4 GiB less one byte"
               : sdsim_workload_failed(task, SDSIM_FAT_DENIED);
}

void sdsim_workload_note(const struct sdsim_workload_task *task, enum sdsim_call call,
                         sdsim_ps start, sdsim_ps end, const char *path)
{
    const struct sdsim_detail detail = {
        .kind = path != NULL ? SDSIM_DETAIL_CALL : SDSIM_DETAIL_NONE, .name = path};
    sdsim_record_call(task->meter, SDSIM_LANE_TASK, call, SDSIM_FOR_DATA, start, end, &detail);
}

/* ---- calls that move data ---- */

static struct sdsim_content content_at(uint64_t offset)
{
    return (struct sdsim_content){
        .kind = SDSIM_CONTENT_GENERATED, .seed = SDSIM_WORKLOAD_SEED, .offset = offset};
}

const char *sdsim_workload_raw_access(struct sdsim_workload_task *task, sdsim_ps *now,
                                      uint64_t index, bool reads)
{
    const struct sdsim_workload_params *params = task->params;
    const uint32_t count = (uint32_t)(params->call / SDSIM_SECTOR);
    const uint64_t lba = sdsim_position(&task->positions, index) / SDSIM_SECTOR;
    const sdsim_ps start = *now;
    const struct sdsim_detail detail = {.kind = SDSIM_DETAIL_SECTORS, .place = lba, .size = count};
    enum sdsim_driver_error error;
    if (lba > UINT32_MAX - count) {
        return "the workload runs beyond the end of the card";
    }
    if (reads) {
        error = sdsim_driver_read(task->driver, now, (uint32_t)lba, count, SDSIM_FOR_DATA, NULL);
    } else {
        const struct sdsim_content content = content_at(index * params->call);
        error =
            sdsim_driver_write(task->driver, now, (uint32_t)lba, count, SDSIM_FOR_DATA, &content);
    }
    sdsim_record_call(task->meter, SDSIM_LANE_TASK, reads ? SDSIM_CALL_READ : SDSIM_CALL_WRITE,
                      SDSIM_FOR_DATA, start, *now, &detail);
    switch (error) {
    case SDSIM_DRIVER_OK:
        task->result->bytes += params->call;
        return NULL;
    case SDSIM_DRIVER_OUT_OF_RANGE:
        return "the workload runs beyond the end of the card";
    default:
        return "the driver gave up";
    }
}

const char *sdsim_workload_raw(struct sdsim_workload_task *task, sdsim_ps *now, uint64_t index)
{
    return sdsim_workload_raw_access(task, now, index,
                                     sdsim_workload_reads((enum sdsim_action)task->params->action));
}

static const char *read_call(struct sdsim_workload_task *task, sdsim_ps *now, uint64_t index)
{
    (void)index;
    uint64_t done;
    const enum sdsim_fat_result result =
        sdsim_stream_read(&task->stream, now, task->params->call, NULL, &done);
    task->result->bytes += done;
    return sdsim_workload_failed(task, result);
}

/* Allocates the room a file that is written will need. */
static const char *preallocate(struct sdsim_workload_task *task, sdsim_ps *now)
{
    const struct sdsim_workload_params *params = task->params;
    const uint64_t rotated = params->rotate_every;
    const uint64_t bytes = rotated > 0 && rotated < params->total ? rotated : params->total;
    if (!params->preallocate) {
        return NULL;
    }
    if (bytes > sdsim_file_size_max(task->volume)) {
        return "a file on FAT may not be as large as what is to be preallocated";
    }
    const sdsim_ps start = *now;
    const enum sdsim_fat_result result = sdsim_file_expand(&task->stream.file, now, bytes);
    const struct sdsim_detail detail = {
        .kind = SDSIM_DETAIL_CALL, .place = bytes, .name = task->stream.name};
    sdsim_record_call(task->meter, SDSIM_LANE_TASK, SDSIM_CALL_OTHER, SDSIM_FOR_DATA, start, *now,
                      &detail);
    const char *error = sdsim_workload_failed(task, result);
    return result == SDSIM_FAT_DENIED
               ? "no run of free clusters is as long as what is to be preallocated"
               : error;
}

/* Closes the file at work, if one is, and opens the one with number `number`. Names stay short names. */
static const char *next_file(struct sdsim_workload_task *task, sdsim_ps *now, uint64_t number)
{
    enum sdsim_fat_result result =
        task->open ? sdsim_stream_close(&task->stream, now) : SDSIM_FAT_OK;
    task->open = false;
    if (result == SDSIM_FAT_OK) {
        char path[24];
        snprintf(path, sizeof path, number < 10000 ? "/DATA%04u.BIN" : "/D%07u.BIN",
                 (unsigned)(number % 10000000));
        result = sdsim_stream_open(&task->stream, task->volume, task->file, task->meter, now, path,
                                   SDSIM_OPEN_WRITE);
        task->open = result == SDSIM_FAT_OK;
    }
    const char *error = sdsim_workload_failed(task, result);
    return error != NULL ? error : preallocate(task, now);
}

const char *sdsim_workload_write(struct sdsim_workload_task *task, sdsim_ps *now, uint64_t offset,
                                 uint64_t bytes)
{
    const struct sdsim_workload_params *params = task->params;
    if (params->rotate_every > 0 && offset / params->rotate_every != task->file_number) {
        task->file_number = offset / params->rotate_every;
        const char *error = next_file(task, now, task->file_number);
        if (error != NULL) {
            return error;
        }
    }
    const struct sdsim_content content = content_at(offset);
    uint64_t done;
    const enum sdsim_fat_result result =
        sdsim_stream_write(&task->stream, now, &content, bytes, &done);
    task->result->bytes += done;
    if (result == SDSIM_FAT_OK && done < bytes) {
        return sdsim_workload_cut_short(task);
    }
    return sdsim_workload_failed(task, result);
}

static const char *write_call(struct sdsim_workload_task *task, sdsim_ps *now, uint64_t index)
{
    return sdsim_workload_write(task, now, index * task->params->call, task->params->call);
}

const char *sdsim_workload_file_access(struct sdsim_workload_task *task, sdsim_ps *now,
                                       uint64_t index, bool reads)
{
    const enum sdsim_fat_result result =
        sdsim_stream_seek(&task->stream, now, sdsim_position(&task->positions, index));
    if (result != SDSIM_FAT_OK) {
        return sdsim_workload_failed(task, result);
    }
    return reads ? read_call(task, now, index) : write_call(task, now, index);
}

static const char *random_write_call(struct sdsim_workload_task *task, sdsim_ps *now,
                                     uint64_t index)
{
    return sdsim_workload_file_access(task, now, index, false);
}

static const char *random_read_call(struct sdsim_workload_task *task, sdsim_ps *now, uint64_t index)
{
    return sdsim_workload_file_access(task, now, index, true);
}

static const char *log_call(struct sdsim_workload_task *task, sdsim_ps *now, uint64_t index)
{
    char line[64];
    const uint64_t us = (*now - task->result->started) / SDSIM_US;
    snprintf(line, sizeof line, "Line %llu, %llu.%06llus elapsed", (unsigned long long)index,
             (unsigned long long)(us / 1000000), (unsigned long long)(us % 1000000));
    const enum sdsim_fat_result result = sdsim_stream_print(&task->stream, now, line);
    if (result == SDSIM_FAT_OK) {
        task->result->bytes += strlen(line) + 1;
    }
    return sdsim_workload_failed(task, result);
}

/* ---- the table of actions ---- */

struct action {
    const char *(*call)(struct sdsim_workload_task *task, sdsim_ps *now, uint64_t index);
    const char *path;          /* of the file that is open during the calls; NULL: none */
    enum sdsim_open_mode mode; /* how */
};

static const struct action actions[] = {
    [SDSIM_DO_WRITE] = {write_call, SDSIM_WORKLOAD_FILE, SDSIM_OPEN_WRITE},
    [SDSIM_DO_READ] = {read_call, SDSIM_WORKLOAD_FILE, SDSIM_OPEN_READ},
    [SDSIM_DO_RANDOM_WRITE] = {random_write_call, SDSIM_WORKLOAD_FILE, SDSIM_OPEN_UPDATE},
    [SDSIM_DO_RANDOM_READ] = {random_read_call, SDSIM_WORKLOAD_FILE, SDSIM_OPEN_READ},
    [SDSIM_DO_RANDOM_MIXED] = {sdsim_workload_mixed, SDSIM_WORKLOAD_FILE, SDSIM_OPEN_UPDATE},
    [SDSIM_DO_LOG] = {log_call, log_path, SDSIM_OPEN_WRITE},
    [SDSIM_DO_STREAM] = {write_call, SDSIM_WORKLOAD_FILE, SDSIM_OPEN_WRITE},
    [SDSIM_DO_PLAY] = {read_call, SDSIM_WORKLOAD_FILE, SDSIM_OPEN_READ},
    [SDSIM_DO_APPEND] = {sdsim_workload_append, NULL, SDSIM_OPEN_READ},
    [SDSIM_DO_SEEK] = {sdsim_workload_seek, SDSIM_WORKLOAD_FILE, SDSIM_OPEN_READ},
    [SDSIM_DO_OPEN] = {sdsim_workload_open, NULL, SDSIM_OPEN_READ},
    [SDSIM_DO_OPEN_EACH] = {sdsim_workload_open_each, NULL, SDSIM_OPEN_READ},
    [SDSIM_DO_CREATE] = {sdsim_workload_create, NULL, SDSIM_OPEN_READ},
    [SDSIM_DO_LIST] = {sdsim_workload_list, NULL, SDSIM_OPEN_READ},
    [SDSIM_DO_MOUNT] = {sdsim_workload_mount, NULL, SDSIM_OPEN_READ},
    [SDSIM_DO_FREE_SPACE] = {sdsim_workload_free_space, NULL, SDSIM_OPEN_READ},
};

static uint64_t call_count(const struct sdsim_workload_params *params)
{
    switch ((enum sdsim_action)params->action) {
    case SDSIM_DO_LOG:
        return params->lines;
    case SDSIM_DO_WRITE:
    case SDSIM_DO_READ:
    case SDSIM_DO_RANDOM_WRITE:
    case SDSIM_DO_RANDOM_READ:
    case SDSIM_DO_RANDOM_MIXED:
    case SDSIM_DO_PLAY:
        return params->total / params->call + (params->total % params->call != 0 ? 1 : 0);
    case SDSIM_DO_OPEN_EACH:
        return params->files;
    case SDSIM_DO_FREE_SPACE:
        return 1; /* asked again it is known and costs nothing */
    default:
        return params->times;
    }
}

const char *sdsim_workload_sync(struct sdsim_workload_task *task, sdsim_ps *now)
{
    enum sdsim_driver_error error;
    switch ((enum sdsim_target)task->params->target) {
    case SDSIM_ON_RAW:
        error = sdsim_driver_sync(task->driver, now);
        return error == SDSIM_DRIVER_OK ? NULL : "the driver gave up";
    case SDSIM_ON_USB:
        error = sdsim_usb_drain(&task->usb, now);
        return error == SDSIM_DRIVER_OK ? NULL : "the driver gave up";
    case SDSIM_ON_FILE:
    default:
        break;
    }
    if (task->stream_count > 0) {
        return sdsim_several_sync(task, now);
    }
    return task->open ? sdsim_workload_failed(task, sdsim_stream_sync(&task->stream, now)) : NULL;
}

/* The call itself, whatever it goes to. */
static const char *act(struct sdsim_workload_task *task, sdsim_ps *now, uint64_t index)
{
    const struct sdsim_workload_params *params = task->params;
    switch ((enum sdsim_target)params->target) {
    case SDSIM_ON_RAW:
        return params->action == SDSIM_DO_RANDOM_MIXED ? sdsim_workload_mixed(task, now, index)
                                                       : sdsim_workload_raw(task, now, index);
    case SDSIM_ON_USB:
        return params->action == SDSIM_DO_MOUNT ? sdsim_workload_usb_mount(task, now, index)
                                                : sdsim_workload_usb(task, now, index);
    case SDSIM_ON_FILE:
    default:
        return sdsim_workload_is_several(params) ? sdsim_several_call(task, now, index)
                                                 : actions[params->action].call(task, now, index);
    }
}

const char *sdsim_workload_one_call(struct sdsim_workload_task *task, sdsim_ps *now, uint64_t index)
{
    const struct sdsim_workload_params *params = task->params;
    const char *error = act(task, now, index);
    if (error == NULL && params->sync_every > 0 && (index + 1) % params->sync_every == 0) {
        error = sdsim_workload_sync(task, now);
    }
    return error;
}

/* Whether a call counts for the longest and the shortest. */
static bool counts(const struct sdsim_workload_params *params, uint64_t index)
{
    /* SdFat's bench waits for the first write that reaches the card. */
    const bool writes = params->action == SDSIM_DO_WRITE || params->action == SDSIM_DO_STREAM;
    return params->first_call == SDSIM_FIRST_CALL_INCLUDED ||
           (index > 0 &&
            (!writes || params->call >= SDSIM_SECTOR || params->timed == SDSIM_TIMED_PASSES ||
             index * params->call >= SDSIM_SECTOR));
}

void sdsim_workload_count(struct sdsim_workload_task *task, sdsim_ps began, sdsim_ps ended,
                          uint64_t index)
{
    struct sdsim_workload_result *result = task->result;
    struct sdsim_recorder *recorder = task->meter->recorder;
    const sdsim_ps took = ended - began;
    if (recorder != NULL && recorder->call != NULL) {
        recorder->call(recorder, index, began, ended);
    }
    const bool first = index == 0 || task->counted == 0; /* one that doesn't count stands in */
    const bool counted = counts(task->params, index);
    result->calls++;
    result->in_calls += took;
    task->counted += counted ? 1 : 0;
    if (!counted && index > 0) {
        return;
    }
    if (first || took > result->longest_call) {
        result->longest_call = took;
        result->longest_call_index = index;
    }
    if (first || took < result->shortest_call) {
        result->shortest_call = took;
    }
}

/* All calls, and the sync at the end if there is one. */
static const char *all_calls(struct sdsim_workload_task *task, sdsim_ps *now)
{
    const bool passes = task->params->timed == SDSIM_TIMED_PASSES;
    if (task->params->action == SDSIM_DO_STREAM) {
        const char *error = sdsim_workload_stream(task, now);
        return error == NULL && task->params->final_sync ? sdsim_workload_sync(task, now) : error;
    }
    const uint64_t calls = call_count(task->params);
    if (task->params->action == SDSIM_DO_PLAY) {
        return sdsim_workload_play(task, now, calls);
    }
    for (uint64_t i = 0; i < calls; i++) {
        const sdsim_ps began = *now;
        const char *error = sdsim_workload_one_call(task, now, i);
        if (error != NULL) {
            return error;
        }
        if (!passes) {
            sdsim_workload_count(task, began, *now, i);
        }
        if (*now > SDSIM_RUN_LIMIT) {
            return "the run takes more than 200 days of virtual time";
        }
    }
    return task->params->final_sync ? sdsim_workload_sync(task, now) : NULL;
}

/* ---- the timed part ---- */

/* The meters at the start of the timed part, to be taken off at its end. */
struct mark {
    struct sdsim_account account;
    struct sdsim_counters counters;
};

/* The counters of the task, and of its writer task if there is one. */
static struct sdsim_counters counters_of(const struct sdsim_workload_task *task)
{
    struct sdsim_counters sum = task->meter->counters;
    if (task->card_meter != task->meter) {
        const struct sdsim_counters *more = &task->card_meter->counters;
        for (int i = 0; i < 64; i++) {
            sum.commands[i] += more->commands[i];
            sum.app_commands[i] += more->app_commands[i];
        }
        sum.blocks_read += more->blocks_read;
        sum.blocks_written += more->blocks_written;
        sum.bus_clocks += more->bus_clocks;
        if (more->longest_wait > sum.longest_wait) {
            sum.longest_wait = more->longest_wait;
            sum.longest_wait_at = more->longest_wait_at;
        }
    }
    return sum;
}

static struct mark set_mark(struct sdsim_workload_task *task)
{
    const struct mark mark = {.account = task->meter->account, .counters = counters_of(task)};
    struct sdsim_meter *const meters[] = {task->meter, task->card_meter};
    for (size_t i = 0; i < 2; i++) {
        meters[i]->counters.longest_wait = 0;
        meters[i]->counters.longest_wait_at = 0;
    }
    return mark;
}

static void since_mark(const struct mark *mark, const struct sdsim_workload_task *task,
                       struct sdsim_workload_result *result)
{
    result->account = task->meter->account;
    sdsim_account_since(&result->account, &mark->account);
    result->counters = counters_of(task);
    sdsim_counters_since(&result->counters, &mark->counters);
}

const char *sdsim_workload_open_file(struct sdsim_workload_task *task, sdsim_ps *now)
{
    const struct action *action = &actions[task->params->action];
    if (task->params->target != SDSIM_ON_FILE || action->path == NULL) {
        return NULL;
    }
    if (sdsim_workload_is_several(task->params)) {
        return sdsim_several_open(task, now);
    }
    if (task->file_number > 0 && action->mode == SDSIM_OPEN_WRITE) {
        return next_file(task, now, task->file_number);
    }
    const enum sdsim_fat_result result = sdsim_stream_open(
        &task->stream, task->volume, task->file, task->meter, now, action->path, action->mode);
    task->open = result == SDSIM_FAT_OK;
    const char *error = sdsim_workload_failed(task, result);
    return error != NULL || action->mode != SDSIM_OPEN_WRITE ? error : preallocate(task, now);
}

/* Ends what the calls left open, also after an error. */
const char *sdsim_workload_finish(struct sdsim_workload_task *task, sdsim_ps *now,
                                  const char *error)
{
    if (task->streams != NULL) {
        return sdsim_several_close(task, now, error);
    }
    if (task->open) {
        const enum sdsim_fat_result closed = sdsim_stream_close(&task->stream, now);
        task->open = false;
        return error != NULL ? error : sdsim_workload_failed(task, closed);
    }
    return error == NULL && task->params->target != SDSIM_ON_FILE ? sdsim_workload_sync(task, now)
                                                                  : error;
}

/* From open to close, again and again. */
static const char *all_passes(struct sdsim_workload_task *task, sdsim_ps *now)
{
    const char *error = NULL;
    for (uint64_t pass = 0; pass < task->params->times && error == NULL; pass++) {
        const sdsim_ps began = *now;
        task->file_number = pass;
        error = sdsim_workload_open_file(task, now);
        if (error == NULL) {
            error = all_calls(task, now);
        }
        error = sdsim_workload_finish(task, now, error);
        if (error == NULL) {
            sdsim_workload_count(task, began, *now, pass);
        }
    }
    return error;
}

static const char *timed_calls(struct sdsim_workload_task *task, sdsim_ps *now, struct mark *mark)
{
    const bool all = task->params->timed == SDSIM_TIMED_ALL;
    const char *error = sdsim_workload_open_file(task, now);
    if (!all) {
        *mark = set_mark(task);
        task->result->started = *now;
    }
    if (error == NULL) {
        error = all_calls(task, now);
    }
    if (!all) {
        since_mark(mark, task, task->result);
        task->result->elapsed = *now - task->result->started;
    }
    return sdsim_workload_finish(task, now, error);
}

/* Everything a task does, once it is set up. */
static void run(struct sdsim_workload_task *task, sdsim_ps *now)
{
    const struct sdsim_workload_params *params = task->params;
    struct sdsim_workload_result *result = task->result;
    if (sdsim_workload_moves_data((enum sdsim_action)params->action)) {
        sdsim_positions_init(&task->positions, params);
    }
    struct mark mark = set_mark(task);
    result->started = *now;
    result->error =
        params->timed == SDSIM_TIMED_PASSES ? all_passes(task, now) : timed_calls(task, now, &mark);
    if (params->timed != SDSIM_TIMED_CALLS) {
        since_mark(&mark, task, result);
        result->elapsed = *now - result->started;
    }
}

/* The same for a PC in front of the device the task is. */
static void run_on_usb(struct sdsim_workload_task *task, sdsim_ps *now)
{
    struct sdsim_meter own = {.purpose = SDSIM_FOR_DATA};
    if (task->params->usb.lazy > 0) {
        task->meter = &own; /* the driver's is the writer task's */
    }
    if (!sdsim_usb_storage_init(&task->usb, &task->params->usb, task->driver, task->meter, *now)) {
        task->result->error = "out of memory";
        return;
    }
    run(task, now);
    task->result->usb = task->usb.result;
    sdsim_usb_storage_free(&task->usb);
}

void sdsim_workload_run(const struct sdsim_workload_params *params,
                        const struct sdsim_stream_params *file, struct sdsim_driver *driver,
                        struct sdsim_volume *volume, struct sdsim_meter *meter, sdsim_ps *now,
                        struct sdsim_workload_result *result)
{
    *result = (struct sdsim_workload_result){.error = NULL};
    struct sdsim_workload_task task = {.params = params,
                                       .file = file,
                                       .driver = driver,
                                       .volume = volume,
                                       .meter = meter,
                                       .card_meter = meter,
                                       .result = result};
    if (params->target == SDSIM_ON_USB) {
        run_on_usb(&task, now);
    } else {
        run(&task, now);
    }
}
