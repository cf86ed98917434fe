#include "ftdi/vft232h.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ftdi/vft232h_control.h"
#include "ftdi/vft232h_urb.h"

#define NODE "/dev/bus/usb/001/004"

enum {
    IN_ENDPOINT = 0x81,
    OUT_ENDPOINT = 0x02,
    PAYLOAD = SDSIM_USB_PACKET - 2, /* of a packet, behind the status bytes */
    MOST_ROUNDS = 64, /* of moving bytes before the program is answered; it asks again at once */
    PAUSE_US = 50,    /* before it is told that nothing is over */
};

struct sdsim_vft232h {
    pthread_mutex_t lock; /* ioctls come on a thread of umockdev's */
    UMockdevTestbed *bed;
    UMockdevIoctlBase *handler;
    struct sdsim_virtual_chip chip;
    struct sdsim_engine *engine;
    struct sdsim_ftdi_control control;
    struct sdsim_urb_queue in;   /* wait for answers */
    struct sdsim_urb_queue out;  /* wait for room in the chip */
    struct sdsim_urb_queue over; /* wait to be reaped */
    struct sdsim_usb_counters counters;
    uint64_t passed; /* by the fault */
    bool gone;
    bool halted;
    bool cut;       /* a URB of commands failed: what continues it is refused, as the kernel does */
    int signal_due; /* for the program, as soon as it has its answer */
    bool handed_over; /* answers, since the last OUT URB */
    bool idle;        /* the last ioctl found nothing to reap */
    gint64 sent_at;   /* the last packet, in us */
    gint64 paced_at;  /* on the wall, in us, when the engine's time was paced_from */
    sdsim_ps paced_from;
    void (*killed)(void *context, int signal);
    void *context;
};

/* ---- URBs ---- */

static void finish(struct sdsim_vft232h *chip, struct sdsim_urb *urb, int status, size_t moved)
{
    sdsim_urb_data(urb)->status = status;
    sdsim_urb_data(urb)->actual_length = (int)moved;
    sdsim_urb_queue_add(&chip->over, urb);
}

static void finish_all(struct sdsim_vft232h *chip, struct sdsim_urb_queue *queue, int status)
{
    for (struct sdsim_urb *urb; (urb = sdsim_urb_queue_take(queue)) != NULL;) {
        finish(chip, urb, status, 0);
    }
}

/* ---- faults ---- */

/* An occasion for faults of this kind: whether it strikes. */
static bool strikes(struct sdsim_vft232h *chip, bool on_answers)
{
    const struct sdsim_usb_fault *fault = &chip->chip.fault;
    const bool of_answers = fault->kind == SDSIM_USB_SHORT || fault->kind == SDSIM_USB_LOSE;
    if (fault->kind == SDSIM_USB_FINE || of_answers != on_answers) {
        return false;
    }
    const uint64_t passed = chip->passed++;
    const bool lasting = fault->kind == SDSIM_USB_UNPLUG || fault->kind == SDSIM_USB_KILL;
    const bool now = lasting ? passed == fault->skip
                             : passed >= fault->skip && passed - fault->skip < fault->times;
    chip->counters.faults += now ? 1 : 0;
    return now;
}

static void unplug(struct sdsim_vft232h *chip)
{
    chip->gone = true;
    finish_all(chip, &chip->in, -ESHUTDOWN);
    finish_all(chip, &chip->out, -ESHUTDOWN);
    sdsim_engine_reset(chip->engine); /* no power: all pins released */
    chip->control.mpsse = false;
}

static size_t feed(struct sdsim_vft232h *chip, const struct sdsim_urb *urb, size_t upto);

/* The first bytes of a URB, if it is its turn. */
static void feed_first(struct sdsim_vft232h *chip, const struct sdsim_urb *urb, size_t count)
{
    if (chip->out.first == NULL) {
        feed(chip, urb, count);
    }
}

/* A URB of commands that goes wrong. */
static void go_wrong(struct sdsim_vft232h *chip, struct sdsim_urb *urb)
{
    const struct sdsim_usb_fault *fault = &chip->chip.fault;
    const size_t part = fault->part < sdsim_urb_length(urb) ? fault->part : sdsim_urb_length(urb);
    switch (fault->kind) {
    case SDSIM_USB_STALL:
        chip->halted = true;
        chip->cut = true;
        finish(chip, urb, -EPIPE, 0);
        break;
    case SDSIM_USB_BROKEN:
        chip->cut = true;
        finish(chip, urb, -EPROTO, 0);
        break;
    case SDSIM_USB_UNPLUG:
        feed_first(chip, urb, part);
        sdsim_urb_queue_add(&chip->out, urb);
        unplug(chip);
        break;
    case SDSIM_USB_KILL:
        urb->hangs = fault->signal == 0;
        feed_first(chip, urb, urb->hangs ? part : 0);
        sdsim_urb_queue_add(&chip->out, urb);
        chip->signal_due = fault->signal != 0 ? fault->signal : SIGKILL;
        break;
    default:
        urb->hangs = true;
        sdsim_urb_queue_add(&chip->out, urb);
        break;
    }
}

/* ---- bytes to the chip and from it ---- */

/* Puts the bytes of a URB from urb->done up to `upto` into the chip; returns how far it came. */
static size_t feed(struct sdsim_vft232h *chip, const struct sdsim_urb *urb, size_t upto)
{
    size_t done = urb->done;
    if (!chip->control.mpsse) {
        return upto;
    }
    for (size_t more = 1; more > 0 && done < upto; done += more) {
        more = sdsim_engine_put(chip->engine, urb->buffer->data + done, upto - done);
        (void)sdsim_engine_run(chip->engine);
    }
    return done;
}

static bool pump_out(struct sdsim_vft232h *chip)
{
    struct sdsim_urb *urb = chip->out.first;
    if (urb == NULL || urb->hangs) {
        return false;
    }
    const size_t before = urb->done;
    urb->done = feed(chip, urb, sdsim_urb_length(urb));
    chip->counters.out_bytes += urb->done - before;
    if (urb->done == sdsim_urb_length(urb)) {
        finish(chip, sdsim_urb_queue_take(&chip->out), 0, urb->done);
        return true;
    }
    return urb->done > before;
}

/* Appends a packet with up to `most` answers. Returns how many. */
static size_t add_packet(struct sdsim_vft232h *chip, struct sdsim_urb *urb, size_t most)
{
    static const uint8_t status[] = {0x32, 0x60}; /* high speed; transmitter empty */
    uint8_t *packet = urb->buffer->data + urb->done;
    memcpy(packet, status, sizeof status);
    const size_t got = sdsim_engine_take(chip->engine, packet + sizeof status, most);
    urb->done += sizeof status + got;
    chip->counters.in_bytes += got;
    chip->sent_at = g_get_monotonic_time();
    return got;
}

static void finish_in(struct sdsim_vft232h *chip)
{
    struct sdsim_urb *urb = sdsim_urb_queue_take(&chip->in);
    chip->counters.in_urbs += urb->done > 2 ? 1 : 0;
    finish(chip, urb, 0, urb->done);
}

static bool timer_is_over(const struct sdsim_vft232h *chip)
{
    return g_get_monotonic_time() - chip->sent_at >= 1000 * (gint64)chip->control.latency;
}

/* What one packet may hold while answers come by a fault. */
static size_t spoilt_packet(struct sdsim_vft232h *chip)
{
    uint8_t lost;
    if (chip->chip.fault.kind == SDSIM_USB_LOSE) {
        sdsim_engine_take(chip->engine, &lost, 1);
        return PAYLOAD;
    }
    return 1 + chip->counters.in_urbs % 7;
}

/* The engine's time is ahead of the wall's. */
static bool too_early(const struct sdsim_vft232h *chip)
{
    const sdsim_ps passed = (sdsim_ps)(g_get_monotonic_time() - chip->paced_at) * SDSIM_US;
    return chip->chip.paced && chip->engine->now - chip->paced_from > passed;
}

static bool pump_in(struct sdsim_vft232h *chip)
{
    struct sdsim_urb *urb = chip->in.first;
    if (urb == NULL || too_early(chip)) {
        return false;
    }
    const struct sdsim_fifo *fifo = &chip->engine->in;
    const bool timer = timer_is_over(chip);
    const bool full = fifo->count >= PAYLOAD;
    if (!full && chip->engine->due == 0 && !timer) {
        return false;
    }
    const size_t most = fifo->count > 0 && strikes(chip, true) ? spoilt_packet(chip) : PAYLOAD;
    const size_t got = add_packet(chip, urb, most);
    if (got < PAYLOAD || urb->done + SDSIM_USB_PACKET > sdsim_urb_length(urb)) {
        finish_in(chip);
    }
    return true;
}

/* Moves bytes as long as any move, or for long enough. */
static void pump(struct sdsim_vft232h *chip)
{
    bool moves = !chip->gone;
    for (int round = 0; round < MOST_ROUNDS && moves; round++) {
        moves = pump_out(chip);
        moves |= chip->control.mpsse && sdsim_engine_run(chip->engine) == SDSIM_ENGINE_RUNS;
        moves |= pump_in(chip);
    }
}

/* ---- ioctls ---- */

static void answer(UMockdevIoctlClient *client, int error)
{
    umockdev_ioctl_client_complete(client, error == 0 ? 0 : -1, error);
}

static void submit_out(struct sdsim_vft232h *chip, struct sdsim_urb *urb)
{
    if (!too_early(chip)) { /* idle: time that has passed is passed */
        chip->paced_at = g_get_monotonic_time();
        chip->paced_from = chip->engine->now;
    }
    chip->counters.out_urbs++;
    chip->counters.round_trips += chip->handed_over ? 1 : 0;
    chip->handed_over = false;
    if (chip->halted) {
        finish(chip, urb, -EPIPE, 0);
    } else if (strikes(chip, false)) {
        go_wrong(chip, urb);
    } else {
        sdsim_urb_queue_add(&chip->out, urb);
    }
}

static int submit(struct sdsim_vft232h *chip, UMockdevIoctlData *argument)
{
    if (chip->gone) {
        return ENODEV;
    }
    struct sdsim_urb *urb = sdsim_urb_resolve(argument);
    if (urb->data != NULL && sdsim_urb_data(urb)->endpoint == OUT_ENDPOINT && chip->cut) {
        chip->cut = (sdsim_urb_data(urb)->flags & USBDEVFS_URB_BULK_CONTINUATION) != 0;
        if (chip->cut) {
            sdsim_urb_free(urb);
            return EREMOTEIO;
        }
    }
    if (urb->data == NULL || (urb->buffer == NULL && sdsim_urb_length(urb) > 0)) {
        sdsim_urb_free(urb);
        return EFAULT;
    }
    if (sdsim_urb_data(urb)->type == USBDEVFS_URB_TYPE_CONTROL) {
        const int moved =
            sdsim_ftdi_control(&chip->control, urb->buffer->data, sdsim_urb_length(urb) - 8);
        finish(chip, urb, moved < 0 ? moved : 0, moved < 0 ? 0 : (size_t)moved);
    } else if (sdsim_urb_data(urb)->endpoint == OUT_ENDPOINT) {
        submit_out(chip, urb);
    } else if (sdsim_urb_data(urb)->endpoint == IN_ENDPOINT) {
        sdsim_urb_queue_add(&chip->in, urb);
    } else {
        finish(chip, urb, -EPIPE, 0);
    }
    pump(chip);
    return 0;
}

static int reap(struct sdsim_vft232h *chip, UMockdevIoctlClient *client,
                UMockdevIoctlData *argument)
{
    pump(chip);
    struct sdsim_urb *urb = sdsim_urb_queue_take(&chip->over);
    if (urb == NULL) {
        return chip->gone ? ENODEV : EAGAIN;
    }
    const struct usbdevfs_urb *result = sdsim_urb_data(urb);
    if (result->endpoint == IN_ENDPOINT && result->type == USBDEVFS_URB_TYPE_BULK &&
        result->actual_length > 2) {
        chip->handed_over = true;
    }
    UMockdevIoctlData *pointer = umockdev_ioctl_data_resolve(argument, 0, sizeof(void *), NULL);
    umockdev_ioctl_data_set_ptr(pointer, 0, urb->data);
    answer(client, 0);
    g_object_unref(pointer);
    sdsim_urb_free(urb);
    return 0;
}

static int discard(struct sdsim_vft232h *chip, const UMockdevIoctlData *argument)
{
    gulong address;
    memcpy(&address, argument->data, sizeof address);
    struct sdsim_urb *urb = sdsim_urb_queue_pick(&chip->in, address);
    if (urb == NULL) {
        urb = sdsim_urb_queue_pick(&chip->out, address);
    }
    if (urb == NULL) {
        return EINVAL;
    }
    finish(chip, urb, -ENOENT, urb->done);
    return 0;
}

static int claim(const struct sdsim_vft232h *chip)
{
    const bool taken = chip->chip.busy || chip->chip.stubborn || chip->chip.driver;
    return taken ? EBUSY : 0;
}

static int get_driver(const struct sdsim_vft232h *chip, UMockdevIoctlData *argument)
{
    if (!chip->chip.driver && !chip->chip.stubborn) {
        return ENODATA;
    }
    UMockdevIoctlData *data =
        umockdev_ioctl_data_resolve(argument, 0, sizeof(struct usbdevfs_getdriver), NULL);
    struct usbdevfs_getdriver *driver = (struct usbdevfs_getdriver *)(void *)data->data;
    snprintf(driver->driver, sizeof driver->driver, "ftdi_sio");
    g_object_unref(data);
    return 0;
}

/* Detaching and attaching the kernel's driver. */
static int wrapped(struct sdsim_vft232h *chip, UMockdevIoctlData *argument)
{
    UMockdevIoctlData *data =
        umockdev_ioctl_data_resolve(argument, 0, sizeof(struct usbdevfs_ioctl), NULL);
    const struct usbdevfs_ioctl *inner = (const struct usbdevfs_ioctl *)(void *)data->data;
    const unsigned code = (unsigned)inner->ioctl_code;
    g_object_unref(data);
    if (chip->chip.stubborn) {
        return EPERM;
    }
    if (!chip->chip.driver) {
        return ENODATA;
    }
    chip->chip.driver = code != USBDEVFS_DISCONNECT;
    return 0;
}

/* All but reaping, which has something to say: 0, or an errno. */
static int serve(struct sdsim_vft232h *chip, gulong request, UMockdevIoctlData *argument)
{
    if (chip->gone) {
        return ENODEV;
    }
    switch (request) {
    case USBDEVFS_GET_CAPABILITIES: {
        const guint32 able = USBDEVFS_CAP_REAP_AFTER_DISCONNECT | USBDEVFS_CAP_BULK_CONTINUATION;
        UMockdevIoctlData *data = umockdev_ioctl_data_resolve(argument, 0, sizeof able, NULL);
        memcpy(data->data, &able, sizeof able);
        g_object_unref(data);
        return 0;
    }
    case USBDEVFS_SUBMITURB:
        return submit(chip, argument);
    case USBDEVFS_DISCARDURB:
        return discard(chip, argument);
    case USBDEVFS_CLAIMINTERFACE:
        return claim(chip);
    case USBDEVFS_GETDRIVER:
        return get_driver(chip, argument);
    case USBDEVFS_IOCTL:
        return wrapped(chip, argument);
    case USBDEVFS_CLEAR_HALT:
        chip->halted = false;
        return 0;
    case USBDEVFS_RELEASEINTERFACE:
    case USBDEVFS_SETINTERFACE:
    case USBDEVFS_SETCONFIGURATION:
    case USBDEVFS_RESET:
        return 0;
    default:
        return ENOTTY;
    }
}

static gboolean handle_ioctl(UMockdevIoctlBase *handler, UMockdevIoctlClient *client, gpointer user)
{
    struct sdsim_vft232h *chip = user;
    const gulong request = umockdev_ioctl_client_get_request(client);
    UMockdevIoctlData *argument = umockdev_ioctl_client_get_arg(client);
    (void)handler;
    pthread_mutex_lock(&chip->lock);
    if (request == USBDEVFS_REAPURB || request == USBDEVFS_REAPURBNDELAY) {
        const int error = reap(chip, client, argument);
        const bool again = chip->idle && error != 0;
        chip->idle = error != 0;
        pthread_mutex_unlock(&chip->lock);
        if (again) {
            /* poll() says of the node, a plain file, that there is always something: without a pause
             * libusb, which asks once too often each time, would ask again and again */
            g_usleep(PAUSE_US);
        }
        if (error != 0) {
            answer(client, error);
        }
        return TRUE;
    }
    chip->idle = false;
    const int error = serve(chip, request, argument);
    const int signal = chip->signal_due;
    chip->signal_due = 0;
    pthread_mutex_unlock(&chip->lock);
    if (signal != 0) {
        chip->killed(chip->context, signal);
    }
    answer(client, error);
    return TRUE;
}

/* ---- plugging in ---- */

static bool add_device(UMockdevTestbed *bed, const struct sdsim_virtual_chip *chip, unsigned number)
{
    uint8_t bytes[256];
    char hex[2 * sizeof bytes + 1];
    char text[2048];
    const size_t size = sdsim_ftdi_descriptors(chip, bytes);
    for (size_t i = 0; i < size; i++) {
        snprintf(hex + 2 * i, 3, "%02x", bytes[i]);
    }
    snprintf(text, sizeof text,
             "P: /devices/usb1/1-%u\nN: bus/usb/001/00%u\nE: SUBSYSTEM=usb\nE: DRIVER=usb\n"
             "E: BUSNUM=001\nE: DEVNUM=00%u\nE: DEVNAME=/dev/bus/usb/001/00%u\n"
             "E: DEVTYPE=usb_device\nA: bConfigurationValue=1\\n\nA: busnum=1\\n\n"
             "A: devnum=%u\\n\nA: speed=480\\n\nH: descriptors=%s\n",
             number, number, number, number, number, hex);
    GError *error = NULL;
    if (!umockdev_testbed_add_from_string(bed, text, &error)) {
        fprintf(stderr, "umockdev: %s\n", error->message);
        g_error_free(error);
        return false;
    }
    return true;
}

/* Rights on a file of the test bed. */
static void set_mode(UMockdevTestbed *bed, const char *folder, mode_t mode)
{
    char *root = umockdev_testbed_get_root_dir(bed);
    char *path = g_strconcat(root, folder, NODE, NULL);
    if (chmod(path, mode) != 0) {
        perror(path);
    }
    g_free(path);
    g_free(root);
}

struct sdsim_vft232h *sdsim_vft232h_plug(UMockdevTestbed *bed,
                                         const struct sdsim_virtual_chip *settings,
                                         struct sdsim_engine *engine,
                                         void (*killed)(void *context, int signal), void *context)
{
    struct sdsim_vft232h *chip = calloc(1, sizeof *chip);
    if (chip == NULL) {
        fputs("out of memory\n", stderr);
        return NULL;
    }
    *chip = (struct sdsim_vft232h){
        .bed = bed, .chip = *settings, .engine = engine, .killed = killed, .context = context};
    pthread_mutex_init(&chip->lock, NULL);
    sdsim_ftdi_control_init(&chip->control, engine, &chip->chip);
    sdsim_urb_queue_init(&chip->in);
    sdsim_urb_queue_init(&chip->out);
    sdsim_urb_queue_init(&chip->over);
    chip->handler = umockdev_ioctl_base_new();
    g_signal_connect_after(chip->handler, "handle-ioctl", G_CALLBACK(handle_ioctl), chip);
    GError *error = NULL;
    if (!umockdev_testbed_attach_ioctl(bed, NODE, chip->handler, &error)) {
        fprintf(stderr, "umockdev: %s\n", error->message);
        g_error_free(error);
        sdsim_vft232h_free(chip);
        return NULL;
    }
    if (!add_device(bed, settings, 4) || (settings->second && !add_device(bed, settings, 5))) {
        sdsim_vft232h_free(chip);
        return NULL;
    }
    if (settings->denied) {
        set_mode(bed, "", 0);
        set_mode(bed, "/ioctl", 0777); /* what umockdev talks through is no part of the picture */
    }
    return chip;
}

void sdsim_vft232h_free(struct sdsim_vft232h *chip)
{
    umockdev_testbed_detach_ioctl(chip->bed, NODE, NULL);
    g_object_unref(chip->handler);
    sdsim_urb_queue_free(&chip->in);
    sdsim_urb_queue_free(&chip->out);
    sdsim_urb_queue_free(&chip->over);
    pthread_mutex_destroy(&chip->lock);
    free(chip);
}

void sdsim_vft232h_set_fault(struct sdsim_vft232h *chip, const struct sdsim_usb_fault *fault)
{
    pthread_mutex_lock(&chip->lock);
    sdsim_urb_queue_free(&chip->in);
    sdsim_urb_queue_free(&chip->out);
    sdsim_urb_queue_free(&chip->over);
    chip->chip.fault = *fault;
    chip->passed = 0;
    chip->gone = false;
    chip->halted = false;
    chip->cut = false;
    chip->handed_over = false;
    pthread_mutex_unlock(&chip->lock);
}

struct sdsim_usb_counters sdsim_vft232h_counters(struct sdsim_vft232h *chip)
{
    pthread_mutex_lock(&chip->lock);
    const struct sdsim_usb_counters counters = chip->counters;
    pthread_mutex_unlock(&chip->lock);
    return counters;
}
