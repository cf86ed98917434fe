#include "api/slot.h"

#include <string.h>

enum { LINE_HIGH = 0xFF };

int32_t sdsim_slot_select(struct sdsim_slot *slot, int32_t selected)
{
    if (slot == NULL) {
        return SDSIM_E_ARGUMENT;
    }
    slot->selected = selected != 0;
    if (slot->powered) {
        sdsim_spi_select(&slot->spi, slot->selected);
    }
    return SDSIM_OK;
}

/* ---- with a timeline: what a byte is ---- */

/* What the pins show of what they are doing, around a byte. */
struct glimpse {
    enum sdsim_spi_phase phase;
    bool in_frame;
    bool in_block;
    bool answering;
    uint32_t sector;
};

static struct glimpse look(const struct sdsim_slot *slot)
{
    const struct sdsim_spi_pins *spi = &slot->spi;
    return (struct glimpse){
        .phase = spi->phase,
        .in_frame = spi->frame_count > 0,
        .in_block = spi->in_block,
        .answering = spi->answer_at < spi->answer_count,
        .sector = spi->from_register ? SDSIM_NO_SECTOR : slot->card.lba,
    };
}

/* The kind of a byte, from what was going on before it and after it. A command into a block that
 * is being read (CMD12) is a command. */
static uint32_t kind_of(const struct glimpse *before, const struct glimpse *after, uint8_t miso)
{
    if (before->phase == SDSIM_SPI_RECEIVE && (before->in_block || after->in_block)) {
        return SDSIM_SPAN_WRITE;
    }
    if (before->in_frame || after->in_frame) {
        return SDSIM_SPAN_COMMAND;
    }
    if (before->phase == SDSIM_SPI_RECEIVE && after->phase == SDSIM_SPI_COMMAND) {
        return SDSIM_SPAN_STOP;
    }
    if (before->answering) {
        return SDSIM_SPAN_RESPONSE;
    }
    if (before->phase == SDSIM_SPI_SEND) {
        return before->in_block || after->in_block ? SDSIM_SPAN_READ : SDSIM_SPAN_WAIT;
    }
    return miso == LINE_HIGH ? SDSIM_SPAN_CLOCKS : SDSIM_SPAN_WAIT;
}

static uint32_t detail_of(const struct sdsim_slot *slot, uint32_t kind,
                          const struct glimpse *before)
{
    switch (kind) {
    case SDSIM_SPAN_COMMAND:
    case SDSIM_SPAN_RESPONSE:
        return slot->timeline.command;
    case SDSIM_SPAN_READ:
    case SDSIM_SPAN_WRITE:
        return before->sector;
    default:
        return 0;
    }
}

static uint8_t exchange_watched(struct sdsim_slot *slot, sdsim_ps start, uint8_t mosi)
{
    if (!slot->powered || !slot->selected) {
        sdsim_slot_timeline_bus(&slot->timeline, SDSIM_SPAN_CLOCKS, 0, start, slot->now);
        return LINE_HIGH;
    }
    const struct glimpse before = look(slot);
    const uint8_t miso = sdsim_spi_exchange(&slot->spi, start, slot->now, mosi);
    const struct glimpse after = look(slot);
    if (!before.in_frame && after.in_frame) {
        slot->timeline.command = mosi & 0x3F;
    }
    const uint32_t kind = kind_of(&before, &after, miso);
    sdsim_slot_timeline_bus(&slot->timeline, kind, detail_of(slot, kind, &before), start,
                            slot->now);
    sdsim_slot_timeline_card(&slot->timeline, &slot->card, slot->now);
    return miso;
}

/* ---- bytes ---- */

static void exchange_slowly(struct sdsim_slot *slot, const uint8_t *out, uint8_t *in, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const sdsim_ps start = slot->now;
        slot->now += sdsim_clock_take(&slot->clock, 8);
        const uint8_t miso = exchange_watched(slot, start, out != NULL ? out[i] : LINE_HIGH);
        if (in != NULL) {
            in[i] = miso;
        }
    }
}

/* A single byte, as most drivers send them, goes the shortest way; far from the end of time, which
 * is the length of the slowest byte away, nothing need be checked. */
static bool is_plain_byte(const struct sdsim_slot *slot, size_t count)
{
    return count == 1 && slot->powered && !sdsim_slot_timeline_on(&slot->timeline) &&
           slot->now < SDSIM_SLOT_TIME_LIMIT - 8 * SDSIM_S;
}

static void exchange_byte(struct sdsim_slot *slot, const uint8_t *out, uint8_t *in)
{
    const sdsim_ps start = slot->now;
    slot->now += sdsim_clock_take(&slot->clock, 8);
    const uint8_t miso =
        sdsim_spi_exchange(&slot->spi, start, slot->now, out != NULL ? *out : (uint8_t)LINE_HIGH);
    if (in != NULL) {
        *in = miso;
    }
}

int32_t sdsim_slot_exchange(struct sdsim_slot *slot, const uint8_t *out, uint8_t *in, size_t count)
{
    if (slot == NULL) {
        return SDSIM_E_ARGUMENT;
    }
    if (is_plain_byte(slot, count)) {
        exchange_byte(slot, out, in);
        return SDSIM_OK;
    }
    if (count > UINT64_MAX / 8) {
        return sdsim_slot_fail(slot, SDSIM_E_TIME, "virtual time would pass 200 days");
    }
    const int32_t result = sdsim_slot_need_clocks(slot, 8 * (uint64_t)count);
    if (result != SDSIM_OK) {
        return result;
    }
    if (sdsim_slot_timeline_on(&slot->timeline)) {
        exchange_slowly(slot, out, in, count);
    } else if (slot->powered) {
        sdsim_spi_exchange_many(&slot->spi, &slot->now, &slot->clock, out, in, count);
    } else {
        slot->now += sdsim_clock_take(&slot->clock, 8 * (uint64_t)count);
        if (in != NULL) {
            memset(in, LINE_HIGH, count);
        }
    }
    return SDSIM_OK;
}
