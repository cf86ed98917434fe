/*
 * A capture, from the file to its items: opens the pins, finds out what the channels are, and decodes
 * step by step.
 *
 *     struct sdsim_capture *capture = sdsim_capture_open(path, NULL, &diags);
 *     sdsim_capture_attach(capture, &listener, NULL);
 *     result = sdsim_capture_decode(capture);
 *     sdsim_capture_close(capture);
 *
 * The first 131072 changes are kept for the survey and decoded like the others then. Everything is
 * of constant size, about 4 MiB.
 */
#ifndef SDSIM_CAPTURE_CAPTURE_H
#define SDSIM_CAPTURE_CAPTURE_H

#include "capture/sd_sampler.h"
#include "capture/spi_decoder.h"
#include "capture/spi_sampler.h"
#include "capture/survey.h"

enum { SDSIM_CAPTURE_BATCH = 1024 };

/* To be read by whoever reports. */
struct sdsim_capture {
    const char *path; /* not owned */
    struct sdsim_pins *pins;
    const struct sdsim_pin_facts *facts;
    struct sdsim_roles roles;
    struct sdsim_survey survey;
    struct sdsim_clock_meter meter;
    struct sdsim_spi_sampler spi_sampler;
    struct sdsim_spi_decoder spi;
    struct sdsim_sd_sampler sd_sampler;
    struct sdsim_sd_decoder sd;
    struct sdsim_item_listener *items;
    struct sdsim_item_listener tap;   /* SPI: hears items before they do */
    struct sdsim_spi_listener *bytes; /* who wants bytes too, or NULL */
    struct sdsim_spi_listener own;
    struct sdsim_line_map map;
    struct sdsim_pin_change *kept; /* for the survey; freed when they are decoded */
    size_t kept_count;
    enum sdsim_pin_result ahead;        /* what reading them ended with */
    uint64_t moves[SDSIM_PIN_CHANNELS]; /* edges of each bit, in every 16th change only */
    uint64_t moved;                     /* bits that ever changed */
    uint64_t levels;                    /* as of the last change */
    uint64_t
        spi_lost; /* SPI: bytes that were not decoded, because edges of the clock are missing */
    bool begun;
    bool over;
    struct sdsim_pin_change batch[SDSIM_CAPTURE_BATCH];
};

/* `channels`: "clk=D5,..." or NULL. `path` must outlive the capture. NULL after an error in `diags`;
 * sdsim_capture_close takes it, or NULL. */
struct sdsim_capture *sdsim_capture_open(const char *path, const char *channels,
                                         struct sdsim_diags *diags);
void sdsim_capture_close(struct sdsim_capture *capture);

/* Who gets the items, and, in SPI, the bytes in front of the items they make; the latter may be
 * NULL. To be called before the first step. */
void sdsim_capture_attach(struct sdsim_capture *capture, struct sdsim_item_listener *items,
                          struct sdsim_spi_listener *bytes);

/* Decodes some more. At the end, or at a fault, the last items are told first. */
enum sdsim_pin_result sdsim_capture_step(struct sdsim_capture *capture);

/* Decodes all of it: SDSIM_PINS_END or SDSIM_PINS_BROKEN. */
enum sdsim_pin_result sdsim_capture_decode(struct sdsim_capture *capture);

/* A time of the capture's ticks. */
static inline sdsim_ps sdsim_capture_time(const struct sdsim_capture *capture, uint64_t tick)
{
    return sdsim_tick_time(&capture->facts->tick, tick);
}

#endif
