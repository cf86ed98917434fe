#include "api/slot.h"

int32_t sdsim_slot_set_timeline(struct sdsim_slot *slot, sdsim_span_function function,
                                void *context)
{
    if (slot == NULL) {
        return SDSIM_E_ARGUMENT;
    }
    sdsim_slot_timeline_flush(&slot->timeline);
    slot->timeline.function = function;
    slot->timeline.context = context;
    return SDSIM_OK;
}

const char *sdsim_span_name(uint32_t kind)
{
    static const char *const names[] = {
        [SDSIM_SPAN_GAP] = "gap",         [SDSIM_SPAN_CLOCKS] = "clocks",
        [SDSIM_SPAN_COMMAND] = "command", [SDSIM_SPAN_RESPONSE] = "response",
        [SDSIM_SPAN_READ] = "read",       [SDSIM_SPAN_WRITE] = "write",
        [SDSIM_SPAN_STOP] = "stop",       [SDSIM_SPAN_WAIT] = "wait",
        [SDSIM_SPAN_ACCESS] = "access",   [SDSIM_SPAN_BUSY] = "busy",
        [SDSIM_SPAN_PAUSE] = "pause",
    };
    return kind < sizeof names / sizeof *names ? names[kind] : "";
}
