#include <string.h>

#include "fat_model_internal.h"

void sdsim_fat_model_step_open(struct sdsim_fat_model *model)
{
    struct sdsim_model_handle *handle =
        &model->handles[sdsim_fat_model_below(model, SDSIM_MODEL_HANDLES)];
    if (handle->node >= 0) {
        return;
    }
    const bool create = sdsim_fat_model_below(model, 3) == 0;
    const int32_t node =
        create ? sdsim_fat_model_prepare_node(model, false) : sdsim_fat_model_pick(model, false);
    if (node < 0 || sdsim_fat_model_is_open(model, node)) {
        return;
    }
    char path[256];
    sdsim_fat_model_node_path(model, node, path, sizeof path);
    const enum sdsim_open_mode mode = (enum sdsim_open_mode)sdsim_fat_model_below(model, 7);
    const enum sdsim_fat_result result =
        sdsim_file_open(&handle->file, model->volume, &model->now, path, mode);
    struct sdsim_model_node *target = &model->nodes[node];
    const bool must_exist = mode == SDSIM_OPEN_READ || mode == SDSIM_OPEN_UPDATE;
    if (create && must_exist) {
        SDSIM_MODEL_EXPECT(model, result == SDSIM_FAT_NO_FILE);
        return;
    }
    if (create && sdsim_fat_model_no_room(result)) {
        return;
    }
    SDSIM_MODEL_EXPECT(model, result == SDSIM_FAT_OK);
    target->exists = true;
    if (mode == SDSIM_OPEN_WRITE || mode == SDSIM_OPEN_WRITE_READ) {
        target->size = 0;
    }
    SDSIM_MODEL_EXPECT(model, handle->file.object.size == target->size);
    handle->node = node;
    handle->mode = mode;
    handle->position = handle->file.position;
    SDSIM_MODEL_EXPECT(model, handle->position == 0 || handle->position == target->size);
}

static struct sdsim_model_handle *open_handle(struct sdsim_fat_model *model)
{
    const uint32_t start = sdsim_fat_model_below(model, SDSIM_MODEL_HANDLES);
    for (uint32_t i = 0; i < SDSIM_MODEL_HANDLES; i++) {
        struct sdsim_model_handle *handle = &model->handles[(start + i) % SDSIM_MODEL_HANDLES];
        if (handle->node >= 0) {
            return handle;
        }
    }
    return NULL;
}

/* Bytes from..to of the file exist but hold anything. */
static void forget_bytes(struct sdsim_model_node *node, uint64_t from, uint64_t to)
{
    for (uint64_t i = from; i < to && i < SDSIM_MODEL_SIZE; i++) {
        node->known[i] = 0;
    }
}

/* SdFat found no room: nothing counts of what it wrote, and its position is anywhere. */
static void recover(struct sdsim_fat_model *model, struct sdsim_model_handle *handle,
                    uint64_t bytes)
{
    struct sdsim_model_node *node = &model->nodes[handle->node];
    const uint64_t end = handle->position + bytes;
    forget_bytes(node, handle->position, end < node->size ? end : node->size);
    SDSIM_MODEL_EXPECT(model, handle->file.object.size == node->size);
    SDSIM_MODEL_EXPECT(model, sdsim_file_seek(&handle->file, &model->now, 0) == SDSIM_FAT_OK);
    handle->position = 0;
}

static void step_write(struct sdsim_fat_model *model, struct sdsim_model_handle *handle)
{
    struct sdsim_model_node *node = &model->nodes[handle->node];
    if (handle->mode == SDSIM_OPEN_APPEND && handle->file.seeks_each_write) {
        handle->position = node->size;
    }
    const uint64_t room =
        SDSIM_MODEL_SIZE > handle->position ? SDSIM_MODEL_SIZE - handle->position : 0;
    uint64_t bytes = sdsim_fat_model_below(model, 3) == 0
                         ? sdsim_fat_model_below(model, SDSIM_MODEL_CALL)
                         : sdsim_fat_model_below(model, 1200);
    bytes = bytes < room ? bytes : room;
    struct sdsim_content content = {
        .kind = SDSIM_CONTENT_GENERATED,
        .seed = sdsim_fat_model_below(model, 3) == 0 ? model->streams++ : (uint64_t)handle->node,
        .offset = handle->position};
    if (sdsim_fat_model_below(model, 8) == 0) {
        content = (struct sdsim_content){.kind = SDSIM_CONTENT_FILL, .fill = (uint8_t)bytes};
    }
    uint64_t done;
    const enum sdsim_fat_result result =
        sdsim_file_write(&handle->file, &model->now, &content, bytes, &done);
    if (handle->mode == SDSIM_OPEN_READ) {
        SDSIM_MODEL_EXPECT(model, result == SDSIM_FAT_DENIED);
        return;
    }
    SDSIM_MODEL_EXPECT(model, result == SDSIM_FAT_OK);
    SDSIM_MODEL_EXPECT(model, done <= bytes);
    model->was_full = model->was_full || done < bytes;
    if (!sdsim_fat_model_is_fatfs(model) && done < bytes) {
        SDSIM_MODEL_EXPECT(model, done == 0);
        recover(model, handle, bytes);
        return;
    }
    sdsim_content_bytes(&content, 0, node->bytes + handle->position, (size_t)done);
    memset(node->known + handle->position, 1, (size_t)done);
    handle->position += done;
    if (handle->position > node->size) {
        node->size = handle->position;
    }
    SDSIM_MODEL_EXPECT(model, handle->file.object.size == node->size);
    SDSIM_MODEL_EXPECT(model, handle->file.position == handle->position);
}

void sdsim_fat_model_compare(struct sdsim_fat_model *model, const struct sdsim_model_node *node,
                             uint64_t from, uint64_t count)
{
    for (uint64_t i = 0; i < count && from + i < SDSIM_MODEL_SIZE; i++) {
        if (node->known[from + i] && node->bytes[from + i] != model->out[i]) {
            fail_msg("seed %llu, step %llu: byte %llu of %s is wrong",
                     (unsigned long long)model->seed, (unsigned long long)model->steps,
                     (unsigned long long)(from + i), node->name);
        }
    }
}

static void step_read(struct sdsim_fat_model *model, struct sdsim_model_handle *handle)
{
    const struct sdsim_model_node *node = &model->nodes[handle->node];
    const uint64_t bytes = sdsim_fat_model_below(model, 3) == 0
                               ? sdsim_fat_model_below(model, SDSIM_MODEL_CALL)
                               : sdsim_fat_model_below(model, 1200);
    const uint64_t left = node->size - handle->position;
    uint64_t done;
    const enum sdsim_fat_result result =
        sdsim_file_read(&handle->file, &model->now, bytes, model->out, &done);
    const bool readable = handle->mode != SDSIM_OPEN_WRITE && handle->mode != SDSIM_OPEN_APPEND &&
                          handle->mode != SDSIM_OPEN_APPEND_END;
    if (!readable) {
        SDSIM_MODEL_EXPECT(model, result == SDSIM_FAT_DENIED);
        return;
    }
    SDSIM_MODEL_EXPECT(model, result == SDSIM_FAT_OK);
    SDSIM_MODEL_EXPECT(model, done == (bytes < left ? bytes : left));
    sdsim_fat_model_compare(model, node, handle->position, done);
    handle->position += done;
}

static void step_seek(struct sdsim_fat_model *model, struct sdsim_model_handle *handle)
{
    struct sdsim_model_node *node = &model->nodes[handle->node];
    const uint32_t reach = (uint32_t)(node->size + node->size / 4 + 1000);
    const uint64_t target =
        sdsim_fat_model_below(model, reach < SDSIM_MODEL_SIZE ? reach : SDSIM_MODEL_SIZE);
    if (sdsim_fat_model_is_classic(model)) { /* or what fat/classic.h tells of happens */
        SDSIM_MODEL_EXPECT(model, sdsim_file_sync(&handle->file, &model->now) == SDSIM_FAT_OK);
    }
    const enum sdsim_fat_result result = sdsim_file_seek(&handle->file, &model->now, target);
    if (!sdsim_fat_model_is_fatfs(model) && target > node->size) {
        SDSIM_MODEL_EXPECT(model, result == SDSIM_FAT_INVALID_ARGUMENT);
        SDSIM_MODEL_EXPECT(model, handle->file.position == handle->position);
        return;
    }
    SDSIM_MODEL_EXPECT(model, result == SDSIM_FAT_OK);
    handle->position = handle->file.position;
    if (target <= node->size || handle->mode == SDSIM_OPEN_READ) {
        SDSIM_MODEL_EXPECT(model, handle->position == (target < node->size ? target : node->size));
        return;
    }
    SDSIM_MODEL_EXPECT(model, handle->position <= target); /* less when the volume is full */
    if (handle->position > node->size) {
        forget_bytes(node, node->size, handle->position);
        node->size = handle->position;
    }
    SDSIM_MODEL_EXPECT(model, handle->file.object.size == node->size);
}

static void step_truncate(struct sdsim_fat_model *model, struct sdsim_model_handle *handle)
{
    const enum sdsim_fat_result result = sdsim_file_truncate(&handle->file, &model->now);
    if (handle->mode == SDSIM_OPEN_READ) {
        SDSIM_MODEL_EXPECT(model, result == SDSIM_FAT_DENIED);
        return;
    }
    SDSIM_MODEL_EXPECT(model, result == SDSIM_FAT_OK);
    model->nodes[handle->node].size = handle->position;
    SDSIM_MODEL_EXPECT(model, handle->file.object.size == handle->position);
}

static void step_expand(struct sdsim_fat_model *model, struct sdsim_model_handle *handle)
{
    struct sdsim_model_node *node = &model->nodes[handle->node];
    const uint64_t bytes = sdsim_fat_model_below(model, 30000);
    /* SdFat: a write that found no room may leave clusters to an empty file. */
    const bool taken =
        node->size != 0 || (!sdsim_fat_model_is_fatfs(model) && handle->file.object.start != 0);
    const enum sdsim_fat_result result = sdsim_file_expand(&handle->file, &model->now, bytes);
    if (taken || bytes == 0 || handle->mode == SDSIM_OPEN_READ) {
        SDSIM_MODEL_EXPECT(model, result == SDSIM_FAT_DENIED);
    } else if (!sdsim_fat_model_no_room(result)) {
        SDSIM_MODEL_EXPECT(model, result == SDSIM_FAT_OK);
        node->size = bytes;
        forget_bytes(node, 0, bytes);
    }
}

void sdsim_fat_model_close_handle(struct sdsim_fat_model *model, struct sdsim_model_handle *handle)
{
    SDSIM_MODEL_EXPECT(model, sdsim_file_close(&handle->file, &model->now) == SDSIM_FAT_OK);
    handle->node = -1;
}

void sdsim_fat_model_step_on_file(struct sdsim_fat_model *model)
{
    struct sdsim_model_handle *handle = open_handle(model);
    if (handle == NULL) {
        return;
    }
    switch (sdsim_fat_model_below(model, 16)) {
    case 0:
        sdsim_fat_model_close_handle(model, handle);
        break;
    case 1:
        SDSIM_MODEL_EXPECT(model, sdsim_file_sync(&handle->file, &model->now) == SDSIM_FAT_OK);
        break;
    case 2:
        step_truncate(model, handle);
        break;
    case 3:
        step_expand(model, handle);
        break;
    case 4:
    case 5:
    case 6:
        step_seek(model, handle);
        break;
    case 7:
    case 8:
    case 9:
    case 10:
        step_read(model, handle);
        break;
    default:
        step_write(model, handle);
        break;
    }
}
