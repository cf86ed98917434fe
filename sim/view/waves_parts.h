/*
 * What the files of waves share: a maker at work, and its store of pieces.
 */
#ifndef SDSIM_VIEW_WAVES_PARTS_H
#define SDSIM_VIEW_WAVES_PARTS_H

#include "capture/item.h"
#include "capture/sd_sampler.h"
#include "capture/spi_decoder.h"
#include "view/waves.h"

/* One clock of the SD bus. */
struct sdsim_waves_clock {
    sdsim_ps begin; /* where its bit begins, half a clock before the rising edge */
    sdsim_ps rise;
    sdsim_ps end; /* falling edge */
};

struct sdsim_waves_maker {
    struct sdsim_wire_listener listener; /* first */
    struct sdsim_item_listener items;
    struct sdsim_wave_sink sink;
    struct sdsim_wave wave;
    struct sdsim_waves *waves;
    struct sdsim_spi_decoder spi;
    struct sdsim_clock_meter meter;
    struct sdsim_sd_decoder sd;
    struct sdsim_sd_sampler sampler;
    bool begun;
    uint32_t levels;
    struct sdsim_waves_clock *clocks; /* SD: from the first one heard on. Owned */
    size_t clock_count;
    size_t clock_capacity;
};

/* Adds a piece if it lies in the window. */
__attribute__((format(printf, 7, 8))) void
sdsim_waves_piece(struct sdsim_waves *waves, sdsim_ps from, sdsim_ps to, unsigned pin,
                  enum sdsim_bus_piece_row row, enum sdsim_tone tone, const char *format, ...);

/* Adds an edge to the window, or the levels at its beginning. */
void sdsim_waves_edge(struct sdsim_waves *waves, sdsim_ps at, uint32_t levels);

/* SD: notes clocks as their edges come. */
void sdsim_waves_clocks(struct sdsim_waves_maker *maker, sdsim_ps at, uint32_t before,
                        uint32_t levels);

/* Turns an item into pieces. */
void sdsim_waves_item(struct sdsim_waves_maker *maker, const struct sdsim_item *item);

/* A maker for items of any source; free() it. NULL without memory. */
struct sdsim_waves_maker *sdsim_waves_maker_new(struct sdsim_waves *waves, enum sdsim_bus_mode mode,
                                                sdsim_ps from, sdsim_ps to);

/* Frees it, and puts the pieces in order. */
void sdsim_waves_maker_free(struct sdsim_waves_maker *maker);

#endif
