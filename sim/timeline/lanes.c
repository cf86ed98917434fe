#include "timeline/lanes.h"

#include <strings.h>

static const char *const kinds[] = {"payload", "protocol", "gap",  "poll", "access", "busy",
                                    "pause",   "copy",     "host", "idle", "outside"};
static const char *const flash_kinds[] = {"payload", "protocol", "gap",    "poll",
                                          "fetch",   "program",  "pause",  "copy",
                                          "host",    "idle",     "outside"};
static const char *const purposes[] = {"data",   "fat",  "directory", "fsinfo",
                                       "bitmap", "boot", "init"};
static const char *const calls[] = {"other", "read",  "write", "print", "seek",
                                    "open",  "close", "sync",  "list",  "mount"};
static const char *const groups[] = {"set-up", "read",   "write", "stop",
                                     "status", "switch", "erase"};
static const char *const parts[] = {"filler", "command", "response", "token", "data",
                                    "crc",    "status",  "stop",     "looks"};
static const char *const tenths[] = {"empty", "10%", "20%", "30%", "40%", "50%",
                                     "60%",   "70%", "80%", "90%", "full"};

/* Seen from afar the bus shows its data rather than the looks between, and waits for the card above
 * all. */
#define KIND_RANKS                                                                                 \
    {                                                                                              \
        [SDSIM_IDLE] = 1, [SDSIM_POLL] = 2, [SDSIM_GAP] = 3, [SDSIM_PROTOCOL] = 4,                 \
        [SDSIM_HOST] = 5, [SDSIM_COPY] = 6, [SDSIM_PAYLOAD] = 7, [SDSIM_ACCESS] = 8,               \
        [SDSIM_BUSY] = 9, [SDSIM_PAUSE] = 10, [SDSIM_OUTSIDE] = 11                                 \
    }
#define CALL_RANKS                                                                                 \
    {                                                                                              \
        [SDSIM_CALL_OTHER] = 1, [SDSIM_CALL_READ] = 2, [SDSIM_CALL_WRITE] = 3,                     \
        [SDSIM_CALL_PRINT] = 4, [SDSIM_CALL_SEEK] = 5, [SDSIM_CALL_LIST] = 6,                      \
        [SDSIM_CALL_OPEN] = 7, [SDSIM_CALL_CLOSE] = 8, [SDSIM_CALL_MOUNT] = 9,                     \
        [SDSIM_CALL_SYNC] = 10                                                                     \
    }

static const struct sdsim_lane_info infos[SDSIM_LANE_COUNT] = {
    [SDSIM_LANE_TASK] = {"task", "Application", SDSIM_BY_PART, SDSIM_CALL_COUNT, CALL_RANKS, calls},
    [SDSIM_LANE_FILE] = {"file", "File library", SDSIM_BY_PART, SDSIM_CALL_COUNT, CALL_RANKS,
                         calls},
    [SDSIM_LANE_DISK] = {"disk",
                         "File system",
                         SDSIM_BY_PURPOSE,
                         SDSIM_PURPOSE_COUNT,
                         {[SDSIM_FOR_DATA] = 1,
                          [SDSIM_FOR_INIT] = 2,
                          [SDSIM_FOR_BOOT] = 3,
                          [SDSIM_FOR_FSINFO] = 4,
                          [SDSIM_FOR_BITMAP] = 5,
                          [SDSIM_FOR_DIRECTORY] = 6,
                          [SDSIM_FOR_FAT] = 7},
                         purposes},
    [SDSIM_LANE_COMMAND] = {"command",
                            "Commands",
                            SDSIM_BY_PART,
                            SDSIM_GROUP_COUNT,
                            {[SDSIM_GROUP_READ] = 1,
                             [SDSIM_GROUP_WRITE] = 2,
                             [SDSIM_GROUP_STATUS] = 3,
                             [SDSIM_GROUP_STOP] = 4,
                             [SDSIM_GROUP_OTHER] = 5,
                             [SDSIM_GROUP_SWITCH] = 6,
                             [SDSIM_GROUP_ERASE] = 7},
                            groups},
    [SDSIM_LANE_CPU] = {"cpu", "Driver and CPU", SDSIM_BY_KIND, SDSIM_KIND_COUNT, KIND_RANKS,
                        kinds},
    [SDSIM_LANE_BUS] = {"bus", "Bus", SDSIM_BY_KIND, SDSIM_KIND_COUNT, KIND_RANKS, kinds},
    [SDSIM_LANE_CARD] = {"card", "Card", SDSIM_BY_KIND, SDSIM_KIND_COUNT, KIND_RANKS, kinds},
    [SDSIM_LANE_FLASH] = {"flash", "Flash", SDSIM_BY_KIND, SDSIM_KIND_COUNT, KIND_RANKS,
                          flash_kinds},
    [SDSIM_LANE_QUEUE] = {"queue",
                          "Queue",
                          SDSIM_BY_PART,
                          SDSIM_CLASSES,
                          {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11},
                          tenths},
};

const struct sdsim_lane_info *sdsim_lane_info(enum sdsim_lane lane)
{
    return &infos[lane];
}

uint8_t sdsim_lane_class_of_rank(enum sdsim_lane lane, uint8_t rank)
{
    for (uint8_t i = 0; rank > 0 && i < SDSIM_CLASSES; i++) {
        if (infos[lane].rank[i] == rank) {
            return i;
        }
    }
    return SDSIM_NO_CLASS;
}

enum sdsim_lane sdsim_lane_by_name(const char *name)
{
    for (int i = 0; i < SDSIM_LANE_COUNT; i++) {
        if (strcasecmp(infos[i].name, name) == 0) {
            return (enum sdsim_lane)i;
        }
    }
    return SDSIM_LANE_COUNT;
}

uint8_t sdsim_class_by_name(enum sdsim_lane lane, const char *name)
{
    for (uint8_t i = 0; i < infos[lane].classes; i++) {
        if (strcasecmp(infos[lane].called[i], name) == 0) {
            return i;
        }
    }
    return SDSIM_NO_CLASS;
}

const char *sdsim_part_name(enum sdsim_part part)
{
    return parts[part];
}

const char *sdsim_call_name(enum sdsim_call call)
{
    return calls[call];
}
