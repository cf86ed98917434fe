#include "timeline/write.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "timeline/codec.h"
#include "timeline/file.h"

enum {
    LEVEL = 1,                /* of zstd: higher ones gain little on these planes */
    BLOCKS_A_CHECKPOINT = 32, /* full blocks between two looks at the slow lanes */
};

struct sdsim_timeline_writer {
    struct sdsim_store_sink sink; /* first */
    struct sdsim_timeline *timeline;
    FILE *file; /* not owned */
    ZSTD_CCtx *zstd;
    uint64_t offset;
    struct sdsim_buffer packed;
    struct sdsim_tl_block *index; /* what has been written, but what later blocks replaced */
    size_t index_count;
    size_t index_capacity;
    size_t rows_written;
    size_t names_written;
    unsigned since_checkpoint;
    uint64_t checkpointed[SDSIM_LANE_COUNT]; /* spans of the lane in the file */
    int error;                               /* errno of the first failure, 0: none */
};

static bool put(struct sdsim_timeline_writer *writer, const void *data, size_t size)
{
    if (writer->error == 0 && fwrite(data, 1, size, writer->file) != size) {
        writer->error = errno != 0 ? errno : EIO;
    }
    writer->offset += size;
    return writer->error == 0;
}

static bool remember(struct sdsim_timeline_writer *writer, const struct sdsim_tl_block *block)
{
    if (writer->index_count == writer->index_capacity) {
        const size_t capacity = writer->index_capacity > 0 ? 2 * writer->index_capacity : 64;
        struct sdsim_tl_block *index = realloc(writer->index, capacity * sizeof *index);
        if (index == NULL) {
            writer->error = ENOMEM;
            return false;
        }
        writer->index = index;
        writer->index_capacity = capacity;
    }
    writer->index[writer->index_count++] = *block;
    return true;
}

/* Packs the contents of a block and writes it; frees the contents. `indexed`: it is there to stay. */
static bool put_block(struct sdsim_timeline_writer *writer, struct sdsim_tl_block *block,
                      struct sdsim_buffer *contents, bool indexed)
{
    const size_t bound = ZSTD_compressBound(contents->size);
    bool fine = !contents->failed && writer->error == 0;
    if (fine && writer->packed.capacity < bound) {
        uint8_t *data = realloc(writer->packed.data, bound);
        fine = data != NULL;
        writer->packed.data = fine ? data : writer->packed.data;
        writer->packed.capacity = fine ? bound : writer->packed.capacity;
    }
    if (!fine) {
        writer->error = writer->error != 0 ? writer->error : ENOMEM;
        sdsim_buffer_free(contents);
        return false;
    }
    const size_t packed = ZSTD_compress2(writer->zstd, writer->packed.data, writer->packed.capacity,
                                         contents->data, contents->size);
    if (ZSTD_isError(packed)) {
        writer->error = ENOMEM;
        sdsim_buffer_free(contents);
        return false;
    }
    block->unpacked = (uint32_t)contents->size;
    block->packed = (uint32_t)packed;
    block->offset = writer->offset;
    sdsim_buffer_free(contents);
    uint8_t head[SDSIM_TL_BLOCK_HEAD];
    sdsim_tl_put_block(head, block);
    return put(writer, head, sizeof head) && put(writer, writer->packed.data, packed) &&
           (!indexed || remember(writer, block));
}

/* ---- while the run goes on ---- */

/* The details that came since the last time: spans that use them follow. */
static bool put_details(struct sdsim_timeline_writer *writer)
{
    const struct sdsim_details *details = &writer->timeline->details;
    if (details->count == writer->rows_written && details->name_count == writer->names_written) {
        return true;
    }
    struct sdsim_tl_block block = {.type = SDSIM_TL_DETAILS,
                                   .first = writer->rows_written,
                                   .count = (uint32_t)(details->count - writer->rows_written)};
    struct sdsim_buffer contents = {.data = NULL};
    sdsim_encode_details(&contents, details, writer->rows_written, writer->names_written);
    writer->rows_written = details->count;
    writer->names_written = details->name_count;
    return put_block(writer, &block, &contents, true);
}

static bool put_spans(struct sdsim_timeline_writer *writer, enum sdsim_lane lane, uint64_t first,
                      const struct sdsim_block *spans, size_t count, const sdsim_ps *starts,
                      bool indexed)
{
    struct sdsim_tl_block block = {
        .type = SDSIM_TL_SPANS, .lane = (uint8_t)lane, .first = first, .count = (uint32_t)count};
    struct sdsim_buffer contents = {.data = NULL};
    sdsim_encode_spans(&contents, spans, count, starts);
    writer->checkpointed[lane] = first + count;
    return put_details(writer) && put_block(writer, &block, &contents, indexed);
}

/* The lanes that fill slowly, as far as they are. */
static bool checkpoint(struct sdsim_timeline_writer *writer)
{
    bool fine = true;
    for (int lane = 0; lane < SDSIM_LANE_COUNT && fine; lane++) {
        const struct sdsim_store *store = &writer->timeline->lanes[lane];
        const size_t count = store->count % SDSIM_BLOCK_SPANS;
        if (count > 0 && store->count > writer->checkpointed[lane]) {
            fine =
                put_spans(writer, (enum sdsim_lane)lane, store->count - count,
                          &store->blocks[store->block_count - 1], count, store->open_starts, false);
        }
    }
    return fine;
}

static bool take_block(struct sdsim_store_sink *sink, enum sdsim_lane lane, uint64_t first,
                       const struct sdsim_block *block, size_t count, const sdsim_ps *starts)
{
    struct sdsim_timeline_writer *writer = (struct sdsim_timeline_writer *)sink;
    bool fine = put_spans(writer, lane, first, block, count, starts, true);
    if (count == SDSIM_BLOCK_SPANS && ++writer->since_checkpoint >= BLOCKS_A_CHECKPOINT) {
        writer->since_checkpoint = 0;
        /* The store at work has counted its full block, so it has nothing to be looked at. */
        fine = fine && checkpoint(writer) && fflush(writer->file) == 0;
    }
    return fine;
}

static bool put_text(struct sdsim_timeline_writer *writer, const struct sdsim_setup_text *text)
{
    struct sdsim_tl_block block = {.type = SDSIM_TL_TEXT, .count = 1};
    struct sdsim_buffer contents = {.data = NULL};
    const size_t length = strlen(text->name);
    sdsim_put_varint(&contents, length);
    sdsim_put_bytes(&contents, text->name, length);
    sdsim_put_bytes(&contents, text->text, text->size);
    return put_block(writer, &block, &contents, true);
}

static void destroy(struct sdsim_timeline_writer *writer)
{
    ZSTD_freeCCtx(writer->zstd);
    sdsim_buffer_free(&writer->packed);
    free(writer->index);
    free(writer);
}

struct sdsim_timeline_writer *
sdsim_timeline_writer_open(FILE *stream, struct sdsim_timeline *timeline, char *why, size_t size)
{
    struct sdsim_timeline_writer *writer = calloc(1, sizeof *writer);
    if (writer == NULL) {
        snprintf(why, size, "out of memory");
        return NULL;
    }
    *writer = (struct sdsim_timeline_writer){.sink = {.block = take_block}, .timeline = timeline};
    writer->zstd = ZSTD_createCCtx();
    writer->file = stream;
    if (writer->zstd == NULL) {
        snprintf(why, size, "out of memory");
        destroy(writer);
        return NULL;
    }
    ZSTD_CCtx_setParameter(writer->zstd, ZSTD_c_compressionLevel, LEVEL);
    ZSTD_CCtx_setParameter(writer->zstd, ZSTD_c_checksumFlag, 1);
    uint8_t head[SDSIM_TL_HEAD];
    sdsim_tl_put_head(head);
    bool fine = put(writer, head, sizeof head);
    for (size_t i = 0; i < timeline->text_count && fine; i++) {
        fine = put_text(writer, &timeline->texts[i]);
    }
    if (!fine) {
        snprintf(why, size, "%s", strerror(writer->error));
        destroy(writer);
        return NULL;
    }
    for (int lane = 0; lane < SDSIM_LANE_COUNT; lane++) {
        timeline->lanes[lane].sink = &writer->sink;
    }
    return writer;
}

/* ---- the end ---- */

static bool put_summary(struct sdsim_timeline_writer *writer, enum sdsim_lane lane)
{
    const struct sdsim_pyramid *summary = &writer->timeline->lanes[lane].summary;
    bool fine = true;
    for (size_t i = 0; i < summary->count && fine; i += SDSIM_TL_ITEMS) {
        const size_t left = summary->count - i;
        struct sdsim_tl_block block = {
            .type = SDSIM_TL_ITEMS_OF,
            .lane = (uint8_t)lane,
            .first = i,
            .count = (uint32_t)(left < SDSIM_TL_ITEMS ? left : SDSIM_TL_ITEMS)};
        struct sdsim_buffer contents = {.data = NULL};
        sdsim_encode_items(&contents, summary, i, block.count);
        fine = put_block(writer, &block, &contents, true);
    }
    for (size_t i = 0; i < summary->counts[2] && fine; i += SDSIM_TL_NODES) {
        const size_t left = summary->counts[2] - i;
        struct sdsim_tl_block block = {
            .type = SDSIM_TL_NODES_OF,
            .lane = (uint8_t)lane,
            .first = i,
            .count = (uint32_t)(left < SDSIM_TL_NODES ? left : SDSIM_TL_NODES)};
        struct sdsim_buffer contents = {.data = NULL};
        sdsim_encode_nodes(&contents, summary, i, block.count);
        fine = put_block(writer, &block, &contents, true);
    }
    return fine;
}

static bool put_index(struct sdsim_timeline_writer *writer)
{
    struct sdsim_tl_block block = {.type = SDSIM_TL_INDEX, .count = (uint32_t)writer->index_count};
    struct sdsim_buffer contents = {.data = NULL};
    uint64_t last = 0;
    for (int lane = 0; lane < SDSIM_LANE_COUNT; lane++) {
        sdsim_put_varint(&contents, writer->timeline->lanes[lane].count);
        sdsim_put_varint(&contents, writer->timeline->lanes[lane].end);
    }
    for (size_t i = 0; i < writer->index_count; i++) {
        const struct sdsim_tl_block *entry = &writer->index[i];
        const uint8_t what[2] = {entry->type, entry->lane};
        sdsim_put_bytes(&contents, what, sizeof what);
        sdsim_put_varint(&contents, entry->first);
        sdsim_put_varint(&contents, entry->count);
        sdsim_put_varint(&contents, entry->offset - last);
        last = entry->offset;
    }
    const uint64_t offset = writer->offset;
    if (!put_block(writer, &block, &contents, false)) {
        return false;
    }
    uint8_t tail[SDSIM_TL_TAIL];
    sdsim_tl_put_tail(tail, offset, writer->offset + sizeof tail);
    return put(writer, tail, sizeof tail);
}

bool sdsim_timeline_writer_close(struct sdsim_timeline_writer *writer, char *why, size_t size)
{
    const char *fault = NULL;
    const bool finished = sdsim_timeline_finish(writer->timeline, &fault);
    for (int lane = 0; lane < SDSIM_LANE_COUNT; lane++) {
        writer->timeline->lanes[lane].sink = NULL;
    }
    bool fine = finished && put_details(writer);
    for (int lane = 0; lane < SDSIM_LANE_COUNT && fine; lane++) {
        fine = put_summary(writer, (enum sdsim_lane)lane);
    }
    fine = fine && put_index(writer);
    errno = 0;
    if (fflush(writer->file) != 0 && writer->error == 0) {
        writer->error = errno != 0 ? errno : EIO;
    }
    if (writer->error != 0 || !fine) {
        snprintf(why, size, "%s",
                 writer->error != 0 ? strerror(writer->error)
                 : fault != NULL    ? fault
                                    : "out of memory");
        fine = false;
    }
    destroy(writer);
    return fine;
}
