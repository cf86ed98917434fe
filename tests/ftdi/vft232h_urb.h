/*
 * USB requests of a program under umockdev, and queues of them: what usbfs keeps between submitting a URB
 * and reaping it.
 *
 * The program's memory is reached through umockdev's data objects only. A URB holds its objects from when
 * it is resolved until it is freed, which writes back what was changed.
 *
 * Limits: not safe between threads by itself; without memory the test ends.
 */
#ifndef SDSIM_TEST_FTDI_VFT232H_URB_H
#define SDSIM_TEST_FTDI_VFT232H_URB_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/ioctl.h> /* must come before usbdevice_fs.h */

#include <linux/usbdevice_fs.h>
#include <umockdev.h>

/* A request of the program that is under way. */
struct sdsim_urb {
    struct sdsim_urb *next;
    UMockdevIoctlData *data;   /* struct usbdevfs_urb */
    UMockdevIoctlData *buffer; /* what it points to */
    size_t done;
    bool hangs;
};

struct sdsim_urb_queue {
    struct sdsim_urb *first;
    struct sdsim_urb **end; /* where the next one goes */
};

/* Takes it from the program. `data` is NULL if it can't be read, `buffer` if it has none. */
struct sdsim_urb *sdsim_urb_resolve(UMockdevIoctlData *argument);
void sdsim_urb_free(struct sdsim_urb *urb);

struct usbdevfs_urb *sdsim_urb_data(const struct sdsim_urb *urb);

/* Bytes of its buffer. */
size_t sdsim_urb_length(const struct sdsim_urb *urb);

void sdsim_urb_queue_init(struct sdsim_urb_queue *queue);
void sdsim_urb_queue_add(struct sdsim_urb_queue *queue, struct sdsim_urb *urb);

/* The first of them; NULL: there is none. Whoever takes one owns it. */
struct sdsim_urb *sdsim_urb_queue_take(struct sdsim_urb_queue *queue);

/* Takes the URB at this address of the program's; NULL: it isn't there. */
struct sdsim_urb *sdsim_urb_queue_pick(struct sdsim_urb_queue *queue, gulong address);

/* Frees all that are in it. */
void sdsim_urb_queue_free(struct sdsim_urb_queue *queue);

#endif
