#include "ftdi/card_slave.h"

#include <assert.h>
#include <string.h>

#include "api/slot.h"

enum { CMD_ERASE = 0x40 | 38 };

/* ---- what is written ---- */

static void note_sectors(struct sdsim_write_guard *guard, uint32_t from, uint32_t to,
                         uint64_t *count)
{
    const uint64_t sectors = (uint64_t)to - from + 1;
    const uint32_t low = from > guard->from ? from : guard->from;
    const uint64_t high = to + (uint64_t)1 < guard->to ? to + (uint64_t)1 : guard->to;
    const uint64_t inside = high > low ? high - low : 0;
    *count += sectors;
    guard->lowest = from < guard->lowest ? from : guard->lowest;
    guard->highest = to > guard->highest ? to : guard->highest;
    if (!guard->on || inside == sectors) {
        return;
    }
    if (guard->outside == 0) {
        guard->first = from < guard->from || inside == 0 ? from : guard->to;
    }
    guard->outside += sectors - inside;
}

/* The byte about to come may be the last of a block, or of CMD38. */
static void watch(struct sdsim_card_slave *slave)
{
    const struct sdsim_spi_pins *spi = &slave->slot->spi;
    const struct sdsim_card *card = &slave->slot->card;
    if (!spi->selected) {
        return;
    }
    if (spi->phase == SDSIM_SPI_RECEIVE && spi->in_block && spi->block_at == SDSIM_SECTOR + 1) {
        note_sectors(&slave->guard, card->lba, card->lba, &slave->guard.written);
    }
    const bool erases = spi->frame_count == 5 && spi->frame[0] == CMD_ERASE;
    if (erases && card->erase_from <= card->erase_to && card->erase_to < card->sectors) {
        note_sectors(&slave->guard, card->erase_from, card->erase_to, &slave->guard.erased);
    }
}

void sdsim_card_slave_guard(struct sdsim_card_slave *slave, uint32_t from, uint32_t to)
{
    slave->guard = (struct sdsim_write_guard){
        .on = true, .from = from, .to = to, .lowest = UINT32_MAX, .highest = 0};
}

/* ---- bytes ---- */

static void keep_time(struct sdsim_slot *slot, sdsim_ps now)
{
    const int32_t result = sdsim_slot_advance(slot, sdsim_time_since(now, slot->now));
    assert(result == SDSIM_OK);
    (void)result;
}

static void spoil(struct sdsim_card_slave *slave, uint8_t *miso, size_t count)
{
    struct sdsim_bit_errors *errors = &slave->errors;
    for (size_t i = 0; i < count && errors->period > 0 && errors->left > 0; i++) {
        if (errors->skip == 0) {
            miso[i] ^= (uint8_t)(1u << (errors->made % 8));
            errors->made++;
            errors->left--;
            errors->skip = errors->period;
        }
        errors->skip--;
    }
}

static bool all_ones(const uint8_t *bytes, size_t count)
{
    return bytes[0] == 0xFF && memcmp(bytes, bytes + 1, count - 1) == 0;
}

static bool bit(struct sdsim_slave *base, sdsim_ps start, sdsim_ps end, bool mosi);

/* Bytes of the chip that are none of the card's: a command stopped inside of one. */
static void exchange_askew(struct sdsim_slave *base, sdsim_ps *now, struct sdsim_clock *clock,
                           const uint8_t *mosi, uint8_t *miso, size_t count)
{
    for (size_t i = 0; i < 8 * count; i++) {
        const unsigned place = 7 - i % 8;
        const sdsim_ps end = *now + sdsim_clock_take(clock, 1);
        const bool shown = bit(base, *now, end, (mosi[i / 8] >> place & 1) != 0);
        miso[i / 8] = (uint8_t)((i % 8 == 0 ? 0 : miso[i / 8]) | (shown ? 1u << place : 0u));
        *now = end;
    }
}

static void exchange(struct sdsim_slave *base, sdsim_ps *now, struct sdsim_clock *clock,
                     const uint8_t *mosi, uint8_t *miso, size_t count)
{
    struct sdsim_card_slave *slave = (struct sdsim_card_slave *)base;
    struct sdsim_slot *slot = slave->slot;
    if (slave->bits > 0) {
        exchange_askew(base, now, clock, mosi, miso, count);
        return;
    }
    keep_time(slot, *now);
    sdsim_clock_set(&slot->clock, clock->hz_num, clock->hz_den);
    slot->clock.remainder = clock->remainder; /* the two are one clock */
    slave->bits = 0;
    const bool quiet =
        slot->spi.phase != SDSIM_SPI_RECEIVE && slot->spi.frame_count == 0 && all_ones(mosi, count);
    const size_t step = quiet ? count : 1;
    for (size_t i = 0; i < count; i += step) {
        watch(slave);
        const int32_t result = sdsim_slot_exchange(slot, mosi + i, miso + i, step);
        assert(result == SDSIM_OK);
        (void)result;
    }
    if (slot->selected) {
        slave->bytes += count;
        spoil(slave, miso, count);
    }
    clock->remainder = slot->clock.remainder;
    *now = slot->now;
}

/* ---- bits, levels ---- */

/* What the card would show for a byte of 0xFF, asked of copies. Where it is taking something its lines
 * say nothing but busy. */
static uint8_t foresee(const struct sdsim_card_slave *slave, sdsim_ps start)
{
    const struct sdsim_slot *slot = slave->slot;
    if (!slot->powered) {
        return 0xFF;
    }
    if (slot->spi.phase == SDSIM_SPI_RECEIVE || slot->spi.frame_count > 0) {
        return slot->spi.selected && start < slot->card.busy.at ? 0x00 : 0xFF;
    }
    struct sdsim_card card = slot->card;
    struct sdsim_spi_pins spi = slot->spi;
    card.faults = NULL;
    spi.card = &card;
    return sdsim_spi_exchange(&spi, start, start, 0xFF);
}

static bool bit(struct sdsim_slave *base, sdsim_ps start, sdsim_ps end, bool mosi)
{
    struct sdsim_card_slave *slave = (struct sdsim_card_slave *)base;
    if (slave->bits == 0) {
        keep_time(slave->slot, start);
        slave->start = start;
        slave->mosi = 0;
        slave->miso = foresee(slave, start);
    }
    const bool shown = (slave->miso >> (7 - slave->bits) & 1) != 0;
    slave->mosi = (uint8_t)(slave->mosi << 1 | (mosi ? 1 : 0));
    if (++slave->bits < 8) {
        return shown;
    }
    slave->bits = 0;
    slave->bytes += slave->slot->selected ? 1 : 0;
    watch(slave);
    if (slave->slot->powered) {
        (void)sdsim_spi_exchange(&slave->slot->spi, slave->start, end, slave->mosi);
    }
    keep_time(slave->slot, end);
    return shown;
}

static void select_card(struct sdsim_slave *base, sdsim_ps now, bool low)
{
    struct sdsim_card_slave *slave = (struct sdsim_card_slave *)base;
    keep_time(slave->slot, now);
    slave->bits = 0;
    (void)sdsim_slot_select(slave->slot, low ? 1 : 0);
}

static void power(struct sdsim_slave *base, sdsim_ps now, bool on)
{
    struct sdsim_card_slave *slave = (struct sdsim_card_slave *)base;
    keep_time(slave->slot, now);
    (void)sdsim_slot_power(slave->slot, on ? 1 : 0);
}

/* Low while the card is busy; else the bit that is shifted out next. */
static bool miso(struct sdsim_slave *base, sdsim_ps now)
{
    const struct sdsim_card_slave *slave = (struct sdsim_card_slave *)base;
    const struct sdsim_slot *slot = slave->slot;
    if (!slot->powered || !slot->selected || !slot->card.spi ||
        sdsim_faults_absent(slot->card.faults)) {
        return true;
    }
    if (now < slot->card.busy.at && slot->spi.busy_gap == 0) {
        return false;
    }
    const uint8_t shown = slave->bits > 0 ? slave->miso : foresee(slave, now);
    return (shown >> (7 - slave->bits) & 1) != 0;
}

void sdsim_card_slave_init(struct sdsim_card_slave *slave, struct sdsim_slot *slot)
{
    static const struct sdsim_slave_class class = {
        .select = select_card, .power = power, .exchange = exchange, .bit = bit, .miso = miso};
    *slave = (struct sdsim_card_slave){.slave = {.class = &class}, .slot = slot};
    slave->guard.lowest = UINT32_MAX;
}
