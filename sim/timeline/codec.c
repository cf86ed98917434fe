#include "timeline/codec.h"

#include <stdlib.h>
#include <string.h>

/* ---- bytes ---- */

void sdsim_buffer_free(struct sdsim_buffer *buffer)
{
    free(buffer->data);
    *buffer = (struct sdsim_buffer){.data = NULL};
}

static bool make_room(struct sdsim_buffer *buffer, size_t more)
{
    if (buffer->capacity - buffer->size >= more) {
        return true;
    }
    size_t capacity = buffer->capacity > 0 ? buffer->capacity : 4096;
    while (capacity - buffer->size < more) {
        capacity *= 2;
    }
    uint8_t *data = realloc(buffer->data, capacity);
    if (data == NULL) {
        buffer->failed = true;
        return false;
    }
    buffer->data = data;
    buffer->capacity = capacity;
    return true;
}

void sdsim_put_bytes(struct sdsim_buffer *buffer, const void *data, size_t size)
{
    if (size > 0 && make_room(buffer, size)) {
        memcpy(buffer->data + buffer->size, data, size);
        buffer->size += size;
    }
}

void sdsim_put_varint(struct sdsim_buffer *buffer, uint64_t value)
{
    if (!make_room(buffer, 10)) {
        return;
    }
    while (value >= 0x80) {
        buffer->data[buffer->size++] = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    buffer->data[buffer->size++] = (uint8_t)value;
}

static void put_byte(struct sdsim_buffer *buffer, unsigned value)
{
    const uint8_t byte = (uint8_t)value;
    sdsim_put_bytes(buffer, &byte, 1);
}

/* The difference of two numbers, modulo 2^64, small ones of either sign short. */
static void put_difference(struct sdsim_buffer *buffer, uint64_t from, uint64_t to)
{
    const uint64_t d = to - from;
    sdsim_put_varint(buffer, d << 1 ^ (d >> 63 != 0 ? UINT64_MAX : 0));
}

/* Any varint, byte by byte. */
static uint64_t get_slowly(struct sdsim_bytes *bytes)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (bytes->at == bytes->end) {
            break;
        }
        const uint8_t byte = *bytes->at++;
        value |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80) {
            return value;
        }
    }
    bytes->bad = true;
    return 0;
}

/* Eight bytes, the first one lowest. */
static inline uint64_t load(const uint8_t *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/* Up to eight bytes are taken at once: all bits of a span's times are read by this. */
static inline uint64_t get_varint(struct sdsim_bytes *bytes)
{
    if (bytes->end - bytes->at < 8) {
        return get_slowly(bytes);
    }
    const uint64_t word = load(bytes->at);
    const uint64_t ends = ~word & UINT64_C(0x8080808080808080); /* bytes with the top bit clear */
    if (ends == 0) {
        return get_slowly(bytes);
    }
    const unsigned last = (unsigned)__builtin_ctzll(ends); /* the top bit of the last byte */
    bytes->at += last / 8 + 1;
    /* Seven bits of each byte moved together: pairs of bytes, of 14 bits, of 28 bits. */
    uint64_t bits = word & (UINT64_MAX >> (63 - last)) & UINT64_C(0x7F7F7F7F7F7F7F7F);
    bits = (bits & UINT64_C(0x007F007F007F007F)) | (bits & UINT64_C(0x7F007F007F007F00)) >> 1;
    bits = (bits & UINT64_C(0x00003FFF00003FFF)) | (bits & UINT64_C(0x3FFF00003FFF0000)) >> 2;
    return (bits & UINT64_C(0x000000000FFFFFFF)) | (bits & UINT64_C(0x0FFFFFFF00000000)) >> 4;
}

uint64_t sdsim_get_varint(struct sdsim_bytes *bytes)
{
    return get_varint(bytes);
}

static inline uint64_t get_difference(struct sdsim_bytes *bytes, uint64_t from)
{
    const uint64_t d = get_varint(bytes);
    return from + (d >> 1 ^ ((d & 1) != 0 ? UINT64_MAX : 0));
}

const uint8_t *sdsim_get_bytes(struct sdsim_bytes *bytes, size_t size)
{
    if ((size_t)(bytes->end - bytes->at) < size) {
        bytes->bad = true;
        return NULL;
    }
    const uint8_t *at = bytes->at;
    bytes->at += size;
    return at;
}

/* ---- spans ---- */

enum plane {
    PLANE_START,
    PLANE_DURATION,
    PLANE_KIND,
    PLANE_PURPOSE,
    PLANE_DETAIL,
    PLANE_RARE,
    PLANE_COUNT
};

/* What a span stores as its duration and detail, whether they fit or not. */
static struct sdsim_rare whole_of(const struct sdsim_block *block, const struct sdsim_hot *hot)
{
    return sdsim_hot_is_rare(hot) ? block->rares[sdsim_hot_detail(hot)]
                                  : (struct sdsim_rare){.duration = sdsim_hot_duration(hot),
                                                        .count = 1,
                                                        .detail = sdsim_hot_detail(hot)};
}

void sdsim_encode_spans(struct sdsim_buffer *buffer, const struct sdsim_block *block, size_t count,
                        const sdsim_ps *starts)
{
    struct sdsim_buffer planes[PLANE_COUNT] = {{.data = NULL}};
    sdsim_ps last_end = 0;
    uint32_t last_detail = 0;
    for (size_t i = 0; i < count; i++) {
        const struct sdsim_hot *hot = &block->spans[i];
        const bool rare = sdsim_hot_is_rare(hot);
        put_byte(&planes[PLANE_KIND], sdsim_hot_kind(hot) << 4 | sdsim_hot_part(hot));
        put_byte(&planes[PLANE_PURPOSE], sdsim_hot_purpose(hot) << 1 | (rare ? 1 : 0));
        if (sdsim_hot_is_filler(hot)) {
            continue;
        }
        const sdsim_ps start = starts[i / SDSIM_GROUP_SPANS] + sdsim_hot_offset(hot);
        const struct sdsim_rare whole = whole_of(block, hot);
        put_difference(&planes[PLANE_START], last_end, start);
        sdsim_put_varint(&planes[PLANE_DURATION], whole.duration);
        put_difference(&planes[PLANE_DETAIL], last_detail, whole.detail);
        if (rare) {
            sdsim_put_varint(&planes[PLANE_RARE], whole.period);
            sdsim_put_varint(&planes[PLANE_RARE], whole.count);
        }
        last_end = start + whole.period * (whole.count - 1) + whole.duration;
        last_detail = whole.detail;
    }
    for (int i = 0; i < PLANE_COUNT; i++) {
        sdsim_put_varint(buffer, planes[i].size);
    }
    for (int i = 0; i < PLANE_COUNT; i++) {
        sdsim_put_bytes(buffer, planes[i].data, planes[i].size);
        buffer->failed = buffer->failed || planes[i].failed;
        sdsim_buffer_free(&planes[i]);
    }
}

/* A block that is decoded. */
struct decoding {
    struct sdsim_bytes planes[PLANE_COUNT];
    enum sdsim_lane lane;
    unsigned parts; /* of the lane */
    size_t details;
    struct sdsim_block *block;
    sdsim_ps *starts;
    sdsim_ps last_start;
    sdsim_ps last_end;
    sdsim_ps end;
    uint32_t last_detail;
};

static bool split_planes(struct sdsim_bytes *bytes, struct decoding *decoding)
{
    uint64_t sizes[PLANE_COUNT];
    for (int i = 0; i < PLANE_COUNT; i++) {
        sizes[i] = sdsim_get_varint(bytes);
    }
    for (int i = 0; i < PLANE_COUNT; i++) {
        const size_t left = (size_t)(bytes->end - bytes->at);
        if (bytes->bad || sizes[i] > left) {
            return false;
        }
        const uint8_t *at = sdsim_get_bytes(bytes, (size_t)sizes[i]);
        decoding->planes[i] = (struct sdsim_bytes){.at = at, .end = at + sizes[i]};
    }
    return bytes->at == bytes->end;
}

/* The next span, with all that is to be known of it; `rare` is what its plane says. */
static const char *next_span(struct decoding *decoding, struct sdsim_span *span, bool rare)
{
    struct sdsim_bytes *planes = decoding->planes;
    span->start = get_difference(&planes[PLANE_START], decoding->last_end);
    span->duration = get_varint(&planes[PLANE_DURATION]);
    const uint64_t detail = get_difference(&planes[PLANE_DETAIL], decoding->last_detail);
    span->count = 1;
    if (rare) {
        span->period = sdsim_get_varint(&planes[PLANE_RARE]);
        span->count = sdsim_get_varint(&planes[PLANE_RARE]);
    }
    if (planes[PLANE_START].bad || planes[PLANE_DURATION].bad || planes[PLANE_DETAIL].bad ||
        planes[PLANE_RARE].bad) {
        return "a span is cut off";
    }
    if (span->kind >= SDSIM_KIND_COUNT || span->purpose >= SDSIM_PURPOSE_COUNT ||
        span->part >= decoding->parts) {
        return "a span is of an unknown kind";
    }
    if (detail > decoding->details) {
        return "a span names a detail there is not";
    }
    const bool run_fits =
        span->count == 1 || (span->count > 1 && span->period > 0 && span->period >= span->duration);
    const sdsim_ps end =
        span->count == 1 ? sdsim_time_sum(span->start, span->duration) : sdsim_span_end(span);
    if (!run_fits || span->start < decoding->last_start || end == SDSIM_TIME_END) {
        return "a span is at no possible time";
    }
    span->detail = (uint32_t)detail;
    decoding->last_detail = (uint32_t)detail;
    decoding->last_start = span->start;
    decoding->last_end = end;
    decoding->end = decoding->last_end > decoding->end ? decoding->last_end : decoding->end;
    return NULL;
}

static const char *decode_one(struct decoding *decoding, size_t i, unsigned kind, unsigned purpose)
{
    struct sdsim_block *block = decoding->block;
    const size_t group = i / SDSIM_GROUP_SPANS;
    const bool rare = (purpose & 1) != 0;
    if (kind >> 4 == SDSIM_HOT_FILLER_KIND) {
        block->spans[i] = sdsim_hot_filler(SDSIM_HOT_START_MOST);
        return i % SDSIM_GROUP_SPANS == 0 ? "a group begins with nothing" : NULL;
    }
    struct sdsim_span span = {
        .lane = (uint8_t)decoding->lane,
        .kind = (uint8_t)(kind >> 4),
        .part = (uint8_t)(kind & 15),
        .purpose = (uint8_t)(purpose >> 1),
    };
    const char *fault = next_span(decoding, &span, rare);
    if (fault != NULL) {
        return fault;
    }
    if (i % SDSIM_GROUP_SPANS == 0) {
        decoding->starts[group] = span.start;
    }
    const sdsim_ps offset = span.start - decoding->starts[group];
    if (offset > SDSIM_HOT_START_MOST || (!rare && span.duration > SDSIM_HOT_DURATION_MOST)) {
        return "a span is too far from the one before it, or too long";
    }
    if (rare) {
        block->rares[block->rare_count++] = (struct sdsim_rare){.duration = span.duration,
                                                                .period = span.period,
                                                                .count = span.count,
                                                                .detail = span.detail};
    }
    block->spans[i] =
        sdsim_hot_pack(offset, rare ? SDSIM_HOT_DURATION_MOST : span.duration, span.kind,
                       span.purpose, span.part, rare, rare ? block->rare_count - 1 : span.detail);
    return NULL;
}

const char *sdsim_decode_spans(struct sdsim_bytes *bytes, enum sdsim_lane lane, size_t details,
                               struct sdsim_block *block, size_t count, sdsim_ps *starts,
                               sdsim_ps *end)
{
    struct decoding decoding = {.lane = lane,
                                .parts = sdsim_lane_parts(lane),
                                .details = details,
                                .block = block,
                                .starts = starts};
    if (count == 0 || count > SDSIM_BLOCK_SPANS || !split_planes(bytes, &decoding)) {
        return "the planes of a block of spans do not fit together";
    }
    const struct sdsim_bytes *kinds = &decoding.planes[PLANE_KIND];
    const struct sdsim_bytes *purposes = &decoding.planes[PLANE_PURPOSE];
    if ((size_t)(kinds->end - kinds->at) != count ||
        (size_t)(purposes->end - purposes->at) != count) {
        return "a block of spans has not as many as it says";
    }
    uint32_t rares = 0;
    for (size_t i = 0; i < count; i++) {
        rares += purposes->at[i] & 1;
    }
    block->spans = malloc(count * sizeof *block->spans);
    block->rares = rares > 0 ? malloc(rares * sizeof *block->rares) : NULL;
    block->rare_capacity = rares;
    if (block->spans == NULL || (rares > 0 && block->rares == NULL)) {
        return "out of memory";
    }
    for (size_t i = 0; i < count; i++) {
        const char *fault = decode_one(&decoding, i, kinds->at[i], purposes->at[i]);
        if (fault != NULL) {
            return fault;
        }
    }
    *end = decoding.end;
    return NULL;
}

/* ---- details ---- */

void sdsim_encode_details(struct sdsim_buffer *buffer, const struct sdsim_details *details,
                          size_t first_row, size_t first_name)
{
    uint64_t last_place = 0;
    sdsim_put_varint(buffer, details->name_count - first_name);
    for (size_t i = first_name; i < details->name_count; i++) {
        const size_t length = strlen(details->names[i]);
        sdsim_put_varint(buffer, length);
        sdsim_put_bytes(buffer, details->names[i], length);
    }
    for (size_t i = first_row; i < details->count; i++) {
        const struct sdsim_detail_row *row = &details->rows[i];
        sdsim_put_varint(buffer, row->about);
        sdsim_put_varint(buffer, row->size);
        put_difference(buffer, last_place, row->place);
        last_place = row->place;
    }
}

const char *sdsim_decode_details(struct sdsim_bytes *bytes, struct sdsim_details *details,
                                 size_t count)
{
    const uint64_t names = sdsim_get_varint(bytes);
    for (uint64_t i = 0; i < names && !bytes->bad; i++) {
        const uint64_t length = sdsim_get_varint(bytes);
        const size_t left = (size_t)(bytes->end - bytes->at);
        if (bytes->bad || length > left || memchr(bytes->at, '\0', (size_t)length) != NULL ||
            !sdsim_details_add_name(details, (const char *)bytes->at, (size_t)length)) {
            return details->failed ? "out of memory" : "a name is no possible one";
        }
        bytes->at += length;
    }
    uint64_t place = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t about = sdsim_get_varint(bytes);
        const uint64_t size = sdsim_get_varint(bytes);
        place = get_difference(bytes, place);
        const struct sdsim_detail_row row = {
            .place = place, .size = (uint32_t)size, .about = (uint32_t)about};
        if (bytes->bad || size > UINT32_MAX || about > UINT32_MAX ||
            (row.about & 15) > SDSIM_DETAIL_LEVEL || !sdsim_details_add_row(details, &row)) {
            return details->failed ? "out of memory" : "a detail is no possible one";
        }
    }
    return bytes->bad || bytes->at != bytes->end ? "there are not as many details as it says"
                                                 : NULL;
}

/* ---- summaries ---- */

void sdsim_encode_items(struct sdsim_buffer *buffer, const struct sdsim_pyramid *summary,
                        size_t first, size_t count)
{
    sdsim_ps last = first > 0 ? summary->starts[first - 1] : 0;
    for (size_t i = first; i < first + count; i++) {
        sdsim_put_varint(buffer, summary->starts[i] - last);
        last = summary->starts[i];
    }
    sdsim_put_bytes(buffer, summary->worst + first, count);
    sdsim_put_bytes(buffer, summary->cover + first, count);
}

const char *sdsim_decode_items(struct sdsim_bytes *bytes, struct sdsim_pyramid *summary,
                               size_t count)
{
    static const char wrong[] = "a summary is no possible one";
    if (count > summary->capacity - summary->count) {
        return wrong;
    }
    sdsim_ps last = summary->count > 0 ? summary->starts[summary->count - 1] : 0;
    for (size_t i = 0; i < count; i++) {
        const sdsim_ps more = sdsim_get_varint(bytes);
        if (more > SDSIM_TIME_END - last) {
            return wrong;
        }
        last += more;
        summary->starts[summary->count + i] = last;
    }
    const uint8_t *worst = sdsim_get_bytes(bytes, count);
    const uint8_t *cover = sdsim_get_bytes(bytes, count);
    if (bytes->bad || bytes->at != bytes->end) {
        return wrong;
    }
    for (size_t i = 0; i < count; i++) {
        if (worst[i] > SDSIM_CLASSES) {
            return wrong;
        }
    }
    memcpy(summary->worst + summary->count, worst, count);
    memcpy(summary->cover + summary->count, cover, count);
    summary->count += count;
    return NULL;
}

void sdsim_encode_nodes(struct sdsim_buffer *buffer, const struct sdsim_pyramid *summary,
                        size_t first, size_t count)
{
    for (size_t i = first; i < first + count; i++) {
        const struct sdsim_pyramid_node *node = &summary->nodes[2][i];
        uint64_t classes = 0;
        for (unsigned c = 0; c < SDSIM_CLASSES; c++) {
            classes |= node->longest[c] > 0 ? (uint64_t)1 << c : 0;
        }
        sdsim_put_varint(buffer, node->bytes);
        sdsim_put_varint(buffer, classes);
        for (unsigned c = 0; c < SDSIM_CLASSES; c++) {
            if ((classes >> c & 1) != 0) {
                sdsim_put_varint(buffer, node->sum[c]);
                sdsim_put_varint(buffer, node->count[c]);
                put_byte(buffer, node->longest[c]);
            }
        }
    }
}

static bool decode_node(struct sdsim_bytes *bytes, const struct sdsim_lane_info *info,
                        struct sdsim_pyramid_node *node)
{
    node->bytes = sdsim_get_varint(bytes);
    const uint64_t classes = sdsim_get_varint(bytes);
    if (classes >> info->classes != 0) {
        return false;
    }
    for (unsigned c = 0; c < info->classes; c++) {
        if ((classes >> c & 1) != 0) {
            node->sum[c] = sdsim_get_varint(bytes);
            const uint64_t count = sdsim_get_varint(bytes);
            const uint8_t *longest = sdsim_get_bytes(bytes, 1);
            if (longest == NULL || *longest == 0 || *longest > 65 || count > UINT32_MAX) {
                return false;
            }
            node->count[c] = (uint32_t)count;
            node->longest[c] = *longest;
            node->busy = sdsim_time_sum(node->busy, node->sum[c]);
            node->worst = info->rank[c] > node->worst ? info->rank[c] : node->worst;
        }
    }
    return !bytes->bad;
}

const char *sdsim_decode_nodes(struct sdsim_bytes *bytes, enum sdsim_lane lane,
                               struct sdsim_pyramid *summary, size_t count)
{
    static const char wrong[] = "a summary is no possible one";
    const struct sdsim_lane_info *info = sdsim_lane_info(lane);
    for (size_t i = 0; i < count; i++) {
        const size_t number = summary->counts[2];
        if (number >= summary->capacities[2] || number * SDSIM_FAN >= summary->count) {
            return wrong;
        }
        struct sdsim_pyramid_node node = {.start = summary->starts[number * SDSIM_FAN]};
        if (!decode_node(bytes, info, &node)) {
            return wrong;
        }
        summary->nodes[2][summary->counts[2]++] = node;
    }
    return bytes->at == bytes->end ? NULL : wrong;
}
