#include "view/waves.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view/waves_parts.h"

/* ---- the store ---- */

void sdsim_waves_free(struct sdsim_waves *waves)
{
    free(waves->edges);
    free(waves->pieces);
    *waves = (struct sdsim_waves){.edges = NULL};
}

/* Room for one more; false without, and then `failed` is set. */
static bool make_room(struct sdsim_waves *waves, void *array, size_t count, size_t *capacity,
                      size_t size)
{
    if (count < *capacity) {
        return true;
    }
    const size_t larger = *capacity > 0 ? 2 * *capacity : 256;
    void *const old = *(void **)array;
    void *const new = realloc(old, larger * size);
    if (new == NULL) {
        waves->failed = true;
        return false;
    }
    *(void **)array = new;
    *capacity = larger;
    return true;
}

void sdsim_waves_edge(struct sdsim_waves *waves, sdsim_ps at, uint32_t levels)
{
    if (at <= waves->from) {
        /* Nothing before the window matters but the last of it. */
        waves->edge_count = 0;
        at = waves->from;
    }
    if (at >= waves->to && waves->edge_count > 0) {
        return;
    }
    if (waves->edge_count >= SDSIM_WAVES_MOST) {
        waves->full = true;
        return;
    }
    if (waves->edge_count > 0 && waves->edges[waves->edge_count - 1].at >= at) {
        waves->edges[waves->edge_count - 1].levels = levels;
    } else if (make_room(waves, &waves->edges, waves->edge_count, &waves->edge_capacity,
                         sizeof *waves->edges)) {
        waves->edges[waves->edge_count++] = (struct sdsim_edge){.at = at, .levels = levels};
    }
}

void sdsim_waves_piece(struct sdsim_waves *waves, sdsim_ps from, sdsim_ps to, unsigned pin,
                       enum sdsim_bus_piece_row row, enum sdsim_tone tone, const char *format, ...)
{
    if (to <= waves->from || from >= waves->to || waves->piece_count >= SDSIM_WAVES_MOST ||
        !make_room(waves, &waves->pieces, waves->piece_count, &waves->piece_capacity,
                   sizeof *waves->pieces)) {
        return;
    }
    struct sdsim_bus_piece *piece = &waves->pieces[waves->piece_count++];
    va_list arguments;
    *piece = (struct sdsim_bus_piece){
        .from = from, .to = to, .pin = (uint8_t)pin, .row = (uint8_t)row, .tone = (uint8_t)tone};
    va_start(arguments, format);
    vsnprintf(piece->text, sizeof piece->text, format, arguments);
    va_end(arguments);
}

size_t sdsim_waves_at(const struct sdsim_waves *waves, sdsim_ps instant)
{
    size_t low = 0;
    size_t high = waves->edge_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (waves->edges[middle].at <= instant) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low > 0 ? low - 1 : waves->edge_count;
}

size_t sdsim_waves_piece_after(const struct sdsim_waves *waves, sdsim_ps instant)
{
    size_t low = 0;
    size_t high = waves->piece_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (waves->pieces[middle].to > instant) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

/* ---- clocks of the SD bus ---- */

void sdsim_waves_clocks(struct sdsim_waves_maker *maker, sdsim_ps at, uint32_t before,
                        uint32_t levels)
{
    struct sdsim_waves *waves = maker->waves;
    const uint32_t changed = before ^ levels;
    if ((changed & SDSIM_WAVE_CLK) == 0) {
        return;
    }
    if ((levels & SDSIM_WAVE_CLK) != 0) {
        if (make_room(waves, &maker->clocks, maker->clock_count, &maker->clock_capacity,
                      sizeof *maker->clocks)) {
            maker->clocks[maker->clock_count++] = (struct sdsim_waves_clock){.rise = at};
        }
    } else if (maker->clock_count > 0 && maker->clocks[maker->clock_count - 1].end == 0) {
        struct sdsim_waves_clock *clock = &maker->clocks[maker->clock_count - 1];
        const sdsim_ps half = at - clock->rise;
        const sdsim_ps last = maker->clock_count > 1 ? clock[-1].end : 0;
        clock->end = at;
        clock->begin = sdsim_time_since(clock->rise, half);
        clock->begin = clock->begin > last ? clock->begin : last;
    }
}

/* ---- the maker ---- */

static struct sdsim_waves_maker *maker_of_sink(struct sdsim_wave_sink *sink)
{
    return (struct sdsim_waves_maker *)((char *)sink - offsetof(struct sdsim_waves_maker, sink));
}

static void hear_levels(struct sdsim_wave_sink *sink, sdsim_ps at, unsigned levels)
{
    struct sdsim_waves_maker *maker = maker_of_sink(sink);
    sdsim_waves_edge(maker->waves, at, levels);
    if (maker->waves->mode != SDSIM_BUS_SPI) {
        sdsim_waves_clocks(maker, at, maker->begun ? maker->levels : levels, levels);
        if (maker->begun) {
            sdsim_sd_sampler_change(&maker->sampler, at, levels);
        } else {
            sdsim_sd_sampler_begin(&maker->sampler, levels);
        }
    }
    maker->begun = true;
    maker->levels = levels;
}

static void hear_byte(struct sdsim_wire_listener *listener, sdsim_ps start, sdsim_ps end,
                      bool selected, uint8_t mosi, uint8_t miso)
{
    struct sdsim_waves_maker *maker = (struct sdsim_waves_maker *)listener;
    struct sdsim_wire_listener *wave = &maker->wave.listener;
    const struct sdsim_spi_byte byte = {
        .start = start, .end = end, .selected = selected, .mosi = mosi, .miso = miso};
    wave->byte(wave, start, end, selected, mosi, miso);
    sdsim_waves_piece(maker->waves, start, end, 2, SDSIM_PIECE_BYTE, SDSIM_TONE_PLAIN, "%02X",
                      mosi);
    sdsim_waves_piece(maker->waves, start, end, 3, SDSIM_PIECE_BYTE, SDSIM_TONE_PLAIN, "%02X",
                      miso);
    sdsim_spi_decoder_byte(&maker->spi, &byte);
}

static void hear_select(struct sdsim_wire_listener *listener, sdsim_ps at, bool low)
{
    struct sdsim_waves_maker *maker = (struct sdsim_waves_maker *)listener;
    struct sdsim_wire_listener *wave = &maker->wave.listener;
    wave->select(wave, at, low);
    sdsim_spi_decoder_select(&maker->spi, low, at, 0);
}

static void hear_clock(struct sdsim_wire_listener *listener, sdsim_ps start, sdsim_ps end,
                       struct sdsim_sd_lines lines, bool host_drives_cmd, bool host_drives_dat)
{
    struct sdsim_waves_maker *maker = (struct sdsim_waves_maker *)listener;
    struct sdsim_wire_listener *wave = &maker->wave.listener;
    wave->clock(wave, start, end, lines, host_drives_cmd, host_drives_dat);
}

static void hear_item(struct sdsim_item_listener *items, const struct sdsim_item *item)
{
    sdsim_waves_item(
        (struct sdsim_waves_maker *)((char *)items - offsetof(struct sdsim_waves_maker, items)),
        item);
}

struct sdsim_waves_maker *sdsim_waves_maker_new(struct sdsim_waves *waves, enum sdsim_bus_mode mode,
                                                sdsim_ps from, sdsim_ps to)
{
    struct sdsim_waves_maker *maker = calloc(1, sizeof *maker);
    if (maker == NULL) {
        return NULL;
    }
    *waves = (struct sdsim_waves){.mode = mode, .from = from, .to = to};
    maker->waves = waves;
    maker->items.item = hear_item;
    return maker;
}

struct sdsim_waves_maker *sdsim_waves_begin(struct sdsim_waves *waves, enum sdsim_bus_mode mode,
                                            sdsim_ps from, sdsim_ps to)
{
    static const struct sdsim_tick picosecond = {.num = 1, .den = 1};
    static const bool all[SDSIM_SD_LINES] = {true, true, true, true, true};
    struct sdsim_waves_maker *maker = sdsim_waves_maker_new(waves, mode, from, to);
    if (maker == NULL) {
        return NULL;
    }
    const bool spi = mode == SDSIM_BUS_SPI;
    maker->sink.levels = hear_levels;
    maker->listener = (struct sdsim_wire_listener){.byte = spi ? hear_byte : NULL,
                                                   .select = spi ? hear_select : NULL,
                                                   .clock = spi ? NULL : hear_clock};
    /* Decoding begins where the listener is called first, which is before the window. */
    sdsim_wave_init(&maker->wave, mode, 0, to, &maker->sink);
    sdsim_spi_decoder_init(&maker->spi, &maker->items, true);
    sdsim_clock_meter_init(&maker->meter, 1);
    sdsim_sd_decoder_init(&maker->sd, &picosecond, 1, all, &maker->meter, &maker->items);
    sdsim_sd_sampler_init(&maker->sampler, &maker->sd);
    return maker;
}

struct sdsim_wire_listener *sdsim_waves_listener(struct sdsim_waves_maker *maker)
{
    return &maker->listener;
}

static int by_end(const void *a, const void *b)
{
    const struct sdsim_bus_piece *left = a;
    const struct sdsim_bus_piece *right = b;
    const sdsim_ps l = left->to != right->to ? left->to : left->from;
    const sdsim_ps r = left->to != right->to ? right->to : right->from;
    return l < r ? -1 : l > r;
}

void sdsim_waves_maker_free(struct sdsim_waves_maker *maker)
{
    struct sdsim_waves *waves = maker->waves;
    if (waves->piece_count > 1) {
        qsort(waves->pieces, waves->piece_count, sizeof *waves->pieces, by_end);
    }
    free(maker->clocks);
    free(maker);
}

void sdsim_waves_end(struct sdsim_waves_maker *maker)
{
    sdsim_wave_finish(&maker->wave);
    if (maker->waves->mode == SDSIM_BUS_SPI) {
        sdsim_spi_decoder_end(&maker->spi);
    } else {
        sdsim_sd_sampler_end(&maker->sampler);
    }
    sdsim_waves_maker_free(maker);
}
