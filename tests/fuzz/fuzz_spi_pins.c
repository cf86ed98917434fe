/*
 * The card's SPI pins: whatever a host clocks. The input is a list of actions, the first byte of each
 * saying which: CS low, CS high, a byte, a frame with a right CRC7, a block with a right CRC16, so
 * many FF, a pause, a fault.
 */
#include "fuzz/fuzz.h"

#include <string.h>

#include "card/faults.h"
#include "card/spi_pins.h"
#include "core/crc.h"

const unsigned sdsim_fuzz_runs = 10000;

enum { BYTES_MAX = 100000 };

struct bench {
    struct sdsim_card card;
    struct sdsim_spi_pins pins;
    struct sdsim_faults faults;
    sdsim_ps now;
    unsigned bytes;
};

static void exchange(struct bench *bench, uint8_t mosi)
{
    if (bench->bytes++ < BYTES_MAX) {
        const uint8_t miso =
            sdsim_spi_exchange(&bench->pins, bench->now, bench->now + SDSIM_US, mosi);
        SDSIM_FUZZ_HOLDS(bench->pins.selected || miso == 0xFF);
        bench->now += SDSIM_US;
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
    for (int i = 0; i < 6; i++) {
        exchange(bench, frame[i]);
    }
}

static void block(struct bench *bench, struct sdsim_fuzz_bytes *bytes)
{
    static const uint16_t sizes[] = {512, 16, 8, 64};
    uint8_t data[512];
    const uint8_t choice = sdsim_fuzz_byte(bytes);
    const size_t size = sizes[choice & 3];
    memset(data, sdsim_fuzz_byte(bytes), sizeof data);
    for (size_t i = 0; i < 17 && (choice & 4) != 0; i++) { /* a lock card structure, perhaps */
        data[i] = sdsim_fuzz_byte(bytes);
    }
    const uint16_t crc = sdsim_crc16(data, size);
    exchange(bench, (choice & 8) != 0 ? 0xFC : 0xFE);
    for (size_t i = 0; i < size; i++) {
        exchange(bench, data[i]);
    }
    exchange(bench, (uint8_t)(crc >> 8));
    exchange(bench, (uint8_t)crc);
}

static void act(struct bench *bench, struct sdsim_fuzz_bytes *bytes)
{
    const uint8_t action = sdsim_fuzz_byte(bytes);
    switch (action % 8) {
    case 0:
        sdsim_spi_select(&bench->pins, true);
        break;
    case 1:
        sdsim_spi_select(&bench->pins, (action & 8) == 0);
        break;
    case 2:
        exchange(bench, sdsim_fuzz_byte(bytes));
        break;
    case 3:
        frame(bench, bytes);
        break;
    case 4:
        block(bench, bytes);
        break;
    case 5:
        for (unsigned i = 0; i < (action & 0xF8) + 1u; i++) {
            exchange(bench, 0xFF);
        }
        break;
    case 6:
        bench->now += (sdsim_ps)1 << (20 + action / 16);
        break;
    default: {
        const uint8_t which = sdsim_fuzz_byte(bytes);
        sdsim_faults_arm(&bench->faults, (enum sdsim_fault)(which % SDSIM_FAULT_COUNT), which / 64,
                         1, sdsim_fuzz_byte(bytes));
        break;
    }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct bench bench;
    struct sdsim_fuzz_bytes bytes = {data, size};
    const uint8_t kind = sdsim_fuzz_byte(&bytes);
    const struct sdsim_card_params params = {
        .type = (kind & 1) != 0 ? SDSIM_SDSC : SDSIM_SDHC,
        .capacity = 4 << 20,
        .n_cr = kind >> 1 & 7,
        .n_ac = 1,
        .n_br = kind >> 4 & 1,
        .flash = {.rd1 = 10 * SDSIM_US,
                  .rdn = 7 * SDSIM_US,
                  .w1 = 20 * SDSIM_US,
                  .wn = 5 * SDSIM_US,
                  .wstop = 9 * SDSIM_US,
                  .page_bytes = 32768,
                  .erase = 30 * SDSIM_US},
    };
    memset(&bench, 0, sizeof bench);
    struct sdsim_medium *medium = sdsim_medium_create(sdsim_csd_sectors(&params), 0);
    SDSIM_FUZZ_HOLDS(medium != NULL);
    sdsim_card_init(&bench.card, &params, medium, 1, 0);
    bench.card.faults = &bench.faults;
    sdsim_spi_pins_init(&bench.pins, &bench.card);
    bench.now = SDSIM_MS;
    while (bytes.left > 0) {
        act(&bench, &bytes);
    }
    sdsim_medium_destroy(medium);
    return 0;
}
