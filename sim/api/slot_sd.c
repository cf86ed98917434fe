/* SD mode: clocks on the lines, commands, waiting. */
#include "api/slot_sd.h"

#include <string.h>

#include "bus/counts.h"
#include "bus/frame.h"

enum { CHUNK = 256 }; /* clocks that are translated at once */

/* ---- clocks ---- */

void sdsim_slot_run(struct sdsim_slot *slot, const struct sdsim_sd_lines *host,
                    struct sdsim_sd_lines *bus, size_t count)
{
    if (slot->powered) {
        sdsim_sd_clock_many(&slot->sd, &slot->now, &slot->clock, host, bus, count);
        return;
    }
    slot->now += sdsim_clock_take(&slot->clock, count);
    for (size_t i = 0; bus != NULL && i < count; i++) {
        bus[i] = host != NULL ? host[i] : SDSIM_SD_RELEASED;
    }
}

struct sdsim_sd_lines sdsim_slot_look(struct sdsim_slot *slot)
{
    const sdsim_ps start = slot->now;
    slot->now += sdsim_clock_take(&slot->clock, 1);
    return slot->powered ? sdsim_sd_clock(&slot->sd, start, slot->now, SDSIM_SD_RELEASED)
                         : SDSIM_SD_RELEASED;
}

void sdsim_slot_pass(struct sdsim_slot *slot, uint8_t level, sdsim_ps deadline)
{
    const sdsim_ps left = sdsim_time_since(deadline, slot->now);
    const uint64_t clocks = sdsim_clock_count(&slot->clock, left); /* the last one ends too late */
    const size_t most = clocks < SIZE_MAX ? (size_t)clocks : SIZE_MAX;
    if (most < 2) {
        return;
    }
    uint8_t dat = SDSIM_SD_RELEASED.dat;
    const size_t waits = slot->powered
                             ? sdsim_sd_waits(&slot->sd, slot->now, &slot->clock, most - 1, &dat)
                             : most - 1;
    if (waits > 0 && (dat & 1) == level) {
        sdsim_slot_run(slot, NULL, NULL, waits);
    }
}

void sdsim_slot_tell(struct sdsim_slot *slot, uint32_t kind, uint32_t detail, sdsim_ps start,
                     sdsim_ps end)
{
    if (sdsim_slot_timeline_on(&slot->timeline) && end > start) {
        sdsim_slot_timeline_bus(&slot->timeline, kind, detail, start, end);
    }
}

void sdsim_slot_tell_card(struct sdsim_slot *slot)
{
    if (sdsim_slot_timeline_on(&slot->timeline) && slot->powered) {
        sdsim_slot_timeline_card(&slot->timeline, &slot->card, slot->now);
    }
}

static struct sdsim_sd_lines lines_of(uint8_t byte)
{
    return (struct sdsim_sd_lines){.cmd = (byte & SDSIM_LINE_CMD) != 0 ? 1 : 0,
                                   .dat = byte & SDSIM_LINE_DAT};
}

static uint8_t byte_of(struct sdsim_sd_lines lines)
{
    return (uint8_t)((lines.cmd != 0 ? SDSIM_LINE_CMD : 0) | lines.dat);
}

int32_t sdsim_slot_clock_lines(struct sdsim_slot *slot, const uint8_t *host, uint8_t *bus,
                               size_t count)
{
    if (slot == NULL) {
        return SDSIM_E_ARGUMENT;
    }
    const int32_t result = sdsim_slot_need_clocks(slot, count);
    if (result != SDSIM_OK) {
        return result;
    }
    const size_t most = sdsim_slot_timeline_on(&slot->timeline) ? 1 : CHUNK;
    for (size_t at = 0; at < count;) {
        struct sdsim_sd_lines lines[CHUNK];
        const size_t n = count - at < most ? count - at : most;
        const sdsim_ps start = slot->now;
        for (size_t i = 0; i < n; i++) {
            lines[i] = host != NULL ? lines_of(host[at + i]) : SDSIM_SD_RELEASED;
        }
        sdsim_slot_run(slot, lines, lines, n);
        for (size_t i = 0; bus != NULL && i < n; i++) {
            bus[at + i] = byte_of(lines[i]);
        }
        sdsim_slot_tell(slot, SDSIM_SPAN_CLOCKS, 0, start, slot->now);
        sdsim_slot_tell_card(slot);
        at += n;
    }
    return SDSIM_OK;
}

/* ---- commands ---- */

/* One clock behind a command: DAT is kept, for data may come before the response is over. */
static uint8_t look_at_cmd(struct sdsim_slot *slot)
{
    const struct sdsim_sd_lines lines = sdsim_slot_look(slot);
    slot->early[slot->early_count++] = lines.dat;
    return lines.cmd;
}

static void give_rest(struct sdsim_slot *slot)
{
    const sdsim_ps start = slot->now;
    for (int i = 0; i < SDSIM_SD_N_RC; i++) {
        (void)look_at_cmd(slot);
    }
    sdsim_slot_tell(slot, SDSIM_SPAN_CLOCKS, 0, start, slot->now);
}

static void send_frame(struct sdsim_slot *slot, const uint8_t *frame)
{
    struct sdsim_sd_lines lines[SDSIM_BUS_COMMAND];
    const sdsim_ps start = slot->now;
    for (unsigned i = 0; i < SDSIM_BUS_COMMAND; i++) {
        lines[i] = SDSIM_SD_RELEASED;
        lines[i].cmd = frame[i / 8] >> (7 - i % 8) & 1;
    }
    sdsim_slot_run(slot, lines, NULL, SDSIM_BUS_COMMAND);
    slot->early_count = 0;
    slot->early_at = 0;
    slot->timeline.command = frame[0] & 0x3F;
    sdsim_slot_tell(slot, SDSIM_SPAN_COMMAND, slot->timeline.command, start, slot->now);
    sdsim_slot_tell_card(slot);
}

/* Takes the bits of a response, the first of which is its start bit. False: none came. */
static bool take_response(struct sdsim_slot *slot, uint32_t bits, uint8_t *response)
{
    const sdsim_ps start = slot->now;
    unsigned gap = 0;
    while (look_at_cmd(slot) != 0) {
        if (gap++ == SDSIM_N_CR_MOST) {
            sdsim_slot_tell(slot, SDSIM_SPAN_WAIT, 0, start, slot->now);
            return false;
        }
    }
    memset(response, 0, bits / 8);
    for (uint32_t i = 1; i < bits; i++) {
        response[i / 8] |= (uint8_t)(look_at_cmd(slot) << (7 - i % 8));
    }
    sdsim_slot_tell(slot, SDSIM_SPAN_RESPONSE, slot->timeline.command, start, slot->now);
    return true;
}

/* R3 has ones in place of index and CRC7; anything else has a CRC7. */
static bool is_right(uint32_t bits, const uint8_t *response)
{
    struct sdsim_frame frame;
    uint32_t ocr;
    uint8_t content[SDSIM_REGISTER_SIZE];
    return bits == SDSIM_LONG_RESPONSE
               ? sdsim_frame_read_r2(response, content) == SDSIM_FRAME_OK
               : sdsim_frame_read_response(response, &frame) == SDSIM_FRAME_OK ||
                     sdsim_frame_read_r3(response, &ocr) == SDSIM_FRAME_OK;
}

int32_t sdsim_slot_command_frame(struct sdsim_slot *slot, const uint8_t *frame, uint32_t bits,
                                 uint8_t *response)
{
    if (slot == NULL) {
        return SDSIM_E_ARGUMENT;
    }
    if (frame == NULL ||
        (bits != SDSIM_NO_BITS && bits != SDSIM_SHORT_RESPONSE && bits != SDSIM_LONG_RESPONSE)) {
        return sdsim_slot_fail(slot, SDSIM_E_ARGUMENT,
                               "a response of %lu bits, or a frame that is NULL; responses have 0, "
                               "48 or 136 bits",
                               (unsigned long)bits);
    }
    const int32_t result = sdsim_slot_need_clocks(slot, SDSIM_BUS_COMMAND + SDSIM_SLOT_EARLY);
    if (result != SDSIM_OK) {
        return result;
    }
    uint8_t taken[SDSIM_FRAME_R2_SIZE];
    send_frame(slot, frame);
    const bool answered = bits == SDSIM_NO_BITS || take_response(slot, bits, taken);
    give_rest(slot);
    if (!answered) {
        return sdsim_slot_fail(slot, SDSIM_E_NO_RESPONSE, "no response to CMD%u", frame[0] & 0x3F);
    }
    if (response != NULL) {
        memcpy(response, taken, bits / 8);
    }
    return bits == SDSIM_NO_BITS || is_right(bits, taken)
               ? SDSIM_OK
               : sdsim_slot_fail(slot, SDSIM_E_CRC, "the response to CMD%u has a wrong check sum",
                                 frame[0] & 0x3F);
}

int32_t sdsim_slot_command(struct sdsim_slot *slot, uint32_t index, uint32_t argument,
                           uint32_t bits, uint8_t *response)
{
    if (slot == NULL) {
        return SDSIM_E_ARGUMENT;
    }
    if (index > 63) {
        return sdsim_slot_fail(slot, SDSIM_E_ARGUMENT, "there is no CMD%lu", (unsigned long)index);
    }
    const struct sdsim_frame frame = {.index = (uint8_t)index, .argument = argument};
    uint8_t bytes[SDSIM_FRAME_SIZE];
    sdsim_frame_command(&frame, bytes);
    return sdsim_slot_command_frame(slot, bytes, bits, response);
}

/* ---- waiting ---- */

int32_t sdsim_slot_wait(struct sdsim_slot *slot, uint64_t limit)
{
    if (slot == NULL) {
        return SDSIM_E_ARGUMENT;
    }
    const sdsim_ps start = slot->now;
    const int32_t result =
        sdsim_slot_need_time(slot, sdsim_time_sum(limit, sdsim_clock_peek(&slot->clock, 1)));
    if (result != SDSIM_OK) {
        return result;
    }
    bool busy;
    do {
        sdsim_slot_pass(slot, 0, sdsim_time_sum(start, limit));
        busy = (sdsim_slot_look(slot).dat & 1) == 0;
    } while (busy && slot->now - start < limit);
    sdsim_slot_tell(slot, SDSIM_SPAN_WAIT, 0, start, slot->now);
    return busy ? sdsim_slot_fail(slot, SDSIM_E_BUSY, "the card is still busy") : SDSIM_OK;
}
