#include "workload/usb_link.h"

#include <assert.h>

/* Bytes of a transaction that are no data; see the header. */
static const uint64_t overhead = 13;

void sdsim_usb_link_init(struct sdsim_usb_link *link, const struct sdsim_usb_limits *limits)
{
    assert(limits->in >= 1 && limits->in <= SDSIM_USB_MOST);
    assert(limits->out >= 1 && limits->out <= SDSIM_USB_MOST);
    *link = (struct sdsim_usb_link){.limits = *limits};
}

sdsim_ps sdsim_usb_packet_time(uint32_t bytes)
{
    /* A byte takes 8 / 12 MHz, two thirds of a microsecond. */
    return ((bytes + overhead) * 2 * SDSIM_US + 2) / 3;
}

static uint64_t packets_of(uint64_t bytes)
{
    return bytes / SDSIM_USB_PACKET + (bytes % SDSIM_USB_PACKET != 0 ? 1 : 0);
}

/* Of the last packet of a transfer. */
static sdsim_ps last_time(uint64_t bytes)
{
    const uint64_t rest = bytes % SDSIM_USB_PACKET;
    return sdsim_usb_packet_time(rest != 0 ? (uint32_t)rest : SDSIM_USB_PACKET);
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

sdsim_ps sdsim_usb_in(struct sdsim_usb_link *link, sdsim_ps ready, uint64_t bytes)
{
    const sdsim_ps full = sdsim_usb_packet_time(SDSIM_USB_PACKET);
    const uint64_t limit = link->limits.in;
    const uint64_t packets = packets_of(bytes);
    const uint64_t frame = ready / SDSIM_USB_FRAME;
    const uint64_t used = frame == link->frame ? link->used : 0;
    const sdsim_ps left = SDSIM_USB_FRAME - ready % SDSIM_USB_FRAME;
    const uint64_t here = least(limit - least(used, limit), left / full);
    link->traffic.packets += packets;
    if (packets <= here) {
        link->frame = frame;
        link->used = used + packets;
        return sdsim_time_sum(ready, (packets - 1) * full + last_time(bytes));
    }
    const uint64_t behind = packets - here - 1; /* of those in later frames, before the last */
    link->frame = frame + 1 + behind / limit;
    link->used = behind % limit + 1;
    return sdsim_time_sum(link->frame * SDSIM_USB_FRAME, behind % limit * full + last_time(bytes));
}

/* The number of the first place for a packet at or after `time`, counted from frame 0 on. */
static uint64_t place_after(uint64_t limit, sdsim_ps time)
{
    const sdsim_ps full = sdsim_usb_packet_time(SDSIM_USB_PACKET);
    const uint64_t within = (time % SDSIM_USB_FRAME + full - 1) / full;
    return time / SDSIM_USB_FRAME * limit + least(within, limit);
}

sdsim_ps sdsim_usb_out(struct sdsim_usb_link *link, sdsim_ps wanted, sdsim_ps ready, uint64_t bytes)
{
    assert(wanted <= ready);
    const sdsim_ps full = sdsim_usb_packet_time(SDSIM_USB_PACKET);
    const uint64_t limit = link->limits.out;
    const uint64_t packets = packets_of(bytes);
    const uint64_t first = place_after(limit, ready);
    const uint64_t last = first + packets - 1;
    link->traffic.packets += packets;
    link->traffic.refused += first - place_after(limit, wanted);
    return sdsim_time_sum(last / limit * SDSIM_USB_FRAME, last % limit * full + last_time(bytes));
}
