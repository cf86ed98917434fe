/*
 * USB mass storage in scenarios and hosts: what the device is, and what its link costs.
 */
#include <stddef.h>

#include "setup/params.h"
#include "setup/schemas.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const struct sdsim_choice pcs[] = {
    {"windows", SDSIM_PC_WINDOWS, "Windows: reads the FAT at mount, 64 KiB a request"},
    {"linux", SDSIM_PC_LINUX, "Linux: reads the FAT at the first df, 120 KiB a request"},
    {"macos", SDSIM_PC_MACOS, "macOS: reads the FAT at mount, 4 KiB a request"},
    {NULL, 0, NULL},
};

static const struct sdsim_key usb_keys[] = {
    {.name = "buffer",
     .type = SDSIM_VALUE_SIZE,
     .offset = offsetof(struct sdsim_usb_params, buffer),
     .fallback = "4KiB",
     .min = 512,
     .max = 1048576,
     .doc = "Block buffer of the USB stack (CFG_TUD_MSC_EP_BUFSIZE, CONFIG_TINYUSB_MSC_BUFSIZE): a "
            "request's data pass through it piece by piece; a multiple of 512."},
    {.name = "driver_call",
     .type = SDSIM_VALUE_SIZE,
     .offset = offsetof(struct sdsim_usb_params, driver_call),
     .max = 1048576,
     .doc = "Bytes of one call of the card's driver, 512B for firmware that goes sector by sector; "
            "left out: the buffer."},
    {.name = "lazy",
     .type = SDSIM_VALUE_COUNT,
     .offset = offsetof(struct sdsim_usb_params, lazy),
     .max = SDSIM_USB_QUEUE_MOST,
     .doc =
         "Buffers the queue of a writer task holds, which lets the device answer before the card "
         "is done; 0: it writes first."},
    {.name = "pc",
     .type = SDSIM_VALUE_CHOICE,
     .offset = offsetof(struct sdsim_usb_params, pc),
     .fallback = "windows",
     .choices = pcs,
     .doc = "do: mount: who mounts the volume."},
};

const struct sdsim_schema sdsim_usb_schema = {
    .name = "usb",
    .doc = "The USB mass-storage device the PC sees.",
    .keys = usb_keys,
    .key_count = COUNT(usb_keys),
    .size = sizeof(struct sdsim_usb_params),
};

static const struct sdsim_key cost_keys[] = {
    {.name = "turn",
     .type = SDSIM_VALUE_TIME,
     .offset = offsetof(struct sdsim_usb_costs, turn),
     .profile = true,
     .max = SDSIM_S,
     .doc =
         "CPU of the device after each transfer: interrupt, USB task, callback, arming the next."},
    {.name = "gap",
     .type = SDSIM_VALUE_TIME,
     .offset = offsetof(struct sdsim_usb_costs, gap),
     .profile = true,
     .max = SDSIM_S,
     .doc = "The PC, from the end of one command to the next."},
    {.name = "packets_in",
     .type = SDSIM_VALUE_COUNT,
     .offset = offsetof(struct sdsim_usb_costs, limits.in),
     .profile = true,
     .fallback = "19",
     .min = 1,
     .max = SDSIM_USB_MOST,
     .doc = "Full-speed packets of 64 bytes towards the PC in a frame of 1 ms."},
    {.name = "packets_out",
     .type = SDSIM_VALUE_COUNT,
     .offset = offsetof(struct sdsim_usb_costs, limits.out),
     .profile = true,
     .fallback = "19",
     .min = 1,
     .max = SDSIM_USB_MOST,
     .doc = "The same towards the device."},
};

const struct sdsim_schema sdsim_usb_costs_schema = {
    .name = "usb costs",
    .doc = "What full-speed USB mass storage costs on this host.",
    .keys = cost_keys,
    .key_count = COUNT(cost_keys),
    .size = sizeof(struct sdsim_usb_costs),
};
