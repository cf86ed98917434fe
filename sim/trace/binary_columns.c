#include "trace/binary_columns.h"

#include "core/load.h"
#include "fat/session.h"

enum { BATCH = SDSIM_BINARY_BATCH };

/* All ones for kinds that have a range of sectors. */
static inline uint64_t range_mask(uint64_t kind)
{
    return 0 - (uint64_t)(0x1Bu >> kind & 1u); /* read, write, trim, erase */
}

/* ---- the chunk ---- */

/* Where the columns lie; returns how far they go, beyond `size` if they are not right. */
static size_t place_columns(struct sdsim_binary_columns *columns, const uint8_t *payload,
                            size_t size, size_t records, size_t marks)
{
    static const uint8_t widest[SDSIM_BINARY_COLUMNS] = {
        [SDSIM_BINARY_KIND] = 1,  [SDSIM_BINARY_LBA] = 8,      [SDSIM_BINARY_COUNT] = 4,
        [SDSIM_BINARY_START] = 8, [SDSIM_BINARY_DURATION] = 8, [SDSIM_BINARY_REPEAT] = 4,
        [SDSIM_BINARY_LABEL] = 2,
    };
    size_t at = SDSIM_BINARY_COLUMNS_HEAD;
    for (int i = 0; i < SDSIM_BINARY_COLUMNS && at <= size; i++) {
        const uint8_t width = payload[i];
        const size_t entries = i == SDSIM_BINARY_KIND ? records : records - marks;
        if (width > widest[i] || (width & (width - 1)) != 0) {
            return size + 1;
        }
        columns->width[i] = width;
        columns->at.columns[i] = payload + at;
        at += sdsim_binary_padded(width * entries);
    }
    return at;
}

bool sdsim_binary_columns_find(struct sdsim_binary_columns *columns, const uint8_t *payload,
                               size_t size, uint32_t count)
{
    static const sdsim_ps units[] = {1, SDSIM_NS, SDSIM_US};
    columns->at.left = 0;
    if (size < SDSIM_BINARY_COLUMNS_HEAD || count == 0 || count > SDSIM_BINARY_RECORDS_MAX ||
        payload[SDSIM_BINARY_COLUMNS] > 2) {
        return false;
    }
    const uint32_t marks = (uint32_t)sdsim_binary_get(payload + 32, 4);
    if (marks > count) {
        return false;
    }
    const size_t used = place_columns(columns, payload, size, count, marks);
    if (used > size || used + (size_t)SDSIM_BINARY_MARK * marks != size) {
        return false;
    }
    columns->unit = units[payload[SDSIM_BINARY_COLUMNS]];
    columns->at.start = sdsim_binary_get(payload + 8, 8);
    columns->duration = sdsim_binary_get(payload + 16, 8);
    columns->at.lba = sdsim_binary_get(payload + 24, 4);
    columns->count = sdsim_binary_get(payload + 28, 4);
    columns->kind = sdsim_binary_get(payload + 36, 4);
    columns->at.marks = payload + used;
    columns->at.marks_left = marks;
    columns->at.left = count;
    columns->alike = columns->width[SDSIM_BINARY_KIND] == 0 && marks == 0 && columns->count > 0 &&
                     range_mask(columns->kind & 15) != 0;
    columns->doubtful = false;
    return true;
}

/* ---- unpacking ---- */

enum form { WIDE, WORDS, STEPS };

static inline uint64_t unzigzag(uint64_t value)
{
    return value >> 1 ^ (0 - (value & 1));
}

static inline uint64_t entry(const uint8_t *column, unsigned width, size_t i)
{
    switch (width) {
    case 1:
        return column[i];
    case 2:
        return sdsim_load16(column + 2 * i);
    case 4:
        return sdsim_load32(column + 4 * i);
    default:
        return sdsim_load64(column + 8 * i);
    }
}

/* Each form and width is a loop of its own, because both are constants where this is called. */
static inline void unpack_as(union sdsim_binary_entries *out, enum form form, const uint8_t *in,
                             unsigned width, size_t count)
{
    for (size_t i = 0; form == WIDE && i < count; i++) {
        out->wide[i] = entry(in, width, i);
    }
    for (size_t i = 0; form == WORDS && i < count; i++) {
        out->words[i] = (uint32_t)entry(in, width, i);
    }
    for (size_t i = 0; form == STEPS && i < count; i++) {
        const uint32_t value = (uint32_t)entry(in, width, i);
        out->steps[i] = (int32_t)(value >> 1 ^ (0 - (value & 1)));
    }
}

static inline void unpack_form(union sdsim_binary_entries *out, enum form form, const uint8_t *in,
                               unsigned width, size_t count)
{
    switch (width) {
    case 1:
        unpack_as(out, form, in, 1, count);
        break;
    case 2:
        unpack_as(out, form, in, 2, count);
        break;
    case 4:
        unpack_as(out, form, in, 4, count);
        break;
    default: /* of which only the first form takes all */
        unpack_as(out, form, in, 8, count);
    }
}

/* Unpacks `count` entries of a column and moves behind them. */
static inline void unpack(struct sdsim_binary_columns *columns, enum sdsim_binary_column column,
                          enum form form, size_t count)
{
    union sdsim_binary_entries *out = &columns->entries[column];
    const uint8_t *in = columns->at.columns[column];
    const unsigned width = columns->width[column];
    columns->at.columns[column] = in + width * count;
    if (width == 0) {
        if (!columns->zeroed[column]) {
            memset(out, 0, sizeof *out);
        }
    } else if (count == BATCH) { /* a number the compiler knows: it makes vectors of it */
        unpack_form(out, form, in, width, BATCH);
    } else {
        unpack_form(out, form, in, width, count);
    }
    columns->zeroed[column] = width == 0;
}

/* All columns but the first, with full width. */
static void unpack_wide(struct sdsim_binary_columns *columns, size_t count)
{
    for (int c = SDSIM_BINARY_LBA; c < SDSIM_BINARY_COLUMNS; c++) {
        unpack(columns, (enum sdsim_binary_column)c, WIDE, count);
    }
}

/* ---- records that are alike ---- */

/*
 * Puts `count` records together; false if one is impossible. With `plain` none repeats; with `wide`,
 * distances and times need more than 32 bits. What is looked at in each elsewhere is looked at once:
 * where a record begins, its last sector and its count must all have 32 bits, and so must all of their
 * bits together. No count is 0, because the least is not.
 */
static inline bool combine_alike_as(struct sdsim_binary_columns *columns,
                                    struct sdsim_block_record *records, size_t count, bool plain,
                                    bool wide)
{
    const union sdsim_binary_entries *const e = columns->entries;
    const uint64_t flags = columns->kind >> 4;
    const sdsim_ps start_unit = (flags & SDSIM_TRACE_HAS_START) != 0 ? columns->unit : 0;
    const sdsim_ps duration_unit = (flags & SDSIM_TRACE_HAS_DURATION) != 0 ? columns->unit : 0;
    const uint64_t least_count = columns->count;
    const uint64_t least_duration = columns->duration;
    const uint8_t kind = columns->kind & 15;
    uint64_t lba = columns->at.lba;
    uint64_t start = columns->at.start;
    uint64_t all = 0; /* of what must be less than 2^32 */
    for (size_t i = 0; i < count; i++) {
        const uint64_t sectors = least_count + e[SDSIM_BINARY_COUNT].words[i];
        const uint64_t repeat = plain ? 1 : UINT64_C(1) + e[SDSIM_BINARY_REPEAT].words[i];
        const uint64_t extra =
            wide ? e[SDSIM_BINARY_DURATION].wide[i] : e[SDSIM_BINARY_DURATION].words[i];
        lba += wide ? unzigzag(e[SDSIM_BINARY_LBA].wide[i])
                    : (uint64_t)(int64_t)e[SDSIM_BINARY_LBA].steps[i];
        start += wide ? unzigzag(e[SDSIM_BINARY_START].wide[i])
                      : (uint64_t)(int64_t)e[SDSIM_BINARY_START].steps[i];
        records[i].start = start * start_unit;
        records[i].duration = (least_duration + extra) * duration_unit;
        records[i].lba = (uint32_t)lba;
        records[i].count = (uint32_t)sectors;
        records[i].repeat = (uint32_t)repeat;
        records[i].label = (uint16_t)e[SDSIM_BINARY_LABEL].words[i];
        records[i].kind = kind;
        records[i].flags = (uint8_t)flags;
        all |= lba | sectors | repeat;
        lba += sectors;
        all |= lba - 1;
    }
    columns->at.lba = lba;
    columns->at.start = start;
    return flags >> 3 == 0 && all >> 32 == 0;
}

static inline void unpack_alike(struct sdsim_binary_columns *columns, size_t count, bool wide)
{
    unpack(columns, SDSIM_BINARY_LBA, wide ? WIDE : STEPS, count);
    unpack(columns, SDSIM_BINARY_COUNT, WORDS, count);
    unpack(columns, SDSIM_BINARY_START, wide ? WIDE : STEPS, count);
    unpack(columns, SDSIM_BINARY_DURATION, wide ? WIDE : WORDS, count);
    unpack(columns, SDSIM_BINARY_REPEAT, WORDS, count);
    unpack(columns, SDSIM_BINARY_LABEL, WORDS, count);
}

static bool combine_alike(struct sdsim_binary_columns *columns, struct sdsim_block_record *records,
                          size_t count)
{
    const uint8_t *const width = columns->width;
    if (width[SDSIM_BINARY_LBA] == 8 || width[SDSIM_BINARY_START] == 8 ||
        width[SDSIM_BINARY_DURATION] == 8) {
        unpack_alike(columns, count, true);
        return combine_alike_as(columns, records, count, false, true);
    }
    unpack_alike(columns, count, false);
    return width[SDSIM_BINARY_REPEAT] == 0
               ? combine_alike_as(columns, records, count, true, false)
               : combine_alike_as(columns, records, count, false, false);
}

/* ---- any records ---- */

/* Puts `count` unpacked records together, none of them a mark; false if one is impossible. Counts and
 * repeats are sums of 32 bits because their columns are no wider. */
static bool combine(struct sdsim_binary_columns *columns, struct sdsim_block_record *records,
                    size_t count)
{
    const union sdsim_binary_entries *const e = columns->entries;
    const sdsim_ps unit = columns->unit;
    uint64_t lba = columns->at.lba;
    uint64_t start = columns->at.start;
    uint64_t bad = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t both = e[SDSIM_BINARY_KIND].wide[i] ^ columns->kind;
        const uint64_t kind = both & 15;
        const uint64_t flags = both >> 4;
        const uint64_t range = range_mask(kind);
        const uint64_t sectors = columns->count + e[SDSIM_BINARY_COUNT].wide[i];
        const uint64_t repeat = e[SDSIM_BINARY_REPEAT].wide[i] + 1;
        const uint64_t duration = columns->duration + e[SDSIM_BINARY_DURATION].wide[i];
        lba += unzigzag(e[SDSIM_BINARY_LBA].wide[i]);
        start += unzigzag(e[SDSIM_BINARY_START].wide[i]);
        records[i].start = start * unit & (0 - (flags & 1));
        records[i].duration = duration * unit & (0 - (flags >> 1 & 1));
        records[i].lba = (uint32_t)(lba & range);
        records[i].count = (uint32_t)sectors;
        records[i].repeat = (uint32_t)repeat;
        records[i].label = (uint16_t)e[SDSIM_BINARY_LABEL].wide[i];
        records[i].kind = (uint8_t)kind;
        records[i].flags = (uint8_t)flags;
        bad |= (lba & range) >> 32;
        lba += sectors;
        bad |= ((lba - 1) & range) >> 32 | sectors >> 32 | repeat >> 32 | flags >> 3;
        bad |= (uint64_t)((sectors == 0) != (range == 0)) | (uint64_t)(kind >= SDSIM_TRACE_MARK);
    }
    columns->at.lba = lba;
    columns->at.start = start;
    return bad == 0;
}

/* ---- marks ---- */

static bool read_mark(struct sdsim_binary_place *at, struct sdsim_block_record *record)
{
    const uint8_t *mark = at->marks;
    const uint64_t answer_kind = sdsim_binary_get(mark + 20, 4);
    if (answer_kind > SDSIM_ANSWER_CLUSTERS) {
        return false;
    }
    *record = (struct sdsim_block_record){
        .answer = sdsim_binary_get(mark, 8),
        .line = (uint32_t)sdsim_binary_get(mark + 8, 4),
        .repetition = (uint32_t)sdsim_binary_get(mark + 12, 4),
        .result = (uint32_t)sdsim_binary_get(mark + 16, 4),
        .answer_kind = (uint16_t)answer_kind,
        .kind = SDSIM_TRACE_MARK,
    };
    at->marks += SDSIM_BINARY_MARK;
    at->marks_left--;
    return true;
}

static bool is_mark(const struct sdsim_binary_columns *columns, uint64_t kind)
{
    return (kind ^ columns->kind) == SDSIM_TRACE_MARK;
}

/* Records among which there may be marks, which have no entries but in the first column. */
static bool combine_marked(struct sdsim_binary_columns *columns, struct sdsim_block_record *records,
                           size_t count)
{
    uint64_t *const kinds = columns->entries[SDSIM_BINARY_KIND].wide;
    const uint64_t first = kinds[0];
    for (size_t i = 0; i < count; i++) {
        bool fine;
        if (is_mark(columns, i == 0 ? first : kinds[i])) {
            fine = read_mark(&columns->at, &records[i]);
        } else {
            unpack_wide(columns, 1);
            kinds[0] = i == 0 ? first : kinds[i];
            fine = combine(columns, &records[i], 1);
        }
        if (!fine) {
            return false;
        }
    }
    return true;
}

/* The columns of a chunk end where its marks begin; a kind column that tells of fewer marks than
 * there are would run beyond them. */
static bool marks_fit(const struct sdsim_binary_columns *columns, size_t count)
{
    const struct sdsim_binary_place *const at = &columns->at;
    size_t marks = 0;
    for (size_t i = 0; i < count; i++) {
        marks += is_mark(columns, columns->entries[SDSIM_BINARY_KIND].wide[i]);
    }
    return marks <= at->marks_left && at->left - count >= at->marks_left - marks;
}

/* ---- ---- */

static bool take(struct sdsim_binary_columns *columns, struct sdsim_block_record *records,
                 size_t count)
{
    if (columns->alike) {
        return combine_alike(columns, records, count);
    }
    unpack(columns, SDSIM_BINARY_KIND, WIDE, count);
    if (columns->at.marks_left > 0) {
        return marks_fit(columns, count) && combine_marked(columns, records, count);
    }
    unpack_wide(columns, count);
    return combine(columns, records, count);
}

size_t sdsim_binary_columns_take(struct sdsim_binary_columns *columns,
                                 struct sdsim_block_record *records, size_t most)
{
    const struct sdsim_binary_place before = columns->at;
    size_t count = most < BATCH ? most : BATCH;
    count = count < before.left ? count : before.left;
    count = columns->doubtful ? 1 : count;
    bool fine = take(columns, records, count);
    if (!fine && count > 1) { /* those in front of the impossible one are good */
        columns->at = before;
        columns->doubtful = true;
        count = 1;
        fine = take(columns, records, 1);
    }
    columns->at.left -= (uint32_t)count;
    return fine ? count : 0;
}
