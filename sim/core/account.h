/*
 * The account: where all the time of one task went.
 *
 * Every advance of virtual time is booked once, under one kind (what the time was spent on) and one
 * purpose (for what sake). The sum over all cells equals the task's total time to the picosecond; a
 * test holds that for every scenario. Work hidden behind longer work is not booked.
 *
 * The rule for waits, the same in every port: up to the instant the card is ready, waiting is the
 * card's - its normal access or busy first, an extraordinary pause last, so that a host that comes
 * late sees the tail. From that instant to the end of the step that notices it (poll bytes, dead
 * time, sleep), and for a look at a card that is ready already, it is poll. The byte or frame that
 * carries an answer (R1, start token, data response, the status reply that says ready) and the
 * clocks the protocol itself demands (N_CR, N_WR, the smallest N_AC) are protocol clocks.
 *
 * The meter is what flows through all layers: the account and counters of the task at work, the
 * purpose of what it is doing, and the recorder, which may be NULL.
 */
#ifndef SDSIM_CORE_ACCOUNT_H
#define SDSIM_CORE_ACCOUNT_H

#include <stdint.h>

#include "core/recorder.h"
#include "core/time.h"

enum sdsim_kind {
    SDSIM_PAYLOAD,  /* clocks that carry data bytes of the user or of metadata */
    SDSIM_PROTOCOL, /* clocks that carry commands, responses, tokens, CRC, gaps the protocol demands
                     */
    SDSIM_GAP,      /* the bus stands still between two pieces of a transfer */
    SDSIM_POLL,     /* looking, or not looking, at a card that is ready */
    SDSIM_ACCESS,   /* the card fetches data */
    SDSIM_BUSY,     /* the card programs */
    SDSIM_PAUSE,    /* the card does housekeeping: merges, erases, refreshes */
    SDSIM_COPY,     /* the CPU moves data between buffers */
    SDSIM_HOST, /* other CPU time: driver, interrupts, task switches, CRC, file system, language */
    SDSIM_IDLE, /* nothing to do */
    SDSIM_OUTSIDE, /* somebody else's turn: USB in front of the driver, another device on the bus */
    SDSIM_KIND_COUNT
};

enum sdsim_purpose {
    SDSIM_FOR_DATA,
    SDSIM_FOR_FAT,
    SDSIM_FOR_DIRECTORY,
    SDSIM_FOR_FSINFO,
    SDSIM_FOR_BITMAP,
    SDSIM_FOR_BOOT,
    SDSIM_FOR_INIT,
    SDSIM_PURPOSE_COUNT
};

struct sdsim_account {
    sdsim_ps ps[SDSIM_PURPOSE_COUNT][SDSIM_KIND_COUNT];
};

/* What a task did, in numbers; the counterpart of the account for things that are counted. */
struct sdsim_counters {
    uint64_t commands[64]; /* sent on the bus, by index; CMD55 and the ACMD behind it count each */
    uint64_t app_commands[64]; /* of these, the ones that were application commands */
    uint64_t blocks_read;
    uint64_t blocks_written;
    uint64_t bus_clocks;   /* clock periods on the bus, all kinds */
    sdsim_ps file_host;    /* of the account's host time, what the file API took: its calls, ... */
    sdsim_ps file_copy;    /* ... and of its copies, those through the API's buffer */
    sdsim_ps longest_wait; /* longest single wait for the card, access or busy with pause */
    sdsim_ps longest_wait_at; /* when that wait began */
};

struct sdsim_meter {
    struct sdsim_account account;
    struct sdsim_counters counters;
    enum sdsim_purpose purpose;      /* of whatever is being done now */
    struct sdsim_recorder *recorder; /* may be NULL; not owned */
    uint32_t detail;                 /* of what is on the bus, for the recorder */
    uint8_t part;                    /* of it: enum sdsim_part */
};

/* Names as printed and as used in JSON: "payload", "protocol", ... and "data", "fat", ... */
const char *sdsim_kind_name(enum sdsim_kind kind);
const char *sdsim_purpose_name(enum sdsim_purpose purpose);

/* Sum of all cells; of one kind over all purposes; of one purpose over all kinds. */
sdsim_ps sdsim_account_total(const struct sdsim_account *account);
sdsim_ps sdsim_account_kind(const struct sdsim_account *account, enum sdsim_kind kind);
sdsim_ps sdsim_account_purpose(const struct sdsim_account *account, enum sdsim_purpose purpose);

/* Takes off what was booked, or counted, before; the longest wait stays as it is. */
void sdsim_account_since(struct sdsim_account *account, const struct sdsim_account *before);
void sdsim_counters_since(struct sdsim_counters *counters, const struct sdsim_counters *before);

/* Books d under `kind` without moving any time: for closed-form runs, whose time moves at once. */
static inline void sdsim_book(struct sdsim_meter *meter, enum sdsim_kind kind, sdsim_ps d)
{
    meter->account.ps[meter->purpose][kind] += d;
}

/* Reports one span to the recorder, which must be there. */
static inline void sdsim_meter_record(struct sdsim_meter *meter, sdsim_ps start, sdsim_ps duration,
                                      enum sdsim_lane lane, enum sdsim_kind kind)
{
    const struct sdsim_span span = {
        .start = start,
        .duration = duration,
        .count = 1,
        .lane = (uint8_t)lane,
        .kind = (uint8_t)kind,
        .purpose = (uint8_t)meter->purpose,
        .part = lane == SDSIM_LANE_BUS ? meter->part : 0,
        .detail = meter->detail,
    };
    meter->recorder->span(meter->recorder, &span);
}

/*
 * Reports a call that began at `start` and has ended at `end` in one of the lanes of calls, if
 * somebody listens. `detail` says what it was about.
 */
void sdsim_record_call(struct sdsim_meter *meter, enum sdsim_lane lane, enum sdsim_call call,
                       enum sdsim_purpose purpose, sdsim_ps start, sdsim_ps end,
                       const struct sdsim_detail *detail);

/* Books d under `kind`, and records it as a span from `from` on if somebody listens; moves no time. */
static inline void sdsim_book_span(struct sdsim_meter *meter, enum sdsim_kind kind,
                                   enum sdsim_lane lane, sdsim_ps from, sdsim_ps d)
{
    sdsim_book(meter, kind, d);
    if (meter->recorder != NULL && d != 0) {
        sdsim_meter_record(meter, from, d, lane, kind);
    }
}

/* Spends d on `kind`: books it, moves *now, and records a span in `lane` if somebody listens. */
static inline void sdsim_spend(struct sdsim_meter *meter, sdsim_ps *now, enum sdsim_kind kind,
                               enum sdsim_lane lane, sdsim_ps d)
{
    sdsim_book_span(meter, kind, lane, *now, d);
    *now = sdsim_time_sum(*now, d);
}

/* Keeps counters.longest_wait: the host waited for the card for so long from `from` on. */
static inline void sdsim_note_wait(struct sdsim_meter *meter, sdsim_ps from, sdsim_ps wait)
{
    if (wait > meter->counters.longest_wait) {
        meter->counters.longest_wait = wait;
        meter->counters.longest_wait_at = from;
    }
}

/*
 * Books the stretch from `from` to `to` in which the host waits for a card that becomes ready at
 * `ready_at`, the last `pause` of it extraordinary; `normal` is SDSIM_ACCESS or SDSIM_BUSY. What
 * lies behind ready_at is poll. The card's part is recorded in its lane, the poll, in which the CPU
 * looks or sleeps, in that of the CPU. Moves no time. Keeps counters.longest_wait.
 */
void sdsim_book_card_wait(struct sdsim_meter *meter, enum sdsim_kind normal, sdsim_ps from,
                          sdsim_ps to, sdsim_ps ready_at, sdsim_ps pause);
static inline void sdsim_book_wait(struct sdsim_meter *meter, enum sdsim_kind normal, sdsim_ps from,
                                   sdsim_ps to, sdsim_ps ready_at, sdsim_ps pause)
{
    if (ready_at <= from) { /* a look at a card that is ready */
        sdsim_book_span(meter, SDSIM_POLL, SDSIM_LANE_CPU, from, to - from);
    } else {
        sdsim_book_card_wait(meter, normal, from, to, ready_at, pause);
    }
}

#endif
