/*
 * Firmware: prints in disk_read, disk_write and disk_ioctl of FatFs's diskio.c, as people write them.
 *
 *     disk_read(0, 8192, 1)                          drive, sector, count
 *     disk_write(0, 0x20001234, 8192, 8)             drive, buffer, sector, count
 *     disk_write sector=8192 count=8 took 310 us     names: sector, sec, lba, block, addr;
 *     [  12.345] ff_sdmmc_read pdrv=0 sector=100 count=4          count, cnt, nblk, n, blocks, sectors
 *     I (1234) diskio: disk_write: lba 8192, 8 sectors -> 0 in 2 ms
 *     1234567 disk_ioctl CTRL_SYNC
 *     disk_ioctl(0, 0)                               commands by number: 0 sync, 4 trim
 *
 * The function's name may be any that ends in disk_read, disk_write, disk_ioctl, sdmmc_read,
 * sdmmc_write, sd_read, sd_write, raw_read, raw_write or read_blocks, write_blocks, readBlocks,
 * writeBlocks. Time stamps in front are optional, in the shapes of trace/scan.h; so are durations:
 * took, in, time, dt, elapsed, dur, with a number and its unit, or a number with ns, us or ms. A
 * line with the same call and "done", "end", "ret" or "exit" and no sector ends the call before it.
 *
 * Which of a line's numbers is which: those with a name by their name, else by their order, the last
 * two in parentheses (or of the line) being sector and count.
 *
 * A line with a duration was printed behind the call, so its stamp is the end; without one the stamp
 * is the beginning, as most prints stand at the head of the function. Durations without any stamps are
 * laid end to end.
 *
 * Not supported: sectors of other sizes; prints in other words. Rename, or write .blocks lines.
 */
#include <string.h>

#include "trace/log.h"

enum { MOST_NUMBERS = 8 };

static const struct {
    const char *name;
    uint8_t kind; /* SDSIM_TRACE_MARK: an ioctl, whose command says it */
} functions[] = {
    {"disk_read", SDSIM_TRACE_READ},     {"disk_write", SDSIM_TRACE_WRITE},
    {"disk_ioctl", SDSIM_TRACE_MARK},    {"sdmmc_read", SDSIM_TRACE_READ},
    {"sdmmc_write", SDSIM_TRACE_WRITE},  {"sd_read", SDSIM_TRACE_READ},
    {"sd_write", SDSIM_TRACE_WRITE},     {"raw_read", SDSIM_TRACE_READ},
    {"raw_write", SDSIM_TRACE_WRITE},    {"read_blocks", SDSIM_TRACE_READ},
    {"write_blocks", SDSIM_TRACE_WRITE}, {"readBlocks", SDSIM_TRACE_READ},
    {"writeBlocks", SDSIM_TRACE_WRITE},
};

/* Where the text behind the function's name begins, and what it does; NULL: no such line. */
static const char *find_function(const char *line, uint8_t *kind)
{
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        const char *p = strstr(line, functions[i].name);
        const char after = p != NULL ? p[strlen(functions[i].name)] : 'x';
        if (p != NULL && strchr(" (:\t=,-s", after) != NULL) {
            *kind = functions[i].kind;
            p += strlen(functions[i].name);
            return strncmp(p, "_sectors", 8) == 0 ? p + 8 : p;
        }
    }
    return NULL;
}

static bool number_named(const char *text, const char *const *names, uint64_t *value)
{
    for (; *names != NULL; names++) {
        if (sdsim_scan_key_number(text, *names, value)) {
            return true;
        }
    }
    return false;
}

/* "8 sectors", "8 blocks" */
static bool count_before_word(const char *text, uint64_t *value)
{
    static const char *const words[] = {"sectors", "sector(s)", "blocks", "block(s)"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const char *p = strstr(text, words[i]);
        if (p == NULL || p == text || p[-1] != ' ') {
            continue;
        }
        const char *number = p - 1;
        while (number > text && number[-1] >= '0' && number[-1] <= '9') {
            number--;
        }
        if (sdsim_scan_number(number, value) == p - 1) {
            return true;
        }
    }
    return false;
}

/* The bare numbers of the call: those in parentheses, else those up to a word that ends them. */
static size_t bare_numbers(const char *text, uint64_t numbers[MOST_NUMBERS])
{
    const char *p = text + strcspn(text, "(");
    const bool bracketed = *p == '(';
    p = bracketed ? p + 1 : text;
    size_t count = 0;
    while (*p != '\0' && !(bracketed && *p == ')') && count < MOST_NUMBERS) {
        const bool begins = p == text || strchr(" (,:=\t", p[-1]) != NULL;
        const char *end =
            begins && *p >= '0' && *p <= '9' ? sdsim_scan_number(p, &numbers[count]) : NULL;
        if (!bracketed && (strncmp(p, "->", 2) == 0 || strncmp(p, "took", 4) == 0)) {
            break;
        }
        sdsim_ps time;
        if (end != NULL && sdsim_scan_time(p, &time) != NULL) {
            p = sdsim_scan_time(p, &time); /* how long it took */
        } else if (end != NULL && strchr(" ,);\t:", *end) != NULL) {
            count++;
            p = end;
        } else if (end != NULL && *end == '\0') {
            return count + 1;
        } else {
            p++;
        }
    }
    return count;
}

/* Sector and count; false if the line has none. */
static bool find_range(const char *text, uint64_t *sector, uint64_t *count)
{
    static const char *const sectors[] = {"sector", "sec",  "lba",         "LBA", "Sector",
                                          "block",  "addr", "start_block", NULL};
    static const char *const counts[] = {"count",  "cnt",     "nblk",        "n",   "num",
                                         "blocks", "sectors", "block_count", "len", NULL};
    const bool named = number_named(text, sectors, sector);
    if (named) {
        if (!number_named(text, counts, count) && !count_before_word(text, count)) {
            *count = 1;
        }
        return true;
    }
    uint64_t numbers[MOST_NUMBERS];
    const size_t found = bare_numbers(text, numbers);
    if (found < 2) {
        return false;
    }
    const size_t last = found > 4 ? 4 : found;
    *sector = numbers[last - 2];
    *count = numbers[last - 1];
    return true;
}

/* What an ioctl does; false: nothing that moves the card. */
static bool kind_of_ioctl(const char *text, uint8_t *kind)
{
    uint64_t numbers[MOST_NUMBERS];
    if (strstr(text, "SYNC") != NULL) {
        *kind = SDSIM_TRACE_SYNC;
    } else if (strstr(text, "TRIM") != NULL) {
        *kind = SDSIM_TRACE_TRIM;
    } else if (bare_numbers(text, numbers) >= 2 && (numbers[1] == 0 || numbers[1] == 4)) {
        *kind = numbers[1] == 0 ? SDSIM_TRACE_SYNC : SDSIM_TRACE_TRIM;
    } else {
        return false;
    }
    return true;
}

/* Whether the line tells of the end of a call rather than of its beginning. */
static bool is_end(const char *text)
{
    static const char *const words[] = {"done", "end", "ret", "exit", "return", "returned"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (sdsim_scan_word(text, words[i]) != NULL) {
            return true;
        }
    }
    return false;
}

static bool line_of_diskio(struct sdsim_log *log, const char *line)
{
    struct sdsim_log_state *state = &log->state[0];
    struct sdsim_block_record record = {.repeat = 1};
    const char *text = find_function(line, &record.kind);
    if (text == NULL || (record.kind == SDSIM_TRACE_MARK && !kind_of_ioctl(text, &record.kind))) {
        return text != NULL;
    }
    uint64_t sector = 0;
    uint64_t count = 0;
    sdsim_ps time = 0;
    const bool timed = sdsim_scan_stamp(line, &state->unwrap, &time);
    const bool ranged = find_range(text, &sector, &count);
    if (is_end(text) && (!ranged || strstr(text, "sector") == NULL)) {
        if (state->open) {
            sdsim_log_end(log, state->call, timed, time, false);
            state->open = false;
        }
        return true;
    }
    const bool needs_range = record.kind != SDSIM_TRACE_SYNC;
    if (needs_range && (!ranged || count == 0 || sector > UINT32_MAX ||
                        count > (uint64_t)UINT32_MAX + 1 - sector)) {
        return false;
    }
    if (needs_range) {
        record.lba = (uint32_t)sector;
        record.count = (uint32_t)count;
    }
    sdsim_ps duration = 0;
    const bool lasted = sdsim_scan_duration(text, &duration);
    if (lasted) {
        const sdsim_ps end = timed ? time : sdsim_time_sum(state->clock, duration);
        record.start = sdsim_time_since(end, duration);
        record.duration = duration;
        record.flags = SDSIM_TRACE_HAS_START | SDSIM_TRACE_HAS_DURATION;
        state->clock = end;
    } else if (timed) {
        record.start = time;
        record.flags = SDSIM_TRACE_HAS_START;
    }
    if (state->open) { /* the one before had no end of its own */
        sdsim_log_end(log, state->call, false, 0, false);
    }
    state->open = !lasted;
    if (lasted) {
        sdsim_log_put(log, &record);
    } else {
        state->call = sdsim_log_begin(log, &record, 0);
    }
    return true;
}

const struct sdsim_log_format sdsim_log_diskio = {
    .line = line_of_diskio,
    .what = "disk_write(0, 8192, 8), or disk_write sector=8192 count=8 took 310 us",
};
