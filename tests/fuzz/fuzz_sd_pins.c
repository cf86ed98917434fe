/*
 * The card's SD pins: whatever a host drives. The input is a list of actions, the first byte of each
 * saying which: 0 a clock with levels, 1 a frame with a right CRC7, 2 a block with right CRC16s, 3 a
 * pause, 4 a fault, 5 to 7 so many clocks at rest. All of it goes once clock by clock and, in a second
 * card, at once; both must show the same.
 */
#include "fuzz/fuzz.h"

#include <string.h>

#include "card/faults.h"
#include "card/sd_pins.h"
#include "core/crc.h"

const unsigned sdsim_fuzz_runs = 3000;

enum { CLOCKS_MAX = 60000, RUN_MAX = 5000 };

struct face {
    struct sdsim_card card;
    struct sdsim_sd_pins pins;
    struct sdsim_faults faults;
    struct sdsim_clock clock;
    struct sdsim_medium *medium;
    sdsim_ps now;
};

struct bench {
    struct face single;
    struct face bulk;
    unsigned clocks;
    size_t count; /* of the run at work */
    struct sdsim_sd_lines host[RUN_MAX];
};

static void flush(struct bench *bench)
{
    static struct sdsim_sd_lines bus[RUN_MAX];
    struct face *single = &bench->single;
    sdsim_sd_clock_many(&bench->bulk.pins, &bench->bulk.now, &bench->bulk.clock, bench->host, bus,
                        bench->count);
    for (size_t i = 0; i < bench->count; i++) {
        const sdsim_ps end = sdsim_time_sum(single->now, sdsim_clock_take(&single->clock, 1));
        const struct sdsim_sd_lines seen =
            sdsim_sd_clock(&single->pins, single->now, end, bench->host[i]);
        SDSIM_FUZZ_HOLDS(seen.cmd <= 1 && seen.dat <= 15);
        SDSIM_FUZZ_HOLDS(seen.cmd == bus[i].cmd && seen.dat == bus[i].dat);
        SDSIM_FUZZ_HOLDS((seen.cmd & ~bench->host[i].cmd) == 0 &&
                         (seen.dat & ~bench->host[i].dat) == 0); /* open lines: low wins */
        single->now = end;
    }
    SDSIM_FUZZ_HOLDS(single->now == bench->bulk.now);
    bench->count = 0;
}

static void clock_lines(struct bench *bench, unsigned cmd, unsigned dat)
{
    if (bench->clocks++ < CLOCKS_MAX) {
        bench->host[bench->count++] =
            (struct sdsim_sd_lines){.cmd = (uint8_t)(cmd & 1), .dat = (uint8_t)(dat & 15)};
        if (bench->count == RUN_MAX) {
            flush(bench);
        }
    }
}

static void frame(struct bench *bench, struct sdsim_fuzz_bytes *bytes)
{
    uint8_t frame[6];
    frame[0] = (uint8_t)(0x40 | (sdsim_fuzz_byte(bytes) & 0x3F));
    for (int i = 1; i < 5; i++) {
        frame[i] = sdsim_fuzz_byte(bytes);
    }
    frame[5] = sdsim_crc7_byte(frame, 5);
    for (unsigned i = 0; i < 48; i++) {
        clock_lines(bench, frame[i / 8] >> (7 - i % 8), 15);
    }
}

/* The same byte all over, so that the four lines have simple check sums, too. */
static void block(struct bench *bench, struct sdsim_fuzz_bytes *bytes)
{
    static const uint8_t zeros[128] = {0};
    const uint8_t choice = sdsim_fuzz_byte(bytes);
    const bool four = (choice & 1) != 0;
    const size_t size = (choice & 2) != 0 ? 16 : 512;
    uint8_t data[512];
    memset(data, four ? 0 : sdsim_fuzz_byte(bytes), sizeof data);
    const uint16_t crc = four ? sdsim_crc16(zeros, size / 4) : sdsim_crc16(data, size);
    clock_lines(bench, 1, four ? 0 : 14);
    for (size_t i = 0; i < 8 * size; i += four ? 4 : 1) {
        clock_lines(bench, 1, four ? 0 : 14 | (data[i / 8] >> (7 - i % 8) & 1));
    }
    for (int i = 15; i >= 0; i--) {
        const unsigned bit = crc >> i & 1;
        clock_lines(bench, 1, four ? bit * 15 : 14 | bit);
    }
    clock_lines(bench, 1, 15);
}

static void act(struct bench *bench, struct sdsim_fuzz_bytes *bytes)
{
    const uint8_t action = sdsim_fuzz_byte(bytes);
    switch (action % 8) {
    case 0: {
        const uint8_t lines = sdsim_fuzz_byte(bytes);
        clock_lines(bench, lines, lines >> 1);
        break;
    }
    case 1:
        frame(bench, bytes);
        break;
    case 2:
        block(bench, bytes);
        break;
    case 3:
        flush(bench);
        bench->single.now += (sdsim_ps)1 << (20 + action / 16);
        bench->bulk.now = bench->single.now;
        break;
    case 4: {
        const uint8_t which = sdsim_fuzz_byte(bytes);
        const uint8_t detail = sdsim_fuzz_byte(bytes);
        const enum sdsim_fault fault = (enum sdsim_fault)(which % SDSIM_FAULT_COUNT);
        flush(bench);
        sdsim_faults_arm(&bench->single.faults, fault, which / 64, 1, detail);
        sdsim_faults_arm(&bench->bulk.faults, fault, which / 64, 1, detail);
        break;
    }
    default:
        for (int i = 0; i < 8 * (1 + (action >> 3)); i++) {
            clock_lines(bench, 1, 15);
        }
        break;
    }
}

static void power_up(struct face *face, const struct sdsim_card_params *params)
{
    memset(face, 0, sizeof *face);
    face->medium = sdsim_medium_create(sdsim_csd_sectors(params), 0);
    SDSIM_FUZZ_HOLDS(face->medium != NULL);
    sdsim_card_init(&face->card, params, face->medium, 1, 0);
    face->card.faults = &face->faults;
    sdsim_sd_pins_init(&face->pins, &face->card);
    sdsim_clock_set(&face->clock, 26000000, 1); /* with a remainder */
    face->now = SDSIM_MS;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct bench bench;
    struct sdsim_fuzz_bytes bytes = {data, size};
    const uint8_t kind = sdsim_fuzz_byte(&bytes);
    const struct sdsim_card_params params = {
        .type = (kind & 1) != 0 ? SDSIM_SDSC : SDSIM_SDHC,
        .capacity = 4 << 20,
        .n_cr_clocks = 2 + (kind >> 1 & 7),
        .n_br_clocks = kind >> 4 & 1,
        .flash = {.rd1 = 10 * SDSIM_US,
                  .rdn = 7 * SDSIM_US,
                  .w1 = 20 * SDSIM_US,
                  .wn = 5 * SDSIM_US,
                  .wstop = 9 * SDSIM_US,
                  .page_bytes = 32768,
                  .erase = 30 * SDSIM_US},
    };
    power_up(&bench.single, &params);
    power_up(&bench.bulk, &params);
    bench.clocks = 0;
    bench.count = 0;
    while (bytes.left > 0) {
        act(&bench, &bytes);
    }
    flush(&bench);
    SDSIM_FUZZ_HOLDS(sdsim_medium_equal(bench.single.medium, bench.bulk.medium));
    sdsim_medium_destroy(bench.single.medium);
    sdsim_medium_destroy(bench.bulk.medium);
    return 0;
}
