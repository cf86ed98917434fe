/*
 * The recorder: who wants to know what happened when.
 *
 * A layer reports spans; what becomes of them (a timeline file, a waveform, a check in a test) is the
 * business of the listener behind the function pointer. A span can stand for many equal ones in a row,
 * with their period and count; the ports of today step every block when somebody listens, so their
 * count is 1.
 *
 * Nothing in the simulation depends on a recorder: with or without one the same run gives the same
 * times. Spans of one lane arrive in the order of their start; lanes overlap and sum to nothing.
 *
 * What a span is about (the command on the bus, the sectors, the file) is its detail: a number that the
 * listener gave out when it was told. A recorder that doesn't ask for details gets 0.
 *
 * All time that is booked in the account is reported in the lanes of CPU, bus and card, so the spans of
 * a kind sum to it exactly; what the lanes of calls, commands, flash and queue show is booked nowhere. On
 * the bus, all looks of one wait are one more span (SDSIM_PART_LOOKS), over the card's wait and what follows
 * it; it is booked nowhere.
 */
#ifndef SDSIM_CORE_RECORDER_H
#define SDSIM_CORE_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/time.h"

enum sdsim_lane {
    SDSIM_LANE_TASK,    /* what the program waits for: its own calls; part: enum sdsim_call */
    SDSIM_LANE_FILE,    /* calls of the FAT library by what lies above it; the same */
    SDSIM_LANE_DISK,    /* calls of the driver by the FAT library, by purpose; the same */
    SDSIM_LANE_COMMAND, /* transactions from their first to their last clock; part: what kind of
                           command, enum sdsim_command_group */
    SDSIM_LANE_CPU,     /* driver, interrupts, copies */
    SDSIM_LANE_BUS,     /* frames, data, polls, gaps; part: enum sdsim_part */
    SDSIM_LANE_CARD,    /* access, busy, pauses: what the host waits for */
    SDSIM_LANE_FLASH,   /* what the card does inside, also while nobody waits: fetching (ACCESS),
                           programming (BUSY), pauses */
    SDSIM_LANE_QUEUE,   /* fill level of a queue: each span until the next change; part: tenths of
                           what it holds; see core/queue_lane.h */
    SDSIM_LANE_COUNT
};

/* Of the first three lanes. Their spans are calls: `kind` says nothing, and they sum to nothing. */
enum sdsim_call {
    SDSIM_CALL_OTHER,
    SDSIM_CALL_READ,
    SDSIM_CALL_WRITE,
    SDSIM_CALL_PRINT,
    SDSIM_CALL_SEEK,
    SDSIM_CALL_OPEN,
    SDSIM_CALL_CLOSE,
    SDSIM_CALL_SYNC,
    SDSIM_CALL_LIST,
    SDSIM_CALL_MOUNT,
    SDSIM_CALL_COUNT
};

enum sdsim_command_group {
    SDSIM_GROUP_OTHER, /* identification, set-up, registers */
    SDSIM_GROUP_READ,
    SDSIM_GROUP_WRITE,
    SDSIM_GROUP_STOP,
    SDSIM_GROUP_STATUS,
    SDSIM_GROUP_SWITCH, /* CMD6 */
    SDSIM_GROUP_ERASE,
    SDSIM_GROUP_COUNT
};

/* What of a transaction is on the bus. */
enum sdsim_part {
    SDSIM_PART_NONE, /* filler bytes, gaps between the others */
    SDSIM_PART_COMMAND,
    SDSIM_PART_RESPONSE,
    SDSIM_PART_TOKEN,  /* SPI: start token, and a look that found it */
    SDSIM_PART_DATA,   /* and gaps in it */
    SDSIM_PART_CRC,    /* SD: and start and end bit */
    SDSIM_PART_STATUS, /* data response, CRC status */
    SDSIM_PART_STOP,   /* SPI: stop token */
    SDSIM_PART_LOOKS,  /* all looks at the card of one wait */
    SDSIM_PART_COUNT
};

enum sdsim_detail_kind {
    SDSIM_DETAIL_NONE,
    SDSIM_DETAIL_COMMAND, /* code: index, + 64 for an application command, 128: goes on with an open
                              transfer; place: argument; size: blocks */
    SDSIM_DETAIL_RESPONSE, /* code: R1 of SPI; place: up to 4 bytes behind it. SD mode: code 128; place:
                              the 4 bytes behind the first */
    SDSIM_DETAIL_LOOKS,   /* place: how many */
    SDSIM_DETAIL_SECTORS, /* place: LBA; size: sectors */
    SDSIM_DETAIL_CALL,    /* place: position in the file; size: bytes; name: of the file;
                              code: OPEN: how, enum sdsim_open_mode of fat/file.h. OTHER with a name:
                              place bytes of the file are allocated */
    SDSIM_DETAIL_LEVEL, /* place: fill level; size: what the queue holds, 0: without limit; name: of
                              the unit */
};

/* What a span is about. Only the members its kind names mean something; the others are 0. */
struct sdsim_detail {
    uint8_t kind; /* enum sdsim_detail_kind */
    uint8_t code;
    uint32_t size;
    uint64_t place;
    const char *name; /* NULL: none; the listener copies it */
};

struct sdsim_span {
    sdsim_ps start;    /* of the first */
    sdsim_ps duration; /* of each */
    sdsim_ps period;   /* start to start, 0 when count is 1 */
    uint64_t count;    /* >= 1 */
    uint8_t lane;      /* enum sdsim_lane */
    uint8_t kind;      /* enum sdsim_kind of core/account.h */
    uint8_t purpose;   /* enum sdsim_purpose of core/account.h */
    uint8_t part;      /* as the lane says */
    uint32_t detail;   /* a number the recorder gave out, 0: none */
};

struct sdsim_recorder {
    void (*span)(struct sdsim_recorder *recorder, const struct sdsim_span *span);
    /* The number of a detail, from 1; the same detail may get the same number. NULL: nobody asks. */
    uint32_t (*detail)(struct sdsim_recorder *recorder, const struct sdsim_detail *detail);
    /* What the workload counts as one call, `number` from 0, is over. NULL: nobody asks. */
    void (*call)(struct sdsim_recorder *recorder, uint64_t number, sdsim_ps start, sdsim_ps end);
};

/* The number of a detail; 0 if nobody asks. */
static inline uint32_t sdsim_record_detail(struct sdsim_recorder *recorder,
                                           const struct sdsim_detail *detail)
{
    const bool asked = recorder != NULL && recorder->detail != NULL;
    return asked && detail->kind != SDSIM_DETAIL_NONE ? recorder->detail(recorder, detail) : 0;
}

#endif
