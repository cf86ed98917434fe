#include <string.h>

#include "bus/counts.h"
#include "capture/doctor_parts.h"
#include "core/units.h"

static bool is_command(const struct sdsim_doctor_case *c)
{
    return sdsim_doctor_is(c, SDSIM_ITEM_COMMAND);
}

/* ---- frames ---- */

void sdsim_doctor_check_sd_command_crc(struct sdsim_doctor_case *c)
{
    if (is_command(c) && c->item->crc == SDSIM_ITEM_CRC_WRONG) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_SURE, "CMD%u ends with %02X, right is %02X.",
                            c->item->index, c->item->bytes[5], sdsim_doctor_frame_crc(c->item));
    }
}

void sdsim_doctor_check_sd_response_crc(struct sdsim_doctor_case *c)
{
    if (sdsim_doctor_is(c, SDSIM_ITEM_RESPONSE) && c->item->crc == SDSIM_ITEM_CRC_WRONG) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_LIKELY, "In the response to %sCMD%u.",
                            c->item->app ? "A" : "", c->item->index);
    }
}

void sdsim_doctor_check_sd_no_response(struct sdsim_doctor_case *c)
{
    if (sdsim_doctor_is(c, SDSIM_ITEM_NO_RESPONSE) && c->bus->asked.crc != SDSIM_ITEM_CRC_WRONG &&
        !sdsim_doctor_is_probe(c->item) &&
        (c->item->app || !sdsim_doctor_deselects(c->bus, c->item->index, c->bus->asked.argument))) {
        sdsim_doctor_report_at(c, SDSIM_DOCTOR_SURE, c->bus->asked.at, c->bus->asked.start,
                               "%sCMD%u was not answered within %u clocks.",
                               c->item->app ? "A" : "", c->item->index, c->item->gap);
    }
}

void sdsim_doctor_check_sd_glitch(struct sdsim_doctor_case *c)
{
    if (sdsim_doctor_is(c, SDSIM_ITEM_STRAY)) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_SURE, "CMD was low for %llu clock%s.",
                            (unsigned long long)c->item->count, c->item->count == 1 ? "" : "s");
    }
}

/* ---- what the card status tells ---- */

/* The status of this response has one of these bits. */
static bool tells(const struct sdsim_doctor_case *c, uint32_t bits)
{
    return sdsim_doctor_is(c, SDSIM_ITEM_RESPONSE) && sdsim_doctor_has_status(c->item) &&
           (sdsim_doctor_status(c->item) & bits) != 0;
}

static void report_status(struct sdsim_doctor_case *c, const char *about)
{
    sdsim_doctor_report(c, SDSIM_DOCTOR_SURE, "%sCMD%u was answered with status %08X%s.",
                        c->item->app ? "A" : "", c->item->index, sdsim_doctor_status(c->item),
                        about);
}

void sdsim_doctor_check_sd_crc_told(struct sdsim_doctor_case *c)
{
    if (tells(c, SDSIM_STATUS_COM_CRC)) {
        report_status(c, ": bit 23, a command before it");
    }
}

void sdsim_doctor_check_sd_illegal_told(struct sdsim_doctor_case *c)
{
    if (tells(c, SDSIM_STATUS_ILLEGAL) && !c->bus->sd.probed) {
        report_status(c, ": bit 22, a command before it");
    }
}

void sdsim_doctor_check_sd_error_told(struct sdsim_doctor_case *c)
{
    static const struct {
        uint32_t bit;
        const char *text;
    } errors[] = {
        {SDSIM_STATUS_ECC_FAILED, ": bit 21, the card could not correct what it read"},
        {0x00100000u, ": bit 20, the card's controller"},
        {SDSIM_STATUS_ERROR, ": bit 19, a general error"},
        {0x04000000u, ": bit 26, write protected"},
    };
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        if (tells(c, errors[i].bit)) {
            report_status(c, errors[i].text);
            return;
        }
    }
}

/* A card may report the end of its memory when the last block was read by CMD18: a host ignores that
 * (section 4.3.3). */
static bool ends_at_last_block(const struct sdsim_doctor_case *c)
{
    return c->item->index == 12 && c->bus->sd.reads && c->bus->sd.moved > 0 &&
           (sdsim_doctor_status(c->item) & SDSIM_DOCTOR_REFUSALS) == SDSIM_STATUS_OUT_OF_RANGE;
}

void sdsim_doctor_check_sd_address_told(struct sdsim_doctor_case *c)
{
    if (!tells(c, SDSIM_DOCTOR_REFUSALS) || ends_at_last_block(c)) {
        return;
    }
    const uint8_t index = c->item->index;
    if (index == c->bus->asked.index && (sdsim_doctor_moves_blocks(index, c->item->app) ||
                                         index == 16 || index == 32 || index == 33)) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_SURE,
                            "CMD%u with argument %u was answered with status %08X.", index,
                            c->bus->asked.argument, sdsim_doctor_status(c->item));
    } else {
        report_status(c, ": of the transfer before it");
    }
}

/* ---- addresses ---- */

static bool moves_blocks(const struct sdsim_doctor_case *c)
{
    return c->item != NULL && sdsim_doctor_moves_blocks(c->item->index, c->item->app);
}

static bool counts_blocks(const struct sdsim_doctor_bus *bus)
{
    return bus->ocr_known && (bus->ocr & SDSIM_OCR_CCS) != 0;
}

/* Single blocks in a row, 512 apart. */
void sdsim_doctor_check_sd_byte_address(struct sdsim_doctor_case *c)
{
    const struct sdsim_doctor_bus *bus = c->bus;
    if (c->item == NULL && counts_blocks(bus) && bus->addresses >= 3 &&
        bus->addresses == bus->addresses_by_512 && bus->steps_of_512 >= 2) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_LIKELY,
                            "All %u addresses are multiples of 512, %u of them 512 behind the one "
                            "before, the last is %u.",
                            bus->addresses, bus->steps_of_512, bus->last_address);
    }
}

void sdsim_doctor_check_sd_block_address(struct sdsim_doctor_case *c)
{
    if (is_command(c) && moves_blocks(c) && c->bus->ocr_known && !counts_blocks(c->bus) &&
        c->item->argument % 512 != 0) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_SURE,
                            "CMD%u with address %u, on a card whose OCR %08X has bit 30 clear.",
                            c->item->index, c->item->argument, c->bus->ocr);
    }
}

/* ---- blocks ---- */

void sdsim_doctor_check_sd_read_crc(struct sdsim_doctor_case *c)
{
    if (sdsim_doctor_is(c, SDSIM_ITEM_READ_BLOCK) && c->item->crc == SDSIM_ITEM_CRC_WRONG) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_LIKELY, "Block %u of %sCMD%u.", c->item->block,
                            c->item->app ? "A" : "", c->item->index);
    }
}

void sdsim_doctor_check_sd_block_refused(struct sdsim_doctor_case *c)
{
    if (sdsim_doctor_is(c, SDSIM_ITEM_DATA_RESPONSE) &&
        c->item->token != SDSIM_DOCTOR_BLOCK_RIGHT) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_SURE, "Its CRC status is %u%u%u%s.",
                            c->item->token >> 2 & 1, c->item->token >> 1 & 1, c->item->token & 1,
                            c->item->token == 5 ? ", wrong check sum" : "");
    }
}

void sdsim_doctor_check_sd_status_missing(struct sdsim_doctor_case *c)
{
    if (c->bus->sd.status_due && (sdsim_doctor_is(c, SDSIM_ITEM_WRITE_BLOCK) || is_command(c))) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_SURE, "Block %u of CMD%u has none.",
                            c->bus->sd.moved > 0 ? c->bus->sd.moved - 1 : 0, c->bus->asked.index);
    }
}

void sdsim_doctor_check_sd_busy_late(struct sdsim_doctor_case *c)
{
    const struct sdsim_item *item = c->item;
    const bool of_block = sdsim_doctor_is(c, SDSIM_ITEM_BUSY) && !item->app &&
                          (item->index == 24 || item->index == 25);
    if (of_block && item->gap >= SDSIM_SD_N_WR) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_SURE,
                            "DAT0 stayed high for %u clocks behind the CRC status, then went low.",
                            item->gap);
    }
}

void sdsim_doctor_check_sd_no_data(struct sdsim_doctor_case *c)
{
    const bool gone_on = c->item == NULL ? !c->bus->cut : is_command(c) && c->item->index != 13;
    if (c->bus->sd.awaited && gone_on && !c->doctor->source.card_unknown) {
        sdsim_doctor_report_at(
            c, c->item != NULL ? SDSIM_DOCTOR_SURE : SDSIM_DOCTOR_POSSIBLE, c->bus->sd.read_at,
            c->bus->sd.read_start, "CMD%u was answered, and no start bit came on DAT0 before %s.",
            c->bus->sd.read_index, c->item != NULL ? "the next command" : "the record ends");
    }
}

void sdsim_doctor_check_sd_read_while_busy(struct sdsim_doctor_case *c)
{
    const struct sdsim_doctor_sd_bus *sd = &c->bus->sd;
    if (sdsim_doctor_is(c, SDSIM_ITEM_BUSY) && sd->read_index != 0 && c->item->timed &&
        sd->read_start > c->item->start && sd->read_start < c->item->end) {
        sdsim_doctor_report_at(c, SDSIM_DOCTOR_SURE, sd->read_at, sd->read_start,
                               "CMD%u was sent while DAT0 was low.", sd->read_index);
    }
}

void sdsim_doctor_check_sd_not_stopped(struct sdsim_doctor_case *c)
{
    const struct sdsim_doctor_bus *bus = c->bus;
    if (is_command(c) && moves_blocks(c) && (bus->open_read || bus->open_write)) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_SURE, "CMD%u was sent while CMD%u went on.",
                            c->item->index, bus->open_read ? 18 : 25);
    }
}

void sdsim_doctor_check_sd_limits(struct sdsim_doctor_case *c)
{
    struct sdsim_overrun overrun;
    char text[32];
    if (sdsim_doctor_overran(c, &overrun)) {
        sdsim_doctor_report(
            c, overrun.certainty, "%s %s%s.",
            sdsim_unit_print(SDSIM_UNIT_TIME, (double)overrun.took, text, sizeof text),
            overrun.busy ? "busy" : "before a block was read", overrun.unless);
    }
}

/* ---- the width of the bus ---- */

/* A sector that is right in another width than the last ACMD6 asked for. */
void sdsim_doctor_check_sd_width(struct sdsim_doctor_case *c)
{
    const bool block =
        sdsim_doctor_is(c, SDSIM_ITEM_READ_BLOCK) || sdsim_doctor_is(c, SDSIM_ITEM_WRITE_BLOCK);
    if (block && c->bus->reset && c->item->crc == SDSIM_ITEM_CRC_RIGHT && c->item->count != 0 &&
        (c->item->count == 4) != c->bus->sd.wide) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_LIKELY, "A block of CMD%u has %llu line%s, and %s.",
                            c->item->index, (unsigned long long)c->item->count,
                            c->item->count == 1 ? "" : "s",
                            c->bus->sd.wide ? "ACMD6 set four" : "no ACMD6 set four");
    }
}

void sdsim_doctor_check_sd_one_line(struct sdsim_doctor_case *c)
{
    const uint64_t narrow = c->bus->sd.narrow;
    if (c->item == NULL && narrow > 0) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_SURE, "%llu block%s of data went over DAT0 alone.",
                            (unsigned long long)narrow, narrow == 1 ? "" : "s");
    }
}
