#include "capture/doctor_parts.h"
#include "core/units.h"

enum { POWER_UP_CLOCKS = 74, FRAME_PERIODS = 47 };

static bool is_command(const struct sdsim_doctor_case *c)
{
    return sdsim_doctor_is(c, SDSIM_ITEM_COMMAND);
}

/* ---- power-up and clocks ---- */

/* The record may begin anywhere, so none at all says nothing. */
void sdsim_doctor_check_sd_power_up(struct sdsim_doctor_case *c)
{
    if (is_command(c) && c->item->index == 0 && c->bus->commands == 0 && c->bus->idle_clocks > 0 &&
        c->bus->idle_clocks < POWER_UP_CLOCKS) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_POSSIBLE, "%llu clocks came before CMD0.",
                            (unsigned long long)c->bus->idle_clocks);
    }
}

/* The clock of a frame, to two digits. */
static const char *clock_text(const struct sdsim_item *item, char *out, size_t size)
{
    const sdsim_ps frame = item->end > item->start ? item->end - item->start : 1;
    const uint64_t hz = FRAME_PERIODS * SDSIM_S / frame;
    uint64_t unit = 1;
    while (hz / unit >= 100) {
        unit *= 10;
    }
    return sdsim_unit_print(SDSIM_UNIT_FREQUENCY, (double)((hz + unit / 2) / unit * unit), out,
                            size);
}

/* One percent is left to how a record places its edges. */
static bool faster_than(const struct sdsim_item *item, uint64_t hz)
{
    return item->timed && item->end - item->start < FRAME_PERIODS * (SDSIM_S / hz) / 100 * 99;
}

/* A command of the identification: CMD0 begins it, CMD3 ends it. */
static bool identifies(const struct sdsim_doctor_case *c)
{
    const uint8_t index = c->item->index;
    if (index == 0) {
        return true;
    }
    const bool early = index == 8 || index == 55 || index == 41;
    return c->bus->reset &&
           (early ? !c->bus->was_ready : (index == 2 || index == 3) && !c->bus->sd.rca_known);
}

void sdsim_doctor_check_sd_init_clock(struct sdsim_doctor_case *c)
{
    char clock[32];
    if (is_command(c) && identifies(c) && faster_than(c->item, 400000)) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_SURE, "CMD%u was sent at about %s.", c->item->index,
                            clock_text(c->item, clock, sizeof clock));
    }
}

void sdsim_doctor_check_sd_too_fast(struct sdsim_doctor_case *c)
{
    char clock[32];
    if (is_command(c) && c->bus->reset && c->bus->was_ready && !c->bus->sd.switched &&
        faster_than(c->item, 25000000)) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_SURE,
                            "CMD%u was sent at about %s, and no CMD6 switched the card to high "
                            "speed.",
                            c->item->index, clock_text(c->item, clock, sizeof clock));
    }
}

/* ---- CMD8 and ACMD41 ---- */

void sdsim_doctor_check_sd_cmd8_echo(struct sdsim_doctor_case *c)
{
    if (sdsim_doctor_answers(c, 8, false) && c->item->size == SDSIM_FRAME_SIZE) {
        sdsim_doctor_compare_echo(c);
    }
}

/* Commands that only an initialised card takes: identification and data. */
static bool needs_ready(const struct sdsim_item *item)
{
    return !item->app && (item->index == 2 || item->index == 3 || item->index == 7 ||
                          sdsim_doctor_moves_blocks(item->index, false));
}

void sdsim_doctor_check_sd_not_ready(struct sdsim_doctor_case *c)
{
    if (!is_command(c) || !needs_ready(c->item) || !c->bus->reset || c->bus->was_ready) {
        return;
    }
    if (c->bus->inits == 0) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_SURE, "CMD%u was sent, and no ACMD41 since CMD0.",
                            c->item->index);
    } else if (c->bus->inits_answered > 0) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_SURE,
                            "CMD%u was sent: ACMD41 was sent %u time%s and last answered %08X, "
                            "bit 31 clear.",
                            c->item->index, c->bus->inits, c->bus->inits == 1 ? "" : "s",
                            c->bus->ocr);
    }
}

void sdsim_doctor_check_sd_acmd41_without_cmd55(struct sdsim_doctor_case *c)
{
    if (is_command(c) && c->item->index == 41 && !c->item->app && c->bus->commands > 0) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_SURE, "The command before it is %sCMD%u.",
                            c->bus->asked.app ? "A" : "", c->bus->asked.index);
    }
}

void sdsim_doctor_check_sd_acmd41_no_hcs(struct sdsim_doctor_case *c)
{
    const struct sdsim_doctor_bus *bus = c->bus;
    const bool over = c->item == NULL || (is_command(c) && c->item->index == 0);
    const bool asked_only = (bus->asked.argument & 0xFFFFFF) == 0;
    if (over && bus->version == SDSIM_DOCTOR_VERSION_2 && bus->inits >= 2 && !bus->init_with_hcs &&
        !bus->was_ready && !asked_only) {
        sdsim_doctor_report_at(
            c, SDSIM_DOCTOR_LIKELY, bus->init_at, bus->init_last,
            "ACMD41 was sent %u times without HCS, and the card never got ready.", bus->inits);
    }
}

void sdsim_doctor_check_sd_acmd41_slow(struct sdsim_doctor_case *c)
{
    const sdsim_ps gap =
        c->bus->inits > 0 && is_command(c) ? c->item->start - c->bus->init_last : 0;
    char text[32];
    if (is_command(c) && c->item->index == 41 && c->item->timed && !c->bus->was_ready &&
        gap > 50 * SDSIM_MS) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_SURE, "%s passed since the ACMD41 before.",
                            sdsim_unit_print(SDSIM_UNIT_TIME, (double)gap, text, sizeof text));
    }
}

void sdsim_doctor_check_sd_acmd41_gave_up(struct sdsim_doctor_case *c)
{
    const struct sdsim_doctor_bus *bus = c->bus;
    const bool over = c->item == NULL || (is_command(c) && c->item->index == 0);
    const sdsim_ps tried = bus->init_last - bus->init_first;
    char text[32];
    if (over && c->doctor->source.timed && bus->inits_answered > 1 && !bus->was_ready &&
        tried < SDSIM_S && (c->item != NULL || !bus->cut)) {
        sdsim_doctor_report_at(
            c, c->item != NULL ? SDSIM_DOCTOR_SURE : SDSIM_DOCTOR_POSSIBLE, bus->init_at,
            bus->init_last, "ACMD41 was sent %u times in %s, and the card was still busy.",
            bus->inits, sdsim_unit_print(SDSIM_UNIT_TIME, (double)tried, text, sizeof text));
    }
}

/* ---- address and selection ---- */

/* Application commands of the transfer state: table 4-35, class 8. */
static bool needs_transfer_state(uint8_t index)
{
    return index == 6 || index == 13 || index == 22 || index == 23 || index == 42 || index == 51;
}

void sdsim_doctor_check_sd_not_selected(struct sdsim_doctor_case *c)
{
    const bool needs =
        is_command(c) && (c->item->app ? needs_transfer_state(c->item->index)
                                       : c->item->index == 6 || c->item->index == 16 ||
                                             sdsim_doctor_moves_blocks(c->item->index, false));
    if (needs && c->bus->sd.standby) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_SURE,
                            "%sCMD%u was sent after CMD3 and before a CMD7 with RCA %04X.",
                            c->item->app ? "A" : "", c->item->index, c->bus->sd.rca);
    }
}

/* CMD7 with RCA 0 or another's deselects, which is no fault. */
void sdsim_doctor_check_sd_wrong_rca(struct sdsim_doctor_case *c)
{
    const bool addressed = is_command(c) && !c->item->app &&
                           (c->item->index == 9 || c->item->index == 10 || c->item->index == 13 ||
                            c->item->index == 15 || c->item->index == 55);
    if (addressed && c->bus->sd.rca_known && c->item->argument >> 16 != c->bus->sd.rca) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_LIKELY, "CMD%u was sent to %04X; the card is %04X.",
                            c->item->index, c->item->argument >> 16, c->bus->sd.rca);
    }
}

/* A status of idle, ready or identification when the card had long been initialised. */
void sdsim_doctor_check_sd_idle_again(struct sdsim_doctor_case *c)
{
    if (sdsim_doctor_is(c, SDSIM_ITEM_RESPONSE) && sdsim_doctor_has_status(c->item) &&
        c->bus->sd.rca_known && (sdsim_doctor_status(c->item) >> 9 & 15) < 3) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_LIKELY,
                            "%sCMD%u was answered with state %u, and the card was initialised "
                            "before.",
                            c->item->app ? "A" : "", c->item->index,
                            sdsim_doctor_status(c->item) >> 9 & 15);
    }
}
