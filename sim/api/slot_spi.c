#include "api/slot.h"

enum { LINE_HIGH = 0xFF };

int32_t sdsim_slot_select(struct sdsim_slot *slot, int32_t selected)
{
    if (slot == NULL) {
        return SDSIM_E_ARGUMENT;
    }
    slot->selected = selected != 0;
    if (slot->powered) {
        sdsim_spi_select(&slot->pins, slot->selected);
    }
    return SDSIM_OK;
}

int32_t sdsim_slot_exchange(struct sdsim_slot *slot, const uint8_t *out, uint8_t *in, size_t count)
{
    if (slot == NULL) {
        return SDSIM_E_ARGUMENT;
    }
    if (count > UINT64_MAX / 8) {
        return sdsim_slot_fail(slot, SDSIM_E_TIME, "virtual time would pass 200 days");
    }
    const int32_t result = sdsim_slot_need_clocks(slot, 8 * (uint64_t)count);
    if (result != SDSIM_OK) {
        return result;
    }
    for (size_t i = 0; i < count; i++) {
        const sdsim_ps start = slot->now;
        slot->now += sdsim_clock_take(&slot->clock, 8);
        const uint8_t mosi = out != NULL ? out[i] : LINE_HIGH;
        const uint8_t miso =
            slot->powered ? sdsim_spi_exchange(&slot->pins, start, slot->now, mosi) : LINE_HIGH;
        if (in != NULL) {
            in[i] = miso;
        }
    }
    return SDSIM_OK;
}
