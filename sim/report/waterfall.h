/*
 * The waterfall: from the raw rate of the bus down to what is predicted, loss by loss.
 *
 * The first step is the time the application's bytes would take if the bus carried nothing else:
 * their bits, at the width and the real clock of the bus. Each further step adds what one cause
 * takes, from the bus upwards to the host, then the card, then the file system's own sectors. A
 * step's ceiling is what the run would reach if all steps behind it took no time.
 *
 * All of it is the account (core/account.h) of one run, cut along its kinds and purposes, and along
 * two counters for the file API's part. Nothing is estimated but one border: how much of the
 * protocol's clocks frames data blocks and how much is commands follows from the number of blocks.
 * The steps' times add up to the run's time to the picosecond.
 *
 * A model: it prints nothing. sdsim_waterfall needs only a setup and what its run gave; a replay of
 * a trace has both as well (setup/subject.h).
 *
 * Limits: a step is time that was seen; what hides behind it (the card programs while the next block
 * arrives) takes its place when it goes, so what a change would bring is for a simulation to say
 * (setup/probe.h, setup/whatif.h). Where the prediction is the shortest or longest call, the
 * waterfall is still that of all timed calls.
 */
#ifndef SDSIM_REPORT_WATERFALL_H
#define SDSIM_REPORT_WATERFALL_H

#include "setup/simulate.h"

/* Whose time it is. */
enum sdsim_layer {
    SDSIM_LAYER_BUS,      /* width, clock, protocol */
    SDSIM_LAYER_DRIVER,   /* which commands, polled how */
    SDSIM_LAYER_HOST,     /* the microcontroller: FIFO, DMA, interrupts, CPU */
    SDSIM_LAYER_FILE,     /* calls and buffers of the file API */
    SDSIM_LAYER_CARD,     /* access and programming */
    SDSIM_LAYER_FLASH,    /* the card's housekeeping */
    SDSIM_LAYER_FAT,      /* the file system's own sectors */
    SDSIM_LAYER_PRODUCER, /* nobody wants anything from the card */
    SDSIM_LAYER_OUTSIDE,  /* USB in front of the driver, another device on the bus */
    SDSIM_LAYER_COUNT
};

/* "bus", "driver", "host", "file", "card", "flash", "fat", "producer", "outside" */
const char *sdsim_layer_name(enum sdsim_layer layer);

/* The steps, in their order. */
enum sdsim_loss {
    SDSIM_LOSS_RAW,       /* no loss: the application's bytes at the raw rate of the bus */
    SDSIM_LOSS_SECTORS,   /* bytes of sectors the application did not ask for */
    SDSIM_LOSS_FRAMING,   /* token or start bit, CRC16, the card's answer to each block */
    SDSIM_LOSS_COMMANDS,  /* commands, responses, stops, status */
    SDSIM_LOSS_GAPS,      /* the bus stands still inside of a transfer */
    SDSIM_LOSS_DRIVER,    /* the driver's CPU time: locks, CRC, interrupts, task switches */
    SDSIM_LOSS_COPY,      /* the driver moves blocks between buffers */
    SDSIM_LOSS_API,       /* calls, refills and copies of the file API */
    SDSIM_LOSS_POLL,      /* looking, or not looking, at a card that is ready */
    SDSIM_LOSS_ACCESS,    /* the card fetches */
    SDSIM_LOSS_BUSY,      /* the card programs */
    SDSIM_LOSS_PAUSE,     /* the card tidies up */
    SDSIM_LOSS_FAT,       /* metadata, of all kinds together: FAT sectors ... */
    SDSIM_LOSS_DIRECTORY, /* ... and so on, as enum sdsim_purpose */
    SDSIM_LOSS_FSINFO,
    SDSIM_LOSS_BITMAP,
    SDSIM_LOSS_BOOT,
    SDSIM_LOSS_INIT,
    SDSIM_LOSS_OUTSIDE, /* USB's or another device's turn */
    SDSIM_LOSS_IDLE,    /* between calls, when they have their time of their own */
    SDSIM_LOSS_COUNT
};

/* "raw", "sectors", ... as in JSON. */
const char *sdsim_loss_name(enum sdsim_loss loss);

#define SDSIM_RULE_SIZE 320

struct sdsim_waterfall_step {
    enum sdsim_loss loss;
    enum sdsim_layer layer;
    const char *title; /* what a person reads: "commands, responses", "USB" */
    sdsim_ps time;
    double share;               /* of the whole, 0..1 */
    sdsim_ps until;             /* this step and all before it */
    double ceiling;             /* in the waterfall's metric, with `until` as the whole time */
    char rule[SDSIM_RULE_SIZE]; /* the cause, with the numbers of this run */
};

struct sdsim_waterfall {
    enum sdsim_metric metric; /* of the ceilings: throughput, lines, or time: mean of a call */
    double raw_rate;          /* of the bus, bytes per second: width * clock / 8 */
    double bus_hz;
    unsigned lines; /* data lines: 1 or 4 */
    uint64_t bytes; /* moved by the application */
    uint64_t calls;
    sdsim_ps total; /* the sum of all steps; the last step's `until` */
    size_t count;
    struct sdsim_waterfall_step steps[SDSIM_LOSS_COUNT]; /* those that take time, in order */
};

/* Cuts the run of `setup` that gave `outcome` (without an error) into steps. Owns nothing. */
void sdsim_waterfall(const struct sdsim_setup *setup, const struct sdsim_outcome_report *outcome,
                     struct sdsim_waterfall *waterfall);

/* The step of a loss, or NULL if it takes no time. */
const struct sdsim_waterfall_step *sdsim_waterfall_step(const struct sdsim_waterfall *waterfall,
                                                        enum sdsim_loss loss);

/* The time of a layer's steps; that of the bus without the raw bytes. */
sdsim_ps sdsim_waterfall_layer(const struct sdsim_waterfall *waterfall, enum sdsim_layer layer);

/* Value in a metric of a run with so many bytes and calls in so much time; 0 if there is no time.
 * Throughput, lines; for all others seconds a call. */
double sdsim_waterfall_value(enum sdsim_metric metric, uint64_t bytes, uint64_t calls,
                             sdsim_ps time);

#endif
