/*
 * A microcontroller as a USB mass-storage device in front of its SD card: bulk-only transport as
 * TinyUSB's msc_device.c and the frameworks over it do it.
 *
 * A request of the PC (READ(10) or WRITE(10)) is a command block of 31 bytes to the device, the
 * data, and a status block of 13 bytes back. The data move through one buffer:
 *
 *     write   for each piece of the buffer's size: the PC sends it over, the device's callback
 *             writes it to the card, and only then the next piece is let in
 *     read    for each piece: the callback reads it from the card, then the PC fetches it
 *
 * Card and USB never work at the same time, so their times add up. A lazy writer breaks that for
 * writes: the callback copies the piece into a queue and returns, and a task of its own writes it to
 * the card while the next one comes in. Then the slower of the two sets the rate; and what the queue
 * holds was promised to the PC and is lost if the power goes. A full queue makes the callback wait;
 * a read waits until the queue is empty.
 *
 * Two actors, each with its own time: the front end (the caller's *now) and the writer task. The
 * writer is let go on up to the front end's time whenever that needs the queue, so the one that is
 * behind always moves. The card belongs to whoever calls its driver; reads wait for the writer.
 *
 * Sources: hathach/tinyusb src/class/msc/msc_device.c (stages, one buffer); atomic14/
 * esp32-sdcard-msc src/SDCardLazyWrite.cpp (queue of ten copies, writer task).
 *
 * Limits: the two tasks don't compete for the CPU (DMA, or two cores). A device that sends the
 * status block too early or stalls is not modelled, nor are mutexes held by one task while the other
 * could go on.
 */
#ifndef SDSIM_WORKLOAD_USB_STORAGE_H
#define SDSIM_WORKLOAD_USB_STORAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/queue_lane.h"
#include "driver/driver.h"
#include "workload/usb_link.h"

/* Most buffers a lazy writer's queue may hold. */
#define SDSIM_USB_QUEUE_MOST 4096u

enum sdsim_pc {
    SDSIM_PC_WINDOWS,
    SDSIM_PC_LINUX,
    SDSIM_PC_MACOS,
};

/* What USB costs; from the host's profile. */
struct sdsim_usb_costs {
    sdsim_ps turn; /* of the device: from the end of a transfer to the callback, or
                                      from the callback to an armed endpoint */
    sdsim_ps gap;  /* of the PC: from the status block to the next command block */
    struct sdsim_usb_limits limits;
};

struct sdsim_usb_params {
    uint64_t buffer; /* bytes, a multiple of 512 */
    uint64_t
        driver_call; /* bytes of one call of the card's driver, a multiple of 512; 0: the buffer */
    uint64_t lazy;   /* buffers the writer's queue holds; 0: there is no writer task */
    int pc;          /* enum sdsim_pc; for mounting */
    bool given;      /* the host has the costs */
    struct sdsim_usb_costs costs;
};

/* What went on between PC and card. Times overlap with a lazy writer, so they may sum to more than
 * all of it. */
struct sdsim_usb_result {
    struct sdsim_usb_traffic traffic;
    uint64_t requests;        /* SCSI commands */
    uint64_t pieces;          /* buffers that moved */
    sdsim_ps link;            /* packets, and waiting for their frame */
    sdsim_ps turns;           /* of the device */
    sdsim_ps gaps;            /* of the PC */
    sdsim_ps card;            /* in calls of the card's driver */
    sdsim_ps drained;         /* it waited for the writer task to be done */
    sdsim_ps queue_full;      /* the front end waited for the writer task */
    uint64_t pending_most;    /* bytes the PC had been told were written and that were not yet */
    sdsim_ps pending_longest; /* from the status block to the last of them on the card */
};

struct sdsim_usb_job {
    uint32_t lba;
    uint32_t count;
    struct sdsim_content content; /* what it refers to must outlive the job */
    sdsim_ps promised;            /* when the PC was told that it is written; 0: not yet */
};

struct sdsim_usb_storage {
    const struct sdsim_usb_params *params; /* not owned */
    struct sdsim_driver *driver;           /* not owned; books to its port's meter */
    struct sdsim_meter *meter;             /* the front end's; not owned */
    struct sdsim_usb_link link;
    struct sdsim_usb_job *jobs; /* a ring of params->lazy; owned; NULL without a writer task */
    uint64_t first;             /* job that is next */
    uint64_t count;
    uint64_t queued;              /* bytes of these jobs */
    uint64_t in_hand;             /* bytes of the job the writer took last */
    struct sdsim_queue_lane lane; /* the same for the recorder */
    sdsim_ps writer;              /* its time: it is free from then on */
    sdsim_ps promised;            /* when the PC was last told that all is written */
    enum sdsim_driver_error writer_error;
    struct sdsim_usb_result result;
};

/*
 * Parameters and driver must outlive the storage. Without a writer task `meter` is the driver's own;
 * with one it is another, since each task has its account. False without memory.
 */
bool sdsim_usb_storage_init(struct sdsim_usb_storage *storage,
                            const struct sdsim_usb_params *params, struct sdsim_driver *driver,
                            struct sdsim_meter *meter, sdsim_ps now);
void sdsim_usb_storage_free(struct sdsim_usb_storage *storage);

/* One request of the PC, from *now to the moment the PC may ask for the next one. `content` NULL: a
 * read, booked under `purpose`. What went wrong in the writer task is told by the next request. */
enum sdsim_driver_error sdsim_usb_request(struct sdsim_usb_storage *storage, sdsim_ps *now,
                                          uint32_t lba, uint32_t count, enum sdsim_purpose purpose,
                                          const struct sdsim_content *content);

/* A command that does not touch the card and answers with `bytes` (0: with its status only). */
void sdsim_usb_inquire(struct sdsim_usb_storage *storage, sdsim_ps *now, uint32_t bytes);

/* Waits until the writer task has written everything (SYNCHRONIZE CACHE, or the end). */
enum sdsim_driver_error sdsim_usb_drain(struct sdsim_usb_storage *storage, sdsim_ps *now);

/* Takes what the writer task still has to do to its end without anybody waiting for it. */
enum sdsim_driver_error sdsim_usb_let_finish(struct sdsim_usb_storage *storage);

#endif
