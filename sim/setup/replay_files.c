#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fat/tree.h"
#include "setup/replay_parts.h"

enum { PATH_BYTES = 1024 };

/* The files that are open, by handle. */
struct files {
    struct sdsim_replayer *replayer;
    struct sdsim_stream streams[SDSIM_OPS_HANDLES];
    bool open[SDSIM_OPS_HANDLES];
    uint64_t opened; /* how many so far: the seed of what the next one writes */
    uint64_t seeds[SDSIM_OPS_HANDLES];
    uint64_t moved; /* bytes of the operation at hand */
};

/* CPU time of one call of the application that does not go through a stream. */
static void call_cost(struct files *files, sdsim_ps *now)
{
    struct sdsim_meter *meter = files->replayer->stage->meter;
    meter->purpose = SDSIM_FOR_DATA;
    sdsim_spend(meter, now, SDSIM_HOST, SDSIM_LANE_CPU,
                files->replayer->setup->run.file.costs.call);
}

/* An operation's name as a path; false if it is too long. */
static bool path_of(struct sdsim_op_text text, char path[PATH_BYTES])
{
    const bool rooted = text.length > 0 && (text.text[0] == '/' || text.text[0] == '\\');
    if (text.length + 2 > PATH_BYTES) {
        return false;
    }
    path[0] = '/';
    char *rest = path + !rooted;
    if (text.length > 0) {
        memcpy(rest, text.text, text.length);
    }
    rest[text.length] = '\0';
    return true;
}

/* ---- operations; each returns what the library or the API says ---- */

static enum sdsim_fat_result close_stream(struct files *files, unsigned handle, sdsim_ps *now)
{
    files->open[handle] = false;
    return sdsim_stream_close(&files->streams[handle], now);
}

static enum sdsim_fat_result open_file(struct files *files, const struct sdsim_op *op,
                                       sdsim_ps *now, const char *path)
{
    const struct sdsim_stage *stage = files->replayer->stage;
    if (files->open[op->handle]) { /* the recording lost its close */
        (void)close_stream(files, op->handle, now);
    }
    const enum sdsim_fat_result result =
        sdsim_stream_open(&files->streams[op->handle], stage->volume,
                          &files->replayer->setup->run.file, stage->meter, now, path, op->mode);
    files->open[op->handle] = result == SDSIM_FAT_OK;
    files->seeds[op->handle] = 1000 + files->opened++;
    return result;
}

static struct sdsim_content content_of(const struct files *files, const struct sdsim_op *op)
{
    return (struct sdsim_content){
        .kind = SDSIM_CONTENT_GENERATED,
        .seed = files->seeds[op->handle],
        .offset = sdsim_stream_position(&files->streams[op->handle]),
    };
}

static void note_alignment(struct files *files, uint64_t position, uint64_t bytes)
{
    files->replayer->result->moved++;
    files->replayer->result->unaligned += position % SDSIM_SECTOR != 0 || bytes % SDSIM_SECTOR != 0;
}

static enum sdsim_fat_result write_file(struct files *files, const struct sdsim_op *op,
                                        sdsim_ps *now, uint64_t bytes)
{
    struct sdsim_stream *stream = &files->streams[op->handle];
    const struct sdsim_content content = content_of(files, op);
    uint64_t done = 0;
    note_alignment(files, content.offset, bytes);
    const enum sdsim_fat_result result = sdsim_stream_write(stream, now, &content, bytes, &done);
    files->moved = done;
    files->replayer->result->bytes_written += done;
    return result == SDSIM_FAT_OK && done < bytes ? SDSIM_FAT_DENIED : result;
}

static enum sdsim_fat_result read_file(struct files *files, const struct sdsim_op *op,
                                       sdsim_ps *now, uint64_t bytes)
{
    struct sdsim_stream *stream = &files->streams[op->handle];
    uint64_t done = 0;
    note_alignment(files, sdsim_stream_position(stream), bytes);
    const enum sdsim_fat_result result = sdsim_stream_read(stream, now, bytes, NULL, &done);
    files->moved = done;
    files->replayer->result->bytes_read += done;
    return result;
}

/* A line of so many bytes, its newline with it. */
static enum sdsim_fat_result print_line(struct files *files, const struct sdsim_op *op,
                                        sdsim_ps *now, uint64_t bytes)
{
    char *text = bytes > 0 && bytes <= SDSIM_STREAM_BUFFER_MAX ? malloc(bytes) : NULL;
    if (text == NULL) {
        return bytes > 0 && bytes <= SDSIM_STREAM_BUFFER_MAX ? SDSIM_FAT_NO_MEMORY
                                                             : SDSIM_FAT_INVALID_ARGUMENT;
    }
    memset(text, '.', bytes - 1);
    text[bytes - 1] = '\0';
    const enum sdsim_fat_result result = sdsim_stream_print(&files->streams[op->handle], now, text);
    free(text);
    files->moved = bytes;
    files->replayer->result->bytes_written += bytes;
    return result;
}

static enum sdsim_fat_result seek_file(struct files *files, const struct sdsim_op *op,
                                       sdsim_ps *now)
{
    struct sdsim_stream *stream = &files->streams[op->handle];
    struct sdsim_op_amount amount = op->amount;
    const uint64_t here = sdsim_stream_position(stream);
    const uint64_t size = stream->file.object.size > here ? stream->file.object.size : here;
    const uint64_t base = op->origin == SDSIM_OP_FROM_END    ? size
                          : op->origin == SDSIM_OP_FROM_HERE ? here
                                                             : 0;
    uint64_t target;
    if (base > INT64_MAX || __builtin_add_overflow(amount.bytes, (int64_t)base, &amount.bytes) ||
        !sdsim_op_bytes(amount, sdsim_cluster_bytes(files->replayer->stage->volume), &target)) {
        return SDSIM_FAT_INVALID_ARGUMENT;
    }
    return sdsim_stream_seek(stream, now, target);
}

/* ftruncate: what is buffered goes out first. */
static enum sdsim_fat_result truncate_file(struct files *files, const struct sdsim_op *op,
                                           sdsim_ps *now)
{
    struct sdsim_stream *stream = &files->streams[op->handle];
    const enum sdsim_fat_result result =
        sdsim_stream_seek(stream, now, sdsim_stream_position(stream));
    return result == SDSIM_FAT_OK ? sdsim_file_truncate(&stream->file, now) : result;
}

static enum sdsim_fat_result list_directory(struct files *files, sdsim_ps *now, const char *path)
{
    struct sdsim_dir_list listing;
    call_cost(files, now);
    enum sdsim_fat_result result =
        sdsim_dir_list_open(&listing, files->replayer->stage->volume, now, path);
    bool more = result == SDSIM_FAT_OK;
    while (more && result == SDSIM_FAT_OK) {
        struct sdsim_dir_info entry;
        result = sdsim_dir_list_next(&listing, now, &entry, &more);
        call_cost(files, now);
    }
    return result;
}

static void drop_all(struct files *files)
{
    for (unsigned i = 0; i < SDSIM_OPS_HANDLES; i++) {
        if (files->open[i]) {
            sdsim_file_drop(&files->streams[i].file);
            free(files->streams[i].buffer);
            files->open[i] = false;
        }
    }
}

static enum sdsim_fat_result mount(struct files *files, sdsim_ps *now)
{
    struct sdsim_volume *volume = files->replayer->stage->volume;
    const struct sdsim_disk *disk = volume->disk;
    const struct sdsim_volume_config config = sdsim_setup_volume_config(files->replayer->setup);
    call_cost(files, now);
    drop_all(files);
    sdsim_volume_unmount(volume);
    return sdsim_volume_mount(volume, disk, &config, now);
}

/* What acts on an open file; false for other operations. */
static bool needs_file(enum sdsim_op_kind kind)
{
    switch (kind) {
    case SDSIM_OP_CLOSE:
    case SDSIM_OP_WRITE:
    case SDSIM_OP_READ:
    case SDSIM_OP_SEEK:
    case SDSIM_OP_SYNC:
    case SDSIM_OP_TRUNCATE:
    case SDSIM_OP_EXPAND:
    case SDSIM_OP_PRINT:
        return true;
    default:
        return false;
    }
}

static enum sdsim_fat_result on_file(struct files *files, const struct sdsim_op *op, sdsim_ps *now)
{
    const uint32_t cluster = sdsim_cluster_bytes(files->replayer->stage->volume);
    uint64_t bytes = 0;
    if (!files->open[op->handle]) {
        return SDSIM_FAT_INVALID_OBJECT;
    }
    if (op->kind != SDSIM_OP_SEEK && !sdsim_op_bytes(op->amount, cluster, &bytes)) {
        return SDSIM_FAT_INVALID_ARGUMENT;
    }
    switch (op->kind) {
    case SDSIM_OP_WRITE:
        return write_file(files, op, now, bytes);
    case SDSIM_OP_READ:
        return read_file(files, op, now, bytes);
    case SDSIM_OP_PRINT:
        return print_line(files, op, now, bytes);
    case SDSIM_OP_SEEK:
        return seek_file(files, op, now);
    case SDSIM_OP_SYNC:
        return sdsim_stream_sync(&files->streams[op->handle], now);
    case SDSIM_OP_TRUNCATE:
        return truncate_file(files, op, now);
    case SDSIM_OP_EXPAND:
        return sdsim_file_expand(&files->streams[op->handle].file, now, bytes);
    default:
        return close_stream(files, op->handle, now);
    }
}

static enum sdsim_fat_result on_volume(struct files *files, const struct sdsim_op *op,
                                       sdsim_ps *now)
{
    struct sdsim_volume *volume = files->replayer->stage->volume;
    char path[PATH_BYTES];
    char other[PATH_BYTES];
    uint32_t clusters;
    if (!path_of(op->name, path) || !path_of(op->new_name, other)) {
        return SDSIM_FAT_INVALID_NAME;
    }
    switch (op->kind) {
    case SDSIM_OP_MOUNT:
        return mount(files, now);
    case SDSIM_OP_UNMOUNT:
        drop_all(files);
        sdsim_volume_unmount(volume);
        return SDSIM_FAT_OK;
    case SDSIM_OP_OPEN:
        return open_file(files, op, now, path);
    case SDSIM_OP_LIST:
        return list_directory(files, now, path);
    default:
        break;
    }
    call_cost(files, now);
    switch (op->kind) {
    case SDSIM_OP_MKDIR:
        return sdsim_tree_mkdir(volume, now, path);
    case SDSIM_OP_UNLINK:
        return sdsim_tree_unlink(volume, now, path);
    case SDSIM_OP_RENAME:
        return sdsim_tree_rename(volume, now, path, other);
    case SDSIM_OP_STAT:
        return sdsim_tree_stat(volume, now, path, NULL);
    case SDSIM_OP_FREE:
        return sdsim_tree_free(volume, now, &clusters);
    default:
        return SDSIM_FAT_INVALID_ARGUMENT; /* fill: a preparation, nothing firmware does */
    }
}

/* ---- the trace ---- */

static void note_failure(struct files *files, const struct sdsim_op *op, uint32_t line,
                         enum sdsim_fat_result error)
{
    struct sdsim_replay_result *result = files->replayer->result;
    if (result->first_failure[0] == '\0') {
        const bool full = error == SDSIM_FAT_DENIED &&
                          (op->kind == SDSIM_OP_WRITE || op->kind == SDSIM_OP_EXPAND);
        snprintf(result->first_failure, sizeof result->first_failure,
                 "call %" PRIu64 " (line %" PRIu32 "), %s: %s", result->calls + 1, line,
                 sdsim_op_name(op->kind),
                 op->kind == SDSIM_OP_FILL ? "a preparation, which a replay has no use for"
                 : full                    ? "the volume is full"
                                           : sdsim_fat_result_text(error));
    }
}

/* One operation as often as it says; NULL or why to stop. */
static const char *replay_op(struct files *files, const struct sdsim_op *op, uint32_t line,
                             sdsim_ps *now)
{
    struct sdsim_replayer *replayer = files->replayer;
    struct sdsim_recorded recorded = {op->has_start, op->has_duration, op->start, op->duration};
    for (uint32_t k = 0; k < op->repeat; k++) {
        sdsim_replay_wait(replayer, now, &recorded);
        const sdsim_ps start = *now;
        files->moved = 0;
        const enum sdsim_fat_result result =
            needs_file(op->kind) ? on_file(files, op, now) : on_volume(files, op, now);
        struct sdsim_replay_row row = {
            .op = op, .label = "", .line = line, .failed = result != SDSIM_FAT_OK};
        if (row.failed) {
            note_failure(files, op, line, result);
        }
        if (!sdsim_replay_note(replayer, op->kind, sdsim_op_name(op->kind), files->moved, &recorded,
                               &row, start, *now) ||
            result == SDSIM_FAT_NO_MEMORY) {
            return "out of memory";
        }
        if (*now > SDSIM_RUN_LIMIT) {
            return "it takes more than 200 days of virtual time";
        }
        sdsim_recorded_next(&recorded);
    }
    return NULL;
}

const char *sdsim_replay_files(void *context, const struct sdsim_stage *stage, sdsim_ps *now)
{
    struct sdsim_replayer *replayer = context;
    struct sdsim_op_source *source = replayer->trace->ops;
    struct files *files = calloc(1, sizeof *files);
    if (files == NULL) {
        return "out of memory";
    }
    sdsim_replay_begin(replayer, stage);
    files->replayer = replayer;
    const char *error = NULL;
    struct sdsim_op op;
    uint32_t line;
    while (error == NULL && source->next(source, &op, &line)) {
        error = replay_op(files, &op, line, now);
    }
    sdsim_replay_end(replayer);
    drop_all(files);
    free(files);
    return error;
}
