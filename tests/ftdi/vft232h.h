/*
 * A virtual FTDI chip on USB: what the kernel's usbfs would do with a real one, for programs that run
 * under umockdev. libusb and libftdi in those are the real ones.
 *
 * Every ioctl a program makes on the device node comes here: URBs are queued, commands fed to the MPSSE
 * engine (ftdi/engine.h), answers packed into packets of 512 bytes with two status bytes each. As on
 * the chip, a URB of commands is over when the chip has taken it, one for answers when it is full, when
 * a packet is sent that is not (SEND_NOW), or when the latency timer has run down.
 *
 * Counted here, at the device, is what a real USB analyser would see.
 *
 * Limits: one interface; time-outs are those of the host; only the latency timer looks at a clock.
 */
#ifndef SDSIM_TEST_FTDI_VFT232H_H
#define SDSIM_TEST_FTDI_VFT232H_H

#include <umockdev.h>

#include "ftdi/engine.h"

/* What goes wrong on USB. */
enum sdsim_usb_fault_kind {
    SDSIM_USB_FINE,
    SDSIM_USB_HANG,   /* a URB of commands is never over, its bytes are lost */
    SDSIM_USB_STALL,  /* it is refused, and all further ones until the halt is cleared */
    SDSIM_USB_BROKEN, /* it ends with a transmission error, its bytes are lost */
    SDSIM_USB_SHORT,  /* answers come in packets of a few bytes; nothing is lost */
    SDSIM_USB_LOSE,   /* a byte of the answers is lost */
    SDSIM_USB_UNPLUG, /* the chip is gone, for good */
    SDSIM_USB_KILL,   /* nothing on USB: the program gets a signal (the bench sends it) */
};

struct sdsim_usb_fault {
    enum sdsim_usb_fault_kind kind;
    uint64_t
        skip; /* URBs of commands (SHORT, LOSE: packets of answers) that go well before; setting
                       up the chip takes one of each */
    uint64_t times; /* how many go wrong; UNPLUG, KILL: no meaning */
    size_t part;    /* UNPLUG, KILL: so many bytes of the URB are still done */
    int signal;     /* KILL: which one; 0: SIGKILL. With any other the URB goes well */
};

struct sdsim_usb_counters {
    uint64_t out_urbs;
    uint64_t out_bytes;
    uint64_t in_urbs; /* that brought answers */
    uint64_t in_bytes;
    uint64_t
        round_trips; /* an OUT URB that arrived after answers had been handed over since the one
                             before it */
    uint64_t faults; /* struck */
};

/* How it shows itself. Zeroed: an FT232H that works. */
struct sdsim_virtual_chip {
    enum sdsim_ftdi_kind kind;
    bool ft232r;        /* pretends to be one: no MPSSE */
    const char *serial; /* NULL: "SDSIM001" */
    bool denied;        /* the device node can be opened by nobody (but root) */
    bool busy;          /* another program has the interface */
    bool driver;        /* the kernel's serial driver has it, and lets it go when asked */
    bool second;        /* there is another one, which does not answer */
    bool stubborn;      /* ... or does not */
    bool paced; /* no answer comes before the clocks in front of it have had their time, by the
                           clock on the wall: what the host measures is never too short */
    struct sdsim_usb_fault fault;
};

struct sdsim_vft232h;

/* Plugs it in, into a test bed. `engine` must outlive it; between runs of programs its owner may do
 * with it what it likes. NULL with a message on stderr. `killed` is called, on another thread, when a
 * KILL strikes. */
struct sdsim_vft232h *sdsim_vft232h_plug(UMockdevTestbed *bed,
                                         const struct sdsim_virtual_chip *chip,
                                         struct sdsim_engine *engine,
                                         void (*killed)(void *context, int signal), void *context);
void sdsim_vft232h_free(struct sdsim_vft232h *chip);

/* No program runs: sets another fault (its counts begin anew), plugs in again what was unplugged. */
void sdsim_vft232h_set_fault(struct sdsim_vft232h *chip, const struct sdsim_usb_fault *fault);

/* What was counted since it was plugged in. */
struct sdsim_usb_counters sdsim_vft232h_counters(struct sdsim_vft232h *chip);

#endif
