#include "capture/doctor_parts.h"
#include "core/units.h"

enum { POWER_UP_CLOCKS = 74 };

static bool is_command(const struct sdsim_doctor_case *c)
{
    return sdsim_doctor_is(c, SDSIM_ITEM_COMMAND) && !c->item->deselected;
}

/* ---- before CMD0 ---- */

/* The first command of the record is CMD0, so the record may show the power-up. */
static bool is_first_reset(const struct sdsim_doctor_case *c)
{
    return is_command(c) && c->item->index == 0 && c->bus->commands == 0 &&
           c->doctor->source.cs_known;
}

static bool clocked_with_cs_low(const struct sdsim_doctor_case *c)
{
    return c->bus->idle_clocks < POWER_UP_CLOCKS && c->item->gap * 8u >= 64 &&
           c->bus->idle_clocks + c->item->gap * 8u >= POWER_UP_CLOCKS - 10;
}

void sdsim_doctor_check_power_up_cs_low(struct sdsim_doctor_case *c)
{
    if (is_first_reset(c) && clocked_with_cs_low(c)) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_SURE,
                            "Of the clocks before CMD0, %u had CS low and %llu CS high.",
                            c->item->gap * 8u, (unsigned long long)c->bus->idle_clocks);
    }
}

void sdsim_doctor_check_power_up_clocks(struct sdsim_doctor_case *c)
{
    if (is_first_reset(c) && !clocked_with_cs_low(c) && c->bus->idle_clocks > 0 &&
        c->bus->idle_clocks < POWER_UP_CLOCKS) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_LIKELY, "%llu clocks with CS high came before CMD0.",
                            (unsigned long long)c->bus->idle_clocks);
    }
}

void sdsim_doctor_check_power_up_mosi(struct sdsim_doctor_case *c)
{
    if (is_first_reset(c) && c->bus->idle_odd > 0) {
        sdsim_doctor_report(
            c, SDSIM_DOCTOR_LIKELY, "MOSI was not FF in %llu of %llu bytes before CMD0.",
            (unsigned long long)c->bus->idle_odd, (unsigned long long)(c->bus->idle_clocks / 8));
    }
}

/* The clock of a frame that took so long, to two digits: whether its last half period is in it
 * depends on the source. */
static const char *clock_text(sdsim_ps frame, char *out, size_t size)
{
    const uint64_t hz = 95 * SDSIM_S / (2 * (frame > 0 ? frame : 1));
    uint64_t unit = 1;
    while (hz / unit >= 100) {
        unit *= 10;
    }
    return sdsim_unit_print(SDSIM_UNIT_FREQUENCY, (double)((hz + unit / 2) / unit * unit), out,
                            size);
}

/* The 48 clocks of a frame have 47 periods between the first and the last of one kind of edge, so
 * this is sure however the source places its edges. */
void sdsim_doctor_check_init_clock(struct sdsim_doctor_case *c)
{
    const sdsim_ps shortest = 47 * (SDSIM_S / 400000);
    if (!is_command(c) || !c->item->timed || c->bus->was_ready ||
        c->item->end - c->item->start >= shortest) {
        return;
    }
    const bool initialises = c->item->index == 0 || c->item->index == 8 || c->item->index == 55 ||
                             c->item->index == 41 || c->item->index == 1;
    if (initialises && (c->bus->reset || c->item->index == 0)) {
        char clock[32];
        sdsim_doctor_report(c, SDSIM_DOCTOR_SURE, "CMD%u was sent at about %s.", c->item->index,
                            clock_text(c->item->end - c->item->start, clock, sizeof clock));
    }
}

/* ---- CMD0 and CMD8 ---- */

void sdsim_doctor_check_cmd0_crc(struct sdsim_doctor_case *c)
{
    if (is_command(c) && c->item->index == 0 && c->item->crc != SDSIM_ITEM_CRC_RIGHT) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_SURE, "Its last byte is %02X, right is %02X.",
                            c->item->bytes[5], sdsim_doctor_frame_crc(c->item));
    }
}

void sdsim_doctor_check_cmd0_not_idle(struct sdsim_doctor_case *c)
{
    if (sdsim_doctor_answers(c, 0, false) && c->item->bytes[0] == 0) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_SURE, "CMD0 was answered 00.");
    }
}

void sdsim_doctor_check_cmd8_crc(struct sdsim_doctor_case *c)
{
    if (is_command(c) && c->item->index == 8 && c->item->crc != SDSIM_ITEM_CRC_RIGHT) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_SURE,
                            "With argument %08X its last byte is %02X, right is %02X.",
                            c->item->argument, c->item->bytes[5], sdsim_doctor_frame_crc(c->item));
    }
}

void sdsim_doctor_check_cmd8_illegal(struct sdsim_doctor_case *c)
{
    if (sdsim_doctor_answers(c, 8, false) && (c->item->bytes[0] & ~1) == SDSIM_SPI_R1_ILLEGAL) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_SURE, "CMD8 was answered %02X.", c->item->bytes[0]);
    }
}

void sdsim_doctor_compare_echo(struct sdsim_doctor_case *c)
{
    const uint8_t *r7 = c->item->bytes;
    const uint32_t argument = c->bus->asked.argument;
    if (r7[4] != (argument & 0xFF) || (r7[3] & 0xF) != (argument >> 8 & 0xF)) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_LIKELY,
                            "CMD8 asked with %03X and was answered %02X %02X %02X %02X.",
                            argument & 0xFFF, r7[1], r7[2], r7[3], r7[4]);
    }
}

void sdsim_doctor_check_cmd8_echo(struct sdsim_doctor_case *c)
{
    if (!sdsim_doctor_answers(c, 8, false) || c->item->size < 5 || c->bus->strays > 0 ||
        (c->item->bytes[0] & ~SDSIM_SPI_R1_IDLE) != 0) { /* shifted bits have a rule of their own */
        return;
    }
    sdsim_doctor_compare_echo(c);
}

/* ---- ACMD41 ---- */

/* A command that moves data was answered in idle state. */
static bool data_in_idle(const struct sdsim_doctor_case *c)
{
    return sdsim_doctor_is(c, SDSIM_ITEM_RESPONSE) && !c->bus->was_ready &&
           sdsim_spi_command(c->item->index, c->item->app)->data != SDSIM_SPI_NO_DATA &&
           (c->item->bytes[0] & ~SDSIM_SPI_R1_ILLEGAL) == SDSIM_SPI_R1_IDLE;
}

void sdsim_doctor_check_not_initialised(struct sdsim_doctor_case *c)
{
    if (data_in_idle(c) && c->bus->inits == 0 && !c->bus->old_init) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_SURE,
                            "CMD%u was answered %02X: the card is in idle state, and no ACMD41 was "
                            "sent.",
                            c->item->index, c->item->bytes[0]);
    }
}

void sdsim_doctor_check_acmd41_not_repeated(struct sdsim_doctor_case *c)
{
    const struct sdsim_doctor_bus *bus = c->bus;
    if (!data_in_idle(c) || bus->inits == 0) {
        return;
    }
    char ocr[80] = "";
    if (bus->ocr_seen && (bus->ocr >> 31) == 0) {
        snprintf(ocr, sizeof ocr, " OCR %08X confirms it: its bit 31 is 0.", bus->ocr);
    }
    sdsim_doctor_report(
        c, SDSIM_DOCTOR_SURE,
        "CMD%u was answered %02X, in idle state: ACMD41 was sent %u time%s and last "
        "answered %02X, so the card still initialises.%s",
        c->item->index, c->item->bytes[0], bus->inits, bus->inits == 1 ? "" : "s", bus->init_r1,
        ocr);
}

void sdsim_doctor_check_acmd41_without_cmd55(struct sdsim_doctor_case *c)
{
    if (!is_command(c) || c->item->index != 41 || c->item->app) {
        return;
    }
    if (c->bus->commands == 0) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_SURE, "There is no command before it.");
    } else {
        sdsim_doctor_report(c, SDSIM_DOCTOR_SURE, "The command before it is %s%u.",
                            c->bus->asked.known && c->bus->asked.app ? "ACMD" : "CMD",
                            c->bus->asked.index);
    }
}

void sdsim_doctor_check_acmd41_illegal(struct sdsim_doctor_case *c)
{
    if (sdsim_doctor_answers(c, 41, true) && (c->item->bytes[0] & ~1) == SDSIM_SPI_R1_ILLEGAL) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_LIKELY, "ACMD41 was answered %02X.", c->item->bytes[0]);
    }
}

/* Commands that belong to the loop of ACMD41. */
static bool within_init(uint8_t index)
{
    return index == 55 || index == 41 || index == 58 || index == 59 || index == 13;
}

/* The loop of ACMD41 is left, by another command or because the record is over, and the card never
 * was ready. */
static bool leaves_init(const struct sdsim_doctor_case *c)
{
    const struct sdsim_doctor_bus *bus = c->bus;
    if (bus->was_ready || bus->inits_answered == 0 || (bus->init_r1 & ~1) != 0) {
        return false;
    }
    return c->item == NULL || (is_command(c) && !within_init(c->item->index));
}

void sdsim_doctor_check_acmd41_no_hcs(struct sdsim_doctor_case *c)
{
    const struct sdsim_doctor_bus *bus = c->bus;
    if (leaves_init(c) && !bus->init_with_hcs && bus->version == SDSIM_DOCTOR_VERSION_2 &&
        (c->item != NULL || bus->inits > 1)) {
        sdsim_doctor_report_at(
            c, SDSIM_DOCTOR_LIKELY, bus->init_at, bus->init_last,
            "The card knows CMD8, ACMD41 was sent %u time%s without HCS and never "
            "answered 00.",
            bus->inits, bus->inits == 1 ? "" : "s");
    }
}

void sdsim_doctor_check_acmd41_gave_up(struct sdsim_doctor_case *c)
{
    const struct sdsim_doctor_bus *bus = c->bus;
    if (!leaves_init(c) || bus->inits < 2) {
        return;
    }
    const sdsim_ps took = bus->init_last - bus->init_first;
    const enum sdsim_doctor_confidence confidence =
        c->item != NULL ? SDSIM_DOCTOR_LIKELY : SDSIM_DOCTOR_POSSIBLE;
    if (!c->doctor->source.timed) {
        sdsim_doctor_report_at(
            c, confidence, bus->init_at, bus->init_last,
            "ACMD41 was sent %u times and last answered %02X; how long that took "
            "is not in the record.",
            bus->inits, bus->init_r1);
    } else if (took < SDSIM_S) {
        sdsim_doctor_report_at(c, confidence, bus->init_at, bus->init_last,
                               "ACMD41 was sent %u times in %.1f ms and last answered %02X.",
                               bus->inits, (double)(took / SDSIM_US) / 1000.0, bus->init_r1);
    }
}

void sdsim_doctor_check_acmd41_slow(struct sdsim_doctor_case *c)
{
    const struct sdsim_doctor_bus *bus = c->bus;
    if (sdsim_doctor_is(c, SDSIM_ITEM_COMMAND) && c->item->index == 41 && c->item->timed &&
        bus->inits > 0 && c->item->start - bus->init_last > 50 * SDSIM_MS) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_SURE, "%.1f ms after the one before.",
                            (double)((c->item->start - bus->init_last) / SDSIM_US) / 1000.0);
    }
}

void sdsim_doctor_check_silence_not_retried(struct sdsim_doctor_case *c)
{
    const struct sdsim_doctor_asked *asked = &c->bus->asked;
    const bool initialises = asked->index == 0 || asked->index == 55 || asked->index == 41;
    if (c->item == NULL && asked->known && asked->silent && initialises && asked->looked >= 8 &&
        !asked->busy && !c->bus->was_ready && !c->doctor->source.card_unknown) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_POSSIBLE,
                            "%s%u was not answered, and nothing follows in the record.",
                            asked->app ? "ACMD" : "CMD", asked->index);
    }
}

void sdsim_doctor_check_cmd1(struct sdsim_doctor_case *c)
{
    if (is_command(c) && c->item->index == 1 && !c->item->app) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_SURE, "%s",
                            c->bus->version == SDSIM_DOCTOR_VERSION_2
                                ? "The card knows CMD8, so it is an SD card: use ACMD41."
                                : "CMD1 was sent.");
    }
}

/* ---- what the card says about itself ---- */

void sdsim_doctor_check_ocr_contradiction(struct sdsim_doctor_case *c)
{
    if (!sdsim_doctor_answers(c, 58, false) || c->item->size < 5 ||
        (c->item->bytes[0] & ~SDSIM_SPI_R1_IDLE) != 0) {
        return;
    }
    const bool idle = (c->item->bytes[0] & SDSIM_SPI_R1_IDLE) != 0;
    const bool powered = (c->item->bytes[1] & 0x80) != 0;
    if (idle == powered) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_LIKELY, "R1 is %02X (%s) and OCR bit 31 is %d (%s).",
                            c->item->bytes[0], idle ? "in idle state" : "ready", powered,
                            powered ? "ready" : "powering up");
    }
}

void sdsim_doctor_check_idle_again(struct sdsim_doctor_case *c)
{
    if (sdsim_doctor_is(c, SDSIM_ITEM_RESPONSE) && c->item->index != 0 && c->bus->was_ready &&
        (c->item->bytes[0] & ~SDSIM_SPI_R1_ILLEGAL) == SDSIM_SPI_R1_IDLE && c->bus->strays == 0) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_LIKELY,
                            "%s%u was answered %02X, but ACMD41 had said ready before.",
                            c->item->app ? "ACMD" : "CMD", c->item->index, c->item->bytes[0]);
    }
}
