/* SD mode: data frames on one line or four. */
#include "api/slot_sd.h"

#include "bus/counts.h"
#include "bus/frame.h"
#include "core/crc.h"

enum {
    MOST_BYTES = 2048,
    CRC_BITS = 16,
    MOST_BITS = 8 * MOST_BYTES + CRC_BITS + 1, /* on one line, behind the start bit */
    STATUS_GAP = 64, /* clocks to wait for the CRC status; it comes after 2 */
    DAT_HIGH = 0x0F,
    DAT0_LOW = 0x0E,
};

/* Bits of a frame on each line, behind its start bit: data, CRC16, end bit. */
static uint32_t frame_bits(uint32_t size, uint32_t lines)
{
    return 8 * size / lines + CRC_BITS + 1;
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

/* The check sums of the lines at work, of DAT0 first. */
static void check_sums(const uint8_t *data, uint32_t size, uint32_t lines, uint16_t crc[4])
{
    if (lines == 4) {
        sdsim_crc16_lines(data, size, crc);
    } else {
        crc[0] = sdsim_crc16(data, size);
    }
}

/* Bit `k` of the check sums on all lines, the first one sent is 0; lines at rest are high. */
static uint8_t crc_on_lines(const uint16_t crc[4], uint32_t lines, uint32_t k)
{
    uint8_t dat = lines == 4 ? 0 : DAT0_LOW;
    for (uint32_t line = 0; line < lines; line++) {
        dat |= (uint8_t)((crc[line] >> (CRC_BITS - 1 - k) & 1) << line);
    }
    return dat;
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
        *frame = slot->now;
        found = (next_dat(slot) & 1) == 0;
    } while (!found && slot->now - start < limit);
    sdsim_slot_tell(slot, SDSIM_SPAN_WAIT, 0, start, found ? *frame : slot->now);
    return found;
}

/* Takes the clocks behind the start bit. */
static void take_bits(struct sdsim_slot *slot, struct sdsim_sd_lines *bits, uint32_t count)
{
    uint32_t at = 0;
    while (at < count && slot->early_at < slot->early_count) {
        bits[at++] = (struct sdsim_sd_lines){.cmd = 1, .dat = slot->early[slot->early_at++]};
    }
    sdsim_slot_run(slot, NULL, bits + at, count - at);
}

static void gather(const struct sdsim_sd_lines *bits, uint32_t lines, uint8_t *data, uint32_t size)
{
    if (lines == 4) {
        sdsim_sd_lines_bytes(bits, size, data);
        return;
    }
    for (uint32_t i = 0; i < 8 * size; i++) {
        data[i / 8] = (uint8_t)(data[i / 8] << 1 | (bits[i].dat & 1));
    }
}

/* Whether CRC16 and end bit, which are behind the data, are right. */
static bool tail_is_right(const struct sdsim_sd_lines *tail, const uint8_t *data, uint32_t size,
                          uint32_t lines)
{
    const uint8_t mask = lines == 4 ? DAT_HIGH : 1;
    uint16_t crc[4];
    check_sums(data, size, lines, crc);
    bool right = (tail[CRC_BITS].dat & mask) == mask; /* end bit */
    for (uint32_t k = 0; k < CRC_BITS; k++) {
        right = right && (tail[k].dat & mask) == (crc_on_lines(crc, lines, k) & mask);
    }
    return right;
}

int32_t sdsim_slot_read_data(struct sdsim_slot *slot, void *data, uint32_t size, uint32_t lines,
                             uint64_t limit)
{
    int32_t result = check_frame(slot, data, size, lines);
    if (result != SDSIM_OK) {
        return result;
    }
    const uint32_t bits = frame_bits(size, lines);
    result = sdsim_slot_need_time(
        slot, sdsim_time_sum(limit, sdsim_clock_peek(&slot->clock, (uint64_t)bits + 1)));
    if (result != SDSIM_OK) {
        return result;
    }
    sdsim_ps start;
    if (!find_start(slot, limit, &start)) {
        return sdsim_slot_fail(slot, SDSIM_E_NO_RESPONSE, "no data came");
    }
    struct sdsim_sd_lines taken[MOST_BITS];
    const uint32_t sector = slot->sd.from_register ? SDSIM_NO_SECTOR : slot->card.lba;
    take_bits(slot, taken, bits);
    sdsim_slot_tell(slot, SDSIM_SPAN_READ, sector, start, slot->now);
    sdsim_slot_tell_card(slot);
    gather(taken, lines, data, size);
    return tail_is_right(taken + bits - CRC_BITS - 1, data, size, lines)
               ? SDSIM_OK
               : sdsim_slot_fail(slot, SDSIM_E_CRC, "the data has a wrong check sum");
}

/* ---- writing ---- */

/* The data bits on the lines. */
static void spread(const uint8_t *data, uint32_t size, uint32_t lines, struct sdsim_sd_lines *bits)
{
    if (lines == 4) {
        sdsim_sd_lines_of(data, size, bits);
        return;
    }
    for (uint32_t i = 0; i < 8 * size; i++) {
        const uint8_t bit = data[i / 8] >> (7 - i % 8) & 1;
        bits[i] = (struct sdsim_sd_lines){.cmd = 1, .dat = DAT0_LOW | bit};
    }
}

static void send_data(struct sdsim_slot *slot, const uint8_t *data, uint32_t size, uint32_t lines)
{
    struct sdsim_sd_lines bits[1 + MOST_BITS];
    struct sdsim_sd_lines *tail = bits + 1 + 8 * size / lines;
    uint16_t crc[4];
    check_sums(data, size, lines, crc);
    bits[0] = (struct sdsim_sd_lines){.cmd = 1, .dat = lines == 4 ? 0 : DAT0_LOW};
    spread(data, size, lines, bits + 1);
    for (uint32_t k = 0; k < CRC_BITS; k++) {
        tail[k] = (struct sdsim_sd_lines){.cmd = 1, .dat = crc_on_lines(crc, lines, k)};
    }
    tail[CRC_BITS] = SDSIM_SD_RELEASED;
    sdsim_slot_run(slot, bits, NULL, 1 + frame_bits(size, lines));
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
    int status = 0;
    for (int i = 0; i < 4; i++) {
        status = status << 1 | (sdsim_slot_look(slot).dat & 1);
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
    const uint32_t clocks = SDSIM_SD_N_WR + 1 + frame_bits(size, lines);
    result = sdsim_slot_need_clocks(slot, clocks + STATUS_GAP + SDSIM_BUS_CRC_STATUS);
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
