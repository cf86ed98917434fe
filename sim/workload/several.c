#include "workload/several.h"

#include <stdio.h>
#include <stdlib.h>

bool sdsim_workload_is_several(const struct sdsim_workload_params *params)
{
    return params->target == SDSIM_ON_FILE && params->parallel > 1;
}

char *sdsim_several_path(uint64_t index, char *out)
{
    snprintf(out, 24, "/PAR%05u.BIN", (unsigned)(index % 100000));
    return out;
}

uint64_t sdsim_several_size(const struct sdsim_workload_params *params)
{
    const uint64_t calls = params->total / params->call + (params->total % params->call != 0);
    return (calls / params->parallel + (calls % params->parallel != 0)) * params->call;
}

static bool writes(const struct sdsim_workload_task *task)
{
    return task->params->action == SDSIM_DO_WRITE;
}

const char *sdsim_several_open(struct sdsim_workload_task *task, sdsim_ps *now)
{
    const uint64_t files = task->params->parallel;
    const char *error = NULL;
    task->streams = calloc((size_t)files, sizeof *task->streams);
    if (task->streams == NULL) {
        return "out of memory";
    }
    while (task->stream_count < files && error == NULL) {
        char path[24];
        error = sdsim_workload_failed(
            task, sdsim_stream_open(&task->streams[task->stream_count], task->volume, task->file,
                                    task->meter, now, sdsim_several_path(task->stream_count, path),
                                    writes(task) ? SDSIM_OPEN_WRITE : SDSIM_OPEN_READ));
        task->stream_count += error == NULL ? 1 : 0;
    }
    return error;
}

const char *sdsim_several_call(struct sdsim_workload_task *task, sdsim_ps *now, uint64_t index)
{
    const uint64_t files = task->params->parallel;
    const uint64_t call = task->params->call;
    struct sdsim_stream *stream = &task->streams[index % files];
    uint64_t done = 0;
    enum sdsim_fat_result result;
    if (writes(task)) {
        const struct sdsim_content content = {.kind = SDSIM_CONTENT_GENERATED,
                                              .seed = SDSIM_WORKLOAD_SEED + index % files,
                                              .offset = index / files * call};
        result = sdsim_stream_write(stream, now, &content, call, &done);
    } else {
        result = sdsim_stream_read(stream, now, call, NULL, &done);
    }
    task->result->bytes += done;
    if (result == SDSIM_FAT_OK && writes(task) && done < call) {
        result = SDSIM_FAT_DENIED;
    }
    return sdsim_workload_failed(task, result);
}

const char *sdsim_several_sync(struct sdsim_workload_task *task, sdsim_ps *now)
{
    const char *error = NULL;
    for (uint64_t i = 0; i < task->stream_count && error == NULL; i++) {
        error = sdsim_workload_failed(task, sdsim_stream_sync(&task->streams[i], now));
    }
    return error;
}

const char *sdsim_several_close(struct sdsim_workload_task *task, sdsim_ps *now, const char *error)
{
    for (uint64_t i = 0; i < task->stream_count; i++) {
        const char *closed =
            sdsim_workload_failed(task, sdsim_stream_close(&task->streams[i], now));
        error = error != NULL ? error : closed;
    }
    free(task->streams);
    task->streams = NULL;
    task->stream_count = 0;
    return error;
}
