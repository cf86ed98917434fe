/*
 * Many clocks of the SD pins at once. Four things go by in bulk, as long as nothing happens on CMD:
 * the middle of a block to the host, the middle of a block from the host, its CRC status, and waiting
 * with all lines released. Everything else, start and end bits among it, is clocked one by one.
 */
#include <string.h>

#include "card/sd_block.h"
#include "card/sd_pins.h"

/* How many of the first `most` clocks have CMD released, and all DAT lines too if `dat`. */
static size_t released(const struct sdsim_sd_lines *host, size_t most, bool dat)
{
    if (host == NULL) {
        return most;
    }
    return dat ? sdsim_sd_lines_free(host, most) : sdsim_sd_lines_cmd_free(host, most);
}

static void show(struct sdsim_sd_lines *bus, uint8_t dat, size_t count)
{
    if (bus != NULL) {
        for (size_t i = 0; i < count; i++) {
            bus[i] = (struct sdsim_sd_lines){.cmd = 1, .dat = dat};
        }
    }
}

static size_t clocks_per_byte(const struct sdsim_sd_pins *pins)
{
    return pins->four ? 2 : 8;
}

/* Where the next byte of the block at work lies. */
static uint8_t *next_byte(struct sdsim_sd_pins *pins)
{
    return pins->block + (pins->at - 1) / clocks_per_byte(pins);
}

/* How many whole bytes of the block at work, CRC included, come next; 0: it is not between two. */
static size_t bytes_left(const struct sdsim_sd_pins *pins)
{
    const size_t per_byte = clocks_per_byte(pins);
    if (!pins->in_block || pins->at == 0 || (pins->at - 1) % per_byte != 0 || pins->stop_in > 0) {
        return 0;
    }
    return (pins->bits + 1 - pins->at) / per_byte;
}

/* Nothing but blocks, their status, busy and waiting happens on the lines of a card that is there. */
static bool only_dat(const struct sdsim_sd_pins *pins)
{
    const struct sdsim_card *card = pins->card;
    return pins->response_bits == 0 && pins->frame_bits == 0 && !card->spi &&
           card->awake_at != SDSIM_TIME_END && !sdsim_faults_absent(card->faults);
}

/* Whole bytes of a block to the host. */
static void show_bytes(const uint8_t *from, bool four, struct sdsim_sd_lines *bus, size_t bytes)
{
    if (bus == NULL) {
        return;
    }
    if (four) {
        sdsim_sd_lines_of(from, bytes, bus);
        return;
    }
    for (size_t i = 0; i < 8 * bytes; i++) {
        const uint8_t bit = from[i / 8] >> (7 - i % 8) & 1;
        bus[i] = (struct sdsim_sd_lines){.cmd = 1, .dat = 0xE | bit};
    }
}

/* Whole bytes of a block from the host. */
static void take_bytes(uint8_t *to, bool four, const struct sdsim_sd_lines *host, size_t bytes)
{
    if (four) {
        sdsim_sd_lines_bytes(host, bytes, to);
        return;
    }
    for (size_t i = 0; i < bytes; i++) {
        uint8_t byte = 0;
        for (size_t bit = 0; bit < 8; bit++) {
            byte = (uint8_t)(byte << 1 | (host[8 * i + bit].dat & 1));
        }
        to[i] = byte;
    }
}

/* The middle of a block; returns how many clocks of it. */
static size_t block_clocks(struct sdsim_sd_pins *pins, const struct sdsim_sd_lines *host,
                           struct sdsim_sd_lines *bus, size_t count)
{
    const size_t per_byte = clocks_per_byte(pins);
    const bool sends = pins->phase == SDSIM_SD_SEND;
    size_t n = bytes_left(pins) * per_byte;
    if (n == 0 || (!sends && host == NULL)) {
        return 0;
    }
    n = released(host, n < count ? n : count, sends);
    const size_t bytes = n / per_byte;
    n = bytes * per_byte;
    if (sends) {
        show_bytes(next_byte(pins), pins->four, bus, bytes);
    } else {
        take_bytes(next_byte(pins), pins->four, host, bytes);
        if (bus != NULL && bus != host) {
            memmove(bus, host, n * sizeof *bus);
        }
    }
    pins->at += (uint32_t)n;
    return n;
}

/* Clocks in which all wait for `instant`, at most `most`; the first is certain to be one. */
static size_t waiting_clocks(const struct sdsim_clock *clock, sdsim_ps now, sdsim_ps instant,
                             size_t most)
{
    if (instant <= now) {
        return most;
    }
    const uint64_t clocks = sdsim_clock_count(clock, instant - now);
    return clocks < most ? (size_t)clocks : most;
}

/* How many of the next clocks, at most `most`, all lines released, are nothing but waiting, and what they
 * show on DAT. */
static size_t waiting(const struct sdsim_sd_pins *pins, sdsim_ps now,
                      const struct sdsim_clock *clock, size_t most, uint8_t *dat)
{
    const bool sends = pins->phase == SDSIM_SD_SEND;
    if ((sends ? pins->gap : pins->busy_gap) > 0) {
        return 0;
    }
    const sdsim_ps until =
        sends ? sdsim_card_read_ready(pins->card).at : sdsim_card_busy(pins->card).at;
    if (sends && until <= now) {
        return 0;
    }
    *dat = !sends && now < until ? SDSIM_SD_DAT0_LOW : SDSIM_SD_LINES_FREE;
    return waiting_clocks(clock, now, until, most);
}

/* Nothing but waiting; returns how many clocks of it. */
static size_t idle_clocks(struct sdsim_sd_pins *pins, sdsim_ps now, const struct sdsim_clock *clock,
                          const struct sdsim_sd_lines *host, struct sdsim_sd_lines *bus,
                          size_t count)
{
    uint8_t dat = SDSIM_SD_LINES_FREE;
    const size_t n = released(host, waiting(pins, now, clock, count, &dat), true);
    show(bus, dat, n);
    return n;
}

/* What is left of a CRC status and the clocks before it. */
static size_t status_clocks(struct sdsim_sd_pins *pins, const struct sdsim_sd_lines *host,
                            struct sdsim_sd_lines *bus, size_t count)
{
    const size_t left = SDSIM_PINS_N_CRC + SDSIM_PINS_CRC_STATUS - pins->status_at;
    const size_t n = released(host, left < count ? left : count, true);
    for (size_t i = 0; i < n; i++) {
        const struct sdsim_sd_lines lines = {.cmd = 1, .dat = sdsim_sd_status_level(pins)};
        if (bus != NULL) {
            bus[i] = lines;
        }
        sdsim_sd_status_step(pins);
    }
    return n;
}

/* Clocks that go by in bulk, without their time. */
static size_t alike(struct sdsim_sd_pins *pins, sdsim_ps now, const struct sdsim_clock *clock,
                    const struct sdsim_sd_lines *host, struct sdsim_sd_lines *bus, size_t count)
{
    if (!only_dat(pins)) {
        return 0;
    }
    if (pins->status != 0) {
        return status_clocks(pins, host, bus, count);
    }
    return pins->in_block ? block_clocks(pins, host, bus, count)
                          : idle_clocks(pins, now, clock, host, bus, count);
}

size_t sdsim_sd_waits(const struct sdsim_sd_pins *pins, sdsim_ps now,
                      const struct sdsim_clock *clock, size_t most, uint8_t *dat)
{
    const bool between = pins->status == 0 && !pins->in_block;
    return between && only_dat(pins) ? waiting(pins, now, clock, most, dat) : 0;
}

void sdsim_sd_clock_many(struct sdsim_sd_pins *pins, sdsim_ps *now, struct sdsim_clock *clock,
                         const struct sdsim_sd_lines *host, struct sdsim_sd_lines *bus,
                         size_t count)
{
    size_t done = 0;
    while (done < count) {
        const struct sdsim_sd_lines *out = host != NULL ? host + done : NULL;
        struct sdsim_sd_lines *in = bus != NULL ? bus + done : NULL;
        size_t n = alike(pins, *now, clock, out, in, count - done);
        const sdsim_ps end =
            sdsim_time_sum(*now, sdsim_clock_take(clock, (uint64_t)(n > 0 ? n : 1)));
        if (n == 0) {
            const struct sdsim_sd_lines lines =
                sdsim_sd_clock(pins, *now, end, out != NULL ? *out : SDSIM_SD_RELEASED);
            if (in != NULL) {
                *in = lines;
            }
            n = 1;
        }
        *now = end;
        done += n;
    }
}

/* ---- bytes in place of lines ---- */

/* How many of `count` bytes can go by in that direction. */
static size_t bytes_alike(const struct sdsim_sd_pins *pins, bool sends, size_t count)
{
    if (!only_dat(pins) || pins->status != 0 || (pins->phase == SDSIM_SD_SEND) != sends) {
        return 0;
    }
    const size_t left = bytes_left(pins);
    return left < count ? left : count;
}

/* They have gone by. */
static void pass_bytes(struct sdsim_sd_pins *pins, sdsim_ps *now, struct sdsim_clock *clock,
                       size_t count)
{
    const size_t clocks = count * clocks_per_byte(pins);
    pins->at += (uint32_t)clocks;
    *now = sdsim_time_sum(*now, sdsim_clock_take(clock, clocks));
}

size_t sdsim_sd_bytes_out(struct sdsim_sd_pins *pins, sdsim_ps *now, struct sdsim_clock *clock,
                          uint8_t *out, size_t count)
{
    const size_t n = bytes_alike(pins, true, count);
    if (n > 0) {
        memcpy(out, next_byte(pins), n);
        pass_bytes(pins, now, clock, n);
    }
    return n;
}

size_t sdsim_sd_bytes_in(struct sdsim_sd_pins *pins, sdsim_ps *now, struct sdsim_clock *clock,
                         const uint8_t *in, size_t count)
{
    const size_t n = bytes_alike(pins, false, count);
    if (n > 0) {
        memcpy(next_byte(pins), in, n);
        pass_bytes(pins, now, clock, n);
    }
    return n;
}
