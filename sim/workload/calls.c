#include "workload/calls.h"

#include "fat/tree.h"

/* CPU time of one call of the application, for calls that do not go through a stream. */
static void call_cost(struct sdsim_workload_task *task, sdsim_ps *now)
{
    task->meter->purpose = SDSIM_FOR_DATA;
    sdsim_spend(task->meter, now, SDSIM_HOST, SDSIM_LANE_CPU, task->file->costs.call);
}

/* Opens a file, does nothing with it, and closes it. */
static const char *open_and_close(struct sdsim_workload_task *task, sdsim_ps *now, const char *path,
                                  enum sdsim_open_mode mode)
{
    call_cost(task, now);
    enum sdsim_fat_result result =
        sdsim_stream_open(&task->stream, task->volume, task->file, task->meter, now, path, mode);
    if (result == SDSIM_FAT_OK) {
        result = sdsim_stream_close(&task->stream, now);
    }
    return sdsim_workload_failed(task, result);
}

const char *sdsim_workload_append(struct sdsim_workload_task *task, sdsim_ps *now, uint64_t index)
{
    enum sdsim_fat_result result =
        sdsim_stream_open(&task->stream, task->volume, task->file, task->meter, now,
                          SDSIM_WORKLOAD_FILE, SDSIM_OPEN_APPEND);
    if (result != SDSIM_FAT_OK) {
        return sdsim_workload_failed(task, result);
    }
    const struct sdsim_content content = {.kind = SDSIM_CONTENT_GENERATED,
                                          .seed = SDSIM_WORKLOAD_SEED,
                                          .offset = index * task->params->call};
    uint64_t done = 0;
    result = sdsim_stream_write(&task->stream, now, &content, task->params->call, &done);
    task->result->bytes += done;
    const char *error = result == SDSIM_FAT_OK && done < task->params->call
                            ? sdsim_workload_cut_short(task)
                            : sdsim_workload_failed(task, result);
    const enum sdsim_fat_result closed = sdsim_stream_close(&task->stream, now);
    return error != NULL ? error : sdsim_workload_failed(task, closed);
}

const char *sdsim_workload_seek(struct sdsim_workload_task *task, sdsim_ps *now, uint64_t index)
{
    (void)index;
    const struct sdsim_workload_params *params = task->params;
    struct sdsim_file *file = &task->stream.file;
    const uint64_t position = params->position > 0 ? params->position : params->total / 2;
    const sdsim_ps start = *now;
    call_cost(task, now);
    enum sdsim_fat_result result = sdsim_file_seek(file, now, position);
    uint64_t done = 0;
    if (result == SDSIM_FAT_OK) {
        result = sdsim_file_read(file, now, params->call, NULL, &done);
        task->result->bytes += done;
    }
    if (result == SDSIM_FAT_OK) {
        result = sdsim_file_seek(file, now, 0);
    }
    sdsim_workload_note(task, SDSIM_CALL_SEEK, start, *now, SDSIM_WORKLOAD_FILE);
    return sdsim_workload_failed(task, result);
}

const char *sdsim_workload_open(struct sdsim_workload_task *task, sdsim_ps *now, uint64_t index)
{
    (void)index;
    char path[SDSIM_MEMBER_SIZE];
    const uint64_t files = task->params->files;
    return open_and_close(
        task, now,
        sdsim_workload_member(files > 0 ? files - 1 : 0, task->params->name_length, path),
        SDSIM_OPEN_READ);
}

const char *sdsim_workload_open_each(struct sdsim_workload_task *task, sdsim_ps *now,
                                     uint64_t index)
{
    char path[SDSIM_MEMBER_SIZE];
    return open_and_close(task, now, sdsim_workload_member(index, task->params->name_length, path),
                          SDSIM_OPEN_READ);
}

const char *sdsim_workload_create(struct sdsim_workload_task *task, sdsim_ps *now, uint64_t index)
{
    char path[SDSIM_MEMBER_SIZE];
    return open_and_close(
        task, now,
        sdsim_workload_member(task->params->files + index, task->params->name_length, path),
        SDSIM_OPEN_WRITE);
}

const char *sdsim_workload_list(struct sdsim_workload_task *task, sdsim_ps *now, uint64_t index)
{
    (void)index;
    struct sdsim_dir_list listing;
    const sdsim_ps start = *now;
    call_cost(task, now);
    enum sdsim_fat_result result =
        sdsim_dir_list_open(&listing, task->volume, now, SDSIM_WORKLOAD_DIRECTORY);
    bool more = result == SDSIM_FAT_OK;
    while (more && result == SDSIM_FAT_OK) {
        struct sdsim_dir_info entry;
        result = sdsim_dir_list_next(&listing, now, &entry, &more);
        call_cost(task, now);
    }
    sdsim_workload_note(task, SDSIM_CALL_LIST, start, *now, SDSIM_WORKLOAD_DIRECTORY);
    return sdsim_workload_failed(task, result);
}

const char *sdsim_workload_mount(struct sdsim_workload_task *task, sdsim_ps *now, uint64_t index)
{
    (void)index;
    const struct sdsim_disk *disk = task->volume->disk;
    const struct sdsim_volume_config config = task->volume->config;
    const sdsim_ps start = *now;
    call_cost(task, now);
    sdsim_volume_unmount(task->volume);
    const enum sdsim_fat_result result = sdsim_volume_mount(task->volume, disk, &config, now);
    sdsim_workload_note(task, SDSIM_CALL_MOUNT, start, *now, NULL);
    return sdsim_workload_failed(task, result);
}

const char *sdsim_workload_free_space(struct sdsim_workload_task *task, sdsim_ps *now,
                                      uint64_t index)
{
    (void)index;
    uint32_t clusters;
    const sdsim_ps start = *now;
    call_cost(task, now);
    const enum sdsim_fat_result result = sdsim_tree_free(task->volume, now, &clusters);
    sdsim_workload_note(task, SDSIM_CALL_OTHER, start, *now, NULL);
    return sdsim_workload_failed(task, result);
}
