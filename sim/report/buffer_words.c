#include "report/buffer_words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/units.h"
#include "report/format.h"

/* In units of `unit` bytes, never less than there are. */
static void print_up(uint64_t bytes, uint64_t unit, const char *name, char *out, size_t size)
{
    const uint64_t whole = bytes / unit;
    const uint64_t rest = bytes % unit;
    /* A tenth is close enough, from 1 MiB to 10 MiB a hundredth. */
    const uint64_t parts = unit > 1024 && whole < 10 ? 100 : 10;
    const uint64_t part = (rest * parts + unit - 1) / unit;
    if (rest == 0) {
        snprintf(out, size, "%" PRIu64 "%s", whole, name);
    } else {
        snprintf(out, size,
                 parts == 100 ? "%" PRIu64 ".%02" PRIu64 "%s" : "%" PRIu64 ".%" PRIu64 "%s",
                 whole + part / parts, part % parts, name);
    }
}

char *sdsim_ram_text(uint64_t bytes, char *out, size_t size)
{
    static const struct {
        uint64_t bytes;
        const char *name;
    } units[] = {{UINT64_C(1) << 30, "GiB"}, {UINT64_C(1) << 20, "MiB"}, {1024, "KiB"}, {1, "B"}};
    size_t u = 0;
    if (bytes == UINT64_MAX) {
        snprintf(out, size, "no RAM");
        return out;
    }
    while (bytes < units[u].bytes && u + 1 < sizeof units / sizeof *units) {
        u++;
    }
    print_up(bytes, units[u].bytes, units[u].name, out, size);
    return out;
}

char *sdsim_loss_text(double bytes, char *out, size_t size)
{
    if (bytes <= 0) {
        snprintf(out, size, "nothing");
    } else if (bytes < 1000) {
        snprintf(out, size, "%.3gB", bytes);
    } else if (bytes < 1e6) {
        snprintf(out, size, "%.3gkB", bytes / 1e3);
    } else if (bytes < 9999.5e6) {
        snprintf(out, size, "%.4gMB", bytes / 1e6);
    } else {
        snprintf(out, size, "%.4gGB", bytes / 1e9);
    }
    return out;
}

char *sdsim_hours_text(double hours, char *out, size_t size)
{
    if (hours >= 1) {
        snprintf(out, size, "%.4g h", hours);
    } else if (60 * hours >= 1) {
        snprintf(out, size, "%.4g min", 60 * hours);
    } else {
        snprintf(out, size, "%.4g s", 3600 * hours);
    }
    return out;
}

/* "23min 11s". */
static char *moment_text(sdsim_ps at, char *out, size_t size)
{
    const uint64_t seconds = at / SDSIM_S;
    if (seconds < 60) {
        return sdsim_print_time(at, out, size);
    }
    if (seconds < 3600) {
        snprintf(out, size, "%" PRIu64 "min %02" PRIu64 "s", seconds / 60, seconds % 60);
    } else {
        snprintf(out, size, "%" PRIu64 "h %02" PRIu64 "min", seconds / 3600, seconds / 60 % 60);
    }
    return out;
}

static int by_length(const void *a, const void *b)
{
    const sdsim_ps x = *(const sdsim_ps *)a;
    const sdsim_ps y = *(const sdsim_ps *)b;
    return (x > y) - (x < y);
}

/* The middle one of the longest stalls of a cause in the runs that went to their end; 0 without memory. */
static sdsim_ps median_of(const struct sdsim_buffer_report *report, enum sdsim_stall_cause cause)
{
    sdsim_ps *lengths = malloc(report->count * sizeof *lengths);
    size_t count = 0;
    if (lengths == NULL) {
        return 0;
    }
    for (size_t i = 0; i < report->count; i++) {
        if (report->runs[i].error == NULL) {
            lengths[count++] = report->runs[i].stalls[cause].length;
        }
    }
    qsort(lengths, count, sizeof *lengths, by_length);
    const sdsim_ps median = count > 0 ? lengths[count / 2] : 0;
    free(lengths);
    return median;
}

static int worst_first(const void *a, const void *b)
{
    const struct sdsim_buffer_stall *x = a;
    const struct sdsim_buffer_stall *y = b;
    return x->longest != y->longest ? (x->longest < y->longest) - (x->longest > y->longest)
                                    : (x->cause > y->cause) - (x->cause < y->cause);
}

size_t sdsim_buffer_stalls(const struct sdsim_buffer_report *report,
                           struct sdsim_buffer_stall stalls[SDSIM_STALL_CAUSES])
{
    size_t count = 0;
    const uint64_t unit = report->setup->run.workload.call;
    for (int c = 0; c < SDSIM_STALL_CAUSES; c++) {
        struct sdsim_buffer_stall *stall = &stalls[count];
        *stall = (struct sdsim_buffer_stall){.cause = (enum sdsim_stall_cause)c};
        for (size_t i = 0; i < report->count; i++) {
            const struct sdsim_stall *of_run = &report->runs[i].stalls[c];
            if (report->runs[i].error == NULL && of_run->length > stall->longest) {
                stall->longest = of_run->length;
                stall->run = i;
                stall->at = of_run->at;
                stall->byte = of_run->unit * unit;
                stall->syncs = of_run->syncs;
            }
        }
        if (stall->longest > 0) {
            stall->median = median_of(report, stall->cause);
            count++;
        }
    }
    qsort(stalls, count, sizeof *stalls, worst_first);
    return count;
}

char *sdsim_buffer_longest(const struct sdsim_buffer_report *report, char *out, size_t size)
{
    struct sdsim_buffer_stall stalls[SDSIM_STALL_CAUSES];
    char length[32];
    char hours[32];
    char at[32];
    char bytes[32];
    if (sdsim_buffer_stalls(report, stalls) == 0) {
        snprintf(out, size, "none");
        return out;
    }
    const struct sdsim_buffer_stall *worst = &stalls[0];
    sdsim_print_time(worst->longest, length, sizeof length);
    moment_text(worst->at, at, sizeof at);
    sdsim_loss_text((double)worst->byte, bytes, sizeof bytes);
    snprintf(out, size, "%s in %s of logging: a %s of run %zu, %s after its start, behind %s: %s",
             length,
             sdsim_hours_text(report->hours * (double)(report->count - report->failed), hours,
                              sizeof hours),
             worst->syncs ? "sync" : "write", worst->run + 1, at, bytes,
             sdsim_stall_cause_text(worst->cause));
    return out;
}

char *sdsim_buffer_exposure(const struct sdsim_buffer_report *report, char *out, size_t size)
{
    const struct sdsim_workload_params *workload = &report->setup->run.workload;
    uint64_t most = 0;
    char bytes[32];
    for (size_t i = 0; i < report->count; i++) {
        most = report->runs[i].exposed > most ? report->runs[i].exposed : most;
    }
    sdsim_loss_text((double)most, bytes, sizeof bytes);
    if (workload->target == SDSIM_ON_RAW || workload->sync_every > 0 ||
        workload->logger.sync_interval > 0 || workload->rotate_every > 0) {
        snprintf(out, size, "takes %s at worst: what was not yet on the card", bytes);
    } else {
        snprintf(out, size, "takes the whole file, up to %s: nothing is synced before it is closed",
                 bytes);
    }
    return out;
}

/* "every 4MB, 40s" */
static void period_text(const struct sdsim_buffer_report *report, uint64_t every, char *out,
                        size_t size)
{
    char bytes[32];
    char time[32];
    sdsim_loss_text((double)every, bytes, sizeof bytes);
    const double seconds = report->rate > 0 ? (double)every / (double)report->rate : 0;
    moment_text((sdsim_ps)(seconds * (double)SDSIM_S), time, sizeof time);
    snprintf(out, size, "every %s, %s", bytes, time);
}

char *sdsim_buffer_advice(const struct sdsim_buffer_report *report, enum sdsim_stall_cause cause,
                          char *out, size_t size)
{
    static const char *const advice[SDSIM_STALL_CAUSES] = {
        [SDSIM_STALL_WRITE] = "each call: larger calls, a faster bus, a card with shorter programs",
        [SDSIM_STALL_START] = "the first writes after power-up: write something before data count",
        [SDSIM_STALL_MERGE] = "where another allocation unit begins: one file at a time, clusters "
                              "that begin with the card's units, a card erased before",
        [SDSIM_STALL_ORDER] = "where the file system goes back: preallocate, sync less often",
        [SDSIM_STALL_BOUNDARY] = "once in 128 clusters on FAT32 (4 MiB of 32 KiB clusters), 256 on "
                                 "FAT16: preallocate, or larger clusters",
        [SDSIM_STALL_FAT] = "each new cluster: preallocate, or larger clusters",
        [SDSIM_STALL_DIRECTORY] = "where the entry is written: sync less often",
        [SDSIM_STALL_SYNC] = "each sync: sync less often, at the risk of more lost with the power; "
                             "preallocate, so that there is less to write",
        [SDSIM_STALL_FILE] = "each change of files: larger files; open and preallocate the next "
                             "one while the last is written",
    };
    const struct sdsim_flash_params *flash = &report->setup->card.flash;
    char period[80];
    if (cause == SDSIM_STALL_PAUSE) {
        period_text(report, flash->pause_every, period, sizeof period);
        snprintf(out, size, "%s: nothing in the firmware but fewer bytes; RAM, or another card",
                 period);
    } else if (cause == SDSIM_STALL_RARE) {
        period_text(report, flash->rare_every, period, sizeof period);
        snprintf(out, size,
                 "%s in the mean: RAM, or a card for continuous recording; longer runs find more",
                 period);
    } else {
        snprintf(out, size, "%s", advice[cause]);
    }
    return out;
}
