#include "trace/blocks_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "fat/session.h"
#include "trace/lines.h"
#include "trace/numbers.h"
#include "trace/source.h"

enum { KNOWN_TAILS = 4, KNOWN_BYTES = 16 };

/* How a line ended that was read lately: what follows its sector number, as words. */
struct known_tail {
    uint64_t words[KNOWN_BYTES / 8];
    uint64_t masks[KNOWN_BYTES / 8]; /* of the bytes that count, the newline among them */
    size_t length;                   /* without the newline; 0: none yet */
    uint32_t count;
    uint32_t repeat;
    uint16_t label;
    uint8_t failed; /* SDSIM_TRACE_FAILED, or 0 */
};

struct text_source {
    struct sdsim_block_source base;
    struct sdsim_input *input;
    struct sdsim_lines lines;
    const char *line; /* start of the line at hand */
    char *last;       /* the last line of the input, if it has no newline: a copy with one */
    uint64_t block_operations;
    uint64_t sectors[2]; /* read, written */
    struct known_tail known[KNOWN_TAILS];
    unsigned oldest; /* of them */
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

static inline const char *skip_blanks(const char *p)
{
    while (*p == ' ' || *p == '\t') {
        p++;
    }
    return p;
}

static inline const char *parse_u32(const char *p, uint32_t *value)
{
    uint64_t number = 0;
    p = sdsim_trace_number(p, &number);
    if (p == NULL || number > UINT32_MAX) {
        return NULL;
    }
    *value = (uint32_t)number;
    return p;
}

/* ---- faults ---- */

/* Tells what is wrong at `p`; returns NULL, as what found it does. */
static const char *complain(struct text_source *source, const char *p, const char *what,
                            const char *help)
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
    return NULL;
}

/*
 * ---- lines ----
 *
 * What reads a piece of a line returns where the line goes on, and NULL if it is wrong, which it has
 * told then. The place goes from one to the next in a register: it is what the next one waits for.
 */

/* The kind of a line that makes no record. */
enum { NO_RECORD = SDSIM_TRACE_KINDS };

/* "# label" up to the end of the line. */
static const char *parse_label(struct text_source *source, const char *p,
                               struct sdsim_block_record *record)
{
    const char *label = skip_blanks(p + 1);
    const char *newline = line_end(label);
    const char *end = newline;
    while (end > label && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r')) {
        end--;
    }
    record->label = sdsim_trace_label(source->base.info, label, (size_t)(end - label));
    return newline;
}

/* "*REPEAT", "rc=N" and "# label", all optional, up to the end of the line. */
static const char *parse_tail(struct text_source *source, const char *p,
                              struct sdsim_block_record *record)
{
    p = skip_blanks(p);
    if (*p == '*') {
        const char *end = parse_u32(p + 1, &record->repeat);
        if (end == NULL || record->repeat == 0) {
            return complain(source, p, "no number of repetitions", NULL);
        }
        p = skip_blanks(end);
    }
    if (p[0] == 'r' && p[1] == 'c' && p[2] == '=') {
        uint32_t result;
        const char *end = parse_u32(p + 3, &result);
        if (end == NULL) {
            return complain(source, p, "no result", "rc=N, 0 is success");
        }
        record->flags |= result != 0 ? SDSIM_TRACE_FAILED : 0;
        p = skip_blanks(end);
    }
    if (*p == '#') {
        return parse_label(source, p, record);
    }
    if (!is_end(p)) {
        return complain(source, p, "too much here", "what follows is *REPEAT, rc=N and # label");
    }
    return p;
}

/* The end of a line as others had it: lines differ in their times and sector numbers, hardly in what
 * comes behind. */
static inline const struct known_tail *find_tail(const struct text_source *source, const char *p)
{
    if (source->lines.end - p < KNOWN_BYTES) {
        return NULL;
    }
    const uint64_t low = sdsim_load64(p);
    const uint64_t high = sdsim_load64(p + 8);
    for (size_t i = 0; i < KNOWN_TAILS; i++) {
        const struct known_tail *known = &source->known[i];
        if ((((low ^ known->words[0]) & known->masks[0]) |
             ((high ^ known->words[1]) & known->masks[1])) == 0) {
            return known->length > 0 ? known : NULL;
        }
    }
    return NULL;
}

/* Remembers what was read from `p` to the end of the line at `end`. */
static void remember_tail(struct text_source *source, const char *p, const char *end,
                          const struct sdsim_block_record *record)
{
    const size_t length = (size_t)(end - p);
    const size_t all = length + (*end == '\r' ? 2 : 1);
    unsigned char text[KNOWN_BYTES] = {0};
    unsigned char mask[KNOWN_BYTES] = {0};
    if (all > KNOWN_BYTES) {
        return;
    }
    memcpy(text, p, all);
    memset(mask, 0xFF, all);
    struct known_tail *known = &source->known[source->oldest++ % KNOWN_TAILS];
    *known = (struct known_tail){
        .length = length,
        .count = record->count,
        .repeat = record->repeat,
        .label = record->label,
        .failed = record->flags & SDSIM_TRACE_FAILED,
    };
    for (size_t i = 0; i < KNOWN_BYTES / 8; i++) {
        known->words[i] = sdsim_load64(text + 8 * i);
        known->masks[i] = sdsim_load64(mask + 8 * i);
    }
}

static const char *beyond(struct text_source *source, const char *lba)
{
    return complain(source, lba, "these sectors lie beyond 2^32", NULL);
}

/* " COUNT" and the end of the line. */
static const char *parse_count(struct text_source *source, const char *p,
                               struct sdsim_block_record *record, const char *lba)
{
    const char *count = skip_blanks(p);
    const char *end = parse_u32(count, &record->count);
    if (end == NULL || record->count == 0) {
        return complain(source, count, "no number of sectors",
                        "a line is R LBA COUNT or W LBA COUNT");
    }
    if (record->count - 1 > UINT32_MAX - record->lba) {
        return beyond(source, lba);
    }
    end = parse_tail(source, end, record);
    if (end != NULL) {
        remember_tail(source, p, end, record);
    }
    return end;
}

/* " LBA COUNT" behind R, W, #T or #E, up to the end of the line. */
static inline const char *parse_range(struct text_source *source, const char *p,
                                      struct sdsim_block_record *record)
{
    const char *lba = skip_blanks(p);
    uint64_t number = 0;
    p = sdsim_trace_many_digits(lba, source->lines.end, &number);
    record->lba = (uint32_t)number;
    if (p == NULL || number > UINT32_MAX || (*p != ' ' && *p != '\t')) {
        return complain(source, lba, "no sector number", "a line is R LBA COUNT or W LBA COUNT");
    }
    const struct known_tail *known = find_tail(source, p);
    if (known == NULL) {
        return parse_count(source, p, record, lba);
    }
    if (known->count - 1 > UINT32_MAX - record->lba) {
        return beyond(source, lba);
    }
    record->count = known->count;
    record->repeat = known->repeat;
    record->label = known->label;
    record->flags |= known->failed;
    return p + known->length;
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
            return sdsim_trace_number(p + length, &record->answer);
        }
    }
    return NULL;
}

/* "#@ LINE[.REPETITION] [rc=N] [n=N]" */
static const char *parse_mark(struct text_source *source, const char *p,
                              struct sdsim_block_record *record)
{
    p = skip_blanks(p + 2);
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
        return complain(source, p == NULL ? word : skip_blanks(p), "no mark of a file operation",
                        "a mark is #@ LINE[.REPETITION] [rc=N] [n=N]");
    }
    return skip_blanks(p);
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
static const char *parse_end(struct text_source *source, const char *p)
{
    static const char *const names[] = {"blockops=", "read=", "written="};
    const uint64_t counted[] = {source->block_operations, source->sectors[0], source->sectors[1]};
    const char *end = line_end(p);
    for (p = skip_blanks(p + strlen("#end")); p < end; p = skip_blanks(p)) {
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
            const size_t length = strlen(names[i]);
            uint64_t total;
            if (begins(p, names[i]) && sdsim_trace_number(p + length, &total) != NULL &&
                total != counted[i]) {
                char what[160];
                snprintf(what, sizeof what,
                         "there should be %s%" PRIu64 ", but the lines above make %" PRIu64
                         ": some are missing, or too many",
                         names[i], total, counted[i]);
                return complain(source, p, what, NULL);
            }
        }
        while (*p != ' ' && *p != '\t' && p < end) {
            p++;
        }
    }
    return end;
}

static bool is_word_end(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* "#S", "#T LBA COUNT", ...: NULL if it is none of them, or wrong, which it has told then. */
static const char *parse_special(struct text_source *source, const char *p, bool timed,
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
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (p[1] != kinds[i].letter || !is_word_end(p[2])) {
            continue;
        }
        const char next = *skip_blanks(p + 2);
        if (kinds[i].range && !timed && (next < '0' || next > '9')) {
            break; /* a comment that begins with a single letter */
        }
        record->kind = kinds[i].kind;
        p += 2;
        return kinds[i].range ? parse_range(source, p, record) : parse_tail(source, p, record);
    }
    return NULL;
}

/* A line, or what follows its times, that starts with '#'. */
static const char *parse_hash(struct text_source *source, const char *p, bool timed,
                              struct sdsim_block_record *record)
{
    const char *end = parse_special(source, p, timed, record);
    if (end != NULL || source->base.failed) {
        return end;
    }
    if (timed) {
        return complain(source, p, "no block operation", "R, W, #S, #T, #E or #D");
    }
    if (p[1] == '@') {
        return parse_mark(source, p, record);
    }
    record->kind = NO_RECORD;
    if (begins(p, "#end") && is_word_end(p[4])) {
        return parse_end(source, p);
    }
    if (p[1] == '!') {
        parse_header(source, p);
    }
    return line_end(p);
}

/* "@TIME [+TIME]" and blanks. */
static inline const char *parse_times(struct text_source *source, const char *p,
                                      struct sdsim_block_record *record)
{
    const char *last = source->lines.end;
    const char *end = sdsim_trace_time(p + 1, last, &record->start);
    if (end != NULL && is_word_end(*end)) {
        record->flags = SDSIM_TRACE_HAS_START;
        p = skip_blanks(end);
        if (*p != '+') {
            return p;
        }
        end = sdsim_trace_time(p + 1, last, &record->duration);
        if (end != NULL && is_word_end(*end)) {
            record->flags = SDSIM_TRACE_HAS_START | SDSIM_TRACE_HAS_DURATION;
            return skip_blanks(end);
        }
    }
    return complain(source, p, "no time that fits here",
                    "a time has a unit: @1.25ms +310us R 8192 1");
}

/* "LBA COUNT ..." behind R or W. */
static inline const char *parse_transfer(struct text_source *source, const char *p,
                                         struct sdsim_block_record *record)
{
    p = parse_range(source, p, record);
    source->block_operations += record->repeat;
    source->sectors[record->kind] += (uint64_t)record->count * record->repeat;
    return p;
}

/* A line; record->kind is NO_RECORD if it makes none. */
static inline const char *parse_line(struct text_source *source, const char *p,
                                     struct sdsim_block_record *record)
{
    *record = (struct sdsim_block_record){.repeat = 1};
    const bool timed = *p == '@';
    if (timed) {
        p = parse_times(source, p, record);
        if (p == NULL) {
            return NULL;
        }
    }
    if ((*p == 'R' || *p == 'W') && (p[1] == ' ' || p[1] == '\t')) {
        record->kind = *p == 'R' ? SDSIM_TRACE_READ : SDSIM_TRACE_WRITE;
        return parse_transfer(source, p + 2, record);
    }
    if (*p == '#') {
        return parse_hash(source, p, timed, record);
    }
    p = skip_blanks(p);
    if (!timed && is_end(p)) {
        record->kind = NO_RECORD;
        return p;
    }
    return complain(source, p, "no block operation", "R LBA COUNT, W LBA COUNT, #S, #T LBA COUNT");
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
        const char *end = lines->end;
        const char *p = lines->at;
        while (p != end && count < most) {
            source->line = p;
            lines->number++;
            p = parse_line(source, p, &records[count]);
            if (p == NULL) {
                return count;
            }
            count += records[count].kind != NO_RECORD;
            p += *p == '\r' ? 2 : 1;
        }
        lines->at = p;
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
