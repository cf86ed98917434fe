#include "trace/firmware_log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/firmware_line.h"

enum {
    VERSION = 1,
    RECORD_BYTES = SDSIM_FIRMWARE_RECORD_BYTES,
    MARK_LENGTH = SDSIM_FIRMWARE_MARK_LENGTH,
    CODE_LENGTH = SDSIM_FIRMWARE_CODE_LENGTH,
    NAME_PIECE = 12,
    HAS_MORE = 0x80,
    HANDLES = 256,
    NUMBERS = 1 << 24, /* of lines */
};

static const char magic[RECORD_BYTES] = "sdtrace1\r\n\032\n\0\0\0";

/* 100 days. */
#define LONG_RUNNING_US (UINT64_C(100) * 86400 * 1000000)

/* As much as fits picoseconds, with room for a start and a duration. */
#define LATEST_US (SDSIM_TIME_END / SDSIM_US - UINT64_C(0x200000000))

struct pending_name {
    uint32_t stretch; /* of the log in which it was read: it is forgotten where something is lost */
    char text[SDSIM_FIRMWARE_NAME_MAX + 1];
    uint16_t length;
    bool broken; /* a piece is missing */
};

struct sdsim_firmware_log {
    struct sdsim_input *input;
    bool raw;
    bool failed;
    bool ended; /* raw: behind END */
    bool any;   /* a record was read */
    uint32_t line;
    uint32_t number; /* of the next line */
    uint16_t crc;    /* raw: of all records since HEAD */
    uint32_t records;
    uint32_t high;
    bool has_time;
    uint64_t origin; /* microseconds taken off each time ... */
    uint64_t behind; /* ... or put on it, after a restart */
    uint64_t latest; /* end of the latest event, as it was given out */
    uint64_t clock;  /* the same as the clock of the board showed it */
    uint32_t more;   /* upper bits of the next count */
    bool has_more;
    uint8_t opened; /* handle whose name was given out, to be forgotten */
    bool was_opened;
    uint32_t stretch; /* counts what a name must not outlive */
    struct pending_name names[HANDLES];
};

struct words {
    uint32_t word[4];
};

static struct words words_of(const uint8_t *bytes)
{
    struct words words;
    for (size_t i = 0; i < 4; i++) {
        const uint8_t *four = bytes + 4 * i;
        words.word[i] = (uint32_t)four[0] | (uint32_t)four[1] << 8 | (uint32_t)four[2] << 16 |
                        (uint32_t)four[3] << 24;
    }
    return words;
}

static unsigned kind_of(const struct words *words)
{
    return words->word[0] & 0xFF & ~(unsigned)HAS_MORE;
}

/* ---- messages ---- */

static void tell(struct sdsim_firmware_log *log, enum sdsim_severity severity, const char *help,
                 const char *text)
{
    const struct sdsim_place place = {.file = sdsim_input_name(log->input), .line = log->line};
    struct sdsim_diags *diags = sdsim_input_diags(log->input);
    if (log->raw) {
        sdsim_diag_add(diags, severity, &place, NULL, 0, help, "%s (offset %llu)", text,
                       (unsigned long long)sdsim_input_offset(log->input));
    } else {
        sdsim_diag_add(diags, severity, &place, NULL, 0, help, "%s", text);
    }
}

static void fail(struct sdsim_firmware_log *log, const char *help, const char *text)
{
    tell(log, SDSIM_ERROR, help, text);
    log->failed = true;
}

void sdsim_firmware_log_warn(struct sdsim_firmware_log *log, const char *help, const char *format,
                             ...)
{
    char text[300];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    tell(log, SDSIM_WARNING, help, text);
}

/* ---- text ---- */

static void count_lines(struct sdsim_firmware_log *log, const char *bytes, size_t size)
{
    const char *end = bytes + size;
    for (;;) {
        const char *newline = memchr(bytes, '\n', (size_t)(end - bytes));
        if (newline == NULL) {
            return;
        }
        log->line += log->line < UINT32_MAX;
        bytes = newline + 1;
    }
}

/* Goes to behind the next mark; false at the end. */
static bool skip_to_mark(struct sdsim_firmware_log *log)
{
    for (;;) {
        size_t size;
        const char *bytes = sdsim_input_peek(log->input, MARK_LENGTH + CODE_LENGTH, &size);
        if (size < MARK_LENGTH) {
            return false;
        }
        const char *place = sdsim_firmware_line_find(bytes, size);
        /* without one, the last bytes may still be the start of one */
        const size_t skipped = place != NULL ? (size_t)(place - bytes) : size - (MARK_LENGTH - 1);
        count_lines(log, bytes, skipped);
        sdsim_input_take(log->input, place != NULL ? skipped + MARK_LENGTH : skipped);
        if (place != NULL) {
            return true;
        }
    }
}

/* What the number of a line says: which ones are missing. */
static void check_number(struct sdsim_firmware_log *log, uint32_t number)
{
    const uint32_t missing = (number - log->number) & (NUMBERS - 1);
    if (missing != 0 && (missing < NUMBERS / 2 || !log->any)) {
        sdsim_firmware_log_warn(log, "lines got lost between the board and this file",
                                "%u %s of the recording %s missing before this line",
                                (unsigned)missing, missing == 1 ? "line" : "lines",
                                missing == 1 ? "is" : "are");
        log->has_more = false;
    }
    log->number = (number + 1) & (NUMBERS - 1);
}

/* A board that starts again counts time and lines from zero. */
static void restart(struct sdsim_firmware_log *log)
{
    sdsim_firmware_log_warn(log, "cut the log in two to have both with their own times",
                            "the board was restarted here; its times go on from those before");
    log->behind = log->latest;
    log->origin = 0;
    log->has_time = false;
    log->clock = 0;
    log->high = 0;
    log->has_more = false;
    log->stretch++;
}

static bool next_text(struct sdsim_firmware_log *log, struct words *words)
{
    while (skip_to_mark(log)) {
        size_t size;
        const char *text = sdsim_input_peek(log->input, CODE_LENGTH, &size);
        uint8_t bytes[RECORD_BYTES];
        uint32_t number;
        if (size < CODE_LENGTH || !sdsim_firmware_line_decode(text, bytes, &number)) {
            sdsim_firmware_log_warn(log, NULL, "a damaged line of the recording is left out");
            continue; /* behind its mark: another line may have got into it */
        }
        sdsim_input_take(log->input, CODE_LENGTH);
        *words = words_of(bytes);
        const bool begins = kind_of(words) == SDSIM_FIRMWARE_HEAD && words->word[1] == 0;
        const bool back = ((number - log->number) & (NUMBERS - 1)) >= NUMBERS / 2;
        if (log->any && (begins || back)) {
            restart(log);
            log->number = begins ? number : log->number;
        }
        check_number(log, number);
        log->any = true;
        return true;
    }
    if (!log->any && !sdsim_input_failed(log->input)) {
        fail(log, "it is what sdtrace_dump() of tools/firmware/sdtrace.h prints",
             "no line of a recording (sdt1:) is in this file");
    }
    return false;
}

/* ---- raw ---- */

/* Another dump behind END. */
static bool next_dump(struct sdsim_firmware_log *log)
{
    size_t size;
    const char *bytes = sdsim_input_peek(log->input, RECORD_BYTES, &size);
    if (size == 0) {
        return false;
    }
    if (size < RECORD_BYTES || memcmp(bytes, magic, RECORD_BYTES) != 0) {
        sdsim_firmware_log_warn(log, NULL, "what is behind the end of the dump is left out");
        return false;
    }
    sdsim_input_take(log->input, RECORD_BYTES);
    log->ended = false;
    return true;
}

static bool next_raw(struct sdsim_firmware_log *log, struct words *words)
{
    if (log->ended && !next_dump(log)) {
        return false;
    }
    size_t size;
    const char *bytes = sdsim_input_peek(log->input, RECORD_BYTES, &size);
    if (size < RECORD_BYTES) {
        if (!sdsim_input_failed(log->input)) {
            fail(log, "the records before it are good", "the dump is cut off: it has no end");
        }
        return false;
    }
    *words = words_of((const uint8_t *)bytes);
    const unsigned kind = kind_of(words);
    if (kind == SDSIM_FIRMWARE_HEAD) {
        log->crc = 0;
        log->records = 0;
        if (words->word[1] == 0 && log->any) {
            restart(log);
        }
    }
    if (kind == SDSIM_FIRMWARE_END) {
        log->ended = true;
        if (words->word[1] != log->records || (words->word[2] & 0xFFFF) != log->crc) {
            fail(log,
                 "bytes got lost or changed on the way; sdtrace_dump() prints lines that tell "
                 "which",
                 "the CRC at the end of the dump is wrong");
            return false;
        }
    } else {
        log->crc = sdsim_firmware_crc(log->crc, (const uint8_t *)bytes, RECORD_BYTES);
        log->records += kind != SDSIM_FIRMWARE_HEAD;
    }
    sdsim_input_take(log->input, RECORD_BYTES);
    log->any = true;
    return true;
}

/* ---- records to events ---- */

/* The full time of an end whose lower half is `low`, as it is given out; false after a message. */
static bool full_time(struct sdsim_firmware_log *log, uint32_t low, uint32_t duration,
                      uint64_t *end)
{
    uint64_t time = (uint64_t)log->high << 32 | low;
    if (log->has_time && time < log->clock) { /* the helper that told of a wrap is missing */
        log->high = (uint32_t)(log->clock >> 32);
        time = (uint64_t)log->high << 32 | low;
        if (time < log->clock) {
            log->high++;
            time += UINT64_C(1) << 32;
        }
    }
    if (!log->has_time) {
        log->has_time = true;
        log->origin = time > LONG_RUNNING_US ? time - duration : 0;
        if (time < duration) { /* began before the clock's zero, or it wrapped unseen */
            log->behind += UINT64_C(1) << 32;
        }
    }
    log->clock = time;
    time = time - log->origin + log->behind;
    if (time > LATEST_US) {
        fail(log, NULL, "a time is more than 213 days after the first");
        return false;
    }
    log->latest = time;
    *end = time;
    return true;
}

static void add_name(struct sdsim_firmware_log *log, const struct words *words)
{
    struct pending_name *name = &log->names[words->word[0] >> 16 & 0xFF];
    const unsigned piece = words->word[0] >> 8 & 0xFF;
    if (piece == 0 || name->stretch != log->stretch) {
        name->stretch = log->stretch;
        name->length = 0;
        name->broken = false;
    }
    if (name->length != piece * NAME_PIECE || name->length + NAME_PIECE > (int)sizeof name->text) {
        name->broken = true;
        return;
    }
    for (unsigned i = 0; i < NAME_PIECE; i++) {
        const char c = (char)(words->word[1 + i / 4] >> 8 * (i % 4));
        if (c == '\0') {
            break;
        }
        /* neither quotes nor control characters can be said in a list of operations */
        name->text[name->length++] = (unsigned char)c < ' ' || c == '"' || c == 0x7F ? '_' : c;
    }
}

/* The name of the file that is opened; it is forgotten with the next event. */
static const char *take_name(struct sdsim_firmware_log *log, uint8_t handle)
{
    struct pending_name *name = &log->names[handle];
    log->opened = handle;
    log->was_opened = true;
    name->text[name->broken || name->stretch != log->stretch ? 0 : name->length] = '\0';
    return name->text;
}

static void forget_name(struct sdsim_firmware_log *log)
{
    if (log->was_opened) {
        log->names[log->opened].length = 0;
        log->names[log->opened].broken = false;
        log->was_opened = false;
    }
}

/* Records that only help to understand others; true if it was one. */
static bool take_helper(struct sdsim_firmware_log *log, const struct words *words)
{
    switch (kind_of(words)) {
    case SDSIM_FIRMWARE_HEAD:
        log->high = words->word[3];
        log->has_more = false;
        if ((words->word[0] >> 8 & 0xFF) != VERSION) {
            fail(log, "this sdsim reads version 1", "another version of sdtrace.h made this");
        }
        return true;
    case SDSIM_FIRMWARE_END:
        return true;
    case SDSIM_FIRMWARE_EPOCH:
        log->high = words->word[1];
        return true;
    case SDSIM_FIRMWARE_MORE:
        log->more = words->word[1];
        log->has_more = true;
        return true;
    case SDSIM_FIRMWARE_NAME:
        add_name(log, words);
        return true;
    default:
        return false;
    }
}

static enum sdsim_open_mode mode_of(uint32_t mode)
{
    static const enum sdsim_open_mode modes[] = {
        SDSIM_OPEN_READ,   SDSIM_OPEN_WRITE,         SDSIM_OPEN_WRITE_READ,
        SDSIM_OPEN_UPDATE, SDSIM_OPEN_UPDATE_CREATE, SDSIM_OPEN_APPEND,
    };
    return mode < sizeof modes / sizeof modes[0] ? modes[mode] : SDSIM_OPEN_UPDATE_CREATE;
}

/* The fields that depend on the kind; false: the record says nothing that is known. */
static bool take_fields(struct sdsim_firmware_log *log, const struct words *words, uint32_t count,
                        struct sdsim_firmware_event *event)
{
    const uint32_t value = words->word[1];
    event->result = (uint8_t)(words->word[0] >> 8);
    switch (event->kind) {
    case SDSIM_FIRMWARE_READ:
    case SDSIM_FIRMWARE_WRITE:
    case SDSIM_FIRMWARE_TRIM:
        event->lba = value;
        event->count = count;
        return true;
    case SDSIM_FIRMWARE_SYNC:
    case SDSIM_FIRMWARE_STATUS:
        return true;
    case SDSIM_FIRMWARE_OPEN:
        event->handle = (uint8_t)count;
        event->mode = mode_of(count >> 8 & 0xFF);
        event->bytes = value;
        event->name = take_name(log, event->handle);
        return true;
    case SDSIM_FIRMWARE_CLOSE:
    case SDSIM_FIRMWARE_FILE_READ:
    case SDSIM_FIRMWARE_FILE_WRITE:
    case SDSIM_FIRMWARE_FILE_SYNC:
    case SDSIM_FIRMWARE_SEEK:
        event->handle = (uint8_t)count;
        event->bytes = (uint64_t)(count >> 8 & 0xFF) << 32 | value;
        return true;
    case SDSIM_FIRMWARE_MARK:
        event->result = 0;
        event->count = count;
        event->value = value;
        return true;
    default:
        return false;
    }
}

/* Records are missing here. */
static void take_loss(struct sdsim_firmware_log *log, uint32_t lost,
                      struct sdsim_firmware_event *event)
{
    event->kind = SDSIM_FIRMWARE_LOST;
    event->lost = lost;
    event->start = log->latest * SDSIM_US;
    log->has_more = false;
    log->stretch++;
    sdsim_firmware_log_warn(log, "a larger ring, or dumps more often, would keep them",
                            "the recorder was full: %u %s missing here", (unsigned)lost,
                            lost == 1 ? "record is" : "records are");
}

/* A record that is no helper; false: there is nothing to give out. */
static bool take_event(struct sdsim_firmware_log *log, const struct words *words,
                       struct sdsim_firmware_event *event)
{
    *event =
        (struct sdsim_firmware_event){.name = "", .kind = (enum sdsim_firmware_kind)kind_of(words)};
    if (event->kind == SDSIM_FIRMWARE_LOST) {
        log->high = words->word[3];
        if (words->word[1] == 0) { /* only a helper was overwritten */
            return false;
        }
        take_loss(log, words->word[1], event);
        return true;
    }
    uint32_t count = words->word[0] >> 16;
    const bool more = (words->word[0] & HAS_MORE) != 0;
    if (more && !log->has_more) { /* the helper was the oldest, and was overwritten */
        take_loss(log, 1, event);
        return true;
    }
    if (more) {
        count |= log->more << 16;
    }
    log->has_more = false;
    if (!take_fields(log, words, count, event)) {
        sdsim_firmware_log_warn(log, NULL, "a record of unknown kind %u is left out",
                                (unsigned)event->kind);
        return false;
    }
    uint64_t end;
    if (!full_time(log, words->word[2] + words->word[3], words->word[3], &end)) {
        return false;
    }
    event->duration = words->word[3] * SDSIM_US;
    event->start = sdsim_time_since(end * SDSIM_US, event->duration);
    return true;
}

bool sdsim_firmware_log_next(struct sdsim_firmware_log *log, struct sdsim_firmware_event *event)
{
    struct words words;
    forget_name(log);
    while (!log->failed) {
        const bool got = log->raw ? next_raw(log, &words) : next_text(log, &words);
        if (!got) {
            log->failed = log->failed || sdsim_input_failed(log->input);
            return false;
        }
        if (!take_helper(log, &words) && take_event(log, &words, event)) {
            return true;
        }
    }
    return false;
}

/* ---- opening ---- */

static void look_at(struct sdsim_firmware_look *look, const uint8_t *record)
{
    const struct words words = words_of(record);
    const unsigned kind = kind_of(&words);
    look->is_log = true;
    look->blocks = look->blocks || (kind >= SDSIM_FIRMWARE_READ && kind < SDSIM_FIRMWARE_OPEN);
    look->files = look->files || (kind >= SDSIM_FIRMWARE_OPEN && kind < SDSIM_FIRMWARE_MARK);
}

struct sdsim_firmware_look sdsim_firmware_log_look(const char *bytes, size_t size)
{
    struct sdsim_firmware_look look = {.is_log = false};
    if (size >= 8 && memcmp(bytes, magic, 8) == 0) {
        look.is_log = true;
        for (size_t at = RECORD_BYTES; at + RECORD_BYTES <= size; at += RECORD_BYTES) {
            look_at(&look, (const uint8_t *)bytes + at);
        }
        return look;
    }
    const char *end = bytes + size;
    for (const char *place = bytes;
         (place = sdsim_firmware_line_find(place, (size_t)(end - place))) != NULL;) {
        uint8_t record[RECORD_BYTES];
        uint32_t number;
        place += MARK_LENGTH;
        if (end - place >= CODE_LENGTH && sdsim_firmware_line_decode(place, record, &number)) {
            look_at(&look, record);
        }
    }
    return look;
}

struct sdsim_firmware_log *sdsim_firmware_log_open(struct sdsim_input *input)
{
    struct sdsim_firmware_log *log = calloc(1, sizeof *log);
    if (log == NULL) {
        sdsim_error(sdsim_input_diags(input), sdsim_input_name(input), "out of memory");
        sdsim_input_close(input);
        return NULL;
    }
    log->input = input;
    log->line = 1;
    size_t size;
    const char *bytes = sdsim_input_peek(input, RECORD_BYTES, &size);
    if (size >= 8 && memcmp(bytes, magic, 8) == 0) {
        log->raw = true;
        log->line = 0;
        if (size < RECORD_BYTES || memcmp(bytes, magic, RECORD_BYTES) != 0) {
            fail(log,
                 "something on the way turned line ends over: save the dump as binary, or use "
                 "sdtrace_dump()",
                 "the head of the raw dump is damaged");
            sdsim_firmware_log_close(log);
            return NULL;
        }
        sdsim_input_take(input, RECORD_BYTES);
    }
    return log;
}

uint32_t sdsim_firmware_log_line(const struct sdsim_firmware_log *log)
{
    return log->line;
}

bool sdsim_firmware_log_failed(const struct sdsim_firmware_log *log)
{
    return log->failed;
}

void sdsim_firmware_log_close(struct sdsim_firmware_log *log)
{
    if (log != NULL) {
        sdsim_input_close(log->input);
        free(log);
    }
}
