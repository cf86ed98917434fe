#include "port/fast.h"

uint64_t sdsim_first_from(const struct sdsim_clock *clock, sdsim_ps start, sdsim_ps dead,
                          uint64_t step, uint64_t offset, sdsim_ps target)
{
    sdsim_ps at = sdsim_happens(clock, start, dead, step, offset, 0);
    if (at >= target) {
        return 0;
    }
    if (clock->period_part == 0) {
        return (target - at - 1) / (dead + step * clock->period) + 1;
    }
    /* One period is at most this long, so stepping by the missing time over it never overshoots. */
    const sdsim_ps longest = dead + sdsim_clock_peek(clock, step) + 1;
    uint64_t j = 0;
    while (at < target) {
        const uint64_t more = (target - at) / longest;
        j += more > 0 ? more : 1;
        at = sdsim_happens(clock, start, dead, step, offset, j);
    }
    return j;
}

static void carry_out(struct sdsim_port *port, sdsim_ps *now, const struct sdsim_transaction *tx,
                      struct sdsim_result *result)
{
    if (port->mode == SDSIM_BUS_SPI) {
        sdsim_fast_spi_execute(port, now, tx, result);
    } else {
        sdsim_fast_sd_execute(port, now, tx, result);
    }
}

/* ---- what the recorder hears of it ---- */

static enum sdsim_command_group group_of(const struct sdsim_transaction *tx, bool app)
{
    static const uint8_t groups[64] = {
        [6] = SDSIM_GROUP_SWITCH, [12] = SDSIM_GROUP_STOP,  [13] = SDSIM_GROUP_STATUS,
        [17] = SDSIM_GROUP_READ,  [18] = SDSIM_GROUP_READ,  [24] = SDSIM_GROUP_WRITE,
        [25] = SDSIM_GROUP_WRITE, [32] = SDSIM_GROUP_ERASE, [33] = SDSIM_GROUP_ERASE,
        [38] = SDSIM_GROUP_ERASE,
    };
    if ((tx->flags & SDSIM_COMMAND) == 0) {
        return tx->direction == SDSIM_READ_BLOCKS    ? SDSIM_GROUP_READ
               : tx->direction == SDSIM_WRITE_BLOCKS ? SDSIM_GROUP_WRITE
               : (tx->flags & SDSIM_STOP_TOKEN) != 0 ? SDSIM_GROUP_STOP
                                                     : SDSIM_GROUP_OTHER;
    }
    return app ? SDSIM_GROUP_OTHER : (enum sdsim_command_group)groups[tx->command & 63];
}

void sdsim_record_looks(struct sdsim_port *port, sdsim_ps from, sdsim_ps to, uint64_t looks)
{
    struct sdsim_meter *meter = port->meter;
    const struct sdsim_detail detail = {.kind = SDSIM_DETAIL_LOOKS, .place = looks};
    const uint32_t of_command = meter->detail;
    const uint8_t part = meter->part;
    meter->detail = sdsim_record_detail(meter->recorder, &detail);
    meter->part = SDSIM_PART_LOOKS;
    sdsim_meter_record(meter, from, to - from, SDSIM_LANE_BUS, SDSIM_POLL);
    meter->detail = of_command;
    meter->part = part;
}

uint32_t sdsim_record_response(struct sdsim_port *port, uint8_t r1, const uint8_t *extra)
{
    const struct sdsim_detail detail = {
        .kind = SDSIM_DETAIL_RESPONSE,
        .code = r1,
        .place = (uint64_t)extra[0] << 24 | (uint64_t)extra[1] << 16 | (uint64_t)extra[2] << 8 |
                 extra[3],
    };
    return sdsim_record_detail(port->meter->recorder, &detail);
}

void sdsim_fast_execute(struct sdsim_port *port, sdsim_ps *now, const struct sdsim_transaction *tx,
                        struct sdsim_result *result)
{
    struct sdsim_meter *meter = port->meter;
    if (meter->recorder == NULL) {
        carry_out(port, now, tx, result);
        return;
    }
    const enum sdsim_command_group group = group_of(tx, port->card->app);
    const sdsim_ps start = *now;
    if ((tx->flags & SDSIM_COMMAND) != 0) {
        sdsim_note_command(port, tx->command, tx->argument, tx->blocks);
    } else {
        const struct sdsim_detail detail = {
            .kind = SDSIM_DETAIL_COMMAND, .code = 128, .size = tx->blocks};
        meter->detail = sdsim_record_detail(meter->recorder, &detail);
    }
    const uint32_t detail = meter->detail;
    meter->part = SDSIM_PART_NONE;
    carry_out(port, now, tx, result);
    const struct sdsim_span span = {
        .start = start,
        .duration = *now - start,
        .count = 1,
        .lane = SDSIM_LANE_COMMAND,
        .kind = SDSIM_HOST,
        .purpose = (uint8_t)meter->purpose,
        .part = (uint8_t)group,
        .detail = detail,
    };
    if (span.duration > 0) {
        meter->recorder->span(meter->recorder, &span);
    }
    meter->detail = 0;
    meter->part = SDSIM_PART_NONE;
}

static const struct sdsim_port_ops fast_ops = {.name = "fast", .execute = sdsim_fast_execute};

void sdsim_fast_init(struct sdsim_port *port, enum sdsim_bus_mode mode, struct sdsim_card *card,
                     struct sdsim_meter *meter)
{
    *port = (struct sdsim_port){.ops = &fast_ops, .mode = mode, .meter = meter, .card = card};
}
