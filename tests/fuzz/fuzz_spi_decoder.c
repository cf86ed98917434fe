/*
 * The decoder of SPI bytes, and the doctor behind it: any bytes on both lines, CS edges and torn bytes.
 * Each action is a byte that says which: 0 CS, 1 a byte each way, 2 torn clocks, 3 a right frame and FF
 * back, 4 a block from the card, 5 a block from the host, 6 and 7 so many bytes of FF.
 */
#include "fuzz/item_fuzz.h"

#include <string.h>

#include "capture/doctor.h"
#include "capture/spi_decoder.h"
#include "core/crc.h"

const unsigned sdsim_fuzz_runs = 10000;

enum { BYTES_MAX = 100000 };

struct bench {
    struct sdsim_doctor doctor;
    struct sdsim_spi_decoder decoder;
    struct sdsim_fuzz_items items;
    bool selected;
    sdsim_ps now;
    uint64_t count;
};

static void byte(struct bench *bench, uint8_t mosi, uint8_t miso)
{
    const struct sdsim_spi_byte both = {
        .start = bench->now,
        .end = bench->now + SDSIM_US,
        .at = bench->count,
        .selected = bench->selected,
        .mosi = mosi,
        .miso = miso,
    };
    if (bench->count++ < BYTES_MAX) {
        sdsim_spi_decoder_byte(&bench->decoder, &both);
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
        byte(bench, frame[i], 0xFF);
    }
}

static void block(struct bench *bench, struct sdsim_fuzz_bytes *bytes, bool from_host)
{
    static const uint16_t sizes[] = {512, 16, 8, 64};
    uint8_t data[512];
    const uint8_t choice = sdsim_fuzz_byte(bytes);
    const size_t size = sizes[choice & 3];
    memset(data, sdsim_fuzz_byte(bytes), sizeof data);
    const uint16_t crc = sdsim_crc16(data, size);
    const uint8_t tail[3] = {(uint8_t)(crc >> 8), (uint8_t)crc, sdsim_fuzz_byte(bytes)};
    byte(bench, from_host ? ((choice & 8) != 0 ? 0xFC : 0xFE) : 0xFF, from_host ? 0xFF : 0xFE);
    for (size_t i = 0; i < size + sizeof tail; i++) {
        const uint8_t value = i < size ? data[i] : tail[i - size];
        const bool host = from_host && i < size + 2;
        byte(bench, host ? value : 0xFF, host || (!from_host && i == size + 2) ? 0xFF : value);
    }
}

static void act(struct bench *bench, struct sdsim_fuzz_bytes *bytes)
{
    const uint8_t action = sdsim_fuzz_byte(bytes);
    switch (action % 8) {
    case 0:
        bench->selected = (action & 8) == 0;
        sdsim_spi_decoder_select(&bench->decoder, bench->selected, bench->now, bench->count);
        bench->now += SDSIM_US;
        break;
    case 1: {
        const uint8_t mosi = sdsim_fuzz_byte(bytes);
        byte(bench, mosi, sdsim_fuzz_byte(bytes));
        break;
    }
    case 2:
        sdsim_spi_decoder_clocks(&bench->decoder, 1 + (action >> 3) % 7, bench->now,
                                 bench->now + SDSIM_US, bench->count);
        bench->now += SDSIM_US;
        break;
    case 3:
        frame(bench, bytes);
        break;
    case 4:
    case 5:
        block(bench, bytes, action % 8 == 5);
        break;
    default: {
        const uint8_t miso = action % 8 == 6 ? 0xFF : sdsim_fuzz_byte(bytes);
        for (int i = 0; i <= action >> 3; i++) {
            byte(bench, 0xFF, miso);
        }
        break;
    }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct bench bench;
    struct sdsim_fuzz_bytes bytes = {data, size};
    const uint8_t kind = sdsim_fuzz_byte(&bytes);
    const struct sdsim_doctor_source source = {.unit = "byte",
                                               .timed = (kind & 1) != 0,
                                               .cs_known = (kind & 2) != 0,
                                               .card_unknown = (kind & 4) != 0};
    memset(&bench, 0, sizeof bench);
    bench.selected = (kind & 8) != 0;
    sdsim_doctor_init(&bench.doctor, &source, NULL);
    sdsim_fuzz_items_init(&bench.items, &bench.doctor.listener);
    sdsim_spi_decoder_init(&bench.decoder, &bench.items.listener, source.timed);
    while (bytes.left > 0) {
        act(&bench, &bytes);
    }
    sdsim_spi_decoder_end(&bench.decoder);
    sdsim_doctor_end(&bench.doctor);
    for (size_t i = 0; i < sdsim_doctor_book(false)->count; i++) {
        const struct sdsim_doctor_finding *finding = sdsim_doctor_finding(&bench.doctor, i);
        SDSIM_FUZZ_HOLDS(finding->count == 0 ||
                         memchr(finding->text, '\0', sizeof finding->text) != NULL);
    }
    return 0;
}
