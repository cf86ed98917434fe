#include "port/fast.h"

static sdsim_ps happens(const struct sdsim_clock *clock, sdsim_ps start, sdsim_ps dead,
                        uint64_t step, uint64_t offset, uint64_t j)
{
    return start + j * dead + sdsim_clock_peek(clock, j * step + offset);
}

uint64_t sdsim_first_from(const struct sdsim_clock *clock, sdsim_ps start, sdsim_ps dead,
                          uint64_t step, uint64_t offset, sdsim_ps target)
{
    sdsim_ps at = happens(clock, start, dead, step, offset, 0);
    if (at >= target) {
        return 0;
    }
    /* One period is at most this long, so stepping by the missing time over it never overshoots. */
    const sdsim_ps longest = dead + sdsim_clock_peek(clock, step) + 1;
    uint64_t j = 0;
    while (at < target) {
        const uint64_t more = (target - at) / longest;
        j += more > 0 ? more : 1;
        at = happens(clock, start, dead, step, offset, j);
    }
    return j;
}

void sdsim_fast_execute(struct sdsim_port *port, sdsim_ps *now, const struct sdsim_transaction *tx,
                        struct sdsim_result *result)
{
    if (port->mode == SDSIM_BUS_SPI) {
        sdsim_fast_spi_execute(port, now, tx, result);
    } else {
        sdsim_fast_sd_execute(port, now, tx, result);
    }
}

static const struct sdsim_port_ops fast_ops = {.name = "fast", .execute = sdsim_fast_execute};

void sdsim_fast_init(struct sdsim_port *port, enum sdsim_bus_mode mode, struct sdsim_card *card,
                     struct sdsim_meter *meter)
{
    *port = (struct sdsim_port){.ops = &fast_ops, .mode = mode, .meter = meter, .card = card};
}
