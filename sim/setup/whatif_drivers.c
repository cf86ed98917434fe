/*
 * What-ifs about drivers: which driver, or build of one, does better what a run's driver does. Who
 * can take another's place is a table; whether a host has costs and a clock for it, binding tells.
 */
#include <stdio.h>
#include <string.h>

#include "setup/whatif_parts.h"

static const char *driver_name(const struct sdsim_setup *setup)
{
    return sdsim_driver_class((enum sdsim_driver_code)setup->driver.params.code)->name;
}

struct alternative {
    enum sdsim_driver_code code;
    enum sdsim_whatif_kind kind;
    const char *title;
    const char *cost;
    const char *risk;
    const char *sets[SDSIM_WHATIF_SETS];
};

#define STRAPPING                                                                                  \
    "fixed pins, some of them sampled at reset (ESP32: GPIO12, GPIO2); three more wires with "     \
    "pull-ups"
#define THREE_WIRES "three more wires with pull-ups, and a controller or PIO for it"

/* Other drivers in the place of one. */
static const struct alternative alternatives[] = {
    {SDSIM_DRIVER_ARDUINO_SD,
     SDSIM_WHATIF_DMA,
     "ESP-IDF's SPI driver and read(), write(): blocks by DMA",
     "other calls in the application",
     "its clock is the nearest, which may be above the one asked for",
     {"driver=esp-idf-sdspi", "file.api=posix"}},
    {SDSIM_DRIVER_ARDUINO_SD,
     SDSIM_WHATIF_WIDTH,
     "SD_MMC on 4 data lines",
     "SD_MMC instead of SD",
     STRAPPING,
     {"driver=arduino-esp32-sdmmc", "bus=sd4", "clock=20MHz"}},
    {SDSIM_DRIVER_ARDUINO_SD,
     SDSIM_WHATIF_WIDTH,
     "SD_MMC on 4 data lines at 40MHz",
     "SD_MMC instead of SD",
     STRAPPING,
     {"driver=arduino-esp32-sdmmc", "bus=sd4", "clock=40MHz"}},
    {SDSIM_DRIVER_IDF_SDSPI,
     SDSIM_WHATIF_WIDTH,
     "the SDMMC host on 4 data lines",
     "another host driver",
     STRAPPING,
     {"driver=esp-idf-sdmmc", "bus=sd4", "clock=20MHz"}},
    {SDSIM_DRIVER_IDF_SDSPI,
     SDSIM_WHATIF_WIDTH,
     "the SDMMC host on 4 data lines at 40MHz",
     "another host driver",
     STRAPPING,
     {"driver=esp-idf-sdmmc", "bus=sd4", "clock=40MHz"}},
    {SDSIM_DRIVER_SDFAT_SHARED,
     SDSIM_WHATIF_STREAM,
     "SdFat with DEDICATED_SPI: streams stay open",
     "an SPI bus of its own",
     "nothing else may use the bus",
     {"driver=sdfat-spi-dedicated"}},
    {SDSIM_DRIVER_SDFAT_SHARED,
     SDSIM_WHATIF_WIDTH,
     "SdFat on 4 data lines",
     "another constructor",
     THREE_WIRES,
     {"driver=sdfat-pio-sdio", "bus=sd4"}},
    {SDSIM_DRIVER_SDFAT_DEDICATED,
     SDSIM_WHATIF_WIDTH,
     "SdFat on 4 data lines, by PIO",
     "another constructor",
     THREE_WIRES,
     {"driver=sdfat-pio-sdio", "bus=sd4"}},
    {SDSIM_DRIVER_SDFAT_DEDICATED,
     SDSIM_WHATIF_WIDTH,
     "SdFat on the SD host, 4 data lines",
     "another constructor",
     THREE_WIRES,
     {"driver=sdfat-teensy-sdio", "bus=sd4"}},
    {SDSIM_DRIVER_SDFAT_DEDICATED,
     SDSIM_WHATIF_WIDTH,
     "SdFat on the SD host by DMA, 4 data lines",
     "another constructor",
     THREE_WIRES,
     {"driver=sdfat-teensy-sdio-dma", "bus=sd4"}},
    {SDSIM_DRIVER_SDFAT_TEENSY,
     SDSIM_WHATIF_DMA,
     "blocks by DMA (DMA_SDIO)",
     "another constructor",
     "buffers must be on words; the stream is not left open",
     {"driver.dma=yes"}},
    {SDSIM_DRIVER_ARDUINO_CLASSIC,
     SDSIM_WHATIF_MULTI_BLOCK,
     "SdFat instead of the classic library: several sectors a command",
     "another library",
     "more flash and RAM",
     {"driver=sdfat-spi-dedicated", "file.api=sdfat"}},
    {SDSIM_DRIVER_ARDUINO_CLASSIC,
     SDSIM_WHATIF_MULTI_BLOCK,
     "SdFat instead of the classic library: several sectors a command",
     "another library",
     "more flash and RAM",
     {"driver=sdfat-spi-shared", "file.api=sdfat"}},
    {SDSIM_DRIVER_SDCARDIO,
     SDSIM_WHATIF_WIDTH,
     "sdioio on 4 data lines",
     "a board that has it",
     THREE_WIRES,
     {"driver=circuitpython-sdioio", "bus=sd4"}},
    {SDSIM_DRIVER_SDCARDIO,
     SDSIM_WHATIF_WIDTH,
     "sdioio on 4 data lines",
     "a board that has it",
     THREE_WIRES,
     {"driver=circuitpython-sdioio-samd", "bus=sd4"}},
    {SDSIM_DRIVER_SDCARDIO,
     SDSIM_WHATIF_WIDTH,
     "sdioio on 4 data lines",
     "a board that has it",
     THREE_WIRES,
     {"driver=circuitpython-sdioio-rp2", "bus=sd4"}},
    {SDSIM_DRIVER_ADAFRUIT_SDCARD,
     SDSIM_WHATIF_DMA,
     "sdcardio instead of adafruit_sdcard",
     "another import",
     "none",
     {"driver=circuitpython-sdcardio"}},
    {SDSIM_DRIVER_SDCARDIO_6,
     SDSIM_WHATIF_MULTI_BLOCK,
     "the sdcardio of CircuitPython 7 and later",
     "a newer CircuitPython",
     "none",
     {"driver=circuitpython-sdcardio"}},
    {SDSIM_DRIVER_CARLK3_SPI,
     SDSIM_WHATIF_WIDTH,
     "the library's SDIO on 4 data lines",
     "another configuration",
     THREE_WIRES,
     {"driver=carlk3-sdio", "bus=sd4"}},
    {SDSIM_DRIVER_CARLK3_FREERTOS_SPI,
     SDSIM_WHATIF_WIDTH,
     "the library's SDIO on 4 data lines",
     "another configuration",
     THREE_WIRES,
     {"driver=carlk3-freertos-sdio", "bus=sd4"}},
    {SDSIM_DRIVER_NUTTX_SPI,
     SDSIM_WHATIF_WIDTH,
     "the SD host on 4 data lines",
     "another configuration",
     THREE_WIRES,
     {"driver=nuttx-mmcsd-sdio", "bus=sd4"}},
    {SDSIM_DRIVER_STM32_HAL_SD,
     SDSIM_WHATIF_DMA,
     "the HAL's DMA functions",
     "DMA streams, interrupts, cache upkeep",
     "buffers must be aligned, and on an H7 in RAM the DMA "
     "reaches",
     {"driver.dma=yes"}},
    {SDSIM_DRIVER_GENERIC_SD,
     SDSIM_WHATIF_DMA,
     "blocks by DMA",
     "a DMA driver",
     "buffers must be aligned",
     {"driver.dma=yes"}},
    {SDSIM_DRIVER_GENERIC_SPI,
     SDSIM_WHATIF_WIDTH,
     "a plain driver on 4 data lines",
     "an SD host controller",
     THREE_WIRES,
     {"driver=generic-sd-dma", "bus=sd4"}},
};

/* Another driver may ask another clock generator, which gives more for the same request; that is no
 * merit of the driver's, so it is asked for the clock there is. */
static void propose_at_clock(struct sdsim_whatif_planner *planner,
                             const struct sdsim_whatif_proposal *proposal)
{
    const size_t count = planner->count;
    const struct sdsim_driver_clocks *now = &planner->base->clocks;
    sdsim_whatif_propose(planner, proposal);
    if (planner->count == count || proposal->kind == SDSIM_WHATIF_WIDTH) {
        return;
    }
    struct sdsim_whatif *whatif = &planner->whatifs[count];
    const struct sdsim_driver_clocks *then = &whatif->setup.clocks;
    const double ratio =
        (double)then->num / (double)then->den * (double)now->den / (double)now->num;
    if (ratio > 1.001 && whatif->set_count < SDSIM_WHATIF_SETS) {
        struct sdsim_whatif_proposal pinned = *proposal;
        char clock[40];
        sdsim_whatif_clock_set(now->num / now->den, clock, sizeof clock);
        pinned.sets[whatif->set_count] = clock;
        planner->count = count;
        sdsim_whatif_propose(planner, &pinned);
    }
}

static void rule_alternatives(struct sdsim_whatif_planner *planner)
{
    const struct sdsim_driver_params *params = &planner->base->driver.params;
    for (size_t i = 0; i < sizeof alternatives / sizeof *alternatives; i++) {
        const struct alternative *a = &alternatives[i];
        const bool has_dma =
            a->kind == SDSIM_WHATIF_DMA && strcmp(a->sets[0], "driver.dma=yes") == 0;
        if ((int)a->code != params->code || (has_dma && params->dma)) {
            continue;
        }
        struct sdsim_whatif_proposal proposal = {
            .kind = a->kind, .title = a->title, .cost = a->cost, .risk = a->risk};
        memcpy(proposal.sets, a->sets, sizeof proposal.sets);
        propose_at_clock(planner, &proposal);
    }
}

/* One data line of an SD controller: four. */
static void rule_width(struct sdsim_whatif_planner *planner)
{
    if (planner->base->run.bus != SDSIM_BUS_SD1) {
        return;
    }
    sdsim_whatif_propose(planner, &(struct sdsim_whatif_proposal){
                                      .kind = SDSIM_WHATIF_WIDTH,
                                      .title = "4 data lines instead of one",
                                      .cost = "three more wires with pull-ups",
                                      .risk = "on an ESP32 DAT2 is GPIO12, which must be low at "
                                              "reset",
                                      .sets = {"bus=sd4"}});
}

static void rule_single_blocks(struct sdsim_whatif_planner *planner)
{
    if (planner->base->driver.params.most_blocks != 1) {
        return;
    }
    sdsim_whatif_propose(planner, &(struct sdsim_whatif_proposal){
                                      .kind = SDSIM_WHATIF_MULTI_BLOCK,
                                      .title = "a driver that moves several sectors a command",
                                      .cost = "CMD18, CMD25 and their stops in the driver",
                                      .risk = "an error in the middle loses more than one sector",
                                      .sets = {"driver.most_blocks=65535"}});
}

/* Bytes that are calls of their own become one call for a block. */
static void rule_array(struct sdsim_whatif_planner *planner)
{
    const struct sdsim_setup *base = planner->base;
    const struct sdsim_driver_class *class =
        sdsim_driver_class((enum sdsim_driver_code)base->driver.params.code);
    const bool own = base->host.drivers[base->driver.params.code].given;
    char set[72];
    if (base->costs.chunk != 1 || base->costs.chunk_gap == 0) {
        return;
    }
    snprintf(set, sizeof set, "host.drivers.%s.chunk_gap=0ns",
             own || class->costs_of == NULL ? driver_name(base) : class->costs_of);
    sdsim_whatif_propose(
        planner, &(struct sdsim_whatif_proposal){
                     .kind = SDSIM_WHATIF_DMA,
                     .title = "a block in one array transfer or by DMA, no gaps between bytes",
                     .cost = "an SPI library with such a call, and the option that uses it",
                     .risk = "some cores' array calls overwrite the buffer they send",
                     .sets = {set}});
}

void sdsim_whatif_rule_drivers(struct sdsim_whatif_planner *planner)
{
    rule_alternatives(planner);
    rule_array(planner);
    rule_single_blocks(planner);
    rule_width(planner);
}
