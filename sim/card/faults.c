#include "card/faults.h"

void sdsim_faults_arm(struct sdsim_faults *faults, enum sdsim_fault fault, uint32_t skip,
                      uint32_t times, uint8_t detail)
{
    faults->armed[fault] = (struct sdsim_armed){.skip = skip, .times = times, .detail = detail};
}

void sdsim_faults_remove(struct sdsim_faults *faults)
{
    faults->removed = true;
}

void sdsim_faults_insert(struct sdsim_faults *faults)
{
    faults->removed = false;
}

static bool is_of_command(enum sdsim_fault fault)
{
    return fault == SDSIM_FAULT_NO_RESPONSE || fault == SDSIM_FAULT_REMOVED;
}

bool sdsim_faults_occasion(struct sdsim_faults *faults, enum sdsim_fault fault, uint8_t detail)
{
    if (faults == NULL || faults->armed[fault].times == 0) {
        return false;
    }
    struct sdsim_armed *armed = &faults->armed[fault];
    if (is_of_command(fault) && armed->detail != SDSIM_FAULT_ANY_COMMAND &&
        armed->detail != detail) {
        return false;
    }
    if (armed->skip > 0) {
        armed->skip--;
        return false;
    }
    if (armed->times != SDSIM_FAULT_FOREVER) {
        armed->times--;
    }
    faults->struck[fault]++;
    faults->removed = faults->removed || fault == SDSIM_FAULT_REMOVED;
    return true;
}

const char *sdsim_fault_name(enum sdsim_fault fault)
{
    static const char *const names[SDSIM_FAULT_COUNT] = {
        [SDSIM_FAULT_NO_RESPONSE] = "no-response", [SDSIM_FAULT_READ_CRC] = "read-crc",
        [SDSIM_FAULT_READ_ERROR] = "read-error",   [SDSIM_FAULT_WRITE_CRC] = "write-crc",
        [SDSIM_FAULT_WRITE_ERROR] = "write-error", [SDSIM_FAULT_STUCK_BUSY] = "stuck-busy",
        [SDSIM_FAULT_REMOVED] = "removed",
    };
    return names[fault];
}
