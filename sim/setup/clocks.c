#include "setup/clocks.h"

uint64_t sdsim_setup_request(const struct sdsim_setup *setup)
{
    /* ESP-IDF switches a card to high speed only when asked for more than 20 MHz, and never asks a
     * card for more than it says it can (sdmmc_init.c). */
    const uint64_t high_speed_above = 20000000;
    uint64_t hz = setup->asked_hz;
    const uint64_t cap = setup->driver.cap_hz;
    if (cap > 0 && hz > cap) {
        hz = cap;
    }
    if (setup->run.bus != SDSIM_BUS_SPI) {
        const uint64_t high = setup->card.high_hz;
        const uint64_t most = high > 0 && hz > high_speed_above ? high : setup->card.spi_hz;
        hz = hz < most ? hz : most;
    }
    return hz;
}

struct sdsim_clock_source sdsim_setup_clock_source(const struct sdsim_setup *setup)
{
    const struct sdsim_host_clock_params *clock = &setup->host.clocks[setup->driver.clock];
    if (!clock->given) {
        clock = &setup->host.clocks[SDSIM_HOST_CLOCK_SPI];
    }
    return (struct sdsim_clock_source){
        .rule = (enum sdsim_clock_rule)clock->rule,
        .source_hz = clock->source_hz,
        .maximum_hz = clock->maximum_hz,
        .pre_limit = (uint32_t)clock->pre_limit,
    };
}

char *sdsim_setup_explain_clock(const struct sdsim_setup *setup, char *out, size_t size)
{
    const struct sdsim_clock_source source = sdsim_setup_clock_source(setup);
    const uint64_t request = sdsim_setup_request(setup);
    return sdsim_clock_explain(&source, setup->asked_hz, request < setup->asked_hz ? request : 0,
                               out, size);
}
