#include "usb_find.h"

#include <libusb.h>
#include <stdio.h>
#include <string.h>

enum {
    MOST_FOUND = 8,
    LISTED = 300, /* bytes of serial numbers in a message */
};

/* A chip that was asked for. */
struct found {
    libusb_device *device; /* a reference */
    struct libusb_device_descriptor descriptor;
    enum sdsim_ftdi_kind kind; /* SDSIM_FTDI_KINDS: without a fast MPSSE */
    char serial[64];           /* "": has none, or can't be read */
    int error;                 /* libusb's, of opening it */
};

struct search {
    struct found found[MOST_FOUND];
    int count;
    const char *without; /* a chip without MPSSE that was there but not asked for by number */
};

/* ---- kinds ---- */

static enum sdsim_ftdi_kind kind_of(uint16_t release)
{
    for (int i = 0; i < SDSIM_FTDI_KINDS; i++) {
        if (sdsim_ftdi_chip((enum sdsim_ftdi_kind)i)->release == release) {
            return (enum sdsim_ftdi_kind)i;
        }
    }
    return SDSIM_FTDI_KINDS;
}

/* FTDI's other chips, by bcdDevice as in the table of libftdi. NULL: not one of theirs. */
static const char *other_chip(uint16_t release)
{
    static const struct {
        uint16_t release;
        const char *name;
    } others[] = {
        {0x0200, "FT232AM"}, {0x0400, "FT232BM"}, {0x0500, "FT2232D"},
        {0x0600, "FT232R"},  {0x1000, "FT230X"},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (others[i].release == release) {
            return others[i].name;
        }
    }
    return NULL;
}

static bool is_wanted(const struct sdsim_usb_device *device,
                      const struct libusb_device_descriptor *descriptor)
{
    const uint16_t vendor = device->vendor != 0 ? device->vendor : SDSIM_FTDI_VENDOR;
    if (descriptor->idVendor != vendor) {
        return false;
    }
    return device->product != 0 ? descriptor->idProduct == device->product
                                : kind_of(descriptor->bcdDevice) != SDSIM_FTDI_KINDS;
}

/* ---- searching ---- */

static void read_serial(struct found *found)
{
    libusb_device_handle *handle;
    found->error = libusb_open(found->device, &handle);
    if (found->error != 0) {
        return;
    }
    if (found->descriptor.iSerialNumber != 0) {
        libusb_get_string_descriptor_ascii(handle, found->descriptor.iSerialNumber,
                                           (unsigned char *)found->serial, sizeof found->serial);
    }
    libusb_close(handle);
}

static void search(struct search *search, libusb_device **list, ssize_t count,
                   const struct sdsim_usb_device *device)
{
    for (ssize_t i = 0; i < count && search->count < MOST_FOUND; i++) {
        struct found *found = &search->found[search->count];
        *found = (struct found){.device = list[i]};
        if (libusb_get_device_descriptor(list[i], &found->descriptor) != 0) {
            continue;
        }
        if (!is_wanted(device, &found->descriptor)) {
            if (found->descriptor.idVendor == SDSIM_FTDI_VENDOR) {
                search->without = other_chip(found->descriptor.bcdDevice);
            }
            continue;
        }
        found->kind = kind_of(found->descriptor.bcdDevice);
        read_serial(found);
        if (device->serial == NULL || found->error != 0 ||
            strcmp(device->serial, found->serial) == 0) {
            search->count++;
        }
    }
}

/* With a serial number asked for, chips that could not be opened count only if no other one has it. */
static void prefer_readable(struct search *search)
{
    int readable = 0;
    for (int i = 0; i < search->count; i++) {
        if (search->found[i].error == 0) {
            search->found[readable++] = search->found[i];
        }
    }
    search->count = readable > 0 ? readable : search->count;
}

/* ---- what is wrong ---- */

static bool fail_missing(struct sdsim_link *link, const struct sdsim_usb_device *device,
                         const char *without)
{
    if (without != NULL && device->product == 0) {
        return sdsim_link_fail(link, SDSIM_LINK_WRONG,
                               "the %s that is plugged in has no MPSSE (or a slow one)\n"
                               "help: an FT232H, FT2232H or FT4232H is needed",
                               without);
    }
    char wanted[64] = "FT232H, FT2232H or FT4232H";
    if (device->product != 0) {
        snprintf(wanted, sizeof wanted, "USB device %04x:%04x",
                 device->vendor != 0 ? device->vendor : SDSIM_FTDI_VENDOR, device->product);
    }
    return sdsim_link_fail(link, SDSIM_LINK_MISSING,
                           "there is no %s%s%s\nhelp: is it plugged in? 'lsusb' lists what is",
                           wanted, device->serial != NULL ? " with the serial number " : "",
                           device->serial != NULL ? device->serial : "");
}

static bool fail_several(struct sdsim_link *link, const struct search *search)
{
    char list[LISTED] = "";
    size_t used = 0;
    for (int i = 0; i < search->count && used < sizeof list; i++) {
        const char *serial = search->found[i].serial;
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "",
                                 serial[0] != '\0' ? serial : "(none)");
    }
    return sdsim_link_fail(link, SDSIM_LINK_MISSING,
                           "%d chips are plugged in\n"
                           "help: say which with --device ftdi:SERIAL; their serial numbers: %s",
                           search->count, list);
}

static bool fail_denied(struct sdsim_link *link, libusb_device *device)
{
    return sdsim_link_fail(
        link, SDSIM_LINK_DENIED,
        "%s: no permission to use /dev/bus/usb/%03u/%03u\n"
        "help: as root, copy %s\n"
        "help: to /etc/udev/rules.d, run 'udevadm control --reload', and plug the chip in again",
        link->chip->name, libusb_get_bus_number(device), libusb_get_device_address(device),
        SDSIM_UDEV_RULE);
}

static bool fail_busy(struct sdsim_link *link)
{
    return sdsim_link_fail(link, SDSIM_LINK_BUSY,
                           "%s: another program or driver has it\n"
                           "help: end what uses it (a terminal on /dev/ttyUSB*, openocd, another "
                           "sdsim); if it is\n"
                           "help: the kernel's serial driver, 'rmmod ftdi_sio' as root frees it",
                           link->chip->name);
}

static bool fail_open(struct sdsim_link *link, libusb_device *device, int error)
{
    switch (error) {
    case LIBUSB_ERROR_ACCESS:
        return fail_denied(link, device);
    case LIBUSB_ERROR_BUSY:
        return fail_busy(link);
    case LIBUSB_ERROR_NO_DEVICE:
        return sdsim_link_fail(link, SDSIM_LINK_UNPLUGGED, "%s: it was just unplugged",
                               link->chip->name);
    default:
        return sdsim_link_fail(link, SDSIM_LINK_BROKEN, "%s: can't be opened: %s", link->chip->name,
                               libusb_strerror(error));
    }
}

/* ---- opening ---- */

/* libftdi keeps libusb's errors to itself; what its own numbers mean is in ftdi_usb_open_dev. */
static bool fail_ftdi_open(struct sdsim_link *link, struct ftdi_context *ftdi, int result)
{
    enum { CAN_T_CLAIM = -5, NO_PERMISSION = -8 };
    if (result == CAN_T_CLAIM || result == NO_PERMISSION) {
        return fail_busy(link);
    }
    return sdsim_link_fail(link, SDSIM_LINK_BROKEN, "%s: can't be opened: %s", link->chip->name,
                           ftdi_get_error_string(ftdi));
}

static bool open_found(struct sdsim_link *link, struct ftdi_context *ftdi,
                       const struct found *found, const struct sdsim_usb_device *device, char *name,
                       size_t size)
{
    if (found->kind == SDSIM_FTDI_KINDS) {
        const char *other = other_chip(found->descriptor.bcdDevice);
        return sdsim_link_fail(link, SDSIM_LINK_WRONG,
                               "%04x:%04x is %s, which has no MPSSE (or a slow one)\n"
                               "help: an FT232H, FT2232H or FT4232H is needed",
                               found->descriptor.idVendor, found->descriptor.idProduct,
                               other != NULL ? other : "no chip of FTDI's");
    }
    const int interface = device->interface == 0 ? 0 : device->interface - 'A';
    link->chip = sdsim_ftdi_chip(found->kind);
    if (interface >= link->chip->channels) {
        return sdsim_link_fail(link, SDSIM_LINK_WRONG,
                               "%s: its interface %c has no MPSSE\nhelp: use --interface A",
                               link->chip->name, 'A' + interface);
    }
    if (found->error != 0) {
        return fail_open(link, found->device, found->error);
    }
    ftdi_set_interface(ftdi, interface == 0 ? INTERFACE_A : INTERFACE_B);
    ftdi->module_detach_mode = AUTO_DETACH_REATACH_SIO_MODULE; /* the tty comes back afterwards */
    const int result = ftdi_usb_open_dev(ftdi, found->device);
    if (result != 0) {
        return fail_ftdi_open(link, ftdi, result);
    }
    snprintf(name, size, "%s, %s%s, %04x:%04x at bus %u, device %u, interface %c", link->chip->name,
             found->serial[0] != '\0' ? "serial number " : "no serial number", found->serial,
             found->descriptor.idVendor, found->descriptor.idProduct,
             libusb_get_bus_number(found->device), libusb_get_device_address(found->device),
             'A' + interface);
    return true;
}

bool sdsim_usb_find(struct sdsim_link *link, struct ftdi_context *ftdi,
                    const struct sdsim_usb_device *device, char *name, size_t size)
{
    libusb_device **list;
    struct search all = {.count = 0};
    const ssize_t count = libusb_get_device_list(ftdi->usb_ctx, &list);
    if (count < 0) {
        return sdsim_link_fail(link, SDSIM_LINK_BROKEN, "USB devices can't be listed: %s",
                               libusb_strerror((int)count));
    }
    search(&all, list, count, device);
    if (device->serial != NULL) {
        prefer_readable(&all);
    }
    const bool opened = all.count == 0  ? fail_missing(link, device, all.without)
                        : all.count > 1 ? fail_several(link, &all)
                                        : open_found(link, ftdi, &all.found[0], device, name, size);
    libusb_free_device_list(list, 1);
    return opened;
}

/* ---- what users say ---- */

bool sdsim_usb_take_device(struct sdsim_usb_device *device, const char *text)
{
    if (strncmp(text, "ftdi", 4) != 0 || (text[4] != '\0' && (text[4] != ':' || text[5] == '\0'))) {
        return false;
    }
    device->serial = text[4] == ':' ? text + 5 : NULL;
    return true;
}

bool sdsim_usb_take_ids(struct sdsim_usb_device *device, const char *text)
{
    unsigned vendor;
    unsigned product;
    int used = 0;
    if (sscanf(text, "%4x:%4x%n", &vendor, &product, &used) != 2 || text[used] != '\0' ||
        vendor == 0 || product == 0) {
        return false;
    }
    device->vendor = (uint16_t)vendor;
    device->product = (uint16_t)product;
    return true;
}

bool sdsim_usb_take_interface(struct sdsim_usb_device *device, const char *text)
{
    if (strlen(text) != 1 || strchr("ABab", text[0]) == NULL) {
        return false;
    }
    device->interface = text[0] == 'A' || text[0] == 'a' ? 'A' : 'B';
    return true;
}
