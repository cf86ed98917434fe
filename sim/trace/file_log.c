/*
 * Firmware: prints of file operations, as people write them.
 *
 *     [   12.345] fopen("/sd/log.bin", "wb")
 *     [   12.350] fwrite(buf, 1, 4096, f)                C's arguments: size times count
 *     I (1234) app: write 4096 bytes took 310 us
 *     12345678 f_write(&fil, buf, 4096, &bw) = 0
 *     f_lseek 8192, f_sync, f_read 512, fsync, fflush, fclose
 *
 * The operation is the first of these words in the line: fopen, open, f_open; fwrite, write, f_write;
 * fread, read, f_read; fseek, lseek, f_lseek, seek; fsync, fflush, f_sync, sync, flush; fclose, close,
 * f_close. Bytes are the number in front of "bytes" or "B", or behind len, size, n, count, bytes, or
 * the last number of the call. One file: what is written before anything is opened goes to
 * /TRACE.BIN. Time stamps and durations are as in log_diskio.c; a line with a duration was printed
 * behind the call.
 *
 * Not supported: several files at a time; prints in other words. Rename, or write .ops lines.
 */
#include <string.h>

#include "trace/op_log.h"

static const struct {
    const char *word;
    enum sdsim_op_kind kind;
} words[] = {
    {"fopen", SDSIM_OP_OPEN},   {"f_open", SDSIM_OP_OPEN},   {"open", SDSIM_OP_OPEN},
    {"fwrite", SDSIM_OP_WRITE}, {"f_write", SDSIM_OP_WRITE}, {"write", SDSIM_OP_WRITE},
    {"fread", SDSIM_OP_READ},   {"f_read", SDSIM_OP_READ},   {"read", SDSIM_OP_READ},
    {"fseek", SDSIM_OP_SEEK},   {"f_lseek", SDSIM_OP_SEEK},  {"lseek", SDSIM_OP_SEEK},
    {"seek", SDSIM_OP_SEEK},    {"fsync", SDSIM_OP_SYNC},    {"f_sync", SDSIM_OP_SYNC},
    {"fflush", SDSIM_OP_SYNC},  {"sync", SDSIM_OP_SYNC},     {"flush", SDSIM_OP_SYNC},
    {"fclose", SDSIM_OP_CLOSE}, {"f_close", SDSIM_OP_CLOSE}, {"close", SDSIM_OP_CLOSE},
};

/* The text behind the first operation of the line; NULL: none. */
static const char *find_operation(const char *line, enum sdsim_op_kind *kind)
{
    const char *first = NULL;
    size_t length = 0;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const char *p = sdsim_scan_word(line, words[i].word);
        if (p != NULL && (first == NULL || p < first)) {
            first = p;
            length = strlen(words[i].word);
            *kind = words[i].kind;
        }
    }
    return first != NULL ? first + length : NULL;
}

/* The numbers of the call, up to its ')', "took" or "->". */
static size_t numbers_of(const char *text, uint64_t numbers[8])
{
    size_t count = 0;
    for (const char *p = text; *p != '\0' && *p != ')' && count < 8; p++) {
        if (strncmp(p, "took", 4) == 0 || strncmp(p, "->", 2) == 0) {
            break;
        }
        const bool begins = p == text || strchr(" (,:=\t", p[-1]) != NULL;
        const char *end =
            begins && *p >= '0' && *p <= '9' ? sdsim_scan_number(p, &numbers[count]) : NULL;
        sdsim_ps time;
        if (end != NULL && sdsim_scan_time(p, &time) != NULL) {
            p = sdsim_scan_time(p, &time) - 1; /* how long it took */
        } else if (end != NULL) {
            count += *p != '0' || p[1] != 'x'; /* pointers don't count */
            p = end - 1;
        }
    }
    return count;
}

static bool bytes_of(const char *line, const char *text, uint64_t *bytes)
{
    static const char *const names[] = {"len", "size", "bytes", "n", "count"};
    uint64_t numbers[8];
    const char *unit = sdsim_scan_word(text, "bytes");
    if (unit != NULL && unit > text + 1 && unit[-1] == ' ') {
        const char *p = unit - 1;
        while (p > line && p[-1] >= '0' && p[-1] <= '9') {
            p--;
        }
        if (sdsim_scan_number(p, bytes) == unit - 1) {
            return true;
        }
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (sdsim_scan_key_number(text, names[i], bytes)) {
            return true;
        }
    }
    const size_t count = numbers_of(text, numbers);
    if (count == 0) {
        return false;
    }
    const bool of_c = count == 2 && *text == '(' &&
                      ((text - line >= 6 && strncmp(text - 6, "fwrite", 6) == 0) ||
                       (text - line >= 5 && strncmp(text - 5, "fread", 5) == 0));
    *bytes = of_c && numbers[1] > 0 && numbers[0] <= UINT32_MAX && numbers[1] <= UINT32_MAX
                 ? numbers[0] * numbers[1]
                 : numbers[count - 1];
    return true;
}

static enum sdsim_open_mode mode_of(const char *text)
{
    static const struct {
        const char *text;
        enum sdsim_open_mode mode;
    } modes[] = {
        {"\"w+", SDSIM_OPEN_WRITE_READ},
        {"\"wb+", SDSIM_OPEN_WRITE_READ},
        {"\"w", SDSIM_OPEN_WRITE},
        {"\"a", SDSIM_OPEN_APPEND},
        {"\"r+", SDSIM_OPEN_UPDATE},
        {"\"rb+", SDSIM_OPEN_UPDATE},
        {"FA_OPEN_APPEND", SDSIM_OPEN_APPEND_END},
        {"FA_CREATE_ALWAYS", SDSIM_OPEN_WRITE},
        {"FA_OPEN_ALWAYS", SDSIM_OPEN_UPDATE_CREATE},
        {"FA_WRITE", SDSIM_OPEN_UPDATE},
        {"O_APPEND", SDSIM_OPEN_APPEND},
        {"O_TRUNC", SDSIM_OPEN_WRITE},
        {"O_CREAT", SDSIM_OPEN_UPDATE_CREATE},
        {"O_WRONLY", SDSIM_OPEN_UPDATE},
        {"O_RDWR", SDSIM_OPEN_UPDATE},
    };
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        if (strstr(text, modes[i].text) != NULL) {
            return modes[i].mode;
        }
    }
    const char *last = text + strlen(text);
    while (last > text && strchr(" \t\r)", last[-1]) != NULL) {
        last--;
    }
    const char *word = last;
    while (word > text && word[-1] != ' ' && word[-1] != ',') {
        word--;
    }
    return *word == 'w' ? SDSIM_OPEN_WRITE : *word == 'a' ? SDSIM_OPEN_APPEND : SDSIM_OPEN_READ;
}

/* The path in a call that opens: in quotes, or the first word; its length, 0: none. */
static size_t path_of(const char *text, const char **path)
{
    const char *quote = strchr(text, '"');
    if (quote != NULL && strchr(quote + 1, '"') != NULL) {
        *path = quote + 1;
        return strcspn(quote + 1, "\"");
    }
    *path = text + strspn(text, " (:=\t");
    return strcspn(*path, " ,)\t\r");
}

/* The only file; it is opened now if nobody has. */
static void need_file(struct sdsim_op_log *log, const struct sdsim_op *user)
{
    static const char name[] = "TRACE.BIN";
    if (sdsim_op_log_find(log, 0) < 0) {
        struct sdsim_op open = {.kind = SDSIM_OP_OPEN, .mode = SDSIM_OPEN_UPDATE_CREATE};
        open.mode = user->kind == SDSIM_OP_READ ? SDSIM_OPEN_READ : SDSIM_OPEN_WRITE;
        open.handle = (uint8_t)sdsim_op_log_take(log, 0);
        sdsim_op_log_put(log, &open, name, strlen(name));
    }
}

static void set_times(struct sdsim_op_log *log, const char *line, const char *text,
                      struct sdsim_op *op)
{
    sdsim_ps time = 0;
    const bool timed = sdsim_scan_stamp(line, &log->unwrap, &time);
    op->has_duration = sdsim_scan_duration(text, &op->duration);
    op->has_start = timed || op->has_duration;
    if (op->has_duration) {
        const sdsim_ps end = timed ? time : sdsim_time_sum(log->clock, op->duration);
        op->start = sdsim_time_since(end, op->duration);
        log->clock = end;
    } else {
        op->start = time;
    }
}

static bool line_of_files(struct sdsim_op_log *log, const char *line)
{
    struct sdsim_op op = {.kind = SDSIM_OP_OPEN};
    const char *text = find_operation(line, &op.kind);
    uint64_t bytes = 0;
    if (text == NULL) {
        return false;
    }
    const bool moves = op.kind == SDSIM_OP_WRITE || op.kind == SDSIM_OP_READ;
    if ((moves || op.kind == SDSIM_OP_SEEK) &&
        (!bytes_of(line, text, &bytes) || bytes > INT64_MAX || (moves && bytes == 0))) {
        return false;
    }
    set_times(log, line, text, &op);
    op.amount.bytes = (int64_t)bytes;
    if (op.kind == SDSIM_OP_OPEN) {
        const char *path;
        const size_t length = path_of(text, &path);
        if (length == 0) {
            return false;
        }
        log->files[0].open = false;
        op.handle = (uint8_t)sdsim_op_log_take(log, 0);
        op.mode = mode_of(text);
        sdsim_op_log_put(log, &op, path, length);
        return true;
    }
    if (op.kind == SDSIM_OP_CLOSE && !log->files[0].open) {
        return true;
    }
    need_file(log, &op);
    log->files[0].open = op.kind != SDSIM_OP_CLOSE;
    sdsim_op_log_put(log, &op, NULL, 0);
    return true;
}

struct sdsim_op_source *sdsim_file_log_open(struct sdsim_input *input,
                                            const struct sdsim_trace_options *options)
{
    return sdsim_op_log_open(
        input, options, line_of_files,
        "[   12.345] fwrite(buf, 1, 4096, f), or write 4096 bytes took 310 us");
}

/* Words like "sync" stand in many texts; files are opened, read or written in a log of them. */
static bool telling_line(struct sdsim_op_log *log, const char *line)
{
    enum sdsim_op_kind kind;
    return find_operation(line, &kind) != NULL &&
           (kind == SDSIM_OP_OPEN || kind == SDSIM_OP_READ || kind == SDSIM_OP_WRITE) &&
           line_of_files(log, line);
}

size_t sdsim_file_log_likeness(const char *head, size_t size)
{
    return sdsim_op_log_likeness(head, size, telling_line);
}
