#include "api/slot.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/version.h"

enum {
    FIRST_HZ = 400000, /* of the specification, for identification */
    LEAST_HZ = 1,
    MOST_HZ = 1000000000,
};

/* ---- version, errors ---- */

const char *sdsim_version(void)
{
    return SDSIM_VERSION;
}

uint32_t sdsim_abi_version(void)
{
    return SDSIM_ABI_VERSION;
}

const char *sdsim_result_text(int32_t result)
{
    static const char *const texts[] = {
        [-SDSIM_OK] = "no error",
        [-SDSIM_E_ARGUMENT] = "invalid argument",
        [-SDSIM_E_MEMORY] = "out of memory",
        [-SDSIM_E_PROFILE] = "bad card profile",
        [-SDSIM_E_IMAGE] = "bad image file",
        [-SDSIM_E_EMPTY] = "no card in the slot",
        [-SDSIM_E_TIME] = "end of virtual time",
        [-SDSIM_E_NO_RESPONSE] = "no response",
        [-SDSIM_E_CRC] = "wrong check sum",
        [-SDSIM_E_REFUSED] = "block refused",
        [-SDSIM_E_BUSY] = "card is busy",
        [-SDSIM_E_READ] = "image file can't be read",
    };
    const int32_t count = (int32_t)(sizeof texts / sizeof *texts);
    return result > 0 || result <= -count ? "unknown result" : texts[-result];
}

const char *sdsim_slot_error(const struct sdsim_slot *slot)
{
    return slot != NULL ? slot->error : "";
}

int32_t sdsim_slot_fail(struct sdsim_slot *slot, int32_t result, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(slot->error, sizeof slot->error, format, arguments);
    va_end(arguments);
    return result;
}

int32_t sdsim_slot_fail_with(struct sdsim_slot *slot, int32_t result,
                             const struct sdsim_diags *diags)
{
    memset(slot->error, 0, sizeof slot->error);
    FILE *text = fmemopen(slot->error, sizeof slot->error - 1, "w");
    if (text != NULL) {
        sdsim_diags_print(diags, text);
        fclose(text);
    }
    if (slot->error[0] == '\0') { /* there was no memory even for the message */
        return sdsim_slot_fail(slot, result, "%s", sdsim_result_text(SDSIM_E_MEMORY));
    }
    const size_t size = strlen(slot->error);
    slot->error[size - 1] = slot->error[size - 1] == '\n' ? '\0' : slot->error[size - 1];
    return result;
}

/* ---- the slot ---- */

struct sdsim_slot *sdsim_slot_create(void)
{
    struct sdsim_slot *slot = calloc(1, sizeof *slot);
    if (slot != NULL) {
        sdsim_clock_set(&slot->clock, FIRST_HZ, 1);
    }
    return slot;
}

void sdsim_slot_destroy(struct sdsim_slot *slot)
{
    if (slot != NULL) {
        sdsim_slot_timeline_flush(&slot->timeline);
        sdsim_medium_destroy(slot->medium);
        sdsim_config_destroy(slot->config);
        free(slot->data_dir);
        free(slot);
    }
}

int32_t sdsim_slot_set_data_dir(struct sdsim_slot *slot, const char *path)
{
    if (slot == NULL) {
        return SDSIM_E_ARGUMENT;
    }
    char *copy = path != NULL ? strdup(path) : NULL;
    if (path != NULL && copy == NULL) {
        return sdsim_slot_fail(slot, SDSIM_E_MEMORY, "out of memory");
    }
    free(slot->data_dir);
    slot->data_dir = copy;
    return SDSIM_OK;
}

int32_t sdsim_slot_need_card(struct sdsim_slot *slot)
{
    if (slot == NULL) {
        return SDSIM_E_ARGUMENT;
    }
    return slot->config != NULL ? SDSIM_OK
                                : sdsim_slot_fail(slot, SDSIM_E_EMPTY, "no card in the slot");
}

/* ---- clock and time ---- */

int32_t sdsim_slot_set_clock(struct sdsim_slot *slot, uint32_t num, uint32_t den)
{
    if (slot == NULL) {
        return SDSIM_E_ARGUMENT;
    }
    if (den == 0 || num / den < LEAST_HZ || num > (uint64_t)MOST_HZ * den) {
        return sdsim_slot_fail(slot, SDSIM_E_ARGUMENT,
                               "a clock of %lu/%lu Hz; it must be 1 Hz to 1 GHz",
                               (unsigned long)num, (unsigned long)den);
    }
    sdsim_clock_set(&slot->clock, num, den);
    return SDSIM_OK;
}

int32_t sdsim_slot_need_time(struct sdsim_slot *slot, sdsim_ps span)
{
    if (span <= SDSIM_SLOT_TIME_LIMIT && slot->now <= SDSIM_SLOT_TIME_LIMIT - span) {
        return SDSIM_OK;
    }
    return sdsim_slot_fail(slot, SDSIM_E_TIME, "virtual time would pass 200 days");
}

int32_t sdsim_slot_need_clocks(struct sdsim_slot *slot, uint64_t clocks)
{
    /* The remainder may bring one picosecond more. */
    return sdsim_slot_need_time(slot, sdsim_clock_peek(&slot->clock, clocks));
}

int32_t sdsim_slot_advance(struct sdsim_slot *slot, uint64_t ps)
{
    if (slot == NULL) {
        return SDSIM_E_ARGUMENT;
    }
    const int32_t result = sdsim_slot_need_time(slot, ps);
    if (result == SDSIM_OK && ps > 0) {
        if (sdsim_slot_timeline_on(&slot->timeline)) {
            sdsim_slot_timeline_bus(&slot->timeline, SDSIM_SPAN_GAP, 0, slot->now, slot->now + ps);
        }
        slot->now += ps;
    }
    return result;
}

uint64_t sdsim_slot_now(const struct sdsim_slot *slot)
{
    return slot != NULL ? slot->now : 0;
}
