#include "fat_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/rng.h"
#include "fat/chain.h"
#include "fat/file.h"
#include "fat/tree.h"

#define NODES   24u
#define HANDLES 3u
#define SIZE    200000u /* bytes a file may grow to by writing */
#define CALL    20000u  /* bytes of the longest call */

struct node {
    bool exists;
    bool directory;
    int32_t parent; /* index, -1: the root */
    char name[80];
    uint8_t *bytes;
    uint8_t *known; /* per byte: it was written */
    uint64_t size;
};

struct handle {
    struct sdsim_file file;
    int32_t node; /* -1: not open */
    enum sdsim_open_mode mode;
    uint64_t position;
};

struct sdsim_fat_model {
    struct sdsim_volume *volume;
    const struct sdsim_disk *disk;
    struct sdsim_rng rng;
    uint64_t seed;
    uint64_t steps;
    uint64_t streams;
    bool short_names;
    sdsim_ps now;
    struct node nodes[NODES];
    struct handle handles[HANDLES];
    uint8_t out[CALL];
};

static uint32_t below(struct sdsim_fat_model *model, uint32_t bound)
{
    return (uint32_t)sdsim_rng_below(&model->rng, bound);
}

#define EXPECT(model, condition)                                                                   \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fail_msg("seed %llu, step %llu: %s is false", (unsigned long long)(model)->seed,       \
                     (unsigned long long)(model)->steps, #condition);                              \
        }                                                                                          \
    } while (0)

static void node_path(const struct sdsim_fat_model *model, int32_t node, char *path, size_t size)
{
    char above[256] = "";
    if (model->nodes[node].parent >= 0) {
        node_path(model, model->nodes[node].parent, above, sizeof above);
    }
    (void)snprintf(path, size, "%s/%s", above, model->nodes[node].name);
}

/* A new name, unlike all others, long or short. */
static void make_name(struct sdsim_fat_model *model, char *name, size_t size)
{
    const unsigned number = (unsigned)(model->steps % 100000);
    switch (model->short_names ? below(model, 2) : below(model, 5)) {
    case 0:
        (void)snprintf(name, size, "F%05u.TXT", number);
        break;
    case 1:
        (void)snprintf(name, size, "N%05u", number);
        break;
    case 2:
        (void)snprintf(name, size, "low%05u.bin", number);
        break;
    case 3:
        (void)snprintf(name, size, "same beginning %05u.data", number);
        break;
    default:
        (void)snprintf(name, size, "%05u Rather-Long-Name-With-Many-Letters-In-It.%.*s", number,
                       1 + (int)below(model, 20), "abcdefghijklmnopqrstuvwxyz");
        break;
    }
}

static bool is_open(const struct sdsim_fat_model *model, int32_t node)
{
    for (uint32_t i = 0; i < HANDLES; i++) {
        if (model->handles[i].node == node) {
            return true;
        }
    }
    return false;
}

/* A random node that exists and is (or is no) directory; -1 if there is none. */
static int32_t pick(struct sdsim_fat_model *model, bool directory)
{
    const uint32_t start = below(model, NODES);
    for (uint32_t i = 0; i < NODES; i++) {
        const uint32_t node = (start + i) % NODES;
        if (model->nodes[node].exists && model->nodes[node].directory == directory) {
            return (int32_t)node;
        }
    }
    return -1;
}

static int32_t pick_parent(struct sdsim_fat_model *model)
{
    return below(model, 2) == 0 ? -1 : pick(model, true);
}

static int32_t depth(const struct sdsim_fat_model *model, int32_t node)
{
    int32_t levels = 0;
    for (; node >= 0; node = model->nodes[node].parent) {
        levels++;
    }
    return levels;
}

/* A free node with a new name; -1 if all are in use. It does not exist yet. */
static int32_t prepare_node(struct sdsim_fat_model *model, bool directory)
{
    for (uint32_t i = 0; i < NODES; i++) {
        struct node *node = &model->nodes[i];
        if (!node->exists) {
            node->directory = directory;
            node->parent = pick_parent(model);
            node->size = 0;
            if (depth(model, node->parent) > 2) {
                node->parent = -1;
            }
            make_name(model, node->name, sizeof node->name);
            return (int32_t)i;
        }
    }
    return -1;
}

/* True if the answer means that there is no room for another entry or cluster. */
static bool no_room(enum sdsim_fat_result result)
{
    return result == SDSIM_FAT_DENIED;
}

static void step_open(struct sdsim_fat_model *model)
{
    struct handle *handle = &model->handles[below(model, HANDLES)];
    if (handle->node >= 0) {
        return;
    }
    const bool create = below(model, 3) == 0;
    const int32_t node = create ? prepare_node(model, false) : pick(model, false);
    if (node < 0 || is_open(model, node)) {
        return;
    }
    char path[256];
    node_path(model, node, path, sizeof path);
    const enum sdsim_open_mode mode = (enum sdsim_open_mode)below(model, 7);
    const enum sdsim_fat_result result =
        sdsim_file_open(&handle->file, model->volume, &model->now, path, mode);
    struct node *target = &model->nodes[node];
    const bool must_exist = mode == SDSIM_OPEN_READ || mode == SDSIM_OPEN_UPDATE;
    if (create && must_exist) {
        EXPECT(model, result == SDSIM_FAT_NO_FILE);
        return;
    }
    if (create && no_room(result)) {
        return;
    }
    EXPECT(model, result == SDSIM_FAT_OK);
    target->exists = true;
    if (mode == SDSIM_OPEN_WRITE || mode == SDSIM_OPEN_WRITE_READ) {
        target->size = 0;
    }
    EXPECT(model, handle->file.object.size == target->size);
    handle->node = node;
    handle->mode = mode;
    handle->position = handle->file.position;
    EXPECT(model, handle->position == 0 || handle->position == target->size);
}

static struct handle *open_handle(struct sdsim_fat_model *model)
{
    const uint32_t start = below(model, HANDLES);
    for (uint32_t i = 0; i < HANDLES; i++) {
        struct handle *handle = &model->handles[(start + i) % HANDLES];
        if (handle->node >= 0) {
            return handle;
        }
    }
    return NULL;
}

/* Bytes from..to of the file exist but hold anything. */
static void forget_bytes(struct node *node, uint64_t from, uint64_t to)
{
    for (uint64_t i = from; i < to && i < SIZE; i++) {
        node->known[i] = 0;
    }
}

static void step_write(struct sdsim_fat_model *model, struct handle *handle)
{
    struct node *node = &model->nodes[handle->node];
    if (handle->mode == SDSIM_OPEN_APPEND && handle->file.seeks_each_write) {
        handle->position = node->size;
    }
    const uint64_t room = SIZE > handle->position ? SIZE - handle->position : 0;
    uint64_t bytes = below(model, 3) == 0 ? below(model, CALL) : below(model, 1200);
    bytes = bytes < room ? bytes : room;
    struct sdsim_content content = {.kind = SDSIM_CONTENT_GENERATED,
                                    .seed = below(model, 3) == 0 ? model->streams++
                                                                 : (uint64_t)handle->node,
                                    .offset = handle->position};
    if (below(model, 8) == 0) {
        content = (struct sdsim_content){.kind = SDSIM_CONTENT_FILL, .fill = (uint8_t)bytes};
    }
    uint64_t done;
    const enum sdsim_fat_result result =
        sdsim_file_write(&handle->file, &model->now, &content, bytes, &done);
    if (handle->mode == SDSIM_OPEN_READ) {
        EXPECT(model, result == SDSIM_FAT_DENIED);
        return;
    }
    EXPECT(model, result == SDSIM_FAT_OK);
    EXPECT(model, done <= bytes);
    sdsim_content_bytes(&content, 0, node->bytes + handle->position, (size_t)done);
    memset(node->known + handle->position, 1, (size_t)done);
    handle->position += done;
    if (handle->position > node->size) {
        node->size = handle->position;
    }
    EXPECT(model, handle->file.object.size == node->size);
    EXPECT(model, handle->file.position == handle->position);
}

static void compare(struct sdsim_fat_model *model, const struct node *node, uint64_t from,
                    uint64_t count)
{
    for (uint64_t i = 0; i < count && from + i < SIZE; i++) {
        if (node->known[from + i] && node->bytes[from + i] != model->out[i]) {
            fail_msg("seed %llu, step %llu: byte %llu of %s is wrong",
                     (unsigned long long)model->seed, (unsigned long long)model->steps,
                     (unsigned long long)(from + i), node->name);
        }
    }
}

static void step_read(struct sdsim_fat_model *model, struct handle *handle)
{
    const struct node *node = &model->nodes[handle->node];
    const uint64_t bytes = below(model, 3) == 0 ? below(model, CALL) : below(model, 1200);
    const uint64_t left = node->size - handle->position;
    uint64_t done;
    const enum sdsim_fat_result result =
        sdsim_file_read(&handle->file, &model->now, bytes, model->out, &done);
    const bool readable = handle->mode != SDSIM_OPEN_WRITE && handle->mode != SDSIM_OPEN_APPEND &&
                          handle->mode != SDSIM_OPEN_APPEND_END;
    if (!readable) {
        EXPECT(model, result == SDSIM_FAT_DENIED);
        return;
    }
    EXPECT(model, result == SDSIM_FAT_OK);
    EXPECT(model, done == (bytes < left ? bytes : left));
    compare(model, node, handle->position, done);
    handle->position += done;
}

static void step_seek(struct sdsim_fat_model *model, struct handle *handle)
{
    struct node *node = &model->nodes[handle->node];
    const uint32_t reach = (uint32_t)(node->size + node->size / 4 + 1000);
    const uint64_t target = below(model, reach < SIZE ? reach : SIZE);
    EXPECT(model, sdsim_file_seek(&handle->file, &model->now, target) == SDSIM_FAT_OK);
    handle->position = handle->file.position;
    if (target <= node->size || handle->mode == SDSIM_OPEN_READ) {
        EXPECT(model, handle->position == (target < node->size ? target : node->size));
        return;
    }
    EXPECT(model, handle->position <= target); /* less when the volume is full */
    if (handle->position > node->size) {
        forget_bytes(node, node->size, handle->position);
        node->size = handle->position;
    }
    EXPECT(model, handle->file.object.size == node->size);
}

static void step_truncate(struct sdsim_fat_model *model, struct handle *handle)
{
    const enum sdsim_fat_result result = sdsim_file_truncate(&handle->file, &model->now);
    if (handle->mode == SDSIM_OPEN_READ) {
        EXPECT(model, result == SDSIM_FAT_DENIED);
        return;
    }
    EXPECT(model, result == SDSIM_FAT_OK);
    model->nodes[handle->node].size = handle->position;
    EXPECT(model, handle->file.object.size == handle->position);
}

static void step_expand(struct sdsim_fat_model *model, struct handle *handle)
{
    struct node *node = &model->nodes[handle->node];
    const uint64_t bytes = below(model, 30000);
    const enum sdsim_fat_result result = sdsim_file_expand(&handle->file, &model->now, bytes);
    if (node->size != 0 || bytes == 0 || handle->mode == SDSIM_OPEN_READ) {
        EXPECT(model, result == SDSIM_FAT_DENIED);
    } else if (!no_room(result)) {
        EXPECT(model, result == SDSIM_FAT_OK);
        node->size = bytes;
        forget_bytes(node, 0, bytes);
    }
}

static void close_handle(struct sdsim_fat_model *model, struct handle *handle)
{
    EXPECT(model, sdsim_file_close(&handle->file, &model->now) == SDSIM_FAT_OK);
    handle->node = -1;
}

static void step_on_file(struct sdsim_fat_model *model)
{
    struct handle *handle = open_handle(model);
    if (handle == NULL) {
        return;
    }
    switch (below(model, 16)) {
    case 0:
        close_handle(model, handle);
        break;
    case 1:
        EXPECT(model, sdsim_file_sync(&handle->file, &model->now) == SDSIM_FAT_OK);
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

static void step_mkdir(struct sdsim_fat_model *model)
{
    const int32_t node = prepare_node(model, true);
    char path[256];
    if (node < 0) {
        return;
    }
    node_path(model, node, path, sizeof path);
    const enum sdsim_fat_result result = sdsim_tree_mkdir(model->volume, &model->now, path);
    if (!no_room(result)) {
        EXPECT(model, result == SDSIM_FAT_OK);
        model->nodes[node].exists = true;
        EXPECT(model, sdsim_tree_mkdir(model->volume, &model->now, path) == SDSIM_FAT_EXISTS);
    }
}

static bool has_children(const struct sdsim_fat_model *model, int32_t node)
{
    for (uint32_t i = 0; i < NODES; i++) {
        if (model->nodes[i].exists && model->nodes[i].parent == node) {
            return true;
        }
    }
    return false;
}

static void step_unlink(struct sdsim_fat_model *model)
{
    const int32_t node = pick(model, below(model, 3) == 0);
    char path[256];
    if (node < 0 || is_open(model, node)) {
        return;
    }
    node_path(model, node, path, sizeof path);
    const enum sdsim_fat_result result = sdsim_tree_unlink(model->volume, &model->now, path);
    if (has_children(model, node)) {
        EXPECT(model, result == SDSIM_FAT_DENIED);
    } else {
        EXPECT(model, result == SDSIM_FAT_OK);
        model->nodes[node].exists = false;
        EXPECT(model, sdsim_tree_stat(model->volume, &model->now, path, NULL) == SDSIM_FAT_NO_FILE);
    }
}

/* Renames in place or moves; files only move (a directory could become its own child). */
static void step_rename(struct sdsim_fat_model *model)
{
    const bool directory = below(model, 4) == 0;
    const int32_t node = pick(model, directory);
    if (node < 0 || is_open(model, node)) {
        return;
    }
    struct node *target = &model->nodes[node];
    const struct node before = *target;
    char from[256];
    char to[256];
    node_path(model, node, from, sizeof from);
    make_name(model, target->name, sizeof target->name);
    if (!directory) {
        target->parent = pick_parent(model);
    }
    node_path(model, node, to, sizeof to);
    const enum sdsim_fat_result result = sdsim_tree_rename(model->volume, &model->now, from, to);
    if (no_room(result)) {
        memcpy(target->name, before.name, sizeof target->name);
        target->parent = before.parent;
    } else {
        EXPECT(model, result == SDSIM_FAT_OK);
    }
}

static void step_stat(struct sdsim_fat_model *model)
{
    const int32_t node = pick(model, false);
    char path[256];
    if (node < 0 || is_open(model, node)) {
        return;
    }
    node_path(model, node, path, sizeof path);
    struct sdsim_dir_info entry;
    EXPECT(model, sdsim_tree_stat(model->volume, &model->now, path, &entry) == SDSIM_FAT_OK);
    EXPECT(model, entry.size == model->nodes[node].size);
    EXPECT(model, (entry.attributes & SDSIM_ATTR_DIRECTORY) == 0);
}

/* The count that is kept from now on must be that of the FAT or bitmap, at the end too. */
static void step_free(struct sdsim_fat_model *model)
{
    uint32_t clusters;
    EXPECT(model, sdsim_tree_free(model->volume, &model->now, &clusters) == SDSIM_FAT_OK);
    EXPECT(model, clusters <= model->volume->geometry.clusters);
}

void sdsim_fat_model_step(struct sdsim_fat_model *model)
{
    model->steps++;
    switch (below(model, 50) == 0 ? 100 : below(model, 20)) {
    case 100:
        step_free(model);
        break;
    case 0:
        step_mkdir(model);
        break;
    case 1:
        step_unlink(model);
        break;
    case 2:
        step_rename(model);
        break;
    case 3:
        step_stat(model);
        break;
    case 4:
    case 5:
    case 6:
        step_open(model);
        break;
    default:
        step_on_file(model);
        break;
    }
}

/* Every entry of a directory is one of the model's nodes, and all of these are there. */
static void verify_listing(struct sdsim_fat_model *model, int32_t directory)
{
    char path[256] = "/";
    if (directory >= 0) {
        node_path(model, directory, path, sizeof path);
    }
    uint32_t expected = 0;
    for (uint32_t i = 0; i < NODES; i++) {
        expected += model->nodes[i].exists && model->nodes[i].parent == directory;
    }
    struct sdsim_dir_list listing;
    struct sdsim_dir_info entry;
    EXPECT(model, sdsim_dir_list_open(&listing, model->volume, &model->now, path) == SDSIM_FAT_OK);
    uint32_t found = 0;
    for (;;) {
        bool more;
        EXPECT(model, sdsim_dir_list_next(&listing, &model->now, &entry, &more) == SDSIM_FAT_OK);
        if (!more) {
            break;
        }
        found++;
        bool known = false;
        for (uint32_t i = 0; i < NODES && !known; i++) {
            const struct node *node = &model->nodes[i];
            known = node->exists && node->parent == directory &&
                    strcmp(node->name, entry.name) == 0 &&
                    node->directory == ((entry.attributes & SDSIM_ATTR_DIRECTORY) != 0) &&
                    (node->directory || node->size == entry.size);
        }
        if (!known) {
            fail_msg("seed %llu: %s has an unknown entry '%s' of %llu bytes",
                     (unsigned long long)model->seed, path, entry.name,
                     (unsigned long long)entry.size);
        }
    }
    EXPECT(model, found == expected);
    EXPECT(model, sdsim_dir_list_close(&listing, &model->now) == SDSIM_FAT_OK);
}

static void verify_file(struct sdsim_fat_model *model, int32_t node)
{
    char path[256];
    node_path(model, node, path, sizeof path);
    struct sdsim_file file;
    EXPECT(model, sdsim_file_open(&file, model->volume, &model->now, path, SDSIM_OPEN_READ) ==
                      SDSIM_FAT_OK);
    EXPECT(model, file.object.size == model->nodes[node].size);
    for (uint64_t at = 0; at < file.object.size;) {
        uint64_t done;
        EXPECT(model, sdsim_file_read(&file, &model->now, 1 + below(model, CALL), model->out,
                                      &done) == SDSIM_FAT_OK);
        EXPECT(model, done > 0);
        compare(model, &model->nodes[node], at, done);
        at += done;
    }
    EXPECT(model, sdsim_file_close(&file, &model->now) == SDSIM_FAT_OK);
}

void sdsim_fat_model_verify(struct sdsim_fat_model *model)
{
    for (uint32_t i = 0; i < HANDLES; i++) {
        if (model->handles[i].node >= 0) {
            close_handle(model, &model->handles[i]);
        }
    }
    const uint32_t known = model->volume->free_clusters;
    const struct sdsim_volume_config config = model->volume->config;
    sdsim_volume_unmount(model->volume);
    EXPECT(model,
           sdsim_volume_mount(model->volume, model->disk, &config, &model->now) == SDSIM_FAT_OK);
    verify_listing(model, -1);
    for (uint32_t i = 0; i < NODES; i++) {
        if (model->nodes[i].exists && model->nodes[i].directory) {
            verify_listing(model, (int32_t)i);
        } else if (model->nodes[i].exists) {
            verify_file(model, (int32_t)i);
        }
    }
    uint32_t counted;
    EXPECT(model, sdsim_chain_count_free(model->volume, &counted) == SDSIM_FAT_OK);
    EXPECT(model, known == SDSIM_UNKNOWN || known == counted);
}

struct sdsim_fat_model *sdsim_fat_model_create(struct sdsim_volume *volume, uint64_t seed,
                                               bool short_names)
{
    struct sdsim_fat_model *model = calloc(1, sizeof *model);
    assert_non_null(model);
    model->volume = volume;
    model->disk = volume->disk;
    model->seed = seed;
    model->streams = 1000;
    model->short_names = short_names;
    sdsim_rng_seed(&model->rng, seed);
    for (uint32_t i = 0; i < NODES; i++) {
        model->nodes[i].bytes = calloc(SIZE, 1);
        model->nodes[i].known = calloc(SIZE, 1);
        assert_non_null(model->nodes[i].bytes);
        assert_non_null(model->nodes[i].known);
    }
    for (uint32_t i = 0; i < HANDLES; i++) {
        model->handles[i].node = -1;
    }
    return model;
}

void sdsim_fat_model_destroy(struct sdsim_fat_model *model)
{
    for (uint32_t i = 0; i < HANDLES; i++) {
        if (model->handles[i].node >= 0) {
            sdsim_file_drop(&model->handles[i].file);
        }
    }
    for (uint32_t i = 0; i < NODES; i++) {
        free(model->nodes[i].bytes);
        free(model->nodes[i].known);
    }
    free(model);
}
