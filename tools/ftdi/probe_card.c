#include "probe_card.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "card/decode.h"
#include "probe_json.h"
#include "probe_report.h"

uint32_t sdsim_probe_au(const struct sdsim_card_registers *registers)
{
    const uint64_t said = sdsim_sd_status_decode(registers->status).au;
    if (said > 0) {
        return (uint32_t)(said / SDSIM_SECTOR);
    }
    /* The largest the specification allows at that capacity (4.10.2), which it often is. */
    const uint64_t bytes = (uint64_t)registers->sectors * SDSIM_SECTOR;
    return bytes <= UINT64_C(64) << 20 ? 1024 : bytes <= UINT64_C(256) << 20 ? 2048 : 8192;
}

static enum sdsim_probe_exit fault(const struct sdsim_card_io *io, FILE *err)
{
    fprintf(err, "error: %s\n", io->error);
    return SDSIM_PROBE_FAULT;
}

/* ---- the clock ---- */

enum { SWEEP_BLOCKS = 64, SWEEP_RUN = 16 };

/* Reads at one frequency; *faults are those that were repeated. False: nothing more works. */
static bool try_clock(struct sdsim_card_io *io, uint64_t *faults)
{
    const uint64_t before = sdsim_mpsse_retries(&io->port);
    bool fine = true;
    for (uint32_t i = 0; i < SWEEP_BLOCKS / SWEEP_RUN && fine; i++) {
        const uint32_t lba = io->sectors / (SWEEP_BLOCKS / SWEEP_RUN) * i;
        fine = sdsim_card_io_read(io, lba, SWEEP_RUN, NULL, NULL);
    }
    *faults = sdsim_mpsse_retries(&io->port) - before;
    return fine;
}

/* The highest frequency without errors, from slow to fast. The card is at it afterwards. */
static bool sweep(struct sdsim_card_io *io, const struct sdsim_mpsse_clock *most,
                  struct sdsim_card_findings *findings, FILE *out)
{
    static const uint16_t divisors[SDSIM_SWEEP_ROWS - 1] = {29, 11, 5, 3, 2, 1, 0};
    bool found = false;
    bool alive = true;
    for (size_t i = 0; i <= sizeof divisors / sizeof *divisors && alive; i++) {
        const bool last = i == sizeof divisors / sizeof *divisors || divisors[i] <= most->divisor;
        const struct sdsim_mpsse_clock clock = last ? *most : sdsim_mpsse_clock_of(divisors[i]);
        sdsim_card_io_clock(io, &clock);
        struct sdsim_sweep_row *row = &findings->sweep[findings->sweep_count++];
        *row = (struct sdsim_sweep_row){.clock = clock, .blocks = SWEEP_BLOCKS};
        alive = try_clock(io, &row->faults) || !io->port.dead;
        if (row->faults == 0 && alive) {
            findings->clock = clock;
            findings->best_hz = clock.num / clock.den;
            found = true;
        }
        if (last || (found && row->faults > 0)) {
            break;
        }
    }
    sdsim_report_sweep(findings, out);
    if (!found) { /* errors at all of them: the slowest is the best there is */
        findings->clock = findings->sweep[0].clock;
    }
    sdsim_card_io_clock(io, &findings->clock);
    return alive;
}

/* ---- writing ---- */

static enum sdsim_probe_exit measure_writes(struct sdsim_card_io *io,
                                            const struct sdsim_probe_wishes *wishes,
                                            struct sdsim_card_findings *findings, FILE *err)
{
    struct sdsim_guard guard = {0};
    const uint32_t au = sdsim_probe_au(&findings->registers);
    enum sdsim_probe_exit code =
        sdsim_ask_to_write(io, &findings->registers, &wishes->write, wishes->in, err, &guard);
    if (code != SDSIM_PROBE_OK) {
        sdsim_guard_close(&guard);
        return code;
    }
    guard.stop = wishes->stop;
    findings->written =
        sdsim_measure_writes(io, &guard.writer, &wishes->plan, au, &findings->writes);
    if (!findings->written) {
        code = fault(io, err);
    }
    guard.stop = NULL;
    return sdsim_end_writing(&guard, &wishes->write, code, err);
}

static enum sdsim_probe_exit restore(struct sdsim_card_io *io,
                                     const struct sdsim_probe_wishes *wishes,
                                     const struct sdsim_card_registers *registers, FILE *out,
                                     FILE *err)
{
    struct sdsim_guard guard = {0};
    char path[512];
    uint64_t restored = 0;
    if (wishes->write.journal != NULL) {
        snprintf(path, sizeof path, "%s", wishes->write.journal);
    } else {
        snprintf(path, sizeof path, "sdsim-%08" PRIX32 ".journal",
                 sdsim_cid_decode(registers->cid).serial);
    }
    if (!sdsim_journal_exists(path)) {
        fprintf(err,
                "error: there is no %s: nothing is left to be put back on this card\n"
                "help: go where the card was measured, or name it: --journal FILE\n",
                path);
        return SDSIM_PROBE_INPUT;
    }
    const bool fine = sdsim_guard_reopen(&guard, io, path, registers->cid) &&
                      sdsim_guard_restore(&guard, &restored);
    if (fine) {
        fprintf(out, "%" PRIu64 " sectors were put back and read again\n", restored);
    }
    sdsim_guard_close(&guard);
    return fine ? SDSIM_PROBE_OK : fault(io, err);
}

/* ---- the profile ---- */

/* A new file takes the place of an old one when it is complete. */
static enum sdsim_probe_exit write_profile(const struct sdsim_card_findings *findings,
                                           const char *path, FILE *err)
{
    char temporary[600];
    snprintf(temporary, sizeof temporary, "%.500s.%ld", path, (long)getpid());
    FILE *file = fopen(temporary, "w");
    bool fine = file != NULL;
    if (fine) {
        sdsim_card_profile_write(findings, file);
        fine = ferror(file) == 0;
        fine = fclose(file) == 0 && fine && rename(temporary, path) == 0;
    }
    if (!fine) {
        fprintf(err, "error: %s can't be written: %s\n", path, strerror(errno));
        (void)remove(temporary);
        return SDSIM_PROBE_FAULT;
    }
    return SDSIM_PROBE_OK;
}

/* ---- all of it ---- */

static bool stopped(const struct sdsim_probe_wishes *wishes, FILE *err)
{
    if (wishes->stop == NULL || *wishes->stop == 0) {
        return false;
    }
    fputs("error: stopped by the user\n", err);
    return true;
}

static enum sdsim_probe_exit measure(struct sdsim_card_io *io,
                                     const struct sdsim_probe_wishes *wishes,
                                     struct sdsim_card_findings *findings, FILE *out, FILE *err)
{
    if (!sweep(io, &wishes->clock, findings, out)) {
        return fault(io, err);
    }
    if (stopped(wishes, err) || !sdsim_card_io_gap(io, &findings->gap) ||
        !sdsim_measure_reads(io, &wishes->plan, sdsim_probe_au(&findings->registers),
                             &findings->reads)) {
        return stopped(wishes, err) ? SDSIM_PROBE_FAULT : fault(io, err);
    }
    findings->measured = true;
    sdsim_report_bounds(findings, wishes->time, out);
    sdsim_report_reads(findings, wishes->time, out);
    fflush(out);
    if (wishes->write.wanted) {
        const enum sdsim_probe_exit code = measure_writes(io, wishes, findings, err);
        if (code != SDSIM_PROBE_OK) {
            return code;
        }
        sdsim_report_writes(findings, wishes->time, out);
    }
    return wishes->profile != NULL ? write_profile(findings, wishes->profile, err) : SDSIM_PROBE_OK;
}

/* A place for the report that nobody reads if there is to be JSON. */
static FILE *report_file(const struct sdsim_probe_wishes *wishes, FILE *out)
{
    return wishes->json ? fopen("/dev/null", "w") : out;
}

static void write_json(const struct sdsim_card_io *io, const struct sdsim_probe_wishes *wishes,
                       const struct sdsim_card_findings *findings, FILE *out)
{
    struct sdsim_json json;
    sdsim_json_start(&json, out);
    sdsim_json_object(&json, NULL);
    sdsim_json_text(&json, "chip", wishes->chip);
    sdsim_json_card(&json, findings, wishes->time);
    sdsim_json_usb(&json, io->port.line.link);
    sdsim_json_end(&json);
}

static enum sdsim_probe_exit work(struct sdsim_card_io *io, const struct sdsim_probe_wishes *wishes,
                                  struct sdsim_card_findings *findings, FILE *out, FILE *err)
{
    if (!sdsim_card_io_identify(io, &findings->registers)) {
        return fault(io, err);
    }
    if (wishes->restore) {
        return restore(io, wishes, &findings->registers, out, err);
    }
    sdsim_report_registers(&findings->registers, out);
    fflush(out);
    return wishes->identify_only ? SDSIM_PROBE_OK : measure(io, wishes, findings, out, err);
}

enum sdsim_probe_exit sdsim_probe_card(struct sdsim_link *link,
                                       const struct sdsim_probe_wishes *wishes, FILE *out,
                                       FILE *err)
{
    struct sdsim_card_io io;
    struct sdsim_card_findings findings = {.clock = wishes->clock, .chip = wishes->chip};
    FILE *report = report_file(wishes, out);
    if (report == NULL) {
        fprintf(err, "error: the report can't be thrown away: %s\n", strerror(errno));
        return SDSIM_PROBE_FAULT;
    }
    sdsim_card_io_init(&io, link, &wishes->clock);
    enum sdsim_probe_exit code = work(&io, wishes, &findings, report, err);
    if (code == SDSIM_PROBE_OK || code == SDSIM_PROBE_FINDING) {
        sdsim_report_usb(&io, report);
    }
    if (report != out) {
        fclose(report);
        if (code == SDSIM_PROBE_OK || code == SDSIM_PROBE_FINDING) {
            write_json(&io, wishes, &findings, out);
        }
    }
    sdsim_card_io_free(&io);
    if (code == SDSIM_PROBE_OK && (fflush(out) != 0 || ferror(out) != 0)) {
        fputs("error: cannot write the report\n", err);
        code = SDSIM_PROBE_FAULT;
    }
    return code;
}
