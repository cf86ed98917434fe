#include "setup/setup.h"

#include <string.h>

#include "card/schema.h"
#include "config/ranges.h"
#include "setup/clocks.h"
#include "setup/schemas.h"

static const struct sdsim_driver_class *driver_class(const struct sdsim_setup *setup)
{
    return sdsim_driver_class((enum sdsim_driver_code)setup->driver.params.code);
}

/* ---- what follows from what was bound ---- */

static bool choose_bus(const struct sdsim_run *run, struct sdsim_setup *setup,
                       struct sdsim_diags *diags)
{
    const struct sdsim_driver_class *class = driver_class(setup);
    if (!setup->run.bus_given) {
        setup->run.bus = class->spi ? SDSIM_BUS_SPI : SDSIM_BUS_SD4;
    }
    if (setup->run.bus == SDSIM_BUS_SPI ? class->spi : class->sd) {
        return true;
    }
    sdsim_node_diag(diags, SDSIM_ERROR, sdsim_node_get(run->tree, "bus"),
                    class->spi ? "bus: spi, or another driver"
                               : "bus: sd1 or sd4, or another driver",
                    "the driver %s can't work this bus", class->name);
    return false;
}

const char *sdsim_run_costs(const struct sdsim_run *run, const struct sdsim_driver_class *class)
{
    const struct sdsim_node *drivers = sdsim_node_get(run->host, "drivers");
    if (sdsim_node_get(drivers, class->name) != NULL || class->costs_of == NULL) {
        return class->name;
    }
    return class->costs_of;
}

/* The driver's costs on this host; a thin layer over another driver costs what that one does. */
static bool choose_costs(const struct sdsim_run *run, struct sdsim_setup *setup,
                         struct sdsim_diags *diags)
{
    const char *name = sdsim_run_costs(run, driver_class(setup));
    for (int code = 0; code < SDSIM_DRIVER_COUNT; code++) {
        const struct sdsim_host_driver_params *costs = &setup->host.drivers[code];
        if (costs->given &&
            strcmp(sdsim_driver_class((enum sdsim_driver_code)code)->name, name) == 0) {
            setup->costs = costs->costs;
            setup->run.file.costs = setup->host.files[setup->run.file.api].costs;
            return true;
        }
    }
    sdsim_node_diag(
        diags, SDSIM_ERROR, sdsim_node_get(run->tree, "driver"),
        "take one that 'sdsim describe host' shows under `drivers`, or add an entry there",
        "the host %s has no costs for the driver %s", run->host_name, driver_class(setup)->name);
    return false;
}

static bool choose_clocks(const struct sdsim_run *run, struct sdsim_setup *setup,
                          struct sdsim_diags *diags)
{
    const bool has_own = setup->host.clocks[setup->driver.clock].given;
    const bool has_spi = setup->driver.clock != SDSIM_HOST_CLOCK_SDMMC &&
                         setup->host.clocks[SDSIM_HOST_CLOCK_SPI].given;
    if (!has_own && !has_spi) {
        sdsim_node_diag(diags, SDSIM_ERROR, sdsim_node_get(run->tree, "driver"), NULL,
                        "the host %s has no clock generator for the driver %s", run->host_name,
                        run->driver_name);
        return false;
    }
    setup->asked_hz = setup->run.clock_hz > 0 ? setup->run.clock_hz : setup->driver.default_hz;
    const struct sdsim_clock_source source = sdsim_setup_clock_source(setup);
    struct sdsim_clock_choice init;
    struct sdsim_clock_choice full;
    if (!sdsim_clock_choose(&source, setup->driver.init_hz, &init) ||
        !sdsim_clock_choose(&source, sdsim_setup_request(setup), &full)) {
        const struct sdsim_node *clock = sdsim_node_get(run->tree, "clock");
        sdsim_node_diag(diags, SDSIM_ERROR, clock != NULL ? clock : run->tree,
                        "ask for a faster clock", "the host %s can't make a clock that slow",
                        run->host_name);
        return false;
    }
    setup->clocks = (struct sdsim_driver_clocks){
        .asked_hz = sdsim_setup_wanted(setup),
        .init_num = init.hz_num,
        .init_den = init.hz_den,
        .num = full.hz_num,
        .den = full.hz_den,
    };
    return true;
}

/* What a stream leaves to what is said elsewhere. */
static void derive_stream(struct sdsim_workload_params *workload)
{
    struct sdsim_logger_params *logger = &workload->logger;
    if (logger->item == 0) {
        logger->item = logger->burst;
    }
    if (logger->duration > 0 && logger->arrivals == NULL &&
        (logger->burst > 0 ? logger->burst_every > 0 : logger->rate > 0)) {
        const struct sdsim_arrivals arrivals = {
            .kind = logger->burst > 0 ? SDSIM_ARRIVALS_BURSTS : SDSIM_ARRIVALS_CONSTANT,
            .rate = logger->rate,
            .burst = logger->burst,
            .every = logger->burst_every,
            .end = logger->duration,
        };
        workload->total = sdsim_arrivals_total(&arrivals);
    }
}

/* What a workload leaves to the card and the seed. */
static void derive_workload(struct sdsim_setup *setup)
{
    struct sdsim_workload_params *workload = &setup->run.workload;
    const bool raw = workload->target != SDSIM_ON_FILE;
    const bool random = sdsim_workload_is_random((enum sdsim_action)workload->action);
    const bool regions = sdsim_workload_in_regions(workload);
    const uint64_t card = (uint64_t)sdsim_csd_sectors(&setup->card) * SDSIM_SECTOR;
    workload->seed = setup->run.seed;
    if (workload->action == SDSIM_DO_STREAM) {
        derive_stream(workload);
    }
    workload->usb.costs = setup->host.usb.costs;
    if (workload->span == 0 && (random || regions)) {
        const uint64_t rest = card > workload->start ? card - workload->start : 0;
        workload->span = raw ? rest : workload->total;
    }
    if (regions && workload->region == 0) {
        /* A drawn one is any number of bytes. */
        workload->region = setup->card.au_bytes / SDSIM_SECTOR * SDSIM_SECTOR;
    }
    if (random && workload->align == 0) {
        workload->align = workload->call;
    }
}

/* What follows from what was bound to the draw. */
static bool derive(const struct sdsim_run *run, struct sdsim_setup *setup,
                   struct sdsim_diags *diags)
{
    derive_workload(setup);
    return choose_costs(run, setup, diags) && choose_bus(run, setup, diags) &&
           choose_clocks(run, setup, diags);
}

static struct sdsim_card_profile card_of(const struct sdsim_run *run)
{
    return (struct sdsim_card_profile){
        .name = run->card_name, .tree = run->card, .mixture = run->mixture};
}

bool sdsim_setup_bind_values(struct sdsim_config *config, const struct sdsim_run *run, uint32_t k,
                             struct sdsim_setup *setup, struct sdsim_diags *diags)
{
    *setup = (struct sdsim_setup){.draw = k};
    struct sdsim_draw draw = {.k = k};
    if (!sdsim_bind(config, &sdsim_run_schema, run->tree, run->scenario, &draw, &setup->run,
                    diags)) {
        return false;
    }
    draw.seed = setup->run.seed;
    const bool host = sdsim_bind(config, &sdsim_host_schema, run->host, run->host_name, &draw,
                                 &setup->host, diags);
    const bool driver = sdsim_bind(config, &sdsim_driver_schema, run->driver, run->driver_name,
                                   &draw, &setup->driver, diags);
    const struct sdsim_card_profile profile = card_of(run);
    const bool card = sdsim_card_bind(config, &profile, &draw, &setup->card, diags);
    return host && driver && card;
}

bool sdsim_setup_bind(struct sdsim_config *config, const struct sdsim_run *run, uint32_t k,
                      struct sdsim_setup *setup, struct sdsim_diags *diags)
{
    return sdsim_setup_bind_values(config, run, k, setup, diags) && derive(run, setup, diags);
}

/* ---- many draws ---- */

/* What the draws of a run differ in. */
struct ranges {
    struct sdsim_ranges run;
    struct sdsim_ranges host;
    struct sdsim_ranges driver;
    struct sdsim_ranges card;
};

/* Binds draw 0 as it is before anything is derived. */
static bool bind_typical(struct sdsim_config *config, const struct sdsim_run *run,
                         struct sdsim_setup *setup, struct ranges *ranges,
                         struct sdsim_diags *diags)
{
    *setup = (struct sdsim_setup){.draw = 0};
    if (!sdsim_bind_ranges(config, &sdsim_run_schema, run->tree, run->scenario, &ranges->run,
                           &setup->run, diags)) {
        return false;
    }
    const bool host = sdsim_bind_ranges(config, &sdsim_host_schema, run->host, run->host_name,
                                        &ranges->host, &setup->host, diags);
    const bool driver = sdsim_bind_ranges(config, &sdsim_driver_schema, run->driver,
                                          run->driver_name, &ranges->driver, &setup->driver, diags);
    const bool card = sdsim_bind_ranges(config, &sdsim_card_schema, run->card, run->card_name,
                                        &ranges->card, &setup->card, diags);
    return host && driver && card;
}

/* Turns the typical setup into that of another draw. */
static void draw_from(const struct ranges *ranges, uint32_t k, struct sdsim_setup *setup)
{
    struct sdsim_draw draw = {.k = k};
    setup->draw = k;
    sdsim_ranges_draw(&ranges->run, &draw, &setup->run);
    draw.seed = setup->run.seed;
    sdsim_ranges_draw(&ranges->host, &draw, &setup->host);
    sdsim_ranges_draw(&ranges->driver, &draw, &setup->driver);
    sdsim_ranges_draw(&ranges->card, &draw, &setup->card);
}

bool sdsim_setup_bind_draws(struct sdsim_config *config, const struct sdsim_run *run,
                            uint32_t draws, struct sdsim_setup *setups, struct sdsim_diags *diags)
{
    struct sdsim_setup typical;
    struct ranges ranges;
    if (!bind_typical(config, run, &typical, &ranges, diags)) {
        return false;
    }
    /* Another card of a mixture is another profile, with other values that have a range. */
    const bool once = run->mixture == NULL && !ranges.run.in_lists && !ranges.host.in_lists &&
                      !ranges.driver.in_lists && !ranges.card.in_lists;
    for (uint32_t k = 0; k <= draws; k++) {
        struct sdsim_setup *setup = &setups[k];
        if (k > 0 && !once) {
            if (!sdsim_setup_bind(config, run, k, setup, diags)) {
                return false;
            }
            continue;
        }
        *setup = typical;
        if (k > 0) {
            draw_from(&ranges, k, setup);
        }
        sdsim_card_derive(&setup->card, k);
        if (!derive(run, setup, diags)) {
            return false;
        }
    }
    return true;
}
