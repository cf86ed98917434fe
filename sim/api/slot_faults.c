#include "api/slot.h"
#include "card/faults.h"

/* The numbers of the library are those of the card, so that nothing need be translated. */
_Static_assert((int)SDSIM_INJECT_NO_RESPONSE == (int)SDSIM_FAULT_NO_RESPONSE &&
                   (int)SDSIM_INJECT_READ_CRC == (int)SDSIM_FAULT_READ_CRC &&
                   (int)SDSIM_INJECT_READ_ERROR == (int)SDSIM_FAULT_READ_ERROR &&
                   (int)SDSIM_INJECT_WRITE_CRC == (int)SDSIM_FAULT_WRITE_CRC &&
                   (int)SDSIM_INJECT_WRITE_ERROR == (int)SDSIM_FAULT_WRITE_ERROR &&
                   (int)SDSIM_INJECT_STUCK_BUSY == (int)SDSIM_FAULT_STUCK_BUSY &&
                   (int)SDSIM_INJECT_REMOVED == (int)SDSIM_FAULT_REMOVED,
               "faults have other numbers");
_Static_assert(SDSIM_ANY_COMMAND == SDSIM_FAULT_ANY_COMMAND && SDSIM_FOREVER == SDSIM_FAULT_FOREVER,
               "special values are others");

int32_t sdsim_slot_inject(struct sdsim_slot *slot, uint32_t fault, uint32_t skip, uint32_t times,
                          uint32_t detail)
{
    const int32_t result = sdsim_slot_need_card(slot);
    if (result != SDSIM_OK) {
        return result;
    }
    if (fault >= SDSIM_FAULT_COUNT || detail > UINT8_MAX) {
        return sdsim_slot_fail(slot, SDSIM_E_ARGUMENT, "there is no fault %lu with detail %lu",
                               (unsigned long)fault, (unsigned long)detail);
    }
    sdsim_faults_arm(&slot->faults, (enum sdsim_fault)fault, skip, times, (uint8_t)detail);
    return SDSIM_OK;
}

uint64_t sdsim_slot_struck(const struct sdsim_slot *slot, uint32_t fault)
{
    return slot != NULL && fault < SDSIM_FAULT_COUNT ? slot->faults.struck[fault] : 0;
}
