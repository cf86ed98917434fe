#include "trace/blocks_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/units.h"
#include "fat/session.h"
#include "trace/lines.h"
#include "trace/source.h"

struct text_source {
    struct sdsim_block_source base;
    struct sdsim_input *input;
    struct sdsim_lines lines;
    const char *line; /* start of the line at hand */
    char *last;       /* the last line of the input, if it has no newline: a copy with one */
    uint64_t block_operations;
    uint64_t sectors[2]; /* read, written */
};

/* ---- pieces of a line; every line ends in '\n', so nothing needs its end ---- */

static bool is_end(const char *p)
{
    return *p == '\n' || (*p == '\r' && p[1] == '\n');
}

/* Whether the line goes on like this. (strncmp may look at bytes behind the line's end.) */
static bool begins(const char *p, const char *text)
{
    while (*text != '\0' && *p == *text) {
        p++;
        text++;
    }
    return *text == '\0';
}

static const char *line_end(const char *p)
{
    while (*p != '\n') {
        p++;
    }
    return p;
}

static const char *skip_blanks(const char *p)
{
    while (*p == ' ' || *p == '\t') {
        p++;
    }
    return p;
}

/* Digits one by one, looking at each whether it is too much: the end of them, NULL if they are. */
static const char *parse_long(const char *p, uint64_t *value)
{
    uint64_t number = 0;
    for (; *p >= '0' && *p <= '9'; p++) {
        const unsigned digit = (unsigned)(*p - '0');
        if (number > (UINT64_MAX - digit) / 10) {
            return NULL;
        }
        number = number * 10 + digit;
    }
    *value = number;
    return p;
}

static const uint64_t powers_of_ten[] = {
    1,        10,        100,        1000,        10000,        100000,       1000000,
    10000000, 100000000, 1000000000, 10000000000, 100000000000, 1000000000000};

/* Digits up to 2^64 - 1; NULL if there are none or too many. */
static inline const char *parse_u64(const char *p, uint64_t *value)
{
    const char *start = p;
    uint64_t number = 0;
    unsigned digit;
    while ((digit = (unsigned char)*p - (unsigned)'0') <= 9) {
        number = number * 10 + digit;
        p++;
    }
    if (p - start > 19) {
        return parse_long(start, value);
    }
    *value = number;
    return p > start ? p : NULL;
}

static inline const char *parse_u32(const char *p, uint32_t *value)
{
    uint64_t number;
    p = parse_u64(p, &number);
    if (p == NULL || number > UINT32_MAX) {
        return NULL;
    }
    *value = (uint32_t)number;
    return p;
}

/* The power of ten that a unit is of picoseconds, and its length; -1: none of the usual ones. */
static inline int unit_power(const char *p, size_t *length)
{
    int power;
    switch (*p) {
    case 'u':
        power = 6;
        break;
    case 'm':
        power = 9;
        break;
    case 'n':
        power = 3;
        break;
    case 'p':
        power = 0;
        break;
    case 's':
        *length = 1;
        return 12;
    default:
        return -1;
    }
    *length = 2;
    return p[1] == 's' ? power : -1;
}

/* Any time the units know, for what the short way below does not. */
static const char *parse_any_time(const char *p, sdsim_ps *time)
{
    char text[40];
    size_t length = 0;
    while (p[length] > ' ' && length < sizeof text - 1) {
        text[length] = p[length];
        length++;
    }
    text[length] = '\0';
    return sdsim_unit_parse(SDSIM_UNIT_TIME, text, time) == SDSIM_UNIT_OK ? p + length : NULL;
}

/* A time with its unit, exact; NULL if it is none. */
static inline const char *parse_time(const char *start, sdsim_ps *time)
{
    uint64_t whole;
    uint64_t fraction = 0;
    ptrdiff_t decimals = 0;
    const char *p = parse_u64(start, &whole);
    if (p != NULL && *p == '.') {
        const char *point = p;
        p = parse_u64(point + 1, &fraction);
        decimals = p != NULL ? p - point - 1 : 0;
    }
    if (p == NULL) {
        return NULL;
    }
    size_t length;
    const int power = unit_power(p, &length);
    if (power < 0 || decimals > power) {
        return parse_any_time(start, time);
    }
    if (__builtin_mul_overflow(whole, powers_of_ten[power], &whole) ||
        __builtin_add_overflow(whole, fraction * powers_of_ten[power - decimals], time)) {
        return NULL;
    }
    return p + length;
}

/* ---- faults ---- */

/* Tells what is wrong at `p`. */
static void complain(struct text_source *source, const char *p, const char *what, const char *help)
{
    struct sdsim_place place = sdsim_lines_place(&source->lines);
    size_t length = 0;
    while (p[length] > ' ') {
        length++;
    }
    place.column = (uint32_t)(p - source->line + 1);
    place.length = length < 1000 ? (uint32_t)length : 1000;
    if (length == 0) {
        sdsim_diag_add(sdsim_input_diags(source->input), SDSIM_ERROR, &place, NULL, 0, help, "%s",
                       what);
    } else {
        sdsim_diag_add(sdsim_input_diags(source->input), SDSIM_ERROR, &place, NULL, 0, help,
                       "%s: '%.*s'", what, length < 80 ? (int)length : 80, p);
    }
    source->base.failed = true;
}

/* ---- lines ---- */

/* What a line was. */
enum verdict {
    RECORD,
    NOTHING,
    BAD, /* told */
};

/* "*REPEAT", "rc=N" and "# label", all optional, up to the end of the line. */
static enum verdict parse_tail(struct text_source *source, const char **at,
                               struct sdsim_block_record *record)
{
    const char *p = skip_blanks(*at);
    if (*p == '*') {
        const char *end = parse_u32(p + 1, &record->repeat);
        if (end == NULL || record->repeat == 0) {
            complain(source, p, "no number of repetitions", NULL);
            return BAD;
        }
        p = skip_blanks(end);
    }
    if (p[0] == 'r' && p[1] == 'c' && p[2] == '=') {
        uint32_t result;
        const char *end = parse_u32(p + 3, &result);
        if (end == NULL) {
            complain(source, p, "no result", "rc=N, 0 is success");
            return BAD;
        }
        record->flags |= result != 0 ? SDSIM_TRACE_FAILED : 0;
        p = skip_blanks(end);
    }
    if (*p == '#') {
        const char *label = skip_blanks(p + 1);
        p = line_end(label);
        const char *end = p;
        while (end > label && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r')) {
            end--;
        }
        record->label = sdsim_trace_label(source->base.info, label, (size_t)(end - label));
    } else if (!is_end(p)) {
        complain(source, p, "too much here", "what follows is *REPEAT, rc=N and # label");
        return BAD;
    }
    *at = p;
    return RECORD;
}

/* " LBA COUNT" behind R, W, #T or #E. */
static enum verdict parse_range(struct text_source *source, const char **at,
                                struct sdsim_block_record *record)
{
    const char *lba = skip_blanks(*at);
    const char *p = parse_u32(lba, &record->lba);
    if (p == NULL || (*p != ' ' && *p != '\t')) {
        complain(source, lba, "no sector number", "a line is R LBA COUNT or W LBA COUNT");
        return BAD;
    }
    const char *count = skip_blanks(p);
    p = parse_u32(count, &record->count);
    if (p == NULL || record->count == 0) {
        complain(source, count, "no number of sectors", "a line is R LBA COUNT or W LBA COUNT");
        return BAD;
    }
    if (record->count - 1 > UINT32_MAX - record->lba) {
        complain(source, lba, "these sectors lie beyond 2^32", NULL);
        return BAD;
    }
    *at = p;
    return RECORD;
}

/* The answer at the end of a mark: "n=12". */
static const char *parse_answer(const char *p, struct sdsim_block_record *record)
{
    static const struct {
        const char *name;
        uint16_t kind;
    } answers[] = {
        {"n=", SDSIM_ANSWER_COUNT},
        {"size=", SDSIM_ANSWER_SIZE},
        {"entries=", SDSIM_ANSWER_ENTRIES},
        {"clusters=", SDSIM_ANSWER_CLUSTERS},
    };
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
        const size_t length = strlen(answers[i].name);
        if (begins(p, answers[i].name)) {
            record->answer_kind = answers[i].kind;
            return parse_u64(p + length, &record->answer);
        }
    }
    return NULL;
}

/* "#@ LINE[.REPETITION] [rc=N] [n=N]" */
static enum verdict parse_mark(struct text_source *source, const char **at,
                               struct sdsim_block_record *record)
{
    const char *p = skip_blanks(*at + 2);
    const char *word = p;
    *record = (struct sdsim_block_record){.kind = SDSIM_TRACE_MARK};
    p = parse_u32(p, &record->line);
    if (p != NULL && *p == '.') {
        p = parse_u32(p + 1, &record->repetition);
    }
    if (p != NULL && begins(skip_blanks(p), "rc=")) {
        word = skip_blanks(p);
        p = parse_u32(word + 3, &record->result);
    }
    if (p != NULL && !is_end(skip_blanks(p))) {
        word = skip_blanks(p);
        p = parse_answer(word, record);
    }
    if (p == NULL || !is_end(skip_blanks(p))) {
        complain(source, p == NULL ? word : skip_blanks(p), "no mark of a file operation",
                 "a mark is #@ LINE[.REPETITION] [rc=N] [n=N]");
        return BAD;
    }
    *at = skip_blanks(p);
    return RECORD;
}

/* "#! key=value" or "#! key: value"; anything else behind #! is a comment. */
static void parse_header(struct text_source *source, const char *p)
{
    char key[64];
    char value[4096];
    p = skip_blanks(p + 2);
    size_t length = 0;
    while (strchr("=:\n \t", p[length]) == NULL) { /* which finds a zero, too */
        length++;
    }
    if ((p[length] != '=' && p[length] != ':') || length >= sizeof key) {
        return;
    }
    memcpy(key, p, length);
    key[length] = '\0';
    p = skip_blanks(p + length + 1);
    size_t size = (size_t)(line_end(p) - p);
    while (size > 0 && (p[size - 1] == '\r' || p[size - 1] == ' ')) {
        size--;
    }
    if (size < sizeof value) {
        memcpy(value, p, size);
        value[size] = '\0';
        (void)sdsim_trace_set_header(source->base.info, key, value);
    }
}

/* "#end ops= blockops= read= written=": tells if there was more. */
static enum verdict parse_end(struct text_source *source, const char *p)
{
    static const char *const names[] = {"blockops=", "read=", "written="};
    const uint64_t counted[] = {source->block_operations, source->sectors[0], source->sectors[1]};
    const char *end = line_end(p);
    for (p = skip_blanks(p + strlen("#end")); p < end; p = skip_blanks(p)) {
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
            const size_t length = strlen(names[i]);
            uint64_t total;
            if (begins(p, names[i]) && parse_u64(p + length, &total) != NULL &&
                total != counted[i]) {
                char what[160];
                snprintf(what, sizeof what,
                         "there should be %s%" PRIu64 ", but the lines above make %" PRIu64
                         ": some are missing, or too many",
                         names[i], total, counted[i]);
                complain(source, p, what, NULL);
                return BAD;
            }
        }
        while (*p != ' ' && *p != '\t' && p < end) {
            p++;
        }
    }
    return NOTHING;
}

static bool is_word_end(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* A line, or what follows its times, that starts with '#'. */
static enum verdict parse_hash(struct text_source *source, const char **at, bool timed,
                               struct sdsim_block_record *record)
{
    static const struct {
        char letter;
        uint8_t kind;
        bool range;
    } kinds[] = {
        {'S', SDSIM_TRACE_SYNC, false},
        {'T', SDSIM_TRACE_TRIM, true},
        {'E', SDSIM_TRACE_ERASE, true},
        {'D', SDSIM_TRACE_STATUS, false},
    };
    const char *p = *at;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (p[1] != kinds[i].letter || !is_word_end(p[2])) {
            continue;
        }
        const char next = *skip_blanks(p + 2);
        if (kinds[i].range && !timed && (next < '0' || next > '9')) {
            break; /* a comment that begins with a single letter */
        }
        record->kind = kinds[i].kind;
        *at = p + 2;
        const enum verdict verdict = kinds[i].range ? parse_range(source, at, record) : RECORD;
        return verdict == RECORD ? parse_tail(source, at, record) : verdict;
    }
    if (timed) {
        complain(source, p, "no block operation", "R, W, #S, #T, #E or #D");
        return BAD;
    }
    enum verdict verdict = NOTHING;
    if (p[1] == '@') {
        return parse_mark(source, at, record);
    }
    if (p[1] == '!') {
        parse_header(source, p);
    } else if (begins(p, "#end") && is_word_end(p[4])) {
        verdict = parse_end(source, p);
    }
    *at = line_end(p);
    return verdict;
}

/* "@TIME [+TIME]" and blanks. */
static enum verdict parse_times(struct text_source *source, const char **at,
                                struct sdsim_block_record *record)
{
    const char *p = *at;
    const char *end = parse_time(p + 1, &record->start);
    if (end != NULL && is_word_end(*end)) {
        record->flags = SDSIM_TRACE_HAS_START;
        p = skip_blanks(end);
        if (*p != '+') {
            *at = p;
            return RECORD;
        }
        end = parse_time(p + 1, &record->duration);
        if (end != NULL && is_word_end(*end)) {
            record->flags = SDSIM_TRACE_HAS_START | SDSIM_TRACE_HAS_DURATION;
            *at = skip_blanks(end);
            return RECORD;
        }
    }
    complain(source, p, "no time that fits here", "a time has a unit: @1.25ms +310us R 8192 1");
    return BAD;
}

static enum verdict parse_line(struct text_source *source, const char **at,
                               struct sdsim_block_record *record)
{
    const char *p = *at;
    *record = (struct sdsim_block_record){.repeat = 1};
    bool timed = false;
    if (*p == '@') {
        if (parse_times(source, &p, record) == BAD) {
            return BAD;
        }
        timed = true;
    }
    if ((*p == 'R' || *p == 'W') && (p[1] == ' ' || p[1] == '\t')) {
        record->kind = *p == 'R' ? SDSIM_TRACE_READ : SDSIM_TRACE_WRITE;
        *at = p + 2;
        if (parse_range(source, at, record) == BAD ||
            (**at != '\n' && parse_tail(source, at, record) == BAD)) {
            return BAD;
        }
        source->block_operations += record->repeat;
        source->sectors[record->kind] += (uint64_t)record->count * record->repeat;
        return RECORD;
    }
    if (*p == '#') {
        *at = p;
        return parse_hash(source, at, timed, record);
    }
    p = skip_blanks(p);
    if (!timed && is_end(p)) {
        *at = p;
        return NOTHING;
    }
    complain(source, p, "no block operation", "R LBA COUNT, W LBA COUNT, #S, #T LBA COUNT");
    return BAD;
}

/* ---- the source ---- */

/* The last line of the input has no newline: it is parsed in a copy that has. It comes alone. */
static bool copy_last(struct text_source *source)
{
    struct sdsim_lines *lines = &source->lines;
    const size_t length = (size_t)(lines->end - lines->at);
    source->last = malloc(length + 1);
    if (source->last == NULL) {
        sdsim_error(sdsim_input_diags(source->input), sdsim_input_name(source->input),
                    "out of memory");
        source->base.failed = true;
        return false;
    }
    memcpy(source->last, lines->at, length);
    source->last[length] = '\n';
    lines->at = source->last;
    lines->end = source->last + length + 1;
    return true;
}

static bool next_window(struct text_source *source)
{
    struct sdsim_lines *lines = &source->lines;
    if (!sdsim_lines_window(lines)) {
        source->base.failed = source->base.failed || lines->failed;
        return false;
    }
    if (lines->end[-1] != '\n' && !copy_last(source)) {
        return false;
    }
    return true;
}

static size_t text_next(struct sdsim_block_source *base, struct sdsim_block_record *records,
                        size_t most)
{
    struct text_source *source = (struct text_source *)base;
    struct sdsim_lines *lines = &source->lines;
    size_t count = 0;
    while (count < most && !base->failed) {
        if (lines->at == lines->end && (count > 0 || !next_window(source))) {
            break;
        }
        const char *p = lines->at;
        source->line = p;
        lines->number++;
        const enum verdict verdict = parse_line(source, &p, &records[count]);
        if (verdict == BAD) {
            break;
        }
        count += verdict == RECORD;
        lines->at = p + (*p == '\r') + 1;
    }
    return count;
}

static void text_close(struct sdsim_block_source *base)
{
    struct text_source *source = (struct text_source *)base;
    sdsim_trace_info_free(base->info);
    sdsim_input_close(source->input);
    free(source->last);
    free(source);
}

struct sdsim_block_source *sdsim_blocks_text_open(struct sdsim_input *input)
{
    struct sdsim_trace_info *info;
    struct text_source *source = sdsim_trace_source_new(input, sizeof *source, &info);
    if (source == NULL) {
        return NULL;
    }
    source->base =
        (struct sdsim_block_source){.next = text_next, .close = text_close, .info = info};
    source->input = input;
    sdsim_lines_init(&source->lines, input);
    return &source->base;
}
