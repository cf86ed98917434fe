#include "fat_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fat/chain.h"
#include "fat/tree.h"
#include "fat_model_internal.h"

void sdsim_fat_model_node_path(const struct sdsim_fat_model *model, int32_t node, char *path,
                               size_t size)
{
    char above[256] = "";
    if (model->nodes[node].parent >= 0) {
        sdsim_fat_model_node_path(model, model->nodes[node].parent, above, sizeof above);
    }
    (void)snprintf(path, size, "%s/%s", above, model->nodes[node].name);
}

/* A new name, unlike all others, long or short. */
static void make_name(struct sdsim_fat_model *model, char *name, size_t size)
{
    const unsigned number = (unsigned)(model->steps % 100000);
    switch (model->short_names ? sdsim_fat_model_below(model, 2)
                               : sdsim_fat_model_below(model, 5)) {
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
                       1 + (int)sdsim_fat_model_below(model, 20), "abcdefghijklmnopqrstuvwxyz");
        break;
    }
}

bool sdsim_fat_model_is_open(const struct sdsim_fat_model *model, int32_t node)
{
    for (uint32_t i = 0; i < SDSIM_MODEL_HANDLES; i++) {
        if (model->handles[i].node == node) {
            return true;
        }
    }
    return false;
}

/* A random node that exists and is (or is no) directory; -1 if there is none. */
int32_t sdsim_fat_model_pick(struct sdsim_fat_model *model, bool directory)
{
    const uint32_t start = sdsim_fat_model_below(model, SDSIM_MODEL_NODES);
    for (uint32_t i = 0; i < SDSIM_MODEL_NODES; i++) {
        const uint32_t node = (start + i) % SDSIM_MODEL_NODES;
        if (model->nodes[node].exists && model->nodes[node].directory == directory) {
            return (int32_t)node;
        }
    }
    return -1;
}

static int32_t pick_parent(struct sdsim_fat_model *model)
{
    return sdsim_fat_model_below(model, 2) == 0 ? -1 : sdsim_fat_model_pick(model, true);
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
int32_t sdsim_fat_model_prepare_node(struct sdsim_fat_model *model, bool directory)
{
    for (uint32_t i = 0; i < SDSIM_MODEL_NODES; i++) {
        struct sdsim_model_node *node = &model->nodes[i];
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

/* SdFat makes a file of a new directory first; without room for its cluster it stays one. */
static void clean_up(struct sdsim_fat_model *model, const char *path)
{
    if (!sdsim_fat_model_is_fatfs(model)) {
        const enum sdsim_fat_result result = sdsim_tree_unlink(model->volume, &model->now, path);
        SDSIM_MODEL_EXPECT(model, result == SDSIM_FAT_OK || result == SDSIM_FAT_NO_FILE);
    }
}

static void step_mkdir(struct sdsim_fat_model *model)
{
    const int32_t node = sdsim_fat_model_prepare_node(model, true);
    char path[256];
    if (node < 0) {
        return;
    }
    sdsim_fat_model_node_path(model, node, path, sizeof path);
    const enum sdsim_fat_result result = sdsim_tree_mkdir(model->volume, &model->now, path);
    if (sdsim_fat_model_no_room(result)) {
        clean_up(model, path);
        return;
    }
    SDSIM_MODEL_EXPECT(model, result == SDSIM_FAT_OK);
    model->nodes[node].exists = true;
    SDSIM_MODEL_EXPECT(model,
                       sdsim_tree_mkdir(model->volume, &model->now, path) == SDSIM_FAT_EXISTS);
}

static bool has_children(const struct sdsim_fat_model *model, int32_t node)
{
    for (uint32_t i = 0; i < SDSIM_MODEL_NODES; i++) {
        if (model->nodes[i].exists && model->nodes[i].parent == node) {
            return true;
        }
    }
    return false;
}

static void step_unlink(struct sdsim_fat_model *model)
{
    const int32_t node = sdsim_fat_model_pick(model, sdsim_fat_model_below(model, 3) == 0);
    char path[256];
    if (node < 0 || sdsim_fat_model_is_open(model, node)) {
        return;
    }
    sdsim_fat_model_node_path(model, node, path, sizeof path);
    const enum sdsim_fat_result result = sdsim_tree_unlink(model->volume, &model->now, path);
    if (has_children(model, node)) {
        SDSIM_MODEL_EXPECT(model, result == SDSIM_FAT_DENIED);
    } else {
        SDSIM_MODEL_EXPECT(model, result == SDSIM_FAT_OK);
        model->nodes[node].exists = false;
        SDSIM_MODEL_EXPECT(model, sdsim_tree_stat(model->volume, &model->now, path, NULL) ==
                                      SDSIM_FAT_NO_FILE);
    }
}

/* Renames in place or moves; files only move (a directory could become its own child). */
static void step_rename(struct sdsim_fat_model *model)
{
    const bool directory = sdsim_fat_model_below(model, 4) == 0;
    const int32_t node = sdsim_fat_model_pick(model, directory);
    if (node < 0 || sdsim_fat_model_is_open(model, node)) {
        return;
    }
    struct sdsim_model_node *target = &model->nodes[node];
    const struct sdsim_model_node before = *target;
    char from[256];
    char to[256];
    sdsim_fat_model_node_path(model, node, from, sizeof from);
    make_name(model, target->name, sizeof target->name);
    if (!directory) {
        target->parent = pick_parent(model);
    }
    sdsim_fat_model_node_path(model, node, to, sizeof to);
    const enum sdsim_fat_result result = sdsim_tree_rename(model->volume, &model->now, from, to);
    if (sdsim_fat_model_no_room(result)) {
        memcpy(target->name, before.name, sizeof target->name);
        target->parent = before.parent;
        clean_up(model, to);
    } else {
        SDSIM_MODEL_EXPECT(model, result == SDSIM_FAT_OK);
    }
}

static void step_stat(struct sdsim_fat_model *model)
{
    const int32_t node = sdsim_fat_model_pick(model, false);
    char path[256];
    if (node < 0 || sdsim_fat_model_is_open(model, node)) {
        return;
    }
    sdsim_fat_model_node_path(model, node, path, sizeof path);
    struct sdsim_dir_info entry;
    SDSIM_MODEL_EXPECT(model,
                       sdsim_tree_stat(model->volume, &model->now, path, &entry) == SDSIM_FAT_OK);
    SDSIM_MODEL_EXPECT(model, entry.size == model->nodes[node].size);
    SDSIM_MODEL_EXPECT(model, (entry.attributes & SDSIM_ATTR_DIRECTORY) == 0);
}

/* The count that is kept from now on must be that of the FAT or bitmap, at the end too. */
static void step_free(struct sdsim_fat_model *model)
{
    uint32_t clusters;
    const enum sdsim_fat_result result = sdsim_tree_free(model->volume, &model->now, &clusters);
    if (sdsim_fat_model_is_classic(model)) {
        SDSIM_MODEL_EXPECT(model, result == SDSIM_FAT_DENIED);
        return;
    }
    SDSIM_MODEL_EXPECT(model, result == SDSIM_FAT_OK);
    SDSIM_MODEL_EXPECT(model, clusters <= model->volume->geometry.clusters);
}

void sdsim_fat_model_step(struct sdsim_fat_model *model)
{
    model->steps++;
    switch (sdsim_fat_model_below(model, 50) == 0 ? 100 : sdsim_fat_model_below(model, 20)) {
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
        sdsim_fat_model_step_open(model);
        break;
    default:
        sdsim_fat_model_step_on_file(model);
        break;
    }
}

/* Every entry of a directory is one of the model's nodes, and all of these are there. */
static void verify_listing(struct sdsim_fat_model *model, int32_t directory)
{
    char path[256] = "/";
    if (directory >= 0) {
        sdsim_fat_model_node_path(model, directory, path, sizeof path);
    }
    uint32_t expected = 0;
    for (uint32_t i = 0; i < SDSIM_MODEL_NODES; i++) {
        expected += model->nodes[i].exists && model->nodes[i].parent == directory;
    }
    struct sdsim_dir_list listing;
    struct sdsim_dir_info entry;
    SDSIM_MODEL_EXPECT(model, sdsim_dir_list_open(&listing, model->volume, &model->now, path) ==
                                  SDSIM_FAT_OK);
    uint32_t found = 0;
    for (;;) {
        bool more;
        SDSIM_MODEL_EXPECT(model, sdsim_dir_list_next(&listing, &model->now, &entry, &more) ==
                                      SDSIM_FAT_OK);
        if (!more) {
            break;
        }
        found++;
        bool known = false;
        for (uint32_t i = 0; i < SDSIM_MODEL_NODES && !known; i++) {
            const struct sdsim_model_node *node = &model->nodes[i];
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
    SDSIM_MODEL_EXPECT(model, found == expected);
    SDSIM_MODEL_EXPECT(model, sdsim_dir_list_close(&listing, &model->now) == SDSIM_FAT_OK);
}

static void verify_file(struct sdsim_fat_model *model, int32_t node)
{
    char path[256];
    sdsim_fat_model_node_path(model, node, path, sizeof path);
    struct sdsim_file file;
    SDSIM_MODEL_EXPECT(model, sdsim_file_open(&file, model->volume, &model->now, path,
                                              SDSIM_OPEN_READ) == SDSIM_FAT_OK);
    SDSIM_MODEL_EXPECT(model, file.object.size == model->nodes[node].size);
    for (uint64_t at = 0; at < file.object.size;) {
        uint64_t done;
        SDSIM_MODEL_EXPECT(model,
                           sdsim_file_read(&file, &model->now,
                                           1 + sdsim_fat_model_below(model, SDSIM_MODEL_CALL),
                                           model->out, &done) == SDSIM_FAT_OK);
        SDSIM_MODEL_EXPECT(model, done > 0);
        sdsim_fat_model_compare(model, &model->nodes[node], at, done);
        at += done;
    }
    SDSIM_MODEL_EXPECT(model, sdsim_file_close(&file, &model->now) == SDSIM_FAT_OK);
}

void sdsim_fat_model_verify(struct sdsim_fat_model *model)
{
    for (uint32_t i = 0; i < SDSIM_MODEL_HANDLES; i++) {
        if (model->handles[i].node >= 0) {
            sdsim_fat_model_close_handle(model, &model->handles[i]);
        }
    }
    const uint32_t known = model->volume->free_clusters;
    const struct sdsim_volume_config config = model->volume->config;
    sdsim_volume_unmount(model->volume);
    SDSIM_MODEL_EXPECT(model, sdsim_volume_mount(model->volume, model->disk, &config,
                                                 &model->now) == SDSIM_FAT_OK);
    verify_listing(model, -1);
    for (uint32_t i = 0; i < SDSIM_MODEL_NODES; i++) {
        if (model->nodes[i].exists && model->nodes[i].directory) {
            verify_listing(model, (int32_t)i);
        } else if (model->nodes[i].exists) {
            verify_file(model, (int32_t)i);
        }
    }
    uint32_t counted;
    SDSIM_MODEL_EXPECT(model, sdsim_chain_count_free(model->volume, &counted) == SDSIM_FAT_OK);
    SDSIM_MODEL_EXPECT(model, known == SDSIM_UNKNOWN || known == counted);
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
    for (uint32_t i = 0; i < SDSIM_MODEL_NODES; i++) {
        model->nodes[i].bytes = calloc(SDSIM_MODEL_SIZE, 1);
        model->nodes[i].known = calloc(SDSIM_MODEL_SIZE, 1);
        assert_non_null(model->nodes[i].bytes);
        assert_non_null(model->nodes[i].known);
    }
    for (uint32_t i = 0; i < SDSIM_MODEL_HANDLES; i++) {
        model->handles[i].node = -1;
    }
    return model;
}

bool sdsim_fat_model_was_full(const struct sdsim_fat_model *model)
{
    return model->was_full;
}

void sdsim_fat_model_destroy(struct sdsim_fat_model *model)
{
    for (uint32_t i = 0; i < SDSIM_MODEL_HANDLES; i++) {
        if (model->handles[i].node >= 0) {
            sdsim_file_drop(&model->handles[i].file);
        }
    }
    for (uint32_t i = 0; i < SDSIM_MODEL_NODES; i++) {
        free(model->nodes[i].bytes);
        free(model->nodes[i].known);
    }
    free(model);
}
