/*
 * May this card be written to? All that has to be answered before, and what has to be done after.
 */
#include "probe_card.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "card/decode.h"
#include "occupancy.h"

static enum sdsim_probe_exit refuse(FILE *err, const char *error, const char *help)
{
    fprintf(err, "error: %s\n", error);
    if (help != NULL) {
        fprintf(err, "help: %s\n", help);
    }
    return SDSIM_PROBE_INPUT;
}

static enum sdsim_probe_exit fault(const struct sdsim_card_io *io, FILE *err)
{
    fprintf(err, "error: %s\n", io->error);
    return SDSIM_PROBE_FAULT;
}

/* "0x1234abcd" or 305441741. */
static bool is_serial(const char *text, uint32_t serial)
{
    char *end;
    const unsigned long long given = strtoull(text, &end, 0);
    return end != text && *end == '\0' && given == serial;
}

/* The serial number has been given, or is given now. */
static enum sdsim_probe_exit agree(uint32_t serial, const struct sdsim_write_wish *wish, FILE *in,
                                   FILE *err)
{
    char line[64];
    if (wish->serial != NULL) {
        if (is_serial(wish->serial, serial)) {
            return SDSIM_PROBE_OK;
        }
        char why[120];
        snprintf(why, sizeof why, "--yes %.20s is not the serial number of this card, 0x%08" PRIX32,
                 wish->serial, serial);
        return refuse(err, why, "is it the card you mean? Nothing was written");
    }
    if (in == NULL) {
        char help[120];
        snprintf(help, sizeof help,
                 "give the card's serial number if you mean it: --yes 0x%08" PRIX32, serial);
        return refuse(err, "nobody is there to be asked whether this card may be written to", help);
    }
    fprintf(err,
            "Write there? What is written is saved before and put back afterwards. "
            "Type the\ncard's serial number 0x%08" PRIX32 " to go on: ",
            serial);
    fflush(err);
    if (fgets(line, sizeof line, in) == NULL) {
        line[0] = '\0';
    }
    line[strcspn(line, "\r\n")] = '\0';
    return is_serial(line, serial) ? SDSIM_PROBE_OK
                                   : refuse(err, "not agreed to; nothing was written", NULL);
}

/* Sectors from..to - 1 of the wish. */
static enum sdsim_probe_exit find_range(const struct sdsim_card_io *io,
                                        const struct sdsim_occupancy *occupancy,
                                        const struct sdsim_write_wish *wish, uint32_t *from,
                                        uint32_t *to, FILE *err)
{
    if (wish->scratch != NULL) {
        const char *why = sdsim_occupancy_refusal(occupancy, io->sectors);
        sdsim_occupancy_file(occupancy, from, to);
        return why == NULL ? SDSIM_PROBE_OK : refuse(err, why, NULL);
    }
    const uint64_t first = (wish->from + SDSIM_SECTOR - 1) / SDSIM_SECTOR;
    const uint64_t end = wish->to / SDSIM_SECTOR;
    if (first >= end || end > io->sectors) {
        return refuse(err, "the range that may be written is empty or not on the card",
                      "give it as --range FROM..TO in bytes, e.g. 1GiB..1088MiB");
    }
    *from = (uint32_t)first;
    *to = (uint32_t)end;
    return SDSIM_PROBE_OK;
}

static void journal_name(const struct sdsim_write_wish *wish, uint32_t serial, char *path,
                         size_t size)
{
    if (wish->journal != NULL) {
        snprintf(path, size, "%s", wish->journal);
    } else {
        snprintf(path, size, "sdsim-%08" PRIX32 ".journal", serial);
    }
}

static enum sdsim_probe_exit look_and_agree(struct sdsim_card_io *io,
                                            const struct sdsim_card_registers *registers,
                                            const struct sdsim_write_wish *wish, FILE *in,
                                            FILE *err, uint32_t *from, uint32_t *to)
{
    struct sdsim_occupancy occupancy;
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    enum sdsim_probe_exit code = SDSIM_PROBE_OK;
    const struct sdsim_cid_facts cid = sdsim_cid_decode(registers->cid);
    if (!sdsim_occupancy_look(io, sdsim_probe_au(registers), wish->scratch, &occupancy, &diags)) {
        const bool told = diags.count > 0;
        sdsim_diags_print(&diags, err);
        code = told ? SDSIM_PROBE_INPUT : fault(io, err);
    }
    if (code == SDSIM_PROBE_OK) {
        code = find_range(io, &occupancy, wish, from, to, err);
    }
    if (code == SDSIM_PROBE_OK) {
        fprintf(err, "card   %s, maker %02X, serial number 0x%08" PRIX32 ", %" PRIu32 " sectors\n",
                cid.product, cid.maker, cid.serial, io->sectors);
        sdsim_occupancy_print(&occupancy, *from, *to, err);
        fprintf(err, "range  sectors %" PRIu32 " to %" PRIu32 " may be written\n", *from, *to - 1);
        code = agree(cid.serial, wish, in, err);
    }
    sdsim_occupancy_free(&occupancy);
    sdsim_diags_free(&diags);
    return code;
}

enum sdsim_probe_exit sdsim_ask_to_write(struct sdsim_card_io *io,
                                         const struct sdsim_card_registers *registers,
                                         const struct sdsim_write_wish *wish, FILE *in, FILE *err,
                                         struct sdsim_guard *guard)
{
    const uint32_t serial = sdsim_cid_decode(registers->cid).serial;
    char path[512];
    uint32_t from;
    uint32_t to;
    journal_name(wish, serial, path, sizeof path);
    if (sdsim_journal_exists(path)) {
        char why[640];
        snprintf(why, sizeof why, "%s is there: an earlier run was not finished", path);
        return refuse(err, why, "'sdsim probe --restore' puts back what it has");
    }
    const enum sdsim_probe_exit code = look_and_agree(io, registers, wish, in, err, &from, &to);
    if (code != SDSIM_PROBE_OK) {
        return code;
    }
    return sdsim_guard_open(guard, io, path, registers->cid, from, to) ? SDSIM_PROBE_OK
                                                                       : fault(io, err);
}

enum sdsim_probe_exit sdsim_end_writing(struct sdsim_guard *guard,
                                        const struct sdsim_write_wish *wish,
                                        enum sdsim_probe_exit code, FILE *err)
{
    uint64_t restored = 0;
    if (wish->keep) {
        fprintf(err,
                "note: nothing was put back; %s has what was there, for "
                "'sdsim probe --restore'\n",
                guard->journal.path);
    } else if (sdsim_guard_restore(guard, &restored)) {
        fprintf(err, "note: %" PRIu64 " sectors were put back and read again\n", restored);
    } else {
        fprintf(err,
                "error: what was written could not be put back: %s\n"
                "help: %s has what was there; 'sdsim probe --restore' tries again\n",
                guard->io->error, guard->journal.path != NULL ? guard->journal.path : "nothing");
        code = SDSIM_PROBE_FAULT;
    }
    sdsim_guard_close(guard);
    return code;
}
