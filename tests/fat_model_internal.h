/*
 * The inside of the model of fat_model.h: fat_model.c has the tree, fat_model_files.c the open files.
 */
#ifndef SDSIM_TEST_FAT_MODEL_INTERNAL_H
#define SDSIM_TEST_FAT_MODEL_INTERNAL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/rng.h"
#include "fat/file.h"
#include "fat_model.h"

#define SDSIM_MODEL_NODES   24u
#define SDSIM_MODEL_HANDLES 3u
#define SDSIM_MODEL_SIZE    200000u /* bytes a file may grow to by writing */
#define SDSIM_MODEL_CALL    20000u  /* bytes of the longest call */

struct sdsim_model_node {
    bool exists;
    bool directory;
    int32_t parent; /* index, -1: the root */
    char name[80];
    uint8_t *bytes;
    uint8_t *known; /* per byte: it was written */
    uint64_t size;
};

struct sdsim_model_handle {
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
    bool was_full;
    sdsim_ps now;
    struct sdsim_model_node nodes[SDSIM_MODEL_NODES];
    struct sdsim_model_handle handles[SDSIM_MODEL_HANDLES];
    uint8_t out[SDSIM_MODEL_CALL];
};

static inline uint32_t sdsim_fat_model_below(struct sdsim_fat_model *model, uint32_t bound)
{
    return (uint32_t)sdsim_rng_below(&model->rng, bound);
}

#define SDSIM_MODEL_EXPECT(model, condition)                                                       \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fail_msg("seed %llu, step %llu: %s is false", (unsigned long long)(model)->seed,       \
                     (unsigned long long)(model)->steps, #condition);                              \
        }                                                                                          \
    } while (0)

/* SdFat and the classic library have other answers where something goes wrong. */
static inline bool sdsim_fat_model_is_fatfs(const struct sdsim_fat_model *model)
{
    return model->volume->config.library == SDSIM_LIBRARY_FATFS;
}

static inline bool sdsim_fat_model_is_classic(const struct sdsim_fat_model *model)
{
    return model->volume->config.library == SDSIM_LIBRARY_CLASSIC;
}

/* True if the answer means that there is no room for another entry or cluster. */
static inline bool sdsim_fat_model_no_room(enum sdsim_fat_result result)
{
    return result == SDSIM_FAT_DENIED;
}

/* ---- fat_model.c ---- */

void sdsim_fat_model_node_path(const struct sdsim_fat_model *model, int32_t node, char *path,
                               size_t size);
bool sdsim_fat_model_is_open(const struct sdsim_fat_model *model, int32_t node);

/* A random node that exists and is (or is no) directory; -1 if there is none. */
int32_t sdsim_fat_model_pick(struct sdsim_fat_model *model, bool directory);

/* A free node with a new name; -1 if all are in use. It does not exist yet. */
int32_t sdsim_fat_model_prepare_node(struct sdsim_fat_model *model, bool directory);

/* ---- fat_model_files.c ---- */

void sdsim_fat_model_step_open(struct sdsim_fat_model *model);
void sdsim_fat_model_step_on_file(struct sdsim_fat_model *model);
void sdsim_fat_model_close_handle(struct sdsim_fat_model *model, struct sdsim_model_handle *handle);

/* model->out holds `count` bytes that were read from byte `from` of the node. */
void sdsim_fat_model_compare(struct sdsim_fat_model *model, const struct sdsim_model_node *node,
                             uint64_t from, uint64_t count);

#endif
