#include "usb_link.h"

#include <ctype.h>
#include <libusb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "usb_find.h"

enum {
    IN_TRANSFERS = 8,
    IN_BYTES = 16384, /* a multiple of all packet sizes */
    STATUS_BYTES = 2, /* in front of each packet */
    MARKS = 64,
    MOST_QUEUED = 64, /* transfers on their way: the kernel has memory for 16 MiB of them */
    CONTROL_MS = 500, /* longest wait for a control transfer */
    CANCEL_MS = 1000,
    STEP_MS = 50,
    ATTEMPTS = 2, /* to get a chip back */
};

/* How long the chip may take to answer nonsense. */
#define SYNC_PATIENCE (500 * SDSIM_MS)

struct usb_link;

struct in_transfer {
    struct usb_link *owner;
    struct libusb_transfer *transfer;
    bool queued;
    uint8_t bytes[IN_BYTES];
};

/* A transfer OUT; each frees itself when it is over. */
struct out_transfer {
    struct usb_link *owner;
    struct libusb_transfer *transfer;
    struct out_transfer *next;
    uint8_t bytes[];
};

/* Up to this byte of all answers everything had come at this time. */
struct mark {
    uint64_t end;
    sdsim_ps at;
};

struct usb_link {
    struct sdsim_link link;
    struct ftdi_context *ftdi;
    size_t packet;
    char name[256];

    struct in_transfer *in[IN_TRANSFERS];
    struct out_transfer *out; /* on their way */
    unsigned queued;          /* transfers of both kinds on their way */

    uint8_t *answers; /* not handed over: from `first`, `count` of them */
    size_t room;
    size_t first;
    size_t count;
    uint64_t handed;   /* bytes handed over, ever */
    uint64_t progress; /* transfers that brought or took anything */
    struct mark marks[MARKS];
    unsigned mark_count;
    bool syncing; /* takes whatever comes */
    bool ending;  /* transfers are being cancelled */
};

static sdsim_ps host_time(struct sdsim_link *link)
{
    (void)link;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (sdsim_ps)now.tv_sec * SDSIM_S + (sdsim_ps)now.tv_nsec * SDSIM_NS;
}

/* ---- faults ---- */

/* The first fault is the one that is told. */
static void fail_transfer(struct usb_link *self, enum sdsim_link_fault fault, const char *what)
{
    if (self->link.fault == SDSIM_LINK_FINE && !self->ending) {
        sdsim_link_fail(&self->link, fault, "%s: %s", self->link.chip->name, what);
    }
}

static void fail_status(struct usb_link *self, enum libusb_transfer_status status)
{
    switch (status) {
    case LIBUSB_TRANSFER_NO_DEVICE:
        fail_transfer(self, SDSIM_LINK_UNPLUGGED, "unplugged, or it lost its power");
        break;
    case LIBUSB_TRANSFER_STALL:
        fail_transfer(self, SDSIM_LINK_STALLED, "it refused a USB transfer (stall)");
        break;
    case LIBUSB_TRANSFER_TIMED_OUT:
        fail_transfer(self, SDSIM_LINK_TIMEOUT, "a USB transfer took too long");
        break;
    default:
        fail_transfer(self, SDSIM_LINK_BROKEN, "a USB transfer failed; a bad cable or hub?");
        break;
    }
}

static void fail_submit(struct usb_link *self, int error)
{
    if (error == LIBUSB_ERROR_NO_MEM) {
        fail_transfer(self, SDSIM_LINK_MEMORY, "no memory for a USB transfer");
    } else {
        fail_status(self, error == LIBUSB_ERROR_NO_DEVICE ? LIBUSB_TRANSFER_NO_DEVICE
                                                          : LIBUSB_TRANSFER_ERROR);
    }
}

/* ---- answers ---- */

static bool make_room(struct usb_link *self, size_t more)
{
    if (self->first + self->count + more <= self->room) {
        return true;
    }
    if (self->first > 0) {
        memmove(self->answers, self->answers + self->first, self->count);
        self->first = 0;
    }
    if (self->count + more > self->room) {
        const size_t room = 2 * (self->count + more);
        uint8_t *answers = realloc(self->answers, room);
        if (answers == NULL) {
            fail_transfer(self, SDSIM_LINK_MEMORY, "no memory for what it answers");
            return false;
        }
        self->answers = answers;
        self->room = room;
    }
    return true;
}

/* When what has come so far had come. The oldest marks give way. */
static void set_mark(struct usb_link *self)
{
    if (self->mark_count == MARKS) {
        memmove(self->marks, self->marks + 1, (MARKS - 1) * sizeof *self->marks);
        self->mark_count--;
    }
    self->marks[self->mark_count++] =
        (struct mark){.end = self->handed + self->count, .at = host_time(NULL)};
}

static void take_packets(struct usb_link *self, const uint8_t *bytes, size_t size)
{
    if (!make_room(self, size)) {
        return;
    }
    const size_t before = self->count;
    for (size_t at = 0; at + STATUS_BYTES < size; at += self->packet) {
        const size_t whole = size - at < self->packet ? size - at : self->packet;
        memcpy(self->answers + self->first + self->count, bytes + at + STATUS_BYTES,
               whole - STATUS_BYTES);
        self->count += whole - STATUS_BYTES;
    }
    if (self->count > before) {
        self->progress++;
        self->link.answered = true;
        set_mark(self);
    }
}

/* ---- transfers ---- */

static bool wants_more(const struct usb_link *self)
{
    return self->link.fault == SDSIM_LINK_FINE && !self->ending &&
           (self->syncing || self->count < self->link.expected);
}

static void queue_in(struct in_transfer *in)
{
    struct usb_link *self = in->owner;
    const int error = libusb_submit_transfer(in->transfer);
    if (error != 0) {
        fail_submit(self, error);
        return;
    }
    in->queued = true;
    self->queued++;
}

static void LIBUSB_CALL in_is_over(struct libusb_transfer *transfer)
{
    struct in_transfer *in = transfer->user_data;
    struct usb_link *self = in->owner;
    in->queued = false;
    self->queued--;
    self->link.counters.transfers++;
    take_packets(self, in->bytes, (size_t)transfer->actual_length);
    if (transfer->status != LIBUSB_TRANSFER_COMPLETED) {
        fail_status(self, transfer->status);
    } else if (wants_more(self)) {
        queue_in(in);
    }
}

static void remove_out(struct out_transfer *out)
{
    for (struct out_transfer **at = &out->owner->out; *at != NULL; at = &(*at)->next) {
        if (*at == out) {
            *at = out->next;
            break;
        }
    }
    libusb_free_transfer(out->transfer);
    free(out);
}

static void LIBUSB_CALL out_is_over(struct libusb_transfer *transfer)
{
    struct out_transfer *out = transfer->user_data;
    struct usb_link *self = out->owner;
    self->queued--;
    self->link.counters.transfers++;
    self->progress += transfer->actual_length > 0 ? 1 : 0;
    self->link.sent_at = host_time(NULL);
    if (transfer->status != LIBUSB_TRANSFER_COMPLETED) {
        fail_status(self, transfer->status);
    } else if (transfer->actual_length != transfer->length) {
        fail_transfer(self, SDSIM_LINK_BROKEN, "it took only a part of a USB transfer");
    }
    remove_out(out);
}

static bool queue_out(struct usb_link *self, const uint8_t *bytes, size_t count)
{
    struct out_transfer *out = malloc(sizeof *out + count);
    struct libusb_transfer *transfer = libusb_alloc_transfer(0);
    if (out == NULL || transfer == NULL || count > INT32_MAX) {
        free(out);
        libusb_free_transfer(transfer);
        return sdsim_link_fail(&self->link, SDSIM_LINK_MEMORY, "out of memory");
    }
    memcpy(out->bytes, bytes, count);
    out->owner = self;
    out->transfer = transfer;
    /* libftdi names the endpoints from the chip's side */
    libusb_fill_bulk_transfer(transfer, self->ftdi->usb_dev, (unsigned char)self->ftdi->in_ep,
                              out->bytes, (int)count, out_is_over, out, 0);
    out->next = self->out;
    self->out = out;
    const int error = libusb_submit_transfer(transfer);
    if (error != 0) {
        fail_submit(self, error);
        remove_out(out);
        return false;
    }
    self->queued++;
    return true;
}

/* How many transfers in should be queued: what is missing fits into them, and another one is there while
 * the last is taken. More than that would be handed back empty each time the latency timer runs down. */
static unsigned wanted_in(const struct usb_link *self)
{
    const uint64_t each = IN_BYTES / self->packet * (self->packet - STATUS_BYTES);
    const uint64_t missing = self->syncing ? 0 : self->link.expected - self->count;
    const uint64_t wanted = missing / each + 2;
    return wanted < IN_TRANSFERS ? (unsigned)wanted : IN_TRANSFERS;
}

static void queue_all_in(struct usb_link *self)
{
    unsigned queued = 0;
    for (int i = 0; i < IN_TRANSFERS; i++) {
        queued += self->in[i]->queued ? 1 : 0;
    }
    for (int i = 0; i < IN_TRANSFERS && wants_more(self) && queued < wanted_in(self); i++) {
        if (!self->in[i]->queued) {
            queue_in(self->in[i]);
            queued++;
        }
    }
}

/* Lets libusb work for a while, or until something is over. */
static void handle_events(struct usb_link *self, int ms)
{
    struct timeval wait = {.tv_usec = 1000 * ms};
    const int error = libusb_handle_events_timeout_completed(self->ftdi->usb_ctx, &wait, NULL);
    if (error != 0 && error != LIBUSB_ERROR_INTERRUPTED) {
        fail_submit(self, error);
    }
}

/* Ends all transfers. False: some would not. */
static bool cancel_all(struct usb_link *self)
{
    self->ending = true;
    for (int i = 0; i < IN_TRANSFERS; i++) {
        if (self->in[i] != NULL && self->in[i]->queued) {
            libusb_cancel_transfer(self->in[i]->transfer);
        }
    }
    for (struct out_transfer *out = self->out; out != NULL; out = out->next) {
        libusb_cancel_transfer(out->transfer);
    }
    const sdsim_ps limit = host_time(NULL) + CANCEL_MS * SDSIM_MS;
    while (self->queued > 0 && host_time(NULL) < limit) {
        handle_events(self, STEP_MS);
    }
    self->ending = false;
    return self->queued == 0;
}

/* Waits until `done` says so. False: a fault, or nothing moved for `patience`. */
static bool wait_for(struct usb_link *self, bool (*done)(const struct usb_link *self, size_t count),
                     size_t count, sdsim_ps patience)
{
    struct sdsim_link *link = &self->link;
    sdsim_ps since = host_time(link);
    uint64_t progress = self->progress;
    while (!done(self, count) && link->fault == SDSIM_LINK_FINE) {
        const sdsim_ps now = host_time(link);
        if (self->progress != progress) {
            progress = self->progress;
            since = now;
        }
        if (now - since >= patience) {
            return sdsim_link_fail(
                link, SDSIM_LINK_TIMEOUT, "%s: answered %zu bytes of %zu, then nothing for %u ms",
                link->chip->name, self->count, link->expected, (unsigned)(patience / SDSIM_MS));
        }
        handle_events(self, STEP_MS);
    }
    return link->fault == SDSIM_LINK_FINE;
}

static bool has_bytes(const struct usb_link *self, size_t count)
{
    return self->count >= count;
}

static bool has_room(const struct usb_link *self, size_t count)
{
    return self->queued < count;
}

/* Waits for `count` bytes to be there. */
static bool await(struct usb_link *self, size_t count, sdsim_ps patience)
{
    return wait_for(self, has_bytes, count, patience);
}

/* ---- the link ---- */

static bool submit(struct sdsim_link *link, const uint8_t *out, size_t out_count, size_t in_count)
{
    (void)in_count; /* is in link->expected */
    struct usb_link *self = (struct usb_link *)link;
    queue_all_in(self);
    return wait_for(self, has_room, MOST_QUEUED, SDSIM_LINK_PATIENCE) &&
           (out_count == 0 || queue_out(self, out, out_count));
}

static void note_arrival(struct usb_link *self)
{
    for (unsigned i = 0; i < self->mark_count; i++) {
        if (self->marks[i].end >= self->handed) {
            self->link.arrived_at = self->marks[i].at;
            return;
        }
    }
}

static bool collect(struct sdsim_link *link, uint8_t *in, size_t count, sdsim_ps patience)
{
    struct usb_link *self = (struct usb_link *)link;
    if (!await(self, count, patience)) {
        return false;
    }
    if (self->count > link->expected) {
        return sdsim_link_fail(link, SDSIM_LINK_OUT_OF_STEP,
                               "%s: answered %zu bytes more than it was asked for",
                               link->chip->name, self->count - link->expected);
    }
    memcpy(in, self->answers + self->first, count);
    self->first += count;
    self->count -= count;
    self->handed += count;
    note_arrival(self);
    return true;
}

static bool fail_ftdi(struct usb_link *self, const char *what)
{
    const char *why = ftdi_get_error_string(self->ftdi);
    return sdsim_link_fail(&self->link, SDSIM_LINK_BROKEN, "%s: %s failed: %s",
                           self->link.chip->name, what, why);
}

/* The chip as after a reset, in MPSSE mode, its FIFOs empty. */
static bool configure(struct usb_link *self)
{
    struct ftdi_context *ftdi = self->ftdi;
    if (ftdi_usb_reset(ftdi) != 0) {
        return fail_ftdi(self, "reset");
    }
    if (ftdi_set_latency_timer(ftdi, 1) != 0) {
        return fail_ftdi(self, "setting the latency timer");
    }
    if (ftdi_set_bitmode(ftdi, 0, BITMODE_RESET) != 0 ||
        ftdi_set_bitmode(ftdi, 0, BITMODE_MPSSE) != 0) {
        return fail_ftdi(self, "switching to MPSSE mode");
    }
    return ftdi_tcioflush(ftdi) == 0 || fail_ftdi(self, "emptying the FIFOs");
}

/* Whether BAD and the nonsense are among what came. */
static bool is_in_step(const struct usb_link *self, uint8_t nonsense)
{
    for (size_t i = 0; i + 1 < self->count; i++) {
        const uint8_t *bytes = self->answers + self->first + i;
        if (bytes[0] == SDSIM_MPSSE_BAD && bytes[1] == nonsense) {
            return true;
        }
    }
    return false;
}

/* Sends a command that is none and waits for the chip to say so; what comes before is old. */
static bool synchronise(struct usb_link *self)
{
    static const uint8_t nonsense[] = {SDSIM_MPSSE_NONSENSE, SDSIM_MPSSE_SEND_NOW};
    self->syncing = true;
    self->count = 0;
    queue_all_in(self);
    bool in_step =
        self->link.fault == SDSIM_LINK_FINE && queue_out(self, nonsense, sizeof nonsense);
    for (size_t count = 2; in_step && !is_in_step(self, nonsense[0]); count = self->count + 1) {
        in_step = await(self, count, SYNC_PATIENCE);
    }
    self->syncing = false;
    if (!in_step && self->link.fault <= SDSIM_LINK_TIMEOUT) {
        sdsim_link_fail(&self->link, SDSIM_LINK_OUT_OF_STEP,
                        "%s: its MPSSE does not answer\nhelp: unplug it and plug it in again",
                        self->link.chip->name);
    }
    return cancel_all(self) && in_step;
}

/* One attempt. */
static bool start_anew(struct usb_link *self)
{
    struct sdsim_link *link = &self->link;
    /* A stall in the middle of a long transfer shows as one that was cut short: libusb says no more. */
    const bool halted = link->fault == SDSIM_LINK_STALLED || link->fault == SDSIM_LINK_BROKEN;
    if (!cancel_all(self)) {
        return sdsim_link_fail(link, SDSIM_LINK_UNPLUGGED,
                               "%s: USB transfers can't be cancelled\n"
                               "help: unplug it and plug it in again",
                               link->chip->name);
    }
    link->fault = SDSIM_LINK_FINE;
    if (halted) {
        libusb_clear_halt(self->ftdi->usb_dev, (unsigned char)self->ftdi->in_ep);
        libusb_clear_halt(self->ftdi->usb_dev, (unsigned char)self->ftdi->out_ep);
    }
    return configure(self) && synchronise(self);
}

static bool recover(struct sdsim_link *link)
{
    struct usb_link *self = (struct usb_link *)link;
    bool ready = false;
    for (int i = 0; i < ATTEMPTS && !ready && sdsim_link_may_recover(link); i++) {
        ready = start_anew(self);
    }
    self->handed += self->count; /* what came of old and of synchronising is nobody's */
    self->count = 0;
    return ready;
}

static void close_link(struct sdsim_link *link)
{
    struct usb_link *self = (struct usb_link *)link;
    const bool idle = self->ftdi == NULL || cancel_all(self);
    if (self->ftdi != NULL && self->ftdi->usb_dev != NULL) {
        ftdi_set_bitmode(self->ftdi, 0, BITMODE_RESET); /* all pins inputs */
        ftdi_usb_close(self->ftdi);
    }
    if (!idle) {
        return; /* libusb still writes to what it was given: better lost than freed */
    }
    for (int i = 0; i < IN_TRANSFERS; i++) {
        if (self->in[i] != NULL) {
            libusb_free_transfer(self->in[i]->transfer);
            free(self->in[i]);
        }
    }
    if (self->ftdi != NULL) {
        ftdi_free(self->ftdi);
    }
    free(self->answers);
    free(self);
}

/* ---- opening ---- */

static bool make_transfers(struct usb_link *self)
{
    for (int i = 0; i < IN_TRANSFERS; i++) {
        struct in_transfer *in = calloc(1, sizeof *in);
        self->in[i] = in;
        if (in == NULL || (in->transfer = libusb_alloc_transfer(0)) == NULL) {
            return sdsim_link_fail(&self->link, SDSIM_LINK_MEMORY, "out of memory");
        }
        in->owner = self;
        libusb_fill_bulk_transfer(in->transfer, self->ftdi->usb_dev,
                                  (unsigned char)self->ftdi->out_ep, in->bytes, IN_BYTES,
                                  in_is_over, in, 0);
    }
    return true;
}

static bool open_chip(struct usb_link *self, const struct sdsim_usb_device *device)
{
    self->ftdi = ftdi_new();
    if (self->ftdi == NULL) {
        return sdsim_link_fail(&self->link, SDSIM_LINK_MEMORY, "libusb can't be started");
    }
    self->ftdi->usb_read_timeout = CONTROL_MS;
    self->ftdi->usb_write_timeout = CONTROL_MS;
    if (!sdsim_usb_find(&self->link, self->ftdi, device, self->name, sizeof self->name)) {
        return false;
    }
    self->packet = self->ftdi->max_packet_size;
    self->link.packet = self->packet;
    if (!make_transfers(self)) {
        return false;
    }
    return (configure(self) && synchronise(self)) || sdsim_link_recover(&self->link);
}

struct sdsim_link *sdsim_usb_link_open(const struct sdsim_usb_device *device)
{
    static const struct sdsim_link_class class = {.submit = submit,
                                                  .collect = collect,
                                                  .recover = recover,
                                                  .close = close_link,
                                                  .host_time = host_time};
    struct usb_link *self = calloc(1, sizeof *self);
    if (self == NULL) {
        return NULL;
    }
    self->link.class = &class;
    self->link.chip = sdsim_ftdi_chip(SDSIM_FT232H);
    if (open_chip(self, device)) {
        self->handed = self->count;
        self->count = 0;
        self->first = 0;
    }
    return &self->link;
}

const char *sdsim_usb_link_name(const struct sdsim_link *link)
{
    return ((const struct usb_link *)link)->name;
}
