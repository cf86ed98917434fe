/*
 * Timeline files. Input that begins with 's' is a file as it is. Anything else is blocks, which get the
 * heads and the check sums that belong to them, as a mutated file would be refused at once: of each a byte
 * for its type, one for its lane, four for `first`, two for the count, two for its size, and the contents;
 * the first byte of all tells whether the file has a tail that calls the last block its index.
 *
 * What is opened is looked at: pictures, searches, facts, sums, curves.
 */
#include "fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "core/diag.h"
#include "timeline/file.h"
#include "timeline/find.h"
#include "timeline/query.h"
#include "timeline/read.h"
#include "view/explore.h"
#include "view/facts.h"
#include "view/rows.h"

const unsigned sdsim_fuzz_runs = 2000;

enum { MOST_FILE = 1 << 20, WIDTH = 64 };

/* ---- making a file ---- */

struct file {
    uint8_t bytes[MOST_FILE];
    size_t size;
    size_t last; /* offset of the last block */
};

static void add_block(struct file *file, struct sdsim_fuzz_bytes *input)
{
    struct sdsim_tl_block block = {.type = sdsim_fuzz_byte(input), .lane = sdsim_fuzz_byte(input)};
    block.first = sdsim_fuzz_word(input);
    block.count = sdsim_fuzz_half(input);
    const size_t wished = sdsim_fuzz_half(input);
    const size_t size = wished < input->left ? wished : input->left;
    const size_t room = MOST_FILE - file->size;
    if (room < SDSIM_TL_BLOCK_HEAD + ZSTD_compressBound(size)) {
        return;
    }
    const size_t packed = ZSTD_compress(file->bytes + file->size + SDSIM_TL_BLOCK_HEAD,
                                        room - SDSIM_TL_BLOCK_HEAD, input->at, size, 1);
    SDSIM_FUZZ_HOLDS(!ZSTD_isError(packed));
    block.unpacked = (uint32_t)size;
    block.packed = (uint32_t)packed;
    sdsim_tl_put_block(file->bytes + file->size, &block);
    file->last = file->size;
    file->size += SDSIM_TL_BLOCK_HEAD + packed;
    input->at += size;
    input->left -= size;
}

static const char *make_file(const uint8_t *data, size_t size)
{
    static struct file file;
    struct sdsim_fuzz_bytes input = {.at = data, .left = size};
    const bool tail = sdsim_fuzz_byte(&input) % 2 == 1;
    file.size = SDSIM_TL_HEAD;
    file.last = SDSIM_TL_HEAD;
    sdsim_tl_put_head(file.bytes);
    while (input.left > 0) {
        add_block(&file, &input);
    }
    if (tail && file.size + SDSIM_TL_TAIL <= MOST_FILE) {
        sdsim_tl_put_tail(file.bytes + file.size, file.last, file.size + SDSIM_TL_TAIL);
        file.size += SDSIM_TL_TAIL;
    }
    return sdsim_fuzz_file(file.bytes, file.size, ".sdtl");
}

/* ---- looking at it ---- */

static void look_at_lane(struct sdsim_timeline *timeline, enum sdsim_lane lane)
{
    struct sdsim_store *store = &timeline->lanes[lane];
    struct sdsim_column columns[WIDTH];
    struct sdsim_range range;
    struct sdsim_found found[4];
    struct sdsim_facts facts;
    struct sdsim_span span;
    uint64_t number;
    const struct sdsim_wanted any = {.classes = 0};
    const sdsim_ps end = timeline->end > 0 ? timeline->end : 1;
    sdsim_lane_columns(store, 0, end, WIDTH, columns);
    sdsim_lane_columns(store, end / 3, end / 3 + end / 9 + 1, WIDTH, columns);
    for (int c = 0; c < WIDTH; c++) {
        SDSIM_FUZZ_HOLDS(columns[c].class == SDSIM_NO_CLASS || columns[c].class < SDSIM_CLASSES);
    }
    sdsim_lane_range(store, end / 4, end / 2 + 1, &range);
    (void)sdsim_lane_longest(store, &any, 4, found);
    (void)sdsim_lane_at(store, end / 2, &number);
    for (uint64_t i = 0; i < store->count && i < 40; i++) {
        char label[100];
        if (sdsim_store_span(store, i, &span)) {
            sdsim_span_label(timeline, &span, label, sizeof label);
            (void)sdsim_facts_of(timeline, lane, i, &facts);
        }
    }
}

static void look_at(struct sdsim_timeline *timeline)
{
    double values[WIDTH + 1];
    struct sdsim_column map[WIDTH];
    struct sdsim_rows rows = {.full = 30};
    struct sdsim_measured measured;
    const struct sdsim_axis axis = sdsim_axis_of(timeline->end, WIDTH);
    for (int lane = 0; lane < SDSIM_LANE_COUNT; lane++) {
        look_at_lane(timeline, (enum sdsim_lane)lane);
    }
    sdsim_rows_add(&rows, timeline, 0);
    sdsim_curve(timeline, &axis, SDSIM_ROW_BYTES, values);
    sdsim_curve(timeline, &axis, SDSIM_ROW_RATE, values);
    sdsim_minimap(timeline, WIDTH, map);
    sdsim_measure(timeline, 0, timeline->end, &measured);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sdsim_timeline *timeline = malloc(sizeof *timeline);
    struct sdsim_diags diags;
    const bool raw = size > 0 && data[0] == 's';
    const char *path = raw ? sdsim_fuzz_file(data, size, ".sdtl") : make_file(data, size);
    SDSIM_FUZZ_HOLDS(timeline != NULL);
    sdsim_diags_init(&diags);
    sdsim_timeline_init(timeline);
    struct sdsim_timeline_reader *reader = sdsim_timeline_open(path, timeline, &diags);
    if (reader != NULL) {
        look_at(timeline);
    } else {
        SDSIM_FUZZ_HOLDS(diags.errors > 0);
    }
    sdsim_timeline_reader_close(reader);
    sdsim_timeline_free(timeline);
    sdsim_diags_free(&diags);
    free(timeline);
    return 0;
}
