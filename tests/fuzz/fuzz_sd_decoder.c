/*
 * The decoder of SD clocks: any levels on CMD and DAT, at all four samplings. Each action is a byte that
 * says which: 0 a clock with levels, 1 a frame of 48 bits with a right CRC7, 2 one of 136, 3 a block on
 * one line, 4 on four, 5 a CRC status and busy, 6 and 7 so many clocks of rest, 7 with a pause.
 */
#include "capture/doctor.h"
#include "fuzz/item_fuzz.h"

#include <string.h>

#include "capture/sd_decoder.h"
#include "core/crc.h"

const unsigned sdsim_fuzz_runs = 3000;

enum { CLOCKS_MAX = 200000 };

struct bench {
    struct sdsim_sd_decoder decoder;
    struct sdsim_clock_meter meter;
    struct sdsim_fuzz_items items;
    struct sdsim_doctor doctor;
    uint64_t tick;
    uint64_t period;
    uint64_t clocks;
};

static void clock_word(struct bench *bench, uint32_t word)
{
    if (bench->clocks++ < CLOCKS_MAX) {
        sdsim_sd_decoder_clock(&bench->decoder, bench->tick, word);
        bench->tick += bench->period;
    }
}

/* A clock with CMD and DAT3..0 the same at all instants. */
static void clock_levels(struct bench *bench, unsigned cmd, unsigned dat)
{
    const uint32_t lines = (cmd & 1) | (dat & 15) << 1;
    clock_word(bench, lines | lines << 5 | lines << 10 | lines << 15);
}

static void frame(struct bench *bench, struct sdsim_fuzz_bytes *bytes, size_t size)
{
    uint8_t frame[17];
    frame[0] = sdsim_fuzz_byte(bytes) & 0x7F;
    for (size_t i = 1; i + 1 < size; i++) {
        frame[i] = sdsim_fuzz_byte(bytes);
    }
    frame[size - 1] = size == 6 ? sdsim_crc7_byte(frame, 5) : sdsim_crc7_byte(frame + 1, 15);
    for (size_t i = 0; i < 8 * size; i++) {
        clock_levels(bench, frame[i / 8] >> (7 - i % 8), 15);
    }
}

static void block(struct bench *bench, struct sdsim_fuzz_bytes *bytes, bool four)
{
    uint8_t data[512];
    const size_t size = (sdsim_fuzz_byte(bytes) & 1) != 0 ? 64 : 512;
    memset(data, sdsim_fuzz_byte(bytes), sizeof data);
    const uint16_t crc = sdsim_crc16(data, size);
    clock_levels(bench, 1, four ? 0 : 14);
    for (size_t i = 0; i < 8 * size; i += four ? 4 : 1) {
        const unsigned rest = data[i / 8] >> (four ? 4 - i % 8 : 7 - i % 8);
        clock_levels(bench, 1, four ? rest : 14 | (rest & 1));
    }
    for (int i = 15; i >= 0; i--) { /* right for one line */
        clock_levels(bench, 1, 14 | (crc >> i & 1));
    }
    clock_levels(bench, 1, 15);
}

static void act(struct bench *bench, struct sdsim_fuzz_bytes *bytes)
{
    const uint8_t action = sdsim_fuzz_byte(bytes);
    switch (action % 8) {
    case 0:
        clock_word(bench, sdsim_fuzz_word(bytes) & 0xFFFFF);
        break;
    case 1:
        frame(bench, bytes, 6);
        break;
    case 2:
        frame(bench, bytes, 17);
        break;
    case 3:
    case 4:
        block(bench, bytes, action % 8 == 4);
        break;
    case 5: {
        const unsigned status = sdsim_fuzz_byte(bytes);
        for (int i = 4; i >= 0; i--) {
            clock_levels(bench, 1, 14 | (status >> i & 1));
        }
        for (int i = 0; i < action >> 3; i++) {
            clock_levels(bench, 1, 14);
        }
        break;
    }
    default:
        for (int i = 0; i <= action >> 3; i++) {
            clock_levels(bench, 1, 15);
        }
        bench->tick += action % 8 == 7 ? (uint64_t)1 << (action >> 3) : 0;
        break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct bench bench;
    struct sdsim_fuzz_bytes bytes = {data, size};
    const uint8_t kind = sdsim_fuzz_byte(&bytes);
    const struct sdsim_tick tick = {.num = 10000, .den = 1};
    const bool lines[SDSIM_SD_LINES] = {true, (kind & 1) == 0, (kind & 2) == 0, (kind & 2) == 0,
                                        (kind & 2) == 0};
    memset(&bench, 0, sizeof bench);
    bench.period = 2 + (kind >> 4);
    const struct sdsim_doctor_source source = {
        .unit = "tick", .sd = true, .timed = true, .card_unknown = !lines[1]};
    sdsim_doctor_init(&bench.doctor, &source, NULL);
    sdsim_fuzz_items_init(&bench.items, &bench.doctor.listener);
    sdsim_clock_meter_init(&bench.meter, 1);
    sdsim_sd_decoder_init(&bench.decoder, &tick, 1, lines, &bench.meter, &bench.items.listener);
    while (bytes.left > 0) {
        act(&bench, &bytes);
    }
    sdsim_sd_decoder_end(&bench.decoder);
    sdsim_doctor_end(&bench.doctor);
    for (size_t i = 0; i < sdsim_doctor_book(true)->count; i++) {
        const struct sdsim_doctor_finding *finding = sdsim_doctor_finding(&bench.doctor, i);
        SDSIM_FUZZ_HOLDS(finding->count == 0 ||
                         memchr(finding->text, '\0', sizeof finding->text) != NULL);
    }
    return 0;
}
