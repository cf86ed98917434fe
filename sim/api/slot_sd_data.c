/* SD mode: data frames on one line or four. */
#include "api/slot_sd.h"

#include <string.h>

#include "bus/counts.h"
#include "bus/frame.h"
#include "core/crc.h"

enum {
    MOST_BYTES = 2048,
    MOST_SUMS = 8,   /* bytes of CRC16 behind the data, on four lines */
    STATUS_GAP = 64, /* clocks to wait for the CRC status; it comes after 2 */
    CHUNK = 32,      /* bytes that are translated to lines at once */
    DAT_HIGH = 0x0F,
    DAT0_LOW = 0x0E,
};

static uint32_t clocks_per_byte(uint32_t lines)
{
    return 8 / lines;
}

/* Data and check sums, in bytes. */
static uint32_t frame_bytes(uint32_t size, uint32_t lines)
{
    return size + 2 * lines;
}

/* Clocks behind the start bit: data, CRC16, end bit. */
static uint32_t frame_clocks(uint32_t size, uint32_t lines)
{
    return frame_bytes(size, lines) * clocks_per_byte(lines) + 1;
}

static int32_t check_frame(struct sdsim_slot *slot, const void *data, uint32_t size, uint32_t lines)
{
    if (slot == NULL) {
        return SDSIM_E_ARGUMENT;
    }
    if (data == NULL || size == 0 || size > MOST_BYTES || (lines != 1 && lines != 4)) {
        return sdsim_slot_fail(
            slot, SDSIM_E_ARGUMENT,
            "a data frame of %lu bytes on %lu lines; it may have 1 to 2048 bytes "
            "on 1 or 4",
            (unsigned long)size, (unsigned long)lines);
    }
    return SDSIM_OK;
}

/* The card is at work on a block of so many lines: bytes can go by as such. */
static bool in_step(const struct sdsim_slot *slot, uint32_t lines)
{
    return slot->powered && slot->early_at == slot->early_count && slot->sd.four == (lines == 4);
}

/* ---- reading ---- */

/* DAT in the next clock, which may have been given already. */
static uint8_t next_dat(struct sdsim_slot *slot)
{
    return slot->early_at < slot->early_count ? slot->early[slot->early_at++]
                                              : sdsim_slot_look(slot).dat;
}

/* Looks for a start bit; *frame is when the frame begins with it, or now if it began before. */
static bool find_start(struct sdsim_slot *slot, uint64_t limit, sdsim_ps *frame)
{
    const sdsim_ps start = slot->now;
    bool found;
    do {
        if (slot->early_at == slot->early_count) {
            sdsim_slot_pass(slot, 1, sdsim_time_sum(start, limit));
        }
        *frame = slot->now;
        found = (next_dat(slot) & 1) == 0;
    } while (!found && slot->now - start < limit);
    sdsim_slot_tell(slot, SDSIM_SPAN_WAIT, 0, start, found ? *frame : slot->now);
    return found;
}

/* The byte of the next clocks. */
static uint8_t next_byte(struct sdsim_slot *slot, uint32_t lines)
{
    unsigned byte = 0;
    for (uint32_t i = 0; i < clocks_per_byte(lines); i++) {
        byte = byte << lines | (next_dat(slot) & (lines == 4 ? DAT_HIGH : 1));
    }
    return (uint8_t)byte;
}

/* The clocks behind the start bit up to the end bit. */
static void take_bytes(struct sdsim_slot *slot, uint8_t *bytes, uint32_t count, uint32_t lines)
{
    uint32_t at = 0;
    while (at < count) {
        const size_t n =
            in_step(slot, lines)
                ? sdsim_sd_bytes_out(&slot->sd, &slot->now, &slot->clock, bytes + at, count - at)
                : 0;
        at += (uint32_t)n;
        if (n == 0) {
            bytes[at++] = next_byte(slot, lines);
        }
    }
}

/* Whether the CRC16 behind the data is right. */
static bool sums_are_right(const uint8_t *bytes, uint32_t size, uint32_t lines)
{
    uint8_t sums[MOST_SUMS];
    const size_t count = sdsim_crc16_bytes(bytes, size, lines == 4, sums);
    return memcmp(sums, bytes + size, count) == 0;
}

int32_t sdsim_slot_read_data(struct sdsim_slot *slot, void *data, uint32_t size, uint32_t lines,
                             uint64_t limit)
{
    int32_t result = check_frame(slot, data, size, lines);
    if (result != SDSIM_OK) {
        return result;
    }
    result = sdsim_slot_need_time(
        slot, sdsim_time_sum(
                  limit, sdsim_clock_peek(&slot->clock, (uint64_t)frame_clocks(size, lines) + 1)));
    if (result != SDSIM_OK) {
        return result;
    }
    sdsim_ps start;
    if (!find_start(slot, limit, &start)) {
        return sdsim_slot_fail(slot, SDSIM_E_NO_RESPONSE, "no data came");
    }
    uint8_t bytes[MOST_BYTES + MOST_SUMS];
    const uint8_t mask = lines == 4 ? DAT_HIGH : 1;
    const uint32_t sector = slot->sd.from_register ? SDSIM_NO_SECTOR : slot->card.lba;
    take_bytes(slot, bytes, frame_bytes(size, lines), lines);
    const bool ends = (next_dat(slot) & mask) == mask;
    sdsim_slot_tell(slot, SDSIM_SPAN_READ, sector, start, slot->now);
    sdsim_slot_tell_card(slot);
    memcpy(data, bytes, size);
    return ends && sums_are_right(bytes, size, lines)
               ? SDSIM_OK
               : sdsim_slot_fail(slot, SDSIM_E_CRC, "the data has a wrong check sum");
}

/* ---- writing ---- */

/* Bytes on the lines; those at rest are high. Returns how many clocks that takes. */
static size_t spread(const uint8_t *bytes, size_t count, uint32_t lines,
                     struct sdsim_sd_lines *bits)
{
    if (lines == 4) {
        sdsim_sd_lines_of(bytes, count, bits);
        return 2 * count;
    }
    for (size_t i = 0; i < 8 * count; i++) {
        const uint8_t bit = bytes[i / 8] >> (7 - i % 8) & 1;
        bits[i] = (struct sdsim_sd_lines){.cmd = 1, .dat = DAT0_LOW | bit};
    }
    return 8 * count;
}

/* The clocks behind the start bit up to the end bit. */
static void give_bytes(struct sdsim_slot *slot, const uint8_t *bytes, size_t count, uint32_t lines)
{
    size_t at = slot->powered && slot->sd.four == (lines == 4)
                    ? sdsim_sd_bytes_in(&slot->sd, &slot->now, &slot->clock, bytes, count)
                    : 0;
    while (at < count) { /* a card that takes no block, or one of another size */
        struct sdsim_sd_lines bits[8 * CHUNK];
        const size_t n = count - at < CHUNK ? count - at : CHUNK;
        sdsim_slot_run(slot, bits, NULL, spread(bytes + at, n, lines, bits));
        at += n;
    }
}

static void send_data(struct sdsim_slot *slot, const uint8_t *data, uint32_t size, uint32_t lines)
{
    const struct sdsim_sd_lines start = {.cmd = 1, .dat = lines == 4 ? 0 : DAT0_LOW};
    uint8_t sums[MOST_SUMS];
    sdsim_slot_run(slot, &start, NULL, 1);
    give_bytes(slot, data, size, lines);
    give_bytes(slot, sums, sdsim_crc16_bytes(data, size, lines == 4, sums), lines);
    (void)sdsim_slot_look(slot); /* the end bit */
}

/* The CRC status as enum sdsim_crc_status has it (its start bit is 0); -1 if none comes. */
static int take_status(struct sdsim_slot *slot)
{
    unsigned gap = 0;
    while ((sdsim_slot_look(slot).dat & 1) != 0) {
        if (gap++ == STATUS_GAP) {
            return -1;
        }
    }
    struct sdsim_sd_lines bits[4];
    int status = 0;
    sdsim_slot_run(slot, NULL, bits, 4);
    for (int i = 0; i < 4; i++) {
        status = status << 1 | (bits[i].dat & 1);
    }
    return status;
}

int32_t sdsim_slot_write_data(struct sdsim_slot *slot, const void *data, uint32_t size,
                              uint32_t lines)
{
    int32_t result = check_frame(slot, data, size, lines);
    if (result != SDSIM_OK) {
        return result;
    }
    const uint32_t clocks = SDSIM_SD_N_WR + 1 + frame_clocks(size, lines);
    result = sdsim_slot_need_clocks(slot, clocks + STATUS_GAP + SDSIM_BUS_CRC_STATUS +
                                              slot->params.n_br_clocks);
    if (result != SDSIM_OK) {
        return result;
    }
    const uint32_t sector = slot->card.lba;
    sdsim_ps start = slot->now;
    sdsim_slot_run(slot, NULL, NULL, SDSIM_SD_N_WR);
    sdsim_slot_tell(slot, SDSIM_SPAN_CLOCKS, 0, start, slot->now);
    start = slot->now;
    send_data(slot, data, size, lines);
    sdsim_slot_tell(slot, SDSIM_SPAN_WRITE, sector, start, slot->now);
    sdsim_slot_tell_card(slot);
    start = slot->now;
    const int status = take_status(slot);
    sdsim_slot_run(slot, NULL, NULL, (size_t)slot->params.n_br_clocks); /* busy shows behind them */
    sdsim_slot_tell(slot, SDSIM_SPAN_RESPONSE, slot->timeline.command, start, slot->now);
    switch (status) {
    case -1:
        return sdsim_slot_fail(slot, SDSIM_E_NO_RESPONSE, "no CRC status came");
    case SDSIM_CRC_STATUS_GOOD:
        return SDSIM_OK;
    case SDSIM_CRC_STATUS_BAD:
        return sdsim_slot_fail(slot, SDSIM_E_REFUSED, "the CRC status says that the data is wrong");
    default:
        return sdsim_slot_fail(slot, SDSIM_E_CRC, "there is no CRC status like that");
    }
}
