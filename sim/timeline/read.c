#include "timeline/read.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "timeline/codec.h"
#include "timeline/file.h"

/* The blocks of spans of a lane, in order. */
struct place_list {
    struct sdsim_tl_block *items;
    size_t count;
    size_t capacity;
};

struct sdsim_timeline_reader {
    struct sdsim_store_source source; /* first */
    struct sdsim_timeline *timeline;
    FILE *file;
    uint64_t size;
    ZSTD_DCtx *zstd;
    uint8_t *packed;
    size_t packed_room;
    uint8_t *unpacked;
    size_t unpacked_room;
    struct place_list places[SDSIM_LANE_COUNT];
    bool cut;
    char fault[200]; /* empty: none */
};

static bool fail(struct sdsim_timeline_reader *reader, uint64_t offset, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool fail(struct sdsim_timeline_reader *reader, uint64_t offset, const char *format, ...)
{
    if (reader->fault[0] == '\0') {
        va_list arguments;
        const int used =
            snprintf(reader->fault, sizeof reader->fault, "offset %" PRIu64 ": ", offset);
        va_start(arguments, format);
        vsnprintf(reader->fault + used, sizeof reader->fault - (size_t)used, format, arguments);
        va_end(arguments);
    }
    return false;
}

/* ---- blocks ---- */

static bool read_at(struct sdsim_timeline_reader *reader, uint64_t offset, void *out, size_t size)
{
    if (fseeko(reader->file, (off_t)offset, SEEK_SET) != 0 ||
        fread(out, 1, size, reader->file) != size) {
        return fail(reader, offset, "can't read: %s",
                    ferror(reader->file) ? strerror(errno) : "the file has become shorter");
    }
    return true;
}

static bool room(uint8_t **data, size_t *there, size_t size)
{
    if (*there >= size && *data != NULL) {
        return true;
    }
    uint8_t *larger = realloc(*data, size > 0 ? size : 1);
    if (larger == NULL) {
        return false;
    }
    *data = larger;
    *there = size;
    return true;
}

/* The head of the block at an offset; the block lies within the file. *beyond: it does not. */
static bool read_head(struct sdsim_timeline_reader *reader, uint64_t offset,
                      struct sdsim_tl_block *block, bool *beyond)
{
    uint8_t head[SDSIM_TL_BLOCK_HEAD];
    *beyond = offset > reader->size || reader->size - offset < sizeof head;
    if (*beyond) {
        return fail(reader, offset, "the file ends within a block");
    }
    if (!read_at(reader, offset, head, sizeof head)) {
        return false;
    }
    const char *fault = sdsim_tl_get_block(head, block);
    if (fault != NULL) {
        return fail(reader, offset, "%s", fault);
    }
    block->offset = offset;
    *beyond = block->packed > reader->size - offset - sizeof head;
    return *beyond ? fail(reader, offset, "the file ends within a block") : true;
}

/* The contents of a block whose head has been read; good until the next one. */
static bool read_contents(struct sdsim_timeline_reader *reader, const struct sdsim_tl_block *block,
                          struct sdsim_bytes *bytes)
{
    if (!room(&reader->packed, &reader->packed_room, block->packed) ||
        !room(&reader->unpacked, &reader->unpacked_room, block->unpacked)) {
        return fail(reader, block->offset, "out of memory");
    }
    if (!read_at(reader, block->offset + SDSIM_TL_BLOCK_HEAD, reader->packed, block->packed)) {
        return false;
    }
    const size_t size = ZSTD_decompressDCtx(reader->zstd, reader->unpacked, block->unpacked,
                                            reader->packed, block->packed);
    if (ZSTD_isError(size) || size != block->unpacked) {
        return fail(reader, block->offset, "the block is damaged: %s",
                    ZSTD_isError(size) ? ZSTD_getErrorName(size) : "it is shorter than it says");
    }
    *bytes = (struct sdsim_bytes){.at = reader->unpacked, .end = reader->unpacked + size};
    return true;
}

/* ---- what is in them ---- */

static bool take_text(struct sdsim_timeline_reader *reader, const struct sdsim_tl_block *block)
{
    struct sdsim_bytes bytes;
    if (!read_contents(reader, block, &bytes)) {
        return false;
    }
    char name[600];
    const uint64_t length = sdsim_get_varint(&bytes);
    const size_t left = (size_t)(bytes.end - bytes.at);
    if (bytes.bad || length >= sizeof name || length > left) {
        return fail(reader, block->offset, "a text has no possible name");
    }
    memcpy(name, bytes.at, (size_t)length);
    name[length] = '\0';
    return sdsim_timeline_add_text(reader->timeline, name, (const char *)bytes.at + length,
                                   left - (size_t)length)
               ? true
               : fail(reader, block->offset, "out of memory");
}

static bool take_details(struct sdsim_timeline_reader *reader, const struct sdsim_tl_block *block)
{
    struct sdsim_bytes bytes;
    struct sdsim_details *details = &reader->timeline->details;
    if (!read_contents(reader, block, &bytes)) {
        return false;
    }
    if (block->first != details->count) {
        return fail(reader, block->offset, "details are missing before these");
    }
    const char *fault = sdsim_decode_details(&bytes, details, block->count);
    return fault != NULL ? fail(reader, block->offset, "%s", fault) : true;
}

/* Notes where a block of spans is. `again`: it may replace the last one. */
static bool take_place(struct sdsim_timeline_reader *reader, const struct sdsim_tl_block *block,
                       bool again)
{
    struct place_list *places = &reader->places[block->lane];
    const struct sdsim_tl_block *last =
        places->count > 0 ? &places->items[places->count - 1] : NULL;
    if (block->count == 0 || block->count > SDSIM_BLOCK_SPANS) {
        return fail(reader, block->offset, "a block has no possible number of spans");
    }
    if (again && last != NULL && block->first == last->first && block->count >= last->count) {
        places->count--;
        last = places->count > 0 ? &places->items[places->count - 1] : NULL;
    }
    if (block->first != (uint64_t)places->count * SDSIM_BLOCK_SPANS ||
        (last != NULL && last->count != SDSIM_BLOCK_SPANS)) {
        return fail(reader, block->offset, "spans are missing before these");
    }
    if (places->count == places->capacity) {
        const size_t capacity = places->capacity > 0 ? 2 * places->capacity : 16;
        struct sdsim_tl_block *items = realloc(places->items, capacity * sizeof *items);
        if (items == NULL) {
            return fail(reader, block->offset, "out of memory");
        }
        places->items = items;
        places->capacity = capacity;
    }
    places->items[places->count++] = *block;
    return true;
}

static uint64_t spans_of(const struct place_list *places)
{
    return places->count == 0 ? 0
                              : (uint64_t)(places->count - 1) * SDSIM_BLOCK_SPANS +
                                    places->items[places->count - 1].count;
}

/* Reads and decodes a block of spans whose place is known. */
static bool read_spans(struct sdsim_timeline_reader *reader, const struct sdsim_tl_block *place,
                       struct sdsim_block *block, sdsim_ps *starts, sdsim_ps *end)
{
    struct sdsim_tl_block head;
    struct sdsim_bytes bytes;
    bool beyond;
    if (!read_head(reader, place->offset, &head, &beyond) ||
        !read_contents(reader, &head, &bytes)) {
        return false;
    }
    if (head.type != SDSIM_TL_SPANS || head.lane != place->lane || head.first != place->first ||
        head.count != place->count) {
        return fail(reader, place->offset, "this is not the block the index speaks of");
    }
    const char *fault =
        sdsim_decode_spans(&bytes, (enum sdsim_lane)head.lane, reader->timeline->details.count,
                           block, head.count, starts, end);
    return fault != NULL ? fail(reader, place->offset, "%s", fault) : true;
}

static bool fetch(struct sdsim_store_source *source, enum sdsim_lane lane, size_t number,
                  struct sdsim_block *block, size_t count)
{
    struct sdsim_timeline_reader *reader = (struct sdsim_timeline_reader *)source;
    const struct sdsim_tl_block *place = &reader->places[lane].items[number];
    const struct sdsim_pyramid_node *nodes =
        &reader->timeline->lanes[lane].summary.nodes[2][number * SDSIM_BLOCK_GROUPS];
    sdsim_ps starts[SDSIM_BLOCK_GROUPS];
    sdsim_ps end;
    if (reader->file == NULL || !read_spans(reader, place, block, starts, &end)) {
        return false;
    }
    for (size_t i = 0; i * SDSIM_GROUP_SPANS < count; i++) {
        if (nodes[i].start != starts[i]) {
            return fail(reader, place->offset, "the spans are not those of the summary");
        }
    }
    return true;
}

/* ---- a whole file ---- */

static bool take_summary(struct sdsim_timeline_reader *reader, const struct sdsim_tl_block *block)
{
    struct sdsim_pyramid *summary = &reader->timeline->lanes[block->lane].summary;
    const bool items = block->type == SDSIM_TL_ITEMS_OF;
    const uint64_t spans = spans_of(&reader->places[block->lane]);
    const size_t most_items = (size_t)((spans + SDSIM_FAN - 1) / SDSIM_FAN);
    const size_t most_nodes = (size_t)((spans + SDSIM_GROUP_SPANS - 1) / SDSIM_GROUP_SPANS);
    const size_t there = items ? summary->count : summary->counts[2];
    struct sdsim_bytes bytes;
    if (!read_contents(reader, block, &bytes)) {
        return false;
    }
    /* An item has at least 3 bytes, a node 2, so what is allocated is bounded by what there is. */
    if (block->first != there || block->count > block->unpacked / 2 ||
        block->count > (items ? most_items : most_nodes) - there) {
        return fail(reader, block->offset, "a summary is not of these spans");
    }
    if (!sdsim_pyramid_reserve(summary, items ? there + block->count : summary->count,
                               items ? summary->counts[2] : there + block->count)) {
        return fail(reader, block->offset, "out of memory");
    }
    const char *fault =
        items ? sdsim_decode_items(&bytes, summary, block->count)
              : sdsim_decode_nodes(&bytes, (enum sdsim_lane)block->lane, summary, block->count);
    return fault != NULL ? fail(reader, block->offset, "%s", fault) : true;
}

static bool take_entry(struct sdsim_timeline_reader *reader, const struct sdsim_tl_block *entry,
                       uint64_t index)
{
    struct sdsim_tl_block block;
    bool beyond;
    if (entry->type == SDSIM_TL_SPANS && entry->lane < SDSIM_LANE_COUNT) {
        return take_place(reader, entry, false);
    }
    if (!read_head(reader, entry->offset, &block, &beyond)) {
        return false;
    }
    if (block.type != entry->type || block.lane != entry->lane || entry->offset >= index) {
        return fail(reader, entry->offset, "this is not the block the index speaks of");
    }
    switch (block.type) {
    case SDSIM_TL_TEXT:
        return take_text(reader, &block);
    case SDSIM_TL_DETAILS:
        return take_details(reader, &block);
    case SDSIM_TL_ITEMS_OF:
    case SDSIM_TL_NODES_OF:
        return take_summary(reader, &block);
    default:
        return fail(reader, entry->offset, "the index speaks of a block of an unknown kind");
    }
}

static bool complete_lane(struct sdsim_timeline_reader *reader, enum sdsim_lane lane,
                          uint64_t count, sdsim_ps end, uint64_t index)
{
    struct sdsim_store *store = &reader->timeline->lanes[lane];
    struct sdsim_pyramid *summary = &store->summary;
    if (spans_of(&reader->places[lane]) != count ||
        summary->count != (count + SDSIM_FAN - 1) / SDSIM_FAN ||
        summary->counts[2] != (count + SDSIM_GROUP_SPANS - 1) / SDSIM_GROUP_SPANS ||
        (summary->count > 0 && summary->starts[summary->count - 1] > end)) {
        return fail(reader, index, "the index does not fit what it speaks of");
    }
    store->end = end;
    return sdsim_pyramid_raise(summary) && sdsim_store_attach(store, &reader->source, count)
               ? true
               : fail(reader, index, "out of memory");
}

static bool open_whole(struct sdsim_timeline_reader *reader, uint64_t index)
{
    struct sdsim_tl_block block;
    struct sdsim_bytes bytes;
    uint64_t counts[SDSIM_LANE_COUNT];
    sdsim_ps ends[SDSIM_LANE_COUNT];
    bool beyond;
    if (!read_head(reader, index, &block, &beyond) || !read_contents(reader, &block, &bytes)) {
        return false;
    }
    /* What follows reads other blocks, so the index is kept apart. */
    uint8_t *copy = malloc(block.unpacked > 0 ? block.unpacked : 1);
    if (copy == NULL) {
        return fail(reader, index, "out of memory");
    }
    memcpy(copy, reader->unpacked, block.unpacked);
    bytes = (struct sdsim_bytes){.at = copy, .end = copy + block.unpacked};
    for (int lane = 0; lane < SDSIM_LANE_COUNT; lane++) {
        counts[lane] = sdsim_get_varint(&bytes);
        ends[lane] = sdsim_get_varint(&bytes);
    }
    bool fine = block.type == SDSIM_TL_INDEX ? true : fail(reader, index, "this is no index");
    uint64_t offset = 0;
    for (uint32_t i = 0; i < block.count && fine; i++) {
        const uint8_t *what = sdsim_get_bytes(&bytes, 2);
        struct sdsim_tl_block entry = {.type = what != NULL ? what[0] : 0,
                                       .lane = what != NULL ? what[1] : 0};
        entry.first = sdsim_get_varint(&bytes);
        entry.count = (uint32_t)sdsim_get_varint(&bytes);
        offset += sdsim_get_varint(&bytes);
        entry.offset = offset;
        fine = bytes.bad ? fail(reader, index, "the index is cut off")
                         : take_entry(reader, &entry, index);
    }
    for (int lane = 0; lane < SDSIM_LANE_COUNT && fine; lane++) {
        fine = complete_lane(reader, (enum sdsim_lane)lane, counts[lane], ends[lane], index);
    }
    free(copy);
    return fine;
}

/* ---- a file that was cut off ---- */

/* Finds all blocks up to the cut. */
static bool scan(struct sdsim_timeline_reader *reader)
{
    uint64_t offset = SDSIM_TL_HEAD;
    bool fine = true;
    while (fine && reader->size - offset >= SDSIM_TL_BLOCK_HEAD) {
        struct sdsim_tl_block block;
        bool beyond;
        if (!read_head(reader, offset, &block, &beyond)) {
            if (beyond) {
                reader->fault[0] = '\0'; /* that is the cut */
            }
            return beyond;
        }
        switch (block.type) {
        case SDSIM_TL_TEXT:
            fine = take_text(reader, &block);
            break;
        case SDSIM_TL_DETAILS:
            fine = take_details(reader, &block);
            break;
        case SDSIM_TL_SPANS:
            fine = take_place(reader, &block, true);
            break;
        default: /* summaries are made again */
            break;
        }
        offset += SDSIM_TL_BLOCK_HEAD + (uint64_t)block.packed;
    }
    return fine;
}

/* Takes full blocks only to let go of them: their summary has been made. */
static bool let_go(struct sdsim_store_sink *sink, enum sdsim_lane lane, uint64_t first,
                   const struct sdsim_block *block, size_t count, const sdsim_ps *starts)
{
    (void)sink;
    (void)lane;
    (void)first;
    (void)block;
    (void)count;
    (void)starts;
    return true;
}

static bool rebuild_lane(struct sdsim_timeline_reader *reader, enum sdsim_lane lane)
{
    struct sdsim_store_sink sink = {.block = let_go};
    struct sdsim_store *store = &reader->timeline->lanes[lane];
    const struct place_list *places = &reader->places[lane];
    bool fine = true;
    store->sink = &sink;
    for (size_t i = 0; i < places->count && fine; i++) {
        struct sdsim_block block = {.spans = NULL};
        sdsim_ps starts[SDSIM_BLOCK_GROUPS];
        sdsim_ps end;
        fine = read_spans(reader, &places->items[i], &block, starts, &end);
        if (fine && store->summary.count > 0 &&
            starts[0] < store->summary.starts[store->summary.count - 1]) {
            fine = fail(reader, places->items[i].offset, "the spans are not in order");
        }
        if (fine && !sdsim_store_add_block(store, &block, places->items[i].count, starts, end)) {
            fine = fail(reader, places->items[i].offset, "out of memory");
        }
        free(block.spans);
        free(block.rares);
    }
    if (fine && !sdsim_store_finish(store)) {
        fine = fail(reader, reader->size, "out of memory");
    }
    store->sink = NULL;
    const uint64_t count = store->count;
    free(store->blocks);
    store->blocks = NULL;
    return fine && (sdsim_store_attach(store, &reader->source, count)
                        ? true
                        : fail(reader, reader->size, "out of memory"));
}

static bool open_cut(struct sdsim_timeline_reader *reader)
{
    bool fine = scan(reader);
    for (int lane = 0; lane < SDSIM_LANE_COUNT && fine; lane++) {
        fine = rebuild_lane(reader, (enum sdsim_lane)lane);
    }
    reader->cut = true;
    return fine;
}

/* ---- opening ---- */

void sdsim_timeline_reader_close(struct sdsim_timeline_reader *reader)
{
    if (reader == NULL) {
        return;
    }
    if (reader->file != NULL) {
        fclose(reader->file);
    }
    ZSTD_freeDCtx(reader->zstd);
    free(reader->packed);
    free(reader->unpacked);
    for (int lane = 0; lane < SDSIM_LANE_COUNT; lane++) {
        free(reader->places[lane].items);
    }
    free(reader);
}

const char *sdsim_timeline_reader_fault(const struct sdsim_timeline_reader *reader)
{
    return reader->fault[0] != '\0' ? reader->fault : NULL;
}

bool sdsim_timeline_reader_was_cut(const struct sdsim_timeline_reader *reader)
{
    return reader->cut;
}

static bool open_file(struct sdsim_timeline_reader *reader)
{
    uint8_t head[SDSIM_TL_HEAD];
    uint8_t tail[SDSIM_TL_TAIL];
    uint64_t index;
    if (reader->size < sizeof head) {
        return fail(reader, reader->size, "the file ends before a timeline begins");
    }
    if (!read_at(reader, 0, head, sizeof head)) {
        return false;
    }
    const char *fault = sdsim_tl_check_head(head);
    if (fault != NULL) {
        return fail(reader, 0, "%s", fault);
    }
    const uint64_t tail_at = reader->size - sizeof tail;
    const bool whole = reader->size >= sizeof head + sizeof tail &&
                       read_at(reader, tail_at, tail, sizeof tail) &&
                       sdsim_tl_get_tail(tail, reader->size, &index);
    return whole ? open_whole(reader, index) : open_cut(reader);
}

struct sdsim_timeline_reader *sdsim_timeline_open(const char *path, struct sdsim_timeline *timeline,
                                                  struct sdsim_diags *diags)
{
    struct sdsim_timeline_reader *reader = calloc(1, sizeof *reader);
    if (reader == NULL) {
        sdsim_error(diags, path, "out of memory");
        return NULL;
    }
    reader->source.fetch = fetch;
    reader->timeline = timeline;
    reader->zstd = ZSTD_createDCtx();
    reader->file = fopen(path, "rb");
    bool fine =
        reader->zstd != NULL && reader->file != NULL && fseeko(reader->file, 0, SEEK_END) == 0;
    const off_t size = fine ? ftello(reader->file) : -1;
    if (size < 0) {
        sdsim_error(diags, path, "can't open it: %s",
                    reader->zstd != NULL ? strerror(errno) : "out of memory");
        sdsim_timeline_reader_close(reader);
        return NULL;
    }
    reader->size = (uint64_t)size;
    if (!open_file(reader)) {
        sdsim_error(diags, path, "%s", reader->fault);
        sdsim_timeline_free(timeline);
        sdsim_timeline_reader_close(reader);
        return NULL;
    }
    for (int lane = 0; lane < SDSIM_LANE_COUNT; lane++) {
        const sdsim_ps end = timeline->lanes[lane].end;
        timeline->end = end > timeline->end ? end : timeline->end;
    }
    timeline->finished = true;
    if (reader->cut) {
        const struct sdsim_place place = {.file = path};
        sdsim_diag_add(diags, SDSIM_WARNING, &place, NULL, 0, NULL,
                       "the timeline was cut off after %" PRIu64
                       " bytes; what was complete by then is shown",
                       reader->size);
    }
    return reader;
}
