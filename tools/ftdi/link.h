/*
 * The link: the seam between whoever speaks MPSSE and whatever answers.
 *
 * Two kinds exist: a chip on USB (tools/ftdi/usb_link.h), and the engine of the tests in the same
 * process (tests/ftdi/engine_link.h). Who uses a link can't tell which it is.
 *
 * Work goes in batches. submit() takes a batch of MPSSE commands along with the number of bytes they
 * will answer; it does not wait. collect() waits for answered bytes, in the order of the commands.
 * Several batches may be under way: that is how the bus is kept from standing still while the host
 * looks at answers. A batch that answers anything should end with SDSIM_MPSSE_SEND_NOW, or its last
 * bytes wait for the latency timer (1 ms).
 *
 *     sdsim_link_submit(link, batch, size, 512 + 8);
 *     sdsim_link_collect(link, answer, 8, SDSIM_LINK_PATIENCE);
 *     sdsim_link_collect(link, data, 512, SDSIM_LINK_PATIENCE);
 *
 * A call that fails leaves the kind of the fault and a message of one or more lines in the link; what
 * was under way is lost then, and the link takes nothing but recover() and close(). recover() does
 * not repeat anything; that is for who knows what may be repeated.
 *
 * Limits: one thread. Times are the host's clock and for host time only; bus time is counted in clock
 * edges by who makes the commands.
 */
#ifndef SDSIM_FTDI_LINK_H
#define SDSIM_FTDI_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/time.h"
#include "mpsse.h"

/* What was wrong. Those up to PERMANENT may be gone after recover(). */
enum sdsim_link_fault {
    SDSIM_LINK_FINE,
    SDSIM_LINK_TIMEOUT,     /* nothing, or not enough, came in time */
    SDSIM_LINK_STALLED,     /* the chip refused a transfer */
    SDSIM_LINK_BROKEN,      /* a transfer ended with a transmission error */
    SDSIM_LINK_OUT_OF_STEP, /* more bytes came than were asked for, or 0xAA was not answered */
    SDSIM_LINK_PERMANENT,   /* no fault: the border */
    SDSIM_LINK_UNPLUGGED = SDSIM_LINK_PERMANENT,
    SDSIM_LINK_MISSING, /* opening: no such device, or several */
    SDSIM_LINK_BUSY,    /* opening: another program or driver has it */
    SDSIM_LINK_DENIED,  /* opening: permission */
    SDSIM_LINK_WRONG,   /* opening: a chip without MPSSE, or an interface without */
    SDSIM_LINK_MEMORY,
};

struct sdsim_link_counters {
    uint64_t batches;
    uint64_t
        round_trips; /* batches sent after answers had arrived since the batch before: the host may
                             have had to see something first. Batches that are queued in advance do not
                             count */
    uint64_t transfers; /* that were completed, both ways */
    uint64_t bytes_out;
    uint64_t bytes_in;
    uint64_t recoveries;
    uint64_t retries; /* kept by who repeats an operation */
};

struct sdsim_link;

struct sdsim_link_class {
    bool (*submit)(struct sdsim_link *link, const uint8_t *out, size_t out_count, size_t in_count);
    bool (*collect)(struct sdsim_link *link, uint8_t *in, size_t count, sdsim_ps patience);
    bool (*recover)(struct sdsim_link *link);
    void (*close)(struct sdsim_link *link);
    sdsim_ps (*host_time)(struct sdsim_link *link);
};

struct sdsim_link {
    const struct sdsim_link_class *class;
    const struct sdsim_ftdi_chip *chip;
    size_t packet; /* bytes that reach the chip at once; 0: whole batches do */
    struct sdsim_link_counters counters;
    sdsim_ps sent_at;    /* host time: when the chip had taken the last batch that it has taken
                            completely, as seen by the last collect() or submit() */
    sdsim_ps arrived_at; /* host time: when the last byte that collect() handed over had come */
    size_t expected;     /* bytes of batches under way that were not handed over yet */
    bool answered;       /* for links: an answer has arrived since the last batch */
    enum sdsim_link_fault fault;
    char error[512];
};

/* How long to wait for a chip that is alive: its longest command at a sensible clock is shorter by
 * far, and a fault is told within ten seconds even when it is tried again twice. */
#define SDSIM_LINK_PATIENCE (2 * SDSIM_S)

/*
 * Queues a batch of `out_count` bytes (copied) whose commands will answer `in_count` bytes. What is to
 * take the answers is queued before the commands are. No limit on sizes but memory. False: a fault;
 * nothing of the batch, or a part, was done.
 */
bool sdsim_link_submit(struct sdsim_link *link, const uint8_t *out, size_t out_count,
                       size_t in_count);

/*
 * Hands over the next `count` answered bytes (not more than expected), waiting for them up to
 * `patience` in host time since the last byte came (or since the call). False: a fault; some of
 * `in` may have been written.
 */
bool sdsim_link_collect(struct sdsim_link *link, uint8_t *in, size_t count, sdsim_ps patience);

/* Both in one: a batch, and all that it answers. */
bool sdsim_link_ask(struct sdsim_link *link, const uint8_t *out, size_t out_count, uint8_t *in,
                    size_t in_count, sdsim_ps patience);

/*
 * Cancels and forgets all that is under way, empties the chip's FIFOs, resets its engine and checks
 * with SDSIM_MPSSE_NONSENSE that host and chip are in step. Afterwards the chip is as after opening:
 * all pins inputs, divide-by-5 on, divisor 0; set it up anew. Counted. False: the fault is a lasting
 * one.
 */
bool sdsim_link_recover(struct sdsim_link *link);

/* Ends the link and frees it. Takes NULL. */
void sdsim_link_close(struct sdsim_link *link);

/* The host's clock, in ps since some instant: for differences only. The in-process link has virtual
 * time here. */
sdsim_ps sdsim_link_host_time(struct sdsim_link *link);

/* Whether the last fault may be gone after recover(). */
static inline bool sdsim_link_may_recover(const struct sdsim_link *link)
{
    return link->fault < SDSIM_LINK_PERMANENT;
}

/* For links: keeps fault and message. Returns false. */
bool sdsim_link_fail(struct sdsim_link *link, enum sdsim_link_fault fault, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
