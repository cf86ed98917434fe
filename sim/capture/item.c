#include "capture/item.h"

const char *sdsim_item_name(enum sdsim_item_kind kind)
{
    static const char *const names[] = {
        [SDSIM_ITEM_SELECT] = "select",
        [SDSIM_ITEM_DESELECT] = "deselect",
        [SDSIM_ITEM_IDLE_CLOCKS] = "idle clocks",
        [SDSIM_ITEM_COMMAND] = "command",
        [SDSIM_ITEM_RESPONSE] = "response",
        [SDSIM_ITEM_NO_RESPONSE] = "no response",
        [SDSIM_ITEM_READ_BLOCK] = "block read",
        [SDSIM_ITEM_WRITE_BLOCK] = "block written",
        [SDSIM_ITEM_DATA_RESPONSE] = "data response",
        [SDSIM_ITEM_ERROR_TOKEN] = "data error token",
        [SDSIM_ITEM_STOP_TOKEN] = "stop token",
        [SDSIM_ITEM_BUSY] = "busy",
        [SDSIM_ITEM_STRAY] = "stray bytes",
        [SDSIM_ITEM_CUT] = "cut off",
        [SDSIM_ITEM_NO_DATA] = "no data",
        [SDSIM_ITEM_TORN] = "torn byte",
    };
    return kind < SDSIM_ITEM_COUNT ? names[kind] : "?";
}
