/*
 * What a format of captures is to pins.c: how to tell it, and how to read it.
 */
#ifndef SDSIM_CAPTURE_PIN_FORMAT_H
#define SDSIM_CAPTURE_PIN_FORMAT_H

#include "capture/pin_file.h"
#include "capture/pins.h"

struct sdsim_pins {
    const struct sdsim_pin_format *format;
    const char *path;
    struct sdsim_diags *diags;
    struct sdsim_pin_facts facts;
    uint64_t watched; /* bits */
    uint64_t end;     /* tick behind the last one seen so far */
    void *reader;     /* the format's own */
};

struct sdsim_pin_format {
    const char *name;
    /* Whether a file that begins with these bytes (up to 4096) is of the format. */
    bool (*recognise)(const unsigned char *head, size_t size);
    /* Fills facts and reader; false after a message, with nothing to close. */
    bool (*open)(struct sdsim_pins *pins);
    enum sdsim_pin_result (*read)(struct sdsim_pins *pins, struct sdsim_pin_change *changes,
                                  size_t capacity, size_t *count);
    void (*close)(struct sdsim_pins *pins);
};

extern const struct sdsim_pin_format sdsim_pin_format_vcd;
extern const struct sdsim_pin_format sdsim_pin_format_csv;
extern const struct sdsim_pin_format sdsim_pin_format_sr;

/* Adds a channel; false if there are too many. The name is made fit to print. */
bool sdsim_pin_channel_add(struct sdsim_pin_facts *facts, const char *name, size_t length,
                           uint8_t bit);

/* Reads "24 MHz", "10000000 Hz" or "24000000" at the start of `text`: hertz, 0 if it is no rate
 * between 1 Hz and 4 GHz. */
uint64_t sdsim_pin_rate(const char *text);

#endif
