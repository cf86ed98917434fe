/*
 * The closed forms of the USB link against a host controller that goes packet by packet through its
 * frames; and the storage device against its own books.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>

#include "core/rng.h"
#include "workload/usb_link.h"

#define SEED  20261201u
#define LINKS 400
#define MOVES 60

/* Byte times of a packet with `bytes` of data, in ps rounded up: 8 bits at 12 MHz each. */
static sdsim_ps wire_time(uint64_t bytes)
{
    return ((bytes + 13) * 8 * 1000000 + 11) / 12;
}

/* What a controller knows while it walks. */
struct controller {
    struct sdsim_usb_limits limits;
    sdsim_ps time;  /* the bus is free from here on */
    uint64_t frame; /* of the packets counted in `in` */
    uint64_t in;    /* packets to the PC in that frame */
    uint64_t packets;
    uint64_t refused;
};

static sdsim_ps frame_end(sdsim_ps time)
{
    return (time / SDSIM_MS + 1) * SDSIM_MS;
}

/* One packet to the PC, which asks until it comes. */
static void fetch(struct controller *c, uint64_t bytes)
{
    for (;;) {
        const uint64_t frame = c->time / SDSIM_MS;
        if (frame != c->frame) {
            c->frame = frame;
            c->in = 0;
        }
        if (c->in < c->limits.in && c->time + wire_time(64) <= frame_end(c->time)) {
            break;
        }
        c->time = frame_end(c->time);
    }
    c->in++;
    c->packets++;
    c->time += wire_time(bytes);
}

static void move_in(struct controller *c, sdsim_ps ready, uint64_t bytes)
{
    c->time = ready;
    while (bytes > 0) {
        const uint64_t part = bytes < 64 ? bytes : 64;
        fetch(c, part);
        bytes -= part;
    }
}

/* Tries at every place of every frame from `wanted` on. */
static void move_out(struct controller *c, sdsim_ps wanted, sdsim_ps ready, uint64_t bytes)
{
    sdsim_ps frame = wanted / SDSIM_MS * SDSIM_MS;
    while (bytes > 0) {
        for (uint64_t place = 0; place < c->limits.out && bytes > 0; place++) {
            const sdsim_ps start = frame + place * wire_time(64);
            if (start < wanted) {
                continue;
            }
            if (start < ready) {
                c->refused++;
                continue;
            }
            const uint64_t part = bytes < 64 ? bytes : 64;
            c->time = start + wire_time(part);
            c->packets++;
            bytes -= part;
        }
        frame += SDSIM_MS;
    }
}

static uint64_t some_bytes(struct sdsim_rng *rng)
{
    static const uint64_t usual[] = {13, 31, 36, 512,  1024, 4096, 65536,
                                     1,  64, 65, 1215, 1216, 1217};
    const uint64_t pick = sdsim_rng_below(rng, 2 * sizeof usual / sizeof *usual);
    return pick < sizeof usual / sizeof *usual ? usual[pick] : 1 + sdsim_rng_below(rng, 20000);
}

static void closed_forms_are_the_controllers(void **state)
{
    (void)state;
    printf("seed %u\n", SEED);
    struct sdsim_rng rng;
    sdsim_rng_seed(&rng, SEED);
    for (int l = 0; l < LINKS; l++) {
        const struct sdsim_usb_limits limits = {.in = 1 + sdsim_rng_below(&rng, 19),
                                                .out = 1 + sdsim_rng_below(&rng, 19)};
        struct sdsim_usb_link link;
        sdsim_usb_link_init(&link, &limits);
        struct controller c = {.limits = limits};
        sdsim_ps now = sdsim_rng_below(&rng, 5 * SDSIM_MS);
        for (int m = 0; m < MOVES; m++) {
            const uint64_t bytes = some_bytes(&rng);
            const sdsim_ps wanted = now;
            const sdsim_ps ready =
                now + (sdsim_rng_below(&rng, 3) == 0 ? 0 : sdsim_rng_below(&rng, 4 * SDSIM_MS));
            if (sdsim_rng_below(&rng, 2) == 0) {
                now = sdsim_usb_in(&link, ready, bytes);
                move_in(&c, ready, bytes);
            } else {
                now = sdsim_usb_out(&link, wanted, ready, bytes);
                move_out(&c, wanted, ready, bytes);
            }
            if (now != c.time || link.traffic.packets != c.packets ||
                link.traffic.refused != c.refused) {
                fail_msg("link %d, transfer %d of %llu bytes: %llu ps, the controller %llu; %llu "
                         "refused, the controller %llu",
                         l, m, (unsigned long long)bytes, (unsigned long long)now,
                         (unsigned long long)c.time, (unsigned long long)link.traffic.refused,
                         (unsigned long long)c.refused);
            }
        }
    }
}

/* USB 2.0, table 5-9: 19 packets of 64 bytes, 1,216,000 bytes a second. */
static void nineteen_packets_fit_into_a_frame(void **state)
{
    (void)state;
    const struct sdsim_usb_limits limits = {.in = 19, .out = 19};
    struct sdsim_usb_link link;
    sdsim_usb_link_init(&link, &limits);
    assert_true(19 * sdsim_usb_packet_time(64) <= SDSIM_USB_FRAME);
    assert_true(20 * sdsim_usb_packet_time(64) > SDSIM_USB_FRAME);
    const sdsim_ps last = 18 * sdsim_usb_packet_time(64) + sdsim_usb_packet_time(64);
    assert_true(sdsim_usb_in(&link, 0, 1216000) == 999 * SDSIM_MS + last);
    sdsim_usb_link_init(&link, &limits);
    assert_true(sdsim_usb_out(&link, 0, 0, 1216000) == 999 * SDSIM_MS + last);
    assert_int_equal(link.traffic.packets, 19000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_forms_are_the_controllers),
        cmocka_unit_test(nineteen_packets_fit_into_a_frame),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
