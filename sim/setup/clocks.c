#include "setup/clocks.h"

uint64_t sdsim_setup_wanted(const struct sdsim_setup *setup)
{
    const uint64_t cap = setup->driver.cap_hz;
    return cap > 0 && setup->asked_hz > cap ? cap : setup->asked_hz;
}

uint64_t sdsim_setup_request(const struct sdsim_setup *setup)
{
    const struct sdsim_driver_class *class =
        sdsim_driver_class((enum sdsim_driver_code)setup->driver.params.code);
    const uint64_t hz = sdsim_setup_wanted(setup);
    return class->request != NULL ? class->request(hz, &setup->card) : hz;
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
        .cycles = (uint32_t)clock->cycles,
        .largest = (uint32_t)clock->largest,
        .bypass = clock->bypass,
    };
}

const char *sdsim_setup_clock_cap(const struct sdsim_setup *setup)
{
    /* A cap is what makes one hertz more no difference; so the limits stand in one place only. */
    struct sdsim_setup more = *setup;
    more.asked_hz++;
    const uint64_t request = sdsim_setup_request(setup);
    if (sdsim_setup_request(&more) > request) {
        return NULL;
    }
    return request == setup->driver.cap_hz ? "driver" : "card";
}

char *sdsim_setup_explain_clock(const struct sdsim_setup *setup, char *out, size_t size)
{
    const struct sdsim_clock_source source = sdsim_setup_clock_source(setup);
    const char *owner = sdsim_setup_clock_cap(setup);
    return sdsim_clock_explain(&source, setup->asked_hz,
                               owner != NULL ? sdsim_setup_request(setup) : 0, owner, out, size);
}
