/*
 * What a wire port told its listener, kept so that it can be told again: to a waveform that measures,
 * to one that is written, and to a test that knows what ought to be in it.
 *
 * And sigrok-cli, run on a file, as the outside reader of what was written.
 */
#ifndef SDSIM_TEST_WAVE_TAPE_H
#define SDSIM_TEST_WAVE_TAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "port/wire.h"

struct sdsim_test_tape_event {
    sdsim_ps start;
    sdsim_ps end;
    enum { SDSIM_TAPE_BYTE, SDSIM_TAPE_SELECT, SDSIM_TAPE_CLOCK } kind;
    bool selected; /* BYTE; SELECT: CS went low */
    uint8_t mosi;
    uint8_t miso;
    struct sdsim_sd_lines lines; /* CLOCK */
    bool host_cmd;
    bool host_dat;
};

struct sdsim_test_tape {
    struct sdsim_wire_listener listener; /* first: a tape is a listener */
    struct sdsim_test_tape_event *events;
    size_t count;
    size_t capacity;
};

/* Fails the test without memory. sdsim_test_tape_free takes it. */
void sdsim_test_tape_init(struct sdsim_test_tape *tape);
void sdsim_test_tape_free(struct sdsim_test_tape *tape);

/* Tells it all again. */
void sdsim_test_tape_play(const struct sdsim_test_tape *tape, struct sdsim_wire_listener *listener);

/*
 * Writes the window from <= t < to of a tape as VCD with the coarsest exact timescale, to a file of a
 * temporary name that is left in `path` (of 40 bytes). Returns the downsampling for sigrok-cli.
 */
uint64_t sdsim_test_tape_vcd(const struct sdsim_test_tape *tape, enum sdsim_bus_mode mode,
                             sdsim_ps from, sdsim_ps to, char *path);

/* Whether there is a sigrok-cli. */
bool sdsim_test_has_sigrok(void);

/* What sigrok-cli prints of a VCD with these decoders and this annotation; to be freed. `status` takes
 * its exit status. */
char *sdsim_test_sigrok(const char *path, uint64_t downsample, const char *decoders,
                        const char *annotation, int *status);

/* The number in hexadecimal that stands behind `start` at the beginning of a line, 0x100 if there is
 * none; *text goes to the next line. (sscanf would measure the whole text for each.) */
unsigned sdsim_test_take_hex(const char **text, const char *start);

#endif
