#include "ftdi/vft232h_urb.h"

#include <stdlib.h>

struct usbdevfs_urb *sdsim_urb_data(const struct sdsim_urb *urb)
{
    return (struct usbdevfs_urb *)(void *)urb->data->data;
}

size_t sdsim_urb_length(const struct sdsim_urb *urb)
{
    return (size_t)sdsim_urb_data(urb)->buffer_length;
}

void sdsim_urb_queue_init(struct sdsim_urb_queue *queue)
{
    queue->first = NULL;
    queue->end = &queue->first;
}

void sdsim_urb_queue_add(struct sdsim_urb_queue *queue, struct sdsim_urb *urb)
{
    urb->next = NULL;
    *queue->end = urb;
    queue->end = &urb->next;
}

struct sdsim_urb *sdsim_urb_queue_take(struct sdsim_urb_queue *queue)
{
    struct sdsim_urb *urb = queue->first;
    if (urb != NULL) {
        queue->first = urb->next;
        queue->end = queue->first != NULL ? queue->end : &queue->first;
    }
    return urb;
}

struct sdsim_urb *sdsim_urb_queue_pick(struct sdsim_urb_queue *queue, gulong address)
{
    struct sdsim_urb_queue rest;
    struct sdsim_urb *picked = NULL;
    sdsim_urb_queue_init(&rest);
    for (struct sdsim_urb *urb; (urb = sdsim_urb_queue_take(queue)) != NULL;) {
        if (picked == NULL && urb->data->client_addr == address) {
            picked = urb;
        } else {
            sdsim_urb_queue_add(&rest, urb);
        }
    }
    for (struct sdsim_urb *urb; (urb = sdsim_urb_queue_take(&rest)) != NULL;) {
        sdsim_urb_queue_add(queue, urb);
    }
    return picked;
}

void sdsim_urb_free(struct sdsim_urb *urb)
{
    g_clear_object(&urb->buffer);
    g_clear_object(&urb->data);
    free(urb);
}

void sdsim_urb_queue_free(struct sdsim_urb_queue *queue)
{
    for (struct sdsim_urb *urb; (urb = sdsim_urb_queue_take(queue)) != NULL;) {
        sdsim_urb_free(urb);
    }
}

struct sdsim_urb *sdsim_urb_resolve(UMockdevIoctlData *argument)
{
    struct sdsim_urb *urb = calloc(1, sizeof *urb);
    if (urb == NULL) {
        abort();
    }
    urb->data = umockdev_ioctl_data_resolve(argument, 0, sizeof(struct usbdevfs_urb), NULL);
    if (urb->data != NULL) {
        urb->buffer = umockdev_ioctl_data_resolve(urb->data, offsetof(struct usbdevfs_urb, buffer),
                                                  sdsim_urb_length(urb), NULL);
    }
    return urb;
}
