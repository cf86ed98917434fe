#include "driver/driver_state.h"

#include "card/card_state.h"

/* A card that only its bytes tell of: what it has of a frame and a block, and still has to say. */
static void digest_pins(const struct sdsim_spi_pins *pins, sdsim_ps now,
                        struct sdsim_digest *digest)
{
    const uint32_t of_block = pins->in_block ? pins->block_at : 0;
    const bool sends = pins->in_block && pins->phase == SDSIM_SPI_SEND;
    sdsim_digest_add(digest, (uint64_t)pins->phase << 3 | (uint64_t)pins->multiple << 2 |
                                 (uint64_t)pins->from_register << 1 | (uint64_t)pins->in_block);
    sdsim_digest_add(digest, (uint64_t)pins->block_bytes << 32 | of_block);
    sdsim_digest_bytes(digest, pins->block, sends ? pins->block_bytes + 2 : of_block);
    sdsim_digest_bytes(digest, pins->frame, pins->frame_count);
    sdsim_digest_add(digest, (uint64_t)pins->frame_count << 8 | pins->gap);
    const bool due = pins->answer_at < pins->answer_count;
    sdsim_digest_add(digest, due ? (uint64_t)pins->answer_gap << 24 |
                                       (uint64_t)pins->answer_stuff << 16 |
                                       (uint64_t)pins->answer_at << 8 | pins->answer_count
                                 : 0);
    sdsim_digest_bytes(digest, pins->answer, due ? pins->answer_count : 0);
    sdsim_digest_time(digest, due ? pins->held : now, now);
}

static void digest_port(const struct sdsim_port *port, sdsim_ps now, struct sdsim_digest *digest)
{
    sdsim_digest_add(digest, port->clock.remainder);
    sdsim_digest_add(digest, port->clock.period);
    sdsim_digest_add(digest, (uint64_t)port->busy_in << 4 | (uint64_t)port->by_byte << 3 |
                                 (uint64_t)port->single << 2 | (uint64_t)port->selected << 1 |
                                 (uint64_t)port->cs_edge);
    sdsim_digest_time(digest, port->behind_until, now);
    sdsim_digest_add(digest, port->behind_until > now ? port->behind_frame : 0);
    if (port->by_byte) {
        digest_pins(&port->pins, now, digest);
    }
}

void sdsim_driver_digest(const struct sdsim_driver *driver, sdsim_ps now,
                         struct sdsim_digest *digest)
{
    const bool streams = driver->writing || driver->reading;
    const sdsim_ps tick = sdsim_driver_tick(driver);
    sdsim_digest_add(digest, (uint64_t)driver->writing << 4 | (uint64_t)driver->reading << 3 |
                                 (uint64_t)driver->high_speed << 2 |
                                 (uint64_t)driver->low_voltage << 1 |
                                 (uint64_t)driver->block_addresses);
    sdsim_digest_add(digest, streams ? driver->next_lba : 0);
    sdsim_digest_add(digest, driver->rca);
    sdsim_digest_add(digest, tick > 0 ? now % tick : 0);
    digest_port(driver->port, now, digest);
    sdsim_card_digest(driver->port->card, now, digest);
}

sdsim_ps sdsim_driver_settles(const struct sdsim_driver *driver)
{
    const struct sdsim_port *port = driver->port;
    const sdsim_ps at = sdsim_card_settles(port->card);
    return port->behind_until > at ? port->behind_until : at;
}

sdsim_ps sdsim_driver_tick(const struct sdsim_driver *driver)
{
    return driver->class->ticks ? driver->params->tick : 0;
}
