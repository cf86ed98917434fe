/*
 * Linux: what strace prints of a program that works with files, with or without -f, -t, -tt, -ttt, -r
 * and -T:
 *
 *     1701350000.789012 openat(AT_FDCWD, "/mnt/sd/log.bin", O_WRONLY|O_CREAT|O_TRUNC, 0644) = 3 <0.0003>
 *     1701350000.790112 write(3, "..."..., 4096) = 4096 <0.000310>
 *     1701350000.791204 fsync(3) = 0 <0.012>
 *     1701350000.803504 close(3) = 0
 *
 * open, openat, creat, read, write, pread64, pwrite64, lseek, fsync, fdatasync, ftruncate and close of
 * the files opened by name become operations (of the first ten open at a time; descriptors that were
 * open before, and files below /dev, /proc, /sys, /etc, /lib, /usr, are left out). Calls that failed
 * are left out, too. What a read or write really moved counts, not what it asked for.
 *
 * Not supported: calls that are "unfinished" and "resumed" (take -f off, or one process), mmap,
 * readv, writev, dup, file positions shared between processes.
 */
#include <string.h>

#include "trace/op_log.h"

static bool starts(const char *text, const char *head)
{
    return strncmp(text, head, strlen(head)) == 0;
}

/* A process number and a time in front of the call, if there are; the call. */
static const char *skip_front(struct sdsim_op_log *log, const char *line, bool *timed,
                              sdsim_ps *time)
{
    const char *p = line + strspn(line, " ");
    if (starts(p, "[pid ")) {
        p += strcspn(p, "]");
        p += *p == ']';
        p += strspn(p, " ");
    }
    uint64_t number;
    const char *end = sdsim_scan_number(p, &number);
    if (end != NULL && *end == ' ') { /* the process, with -o */
        p = end + strspn(end, " ");
        end = sdsim_scan_number(p, &number);
    }
    *timed = false;
    if (end == NULL) {
        return p;
    }
    if (*end == ':') { /* time of day */
        struct sdsim_unwrap unused = {.started = false};
        *timed = sdsim_scan_stamp(p, &unused, time);
    } else if (*end == '.') {
        const bool absolute = number >= 1000000000; /* since 1970; else -r: since the call before */
        sdsim_ps part = 0;
        if (!log->have_epoch) {
            log->epoch = number;
            log->have_epoch = true;
        }
        char fraction[24] = "0";
        const size_t digits = strspn(end + 1, "0123456789");
        const size_t kept = digits < 12 ? digits : 12;
        fraction[1] = '.';
        memcpy(fraction + 2, end + 1, kept);
        fraction[2 + kept] = '\0';
        *timed = kept > 0 && sdsim_scan_decimal(fraction, SDSIM_S, &part) != NULL;
        if (absolute) {
            const uint64_t seconds = number >= log->epoch ? number - log->epoch : 0;
            *time = sdsim_time_sum(sdsim_time_times(SDSIM_S, seconds), part);
        } else {
            log->clock =
                sdsim_time_sum(log->clock, sdsim_time_sum(sdsim_time_times(SDSIM_S, number), part));
            *time = log->clock;
        }
    }
    p += strcspn(p, " ");
    return p + strspn(p, " ");
}

/* The number behind ") = ", false if the call failed or never returned. */
static bool result_of(const char *call, uint64_t *result, const char **behind)
{
    const char *last = NULL;
    for (const char *p = strstr(call, ") "); p != NULL; p = strstr(p + 1, ") ")) {
        const char *equals = p + 1 + strspn(p + 1, " ");
        if (equals[0] == '=' && equals[1] == ' ') {
            last = equals + 2;
        }
    }
    if (last == NULL) {
        return false;
    }
    *behind = sdsim_scan_number(last, result);
    return *behind != NULL;
}

/* Argument number `index`, from 0; strings with commas in them count as one. */
static const char *argument(const char *call, int index)
{
    const char *p = strchr(call, '(');
    p = p != NULL ? p + 1 : call + strlen(call);
    while (index > 0 && *p != '\0') {
        if (*p == '"') {
            for (p++; *p != '\0' && *p != '"'; p++) {
                p += *p == '\\' && p[1] != '\0';
            }
        }
        if (*p == ',') {
            index--;
        }
        p += *p != '\0';
    }
    return p + strspn(p, " ");
}

static enum sdsim_open_mode mode_of(const char *flags)
{
    const bool create = strstr(flags, "O_CREAT") != NULL;
    if (strstr(flags, "O_APPEND") != NULL) {
        return SDSIM_OPEN_APPEND;
    }
    if (strstr(flags, "O_TRUNC") != NULL) {
        return strstr(flags, "O_RDWR") != NULL ? SDSIM_OPEN_WRITE_READ : SDSIM_OPEN_WRITE;
    }
    if (strstr(flags, "O_WRONLY") != NULL || strstr(flags, "O_RDWR") != NULL) {
        return create ? SDSIM_OPEN_UPDATE_CREATE : SDSIM_OPEN_UPDATE;
    }
    return SDSIM_OPEN_READ;
}

static bool is_of_system(const char *path)
{
    static const char *const places[] = {"/dev/", "/proc/", "/sys/", "/etc/", "/lib", "/usr/"};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        if (starts(path, places[i])) {
            return true;
        }
    }
    return false;
}

static void open_file(struct sdsim_op_log *log, struct sdsim_op *op, const char *path,
                      const char *flags, uint64_t descriptor)
{
    const size_t length = *path == '"' ? strcspn(path + 1, "\"") : 0;
    const int old = sdsim_op_log_find(log, descriptor);
    if (old >= 0) { /* closed where we could not see it */
        log->files[old].open = false;
    }
    if (length == 0 || strstr(flags, "O_DIRECTORY") != NULL || is_of_system(path + 1) ||
        !sdsim_op_log_wants(log, path + 1, length)) {
        return;
    }
    const int handle = sdsim_op_log_take(log, descriptor);
    if (handle >= 0) {
        op->kind = SDSIM_OP_OPEN;
        op->handle = (uint8_t)handle;
        op->mode = mode_of(flags);
        sdsim_op_log_put(log, op, path + 1, length);
    }
}

/* A call on an open file. */
static void use_file(struct sdsim_op_log *log, struct sdsim_op *op, const char *call,
                     uint64_t result)
{
    uint64_t descriptor;
    const int handle = sdsim_scan_number(argument(call, 0), &descriptor) != NULL
                           ? sdsim_op_log_find(log, descriptor)
                           : -1;
    if (handle < 0 || result > INT64_MAX) {
        return;
    }
    op->handle = (uint8_t)handle;
    if (starts(call, "pread64(") || starts(call, "pwrite64(")) {
        struct sdsim_op seek = *op;
        uint64_t offset = 0;
        (void)sdsim_scan_number(argument(call, 3), &offset);
        seek.kind = SDSIM_OP_SEEK;
        seek.has_duration = false;
        seek.amount.bytes = offset <= INT64_MAX ? (int64_t)offset : 0;
        sdsim_op_log_put(log, &seek, NULL, 0);
    }
    op->amount.bytes = (int64_t)result;
    if (starts(call, "close(")) {
        op->kind = SDSIM_OP_CLOSE;
        log->files[handle].open = false;
    } else if (starts(call, "write(") || starts(call, "pwrite64(")) {
        op->kind = SDSIM_OP_WRITE;
    } else if (starts(call, "read(") || starts(call, "pread64(")) {
        op->kind = SDSIM_OP_READ;
    } else if (starts(call, "lseek(")) {
        op->kind = SDSIM_OP_SEEK; /* the result is the position */
    } else if (starts(call, "ftruncate(")) {
        op->kind = SDSIM_OP_TRUNCATE;
    } else {
        op->kind = SDSIM_OP_SYNC;
    }
    if ((op->kind == SDSIM_OP_WRITE || op->kind == SDSIM_OP_READ) && result == 0) {
        return; /* the end of the file */
    }
    sdsim_op_log_put(log, op, NULL, 0);
}

static bool line_of_strace(struct sdsim_op_log *log, const char *line)
{
    static const char *const calls[] = {"read(",  "write(",     "pread64(",   "pwrite64(", "lseek(",
                                        "fsync(", "fdatasync(", "ftruncate(", "close("};
    struct sdsim_op op = {.kind = SDSIM_OP_OPEN};
    const char *call = skip_front(log, line, &op.has_start, &op.start);
    const bool openat = starts(call, "openat(");
    const bool opens = openat || starts(call, "open(") || starts(call, "creat(");
    bool uses = false;
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        uses = uses || starts(call, calls[i]);
    }
    uint64_t result;
    const char *behind;
    if (!opens && !uses) {
        return false;
    }
    if (!result_of(call, &result, &behind)) {
        return strstr(call, ") = ") != NULL || strstr(call, "unfinished") != NULL;
    }
    const char *took = strchr(behind, '<');
    op.has_duration =
        op.has_start && took != NULL && sdsim_scan_decimal(took + 1, SDSIM_S, &op.duration) != NULL;
    if (opens) {
        const char *flags =
            starts(call, "creat(") ? "O_WRONLY|O_CREAT|O_TRUNC" : argument(call, openat ? 2 : 1);
        open_file(log, &op, argument(call, openat ? 1 : 0), flags, result);
    } else {
        use_file(log, &op, call, result);
    }
    return true;
}

struct sdsim_op_source *sdsim_strace_open(struct sdsim_input *input,
                                          const struct sdsim_trace_options *options)
{
    return sdsim_op_log_open(input, options, line_of_strace,
                             "12:00:00.790112 write(3, \"...\"..., 4096) = 4096 <0.000310>");
}

size_t sdsim_strace_likeness(const char *head, size_t size)
{
    return sdsim_op_log_likeness(head, size, line_of_strace);
}
