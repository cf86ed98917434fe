#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fat/medium_disk.h"
#include "fat/tree.h"
#include "setup/replay.h"

/*
 * Which files a trace expects is found by going through it once: a file that is opened without being
 * created, looked at, renamed or removed, must have been there, and at least as large as the furthest
 * read before anything was written to it.
 */

enum {
    MOST_FILES = 4096,
    PATH_BYTES = 1024,
};

struct expected {
    struct sdsim_op_text name;
    bool there;       /* it was there before the trace began */
    bool made;        /* the trace makes it */
    uint64_t size;    /* it must have had */
    uint64_t written; /* how far the trace wrote it */
};

struct survey {
    struct expected *files;
    size_t count;
    uint32_t cluster;
    struct {
        struct expected *file; /* NULL: none open */
        uint64_t position;
    } handles[SDSIM_OPS_HANDLES];
};

static struct expected *find(struct survey *survey, struct sdsim_op_text name)
{
    for (size_t i = 0; i < survey->count; i++) {
        const struct sdsim_op_text *known = &survey->files[i].name;
        if (known->length == name.length &&
            (name.length == 0 || memcmp(known->text, name.text, name.length) == 0)) {
            return &survey->files[i];
        }
    }
    if (survey->count == MOST_FILES) {
        return NULL;
    }
    survey->files[survey->count] = (struct expected){.name = name};
    return &survey->files[survey->count++];
}

/* Says that the file must have been there if the trace did not make it. */
static void expect(struct expected *file)
{
    file->there = file->there || !file->made;
}

static void open_file(struct survey *survey, const struct sdsim_op *op)
{
    struct expected *file = find(survey, op->name);
    survey->handles[op->handle].file = file;
    survey->handles[op->handle].position = 0;
    if (file == NULL) {
        return;
    }
    switch (op->mode) {
    case SDSIM_OPEN_READ:
    case SDSIM_OPEN_UPDATE:
        expect(file);
        break;
    case SDSIM_OPEN_WRITE:
    case SDSIM_OPEN_WRITE_READ:
        file->made = true;
        file->written = 0;
        break;
    default: /* it may have been there or not; reads will tell */
        break;
    }
}

static void move(struct survey *survey, const struct sdsim_op *op)
{
    struct expected *file = survey->handles[op->handle].file;
    uint64_t *position = &survey->handles[op->handle].position;
    uint64_t bytes = 0;
    uint64_t all = 0;
    if (file == NULL || !sdsim_op_bytes(op->amount, survey->cluster, &bytes) ||
        __builtin_mul_overflow(bytes, (uint64_t)op->repeat, &all) ||
        __builtin_add_overflow(*position, all, position)) {
        return;
    }
    if (op->kind != SDSIM_OP_READ) {
        file->written = *position > file->written ? *position : file->written;
    } else if (*position > file->written && *position > file->size && !file->made) {
        file->there = true;
        file->size = *position;
    }
}

static void seek(struct survey *survey, const struct sdsim_op *op)
{
    struct expected *file = survey->handles[op->handle].file;
    struct sdsim_op_amount amount = op->amount;
    uint64_t *position = &survey->handles[op->handle].position;
    if (file == NULL) {
        return;
    }
    const uint64_t size = file->size > file->written ? file->size : file->written;
    const uint64_t base = op->origin == SDSIM_OP_FROM_END    ? size
                          : op->origin == SDSIM_OP_FROM_HERE ? *position
                                                             : 0;
    if (base <= INT64_MAX && !__builtin_add_overflow(amount.bytes, (int64_t)base, &amount.bytes)) {
        (void)sdsim_op_bytes(amount, survey->cluster, position);
    }
}

static void look(struct survey *survey, const struct sdsim_op *op)
{
    struct expected *file;
    switch (op->kind) {
    case SDSIM_OP_OPEN:
        open_file(survey, op);
        break;
    case SDSIM_OP_CLOSE:
        survey->handles[op->handle].file = NULL;
        break;
    case SDSIM_OP_WRITE:
    case SDSIM_OP_PRINT:
    case SDSIM_OP_READ:
        move(survey, op);
        break;
    case SDSIM_OP_SEEK:
        seek(survey, op);
        break;
    case SDSIM_OP_UNLINK:
    case SDSIM_OP_STAT:
    case SDSIM_OP_RENAME:
        file = find(survey, op->name);
        if (file != NULL && (op->name.length > 1 || op->kind != SDSIM_OP_STAT)) {
            expect(file);
        }
        file = op->kind == SDSIM_OP_RENAME ? find(survey, op->new_name) : NULL;
        if (file != NULL) {
            file->made = true;
        }
        break;
    case SDSIM_OP_MKDIR:
        file = find(survey, op->name);
        if (file != NULL) {
            file->made = true;
        }
        break;
    default:
        break;
    }
}

/* ---- making them ---- */

static enum sdsim_fat_result make_parents(struct sdsim_volume *volume, char *path)
{
    sdsim_ps no_time = 0;
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        const enum sdsim_fat_result result = sdsim_tree_mkdir(volume, &no_time, path);
        *slash = '/';
        if (result != SDSIM_FAT_OK && result != SDSIM_FAT_EXISTS) {
            return result;
        }
    }
    return SDSIM_FAT_OK;
}

/* Makes the file as large as it has to be; *grew false if it was. */
static enum sdsim_fat_result make_file(struct sdsim_volume *volume, const char *path, uint64_t size,
                                       bool *grew)
{
    const uint64_t piece = 32768;
    struct sdsim_file file;
    sdsim_ps no_time = 0;
    struct sdsim_dir_info info;
    const enum sdsim_fat_result there = sdsim_tree_stat(volume, &no_time, path, &info);
    *grew = false;
    if (there == SDSIM_FAT_OK && info.size >= size) {
        return SDSIM_FAT_OK;
    }
    enum sdsim_fat_result result = sdsim_file_open(&file, volume, &no_time, path, SDSIM_OPEN_WRITE);
    if (result != SDSIM_FAT_OK) {
        return result;
    }
    *grew = true;
    for (uint64_t at = 0; at < size && result == SDSIM_FAT_OK;) {
        const uint64_t part = size - at < piece ? size - at : piece;
        const struct sdsim_content content = {
            .kind = SDSIM_CONTENT_GENERATED, .seed = SDSIM_WORKLOAD_SEED, .offset = at};
        uint64_t done = 0;
        result = sdsim_file_write(&file, &no_time, &content, part, &done);
        result = result == SDSIM_FAT_OK && done < part ? SDSIM_FAT_DENIED : result;
        at += part;
    }
    const enum sdsim_fat_result closed = sdsim_file_close(&file, &no_time);
    return result != SDSIM_FAT_OK ? result : closed;
}

static void tell_created(const char *path, uint64_t size, char *created, size_t room)
{
    const size_t used = created != NULL ? strlen(created) : 0;
    if (created != NULL && used + 1 < room) {
        snprintf(created + used, room - used, "%s%s (%" PRIu64 " bytes)", used > 0 ? ", " : "",
                 path, size);
    }
}

static enum sdsim_fat_result make_all(struct sdsim_volume *volume, const struct survey *survey,
                                      char *created, size_t room, char path[PATH_BYTES])
{
    for (size_t i = 0; i < survey->count; i++) {
        const struct expected *file = &survey->files[i];
        const bool rooted = file->name.length > 0 && file->name.text[0] == '/';
        if (file->name.length == 0 || file->name.length + 2 > PATH_BYTES) {
            continue;
        }
        path[0] = '/';
        memcpy(path + !rooted, file->name.text, file->name.length);
        path[file->name.length + !rooted] = '\0';
        bool grew = false;
        enum sdsim_fat_result result = make_parents(volume, path);
        if (result == SDSIM_FAT_OK && file->there) {
            result = make_file(volume, path, file->size, &grew);
        }
        if (result != SDSIM_FAT_OK) {
            return result;
        }
        if (grew) {
            tell_created(path, file->size, created, room);
        }
    }
    return SDSIM_FAT_OK;
}

/* Goes through the list and makes what it expects on the volume. */
static enum sdsim_fat_result make_expected(const struct sdsim_setup *setup,
                                           struct sdsim_medium *medium,
                                           const struct sdsim_trace_list *list, char *created,
                                           size_t room, char path[PATH_BYTES])
{
    const struct sdsim_disk disk = sdsim_medium_disk(medium);
    struct sdsim_volume_config config = sdsim_setup_volume_config(setup);
    config.exfat = true;
    struct sdsim_volume *volume = calloc(1, sizeof *volume);
    struct survey survey = {.files = calloc(MOST_FILES, sizeof *survey.files)};
    sdsim_ps no_time = 0;
    enum sdsim_fat_result result = SDSIM_FAT_NO_MEMORY;
    if (volume != NULL && survey.files != NULL) {
        result = sdsim_volume_mount(volume, &disk, &config, &no_time);
    }
    if (result == SDSIM_FAT_OK) {
        survey.cluster = sdsim_cluster_bytes(volume);
        for (size_t i = 0; i < list->count; i++) {
            look(&survey, &list->ops[i]);
        }
        result = make_all(volume, &survey, created, room, path);
    }
    free(survey.files);
    free(volume);
    return result;
}

struct sdsim_medium *sdsim_replay_prepare(const struct sdsim_setup *setup,
                                          const struct sdsim_trace_list *list, char *created,
                                          size_t size, struct sdsim_replay_result *result)
{
    struct sdsim_outcome_report report;
    char path[PATH_BYTES] = "";
    *result = (struct sdsim_replay_result){.failure = SDSIM_FAILURE_NONE};
    if (created != NULL) {
        created[0] = '\0';
    }
    struct sdsim_medium *medium = sdsim_prepare_medium(setup, &report);
    if (medium == NULL) {
        result->failure = report.failure;
        snprintf(result->error, sizeof result->error, "%s", report.error);
        return NULL;
    }
    if (list == NULL || list->ops == NULL) {
        return medium;
    }
    const enum sdsim_fat_result made = make_expected(setup, medium, list, created, size, path);
    if (made != SDSIM_FAT_OK) {
        result->failure = made == SDSIM_FAT_NO_MEMORY ? SDSIM_FAILURE_MEMORY : SDSIM_FAILURE_INPUT;
        snprintf(result->error, sizeof result->error,
                 "preparing the files the trace expects (%.200s): %s", path,
                 made == SDSIM_FAT_DENIED ? "there is not enough room"
                                          : sdsim_fat_result_text(made));
        sdsim_medium_destroy(medium);
        medium = NULL;
    }
    return medium;
}
