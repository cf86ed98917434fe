/*
 * sigrok sessions (.sr): a zip file with `version`, `metadata`, and raw samples.
 *
 * Supported: versions 1 (one member `logic-1`) and 2 (`logic-1-1`, `logic-1-2`, ...), unit sizes 1 to
 * 8, probes at any bits, stored and deflated members in any order, blanks around '='.
 * Not supported: analog channels (left out), several devices (the first is read).
 *
 * Speed: unpacking is what takes the time, so members that are not too large are unpacked as a whole
 * (capture/zip_member.h), others in pieces. Samples are looked at eight bytes at a time, and those that
 * repeat are skipped; a sample is looked at closely only where a watched bit changes.
 *
 * A hostile zip can't cost memory, because nothing is unpacked but a window, of 8 MiB at most; it can't
 * cost much time either: the packed members together may not be larger than the file, so that the same
 * bytes can't be unpacked over and over, and no deflated byte makes more than 1032.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

#include "capture/pin_format.h"
#include "capture/zip_member.h"
#include "core/load.h"

enum {
    WINDOW = 256 << 10,
    METADATA_MOST = 1 << 20,
    MEMBER_MOST = 1 << 20, /* pieces of a recording */
    ENTRY_MOST = 1 << 20,
    UNIT_MOST = 8,
};

struct piece {
    uint64_t number; /* N of logic-1-N */
    uint64_t index;  /* in the zip */
};

struct reader {
    zip_t *zip;
    zip_file_t *member;
    struct piece *pieces;
    size_t piece_count;
    size_t next; /* piece to open */
    char capture_file[64];
    unsigned unit;
    uint64_t sample; /* of the next unit in the window */
    uint64_t levels;
    bool begun;
    size_t at; /* in the window, bytes */
    size_t end;
    unsigned char *window;
    size_t room;                         /* in the window */
    struct sdsim_zip_unpacker *unpacker; /* NULL: members are read in pieces */
};

static bool recognise(const unsigned char *head, size_t size)
{
    return size >= 4 && memcmp(head, "PK", 2) == 0 &&
           ((head[2] == 3 && head[3] == 4) || (head[2] == 5 && head[3] == 6));
}

static bool complain(struct sdsim_pins *pins, const char *help, const char *text)
{
    const struct sdsim_place place = {.file = pins->path};
    sdsim_diag_add(pins->diags, SDSIM_ERROR, &place, NULL, 0, help, "%s", text);
    return false;
}

/* One `key = value` of the metadata. */
static bool take_setting(struct sdsim_pins *pins, struct reader *reader, const char *key,
                         const char *value)
{
    if (strcmp(key, "unitsize") == 0) {
        reader->unit = (unsigned)strtoul(value, NULL, 10);
    } else if (strcmp(key, "samplerate") == 0) {
        pins->facts.rate = sdsim_pin_rate(value);
        if (pins->facts.rate == 0) {
            return complain(pins, "write it like 24 MHz, from 1 Hz to 4 GHz",
                            "metadata: the sample rate can't be understood");
        }
    } else if (strcmp(key, "capturefile") == 0) {
        if (strlen(value) >= sizeof reader->capture_file) {
            return complain(pins, NULL, "metadata: the name of the capture file is too long");
        }
        strcpy(reader->capture_file, value);
    } else if (strncmp(key, "probe", 5) == 0 && isdigit((unsigned char)key[5])) {
        const unsigned long probe = strtoul(key + 5, NULL, 10);
        if (probe < 1 || probe > SDSIM_PIN_CHANNELS) {
            return complain(pins, "record at most 64 channels",
                            "metadata: a probe beyond the 64th");
        }
        if (!sdsim_pin_channel_add(&pins->facts, value, strlen(value), (uint8_t)(probe - 1))) {
            return complain(pins, "record at most 64 channels", "metadata: too many probes");
        }
    }
    return true;
}

static char *trimmed(char *text)
{
    while (isspace((unsigned char)*text)) {
        text++;
    }
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1])) {
        text[--length] = '\0';
    }
    return text;
}

/* The settings of the first device section. */
static bool parse_metadata(struct sdsim_pins *pins, struct reader *reader, char *text)
{
    bool inside = false;
    bool done = false;
    for (char *line = text; line != NULL && !done;) {
        char *next = strchr(line, '\n');
        if (next != NULL) {
            *next++ = '\0';
        }
        line = trimmed(line);
        char *equals = strchr(line, '=');
        if (*line == '[') {
            done = inside;
            inside = strncmp(line, "[device", 7) == 0;
        } else if (inside && equals != NULL) {
            *equals = '\0';
            if (!take_setting(pins, reader, trimmed(line), trimmed(equals + 1))) {
                return false;
            }
        }
        line = next;
    }
    if (pins->facts.channel_count == 0) {
        return complain(pins, NULL, "metadata: no probe is named");
    }
    if (pins->facts.rate == 0) {
        return complain(pins, "add a line samplerate=24 MHz to the metadata",
                        "metadata: no sample rate");
    }
    if (reader->unit < 1 || reader->unit > UNIT_MOST) {
        return complain(pins, NULL, "metadata: unitsize must be 1 to 8");
    }
    for (size_t i = 0; i < pins->facts.channel_count; i++) {
        if (pins->facts.channels[i].bit >= 8 * reader->unit) {
            return complain(pins, NULL, "metadata: a probe lies beyond the unit size");
        }
    }
    if (reader->capture_file[0] == '\0') {
        strcpy(reader->capture_file, "logic-1");
    }
    pins->facts.tick = sdsim_tick_of_rate(pins->facts.rate);
    return true;
}

static bool read_metadata(struct sdsim_pins *pins, struct reader *reader)
{
    zip_stat_t info;
    if (zip_stat(reader->zip, "metadata", 0, &info) != 0 || (info.valid & ZIP_STAT_SIZE) == 0) {
        return complain(pins, "a session of PulseView or sigrok-cli is needed",
                        "a zip file without `metadata`: no sigrok session");
    }
    if (info.size > METADATA_MOST) {
        return complain(pins, NULL, "metadata: larger than 1 MiB");
    }
    char *text = calloc(1, (size_t)info.size + 1);
    zip_file_t *member = zip_fopen_index(reader->zip, info.index, 0);
    bool fine = text != NULL && member != NULL;
    if (fine) {
        fine = zip_fread(member, text, info.size) == (zip_int64_t)info.size;
    }
    if (member != NULL) {
        zip_fclose(member);
    }
    fine = fine ? parse_metadata(pins, reader, text)
                : complain(pins, "the file is damaged", "metadata can't be unpacked");
    free(text);
    return fine;
}

static int by_number(const void *a, const void *b)
{
    const struct piece *x = a;
    const struct piece *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

/* Whether the member is a piece of the recording: NAME, or NAME-N. */
static bool piece_number(const char *name, const char *capture_file, uint64_t *number)
{
    const size_t length = strlen(capture_file);
    if (strncmp(name, capture_file, length) != 0) {
        return false;
    }
    *number = 0;
    if (name[length] == '\0') {
        return true;
    }
    if (name[length] != '-' || !isdigit((unsigned char)name[length + 1])) {
        return false;
    }
    char *end;
    *number = strtoull(name + length + 1, &end, 10);
    return *end == '\0';
}

/* Lists the pieces in their order. Members that overlap in the file, with which a small file can
 * pretend to hold any amount of data, are told by their sum. */
static bool list_pieces(struct sdsim_pins *pins, struct reader *reader, uint64_t file_bytes)
{
    const zip_int64_t entries = zip_get_num_entries(reader->zip, 0);
    if (entries < 0 || entries > ENTRY_MOST) {
        return complain(pins, NULL, "more than a million members: no sigrok session");
    }
    reader->pieces = calloc((size_t)entries + 1, sizeof *reader->pieces);
    if (reader->pieces == NULL) {
        return complain(pins, NULL, "out of memory");
    }
    uint64_t packed = 0;
    for (zip_uint64_t i = 0; i < (zip_uint64_t)entries; i++) {
        zip_stat_t info;
        uint64_t number;
        if (zip_stat_index(reader->zip, i, 0, &info) != 0 || info.name == NULL ||
            !piece_number(info.name, reader->capture_file, &number)) {
            continue;
        }
        packed = sdsim_time_sum(packed, info.comp_size);
        reader->pieces[reader->piece_count++] = (struct piece){number, i};
    }
    if (packed > file_bytes) {
        return complain(pins, "the file is damaged or was made to harm",
                        "the members overlap: packed they are larger than the file");
    }
    if (reader->piece_count == 0) {
        return complain(pins, "the recording may have been empty", "no samples in the session");
    }
    qsort(reader->pieces, reader->piece_count, sizeof *reader->pieces, by_number);
    return true;
}

static bool open_zip(struct sdsim_pins *pins, struct reader *reader)
{
    int code;
    reader->zip = zip_open(pins->path, ZIP_RDONLY, &code);
    if (reader->zip == NULL) {
        zip_error_t error;
        zip_error_init_with_code(&error, code);
        const struct sdsim_place place = {.file = pins->path};
        sdsim_diag_add(pins->diags, SDSIM_ERROR, &place, NULL, 0,
                       "a zip file ends with its directory: an incomplete copy can't be read",
                       "not a complete zip file: %s", zip_error_strerror(&error));
        zip_error_fini(&error);
        return false;
    }
    return true;
}

/* Makes the window so large; false without memory. */
static bool make_room(struct reader *reader, size_t room)
{
    if (room > reader->room) {
        unsigned char *window = realloc(reader->window, room);
        if (window == NULL) {
            return false;
        }
        reader->window = window;
        reader->room = room;
    }
    return true;
}

static uint64_t size_of(const char *path)
{
    FILE *stream = fopen(path, "rb");
    if (stream == NULL) {
        return 0;
    }
    const off_t size = fseeko(stream, 0, SEEK_END) == 0 ? ftello(stream) : 0;
    fclose(stream);
    return size > 0 ? (uint64_t)size : 0;
}

static void discard(struct reader *reader)
{
    if (reader->member != NULL) {
        zip_fclose(reader->member);
    }
    sdsim_zip_unpacker_free(reader->unpacker);
    if (reader->zip != NULL) {
        zip_discard(reader->zip);
    }
    free(reader->pieces);
    free(reader->window);
    free(reader);
}

static bool sr_open(struct sdsim_pins *pins)
{
    struct reader *reader = calloc(1, sizeof *reader);
    if (reader == NULL) {
        return complain(pins, NULL, "out of memory");
    }
    if (!make_room(reader, WINDOW)) {
        discard(reader);
        return complain(pins, NULL, "out of memory");
    }
    if (!open_zip(pins, reader) || !read_metadata(pins, reader) ||
        !list_pieces(pins, reader, size_of(pins->path))) {
        discard(reader);
        return false;
    }
    reader->unpacker = sdsim_zip_unpacker_new(reader->zip);
    pins->reader = reader;
    return true;
}

static enum sdsim_pin_result broken(struct sdsim_pins *pins, const struct reader *reader,
                                    const char *why)
{
    const struct sdsim_place place = {.file = pins->path};
    sdsim_diag_add(pins->diags, SDSIM_ERROR, &place, NULL, 0,
                   "what was recorded before is good; the file is damaged from there on",
                   "%s-%llu, sample %llu: %s", reader->capture_file,
                   (unsigned long long)reader->pieces[reader->next - 1].number,
                   (unsigned long long)(reader->sample + (reader->end - reader->at) / reader->unit),
                   why);
    return SDSIM_PINS_BROKEN;
}

/* Puts the whole member at `index` into the window; false if it must be read in pieces. */
static bool take_whole(struct reader *reader, uint64_t index)
{
    const size_t size = sdsim_zip_whole_size(reader->unpacker, index);
    if (size == 0 || !make_room(reader, reader->end + size) ||
        !sdsim_zip_whole(reader->unpacker, index, reader->window + reader->end, size)) {
        return false;
    }
    reader->end += size;
    return true;
}

/* Reads on: the next piece of the member at hand, or the next member. */
static enum sdsim_pin_result read_on(struct sdsim_pins *pins, struct reader *reader)
{
    if (reader->member == NULL) {
        if (reader->next == reader->piece_count) {
            return SDSIM_PINS_END;
        }
        const uint64_t index = reader->pieces[reader->next++].index;
        if (take_whole(reader, index)) {
            return SDSIM_PINS_MORE;
        }
        reader->member = zip_fopen_index(reader->zip, index, 0);
        if (reader->member == NULL) {
            return broken(pins, reader, zip_strerror(reader->zip));
        }
    }
    const zip_int64_t got =
        zip_fread(reader->member, reader->window + reader->end, WINDOW - reader->end);
    if (got < 0) {
        return broken(pins, reader, zip_file_strerror(reader->member));
    }
    if (got == 0) {
        zip_fclose(reader->member);
        reader->member = NULL;
    }
    reader->end += (size_t)got;
    return SDSIM_PINS_MORE;
}

/* Fills the window up, keeping what is left of a unit. */
static enum sdsim_pin_result fill(struct sdsim_pins *pins, struct reader *reader)
{
    const size_t left = reader->end - reader->at;
    memmove(reader->window, reader->window + reader->at, left);
    reader->at = 0;
    reader->end = left;
    enum sdsim_pin_result result = SDSIM_PINS_MORE;
    while (reader->end < reader->unit && result == SDSIM_PINS_MORE) {
        result = read_on(pins, reader);
    }
    return result;
}

static inline uint64_t load(const unsigned char *bytes, unsigned unit)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < unit; i++) {
        value |= (uint64_t)bytes[i] << 8 * i;
    }
    return value;
}

/* The levels of one unit in each unit of a word, the first one lowest. */
static inline uint64_t spread(uint64_t levels, const unsigned unit)
{
    uint64_t word = levels;
    for (unsigned bits = 8 * unit; bits < 64; bits *= 2) {
        word |= word << bits;
    }
    return word;
}

/* Skips words that are like `word` under `mask`: many at a time, then one by one. */
static inline const unsigned char *skip_equal(const unsigned char *at, const unsigned char *end,
                                              uint64_t word, uint64_t mask)
{
    while (end - at >= 64) {
        uint64_t differ = 0;
        for (unsigned i = 0; i < 64; i += 8) {
            differ |= sdsim_load64(at + i) ^ word;
        }
        if ((differ & mask) != 0) {
            break;
        }
        at += 64;
    }
    while (end - at >= 8 && ((sdsim_load64(at) ^ word) & mask) == 0) {
        at += 8;
    }
    return at;
}

/* What is looked for, and where it goes. */
struct scan {
    uint64_t watched; /* bits of a unit */
    uint64_t levels;  /* of the unit in front of `at` */
    uint64_t sample;  /* of the unit at `at` */
    const unsigned char *at;
    const unsigned char *end;
    struct sdsim_pin_change *changes;
    size_t count;
    size_t capacity;
};

/*
 * The changes in whole words, of units that fill one. A word less itself shifted by a unit has bits
 * where a unit differs from the one in front of it; a sum makes the top bit of each such unit of
 * them, and each of these is a change. So nothing waits for the change before it.
 */
__attribute__((always_inline)) static inline void scan_words(struct scan *scan, const unsigned unit)
{
    const unsigned bits = 8 * unit;
    const uint64_t all = UINT64_MAX >> (64 - bits);
    const uint64_t mask = spread(scan->watched, unit);
    const uint64_t tops = spread(UINT64_C(1) << (bits - 1), unit);
    const unsigned char *const end = scan->end;
    const unsigned char *at = scan->at;
    struct sdsim_pin_change *out = scan->changes;
    const struct sdsim_pin_change *const full = out + scan->capacity;
    uint64_t sample = scan->sample;
    uint64_t levels = scan->levels;
    while (end - at >= 8 && full - out >= 8 / (ptrdiff_t)unit) {
        const uint64_t word = sdsim_load64(at);
        const uint64_t before = unit == 8 ? levels : word << bits % 64 | levels;
        const uint64_t differ = (word ^ before) & mask;
        if (differ == 0) {
            const unsigned char *next = skip_equal(at + 8, end, spread(levels, unit), mask);
            sample += (uint64_t)(next - at) / unit;
            at = next;
            continue;
        }
        uint64_t marks = (((differ & ~tops) + ~tops) | differ) & tops;
        do {
            const unsigned top = (unsigned)__builtin_ctzll(marks);
            out->tick = sample + top / bits;
            out->levels = word >> (top - (bits - 1)) & all;
            out++;
            marks &= marks - 1;
        } while (marks != 0);
        sample += 8 / unit;
        levels = word >> (64 - bits);
        at += 8;
    }
    scan->sample = sample;
    scan->at = at;
    scan->levels = levels;
    scan->count = (size_t)(out - scan->changes);
}

/* The same unit by unit, for what is left. */
__attribute__((always_inline)) static inline void scan_units(struct scan *scan, const unsigned unit)
{
    while (scan->at < scan->end && scan->count < scan->capacity) {
        const uint64_t levels = load(scan->at, unit);
        if (((levels ^ scan->levels) & scan->watched) != 0) {
            scan->changes[scan->count++] = (struct sdsim_pin_change){scan->sample, levels};
        }
        scan->levels = levels;
        scan->sample++;
        scan->at += unit;
    }
}

/*
 * The changes in the window, for one unit size: `unit` is a constant where this is called, and the
 * compiler makes a loop for each (which it must inline for that).
 */
__attribute__((always_inline)) static inline size_t scan(struct sdsim_pins *pins,
                                                         struct reader *reader,
                                                         struct sdsim_pin_change *changes,
                                                         size_t capacity, const unsigned unit)
{
    const unsigned char *const start = reader->window + reader->at;
    struct scan scan = {
        .watched = pins->watched & UINT64_MAX >> (64 - 8 * unit),
        .levels = reader->levels,
        .sample = reader->sample,
        .at = start,
        .end = start + (reader->end - reader->at) / unit * unit,
        .changes = changes,
        .capacity = capacity,
    };
    if (8 % unit == 0) {
        scan_words(&scan, unit);
    }
    scan_units(&scan, unit);
    reader->levels = scan.levels;
    reader->sample = scan.sample;
    reader->at += (size_t)(scan.at - start);
    return scan.count;
}

static size_t scan_unit(struct sdsim_pins *pins, struct reader *reader,
                        struct sdsim_pin_change *changes, size_t capacity)
{
    switch (reader->unit) {
    case 1:
        return scan(pins, reader, changes, capacity, 1);
    case 2:
        return scan(pins, reader, changes, capacity, 2);
    case 4:
        return scan(pins, reader, changes, capacity, 4);
    case 5:
        return scan(pins, reader, changes, capacity, 5);
    case 8:
        return scan(pins, reader, changes, capacity, 8);
    default:
        return scan(pins, reader, changes, capacity, reader->unit);
    }
}

static enum sdsim_pin_result sr_read(struct sdsim_pins *pins, struct sdsim_pin_change *changes,
                                     size_t capacity, size_t *count)
{
    struct reader *reader = pins->reader;
    if (reader->end - reader->at < reader->unit) {
        const enum sdsim_pin_result result = fill(pins, reader);
        if (result != SDSIM_PINS_MORE) {
            return result;
        }
    }
    if (!reader->begun) { /* the state at the beginning is the first change */
        reader->begun = true;
        reader->levels = load(reader->window + reader->at, reader->unit);
        changes[(*count)++] = (struct sdsim_pin_change){reader->sample, reader->levels};
    }
    *count += scan_unit(pins, reader, changes + *count, capacity - *count);
    pins->end = reader->sample;
    return SDSIM_PINS_MORE;
}

static void sr_close(struct sdsim_pins *pins)
{
    discard(pins->reader);
}

const struct sdsim_pin_format sdsim_pin_format_sr = {
    .name = "sigrok",
    .recognise = recognise,
    .open = sr_open,
    .read = sr_read,
    .close = sr_close,
};
