#include "file/stream.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fat/engines.h"

struct api {
    const char *name;
    uint32_t buffer;    /* default */
    const char *engine; /* in the firmware that has this API */
};

static const struct api apis[SDSIM_API_COUNT] = {
#define SDSIM_FILE_API_ROW(code, name, doc, buffer, engine)                                        \
    [SDSIM_API_##code] = {name, buffer, engine},
    SDSIM_FILE_API_LIST(SDSIM_FILE_API_ROW)
#undef SDSIM_FILE_API_ROW
};

const char *sdsim_file_api_name(enum sdsim_file_api api)
{
    return apis[api].name;
}

uint32_t sdsim_stream_default_buffer(enum sdsim_file_api api)
{
    return apis[api].buffer;
}

struct sdsim_volume_config sdsim_stream_volume_config(enum sdsim_file_api api)
{
    return sdsim_engine_find(apis[api].engine)->config;
}

/* ---- what the recorder hears ---- */

static void note(const struct sdsim_stream *stream, enum sdsim_lane lane, enum sdsim_call call,
                 sdsim_ps start, sdsim_ps end, uint64_t position, uint64_t bytes)
{
    const struct sdsim_detail detail = {
        .kind = SDSIM_DETAIL_CALL,
        .place = position,
        .size = bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX,
        .name = stream->name,
    };
    sdsim_record_call(stream->meter, lane, call, SDSIM_FOR_DATA, start, end, &detail);
}

static void note_open(const struct sdsim_stream *stream, enum sdsim_lane lane, sdsim_ps start,
                      sdsim_ps end, enum sdsim_open_mode mode)
{
    const struct sdsim_detail detail = {
        .kind = SDSIM_DETAIL_CALL, .code = (uint8_t)mode, .name = stream->name};
    sdsim_record_call(stream->meter, lane, SDSIM_CALL_OPEN, SDSIM_FOR_DATA, start, end, &detail);
}

/* The calls of the FAT library. */

static enum sdsim_fat_result library_write(struct sdsim_stream *stream, sdsim_ps *now,
                                           const struct sdsim_content *content, uint64_t bytes,
                                           uint64_t *done)
{
    const sdsim_ps start = *now;
    const uint64_t position = stream->file.position;
    const enum sdsim_fat_result result = sdsim_file_write(&stream->file, now, content, bytes, done);
    note(stream, SDSIM_LANE_FILE, SDSIM_CALL_WRITE, start, *now, position, bytes);
    return result;
}

static enum sdsim_fat_result library_read(struct sdsim_stream *stream, sdsim_ps *now,
                                          uint64_t bytes, void *out, uint64_t *done)
{
    const sdsim_ps start = *now;
    const uint64_t position = stream->file.position;
    const enum sdsim_fat_result result = sdsim_file_read(&stream->file, now, bytes, out, done);
    note(stream, SDSIM_LANE_FILE, SDSIM_CALL_READ, start, *now, position, bytes);
    return result;
}

static enum sdsim_fat_result library_seek(struct sdsim_stream *stream, sdsim_ps *now,
                                          uint64_t position)
{
    const sdsim_ps start = *now;
    const enum sdsim_fat_result result = sdsim_file_seek(&stream->file, now, position);
    note(stream, SDSIM_LANE_FILE, SDSIM_CALL_SEEK, start, *now, position, 0);
    return result;
}

static enum sdsim_fat_result library_sync(struct sdsim_stream *stream, sdsim_ps *now)
{
    const sdsim_ps start = *now;
    const enum sdsim_fat_result result = sdsim_file_sync(&stream->file, now);
    note(stream, SDSIM_LANE_FILE, SDSIM_CALL_SYNC, start, *now, 0, 0);
    return result;
}

static void host_time(struct sdsim_stream *stream, sdsim_ps *now, sdsim_ps d)
{
    stream->meter->purpose = SDSIM_FOR_DATA;
    stream->meter->counters.file_host += d;
    sdsim_spend(stream->meter, now, SDSIM_HOST, SDSIM_LANE_CPU, d);
}

static void copy_time(struct sdsim_stream *stream, sdsim_ps *now, uint64_t bytes)
{
    const uint64_t rate = stream->params->costs.copy_rate;
    if (rate == 0) {
        return;
    }
    const sdsim_ps d = sdsim_time_times(SDSIM_S / rate, bytes);
    stream->meter->purpose = SDSIM_FOR_DATA;
    stream->meter->counters.file_copy += d;
    sdsim_spend(stream->meter, now, SDSIM_COPY, SDSIM_LANE_CPU, d);
}

/* The buffer is filled or emptied: a call of the layers below. */
static void layer_time(struct sdsim_stream *stream, sdsim_ps *now)
{
    host_time(stream, now, stream->params->costs.refill);
}

/* The parts of sectors at both ends of a call go through the library's buffer. */
static void copy_parts(struct sdsim_stream *stream, sdsim_ps *now, uint64_t position,
                       uint64_t bytes)
{
    const uint64_t into = position % SDSIM_SECTOR;
    const uint64_t to_border = into > 0 ? SDSIM_SECTOR - into : 0;
    const uint64_t head = bytes < to_border ? bytes : to_border;
    copy_time(stream, now, head + (bytes - head) % SDSIM_SECTOR);
}

enum sdsim_fat_result sdsim_stream_open(struct sdsim_stream *stream, struct sdsim_volume *volume,
                                        const struct sdsim_stream_params *params,
                                        struct sdsim_meter *meter, sdsim_ps *now, const char *path,
                                        enum sdsim_open_mode mode)
{
    const struct api *api = &apis[params->api];
    const sdsim_ps start = *now;
    *stream = (struct sdsim_stream){.params = params, .meter = meter};
    snprintf(stream->name, sizeof stream->name,
             strlen(path) < sizeof stream->name ? "%s" : "%.60s...", path);
    if (api->buffer > 0) {
        stream->size = params->buffer > 0 ? (uint32_t)params->buffer : api->buffer;
        stream->buffer = calloc(1, stream->size);
        if (stream->buffer == NULL) {
            return SDSIM_FAT_NO_MEMORY;
        }
    }
    const enum sdsim_fat_result result = sdsim_file_open(&stream->file, volume, now, path, mode);
    note_open(stream, SDSIM_LANE_FILE, start, *now, mode);
    note_open(stream, SDSIM_LANE_TASK, start, *now, mode);
    if (result != SDSIM_FAT_OK) {
        free(stream->buffer);
        stream->buffer = NULL;
    }
    return result;
}

/* The most the library below takes in one call. The P2's file layer has no limit; what stands in
 * for it, the classic Arduino library, counts in 16 bits. */
static uint64_t most_bytes(const struct sdsim_stream *stream)
{
    return stream->params->api == SDSIM_API_P2_FILE ? 32768 : UINT64_MAX;
}

/* What the disk held back during a call belongs to its time. */
static enum sdsim_fat_result settle(struct sdsim_stream *stream, sdsim_ps *now,
                                    enum sdsim_fat_result result)
{
    const struct sdsim_disk *disk = stream->file.volume->disk;
    const enum sdsim_disk_error error =
        disk->ops->settle != NULL ? disk->ops->settle(disk->context, now) : SDSIM_DISK_OK;
    return result == SDSIM_FAT_OK && error != SDSIM_DISK_OK ? SDSIM_FAT_DISK_ERROR : result;
}

/* ---- writing ---- */

static enum sdsim_fat_result flush(struct sdsim_stream *stream, sdsim_ps *now)
{
    if (!stream->writing || stream->filled == 0) {
        return SDSIM_FAT_OK;
    }
    const uint32_t bytes = stream->filled;
    const struct sdsim_content content =
        sdsim_lazy_bytes_content(&stream->lazy, stream->buffer, bytes);
    uint64_t done;
    stream->filled = 0;
    stream->lazy = (struct sdsim_lazy_bytes){0};
    layer_time(stream, now);
    const enum sdsim_fat_result result = library_write(stream, now, &content, bytes, &done);
    return result != SDSIM_FAT_OK ? result : done < bytes ? SDSIM_FAT_DENIED : SDSIM_FAT_OK;
}

/* Copies into the buffer what fits; flushes it when it became full. */
static enum sdsim_fat_result fill_buffer(struct sdsim_stream *stream, sdsim_ps *now,
                                         const struct sdsim_content *content, uint64_t skip,
                                         uint64_t bytes, uint64_t *taken)
{
    const uint32_t room = stream->size - stream->filled;
    const uint32_t part = bytes < room ? (uint32_t)bytes : room;
    sdsim_lazy_bytes_put(&stream->lazy, stream->buffer, stream->filled, content, skip, part);
    copy_time(stream, now, part);
    stream->filled += part;
    *taken = part;
    return stream->filled == stream->size ? flush(stream, now) : SDSIM_FAT_OK;
}

static enum sdsim_fat_result buffered_write(struct sdsim_stream *stream, sdsim_ps *now,
                                            const struct sdsim_content *content, uint64_t bytes,
                                            uint64_t *done)
{
    stream->writing = true;
    *done = 0;
    while (*done < bytes) {
        const uint64_t left = bytes - *done;
        uint64_t taken = 0;
        enum sdsim_fat_result result;
        if (stream->filled == 0 && left >= stream->size) {
            const uint64_t whole = left / stream->size * stream->size;
            const struct sdsim_content part = sdsim_content_after(content, *done);
            layer_time(stream, now);
            result = library_write(stream, now, &part, whole, &taken);
            if (result == SDSIM_FAT_OK && taken < whole) {
                *done += taken;
                return SDSIM_FAT_OK; /* the volume is full */
            }
        } else {
            result = fill_buffer(stream, now, content, *done, left, &taken);
        }
        if (result != SDSIM_FAT_OK) {
            return result;
        }
        *done += taken;
    }
    return SDSIM_FAT_OK;
}

static enum sdsim_fat_result plain_write(struct sdsim_stream *stream, sdsim_ps *now,
                                         const struct sdsim_content *content, uint64_t bytes,
                                         uint64_t *done)
{
    enum sdsim_fat_result result;
    *done = 0;
    copy_parts(stream, now, stream->file.position, bytes);
    do {
        const struct sdsim_content rest = sdsim_content_after(content, *done);
        const uint64_t left = bytes - *done;
        const uint64_t part = left < most_bytes(stream) ? left : most_bytes(stream);
        uint64_t taken = 0;
        result = library_write(stream, now, &rest, part, &taken);
        *done += taken;
        if (taken < part) {
            break;
        }
    } while (result == SDSIM_FAT_OK && *done < bytes);
    return settle(stream, now, result);
}

uint64_t sdsim_stream_position(const struct sdsim_stream *stream)
{
    return stream->writing ? stream->file.position + stream->filled
                           : stream->file.position - (stream->filled - stream->taken);
}

static enum sdsim_fat_result any_write(struct sdsim_stream *stream, sdsim_ps *now,
                                       const struct sdsim_content *content, uint64_t bytes,
                                       uint64_t *done)
{
    host_time(stream, now, stream->params->costs.call);
    return stream->size > 0 ? buffered_write(stream, now, content, bytes, done)
                            : plain_write(stream, now, content, bytes, done);
}

enum sdsim_fat_result sdsim_stream_write(struct sdsim_stream *stream, sdsim_ps *now,
                                         const struct sdsim_content *content, uint64_t bytes,
                                         uint64_t *done)
{
    const sdsim_ps start = *now;
    const uint64_t position = sdsim_stream_position(stream);
    const enum sdsim_fat_result result = any_write(stream, now, content, bytes, done);
    note(stream, SDSIM_LANE_TASK, SDSIM_CALL_WRITE, start, *now, position, bytes);
    return result;
}

static enum sdsim_fat_result write_text(struct sdsim_stream *stream, sdsim_ps *now,
                                        const char *text, size_t length)
{
    const struct sdsim_content content = {.kind = SDSIM_CONTENT_BYTES,
                                          .bytes = (const uint8_t *)text};
    uint64_t done;
    const enum sdsim_fat_result result = any_write(stream, now, &content, length, &done);
    return result != SDSIM_FAT_OK ? result : done < length ? SDSIM_FAT_DENIED : SDSIM_FAT_OK;
}

enum sdsim_fat_result sdsim_stream_print(struct sdsim_stream *stream, sdsim_ps *now,
                                         const char *text)
{
    const sdsim_ps start = *now;
    const uint64_t position = sdsim_stream_position(stream);
    host_time(stream, now, stream->params->costs.line);
    enum sdsim_fat_result result = write_text(stream, now, text, strlen(text));
    if (result == SDSIM_FAT_OK) {
        result = write_text(stream, now, "\n", 1);
    }
    note(stream, SDSIM_LANE_TASK, SDSIM_CALL_PRINT, start, *now, position, strlen(text) + 1);
    return result;
}

/* ---- reading ---- */

static enum sdsim_fat_result buffered_read(struct sdsim_stream *stream, sdsim_ps *now,
                                           uint64_t bytes, uint8_t *out, uint64_t *done)
{
    assert(!stream->writing || stream->filled == 0);
    if (stream->writing) {
        stream->writing = false;
        stream->taken = 0;
    }
    *done = 0;
    while (*done < bytes) {
        if (stream->taken == stream->filled) {
            uint64_t got;
            layer_time(stream, now);
            stream->unseen = out == NULL;
            const enum sdsim_fat_result result =
                library_read(stream, now, stream->size, out != NULL ? stream->buffer : NULL, &got);
            stream->filled = (uint32_t)got;
            stream->taken = 0;
            if (result != SDSIM_FAT_OK || got == 0) {
                return result;
            }
        }
        const uint32_t there = stream->filled - stream->taken;
        const uint32_t part = bytes - *done < there ? (uint32_t)(bytes - *done) : there;
        if (out != NULL) {
            assert(!stream->unseen);
            memcpy(out + *done, stream->buffer + stream->taken, part);
        }
        copy_time(stream, now, part);
        stream->taken += part;
        *done += part;
    }
    return SDSIM_FAT_OK;
}

static enum sdsim_fat_result plain_read(struct sdsim_stream *stream, sdsim_ps *now, uint64_t bytes,
                                        uint8_t *out, uint64_t *done)
{
    const uint64_t position = stream->file.position;
    enum sdsim_fat_result result;
    *done = 0;
    do {
        const uint64_t left = bytes - *done;
        const uint64_t part = left < most_bytes(stream) ? left : most_bytes(stream);
        uint64_t taken = 0;
        result = library_read(stream, now, part, out != NULL ? out + *done : NULL, &taken);
        *done += taken;
        if (taken < part) {
            break;
        }
    } while (result == SDSIM_FAT_OK && *done < bytes);
    copy_parts(stream, now, position, *done);
    return settle(stream, now, result);
}

enum sdsim_fat_result sdsim_stream_read(struct sdsim_stream *stream, sdsim_ps *now, uint64_t bytes,
                                        void *out, uint64_t *done)
{
    const sdsim_ps start = *now;
    const uint64_t position = sdsim_stream_position(stream);
    host_time(stream, now, stream->params->costs.call);
    const enum sdsim_fat_result result = stream->size > 0
                                             ? buffered_read(stream, now, bytes, out, done)
                                             : plain_read(stream, now, bytes, out, done);
    note(stream, SDSIM_LANE_TASK, SDSIM_CALL_READ, start, *now, position, bytes);
    return result;
}

enum sdsim_fat_result sdsim_stream_seek(struct sdsim_stream *stream, sdsim_ps *now,
                                        uint64_t position)
{
    const sdsim_ps start = *now;
    host_time(stream, now, stream->params->costs.call);
    enum sdsim_fat_result result = flush(stream, now);
    stream->filled = 0;
    stream->taken = 0;
    if (result == SDSIM_FAT_OK) {
        result = library_seek(stream, now, position);
    }
    note(stream, SDSIM_LANE_TASK, SDSIM_CALL_SEEK, start, *now, position, 0);
    return result;
}

/* ---- the end ---- */

enum sdsim_fat_result sdsim_stream_sync(struct sdsim_stream *stream, sdsim_ps *now)
{
    const sdsim_ps start = *now;
    enum sdsim_fat_result result = flush(stream, now);
    if (result == SDSIM_FAT_OK) {
        result = library_sync(stream, now);
    }
    note(stream, SDSIM_LANE_TASK, SDSIM_CALL_SYNC, start, *now, 0, 0);
    return result;
}

enum sdsim_fat_result sdsim_stream_close(struct sdsim_stream *stream, sdsim_ps *now)
{
    const sdsim_ps start = *now;
    const enum sdsim_fat_result flushed = flush(stream, now);
    const sdsim_ps flushed_at = *now;
    const enum sdsim_fat_result closed = sdsim_file_close(&stream->file, now);
    note(stream, SDSIM_LANE_FILE, SDSIM_CALL_CLOSE, flushed_at, *now, 0, 0);
    note(stream, SDSIM_LANE_TASK, SDSIM_CALL_CLOSE, start, *now, 0, 0);
    if (closed != SDSIM_FAT_OK) {
        sdsim_file_drop(&stream->file);
    }
    free(stream->buffer);
    stream->buffer = NULL;
    return flushed != SDSIM_FAT_OK ? flushed : closed;
}
