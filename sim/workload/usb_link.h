/*
 * A full-speed USB link as bulk transfers see it: frames of 1 ms, packets of 64 bytes, a limit of
 * packets a frame, and NAKs while the device is not ready. Pure arithmetic: it takes the time at
 * which the device is ready for a transfer and gives the time at which the last byte has moved,
 * in closed form.
 *
 * A packet of b bytes takes b + 13 byte times at 12 Mbit/s (USB 2.0, section 5.8.4: sync, PIDs,
 * address, CRCs, handshake and turnarounds come to 13 bytes); 64 bytes take 51.3 us, so that 19 fit
 * into a frame. A packet begins only if a full one still fits into its frame.
 *
 *     to the PC       A device that is not ready answers the PC's IN token with NAK. Tokens are
 *                     short, so the packet goes as soon as it is ready.
 *     to the device   At full speed there is no PING: the PC sends the whole packet, and if it is
 *                     refused, sends it whole again. So packets lie on a grid that begins with the
 *                     frame, refused ones use up the frame like any other, and after the limit
 *                     nothing comes before the next frame.
 *
 * The limits are parameters because host controllers, hubs and devices reach less than 19; which of
 * them does is not published.
 *
 * Limits: one device on the bus; no errors, no hub's transaction translator; frames begin at
 * multiples of 1 ms of virtual time.
 */
#ifndef SDSIM_WORKLOAD_USB_LINK_H
#define SDSIM_WORKLOAD_USB_LINK_H

#include <stdint.h>

#include "core/time.h"

#define SDSIM_USB_FRAME  SDSIM_MS
#define SDSIM_USB_PACKET 64u
#define SDSIM_USB_MOST   19u /* full packets that fit into a frame */

struct sdsim_usb_limits {
    uint64_t in;  /* packets a frame towards the PC, 1..19 */
    uint64_t out; /* towards the device, 1..19 */
};

/* What went over the link. */
struct sdsim_usb_traffic {
    uint64_t packets;
    uint64_t refused; /* whole packets towards the device that were answered with NAK */
};

struct sdsim_usb_link {
    struct sdsim_usb_limits limits;
    struct sdsim_usb_traffic traffic;
    uint64_t frame; /* the last one in which a packet went to the PC, and how many did */
    uint64_t used;
};

/* Both limits within 1..19 (asserted). */
void sdsim_usb_link_init(struct sdsim_usb_link *link, const struct sdsim_usb_limits *limits);

/* Time on the wire of one packet with `bytes` (<= 64) of data, rounded up to a picosecond. */
sdsim_ps sdsim_usb_packet_time(uint32_t bytes);

/*
 * `bytes` (>= 1) towards the PC. The device has them ready at `ready`, all of them; earlier calls
 * ended before. Returns when the last packet is acknowledged.
 */
sdsim_ps sdsim_usb_in(struct sdsim_usb_link *link, sdsim_ps ready, uint64_t bytes);

/* `bytes` (>= 1) towards the device. The PC has been trying since `wanted`; the device takes them
 * from `ready` (>= wanted) on. */
sdsim_ps sdsim_usb_out(struct sdsim_usb_link *link, sdsim_ps wanted, sdsim_ps ready,
                       uint64_t bytes);

#endif
