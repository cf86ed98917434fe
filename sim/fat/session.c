#include "fat/session.h"

#include <stdio.h>
#include <string.h>

#include "core/rng.h"

#define PATH_BYTES 1024u

void sdsim_session_init(struct sdsim_session *session, const struct sdsim_disk *disk,
                        const struct sdsim_volume_config *config, uint64_t seed)
{
    memset(session, 0, sizeof *session);
    session->disk = disk;
    session->config = *config;
    session->seed = seed;
}

void sdsim_session_end(struct sdsim_session *session)
{
    for (uint32_t i = 0; i < SDSIM_OPS_HANDLES; i++) {
        sdsim_file_drop(&session->files[i]);
    }
    sdsim_volume_unmount(&session->volume);
}

/* The text as a string; false if it is too long for a path. */
static bool copy_path(struct sdsim_op_text text, char *path)
{
    if (text.length >= PATH_BYTES) {
        return false;
    }
    if (text.length > 0) {
        memcpy(path, text.text, text.length);
    }
    path[text.length] = '\0';
    return true;
}

static enum sdsim_fat_result run_open(struct sdsim_session *session, const struct sdsim_op *op,
                                      sdsim_ps *now, const char *path)
{
    struct sdsim_file *file = &session->files[op->handle];
    sdsim_file_drop(file);
    session->streams[op->handle] = sdsim_mix(session->seed++);
    return sdsim_file_open(file, &session->volume, now, path, op->mode);
}

/* The operation's amount in bytes, as the volume's clusters make it. */
static bool amount_of(const struct sdsim_session *session, const struct sdsim_op *op,
                      uint64_t *bytes)
{
    return sdsim_op_bytes(op->amount, sdsim_cluster_bytes(&session->volume), bytes);
}

/* The position a seek asks for. */
static bool target_of(const struct sdsim_session *session, const struct sdsim_op *op,
                      uint64_t *target)
{
    const struct sdsim_file *file = &session->files[op->handle];
    struct sdsim_op_amount amount = op->amount;
    const uint64_t base = op->origin == SDSIM_OP_FROM_END    ? file->object.size
                          : op->origin == SDSIM_OP_FROM_HERE ? file->position
                                                             : 0;
    if (base > INT64_MAX || __builtin_add_overflow(amount.bytes, (int64_t)base, &amount.bytes)) {
        return false;
    }
    return sdsim_op_bytes(amount, sdsim_cluster_bytes(&session->volume), target);
}

static struct sdsim_answer run_transfer(struct sdsim_session *session, const struct sdsim_op *op,
                                        sdsim_ps *now, void *out)
{
    struct sdsim_file *file = &session->files[op->handle];
    struct sdsim_answer outcome = {.kind = SDSIM_ANSWER_NONE};
    uint64_t bytes;
    uint64_t done;
    if (!amount_of(session, op, &bytes)) {
        outcome.result = SDSIM_FAT_INVALID_ARGUMENT;
        return outcome;
    }
    if (op->kind == SDSIM_OP_WRITE) {
        const struct sdsim_content content = {
            .kind = SDSIM_CONTENT_GENERATED,
            .seed = session->streams[op->handle],
            .offset = file->seeks_each_write ? file->object.size : file->position,
        };
        outcome.result = sdsim_file_write(file, now, &content, bytes, &done);
    } else {
        outcome.result = sdsim_file_read(file, now, bytes, out, &done);
    }
    if (outcome.result == SDSIM_FAT_OK && done != bytes) {
        outcome.kind = SDSIM_ANSWER_COUNT;
        outcome.value = done;
    }
    return outcome;
}

/* The text, then its newline. */
static struct sdsim_answer run_print(struct sdsim_session *session, const struct sdsim_op *op,
                                     sdsim_ps *now)
{
    struct sdsim_op part = *op;
    struct sdsim_answer outcome = {.kind = SDSIM_ANSWER_NONE};
    part.kind = SDSIM_OP_WRITE;
    part.amount.bytes--;
    if (part.amount.bytes > 0 || part.amount.clusters > 0) {
        outcome = run_transfer(session, &part, now, NULL);
    }
    if (outcome.result == SDSIM_FAT_OK) {
        part.amount = (struct sdsim_op_amount){.bytes = 1};
        outcome = run_transfer(session, &part, now, NULL);
    }
    return outcome;
}

static struct sdsim_answer run_seek(struct sdsim_session *session, const struct sdsim_op *op,
                                    sdsim_ps *now)
{
    struct sdsim_file *file = &session->files[op->handle];
    struct sdsim_answer outcome = {.kind = SDSIM_ANSWER_NONE};
    uint64_t target;
    if (!target_of(session, op, &target)) {
        outcome.result = SDSIM_FAT_INVALID_ARGUMENT;
        return outcome;
    }
    outcome.result = sdsim_file_seek(file, now, target);
    if (outcome.result == SDSIM_FAT_OK && file->position != target) {
        outcome.kind = SDSIM_ANSWER_COUNT;
        outcome.value = file->position;
    }
    return outcome;
}

static struct sdsim_answer run_stat(struct sdsim_session *session, sdsim_ps *now, const char *path)
{
    struct sdsim_dir_info entry = {0};
    struct sdsim_answer outcome = {.kind = SDSIM_ANSWER_NONE};
    outcome.result = sdsim_tree_stat(&session->volume, now, path, &entry);
    if (outcome.result == SDSIM_FAT_OK) {
        outcome.kind = SDSIM_ANSWER_SIZE;
        outcome.value = entry.size;
    }
    return outcome;
}

static struct sdsim_answer run_list(struct sdsim_session *session, sdsim_ps *now, const char *path)
{
    struct sdsim_dir_list listing;
    struct sdsim_answer outcome = {.kind = SDSIM_ANSWER_NONE};
    outcome.result = sdsim_dir_list_open(&listing, &session->volume, now, path);
    bool more = outcome.result == SDSIM_FAT_OK;
    while (more) {
        outcome.result = sdsim_dir_list_next(&listing, now, NULL, &more);
        outcome.value += more;
    }
    if (outcome.result == SDSIM_FAT_OK) {
        outcome.result = sdsim_dir_list_close(&listing, now);
        outcome.kind = SDSIM_ANSWER_ENTRIES;
    }
    return outcome;
}

/* One file of `clusters` clusters in a run, FILL00.BIN and so on, no data written. */
static enum sdsim_fat_result fill_one(struct sdsim_session *session, sdsim_ps *now, uint32_t number,
                                      uint64_t bytes)
{
    char path[32];
    (void)snprintf(path, sizeof path, "/FILL%02u.BIN", number);
    struct sdsim_file *file = &session->files[0];
    sdsim_file_drop(file);
    enum sdsim_fat_result result =
        sdsim_file_open(file, &session->volume, now, path, SDSIM_OPEN_WRITE);
    if (result == SDSIM_FAT_OK) {
        result = sdsim_file_expand(file, now, bytes);
    }
    if (result == SDSIM_FAT_OK) {
        result = sdsim_file_close(file, now);
    }
    return result;
}

/* Fills the volume with contiguous files until `keep` clusters are free. */
static enum sdsim_fat_result run_fill(struct sdsim_session *session, sdsim_ps *now, uint64_t keep)
{
    const uint64_t cluster_bytes = sdsim_cluster_bytes(&session->volume);
    const uint64_t size_max = sdsim_file_size_max(&session->volume);
    for (uint32_t number = 0;; number++) {
        uint32_t free_clusters;
        enum sdsim_fat_result result = sdsim_tree_free(&session->volume, now, &free_clusters);
        if (result != SDSIM_FAT_OK || free_clusters <= keep) {
            return result;
        }
        const uint64_t wanted = (free_clusters - keep) * cluster_bytes;
        result = fill_one(session, now, number, wanted < size_max ? wanted : size_max);
        if (result != SDSIM_FAT_OK) {
            return result;
        }
    }
}

static struct sdsim_answer run_free(struct sdsim_session *session, sdsim_ps *now)
{
    uint32_t clusters;
    const enum sdsim_fat_result result = sdsim_tree_free(&session->volume, now, &clusters);
    const bool known = result == SDSIM_FAT_OK;
    return (struct sdsim_answer){.result = result,
                                 .kind = known ? SDSIM_ANSWER_CLUSTERS : SDSIM_ANSWER_NONE,
                                 .value = known ? clusters : 0};
}

/* An operation that answers with no more than how it ended. */
static enum sdsim_fat_result run_plain(struct sdsim_session *session, const struct sdsim_op *op,
                                       sdsim_ps *now, const char *path, const char *new_path)
{
    struct sdsim_volume *volume = &session->volume;
    struct sdsim_file *file = &session->files[op->handle];
    const bool sized = op->kind == SDSIM_OP_EXPAND || op->kind == SDSIM_OP_FILL;
    uint64_t bytes = 0;
    if (sized && !amount_of(session, op, &bytes)) {
        return SDSIM_FAT_INVALID_ARGUMENT;
    }
    switch (op->kind) {
    case SDSIM_OP_MOUNT:
        return sdsim_volume_mount(volume, session->disk, &session->config, now);
    case SDSIM_OP_UNMOUNT:
        sdsim_volume_unmount(volume);
        return SDSIM_FAT_OK;
    case SDSIM_OP_OPEN:
        return run_open(session, op, now, path);
    case SDSIM_OP_CLOSE:
        return sdsim_file_close(file, now);
    case SDSIM_OP_SYNC:
        return sdsim_file_sync(file, now);
    case SDSIM_OP_TRUNCATE:
        return sdsim_file_truncate(file, now);
    case SDSIM_OP_EXPAND:
        return sdsim_file_expand(file, now, bytes);
    case SDSIM_OP_MKDIR:
        return sdsim_tree_mkdir(volume, now, path);
    case SDSIM_OP_UNLINK:
        return sdsim_tree_unlink(volume, now, path);
    case SDSIM_OP_RENAME:
        return sdsim_tree_rename(volume, now, path, new_path);
    case SDSIM_OP_FILL:
        return run_fill(session, now, bytes);
    default:
        return SDSIM_FAT_INVALID_NAME;
    }
}

struct sdsim_answer sdsim_session_run(struct sdsim_session *session, const struct sdsim_op *op,
                                      sdsim_ps *now, void *out)
{
    struct sdsim_answer answer = {.kind = SDSIM_ANSWER_NONE, .result = SDSIM_FAT_INVALID_NAME};
    char path[PATH_BYTES];
    char new_path[PATH_BYTES];
    if (!copy_path(op->name, path) || !copy_path(op->new_name, new_path)) {
        return answer;
    }
    switch (op->kind) {
    case SDSIM_OP_WRITE:
    case SDSIM_OP_READ:
        return run_transfer(session, op, now, out);
    case SDSIM_OP_SEEK:
        return run_seek(session, op, now);
    case SDSIM_OP_STAT:
        return run_stat(session, now, path);
    case SDSIM_OP_LIST:
        return run_list(session, now, path);
    case SDSIM_OP_FREE:
        return run_free(session, now);
    case SDSIM_OP_PRINT:
        return run_print(session, op, now);
    default:
        answer.result = run_plain(session, op, now, path, new_path);
        return answer;
    }
}
