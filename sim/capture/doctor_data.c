#include <string.h>

#include "capture/doctor_parts.h"
#include "core/crc.h"

static const char *prefix(bool app)
{
    return app ? "ACMD" : "CMD";
}

static bool is_command(const struct sdsim_doctor_case *c)
{
    return sdsim_doctor_is(c, SDSIM_ITEM_COMMAND) && !c->item->deselected;
}

/* ---- CS ---- */

void sdsim_doctor_check_cs_high_command(struct sdsim_doctor_case *c)
{
    if (sdsim_doctor_is(c, SDSIM_ITEM_COMMAND) && c->item->deselected) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_LIKELY,
                            "CMD%u with argument %08X: the card does not see it.", c->item->index,
                            c->item->argument);
    }
}

static bool begins_block(const struct sdsim_item *item)
{
    for (size_t i = 0; i < item->size; i++) {
        if (item->bytes[i] != 0xFF) {
            return item->bytes[i] == SDSIM_TOKEN_START || item->bytes[i] == SDSIM_TOKEN_START_MULTI;
        }
    }
    return false;
}

/* A command that moves a block was answered, then CS went high, and a block's worth of clocks came. */
void sdsim_doctor_check_cs_high_data(struct sdsim_doctor_case *c)
{
    const struct sdsim_doctor_asked *asked = &c->bus->asked;
    if (!sdsim_doctor_is(c, SDSIM_ITEM_IDLE_CLOCKS) || c->item->count < 512 * 8 ||
        !asked->answered || asked->r1 != 0 || asked->moved ||
        !sdsim_doctor_moves_blocks(asked->index, asked->app)) {
        return;
    }
    const bool writes = asked->index == 24 || asked->index == 25;
    if (writes ? begins_block(c->item) : c->item->odd_host == 0) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_LIKELY,
                            "CMD%u was answered, CS went high, and %llu clocks %s followed.",
                            asked->index, (unsigned long long)c->item->count,
                            writes ? "with a start token" : "to read");
    }
}

void sdsim_doctor_check_cs_high_answer(struct sdsim_doctor_case *c)
{
    if (sdsim_doctor_is(c, SDSIM_ITEM_IDLE_CLOCKS) && c->bus->unseen && c->item->odd_card > 0) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_LIKELY,
                            "MISO was not FF in %u byte%s behind a command with CS high.",
                            c->item->odd_card, c->item->odd_card == 1 ? "" : "s");
    }
}

/* Other devices are there, and the first of their bytes came directly behind CS high. */
void sdsim_doctor_check_shared_bus(struct sdsim_doctor_case *c)
{
    if (sdsim_doctor_is(c, SDSIM_ITEM_IDLE_CLOCKS) && c->item->odd_host > 0 &&
        c->item->bytes[0] != 0xFF && c->bus->commands > 0) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_POSSIBLE,
                            "%02X is on MOSI in the first byte behind CS high.", c->item->bytes[0]);
    }
}

void sdsim_doctor_check_torn_byte(struct sdsim_doctor_case *c)
{
    if (sdsim_doctor_is(c, SDSIM_ITEM_TORN)) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_SURE, "%llu clock%s that make no byte.",
                            (unsigned long long)c->item->count, c->item->count == 1 ? "" : "s");
    }
}

/* ---- addresses ---- */

static bool moves_blocks(const struct sdsim_doctor_case *c)
{
    return c->item != NULL && sdsim_doctor_moves_blocks(c->item->index, c->item->app);
}

void sdsim_doctor_check_address_refused(struct sdsim_doctor_case *c)
{
    if (!sdsim_doctor_is(c, SDSIM_ITEM_RESPONSE) || !moves_blocks(c)) {
        return;
    }
    const uint8_t r1 = c->item->bytes[0];
    if (r1 == SDSIM_SPI_R1_ADDRESS || r1 == SDSIM_SPI_R1_PARAMETER) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_SURE, "CMD%u with address %u (%08X) was answered %02X.",
                            c->item->index, c->bus->asked.argument, c->bus->asked.argument, r1);
    }
}

static bool counts_blocks(const struct sdsim_doctor_bus *bus)
{
    return bus->ocr_known && (bus->ocr & 0x40000000u) != 0;
}

static bool counts_bytes(const struct sdsim_doctor_bus *bus)
{
    return bus->ocr_known && (bus->ocr & 0x40000000u) == 0;
}

/* Three addresses or more, all multiples of 512, two of them 512 apart: single blocks in a row. */
void sdsim_doctor_check_byte_address(struct sdsim_doctor_case *c)
{
    const struct sdsim_doctor_bus *bus = c->bus;
    if (c->item == NULL) {
        if (counts_blocks(bus) && bus->addresses >= 3 && bus->addresses == bus->addresses_by_512 &&
            bus->steps_of_512 >= 2) {
            sdsim_doctor_report(c, SDSIM_DOCTOR_LIKELY,
                                "All %u addresses are multiples of 512, %u of them 512 behind the "
                                "one before, the last is %u.",
                                bus->addresses, bus->steps_of_512, bus->last_address);
        }
        return;
    }
    const bool beyond = sdsim_doctor_is(c, SDSIM_ITEM_ERROR_TOKEN)
                            ? (c->item->token & SDSIM_DATA_ERROR_RANGE) != 0
                            : sdsim_doctor_is(c, SDSIM_ITEM_RESPONSE) && moves_blocks(c) &&
                                  c->item->bytes[0] == SDSIM_SPI_R1_PARAMETER;
    if (beyond && counts_blocks(bus) && bus->asked.argument % 512 == 0) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_LIKELY,
                            "Block %u is beyond the card; as a byte address it is block %u.",
                            bus->asked.argument, bus->asked.argument / 512);
    }
}

void sdsim_doctor_check_block_address(struct sdsim_doctor_case *c)
{
    if (is_command(c) && moves_blocks(c) && counts_bytes(c->bus) && c->item->argument % 512 != 0) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_SURE,
                            "CMD%u with address %u, on a card whose OCR %08X has bit 30 clear.",
                            c->item->index, c->item->argument, c->bus->ocr);
    }
}

void sdsim_doctor_check_cmd16_missing(struct sdsim_doctor_case *c)
{
    if (is_command(c) && moves_blocks(c) && counts_bytes(c->bus) && !c->bus->length_set) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_LIKELY, "CMD%u comes first.", c->item->index);
    }
}

/* ---- reads ---- */

/* The host counted a block from R1 on. */
static bool is_block_from_response(uint32_t bytes)
{
    return bytes >= 512 && bytes <= 515;
}

/* What a block that was cut was cut by is known from the item behind it. */
static bool cut_by_host(const struct sdsim_doctor_case *c, enum sdsim_item_kind kind)
{
    return c->bus->pending.kind == kind &&
           (sdsim_doctor_is(c, SDSIM_ITEM_DESELECT) || is_command(c));
}

static bool pending_from_response(const struct sdsim_doctor_bus *bus)
{
    return bus->pending.block == 0 && bus->pending.size < 512 &&
           is_block_from_response(bus->pending.gap + 1 + (uint32_t)bus->pending.size);
}

void sdsim_doctor_check_response_for_data(struct sdsim_doctor_case *c)
{
    const struct sdsim_doctor_bus *bus = c->bus;
    if (cut_by_host(c, SDSIM_ITEM_READ_BLOCK) && pending_from_response(bus)) {
        sdsim_doctor_report_at(c, SDSIM_DOCTOR_LIKELY, bus->pending.at, bus->pending.start,
                               "The host read %u bytes behind R1 and took them for the block: the "
                               "token came behind %u of them.",
                               bus->pending.gap + 1 + (uint32_t)bus->pending.size,
                               bus->pending.gap);
    } else if (sdsim_doctor_is(c, SDSIM_ITEM_NO_DATA) && is_block_from_response(c->item->gap)) {
        sdsim_doctor_report(
            c, SDSIM_DOCTOR_LIKELY,
            "The host read %u bytes behind R1, all FF, and took them for the block.", c->item->gap);
    }
}

void sdsim_doctor_check_token_shifted(struct sdsim_doctor_case *c)
{
    if (!sdsim_doctor_is(c, SDSIM_ITEM_NO_DATA) || c->bus->strays < 64) {
        return;
    }
    unsigned ones = 0;
    while (ones < 8 && (c->bus->stray_first << ones & 0x80) != 0) {
        ones++;
    }
    if (ones < 7) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_LIKELY,
                            "%llu bytes came behind CMD%u, the first is %02X: FE %u bit%s late.",
                            (unsigned long long)c->bus->strays, c->item->index, c->bus->stray_first,
                            7 - ones, ones == 6 ? "" : "s");
    }
}

void sdsim_doctor_check_no_data(struct sdsim_doctor_case *c)
{
    const bool idle = (c->bus->asked.r1 & SDSIM_SPI_R1_IDLE) != 0;
    if (sdsim_doctor_is(c, SDSIM_ITEM_NO_DATA) && !c->item->open && c->bus->strays < 64 && !idle &&
        !is_block_from_response(c->item->gap) && !c->doctor->source.card_unknown) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_LIKELY,
                            "%s%u was answered; the host read %u bytes and gave up.",
                            prefix(c->item->app), c->item->index, c->item->gap);
    }
}

/* CMD12 in the middle of a block is how CMD18 ends. */
void sdsim_doctor_check_read_cut(struct sdsim_doctor_case *c)
{
    const struct sdsim_item *pending = &c->bus->pending;
    const bool ended =
        sdsim_doctor_is(c, SDSIM_ITEM_COMMAND) && (c->item->index == 12 || c->item->index == 0);
    if (cut_by_host(c, SDSIM_ITEM_READ_BLOCK) && !ended && pending->index != 18 &&
        !pending_from_response(c->bus)) {
        sdsim_doctor_report_at(c, SDSIM_DOCTOR_SURE, pending->at, pending->start,
                               "%llu bytes of the block of %s%u were read, and no CRC.",
                               (unsigned long long)pending->size, prefix(pending->app),
                               pending->index);
    }
}

void sdsim_doctor_check_read_crc(struct sdsim_doctor_case *c)
{
    if (sdsim_doctor_is(c, SDSIM_ITEM_READ_BLOCK) && !c->item->open &&
        (c->item->crc == SDSIM_ITEM_CRC_WRONG)) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_LIKELY, "Block %u of %s%u.", c->item->block,
                            prefix(c->item->app), c->item->index);
    }
}

void sdsim_doctor_check_error_token(struct sdsim_doctor_case *c)
{
    if (sdsim_doctor_is(c, SDSIM_ITEM_ERROR_TOKEN)) {
        const uint8_t token = c->item->token;
        sdsim_doctor_report(c, SDSIM_DOCTOR_SURE, "%s%u: token %02X:%s%s%s%s.",
                            prefix(c->item->app), c->item->index, token,
                            (token & SDSIM_DATA_ERROR) != 0 ? " error" : "",
                            (token & SDSIM_DATA_ERROR_CC) != 0 ? " card controller" : "",
                            (token & SDSIM_DATA_ERROR_ECC) != 0 ? " ECC failed" : "",
                            (token & SDSIM_DATA_ERROR_RANGE) != 0 ? " out of range" : "");
    }
}

void sdsim_doctor_check_read_not_stopped(struct sdsim_doctor_case *c)
{
    if (is_command(c) && c->bus->open_read && c->item->index != 12 && c->item->index != 13 &&
        c->item->index != 0) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_LIKELY, "%s%u was sent while CMD18 went on.",
                            prefix(c->item->app), c->item->index);
    }
}

/* ---- writes ---- */

void sdsim_doctor_check_write_cut(struct sdsim_doctor_case *c)
{
    const struct sdsim_item *pending = &c->bus->pending;
    if (cut_by_host(c, SDSIM_ITEM_WRITE_BLOCK)) {
        sdsim_doctor_report_at(c, SDSIM_DOCTOR_SURE, pending->at, pending->start,
                               "%llu bytes of the block of %s%u were sent.",
                               (unsigned long long)pending->size, prefix(pending->app),
                               pending->index);
    }
}

void sdsim_doctor_check_token_before_response(struct sdsim_doctor_case *c)
{
    if (sdsim_doctor_is(c, SDSIM_ITEM_WRITE_BLOCK) && c->item->block == 0 && c->bus->asked.silent &&
        c->bus->asked.index == c->item->index && !c->doctor->source.card_unknown) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_LIKELY,
                            "The token came %u byte%s behind %s%u, without an answer.",
                            c->bus->asked.looked, c->bus->asked.looked == 1 ? "" : "s",
                            prefix(c->item->app), c->item->index);
    }
}

void sdsim_doctor_check_token_while_busy(struct sdsim_doctor_case *c)
{
    if ((sdsim_doctor_is(c, SDSIM_ITEM_WRITE_BLOCK) || sdsim_doctor_is(c, SDSIM_ITEM_STOP_TOKEN)) &&
        c->item->busy) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_SURE, "Token %02X of %s%u, while MISO was 00.",
                            c->item->token, prefix(c->item->app), c->item->index);
    }
}

void sdsim_doctor_check_wrong_token(struct sdsim_doctor_case *c)
{
    if (!sdsim_doctor_is(c, SDSIM_ITEM_WRITE_BLOCK)) {
        return;
    }
    const uint8_t right = c->item->index == 25 ? SDSIM_TOKEN_START_MULTI : SDSIM_TOKEN_START;
    if (c->item->token != right) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_SURE, "A block of CMD%u began with %02X, not %02X.",
                            c->item->index, c->item->token, right);
    }
}

void sdsim_doctor_check_n_wr_0(struct sdsim_doctor_case *c)
{
    const bool behind_something = c->bus->commands > 0; /* else it is what the record begins with */
    if (sdsim_doctor_is(c, SDSIM_ITEM_WRITE_BLOCK) && c->item->gap == 0 && !c->item->busy &&
        behind_something && !c->bus->asked.silent) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_SURE, "N_WR is 0: block %u of %s%u, %s.",
                            c->item->block, prefix(c->item->app), c->item->index,
                            c->item->block == 0 ? "directly behind R1"
                                                : "directly behind the answer to the one before");
    }
}

void sdsim_doctor_check_write_crc_missing(struct sdsim_doctor_case *c)
{
    if (sdsim_doctor_is(c, SDSIM_ITEM_WRITE_BLOCK) && !c->item->open &&
        c->item->crc == SDSIM_ITEM_CRC_MISSING) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_SURE,
                            "The data response came directly behind the %llu bytes of data.",
                            (unsigned long long)c->item->size);
    }
}

void sdsim_doctor_check_data_response_missing(struct sdsim_doctor_case *c)
{
    const bool went_on = is_command(c) || sdsim_doctor_is(c, SDSIM_ITEM_DESELECT) ||
                         sdsim_doctor_is(c, SDSIM_ITEM_WRITE_BLOCK) ||
                         sdsim_doctor_is(c, SDSIM_ITEM_BUSY);
    if (went_on && c->bus->answer_missing && !c->doctor->source.card_unknown) {
        const bool busy = sdsim_doctor_is(c, SDSIM_ITEM_BUSY);
        sdsim_doctor_report(c, SDSIM_DOCTOR_LIKELY, "A block of CMD%u has none: %s.",
                            c->bus->asked.index,
                            busy               ? "busy came in its place"
                            : c->item->gap > 0 ? "MISO stayed FF, so the card did not take it"
                                               : "the host did not read it");
    }
}

void sdsim_doctor_check_block_refused(struct sdsim_doctor_case *c)
{
    if (!sdsim_doctor_is(c, SDSIM_ITEM_DATA_RESPONSE)) {
        return;
    }
    const unsigned code = c->item->token & SDSIM_DATA_RESPONSE_MASK;
    if (code == SDSIM_DATA_WRITE_ERROR) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_SURE, "Data response %02X: write error.",
                            c->item->token);
    } else if (code == SDSIM_DATA_CRC_ERROR) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_SURE, "Data response %02X: wrong CRC; the one sent %s.",
                            c->item->token,
                            c->bus->block_crc == SDSIM_ITEM_CRC_RIGHT
                                ? "is right, so bits changed on their way to the card"
                                : "is wrong");
    }
}

void sdsim_doctor_check_data_response_odd(struct sdsim_doctor_case *c)
{
    if (!sdsim_doctor_is(c, SDSIM_ITEM_DATA_RESPONSE)) {
        return;
    }
    const unsigned code = c->item->token & SDSIM_DATA_RESPONSE_MASK;
    const bool known = code == SDSIM_DATA_ACCEPTED || code == SDSIM_DATA_CRC_ERROR ||
                       code == SDSIM_DATA_WRITE_ERROR;
    if (!known || c->item->gap > 0) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_LIKELY, "%02X, %u byte%s behind the block.",
                            c->item->token, c->item->gap, c->item->gap == 1 ? "" : "s");
    }
}

/* ---- busy ---- */

static bool ignores_busy(uint8_t index)
{
    return index == 0 || index == 12 || index == 13;
}

/* Directly behind the stop token, with nothing but the byte that may be undefined in between. */
static bool right_behind_stop(const struct sdsim_doctor_case *c)
{
    return c->bus->after_stop && c->item->gap <= 1;
}

void sdsim_doctor_check_busy_polled_early(struct sdsim_doctor_case *c)
{
    if (is_command(c) && c->item->busy && right_behind_stop(c)) {
        sdsim_doctor_report(
            c, SDSIM_DOCTOR_SURE,
            "busy polled too early after stop token: %s%u was sent %u byte%s behind "
            "it, into a card that was busy.",
            prefix(c->item->app), c->item->index, c->item->gap, c->item->gap == 1 ? "" : "s");
    }
}

void sdsim_doctor_check_command_while_busy(struct sdsim_doctor_case *c)
{
    if (is_command(c) && c->item->busy && !ignores_busy(c->item->index) && !right_behind_stop(c)) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_SURE, "%s%u was sent while MISO was 00.",
                            prefix(c->item->app), c->item->index);
    }
}

/* CMD12 ends a write too, and CMD13 asks about it. */
void sdsim_doctor_check_write_not_stopped(struct sdsim_doctor_case *c)
{
    if (is_command(c) && c->bus->open_write && c->item->index != 12 && c->item->index != 13 &&
        c->item->index != 0) {
        sdsim_doctor_report(c, SDSIM_DOCTOR_LIKELY, "%s%u was sent while CMD25 went on.",
                            prefix(c->item->app), c->item->index);
    }
}

void sdsim_doctor_check_limits(struct sdsim_doctor_case *c)
{
    struct sdsim_overrun overrun;
    if (sdsim_doctor_overran(c, &overrun)) {
        sdsim_doctor_report(c, overrun.certainty, "%s%u: %.1f ms %s%s.", prefix(c->item->app),
                            c->item->index, (double)(overrun.took / SDSIM_US) / 1000.0,
                            overrun.busy ? "busy" : "until the block came", overrun.unless);
    }
}

/* ---- data ---- */

/* Frames with a right CRC7, argument 0 and a command everybody sends: hardly ever by chance. */
void sdsim_doctor_check_payload_commands(struct sdsim_doctor_case *c)
{
    static const uint8_t usual[] = {0x40, 0x49, 0x4A, 0x4C, 0x4D, 0x51, 0x55, 0x77, 0x7A};
    if (!sdsim_doctor_is(c, SDSIM_ITEM_WRITE_BLOCK)) {
        return;
    }
    for (size_t i = 0; i + 6 <= c->item->size; i++) {
        const uint8_t *frame = c->item->bytes + i;
        if (memchr(usual, frame[0], sizeof usual) != NULL &&
            memcmp(frame + 1, "\0\0\0\0", 4) == 0 && frame[5] == sdsim_crc7_byte(frame, 5)) {
            sdsim_doctor_report(c, SDSIM_DOCTOR_SURE,
                                "Byte %llu of a block of CMD%u looks like CMD%u, and is data.",
                                (unsigned long long)i, c->item->index, frame[0] & 63);
            return;
        }
    }
}
